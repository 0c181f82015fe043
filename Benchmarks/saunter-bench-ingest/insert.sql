-- The reference: one prepared insert of one row like that of a sheet, and its commit.
insert into bench.answer_sheet
  (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version, consent_version, language, started_at,
   completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing, flags, completes, slots,
   numbers, cleared, body_sha256)
values (md5(:client_id::text)::uuid, gen_random_uuid(), 1, true, 'who_5', '1.0.0', '1.0.0', '1.0.0', 'en', now(), now(), now(),
  'Europe/Berlin', 60, 60, 12, 'unscheduled', '{}', true, '{3,4,2,5,1}', '{}', '{}',
  '\x6c3d1e9a5a3b7c2f4e8d0a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455');
