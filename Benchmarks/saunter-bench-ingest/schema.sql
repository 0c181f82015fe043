-- A table with the columns, checks and indexes of the table of sheets, without foreign keys and triggers.
drop schema if exists bench cascade;
create schema bench;
create table bench.answer_sheet (like research.answer_sheet including all);

-- 20,000 further enrolments. With a hundred enrolments the planner would use sequential scans.
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through)
select gen_random_uuid(), study, study_version, 'other ' || number, arm, allocation_stratum, allocation_position + number,
  allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through
from (select * from research.enrolment limit 1) as model cross join generate_series(1, 20000) as number;
vacuum analyze research.enrolment, research.change;
