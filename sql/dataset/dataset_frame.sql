-- What every file of a dataset stands in: who is included, the settings that take the place of parameters (COPY has none), and the moment
-- that everything is told as of.

-- name: dataset_begin(study text, arms text, questionnaires text, from_date text, to_date text, definitions text, study_days text) :one
-- For this transaction only. The lists are codes with commas between.
select
  set_config('saunter.study', $1, true),
  set_config('saunter.arms', $2, true),
  set_config('saunter.questionnaires', $3, true),
  set_config('saunter.from_date', $4, true),
  set_config('saunter.to_date', $5, true),
  set_config('saunter.definitions', $6, true),
  set_config('saunter.study_days', $7, true),
  set_config('saunter.strange_zones', '', true),
  set_config('saunter.as_of', 'infinity', true),
  set_config('datestyle', 'ISO, YMD', true),
  set_config('timezone', 'UTC', true),
  set_config('extra_float_digits', '1', true),
  set_config('jit', 'off', true),
  -- Sheets are sorted; more than this goes to the server's disk.
  set_config('work_mem', '32MB', true),
  -- A dataset takes as long as it takes, and its sink may be slow.
  set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '0', true);

-- name: dataset_sparing() :one
-- For datasets that are made beside a server's work.
select set_config('max_parallel_workers_per_gather', '0', true);

-- name: dataset_set(name text, value text) :one
select set_config($1, $2, true);

-- name: dataset_settings() :one
-- Those that a command may hold in their place: none of them is secret.
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
where published.study = $1
order by published.published_at, published.version;

-- name: dataset_included() :many
-- clock_zone stands in for a zone that this server does not know, so that one odd zone cannot stop a dataset.
select
  enrolment_id,
  participant_id,
  arm,
  enrolled_on,
  study_version,
  zone_at_start,
  zone,
  case when zone = any (string_to_array(current_setting('saunter.strange_zones'), ',')) then 'UTC' else zone end
    as clock_zone,
  current_setting('saunter.as_of')::timestamptz as as_of,
  current_setting('saunter.from_date')::date as from_date,
  current_setting('saunter.to_date')::date as to_date
from research.enrolment
where study = current_setting('saunter.study')
  and status <> 'excluded'
  -- A case, for the planner takes an `or` of these to leave hardly anybody.
  and case when current_setting('saunter.arms') = '' then true
    else arm = any (string_to_array(current_setting('saunter.arms'), ',')) end;

-- name: dataset_sheet_in_scope() :many
-- The current revision of every sheet in scope, deleted ones and duplicates included. A sheet belongs to the local date of its occasion, else to
-- the one on which it was completed. Its times are those of the corrected clock: what the device said, and by how much its clock was off. Where dates
-- are asked for, the writer adds that it must be in `slice`.
select
  included.participant_id,
  included.arm,
  occasion.schedule,
  day.local_date - included.enrolled_on as study_day,
  sheet.duplicate_of is null and sheet.deleted_at is null as counts,
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.revision,
  sheet.occasion_id,
  sheet.questionnaire,
  sheet.version,
  sheet.study_version,
  sheet.consent_version,
  sheet.language,
  sheet.started_at + sheet.skew_ms * interval '1 millisecond' as started_at,
  sheet.completed_at + sheet.skew_ms * interval '1 millisecond' as completed_at,
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
  sheet.slots,
  sheet.numbers,
  sheet.repeated,
  sheet.presented,
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
    (sheet.completed_at at time zone 'UTC'
      + make_interval(mins => sheet.completed_offset_min, secs => sheet.skew_ms / 1000.0))::date) as local_date
) as day
where sheet.current
  and sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','));

-- name: dataset_slice() :many
-- The sheets of the dates that were asked for, each way by an index of its own, so that a few days of a long study are found without looking at
-- the others: those that settle their occasion, the others of an occasion, and those without. The same dates as in `sheet_in_scope`.
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
  and (sheet.completed_at at time zone 'UTC'
    + make_interval(mins => sheet.completed_offset_min, secs => sheet.skew_ms / 1000.0))::date
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  and sheet.current;

-- name: dataset_every_sheet() :many
-- Every revision of what a dataset without dates may tell of.
select * from research.answer_sheet;

-- name: dataset_every_score() :many
select * from research.score;

-- name: dataset_sliced_sheet() :many
-- The same where dates are asked for.
select sheet.* from slice join research.answer_sheet sheet using (enrolment_id, sheet_id);

-- name: dataset_sliced_score() :many
select score.* from slice join research.score score using (enrolment_id, sheet_id);

-- name: dataset_strange_zones() :many
-- Zones in use that this server's zone database lacks. An occasion of other dates than were asked for is not told of.
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
-- The last moment, not after now, at which anything in the dataset changed: a row came, or an unanswered window passed a boundary (due is
-- inclusive, so the state turns a millisecond later). Until the next change every dataset is told as of the same moment. Where dates are asked for,
-- what belongs to a date counts on these alone; and once their last is over everywhere, that moment counts too, for then all their days have begun.
with moments (at) as (
  select published_at from research.study_version where study = current_setting('saunter.study')
  union all select enrolment.consented_at from research.enrolment enrolment join included using (enrolment_id)
  union all select enrolment.enrolled_at from research.enrolment enrolment join included using (enrolment_id)
  union all select enrolment.ended_at from research.enrolment enrolment join included using (enrolment_id)
  union all select history.effective_from from research.enrolment_zone history join included using (enrolment_id)
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
  where (walk.started_at at time zone 'UTC' + make_interval(mins => walk.started_offset_min, secs => walk.skew_ms / 1000.0))::date
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select greatest(observation.received_at, observation.deleted_at)
  from research.observation observation join included using (enrolment_id)
  where (observation.started_at at time zone 'UTC' + make_interval(mins => observation.started_offset_min, secs => observation.skew_ms / 1000.0))::date
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
  union all select event.received_at
  from research.usage_event event join included using (enrolment_id)
  where (event.happened_at at time zone 'UTC' + make_interval(mins => event.offset_min, secs => event.skew_ms / 1000.0))::date
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
select coalesce(max(at) filter (where at <= $1), $1) as as_of from moments;

-- name: dataset_shapes() :many
-- Every form in which answers are stored, to be compared with what the definitions say.
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
-- Those who are left out are counted, never listed.
select
  (select count(*) from included) as enrolments,
  (select count(*) from research.enrolment
    where study = current_setting('saunter.study') and status = 'excluded') as excluded,
  (select count(*) from research.erasure where study = current_setting('saunter.study')) as erased,
  (select count(*) from research.walk walk join included using (enrolment_id)
    where walk.deleted_at is not null
      and (walk.started_at at time zone 'UTC'
        + make_interval(mins => walk.started_offset_min, secs => walk.skew_ms / 1000.0))::date
        between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date)
    as deleted_walks,
  (select count(*) from research.observation observation join included using (enrolment_id)
    where observation.deleted_at is not null
      and (observation.started_at at time zone 'UTC'
        + make_interval(mins => observation.started_offset_min, secs => observation.skew_ms / 1000.0))::date
        between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date)
    as deleted_observations;

-- name: dataset_state(study text, now timestamptz, from_date text, to_date text) :one
-- What a dataset follows from beside the definitions and what was asked for: while all of this is as it was, so is the dataset. Things are told by
-- the number of their last change; what the numbers leave out, by how much of it there is, on the dates that were asked for. change_seq: whoever
-- reads the changes after it has what came after this dataset, and perhaps some of it again. The same dates and moments as in `as_of`.
with enrolled as (
  select enrolment_id, status from research.enrolment where study = $1
), reminded as (
  select reminder.*
  from research.reminder reminder join enrolled using (enrolment_id)
  where reminder.planned_at between $3::date - 2 and $4::date + 2
)
select
  coalesce((select last_seq from research.change_counter where study = $1), 0) as change_seq,
  exists (select from research.change where study = $1 and change_seq is null)
    or exists (select from research.erasure where study = $1 and change_seq is null and enrolment_ref is not null) as is_waiting,
  (select coalesce(string_agg(version || ' ' || digest, ',' order by published_at, version collate "C"), '')
    from research.study_version where study = $1) as versions,
  (select count(*) filter (where occasion.open_at <= $2) + count(*) filter (where occasion.due_at < $2)
      + count(*) filter (where occasion.close_at <= $2)
    from research.occasion occasion join enrolled using (enrolment_id)
    where occasion.sheet_id is null and occasion.set_aside is null
      and occasion.local_date between $3::date and $4::date) as turns,
  (select count(*) from research.enrolment_zone history join enrolled using (enrolment_id) where history.effective_from <= $2)
    as zones,
  (select coalesce(string_agg(state || ' ' || reminders, ',' order by state collate "C"), '') from (
    select state, count(*) as reminders from reminded group by 1) as counted) as reminders,
  (select count(*) from research.reminder_attempt attempt join reminded using (enrolment_id, kind, subject, ordinal)) as attempts,
  isfinite($4::date) and ($4::date + 1) + interval '12 hours' <= $2 at time zone 'UTC' as is_past;

-- name: dataset_sizes() :one
-- About how much there is, so that it can be told how far a dataset has come. A series has about one sample a second.
select
  (select count(*) from included) as enrolments,
  (select count(*) from research.occasion occasion join included using (enrolment_id)
    where occasion.local_date between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date) as occasions,
  walked.walks,
  walked.samples,
  observed.observations,
  observed.observation_samples,
  (select count(*) from research.calibration calibration join included using (enrolment_id)) as calibrations,
  (select count(*) from research.usage_event event join included using (enrolment_id)
    where (event.happened_at at time zone 'UTC'
      + make_interval(mins => event.offset_min, secs => event.skew_ms / 1000.0))::date
      between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date) as usage_events,
  (select count(*) from research.reminder reminder join included using (enrolment_id)
    where reminder.planned_at between current_setting('saunter.from_date')::date - 2 and current_setting('saunter.to_date')::date + 2)
    as reminders
from (
  select count(*) as walks, coalesce(sum(walk.elapsed_s), 0)::bigint as samples
  from research.walk walk join included using (enrolment_id)
  where (walk.started_at at time zone 'UTC'
    + make_interval(mins => walk.started_offset_min, secs => walk.skew_ms / 1000.0))::date
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
) as walked
cross join (
  select count(*) as observations,
    coalesce(sum((select sum(measured) from unnest(observation.counts) as measured)), 0)::bigint as observation_samples
  from research.observation observation join included using (enrolment_id)
  where (observation.started_at at time zone 'UTC'
    + make_interval(mins => observation.started_offset_min, secs => observation.skew_ms / 1000.0))::date
    between current_setting('saunter.from_date')::date and current_setting('saunter.to_date')::date
) as observed;

-- name: record_export(study text, detail jsonb) :exec
-- For datasets that are made at the command line; the server writes its own line.
insert into audit.entry (recorded_at, actor_kind, action, study, detail) values (now(), 'system', 'export_made', $1, $2);
