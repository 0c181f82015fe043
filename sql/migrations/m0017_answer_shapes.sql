-- Answers that have no slot, as rows of the dataset: those in repeating groups, the values of repeating items, the comparisons of rankings;
-- null where a sheet has none. Texts among them stand in answer_text, the number of the instance behind the item (name.2).
alter table research.answer_sheet add column repeated jsonb;
-- The order in which the device showed what it had to shuffle: item -> codes of options, or names of items.
alter table research.answer_sheet add column presented jsonb;
