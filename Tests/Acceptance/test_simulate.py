"""`saunter simulate`: a dry run of a study, by the engine alone and through a private server."""

import collections
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zoneinfo
from datetime import date, datetime, timedelta

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


def test_a_dry_run_is_the_same_for_the_same_seed_and_its_tables_match_its_report(tmp_path):
    flags = ["--participants", "60", "--recruiting", "10", "--zone", "Europe/Berlin", "--zone", "America/New_York", "--json"]
    first = simulate("mindful-walking", *flags, "--out", str(tmp_path / "one")).stdout
    assert simulate("mindful-walking", *flags).stdout == first
    assert simulate("mindful-walking", *flags, "--seed", "2").stdout != first

    output = json.loads(first)["report"]
    total = output["total"]
    assert total["people"] == 60
    assert [arm["people"] for arm in output["arms"]] == [30, 30]
    assert total["prompts"] == sum(day["prompts"] for day in output["calendar"])
    assert total["reminders"] == sum(day["reminders"] for day in output["calendar"])
    assert sum(cell["completed"] for cell in output["cells"]) == total["completed"]

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


def test_the_printed_report_shows_each_day_of_the_calendar():
    flags = ["--participants", "30", "--recruiting", "9"]
    calendar = {day["date"]: day for day in json.loads(simulate("daily-moments", *flags, "--json").stdout)["report"]["calendar"]}
    lines = simulate("daily-moments", *flags).stdout.splitlines()
    head = next(folder for folder, line in enumerate(lines) if line.startswith("week of  "))
    shown = {}
    for line in lines[head + 1:lines.index("", head)]:
        assert len(line) <= 100
        monday, *cells = re.split(r"\s{2,}", line)
        for offset, cell in enumerate(cells):
            shown[str(date.fromisoformat(monday) + timedelta(days=offset))] = cell
    output = {day: f"{row['prompts']} {row['answered'] * 100 // row['prompts']}%" for day, row in calendar.items() if row["prompts"]}
    assert {day: cell for day, cell in shown.items() if "%" in cell} == output
    assert len(output) > 14


@pytest.mark.parametrize("method", ["simple", "stratified_blocks", "minimisation"])
def test_simulated_participants_are_allocated_by_the_rule_of_the_study(tmp_path, method):
    shutil.copytree(ROOT / "Questionnaires", tmp_path / "packs")
    study = tmp_path / "packs" / "studies" / "training-or-waiting"
    rule = {"simple": "", "stratified_blocks": ", block_sizes: [3]", "minimisation": ", probability: 0.8"}[method]
    factors = "" if method == "simple" else ", factors: [{code: folder, levels: [north, south]}]"
    pack = study / "study.yaml"
    pack.write_text(
        pack.read_text().replace("allocation: {block_sizes: [3, 6],", f"allocation: {{method: {method}{rule}{factors},"), encoding="utf-8")
    if factors:
        for words in study.glob("content/text.*.yaml"):
            words.write_text(
                words.read_text(encoding="utf-8") + "factors: {folder: {title: Where?, levels: {north: North, south: South}}}\n", encoding="utf-8")
    output = json.loads(simulate(study, "--participants", "150", "--days", "8", "--json").stdout)["report"]
    training, waiting = (arm["people"] for arm in output["arms"])
    # 100 ± 5.8 with independent draws. The other methods are more even.
    assert training + waiting == 150 and 75 <= training <= 125, (training, waiting)


def test_participant_days_include_the_first_and_the_last_day():
    """The last day of the study has the number `days`, so there is one day more than that."""
    output = json.loads(simulate("daily-moments", "--participants", "3", "--withdrawal", "0", "--json").stdout)
    total = output["report"]["total"]
    assert total["person_days"] == 3 * 9
    # 35 questionnaires of one minute each, and one minute for the weekly questionnaire.
    assert output["nominal_burden"] == [{"arm": "everybody", "minutes_per_day": 4}]
    assert abs(total["prompts_per_day"] - total["prompts"] / 27) < 0.01


def test_usage_errors_are_reported(tmp_path):
    for flags in (["--participants", "0"], ["--adherence", "1.5"], ["--dropout", "0.6", "--withdrawal", "0.6"], ["--zone", "Moon/Base"]):
        done = simulate("daily-moments", *flags, check=False)
        assert done.returncode == 2 and not done.stdout, flags
    (tmp_path / "there").mkdir()
    done = simulate("daily-moments", "--participants", "1", "--out", str(tmp_path / "there"), check=False)
    assert done.returncode == 1 and "already exists" in done.stderr


@pytest.mark.parametrize("command", ["simulate", "convert", "import"])
def test_an_unwritable_output_path_is_reported_with_the_reason(tmp_path, command):
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
    # `import` names the reason for each file, and goes on with the others.
    output = done.stdout.splitlines()[0] if command == "import" else done.stderr.splitlines()[-1]
    prefix = f"{tmp_path / 'form.csv'}: refused: /dev/null/x" if command == "import" else "saunter: /dev/null/x"
    assert output.startswith(prefix) and output.endswith(": Not a directory"), output


@pytest.mark.parametrize(
    "study, more", [
        # Only answers. All decisions follow from the same random draws.
        ("daily-moments", ["--travel", "0", "--dropout", "0", "--withdrawal", "0", "--pause", "0", "--offline", "0"]),
        ("strain-diary", []), ("mindful-walking", ["--travel", "0.5", "--offline", "0.2"])])
def test_through_a_server_every_acknowledged_sheet_is_in_the_dataset_once(tmp_path, study, more):
    output = json.loads(
        simulate(study, "--participants", "4", "--days", "7", "--through-api", "--json", "--out", str(tmp_path / "dataset"), *more).stdout)
    found, expected = output["through_api"], output["report"]["total"]
    assert found["whole"] and found["acknowledged"] == found["sheets"] > 20, found
    assert found["rejected"] == {"count": 0, "reasons": []}, "simulated participants submit valid sheets"
    assert found["enrolments"] == expected["people"] == 4
    assert (found["reminders"] > 0) == (study != "strain-diary"), "strain-diary sends no mail"
    sheets = rows(tmp_path / "dataset" / "data" / "sheets.csv")
    assert len(sheets) == len({sheet["sheet_id"] for sheet in sheets}) == found["acknowledged"]
    assert (tmp_path / "dataset" / "manifest.json").exists()
    if study == "daily-moments":
        assert (found["prompts"], found["completed"]) == (expected["prompts"], expected["completed"])
        assert found["reminders"] == expected["reminders"], "at each instant, messages are sent before sheets are submitted"


STEADY = [flag for name in ("travel", "dropout", "withdrawal", "pause", "offline") for flag in (f"--{name}", "0")]
MICRO_RANDOMISED = ROOT / "docs" / "samples" / "micro-randomised-trial" / "studies" / "walk-prompts"


def appiness_decisions(enrolment, reminders, until, most_per_day):
    """What the rules of appiness decide for a participant who records no mood, by rules.yaml and the default of three prompts a day.

    `reminders`: the instants of all other messages. The prompts are in the middle of three equal parts of 09:00 to 21:00. Without entries,
    `uplift` is at its time `otherwise`.
    """
    zone = zoneinfo.ZoneInfo(enrolment["started_tz"])
    times = {"08:00": "daily_message", "11:00": "mood_prompts", "12:00": "uplift", "15:00": "mood_prompts", "19:00": "mood_prompts"}
    joined = datetime.fromisoformat(enrolment["started_at"])
    moments = [
        (datetime.combine(joined.astimezone(zone).date() + timedelta(day), datetime.strptime(time, "%H:%M").time(), zone), rule)
        for day in range(60) for time, rule in times.items()]
    counts = collections.Counter()
    waiting = sorted(datetime.fromisoformat(moment) for moment in reminders)
    found = []
    for moment, rule in moments:
        if not joined < moment < until:
            continue
        while waiting and waiting[0] < moment:
            counts[waiting.pop(0).astimezone(zone).date()] += 1
        outcome = "message" if counts[moment.date()] < most_per_day else "daily_cap"
        counts[moment.date()] += outcome == "message"
        found.append((rule, moment, outcome))
    return found


@pytest.mark.parametrize("most_per_day", [14, 3])
def test_the_messages_of_rules_follow_from_the_pack(tmp_path, most_per_day):
    shutil.copytree(ROOT / "Questionnaires", tmp_path / "packs")
    study = tmp_path / "packs" / "studies" / "appiness"
    pack = (study / "study.yaml").read_text(encoding="utf-8")
    assert "most_per_day: 14" in pack
    (study / "study.yaml").write_text(pack.replace("most_per_day: 14", f"most_per_day: {most_per_day}"), encoding="utf-8")
    zones = ["--zone", "Europe/Berlin", "--zone", "America/New_York"]
    output = json.loads(
        simulate(
            study, "--participants", "4", "--days", "10", *zones, *STEADY, "--adherence", "0", "--spread", "0", "--settings", "0",
            "--unscheduled", "0", "--json", "--out", str(tmp_path / "dry-run")).stdout)
    data = tmp_path / "dry-run" / "data"
    reminders, decisions = rows(data / "reminders.csv"), rows(data / "decisions.csv")
    expected, others = [], 0
    for enrolment in rows(data / "enrolments.csv"):
        other = [row["planned_at"] for row in reminders if row["enrolment_id"] == enrolment["enrolment_id"] and not row["rule"]]
        others += len(other)
        own = appiness_decisions(enrolment, other, datetime.fromisoformat(output["until"]), most_per_day)
        sent = [
            (row["rule"], datetime.fromisoformat(row["moment"])) for row in decisions
            if row["enrolment_id"] == enrolment["enrolment_id"] and row["outcome"] == "message"]
        assert sent == [(rule, moment) for rule, moment, outcome in own if outcome == "message"]
        dates = [moment.date() for rule, moment, outcome in own if rule == "daily_message"]
        assert len(set(dates)) == len(dates) >= 8, "once per local date"
        expected += own
    found = {rule["rule"]: rule for rule in output["report"]["rules"]}
    assert list(found) == ["daily_message", "mood_prompts", "uplift"]
    for code, rule in found.items():
        outcomes = collections.Counter(outcome for name, _, outcome in expected if name == code)
        assert (rule["outcomes"], rule["points"]) == (dict(outcomes), outcomes.total()), code
    assert ("daily_cap" in found["mood_prompts"]["outcomes"]) == (most_per_day == 3)
    total = output["report"]["total"]
    messages = [outcome for _, _, outcome in expected].count("message")
    assert total["reminders"] == len(reminders) == messages + others
    # After a week, a reminder of the questionnaire about the participant. It counts for the maximum, too.
    assert others == 4 if most_per_day == 14 else others < 4
    assert output["report"]["rule_messages"]["messages_per_week"] == pytest.approx(messages * 7 / total["person_days"], abs=0.006)
    assert output["report"]["rule_messages"]["most_messages_a_week"] <= 7 * min(5, most_per_day)


def test_the_printed_report_counts_the_outcomes_of_each_rule():
    flags = ["--participants", "3", "--days", "4", *STEADY]
    rules = json.loads(simulate("appiness", *flags, "--json").stdout)["report"]["rules"]
    lines = simulate("appiness", *flags).stdout.splitlines()
    for rule in rules:
        line = next(line for line in lines if line.startswith(f"{rule['rule']} "))
        outcomes = ", ".join(f"{outcome} {count}" for outcome, count in rule["outcomes"].items())
        assert re.split(r"\s{2,}", line)[:4] == [rule["rule"], str(rule["points"]), str(rule["available"]), outcomes]


def test_through_a_server_the_messages_of_rules_leave_at_their_decision_points(tmp_path):
    """Participants choose how many prompts they get, and record moods until `uplift` finds their hour."""
    flags = ["--participants", "2", "--days", "12", *STEADY, "--unscheduled", "2.5", "--json"]
    output = json.loads(simulate("appiness", *flags, "--through-api", "--out", str(tmp_path / "dataset")).stdout)
    found, report = output["through_api"], output["report"]
    assert found["whole"], found
    expected = {rule["rule"]: {"message": rule["outcomes"]["message"]} for rule in report["rules"]}
    assert {rule["rule"]: rule["outcomes"] for rule in found["rules"]} == expected
    assert found["reminders"] == report["total"]["reminders"] >= sum(rule["message"] for rule in expected.values())
    decisions = rows(tmp_path / "dataset" / "data" / "decisions.csv")
    assert len(decisions) > 100 and all(row["moment"] == row["decided_at"] == row["sent_at"] for row in decisions)
    # The same points without a server, also those that follow from the answers.
    simulate("appiness", *flags, "--out", str(tmp_path / "dry-run"))
    alone = rows(tmp_path / "dry-run" / "data" / "decisions.csv")
    assert sorted((row["rule"], row["moment"]) for row in decisions) == sorted((row["rule"], row["moment"]) for row in alone)
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    uplifts = {datetime.fromisoformat(row["moment"]).astimezone(berlin).strftime("%H:%M") for row in decisions if row["rule"] == "uplift"}
    assert "12:00" in uplifts and len(uplifts) > 1, "the default time, and hours that follow from the moods"


def test_a_randomised_rule_acts_with_its_probability_at_available_points(tmp_path):
    flags = ["--participants", "40", *STEADY, "--settings", "1", "--json", "--out", str(tmp_path / "dry-run")]
    report = json.loads(simulate(MICRO_RANDOMISED, *flags).stdout)["report"]
    [rule] = report["rules"]
    outcomes = rule["outcomes"]
    assert set(outcomes) == {"message", "allowed", "randomised_out"}
    assert rule["points"] == sum(outcomes.values()) == rule["available"] + outcomes["allowed"]
    # 30 dates with three points, less those before the participant joined on the first date.
    assert 40 * 87 <= rule["points"] <= 40 * 90
    # Hoeffding: 1 in 100,000. The draws follow from the seed, so the result is always the same.
    difference = math.sqrt(math.log(2 / 0.00001) / (2 * rule["available"]))
    assert abs(outcomes["message"] / rule["available"] - 0.6) < difference
    decisions = rows(tmp_path / "dry-run" / "data" / "decisions.csv")
    assert len(decisions) == rule["points"], "every decision of a randomised rule is stored"
    by_participant = collections.defaultdict(set)
    for row in decisions:
        by_participant[row["participant_id"]].add(row["outcome"])
        assert (row["draw"] == "") == (row["outcome"] == "allowed")
        assert row["outcome"] == "allowed" or (float(row["draw"]) < 0.6) == (row["outcome"] == "message")
    assert 0 < sum("allowed" in found for found in by_participant.values()) < 20, "a setting of the participant"


def test_through_a_server_a_randomised_rule_decides_every_point_in_time(tmp_path):
    """A point that is decided more than 30 minutes late is not available."""
    output = json.loads(
        simulate(
            MICRO_RANDOMISED, "--participants", "4", "--days", "6", *STEADY, "--settings", "0", "--through-api", "--json", "--out",
            str(tmp_path / "dataset")).stdout)
    assert output["through_api"]["whole"], output
    [rule] = output["report"]["rules"]
    decisions = rows(tmp_path / "dataset" / "data" / "decisions.csv")
    # The draws of the server follow from its own secret.
    assert len(decisions) == rule["points"] == rule["available"] >= 4 * 15
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    for row in decisions:
        assert datetime.fromisoformat(row["moment"]).astimezone(berlin).strftime("%H:%M") in ("10:00", "14:00", "18:00")
        assert row["decided_at"] == row["moment"]
        assert row["outcome"] == ("message" if float(row["draw"]) < 0.6 else "randomised_out")


R_MODEL = """
source("load/load.R")
panel <- subset(saunter_load(".")$panel, instrument == "daily_evening")
model <- nlme::lme(daily_evening_balance ~ arm * study_day, random = ~ 1 | participant_id, data = panel, na.action = na.omit)
cat(sprintf("%.9f\\n", nlme::fixef(model)), sep = "")
"""

PYTHON_MODEL = """
from load.load import load
import statsmodels.formula.api as smf
panel = load(".")["panel"].query("instrument == 'daily_evening'").dropna(subset=["daily_evening_balance"])
model = smf.mixedlm("daily_evening_balance ~ arm * study_day", panel.astype({"study_day": float}), groups=panel["participant_id"]).fit()
print("\\n".join(str(value) for value in model.fe_params))
"""


def test_a_mixed_model_of_the_panel_needs_no_join(tmp_path):
    dataset = tmp_path / "dataset"
    simulate("mindful-walking", "--participants", "12", "--days", "14", "--through-api", "--json", "--out", str(dataset))
    found = []
    for program in (["Rscript", "-e", R_MODEL], [sys.executable, "-c", PYTHON_MODEL]):
        done = subprocess.run(program, cwd=dataset, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        found.append([float(line) for line in done.stdout.split()])
    assert len(found[0]) == 4 and found[0] == pytest.approx(found[1], abs=1e-3), found


def test_a_sheet_that_a_constraint_rejects_is_reported_and_the_run_continues(tmp_path):
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


def test_occasions_after_a_late_walk_are_counted_in_both_ways_of_simulation(tmp_path):
    """Also if the occasion was over when the walk arrived at the server."""
    quiet = [flag for name in ("travel", "pause", "withdrawal", "dropout") for flag in (f"--{name}", "0")]
    output = json.loads(
        simulate(
            "mindful-walking", "--participants", "5", "--seed", "3", "--days", "12", "--offline", "0.3", *quiet, "--through-api", "--json", "--out",
            str(tmp_path / "dataset")).stdout)
    found, expected = output["through_api"], output["report"]["total"]
    assert output["report"]["walks_kept_back"] > 0
    assert (found["prompts"], found["settled"]) == (expected["prompts"], expected["settled"])
    data = tmp_path / "dataset" / "data"
    received = {(walk["enrolment_id"], walk["ended_at"]): walk["received_at"] for walk in rows(data / "walks.csv")}
    over = [
        occasion["status"] for occasion in rows(data / "occasions.csv")
        if occasion["schedule"] == "after_walk" and received[occasion["enrolment_id"], occasion["opens_at"]] >= occasion["closes_at"]]
    assert over and set(over) == {"missed"}


def test_a_simulated_participant_logs_in_again_after_months(tmp_path):
    """The study is longer than a login is valid."""
    output = json.loads(
        simulate(
            "training-or-waiting", "--participants", "3", "--seed", "2", "--withdrawal", "0", "--through-api", "--json", "--out",
            str(tmp_path / "dataset")).stdout)
    found = output["through_api"]
    assert found["whole"] and found["acknowledged"] == found["sheets"] > 20, found


def scratch(directory, other=None):
    """The folder of a command's private database, other than `other`, and its postmaster; None until the database runs."""
    for file in pathlib.Path(directory).glob("saunter-*/postgres/postmaster.pid"):
        pid = int((file.read_text().split() or ["0"])[0])
        if pid > 0 and alive(pid) and file.parents[1] != other:
            return file.parents[1], pid
    return None


@pytest.fixture
def temporary():
    """A folder for temporary files, with a short path, and readable for the database, which may run under another account."""
    with tempfile.TemporaryDirectory(prefix="scratch-") as path:
        os.chmod(path, 0o755)
        yield path


def long_simulation(temporary, number, other=None):
    """A simulation that has begun: its process, the folder of its private database, and the postmaster."""
    # Signals go to this process alone, not to its children. Signals that the caller of the tests ignores (nohup, &) are not ignored here.
    process = subprocess.Popen(
        [str(BINARIES / "saunter"), "simulate", str(STUDIES / "mindful-walking"), *START, "--participants", "50", "--through-api"],
        env=os.environ | {"TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    return process, *wait_until(lambda: scratch(temporary, other), 60, "the private database runs")


def is_ended_without_rest(process, folder, postmaster, number):
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    wait_until(lambda: not alive(postmaster), 20, "the private database has stopped")
    return not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_no_database(number, temporary):
    """The database may contain a whole backup in plain text."""
    assert is_ended_without_rest(*long_simulation(temporary, number), number)
    assert scratch(temporary) is None


def test_the_next_command_removes_the_database_of_a_killed_one(temporary):
    killed, folder, postmaster = long_simulation(temporary, signal.SIGTERM)
    killed.kill()
    killed.wait(30)
    assert alive(postmaster) and folder.exists()
    time.sleep(6)

    ended, second, later = long_simulation(temporary, signal.SIGTERM, folder)
    assert not alive(postmaster) and not folder.exists()
    assert is_ended_without_rest(ended, second, later, signal.SIGTERM)
    assert scratch(temporary) is None
