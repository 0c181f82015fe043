-- When participants had an entitlement. Datasets contain it, and the flag of a sheet that arrives late follows from it.
-- The transaction, the account and the reason of a gift stay in identity.entitlement.

create table research.entitlement_period (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  -- the purchase or the gift
  entitlement_id uuid not null,
  valid_from timestamptz not null,
  -- the state that was recorded last replaces the earlier states of a period
  recorded_at timestamptz not null,
  entitlement text not null,
  source text not null,
  valid_until timestamptz,
  revoked_at timestamptz,
  primary key (enrolment_id, entitlement_id, valid_from, recorded_at),
  constraint entitlement_period_source check (source in ('app_store', 'gift'))
);

grant select, insert, update, delete on research.entitlement_period to saunter_clerk;
grant select on research.entitlement_period to saunter_research, saunter_export;

-- A renewed purchase has lost its earlier periods. They become one, which ends where the newest begins.
insert into research.entitlement_period
  (enrolment_id, entitlement_id, valid_from, recorded_at, entitlement, source, valid_until, revoked_at)
select membership.enrolment_id, owned.entitlement_id, period.valid_from,
  greatest(owned.changed_at, enrolment.enrolled_at), owned.code, owned.source, period.valid_until, period.revoked_at
from identity.entitlement owned
join identity.membership using (account_id, study)
join research.enrolment using (enrolment_id)
cross join lateral (
  select coalesce(owned.purchased_at, owned.valid_from) as valid_from, owned.valid_until, owned.revoked_at
  union all
  select owned.valid_from, owned.purchased_at, null where owned.valid_from < owned.purchased_at
) as period;

-- Purchases that no account has claimed.
create index entitlement_unclaimed on identity.entitlement (changed_at) where account_id is null;
