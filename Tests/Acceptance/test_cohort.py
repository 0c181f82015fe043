"""`saunter cohort`: simulated participants keep a diary, through the public API."""

import collections
import concurrent.futures
import json
import statistics
import subprocess

import pytest
import requests

from acceptance.people import Person
from acceptance.server import BINARIES, ROOT, Server

STUDY = "emotions-tracker"
DAYS = 14
# The first participants of the default seed.
NAMES = ["ada.ahorn", "bruno.moos", "carla.wiesner", "david.farn"]


@pytest.fixture(scope="module")
def diaries(contract):
    """The simulated participants, logged in, each with `logs`: the answer sheets of the diary."""
    server = Server()
    try:
        server.run("publish", ROOT / "Questionnaires" / "studies" / STUDY)
        command = [BINARIES / "saunter", "cohort", "--study", STUDY, "--participants", str(len(NAMES)), "--days", str(DAYS), "--json"]
        made = subprocess.run(command, env=server.environment, cwd=server.directory, capture_output=True, text=True, timeout=300, check=True)
        assert "rejected" not in made.stderr, made.stderr
        # A repeated command changes nothing.
        again = subprocess.run(command, env=server.environment, cwd=server.directory, capture_output=True, text=True, timeout=300, check=True)
        assert again.stdout == made.stdout
        server.start()
        people = [diary(server, contract, name, json.loads(made.stdout)["password"]) for name in NAMES]
        yield people
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


def diary(server, contract, name, password):
    person = Person(server, contract)
    person.email, person.password = f"{name}@example.org", password
    person.log_in()
    (person.enrolment,) = person.call("GET", "/v1/enrolments", status=200)["items"]
    person.logs = person.pages(person.own("/answer-sheets"), questionnaire="log", order="completed")
    return person


def test_the_researcher_may_also_change_the_study(diaries):
    url, password = diaries[0].server.url, diaries[0].password
    token = requests.post(f"{url}/v1/tokens", json={"email": "rosa.field@example.org", "password": password}, timeout=60).json()["access_token"]
    [study] = requests.get(f"{url}/v1/staff/studies", headers={"Authorization": f"Bearer {token}"}, timeout=60).json()["items"]

    assert study["study"] == STUDY and sorted(study["roles"]) == ["editor", "researcher"]


def test_participants_make_several_logs_a_day_and_none_on_some_days(diaries):
    for person in diaries:
        by_day = collections.Counter(sheet["local_date"] for sheet in person.logs)
        assert max(by_day.values()) >= 4 and len(person.logs) > DAYS
    assert any(len({sheet["local_date"] for sheet in person.logs}) < DAYS for person in diaries)
    # Logs of the evening answer the occasion.
    assert sum(sheet["occasion_id"] is not None for person in diaries for sheet in person.logs) > DAYS


def test_moods_follow_a_course_and_emotions_follow_the_mood(diaries):
    means, same, other = [], [], []
    moods = collections.defaultdict(list)
    for person in diaries:
        days = collections.defaultdict(list)
        for sheet in person.logs:
            days[sheet["local_date"]].append(sheet["answers"]["mood"])
            moods[sheet["answers"]["category"]].append(sheet["answers"]["mood"])
        means.append(statistics.mean(mood for day in days.values() for mood in day))
        # The moods of one day are closer to each other than those of different days.
        daily = {day: statistics.mean(values) for day, values in days.items()}
        same += [abs(mood - daily[day]) for day, values in days.items() for mood in values]
        other += [abs(mood - statistics.mean(daily.values())) for values in days.values() for mood in values]
    assert statistics.mean(same) < 0.8 * statistics.mean(other)
    assert max(means) - min(means) > 0.5, "participants differ"
    assert statistics.mean(moods["joy"]) > statistics.mean(moods["sadness"]) + 1
    assert statistics.mean(moods["joy"]) > statistics.mean(moods["anger"]) + 1


def test_places_are_sent_only_with_permission_and_notes_sometimes(diaries):
    permitted = {person.enrolment["data_kinds"]["location"] is not None for person in diaries}
    assert permitted == {True, False}, "some participants permit places, others do not"
    for person in diaries:
        has_place = ["place" in sheet["answers"] for sheet in person.logs]
        assert all(has_place) if person.enrolment["data_kinds"]["location"] else not any(has_place)
        assert all(sheet["cleared"] == [] for sheet in person.logs)
    noted = ["note" in sheet["answers"] for person in diaries for sheet in person.logs]
    assert 0 < sum(noted) < len(noted) / 2


def test_participants_have_settings_and_insights(diaries):
    stored = [item for person in diaries for item in person.call("GET", person.own("/settings"), status=200)["items"]]
    assert any(item["sheet_id"] for item in stored)
    for person in diaries:
        insights = {item["variable"]: item for item in person.call("GET", person.own("/insights"), status=200)["items"]}
        assert insights["mood_month"]["n"] > DAYS and insights["common"]["value"] and insights["mood_by_hour"]["entries"]


def test_insights_requested_together_equal_those_requested_alone(diaries):
    """The server reads the data of requests that arrive together in one statement."""
    queries = [{}, {"variables": "mood_month"}, {"variables": "common,log_streak"}]

    def insights(request):
        person, query = request
        return person.call("GET", person.own("/insights"), params=query, status=200)["items"]

    requests = [(person, query) for person in diaries for query in queries]
    alone = [insights(request) for request in requests]
    assert len({json.dumps(items) for items in alone}) == len(requests), "all insights differ"
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert list(pool.map(insights, requests * 4)) == alone * 4
