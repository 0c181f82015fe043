-- Blinded arms: who sees the codes of arms, and who broke the blind.

-- Whether the account sees the codes of arms in a blinded study. Otherwise it sees letters.
alter table identity.account_grant add column sees_arms boolean not null default false;

-- Whether the dataset of a job has letters in place of the codes of arms.
alter table research.export_job add column blinded boolean not null default false;

-- A coordinator read the arm of one participant. Append-only.
create table research.enrolment_unblinding (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  -- from 1
  ordinal integer not null,
  reason text not null,
  -- the account that read the arm; the audit contains it too
  unblinded_by uuid not null,
  unblinded_at timestamptz not null,
  primary key (enrolment_id, ordinal)
);

-- A coordinator showed all arms of a study to its team. There is no way back.
create table research.study_unblinding (
  study text primary key,
  reason text not null,
  -- the account that showed the arms; the audit contains it too
  unblinded_by uuid not null,
  unblinded_at timestamptz not null
);

grant select, insert on research.enrolment_unblinding, research.study_unblinding to saunter_research;
grant select on research.enrolment_unblinding, research.study_unblinding to saunter_clerk, saunter_export;
