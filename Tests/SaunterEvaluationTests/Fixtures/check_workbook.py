"""Compares every workbook of a dataset with its CSV file, cell by cell, using openpyxl."""

import csv
import pathlib
import sys

import openpyxl

root = pathlib.Path(sys.argv[1])


def rows(path):
    with open(root / path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


types = {}
with open(root / "meta/codebook.csv", encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file):
        types[row["file"], row["column"]] = row["type"]
compared = 0
for path in sorted((root / "data").glob("*.csv")):
    name = path.stem
    book = openpyxl.load_workbook(root / f"excel/{name}.xlsx")
    plain = rows(f"data/{name}.csv")
    sheet = book["values"]
    assert sheet.max_row == len(plain), (name, sheet.max_row, len(plain))
    for line, row in enumerate(plain, start=1):
        for place, text in enumerate(row, start=1):
            cell = sheet.cell(line, place)
            assert cell.data_type != "f", (name, line, place)
            kind = types[f"data/{name}.csv", plain[0][place - 1]]
            compared += 1
            if text == "":
                assert cell.value is None, (name, line, place)
            elif line > 1 and kind in ("integer", "number", "boolean") and len(text) <= 15:
                assert isinstance(cell.value, (int, float)) and cell.value == float(text), (name, text, cell.value)
            else:
                assert cell.value == text, (name, text, cell.value)
book = openpyxl.load_workbook(root / "excel/wide_mood.xlsx")
mask = rows("data/wide_mood_missing.csv")
for line, row in enumerate(mask[1:], start=2):
    for place, text in enumerate(row, start=1):
        if mask[0][place - 1] in ("feel", "why__money", "calm", "minutes", "weight", "extra", "day"):
            assert (book["missing"].cell(line, place).value or "") == text, (line, place, text)
means = [[cell.value for cell in row] for row in book["codebook"].iter_rows()]
assert ["feel", "How do you feel?", "integer", None, "1", "bad"] in means, means
assert compared > 500
print("all as expected")
