-- The state of a database that has grown for years.
vacuum analyze research.answer_sheet, research.score, research.change;
checkpoint;
