-- The panel for analyses: one row per planned occasion, with its answers and scores.

-- name: dataset_phase() :many
-- The local dates of the phases of every participant, by the study version that the participant follows. A phase that
-- has not begun has no row. Instants are those of the newest report of an event, and of the first completed sheet.
select
  included.participant_id,
  included.enrolment_id,
  included.arm,
  phase.code as phase,
  phase.ordinal,
  span.starts_on,
  case
    when phase.end_day is not null then included.enrolled_on + phase.end_day
    when phase.end_length is not null then span.starts_on + phase.end_length - 1
    when phase.end_event is not null then ended.local_date
    else included.enrolled_on + (current_setting('saunter.study_days')::jsonb ->> included.study_version)::integer
  end as ends_on
from included
cross join lateral jsonb_to_recordset(current_setting('saunter.phases')::jsonb -> included.study_version) as phase (
  ordinal integer, code text, start_day integer, start_event text, start_questionnaire text, end_day integer,
  end_length integer, end_event text)
left join lateral (
  select happened.local_date
  from dated_event happened
  where happened.enrolment_id = included.enrolment_id and happened.event = phase.start_event
) as began on true
left join lateral (
  select happened.local_date
  from dated_event happened
  where happened.enrolment_id = included.enrolment_id and happened.event = phase.end_event
) as ended on true
cross join lateral (
  select case
    when phase.start_day is not null then included.enrolled_on + phase.start_day
    when phase.start_event is not null then began.local_date
    else (
      select min(research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms))
      from research.answer_sheet sheet
      where sheet.enrolment_id = included.enrolment_id and sheet.questionnaire = phase.start_questionnaire
        and sheet.current and sheet.duplicate_of is null and sheet.deleted_at is null)
  end as starts_on
) as span
where span.starts_on is not null;

-- name: dataset_dated_event() :many
-- The newest report of each study event, with its date in the time zone that the participant had at that instant.
select distinct on (happened.enrolment_id, happened.event)
  happened.enrolment_id,
  happened.event,
  happened.occurred_at,
  (happened.occurred_at at time zone case
    when zone.name = any (string_to_array(current_setting('saunter.strange_zones'), ',')) then 'UTC' else zone.name
  end)::date as local_date
from included
join research.enrolment_event happened using (enrolment_id)
cross join lateral (
  select coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= happened.occurred_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) as name
) as zone
order by happened.enrolment_id, happened.event, happened.revision desc;

-- name: dataset_score_by_sheet() :many
-- All known scores of a sheet as one object.
select score.enrolment_id, score.sheet_id, jsonb_object_agg(score.scale, score.value) as "values"
from present_score score
where score.value is not null
group by score.enrolment_id, score.sheet_id;

-- name: dataset_panel() :many
-- The sheet of an occasion is the one that counts; see sheet_in_scope. Without a sheet its columns are null.
select
  planned.*,
  coalesce(
    current_setting('saunter.schedule_phases')::jsonb -> planned.rule_version ->> planned.schedule,
    (select phase.phase from phase
      where phase.enrolment_id = planned.enrolment_id
        and planned.local_date between phase.starts_on and coalesce(phase.ends_on, 'infinity')
      order by phase.ordinal limit 1)) as phase,
  row_number() over (
    partition by planned.enrolment_id, planned.schedule, planned.anchor_instance, planned.local_date
    order by planned.opens_at, planned.occasion_id) as beep,
  answered.sheet_id as answered_by,
  answered.version,
  answered.standing,
  answered.completed_at as submitted_at,
  answered.zone as submitted_tz,
  answered.completed_offset_min as submitted_offset_min,
  answered.late_s,
  extract(epoch from answered.completed_at - answered.started_at)::double precision as duration_s,
  scored."values" as scores,
  answered.slots,
  answered.numbers
from planned_occasion planned
left join sheet_in_scope answered
  on answered.enrolment_id = planned.enrolment_id and answered.occasion_id = planned.occasion_id and answered.counts
left join score_by_sheet scored
  on scored.enrolment_id = answered.enrolment_id and scored.sheet_id = answered.sheet_id;
