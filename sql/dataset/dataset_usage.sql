-- Raw columns of the file about what happened in the app.

-- name: dataset_usage_events() :many
-- By the corrected clock, as walks. What a device calls an instrument is told where the study has it.
select
  included.participant_id,
  event.enrolment_id,
  event.event_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  event.event,
  event.happened_at + event.skew_ms * interval '1 millisecond' as happened_at,
  event.zone as happened_tz,
  event.offset_min as happened_offset_min,
  event.received_at,
  event.skew_ms / 1000.0::double precision as clock_skew_s,
  event.occasion_id,
  case when event.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ',')) then event.questionnaire end
    as instrument,
  event.properties::text as properties
from research.usage_event event
join included using (enrolment_id)
cross join lateral (
  select (event.happened_at at time zone 'UTC'
    + make_interval(mins => event.offset_min, secs => event.skew_ms / 1000.0))::date as local_date
) as day
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;
