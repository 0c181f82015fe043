-- Enrolment codes: participants need one for a study without open enrolment.

create table research.enrolment_code (
  code_id uuid primary key,
  study text not null references research.study,
  -- A digest of the study and the code, under a key that is not in the database. The code itself is not stored.
  code_digest bytea not null constraint enrolment_code_digest unique,
  -- the purpose of the code for its study team; it must not identify a participant
  label text not null,
  maximum_uses integer not null,
  uses integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint enrolment_code_uses check (uses between 0 and maximum_uses)
);
create index enrolment_code_study on research.enrolment_code (study, created_at desc, code_id desc);

-- The code with which a participant enrolled. An erasure deletes the row; the code keeps the number of its uses. There is no reference to the code, because
-- codes are on the coordinator only if the schema is sharded.
create table research.enrolment_code_use (
  enrolment_id uuid primary key references research.enrolment on delete cascade,
  code_id uuid not null,
  used_at timestamptz not null
);

grant select, insert, update on research.enrolment_code to saunter_research, saunter_clerk;
grant select, insert on research.enrolment_code_use to saunter_clerk;
grant select on research.enrolment_code_use to saunter_research, saunter_export;
