"""New versions of a study with participants, and arms that are balanced over factors of the enrolment."""

import csv
import json
import os
import pty
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from acceptance.moments import instant, new_id
from acceptance.people import Person, Researcher
from acceptance.server import BINARIES, ROOT

STUDY = "orchard"

STUDY_YAML = """
code: orchard
version: {version}
consent_version: {consent}
open_enrolment: true
languages: [en]
zone: UTC
days: 28
arms:
  - {{code: apple, ratio: 1}}
  - {{code: pear, ratio: 1}}
allocation:
  method: minimisation
  concealed: true
  probability: 1
  factors:
    - {{code: sex, levels: [female, male], weight: 2}}
    - {{code: place, levels: [north, south]}}
questionnaires:
  - {{code: who_5, version: 1.0.0}}
  - {{code: phq_2, version: 1.0.0}}
any_time: [phq_2]
"""

SCHEDULE = """
schedules:
  - id: daily
    questionnaire: who_5
    recurrence: {every: {days: 1, until_day: 27}}
    slots:
      - {open: "OPEN", due_after: 20m, close_after: 30m}
"""

TEXT = """
title: Orchard
summary: Five questions a day.
factors:
  sex: {title: Your sex, levels: {female: Female, male: Male}}
  place: {title: Where you live, levels: {north: In the north, south: In the south}}
"""


def write_study(packs, version, opens, consent="1.0.0", more=""):
    folder = packs / "studies" / STUDY
    (folder / "content").mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY_YAML.format(version=version, consent=consent) + more)
    (folder / "schedule.yaml").write_text(SCHEDULE.replace("OPEN", opens))
    (folder / "README.md").write_text("# Orchard\n")
    (folder / "content" / "text.en.yaml").write_text(TEXT)
    (folder / "content" / "course.en.yaml").write_text("steps:\n  - {title: Answer, text: You answer.}\n")
    (folder / "content" / "consent.en.md").write_text(f"# Consent {consent}\n\nYou answer.\n")
    return folder


@pytest.fixture(scope="module")
def packs(server, tmp_path_factory):
    packs = tmp_path_factory.mktemp("packs")
    for version in ("who_5/1.0.0", "phq_2/1.0.0"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / version, packs / "instruments" / version)
    server.run("publish", write_study(packs, "1.0.0", "00:10"))
    return packs


def join(server, contract, factors, status=201, study=STUDY):
    person = Person(server, contract, name="Ora Canary", zone="UTC").register()
    person.enrolment = person.call(
        "POST", f"/v1/studies/{study}/enrolments", status=status,
        json={
            "consent": {"version": "1.0.0", "accepted": True}, "time_zone": "UTC", "language": "en",
            "factors": factors,
        })
    return person


def published(server, *arguments):
    return json.loads(server.run("publish", "--json", *arguments))


def windows(occasions):
    """The occasions without their states, because a window may open or close during a test."""
    return [(item["occasion_id"], item["opens_at"], item["due_at"], item["closes_at"]) for item in occasions]


def test_enrolments_need_the_factors_and_arms_are_balanced_over_them(server, contract, packs):
    person = Person(server, contract, name="Ora Canary", zone="UTC").register()
    detail = person.call("GET", f"/v1/studies/{STUDY}", status=200)
    assert [factor["factor"] for factor in detail["factors"]] == ["sex", "place"]
    assert detail["factors"][1]["levels"][0] == {"level": "north", "title": "In the north"}
    rejected = person.problem(
        "POST", f"/v1/studies/{STUDY}/enrolments", 422, "body-invalid",
        json={
            "consent": {"version": "1.0.0", "accepted": True}, "time_zone": "UTC",
            "factors": {"sex": "tree", "age": "old"},
        })
    assert [fault["pointer"] for fault in rejected["errors"]] == ["/factors/sex", "/factors/place", "/factors/age"]

    people = [{"sex": sex, "place": place} for sex in ("female", "male") for place in ("north", "south")] * 3
    with ThreadPoolExecutor(6) as pool:
        joined = list(pool.map(lambda factors: join(server, contract, factors), people))
    assert all(person.enrolment["arm"] is None for person in joined), "concealed"

    researcher = Researcher.__new__(Researcher)
    Person.__init__(researcher, server, contract, name="Ida Field")
    researcher.password = server.make_researcher(researcher.email, study=STUDY)
    researcher.log_in()
    balance = researcher.call("GET", f"/v1/studies/{STUDY}/balance", status=200)
    assert balance["participants"] == 12
    assert balance["imbalance"] <= 1
    assert [(row["factor"], row["level"], row["participants"]) for row in balance["levels"]] == [
        ("sex", "female", 6), ("sex", "male", 6), ("place", "north", 6), ("place", "south", 6)]
    assert max(row["imbalance"] for row in balance["levels"]) <= 2
    assert json.loads(server.run("balance", STUDY, "--json")) == balance
    joined[0].problem("GET", f"/v1/studies/{STUDY}/balance", 403, "not-permitted")


def test_minimisation_counts_existing_participants_and_not_erased_ones(server, contract, packs):
    folder = packs / "studies" / "nursery"
    shutil.copytree(write_study(packs, "1.0.0", "00:10"), folder)
    minimised = (folder / "study.yaml").read_text().replace("code: orchard", "code: nursery")
    blocks = minimised.replace("method: minimisation", "method: stratified_blocks\n  block_sizes: [2]")
    (folder / "study.yaml").write_text(blocks.replace("  probability: 1\n", "").replace(", weight: 2", ""))
    server.run("publish", folder)
    researcher = Researcher(server, contract, study="nursery")

    def allocated(count):
        """Arm -> the allocated participants of `count` new ones with equal factors."""
        found = {"apple": [], "pear": []}
        for _ in range(count):
            person = join(server, contract, {"sex": "female", "place": "north"}, study="nursery")
            path = f"/v1/studies/nursery/participants/{person.enrolment['participant_id']}/arm"
            found[researcher.call("GET", path, status=200)["arm"]].append(person)
        return found

    def counts():
        response = researcher.call("GET", "/v1/studies/nursery/balance", status=200)
        return {row["arm"]: row["participants"] for row in response["levels"][0]["arms"]}

    earlier = allocated(6)
    assert [len(people) for people in earlier.values()] == [3, 3]
    moved = earlier["pear"].pop()
    path = f"/v1/studies/nursery/participants/{moved.enrolment['participant_id']}/arm"
    researcher.call("PUT", path, json={"arm": "apple", "reason": "Given the other leaflet."}, status=200)
    assert counts() == {"apple": 4, "pear": 2}
    (folder / "study.yaml").write_text(minimised.replace("version: 1.0.0", "version: 1.1.0", 1))
    server.run("publish", "--yes", folder)

    later = allocated(2)
    assert [len(people) for people in later.values()] == [0, 2], "the smaller arm after blocks and a change by a researcher"
    assert counts() == {"apple": 4, "pear": 4}
    for person in later["pear"]:
        person.call("POST", person.own("/withdrawal"), json={"mode": "erase"}, status=204)
    earlier["pear"][0].call("POST", earlier["pear"][0].own("/withdrawal"), json={"mode": "stop"}, status=200)
    assert counts() == {"apple": 4, "pear": 2}, "a withdrawn participant counts in the allocated arm"
    assert [len(people) for people in allocated(2).values()] == [0, 2], "an erased participant counts in no arm"
    assert counts() == {"apple": 4, "pear": 4}


def test_a_change_of_the_arm_by_a_researcher_is_recorded(server, contract, packs, tmp_path):
    ora = join(server, contract, {"sex": "female", "place": "south"})
    researcher = Researcher(server, contract, study=STUDY)
    before = researcher.call("GET", f"/v1/studies/{STUDY}/balance", status=200)
    assert before["moved"] == []
    path = f"/v1/studies/{STUDY}/participants/{ora.enrolment['participant_id']}/arm"
    response = researcher.call("GET", path, status=200)
    assert response["changes"] == [] and response["arm"] == response["allocated_arm"]
    former = response["arm"]
    other = next(row["arm"] for row in before["arms"] if row["arm"] != former)

    changed = researcher.call("PUT", path, json={"arm": other, "reason": "Given the other leaflet."}, status=200)
    assert (changed["arm"], changed["allocated_arm"]) == (other, former)
    assert [(row["from_arm"], row["to_arm"], row["reason"]) for row in changed["changes"]] == [
        (former, other, "Given the other leaflet.")]
    assert researcher.call("PUT", path, json={"arm": other, "reason": "Again."}, status=200) == changed

    after = researcher.call("GET", f"/v1/studies/{STUDY}/balance", status=200)
    assert after["moved"] == [{"from_arm": former, "to_arm": other, "participants": 1}]
    counts = [{row["arm"]: row["participants"] for row in balance["arms"]} for balance in (before, after)]
    assert counts[1] == counts[0] | {former: counts[0][former] - 1, other: counts[0][other] + 1}
    assert f"1 from {former} to {other}" in server.run("balance", STUDY)

    rejected = researcher.problem("PUT", path, 422, "body-invalid", json={"arm": "plum", "reason": "x"})
    assert [fault["pointer"] for fault in rejected["errors"]] == ["/arm"]
    researcher.problem("PUT", path, 422, "body-invalid", json={"arm": former, "reason": " "})
    researcher.problem("PUT", path, 422, "body-invalid", json={"arm": former})
    researcher.problem("GET", f"/v1/studies/{STUDY}/participants/nobody/arm", 404, "not-found")
    ora.problem("PUT", path, 403, "not-permitted", json={"arm": former, "reason": "x"})

    server.run("export", "--study", STUDY, "--out", tmp_path / "set", program="evaluator")
    root = next(found.parent for found in (tmp_path / "set").rglob("manifest.json"))
    with open(root / "data" / "arm_changes.csv", newline="") as file:
        change, = csv.DictReader(file)
    assert (change["from_arm"], change["to_arm"], change["reason"]) == (former, other, "Given the other leaflet.")
    with open(root / "data" / "enrolments.csv", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["enrolment_id"] == change["enrolment_id"])
    assert (row["arm"], row["allocated_arm"]) == (other, former)

    ora.call("POST", ora.own("/withdrawal"), json={"mode": "stop"}, status=200)
    researcher.problem("PUT", path, 409, "enrolment-withdrawn", json={"arm": former, "reason": "x"})


def test_a_new_version_is_previewed_before_enrolled_participants_follow_it(server, contract, packs):
    ada = join(server, contract, {"sex": "female", "place": "north"})
    before = ada.pages(ada.own("/occasions"))
    folder = write_study(packs, "1.1.0", "01:10", more="low_adherence_percent: 40\n")

    pack = folder / "study.yaml"
    whole = pack.read_text()
    pack.write_text(whole.replace("code: apple", "code: plum").replace("code: pear", "code: quince"))
    effect = published(server, folder, "--preview")["effect"]
    shown = server.run("publish", "--preview", folder)
    pack.write_text(whole)
    assert effect["lost_arms"] and {row["arm"] for row in effect["lost_arms"]} <= {"apple", "pear"}
    assert sum(row["participants"] for row in effect["lost_arms"]) == effect["enrolments"]
    for row in effect["lost_arms"]:
        assert f"{row['participants']} of them are in arm {row['arm']}, which this version does not have" in shown

    response = published(server, folder, "--preview")
    assert response["published"] is False and response["moved"] is None and response["effect"]["lost_arms"] == []
    assert response["effect"]["enrolments"] >= 1 and response["effect"]["awaiting_consent"] == 0
    assert response["effect"]["total"]["moved"] > 0 and response["effect"]["total"]["reminded_again"] == 0
    assert {row["schedule"] for row in response["effect"]["schedules"]} == {"daily"}
    assert ada.call("GET", f"/v1/studies/{STUDY}", status=200)["version"] == "1.0.0"
    assert windows(ada.pages(ada.own("/occasions"))) == windows(before)

    # Without a terminal the command does not choose.
    server.run("publish", folder, status=1)
    stays = published(server, folder, "--keep-enrolled")
    assert stays["published"] is True and stays["moved"] is None
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == "1.0.0"

    researcher = Researcher.__new__(Researcher)
    Person.__init__(researcher, server, contract, name="Ida Field")
    researcher.password = server.make_researcher(researcher.email, study=STUDY)
    researcher.log_in()
    path = f"/v1/studies/{STUDY}/versions/1.1.0/preview"
    route = researcher.call("GET", path, status=200)
    assert route["complete"] and route["enrolments"] == response["effect"]["enrolments"]
    researcher.problem("GET", path.replace("1.1.0", "9.9.9"), 404, "not-found")
    ada.problem("GET", path, 403, "not-permitted")

    moves = published(server, folder, "--yes")
    assert moves["published"] is False
    assert moves["moved"] == moves["effect"]["enrolments"] >= 1
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == "1.1.0"
    after = {item["occasion_id"]: item for item in ada.pages(ada.own("/occasions"))}
    assert {item["occasion_id"] for item in before} <= set(after)
    later = [item for item in before if item["opens_at"] > instant()]
    assert any(after[item["occasion_id"]]["opens_at"] != item["opens_at"] for item in later)
    assert published(server, folder, "--yes")["moved"] == 0


def test_a_sheet_of_the_former_version_is_accepted_after_the_move(server, contract, packs):
    new = packs / "instruments" / "phq_2" / "1.0.1"
    ada = join(server, contract, {"sex": "male", "place": "south"})
    answers = {"q1": 1, "q2": 2}
    shutil.copytree(packs / "instruments" / "phq_2" / "1.0.0", new)
    text = (new / "questionnaire.yaml").read_text()
    (new / "questionnaire.yaml").write_text(text.replace("version: 1.0.0", "version: 1.0.1", 1))
    folder = write_study(packs, "1.2.0", "01:10")
    study = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(study.replace("phq_2, version: 1.0.0", "phq_2, version: 1.0.1"))
    assert published(server, folder, "--yes")["moved"] >= 1

    assert ada.call("GET", ada.own("/questionnaires/phq_2"), status=200)["version"] == "1.0.1"
    old = ada.submit("phq_2", answers, version="1.0.0", status=201)
    assert old["version"] == "1.0.0"
    assert ada.submit("phq_2", answers, version="1.0.1", status=201)["version"] == "1.0.1"
    rejected = ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid",
        json=ada.sheet("phq_2", answers, version="0.9.0"))
    assert rejected["errors"][0]["code"] == "wrong_version"


def at_terminal(server, folder, answer):
    """Runs `saunter publish` at a terminal with this input: the exit status, the standard output, and the text on the terminal."""
    ours, theirs = pty.openpty()
    asked = subprocess.Popen(
        [BINARIES / "saunter", "publish", folder], env=server.environment, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown, answered = b"", False
    try:
        while piece := os.read(ours, 4096):
            shown += piece
            if not answered and b"[y/N] " in shown:
                answered = True
                os.write(ours, answer)
    except OSError:
        pass  # Reading from a closed terminal fails.
    finally:
        os.close(ours)
    result = asked.stdout.read()
    return asked.wait(120), result, shown.decode()


# Control-D ends the input.
@pytest.mark.parametrize("answer", [b"\n", b"n\n", b"perhaps\n", b"\x04"])
def test_at_a_terminal_a_version_is_published_only_after_a_yes(server, contract, packs, answer):
    ada = join(server, contract, {"sex": "female", "place": "north"})
    present = ada.call("GET", f"/v1/studies/{STUDY}", status=200)["version"]

    status, result, shown = at_terminal(server, write_study(packs, "1.3.0", "03:10"), answer)

    assert status == 1 and result == ""
    assert "Publish this version, and move the enrolled participants to it? [y/N]" in shown
    assert "future occasions move" in shown.split("Publish this version")[0], "the effect is shown before the question"
    assert "nothing was published" in shown.split("[y/N]")[1]
    assert ada.call("GET", f"/v1/studies/{STUDY}", status=200)["version"] == present


def test_at_a_terminal_a_yes_publishes_and_moves_participants(server, contract, packs):
    ada = join(server, contract, {"sex": "male", "place": "north"})
    folder = write_study(packs, "1.3.0", "03:10")

    status, result, shown = at_terminal(server, folder, b"Yes\n")

    assert status == 0, shown
    assert "published orchard 1.3.0" in result and "participants follow this version now" in result
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == "1.3.0"
    # No participant would move, so there is no question.
    status, result, shown = at_terminal(server, folder, b"")
    assert status == 0 and "[y/N]" not in shown
    assert "is the live version" in result


def test_participants_follow_a_version_with_a_new_consent_text_only_after_consent(server, contract, packs):
    ada = join(server, contract, {"sex": "female", "place": "south"})
    present = ada.call("GET", ada.own(""), status=200)["study_version"]
    assert ada.call("GET", ada.own("/overview"), status=200)["consent_due"] is None
    folder = write_study(packs, "2.0.0", "02:10", consent="2.0.0")

    done = published(server, folder, "--yes")
    assert done["moved"] == 0
    assert done["effect"]["awaiting_consent"] >= 1
    due = ada.call("GET", ada.own("/overview"), status=200)["consent_due"]
    assert due["version"] == "2.0.0" and due["text"].startswith("# Consent 2.0.0")
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == present

    path = ada.own("/consents")
    ada.problem("POST", path, 422, "body-invalid", json={"version": "2.0.0", "accepted": False})
    ada.problem("POST", path, 409, "consent-outdated", json={"version": "1.0.0", "accepted": True})
    given = ada.call("POST", path, json={"version": "2.0.0", "accepted": True}, status=201)
    assert given["study_version"] == "2.0.0" and given["consent_version"] == "2.0.0"
    again = ada.call("POST", path, json={"version": "2.0.0", "accepted": True}, status=200)
    assert again["consented_at"] == given["consented_at"]
    assert ada.call("GET", ada.own("/overview"), status=200)["consent_due"] is None
    stranger = Person(server, contract).register()
    stranger.problem("POST", path, 404, "not-found", json={"version": "2.0.0", "accepted": True})


def test_a_changed_consent_text_needs_a_new_number(server, packs):
    folder = write_study(packs, "3.0.0", "00:10", consent="3.0.0")
    published(server, folder, "--keep-enrolled")
    write_study(packs, "3.1.0", "00:10", consent="3.0.0")
    consent = folder / "content" / "consent.en.md"
    consent.write_text(consent.read_text() + "Your answers are sold.\n")

    for how in ("--preview", "--yes", "--keep-enrolled"):
        done = subprocess.run(
            [BINARIES / "saunter", "publish", folder, how], env=server.environment, cwd=server.directory, capture_output=True, text=True,
            timeout=120)
        assert done.returncode == 1 and not done.stdout
        assert done.stderr.splitlines() == [
            f"saunter: {STUDY} 3.1.0 conflicts with published versions:",
            "  the consent text (en) differs from that of 3.0.0, but both have the consent_version 3.0.0: change consent_version, so that participants"
            " are asked again",
        ]
    assert server.sql(f"select live_version from research.study where study = '{STUDY}'").strip() == "3.0.0"
    # Changes of other texts need no new number.
    write_study(packs, "3.1.0", "00:10", consent="3.0.0")
    (folder / "content" / "text.en.yaml").write_text(TEXT.replace("Five questions", "A handful of questions"))
    assert published(server, folder, "--keep-enrolled")["published"]
