-- name: count_usable_enrolment_codes(study text, now timestamptz) :one
select count(*)::int as codes from research.enrolment_code
where study = :study and revoked_at is null and expires_at > :now and uses < maximum_uses;

-- name: insert_enrolment_codes(code_ids uuid[], study text, code_digests bytea[], label text, maximum_uses int4, now timestamptz, expires_at timestamptz) :exec
insert into research.enrolment_code (code_id, study, code_digest, label, maximum_uses, created_at, expires_at)
select code_id, :study, code_digest, :label, :maximum_uses, :now, :expires_at
from unnest(:code_ids::uuid[], :code_digests::bytea[]) as given (code_id, code_digest);

-- name: list_enrolment_codes(study text, before timestamptz, before_id uuid, limit_rows int4) :many
select code_id, label, maximum_uses, uses, created_at, expires_at, revoked_at
from research.enrolment_code
where study = :study and (created_at, code_id) < (:before, :before_id)
order by created_at desc, code_id desc
limit :limit_rows;

-- name: revoke_enrolment_code(code_id uuid, study text, now timestamptz) :many
-- A revoked code keeps its first revocation.
update research.enrolment_code set revoked_at = coalesce(revoked_at, :now)
where code_id = :code_id and study = :study
returning code_id;

-- name: lock_enrolment_code(study text, code_digest bytea) :many
-- Two requests for the last use run one after the other.
select code_id, label, maximum_uses, uses, created_at, expires_at, revoked_at
from research.enrolment_code
where code_digest = :code_digest and study = :study
for no key update;

-- name: use_enrolment_code(code_id uuid) :exec
update research.enrolment_code set uses = uses + 1 where code_id = :code_id;

-- name: insert_enrolment_code_use(enrolment_id uuid, code_id uuid, now timestamptz) :exec
insert into research.enrolment_code_use (enrolment_id, code_id, used_at) values (:enrolment_id, :code_id, :now);
