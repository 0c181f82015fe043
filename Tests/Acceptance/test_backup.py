"""Backups that are made under load, checked and restored; and a separate database that is restored to a point in time."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

from acceptance import answers
from acceptance.ledger import Ledger
from acceptance.moments import new_id
from acceptance.people import Person
from acceptance.server import BINARIES, Server, free_port, wait_until


@pytest.fixture(scope="module")
def busy():
    """A separate server with some participants."""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        yield server
    finally:
        server.remove()


def load(server, count, seed):
    people = [Person(server, name=f"Ledger {n}").register().enrol() for n in range(2)]
    ledger = Ledger(people, seed).start()
    wait_until(lambda: ledger.acknowledged_count() >= count, 60, "the load is under way")
    return ledger


def restored(master, backup, directory):
    """Restores a backup into a new data directory; the running server, and the report."""
    directory.mkdir()
    (directory / "keys").mkdir()
    shutil.copy(master, directory / "keys" / "master.key")
    server = Server(directory)
    report = json.loads(server.run("restore", backup, "--json"))
    return server, report


def test_a_backup_made_under_load_contains_all_sheets_acknowledged_before_it(busy, tmp_path):
    ledger = load(busy, 15, seed=1)

    def sheets():
        # Without sheets about walks, which the load may delete.
        return {
            name: entry for name, entry in list(ledger.acknowledged.items())
            if entry.record.kind == "answer_sheet" and "walk_id" not in entry.record.body}

    # The first sheet of a participant may be late.
    wait_until(lambda: {entry.record.person for entry in sheets().values()} == set(ledger.people), 60, "each participant has submitted a sheet")
    before = sheets()
    backup = tmp_path / "backup"
    made = json.loads(busy.run("backup", "--out", backup, "--json"))
    ledger.stop()
    assert made["checked"] is True and made["rows"] > 50 and oct(backup.stat().st_mode & 0o777) == "0o600"
    assert [path.name for path in tmp_path.iterdir()] == ["backup"], "there is no other file"
    # The file contains no readable personal data.
    text = backup.read_bytes()
    assert b"Ledger" not in text and b"example.org" not in text and b"daily_evening" not in text

    # The file name exists already, and the database is in use
    busy.run("backup", "--out", backup, status=1)
    busy.run("restore", backup, status=1)

    server, report = restored(busy.directory / "keys" / "master.key", backup, tmp_path / "new")
    try:
        assert report["tables"] == made["tables"]
        server.start()
        for person in ledger.people:
            twin = Person(server)
            twin.email, twin.password = person.email, person.password
            twin.enrolment = person.enrolment
            twin.log_in()
            stored = {sheet["sheet_id"]: sheet for sheet in twin.pages(twin.own("/answer-sheets"), limit=1000)}
            mine = {sheet_id for sheet_id, entry in before.items() if entry.record.person is person}
            assert mine and mine <= set(stored)
            # A device sends its unacknowledged records again. The server recognises restored records as replays.
            for sheet_id in list(mine)[:3]:
                again = twin.call(
                    "PUT", twin.own(f"/answer-sheets/{sheet_id}"), json=before[sheet_id].body, status=200)
                assert again["replayed"] is True
        assert server.stop() == 0
    finally:
        server.remove()


def followed(person, since=None):
    """The changes since a cursor: (kind, id) of each, and the next cursor."""
    items, more = [], True
    while more:
        page = person.call("GET", person.own("/sync"), params={"since": since} if since else {}, status=200)
        items, since, more = items + page["items"], page["next_since"], page["more"]
    return {(item["kind"], item["id"]): item["deleted"] for item in items}, since


def must_start_again(person, *cursors):
    for cursor in cursors:
        problem = person.problem("GET", person.own("/sync"), 400, "request-invalid", params={"since": cursor})
        assert [(error["pointer"], error["code"]) for error in problem["errors"]] == [("/since", "out_of_range")]


def test_a_cursor_from_before_a_restore_is_rejected(busy, tmp_path):
    ada = Person(busy).register().enrol()
    kept, lost = new_id(), new_id()
    body = ada.sheet("who_5", answers.WHO_5)
    ada.call("PUT", ada.own(f"/answer-sheets/{kept}"), json=body, status=201)
    _, before = followed(ada)
    backup = tmp_path / "backup"
    busy.run("backup", "--out", backup, "--no-check")
    late = ada.sheet("pss_10", answers.PSS_10)
    ada.call("PUT", ada.own(f"/answer-sheets/{lost}"), json=late, status=201)
    _, after_it = followed(ada, before)

    cursors = [before, after_it]
    for name in ("first", "second"):
        server, _ = restored(busy.directory / "keys" / "master.key", backup, tmp_path / name)
        try:
            server.start()
            twin = ada.on(server).log_in()
            must_start_again(twin, *cursors)
            known, since = followed(twin)
            assert ("answer_sheet", kept) in known and ("answer_sheet", lost) not in known
            # The change numbers are already greater than those in the device's cursors, and the cursors are still rejected.
            for _ in range(6 * (len(cursors) - 1)):
                twin.call("PATCH", twin.own(""), json={"language": "de"}, status=200)
                twin.call("PATCH", twin.own(""), json={"language": "en"}, status=200)
                followed(twin)
            must_start_again(twin, *cursors)
            # The device submits the records of its queue again.
            assert twin.call("PUT", twin.own(f"/answer-sheets/{kept}"), json=body, status=200)["replayed"]
            twin.call("PUT", twin.own(f"/answer-sheets/{lost}"), json=late, status=201)
            found, since = followed(twin, since)
            assert ("answer_sheet", lost) in found
            # A restart without a restore does not invalidate cursors.
            assert server.stop() == 0
            server.start()
            assert followed(twin, since) == ({}, since)
            cursors.append(since)
            assert server.stop() == 0
        finally:
            server.remove()
    assert followed(ada, after_it)[0].keys() <= {("enrolment", ada.enrolment["enrolment_id"])}, "without a restore the cursor is valid"


def test_persons_erased_after_a_backup_are_erased_again_after_its_restore(busy, tmp_path):
    ada, ben, cleo = [Person(busy, name=f"Erased {n}").register().enrol() for n in range(3)]
    for person in (ada, ben, cleo):
        person.submit("who_5", answers.WHO_5)
    backup = tmp_path / "backup"
    busy.run("backup", "--out", backup, "--no-check")
    before = busy.run("erasures")
    ada.call("DELETE", "/v1/account", json={"password": ada.password}, status=204)
    ben.call("POST", ben.own("/withdrawal"), json={"mode": "erase"}, status=204)
    list_of_all = busy.run("erasures")
    mine = [json.loads(line) for line in list_of_all.splitlines() if line not in before.splitlines()]
    assert sorted(line["kind"] for line in mine) == ["account", "enrolment", "enrolment"]
    for person in (ada, ben):
        assert person.enrolment["enrolment_id"] not in list_of_all and person.email not in list_of_all

    server, _ = restored(busy.directory / "keys" / "master.key", backup, tmp_path / "new")
    try:
        # An incomplete list erases no person.
        (tmp_path / "torn").write_text(list_of_all + "\n" + list_of_all.splitlines()[0][:-2])
        line = len(list_of_all.splitlines()) + 2
        torn = subprocess.run(
            [BINARIES / "saunter", "erasures", "--again", tmp_path / "torn"], env=server.environment, cwd=server.directory, capture_output=True,
            text=True, timeout=120)
        assert torn.returncode == 1 and torn.stderr == f"saunter: {tmp_path / 'torn'}:{line}: this line was not written by saunter erasures; nothing was erased\n"
        server.start()
        for person in (ada, ben):
            assert person.on(server).log_in().pages(person.own("/answer-sheets")), "the restore contains the person"
        assert server.stop() == 0

        (tmp_path / "list").write_text(list_of_all)
        listed = len(list_of_all.splitlines())
        reports = [json.loads(server.run("erasures", "--again", tmp_path / "list", "--json")) for _ in range(2)]
        assert reports == [
            {"listed": listed, "accounts": 1, "enrolments": 1}, {"listed": listed, "accounts": 0, "enrolments": 0}]

        server.start()
        ada.on(server).problem(
            "POST", "/v1/tokens", 401, "credentials-invalid", token=False, json={"email": ada.email, "password": ada.password})
        ben.on(server).log_in().problem("GET", ben.own(""), 404, "not-found")
        assert len(cleo.on(server).log_in().pages(cleo.own("/answer-sheets"))) == 1
        gone = ", ".join(f"'{person.enrolment['enrolment_id']}'" for person in (ada, ben))
        assert server.sql(f"select count(*) from research.answer_sheet where enrolment_id in ({gone})").strip() == "0"
        # The erasures are also on the list of this database.
        assert set(server.run("erasures").splitlines()) == set(list_of_all.splitlines())
        assert server.stop() == 0
    finally:
        server.remove()


def test_a_backup_that_is_damaged_truncated_or_of_another_key_is_rejected(busy, tmp_path):
    backup = tmp_path / "backup"
    busy.run("backup", "--out", backup, "--no-check")
    whole = bytearray(backup.read_bytes())
    master = busy.directory / "keys" / "master.key"
    other = tmp_path / "other.key"
    other.write_bytes(os.urandom(32))
    other.chmod(0o600)

    def rejected(name, content, *more, key=master):
        (tmp_path / name).write_bytes(content)
        directory = tmp_path / f"{name}-data"
        (directory / "keys").mkdir(parents=True)
        shutil.copy(key, directory / "keys" / "master.key")
        server = Server(directory)
        try:
            done = subprocess.run(
                [BINARIES / "saunter", "restore", tmp_path / name, *more], env=server.environment, cwd=directory,
                capture_output=True, text=True, timeout=120)
            assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1, done.stderr
            return done.stderr
        finally:
            server.remove()

    middle = bytearray(whole)
    middle[len(whole) // 2] ^= 1
    assert "damaged" in rejected("flipped", middle, "--check-only")
    assert "not complete" in rejected("cut", whole[: len(whole) * 2 // 3])
    assert "damaged" in rejected("longer", whole + b"x", "--check-only")
    assert "master key" in rejected("stranger", whole, key=other)
    assert "not a backup" in rejected("text", b"hello" * 100)
    busy.run("restore", backup, "--check-only")


# A separate database with continuous archiving, as the documentation describes it


class OwnPostgres:
    """A PostgreSQL that archives its log. It runs under an unprivileged user."""

    def __init__(self):
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))[-1]
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="saunter-pitr-"))
        self.data, self.archive = self.home / "data", self.home / "archive"
        self.archive.mkdir()
        self.port = free_port()
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
            shutil.chown(self.archive, "postgres", "postgres")

    def run(self, program, *arguments, status=0):
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(
            [self.programs / program, *map(str, arguments)], capture_output=True, text=True, cwd=self.home, timeout=120,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, **user)
        assert done.returncode == status, f"{program}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def make(self):
        self.run("initdb", "-D", self.data, "-U", "saunter", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
        self.settings(
            "archive_mode = on", f"archive_command = 'test ! -f {self.archive}/%f && cp %p {self.archive}/%f'",
            "wal_level = replica", "listen_addresses = '127.0.0.1'", f"port = {self.port}",
            f"unix_socket_directories = '{self.home}'")
        self.start()
        self.run("createdb", "-h", self.home, "-p", self.port, "-U", "saunter", "saunter")
        return self

    def settings(self, *lines):
        with open(self.data / "postgresql.conf", "a") as file:
            file.write("\n".join(lines) + "\n")

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-l", self.home / "log", "start")

    def stop(self):
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def sql(self, text):
        return self.run("psql", "-X", "-A", "-t", "-h", self.home, "-p", self.port, "-U", "saunter", "-d", "saunter", "-c", text).strip()

    @property
    def url(self):
        return f"host=127.0.0.1 port={self.port} user=saunter dbname=saunter"

    def remove(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)


def test_a_separate_database_is_restored_to_a_point_in_time(tmp_path):
    postgres = OwnPostgres()
    key = tmp_path / "master.key"
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    directory = tmp_path / "data"
    directory.mkdir()
    server = Server(directory, database_url=postgres.url, master_key=key)
    try:
        postgres.make()
        server.start()
        server.publish(lenient=True)
        first = load(server, 5, seed=3)
        postgres.run("pg_basebackup", "-h", postgres.home, "-p", postgres.port, "-U", "saunter", "-D", postgres.home / "base", "-c", "fast")
        wait_until(lambda: first.acknowledged_count() >= 12, 60, "more records are submitted")
        first.stop()
        device = first.people[1]
        _, known = followed(device)
        kept = set(first.acknowledged)
        moment = postgres.sql("select now()")
        # An accident: all data of one participant is deleted, and a new participant enrols.
        time.sleep(0.01)
        lost = first.people[0]
        postgres.sql(f"delete from research.enrolment where enrolment_id = '{lost.enrolment['enrolment_id']}'")
        second = load(server, 3, seed=4)
        second.stop()
        server.stop()
        # The archive lacks the last segment of the log. PostgreSQL archives a segment when it is full, or after archive_timeout.
        postgres.sql("select pg_switch_wal()")
        wait_until(lambda: postgres.sql("select last_archived_wal from pg_stat_archiver") != "", 30, "the log is archived")
        wait_until(
            lambda: postgres.sql(
                "select count(*) from pg_ls_archive_statusdir() where name like '%.ready'") == "0", 30, "all of it")
        postgres.stop()

        os.rename(postgres.data, postgres.home / "lost")
        os.rename(postgres.home / "base", postgres.data)
        postgres.settings(
            f"restore_command = 'cp {postgres.archive}/%f %p'", f"recovery_target_time = '{moment}'",
            "recovery_target_action = 'promote'", "archive_mode = off")
        (postgres.data / "recovery.signal").touch()
        if os.geteuid() == 0:
            shutil.chown(postgres.data / "recovery.signal", "postgres", "postgres")
        postgres.start()
        wait_until(lambda: postgres.sql("select pg_is_in_recovery()") == "f", 60, "the recovery has ended")

        server.run("restore", "--recovered")
        server.start()
        for person in first.people:
            person.log_in()
        first.reconcile()
        must_start_again(device, known)
        again, since = followed(device)
        assert again and followed(device, since) == ({}, since)
        assert kept == set(first.acknowledged)
        stored = postgres.sql("select count(*) from research.enrolment")
        assert stored == "2", "the database is that from before the accident"
        assert server.stop() == 0
    finally:
        server.remove()
        postgres.remove()
