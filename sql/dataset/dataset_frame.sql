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
  -- A dataset takes as long as it takes, and its sink may be slow.
  set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '0', true);

-- name: dataset_set(name text, value text) :one
select set_config($1, $2, true);

-- name: dataset_clock() :one
select now() as now;

-- name: dataset_versions(study text) :many
select version, digest, files::text as files
from research.study_version
where study = $1
order by published_at, version;

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
  and (current_setting('saunter.arms') = '' or arm = any (string_to_array(current_setting('saunter.arms'), ',')));

-- name: dataset_sheet_in_scope() :many
-- The current revision of every sheet in scope, deleted ones and duplicates included. A sheet belongs to the local date of its occasion, else to
-- the one on which it was completed.
select
  included.participant_id,
  included.arm,
  occasion.schedule,
  day.local_date - included.enrolled_on as study_day,
  sheet.duplicate_of is null and sheet.deleted_at is null as counts,
  sheet.*
from research.answer_sheet sheet
join included using (enrolment_id)
left join research.occasion occasion using (enrolment_id, occasion_id)
cross join lateral (
  select coalesce(
    occasion.local_date,
    (sheet.completed_at at time zone 'UTC' + make_interval(mins => sheet.completed_offset_min))::date) as local_date
) as day
where sheet.current
  and sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
  and day.local_date between included.from_date and included.to_date;

-- name: dataset_strange_zones() :many
-- Zones in use that this server's zone database lacks.
with used as (
  select zone from research.enrolment where study = current_setting('saunter.study')
  union select zone_at_start from research.enrolment where study = current_setting('saunter.study')
  union select history.zone from research.enrolment_zone history join included using (enrolment_id)
  union select occasion.zone from research.occasion occasion join included using (enrolment_id)
)
select zone from used where zone not in (select name from pg_timezone_names) order by zone collate "C";

-- name: dataset_as_of(now timestamptz) :one
-- The last moment, not after now, at which anything in the dataset changed: a row came, or an unanswered window passed a boundary (due is
-- inclusive, so the state turns a millisecond later). Until the next change every dataset is told as of the same moment.
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
  union all select greatest(sheet.received_at, sheet.revised_at, sheet.deleted_at)
  from research.answer_sheet sheet join included using (enrolment_id)
  union all select score.computed_at from research.score score join included using (enrolment_id)
  union all select greatest(walk.received_at, walk.deleted_at)
  from research.walk walk join included using (enrolment_id)
  union all select greatest(observation.received_at, observation.deleted_at)
  from research.observation observation join included using (enrolment_id)
  union all select calibration.received_at
  from research.calibration calibration join included using (enrolment_id)
  union all select reminder.claimed_at from research.reminder reminder join included using (enrolment_id)
  union all select attempt.attempted_at
  from research.reminder_attempt attempt join included using (enrolment_id)
)
select coalesce(max(at) filter (where at <= $1), $1) as as_of from moments;

-- name: dataset_shapes() :many
-- Every form in which answers are stored, to be compared with what the definitions say.
select
  sheet.questionnaire,
  sheet.version,
  cardinality(sheet.slots) as slots,
  cardinality(sheet.numbers) as numbers,
  count(*) as sheets
from research.answer_sheet sheet
join included using (enrolment_id)
where sheet.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
group by 1, 2, 3, 4
order by 1, 2, 3, 4;

-- name: dataset_people() :one
-- Those who are left out are counted, never listed.
select
  (select count(*) from included) as enrolments,
  (select count(*) from research.enrolment
    where study = current_setting('saunter.study') and status = 'excluded') as excluded,
  (select count(*) from research.erasure where study = current_setting('saunter.study')) as erased,
  (select count(*) from research.walk walk join included using (enrolment_id) where walk.deleted_at is not null)
    as deleted_walks;

-- name: record_export(study text, detail jsonb) :exec
-- For datasets that are made at the command line; the server writes its own line.
insert into audit.entry (recorded_at, actor_kind, action, study, detail) values (now(), 'system', 'export_made', $1, $2);
