-- name: lock_study(study text) :many
-- Two publications of one study come one after the other, the first of all included.
select pg_advisory_xact_lock(hashtextextended('saunter study ' || $1, 0));

-- name: find_study_version(study text, version text) :many
select study, version, digest, files::text as files from research.study_version where study = $1 and version = $2;

-- name: insert_study_version(study text, version text, digest text, files jsonb, now timestamptz) :exec
insert into research.study_version (study, version, digest, files, published_at) values ($1, $2, $3, $4, $5);

-- name: find_questionnaire_version(questionnaire text, version text) :many
select digest from research.questionnaire_version where questionnaire = $1 and version = $2;

-- name: insert_questionnaire_version(questionnaire text, version text, digest text, structure jsonb, now timestamptz) :exec
insert into research.questionnaire_version (questionnaire, version, digest, structure, published_at)
values ($1, $2, $3, $4, $5)
on conflict (questionnaire, version) do nothing;

-- name: upsert_live_version(study text, version text) :exec
insert into research.study (study, live_version) values ($1, $2)
on conflict (study) do update set live_version = excluded.live_version;

-- name: list_studies() :many
select study, live_version, closed_at from research.study order by study;

-- name: find_study(study text) :many
select study, live_version, closed_at from research.study where study = $1;
