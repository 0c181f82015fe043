"""A second implementation of tailoring variables, for comparison with the engine.

It computes the kinds, windows and keys of `variables.yaml`, the rules of dates, active entries and streaks, and the expression language. It
favours plain code over speed. All arithmetic is exact (`Fraction`). Tests/Nightly/README.md states how independent it is.

    pack = Pack("Tests/Acceptance/packs/variables/studies/variables")
    line = evaluate(pack, history)          # the same object as a line of `saunter variables … --history FILE --json`
"""

from .evaluation import Evaluation, evaluate
from .facts import Facts
from .histories import HistoryMaker
from .pack import Pack

__all__ = ["Evaluation", "Facts", "HistoryMaker", "Pack", "evaluate"]
