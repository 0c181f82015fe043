-- Four roles keep identities and answers apart. The server logs in as the owner and steps down to one of them on every connection:
--   saunter_identity  accounts, tokens, grants; sees no answer
--   saunter_research  enrolments, occasions, sheets, walks; sees no identity
--   saunter_clerk     both, for the few acts that must join them: enrol, erase, remind
--   saunter_export    reads research only: datasets are made under it
-- Roles belong to the whole server, not to one database, so they may be there already: made by another database's migration, which may run
-- at this moment, or by an administrator for an owner who may make no roles.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['saunter_identity', 'saunter_research', 'saunter_clerk', 'saunter_export'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end
$$;

create schema identity;
create schema research;
create schema audit;

grant usage on schema identity to saunter_identity, saunter_clerk;
grant usage on schema research to saunter_research, saunter_clerk, saunter_export;
grant usage on schema audit to saunter_identity, saunter_research, saunter_clerk, saunter_export;
