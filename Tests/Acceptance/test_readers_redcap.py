"""The REDCap API for readers, with PyCap and with the requests of REDCapR."""

import csv
import io
import json

import pytest
import redcap
import redcap.request
import requests

from acceptance import answers, readers
from acceptance.people import Researcher

URL = f"/v1/studies/{readers.STUDY}/redcap/api/"


@pytest.fixture(scope="module")
def people(server, contract):
    """Ada with many sheets, and Eve, who is excluded from datasets."""
    from acceptance.people import Person

    ada, eve = (Person(server, contract, name=name).register().enrol() for name in ("Ada Canary", "Eve Canary"))
    evening = answers.DAILY | {"note": 'a "quoted", note\nof two lines – ü'}
    del evening["sleep_minutes"]
    ada.submit("daily_evening", evening)
    ada.submit("pss_10", answers.PSS_10)
    ada.submit("who_5", answers.WHO_5)
    eve.submit("daily_evening", answers.DAILY)
    eve.call("POST", eve.own("/withdrawal"), json={"mode": "exclude"}, status=200)
    return ada, eve


@pytest.fixture(scope="module")
def rosa(server, contract):
    return Researcher(server, contract)


@pytest.fixture(scope="module")
def secret(rosa):
    return readers.token(rosa)["token"]


@pytest.fixture
def project(server, secret, contract, people):
    redcap.request._session.hooks["response"] = [contract.watch]
    return redcap.Project(server.url + URL, secret)


@pytest.fixture
def tables(rosa, people):
    return readers.dataset(rosa)


def instances(records, form):
    return {row[f"{form}_sheet_id"]: row for row in records if row["redcap_repeat_instrument"] == form}


def test_records_contain_the_same_data_as_the_dataset(project, tables, people):
    records = project.export_records()
    ada, eve = (person.enrolment["participant_id"] for person in people)

    enrolled = [row for row in records if row["redcap_repeat_instrument"] == ""]
    assert [row["record_id"] for row in enrolled] == [row["participant_id"] for row in tables["data/participants.csv"]]
    assert {row["enrolment_status"] for row in enrolled if row["record_id"] == ada} == {"active"}
    assert eve not in {row["record_id"] for row in records} and ada in {row["record_id"] for row in records}

    compared = 0
    for form in ("daily_evening", "pss_10", "who_5"):
        wide = {row["sheet_id"]: row for row in tables[f"data/wide_{form}.csv"]}
        found = instances(records, form)
        assert found.keys() == wide.keys() and found
        for sheet, row in found.items():
            assert row["record_id"] == wide[sheet]["participant_id"]
            schedule = wide[sheet]["schedule"] or "unscheduled"
            assert row["redcap_event_name"].startswith(schedule + "_arm_") and row["redcap_repeat_instance"] >= 1
            assert row[f"{form}_complete"] == "2"
            for column, value in wide[sheet].items():
                if column in ("participant_id", "arm", "schedule"):
                    continue
                name = f"{form}_{column}".replace("__", "___")
                assert row[name] == value, (form, column)
                compared += 1
    assert compared > 50
    scores = {(row["sheet_id"], row["instrument"], row["score"]): row["value"] for row in tables["data/scores.csv"]}
    computed = [field["field_name"] for field in project.export_metadata() if field["field_annotation"] == "@READONLY"]
    for (sheet, form, scale), value in scores.items():
        if form in ("daily_evening", "pss_10", "who_5"):
            # If an item has the same name, the name of the score has a suffix.
            [name] = [name for name in computed if name == f"{form}_{scale}"] or [
                name for name in computed if name.startswith(f"{form}_{scale}"[:20])]
            assert instances(records, form)[sheet][name] == value
    assert any(form == "pss_10" for _, form, _ in scores)
    texts = tables["data/free_text.csv"]
    notes = {row["sheet_id"]: row["text"] for row in texts if row["item"] == "note" and row["counts"] == "1"}
    assert any(notes.values())
    for sheet, text in notes.items():
        assert instances(records, "daily_evening")[sheet]["daily_evening_note"] == text


def test_each_sheet_is_a_repeating_instance_with_a_stable_number(project, people):
    ada = people[0]
    rows = instances(project.export_records(records=[ada.enrolment["participant_id"]]), "daily_evening")
    second = ada.submit("daily_evening", answers.DAILY | {"mood": 1})["sheet_id"]
    later = instances(project.export_records(records=[ada.enrolment["participant_id"]]), "daily_evening")
    # The sheet that fulfilled the evening's occasion is an instance too. Duplicates are counted nowhere.
    assert "S" + second not in later
    assert {sheet: row["redcap_repeat_instance"] for sheet, row in rows.items()} == {
        sheet: later[sheet]["redcap_repeat_instance"] for sheet in rows}


def test_the_data_dictionary_contains_every_field_of_the_records(project):
    metadata, names = project.export_metadata(), project.export_field_names()
    record = project.export_records()[0]
    plumbing = {"redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance"}

    assert metadata[0]["field_name"] == project.def_field == "record_id" and project.is_longitudinal
    assert {row["export_field_name"] for row in names} == set(record) - plumbing
    forms = [row["instrument_name"] for row in project.export_instruments()]
    assert {row["form_name"] for row in metadata} == set(forms)
    dictionary = {row["field_name"] for row in metadata} | {f"{form}_complete" for form in forms}
    assert {row["original_field_name"] for row in names} == dictionary
    boxes = [row for row in names if row["original_field_name"] == "daily_evening_stress_source"]
    assert {row["choice_value"] for row in boxes} >= {"work", "time"}
    assert all(row["export_field_name"] == f"daily_evening_stress_source___{row['choice_value']}" for row in boxes)


def test_events_arms_and_forms_match_the_records(project):
    events = project.export_events()
    mapping = project.export_instrument_event_mappings()
    repeating = project.export_repeating_instruments_events()

    known = {row["unique_event_name"]: row["arm_num"] for row in events}
    assert len(known) == len(events) and {row["arm_num"] for row in project.export_arms()} == set(known.values())
    pairs = {(row["unique_event_name"], row["form"]) for row in mapping}
    assert pairs >= {(row["event_name"], row["form_name"]) for row in repeating}
    for row in project.export_records():
        form = row["redcap_repeat_instrument"] or "enrolment"
        assert (row["redcap_event_name"], form) in pairs
    info = project.export_project_info()
    assert info["is_longitudinal"] == 1 and "not_shown" in info["missing_data_codes"]
    assert project.export_version().major == 13 and project.export_users() == []


def test_frames_values_and_labels(project, people, tables):
    frame = project.export_records(format_type="df")
    assert frame.index.names == ["record_id", "redcap_event_name"] and len(frame) == len(project.export_records())
    moods = frame["daily_evening_mood"].dropna()
    assert sorted(moods) == sorted(float(row["mood"]) for row in tables["data/wide_daily_evening.csv"] if row["mood"])

    values = project.export_records(record_type="eav")
    chosen = [row for row in values if row["field_name"] == "daily_evening_stress_source"]
    wide = [row for row in tables["data/wide_daily_evening.csv"]]
    expected = sorted((row["participant_id"], code) for row in wide for code in ("work", "family", "health", "money", "time", "elsewhere", "unclear")
                      if row.get(f"stress_source__{code}") == "1")
    assert sorted((row["record"], row["value"]) for row in chosen) == expected and expected
    assert all(row["value"] != "" for row in values)

    labelled = project.export_records(
        raw_or_label="label", records=[people[0].enrolment["participant_id"]], fields=["daily_evening_stress_source", "pss_10_q1"])
    boxes = [row["daily_evening_stress_source___work"] for row in labelled if row["daily_evening_stress_source___work"]]
    assert boxes == ["Checked"] and not any(row["pss_10_q1"].isdigit() for row in labelled)


def test_records_can_be_filtered(project, people):
    ada = people[0].enrolment["participant_id"]
    assert {row["record_id"] for row in project.export_records(records=[ada])} == {ada}
    only = project.export_records(fields=["pss_10_q1"], records=[ada])
    assert {tuple(row) for row in only} == {
        ("record_id", "redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance", "pss_10_q1")}
    assert [row["pss_10_q1"] for row in only] == ["3"]
    by_form = project.export_records(forms=["who_5"], records=[ada])
    assert [row["redcap_repeat_instrument"] for row in by_form] == ["who_5"]
    event = by_form[0]["redcap_event_name"]
    assert {row["redcap_event_name"] for row in project.export_records(events=[event])} == {event}
    assert project.export_records(records=["nobody"]) == []
    for wrong in ({"fields": ["hat"]}, {"forms": ["hat"]}, {"events": ["hat"]}, {"filter_logic": "[x] = 1"}):
        with pytest.raises(redcap.RedcapError):
            project.export_records(**wrong)


def test_records_that_changed_since(project, people, server, secret):
    import datetime

    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    day = datetime.timedelta(days=1)
    everybody = {row["record_id"] for row in project.export_records()}
    assert {row["record_id"] for row in project.export_records(date_begin=now - day)} == everybody
    assert project.export_records(date_begin=now + day) == []
    assert project.export_records(date_end=now - 300 * day) == []


def post(server, contract, data, **more):
    session = requests.Session()
    session.hooks["response"].append(contract.watch)
    return session.post(server.url + URL, data=data, timeout=60, **more)


def test_requests_of_redcapr_are_answered(server, contract, secret, people, tables):
    def read(**fields):
        response = post(server, contract, {"token": secret, "format": "csv"} | fields)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        return list(csv.DictReader(io.StringIO(response.text)))

    assert read(content="dag") == [] and read(content="exportFieldNames")[0]["original_field_name"] == "record_id"
    assert read(content="project")[0]["has_repeating_instruments_or_events"] == "1"
    assert read(content="formEventMapping", arms="")
    narrow = {
        "content": "record", "type": "flat", "rawOrLabel": "raw", "rawOrLabelHeaders": "raw", "exportCheckboxLabel": "false",
        "exportSurveyFields": "false", "exportDataAccessGroups": "false", "filterLogic": "", "dateRangeBegin": "",
        "dateRangeEnd": "", "exportBlankForGrayFormStatus": "FALSE",
    }
    ids = read(**narrow, fields="record_id")
    assert [row["record_id"] for row in ids] == [row["participant_id"] for row in tables["data/participants.csv"]]
    batch = read(**narrow, records=",".join(row["record_id"] for row in ids))
    assert {row["record_id"] for row in batch} == {row["record_id"] for row in ids}
    assert {row["daily_evening_mood"] for row in batch} >= {"5"}
    metadata = post(server, contract, {"token": secret, "content": "metadata", "format": "json"}).json()
    assert metadata[0]["form_name"] == "enrolment" and len(metadata[0]) == 18


def test_missing_data_codes_are_returned_on_request(server, contract, secret, people, tables):
    body = {"token": secret, "content": "record", "format": "json", "forms": "daily_evening"}
    plain = instances(post(server, contract, body).json(), "daily_evening")
    exported = instances(post(server, contract, body | {"exportMissingDataCodes": "true"}).json(), "daily_evening")
    reasons = {row["sheet_id"]: row for row in tables["data/wide_daily_evening_missing.csv"]}
    seen = 0
    for sheet, row in exported.items():
        for item in ("mood", "sleep_minutes"):
            name = f"daily_evening_{item}"
            assert row[name] == (plain[sheet][name] or reasons[sheet][item])
        for name, value in row.items():
            if plain[sheet][name] != value:
                assert plain[sheet][name] == ""
                seen += 1
    assert seen, "some answers are blank"


def test_a_token_ends_with_the_role_of_its_account(server, contract):
    rosa = Researcher(server, contract)
    rejected = rosa.call("POST", f"/v1/studies/{readers.STUDY}/api-tokens", json={"label": "x", "profile": "full"})
    assert rejected.status_code == 403
    body = {"token": readers.token(rosa)["token"], "content": "record", "format": "json", "fields": "record_id"}
    before = readers.audited(server, "data_read", api="redcap")
    assert post(server, contract, body).status_code == 200
    assert readers.audited(server, "data_read", api="redcap") == before + 1
    server.run("account", "revoke", "--email", rosa.email, "--role", "researcher", "--study", readers.STUDY)
    answer = post(server, contract, body)
    assert answer.status_code == 401 and list(answer.json()) == ["error"]


def test_no_response_contains_identities(server, contract, secret, people):
    text = post(server, contract, {"token": secret, "content": "record", "format": "json"}).text
    ada, eve = people
    for word in (ada.email, ada.name, ada.tokens["account_id"], eve.enrolment["participant_id"], eve.enrolment["enrolment_id"]):
        assert word not in text
    assert json.loads(text)
