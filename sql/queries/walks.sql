-- name: insert_calibration(enrolment_id uuid, calibration_id uuid, recorded_at timestamptz, received_at timestamptz, mean_speed_kmh float8, reduction_percent float8, duration_s float8, target_speed_kmh float8, body_sha256 bytea, skew_ms int8) :one
insert into research.calibration
  (enrolment_id, calibration_id, recorded_at, received_at, mean_speed_kmh, reduction_percent, duration_s,
   target_speed_kmh, body_sha256, skew_ms)
values (:enrolment_id, :calibration_id, :recorded_at, :received_at, :mean_speed_kmh, :reduction_percent, :duration_s,
  :target_speed_kmh, :body_sha256, :skew_ms)
on conflict (enrolment_id, calibration_id) do update set calibration_id = excluded.calibration_id
returning xmax = 0 as inserted, body_sha256, received_at;

-- name: find_calibration(enrolment_id uuid, calibration_id uuid) :many
select calibration_id, recorded_at, received_at, mean_speed_kmh, reduction_percent, duration_s, target_speed_kmh
from research.calibration where enrolment_id = :enrolment_id and calibration_id = :calibration_id;

-- name: find_calibration_at(enrolment_id uuid, at timestamptz) :many
-- The active calibration: the last one that was recorded by then, by the server's clock. A calibration counts as
-- recorded no later than it was received.
select calibration_id, recorded_at, received_at, mean_speed_kmh, reduction_percent, duration_s, target_speed_kmh
from research.calibration
cross join lateral (select least(research.corrected_at(recorded_at, skew_ms), received_at) as at) as recorded
where enrolment_id = :enrolment_id and recorded.at <= :at
order by recorded.at desc, calibration_id desc
limit 1;

-- name: find_calibrations_at(enrolment_ids uuid[], at timestamptz) :many
-- Like find_calibration_at, for many enrolments.
select distinct on (enrolment_id) enrolment_id, calibration_id, recorded_at, received_at, mean_speed_kmh,
  reduction_percent, duration_s,
  target_speed_kmh
from research.calibration
cross join lateral (select least(research.corrected_at(recorded_at, skew_ms), received_at) as at) as recorded
where enrolment_id = any (:enrolment_ids) and recorded.at <= :at
order by enrolment_id, recorded.at desc, calibration_id desc;

-- name: insert_walk(enrolment_id uuid, walk_id uuid, started_at timestamptz, ended_at timestamptz, received_at timestamptz, zone text, started_offset_min int4, ended_offset_min int4, device json, calibration_id uuid, flags text[], sport text, pauses_ms int8[], totals json, t_ms int4[], speed_kmh float8[], heart_rate_bpm float8[], sample_distance_m float8[], sample_energy_kcal float8[], elapsed_s float8, active_s float8, distance_m float8, mean_speed_kmh float8, mean_pace_s_per_km float8, mean_heart_rate_bpm float8, max_heart_rate_bpm float8, active_energy_kcal float8, target_speed_kmh float8, above_target_s float8, above_target_count int4, coverage float8, body_sha256 bytea, skew_ms int8) :one
insert into research.walk
  (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, device,
   calibration_id, flags, sport, pauses_ms, totals, t_ms, speed_kmh, heart_rate_bpm, sample_distance_m, sample_energy_kcal,
   elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km, mean_heart_rate_bpm, max_heart_rate_bpm,
   active_energy_kcal, target_speed_kmh, above_target_s, above_target_count, coverage, body_sha256, skew_ms)
values (:enrolment_id, :walk_id, :started_at, :ended_at, :received_at, :zone, :started_offset_min, :ended_offset_min,
  :device, :calibration_id, :flags, :sport, :pauses_ms, :totals, :t_ms, :speed_kmh, :heart_rate_bpm, :sample_distance_m,
  :sample_energy_kcal, :elapsed_s, :active_s, :distance_m, :mean_speed_kmh, :mean_pace_s_per_km,
  :mean_heart_rate_bpm, :max_heart_rate_bpm, :active_energy_kcal, :target_speed_kmh, :above_target_s,
    :above_target_count, :coverage, :body_sha256, :skew_ms)
on conflict (enrolment_id, walk_id) do update set walk_id = excluded.walk_id
returning xmax = 0 as inserted, body_sha256;

-- name: list_walks_to_calibrate(enrolment_ids uuid[], limit_rows int4) :many
-- Walks without a calibration although one was active at their start by the rule of find_calibration_at: they arrived
-- before it.
select walk.enrolment_id, walk.walk_id, walk.started_at, walk.ended_at, walk.pauses_ms, walk.t_ms, walk.speed_kmh,
  active.calibration_id, active.target_speed_kmh
from research.walk
cross join lateral (
  select calibration.calibration_id, calibration.target_speed_kmh
  from research.calibration
  cross join lateral (
    select least(research.corrected_at(calibration.recorded_at, calibration.skew_ms), calibration.received_at) as at
  ) as recorded
  where calibration.enrolment_id = walk.enrolment_id
    and recorded.at <= research.corrected_at(walk.started_at, walk.skew_ms)
  order by recorded.at desc, calibration.calibration_id desc
  limit 1
) as active
where walk.enrolment_id = any (:enrolment_ids) and walk.calibration_id is null
  and 'calibration_missing' = any (walk.flags)
  and walk.deleted_at is null
order by walk.enrolment_id, walk.walk_id
limit :limit_rows;

-- name: calibrate_walk(enrolment_id uuid, walk_id uuid, calibration_id uuid, target_speed_kmh float8, above_target_s float8, above_target_count int4) :exec
-- Records the change here, because the trigger on updates records only deletions.
with calibrated as (
  update research.walk
  set calibration_id = :calibration_id, target_speed_kmh = :target_speed_kmh, above_target_s = :above_target_s,
    above_target_count = :above_target_count,
    flags = array_remove(flags, 'calibration_missing')
  where enrolment_id = :enrolment_id and walk_id = :walk_id and calibration_id is null
  returning enrolment_id, walk_id
)
insert into research.change (enrolment_id, kind, subject_id, study)
select calibrated.enrolment_id, 'walk', calibrated.walk_id, enrolment.study
from calibrated join research.enrolment using (enrolment_id)
on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
where change.change_seq is not null;

-- name: list_walks(enrolment_id uuid, before timestamptz, before_id uuid, limit_rows int4) :many
select walk_id, started_at, ended_at, received_at, zone, sport, calibration_id, flags, elapsed_s, active_s, distance_m,
  mean_speed_kmh, mean_pace_s_per_km, mean_heart_rate_bpm, max_heart_rate_bpm, active_energy_kcal, target_speed_kmh,
  above_target_s, above_target_count, coverage, skew_ms
from research.walk
where enrolment_id = :enrolment_id and deleted_at is null and (started_at, walk_id) < (:before, :before_id)
order by started_at desc, walk_id desc
limit :limit_rows;

-- name: list_study_walks(study text, arm text, enrolment_id uuid, flag text, from_date date, to_date date, before timestamptz, before_enrolment uuid, before_id uuid, limit_rows int4) :many
-- The walks of a study that began on these local dates, the newest first by the corrected clock. Walks of excluded
-- participants are left out. A null arm, enrolment_id or flag selects all.
select enrolment.enrolment_id, enrolment.participant_id, enrolment.arm, enrolment.enrolled_on,
  walk.walk_id, walk.started_at, walk.ended_at, walk.received_at, walk.zone, walk.sport, walk.calibration_id, walk.flags,
  walk.elapsed_s, walk.active_s, walk.distance_m, walk.mean_speed_kmh, walk.mean_pace_s_per_km,
  walk.mean_heart_rate_bpm, walk.max_heart_rate_bpm, walk.active_energy_kcal, walk.target_speed_kmh,
  walk.above_target_s, walk.above_target_count, walk.coverage, walk.skew_ms
from research.walk join research.enrolment using (enrolment_id)
where research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms) between :from_date and :to_date
  and walk.deleted_at is null and enrolment.study = :study and enrolment.status <> 'excluded'
  and (:arm is null or enrolment.arm = :arm)
  and (:enrolment_id is null or enrolment.enrolment_id = :enrolment_id)
  and (:flag is null or :flag = any (walk.flags))
  and (research.corrected_at(walk.started_at, walk.skew_ms), enrolment.enrolment_id, walk.walk_id)
    < (:before, :before_enrolment, :before_id)
order by research.corrected_at(walk.started_at, walk.skew_ms) desc, enrolment.enrolment_id desc, walk.walk_id desc
limit :limit_rows;

-- name: find_walk(enrolment_id uuid, walk_id uuid, including_deleted bool) :many
select walk_id, started_at, ended_at, received_at, zone, sport, calibration_id, flags, elapsed_s, active_s, distance_m,
  mean_speed_kmh, mean_pace_s_per_km, mean_heart_rate_bpm, max_heart_rate_bpm, active_energy_kcal, target_speed_kmh,
  above_target_s, above_target_count, coverage, skew_ms,
  device::text as device, pauses_ms, totals::text as totals, t_ms, speed_kmh, heart_rate_bpm, sample_distance_m,
    sample_energy_kcal
from research.walk where enrolment_id = :enrolment_id and walk_id = :walk_id and (deleted_at is null or :including_deleted);

-- name: delete_walk(enrolment_id uuid, walk_id uuid, now timestamptz) :exec
update research.walk set deleted_at = :now where enrolment_id = :enrolment_id and walk_id = :walk_id
  and deleted_at is null;

-- name: list_walk_ends(enrolment_ids uuid[]) :many
-- By the server's clock: an occasion after a walk opens when the walk really ended.
select enrolment_id, walk_id, research.corrected_at(ended_at, skew_ms) as ended_at
from research.walk where enrolment_id = any (:enrolment_ids) and deleted_at is null
order by enrolment_id, research.corrected_at(ended_at, skew_ms), walk_id;
