-- name: list_fulfilments(enrolment_ids uuid[], occasion_ids uuid[]) :many
-- The sheets that fulfil occasions; null while an occasion is open.
select occasion.enrolment_id, occasion.occasion_id, occasion.sheet_id
from research.occasion
join unnest(:enrolment_ids::uuid[], :occasion_ids::uuid[]) as wanted (enrolment_id, occasion_id)
  on occasion.enrolment_id = wanted.enrolment_id and occasion.occasion_id = wanted.occasion_id;

-- name: list_sheet_receipts(enrolment_ids uuid[], sheet_ids uuid[]) :many
select sheet.enrolment_id, sheet.sheet_id, sheet.body_sha256, sheet.received_at, sheet.standing, sheet.late_s,
  sheet.flags, sheet.duplicate_of
from research.answer_sheet sheet
join unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[]) as wanted (enrolment_id, sheet_id)
  on sheet.enrolment_id = wanted.enrolment_id and sheet.sheet_id = wanted.sheet_id
where sheet.revision = 1;

-- name: insert_answer_sheets(enrolment_ids uuid[], sheet_ids uuid[], occasion_ids uuid[], questionnaires text[], versions text[], study_versions text[], consent_versions text[], languages text[], started_ats timestamptz[], completed_ats timestamptz[], received_ats timestamptz[], zones text[], started_offsets_min int4[], completed_offsets_min int4[], skews_ms int8[], standings text[], lates_s int8[], flag_lists text[], completes bool[], duplicates_of uuid[], walk_ids uuid[], slot_lists text[], number_lists text[], cleared_lists text[], timings text[], body_sha256s bytea[], text_enrolment_ids uuid[], text_sheet_ids uuid[], text_items text[], texts text[], new_key_ids uuid[], new_key_versions text[], new_key_digests text[], new_engine_versions text[], new_scale_lists text[], key_ids uuid[], scored_ats timestamptz[], covariates text[], score_value_lists text[], score_reason_lists text[], score_band_lists text[], score_count_lists text[], score_exclusion_lists text[], score_error_lists text[], settled_enrolment_ids uuid[], settled_occasion_ids uuid[], settled_ats timestamptz[], settled_by uuid[], repeated_lists text[], presented_orders text[], devices text[], refers_tos uuid[], sources text[]) :many
-- First revisions of many sheets, with their scores, their texts and the occasions that they fulfil, and the keys of the
-- scores. Nested lists are array literals. A stored sheet is written and not skipped, because only a write waits for a synchronous standby, and
-- a replay must be as durable as the first receipt. Returns only the sheets that already existed. In key order, to
-- avoid deadlocks between batches with the same sheets.
with keyed as (
  insert into research.scoring_key (key_id, key_version, key_digest, engine_version, scales)
  select key_id, key_version, key_digest, engine_version, scales::text[]
  from unnest(:new_key_ids::uuid[], :new_key_versions::text[], :new_key_digests::text[], :new_engine_versions::text[],
    :new_scale_lists::text[]) as given (key_id, key_version, key_digest, engine_version, scales)
  where not exists (select from research.scoring_key known where known.key_id = given.key_id)
  order by key_id
  on conflict (key_id) do nothing
), written as (
  insert into research.answer_sheet
    (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version, consent_version,
     language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
     late_s, flags, completes, duplicate_of, walk_id, slots, numbers, cleared, timings, body_sha256, repeated,
     presented, device, refers_to, source, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
     score_counts, score_exclusions, score_errors)
  select enrolment_id, sheet_id, 1, true, occasion_id, questionnaire, version, study_version, consent_version,
    language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
    late_s, flags::text[], completes, duplicate_of, walk_id, slots::int2[], numbers::float8[], cleared::text[],
    timings::json, body_sha256, repeated::jsonb, presented::jsonb, device::json, refers_to, source, key_id, scored_at,
    covariates, score_values::float8[], score_reasons::text[], score_bands::text[], score_counts::int2[],
    score_exclusions::text[], score_errors::float8[]
  from unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[], :occasion_ids::uuid[], :questionnaires::text[],
    :versions::text[], :study_versions::text[], :consent_versions::text[], :languages::text[],
    :started_ats::timestamptz[], :completed_ats::timestamptz[], :received_ats::timestamptz[], :zones::text[],
    :started_offsets_min::int4[], :completed_offsets_min::int4[], :skews_ms::int8[],
    :standings::text[], :lates_s::int8[], :flag_lists::text[], :completes::bool[], :duplicates_of::uuid[],
    :walk_ids::uuid[], :slot_lists::text[], :number_lists::text[], :cleared_lists::text[],
    :timings::text[], :body_sha256s::bytea[], :repeated_lists::text[], :presented_orders::text[],
    :devices::text[], :refers_tos::uuid[], :sources::text[], :key_ids::uuid[], :scored_ats::timestamptz[],
    :covariates::text[], :score_value_lists::text[], :score_reason_lists::text[], :score_band_lists::text[],
    :score_count_lists::text[], :score_exclusion_lists::text[], :score_error_lists::text[])
    as given (enrolment_id, sheet_id, occasion_id, questionnaire, version, study_version, consent_version,
      language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms,
      standing,
      late_s, flags, completes, duplicate_of, walk_id, slots, numbers, cleared, timings, body_sha256, repeated,
      presented, device, refers_to, source, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
      score_counts, score_exclusions, score_errors)
  order by enrolment_id, sheet_id
  on conflict (enrolment_id, sheet_id, revision) do update set sheet_id = excluded.sheet_id
  returning enrolment_id, sheet_id, xmax = 0 as inserted, body_sha256
), known as (
  select enrolment_id, sheet_id, body_sha256 from written where not inserted
), texted as (
  insert into research.answer_text (enrolment_id, sheet_id, revision, item, text)
  select enrolment_id, sheet_id, 1, item, text
  from unnest(:text_enrolment_ids::uuid[], :text_sheet_ids::uuid[], :text_items::text[], :texts::text[])
    as given (enrolment_id, sheet_id, item, text)
  where (enrolment_id, sheet_id) not in (select enrolment_id, sheet_id from known)
), settled as (
  update research.occasion set completed_at = given.completed_at, sheet_id = given.sheet_id
  from unnest(:settled_enrolment_ids::uuid[], :settled_occasion_ids::uuid[], :settled_ats::timestamptz[],
    :settled_by::uuid[])
    as given (enrolment_id, occasion_id, completed_at, sheet_id)
  where occasion.enrolment_id = given.enrolment_id and occasion.occasion_id = given.occasion_id
    and occasion.sheet_id is null
    and (given.enrolment_id, given.sheet_id) not in (select enrolment_id, sheet_id from known)
)
select enrolment_id, sheet_id, body_sha256 from known;

-- name: touch_answer_sheet(enrolment_id uuid, sheet_id uuid) :exec
update research.answer_sheet set sheet_id = sheet_id where enrolment_id = :enrolment_id and sheet_id = :sheet_id
  and revision = 1;

-- name: insert_answer_texts(enrolment_id uuid, sheet_id uuid, revision int4, items text[], texts text[]) :exec
insert into research.answer_text (enrolment_id, sheet_id, revision, item, text)
select :enrolment_id, :sheet_id, :revision, answer.* from unnest(:items::text[], :texts::text[]) as answer
on conflict (enrolment_id, sheet_id, revision, item) do nothing;

-- name: hand_on_occasion(enrolment_id uuid, occasion_id uuid, sheet_id uuid) :exec
-- Passes the occasion of a deleted sheet to the successor: the first received of its duplicates. The result is the same
-- as if the deleted sheet had never been received. Without a successor the occasion is open again. Sheets that were
-- received before the successor are no longer duplicates, and neither are sheets that fulfil nothing, such as those out
-- of the window. Updates all revisions, because each one has the columns of the first.
with successor as (
  select sheet.sheet_id, sheet.received_at, research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at
  from research.answer_sheet sheet
  join research.occasion occasion using (enrolment_id, occasion_id)
  where sheet.enrolment_id = :enrolment_id and sheet.occasion_id = :occasion_id and occasion.sheet_id = :sheet_id
    and sheet.duplicate_of is not null
    and sheet.current and sheet.completes and sheet.deleted_at is null
  order by sheet.received_at, sheet.sheet_id
  limit 1
), moved as (
  update research.answer_sheet sheet
  set duplicate_of = (select successor.sheet_id from successor where (successor.received_at, successor.sheet_id) < (sheet.received_at,
    sheet.sheet_id))
  from research.occasion occasion
  where sheet.enrolment_id = :enrolment_id and sheet.occasion_id = :occasion_id and sheet.duplicate_of is not null
    and occasion.enrolment_id = :enrolment_id and occasion.occasion_id = :occasion_id and occasion.sheet_id = :sheet_id
)
update research.occasion set completed_at = (select completed_at from successor), sheet_id = (select sheet_id from successor)
where enrolment_id = :enrolment_id and occasion_id = :occasion_id and sheet_id = :sheet_id;

-- name: quarantine_body(enrolment_id uuid, kind text, client_id uuid, body_sha256 bytea, body bytea, now timestamptz) :exec
-- Keeps at most 1,000 bodies per enrolment. They are enough to diagnose a faulty device; more would only fill the disk.
-- Keeps no body of a purged sheet.
insert into research.quarantine (enrolment_id, kind, client_id, body_sha256, body, received_at)
select :enrolment_id, :kind, :client_id, :body_sha256, :body, :now
where (select count(*) from research.quarantine kept where kept.enrolment_id = :enrolment_id) < 1000
  and not exists (
    select from research.answer_sheet purged
    where purged.enrolment_id = :enrolment_id and purged.sheet_id = :client_id and 'purged' = any (purged.flags))
on conflict (enrolment_id, kind, client_id, body_sha256) do update set received_at = quarantine.received_at;

-- name: find_answer_sheet(enrolment_id uuid, sheet_id uuid) :many
select sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source
from research.answer_sheet where enrolment_id = :enrolment_id and sheet_id = :sheet_id and current;

-- name: lock_answer_sheet(enrolment_id uuid, sheet_id uuid) :many
-- Locks the first revision, which represents all revisions. It never changes, so a transaction that waits for the lock
-- finds the newest revision afterwards.
select revision from research.answer_sheet where enrolment_id = :enrolment_id and sheet_id = :sheet_id and revision = 1
for no key update;

-- name: list_unplaced_sheets(enrolment_ids uuid[], walk_ids uuid[]) :many
-- Sheets of these walks, in the order in which they were received.
select sheet.enrolment_id, sheet.sheet_id, sheet.questionnaire, sheet.walk_id,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at
from research.answer_sheet sheet
join unnest(:enrolment_ids::uuid[], :walk_ids::uuid[]) as wanted (enrolment_id, walk_id)
  on sheet.enrolment_id = wanted.enrolment_id and sheet.walk_id = wanted.walk_id
where sheet.current and sheet.deleted_at is null and sheet.occasion_id is null and sheet.walk_id is not null
  and sheet.standing = 'out_of_window'
order by sheet.enrolment_id, sheet.received_at, sheet.sheet_id;

-- name: place_answer_sheets(enrolment_ids uuid[], sheet_ids uuid[], occasion_ids uuid[], standings text[], lates_s int8[], duplicates_of uuid[], completed_ats timestamptz[]) :exec
-- Gives sheets that arrived before their walk an occasion, in every revision, and fulfils the occasions. The answers
-- stay unchanged.
with given as (
  select enrolment_id, sheet_id, occasion_id, standing, late_s, duplicate_of, completed_at
  from unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[], :occasion_ids::uuid[], :standings::text[], :lates_s::int8[],
    :duplicates_of::uuid[], :completed_ats::timestamptz[])
    as placed (enrolment_id, sheet_id, occasion_id, standing, late_s, duplicate_of, completed_at)
), settled as (
  update research.occasion set completed_at = given.completed_at, sheet_id = given.sheet_id
  from given
  where occasion.enrolment_id = given.enrolment_id and occasion.occasion_id = given.occasion_id
    and occasion.sheet_id is null and given.duplicate_of is null
)
update research.answer_sheet sheet
set occasion_id = given.occasion_id, standing = given.standing, late_s = given.late_s, completes = true,
  flags = array_remove(sheet.flags, 'no_occasion'), duplicate_of = given.duplicate_of
from given
where sheet.enrolment_id = given.enrolment_id and sheet.sheet_id = given.sheet_id and sheet.occasion_id is null;

-- name: lock_answer_sheets_of_enrolment(enrolment_id uuid) :many
select sheet_id, revision from research.answer_sheet where enrolment_id = :enrolment_id
order by sheet_id, revision
for update;

-- name: list_answer_sheets(enrolment_id uuid, before timestamptz, before_id uuid, questionnaire text, from_date date, to_date date, refers_to uuid, sheet_ids uuid[], limit_rows int4) :many
-- Sheets that are not deleted, the last received first. A filter that is null selects all sheets.
select sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source
from research.answer_sheet
where enrolment_id = :enrolment_id and current and deleted_at is null
  and (:questionnaire is null or questionnaire = :questionnaire)
  and (:from_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) >= :from_date)
  and (:to_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) <= :to_date)
  and (:refers_to is null or refers_to = :refers_to)
  and (:sheet_ids is null or sheet_id = any (:sheet_ids))
  and (received_at, sheet_id) < (:before, :before_id)
order by received_at desc, sheet_id desc
limit :limit_rows;

-- name: list_answer_sheets_by_completion(enrolment_id uuid, before timestamptz, before_id uuid, questionnaire text, from_date date, to_date date, refers_to uuid, sheet_ids uuid[], limit_rows int4) :many
-- Like list_answer_sheets, the last completed first, by the server's clock.
select sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source
from research.answer_sheet
where enrolment_id = :enrolment_id and current and deleted_at is null
  and (:questionnaire is null or questionnaire = :questionnaire)
  and (:from_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) >= :from_date)
  and (:to_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) <= :to_date)
  and (:refers_to is null or refers_to = :refers_to)
  and (:sheet_ids is null or sheet_id = any (:sheet_ids))
  and (research.corrected_at(completed_at, skew_ms), sheet_id) < (:before, :before_id)
order by research.corrected_at(completed_at, skew_ms) desc, sheet_id desc
limit :limit_rows;

-- name: list_answer_sheets_by_number(enrolment_id uuid, before float8, before_id uuid, versions text[], positions int4[], questionnaire text, from_date date, to_date date, refers_to uuid, sheet_ids uuid[], limit_rows int4) :many
-- Like list_answer_sheets, the highest number of one item first, such as a date. Sheets without the number are last.
-- positions: for each version of the questionnaire, the position of the item's number, from 1.
select sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source
from research.answer_sheet
left join unnest(:versions::text[], :positions::int4[]) as item (item_version, item_position) on version = item_version
cross join lateral (select coalesce(numbers[item_position], '-infinity'::float8) as item_number) as ordered
where enrolment_id = :enrolment_id and current and deleted_at is null
  and (:questionnaire is null or questionnaire = :questionnaire)
  and (:from_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) >= :from_date)
  and (:to_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) <= :to_date)
  and (:refers_to is null or refers_to = :refers_to)
  and (:sheet_ids is null or sheet_id = any (:sheet_ids))
  and (item_number, sheet_id) < (:before, :before_id)
order by item_number desc, sheet_id desc
limit :limit_rows;

-- name: list_newest_sheets(enrolment_id uuid, questionnaires text[], from_date date, to_date date, refers_to uuid) :many
-- The newest sheet of each questionnaire by completion, then id. Duplicates do not count. A filter that is null selects
-- all sheets.
select distinct on (questionnaire) questionnaire, sheet_id
from research.answer_sheet
where enrolment_id = :enrolment_id and current and deleted_at is null and duplicate_of is null
  and (:questionnaires is null or questionnaire = any (:questionnaires))
  and (:from_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) >= :from_date)
  and (:to_date is null or research.local_date(completed_at, completed_offset_min, skew_ms) <= :to_date)
  and (:refers_to is null or refers_to = :refers_to)
order by questionnaire, research.corrected_at(completed_at, skew_ms) desc, sheet_id desc;

-- name: find_referred_sheet(enrolment_id uuid, sheet_id uuid) :many
select questionnaire, deleted_at from research.answer_sheet
where enrolment_id = :enrolment_id and sheet_id = :sheet_id and current;

-- name: list_entry_records(enrolment_id uuid, questionnaires text[]) :many
-- What decides which entries of these questionnaires are active.
select sheet_id, questionnaire, research.corrected_at(completed_at, skew_ms) as completed_at, refers_to, deleted_at
from research.answer_sheet
where enrolment_id = :enrolment_id and current and duplicate_of is null and questionnaire = any (:questionnaires);

-- name: count_entries_on_date(enrolment_id uuid, questionnaire text, local_date date, except_id uuid) :one
-- The sheets of a questionnaire that count on a local date, apart from one sheet.
select count(*)::int as count from research.answer_sheet
where enrolment_id = :enrolment_id and questionnaire = :questionnaire and sheet_id <> :except_id
  and current and deleted_at is null and duplicate_of is null
  and research.local_date(completed_at, completed_offset_min, skew_ms) = :local_date;

-- name: list_answer_texts(enrolment_id uuid, sheet_ids uuid[]) :many
select answer.sheet_id, answer.revision, answer.item, answer.text
from research.answer_text answer
where answer.enrolment_id = :enrolment_id and answer.sheet_id = any (:sheet_ids);

-- name: list_scores(enrolment_id uuid, sheet_ids uuid[]) :many
-- The score of the newest key, for each scale.
select distinct on (sheet_id, revision, scale)
  sheet_id, revision, scale, key_version, value, reason, band, item_count, answered_count, imputed_count, exclusion,
  standard_error
from research.score
where enrolment_id = :enrolment_id and sheet_id = any (:sheet_ids)
order by sheet_id, revision, scale, computed_at desc, key_digest;

-- name: retire_revision(enrolment_id uuid, sheet_id uuid, revision int4) :exec
update research.answer_sheet set current = false where enrolment_id = :enrolment_id and sheet_id = :sheet_id
  and revision = :revision and current;

-- name: insert_revision(enrolment_id uuid, sheet_id uuid, revision int4, slots int2[], numbers float8[], cleared text[], now timestamptz, reason text, repeated jsonb, warnings text[], key_ids uuid[], scored_ats timestamptz[], covariates text[], score_value_lists text[], score_reason_lists text[], score_band_lists text[], score_count_lists text[], score_exclusion_lists text[], score_error_lists text[]) :exec
-- Copies everything from the first revision except the answers, the scores and the flags of constraints. The lists of
-- scores have one element.
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version, consent_version,
   language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
   late_s, flags, completes, duplicate_of, walk_id, slots, numbers, cleared, timings, body_sha256, revised_at,
   revision_reason, repeated, presented, device, refers_to, source, key_id, scored_at, covariates, score_values,
   score_reasons, score_bands, score_counts, score_exclusions, score_errors)
select enrolment_id, sheet_id, :revision, true, occasion_id, questionnaire, version, study_version, consent_version,
  language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
  late_s, array(select flag from unnest(flags) as flag where not (starts_with(flag, 'constraint_')
    or starts_with(flag, 'circle_'))) || :warnings::text[],
  completes, duplicate_of, walk_id, :slots, :numbers, :cleared, timings, body_sha256, :now, :reason, :repeated,
  presented, device, refers_to, source, computed.*
from research.answer_sheet
cross join (
  select key_id, scored_at, covariates, score_values::float8[], score_reasons::text[], score_bands::text[],
    score_counts::int2[], score_exclusions::text[], score_errors::float8[]
  from unnest(:key_ids::uuid[], :scored_ats::timestamptz[], :covariates::text[], :score_value_lists::text[],
    :score_reason_lists::text[], :score_band_lists::text[], :score_count_lists::text[],
    :score_exclusion_lists::text[], :score_error_lists::text[])
    as given (key_id, scored_at, covariates, score_values, score_reasons, score_bands, score_counts, score_exclusions,
      score_errors)
) as computed
where enrolment_id = :enrolment_id and sheet_id = :sheet_id and revision = 1;

-- name: delete_answer_sheet(enrolment_id uuid, sheet_id uuid, now timestamptz) :exec
-- Marks the row and does not delete it: the answers stay for the audit, and no statistic counts them.
update research.answer_sheet set deleted_at = :now where enrolment_id = :enrolment_id and sheet_id = :sheet_id
  and current;

-- name: purge_answer_sheet(enrolment_id uuid, sheet_id uuid, redacted int4) :exec
-- Blanks the answers of every revision of a deleted sheet, and what follows from them. The rows stay, so that a replay
-- of the sheet is recognised.
update research.answer_sheet
set slots = array_fill(:redacted::int2, array[cardinality(slots)]),
  numbers = array_fill(null::float8, array[cardinality(numbers)]),
  repeated = null, cleared = '{}', timings = null, presented = null, revision_reason = null,
  key_id = null, scored_at = null, covariates = null, score_values = null, score_reasons = null, score_bands = null,
  score_counts = null, score_exclusions = null, score_errors = null,
  flags = array(select flag from unnest(flags) as flag where not (starts_with(flag, 'constraint_')
    or starts_with(flag, 'circle_'))) || '{purged}'::text[]
where enrolment_id = :enrolment_id and sheet_id = :sheet_id;

-- name: delete_answer_texts(enrolment_id uuid, sheet_id uuid) :exec
delete from research.answer_text where enrolment_id = :enrolment_id and sheet_id = :sheet_id;

-- name: delete_later_scores(enrolment_id uuid, sheet_id uuid) :exec
delete from research.rescored_sheet where enrolment_id = :enrolment_id and sheet_id = :sheet_id;

-- name: delete_quarantined_bodies_of_sheet(enrolment_id uuid, sheet_id uuid) :exec
-- Bodies that were submitted under the id of the sheet, and corrections that name it.
delete from research.quarantine
where enrolment_id = :enrolment_id
  and (kind = 'answer_sheet' and client_id = :sheet_id
    or kind = 'correction' and strpos(lower(encode(body, 'escape')), :sheet_id::text) > 0);

-- name: list_completions(enrolment_ids uuid[], questionnaires text[], since timestamptz) :many
-- Null parameters: all questionnaires, at any time.
select enrolment_id, sheet_id, questionnaire, research.corrected_at(completed_at, skew_ms) as completed_at
from research.answer_sheet
where enrolment_id = any (:enrolment_ids) and current and deleted_at is null and duplicate_of is null
  and (:questionnaires is null or questionnaire = any (:questionnaires))
  and (:since is null or research.corrected_at(completed_at, skew_ms) >= :since)
order by enrolment_id, research.corrected_at(completed_at, skew_ms), sheet_id;

-- name: list_study_scores(study text, questionnaires text[], scales text[], arm text, participant_id text, after_participant text, after_at timestamptz, after_sheet uuid, after_scale text, limit_rows int4) :many
-- The scores of the newest key for each sheet that counts; see dataset_sheet_in_scope. The elements of questionnaires and
-- scales belong together. A null arm or participant_id selects all. Sorted by pseudonym first, so that only the sheets of
-- the first participants are read.
select enrolment.participant_id, enrolment.arm, sheet.completed_at, sheet.sheet_id, sheet.questionnaire, sheet.version,
  sheet.study_day, score.scale, score.value, score.reason, score.band, score.key_version
from research.enrolment
cross join lateral (
  select sheet.sheet_id, sheet.revision, sheet.questionnaire, sheet.version,
    date_trunc('milliseconds', research.corrected_at(sheet.completed_at, sheet.skew_ms)) as completed_at,
    coalesce(
      occasion.local_date,
      research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms)) - enrolment.enrolled_on
      as study_day
  from research.answer_sheet sheet
  left join research.occasion using (enrolment_id, occasion_id)
  where sheet.enrolment_id = enrolment.enrolment_id and sheet.questionnaire = any (:questionnaires) and sheet.current
    and sheet.duplicate_of is null and sheet.deleted_at is null and (
      sheet.completes or sheet.occasion_id is null
      or not exists (
        select from research.answer_sheet other
        where other.enrolment_id = sheet.enrolment_id and other.occasion_id = sheet.occasion_id
          and other.current and other.completes and other.duplicate_of is null and other.deleted_at is null)
      and not exists (
        select from research.answer_sheet other
        where other.enrolment_id = sheet.enrolment_id and other.occasion_id = sheet.occasion_id
          and other.current and other.duplicate_of is null and other.deleted_at is null
          and (research.corrected_at(other.completed_at, other.skew_ms), other.sheet_id)
            > (research.corrected_at(sheet.completed_at, sheet.skew_ms), sheet.sheet_id)))
) as sheet
cross join lateral (
  select distinct on (score.scale) score.scale, score.value, score.reason, score.band, score.key_version
  from research.score
  where score.enrolment_id = enrolment.enrolment_id and score.sheet_id = sheet.sheet_id
    and score.revision = sheet.revision
    and (sheet.questionnaire, score.scale) in (
      select wanted.questionnaire, wanted.scale
      from unnest(:questionnaires::text[], :scales::text[]) as wanted (questionnaire, scale))
  order by score.scale, score.computed_at desc, score.key_digest
) as score
where enrolment.study = :study and enrolment.status <> 'excluded' and (:arm is null or enrolment.arm = :arm)
  and (:participant_id is null or enrolment.participant_id = :participant_id)
  and enrolment.participant_id >= :after_participant
  and (enrolment.participant_id, sheet.completed_at, sheet.sheet_id, score.scale)
    > (:after_participant, :after_at, :after_sheet, :after_scale)
order by enrolment.participant_id, sheet.completed_at, sheet.sheet_id, score.scale
limit :limit_rows;

-- name: list_practice_progress(enrolment_id uuid, questionnaires text[]) :many
-- How often each of these questionnaires was answered, in any of its versions.
select questionnaire, count(*)::int as times, max(research.corrected_at(completed_at, skew_ms)) as last_at
from research.answer_sheet
where enrolment_id = :enrolment_id and current and deleted_at is null and duplicate_of is null
  and questionnaire = any (:questionnaires)
group by questionnaire;

-- name: list_practice_ratings(enrolment_id uuid, questionnaires text[], schedule text) :many
-- For each of these questionnaires, the newest sheet of an occasion of the schedule that follows one of its sheets.
select distinct on (practice.questionnaire) practice.questionnaire, rating.sheet_id
from research.answer_sheet practice
join research.occasion occasion on occasion.enrolment_id = practice.enrolment_id
  and occasion.schedule = :schedule and occasion.anchor_instance = practice.sheet_id::text
join research.answer_sheet rating on rating.enrolment_id = occasion.enrolment_id
  and rating.occasion_id = occasion.occasion_id
where practice.enrolment_id = :enrolment_id and practice.questionnaire = any (:questionnaires)
  and practice.current and practice.deleted_at is null and practice.duplicate_of is null
  and rating.current and rating.deleted_at is null and rating.duplicate_of is null
order by practice.questionnaire, research.corrected_at(rating.completed_at, rating.skew_ms) desc, rating.sheet_id desc;
