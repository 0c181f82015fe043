-- A table like the one that sheets are stored in: columns, checks and indexes, without what hangs on it (references, notes of
-- changes).
drop schema if exists bench cascade;
create schema bench;
create table bench.answer_sheet (like research.answer_sheet including all);

-- Twenty thousand others who are enrolled: among a hundred people the planner would read tables from end to end.
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through)
select gen_random_uuid(), study, study_version, 'other ' || number, arm, allocation_stratum, allocation_position + number,
  allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through
from (select * from research.enrolment limit 1) as somebody cross join generate_series(1, 20000) as number;
vacuum analyze research.enrolment, research.change;
