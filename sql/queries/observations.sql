-- name: insert_observation(enrolment_id uuid, observation_id uuid, system text, code text, display text, started_at timestamptz, ended_at timestamptz, received_at timestamptz, zone text, started_offset_min int4, ended_offset_min int4, modality text, statistic text, device json, provenance json, detail json, flags text[], component_systems text[], component_codes text[], component_displays text[], units text[], t_ms int4[], until_ms int8[], samples float8[], counts int4[], minima float8[], maxima float8[], means float8[], body_sha256 bytea, skew_ms int8, revision int4) :one
-- A higher revision replaces a stored lower one, unless the observation is deleted, and counts as inserted. Otherwise
-- the stored row is written unchanged, because only a write waits for a synchronous standby. If a later revision is
-- stored or the observation is deleted, the digest of the parameters is returned, so that the caller reports a replay.
insert into research.observation
  (enrolment_id, observation_id, system, code, display, started_at, ended_at, received_at, zone, started_offset_min,
   ended_offset_min, modality, statistic, device, provenance, detail, flags, component_systems, component_codes,
   component_displays, units, t_ms, until_ms, samples, counts, minima, maxima, means, body_sha256, skew_ms, revision)
values (:enrolment_id, :observation_id, :system, :code, :display, :started_at, :ended_at, :received_at, :zone,
  :started_offset_min, :ended_offset_min, :modality, :statistic, :device, :provenance, :detail, :flags,
  :component_systems, :component_codes, :component_displays, :units, :t_ms, :until_ms,
  :samples, :counts, :minima, :maxima, :means, :body_sha256, :skew_ms, :revision)
on conflict (enrolment_id, observation_id) do update set (
    system, code, display, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, modality,
    statistic, device, provenance,
    detail, flags, component_systems, component_codes, component_displays, units, t_ms, until_ms, samples, counts,
    minima, maxima, means,
    body_sha256, skew_ms, revision
  ) = (
    select
      excluded.system, excluded.code, excluded.display, excluded.started_at, excluded.ended_at, excluded.received_at,
      excluded.zone,
      excluded.started_offset_min, excluded.ended_offset_min, excluded.modality, excluded.statistic, excluded.device,
      excluded.provenance,
      excluded.detail, excluded.flags, excluded.component_systems, excluded.component_codes, excluded.component_displays,
      excluded.units,
      excluded.t_ms, excluded.until_ms, excluded.samples, excluded.counts, excluded.minima, excluded.maxima,
      excluded.means, excluded.body_sha256,
      excluded.skew_ms, excluded.revision
    where excluded.revision > observation.revision and observation.deleted_at is null
    union all
    select
      observation.system, observation.code, observation.display, observation.started_at, observation.ended_at,
      observation.received_at,
      observation.zone, observation.started_offset_min, observation.ended_offset_min, observation.modality,
      observation.statistic,
      observation.device, observation.provenance, observation.detail, observation.flags, observation.component_systems,
      observation.component_codes,
      observation.component_displays, observation.units, observation.t_ms, observation.until_ms, observation.samples,
      observation.counts,
      observation.minima, observation.maxima, observation.means, observation.body_sha256, observation.skew_ms,
      observation.revision
    where excluded.revision <= observation.revision or observation.deleted_at is not null
  )
returning xmax = 0 or revision > 1 and received_at = :received_at and body_sha256 = :body_sha256 as inserted,
  case when revision > :revision or deleted_at is not null and revision < :revision then :body_sha256
    else body_sha256 end as body_sha256;

-- name: list_observations(enrolment_id uuid, before timestamptz, before_id uuid, codes text[], limit_rows int4) :many
-- The newest first, without samples. codes: system and code, separated by a space; null for all.
select observation_id, system, code, display, started_at, ended_at, received_at, zone, modality, statistic, flags,
  component_systems, component_codes, component_displays, units, cardinality(t_ms)
    as samples_count, counts, minima, maxima, means, skew_ms, revision
from research.observation
where enrolment_id = :enrolment_id and deleted_at is null and (started_at, observation_id) < (:before, :before_id)
  and (:codes::text[] is null or system || ' ' || code = any (:codes))
order by started_at desc, observation_id desc
limit :limit_rows;

-- name: find_observation(enrolment_id uuid, observation_id uuid, including_deleted bool) :many
select observation_id, system, code, display, started_at, ended_at, received_at, zone, modality, statistic, flags,
  component_systems, component_codes, component_displays, units, cardinality(t_ms)
    as samples_count, counts, minima, maxima, means, skew_ms, revision,
  device::text as device, provenance::text as provenance, detail::text as detail, t_ms, until_ms, samples
from research.observation where enrolment_id = :enrolment_id and observation_id = :observation_id
  and (deleted_at is null or :including_deleted);

-- name: list_observation_samples(enrolment_id uuid, codes text[], from_at timestamptz, to_at timestamptz, after timestamptz, after_id uuid, limit_rows int4) :many
-- Complete observations that overlap the span by the corrected clock, ordered by their own clocks, the oldest first.
-- The list starts with the observation of the cursor, because a page may end within it.
select observation_id, system, code, display, started_at, ended_at, received_at, zone, modality, statistic, flags,
  component_systems, component_codes, component_displays, units, cardinality(t_ms)
    as samples_count, counts, minima, maxima, means, skew_ms, revision,
  device::text as device, provenance::text as provenance, detail::text as detail, t_ms, until_ms, samples
from research.observation
where enrolment_id = :enrolment_id and deleted_at is null and system || ' ' || code = any (:codes)
  and research.corrected_at(ended_at, skew_ms) >= :from_at and research.corrected_at(started_at, skew_ms) < :to_at
  and (started_at, observation_id) >= (:after, :after_id)
order by started_at, observation_id
limit :limit_rows;

-- name: delete_observation(enrolment_id uuid, observation_id uuid, now timestamptz) :exec
update research.observation set deleted_at = :now
where enrolment_id = :enrolment_id and observation_id = :observation_id and deleted_at is null;
