"""`saunter simulate`: a dry run of a study by the built program, by the engine alone and through a server of its own."""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from datetime import date, timedelta

import pytest
from acceptance.server import BINARIES, ROOT, alive, wait_until

STUDIES = ROOT / "Questionnaires" / "studies"
START = ["--start", "2026-03-16"]


def simulate(study, *flags, check=True):
    done = subprocess.run(
        [str(BINARIES / "saunter"), "simulate", str(STUDIES / study), *START, *flags], capture_output=True, text=True, timeout=600)
    assert not check or done.returncode == 0, done.stderr
    return done


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_dry_run_is_the_same_for_the_same_seed_and_its_tables_hold_what_it_tells(tmp_path):
    flags = ["--participants", "60", "--recruiting", "10", "--zone", "Europe/Berlin", "--zone", "America/New_York", "--json"]
    first = simulate("mindful-walking", *flags, "--out", str(tmp_path / "one")).stdout
    assert simulate("mindful-walking", *flags).stdout == first
    assert simulate("mindful-walking", *flags, "--seed", "2").stdout != first

    told = json.loads(first)["report"]
    total = told["total"]
    assert total["people"] == 60
    assert [arm["people"] for arm in told["arms"]] == [30, 30]
    assert total["prompts"] == sum(day["prompts"] for day in told["calendar"])
    assert total["reminders"] == sum(day["reminders"] for day in told["calendar"])
    assert sum(cell["completed"] for cell in told["cells"]) == total["completed"]

    data = tmp_path / "one" / "data"
    occasions = rows(data / "occasions.csv")
    states = [occasion["status"] for occasion in occasions]
    completed = [state for state in states if state.startswith("completed")]
    assert len(completed) == total["completed"]
    assert states.count("missed") + len(completed) == total["settled"]
    sheets = rows(data / "sheets.csv")
    assert len({sheet["sheet_id"] for sheet in sheets}) == len(sheets) == total["completed"] + total["unscheduled"]
    assert len(rows(data / "reminders.csv")) == total["reminders"]
    assert len(rows(data / "enrolments.csv")) == 60
    assert all(sheet["received_at"] >= sheet["submitted_at"] for sheet in sheets)


def test_the_report_for_reading_shows_each_day_of_the_calendar():
    flags = ["--participants", "30", "--recruiting", "9"]
    calendar = {day["date"]: day for day in json.loads(simulate("daily-moments", *flags, "--json").stdout)["report"]["calendar"]}
    lines = simulate("daily-moments", *flags).stdout.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("week of  "))
    shown = {}
    for line in lines[head + 1:lines.index("", head)]:
        assert len(line) <= 100
        monday, *cells = re.split(r"\s{2,}", line)
        for offset, cell in enumerate(cells):
            shown[str(date.fromisoformat(monday) + timedelta(days=offset))] = cell
    told = {day: f"{row['prompts']} {row['answered'] * 100 // row['prompts']}%" for day, row in calendar.items() if row["prompts"]}
    assert {day: cell for day, cell in shown.items() if "%" in cell} == told
    assert len(told) > 14


@pytest.mark.parametrize("method", ["simple", "stratified_blocks", "minimisation"])
def test_made_up_people_come_to_their_arms_by_the_study_s_own_rule(tmp_path, method):
    shutil.copytree(ROOT / "Questionnaires", tmp_path / "packs")
    study = tmp_path / "packs" / "studies" / "training-or-waiting"
    rule = {"simple": "", "stratified_blocks": ", block_sizes: [3]", "minimisation": ", probability: 0.8"}[method]
    factors = "" if method == "simple" else ", factors: [{code: place, levels: [north, south]}]"
    pack = study / "study.yaml"
    pack.write_text(
        pack.read_text().replace("allocation: {block_sizes: [3, 6],", f"allocation: {{method: {method}{rule}{factors},"), encoding="utf-8")
    if factors:
        for words in study.glob("content/text.*.yaml"):
            words.write_text(
                words.read_text(encoding="utf-8") + "factors: {place: {title: Where?, levels: {north: North, south: South}}}\n", encoding="utf-8")
    told = json.loads(simulate(study, "--participants", "150", "--days", "8", "--json").stdout)["report"]
    training, waiting = (arm["people"] for arm in told["arms"])
    # 100 ± 5.8 by single draws; the others are evener.
    assert training + waiting == 150 and 75 <= training <= 125, (training, waiting)


def test_every_day_on_which_somebody_is_asked_is_one_of_their_days():
    """The study's last day is its `days`: there are one more than that."""
    told = json.loads(simulate("daily-moments", "--participants", "3", "--withdrawal", "0", "--json").stdout)
    total = told["report"]["total"]
    assert total["person_days"] == 3 * 9
    # 35 moments of a minute each, and a minute for the week.
    assert told["nominal_burden"] == [{"arm": "everybody", "minutes_per_day": 4}]
    assert abs(total["prompts_per_day"] - total["prompts"] / 27) < 0.01


def test_what_is_wrong_with_the_usage_is_told(tmp_path):
    for flags in (["--participants", "0"], ["--adherence", "1.5"], ["--dropout", "0.6", "--withdrawal", "0.6"], ["--zone", "Moon/Base"]):
        done = simulate("daily-moments", *flags, check=False)
        assert done.returncode == 2 and not done.stdout, flags
    (tmp_path / "there").mkdir()
    done = simulate("daily-moments", "--participants", "1", "--out", str(tmp_path / "there"), check=False)
    assert done.returncode == 1 and "is there already" in done.stderr


@pytest.mark.parametrize("command", ["simulate", "convert", "import"])
def test_a_place_that_cannot_be_written_is_named_with_the_reason(tmp_path, command):
    (tmp_path / "form.csv").write_text("type,name,label\ntext,q1,Q?\n")
    instrument = str(ROOT / "Questionnaires" / "instruments" / "pss_10" / "1.0.0")
    arguments = {
        "simulate": [str(STUDIES / "daily-moments"), *START, "--participants", "2"],
        "convert": ["--to", "redcap", instrument],
        "import": ["--from", "xlsform", str(tmp_path / "form.csv")],
    }[command]
    done = subprocess.run(
        [str(BINARIES / "saunter"), command, *arguments, "--out", "/dev/null/x"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert told.startswith("saunter: /dev/null/x") and told.endswith(": Not a directory"), told


@pytest.mark.parametrize(
    "study, more", [
        # Nothing but answers: what is decided follows from the same draws.
        ("daily-moments", ["--travel", "0", "--dropout", "0", "--withdrawal", "0", "--pause", "0", "--offline", "0"]),
        ("strain-diary", []), ("mindful-walking", ["--travel", "0.5", "--offline", "0.2"])])
def test_through_a_server_every_acknowledged_sheet_is_in_the_dataset_once(tmp_path, study, more):
    told = json.loads(
        simulate(study, "--participants", "8", "--days", "12", "--through-api", "--json", "--out", str(tmp_path / "dataset"), *more).stdout)
    found, expected = told["through_api"], told["report"]["total"]
    assert found["whole"] and found["acknowledged"] == found["sheets"] > 50, found
    assert found["rejected"] == {"count": 0, "reasons": []}, "what made-up people hand in is what the study asks"
    assert found["enrolments"] == expected["people"] == 8
    assert (found["reminders"] > 0) == (study != "strain-diary"), "that study sends no mail"
    sheets = rows(tmp_path / "dataset" / "data" / "sheets.csv")
    assert len(sheets) == len({sheet["sheet_id"] for sheet in sheets}) == found["acknowledged"]
    assert (tmp_path / "dataset" / "manifest.json").exists()
    if study == "daily-moments":
        assert (found["prompts"], found["completed"]) == (expected["prompts"], expected["completed"])
        assert found["reminders"] == expected["reminders"], "each message goes out at its moment, before a sheet of that moment comes"


def test_what_a_rule_over_several_answers_refuses_is_told_and_the_run_goes_on(tmp_path):
    shutil.copytree(ROOT / "Questionnaires", tmp_path / "packs")
    study = tmp_path / "packs" / "studies" / "daily-moments"
    for name in ("study.yaml", "schedule.yaml"):
        (study / name).write_text((study / name).read_text().replace("pss_4", "about_you"))
    instrument = tmp_path / "packs" / "instruments" / "about_you" / "1.0.0"
    with (instrument / "questionnaire.yaml").open("a") as file:
        file.write("constraint:\n  - {key: never, severity: error, expression: \"birth_year > 3000\", item: birth_year}\n")
    for words in instrument.glob("text.*.yaml"):
        with words.open("a") as file:
            file.write("constraints: {never: That cannot be.}\n")
    done = simulate(
        study, "--participants", "2", "--adherence", "1", "--spread", "0", "--dropout", "0",
        "--withdrawal", "0", "--pause", "0", "--offline", "0", "--through-api", "--json", check=False)
    assert done.returncode == 1 and done.stdout, done.stderr
    found = json.loads(done.stdout)["through_api"]
    assert not found["whole"] and found["rejected"]["count"] >= 1
    assert all(reason.endswith("/answers/birth_year That cannot be.") for reason in found["rejected"]["reasons"]), found
    assert found["acknowledged"] == found["sheets"] > 50


def test_what_follows_a_walk_that_came_in_late_is_counted_alike(tmp_path):
    """Also where it was over when the server heard of the walk."""
    quiet = [flag for name in ("travel", "pause", "withdrawal", "dropout") for flag in (f"--{name}", "0")]
    told = json.loads(
        simulate(
            "mindful-walking", "--participants", "5", "--seed", "3", "--days", "12", "--offline", "0.3", *quiet, "--through-api", "--json", "--out",
            str(tmp_path / "dataset")).stdout)
    found, expected = told["through_api"], told["report"]["total"]
    assert told["report"]["walks_kept_back"] > 0
    assert (found["prompts"], found["settled"]) == (expected["prompts"], expected["settled"])
    data = tmp_path / "dataset" / "data"
    received = {(walk["enrolment_id"], walk["ended_at"]): walk["received_at"] for walk in rows(data / "walks.csv")}
    over = [
        occasion["status"] for occasion in rows(data / "occasions.csv")
        if occasion["schedule"] == "after_walk" and received[occasion["enrolment_id"], occasion["opens_at"]] >= occasion["closes_at"]]
    assert over and set(over) == {"missed"}


def test_whoever_was_silent_for_months_logs_in_again(tmp_path):
    """The study outlasts a login."""
    told = json.loads(
        simulate(
            "training-or-waiting", "--participants", "3", "--seed", "2", "--withdrawal", "0", "--through-api", "--json", "--out",
            str(tmp_path / "dataset")).stdout)
    found = told["through_api"]
    assert found["whole"] and found["acknowledged"] == found["sheets"] > 20, found


def scratch(directory, other=None):
    """The folder of a command's own database, not the other one, and the database's first process; None until it runs."""
    for file in pathlib.Path(directory).glob("saunter-*/postgres/postmaster.pid"):
        pid = int((file.read_text().split() or ["0"])[0])
        if pid > 0 and alive(pid) and file.parents[1] != other:
            return file.parents[1], pid
    return None


@pytest.fixture
def place():
    """For temporary folders, short, and open to the database, which may be another user's process."""
    with tempfile.TemporaryDirectory(prefix="scratch-") as folder:
        os.chmod(folder, 0o755)
        yield folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_no_database_behind(number, place):
    """What lies there may be a whole backup, in the clear. After SIGKILL the next command clears it away."""
    long = [str(BINARIES / "saunter"), "simulate", str(STUDIES / "mindful-walking"), *START, "--participants", "50", "--through-api"]
    environment = os.environ | {"TMPDIR": str(place)}

    def begun(other=None):
        # Signals reach this process alone, not what it started; and none is ignored that is for whoever runs the tests (nohup, &).
        process = subprocess.Popen(
            long, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        return process, *wait_until(lambda: scratch(place, other), 60, "its database runs")

    killed, folder, postmaster = begun()
    killed.kill()
    killed.wait(30)
    assert alive(postmaster) and folder.exists()
    time.sleep(6)

    ended, second, later = begun(folder)
    assert not alive(postmaster) and not folder.exists()
    ended.send_signal(number)
    assert ended.wait(60) == 128 + number
    wait_until(lambda: not alive(later), 20, "its database has stopped")
    assert not second.exists() and scratch(place) is None
