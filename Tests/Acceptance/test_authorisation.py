"""Permissions: persons without permission try every operation of the OpenAPI document."""

import json

import pytest

from acceptance import answers, observations, walks
from acceptance.moments import instant, new_id

UNKNOWN = "0190a5c0-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def two(server, contract):
    """Ada with a sheet, a walk, an observation and a calibration, and Ben with nothing."""
    from acceptance.people import Person

    ada, ben = (Person(server, contract, name=name).register().enrol() for name in ("Ada Canary", "Ben Canary"))
    ada.sheet_id = ada.submit("daily_evening", answers.DAILY)["sheet_id"]
    ada.calibration_id = ada.calibrate()["calibration_id"]
    ada.walk_id = new_id()
    ada.call("PUT", ada.own(f"/walks/{ada.walk_id}"), json=walks.body(ada.zone), status=201)
    ada.observation_id = new_id()
    ada.call("PUT", ada.own(f"/observations/{ada.observation_id}"), json=observations.pulse(ada.zone), status=201)
    ada.occasion_id = ada.call("GET", ada.own("/occasions?limit=1"), status=200)["items"][0]["occasion_id"]
    return ada, ben


def role(operation):
    """The role that an operation's description names."""
    return operation["description"].rsplit("For: ", 1)[1].rstrip(".")


def filled(path, person, enrolment=None):
    """The path with Ada's ids as parameters."""
    values = {
        "id": enrolment or person.enrolment["enrolment_id"], "sheet_id": person.sheet_id, "walk_id": person.walk_id,
        "calibration_id": person.calibration_id, "code": "pss_10", "study": "mindful-walking", "export": UNKNOWN, "participant": person.enrolment["participant_id"],
        "observation_id": person.observation_id, "occasion_id": person.occasion_id, "message_id": UNKNOWN,
        "token_id": UNKNOWN, "subscription_id": UNKNOWN, "version": "1.0.0", "rescoring": UNKNOWN, "code_id": UNKNOWN, "event": "back-home", "kind": "location", "questionnaire_id": "pss-10-1.0.0", "response_id": "0" * 64, "entity_set": "sheets", "slug": "not-found",
        "collection": "sayings", "draw": UNKNOWN, "sha256": "0" * 64, "rule": "none", "questionnaire": "pss_10", "alert_id": UNKNOWN, "account_id": UNKNOWN, "role": "researcher", "broadcast_id": UNKNOWN, "item": "patience", "practice": "control_morning", "programme": "control", "provider": "app_store",
    }
    for name, value in values.items():
        path = path.replace("{" + name + "}", value)
    assert "{" not in path, f"this test has no value for a parameter of {path}"
    return path


BODIES = {
    # Valid bodies, by the end of the path. The document has examples of the others.
    "/answer-sheets/{sheet_id}": lambda ada: ada.sheet("daily_evening", answers.DAILY),
    "/draft/questionnaires": lambda ada: {"resourceType": "Questionnaire", "status": "draft", "item": []},
    "/draft/file": lambda ada: {"text": "code: mindful-walking"},
    "{id}/withdrawal": lambda ada: {"mode": "stop"},
    "/sync": lambda ada: {"client_now": instant(), "items": [
        {"kind": "answer_sheet", "id": new_id(), "body": ada.sheet("who_5", answers.WHO_5)}]},
}


def body(contract, path, operation, ada):
    """The body as arguments of `call`."""
    if "requestBody" not in operation:
        return {}
    content = operation["requestBody"]["content"]
    if "application/json" not in content:
        return {"data": b"<gpx/>", "headers": {"Content-Type": next(iter(content))}}
    if content["application/json"].get("example") is None or path.endswith(tuple(BODIES)):
        return {"json": next(make for end, make in BODIES.items() if path.endswith(end))(ada)}
    return {"json": content["application/json"]["example"]}


def snapshot(person):
    """All data of a participant that an intruder could have changed."""
    return [
        person.call("GET", person.own(path), status=200)
        for path in ("", "/overview", "/occasions?limit=1000", "/answer-sheets", "/walks", "/observations", "/data-points", "/calibrations/current")
    ] + [person.call("GET", "/v1/account", status=200)]


def test_no_participant_can_read_or_write_under_another_enrolment(two, contract):
    ada, ben = two
    before = snapshot(ada)
    tried = 0
    for method, path, operation in contract.operations():
        if not path.startswith("/v1/enrolments/{id}"):
            continue
        given = {} if method == "PATCH" and path.endswith("{sheet_id}") else body(contract, path, operation, ada)
        if method == "PATCH" and path.endswith("{sheet_id}"):
            given = {"json": {"answers": {"mood": 1}}}
        foreign = ben.problem(method, filled(path, ada), 404, "not-found", **given)
        unknown = ben.problem(method, filled(path, ada, UNKNOWN), 404, "not-found", **given)
        assert foreign | {"instance": ""} == unknown | {"instance": ""}, f"{method} {path} reveals that the enrolment exists"
        upper = ben.call(method, filled(path, ada).replace(ada.enrolment["enrolment_id"], ada.enrolment["enrolment_id"].upper()), **given)
        assert upper.status_code == 404
        tried += 1
    assert tried >= 15, "the document lists the participant's operations"
    assert snapshot(ada) == before


def test_records_of_another_enrolment_are_not_found_under_the_own_enrolment(two, contract):
    ada, ben = two
    mine = ben.enrolment["enrolment_id"]
    tried = 0
    for method, path, _ in contract.operations():
        if not path.startswith("/v1/enrolments/{id}/") or method == "PUT" or "{" not in path.split("{id}", 1)[1] or "{code}" in path:
            continue
        given = {"answers": {"mood": 1}} if method == "PATCH" else None
        ben.problem(method, filled(path, ada, enrolment=mine), 404, "not-found", json=given)
        tried += 1
    assert tried >= 5
    # A body that names a record of another participant is rejected as if the record did not exist.
    rejected = ben.problem(
        "PUT", ben.own(f"/walks/{new_id()}"), 422, "walk-invalid", json=walks.body(ben.zone, calibration_id=ada.calibration_id))
    assert [error["pointer"] for error in rejected["errors"]] == ["/calibration_id"]
    # Two participants can use the same id, so no participant can find out or block the ids of another one.
    ben.submit("who_5", answers.WHO_5, sheet_id=ada.sheet_id)
    assert ada.call("GET", ada.own(f"/answer-sheets/{ada.sheet_id}"), status=200)["questionnaire"] == "daily_evening"


def test_a_researcher_sees_pseudonyms_of_the_own_study_and_no_personal_data(two, contract, researcher):
    ada, _ = two
    for method, path, operation in contract.operations():
        if path.startswith("/v1/enrolments/{id}") and method == "GET":
            researcher.problem(method, filled(path, ada), 404, "not-found")
    for method, path, operation in contract.operations():
        if role(operation) == "researcher":
            other = filled(path.replace("{study}", "other-study"), ada)
            researcher.problem(method, other, 404, "not-found", **body(contract, path, operation, ada))
    researcher.problem("GET", f"/v1/studies/mindful-walking/exports/{UNKNOWN}", 404, "not-found")
    researcher.problem("GET", f"/v1/studies/mindful-walking/exports/{UNKNOWN}/file", 404, "not-found")


def test_routes_of_coordinators_are_closed_to_researchers_of_the_study(two, contract, researcher):
    ada, _ = two
    tried = 0
    for method, path, operation in contract.operations():
        if role(operation) == "coordinator":
            researcher.problem(method, filled(path, ada), 403, "not-permitted", **body(contract, path, operation, ada))
            tried += 1
    assert tried >= 3


def test_routes_of_editors_are_closed_to_researchers_of_the_study(two, contract, researcher):
    ada, _ = two
    tried = 0
    for method, path, operation in contract.operations():
        if role(operation) == "editor":
            researcher.problem(method, filled(path, ada), 403, "not-permitted", **body(contract, path, operation, ada))
            tried += 1
    assert tried >= 6


def test_routes_of_the_team_are_closed_to_members_of_other_teams(two, contract, researcher):
    ada, ben = two
    tried = 0
    for method, path, operation in contract.operations():
        if role(operation) == "member":
            given = body(contract, path, operation, ada)
            researcher.problem(method, filled(path.replace("{study}", "other-study"), ada), 404, "not-found", **given)
            ben.problem(method, filled(path, ada), 403, "not-permitted", **given)
            tried += 1
    assert tried >= 5


def test_an_editor_reads_no_data_of_participants(two, contract, server):
    from acceptance.people import Person

    ada, _ = two
    editor = Person(server, contract, name="Edda Editor")
    editor.password = json.loads(server.run("account", "create", "--email", editor.email, "--name", editor.name, "--json"))["password"]
    server.run("account", "grant", "--email", editor.email, "--role", "editor", "--study", "mindful-walking")
    editor.log_in()
    tried, open_routes = 0, []
    for method, path, operation in contract.operations():
        if role(operation) in ("researcher", "coordinator", "participant", "reader"):
            reply = editor.call(method, filled(path, ada), **body(contract, path, operation, ada))
            # A body can be rejected before the enrolment is looked for.
            if reply.status_code not in (403, 404) and (method == "GET" or reply.status_code != 422):
                open_routes.append(f"{method} {path}")
            tried += 1
    assert tried >= 40 and open_routes == ["GET /v1/enrolments"]
    assert editor.call("GET", "/v1/enrolments", status=200)["items"] == [], "the editor's own enrolments"
    [study] = editor.call("GET", "/v1/staff/studies", status=200)["items"]
    assert study["roles"] == ["editor"] and study["enrolled"] is None and study["open_alerts"] is None


def test_a_revoked_role_ends_at_once(server, contract):
    from acceptance.people import Researcher

    rosa = Researcher(server, contract)
    assert rosa.call("GET", "/v1/studies/mindful-walking/participants").status_code == 200
    server.run("account", "revoke", "--email", rosa.email, "--role", "researcher", "--study", "mindful-walking")
    rosa.problem("GET", "/v1/studies/mindful-walking/participants", 403, "not-permitted")
