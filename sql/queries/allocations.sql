-- name: list_allocation_tally(study text, factors text[], levels text[]) :many
-- The number of participants at these levels, by their current arm, however it was assigned. Runs after the position in
-- the allocation list was taken: until then other participants may be allocated.
select requested.factor, requested.level, enrolment.arm, count(*) as participants
from unnest(:factors::text[], :levels::text[]) as requested (factor, level)
join research.enrolment on enrolment.study = :study and enrolment.allocation_factors ->> requested.factor = requested.level
group by requested.factor, requested.level, enrolment.arm;

-- name: count_allocations(study text) :many
-- Withdrawn participants are counted, erased ones are not.
select arm, allocation_stratum as stratum, allocation_factors::text as factors, count(*) as participants
from research.enrolment where study = :study
group by arm, allocation_stratum, allocation_factors
order by arm, allocation_stratum;

-- name: find_participant(study text, participant_id text) :many
-- The newest enrolment with this pseudonym.
select enrolment_id from research.enrolment
where study = :study and participant_id = :participant_id
order by enrolled_at desc, enrolment_id
limit 1;

-- name: change_arm(enrolment_id uuid, to_arm text, reason text, changed_by uuid, now timestamptz) :exec
with earlier as (
  select coalesce(max(ordinal), 0) as ordinal from research.arm_change where enrolment_id = :enrolment_id
), noted as (
  insert into research.arm_change (enrolment_id, ordinal, from_arm, to_arm, reason, changed_by, changed_at)
  select :enrolment_id, earlier.ordinal + 1, enrolment.arm, :to_arm, :reason, :changed_by, :now
  from research.enrolment, earlier where enrolment_id = :enrolment_id
)
update research.enrolment set arm = :to_arm where enrolment_id = :enrolment_id;

-- name: list_arm_changes(enrolment_id uuid) :many
select ordinal, from_arm, to_arm, reason, changed_by, changed_at
from research.arm_change where enrolment_id = :enrolment_id
order by ordinal;

-- name: list_former_arms(enrolment_ids uuid[]) :many
-- The former arms of each participant and when each ended, in the order of time.
select enrolment_id, from_arm as arm, changed_at as until
from research.arm_change where enrolment_id = any (:enrolment_ids)
order by enrolment_id, ordinal;

-- name: count_arm_moves(study text) :many
-- Participants whose arm differs from the allocated arm.
select first.from_arm, enrolment.arm as to_arm, count(*) as participants
from research.arm_change first
join research.enrolment using (enrolment_id)
where enrolment.study = :study and first.ordinal = 1 and first.from_arm <> enrolment.arm
group by 1, 2
order by 1, 2;
