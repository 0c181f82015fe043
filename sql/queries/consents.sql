-- name: insert_enrolment_consent(enrolment_id uuid, consent_version text, now timestamptz, study_version text, language text, text_digest text) :exec
insert into research.enrolment_consent (enrolment_id, consent_version, consented_at, study_version, language,
  text_digest)
values (:enrolment_id, :consent_version, :now, :study_version, :language, :text_digest)
on conflict (enrolment_id, consent_version) do nothing;

-- name: insert_enrolment_version(enrolment_id uuid, study_version text, now timestamptz) :exec
-- Returning to an earlier version updates its row.
insert into research.enrolment_version (enrolment_id, study_version, followed_from)
  values (:enrolment_id, :study_version, :now)
on conflict (enrolment_id, study_version) do update set followed_from = excluded.followed_from;

-- name: list_enrolment_versions(enrolment_ids uuid[]) :many
select enrolment_id, study_version, followed_from from research.enrolment_version
  where enrolment_id = any (:enrolment_ids)
order by enrolment_id, followed_from, study_version;

-- name: update_enrolment_version(enrolment_id uuid, study_version text) :exec
update research.enrolment set study_version = :study_version where enrolment_id = :enrolment_id;

-- name: update_enrolment_consent(enrolment_id uuid, consent_version text, now timestamptz) :exec
update research.enrolment set consent_version = :consent_version, consented_at = :now
  where enrolment_id = :enrolment_id;

-- name: count_enrolments_behind(study text, study_version text, consent_version text) :one
-- Active enrolments that follow another version and have consented to the text of this one.
select count(*)::int as count from research.enrolment
where study = :study and status = 'active' and study_version <> :study_version and consent_version = :consent_version;

-- name: list_enrolments_behind(study text, study_version text, after uuid, limit_rows int4) :many
-- Active enrolments that follow another version, in the order of their ids.
select enrolment_id, consent_version from research.enrolment
where study = :study and status = 'active' and study_version <> :study_version and enrolment_id > :after
order by enrolment_id
limit :limit_rows;
