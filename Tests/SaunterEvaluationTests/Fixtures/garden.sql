-- A study of three days around the change to summer time in Berlin (29 March 2026), with at least one record of every kind. The tests run as of
-- 2026-03-30T18:00Z. Device clocks are wrong by skew_ms, and the times of devices are stored uncorrected.

insert into research.enrolment (enrolment_id, study, study_version, participant_id, arm, allocation_stratum, allocation_position,
  allocation_method, consent_version, consented_at, enrolled_at, enrolled_on, zone_at_start, zone, language, status, ended_at,
  end_reason, planned_through) values
('00000000-0000-4000-8000-0000000000e1', 'garden', '1.0.0', 'P001', 'plants', 'all', 0, 'permuted_blocks', '1.0.0',
  '2026-03-28T10:59:00Z', '2026-03-28T11:00:00.25Z', '2026-03-28', 'Europe/Berlin', 'Europe/Berlin', 'de', 'active', null, null, '2026-03-30'),
('00000000-0000-4000-8000-0000000000e2', 'garden', '2.0.0', 'P002', 'stones', 'all', 1, 'permuted_blocks', '1.0.0',
  '2026-03-28T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-28', 'America/New_York', 'Europe/Berlin', 'en', 'stopped',
  '2026-03-30T12:00:00Z', 'moved, and "gone"', '2026-03-30'),
('00000000-0000-4000-8000-0000000000e3', 'garden', '1.0.0', 'P003', 'plants', 'all', 2, 'permuted_blocks', '1.0.0',
  '2026-03-28T11:00:00Z', '2026-03-28T11:00:00Z', '2026-03-28', 'Europe/Berlin', 'Europe/Berlin', 'de', 'excluded',
  '2026-03-29T11:00:00Z', null, '2026-03-30'),
('00000000-0000-4000-8000-0000000000e9', 'meadow', '1.0.0', 'P009', 'plants', 'all', 0, 'permuted_blocks', '1.0.0',
  '2026-03-28T11:00:00Z', '2026-03-28T11:00:00Z', '2026-03-28', 'Europe/Berlin', 'Europe/Berlin', 'de', 'active', null, null, '2026-03-30');

insert into research.enrolment_zone values
('00000000-0000-4000-8000-0000000000e1', '2026-03-28T11:00:00Z', 'Europe/Berlin', 'enrolment'),
('00000000-0000-4000-8000-0000000000e2', '2026-03-28T23:00:00Z', 'America/New_York', 'enrolment'),
('00000000-0000-4000-8000-0000000000e2', '2026-03-29T20:00:00Z', 'Europe/Berlin', 'participant');

insert into research.arm_change values
('00000000-0000-4000-8000-0000000000e2', 1, 'plants', 'stones', 'a bed, "north", was full', '00000000-0000-4000-8000-0000000000d1',
  '2026-03-29T09:00:00.5Z');

insert into research.erasure values ('00000000-0000-4000-8000-0000000000f1', 'garden', '2026-03-29');

insert into research.occasion (enrolment_id, occasion_id, schedule, anchor_instance, day_index, slot_index, questionnaire, study_version,
  local_date, zone, visible_at, open_at, due_at, close_at, dst_adjusted, set_aside, completed_at, sheet_id, planned_at) values
-- on time, late, still open
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-8000-8000-0000000000a1', 'daily', '', 0, 0, 'mood', '1.0.0', '2026-03-28',
  'Europe/Berlin', '2026-03-28T16:00Z', '2026-03-28T16:00Z', '2026-03-28T21:00Z', '2026-03-28T23:00Z', false, null,
  '2026-03-28T16:30:00Z', '00000000-0000-4000-8000-0000000000c1', '2026-03-28T11:00:00Z'),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-8000-8000-0000000000a2', 'daily', '', 1, 0, 'mood', '1.0.0', '2026-03-29',
  'Europe/Berlin', '2026-03-29T15:00Z', '2026-03-29T15:00Z', '2026-03-29T20:00Z', '2026-03-29T22:00Z', true, null,
  '2026-03-29T21:00:00Z', '00000000-0000-4000-8000-0000000000c3', '2026-03-28T11:00:00Z'),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-8000-8000-0000000000a3', 'daily', '', 2, 0, 'mood', '1.0.0', '2026-03-30',
  'Europe/Berlin', '2026-03-30T15:00Z', '2026-03-30T15:00Z', '2026-03-30T20:00Z', '2026-03-30T22:00Z', false, null, null, null,
  '2026-03-28T11:00:00Z'),
-- missed, answered and then deleted (so missed), excluded (set_aside)
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-8000-8000-0000000000b1', 'daily', '', 0, 0, 'mood', '2.0.0', '2026-03-28',
  'America/New_York', '2026-03-28T21:00Z', '2026-03-28T21:00Z', '2026-03-29T02:00Z', '2026-03-29T04:00Z', false, null, null, null,
  '2026-03-28T23:00:00Z'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-8000-8000-0000000000b2', 'daily', '', 1, 0, 'mood', '2.0.0', '2026-03-29',
  'Europe/Berlin', '2026-03-29T15:00Z', '2026-03-29T15:00Z', '2026-03-29T20:00Z', '2026-03-29T22:00Z', false, null, null, null,
  '2026-03-28T23:00:00Z'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-8000-8000-0000000000b3', 'daily', '', 2, 0, 'mood', '2.0.0', '2026-03-30',
  'Europe/Berlin', '2026-03-30T15:00Z', '2026-03-30T15:00Z', '2026-03-30T20:00Z', '2026-03-30T22:00Z', false, 'withdrawn', null, null,
  '2026-03-28T23:00:00Z'),
('00000000-0000-4000-8000-0000000000e3', '00000000-0000-8000-8000-0000000000d1', 'daily', '', 0, 0, 'mood', '1.0.0', '2026-03-28',
  'Europe/Berlin', '2026-03-28T16:00Z', '2026-03-28T16:00Z', '2026-03-28T21:00Z', '2026-03-28T23:00Z', false, null, null, null,
  '2026-03-28T11:00:00Z');

-- Slots of mood 1.0.0: feel, why (work, home, none), calm, minutes, weight, day, at, moment, place, version, note.
-- Numbers: minutes, weight, day, at, moment. Of 1.1.0: why (money, work, none), no weight, extra before note; feel runs from 3 to 1.
insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version,
  consent_version, language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
  late_s, completes, flags, duplicate_of, walk_id, slots, numbers, cleared, body_sha256, revised_at, revision_reason, deleted_at) values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 1, false, '00000000-0000-8000-8000-0000000000a1',
  'mood', '1.0.0', '1.0.0', '1.0.0', 'de', '2026-03-28T16:28:58.5Z', '2026-03-28T16:29:58.5Z', '2026-03-28T16:30:01.500Z',
  'Europe/Berlin', 60, 60, 1500, 'on_time', null, true, '{}', null, null,
  '{0,1,0,0,1,0,0,0,0,0,1,0,0}', '{9007199254740991,0.1,20540,86399,1774716600250}', '{}', '\x01', null, null, null),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 2, true, '00000000-0000-8000-8000-0000000000a1',
  'mood', '1.0.0', '1.0.0', '1.0.0', 'de', '2026-03-28T16:28:58.5Z', '2026-03-28T16:29:58.5Z', '2026-03-28T16:30:01.500Z',
  'Europe/Berlin', 60, 60, 1500, 'on_time', null, true, '{}', null, null,
  '{1,1,1,0,0,0,0,0,0,0,1,0,0}', '{9007199254740991,0.1,20540,86399,1774716600250}', '{}', '\x02', '2026-03-28T17:00:00Z', 'slip, "of" the finger',
  null),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c2', 1, true, '00000000-0000-8000-8000-0000000000a1',
  'mood', '1.0.0', '1.0.0', '1.0.0', 'de', '2026-03-28T18:00:00Z', '2026-03-28T18:01:00Z', '2026-03-28T18:01:00Z',
  'Europe/Berlin', 60, 60, 0, 'on_time', null, true, '{duplicate}', '00000000-0000-4000-8000-0000000000c1', null,
  '{2,-998,-998,-998,-996,-996,-996,-996,-996,-996,-996,-996,-996}', '{null,null,null,null,null}', '{}', '\x03', null, null, null),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c3', 1, true, '00000000-0000-8000-8000-0000000000a2',
  'mood', '1.0.0', '1.0.0', '1.0.0', 'de', '2026-03-29T21:02:20Z', '2026-03-29T21:03:20Z', '2026-03-29T21:00:00Z',
  'Europe/Berlin', 120, 120, -200000, 'late', 3600, true, '{clock_skew,slow}', null, '00000000-0000-4000-8000-000000000aa1',
  '{2,-998,-998,-998,-995,-994,-993,-997,-996,-992,0,2,-996}', '{null,null,null,null,null}', '{why}', '\x04', null, null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-0000000000c4', 1, true, '00000000-0000-8000-8000-0000000000b2',
  'mood', '1.1.0', '2.0.0', '1.0.0', 'en', '2026-03-29T15:59:00Z', '2026-03-29T16:00:00Z', '2026-03-29T16:00:00Z',
  'America/New_York', -240, -240, 0, 'on_time', null, true, '{}', null, null,
  '{0,-998,-998,-998,1,-996,-996,-996,-996,-996,-996,-996,0}', '{null,null,null,null}', '{}', '\x05', null, null, '2026-03-29T17:00:00Z'),
-- no occasion; received on the same local day
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-0000000000c5', 1, true, null,
  'mood', '1.1.0', '2.0.0', '1.0.0', 'en', '2026-03-30T02:00:00Z', '2026-03-30T02:30:00Z', '2026-03-30T02:30:00Z',
  'America/New_York', -240, -240, 0, 'unscheduled', null, false, '{}', null, null,
  '{2,1,0,0,0,0,0,0,0,0,1,1,-996}', '{0,-719162,0,-1}', '{}', '\x06', null, null, null);

insert into research.answer_text values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 1, 'note', 'first'),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 2, 'note', E'=1+1, "quoted"\nand a second line – ü'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-0000000000c4', 1, 'note', 'to be gone');

insert into research.scoring_key values
('00000000-0000-0000-0000-000000000001', '0.9.0', 'old', '1.0.0', '{feeling}'),
('00000000-0000-0000-0000-000000000002', '1.0.0', 'old', '1.0.0', '{feeling}');

insert into research.rescored_sheet (enrolment_id, sheet_id, revision, key_id, scored_at, score_values, score_counts) values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 2, '00000000-0000-0000-0000-000000000001',
  '2026-03-28T17:00:00Z', '{0.9}', '{1,1,0}'),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000c1', 1, '00000000-0000-0000-0000-000000000002',
  '2026-03-28T16:30:00Z', '{0.1}', '{1,1,0}');

insert into research.calibration values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000ca', '2026-03-28T11:29:57Z', '2026-03-28T11:30:01Z', 5, 20, 120, 4, '\x01', 3000),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000cb', '2026-03-29T11:30:00Z', '2026-03-29T11:30:01Z', 5.5, 20, 120, 4.4, '\x02', 0);

insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, device,
  calibration_id, flags, pauses_ms, totals, t_ms, heart_rate_bpm, speed_kmh, elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km, mean_heart_rate_bpm,
  max_heart_rate_bpm, active_energy_kcal, target_speed_kmh, above_target_s, above_target_count, coverage, body_sha256, deleted_at, skew_ms, sport) values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000aa1', '2026-03-29T00:29:58Z', '2026-03-29T01:29:58Z',
  '2026-03-29T01:31:00Z', 'Europe/Berlin', 60, 120, '{"model": "Watch, 2nd"}', '00000000-0000-4000-8000-0000000000ca', '{clock_ahead,before_enrolment}',
  '{1000,2000,5000,9000}', '{"steps": 4000}', '{0,1000,2000}', '{99.5,null,130}', null, 3600, 3595, 4500.5, 4.507, 798.8, 100.25, 130, null, 4, 12.5, 2, 1, '\x01', null, 2000, 'hiking'),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000aa2', '2026-03-30T10:00:00Z', '2026-03-30T10:10:00Z',
  '2026-03-30T10:11:00Z', 'Europe/Berlin', 120, 120, null, null, '{}', '{}', null, '{7}', null, '{5}', 600, 600, null, null, null, null, null, null, null, null, null,
  null, '\x02', '2026-03-30T11:00:00Z', 0, null);

insert into research.observation (enrolment_id, observation_id, system, code, display, started_at, ended_at, received_at, zone,
  started_offset_min, ended_offset_min, modality, statistic, device, flags, component_systems, component_codes, component_displays, units, t_ms,
  until_ms, samples, counts, minima, maxima, means, body_sha256, skew_ms, deleted_at, revision) values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000b01', 'http://loinc.org', '85354-9', 'Blood pressure',
  '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', '2026-03-29T01:31:00Z', 'Europe/Berlin', 60, 120, 'sensed', null, '{"model": "Cuff, 2nd"}',
  '{clock_ahead}', '{http://loinc.org,http://loinc.org}', '{8480-6,8462-4}', '{null,null}', '{"mm[Hg]","mm[Hg]"}', '{0,3600000}', null,
  '{121,125.5,79,null}', '{2,1}', '{121,79}', '{125.5,79}', '{123.25,79}', '\x01', 0, null, 3),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-000000000b02', 'http://loinc.org', '55423-8', null,
  '2026-03-29T14:00:00Z', '2026-03-29T15:00:00Z', '2026-03-29T15:00:00Z', 'America/New_York', -240, -240, 'self_reported', 'sum', null, '{}',
  '{null}', '{null}', '{null}', '{"{steps}"}', '{0}', '{3600000}', '{900}', '{1}', '{900}', '{900}', '{900}', '\x02', 1500, null, 1),
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000b03', 'urn:x', 'gone', null,
  '2026-03-30T10:00:00Z', '2026-03-30T10:00:00Z', '2026-03-30T10:11:00Z', 'Europe/Berlin', 120, 120, 'sensed', null, null, '{}',
  '{null}', '{null}', '{null}', '{1}', '{0}', null, '{7}', '{1}', '{7}', '{7}', '{7}', '\x03', 0, '2026-03-30T11:00:00Z', 1);

insert into research.usage_event (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, occasion_id, questionnaire,
  properties, body_sha256) values
('00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-000000000e01', 'prompt_opened', '2026-03-29T00:29:58Z', '2026-03-29T01:31:00Z',
  'Europe/Berlin', 60, 2000, '00000000-0000-8000-8000-0000000000a2', 'mood', '{"screen": "mood, \"2nd\"", "count": 1.50}', '\x01'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-000000000e02', 'app_opened', '2026-03-29T14:00:00Z', '2026-03-29T15:00:00Z',
  'America/New_York', -240, 0, null, 'not_of_this_study', null, '\x02');

insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state, why) values
('00000000-0000-4000-8000-0000000000e1', 'due_today', '2026-03-28', 1, '2026-03-28T17:00:00Z', '2026-03-28T17:00:01Z', 1, 'sent', null),
('00000000-0000-4000-8000-0000000000e2', 'due_today', '2026-03-29', 1, '2026-03-29T22:00:00Z', '2026-03-29T22:00:01Z', 1, 'suppressed', 'completed');
insert into research.reminder_attempt values
('00000000-0000-4000-8000-0000000000e1', 'due_today', '2026-03-28', 1, 1, 'mail', '2026-03-28T17:00:02Z', 'temporary_failure', 451),
('00000000-0000-4000-8000-0000000000e1', 'due_today', '2026-03-28', 1, 2, 'mail', '2026-03-28T17:05:02Z', 'sent', 250);

-- Entries and settings of the second participant, all without an occasion. Slots of bed: plant, spot, planted, name; numbers: spot (3), planted.
-- Slots of care: did (water, prune, look), litres, walk; numbers: litres. Slots of tools: glove, bell, days (2), motto, since; numbers: bell, since.
-- The first bed is replaced, the second one ended by a leave, the third one deleted. One care is purged, and one refers to the ended bed.
insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language,
  started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, completes, flags, refers_to, source,
  slots, numbers, repeated, cleared, body_sha256, revised_at, deleted_at) values
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be09', 1, true, 'tools', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-28T23:10:00Z', '2026-03-28T23:10:00Z', '2026-03-28T23:10:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{}', null, 'participant', '{1,0,1,0,0,0}', '{28800,20458}', null, '{}', '\x0901', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be01', 1, false, 'bed', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-28T23:30:00Z', '2026-03-28T23:30:00Z', '2026-03-28T23:30:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{}', null, 'participant', '{0,0,0,0}', '{47.99,8.01,null,20513}', null, '{}', '\x0101', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be01', 2, true, 'bed', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-28T23:30:00Z', '2026-03-28T23:30:00Z', '2026-03-28T23:30:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{}', null, 'participant', '{0,0,0,0}', '{47.31,8.59,12.5,20513}', null, '{}', '\x0102', '2026-03-28T23:40:00Z', null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be02', 1, true, 'care', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T10:00:00Z', '2026-03-29T10:00:00Z', '2026-03-29T10:00:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{}', '00000000-0000-4000-8000-00000000be01', 'participant', '{1,1,0,0,2}', '{3}', '[{"item": "stop", "instance": 1, "option": "", "type": "location", "value": "47.311"}, {"item": "stop", "instance": 1, "option": "lon", "type": "location", "value": "8.591"}, {"item": "stop", "instance": 1, "option": "accuracy_m", "type": "location"}, {"item": "stop", "instance": 2, "option": "", "type": "location", "value": "-47.322"}, {"item": "stop", "instance": 2, "option": "lon", "type": "location", "value": "8.602"}, {"item": "stop", "instance": 2, "option": "accuracy_m", "type": "location", "value": "5"}]', '{}', '\x0201', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be03', 1, true, 'care', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T10:59:58.5Z', '2026-03-29T10:59:58.5Z', '2026-03-29T10:59:58.5Z', 'America/New_York', -240, -240,
  1500, 'unscheduled', false, '{over_daily_limit}', '00000000-0000-4000-8000-00000000be01', 'shed', '{-996,-996,-996,-996,-996}', '{null}', null, '{}', '\x0301', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be04', 1, true, 'care', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T11:30:00Z', '2026-03-29T11:30:00Z', '2026-03-29T11:30:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{purged}', '00000000-0000-4000-8000-00000000be01', 'participant', '{-991,-991,-991,-991,-991}', '{null}', null, '{}', '\x0401', null, '2026-03-29T12:00:00Z'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be05', 1, true, 'bed', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T13:00:00Z', '2026-03-29T13:00:00Z', '2026-03-29T13:00:00Z', 'America/New_York', -240, -240,
  0, 'unscheduled', false, '{}', null, 'participant', '{1,-989,-996,-996}', '{null,null,null,null}', null, '{}', '\x0501', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be06', 1, true, 'leave', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T20:30:00Z', '2026-03-29T20:30:00Z', '2026-03-29T20:30:00Z', 'Europe/Berlin', 120, 120,
  0, 'unscheduled', false, '{}', '00000000-0000-4000-8000-00000000be05', 'participant', '{1}', '{}', null, '{}', '\x0601', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be07', 1, true, 'care', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-29T21:00:00Z', '2026-03-29T21:00:00Z', '2026-03-29T21:00:00Z', 'Europe/Berlin', 120, 120,
  0, 'unscheduled', false, '{entry_ended}', '00000000-0000-4000-8000-00000000be05', 'participant', '{1,0,1,0,-996}', '{2}', null, '{}', '\x0701', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be08', 1, true, 'bed', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-30T08:00:00Z', '2026-03-30T08:00:00Z', '2026-03-30T08:00:00Z', 'Europe/Berlin', 120, 120,
  0, 'unscheduled', false, '{}', null, 'participant', '{0,-996,-996,-996}', '{null,null,null,null}', null, '{}', '\x0801', null, '2026-03-30T09:00:00Z'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be0a', 1, true, 'tools', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-30T07:00:00Z', '2026-03-30T07:00:00Z', '2026-03-30T07:00:00Z', 'Europe/Berlin', 120, 120,
  0, 'unscheduled', false, '{}', null, 'participant', '{0,-996,-996,-996,-996,-996}', '{null,null}', null, '{}', '\x0a01', null, null),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be0b', 1, true, 'tools', '1.0.0', '2.0.0', '1.0.0', 'en', '2026-03-30T07:30:00Z', '2026-03-30T07:30:00Z', '2026-03-30T07:30:00Z', 'Europe/Berlin', 120, 120,
  0, 'unscheduled', false, '{}', null, 'participant', '{1,-996,-996,-996,-996,-996}', '{null,null}', null, '{}', '\x0b01', null, '2026-03-30T07:40:00Z');

insert into research.answer_text values
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be01', 1, 'name', 'Anna'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be01', 2, 'name', 'Käthe, "the red"'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-00000000be09', 1, 'motto', 'Early!');

insert into research.enrolment_data_kind values
('00000000-0000-4000-8000-0000000000e1', 'location', '2026-03-28T11:00:00Z', '2026-03-28T12:00:00Z', '2026-03-28T12:00:00Z'),
('00000000-0000-4000-8000-0000000000e2', 'location', '2026-03-28T23:00:00Z', '2026-03-29T12:30:00Z', null),
('00000000-0000-4000-8000-0000000000e2', 'location', '2026-03-30T09:00:00Z', null, null);

insert into research.usage_event (enrolment_id, event_id, event, happened_at, received_at, zone, offset_min, skew_ms, feature, collection, item,
  seconds, body_sha256) values
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-000000000e03', 'feature_opened', '2026-03-29T14:01:00Z', '2026-03-29T15:00:00Z',
  'America/New_York', -240, 0, 'beds', null, null, null, '\x03'),
('00000000-0000-4000-8000-0000000000e2', '00000000-0000-4000-8000-000000000e04', 'content_shown', '2026-03-29T14:02:00Z', '2026-03-29T15:00:00Z',
  'America/New_York', -240, 0, null, 'tips', 'rake', 12.5, '\x04');
