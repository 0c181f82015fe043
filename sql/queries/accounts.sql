-- name: insert_account(account_id uuid, email_lookup bytea, email_sealed bytea, name_sealed bytea, password_hash text, time_zone text, language text, now timestamptz) :exec
insert into identity.account
  (account_id, email_lookup, email_sealed, name_sealed, password_hash, time_zone, language, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: find_account_by_email(email_lookup bytea) :many
select account_id, email_sealed, name_sealed, password_hash, time_zone, language, created_at
from identity.account
where email_lookup = $1;

-- name: find_account(account_id uuid) :many
select account_id, email_sealed, name_sealed, password_hash, time_zone, language, created_at
from identity.account
where account_id = $1;

-- name: update_account_profile(account_id uuid, email_lookup bytea, email_sealed bytea, name_sealed bytea, time_zone text, language text) :exec
update identity.account
set email_lookup = $2, email_sealed = $3, name_sealed = $4, time_zone = $5, language = $6
where account_id = $1;

-- name: update_password_hash(account_id uuid, password_hash text) :exec
update identity.account set password_hash = $2 where account_id = $1;

-- name: replace_password_hash(account_id uuid, old_hash text, new_hash text) :exec
update identity.account set password_hash = $3 where account_id = $1 and password_hash = $2;

-- name: delete_account(account_id uuid) :exec
-- Tokens, grants, resets, queued mail and memberships go with it by cascade.
delete from identity.account where account_id = $1;

-- name: list_grants(account_id uuid) :many
select role, study, full_export from identity.account_grant where account_id = $1 order by role, study;

-- name: upsert_grant(account_id uuid, role text, study text, full_export bool, now timestamptz) :exec
insert into identity.account_grant (account_id, role, study, full_export, granted_at)
values ($1, $2, $3, $4, $5)
on conflict (account_id, role, study) do update set full_export = excluded.full_export;

-- name: delete_grant(account_id uuid, role text, study text) :exec
delete from identity.account_grant where account_id = $1 and role = $2 and study = $3;

-- name: list_memberships(account_id uuid) :many
select study, enrolment_id from identity.membership where account_id = $1 order by study;

-- name: insert_membership(account_id uuid, study text, enrolment_id uuid) :exec
insert into identity.membership (account_id, study, enrolment_id) values ($1, $2, $3);

-- name: find_account_of_enrolment(enrolment_id uuid) :many
select account.account_id, account.email_sealed, account.name_sealed, account.language
from identity.membership
join identity.account using (account_id)
where membership.enrolment_id = $1;

-- name: delete_membership(enrolment_id uuid) :exec
delete from identity.membership where enrolment_id = $1;

-- name: lock_account(account_id uuid) :many
-- Serialises enrolments of one person: two devices that enrol at once get one enrolment.
select account_id from identity.account where account_id = $1 for update;
