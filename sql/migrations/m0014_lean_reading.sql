-- A sheet costs three entries in indexes instead of five, and a dataset of a few days reads the walks and reminders of those days alone.

-- Which sheets answer an occasion is found by the index that lets only one of them settle it; this holds the few others.
drop index research.answer_sheet_occasion;
create index answer_sheet_besides on research.answer_sheet (enrolment_id, occasion_id)
  where occasion_id is not null and not (current and completes and duplicate_of is null and deleted_at is null);

-- Sheets are found by their primary key. Of most there is one revision, which cannot be current twice; the others are guarded here and by a trigger.
drop index research.answer_sheet_one_current;
create unique index answer_sheet_one_current on research.answer_sheet (enrolment_id, sheet_id) where current and revision > 1;

create function research.keep_one_current() returns trigger language plpgsql as $$
begin
  if exists (
    select from research.answer_sheet
    where enrolment_id = new.enrolment_id and sheet_id = new.sheet_id and current and revision <> new.revision
  ) then
    raise unique_violation using
      message = 'another revision of this sheet is current', constraint = 'answer_sheet_one_current',
      schema = 'research', table = 'answer_sheet';
  end if;
  return null;
end
$$;
create trigger answer_sheet_new_current after insert on research.answer_sheet
  for each row when (new.current and new.revision > 1) execute function research.keep_one_current();
create trigger answer_sheet_again_current after update of current on research.answer_sheet
  for each row when (new.current and not old.current) execute function research.keep_one_current();

-- Walks by the local date on which they began, by the corrected clock. Reminders come in about the order in which they are planned.
create index walk_local_date on research.walk
  (((started_at at time zone 'UTC' + make_interval(mins => started_offset_min, secs => skew_ms / 1000.0))::date));
create index reminder_planned on research.reminder using brin (planned_at);
