-- Raw columns of the table of usage events.

-- name: dataset_usage_events() :many
-- Times are corrected like those of walks. The instrument that the device names is included only if the study has it.
select
  included.participant_id,
  event.enrolment_id,
  event.event_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  event.event,
  research.corrected_at(event.happened_at, event.skew_ms) as happened_at,
  event.zone as happened_tz,
  event.offset_min as happened_offset_min,
  event.received_at,
  event.skew_ms / 1000.0::double precision as clock_skew_s,
  event.occasion_id,
  case when event.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ',')) then event.questionnaire end
    as instrument,
  event.feature,
  event.collection,
  event.item,
  event.seconds,
  event.properties::text as properties
from research.usage_event event
join included using (enrolment_id)
cross join lateral (
  select research.local_date(event.happened_at, event.offset_min, event.skew_ms) as local_date
) as day
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;
