-- The tables of counts and means. A number of fewer participants than saunter.least_people is suppressed. Then the
-- smallest other numbers of its group are suppressed too, until at least two numbers, with enough participants
-- together, are suppressed. A suppressed number can therefore not be computed by subtraction from the total. If nothing
-- was counted, there is no row.

-- name: dataset_public_people() :many
with person as (
  select
    included.participant_id,
    (array_agg(included.arm order by enrolment.enrolled_at desc, enrolment_id))[1] as arm,
    (array_agg(enrolment.status order by enrolment.enrolled_at desc, enrolment_id))[1] as status
  from included
  join research.enrolment enrolment using (enrolment_id)
  group by included.participant_id
), cell as (
  select 'all' as dimension, 'all' as code, count(*) as people from person having count(*) > 0
  union all select 'arm', arm, count(*) from person group by arm
  union all select 'status', status, count(*) from person group by status
), ranked as (
  select
    *,
    min(people) over (partition by dimension) < current_setting('saunter.least_people')::integer as has_small,
    row_number() over (partition by dimension order by people, code collate "C") as ordinal,
    sum(people) over (partition by dimension order by people, code collate "C") - people as below
  from cell
), judged as (
  select *, has_small and (people < current_setting('saunter.least_people')::integer or ordinal <= 2
    or below < current_setting('saunter.least_people')::integer) as suppressed
  from ranked
)
select dimension, code, case when not suppressed then people end as people, suppressed from judged;

-- name: dataset_first_sheet() :many
-- The first sheet that counts of each participant and instrument, so that each participant has the same weight in every
-- count.
select distinct on (participant_id, questionnaire)
  participant_id, enrolment_id, sheet_id, revision, revised_at, revision_reason, questionnaire, version, counts, slots, numbers,
  null::jsonb as repeated
from sheet_in_scope
where counts
order by participant_id, questionnaire, completed_at, enrolment_id, sheet_id;

-- name: dataset_public_answers() :many
-- Blanks are counted as a separate number, so that the numbers of an item add up to the participants who submitted a
-- sheet with the item.
with cell as (
  select instrument, item, "option", coalesce(value, 'blank') as code, count(*) as people
  from answer
  where type in ('choice', 'boolean')
  group by 1, 2, 3, 4
), ranked as (
  select
    *,
    min(people) over (partition by instrument, item, "option") < current_setting('saunter.least_people')::integer as has_small,
    row_number() over (partition by instrument, item, "option" order by people, code collate "C") as ordinal,
    sum(people) over (partition by instrument, item, "option" order by people, code collate "C") - people as below
  from cell
), judged as (
  select *, has_small and (people < current_setting('saunter.least_people')::integer or ordinal <= 2
    or below < current_setting('saunter.least_people')::integer) as suppressed
  from ranked
)
select instrument, item, "option", code, case when not suppressed then people end as people, suppressed from judged;

-- name: dataset_public_statistics() :many
-- Each participant has one number: the first answer, or the mean score, adherence or measurement of their walks. Sums
-- are exact, so their order does not matter.
with settled as (
  select
    included.participant_id,
    occasion.questionnaire,
    occasion.sheet_id is not null or occasion.completed_at is not null as is_given
  from research.occasion occasion
  join included using (enrolment_id)
  where occasion.questionnaire = any (string_to_array(current_setting('saunter.questionnaires'), ','))
    and (occasion.sheet_id is not null or occasion.completed_at is not null
      or (occasion.set_aside is null and occasion.close_at <= included.as_of))
), figure as (
  select participant_id, 'score' as kind, questionnaire as instrument, scale as name, avg(value::numeric) as value
  from present_score group by participant_id, questionnaire, scale
  union all
  select participant_id, 'answer', instrument, item, avg(value::numeric)
  from answer where type in ('integer', 'decimal') and value is not null
  group by participant_id, instrument, item
  union all
  select participant_id, 'adherence', questionnaire, 'share_answered', avg(is_given::integer)
  from settled group by participant_id, questionnaire
  union all
  select included.participant_id, 'walk', '', measure.name, avg(measure.value::numeric)
  from research.walk walk
  join included using (enrolment_id)
  cross join lateral (
    values ('active_s', walk.active_s), ('distance_m', walk.distance_m), ('mean_hr_bpm', walk.mean_heart_rate_bpm)
  ) as measure (name, value)
  where walk.deleted_at is null
  group by included.participant_id, measure.name
), person as (
  select included.participant_id, (array_agg(included.arm order by enrolment.enrolled_at desc, enrolment_id))[1] as arm
  from included
  join research.enrolment enrolment using (enrolment_id)
  group by included.participant_id
), cell as (
  select figure.kind, figure.instrument, figure.name, person.arm, grouping(person.arm) = 1 as is_total,
    count(*) as people, round(avg(figure.value), 6) as mean, round(stddev_samp(figure.value), 6) as sd
  from figure
  join person using (participant_id)
  where figure.value is not null
  group by grouping sets ((figure.kind, figure.instrument, figure.name, person.arm), (figure.kind, figure.instrument, figure.name))
), ranked as (
  select
    *,
    min(people) over alike < current_setting('saunter.least_people')::integer as has_small,
    row_number() over (alike order by people, arm collate "C") as ordinal,
    sum(people) over (alike order by people, arm collate "C") - people as below
  from cell
  window alike as (partition by kind, instrument, name, is_total)
), judged as (
  select *, case when is_total then people < current_setting('saunter.least_people')::integer
    else has_small and (people < current_setting('saunter.least_people')::integer or ordinal <= 2
      or below < current_setting('saunter.least_people')::integer) end as suppressed
  from ranked
)
select
  kind,
  nullif(instrument, '') as instrument,
  name,
  case when is_total then 'all' else arm end as arm,
  case when not suppressed then people / 10 * 10 end as people_at_least,
  case when not suppressed then mean end as mean,
  case when not suppressed then sd end as sd,
  suppressed
from judged;
