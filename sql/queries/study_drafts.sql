-- name: find_draft(study text) :many
select study, based_on, edition, revision, changed_at, changed_by from research.study_draft where study = :study;

-- name: list_draft_files(study text) :many
select path, content from research.study_draft_file where study = :study order by path;

-- name: lock_draft(study text, now timestamptz, account_id uuid) :many
-- With whether the account has an audit entry of a change in this hour (UTC).
select based_on, edition, revision,
  audited_hour = date_trunc('hour', :now, 'UTC') and :account_id = any (audited_accounts) as is_audited
from research.study_draft where study = :study
for update;

-- name: find_draft_end(study text) :many
-- The last revision of an earlier draft of the study.
select revision from research.study_draft_end where study = :study;

-- name: insert_draft(study text, based_on text, edition int4, revision int4, now timestamptz, account_id uuid) :exec
insert into research.study_draft
  (study, based_on, edition, revision, changed_at, changed_by, audited_hour, audited_accounts)
values (:study, :based_on, :edition, :revision, :now, :account_id, date_trunc('hour', :now, 'UTC'), array[:account_id]);

-- name: update_draft(study text, based_on text, edition int4, revision int4, now timestamptz, account_id uuid) :exec
-- A null edition keeps the stored one.
update research.study_draft
set based_on = :based_on, edition = coalesce(:edition, edition), revision = :revision, changed_at = :now,
  changed_by = :account_id,
  audited_hour = date_trunc('hour', :now, 'UTC'),
  audited_accounts = case
    when audited_hour is distinct from date_trunc('hour', :now, 'UTC') then array[:account_id]
    when :account_id = any (audited_accounts) then audited_accounts
    else audited_accounts || :account_id end
where study = :study;

-- name: delete_other_draft_files(study text, paths text[]) :exec
delete from research.study_draft_file where study = :study and path <> all (:paths);

-- name: upsert_draft_files(study text, paths text[], contents text[]) :exec
insert into research.study_draft_file as present (study, path, content)
select :study, changed.path, changed.content from unnest(:paths::text[], :contents::text[]) as changed (path, content)
on conflict (study, path) do update set content = excluded.content
where present.content is distinct from excluded.content;

-- name: delete_draft(study text) :exec
-- The revision stays, so that no later draft uses it again.
with ended as (delete from research.study_draft where study = :study returning study, revision)
insert into research.study_draft_end as earlier (study, revision) select study, revision from ended
on conflict (study) do update set revision = greatest(earlier.revision, excluded.revision);

-- name: list_unpublished_drafts(studies text[]) :many
-- Drafts of studies without a published version. Null selects all studies.
select study, based_on, edition, revision, changed_at, changed_by from research.study_draft
where not exists (select from research.study where study.study = study_draft.study)
  and (:studies::text[] is null or study_draft.study = any (:studies::text[]))
order by study;

-- name: list_draft_words(studies text[]) :many
-- The files that contain the titles of studies.
select study, path, content from research.study_draft_file
where study = any (:studies)
  and (path = 'studies/' || study || '/study.yaml' or path like 'studies/' || study || '/content/text.%.yaml')
order by study, path;

-- name: find_study_owner(study text, account_id uuid) :one
-- Whether the code of a study is in use: by a version or a draft, or by roles of a team to which the account does not
-- belong as an editor.
select
  exists (select from research.study_version where study = :study) as is_published,
  exists (select from research.study_draft where study = :study) as has_draft,
  (
    exists (select from identity.account_grant where study = :study)
    or exists (select from identity.invitation where study = :study)
  ) and not exists (
    select from identity.account_grant
    where study = :study and account_id = :account_id and role = 'editor') as has_other_team;
