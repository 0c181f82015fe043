"""Who may do what: every operation of the document, tried by those who may not."""

import uuid

import pytest

from acceptance import answers, observations, walks
from acceptance.moments import instant, new_id

# Readers refuse in the words of the systems whose clients they serve; their own tests try them.
READERS = "reader"
ROLES = {"researcher", "coordinator", "admin"}
UNKNOWN = "0190a5c0-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def two(server, contract):
    """Ada with a sheet, a walk, an observation and a calibration, and Ben with nothing."""
    from acceptance.people import Person

    ada, ben = (Person(server, contract, name=name).register().enrol() for name in ("Ada Canary", "Ben Canary"))
    ada.sheet_id = ada.hand_in("daily_evening", answers.DAILY)["sheet_id"]
    ada.calibration_id = ada.calibrate()["calibration_id"]
    ada.walk_id = new_id()
    ada.call("PUT", ada.own(f"/walks/{ada.walk_id}"), json=walks.body(ada.zone), status=201)
    ada.observation_id = new_id()
    ada.call("PUT", ada.own(f"/observations/{ada.observation_id}"), json=observations.pulse(ada.zone), status=201)
    ada.occasion_id = ada.call("GET", ada.own("/occasions?limit=1"), status=200)["items"][0]["occasion_id"]
    return ada, ben


def role(operation):
    """Whom the document names behind an operation's description."""
    return operation["description"].rsplit("For: ", 1)[1].rstrip(".")


def filled(path, person, enrolment=None):
    """The path with what is Ada's in every place."""
    values = {
        "id": enrolment or person.enrolment["enrolment_id"], "sheet_id": person.sheet_id, "walk_id": person.walk_id,
        "calibration_id": person.calibration_id, "code": "pss_10", "study": "mindful-walking", "export": UNKNOWN, "participant": person.enrolment["participant_id"],
        "observation_id": person.observation_id, "occasion_id": person.occasion_id, "message_id": UNKNOWN,
        "token_id": UNKNOWN, "subscription_id": UNKNOWN, "version": "1.0.0", "rescoring": UNKNOWN, "event": "back-home", "questionnaire_id": "pss-10-1.0.0", "response_id": "0" * 64, "entity_set": "sheets", "slug": "not-found",
    }
    for name, value in values.items():
        path = path.replace("{" + name + "}", value)
    assert "{" not in path, f"the tests know nothing to put into {path}"
    return path


BODIES = {
    # Bodies that would be taken, by the end of the path; the rest have an example in the document.
    "/answer-sheets/{sheet_id}": lambda ada: ada.sheet("daily_evening", answers.DAILY),
    "/withdrawal": lambda ada: {"mode": "stop"},
    "/sync": lambda ada: {"client_now": instant(), "items": [
        {"kind": "answer_sheet", "id": new_id(), "body": ada.sheet("who_5", answers.WHO_5)}]},
}


def body(contract, path, operation, ada):
    """What is sent, as the arguments of a call."""
    if "requestBody" not in operation:
        return {}
    content = operation["requestBody"]["content"]
    if "application/json" not in content:
        return {"data": b"<gpx/>", "headers": {"Content-Type": next(iter(content))}}
    if content["application/json"].get("example") is None or path.endswith(tuple(BODIES)):
        return {"json": next(make for end, make in BODIES.items() if path.endswith(end))(ada)}
    return {"json": content["application/json"]["example"]}


def snapshot(person):
    """All that an intruder could have changed."""
    return [
        person.call("GET", person.own(path), status=200)
        for path in ("", "/overview", "/occasions?limit=1000", "/answer-sheets", "/walks", "/observations", "/data-points", "/calibrations/current")
    ] + [person.call("GET", "/v1/account", status=200)]


def test_nobody_reaches_anything_under_an_enrolment_of_somebody_else(two, contract):
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
        assert foreign | {"instance": ""} == unknown | {"instance": ""}, f"{method} {path} tells that it exists"
        upper = ben.call(method, filled(path, ada).replace(ada.enrolment["enrolment_id"], ada.enrolment["enrolment_id"].upper()), **given)
        assert upper.status_code == 404
        tried += 1
    assert tried >= 15, "the document lists the participant's operations"
    assert snapshot(ada) == before


def test_things_of_another_enrolment_are_not_found_under_ones_own(two, contract):
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
    # What names something of another in its body is refused as if that did not exist.
    refused = ben.problem(
        "PUT", ben.own(f"/walks/{new_id()}"), 422, "walk-invalid", json=walks.body(ben.zone, calibration_id=ada.calibration_id))
    assert [error["pointer"] for error in refused["errors"]] == ["/calibration_id"]
    # An id that another person has used is free for this one: nobody can take it away or find out.
    ben.hand_in("who_5", answers.WHO_5, sheet_id=ada.sheet_id)
    assert ada.call("GET", ada.own(f"/answer-sheets/{ada.sheet_id}"), status=200)["questionnaire"] == "daily_evening"


def test_routes_of_other_roles_are_closed_to_participants(two, contract):
    ada, _ = two
    tried = 0
    for method, path, operation in contract.operations():
        if role(operation) not in ROLES:
            continue
        ada.problem(method, filled(path, ada), 403, "not-permitted", **body(contract, path, operation, ada))
        tried += 1
    assert tried >= 5


def test_without_a_token_only_open_routes_answer(two, contract):
    ada, _ = two
    tried = 0
    for method, path, operation in contract.operations():
        if role(operation) in ("anyone", "metrics", READERS):
            continue
        response = ada.call(method, filled(path, ada), **body(contract, path, operation, ada), token=False)
        assert response.status_code == 401 and response.json()["type"].endswith("/token-invalid"), (method, path)
        assert response.headers["www-authenticate"] == 'Bearer realm="saunter"'
        tried += 1
    assert tried >= 25


def test_a_researcher_sees_pseudonyms_of_the_own_study_and_nothing_of_participants(two, contract, researcher):
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


def test_a_role_that_is_taken_away_ends_at_once(server, contract):
    from acceptance.people import Researcher

    rosa = Researcher(server, contract)
    assert rosa.call("GET", "/v1/studies/mindful-walking/participants").status_code == 200
    server.run("account", "revoke", "--email", rosa.email, "--role", "researcher", "--study", "mindful-walking")
    rosa.problem("GET", "/v1/studies/mindful-walking/participants", 403, "not-permitted")


def test_methods_that_an_address_does_not_take_are_named(two, contract):
    ada, _ = two
    for path, methods in contract.document["paths"].items():
        taken = {method.upper() for method in methods}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
            response = ada.call(method, filled(path, ada), json={} if method != "GET" else None)
            template = contract.match(filled(path, ada))
            if template != path and method.lower() in contract.document["paths"][template]:
                continue  # `calibrations/current` is read, `calibrations/{calibration_id}` is put.
            assert response.status_code == 405, (method, path, response.status_code)
            assert taken <= {name.strip() for name in response.headers["allow"].split(",")}, path
