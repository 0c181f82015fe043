-- Raw columns of the tables about walks. A walk that its participant deleted is not included, and is counted in the
-- manifest.

-- name: dataset_included_walk() :many
-- The walks in scope. Their times are corrected like those of sheets.
select
  included.participant_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  walk.enrolment_id,
  walk.walk_id,
  research.corrected_at(walk.started_at, walk.skew_ms) as started_at,
  research.corrected_at(walk.ended_at, walk.skew_ms) as ended_at,
  walk.started_offset_min,
  walk.ended_offset_min,
  walk.received_at,
  walk.skew_ms,
  walk.zone,
  walk.device,
  walk.totals,
  walk.calibration_id,
  walk.flags,
  walk.sport,
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
  select research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms) as local_date
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
  walk.weekday,
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
  -- The value is as the device sent it. A malformed value must not stop the export.
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
  walk.flags,
  walk.sport
from included_walk walk;

-- name: dataset_walk_samples() :many
-- A series contains its samples in order of time. The walks are sorted before their samples are unnested, so that
-- nothing must be sorted afterwards: a walk has thousands of samples.
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
-- The observations in scope. Their times are corrected like those of walks. An observation that its participant deleted
-- is not included.
select
  included.participant_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  observation.enrolment_id,
  observation.observation_id,
  observation.system,
  observation.code,
  research.corrected_at(observation.started_at, observation.skew_ms) as started_at,
  research.corrected_at(observation.ended_at, observation.skew_ms) as ended_at,
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
  select research.local_date(observation.started_at, observation.started_offset_min, observation.skew_ms) as local_date
) as day
where observation.deleted_at is null
  and day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_observations() :many
-- One row per component.
select
  observation.participant_id,
  observation.enrolment_id,
  observation.observation_id,
  part.component::integer as component,
  observation.arm,
  observation.study_day,
  observation.weekday,
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
-- Observations and components are sorted before their samples are unnested, like walks.
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
-- A calibration is valid until the next one of the same enrolment. Its times are corrected, and it counts as recorded no
-- later than it was received, as in find_calibration_at. Otherwise a date in the far future would never end.
select
  included.participant_id,
  calibration.enrolment_id,
  calibration.calibration_id,
  corrected.recorded_at,
  zone.recorded as recorded_tz,
  calibration.received_at,
  calibration.skew_ms / 1000.0::double precision as clock_skew_s,
  lead(corrected.recorded_at) over following as holds_until_at,
  case when lead(corrected.recorded_at) over following is not null then zone.recorded end as holds_until_tz,
  calibration.mean_speed_kmh,
  calibration.reduction_percent,
  calibration.duration_s,
  calibration.target_speed_kmh
from research.calibration calibration
join included using (enrolment_id)
cross join lateral (
  select least(research.corrected_at(calibration.recorded_at, calibration.skew_ms), calibration.received_at)
    as recorded_at
) as corrected
cross join lateral (
  select coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= corrected.recorded_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) as recorded
) as zone
window following as (partition by calibration.enrolment_id order by corrected.recorded_at, calibration.calibration_id);

-- name: dataset_walk_pauses() :many
-- pauses_ms lists begin and end in turn, in milliseconds since the start of the walk.
select
  walk.participant_id,
  walk.enrolment_id,
  walk.walk_id,
  pause.ordinal,
  walk.pauses_ms[2 * pause.ordinal - 1] as from_offset_ms,
  walk.pauses_ms[2 * pause.ordinal] as to_offset_ms
from included_walk walk
cross join lateral generate_series(1, cardinality(walk.pauses_ms) / 2) as pause (ordinal);

-- name: dataset_observation_details() :many
select
  included.participant_id,
  observation.enrolment_id,
  observation.observation_id,
  observation.display,
  nullif(array_to_string(observation.component_displays, '|', ''), '') as component_displays,
  observation.device::text as device,
  observation.provenance::text as provenance,
  observation.detail::text as detail
from included_observation included
join research.observation observation using (enrolment_id, observation_id);
