-- name: insert_token_family(family_id uuid, account_id uuid, password_hash text, created_at timestamptz, expires_at timestamptz) :many
-- No row if the account was erased, or has another password hash by now. The hash of an anonymous account is `!`, which
-- no password matches. The lock waits for a concurrent change of the password, and makes a later change wait, which then
-- revokes the family.
insert into identity.token_family (family_id, account_id, created_at, expires_at)
select :family_id, account_id, :created_at, :expires_at
from identity.account
where account_id = :account_id and coalesce(password_hash, '!') = :password_hash
for share
returning family_id;

-- name: find_known_device(token_hash bytea, email_lookup bytea) :many
-- The account with this address, if the token belongs to one of its logins, even to a revoked one.
select account.account_id
from identity.refresh_token
join identity.token_family using (family_id)
join identity.account using (account_id)
where refresh_token.token_hash = :token_hash and account.email_lookup = :email_lookup;

-- name: insert_refresh_token(token_hash bytea, family_id uuid, parent_hash bytea, issued_at timestamptz) :exec
insert into identity.refresh_token (token_hash, family_id, parent_hash, issued_at) values (:token_hash, :family_id,
  :parent_hash, :issued_at);

-- name: lock_token_family(token_hash bytea) :many
-- Exchanges in one family run one after the other.
select family.family_id
from identity.refresh_token token
join identity.token_family family using (family_id)
where token.token_hash = :token_hash
for update of family;

-- name: find_refresh_token(token_hash bytea) :many
select
  token.family_id, family.account_id, family.expires_at, family.revoked_at, account.kind,
  exists (select from identity.refresh_token child
    where child.parent_hash = token.token_hash and child.used_at is not null) as successor_used,
  exists (select from identity.refresh_token sibling
    where sibling.parent_hash = token.parent_hash and sibling.used_at is not null
      and sibling.token_hash <> token.token_hash) as sibling_used,
  (select count(*) from identity.refresh_token child where child.parent_hash = token.token_hash) as successors
from identity.refresh_token token
join identity.token_family family using (family_id)
join identity.account account using (account_id)
where token.token_hash = :token_hash;

-- name: use_refresh_token(token_hash bytea, now timestamptz) :exec
update identity.refresh_token set used_at = coalesce(used_at, :now) where token_hash = :token_hash;

-- name: revoke_family(family_id uuid, now timestamptz, why text) :exec
update identity.token_family set revoked_at = :now, revoked_why = :why where family_id = :family_id
  and revoked_at is null;

-- name: extend_family(family_id uuid, expires_at timestamptz) :exec
update identity.token_family set expires_at = greatest(expires_at, :expires_at)
where family_id = :family_id and revoked_at is null;

-- name: shorten_family(family_id uuid, expires_at timestamptz) :exec
update identity.token_family set expires_at = least(expires_at, :expires_at) where family_id = :family_id;

-- name: revoke_families_of_account(account_id uuid, now timestamptz, why text, kept_family uuid) :many
update identity.token_family set revoked_at = :now, revoked_why = :why
where account_id = :account_id and revoked_at is null and family_id is distinct from :kept_family
returning family_id;

-- name: end_families_of_account(account_id uuid, now timestamptz) :many
-- Keeps the ids of the logins of an account that is erased in the same transaction.
insert into identity.ended_family (family_id, ended_at)
select family_id, :now from identity.token_family where account_id = :account_id
returning family_id;

-- name: list_families_revoked_since(since timestamptz) :many
select family_id from identity.token_family where revoked_at >= :since
union all
select family_id from identity.ended_family where ended_at >= :since;

-- name: delete_expired_families(before timestamptz) :exec
delete from identity.token_family where expires_at < :before;

-- name: delete_ended_families(before timestamptz) :exec
delete from identity.ended_family where ended_at < :before;

-- name: delete_old_password_resets(before timestamptz) :exec
delete from identity.password_reset where expires_at < :before;

-- name: delete_old_email_verifications(before timestamptz) :exec
delete from identity.email_verification where expires_at < :before;

-- name: delete_old_mails(before timestamptz) :exec
-- Also mails that are still waiting, on a server without a mail server: they would be too late.
delete from identity.outgoing_mail where created_at < :before;

-- name: delete_spent_refresh_tokens(before timestamptz) :exec
-- A deleted token is rejected like an unknown one. Only the detection of stolen copies ends with it.
delete from identity.refresh_token token
where token.used_at < :before and token.parent_hash is not null
  and exists (select from identity.refresh_token child where child.parent_hash = token.token_hash
    and child.used_at < :before);

-- name: insert_password_reset(code_hash bytea, account_id uuid, created_at timestamptz, expires_at timestamptz) :exec
insert into identity.password_reset (code_hash, account_id, created_at, expires_at) values (:code_hash, :account_id,
  :created_at, :expires_at);

-- name: lock_account_of_reset(code_hash bytea) :many
-- Locks the account before the code is used. A change of the password locks in the same order.
select account.account_id
from identity.password_reset
join identity.account using (account_id)
where password_reset.code_hash = :code_hash
for no key update of account;

-- name: use_password_reset(code_hash bytea, now timestamptz) :many
-- A code works once: the second use finds no row.
update identity.password_reset set used_at = :now
where code_hash = :code_hash and used_at is null and expires_at > :now
returning account_id;

-- name: delete_password_resets(account_id uuid) :exec
delete from identity.password_reset where account_id = :account_id and used_at is null;

-- name: insert_email_verification(code_hash bytea, account_id uuid, email_sealed bytea, created_at timestamptz, expires_at timestamptz) :exec
-- A new code replaces the previous one.
insert into identity.email_verification (code_hash, account_id, email_sealed, created_at, expires_at)
values (:code_hash, :account_id, :email_sealed, :created_at, :expires_at)
on conflict (account_id) do update
set code_hash = excluded.code_hash, email_sealed = excluded.email_sealed, created_at = excluded.created_at,
  expires_at = excluded.expires_at;

-- name: find_email_verification(account_id uuid, now timestamptz) :many
select email_sealed from identity.email_verification where account_id = :account_id and expires_at > :now;

-- name: use_email_verification(code_hash bytea, account_id uuid, now timestamptz) :many
-- Only the account that received the code can use it, once.
delete from identity.email_verification
where code_hash = :code_hash and account_id = :account_id and expires_at > :now
returning email_sealed;

-- name: delete_email_verification(account_id uuid) :exec
delete from identity.email_verification where account_id = :account_id;

-- name: list_signing_keys() :many
select key_id, key_sealed, created_at, retires_at from identity.signing_key order by created_at;

-- name: insert_signing_key(key_id text, key_sealed bytea, created_at timestamptz, retires_at timestamptz) :exec
insert into identity.signing_key (key_id, key_sealed, created_at, retires_at) values (:key_id, :key_sealed, :created_at,
  :retires_at);

-- name: delete_retired_signing_keys(now timestamptz, latest timestamptz) :exec
-- A key from the future was created by a wrong clock. It would sign, and no other key would be created until that time.
delete from identity.signing_key where retires_at < :now or created_at > :latest;

-- name: find_key_check() :many
select digest from identity.key_check;

-- name: insert_key_check(digest bytea) :exec
insert into identity.key_check (digest) values (:digest) on conflict (only_one) do nothing;

-- name: lock_signing_keys() :exec
lock table identity.signing_key in exclusive mode;

-- name: insert_outgoing_mail(mail_id uuid, account_id uuid, kind text, message_sealed bytea, now timestamptz) :exec
insert into identity.outgoing_mail (mail_id, account_id, kind, message_sealed, created_at, next_attempt_at)
values (:mail_id, :account_id, :kind, :message_sealed, :now, :now)
on conflict (mail_id) do nothing;

-- name: delete_waiting_mails(account_id uuid, kind text) :exec
-- Their code was replaced, or it is no longer valid.
delete from identity.outgoing_mail
where account_id = :account_id and kind = :kind and next_attempt_at is not null;

-- name: claim_outgoing_mail(now timestamptz, lease_until timestamptz) :many
-- Counts the attempt at the claim. If the worker crashes before it records the outcome, the mail is claimed again when
-- the lease ends.
update identity.outgoing_mail set attempts = attempts + 1, next_attempt_at = :lease_until
where mail_id = (
  select mail_id from identity.outgoing_mail
  where next_attempt_at <= :now
  order by next_attempt_at
  limit 1
  for update skip locked)
returning mail_id, account_id, kind, message_sealed, attempts, created_at;

-- name: finish_outgoing_mail(mail_id uuid, outcome text, next_attempt_at timestamptz) :exec
update identity.outgoing_mail
set outcome = :outcome, next_attempt_at = :next_attempt_at,
  message_sealed = case when :next_attempt_at is null then ''::bytea else message_sealed end
where mail_id = :mail_id;
