-- Media of up to 64 MiB: their bytes are in parts, and who uploaded them is known before a draft or an edition refers to
-- them.

alter table research.media
  add column byte_count integer,
  -- when the bytes were last uploaded or published; media that nothing refers to are deleted some time later
  add column stored_at timestamptz,
  -- the studies whose editors uploaded or published these bytes
  add column studies text[];

-- A part has 1 MiB, the last one of a file less. Numbered from 0.
create table research.media_part (
  sha256 text not null references research.media on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (sha256, part),
  constraint media_part_part check (part >= 0),
  constraint media_part_bytes check (length(bytes) between 1 and 1048576)
);
-- Without compression, PostgreSQL reads a range of a value without the rest.
alter table research.media_part alter bytes set storage external;

insert into research.media_part (sha256, part, bytes) select sha256, 0, bytes from research.media;
update research.media set byte_count = length(bytes), stored_at = now(), studies = array(
  select distinct content_edition.study from research.content_edition
  where media.sha256 = any (content_edition.media) order by 1);

alter table research.media
  alter byte_count set not null, alter stored_at set not null, alter studies set not null, drop column bytes,
  add constraint media_byte_count check (byte_count > 0);

grant update, delete on research.media to saunter_research;
grant select, insert, delete on research.media_part to saunter_research;
grant select on research.media_part to saunter_clerk, saunter_export;
