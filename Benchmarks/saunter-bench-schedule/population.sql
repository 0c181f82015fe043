-- Fills one table per statement, without triggers. All plans reach the end of the study, and all next reminders are tomorrow, until `busy`
-- makes some of them due. Rows are inserted in the order of their random ids, which fills the indexes page by page.

-- name: study
insert into research.study values ('bench', '1.0.0') on conflict do nothing;

-- name: version
insert into research.study_version values ('bench', '1.0.0', 'd', '{}', now()) on conflict do nothing;

-- name: enrolments
-- The enrolments with the numbers $1 to $2.
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, next_reminder_at,
   planned_through, email_verified)
select id, 'bench', '1.0.0', 'P' || number, 'all', 'all', number, 'permuted_blocks', '1',
  '2026-03-20T09:00:00Z', '2026-03-20T09:00:00Z', '2026-03-20', 'UTC', 'UTC', 'en',
  '2026-04-03T19:00:00Z'::timestamptz + number % 600 * interval '1 minute', '9999-12-31', true
from (select gen_random_uuid() as id, number from generate_series($1::int4, $2::int4) as number) as made
order by id;

-- name: occasions
insert into research.occasion
  (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
   local_date, zone, visible_at, open_at, due_at, close_at, planned_at)
select enrolment_id, id, 'past', '', day, 0, 'evening', '1.0.0', '2026-03-20'::date + day, 'UTC', open_at,
  open_at, open_at + interval '4 hours', open_at + interval '8 hours', '2026-03-20T09:00:00Z'
from (
  select enrolment_id, gen_random_uuid() as id, day, '2026-03-20T18:00:00Z'::timestamptz + day * interval '1 day' as open_at
  from research.enrolment, generate_series(0, 2) as day
  where allocation_position between $1::int4 and $2::int4
) as made
order by enrolment_id, id;

-- name: reminders
-- Every participant has got reminders before.
insert into research.reminder
  (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state)
select enrolment_id, 'due_today', '2026-03-21', 1, '2026-03-21T19:00:00Z', '2026-03-21T19:00:00Z', 1, 'sent'
from research.enrolment
where allocation_position between $1::int4 and $2::int4
order by enrolment_id;

-- name: busy
-- Makes enrolments due that were not, from all parts of the table: their plan runs out, and their reminder time is reached.
update research.enrolment set next_reminder_at = '2026-04-02T19:00:00Z', planned_through = '2026-04-05'
where enrolment_id in (
  select enrolment_id from research.enrolment where planned_through = '9999-12-31'
  order by md5(enrolment_id::text) limit $1::int4);

-- name: vacuum
vacuum (analyze) research.enrolment, research.occasion, research.reminder;

-- name: checkpoint
checkpoint;
