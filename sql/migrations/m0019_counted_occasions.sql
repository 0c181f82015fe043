-- The order of participants by adherence.

-- What adherence counts: the answered occasions, and those without an answer whose window has closed. The list of
-- participants counts them for all participants of a study, so these indexes contain all that it needs. Together they are a
-- third of one index of all occasions. The second one replaces the index of closing times.
create index occasion_answered on research.occasion (enrolment_id) where completed_at is not null;
create index occasion_unanswered on research.occasion (enrolment_id, close_at)
  where completed_at is null and set_aside is null;
drop index research.occasion_closing;
