-- name: list_entitlements(enrolment_id uuid) :many
-- What the account of an enrolment has in its study.
select entitlement.code, entitlement.source, entitlement.valid_from, entitlement.valid_until, entitlement.revoked_at,
  entitlement.why
from identity.membership
join identity.entitlement using (account_id, study)
where membership.enrolment_id = :enrolment_id
order by entitlement.code, entitlement.source, entitlement.valid_from, entitlement.entitlement_id;

-- name: list_entitlements_of_account(account_id uuid) :many
select study, code, source, valid_from, valid_until, revoked_at, why from identity.entitlement
where account_id = :account_id
order by study, code, source, valid_from, entitlement_id;

-- name: list_entitlements_at(enrolment_id uuid, at timestamptz) :many
-- What a participant had at an instant: of each purchase and gift, the period that began last. A period that was renewed
-- late had ended in the meantime.
select distinct on (entitlement_id) entitlement as code, source, valid_from, valid_until, revoked_at
from research.entitlement_period
where enrolment_id = :enrolment_id and valid_from <= :at
order by entitlement_id, valid_from desc, recorded_at desc;

-- name: insert_purchase(entitlement_id uuid, account_id uuid, study text, code text, original_lookup bytea, valid_until timestamptz, revoked_at timestamptz, purchased_at timestamptz, signed_at timestamptz, notice uuid, now timestamptz) :many
-- No effect, and no row, if the purchase is stored already.
insert into identity.entitlement
  (entitlement_id, account_id, study, code, source, original_lookup, valid_from, valid_until, revoked_at, purchased_at,
   signed_at, notice, changed_at)
values (:entitlement_id, :account_id, :study, :code, 'app_store', :original_lookup, :purchased_at, :valid_until, :revoked_at,
  :purchased_at, :signed_at, :notice, :now)
on conflict (original_lookup) do nothing
returning entitlement_id;

-- name: lock_purchase(original_lookup bytea) :many
select account_id, study, code, valid_from, valid_until, revoked_at, purchased_at, signed_at, notice
from identity.entitlement where original_lookup = :original_lookup
for update;

-- name: find_purchase(original_lookup bytea) :many
select account_id, study, code from identity.entitlement where original_lookup = :original_lookup;

-- name: update_purchase(original_lookup bytea, account_id uuid, study text, code text, valid_from timestamptz, valid_until timestamptz, revoked_at timestamptz, purchased_at timestamptz, signed_at timestamptz, notice uuid, now timestamptz) :exec
update identity.entitlement
set account_id = :account_id, study = :study, code = :code, valid_from = :valid_from,
  valid_until = :valid_until, revoked_at = :revoked_at, purchased_at = :purchased_at, signed_at = :signed_at,
  notice = :notice, changed_at = :now
where original_lookup = :original_lookup;

-- name: keep_enrolments_of_account(account_id uuid) :exec
-- Before its entitlements change: an erasure locks the enrolment first, and then deletes what the account has.
select from research.enrolment where enrolment_id = any (array(
  select enrolment_id from identity.membership where account_id = :account_id))
order by enrolment_id for key share;

-- name: record_entitlements(account_id uuid, now timestamptz) :exec
-- The present state of what an account has, for its enrolments. No effect on a period whose state is recorded already.
-- Each state is recorded after the one before it, also if the clocks of two servers differ.
insert into research.entitlement_period
  (enrolment_id, entitlement_id, valid_from, recorded_at, entitlement, source, valid_until, revoked_at)
select owned.enrolment_id, owned.entitlement_id, owned.valid_from,
  greatest(:now, known.recorded_at + interval '1 millisecond'), owned.code, owned.source, owned.valid_until,
  owned.revoked_at
from (
  select membership.enrolment_id, present.entitlement_id, coalesce(present.purchased_at, present.valid_from) as valid_from,
    present.code, present.source, present.valid_until, present.revoked_at
  from identity.membership
  join identity.entitlement present using (account_id, study)
  where membership.account_id = :account_id
) as owned
left join lateral (
  select state.recorded_at, state.entitlement, state.valid_until, state.revoked_at
  from research.entitlement_period state
  where state.enrolment_id = owned.enrolment_id and state.entitlement_id = owned.entitlement_id
    and state.valid_from = owned.valid_from
  order by state.recorded_at desc limit 1
) as known on true
where known.recorded_at is null
  or (known.entitlement, known.valid_until, known.revoked_at)
    is distinct from (owned.code, owned.valid_until, owned.revoked_at);

-- name: record_earlier_period(original_lookup bytea, valid_from timestamptz, code text, valid_until timestamptz, revoked_at timestamptz, now timestamptz) :exec
-- A transaction of a purchase that is not the newest one. Of its states only a revocation replaces another one, so the
-- order in which they arrive does not matter.
insert into research.entitlement_period
  (enrolment_id, entitlement_id, valid_from, recorded_at, entitlement, source, valid_until, revoked_at)
select owned.enrolment_id, owned.entitlement_id, :valid_from,
  greatest(:now, known.recorded_at + interval '1 millisecond'), :code, owned.source, :valid_until, :revoked_at
from (
  select membership.enrolment_id, present.entitlement_id, present.source
  from identity.entitlement present
  join identity.membership using (account_id, study)
  where present.original_lookup = :original_lookup and present.purchased_at > :valid_from
) as owned
left join lateral (
  select state.recorded_at, state.revoked_at
  from research.entitlement_period state
  where state.enrolment_id = owned.enrolment_id and state.entitlement_id = owned.entitlement_id
    and state.valid_from = :valid_from
  order by state.recorded_at desc limit 1
) as known on true
where known.recorded_at is null or known.revoked_at is null and :revoked_at::timestamptz is not null;

-- name: delete_unclaimed_purchases(before timestamptz) :exec
-- Purchases of notices that no account claimed. A refunded purchase without an end stays, because otherwise its first
-- transaction would open the content again.
delete from identity.entitlement
where account_id is null and changed_at < :before
  and case when valid_until is null then revoked_at is null else valid_until < :before end;

-- name: lock_account_of_enrolment(enrolment_id uuid) :many
-- No row if the enrolment has no account.
select account.account_id
from identity.membership
join identity.account using (account_id)
where membership.enrolment_id = :enrolment_id
for update of account;

-- name: upsert_gift(entitlement_id uuid, enrolment_id uuid, code text, valid_until timestamptz, why text, now timestamptz) :many
-- A gift after a revoked or ended one begins now. No row if the enrolment has no account.
insert into identity.entitlement as entitlement
  (entitlement_id, account_id, study, code, source, valid_from, valid_until, why, changed_at)
select :entitlement_id, account_id, study, :code, 'gift', :now, :valid_until, :why, :now
from identity.membership where enrolment_id = :enrolment_id
on conflict (account_id, study, code) where source = 'gift' do update
set valid_from = case
    when entitlement.revoked_at is null and (entitlement.valid_until is null or entitlement.valid_until > :now)
    then entitlement.valid_from else excluded.valid_from
  end,
  valid_until = excluded.valid_until, revoked_at = null, why = excluded.why, changed_at = excluded.changed_at
returning valid_from;

-- name: revoke_gift(enrolment_id uuid, code text, why text, now timestamptz) :many
-- No row if the participant has no gift of this entitlement that is in force.
update identity.entitlement
set revoked_at = :now, why = :why, changed_at = :now
from identity.membership
where membership.enrolment_id = :enrolment_id and entitlement.account_id = membership.account_id
  and entitlement.study = membership.study and entitlement.code = :code and entitlement.source = 'gift'
  and entitlement.revoked_at is null and (entitlement.valid_until is null or entitlement.valid_until > :now)
returning entitlement.valid_from;

-- name: delete_entitlements(enrolment_id uuid) :exec
-- What the account of an enrolment has in its study. A purchase can be sent again.
delete from identity.entitlement using identity.membership
where membership.enrolment_id = :enrolment_id and entitlement.account_id = membership.account_id
  and entitlement.study = membership.study;

-- name: move_entitlements(from_account uuid, to_account uuid) :exec
-- A gift that the other account has too stays.
update identity.entitlement as moved set account_id = :to_account
where moved.account_id = :from_account and not exists (
  select from identity.entitlement present
  where present.account_id = :to_account and present.study = moved.study and present.code = moved.code
    and present.source = 'gift' and moved.source = 'gift');
