-- What participants' devices say of things that were handed in: that a sheet's answers were others, or that something is taken back. A device makes an id
-- for each, as for everything. Each is kept, in whatever order they come: one for a thing that is not there yet waits for it, and of several corrections
-- the last one made is in force, not the last one received.
create table research.amendment (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  amendment_id uuid not null,
  subject text not null constraint amendment_subject check (subject in ('answer_sheet', 'walk', 'observation')),
  -- no reference: it may not be there yet
  subject_id uuid not null,
  kind text not null constraint amendment_kind check (kind = 'deletion' or kind = 'correction' and subject = 'answer_sheet'),
  -- when it was made, by the corrected clock; never later than received_at
  made_at timestamptz not null,
  received_at timestamptz not null,
  -- json, not jsonb: what a device says comes back digit for digit
  body json not null,
  body_sha256 bytea not null,
  -- applying: it is in force, and what follows from it is being planned and scored
  state text not null constraint amendment_state check (state in ('waiting', 'applying', 'applied', 'superseded', 'refused')),
  -- why it was refused, so that it is refused the same way again
  refusal json,
  -- the one that it made
  revision integer,
  primary key (enrolment_id, amendment_id)
);
create index amendment_subject_id on research.amendment (enrolment_id, subject_id);
create index amendment_unsettled on research.amendment (enrolment_id, subject_id) where state in ('waiting', 'applying');

grant select, insert, update, delete on research.amendment to saunter_research, saunter_clerk;
