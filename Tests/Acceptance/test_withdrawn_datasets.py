"""Datasets that hold what somebody took back: they are offered no longer, and those made afterwards know nothing of the person."""

import concurrent.futures
import gzip
import hashlib
import io
import json
import pathlib
import zipfile
from types import SimpleNamespace

import pytest

from acceptance.moments import new_id
from acceptance.people import Person, Researcher
from acceptance.server import wait_until

PACKS = pathlib.Path(__file__).parent / "packs"
DIARY, TYPES = "pocket-diary", "all-types"
# Each study's questionnaire, and what is asked in it beside the note.
ASKED = {DIARY: ("pocket_note", {"mood": 4}), TYPES: ("all_types", {"consents": False})}


@pytest.fixture(scope="module")
def studies(server):
    """Two studies in which people write what they like."""
    for study in ASKED:
        server.run("publish", PACKS / study / "studies" / study)
    return list(ASKED)


class Keeper(Researcher):
    """A researcher of one study, free text included."""

    def __init__(self, server, contract, study):
        super().__init__(server, contract, study=study)
        server.run("account", "grant", "--email", self.email, "--role", "researcher", "--study", study, "--full-export")
        self.study = study
        self.route = f"/v1/studies/{study}/exports"

    def make(self, **body):
        """The address of a finished dataset."""
        made = self.call("POST", self.route, json={"profile": "full", "formats": ["excel", "fhir"]} | body, status=(200, 202))
        return self.settled(f"{self.route}/{made['export_id']}", "done")

    def settled(self, place, *wanted):
        def is_settled():
            state = self.state(place)["state"]
            assert state in ("queued", "running", *wanted), state
            return state in wanted

        wait_until(is_settled, 120, "the dataset is made")
        return place

    def state(self, place):
        return self.call("GET", place, status=200)

    def bytes(self, place):
        response = self.call("GET", place + "/file")
        assert response.status_code == 200, response.text
        return response.content

    def files(self, place):
        return unpacked("", self.bytes(place))


@pytest.fixture(scope="module")
def keepers(server, contract, studies):
    return {study: Keeper(server, contract, study) for study in studies}


@pytest.fixture
def writer(server, contract, studies):
    """Makes people who are in some of the studies, each with something of everything; what tells of them is noted."""

    def make(name, *joined):
        person = Person(server, contract, name=name).register()
        person.traces = {}
        for study in joined:
            enrolment = person.call(
                "POST", f"/v1/studies/{study}/enrolments", status=201,
                json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
            marker, sheet = f"canary-{new_id()}", new_id()
            questionnaire, given = ASKED[study]
            path = f"/v1/enrolments/{enrolment['enrolment_id']}"
            person.call(
                "PUT", f"{path}/answer-sheets/{sheet}", json=person.sheet(questionnaire, given | {"note": f"I met {marker} today"}), status=201)
            occasions = person.pages(path + "/occasions")
            person.traces[study] = [
                enrolment["enrolment_id"], enrolment["participant_id"], sheet, marker, *(one["occasion_id"] for one in occasions)]
            assert occasions
            person.enrolment = enrolment
        return person

    return make


def unpacked(name, data):
    """Every file in it, whatever it is packed in -> its bytes."""
    if data[:4] == b"PK\x03\x04":
        archive = zipfile.ZipFile(io.BytesIO(data))
        files = {}
        for member in archive.namelist():
            files |= unpacked(f"{name}/{member}", archive.read(member))
        return files
    if data[:2] == b"\x1f\x8b":
        return unpacked(name + "/", gzip.decompress(data))
    return {name: data}


def found(words, files):
    """Which of these words stand anywhere in the files, or in their names."""
    everything = b"\n".join([*files.values(), *(name.encode() for name in files)]).lower()
    return [word for word in words if word.lower().encode() in everything]


def check_gone(keeper, place, before, *others):
    """Nobody gets the dataset by any way that led to it before."""
    state = keeper.state(place)
    assert state["state"] == "deleted"
    assert state["file_name"] is None and state["expires_at"] is None
    # Its entity tag changed: who asks whether there is anything new is told.
    assert keeper.call("GET", place, headers={"If-None-Match": before.state_tag}).status_code == 200
    half = before.job["bytes"] // 2
    ways = [
        {}, {"If-None-Match": before.tag}, {"Range": "bytes=0-99"}, {"Range": f"bytes={half}-", "If-Range": before.tag},
        {"Range": f"bytes={before.job['bytes']}-"}]
    for who in (keeper, *others):
        for headers in ways:
            problem = who.problem("GET", place + "/file", 404, "not-found", headers=headers)
            assert problem["detail"] == "This dataset is deleted."
        assert who.call("HEAD", place + "/file").status_code == 404
    # Whoever is not logged in is not even told so much.
    keeper.problem("GET", place + "/file", 401, "token-invalid", token=False)


def noted(keeper, place):
    """What is known of a dataset and of its download while it is offered."""
    state, file = keeper.call("GET", place), keeper.call("GET", place + "/file")
    job = state.json()
    assert file.status_code == 200 and hashlib.sha256(file.content).hexdigest() == job["sha256"]
    return SimpleNamespace(job=job, state_tag=state.headers["etag"], tag=file.headers["etag"])


def check_kept(keeper, place, before):
    job = keeper.state(place)
    assert (job["state"], job["sha256"], job["file_name"]) == ("done", before.job["sha256"], before.job["file_name"])
    assert hashlib.sha256(keeper.bytes(place)).hexdigest() == before.job["sha256"]


def lying(server, place):
    """What the server's disk holds of a dataset."""
    return [path.name for path in (server.directory / "exports").iterdir() if place.rsplit("/", 1)[1] in path.name]


def waiting(server, table):
    """How many wait for a table that is held."""
    return int(server.sql(f"select count(*) from pg_locks where not granted and relation = '{table}'::regclass"))


def leave(person, mode):
    person.call("POST", person.own("/withdrawal"), json={"mode": mode}, status=204 if mode == "erase" else 200)


def leave_with_account(person):
    person.call("DELETE", "/v1/account", json={"password": person.password}, status=204)


@pytest.mark.parametrize("how", ["enrolment", "account", "excluded"])
def test_datasets_made_before_are_offered_no_longer_and_those_made_after_know_nothing_of_the_person(writer, keepers, server, contract, how):
    keeper = keepers[DIARY]
    ada, ben, cleo = (writer(f"{name} Canary", DIARY) for name in ("Ada", "Ben", "Cleo"))
    body = {"profile": "coded", "questionnaires": ["pocket_note"]}
    full, coded = keeper.make(), keeper.make(**body)
    before = {place: noted(keeper, place) for place in (full, coded)}
    # The search finds what is there: otherwise it would prove nothing afterwards.
    files = keeper.files(full)
    assert {"excel", "fhir", "data"} <= {name.split("/")[2] for name in files if name.count("/") > 2}
    for person in (ada, ben, cleo):
        assert found(person.traces[DIARY], files) == person.traces[DIARY]
    # Somebody else of the study had it by the same address.
    colleague = Keeper(server, contract, DIARY)
    check_kept(colleague, full, before[full])

    if how == "account":
        leave_with_account(ada)
    else:
        leave(ada, "erase" if how == "enrolment" else "exclude")

    for place in (full, coded):
        check_gone(keeper, place, before[place], colleague)
    # Who asks for the same again is not given what was made before.
    for place, wanted in ((full, {}), (coded, body)):
        later = keeper.make(**wanted)
        assert later != place and keeper.state(later)["sha256"] != before[place].job["sha256"]
        files = keeper.files(later)
        assert found(ada.traces[DIARY], files) == []
        for person in (ben, cleo):
            # The note stands in the full profile alone.
            assert set(person.traces[DIARY]) - set(found(person.traces[DIARY], files)) <= ({person.traces[DIARY][3]} if wanted else set())
        manifest = json.loads(next(data for name, data in files.items() if name.endswith("/manifest.json")))
        assert manifest["snapshot"]["change_seq"] > before[place].job["change_seq"]
    # Deleting what is gone changes nothing.
    keeper.call("DELETE", full, status=204)
    assert keeper.state(full)["state"] == "deleted"


def test_a_withdrawal_that_keeps_the_data_leaves_datasets_in_place(writer, keepers):
    keeper = keepers[DIARY]
    ada, ben = writer("Ada Canary", DIARY), writer("Ben Canary", DIARY)
    place = keeper.make()
    before = noted(keeper, place)

    leave(ada, "stop")

    check_kept(keeper, place, before)
    files = keeper.files(keeper.make())
    for person in (ada, ben):
        assert found(person.traces[DIARY], files) == person.traces[DIARY]

    # Who thinks again, and wants to be left out, is.
    later = keeper.make()
    known = noted(keeper, later)
    leave(ada, "exclude")
    check_gone(keeper, place, before)
    check_gone(keeper, later, known)
    last = keeper.make()
    assert found(ada.traces[DIARY], keeper.files(last)) == []
    # Asked again it is the same, and nobody's dataset is taken away for it.
    kept = noted(keeper, last)
    for mode in ("exclude", "stop"):
        leave(ada, mode)
        check_kept(keeper, last, kept)


def test_datasets_of_another_study_are_not_touched(writer, keepers, server):
    ada, ben = writer("Ada Canary", DIARY, TYPES), writer("Ben Canary", DIARY, TYPES)
    places = {study: keeper.make() for study, keeper in keepers.items()}
    before = {study: noted(keeper, places[study]) for study, keeper in keepers.items()}
    for study, keeper in keepers.items():
        files = keeper.files(places[study])
        for person in (ada, ben):
            assert found(person.traces[study], files) == person.traces[study]
            # Nor does one study's dataset tell of the same person in another.
            others = next(words for name, words in person.traces.items() if name != study)
            assert found(others, files) == []

    # The enrolment that was made last, which is in the study of types.
    leave(ada, "erase")

    check_gone(keepers[TYPES], places[TYPES], before[TYPES])
    check_kept(keepers[DIARY], places[DIARY], before[DIARY])
    files = keepers[DIARY].files(keepers[DIARY].make())
    assert found(ada.traces[DIARY], files) == ada.traces[DIARY]
    files = keepers[TYPES].files(keepers[TYPES].make())
    assert found(ada.traces[TYPES], files) == [] and found(ben.traces[TYPES], files) == ben.traces[TYPES]

    # Whoever goes with account and all goes from every study that they were in.
    places = {study: keeper.make() for study, keeper in keepers.items()}
    before = {study: noted(keeper, places[study]) for study, keeper in keepers.items()}
    leave_with_account(ben)
    for study, keeper in keepers.items():
        check_gone(keeper, places[study], before[study])
        assert found(ben.traces[study], keeper.files(keeper.make())) == []


def test_a_person_without_anything_in_a_study_takes_no_dataset_with_them(writer, keepers, server, contract):
    keeper = keepers[DIARY]
    writer("Ada Canary", DIARY)
    place = keeper.make()
    before = noted(keeper, place)
    leave_with_account(Person(server, contract, name="Nora Canary").register())
    check_kept(keeper, place, before)


def test_a_dataset_that_is_being_made_meanwhile_is_made_without_the_person(writer, keepers, server):
    keeper = keepers[DIARY]
    ada, ben = writer("Ada Canary", DIARY), writer("Ben Canary", DIARY)
    # The maker has begun to read, and waits; who is left out from now on does not need this table.
    with server.locked("research.score"):
        made = keeper.call("POST", keeper.route, json={"profile": "full"}, status=202)
        place = f"{keeper.route}/{made['export_id']}"
        wait_until(lambda: waiting(server, "research.score"), 30, "it has begun to read")
        assert keeper.state(place)["state"] == "running"
        leave(ada, "exclude")
        keeper.problem("GET", place + "/file", 503, "busy")

    keeper.settled(place, "done")
    files = keeper.files(place)
    assert found(ada.traces[DIARY], files) == []
    assert found(ben.traces[DIARY], files) == ben.traces[DIARY]


def test_whoever_is_erased_while_a_dataset_is_finished_is_in_none_that_is_offered(writer, keepers, server):
    """Whichever of the two comes first."""
    keeper = keepers[DIARY]
    ada = writer("Ada Canary", DIARY)
    # The maker and the erasure wait for the same table, and go on together.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with server.locked("research.walk"):
            made = keeper.call("POST", keeper.route, json={"profile": "full"}, status=202)
            place = f"{keeper.route}/{made['export_id']}"
            wait_until(lambda: waiting(server, "research.walk") == 1, 30, "it has begun to read")
            leaving = pool.submit(leave, ada, "erase")
            wait_until(lambda: waiting(server, "research.walk") == 2, 30, "both wait")
        leaving.result()

    keeper.settled(place, "done", "deleted")
    if keeper.state(place)["state"] == "done":
        assert found(ada.traces[DIARY], keeper.files(place)) == []
    assert found(ada.traces[DIARY], keeper.files(keeper.make())) == []


def test_nothing_of_what_was_taken_back_stays_on_the_servers_disk(writer, keepers, server):
    ada = writer("Ada Canary", DIARY, TYPES)
    places = {study: keeper.make() for study, keeper in keepers.items()}
    assert all(lying(server, place) for place in places.values())

    leave(ada, "erase")

    # It clears up once a minute.
    wait_until(lambda: not lying(server, places[TYPES]), 90, "its file is gone")
    assert lying(server, places[DIARY])
