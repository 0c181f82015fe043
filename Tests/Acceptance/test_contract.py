"""The OpenAPI document is valid, every exchange of the session matches it, and generated requests find no contradiction."""

import os
import pathlib
import re
import subprocess
import sys

import openapi_spec_validator
import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from acceptance.contract import Contract
from acceptance.moments import new_id
from acceptance.people import Person

SECONDS = int(os.environ.get("SAUNTER_TEST_SCHEMATHESIS_SECONDS", "30"))

# The routes that clients rely on. The document may contain more routes, but all of these.
PROMISED = """
POST /v1/accounts, POST /v1/accounts/anonymous, POST /v1/account/registration, POST /v1/account/adoption, POST /v1/tokens, POST /v1/tokens/refresh, DELETE /v1/tokens, POST /v1/password-resets, PUT /v1/password-resets/{code},
GET /v1/account, PATCH /v1/account, DELETE /v1/account, GET /v1/studies, GET /v1/studies/{study}, POST /v1/studies/{study}/enrolments,
GET /v1/enrolments, GET /v1/enrolments/{id}, PATCH /v1/enrolments/{id}, POST /v1/enrolments/{id}/withdrawal, GET /v1/enrolments/{id}/overview,
GET /v1/enrolments/{id}/occasions, GET /v1/enrolments/{id}/questionnaires/{code}, PUT /v1/enrolments/{id}/answer-sheets/{sheet_id},
GET /v1/enrolments/{id}/answer-sheets, GET /v1/enrolments/{id}/answer-sheets/{sheet_id}, PATCH /v1/enrolments/{id}/answer-sheets/{sheet_id},
DELETE /v1/enrolments/{id}/answer-sheets/{sheet_id}, PUT /v1/enrolments/{id}/calibrations/{calibration_id},
GET /v1/enrolments/{id}/calibrations/current, PUT /v1/enrolments/{id}/walks/{walk_id}, GET /v1/enrolments/{id}/walks,
GET /v1/enrolments/{id}/walks/{walk_id}, DELETE /v1/enrolments/{id}/walks/{walk_id}, POST /v1/enrolments/{id}/sync,
GET /v1/studies/{study}/participants, GET /v1/studies/{study}/adherence, POST /v1/studies/{study}/exports, GET /v1/studies/{study}/exports/{export},
GET /v1/studies/{study}/exports/{export}/file, GET /v1/enrolments/{id}/settings,
DELETE /v1/enrolments/{id}/data-kinds/{kind}, GET /v1/enrolments/{id}/export, GET /v1/studies/{study}/live,
POST /v1/studies/{study}/enrolment-codes, GET /v1/studies/{study}/enrolment-codes, DELETE /v1/studies/{study}/enrolment-codes/{code_id},
POST /v1/beacon, GET /health/live, GET /health/ready, GET /openapi.json, GET /docs, GET /metrics
"""


def test_the_document_is_valid_and_contains_the_promised_routes(contract):
    openapi_spec_validator.validate(contract.document)
    found = {f"{method} {path}" for method, path, _ in contract.operations()}
    promised = {line.strip() for line in PROMISED.replace("\n", " ").split(",")}
    assert promised <= found, promised - found
    for method, path, operation in contract.operations():
        assert operation["summary"] and operation["operationId"], (method, path)
        is_open = operation["security"] == [] or {} in operation["security"]
        tokens = ["access_token", "api_token", "api_token_as_password"] if operation["description"].endswith("For: reader.") else ["access_token"]
        assert is_open or operation["security"] == [{token: []} for token in tokens], (method, path)


def test_metrics_have_the_prometheus_format_and_contain_no_identities(server, participant):
    ada = participant()
    ada.overview()
    response = requests.get(server.url + "/metrics", timeout=60)
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(response.text)}
    assert len(families) >= 5 and all(family.type in ("counter", "gauge", "histogram") for family in families.values())
    for personal in (ada.email, ada.name, ada.enrolment["enrolment_id"], ada.enrolment["participant_id"], ada.tokens["account_id"]):
        assert personal not in response.text
    # Requests are counted by route, so that ids do not multiply the series.
    assert "{id}" in response.text
    # A request through a proxy does not count as a request of this machine.
    assert ada.call("GET", "/metrics", token=False).status_code == 403


@pytest.fixture
def filled_participant(participant):
    """A participant with records of several kinds, so that generated requests find them."""
    from acceptance import answers, walks

    person = participant(name="Gus Canary")
    person.sheet_id = person.submit("daily_evening", answers.DAILY)["sheet_id"]
    person.calibration_id = person.calibrate()["calibration_id"]
    person.walk_id = new_id()
    person.call("PUT", person.own(f"/walks/{person.walk_id}"), json=walks.body(person.zone), status=201)
    return person


# Archives are generated as bytes, which the server must reject.
HOOKS = """
import schemathesis

schemathesis.serializer.alias("application/zip", "application/octet-stream")
"""


def schemathesis(server, person, directory, seconds, *arguments):
    """A run with this person's token, and with the person's record ids in paths; its report."""
    settings = directory / "schemathesis.toml"
    enrolment = person.enrolment.get("enrolment_id", new_id())
    lines = [
        "continue-on-failure = true", "[parameters]", f'"path.id" = "{enrolment}"', '"path.study" = "mindful-walking"',
        '"path.code" = "pss_10"',
    ]
    for name in ("sheet_id", "walk_id"):
        kind = {"sheet_id": "answer_sheets", "walk_id": "walks"}[name]
        for method in ("get", "patch") if hasattr(person, name) else ():
            lines += [
                "[[operations]]", f'include-operation-id = "{method}_v1_enrolments_id_{kind}_{name}"',
                f'parameters = {{ "path.{name}" = "{getattr(person, name)}" }}',
            ]
    # A generated path can be too long, which has its own status.
    statuses = ", ".join(f'"{status}"' for status in (400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, 431, 503))
    lines += ["[checks.negative_data_rejection]", f"expected-statuses = [{statuses}]"]
    settings.write_text("\n".join(lines))
    (directory / "archives.py").write_text(HOOKS)
    done = subprocess.run(
        [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", settings, "run", server.url + "/openapi.json",
         "--seed", "1", "--max-time", str(seconds), "--no-color", "--phases", "examples,coverage,fuzzing", "--checks", "all",
         # A schema cannot express every rule: that a time zone exists, or that an occasion belongs to the caller.
         "--exclude-checks", "positive_data_acceptance",
         # Metrics are open for this machine with any token; see the test above.
         "--exclude-operation-id", "get_metrics",
         # A stream of events does not end.
         "--exclude-operation-id", "get_v1_studies_study_live",
         "--header", f"Authorization: Bearer {person.tokens['access_token']}", "--request-timeout", "30", "--suppress-health-check", "all",
         "--warnings", "off", "--generation-database", "none", *arguments],
        cwd=directory, capture_output=True, text=True, timeout=seconds * 4 + 120, env=os.environ | {"NO_COLOR": "1", "SCHEMATHESIS_HOOKS": "archives", "PYTHONPATH": str(directory)})
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    return done.stdout


def count(report, pattern):
    """A number in the report."""
    return int(re.search(pattern, report).group(1))


# Operations that end the login or the enrolment, which the other requests need.
ENDING_OPERATIONS = ["delete_v1_tokens", "post_v1_enrolments_id_withdrawal"]
RESEARCH = ["Monitoring", "Datasets", "Readers"]


def arguments(option, values):
    return [word for value in values for word in (option, value)]


def test_generated_requests_match_the_document(server, filled_participant, tmp_path):
    report = schemathesis(server, filled_participant, tmp_path, SECONDS, *arguments("--exclude-operation-id", ENDING_OPERATIONS))
    assert count(report, r"Tested: ([0-9]+)") >= 35 and count(report, r"([0-9]+) generated") >= 100, report
    # The person still exists, and so does the sheet, which cannot be deleted.
    assert filled_participant.call("GET", "/v1/account").status_code == 200
    assert filled_participant.call("GET", filled_participant.own(f"/answer-sheets/{filled_participant.sheet_id}")).status_code == 200


def test_generated_requests_that_end_a_login_or_an_enrolment_match_the_document(server, participant, tmp_path):
    schemathesis(server, participant(name="Gus Canary"), tmp_path, 5, *arguments("--include-operation-id", ENDING_OPERATIONS))


def test_generated_requests_of_a_researcher_match_the_document(server, researcher, tmp_path):
    schemathesis(server, researcher, tmp_path, SECONDS // 3, *arguments("--include-tag", RESEARCH))


def test_exchanges_of_tests_are_compared_with_the_document(contract, server):
    """The fixture `contract` fails at the end of the session if an exchange did not match."""
    before = contract.exchanges
    Person(server, contract).register()
    assert contract.exchanges == before + 1 and not contract.faults
    other = Contract({"paths": {"/v1/accounts": {"post": {"responses": {"201": {"content": {"text/plain": {}}}}}}}, "components": {}})
    Person(server, other).register()
    assert [fault[3] for fault in other.faults] == ["the content type 'application/json' is not documented"]
