-- name: insert_audit_entry(now timestamptz, actor_kind text, actor_id uuid, action text, study text, enrolment_id uuid, request_id text, detail jsonb) :exec
insert into audit.entry (recorded_at, actor_kind, actor_id, action, study, enrolment_id, request_id, detail)
values (:now, :actor_kind, :actor_id, :action, :study, :enrolment_id, :request_id, :detail);
