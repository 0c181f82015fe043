-- name: find_webhook(study text) :many
select study, url, secret_sealed, set_at, failures, failing_since, last_reply_code, disabled_at, disabled_why
from research.study_webhook where study = $1;

-- name: upsert_webhook(study text, url text, secret_sealed bytea, now timestamptz) :many
-- Whoever sets it anew says that it works again.
insert into research.study_webhook (study, url, secret_sealed, set_at) values ($1, $2, $3, $4)
on conflict (study) do update
set url = $2, secret_sealed = $3, set_at = $4, failures = 0, failing_since = null, last_reply_code = null,
  disabled_at = null, disabled_why = null
returning (xmax = 0) as is_new;

-- name: delete_webhook(study text) :many
delete from research.study_webhook where study = $1 returning study;

-- name: note_webhook_success(study text, set_at timestamptz) :exec
update research.study_webhook set failures = 0, failing_since = null, last_reply_code = null
where study = $1 and set_at = $2 and failures > 0;

-- name: note_webhook_failure(study text, set_at timestamptz, now timestamptz, reply_code int4, is_gone bool, most int4, failing_before timestamptz) :exec
-- Disabled once it says that it is gone, or after so many failures in a row of which the first lies so long back.
update research.study_webhook
set failures = failures + 1, failing_since = coalesce(failing_since, $3), last_reply_code = $4,
  disabled_at = case when $5 or (failures + 1 >= $6 and failing_since <= $7) then $3 end,
  disabled_why = case when $5 then 'gone' when failures + 1 >= $6 and failing_since <= $7 then 'failing' end
where study = $1 and set_at = $2 and disabled_at is null;
