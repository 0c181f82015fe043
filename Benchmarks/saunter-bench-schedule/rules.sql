-- Fills one table per statement, without triggers. All rules were evaluated at 07:45 in Berlin, and the next evaluation is tomorrow, until `busy`
-- makes some participants due. Rows are inserted in the order of their random ids, which fills the indexes page by page.

-- name: enrolments
-- The enrolments with the numbers $1 to $2.
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, next_reminder_at,
   planned_through, reminder_channels, email_verified, next_decision_at, decided_until)
select id, 'appiness', '1.0.0', 'P' || number, 'everybody', 'all', number, 'permuted_blocks', '1.0.0',
  '2026-02-20T09:00:00Z', '2026-02-20T09:00:00Z', '2026-02-20', 'Europe/Berlin', 'Europe/Berlin', 'en',
  '2026-04-03T19:00:00Z'::timestamptz + number % 600 * interval '1 minute', '9999-12-31', '{push}', true,
  '2026-04-03T06:00:00Z'::timestamptz + number % 600 * interval '1 minute', '2026-04-02T05:45:00Z'
from (select gen_random_uuid() as id, number from generate_series($1::int4, $2::int4) as number) as made
order by id;

-- name: zones
insert into research.enrolment_zone (enrolment_id, effective_from, zone, source)
select enrolment_id, enrolled_at, zone, 'enrolment' from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: versions
insert into research.enrolment_version (enrolment_id, study_version, followed_from)
select enrolment_id, study_version, enrolled_at from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: occasions
insert into research.occasion
  (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
   local_date, zone, visible_at, open_at, due_at, close_at, planned_at)
select enrolment_id, gen_random_uuid(), 'about_you', '', 0, 0, 'about_you', '1.0.0', '2026-02-20', zone, enrolled_at,
  enrolled_at, enrolled_at + interval '14 days', enrolled_at + interval '30 days', enrolled_at
from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: sheets
-- Every participant has settings, and recorded two moods yesterday. A slot is 0 for an answer and -996 for a skipped item.
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language,
   started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags,
   completes, slots, numbers, cleared, body_sha256)
select enrolment_id, gen_random_uuid(), 1, true, questionnaire, '1.0.0', '1.0.0', '1.0.0', 'en', at, at, at, zone, 120,
  120, 0, 'unscheduled', '{}', true, slots, numbers, '{}', '\x00'
from research.enrolment
cross join (values
  ('notifications', '2026-04-01T08:00:00Z'::timestamptz, '{0}'::int2[], '{3}'::float8[]),
  ('mood', '2026-04-01T10:10:00Z', '{0,-996}', '{3}'),
  ('mood', '2026-04-01T17:10:00Z', '{0,-996}', '{8}')) as made (questionnaire, at, slots, numbers)
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: messages
-- Every participant got the message of yesterday.
insert into research.inbox_message
  (enrolment_id, message_id, rule, created_at, expires_at, subject, body, target, collection, item, edition,
   counts_for_day)
select enrolment_id, gen_random_uuid(), 'daily_message', '2026-04-01T06:00:00Z', '2026-04-02T06:00:00Z', 'A quote',
  'One step after the other.', 'home', 'messages', 'none', 1, true
from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: reminders
insert into research.reminder
  (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state, sent_at, message_id,
   inbox_message_id)
select enrolment_id, 'rule', 'daily_message/2026-04-01#1/', 1, created_at, created_at, 0, 'sent', created_at,
  message_id, message_id
from research.inbox_message join research.enrolment using (enrolment_id)
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: decisions
insert into research.decision
  (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome, available, variables, message_id)
select enrolment_id, 'daily_message', '2026-04-01#1', '', '1.0.0', created_at, created_at, 'message', true, '{}',
  message_id
from research.inbox_message join research.enrolment using (enrolment_id)
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: selections
insert into research.content_selection (enrolment_id, collection, selector, slot, item, edition, selected_at)
select enrolment_id, 'messages', 'daily', '2026-04-01', 'none', 1, '2026-04-01T06:00:00Z'
from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: busy
-- Makes $1 participants due who were not evaluated before, from all parts of the table. Each of them has recorded two moods a day since
-- 3 March, and one mood this afternoon. With that many moods, `uplift` knows the hour of the lowest mood.
with busy as (
  update research.enrolment set next_decision_at = '2026-04-02T13:00:00Z', undecided_records = array[gen_random_uuid()]
  where enrolment_id in (
    select enrolment_id from research.enrolment where decided_until = '2026-04-02T05:45:00Z'
    order by md5(enrolment_id::text) limit $1::int4)
  returning enrolment_id, undecided_records[1] as newest
)
insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language,
   started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags,
   completes, slots, numbers, cleared, body_sha256)
select enrolment_id, case when is_newest then newest else gen_random_uuid() end, 1, true, 'mood', '1.0.0', '1.0.0', '1.0.0', 'en', at, at, at, 'Europe/Berlin',
  offset_min, offset_min, 0, 'unscheduled', '{}', true, '{0,-996}', array[mood], '{}', '\x00'
from busy
cross join (
  select (date '2026-03-03' + day + made.time) at time zone 'Europe/Berlin' as at, made.mood, false as is_newest,
    case when date '2026-03-03' + day < '2026-03-29' then 60 else 120 end as offset_min
  from generate_series(0, 28) as day
  cross join (values (time '12:10', 3::float8), (time '19:10', 8)) as made (time, mood)
  union all
  select '2026-04-02T12:30:00Z', 6, true, 120) as moods
order by enrolment_id, at;

-- name: due
select enrolment_id from research.enrolment
where next_decision_at <= '2026-04-02T13:00:00Z' and status = 'active'
order by next_decision_at limit 1;

-- name: outcomes
-- How many participants were evaluated, and how many decisions each rule has made for them.
select rule, outcome, count(*)::int4 as decisions,
  (select count(*)::int4 from research.enrolment where decided_until > '2026-04-02T12:59:00Z') as evaluated
from research.decision
where decided_at > '2026-04-02T12:59:00Z'
group by rule, outcome
order by rule, outcome;

-- name: vacuum
vacuum (analyze) research.enrolment, research.enrolment_zone, research.enrolment_version, research.occasion, research.answer_sheet,
  research.inbox_message, research.reminder, research.decision, research.content_selection, research.award;

-- name: checkpoint
checkpoint;
