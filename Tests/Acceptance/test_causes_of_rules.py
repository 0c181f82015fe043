"""What causes decisions beside sheets: usage events, events that a rule records, and changes of settings."""

import datetime
import shutil

import pytest

from acceptance.moments import new_id
from acceptance.packs import change
from acceptance.server import ROOT
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

STUDY = "appiness"
BERLIN = "Europe/Berlin"
START = datetime.datetime(2026, 5, 6, 9, 0, tzinfo=datetime.timezone.utc)
RULES = [
    {"code": "third_visit", "at": {"reached": "visits >= 3"}, "do": {"event": "at-home"}},
    {"code": "thanks", "at": {"after": {"event": "at-home"}, "first_after": "2h"}, "do": {"message": {}}},
    {"code": "reader", "at": {"reached": "visits >= 2"}, "do": {"award": {"code": "reader"}}},
]


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def app(clock, tmp_path_factory):
    """A server with the pack appiness, in which visits lead to an award, an event, a message and a schedule."""
    folder = tmp_path_factory.mktemp("packs")
    study = folder / "studies" / STUDY
    shutil.copytree(ROOT / "Questionnaires" / "studies" / STUDY, study)
    shutil.copytree(ROOT / "Questionnaires" / "instruments", folder / "instruments")
    change(study / "study.yaml", lambda design: design.update(events=[{"code": "at-home", "update": "immutable"}]))
    change(study / "rules.yaml", lambda rules: rules["rules"].extend(RULES))
    change(study / "variables.yaml", lambda variables: variables["variables"].append({"id": "visits", "count": {"usage": "app_opened"}}))
    change(study / "schedule.yaml", lambda plan: plan["schedules"].append({
        "id": "after_visits", "questionnaire": "about_you", "anchor": {"event": "at-home"}, "recurrence": "once", "reminded": False,
        "slots": [{"open": {"after_anchor": "0m"}, "due_after": "1d", "close_after": "2d"}]}))
    for language in ("en", "de"):
        change(study / "content" / f"text.{language}.yaml", lambda words: (
            words["rules"].update(thanks={"subject": "Thank you", "body": "You are at home here."}),
            words.update(awards={"reader": {"title": "Reader", "text": "You came back."}})))
    server = TimedServer(clock)
    try:
        server.start()
        server.run("publish", study)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def person(app):
    made = TimedPerson(app, STUDY, name="Charlotte Canary", zone=BERLIN)
    made.register().enrol()
    return made


def inbox(person, rule):
    return [one for one in person.call("GET", person.own("/inbox?limit=1000"), status=200)["items"] if one["rule"] == rule]


def visit(person, clock):
    moment = clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")
    [result] = person.call("POST", person.own("/sync"), status=200, json={"client_now": moment, "items": [
        {"kind": "usage_event", "id": new_id(), "body": {"event": "app_opened", "at": moment, "time_zone": BERLIN}}]})["items"]
    assert result["result"] == "accepted", result


def test_usage_events_reach_a_condition_and_a_rule_records_an_event(app, clock, person):
    visit(person, clock)
    app.send_due()
    assert person.call("GET", person.own("/awards"), status=200)["items"] == []
    visit(person, clock)
    app.send_due()
    assert [one["award"] for one in person.call("GET", person.own("/awards"), status=200)["items"]] == ["reader"]
    assert person.call("GET", person.own("/events"), status=200)["items"] == []

    visit(person, clock)
    app.send_due()

    [event] = person.call("GET", person.own("/events"), status=200)["items"]
    assert event["event"] == "at-home"
    assert [one["schedule"] for one in person.pages(person.own("/occasions"))].count("after_visits") == 1
    assert inbox(person, "thanks") == []
    clock.advance_to(BERLIN, "13:30")
    app.send_due()
    [thanks] = inbox(person, "thanks")
    assert thanks["subject"] == "Thank you"

    visit(person, clock)
    app.send_due()
    assert person.call("GET", person.own("/events"), status=200)["items"] == [event]
    assert len(inbox(person, "thanks")) == 1
    assert len(person.call("GET", person.own("/awards"), status=200)["items"]) == 1


def test_a_new_setting_sends_nothing_for_the_hours_before_it(app, clock, person):
    clock.advance_to(BERLIN, "08:30", 1)
    app.send_due()
    before = len(inbox(person, "mood_prompts"))
    person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=person.sheet("notifications", {"notifications_a_day": 0}), status=201)
    app.send_due()
    clock.advance_to(BERLIN, "18:00")
    app.send_due()
    assert len(inbox(person, "mood_prompts")) == before

    # Of five times between 9 and 21 the last one is at 19:48.
    person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=person.sheet("notifications", {"notifications_a_day": 5}), status=201)
    app.send_due()
    assert len(inbox(person, "mood_prompts")) == before
    clock.advance_to(BERLIN, "19:50")
    app.send_due()
    assert len(inbox(person, "mood_prompts")) == before + 1
