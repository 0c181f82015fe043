-- The views that `AnswerViews` creates, one per instrument version. A later migration that changes columns of
-- `research.answer_sheet` drops this schema with everything in it and creates it again; the next start fills it.
create schema answers;
grant usage on schema answers to saunter_research, saunter_clerk, saunter_export;
grant create on schema answers to saunter_research;
