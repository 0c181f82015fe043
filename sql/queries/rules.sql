-- name: list_due_decisions(now timestamptz, limit_rows int4) :many
-- Enrolments whose rules must be evaluated. Those with new records come first, so that a rule that an answer triggers does
-- not wait for the points that many participants have at the same time of day. Reads many at once, as
-- `list_due_enrolments` does.
select enrolment_id from (
  (select enrolment_id, 1 as turn, next_decision_at from research.enrolment
   where undecided_records <> '{}' and next_decision_at <= :now and status = 'active'
   order by next_decision_at
   limit :limit_rows)
  union all
  (select enrolment_id, 2, next_decision_at from research.enrolment
   where next_decision_at <= :now and status = 'active'
   order by next_decision_at
   limit :limit_rows)
) as due
order by turn, next_decision_at;

-- name: claim_due_decision(enrolment_id uuid, now timestamptz) :many
-- No row if another worker has evaluated the rules since the list was read, or is evaluating them.
select coalesce(decided_until, enrolled_at) as decided_until from research.enrolment
where enrolment_id = :enrolment_id and next_decision_at <= :now and status = 'active'
for no key update skip locked;

-- name: decide_soon(enrolment_ids uuid[], record_enrolments uuid[], records uuid[], now timestamptz) :exec
-- The rules are evaluated as soon as a worker is free, because something has changed for these participants. The records
-- have arrived, each for the participant at its position.
update research.enrolment set next_decision_at = least(next_decision_at, :now),
  undecided_records = undecided_records || array(
    select arrived.record from unnest(:record_enrolments::uuid[], :records::uuid[]) as arrived (enrolment, record)
    where arrived.enrolment = enrolment.enrolment_id)
where enrolment_id = any (:enrolment_ids) and status = 'active'
  and (next_decision_at is distinct from least(next_decision_at, :now) or enrolment_id = any (:record_enrolments));

-- name: find_next_rule_work() :many
-- When rules are evaluated next, or a queued message is sent; null if nothing is planned. A dry run sets its clock to it.
select least(
  (select next_decision_at from research.enrolment where next_decision_at is not null and status = 'active'
   order by next_decision_at limit 1),
  (select next_attempt_at from research.reminder where next_attempt_at is not null and state = 'retrying'
   order by next_attempt_at limit 1)) as next_at;

-- name: finish_decisions(enrolment_id uuid, next_decision_at timestamptz, decided_until timestamptz) :exec
-- The clock of another server can be ahead.
update research.enrolment
set next_decision_at = :next_decision_at, decided_until = greatest(decided_until, :decided_until),
  undecided_records = '{}'
where enrolment_id = :enrolment_id;

-- name: postpone_decisions(enrolment_id uuid, next_decision_at timestamptz) :exec
-- After a fault. Points and records stay undecided.
update research.enrolment set next_decision_at = :next_decision_at where enrolment_id = :enrolment_id;

-- name: blank_decisions(enrolment_id uuid) :exec
-- Removes the values of variables from decisions, and the words of messages that can contain such values, because answers
-- from which they were computed are removed for good.
with blanked as (
  update research.decision set variables = '{}'
  where enrolment_id = :enrolment_id and variables::text <> '{}'
  returning message_id
)
update research.inbox_message set subject = '–', body = '–'
where enrolment_id = :enrolment_id and message_id in (select message_id from blanked);

-- name: list_decisions(enrolment_id uuid) :many
select rule, point, key, decided_at, outcome from research.decision where enrolment_id = :enrolment_id
order by decided_at, rule, point, key;

-- name: insert_decisions(enrolment_id uuid, study_version text, rules text[], points text[], keys text[], moments timestamptz[], decided_ats timestamptz[], outcomes text[], availables bool[], probabilities float8[], draws float8[], variables text[], message_ids uuid[]) :many
-- No row for a point that is decided already.
insert into research.decision (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome, available,
  probability, draw, variables, message_id)
select :enrolment_id, made.rule, made.point, made.key, :study_version, made.moment, made.decided_at, made.outcome,
  made.available, made.probability, made.draw, made.variables::json, made.message_id
from unnest(:rules::text[], :points::text[], :keys::text[], :moments::timestamptz[], :decided_ats::timestamptz[],
  :outcomes::text[], :availables::bool[], :probabilities::float8[], :draws::float8[], :variables::text[],
  :message_ids::uuid[])
  as made (rule, point, key, moment, decided_at, outcome, available, probability, draw, variables, message_id)
on conflict (enrolment_id, rule, point, key) do nothing
returning rule, point, key;

-- name: insert_inbox_message(enrolment_id uuid, message_id uuid, rule text, now timestamptz, expires_at timestamptz, subject text, body text, target text, collection text, item text, edition int4, counts_for_day bool, channels text[], broadcast_id uuid) :exec
insert into research.inbox_message (enrolment_id, message_id, rule, created_at, expires_at, subject, body, target,
  collection, item, edition, counts_for_day, channels, broadcast_id)
values (:enrolment_id, :message_id, :rule, :now, :expires_at, :subject, :body, :target, :collection, :item, :edition,
  :counts_for_day, :channels, :broadcast_id)
on conflict (enrolment_id, message_id) do nothing;

-- name: insert_rule_reminders(enrolment_id uuid, inbox_message_id uuid, message_ids uuid[], subjects text[], channels text[], states text[], planned_at timestamptz, expires_at timestamptz, now timestamptz) :exec
-- One reminder for each channel that sends the message, or one for all channels in their order. A message that only the
-- inbox shows counts as sent.
insert into research.reminder (enrolment_id, message_id, claimed_at, kind, subject, ordinal, planned_at, expires_at,
  occasion_count, state, next_attempt_at, sent_at, channel, inbox_message_id)
select :enrolment_id, sent.message_id, :now, 'rule', sent.subject, 1, :planned_at, :expires_at, 0, sent.state,
  case when sent.state = 'retrying' then :planned_at end, case when sent.state = 'sent' then :now end, sent.channel,
  :inbox_message_id
from unnest(:message_ids::uuid[], :subjects::text[], :channels::text[], :states::text[])
  as sent (message_id, subject, channel, state)
on conflict (enrolment_id, kind, subject, ordinal) do nothing;

-- name: find_inbox_message(enrolment_id uuid, message_id uuid) :many
-- By its own id, or by that of a message that a channel has sent.
select message_id, rule, created_at, expires_at, subject, body, target, collection, item, edition, channels,
  opened_at, acted_at, dismissed_at
from research.inbox_message
where enrolment_id = :enrolment_id and message_id = coalesce((
  select reminder.inbox_message_id from research.reminder
  where reminder.enrolment_id = :enrolment_id and reminder.message_id = :message_id
  limit 1), :message_id);

-- name: list_inbox_messages(enrolment_id uuid, unread bool, before timestamptz, before_id uuid, limit_rows int4) :many
-- The newest first.
select message_id, rule, created_at, expires_at, subject, body, target, collection, item, edition, channels,
  opened_at, acted_at, dismissed_at
from research.inbox_message
where enrolment_id = :enrolment_id and (created_at, message_id) < (:before, :before_id)
  and (counts_for_day or broadcast_id is not null)
  and not (:unread and coalesce(opened_at, acted_at, dismissed_at) is not null)
order by created_at desc, message_id desc
limit :limit_rows;

-- name: list_prompts(enrolment_id uuid, now timestamptz) :many
-- The newest first. They are not in the inbox.
select message_id, rule, created_at, expires_at, subject, body, target, collection, item, edition, channels,
  opened_at, acted_at, dismissed_at
from research.inbox_message
where enrolment_id = :enrolment_id and not counts_for_day and broadcast_id is null and expires_at > :now
  and coalesce(opened_at, acted_at, dismissed_at) is null
order by created_at desc, message_id desc
limit 20;

-- name: list_message_snoozes(enrolment_id uuid, inbox_message_id uuid) :many
select planned_at from research.reminder
where enrolment_id = :enrolment_id and inbox_message_id = :inbox_message_id and ordinal > 1
order by ordinal;

-- name: insert_message_snooze(enrolment_id uuid, inbox_message_id uuid, message_id uuid, ordinal int4, until timestamptz, expires_at timestamptz, now timestamptz) :exec
-- By the participant's channels in their order.
insert into research.reminder (enrolment_id, message_id, claimed_at, kind, subject, ordinal, planned_at, expires_at,
  occasion_count, state, next_attempt_at, inbox_message_id)
select enrolment_id, :message_id, :now, kind, subject, :ordinal, :until, :expires_at, 0, 'retrying', :until,
  inbox_message_id
from research.reminder
where enrolment_id = :enrolment_id and inbox_message_id = :inbox_message_id and ordinal = 1
order by subject
limit 1;

-- name: list_rule_messages(enrolment_id uuid, since timestamptz) :many
-- Messages that count for the daily maximum or for the limits of rules. The channels of one message count once.
select inbox.rule, min(reminder.planned_at) as planned_at, coalesce(bool_or(inbox.counts_for_day), true) as counts_for_day
from research.reminder
left join research.inbox_message inbox
  on inbox.enrolment_id = reminder.enrolment_id and inbox.message_id = reminder.inbox_message_id
where reminder.enrolment_id = :enrolment_id and reminder.claimed_at >= :since
  and reminder.state not in ('suppressed', 'failed')
group by coalesce(reminder.inbox_message_id, reminder.message_id), inbox.rule
order by 2, 1;

-- name: mark_inbox_message(enrolment_id uuid, message_id uuid, opened_at timestamptz, acted_at timestamptz, dismissed_at timestamptz) :many
-- The earliest instant of each kind is kept.
update research.inbox_message
set opened_at = least(opened_at, :opened_at, :acted_at), acted_at = least(acted_at, :acted_at),
  dismissed_at = least(dismissed_at, :dismissed_at)
where enrolment_id = :enrolment_id and message_id = :message_id
returning message_id, rule, created_at, expires_at, subject, body, target, collection, item, edition, channels,
  opened_at, acted_at, dismissed_at;

-- name: list_awards(enrolment_ids uuid[]) :many
select enrolment_id, award, ordinal, rule, awarded_at from research.award where enrolment_id = any (:enrolment_ids)
order by enrolment_id, awarded_at, award, ordinal;

-- name: insert_award(enrolment_id uuid, award text, repeatable bool, rule text, now timestamptz) :exec
insert into research.award (enrolment_id, award, ordinal, rule, awarded_at)
select :enrolment_id, :award, coalesce(max(ordinal), 0) + 1, :rule, :now
from research.award where enrolment_id = :enrolment_id and award = :award
having :repeatable or count(*) = 0
on conflict do nothing;

-- name: delete_awards(enrolment_id uuid, awards text[]) :exec
delete from research.award where enrolment_id = :enrolment_id and award = any (:awards);

-- name: list_undecided_records(enrolment_id uuid) :one
select undecided_records::text[] as records from research.enrolment where enrolment_id = :enrolment_id;

-- name: list_new_sheets(enrolment_id uuid) :many
-- First revisions that arrived since rules were evaluated, in the order of arrival.
select sheet_id, questionnaire from research.answer_sheet
where enrolment_id = :enrolment_id and revision = 1 and duplicate_of is null
  and sheet_id in (
    select unnest(undecided_records) from research.enrolment where enrolment.enrolment_id = :enrolment_id)
order by received_at, sheet_id;

-- name: list_decisions_of_rule(study text, rule text, enrolment_id uuid, outcome text, since timestamptz, until timestamptz, before timestamptz, before_id uuid, before_point text, before_key text, limit_rows int4) :many
-- The newest first. A null enrolment_id, outcome, since or until selects all.
select decision.enrolment_id, enrolment.participant_id, decision.point, decision.key, decision.study_version,
  decision.moment, decision.decided_at, decision.outcome, decision.available, decision.probability, decision.draw,
  decision.variables::text as variables, decision.message_id
from research.decision
join research.enrolment using (enrolment_id)
where enrolment.study = :study and enrolment.status <> 'excluded' and decision.rule = :rule
  and (:enrolment_id is null or decision.enrolment_id = :enrolment_id)
  and (:outcome is null or decision.outcome = :outcome)
  and (:since is null or decision.decided_at >= :since)
  and (:until is null or decision.decided_at < :until)
  -- The first condition is implied by the second one. With it, the index begins at the position of the page.
  and decision.decided_at <= :before
  and ((decision.decided_at, decision.enrolment_id) < (:before, :before_id)
    or decision.decided_at = :before and decision.enrolment_id = :before_id
      and (decision.point, decision.key) > (:before_point, :before_key))
order by decision.decided_at desc, decision.enrolment_id desc, decision.point, decision.key
limit :limit_rows;

-- name: count_decisions(study text, rules text[]) :many
-- The stored decisions of rules by outcome. Excluded participants are left out.
select decision.rule, decision.outcome, count(*) as decisions, max(decision.decided_at) as last_decided_at
from research.decision
join research.enrolment using (enrolment_id)
where enrolment.study = :study and enrolment.status <> 'excluded' and decision.rule = any (:rules)
group by decision.rule, decision.outcome;
