"""What one sheet per request comes to as sheets pile up, and as connections do."""

import statistics

from measure import HERE, row, spread


def sheets(bench, rounds, steps):
    """The full rate at each number of stored sheets; the first is what the others are compared with."""
    first = None
    for step in sorted(steps):
        fill(bench, step)
        bench.renew()
        bench.wrk("sheet.lua", 64, seconds=2)
        runs = [bench.wrk("sheet.lua", 64) for _ in range(rounds)]
        rate = statistics.median(run[0] for run in runs)
        first = first or rate
        row(f"one sheet per request, {bench.stored():,} stored", spread([run[0] for run in runs]), "sheets/s")
        row("ratio", f"{rate / first:.2f}", "×", "≥ 0.9")


def fill(bench, wanted):
    missing = wanted - bench.stored()
    # In parts, so that no transaction holds all of it.
    while missing > 0:
        part = min(missing, 1_000_000)
        bench.psql(f"set bench.sheets = {part}", file=HERE / "many.sql")
        missing -= part


def connections(bench, rounds, numbers):
    """The same rate in all, half of the full one, from ever more connections that each send at random moments."""
    full = statistics.median(bench.wrk("sheet.lua", 64)[0] for _ in range(rounds))
    for number in numbers:
        pause = round(1000 * number / (full / 2))
        runs = [bench.wrk("sheet.lua", number, pause_ms=pause) for _ in range(rounds)]
        row(f"half of the full rate from {number:,} connections", spread([run[0] for run in runs]), "sheets/s")
        row("latency, median and p99", "{:.1f} and {:.1f}".format(*(statistics.median(run[place] for run in runs) for place in (1, 2))), "ms")
