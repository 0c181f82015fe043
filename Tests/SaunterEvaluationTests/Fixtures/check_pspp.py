"""Runs load.sps in PSPP and compares the result with the .sav files of the dataset."""

import pathlib
import subprocess
import sys
import tempfile

import pyreadstat

root = pathlib.Path(sys.argv[1])
syntax = (root / "load/load.sps").read_text(encoding="utf-8")
assert max(len(line.encode()) for line in syntax.splitlines()) <= 251
with tempfile.TemporaryDirectory() as folder:
    names = ["wide_mood", "sheets", "occasions", "scores", "adherence_daily"]
    saving = "".join(f"DATASET ACTIVATE {name}.\nSAVE OUTFILE='{folder}/{name}.sav'.\n" for name in names)
    script = pathlib.Path(folder) / "all.sps"
    script.write_text(syntax + saving, encoding="utf-8")
    done = subprocess.run(["pspp", str(script)], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0 and "error:" not in done.stdout + done.stderr, done.stdout[-4000:] + done.stderr[-2000:]
    for name in names:
        options = {"user_missing": True, "disable_datetime_conversion": True}
        loaded, about = pyreadstat.read_sav(f"{folder}/{name}.sav", **options)
        given, meta = pyreadstat.read_sav(str(root / f"spss/{name}.sav"), **options)
        assert list(loaded.columns) == list(given.columns), name
        assert about.column_names_to_labels == meta.column_names_to_labels, name
        for column in given.columns:
            ours, theirs = given[column].tolist(), loaded[column].tolist()
            for one, other in zip(ours, theirs, strict=True):
                same = one == other or (one != one and other != other) or (one in ("", None) and other in ("", None))
                # PSPP has no years before 1582.
                assert same or (column == "day" and one < 0), (name, column, one, other)
        for column, words in meta.variable_value_labels.items():
            assert about.variable_value_labels.get(column) == words, (name, column)
        for column, ranges in meta.missing_ranges.items():
            assert about.missing_ranges.get(column) == ranges, (name, column)
print("all as expected")
