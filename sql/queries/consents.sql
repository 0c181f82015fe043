-- name: insert_enrolment_consent(enrolment_id uuid, consent_version text, now timestamptz, study_version text, language text, text_digest text) :exec
insert into research.enrolment_consent (enrolment_id, consent_version, consented_at, study_version, language, text_digest)
values ($1, $2, $3, $4, $5, $6)
on conflict (enrolment_id, consent_version) do nothing;

-- name: insert_enrolment_version(enrolment_id uuid, study_version text, now timestamptz) :exec
-- Who comes back to an earlier version follows it anew.
insert into research.enrolment_version (enrolment_id, study_version, followed_from) values ($1, $2, $3)
on conflict (enrolment_id, study_version) do update set followed_from = excluded.followed_from;

-- name: list_enrolment_versions(enrolment_ids uuid[]) :many
select enrolment_id, study_version, followed_from from research.enrolment_version where enrolment_id = any ($1)
order by enrolment_id, followed_from, study_version;

-- name: update_enrolment_version(enrolment_id uuid, study_version text) :exec
update research.enrolment set study_version = $2 where enrolment_id = $1;

-- name: update_enrolment_consent(enrolment_id uuid, consent_version text, now timestamptz) :exec
update research.enrolment set consent_version = $2, consented_at = $3 where enrolment_id = $1;

-- name: count_enrolments_behind(study text, study_version text, consent_version text) :one
-- Of whom a version would be new, those who have consented to its text.
select count(*)::int as count from research.enrolment
where study = $1 and status = 'active' and study_version <> $2 and consent_version = $3;

-- name: list_enrolments_behind(study text, study_version text, after uuid, limit_rows int4) :many
-- Of whom a version would be new, in the order of their ids.
select enrolment_id, consent_version from research.enrolment
where study = $1 and status = 'active' and study_version <> $2 and enrolment_id > $3
order by enrolment_id
limit $4;
