-- name: lock_study(study text) :many
-- Publications of one study run one after the other, including the first one. The same applies to the creation of
-- enrolment codes and of rescoring jobs.
select pg_advisory_xact_lock(hashtextextended('saunter study ' || :study, 0));

-- name: keep_live_version(study text) :many
-- Until the transaction ends, no other version and no edition of the library becomes live. So a new enrolment follows
-- the live version, and a later publication finds the enrolment. Transactions that enrol do not wait for each other. A
-- waiting publication comes before later enrolments. Taken before any other lock. Its key is not that of `lock_study`,
-- because changes of a draft and the start of a rescoring take longer and do not concern enrolments.
select pg_advisory_xact_lock_shared(hashtextextended('saunter live version ' || :study, 0));

-- name: lock_live_version(study text) :many
-- Waits for the transactions that enrol participants in the study. Taken after `lock_study` and before locks of
-- enrolments.
select pg_advisory_xact_lock(hashtextextended('saunter live version ' || :study, 0));

-- name: find_study_version(study text, version text) :many
select study, version, digest, files::text as files from research.study_version where study = :study
  and version = :version;

-- name: insert_study_version(study text, version text, digest text, files jsonb, now timestamptz) :exec
insert into research.study_version (study, version, digest, files, published_at) values (:study, :version, :digest,
  :files, :now);

-- name: find_questionnaire_version(questionnaire text, version text) :many
select digest from research.questionnaire_version where questionnaire = :questionnaire and version = :version;

-- name: insert_questionnaire_version(questionnaire text, version text, digest text, structure jsonb, now timestamptz) :exec
insert into research.questionnaire_version (questionnaire, version, digest, structure, published_at)
values (:questionnaire, :version, :digest, :structure, :now)
on conflict (questionnaire, version) do nothing;

-- name: upsert_live_version(study text, version text) :exec
insert into research.study (study, live_version) values (:study, :version)
on conflict (study) do update set live_version = excluded.live_version;

-- name: list_study_versions(study text) :many
select version from research.study_version where study = :study order by published_at, version;

-- name: list_version_summaries(study text) :many
-- The newest first, with the number of active enrolments that follow the version.
select version, published_at, digest, coalesce(counted.enrolments, 0) as enrolments
from research.study_version
left join (
  select study_version as version, count(*)::int as enrolments from research.enrolment
  where study = :study and status = 'active' group by study_version) as counted using (version)
where study = :study
order by published_at desc, version desc;

-- name: find_live_version(enrolment_id uuid) :many
select study.live_version from research.enrolment join research.study using (study) where enrolment_id = :enrolment_id;

-- name: list_size_settings() :many
-- PostgreSQL's settings for memory and for the write-ahead log that are below the advice in docs/operations.md.
select name, current_setting(name) as value, advice
from pg_settings
join (values ('shared_buffers', 32768, 'a quarter of the memory of its machine'), ('max_wal_size', 4096, '4GB or more'),
  ('checkpoint_timeout', 900, '15min'), ('wal_compression', 0, 'lz4')) as advised (name, least, advice) using (name)
where case when name = 'wal_compression' then setting = 'off' else setting::int < least end
order by name;

-- name: list_studies() :many
select study, live_version, closed_at from research.study order by study;

-- name: find_study(study text) :many
select study, live_version, closed_at from research.study where study = :study;
