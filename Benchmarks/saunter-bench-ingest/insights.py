"""Insights of participants of the emotions tracker who have kept a diary, among many enrolments."""

import statistics

from measure import HERE, ROOT, enrol, row, spread

STUDY = "emotions-tracker"


def prepare(bench, enrolments, days):
    bench.server.run("publish", ROOT / "Questionnaires" / "studies" / STUDY)
    bench.server.run("cohort", "--study", STUDY, "--participants", 2, "--days", days)
    for person in bench.people:
        enrol(person, STUDY)
    bench.psql(f"set bench.others = {max(0, enrolments - len(bench.people))}", file=HERE / "insights.sql")
    bench.renew()
    count, enrolled = bench.psql(
        f"select count(*) / count(distinct enrolment_id), count(distinct enrolment_id) from research.answer_sheet "
        f"join research.enrolment using (enrolment_id) where study = '{STUDY}'").strip().split("|")
    return int(count), int(enrolled)


def measure(bench, rounds, enrolments, days):
    count, enrolled = prepare(bench, enrolments, days)
    bench.read("insights.lua", 64)
    bench.costs.clear()
    runs = [bench.read("insights.lua", 64) for _ in range(rounds)]
    row(f"insights from {count} sheets each, 64 connections, {enrolled:,} enrolled", spread([rate for rate, _, _ in runs]), "a second", "≥ 1,000")
    row("latency, median and p99", "{:.1f} and {:.1f}".format(*(statistics.median(run[index] for run in runs) for index in (1, 2))), "ms")
    bench.cost("insights.lua", "one request for insights")
