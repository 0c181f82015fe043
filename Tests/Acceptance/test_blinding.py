"""A blinded study: its team finds the code of an arm in no response, no dataset and no stream, unless an account may see arms."""

import gzip
import html
import io
import itertools
import json
import re
import shutil
import zipfile

import pyarrow.parquet
import pytest

from acceptance import walks
from acceptance.browser import words
from acceptance.moments import new_id
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import log_in

PACKS = ROOT / "Tests" / "Acceptance" / "packs" / "hidden-arms"
CODES = ("zebracanary", "heroncanary")
# Codes and titles of arms contain it, and nothing else does.
CANARY = "canary"
LIBRARY = """
title: {en: Sayings}
fields: {body: text}
select: {daily: {per: person}, list: true}
items:
  - {id: slow, arms: zebracanary, body: Walk slowly.}
  - {id: calm, body: Stay calm.}
"""
PROFILES = ("coded", "full", "deidentified", "public")
CONTENTS = (
    "arm", "dag", "event", "exportFieldNames", "formEventMapping", "instrument", "metadata", "project", "record",
    "repeatingFormsEvents", "user", "version")


class Member(Person):
    """A member of the study team with one role."""

    def __init__(self, server, contract, study, role, *flags):
        super().__init__(server, contract, name="Rosa Field")
        made = server.run("account", "create", "--email", self.email, "--name", self.name, "--json")
        self.password = json.loads(made)["password"]
        server.run("account", "grant", "--email", self.email, "--role", role, "--study", study, *flags)
        self.log_in()


class Team:
    """A blinded study with participants in both arms, of whom one was moved, and its team."""

    def __init__(self, server, contract, folder, study, ratio=1, people=4):
        self.server, self.contract, self.study = server, contract, study
        shutil.copytree(PACKS / "instruments", folder / "instruments")
        pack = folder / "studies" / study
        shutil.copytree(PACKS / "studies" / "hidden-arms", pack)
        settings = (pack / "study.yaml").read_text()
        settings = settings.replace("code: hidden-arms", f"code: {study}").replace(f"{CODES[0]}, ratio: 1", f"{CODES[0]}, ratio: {ratio}")
        (pack / "study.yaml").write_text(settings.replace("block_sizes: [2]", f"block_sizes: [{1 + ratio}]"))
        (pack / "library").mkdir()
        (pack / "library" / "sayings.yaml").write_text(LIBRARY)
        server.run("publish", pack)
        self.people = [Person(server, contract, name="Ada Field").register().enrol(study=study) for _ in range(people)]
        self.sheets = [person.submit("pocket_note", {"mood": 3, "note": "Fine."})["sheet_id"] for person in self.people]
        self.walks = [new_id() for _ in self.people]
        for person, walk in zip(self.people, self.walks):
            person.call("PUT", person.own(f"/walks/{walk}"), json=walks.body(person.zone), status=201)
        self.blinded = Member(server, contract, study, "coordinator", "--full-export")
        self.seeing = Member(server, contract, study, "coordinator", "--full-export", "--sees-arms")
        # The draft has the arms in its files.
        editor = Member(server, contract, study, "coordinator", "--sees-arms")
        server.run("account", "grant", "--email", editor.email, "--role", "editor", "--study", study)
        editor.call("POST", self.path("/draft"), json={}, status=201)
        self.broadcast = new_id()
        moved = self.people[0]
        former = self.seeing.call("GET", self.arm_of(moved), status=200)["arm"]
        other = next(code for code in CODES if code != former)
        change = {"arm": other, "reason": f"Moved to {other}."}
        audience = {"audience": {"arms": list(CODES)}, "words": {"en": {"subject": "New times", "body": "At nine."}}}
        self.blinded.problem("PUT", self.arm_of(moved), 403, "arms-blinded", json=change)
        self.blinded.problem("PUT", self.path(f"/broadcasts/{self.broadcast}"), 403, "arms-blinded", json=audience)
        self.seeing.call("PUT", self.arm_of(moved), json=change, status=200)
        self.seeing.call("PUT", self.path(f"/broadcasts/{self.broadcast}"), json=audience, status=201)
        # The audit records by which arms a dataset was filtered.
        self.seeing.call("POST", self.path("/exports"), json={"profile": "deidentified", "arms": [CODES[0]]}, status=202)

    def path(self, end):
        return f"/v1/studies/{self.study}{end}"

    def participant(self, person):
        return self.path(f"/participants/{person.enrolment['participant_id']}")

    def arm_of(self, person):
        return self.participant(person) + "/arm"

    def routes(self, member):
        """Every GET of the study team and of readers: path -> bytes. Streams are read by `stream`."""
        fhir = member.call("GET", self.path("/fhir/QuestionnaireResponse"), status=None).json()
        values = {
            "study": [self.study], "participant": [person.enrolment["participant_id"] for person in self.people],
            "version": ["1.0.0"], "export": self.exports(member), "rescoring": [new_id()], "rule": ["none"], "questionnaire": ["pocket_note"], "code": ["pocket_note"], "collection": ["sayings"], "practice": ["pocket_note"],
            "sheet_id": self.sheets, "walk_id": self.walks, "broadcast_id": [self.broadcast], "questionnaire_id": ["pocket-note-1.0.0"],
            "response_id": [entry["resource"]["id"] for entry in fhir["entry"]],
            "entity_set": [entry["name"] for entry in member.call("GET", self.path("/odata/")).json()["value"]],
        }
        found = {}
        for method, path, operation in self.contract.operations():
            role = operation["description"].rsplit("For: ", 1)[1].rstrip(".")
            if method != "GET" or role not in ("researcher", "coordinator", "member", "reader") or path.endswith("/live"):
                continue
            names = [name for name in values if "{" + name + "}" in path]
            for chosen in itertools.product(*(values[name] for name in names)):
                address = path
                for name, value in zip(names, chosen):
                    address = address.replace("{" + name + "}", value)
                assert "{" not in address, f"this test has no value for a parameter of {path}"
                found[address] = member.call("GET", address).content
        return found

    def exports(self, member):
        """The ids of finished datasets of every profile, with the formats that the profile accepts."""
        ids = []
        for profile in PROFILES:
            body = {"profile": profile, "formats": ["excel"]}
            made = member.call("POST", self.path("/exports"), json=body, status=(200, 202))
            job = self.path(f"/exports/{made['export_id']}")

            def done(job=job):
                state = member.call("GET", job, status=200)
                assert state["state"] != "failed", state
                return state["state"] == "done"

            wait_until(done, 120, "the dataset is ready")
            ids.append(made["export_id"])
        return ids

    def clients(self, member):
        """What REDCap clients and programs with an API token get: request -> bytes."""
        token = member.call("POST", self.path("/api-tokens"), json={"label": "Notebook", "profile": "full"}, status=201)["token"]
        found = {}
        for content, form in itertools.product(CONTENTS, ("json", "csv")):
            fields = {"token": token, "content": content, "format": form, "type": "flat"}
            found[f"redcap {content} {form}"] = member.call("POST", self.path("/redcap/api/"), token=False, data=fields).content
        for table in ("participants", "enrolments", "arm_changes", "occasions", "sheets"):
            found[f"odata {table}"] = member.call("GET", self.path(f"/odata/{table}"), token=token).content
        return found

    def stream(self, member):
        """The events of the study since its beginning."""
        reply = member.call("GET", self.path("/live?after=0"), stream=True)
        seen = b""
        for line in reply.iter_lines():
            seen += line + b"\n"
            if seen.count(b"event: change") >= 4 or seen.count(b"event:change") >= 4:
                break
        reply.close()
        return {"live": seen}

    def pages(self, member):
        """The pages of the study that links lead to, and the table of each page: address -> bytes."""
        session = log_in(self.server.url, member.email, member.password)
        found, waiting = {}, ["/staff"]
        while waiting:
            path = waiting.pop()
            if path in found or not re.match(f"/staff($|[?]|/{self.study}(/|[?]|$))", path):
                continue
            # A rehearsal leads to each day, and a dry run to each simulated participant.
            tried = path.split("?")[0]
            if tried.endswith(("/draft/try", "/draft/dry-run")) and sum(other.split("?")[0] == tried for other in found) == 3:
                continue
            reply = session.get(self.server.url + path, timeout=60)
            assert reply.status_code == 200, (path, reply.status_code)
            found[path] = reply.content
            if reply.headers["Content-Type"].startswith("text/html"):
                waiting += [html.unescape(link) for link in re.findall(r'href="(/staff[^"#]*)', reply.text)]
        assert f"/staff/{self.study}/participants" in found, sorted(found)
        return found

    def sweep(self, member):
        """Everything that a member of the team can read. Archives are opened."""
        found = self.routes(member) | self.clients(member) | self.stream(member) | self.pages(member)
        return dict(part for label, data in found.items() for part in opened(label, data))


def opened(label, data):
    """The file, and if it is an archive, the files that it contains, with their names."""
    yield label, data
    if data.startswith(b"PK\x03\x04"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        for name in archive.namelist():
            yield f"{label}/{name} (name)", name.encode()
            yield from opened(f"{label}/{name}", archive.read(name))
    elif data.startswith(b"\x1f\x8b"):
        yield from opened(f"{label} (unzipped)", gzip.decompress(data))
    elif data.startswith(b"PAR1"):
        yield f"{label} (rows)", str(pyarrow.parquet.read_table(io.BytesIO(data)).to_pydict()).encode()


def showing(found):
    """The labels of what contains the code or the title of an arm."""
    return sorted(label for label, data in found.items() if CANARY in data.decode("utf-8", "replace").lower())


@pytest.fixture(scope="module")
def team(server, contract, tmp_path_factory):
    return Team(server, contract, tmp_path_factory.mktemp("hidden"), "hidden-arms")


def test_no_route_file_or_stream_shows_an_arm_to_an_account_that_may_not_see_arms(team):
    seen = team.sweep(team.seeing)
    blinded = team.sweep(team.blinded)

    # The same search finds arms in what an account with the permission reads, or it would prove nothing.
    labels = showing(seen)
    assert len(labels) >= 10
    for part in ("/participants", "/adherence", "/balance", "/changes", "/arm", "/odata/enrolments", "redcap arm", "/file/", f"/staff/{team.study}", "/timeline",
                 f"/staff/{team.study}/arms", f"/staff/{team.study}/walks", f"/staff/{team.study}/audit", f"/v1/studies/{team.study}/walks",
                 "/draft/pack", "/versions/1.0.0/difference", "/versions/1.0.0/pack",
                 f"/staff/{team.study}/draft/try", f"/staff/{team.study}/draft/dry-run", f"/staff/{team.study}/draft/file"):
        assert any(part in label for label in labels), part
    assert showing(blinded) == []
    assert sum("(name)" in label for label in blinded) >= 100, "datasets were opened"


def test_a_letter_means_the_same_arm_everywhere(team):
    codes = {row["participant_id"]: row["arm"] for row in team.seeing.pages(team.path("/participants"))}
    letters = {row["participant_id"]: row["arm"] for row in team.blinded.pages(team.path("/participants"))}
    meaning = {letters[name]: code for name, code in codes.items()}
    assert set(codes.values()) == set(CODES) and set(meaning) == {"A", "B"}
    assert {name: meaning[letter] for name, letter in letters.items()} == codes
    rows = team.blinded.call("GET", team.path("/odata/participants"), status=None).json()["value"]
    assert {row["participant_id"]: row["arm"] for row in rows} == letters
    feed = team.blinded.pages(team.path("/changes"))
    assert {change["participant_id"]: change["body"]["arm"] for change in feed if change["kind"] == "enrolment"} == letters
    assert all(change["body"]["allocation_position"] is None for change in feed if change["kind"] == "enrolment")


def test_unequal_ratios_show_no_numbers_by_arm_to_blinded_accounts(server, contract, tmp_path):
    team = Team(server, contract, tmp_path, "hidden-shares", ratio=2, people=2)
    # A worker puts the message into the inboxes.
    wait_until(
        lambda: team.seeing.call("GET", team.path("/broadcasts"), status=200)["items"][0]["addressed"] == 2, 60, "the message is addressed")
    found = {}
    for member in (team.seeing, team.blinded):
        get = lambda end, member=member: member.call("GET", team.path(end), status=200)  # noqa: E731
        overview = get("/overview?group=arm")
        [broadcast] = get("/broadcasts")["items"]
        groups = {course["group"] for course in overview["enrolment"]}
        found[member] = (
            {row["arm"] for row in get("/balance")["arms"]}, {row["arm"] for row in get("/adherence")["totals"]["arms"]}, overview["group"], groups,
            broadcast["audience"], set(broadcast["arms"]))
        assert broadcast["addressed"] == 2
    balance, totals, group, groups, audience, named = found[team.seeing]
    assert (balance, group, audience, named) == (set(CODES), "arm", "arms", set(CODES))
    assert totals and totals <= set(CODES) and groups and groups <= set(CODES)
    assert found[team.blinded] == (set(), set(), "none", {None}, "arms", set())
    # The pages and their files.
    session = log_in(server.url, team.blinded.email, team.blinded.password)
    page = f"{server.url}/staff/{team.study}"
    assert session.get(f"{page}/adherence?format=csv&table=arms", timeout=60).text.count("\n") == 1
    assert 'value="none" selected' in session.get(page, timeout=60).text
    assert words("broadcasts", "some_arms") in session.get(f"{page}/broadcasts", timeout=60).text


def test_datasets_with_codes_do_not_exist_for_blinded_accounts(team):
    [export] = [team.seeing.call("POST", team.path("/exports"), json={"profile": "coded"}, status=(200, 202))["export_id"]]
    for end in ("", "/file"):
        team.blinded.problem("GET", team.path(f"/exports/{export}{end}"), 404, "not-found")
    team.blinded.problem("DELETE", team.path(f"/exports/{export}"), 404, "not-found")
    own = team.blinded.call("POST", team.path("/exports"), json={"profile": "coded"}, status=(200, 202))["export_id"]
    assert own != export
    assert team.blinded.call("POST", team.path("/exports"), json={"profile": "coded"}, status=(200, 202))["export_id"] == own


def test_reading_one_arm_shows_it_to_coordinators_only_and_nowhere_else(team):
    person = team.people[1]
    rosa = Member(team.server, team.contract, team.study, "researcher")
    route = team.participant(person) + "/unblinding"
    code = team.seeing.call("GET", team.arm_of(person), status=200)["arm"]
    audited = "select count(*) from audit.entry where action = 'unblinded' and detail ->> 'scope' = 'participant'"
    before = int(team.server.sql(audited))
    rosa.problem("POST", route, 403, "not-permitted", json={"reason": "Curious."})
    for reason in ("", " \n", "x" * 1001, 7, None):
        team.blinded.problem("POST", route, 422, "body-invalid", json={"reason": reason})
    assert int(team.server.sql(audited)) == before

    read = team.blinded.call("POST", route, json={"reason": "Admitted to hospital."}, status=200)

    assert read == {"participant_id": person.enrolment["participant_id"], "arm": code}
    assert int(team.server.sql(audited)) == before + 1
    assert team.blinded.call("GET", team.arm_of(person), status=200)["arm"] == code
    assert CANARY not in rosa.call("GET", team.arm_of(person)).text
    assert CANARY not in team.blinded.call("GET", team.arm_of(team.people[2])).text
    assert showing(team.clients(team.blinded) | {"list": team.blinded.call("GET", team.path("/participants")).content}) == []
    [entry] = team.blinded.pages(team.path("/unblindings"))
    assert (entry["participant_id"], entry["reason"]) == (person.enrolment["participant_id"], "Admitted to hospital.")
    assert [entry["reason"] for entry in rosa.pages(team.path("/unblindings"))] == [None]
    person.call("POST", person.own("/withdrawal"), json={"mode": "erase"}, status=204)
    assert team.blinded.pages(team.path("/unblindings")) == []


def test_showing_all_arms_ends_the_blinding_for_the_whole_team(server, contract, tmp_path):
    team = Team(server, contract, tmp_path, "shown-arms")
    rosa = Member(server, contract, team.study, "researcher")
    body = {"reason": "The database is closed.", "study": team.study}
    rosa.problem("POST", team.path("/unblinding"), 403, "not-permitted", json=body)
    team.blinded.problem("POST", team.path("/unblinding"), 422, "body-invalid", json=body | {"study": "hidden-arms"})
    assert CANARY not in rosa.call("GET", team.path("/balance")).text

    team.blinded.call("POST", team.path("/unblinding"), json=body, status=204)

    assert {row["arm"] for row in rosa.pages(team.path("/participants"))} == set(CODES)
    assert {row["arm"] for row in rosa.call("GET", team.path("/odata/participants")).json()["value"]} == set(CODES)
    assert {row["arm"] for row in rosa.call("GET", team.path("/balance"), status=200)["arms"]} == set(CODES)
    team.blinded.problem("POST", team.path("/unblinding"), 409, "study-not-blinded", json=body)
    team.blinded.problem(
        "POST", team.participant(team.people[2]) + "/unblinding", 409, "study-not-blinded", json={"reason": "Again."})
    [entry] = rosa.pages(team.path("/unblindings"))
    assert entry["participant_id"] is None and entry["reason"] == "The database is closed."
    assert server.sql(f"select count(*) from audit.entry where action = 'unblinded' and study = '{team.study}'").strip() == "1"
