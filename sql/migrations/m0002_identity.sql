-- Who people are. Columns that end in _sealed are AES-GCM under a key that the database does not hold;
-- _lookup is a keyed digest, so that an address can be found but not read.

create table identity.account (
  account_id uuid primary key,
  email_lookup bytea not null constraint account_email_taken unique,
  email_sealed bytea not null,
  name_sealed bytea not null,
  password_hash text not null,
  time_zone text,
  language text,
  created_at timestamptz not null
);

create table identity.account_grant (
  account_id uuid not null references identity.account on delete cascade,
  role text not null constraint account_grant_role check (role in ('researcher', 'coordinator', 'admin')),
  -- '*' for admin, who belongs to no study
  study text not null,
  -- a second permission, needed for the export profile `full`
  full_export boolean not null default false,
  granted_at timestamptz not null,
  primary key (account_id, role, study)
);

-- One family per login on one device. Revoking it ends every token that came of that login.
create table identity.token_family (
  family_id uuid primary key,
  account_id uuid not null references identity.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_why text constraint token_family_why check (revoked_why in ('logout', 'replay', 'password_changed', 'erased'))
);
create index token_family_account on identity.token_family (account_id);
create index token_family_revoked on identity.token_family (revoked_at) where revoked_at is not null;

create table identity.refresh_token (
  token_hash bytea primary key,
  family_id uuid not null references identity.token_family on delete cascade,
  -- the token that was exchanged for this one; null for the first of a family
  parent_hash bytea,
  issued_at timestamptz not null,
  used_at timestamptz
);
create index refresh_token_family on identity.refresh_token (family_id);
create index refresh_token_parent on identity.refresh_token (parent_hash);

create table identity.password_reset (
  code_hash bytea primary key,
  account_id uuid not null references identity.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_reset_account on identity.password_reset (account_id);

-- Keys that sign access tokens; the newest signs, the others still verify until they are retired.
create table identity.signing_key (
  key_id text primary key,
  key_sealed bytea not null,
  created_at timestamptz not null,
  retires_at timestamptz not null
);

-- The only bridge between a person and a pseudonym.
create table identity.membership (
  account_id uuid not null references identity.account on delete cascade,
  study text not null,
  enrolment_id uuid not null constraint membership_one_account_per_enrolment unique,
  primary key (account_id, study)
);

-- Mail that is not a reminder (password resets): queued with the act that caused it, so that neither is lost without the other.
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
create index outgoing_mail_next on identity.outgoing_mail (next_attempt_at) where next_attempt_at is not null;

grant select, insert, update, delete on all tables in schema identity to saunter_identity, saunter_clerk;
