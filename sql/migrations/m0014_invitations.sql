-- Invitations of colleagues to the team of a study. An invitation becomes a role when the account logs in.

create table identity.invitation (
  account_id uuid not null references identity.account on delete cascade,
  study text not null,
  role text not null,
  -- a keyed digest of the invited address; if the account has another address, the invitation has no effect
  email_lookup bytea not null,
  -- the name and the address as they were typed, encrypted
  shown_sealed bytea not null,
  -- the permissions of the role
  full_export boolean not null,
  sees_arms boolean not null,
  invited_at timestamptz not null,
  primary key (account_id, study, role),
  constraint invitation_role check (role in ('researcher', 'coordinator', 'editor'))
);
create index invitation_study on identity.invitation (study);

grant select, insert, update, delete on identity.invitation to saunter_identity, saunter_clerk;
