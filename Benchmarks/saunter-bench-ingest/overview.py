"""Overviews of participants of a study with a daily questionnaire, among many enrolments."""

import statistics

from measure import HERE, enrol, publish, row, spread

STUDY = "bench-daily"


def prepare(bench, enrolments):
    publish(bench.server, "daily", STUDY)
    for person in bench.people:
        enrol(person, STUDY)
    bench.psql(f"set bench.others = {max(0, enrolments - len(bench.people))}", file=HERE / "overview.sql")
    bench.renew()


def measure(bench, rounds, enrolments):
    prepare(bench, enrolments)
    bench.read("overview.lua", 64)
    bench.costs.clear()
    runs = [bench.read("overview.lua", 64) for _ in range(rounds)]
    row(f"overviews, 64 connections, {enrolments:,} enrolled", spread([rate for rate, _, _ in runs]), "a second", "≥ 10,000")
    row("latency, median and p99", "{:.1f} and {:.1f}".format(*(statistics.median(run[index] for run in runs) for index in (1, 2))), "ms")
    bench.cost("overview.lua", "one overview")
