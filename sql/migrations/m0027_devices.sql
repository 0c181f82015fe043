-- Which of the things that a device numbered have arrived, so that both sides can see what is missing. An app that is installed anew is another device.
create table research.device (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  device_id uuid not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  received int8multirange not null,
  primary key (enrolment_id, device_id)
);

grant select, insert, update, delete on research.device to saunter_research, saunter_clerk;
grant select on research.device to saunter_export;
