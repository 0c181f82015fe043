"""The engine and an independent model in Python compute the same variables. `bin/nightly variables` compares more histories."""

import sys

import pytest

from acceptance.server import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Nightly"))

from variables_model import Evaluation, Facts, Pack  # noqa: E402
from variables_model.comparison import PACKS, compare, is_equal  # noqa: E402


@pytest.mark.parametrize("folder", PACKS, ids=lambda folder: folder.name)
def test_every_variable_of_random_histories_equals_the_model(folder, tmp_path):
    found = list(compare(folder, range(300), tmp_path))

    assert found == [], f"{len(found)} values differ; the first: {found[0]}"


def test_the_model_computes_an_example_that_was_computed_by_hand():
    # In Berlin the clock goes back on 2026-10-25. The sheets are at 12:00, 23:30, 00:30 and 10:00 of the local time.
    history = {
        "enrolled_at": "2026-10-20T08:00:00Z", "time_zone": "Europe/Berlin", "at": "2026-10-26T12:00:00Z",
        "sheets": [
            {"sheet_id": f"00000000-0000-4000-8000-00000000000{mood}", "questionnaire": "diary", "completed_at": moment,
             "answers": {"mood": mood}} for moment, mood in [
                ("2026-10-23T10:00:00Z", 4), ("2026-10-24T21:30:00Z", 8), ("2026-10-24T22:30:00Z", 3), ("2026-10-26T09:00:00Z", 6)]],
    }
    pack = Pack(PACKS[0])
    evaluation = Evaluation(pack, Facts(pack, history))

    assert evaluation.result("by_day").json()["entries"] == [
        {"key": f"2026-10-{day}", "value": 1.0, "n": 1, "reason": None, "best": None, "last_on": None} for day in (23, 24, 25, 26)]
    assert evaluation.result("streak").json() | {"entries": None} == {
        "value": 4.0, "n": 4, "reason": None, "window": None, "entries": None, "best": 4, "last_on": "2026-10-26"}
    # (4 + 8 + 3 + 6) / 4, all in the last 7 days; nothing before.
    assert evaluation.result("mean_mood").json()["value"] == 5.25
    assert evaluation.result("change_mean").json()["reason"] == "too_few"
    assert evaluation.result("share_good").json()["value"] == 0.5
    assert [entry["key"] for entry in evaluation.result("by_hour").json()["entries"]] == ["0", "10", "12", "23"]


@pytest.mark.parametrize("engine, model, same", [
    (0.1 + 0.2, 0.3, True), (1e12, 1e12 + 1, True), (1, 1.0001, False), (True, 1, False), (None, 0, False), ([1], [1, 2], False),
    ({"a": 1}, {"a": 1, "b": None}, False)])
def test_a_difference_is_noticed(engine, model, same):
    assert is_equal(engine, model) is same
