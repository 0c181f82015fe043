"""Datasets with data of a participant who withdrew it: they are not offered any more, and later datasets do not contain the participant."""

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
# The questionnaire of each study, and its answers besides the note.
ASKED = {DIARY: ("pocket_note", {"mood": 4}), TYPES: ("all_types", {"consents": False})}


@pytest.fixture(scope="module")
def studies(server):
    """Two studies with free text."""
    for study in ASKED:
        server.run("publish", PACKS / study / "studies" / study)
    return list(ASKED)


class Keeper(Researcher):
    """A researcher of one study with the permission for free text."""

    def __init__(self, server, contract, study):
        super().__init__(server, contract, study=study)
        server.run("account", "grant", "--email", self.email, "--role", "researcher", "--study", study, "--full-export")
        self.study = study
        self.route = f"/v1/studies/{study}/exports"

    def make(self, **body):
        """Requests a dataset and waits for it; its path."""
        made = self.call("POST", self.route, json={"profile": "full", "formats": ["excel", "fhir"]} | body, status=(200, 202))
        return self.wait_for_state(f"{self.route}/{made['export_id']}", "done")

    def wait_for_state(self, job_path, *wanted):
        def is_finished():
            state = self.state(job_path)["state"]
            assert state in ("queued", "running", *wanted), state
            return state in wanted

        wait_until(is_finished, 120, "the dataset is ready")
        return job_path

    def state(self, job_path):
        return self.call("GET", job_path, status=200)

    def bytes(self, job_path):
        response = self.call("GET", job_path + "/file")
        assert response.status_code == 200, response.text
        return response.content

    def files(self, job_path):
        return unpacked("", self.bytes(job_path))


@pytest.fixture(scope="module")
def keepers(server, contract, studies):
    return {study: Keeper(server, contract, study) for study in studies}


@pytest.fixture
def writer(server, contract, studies):
    """Makes participants of some of the studies with records of every kind, and collects the words that identify them."""

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
    """File name -> bytes, also of files in nested archives."""
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
    """The words that occur in the files or in their names."""
    everything = b"\n".join([*files.values(), *(name.encode() for name in files)]).lower()
    return [word for word in words if word.lower().encode() in everything]


def check_gone(keeper, job_path, before, *others):
    """No request returns the dataset any more."""
    state = keeper.state(job_path)
    assert state["state"] == "deleted"
    assert state["file_name"] is None and state["expires_at"] is None
    # The ETag has changed, so a conditional request gets the new state.
    assert keeper.call("GET", job_path, headers={"If-None-Match": before.state_tag}).status_code == 200
    half = before.job["bytes"] // 2
    ways = [
        {}, {"If-None-Match": before.tag}, {"Range": "bytes=0-99"}, {"Range": f"bytes={half}-", "If-Range": before.tag},
        {"Range": f"bytes={before.job['bytes']}-"}]
    for who in (keeper, *others):
        for headers in ways:
            problem = who.problem("GET", job_path + "/file", 404, "not-found", headers=headers)
            assert problem["detail"] == "This dataset is deleted."
        assert who.call("HEAD", job_path + "/file").status_code == 404
    # Without a login the answer reveals less.
    keeper.problem("GET", job_path + "/file", 401, "token-invalid", token=False)


def snapshot(keeper, job_path):
    """The state and the download of an offered dataset."""
    state, file = keeper.call("GET", job_path), keeper.call("GET", job_path + "/file")
    job = state.json()
    assert file.status_code == 200 and hashlib.sha256(file.content).hexdigest() == job["sha256"]
    return SimpleNamespace(job=job, state_tag=state.headers["etag"], tag=file.headers["etag"])


def check_unchanged(keeper, job_path, before):
    job = keeper.state(job_path)
    assert (job["state"], job["sha256"], job["file_name"]) == ("done", before.job["sha256"], before.job["file_name"])
    assert hashlib.sha256(keeper.bytes(job_path)).hexdigest() == before.job["sha256"]


def files_on_disk(server, job_path):
    """The files of a dataset on the server's disk."""
    return [path.name for path in (server.directory / "exports").iterdir() if job_path.rsplit("/", 1)[1] in path.name]


def waiting(server, table, statement="%"):
    """The number of transactions that wait for a locked table in a statement like this one. The server's own work in the
    background, such as planning, may wait for the table as well."""
    return int(server.sql(f"""
        select count(*) from pg_locks join pg_stat_activity using (pid)
        where not granted and relation = '{table}'::regclass and query ilike '{statement}'"""))


def leave(person, mode):
    person.call("POST", person.own("/withdrawal"), json={"mode": mode}, status=204 if mode == "erase" else 200)


def leave_with_account(person):
    person.call("DELETE", "/v1/account", json={"password": person.password}, status=204)


@pytest.mark.parametrize("how", ["enrolment", "account", "excluded"])
def test_earlier_datasets_are_not_offered_any_more_and_later_ones_do_not_contain_the_participant(writer, keepers, server, contract, how):
    keeper = keepers[DIARY]
    ada, ben, cleo = (writer(f"{name} Canary", DIARY) for name in ("Ada", "Ben", "Cleo"))
    body = {"profile": "coded", "questionnaires": ["pocket_note"]}
    full, coded = keeper.make(), keeper.make(**body)
    before = {job_path: snapshot(keeper, job_path) for job_path in (full, coded)}
    # A control: before the withdrawal the search finds the words.
    files = keeper.files(full)
    assert {"excel", "fhir", "data"} <= {name.split("/")[2] for name in files if name.count("/") > 2}
    for person in (ada, ben, cleo):
        assert found(person.traces[DIARY], files) == person.traces[DIARY]
    # Another researcher of the study had the same dataset.
    colleague = Keeper(server, contract, DIARY)
    check_unchanged(colleague, full, before[full])

    if how == "account":
        leave_with_account(ada)
    else:
        leave(ada, "erase" if how == "enrolment" else "exclude")

    for job_path in (full, coded):
        check_gone(keeper, job_path, before[job_path], colleague)
    # A new request does not return the earlier dataset.
    for job_path, wanted in ((full, {}), (coded, body)):
        later = keeper.make(**wanted)
        assert later != job_path and keeper.state(later)["sha256"] != before[job_path].job["sha256"]
        files = keeper.files(later)
        assert found(ada.traces[DIARY], files) == []
        for person in (ben, cleo):
            # Only the full profile contains the note.
            assert set(person.traces[DIARY]) - set(found(person.traces[DIARY], files)) <= ({person.traces[DIARY][3]} if wanted else set())
        manifest = json.loads(next(data for name, data in files.items() if name.endswith("/manifest.json")))
        assert manifest["snapshot"]["change_seq"] > before[job_path].job["change_seq"]
    # The deletion of a dataset that is gone changes nothing.
    keeper.call("DELETE", full, status=204)
    assert keeper.state(full)["state"] == "deleted"


def test_a_withdrawal_that_keeps_the_data_does_not_affect_datasets(writer, keepers):
    keeper = keepers[DIARY]
    ada, ben = writer("Ada Canary", DIARY), writer("Ben Canary", DIARY)
    job_path = keeper.make()
    before = snapshot(keeper, job_path)

    leave(ada, "stop")

    check_unchanged(keeper, job_path, before)
    files = keeper.files(keeper.make())
    for person in (ada, ben):
        assert found(person.traces[DIARY], files) == person.traces[DIARY]

    # A later wish to be excluded is respected.
    later = keeper.make()
    known = snapshot(keeper, later)
    leave(ada, "exclude")
    check_gone(keeper, job_path, before)
    check_gone(keeper, later, known)
    last = keeper.make()
    assert found(ada.traces[DIARY], keeper.files(last)) == []
    # A repeated request changes nothing, and removes no dataset.
    kept = snapshot(keeper, last)
    for mode in ("exclude", "stop"):
        leave(ada, mode)
        check_unchanged(keeper, last, kept)


def test_datasets_of_another_study_are_not_affected(writer, keepers, server):
    ada, ben = writer("Ada Canary", DIARY, TYPES), writer("Ben Canary", DIARY, TYPES)
    job_paths = {study: keeper.make() for study, keeper in keepers.items()}
    before = {study: snapshot(keeper, job_paths[study]) for study, keeper in keepers.items()}
    for study, keeper in keepers.items():
        files = keeper.files(job_paths[study])
        for person in (ada, ben):
            assert found(person.traces[study], files) == person.traces[study]
            # The dataset of one study does not identify the same participant in another study.
            others = next(words for name, words in person.traces.items() if name != study)
            assert found(others, files) == []

    # The last enrolment, which is in the study with all item types.
    leave(ada, "erase")

    check_gone(keepers[TYPES], job_paths[TYPES], before[TYPES])
    check_unchanged(keepers[DIARY], job_paths[DIARY], before[DIARY])
    files = keepers[DIARY].files(keepers[DIARY].make())
    assert found(ada.traces[DIARY], files) == ada.traces[DIARY]
    files = keepers[TYPES].files(keepers[TYPES].make())
    assert found(ada.traces[TYPES], files) == [] and found(ben.traces[TYPES], files) == ben.traces[TYPES]

    # The erasure of an account affects all its studies.
    job_paths = {study: keeper.make() for study, keeper in keepers.items()}
    before = {study: snapshot(keeper, job_paths[study]) for study, keeper in keepers.items()}
    leave_with_account(ben)
    for study, keeper in keepers.items():
        check_gone(keeper, job_paths[study], before[study])
        assert found(ben.traces[study], keeper.files(keeper.make())) == []


def test_the_withdrawal_of_a_participant_without_records_affects_no_dataset(writer, keepers, server, contract):
    keeper = keepers[DIARY]
    writer("Ada Canary", DIARY)
    job_path = keeper.make()
    before = snapshot(keeper, job_path)
    leave_with_account(Person(server, contract, name="Nora Canary").register())
    check_unchanged(keeper, job_path, before)


def test_a_dataset_in_progress_is_finished_without_the_participant(writer, keepers, server):
    keeper = keepers[DIARY]
    ada, ben = writer("Ada Canary", DIARY), writer("Ben Canary", DIARY)
    # The export has begun to read, and waits. The exclusion does not need this table.
    with server.locked("research.rescored_sheet"):
        made = keeper.call("POST", keeper.route, json={"profile": "full"}, status=202)
        job_path = f"{keeper.route}/{made['export_id']}"
        wait_until(lambda: waiting(server, "research.rescored_sheet"), 30, "the export reads")
        assert keeper.state(job_path)["state"] == "running"
        leave(ada, "exclude")
        keeper.problem("GET", job_path + "/file", 503, "busy")

    keeper.wait_for_state(job_path, "done")
    files = keeper.files(job_path)
    assert found(ada.traces[DIARY], files) == []
    assert found(ben.traces[DIARY], files) == ben.traces[DIARY]


def test_a_participant_who_is_erased_while_a_dataset_is_finished_is_in_no_offered_dataset(writer, keepers, server):
    """In any order of the two."""
    keeper = keepers[DIARY]
    ada = writer("Ada Canary", DIARY)
    # The export and the erasure wait for the same table, and continue at the same time.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with server.locked("research.walk"):
            made = keeper.call("POST", keeper.route, json={"profile": "full"}, status=202)
            job_path = f"{keeper.route}/{made['export_id']}"
            wait_until(lambda: keeper.state(job_path)["state"] == "running", 30, "the export has begun")
            wait_until(lambda: waiting(server, "research.walk"), 30, "the export reads")
            leaving = pool.submit(leave, ada, "erase")
            wait_until(lambda: waiting(server, "research.walk", "%delete%"), 30, "the erasure waits")
        leaving.result()

    keeper.wait_for_state(job_path, "done", "deleted")
    if keeper.state(job_path)["state"] == "done":
        assert found(ada.traces[DIARY], keeper.files(job_path)) == []
    assert found(ada.traces[DIARY], keeper.files(keeper.make())) == []


def test_withdrawn_datasets_are_removed_from_the_servers_disk(writer, keepers, server):
    ada = writer("Ada Canary", DIARY, TYPES)
    job_paths = {study: keeper.make() for study, keeper in keepers.items()}
    assert all(files_on_disk(server, job_path) for job_path in job_paths.values())

    leave(ada, "erase")

    # The server removes files once a minute.
    wait_until(lambda: not files_on_disk(server, job_paths[TYPES]), 90, "the file is removed")
    assert files_on_disk(server, job_paths[DIARY])
