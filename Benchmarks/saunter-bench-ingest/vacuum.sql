-- The state of a database that has grown for years.
vacuum analyze research.answer_sheet, research.change;
checkpoint;
