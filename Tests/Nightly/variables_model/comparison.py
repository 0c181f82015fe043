"""Compares the engine with the model: one run of `saunter variables` over many random histories."""

import json
import math
import os
import pathlib
import subprocess
from fractions import Fraction

from .evaluation import evaluate
from .histories import HistoryMaker
from .pack import Pack

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARIES = pathlib.Path(os.environ.get("SAUNTER_BIN_DIR", ROOT / ".build" / "debug"))
# A pack with every kind of variable, and a pack that participants use.
PACKS = [
    ROOT / "Tests" / "Acceptance" / "packs" / "variables" / "studies" / "variables",
    ROOT / "Questionnaires" / "studies" / "emotions-tracker",
]


def compare(folder, seeds, directory):
    """Compares all variables of a pack for the histories of these seeds. Each disagreement is (seed, variable, engine, model).

    The histories are stored in `directory`, one line per seed.
    """
    pack = Pack(folder)
    file = pathlib.Path(directory) / f"{pack.code}.ndjson"
    with file.open("w") as lines:
        for seed in seeds:
            lines.write(json.dumps(HistoryMaker(pack, seed).history()) + "\n")
    with subprocess.Popen(
            [BINARIES / "saunter", "variables", folder, "--history", file, "--json"], stdout=subprocess.PIPE, text=True) as engine, file.open() as lines:
        for seed, line in zip(seeds, lines):
            # Exact numbers, as the engine reads them.
            expected = evaluate(pack, json.loads(line, parse_float=Fraction))
            answer = engine.stdout.readline()
            if not answer:
                break
            yield from differences(seed, json.loads(answer), expected)
        rest = engine.stdout.read()
    assert engine.returncode == 0, f"saunter variables ended with {engine.returncode}; the histories are in {file}"
    assert rest == "", "the engine has more lines than the input"


def differences(seed, engine, model):
    names = list(model["variables"])
    if [engine["participant"], engine["as_of"], engine["local_date"]] != [model["participant"], model["as_of"], model["local_date"]]:
        yield seed, "(the participant)", engine, model
    if list(engine["variables"]) != names:
        yield seed, "(the names)", list(engine["variables"]), names
    for name in names:
        found, expected = engine["variables"].get(name), model["variables"][name]
        if not is_equal(found, expected):
            yield seed, name, found, expected


def is_equal(engine, model):
    """Numbers may differ by 1e-9, or by 1e-9 of the number if it is greater than 1. Everything else is the same."""
    if isinstance(model, bool) or isinstance(engine, bool):
        return model is engine
    if isinstance(model, (int, float)) and isinstance(engine, (int, float)):
        return math.isclose(engine, model, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(model, dict) and isinstance(engine, dict):
        return model.keys() == engine.keys() and all(is_equal(engine[name], model[name]) for name in model)
    if isinstance(model, list) and isinstance(engine, list):
        return len(model) == len(engine) and all(map(is_equal, engine, model))
    return model == engine and type(model) is type(engine)
