"""A walk and its sheet have the same result in each order of arrival and with each delay."""

import concurrent.futures
import json
import time
from datetime import timedelta

import pytest

from acceptance import answers, lines, walks
from acceptance.moments import after, instant, new_id, now
from acceptance.people import Person
from acceptance.server import Server

END = ("completed_on_time", "on_time")


def sync(person, *items, clock=None, device=None):
    body = {"client_now": instant(clock), "items": [{"kind": kind, "id": id, "body": body} for kind, id, body in items]}
    return person.call("POST", person.own("/sync"), status=200, json=body | ({"device_id": device} if device else {}))


def words(reply):
    return [entry["result"] for entry in reply["items"]]


@pytest.fixture(scope="module")
def alone():
    """A separate server, because the tests move enrolments into the past, which the feed of changes does not show."""
    own = Server()
    try:
        own.start()
        own.publish()
        yield own
    finally:
        own.remove()


@pytest.fixture
def walker(alone, contract):
    """A participant who enrolled this long ago, with records of a device: a calibration, a walk, and a sheet one minute after the walk."""

    def make(ago=timedelta(minutes=12), days=0, skew=timedelta(0)):
        ada = Person(alone, contract).register().enrol()
        if days:
            alone.sql(
                f"update research.enrolment set enrolled_at = enrolled_at - interval '{days} days', enrolled_on = enrolled_on - {days} "
                f"where enrolment_id = '{ada.enrolment['enrolment_id']}'")
        started = now() - ago + skew
        calibration = ("calibration", new_id(), {
            "recorded_at": instant(after(started, seconds=-300)), "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60})
        walk = ("walk", new_id(), walks.body(ada.zone, started=started))
        ended = after(started, seconds=walks.ELAPSED_S)
        sheet = ("answer_sheet", new_id(), ada.sheet(
            "after_walk", answers.AFTER_WALK, started=after(ended, seconds=20), completed=after(ended, seconds=60), walk_id=walk[1]))
        sheet[2].pop("client_now")
        return ada, calibration, walk, sheet

    return make


def occasions(person):
    return [o for o in person.pages(person.own("/occasions"), limit=1000) if o["questionnaire"] == "after_walk"]


def check_result(person, sheet):
    """Checks the result that a walk has if it arrives first and in time."""
    (occasion,) = occasions(person)
    stored = person.call("GET", person.own(f"/answer-sheets/{sheet[1]}"), status=200)
    assert (occasion["state"], stored["standing"]) == END, (occasion, stored)
    assert stored["occasion_id"] == occasion["occasion_id"] and stored["duplicate_of"] is None and stored["late_s"] is None
    assert "no_occasion" not in stored["flags"]
    # The questionnaire is not due again.
    assert person.overview()["after_walk"]["disabled"]
    # A retry of the sheet returns its receipt with the present occasion.
    (again,) = sync(person, sheet)["items"]
    assert again["result"] == "replayed" and again["receipt"]["occasion_id"] == occasion["occasion_id"]
    assert len(person.pages(person.own("/answer-sheets"))) == 1
    return stored


@pytest.mark.parametrize("ago, days", [(timedelta(hours=11), 3), (timedelta(hours=13), 3), (timedelta(days=20), 30)])
@pytest.mark.parametrize("order", ["cws", "swc", "c w s", "c s w"])
def test_the_result_is_the_same_for_each_delay_and_order(walker, ago, days, order):
    ada, *records = walker(ago, days)
    by_letter = dict(zip("cws", records))

    for call in order.split():
        assert set(words(sync(ada, *(by_letter[letter] for letter in call)))) <= {"accepted", "out_of_window"}

    check_result(ada, by_letter["s"])


@pytest.mark.parametrize("turn", range(5))
def test_a_sheet_and_its_walk_that_arrive_at_the_same_time_find_each_other(walker, turn):
    ada, calibration, walk, sheet = walker()
    sync(ada, calibration)
    pair = [walk, sheet] if turn % 2 else [sheet, walk]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda record: sync(ada, record), pair))

    check_result(ada, sheet)


@pytest.mark.parametrize("ago, days", [(timedelta(hours=13), 3), (timedelta(days=20), 30)])
def test_a_late_walk_without_a_sheet_has_a_missed_occasion(walker, alone, ago, days):
    ada, calibration, walk, _ = walker(ago, days)

    assert words(sync(ada, calibration, walk)) == ["accepted", "accepted"]

    (occasion,) = occasions(ada)
    assert occasion["state"] == "missed"
    # It is the only occasion that is made in the past, and it has no reminder.
    past = [o["occasion_id"] for o in ada.pages(ada.own("/occasions"), limit=1000) if o["closes_at"] <= instant()]
    assert past == [occasion["occasion_id"]]
    assert ada.overview()["after_walk"]["disabled"]
    assert alone.sql(f"select count(*) from research.reminder where subject = '{occasion['occasion_id']}'").strip() == "0"


def test_a_sheet_before_its_walk(walker):
    ada, calibration, walk, sheet = walker()
    assert words(sync(ada, sheet)) == ["out_of_window"]
    since = ada.call("GET", ada.own("/sync"), params={"limit": 1000}, status=200)["next_since"]

    assert words(sync(ada, calibration, walk)) == ["accepted", "accepted"]

    check_result(ada, sheet)
    changed = ada.call("GET", ada.own("/sync"), params={"limit": 1000, "since": since}, status=200)["items"]
    assert ("answer_sheet", sheet[1]) in {(entry["kind"], entry["id"]) for entry in changed}, "the device's feed contains the changed sheet"


def test_by_single_requests(walker):
    ada, _, walk, sheet = walker()
    reply = ada.call("PUT", ada.own(f"/answer-sheets/{sheet[1]}"), status=201, json=sheet[2] | {"client_now": instant()})
    assert reply["standing"] == "out_of_window" and reply["occasion_id"] is None and "no_occasion" in reply["flags"]

    ada.call("PUT", ada.own(f"/walks/{walk[1]}"), status=201, json=walk[2] | {"client_now": instant()})

    stored = check_result(ada, sheet)
    assert [score["value"] for score in stored["scores"]] == [score["value"] for score in reply["scores"]]


def test_the_walk_in_a_later_line_of_the_same_batch(walker):
    ada, calibration, walk, sheet = walker()
    connection = lines.begin(ada)
    lines.chunk(connection, lines.body(sheet))
    time.sleep(1)
    lines.chunk(connection, lines.body(calibration, walk, head=False))
    connection.send(b"0\r\n\r\n")
    results = [json.loads(line) for line in connection.getresponse().read().splitlines()]

    assert len(results) == 3 and {entry["result"] for entry in results} <= {"accepted", "out_of_window"}
    check_result(ada, sheet)


def test_the_sheet_from_the_phone_and_the_walk_from_the_watch(walker):
    ada, calibration, walk, sheet = walker()
    phone, watch = new_id(), new_id()
    sync(ada, sheet, device=phone)
    sync(ada, calibration, walk, device=watch)
    check_result(ada, sheet)


def test_a_walk_that_waits_for_its_calibration(walker):
    ada, calibration, walk, sheet = walker()
    walk[2]["calibration_id"] = calibration[1]
    assert words(sync(ada, walk, sheet)) == ["retry", "out_of_window"]
    assert words(sync(ada, calibration)) == ["accepted"]
    assert words(sync(ada, walk)) == ["accepted"]
    check_result(ada, sheet)


def test_of_two_sheets_before_their_walk_the_first_received_one_fulfils_the_occasion(walker):
    ada, calibration, walk, sheet = walker()
    other = ("answer_sheet", new_id(), dict(sheet[2]))
    for early in (sheet, other):
        assert words(sync(ada, early)) == ["out_of_window"]

    sync(ada, calibration, walk)

    (occasion,) = occasions(ada)
    found = {entry["sheet_id"]: entry for entry in ada.pages(ada.own("/answer-sheets"))}
    assert occasion["state"] == "completed_on_time"
    assert {entry["occasion_id"] for entry in found.values()} == {occasion["occasion_id"]}
    assert found[sheet[1]]["duplicate_of"] is None and found[other[1]]["duplicate_of"] == sheet[1]


def test_a_device_whose_clock_is_hours_ahead(walker):
    ahead = timedelta(hours=5)
    ada, calibration, walk, sheet = walker(skew=ahead)
    for record in (sheet, calibration, walk):
        assert words(sync(ada, record, clock=now() + ahead))[0] in ("accepted", "out_of_window")
    (occasion,) = occasions(ada)
    stored = ada.call("GET", ada.own(f"/answer-sheets/{sheet[1]}"), status=200)
    assert (occasion["state"], stored["standing"], stored["flags"]) == (*END, ["clock_skew"])


def test_a_sheet_without_a_stored_walk_stays_without_an_occasion(walker):
    ada, calibration, walk, sheet = walker()
    sheet[2]["walk_id"] = new_id()
    sync(ada, sheet)
    sync(ada, calibration, walk)
    stored = ada.call("GET", ada.own(f"/answer-sheets/{sheet[1]}"), status=200)
    assert stored["standing"] == "out_of_window" and stored["occasion_id"] is None
    assert [occasion["state"] for occasion in occasions(ada)] == ["open"]
