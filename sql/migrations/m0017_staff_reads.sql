-- Indexes for the pages of study teams with many participants.

-- When the newest sheet of a participant arrived. Lists of participants are sorted by it.
create index answer_sheet_received on research.answer_sheet (enrolment_id, received_at);

-- When the first assessment window of a participant closed. The overview of a study needs it for each participant who
-- never started.
create index occasion_closing on research.occasion (enrolment_id, close_at) where set_aside is null;
