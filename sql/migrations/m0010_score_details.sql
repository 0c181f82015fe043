-- What a score has besides its value: which exclusion made it null, the standard error of a value from a table, and what was known of the person
-- (JSON, by the names of the key's covariates) where the key asks for that.
alter table research.score
  add column exclusion text,
  add column standard_error double precision,
  add column covariates text;

-- A score that is worked out again under the same key, because more is known of the person, is a change to readers as a new one is.
create function research.note_changed_score() returns trigger language plpgsql as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'answer_sheet', changed.sheet_id, enrolment.study
  from changed
  join before using (enrolment_id, sheet_id, revision, scale, key_digest, engine_version)
  join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
  where (changed.value, changed.reason, changed.band, changed.exclusion, changed.standard_error)
    is distinct from (before.value, before.reason, before.band, before.exclusion, before.standard_error)
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
create trigger score_note_changed after update on research.score
  referencing old table as before new table as changed
  for each statement execute function research.note_changed_score();

-- Scoring what is stored again, after a key was mended or the engine changed. Every batch is one transaction, which adds scores, counts what they
-- changed and moves the place on: whoever dies leaves nothing half done.
create table research.rescoring (
  rescoring_id uuid primary key,
  study text not null references research.study,
  study_version text not null,
  -- of all keys, covariates and the engine: the state that this job brings about
  rules_digest text not null,
  engine_version text not null,
  cause text not null constraint rescoring_cause check (cause in ('publication', 'engine', 'request')),
  requested_at timestamptz not null,
  -- settling: done, but for sheets that were on their way while the rules changed
  state text not null default 'queued' constraint rescoring_state
    check (state in ('queued', 'running', 'settling', 'done', 'superseded', 'failed')),
  lease_until timestamptz,
  sheets_total bigint not null,
  sheets_seen bigint not null default 0,
  rows_added bigint not null default 0,
  damaged bigint not null default 0,
  -- batches that were committed: whoever goes on must have seen the last one
  batches integer not null default 0,
  at_questionnaire text not null default '',
  at_version text not null default '',
  at_enrolment uuid not null default '00000000-0000-0000-0000-000000000000',
  at_sheet uuid not null default '00000000-0000-0000-0000-000000000000',
  at_revision integer not null default 0,
  finished_at timestamptz,
  failure text
);
create unique index rescoring_one_unfinished on research.rescoring (study) where state in ('queued', 'running', 'settling');
create index rescoring_study on research.rescoring (study, requested_at desc, rescoring_id desc);

-- What a re-scoring changed, of the sheets that count.
create table research.rescoring_scale (
  rescoring_id uuid not null references research.rescoring on delete cascade,
  questionnaire text not null,
  version text not null,
  scale text not null,
  key_version text not null,
  key_digest text not null,
  sheets bigint not null,
  first_scores bigint not null,
  unchanged bigint not null,
  changed bigint not null,
  became_null bigint not null,
  gained_value bigint not null,
  band_moves bigint not null,
  -- of sheets with a value before and after
  compared bigint not null,
  total_change double precision not null,
  greatest_change double precision not null,
  primary key (rescoring_id, questionnaire, version, scale)
);

-- '': in no band.
create table research.rescoring_move (
  rescoring_id uuid not null references research.rescoring on delete cascade,
  questionnaire text not null,
  version text not null,
  scale text not null,
  band_from text not null,
  band_to text not null,
  sheets bigint not null,
  primary key (rescoring_id, questionnaire, version, scale, band_from, band_to)
);

grant select, insert, update, delete on research.rescoring, research.rescoring_scale, research.rescoring_move
  to saunter_research, saunter_clerk;
grant select on research.rescoring, research.rescoring_scale, research.rescoring_move to saunter_export;
