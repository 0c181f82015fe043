-- name: insert_amendment(enrolment_id uuid, amendment_id uuid, subject text, subject_id uuid, kind text, made_at timestamptz, received_at timestamptz, body json, body_sha256 bytea, state text, revision int4, device_id uuid, sequence int8, stated_at timestamptz) :one
-- made_at respects the device's sequence numbers: a higher number was made no earlier. If the stated moment is later
-- than the arrival, the clock was ahead: the edit was made no later than the edits with a later stated moment. A stored
-- edit is written and not skipped, because only a write waits for a synchronous standby.
insert into research.amendment
  (enrolment_id, amendment_id, subject, subject_id, kind, made_at, received_at, body, body_sha256, state, revision,
   device_id, sequence, stated_at)
values (:enrolment_id, :amendment_id, :subject, :subject_id, :kind,
  greatest(
    least(
      :made_at::timestamptz,
      (select min(other.made_at) from research.amendment other
       where other.enrolment_id = :enrolment_id and other.subject_id = :subject_id and other.kind = :kind
         and other.state <> 'refused'
         and (other.device_id = :device_id::uuid and other.sequence > :sequence::int8
           or :stated_at::timestamptz > :received_at::timestamptz and other.stated_at >= :stated_at
             and (other.device_id = :device_id) is not false))),
    (select max(other.made_at) from research.amendment other
     where other.enrolment_id = :enrolment_id and other.subject_id = :subject_id and other.kind = :kind
       and other.state <> 'refused'
       and other.device_id = :device_id and other.sequence < :sequence)),
  :received_at, :body, :body_sha256, :state, :revision, :device_id, :sequence, :stated_at)
on conflict (enrolment_id, amendment_id) do update set amendment_id = excluded.amendment_id
returning xmax = 0 as inserted, body_sha256;

-- name: list_amendments(enrolment_id uuid, amendment_ids uuid[]) :many
select amendment_id, body_sha256, state, refusal::text as refusal, revision
from research.amendment where enrolment_id = :enrolment_id and amendment_id = any (:amendment_ids);

-- name: touch_amendment(enrolment_id uuid, amendment_id uuid, body_sha256 bytea) :many
-- Writes the row, because only a write waits for a synchronous standby.
update research.amendment set amendment_id = amendment_id where enrolment_id = :enrolment_id
  and amendment_id = :amendment_id and body_sha256 = :body_sha256
returning amendment_id;

-- name: count_waiting_amendments(enrolment_id uuid) :one
select count(*)::int as count from research.amendment where enrolment_id = :enrolment_id and state = 'waiting';

-- name: list_due_amendments(enrolment_id uuid) :many
-- In the order in which they were made.
select amendment_id, subject, subject_id, kind, made_at, received_at, body::text as body, body_sha256, state,
  device_id, sequence
from research.due_amendment
where enrolment_id = :enrolment_id
order by made_at, amendment_id
limit 500;

-- name: list_enrolments_with_due_amendments(after uuid, limit_rows int4) :many
select distinct enrolment_id
from research.due_amendment
where enrolment_id > :after
order by enrolment_id
limit :limit_rows;

-- name: list_applied_corrections(enrolment_id uuid, sheet_id uuid, since timestamptz) :many
-- Corrections that are or were active and were made at this moment or later. If several have the same moment, the
-- caller compares their numbers and bodies.
select amendment_id, made_at, body::text as body, device_id, sequence from research.amendment
where enrolment_id = :enrolment_id and subject_id = :sheet_id and kind = 'correction'
  and state = 'applied' and made_at >= :since;

-- name: settle_amendment(enrolment_id uuid, amendment_id uuid, state text, refusal json, revision int4) :exec
-- Changes only a waiting edit, so that only one of several concurrent workers resolves it.
update research.amendment set state = :state, refusal = :refusal, revision = :revision
where enrolment_id = :enrolment_id and amendment_id = :amendment_id and state = 'waiting';

-- name: blank_corrections_of_purged_sheet(enrolment_id uuid, sheet_id uuid) :exec
-- Removes the answers from the stored corrections of a sheet, if the sheet is purged. Their order stays known.
update research.amendment
set body = json_build_object('sheet_id', body -> 'sheet_id', 'corrected_at', body -> 'corrected_at')
where enrolment_id = :enrolment_id and subject_id = :sheet_id and kind = 'correction'
  and exists (
    select from research.answer_sheet
    where enrolment_id = :enrolment_id and sheet_id = :sheet_id and 'purged' = any (flags));
