-- A record is stored, with everything that follows from it, in one transaction under the lock of its enrolment.

-- An edit is applied completely or not at all. The daily planning completes what an earlier release left.
update research.amendment set state = 'applied' where state = 'applying';
drop view research.due_amendment;
drop index research.amendment_unsettled;
alter table research.amendment
  drop constraint amendment_state,
  add constraint amendment_state check (state in ('waiting', 'applied', 'superseded', 'refused'));
create index amendment_waiting on research.amendment (enrolment_id, subject_id) where state = 'waiting';

-- Edits whose records are stored.
create view research.due_amendment as
select due.enrolment_id, due.amendment_id, due.subject, due.subject_id, due.kind, due.made_at, due.received_at, due.body,
  due.body_sha256, due.state, due.refusal, due.revision, due.device_id, due.sequence, due.stated_at
from research.amendment due
where due.state = 'waiting'
  and case due.subject
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

-- Every statement that inserts a sheet runs after its transaction has locked the enrolment and read the occasion, and
-- only an erasure deletes occasions. So these checks find nothing.
alter table research.answer_sheet
  drop constraint answer_sheet_enrolment_id_fkey,
  drop constraint answer_sheet_enrolment_id_occasion_id_fkey;
