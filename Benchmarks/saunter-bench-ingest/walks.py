"""Walks of one hour as arrays in one row, compared with one row per sample."""

import statistics
import time

from measure import HERE, alternate, row, spread

SERIES = 3
MOMENTS = 3_600
# The number of walks whose samples the reference copies.
WALKS = 30


def measure(bench, rounds):
    bench.psql(file=HERE / "walks.sql")
    bench.wrk("walk.lua", 4, seconds=2, table="research.walk")
    rows = bench.server.directory / "bench-samples.tsv"
    bench.psql(f"""\\copy (select walk_id, series, moment, value
        from (select * from research.walk limit {WALKS}) as walk,
          unnest(array[1, 2, 3], array[0, 0, 0]) as each (series, nothing),
          unnest(t_ms, case series when 1 then speed_kmh when 2 then heart_rate_bpm else sample_distance_m end) as sample (moment, value)
      ) to '{rows}'""".replace("\n", " "))

    def copy():
        bench.psql("truncate bench.sample")
        start = time.monotonic()
        bench.psql(f"\\copy bench.sample from '{rows}'")
        return WALKS * MOMENTS * SERIES / (time.monotonic() - start)

    copies, stored = alternate(rounds, copy, lambda: bench.wrk("walk.lua", 4, table="research.walk"))
    samples = [rate * MOMENTS * SERIES for rate, _, _ in stored]
    row("COPY of a row per sample, one stream", spread(copies), "samples/s")
    row(f"walks of {MOMENTS:,} samples × {SERIES} series, 4 connections", spread(samples), "samples/s", "≥ 5 × COPY")
    row("ratio", f"{statistics.median(samples) / statistics.median(copies):.2f}", "×", "≥ 5")
    bench.cost("walk.lua", "one walk")
    disk(bench)


def disk(bench):
    bench.psql("vacuum analyze research.walk", "vacuum analyze bench.sample")
    of = "select round(pg_total_relation_size('{0}') / count(*)::numeric, 1) from {0}"
    row_per_sample = float(bench.psql(of.format("bench.sample")))
    arrays = float(bench.psql(of.format("research.walk"))) / (MOMENTS * SERIES)
    row("disk of a sample: as a row, in a walk", f"{row_per_sample:.1f} and {arrays:.1f}", "bytes")
    row("ratio", f"{arrays / row_per_sample:.3f}", "×", "≤ 0.1")
