"""Compares tailoring variables with the independent model in `variables_model`, over random histories of made-up participants."""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

from variables_model.comparison import PACKS, compare

MAXIMUM_SHOWN = 20


def main():
    parser = argparse.ArgumentParser(
        description="Compares every variable of two packs with an independent model, over random histories.")
    parser.add_argument("--histories", type=int, default=10_000, help="random histories of each pack (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; each history has its own (default: %(default)s)")
    parser.add_argument("--pack", action="append", type=pathlib.Path, help="folder of a study; repeatable (default: two packs)")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the histories (default: a temporary folder)")
    options = parser.parse_args()

    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.out or pathlib.Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        for folder in options.pack or PACKS:
            seeds = range(options.seed, options.seed + options.histories)
            for seed, variable, engine, model in compare(folder, seeds, directory):
                counts[variable] += 1
                if counts.total() <= MAXIMUM_SHOWN:
                    print(f"{folder.name}, seed {seed}, {variable}\n  engine {json.dumps(engine)}\n  model  {json.dumps(model)}")
            print(f"{folder.name}: {options.histories} histories compared")
    for variable, count in counts.most_common():
        print(f"{variable}: {count} values differ")
    print(f"{counts.total()} values differ")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
