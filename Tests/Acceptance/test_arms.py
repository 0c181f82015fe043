"""A researcher changes the arm of a participant: the questionnaires change from then on, and the participant does not learn the arm."""

import csv
import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from acceptance import answers
from acceptance.people import Person, Researcher
from acceptance.server import ROOT

STUDY = "grove"
ASKED = {"birch": "who_5", "alder": "phq_2"}
REPLIES = {"who_5": answers.WHO_5, "phq_2": {"q1": 1, "q2": 2}}

FILES = {
    "study.yaml": """
code: grove
version: 1.0.0
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: UTC
days: 28
arms:
  - {code: birch, ratio: 1}
  - {code: alder, ratio: 1}
allocation: {block_sizes: [2], concealed: true}
questionnaires:
  - {code: who_5, version: 1.0.0}
  - {code: phq_2, version: 1.0.0}
""",
    "schedule.yaml": "schedules:\n" + "".join(
        f"""
  - id: daily-{arm}
    questionnaire: {questionnaire}
    arms: [{arm}]
    recurrence: {{every: {{days: 1, until_day: 27}}}}
    slots:
      - {{open: "00:00", due_after: 24h, close_after: 24h}}
"""
        for arm, questionnaire in ASKED.items()),
    "README.md": "# Grove\n",
    "content/text.en.yaml": "title: Grove\nsummary: A few questions a day.\n",
    "content/course.en.yaml": "steps:\n  - {title: Answer, text: You answer.}\n",
    "content/consent.en.md": "# Consent\n\nYou answer.\n",
}


@pytest.fixture(scope="module")
def grove(server, contract, tmp_path_factory):
    """A researcher of a study whose arms have different questionnaires, which are open all day."""
    packs = tmp_path_factory.mktemp("packs")
    for version in ("who_5/1.0.0", "phq_2/1.0.0"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / version, packs / "instruments" / version)
    folder = packs / "studies" / STUDY
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    server.run("publish", folder)
    return Researcher(server, contract, study=STUDY)


def join(server, contract):
    # In the evening zone no day ends during a test.
    person = Person(server, contract, name="Gro Canary").register()
    person.enrolment = person.call(
        "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
        json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
    return person


def arm_of(person):
    return f"/v1/studies/{STUDY}/participants/{person.enrolment['participant_id']}/arm"


def occasions(person):
    """Questionnaire -> the states of its occasions in order."""
    states = {}
    for occasion in person.call("GET", person.own("/occasions?limit=1000"), status=200)["items"]:
        states.setdefault(occasion["questionnaire"], []).append(occasion["state"])
    return states


def test_open_occasions_stay_and_later_occasions_are_those_of_the_new_arm(server, contract, grove, tmp_path):
    gro = join(server, contract)
    former = grove.call("GET", arm_of(gro), status=200)["arm"]
    other = next(arm for arm in ASKED if arm != former)
    asked, asked_then = ASKED[former], ASKED[other]
    assert list(gro.overview()) == [asked]
    before = occasions(gro)
    assert set(before) == {asked} and before[asked][0] == "open" and set(before[asked][1:]) == {"upcoming"}

    feed = f"/v1/studies/{STUDY}/changes"
    known = grove.call("GET", feed, params={"after": 0, "limit": 1000}, status=200)["change_seq"]

    response = grove.call("PUT", arm_of(gro), json={"arm": other, "reason": "Moved to the other bank."}, status=200)

    assert (response["arm"], response["allocated_arm"]) == (other, former)
    changes = grove.call("GET", feed, params={"after": known, "limit": 1000}, status=200)["items"]
    assert [change["body"]["arm"] for change in changes if change["kind"] == "enrolment"] == [other]
    after = occasions(gro)
    assert after[asked] == ["open"] + ["cancelled"] * (len(before[asked]) - 1)
    assert after[asked_then][0] == "open" and set(after[asked_then][1:]) == {"upcoming"}
    overview = gro.overview()
    assert {name: entry["due_today"] for name, entry in overview.items()} == {asked: True, asked_then: True}
    sheet = gro.submit(asked, REPLIES[asked], occasion_id=overview[asked]["occasion_id"])
    assert sheet["standing"] == "on_time"
    assert list(gro.overview()) == [asked_then], "what was open is answered, and the former arm asks nothing more"
    assert occasions(gro)[asked][0].startswith("completed")
    listed = next(
        row for row in grove.pages(f"/v1/studies/{STUDY}/participants")
        if row["participant_id"] == gro.enrolment["participant_id"])
    assert listed["arm"] == other

    seen = [gro.call("GET", path, status=200) for path in (
        gro.own(""), gro.own("/overview"), gro.own("/occasions"), gro.own("/answer-sheets"), "/v1/enrolments",
        "/v1/account", f"/v1/studies/{STUDY}")]
    assert seen[0]["arm"] is None
    words = json.dumps(seen).replace(f"daily-{former}", "").replace(f"daily-{other}", "")
    assert not any(word in words for word in (former, other, "other bank")), "the arm stays concealed"

    server.run("export", "--study", STUDY, "--out", tmp_path / "set", program="evaluator")
    root = next(found.parent for found in (tmp_path / "set").rglob("manifest.json"))

    def rows(name):
        with open(root / "data" / f"{name}.csv", newline="") as file:
            return list(csv.DictReader(file))

    change, = rows("arm_changes")
    assert (change["ordinal"], change["from_arm"], change["to_arm"], change["who"], change["reason"]) == (
        "1", former, other, "researcher", "Moved to the other bank.")
    enrolment, = rows("enrolments")
    assert (enrolment["arm"], enrolment["allocated_arm"]) == (other, former)
    server.run("export", "--study", STUDY, "--profile", "deidentified", "--out", tmp_path / "less", program="evaluator")
    less = next((tmp_path / "less").rglob("arm_changes.csv")).read_text()
    assert "other bank" not in less and f",{former},{other}," in less


def test_concurrent_changes_make_one_consistent_history(server, contract, grove):
    gro = join(server, contract)
    former = grove.call("GET", arm_of(gro), status=200)["arm"]
    arms = list(ASKED) * 8
    audited = "select count(*) from audit.entry where action = 'arm_changed'"
    before = int(server.sql(audited))
    with ThreadPoolExecutor(8) as pool:
        response = list(pool.map(
            lambda arm: grove.call("PUT", arm_of(gro), json={"arm": arm, "reason": f"To {arm}."}), arms))
    assert {answer.status_code for answer in response} == {200}
    history = grove.call("GET", arm_of(gro), status=200)
    path = [former] + [change["to_arm"] for change in history["changes"]]
    assert [change["from_arm"] for change in history["changes"]] == path[:-1], "each change begins with the arm of the change before"
    assert all(one != next_one for one, next_one in zip(path, path[1:]))
    assert history["arm"] == path[-1] and history["allocated_arm"] == former
    assert int(server.sql(audited)) - before == len(history["changes"])
    states = occasions(gro)
    assert "upcoming" in states[ASKED[history["arm"]]]
    assert "upcoming" not in states.get(ASKED[next(arm for arm in ASKED if arm != history["arm"])], [])


def test_without_permission_the_arm_can_be_neither_read_nor_changed(server, contract, grove, researcher):
    gro = join(server, contract)
    before = grove.call("GET", arm_of(gro), status=200)
    change = {"arm": next(arm for arm in ASKED if arm != before["arm"]), "reason": "Why not."}
    gro.problem("GET", arm_of(gro), 403, "not-permitted")
    gro.problem("PUT", arm_of(gro), 403, "not-permitted", json=change)
    researcher.problem("GET", arm_of(gro), 404, "not-found")
    researcher.problem("PUT", arm_of(gro), 404, "not-found", json=change)
    elsewhere = arm_of(gro).replace(STUDY, "mindful-walking")
    researcher.problem("PUT", elsewhere, 404, "not-found", json=change)
    for arm in ("oak", "", "birch ", "alder' or true --", "x" * 65):
        grove.problem("PUT", arm_of(gro), 422, "body-invalid", json=change | {"arm": arm})
    for reason in ("", " \n\t", "x" * 1001, 7, None):
        grove.problem("PUT", arm_of(gro), 422, "body-invalid", json=change | {"reason": reason})
    assert grove.call("PUT", arm_of(gro), json=change | {"reason": "\x00"}).status_code in (400, 422)
    for name in ("%00", "%ff", "..%2f..", "x" * 2000, "%27%20or%20true"):
        answer = grove.call("GET", f"/v1/studies/{STUDY}/participants/{name}/arm")
        assert answer.status_code in (400, 404), (name, answer.status_code)
    assert grove.call("GET", arm_of(gro), status=200) == before
    grove.call("PUT", arm_of(gro), json=change, status=200)
    gro.call("POST", gro.own("/withdrawal"), json={"mode": "erase"}, status=204)
    grove.problem("GET", arm_of(gro), 404, "not-found")
    assert server.sql(
        f"select count(*) from research.arm_change where enrolment_id = '{gro.enrolment['enrolment_id']}'").strip() == "0"
