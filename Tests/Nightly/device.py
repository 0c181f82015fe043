#!/usr/bin/env python3
"""Kills the page, the browser, the network and the server while a browser keeps and sends a participant's records.

    Tests/Nightly/device.py [--kills 1000] [--sheets 200] [--walks 3] [--seed 1]

Fails if the server lacks a record that the browser acknowledged, or has one twice. Tests/Nightly/README.md explains the numbers.
"""

import argparse
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

from acceptance import device_campaign  # noqa: E402
from acceptance.server import Server  # noqa: E402

STUDY = ROOT / "Tests" / "Acceptance" / "packs" / "pocket-diary" / "studies" / "pocket-diary"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="how many kills (default: 1000)")
    parser.add_argument("--sheets", type=int, default=200, help="how many answer sheets the browser queues (default: 200)")
    parser.add_argument("--walks", type=int, default=3, help="how many walks of two hours it queues (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random moments (default: 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, device_campaign.relayed(lambda port, url: Server(port=port, public_url=url)) as server:
        server.run("publish", STUDY)
        outcome = device_campaign.run(
            server, folder, STUDY.name, options.seed, lambda text: print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True),
            sheets=options.sheets, walks_count=options.walks, kills=options.kills)
    print(outcome)
    for name in ("lost", "doubled", "refused"):
        for record in getattr(outcome, name):
            print(f"{name}: {record}")
    sys.exit(0 if outcome.is_clean else 1)


if __name__ == "__main__":
    main()
