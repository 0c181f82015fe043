-- Raw columns of the files about walks. A walk that its participant deleted is left out, and counted in the manifest.

-- name: dataset_included_walk() :many
-- The walks in scope. Their times are those of the corrected clock, as those of sheets are.
select
  included.participant_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  walk.enrolment_id,
  walk.walk_id,
  walk.started_at + walk.skew_ms * interval '1 millisecond' as started_at,
  walk.ended_at + walk.skew_ms * interval '1 millisecond' as ended_at,
  walk.started_offset_min,
  walk.ended_offset_min,
  walk.received_at,
  walk.skew_ms,
  walk.zone,
  walk.device,
  walk.totals,
  walk.calibration_id,
  walk.flags,
  walk.pauses_ms,
  walk.t_ms,
  walk.speed_kmh,
  walk.heart_rate_bpm,
  walk.sample_distance_m,
  walk.sample_energy_kcal,
  walk.elapsed_s,
  walk.active_s,
  walk.distance_m,
  walk.mean_speed_kmh,
  walk.mean_pace_s_per_km,
  walk.mean_heart_rate_bpm,
  walk.max_heart_rate_bpm,
  walk.active_energy_kcal,
  walk.target_speed_kmh,
  walk.above_target_s,
  walk.above_target_count,
  walk.coverage
from research.walk walk
join included using (enrolment_id)
cross join lateral (
  select (walk.started_at at time zone 'UTC'
    + make_interval(mins => walk.started_offset_min, secs => walk.skew_ms / 1000.0))::date as local_date
) as day
where walk.deleted_at is null
  and day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_walks() :many
select
  walk.participant_id,
  walk.enrolment_id,
  walk.walk_id,
  walk.arm,
  walk.study_day,
  walk.started_at,
  walk.zone as started_tz,
  walk.started_offset_min,
  walk.ended_at,
  walk.zone as ended_tz,
  walk.ended_offset_min,
  walk.received_at,
  walk.skew_ms / 1000.0::double precision as clock_skew_s,
  walk.elapsed_s,
  walk.active_s,
  cardinality(walk.pauses_ms) / 2 as pauses,
  walk.distance_m,
  -- As the device sent it, so whatever it is must not stop the others.
  case when walk.totals ->> 'steps' ~ '^[0-9]{1,9}([.][0-9]{1,6})?$' then (walk.totals ->> 'steps')::double precision end
    as steps,
  walk.mean_speed_kmh,
  walk.mean_pace_s_per_km,
  walk.mean_heart_rate_bpm as mean_hr_bpm,
  walk.max_heart_rate_bpm as max_hr_bpm,
  walk.active_energy_kcal,
  walk.target_speed_kmh,
  walk.above_target_s,
  walk.above_target_count,
  walk.coverage,
  cardinality(walk.t_ms) as samples,
  left(walk.device ->> 'model', 200) as source,
  walk.calibration_id,
  walk.flags
from included_walk walk;

-- name: dataset_walk_samples() :many
-- A series holds its samples in order of their times. The walks are put in order before their samples are unfolded, so that nothing is left to
-- be sorted afterwards: there are thousands of samples to a walk.
select
  walk.participant_id,
  walk.enrolment_id,
  walk.walk_id,
  sample.t_ms as t_offset_ms,
  sample.hr_bpm,
  sample.speed_kmh,
  sample.distance_m,
  sample.energy_kcal
from (
  select *
  from included_walk
  order by enrolment_id, walk_id
  offset 0
) as walk
cross join lateral unnest(
  walk.t_ms, walk.heart_rate_bpm, walk.speed_kmh, walk.sample_distance_m, walk.sample_energy_kcal
) as sample (t_ms, hr_bpm, speed_kmh, distance_m, energy_kcal);

-- name: dataset_walk_devices() :many
select
  walk.participant_id,
  walk.enrolment_id,
  walk.walk_id,
  walk.device::text as device,
  walk.totals::text as totals
from included_walk walk;

-- name: dataset_included_observation() :many
-- The observations in scope. Their times are those of the corrected clock, as those of walks are. One that its participant deleted is left out.
select
  included.participant_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  observation.enrolment_id,
  observation.observation_id,
  observation.system,
  observation.code,
  observation.started_at + observation.skew_ms * interval '1 millisecond' as started_at,
  observation.ended_at + observation.skew_ms * interval '1 millisecond' as ended_at,
  observation.started_offset_min,
  observation.ended_offset_min,
  observation.received_at,
  observation.skew_ms,
  observation.zone,
  observation.modality,
  observation.statistic,
  observation.device,
  observation.flags,
  observation.component_systems,
  observation.component_codes,
  observation.units,
  observation.t_ms,
  observation.until_ms,
  observation.samples,
  observation.counts,
  observation.minima,
  observation.maxima,
  observation.means,
  observation.revision
from research.observation observation
join included using (enrolment_id)
cross join lateral (
  select (observation.started_at at time zone 'UTC'
    + make_interval(mins => observation.started_offset_min, secs => observation.skew_ms / 1000.0))::date as local_date
) as day
where observation.deleted_at is null
  and day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_observations() :many
-- A row for each component.
select
  observation.participant_id,
  observation.enrolment_id,
  observation.observation_id,
  part.component::integer as component,
  observation.arm,
  observation.study_day,
  observation.started_at,
  observation.zone as started_tz,
  observation.started_offset_min,
  observation.ended_at,
  observation.zone as ended_tz,
  observation.ended_offset_min,
  observation.received_at,
  observation.skew_ms / 1000.0::double precision as clock_skew_s,
  observation.system,
  observation.code,
  part.component_system,
  part.component_code,
  part.unit,
  observation.modality,
  observation.statistic,
  cardinality(observation.t_ms) as samples,
  part.count as n_valid,
  part.minimum,
  part.maximum,
  part.mean,
  left(observation.device ->> 'model', 200) as source,
  observation.flags,
  observation.revision as rev
from included_observation observation
cross join lateral unnest(
  observation.component_systems, observation.component_codes, observation.units, observation.counts, observation.minima,
  observation.maxima, observation.means
) with ordinality as part (component_system, component_code, unit, count, minimum, maximum, mean, component);

-- name: dataset_observation_samples() :many
-- In the order of observations and components before they are unfolded, as those of walks are.
select
  observation.participant_id,
  observation.enrolment_id,
  observation.observation_id,
  observation.component,
  sample.t_ms as t_offset_ms,
  sample.until_ms as until_offset_ms,
  sample.value
from (
  select
    observation.participant_id,
    observation.enrolment_id,
    observation.observation_id,
    part.component,
    observation.t_ms,
    observation.until_ms,
    observation.samples[(part.component - 1) * cardinality(observation.t_ms) + 1 : part.component * cardinality(observation.t_ms)]
      as samples
  from included_observation observation
  cross join lateral generate_series(1, cardinality(observation.units)) as part (component)
  order by observation.enrolment_id, observation.observation_id, part.component
  offset 0
) as observation
cross join lateral unnest(observation.t_ms, observation.until_ms, observation.samples) as sample (t_ms, until_ms, value);

-- name: dataset_calibrations() :many
-- A calibration holds until the next one of the same enrolment. Its times are those of the corrected clock.
select
  included.participant_id,
  calibration.enrolment_id,
  calibration.calibration_id,
  told.recorded_at,
  zone.recorded as recorded_tz,
  calibration.received_at,
  calibration.skew_ms / 1000.0::double precision as clock_skew_s,
  lead(told.recorded_at) over following as holds_until_at,
  case when lead(told.recorded_at) over following is not null then zone.recorded end as holds_until_tz,
  calibration.mean_speed_kmh,
  calibration.reduction_percent,
  calibration.duration_s,
  calibration.target_speed_kmh
from research.calibration calibration
join included using (enrolment_id)
cross join lateral (
  select calibration.recorded_at + calibration.skew_ms * interval '1 millisecond' as recorded_at
) as told
cross join lateral (
  select coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= told.recorded_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) as recorded
) as zone
window following as (partition by calibration.enrolment_id order by told.recorded_at, calibration.calibration_id);
