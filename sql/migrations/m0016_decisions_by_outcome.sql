-- The decisions of a rule, the newest first. With the outcome in the index, a count of the decisions by outcome reads no
-- row of the table, and a filter by outcome skips the rows of other outcomes. The order of the first columns is that of
-- the former index, so servers of the previous version use it too.
create index decision_rule on research.decision (rule, decided_at desc, enrolment_id desc, outcome);
drop index research.decision_newest;
