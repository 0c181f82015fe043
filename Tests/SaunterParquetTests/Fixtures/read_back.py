"""Reads Parquet files with pyarrow, DuckDB and polars, and compares their content with the written content.

    read_back.py FOLDER

For each NAME.parquet the folder contains a NAME.json: {"columns": [[name, type, is_required]], "rows": [[word or null]],
"metadata": {...}, "groups": n}. A word is the value as whole numbers, bits of a double in hexadecimal, or the text itself.
"""

import json
import pathlib
import struct
import sys

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet

ARROW = {
    "boolean": pyarrow.bool_(),
    "int32": pyarrow.int32(),
    "int64": pyarrow.int64(),
    "double": pyarrow.float64(),
    "string": pyarrow.string(),
    "date": pyarrow.date32(),
    "instant_ms": pyarrow.timestamp("ms", tz="UTC"),
    "instant_us": pyarrow.timestamp("us", tz="UTC"),
    "local_ms": pyarrow.timestamp("ms"),
    "local_us": pyarrow.timestamp("us"),
}
faults = []


def expect(found, expected, *where):
    if found != expected:
        faults.append(f"{' '.join(map(str, where))}: found {str(found)[:200]}, expected {str(expected)[:200]}")


def words(column, type_name):
    """The values of an Arrow column as the words of the JSON file."""
    if type_name == "date":
        column = column.cast(pyarrow.int32())
    elif type_name.startswith(("instant", "local")):
        unit = type_name.rpartition("_")[2]
        zone = "UTC" if type_name.startswith("instant") else None
        column = column.cast(pyarrow.timestamp(unit, tz=zone)).cast(pyarrow.int64())
    return [word(value) for value in column.to_pylist()]


def word(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    return str(int(value))


def check_values(table, about, name, reader):
    expect(table.num_rows, len(about["rows"]), name, reader, "rows")
    expect(table.column_names, [column[0] for column in about["columns"]], name, reader, "columns")
    for index, (column, type_name, _) in enumerate(about["columns"]):
        expect(words(table.column(column), type_name), [row[index] for row in about["rows"]], name, reader, column)


def check_footer(path, about, name):
    file = pyarrow.parquet.ParquetFile(path, page_checksum_verification=True)
    expect(file.metadata.num_row_groups, about["groups"], name, "row groups")
    expect(file.metadata.num_rows, len(about["rows"]), name, "rows in the footer")
    expect(file.metadata.created_by, "Saunter", name, "created_by")
    found = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    expect(found, about["metadata"], name, "metadata")
    for index, (column, type_name, is_required) in enumerate(about["columns"]):
        field = file.schema_arrow.field(index)
        expect(field.type, ARROW[type_name], name, column, "type")
        expect(field.nullable, not is_required, name, column, "nullable")
    check_statistics(file, about, name)


def check_statistics(file, about, name):
    start = 0
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        for index, (column, type_name, _) in enumerate(about["columns"]):
            where = (name, "statistics", group, column)
            chunk = file.metadata.row_group(group).column(index)
            if chunk.has_dictionary_page:
                expect({"PLAIN", "RLE_DICTIONARY"} <= set(chunk.encodings), True, *where, chunk.encodings)
            found = chunk.statistics
            values = [row[index] for row in about["rows"][start : start + rows]]
            present = [value for value in values if value is not None]
            expect(found.null_count, len(values) - len(present), *where, "nulls")
            bounds = [compared(value, type_name) for value in present]
            bounds = [value for value in bounds if value == value]
            if not bounds or type_name == "string" and max(len(min(bounds)), len(max(bounds))) > 128:
                expect(found.has_min_max, False, *where)
            elif type_name in ("boolean", "int32", "int64", "double"):
                expect((found.min, found.max), (min(bounds), max(bounds)), *where)
            elif type_name == "string":
                expect((found.min.encode(), found.max.encode()), (min(bounds), max(bounds)), *where)
            else:
                expect((found.min_raw, found.max_raw), (min(bounds), max(bounds)), *where)
        start += rows


def compared(value, type_name):
    if type_name == "string":
        return value.encode()
    if type_name == "double":
        return struct.unpack(">d", bytes.fromhex(value))[0]
    return int(value)


def check_search(path, about, name):
    """Readers skip row groups by their statistics, but must find every value that exists."""
    for index, (column, type_name, _) in enumerate(about["columns"]):
        if type_name not in ("int64", "string"):
            continue
        present = [row[index] for row in about["rows"] if row[index] is not None]
        for value in dict.fromkeys(present[:1] + present[-1:]):
            expected = present.count(value)
            argument = int(value) if type_name == "int64" else value
            found = duckdb.execute(
                f'select count(*) from read_parquet(?) where "{column}" = ?', [str(path), argument]
            ).fetchone()[0]
            expect(found, expected, name, "duckdb finds", column)
            found = polars.scan_parquet(path).filter(polars.col(column) == argument).collect().height
            expect(found, expected, name, "polars finds", column)


def main(folder):
    paths = sorted(pathlib.Path(folder).glob("*.parquet"))
    # Arrow counts milliseconds and microseconds without a bound; DuckDB and polars support fewer years.
    for path in paths:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        name = path.stem
        check_footer(path, about, name)
        table = pyarrow.parquet.read_table(path, page_checksum_verification=True)
        check_values(table, about, name, "pyarrow")
        if name.startswith("pyarrow_only"):
            continue
        connection = duckdb.connect()
        connection.execute("set timezone = 'UTC'")
        found = connection.sql("select * from read_parquet(?)", params=[str(path)]).to_arrow_table()
        check_values(found, about, name, "duckdb")
        check_values(polars.read_parquet(path).to_arrow(compat_level=polars.CompatLevel.oldest()), about, name, "polars")
        check_search(path, about, name)
    print(f"{len(paths)} files")
    print("\n".join(faults))
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
