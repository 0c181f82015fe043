-- name: delete_push_endpoint(endpoint_lookup bytea, account_id uuid, subscription_id uuid) :exec
-- A device on which another account has logged in must not show the messages of the former account.
delete from identity.push_subscription
where endpoint_lookup = :endpoint_lookup and (account_id <> :account_id or subscription_id <> :subscription_id);

-- name: upsert_push_subscription(account_id uuid, subscription_id uuid, endpoint_lookup bytea, content_sealed bytea, now timestamptz, maximum int4) :many
-- No row if the account already has the maximum number of devices. The account is locked, so the limit also holds for
-- concurrent calls.
insert into identity.push_subscription (account_id, subscription_id, endpoint_lookup, content_sealed, registered_at)
select :account_id, :subscription_id, :endpoint_lookup, :content_sealed, :now
where (
  select count(*) from identity.push_subscription
  where account_id = :account_id and subscription_id <> :subscription_id
    and endpoint_lookup <> :endpoint_lookup) < :maximum
on conflict (account_id, subscription_id) do update
set endpoint_lookup = excluded.endpoint_lookup, content_sealed = excluded.content_sealed,
  registered_at = excluded.registered_at
returning (xmax = 0) as is_new;

-- name: list_push_subscriptions(account_id uuid) :many
select account_id, subscription_id, content_sealed, registered_at
from identity.push_subscription where account_id = :account_id
order by registered_at, subscription_id;

-- name: list_push_subscriptions_of_enrolment(enrolment_id uuid) :many
select account_id, subscription_id, content_sealed, registered_at
from identity.membership join identity.push_subscription using (account_id)
where enrolment_id = :enrolment_id
order by registered_at, subscription_id;

-- name: delete_push_subscription(account_id uuid, subscription_id uuid, registered_at timestamptz) :many
-- registered_at, if not null, protects a registration that is newer than this moment.
delete from identity.push_subscription
where account_id = :account_id and subscription_id = :subscription_id
  and (:registered_at is null or registered_at = :registered_at)
returning subscription_id;

-- name: move_push_subscription(from_account uuid, to_account uuid, subscription_id uuid, content_sealed bytea, maximum int4) :exec
-- A device of an account that ends stays registered, unless the other account has the maximum number of devices.
update identity.push_subscription set account_id = :to_account, content_sealed = :content_sealed
where account_id = :from_account and subscription_id = :subscription_id
  and (select count(*) from identity.push_subscription known where known.account_id = :to_account) < :maximum
  and not exists (select from identity.push_subscription known
    where known.account_id = :to_account and known.subscription_id = :subscription_id);
