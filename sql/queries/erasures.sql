-- name: insert_account_erasure(account_id uuid, erased_on date) :exec
insert into identity.erasure (account_ref, erased_on) values (identity.account_ref($1), $2)
on conflict (account_ref) do nothing;

-- name: list_erasures(after text, limit_rows int4) :many
-- Everybody who was erased, by the digests of their ids; who was erased twice, because they had come back, is one.
select ref, kind, min(erased_on) as erased_on
from (
  select account_ref as ref, 'account' as kind, erased_on from identity.erasure
  union all
  select enrolment_ref, 'enrolment', erased_on from research.erasure where enrolment_ref is not null
) as erasure
where ref > $1
group by ref, kind
order by ref
limit $2;

-- name: find_erased_accounts(refs text[]) :many
-- Of these digests those that somebody has. It reads every account: no index is kept for what is asked after a restoring alone.
select account_id from identity.account where identity.account_ref(account_id) = any ($1) order by account_id;

-- name: find_erased_enrolments(refs text[]) :many
select enrolment_id from research.enrolment where research.enrolment_ref(enrolment_id) = any ($1) order by enrolment_id;
