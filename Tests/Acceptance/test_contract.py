"""The published contract is true: it is valid, every exchange of the session fits it, and no made-up request breaks it."""

import os
import pathlib
import re
import subprocess
import sys

import openapi_spec_validator
import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from acceptance.moments import new_id

SECONDS = int(os.environ.get("SAUNTER_TEST_SCHEMATHESIS_SECONDS", "60"))

# The pages of the API that clients rely on, from its own table of routes; more may stand in the document, none may be missing.
PROMISED = """
POST /v1/accounts, POST /v1/tokens, POST /v1/tokens/refresh, DELETE /v1/tokens, POST /v1/password-resets, PUT /v1/password-resets/{code},
GET /v1/account, PATCH /v1/account, DELETE /v1/account, GET /v1/studies, GET /v1/studies/{study}, POST /v1/studies/{study}/enrolments,
GET /v1/enrolments, GET /v1/enrolments/{id}, PATCH /v1/enrolments/{id}, POST /v1/enrolments/{id}/withdrawal, GET /v1/enrolments/{id}/overview,
GET /v1/enrolments/{id}/occasions, GET /v1/enrolments/{id}/questionnaires/{code}, PUT /v1/enrolments/{id}/answer-sheets/{sheet_id},
GET /v1/enrolments/{id}/answer-sheets, GET /v1/enrolments/{id}/answer-sheets/{sheet_id}, PATCH /v1/enrolments/{id}/answer-sheets/{sheet_id},
DELETE /v1/enrolments/{id}/answer-sheets/{sheet_id}, PUT /v1/enrolments/{id}/calibrations/{calibration_id},
GET /v1/enrolments/{id}/calibrations/current, PUT /v1/enrolments/{id}/walks/{walk_id}, GET /v1/enrolments/{id}/walks,
GET /v1/enrolments/{id}/walks/{walk_id}, DELETE /v1/enrolments/{id}/walks/{walk_id}, POST /v1/enrolments/{id}/sync,
GET /v1/studies/{study}/participants, GET /v1/studies/{study}/adherence, POST /v1/studies/{study}/exports, GET /v1/studies/{study}/exports/{export},
GET /v1/studies/{study}/exports/{export}/file, GET /health/live, GET /health/ready, GET /openapi.json, GET /docs, GET /metrics
"""


def test_the_document_is_valid_and_holds_what_is_promised(contract):
    openapi_spec_validator.validate(contract.document)
    found = {f"{method} {path}" for method, path, _ in contract.operations()}
    promised = {line.strip() for line in PROMISED.replace("\n", " ").split(",")}
    assert promised <= found, promised - found
    for method, path, operation in contract.operations():
        assert operation["summary"] and operation["operationId"], (method, path)
        is_open = operation["security"] == [] or {} in operation["security"]
        assert is_open or operation["security"] == [{"access_token": []}], (method, path)


def test_the_reference_page_needs_nothing_from_elsewhere(server, contract):
    response = requests.get(server.url + "/docs", timeout=60)
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/html")
    loaded = re.findall(r"""(?:src|href)=["'](?!#)([^"']+)""", response.text) + re.findall(r"url\(([^)]+)\)", response.text)
    elsewhere = [address for address in loaded if "//" in address and not address.startswith(server.url)]
    assert elsewhere == [] and "<script" not in response.text.lower().replace("<script>alert", "")
    for _, path, _ in contract.operations():
        assert path in response.text, path


def test_metrics_are_read_by_prometheus_and_name_nobody(server, participant):
    ada = participant()
    ada.overview()
    response = requests.get(server.url + "/metrics", timeout=60)
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(response.text)}
    assert len(families) >= 5 and all(family.type in ("counter", "gauge", "histogram") for family in families.values())
    for personal in (ada.email, ada.name, ada.enrolment["enrolment_id"], ada.enrolment["participant_id"], ada.tokens["account_id"]):
        assert personal not in response.text
    # Requests are counted by route, so that ids cannot multiply the series.
    assert "{id}" in response.text
    # Whoever comes through a proxy is no longer this machine itself.
    assert ada.call("GET", "/metrics", token=False).status_code == 403


@pytest.fixture
def guinea_pig(participant):
    """Somebody with something in every place, so that made-up requests find it."""
    from acceptance import answers, walks

    pig = participant(name="Gus Canary")
    pig.sheet_id = pig.hand_in("daily_evening", answers.DAILY)["sheet_id"]
    pig.calibration_id = pig.calibrate()["calibration_id"]
    pig.walk_id = new_id()
    pig.call("PUT", pig.own(f"/walks/{pig.walk_id}"), json=walks.body(pig.zone), status=201)
    return pig


def schemathesis(server, person, directory, seconds, *arguments):
    """A run with this person's token and, where they have any, things of theirs in the addresses; its report."""
    settings = directory / "schemathesis.toml"
    enrolment = person.enrolment.get("enrolment_id", new_id())
    lines = [
        "continue-on-failure = true", "[parameters]", f'"path.id" = "{enrolment}"', '"path.study" = "mindful-walking"',
        '"path.code" = "pss_10"',
    ]
    for thing in ("sheet_id", "walk_id"):
        kind = {"sheet_id": "answer_sheets", "walk_id": "walks"}[thing]
        for method in ("get", "patch") if hasattr(person, thing) else ():
            lines += [
                "[[operations]]", f'include-operation-id = "{method}_v1_enrolments_id_{kind}_{thing}"',
                f'parameters = {{ "path.{thing}" = "{getattr(person, thing)}" }}',
            ]
    # An address that became too long is refused as that.
    statuses = ", ".join(f'"{status}"' for status in (400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, 431, 503))
    lines += ["[checks.negative_data_rejection]", f"expected-statuses = [{statuses}]"]
    settings.write_text("\n".join(lines))
    done = subprocess.run(
        [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", settings, "run", server.url + "/openapi.json",
         "--seed", "1", "--max-time", str(seconds), "--no-color", "--phases", "examples,coverage,fuzzing", "--checks", "all",
         # A schema cannot say everything: that a zone is one of the world's, that an occasion is the caller's own.
         "--exclude-checks", "positive_data_acceptance",
         # To this machine itself it is open, whatever token is sent; see the test above.
         "--exclude-operation-id", "get_metrics",
         "--header", f"Authorization: Bearer {person.tokens['access_token']}", "--request-timeout", "30", "--suppress-health-check", "all",
         "--warnings", "off", "--generation-database", "none", *arguments],
        cwd=directory, capture_output=True, text=True, timeout=seconds * 4 + 120, env=os.environ | {"NO_COLOR": "1"})
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
    return done.stdout


def count(report, pattern):
    """A number that the report states."""
    return int(re.search(pattern, report).group(1))


# What ends the login or the enrolment that the other requests need.
ENDINGS = ["delete_v1_tokens", "post_v1_enrolments_id_withdrawal"]
RESEARCH = ["Monitoring", "Datasets", "Readers"]


def arguments(option, values):
    return [word for value in values for word in (option, value)]


def test_made_up_requests_break_neither_the_server_nor_the_contract(server, guinea_pig, tmp_path):
    report = schemathesis(server, guinea_pig, tmp_path, SECONDS, *arguments("--exclude-operation-id", ENDINGS))
    assert count(report, r"Tested: ([0-9]+)") >= 35 and count(report, r"([0-9]+) generated") >= 100, report
    # The person is still there, and so is the sheet that nobody may delete.
    assert guinea_pig.call("GET", "/v1/account").status_code == 200
    assert guinea_pig.call("GET", guinea_pig.own(f"/answer-sheets/{guinea_pig.sheet_id}")).status_code == 200


def test_made_up_endings_break_neither_the_server_nor_the_contract(server, participant, tmp_path):
    schemathesis(server, participant(name="Gus Canary"), tmp_path, 5, *arguments("--include-operation-id", ENDINGS))


def test_made_up_requests_of_a_researcher_break_neither_the_server_nor_the_contract(server, researcher, tmp_path):
    schemathesis(server, researcher, tmp_path, 10, *arguments("--include-tag", RESEARCH))


@pytest.mark.last
def test_every_exchange_of_the_session_fits_the_document(contract):
    assert contract.exchanges > 0
    assert not contract.faults, "\n".join(f"{count} × {fault}" for fault, count in contract.faults.items())
