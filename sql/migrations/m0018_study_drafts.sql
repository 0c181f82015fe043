-- Drafts: the files of a study that its editors change before they publish the next version.

-- At most one draft per study. A study that was never published has a draft, and no row in research.study.
create table research.study_draft (
  study text primary key,
  -- the published version from which the draft began; null for a new study
  based_on text,
  -- from 1; each change adds 1
  revision integer not null,
  changed_at timestamptz not null,
  -- the account that made the last change
  changed_by uuid not null,
  -- the accounts with an audit entry of a change in this hour, so that each has at most one per hour
  audited_hour timestamptz not null,
  audited_accounts uuid[] not null,
  constraint study_draft_revision check (revision > 0)
);

-- The files of a draft by path, as research.study_version contains them. A change writes only the files that differ.
create table research.study_draft_file (
  study text not null references research.study_draft on delete cascade,
  path text not null,
  content text not null,
  primary key (study, path)
);

grant select, insert, update, delete on research.study_draft, research.study_draft_file
to saunter_research, saunter_clerk;
