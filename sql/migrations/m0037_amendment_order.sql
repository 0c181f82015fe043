-- By what corrections of one sheet are put in order beside the moment at which they were made: the device that handed one in and its number among all that it
-- hands in, which grows whatever the device's clock says, and the moment by that clock, uncorrected.
alter table research.amendment
  add column device_id uuid,
  add column sequence bigint,
  add column stated_at timestamptz;

-- With the new columns, which stand behind the others.
create or replace view research.due_amendment as
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
