-- name: disable_statement_timeout() :one
-- For this transaction. Counting the sheets of a large study takes longer than the time-out of the pool.
select set_config('statement_timeout', '0', true);

-- name: count_sheets_to_score(study text, questionnaire text, version text, key_digest text, engine_version text, scales text[], everything bool) :one
-- All revisions of sheets with a scale whose newest score is not by this key and engine, or all sheets.
select count(*) as sheets
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = :study
  and sheet.questionnaire = :questionnaire
  and sheet.version = :version
  and sheet.deleted_at is null
  and (:everything or (
    select count(*) filter (where newest.key_digest = :key_digest and newest.engine_version = :engine_version)
    from (
      select distinct on (score.scale) score.key_digest, score.engine_version
      from research.score score
      where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id
        and score.revision = sheet.revision and score.scale = any (:scales)
      order by score.scale, score.computed_at desc, (score.key_digest = :key_digest
        and score.engine_version = :engine_version) desc
    ) as newest
  ) < cardinality(:scales));

-- name: list_sheets_to_score(study text, questionnaire text, version text, key_digest text, engine_version text, scales text[], everything bool, after_enrolment uuid, after_sheet uuid, after_revision int4, limit_rows int4) :many
-- In key order, after the given revision.
select sheet.enrolment_id, sheet.sheet_id, sheet.revision, sheet.slots, sheet.numbers, sheet.completed_offset_min,
  enrolment.arm,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at,
  sheet.current and sheet.duplicate_of is null as counts
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = :study
  and sheet.questionnaire = :questionnaire
  and sheet.version = :version
  and sheet.deleted_at is null
  and (sheet.enrolment_id, sheet.sheet_id, sheet.revision) > (:after_enrolment, :after_sheet, :after_revision)
  and (:everything or (
    select count(*) filter (where newest.key_digest = :key_digest and newest.engine_version = :engine_version)
    from (
      select distinct on (score.scale) score.key_digest, score.engine_version
      from research.score score
      where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id
        and score.revision = sheet.revision and score.scale = any (:scales)
      order by score.scale, score.computed_at desc, (score.key_digest = :key_digest
        and score.engine_version = :engine_version) desc
    ) as newest
  ) < cardinality(:scales))
order by sheet.enrolment_id, sheet.sheet_id, sheet.revision
limit :limit_rows;

-- name: list_sheets_of_participant(enrolment_id uuid, questionnaire text, version text) :many
select sheet.enrolment_id, sheet.sheet_id, sheet.revision, sheet.slots, sheet.numbers, sheet.completed_offset_min,
  enrolment.arm,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at,
  sheet.current and sheet.duplicate_of is null as counts
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where sheet.enrolment_id = :enrolment_id and sheet.questionnaire = :questionnaire and sheet.version = :version
  and sheet.deleted_at is null
order by sheet.sheet_id, sheet.revision;

-- name: list_covariate_source_sheets(enrolment_ids uuid[], questionnaires text[]) :many
-- Sheets that count, of the questionnaires that supply covariates.
select sheet.enrolment_id, sheet.sheet_id, sheet.questionnaire, sheet.version, sheet.slots, sheet.numbers,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at
from research.answer_sheet sheet
where sheet.enrolment_id = any (:enrolment_ids) and sheet.questionnaire = any (:questionnaires)
  and sheet.current and sheet.deleted_at is null and sheet.duplicate_of is null;

-- name: list_previous_scores(enrolment_ids uuid[], sheet_ids uuid[], revisions int4[], key_digest text, engine_version text) :many
-- The newest score of each scale, which was shown until now. ordinal: the position of the sheet, from 1.
select distinct on (wanted.ordinal, score.scale) wanted.ordinal, score.scale, score.value, score.band
from unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[], :revisions::int4[]) with ordinality as wanted (enrolment_id,
  sheet_id, revision, ordinal)
join research.score score using (enrolment_id, sheet_id, revision)
order by wanted.ordinal, score.scale, score.computed_at desc, (score.key_digest = :key_digest
  and score.engine_version = :engine_version) desc,
  score.key_digest, score.engine_version;

-- name: put_scoring_keys(new_key_ids uuid[], new_key_versions text[], new_key_digests text[], new_engine_versions text[], new_scale_lists text[]) :exec
-- Before the scores that refer to them. Lists of scales are array literals.
insert into research.scoring_key (key_id, key_version, key_digest, engine_version, scales)
select key_id, key_version, key_digest, engine_version, scales::text[]
from unnest(:new_key_ids::uuid[], :new_key_versions::text[], :new_key_digests::text[], :new_engine_versions::text[],
  :new_scale_lists::text[]) as given (key_id, key_version, key_digest, engine_version, scales)
order by key_id
on conflict (key_id) do nothing;

-- name: put_scores(enrolment_ids uuid[], sheet_ids uuid[], revisions int4[], key_digest text, engine_version text, key_ids uuid[], scored_ats timestamptz[], covariates text[], score_value_lists text[], score_reason_lists text[], score_band_lists text[], score_count_lists text[], score_exclusion_lists text[], score_error_lists text[]) :one
-- The scores of sheets by one key. Skips sheets that were deleted or erased in the meantime, and sheets whose newest
-- scores are by this key and engine with the same covariates. The written scores are the newest of their sheet,
-- regardless of the clocks of the others. Returns the number of written scores.
with written as (
  insert into research.rescored_sheet as stored
    (enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
     score_counts, score_exclusions, score_errors)
  select computed.enrolment_id, computed.sheet_id, computed.revision, computed.key_id,
    greatest(computed.scored_at, newest.scored_at + interval '1 millisecond'), computed.covariates,
    computed.score_values::float8[], computed.score_reasons::text[], computed.score_bands::text[],
    computed.score_counts::int2[], computed.score_exclusions::text[], computed.score_errors::float8[]
  from unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[], :revisions::int4[], :key_ids::uuid[],
    :scored_ats::timestamptz[], :covariates::text[], :score_value_lists::text[], :score_reason_lists::text[],
    :score_band_lists::text[], :score_count_lists::text[], :score_exclusion_lists::text[], :score_error_lists::text[])
    as computed (enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons,
      score_bands, score_counts, score_exclusions, score_errors)
  join research.answer_sheet sheet
    on sheet.enrolment_id = computed.enrolment_id and sheet.sheet_id = computed.sheet_id
      and sheet.revision = computed.revision
  left join lateral (
    select result.scored_at, result.covariates, key.key_digest, key.engine_version
    from (
      select sheet.key_id, sheet.scored_at, sheet.covariates
      union all
      select later.key_id, later.scored_at, later.covariates from research.rescored_sheet later
      where later.enrolment_id = computed.enrolment_id and later.sheet_id = computed.sheet_id
        and later.revision = computed.revision
    ) as result
    join research.scoring_key key using (key_id)
    order by result.scored_at desc
    limit 1
  ) as newest on true
  where sheet.deleted_at is null
    and (newest.key_digest, newest.engine_version, newest.covariates)
      is distinct from (:key_digest, :engine_version, computed.covariates)
  on conflict (enrolment_id, sheet_id, revision, key_id) do update set
    scored_at = excluded.scored_at, covariates = excluded.covariates, score_values = excluded.score_values,
    score_reasons = excluded.score_reasons, score_bands = excluded.score_bands, score_counts = excluded.score_counts,
    score_exclusions = excluded.score_exclusions, score_errors = excluded.score_errors
  returning cardinality(score_values) as scores
)
select coalesce(sum(scores), 0)::int as scores from written;

-- name: count_scorable_sheets(study text, questionnaires text[], versions text[]) :one
-- All revisions of the versions that a key scores.
select count(*) as sheets
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
join unnest(:questionnaires::text[], :versions::text[]) as scored (questionnaire, version)
  on sheet.questionnaire = scored.questionnaire and sheet.version = scored.version
where enrolment.study = :study and sheet.deleted_at is null;

-- name: find_last_rescoring(study text) :many
-- The newest job that was not superseded.
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total,
  sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring where study = :study and state <> 'superseded'
order by requested_at desc, rescoring_id desc
limit 1;

-- name: supersede_rescorings(study text, now timestamptz) :exec
-- Clears the position, so that an ended job contains no participant's id.
update research.rescoring set state = 'superseded', finished_at = :now, lease_until = null,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0
where study = :study and state in ('queued', 'running', 'settling');

-- name: insert_rescoring(rescoring_id uuid, study text, study_version text, rules_digest text, engine_version text, cause text, sheets_total int8, now timestamptz) :exec
-- A newer job has a later instant, also if the clock of its requester is behind. `find_last_rescoring` and
-- `list_rescorings` depend on it.
insert into research.rescoring
  (rescoring_id, study, study_version, rules_digest, engine_version, cause, sheets_total, requested_at)
values (:rescoring_id, :study, :study_version, :rules_digest, :engine_version, :cause, :sheets_total,
  greatest(:now, (select max(requested_at) + interval '1 millisecond' from research.rescoring where study = :study)));

-- name: claim_rescoring(now timestamptz, lease_until timestamptz, settles_before timestamptz, rescoring_id uuid, engine_version text) :many
-- The next job without a worker, or the named one. Jobs of another engine version are left to its own servers. A
-- settling job is claimed only when no sheet of the old keys can still be stored, unless it is named.
update research.rescoring set lease_until = :lease_until, state = case state when 'queued' then 'running' else state end
where rescoring_id = (
  select rescoring_id from research.rescoring
  where state in ('queued', 'running', 'settling')
    and (lease_until is null or lease_until < :now)
    and engine_version = :engine_version
    and (rescoring_id = :rescoring_id or :rescoring_id is null and (state <> 'settling'
      or requested_at <= :settles_before))
  order by requested_at
  limit 1
  for update skip locked)
returning rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total,
  sheets_seen,
  rows_added, damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure;

-- name: lock_rescoring(rescoring_id uuid, batches int4) :many
-- No row if another worker continued the job or it was superseded.
select rescoring_id from research.rescoring
where rescoring_id = :rescoring_id and batches = :batches and state in ('running', 'settling')
for update;

-- name: advance_rescoring(rescoring_id uuid, questionnaire text, version text, at_enrolment uuid, at_sheet uuid, at_revision int4, seen int8, added int8, damaged int8, lease_until timestamptz) :exec
update research.rescoring set
  at_questionnaire = :questionnaire, at_version = :version, at_enrolment = :at_enrolment, at_sheet = :at_sheet,
    at_revision = :at_revision, sheets_seen = sheets_seen + :seen,
  rows_added = rows_added + :added, damaged = rescoring.damaged + :damaged, lease_until = :lease_until,
    batches = batches + 1
where rescoring_id = :rescoring_id;

-- name: end_rescoring(rescoring_id uuid, batches int4, state text, now timestamptz) :exec
-- Resets the position, for the second pass of a settling job.
update research.rescoring set
  state = :state, lease_until = null, finished_at = case when :state = 'settling' then null else :now end,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0, batches = batches + 1
where rescoring_id = :rescoring_id and batches = :batches and state in ('running', 'settling');

-- name: add_rescoring_scales(rescoring_id uuid, questionnaire text, version text, key_version text, key_digest text, scales text[], sheets int8[], first_scores int8[], unchanged int8[], changed int8[], became_null int8[], gained_value int8[], band_moves int8[], compared int8[], total_change float8[], greatest_change float8[]) :exec
insert into research.rescoring_scale as known
  (rescoring_id, questionnaire, version, key_version, key_digest, scale, sheets, first_scores, unchanged, changed,
    became_null, gained_value,
   band_moves, compared, total_change, greatest_change)
select :rescoring_id, :questionnaire, :version, :key_version, :key_digest, found.*
from unnest(:scales::text[], :sheets::int8[], :first_scores::int8[], :unchanged::int8[], :changed::int8[],
  :became_null::int8[], :gained_value::int8[], :band_moves::int8[], :compared::int8[], :total_change::float8[],
  :greatest_change::float8[]) as found
on conflict (rescoring_id, questionnaire, version, scale) do update set
  sheets = known.sheets + excluded.sheets, first_scores = known.first_scores + excluded.first_scores,
  unchanged = known.unchanged + excluded.unchanged, changed = known.changed + excluded.changed,
  became_null = known.became_null + excluded.became_null, gained_value = known.gained_value + excluded.gained_value,
  band_moves = known.band_moves + excluded.band_moves, compared = known.compared + excluded.compared,
  total_change = known.total_change + excluded.total_change,
  greatest_change = greatest(known.greatest_change, excluded.greatest_change);

-- name: add_rescoring_moves(rescoring_id uuid, questionnaire text, version text, scales text[], bands_from text[], bands_to text[], sheets int8[]) :exec
insert into research.rescoring_move as known (rescoring_id, questionnaire, version, scale, band_from, band_to, sheets)
select :rescoring_id, :questionnaire, :version, found.*
from unnest(:scales::text[], :bands_from::text[], :bands_to::text[], :sheets::int8[]) as found
on conflict (rescoring_id, questionnaire, version, scale, band_from, band_to) do update
  set sheets = known.sheets + excluded.sheets;

-- name: list_rescorings(study text, before timestamptz, before_id uuid, limit_rows int4) :many
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total,
  sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring
where study = :study and (requested_at, rescoring_id) < (:before, :before_id)
order by requested_at desc, rescoring_id desc
limit :limit_rows;

-- name: find_rescoring(study text, rescoring_id uuid) :many
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total,
  sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring where study = :study and rescoring_id = :rescoring_id;

-- name: list_rescoring_scales(rescoring_id uuid) :many
select questionnaire, version, scale, key_version, key_digest, sheets, first_scores, unchanged, changed, became_null,
  gained_value,
  band_moves, compared, total_change, greatest_change
from research.rescoring_scale where rescoring_id = :rescoring_id
order by questionnaire collate "C", version collate "C", scale collate "C";

-- name: list_rescoring_moves(rescoring_id uuid) :many
select questionnaire, version, scale, band_from, band_to, sheets
from research.rescoring_move where rescoring_id = :rescoring_id
order by questionnaire collate "C", version collate "C", scale collate "C", band_from collate "C", band_to collate "C";

-- name: fail_rescoring(rescoring_id uuid, now timestamptz, failure text) :exec
update research.rescoring set state = 'failed', lease_until = null, finished_at = :now, failure = :failure,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0
where rescoring_id = :rescoring_id and state in ('queued', 'running', 'settling');
