-- name: insert_export_job(export_id uuid, study text, requested_by uuid, profile text, filters jsonb, now timestamptz, request_digest text, asked_tag text, blinded bool, most_queued int4) :many
-- No row if too many jobs are queued. Datasets and statistics are counted separately.
insert into research.export_job
  (export_id, study, requested_by, profile, filters, requested_at, state, request_digest, asked_tag, blinded)
select :export_id, :study, :requested_by, :profile, :filters, :now, 'queued', :request_digest, :asked_tag, :blinded
where (select count(*) from research.export_job job where job.study = :study and job.state = 'queued'
  and (job.profile = 'statistics') = (:profile = 'statistics')) < :most_queued
returning export_id;

-- name: list_alike_exports(study text, request_digest text, tag text) :many
-- Jobs whose dataset would equal that of a new job: queued jobs, and jobs of the current state of the study. A null tag
-- equals no other.
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at, blinded
from research.export_job
where study = :study and request_digest = :request_digest
  and (state = 'queued' or (state = 'running' and asked_tag = :tag) or (state = 'done' and snapshot_tag = :tag))
order by requested_at desc
limit 20;

-- name: want_export(export_id uuid, now timestamptz) :exec
update research.export_job set wanted_at = :now where export_id = :export_id;

-- name: claim_export_job(statistics bool, now timestamptz, lease_until timestamptz, most_attempts int4) :many
-- Claims the next dataset, or the next statistics. A job whose worker died is claimed again after its lease. Each study
-- has at most one running job of each of the two kinds.
update research.export_job
set state = 'running', progress = 0, lease_until = :lease_until, attempt = attempt + 1, current_file = null,
  rows_done = 0
where export_id = (
  select export_id from research.export_job job
  where attempt < :most_attempts and (profile = 'statistics') = :statistics
    and ((state = 'queued' and not exists (
        select from research.export_job other where other.study = job.study and other.state = 'running'
          and (other.profile = 'statistics') = :statistics))
      or (state = 'running' and lease_until < :now))
  order by requested_at
  limit 1
  for update skip locked)
returning export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at, blinded;

-- name: give_up_export_jobs(now timestamptz, most_attempts int4, failure text) :exec
-- Marks jobs as failed if the worker of the last permitted attempt has stopped.
update research.export_job set state = 'failed', finished_at = :now, failure = :failure, lease_until = null
where state = 'running' and lease_until < :now and attempt >= :most_attempts;

-- name: advance_export_job(export_id uuid, attempt int4, progress float8, current_file text, rows_done int8, rows_estimated int8, lease_until timestamptz) :many
-- No row if the job no longer belongs to the worker.
update research.export_job
set progress = :progress, current_file = :current_file, rows_done = :rows_done, rows_estimated = :rows_estimated,
  lease_until = :lease_until
where export_id = :export_id and attempt = :attempt and state = 'running'
returning export_id;

-- name: finish_export_job(export_id uuid, attempt int4, now timestamptz, file_name text, file_bytes int8, file_sha256 text, rows_done int8, snapshot text, snapshot_tag text, change_seq int8) :many
-- No row if the job no longer belongs to the worker.
update research.export_job
set state = 'done', progress = 1, finished_at = :now, file_name = :file_name, file_bytes = :file_bytes,
  file_sha256 = :file_sha256, rows_done = :rows_done,
  rows_estimated = :rows_done, snapshot = :snapshot, snapshot_tag = :snapshot_tag, change_seq = :change_seq,
  current_file = null, lease_until = null
where export_id = :export_id and attempt = :attempt and state = 'running'
returning export_id;

-- name: finish_statistics_job(export_id uuid, attempt int4, now timestamptz, result text, sheets int8, snapshot_tag text, change_seq int8) :many
-- No row if the job no longer belongs to the worker.
update research.export_job
set state = 'done', progress = 1, finished_at = :now, result = :result, rows_done = :sheets, rows_estimated = :sheets,
  snapshot_tag = :snapshot_tag, change_seq = :change_seq, lease_until = null
where export_id = :export_id and attempt = :attempt and state = 'running'
returning study, request_digest;

-- name: replace_statistics(study text, request_digest text, export_id uuid) :exec
-- Only the newest result of a request is kept.
update research.export_job set state = 'expired', result = null
where study = :study and request_digest = :request_digest and state = 'done' and export_id <> :export_id;

-- name: list_statistics(study text, request_digests text[]) :many
-- For each request, the last finished job and the last other one.
select distinct on (request_digest, state = 'done') export_id, request_digest, state, requested_at, finished_at, failure,
  change_seq, snapshot_tag, result
from research.export_job
where study = :study and profile = 'statistics' and request_digest = any (:request_digests)
  and state in ('queued', 'running', 'done', 'failed')
order by request_digest, state = 'done', requested_at desc;

-- name: find_statistics_state(study text) :many
-- What determines the statistics of a study, besides the request. No row without a published version.
select coalesce((select last_seq from research.change_counter where study = :study), 0) as change_seq,
  string_agg(version || ' ' || digest, ',' order by published_at, version collate "C") as versions
from research.study_version where study = :study
having count(*) > 0;

-- name: fail_export_job(export_id uuid, attempt int4, now timestamptz, failure text) :exec
update research.export_job set state = 'failed', finished_at = :now, failure = :failure, lease_until = null
where export_id = :export_id and attempt = :attempt and state = 'running';

-- name: end_export_job(study text, export_id uuid, now timestamptz) :many
-- No row if there is nothing to cancel or to delete.
update research.export_job
set state = case when state = 'done' then 'deleted' else 'cancelled' end, finished_at = coalesce(finished_at, :now),
  lease_until = null, file_name = null
where study = :study and export_id = :export_id and state in ('queued', 'running', 'done')
returning state;

-- name: discard_exports(study text, now timestamptz, most_attempts int4, failure text) :exec
-- Deletes datasets and statistics of data which is excluded, erased or purged now, and restarts running jobs. Their
-- workers then find that they lost the job.
update research.export_job
set state = case when state = 'done' then 'deleted' when attempt < :most_attempts then 'queued' else 'failed' end,
  finished_at = case when state = 'running' and attempt < :most_attempts then null else coalesce(finished_at, :now) end,
  failure = case when state = 'running' and attempt >= :most_attempts then :failure else failure end,
  file_name = null, result = null, lease_until = null, progress = 0, current_file = null, rows_done = 0
where study = :study and state in ('running', 'done');

-- name: expire_export_jobs(wanted_before timestamptz) :many
-- Statistics have no file, and are kept until newer ones replace them.
update research.export_job set state = 'expired', file_name = null
where state = 'done' and profile <> 'statistics' and greatest(finished_at, wanted_at) < :wanted_before
returning export_id;

-- name: list_export_files() :many
select export_id, state from research.export_job where state in ('running', 'done') and profile <> 'statistics';

-- name: find_export_job(study text, export_id uuid) :many
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at, blinded
from research.export_job where study = :study and export_id = :export_id;

-- name: list_export_jobs(study text, profiles text[], sees_codes bool, before timestamptz, before_id uuid, limit_rows int4) :many
-- Newest first. Without `sees_codes` only jobs whose datasets have letters for arms. A null `before` begins with the
-- newest one.
select export_id, study, requested_by, profile, filters::text as filters, requested_at, state, progress, finished_at,
  file_name, file_bytes, file_sha256, failure, attempt, current_file, rows_done, rows_estimated, snapshot, change_seq,
  wanted_at, blinded
from research.export_job
where study = :study and profile = any (:profiles) and (blinded or :sees_codes)
  and (:before::timestamptz is null or (requested_at, export_id) < (:before, :before_id))
order by requested_at desc, export_id desc
limit :limit_rows;
