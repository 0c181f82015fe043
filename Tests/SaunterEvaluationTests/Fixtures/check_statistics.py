"""Compares the .sav and .dta files of a dataset with its CSV files, cell by cell, using pyreadstat."""

import csv
import datetime
import math
import pathlib
import sys

import pyreadstat

root = pathlib.Path(sys.argv[1])
STARTS = {"sav": datetime.datetime(1582, 10, 14), "dta": datetime.datetime(1960, 1, 1)}


def rows(path):
    with open(root / path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text, kind, form):
    start = STARTS[form]
    if kind == "date":
        days = (datetime.datetime.fromisoformat(text) - start).days
        return days * 86400.0 if form == "sav" else float(days)
    if kind in ("instant", "local"):
        seconds = (datetime.datetime.fromisoformat(text.rstrip("Z")) - start).total_seconds()
        return seconds if form == "sav" else seconds * 1000
    if kind == "time":
        hours, minutes, seconds = (float(part) for part in text.split(":"))
        return (hours * 3600 + minutes * 60 + seconds) * (1 if form == "sav" else 1000)
    return float(text)


codebook = rows("meta/codebook.csv")
missing = {row["code"]: row for row in rows("meta/missing_codes.csv")}
labels = {}
for row in rows("meta/value_labels.csv"):
    if row["lang"] == "en":
        labels.setdefault(row["set"], {})[row["code"]] = row["label"]
compared = reasons_seen = 0
for form, folder in (("sav", "spss"), ("dta", "stata")):
    read = pyreadstat.read_sav if form == "sav" else pyreadstat.read_dta
    for path in sorted((root / folder).glob("*." + form)):
        table = "data/" + path.stem + ".csv"
        columns = [row for row in codebook if row["file"] == table]
        plain = rows(table)
        mask = rows(f"data/{path.stem}_missing.csv") if (root / "data" / f"{path.stem}_missing.csv").exists() else None
        frame, meta = read(str(path), user_missing=True, disable_datetime_conversion=True)
        assert len(frame) == len(plain) and len(columns) == len(meta.column_names), table
        for column, name in zip(columns, meta.column_names):
            limit = 255 if form == "sav" else 80
            label = meta.column_names_to_labels[name]
            # The reader removes a space at the end of a label that was cut.
            assert label == column["label"].encode()[:limit].decode("utf-8", "ignore").rstrip(), (name, label)
            known = {str(key).removesuffix(".0"): value for key, value in meta.variable_value_labels.get(name, {}).items()}
            expected = labels.get(column["value_set"], {})
            if expected and (column["type"] == "integer" or (column["type"] == "string" and form == "sav")):
                for code, words in expected.items():
                    assert known.get(code) == words, (table, name, code, known)
            if column["type"] == "boolean":
                assert known.get("0") == "No" and known.get("1") == "Yes", (table, name, known)
            for place, row in enumerate(plain):
                text, found = row[column["column"]], frame[name].iloc[place]
                where = (table, form, name, place, text, found)
                compared += 1
                if text and column["type"] == "string":
                    assert found == text, where
                elif text:
                    assert float(found) == number(text, column["type"], form), where
                elif column["type"] == "string":
                    assert found == "" or found is None or found != found, where
                else:
                    reason = mask[place][column["column"]] if mask and column["item"] else ""
                    takes = reason and column["type"] not in ("date", "instant", "time") and (
                        column["type"] == "boolean" or column["value_set"] or column["min"]
                        # The number of answers of a group, which is never negative.
                        or column["label"].endswith("(how many)"))
                    if form == "sav" and takes:
                        assert float(found) == float(missing[reason]["spss"]), where
                        assert known[missing[reason]["spss"]] == missing[reason]["label"], where
                        assert meta.missing_ranges[name] == [{"lo": -999.0, "hi": -989.0}], where
                        reasons_seen += 1
                    elif form == "dta" and reason:
                        assert "." + str(found) == missing[reason]["stata"], where
                        reasons_seen += 1
                    else:
                        assert found is None or math.isnan(float(found)), where
assert compared > 500 and reasons_seen > 10, (compared, reasons_seen)

# By default the reasons are missing values, so the mean is the mean of the answers.
frame, _ = pyreadstat.read_sav(str(root / "spss/wide_mood.sav"))
assert frame["version_43cc"].mean() == 0, frame["version_43cc"]
assert frame["calm"].tolist()[0] == 0 and math.isnan(frame["calm"].tolist()[1]), frame["calm"]
print(f"all as expected")
