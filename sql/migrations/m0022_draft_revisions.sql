-- Revisions of drafts that are never used again, and the edition from which the library of a draft began.

-- The last revision of the drafts of a study that have ended. The next draft begins with the following one, so a page
-- or a script that has read an earlier draft never changes a later one.
create table research.study_draft_end (
  study text primary key,
  revision integer not null,
  constraint study_draft_end_revision check (revision > 0)
);

-- The edition of the library with which the draft began, or that its editors took over; null if there was none.
alter table research.study_draft add column edition integer;

grant select, insert, update on research.study_draft_end to saunter_research, saunter_clerk;
