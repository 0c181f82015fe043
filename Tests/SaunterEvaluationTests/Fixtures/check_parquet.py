"""Compares the Parquet files of the dataset of garden.sql with its CSV files and its data package."""

import csv
import json
import sys

import duckdb
import polars
import pyarrow
import pyarrow.parquet

folder = sys.argv[1]
TYPES = {
    "string": pyarrow.string(),
    "integer": pyarrow.int64(),
    "number": pyarrow.float64(),
    "boolean": pyarrow.bool_(),
}


def text(value):
    """The text that COPY writes for a value, and whether it is null."""
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


with open(folder + "/datapackage.json", encoding="utf-8") as file:
    resources = {resource["path"]: resource for resource in json.load(file)["resources"]}
paths = sorted(path for path in resources if path.endswith(".parquet"))
assert paths == ["data/answers.parquet", "data/observation_samples.parquet", "data/walk_samples.parquet"], paths
for path in paths:
    table = pyarrow.parquet.read_table(f"{folder}/{path}", page_checksum_verification=True)
    wanted = [(field["name"], TYPES[field["type"]]) for field in resources[path]["schema"]["fields"]]
    assert [(field.name, field.type) for field in table.schema] == wanted, table.schema
    assert table.equals(polars.read_parquet(f"{folder}/{path}").to_arrow(compat_level=polars.CompatLevel.oldest()).cast(table.schema)), path
    assert table.cast(table.schema).equals(duckdb.sql(f"from '{folder}/{path}'").to_arrow_table().cast(table.schema)), path
    assert table.schema.metadata[b"saunter.study"] == b"garden"
    assert table.schema.metadata[b"saunter.table"].decode() == path[5:-8]
    assert table.schema.metadata[b"saunter.as_of"] == b"2026-03-30T15:00:00.000Z"

answers = pyarrow.parquet.read_table(folder + "/data/answers.parquet")
with open(folder + "/data/answers.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.reader(file))
assert rows[0] == answers.column_names
assert rows[1:] == [[text(value) for value in row.values()] for row in answers.to_pylist()]
assert answers.schema.field("sheet_id").nullable is False and answers.schema.field("option").nullable
assert answers["value"].null_count > 0 and "" not in answers["value"].to_pylist()

samples = pyarrow.parquet.read_table(folder + "/data/walk_samples.parquet").to_pylist()
assert [list(sample.values()) for sample in samples] == [
    ["W00000000-0000-4000-8000-000000000aa1", "E00000000-0000-4000-8000-0000000000e1", "P001", t, rate, None, None, None]
    for t, rate in [(0, 99.5), (1000, None), (2000, 130.0)]
], samples

samples = pyarrow.parquet.read_table(folder + "/data/observation_samples.parquet").to_pylist()
assert [list(sample.values()) for sample in samples] == [
    ["B00000000-0000-4000-8000-000000000b01", component, "E00000000-0000-4000-8000-0000000000e1", "P001", t, None, value]
    for component, t, value in [(1, 0, 121.0), (1, 3600000, 125.5), (2, 0, 79.0), (2, 3600000, None)]
] + [["B00000000-0000-4000-8000-000000000b02", 1, "E00000000-0000-4000-8000-0000000000e2", "P002", 0, 3600000, 900.0]], samples

sys.dont_write_bytecode = True
sys.path.insert(0, folder + "/load")
import load

frame = load.load_parquet(folder, "walk_samples", columns=["t_offset_ms", "hr_bpm"])
assert {name: str(kind) for name, kind in frame.dtypes.items()} == {"t_offset_ms": "Int64", "hr_bpm": "Float64"}
assert frame["hr_bpm"].isna().tolist() == [False, True, False]
print("all as expected")
