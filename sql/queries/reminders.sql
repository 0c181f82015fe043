-- name: list_due_enrolments(now timestamptz, limit_rows int4, has_mail bool) :many
-- Enrolments whose next reminder is due. Without mail, or until the address is verified, only participants with another
-- channel. Reads many at once: claims leave old entries at the beginning of the index as long as an older snapshot
-- exists, and each read passes over all of them.
select enrolment_id from research.enrolment
where next_reminder_at <= :now and status = 'active' and reminders_on
  and (:has_mail and email_verified or reminder_channels && '{push,webhook}')
order by next_reminder_at
limit :limit_rows;

-- name: list_first_reminders_due(limit_rows int4) :many
select next_reminder_at from research.enrolment
where next_reminder_at is not null and status = 'active' and reminders_on
  and (email_verified or reminder_channels && '{push,webhook}')
order by next_reminder_at
limit :limit_rows;

-- name: claim_due_enrolment(enrolment_id uuid, now timestamptz, has_mail bool) :many
-- No row if the check was moved or mail has failed since the list was read. Other workers skip the row.
select enrolment_id from research.enrolment
where enrolment_id = :enrolment_id and next_reminder_at <= :now and status = 'active' and reminders_on
  and (:has_mail and email_verified or reminder_channels && '{push,webhook}')
for no key update skip locked;

-- name: set_next_reminder(enrolment_id uuid, next_reminder_at timestamptz) :exec
update research.enrolment set next_reminder_at = :next_reminder_at where enrolment_id = :enrolment_id;

-- name: check_earlier(enrolment_id uuid, at timestamptz, soon timestamptz) :exec
-- Moves the next check to an earlier time only. Rows with an earlier check are not written, because every sheet may
-- call this. Exception: if the check is due before `soon`, a worker may be checking the reminders now without seeing
-- the new data, and will set the next check afterwards. Then this statement waits for that worker.
update research.enrolment set next_reminder_at = least(next_reminder_at, :at)
where enrolment_id = :enrolment_id and status = 'active' and reminders_on
  and (next_reminder_at is null or next_reminder_at > :at or next_reminder_at <= :soon);

-- name: insert_reminders(enrolment_id uuid, message_id uuid, claimed_at timestamptz, kinds text[], subjects text[], ordinals int4[], planned_ats timestamptz[], expires_ats timestamptz[], occasion_counts int4[], states text[], whys text[]) :many
-- No row for a reminder that was claimed before. It is not sent again.
insert into research.reminder
  (enrolment_id, message_id, claimed_at, kind, subject, ordinal, planned_at, expires_at, occasion_count, state, why)
select :enrolment_id, :message_id, :claimed_at, claimed.*
from unnest(:kinds::text[], :subjects::text[], :ordinals::int4[], :planned_ats::timestamptz[],
  :expires_ats::timestamptz[], :occasion_counts::int4[], :states::text[],
  :whys::text[]) as claimed
on conflict (enrolment_id, kind, subject, ordinal) do nothing
returning kind, subject, ordinal, state;

-- name: confirm_claim(enrolment_id uuid, message_id uuid, claim_id uuid) :many
-- For the first claim of a message, the id of the message is the id of the claim.
update research.reminder set message_id = message_id
where enrolment_id = :enrolment_id and message_id = :message_id and state = 'claimed'
  and coalesce(claim_id, message_id) = :claim_id
returning kind, subject, ordinal, expires_at, channel;

-- name: claim_retry(now timestamptz, claim_id uuid, has_mail bool) :many
-- Claims one message that was certainly not sent. Without mail, only messages with another channel. Only one row of a
-- message has next_attempt_at, so that two workers never wait for each other's rows.
with waiting as (
  select enrolment_id, message_id from research.reminder
  where next_attempt_at <= :now and state = 'retrying' and (:has_mail or exists (
    select from research.enrolment whose
    where whose.enrolment_id = reminder.enrolment_id and whose.reminder_channels && '{push,webhook}'))
  order by next_attempt_at
  limit 1
  for update skip locked)
update research.reminder set state = 'claimed', claimed_at = :now, next_attempt_at = null, claim_id = :claim_id
from waiting
where reminder.enrolment_id = waiting.enrolment_id and reminder.message_id = waiting.message_id
  and reminder.state = 'retrying'
returning reminder.enrolment_id, reminder.message_id, reminder.kind, reminder.subject, reminder.ordinal,
  reminder.expires_at, reminder.channel;

-- name: lock_message(enrolment_id uuid, message_id uuid) :many
select state from research.reminder where enrolment_id = :enrolment_id and message_id = :message_id
order by kind, subject, ordinal
for update;

-- name: finish_reminders(enrolment_id uuid, kinds text[], subjects text[], ordinals int4[], state text, why text, next_attempt_at timestamptz, sent_at timestamptz) :exec
update research.reminder
set state = :state, why = :why, next_attempt_at = case when done.number = 1 then :next_attempt_at end, sent_at = :sent_at
from unnest(:kinds::text[], :subjects::text[], :ordinals::int4[]) with ordinality
  as done (kind, subject, ordinal, number)
where reminder.enrolment_id = :enrolment_id and reminder.kind = done.kind and reminder.subject = done.subject
  and reminder.ordinal = done.ordinal;

-- name: insert_reminder_attempts(enrolment_id uuid, kinds text[], subjects text[], ordinals int4[], channel text, now timestamptz, outcome text, reply_code int4) :many
insert into research.reminder_attempt
  (enrolment_id, kind, subject, ordinal, attempt, channel, attempted_at, outcome, reply_code)
select :enrolment_id, done.kind, done.subject, done.ordinal, coalesce(before.attempts, 0) + 1, :channel, :now, :outcome,
  :reply_code
from unnest(:kinds::text[], :subjects::text[], :ordinals::int4[]) as done (kind, subject, ordinal)
cross join lateral (
  select max(attempt) as attempts from research.reminder_attempt earlier
  where earlier.enrolment_id = :enrolment_id and earlier.kind = done.kind and earlier.subject = done.subject
    and earlier.ordinal = done.ordinal) as before
returning attempt;

-- name: finish_abandoned_reminders(claimed_before timestamptz) :many
-- Claimed by a worker that died before it wrote the outcome. They may have been sent, so they are not sent again.
update research.reminder set state = 'unknown', why = 'worker_lost'
where state = 'claimed' and claimed_at < :claimed_before
returning enrolment_id;

-- name: list_message_attempts(enrolment_id uuid, message_id uuid) :many
-- Attempts of the claimed part of a message, by channel. is_over: a failure was not temporary.
select attempt.channel, count(distinct attempt) as attempts, bool_or(attempt.outcome <> 'temporary_failure') as is_over
from research.reminder join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
where enrolment_id = :enrolment_id and message_id = :message_id and state = 'claimed'
group by attempt.channel;

-- name: count_messages(enrolment_ids uuid[]) :many
-- The results of each participant's messages.
select enrolment_id, count(distinct message_id) filter (where state = 'sent') as sent,
  count(distinct message_id) filter (where delivered_at is not null) as confirmed,
  count(distinct message_id) filter (where state = 'failed') as undelivered,
  count(distinct message_id) filter (where state = 'unknown') as uncertain,
  max(claimed_at) filter (where state = 'failed') as last_undelivered_at
from research.reminder
where enrolment_id = any (:enrolment_ids)
group by enrolment_id;

-- name: list_reminders(enrolment_ids uuid[], now timestamptz) :many
-- Reminders that are not expired, reminders of the last two days, and all notifications, because the minimum interval
-- between notifications counts from each. The channels of one message of a rule have one message id. Prompts and
-- broadcasts, which do not count for the daily maximum, are left out.
select enrolment_id, kind, subject, ordinal, coalesce(inbox_message_id, message_id) as message_id, state, planned_at,
  claimed_at, sent_at, delivered_at, opened_at
from research.reminder
where enrolment_id = any (:enrolment_ids) and (expires_at > :now or claimed_at > :now - interval '2 days'
  or kind = 'notice')
  and not exists (
    select from research.inbox_message inbox
    where inbox.enrolment_id = reminder.enrolment_id and inbox.message_id = reminder.inbox_message_id
      and not inbox.counts_for_day)
order by enrolment_id, claimed_at, kind, subject, ordinal;

-- name: list_snoozes(enrolment_ids uuid[]) :many
select enrolment_id, occasion_id, ordinal, asked_at, until_at from research.reminder_snooze
where enrolment_id = any (:enrolment_ids)
order by enrolment_id, occasion_id, ordinal;

-- name: insert_snooze(enrolment_id uuid, occasion_id uuid, ordinal int4, asked_at timestamptz, until_at timestamptz) :exec
insert into research.reminder_snooze (enrolment_id, occasion_id, ordinal, asked_at, until_at)
values (:enrolment_id, :occasion_id, :ordinal, :asked_at, :until_at);

-- name: confirm_message(enrolment_id uuid, message_id uuid, delivered_at timestamptz, opened_at timestamptz) :many
-- An opened message counts as delivered. The earliest instant of each kind is kept. No reported moment is earlier than
-- the sending, even if the clock of the device is behind.
update research.reminder
set delivered_at = case when coalesce(delivered_at, :delivered_at, :opened_at) is not null
    then greatest(least(delivered_at, :delivered_at, :opened_at), coalesce(sent_at, claimed_at)) end,
  opened_at = case when coalesce(opened_at, :opened_at) is not null
    then greatest(least(opened_at, :opened_at), coalesce(sent_at, claimed_at)) end
where enrolment_id = :enrolment_id and message_id = :message_id and state in ('sent', 'unknown', 'claimed')
returning kind, subject, ordinal, message_id, state, planned_at, claimed_at, sent_at, delivered_at, opened_at;

-- name: record_channel_failure(enrolment_id uuid, channel text, now timestamptz, maximum int4) :exec
insert into research.reminder_channel as known (enrolment_id, channel, failures, last_failed_at, unreachable_since)
values (:enrolment_id, :channel, 1, :now, case when :maximum <= 1 then :now end)
on conflict (enrolment_id, channel) do update
set failures = known.failures + 1, last_failed_at = :now,
  unreachable_since = case when known.failures + 1 >= :maximum then coalesce(known.unreachable_since, :now) end;

-- name: delete_channel_failures(enrolment_id uuid, channel text) :exec
delete from research.reminder_channel where enrolment_id = :enrolment_id and channel = :channel;

-- name: delete_failures_of_account(account_id uuid, channel text) :exec
-- The participant may be reachable at the new address or by the new device.
delete from research.reminder_channel
using identity.membership
where membership.account_id = :account_id and reminder_channel.enrolment_id = membership.enrolment_id
  and reminder_channel.channel = :channel;

-- name: list_unreachable_channels(enrolment_ids uuid[]) :many
select enrolment_id, channel, unreachable_since from research.reminder_channel
where enrolment_id = any (:enrolment_ids) and unreachable_since is not null
order by enrolment_id, channel;

-- name: list_study_reminders(study text, enrolment_id uuid, kind text, rule text, state text, from_date date, to_date date, since timestamptz, before timestamptz, before_enrolment uuid, before_kind text, before_subject text, before_ordinal int4, limit_rows int4) :many
-- The reminders of a study that are planned since an instant and on these local dates, the newest first, with the attempts
-- to send them. Those of excluded participants are left out. A null enrolment_id, kind, rule or state selects all.
with page as materialized (
  select reminder.enrolment_id, reminder.kind, reminder.subject, reminder.ordinal, reminder.message_id,
    reminder.planned_at, reminder.sent_at, reminder.state, reminder.why, reminder.delivered_at, reminder.opened_at,
    enrolment.participant_id,
    (reminder.planned_at at time zone enrolment.zone)::date - enrolment.enrolled_on as study_day
  from research.reminder join research.enrolment using (enrolment_id)
  where reminder.planned_at >= :since and reminder.planned_at <= :before
    and (:state is null or reminder.state = :state)
    and (:kind is null or reminder.kind = :kind)
    and (:rule is null or reminder.kind in ('rule', 'notice') and split_part(reminder.subject, '/', 1) = :rule)
    and (:enrolment_id is null or reminder.enrolment_id = :enrolment_id)
    and enrolment.study = :study and enrolment.status <> 'excluded'
    and (reminder.planned_at at time zone enrolment.zone)::date between :from_date and :to_date
    and (reminder.planned_at, reminder.enrolment_id, reminder.kind, reminder.subject, reminder.ordinal)
      < (:before, :before_enrolment, :before_kind, :before_subject, :before_ordinal)
  order by reminder.planned_at desc, reminder.enrolment_id desc, reminder.kind desc, reminder.subject desc,
    reminder.ordinal desc
  limit :limit_rows
)
select page.*, occasion.questionnaire,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select attempt.channel, research.instant_text(attempt.attempted_at) as attempted_at, attempt.outcome,
      attempt.reply_code
    from research.reminder_attempt attempt
    where attempt.enrolment_id = page.enrolment_id and attempt.kind = page.kind and attempt.subject = page.subject
      and attempt.ordinal = page.ordinal
    order by attempt.attempt) as entry)::text as attempts
from page
left join research.occasion on occasion.enrolment_id = page.enrolment_id
  and occasion.occasion_id = case when page.kind not in ('due_today', 'notice', 'rule') then page.subject::uuid end
order by page.planned_at desc, page.enrolment_id desc, page.kind desc, page.subject desc, page.ordinal desc;

-- name: count_reminders_by_day(study text, from_date date, to_date date) :many
-- What became of the reminders of `list_study_reminders`, by local date. Local dates are within a day of those in UTC, by
-- which the index of planned_at selects. All time zones differ from UTC by whole quarters of an hour, so one conversion
-- for each quarter of an hour and zone is enough. Without `materialized`, PostgreSQL would convert every reminder.
with quarter as materialized (
  select enrolment.zone, date_bin('15 minutes', reminder.planned_at, '2000-01-01T00:00:00Z') as starts_at,
    reminder.state, count(*) as planned, count(reminder.delivered_at) as delivered, count(reminder.opened_at) as opened
  from research.reminder join research.enrolment using (enrolment_id)
  where reminder.planned_at >= (:from_date - 1)::timestamp at time zone 'UTC'
    and reminder.planned_at < (:to_date + 2)::timestamp at time zone 'UTC'
    and enrolment.study = :study and enrolment.status <> 'excluded'
  group by 1, 2, 3
), dated as (
  select (starts_at at time zone zone)::date as local_date, quarter.* from quarter
)
select local_date, sum(planned)::int as planned,
  coalesce(sum(planned) filter (where state = 'sent'), 0)::int as sent,
  coalesce(sum(planned) filter (where state = 'failed'), 0)::int as failed,
  coalesce(sum(planned) filter (where state = 'unknown'), 0)::int as uncertain,
  coalesce(sum(planned) filter (where state = 'suppressed'), 0)::int as suppressed,
  coalesce(sum(planned) filter (where state in ('claimed', 'retrying')), 0)::int as waiting,
  sum(delivered)::int as delivered, sum(opened)::int as opened
from dated
where local_date between :from_date and :to_date
group by local_date
order by local_date;

-- name: list_study_unreachable(study text, after_participant text, after_channel text, limit_rows int4) :many
-- The channels on which participants who take part cannot be reached.
select enrolment.participant_id, reminder_channel.channel, reminder_channel.failures, reminder_channel.last_failed_at,
  reminder_channel.unreachable_since
from research.reminder_channel join research.enrolment using (enrolment_id)
where enrolment.study = :study and enrolment.status = 'active' and reminder_channel.unreachable_since is not null
  and (enrolment.participant_id, reminder_channel.channel) > (:after_participant, :after_channel)
order by enrolment.participant_id, reminder_channel.channel
limit :limit_rows;
