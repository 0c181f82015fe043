#!/usr/bin/env python3
"""Breaks each rule of a group on purpose and looks which tests notice: time, plans and adherence; how participants come to their arm; when they are
reminded; how answers are read, compared and stored; how questionnaires of other formats are read and written.

All mutants of all groups are built at once, into copies of the targets in which the environment says which of them is in force; then a group's tests run once
for each. What was found is written into `GROUP.md`, a row for each mutant that is listed.

    python3 Tests/Mutants/mutants.py [--new] [GROUP …] [WORD …]     only those groups, and of them only those whose rule, manner or file has one of the
                                                                    words, or those that the table lacks
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import allocation
import answers
import exchange
import planning
import reminders
from mutation import SWITCH, entries, mutated, put, suites

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / ".build-mutants"


@dataclass
class Group:
    """Mutants of a target, and the files of its tests that are to notice."""

    mutants: dict
    target: str
    tests: list
    title: str


GROUPS = {
    "planning": Group(
        planning.MUTANTS, "SaunterCore", ["Adherence/*", "OpenMHealth/*", "Schedule/*", "Study/*", "Values/Zone*", "Walking/*"], "Time, plans and adherence"),
    "allocation": Group(
        allocation.MUTANTS, "SaunterCore", ["Study/Allo*", "Study/Block*", "Study/Factor*", "Study/Minimiser*"],
        "How participants come to their arm"),
    "reminders": Group(
        reminders.MUTANTS, "SaunterCore", ["Reminders/*", "Schedule/NextReminder*", "Schedule/ReminderRule*"], "When somebody is reminded"),
    "answers": Group(
        answers.MUTANTS, "SaunterCore", ["Questionnaire/*", "Observation/UCUM*", "Pattern/*"], "How answers are read, compared and stored"),
    "exchange": Group(exchange.MUTANTS, "SaunterExchange", ["*"], "Questionnaires of other formats"),
}
# What is built: whole targets, and of others and of tests what these need.
SOURCES = ["Sources/SaunterCore/**/*", "Sources/SaunterPacks/**/*", "Sources/SaunterExchange/**/*", "Sources/CArchive/*", "Sources/SaunterTesting/Schedule/*"]
PACKAGE = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "mutants", platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive"),
        .target(name: "SaunterCore", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "SaunterPacks",
            dependencies: ["SaunterCore", .product(name: "Crypto", package: "swift-crypto"), .product(name: "Yams", package: "Yams")]),
        .target(name: "SaunterExchange", dependencies: ["SaunterCore", "SaunterPacks", "CArchive"]),
        .target(name: "SaunterTesting", dependencies: ["SaunterCore"]),
        .testTarget(name: "SaunterCoreTests", dependencies: ["SaunterCore", "SaunterTesting"]),
        .testTarget(name: "SaunterExchangeTests", dependencies: ["SaunterCore", "SaunterPacks", "SaunterExchange"]),
    ])
"""


def tests_of(group):
    return sorted({file for pattern in group.tests for file in ROOT.glob(f"Tests/{group.target}Tests/{pattern}.swift")})


def lay_out(mutants):
    """`mutants` of all groups: each (target, file, …)."""
    package = BUILT / "package"
    put(package / "Package.swift", PACKAGE)
    files = {file for pattern in SOURCES for file in ROOT.glob(pattern) if file.is_file()}
    for group in GROUPS.values():
        files |= set(tests_of(group))
    wanted = set()
    for source in sorted(files):
        name = str(source.relative_to(ROOT))
        changes = [
            (number, old, new, within) for number, (target, file, _, _, old, new, within) in enumerate(mutants)
            if f"Sources/{target}/{file}" == name
        ]
        put(package / name, mutated(source.read_text(), changes))
        wanted.add(package / name)
    for target in {mutant[0] for mutant in mutants}:
        put(package / f"Sources/{target}/Mutated.swift", SWITCH)
    for old in package.glob("[ST]*/**/*.swift"):
        if old not in wanted and old.name != "Mutated.swift":
            old.unlink()
    return package


def swift(package, *arguments, mutant=None):
    environment = os.environ | {"SAUNTER_CASES": os.environ.get("SAUNTER_CASES", "4800")}
    if mutant is not None:
        environment["MUTANT"] = str(mutant)
    return subprocess.run(
        ["swift", *arguments, "--package-path", str(package), "--scratch-path", str(BUILT / "scratch")], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)


def failing(package, group, number):
    """Names of the tests that fail; a run that ends by a signal counts as one."""
    names = [name for file in tests_of(group) for name in suites(file.read_text())]
    chosen = rf"^{group.target}Tests\.({'|'.join(names)})(/|$)"
    # zoneinfo is asked for seconds, and what it would notice others do.
    while True:
        run = swift(package, "test", "--skip-build", "--ignore-lock", "--filter", chosen, "--skip", "zoneinfo", mutant=number)
        # Two that begin at once may find what is built locked; that is no test that noticed.
        if "database is locked" not in run.stdout:
            break
    failed = dict.fromkeys(re.findall(r"Test (?!run with)(?:case passing \d+ arguments? .* to )?(.+?)(?: with \d+ test cases)? failed after", run.stdout))
    if not failed and run.returncode != 0:
        print(run.stdout[-2000:])
    if number == -1 and not re.search(r"Test run with [1-9]", run.stdout):
        raise SystemExit(f"no test is chosen by {chosen}")
    return list(failed) or (["(ends by a trap)"] if run.returncode != 0 else [])


def row(mutant):
    """How the row of this mutant begins."""
    _, file, rule, broken, *_ = mutant
    return f"| {rule} | {broken} | {Path(file).stem} |"


def table(name):
    """What stands above a group's table, and its rows by how they begin."""
    file = HERE / f"{name}.md"
    lines = file.read_text().splitlines() if file.exists() else []
    head = [line for line in lines if not line.startswith("|")] or [f"# {GROUPS[name].title}", "", f"`python3 Tests/Mutants/mutants.py {name}` wrote this table.", ""]
    return head, {" | ".join(line.split(" | ")[:3]) + " |": line for line in lines if line.startswith("|")}


def write(name, listed, rows):
    """Of what is listed no longer, no row is kept."""
    head, _ = table(name)
    known = [rows[row(mutant)] for mutant in listed if row(mutant) in rows]
    lines = head + ["| rule | broken: | in | tests that fail |", "|---|---|---|---|"] + known
    (HERE / f"{name}.md").write_text("\n".join(lines) + "\n")


def try_group(package, name, mutants, listed, chosen):
    group = GROUPS[name]
    rows = table(name)[1]
    sound = failing(package, group, -1)
    if sound:
        raise SystemExit(f"without any mutant these fail: {sound}")
    survivors = []
    with ThreadPoolExecutor(2) as pool:
        for number, names in zip(chosen, pool.map(lambda number: failing(package, group, number), chosen)):
            print(f"{number:3} {'killed by ' + str(len(names)) if names else 'SURVIVED'}: {row(mutants[number])}", flush=True)
            if not names:
                survivors.append(number)
            shown = "; ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
            rows[row(mutants[number])] = f"{row(mutants[number])} {shown or '**none**'} |"
            write(name, [mutants[number] for number in listed], rows)
    print(f"{name}: {len(chosen)} mutants, {len(chosen) - len(survivors)} killed, {len(survivors)} survived", flush=True)
    return len(survivors)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--new"]
    wanted = [word for word in arguments if word in GROUPS] or list(GROUPS)
    words = [word.lower() for word in arguments if word not in GROUPS]
    owners = [(name, (group.target, *entry)) for name, group in GROUPS.items() for entry in entries(group.mutants)]
    mutants = [mutant for _, mutant in owners]
    package = lay_out(mutants)
    build = swift(package, "build", "--build-tests", "--ignore-lock")
    if build.returncode != 0:
        raise SystemExit(build.stdout[-6000:])
    survivors = 0
    for name in wanted:
        listed = [number for number, (owner, _) in enumerate(owners) if owner == name]
        known = table(name)[1] if "--new" in sys.argv else {}
        chosen = [
            number for number in listed
            if row(mutants[number]) not in known and (not words or any(word in " ".join(mutants[number][1:4]).lower() for word in words))
        ]
        survivors += try_group(package, name, mutants, listed, chosen)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
