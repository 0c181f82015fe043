-- Samples are packed by LZ4 where PostgreSQL was built with it: writing an hour's walk takes half of the time, and a little more disk.
-- What was stored before stays as it is and is read as before.
do $$
declare
  series record;
begin
  for series in
    select attrelid::regclass as owner, attname as name
    from pg_attribute
    where attrelid in ('research.walk'::regclass, 'research.observation'::regclass)
      and attnum > 0 and not attisdropped and atttypid in ('integer[]'::regtype, 'bigint[]'::regtype, 'double precision[]'::regtype)
  loop
    execute format('alter table %s alter column %I set compression lz4', series.owner, series.name);
  end loop;
exception
  when feature_not_supported then raise notice 'samples stay packed by pglz: %', sqlerrm;
end
$$;
