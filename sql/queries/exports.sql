-- name: insert_export_job(export_id uuid, study text, requested_by uuid, profile text, filters jsonb, now timestamptz, request_digest text, asked_tag text, most_queued int4) :many
-- No row when too many wait already.
insert into research.export_job
  (export_id, study, requested_by, profile, filters, requested_at, state, request_digest, asked_tag)
select $1, $2, $3, $4, $5, $6, 'queued', $7, $8
where (select count(*) from research.export_job where study = $2 and state = 'queued') < $9
returning export_id;

-- name: list_alike_exports(study text, request_digest text, tag text) :many
-- Jobs that answer the same request as well as a new one would: one that has not begun, and one whose study is as it was. An unknown tag is like no
-- other.
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at
from research.export_job
where study = $1 and request_digest = $2
  and (state = 'queued' or (state = 'running' and asked_tag = $3) or (state = 'done' and snapshot_tag = $3))
order by requested_at desc
limit 20;

-- name: want_export(export_id uuid, now timestamptz) :exec
update research.export_job set wanted_at = $2 where export_id = $1;

-- name: claim_export_job(now timestamptz, lease_until timestamptz, most_attempts int4) :many
-- A job whose worker died is taken up again when its lease is over. In each study one at a time.
update research.export_job
set state = 'running', progress = 0, lease_until = $2, attempt = attempt + 1, current_file = null, rows_done = 0
where export_id = (
  select export_id from research.export_job job
  where attempt < $3
    and ((state = 'queued' and not exists (
        select from research.export_job other where other.study = job.study and other.state = 'running'))
      or (state = 'running' and lease_until < $1))
  order by requested_at
  limit 1
  for update skip locked)
returning export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at;

-- name: give_up_export_jobs(now timestamptz, most_attempts int4, failure text) :exec
-- Those that took every worker with them.
update research.export_job set state = 'failed', finished_at = $1, failure = $3, lease_until = null
where state = 'running' and lease_until < $1 and attempt >= $2;

-- name: advance_export_job(export_id uuid, attempt int4, progress float8, current_file text, rows_done int8, rows_estimated int8, lease_until timestamptz) :many
-- No row when the job is no longer the worker's.
update research.export_job
set progress = $3, current_file = $4, rows_done = $5, rows_estimated = $6, lease_until = $7
where export_id = $1 and attempt = $2 and state = 'running'
returning export_id;

-- name: finish_export_job(export_id uuid, attempt int4, now timestamptz, file_name text, file_bytes int8, file_sha256 text, rows_done int8, snapshot text, snapshot_tag text, change_seq int8) :many
-- No row when the job is no longer the worker's.
update research.export_job
set state = 'done', progress = 1, finished_at = $3, file_name = $4, file_bytes = $5, file_sha256 = $6, rows_done = $7,
  rows_estimated = $7, snapshot = $8, snapshot_tag = $9, change_seq = $10, current_file = null, lease_until = null
where export_id = $1 and attempt = $2 and state = 'running'
returning export_id;

-- name: fail_export_job(export_id uuid, attempt int4, now timestamptz, failure text) :exec
update research.export_job set state = 'failed', finished_at = $3, failure = $4, lease_until = null
where export_id = $1 and attempt = $2 and state = 'running';

-- name: end_export_job(study text, export_id uuid, now timestamptz) :many
-- No row when there is nothing to stop or to take away.
update research.export_job
set state = case when state = 'done' then 'deleted' else 'cancelled' end, finished_at = coalesce(finished_at, $3),
  lease_until = null, file_name = null
where study = $1 and export_id = $2 and state in ('queued', 'running', 'done')
returning state;

-- name: withdraw_exports(study text, now timestamptz, most_attempts int4, failure text) :exec
-- They hold what somebody has taken back. What is being made is begun anew; its worker finds that it is no longer its.
update research.export_job
set state = case when state = 'done' then 'deleted' when attempt < $3 then 'queued' else 'failed' end,
  finished_at = case when state = 'running' and attempt < $3 then null else coalesce(finished_at, $2) end,
  failure = case when state = 'running' and attempt >= $3 then $4 else failure end,
  file_name = null, lease_until = null, progress = 0, current_file = null, rows_done = 0
where study = $1 and state in ('running', 'done');

-- name: expire_export_jobs(wanted_before timestamptz) :many
update research.export_job set state = 'expired', file_name = null
where state = 'done' and greatest(finished_at, wanted_at) < $1
returning export_id;

-- name: list_export_files() :many
select export_id, state from research.export_job where state in ('running', 'done');

-- name: find_export_job(study text, export_id uuid) :many
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at
from research.export_job where study = $1 and export_id = $2;
