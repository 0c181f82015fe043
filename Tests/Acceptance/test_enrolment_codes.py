"""A study without open enrolment: a coordinator creates codes, and participants join with them."""

import json
import re
import threading

import pytest

from acceptance.people import Person
from acceptance.server import ROOT

STUDY = "closed-diary"
CODES = f"/v1/studies/{STUDY}/enrolment-codes"


@pytest.fixture(scope="module")
def closed(server):
    server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY)
    return server


def staff(server, contract, role):
    """A person with this role in the closed study."""
    person = Person(server, contract, name="Cora Field")
    made = json.loads(server.run("account", "create", "--email", person.email, "--name", person.name, "--json"))
    server.run("account", "grant", "--email", person.email, "--role", role, "--study", STUDY)
    person.password = made["password"]
    return person.log_in()


@pytest.fixture(scope="module")
def coordinator(closed, contract):
    return staff(closed, contract, "coordinator")


def body(person, code=None):
    return {"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone} | ({"code": code} if code else {})


def join(person, code=None):
    return person.call("POST", f"/v1/studies/{STUDY}/enrolments", json=body(person, code))


def used(coordinator):
    """Code id -> (used, state)."""
    return {item["code_id"]: (item["used"], item["state"]) for item in coordinator.pages(CODES, limit=7)}


def test_the_story_of_a_code(closed, coordinator, newcomer):
    # Cora creates two codes for a leaflet: each admits one participant.
    first, second = coordinator.call("POST", CODES, status=201, json={"label": "Leaflet of the clinic", "count": 2})["items"]
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}", first["code"])

    # Ada sees that the study needs a code, and that a request without one says what to do.
    ada = newcomer("Ada Canary").register()
    study = ada.call("GET", f"/v1/studies/{STUDY}", status=200)
    assert (study["open"], study["needs_code"]) == (False, True)
    refused = ada.problem("POST", f"/v1/studies/{STUDY}/enrolments", 422, "body-invalid", json=body(ada))
    assert [(fault["pointer"], fault["code"]) for fault in refused["errors"]] == [("/code", "required")]
    assert "study team" in refused["errors"][0]["detail"]

    # She types the code on her phone, in lower case and with spaces, and is in.
    typed = first["code"].lower().replace("-", " ")
    ada.enrolment = ada.call("POST", f"/v1/studies/{STUDY}/enrolments", status=201, json=body(ada, typed))
    assert ada.overview()

    # Sent again after a lost answer, the request replays.
    again = ada.call("POST", f"/v1/studies/{STUDY}/enrolments", status=200, json=body(ada, typed))
    assert again["enrolment_id"] == ada.enrolment["enrolment_id"]
    assert used(coordinator)[first["code_id"]] == (1, "used_up")

    # Ben finds the leaflet of Ada; the code is used up. Cora revokes the other code.
    ben = newcomer("Ben Canary").register()
    problem = ben.problem("POST", f"/v1/studies/{STUDY}/enrolments", 422, "enrolment-code-invalid", json=body(ben, typed))
    assert problem["errors"][0]["code"] == "used_up"
    coordinator.call("DELETE", f"{CODES}/{second['code_id']}", status=204)
    problem = ben.problem("POST", f"/v1/studies/{STUDY}/enrolments", 422, "enrolment-code-invalid", json=body(ben, second["code"]))
    assert problem["errors"][0]["code"] == "revoked"
    assert used(coordinator)[second["code_id"]] == (0, "revoked")

    # Ada leaves and her data are erased: the code stays used up, and nothing links it to her.
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "erase"}, status=204)
    assert used(coordinator)[first["code_id"]] == (1, "used_up")
    assert closed.sql(f"select count(*) from research.enrolment_code_use where code_id = '{first['code_id']}'").strip() == "0"


def test_no_copy_of_the_database_contains_a_code(closed, coordinator, newcomer):
    code = coordinator.call("POST", CODES, status=201, json={"label": "Dump"})["items"][0]["code"]
    assert join(newcomer().register(), code).status_code == 201
    dump = closed.dump()
    assert "Dump" in dump and code not in dump and code.replace("-", "") not in dump
    log = closed.log.read_text(errors="replace")
    assert code not in log and code.replace("-", "") not in log


def test_of_many_requests_for_the_last_uses_exactly_these_succeed(closed, coordinator, newcomer):
    made = coordinator.call("POST", CODES, status=201, json={"label": "Race", "uses": 3})["items"][0]
    people = [newcomer().register() for _ in range(9)]
    gate, answers = threading.Barrier(len(people)), []

    def attempt(person):
        gate.wait()
        answers.append(join(person, made["code"]))

    threads = [threading.Thread(target=attempt, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [422] * 6
    assert {answer.json()["errors"][0]["code"] for answer in answers if answer.status_code == 422} == {"used_up"}
    assert used(coordinator)[made["code_id"]] == (3, "used_up")


def test_only_coordinators_and_admins_manage_codes(closed, contract, coordinator, participant, newcomer):
    rosa = staff(closed, contract, "researcher")
    for person, status, slug in [(rosa, 403, "not-permitted"), (participant(), 403, "not-permitted")]:
        person.problem("POST", CODES, status, slug, json={"label": "x"})
        person.problem("GET", CODES, status, slug)
        person.problem("DELETE", f"{CODES}/{'0' * 8}-0000-4000-8000-{'0' * 12}", status, slug)
    coordinator.problem("DELETE", f"{CODES}/0190a5c0-0000-7000-8000-000000000000", 404, "not-found")
    coordinator.problem("GET", "/v1/studies/mindful-walking/enrolment-codes", 404, "not-found")


def test_guessing_is_throttled(closed, newcomer):
    eve = newcomer("Eve Canary").register()
    statuses = [join(eve, "K7QF-2M9X-HD3E").status_code for _ in range(12)]
    assert statuses == [422] * 10 + [429] * 2


def test_the_operator_creates_codes_at_the_command_line(closed, coordinator, newcomer):
    lines = closed.run("enrolment-codes", STUDY, "--count", "3", "--uses", "2", "--expires-in", "90d").splitlines()
    assert len(set(lines)) == 3
    assert [join(newcomer().register(), lines[0]).status_code for _ in range(3)] == [201, 201, 422]
    made = json.loads(closed.run("enrolment-codes", STUDY, "--label", "Poster", "--json"))["items"]
    assert [(item["label"], item["uses"]) for item in made] == [("Poster", 1)]
    assert used(coordinator)[made[0]["code_id"]] == (0, "active")
    for wrong in (["--count", "0"], ["--count", "501"], ["--uses", "10001"], ["--expires-in", "soon"], ["--expires-in", "2000d"]):
        closed.run("enrolment-codes", STUDY, *wrong, status=2)
    closed.run("enrolment-codes", "no-study", status=1)
    entries = closed.run("audit", "--study", STUDY, "--action", "enrolment_codes_created")
    assert "system" in entries and lines[0] not in entries
