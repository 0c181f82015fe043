-- What a participant told of a named event of their study: the last row of an event holds, those before it stay.
create table research.enrolment_event (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  event text not null,
  revision integer not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (enrolment_id, event, revision)
);
grant select, insert, update, delete on research.enrolment_event to saunter_research, saunter_clerk;
grant select on research.enrolment_event to saunter_export;
