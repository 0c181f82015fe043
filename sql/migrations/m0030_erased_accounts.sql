-- Whose account was erased, by a digest of its id: an earlier state of the database that is brought back holds the person again, and by this they
-- are found in it. Nothing here leads back to anybody.
create function identity.account_ref(account_id uuid) returns text language sql immutable parallel safe as $$
  select left(encode(sha256(decode(replace(account_id::text, '-', ''), 'hex')), 'hex'), 32)
$$;

create table identity.erasure (
  account_ref text primary key,
  erased_on date not null
);
grant select, insert on identity.erasure to saunter_clerk;
