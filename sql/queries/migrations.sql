-- name: lock_migrations() :many
-- One lock for all Saunter servers: servers that start at the same time migrate one after the other.
select pg_advisory_xact_lock(7283519460117);

-- name: create_migration_table() :exec
create table if not exists public.saunter_migration (
  name text primary key,
  digest text not null,
  applied_at timestamptz not null default now()
);

-- name: list_migrations() :many
select name, digest from public.saunter_migration order by name;

-- name: insert_migration(name text, digest text) :exec
insert into public.saunter_migration (name, digest) values (:name, :digest);
