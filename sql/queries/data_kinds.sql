-- name: list_data_kind_grants(enrolment_ids uuid[]) :many
select enrolment_id, kind, granted_at, revoked_at, purged_at from research.enrolment_data_kind
where enrolment_id = any (:enrolment_ids)
order by enrolment_id, kind, granted_at;

-- name: grant_data_kind(enrolment_id uuid, kind text, now timestamptz) :exec
-- A kind that is permitted already keeps the time of its permission.
insert into research.enrolment_data_kind (enrolment_id, kind, granted_at)
select :enrolment_id, :kind, :now
where not exists (
  select from research.enrolment_data_kind
  where enrolment_id = :enrolment_id and kind = :kind and revoked_at is null)
on conflict (enrolment_id, kind, granted_at) do update set revoked_at = null, purged_at = null;

-- name: revoke_data_kind(enrolment_id uuid, kind text, now timestamptz) :exec
update research.enrolment_data_kind set revoked_at = greatest(:now, granted_at)
where enrolment_id = :enrolment_id and kind = :kind and revoked_at is null;

-- name: mark_data_kind_purged(enrolment_id uuid, kind text, now timestamptz) :exec
-- Ends every permission so far, so that data of those periods is not accepted any more.
update research.enrolment_data_kind
set revoked_at = coalesce(revoked_at, greatest(:now, granted_at)), purged_at = coalesce(purged_at, :now)
where enrolment_id = :enrolment_id and kind = :kind;

-- name: list_revisions(enrolment_id uuid, questionnaires text[]) :many
-- All revisions of the sheets of these questionnaires, also of deleted sheets.
select sheet_id, revision, questionnaire, version, slots, numbers, repeated::text as repeated
from research.answer_sheet
where enrolment_id = :enrolment_id and questionnaire = any (:questionnaires)
order by sheet_id, revision;

-- name: blank_answers(enrolment_id uuid, sheet_id uuid, revision int4, slots int2[], numbers float8[], repeated jsonb, items text[]) :exec
-- Removes the answers to some items from one revision. A text of a repeating item is stored under `item.number`.
with blanked as (
  update research.answer_sheet
  set slots = :slots, numbers = :numbers, repeated = :repeated,
    cleared = cleared || array(select item from unnest(:items) as item where item <> all (cleared))
  where enrolment_id = :enrolment_id and sheet_id = :sheet_id and revision = :revision
)
delete from research.answer_text
where enrolment_id = :enrolment_id and sheet_id = :sheet_id and revision = :revision
  and split_part(item, '.', 1) = any (:items);

-- name: list_walk_ids(enrolment_id uuid) :many
-- Also of deleted walks.
select walk_id from research.walk where enrolment_id = :enrolment_id order by walk_id;

-- name: replace_walk_series(enrolment_id uuid, walk_id uuid, flags text[], totals json, t_ms int4[], speed_kmh float8[], heart_rate_bpm float8[], sample_distance_m float8[], sample_energy_kcal float8[], distance_m float8, mean_speed_kmh float8, mean_pace_s_per_km float8, mean_heart_rate_bpm float8, max_heart_rate_bpm float8, active_energy_kcal float8, above_target_s float8, above_target_count int4, coverage float8) :exec
-- Removes series from a walk, with everything that was computed from them.
update research.walk
set flags = :flags, totals = :totals, t_ms = :t_ms, speed_kmh = :speed_kmh, heart_rate_bpm = :heart_rate_bpm,
  sample_distance_m = :sample_distance_m, sample_energy_kcal = :sample_energy_kcal, distance_m = :distance_m,
  mean_speed_kmh = :mean_speed_kmh, mean_pace_s_per_km = :mean_pace_s_per_km,
  mean_heart_rate_bpm = :mean_heart_rate_bpm, max_heart_rate_bpm = :max_heart_rate_bpm,
  active_energy_kcal = :active_energy_kcal, above_target_s = :above_target_s,
  above_target_count = :above_target_count, coverage = :coverage
where enrolment_id = :enrolment_id and walk_id = :walk_id;

-- name: purge_observations(enrolment_id uuid, codes text[], now timestamptz) :many
-- Deletes the observations of these codes and removes their values. codes: system and code, separated by a space. The
-- rows stay, so that a replay is recognised.
update research.observation
set deleted_at = coalesce(deleted_at, :now), device = null, provenance = null, detail = null, statistic = null,
  component_systems = '{}', component_codes = '{}', component_displays = '{}', units = '{}', t_ms = '{}',
  until_ms = null, samples = '{}', counts = '{}', minima = '{}', maxima = '{}', means = '{}'
where enrolment_id = :enrolment_id
  and (system || ' ' || code = any (:codes)
    or exists (
      select from unnest(component_systems, component_codes) as component (system, code)
      where component.system || ' ' || component.code = any (:codes)))
returning observation_id;

-- name: list_correction_bodies(enrolment_id uuid) :many
select amendment_id, subject_id, body::text as body from research.amendment
where enrolment_id = :enrolment_id and kind = 'correction';

-- name: replace_correction_body(enrolment_id uuid, amendment_id uuid, body json) :exec
update research.amendment set body = :body where enrolment_id = :enrolment_id and amendment_id = :amendment_id;

-- name: delete_quarantined_bodies(enrolment_id uuid, kinds text[]) :exec
delete from research.quarantine where enrolment_id = :enrolment_id and kind = any (:kinds);

-- name: mark_changed(enrolment_id uuid, kind text, subject_ids uuid[]) :exec
-- Marks records as changed, so that the change feed reports them. For changes that no trigger marks.
insert into research.change (enrolment_id, kind, subject_id, study)
select enrolment.enrolment_id, :kind, subject.subject_id, enrolment.study
from research.enrolment cross join unnest(:subject_ids) as subject (subject_id)
where enrolment.enrolment_id = :enrolment_id
on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
where change.change_seq is not null;
