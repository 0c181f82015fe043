-- name: insert_account_erasure(account_id uuid, erased_on date) :exec
insert into identity.erasure (account_ref, erased_on) values (identity.account_ref(:account_id), :erased_on)
on conflict (account_ref) do nothing;

-- name: list_erasures(after text, limit_rows int4) :many
-- All erasures, by the digests of the ids. A participant who was erased twice, because of a restore, is listed once.
select ref, kind, min(erased_on) as erased_on
from (
  select account_ref as ref, 'account' as kind, erased_on from identity.erasure
  union all
  select enrolment_ref, 'enrolment', erased_on from research.erasure where enrolment_ref is not null
) as erasure
where ref > :after
group by ref, kind
order by ref
limit :limit_rows;

-- name: find_erased_accounts(refs text[]) :many
-- Accounts with one of these digests. Reads every account: there is no index, because the statement runs only after a
-- restore.
select account_id from identity.account where identity.account_ref(account_id) = any (:refs) order by account_id;

-- name: find_erased_enrolments(refs text[]) :many
select enrolment_id from research.enrolment where research.enrolment_ref(enrolment_id) = any (:refs)
  order by enrolment_id;
