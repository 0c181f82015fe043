-- name: insert_export_job(export_id uuid, study text, requested_by uuid, profile text, filters jsonb, now timestamptz) :exec
insert into research.export_job (export_id, study, requested_by, profile, filters, requested_at, state)
values ($1, $2, $3, $4, $5, $6, 'queued');

-- name: claim_export_job(now timestamptz, lease_until timestamptz) :many
-- A job whose worker died is taken up again when its lease is over.
update research.export_job set state = 'running', progress = 0, lease_until = $2
where export_id = (
  select export_id from research.export_job
  where state = 'queued' or (state = 'running' and lease_until < $1)
  order by requested_at
  limit 1
  for update skip locked)
returning export_id, study, requested_by, profile, filters::text as filters, requested_at;

-- name: advance_export_job(export_id uuid, progress float8, lease_until timestamptz) :exec
update research.export_job set progress = $2, lease_until = $3 where export_id = $1 and state = 'running';

-- name: finish_export_job(export_id uuid, now timestamptz, file_name text, file_bytes int8, file_sha256 text) :exec
update research.export_job
set state = 'done', progress = 1, finished_at = $2, file_name = $3, file_bytes = $4, file_sha256 = $5
where export_id = $1;

-- name: fail_export_job(export_id uuid, now timestamptz, failure text) :exec
update research.export_job set state = 'failed', finished_at = $2, failure = $3 where export_id = $1;

-- name: expire_export_jobs(finished_before timestamptz) :many
update research.export_job set state = 'expired', file_name = null
where state = 'done' and finished_at < $1
returning export_id;

-- name: list_export_files() :many
select export_id, state from research.export_job where state in ('running', 'done');

-- name: find_export_job(study text, export_id uuid) :many
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure
from research.export_job where study = $1 and export_id = $2;
