-- The order of participants by adherence.

-- What adherence counts: the answered occasions, and those whose window has closed. The list of participants counts them for
-- all participants of a study, so the index contains all columns that it needs. It replaces the index of closing times.
create index occasion_counted on research.occasion (enrolment_id, close_at) include (completed_at, set_aside);
drop index research.occasion_closing;
