-- name: is_study_unblinded(study text) :one
select exists (select from research.study_unblinding where study = :study) as unblinded;

-- name: insert_study_unblinding(study text, reason text, unblinded_by uuid, now timestamptz) :many
-- No row if the study was unblinded before.
insert into research.study_unblinding (study, reason, unblinded_by, unblinded_at)
values (:study, :reason, :unblinded_by, :now)
on conflict (study) do nothing
returning study;

-- name: insert_enrolment_unblinding(enrolment_id uuid, reason text, unblinded_by uuid, now timestamptz) :exec
-- The caller holds the lock of the enrolment, so two calls get two numbers.
insert into research.enrolment_unblinding (enrolment_id, ordinal, reason, unblinded_by, unblinded_at)
select :enrolment_id, coalesce(max(ordinal), 0) + 1, :reason, :unblinded_by, :now
from research.enrolment_unblinding where enrolment_id = :enrolment_id;

-- name: is_enrolment_unblinded(enrolment_id uuid) :one
select exists (select from research.enrolment_unblinding where enrolment_id = :enrolment_id) as unblinded;

-- name: list_unblindings(study text, before timestamptz, participant_id text, ordinal int4, limit_rows int4) :many
-- Newest first. The participant is null for the study itself. A null `before` begins with the newest one.
select participant_id, ordinal, reason, unblinded_by, unblinded_at
from (
  select enrolment.participant_id, unblinding.ordinal, unblinding.reason, unblinding.unblinded_by,
    unblinding.unblinded_at
  from research.enrolment_unblinding unblinding
  join research.enrolment using (enrolment_id)
  where enrolment.study = :study and enrolment.status <> 'excluded'
  union all
  select null, 1, reason, unblinded_by, unblinded_at
  from research.study_unblinding where study = :study
) as found
where :before::timestamptz is null
  or (unblinded_at, coalesce(participant_id, ''), ordinal) < (:before, :participant_id, :ordinal)
order by unblinded_at desc, coalesce(participant_id, '') desc, ordinal desc
limit :limit_rows;
