-- In addition to garden.sql: 500 synthetic sheets of both versions, with every kind of answer and blank, texts that CSV must quote, and
-- instants at the ends of the calendar. Pseudo-random numbers are digests of their row.
create function pg_temp.draw(what text, below bigint) returns bigint language sql as $$
  select ('x' || substr(md5(what), 1, 12))::bit(48)::bigint % below
$$;

update research.enrolment set participant_id = 'P "quoted", 2' where participant_id = 'P002';
update research.occasion set schedule = E'daily,\nor so' where occasion_id = '00000000-0000-8000-8000-0000000000b3';

insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, occasion_id, questionnaire, version, study_version,
  consent_version, language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min, skew_ms, standing,
  completes, flags, duplicate_of, slots, numbers, cleared, body_sha256, deleted_at)
select
  enrolment.enrolment_id, md5('sheet' || number)::uuid, 1, true,
  case number % 3 when 0 then enrolment.occasion_id end, 'mood', case number % 2 when 0 then '1.0.0' else '1.1.0' end, '2.0.0',
  '1.0.0', 'en', moment.at, moment.at, moment.at, 'Europe/Berlin', 0, (pg_temp.draw('offset' || number, 113) - 56) * 15, 0,
  'unscheduled', false, '{}',
  case when number % 17 = 0 then '00000000-0000-4000-8000-0000000000c1'::uuid end,
  (select array_agg(case when pg_temp.draw('blank' || number || '/' || slot, 3) = 0
      then -999 + pg_temp.draw('reason' || number || '/' || slot, 10)
      else pg_temp.draw('slot' || number || '/' || slot, case slot when 1 then 3 else 2 end) end order by slot)::smallint[]
    from generate_series(1, 13) as slot),
  case number % 2
    when 0 then array[drawn.whole, drawn.fraction, drawn.day, drawn.second, drawn.moment]
    else array[drawn.whole, drawn.day, drawn.second, drawn.moment] end,
  '{}', '\x01', case when number % 19 = 0 then moment.at end
from generate_series(1, 500) as number
cross join lateral (
  select
    case when pg_temp.draw('no whole' || number, 4) > 0 then pg_temp.draw('whole' || number, 18014398509481982) - 9007199254740991 end
      ::double precision as whole,
    case when pg_temp.draw('no fraction' || number, 4) > 0 then pg_temp.draw('fraction' || number, 1000000007)
      / (10.0::double precision ^ pg_temp.draw('scale' || number, 40)) end as fraction,
    case when pg_temp.draw('no day' || number, 4) > 0 then pg_temp.draw('day' || number, 3652059) - 719162 end::double precision as day,
    case when pg_temp.draw('no second' || number, 4) > 0 then pg_temp.draw('second' || number, 86400) end::double precision as second,
    case when pg_temp.draw('no moment' || number, 4) > 0 then pg_temp.draw('moment' || number, 253402300800000) end
      ::double precision as moment
) as drawn
cross join lateral (
  select case number
    when 1 then timestamptz '0001-01-01T00:10:00Z'
    when 2 then timestamptz '9999-12-31T23:50:00.9999Z'
    when 3 then timestamptz '2000-02-29T12:00:00.0005Z'
    else timestamptz '2026-03-28T00:00:00Z' + make_interval(secs => pg_temp.draw('at' || number, 259200000) / 1000.0) end as at
) as moment
cross join lateral (
  select * from (values
    ('00000000-0000-4000-8000-0000000000e1'::uuid, '00000000-0000-8000-8000-0000000000a3'::uuid),
    ('00000000-0000-4000-8000-0000000000e2'::uuid, '00000000-0000-8000-8000-0000000000b3'::uuid)
  ) as person (enrolment_id, occasion_id)
  offset number / 7 % 2 limit 1
) as enrolment;
