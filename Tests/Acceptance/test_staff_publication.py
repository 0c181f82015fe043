"""Editing, previewing and publishing a study with participants: the preview states what then happens in the database."""

import random
import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from acceptance.people import Person
from test_staff_drafts import Colleague

LIBRARY = """title: {en: Sayings}
fields: {body: text}
select: {daily: {per: person}, list: true}
items:
  - {id: slow, body: WORDS}
"""


class Study:
    """A published study of seven days, with an editor and participants. A plan of seven days is stored completely."""

    def __init__(self, server, contract):
        self.server, self.contract = server, contract
        self.editor = Colleague(server, contract, [("editor", "mindful-walking")])
        self.code = f"q{uuid.uuid4().hex[:12]}"
        body = {"study": self.code, "title": "Sleep", "language": "en", "time_zone": "UTC", "days": 7}
        self.editor.call("POST", "/v1/staff/studies", json=body, status=201)
        self.version = "1.0.0"
        assert self.publish(1)["published"]
        self.people = [Person(server, contract, zone="UTC").register().enrol(study=self.code) for _ in range(4)]

    def path(self, end=""):
        return f"/v1/studies/{self.code}{end}"

    def file(self, name):
        return self.editor.call("GET", self.path(f"/draft/file?path=studies/{self.code}/{name}"), status=200)["text"]

    def write(self, name, text, revision):
        state = self.editor.call(
            "PUT", self.path(f"/draft/file?path=studies/{self.code}/{name}"), json={"text": text},
            headers={"If-Match": f'"{revision}"'}, status=200)
        return state["revision"]

    def edit(self, schedule, days=None):
        """Starts a draft with the next version and this change of the schedule; its revision."""
        revision = self.editor.call("POST", self.path("/draft"), json={}, status=201)["revision"]
        self.version = f"1.{int(self.version.split('.')[1]) + 1}.0"
        settings = re.sub(r"(?m)^version: .*$", f"version: {self.version}", self.file("study.yaml"))
        if days:
            settings = re.sub(r"(?m)^days: \d+", f"days: {days}", settings)
        revision = self.write("study.yaml", settings, revision)
        return self.write("schedule.yaml", schedule(self.file("schedule.yaml")), revision)

    def preview(self):
        return self.editor.call("GET", self.path("/draft/preview"), status=200)

    def publish(self, revision, moves=True, status=200, **more):
        body = {"confirm": self.code, "move_enrolments": moves} | more
        return self.editor.call(
            "POST", self.path("/draft/publication"), json=body, headers={"If-Match": f'"{revision}"'}, status=status)

    def occasions(self):
        """The planned occasions: (enrolment, occasion) -> whether it is not open yet, its window and questionnaire."""
        rows = self.server.sql(f"""
            select enrolment_id, occasion_id, open_at > now(), open_at, due_at, close_at, questionnaire
            from research.occasion join research.enrolment using (enrolment_id)
            where study = '{self.code}' and set_aside is null""")
        return {tuple(row.split("|")[:2]): tuple(row.split("|")[2:]) for row in rows.splitlines()}


@pytest.fixture(scope="module")
def study(server, contract):
    return Study(server, contract)


def difference(before, after):
    """What happened to occasions, in the words of the preview."""
    future = {key for key, (waits, *_) in before.items() if waits == "t"}
    return {
        "moved": sum(before[key][1:] != after[key][1:] for key in future & after.keys()),
        "cancelled": len(future - after.keys()), "added": len(after.keys() - before.keys())}


@pytest.mark.parametrize("seed", range(4))
def test_the_preview_states_exactly_what_then_happens(study, seed):
    draw = random.Random(seed)
    hour, last, every = draw.randrange(24), draw.randrange(3, 8), draw.choice((1, 1, 2))

    def schedule(text):
        text = re.sub(r'open: "\d\d:\d\d"', f'open: "{hour:02}:{draw.randrange(10, 50)}"', text)
        return re.sub(r"days: \d+, until_day: \d+", f"days: {every}, until_day: {last}", text)

    revision = study.edit(schedule, days=max(7, last + 1))
    preview = study.preview()
    assert preview["publishable"] and preview["kind"] == "version", preview["problems"]
    assert preview["effect"]["complete"] and preview["effect"]["through"] is None
    assert preview["numbers"]["enrolments"] == len(study.people)
    before = study.occasions()
    assert study.preview()["numbers"] == preview["numbers"], "a preview writes nothing"

    done = study.publish(revision, expected=preview["numbers"])

    assert done["differs"] == [] and done["superseded_by"] is None and done["remaining"] == 0
    assert done["moved"] == len(study.people) and done["published"] and done["version"] == study.version
    happened = difference(before, study.occasions())
    assert happened == {name: preview["numbers"][name] for name in happened}
    newest = study.editor.call("GET", study.path("/versions"), status=200)["items"][0]
    assert (newest["version"], newest["live"], newest["enrolments"]) == (study.version, True, len(study.people))
    changed = study.editor.call("GET", study.path(f"/versions/{study.version}/difference"), status=200)
    kinds = {group["kind"] for group in changed["groups"]}
    assert "study" in kinds and kinds <= {"study", "schedule"}


def test_participants_stay_on_their_version_if_the_editor_wants_it(study):
    revision = study.edit(lambda text: text.replace("close_after: 7h", "close_after: 6h"))
    before = study.occasions()

    done = study.publish(revision, moves=False, expected={"enrolments": 0})

    assert done["moved"] is None
    study.editor.problem("GET", study.path("/draft/preview"), 404, "not-found")
    assert done["differs"] == [{"name": "enrolments", "expected": 0, "happened": len(study.people)}]
    assert difference(before, study.occasions()) == {"moved": 0, "cancelled": 0, "added": 0}
    # A draft without changes lets them follow later.
    revision = study.editor.call("POST", study.path("/draft"), json={}, status=201)["revision"]
    assert study.preview()["kind"] == "version"
    done = study.publish(revision)
    assert not done["published"] and done["moved"] == len(study.people)


def test_a_changed_library_needs_no_new_version(study):
    for edition, words in ((1, "Walk slowly."), (2, "Walk.")):
        revision = study.editor.call("POST", study.path("/draft"), json={}, status=201)["revision"]
        revision = study.write("library/sayings.yaml", LIBRARY.replace("WORDS", words), revision)
        preview = study.preview()
        assert (preview["kind"], preview["edition"], preview["publishable"]) == ("edition", edition, True), preview
        [group] = study.editor.call("GET", study.path("/draft/difference"), status=200)["groups"]
        assert group["kind"] == "library"
        done = study.publish(revision, moves=False)
        assert done["edition_published"] and not done["published"] and done["edition"] == edition
    assert [item["edition"] for item in study.editor.call("GET", study.path("/versions"), status=200)["editions"]] == [2, 1]


def test_a_version_that_is_taken_is_refused_and_the_draft_stays(study):
    revision = study.edit(lambda text: text.replace("visible_before: 1h", "visible_before: 2h"))
    settings = re.sub(r"(?m)^version: .*$", "version: 1.0.0", study.file("study.yaml"))
    revision = study.write("study.yaml", settings, revision)
    preview = study.preview()
    assert not preview["publishable"] and "already published" in preview["problems"][0]
    refused = study.editor.problem(
        "POST", study.path("/draft/publication"), 409, "not-publishable",
        json={"confirm": study.code, "move_enrolments": True}, headers={"If-Match": f'"{revision}"'})
    assert refused["problems"] == preview["problems"]
    study.editor.problem(
        "POST", study.path("/draft/publication"), 412, "precondition-failed",
        json={"confirm": study.code, "move_enrolments": True}, headers={"If-Match": f'"{revision - 1}"'})
    assert study.editor.call("GET", study.path("/draft"), status=200)["revision"] == revision

    # The version is free again, and two editors publish it at once.
    revision = study.write("study.yaml", settings.replace("version: 1.0.0", f"version: {study.version}", 1), revision)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: study.publish(revision, status=(200, 404)), range(2)))
    assert sum(bool(answer.get("published")) for answer in answers) == 1
    audited = study.server.sql(f"""
        select count(*) from audit.entry where action = 'version_published' and study = '{study.code}'
        and detail->>'version' = '{study.version}'""")
    assert int(audited) == 1
    study.editor.problem("GET", study.path("/draft/preview"), 404, "not-found")


def test_members_read_versions_and_only_editors_publish(study, server, contract):
    member = Colleague(server, contract, [("researcher", study.code)])
    assert member.call("GET", study.path("/versions"), status=200)["items"]
    assert member.call("GET", study.path("/versions/1.1.0/difference"), status=200)["from"] == "1.0.0"
    member.problem("GET", study.path("/draft/preview"), 403, "not-permitted")
    member.problem(
        "POST", study.path("/draft/publication"), 403, "not-permitted",
        json={"confirm": study.code, "move_enrolments": False}, headers={"If-Match": '"1"'})
