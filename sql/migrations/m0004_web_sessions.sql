-- Browser sessions and one-time links to log in.

-- The session cookie of a browser. It belongs to a login, and ends with it.
create table identity.web_session (
  -- SHA-256 of the cookie's value
  token_hash bytea primary key,
  family_id uuid not null references identity.token_family on delete cascade,
  created_at timestamptz not null
);
create index web_session_family on identity.web_session (family_id);

-- A link that logs in once, made by the operator for an account.
create table identity.login_link (
  -- SHA-256 of the code in the link
  code_hash bytea primary key,
  account_id uuid not null references identity.account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index login_link_account on identity.login_link (account_id);

grant select, insert, delete, update on identity.web_session, identity.login_link to saunter_identity, saunter_clerk;
