"""The FHIR API for readers, checked with the models of fhir.resources (R4B)."""

import pytest
import requests
from fhir.resources.R4B.bundle import Bundle
from fhir.resources.R4B.capabilitystatement import CapabilityStatement
from fhir.resources.R4B.observation import Observation
from fhir.resources.R4B.operationoutcome import OperationOutcome
from fhir.resources.R4B.questionnaire import Questionnaire
from fhir.resources.R4B.questionnaireresponse import QuestionnaireResponse

from acceptance import answers, readers
from acceptance.people import Person, Researcher

BASE = f"/v1/studies/{readers.STUDY}/fhir"


@pytest.fixture(scope="module")
def rosa(server, contract):
    return Researcher(server, contract)


@pytest.fixture(scope="module")
def people(server, contract):
    """Ada with many sheets and a deleted one, Eve, who is excluded from datasets, and Zoe, whose clock was very wrong."""
    ada, eve, zoe = (Person(server, contract, name=name).register().enrol() for name in ("Ada Canary", "Eve Canary", "Zoe Canary"))
    late = "9999-12-31T23:59:00.000Z"
    zoe.submit("who_5", answers.WHO_5, client_now="0001-01-01T00:00:00.000Z", started_at=late, completed_at=late)
    ada.submit("daily_evening", answers.DAILY | {"note": 'a "quoted" note – ü'})
    for code, (given, _) in answers.BASELINE.items():
        ada.submit(code, given)
    eve.submit("daily_evening", answers.DAILY)
    eve.call("POST", eve.own("/withdrawal"), json={"mode": "exclude"}, status=200)
    return ada, eve


@pytest.fixture
def get(server, contract, rosa, people):
    session = requests.Session()
    session.headers["Authorization"] = "Bearer " + readers.token(rosa)["token"]
    session.hooks["response"].append(contract.watch)

    def get(path, status=200, **parameters):
        address = path if path.startswith("http") else server.url + BASE + path
        response = session.get(address, params=parameters, timeout=60)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/fhir+json"
        return response.json()

    return get


def resources(bundle, model):
    Bundle.model_validate(bundle)
    assert bundle["type"] == "searchset"
    found = [entry["resource"] for entry in bundle.get("entry", [])]
    for resource in found:
        model.model_validate(resource)
    return found


def everything(get, **parameters):
    """All pages."""
    found, bundle = [], get("/QuestionnaireResponse", **parameters)
    while True:
        found += resources(bundle, QuestionnaireResponse)
        following = [link["url"] for link in bundle["link"] if link["relation"] == "next"]
        if not following:
            return found
        bundle = get(following[0])


def test_the_capability_statement_lists_the_resources(get):
    statement = get("/metadata")
    CapabilityStatement.model_validate(statement)
    assert statement["fhirVersion"] == "4.0.1"
    assert {entry["type"] for entry in statement["rest"][0]["resource"]} == {"Questionnaire", "QuestionnaireResponse"}


def test_every_instrument_is_a_questionnaire(get):
    bundle = get("/Questionnaire")
    found = {resource["name"]: resource for resource in resources(bundle, Questionnaire)}
    assert bundle["total"] == len(found) and {"pss_10", "daily_evening"} <= set(found)
    pss = found["pss_10"]
    assert get(f"/Questionnaire/{pss['id']}") == pss and pss["id"] == "pss-10-1.0.0"
    assert [entry["linkId"] for entry in pss["item"] if entry["type"] == "choice"] == [f"q{n}" for n in range(1, 11)]
    options = pss["item"][-1]["answerOption"]
    assert [option["valueCoding"]["code"] for option in options] == ["0", "1", "2", "3", "4"]
    assert [option["extension"][0]["valueDecimal"] for option in options] == [0, 1, 2, 3, 4]
    assert all(option["valueCoding"]["display"] and "_display" in option["valueCoding"] for option in options)
    assert "_title" in pss
    [named] = resources(get("/Questionnaire", url=pss["url"] + "|1.0.0"), Questionnaire)
    assert named == pss
    assert resources(get("/Questionnaire", url=pss["url"], version="9.9.9"), Questionnaire) == []
    assert {entry["name"] for entry in resources(get("/Questionnaire", name="da"), Questionnaire)} == {"daily_evening"}


def value(answer):
    [(name, value)] = [(name, value) for name, value in answer.items() if name.startswith("value")]
    if name == "valueCoding":
        value = value["code"]
    return {True: "1", False: "0"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def test_responses_contain_the_same_data_as_the_dataset(get, rosa):
    tables = readers.dataset(rosa)
    found = everything(get, _count=2)
    sheets = {(row["enrolment_id"], row["sheet_id"]): row for row in tables["data/sheets.csv"] if row["deleted"] == "0"}
    by_id = {tuple(resource["identifier"]["value"].split(":")): resource for resource in found}
    assert len(by_id) == len(found) and by_id.keys() == sheets.keys() and len(found) >= 4

    values, texts = {}, {}
    for row in tables["data/answers.csv"]:
        key = row["enrolment_id"], row["sheet_id"], row["item"]
        if row["option"]:
            values.setdefault(key, [])
            if row["value"] == "1":
                values[key].append(row["option"])
        elif row["value"]:
            values[key] = [row["value"]]
    for row in tables["data/free_text.csv"]:
        texts[row["enrolment_id"], row["sheet_id"], row["item"]] = [row["text"]]
    compared = 0
    for (enrolment, sheet), resource in by_id.items():
        row = sheets[enrolment, sheet]
        assert resource["subject"]["identifier"]["value"] == row["participant_id"]
        # Years in FHIR have four digits.
        assert resource["authored"] == (row["submitted_at"] if len(row["submitted_at"]) == 24 else "9999-12-31T23:59:59.999Z")
        assert resource["questionnaire"] == f"urn:saunter:questionnaire:{row['instrument']}|{row['version']}"
        for item in resource.get("item", []):
            key = enrolment, sheet, item["linkId"]
            given = [value(answer) for answer in item.get("answer", [])]
            assert sorted(given) == sorted((texts | values).get(key, [])) or given == texts.get(key)
            compared += len(given)
    assert compared > 30 and texts


def test_scores_are_observations_of_their_sheets(get, rosa):
    scores = {}
    for row in readers.dataset(rosa)["data/scores.csv"]:
        scores[row["enrolment_id"] + ":" + row["sheet_id"], row["score"]] = row["value"]
    bundle, found = get("/QuestionnaireResponse", _revinclude="Observation:derived-from", _count=200), {}
    Bundle.model_validate(bundle)
    kinds = {(entry["resource"]["resourceType"], entry["search"]["mode"]) for entry in bundle["entry"]}
    assert kinds == {("QuestionnaireResponse", "match"), ("Observation", "include")}
    by_reference = {"QuestionnaireResponse/" + entry["resource"]["id"]: entry["resource"]["identifier"]["value"]
                    for entry in bundle["entry"] if entry["search"]["mode"] == "match"}
    for resource in (entry["resource"] for entry in bundle["entry"] if entry["search"]["mode"] == "include"):
        Observation.model_validate(resource)
        key = by_reference[resource["derivedFrom"][0]["reference"]], resource["code"]["coding"][0]["code"]
        found[key] = str(resource["valueQuantity"]["value"]) if "valueQuantity" in resource else ""
    assert found == scores and len(found) >= 4
    plain = get("/QuestionnaireResponse", _count=200)
    assert all(entry["resource"]["resourceType"] == "QuestionnaireResponse" for entry in plain["entry"])


def test_search_parameters_filter(get, people):
    ada, eve = (person.enrolment["participant_id"] for person in people)
    mine = everything(get, subject=ada)
    assert len(mine) == 4 and everything(get, subject=eve) == []
    assert everything(get, **{"subject:identifier": f"urn:saunter:participant|{ada}"}) == mine
    [pss] = everything(get, subject=ada, questionnaire="urn:saunter:questionnaire:pss_10|1.0.0")
    assert everything(get, subject=ada, questionnaire="Questionnaire/pss-10-1.0.0") == [pss]
    both = everything(get, subject=ada, questionnaire="urn:saunter:questionnaire:pss_10,urn:saunter:questionnaire:maas")
    assert len(both) == 2 and pss in both
    assert everything(get, questionnaire="urn:saunter:questionnaire:hat") == []
    assert get(f"/QuestionnaireResponse/{pss['id']}") == pss and everything(get, _id=pss["id"]) == [pss]

    moment = pss["authored"]
    assert pss in everything(get, subject=ada, authored=moment)
    assert pss not in everything(get, subject=ada, authored="gt" + moment)
    assert pss in everything(get, subject=ada, authored=["ge" + moment, "le" + moment])
    assert everything(get, subject=ada, authored=["ge2026-01-01", "lt2026-01-02"]) == []
    assert len(everything(get, subject=ada, _lastUpdated="ge" + moment[:10], _count=3)) == 4
    assert everything(get, _lastUpdated="lt2020") == []
    counted = get("/QuestionnaireResponse", subject=ada, _count=0)
    assert counted["total"] == 4 and "entry" not in counted
    assert get("/QuestionnaireResponse", subject=ada, _count=1, _total="accurate")["total"] == 4


def test_errors_are_operation_outcomes(get, server, contract, people):
    for path, parameters, status in (
            ("/QuestionnaireResponse", {"authored": "yesterday"}, 400), ("/QuestionnaireResponse", {"hat": "1"}, 400),
            ("/QuestionnaireResponse", {"_cursor": "x"}, 400), ("/QuestionnaireResponse", {"_cursor": "WyJhIiwiYiJd"}, 400),
            ("/QuestionnaireResponse/hat", {}, 404), ("/QuestionnaireResponse/" + "0" * 64, {}, 404),
            ("/Questionnaire/hat-1.0.0", {}, 404)):
        outcome = get(path, status, **parameters)
        OperationOutcome.model_validate(outcome)
    ada = people[0]
    ada.stay_logged_in()
    for token, status in (("x", 401), (ada.tokens["access_token"], 403)):
        response = requests.get(
            server.url + BASE + "/metadata", headers={"Authorization": f"Bearer {token}"}, timeout=60)
        assert response.status_code == status
        OperationOutcome.model_validate(response.json())
    elsewhere = get(server.url + "/v1/studies/other-study/fhir/metadata", 404)
    OperationOutcome.model_validate(elsewhere)


def test_reading_is_audited_and_contains_no_identities(get, server, people):
    before = readers.audited(server, "data_read", api="fhir")
    ada, eve = people
    text = str(everything(get))
    assert readers.audited(server, "data_read", api="fhir") > before
    for word in (ada.email, ada.name, ada.tokens["account_id"], eve.enrolment["enrolment_id"]):
        assert word not in text
