-- Fills the study bench.study: bench.people participants who enrolled bench.days days ago. Each has two occasions a day and
-- one a week, which are planned seven days ahead, and answers three of four. Every third day there is a walk, and every evening a
-- reminder. Two of 100 participants never started, four stopped, and one left with `exclude`.
-- Rows are inserted day by day, in the order in which a server inserts them. Without triggers and foreign keys, which would run
-- for each row.
begin;
set local session_replication_role = replica;
set local work_mem = '256MB';

create temp table person on commit drop as
select gen_random_uuid() as enrolment_id, number, number % 50 = 7 as is_absent,
  case when number % 100 = 3 then 'excluded' when number % 25 = 4 then 'stopped' else 'active' end as status,
  (array['Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'Europe/London', 'America/New_York'])[1 + number % 5] as zone,
  (current_date - current_setting('bench.days')::int) as enrolled_on
from generate_series(1, current_setting('bench.people')::int) as number;

insert into research.enrolment
  (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position, allocation_method,
   consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, status, ended_at, planned_through)
select enrolment_id, current_setting('bench.study'), '1.0.0', 'P' || upper(left(md5(number::text), 7)) || lpad(number::text, 6, '0'),
  (array['plants', 'birds'])[1 + number % 2], 'all', number, 'permuted_blocks', '1.0.0', at, at, enrolled_on, zone, zone, 'en',
  status, case when status <> 'active' then at + interval '20 days' end, current_date + 7
from person cross join lateral (select (enrolled_on + time '09:00') at time zone zone as at) as start
order by number;

insert into research.enrolment_zone (enrolment_id, effective_from, zone, source)
select enrolment_id, (enrolled_on + time '09:00') at time zone zone, zone, 'enrolment' from person order by number;

insert into research.enrolment_version (enrolment_id, study_version, followed_from)
select enrolment_id, '1.0.0', (enrolled_on + time '09:00') at time zone zone from person order by number;

-- What the participants did on each day. A hash decides, so that all runs have the same rows.
create temp table planned on commit drop as
select enrolment_id, number, day, slot, case when slot = 2 then 'phq_2' else 'who_5' end as questionnaire, zone,
  gen_random_uuid() as occasion_id, gen_random_uuid() as sheet_id,
  enrolled_on + day as local_date, at as open_at,
  case when not is_absent and (status = 'active' or day < 20) and chance % 4 > 0
    then at + make_interval(mins => (chance / 4 % 400)::int) end as completed_at,
  status <> 'active' and day > 20 as is_cancelled
from person
cross join generate_series(0, current_setting('bench.days')::int + 7) as day
cross join generate_series(0, 2) as slot
cross join lateral (
  select (enrolled_on + day + (array[time '07:00', time '17:00', time '12:00'])[1 + slot]) at time zone zone as at,
    abs(hashint8(number * 1000003::bigint + day * 2 + slot)::bigint) as chance) as made
where slot < 2 or day % 7 = 0;
update planned set completed_at = null where completed_at > now();

insert into research.occasion
  (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version, local_date, zone,
   visible_at, open_at, due_at, close_at, set_aside, completed_at, sheet_id, planned_at)
select enrolment_id, occasion_id, (array['morning', 'evening', 'weekly'])[1 + slot], '', day, 0, questionnaire, '1.0.0', local_date, zone, open_at,
  open_at, open_at + interval '5 hours', open_at + interval '8 hours', case when is_cancelled then 'cancelled' end, completed_at,
  case when completed_at is not null then sheet_id end, open_at - interval '7 days'
from planned order by day, number, slot;

insert into research.scoring_key (key_id, key_version, key_digest, engine_version, scales)
values (gen_random_uuid(), '1.0.0', 'bench who_5', '1', '{wellbeing}'), (gen_random_uuid(), '1.0.0', 'bench phq_2', '1', '{depression}');

insert into research.answer_sheet
  (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version, consent_version, language,
   started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes,
   slots, numbers, cleared, body_sha256, key_id, scored_at, score_values, score_counts)
select enrolment_id, sheet_id, 1, true, occasion_id, questionnaire, '1.0.0', '1.0.0', '1.0.0', 'en', completed_at - interval '2 minutes',
  completed_at, completed_at + interval '2 seconds', zone, minutes, minutes, 0,
  case when completed_at > open_at + interval '5 hours' then 'late' else 'on_time' end, '{}', true,
  case when slot = 2 then array[number % 4, day % 3]::int2[] else '{3,2,4,3,1}' end, '{}', '{}', sha256(uuid_send(sheet_id)), key_id,
  completed_at, case when slot = 2 then array[number % 4 + day % 3]::float8[] else '{52}' end,
  case when slot = 2 then '{2,2,0}' else '{5,5,0}' end::int2[]
from planned join research.scoring_key on key_digest = 'bench ' || questionnaire
cross join lateral (
  select (extract(epoch from completed_at at time zone zone - completed_at at time zone 'UTC') / 60)::int as minutes) as shift
where completed_at is not null order by day, completed_at;

-- Walks of four minutes. A longer one is stored outside of the row, and the pages of lists do not read its samples.
insert into research.walk
  (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, flags, sport, pauses_ms,
   t_ms, speed_kmh, elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km, target_speed_kmh, above_target_s,
   above_target_count, coverage, body_sha256)
select enrolment_id, gen_random_uuid(), completed_at - interval '10 minutes', completed_at - interval '6 minutes',
  completed_at + interval '2 seconds', zone, minutes, minutes, '{}', 'walking', '{}', samples.t_ms, samples.speed_kmh, 240, 240, 266,
  4, 900, 4.2, 30, 2, 1, sha256(uuid_send(sheet_id))
from planned
cross join lateral (
  select (extract(epoch from completed_at at time zone zone - completed_at at time zone 'UTC') / 60)::int as minutes) as shift
cross join (
  select array_agg(second * 1000 order by second) as t_ms, array_agg(4.0::float8 order by second) as speed_kmh
  from generate_series(0, 240) as second) as samples
where completed_at is not null and slot = 1 and (day + number) % 3 = 0 order by day, completed_at;

-- One message of 200 failed.
insert into research.reminder
  (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state, sent_at, delivered_at)
select enrolment_id, 'due_today', local_date::text, 1, planned_at, planned_at, 1, case when is_sent then 'sent' else 'failed' end,
  case when is_sent then planned_at end, case when is_sent then planned_at + interval '1 minute' end
from planned
cross join lateral (select open_at + interval '1 hour' as planned_at, (number + day) % 200 > 0 as is_sent) as made
where slot = 1 and planned_at < now() and not is_cancelled order by day, number;

insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
select enrolment_id, 'mail', 3, now() - interval '1 day', now() - interval '3 days' from person where number % 40 = 0;

-- One device of 20 has a record that has not arrived.
insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
select enrolment_id, gen_random_uuid(), now() - interval '80 days', now() - interval '1 day',
  case when number % 20 = 0 then '{[1,70),[71,90)}' else '{[1,90)}' end::int8multirange
from person where not is_absent;

insert into research.quarantine (enrolment_id, kind, client_id, body_sha256, body, received_at)
select enrolment_id, 'answer_sheet', gen_random_uuid(), sha256(uuid_send(enrolment_id)), '{}', now() - interval '2 days'
from person where number % 500 = 0;

insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
select enrolment_id, gen_random_uuid(), 'low', 'low_wellbeing', now() - interval '1 day', now() + interval '1 day'
from person where number % 1000 = 0;

insert into research.decision
  (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome, available, variables)
select enrolment_id, 'low', 'daily', local_date::text, '1.0.0', open_at, open_at, 'when', true, '{}'
from planned where slot = 0 and day % 7 = 0 and open_at < now() order by day, number;

insert into audit.entry (recorded_at, actor_kind, actor_ref, action, study, enrolment_ref, detail)
select now() - make_interval(mins => 200000 - number), 'account', md5((number % 20)::text), 'data_read', current_setting('bench.study'),
  null, '{"route": "GET /v1/studies/{study}/participants"}'
from generate_series(1, 200000) as number;
commit;
vacuum analyze;
checkpoint;
