-- name: count_studies(studies text[], now timestamptz, from_date date, to_date date) :many
-- The numbers of studies for their teams. Excluded participants are left out, as in the list of participants. Today is
-- the local date of each participant, so it is one of the dates. Only the occasions, sheets and walks of these dates
-- are read, by the indexes of their local dates.
with counted as materialized (
  select study, zone, count(*) as enrolled, count(*) filter (where status = 'active') as active
  from research.enrolment
  where study = any (:studies) and status <> 'excluded'
  group by study, zone
), enrolled as (
  select study, sum(enrolled)::int8 as enrolled, sum(active)::int8 as active from counted group by study
), zone_date as materialized (
  -- Each time zone is looked up once, and not for each occasion.
  select zone, (:now at time zone zone)::date as today from counted group by zone
), occasions as (
  select study, count(*) filter (where is_today and (set_aside is null or completed_at is not null)) as due,
    count(completed_at) filter (where is_today) as answered,
    count(*) filter (where is_today and completed_at > due_at) as late,
    count(*) filter (where is_today and set_aside is null and completed_at is null and open_at <= :now
      and close_at > :now) as open,
    max(completed_at) as last_at
  from (
    select participant.study, occasion.set_aside, occasion.completed_at, occasion.open_at, occasion.due_at,
      occasion.close_at, occasion.local_date = participant.today as is_today
    from research.occasion
    join (
      -- With `offset 0`, the dates are joined to the participants, and not to their occasions.
      select enrolment_id, study, today from research.enrolment join zone_date using (zone)
      where study = any (:studies) and status <> 'excluded' offset 0
    ) as participant using (enrolment_id)
    where occasion.local_date between :from_date and :to_date
      and (occasion.completed_at is not null or occasion.local_date = any (array(select today from zone_date)))
  ) as planned
  group by study
), sheets as (
  select enrolment.study, max(research.corrected_at(sheet.completed_at, sheet.skew_ms)) as last_at
  from research.answer_sheet sheet join research.enrolment using (enrolment_id)
  where sheet.occasion_id is null and sheet.deleted_at is null
    and research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms)
      between :from_date and :to_date
    and enrolment.study = any (:studies) and enrolment.status <> 'excluded'
  group by enrolment.study
), walks as (
  select enrolment.study, max(research.corrected_at(walk.ended_at, walk.skew_ms)) as last_at
  from research.walk join research.enrolment using (enrolment_id)
  where walk.deleted_at is null
    and research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms) between :from_date and :to_date
    and enrolment.study = any (:studies) and enrolment.status <> 'excluded'
  group by enrolment.study
), numbers as materialized (
  select study, enrolled.enrolled, enrolled.active, coalesce(occasions.due, 0) as due,
    coalesce(occasions.answered, 0) as answered, coalesce(occasions.late, 0) as late, coalesce(occasions.open, 0) as open,
    greatest(occasions.last_at, sheets.last_at, walks.last_at) as last_record_at
  from enrolled left join occasions using (study) left join sheets using (study) left join walks using (study)
), silent as (
  -- Studies without a record whose occasions have closed. Nothing is read if all studies have a record.
  select distinct enrolment.study
  from research.occasion join research.enrolment using (enrolment_id)
  where exists (select from numbers where last_record_at is null)
    and enrolment.study = any (array(select study from numbers where last_record_at is null))
    and enrolment.status <> 'excluded' and occasion.local_date between :from_date and :to_date
    and occasion.set_aside is null and occasion.close_at <= :now
)
select study, numbers.enrolled, numbers.active, numbers.due, numbers.answered, numbers.late, numbers.open,
  numbers.last_record_at, silent.study is not null as is_silent
from numbers left join silent using (study);

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
with participant as materialized (
  select enrolment_id, status from research.enrolment
  where study = :study and status <> 'excluded'
    -- With `case` instead of `or`, the plan for any parameters expects many participants.
    and case when :enrolment_ids::uuid[] is null then true else enrolment_id = any (:enrolment_ids) end
), without_walk as materialized (
  -- First, because there are fewer walks than sheets, so the search in their index is cheaper.
  select enrolment_id from participant
  where 'never_started' = any (:codes) and status = 'active'
    and not exists (select from research.walk where walk.enrolment_id = participant.enrolment_id)
), without_record as materialized (
  select enrolment_id from without_walk
  where not exists (select from research.answer_sheet sheet where sheet.enrolment_id = without_walk.enrolment_id)
)
select enrolment_id, 'never_started' as code, first.since
from without_record
cross join lateral (
  select min(occasion.close_at) as since from research.occasion
  -- Without a sheet, no occasion is completed. The condition is that of the index `occasion_unanswered`.
  where occasion.enrolment_id = without_record.enrolment_id and occasion.completed_at is null
    and occasion.set_aside is null and occasion.close_at <= :now
) as first
where first.since is not null
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
