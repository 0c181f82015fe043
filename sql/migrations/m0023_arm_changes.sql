-- Arms that somebody gave in place of the allocation's: what the list gave stays in the first row's from_arm. Rows are only added.
create table research.arm_change (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  ordinal integer not null,
  from_arm text not null,
  to_arm text not null,
  reason text not null,
  -- the account of whoever did it; the audit has it too
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (enrolment_id, ordinal)
);

grant select, insert on research.arm_change to saunter_research;
grant select on research.arm_change to saunter_clerk, saunter_export;
