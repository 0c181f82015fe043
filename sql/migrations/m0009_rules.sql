-- Decision rules: when they are evaluated, what they decided, and the messages that they send.

alter table research.enrolment
  drop constraint enrolment_reminder_channels,
  add constraint enrolment_reminder_channels check (reminder_channels <@ '{mail,push,webhook,in_app}'::text[]
    and cardinality(reminder_channels) between 1 and 4),
  -- when the rules of the study are evaluated next; null if nothing is planned
  add column next_decision_at timestamptz,
  -- every decision point until this moment is decided
  add column decided_until timestamptz;
create index enrolment_next_decision on research.enrolment (next_decision_at)
  where next_decision_at is not null and status = 'active';

-- What a rule decided at one of its points. A decision that did nothing is stored only if the rule demands it.
create table research.decision (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  rule text not null,
  point text not null,
  -- the element or key of the rule; empty for none
  key text not null,
  study_version text not null,
  moment timestamptz not null,
  decided_at timestamptz not null,
  outcome text not null,
  -- whether the action was possible; only then a randomising rule draws
  available boolean not null,
  probability double precision,
  draw double precision,
  -- the values on which the decision rested, as the rule names them
  variables json not null,
  message_id uuid,
  primary key (enrolment_id, rule, point, key),
  constraint decision_draw check (draw is null or probability is not null)
);

-- A message of a rule in the participant's inbox. Its reminder rows say how it was sent.
create table research.inbox_message (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  message_id uuid not null,
  rule text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- the words, filled except for the participant's name
  subject text not null,
  body text not null,
  target text,
  collection text,
  item text,
  edition integer,
  -- false for a prompt in the app, which does not count for the maximum of a day
  counts_for_day boolean not null,
  opened_at timestamptz,
  acted_at timestamptz,
  dismissed_at timestamptz,
  -- the channels that may send it; null: all channels of the participant
  channels text[],
  primary key (enrolment_id, message_id)
);
create index inbox_message_newest on research.inbox_message (enrolment_id, created_at desc, message_id);

alter table research.reminder
  -- the message of a rule that the reminder sends; null for other reminders
  add column inbox_message_id uuid,
  -- the only channel; null: the participant's channels in their order
  add column channel text;

create table research.award (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  award text not null,
  ordinal integer not null,
  rule text not null,
  awarded_at timestamptz not null,
  primary key (enrolment_id, award, ordinal),
  constraint award_ordinal check (ordinal > 0)
);

grant select, insert, update, delete on research.decision, research.inbox_message, research.award
  to saunter_research, saunter_clerk;
grant select on research.decision, research.inbox_message, research.award to saunter_export;
