-- Gives all enrolments of the emotions tracker copies of the sheets of the simulated participant with most of them, after adding
-- bench.others enrolments. Without triggers and foreign keys, which would run for each row.
begin;
set local session_replication_role = replica;
create temp table model on commit drop as
select enrolment.* from research.enrolment
join (select enrolment_id, count(*) as sheets from research.answer_sheet group by 1) as counted using (enrolment_id)
where study = 'emotions-tracker' order by sheets desc limit 1;
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
create temp table person on commit drop as
select enrolment_id as other_id from research.enrolment
where study = 'emotions-tracker' and enrolment_id not in (select enrolment_id from model);
-- The participants who send the requests begin when the model began, so that their sheets count.
update research.enrolment set enrolled_at = model.enrolled_at, enrolled_on = model.enrolled_on, zone = model.zone
from model where enrolment.study = 'emotions-tracker';
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language, started_at,
   completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots,
   numbers, cleared, body_sha256, repeated)
select other_id, sheet_id, revision, current, questionnaire, version, sheet.study_version, sheet.consent_version, sheet.language,
  started_at, completed_at, received_at, sheet.zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes,
  slots, numbers, cleared, body_sha256, repeated
from model join research.answer_sheet as sheet using (enrolment_id) cross join person;
insert into research.answer_text (enrolment_id, sheet_id, revision, item, text)
select other_id, sheet_id, revision, item, text
from model join research.answer_text using (enrolment_id) cross join person;
commit;
vacuum analyze research.enrolment, research.enrolment_zone, research.answer_sheet, research.answer_text;
checkpoint;
