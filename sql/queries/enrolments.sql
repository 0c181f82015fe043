-- name: take_allocation_position(study text, stratum text) :one
insert into research.allocation_counter (study, stratum, next_position) values ($1, $2, 1)
on conflict (study, stratum) do update set next_position = allocation_counter.next_position + 1
returning next_position - 1 as position;

-- name: insert_enrolment(enrolment_id uuid, study text, study_version text, participant_id text, arm text, stratum text, position int4, method text, consent_version text, now timestamptz, enrolled_on date, zone text, language text, next_reminder_at timestamptz, planned_through date, allocation_factors jsonb, allocation_basis jsonb, allocation_seed text, reminder_channels text[]) :exec
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position,
   allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language,
   next_reminder_at, planned_through, allocation_factors, allocation_basis, allocation_seed, reminder_channels)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $12, $13, $14, $15, $16, $17, $18, $19);

-- name: insert_enrolment_zone(enrolment_id uuid, effective_from timestamptz, zone text, source text) :exec
insert into research.enrolment_zone (enrolment_id, effective_from, zone, source) values ($1, $2, $3, $4)
on conflict (enrolment_id, effective_from) do update set zone = excluded.zone, source = excluded.source;

-- name: find_enrolment(enrolment_id uuid) :many
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = $1;

-- name: find_enrolments(enrolment_ids uuid[]) :many
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through, live_version
from research.enrolment join research.study using (study) where enrolment_id = any ($1);

-- name: lock_enrolment(enrolment_id uuid) :many
-- Taken before occasions are planned anew, so that two reconciliations of one participant never interleave.
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = $1
for no key update;

-- name: lock_enrolments(enrolment_ids uuid[]) :many
-- As lock_enrolment, of many: in key order, so that two batches never wait for each other in a circle.
select enrolment_id, study, study_version, participant_id, arm, consent_version, consented_at, enrolled_at,
  enrolled_on, zone, zone_at_start, language, status, ended_at, end_reason, reminder_at, reminders_on,
  reminder_channels, next_reminder_at, planned_through
from research.enrolment where enrolment_id = any ($1)
order by enrolment_id
for no key update;

-- name: lock_enrolment_alone(enrolment_id uuid) :many
-- For erasure: no row may begin to refer to it any more.
select enrolment_id from research.enrolment where enrolment_id = $1 for update;

-- name: list_enrolment_zones(enrolment_ids uuid[]) :many
select enrolment_id, effective_from, zone from research.enrolment_zone where enrolment_id = any ($1)
order by enrolment_id, effective_from;

-- name: list_enrolment_pauses(enrolment_ids uuid[]) :many
select enrolment_id, from_at, to_at from research.enrolment_pause where enrolment_id = any ($1)
order by enrolment_id, from_at;

-- name: open_enrolment_pause(enrolment_id uuid, from_at timestamptz) :exec
insert into research.enrolment_pause (enrolment_id, from_at)
select $1, $2
where not exists (select from research.enrolment_pause where enrolment_id = $1 and to_at is null)
on conflict (enrolment_id, from_at) do update set to_at = null;

-- name: close_enrolment_pause(enrolment_id uuid, to_at timestamptz) :exec
update research.enrolment_pause set to_at = greatest($2, from_at) where enrolment_id = $1 and to_at is null;

-- name: update_enrolment_settings(enrolment_id uuid, zone text, language text, reminder_at int4, reminders_on bool, next_reminder_at timestamptz, reminder_channels text[]) :exec
update research.enrolment
set zone = $2, language = $3, reminder_at = $4, reminders_on = $5, next_reminder_at = $6, reminder_channels = $7
where enrolment_id = $1;

-- name: list_enrolment_events(enrolment_ids uuid[]) :many
-- As they hold now: the last of each.
select distinct on (enrolment_id, event) enrolment_id, event, occurred_at, recorded_at
from research.enrolment_event where enrolment_id = any ($1)
order by enrolment_id, event, revision desc;

-- name: insert_enrolment_event(enrolment_id uuid, event text, occurred_at timestamptz, now timestamptz) :exec
insert into research.enrolment_event (enrolment_id, event, revision, occurred_at, recorded_at)
select $1, $2, coalesce(max(revision), 0) + 1, $3, $4
from research.enrolment_event where enrolment_id = $1 and event = $2;

-- name: update_plan_reach(enrolment_id uuid, planned_through date, next_reminder_at timestamptz) :exec
update research.enrolment set planned_through = $2, next_reminder_at = $3
where enrolment_id = $1 and (planned_through <> $2 or next_reminder_at is distinct from $3);

-- name: end_enrolment(enrolment_id uuid, status text, now timestamptz, reason text) :exec
update research.enrolment
set status = $2, ended_at = coalesce(ended_at, $3), end_reason = $4, next_reminder_at = null
where enrolment_id = $1;

-- name: list_unplanned_enrolments(through date, after_date date, after_id uuid, limit_rows int4) :many
select enrolment_id, planned_through from research.enrolment
where status = 'active' and planned_through < $1 and (planned_through, enrolment_id) > ($2, $3)
order by planned_through, enrolment_id
limit $4;

-- name: delete_enrolment(enrolment_id uuid) :exec
-- Everything else of the participant hangs on this row by cascade; sheets go before occasions that they refer to.
delete from research.enrolment where enrolment_id = $1;

-- name: delete_sheets_of_enrolment(enrolment_id uuid) :exec
delete from research.answer_sheet where enrolment_id = $1;

-- name: delete_walks_of_enrolment(enrolment_id uuid) :exec
delete from research.walk where enrolment_id = $1;

-- name: insert_erasure(erasure_id uuid, study text, erased_on date, enrolment_id uuid) :exec
-- Of the enrolment only the digest is kept by which readers of changes know it.
insert into research.erasure (erasure_id, study, erased_on, enrolment_ref) values ($1, $2, $3, research.enrolment_ref($4));

-- name: list_participants(study text, after text, limit_rows int4) :many
-- Pseudonyms only, with what monitoring needs. Counts are of occasions whose window is settled.
select enrolment.participant_id, enrolment.enrolment_id, enrolment.arm, enrolment.status, enrolment.enrolled_at,
  enrolment.enrolled_on, enrolment.ended_at, enrolment.zone, enrolment.language,
  (select max(received_at) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id) as last_sheet_at,
  (select count(*) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id and sheet.current and sheet.deleted_at is null) as sheets,
  (select count(*) from research.walk
    where walk.enrolment_id = enrolment.enrolment_id and walk.deleted_at is null) as walks
from research.enrolment
where enrolment.study = $1 and enrolment.participant_id > $2
order by enrolment.participant_id
limit $3;
