-- What a device says of time is stored as it says it; how far its clock was off when it said so stands beside it. What is in force when, and which walk
-- comes when, is judged by the corrected time, as it is for answer sheets.
alter table research.calibration add column skew_ms bigint not null default 0;
alter table research.walk add column skew_ms bigint not null default 0;
