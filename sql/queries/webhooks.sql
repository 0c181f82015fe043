-- name: find_webhook(study text) :many
select study, url, secret_sealed, set_at, failures, failing_since, last_reply_code, disabled_at, disabled_why
from research.study_webhook where study = :study;

-- name: upsert_webhook(study text, url text, secret_sealed bytea, now timestamptz) :many
-- Setting the webhook again resets its failures.
insert into research.study_webhook (study, url, secret_sealed, set_at) values (:study, :url, :secret_sealed, :now)
on conflict (study) do update
set url = :url, secret_sealed = :secret_sealed, set_at = :now, failures = 0, failing_since = null,
  last_reply_code = null,
  disabled_at = null, disabled_why = null
returning (xmax = 0) as is_new;

-- name: delete_webhook(study text) :many
delete from research.study_webhook where study = :study returning study;

-- name: record_webhook_success(study text, set_at timestamptz) :exec
update research.study_webhook set failures = 0, failing_since = null, last_reply_code = null
where study = :study and set_at = :set_at and failures > 0;

-- name: record_webhook_failure(study text, set_at timestamptz, now timestamptz, reply_code int4, is_gone bool, maximum int4, failing_before timestamptz) :exec
-- Disables the webhook if it answered 410, or after `maximum` consecutive failures if the first one is older than
-- `failing_before`.
update research.study_webhook
set failures = failures + 1, failing_since = coalesce(failing_since, :now), last_reply_code = :reply_code,
  disabled_at = case when :is_gone or (failures + 1 >= :maximum and failing_since <= :failing_before) then :now end,
  disabled_why = case when :is_gone then 'gone' when failures + 1 >= :maximum and failing_since <= :failing_before
    then 'failing' end
where study = :study and set_at = :set_at and disabled_at is null;
