-- A participant's own data, for the participant. Each statement returns JSON objects whose members have the names of the
-- columns, with instants in RFC 3339. OwnDataCoverageTests compares them with the schema. Lists return one page, in the
-- order of position; after is the position of the last row of the page before.

-- name: own_enrolment(enrolment_id uuid, shows_arm bool) :many
-- shows_arm is false while the study conceals the arm. Then all that follows from the arm is null or empty.
select row_to_json(own)::text as body
from (
  select enrolment_id, participant_id, study, study_version, status,
    case when :shows_arm then arm end as arm,
    case when :shows_arm then allocation_method end as allocation_method,
    allocation_factors, consent_version,
    research.instant_text(consented_at) as consented_at, research.instant_text(enrolled_at) as enrolled_at, enrolled_on,
    zone_at_start, zone, language, research.instant_text(ended_at) as ended_at, end_reason,
    reminder_at, reminders_on, reminder_channels, email_verified, account_kind,
    research.instant_text(next_reminder_at) as next_reminder_at, planned_through,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select consent_version, study_version, language, research.instant_text(consented_at) as consented_at, text_digest
      from research.enrolment_consent where enrolment_id = :enrolment_id order by enrolment_consent.consented_at) as entry)
      as enrolment_consent,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select kind, research.instant_text(granted_at) as granted_at, research.instant_text(revoked_at) as revoked_at,
        research.instant_text(purged_at) as purged_at
      from research.enrolment_data_kind where enrolment_id = :enrolment_id
      order by enrolment_data_kind.granted_at, kind) as entry)
      as enrolment_data_kind,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select entitlement_id, research.instant_text(valid_from) as valid_from,
        research.instant_text(recorded_at) as recorded_at, entitlement, source,
        research.instant_text(valid_until) as valid_until, research.instant_text(revoked_at) as revoked_at
      from research.entitlement_period where enrolment_id = :enrolment_id
      order by entitlement_period.valid_from, entitlement_id, entitlement_period.recorded_at) as entry)
      as entitlement_period,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select event, revision, research.instant_text(occurred_at) as occurred_at,
        research.instant_text(recorded_at) as recorded_at
      from research.enrolment_event where enrolment_id = :enrolment_id order by event, revision) as entry)
      as enrolment_event,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select research.instant_text(from_at) as from_at, research.instant_text(to_at) as to_at
      from research.enrolment_pause where enrolment_id = :enrolment_id order by enrolment_pause.from_at) as entry)
      as enrolment_pause,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select study_version, research.instant_text(followed_from) as followed_from
      from research.enrolment_version where enrolment_id = :enrolment_id
      order by enrolment_version.followed_from, study_version) as entry)
      as enrolment_version,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select zone, source, research.instant_text(effective_from) as effective_from
      from research.enrolment_zone where enrolment_id = :enrolment_id order by enrolment_zone.effective_from) as entry)
      as enrolment_zone,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select code_id, research.instant_text(used_at) as used_at
      from research.enrolment_code_use where enrolment_id = :enrolment_id) as entry)
      as enrolment_code_use,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select ordinal, from_arm, to_arm, reason, research.instant_text(changed_at) as changed_at
      from research.arm_change where enrolment_id = :enrolment_id and :shows_arm order by ordinal) as entry)
      as arm_change,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select ordinal, reason, research.instant_text(unblinded_at) as unblinded_at
      from research.enrolment_unblinding where enrolment_id = :enrolment_id and :shows_arm order by ordinal) as entry)
      as enrolment_unblinding,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select award, ordinal, rule, research.instant_text(awarded_at) as awarded_at
      from research.award where enrolment_id = :enrolment_id order by award, ordinal) as entry)
      as award,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select alert_id, rule, about, research.instant_text(raised_at) as raised_at, notices,
        research.instant_text(next_notice_at) as next_notice_at,
        research.instant_text(acknowledged_at) as acknowledged_at, note
      from research.alert where enrolment_id = :enrolment_id order by raised_at, alert_id) as entry)
      as alert,
    research.instant_text(next_decision_at) as next_decision_at, research.instant_text(decided_until) as decided_until,
    undecided_records,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select channel, failures, research.instant_text(last_failed_at) as last_failed_at,
        research.instant_text(unreachable_since) as unreachable_since
      from research.reminder_channel where enrolment_id = :enrolment_id order by channel) as entry)
      as reminder_channel
  from research.enrolment where enrolment_id = :enrolment_id
) as own;

-- name: list_own_occasions(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(occasion_id)::text as position, row_to_json(own)::text as body
from (
  select occasion_id, questionnaire, schedule, anchor_instance, day_index, slot_index, study_version, local_date, zone,
    research.instant_text(visible_at) as visible_at, research.instant_text(open_at) as open_at,
    research.instant_text(due_at) as due_at, research.instant_text(close_at) as close_at, dst_adjusted, set_aside,
    research.instant_text(completed_at) as completed_at, sheet_id, research.instant_text(planned_at) as planned_at
  from research.occasion
  where enrolment_id = :enrolment_id and occasion_id > (:after ->> 0)::uuid
  order by occasion_id
  limit :limit_rows
) as own
order by occasion_id;

-- name: list_own_answer_sheets(enrolment_id uuid, after jsonb, limit_rows int4) :many
-- Every revision, in the order of completion: the columns that StoredSheet reads, and body.
select jsonb_build_array(completed_at, sheet_id, revision)::text as position,
  sheet_id, revision, occasion_id, questionnaire, version, study_version, language, started_at, completed_at,
  received_at, zone, standing, late_s, flags, duplicate_of, walk_id, slots, numbers, cleared, revised_at, deleted_at,
  repeated::text as repeated, presented::text as presented, skew_ms, completed_offset_min, refers_to, source,
  (select row_to_json(own)::text from (
    select sheet.sheet_id, sheet.revision, sheet.current, sheet.questionnaire, sheet.version, sheet.study_version,
      sheet.consent_version, sheet.language, sheet.occasion_id, sheet.refers_to, sheet.source, sheet.walk_id,
      research.instant_text(sheet.started_at) as started_at, research.instant_text(sheet.completed_at) as completed_at,
      research.instant_text(sheet.received_at) as received_at, sheet.zone, sheet.started_offset_min,
      sheet.completed_offset_min, sheet.skew_ms, sheet.standing, sheet.late_s, sheet.completes, sheet.duplicate_of,
      sheet.flags, sheet.cleared, sheet.timings, sheet.presented, sheet.device,
      research.instant_text(sheet.revised_at) as revised_at, sheet.revision_reason,
      research.instant_text(sheet.deleted_at) as deleted_at) as own) as body
from research.answer_sheet sheet
where enrolment_id = :enrolment_id
  and (completed_at, sheet_id, revision) > ((:after ->> 0)::timestamptz, (:after ->> 1)::uuid, (:after ->> 2)::int)
order by completed_at, sheet_id, revision
limit :limit_rows;

-- name: list_own_scores(enrolment_id uuid, sheet_ids uuid[]) :many
-- All scores that were ever computed for these sheets.
select score.sheet_id, score.revision, row_to_json(own)::text as body
from research.score
cross join lateral (
  select score.scale, score.value, score.reason, score.band, score.item_count, score.answered_count,
    score.imputed_count, score.exclusion, score.standard_error, score.covariates, score.key_version, score.key_digest,
    score.engine_version, research.instant_text(score.computed_at) as computed_at) as own
where score.enrolment_id = :enrolment_id and score.sheet_id = any (:sheet_ids)
order by score.sheet_id, score.revision, score.scale, score.computed_at, score.key_digest, score.engine_version;

-- name: list_own_walks(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(walk.started_at, walk.walk_id)::text as position, row_to_json(own)::text as body
from research.walk
cross join lateral (
  select walk.walk_id, walk.sport, research.instant_text(walk.started_at) as started_at,
    research.instant_text(walk.ended_at) as ended_at, research.instant_text(walk.received_at) as received_at, walk.zone,
    walk.started_offset_min, walk.ended_offset_min, walk.skew_ms, walk.elapsed_s, walk.active_s, walk.distance_m,
    walk.mean_speed_kmh, walk.mean_pace_s_per_km, walk.mean_heart_rate_bpm, walk.max_heart_rate_bpm,
    walk.active_energy_kcal, walk.target_speed_kmh, walk.above_target_s, walk.above_target_count, walk.coverage,
    walk.calibration_id, walk.flags, walk.device, walk.totals, walk.pauses_ms, walk.t_ms, walk.speed_kmh,
    walk.heart_rate_bpm, walk.sample_distance_m, walk.sample_energy_kcal,
    research.instant_text(walk.deleted_at) as deleted_at) as own
where walk.enrolment_id = :enrolment_id
  and (walk.started_at, walk.walk_id) > ((:after ->> 0)::timestamptz, (:after ->> 1)::uuid)
order by walk.started_at, walk.walk_id
limit :limit_rows;

-- name: list_own_walk_summaries(enrolment_id uuid, after jsonb, limit_rows int4) :many
-- For the readable page: without series, and without deleted walks.
select jsonb_build_array(walk.started_at, walk.walk_id)::text as position, row_to_json(own)::text as body
from research.walk
cross join lateral (
  select research.instant_text(walk.started_at) as started_at, walk.zone, walk.sport, walk.active_s, walk.distance_m,
    walk.mean_speed_kmh, walk.mean_heart_rate_bpm, walk.active_energy_kcal) as own
where walk.enrolment_id = :enrolment_id and walk.deleted_at is null
  and (walk.started_at, walk.walk_id) > ((:after ->> 0)::timestamptz, (:after ->> 1)::uuid)
order by walk.started_at, walk.walk_id
limit :limit_rows;

-- name: list_own_calibrations(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(calibration.calibration_id)::text as position, row_to_json(own)::text as body
from research.calibration
cross join lateral (
  select calibration.calibration_id, research.instant_text(calibration.recorded_at) as recorded_at,
    research.instant_text(calibration.received_at) as received_at, calibration.skew_ms, calibration.mean_speed_kmh,
    calibration.reduction_percent, calibration.duration_s, calibration.target_speed_kmh) as own
where calibration.enrolment_id = :enrolment_id and calibration.calibration_id > (:after ->> 0)::uuid
order by calibration.calibration_id
limit :limit_rows;

-- name: list_own_observations(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(observation.observation_id)::text as position, row_to_json(own)::text as body
from research.observation
cross join lateral (
  select observation.observation_id, observation.revision, observation.system, observation.code, observation.display,
    research.instant_text(observation.started_at) as started_at, research.instant_text(observation.ended_at) as ended_at,
    research.instant_text(observation.received_at) as received_at, observation.zone, observation.started_offset_min,
    observation.ended_offset_min, observation.skew_ms, observation.modality, observation.statistic,
    observation.device, observation.provenance, observation.detail, observation.flags, observation.component_systems,
    observation.component_codes, observation.component_displays, observation.units, observation.t_ms,
    observation.until_ms, observation.samples, observation.counts, observation.minima, observation.maxima,
    observation.means, research.instant_text(observation.deleted_at) as deleted_at) as own
where observation.enrolment_id = :enrolment_id and observation.observation_id > (:after ->> 0)::uuid
order by observation.observation_id
limit :limit_rows;

-- name: list_own_usage_events(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(usage_event.event_id)::text as position, row_to_json(own)::text as body
from research.usage_event
cross join lateral (
  select usage_event.event_id, usage_event.event, research.instant_text(usage_event.happened_at) as happened_at,
    research.instant_text(usage_event.received_at) as received_at, usage_event.zone, usage_event.offset_min,
    usage_event.skew_ms, usage_event.occasion_id, usage_event.questionnaire, usage_event.feature,
    usage_event.collection, usage_event.item, usage_event.seconds, usage_event.properties) as own
where usage_event.enrolment_id = :enrolment_id and usage_event.event_id > (:after ->> 0)::uuid
order by usage_event.event_id
limit :limit_rows;

-- name: list_own_reminders(enrolment_id uuid, after jsonb, limit_rows int4) :many
-- With the attempts to deliver each message.
select jsonb_build_array(reminder.kind, reminder.subject, reminder.ordinal)::text as position,
  row_to_json(own)::text as body
from research.reminder
cross join lateral (
  select reminder.message_id, reminder.kind, reminder.subject, reminder.ordinal, reminder.occasion_count, reminder.state,
    reminder.why, research.instant_text(reminder.planned_at) as planned_at,
    research.instant_text(reminder.claimed_at) as claimed_at, research.instant_text(reminder.expires_at) as expires_at,
    research.instant_text(reminder.next_attempt_at) as next_attempt_at,
    research.instant_text(reminder.sent_at) as sent_at, research.instant_text(reminder.delivered_at) as delivered_at,
    research.instant_text(reminder.opened_at) as opened_at, reminder.inbox_message_id, reminder.channel,
    (select coalesce(json_agg(row_to_json(entry)), '[]') from (
      select kind, subject, ordinal, attempt, channel, research.instant_text(attempted_at) as attempted_at, outcome,
        reply_code
      from research.reminder_attempt attempt
      where attempt.enrolment_id = reminder.enrolment_id and attempt.kind = reminder.kind
        and attempt.subject = reminder.subject and attempt.ordinal = reminder.ordinal
      order by attempt.attempt) as entry) as reminder_attempt) as own
where reminder.enrolment_id = :enrolment_id
  and (reminder.kind, reminder.subject, reminder.ordinal) > (:after ->> 0, :after ->> 1, (:after ->> 2)::int)
order by reminder.kind, reminder.subject, reminder.ordinal
limit :limit_rows;

-- name: list_own_reminder_snoozes(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(snooze.occasion_id, snooze.ordinal)::text as position, row_to_json(own)::text as body
from research.reminder_snooze snooze
cross join lateral (
  select snooze.occasion_id, snooze.ordinal, research.instant_text(snooze.asked_at) as asked_at,
    research.instant_text(snooze.until_at) as until_at) as own
where snooze.enrolment_id = :enrolment_id
  and (snooze.occasion_id, snooze.ordinal) > ((:after ->> 0)::uuid, (:after ->> 1)::int)
order by snooze.occasion_id, snooze.ordinal
limit :limit_rows;

-- name: list_own_devices(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(device.device_id)::text as position, row_to_json(own)::text as body
from research.device
cross join lateral (
  select device.device_id, research.instant_text(device.first_seen_at) as first_seen_at,
    research.instant_text(device.last_seen_at) as last_seen_at, device.received::text as received) as own
where device.enrolment_id = :enrolment_id and device.device_id > (:after ->> 0)::uuid
order by device.device_id
limit :limit_rows;

-- name: list_own_edits(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(edit.amendment_id)::text as position, row_to_json(own)::text as body
from research.amendment edit
cross join lateral (
  select edit.amendment_id, edit.subject, edit.subject_id, edit.kind, research.instant_text(edit.made_at) as made_at,
    research.instant_text(edit.received_at) as received_at, research.instant_text(edit.stated_at) as stated_at,
    edit.state, edit.refusal, edit.revision, edit.device_id, edit.sequence, edit.body) as own
where edit.enrolment_id = :enrolment_id and edit.amendment_id > (:after ->> 0)::uuid
order by edit.amendment_id
limit :limit_rows;

-- name: list_own_conflicts(enrolment_id uuid, after jsonb, limit_rows int4) :many
-- Bodies that were rejected because their id belongs to another body. They are JSON in UTF-8, because other bodies are
-- rejected before they are quarantined.
select jsonb_build_array(conflict.kind, conflict.client_id, encode(conflict.body_sha256, 'hex'))::text as position,
  row_to_json(own)::text as body
from research.quarantine conflict
cross join lateral (
  select conflict.kind, conflict.client_id, research.instant_text(conflict.received_at) as received_at,
    convert_from(conflict.body, 'UTF8') as body) as own
where conflict.enrolment_id = :enrolment_id
  and (conflict.kind, conflict.client_id, conflict.body_sha256)
    > (:after ->> 0, (:after ->> 1)::uuid, decode(:after ->> 2, 'hex'))
order by conflict.kind, conflict.client_id, conflict.body_sha256
limit :limit_rows;

-- name: list_own_logins(account_id uuid) :many
-- The logins of the account on its devices, without their tokens.
select created_at, expires_at, revoked_at, revoked_why from identity.token_family
where account_id = :account_id order by created_at, family_id;

-- name: list_own_mails(account_id uuid) :many
-- Mails that are not reminders, without their codes.
select kind, created_at, attempts, outcome from identity.outgoing_mail
where account_id = :account_id order by created_at, mail_id;

-- name: list_own_content_selections(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(selected.collection, selected.selector, selected.slot)::text as position,
  row_to_json(own)::text as body
from research.content_selection selected
cross join lateral (select selected.collection, selected.selector, selected.slot, selected.item, selected.edition,
  research.instant_text(selected.selected_at) as selected_at) as own
where selected.enrolment_id = :enrolment_id
  and (selected.collection, selected.selector, selected.slot) > (:after ->> 0, :after ->> 1, :after ->> 2)
order by selected.collection, selected.selector, selected.slot
limit :limit_rows;

-- name: list_own_decisions(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(decision.rule, decision.point, decision.key)::text as position, row_to_json(own)::text as body
from research.decision
cross join lateral (select decision.rule, decision.point, decision.key, decision.study_version,
  research.instant_text(decision.moment) as moment, research.instant_text(decision.decided_at) as decided_at,
  decision.outcome, decision.available, decision.probability, decision.draw, decision.variables,
  decision.message_id) as own
where decision.enrolment_id = :enrolment_id
  and (decision.rule, decision.point, decision.key) > (:after ->> 0, :after ->> 1, :after ->> 2)
order by decision.rule, decision.point, decision.key
limit :limit_rows;

-- name: list_own_inbox_messages(enrolment_id uuid, after jsonb, limit_rows int4) :many
select jsonb_build_array(inbox.message_id)::text as position, row_to_json(own)::text as body
from research.inbox_message inbox
cross join lateral (select inbox.message_id, inbox.rule, research.instant_text(inbox.created_at) as created_at,
  research.instant_text(inbox.expires_at) as expires_at, inbox.subject, inbox.body, inbox.target, inbox.collection,
  inbox.item, inbox.edition, inbox.counts_for_day, inbox.channels, inbox.broadcast_id,
  research.instant_text(inbox.opened_at) as opened_at, research.instant_text(inbox.acted_at) as acted_at,
  research.instant_text(inbox.dismissed_at) as dismissed_at) as own
where inbox.enrolment_id = :enrolment_id and inbox.message_id > (:after ->> 0)::uuid
order by inbox.message_id
limit :limit_rows;
