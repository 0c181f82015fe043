-- Whose plan runs out is listed page by page, and many plans run out on one day: the index holds the order of the pages, so that each begins where the
-- last one ended.
drop index research.enrolment_planned_through;
create index enrolment_planned_through on research.enrolment (planned_through, enrolment_id) where status = 'active';
