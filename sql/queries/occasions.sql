-- name: keep_plans() :many
select set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: list_occasions(enrolment_ids uuid[]) :many
select enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
  visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id, planned_at
from research.occasion where enrolment_id = any ($1)
order by enrolment_id, open_at, occasion_id;

-- name: lock_occasions_of_enrolment(enrolment_id uuid) :many
select occasion_id from research.occasion where enrolment_id = $1
order by occasion_id
for update;

-- name: find_occasions(enrolment_ids uuid[], occasion_ids uuid[]) :many
select occasion.enrolment_id, occasion.occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
  local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id
from unnest($1::uuid[], $2::uuid[]) as wanted (enrolment_id, occasion_id)
join research.occasion
  on occasion.enrolment_id = wanted.enrolment_id and occasion.occasion_id = wanted.occasion_id;

-- name: find_occasion(enrolment_id uuid, occasion_id uuid) :many
select occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
  visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id
from research.occasion where enrolment_id = $1 and occasion_id = $2;

-- name: insert_occasions(enrolment_id uuid, study_version text, now timestamptz, occasion_ids uuid[], schedules text[], anchor_instances text[], day_indexes int4[], slot_indexes int4[], questionnaires text[], local_dates date[], zones text[], visible_ats timestamptz[], open_ats timestamptz[], due_ats timestamptz[], close_ats timestamptz[], dst_adjusteds bool[], set_asides text[]) :exec
insert into research.occasion
  (enrolment_id, study_version, planned_at, occasion_id, schedule, anchor_instance, day_index, slot_index,
   questionnaire, local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside)
select $1, $2, $3, planned.*
from unnest($4::uuid[], $5::text[], $6::text[], $7::int4[], $8::int4[], $9::text[], $10::date[], $11::text[],
  $12::timestamptz[], $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::bool[], $17::text[]) as planned
on conflict (enrolment_id, occasion_id) do nothing;

-- name: move_occasions(enrolment_id uuid, study_version text, occasion_ids uuid[], local_dates date[], zones text[], visible_ats timestamptz[], open_ats timestamptz[], due_ats timestamptz[], close_ats timestamptz[], dst_adjusteds bool[], set_asides text[], questionnaires text[], now timestamptz) :exec
-- What stands as before keeps the version under which it was planned, whether a break holds it back or not.
update research.occasion
set study_version = case when (occasion.open_at, occasion.due_at, occasion.close_at, occasion.questionnaire)
    = (moved.open_at, moved.due_at, moved.close_at, moved.questionnaire) and occasion.set_aside is distinct from 'cancelled' then occasion.study_version else $2 end,
  planned_at = case when occasion.local_date = moved.local_date and occasion.set_aside is distinct from 'cancelled' then occasion.planned_at else $13 end,
  local_date = moved.local_date, zone = moved.zone, visible_at = moved.visible_at,
  open_at = moved.open_at, due_at = moved.due_at, close_at = moved.close_at, dst_adjusted = moved.dst_adjusted,
  set_aside = moved.set_aside, questionnaire = moved.questionnaire
from unnest($3::uuid[], $4::date[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[],
  $9::timestamptz[], $10::bool[], $11::text[], $12::text[])
  as moved (occasion_id, local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, questionnaire)
where occasion.enrolment_id = $1 and occasion.occasion_id = moved.occasion_id and occasion.completed_at is null;

-- name: cancel_occasions(enrolment_id uuid, occasion_ids uuid[]) :exec
update research.occasion set set_aside = 'cancelled'
where enrolment_id = $1 and occasion_id = any ($2) and completed_at is null;
