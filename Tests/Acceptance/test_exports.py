"""Who may have which dataset, and what a profile leaves of people, from outside."""

import io
import json
import zipfile

import pytest

from acceptance import answers
from acceptance.people import Researcher
from acceptance.server import wait_until

ROUTE = "/v1/studies/mindful-walking/exports"


@pytest.fixture(scope="module")
def custodian(server, contract):
    """A researcher with the second permission."""
    person = Researcher(server, contract)
    server.run("account", "grant", "--email", person.email, "--role", "researcher", "--study", "mindful-walking", "--full-export")
    return person


def finished(researcher, **body):
    made = researcher.call("POST", ROUTE, json=body, status=202)
    place = f"{ROUTE}/{made['export_id']}"

    def done():
        job = researcher.call("GET", place, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(done, 60, "the export is done")
    return place


def files(researcher, place):
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", place + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def test_the_full_profile_takes_a_permission_of_its_own(researcher, custodian, participant):
    participant().hand_in("daily_evening", answers.DAILY)
    refused = researcher.call("POST", ROUTE, json={"profile": "full"})
    assert refused.status_code == 403 and refused.json()["type"].endswith("/not-permitted"), refused.text

    place = finished(custodian, profile="full")

    assert "data/text_revisions.csv" in files(custodian, place)
    # What another may have is no way around one's own right.
    for address in (place, place + "/file"):
        assert researcher.call("GET", address).status_code == 403
    assert researcher.call("GET", finished(custodian, profile="coded")).status_code == 200


def test_less_than_ones_right_is_always_allowed(researcher, participant):
    ada = participant(name="Ada Canary")
    sheet = ada.hand_in("daily_evening", answers.DAILY)["sheet_id"]

    released = files(researcher, finished(researcher, profile="deidentified", formats=["spss", "stata", "excel", "fhir"]))
    counted = files(researcher, finished(researcher, profile="public"))

    assert {"spss/sheets.sav", "stata/sheets.dta", "excel/sheets.xlsx", "fhir/questionnaire_responses.json"} <= set(released)
    for content in [*released.values(), *counted.values()]:
        for word in (ada.enrolment["enrolment_id"], ada.enrolment["participant_id"], sheet):
            assert word.encode() not in content
    assert "data/participants.csv" not in counted and "data/public_people.csv" in counted


def test_counts_are_of_the_whole_study(researcher):
    refused = researcher.call("POST", ROUTE, json={"profile": "public", "from": "2026-01-01"})
    assert refused.status_code == 400, refused.text


def test_the_command_line_makes_the_same_release(researcher, server, tmp_path):
    # A window that opens or closes in between makes another release: then both are made again.
    for attempt in range(3):
        target = tmp_path / f"release-{attempt}"
        server.run(
            "export", "--study", "mindful-walking", "--out", target, "--profile", "deidentified", program="evaluator")
        released = files(researcher, finished(researcher, profile="deidentified"))
        made = json.loads((target / "manifest.json").read_text())["snapshot"]["as_of"]
        if made == json.loads(released["manifest.json"])["snapshot"]["as_of"]:
            break

    for name in ("data/participants.csv", "data/sheets.csv"):
        assert (target / name).read_bytes() == released[name]
