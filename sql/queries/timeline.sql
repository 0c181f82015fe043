-- One participant, for researchers: what is stored about the enrolment, when it happened, and single answer sheets. Runs
-- under the role of datasets, which cannot read identities. Lists inside a row are JSON whose members have the names of
-- the columns, with instants in RFC 3339.

-- name: find_participant_history(enrolment_id uuid) :many
-- How much a participant has sent, and what has changed besides records. Arms are left out.
select enrolment.allocation_stratum as stratum,
  (select max(sheet.received_at) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id) as last_sheet_at,
  (select count(*) from research.answer_sheet sheet
    where sheet.enrolment_id = enrolment.enrolment_id and sheet.current and sheet.deleted_at is null) as sheets,
  (select count(*) from research.walk
    where walk.enrolment_id = enrolment.enrolment_id and walk.deleted_at is null) as walks,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select consent_version as version, study_version, language, research.instant_text(consented_at) as consented_at
    from research.enrolment_consent consent where consent.enrolment_id = enrolment.enrolment_id
    order by consent.consented_at, consent_version) as entry)::text as consents,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select kind, research.instant_text(granted_at) as granted_at, research.instant_text(revoked_at) as revoked_at,
      research.instant_text(purged_at) as purged_at
    from research.enrolment_data_kind permission where permission.enrolment_id = enrolment.enrolment_id
    order by permission.granted_at, kind) as entry)::text as data_kinds,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select research.instant_text(from_at) as "from", research.instant_text(to_at) as "to"
    from research.enrolment_pause pause where pause.enrolment_id = enrolment.enrolment_id
    order by pause.from_at) as entry)::text as pauses,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select research.instant_text(effective_from) as "from", zone as time_zone, source
    from research.enrolment_zone history where history.enrolment_id = enrolment.enrolment_id
    order by history.effective_from) as entry)::text as zones,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select study_version as version, research.instant_text(followed_from) as "from"
    from research.enrolment_version followed where followed.enrolment_id = enrolment.enrolment_id
    order by followed.followed_from, study_version) as entry)::text as versions,
  (select coalesce(json_agg(row_to_json(entry)), '[]') from (
    select award, rule, research.instant_text(awarded_at) as awarded_at
    from research.award where award.enrolment_id = enrolment.enrolment_id
    order by award.awarded_at, award, ordinal) as entry)::text as awards
from research.enrolment where enrolment.enrolment_id = :enrolment_id;

-- name: list_timeline(enrolment_id uuid, kinds text[], from_at timestamptz, to_at timestamptz, now timestamptz, position_at timestamptz, position_kind text, position_id text, is_newer bool, limit_rows int4) :many
-- What happened to a participant: the entries that are older than a position, the newest first, or with is_newer those
-- that are newer, the oldest first. Instants are by the corrected clock, and in whole milliseconds, because a position is.
-- detail is JSON; it is null for occasions and changes of the arm, which other statements return. It contains no answer,
-- no free text, no name, no address and no text of a message. A walk and an observation that the participant deleted are
-- left out; of a deleted sheet only that it was deleted is left.
with entry as (
  select occasion.open_at as at, 'occasion' as kind, occasion.occasion_id::text as id, null as state, null as questionnaire,
    null::json as detail
  from research.occasion
  where occasion.enrolment_id = :enrolment_id and occasion.open_at <= :now and 'occasion' = any (:kinds)
  union all
  select research.corrected_at(sheet.completed_at, sheet.skew_ms), 'sheet', sheet.sheet_id::text,
    case when sheet.deleted_at is null then sheet.standing else 'deleted' end, sheet.questionnaire,
    json_build_object('questionnaire', sheet.questionnaire, 'version', sheet.version, 'revision', sheet.revision,
      'occasion_id', sheet.occasion_id, 'standing', sheet.standing, 'late_s', sheet.late_s, 'flags', sheet.flags,
      'duplicate_of', sheet.duplicate_of, 'source', sheet.source,
      'received_at', research.instant_text(sheet.received_at), 'deleted_at', research.instant_text(sheet.deleted_at))
  from research.answer_sheet sheet
  where sheet.enrolment_id = :enrolment_id and sheet.current and 'sheet' = any (:kinds)
  union all
  select edit.made_at, 'edit', edit.amendment_id::text, edit.state, null,
    json_build_object('change', edit.kind, 'subject', edit.subject, 'subject_id', edit.subject_id,
      'revision', edit.revision, 'received_at', research.instant_text(edit.received_at))
  from research.amendment edit
  where edit.enrolment_id = :enrolment_id and 'edit' = any (:kinds)
  union all
  select research.corrected_at(walk.started_at, walk.skew_ms), 'walk', walk.walk_id::text, null, null,
    json_build_object(
      'ended_at', research.instant_text(research.corrected_at(walk.ended_at, walk.skew_ms)),
      'active_s', walk.active_s, 'distance_m', walk.distance_m, 'mean_speed_kmh', walk.mean_speed_kmh,
      'mean_heart_rate_bpm', walk.mean_heart_rate_bpm, 'target_speed_kmh', walk.target_speed_kmh,
      'above_target_s', walk.above_target_s, 'above_target_count', walk.above_target_count, 'coverage', walk.coverage,
      'flags', walk.flags, 'received_at', research.instant_text(walk.received_at))
  from research.walk
  where walk.enrolment_id = :enrolment_id and walk.deleted_at is null and 'walk' = any (:kinds)
  union all
  select research.corrected_at(calibration.recorded_at, calibration.skew_ms), 'calibration',
    calibration.calibration_id::text, null, null,
    json_build_object('mean_speed_kmh', calibration.mean_speed_kmh, 'reduction_percent', calibration.reduction_percent,
      'target_speed_kmh', calibration.target_speed_kmh, 'duration_s', calibration.duration_s,
      'received_at', research.instant_text(calibration.received_at))
  from research.calibration
  where calibration.enrolment_id = :enrolment_id and 'calibration' = any (:kinds)
  union all
  select research.corrected_at(observation.started_at, observation.skew_ms), 'observation',
    observation.observation_id::text, null, null,
    json_build_object('system', observation.system, 'code', observation.code,
      'ended_at', research.instant_text(research.corrected_at(observation.ended_at, observation.skew_ms)),
      'received_at', research.instant_text(observation.received_at))
  from research.observation
  where observation.enrolment_id = :enrolment_id and observation.deleted_at is null and 'observation' = any (:kinds)
  union all
  -- One entry per message: reminders that were sent together have one message. A message of a rule or of the study team
  -- is in the inbox, and has one reminder for each channel.
  select min(coalesce(reminder.sent_at, reminder.claimed_at)), 'message', reminder.message_id::text,
    case when bool_or(reminder.state = 'sent') then 'sent' else min(reminder.state) end, null,
    json_build_object('reminders', array_agg(distinct kind order by kind), 'rule', null,
      'broadcast_id', null, 'reason', min(reminder.why),
      'channels', array_remove(array_agg(distinct attempt.channel), null),
      'sent_at', research.instant_text(min(reminder.sent_at)),
      'delivered_at', research.instant_text(min(reminder.delivered_at)),
      'opened_at', research.instant_text(min(reminder.opened_at)), 'acted_at', null, 'dismissed_at', null)
  from research.reminder
  left join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
  where enrolment_id = :enrolment_id and reminder.inbox_message_id is null and 'message' = any (:kinds)
  group by reminder.message_id
  union all
  select inbox.created_at, 'message', inbox.message_id::text, coalesce(sent.state, 'sent'), null,
    json_build_object('reminders', '{}'::text[], 'rule', case when inbox.broadcast_id is null then inbox.rule end,
      'broadcast_id', inbox.broadcast_id, 'reason', sent.reason,
      'channels', coalesce(sent.channels, '{}'), 'sent_at', research.instant_text(sent.sent_at),
      'delivered_at', research.instant_text(sent.delivered_at),
      'opened_at', research.instant_text(coalesce(inbox.opened_at, sent.opened_at)),
      'acted_at', research.instant_text(inbox.acted_at), 'dismissed_at', research.instant_text(inbox.dismissed_at))
  from research.inbox_message inbox
  left join (
    select reminder.inbox_message_id as message_id,
      case when bool_or(reminder.state = 'sent') then 'sent' else min(reminder.state) end as state,
      min(reminder.why) as reason, array_remove(array_agg(distinct attempt.channel), null) as channels,
      min(reminder.sent_at) as sent_at, min(reminder.delivered_at) as delivered_at, min(reminder.opened_at) as opened_at
    from research.reminder
    left join research.reminder_attempt attempt using (enrolment_id, kind, subject, ordinal)
    where enrolment_id = :enrolment_id and reminder.inbox_message_id is not null
    group by reminder.inbox_message_id
  ) as sent using (message_id)
  where inbox.enrolment_id = :enrolment_id and 'message' = any (:kinds)
  union all
  select decision.decided_at, 'decision', concat_ws(':', decision.rule, decision.point, decision.key),
    decision.outcome, null,
    json_build_object('rule', decision.rule, 'point', decision.point, 'key', decision.key,
      'available', decision.available,
      'moment', research.instant_text(decision.moment), 'message_id', decision.message_id)
  from research.decision
  where decision.enrolment_id = :enrolment_id and 'decision' = any (:kinds)
  union all
  select alert.raised_at, 'alert', alert.alert_id::text,
    case when alert.acknowledged_at is null then 'open' else 'acknowledged' end, null,
    json_build_object('rule', alert.rule, 'about', alert.about, 'notices', alert.notices,
      'acknowledged_at', research.instant_text(alert.acknowledged_at))
  from research.alert
  where alert.enrolment_id = :enrolment_id and 'alert' = any (:kinds)
  union all
  select consent.consented_at, 'consent', consent.consent_version, null, null,
    json_build_object('version', consent.consent_version, 'study_version', consent.study_version,
      'language', consent.language)
  from research.enrolment_consent consent
  where consent.enrolment_id = :enrolment_id and 'consent' = any (:kinds)
  union all
  select changed.changed_at, 'arm', changed.ordinal::text, null, null, null
  from research.arm_change changed
  where changed.enrolment_id = :enrolment_id and 'arm' = any (:kinds)
  union all
  select history.effective_from, 'zone', history.zone, null, null,
    json_build_object('time_zone', history.zone, 'former_time_zone', history.former, 'source', history.source)
  from (
    select effective_from, zone, source, lag(zone) over (order by effective_from) as former
    from research.enrolment_zone where enrolment_id = :enrolment_id
  ) as history
  where history.former is not null and 'zone' = any (:kinds)
  union all
  select pause.from_at, 'pause', 'pause', case when pause.to_at <= :now then 'ended' else 'open' end, null,
    json_build_object('to', research.instant_text(pause.to_at))
  from research.enrolment_pause pause
  where pause.enrolment_id = :enrolment_id and 'pause' = any (:kinds)
  union all
  select happened.occurred_at, 'event', happened.event, null, null,
    json_build_object('event', happened.event, 'revision', happened.revision,
      'recorded_at', research.instant_text(happened.recorded_at))
  from research.enrolment_event happened
  where happened.enrolment_id = :enrolment_id and 'event' = any (:kinds)
    and not exists (
      select from research.enrolment_event later
      where later.enrolment_id = happened.enrolment_id and later.event = happened.event
        and later.revision > happened.revision)
  union all
  select changed.at, 'data_kind', permission.kind, changed.state, null,
    json_build_object('data_kind', permission.kind)
  from research.enrolment_data_kind permission
  cross join lateral (
    values (permission.granted_at, 'granted'), (permission.revoked_at, 'revoked')) as changed (at, state)
  where permission.enrolment_id = :enrolment_id and changed.at is not null and 'data_kind' = any (:kinds)
), dated as (
  select date_trunc('milliseconds', entry.at) as at, entry.kind, entry.id collate "C" as id, entry.state, entry.questionnaire,
    entry.detail
  from entry
)
select at, kind, id, state, questionnaire, detail::text as detail
from dated
where (:from_at::timestamptz is null or at >= :from_at) and (:to_at::timestamptz is null or at < :to_at)
  and (:position_at::timestamptz is null or case when :is_newer
    then (at, kind, id) > (:position_at, :position_kind, :position_id)
    else (at, kind, id) < (:position_at, :position_kind, :position_id) end)
order by
  case when :is_newer then at end, case when :is_newer then kind end, case when :is_newer then id end,
  at desc, kind desc, id desc
limit :limit_rows;

-- name: list_current_scores(enrolment_id uuid, sheet_ids uuid[]) :many
-- The scores of the current revisions of these sheets by the newest key.
select distinct on (score.sheet_id, score.scale) score.sheet_id, score.scale, score.value, score.band
from research.score
join research.answer_sheet sheet using (enrolment_id, sheet_id, revision)
where score.enrolment_id = :enrolment_id and score.sheet_id = any (:sheet_ids) and sheet.current
  and sheet.deleted_at is null
order by score.sheet_id, score.scale, score.computed_at desc, score.key_digest;

-- name: find_sheet_revision(enrolment_id uuid, sheet_id uuid, revision int4) :many
-- One revision of a sheet; without a revision the current one.
select sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source,
  timings::text as timings, device::text as device
from research.answer_sheet
where enrolment_id = :enrolment_id and sheet_id = :sheet_id
  and case when :revision::int4 is null then current else revision = :revision end;

-- name: list_sheet_revisions(enrolment_id uuid, sheet_id uuid) :many
select revision, current, coalesce(revised_at, received_at) as made_at, revision_reason
from research.answer_sheet
where enrolment_id = :enrolment_id and sheet_id = :sheet_id
order by revision;

-- name: list_revision_scores(enrolment_id uuid, sheet_id uuid, revision int4) :many
-- All scores that were ever computed for a revision; those by the newest key are first.
select scale, value, reason, band, item_count, answered_count, imputed_count, exclusion, standard_error, key_version,
  key_digest, engine_version, computed_at
from research.score
where enrolment_id = :enrolment_id and sheet_id = :sheet_id and revision = :revision
order by scale, computed_at desc, key_digest;
