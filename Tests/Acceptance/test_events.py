"""Phases and named events: a trial whose training ends with an event that the participant reports, and a break from reminders."""

from datetime import timedelta

import pytest
from acceptance.moments import instant, now
from acceptance.server import ROOT

TRIAL = "training-or-waiting"


@pytest.fixture
def trained(server, newcomer):
    """A participant in the training arm."""
    server.run("publish", str(ROOT / "Questionnaires/studies" / TRIAL))
    for number in range(12):
        person = newcomer(f"Tess{number} Canary").register()
        version = person.call("GET", f"/v1/studies/{TRIAL}", status=200)["consent"]["version"]
        person.enrolment = person.call(
            "POST", f"/v1/studies/{TRIAL}/enrolments", status=201,
            json={"consent": {"version": version, "accepted": True}, "time_zone": person.zone, "language": "en"})
        if person.enrolment["arm"] == "training":
            return person
    raise AssertionError("none of twelve participants is in the training arm, although two of three should be")


def report(person, moment, status):
    return person.call(
        "PUT", person.own("/events/training-finished"), json={"occurred_at": instant(moment)}, status=status)


def planned(person, schedule):
    return [one for one in person.pages(person.own("/occasions")) if one["schedule"] == schedule and one["state"] != "cancelled"]


def test_occasions_after_an_event_are_planned_when_it_is_reported_and_move_with_it(trained):
    assert planned(trained, "after_stress") == []
    first, later = now() + timedelta(days=3), now() + timedelta(days=6)

    made = report(trained, first, 201)
    before = planned(trained, "after_stress")
    assert report(trained, first, 200) == made
    trained.problem(
        "PUT", trained.own("/events/training-finished"), 409, "event-fixed",
        json={"occurred_at": instant(first - timedelta(hours=1))})
    report(trained, later, 200)
    after = planned(trained, "after_stress")

    assert [one["day"] for one in before][:1] == [1] and len(after) >= 1
    assert after[0]["occasion_id"] == before[0]["occasion_id"]
    assert after[0]["opens_at"] > before[0]["opens_at"]
    events = trained.call("GET", trained.own("/events"), status=200)["items"]
    assert [(event["event"], event["occurred_at"]) for event in events] == [("training-finished", instant(later))]


def test_an_unknown_event_is_404_and_an_event_without_a_valid_time_is_422(trained):
    trained.problem("PUT", trained.own("/events/moved-house"), 404, "not-found", json={"occurred_at": instant(now())})
    trained.problem("PUT", trained.own("/events/training-finished"), 422, "body-invalid", json={"occurred_at": "soon"})


def test_questionnaires_that_a_break_delays_are_not_open_yet(trained):
    trained.call("PATCH", trained.own(""), json={"paused": True}, status=200)
    entries = {entry["questionnaire"]: entry for entry in trained.call("GET", trained.own("/overview"), status=200)["items"]}

    held = [entry for entry in entries.values() if entry["disabled"]]
    assert all(entry["disabled_reason"] in ("not_yet_open", "prerequisite") for entry in held), held
    assert entries["daily_evening"]["disabled_reason"] in ("not_yet_open", None)
    assert not any(entry["due_today"] for entry in held)
