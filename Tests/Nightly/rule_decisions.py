"""Compares the decisions of rules with the independent model in `rules_model`, over random made-up participants."""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

from rules_model.comparison import PACKS, compare

MAXIMUM_SHOWN = 20


def main():
    parser = argparse.ArgumentParser(description="Compares every decision of five packs with an independent model, over random participants.")
    parser.add_argument("--histories", type=int, default=1000, help="random participants of each pack (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; each participant has its own (default: %(default)s)")
    parser.add_argument("--pack", action="append", choices=PACKS, help="code of a study; repeatable (default: all)")
    parser.add_argument("--days", type=int, help="days of each participant (default: 30 to 100, depending on the pack)")
    parser.add_argument("--size", type=float, default=1, help="a factor of the number of records (default: %(default)s)")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the participants (default: a temporary folder)")
    options = parser.parse_args()

    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.out or pathlib.Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        for name in options.pack or PACKS:
            seeds = range(options.seed, options.seed + options.histories)
            for seed, engine, model in compare(name, seeds, directory, options.days, options.size):
                counts[(model or engine)["rule"]] += 1
                if counts.total() <= MAXIMUM_SHOWN:
                    print(f"{name}, seed {seed}\n  engine {json.dumps(engine)}\n  model  {json.dumps(model)}")
            print(f"{name}: {options.histories} participants compared", flush=True)
    for rule, count in counts.most_common():
        print(f"{rule}: the first difference of {count} participants")
    print(f"{counts.total()} participants have a difference")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
