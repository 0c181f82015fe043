-- name: list_allocation_tally(study text, factors text[], levels text[]) :many
-- Read after the place in the list was taken: until then others may be allocated.
select tally.factor, tally.level, tally.arm, tally.participants
from research.allocation_tally tally
join unnest($2::text[], $3::text[]) as told (factor, level) using (factor, level)
where tally.study = $1;

-- name: count_allocation(study text, arm text, factors text[], levels text[]) :exec
insert into research.allocation_tally (study, arm, factor, level, participants)
select $1, $2, told.factor, told.level, 1 from unnest($3::text[], $4::text[]) as told (factor, level)
on conflict (study, factor, level, arm) do update set participants = allocation_tally.participants + 1;

-- name: count_allocations(study text) :many
-- Whoever was erased is not counted any more.
select arm, allocation_stratum as stratum, allocation_factors::text as factors, count(*) as participants
from research.enrolment where study = $1
group by arm, allocation_stratum, allocation_factors
order by arm, allocation_stratum;
