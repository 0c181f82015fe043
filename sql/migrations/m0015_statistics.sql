-- Statistics of a questionnaire are a job like a dataset, with the profile `statistics`. Their result is small and is
-- stored here, so that every server can return it.
alter table research.export_job add column result text;

-- A study can have one dataset and the statistics of one questionnaire in progress at the same time.
drop index research.export_job_one_running;
create unique index export_job_one_running on research.export_job (study, (profile = 'statistics'))
  where state = 'running';
