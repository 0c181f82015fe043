-- Statements for reading a study page by page, in addition to those of a dataset.

-- name: reading_bound(milliseconds text) :one
-- For this transaction. A client waits for a page, unlike for a dataset.
select set_config('statement_timeout', :milliseconds, true);

-- name: reading_numbered_sheet() :many
-- The sheets of one participant, instrument and schedule are numbered in the order in which the server received them,
-- including deleted ones and duplicates. A number is therefore stable and never used again.
select
  sheet.*,
  row_number() over (
    partition by sheet.participant_id, sheet.questionnaire, sheet.arm, sheet.schedule
    order by sheet.received_at, sheet.enrolment_id, sheet.sheet_id) as repeat_instance,
  coalesce(array_position(string_to_array(current_setting('saunter.schedules'), ','), sheet.schedule), 0)
    as event_rank
from sheet_in_scope sheet;

-- name: reading_active_key() :many
-- The active scoring key of every version of every instrument.
select active.*
from jsonb_to_recordset(current_setting('saunter.definitions')::jsonb) as active (
  questionnaire text, version text, key_digest text, engine_version text, scales text[]);

-- name: reading_redcap_form() :many
-- Like dataset_wide, with the scores and the number of each sheet, and the rank of its schedule. The scores are those of
-- dataset_present_score. They are found sheet by sheet, because a client usually reads few participants.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.occasion_id,
  sheet.arm,
  sheet.schedule,
  sheet.refers_to,
  sheet.source,
  sheet.study_day,
  sheet.weekday,
  sheet.version,
  sheet.revision as rev,
  sheet.completes,
  sheet.standing,
  sheet.completed_at as submitted_at,
  sheet.zone as submitted_tz,
  sheet.completed_offset_min as submitted_offset_min,
  sheet.slots,
  sheet.numbers,
  (select jsonb_object_agg(answer.item, answer.text)
    from research.answer_text answer
    where answer.enrolment_id = sheet.enrolment_id and answer.sheet_id = sheet.sheet_id
      and answer.revision = sheet.revision) as texts,
  scored."values" as scores,
  sheet.event_rank,
  sheet.repeat_instance
from numbered_sheet sheet
cross join lateral (
  select jsonb_object_agg(present.scale, present.value) as "values"
  from (
    select distinct on (score.scale collate "C") score.scale, score.value
    from research.score score
    join active_key active on active.questionnaire = sheet.questionnaire and active.version = sheet.version
    where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id
      and score.revision = sheet.revision and score.scale = any (active.scales)
    order by score.scale collate "C",
      (score.key_digest = active.key_digest and score.engine_version = active.engine_version) desc nulls last,
      score.computed_at desc, score.key_digest, score.engine_version
  ) as present
) as scored
-- A sheet that counts was not deleted, so its texts may be included.
where sheet.counts and sheet.questionnaire = current_setting('saunter.instrument');

-- name: reading_changed_participants(from_at timestamptz, to_at timestamptz) :many
-- Participants with a record that was received, corrected or deleted in this period. Both ends are inclusive.
select distinct included.participant_id
from included
join research.enrolment enrolment using (enrolment_id)
where enrolment.enrolled_at between :from_at and :to_at
  or enrolment.ended_at between :from_at and :to_at
  or exists (
    select from research.answer_sheet sheet
    where sheet.enrolment_id = included.enrolment_id
      and (sheet.received_at between :from_at and :to_at or sheet.revised_at between :from_at and :to_at
        or sheet.deleted_at between :from_at and :to_at))
order by 1;

-- name: reading_answered_sheet() :many
select * from sheet_in_scope where deleted_at is null;

-- name: reading_studies_without_views() :many
-- All studies, if an instrument version has no view: the table of versions does not say which study has one.
select distinct published.study
from research.study_version published
where exists (
  select from research.questionnaire_version version
  where not exists (
    select from pg_views where schemaname = 'answers'
      and viewname = version.questionnaire || '_' || replace(version.version, '.', '_')))
order by published.study;

-- name: reading_views() :many
select viewname::text as name from pg_views where schemaname = 'answers';

-- name: reading_lock_views() :one
-- Servers that start at the same time create the views one after the other.
select pg_advisory_xact_lock(7283519460118)::text as locked;
