-- Tokens with which programs of researchers read one study for months. Only digests are kept: a copy of the database reads nothing.
create table identity.api_token (
  token_id uuid primary key,
  token_hash bytea not null constraint api_token_hash unique,
  account_id uuid not null references identity.account on delete cascade,
  study text not null,
  label text not null,
  -- what it may tell at most; less, where the account's own right has become less
  profile text not null constraint api_token_profile check (profile in ('coded', 'full')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- to the hour
  used_at timestamptz,
  revoked_at timestamptz
);
create index api_token_account on identity.api_token (account_id, study);
create index api_token_expires on identity.api_token (expires_at);
grant select, insert, update, delete on identity.api_token to saunter_identity, saunter_clerk;
