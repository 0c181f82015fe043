-- A source may say better later what it measured: the same observation with a higher revision takes the place of the one before.
alter table research.observation add column revision integer not null default 1;

-- As before, and also for one that was revised. A replay fires it with nothing updated at all, or with what was there before.
create or replace function research.note_changed_observation() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  insert into research.change (enrolment_id, kind, subject_id, study)
  select distinct changed.enrolment_id, 'observation', changed.observation_id, enrolment.study
  from changed
  join before using (enrolment_id, observation_id)
  join research.enrolment on enrolment.enrolment_id = changed.enrolment_id
  where changed.deleted_at is distinct from before.deleted_at or changed.revision <> before.revision
  on conflict (enrolment_id, kind, subject_id) do update set change_seq = null
  where change.change_seq is not null;
  return null;
end
$$;
