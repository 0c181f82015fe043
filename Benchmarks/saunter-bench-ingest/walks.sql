-- The same samples with one row each: the value of one series at one time of a walk.
drop table if exists bench.sample;
create table bench.sample (
  walk_id uuid not null,
  series smallint not null,
  t_ms integer not null,
  value double precision,
  primary key (walk_id, series, t_ms)
);
