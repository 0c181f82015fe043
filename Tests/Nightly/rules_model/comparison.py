"""Compares the engine with the model: one run of `saunter rules` over many random participants."""

import json
import math
import os
import pathlib
import subprocess
from fractions import Fraction

from .pack import RulePack
from .persons import PersonMaker
from .simulation import simulate

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARIES = pathlib.Path(os.environ.get("SAUNTER_BIN_DIR", ROOT / ".build" / "debug"))
STUDIES = ROOT / "Tests" / "Acceptance" / "packs" / "decision-rules" / "studies"
# A pack and the days of its participants. The companion has rules that act after 91 days.
PACKS = {"appiness": 30, "emotions-tracker": 30, "alter-ego": 30, "walking": 40, "companion": 100}


def compare(name, seeds, directory, days=None, size=1):
    """Compares all decisions of a pack for the participants of these seeds. Each disagreement is (seed, engine, model).

    The participants are stored in `directory`, one line per seed. `days` and `size` make short histories.
    """
    pack, days = RulePack(STUDIES / name), days or PACKS[name]
    file = pathlib.Path(directory) / f"{name}.ndjson"
    with file.open("w") as lines:
        for seed in seeds:
            lines.write(json.dumps(PersonMaker(pack, seed, days, size).person()) + "\n")
    with subprocess.Popen(
            [BINARIES / "saunter", "rules", pack.folder, "--person", file, "--days", str(days), "--json"],
            stdout=subprocess.PIPE, text=True) as engine, file.open() as lines:
        for seed, line in zip(seeds, lines):
            expected = simulate(pack, json.loads(line, parse_float=Fraction), days)
            answer = engine.stdout.readline()
            if not answer:
                break
            yield from differences(seed, json.loads(answer)["decisions"], expected)
        rest = engine.stdout.read()
    assert engine.returncode == 0, f"saunter rules ended with {engine.returncode}; the participants are in {file}"
    assert rest == "", "the engine has more lines than the input"


def differences(seed, engine, model):
    """The first difference of two lists of decisions."""
    for position in range(max(len(engine), len(model))):
        found = engine[position] if position < len(engine) else None
        expected = model[position] if position < len(model) else None
        if found is None or expected is None or not is_equal(found, expected):
            yield seed, found, expected
            return


def is_equal(engine, model):
    if model["point"] in ("walk", "usage"):
        # A made-up walk has no id that could be a part of the name.
        engine = engine | {"point": engine["point"].partition(":")[0]}
    return all(same(engine.get(name), value) for name, value in model.items())


def same(engine, model):
    if isinstance(model, float) and isinstance(engine, (int, float)):
        return math.isclose(engine, model, rel_tol=0, abs_tol=1e-15)
    return engine == model and type(engine) is type(model)
