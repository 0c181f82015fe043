"""Runs faults by seed, writes the outcome of each to a file, and makes a table of such files."""

import contextlib
import dataclasses
import json
import time
import traceback
import typing


@dataclasses.dataclass(frozen=True)
class Fault:
    """One row of the table."""

    section: str
    name: str
    times: int
    # A context manager that makes the rig, and a function that causes the fault in the rig by seed.
    rig: typing.Callable
    once: typing.Callable
    # A control must lose records: it shows that the comparison finds losses.
    is_control: bool = False


def run(fault, results, seeds, deadline, say):
    """Runs the fault with all seeds, until the deadline. After an exception it makes a new rig, and the file contains the exception."""
    with open(results / "outcomes.jsonl", "a", buffering=1) as file:
        seeds = list(seeds)
        while seeds and time.monotonic() < deadline:
            try:
                with fault.rig() as rig:
                    while seeds and time.monotonic() < deadline:
                        seed = seeds.pop(0)
                        file.write(json.dumps(_line(fault, seed, fault.once(rig, seed), say)) + "\n")
            except Exception as error:  # noqa: BLE001: each exception is a finding
                say(traceback.format_exc())
                file.write(json.dumps({
                    "section": fault.section, "fault": fault.name, "seed": seed, "control": fault.is_control,
                    "broken": f"{type(error).__name__}: {error}"[:2000]}) + "\n")


def _line(fault, seed, outcome, say):
    reconciliation = outcome.reconciliation
    line = {
        "section": fault.section, "fault": fault.name, "seed": seed, "control": fault.is_control, "acknowledged": reconciliation.acknowledged,
        "recovery": outcome.recovery, **outcome.notes,
    } | {name: sorted(getattr(reconciliation, name)) for name in ("lost", "doubled", "altered", "torn") if getattr(reconciliation, name)}
    say(f"{fault.name} {seed}: {reconciliation}; {outcome.recovery and round(outcome.recovery, 2)} s {outcome.notes or ''}")
    return line


def table(lines):
    """A Markdown table with one row per fault, in the order of the first lines."""
    rows = {}
    for line in lines:
        rows.setdefault((line["section"], line["fault"], line["control"]), []).append(line)
    text = ["| fault | times | acknowledged | lost | doubled | altered | torn | without an answer p50, p99 (s) | rig broken |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for (_, name, is_control), found in rows.items():
        done = [line for line in found if "broken" not in line]
        lost, doubled, altered, torn = (sum(len(line.get(kind, [])) for line in done) for kind in ("lost", "doubled", "altered", "torn"))
        times = sum(line.get("times", 1) for line in done)
        recoveries = sorted(line["recovery"] for line in done if line["recovery"] is not None)
        spans = f"{quantile(recoveries, 0.5):.1f}, {quantile(recoveries, 0.99):.1f}" if recoveries else ""
        text.append(
            f"| {'*control:* ' if is_control else ''}{name} | {times:,} | {sum(line['acknowledged'] for line in done):,} | {lost:,} | {doubled:,} |"
            f" {altered:,} | {torn:,} | {spans} | {len(found) - len(done)} |")
    return "\n".join(text)


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextlib.contextmanager
def stopping(server):
    """Removes the server at the end of the block."""
    try:
        yield server
    finally:
        server.remove()
