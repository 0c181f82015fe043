-- Adds bench.others enrolments that are copies of one participant's enrolment, each with the same occasions.
begin;
create temp table model on commit drop as
select * from research.enrolment where study = 'bench-daily' and status = 'active' order by enrolment_id limit 1;
create temp table other on commit drop as
select gen_random_uuid() as other_id, number from generate_series(1, current_setting('bench.others')::int) as number;
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through)
select other_id, study, study_version, 'other ' || number, arm, allocation_stratum, allocation_position + 1000000 + number,
  allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, planned_through
from model cross join other;
insert into research.enrolment_zone (enrolment_id, effective_from, zone, source)
select other_id, effective_from, enrolment_zone.zone, source
from model join research.enrolment_zone using (enrolment_id) cross join other;
insert into research.occasion
  (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
   visible_at, open_at, due_at, close_at, dst_adjusted, planned_at)
select other_id, gen_random_uuid(), schedule, anchor_instance, day_index, slot_index, questionnaire, occasion.study_version, local_date,
  occasion.zone, visible_at, open_at, due_at, close_at, dst_adjusted, planned_at
from model join research.occasion using (enrolment_id) cross join other;
commit;
vacuum analyze research.enrolment, research.enrolment_zone, research.occasion, research.change;
checkpoint;
