-- name: take_allocation_position(study text, stratum text) :one
insert into research.allocation_counter (study, stratum, next_position) values (:study, :stratum, 1)
on conflict (study, stratum) do update set next_position = allocation_counter.next_position + 1
returning next_position - 1 as position;

-- name: insert_enrolment(enrolment_id uuid, study text, study_version text, participant_id text, arm text, stratum text, position int4, method text, consent_version text, now timestamptz, enrolled_on date, zone text, language text, next_reminder_at timestamptz, planned_through date, allocation_factors jsonb, allocation_basis jsonb, allocation_seed text, reminder_channels text[], email_verified bool, account_kind text) :exec
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position,
   allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language,
   next_reminder_at, planned_through, allocation_factors, allocation_basis, allocation_seed, reminder_channels,
   email_verified, account_kind)
values (:enrolment_id, :study, :study_version, :participant_id, :arm, :stratum, :position, :method, :consent_version,
  :now, :now, :enrolled_on, :zone, :zone, :language, :next_reminder_at, :planned_through, :allocation_factors,
  :allocation_basis, :allocation_seed, :reminder_channels, :email_verified, :account_kind);

-- name: insert_enrolment_zone(enrolment_id uuid, effective_from timestamptz, zone text, source text) :exec
insert into research.enrolment_zone (enrolment_id, effective_from, zone, source)
  values (:enrolment_id, :effective_from, :zone, :source)
on conflict (enrolment_id, effective_from) do update set zone = excluded.zone, source = excluded.source;

-- name: find_enrolment(enrolment_id uuid) :many
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = :enrolment_id;

-- name: find_enrolments(enrolment_ids uuid[]) :many
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through, live_version
from research.enrolment join research.study using (study) where enrolment_id = any (:enrolment_ids);

-- name: has_active_participants(study text) :one
select exists (select from research.enrolment where study = :study and status = 'active') as has_active;

-- name: lock_enrolment(enrolment_id uuid) :many
-- Locked before replanning, so that two replans of one participant run one after the other.
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = :enrolment_id
for no key update;

-- name: keep_enrolments(enrolment_ids uuid[]) :exec
-- Blocks only their erasure. In key order, to avoid deadlocks.
select from research.enrolment where enrolment_id = any (:enrolment_ids) order by enrolment_id for key share;

-- name: lock_enrolments(enrolment_ids uuid[]) :many
-- Like lock_enrolment, for many enrolments. In key order, to avoid deadlocks between batches.
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = any (:enrolment_ids)
order by enrolment_id
for no key update;

-- name: lock_enrolment_alone(enrolment_id uuid) :many
-- For an erasure: no row can start to reference the enrolment.
select enrolment_id from research.enrolment where enrolment_id = :enrolment_id for update;

-- name: list_enrolment_zones(enrolment_ids uuid[]) :many
select enrolment_id, effective_from, zone from research.enrolment_zone where enrolment_id = any (:enrolment_ids)
order by enrolment_id, effective_from;

-- name: list_enrolment_pauses(enrolment_ids uuid[]) :many
select enrolment_id, from_at, to_at from research.enrolment_pause where enrolment_id = any (:enrolment_ids)
order by enrolment_id, from_at;

-- name: open_enrolment_pause(enrolment_id uuid, from_at timestamptz) :exec
insert into research.enrolment_pause (enrolment_id, from_at)
select :enrolment_id, :from_at
where not exists (select from research.enrolment_pause where enrolment_id = :enrolment_id and to_at is null)
on conflict (enrolment_id, from_at) do update set to_at = null;

-- name: close_enrolment_pause(enrolment_id uuid, to_at timestamptz) :exec
update research.enrolment_pause set to_at = greatest(:to_at, from_at)
  where enrolment_id = :enrolment_id and to_at is null;

-- name: update_enrolment_settings(enrolment_id uuid, zone text, language text, reminder_at int4, reminders_on bool, next_reminder_at timestamptz, reminder_channels text[]) :exec
update research.enrolment
set zone = :zone, language = :language, reminder_at = :reminder_at, reminders_on = :reminders_on,
  next_reminder_at = :next_reminder_at, reminder_channels = :reminder_channels
where enrolment_id = :enrolment_id;

-- name: list_enrolment_events(enrolment_ids uuid[]) :many
-- The current state: the last revision of each event.
select distinct on (enrolment_id, event) enrolment_id, event, occurred_at, recorded_at
from research.enrolment_event where enrolment_id = any (:enrolment_ids)
order by enrolment_id, event, revision desc;

-- name: insert_enrolment_event(enrolment_id uuid, event text, occurred_at timestamptz, now timestamptz) :exec
insert into research.enrolment_event (enrolment_id, event, revision, occurred_at, recorded_at)
select :enrolment_id, :event, coalesce(max(revision), 0) + 1, :occurred_at, :now
from research.enrolment_event where enrolment_id = :enrolment_id and event = :event;

-- name: update_plan_reach(enrolment_id uuid, planned_through date, next_reminder_at timestamptz) :exec
update research.enrolment set planned_through = :planned_through, next_reminder_at = :next_reminder_at
where enrolment_id = :enrolment_id and (planned_through <> :planned_through or next_reminder_at is distinct
  from :next_reminder_at);

-- name: end_enrolment(enrolment_id uuid, status text, now timestamptz, reason text) :exec
update research.enrolment
set status = :status, ended_at = coalesce(ended_at, :now), end_reason = :reason, next_reminder_at = null
where enrolment_id = :enrolment_id;

-- name: list_unplanned_enrolments(through date, after_date date, after_id uuid, limit_rows int4) :many
select enrolment_id, planned_through from research.enrolment
where status = 'active' and planned_through < :through and (planned_through, enrolment_id) > (:after_date, :after_id)
order by planned_through, enrolment_id
limit :limit_rows;

-- name: delete_enrolment(enrolment_id uuid) :exec
-- Deletes the other rows of the participant by cascade, except the records.
delete from research.enrolment where enrolment_id = :enrolment_id;

-- name: delete_records_of_enrolment(enrolment_id uuid) :exec
-- The tables that devices fill. They have no foreign keys, whose checks would cost time with every record.
with sheet as (
  delete from research.answer_sheet where enrolment_id = :enrolment_id
), text as (
  delete from research.answer_text where enrolment_id = :enrolment_id
), walk as (
  delete from research.walk where enrolment_id = :enrolment_id
), calibration as (
  delete from research.calibration where enrolment_id = :enrolment_id
), observation as (
  delete from research.observation where enrolment_id = :enrolment_id
), usage_event as (
  delete from research.usage_event where enrolment_id = :enrolment_id
), amendment as (
  delete from research.amendment where enrolment_id = :enrolment_id
)
delete from research.change where enrolment_id = :enrolment_id;

-- name: insert_erasure(erasure_id uuid, study text, erased_on date, enrolment_id uuid) :exec
-- Keeps only a digest of the enrolment's id, by which readers of the change feed know it.
insert into research.erasure (erasure_id, study, erased_on, enrolment_ref)
  values (:erasure_id, :study, :erased_on, research.enrolment_ref(:enrolment_id));

-- name: list_fitting_participants(study text, pseudonym text, arm text, statuses text[], finished_after int4, enrolled_from date, enrolled_to date, enrolment_ids uuid[], now timestamptz, sort text, arms text[], last_day int4, ranked_ids uuid[], ranks int8[], backwards bool, after_value int8, after text, limit_rows int4) :many
-- Participants that fit all filters, with the data for monitoring. Excluded participants are left out, as in datasets. A
-- filter that is null does not apply. They are sorted by a number, then by pseudonym; those without the number are last in
-- both directions. The number is computed once for each fitting participant, so only the data that this order needs are
-- read. Adherence reads the indexes `occasion_answered` and `occasion_unanswered`, and no occasion itself.
-- `arms` has the codes of arms in their order. `ranks` has the numbers of the participants `ranked_ids`: of their problems,
-- or, for the order by state, any number for those who never started.
with fitting as materialized (
  select enrolment_id, participant_id, coalesce(
    case :sort
      when 'participant_id' then 0
      when 'arm' then array_position(:arms::text[], arm)
      when 'state' then case
        when status <> 'active' then 3
        when (:now at time zone zone)::date > enrolled_on + :last_day::int4 then 2
        when ranked.number is not null then 0
        else 1 end
      when 'study_day' then (coalesce(ended_at, :now) at time zone zone)::date - enrolled_on
      when 'enrolled_at' then (extract(epoch from enrolled_at) * 1000)::int8
      when 'last_sheet_at' then (select (extract(epoch from max(received_at)) * 1000)::int8
        from research.answer_sheet sheet where sheet.enrolment_id = enrolment.enrolment_id)
      -- Tenths of a percent, ties to even, as `Adherence` rounds them. The quotient of a tie is exact.
      when 'adherence' then (select round(1000 * answered::float8 / nullif(answered + missed, 0))::int8
        from (select
          (select count(*) from research.occasion
            where occasion.enrolment_id = enrolment.enrolment_id and completed_at is not null) as answered,
          (select count(*) from research.occasion
            where occasion.enrolment_id = enrolment.enrolment_id and completed_at is null and set_aside is null
              and close_at <= :now) as missed offset 0) as settled)
      when 'unsent' then (select sum(upper(hole) - lower(hole))::int8
        from research.device
        cross join lateral unnest(case when isempty(received) then '{}'::int8multirange
          else int8multirange(int8range(1, upper(received))) - received end) as hole
        where device.enrolment_id = enrolment.enrolment_id)
      when 'trouble' then ranked.number
    end * case when :backwards then -1 else 1 end, 9223372036854775807) as sort_value
  from research.enrolment
  left join unnest(:ranked_ids::uuid[], :ranks::int8[]) as ranked (enrolment_id, number) using (enrolment_id)
  where study = :study and status <> 'excluded'
    -- With `case` instead of `or`, the plan for any parameters expects many participants.
    and case when :pseudonym::text is null then true else starts_with(upper(participant_id), upper(:pseudonym)) end
    and case when :arm::text is null then true else arm = :arm end
    and case when :statuses::text[] is null then true else status = any (:statuses) end
    and case when :finished_after::int4 is null then true
      else (:now at time zone zone)::date > enrolled_on + :finished_after end
    and case when :enrolled_from::date is null then true else enrolled_on >= :enrolled_from end
    and case when :enrolled_to::date is null then true else enrolled_on <= :enrolled_to end
    and case when :enrolment_ids::uuid[] is null then true else enrolment_id = any (:enrolment_ids) end
), page as (
  select enrolment_id, sort_value from fitting
  where :after_value::int8 is null or sort_value > :after_value
    or sort_value = :after_value and case when :backwards and :sort = 'participant_id'
      then participant_id < :after else participant_id > :after end
  order by sort_value, case when :backwards and :sort = 'participant_id' then participant_id end desc, participant_id
  limit :limit_rows
)
select enrolment.participant_id, enrolment.enrolment_id, enrolment.arm, enrolment.status, enrolment.enrolled_at,
  enrolment.enrolled_on, enrolment.ended_at, enrolment.zone, enrolment.language, enrolment.allocation_stratum, page.sort_value,
  (select max(received_at) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id) as last_sheet_at,
  (select count(*) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id and sheet.current and sheet.deleted_at is null) as sheets,
  (select count(*) from research.walk
    where walk.enrolment_id = enrolment.enrolment_id and walk.deleted_at is null) as walks
from page join research.enrolment using (enrolment_id)
order by page.sort_value, case when :backwards and :sort = 'participant_id' then enrolment.participant_id end desc,
  enrolment.participant_id;
