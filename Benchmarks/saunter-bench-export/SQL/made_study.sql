-- A study with many sheets of 40 items: stored as the server stores them, day by day, and as plain tables.

-- name: quick_load() :exec
-- Without triggers and foreign keys, because the data is valid and only reading is measured.
set session_replication_role = replica;

-- name: make_samples() :exec
-- 1,000 generated sheets: five options per item, and one of 40 answers is skipped.
create table sample as
select
  number,
  (select array_agg(
      case when hash % 40 = 0 then -996 else hash % 5 end order by item)::smallint[]
    from generate_series(1, 40) as item
    cross join lateral (select abs(hashint8(number * 1000 + item)::bigint) as hash) as hashed) as slots
from generate_series(0, 999) as number;

-- name: make_study(study text, version text, digest text, files jsonb) :exec
with published as (
  insert into research.study_version values (:study, :version, :digest, :files, '2026-01-01T00:00:00Z')
)
insert into research.study values (:study, :version, null);

-- name: make_enrolments(study text, count int4) :exec
insert into research.enrolment (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position,
  allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, status, planned_through)
select md5('enrolment' || number)::uuid, :study, '1.0.0', 'P' || lpad(number::text, 6, '0'), 'plants', 'all', number,
  'permuted_blocks', '1.0.0', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01', 'Europe/Berlin', 'Europe/Berlin', 'en',
  'active', '2026-01-01'
from generate_series(1, :count) as number;

-- name: make_occasions(first_day int4, last_day int4) :exec
insert into research.occasion (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
  local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id, planned_at)
select enrolment.enrolment_id, md5('occasion' || allocation_position || '/' || day)::uuid, 'daily', '', day, 0, 'forty', '1.0.0',
  date '2026-01-01' + day, 'Europe/Berlin', at + interval '16 hours', at + interval '16 hours', at + interval '20 hours',
  at + interval '22 hours', false, null, at + interval '17 hours', md5('sheet' || allocation_position || '/' || day)::uuid,
  '2026-01-01T00:00:00Z'
from generate_series(:first_day, :last_day) as day
cross join lateral (select timestamptz '2026-01-01T00:00:00Z' + make_interval(days => day) as at) as moment
cross join research.enrolment
order by day, enrolment.allocation_position;

-- name: make_sheets(first_day int4, last_day int4) :exec
insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version,
  consent_version, language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
  late_s, completes, flags, slots, numbers, cleared, body_sha256)
select occasion.enrolment_id, occasion.sheet_id, 1, true, occasion.occasion_id, 'forty', '1.0.0', '1.0.0', '1.0.0', 'en',
  occasion.completed_at - interval '3 minutes', occasion.completed_at, occasion.completed_at + interval '1.5 seconds', 'Europe/Berlin',
  60, 60, 1500, 'on_time', null, true, '{}', sample.slots, '{}', '{}', sha256(uuid_send(occasion.sheet_id))
from research.occasion
join research.enrolment using (enrolment_id)
join sample on sample.number = (occasion.day_index * 7 + enrolment.allocation_position) % 1000
where occasion.day_index between :first_day and :last_day
order by occasion.day_index, enrolment.allocation_position;

-- name: drop_plain() :exec
drop table if exists plain, plain_long;

-- name: make_plain() :exec
-- The values of the wide file: the columns that identify the sheet, then 40 columns of values. One row per sheet, in the order of insertion.
create table plain as
select
  sheet.sheet_id, sheet.enrolment_id, enrolment.participant_id, enrolment.arm, sheet.occasion_id, occasion.schedule,
  occasion.local_date - enrolment.enrolled_on as study_day, sheet.version, sheet.revision as rev,
  sheet.completes::integer::smallint as completes, sheet.standing, sheet.completed_at as submitted_at,
  sheet.completed_at at time zone 'UTC' + make_interval(mins => sheet.completed_offset_min) as submitted_local,
  sheet.zone as submitted_tz, sheet.completed_offset_min as submitted_offset_min,
  (value[1]) as q01, (value[2]) as q02, (value[3]) as q03, (value[4]) as q04, (value[5]) as q05, (value[6]) as q06,
  (value[7]) as q07, (value[8]) as q08, (value[9]) as q09, (value[10]) as q10, (value[11]) as q11, (value[12]) as q12,
  (value[13]) as q13, (value[14]) as q14, (value[15]) as q15, (value[16]) as q16, (value[17]) as q17, (value[18]) as q18,
  (value[19]) as q19, (value[20]) as q20, (value[21]) as q21, (value[22]) as q22, (value[23]) as q23, (value[24]) as q24,
  (value[25]) as q25, (value[26]) as q26, (value[27]) as q27, (value[28]) as q28, (value[29]) as q29, (value[30]) as q30,
  (value[31]) as q31, (value[32]) as q32, (value[33]) as q33, (value[34]) as q34, (value[35]) as q35, (value[36]) as q36,
  (value[37]) as q37, (value[38]) as q38, (value[39]) as q39, (value[40]) as q40
from research.answer_sheet sheet
join research.enrolment using (enrolment_id)
join research.occasion using (enrolment_id, occasion_id)
join (
  select number, array(select case when slot >= 0 then slot end from unnest(sample.slots) as slot) as value from sample offset 0
) as told on told.number = (occasion.day_index * 7 + enrolment.allocation_position) % 1000
order by sheet.received_at;

-- name: make_plain_long() :exec
-- The same values with one row per answer: the columns of answers.csv.
create table plain_long as
select
  sheet.sheet_id, sheet.enrolment_id, enrolment.participant_id, sheet.questionnaire as instrument, sheet.version, true as counts,
  'q' || lpad(slot.item::text, 2, '0') as item, null::text as option, 'choice' as type,
  case when slot.value >= 0 then slot.value end as value, case when slot.value < 0 then 'skipped' end as missing
from research.answer_sheet sheet
join research.enrolment using (enrolment_id)
cross join lateral unnest(sheet.slots) with ordinality as slot (value, item);

-- name: settle() :exec
analyze;

-- name: sizes() :one
select
  pg_table_size('plain') as plain,
  pg_table_size('research.answer_sheet') as stored,
  pg_indexes_size('research.answer_sheet') as indexes,
  (select count(*) from research.answer_sheet) as sheets;

-- name: server_process() :one
select pg_backend_pid() as pid;
