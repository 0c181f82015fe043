"""Datasets: permissions, profiles, jobs and downloads."""

import contextlib
import csv
import hashlib
import io
import json
import os
import pathlib
import pty
import random
import re
import shutil
import socket
import subprocess
import zipfile

import pytest

from acceptance import answers
from acceptance.faults.storm import resident
from acceptance.people import Person, Researcher
from acceptance.server import BINARIES, STUDY, Server, wait_until

ROUTE = "/v1/studies/mindful-walking/exports"


@pytest.fixture(scope="module")
def custodian(server, contract):
    """A researcher with the permission for full datasets."""
    person = Researcher(server, contract)
    server.run("account", "grant", "--email", person.email, "--role", "researcher", "--study", "mindful-walking", "--full-export")
    return person


def finished(researcher, **body):
    made = researcher.call("POST", ROUTE, json=body, status=(200, 202))
    location = f"{ROUTE}/{made['export_id']}"

    def done():
        job = researcher.call("GET", location, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    # A dataset with a million samples takes minutes on a slow machine.
    wait_until(done, 400, "the export is done")
    return location


def files(researcher, location):
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", location + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def test_the_full_profile_needs_a_separate_permission(researcher, custodian, participant):
    participant().submit("daily_evening", answers.DAILY)
    rejected = researcher.call("POST", ROUTE, json={"profile": "full"})
    assert rejected.status_code == 403 and rejected.json()["type"].endswith("/not-permitted"), rejected.text

    location = finished(custodian, profile="full")

    assert "data/text_revisions.csv" in files(custodian, location)
    # A researcher without the permission cannot read the job of another researcher.
    for address in (location, location + "/file"):
        assert researcher.call("GET", address).status_code == 403
    assert researcher.call("GET", finished(custodian, profile="coded")).status_code == 200


def test_profiles_with_less_data_need_no_further_permission(researcher, participant):
    ada = participant(name="Ada Canary")
    sheet = ada.submit("daily_evening", answers.DAILY)["sheet_id"]

    released = files(researcher, finished(researcher, profile="deidentified", formats=["spss", "stata", "excel", "fhir"]))
    counted = files(researcher, finished(researcher, profile="public"))

    assert {"spss/sheets.sav", "stata/sheets.dta", "excel/dataset.xlsx", "fhir/questionnaire_responses.json"} <= set(released)
    for content in [*released.values(), *counted.values()]:
        for word in (ada.enrolment["enrolment_id"], ada.enrolment["participant_id"], sheet):
            assert word.encode() not in content
    assert "data/participants.csv" not in counted and "data/public_people.csv" in counted


def test_a_last_date_before_the_first_date_is_rejected(researcher, server, tmp_path):
    result = researcher.problem("POST", ROUTE, 400, "request-invalid", json={"profile": "coded", "from": "2026-11-20", "to": "2026-11-10"})
    assert result["detail"] == "the last date, 2026-11-10, is before the first date, 2026-11-20"
    server.run(
        "export", "--study", "mindful-walking", "--from", "2026-11-20", "--to", "2026-11-10", "--out", tmp_path / "none", program="evaluator",
        status=2)
    assert not (tmp_path / "none").exists()


def test_the_command_line_makes_the_same_release(researcher, server, tmp_path):
    # If a window opens or closes in between, the datasets differ, and both are made again.
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


def test_labels_have_the_first_language_of_the_study_or_the_requested_one(server, tmp_path):
    def labels(*options):
        folder = tmp_path / "-".join(["dataset", *options])
        server.run(
            "export", "--study", "mindful-walking", "--questionnaire", "who_5", "--out", folder, *options, program="evaluator")
        package = json.loads((folder / "datapackage.json").read_text())
        wide = next(table for table in package["resources"] if table["name"] == "wide_who_5")
        first = next(field for field in wide["schema"]["fields"] if field["name"] == "q1")
        with open(folder / "meta/codebook.csv", newline="") as file:
            questions = {row["question"] for row in csv.DictReader(file) if row["item"] == "q1"}
        loader = re.search(r'lang = "(\w+)"', (folder / "load/load.R").read_text())[1]
        never = next(code["label"] for code in first["categories"] if code["value"] == 0)
        return package["title"], never, questions, loader

    assert labels() == ("Achtsames Gehen", "gar nicht", {"Meine Stimmung war heiter."}, "de")
    assert labels("--language", "en") == ("Mindful walking", "none of it", {"My mood was bright."}, "en")
    server.run(
        "export", "--study", "mindful-walking", "--out", tmp_path / "fr", "--language", "fr", program="evaluator", status=1)


def test_an_unchanged_dataset_is_not_made_again(researcher, server, participant):
    ada = participant()
    ada.submit("who_5", answers.WHO_5)
    body = {"profile": "coded", "questionnaires": ["who_5", "maas"], "formats": ["fhir"]}
    # A window that opens or closes in between is a change. Then the test tries again.
    for attempt in range(3):
        location = finished(researcher, **body)
        first = researcher.call("GET", location, status=200)
        again = researcher.call("POST", ROUTE, json=body | {"questionnaires": ["maas", "who_5", "maas"]})
        if again.status_code == 200:
            break
    assert again.status_code == 200 and again.json()["export_id"] == first["export_id"], again.text
    assert again.headers["location"].endswith(location) and again.json()["expires_at"] >= first["expires_at"]
    other = finished(researcher, profile="coded", questionnaires=["maas"], formats=["fhir"])
    assert other != location

    # With a matching ETag, state and file are not sent again.
    response = researcher.call("GET", location)
    tag = response.headers["etag"]
    assert researcher.call("GET", location, headers={"If-None-Match": tag}).status_code == 304
    file_tag = researcher.call("GET", location + "/file").headers["etag"]
    assert researcher.call("GET", location + "/file", headers={"If-None-Match": file_tag}).status_code == 304
    manifest = json.loads(files(researcher, location)["manifest.json"])
    assert manifest["snapshot"]["change_seq"] == first["change_seq"] and manifest["snapshot"]["id"] == first["snapshot"]

    ben = participant(name="Ben Canary")
    ben.submit("who_5", answers.WHO_5)
    later = researcher.call("GET", finished(researcher, **body), status=200)
    assert later["export_id"] != first["export_id"] and later["sha256"] != first["sha256"]
    # The feed continues at the dataset's change number.
    feed = researcher.call("GET", f"/v1/studies/mindful-walking/changes?after={first['change_seq']}", status=200)
    assert {item["participant_id"] for item in feed["items"]} == {ben.enrolment["participant_id"]}
    rest = researcher.call("GET", f"/v1/studies/mindful-walking/changes?after={later['change_seq']}", status=200)
    assert rest["items"] == [] and rest["change_seq"] == later["change_seq"]


def test_one_snapshot_has_the_same_bytes_from_the_command_and_from_the_server(researcher, custodian, server, tmp_path):
    forms = ["excel", "spss", "stata", "fhir"]

    def by_command(name, **environment):
        folder = tmp_path / name
        server.run(
            "export", "--study", "mindful-walking", "--out", folder, "--zip", *[word for form in forms for word in ("--format", form)],
            program="evaluator", **environment)
        (path,) = folder.iterdir()
        return path.name, hashlib.sha256(path.read_bytes()).hexdigest()

    # If a window opens or closes in between, the snapshots differ, and all are made again.
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
    """The files in the server's folder of a job."""
    folder = server.directory / "exports"
    return sorted(path.name for path in folder.iterdir() if job["export_id"] in path.name) if folder.exists() else []


def state(researcher, job):
    return researcher.call("GET", f"{ROUTE}/{job['export_id']}", status=200)


def audited(server, job):
    text = server.sql(f"select action from audit.entry where detail ->> 'export_id' = '{job['export_id']}' order by entry_id")
    return text.split()


def test_a_cancelled_dataset_stops(researcher, server):
    with server.locked("research.walk"):
        job = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["stata"]}, status=202)
        wait_until(lambda: state(researcher, job)["state"] == "running", 30, "the job runs")
        same = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["stata"]}, status=202)
        waiting = researcher.call("POST", ROUTE, json={"profile": "coded", "formats": ["spss"]}, status=202)
        assert same["export_id"] == job["export_id"] and waiting["state"] == "queued"
        assert researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").status_code == 503
        for one in (job, waiting):
            for _ in range(2):
                researcher.call("DELETE", f"{ROUTE}/{one['export_id']}", status=204)
            assert state(researcher, one)["state"] == "cancelled"
        # It stops although the table is still locked.
        wait_until(lambda: leftovers(server, job) == [], 30, "the partial files are removed")
        active = "select count(*) from pg_stat_activity where application_name = 'saunter-datasets' and state <> 'idle'"
        wait_until(lambda: server.sql(active).strip() == "0", 30, "the job's statement has ended")
    assert audited(server, job) == ["export_requested", "export_requested", "export_cancelled"]
    assert researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").status_code == 404


def test_a_dataset_is_deleted_before_it_expires(researcher, server, participant):
    participant().submit("who_5", answers.WHO_5)
    body = {"profile": "coded", "questionnaires": ["who_5"]}
    location = finished(researcher, **body)
    job = researcher.call("GET", location, status=200)
    wait_until(lambda: leftovers(server, job) == [job["export_id"] + ".zip"], 30, "the rest is cleared away")
    assert job["rows_done"] == job["rows_estimated"] > 0 and job["progress"] == 1

    researcher.call("DELETE", location, status=204)

    assert leftovers(server, job) == [] and state(researcher, job)["state"] == "deleted"
    assert researcher.call("GET", location + "/file").status_code == 404
    assert audited(server, job)[-1] == "export_deleted" and "export_made" in audited(server, job)
    assert finished(researcher, **body) != location


@pytest.fixture(scope="module")
def fragile():
    """A separate server with a participant and a researcher. Tests kill the server."""
    server = Server()
    try:
        server.start()
        server.publish()
        Person(server).register().enrol().submit("daily_evening", answers.DAILY)
        server.researcher = Researcher(server)
        yield server
    finally:
        server.remove()


def test_a_killed_server_makes_the_dataset_after_its_restart(fragile):
    researcher = fragile.researcher
    with fragile.locked("research.walk"):
        job = researcher.call("POST", ROUTE, json={"profile": "coded"}, status=202)
        wait_until(lambda: leftovers(fragile, job), 30, "partial files exist")
        fragile.kill()
        assert not any(name.endswith(".zip") for name in leftovers(fragile, job))
    fragile.start()

    # The lease of the killed server must expire first.
    wait_until(lambda: state(researcher, job)["state"] == "done", 90, "the dataset is ready")
    data = researcher.call("GET", f"{ROUTE}/{job['export_id']}/file").content
    assert hashlib.sha256(data).hexdigest() == state(researcher, job)["sha256"]
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    wait_until(lambda: leftovers(fragile, job) == [job["export_id"] + ".zip"], 30, "the rest is cleared away")
    assert audited(fragile, job) == ["export_requested", "export_made", "export_downloaded"]


def make_noise(server, samples):
    """Replaces the walk by one with random samples, so that the compressed dataset is larger than the buffers of a connection."""
    remove_noise(server)
    server.sql(f"""
        insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone, started_offset_min, ended_offset_min, flags,
          pauses_ms, t_ms, speed_kmh, elapsed_s, active_s, body_sha256)
        select enrolment_id, gen_random_uuid(), now(), now(), now(), zone, 0, 0, '{{}}', '{{}}', array_agg(n order by n), array_agg(random()), 1, 1, ''
        from research.enrolment, generate_series(1, {samples}) as n group by enrolment_id, zone""")


def remove_noise(server):
    server.sql("delete from research.walk where body_sha256 = ''")


def begin_download(server, location, researcher):
    """Begins a slow download, so that the server still has most of the file."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", server.port))
    slow.sendall(
        f"GET {location}/file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {researcher.tokens['access_token']}\r\n\r\n".encode())
    return slow


def test_slow_downloads_do_not_block_others_and_are_closed(fragile):
    researcher = fragile.researcher
    make_noise(fragile, 1_000_000)
    location = finished(researcher, profile="coded")
    job = researcher.call("GET", location, status=200)
    assert job["bytes"] > 6 << 20, "more than the kernel buffers"
    wait_until(lambda: sent(fragile) == 0, 30, "no download is active")
    before = resident(fragile)
    with contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(begin_download(fragile, location, researcher)) for _ in range(60)]
        wait_until(lambda: sent(fragile) == len(crowd), 30, "all downloads are active")
        for slow in crowd:
            slow.setblocking(False)

        def are_closed():
            for slow in crowd:
                with contextlib.suppress(OSError):  # No data, or closed.
                    slow.recv(5)
            return sent(fragile) == 0

        # Meanwhile other clients download the whole dataset and submit records. Downloads use no database connection.
        others = [researcher.call("GET", location + "/file").content for _ in range(3)]
        Person(fragile).register().enrol().submit("daily_evening", answers.DAILY)
        busy = "select count(*) from pg_stat_activity where application_name like 'saunter%' and state <> 'idle'"
        wait_until(lambda: fragile.sql(busy).strip() == "0", 30, "downloads use no database connection")
        assert not are_closed() and resident(fragile) - before < 96 << 20
        assert {hashlib.sha256(data).hexdigest() for data in others} == {job["sha256"]}
        wait_until(are_closed, 200, "the slow downloads are closed")
    assert hashlib.sha256(researcher.call("GET", location + "/file").content).hexdigest() == job["sha256"]


def sent(server):
    """The number of dataset files that the server has open: one for each download."""
    count = 0
    for descriptor in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(descriptor).endswith(".zip")
    return count


def test_an_interrupted_download_is_detected_and_can_be_continued(fragile):
    researcher = fragile.researcher
    make_noise(fragile, 250_000)
    location = finished(researcher, profile="coded")
    job = researcher.call("GET", location, status=200)
    with begin_download(fragile, location, researcher) as slow:
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
    rest = researcher.call("GET", location + "/file", headers={"Range": f"bytes={len(part)}-", "If-Range": tag})
    assert rest.status_code == 206 and hashlib.sha256(part + rest.content).hexdigest() == job["sha256"]
    # The datasets of the next tests are small again.
    remove_noise(fragile)


def test_a_killed_command_leaves_no_file_that_looks_like_a_dataset(fragile, tmp_path):
    for more in ([], ["--zip"]):
        out = tmp_path / "out"
        with fragile.locked("research.rescored_sheet"):
            command = subprocess.Popen(
                [BINARIES / "evaluator", "export", "--study", "mindful-walking", "--out", out if not more else tmp_path, *more],
                env=fragile.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: list(tmp_path.glob(".*")), 60, "the command has begun")
            command.kill()
            command.wait(30)
        assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
        assert not list(tmp_path.rglob("manifest.json")) and not list(tmp_path.rglob("*.zip"))
        for path in tmp_path.iterdir():
            shutil.rmtree(path)
    fragile.run("export", "--study", "mindful-walking", "--out", tmp_path / "out", program="evaluator")
    assert (tmp_path / "out" / "manifest.json").exists()


def test_the_command_reports_progress_for_people_and_for_programs(fragile, tmp_path):
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
        pass  # Reading from a closed terminal fails.
    finally:
        os.close(ours)
    assert watched.wait(60) == 0
    assert b"[........................]   0 % data/" in seen and b"] 100 % codebook and loaders" in seen, seen

    result = subprocess.run(
        [*command, tmp_path / "told", "--json"], env=fragile.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=True)
    steps = [json.loads(line) for line in result.stderr.splitlines()]
    assert [step["rows_done"] for step in steps] == sorted(step["rows_done"] for step in steps)
    assert steps[0]["progress"] == 0 and steps[-1]["progress"] == 1
    assert json.loads(result.stdout)["study"] == "mindful-walking"


def test_both_programs_reject_a_secret_that_is_given_twice(server, tmp_path):
    file = tmp_path / "url"
    file.write_text("host=a\n")
    environment = server.environment | {"SAUNTER_DATABASE_URL": "host=b", "SAUNTER_DATABASE_URL_FILE": str(file)}
    for program, *arguments in (["saunter", "config"], ["evaluator", "export", "--study", "mindful-walking", "--out", tmp_path / "out"]):
        result = subprocess.run(
            [BINARIES / program, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert result.returncode == 2
        assert result.stderr == f"{program}: set SAUNTER_DATABASE_URL or SAUNTER_DATABASE_URL_FILE, not both\n"


def test_the_report_command_accepts_the_same_filters_as_the_export(fragile, tmp_path):
    part = ["--study", "mindful-walking", "--from", "2026-01-01", "--arm", "control", "--questionnaire", "daily_evening"]
    fragile.run("report", *part, "--out", tmp_path / "part", program="evaluator")
    result = json.loads((tmp_path / "part" / "report.json").read_text())
    assert result["filters"] == {"from": "2026-01-01", "to": None, "questionnaires": ["daily_evening"], "arms": ["control"]}
    # What the study lacks is a fault like any other; what is wrong in itself is wrong usage.
    for status, wrong in (
            (1, ["--arm", "nowhere"]), (1, ["--questionnaire", "nothing"]), (2, ["--from", "yesterday"]),
            (2, ["--input", "x.csv"]), (2, ["--from", "2026-11-20", "--to", "2026-11-10"])):
        fragile.run(
            "report", "--study", "mindful-walking", *wrong, "--out", tmp_path / "wrong", program="evaluator", status=status)
    assert not (tmp_path / "wrong").exists()


def test_the_report_of_a_table_does_not_depend_on_the_order_of_its_rows(server, tmp_path):
    chance = random.Random(5)
    rows = []
    for number in range(40):
        level, trend = chance.randrange(5), chance.choice((-1, 1))
        for day in (2, 9, 10):
            items = [min(4, max(0, level + trend * day // 5 + chance.randrange(-1, 2))) for _ in range(10)]
            # The scoring key reverses these items.
            for index in (3, 4, 6, 7):
                items[index] = 4 - items[index]
            rows.append([f"P{number}", day, *items])
    header = ["participant_id", "study_day", *(f"q{number}" for number in range(1, 11))]

    def report(name, lines, status=0):
        text = "".join(",".join(map(str, line)) + "\n" for line in [header, *lines])
        (tmp_path / f"{name}.csv").write_text(text)
        server.run(
            "report", "--questionnaire", STUDY.parent.parent / "instruments" / "pss_10" / "1.0.0",
            "--input", tmp_path / f"{name}.csv", "--out", tmp_path / name, program="evaluator", status=status)
        return tmp_path / name

    figures = (report("sorted", rows) / "report.csv").read_bytes()
    assert re.search(rb"total,,,reliably_higher,,40,[1-9]", figures) and re.search(rb"total,,,reliably_lower,,40,[1-9]", figures)
    assert (report("reversed", rows[::-1]) / "report.csv").read_bytes() == figures
    assert (report("shuffled", chance.sample(rows, len(rows))) / "report.csv").read_bytes() == figures
    # Two sheets of one participant on the same day, and a sheet without a day.
    assert not report("equal", [*rows, rows[0]], status=1).exists()
    assert not report("blank", [*rows, ["P0", "", *rows[0][2:]]], status=1).exists()


def test_the_report_of_a_table_accepts_a_negative_number_as_blank(server, tmp_path):
    instrument = STUDY.parent.parent / "instruments" / "pss_10" / "1.0.0"
    header = ",".join(["participant_id", *(f"q{number}" for number in range(1, 11))])
    (tmp_path / "minus.csv").write_text("\n".join([header, "P1," + ",".join("1212121212"), "P2,-9," + ",".join("2" * 9)]) + "\n")
    (tmp_path / "empty.csv").write_text((tmp_path / "minus.csv").read_text().replace("-9", ""))

    def report(name, *options, status=0):
        server.run(
            "report", "--questionnaire", instrument, "--input", tmp_path / f"{name}.csv", "--out", tmp_path / name, *options,
            program="evaluator", status=status)
        return tmp_path / name / "report.csv"

    assert not report("minus", status=1).exists(), "-9 is no answer"
    assert report("minus", "--blank", "-9").read_bytes() == report("empty").read_bytes()


def test_scores_of_a_table_omit_only_the_rows_with_a_fault(server, tmp_path):
    instrument = STUDY.parent.parent / "instruments" / "pss_10" / "1.0.0"
    header = ",".join(["person", *(f"q{number}" for number in range(1, 11))])
    rows = ["P1," + ",".join("2" * 10), "P2," + ",".join("92222" * 2), "P3,-9," + ",".join("2" * 9)]
    (tmp_path / "sheets.csv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "scores.csv").write_text("an older file\n")

    printed = server.run(
        "score", "--questionnaire", instrument, "--input", tmp_path / "sheets.csv", "--output", tmp_path / "scores.csv",
        "--blank", "-9", "--json", program="evaluator", status=1)

    with open(tmp_path / "scores.csv", newline="") as file:
        scored = list(csv.DictReader(file))
    assert [(row["person"], row["score_total"], row["reason_total"]) for row in scored] == [
        ("P1", "20", ""), ("P3", "", "too_few_answered")]
    report = json.loads(printed)
    assert (report["rows"], report["omitted_rows"], report["faults"]) == (2, 1, 2)
    assert [(fault["column"], fault["value"]) for fault in report["fault_list"]] == [("q1", "9"), ("q6", "9")]
