-- name: insert_invited_account(account_id uuid, email_lookup bytea, email_sealed bytea, name_sealed bytea, password_hash text, language text, now timestamptz) :exec
-- No effect if the address has an account.
insert into identity.account (account_id, email_lookup, email_sealed, name_sealed, password_hash, language, created_at)
values (:account_id, :email_lookup, :email_sealed, :name_sealed, :password_hash, :language, :now)
on conflict (email_lookup) do nothing;

-- name: lock_account_by_email(email_lookup bytea) :many
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at
from identity.account
where email_lookup = :email_lookup
for update;

-- name: find_invitee(account_id uuid, study text, role text) :one
-- Whether the account is enrolled in the study, and the role that it has.
select
  exists (select from identity.membership where account_id = :account_id and study = :study) as is_enrolled,
  present.full_export, present.sees_arms
from (select 1) as one_row
left join identity.account_grant present
  on present.account_id = :account_id and present.study = :study and present.role = :role;

-- name: upsert_invitation(account_id uuid, study text, role text, email_lookup bytea, shown_sealed bytea, full_export bool, sees_arms bool, now timestamptz) :exec
-- A null permission keeps that of an earlier invitation.
insert into identity.invitation as invitation
  (account_id, study, role, email_lookup, shown_sealed, full_export, sees_arms, invited_at)
values (:account_id, :study, :role, :email_lookup, :shown_sealed, coalesce(:full_export, false),
  coalesce(:sees_arms, false), :now)
on conflict (account_id, study, role) do update
set email_lookup = excluded.email_lookup, shown_sealed = excluded.shown_sealed,
  full_export = coalesce(:full_export, invitation.full_export),
  sees_arms = coalesce(:sees_arms, invitation.sees_arms), invited_at = excluded.invited_at;

-- name: list_invitations(study text) :many
select account_id, role, shown_sealed, full_export, sees_arms, invited_at from identity.invitation
where study = :study;

-- name: accept_invitations(account_id uuid, now timestamptz) :many
-- Makes roles of the invitations of an account. The account must have proven that the invited address is its own. An
-- account that is enrolled in the study gets no role in it; its invitation stays.
with accepted as (
  delete from identity.invitation using identity.account
  where invitation.account_id = :account_id and account.account_id = invitation.account_id
    and account.email_verified_at is not null and account.email_lookup = invitation.email_lookup
    and not exists (
      select from identity.membership
      where membership.account_id = invitation.account_id and membership.study = invitation.study)
  returning invitation.study, invitation.role, invitation.full_export, invitation.sees_arms
)
insert into identity.account_grant (account_id, role, study, full_export, sees_arms, granted_at)
select :account_id, role, study, full_export, sees_arms, :now from accepted
on conflict (account_id, role, study) do nothing
returning role, study, full_export, sees_arms;

-- name: delete_invitation(account_id uuid, study text, role text) :many
delete from identity.invitation where account_id = :account_id and study = :study and role = :role
returning role;

-- name: delete_account_without_use(account_id uuid, password_hash text) :exec
-- An account that an invitation made, and that has neither a password nor anything else.
delete from identity.account
where account_id = :account_id and password_hash = :password_hash
  and not exists (select from identity.invitation where invitation.account_id = account.account_id)
  and not exists (select from identity.account_grant where account_grant.account_id = account.account_id)
  and not exists (select from identity.membership where membership.account_id = account.account_id)
  and not exists (select from identity.token_family where token_family.account_id = account.account_id);
