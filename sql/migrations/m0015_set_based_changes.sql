-- Notes of changes, cheaper where many rows are written at once. What is noted, and when, stays as m0005_changes.sql has it.
--
-- A replay fires the trigger of updates with nothing updated that counts, mostly with no row at all: then there is nothing to join. And scores
-- are mostly written in the transaction that writes their sheet, which is noted by then: a note that this very transaction has made cannot be
-- numbered before it commits, so it need not be locked again. Of a note that somebody else has made that cannot be known, so it is locked and,
-- if it was numbered, loses its number, as before.
do $$
declare
  thing record;
begin
  for thing in
    select * from (values
      ('enrolment', 'enrolment', 'enrolment_id', 'enrolment_id',
        'study_version, arm, consent_version, zone, language, status, ended_at, end_reason, reminders_on'),
      ('occasion', 'occasion', 'occasion_id', 'enrolment_id, occasion_id',
        'study_version, local_date, zone, visible_at, open_at, due_at, close_at, set_aside, completed_at, sheet_id'),
      ('walk', 'walk', 'walk_id', 'enrolment_id, walk_id', 'deleted_at'),
      ('answer_sheet', 'answer_sheet', 'sheet_id', 'enrolment_id, sheet_id, revision',
        'current, completes, duplicate_of, deleted_at')
    ) as things (table_name, kind, id, key, columns)
  loop
    execute format($f$
      create or replace function research.note_changed_%1$s() returns trigger language plpgsql as $body$
      begin
        if not exists (select from changed) then
          return null;
        end if;
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
      $body$ $f$, thing.table_name, thing.kind, thing.id, thing.key,
      (select string_agg('changed.' || column_name, ', ') from regexp_split_to_table(thing.columns, ', ') column_name),
      (select string_agg('before.' || column_name, ', ') from regexp_split_to_table(thing.columns, ', ') column_name));
  end loop;
end
$$;

-- The note is looked up row by row, by key: a plan that a connection made while the table was small would read it from end to end later.
create or replace function research.note_new_score() returns trigger language plpgsql as $$
begin
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'answer_sheet', changed.sheet_id, enrolment.study
  from changed join research.enrolment using (enrolment_id)
  where (
    select noted.xmin = pg_current_xact_id()::xid
    from research.change noted
    where noted.enrolment_id = changed.enrolment_id and noted.kind = 'answer_sheet' and noted.subject_id = changed.sheet_id
  ) is not true
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
