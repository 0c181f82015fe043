-- Statements that all tables of a dataset use: the included enrolments, the settings that replace parameters (COPY has
-- no parameters), and the instant of the snapshot.

-- name: dataset_begin(study text, arms text, arm_letters text, questionnaires text, from_date text, to_date text, definitions text, study_days text, phases text, schedule_phases text) :one
-- The settings apply to this transaction only. Lists are codes that are separated by commas.
select
  set_config('saunter.study', :study, true),
  set_config('saunter.arms', :arms, true),
  -- Code -> letter of each arm if readers are blinded; otherwise empty.
  set_config('saunter.arm_letters', :arm_letters, true),
  set_config('saunter.questionnaires', :questionnaires, true),
  set_config('saunter.from_date', :from_date, true),
  set_config('saunter.to_date', :to_date, true),
  set_config('saunter.definitions', :definitions, true),
  set_config('saunter.study_days', :study_days, true),
  set_config('saunter.phases', :phases, true),
  set_config('saunter.schedule_phases', :schedule_phases, true),
  set_config('saunter.strange_zones', '', true),
  set_config('saunter.as_of', 'infinity', true),
  set_config('datestyle', 'ISO, YMD', true),
  set_config('timezone', 'UTC', true),
  set_config('extra_float_digits', '1', true),
  set_config('jit', 'off', true),
  -- The memory for sorting sheets. Larger sorts use the disk of the database server.
  set_config('work_mem', '32MB', true),
  -- An export may take long, and its receiver may be slow.
  set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '0', true);

-- name: dataset_sparing() :one
-- For exports that run in the server process: no parallel workers, because requests need the database too.
select set_config('max_parallel_workers_per_gather', '0', true);

-- name: dataset_past_plans() :one
-- For the tables as they were at an earlier instant. The planner expects too few rows of them, and would read a whole
-- table for each row of another one.
select set_config('enable_nestloop', 'off', true);

-- name: dataset_set(name text, value text) :one
select set_config(:name, :value, true);

-- name: dataset_settings() :one
-- The settings whose values may be written into a command as literals. None of them is secret.
select
  current_setting('saunter.study') as study,
  current_setting('saunter.arms') as arms,
  current_setting('saunter.questionnaires') as questionnaires,
  current_setting('saunter.from_date') as from_date,
  current_setting('saunter.to_date') as to_date,
  current_setting('saunter.as_of') as as_of,
  current_setting('saunter.strange_zones') as strange_zones,
  current_setting('saunter.instrument') as instrument;

-- name: dataset_clock() :one
select now() as now;

-- name: dataset_versions(study text) :many
select published.version, published.digest, published.files::text as files,
  coalesce(published.version = study.live_version, false) as is_live
from research.study_version published
left join research.study using (study)
where published.study = :study
order by published.published_at, published.version;

-- name: dataset_editions(study text) :many
select edition, digest, files::text as files, published_at from research.content_edition where study = :study
order by edition;

-- name: dataset_shared_items(study text) :many
-- The ids of content items that several collections have, or had in an earlier edition.
select item from research.content_publication where study = :study
group by item having count(*) > 1;

-- name: dataset_has_broadcasts(study text) :one
select exists (select from research.broadcast where study = :study) as has_broadcasts;

-- name: dataset_included() :many
-- clock_zone is UTC if this server does not know the zone, so that one unknown zone does not stop an export.
select
  enrolment_id,
  participant_id,
  named.arm,
  enrolled_on,
  study_version,
  zone_at_start,
  zone,
  case when zone = any (string_to_array(current_setting('saunter.strange_zones'), ',')) then 'UTC' else zone end
    as clock_zone,
  current_setting('saunter.as_of')::timestamptz as as_of,
  current_setting('saunter.from_date')::date as from_date,
  current_setting('saunter.to_date')::date as to_date
from research.enrolment enrolment
cross join lateral (select case when current_setting('saunter.arm_letters') = '' then enrolment.arm
  else current_setting('saunter.arm_letters')::jsonb ->> enrolment.arm end as arm) as named
where study = current_setting('saunter.study')
  and status <> 'excluded'
  -- A case instead of an or: the planner would estimate that the or selects almost no rows.
  and case when current_setting('saunter.arms') = '' then true
    else named.arm = any (string_to_array(current_setting('saunter.arms'), ',')) end;

-- name: dataset_sheet_in_scope() :many
-- The current revision of every sheet in scope, including deleted sheets and duplicates. A sheet belongs to the local
-- date of its occasion, or to the local date of its completion if it has no occasion. At most one sheet of an occasion
-- counts: the sheet that fulfils it, or else the last completed one (which was too early or too late to fulfil it).
-- Its times are corrected: the time of the device plus its clock skew. If the filters have dates, the writer adds a
-- condition that the sheet is in slice.
select
  included.participant_id,
  included.arm,
  occasion.schedule,
  day.local_date - included.enrolled_on as study_day,
  extract(isodow from day.local_date)::integer as weekday,
  sheet.duplicate_of is null and sheet.deleted_at is null and (
    sheet.completes or sheet.occasion_id is null
    or not exists (
      select from research.answer_sheet other
      where other.enrolment_id = sheet.enrolment_id and other.occasion_id = sheet.occasion_id
        and other.current and other.completes and other.duplicate_of is null and other.deleted_at is null)
    and not exists (
      select from research.answer_sheet other
      where other.enrolment_id = sheet.enrolment_id and other.occasion_id = sheet.occasion_id
        and other.occasion_id is not null
        and not (other.current and other.completes and other.duplicate_of is null and other.deleted_at is null)
        and other.current and other.duplicate_of is null and other.deleted_at is null
        and (research.corrected_at(other.completed_at, other.skew_ms), other.sheet_id)
          > (research.corrected_at(sheet.completed_at, sheet.skew_ms), sheet.sheet_id))
  ) as counts,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.revision,
  sheet.occasion_id,
  sheet.questionnaire,
  sheet.version,
  sheet.study_version,
  sheet.consent_version,
  sheet.language,
  research.corrected_at(sheet.started_at, sheet.skew_ms) as started_at,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at,
  sheet.received_at,
  sheet.zone,
  sheet.started_offset_min,
  sheet.completed_offset_min,
  sheet.skew_ms,
  sheet.standing,
  sheet.late_s,
  sheet.flags,
  sheet.completes,
  sheet.duplicate_of,
  sheet.walk_id,
  sheet.refers_to,
  sheet.source,
  sheet.slots,
  sheet.numbers,
  sheet.repeated,
  sheet.presented,
  sheet.device,
  sheet.cleared,
  sheet.revised_at,
  sheet.revision_reason,
  sheet.deleted_at
from research.answer_sheet sheet
join included using (enrolment_id)
left join research.occasion occasion using (enrolment_id, occasion_id)
cross join lateral (
  select coalesce(
    occasion.local_date,
    research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms)) as local_date
) as day
where sheet.current
  and sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','));

-- name: dataset_slice() :many
-- The sheets of the dates in the filters. Each of the three parts uses a separate index, so that a few days of a long
-- study are found without reading the other days: sheets that fulfil their occasion, other sheets with an occasion, and
-- sheets without an occasion. The dates are the same as in sheet_in_scope.
select occasion.enrolment_id, sheet.sheet_id
from research.occasion occasion
join research.answer_sheet sheet using (enrolment_id, occasion_id)
where occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  and sheet.current and sheet.completes and sheet.duplicate_of is null and sheet.deleted_at is null
union all
select occasion.enrolment_id, sheet.sheet_id
from research.occasion occasion
join research.answer_sheet sheet using (enrolment_id, occasion_id)
where occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  and sheet.occasion_id is not null
  and not (sheet.current and sheet.completes and sheet.duplicate_of is null and sheet.deleted_at is null)
  and sheet.current
union all
select sheet.enrolment_id, sheet.sheet_id
from research.answer_sheet sheet
where sheet.occasion_id is null
  and research.local_date(sheet.completed_at, sheet.completed_offset_min, sheet.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  and sheet.current;

-- name: dataset_every_sheet() :many
-- All sheets with all revisions, for a dataset without dates.
select * from research.answer_sheet;

-- name: dataset_every_score() :many
select * from research.score;

-- name: dataset_sliced_sheet() :many
-- The same for a dataset with dates.
select sheet.* from slice join research.answer_sheet sheet using (enrolment_id, sheet_id);

-- name: dataset_sliced_score() :many
select score.* from slice join research.score score using (enrolment_id, sheet_id);

-- name: dataset_strange_zones() :many
-- Time zones in use that are not in the zone database of this server. Occasions outside the dates of the filters are
-- ignored.
with used as (
  select zone from research.enrolment where study = current_setting('saunter.study')
  union select zone_at_start from research.enrolment where study = current_setting('saunter.study')
  union select history.zone from research.enrolment_zone history join included using (enrolment_id)
  union select occasion.zone
  from research.occasion occasion
  join included using (enrolment_id)
  where occasion.local_date between (select current_setting('saunter.from_date')::date) and (select current_setting('saunter.to_date')::date)
)
select zone from used where zone not in (select name from pg_timezone_names) order by zone collate "C";

-- name: dataset_as_of(now timestamptz) :one
-- The last instant, not after now, at which something in the dataset changed: a row was stored, or an unanswered window
-- passed a boundary. (The due instant is inclusive, so the state changes a millisecond later.) Until the next change
-- every dataset has the same instant. If the filters have dates, only rows of these dates count. As soon as the last
-- date is over in all time zones, that instant counts too, because then all days have begun.
with moments (at) as (
  select published_at from research.study_version where study = current_setting('saunter.study')
  union all select published_at from research.content_edition where study = current_setting('saunter.study')
  union all select decision.decided_at from research.decision decision join included using (enrolment_id)
  union all select greatest(inbox.opened_at, inbox.acted_at, inbox.dismissed_at)
  from research.inbox_message inbox join included using (enrolment_id)
  union all select inbox.created_at
  from research.inbox_message inbox join included using (enrolment_id) where inbox.broadcast_id is not null
  union all select greatest(alert.raised_at, alert.acknowledged_at) from research.alert alert
    join included using (enrolment_id)
  union all select award.awarded_at from research.award award join included using (enrolment_id)
  union all select selected.selected_at from research.content_selection selected join included using (enrolment_id)
  union all select enrolment.consented_at from research.enrolment enrolment join included using (enrolment_id)
  union all select enrolment.enrolled_at from research.enrolment enrolment join included using (enrolment_id)
  union all select enrolment.ended_at from research.enrolment enrolment join included using (enrolment_id)
  union all select history.effective_from from research.enrolment_zone history join included using (enrolment_id)
  union all select consent.consented_at from research.enrolment_consent consent join included using (enrolment_id)
  union all select followed.followed_from from research.enrolment_version followed join included using (enrolment_id)
  union all select happened.recorded_at from research.enrolment_event happened join included using (enrolment_id)
  union all select greatest(pause.from_at, pause.to_at)
  from research.enrolment_pause pause join included using (enrolment_id)
  union all select greatest(permitted.granted_at, permitted.revoked_at, permitted.purged_at)
  from research.enrolment_data_kind permitted join included using (enrolment_id)
  union all select entitled.recorded_at from research.entitlement_period entitled join included using (enrolment_id)
  union all select device.last_seen_at from research.device device join included using (enrolment_id)
  union all select edit.received_at from research.amendment edit join included using (enrolment_id)
  union all select snooze.asked_at from research.reminder_snooze snooze join included using (enrolment_id)
  union all select conflict.received_at from research.quarantine conflict join included using (enrolment_id)
  union all select turn.at
  from research.occasion occasion
  join included using (enrolment_id)
  cross join lateral (
    values (occasion.planned_at), (occasion.open_at), (occasion.due_at + interval '1 millisecond'), (occasion.close_at)
  ) as turn (at)
  where occasion.sheet_id is null and occasion.set_aside is null
    and occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select greatest(sheet.received_at, sheet.revised_at, sheet.deleted_at)
  from stored_sheet sheet join included using (enrolment_id)
  union all select score.computed_at
  from stored_score score join included using (enrolment_id)
  union all select greatest(walk.received_at, walk.deleted_at)
  from research.walk walk join included using (enrolment_id)
  where research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select greatest(observation.received_at, observation.deleted_at)
  from research.observation observation join included using (enrolment_id)
  where research.local_date(observation.started_at, observation.started_offset_min, observation.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select event.received_at
  from research.usage_event event join included using (enrolment_id)
  where research.local_date(event.happened_at, event.offset_min, event.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select calibration.received_at
  from research.calibration calibration join included using (enrolment_id)
  union all select reminder.claimed_at
  from research.reminder reminder join included using (enrolment_id)
  where reminder.planned_at between current_setting('saunter.from_date')::date - 2 and current_setting('saunter.to_date')::date + 2
  union all select attempt.attempted_at
  from research.reminder reminder join included using (enrolment_id)
  join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
  where reminder.planned_at between current_setting('saunter.from_date')::date - 2 and current_setting('saunter.to_date')::date + 2
  union all select (current_setting('saunter.to_date')::date + 1) + interval '12 hours'
  where isfinite(current_setting('saunter.to_date')::date)
)
select coalesce(max(at) filter (where at <= :now), :now) as as_of from moments;

-- name: dataset_shapes() :many
-- All combinations of array lengths in which answers are stored, for comparison with the definitions.
select
  stored.questionnaire,
  stored.version,
  cardinality(stored.slots) as slots,
  cardinality(stored.numbers) as numbers,
  count(*) as sheets
from stored_sheet stored
where stored.enrolment_id in (select included.enrolment_id from included)
  and stored.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
group by 1, 2, 3, 4
order by 1, 2, 3, 4;

-- name: dataset_people() :one
-- Participants who are not included are counted, but never listed.
select
  (select count(*) from included) as enrolments,
  (select count(*) from research.enrolment
    where study = current_setting('saunter.study') and status = 'excluded') as excluded,
  (select count(*) from research.erasure where study = current_setting('saunter.study')) as erased,
  (select count(*) from research.walk walk join included using (enrolment_id)
    where walk.deleted_at is not null
      and research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms)
        between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date)
    as deleted_walks,
  (select count(*) from research.observation observation join included using (enrolment_id)
    where observation.deleted_at is not null
      and research.local_date(observation.started_at, observation.started_offset_min, observation.skew_ms)
        between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date)
    as deleted_observations,
  (select count(*) from stored_sheet sheet join included using (enrolment_id)
    where sheet.current and 'purged' = any (sheet.flags)
      and sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ',')))
    as purged_sheets;

-- name: dataset_state(study text, now timestamptz, from_date text, to_date text) :one
-- The state that determines a dataset, in addition to the definitions and the request: while it is equal, the dataset
-- is equal. Most data are covered by the number of their last change. Data without change numbers are covered by counts
-- of rows on the dates of the filters. Reading the changes after change_seq returns everything that is not in this
-- dataset, and possibly some changes that are. Dates and instants are the same as in dataset_as_of.
with enrolled as (
  select enrolment_id, status from research.enrolment where study = :study
), reminded as (
  select reminder.*
  from research.reminder reminder join enrolled using (enrolment_id)
  where reminder.planned_at between :from_date::date - 2 and :to_date::date + 2
)
select
  coalesce((select last_seq from research.change_counter where study = :study), 0) as change_seq,
  exists (select from research.change where study = :study and change_seq is null)
    or exists (select from research.erasure where study = :study and change_seq is null and enrolment_ref is not null) as is_waiting,
  (select coalesce(string_agg(version || ' ' || digest, ',' order by published_at, version collate "C"), '')
    from research.study_version where study = :study) as versions,
  (select count(*) filter (where occasion.open_at <= :now) + count(*) filter (where occasion.due_at < :now)
      + count(*) filter (where occasion.close_at <= :now)
    from research.occasion occasion join enrolled using (enrolment_id)
    where occasion.sheet_id is null and occasion.set_aside is null
      and occasion.local_date between :from_date::date and :to_date::date) as turns,
  (select count(*) from research.enrolment_zone history join enrolled using (enrolment_id) where history.effective_from <= :now)
    as zones,
  (select coalesce(string_agg(state || ' ' || reminders, ',' order by state collate "C"), '') from (
    select state, count(*) as reminders from reminded group by 1) as counted) as reminders,
  (select count(*) from research.reminder_attempt attempt join reminded using (enrolment_id, kind, subject, ordinal)) as attempts,
  (select concat_ws(' ', count(delivered_at), count(opened_at)) from reminded) as receipts,
  concat_ws(' ',
    (select count(*) from research.enrolment_consent join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), max(followed_from)) from research.enrolment_version join enrolled using (enrolment_id)),
    (select count(*) from research.enrolment_event join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), count(to_at)) from research.enrolment_pause join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), count(revoked_at), count(purged_at))
      from research.enrolment_data_kind join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), max(recorded_at)) from research.entitlement_period join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), max(last_seen_at)) from research.device join enrolled using (enrolment_id)),
    (select string_agg(counted.state || ' ' || counted.edits, ',' order by counted.state collate "C") from (
      select state, count(*) as edits from research.amendment join enrolled using (enrolment_id) group by 1) as counted),
    (select count(*) from research.reminder_snooze join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), max(selected_at)) from research.content_selection join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), max(decided_at)) from research.decision join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(*), count(acknowledged_at)) from research.alert join enrolled using (enrolment_id)),
    (select concat_ws(' ', count(broadcast_id), count(opened_at), count(acted_at), count(dismissed_at))
      from research.inbox_message
      join enrolled using (enrolment_id)),
    (select count(*) from research.award join enrolled using (enrolment_id)),
    (select count(*) from research.quarantine join enrolled using (enrolment_id))) as histories,
  isfinite(:to_date::date) and (:to_date::date + 1) + interval '12 hours' <= :now at time zone 'UTC' as is_past;

-- name: dataset_sizes() :one
-- Estimated numbers of rows, for the progress report. Counting the samples of all series would read all series, so the
-- samples per second of up to 100 walks are used for all walks.
select
  (select count(*) from included) as enrolments,
  (select coalesce(sum(greatest(0, 1 + least(
      coalesce((current_setting('saunter.study_days')::jsonb ->> included.study_version)::integer, 0),
      (included.as_of at time zone included.clock_zone)::date - included.enrolled_on))), 0)
    from included)::bigint as study_days,
  (select count(*) from research.occasion occasion join included using (enrolment_id)
    where occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date) as occasions,
  walked.walks,
  (walked.elapsed_s * coalesce(sampled.per_second, 0))::bigint as samples,
  observed.observations,
  observed.observation_samples,
  (select count(*) from research.calibration calibration join included using (enrolment_id)) as calibrations,
  (select count(*) from research.usage_event event join included using (enrolment_id)
    where research.local_date(event.happened_at, event.offset_min, event.skew_ms)
      between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date) as usage_events,
  (select count(*) from research.reminder reminder join included using (enrolment_id)
    where reminder.planned_at between current_setting('saunter.from_date')::date - 2 and current_setting('saunter.to_date')::date + 2)
    as reminders,
  (select count(*) from research.enrolment_consent join included using (enrolment_id)) as consents,
  (select count(*) from research.enrolment_version join included using (enrolment_id)) as followed_versions,
  (select count(*) from research.enrolment_zone join included using (enrolment_id)) as zones,
  (select count(*) from research.enrolment_pause join included using (enrolment_id)) as pauses,
  (select count(*) from research.enrolment_event join included using (enrolment_id)) as events,
  (select count(*) from research.arm_change join included using (enrolment_id)) as arm_changes,
  (select count(*) from research.device join included using (enrolment_id)) as devices,
  (select count(*) from research.amendment join included using (enrolment_id)) as edits,
  (select count(*) from research.quarantine join included using (enrolment_id)) as conflicts,
  (select count(*) from research.reminder_snooze join included using (enrolment_id)) as snoozes,
  -- The share of sheets with times per item, of up to 1,000 sheets.
  (select coalesce(avg((sheet.timings is not null)::integer), 0)::double precision from (
    select stored.timings from stored_sheet stored join included using (enrolment_id) limit 1000) as sheet) as timed_share
from (
  select count(*) as walks, coalesce(sum(walk.elapsed_s), 0) as elapsed_s
  from research.walk walk join included using (enrolment_id)
  where research.local_date(walk.started_at, walk.started_offset_min, walk.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
) as walked
cross join (
  select sum(cardinality(walk.t_ms)) / nullif(sum(walk.elapsed_s), 0) as per_second
  from (select t_ms, elapsed_s from research.walk join included using (enrolment_id) limit 100) as walk
) as sampled
cross join (
  select count(*) as observations,
    coalesce(sum((select sum(measured) from unnest(observation.counts) as measured)), 0)::bigint as observation_samples
  from research.observation observation join included using (enrolment_id)
  where research.local_date(observation.started_at, observation.started_offset_min, observation.skew_ms)
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
) as observed;

-- name: record_export(study text, detail jsonb) :exec
-- For exports at the command line. The server writes its own audit entry.
insert into audit.entry (recorded_at, actor_kind, action, study, detail) values (now(), 'system', 'export_made', :study, :detail);
