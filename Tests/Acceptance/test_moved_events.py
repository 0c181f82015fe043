"""What participants tell of when something happened turns out to be wrong: the windows that count from it move, and nobody is asked the same twice at once."""

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

# Whoever is asked lives where it is six in the evening: today's window of each day is open, yesterday's is over.
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
    """Makes people whose windows count from what they tell."""
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


# What people do


def tell(person, event, moment, status=200):
    return person.call("PUT", person.own(f"/events/{event}"), json={"occurred_at": instant(moment)}, status=status)


def note(person, at=None, mood=5):
    at = at or now()
    return {
        "questionnaire": "pocket_note", "version": "1.0.0", "started_at": instant(after(at, seconds=-30)), "completed_at": instant(at),
        "time_zone": person.zone, "answers": {"mood": mood},
    }


def sync(person, kind, name, body):
    """One thing by the outbox; its result."""
    outbox = {"client_now": instant(), "items": [{"kind": kind, "id": name, "body": body}]}
    [entry] = person.call("POST", person.own("/sync"), json=outbox, status=200)["items"]
    return entry["result"]


# What is planned for them


def planned(person, schedule):
    """All occasions of a schedule, cancelled ones too, by day and opening."""
    found = sorted(
        (one for one in person.pages(person.own("/occasions")) if one["schedule"] == schedule), key=lambda one: (one["day"], one["opens_at"]))
    assert len({one["occasion_id"] for one in found}) == len(found)
    return found


def days(person, schedule):
    """Each day once -> its occasion."""
    found = planned(person, schedule)
    assert len({one["day"] for one in found}) == len(found)
    return {one["day"]: one for one in found}


def bounds(one):
    return read(one["opens_at"]), read(one["due_at"]), read(one["closes_at"])


def afternoon(person, day):
    """The window from noon to ten of the day that lies so many days from the person's today."""
    noon = local(person.zone).replace(hour=12, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=day)
    return noon, noon.replace(hour=20), noon.replace(hour=22)


def answerable(occasions):
    return [one for one in occasions if one["state"] in ("open", "overdue")]


def check_apart(person, schedule):
    """At no moment, now or to come, are two windows of the schedule open that still want an answer; the overview shows the open one."""
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


# What researchers get of it


def rows(files, table, person):
    """What a table has of one person."""
    found = csv.DictReader(io.StringIO(files[f"data/{table}.csv"].decode()))
    return [row for row in found if row["enrolment_id"][-36:] == person.enrolment["enrolment_id"]]


def check_dataset(reader, person, schedule):
    """Each occasion that its participant sees stands once in the dataset, in the same state and with the same window."""
    files = datasets.files(reader, STUDY, "coded")
    stored = {row["occasion_id"][-36:]: row for row in rows(files, "occasions", person) if row["schedule"] == schedule}
    seen = {one["occasion_id"]: one for one in planned(person, schedule)}
    assert len(stored) == sum(row["schedule"] == schedule for row in rows(files, "occasions", person)) and stored.keys() == seen.keys()
    for name, row in stored.items():
        assert row["status"] == seen[name]["state"]
        assert (row["opens_at"], row["due_at"], row["closes_at"]) == tuple(seen[name][bound] for bound in ("opens_at", "due_at", "closes_at"))
    return files, stored


# Events of a day


def test_what_has_not_opened_moves_with_its_event_to_earlier_and_to_later_days(traveller, reader):
    tove = traveller()
    assert planned(tove, "days_after") == []
    tell(tove, "back-home", after(days=4), 201)
    before = days(tove, "days_after")
    assert {day: bounds(one) for day, one in before.items()} == {day: afternoon(tove, 4 + day) for day in range(5)}

    for shift in (3, 6, 2):
        tell(tove, "back-home", after(days=shift))
        moved = days(tove, "days_after")
        assert {day: bounds(one) for day, one in moved.items()} == {day: afternoon(tove, shift + day) for day in range(5)}
        assert {one["local_date"] for one in moved.values()} == {str(afternoon(tove, shift + day)[0].date()) for day in range(5)}
        # The identity of an occasion is its day after the event, whenever that is.
        assert {day: one["occasion_id"] for day, one in moved.items()} == {day: one["occasion_id"] for day, one in before.items()}
        check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


def test_a_day_that_is_over_once_its_event_is_corrected_gives_way_to_the_next(traveller, reader):
    tove = traveller()
    tell(tove, "back-home", after(days=1), 201)
    before = days(tove, "days_after")
    assert [bounds(before[day]) for day in range(5)] == [afternoon(tove, 1 + day) for day in range(5)]

    # It was yesterday already: the first day is over, the second is today.
    tell(tove, "back-home", after(days=-1))
    moved = days(tove, "days_after")
    assert moved[0]["state"] == "cancelled" and moved[0]["occasion_id"] == before[0]["occasion_id"]
    assert {day: bounds(moved[day]) for day in range(1, 5)} == {day: afternoon(tove, day - 1) for day in range(1, 5)}
    assert [one["day"] for one in answerable(moved.values())] == [1]
    check_apart(tove, "days_after")

    # What stood for a day that is over wants no sheet; today's goes to the one window that is open.
    sheet = tove.hand_in("who_5", answers.WHO_5)
    assert sheet["occasion_id"] == moved[1]["occasion_id"] and sheet["standing"] == "on_time"
    files, stored = check_dataset(reader, tove, "days_after")
    assert [row["day_index"] for row in stored.values() if row["status"] == "cancelled"] == ["0"]
    assert [row["sheet_id"][-36:] for row in stored.values() if row["sheet_id"]] == [sheet["sheet_id"]]
    assert [row["sheet_id"][-36:] for row in rows(files, "sheets", tove)] == [sheet["sheet_id"]]


def test_a_window_that_is_open_stays_as_it_is_when_its_event_turns_out_to_be_later(traveller, reader):
    tove = traveller()
    tell(tove, "back-home", now(), 201)
    before = days(tove, "days_after")
    assert before[0]["state"] == "open" and bounds(before[0]) == afternoon(tove, 0)

    tell(tove, "back-home", after(days=1))
    moved = days(tove, "days_after")
    assert moved[0] == before[0], "frozen once it is open"
    assert {day: bounds(moved[day]) for day in range(1, 5)} == {day: afternoon(tove, 1 + day) for day in range(1, 5)}
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


@pytest.mark.parametrize("moments", [(0, -1), (1, -1, -2)], ids=["corrected", "corrected_twice"])
def test_a_window_that_is_open_is_the_only_one_of_its_time_when_its_event_turns_out_to_be_earlier(traveller, reader, moments):
    tove = traveller()
    *earlier, last = moments
    for place, shift in enumerate(earlier):
        tell(tove, "back-home", after(days=shift), 200 if place else 201)
    [before] = answerable(planned(tove, "days_after"))

    tell(tove, "back-home", after(days=last))
    moved = days(tove, "days_after")
    assert moved[before["day"]] == before, "frozen once it is open"
    # By the corrected event the day after it is today, whose window is taken.
    assert answerable(moved.values()) == [before]
    assert {day: bounds(moved[day]) for day in range(before["day"] + 2, 5)} == {
        day: afternoon(tove, last + day) for day in range(before["day"] + 2, 5)}
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


def test_a_sheet_keeps_its_occasion_whatever_becomes_of_the_event(traveller, reader):
    tove = traveller()
    tell(tove, "back-home", now(), 201)
    before = days(tove, "days_after")
    name = new_id()
    path, body = tove.own(f"/answer-sheets/{name}"), tove.sheet("who_5", answers.WHO_5)
    sheet = tove.call("PUT", path, json=body, status=201)
    assert sheet["occasion_id"] == before[0]["occasion_id"]
    answered = days(tove, "days_after")[0]
    assert answered["state"] == "completed_on_time"
    stored = tove.call("GET", path, status=200)

    for shift in (2, -1, 1):
        tell(tove, "back-home", after(days=shift))
        assert days(tove, "days_after")[0] == answered
        assert tove.call("GET", path, status=200) == stored
        check_apart(tove, "days_after")
    # A device that was not told that it had come sends it again.
    again = tove.call("PUT", path, json=body, status=200)
    assert again == sheet | {"replayed": True}

    files, found = check_dataset(reader, tove, "days_after")
    assert [row["occasion_id"][-36:] for row in rows(files, "sheets", tove)] == [answered["occasion_id"]]
    assert found[answered["occasion_id"]]["sheet_id"][-36:] == name
    assert {row["status"] for row in found.values() if row["sheet_id"]} == {"completed_on_time"}


def test_a_sheet_finished_before_the_correction_and_sent_after_it_keeps_its_occasion(traveller, reader):
    """As a device does that had no network meanwhile."""
    tove = traveller()
    tell(tove, "back-home", now(), 201)
    occasion = days(tove, "days_after")[0]
    body = tove.sheet("who_5", answers.WHO_5, occasion_id=occasion["occasion_id"])
    del body["client_now"]
    other = traveller()
    tell(other, "back-home", after(days=1), 201)
    cancelled = days(other, "days_after")[0]
    tell(tove, "back-home", after(days=1))
    tell(other, "back-home", after(days=-1))

    name = new_id()
    assert sync(tove, "answer_sheet", name, body) == "accepted"
    settled = days(tove, "days_after")[0]
    assert settled["state"] == "completed_on_time" and settled["sheet_id"] == name and bounds(settled) == bounds(occasion)
    # One that names what was cancelled is kept with it, and settles nothing.
    late = new_id()
    assert sync(other, "answer_sheet", late, body | {"occasion_id": cancelled["occasion_id"]}) == "accepted"
    kept = other.call("GET", other.own(f"/answer-sheets/{late}"), status=200)
    assert (kept["answers"], kept["occasion_id"], kept["flags"]) == (answers.WHO_5, cancelled["occasion_id"], ["occasion_cancelled"])
    assert days(other, "days_after")[0]["state"] == "cancelled"
    check_apart(other, "days_after")
    files, _ = check_dataset(reader, other, "days_after")
    assert [(row["sheet_id"][-36:], row["occasion_id"][-36:]) for row in rows(files, "sheets", other)] == [(late, cancelled["occasion_id"])]


def test_the_same_correction_twice_changes_nothing(traveller, reader):
    tove = traveller()
    tell(tove, "back-home", after(days=1), 201)
    moment = after(days=-1)
    first = tell(tove, "back-home", moment)
    once = planned(tove, "days_after")
    feed = f"/v1/studies/{STUDY}/changes"
    number = reader.call("GET", feed, params={"after": 0, "limit": 1000}, status=200)["change_seq"]

    assert tell(tove, "back-home", moment) == first, "also when it was recorded"
    assert planned(tove, "days_after") == once
    assert tove.call("GET", tove.own("/events"), status=200)["items"] == [first]
    # Nobody who follows the study is told of anything.
    hers = [
        item for item in reader.pages(feed, limit=1000, after=number) if item["participant_id"] == tove.enrolment["participant_id"]]
    assert hers == []


def test_there_and_back_again_leaves_what_was_planned_at_first(traveller, reader):
    tove = traveller()
    told = after(days=1)
    tell(tove, "back-home", told, 201)
    before = planned(tove, "days_after")
    tell(tove, "back-home", after(days=-1))
    assert planned(tove, "days_after") != before
    tell(tove, "back-home", told)

    found = days(tove, "days_after")
    # The second day had opened meanwhile, so it stays; everything else is where it was, what was cancelled included.
    assert bounds(found[1]) == afternoon(tove, 0) and found[1]["state"] == "open"
    rest = [one for one in before if one["day"] != 1]
    assert [found[one["day"]] for one in rest] == rest
    check_apart(tove, "days_after")
    check_dataset(reader, tove, "days_after")


# Events of an hour


@pytest.fixture
def stung(traveller):
    """Somebody whose two windows lie ahead on this day, from one to two and from three to four hours after the moment that is told, and that moment."""
    tove = traveller()
    moment = now()
    tell(tove, "stung", moment, 201)
    assert [bounds(one)[::2] for one in planned(tove, "hours_after")] == [
        pytest.approx((after(moment, hours=start), after(moment, hours=start + 1)), abs=timedelta(milliseconds=1)) for start in (1, 3)]
    return tove, moment


def test_windows_of_hours_move_with_their_event(stung, reader):
    tove, moment = stung
    before = planned(tove, "hours_after")
    tell(tove, "stung", after(moment, minutes=20))
    moved = planned(tove, "hours_after")
    assert [one["occasion_id"] for one in moved] == [one["occasion_id"] for one in before]
    for old, new in zip(before, moved):
        assert [there - here for here, there in zip(bounds(old), bounds(new))] == [timedelta(minutes=20)] * 3
    check_apart(tove, "hours_after")
    # Eighty minutes ago: the first window has been open for twenty.
    tell(tove, "stung", after(moment, minutes=-80))
    opened = planned(tove, "hours_after")
    assert [one["state"] for one in opened] == ["open", "upcoming"]
    for old, new in zip(before, opened):
        assert [there - here for here, there in zip(bounds(old), bounds(new))] == [timedelta(minutes=-80)] * 3
    check_apart(tove, "hours_after")
    check_dataset(reader, tove, "hours_after")


def test_windows_of_hours_never_meet_when_their_event_is_corrected_by_some_hours_of_one_day(stung, reader):
    tove, moment = stung
    # Two hours ago: the first window has just closed, and the second is to open where the first was.
    tell(tove, "stung", after(moment, hours=-2))
    waiting = [one for one in planned(tove, "hours_after") if one["state"] in ("upcoming", "open", "overdue")]
    assert len(waiting) == 1, [(one["state"], one["opens_at"], one["closes_at"]) for one in waiting]
    assert bounds(waiting[0])[0] - moment == pytest.approx(timedelta(hours=1), abs=timedelta(milliseconds=1))
    check_apart(tove, "hours_after")
    check_dataset(reader, tove, "hours_after")


# What a sheet is the event of: there the outbox moves it, too


def hand_in_note(person, way, at):
    name, body = new_id(), note(person, at)
    if way == "outbox":
        assert sync(person, "answer_sheet", name, body) == "accepted"
    else:
        person.call("PUT", person.own(f"/answer-sheets/{name}"), json=body | {"client_now": instant()}, status=201)
    return name


def take_back(person, way, sheet):
    if way == "outbox":
        assert sync(person, "deletion", new_id(), {"sheet_id": sheet, "deleted_at": instant()}) == "accepted"
    else:
        person.call("DELETE", person.own(f"/answer-sheets/{sheet}"), status=204)


@pytest.mark.parametrize("way", ["outbox", "request"])
def test_windows_after_the_first_sheet_move_when_it_is_taken_back(traveller, reader, way):
    tove = traveller()
    first = hand_in_note(tove, way, after(days=-1))
    second = hand_in_note(tove, way, now())
    before = days(tove, "after_the_first_note")
    assert {day: bounds(one) for day, one in before.items()} == {day: afternoon(tove, day - 1) for day in (1, 2, 3)}
    sheet = tove.hand_in("mood_vas", {"mood": 61})
    answered = days(tove, "after_the_first_note")[1]
    assert sheet["occasion_id"] == answered["occasion_id"]

    take_back(tove, way, first)

    # What was answered stays; the days after it count from the sheet that is the first now.
    moved = days(tove, "after_the_first_note")
    assert moved[1] == answered
    assert {day: bounds(moved[day]) for day in (2, 3)} == {day: afternoon(tove, day) for day in (2, 3)}
    check_apart(tove, "after_the_first_note")
    assert {entry["sheet_id"] for entry in tove.pages(tove.own("/answer-sheets"))} == {second, sheet["sheet_id"]}
    check_dataset(reader, tove, "after_the_first_note")


@pytest.mark.parametrize("way", ["outbox", "request"])
def test_windows_after_the_first_sheet_move_when_an_earlier_one_comes_late(traveller, reader, way):
    tove = traveller()
    hand_in_note(tove, way, after(days=-1))
    before = days(tove, "after_the_first_note")
    assert before[1]["state"] == "open"

    # Of a day before, from a device that had no network.
    hand_in_note(tove, way, after(days=-2))

    moved = days(tove, "after_the_first_note")
    assert moved[1] == before[1], "frozen once it is open"
    assert len(answerable(moved.values())) == 1
    assert bounds(moved[3]) == afternoon(tove, 1)
    check_apart(tove, "after_the_first_note")
    check_dataset(reader, tove, "after_the_first_note")
