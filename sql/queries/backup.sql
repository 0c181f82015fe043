-- name: backup_form() :one
-- How values are written, so that the same rows give the same bytes under any server's settings.
select
  set_config('TimeZone', 'UTC', true) as zone,
  set_config('DateStyle', 'ISO, YMD', true) as date_style,
  set_config('IntervalStyle', 'postgres', true) as interval_style,
  set_config('extra_float_digits', '1', true) as float_digits,
  set_config('bytea_output', 'hex', true) as bytea_output;

-- name: backup_tables() :many
-- Every table with what copies it, in the order of its primary key; `parents` are the tables that its rows refer to. While rows are put back, what
-- would note them as new is silent.
with tables as (
  select class.oid, namespace.nspname, class.relname, format('%I.%I', namespace.nspname, class.relname) as name
  from pg_class class
  join pg_namespace namespace on namespace.oid = class.relnamespace
  where namespace.nspname in ('identity', 'research', 'audit') and class.relkind in ('r', 'p')
), columns as (
  select tables.oid, string_agg(format('%I', attribute.attname), ', ' order by attribute.attnum) as list
  from tables
  join pg_attribute attribute on attribute.attrelid = tables.oid
  where attribute.attnum > 0 and not attribute.attisdropped and attribute.attgenerated = ''
  group by tables.oid
), keys as (
  select tables.oid, string_agg(
    format('%I', attribute.attname) || case when attribute.attcollation = 0 then '' else ' collate "C"' end,
    ', ' order by place.number) as list
  from tables
  join pg_index index on index.indrelid = tables.oid and index.indisprimary
  cross join lateral unnest(index.indkey::int2[]) with ordinality as place (attnum, number)
  join pg_attribute attribute on attribute.attrelid = tables.oid and attribute.attnum = place.attnum
  group by tables.oid
)
select
  tables.name,
  array(
    select distinct parent.name
    from pg_constraint fk
    join tables parent on parent.oid = fk.confrelid
    where fk.contype = 'f' and fk.conrelid = tables.oid and fk.confrelid <> tables.oid
    order by parent.name
  ) as parents,
  format('copy (select %s from %s order by %s) to stdout', columns.list, tables.name, keys.list) as copy_out,
  format('copy %s (%s) from stdin', tables.name, columns.list) as copy_in,
  (select string_agg(format('alter table %s disable trigger %I;', tables.name, trigger.tgname), ' ' order by trigger.tgname)
    from pg_trigger trigger
    where trigger.tgrelid = tables.oid and not trigger.tgisinternal and trigger.tgtype & 4 <> 0 and trigger.tgenabled = 'O'
  ) as silence,
  (select string_agg(format('alter table %s enable trigger %I;', tables.name, trigger.tgname), ' ' order by trigger.tgname)
    from pg_trigger trigger
    where trigger.tgrelid = tables.oid and not trigger.tgisinternal and trigger.tgtype & 4 <> 0 and trigger.tgenabled = 'O'
  ) as speak,
  format('select exists (select from %s)', tables.name) as is_filled
from tables
join columns using (oid)
join keys using (oid)
order by tables.name collate "C";

-- name: backup_unkeyed_tables() :many
-- Tables that no primary key puts into an order; there must be none.
select format('%I.%I', namespace.nspname, class.relname) as name
from pg_class class
join pg_namespace namespace on namespace.oid = class.relnamespace
where namespace.nspname in ('identity', 'research', 'audit')
  and (class.relkind = 'p' or class.relkind = 'r' and not exists (
    select from pg_index index where index.indrelid = class.oid and index.indisprimary))
order by 1;

-- name: backup_sequences() :many
-- last_value: null where none was given out yet.
select format('%I.%I', schemaname, sequencename) as name, last_value
from pg_sequences
where schemaname in ('identity', 'research', 'audit')
order by 1;

-- name: restore_sequence(name text, last_value int8) :one
select setval($1::regclass, $2) as last_value;

-- name: restore_change_counters(now timestamptz) :exec
-- Whoever follows the changes may have been given numbers after the backup was made, and after it was restored before: none of them is given
-- out again. A later restore begins at a later microsecond, and no study has a million changes a second.
-- A study whose things had no numbers yet when the backup was made may have got some since.
insert into research.change_counter as counter (study, last_seq)
select study, (extract(epoch from $1::timestamptz) * 1000000)::bigint from research.study
on conflict (study) do update set last_seq = greatest(counter.last_seq + 1000000000, excluded.last_seq);

-- name: restore_changes() :exec
-- Everything that is there counts as changed since.
update research.change set change_seq = null where change_seq is not null;

-- name: restore_erasures() :exec
update research.erasure set change_seq = null where change_seq is not null;

-- name: has_history() :one
-- A backup of an older program has no place for it until it was migrated.
select to_regclass('research.history') is not null as is_there;

-- name: begin_history(history_id uuid, now timestamptz) :exec
insert into research.history (history_id, began_at) values ($1, $2)
on conflict (only_one) do update set history_id = excluded.history_id, began_at = excluded.began_at;
