-- The role of editors, and how long a browser session of the study team is open.

-- An editor changes what a study asks and says, and sees no data of participants.
alter table identity.account_grant
  drop constraint account_grant_role,
  add constraint account_grant_role check (role in ('researcher', 'coordinator', 'editor', 'admin'));

alter table identity.web_session
  -- when the password was last entered; null after a login by a link
  add column confirmed_at timestamptz,
  -- when a member of a study team last used the session, written at most once a minute
  add column seen_at timestamptz;

-- Lists of participants are sorted by pseudonym.
create index enrolment_pseudonym on research.enrolment (study, participant_id);
