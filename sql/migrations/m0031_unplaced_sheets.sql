-- A walk looks for the sheets that came before it: of all sheets of its person those that name a walk and have no occasion, which are few.
create index answer_sheet_unplaced on research.answer_sheet (enrolment_id, walk_id)
  where occasion_id is null and walk_id is not null;
