-- name: insert_api_token(token_id uuid, token_hash bytea, account_id uuid, study text, label text, profile text, now timestamptz, expires_at timestamptz, maximum int4) :many
-- No row if the id is stored already, or if the account has the maximum number of valid tokens. The account is locked, so the limit also holds
-- for concurrent calls.
insert into identity.api_token (token_id, token_hash, account_id, study, label, profile, created_at, expires_at)
select :token_id, :token_hash, :account_id, :study, :label, :profile, :now, :expires_at
where (
  select count(*) from identity.api_token
  where account_id = :account_id and study = :study and revoked_at is null and expires_at > :now) < :maximum
on conflict (token_id) do nothing
returning token_id;

-- name: list_api_tokens_with_id(token_id uuid) :many
select token_id from identity.api_token where token_id = :token_id;

-- name: find_api_token(token_hash bytea) :many
select token_id, account_id, study, label, profile, created_at, expires_at, used_at, revoked_at
from identity.api_token where token_hash = :token_hash;

-- name: record_api_token_use(token_id uuid, now timestamptz, before timestamptz) :exec
update identity.api_token set used_at = :now where token_id = :token_id and (used_at is null or used_at < :before);

-- name: list_api_tokens(study text, account_id uuid, after uuid, limit_rows int4) :many
-- A null account_id means all accounts.
select token_id, account_id, study, label, profile, created_at, expires_at, used_at, revoked_at
from identity.api_token
where study = :study and (:account_id is null or account_id = :account_id) and token_id > :after
order by token_id
limit :limit_rows;

-- name: revoke_api_token(token_id uuid, study text, account_id uuid, now timestamptz) :many
update identity.api_token set revoked_at = coalesce(revoked_at, :now)
where token_id = :token_id and study = :study and (:account_id is null or account_id = :account_id)
returning token_id;

-- name: lower_api_tokens(account_id uuid, study text, now timestamptz) :exec
-- Adapts the tokens to the remaining roles of the account in the study. A role that is granted again later does not
-- make an old token valid again.
update identity.api_token token
set
  revoked_at = case when remaining.full_export is null then :now end,
  profile = case when remaining.full_export then token.profile else 'coded' end
from (
  select bool_or(full_export) as full_export from identity.account_grant
  where account_id = :account_id and study = :study and role in ('researcher', 'coordinator')) as remaining
where token.account_id = :account_id and token.study = :study and token.revoked_at is null;

-- name: delete_old_api_tokens(before timestamptz) :exec
delete from identity.api_token where expires_at < :before;
