-- Raw columns of the tables about what happened during an enrolment besides its sheets and walks.

-- name: dataset_consents() :many
select
  included.participant_id,
  included.enrolment_id,
  consent.consent_version,
  consent.consented_at,
  consent.study_version,
  consent.language,
  consent.text_digest
from included
join research.enrolment_consent consent using (enrolment_id);

-- name: dataset_followed_versions() :many
select
  included.participant_id,
  included.enrolment_id,
  followed.study_version,
  followed.followed_from
from included
join research.enrolment_version followed using (enrolment_id);

-- name: dataset_zones() :many
select
  included.participant_id,
  included.enrolment_id,
  row_number() over (partition by included.enrolment_id order by history.effective_from) as ordinal,
  history.effective_from,
  history.zone,
  history.source as reported_by
from included
join research.enrolment_zone history using (enrolment_id);

-- name: dataset_pauses() :many
select
  included.participant_id,
  included.enrolment_id,
  row_number() over (partition by included.enrolment_id order by pause.from_at) as ordinal,
  pause.from_at,
  pause.to_at
from included
join research.enrolment_pause pause using (enrolment_id);

-- name: dataset_events() :many
-- All reports of an event. The newest one applies.
select
  included.participant_id,
  included.enrolment_id,
  included.arm,
  happened.event,
  happened.revision as rev,
  happened.revision = max(happened.revision) over (partition by included.enrolment_id, happened.event) as in_force,
  happened.occurred_at,
  zone.name as occurred_tz,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  happened.recorded_at
from included
join research.enrolment_event happened using (enrolment_id)
cross join lateral (
  select coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= happened.occurred_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) as name
) as zone
cross join lateral (
  select (happened.occurred_at at time zone case
    when zone.name = any (string_to_array(current_setting('saunter.strange_zones'), ',')) then 'UTC' else zone.name
  end)::date as local_date
) as day;

-- name: dataset_phases() :many
select participant_id, enrolment_id, arm, phase, ordinal, starts_on, ends_on from phase;

-- name: dataset_devices() :many
select
  included.participant_id,
  included.enrolment_id,
  device.device_id,
  device.first_seen_at,
  device.last_seen_at,
  -- Null if the submissions of an earlier instant are unknown.
  case when device.received is not null
    then (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(device.received) as part) end::bigint as records,
  device.received::text as sequences
from included
join research.device device using (enrolment_id);

-- name: dataset_edits() :many
-- Only the tables of locations contain coordinates. In a stored body, an object with these members is a location.
select
  included.participant_id,
  included.enrolment_id,
  edit.amendment_id as edit_id,
  edit.subject as record_kind,
  edit.subject_id::text as record_id,
  edit.kind,
  edit.made_at,
  edit.stated_at,
  edit.received_at,
  edit.state,
  edit.revision as rev,
  edit.device_id,
  edit.sequence,
  edit.refusal::text as refusal,
  regexp_replace(edit.body::text, '\{[^{}"]*"(lat|lon|accuracy_m)"[^{}]*\}', '"location removed"', 'g') as body
from included
join research.amendment edit using (enrolment_id);

-- name: dataset_conflicts() :many
-- Coordinates are removed as in dataset_edits.
select
  included.participant_id,
  included.enrolment_id,
  conflict.kind,
  conflict.client_id::text as record_id,
  encode(conflict.body_sha256, 'hex') as digest,
  conflict.received_at,
  regexp_replace(convert_from(conflict.body, 'UTF8'), '\{[^{}"]*"(lat|lon|accuracy_m)"[^{}]*\}', '"location removed"', 'g') as body
from included
join research.quarantine conflict using (enrolment_id);

-- name: dataset_snoozes() :many
select
  included.participant_id,
  included.enrolment_id,
  snooze.occasion_id,
  snooze.ordinal,
  snooze.asked_at,
  snooze.until_at
from included
join research.reminder_snooze snooze using (enrolment_id);

-- name: dataset_timings() :many
-- The time that the device measured for each item of the sheets that were not deleted.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.counts,
  timing.key as item,
  case when timing.value ~ '^[0-9]{1,8}$' then timing.value::bigint end as duration_ms
from sheet_in_scope sheet
join research.answer_sheet stored using (enrolment_id, sheet_id, revision)
cross join lateral json_each_text(stored.timings) as timing
where sheet.deleted_at is null and json_typeof(stored.timings) = 'object';

-- name: dataset_sheet_devices() :many
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.device::text as device
from sheet_in_scope sheet
where sheet.deleted_at is null and sheet.device is not null;

-- name: dataset_data_kinds() :many
select
  included.participant_id,
  included.enrolment_id,
  permitted.kind,
  row_number() over (partition by included.enrolment_id, permitted.kind order by permitted.granted_at) as ordinal,
  permitted.granted_at,
  permitted.revoked_at,
  permitted.purged_at
from included
join research.enrolment_data_kind permitted using (enrolment_id);

-- name: dataset_entitlements() :many
-- The state of a period is the one that was recorded last.
select
  included.participant_id,
  included.enrolment_id,
  row_number() over (
    partition by included.enrolment_id
    order by period.valid_from, period.entitlement, period.source, period.entitlement_id) as ordinal,
  period.entitlement,
  period.source,
  period.valid_from as valid_from_at,
  period.valid_until as valid_until_at,
  period.revoked_at
from included
join (
  select distinct on (state.enrolment_id, state.entitlement_id, state.valid_from)
    state.enrolment_id, state.entitlement_id, state.valid_from, state.entitlement, state.source, state.valid_until,
    state.revoked_at
  from research.entitlement_period state
  where state.enrolment_id in (select enrolment_id from included)
  order by state.enrolment_id, state.entitlement_id, state.valid_from, state.recorded_at desc
) as period using (enrolment_id);

-- name: dataset_entry_records(enrolment_ids uuid[], questionnaires text[]) :many
-- What decides when entries of these questionnaires were active.
select enrolment_id, sheet_id, questionnaire, research.corrected_at(completed_at, skew_ms) as completed_at, refers_to,
  deleted_at, zone, completed_offset_min
from research.answer_sheet
where enrolment_id = any (:enrolment_ids) and current and duplicate_of is null and questionnaire = any (:questionnaires);

-- name: dataset_programmes() :many
-- The rows of some enrolments, computed by the writer.
select
  included.participant_id,
  included.arm,
  progress.enrolment_id,
  progress.programme,
  progress.module,
  progress.first_done_at,
  progress.times,
  progress.edition
from jsonb_to_recordset(current_setting('saunter.computed')::jsonb) as progress (
  enrolment_id uuid, programme text, module text, first_done_at timestamptz, times integer, edition integer)
join included using (enrolment_id);

-- name: dataset_episodes() :many
-- The rows of some enrolments, computed by the writer, as far as they touch the dates of the filters.
select
  included.participant_id,
  included.arm,
  episode.enrolment_id,
  episode.sheet_id,
  episode.instrument,
  episode.began_at,
  episode.began_tz,
  episode.began_offset_min,
  episode.ended_at,
  episode.ended_tz,
  episode.ended_offset_min,
  episode.why,
  episode.ended_by,
  cardinality(episode.linked) as linked,
  episode.linked as linked_sheets
from jsonb_to_recordset(current_setting('saunter.computed')::jsonb) as episode (
  enrolment_id uuid, sheet_id uuid, instrument text, began_at timestamptz, began_tz text, began_offset_min integer,
  ended_at timestamptz, ended_tz text, ended_offset_min integer, why text, ended_by uuid, linked uuid[])
join included using (enrolment_id)
where (episode.began_at at time zone 'UTC' + make_interval(mins => episode.began_offset_min))::date <= included.to_date
  and (episode.ended_at is null
    or (episode.ended_at at time zone 'UTC' + make_interval(mins => episode.ended_offset_min))::date >= included.from_date);

-- name: dataset_variables() :many
-- The rows of some enrolments, computed by the writer.
select included.participant_id, computed.*
from jsonb_to_recordset(current_setting('saunter.computed')::jsonb) as computed (
  enrolment_id uuid, variable text, key text, key_type text, value double precision, code text, code_type text,
  n integer, reason text, best integer, last_on date, window_from date, window_to date)
join included using (enrolment_id);
