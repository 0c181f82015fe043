-- name: list_allocation_tally(study text, factors text[], levels text[]) :many
-- Whom the balance counts, at these levels: everybody with a row, in the arm that they have now, whatever gave it to them. Read after the
-- place in the list was taken: until then others may be allocated.
select told.factor, told.level, enrolment.arm, count(*) as participants
from unnest($2::text[], $3::text[]) as told (factor, level)
join research.enrolment on enrolment.study = $1 and enrolment.allocation_factors ->> told.factor = told.level
group by told.factor, told.level, enrolment.arm;

-- name: count_allocations(study text) :many
-- Whoever withdrew is counted where they were allocated; whoever was erased is not any more.
select arm, allocation_stratum as stratum, allocation_factors::text as factors, count(*) as participants
from research.enrolment where study = $1
group by arm, allocation_stratum, allocation_factors
order by arm, allocation_stratum;

-- name: find_participant(study text, participant_id text) :many
-- The newest enrolment under a pseudonym.
select enrolment_id from research.enrolment
where study = $1 and participant_id = $2
order by enrolled_at desc, enrolment_id
limit 1;

-- name: change_arm(enrolment_id uuid, to_arm text, reason text, changed_by uuid, now timestamptz) :exec
with earlier as (
  select coalesce(max(ordinal), 0) as ordinal from research.arm_change where enrolment_id = $1
), noted as (
  insert into research.arm_change (enrolment_id, ordinal, from_arm, to_arm, reason, changed_by, changed_at)
  select $1, earlier.ordinal + 1, enrolment.arm, $2, $3, $4, $5
  from research.enrolment, earlier where enrolment_id = $1
)
update research.enrolment set arm = $2 where enrolment_id = $1;

-- name: list_arm_changes(enrolment_id uuid) :many
select ordinal, from_arm, to_arm, reason, changed_by, changed_at
from research.arm_change where enrolment_id = $1
order by ordinal;

-- name: list_former_arms(enrolment_ids uuid[]) :many
-- Until when somebody was in an arm that they left, in the order of time.
select enrolment_id, from_arm as arm, changed_at as until
from research.arm_change where enrolment_id = any ($1)
order by enrolment_id, ordinal;

-- name: count_arm_moves(study text) :many
-- Participants whose arm is not the one that the allocation gave.
select first.from_arm, enrolment.arm as to_arm, count(*) as participants
from research.arm_change first
join research.enrolment using (enrolment_id)
where enrolment.study = $1 and first.ordinal = 1 and first.from_arm <> enrolment.arm
group by 1, 2
order by 1, 2;
