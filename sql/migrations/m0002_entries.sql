-- Entries, usage of features, and consent by kind of data.

-- Links between entries, and the author of a sheet.
alter table research.answer_sheet
  -- the earlier entry that the sheet is about; it belongs to the same enrolment
  add column refers_to uuid,
  -- `participant`, or the code of the partner that wrote the sheet
  add column source text not null default 'participant';

alter table research.usage_event
  -- the feature of the study, the content collection and its item that the event is about
  add column feature text,
  add column collection text,
  add column item text,
  -- how long it lasted
  add column seconds double precision,
  drop constraint usage_event_event,
  add constraint usage_event_event check (event in ('app_opened', 'app_closed', 'app_crashed', 'screen_seen',
    'prompt_delivered', 'prompt_opened', 'prompt_dismissed', 'sheet_begun', 'sheet_left', 'permission_changed', 'app_updated',
    'feature_opened', 'content_shown', 'content_played', 'content_completed'));

-- Finds when a participant first opened each feature.
create index usage_event_feature_opened on research.usage_event (enrolment_id, feature, happened_at)
  where event = 'feature_opened';

-- A period in which the participant permits the collection of a kind of data.
create table research.enrolment_data_kind (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null,
  granted_at timestamptz not null,
  revoked_at timestamptz,
  -- when the participant deleted the data of the period; the server accepts none of them any more
  purged_at timestamptz,
  primary key (enrolment_id, kind, granted_at),
  constraint enrolment_data_kind_order check (revoked_at is null or revoked_at >= granted_at)
);

grant select, insert, delete, update on research.enrolment_data_kind to saunter_research, saunter_clerk;
grant select on research.enrolment_data_kind to saunter_export;
