-- name: insert_audit_entry(now timestamptz, actor_kind text, actor_ref text, action text, study text, enrolment_ref text, request_id text, detail jsonb) :exec
insert into audit.entry (recorded_at, actor_kind, actor_ref, action, study, enrolment_ref, request_id, detail)
values (:now, :actor_kind, :actor_ref, :action, :study, :enrolment_ref, :request_id, :detail);

-- name: list_audit_entries(study text, action text, since timestamptz, after int8, limit_rows int4) :many
-- In the order in which the entries were written. A null study, action or since selects all.
select entry_id, recorded_at, actor_kind, actor_ref, action, study, enrolment_ref, request_id, detail
from audit.entry
where entry_id > :after
  and (:study is null or study = :study)
  and (:action is null or action = :action)
  and (:since is null or recorded_at >= :since)
order by entry_id
limit :limit_rows;

-- name: list_study_audit(study text, action text, actor text, since timestamptz, until timestamptz, before int8, limit_rows int4) :many
-- The entries of a study, the newest first. A null action, actor, since or until selects all. An actor is a kind of
-- actor, or the digest of an account.
select entry_id, recorded_at, actor_kind, actor_ref, action, study, enrolment_ref, request_id, detail
from audit.entry
where study = :study and entry_id < :before
  and (:action is null or action = :action)
  and (:actor is null or actor_kind = :actor or actor_ref = :actor)
  and (:since is null or recorded_at >= :since)
  and (:until is null or recorded_at < :until)
order by entry_id desc
limit :limit_rows;
