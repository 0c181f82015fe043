-- name: forget_push_endpoint(endpoint_lookup bytea, account_id uuid, subscription_id uuid) :exec
-- A device that somebody else has logged in on shall not show the earlier person's messages.
delete from identity.push_subscription
where endpoint_lookup = $1 and (account_id <> $2 or subscription_id <> $3);

-- name: upsert_push_subscription(account_id uuid, subscription_id uuid, endpoint_lookup bytea, content_sealed bytea, now timestamptz, most int4) :many
-- Nothing is stored where the account has as many others. Under a lock of the account, so that the bound holds.
insert into identity.push_subscription (account_id, subscription_id, endpoint_lookup, content_sealed, registered_at)
select $1, $2, $3, $4, $5
where (
  select count(*) from identity.push_subscription
  where account_id = $1 and subscription_id <> $2 and endpoint_lookup <> $3) < $6
on conflict (account_id, subscription_id) do update
set endpoint_lookup = excluded.endpoint_lookup, content_sealed = excluded.content_sealed, registered_at = excluded.registered_at
returning (xmax = 0) as is_new;

-- name: list_push_subscriptions(account_id uuid) :many
select account_id, subscription_id, content_sealed, registered_at
from identity.push_subscription where account_id = $1
order by registered_at, subscription_id;

-- name: list_push_subscriptions_of_enrolment(enrolment_id uuid) :many
select account_id, subscription_id, content_sealed, registered_at
from identity.membership join identity.push_subscription using (account_id)
where enrolment_id = $1
order by registered_at, subscription_id;

-- name: delete_push_subscription(account_id uuid, subscription_id uuid, registered_at timestamptz) :many
-- Where a moment is named, only what was registered then: what was registered since is another.
delete from identity.push_subscription
where account_id = $1 and subscription_id = $2 and ($3 is null or registered_at = $3)
returning subscription_id;
