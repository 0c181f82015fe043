-- Scoring what is stored: sheets whose scores by the present key and engine are missing, in key order, and the rows that are added.

-- name: count_scorable_sheets(study text, questionnaires text[]) :one
select count(*) as sheets
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = $1 and sheet.questionnaire = any ($2) and sheet.deleted_at is null;

-- name: list_unscored_sheets(study text, questionnaire text, version text, key_digest text, engine_version text, scale_count int4, after_enrolment uuid, after_sheet uuid, after_revision int4, limit_rows int4) :many
select sheet.enrolment_id, sheet.sheet_id, sheet.revision, sheet.slots, sheet.numbers
from research.answer_sheet sheet
join research.enrolment enrolment using (enrolment_id)
where enrolment.study = $1
  and sheet.questionnaire = $2
  and sheet.version = $3
  and sheet.deleted_at is null
  and (sheet.enrolment_id, sheet.sheet_id, sheet.revision) > ($7, $8, $9)
  and (
    select count(*) from research.score score
    where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id and score.revision = sheet.revision
      and score.key_digest = $4 and score.engine_version = $5
  ) < $6
order by sheet.enrolment_id, sheet.sheet_id, sheet.revision
limit $10;

-- name: insert_missing_scores(enrolment_ids uuid[], sheet_ids uuid[], revisions int4[], scales text[], scale_values float8[], reasons text[], bands text[], item_counts int4[], answered_counts int4[], imputed_counts int4[], key_version text, key_digest text, engine_version text) :exec
-- A sheet that was erased meanwhile is passed over.
insert into research.score
  (enrolment_id, sheet_id, revision, scale, value, reason, band, item_count, answered_count, imputed_count,
   key_version, key_digest, engine_version, computed_at)
select computed.enrolment_id, computed.sheet_id, computed.revision, computed.scale, computed.value, computed.reason, computed.band,
  computed.item_count, computed.answered_count, computed.imputed_count, $11, $12, $13, now()
from unnest($1::uuid[], $2::uuid[], $3::int4[], $4::text[], $5::float8[], $6::text[], $7::text[], $8::int4[], $9::int4[],
  $10::int4[]) as computed (enrolment_id, sheet_id, revision, scale, value, reason, band, item_count, answered_count,
  imputed_count)
join research.answer_sheet sheet using (enrolment_id, sheet_id, revision)
where sheet.deleted_at is null
on conflict (enrolment_id, sheet_id, revision, scale, key_digest, engine_version) do nothing;
