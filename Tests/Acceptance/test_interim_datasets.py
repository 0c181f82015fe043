"""Datasets with `as_of`: an interim dataset is made again after the study has gone on."""

import io
import json
import time
import zipfile

import pytest

from acceptance import answers, walks
from acceptance.moments import new_id
from acceptance.people import Person, Researcher
from acceptance.server import Server, wait_until

STUDY = "mindful-walking"
ROUTE = f"/v1/studies/{STUDY}/exports"


@pytest.fixture(scope="module")
def alone():
    """A separate server, so that other tests do not change the study."""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def rosa(alone):
    researcher = Researcher(alone)
    alone.run("account", "grant", "--email", researcher.email, "--role", "researcher", "--study", STUDY, "--full-export")
    alone.run("account", "grant", "--email", researcher.email, "--role", "coordinator", "--study", STUDY)
    return researcher


def dataset(researcher, **body):
    """The files of a dataset by path."""
    made = researcher.call("POST", ROUTE, json=body, status=(200, 202))
    location = f"{ROUTE}/{made['export_id']}"

    def done():
        job = researcher.call("GET", location, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(done, 120, "the export is done")
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", location + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def data(files):
    return {path: content for path, content in files.items() if path.startswith(("data/", "meta/")) and path != "meta/ddi.xml"}


def different(first, second):
    return sorted(path for path in first.keys() | second.keys() if first.get(path) != second.get(path))


def walk(person, **more):
    walk_id = new_id()
    person.call("PUT", person.own(f"/walks/{walk_id}"), json=walks.body(person.zone, **more), status=201)
    return walk_id


def sheet(person, questionnaire, given, **more):
    return person.submit(questionnaire, given, **more)["sheet_id"]


def test_an_interim_dataset_is_made_again_from_the_present_database(alone, rosa, tmp_path):
    ada, ben, cleo, dan = (Person(alone, name=f"{name} Canary").register().enrol() for name in ("Ada", "Ben", "Cleo", "Dan"))
    ada.calibrate()
    walked = walk(ada)
    after = sheet(ada, "after_walk", answers.AFTER_WALK, walk_id=walked)
    evening = sheet(ada, "daily_evening", answers.DAILY)
    ben.calibrate()
    his = walk(ben)
    first, second = (sheet(ben, "after_walk", answers.AFTER_WALK, walk_id=his) for _ in range(2))
    assert ben.call("GET", ben.own(f"/answer-sheets/{second}"), status=200)["duplicate_of"] == first
    cleo.call("PATCH", cleo.own(""), json={"paused": True}, status=200)
    uncalibrated = walk(dan)

    interim = dataset(rosa, profile="full")
    as_of = json.loads(interim["manifest.json"])["snapshot"]["as_of"]
    time.sleep(0.01)

    # The study goes on.
    ada.call("PATCH", ada.own(f"/answer-sheets/{evening}"), json={"answers": {"mood": 1}, "reason": "slip"}, status=200)
    ada.call("DELETE", ada.own(f"/answer-sheets/{after}"), status=204)
    ada.call("DELETE", ada.own(f"/walks/{walked}"), status=204)
    sheet(ada, "who_5", answers.WHO_5)
    ben.call("DELETE", ben.own(f"/answer-sheets/{first}"), status=204)
    assert ben.call("GET", ben.own(f"/answer-sheets/{second}"), status=200)["duplicate_of"] is None
    ben.call("POST", ben.own("/withdrawal"), json={"mode": "stop"}, status=200)
    cleo.call("PATCH", cleo.own(""), json={"paused": False}, status=200)
    dan.calibrate()
    walk(dan)
    arm = f"/v1/studies/{STUDY}/participants/{dan.enrolment['participant_id']}/arm"
    other = {"control": "experimental", "experimental": "control"}[rosa.call("GET", arm, status=200)["arm"]]
    rosa.call("PUT", arm, json={"arm": other, "reason": "Allocated by mistake."}, status=200)
    newcomer = Person(alone, name="Eve Canary").register().enrol()
    sheet(newcomer, "daily_evening", answers.DAILY)

    present = dataset(rosa, profile="full")
    again = dataset(rosa, profile="full", as_of=as_of)

    assert {"data/sheets.csv", "data/enrolments.csv", "data/occasions.csv", "data/walks.csv", "data/scores.csv",
            "data/revisions.csv", "data/arm_changes.csv", "data/panel.csv"} <= set(different(interim, present))
    assert different(data(interim), data(again)) == []
    manifest = json.loads(again["manifest.json"])
    assert manifest["snapshot"]["as_of"] == as_of and manifest["snapshot"]["change_seq"] is None
    assert len(manifest["not_restored"]) > 5 and manifest["not_restored"][0] in again["README.md"].decode()
    assert uncalibrated in interim["data/walks.csv"].decode()

    # The command makes the same bytes.
    for profile in ("full", "coded", "deidentified"):
        alone.run(
            "export", "--study", STUDY, "--profile", profile, "--as-of", as_of, "--out", tmp_path / profile, program="evaluator")
    by_command = {
        str(path.relative_to(tmp_path / "full")): path.read_bytes() for path in (tmp_path / "full").rglob("*") if path.is_file()}
    assert different(again, by_command) == []

    # An earlier instant: there were no participants.
    published = alone.sql(
        "select research.instant_text(min(published_at)) from research.study_version where study = 'mindful-walking'").strip()
    alone.run("export", "--study", STUDY, "--as-of", published, "--out", tmp_path / "empty", program="evaluator")
    assert json.loads((tmp_path / "empty/manifest.json").read_text())["counts"]["enrolments"] == 0


def test_an_instant_in_the_future_is_refused(alone, rosa, tmp_path):
    problem = rosa.problem("POST", ROUTE, 422, "body-invalid", json={"profile": "coded", "as_of": "2999-01-01T00:00:00Z"})
    assert [(fault["pointer"], fault["code"]) for fault in problem["errors"]] == [("/as_of", "in_future")]
    rosa.problem("POST", ROUTE, 422, "body-invalid", json={"profile": "coded", "as_of": "yesterday"})
    # The difference between two instants would reveal small groups.
    rosa.problem("POST", ROUTE, 400, "request-invalid", json={"profile": "public", "as_of": "2026-01-01T00:00:00Z"})
    for wrong in (["2999-01-01T00:00:00Z"], ["yesterday"], ["2026-01-01T00:00:00Z", "--profile", "public"]):
        alone.run("export", "--study", STUDY, "--as-of", *wrong, "--out", tmp_path / "x", program="evaluator", status=2)
    alone.run("export", "--study", STUDY, "--as-of", "1999-01-01T00:00:00Z", "--out", tmp_path / "x", program="evaluator", status=1)
    assert not (tmp_path / "x").exists()


def test_excluded_participants_are_not_restored(alone, rosa):
    zoe = Person(alone, name="Zoe Canary").register().enrol()
    name = zoe.enrolment["participant_id"].encode()
    interim = dataset(rosa, profile="coded")
    as_of = json.loads(interim["manifest.json"])["snapshot"]["as_of"]
    assert name in interim["data/participants.csv"]

    zoe.call("POST", zoe.own("/withdrawal"), json={"mode": "exclude"}, status=200)

    again = dataset(rosa, profile="coded", as_of=as_of)
    assert name not in again["data/participants.csv"]
    assert json.loads(again["manifest.json"])["snapshot"]["as_of"] == as_of
