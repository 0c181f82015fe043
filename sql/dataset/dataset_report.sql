-- Statements for a report, in addition to those of a dataset, with the same settings.

-- name: report_sheets() :many
-- The stored sheets of one instrument that count, in order of participant and completion.
select
  sheet.participant_id,
  sheet.enrolment_id,
  sheet.arm,
  sheet.sheet_id,
  sheet.version,
  sheet.study_day,
  sheet.started_at,
  sheet.completed_at,
  sheet.slots,
  sheet.numbers
from sheet_in_scope sheet
where sheet.counts and sheet.questionnaire = current_setting('saunter.instrument')
order by sheet.participant_id, sheet.completed_at, sheet.sheet_id;

-- name: report_flow() :many
-- The participants of each arm, including excluded participants. No sheets of these are in a report.
select
  arm,
  count(*)::integer as allocated,
  (count(*) filter (where status = 'stopped'))::integer as stopped,
  (count(*) filter (where status = 'excluded'))::integer as excluded
from research.enrolment
where study = current_setting('saunter.study')
  and (current_setting('saunter.arms') = '' or arm = any (string_to_array(current_setting('saunter.arms'), ',')))
group by arm;

-- name: report_erased() :one
select count(*)::integer as erased from research.erasure where study = current_setting('saunter.study');

-- name: report_adherence() :many
-- A participant with several enrolments counts once per day.
select daily.participant_id, daily.study_day, sum(daily.due)::integer as due, sum(daily.done)::integer as done,
  sum(daily.late)::integer as late
from adherence_daily daily
group by 1, 2
order by 1, 2;

-- name: report_walks() :many
select walk.participant_id, walk.study_day, walk.mean_speed_kmh, walk.target_speed_kmh, walk.mean_hr_bpm, walk.active_s
from walk_in_scope walk
order by walk.participant_id, walk.started_at, walk.walk_id;

-- name: record_report(study text, detail jsonb) :exec
-- For reports at the command line.
insert into audit.entry (recorded_at, actor_kind, action, study, detail) values (now(), 'system', 'report_made', :study, :detail);
