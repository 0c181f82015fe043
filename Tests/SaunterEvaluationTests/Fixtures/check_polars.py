"""Reads every CSV table of a dataset with polars and the types of the codebook, and compares it with the pandas loader."""

import csv
import importlib.util
import pathlib
import sys

import pandas
import polars

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("load", root / "load/load.py")
load = importlib.util.module_from_spec(spec)
spec.loader.exec_module(load)

MOMENT = "%Y-%m-%dT%H:%M:%S%.3f"
TYPES = {
    "integer": lambda column: column.cast(polars.Int64),
    "number": lambda column: column.cast(polars.Float64),
    "boolean": lambda column: column.replace_strict({"0": False, "1": True}, default=None, return_dtype=polars.Boolean),
    "date": lambda column: column.str.to_date("%Y-%m-%d").cast(polars.Datetime("ms")),
    "local": lambda column: column.str.to_datetime(MOMENT, time_unit="ms"),
    "instant": lambda column: column.str.to_datetime(MOMENT + "Z", time_unit="ms").dt.replace_time_zone("UTC"),
}


def plain(value):
    """The Python value of a cell of either library."""
    if value is None or value is pandas.NA or value is pandas.NaT or value != value:
        return None
    return value.isoformat() if hasattr(value, "isoformat") else value


with open(root / "meta/codebook.csv", encoding="utf-8", newline="") as file:
    codebook = list(csv.DictReader(file))
files = {}
for row in codebook:
    if row["file"].endswith((".csv", ".csv.gz")):
        files.setdefault(row["file"], []).append(row)
tables = load.load(root)
compared = 0
for path, columns in files.items():
    texts = polars.read_csv(root / path, infer_schema=False)
    assert texts.columns == [column["column"] for column in columns], path
    typed = texts.with_columns(
        TYPES[column["type"]](polars.col(column["column"])) for column in columns if column["type"] in TYPES)
    table = tables[load._table(path)]
    assert len(table) == len(typed), path
    for column in columns:
        ours = [plain(value) for value in table[column["column"]].tolist()]
        theirs = [plain(value) for value in typed[column["column"]].to_list()]
        assert ours == theirs, (path, column["column"], ours, theirs)
        compared += len(ours)
assert compared > 1000, compared
print("all as expected")
