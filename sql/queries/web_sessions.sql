-- name: insert_web_session(token_hash bytea, family_id uuid, now timestamptz, confirmed_at timestamptz) :exec
insert into identity.web_session (token_hash, family_id, created_at, confirmed_at, seen_at)
values (:token_hash, :family_id, :now, :confirmed_at, :now);

-- name: find_web_session(token_hash bytea, now timestamptz) :many
-- No row if the login has expired or was revoked.
select family.account_id, family.family_id, family.expires_at, session.confirmed_at, session.seen_at, account.kind,
  account.used_at
from identity.web_session session
join identity.token_family family using (family_id)
join identity.account account using (account_id)
where session.token_hash = :token_hash and family.revoked_at is null and family.expires_at > :now;

-- name: record_session_use(token_hash bytea, now timestamptz) :exec
update identity.web_session set seen_at = greatest(seen_at, :now) where token_hash = :token_hash;

-- name: confirm_web_session(token_hash bytea, now timestamptz) :exec
update identity.web_session set confirmed_at = :now, seen_at = :now where token_hash = :token_hash;

-- name: insert_login_link(code_hash bytea, account_id uuid, now timestamptz, expires_at timestamptz) :exec
insert into identity.login_link (code_hash, account_id, created_at, expires_at)
values (:code_hash, :account_id, :now, :expires_at);

-- name: use_login_link(code_hash bytea, now timestamptz) :many
-- A link works once: the second use finds no row.
update identity.login_link set used_at = :now
where code_hash = :code_hash and used_at is null and expires_at > :now
returning account_id;

-- name: delete_old_login_links(before timestamptz) :exec
delete from identity.login_link where expires_at < :before;
