-- Scores over time, for keys that declare changes or windows. Numbers are compared as the decimals in which they are
-- written. Numbers that are too large for arithmetic are undefined, so that one absurd number does not stop an export.

-- name: dataset_timed_score() :many
select
  score.participant_id,
  score.enrolment_id,
  score.sheet_id,
  score.questionnaire,
  score.version,
  score.scale collate "C" as scale,
  score.value,
  case when abs(score.value) < 1e100 then score.value end as bounded,
  case when abs(score.value) < 1e100 then score.value::text::numeric end as exact,
  score.key_digest,
  score.study_day,
  score.answered_at
from present_score score;

-- name: dataset_changing_score() :many
-- Each score with the sheet, value and key of its baseline: the first known score of the participant, or the previous
-- one. Of sheets with the same instant, the sheet with the smallest id is the baseline. Null scores form a separate
-- partition: they are never a baseline and have none.
select
  timed.*,
  rule.baseline,
  rule.sd * sqrt(2 * (1 - rule.reliability)) as error,
  rule.is_higher_better,
  rule.important,
  case
    when rule.baseline = 'previous' then min(array[timed.sheet_id::text, timed.value::text, timed.key_digest]) over earlier
    when first_value(timed.answered_at) over person < timed.answered_at
      then first_value(array[timed.sheet_id::text, timed.value::text, timed.key_digest]) over person
  end as base
from timed_score timed
left join jsonb_to_recordset(current_setting('saunter.score_changes')::jsonb) as rule (
  questionnaire text, version text, scale text, baseline text, sd double precision, reliability double precision, is_higher_better boolean,
  important double precision)
  on rule.questionnaire = timed.questionnaire and rule.version = timed.version and rule.scale = timed.scale
window
  person as (partition by timed.enrolment_id, timed.questionnaire, timed.scale, timed.value is null
    order by timed.answered_at, timed.sheet_id),
  earlier as (partition by timed.enrolment_id, timed.questionnaire, timed.scale, timed.value is null
    order by timed.answered_at groups between 1 preceding and 1 preceding);

-- name: dataset_score_changes() :many
select
  present.participant_id,
  present.enrolment_id,
  present.sheet_id,
  present.questionnaire as instrument,
  present.version,
  present.scale as score,
  present.baseline as baseline_rule,
  earlier.sheet_id as baseline_sheet_id,
  earlier.value as baseline_value,
  present.value,
  case when why.reason is null then change.difference end as difference,
  case when why.reason is null then change.index end as reliable_change,
  case
    when why.reason is not null then null
    when abs(change.index) <= 1.96 then 'unchanged'
    when (change.difference > 0) = present.is_higher_better then 'improved'
    else 'worsened'
  end as verdict,
  case when why.reason is null then abs(change.difference) >= present.important end as important,
  why.reason
from changing_score present
cross join lateral (
  select
    case when present.value is not null then present.base[1]::uuid end as sheet_id,
    case when present.value is not null then present.base[2]::double precision end as value,
    present.base[3] as key_digest
) as earlier
cross join lateral (
  select (present.exact - case when abs(earlier.value) < 1e100 then earlier.value::text::numeric end)::double precision as difference
) as delta
cross join lateral (
  select delta.difference, case when present.error > 1e-100 then delta.difference / present.error end as index
) as change
cross join lateral (
  select case
    when present.value is null then 'no_score'
    when earlier.sheet_id is null then 'no_baseline'
    when earlier.key_digest <> present.key_digest then 'other_definition'
    when change.index is null then 'undefined'
  end as reason
) as why
where present.baseline is not null;

-- name: dataset_score_windows() :many
-- Windows in which a participant has at least one score, known or null.
select
  grouped.participant_id,
  grouped.enrolment_id,
  grouped.instrument,
  grouped.score,
  grouped."window",
  grouped.window_index,
  grouped.days * grouped.window_index as from_day,
  grouped.days * (grouped.window_index + 1) - 1 as to_day,
  grouped.n_scores,
  grouped.n_known,
  case when why.reason is null then grouped.mean end as mean,
  case when why.reason is null then grouped.sd end as sd,
  case when why.reason is null then grouped.slope end as slope_per_day,
  case when why.reason is null then grouped.least end as min,
  case when why.reason is null then grouped.greatest end as max,
  why.reason
from (
  select
    timed.participant_id,
    timed.enrolment_id,
    timed.questionnaire as instrument,
    timed.scale as score,
    rule.id as "window",
    rule.days,
    rule.minimum,
    span.window_index,
    count(*) as n_scores,
    count(timed.value) as n_known,
    -- Enough decimals that the quotient is the nearest double.
    (sum(timed.exact) * 1.000000000000000000000000000000 / count(timed.exact))::double precision as mean,
    stddev_samp(timed.exact)::double precision as sd,
    regr_slope(timed.bounded, (extract(epoch from timed.answered_at - timestamptz '2026-01-01T00:00:00Z') / 86400)::double precision)
      as slope,
    min(timed.value) as least,
    max(timed.value) as greatest,
    count(distinct timed.key_digest) filter (where timed.value is not null) as definitions,
    count(timed.value) > count(timed.bounded) as is_absurd
  from timed_score timed
  join jsonb_to_recordset(current_setting('saunter.score_windows')::jsonb) as rule (
    questionnaire text, scale text, id text, days integer, minimum integer)
    on rule.questionnaire = timed.questionnaire and rule.scale = timed.scale
  cross join lateral (
    select case when rule.days is null then 0 else floor(timed.study_day::numeric / rule.days)::integer end as window_index
  ) as span
  group by 1, 2, 3, 4, 5, 6, 7, 8
) as grouped
cross join lateral (
  select case
    when grouped.definitions > 1 then 'other_definition'
    when grouped.n_known < grouped.minimum then 'too_few_scores'
    when grouped.is_absurd then 'undefined'
  end as reason
) as why;
