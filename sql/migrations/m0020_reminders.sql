-- Reminders of single occasions: what goes out together is one message, whose arrival devices confirm; participants put occasions off; a channel
-- that fails again and again is known to.
alter table research.reminder
  add column message_id uuid not null default gen_random_uuid(),
  -- it is of no use from then on
  add column expires_at timestamptz,
  add column sent_at timestamptz,
  add column delivered_at timestamptz,
  add column opened_at timestamptz;
create index reminder_message on research.reminder (enrolment_id, message_id);

create table research.reminder_snooze (
  enrolment_id uuid not null,
  occasion_id uuid not null,
  ordinal integer not null,
  asked_at timestamptz not null,
  until_at timestamptz not null,
  primary key (enrolment_id, occasion_id, ordinal),
  foreign key (enrolment_id, occasion_id) references research.occasion (enrolment_id, occasion_id) on delete cascade
);

-- Failures in a row by which a person could not be reached; a success deletes the row.
create table research.reminder_channel (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  channel text not null,
  failures integer not null,
  last_failed_at timestamptz not null,
  unreachable_since timestamptz,
  primary key (enrolment_id, channel)
);

grant select, insert, update, delete on research.reminder_snooze, research.reminder_channel to saunter_research, saunter_clerk;
grant select on research.reminder_snooze, research.reminder_channel to saunter_export;
