-- Which course of events this database holds: going back to an earlier moment begins another one, and whoever follows changes by a number of the former
-- course begins anew. Without a row it is the first.
create table research.history (
  only_one boolean primary key default true constraint history_only_one check (only_one),
  history_id uuid not null,
  began_at timestamptz not null
);
grant select on research.history to saunter_research, saunter_clerk, saunter_export;

-- Who claimed a message to try it once more: known to nobody else, so that whoever gets no answer to the commit can look whether it came about.
alter table research.reminder add column claim_id uuid;

-- Amendments whose things have come, and those that somebody did not bring to an end.
create view research.due_amendment as
select due.*
from research.amendment due
where due.state in ('waiting', 'applying') and case due.subject
  when 'answer_sheet' then exists (
    select from research.answer_sheet sheet
    where sheet.enrolment_id = due.enrolment_id and sheet.sheet_id = due.subject_id and sheet.revision = 1)
  when 'walk' then exists (
    select from research.walk where walk.enrolment_id = due.enrolment_id and walk.walk_id = due.subject_id)
  else exists (
    select from research.observation
    where observation.enrolment_id = due.enrolment_id and observation.observation_id = due.subject_id)
  end;
grant select on research.due_amendment to saunter_research;
