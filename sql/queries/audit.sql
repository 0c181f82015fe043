-- name: insert_audit_entry(now timestamptz, actor_kind text, actor_ref text, action text, study text, enrolment_ref text, request_id text, detail jsonb) :exec
insert into audit.entry (recorded_at, actor_kind, actor_ref, action, study, enrolment_ref, request_id, detail)
values (:now, :actor_kind, :actor_ref, :action, :study, :enrolment_ref, :request_id, :detail);
