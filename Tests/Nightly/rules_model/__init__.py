"""A second implementation of decision rules, for comparison with the engine.

It follows `rules.yaml` in Questionnaires/README.md. Variables come from `variables_model`. It favours plain code over speed.

    pack = RulePack("Tests/Acceptance/packs/decision-rules/studies/walking")
    decisions = simulate(pack, person, days=30)     # as `saunter rules … --person FILE --days 30 --json`
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from .clock import Clock  # noqa: E402
from .pack import RulePack  # noqa: E402
from .persons import PersonMaker  # noqa: E402
from .simulation import simulate  # noqa: E402

__all__ = ["Clock", "PersonMaker", "RulePack", "simulate"]
