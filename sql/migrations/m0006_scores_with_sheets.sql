-- The scores of a sheet are stored in its row, as one array per property in the order of the scales of the key. A later
-- result is one row in `rescored_sheet`. Reading stays the same: the view `score` has one row per scale.

-- A scoring key as it was used. Rows are never changed.
create table research.scoring_key (
  -- digest of the other columns
  key_id uuid primary key,
  key_version text not null,
  key_digest text not null,
  engine_version text not null,
  scales text[] not null
);

alter table research.answer_sheet
  -- the key of the scores below; null if the sheet has none. No foreign key: the statement that inserts the sheet
  -- inserts the key too
  add column key_id uuid,
  add column scored_at timestamptz,
  -- covariates that the key used, as JSON
  add column covariates text,
  add column score_values double precision[],
  -- null if all values are known
  add column score_reasons text[],
  -- null if no scale has a band
  add column score_bands text[],
  -- three numbers per scale: items, answered items, imputed items
  add column score_counts smallint[],
  -- null if no exclusion applies
  add column score_exclusions text[],
  -- null if no value has one
  add column score_errors double precision[],
  add constraint answer_sheet_scored check (num_nonnulls(key_id, scored_at, score_values, score_counts) in (0, 4));

-- Scores that were computed after those in the row of the sheet: by another key or engine, or with another covariate.
create table research.rescored_sheet (
  enrolment_id uuid not null,
  sheet_id uuid not null,
  revision integer not null,
  key_id uuid not null,
  scored_at timestamptz not null,
  covariates text,
  score_values double precision[] not null,
  score_reasons text[],
  score_bands text[],
  score_counts smallint[] not null,
  score_exclusions text[],
  score_errors double precision[],
  primary key (enrolment_id, sheet_id, revision, key_id),
  foreign key (enrolment_id, sheet_id, revision) references research.answer_sheet on delete cascade
);

-- One row per sheet revision and key; is_first: the earliest one of its revision.
create temporary table result on commit drop as
select *,
  md5(concat_ws(' ', key_version, key_digest, engine_version, array_to_string(scales, ' ')))::uuid as key_id,
  row_number() over (partition by enrolment_id, sheet_id, revision
    order by scored_at, key_digest, engine_version, key_version) = 1 as is_first
from (
  select enrolment_id, sheet_id, revision, key_version, key_digest, engine_version,
    array_agg(scale order by scale collate "C") as scales, max(computed_at) as scored_at, max(covariates) as covariates,
    array_agg(value order by scale collate "C") as score_values,
    case when bool_or(reason is not null) then array_agg(reason order by scale collate "C") end as score_reasons,
    case when bool_or(band is not null) then array_agg(band order by scale collate "C") end as score_bands,
    array_agg(array[item_count, answered_count, imputed_count] order by scale collate "C") as counts,
    case when bool_or(exclusion is not null) then array_agg(exclusion order by scale collate "C") end
      as score_exclusions,
    case when bool_or(standard_error is not null) then array_agg(standard_error order by scale collate "C") end
      as score_errors
  from research.score
  group by enrolment_id, sheet_id, revision, key_version, key_digest, engine_version
) as grouped;

insert into research.scoring_key (key_id, key_version, key_digest, engine_version, scales)
select distinct key_id, key_version, key_digest, engine_version, scales from result;

alter table research.answer_sheet disable trigger user;
update research.answer_sheet sheet set
  key_id = result.key_id, scored_at = result.scored_at, covariates = result.covariates,
  score_values = result.score_values, score_reasons = result.score_reasons, score_bands = result.score_bands,
  score_counts = array(select count from unnest(result.counts) as count), score_exclusions = result.score_exclusions,
  score_errors = result.score_errors
from result
where result.is_first and sheet.enrolment_id = result.enrolment_id and sheet.sheet_id = result.sheet_id
  and sheet.revision = result.revision;
alter table research.answer_sheet enable trigger user;

insert into research.rescored_sheet
  (enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
   score_counts, score_exclusions, score_errors)
select enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
  array(select count from unnest(counts) as count), score_exclusions, score_errors
from result where not is_first;

drop table research.score;
drop function research.note_changed_score();

-- One row per sheet revision, key and scale: what was computed with the sheet and what was computed later.
create view research.score as
select result.enrolment_id, result.sheet_id, result.revision, scaled.scale, key.key_version, key.key_digest,
  key.engine_version, scaled.value, scaled.reason, scaled.band,
  result.score_counts[3 * scaled.number - 2]::integer as item_count,
  result.score_counts[3 * scaled.number - 1]::integer as answered_count,
  result.score_counts[3 * scaled.number]::integer as imputed_count,
  result.scored_at as computed_at, scaled.exclusion, scaled.standard_error, result.covariates
from (
  select enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
    score_counts, score_exclusions, score_errors
  from research.answer_sheet
  union all
  select enrolment_id, sheet_id, revision, key_id, scored_at, covariates, score_values, score_reasons, score_bands,
    score_counts, score_exclusions, score_errors
  from research.rescored_sheet
) as result
join research.scoring_key key using (key_id)
cross join lateral unnest(key.scales, result.score_values, result.score_reasons, result.score_bands,
  result.score_exclusions, result.score_errors) with ordinality
  as scaled (scale, value, reason, band, exclusion, standard_error, number);

-- Scores that are computed again are a change for readers.
create trigger rescored_sheet_note_changed after update on research.rescored_sheet
  referencing new table as changed for each statement execute function research.note_new_score();
create trigger rescored_sheet_note_new after insert on research.rescored_sheet
  referencing new table as changed for each statement execute function research.note_new_score();

-- Every statement that inserts such a row runs after its transaction has locked the enrolment, and only an erasure, which
-- locks it too and deletes from each of these tables, removes an enrolment. So these checks find nothing.
alter table research.amendment drop constraint amendment_enrolment_id_fkey;
alter table research.answer_text drop constraint answer_text_enrolment_id_sheet_id_revision_fkey;
alter table research.calibration drop constraint calibration_enrolment_id_fkey;
alter table research.change drop constraint change_enrolment_id_fkey;
alter table research.observation drop constraint observation_enrolment_id_fkey;
alter table research.usage_event drop constraint usage_event_enrolment_id_fkey;
alter table research.walk
  drop constraint walk_enrolment_id_fkey,
  drop constraint walk_enrolment_id_calibration_id_fkey;

grant select, insert, update, delete on research.rescored_sheet to saunter_research, saunter_clerk;
grant select, insert on research.scoring_key to saunter_research, saunter_clerk;
grant select on research.rescored_sheet, research.scoring_key to saunter_export;
grant select on research.score to saunter_research, saunter_clerk, saunter_export;
