-- The whole schema of Saunter. Until the first release a change of the schema edits this file; afterwards it is a new migration.

-- Four roles separate identities from answers. The server logs in as the owner of the database and switches every connection to one of them:
--   saunter_identity  accounts, tokens and grants; cannot read answers
--   saunter_research  enrolments, occasions, answer sheets, walks; cannot read identities
--   saunter_clerk     both, for the few operations that join them: enrol, erase, remind
--   saunter_export    reads research data only, for datasets
-- Roles belong to the PostgreSQL server, not to one database. They may exist already: created by the migration of another database, which may
-- run at the same moment, or by an administrator for an owner who may not create roles.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['saunter_identity', 'saunter_research', 'saunter_clerk', 'saunter_export'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end
$$;

create schema identity;
create schema research;
create schema audit;

grant usage on schema identity to saunter_identity, saunter_clerk;
grant usage on schema research to saunter_research, saunter_clerk, saunter_export;
grant usage on schema audit to saunter_identity, saunter_research, saunter_clerk, saunter_export;

-- Functions without tables

-- The moment of a record by the server's clock: the device's moment plus the skew of the device's clock.
create function research.corrected_at(at timestamptz, skew_ms bigint) returns timestamptz
language sql stable parallel safe
as $$
  select at + skew_ms * interval '1 millisecond'
$$;

-- The participant's local date at that moment, by the server's clock and the device's offset from UTC. Immutable, so that indexes can use it.
create function research.local_date(at timestamptz, offset_min integer, skew_ms bigint) returns date
language sql immutable parallel safe
as $$
  select (at at time zone 'UTC' + make_interval(mins => offset_min, secs => skew_ms / 1000.0))::date
$$;

-- A digest of the account's id. identity.erasure stores it for an erased account. If a restored backup still contains the account, the digest finds
-- it there. The digest alone does not lead back to a person.
create function identity.account_ref(account_id uuid) returns text
language sql immutable parallel safe
as $$
  select left(encode(sha256(decode(replace(account_id::text, '-', ''), 'hex')), 'hex'), 32)
$$;

create function research.enrolment_ref(enrolment_id uuid) returns text
language sql immutable parallel safe
as $$
  select left(encode(sha256(decode(replace(enrolment_id::text, '-', ''), 'hex')), 'hex'), 32)
$$;

-- RFC 3339 in UTC with milliseconds. A moment that the skew correction moves out of the years 1 to 9999 is shown as the first or the last moment
-- of that range.
create function research.instant_text(at timestamptz) returns text
language sql stable parallel safe
as $$
  select to_char(
    case
      when at < '0001-01-01T00:00:00Z'::timestamptz then '0001-01-01T00:00:00Z'::timestamptz
      when at > '9999-12-31T23:59:59.999Z'::timestamptz then '9999-12-31T23:59:59.999Z'::timestamptz
      else at
    end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Identities

-- Accounts. Columns that end in _sealed are encrypted with AES-GCM under a key that is not in the database. A _lookup column is a keyed digest:
-- it finds an address and does not reveal it.
create table identity.account (
  account_id uuid primary key,
  email_lookup bytea not null constraint account_email_taken unique,
  email_sealed bytea not null,
  name_sealed bytea not null,
  password_hash text not null,
  time_zone text,
  language text,
  created_at timestamptz not null,
  -- null: it is not proven yet that the address belongs to the account, so it only receives codes
  email_verified_at timestamptz
);

create table identity.account_grant (
  account_id uuid not null references identity.account on delete cascade,
  role text not null,
  -- '*' for the role admin, which belongs to no study
  study text not null,
  -- a separate permission, required for the export profile `full`
  full_export boolean not null default false,
  granted_at timestamptz not null,
  constraint account_grant_role check (role in ('researcher', 'coordinator', 'admin')),
  primary key (account_id, role, study)
);

-- API tokens: programs of researchers read one study with them for up to months. Only digests are stored, so a copy of the database contains no usable token.
create table identity.api_token (
  token_id uuid primary key,
  token_hash bytea not null constraint api_token_hash unique,
  account_id uuid not null references identity.account on delete cascade,
  study text not null,
  label text not null,
  -- the upper bound of what the token reads; the account's own grant may be lower by now
  profile text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- rounded to the hour
  used_at timestamptz,
  revoked_at timestamptz,
  constraint api_token_profile check (profile in ('coded', 'full'))
);
create index api_token_account on identity.api_token (account_id, study);
create index api_token_expires on identity.api_token (expires_at);

-- Codes that prove an e-mail address: the address of a new account, or a new address of an existing one. At most one per account.
create table identity.email_verification (
  code_hash bytea primary key,
  account_id uuid not null constraint email_verification_one_per_account unique references identity.account on delete cascade,
  -- the address that received the code; it becomes the account's address
  email_sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Logins of erased accounts. The other servers read them to reject the access tokens. No key leads to the account. Deleted after a week.
create table identity.ended_family (
  family_id uuid primary key,
  ended_at timestamptz not null
);

create table identity.erasure (
  account_ref text primary key,
  erased_on date not null
);

-- Detects a wrong master key. The digest reveals nothing about the key.
create table identity.key_check (
  only_one boolean primary key default true,
  digest bytea not null,
  constraint key_check_only_one check (only_one)
);

-- The only link between an account and a pseudonym.
create table identity.membership (
  account_id uuid not null references identity.account on delete cascade,
  study text not null,
  enrolment_id uuid not null constraint membership_one_account_per_enrolment unique,
  primary key (account_id, study)
);

-- Mail that is not a reminder: codes, and notices of a changed password or address. Queued in the transaction of its cause, so that neither is stored without the other.
create table identity.outgoing_mail (
  mail_id uuid primary key,
  account_id uuid not null references identity.account on delete cascade,
  kind text not null,
  message_sealed bytea not null,
  created_at timestamptz not null,
  next_attempt_at timestamptz,
  attempts integer not null default 0,
  outcome text
);
create index outgoing_mail_account on identity.outgoing_mail (account_id);
create index outgoing_mail_next on identity.outgoing_mail (next_attempt_at) where (next_attempt_at is not null);

create table identity.password_reset (
  code_hash bytea primary key,
  account_id uuid not null references identity.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_reset_account on identity.password_reset (account_id);

-- Devices that receive messages by Web Push.
create table identity.push_subscription (
  account_id uuid not null references identity.account on delete cascade,
  subscription_id uuid not null,
  -- keyed digest of the endpoint; the device belongs to the account that registered it last
  endpoint_lookup bytea not null,
  content_sealed bytea not null,
  registered_at timestamptz not null,
  primary key (account_id, subscription_id)
);
create index push_subscription_endpoint on identity.push_subscription (endpoint_lookup);

-- One family per login on one device. Revoking the family revokes all tokens that descend from that login.
create table identity.token_family (
  family_id uuid primary key,
  account_id uuid not null references identity.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_why text,
  constraint token_family_why check (revoked_why in ('logout', 'replay', 'password_changed'))
);
create index token_family_account on identity.token_family (account_id);
create index token_family_expires on identity.token_family (expires_at);
create index token_family_revoked on identity.token_family (revoked_at) where (revoked_at is not null);

create table identity.refresh_token (
  token_hash bytea primary key,
  family_id uuid not null references identity.token_family on delete cascade,
  -- the token that was exchanged for this one; null for the first token of a family
  parent_hash bytea,
  issued_at timestamptz not null,
  used_at timestamptz
);
create index refresh_token_family on identity.refresh_token (family_id);
create index refresh_token_parent on identity.refresh_token (parent_hash);
create index refresh_token_used on identity.refresh_token (used_at) where (used_at is not null);

-- Keys that sign access tokens. The newest key signs. Older keys verify until they retire.
create table identity.signing_key (
  key_id text primary key,
  key_sealed bytea not null,
  created_at timestamptz not null,
  retires_at timestamptz not null
);

-- Studies and questionnaires

-- The next free position of each allocation list. The transaction that enrols locks the row.
create table research.allocation_counter (
  study text not null,
  stratum text not null,
  next_position integer not null,
  primary key (study, stratum)
);

create table research.questionnaire_version (
  questionnaire text not null,
  version text not null,
  digest text not null,
  structure jsonb not null,
  published_at timestamptz not null,
  primary key (questionnaire, version)
);

-- Studies. All tables of schema research hold pseudonymous data. Tables of participants' data have a primary key that begins with enrolment_id, no unique
-- constraint spans enrolments, and foreign keys between them contain enrolment_id. Therefore the schema can be sharded by enrolment.
create table research.study (
  study text primary key,
  live_version text not null,
  closed_at timestamptz
);

-- A published version is immutable. files maps each path to its text, as published.
create table research.study_version (
  study text not null,
  version text not null,
  digest text not null,
  files jsonb not null,
  published_at timestamptz not null,
  primary key (study, version)
);

-- The webhook of a study. The secret is encrypted under a key that is not in the database.
create table research.study_webhook (
  study text primary key references research.study,
  url text not null,
  secret_sealed bytea not null,
  set_at timestamptz not null,
  -- consecutive failures; a success resets them
  failures integer not null default 0,
  failing_since timestamptz,
  last_reply_code integer,
  disabled_at timestamptz,
  disabled_why text,
  constraint study_webhook_disabled_why check (disabled_why in ('gone', 'failing'))
);

-- Enrolments

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
  status text not null default 'active',
  ended_at timestamptz,
  end_reason text,
  -- seconds since local midnight; null: the default of the study
  reminder_at integer,
  reminders_on boolean not null default true,
  next_reminder_at timestamptz,
  -- the last local date whose occasions are planned
  planned_through date not null,
  allocation_factors jsonb not null default '{}'::jsonb,
  allocation_basis jsonb not null default '{}'::jsonb,
  allocation_seed text,
  reminder_channels text[] not null default '{mail}'::text[],
  -- a copy of the account's state, because the worker that finds due reminders cannot read identities
  email_verified boolean not null default false,
  constraint enrolment_reminder_at check ((reminder_at >= 0) and (reminder_at <= 86399)),
  constraint enrolment_reminder_channels check ((reminder_channels <@ '{mail,push,webhook}'::text[]) and ((cardinality(reminder_channels) >= 1) and (cardinality(reminder_channels) <= 3))),
  constraint enrolment_status check (status in ('active', 'stopped', 'excluded')),
  foreign key (study, study_version) references research.study_version(study, version)
);
create index enrolment_next_reminder on research.enrolment (next_reminder_at) where ((next_reminder_at is not null) and (status = 'active') and reminders_on);
create index enrolment_planned_through on research.enrolment (planned_through, enrolment_id) where (status = 'active');
create index enrolment_study on research.enrolment (study, study_version);

-- Changes of arm by a researcher. The from_arm of the first row is the allocated arm. Append-only.
create table research.arm_change (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  ordinal integer not null,
  from_arm text not null,
  to_arm text not null,
  reason text not null,
  -- the account that made the change; the audit contains it too
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (enrolment_id, ordinal)
);

-- Every consent that was given. The last one applies.
create table research.enrolment_consent (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  consent_version text not null,
  consented_at timestamptz not null,
  study_version text not null,
  language text not null,
  text_digest text,
  primary key (enrolment_id, consent_version)
);

-- Moments of named study events that the participant reported. The last revision of an event applies; earlier ones stay.
create table research.enrolment_event (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  event text not null,
  revision integer not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (enrolment_id, event, revision)
);

create table research.enrolment_pause (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz,
  primary key (enrolment_id, from_at)
);

-- The study versions that an enrolment has followed. Sheets of each of them are accepted.
create table research.enrolment_version (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  study_version text not null,
  followed_from timestamptz not null,
  primary key (enrolment_id, study_version)
);

create table research.enrolment_zone (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  effective_from timestamptz not null,
  zone text not null,
  source text not null,
  primary key (enrolment_id, effective_from)
);

-- Occasions and reminders

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
  constraint occasion_window check ((visible_at <= open_at) and (open_at <= due_at) and (due_at <= close_at)),
  primary key (enrolment_id, occasion_id)
);
-- A dataset of a few days finds its occasions by this index. Dates repeat, so the index is small, and fulfilling an occasion does not touch it.
create index occasion_local_date on research.occasion (local_date);

-- At most one reminder per enrolment, kind, subject and ordinal, also after crashes. The subject of a daily mail is the local date.
create table research.reminder (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  subject text not null,
  ordinal integer not null,
  planned_at timestamptz not null,
  claimed_at timestamptz not null,
  occasion_count integer not null,
  state text not null,
  why text,
  next_attempt_at timestamptz,
  message_id uuid not null default gen_random_uuid(),
  -- the reminder is not sent after this moment
  expires_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  opened_at timestamptz,
  -- Identifies the claim of a retry. Only the claiming worker knows it. If the response to its commit is lost, it finds out by this id whether the claim was stored.
  claim_id uuid,
  constraint reminder_state check (state in ('claimed', 'retrying', 'sent', 'failed', 'unknown', 'suppressed')),
  primary key (enrolment_id, kind, subject, ordinal)
);
-- For the recurring searches: claims whose worker died, and expired reminders.
create index reminder_claimed on research.reminder (claimed_at) where (state = 'claimed');
create index reminder_message on research.reminder (enrolment_id, message_id);
create index reminder_next_attempt on research.reminder (next_attempt_at) where (next_attempt_at is not null);
create index reminder_planned on research.reminder using brin (planned_at);

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
  foreign key (enrolment_id, kind, subject, ordinal) references research.reminder(enrolment_id, kind, subject, ordinal) on delete cascade
);

-- Consecutive failures to reach a participant by a channel. A success deletes the row.
create table research.reminder_channel (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  channel text not null,
  failures integer not null,
  last_failed_at timestamptz not null,
  unreachable_since timestamptz,
  primary key (enrolment_id, channel)
);

create table research.reminder_snooze (
  enrolment_id uuid not null,
  occasion_id uuid not null,
  ordinal integer not null,
  asked_at timestamptz not null,
  until_at timestamptz not null,
  primary key (enrolment_id, occasion_id, ordinal),
  foreign key (enrolment_id, occasion_id) references research.occasion(enrolment_id, occasion_id) on delete cascade
);

-- Records

-- Edits from batch uploads: corrections of answer sheets and deletions of records. An edit may arrive before the record that it edits; it is stored and
-- waits. Of several corrections the one that was made last applies, not the one that arrived last.
create table research.amendment (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  amendment_id uuid not null,
  subject text not null,
  -- no foreign key: the record may not have arrived yet
  subject_id uuid not null,
  kind text not null,
  -- when the edit was made, by the corrected clock; never later than received_at
  made_at timestamptz not null,
  received_at timestamptz not null,
  -- json, not jsonb: keeps the device's digits
  body json not null,
  body_sha256 bytea not null,
  -- applying: the edit is stored in the record; replanning and scoring are still to be done
  state text not null,
  -- why the edit was rejected; a replay gets the same reason
  refusal json,
  -- the revision that the edit created
  revision integer,
  device_id uuid,
  sequence bigint,
  stated_at timestamptz,
  constraint amendment_kind check ((kind = 'deletion') or ((kind = 'correction') and (subject = 'answer_sheet'))),
  constraint amendment_state check (state in ('waiting', 'applying', 'applied', 'superseded', 'refused')),
  constraint amendment_subject check (subject in ('answer_sheet', 'walk', 'observation')),
  primary key (enrolment_id, amendment_id)
);
create index amendment_subject_id on research.amendment (enrolment_id, subject_id);
create index amendment_unsettled on research.amendment (enrolment_id, subject_id) where state in ('waiting', 'applying');

-- Answer sheets. One row per revision; the newest one is current. Answers are in the item order of the answered version: slots holds the index of an
-- option, 0/1 for booleans, or 0 for an answer in numbers or answer_text. Codes from -999 to -990 give the reason of a blank.
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
  standing text not null,
  late_s bigint,
  flags text[] not null,
  -- whether the sheet fulfils its occasion; a late sheet may not
  completes boolean not null,
  duplicate_of uuid,
  walk_id uuid,
  slots smallint[] not null,
  numbers double precision[] not null,
  cleared text[] not null,
  -- json, not jsonb: keeps the device's digits
  timings json,
  body_sha256 bytea not null,
  revised_at timestamptz,
  revision_reason text,
  deleted_at timestamptz,
  -- Answers without a slot as rows of the dataset: repeating groups, values of repeating items, comparisons of rankings. Null if the sheet has none.
  -- Their texts are in answer_text under the item name with the number of the instance (name.2).
  repeated jsonb,
  -- The order in which the device showed shuffled options or items: item -> codes of options, or names of items.
  presented jsonb,
  -- The make, model and software of the device, as it describes itself; null if it does not.
  device json,
  constraint answer_sheet_standing check (standing in ('early', 'on_time', 'late', 'out_of_window', 'unscheduled')),
  primary key (enrolment_id, sheet_id, revision),
  foreign key (enrolment_id, occasion_id) references research.occasion(enrolment_id, occasion_id)
);
create index answer_sheet_besides on research.answer_sheet (enrolment_id, occasion_id) where ((occasion_id is not null) and (not (current and completes and (duplicate_of is null) and (deleted_at is null))));
create unique index answer_sheet_one_current on research.answer_sheet (enrolment_id, sheet_id) where (current and (revision > 1));
create unique index answer_sheet_one_per_occasion on research.answer_sheet (enrolment_id, occasion_id) where (current and completes and (duplicate_of is null) and (deleted_at is null));
-- Finds the sheets that arrived before their walk: sheets that name a walk and have no occasion. They are few.
create index answer_sheet_unplaced on research.answer_sheet (enrolment_id, walk_id) where ((occasion_id is null) and (walk_id is not null));
create index answer_sheet_unscheduled on research.answer_sheet (research.local_date(completed_at, completed_offset_min, skew_ms)) where (occasion_id is null);

-- Free text is in a separate table, so that it can be excluded or deleted.
create table research.answer_text (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  item text not null,
  text text not null,
  primary key (enrolment_id, sheet_id, revision, item),
  foreign key (enrolment_id, sheet_id, revision) references research.answer_sheet(enrolment_id, sheet_id, revision) on delete cascade
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
  -- Moments are stored as the device reported them, with the skew of its clock. Which calibration applies is decided by the corrected moments, as for
  -- answer sheets.
  skew_ms bigint not null default 0,
  primary key (enrolment_id, calibration_id)
);

-- The change feed of a study, for readers who keep a copy.
--
-- One row per record, with the sequence number of its newest change. A writer only resets the number to null. A reader numbers what has been committed
-- by then. So numbers follow commits: a late commit gets a later number and no reader misses it, and no two commits wait for each other.
-- (A counter that each commit increments would be simpler, and would allow only one commit at a time.)
create table research.change (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  subject_id uuid not null,
  study text not null,
  -- null: changed since it was numbered last
  change_seq bigint,
  constraint change_kind check (kind in ('enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event', 'answer_sheet')),
  primary key (enrolment_id, kind, subject_id)
);
create index change_numbered on research.change (study, change_seq) where (change_seq is not null);
create index change_waiting on research.change (study) where (change_seq is null);

-- The last sequence number of each study. Locked by the reader that assigns numbers, never by writers.
create table research.change_counter (
  study text primary key,
  last_seq bigint not null default 0
);

-- Which numbered items of a device have arrived, so that both sides can find missing ones. A reinstalled app is another device.
create table research.device (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  device_id uuid not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  received int8multirange not null,
  primary key (enrolment_id, device_id)
);

-- Observations of other sensors: one row per observation, with its samples as arrays of equal length. Values that are measured together, such as the two
-- blood pressures, are components; samples holds the values of one component after the other.
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
  modality text not null,
  statistic text,
  -- json, not jsonb: keeps the sender's digits
  device json,
  provenance json,
  detail json,
  flags text[] not null,
  -- one element per component; null if the code of the observation is sufficient
  component_systems text[] not null,
  component_codes text[] not null,
  component_displays text[] not null,
  units text[] not null,
  t_ms integer[] not null,
  -- the end of the interval of each value, if the value describes an interval (up to a year)
  until_ms bigint[],
  samples double precision[] not null,
  counts integer[] not null,
  minima double precision[] not null,
  maxima double precision[] not null,
  means double precision[] not null,
  body_sha256 bytea not null,
  skew_ms bigint not null,
  deleted_at timestamptz,
  -- The source's revision. A higher revision replaces a lower one.
  revision integer not null default 1,
  constraint observation_modality check (modality in ('sensed', 'self_reported')),
  constraint observation_samples check ((cardinality(samples) = (cardinality(t_ms) * cardinality(units))) and (cardinality(units) = cardinality(component_codes))),
  primary key (enrolment_id, observation_id)
);
-- By the local date of the start, by the corrected clock, as for walks.
create index observation_local_date on research.observation (research.local_date(started_at, started_offset_min, skew_ms));
create index observation_started on research.observation (enrolment_id, started_at desc, observation_id desc);

-- One row per walk. Samples are arrays of equal length. pauses_ms: from, to, from, to, … in ms since the start.
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
  sport text,
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
  skew_ms bigint not null default 0,
  primary key (enrolment_id, walk_id),
  foreign key (enrolment_id, calibration_id) references research.calibration(enrolment_id, calibration_id)
);
create index walk_calibration on research.walk (enrolment_id, calibration_id);
-- By the local date of the start, by the corrected clock.
create index walk_local_date on research.walk (research.local_date(started_at, started_offset_min, skew_ms));
create index walk_started on research.walk (enrolment_id, started_at desc, walk_id);

-- Erasures of enrolments, so that they can be counted. No key leads back to a person.
create table research.erasure (
  erasure_id uuid primary key,
  study text not null,
  erased_on date not null,
  -- A digest of the enrolment's id: readers of the change feed learn by it which rows to delete. It does not lead back to a person.
  enrolment_ref text,
  change_seq bigint
);
create index erasure_numbered on research.erasure (study, change_seq);

create table research.export_job (
  export_id uuid primary key,
  study text not null,
  requested_by uuid not null,
  profile text not null,
  filters jsonb not null,
  requested_at timestamptz not null,
  state text not null,
  progress double precision not null default 0,
  -- until this moment the job belongs to the worker that claimed it
  lease_until timestamptz,
  finished_at timestamptz,
  file_name text,
  file_bytes bigint,
  file_sha256 text,
  failure text,
  -- digest of the request, without the requester
  request_digest text,
  -- the state of the study at the request, and as it is in the file
  asked_tag text,
  snapshot_tag text,
  snapshot text,
  change_seq bigint,
  -- each claim increments it, so that the former owner can no longer finish the job
  attempt integer not null default 0,
  current_file text,
  rows_done bigint not null default 0,
  rows_estimated bigint,
  -- the file is kept for some time after this moment, the last request for it
  wanted_at timestamptz,
  constraint export_job_state check (state in ('queued', 'running', 'done', 'failed', 'cancelled', 'expired', 'deleted'))
);
create index export_job_done on research.export_job (study, request_digest) where state in ('queued', 'running', 'done');
-- One active job per study, over all servers.
create unique index export_job_one_running on research.export_job (study) where (state = 'running');
create index export_job_open on research.export_job (requested_at) where state in ('queued', 'running');
create index export_job_study on research.export_job (study, requested_at desc);

-- Identifies the history of this database. A restore to an earlier moment begins a new history, and cursors of the former one are rejected. No row means
-- the first history.
create table research.history (
  only_one boolean primary key default true,
  history_id uuid not null,
  began_at timestamptz not null,
  constraint history_only_one check (only_one)
);

-- Quarantine: bodies that were rejected with 409, because their id belongs to another body. They are kept.
create table research.quarantine (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  client_id uuid not null,
  body_sha256 bytea not null,
  body bytea not null,
  received_at timestamptz not null,
  primary key (enrolment_id, kind, client_id, body_sha256)
);

-- Jobs that score stored sheets again after a change of the key or the engine. Each batch is one transaction: it adds scores, counts what changed, and
-- stores the position. A crash at any moment leaves no partial batch.
create table research.rescoring (
  rescoring_id uuid primary key,
  study text not null references research.study,
  study_version text not null,
  -- digest of all keys, covariate sources and the engine: the state that this job produces
  rules_digest text not null,
  engine_version text not null,
  cause text not null,
  requested_at timestamptz not null,
  -- settling: finished, except for sheets that were being stored while the keys changed
  state text not null default 'queued',
  lease_until timestamptz,
  sheets_total bigint not null,
  sheets_seen bigint not null default 0,
  rows_added bigint not null default 0,
  damaged bigint not null default 0,
  -- committed batches; the next owner must know the last one
  batches integer not null default 0,
  at_questionnaire text not null default '',
  at_version text not null default '',
  at_enrolment uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  at_sheet uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  at_revision integer not null default 0,
  finished_at timestamptz,
  failure text,
  constraint rescoring_cause check (cause in ('publication', 'engine', 'request')),
  constraint rescoring_state check (state in ('queued', 'running', 'settling', 'done', 'superseded', 'failed'))
);
create unique index rescoring_one_unfinished on research.rescoring (study) where state in ('queued', 'running', 'settling');
create index rescoring_study on research.rescoring (study, requested_at desc, rescoring_id desc);

-- '': in no band
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

-- What a rescoring changed, for the sheets that count.
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
  -- sheets with a value before and after
  compared bigint not null,
  total_change double precision not null,
  greatest_change double precision not null,
  primary key (rescoring_id, questionnaire, version, scale)
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
  exclusion text,
  standard_error double precision,
  covariates text,
  constraint score_value_or_reason check ((value is null) = (reason is not null)),
  primary key (enrolment_id, sheet_id, revision, scale, key_digest, engine_version),
  foreign key (enrolment_id, sheet_id, revision) references research.answer_sheet(enrolment_id, sheet_id, revision) on delete cascade
);

-- Usage events of the app: opened, questionnaire seen, reminder received. The device's id makes each one unique.
create table research.usage_event (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  event_id uuid not null,
  event text not null,
  -- by the device's clock, uncorrected
  happened_at timestamptz not null,
  received_at timestamptz not null,
  zone text not null,
  offset_min integer not null,
  skew_ms bigint not null,
  -- no foreign key: the plan may no longer contain the occasion, or not contain it yet
  occasion_id uuid,
  questionnaire text,
  -- json, not jsonb: keeps the device's digits
  properties json,
  body_sha256 bytea not null,
  constraint usage_event_event check (event in ('app_opened', 'app_closed', 'screen_seen', 'prompt_delivered', 'prompt_opened', 'prompt_dismissed', 'sheet_begun', 'sheet_left', 'permission_changed', 'app_updated')),
  primary key (enrolment_id, event_id)
);
-- By the local date of the event, by the corrected clock.
create index usage_event_local_date on research.usage_event (research.local_date(happened_at, offset_min, skew_ms));

-- Audit

-- The audit: who did what and when. Append-only: privileges forbid changes to the server's roles, triggers forbid them to all others.
-- It stays after an erasure, so it contains no id of an account, an enrolment or a record, but a digest of it under a key that follows from the
-- master key. Entries of participants name the enrolment and not the account.
create table audit.entry (
  entry_id bigint generated always as identity primary key,
  recorded_at timestamptz not null,
  actor_kind text not null,
  actor_ref text,
  action text not null,
  study text,
  enrolment_ref text,
  request_id text,
  detail jsonb not null default '{}'::jsonb
);
create index entry_study on audit.entry (study, entry_id);

-- Functions over tables, and triggers

create function audit.refuse() returns trigger
language plpgsql
as $$
begin
  raise exception 'the audit table is append-only' using errcode = 'insufficient_privilege';
end
$$;

create function research.keep_one_current() returns trigger
language plpgsql
as $$
begin
  if exists (
    select from research.answer_sheet
    where enrolment_id = new.enrolment_id and sheet_id = new.sheet_id and current and revision <> new.revision
  ) then
    raise unique_violation using
      message = 'another revision of this sheet is current', constraint = 'answer_sheet_one_current',
      schema = 'research', table = 'answer_sheet';
  end if;
  return null;
end
$$;

create function research.note_changed_answer_sheet() returns trigger
language plpgsql
as $$
      begin
        if not exists (select from changed) then
          return null;
        end if;
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'answer_sheet', changed.sheet_id, enrolment.study
        from changed
        join before using (enrolment_id, sheet_id, revision)
        join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
        where (changed.current, changed.completes, changed.duplicate_of, changed.deleted_at) is distinct from (before.current, before.completes, before.duplicate_of, before.deleted_at)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create function research.note_changed_enrolment() returns trigger
language plpgsql
as $$
      begin
        if not exists (select from changed) then
          return null;
        end if;
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'enrolment', changed.enrolment_id, enrolment.study
        from changed
        join before using (enrolment_id)
        join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
        where (changed.study_version, changed.arm, changed.consent_version, changed.zone, changed.language, changed.status, changed.ended_at, changed.end_reason, changed.reminders_on) is distinct from (before.study_version, before.arm, before.consent_version, before.zone, before.language, before.status, before.ended_at, before.end_reason, before.reminders_on)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

-- Also notes a new revision. A replay fires it with no updated row, or with the row that was there before.
create function research.note_changed_observation() returns trigger
language plpgsql
as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'observation', changed.observation_id, enrolment.study
  from changed
  join before using (enrolment_id, observation_id)
  join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
  where changed.deleted_at is distinct from before.deleted_at or changed.revision <> before.revision
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;

create function research.note_changed_occasion() returns trigger
language plpgsql
as $$
      begin
        if not exists (select from changed) then
          return null;
        end if;
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'occasion', changed.occasion_id, enrolment.study
        from changed
        join before using (enrolment_id, occasion_id)
        join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
        where (changed.study_version, changed.local_date, changed.zone, changed.visible_at, changed.open_at, changed.due_at, changed.close_at, changed.set_aside, changed.completed_at, changed.sheet_id) is distinct from (before.study_version, before.local_date, before.zone, before.visible_at, before.open_at, before.due_at, before.close_at, before.set_aside, before.completed_at, before.sheet_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

-- A score that is computed again under the same key, because a covariate is known now, is a change for readers as a new score is.
create function research.note_changed_score() returns trigger
language plpgsql
as $$
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

create function research.note_changed_walk() returns trigger
language plpgsql
as $$
      begin
        if not exists (select from changed) then
          return null;
        end if;
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'walk', changed.walk_id, enrolment.study
        from changed
        join before using (enrolment_id, walk_id)
        join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
        where (changed.deleted_at) is distinct from (before.deleted_at)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create function research.note_new_answer_sheet() returns trigger
language plpgsql
as $$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'answer_sheet', changed.sheet_id, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create function research.note_new_calibration() returns trigger
language plpgsql
as $$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'calibration', changed.calibration_id, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create function research.note_new_enrolment() returns trigger
language plpgsql
as $$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'enrolment', changed.enrolment_id, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create function research.note_new_observation() returns trigger
language plpgsql
as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'observation', changed.observation_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;

create function research.note_new_occasion() returns trigger
language plpgsql
as $$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'occasion', changed.occasion_id, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

-- Finds the note by key, row by row: a plan from the time when the table was small would read the whole table later.
create function research.note_new_score() returns trigger
language plpgsql
as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'answer_sheet', changed.sheet_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  where (
    select noted.xmin = pg_current_xact_id()::xid
    from research.change noted
    where noted.enrolment_id = changed.enrolment_id and noted.kind = 'answer_sheet' and noted.subject_id = changed.sheet_id
  ) is not true
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;

create function research.note_new_usage_event() returns trigger
language plpgsql
as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'usage_event', changed.event_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;

create function research.note_new_walk() returns trigger
language plpgsql
as $$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, 'walk', changed.walk_id, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $$;

create trigger enrolment_note_changed after update on research.enrolment referencing old table as before new table as changed for each statement execute function research.note_changed_enrolment();

create trigger enrolment_note_new after insert on research.enrolment referencing new table as changed for each statement execute function research.note_new_enrolment();

create trigger occasion_note_changed after update on research.occasion referencing old table as before new table as changed for each statement execute function research.note_changed_occasion();

create trigger occasion_note_new after insert on research.occasion referencing new table as changed for each statement execute function research.note_new_occasion();

create trigger answer_sheet_again_current after update of current on research.answer_sheet for each row when ((new.current and (not old.current))) execute function research.keep_one_current();

create trigger answer_sheet_new_current after insert on research.answer_sheet for each row when ((new.current and (new.revision > 1))) execute function research.keep_one_current();

create trigger answer_sheet_note_changed after update on research.answer_sheet referencing old table as before new table as changed for each statement execute function research.note_changed_answer_sheet();

create trigger answer_sheet_note_new after insert on research.answer_sheet referencing new table as changed for each statement execute function research.note_new_answer_sheet();

create trigger calibration_note_new after insert on research.calibration referencing new table as changed for each statement execute function research.note_new_calibration();

create trigger observation_note_changed after update on research.observation referencing old table as before new table as changed for each statement execute function research.note_changed_observation();

create trigger observation_note_new after insert on research.observation referencing new table as changed for each statement execute function research.note_new_observation();

create trigger walk_note_changed after update on research.walk referencing old table as before new table as changed for each statement execute function research.note_changed_walk();

create trigger walk_note_new after insert on research.walk referencing new table as changed for each statement execute function research.note_new_walk();

create trigger score_note_changed after update on research.score referencing old table as before new table as changed for each statement execute function research.note_changed_score();

create trigger score_note_new after insert on research.score referencing new table as changed for each statement execute function research.note_new_score();

create trigger usage_event_note_new after insert on research.usage_event referencing new table as changed for each statement execute function research.note_new_usage_event();

create trigger entry_no_change before delete or update on audit.entry for each row execute function audit.refuse();

create trigger entry_no_truncate before truncate on audit.entry for each statement execute function audit.refuse();

alter table audit.entry enable always trigger entry_no_change;

alter table audit.entry enable always trigger entry_no_truncate;

create view research.due_amendment as
 select due.enrolment_id,
    due.amendment_id,
    due.subject,
    due.subject_id,
    due.kind,
    due.made_at,
    due.received_at,
    due.body,
    due.body_sha256,
    due.state,
    due.refusal,
    due.revision,
    due.device_id,
    due.sequence,
    due.stated_at
   from research.amendment due
  where ((due.state in ('waiting', 'applying')) AND
        case due.subject
            when 'answer_sheet' then (exists (select
               from research.answer_sheet sheet
              where ((sheet.enrolment_id = due.enrolment_id) and (sheet.sheet_id = due.subject_id) and (sheet.revision = 1))))
            when 'walk' then (exists (select
               from research.walk
              where ((walk.enrolment_id = due.enrolment_id) and (walk.walk_id = due.subject_id))))
            else (exists (select
               from research.observation
              where ((observation.enrolment_id = due.enrolment_id) and (observation.observation_id = due.subject_id))))
        end);

-- Privileges

grant select, insert, delete, update on
  identity.account,
  identity.account_grant,
  identity.api_token,
  identity.email_verification,
  identity.ended_family,
  identity.membership,
  identity.outgoing_mail,
  identity.password_reset,
  identity.push_subscription,
  identity.token_family,
  identity.refresh_token,
  identity.signing_key
to saunter_identity, saunter_clerk;

grant select, insert on
  identity.erasure
to saunter_clerk;

grant select, insert on
  identity.key_check
to saunter_identity;

grant select on
  identity.key_check
to saunter_clerk;

grant select, insert, delete, update on
  research.allocation_counter,
  research.questionnaire_version,
  research.study,
  research.study_version,
  research.study_webhook,
  research.enrolment,
  research.enrolment_consent,
  research.enrolment_event,
  research.enrolment_pause,
  research.enrolment_version,
  research.enrolment_zone,
  research.occasion,
  research.reminder,
  research.reminder_attempt,
  research.reminder_channel,
  research.reminder_snooze,
  research.amendment,
  research.answer_sheet,
  research.answer_text,
  research.calibration,
  research.change,
  research.change_counter,
  research.device,
  research.observation,
  research.walk,
  research.erasure,
  research.export_job,
  research.quarantine,
  research.rescoring,
  research.rescoring_move,
  research.rescoring_scale,
  research.score,
  research.usage_event
to saunter_research, saunter_clerk;

grant select on
  research.allocation_counter,
  research.questionnaire_version,
  research.study,
  research.study_version,
  research.enrolment,
  research.enrolment_consent,
  research.enrolment_event,
  research.enrolment_pause,
  research.enrolment_version,
  research.enrolment_zone,
  research.occasion,
  research.reminder,
  research.reminder_attempt,
  research.reminder_channel,
  research.reminder_snooze,
  research.answer_sheet,
  research.answer_text,
  research.calibration,
  research.change,
  research.change_counter,
  research.device,
  research.observation,
  research.walk,
  research.erasure,
  research.rescoring,
  research.rescoring_move,
  research.rescoring_scale,
  research.score,
  research.usage_event,
  research.amendment,
  research.quarantine
to saunter_export;

grant select, insert on
  research.arm_change
to saunter_research;

grant select on
  research.arm_change
to saunter_clerk, saunter_export;

grant select on
  research.history
to saunter_research, saunter_clerk, saunter_export;

grant select, insert on
  audit.entry
to saunter_identity, saunter_clerk;

grant insert on
  audit.entry
to saunter_research, saunter_export;

grant select on
  research.due_amendment
to saunter_research;

-- Compression

-- Stores samples with LZ4 if PostgreSQL has it: writing a walk of one hour takes half the time and a little more disk.
do $$
declare
  series record;
begin
  for series in
    select attrelid::regclass as owner, attname as name
    from pg_attribute
    where attrelid in ('research.walk'::regclass, 'research.observation'::regclass)
      and attnum > 0 and not attisdropped and atttypid in ('integer[]'::regtype, 'bigint[]'::regtype, 'double precision[]'::regtype)
  loop
    execute format('alter table %s alter column %I set compression lz4', series.owner, series.name);
  end loop;
exception
  when feature_not_supported then raise notice 'samples stay packed by pglz: %', sqlerrm;
end
$$;
