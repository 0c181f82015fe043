"""What one sheet per request comes to as sheets pile up, and as connections do."""

import statistics

from measure import HERE, in_turn, row, spread


def sheets(bench, grown, rounds, steps):
    """The full rate of a server whose database grows, in turn with that of one where it does not."""
    for one in bench, grown:
        # What is filled in is copied from sheets that came through the API.
        one.wrk("sheet.lua", 64, seconds=2)
        fill(one, min(steps))
    for step in sorted(steps)[1:]:
        fill(grown, step)
        for one in bench, grown:
            one.renew()
            one.costs.clear()
            one.wrk("sheet.lua", 64, seconds=2)
        few, many = in_turn(rounds, lambda: bench.wrk("sheet.lua", 64), lambda: grown.wrk("sheet.lua", 64))
        for one, runs in (bench, few), (grown, many):
            row(f"one sheet per request, {one.stored():,} stored", spread([run[0] for run in runs]), "sheets/s")
            one.cost("sheet.lua", "one sheet")
        row("ratio", f"{statistics.median(run[0] for run in many) / statistics.median(run[0] for run in few):.2f}", "×", "≥ 0.9")


def fill(bench, wanted):
    missing = wanted - bench.stored()
    # In parts, so that no transaction holds all of it.
    while missing > 0:
        part = min(missing, 1_000_000)
        bench.psql(f"set bench.sheets = {part}", file=HERE / "many.sql")
        missing -= part
    bench.psql(file=HERE / "settle.sql")


def connections(bench, rounds, numbers):
    """The same rate in all, half of the full one, from ever more connections that each send at random moments."""
    full = statistics.median(bench.wrk("sheet.lua", 64)[0] for _ in range(rounds))
    for number in numbers:
        pause = round(1000 * number / (full / 2))
        runs = [bench.wrk("sheet.lua", number, pause_ms=pause) for _ in range(rounds)]
        row(f"half of the full rate from {number:,} connections", spread([run[0] for run in runs]), "sheets/s")
        row("latency, median and p99", "{:.1f} and {:.1f}".format(*(statistics.median(run[place] for run in runs) for place in (1, 2))), "ms")
