"""Compares every sheet of a dataset's workbook with its CSV file, cell by cell, using openpyxl."""

import csv
import datetime
import math
import pathlib
import sys

import openpyxl

root = pathlib.Path(sys.argv[1])


def rows(path):
    with open(root / path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def moment(kind, text):
    """The date, date and time, or time of a cell."""
    if kind == "time":
        return datetime.time.fromisoformat(text)
    return datetime.datetime.fromisoformat(text.removesuffix("Z"))


def same(expected, value):
    """Excel stores a share of a day, so the last digits can differ."""
    if isinstance(expected, datetime.time):
        return value == expected
    return abs(value - expected) < datetime.timedelta(milliseconds=1)


types = {}
with open(root / "meta/codebook.csv", encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file):
        types[row["file"], row["column"]] = row["type"]
book = openpyxl.load_workbook(root / "excel/dataset.xlsx")
assert [path.name for path in (root / "excel").glob("*.xlsx")] == ["dataset.xlsx"]
# Coordinates are not in the workbook, but in separate files.
names = {path.stem for path in (root / "data").glob("*.csv")} - {"locations", "location_revisions"}
assert set(book.sheetnames) == names | {"contents", "codebook", "value_labels"}, book.sheetnames
assert all(sheet.freeze_panes == "A2" for sheet in book)
contents = [[cell.value for cell in row] for row in book["contents"].iter_rows(min_row=2)]
assert [row[0] for row in contents] == book.sheetnames[1:-2]

compared = dates = 0
for sheet_name, _, count, path in contents:
    name = pathlib.Path(path).stem
    assert sheet_name == name
    plain = rows(path)
    sheet = book[name]
    assert sheet.max_row == len(plain) == count + 1, (name, sheet.max_row, len(plain))
    for line, row in enumerate(plain, start=1):
        for position, text in enumerate(row, start=1):
            cell = sheet.cell(line, position)
            assert cell.data_type != "f", (name, line, position)
            kind = types[path, plain[0][position - 1]]
            compared += 1
            if text == "":
                assert cell.value is None, (name, line, position)
            elif line > 1 and (kind in ("number", "boolean") or kind == "integer" and len(text) <= 15):
                assert isinstance(cell.value, (int, float)), (name, text, cell.value)
                assert math.isclose(cell.value, float(text), rel_tol=1e-15), (name, text, cell.value)
            elif line > 1 and kind in ("date", "instant", "local") and text < "1900-03-01":
                # Excel has no such dates.
                assert cell.value == text, (name, text, cell.value)
            elif line > 1 and kind in ("date", "instant", "local", "time"):
                assert same(moment(kind, text), cell.value), (name, text, cell.value)
                dates += 1
            else:
                assert cell.value == text, (name, text, cell.value)
for name in ("codebook", "value_labels"):
    found = [["" if cell.value is None else str(cell.value) for cell in row] for row in book[name].iter_rows()]
    assert found == rows(f"meta/{name}.csv"), name
assert compared > 500 and dates > 50
print("all as expected")
