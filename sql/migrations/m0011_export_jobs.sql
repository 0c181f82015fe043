-- Jobs that can be told from each other, watched and taken back. A job that was running is taken up anew.
update research.export_job set state = 'queued', lease_until = null where state = 'running';

alter table research.export_job
  drop constraint export_job_state,
  add constraint export_job_state
    check (state in ('queued', 'running', 'done', 'failed', 'cancelled', 'expired', 'deleted')),
  -- what was asked for, whoever asked
  add column request_digest text,
  -- the state of the study when it was asked, and as it is in the file
  add column asked_tag text,
  add column snapshot_tag text,
  add column snapshot text,
  add column change_seq bigint,
  -- who claims a job counts it up, so that whoever held it before can no longer end it
  add column attempt integer not null default 0,
  add column current_file text,
  add column rows_done bigint not null default 0,
  add column rows_estimated bigint,
  -- the file is kept from when it was asked for last
  add column wanted_at timestamptz;

-- One at a time in each study, however many servers there are.
create unique index export_job_one_running on research.export_job (study) where state = 'running';
create index export_job_open on research.export_job (requested_at) where state in ('queued', 'running');
create index export_job_done on research.export_job (study, request_digest) where state in ('queued', 'running', 'done');
