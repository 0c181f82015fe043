"""How mutants are put into a copy of the sources, all at once, so that the environment says which of them is in force."""

import re

SWITCH = """import Foundation

/// The mutant in force.
private let inForce = ProcessInfo.processInfo.environment["MUTANT"].flatMap { Int($0) } ?? -1

func mutated(_ number: Int) -> Bool { inForce == number }
"""

C_SWITCH = """#include <stdlib.h>
/// Whether this mutant is in force.
static int mutated(int number) {
    const char *in_force = getenv("MUTANT");
    return in_force && atoi(in_force) == number;
}
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


def entries(mutants):
    """(file, what is broken or who must notice, how, old, new, within) of each."""
    return [(file, *entry, *[""] * (5 - len(entry))) for file, those in mutants.items() for entry in those]


def suites(text):
    """Names of the suites of a file of tests."""
    return re.findall(r"^(?:@Suite[^\n]*\n|@Suite[^\n]* )?(?:final )?(?:struct|class|enum|actor) (\w+)", text, re.M)
