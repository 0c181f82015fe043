-- Raw columns of the table of usage events.

-- name: dataset_usage_events() :many
-- Times are corrected like those of walks. The instrument that the device names is included only if the study has it.
select
  included.participant_id,
  event.enrolment_id,
  event.event_id,
  included.arm,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  event.event,
  research.corrected_at(event.happened_at, event.skew_ms) as happened_at,
  event.zone as happened_tz,
  event.offset_min as happened_offset_min,
  event.received_at,
  event.skew_ms / 1000.0::double precision as clock_skew_s,
  event.occasion_id,
  case when event.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ',')) then event.questionnaire end
    as instrument,
  event.feature,
  event.collection,
  event.item,
  event.seconds,
  event.properties::text as properties
from research.usage_event event
join included using (enrolment_id)
cross join lateral (
  select research.local_date(event.happened_at, event.offset_min, event.skew_ms) as local_date
) as day
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_content_shown() :many
-- Every item that was selected for a participant, with what the app reported about it on its local date. Items that an
-- app showed without a selection, such as those of a list, are only among the usage events.
select
  included.participant_id,
  selected.enrolment_id,
  included.arm,
  selected.collection,
  selected.item,
  selected.edition,
  selected.selector as why,
  row_number() over (
    partition by selected.enrolment_id, selected.collection, selected.selector order by day.local_date, selected.selected_at,
    selected.slot) as ordinal,
  day.local_date - included.enrolled_on as study_day,
  selected.selected_at,
  shown.shown_at,
  shown.played_s
from research.content_selection selected
join included using (enrolment_id)
cross join lateral (
  select case when selected.selector = 'daily' then selected.slot::date
    else (selected.selected_at at time zone included.clock_zone)::date end as local_date
) as day
cross join lateral (
  select
    min(research.corrected_at(event.happened_at, event.skew_ms)) filter (where event.event = 'content_shown') as shown_at,
    sum(event.seconds) filter (where event.event in ('content_played', 'content_completed')) as played_s
  from research.usage_event event
  where event.enrolment_id = selected.enrolment_id and event.collection = selected.collection
    and event.item = selected.item
    and research.local_date(event.happened_at, event.offset_min, event.skew_ms) = day.local_date
) as shown
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_decisions() :many
-- Every stored decision of a rule, with what happened to its message.
select
  included.participant_id,
  decision.enrolment_id,
  included.arm,
  decision.rule,
  row_number() over (
    partition by decision.enrolment_id, decision.rule order by decision.moment, decision.point, decision.key) as ordinal,
  decision.point,
  decision.key,
  decision.study_version,
  day.local_date - included.enrolled_on as study_day,
  decision.moment,
  decision.decided_at,
  decision.outcome,
  decision.available,
  decision.probability,
  decision.draw,
  decision.variables::text as variables,
  inbox.collection,
  inbox.item,
  inbox.edition,
  inbox.target,
  sent.sent_at,
  sent.delivered_at,
  inbox.opened_at,
  inbox.acted_at,
  inbox.dismissed_at
from research.decision decision
join included using (enrolment_id)
left join research.inbox_message inbox
  on inbox.enrolment_id = decision.enrolment_id and inbox.message_id = decision.message_id
cross join lateral (
  select (decision.moment at time zone included.clock_zone)::date as local_date
) as day
cross join lateral (
  select min(reminder.sent_at) as sent_at, min(reminder.delivered_at) as delivered_at
  from research.reminder reminder
  where reminder.enrolment_id = decision.enrolment_id and reminder.inbox_message_id = decision.message_id
) as sent
where day.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_alerts() :many
select
  included.participant_id,
  included.enrolment_id,
  row_number() over (partition by alert.enrolment_id order by alert.raised_at, alert.alert_id) as ordinal,
  alert.rule,
  alert.about,
  alert.raised_at,
  alert.acknowledged_at,
  alert.note
from included
join research.alert alert using (enrolment_id);

-- name: dataset_broadcasts() :many
select
  included.participant_id,
  included.enrolment_id,
  inbox.broadcast_id::text as broadcast_id,
  inbox.created_at,
  (select min(reminder.sent_at) from research.reminder reminder
    where reminder.enrolment_id = inbox.enrolment_id and reminder.inbox_message_id = inbox.message_id) as sent_at,
  inbox.opened_at,
  inbox.acted_at,
  inbox.dismissed_at
from included
join research.inbox_message inbox using (enrolment_id)
where inbox.broadcast_id is not null;

-- name: dataset_awards() :many
select
  included.participant_id,
  included.enrolment_id,
  award.award,
  award.ordinal,
  award.rule,
  award.awarded_at
from included
join research.award award using (enrolment_id);
