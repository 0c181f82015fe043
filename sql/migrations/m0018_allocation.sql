-- What an allocation rested on, so that it can be checked years later: what the participant told, the digest of the seed, and
-- what minimisation compared.
alter table research.enrolment
  add column allocation_factors jsonb not null default '{}',
  add column allocation_basis jsonb not null default '{}',
  add column allocation_seed text;

-- Participants of each arm at each level of each factor, for minimisation. Nobody can be told from it.
create table research.allocation_tally (
  study text not null,
  factor text not null,
  level text not null,
  arm text not null,
  participants integer not null,
  primary key (study, factor, level, arm)
);

-- Every consent that was given; the last one holds.
create table research.enrolment_consent (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  consent_version text not null,
  consented_at timestamptz not null,
  study_version text not null,
  language text not null,
  text_digest text,
  primary key (enrolment_id, consent_version)
);
insert into research.enrolment_consent (enrolment_id, consent_version, consented_at, study_version, language)
select enrolment_id, consent_version, consented_at, study_version, language from research.enrolment;

-- The versions of the study that an enrolment has followed: sheets of any of them are taken.
create table research.enrolment_version (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  study_version text not null,
  followed_from timestamptz not null,
  primary key (enrolment_id, study_version)
);
insert into research.enrolment_version (enrolment_id, study_version, followed_from)
select enrolment_id, study_version, enrolled_at from research.enrolment;

grant select, insert, update, delete
  on research.allocation_tally, research.enrolment_consent, research.enrolment_version
  to saunter_research, saunter_clerk;
grant select on research.allocation_tally, research.enrolment_consent, research.enrolment_version to saunter_export;
