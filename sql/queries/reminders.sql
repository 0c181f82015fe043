-- name: list_due_enrolments(now timestamptz, limit_rows int4, has_mail bool) :many
-- Participants whose reminder hour has come; where no mail can be sent, those alone who may be reached otherwise. Many at once: entries that claims leave behind in the index stay as long as anybody reads from an older
-- snapshot, and each look at its beginning passes over all of them.
select enrolment_id from research.enrolment
where next_reminder_at <= $1 and status = 'active' and reminders_on and ($3 or reminder_channels && '{push,webhook}')
order by next_reminder_at
limit $2;

-- name: list_first_reminders_due(limit_rows int4) :many
select next_reminder_at from research.enrolment
where next_reminder_at is not null and status = 'active' and reminders_on
order by next_reminder_at
limit $1;

-- name: claim_due_enrolment(enrolment_id uuid, now timestamptz, has_mail bool) :many
-- No row comes back when the hour has moved on since, or mail has failed since the list was made; other workers skip the row.
select enrolment_id from research.enrolment
where enrolment_id = $1 and next_reminder_at <= $2 and status = 'active' and reminders_on
  and ($3 or reminder_channels && '{push,webhook}')
for no key update skip locked;

-- name: set_next_reminder(enrolment_id uuid, next_reminder_at timestamptz) :exec
update research.enrolment set next_reminder_at = $2 where enrolment_id = $1;

-- name: look_again(enrolment_id uuid, at timestamptz, soon timestamptz) :exec
-- Whoever is looked at sooner anyway stays untouched: every sheet may ask for it. But at whoever's hour comes soon somebody may look just now, who does
-- not see yet what happened, and then says when to look next: that is waited for.
update research.enrolment set next_reminder_at = least(next_reminder_at, $2)
where enrolment_id = $1 and status = 'active' and reminders_on
  and (next_reminder_at is null or next_reminder_at > $2 or next_reminder_at <= $3);

-- name: insert_reminders(enrolment_id uuid, message_id uuid, claimed_at timestamptz, kinds text[], subjects text[], ordinals int4[], planned_ats timestamptz[], expires_ats timestamptz[], occasion_counts int4[], states text[], whys text[]) :many
-- No row comes back of a reminder that was claimed before: then it is not sent again.
insert into research.reminder
  (enrolment_id, message_id, claimed_at, kind, subject, ordinal, planned_at, expires_at, occasion_count, state, why)
select $1, $2, $3, claimed.*
from unnest($4::text[], $5::text[], $6::int4[], $7::timestamptz[], $8::timestamptz[], $9::int4[], $10::text[],
  $11::text[]) as claimed
on conflict (enrolment_id, kind, subject, ordinal) do nothing
returning kind, subject, ordinal, state;

-- name: confirm_claim(enrolment_id uuid, message_id uuid, claim_id uuid) :many
-- A message that is claimed for the first time is named by nobody else.
update research.reminder set message_id = message_id
where enrolment_id = $1 and message_id = $2 and state = 'claimed' and coalesce(claim_id, message_id) = $3
returning kind, subject, ordinal, expires_at;

-- name: claim_retry(now timestamptz, claim_id uuid, has_mail bool) :many
-- Only messages that surely were not sent are tried again; where no mail can be sent, those alone that may go out otherwise. One row of a message holds its next attempt, so that two workers never wait for each
-- other over its rows.
with waiting as (
  select enrolment_id, message_id from research.reminder
  where next_attempt_at <= $1 and state = 'retrying' and ($3 or exists (
    select from research.enrolment whose
    where whose.enrolment_id = reminder.enrolment_id and whose.reminder_channels && '{push,webhook}'))
  order by next_attempt_at
  limit 1
  for update skip locked)
update research.reminder set state = 'claimed', claimed_at = $1, next_attempt_at = null, claim_id = $2
from waiting
where reminder.enrolment_id = waiting.enrolment_id and reminder.message_id = waiting.message_id and reminder.state = 'retrying'
returning reminder.enrolment_id, reminder.message_id, reminder.kind, reminder.subject, reminder.ordinal, reminder.expires_at;

-- name: lock_message(enrolment_id uuid, message_id uuid) :many
select state from research.reminder where enrolment_id = $1 and message_id = $2
order by kind, subject, ordinal
for update;

-- name: finish_reminders(enrolment_id uuid, kinds text[], subjects text[], ordinals int4[], state text, why text, next_attempt_at timestamptz, sent_at timestamptz) :exec
update research.reminder
set state = $5, why = $6, next_attempt_at = case when done.place = 1 then $7 end, sent_at = $8
from unnest($2::text[], $3::text[], $4::int4[]) with ordinality as done (kind, subject, ordinal, place)
where reminder.enrolment_id = $1 and reminder.kind = done.kind and reminder.subject = done.subject
  and reminder.ordinal = done.ordinal;

-- name: insert_reminder_attempts(enrolment_id uuid, kinds text[], subjects text[], ordinals int4[], channel text, now timestamptz, outcome text, reply_code int4) :many
insert into research.reminder_attempt
  (enrolment_id, kind, subject, ordinal, attempt, channel, attempted_at, outcome, reply_code)
select $1, done.kind, done.subject, done.ordinal, coalesce(before.attempts, 0) + 1, $5, $6, $7, $8
from unnest($2::text[], $3::text[], $4::int4[]) as done (kind, subject, ordinal)
cross join lateral (
  select max(attempt) as attempts from research.reminder_attempt earlier
  where earlier.enrolment_id = $1 and earlier.kind = done.kind and earlier.subject = done.subject
    and earlier.ordinal = done.ordinal) as before
returning attempt;

-- name: settle_abandoned_reminders(claimed_before timestamptz) :many
-- Claimed by a process that died before it wrote the outcome: it may have been sent, so it is not sent again.
update research.reminder set state = 'unknown', why = 'worker_lost'
where state = 'claimed' and claimed_at < $1
returning enrolment_id;

-- name: list_message_attempts(enrolment_id uuid, message_id uuid) :many
-- Of what of the message is being sent now, by channel; one whose failure was no passing one is over.
select channel, count(distinct attempt) as attempts, bool_or(attempt.outcome <> 'temporary_failure') as is_over
from research.reminder join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
where enrolment_id = $1 and message_id = $2 and state = 'claimed'
group by channel;

-- name: count_messages(enrolment_ids uuid[]) :many
-- What became of each participant's messages.
select enrolment_id, count(distinct message_id) filter (where state = 'sent') as sent,
  count(distinct message_id) filter (where delivered_at is not null) as confirmed,
  count(distinct message_id) filter (where state = 'failed') as undelivered,
  count(distinct message_id) filter (where state = 'unknown') as uncertain,
  max(claimed_at) filter (where state = 'failed') as last_undelivered_at
from research.reminder
where enrolment_id = any ($1)
group by enrolment_id;

-- name: list_reminders(enrolment_ids uuid[], now timestamptz) :many
-- Of what is still open, and of the last two days; of notices all: how far apart they are counts from each.
select enrolment_id, kind, subject, ordinal, message_id, state, planned_at, claimed_at, sent_at, delivered_at, opened_at
from research.reminder
where enrolment_id = any ($1) and (expires_at > $2 or claimed_at > $2 - interval '2 days' or kind = 'notice')
order by enrolment_id, claimed_at, kind, subject, ordinal;

-- name: list_snoozes(enrolment_ids uuid[]) :many
select enrolment_id, occasion_id, ordinal, asked_at, until_at from research.reminder_snooze
where enrolment_id = any ($1)
order by enrolment_id, occasion_id, ordinal;

-- name: insert_snooze(enrolment_id uuid, occasion_id uuid, ordinal int4, asked_at timestamptz, until_at timestamptz) :exec
insert into research.reminder_snooze (enrolment_id, occasion_id, ordinal, asked_at, until_at)
values ($1, $2, $3, $4, $5);

-- name: confirm_message(enrolment_id uuid, message_id uuid, delivered_at timestamptz, opened_at timestamptz) :many
-- What was opened has been delivered. The first word about it holds; a device whose clock is behind cannot have it before it went out.
update research.reminder
set delivered_at = case when coalesce(delivered_at, $3, $4) is not null
    then greatest(least(delivered_at, $3, $4), coalesce(sent_at, claimed_at)) end,
  opened_at = case when coalesce(opened_at, $4) is not null
    then greatest(least(opened_at, $4), coalesce(sent_at, claimed_at)) end
where enrolment_id = $1 and message_id = $2 and state in ('sent', 'unknown', 'claimed')
returning kind, subject, ordinal, message_id, state, planned_at, claimed_at, sent_at, delivered_at, opened_at;

-- name: note_channel_failure(enrolment_id uuid, channel text, now timestamptz, most int4) :exec
insert into research.reminder_channel as known (enrolment_id, channel, failures, last_failed_at, unreachable_since)
values ($1, $2, 1, $3, case when $4 <= 1 then $3 end)
on conflict (enrolment_id, channel) do update
set failures = known.failures + 1, last_failed_at = $3,
  unreachable_since = case when known.failures + 1 >= $4 then coalesce(known.unreachable_since, $3) end;

-- name: forget_channel_failures(enrolment_id uuid, channel text) :exec
delete from research.reminder_channel where enrolment_id = $1 and channel = $2;

-- name: forget_failures_of_account(account_id uuid, channel text) :exec
-- At another address, or by a new device, the person may be reached.
delete from research.reminder_channel
using identity.membership
where membership.account_id = $1 and reminder_channel.enrolment_id = membership.enrolment_id
  and reminder_channel.channel = $2;

-- name: list_unreachable_channels(enrolment_ids uuid[]) :many
select enrolment_id, channel, unreachable_since from research.reminder_channel
where enrolment_id = any ($1) and unreachable_since is not null
order by enrolment_id, channel;
