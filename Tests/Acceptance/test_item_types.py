"""A study with every kind of question, from its pack to the dataset, by the built programs alone."""

import csv
import io
import pathlib

import pytest

from acceptance.moments import instant, new_id
from acceptance.people import Person

PACK = pathlib.Path(__file__).parent / "packs" / "all-types"
ANSWERS = {
    "consents": True, "cups": 3, "hours": 1.5, "nick": "grey_owl", "note": "calm", "day": "2026-01-02",
    "asleep": "2026-01-01T22:00:00.000Z", "awake": "2026-01-02T06:00:00.000Z", "lunch": "12:30", "mood": 4, "category": "bad",
    "emotions": ["anger"], "place": {"other": "at the lake"}, "helpers": ["friends", {"other": "a neighbour"}],
    "weight": {"value": 70.5, "unit": "kg"}, "height": 172,
    "goals": [["sport", "sleep"], ["sleep", "friends"]], "words": ["one", "two"],
    "meds": [{"drug": "a", "dose": 2, "when": ["evening"], "relief": True}, {"drug": "b", "dose": 9}],
    "tense": 1, "tired": 2,
}


@pytest.fixture(scope="module")
def person(server, contract):
    server.run("publish", PACK / "studies" / "all-types")
    person = Person(server, contract, name="Ada Canary").register()
    person.enrolment = person.call(
        "POST", "/v1/studies/all-types/enrolments", status=201,
        json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
    return person


def body(person, answers=None, **more):
    return {
        "questionnaire": "all_types", "version": "1.0.0", "started_at": instant(), "completed_at": instant(),
        "time_zone": person.zone, "client_now": instant(), "answers": ANSWERS if answers is None else answers,
    } | more


def put(person, answers=None, status=(200, 201), **more):
    path = person.own(f"/answer-sheets/{new_id()}")
    return path, person.call("PUT", path, json=body(person, answers, **more), status=status)


def test_every_kind_of_answer_comes_back_as_it_was_given(person):
    presented = {"emotions": ["fear", "anger"], "grid": ["tired", "tense"]}

    path, receipt = put(person, presented=presented, reasons={"meds": [{}, {"when": "refused"}]})

    assert receipt["flags"].count("constraint_many_doses") == 1, receipt
    detail = person.call("GET", path, status=200)
    given = dict(ANSWERS, height={"value": 172, "unit": "cm"}, source="app")
    assert detail["answers"] == given
    assert detail["reasons"] == {"meds": [{}, {"when": "refused", "relief": "skipped"}]}
    assert detail["presented"] == presented

    corrected = person.call("PATCH", path, json={"answers": {"meds": [{"drug": "a", "dose": 1}]}}, status=200)
    assert corrected["answers"]["meds"] == [{"drug": "a", "dose": 1}]
    assert "constraint_many_doses" not in corrected["flags"]
    assert corrected["reasons"]["meds"] == [{"when": "skipped", "relief": "not_shown"}]


@pytest.mark.parametrize("changes, pointer, code", [
    ({"nick": "Grey"}, "/answers/nick", "wrong_form"),
    ({"emotions": ["joy"]}, "/answers/emotions", "not_offered"),
    ({"emotions": ["anger", "fear", "fear"]}, "/answers/emotions/2", "duplicate_option"),
    ({"weight": {"value": 70, "unit": "g"}}, "/answers/weight/unit", "not_a_unit"),
    ({"goals": ["sleep", "sport"]}, "/answers/goals", "incomplete_ranking"),
    ({"words": ["a", "b", "c", "d"]}, "/answers/words", "too_many_answers"),
    ({"meds": [{"dose": 1}]}, "/answers/meds/0/drug", "required"),
    ({"meds": [{"drug": "a", "cups": 1}]}, "/answers/meds/0/cups", "wrong_group"),
    ({"dose": 1}, "/answers/dose", "wrong_group"),
    ({"day": "2019-12-31"}, "/answers/day", "below_minimum"),
    ({"day": "2999-01-01"}, "/answers/day", "constraint_not_future"),
    ({"awake": "2026-01-01T21:00:00Z"}, "/answers/awake", "constraint_bed_order"),
    ({"helpers": ["nobody", {"other": "x"}]}, "/answers/helpers/1", "exclusive_option"),
])
def test_what_does_not_fit_is_refused_where_it_stands(person, changes, pointer, code):
    _, problem = put(person, ANSWERS | changes, status=422)

    faults = {(fault["pointer"], fault["code"]) for fault in problem["errors"]}
    assert (pointer, code) in faults, problem


def test_a_constraint_speaks_the_language_of_the_sheet(person):
    _, problem = put(person, ANSWERS | {"day": "2999-01-01"}, status=422, language="de")

    assert [fault["detail"] for fault in problem["errors"]] == ["Dieser Tag kommt erst noch."]


def test_what_was_not_shown_is_cleared_and_named(person):
    path, receipt = put(person, {"consents": False, "meds": [{"drug": "a"}], "emotions": ["joy"], "tense": 1})

    assert set(receipt["cleared"]) == {"meds", "emotions", "tense"}
    reasons = person.call("GET", path, status=200)["reasons"]
    assert reasons["meds"] == reasons["emotions"] == reasons["tense"] == "not_shown"
    assert reasons["cups"] == "skipped"


def test_an_order_of_something_else_is_refused(person):
    _, problem = put(person, presented={"cups": ["1"], "grid": ["tense", "cups"]}, status=422)

    assert {(fault["pointer"], fault["code"]) for fault in problem["errors"]} == {
        ("/presented/cups", "not_shuffled"), ("/presented/grid", "wrong_order")}


def test_the_dataset_tells_all_of_it(person, server, tmp_path):
    path, receipt = put(person, presented={"emotions": ["fear", "anger"]})
    target = tmp_path / "set"
    server.run(
        "export", "--study", "all-types", "--out", target, "--format", "spss", "--format", "stata", "--format", "excel",
        "--format", "fhir", program="evaluator")
    root = next(found.parent for found in target.rglob("manifest.json"))

    def rows(name):
        with open(root / "data" / f"{name}.csv", newline="") as file:
            return [row for row in csv.DictReader(file) if row["sheet_id"] == "S" + receipt["sheet_id"]]

    answers = {(row["item"], row["option"]): (row["value"], row["missing"]) for row in rows("answers")}
    assert answers["weight", ""] == ("70.5", "") and answers["weight", "unit"] == ("kg", "")
    assert answers["place", ""] == ("other", "") and answers["helpers", "other"] == ("1", "")
    assert [answers["goals", code][0] for code in ("sport", "sleep", "friends")] == ["1", "2", "3"]
    assert answers["goals.1", ""] == ("sport>sleep", "")
    assert answers["meds", ""] == ("2", "") and answers["words", ""] == ("2", "")
    assert answers["dose.2", ""] == ("9", "") and answers["relief.2", ""] == ("", "skipped")
    assert answers["when.1", "evening"] == ("1", "") and answers["when.1", "morning"] == ("0", "")

    texts = {row["item"]: row["text"] for row in rows("free_text")}
    assert texts["drug.2"] == "b" and texts["words.1"] == "one"
    assert texts["place"] == "at the lake" and texts["helpers"] == "a neighbour"

    wide, = rows("wide_all_types")
    told = {name: wide[name] for name in (
        "weight", "weight__unit", "place", "helpers__other", "goals__sport", "meds", "words", "day")}
    assert told == {
        "weight": "70.5", "weight__unit": "kg", "place": "other", "helpers__other": "1", "goals__sport": "1", "meds": "2",
        "words": "2", "day": "2026-01-02"}
    shown = [(row["item"], row["place"], row["member"]) for row in rows("presented_orders")]
    assert shown == [("emotions", "1", "fear"), ("emotions", "2", "anger")]
    assert {row["score"]: row["value"] for row in rows("scores")} == {"feeling": "5", "size": "172"}

    import json
    from fhir.resources.R4B.bundle import Bundle
    text = (root / "fhir" / "questionnaire_responses.json").read_text()
    Bundle.model_validate_json(text)
    entry = next(entry for entry in json.loads(text)["entry"] if entry["resource"]["id"] == "S" + receipt["sheet_id"])
    items = entry["resource"]["item"]
    assert [item for item in items if item["linkId"] == "goals"][0]["answer"][0] == {"valueCoding": {"code": "sport"}}
    medicines = [item["item"] for item in items if item["linkId"] == "meds"]
    assert len(medicines) == 2
    assert {"linkId": "drug", "answer": [{"valueString": "b"}]} in medicines[1]
    assert [item for item in items if item["linkId"] == "weight"][0]["answer"] == [
        {"valueQuantity": {"value": 70.5, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}}]

    import pyreadstat
    frame, meta = pyreadstat.read_sav(root / "spss" / "wide_all_types.sav")
    assert "weight__unit" in frame.columns or "weight__unit" in {name.lower() for name in frame.columns}
