-- A dataset of a few days finds its occasions and sheets without looking at all others. A sheet belongs to the date of its occasion, else to the
-- one on which it was completed, by the corrected clock; dates repeat, so that the indexes are small and cost little while answers come in: completing an
-- occasion touches neither.
create index occasion_local_date on research.occasion (local_date);
create index answer_sheet_unscheduled on research.answer_sheet
  (((completed_at at time zone 'UTC' + make_interval(mins => completed_offset_min, secs => skew_ms / 1000.0))::date))
  where occasion_id is null;
