-- name: insert_amendment(enrolment_id uuid, amendment_id uuid, subject text, subject_id uuid, kind text, made_at timestamptz, received_at timestamptz, body json, body_sha256 bytea, state text, revision int4, device_id uuid, sequence int8, stated_at timestamptz) :one
-- What a device numbered later was made no earlier, whatever its clock said. Of what the clock puts after its arrival the clock was ahead: it was made no later
-- than what that clock puts later still.
-- One that is there already is written, not skipped: only a write waits for a synchronous standby.
insert into research.amendment
  (enrolment_id, amendment_id, subject, subject_id, kind, made_at, received_at, body, body_sha256, state, revision,
   device_id, sequence, stated_at)
values ($1, $2, $3, $4, $5,
  greatest(
    least(
      $6::timestamptz,
      (select min(other.made_at) from research.amendment other
       where other.enrolment_id = $1 and other.subject_id = $4 and other.kind = $5 and other.state <> 'refused'
         and (other.device_id = $12::uuid and other.sequence > $13::int8
           or $14::timestamptz > $7::timestamptz and other.stated_at >= $14 and (other.device_id = $12) is not false))),
    (select max(other.made_at) from research.amendment other
     where other.enrolment_id = $1 and other.subject_id = $4 and other.kind = $5 and other.state <> 'refused'
       and other.device_id = $12 and other.sequence < $13)),
  $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (enrolment_id, amendment_id) do update set amendment_id = excluded.amendment_id
returning xmax = 0 as inserted, body_sha256;

-- name: list_amendments(enrolment_id uuid, amendment_ids uuid[]) :many
select amendment_id, body_sha256, state, refusal::text as refusal, revision
from research.amendment where enrolment_id = $1 and amendment_id = any ($2);

-- name: touch_amendment(enrolment_id uuid, amendment_id uuid, body_sha256 bytea) :many
-- Written, not only read: only a write waits for a synchronous standby.
update research.amendment set amendment_id = amendment_id where enrolment_id = $1 and amendment_id = $2 and body_sha256 = $3
returning amendment_id;

-- name: count_waiting_amendments(enrolment_id uuid) :one
select count(*)::int as count from research.amendment where enrolment_id = $1 and state in ('waiting', 'applying');

-- name: list_due_amendments(enrolment_id uuid) :many
-- In the order in which they were made.
select amendment_id, subject, subject_id, kind, made_at, received_at, body::text as body, body_sha256, state,
  device_id, sequence
from research.due_amendment
where enrolment_id = $1
order by made_at, amendment_id
limit 500;

-- name: list_enrolments_with_due_amendments(after uuid, limit_rows int4) :many
select distinct enrolment_id
from research.due_amendment
where enrolment_id > $1
order by enrolment_id
limit $2;

-- name: list_corrections_in_force(enrolment_id uuid, sheet_id uuid, since timestamptz) :many
-- Those that are or were in force and were not made before that moment. Of those of one moment their numbers and bodies tell which is the last.
select amendment_id, made_at, body::text as body, device_id, sequence from research.amendment
where enrolment_id = $1 and subject_id = $2 and kind = 'correction' and state in ('applying', 'applied') and made_at >= $3;

-- name: settle_amendment(enrolment_id uuid, amendment_id uuid, state text, refusal json, revision int4) :exec
-- Only one that waits, so that of two who settle it one does.
update research.amendment set state = $3, refusal = $4, revision = $5
where enrolment_id = $1 and amendment_id = $2 and state = 'waiting';

-- name: finish_amendment(enrolment_id uuid, amendment_id uuid) :exec
update research.amendment set state = 'applied'
where enrolment_id = $1 and amendment_id = $2 and state = 'applying';
