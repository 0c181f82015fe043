"""Loads this dataset into pandas with the types in its codebook. No type is guessed.

    from load import load, label, with_reasons
    data = load("..")                       # folder with manifest.json -> {"panel": DataFrame, …}
    data["panel"]                           # one row per planned occasion, with scores and answers
    load_parquet("..", "walk_samples")      # a Parquet table with its own types, all columns or some
    label(data["wide_pss_10"], "q1")        # ordered categories with labels in the dataset's language
    with_reasons(data, "wide_pss_10", "q1") # the column, with the reason of each blank

Needs Python 3.9 and pandas 2 or newer; load_parquet also needs pyarrow.
"""

import csv
import pathlib

import numpy
import pandas

ROOT = pathlib.Path(__file__).resolve().parent.parent

_TYPES = {"string": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean", "time": "string"}


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def load(root=ROOT):
    """Loads every CSV table of the dataset, by name. The monthly files of samples are joined into one table."""
    root = pathlib.Path(root)
    tables = {}
    codebook = {}
    for row in _rows(root / "meta" / "codebook.csv"):
        codebook.setdefault(row["file"], []).append(row)
    parts = {}
    for file in codebook:
        if file.endswith((".csv", ".csv.gz")):
            parts.setdefault(_table(file), []).append(file)
    for name, files in parts.items():
        columns = codebook[files[0]]
        frame = pandas.concat([_texts(root / file) for file in files], ignore_index=True)
        for column in columns:
            frame[column["column"]] = _typed(frame[column["column"]], column["type"])
        frame.attrs["codebook"] = {column["column"]: column for column in columns}
        frame.attrs["root"] = str(root)
        tables[name] = frame
    return tables


def _table(file):
    """data/walk_samples_202611.csv.gz -> walk_samples"""
    name = pathlib.PurePosixPath(file).name
    return name.removesuffix(".csv.gz").rpartition("_")[0] if name.endswith(".gz") else name.removesuffix(".csv")


def _texts(path):
    return pandas.read_csv(path, dtype="string", keep_default_na=False, na_values=[""], encoding="utf-8")


def load_parquet(root, table, columns=None):
    """Loads a Parquet table, or some of its columns."""
    path = pathlib.Path(root) / "data" / (table + ".parquet")
    return pandas.read_parquet(path, columns=columns, dtype_backend="numpy_nullable")


def _typed(series, type_name):
    if type_name == "instant":
        return _datetimes(series.str.rstrip("Z")).dt.tz_localize("UTC")
    if type_name in ("local", "date"):
        return _datetimes(series)
    if type_name == "boolean":
        return series.map({"1": True, "0": False}).astype("boolean")
    return series.astype(_TYPES[type_name])


def _datetimes(series):
    """In milliseconds, because nanoseconds cannot represent the year 1."""
    texts = series.fillna("NaT").to_numpy(dtype="U32")
    return pandas.Series(texts.astype("datetime64[ms]"), index=series.index, name=series.name)


def value_labels(root, value_set, lang="{{language}}"):
    """code -> label in the newest version, in the order of value_labels.csv. Saunter's own codes have English labels only."""
    labels = {}
    for row in _rows(pathlib.Path(root) / "meta" / "value_labels.csv"):
        if row["set"] == value_set:
            labels.setdefault(row["lang"], {})[row["code"]] = row["label"]
    return labels.get(lang) or labels.get("en") or {}


def label(frame, column, lang="{{language}}"):
    """The column as a categorical of labels, ordered if the codes are numbers."""
    about = frame.attrs["codebook"][column]
    labels = value_labels(frame.attrs["root"], about["value_set"], lang)
    if not labels:
        raise KeyError(f"{column} has no value labels in {lang}")
    codes = frame[column].astype("string")
    if about["type"] == "string":
        # A code without a label, such as that of withdrawn content, is its own label.
        labels = {**labels, **{code: code for code in sorted(codes.dropna().unique()) if code not in labels}}
    words = list(dict.fromkeys(labels.values()))
    return pandas.Series(
        pandas.Categorical(codes.map(labels), categories=words, ordered=about["type"] == "integer"),
        index=frame.index,
        name=column,
    )


def with_reasons(tables, table, column):
    """A frame with the values and the reasons of a wide column."""
    key = ["enrolment_id", "sheet_id"]
    reasons = tables[table + "_missing"][key + [column]].rename(columns={column: column + "_missing"})
    return tables[table][key + [column]].merge(reasons, on=key, how="left", validate="one_to_one")


if __name__ == "__main__":
    for name, frame in load().items():
        print(f"{name}: {len(frame)} rows, {len(frame.columns)} columns")
