"""Loads the dataset of garden.sql with its load.py and checks types and values."""

import importlib.util
import sys

import pandas

folder = sys.argv[1]
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("load", folder + "/load/load.py")
load = importlib.util.module_from_spec(spec)
spec.loader.exec_module(load)

data = load.load(folder)
assert next(iter(data)) == "panel", list(data)
wide = data["wide_mood"]
kinds = {name: str(wide[name].dtype) for name in wide.columns}
assert kinds["feel"] == "Int64" and kinds["why__home"] == "boolean" and kinds["weight"] == "Float64", kinds
assert kinds["calm"] == "boolean" and kinds["at"] == "string" and kinds["version"] == "string", kinds
assert kinds["submitted_at"] == "datetime64[ms, UTC]" and kinds["submitted_local"] == "datetime64[ms]", kinds
assert wide["minutes"].tolist()[0] == 9007199254740991 and pandas.isna(wide["minutes"][1]) and wide["minutes"][2] == 0
assert wide["why__money"].tolist()[2] is True and wide["why__work"].tolist()[2] is False
assert pandas.isna(wide["why__work"][1])
assert str(wide["day"][2].date()) == "0001-01-01"
assert str(wide["submitted_at"][1]) == "2026-03-29 21:00:00+00:00"
assert str(wide["submitted_local"][1]) == "2026-03-29 23:00:00"

words = load.label(wide, "feel")
assert words.cat.ordered and list(words.cat.categories) == ["bad", "so-so", "good"], words
assert list(words) == ["so-so", "good", "bad"], words
reasons = load.with_reasons(data, "wide_mood", "minutes")
assert reasons["minutes_missing"].tolist()[1] == "dont_know"
assert data["free_text"]["text"][0] == '=1+1, "quoted"\nand a second line – ü'
assert data["occasions"]["status"].tolist().count("missed") == 2
assert data["walks"]["mean_hr_bpm"][0] == 100.25
samples = data["walk_samples"]
assert samples["t_offset_ms"].tolist() == [0, 1000, 2000] and samples["hr_bpm"].isna().tolist() == [False, True, False]
assert samples.attrs["codebook"]["hr_bpm"]["unit"] == "/min"
for name, table in data.items():
    for column, about in table.attrs["codebook"].items():
        if about["type"] == "integer":
            assert str(table[column].dtype) == "Int64", (name, column)
print("all as expected")
