-- name: insert_usage_events(enrolment_ids uuid[], event_ids uuid[], events text[], happened_ats timestamptz[], received_ats timestamptz[], zones text[], offsets_min int4[], skews_ms int8[], occasion_ids uuid[], questionnaires text[], properties text[], body_sha256s bytea[]) :many
-- Each id once. One that is there already is written, not skipped, as sheets are: only a write waits for a synchronous standby. Those alone come back. In
-- key order, so that two batches that hold the same events never wait for each other in a circle.
with written as (
  insert into research.usage_event
    (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
     properties, body_sha256)
  select enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
    properties::json, body_sha256
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::int4[], $8::int8[],
    $9::uuid[], $10::text[], $11::text[], $12::bytea[])
    as given (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
      properties, body_sha256)
  order by enrolment_id, event_id
  on conflict (enrolment_id, event_id) do update set event_id = excluded.event_id
  returning enrolment_id, event_id, xmax = 0 as inserted, body_sha256
)
select enrolment_id, event_id, body_sha256 from written where not inserted;

-- name: touch_usage_event(enrolment_id uuid, event_id uuid, body_sha256 bytea) :many
-- Written, not only read: only a write waits for a synchronous standby.
update research.usage_event set event_id = event_id where enrolment_id = $1 and event_id = $2 and body_sha256 = $3
returning event_id;
