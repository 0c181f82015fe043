-- name: find_change_state(enrolment_id uuid, study text) :one
-- history is empty for a database that was never restored.
select exists (select from research.change where enrolment_id = :enrolment_id and change_seq is null) as is_waiting,
  coalesce((select last_seq from research.change_counter where study = :study), 0) as last_seq,
  coalesce((select history_id::text from research.history), '') as history;

-- name: number_own_changes(enrolment_id uuid, after int8) :one
-- Like number_changes, for one enrolment. Numbers all committed changes.
with waiting as (
  select kind, subject_id
  from research.change
  where enrolment_id = :enrolment_id and change_seq is null
  order by array_position(array['enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event',
    'answer_sheet'], kind), subject_id
  limit 10000
  for no key update skip locked
), numbered as (
  select waiting.*, :after + row_number() over (
    order by array_position(array['enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event',
      'answer_sheet'], kind), subject_id)
    as number
  from waiting
), done as (
  update research.change set change_seq = numbered.number
  from numbered
  where change.enrolment_id = :enrolment_id and change.kind = numbered.kind and change.subject_id = numbered.subject_id
  returning numbered.number
)
select coalesce(max(number), :after) as last_seq from done;

-- name: list_own_changes(enrolment_id uuid, after int8, limit_rows int4) :many
-- Changed records that a participant's device must know, each once and in its current state. body is null for deleted
-- records. Usage events are not listed, because devices do not need them.
select entry.change_seq, entry.kind, entry.subject_id, (case entry.kind
    when 'enrolment' then (
      select jsonb_build_object(
        'study_version', study_version, 'status', status, 'ended_at', research.instant_text(ended_at), 'time_zone',
        zone,
        'language', language, 'reminders_on', reminders_on, 'data_kinds', (
          select coalesce(jsonb_object_agg(kind, research.instant_text(granted_at)), '{}')
          from research.enrolment_data_kind granted
          where granted.enrolment_id = enrolment.enrolment_id and granted.revoked_at is null))
      from research.enrolment where enrolment.enrolment_id = :enrolment_id)
    when 'calibration' then (
      select jsonb_build_object(
        'recorded_at', research.instant_text(recorded_at), 'received_at', research.instant_text(received_at),
        'mean_speed_kmh', mean_speed_kmh, 'reduction_percent', reduction_percent, 'duration_s', duration_s,
        'target_speed_kmh', target_speed_kmh)
      from research.calibration where calibration.enrolment_id = :enrolment_id and calibration_id = entry.subject_id)
    when 'occasion' then (
      select jsonb_build_object(
        'questionnaire', questionnaire, 'schedule', schedule, 'local_date', local_date, 'time_zone', zone,
        'visible_at', research.instant_text(visible_at), 'opens_at', research.instant_text(open_at),
        'due_at', research.instant_text(due_at), 'closes_at', research.instant_text(close_at), 'set_aside', set_aside,
        'completed_at', research.instant_text(completed_at), 'sheet_id', sheet_id)
      from research.occasion where occasion.enrolment_id = :enrolment_id and occasion_id = entry.subject_id)
    when 'walk' then (
      select jsonb_build_object(
        'started_at', research.instant_text(started_at), 'ended_at', research.instant_text(ended_at),
        'received_at', research.instant_text(received_at), 'sport', sport, 'calibration_id', calibration_id, 'flags', flags,
        'distance_m', distance_m, 'active_s', active_s, 'target_speed_kmh', target_speed_kmh, 'above_target_s',
        above_target_s)
      from research.walk where walk.enrolment_id = :enrolment_id and walk_id = entry.subject_id and deleted_at is null)
    when 'observation' then (
      select jsonb_build_object(
        'revision', revision, 'code', jsonb_build_object('system', system, 'code', code), 'started_at',
        research.instant_text(started_at),
        'ended_at', research.instant_text(ended_at), 'received_at', research.instant_text(received_at), 'flags', flags)
      from research.observation where observation.enrolment_id = :enrolment_id and observation_id = entry.subject_id
        and deleted_at is null)
    else (
      select jsonb_build_object(
        'revision', revision, 'questionnaire', questionnaire, 'version', version, 'occasion_id', occasion_id,
        'standing', standing, 'late_s', late_s, 'flags', flags, 'duplicate_of', duplicate_of, 'refers_to', refers_to,
        'started_at', research.instant_text(started_at), 'completed_at', research.instant_text(completed_at),
        'received_at', research.instant_text(received_at), 'revised_at', research.instant_text(revised_at))
      from research.answer_sheet sheet
      where sheet.enrolment_id = :enrolment_id and sheet_id = entry.subject_id and current and deleted_at is null)
  end)::text as body
from research.change entry
where entry.enrolment_id = :enrolment_id and entry.change_seq > :after and entry.kind <> 'usage_event'
order by entry.change_seq
limit :limit_rows;
