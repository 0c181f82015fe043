-- name: list_variable_sheets(enrolment_ids uuid[], questionnaires text[], decoded text[]) :many
-- The current sheets of these questionnaires: the newest revision, neither deleted nor a duplicate.
-- Answers in lists are only read for the questionnaires `decoded`. PostgreSQL sends the text of an array with many
-- elements in three quarters of the time that it needs for the binary form.
select enrolment_id, sheet_id, questionnaire, study_version, research.corrected_at(completed_at, skew_ms) as completed_at,
  completed_offset_min, refers_to, source, slots::text as slots, numbers,
  case when questionnaire = any (:decoded) then repeated::text end as repeated
from research.answer_sheet
where enrolment_id = any (:enrolment_ids) and questionnaire = any (:questionnaires)
  and current and deleted_at is null and duplicate_of is null
order by enrolment_id;

-- name: list_variable_texts(enrolment_ids uuid[], questionnaires text[]) :many
-- The texts of the sheets that list_variable_sheets returns.
select answer.enrolment_id, answer.sheet_id, answer.item, answer.text
from research.answer_text answer
join research.answer_sheet sheet using (enrolment_id, sheet_id, revision)
where answer.enrolment_id = any (:enrolment_ids) and sheet.questionnaire = any (:questionnaires)
  and sheet.current and sheet.deleted_at is null and sheet.duplicate_of is null
order by answer.enrolment_id;

-- name: list_variable_scores(enrolment_ids uuid[], questionnaires text[]) :many
-- The score of the newest key for each scale of each current sheet.
select distinct on (score.enrolment_id, score.sheet_id, score.scale)
  score.enrolment_id, score.sheet_id, score.scale, score.value
from research.score
join research.answer_sheet sheet using (enrolment_id, sheet_id, revision)
where score.enrolment_id = any (:enrolment_ids) and sheet.questionnaire = any (:questionnaires)
  and sheet.current and sheet.deleted_at is null and sheet.duplicate_of is null
order by score.enrolment_id, score.sheet_id, score.scale, score.computed_at desc, score.key_digest;

-- name: list_variable_usage(enrolment_ids uuid[], events text[]) :many
select enrolment_id, event_id as record_id, received_at, event,
  research.corrected_at(happened_at, skew_ms) as happened_at, offset_min, feature, seconds
from research.usage_event
where enrolment_id = any (:enrolment_ids) and event = any (:events)
order by enrolment_id, research.corrected_at(happened_at, skew_ms), event_id;

-- name: list_variable_walks(enrolment_ids uuid[]) :many
select enrolment_id, walk_id as record_id, received_at, research.corrected_at(started_at, skew_ms) as started_at,
  started_offset_min, not ('not_a_walk' = any (flags)) as is_walk, elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km,
  mean_heart_rate_bpm, max_heart_rate_bpm, active_energy_kcal, above_target_s,
  above_target_count::float8 as above_target_count, coverage
from research.walk
where enrolment_id = any (:enrolment_ids) and deleted_at is null
order by enrolment_id, research.corrected_at(started_at, skew_ms), walk_id;

-- name: list_variable_observations(enrolment_ids uuid[]) :many
-- The value is the mean of the first component.
select enrolment_id, observation_id as record_id, received_at, system, code,
  research.corrected_at(started_at, skew_ms) as started_at, started_offset_min, means[1] as value
from research.observation
where enrolment_id = any (:enrolment_ids) and deleted_at is null
order by enrolment_id, research.corrected_at(started_at, skew_ms), observation_id;

-- name: list_variable_messages(enrolment_ids uuid[]) :many
-- Messages of notices and of decision rules that were sent. The subject of a notice is `rule/start`. The channels of one
-- message of a rule count once. Prompts in the app are not messages.
select enrolment_id, split_part(subject, '/', 1) as rule, sent_at, delivered_at, opened_at
from research.reminder
where enrolment_id = any (:enrolment_ids) and kind = 'notice' and sent_at is not null
union all
select inbox.enrolment_id, inbox.rule, min(reminder.sent_at), min(reminder.delivered_at),
  least(inbox.opened_at, min(reminder.opened_at))
from research.inbox_message inbox
join research.reminder on reminder.enrolment_id = inbox.enrolment_id
  and reminder.inbox_message_id = inbox.message_id
where inbox.enrolment_id = any (:enrolment_ids) and inbox.broadcast_id is null and inbox.counts_for_day
  and reminder.sent_at is not null
group by inbox.enrolment_id, inbox.message_id, inbox.rule, inbox.opened_at
order by enrolment_id, sent_at, rule;
