-- name: count_studies(studies text[], now timestamptz, from_date date, to_date date) :many
-- The numbers of studies for their teams. Excluded participants are left out, as in the list of participants. Today is
-- the local date of each participant, so it is one of the dates. Only the occasions, sheets and walks of these dates
-- are read, by the indexes of their local dates.
with enrolled as (
  select study, count(*) as enrolled, count(*) filter (where status = 'active') as active
  from research.enrolment
  where study = any (:studies) and status <> 'excluded'
  group by study
), recent as (
  select enrolment.study, occasion.completed_at, occasion.due_at,
    occasion.set_aside is null and occasion.close_at <= :now as is_closed,
    occasion.local_date = (:now at time zone enrolment.zone)::date
      and (occasion.set_aside is null or occasion.completed_at is not null) as is_today,
    occasion.completed_at is null and occasion.open_at <= :now and occasion.close_at > :now as is_open
  from research.occasion join research.enrolment using (enrolment_id)
  where occasion.local_date between :from_date and :to_date
    and enrolment.study = any (:studies) and enrolment.status <> 'excluded'
), today as (
  select study, count(*) filter (where is_today) as due, count(completed_at) filter (where is_today) as answered,
    count(*) filter (where is_today and completed_at > due_at) as late,
    count(*) filter (where is_today and is_open) as open, bool_or(is_closed) as has_closed
  from recent group by study
), record as (
  select study, completed_at as at from recent where completed_at is not null
  union all
  select enrolment.study, research.corrected_at(sheet.completed_at, sheet.skew_ms)
  from research.answer_sheet sheet join research.enrolment using (enrolment_id)
  where sheet.occasion_id is null and sheet.deleted_at is null
    and research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms)
      between :from_date and :to_date
    and enrolment.study = any (:studies) and enrolment.status <> 'excluded'
  union all
  select enrolment.study, research.corrected_at(walk.ended_at, walk.skew_ms)
  from research.walk join research.enrolment using (enrolment_id)
  where walk.deleted_at is null
    and research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms) between :from_date and :to_date
    and enrolment.study = any (:studies) and enrolment.status <> 'excluded'
), newest as (
  select study, max(at) as last_record_at from record group by study
)
select study, enrolled.enrolled, enrolled.active, coalesce(today.due, 0) as due, coalesce(today.answered, 0) as answered,
  coalesce(today.late, 0) as late, coalesce(today.open, 0) as open, newest.last_record_at,
  coalesce(today.has_closed, false) and newest.last_record_at is null as is_silent
from enrolled left join today using (study) left join newest using (study);

-- name: count_open_alerts(studies text[]) :many
-- The alerts that no coordinator has acknowledged.
select enrolment.study, count(*) as alerts
from research.alert join research.enrolment using (enrolment_id)
where alert.next_notice_at is not null and enrolment.study = any (:studies)
group by enrolment.study;

-- name: count_enrolments_by_day(study text, now timestamptz, days int4) :many
-- One row per arm, stratum and local date of enrolment. Excluded participants are left out. The day of the enrolment is
-- day 0, and `days` is the number of the last day.
select arm, allocation_stratum as stratum, enrolled_on, count(*) as enrolled,
  count(*) filter (where status = 'active') as active,
  count(*) filter (where status = 'active' and (:now at time zone zone)::date > enrolled_on + :days) as finished,
  count(*) filter (where status = 'stopped') as stopped
from research.enrolment
where study = :study and status <> 'excluded'
group by arm, allocation_stratum, enrolled_on
order by enrolled_on, arm, allocation_stratum;

-- name: list_troubles(study text, now timestamptz, codes text[], enrolment_ids uuid[]) :many
-- Participants with a problem that their team can act on. Null ids mean all participants. Only those who take part can
-- be unreachable or not have started; the records of those who stopped can still be missing.
with participant as (
  select enrolment_id, status from research.enrolment
  where study = :study and status <> 'excluded'
    and (:enrolment_ids::uuid[] is null or enrolment_id = any (:enrolment_ids))
), without_record as materialized (
  -- The occasions of these participants only are read.
  select enrolment_id from participant
  where 'never_started' = any (:codes) and status = 'active'
    and not exists (select from research.answer_sheet sheet where sheet.enrolment_id = participant.enrolment_id)
    and not exists (select from research.walk where walk.enrolment_id = participant.enrolment_id)
)
select enrolment_id, 'never_started' as code, min(occasion.close_at) as since
from without_record join research.occasion using (enrolment_id)
where occasion.set_aside is null and occasion.close_at <= :now
group by enrolment_id
union all
select enrolment_id, 'unreachable', min(unreachable_since)
from research.reminder_channel join participant using (enrolment_id)
where 'unreachable' = any (:codes) and unreachable_since is not null and status = 'active'
group by enrolment_id
union all
select enrolment_id, 'unsent', min(last_seen_at)
from research.device join participant using (enrolment_id)
where 'unsent' = any (:codes) and not isempty(received)
  and received <> int8multirange(int8range(1, upper(received)))
group by enrolment_id
union all
select enrolment_id, 'quarantined', min(received_at)
from research.quarantine join participant using (enrolment_id)
where 'quarantined' = any (:codes)
group by enrolment_id
order by enrolment_id, code;
