-- name: insert_account(account_id uuid, kind text, email_lookup bytea, email_sealed bytea, name_sealed bytea, password_hash text, time_zone text, language text, now timestamptz, email_verified_at timestamptz) :exec
insert into identity.account
  (account_id, kind, email_lookup, email_sealed, name_sealed, password_hash, time_zone, language, created_at,
   email_verified_at, used_at)
values (:account_id, :kind, :email_lookup, :email_sealed, :name_sealed, :password_hash, :time_zone, :language, :now,
  :email_verified_at, case when :kind = 'anonymous' then :now end);

-- name: find_account_by_email(email_lookup bytea) :many
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at
from identity.account
where email_lookup = :email_lookup;

-- name: find_account(account_id uuid) :many
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at
from identity.account
where account_id = :account_id;

-- name: update_account_profile(account_id uuid, email_lookup bytea, email_sealed bytea, name_sealed bytea, time_zone text, language text) :exec
update identity.account
set email_lookup = :email_lookup, email_sealed = :email_sealed, name_sealed = :name_sealed, time_zone = :time_zone,
  language = :language
where account_id = :account_id;

-- name: verify_email(account_id uuid, now timestamptz) :exec
update identity.account set email_verified_at = coalesce(email_verified_at, :now) where account_id = :account_id;

-- name: verify_email_of_enrolments(account_id uuid) :exec
-- Reminders that wait for the address are due at once.
update research.enrolment set email_verified = true
from identity.membership
where membership.account_id = :account_id and enrolment.enrolment_id = membership.enrolment_id;

-- name: update_password_hash(account_id uuid, password_hash text) :exec
update identity.account set password_hash = :password_hash where account_id = :account_id;

-- name: replace_password_hash(account_id uuid, old_hash text, new_hash text) :exec
update identity.account set password_hash = :new_hash where account_id = :account_id and password_hash = :old_hash;

-- name: delete_account(account_id uuid) :exec
-- Deletes its tokens, grants, resets, queued mail and memberships by cascade.
delete from identity.account where account_id = :account_id;

-- name: list_grants(account_id uuid) :many
select role, study, full_export, sees_arms from identity.account_grant where account_id = :account_id
order by role, study;

-- name: list_accounts_with_roles() :many
select distinct account_id from identity.account_grant order by account_id;

-- name: list_accounts_with_role(role text, study text) :many
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at
from identity.account join identity.account_grant using (account_id)
where account_grant.role = :role and account_grant.study = :study
order by account_id;

-- name: list_study_staff(study text) :many
-- The accounts with a role in a study, or in all studies.
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at
from identity.account
where exists (
  select from identity.account_grant
  where account_grant.account_id = account.account_id and account_grant.study in (:study, '*')
)
order by account_id;

-- name: list_study_grants(study text) :many
-- The roles in a study, with their accounts.
select account_id, kind, email_sealed, name_sealed, password_hash, time_zone, language, created_at, email_verified_at,
  account_grant.role, account_grant.full_export, account_grant.sees_arms, account_grant.granted_at
from identity.account join identity.account_grant using (account_id)
where account_grant.study = :study;

-- name: lock_coordinators(study text) :many
-- Coordinators of a study are removed one after the other, so that one remains.
select account_id from identity.account_grant
where study = :study and role = 'coordinator'
order by account_id
for update;

-- name: upsert_grant(account_id uuid, role text, study text, full_export bool, sees_arms bool, now timestamptz) :exec
insert into identity.account_grant (account_id, role, study, full_export, sees_arms, granted_at)
values (:account_id, :role, :study, :full_export, :sees_arms, :now)
on conflict (account_id, role, study)
do update set full_export = excluded.full_export, sees_arms = excluded.sees_arms;

-- name: delete_grant(account_id uuid, role text, study text) :many
delete from identity.account_grant where account_id = :account_id and role = :role and study = :study
returning role;

-- name: list_memberships(account_id uuid) :many
select study, enrolment_id from identity.membership where account_id = :account_id order by study;

-- name: insert_membership(account_id uuid, study text, enrolment_id uuid) :exec
insert into identity.membership (account_id, study, enrolment_id) values (:account_id, :study, :enrolment_id);

-- name: find_account_of_enrolment(enrolment_id uuid) :many
select account.account_id, account.email_sealed, account.name_sealed, account.language, account.email_verified_at
from identity.membership
join identity.account using (account_id)
where membership.enrolment_id = :enrolment_id;

-- name: delete_membership(enrolment_id uuid) :exec
delete from identity.membership where enrolment_id = :enrolment_id;

-- name: lock_account(account_id uuid) :many
-- Changes of one account run one after the other. For example, two devices that enrol at the same time get one
-- enrolment.
select account_id, kind, password_hash, email_verified_at, used_at from identity.account where account_id = :account_id
for update;

-- name: register_account(account_id uuid, email_lookup bytea, email_sealed bytea, name_sealed bytea, password_hash text) :exec
-- Makes a registered account of an anonymous one.
update identity.account
set kind = 'registered', email_lookup = :email_lookup, email_sealed = :email_sealed, name_sealed = :name_sealed,
  password_hash = :password_hash, used_at = null
where account_id = :account_id and kind = 'anonymous';

-- name: move_memberships(from_account uuid, to_account uuid) :many
update identity.membership set account_id = :to_account where account_id = :from_account
returning study, enrolment_id;

-- name: record_account_use(account_id uuid, now timestamptz) :exec
-- Only the use of an anonymous account is recorded.
update identity.account set used_at = greatest(used_at, :now) where account_id = :account_id and kind = 'anonymous';

-- name: list_unused_accounts(before timestamptz, after_used timestamptz, after_id uuid, limit_rows int4) :many
-- Anonymous accounts that were last used before an instant, the longest unused first, with the study versions that their
-- enrolments follow.
select account.account_id, account.used_at,
  coalesce(array_agg(enrolment.study order by enrolment.enrolment_id)
    filter (where enrolment.enrolment_id is not null), '{}') as studies,
  coalesce(array_agg(enrolment.study_version order by enrolment.enrolment_id)
    filter (where enrolment.enrolment_id is not null), '{}') as versions
from identity.account account
left join identity.membership on membership.account_id = account.account_id
left join research.enrolment on enrolment.enrolment_id = membership.enrolment_id
where account.used_at < :before and (account.used_at, account.account_id) > (:after_used, :after_id)
group by account.account_id, account.used_at
order by account.used_at, account.account_id
limit :limit_rows;
