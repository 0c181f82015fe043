-- Many sheets like those that were handed in, with their scores, so that a dataset of them takes its time.
begin;
create temp table copied on commit drop as
select enrolment_id, sheet_id, gen_random_uuid() as copy_id
from (select enrolment_id, sheet_id, count(*) over () as sheets from (select * from research.answer_sheet limit 1000) as few) as some
cross join lateral generate_series(1, current_setting('bench.sheets')::bigint / sheets + 1);
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language, started_at,
   completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots,
   numbers, cleared, body_sha256)
select enrolment_id, copy_id, revision, current, questionnaire, version, study_version, consent_version, language, started_at,
  completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots, numbers,
  cleared, body_sha256
from copied join research.answer_sheet using (enrolment_id, sheet_id);
insert into research.score
  (enrolment_id, sheet_id, revision, scale, key_version, key_digest, engine_version, value, reason, band, item_count,
   answered_count, imputed_count, computed_at)
select enrolment_id, copy_id, revision, scale, key_version, key_digest, engine_version, value, reason, band, item_count,
  answered_count, imputed_count, computed_at
from copied join research.score using (enrolment_id, sheet_id);
commit;
vacuum analyze research.answer_sheet, research.score, research.change;
checkpoint;
