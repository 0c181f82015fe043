-- Alerts of staff, broadcasts to participants, and the new items of editions, for rules that announce them.

-- An answer on which a person must act. It stays open until a coordinator acknowledges it.
create table research.alert (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  alert_id uuid not null,
  rule text not null,
  -- the reason, a code of the study
  about text not null,
  raised_at timestamptz not null,
  -- how many times staff were informed, and when they are informed next; null once it is acknowledged
  notices integer not null default 0,
  next_notice_at timestamptz,
  acknowledged_at timestamptz,
  -- what the coordinator did
  note text,
  primary key (enrolment_id, alert_id),
  constraint alert_acknowledged check (
    (acknowledged_at is null) = (note is null) and (acknowledged_at is null) = (next_notice_at is not null))
);
create index alert_next_notice on research.alert (next_notice_at) where next_notice_at is not null;
create index alert_id on research.alert (alert_id);

-- A message of a coordinator to many participants.
create table research.broadcast (
  study text not null references research.study,
  broadcast_id uuid not null,
  body_sha256 bytea not null,
  -- the arms; null: all
  arms text[],
  -- pseudonyms; null: all
  participants text[],
  -- language -> subject and body
  words json not null,
  -- the channels that may send it; null: all channels of the participant
  channels text[],
  target text,
  not_before timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  cancelled_at timestamptz,
  -- everyone up to this enrolment has the message
  addressed_through uuid not null default '00000000-0000-0000-0000-000000000000',
  finished_at timestamptz,
  primary key (study, broadcast_id)
);
create index broadcast_waiting on research.broadcast (not_before) where finished_at is null and cancelled_at is null;

alter table research.inbox_message add column broadcast_id uuid;
create index inbox_message_broadcast on research.inbox_message (broadcast_id) where broadcast_id is not null;

-- The edition with which an item first appeared in a collection that existed before.
create table research.content_publication (
  study text not null,
  collection text not null,
  item text not null,
  edition integer not null,
  published_at timestamptz not null,
  primary key (study, collection, item)
);

grant select, insert, update, delete on research.alert to saunter_research, saunter_clerk;
grant select, insert, update on research.broadcast to saunter_research, saunter_clerk;
grant select, insert on research.content_publication to saunter_research;
grant select on research.content_publication to saunter_clerk;
grant select on research.alert, research.broadcast, research.content_publication to saunter_export;
