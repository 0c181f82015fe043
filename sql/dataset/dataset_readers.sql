-- What reading a study page by page needs beside the files of a dataset.

-- name: reading_bound(milliseconds text) :one
-- For this transaction: unlike a dataset, a page is waited for.
select set_config('statement_timeout', $1, true);

-- name: reading_numbered_sheet() :many
-- Sheets of one participant, instrument and schedule are numbered as they came in, whatever has become of them, so that a number is never given
-- again and one that is given stays.
select
  sheet.*,
  row_number() over (
    partition by sheet.participant_id, sheet.questionnaire, sheet.arm, sheet.schedule
    order by sheet.received_at, sheet.enrolment_id, sheet.sheet_id) as repeat_instance,
  coalesce(array_position(string_to_array(current_setting('saunter.schedules'), ','), sheet.schedule), 0)
    as event_rank
from sheet_in_scope sheet;

-- name: reading_redcap_form() :many
-- As dataset_wide, with the place of each sheet among its like.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.occasion_id,
  sheet.arm,
  sheet.schedule,
  sheet.study_day,
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
  sheet.event_rank,
  sheet.repeat_instance
from numbered_sheet sheet
-- A sheet that counts was not deleted, so its texts may be told.
where sheet.counts and sheet.questionnaire = current_setting('saunter.instrument');

-- name: reading_changed_participants(from_at timestamptz, to_at timestamptz) :many
-- Participants of whom anything came, was corrected or was taken away in this span, ends included.
select distinct included.participant_id
from included
join research.enrolment enrolment using (enrolment_id)
where enrolment.enrolled_at between $1 and $2
  or enrolment.ended_at between $1 and $2
  or exists (
    select from research.answer_sheet sheet
    where sheet.enrolment_id = included.enrolment_id
      and (sheet.received_at between $1 and $2 or sheet.revised_at between $1 and $2
        or sheet.deleted_at between $1 and $2))
order by 1;

-- name: reading_answered_sheet() :many
select * from sheet_in_scope where deleted_at is null;
