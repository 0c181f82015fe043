#!/usr/bin/env python3
"""Causes hundreds of faults under load and reports which acknowledged records were lost.

    Tests/Nightly/campaign.py --out DIR [--only kills,races] [--share 0.1] [--seed 1] [--minutes 60]
    Tests/Nightly/campaign.py --out DIR --table

Needs a release build of the server. Some faults need root (file systems, cgroups, network namespaces). Each outcome is
one line of DIR/outcomes.jsonl; the table contains all lines. Tests/Nightly/campaign.md explains the columns.
"""

import argparse
import json
import os
import pathlib
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("SAUNTER_BIN_DIR", str(ROOT / ".build" / "release"))
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

from acceptance.faults import campaign, catalogue  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder for outcomes.jsonl")
    parser.add_argument("--only", default="", help=f"names of faults, or sections, separated by commas: {', '.join(catalogue.sections())}")
    parser.add_argument("--share", type=float, default=1, help="the share of the usual number of runs of each fault (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of each fault (default: 1)")
    parser.add_argument("--minutes", type=float, default=90, help="starts no fault after this time (default: 90)")
    parser.add_argument("--table", action="store_true", help="only prints the table of all outcomes")
    parser.add_argument("--control", action="store_true", help="marks the outcomes as controls, for a server with a deliberate defect")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.table:
        # An exception removes mounts and processes.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
        deadline = time.monotonic() + 60 * options.minutes
        only = set(filter(None, options.only.split(",")))
        for fault in catalogue.faults():
            if only and fault.section not in only and fault.name not in only:
                continue
            fault = catalogue.as_control(fault) if options.control else fault
            times = max(1, round(fault.times * options.share))
            campaign.run(fault, options.out, range(options.seed, options.seed + times), deadline, say)
    file = options.out / "outcomes.jsonl"
    outcomes = [json.loads(line) for line in file.read_text().splitlines()]
    print(campaign.table(outcomes))
    faults = [line for line in outcomes if not line["control"] and {"lost", "doubled", "altered", "torn", "broken"} & line.keys()]
    sys.exit(1 if faults else 0)


def say(text):
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
