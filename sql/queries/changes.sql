-- name: lock_change_counter(study text) :one
insert into research.change_counter (study) values (:study)
on conflict (study) do update set last_seq = change_counter.last_seq
returning last_seq;

-- name: number_changes(study text, after int8, maximum int4) :one
-- Skips rows that other transactions are writing; the next run numbers them. Referenced records come before those that
-- reference them.
with waiting as (
  select enrolment_id, kind, subject_id
  from research.change
  where study = :study and change_seq is null
  order by array_position(array['enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event',
    'answer_sheet'], kind), enrolment_id, subject_id
  limit :maximum
  for no key update skip locked
), numbered as (
  select waiting.*, :after + row_number() over (
    order by array_position(array['enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event',
      'answer_sheet'], kind), enrolment_id, subject_id)
    as number
  from waiting
), done as (
  update research.change set change_seq = numbered.number
  from numbered
  where change.enrolment_id = numbered.enrolment_id and change.kind = numbered.kind
    and change.subject_id = numbered.subject_id
  returning numbered.number
)
select coalesce(max(number), :after) as last_seq, count(*)::int as count from done;

-- name: number_erasures(study text, after int8) :one
with waiting as (
  select erasure_id from research.erasure
  where study = :study and change_seq is null and enrolment_ref is not null
  for no key update skip locked
), numbered as (
  select erasure_id, :after + row_number() over (order by erasure_id) as number from waiting
), done as (
  update research.erasure set change_seq = numbered.number
  from numbered where erasure.erasure_id = numbered.erasure_id
  returning numbered.number
)
select coalesce(max(number), :after) as last_seq from done;

-- name: set_change_counter(study text, last_seq int8) :exec
update research.change_counter set last_seq = :last_seq where study = :study;

-- name: list_changes(study text, after int8, limit_rows int4) :many
-- body: the content of the record without answers and scores; null if the record no longer exists. All records of an
-- excluded participant count as deleted.
with entry as (
  select change_seq, kind, enrolment_id, subject_id, research.enrolment_ref(enrolment_id) as enrolment_ref
  from research.change
  where study = :study and change_seq > :after
  union all
  select change_seq, 'enrolment', null, null, enrolment_ref
  from research.erasure
  where study = :study and change_seq > :after
  order by change_seq
  limit :limit_rows
)
select entry.change_seq, entry.kind, entry.enrolment_id, entry.subject_id, entry.enrolment_ref,
  enrolment.participant_id,
  case when enrolment.status <> 'excluded' then (case entry.kind
    when 'enrolment' then (
      select jsonb_build_object(
        'study_version', enrolment.study_version, 'arm', enrolment.arm, 'allocation_method',
        enrolment.allocation_method,
        'allocation_stratum', enrolment.allocation_stratum, 'allocation_position', enrolment.allocation_position,
        'consent_version', enrolment.consent_version, 'consented_at', research.instant_text(enrolment.consented_at),
        'started_at', research.instant_text(enrolment.enrolled_at), 'started_on', enrolment.enrolled_on,
        'ended_at', research.instant_text(enrolment.ended_at), 'end_reason', enrolment.end_reason,
        'status', enrolment.status, 'tz', enrolment.zone, 'language', enrolment.language,
        'reminders_on', enrolment.reminders_on, 'data_kinds', (
          select coalesce(jsonb_object_agg(kind, research.instant_text(granted_at)), '{}')
          from research.enrolment_data_kind granted
          where granted.enrolment_id = entry.enrolment_id and granted.revoked_at is null)))
    when 'calibration' then (
      select jsonb_build_object(
        'recorded_at', research.instant_text(research.corrected_at(recorded_at, skew_ms)),
        'received_at', research.instant_text(received_at), 'clock_skew_s', skew_ms / 1000.0, 'mean_speed_kmh',
        mean_speed_kmh,
        'reduction_percent', reduction_percent, 'duration_s', duration_s, 'target_speed_kmh', target_speed_kmh)
      from research.calibration
      where calibration.enrolment_id = entry.enrolment_id and calibration_id = entry.subject_id)
    when 'occasion' then (
      select jsonb_build_object(
        'instrument', questionnaire, 'schedule', schedule, 'rule_version', study_version, 'day_index', day_index,
        'slot_index', slot_index, 'local_date', local_date, 'tz', zone, 'opens_at', research.instant_text(open_at),
        'due_at', research.instant_text(due_at), 'closes_at', research.instant_text(close_at), 'dst_adjusted',
        dst_adjusted,
        'set_aside', set_aside, 'completed_at', research.instant_text(completed_at), 'sheet_id', sheet_id)
      from research.occasion
      where occasion.enrolment_id = entry.enrolment_id and occasion_id = entry.subject_id)
    when 'walk' then (
      select jsonb_build_object(
        'started_at', research.instant_text(research.corrected_at(started_at, skew_ms)),
        'ended_at', research.instant_text(research.corrected_at(ended_at, skew_ms)),
        'received_at', research.instant_text(received_at), 'clock_skew_s', skew_ms / 1000.0, 'tz', zone, 'elapsed_s',
        elapsed_s, 'active_s', active_s,
        'pauses', cardinality(pauses_ms) / 2, 'distance_m', distance_m, 'mean_speed_kmh', mean_speed_kmh,
        'mean_pace_s_per_km', mean_pace_s_per_km, 'mean_hr_bpm', mean_heart_rate_bpm, 'max_hr_bpm', max_heart_rate_bpm,
        'active_energy_kcal', active_energy_kcal, 'target_speed_kmh', target_speed_kmh,
        'above_target_s', above_target_s, 'above_target_count', above_target_count, 'coverage', coverage,
        'samples', cardinality(t_ms), 'calibration_id', calibration_id, 'flags', flags, 'sport', sport)
      from research.walk
      where walk.enrolment_id = entry.enrolment_id and walk_id = entry.subject_id and deleted_at is null)
    when 'observation' then (
      select jsonb_build_object(
        'rev', revision, 'system', system, 'code', code,
        'started_at', research.instant_text(research.corrected_at(started_at, skew_ms)),
        'ended_at', research.instant_text(research.corrected_at(ended_at, skew_ms)),
        'received_at', research.instant_text(received_at), 'clock_skew_s', skew_ms / 1000.0, 'tz', zone,
        'modality', modality, 'statistic', statistic, 'component_systems', component_systems,
        'component_codes', component_codes, 'units', units, 'counts', counts, 'minima', minima, 'maxima', maxima,
        'means', means, 'samples', cardinality(t_ms), 'flags', flags)
      from research.observation
      where observation.enrolment_id = entry.enrolment_id and observation_id = entry.subject_id and deleted_at is null)
    when 'usage_event' then (
      select jsonb_build_object(
        'event', event, 'happened_at', research.instant_text(research.corrected_at(happened_at, skew_ms)),
        'received_at', research.instant_text(received_at), 'clock_skew_s', skew_ms / 1000.0, 'tz', zone,
        'occasion_id', occasion_id, 'instrument', questionnaire, 'feature', feature, 'collection', collection,
        'item', item, 'seconds', seconds, 'properties', properties)
      from research.usage_event
      where usage_event.enrolment_id = entry.enrolment_id and event_id = entry.subject_id)
    else (
      select jsonb_build_object(
        'occasion_id', occasion_id, 'instrument', questionnaire, 'version', version, 'rev', revision,
        'study_version', study_version, 'consent_version', consent_version, 'language', language,
        'standing', standing, 'late_s', late_s,
        'started_at', research.instant_text(research.corrected_at(started_at, skew_ms)),
        'submitted_at', research.instant_text(research.corrected_at(completed_at, skew_ms)), 'received_at',
        research.instant_text(received_at),
        'tz', zone, 'clock_skew_s', skew_ms / 1000.0, 'flags', flags, 'cleared', cleared,
        'duplicate_of', duplicate_of, 'completes', completes, 'walk_id', walk_id, 'refers_to', refers_to,
        'source', source)
      from research.answer_sheet sheet
      where sheet.enrolment_id = entry.enrolment_id and sheet_id = entry.subject_id and current and deleted_at is null)
  end)::text end as body
from entry
left join research.enrolment using (enrolment_id)
order by entry.change_seq;

-- name: find_feed_state(study text) :one
-- Whether committed changes have no number yet, and the last number. A poller asks this often, so it locks and writes
-- nothing.
select exists (select from research.change where study = :study and change_seq is null)
    or exists (
      select from research.erasure where study = :study and change_seq is null and enrolment_ref is not null)
    as is_waiting,
  coalesce((select last_seq from research.change_counter where study = :study), 0) as last_seq;

-- name: list_change_events(study text, after int8, limit_rows int4) :many
-- What list_changes lists, without the records. is_deleted is true where the body of list_changes is null.
with entry as (
  select change_seq, kind, enrolment_id, subject_id
  from research.change
  where study = :study and change_seq > :after
  union all
  select change_seq, 'enrolment', null, null
  from research.erasure
  where study = :study and change_seq > :after
  order by change_seq
  limit :limit_rows
)
select entry.change_seq, entry.kind, entry.subject_id, enrolment.participant_id,
  enrolment.enrolment_id is null or enrolment.status = 'excluded' or not (case entry.kind
    when 'enrolment' then true
    when 'calibration' then exists (
      select from research.calibration
      where calibration.enrolment_id = entry.enrolment_id and calibration_id = entry.subject_id)
    when 'occasion' then exists (
      select from research.occasion
      where occasion.enrolment_id = entry.enrolment_id and occasion_id = entry.subject_id)
    when 'walk' then exists (
      select from research.walk
      where walk.enrolment_id = entry.enrolment_id and walk_id = entry.subject_id and deleted_at is null)
    when 'observation' then exists (
      select from research.observation
      where observation.enrolment_id = entry.enrolment_id and observation_id = entry.subject_id and deleted_at is null)
    when 'usage_event' then exists (
      select from research.usage_event
      where usage_event.enrolment_id = entry.enrolment_id and event_id = entry.subject_id)
    else exists (
      select from research.answer_sheet sheet
      where sheet.enrolment_id = entry.enrolment_id and sheet_id = entry.subject_id and current and deleted_at is null)
  end) as is_deleted
from entry
left join research.enrolment using (enrolment_id)
order by entry.change_seq;

-- name: list_sheets_by_keys(enrolment_ids uuid[], sheet_ids uuid[]) :many
select sheet.enrolment_id, sheet.sheet_id, revision, occasion_id, questionnaire, version, study_version, language,
  started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source
from research.answer_sheet sheet
join unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[]) as wanted (enrolment_id, sheet_id)
  on sheet.enrolment_id = wanted.enrolment_id and sheet.sheet_id = wanted.sheet_id
where sheet.current;

-- name: list_texts_by_keys(enrolment_ids uuid[], sheet_ids uuid[]) :many
select answer.enrolment_id, answer.sheet_id, answer.revision, answer.item, answer.text
from research.answer_text answer
join unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[]) as wanted (enrolment_id, sheet_id)
  on answer.enrolment_id = wanted.enrolment_id and answer.sheet_id = wanted.sheet_id;

-- name: list_scores_by_keys(enrolment_ids uuid[], sheet_ids uuid[]) :many
-- The score of the newest key, for each scale.
select distinct on (score.enrolment_id, score.sheet_id, score.revision, scale)
  score.enrolment_id, score.sheet_id, score.revision, scale, key_version, value, reason, band, item_count,
  answered_count, imputed_count,
  exclusion, standard_error
from research.score
join unnest(:enrolment_ids::uuid[], :sheet_ids::uuid[]) as wanted (enrolment_id, sheet_id)
  on score.enrolment_id = wanted.enrolment_id and score.sheet_id = wanted.sheet_id
order by score.enrolment_id, score.sheet_id, score.revision, scale, computed_at desc, key_digest;
