-- What changed, for readers who keep a copy of a study.
--
-- One row per thing, whose newest change counts. Whoever writes a thing only takes its number away; whoever reads the changes numbers what has been
-- committed by then. So numbers follow commits, a commit that comes late gets a later number and is missed by nobody, and no two commits wait for
-- each other. (A counter that every commit bumps would be simpler, and let commits pass one at a time.)
create table research.change (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  kind text not null
    constraint change_kind check (kind in ('enrolment', 'calibration', 'occasion', 'walk', 'answer_sheet')),
  subject_id uuid not null,
  study text not null,
  -- null: changed since it was numbered last
  change_seq bigint,
  primary key (enrolment_id, kind, subject_id)
);
create index change_numbered on research.change (study, change_seq) where change_seq is not null;
create index change_waiting on research.change (study) where change_seq is null;

-- The last number given out in each study; locked by whoever numbers, never by whoever writes.
create table research.change_counter (
  study text primary key,
  last_seq bigint not null default 0
);

-- Readers of changes know an enrolment by a digest of its id, so that they learn whose rows they must drop, while nothing here leads back to anybody.
alter table research.erasure add column enrolment_ref text, add column change_seq bigint;
create index erasure_numbered on research.erasure (study, change_seq);

create function research.enrolment_ref(enrolment_id uuid) returns text language sql immutable parallel safe as $$
  select left(encode(sha256(decode(replace(enrolment_id::text, '-', ''), 'hex')), 'hex'), 32)
$$;

-- RFC 3339 in UTC with milliseconds.
create function research.instant_text(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Statement triggers, because code that writes must not be able to forget. Of an update only these columns count: what a replay touches, and when the
-- next reminder comes, is no change to a reader.
do $$
declare
  thing record;
begin
  for thing in
    select * from (values
      ('enrolment', 'enrolment', 'enrolment_id',
        'study_version, arm, consent_version, zone, language, status, ended_at, end_reason, reminders_on'),
      ('calibration', 'calibration', 'calibration_id', null),
      ('occasion', 'occasion', 'occasion_id',
        'study_version, local_date, zone, visible_at, open_at, due_at, close_at, set_aside, completed_at, sheet_id'),
      ('walk', 'walk', 'walk_id', 'deleted_at'),
      ('answer_sheet', 'answer_sheet', 'sheet_id', 'current, completes, duplicate_of, deleted_at'),
      ('score', 'answer_sheet', 'sheet_id', null)
    ) as things (table_name, kind, id, columns)
  loop
    execute format($f$
      create function research.note_new_%1$s() returns trigger language plpgsql as $body$
      begin
        insert into research.change (enrolment_id, kind, subject_id, study)
        select distinct changed.enrolment_id, %2$L, changed.%3$I, enrolment.study
        from changed join research.enrolment using (enrolment_id)
        on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
        where change.change_seq is not null;
        return null;
      end
      $body$ $f$, thing.table_name, thing.kind, thing.id);
    execute format(
      'create trigger %1$s_note_new after insert on research.%1$I referencing new table as changed
       for each statement execute function research.note_new_%1$s()', thing.table_name);
    if thing.columns is not null then
      execute format($f$
        create function research.note_changed_%1$s() returns trigger language plpgsql as $body$
        begin
          insert into research.change (enrolment_id, kind, subject_id, study)
          select distinct changed.enrolment_id, %2$L, changed.%3$I, enrolment.study
          from changed
          join before using (%4$s)
          join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
          where (%5$s) is distinct from (%6$s)
          on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
          where change.change_seq is not null;
          return null;
        end
        $body$ $f$, thing.table_name, thing.kind, thing.id,
        case thing.table_name when 'enrolment' then 'enrolment_id'
          when 'answer_sheet' then 'enrolment_id, sheet_id, revision' else 'enrolment_id, ' || thing.id end,
        (select string_agg('changed.' || column_name, ', ') from regexp_split_to_table(thing.columns, ', ') column_name),
        (select string_agg('before.' || column_name, ', ') from regexp_split_to_table(thing.columns, ', ') column_name));
      execute format(
        'create trigger %1$s_note_changed after update on research.%1$I
         referencing old table as before new table as changed
         for each statement execute function research.note_changed_%1$s()', thing.table_name);
    end if;
  end loop;
end
$$;

-- What is there already.
insert into research.change (enrolment_id, kind, subject_id, study)
select enrolment_id, 'enrolment', enrolment_id, study from research.enrolment
union all select enrolment_id, 'calibration', calibration_id, study
from research.calibration join research.enrolment using (enrolment_id)
union all select enrolment_id, 'occasion', occasion_id, study
from research.occasion join research.enrolment using (enrolment_id)
union all select enrolment_id, 'walk', walk_id, study
from research.walk join research.enrolment using (enrolment_id)
union all select enrolment_id, 'answer_sheet', sheet_id, study
from research.answer_sheet join research.enrolment using (enrolment_id) where current;

grant select, insert, update, delete on research.change, research.change_counter to saunter_research, saunter_clerk;
grant select on research.change, research.change_counter to saunter_export;
