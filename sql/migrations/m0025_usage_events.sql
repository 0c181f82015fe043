-- What happened in the app around the measurements: opened, seen, a prompt that arrived. Once each, by the device's own id.
create table research.usage_event (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  event_id uuid not null,
  event text not null constraint usage_event_event check (event in (
    'app_opened', 'app_closed', 'screen_seen', 'prompt_delivered', 'prompt_opened', 'prompt_dismissed', 'sheet_begun',
    'sheet_left', 'permission_changed', 'app_updated')),
  -- by the device's clock, as it said
  happened_at timestamptz not null,
  received_at timestamptz not null,
  zone text not null,
  offset_min integer not null,
  skew_ms bigint not null,
  -- no reference: the plan may have dropped the occasion meanwhile, or not know it yet
  occasion_id uuid,
  questionnaire text,
  -- json, not jsonb: what a device says comes back digit for digit
  properties json,
  body_sha256 bytea not null,
  primary key (enrolment_id, event_id)
);
-- By the local date on which it happened, by the corrected clock, as walks.
create index usage_event_local_date on research.usage_event
  (((happened_at at time zone 'UTC' + make_interval(mins => offset_min, secs => skew_ms / 1000.0))::date));

grant select, insert, update, delete on research.usage_event to saunter_research, saunter_clerk;
grant select on research.usage_event to saunter_export;

-- They are things of the feed of changes. None ever changes, so only new ones are noted.
alter table research.change drop constraint change_kind;
alter table research.change add constraint change_kind
  check (kind in ('enrolment', 'calibration', 'occasion', 'walk', 'observation', 'usage_event', 'answer_sheet'));

create function research.note_new_usage_event() returns trigger language plpgsql as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'usage_event', changed.event_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
create trigger usage_event_note_new after insert on research.usage_event referencing new table as changed
  for each statement execute function research.note_new_usage_event();
