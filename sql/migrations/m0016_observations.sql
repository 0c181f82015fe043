-- What sensors of others measured: one row for each observation, its samples as arrays of equal length. Where several things are measured together, such
-- as the two pressures of blood, they are its components, and samples holds the one's values after the other's.
create table research.observation (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  observation_id uuid not null,
  system text not null,
  code text not null,
  display text,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  received_at timestamptz not null,
  zone text not null,
  started_offset_min integer not null,
  ended_offset_min integer not null,
  modality text not null constraint observation_modality check (modality in ('sensed', 'self_reported')),
  statistic text,
  -- json, not jsonb: what a sender says comes back digit for digit
  device json,
  provenance json,
  detail json,
  flags text[] not null,
  -- one for each component; null where the observation's own code says it all
  component_systems text[] not null,
  component_codes text[] not null,
  component_displays text[] not null,
  units text[] not null,
  t_ms integer[] not null,
  -- to when each value holds, where it is of a span, which may be a year
  until_ms bigint[],
  samples double precision[] not null,
  counts integer[] not null,
  minima double precision[] not null,
  maxima double precision[] not null,
  means double precision[] not null,
  body_sha256 bytea not null,
  skew_ms bigint not null,
  deleted_at timestamptz,
  primary key (enrolment_id, observation_id),
  constraint observation_samples
    check (cardinality(samples) = cardinality(t_ms) * cardinality(units) and cardinality(units) = cardinality(component_codes))
);
-- By the local date on which it began, by the corrected clock, as walks.
create index observation_local_date on research.observation
  (((started_at at time zone 'UTC' + make_interval(mins => started_offset_min, secs => skew_ms / 1000.0))::date));
create index observation_started on research.observation (enrolment_id, started_at desc, observation_id desc);

grant select, insert, update, delete on research.observation to saunter_research, saunter_clerk;
grant select on research.observation to saunter_export;

-- Observations are things of the feed of changes, noted as all others are.
alter table research.change drop constraint change_kind;
alter table research.change add constraint change_kind
  check (kind in ('enrolment', 'calibration', 'occasion', 'walk', 'observation', 'answer_sheet'));

create function research.note_new_observation() returns trigger language plpgsql as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'observation', changed.observation_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
create trigger observation_note_new after insert on research.observation referencing new table as changed
  for each statement execute function research.note_new_observation();

-- A replay fires it with nothing updated at all.
create function research.note_changed_observation() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'observation', changed.observation_id, enrolment.study
  from changed
  join before using (enrolment_id, observation_id)
  join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
  where changed.deleted_at is distinct from before.deleted_at
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
create trigger observation_note_changed after update on research.observation
  referencing old table as before new table as changed
  for each statement execute function research.note_changed_observation();
