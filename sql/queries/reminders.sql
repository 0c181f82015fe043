-- name: list_due_enrolments(now timestamptz, limit_rows int4) :many
-- Participants whose reminder hour has come. Many at once: entries that claims leave behind in the index stay as long as anybody reads from an older
-- snapshot, and each look at its beginning passes over all of them.
select enrolment_id from research.enrolment
where next_reminder_at <= $1 and status = 'active' and reminders_on
order by next_reminder_at
limit $2;

-- name: claim_due_enrolment(enrolment_id uuid, now timestamptz) :many
-- No row comes back when the hour has moved on since; other workers skip the row.
select enrolment_id from research.enrolment
where enrolment_id = $1 and next_reminder_at <= $2 and status = 'active' and reminders_on
for no key update skip locked;

-- name: set_next_reminder(enrolment_id uuid, next_reminder_at timestamptz) :exec
update research.enrolment set next_reminder_at = $2 where enrolment_id = $1;

-- name: insert_reminder(enrolment_id uuid, kind text, subject text, ordinal int4, planned_at timestamptz, claimed_at timestamptz, occasion_count int4, state text, why text) :many
-- No row comes back when this reminder was claimed before: then it is not sent again.
insert into research.reminder
  (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state, why)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (enrolment_id, kind, subject, ordinal) do nothing
returning enrolment_id;

-- name: claim_retry(now timestamptz) :many
-- Only reminders that surely were not sent are tried again.
update research.reminder set state = 'claimed', claimed_at = $1, next_attempt_at = null
where (enrolment_id, kind, subject, ordinal) = (
  select enrolment_id, kind, subject, ordinal from research.reminder
  where next_attempt_at <= $1 and state = 'retrying'
  order by next_attempt_at
  limit 1
  for update skip locked)
returning enrolment_id, kind, subject, ordinal;

-- name: lock_reminder(enrolment_id uuid, kind text, subject text, ordinal int4) :many
select state from research.reminder where enrolment_id = $1 and kind = $2 and subject = $3 and ordinal = $4
for update;

-- name: finish_reminder(enrolment_id uuid, kind text, subject text, ordinal int4, state text, why text, next_attempt_at timestamptz) :exec
update research.reminder set state = $5, why = $6, next_attempt_at = $7
where enrolment_id = $1 and kind = $2 and subject = $3 and ordinal = $4;

-- name: insert_reminder_attempt(enrolment_id uuid, kind text, subject text, ordinal int4, channel text, now timestamptz, outcome text, reply_code int4) :one
insert into research.reminder_attempt
  (enrolment_id, kind, subject, ordinal, attempt, channel, attempted_at, outcome, reply_code)
select $1, $2, $3, $4, coalesce(max(attempt), 0) + 1, $5, $6, $7, $8
from research.reminder_attempt
where enrolment_id = $1 and kind = $2 and subject = $3 and ordinal = $4
returning attempt;

-- name: settle_abandoned_reminders(claimed_before timestamptz) :many
-- Claimed by a process that died before it wrote the outcome: it may have been sent, so it is not sent again.
update research.reminder set state = 'unknown', why = 'worker_lost'
where state = 'claimed' and claimed_at < $1
returning enrolment_id;

-- name: count_reminder_attempts(enrolment_id uuid, kind text, subject text, ordinal int4) :one
select count(*) as attempts from research.reminder_attempt
where enrolment_id = $1 and kind = $2 and subject = $3 and ordinal = $4;
