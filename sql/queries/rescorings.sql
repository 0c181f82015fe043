-- name: list_study_versions(study text) :many
select version from research.study_version where study = $1 order by published_at, version;

-- name: find_live_version(enrolment_id uuid) :many
select study.live_version from research.enrolment join research.study using (study) where enrolment_id = $1;

-- name: take_time() :one
-- Counting the sheets of a large study takes longer than a request may.
select set_config('statement_timeout', '0', true);

-- name: count_sheets_to_score(study text, questionnaire text, version text, key_digest text, engine_version text, scales text[], everything bool) :one
-- All revisions; sheets with a scale whose newest score is not by this key and engine, or simply all.
select count(*) as sheets
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = $1
  and sheet.questionnaire = $2
  and sheet.version = $3
  and sheet.deleted_at is null
  and ($7 or (
    select count(*) filter (where newest.key_digest = $4 and newest.engine_version = $5)
    from (
      select distinct on (score.scale) score.key_digest, score.engine_version
      from research.score score
      where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id
        and score.revision = sheet.revision and score.scale = any ($6)
      order by score.scale, score.computed_at desc, (score.key_digest = $4 and score.engine_version = $5) desc
    ) as newest
  ) < cardinality($6));

-- name: list_sheets_to_score(study text, questionnaire text, version text, key_digest text, engine_version text, scales text[], everything bool, after_enrolment uuid, after_sheet uuid, after_revision int4, limit_rows int4) :many
-- In key order, from after a place on.
select sheet.enrolment_id, sheet.sheet_id, sheet.revision, sheet.slots, sheet.numbers, sheet.completed_offset_min, enrolment.arm,
  sheet.completed_at + sheet.skew_ms * interval '1 millisecond' as completed_at,
  sheet.current and sheet.duplicate_of is null as counts
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = $1
  and sheet.questionnaire = $2
  and sheet.version = $3
  and sheet.deleted_at is null
  and (sheet.enrolment_id, sheet.sheet_id, sheet.revision) > ($8, $9, $10)
  and ($7 or (
    select count(*) filter (where newest.key_digest = $4 and newest.engine_version = $5)
    from (
      select distinct on (score.scale) score.key_digest, score.engine_version
      from research.score score
      where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id
        and score.revision = sheet.revision and score.scale = any ($6)
      order by score.scale, score.computed_at desc, (score.key_digest = $4 and score.engine_version = $5) desc
    ) as newest
  ) < cardinality($6))
order by sheet.enrolment_id, sheet.sheet_id, sheet.revision
limit $11;

-- name: list_sheets_of_person(enrolment_id uuid, questionnaire text, version text) :many
select sheet.enrolment_id, sheet.sheet_id, sheet.revision, sheet.slots, sheet.numbers, sheet.completed_offset_min, enrolment.arm,
  sheet.completed_at + sheet.skew_ms * interval '1 millisecond' as completed_at,
  sheet.current and sheet.duplicate_of is null as counts
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where sheet.enrolment_id = $1 and sheet.questionnaire = $2 and sheet.version = $3 and sheet.deleted_at is null
order by sheet.sheet_id, sheet.revision;

-- name: lock_people(enrolment_ids uuid[]) :many
-- In key order. Whoever scores by what is known of somebody takes turns, so that the last one has seen all that was known.
select enrolment_id from research.enrolment where enrolment_id = any ($1) order by enrolment_id for no key update;

-- name: list_telling_sheets(enrolment_ids uuid[], questionnaires text[]) :many
-- Sheets that count, of the questionnaires that tell covariates.
select sheet.enrolment_id, sheet.sheet_id, sheet.questionnaire, sheet.version, sheet.slots, sheet.numbers,
  sheet.completed_at + sheet.skew_ms * interval '1 millisecond' as completed_at
from research.answer_sheet sheet
where sheet.enrolment_id = any ($1) and sheet.questionnaire = any ($2)
  and sheet.current and sheet.deleted_at is null and sheet.duplicate_of is null;

-- name: list_previous_scores(enrolment_ids uuid[], sheet_ids uuid[], revisions int4[], key_digest text, engine_version text) :many
-- Of every score the newest working, which is what was told until now. place: from 1, among the sheets.
select distinct on (wanted.place, score.scale) wanted.place, score.scale, score.value, score.band
from unnest($1::uuid[], $2::uuid[], $3::int4[]) with ordinality as wanted (enrolment_id, sheet_id, revision, place)
join research.score score using (enrolment_id, sheet_id, revision)
order by wanted.place, score.scale, score.computed_at desc, (score.key_digest = $4 and score.engine_version = $5) desc,
  score.key_digest, score.engine_version;

-- name: put_scores(enrolment_ids uuid[], sheet_ids uuid[], revisions int4[], covariates text[], scales text[], scale_values float8[], reasons text[], bands text[], item_counts int4[], answered_counts int4[], imputed_counts int4[], exclusions text[], standard_errors float8[], key_version text, key_digest text, engine_version text, now timestamptz) :exec
-- A sheet that was deleted or erased meanwhile is passed over. A score by the same key and engine is replaced only where something else is known
-- of the person now, or where another key was in force since. What is put is the newest of its kind, whatever clock the others were made by.
insert into research.score as stored
  (enrolment_id, sheet_id, revision, covariates, scale, value, reason, band, item_count, answered_count, imputed_count, exclusion,
   standard_error, key_version, key_digest, engine_version, computed_at)
select computed.*, $14, $15, $16, greatest($17, others.newest_at + interval '1 millisecond')
from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::text[], $5::text[], $6::float8[], $7::text[], $8::text[], $9::int4[], $10::int4[],
  $11::int4[], $12::text[], $13::float8[]) as computed (enrolment_id, sheet_id, revision, covariates, scale, value, reason, band,
  item_count, answered_count, imputed_count, exclusion, standard_error)
join research.answer_sheet sheet
  on sheet.enrolment_id = computed.enrolment_id and sheet.sheet_id = computed.sheet_id and sheet.revision = computed.revision
cross join lateral (
  select max(other.computed_at) as newest_at
  from research.score other
  where other.enrolment_id = computed.enrolment_id and other.sheet_id = computed.sheet_id and other.revision = computed.revision
    and other.scale = computed.scale and (other.key_digest <> $15 or other.engine_version <> $16)
) as others
where sheet.deleted_at is null
on conflict (enrolment_id, sheet_id, revision, scale, key_digest, engine_version) do update set
  covariates = excluded.covariates, value = excluded.value, reason = excluded.reason, band = excluded.band,
  exclusion = excluded.exclusion, standard_error = excluded.standard_error, item_count = excluded.item_count,
  answered_count = excluded.answered_count, imputed_count = excluded.imputed_count, computed_at = excluded.computed_at
where stored.covariates is distinct from excluded.covariates
  or exists (
    select from research.score other
    where other.enrolment_id = stored.enrolment_id and other.sheet_id = stored.sheet_id and other.revision = stored.revision
      and other.scale = stored.scale and other.computed_at > stored.computed_at
      and (other.key_digest <> stored.key_digest or other.engine_version <> stored.engine_version));

-- name: count_scorable_sheets(study text, questionnaires text[], versions text[]) :one
-- All revisions of the versions that something scores.
select count(*) as sheets
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
join unnest($2::text[], $3::text[]) as scored (questionnaire, version)
  on sheet.questionnaire = scored.questionnaire and sheet.version = scored.version
where enrolment.study = $1 and sheet.deleted_at is null;

-- name: find_last_rescoring(study text) :many
-- The newest that was not given up for another.
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total, sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring where study = $1 and state <> 'superseded'
order by requested_at desc, rescoring_id desc
limit 1;

-- name: supersede_rescorings(study text, now timestamptz) :exec
-- The place is forgotten: a job that is over holds nobody's id.
update research.rescoring set state = 'superseded', finished_at = $2, lease_until = null,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0
where study = $1 and state in ('queued', 'running', 'settling');

-- name: insert_rescoring(rescoring_id uuid, study text, study_version text, rules_digest text, engine_version text, cause text, sheets_total int8, now timestamptz) :exec
insert into research.rescoring
  (rescoring_id, study, study_version, rules_digest, engine_version, cause, sheets_total, requested_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: claim_rescoring(now timestamptz, lease_until timestamptz, settles_before timestamptz, rescoring_id uuid, engine_version text) :many
-- The next that nobody works at, or the named one; another engine's jobs are for its own server. One that settles is taken up once nothing can be on its way any more, unless it is named.
update research.rescoring set lease_until = $2, state = case state when 'queued' then 'running' else state end
where rescoring_id = (
  select rescoring_id from research.rescoring
  where state in ('queued', 'running', 'settling')
    and (lease_until is null or lease_until < $1)
    and engine_version = $5
    and (rescoring_id = $4 or $4 is null and (state <> 'settling' or requested_at <= $3))
  order by requested_at
  limit 1
  for update skip locked)
returning rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total, sheets_seen,
  rows_added, damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure;

-- name: lock_rescoring(rescoring_id uuid, batches int4) :many
-- Nothing where another went on with it, or it was given up.
select rescoring_id from research.rescoring
where rescoring_id = $1 and batches = $2 and state in ('running', 'settling')
for update;

-- name: advance_rescoring(rescoring_id uuid, questionnaire text, version text, at_enrolment uuid, at_sheet uuid, at_revision int4, seen int8, added int8, damaged int8, lease_until timestamptz) :exec
update research.rescoring set
  at_questionnaire = $2, at_version = $3, at_enrolment = $4, at_sheet = $5, at_revision = $6, sheets_seen = sheets_seen + $7,
  rows_added = rows_added + $8, damaged = rescoring.damaged + $9, lease_until = $10, batches = batches + 1
where rescoring_id = $1;

-- name: end_rescoring(rescoring_id uuid, batches int4, state text, now timestamptz) :exec
-- The place is before all again, for the second look of one that settles.
update research.rescoring set
  state = $3, lease_until = null, finished_at = case when $3 = 'settling' then null else $4 end,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0, batches = batches + 1
where rescoring_id = $1 and batches = $2 and state in ('running', 'settling');

-- name: add_rescoring_scales(rescoring_id uuid, questionnaire text, version text, key_version text, key_digest text, scales text[], sheets int8[], first_scores int8[], unchanged int8[], changed int8[], became_null int8[], gained_value int8[], band_moves int8[], compared int8[], total_change float8[], greatest_change float8[]) :exec
insert into research.rescoring_scale as known
  (rescoring_id, questionnaire, version, key_version, key_digest, scale, sheets, first_scores, unchanged, changed, became_null, gained_value,
   band_moves, compared, total_change, greatest_change)
select $1, $2, $3, $4, $5, found.*
from unnest($6::text[], $7::int8[], $8::int8[], $9::int8[], $10::int8[], $11::int8[], $12::int8[], $13::int8[], $14::int8[], $15::float8[],
  $16::float8[]) as found
on conflict (rescoring_id, questionnaire, version, scale) do update set
  sheets = known.sheets + excluded.sheets, first_scores = known.first_scores + excluded.first_scores,
  unchanged = known.unchanged + excluded.unchanged, changed = known.changed + excluded.changed,
  became_null = known.became_null + excluded.became_null, gained_value = known.gained_value + excluded.gained_value,
  band_moves = known.band_moves + excluded.band_moves, compared = known.compared + excluded.compared,
  total_change = known.total_change + excluded.total_change,
  greatest_change = greatest(known.greatest_change, excluded.greatest_change);

-- name: add_rescoring_moves(rescoring_id uuid, questionnaire text, version text, scales text[], bands_from text[], bands_to text[], sheets int8[]) :exec
insert into research.rescoring_move as known (rescoring_id, questionnaire, version, scale, band_from, band_to, sheets)
select $1, $2, $3, found.*
from unnest($4::text[], $5::text[], $6::text[], $7::int8[]) as found
on conflict (rescoring_id, questionnaire, version, scale, band_from, band_to) do update set sheets = known.sheets + excluded.sheets;

-- name: list_rescorings(study text, before timestamptz, before_id uuid, limit_rows int4) :many
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total, sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring
where study = $1 and (requested_at, rescoring_id) < ($2, $3)
order by requested_at desc, rescoring_id desc
limit $4;

-- name: find_rescoring(study text, rescoring_id uuid) :many
select rescoring_id, study, study_version, rules_digest, engine_version, cause, requested_at, state, sheets_total, sheets_seen, rows_added,
  damaged, batches, at_questionnaire, at_version, at_enrolment, at_sheet, at_revision, finished_at, failure
from research.rescoring where study = $1 and rescoring_id = $2;

-- name: list_rescoring_scales(rescoring_id uuid) :many
select questionnaire, version, scale, key_version, key_digest, sheets, first_scores, unchanged, changed, became_null, gained_value,
  band_moves, compared, total_change, greatest_change
from research.rescoring_scale where rescoring_id = $1
order by questionnaire collate "C", version collate "C", scale collate "C";

-- name: list_rescoring_moves(rescoring_id uuid) :many
select questionnaire, version, scale, band_from, band_to, sheets
from research.rescoring_move where rescoring_id = $1
order by questionnaire collate "C", version collate "C", scale collate "C", band_from collate "C", band_to collate "C";

-- name: fail_rescoring(rescoring_id uuid, now timestamptz, failure text) :exec
update research.rescoring set state = 'failed', lease_until = null, finished_at = $2, failure = $3,
  at_questionnaire = '', at_version = '', at_enrolment = '00000000-0000-0000-0000-000000000000',
  at_sheet = '00000000-0000-0000-0000-000000000000', at_revision = 0
where rescoring_id = $1 and state in ('queued', 'running', 'settling');
