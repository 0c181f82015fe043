"""The rate of single sheets with a growing number of stored sheets, and with a growing number of connections."""

import statistics

from measure import HERE, alternate, row, spread


def sheets(bench, grown, rounds, steps):
    """The full rate of a server with a growing database, alternating with a server whose database does not grow."""
    for one in bench, grown:
        # `fill` copies sheets that were submitted through the API.
        one.wrk("sheet.lua", 64, seconds=2)
        fill(one, min(steps))
    for step in sorted(steps)[1:]:
        fill(grown, step)
        for one in bench, grown:
            one.renew()
            one.costs.clear()
            one.wrk("sheet.lua", 64, seconds=2)
        few, many = alternate(rounds, lambda: bench.wrk("sheet.lua", 64), lambda: grown.wrk("sheet.lua", 64))
        for one, runs in (bench, few), (grown, many):
            row(f"one sheet per request, {one.stored():,} stored", spread([run[0] for run in runs]), "sheets/s")
            one.cost("sheet.lua", "one sheet")
        row("ratio", f"{statistics.median(run[0] for run in many) / statistics.median(run[0] for run in few):.2f}", "×", "≥ 0.9")


def fill(bench, wanted):
    missing = wanted - bench.stored()
    # In parts, to limit the size of transactions.
    while missing > 0:
        part = min(missing, 1_000_000)
        bench.psql(f"set bench.sheets = {part}", file=HERE / "fill_sheets.sql")
        missing -= part
    bench.psql(file=HERE / "vacuum.sql")


def connections(bench, rounds, numbers):
    """Half of the full rate, from a growing number of connections. Each connection sends at random times."""
    full = statistics.median(bench.wrk("sheet.lua", 64)[0] for _ in range(rounds))
    for number in numbers:
        pause = round(1000 * number / (full / 2))
        runs = [bench.wrk("sheet.lua", number, pause_ms=pause) for _ in range(rounds)]
        row(f"half of the full rate from {number:,} connections", spread([run[0] for run in runs]), "sheets/s")
        row("latency, median and p99", "{:.1f} and {:.1f}".format(*(statistics.median(run[index] for run in runs) for index in (1, 2))), "ms")
