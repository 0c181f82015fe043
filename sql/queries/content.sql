-- name: find_live_edition(study text) :many
select edition, digest from research.content_edition where study = :study order by edition desc limit 1;

-- name: list_editions(study text) :many
select edition, published_at from research.content_edition where study = :study order by edition desc;

-- name: find_edition(study text, edition int4) :many
select edition, digest, files::text as files, published_at from research.content_edition where study = :study
  and edition = :edition;

-- name: insert_edition(study text, edition int4, digest text, files jsonb, media text[], public_media text[], now timestamptz) :exec
insert into research.content_edition (study, edition, digest, files, media, public_media, published_at)
values (:study, :edition, :digest, :files, :media, :public_media, :now);

-- name: insert_publications(study text, edition int4, collections text[], items text[], now timestamptz) :exec
-- The items that no earlier edition has.
insert into research.content_publication (study, collection, item, edition, published_at)
select :study, made.collection, made.item, :edition, :now
from unnest(:collections::text[], :items::text[]) as made (collection, item)
on conflict (study, collection, item) do nothing;

-- name: list_publications(study text, since timestamptz) :many
-- New items of collections that an earlier edition has.
select collection, item, edition, published_at from research.content_publication publication
where study = :study and published_at > :since and edition > (
  select min(edition) from research.content_publication first
  where first.study = publication.study and first.collection = publication.collection)
order by published_at, collection, item;

-- name: find_publication(study text, collection text, item text) :many
select edition from research.content_publication
where study = :study and collection = :collection and item = :item;

-- name: decide_after_publication(study text, now timestamptz) :exec
-- Rules may announce the new items. A worker can have decided a later moment before the publication was visible to it:
-- then the moment of the publication is decided again. Waits also for participants whose evaluation is due already,
-- because a worker that evaluates their rules now does not see the publication, and sets the next evaluation afterwards.
-- Locks them in key order, to avoid deadlocks with batches of records.
with locked as materialized (
  select enrolment_id from research.enrolment where study = :study and status = 'active'
  order by enrolment_id
  for no key update
)
update research.enrolment set next_decision_at = least(next_decision_at, :now),
  decided_until = case when decided_until >= :now then :now - interval '1 millisecond' else decided_until end
from locked where enrolment.enrolment_id = locked.enrolment_id;

-- name: insert_media(sha256 text, media_type text, byte_count int4, study text, now timestamptz) :exec
-- Describes a file, or states that this study uses it as well. The lock on the row lasts until the end of the
-- transaction, so the file is not deleted in the meantime.
insert into research.media (sha256, media_type, byte_count, stored_at, studies)
values (:sha256, :media_type, :byte_count, :now, array[:study])
on conflict (sha256) do update set stored_at = greatest(media.stored_at, excluded.stored_at),
  studies = case when :study = any (media.studies) then media.studies else media.studies || :study end;

-- name: insert_media_part(sha256 text, part int4, bytes bytea) :many
-- No row if the part is stored.
insert into research.media_part (sha256, part, bytes) values (:sha256, :part, :bytes)
on conflict (sha256, part) do nothing
returning part;

-- name: renew_media(sha256 text, study text, now timestamptz) :many
-- A file that the study has uploaded or published. It is not deleted before the end of the transaction.
update research.media set stored_at = greatest(stored_at, :now) where sha256 = :sha256 and :study = any (studies)
returning media_type, byte_count;

-- name: sum_media(study text) :one
select coalesce(sum(byte_count), 0)::int8 as byte_count from research.media where :study = any (studies);

-- name: delete_unused_media(before timestamptz) :exec
-- The files that no edition and no draft contains. A draft names a file of more than 1 MiB by its digest, and contains
-- the bytes of others.
delete from research.media
where stored_at < :before
  and not exists (select from research.content_edition where media.sha256 = any (content_edition.media))
  and not exists (
    select from research.study_draft_file file
    where file.path like '%/library/media/%' and starts_with(file.content, 'sha256:' || media.sha256 || ';'));

-- name: read_media(sha256s text[]) :many
-- The bytes of files of at most 1 MiB.
select sha256, bytes from research.media_part join research.media using (sha256)
where sha256 = any (:sha256s) and part = 0 and byte_count <= 1048576;

-- name: find_uploaded_media(sha256 text, study text) :many
select media_type, byte_count from research.media where sha256 = :sha256 and :study = any (studies);

-- name: find_public_media(sha256 text) :many
-- A file of a collection that anyone can read, in the live edition of any study.
select media.media_type, media.byte_count
from research.media
where media.sha256 = :sha256 and exists (
  select from research.study
  cross join lateral (
    select public_media from research.content_edition where content_edition.study = study.study
    order by edition desc limit 1) as live
  where media.sha256 = any (live.public_media));

-- name: find_media_of_study(sha256 text, study text) :many
-- A file of any edition, because a device may show a page with an item that was withdrawn in the meantime.
select media.media_type, media.byte_count
from research.media
where media.sha256 = :sha256 and exists (
  select from research.content_edition
  where content_edition.study = :study and media.sha256 = any (content_edition.media));

-- name: read_media_part(sha256 text, part int4, start int4, byte_count int4) :many
-- Bytes of one part. The first byte of a part has the number 1.
select substring(bytes from :start for :byte_count) as bytes from research.media_part
where sha256 = :sha256 and part = :part;

-- name: list_shown_items(enrolment_id uuid, collection text, today date) :many
-- When each item was last selected for the participant, and the dates after today for which it is selected. The date of
-- a daily selection counts, because it can be selected days ahead.
select item,
  max(case when selector = 'daily' then slot::date::timestamp at time zone 'UTC' else selected_at end) as shown_at
from research.content_selection
where enrolment_id = :enrolment_id and collection = :collection
  and case when selector = 'daily' then slot::date <= :today else true end
group by item
order by item;

-- name: list_daily_items(enrolment_id uuid, collection text, today date) :many
select slot::date as local_date, item, edition
from research.content_selection
where enrolment_id = :enrolment_id and collection = :collection and selector = 'daily' and slot >= :today::text
order by slot;

-- name: find_selection(enrolment_id uuid, collection text, selector text, slot text) :many
select item, edition from research.content_selection
where enrolment_id = :enrolment_id and collection = :collection and selector = :selector and slot = :slot;

-- name: insert_selections(enrolment_id uuid, collection text, selector text, slots text[], items text[], edition int4, now timestamptz) :exec
-- An item that was withdrawn before its date is replaced.
insert into research.content_selection (enrolment_id, collection, selector, slot, item, edition, selected_at)
select :enrolment_id, :collection, :selector, selected.slot, selected.item, :edition, :now
from unnest(:slots::text[], :items::text[]) as selected (slot, item)
on conflict (enrolment_id, collection, selector, slot) do update
set item = excluded.item, edition = excluded.edition, selected_at = excluded.selected_at;
