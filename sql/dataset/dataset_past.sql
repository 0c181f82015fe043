-- The tables of schema research at an earlier instant, for a dataset with `as_of`. PastTables replaces research.<table>
-- in the statements of a dataset by the statement past_<table>; past.<table> in this file is the result of another
-- statement of this file. What is overwritten and cannot be restored is listed in DatasetRestoration.

-- name: past_study() :many
-- The live version is the version that was published last.
select
  study.study,
  (select published.version from research.study_version published
    where published.study = study.study
      and published.published_at <= current_setting('saunter.as_of')::timestamptz
    order by published.published_at desc, published.version desc limit 1) as live_version,
  case when study.closed_at <= current_setting('saunter.as_of')::timestamptz then study.closed_at end as closed_at
from research.study;

-- name: past_study_version() :many
select * from research.study_version where published_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment() :many
-- The status `excluded` is not restored: a participant who asked to be excluded is in no later dataset.
select
  enrolment.enrolment_id,
  enrolment.study,
  coalesce(
    (select followed.study_version from research.enrolment_version followed
      where followed.enrolment_id = enrolment.enrolment_id
        and followed.followed_from <= current_setting('saunter.as_of')::timestamptz
      order by followed.followed_from desc, followed.study_version limit 1),
    enrolment.study_version) as study_version,
  enrolment.participant_id,
  coalesce(
    (select change.from_arm from research.arm_change change
      where change.enrolment_id = enrolment.enrolment_id
        and change.changed_at > current_setting('saunter.as_of')::timestamptz
      order by change.ordinal limit 1),
    enrolment.arm) as arm,
  enrolment.allocation_stratum,
  enrolment.allocation_position,
  enrolment.allocation_method,
  coalesce(earlier.consent_version, enrolment.consent_version) as consent_version,
  coalesce(earlier.consented_at, enrolment.consented_at) as consented_at,
  enrolment.enrolled_at,
  enrolment.enrolled_on,
  enrolment.zone_at_start,
  case
    when not exists (
      select from research.enrolment_zone history
      where history.enrolment_id = enrolment.enrolment_id
        and history.effective_from > current_setting('saunter.as_of')::timestamptz)
      then enrolment.zone
    else coalesce(
      (select history.zone from research.enrolment_zone history
        where history.enrolment_id = enrolment.enrolment_id
          and history.effective_from <= current_setting('saunter.as_of')::timestamptz
        order by history.effective_from desc limit 1),
      enrolment.zone_at_start)
  end as zone,
  enrolment.language,
  case when enrolment.status = 'stopped' and enrolment.ended_at > current_setting('saunter.as_of')::timestamptz
    then 'active' else enrolment.status end as status,
  case when enrolment.ended_at <= current_setting('saunter.as_of')::timestamptz then enrolment.ended_at end as ended_at,
  case when enrolment.ended_at <= current_setting('saunter.as_of')::timestamptz then enrolment.end_reason end
    as end_reason,
  enrolment.reminder_at,
  enrolment.reminders_on,
  enrolment.reminder_channels,
  enrolment.allocation_factors,
  enrolment.allocation_basis,
  enrolment.account_kind
from research.enrolment
left join lateral (
  select consent.consent_version, consent.consented_at
  from research.enrolment_consent consent
  where consent.enrolment_id = enrolment.enrolment_id
    and consent.consented_at <= current_setting('saunter.as_of')::timestamptz
  order by consent.consented_at desc, consent.consent_version limit 1
) as earlier on enrolment.consented_at > current_setting('saunter.as_of')::timestamptz
where enrolment.enrolled_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_arm_change() :many
select * from research.arm_change where changed_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_consent() :many
select * from research.enrolment_consent where consented_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_event() :many
select * from research.enrolment_event where recorded_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_pause() :many
select
  pause.enrolment_id,
  pause.from_at,
  case when pause.to_at <= current_setting('saunter.as_of')::timestamptz then pause.to_at end as to_at
from research.enrolment_pause pause
where pause.from_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_version() :many
select * from research.enrolment_version where followed_from <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_zone() :many
select * from research.enrolment_zone where effective_from <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_data_kind() :many
select
  granted.enrolment_id,
  granted.kind,
  granted.granted_at,
  case when granted.revoked_at <= current_setting('saunter.as_of')::timestamptz then granted.revoked_at end as revoked_at,
  case when granted.purged_at <= current_setting('saunter.as_of')::timestamptz then granted.purged_at end as purged_at
from research.enrolment_data_kind granted
where granted.granted_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_entitlement_period() :many
select * from research.entitlement_period where recorded_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_enrolment_code_use() :many
select * from research.enrolment_code_use where used_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_removed_sheet() :many
-- The sheets that fulfilled an occasion then and have been deleted since: at most one per occasion. Of several, the
-- first received one fulfilled the occasion, as in hand_on_occasion.
select distinct on (sheet.enrolment_id, sheet.occasion_id)
  sheet.enrolment_id,
  sheet.occasion_id,
  sheet.sheet_id,
  sheet.received_at,
  research.corrected_at(sheet.completed_at, sheet.skew_ms) as completed_at
from research.answer_sheet sheet
where sheet.current and sheet.completes and sheet.duplicate_of is null and sheet.occasion_id is not null
  and sheet.received_at <= current_setting('saunter.as_of')::timestamptz
  and sheet.deleted_at > current_setting('saunter.as_of')::timestamptz
  and 'purged' <> all (sheet.flags)
order by sheet.enrolment_id, sheet.occasion_id, sheet.received_at, sheet.sheet_id;

-- name: past_occasion() :many
-- An occasion that has opened keeps its window, so only the windows of later occasions may have moved since. The reasons
-- for an exclusion that may not have existed yet: a pause covers the window from its opening to its due time (a pause
-- that has ended since had no end then), the participant left before the window closed, or the walk or sheet that the
-- occasion follows was deleted.
select
  occasion.enrolment_id,
  occasion.occasion_id,
  occasion.schedule,
  occasion.anchor_instance,
  occasion.day_index,
  occasion.slot_index,
  occasion.questionnaire,
  occasion.study_version,
  occasion.local_date,
  occasion.zone,
  occasion.visible_at,
  occasion.open_at,
  occasion.due_at,
  occasion.close_at,
  occasion.dst_adjusted,
  case
    when occasion.set_aside = 'cancelled' and (
      exists (
        select from research.walk
        where walk.enrolment_id = occasion.enrolment_id and walk.walk_id::text = occasion.anchor_instance
          and walk.deleted_at > current_setting('saunter.as_of')::timestamptz)
      or exists (
        select from research.answer_sheet sheet
        where sheet.enrolment_id = occasion.enrolment_id and sheet.sheet_id::text = occasion.anchor_instance
          and sheet.deleted_at > current_setting('saunter.as_of')::timestamptz))
      then null
    when occasion.set_aside is null or occasion.set_aside = 'paused' or occasion.set_aside = 'withdrawn' and exists (
      select from research.enrolment
      where enrolment.enrolment_id = occasion.enrolment_id
        and enrolment.ended_at > current_setting('saunter.as_of')::timestamptz)
      then case when exists (
        select from research.enrolment_pause pause
        where pause.enrolment_id = occasion.enrolment_id
          and pause.from_at <= least(occasion.open_at, current_setting('saunter.as_of')::timestamptz)
          and (pause.to_at > current_setting('saunter.as_of')::timestamptz
            or occasion.set_aside = 'paused' and (pause.to_at is null or pause.to_at > occasion.due_at)))
        then 'paused' end
    else occasion.set_aside
  end as set_aside,
  case
    when removed.sheet_id is not null then removed.completed_at
    when fulfilling.is_known or occasion.sheet_id is null
      and occasion.completed_at <= current_setting('saunter.as_of')::timestamptz
      then occasion.completed_at
  end as completed_at,
  coalesce(removed.sheet_id, case when fulfilling.is_known then occasion.sheet_id end) as sheet_id,
  occasion.planned_at
from research.occasion
left join past.removed_sheet removed using (enrolment_id, occasion_id)
cross join lateral (
  select exists (
    select from research.answer_sheet sheet
    where sheet.enrolment_id = occasion.enrolment_id and sheet.sheet_id = occasion.sheet_id and sheet.revision = 1
      and sheet.received_at <= current_setting('saunter.as_of')::timestamptz) as is_known
) as fulfilling
where occasion.planned_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_reminder() :many
-- A message that has been tried since was waiting for another try, or it had just been claimed.
select
  reminder.enrolment_id,
  reminder.kind,
  reminder.subject,
  reminder.ordinal,
  reminder.planned_at,
  least(reminder.claimed_at, tried.first_at) as claimed_at,
  reminder.occasion_count,
  case
    when tried.last_at <= current_setting('saunter.as_of')::timestamptz or tried.last_at is null then reminder.state
    when tried.first_at <= current_setting('saunter.as_of')::timestamptz then 'retrying'
    else 'claimed'
  end as state,
  reminder.why,
  reminder.message_id,
  case when reminder.sent_at <= current_setting('saunter.as_of')::timestamptz then reminder.sent_at end as sent_at,
  case when reminder.delivered_at <= current_setting('saunter.as_of')::timestamptz then reminder.delivered_at end
    as delivered_at,
  case when reminder.opened_at <= current_setting('saunter.as_of')::timestamptz then reminder.opened_at end as opened_at
from research.reminder
cross join lateral (
  select min(attempt.attempted_at) as first_at, max(attempt.attempted_at) as last_at
  from research.reminder_attempt attempt
  where attempt.enrolment_id = reminder.enrolment_id and attempt.kind = reminder.kind
    and attempt.subject = reminder.subject and attempt.ordinal = reminder.ordinal
) as tried
where least(reminder.claimed_at, tried.first_at) <= current_setting('saunter.as_of')::timestamptz;

-- name: past_reminder_attempt() :many
select * from research.reminder_attempt where attempted_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_reminder_snooze() :many
select * from research.reminder_snooze where asked_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_amendment() :many
-- An edit is decided when it arrives, or when its record arrives later.
select
  edit.enrolment_id,
  edit.amendment_id,
  edit.subject,
  edit.subject_id,
  edit.kind,
  edit.made_at,
  edit.received_at,
  edit.body,
  case when is_waiting then 'waiting' else edit.state end as state,
  case when not is_waiting then edit.refusal end as refusal,
  case when not is_waiting then edit.revision end as revision,
  edit.device_id,
  edit.sequence,
  edit.stated_at
from research.amendment edit
cross join lateral (
  select case edit.subject
    when 'answer_sheet' then exists (
      select from research.answer_sheet sheet
      where sheet.enrolment_id = edit.enrolment_id and sheet.sheet_id = edit.subject_id and sheet.revision = 1
        and sheet.received_at > current_setting('saunter.as_of')::timestamptz)
    when 'walk' then exists (
      select from research.walk
      where walk.enrolment_id = edit.enrolment_id and walk.walk_id = edit.subject_id
        and walk.received_at > current_setting('saunter.as_of')::timestamptz)
    else exists (
      select from research.observation
      where observation.enrolment_id = edit.enrolment_id and observation.observation_id = edit.subject_id
        and observation.received_at > current_setting('saunter.as_of')::timestamptz)
  end as is_waiting
) as decided
where edit.received_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_answer_sheet() :many
-- A purged sheet stays deleted, because its answers no longer exist. A sheet whose occasion was planned later had no
-- occasion. A sheet that arrived after a sheet that has been deleted since was its duplicate.
select
  sheet.enrolment_id,
  sheet.sheet_id,
  sheet.revision,
  sheet.current or not exists (
    select from research.answer_sheet newer
    where newer.enrolment_id = sheet.enrolment_id and newer.sheet_id = sheet.sheet_id
      and newer.revision > sheet.revision
      and newer.revised_at <= current_setting('saunter.as_of')::timestamptz) as current,
  planned.occasion_id,
  sheet.questionnaire,
  sheet.version,
  sheet.study_version,
  sheet.consent_version,
  sheet.language,
  sheet.started_at,
  sheet.completed_at,
  sheet.received_at,
  sheet.zone,
  sheet.started_offset_min,
  sheet.completed_offset_min,
  sheet.skew_ms,
  sheet.standing,
  sheet.late_s,
  sheet.flags,
  sheet.completes and (planned.occasion_id is not null or sheet.occasion_id is null) as completes,
  case
    when (removed.received_at, removed.sheet_id) < (sheet.received_at, sheet.sheet_id) then removed.sheet_id
    when planned.occasion_id is not null or sheet.occasion_id is null then sheet.duplicate_of
  end as duplicate_of,
  sheet.walk_id,
  sheet.slots,
  sheet.numbers,
  sheet.cleared,
  sheet.timings,
  sheet.body_sha256,
  sheet.revised_at,
  sheet.revision_reason,
  case when sheet.deleted_at <= current_setting('saunter.as_of')::timestamptz or 'purged' = any (sheet.flags)
    then sheet.deleted_at end as deleted_at,
  sheet.repeated,
  sheet.presented,
  sheet.device,
  sheet.refers_to,
  sheet.source
from research.answer_sheet sheet
left join research.occasion planned
  on planned.enrolment_id = sheet.enrolment_id and planned.occasion_id = sheet.occasion_id
  and planned.planned_at <= current_setting('saunter.as_of')::timestamptz
left join past.removed_sheet removed
  on removed.enrolment_id = sheet.enrolment_id and removed.occasion_id = sheet.occasion_id
where coalesce(sheet.revised_at, sheet.received_at) <= current_setting('saunter.as_of')::timestamptz;

-- name: past_answer_text() :many
select answer.*
from research.answer_text answer
join research.answer_sheet sheet using (enrolment_id, sheet_id, revision)
where coalesce(sheet.revised_at, sheet.received_at) <= current_setting('saunter.as_of')::timestamptz;

-- name: past_score() :many
select * from research.score where computed_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_calibration() :many
select * from research.calibration where received_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_walk() :many
-- A walk that arrived before its calibration had none until then.
select
  walk.enrolment_id,
  walk.walk_id,
  walk.started_at,
  walk.ended_at,
  walk.received_at,
  walk.zone,
  walk.started_offset_min,
  walk.ended_offset_min,
  walk.device,
  case when is_calibrated then walk.calibration_id end as calibration_id,
  case when is_calibrated then walk.flags else walk.flags || '{calibration_missing}'::text[] end as flags,
  walk.sport,
  walk.pauses_ms,
  walk.totals,
  walk.t_ms,
  walk.speed_kmh,
  walk.heart_rate_bpm,
  walk.sample_distance_m,
  walk.sample_energy_kcal,
  walk.elapsed_s,
  walk.active_s,
  walk.distance_m,
  walk.mean_speed_kmh,
  walk.mean_pace_s_per_km,
  walk.mean_heart_rate_bpm,
  walk.max_heart_rate_bpm,
  walk.active_energy_kcal,
  case when is_calibrated then walk.target_speed_kmh end as target_speed_kmh,
  case when is_calibrated then walk.above_target_s end as above_target_s,
  case when is_calibrated then walk.above_target_count end as above_target_count,
  walk.coverage,
  case when walk.deleted_at <= current_setting('saunter.as_of')::timestamptz then walk.deleted_at end as deleted_at,
  walk.skew_ms
from research.walk
cross join lateral (
  select walk.calibration_id is null or exists (
    select from research.calibration
    where calibration.enrolment_id = walk.enrolment_id and calibration.calibration_id = walk.calibration_id
      and calibration.received_at <= current_setting('saunter.as_of')::timestamptz) as is_calibrated
) as known
where walk.received_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_observation() :many
-- A purged observation stays deleted, because its values no longer exist.
select
  observation.enrolment_id,
  observation.observation_id,
  observation.system,
  observation.code,
  observation.display,
  observation.started_at,
  observation.ended_at,
  observation.received_at,
  observation.zone,
  observation.started_offset_min,
  observation.ended_offset_min,
  observation.modality,
  observation.statistic,
  observation.device,
  observation.provenance,
  observation.detail,
  observation.flags,
  observation.component_systems,
  observation.component_codes,
  observation.component_displays,
  observation.units,
  observation.t_ms,
  observation.until_ms,
  observation.samples,
  observation.counts,
  observation.minima,
  observation.maxima,
  observation.means,
  observation.skew_ms,
  case when observation.deleted_at <= current_setting('saunter.as_of')::timestamptz or cardinality(observation.units) = 0
    then observation.deleted_at end as deleted_at,
  observation.revision
from research.observation
where observation.received_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_usage_event() :many
select * from research.usage_event where received_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_content_selection() :many
select * from research.content_selection where selected_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_content_edition() :many
select * from research.content_edition where published_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_content_publication() :many
select * from research.content_publication where published_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_decision() :many
select * from research.decision where decided_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_inbox_message() :many
select
  inbox.enrolment_id,
  inbox.message_id,
  inbox.collection,
  inbox.item,
  inbox.edition,
  inbox.target,
  inbox.broadcast_id,
  inbox.created_at,
  case when inbox.opened_at <= current_setting('saunter.as_of')::timestamptz then inbox.opened_at end as opened_at,
  case when inbox.acted_at <= current_setting('saunter.as_of')::timestamptz then inbox.acted_at end as acted_at,
  case when inbox.dismissed_at <= current_setting('saunter.as_of')::timestamptz then inbox.dismissed_at end as dismissed_at
from research.inbox_message inbox
where inbox.created_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_alert() :many
select
  alert.enrolment_id,
  alert.alert_id,
  alert.rule,
  alert.about,
  alert.raised_at,
  case when alert.acknowledged_at <= current_setting('saunter.as_of')::timestamptz then alert.acknowledged_at end
    as acknowledged_at,
  case when alert.acknowledged_at <= current_setting('saunter.as_of')::timestamptz then alert.note end as note
from research.alert
where alert.raised_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_broadcast() :many
select * from research.broadcast where created_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_award() :many
select * from research.award where awarded_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_device() :many
-- Of a device that has sent more since, the last contact and the submissions of that instant are unknown.
select
  device.enrolment_id,
  device.device_id,
  device.first_seen_at,
  case when device.last_seen_at <= current_setting('saunter.as_of')::timestamptz then device.last_seen_at end
    as last_seen_at,
  case when device.last_seen_at <= current_setting('saunter.as_of')::timestamptz then device.received end as received
from research.device
where device.first_seen_at <= current_setting('saunter.as_of')::timestamptz;

-- name: past_quarantine() :many
select * from research.quarantine where received_at <= current_setting('saunter.as_of')::timestamptz;
