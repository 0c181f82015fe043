-- What was planned, done and answered, under pseudonyms. Every table of participants' data has a key that begins with enrolment_id,
-- no unique rule spans enrolments, and foreign keys between such tables carry enrolment_id: so it can be sharded by enrolment.

create table research.study (
  study text primary key,
  live_version text not null,
  closed_at timestamptz
);

-- A published version is never altered. files: path -> text, as published.
create table research.study_version (
  study text not null,
  version text not null,
  digest text not null,
  files jsonb not null,
  published_at timestamptz not null,
  primary key (study, version)
);

create table research.questionnaire_version (
  questionnaire text not null,
  version text not null,
  digest text not null,
  structure jsonb not null,
  published_at timestamptz not null,
  primary key (questionnaire, version)
);

-- The next free place in each list of arms; taken under a row lock in the enrolment's transaction.
create table research.allocation_counter (
  study text not null,
  stratum text not null,
  next_position integer not null,
  primary key (study, stratum)
);

create table research.enrolment (
  enrolment_id uuid primary key,
  study text not null references research.study,
  study_version text not null,
  participant_id text not null,
  arm text not null,
  allocation_stratum text not null,
  allocation_position integer not null,
  allocation_method text not null,
  consent_version text not null,
  consented_at timestamptz not null,
  enrolled_at timestamptz not null,
  enrolled_on date not null,
  zone_at_start text not null,
  zone text not null,
  language text not null,
  status text not null default 'active'
    constraint enrolment_status check (status in ('active', 'stopped', 'excluded')),
  ended_at timestamptz,
  end_reason text,
  -- seconds of the local day; null: the study's own hour
  reminder_at integer constraint enrolment_reminder_at check (reminder_at between 0 and 86399),
  reminders_on boolean not null default true,
  next_reminder_at timestamptz,
  -- the last local date whose occasions are planned
  planned_through date not null,
  foreign key (study, study_version) references research.study_version (study, version)
);
create index enrolment_study on research.enrolment (study, study_version);
create index enrolment_next_reminder on research.enrolment (next_reminder_at)
  where next_reminder_at is not null and status = 'active' and reminders_on;
create index enrolment_planned_through on research.enrolment (planned_through) where status = 'active';

create table research.enrolment_zone (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  effective_from timestamptz not null,
  zone text not null,
  source text not null,
  primary key (enrolment_id, effective_from)
);

create table research.enrolment_pause (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz,
  primary key (enrolment_id, from_at)
);

create table research.occasion (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  occasion_id uuid not null,
  schedule text not null,
  anchor_instance text not null,
  day_index integer not null,
  slot_index integer not null,
  questionnaire text not null,
  study_version text not null,
  local_date date not null,
  zone text not null,
  visible_at timestamptz not null,
  open_at timestamptz not null,
  due_at timestamptz not null,
  close_at timestamptz not null,
  dst_adjusted boolean not null default false,
  set_aside text,
  completed_at timestamptz,
  sheet_id uuid,
  planned_at timestamptz not null,
  primary key (enrolment_id, occasion_id),
  constraint occasion_window check (visible_at <= open_at and open_at <= due_at and due_at <= close_at)
);

-- One row per revision; the newest is current. Answers in the item order of the version answered: slots holds an option's index, 0/1 or 0 for
-- "see numbers or answer_text", and negative codes say why a blank is blank (-999 to -990).
create table research.answer_sheet (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  sheet_id uuid not null,
  revision integer not null,
  current boolean not null,
  occasion_id uuid,
  questionnaire text not null,
  version text not null,
  study_version text not null,
  consent_version text not null,
  language text not null,
  started_at timestamptz not null,
  completed_at timestamptz not null,
  received_at timestamptz not null,
  zone text not null,
  started_offset_min integer not null,
  completed_offset_min integer not null,
  skew_ms bigint not null,
  standing text not null constraint answer_sheet_standing
    check (standing in ('early', 'on_time', 'late', 'out_of_window', 'unscheduled')),
  late_s bigint,
  flags text[] not null,
  -- whether it settles its occasion; a late sheet may be kept without
  completes boolean not null,
  duplicate_of uuid,
  walk_id uuid,
  slots smallint[] not null,
  numbers double precision[] not null,
  cleared text[] not null,
  -- json, not jsonb: what a device says comes back digit for digit
  timings json,
  body_sha256 bytea not null,
  revised_at timestamptz,
  revision_reason text,
  deleted_at timestamptz,
  primary key (enrolment_id, sheet_id, revision),
  foreign key (enrolment_id, occasion_id) references research.occasion (enrolment_id, occasion_id)
);
create unique index answer_sheet_one_current on research.answer_sheet (enrolment_id, sheet_id) where current;
create unique index answer_sheet_one_per_occasion on research.answer_sheet (enrolment_id, occasion_id)
  where current and completes and duplicate_of is null and deleted_at is null;
create index answer_sheet_occasion on research.answer_sheet (enrolment_id, occasion_id);

-- Free text stands apart, so that it can be left out or taken away.
create table research.answer_text (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  item text not null,
  text text not null,
  primary key (enrolment_id, sheet_id, revision, item),
  foreign key (enrolment_id, sheet_id, revision)
    references research.answer_sheet (enrolment_id, sheet_id, revision) on delete cascade
);

create table research.score (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  scale text not null,
  key_version text not null,
  key_digest text not null,
  engine_version text not null,
  value double precision,
  reason text,
  band text,
  item_count integer not null,
  answered_count integer not null,
  imputed_count integer not null,
  computed_at timestamptz not null,
  primary key (enrolment_id, sheet_id, revision, scale, key_digest, engine_version),
  foreign key (enrolment_id, sheet_id, revision)
    references research.answer_sheet (enrolment_id, sheet_id, revision) on delete cascade,
  constraint score_value_or_reason check ((value is null) = (reason is not null))
);

create table research.calibration (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  calibration_id uuid not null,
  recorded_at timestamptz not null,
  received_at timestamptz not null,
  mean_speed_kmh double precision not null,
  reduction_percent double precision not null,
  duration_s double precision not null,
  target_speed_kmh double precision not null,
  body_sha256 bytea not null,
  primary key (enrolment_id, calibration_id)
);

-- A walk is one row: its samples are arrays of equal length. pauses_ms: from, to, from, to … since the start.
create table research.walk (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  walk_id uuid not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  received_at timestamptz not null,
  zone text not null,
  started_offset_min integer not null,
  ended_offset_min integer not null,
  device json,
  calibration_id uuid,
  flags text[] not null,
  pauses_ms bigint[] not null,
  totals json,
  t_ms integer[] not null,
  speed_kmh double precision[],
  heart_rate_bpm double precision[],
  sample_distance_m double precision[],
  sample_energy_kcal double precision[],
  elapsed_s double precision not null,
  active_s double precision not null,
  distance_m double precision,
  mean_speed_kmh double precision,
  mean_pace_s_per_km double precision,
  mean_heart_rate_bpm double precision,
  max_heart_rate_bpm double precision,
  active_energy_kcal double precision,
  target_speed_kmh double precision,
  above_target_s double precision,
  above_target_count integer,
  coverage double precision,
  body_sha256 bytea not null,
  deleted_at timestamptz,
  primary key (enrolment_id, walk_id),
  foreign key (enrolment_id, calibration_id) references research.calibration (enrolment_id, calibration_id)
);
create index walk_started on research.walk (enrolment_id, started_at desc, walk_id);
create index walk_calibration on research.walk (enrolment_id, calibration_id);

-- A second body under an id that is taken is refused with 409, yet never thrown away.
create table research.quarantine (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  client_id uuid not null,
  body_sha256 bytea not null,
  body bytea not null,
  received_at timestamptz not null,
  primary key (enrolment_id, kind, client_id, body_sha256)
);

-- At most one per enrolment, kind, subject and ordinal, whatever crashes. subject: the local date of a due-today mail.
create table research.reminder (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  subject text not null,
  ordinal integer not null,
  planned_at timestamptz not null,
  claimed_at timestamptz not null,
  occasion_count integer not null,
  state text not null constraint reminder_state
    check (state in ('claimed', 'retrying', 'sent', 'failed', 'unknown', 'suppressed')),
  why text,
  next_attempt_at timestamptz,
  primary key (enrolment_id, kind, subject, ordinal)
);
create index reminder_next_attempt on research.reminder (next_attempt_at) where next_attempt_at is not null;

create table research.reminder_attempt (
  enrolment_id uuid not null,
  kind text not null,
  subject text not null,
  ordinal integer not null,
  attempt integer not null,
  channel text not null,
  attempted_at timestamptz not null,
  outcome text not null,
  reply_code integer,
  primary key (enrolment_id, kind, subject, ordinal, attempt),
  foreign key (enrolment_id, kind, subject, ordinal)
    references research.reminder (enrolment_id, kind, subject, ordinal) on delete cascade
);

-- A countable trace of somebody whose data was erased: no key leads back to a person.
create table research.erasure (
  erasure_id uuid primary key,
  study text not null,
  erased_on date not null
);

create table research.export_job (
  export_id uuid primary key,
  study text not null,
  requested_by uuid not null,
  profile text not null,
  filters jsonb not null,
  requested_at timestamptz not null,
  state text not null constraint export_job_state check (state in ('queued', 'running', 'done', 'failed', 'expired')),
  progress double precision not null default 0,
  -- until then the job belongs to the worker that claimed it
  lease_until timestamptz,
  finished_at timestamptz,
  file_name text,
  file_bytes bigint,
  file_sha256 text,
  failure text
);
create index export_job_study on research.export_job (study, requested_at desc);

grant select, insert, update, delete on all tables in schema research to saunter_research, saunter_clerk;
grant select on all tables in schema research to saunter_export;
revoke select on research.quarantine, research.export_job from saunter_export;
