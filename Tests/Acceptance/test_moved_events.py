"""Participants correct the time of an event: the windows that count from it move, and never two windows of a schedule are open at once."""

import csv
import io
import itertools
import pathlib
import shutil
from datetime import timedelta

import pytest

from acceptance import answers, datasets
from acceptance.moments import after, evening_zone, instant, local, new_id, now, read
from acceptance.people import Person, Researcher
from acceptance.server import ROOT

STUDY = "homecoming"

STUDY_YAML = """
code: homecoming
version: 1.0.0
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: UTC
days: 40
arms:
  - {code: everybody, ratio: 1}
allocation: {block_sizes: [1], concealed: false}
events:
  - {code: back-home, update: mutable}
  - {code: stung, update: mutable}
questionnaires:
  - {code: who_5, version: 1.0.0}
  - {code: phq_2, version: 1.0.0}
  - {code: mood_vas, version: 1.0.0}
  - {code: pocket_note, version: 1.0.0}
any_time: [pocket_note]
"""

# All participants live where it is 18 o'clock: today's window is open, and yesterday's window is closed.
SCHEDULE = """
schedules:
  - id: days_after
    questionnaire: who_5
    anchor: {event: back-home}
    recurrence: {every: {days: 1, count: 5}}
    slots: [{open: "12:00", due_after: 8h, close_after: 10h}]
  - id: hours_after
    questionnaire: phq_2
    anchor: {event: stung}
    recurrence: once
    slots:
      - {open: {after_anchor: 1h}, due_after: 30m, close_after: 1h}
      - {open: {after_anchor: 3h}, due_after: 30m, close_after: 1h}
  - id: after_the_first_note
    questionnaire: mood_vas
    anchor: {first_completion: pocket_note}
    offset_days: 1
    recurrence: {every: {days: 1, count: 3}}
    slots: [{open: "12:00", due_after: 8h, close_after: 10h}]
"""

FILES = {
    "study.yaml": STUDY_YAML, "schedule.yaml": SCHEDULE, "README.md": "Windows that count from events, for tests.\n",
    "content/text.en.yaml": "title: Homecoming\nsummary: Questions after you are back.\narms:\n  everybody: {title: Everybody, text: You answer.}\n",
    "content/course.en.yaml": "steps:\n  - {title: Days, text: You answer each day.}\n",
    "content/consent.en.md": "# Consent\n\nYou answer questions.\n",
}


@pytest.fixture(scope="module")
def traveller(server, contract, tmp_path_factory):
    """Makes participants whose windows count from reported events."""
    packs = tmp_path_factory.mktemp("packs")
    for name, text in FILES.items():
        path = packs / "studies" / STUDY / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for code in ("who_5", "phq_2", "mood_vas"):
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / code, packs / "instruments" / code)
    diary = pathlib.Path(__file__).parent / "packs" / "pocket-diary"
    shutil.copytree(diary / "instruments" / "pocket_note", packs / "instruments" / "pocket_note")
    server.run("publish", packs / "studies" / STUDY)

    def make():
        person = Person(server, contract, name="Tove Canary", zone=evening_zone(18)).register()
        person.enrolment = person.call(
            "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
            json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
        return person

    return make


@pytest.fixture(scope="module")
def reader(server, contract, traveller):
    return Researcher(server, contract, study=STUDY)


# Actions of participants


def report(person, event, moment, status=200):
    return person.call("PUT", person.own(f"/events/{event}"), json={"occurred_at": instant(moment)}, status=status)


def note(person, at=None, mood=5):
    at = at or now()
    return {
        "questionnaire": "pocket_note", "version": "1.0.0", "started_at": instant(after(at, seconds=-30)), "completed_at": instant(at),
        "time_zone": person.zone, "answers": {"mood": mood},
    }


def sync(person, kind, name, body):
    """Uploads one record as a batch; its result."""
    batch = {"client_now": instant(), "items": [{"kind": kind, "id": name, "body": body}]}
    [entry] = person.call("POST", person.own("/sync"), json=batch, status=200)["items"]
    return entry["result"]


# Their plans


def planned(person, schedule):
    """All occasions of a schedule, including cancelled ones, ordered by day and opening."""
    found = sorted(
        (one for one in person.pages(person.own("/occasions")) if one["schedule"] == schedule), key=lambda one: (one["day"], one["opens_at"]))
    assert len({one["occasion_id"] for one in found}) == len(found)
    return found


def days(person, schedule):
    """Day -> its only occasion."""
    found = planned(person, schedule)
    assert len({one["day"] for one in found}) == len(found)
    return {one["day"]: one for one in found}


def bounds(one):
    return read(one["opens_at"]), read(one["due_at"]), read(one["closes_at"])


def afternoon(person, day):
    """The window from 12 to 22 o'clock, this many days after the person's today."""
    noon = local(person.zone).replace(hour=12, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=day)
    return noon, noon.replace(hour=20), noon.replace(hour=22)


def answerable(occasions):
    return [one for one in occasions if one["state"] in ("open", "overdue")]


def check_apart(person, schedule):
    """Never, now or later, are two unanswered windows of the schedule open at once. The overview shows the open one."""
    waiting = sorted(
        (one for one in planned(person, schedule) if one["state"] in ("upcoming", "open", "overdue")), key=lambda one: one["opens_at"])
    for earlier, later in itertools.pairwise(waiting):
        assert earlier["closes_at"] <= later["opens_at"], f"{earlier} and {later} are open at once"
    wanted = answerable(waiting)
    entry = person.overview()[(waiting or planned(person, schedule))[0]["questionnaire"]]
    if wanted:
        assert entry["occasion_id"] == wanted[0]["occasion_id"] and not entry["disabled"]
    else:
        assert entry["disabled"]


# The dataset of researchers


def rows(files, table, person):
    """The rows of one person in a table."""
    found = csv.DictReader(io.StringIO(files[f"data/{table}.csv"].decode()))
    return [row for row in found if row["enrolment_id"][-36:] == person.enrolment["enrolment_id"]]


def check_dataset(reader, person, schedule):
    """The dataset contains each occasion that the participant sees once, with the same state and window."""
    files = datasets.files(reader, STUDY, "coded")
    stored = {row["occasion_id"][-36:]: row for row in rows(files, "occasions", person) if row["schedule"] == schedule}
    seen = {one["occasion_id"]: one for one in planned(person, schedule)}
    assert len(stored) == sum(row["schedule"] == schedule for row in rows(files, "occasions", person)) and stored.keys() == seen.keys()
    for name, row in stored.items():
        assert row["status"] == seen[name]["state"]
        assert (row["opens_at"], row["due_at"], row["closes_at"]) == tuple(seen[name][bound] for bound in ("opens_at", "due_at", "closes_at"))
    return files, stored


# Events with a date


def test_upcoming_occasions_move_with_their_event_to_earlier_and_later_days(traveller, reader):
    tove = traveller()
    assert planned(tove, "days_after") == []
    report(tove, "back-home", after(days=4), 201)
    before = days(tove, "days_after")
    assert {day: bounds(one) for day, one in before.items()} == {day: afternoon(tove, 4 + day) for day in range(5)}

    for shift in (3, 6, 2):
        report(tove, "back-home", after(days=shift))
        moved = days(tove, "days_after")
        assert {day: bounds(one) for day, one in moved.items()} == {day: afternoon(tove, shift + day) for day in range(5)}
        assert {one["local_date"] for one in moved.values()} == {str(afternoon(tove, shift + day)[0].date()) for day in range(5)}
        # The number of the day after the event identifies an occasion.
        assert {day: one["occasion_id"] for day, one in moved.items()} == {day: one["occasion_id"] for day, one in before.items()}
        check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


def test_after_a_correction_that_makes_the_first_day_past_the_next_day_is_open(traveller, reader):
    tove = traveller()
    report(tove, "back-home", after(days=1), 201)
    before = days(tove, "days_after")
    assert [bounds(before[day]) for day in range(5)] == [afternoon(tove, 1 + day) for day in range(5)]

    # The event was yesterday: the first day is over, and today is the second day.
    report(tove, "back-home", after(days=-1))
    moved = days(tove, "days_after")
    assert moved[0]["state"] == "cancelled" and moved[0]["occasion_id"] == before[0]["occasion_id"]
    assert {day: bounds(moved[day]) for day in range(1, 5)} == {day: afternoon(tove, day - 1) for day in range(1, 5)}
    assert [one["day"] for one in answerable(moved.values())] == [1]
    check_apart(tove, "days_after")

    # The past occasion needs no sheet. Today's sheet fulfils the only open occasion.
    sheet = tove.submit("who_5", answers.WHO_5)
    assert sheet["occasion_id"] == moved[1]["occasion_id"] and sheet["standing"] == "on_time"
    files, stored = check_dataset(reader, tove, "days_after")
    assert [row["day_index"] for row in stored.values() if row["status"] == "cancelled"] == ["0"]
    assert [row["sheet_id"][-36:] for row in stored.values() if row["sheet_id"]] == [sheet["sheet_id"]]
    assert [row["sheet_id"][-36:] for row in rows(files, "sheets", tove)] == [sheet["sheet_id"]]


def test_an_open_window_does_not_move_if_its_event_is_corrected_to_a_later_time(traveller, reader):
    tove = traveller()
    report(tove, "back-home", now(), 201)
    before = days(tove, "days_after")
    assert before[0]["state"] == "open" and bounds(before[0]) == afternoon(tove, 0)

    report(tove, "back-home", after(days=1))
    moved = days(tove, "days_after")
    assert moved[0] == before[0], "an open window is frozen"
    assert {day: bounds(moved[day]) for day in range(1, 5)} == {day: afternoon(tove, 1 + day) for day in range(1, 5)}
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


@pytest.mark.parametrize("moments", [(0, -1), (1, -1, -2)], ids=["corrected", "corrected_twice"])
def test_an_open_window_stays_the_only_one_if_its_event_is_corrected_to_an_earlier_time(traveller, reader, moments):
    tove = traveller()
    *earlier, last = moments
    for index, shift in enumerate(earlier):
        report(tove, "back-home", after(days=shift), 200 if index else 201)
    [before] = answerable(planned(tove, "days_after"))

    report(tove, "back-home", after(days=last))
    moved = days(tove, "days_after")
    assert moved[before["day"]] == before, "an open window is frozen"
    # By the corrected event the next day is today, but today has the open window.
    assert answerable(moved.values()) == [before]
    assert {day: bounds(moved[day]) for day in range(before["day"] + 2, 5)} == {
        day: afternoon(tove, last + day) for day in range(before["day"] + 2, 5)}
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


def test_a_sheet_keeps_its_occasion_after_each_correction_of_the_event(traveller, reader):
    tove = traveller()
    report(tove, "back-home", now(), 201)
    before = days(tove, "days_after")
    name = new_id()
    path, body = tove.own(f"/answer-sheets/{name}"), tove.sheet("who_5", answers.WHO_5)
    sheet = tove.call("PUT", path, json=body, status=201)
    assert sheet["occasion_id"] == before[0]["occasion_id"]
    answered = days(tove, "days_after")[0]
    assert answered["state"] == "completed_on_time"
    stored = tove.call("GET", path, status=200)

    for shift in (2, -1, 1):
        report(tove, "back-home", after(days=shift))
        assert days(tove, "days_after")[0] == answered
        assert tove.call("GET", path, status=200) == stored
        check_apart(tove, "days_after")
    # A device without an acknowledgement sends the sheet again.
    again = tove.call("PUT", path, json=body, status=200)
    assert again == sheet | {"replayed": True}

    files, found = check_dataset(reader, tove, "days_after")
    assert [row["occasion_id"][-36:] for row in rows(files, "sheets", tove)] == [answered["occasion_id"]]
    assert found[answered["occasion_id"]]["sheet_id"][-36:] == name
    assert {row["status"] for row in found.values() if row["sheet_id"]} == {"completed_on_time"}


def test_a_sheet_completed_before_the_correction_and_uploaded_after_it_keeps_its_occasion(traveller, reader):
    """The device was offline in between."""
    tove = traveller()
    report(tove, "back-home", now(), 201)
    occasion = days(tove, "days_after")[0]
    body = tove.sheet("who_5", answers.WHO_5, occasion_id=occasion["occasion_id"])
    del body["client_now"]
    other = traveller()
    report(other, "back-home", after(days=1), 201)
    cancelled = days(other, "days_after")[0]
    report(tove, "back-home", after(days=1))
    report(other, "back-home", after(days=-1))

    name = new_id()
    assert sync(tove, "answer_sheet", name, body) == "accepted"
    settled = days(tove, "days_after")[0]
    assert settled["state"] == "completed_on_time" and settled["sheet_id"] == name and bounds(settled) == bounds(occasion)
    # A sheet for a cancelled occasion is stored with it, and does not fulfil it.
    late = new_id()
    assert sync(other, "answer_sheet", late, body | {"occasion_id": cancelled["occasion_id"]}) == "accepted"
    kept = other.call("GET", other.own(f"/answer-sheets/{late}"), status=200)
    assert (kept["answers"], kept["occasion_id"], kept["flags"]) == (answers.WHO_5, cancelled["occasion_id"], ["occasion_cancelled"])
    assert days(other, "days_after")[0]["state"] == "cancelled"
    check_apart(other, "days_after")
    files, _ = check_dataset(reader, other, "days_after")
    assert [(row["sheet_id"][-36:], row["occasion_id"][-36:]) for row in rows(files, "sheets", other)] == [(late, cancelled["occasion_id"])]


def test_a_repeated_correction_changes_nothing(traveller, reader):
    tove = traveller()
    report(tove, "back-home", after(days=1), 201)
    moment = after(days=-1)
    first = report(tove, "back-home", moment)
    once = planned(tove, "days_after")
    feed = f"/v1/studies/{STUDY}/changes"
    number = reader.call("GET", feed, params={"after": 0, "limit": 1000}, status=200)["change_seq"]

    assert report(tove, "back-home", moment) == first, "also when it was recorded"
    assert planned(tove, "days_after") == once
    assert tove.call("GET", tove.own("/events"), status=200)["items"] == [first]
    # The feed of the study contains no change.
    hers = [
        item for item in reader.pages(feed, limit=1000, after=number) if item["participant_id"] == tove.enrolment["participant_id"]]
    assert hers == []


def test_a_correction_that_is_undone_restores_the_plan(traveller, reader):
    tove = traveller()
    reported_at = after(days=1)
    report(tove, "back-home", reported_at, 201)
    before = planned(tove, "days_after")
    report(tove, "back-home", after(days=-1))
    assert planned(tove, "days_after") != before
    report(tove, "back-home", reported_at)

    found = days(tove, "days_after")
    # The second day had opened in between, so it stays. All other occasions, including cancelled ones, are as before.
    assert bounds(found[1]) == afternoon(tove, 0) and found[1]["state"] == "open"
    rest = [one for one in before if one["day"] != 1]
    assert [found[one["day"]] for one in rest] == rest
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


def test_an_event_can_be_uploaded_later(traveller):
    tove, other = traveller(), traveller()

    def upload(moment, event="back-home"):
        return sync(tove, "study_event", new_id(), {"event": event, "occurred_at": instant(moment)})

    moment, later = after(days=1), after(days=2)
    assert [upload(moment), upload(moment), upload(later), upload(later)] == ["accepted", "replayed", "accepted", "replayed"]
    report(other, "back-home", later, 201)
    assert [bounds(one) for one in days(tove, "days_after").values()] == [bounds(one) for one in days(other, "days_after").values()]
    assert upload(moment, "unknown") == "rejected"


# Events with a time


@pytest.fixture
def stung(traveller):
    """A participant with two upcoming windows today, from 1 to 2 and from 3 to 4 hours after a reported event; and the time of the event."""
    tove = traveller()
    moment = now()
    report(tove, "stung", moment, 201)
    assert [bounds(one)[::2] for one in planned(tove, "hours_after")] == [
        pytest.approx((after(moment, hours=start), after(moment, hours=start + 1)), abs=timedelta(milliseconds=1)) for start in (1, 3)]
    return tove, moment


def test_windows_of_hours_move_with_their_event(stung, reader):
    tove, moment = stung
    before = planned(tove, "hours_after")
    report(tove, "stung", after(moment, minutes=20))
    moved = planned(tove, "hours_after")
    assert [one["occasion_id"] for one in moved] == [one["occasion_id"] for one in before]
    for old, new in zip(before, moved):
        assert [there - here for here, there in zip(bounds(old), bounds(new))] == [timedelta(minutes=20)] * 3
    check_apart(tove, "hours_after")
    # The event was 80 minutes ago: the first window has been open for 20 minutes.
    report(tove, "stung", after(moment, minutes=-80))
    opened = planned(tove, "hours_after")
    assert [one["state"] for one in opened] == ["open", "upcoming"]
    for old, new in zip(before, opened):
        assert [there - here for here, there in zip(bounds(old), bounds(new))] == [timedelta(minutes=-80)] * 3
    check_apart(tove, "hours_after")
    check_dataset(reader, tove, "hours_after")


def test_windows_of_hours_never_overlap_after_a_correction_by_hours(stung, reader):
    tove, moment = stung
    # The event was two hours ago: the first window has just closed, and the second one opens at the time of the old first window.
    report(tove, "stung", after(moment, hours=-2))
    waiting = [one for one in planned(tove, "hours_after") if one["state"] in ("upcoming", "open", "overdue")]
    assert len(waiting) == 1, [(one["state"], one["opens_at"], one["closes_at"]) for one in waiting]
    assert bounds(waiting[0])[0] - moment == pytest.approx(timedelta(hours=1), abs=timedelta(milliseconds=1))
    check_apart(tove, "hours_after")
    check_dataset(reader, tove, "hours_after")


# A sheet as the event, by single requests and by batch uploads


def submit_note(person, way, at):
    name, body = new_id(), note(person, at)
    if way == "batch":
        assert sync(person, "answer_sheet", name, body) == "accepted"
    else:
        person.call("PUT", person.own(f"/answer-sheets/{name}"), json=body | {"client_now": instant()}, status=201)
    return name


def delete_note(person, way, sheet):
    if way == "batch":
        assert sync(person, "deletion", new_id(), {"sheet_id": sheet, "deleted_at": instant()}) == "accepted"
    else:
        person.call("DELETE", person.own(f"/answer-sheets/{sheet}"), status=204)


@pytest.mark.parametrize("way", ["batch", "request"])
def test_windows_after_the_first_sheet_move_when_it_is_deleted(traveller, reader, way):
    tove = traveller()
    first = submit_note(tove, way, after(days=-1))
    second = submit_note(tove, way, now())
    before = days(tove, "after_the_first_note")
    assert {day: bounds(one) for day, one in before.items()} == {day: afternoon(tove, day - 1) for day in (1, 2, 3)}
    sheet = tove.submit("mood_vas", {"mood": 61})
    answered = days(tove, "after_the_first_note")[1]
    assert sheet["occasion_id"] == answered["occasion_id"]

    delete_note(tove, way, first)

    # The answered occasion stays. The following days count from the sheet that is the first one now.
    moved = days(tove, "after_the_first_note")
    assert moved[1] == answered
    assert {day: bounds(moved[day]) for day in (2, 3)} == {day: afternoon(tove, day) for day in (2, 3)}
    check_apart(tove, "after_the_first_note")
    assert {entry["sheet_id"] for entry in tove.pages(tove.own("/answer-sheets"))} == {second, sheet["sheet_id"]}
    check_dataset(reader, tove, "after_the_first_note")


@pytest.mark.parametrize("way", ["batch", "request"])
def test_windows_after_the_first_sheet_move_when_an_earlier_sheet_arrives_late(traveller, reader, way):
    tove = traveller()
    submit_note(tove, way, after(days=-1))
    before = days(tove, "after_the_first_note")
    assert before[1]["state"] == "open"

    # A sheet of the day before, from a device that was offline.
    submit_note(tove, way, after(days=-2))

    moved = days(tove, "after_the_first_note")
    assert moved[1] == before[1], "an open window is frozen"
    assert len(answerable(moved.values())) == 1
    assert bounds(moved[3]) == afternoon(tove, 1)
    check_apart(tove, "after_the_first_note")
    check_dataset(reader, tove, "after_the_first_note")
