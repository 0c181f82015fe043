-- Adds bench.sheets copies of submitted sheets, with scores and changes, for all enrolments of the study and over the last two years.
-- Without triggers and foreign keys, which would run for each row.
begin;
set local session_replication_role = replica;
create temp table person on commit drop as
select row_number() over () - 1 as position, enrolment_id from research.enrolment where study = 'bench';
create temp table model on commit drop as
select row_number() over () - 1 as position, * from (select * from research.answer_sheet where revision = 1 limit 1000) as few;
create temp table copied on commit drop as
select person.enrolment_id, model.enrolment_id as model_enrolment_id, model.sheet_id, made.at,
  (lpad(to_hex((extract(epoch from made.at) * 1000)::bigint), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
    as copy_id
from (
  select number, now() - random() * interval '2 years' as at from generate_series(1, current_setting('bench.sheets')::bigint) as number
) as made
join person on person.position = number % (select count(*) from person)
join model on model.position = number % (select count(*) from model);
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language, started_at,
   completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots,
   numbers, cleared, body_sha256, key_id, scored_at, score_values, score_reasons, score_bands, score_counts)
select copied.enrolment_id, copy_id, revision, current, questionnaire, version, study_version, consent_version, language, at,
  at, at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots, numbers,
  cleared, body_sha256, key_id, at, score_values, score_reasons, score_bands, score_counts
from copied join model on model.enrolment_id = copied.model_enrolment_id and model.sheet_id = copied.sheet_id;
insert into research.change (enrolment_id, kind, subject_id, study)
select enrolment_id, 'answer_sheet', copy_id, 'bench' from copied;
commit;
