-- Raw columns of the tables about answer sheets.

-- name: dataset_sheets() :many
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.occasion_id,
  sheet.arm,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.schedule,
  sheet.refers_to,
  sheet.source,
  sheet.study_day,
  sheet.weekday,
  sheet.revision as rev,
  sheet.counts,
  sheet.completes,
  sheet.standing,
  sheet.late_s,
  sheet.started_at,
  sheet.zone as started_tz,
  sheet.started_offset_min,
  sheet.completed_at as submitted_at,
  sheet.zone as submitted_tz,
  sheet.completed_offset_min as submitted_offset_min,
  sheet.received_at,
  sheet.skew_ms / 1000.0::double precision as clock_skew_s,
  sheet.language,
  sheet.study_version,
  sheet.consent_version,
  sheet.flags,
  sheet.cleared,
  sheet.duplicate_of,
  sheet.walk_id,
  sheet.deleted_at is not null as deleted,
  sheet.revised_at,
  sheet.deleted_at,
  -- Values are as the device sent them.
  left(sheet.device ->> 'model', 200) as device_model,
  left(sheet.device ->> 'app_version', 200) as app_version
from sheet_in_scope sheet;

-- name: dataset_wide() :many
-- The sheets of one instrument that count, with their stored answers. The writer makes one column per item of them.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.occasion_id,
  sheet.arm,
  sheet.schedule,
  sheet.refers_to,
  sheet.source,
  sheet.study_day,
  sheet.weekday,
  sheet.version,
  sheet.revision as rev,
  sheet.completes,
  sheet.standing,
  sheet.completed_at as submitted_at,
  sheet.zone as submitted_tz,
  sheet.completed_offset_min as submitted_offset_min,
  sheet.slots,
  sheet.numbers
from sheet_in_scope sheet
where sheet.counts and sheet.questionnaire = current_setting('saunter.instrument');

-- name: dataset_stored_answers() :many
-- The sheets whose answers are included, with their stored answers. The writer makes one row per question of them.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.counts,
  sheet.slots,
  sheet.numbers,
  sheet.repeated
from sheet_in_scope sheet
where sheet.deleted_at is null;

-- name: dataset_definition() :many
-- The storage of the answers of every version, as lists of equal length, sorted like answers.csv. kind 0: an option,
-- the text at base + slot in labels. kind 1: the value of the slot. kind 2: the number at base. kind 3: a text or a
-- location, which another table contains; the latitude is the number at base.
select
  version.questionnaire,
  version.version,
  array_agg(location.item order by location.item collate "C", location."option" collate "C") as items,
  array_agg(location."option" order by location.item collate "C", location."option" collate "C") as options,
  array_agg(location.type order by location.item collate "C", location."option" collate "C") as types,
  array_agg(location.kind order by location.item collate "C", location."option" collate "C") as kinds,
  array_agg(location.base order by location.item collate "C", location."option" collate "C") as bases,
  array_agg(location.slot order by location.item collate "C", location."option" collate "C") as slots,
  (select array_agg(label.value order by label.ordinal)
    from jsonb_array_elements_text(version.labels) with ordinality as label (value, ordinal)) as labels
from jsonb_to_recordset(current_setting('saunter.definitions')::jsonb) as version (
  questionnaire text, version text, labels jsonb, locations jsonb)
cross join lateral jsonb_to_recordset(version.locations) as location (
  item text, "option" text, type text, kind smallint, base integer, slot integer)
group by version.questionnaire, version.version, version.labels;

-- name: dataset_revised_sheet() :many
-- Every revision of the sheets that have more than one revision.
select
  sheet.participant_id,
  earlier.enrolment_id,
  earlier.sheet_id,
  earlier.revision,
  earlier.revised_at,
  earlier.revision_reason,
  earlier.questionnaire,
  earlier.version,
  sheet.counts,
  earlier.slots,
  earlier.numbers,
  earlier.repeated
from sheet_in_scope sheet
join research.answer_sheet earlier using (enrolment_id, sheet_id)
where sheet.deleted_at is null and sheet.revision > 1;

-- name: dataset_answers() :many
-- One row per question, or per offered option if several options can be chosen, and one row per value without a slot
-- (kind 4), with the number of its instance as suffix of the item. The lists of a version are already sorted, so
-- sorting the rows is cheap. Because of limit 1 the planner uses a lookup.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.revision as rev,
  sheet.revised_at,
  sheet.revision_reason,
  sheet.counts,
  cell.item,
  cell."option",
  cell.type,
  case
    when cell.kind = 4 then cell.value
    when cell.slot < 0 then null
    when cell.kind = 0 then definition.labels[cell.base + cell.slot]
    when cell.kind = 1 then cell.slot::text
    when cell.type = 'integer' then sheet.numbers[cell.base]::bigint::text
    when cell.type in ('decimal', 'quantity') then sheet.numbers[cell.base]::text
    when cell.type = 'date' then (date '1970-01-01' + sheet.numbers[cell.base]::integer)::text
    when cell.type = 'time' then (time '00:00' + make_interval(secs => sheet.numbers[cell.base]))::text
    when cell.type = 'date_time' then
      to_char(to_timestamp(sheet.numbers[cell.base] / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  end as value,
  coalesce(cell.missing, (array['not_in_version', 'not_shown', 'not_reached', 'skipped', 'refused', 'dont_know', 'not_applicable', 'invalid',
    'redacted', 'withdrawn', 'no_consent'])[cell.slot + 1000]) as missing,
  -- Only for finding changes. No table contains it.
  case
    when cell.type <> 'location' then null
    when cell.kind <> 4 then sheet.numbers[cell.base : cell.base + 2]::text
    else (select array_agg(part.value order by part."option")::text
      from jsonb_to_recordset(sheet.repeated) as part (item text, instance integer, "option" text, value text)
      where part.item || '.' || part.instance = cell.item)
  end as coordinates
from answered_sheet sheet
cross join lateral (
  select * from definition
  where definition.questionnaire = sheet.questionnaire and definition.version = sheet.version
  limit 1
) as definition
cross join lateral (
  select entry.item, entry."option", entry.type, entry.kind, entry.base, sheet.slots[entry.slot] as slot, null as value,
    null as missing
  from unnest(definition.items, definition.options, definition.types, definition.kinds, definition.bases,
    definition.slots) as entry (item, "option", type, kind, base, slot)
  union all
  -- A location has one row without a value, because only locations.csv contains it.
  select kept.item || '.' || kept.instance, kept."option", kept.type, 4, null, null,
    case when kept.type <> 'location' then kept.value end, kept.missing
  from jsonb_to_recordset(sheet.repeated) as kept (
    item text, instance integer, "option" text, type text, value text, missing text)
  where kept.type <> 'location' or kept."option" = ''
) as cell;

-- name: dataset_revisions() :many
-- The differences between each revision and the previous one. For a text or a location, only the fact that it changed is
-- included.
select participant_id, enrolment_id, sheet_id, instrument, version, rev, item, "option", type, old_value, old_missing, value as new_value,
  missing as new_missing, text_changed, who, revised_at, reason
from (
  select
    answer.participant_id,
    answer.enrolment_id,
    answer.sheet_id,
    answer.instrument,
    answer.version,
    answer.rev,
    answer.item,
    answer."option",
    answer.type,
    lag(answer.value) over earlier as old_value,
    lag(answer.missing) over earlier as old_missing,
    answer.value,
    answer.missing,
    words.text is distinct from lag(words.text) over earlier
      or answer.coordinates is distinct from lag(answer.coordinates) over earlier as text_changed,
    'participant' as who,
    answer.revised_at,
    answer.revision_reason as reason
  from answer
  left join research.answer_text words
    on words.enrolment_id = answer.enrolment_id and words.sheet_id = answer.sheet_id
    and words.revision = answer.rev and words.item = answer.item
    and (answer.type in ('string', 'text') or answer.type = 'open_choice' and answer."option" in ('', 'other'))
  window earlier as (
    partition by answer.enrolment_id, answer.sheet_id, answer.item, answer."option" order by answer.rev)
) as compared
where rev > 1
  and (old_value is distinct from value or old_missing is distinct from missing or text_changed);

-- name: dataset_free_text() :many
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  answer.item,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.counts,
  answer.text
from sheet_in_scope sheet
join research.answer_text answer using (enrolment_id, sheet_id, revision)
where sheet.deleted_at is null;

-- name: dataset_every_revision() :many
-- All revisions of the sheets that were not deleted.
select
  sheet.participant_id,
  earlier.enrolment_id,
  earlier.sheet_id,
  earlier.revision,
  earlier.questionnaire,
  earlier.version,
  sheet.counts,
  sheet.completed_at,
  sheet.zone,
  sheet.completed_offset_min,
  earlier.numbers,
  earlier.repeated
from sheet_in_scope sheet
join research.answer_sheet earlier using (enrolment_id, sheet_id)
where sheet.deleted_at is null;

-- name: dataset_locations() :many
-- A location is stored as three numbers. In repeating groups and lists it is stored as three rows, whose options are '',
-- lon and accuracy_m.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.revision as rev,
  sheet.counts,
  location.item,
  location.lat,
  location.lon,
  location.accuracy_m,
  location.decimals,
  sheet.completed_at as submitted_at,
  sheet.zone as submitted_tz,
  sheet.completed_offset_min as submitted_offset_min
from answered_sheet sheet
join jsonb_to_recordset(current_setting('saunter.definitions')::jsonb) as definition (
  questionnaire text, version text, coordinates jsonb)
  on definition.questionnaire = sheet.questionnaire and definition.version = sheet.version
cross join lateral (
  select
    stored.item,
    sheet.numbers[stored.base] as lat,
    sheet.numbers[stored.base + 1] as lon,
    sheet.numbers[stored.base + 2] as accuracy_m,
    stored.decimals
  from jsonb_to_recordset(definition.coordinates) as stored (item text, base integer, decimals integer)
  where sheet.numbers[stored.base] is not null
  union all
  select
    kept.item || '.' || kept.instance,
    max(kept.value) filter (where kept."option" = '')::double precision,
    max(kept.value) filter (where kept."option" = 'lon')::double precision,
    max(kept.value) filter (where kept."option" = 'accuracy_m')::double precision,
    stored.decimals
  from jsonb_to_recordset(definition.coordinates) as stored (item text, base integer, decimals integer)
  join jsonb_to_recordset(sheet.repeated) as kept (
    item text, instance integer, "option" text, type text, value text) on kept.item = stored.item
  where stored.base is null and kept.type = 'location' and kept.value is not null
  group by kept.item, kept.instance, stored.decimals
) as location;

-- name: dataset_setting_sheet() :many
-- The sheets with settings that were in force on the dates of the filters. A sheet is in force until the next sheet of
-- the same questionnaire, by completion and then by id.
select sheet.*
from (
  select
    included.participant_id,
    included.arm,
    included.from_date,
    included.to_date,
    stored.enrolment_id,
    stored.sheet_id,
    stored.revision,
    stored.revised_at,
    stored.revision_reason,
    stored.questionnaire,
    stored.version,
    true as counts,
    stored.slots,
    stored.numbers,
    stored.repeated,
    corrected.completed_at as valid_from_at,
    stored.zone as valid_from_tz,
    stored.completed_offset_min as valid_from_offset_min,
    lead(corrected.completed_at) over following as valid_to_at,
    lead(stored.zone) over following as valid_to_tz,
    lead(stored.completed_offset_min) over following as valid_to_offset_min
  from research.answer_sheet stored
  join included using (enrolment_id)
  cross join lateral (
    select research.corrected_at(stored.completed_at, stored.skew_ms) as completed_at
  ) as corrected
  where stored.current and stored.deleted_at is null and stored.duplicate_of is null
    and stored.questionnaire = any (string_to_array(current_setting('saunter.settings'), ','))
  window following as (
    partition by stored.enrolment_id, stored.questionnaire order by corrected.completed_at, stored.sheet_id)
) as sheet
where (sheet.valid_from_at at time zone 'UTC' + make_interval(mins => sheet.valid_from_offset_min))::date <= sheet.to_date
  and (sheet.valid_to_at is null
    or (sheet.valid_to_at at time zone 'UTC' + make_interval(mins => sheet.valid_to_offset_min))::date >= sheet.from_date);

-- name: dataset_setting_values() :many
select
  answer.participant_id,
  sheet.arm,
  answer.enrolment_id,
  answer.sheet_id,
  answer.instrument,
  answer.version,
  answer.rev,
  answer.item,
  answer."option",
  answer.type,
  answer.value,
  known.label,
  answer.missing,
  sheet.valid_from_at,
  sheet.valid_from_tz,
  sheet.valid_from_offset_min,
  sheet.valid_to_at,
  sheet.valid_to_tz,
  sheet.valid_to_offset_min
from answer
join answered_sheet sheet using (enrolment_id, sheet_id)
left join jsonb_to_recordset(current_setting('saunter.setting_labels')::jsonb) as known (
  questionnaire text, item text, code text, label text)
  on known.questionnaire = answer.instrument and known.item = answer.item
  and known.code = case when answer."option" = '' then answer.value else answer."option" end;

-- name: dataset_present_score() :many
-- One score per sheet and scale. If a score was computed several times (with different keys or engine versions), this
-- is the score of the active key and the current engine, or else the newest one. Scales that the active key does not contain are not included. The times of
-- sheets in scope are already corrected.
select distinct on (score.enrolment_id, score.sheet_id, score.scale collate "C")
  sheet.participant_id,
  sheet.questionnaire,
  sheet.version,
  sheet.study_day,
  sheet.completed_at as answered_at,
  score.*
from sheet_in_scope sheet
join research.score score using (enrolment_id, sheet_id, revision)
join jsonb_to_recordset(current_setting('saunter.definitions')::jsonb) as present (
  questionnaire text, version text, key_digest text, engine_version text, scales text[])
  on present.questionnaire = sheet.questionnaire and present.version = sheet.version
where sheet.counts and score.scale = any (present.scales)
order by score.enrolment_id, score.sheet_id, score.scale collate "C",
  (score.key_digest = present.key_digest and score.engine_version = present.engine_version) desc nulls last,
  score.computed_at desc, score.key_digest, score.engine_version;

-- name: dataset_scores() :many
select
  score.participant_id,
  score.enrolment_id,
  score.sheet_id,
  score.questionnaire as instrument,
  score.version,
  score.scale collate "C" as score,
  score.value,
  score.reason,
  score.band,
  score.item_count as n_items,
  score.answered_count as n_valid,
  score.imputed_count as n_imputed,
  score.imputed_count > 0 as prorated,
  score.exclusion,
  score.standard_error,
  case when current_setting('saunter.arm_letters') = '' then score.covariates
    else (score.covariates::jsonb - 'arm')::text end as covariates,
  score.key_version as rule_version,
  score.key_digest as rule_digest,
  score.engine_version,
  score.computed_at
from present_score score;

-- name: dataset_text_revisions() :many
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  answer.revision as rev,
  answer.item,
  answer.text
from sheet_in_scope sheet
join research.answer_text answer using (enrolment_id, sheet_id)
where sheet.deleted_at is null;

-- name: dataset_instances() :many
-- The repeated answers on the sheets of one instrument that count: one row per instance of a group or value of an item.
-- Cells are named like columns: item, or item__option.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.occasion_id,
  sheet.arm,
  sheet.version,
  sheet.revision as rev,
  definition.groups ->> kept.item as repeats,
  kept.instance,
  jsonb_object_agg(cell.name, kept.value) as cells,
  jsonb_object_agg(cell.name, kept.missing) as reasons
from sheet_in_scope sheet
join jsonb_to_recordset(current_setting('saunter.definitions')::jsonb) as definition (questionnaire text, version text, groups jsonb)
  on definition.questionnaire = sheet.questionnaire and definition.version = sheet.version
cross join lateral jsonb_to_recordset(sheet.repeated) as kept (
  item text, instance integer, "option" text, type text, value text, missing text)
cross join lateral (
  select kept.item || case kept."option" when '' then '' else '__' || kept."option" end as name
) as cell
where sheet.counts and sheet.questionnaire = current_setting('saunter.instrument')
  and definition.groups ? kept.item
  -- Comparisons of a compared list have their own numbers, not those of its values.
  and (kept.type <> 'ranking' or kept."option" = 'rank')
group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- name: dataset_presented() :many
-- The orders in which shuffled options and items were shown: one row per position.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.questionnaire as instrument,
  sheet.version,
  sheet.counts,
  shown.key as item,
  shown_member.number::integer as place,
  shown_member.member
from sheet_in_scope sheet
cross join lateral jsonb_each(sheet.presented) as shown
cross join lateral jsonb_array_elements_text(shown.value) with ordinality as shown_member (member, number)
where sheet.deleted_at is null;
