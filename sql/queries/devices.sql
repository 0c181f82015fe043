-- name: record_device(enrolment_id uuid, device_id uuid, now timestamptz, sequences int8[]) :exec
-- Stores at most 100 devices per participant and 1,000 gaps per device. Numbers above these limits are not recorded; at
-- worst the device sends its records again.
insert into research.device as device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
select :enrolment_id, :device_id, :now, :now,
  coalesce((select range_agg(int8range(number, number + 1)) from unnest(:sequences::int8[]) as number),
    '{}'::int8multirange)
where exists (select from research.device known where known.enrolment_id = :enrolment_id
  and known.device_id = :device_id)
  or (select count(*) from research.device known where known.enrolment_id = :enrolment_id) < 100
on conflict (enrolment_id, device_id) do update set
  last_seen_at = greatest(device.last_seen_at, excluded.last_seen_at),
  received = case when (select count(*) from unnest(device.received + excluded.received)) <= 1000
    then device.received + excluded.received else device.received end;

-- name: find_device(enrolment_id uuid, device_id uuid) :many
select device.device_id, device.first_seen_at, device.last_seen_at, coalesce(upper(device.received) - 1, 0) as newest,
  (select coalesce(sum(upper(hole) - lower(hole)), 0)::int8 from unnest(absent.numbers) as hole) as missing_count,
  array(select lower(hole) from unnest(absent.numbers) as hole order by 1 limit 100) as missing_from,
  array(select upper(hole) - 1 from unnest(absent.numbers) as hole order by 1 limit 100) as missing_to
from research.device
cross join lateral (
  select case when isempty(device.received) then '{}'::int8multirange
    else int8multirange(int8range(1, upper(device.received))) - device.received end as numbers
) as absent
where device.enrolment_id = :enrolment_id and device.device_id = :device_id;

-- name: list_participant_devices(enrolment_id uuid) :many
-- In the order in which they were first used.
select device.device_id, device.first_seen_at, device.last_seen_at, coalesce(upper(device.received) - 1, 0) as newest,
  (select coalesce(sum(upper(hole) - lower(hole)), 0)::int8 from unnest(absent.numbers) as hole) as missing_count,
  array(select lower(hole) from unnest(absent.numbers) as hole order by 1 limit 100) as missing_from,
  array(select upper(hole) - 1 from unnest(absent.numbers) as hole order by 1 limit 100) as missing_to
from research.device
cross join lateral (
  select case when isempty(device.received) then '{}'::int8multirange
    else int8multirange(int8range(1, upper(device.received))) - device.received end as numbers
) as absent
where device.enrolment_id = :enrolment_id
order by device.first_seen_at, device.device_id;

-- name: count_missing_records(enrolment_ids uuid[]) :many
-- The sequence numbers below the newest one that have not arrived, by participant. Without participants who miss none.
select device.enrolment_id, sum(upper(hole) - lower(hole))::int8 as missing_count
from research.device
cross join lateral unnest(case when isempty(device.received) then '{}'::int8multirange
  else int8multirange(int8range(1, upper(device.received))) - device.received end) as hole
where device.enrolment_id = any (:enrolment_ids)
group by device.enrolment_id;

-- name: list_devices(study text, only_missing bool, after text, after_id uuid, limit_rows int4) :many
-- In the order of the pseudonyms; all devices, or only those of which a number has not arrived.
select enrolment.participant_id, device.device_id, device.first_seen_at, device.last_seen_at,
  coalesce(upper(device.received) - 1, 0) as newest,
  (select coalesce(sum(upper(hole) - lower(hole)), 0)::int8 from unnest(absent.numbers) as hole) as missing_count,
  array(select lower(hole) from unnest(absent.numbers) as hole order by 1 limit 100) as missing_from,
  array(select upper(hole) - 1 from unnest(absent.numbers) as hole order by 1 limit 100) as missing_to
from research.device
join research.enrolment using (enrolment_id)
cross join lateral (
  select case when isempty(device.received) then '{}'::int8multirange
    else int8multirange(int8range(1, upper(device.received))) - device.received end as numbers
) as absent
where enrolment.study = :study and enrolment.status <> 'excluded'
  and (not :only_missing::bool or not isempty(absent.numbers))
  and (enrolment.participant_id, device.device_id) > (:after, :after_id)
order by enrolment.participant_id, device.device_id
limit :limit_rows;
