-- $1 enrolments, of which the first $2 have something to do: their plan runs out and their hour has come. All others are
-- planned to the end of their study and have their next hour tomorrow.
-- name: study
insert into research.study values ('bench', '1.0.0') on conflict do nothing;

-- name: version
insert into research.study_version values ('bench', '1.0.0', 'd', '{}', now()) on conflict do nothing;

-- name: enrolments
insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, next_reminder_at,
   planned_through)
select gen_random_uuid(), 'bench', '1.0.0', 'P' || number, 'all', 'all', number, 'permuted_blocks', '1',
  '2026-03-20T09:00:00Z', '2026-03-20T09:00:00Z', '2026-03-20', 'UTC', 'UTC', 'en',
  case when number <= $2::int4 then '2026-04-02T19:00:00Z'::timestamptz
    else '2026-04-03T19:00:00Z'::timestamptz + number % 600 * interval '1 minute' end,
  case when number <= $2::int4 then '2026-04-05'::date else '9999-12-31' end
from generate_series(1, $1::int4) as number;

-- name: occasions
insert into research.occasion
  (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
   local_date, zone, visible_at, open_at, due_at, close_at, planned_at)
select enrolment_id, gen_random_uuid(), 'past', '', day, 0, 'evening', '1.0.0', '2026-03-20'::date + day, 'UTC', open_at,
  open_at, open_at + interval '4 hours', open_at + interval '8 hours', '2026-03-20T09:00:00Z'
from research.enrolment, generate_series(0, 2) as day,
  lateral (select '2026-03-20T18:00:00Z'::timestamptz + day * interval '1 day' as open_at) as opening;
