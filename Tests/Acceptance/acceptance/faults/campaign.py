"""Faults by the hundred: runs them by seed, notes what came of each in a file, and makes the table of such files."""

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
    # A context that gives the rig, and what is done to it by seed.
    rig: typing.Callable
    once: typing.Callable
    # It must lose something: the rig's eyes are tried with it.
    is_control: bool = False


def run(fault, results, seeds, deadline, say):
    """All its seeds, until the time is over. A rig that broke is made anew; what broke it stands in the file."""
    with open(results / "outcomes.jsonl", "a", buffering=1) as file:
        seeds = list(seeds)
        while seeds and time.monotonic() < deadline:
            try:
                with fault.rig() as rig:
                    while seeds and time.monotonic() < deadline:
                        seed = seeds.pop(0)
                        file.write(json.dumps(_line(fault, seed, fault.once(rig, seed), say)) + "\n")
            except Exception as error:  # noqa: BLE001: whatever it was is a finding
                say(traceback.format_exc())
                file.write(json.dumps({
                    "section": fault.section, "fault": fault.name, "seed": seed, "control": fault.is_control,
                    "broken": f"{type(error).__name__}: {error}"[:2000]}) + "\n")


def _line(fault, seed, outcome, say):
    reckoning = outcome.reckoning
    line = {
        "section": fault.section, "fault": fault.name, "seed": seed, "control": fault.is_control, "acknowledged": reckoning.acknowledged,
        "recovery": outcome.recovery, **outcome.notes,
    } | {name: sorted(getattr(reckoning, name)) for name in ("lost", "doubled", "altered", "torn") if getattr(reckoning, name)}
    say(f"{fault.name} {seed}: {reckoning}; {outcome.recovery and round(outcome.recovery, 2)} s {outcome.notes or ''}")
    return line


def table(lines):
    """Markdown: a row per fault, in the order of their first lines."""
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
    """A rig that is taken away whatever happens."""
    try:
        yield server
    finally:
        server.remove()
