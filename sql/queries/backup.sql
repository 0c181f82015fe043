-- name: backup_form() :one
-- Fixes the text format of values, so that the same rows have the same bytes under all settings of the server.
select
  set_config('TimeZone', 'UTC', true) as zone,
  set_config('DateStyle', 'ISO, YMD', true) as date_style,
  set_config('IntervalStyle', 'postgres', true) as interval_style,
  set_config('extra_float_digits', '1', true) as float_digits,
  set_config('bytea_output', 'hex', true) as bytea_output;

-- name: backup_tables() :many
-- Every table with the statements that copy it in the order of its primary key. `parents` are the tables that its rows
-- reference. `disable_triggers` and `enable_triggers` are scripts for the triggers that would record restored rows as
-- new. `filled_query` returns whether the table has rows.
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
    ', ' order by key_column.number) as list
  from tables
  join pg_index index on index.indrelid = tables.oid and index.indisprimary
  cross join lateral unnest(index.indkey::int2[]) with ordinality as key_column (attnum, number)
  join pg_attribute attribute on attribute.attrelid = tables.oid and attribute.attnum = key_column.attnum
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
  (select string_agg(format('alter table %s disable trigger %I;', tables.name, trigger.tgname), ' '
    order by trigger.tgname)
    from pg_trigger trigger
    where trigger.tgrelid = tables.oid and not trigger.tgisinternal and trigger.tgtype & 4 <> 0
      and trigger.tgenabled = 'O'
  ) as disable_triggers,
  (select string_agg(format('alter table %s enable trigger %I;', tables.name, trigger.tgname), ' '
    order by trigger.tgname)
    from pg_trigger trigger
    where trigger.tgrelid = tables.oid and not trigger.tgisinternal and trigger.tgtype & 4 <> 0
      and trigger.tgenabled = 'O'
  ) as enable_triggers,
  format('select exists (select from %s)', tables.name) as filled_query
from tables
join columns using (oid)
join keys using (oid)
order by tables.name collate "C";

-- name: backup_unkeyed_tables() :many
-- Tables without a primary key, which cannot be copied in a defined order. There must be none.
select format('%I.%I', namespace.nspname, class.relname) as name
from pg_class class
join pg_namespace namespace on namespace.oid = class.relnamespace
where namespace.nspname in ('identity', 'research', 'audit')
  and (class.relkind = 'p' or class.relkind = 'r' and not exists (
    select from pg_index index where index.indrelid = class.oid and index.indisprimary))
order by 1;

-- name: backup_sequences() :many
-- last_value is null if the sequence has not assigned a number.
select format('%I.%I', schemaname, sequencename) as name, last_value
from pg_sequences
where schemaname in ('identity', 'research', 'audit')
order by 1;

-- name: restore_sequence(name text, last_value int8) :one
select setval(:name::regclass, :last_value) as last_value;

-- name: restore_change_counters(now timestamptz) :exec
-- Readers of the change feed may know numbers that were assigned after the backup was made, or after an earlier
-- restore. None of them is assigned again: the new counter is derived from the current time in microseconds, and no
-- study has a million changes per second. A study without numbers at the time of the backup may have got some since.
insert into research.change_counter as counter (study, last_seq)
select study, (extract(epoch from :now::timestamptz) * 1000000)::bigint from research.study
on conflict (study) do update set last_seq = greatest(counter.last_seq + 1000000000, excluded.last_seq);

-- name: restore_changes() :exec
-- Marks every record as changed.
update research.change set change_seq = null where change_seq is not null;

-- name: restore_erasures() :exec
update research.erasure set change_seq = null where change_seq is not null;

-- name: has_history() :one
-- A backup of an older version has no such table before it is migrated.
select to_regclass('research.history') is not null as is_there;

-- name: begin_history(history_id uuid, now timestamptz) :exec
insert into research.history (history_id, began_at) values (:history_id, :now)
on conflict (only_one) do update set history_id = excluded.history_id, began_at = excluded.began_at;
