-- The content library: what participants are shown, in immutable editions.

-- One state of the whole library of a study. Editions are numbered from 1 and never change.
create table research.content_edition (
  study text not null,
  edition integer not null,
  -- SHA-256 of the library's files in hexadecimal digits
  digest text not null,
  -- path -> text; for a media file the digest of its bytes
  files jsonb not null,
  -- digests of all media files, and of those in collections that anyone can read
  media text[] not null,
  public_media text[] not null,
  published_at timestamptz not null,
  primary key (study, edition),
  constraint content_edition_edition check (edition > 0),
  constraint content_edition_digest check (digest ~ '^[0-9a-f]{64}$')
);

-- The bytes of pictures, sounds and films. Rows are only added.
create table research.media (
  sha256 text primary key,
  media_type text not null,
  bytes bytea not null,
  constraint media_sha256 check (sha256 ~ '^[0-9a-f]{64}$')
);
-- Without compression, PostgreSQL reads a part of a value without the rest.
alter table research.media alter bytes set storage external;

-- The item that was selected for a participant.
create table research.content_selection (
  enrolment_id uuid not null references research.enrolment on delete cascade,
  collection text not null,
  -- `daily`, `draw`, or the code of a rule
  selector text not null,
  -- the local date, the id of the draw, or the decision point of the rule
  slot text not null,
  item text not null,
  -- the edition that was live when the item was selected
  edition integer not null,
  selected_at timestamptz not null,
  primary key (enrolment_id, collection, selector, slot)
);

grant select, insert on research.content_edition, research.media to saunter_research;
grant select on research.content_edition, research.media to saunter_clerk;
grant select on research.content_edition, research.media to saunter_export;
grant select, insert, update, delete on research.content_selection to saunter_research, saunter_clerk;
grant select on research.content_selection to saunter_export;
