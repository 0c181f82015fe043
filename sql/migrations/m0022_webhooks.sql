-- Where a study's own programs are told of messages. The secret is sealed under a key that the database does not hold.
create table research.study_webhook (
  study text primary key references research.study,
  url text not null,
  secret_sealed bytea not null,
  set_at timestamptz not null,
  -- in a row; one that is taken ends them
  failures integer not null default 0,
  failing_since timestamptz,
  last_reply_code integer,
  disabled_at timestamptz,
  disabled_why text constraint study_webhook_disabled_why check (disabled_why in ('gone', 'failing'))
);
grant select, insert, update, delete on research.study_webhook to saunter_research, saunter_clerk;
