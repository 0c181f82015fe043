"""The lists of what is broken on purpose keep up with the sources."""

import sys

import pytest

from acceptance.server import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Mutants"))

import channels  # noqa: E402
import faults  # noqa: E402
import mutants  # noqa: E402
from mutation import entries, mutated  # noqa: E402


def places():
    """(file, its mutants) of all lists."""
    for name, group in mutants.GROUPS.items():
        for file, those in group.mutants.items():
            yield f"Sources/{group.target}/{file}", entries({file: those})
    for one in (faults, channels):
        by_file = {}
        for entry in entries(one.MUTANTS):
            by_file.setdefault(entry[0], []).append(entry)
        yield from by_file.items()


LISTED = list(places())


@pytest.mark.parametrize("file, those", LISTED, ids=[file for file, _ in LISTED])
def test_what_is_to_be_broken_stands_there_once(file, those):
    # What is broken in one manner for several tests is one change.
    changes = {entry[3:]: (number, *entry[3:]) for number, entry in enumerate(those)}
    mutated((ROOT / file).read_text(), changes.values())
