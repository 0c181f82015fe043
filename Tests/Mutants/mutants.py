#!/usr/bin/env python3
"""Breaks each rule of time, plans and adherence on purpose and looks which tests notice.

All mutants of `planning.py` are built at once, into a copy of SaunterCore in which the environment says which of them is in force; then its tests run once
for each. A run over all writes its table into `README.md`.

    python3 Tests/Mutants/mutants.py [WORD …]     only those whose rule, manner or file has one of the words; without any, all, and the table is written
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planning import MUTANTS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / ".build-mutants"
TESTS = ["Adherence/*", "Schedule/*", "Study/*", "Values/Zone*"]
PACKAGE = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "mutants", platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2")],
    targets: [
        .target(name: "SaunterCore", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "SaunterTesting", dependencies: ["SaunterCore"]),
        .testTarget(name: "SaunterCoreTests", dependencies: ["SaunterCore", "SaunterTesting"]),
    ])
"""
SWITCH = """import Foundation

/// The mutant in force.
private let inForce = ProcessInfo.processInfo.environment["SAUNTER_MUTANT"].flatMap { Int($0) } ?? -1

func mutated(_ number: Int) -> Bool { inForce == number }
"""


def mutated(text, entries):
    """The file's text with all of its mutants; entries are (number, old, new, within)."""
    places = {}
    for number, old, new, within in entries:
        piece = within or text
        if text.count(piece) != 1 or piece.count(old) != 1:
            raise SystemExit(f"mutant {number}: {old!r} does not stand there once")
        places.setdefault((text.index(piece) + piece.index(old) if within else text.index(old), old), []).append((number, new))
    end = len(text)
    for (start, old), changes in sorted(places.items(), reverse=True):
        if start + len(old) > end:
            raise SystemExit(f"{old!r} overlaps another mutant's place")
        expression = f"({old})"
        for number, new in changes:
            expression = f"(mutated({number}) ? ({new}) : {expression})"
        text, end = text[:start] + expression + text[start + len(old):], start
    return text


def put(path, text):
    """Only what differs is written, so that little is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def lay_out(mutants):
    package = BUILT / "package"
    core = package / "Sources/SaunterCore"
    put(package / "Package.swift", PACKAGE)
    wanted = set()
    for source in (ROOT / "Sources/SaunterCore").rglob("*.swift"):
        name = str(source.relative_to(ROOT / "Sources/SaunterCore"))
        entries = [(number, old, new, within) for number, (file, _, _, old, new, within) in enumerate(mutants) if file == name]
        put(core / name, mutated(source.read_text(), entries))
        wanted.add(core / name)
    put(core / "Mutated.swift", SWITCH)
    for pattern in ["Sources/SaunterTesting/Schedule/*", *(f"Tests/SaunterCoreTests/{name}" for name in TESTS)]:
        for source in ROOT.glob(f"{pattern}.swift"):
            place = package / source.relative_to(ROOT)
            put(place, source.read_text())
            wanted.add(place)
    for old in package.glob("[ST]*/**/*.swift"):
        if old not in wanted and old.name != "Mutated.swift":
            old.unlink()
    return package


def swift(package, *arguments, mutant=None):
    environment = os.environ | {"SAUNTER_CASES": os.environ.get("SAUNTER_CASES", "4800")}
    if mutant is not None:
        environment["SAUNTER_MUTANT"] = str(mutant)
    return subprocess.run(
        ["swift", *arguments, "--package-path", str(package), "--scratch-path", str(BUILT / "scratch")], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)


def failing(package, number):
    """Names of the tests that fail; a run that ends by a signal counts as one."""
    # zoneinfo is asked for seconds, and what it would notice others do.
    run = swift(package, "test", "--skip-build", "--skip", "zoneinfo", mutant=number)
    names = dict.fromkeys(re.findall(r"Test (?:case passing \d+ arguments? .* to )?(.+?)(?: with \d+ test cases)? failed after", run.stdout))
    if not names and run.returncode != 0:
        print(run.stdout[-2000:])
    return list(names) or (["(ends by a trap)"] if run.returncode != 0 else [])


def main():
    every = [(file, *entry, *[""] * (5 - len(entry))) for file, entries in MUTANTS.items() for entry in entries]
    words = [word.lower() for word in sys.argv[1:]]
    chosen = [n for n, mutant in enumerate(every) if not words or any(word in " ".join(mutant[:3]).lower() for word in words)]
    package = lay_out(every)
    build = swift(package, "build", "--build-tests")
    if build.returncode != 0:
        raise SystemExit(build.stdout[-6000:])
    sound = failing(package, -1)
    if sound:
        raise SystemExit(f"without any mutant these fail: {sound}")
    lines, survivors = [], []
    with ThreadPoolExecutor(2) as pool:
        for number, names in zip(chosen, pool.map(lambda number: failing(package, number), chosen)):
            file, rule, broken, *_ = every[number]
            print(f"{number:3} {'killed by ' + str(len(names)) if names else 'SURVIVED'}: {rule}: {broken} ({file})", flush=True)
            if not names:
                survivors.append(number)
            shown = "; ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
            lines.append(f"| {rule} | {broken} | {Path(file).stem} | {shown or '**none**'} |")
    print(f"{len(chosen)} mutants, {len(chosen) - len(survivors)} killed, {len(survivors)} survived")
    if not words:
        head = (HERE / "README.md").read_text().split("| rule |")[0]
        table = ["| rule | broken: | in | tests that fail |", "|---|---|---|---|"] + lines
        (HERE / "README.md").write_text(head + "\n".join(table) + "\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
