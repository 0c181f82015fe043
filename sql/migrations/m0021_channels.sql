-- Devices that take reminders by Web Push, and the channels by which each participant is reminded, in the order of their wish.
create table identity.push_subscription (
  account_id uuid not null references identity.account on delete cascade,
  subscription_id uuid not null,
  -- a keyed digest of its address: a device is whose who registered it last
  endpoint_lookup bytea not null,
  content_sealed bytea not null,
  registered_at timestamptz not null,
  primary key (account_id, subscription_id)
);
create index push_subscription_endpoint on identity.push_subscription (endpoint_lookup);
grant select, insert, update, delete on identity.push_subscription to saunter_identity, saunter_clerk;

alter table research.enrolment
  add column reminder_channels text[] not null default '{mail}'
    constraint enrolment_reminder_channels
    check (reminder_channels <@ '{mail,push,webhook}' and cardinality(reminder_channels) between 1 and 3);
