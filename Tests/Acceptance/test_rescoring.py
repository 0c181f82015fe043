"""Cut-offs that depend on an answer in another sheet, and a scoring key that is corrected after sheets were stored."""

import csv
import json
import shutil

import pytest

from acceptance.moments import after
from acceptance.people import Person, Researcher
from acceptance.server import ROOT, wait_until

STUDY = "drinking"

STUDY_YAML = """
code: drinking
version: {version}
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: Europe/Berlin
days: 28
arms:
  - {{code: everybody, ratio: 1}}
allocation: {{block_sizes: [1], concealed: true}}
questionnaires:
  - {{code: about_you, version: 1.0.0}}
  - {{code: audit_c, version: {audit_c}}}
any_time: [about_you, audit_c]
covariates:
  - {{id: sex, questionnaire: about_you, item: sex, codes: {{female: female, male: male}}}}
"""

SCHEDULE = """
schedules:
  - id: start
    questionnaire: about_you
    recurrence: once
    slots:
      - {open: "00:00", due_after: 2d, close_after: 7d}
"""

TEXT = """
title: Drinking
summary: Three questions.
arms:
  everybody: {title: Everybody, text: You answer.}
reminder: {subject: "{{count}} open", body: "{{titles}} {{url}}"}
"""


def write_study(packs, version, audit_c):
    folder = packs / "studies" / STUDY
    (folder / "content").mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY_YAML.format(version=version, audit_c=audit_c))
    (folder / "schedule.yaml").write_text(SCHEDULE)
    (folder / "README.md").write_text("# Drinking\n")
    (folder / "content" / "text.en.yaml").write_text(TEXT)
    (folder / "content" / "course.en.yaml").write_text("steps:\n  - {title: Answer, text: You answer.}\n")
    (folder / "content" / "consent.en.md").write_text("# Consent\n\nYou answer.\n")
    return folder


def correct_key(packs):
    """audit_c 1.1.1: the same items, but each point counts twice."""
    old, new = packs / "instruments" / "audit_c" / "1.1.0", packs / "instruments" / "audit_c" / "1.1.1"
    shutil.copytree(old, new)
    for name, changes in {
        "questionnaire.yaml": [("version: 1.1.0", "version: 1.1.1")],
        "scoring.yaml": [("version: 1.1.0", "version: 1.1.1"), ("maximum: 12", "maximum: 24"), ("missing: complete", "missing: complete\n    factor: 2")],
    }.items():
        text = (new / name).read_text()
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        (new / name).write_text(text)
    with open(old / "vectors.csv") as table:
        rows = list(csv.DictReader(table))
    for row in rows:
        if row["score.drinking"]:
            score = 2 * int(row["score.drinking"])
            row["score.drinking"] = score
            edge = {"female": 3, "male": 4}.get(row["covariate.sex"])
            row["band.drinking"] = "" if edge is None else "positive" if score >= edge else "below"
    with open(new / "vectors.csv", "w", newline="") as table:
        writer = csv.DictWriter(table, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def packs(server, tmp_path_factory):
    packs = tmp_path_factory.mktemp("packs")
    for version in ("audit_c/1.1.0", "about_you/1.0.0"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / version, packs / "instruments" / version)
    server.run("publish", write_study(packs, "1.0.0", "1.1.0"))
    return packs


@pytest.fixture(scope="module")
def investigator(server, contract, packs):
    person = Researcher.__new__(Researcher)
    Person.__init__(person, server, contract, name="Ida Field")
    person.password = server.make_researcher(person.email, study=STUDY)
    return person.log_in()


@pytest.fixture
def joined(server, contract, packs):
    """Makes participants of this study."""

    def join(name):
        person = Person(server, contract, name=name).register()
        person.enrolment = person.call(
            "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
            json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": "Europe/Berlin", "language": "en"})
        return person

    return join


def drink(person, *answers):
    values = {f"q{number}": value for number, value in enumerate(answers, start=1)}
    return person.submit("audit_c", values, version="1.1.0")["sheet_id"]


def scores(investigator):
    """Sheet id -> score, from the feed of changes."""
    found, last = {}, 0
    while True:
        page = investigator.call("GET", f"/v1/studies/{STUDY}/changes", params={"after": last, "limit": 1000}, status=200)
        for change in page["items"]:
            if change["kind"] == "answer_sheet" and not change["deleted"] and change["body"]["scores"]:
                found[change["id"]] = change["body"]["scores"][0]
            last = max(last, change["change_seq"])
        if not page["items"]:
            return found


def bands(investigator, *sheets):
    found = scores(investigator)
    return [(found[sheet]["value"], found[sheet]["band"]) for sheet in sheets]


def test_a_cut_off_depends_on_the_answer_in_another_sheet(joined, investigator):
    ada, bob, eve = joined("Ada"), joined("Bob"), joined("Eve")
    ada.submit("about_you", {"sex": "female", "birth_year": 1990})
    bob.submit("about_you", {"sex": "male"})

    sheets = [drink(ada, 1, 1, 1), drink(bob, 1, 1, 1), drink(eve, 1, 1, 1)]

    assert bands(investigator, *sheets) == [(3, "positive"), (3, "below"), (3, None)]

    # A sheet that was completed before and arrives later changes stored scores. A sheet that was completed later does not.
    eve.submit("about_you", {"sex": "male"})
    assert bands(investigator, sheets[2]) == [(3, None)]
    eve.submit("about_you", {"sex": "female"}, started=after(hours=-2), completed=after(hours=-1))
    assert bands(investigator, sheets[2]) == [(3, "positive")]


def test_a_correction_of_the_covariate_changes_the_score(joined, investigator):
    ada = joined("Ada")
    about = ada.submit("about_you", {"sex": "female"})["sheet_id"]
    sheet = drink(ada, 3, 0, 0)
    assert bands(investigator, sheet) == [(3, "positive")]

    ada.call("PATCH", ada.own(f"/answer-sheets/{about}"), json={"answers": {"sex": "male"}}, status=200)

    assert bands(investigator, sheet) == [(3, "below")]


def test_a_corrected_key_rescores_stored_sheets(server, packs, joined, investigator, participant):
    people = [joined(name) for name in ("Ada", "Bob", "Eve", "Dan")]
    for person, sex in zip(people, ("female", "female", "male", "male")):
        person.submit("about_you", {"sex": sex})
    sheets = [drink(person, *answers) for person, answers in zip(people, ([1, 0, 0], [2, 0, 0], [1, 0, 0], [4, 4, 4]))]
    assert bands(investigator, *sheets) == [(1, "below"), (2, "below"), (1, "below"), (12, "positive")]
    before = int(server.sql("select count(*) from research.score"))
    stored = int(server.sql("select count(*) from research.answer_sheet where questionnaire = 'audit_c'"))
    correct_key(packs)

    said = json.loads(server.run("publish", write_study(packs, "1.1.0", "1.1.1"), "--json", "--keep-enrolled"))

    touches = said["rescoring"]["touches"]
    assert [(touch["version"], touch["keyed_by"], touch["sheets"], touch["changed_scales"]) for touch in touches] == [
        ("1.1.0", "1.1.1", stored, ["drinking"])]
    route = f"/v1/studies/{STUDY}/rescorings"
    job = f"{route}/{said['rescoring']['rescoring_id']}"
    report = wait_until(
        lambda: (found := investigator.call("GET", job, status=200))["state"] in ("settling", "done") and found, 60, "the job is done")
    assert report["progress"] == 1 and report["sheets_seen"] == stored and report["damaged_sheets"] == 0
    [scale] = report["scales"]
    assert (scale["scale"], scale["sheets"], scale["changed"], scale["became_null"]) == ("drinking", stored, stored, 0)
    assert scale["max_change"] == 12
    # Bob's 2 is 4 now. Sheets of other tests in this file may have changed too.
    assert {"from": "below", "to": "positive"}.items() <= scale["band_moves"][0].items()
    assert bands(investigator, *sheets) == [(2, "below"), (4, "positive"), (2, "below"), (24, "positive")]
    # The former scores are kept.
    assert int(server.sql("select count(*) from research.score")) == before + stored
    assert investigator.pages(route)[0]["rescoring_id"] == said["rescoring"]["rescoring_id"]

    # New sheets of participants who stay on their version use the corrected key at once.
    assert bands(investigator, drink(people[0], 1, 1, 0)) == [(4, "positive")]

    lines = server.run("score", "--study", STUDY, "--report", program="evaluator").splitlines()
    assert f"{stored} of {stored} sheets" in lines[0]
    assert lines[1].startswith(f"audit_c 1.1.0 drinking: {stored} sheets by key 1.1.1")
    assert json.loads(server.run("score", "--study", STUDY, "--json", program="evaluator"))["scored"] == 0

    # Publishing the older version again makes its key active again, with the scores that are stored.
    server.run("publish", write_study(packs, "1.0.0", "1.1.0"), "--keep-enrolled")
    wait_until(lambda: bands(investigator, *sheets)[1] == (2, "below"), 60, "the former scores are current")
    assert participant().call("GET", job).status_code in (403, 404)
