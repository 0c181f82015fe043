-- name: insert_api_token(token_id uuid, token_hash bytea, account_id uuid, study text, label text, profile text, now timestamptz, expires_at timestamptz, most int4) :many
-- Nothing is made where there are as many already. Under a lock of the account, so that the bound holds.
insert into identity.api_token (token_id, token_hash, account_id, study, label, profile, created_at, expires_at)
select $1, $2, $3, $4, $5, $6, $7, $8
where (
  select count(*) from identity.api_token
  where account_id = $3 and study = $4 and revoked_at is null and expires_at > $7) < $9
returning token_id;

-- name: find_api_token(token_hash bytea) :many
select token_id, account_id, study, label, profile, created_at, expires_at, used_at, revoked_at
from identity.api_token where token_hash = $1;

-- name: touch_api_token(token_id uuid, now timestamptz, before timestamptz) :exec
update identity.api_token set used_at = $2 where token_id = $1 and (used_at is null or used_at < $3);

-- name: list_api_tokens(study text, account_id uuid, after uuid, limit_rows int4) :many
-- Of one account, or of everybody where none is named.
select token_id, account_id, study, label, profile, created_at, expires_at, used_at, revoked_at
from identity.api_token
where study = $1 and ($2 is null or account_id = $2) and token_id > $3
order by token_id
limit $4;

-- name: revoke_api_token(token_id uuid, study text, account_id uuid, now timestamptz) :many
update identity.api_token set revoked_at = coalesce(revoked_at, $4)
where token_id = $1 and study = $2 and ($3 is null or account_id = $3)
returning token_id;

-- name: delete_old_api_tokens(before timestamptz) :exec
delete from identity.api_token where expires_at < $1;
