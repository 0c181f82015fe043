-- name: insert_alert(enrolment_id uuid, alert_id uuid, rule text, about text, now timestamptz) :exec
insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
values (:enrolment_id, :alert_id, :rule, :about, :now, :now);

-- name: list_due_alerts(now timestamptz) :many
-- Alerts of which staff must be informed, with their study.
select alert.enrolment_id, alert.alert_id, alert.notices, enrolment.study, enrolment.study_version
from research.alert join research.enrolment using (enrolment_id)
where alert.next_notice_at <= :now
order by alert.next_notice_at, alert.alert_id
limit 100;

-- name: finish_alert_notice(enrolment_id uuid, alert_id uuid, notices int4, next_notice_at timestamptz) :exec
-- No change if another worker has informed staff, or if the alert was acknowledged.
update research.alert set notices = :notices + 1, next_notice_at = :next_notice_at
where enrolment_id = :enrolment_id and alert_id = :alert_id and notices = :notices and acknowledged_at is null;

-- name: list_alerts(study text, open bool, before timestamptz, before_id uuid, limit_rows int4) :many
-- The newest first.
select alert.enrolment_id, enrolment.participant_id, alert.alert_id, alert.rule, alert.about, alert.raised_at,
  alert.notices, alert.acknowledged_at, alert.note
from research.alert join research.enrolment using (enrolment_id)
where enrolment.study = :study and (alert.raised_at, alert.alert_id) < (:before, :before_id)
  and (alert.acknowledged_at is null or not :open)
order by alert.raised_at desc, alert.alert_id desc
limit :limit_rows;

-- name: find_alert(study text, alert_id uuid) :many
-- Locked, so that of two coordinators one is the first.
select alert.enrolment_id, enrolment.participant_id, alert.alert_id, alert.rule, alert.about, alert.raised_at,
  alert.notices, alert.acknowledged_at, alert.note
from research.alert join research.enrolment using (enrolment_id)
where enrolment.study = :study and alert.alert_id = :alert_id
for no key update of alert;

-- name: acknowledge_alert(enrolment_id uuid, alert_id uuid, note text, now timestamptz) :exec
update research.alert set acknowledged_at = :now, note = :note, next_notice_at = null
where enrolment_id = :enrolment_id and alert_id = :alert_id and acknowledged_at is null;

-- name: insert_broadcast(study text, broadcast_id uuid, body_sha256 bytea, arms text[], participants text[], words json, channels text[], target text, not_before timestamptz, expires_at timestamptz, now timestamptz) :many
insert into research.broadcast (study, broadcast_id, body_sha256, arms, participants, words, channels, target,
  not_before, expires_at, created_at)
values (:study, :broadcast_id, :body_sha256, :arms, :participants, :words, :channels, :target, :not_before,
  :expires_at, :now)
on conflict (study, broadcast_id) do update set broadcast_id = excluded.broadcast_id
returning xmax = 0 as inserted, body_sha256;

-- name: count_recipients(study text, arms text[], participants text[]) :one
-- With those of them who have paused, and the pseudonyms of the audience that no active participant has.
select count(*)::int as recipients,
  count(*) filter (where exists (
    select from research.enrolment_pause pause
    where pause.enrolment_id = enrolment.enrolment_id and pause.to_at is null))::int as paused,
  array(
    select code from unnest(:participants::text[]) as code
    where code not in (select participant_id from research.enrolment where study = :study and status = 'active')
    order by code) as unknown
from research.enrolment
where study = :study and status = 'active' and arm = any (coalesce(:arms, array[arm]))
  and participant_id = any (coalesce(:participants, array[participant_id]));

-- name: find_broadcast(study text, broadcast_id uuid) :many
select broadcast_id, words::text as words, arms, cardinality(participants) as participants, not_before, expires_at,
  created_at, cancelled_at, finished_at
from research.broadcast where study = :study and broadcast_id = :broadcast_id;

-- name: list_broadcasts(study text, before timestamptz, before_id uuid, limit_rows int4) :many
-- The newest first.
select broadcast_id, words::text as words, arms, cardinality(participants) as participants, not_before, expires_at,
  created_at, cancelled_at, finished_at
from research.broadcast where study = :study and (created_at, broadcast_id) < (:before, :before_id)
order by created_at desc, broadcast_id desc
limit :limit_rows;

-- name: count_broadcasts(study text, broadcast_ids uuid[]) :many
-- The inboxes that have each broadcast, and what became of it. Broadcasts that no inbox has are left out.
select inbox.broadcast_id, count(*)::int as addressed, count(sent.sent_at)::int as sent,
  count(sent.failed)::int as failed, count(inbox.opened_at)::int as opened
from research.inbox_message inbox
join research.enrolment using (enrolment_id)
cross join lateral (
  select min(reminder.sent_at) as sent_at, min(case when reminder.state = 'failed' then 1 end) as failed
  from research.reminder
  where reminder.enrolment_id = inbox.enrolment_id and reminder.kind = 'rule'
    and reminder.subject = 'broadcast/' || inbox.broadcast_id
) as sent
where enrolment.study = :study and inbox.broadcast_id = any (:broadcast_ids)
group by inbox.broadcast_id;

-- name: remove_recipient(enrolment_id uuid) :exec
-- Removes the pseudonym of a participant from the audiences of broadcasts.
update research.broadcast set participants = array_remove(broadcast.participants, enrolment.participant_id)
from research.enrolment
where enrolment.enrolment_id = :enrolment_id and broadcast.study = enrolment.study
  and enrolment.participant_id = any (broadcast.participants);

-- name: cancel_broadcast(study text, broadcast_id uuid, now timestamptz) :exec
update research.broadcast set cancelled_at = coalesce(cancelled_at, :now)
where study = :study and broadcast_id = :broadcast_id and finished_at is null;

-- name: claim_broadcast(now timestamptz) :many
-- No row if another worker distributes it.
select study, broadcast_id, arms, participants, words::text as words, channels, target, expires_at, addressed_through
from research.broadcast
where not_before <= :now and finished_at is null and cancelled_at is null
order by not_before, broadcast_id
limit 1
for no key update skip locked;

-- name: list_recipients(study text, arms text[], participants text[], after uuid, limit_rows int4) :many
-- Active participants who have not paused, after one of them. Their rows are locked against an erasure.
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment
where study = :study and enrolment_id > :after and status = 'active' and arm = any (coalesce(:arms, array[arm]))
  and participant_id = any (coalesce(:participants, array[participant_id]))
  and not exists (
    select from research.enrolment_pause pause
    where pause.enrolment_id = enrolment.enrolment_id and pause.to_at is null)
order by enrolment_id
limit :limit_rows
for key share;

-- name: advance_broadcast(study text, broadcast_id uuid, addressed_through uuid, finished_at timestamptz) :exec
update research.broadcast set addressed_through = :addressed_through, finished_at = :finished_at
where study = :study and broadcast_id = :broadcast_id;
