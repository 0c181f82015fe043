"""Compares meta/ddi.xml of a dataset with its codebook and tables."""

import csv
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

root = pathlib.Path(sys.argv[1])
NAMESPACE = "{ddi:codebook:2_5}"
# The order in which the schema of DDI Codebook 2.5 permits the parts of a variable.
ORDER = ["labl", "qstn", "valrng", "universe", "catgry", "derivation", "varFormat", "notes"]


def rows(path):
    with open(root / path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(element, path):
    return (element.findtext("/".join(NAMESPACE + part for part in path.split("/"))) or "").strip()


book = ElementTree.parse(root / "meta/ddi.xml").getroot()
assert book.tag == NAMESPACE + "codeBook" and book.get("version") == "2.5"
assert [child.tag.removeprefix(NAMESPACE) for child in book][:2] == ["docDscr", "stdyDscr"]
assert text(book, "stdyDscr/citation/titlStmt/titl") == 'A garden, "tried"'
assert text(book, "stdyDscr/citation/titlStmt/IDNo") == "garden"

files = {file.get("ID"): file for file in book.iter(NAMESPACE + "fileDscr")}
variables = list(book.iter(NAMESPACE + "var"))
ids = [variable.get("ID") for variable in variables] + list(files)
assert len(set(ids)) == len(ids)

codebook = {(row["file"], row["column"]): row for row in rows("meta/codebook.csv")}
labels = {}
for row in rows("meta/value_labels.csv"):
    labels.setdefault(row["set"], {}).setdefault(row["code"], row["label"])
described, categories = set(), 0
for variable in variables:
    path = files[variable.get("files")].get("URI")
    row = codebook[path, variable.get("name")]
    described.add((path, variable.get("name")))
    parts = [ORDER.index(child.tag.removeprefix(NAMESPACE)) for child in variable]
    assert parts == sorted(parts), row
    assert text(variable, "labl") == row["label"].strip(), row
    assert text(variable, "qstn/qstnLit") == row["question"].strip(), row
    assert text(variable, "universe") == row["asked_when"].strip(), row
    bounds = variable.find(f"{NAMESPACE}valrng/{NAMESPACE}range")
    assert ((bounds.get("min", ""), bounds.get("max", "")) if bounds is not None else ("", "")) == (row["min"], row["max"])
    for category in variable.iter(NAMESPACE + "catgry"):
        if row["value_set"]:
            assert text(category, "catValu") in labels[row["value_set"]], row
        categories += 1
assert categories > 50
# A table with several formats is described once.
tables = {path.removesuffix(".csv.gz").removesuffix(".csv").removesuffix(".parquet") for path, _ in codebook}
assert {file.get("URI").split(".")[0] for file in files.values()} == tables and len(files) == len(tables)
assert {(path, column) for path, column in codebook if path in {file.get("URI") for file in files.values()}} == described
for file in files.values():
    if file.get("URI").endswith(".csv"):
        assert text(file, "fileTxt/dimensns/caseQnty") == str(len(rows(file.get("URI")))), file.get("URI")
print("all as expected")
