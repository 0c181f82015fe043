"""Checks that samples are sorted by their key and that keys are unique."""

import sys

import pyarrow.parquet

table = pyarrow.parquet.read_table(sys.argv[1] + "/data/walk_samples.parquet")
keys = [tuple(row[name] for name in ("enrolment_id", "walk_id", "t_offset_ms")) for row in table.to_pylist()]
assert keys == sorted(set(keys)), "not in order"
print(f"{len(keys)} samples of {len({key[:2] for key in keys})} walks")
