#!/usr/bin/env python3
"""The script that judges answers in a browser against the server, on random forms; and every small change of the script.

    Tests/Nightly/rules.py [--engine firefox] [--cases 1000000] [--mutants]

Prints one line per batch, and the first difference. Tests/Nightly/README.md describes the comparison.
"""

import argparse
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

from acceptance import rules  # noqa: E402
from engines import ENGINES, engine, run_module  # noqa: E402

BATCH = 20_000
# The forms on which each changed script is tried.
FORMS_PER_MUTANT = 12_000


def compare(name, cases, seed):
    """Judges random forms in an engine. Returns the number of differences."""
    differences = 0
    with engine(name) as browser:
        for number, first in enumerate(range(0, cases, BATCH)):
            start = time.monotonic()
            lines = rules.vectors(min(BATCH, cases - first), seed + number)
            report = run_module(name, rules.files(lines), rules.COMPARISON, seconds=600, browser=browser)
            differences += len(report["differences"])
            print(f"{browser.version}\tseed {seed + number}\t{report['cases']} forms\t{report['undecided']} left to the server\t"
                  f"{len(report['differences'])} differences\t{time.monotonic() - start:.0f} s", flush=True)
            for difference in report["differences"][:1]:
                print(json.dumps(difference, ensure_ascii=False), flush=True)
    return differences


def change(name, seed):
    """Tries every small change of the script, and prints those that no form reveals. Returns whether there are too many of them."""
    start = time.monotonic()
    changes = list(rules.mutants(rules.joined()))
    files = rules.mutant_files(FORMS_PER_MUTANT, seed, changes)
    survivors = run_module(name, files, rules.SURVIVORS, seconds=3600)
    for survivor in survivors:
        print(f"not detected\t{changes[int(survivor.removeprefix('mutant-').removesuffix('.js'))][0]}", flush=True)
    print(f"{len(changes) - len(survivors)} of {len(changes)} changes detected\t{time.monotonic() - start:.0f} s", flush=True)
    return len(survivors) > len(changes) * (1 - rules.DETECTED)


def main():
    parser = argparse.ArgumentParser(description="Compares the script that judges answers in a browser with the server.")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="repeatable (default: all)")
    parser.add_argument("--cases", type=int, default=1_000_000, help="random forms per engine (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--mutants", action="store_true", help="try the changes of the script instead, in the first engine")
    options = parser.parse_args()
    names = options.engine or list(ENGINES)
    if options.mutants:
        return 1 if change(names[0], options.seed) else 0
    return 1 if sum(compare(name, options.cases, options.seed) for name in names) else 0


if __name__ == "__main__":
    sys.exit(main())
