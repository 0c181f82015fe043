"""`saunter check` reports all faults of a study in one run, each with file, line and advice."""

import json
import shutil
import subprocess
import sys

import pytest

from acceptance.server import BINARIES, ROOT

STUDY = """
code: meadow
version: 1.0.0
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: UTC
days: 28
arms:
  - {code: clover, ratio: 1}
  - {code: sorrel, ratio: 1}
allocation: {block_sizes: [2], concealed: true}
events:
  - {code: mown, update: mutable}
  - {code: baled, update: mutable}
phases:
  - {code: high, start: {day: 0}, end: {event: mown}}
  - {code: low, start: {day: 0}, end: {event: baled}}
  - {code: stubble, start: {day: 20}, end: {days: 20}}
questionnaires:
  - {code: who_5, version: 1.0.0}
  - {code: phq_2, version: 1.0.0}
  - {code: mood_vas, version: 1.0.0}
any_time: [phq_2, phq_2]
"""

SCHEDULE = """
schedules:
  - id: tall
    questionnaire: who_5
    phase: high
    recurrence: {every: {days: 1, until_day: 27}}
    slots: [{open: "09:00", due_after: 1h, close_after: 2h}]
    late_policy: maybe
  - id: short
    questionnaire: who_5
    phase: low
    recurrence: {every: {days: 1, until_day: 27}}
    slots: [{open: "10:00", due_after: 1h, close_after: 2h}]
  - id: there
    questionnaire: phq_2
    anchor: {completion: mood_vas}
    arms: [clover, clover, sorrel]
    recurrence: once
    slots: [{open: {after_anchor: 0m}, due_after: 1h, close_after: 2h}]
  - id: to
    questionnaire: phq_2
    anchor: {completion: mood_vas}
    recurrence: once
    slots: [{open: {after_anchor: 5h}, due_after: 1h, close_after: 2h}]
  - id: fro
    questionnaire: mood_vas
    anchor: {completion: phq_2}
    recurrence: once
    slots: [{open: {after_anchor: 0m}, due_after: 1h, close_after: 2h}]
  - id: dated
    questionnaire: mood_vas
    anchor: {study_date: 2026-11-23}
    recurrence: {weekly: {weekdays: [7], until_day: 3}}
    slots: [{open: "09:00", due_after: 1h, close_after: 2h}]
  - id: often
    questionnaire: mood_vas
    recurrence: {every: {days: 7, count: 9}}
    slots: [{open: "09:00", due_after: 1h, close_after: 2h}]
  - id: echo
    questionnaire: mood_vas
    anchor: {completion: mood_vas}
    offset_days: 1
    recurrence: {every: {days: 2, count: 2}}
    slots: [{open: "09:00", due_after: 1h, close_after: 2h}]
"""

FILES = {
    "study.yaml": STUDY, "schedule.yaml": SCHEDULE, "README.md": "# Meadow\n",
    "content/text.en.yaml": "title: Meadow\nsummary: A few questions a day.\n",
    "content/course.en.yaml": "steps:\n  - {title: Answer, text: You answer.}\n",
    "content/consent.en.md": "# Consent\n\nYou answer.\n",
}

# File, a part of the line, a part of the message.
FAULTS = [
    ("study.yaml", "code: stubble", "The phase would end after the study"),
    ("study.yaml", "any_time:", "The list already has this questionnaire"),
    ("schedule.yaml", "late_policy: maybe", "expected one of complete, flag"),
    ("schedule.yaml", '"10:00"', "On day 0 the window overlaps slot 0 of schedule tall"),
    ("schedule.yaml", "[clover, clover", "The list already has this arm"),
    ("schedule.yaml", "id: to", "to and fro would trigger each other without end"),
    ("schedule.yaml", "weekdays: [7]", "None of its days is in the study"),
    ("schedule.yaml", "count: 9", "at most 5 of its days are in the study"),
    ("schedule.yaml", "id: echo", "Each sheet would lead to several other sheets"),
]


# Schedules that count from the birth: within its phase by the event itself, and for late births only.
SOUND_PARTS = """
events:
  - {code: birth, update: mutable}
phases:
  - {code: childbed, start: {event: birth}, end: {days: 14}}
  - {code: late, start: {day: 20}}
questionnaires:
  - {code: who_5, version: 1.0.0}
  - {code: phq_2, version: 1.0.0}
"""

SOUND_SCHEDULE = """
schedules:
  - id: daily
    questionnaire: who_5
    anchor: {event: birth}
    phase: childbed
    recurrence: {every: {days: 1, until_day: 27}}
    slots: [{open: "19:00", due_after: 1h, close_after: 2h}]
  - id: at-home
    questionnaire: who_5
    anchor: {event: birth}
    offset_days: 14
    recurrence: once
    slots: [{open: "19:00", due_after: 1h, close_after: 2h}]
  - id: after-late-births
    questionnaire: phq_2
    anchor: {phase: childbed}
    phase: late
    recurrence: once
    slots: [{open: "19:00", due_after: 1h, close_after: 2h}]
"""


def check(root, files, *flags):
    """Runs `saunter check` for a study of these files: the exit status and the lines with faults, or with `flags` the whole output."""
    for version in ("who_5/1.0.0", "phq_2/1.0.0", "mood_vas/1.0.0"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / version, root / "instruments" / version)
    folder = root / "studies" / "meadow"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    result = subprocess.run([str(BINARIES / "saunter"), "check", "studies/meadow", *flags], cwd=root, capture_output=True, text=True, timeout=300)
    if flags:
        return result.returncode, result.stdout
    return result.returncode, [line for line in (result.stdout + result.stderr).splitlines() if line.startswith("studies/")]


def test_days_after_an_event_are_not_compared_with_days_of_the_study(tmp_path):
    sound = FILES | {"study.yaml": STUDY.split("events:")[0] + SOUND_PARTS.lstrip(), "schedule.yaml": SOUND_SCHEDULE}

    assert check(tmp_path, sound) == (0, [])


def test_all_faults_of_a_study_are_reported_in_one_run(tmp_path):
    code, reported = check(tmp_path, FILES)

    assert code == 1
    for file, passage, words in FAULTS:
        line = next(number for number, text in enumerate(FILES[file].splitlines(), 1) if passage in text)
        if passage in ("id: to", "id: echo"):
            line += 2  # its anchor
        found = [fault for fault in reported if fault.startswith(f"studies/meadow/{file}:{line}: ")]
        assert len(found) == 1 and words in found[0], f"{file}:{line}: {words}\n" + "\n".join(reported)
    assert len(reported) == len(FAULTS), "\n".join(reported)


# Every day, on Fridays and on the 13th, for ten years, at 12 times each, with different questionnaires.
WIDE_STUDY = STUDY.split("events:")[0].replace("days: 28", "days: 3660") + """questionnaires:
  - {code: who_5, version: 1.0.0}
  - {code: phq_2, version: 1.0.0}
"""
WIDE_RECURRENCES = [
    "{every: {days: 1, until_day: 3660}}", "{weekly: {weekdays: [5], until_day: 3660}}", "{monthly: {days: [13], until_day: 3660}}"]
WIDE_SCHEDULE = "schedules:\n" + "".join(
    f"""  - id: s{number}
    questionnaire: {["who_5", "phq_2"][number % 2]}
    recurrence: {WIDE_RECURRENCES[number % 3]}
    slots: [{{open: "{number // 3:02}:{number % 3 * 20:02}", due_after: 10m, close_after: 20m}}]
""" for number in range(60))


def test_the_check_of_a_very_large_study_reports_what_was_not_checked(tmp_path):
    files = FILES | {"study.yaml": WIDE_STUDY, "schedule.yaml": WIDE_SCHEDULE}

    code, reported = check(tmp_path, files)
    hints = [line for line in reported if ": hint: " in line]

    assert code == 1
    assert [line for line in reported if line not in hints] and all("up to 60 occasions per day" in line for line in reported if line not in hints)
    assert [line.split(": ")[0] for line in hints] == ["studies/meadow/schedule.yaml:2", "studies/meadow/schedule.yaml:6"]
    for questionnaire, line in zip(("who_5", "phq_2"), hints):
        assert f"too large to be checked completely: windows of {questionnaire} were compared for " in line
        assert line.endswith(" of 196 dates of enrolment. Other overlaps are not reported.")
    code, printed = check(tmp_path / "again", files, "--json")
    assert code == 1
    assert [f"{hint['file']}:{hint['line']}: hint: {hint['message']}" for hint in json.loads(printed)["hints"]] == hints


def test_a_fault_is_reported_at_its_own_line_and_with_its_name(tmp_path):
    """A YAML map may have several lines, and one line may have several members."""
    shutil.copytree(ROOT / "Questionnaires" / "instruments" / "mood_vas", tmp_path / "instruments" / "mood_vas")
    study = tmp_path / "studies" / "on-the-road"
    shutil.copytree(ROOT / "Questionnaires" / "studies" / "on-the-road", study)
    for code in ("phq_2", "who_5"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / code, tmp_path / "instruments" / code)
    schedule = study / "schedule.yaml"
    schedule.write_text(
        schedule.read_text().replace(
            "recurrence: {every: {days: 1, until_day: 13}}", "recurrence:\n      every:\n        days: 1\n        until_day: 40"))
    words = tmp_path / "instruments" / "phq_2" / "1.0.0" / "text.en.yaml"
    words.write_text(words.read_text() + "media: {picture: A walk}\n")

    done = subprocess.run([str(BINARIES / "saunter"), "check", "."], capture_output=True, text=True, cwd=tmp_path, timeout=60)

    line = schedule.read_text().splitlines().index("        until_day: 40") + 1
    last = len(words.read_text().splitlines())
    assert done.returncode == 1
    assert f"studies/on-the-road/schedule.yaml:{line}: The study ends on day 14." in done.stdout.splitlines(), done.stdout
    assert f'instruments/phq_2/1.0.0/text.en.yaml:{last}: Nothing here needs a text for "picture".' in done.stdout.splitlines(), done.stdout


@pytest.mark.parametrize(("program", "named"), [("saunter", ["saunter account grant", "keep\\-enrolled"]), ("evaluator", ["evaluator export"])])
def test_the_man_page_has_every_command(program, named):
    page = subprocess.run(
        [sys.executable, ROOT / "bin" / "manual", BINARIES / program], capture_output=True, check=True, text=True).stdout
    assert page.startswith(f".TH {program.upper()} 1 ")
    assert all(name in page for name in named)
    # A line of text that begins with a dot or an apostrophe would be a command of troff.
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"}
    assert {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))} <= known
