"""Validates a dataset's datapackage.json, and every table against it, with frictionless."""

import pathlib
import sys

import frictionless

path = pathlib.Path(sys.argv[1]) / "datapackage.json"
report = frictionless.Package(str(path)).validate()
if not report.valid:
    for message in report.flatten(["name", "rowNumber", "fieldName", "type", "message"])[:20]:
        print(message)
    for error in report.errors[:20]:
        print(error)
    sys.exit(1)
assert report.stats["tasks"] >= 3
print("all as expected")
