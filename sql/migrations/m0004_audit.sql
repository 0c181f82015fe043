-- Who did what, when. Rows can be added and read, never changed: privileges forbid it to the server's roles, triggers to everybody else.
create table audit.entry (
  entry_id bigint generated always as identity primary key,
  recorded_at timestamptz not null,
  actor_kind text not null,
  actor_id uuid,
  action text not null,
  study text,
  enrolment_id uuid,
  request_id text,
  detail jsonb not null default '{}'
);
create index entry_study on audit.entry (study, entry_id);

create function audit.refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit table is append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger entry_no_change before update or delete on audit.entry
  for each row execute function audit.refuse();
create trigger entry_no_truncate before truncate on audit.entry
  for each statement execute function audit.refuse();
-- Also in a session that claims to be a replica.
alter table audit.entry enable always trigger entry_no_change, enable always trigger entry_no_truncate;

grant insert on audit.entry to saunter_identity, saunter_research, saunter_clerk, saunter_export;
grant select on audit.entry to saunter_identity, saunter_clerk;
