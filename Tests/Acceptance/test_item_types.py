"""A study with every type of item, from its pack to the dataset."""

import csv
import gzip
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import zipfile

import frictionless
import pytest
import requests

from acceptance import observations
from acceptance.moments import instant, new_id
from acceptance.people import Person, Researcher

PACK = pathlib.Path(__file__).parent / "packs" / "all-types"
ANSWERS = {
    "consents": True, "cups": 3, "hours": 1.5, "nick": "grey_owl", "note": "calm", "day": "2026-01-02",
    "asleep": "2026-01-01T22:00:00.000Z", "awake": "2026-01-02T06:00:00.000Z", "lunch": "12:30", "mood": 4, "category": "bad",
    "emotions": ["anger"], "place": {"other": "at the lake"}, "helpers": ["friends", {"other": "a neighbour"}],
    "weight": {"value": 70.5, "unit": "kg"}, "height": 172,
    "goals": [{"shown": ["sleep", "sport"], "choice": "sport", "time_ms": 1800}, ["sleep", "friends"]], "words": ["one", "two"],
    "meds": [{"drug": "a", "dose": 2, "when": ["evening"], "relief": True}, {"drug": "b", "dose": 9}],
    "tense": 1, "tired": 2, "spot": {"lat": 47.37689, "lon": 8.54169, "accuracy_m": 31},
    "stops": [{"lat": 47.39, "lon": 8.55}, {"lat": -33.87, "lon": 151.21, "accuracy_m": 5.5}],
}
# More comparisons than values. The last two values are even.
COMPARED = {
    "values": ["canary mother", "canary tea", "canary sun", "canary moon"],
    "comparisons": [
        {"shown": ["canary mother", "canary tea"], "choice": "canary tea", "time_ms": 900}, ["canary mother", "canary sun"],
        {"shown": ["canary sun", "canary moon"], "choice": None}, ["canary mother", "canary moon"],
        {"shown": ["canary moon", "canary tea"], "choice": "canary tea"}]}


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


@pytest.mark.parametrize("given, stored", [
    ({"lat": 47.3768866, "lon": 8.541694}, {"lat": 47.37689, "lon": 8.54169}),
    ({"lat": 47.376885, "lon": -8.541695, "accuracy_m": 0}, {"lat": 47.37688, "lon": -8.5417, "accuracy_m": 0}),
    ({"lat": 89.999999, "lon": 179.999996, "accuracy_m": None}, {"lat": 90, "lon": 180})])
def test_a_location_is_rounded_before_it_is_stored(person, given, stored):
    path, _ = put(person, {"consents": True, "spot": given, "stops": [given]})

    answers = person.call("GET", path, status=200)["answers"]
    assert answers["spot"] == stored
    assert [round(stored["lat"], 2), round(stored["lon"], 2)] == [answers["stops"][0]["lat"], answers["stops"][0]["lon"]]


def test_every_fault_of_a_location_has_its_pointer(person):
    body = put(person, {"consents": True, "spot": {"lat": 90.1, "lon": -180.1, "accuracy_m": -1}, "stops": [{"lat": 1}]}, status=422)[1]

    assert {(fault["pointer"], fault["code"]) for fault in body["errors"]} == {
        ("/answers/spot/lat", "above_maximum"), ("/answers/spot/lon", "below_minimum"),
        ("/answers/spot/accuracy_m", "below_minimum"), ("/answers/stops/0", "wrong_type")}


def test_own_words_can_be_compared_in_pairs(person):
    path, receipt = put(person, {"consents": True, "words": COMPARED})
    assert "circle_words" not in receipt["flags"]
    assert person.call("GET", path, status=200)["answers"]["words"] == COMPARED

    circle = {"values": ["a", "b", "c"], "comparisons": [["a", "b"], ["b", "c"], ["c", "a"]]}
    corrected = person.call("PATCH", path, json={"answers": {"words": circle}}, status=200)
    assert "circle_words" in corrected["flags"] and corrected["answers"]["words"] == circle
    corrected = person.call("PATCH", path, json={"answers": {"words": ["b", "a"]}}, status=200)
    assert "circle_words" not in corrected["flags"] and corrected["answers"]["words"] == ["b", "a"]

    undecided = {"values": ["canary tea", "canary sun"], "comparisons": []}
    body = put(person, {"consents": True, "words": undecided}, status=422)[1]
    assert [(fault["pointer"], fault["code"]) for fault in body["errors"]] == [("/answers/words/comparisons", "incomplete_ranking")]
    assert "canary" not in json.dumps(body)


def test_option_media_and_placeholders_reach_the_client(person):
    asked = person.call("GET", person.own("/questionnaires/all_types"), status=200)
    items = {item["linkId"]: item for item in asked["item"]}

    assert items["category"]["answerOption"][0]["media"] == {"type": "image", "source": "media/good.png", "alt": "A smiling face"}
    assert "media" not in items["category"]["answerOption"][1]
    assert items["note"]["placeholder"] == "Anything else …"
    assert (items["spot"]["decimals"], items["stops"]["decimals"]) == (5, 2)


def test_a_questionnaire_that_only_shows_texts_is_read(person):
    path, receipt = put(person, {}, questionnaire="story")
    assert receipt["standing"] == "unscheduled" and receipt["scores"] == []
    detail = person.call("GET", path, status=200)
    assert detail["answers"] == detail["reasons"] == {}
    assert person.call("GET", person.own("/questionnaires/story"), status=200)["edit"] == {"correct_always": True, "delete_always": True}

    put(person, {"words": "x"}, questionnaire="story", status=422)
    person.call("DELETE", path, status=204)


# The coordinates after a correction.
MOVED = {"lat": -41.28664, "lon": 174.77557}
# The ids of the sheet with compared words and of the sheet without answers in the dataset.
RANKED, STORY = [], []


@pytest.fixture(scope="module")
def exported(person, server, tmp_path_factory):
    """The dataset with one complete sheet among others, and the id of that sheet."""
    _, receipt = put(person, presented={"emotions": ["fear", "anger"]}, reasons={"hours": "refused"},
                     answers={name: answer for name, answer in ANSWERS.items() if name != "hours"})
    path, ranked = put(person, {"consents": True, "words": COMPARED, "spot": ANSWERS["spot"], "stops": ANSWERS["stops"]})
    person.call("PATCH", path, json={"answers": {"spot": MOVED, "stops": [MOVED]}}, status=200)
    RANKED.append("S" + ranked["sheet_id"])
    _, story = put(person, {}, questionnaire="story")
    STORY.append("S" + story["sheet_id"])
    put(person, {"consents": False, "mood": 9}, reasons={"nick": "dont_know", "weight": "not_applicable", "note": "not_reached"})
    person.call("PUT", person.own(f"/observations/{new_id()}"), json=observations.pulse(person.zone), status=201)
    target = tmp_path_factory.mktemp("all-types") / "set"
    server.run(
        "export", "--study", "all-types", "--out", target, "--format", "spss", "--format", "stata", "--format", "excel",
        "--format", "fhir", program="evaluator")
    return next(found.parent for found in target.rglob("manifest.json")), "S" + receipt["sheet_id"]


def rows(root, path, sheet=None):
    with open(root / path, newline="") as file:
        return [row for row in csv.DictReader(file) if sheet is None or row["sheet_id"] == sheet]


def test_the_dataset_contains_every_part_of_the_sheet(exported):
    root, sheet = exported
    answers = {(row["item"], row["option"]): (row["value"], row["missing"]) for row in rows(root, "data/answers.csv", sheet)}
    assert answers["weight", ""] == ("70.5", "") and answers["weight", "unit"] == ("kg", "")
    assert answers["place", ""] == ("other", "") and answers["helpers", "other"] == ("1", "")
    assert [answers["goals", code][0] for code in ("sport", "sleep", "friends")] == ["1", "2", "3"]
    assert answers["goals.1", ""] == ("sport>sleep", "") and answers["goals.2", ""] == ("sleep>friends", "")
    assert answers["goals.1", "shown_first"] == ("sleep", "") and answers["goals.1", "time_ms"] == ("1800", "")
    assert ("goals.2", "shown_first") not in answers
    assert answers["meds", ""] == ("2", "") and answers["words", ""] == ("2", "")
    assert answers["dose.2", ""] == ("9", "") and answers["relief.2", ""] == ("", "skipped")
    assert answers["when.1", "evening"] == ("1", "") and answers["when.1", "morning"] == ("0", "")
    assert answers["hours", ""] == ("", "refused")
    # The option belongs to another category, so it was not shown.
    assert answers["emotions", "fear"] == ("0", "") and answers["emotions", "joy"] == ("", "not_shown")
    # Every blank has a reason. Texts are in another table.
    texts = {row["item"]: row["text"] for row in rows(root, "data/free_text.csv", sheet)}
    assert texts["drug.2"] == "b" and texts["words.1"] == "one"
    assert texts["place"] == "at the lake" and texts["helpers"] == "a neighbour"
    blank = {item for (item, _), (value, missing) in answers.items() if value == missing == ""}
    assert blank - {"spot", "stops.1", "stops.2"} <= set(texts) and "spot" in blank
    # Rows are in the order of the key, and Parquet has the same rows.
    everything = rows(root, "data/answers.csv")
    given = {(row["item"], row["missing"]) for row in everything}
    assert {
        ("tense", "not_shown"), ("meds", "not_shown"), ("nick", "dont_know"), ("weight", "not_applicable"), ("note", "not_reached"),
        ("cups", "skipped")} <= given
    keys = [(row["enrolment_id"], row["sheet_id"], row["item"], row["option"]) for row in everything]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    import pyarrow.parquet
    stored = pyarrow.parquet.read_table(root / "data" / "answers.parquet").to_pylist()
    assert [{name: "" if value is None else str(int(value) if isinstance(value, bool) else value) for name, value in row.items()}
            for row in stored] == everything

    wide, = rows(root, "data/wide_all_types.csv", sheet)
    wanted = {
        "weight": "70.5", "weight__unit": "kg", "place": "other", "helpers__other": "1", "goals__sport": "1", "meds": "2",
        "words": "2", "day": "2026-01-02", "hours": "", "tense": "1", "lunch": "12:30:00", "asleep": "2026-01-01T22:00:00.000Z",
        "emotions__anger": "1", "emotions__fear": "0", "emotions__joy": "", "emotions__calm": ""}
    assert {name: wide[name] for name in wanted} == wanted
    why, = rows(root, "data/wide_all_types_missing.csv", sheet)
    assert why["emotions__joy"] == why["emotions__calm"] == "not_shown" and why["emotions__fear"] == ""
    assert why["hours"] == "refused" and why["meds"] == why["tense"] == ""
    asked = {row["column"]: row["asked_when"] for row in rows(root, "meta/codebook.csv") if row["file"] == "data/wide_all_types.csv"}
    assert asked["emotions__joy"] == "category = good" and asked["emotions__anger"] == "category = bad" and asked["place"] == ""
    shown = [(row["item"], row["place"], row["member"]) for row in rows(root, "data/presented_orders.csv", sheet)]
    assert shown == [("emotions", "1", "fear"), ("emotions", "2", "anger")]
    # The score: mood 4 and one emotion.
    assert {row["score"]: row["value"] for row in rows(root, "data/scores.csv", sheet)} == {"feeling": "5", "size": "172"}


NUMBERS = b"47.37689", b"8.54169", b"-33.87", b"151.21", b"41.28", b"174.77"


def search_for_locations(root):
    """Fails if a file other than the tables of locations contains one of the coordinates."""
    has_tables = any(root.glob("data/location*.csv"))
    for path in sorted(root.rglob("*")):
        # The workbook contains every table.
        if not path.is_file() or path.stem.startswith("location") or path.suffix == ".xlsx" and has_tables:
            continue
        content = path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                content = b"".join(archive.read(name) for name in archive.namelist())
        elif path.suffix == ".gz":
            content = gzip.decompress(content)
        for number in NUMBERS:
            assert number not in content, (path, number)


def test_only_the_table_of_locations_contains_locations(exported):
    """Answers, wide files, texts, revisions and every derived format leave them out."""
    root, sheet = exported
    answers = {(row["item"], row["option"]): (row["type"], row["value"], row["missing"]) for row in rows(root, "data/answers.csv", sheet)}
    assert answers["spot", ""] == ("location", "", "")
    assert answers["stops", ""] == ("count", "2", "") and answers["stops.1", ""] == answers["stops.2", ""] == ("location", "", "")
    assert {option for item, option in answers if item.startswith(("spot", "stops"))} == {""}
    for table in "wide_all_types", "wide_all_types_missing", "instances_all_types", "instances_all_types_missing":
        names = set(rows(root, f"data/{table}.csv")[0])
        assert {name for name in names if name.startswith(("spot", "stops"))} <= {"stops"}, table
    search_for_locations(root)
    codebook = {row["column"] for row in rows(root, "meta/codebook.csv") if row["item"] in ("spot", "stops") and "location" not in row["file"]}
    assert codebook <= {"stops", "all_types_stops"}


@pytest.mark.parametrize("profile", ["full", "deidentified", "public"])
def test_no_other_profile_contains_locations_among_answers(exported, server, tmp_path, profile):
    server.run("export", "--study", "all-types", "--profile", profile, "--out", tmp_path / "set", program="evaluator")
    search_for_locations(next(found.parent for found in (tmp_path / "set").rglob("manifest.json")))


def test_a_sheet_without_answers_is_in_the_dataset_and_in_its_derived_forms(exported):
    root, _ = exported
    sheet, = rows(root, "data/sheets.csv", STORY[0])
    assert (sheet["instrument"], sheet["counts"]) == ("story", "1")
    assert rows(root, "data/answers.csv", STORY[0]) == []
    columns = set(rows(root, "data/wide_story.csv", STORY[0])[0])
    assert not columns & {"words", "picture", "chapter"}
    bundle = json.loads((root / "fhir" / "questionnaire_responses.json").read_text())
    response = next(entry["resource"] for entry in bundle["entry"] if entry["resource"]["id"] == STORY[0])
    assert response["status"] == "completed" and "item" not in response


def test_compared_words_have_ranks_and_comparisons_without_words(exported):
    root, _ = exported
    answers = {(row["item"], row["option"]): row["value"] for row in rows(root, "data/answers.csv", RANKED[0])}
    assert [answers[f"words.{number}", "rank"] for number in (1, 2, 3, 4)] == ["2", "1", "3", "3"]
    assert [answers[f"words.{number}", "comparison"] for number in (1, 2, 3, 4, 5)] == ["2>1", "1>3", "3=4", "1>4", "2>4"]
    assert answers["words.1", "shown_first"] == "1" and answers["words.1", "time_ms"] == "900"
    assert answers["words", ""] == "4" and answers["words.1", ""] == ""
    found = [row for row in rows(root, "data/instances_all_types.csv", RANKED[0]) if row["repeats"] == "words"]
    assert [(row["repeats"], row["instance"], row["words__rank"]) for row in found] == [
        ("words", "1", "2"), ("words", "2", "1"), ("words", "3", "3"), ("words", "4", "3")]
    texts = {row["item"]: row["text"] for row in rows(root, "data/free_text.csv", RANKED[0]) if row["item"] != "source"}
    assert texts == {f"words.{number}": word for number, word in enumerate(COMPARED["values"], 1)}
    assert "canary mother" not in (root / "data/answers.csv").read_text()


def test_every_table_matches_the_data_package_and_loads_in_r(exported):
    root, _ = exported
    report = frictionless.Package(str(root / "datapackage.json")).validate()
    assert report.valid, report.flatten(["name", "rowNumber", "fieldName", "type", "message"])[:20]

    tables = {path.stem: len(rows(root, path.relative_to(root))) for path in sorted(root.glob("data/*.csv"))}
    for new in "instances_all_types", "presented_orders", "observations":
        assert tables[new] > 0
    spec = importlib.util.spec_from_file_location("load", root / "load" / "load.py")
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    data = loader.load(root)
    assert {name: len(data[name]) for name in tables} == tables

    program = shutil.which("Rscript")
    assert program, "Rscript is missing: install r-base-core"
    script = 'source("load/load.R"); data <- saunter_load("."); for (name in names(data)) cat(name, nrow(data[[name]]), "\\n")'
    done = subprocess.run(
        [program, "--vanilla", "-e", script], cwd=root, capture_output=True, text=True, timeout=120,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr
    rows_in_r = dict(line.split() for line in done.stdout.splitlines())
    assert {name: rows_in_r[name] for name in tables} == {name: str(count) for name, count in tables.items()}


def test_repeated_groups_have_one_row_for_each_instance(exported):
    root, sheet = exported
    found = rows(root, "data/instances_all_types.csv", sheet)
    assert [(row["repeats"], row["instance"]) for row in found] == [
        (name, number) for name in ("meds", "stops", "words") for number in ("1", "2")]
    assert [row["dose"] for row in found] == ["2", "9", "", "", "", ""]
    assert [row["when__evening"] for row in found] == ["1", "", "", "", "", ""]
    assert [row["words__rank"] for row in found] == ["", "", "", "", "1", "2"]
    why = rows(root, "data/instances_all_types_missing.csv", sheet)
    assert [row["relief"] for row in why] == ["", "skipped", "", "", "", ""]
    known = {(row["file"], row["column"]) for row in rows(root, "meta/codebook.csv")}
    assert {("data/instances_all_types.csv", name) for name in found[0]} <= known
    labels = {(row["set"], row["code"]): row["label"] for row in rows(root, "meta/value_labels.csv") if row["lang"] == "en"}
    assert labels["all_types.when", "evening"] == "in the evening" and labels["all_types.place", "other"] == "own words"


def test_fhir_and_the_files_of_statistics_programs_contain_the_whole_sheet(exported):
    from fhir.resources.R4B.bundle import Bundle
    root, sheet = exported
    text = (root / "fhir" / "questionnaire_responses.json").read_text()
    Bundle.model_validate_json(text)
    items = next(entry for entry in json.loads(text)["entry"] if entry["resource"]["id"] == sheet)["resource"]["item"]
    assert [item for item in items if item["linkId"] == "goals"][0]["answer"][0] == {"valueCoding": {"code": "sport"}}
    grid, = [item for item in items if item["linkId"] == "grid"]
    answers = [(item["linkId"], item["answer"][0]["valueCoding"]["code"]) for item in grid["item"]]
    assert answers == [("tense", "1"), ("tired", "2")]
    assert [item["linkId"] for item in items][:5] == ["consents", "cups", "hours", "nick", "note"]
    assert [item for item in items if item["linkId"] == "words"] == [
        {"linkId": "words", "answer": [{"valueString": "one"}, {"valueString": "two"}]}]
    medicines = [item["item"] for item in items if item["linkId"] == "meds"]
    assert len(medicines) == 2
    assert {"linkId": "drug", "answer": [{"valueString": "b"}]} in medicines[1]
    assert [item for item in items if item["linkId"] == "weight"][0]["answer"] == [
        {"valueQuantity": {"value": 70.5, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}}]

    import pyreadstat
    for path, read in (("spss/wide_all_types.sav", pyreadstat.read_sav), ("stata/wide_all_types.dta", pyreadstat.read_dta)):
        frame, meta = read(root / path, user_missing=True)
        row = frame[frame["sheet_id"] == sheet].iloc[0]
        assert (row["weight"], row["weight__unit"], row["place"], row["goals__sport"], row["meds"]) == (
            70.5, "kg", "other", 1, 2), path
        assert str(row["hours"]) in ("-995.0", "r"), path
        assert meta.column_names_to_labels["weight__unit"] == "Your weight (unit)"


@pytest.fixture(scope="module")
def secret(server, contract, person):
    rosa = Researcher(server, contract, study="all-types")
    return rosa.call("POST", "/v1/studies/all-types/api-tokens", json={"label": "tests"}, status=201)["token"]


@pytest.fixture
def read(server, contract, secret):
    session = requests.Session()
    session.headers["Authorization"] = "Bearer " + secret
    session.hooks["response"].append(contract.watch)

    def read(path, **parameters):
        response = session.get(server.url + "/v1/studies/all-types" + path, params=parameters, timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    return read


@pytest.mark.parametrize("table", [
    "answers", "wide_all_types", "wide_all_types_missing", "instances_all_types", "instances_all_types_missing", "presented_orders"])
def test_odata_has_the_same_cells(exported, read, table):
    expected = rows(exported[0], f"data/{table}.csv")
    found = read(f"/odata/{table}")["value"]
    assert len(found) == len(expected) > 0
    for row, other in zip(found, expected):
        assert list(row) == list(other)
        for name, value in row.items():
            if isinstance(value, (int, float)):
                assert float(other[name]) == float(value), name
            else:
                assert (value or "") == other[name], name


def without(value, name):
    """A copy of a JSON value without the members of this name."""
    if isinstance(value, dict):
        return {key: without(member, name) for key, member in value.items() if key != name}
    return [without(member, name) for member in value] if isinstance(value, list) else value


def test_the_fhir_api_returns_the_same_sheet_and_every_rule(exported, read):
    from fhir.resources.R4B.questionnaire import Questionnaire
    root, sheet = exported
    bundle = json.loads((root / "fhir" / "questionnaire_responses.json").read_text())
    exported = next(entry["resource"] for entry in bundle["entry"] if entry["resource"]["id"] == sheet)
    found = [entry["resource"] for entry in read("/fhir/QuestionnaireResponse", _count=200)["entry"]]
    same = next(resource for resource in found if resource["identifier"]["value"].endswith(sheet))
    assert same["item"] == exported["item"]

    questionnaire = read("/fhir/Questionnaire/all-types-1.0.0")
    # R4 allows `_valueString`, which contains translations. fhir.resources does not know it.
    Questionnaire.model_validate(without(questionnaire, "_valueString"))
    items = {item["linkId"]: item for item in questionnaire["item"]}
    assert {item["type"] for item in items.values()} == {
        "group", "display", "boolean", "integer", "decimal", "string", "text", "date", "dateTime", "time", "choice",
        "open-choice", "quantity"}

    def extensions_of(name):
        return {
            extension["url"].rsplit("/", 1)[-1]: next(value for key, value in extension.items() if key.startswith("value"))
            for extension in items[name].get("extension", [])}

    assert extensions_of("nick")["regex"] == "[a-z]+(_[a-z]+)*" and extensions_of("nick")["minLength"] == 2
    assert extensions_of("day")["minValue"] == "2020-01-01" and extensions_of("lunch")["maxValue"] == "22:00:00"
    assert extensions_of("height")["questionnaire-unitOption"]["code"] == "cm"
    assert extensions_of("weight")["sdc-questionnaire-minQuantity"]["value"] == 1
    media = extensions_of("welcome")["sdc-questionnaire-itemMedia"]
    assert (media["url"], media["title"]) == ("media/welcome.png", "A path through a garden")
    assert "Ein Weg durch einen Garten" in str(media["_title"])
    spot = extensions_of("spot")
    assert items["spot"]["type"] == "string" and spot["urn:saunter:location-decimals"] == 5
    note, = [part for part in items["note"]["extension"] if part["url"].endswith("/entryFormat")]
    assert note["valueString"] == "Anything else …" and "Sonst noch etwas" in str(note["_valueString"])
    media = {part["url"].rsplit("/", 1)[-1]: part for part in items["category"]["answerOption"][0]["extension"]}
    assert media["sdc-questionnaire-itemAnswerMedia"]["valueAttachment"]["url"] == "media/good.png"
    assert media["sdc-questionnaire-itemAnswerMedia"]["valueAttachment"]["title"] == "A smiling face"
    assert extensions_of("words")["questionnaire-maxOccurs"] == 4 and items["words"]["repeats"] is True
    assert extensions_of("goals")["urn:saunter:ranking"] is True and items["goals"]["repeats"] is True
    assert "'anger' in emotions" in extensions_of("grid")["urn:saunter:enable-when-expression"]
    assert items["meds"]["enableWhen"] == [{"question": "consents", "operator": "=", "answerBoolean": True}]
    assert items["source"]["initial"] == [{"valueString": "app"}]
    assert {part["url"]: list(part.values())[1] for part in questionnaire["extension"][0]["extension"]}["expression"] == "asleep < awake"


def test_the_redcap_api_has_a_field_for_every_part(exported, server, secret, contract):
    import redcap
    root, sheet = exported
    project = redcap.Project(f"{server.url}/v1/studies/all-types/redcap/api/", secret)
    record = next(row for row in project.export_records() if row.get("all_types_sheet_id") == sheet)
    wanted = {
        "weight": "70.5", "weight_unit": "kg", "place": "other", "place_other": "at the lake", "helpers___other": "1",
        "helpers___friends": "1", "helpers_other": "a neighbour", "goals_sport": "1", "goals_friends": "3", "meds": "2", "words": "2",
        "nick": "grey_owl", "hours": "", "day": "2026-01-02"}
    assert {name: record["all_types_" + name] for name in wanted} == wanted
    fields = {field["field_name"]: field for field in project.metadata}
    assert {name.split("___")[0] for name in wanted} <= {name.removeprefix("all_types_") for name in fields}
    assert fields["all_types_goals_sport"]["matrix_ranking"] == "y"
    assert fields["all_types_place_other"]["branching_logic"] == "[all_types_place] = 'other'"

    dictionary = {row["Variable / Field Name"]: row for row in rows(root, "meta/redcap_data_dictionary.csv")}
    assert {name for name in dictionary if name.startswith("all_types_")} <= set(fields)
    assert dictionary["all_types_weight_unit"]["Choices, Calculations, OR Slider Labels"] == "kg, kg | [lb_av], [lb_av]"


def test_the_feed_of_changes_contains_the_answers(person, server, contract):
    rosa = Researcher(server, contract, study="all-types")
    presented = {"grid": ["tired", "tense"]}
    _, receipt = put(person, presented=presented)
    items, parameters = [], {"after": 0, "limit": 100}
    while True:
        page = rosa.call("GET", "/v1/studies/all-types/changes", params=parameters, status=200)
        items += page["items"]
        if page["next"] is None:
            break
        parameters = {"cursor": page["next"], "limit": 100}
    body = next(item for item in items if item["id"] == receipt["sheet_id"])["body"]
    assert body["answers"] == dict(ANSWERS, height={"value": 172, "unit": "cm"}, source="app")
    assert body["presented"] == presented and body["missing"] == {"meds": [{}, {"when": "skipped", "relief": "skipped"}]}
