-- Accounts without an address and a password. Their owner registers later, or another account adopts their enrolments.

alter table identity.account
  add column kind text not null default 'registered',
  -- when an anonymous account was last used, to the day; null for other accounts
  add column used_at timestamptz,
  alter column email_lookup drop not null,
  alter column email_sealed drop not null,
  alter column password_hash drop not null,
  add constraint account_kind check (kind in ('anonymous', 'registered')),
  add constraint account_credentials check (
    kind = 'registered' and num_nonnulls(email_lookup, email_sealed, password_hash) = 3
    or kind <> 'registered' and num_nonnulls(email_lookup, email_sealed, password_hash, email_verified_at) = 0),
  add constraint account_used_at check ((kind = 'anonymous') = (used_at is not null));
create index account_used on identity.account (used_at, account_id) where used_at is not null;

-- A login can end because the browser got a new one.
alter table identity.token_family
  drop constraint token_family_why,
  add constraint token_family_why check (revoked_why in ('logout', 'replay', 'password_changed', 'replaced'));

-- The kind of the account at the enrolment. A later registration does not change it, so it shows nothing about the
-- account of today.
alter table research.enrolment
  add column account_kind text not null default 'registered',
  add constraint enrolment_account_kind check (account_kind in ('anonymous', 'registered'));
