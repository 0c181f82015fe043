-- Raw columns of the tables about participants. An instant is one raw column here. The writer makes four columns of it.

-- name: dataset_participants() :many
select
  included.participant_id,
  (array_agg(included.arm order by enrolment.enrolled_at desc, included.enrolment_id))[1] as arm,
  count(*) as enrolments,
  (array_agg(enrolment.status order by enrolment.enrolled_at desc, included.enrolment_id))[1] as status,
  (array_agg(enrolment.language order by enrolment.enrolled_at desc, included.enrolment_id))[1] as language,
  min(enrolment.enrolled_on) as first_enrolled_on
from included
join research.enrolment enrolment using (enrolment_id)
group by included.participant_id;

-- name: dataset_enrolments() :many
-- The zone of the end is the zone that was valid at that instant.
select
  included.participant_id,
  included.enrolment_id,
  enrolment.study_version,
  included.arm,
  coalesce(
    (select case when current_setting('saunter.arm_letters') = '' then change.from_arm
        else current_setting('saunter.arm_letters')::jsonb ->> change.from_arm end
      from research.arm_change change
      where change.enrolment_id = included.enrolment_id and change.ordinal = 1),
    included.arm) as allocated_arm,
  enrolment.allocation_method,
  enrolment.allocation_stratum,
  case when current_setting('saunter.arm_letters') = '' then enrolment.allocation_position end as allocation_position,
  enrolment.consent_version,
  enrolment.consented_at,
  included.zone_at_start as consented_tz,
  enrolment.enrolled_at as started_at,
  included.zone_at_start as started_tz,
  included.enrolled_on as started_on,
  enrolment.ended_at,
  case when enrolment.ended_at is not null then coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= enrolment.ended_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) end as ended_tz,
  enrolment.end_reason,
  enrolment.status,
  included.zone,
  enrolment.language,
  enrolment.reminders_on,
  (time '00:00' + make_interval(secs => enrolment.reminder_at))::text as reminder_time,
  enrolment.reminder_channels,
  enrolment.allocation_factors::text as allocation_factors,
  case when current_setting('saunter.arm_letters') = '' then enrolment.allocation_basis::text end as allocation_basis,
  enrolment.account_kind
from included
join research.enrolment enrolment using (enrolment_id);

-- name: dataset_arm_changes() :many
select
  included.participant_id,
  included.enrolment_id,
  change.ordinal,
  case when current_setting('saunter.arm_letters') = '' then change.from_arm
    else current_setting('saunter.arm_letters')::jsonb ->> change.from_arm end as from_arm,
  case when current_setting('saunter.arm_letters') = '' then change.to_arm
    else current_setting('saunter.arm_letters')::jsonb ->> change.to_arm end as to_arm,
  'researcher' as who,
  change.changed_at,
  case when current_setting('saunter.arm_letters') = '' then change.reason end as reason
from included
join research.arm_change change using (enrolment_id);

-- name: dataset_occasions() :many
-- The state follows from the window, the sheet and the instant of the snapshot. Open and due are inclusive, close is
-- exclusive. A sheet has precedence over all other conditions.
select
  included.participant_id,
  occasion.enrolment_id,
  occasion.occasion_id,
  included.arm,
  occasion.questionnaire as instrument,
  occasion.schedule,
  occasion.anchor_instance,
  case when occasion.anchor_instance <> '' then (
    select sheet.sheet_id from research.answer_sheet sheet
    where sheet.enrolment_id = occasion.enrolment_id and sheet.sheet_id = occasion.anchor_instance::uuid
      and sheet.revision = 1) end as follows_sheet,
  occasion.study_version as rule_version,
  occasion.local_date - included.enrolled_on as study_day,
  extract(isodow from occasion.local_date)::integer as weekday,
  occasion.day_index,
  occasion.slot_index,
  occasion.local_date,
  occasion.planned_at,
  occasion.visible_at,
  occasion.open_at as opens_at,
  occasion.zone as opens_tz,
  occasion.due_at,
  occasion.zone as due_tz,
  occasion.close_at as closes_at,
  occasion.zone as closes_tz,
  occasion.dst_adjusted,
  case
    when occasion.sheet_id is not null or occasion.completed_at is not null then
      case when coalesce(occasion.completed_at, occasion.due_at) <= occasion.due_at
        then 'completed_on_time' else 'completed_late' end
    when occasion.set_aside is not null then occasion.set_aside
    when included.as_of < occasion.open_at then 'upcoming'
    when included.as_of >= occasion.close_at then 'missed'
    when included.as_of <= occasion.due_at then 'open'
    else 'overdue'
  end as status,
  occasion.completed_at,
  case when occasion.completed_at is not null then occasion.zone end as completed_tz,
  occasion.sheet_id,
  case when occasion.sheet_id is null and occasion.completed_at is null and exists (
    select from research.answer_sheet sheet
    where sheet.enrolment_id = occasion.enrolment_id and sheet.occasion_id = occasion.occasion_id
      and sheet.deleted_at is not null) then 'redacted' end as missing
from research.occasion occasion
join included using (enrolment_id)
where occasion.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
  and occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date;

-- name: dataset_reminders() :many
-- One row per attempt. A reminder without an attempt, for example a suppressed one, has one row with attempt 0.
select
  included.participant_id,
  reminder.enrolment_id,
  md5(concat_ws('/', reminder.enrolment_id, reminder.kind, reminder.subject, reminder.ordinal, coalesce(attempt.attempt, 0)))
    as reminder_id,
  reminder.kind,
  reminder.subject,
  reminder.ordinal,
  coalesce(attempt.attempt, 0) as attempt,
  attempt.channel,
  reminder.occasion_count,
  reminder.planned_at,
  zone.planned as planned_tz,
  attempt.attempted_at as sent_at,
  case when attempt.attempted_at is not null then zone.planned end as sent_tz,
  coalesce(attempt.outcome, reminder.state) as outcome,
  attempt.reply_code,
  reminder.state,
  case when reminder.state = 'suppressed' then reminder.why end as suppressed_why,
  reminder.delivered_at,
  reminder.opened_at
from research.reminder reminder
join included using (enrolment_id)
left join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
cross join lateral (
  select coalesce(
    (select history.zone from research.enrolment_zone history
      where history.enrolment_id = included.enrolment_id and history.effective_from <= reminder.planned_at
      order by history.effective_from desc limit 1),
    included.zone_at_start) as planned
) as zone
where reminder.planned_at <= included.as_of
  and reminder.planned_at between current_setting('saunter.from_date')::date - 2 and current_setting('saunter.to_date')::date + 2
  and (reminder.planned_at at time zone included.clock_zone)::date between included.from_date and included.to_date;

-- name: dataset_adherence_daily() :many
-- One row per study day that has begun, until the end of the enrolment or of the study. An occasion is due as soon as
-- it is settled, that is, answered or closed unanswered. Excluded occasions (set_aside is not null) do not count.
with span as (
  select
    included.*,
    least(
      coalesce((current_setting('saunter.study_days')::jsonb ->> included.study_version)::integer, 0),
      (included.as_of at time zone included.clock_zone)::date - included.enrolled_on,
      (enrolment.ended_at at time zone included.clock_zone)::date - included.enrolled_on
    ) as last_day
  from included
  join research.enrolment enrolment using (enrolment_id)
), done as (
  select
    occasion.enrolment_id,
    occasion.local_date,
    count(*) filter (where answer.is_given and answer.given_at <= occasion.due_at) as on_time,
    count(*) filter (where answer.is_given and answer.given_at > occasion.due_at) as late,
    count(*) filter (
      where not answer.is_given and occasion.set_aside is null and occasion.close_at <= included.as_of) as missed,
    count(*) filter (
      where not answer.is_given and occasion.set_aside is null
        and occasion.open_at <= included.as_of and occasion.close_at > included.as_of) as still_open
  from research.occasion occasion
  join included using (enrolment_id)
  cross join lateral (
    select
      occasion.sheet_id is not null or occasion.completed_at is not null as is_given,
      coalesce(occasion.completed_at, occasion.due_at) as given_at
  ) as answer
  where occasion.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
    and occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  group by 1, 2
), walked as (
  select
    walk.enrolment_id,
    research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms) as local_date,
    count(*) as walks,
    sum(walk.active_s order by walk.walk_id) as walk_active_s
  from research.walk walk
  join included using (enrolment_id)
  where walk.deleted_at is null
    and research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms)
      between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  group by 1, 2
)
select
  span.participant_id,
  span.enrolment_id,
  span.arm,
  day.index as study_day,
  extract(isodow from span.enrolled_on + day.index)::integer as weekday,
  span.enrolled_on + day.index as local_date,
  coalesce(done.on_time, 0) + coalesce(done.late, 0) + coalesce(done.missed, 0) as due,
  coalesce(done.on_time, 0) + coalesce(done.late, 0) as done,
  coalesce(done.late, 0) as late,
  coalesce(done.missed, 0) as missed,
  coalesce(done.still_open, 0) as still_open,
  coalesce(walked.walks, 0) as walks,
  coalesce(walked.walk_active_s, 0) as walk_active_s
from span
cross join lateral generate_series(
  greatest(0, case when isfinite(span.from_date) then span.from_date - span.enrolled_on end),
  least(span.last_day, case when isfinite(span.to_date) then span.to_date - span.enrolled_on end)
) as day (index)
left join done on done.enrolment_id = span.enrolment_id and done.local_date = span.enrolled_on + day.index
left join walked on walked.enrolment_id = span.enrolment_id and walked.local_date = span.enrolled_on + day.index
where span.enrolled_on + day.index between span.from_date and span.to_date;

-- name: dataset_tombstones() :many
-- Participants whose data are not included: one row each, which does not identify them.
select 'excluded' as kind, generate_series(1, count(*)) as ordinal
from research.enrolment
where study = current_setting('saunter.study') and status = 'excluded'
union all
select 'erased' as kind, generate_series(1, count(*)) as ordinal
from research.erasure
where study = current_setting('saunter.study');
