"""The engine and an independent model in Python make the same decisions. `bin/nightly` has longer histories; see Tests/Nightly/README.md."""

import json
import subprocess
import sys

import pytest

from acceptance.server import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Nightly"))

from rules_model import RulePack, simulate  # noqa: E402
from rules_model.comparison import BINARIES, PACKS, STUDIES, compare, is_equal  # noqa: E402

# Pack, days, a factor of the number of records, and seeds: 400 participants of each pack. Most histories are short, because each decision
# takes the engine some milliseconds. `Tests/Nightly/rule_decisions.py` has longer ones.
HISTORIES = [
    ("appiness", 2, 0.12, range(382)), ("appiness", 14, 0.9, range(1000, 1018)),
    ("emotions-tracker", 3, 0.3, range(370)), ("emotions-tracker", 20, 1, range(1000, 1030)),
    ("alter-ego", 30, 1, range(400)),
    ("walking", 3, 0.3, range(370)), ("walking", 30, 1, range(1000, 1030)),
    ("companion", 7, 0.08, range(375)), ("companion", 95, 0.3, range(1000, 1025)),
]


@pytest.mark.parametrize("name, days, size, seeds", HISTORIES, ids=lambda value: str(value) if isinstance(value, (str, int)) else "")
def test_every_decision_of_random_participants_equals_the_model(name, days, size, seeds, tmp_path):
    found = list(compare(name, seeds, tmp_path, days, size))

    assert found == [], f"{len(found)} participants differ; the first: {found[0]}"


def decisions_of(name, person, days, tmp_path):
    """The decisions of the model. The engine makes the same."""
    pack = RulePack(STUDIES / name)
    file = tmp_path / "person.json"
    file.write_text(json.dumps(person))
    engine = subprocess.run(
        [BINARIES / "saunter", "rules", pack.folder, "--person", file, "--days", str(days), "--json"], stdout=subprocess.PIPE, check=True)
    model = simulate(pack, person, days)
    found = json.loads(engine.stdout)["decisions"]
    assert len(found) == len(model) and all(map(is_equal, found, model)), (found, model)
    return model


def test_local_times_follow_the_clock_and_the_journey(tmp_path):
    # The clocks of Berlin go back on 25 October. On 26 October the participant flies to Tokyo at 10:00 of Berlin, 18:00 of Tokyo.
    person = {
        "enrolled_at": "2026-10-24T12:00:00Z", "time_zone": "Europe/Berlin", "settings": {"reminder_times": ["07:00", "12:00"], "affirmations_on": False},
        "zones": [{"from": "2026-10-26T09:00:00Z", "time_zone": "Asia/Tokyo"}],
    }

    made = decisions_of("emotions-tracker", person, 3, tmp_path)

    # 07:00 is in the quiet hours until 07:30. 12:00 of 26 October is skipped, so its point is at the end of the flight.
    assert [(one["point"], one["moment"], one["send_at"]) for one in made if one["rule"] == "log_reminder"] == [
        ("2026-10-25#1", "2026-10-25T06:00:00.000Z", "2026-10-25T06:30:00.000Z"),
        ("2026-10-25#2", "2026-10-25T11:00:00.000Z", "2026-10-25T11:00:00.000Z"),
        ("2026-10-26#1", "2026-10-26T06:00:00.000Z", "2026-10-26T06:30:00.000Z"),
        ("2026-10-26#2", "2026-10-26T09:00:00.000Z", "2026-10-26T09:00:00.000Z"),
        ("2026-10-27#1", "2026-10-26T22:00:00.000Z", "2026-10-26T22:30:00.000Z"),
        ("2026-10-27#2", "2026-10-27T03:00:00.000Z", "2026-10-27T03:00:00.000Z"),
    ]
    assert {one["outcome"] for one in made if one["rule"] == "affirmation_of_the_day"} == {"allowed"}


def test_months_and_repetitions_count_from_the_first_point(tmp_path):
    # Seven days after 24 January, 10:00 in Berlin, is 31 January. A month later is 28 February, two months later 31 March, in summer time.
    person = {
        "enrolled_at": "2026-01-24T09:00:00Z", "time_zone": "Europe/Berlin",
        "sheets": [{"questionnaire": "assessment", "completed_at": "2026-01-24T09:00:00Z", "answers": {"stress": "red", "past": "green"}}],
    }

    made = decisions_of("companion", person, 70, tmp_path)

    sheet = "sheet:00000000-0000-4000-8000-000000000001"
    assert [(one["point"], one["moment"]) for one in made if one["rule"] in ("start_using", "act_on_it", "red_areas")] == [
        ("enrolment#1", "2026-01-31T09:00:00.000Z"), (f"{sheet}#1", "2026-01-31T09:00:00.000Z"), (f"{sheet}#1", "2026-02-14T09:00:00.000Z"),
        ("enrolment#2", "2026-02-28T09:00:00.000Z"), (f"{sheet}#2", "2026-03-07T09:00:00.000Z"), ("enrolment#3", "2026-03-31T08:00:00.000Z"),
    ]


def test_the_lowest_hour_is_the_smoothed_and_shrunk_one(tmp_path):
    # Twenty entries on ten dates: 8 at 10:00, and 2 at 15:00. M = 5. v(10) = 5 + 3 · 5 / 8 and v(15) = 5 − 3 · 5 / 8.
    sheets = [
        {"questionnaire": "mood", "completed_at": f"2026-05-{day:02}T{hour:02}:20:00Z", "answers": {"mood": mood}}
        for day in range(1, 11) for hour, mood in ((10, 8), (15, 2))]
    person = {"enrolled_at": "2026-05-01T00:00:00Z", "time_zone": "UTC", "sheets": sheets}

    made = decisions_of("appiness", person, 11, tmp_path)

    moments = [one["moment"] for one in made if one["rule"] == "uplift"]
    assert moments == [f"2026-05-{day:02}T12:00:00.000Z" for day in range(1, 11)] + ["2026-05-11T14:45:00.000Z"]


def test_a_difference_is_noticed():
    model = {"rule": "walk", "point": "2026-11-21#1", "draw": 0.25, "available": True, "send_at": None}

    assert is_equal(model | {"variables": {}}, model)
    assert not any(is_equal(model | other, model) for other in [{"draw": 0.25000001}, {"available": False}, {"point": "2026-11-21#2"}, {"send_at": "x"}])


def test_400_participants_of_each_pack_are_compared():
    assert {name: sum(len(seeds) for pack, *_, seeds in HISTORIES if pack == name) for name in PACKS} == dict.fromkeys(PACKS, 400)
