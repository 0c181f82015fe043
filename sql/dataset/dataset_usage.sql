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

-- name: dataset_content_shown() :many
-- Every item that was selected for a participant, with what the app reported about it on its local date. Items that an
-- app showed without a selection, such as those of a list, are only among the usage events.
select
  included.participant_id,
  selected.enrolment_id,
  included.arm,
  selected.collection,
  selected.item,
  selected.edition,
  selected.selector as why,
  row_number() over (
    partition by selected.enrolment_id, selected.collection, selected.selector order by day.local_date, selected.selected_at,
    selected.slot) as ordinal,
  day.local_date - included.enrolled_on as study_day,
  selected.selected_at,
  shown.shown_at,
  shown.played_s
from research.content_selection selected
join included using (enrolment_id)
cross join lateral (
  select case when selected.selector = 'daily' then selected.slot::date
    else (selected.selected_at at time zone included.clock_zone)::date end as local_date
) as day
cross join lateral (
  select
    min(research.corrected_at(event.happened_at, event.skew_ms)) filter (where event.event = 'content_shown') as shown_at,
    sum(event.seconds) filter (where event.event in ('content_played', 'content_completed')) as played_s
  from research.usage_event event
  where event.enrolment_id = selected.enrolment_id and event.collection = selected.collection
    and event.item = selected.item
    and research.local_date(event.happened_at, event.offset_min, event.skew_ms) = day.local_date
) as shown
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;
