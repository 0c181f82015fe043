-- What accounts bought or were given. A purchase identifies a person, so the research side never reads it.

create table identity.entitlement (
  entitlement_id uuid primary key,
  -- null for a purchase of which a store's notice arrived before an account claimed it
  account_id uuid references identity.account on delete cascade,
  study text not null,
  code text not null,
  source text not null,
  -- a keyed digest of the first transaction of a purchase: one purchase belongs to one account
  original_lookup bytea constraint entitlement_one_account_per_purchase unique,
  valid_from timestamptz not null,
  valid_until timestamptz,
  revoked_at timestamptz,
  -- the state of a purchase is that of its newest transaction, as the store signed it last
  purchased_at timestamptz,
  signed_at timestamptz,
  notice uuid,
  -- the reason of the newest change of a gift
  why text,
  changed_at timestamptz not null,
  constraint entitlement_source check (source in ('app_store', 'gift')),
  constraint entitlement_gift check (source <> 'gift' or account_id is not null),
  constraint entitlement_purchase check (
    (source = 'gift') = (original_lookup is null) and (source = 'gift') = (purchased_at is null)
    and (source = 'gift') = (signed_at is null) and (source = 'gift') = (notice is null))
);
create index entitlement_account on identity.entitlement (account_id, study);
create unique index entitlement_one_gift on identity.entitlement (account_id, study, code) where (source = 'gift');

grant select, insert, update, delete on identity.entitlement to saunter_identity, saunter_clerk;
