-- name: keep_plans() :many
select set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: list_occasions(enrolment_ids uuid[]) :many
select enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
  local_date, zone,
  visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id, planned_at
from research.occasion where enrolment_id = any (:enrolment_ids)
order by enrolment_id, open_at, occasion_id;

-- name: list_open_occasions(enrolment_id uuid, schedule text, at timestamptz) :many
-- The unanswered occasions of a schedule whose window contains a moment, by opening time.
select occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
  visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id
from research.occasion
where enrolment_id = :enrolment_id and schedule = :schedule and open_at <= :at and :at < close_at
  and set_aside is null and sheet_id is null
order by open_at, occasion_id;

-- name: find_occasions(enrolment_ids uuid[], occasion_ids uuid[]) :many
select occasion.enrolment_id, occasion.occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire,
  study_version,
  local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id
from unnest(:enrolment_ids::uuid[], :occasion_ids::uuid[]) as wanted (enrolment_id, occasion_id)
join research.occasion
  on occasion.enrolment_id = wanted.enrolment_id and occasion.occasion_id = wanted.occasion_id;

-- name: find_occasion(enrolment_id uuid, occasion_id uuid) :many
select occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
  visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id
from research.occasion where enrolment_id = :enrolment_id and occasion_id = :occasion_id;

-- name: insert_occasions(enrolment_id uuid, study_version text, now timestamptz, occasion_ids uuid[], schedules text[], anchor_instances text[], day_indexes int4[], slot_indexes int4[], questionnaires text[], local_dates date[], zones text[], visible_ats timestamptz[], open_ats timestamptz[], due_ats timestamptz[], close_ats timestamptz[], dst_adjusteds bool[], set_asides text[]) :exec
insert into research.occasion
  (enrolment_id, study_version, planned_at, occasion_id, schedule, anchor_instance, day_index, slot_index,
   questionnaire, local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside)
select :enrolment_id, :study_version, :now, planned.*
from unnest(:occasion_ids::uuid[], :schedules::text[], :anchor_instances::text[], :day_indexes::int4[],
  :slot_indexes::int4[], :questionnaires::text[], :local_dates::date[], :zones::text[],
  :visible_ats::timestamptz[], :open_ats::timestamptz[], :due_ats::timestamptz[], :close_ats::timestamptz[],
  :dst_adjusteds::bool[], :set_asides::text[]) as planned
on conflict (enrolment_id, occasion_id) do nothing;

-- name: move_occasions(enrolment_id uuid, study_version text, occasion_ids uuid[], local_dates date[], zones text[], visible_ats timestamptz[], open_ats timestamptz[], due_ats timestamptz[], close_ats timestamptz[], dst_adjusteds bool[], set_asides text[], questionnaires text[], now timestamptz) :exec
-- An occasion with an unchanged window keeps the version under which it was planned, also during a pause.
update research.occasion
set study_version = case when (occasion.open_at, occasion.due_at, occasion.close_at, occasion.questionnaire)
    = (moved.open_at, moved.due_at, moved.close_at, moved.questionnaire) and occasion.set_aside is distinct
      from 'cancelled' then occasion.study_version else :study_version end,
  planned_at = case when occasion.local_date = moved.local_date and occasion.set_aside is distinct from 'cancelled'
    then occasion.planned_at else :now end,
  local_date = moved.local_date, zone = moved.zone, visible_at = moved.visible_at,
  open_at = moved.open_at, due_at = moved.due_at, close_at = moved.close_at, dst_adjusted = moved.dst_adjusted,
  set_aside = moved.set_aside, questionnaire = moved.questionnaire
from unnest(:occasion_ids::uuid[], :local_dates::date[], :zones::text[], :visible_ats::timestamptz[],
  :open_ats::timestamptz[], :due_ats::timestamptz[],
  :close_ats::timestamptz[], :dst_adjusteds::bool[], :set_asides::text[], :questionnaires::text[])
  as moved (occasion_id, local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside,
    questionnaire)
where occasion.enrolment_id = :enrolment_id and occasion.occasion_id = moved.occasion_id
  and occasion.completed_at is null;

-- name: cancel_occasions(enrolment_id uuid, occasion_ids uuid[]) :exec
update research.occasion set set_aside = 'cancelled'
where enrolment_id = :enrolment_id and occasion_id = any (:occasion_ids) and completed_at is null;
