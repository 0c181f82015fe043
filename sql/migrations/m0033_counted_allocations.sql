-- Minimisation counts the enrolments themselves: a tally beside them knew neither those whom another method had allocated nor those who were erased.
drop table research.allocation_tally;
