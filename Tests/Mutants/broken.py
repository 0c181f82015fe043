#!/usr/bin/env python3
"""Breaks what the server does under faults, and what keeps its messages safe, on purpose, and looks whether the test that is there for it fails.

A copy of the whole tree is made with all mutants of `faults.py` and `channels.py`; it is built once, for debugging, and its tests run with the mutant in
the environment. A run over a whole list writes its table.

    .venv/bin/python Tests/Mutants/broken.py [faults|channels] [WORD …]
        only that list, and of it only those whose test, manner or file has one of the words; without words all, and the table is written.
        --sound: the same tests on what is not broken; --table: the table of what was found so far
        SAUNTER_MUTANTS_COPY: where the copy lies, else in .build-mutants
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import channels
import faults
from mutation import C_SWITCH, SWITCH, entries, mutated, put

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOUND = ROOT / ".build-mutants"
COPY = Path(os.environ.get("SAUNTER_MUTANTS_COPY", FOUND / "whole"))
LISTS = {"faults": faults, "channels": channels}
HEADS = {
    "faults": ["# Faults, and how their tests fail on what is broken", "",
               "`.venv/bin/python Tests/Mutants/broken.py faults` made this table. A test stands there once for each manner in which it was tried.",
               "Kills of PostgreSQL and power cuts have controls of their own beside, in which PostgreSQL does not wait for commits; what the reconciling sees is",
               "tried by the rows that its tests make wrong."],
    "channels": ["# Web Push and webhooks, and how their tests fail on what is broken", "",
                 "`.venv/bin/python Tests/Mutants/broken.py channels` made this table. A test, or the suite that holds it, stands there once for each manner in",
                 "which it was tried."],
}


def switch(mutants, number):
    """What is broken in the same manner for another test has one number."""
    return next(n for n, mutant in enumerate(mutants) if mutant[0] == mutants[number][0] and mutant[3:] == mutants[number][3:])


def lay_out(mutants):
    named = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {name for name in named if (ROOT / name).is_symlink() or (ROOT / name).is_file()}
    for name in sorted(wanted):
        changes = [
            (number, old, new, within) for number, (file, _, _, old, new, within) in enumerate(mutants)
            if file == name and switch(mutants, number) == number
        ]
        source, copy = ROOT / name, COPY / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if changes and name.endswith((".swift", ".c")):
            put(copy, (C_SWITCH if name.endswith(".c") else "") + mutated(source.read_text(), changes))
        elif source.is_symlink():
            if not copy.is_symlink():
                copy.symlink_to(os.readlink(source))
        elif not copy.exists() or copy.read_bytes() != source.read_bytes():
            shutil.copy2(source, copy)
    for target in {"/".join(file.split("/")[:2]) for file, *_ in mutants if file.endswith(".swift")}:
        beside = "".join(one.BESIDE.get(target, "") for one in LISTS.values())
        put(COPY / target / "Mutated.swift", SWITCH + beside.removeprefix("import Foundation\n"))
        wanted.add(f"{target}/Mutated.swift")
    for folder in ("Sources", "Tests"):
        for old in (COPY / folder).rglob("*.*"):
            if old.is_file() and "__pycache__" not in old.parts and str(old.relative_to(COPY)) not in wanted:
                old.unlink()


def run(test, number):
    """How the test ends with a mutant in force: whether it fails, and its last word."""
    if test.startswith("swift "):
        return run_suites(test.removeprefix("swift "), number)
    tests = [f"Tests/Acceptance/{one}" for one in test.split(" and then ")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "--tb=short", "-p", "no:cacheprovider", *tests], cwd=COPY, text=True,
        env=os.environ | {"MUTANT": str(number)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout[-3000:])
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    words = [line[1:].strip() for line in done.stdout.splitlines() if re.match(r"E  +\S", line)]
    # What the server wrote says less than what was asked.
    asked = re.findall(r"^    (assert .+)", done.stdout.split("\nE  ")[0], re.M)
    word = next((one for one in words + asked if '{"ts"' not in one), "it passes").replace(f"{COPY}/", "")
    last = tests[-1].split("::")[1]
    return any(last.split("[")[0] in line for line in failed), word


def run_suites(names, number):
    done = subprocess.run(
        ["swift", "test", "--skip-build", "--ignore-lock", "--filter", rf"\.({names})(/|$)"], cwd=COPY, text=True,
        env=os.environ | {"MUTANT": str(number)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200)
    failed = dict.fromkeys(re.findall(r"Test (?!run with)(?:case passing \d+ arguments? .* to )?(\".+?\")(?: with \d+ test cases)? failed after", done.stdout))
    if not failed and not re.search(r"Test run with [1-9]", done.stdout):
        if number == -1 or "fatal error" not in done.stdout.lower():
            raise SystemExit(done.stdout[-3000:])
        return True, "it ends by a trap"
    return bool(failed), "; ".join(list(failed)[:2]) + (f" and {len(failed) - 2} more" if len(failed) > 2 else "") or "it passes"


def broken(number, mutants):
    file, test, _, old, new, within = mutants[number]
    if file.endswith((".swift", ".c")):
        return run(test, switch(mutants, number))
    whole, copy = (ROOT / file).read_text(), COPY / file
    assert whole.count(within or old) == 1, f"{old!r} stands once in {file}"
    try:
        copy.write_text(whole.replace(within or old, (within or old).replace(old, new)))
        return run(test, number)
    finally:
        copy.write_text(whole)


def write_table(name, mutants, found):
    lines = HEADS[name] + ["", "| test | broken: | in | how it failed |", "|---|---|---|---|"]
    for file, test, manner, *_ in sorted(mutants, key=lambda mutant: mutant[1]):
        title = test.split(" and then ")[-1].split("::")[-1].removeprefix("test_").removeprefix("swift ").replace("_", " ")
        seen = found.get(f"{test}: {manner}")
        told = "not tried" if seen is None else seen[1].replace("|", "\\|")[:160] if seen[0] else "**it did not**"
        lines.append(f"| {title.replace('|', ', ')} | {manner} | {file.split('/')[-1]} | {told} |")
    (HERE / f"{name}.md").write_text("\n".join(lines) + "\n")


def try_list(name, mutants, owned, words, options):
    """How many are seen by nobody."""
    chosen = [n for n in owned if not words or any(word in " ".join(mutants[n][:3]).lower() for word in words)]
    if "--sound" in options:
        for test in dict.fromkeys(mutants[number][1] for number in chosen):
            fails, why = run(test, -1)
            print(f"{'FAILS' if fails else 'sound'}: {test}: {why}", flush=True)
        return 0
    kept = FOUND / f"{name}.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    survivors = 0
    for number in chosen if "--table" not in options else []:
        begun = time.monotonic()
        fails, why = broken(number, mutants)
        file, test, manner, *_ = mutants[number]
        print(f"{number:3} {'seen' if fails else 'SURVIVED'} after {time.monotonic() - begun:.0f} s: {test}: {manner}: {why}", flush=True)
        found[f"{test}: {manner}"] = [fails, why]
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(found, indent=1))
        survivors += not fails
    if not words:
        write_table(name, [mutants[n] for n in owned], found)
    return survivors


def main():
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    wanted = [word for word in sys.argv[1:] if word in LISTS] or list(LISTS)
    words = [word.lower() for word in sys.argv[1:] if word not in LISTS and word not in options]
    owners = [(name, mutant) for name, one in LISTS.items() for mutant in entries(one.MUTANTS)]
    mutants = [mutant for _, mutant in owners]
    if "--table" not in options:
        lay_out(mutants)
        build = subprocess.run(
            ["swift", "build", "--build-tests", "--ignore-lock"], cwd=COPY, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if build.returncode != 0:
            raise SystemExit(build.stdout[-6000:])
    survivors = 0
    for name in wanted:
        survivors += try_list(name, mutants, [n for n, (owner, _) in enumerate(owners) if owner == name], words, options)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
