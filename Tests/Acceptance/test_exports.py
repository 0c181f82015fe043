"""Who may have which dataset, and what a profile leaves of people, from outside."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import pty
import shutil
import socket
import subprocess
import zipfile

import pytest

from acceptance import answers
from acceptance.faults.storm import resident
from acceptance.people import Person, Researcher
from acceptance.server import BINARIES, Server, wait_until

ROUTE = "/v1/studies/mindful-walking/exports"


@pytest.fixture(scope="module")
def custodian(server, contract):
    """A researcher with the second permission."""
    person = Researcher(server, contract)
    server.run("account", "grant", "--email", person.email, "--role", "researcher", "--study", "mindful-walking", "--full-export")
    return person


def finished(researcher, **body):
    made = researcher.call("POST", ROUTE, json=body, status=(200, 202))
    place = f"{ROUTE}/{made['export_id']}"

    def done():
        job = researcher.call("GET", place, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    # One with a million samples takes a slow machine minutes.
    wait_until(done, 400, "the export is done")
    return place


def files(researcher, place):
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", place + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def test_the_full_profile_takes_a_permission_of_its_own(researcher, custodian, participant):
    participant().hand_in("daily_evening", answers.DAILY)
    refused = researcher.call("POST", ROUTE, json={"profile": "full"})
    assert refused.status_code == 403 and refused.json()["type"].endswith("/not-permitted"), refused.text

    place = finished(custodian, profile="full")

    assert "data/text_revisions.csv" in files(custodian, place)
    # What another may have is no way around one's own right.
    for address in (place, place + "/file"):
        assert researcher.call("GET", address).status_code == 403
    assert researcher.call("GET", finished(custodian, profile="coded")).status_code == 200


def test_less_than_ones_right_is_always_allowed(researcher, participant):
    ada = participant(name="Ada Canary")
    sheet = ada.hand_in("daily_evening", answers.DAILY)["sheet_id"]

    released = files(researcher, finished(researcher, profile="deidentified", formats=["spss", "stata", "excel", "fhir"]))
    counted = files(researcher, finished(researcher, profile="public"))

    assert {"spss/sheets.sav", "stata/sheets.dta", "excel/sheets.xlsx", "fhir/questionnaire_responses.json"} <= set(released)
    for content in [*released.values(), *counted.values()]:
        for word in (ada.enrolment["enrolment_id"], ada.enrolment["participant_id"], sheet):
            assert word.encode() not in content
    assert "data/participants.csv" not in counted and "data/public_people.csv" in counted


def test_counts_are_of_the_whole_study(researcher):
    refused = researcher.call("POST", ROUTE, json={"profile": "public", "from": "2026-01-01"})
    assert refused.status_code == 400, refused.text


def test_dates_that_end_before_they_begin_are_refused(researcher, server, tmp_path):
    told = researcher.problem("POST", ROUTE, 400, "request-invalid", json={"profile": "coded", "from": "2026-11-20", "to": "2026-11-10"})
    assert told["detail"] == "the last date, 2026-11-10, lies before the first, 2026-11-20"
    server.run(
        "export", "--study", "mindful-walking", "--from", "2026-11-20", "--to", "2026-11-10", "--out", tmp_path / "none", program="evaluator",
        status=2)
    assert not (tmp_path / "none").exists()


def test_the_command_line_makes_the_same_release(researcher, server, tmp_path):
    # A window that opens or closes in between makes another release: then both are made again.
    for attempt in range(3):
        target = tmp_path / f"release-{attempt}"
        server.run(
            "export", "--study", "mindful-walking", "--out", target, "--profile", "deidentified", program="evaluator")
        released = files(researcher, finished(researcher, profile="deidentified"))
        made = json.loads((target / "manifest.json").read_text())["snapshot"]["as_of"]
        if made == json.loads(released["manifest.json"])["snapshot"]["as_of"]:
            break

    for name in ("data/participants.csv", "data/sheets.csv"):
        assert (target / name).read_bytes() == released[name]


def test_what_was_made_is_not_made_again_until_something_changes(researcher, server, participant):
    ada = participant()
    ada.hand_in("who_5", answers.WHO_5)
    body = {"profile": "coded", "questionnaires": ["who_5", "maas"], "formats": ["fhir"]}
    # A window that opens or closes in between is a change too: then it is tried again.
    for attempt in range(3):
        place = finished(researcher, **body)
        first = researcher.call("GET", place, status=200)
        again = researcher.call("POST", ROUTE, json=body | {"questionnaires": ["maas", "who_5", "maas"]})
        if again.status_code == 200:
            break
    assert again.status_code == 200 and again.json()["export_id"] == first["export_id"], again.text
    assert again.headers["location"].endswith(place) and again.json()["expires_at"] >= first["expires_at"]
    other = finished(researcher, profile="coded", questionnaires=["maas"], formats=["fhir"])
    assert other != place

    # Its state and its file are told once.
    response = researcher.call("GET", place)
    tag = response.headers["etag"]
    assert researcher.call("GET", place, headers={"If-None-Match": tag}).status_code == 304
    file_tag = researcher.call("GET", place + "/file").headers["etag"]
    assert researcher.call("GET", place + "/file", headers={"If-None-Match": file_tag}).status_code == 304
    manifest = json.loads(files(researcher, place)["manifest.json"])
    assert manifest["snapshot"]["change_seq"] == first["change_seq"] and manifest["snapshot"]["id"] == first["snapshot"]

    ben = participant(name="Ben Canary")
    ben.hand_in("who_5", answers.WHO_5)
    later = researcher.call("GET", finished(researcher, **body), status=200)
    assert later["export_id"] != first["export_id"] and later["sha256"] != first["sha256"]
    # The feed goes on where the dataset ends.
    feed = researcher.call("GET", f"/v1/studies/mindful-walking/changes?after={first['change_seq']}", status=200)
    assert {item["participant_id"] for item in feed["items"]} == {ben.enrolment["participant_id"]}
    rest = researcher.call("GET", f"/v1/studies/mindful-walking/changes?after={later['change_seq']}", status=200)
    assert rest["items"] == [] and rest["change_seq"] == later["change_seq"]


def test_one_snapshot_has_the_same_bytes_wherever_and_by_whoever_it_is_made(researcher, custodian, server, tmp_path):
    forms = ["excel", "spss", "stata", "fhir"]

    def by_command(name, **environment):
        folder = tmp_path / name
        server.run(
            "export", "--study", "mindful-walking", "--out", folder, "--zip", *[word for form in forms for word in ("--format", form)],
            program="evaluator", **environment)
        (path,) = folder.iterdir()
        return path.name, hashlib.sha256(path.read_bytes()).hexdigest()

    # A window that opens or closes in between makes another snapshot: then all are made again.
    for attempt in range(3):
        here = by_command(f"here-{attempt}", TZ="America/New_York", LC_ALL="C")
        there = by_command(f"there-{attempt}", TZ="Asia/Kathmandu", LC_ALL="C.UTF-8")
        made, other = (
            who.call("GET", finished(who, profile="coded", formats=forms), status=200) for who in (researcher, custodian))
        if len({here[0], there[0], made["file_name"], other["file_name"]}) == 1:
            break
    assert here == there == (made["file_name"], made["sha256"])
    assert other["sha256"] == made["sha256"]


def leftovers(server, job):
    """What lies in the server's folder of a job."""
    folder = server.directory / "exports"
    return sorted(path.name for path in folder.iterdir() if job["export_id"] in path.name) if folder.exists() else []


def state(researcher, job):
    return researcher.call("GET", f"{ROUTE}/{job['export_id']}", status=200)


def audited(server, job):
    text = server.sql(f"select action from audit.entry where detail ->> 'export_id' = '{job['export_id']}' order by entry_id")
    return text.split()


def test_a_dataset_that_nobody_wants_any_more_is_stopped(researcher, server):
    with server.locked("research.walk"):
        job = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["stata"]}, status=202)
        wait_until(lambda: state(researcher, job)["state"] == "running", 30, "it is begun")
        same = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["stata"]}, status=202)
        waiting = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["spss"]}, status=202)
        assert same["export_id"] == job["export_id"] and waiting["state"] == "queued"
        assert researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").status_code == 503
        for one in (job, waiting):
            for _ in range(2):
                researcher.call("DELETE", f"{ROUTE}/{one['export_id']}", status=204)
            assert state(researcher, one)["state"] == "cancelled"
        # It stops although the table is still held.
        wait_until(lambda: leftovers(server, job) == [], 30, "what was half made is gone")
        active = "select count(*) from pg_stat_activity where application_name = 'saunter-datasets' and state <> 'idle'"
        wait_until(lambda: server.sql(active).strip() == "0", 30, "its statement has ended")
    assert audited(server, job) == ["export_requested", "export_requested", "export_cancelled"]
    assert researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").status_code == 404


def test_a_file_is_taken_away_before_its_time(researcher, server, participant):
    participant().hand_in("who_5", answers.WHO_5)
    body = {"profile": "coded", "questionnaires": ["who_5"]}
    place = finished(researcher, **body)
    job = researcher.call("GET", place, status=200)
    wait_until(lambda: leftovers(server, job) == [job["export_id"] + ".zip"], 30, "the rest is cleared away")
    assert job["rows_done"] == job["rows_estimated"] > 0 and job["progress"] == 1

    researcher.call("DELETE", place, status=204)

    assert leftovers(server, job) == [] and state(researcher, job)["state"] == "deleted"
    assert researcher.call("GET", place + "/file").status_code == 404
    assert audited(server, job)[-1] == "export_deleted" and "export_made" in audited(server, job)
    assert finished(researcher, **body) != place


@pytest.fixture(scope="module")
def fragile():
    """A server of its own, which may be killed, with somebody in its study and a researcher."""
    server = Server()
    try:
        server.start()
        server.publish()
        Person(server).register().enrol().hand_in("daily_evening", answers.DAILY)
        server.researcher = Researcher(server)
        yield server
    finally:
        server.remove()


def test_a_server_that_dies_while_it_makes_a_dataset_makes_it_when_it_is_back(fragile):
    researcher = fragile.researcher
    with fragile.locked("research.walk"):
        job = researcher.call("POST", ROUTE, json={"profile": "coded"}, status=202)
        wait_until(lambda: leftovers(fragile, job), 30, "something is half made")
        fragile.kill()
        assert not any(name.endswith(".zip") for name in leftovers(fragile, job))
    fragile.start()

    # Its lease has to be over first.
    wait_until(lambda: state(researcher, job)["state"] == "done", 90, "it is made")
    data = researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").content
    assert hashlib.sha256(data).hexdigest() == state(researcher, job)["sha256"]
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    wait_until(lambda: leftovers(fragile, job) == [job["export_id"] + ".zip"], 30, "the rest is cleared away")
    assert audited(fragile, job) == ["export_requested", "export_made"]


def make_noise(server, samples):
    """A walk which no zip makes so small that it would fit into the buffers on its way, in place of the one before."""
    server.sql(f"""
        delete from research.walk where body_sha256 = '';
        insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, flags,
          pauses_ms, t_ms, speed_kmh, elapsed_s, active_s, body_sha256)
        select enrolment_id, gen_random_uuid(), now(), now(), now(), zone, 0, 0, '{{}}', '{{}}', array_agg(n order by n), array_agg(random()), 1, 1, ''
        from research.enrolment, generate_series(1, {samples}) as n group by enrolment_id, zone""")


def begin_download(server, place, researcher):
    """A reader that takes little at a time, so that most of the file is still with the server."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", server.port))
    slow.sendall(
        f"GET {place}/file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {researcher.tokens['access_token']}\r\n\r\n".encode())
    return slow


def test_slow_readers_of_a_dataset_hold_up_nobody_and_are_let_go(fragile):
    researcher = fragile.researcher
    make_noise(fragile, 1_000_000)
    place = finished(researcher, profile="coded")
    job = researcher.call("GET", place, status=200)
    assert job["bytes"] > 6 << 20, "more than the system takes on the way"
    wait_until(lambda: sent(fragile) == 0, 30, "nothing is sent")
    before = resident(fragile)
    with contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(begin_download(fragile, place, researcher)) for _ in range(60)]
        wait_until(lambda: sent(fragile) == len(crowd), 30, "all of them are sent to")
        for slow in crowd:
            slow.setblocking(False)

        def are_let_go():
            for slow in crowd:
                with contextlib.suppress(OSError):  # It has nothing, or is let go.
                    slow.recv(5)
            return sent(fragile) == 0

        # Meanwhile others get all of it, and hand in; no connection to the database is held.
        others = [researcher.call("GET", place + "/file").content for _ in range(3)]
        Person(fragile).register().enrol().hand_in("daily_evening", answers.DAILY)
        busy = "select count(*) from pg_stat_activity where application_name like 'saunter%' and state <> 'idle'"
        wait_until(lambda: fragile.sql(busy).strip() == "0", 30, "no connection to the database is held")
        assert not are_let_go() and resident(fragile) - before < 96 << 20
        assert {hashlib.sha256(data).hexdigest() for data in others} == {job["sha256"]}
        wait_until(are_let_go, 200, "they are let go")
    assert hashlib.sha256(researcher.call("GET", place + "/file").content).hexdigest() == job["sha256"]


def sent(server):
    """How many times the server has datasets open: once for each that is being sent."""
    count = 0
    for descriptor in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(descriptor).endswith(".zip")
    return count


def test_a_download_that_was_cut_shows_it_and_goes_on(fragile):
    researcher = fragile.researcher
    make_noise(fragile, 250_000)
    place = finished(researcher, profile="coded")
    job = researcher.call("GET", place, status=200)
    with begin_download(fragile, place, researcher) as slow:
        got = b""
        while b"\r\n\r\n" not in got or len(got) < 20_000:
            got += slow.recv(4096)
        fragile.kill()
        try:
            while piece := slow.recv(65536):
                got += piece
        except ConnectionError:
            pass
    head, part = got.split(b"\r\n\r\n", 1)
    headers = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
    assert int(headers[b"content-length"]) == job["bytes"] and 0 < len(part) < job["bytes"]
    fragile.start()

    tag = headers[b"etag"].decode()
    rest = researcher.call("GET", place + "/file", headers={"Range": f"bytes={len(part)}-", "If-Range": tag})
    assert rest.status_code == 206 and hashlib.sha256(part + rest.content).hexdigest() == job["sha256"]


def test_a_command_that_dies_leaves_nothing_that_looks_like_a_dataset(fragile, tmp_path):
    for more in ([], ["--zip"]):
        out = tmp_path / "out"
        with fragile.locked("research.score"):
            command = subprocess.Popen(
                [BINARIES / "evaluator", "export", "--study", "mindful-walking", "--out", out if not more else tmp_path, *more],
                env=fragile.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: list(tmp_path.glob(".*")), 60, "it is begun")
            command.kill()
            command.wait(30)
        assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
        assert not list(tmp_path.rglob("manifest.json")) and not list(tmp_path.rglob("*.zip"))
        for path in tmp_path.iterdir():
            shutil.rmtree(path)
    fragile.run("export", "--study", "mindful-walking", "--out", tmp_path / "out", program="evaluator")
    assert (tmp_path / "out" / "manifest.json").exists()


def test_how_far_it_is_is_told_to_people_and_to_machines(fragile, tmp_path):
    command = [BINARIES / "evaluator", "export", "--study", "mindful-walking", "--out"]
    ours, theirs = pty.openpty()
    watched = subprocess.Popen(
        [*command, tmp_path / "watched"], env=fragile.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass  # That is how the end of a terminal is told.
    finally:
        os.close(ours)
    assert watched.wait(60) == 0
    assert b"[........................]   0 % data/" in seen and b"] 100 % codebook and loaders" in seen, seen

    told = subprocess.run(
        [*command, tmp_path / "told", "--json"], env=fragile.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=True)
    steps = [json.loads(line) for line in told.stderr.splitlines()]
    assert [step["rows_done"] for step in steps] == sorted(step["rows_done"] for step in steps)
    assert steps[0]["progress"] == 0 and steps[-1]["progress"] == 1
    assert json.loads(told.stdout)["study"] == "mindful-walking"


def test_a_report_of_a_part_is_asked_for_as_a_dataset_is(fragile, tmp_path):
    part = ["--study", "mindful-walking", "--from", "2026-01-01", "--arm", "control", "--questionnaire", "daily_evening"]
    fragile.run("report", *part, "--out", tmp_path / "part", program="evaluator")
    told = json.loads((tmp_path / "part" / "report.json").read_text())
    assert told["filters"] == {"from": "2026-01-01", "to": None, "questionnaires": ["daily_evening"], "arms": ["control"]}
    for wrong in (
            ["--arm", "nowhere"], ["--questionnaire", "nothing"], ["--from", "yesterday"], ["--input", "x.csv"],
            ["--from", "2026-11-20", "--to", "2026-11-10"]):
        fragile.run(
            "report", "--study", "mindful-walking", *wrong, "--out", tmp_path / "wrong", program="evaluator", status=2)
    assert not (tmp_path / "wrong").exists()
