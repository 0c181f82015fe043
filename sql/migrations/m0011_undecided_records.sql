-- Records that wait for the evaluation of rules, and an index for the decisions of a rule.

alter table research.enrolment
  -- the ids of the sheets, walks, usage events and observations that arrived since the last evaluation. A time does not
  -- identify them: a record is received before its transaction commits, and rules can be evaluated in between.
  add column undecided_records uuid[] not null default '{}';

-- Evaluations that do not wait for others.
create index enrolment_undecided on research.enrolment (next_decision_at) where undecided_records <> '{}';

create index decision_newest on research.decision (rule, decided_at desc, enrolment_id desc);
