-- name: insert_usage_events(enrolment_ids uuid[], event_ids uuid[], events text[], happened_ats timestamptz[], received_ats timestamptz[], zones text[], offsets_min int4[], skews_ms int8[], occasion_ids uuid[], questionnaires text[], features text[], collections text[], items text[], seconds float8[], properties text[], body_sha256s bytea[]) :many
-- Inserts each id once. A stored event is written and not skipped, because only a write waits for a synchronous
-- standby. Returns only the events that already existed. In key order, to avoid deadlocks between batches with the same
-- events.
with written as (
  insert into research.usage_event
    (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
     feature, collection, item, seconds, properties, body_sha256)
  select enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
    feature, collection, item, seconds, properties::json, body_sha256
  from unnest(:enrolment_ids::uuid[], :event_ids::uuid[], :events::text[], :happened_ats::timestamptz[],
    :received_ats::timestamptz[], :zones::text[], :offsets_min::int4[], :skews_ms::int8[],
    :occasion_ids::uuid[], :questionnaires::text[], :features::text[], :collections::text[], :items::text[],
    :seconds::float8[], :properties::text[], :body_sha256s::bytea[])
    as given (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id,
      questionnaire, feature, collection, item, seconds, properties, body_sha256)
  order by enrolment_id, event_id
  on conflict (enrolment_id, event_id) do update set event_id = excluded.event_id
  returning enrolment_id, event_id, xmax = 0 as inserted, body_sha256
)
select enrolment_id, event_id, body_sha256 from written where not inserted;

-- name: list_first_openings(enrolment_id uuid, features text[]) :many
-- When the participant first opened each feature. The first event by the device's clock counts.
select wanted.feature, opened.opened_at
from unnest(:features::text[]) as wanted (feature)
cross join lateral (
  select research.corrected_at(happened_at, skew_ms) as opened_at
  from research.usage_event
  where usage_event.enrolment_id = :enrolment_id and usage_event.feature = wanted.feature
    and usage_event.event = 'feature_opened'
  order by happened_at
  limit 1
) as opened;

-- name: touch_usage_event(enrolment_id uuid, event_id uuid, body_sha256 bytea) :many
-- Writes the row, because only a write waits for a synchronous standby.
update research.usage_event set event_id = event_id where enrolment_id = :enrolment_id and event_id = :event_id
  and body_sha256 = :body_sha256
returning event_id;
