#!/usr/bin/env python3
"""Changes source files in small ways and reports which changes the tests notice.

    Tests/Nightly/mutants.py [--suites FILE] [--only NAME,…] [--count N] [--seed N] [--minutes N] [--report FILE]

A suite in `mutants.json` names source files or folders, and the Swift tests that are expected to notice a change of them.
For each suite the program copies the tree, builds the test target, and runs its tests once without a mutant. Then it picks
N mutants by the seed. For each of them it changes one file of the copy, builds again, runs the tests, and restores the file:

- killed: a test failed, the test process crashed, or it took five times as long as without a mutant.
- survived: all tests passed. Either a test is missing, or the change has no effect.
- not built: the compiler rejected the change. Such mutants do not count.

The report is Markdown and is written again after each mutant. Exit status 0 even if mutants survive.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "Tests/Nightly/Mutation"
# Copies and builds; bin/nightly documents the variable.
WORK = pathlib.Path(os.environ.get("SAUNTER_NIGHTLY_DIR", ROOT / ".build-nightly"))
# Appended to the copy's Package.swift. It removes all targets that the tests do not need, and warnings are not errors:
# a forced condition makes the compiler warn about code that is never executed.
MANIFEST = """
var neededTargets = ["{target}"]
var checkedTargets = 0
while checkedTargets < neededTargets.count {{
    for target in package.targets where target.name == neededTargets[checkedTargets] {{
        for dependency in target.dependencies {{
            switch dependency {{
            case .targetItem(let name, _), .byNameItem(let name, _):
                if !neededTargets.contains(name) {{ neededTargets.append(name) }}
            default: break
            }}
        }}
    }}
    checkedTargets += 1
}}
package.products = []
package.targets.removeAll {{ target in !neededTargets.contains(target.name) }}
for target in package.targets where [.regular, .executable, .test].contains(target.type) {{
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .warning)]
}}
"""


@dataclasses.dataclass
class Suite:
    """Sources, and the tests that are expected to notice their mutants."""

    name: str
    # Files or folders, relative to the root of the package.
    sources: list
    # A test target of Package.swift.
    target: str
    # A regular expression for the names of tests that run; without it all tests of the target run.
    filter: str = ""
    # A regular expression for tests that do not run.
    skip: str = ""
    # Only mutants inside a declaration of this name.
    symbol: str = ""
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Result:
    suite: str
    mutant: dict
    # "killed", "survived" or "not built"
    outcome: str
    # The first failing tests, or how the test process ended.
    reason: str = ""


def run(command, folder, environment=None, seconds=3600):
    """Exit status and output of a command; the status is None if the time is over."""
    process = subprocess.Popen(
        command, cwd=folder, env=os.environ | (environment or {}), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def build_tool(scratch):
    """Builds `mutate`; its path."""
    arguments = ["--package-path", str(TOOL), "--scratch-path", str(scratch), "--product", "mutate"]
    status, output = run(["swift", "build", *arguments], TOOL)
    if status != 0:
        sys.exit(output[-4000:])
    return run(["swift", "build", *arguments, "--show-bin-path"], TOOL)[1].strip().splitlines()[-1] + "/mutate"


def pick(tool, root, suite, count, seed):
    """Mutants of the suite's sources, chosen by the seed, in the order of the sources."""
    symbol = ["--symbol", suite.symbol] if suite.symbol else []
    status, output = run([tool, "list", "--root", str(root), *symbol, *suite.sources], root)
    if status != 0:
        sys.exit(output[-4000:])
    mutants = json.loads(output)
    chosen = random.Random(f"{seed} {suite.name}").sample(range(len(mutants)), min(count, len(mutants)))
    return [mutants[index] for index in sorted(chosen)]


class Copy:
    """A copy of the package in which one suite is built and tested. Later copies into the same folder build incrementally."""

    def __init__(self, root, folder, suite):
        self.root, self.folder, self.suite = root, folder, suite
        self._copy()
        self.seconds = None

    def _copy(self):
        """Makes the files equal to those that git knows, and leaves unchanged files alone so that little is built again."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=self.root, check=True, capture_output=True, text=True)
        names = {name for name in listed.stdout.splitlines() if (self.root / name).is_file()} | {"Package.resolved"}
        for name in sorted(names):
            source, copy = self.root / name, self.folder / name
            if not source.exists():
                continue
            content = source.read_bytes()
            if name == "Package.swift":
                content += MANIFEST.format(target=self.suite.target).encode()
            if not copy.exists() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                shutil.copymode(source, copy)
        for path in [path for path in self.folder.rglob("*") if path.is_file()]:
            name = str(path.relative_to(self.folder))
            if not name.startswith(".build/") and name not in names:
                path.unlink()

    def check(self):
        """Builds and tests without a mutant, so that the tests can fail only because of one."""
        status, output = self.build()
        if status != 0:
            sys.exit(f"{self.suite.name} does not build without a mutant:\n{output[-4000:]}")
        begun = time.monotonic()
        status, output = self.test(3600)
        self.seconds = time.monotonic() - begun
        if status != 0:
            sys.exit(f"tests of {self.suite.name} fail without a mutant:\n{output[-4000:]}")
        if not re.search(r"Test run with [1-9]", output):
            sys.exit(f"{self.suite.name}: the filter {self.suite.filter!r} selects no test of {self.suite.target}")

    def build(self):
        return run(["swift", "build", "--build-tests"], self.folder)

    def test(self, seconds):
        skip = ["--skip", self.suite.skip] if self.suite.skip else []
        chosen = rf"^{self.suite.target}\." + (f".*({self.suite.filter})" if self.suite.filter else "")
        return run(["swift", "test", "--skip-build", "--filter", chosen, *skip], self.folder, self.suite.environment, seconds)

    def attempt(self, tool, mutant):
        """Builds and tests with one mutant."""
        path = self.folder / mutant["path"]
        original = path.read_bytes()
        try:
            status, output = run([tool, "apply", "--root", str(self.folder), mutant["id"]], self.folder)
            if status != 0:
                sys.exit(output)
            status, output = self.build()
            if status != 0:
                return Result(self.suite.name, mutant, "not built")
            status, output = self.test(5 * self.seconds + 60)
        finally:
            path.write_bytes(original)
        if status == 0:
            return Result(self.suite.name, mutant, "survived")
        return Result(self.suite.name, mutant, "killed", "no end" if status is None else failure(output))


def failure(output):
    """The first two failing tests of the output of `swift test`."""
    pattern = r"Test (?!run with)(?:case passing \d+ arguments? .* to )?(.+?)(?: with \d+ test cases)? failed after"
    failed = list(dict.fromkeys(re.findall(pattern, output)))
    if not failed:
        return "the test process crashes"
    return "; ".join(failed[:2]) + (f" and {len(failed) - 2} more" if len(failed) > 2 else "")


def report(results, seed):
    """Markdown: one table of all suites, and one of all survivors and killed mutants each."""
    lines = [
        f"# Mutants of seed {seed}", "", "| suite | mutants | killed | survived | not built | killed, % |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for suite in dict.fromkeys(result.suite for result in results):
        outcomes = [result.outcome for result in results if result.suite == suite]
        killed, survived = outcomes.count("killed"), outcomes.count("survived")
        percent = f"{100 * killed / (killed + survived):.0f}" if killed + survived else ""
        lines.append(f"| {suite} | {len(outcomes)} | {killed} | {survived} | {outcomes.count('not built')} | {percent} |")
    for outcome in ("survived", "killed"):
        found = [result for result in results if result.outcome == outcome]
        if found:
            lines += ["", f"## {outcome.title()}", "", "| mutant | line | change | noticed by |", "|---|--:|---|---|"]
            lines += [_row(result) for result in found]
    return "\n".join(lines) + "\n"


def _row(result):
    mutant = result.mutant
    change = f"`{_cell(mutant['original'])}` → " + (f"`{_cell(mutant['replacement'])}`" if mutant["replacement"] else "removed")
    return f"| {_cell(mutant['id'])} | {mutant['line']} | {change} | {_cell(result.reason)} |"


def _cell(text, most=120):
    """Text for one cell of a Markdown table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= most else text[:most] + " …"


def load_suites(path, only=()):
    suites = [Suite(**entry) for entry in json.loads(path.read_text())]
    unknown = set(only) - {suite.name for suite in suites}
    if unknown:
        sys.exit(f"no suite {', '.join(sorted(unknown))}; {path.name} has {', '.join(suite.name for suite in suites)}")
    return [suite for suite in suites if not only or suite.name in only]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", type=pathlib.Path, default=ROOT / "Tests/Nightly/mutants.json")
    parser.add_argument("--only", default="", help="names of suites, separated by commas")
    parser.add_argument("--count", type=int, default=20, help="mutants of each suite (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="picks the mutants (default: 1)")
    parser.add_argument("--minutes", type=float, default=600, help="starts no mutant after this time (default: 600)")
    parser.add_argument("--report", type=pathlib.Path, help="a file for the Markdown report; without it the report is printed")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder of the package (default: this repository)")
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + 60 * options.minutes
    suites = load_suites(options.suites, [name for name in options.only.split(",") if name])
    WORK.mkdir(parents=True, exist_ok=True)
    tool = build_tool(WORK / "mutate")
    results = []
    for suite in suites:
        mutants = pick(tool, options.root, suite, options.count, options.seed)
        if time.monotonic() > deadline:
            break
        copy = Copy(options.root, WORK / suite.target, suite)
        copy.check()
        for mutant in mutants:
            if time.monotonic() > deadline:
                break
            result = copy.attempt(tool, mutant)
            results.append(result)
            print(f"{result.outcome}: {mutant['id']}: {result.reason}", file=sys.stderr, flush=True)
            if options.report:
                options.report.write_text(report(results, options.seed))
    if not options.report:
        print(report(results, options.seed))
    return results


if __name__ == "__main__":
    main()
