"""Synchronisation of a device that is offline for a long time: usage events, corrections, deletions, sequence numbers, and changes."""

import base64
import concurrent.futures
import itertools
import json
import pathlib
import random
from datetime import timedelta

import pytest
import requests

from acceptance import answers, lines, observations, walks
from acceptance.gate import Gate
from acceptance.moments import after, instant, new_id, now
from acceptance.people import Person, Researcher
from acceptance.server import wait_until

PACK = pathlib.Path(__file__).parent / "packs" / "pocket-diary"
STUDY = "pocket-diary"


@pytest.fixture(scope="module")
def diarist(server, contract):
    """Makes participants of a study with a pocket diary."""
    server.run("publish", PACK / "studies" / STUDY)

    def make(name="Ada Canary"):
        person = Person(server, contract, name=name).register()
        person.enrolment = person.call(
            "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
            json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
        return person

    return make


@pytest.fixture(scope="module")
def reader(server, contract):
    return Researcher(server, contract, study=STUDY)


def note(mood, at=None, zone="Europe/Berlin", **more):
    at = at or now()
    return {
        "questionnaire": "pocket_note", "version": "1.0.0", "started_at": instant(after(at, seconds=-30)), "completed_at": instant(at),
        "time_zone": zone, "answers": {"mood": mood},
    } | more


CALIBRATION = {"mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}


def usage(at=None, **more):
    return {"event": "screen_seen", "at": instant(at), "time_zone": "Europe/Berlin", "properties": {"screen": "overview", "count": 3}} | more


def correction(sheet, mood, at=None):
    return {"sheet_id": sheet, "corrected_at": instant(at), "answers": {"mood": mood}}


def deletion(sheet, at=None):
    return {"sheet_id": sheet, "deleted_at": instant(at)}


def sync(person, *items, clock=None, device=None):
    """Items are (kind, id, body) or (kind, id, body, sequence)."""
    body = {"client_now": instant(clock), "items": [
        {"kind": item[0], "id": item[1], "body": item[2]} | ({"sequence": item[3]} if len(item) > 3 else {}) for item in items]}
    return person.call("POST", person.own("/sync"), status=200, json=body | ({"device_id": device} if device else {}))


def words(reply):
    return [entry["result"] for entry in reply["items"]]


def state(person, sheet):
    """Mood and revision of a sheet; None if it does not exist."""
    response = person.call("GET", person.own(f"/answer-sheets/{sheet}"))
    return response.json()["answers"]["mood"] if response.status_code == 200 else None


# Usage events


FLOODS = {
    "usage events": ("research.usage_event", "saunter_ingest_queue_usage_events", lambda: ("usage_event", new_id(), usage()), 60),
    "amendments": ("research.amendment", "saunter_ingest_queue_amendments", lambda: ("deletion", new_id(), deletion(new_id())), 13),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_records_above_the_limit_of_a_queue_get_retry_and_do_not_delay_others(own, kind):
    table, depth, make, count = FLOODS[kind]
    flooder, ada = Person(own, name="Flo Canary").register().enrol(), Person(own).register().enrol()
    batches = [[make() for _ in range(500)] for _ in range(count)]

    def waiting():
        text = own_metrics(own)
        return next((float(line.split()[-1]) for line in text.splitlines() if line.startswith(depth)), 0)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        with own.locked(table, "share"):
            calls = [pool.submit(sync, flooder, *items) for items in batches]
            wait_until(lambda: waiting() >= 5000, 60, "the queue is full")
            # Batches that the server is still reading may find room later. This record finds none.
            late = [make() for _ in range(10)]
            refusal = sync(flooder, *late)
            # Records of other kinds are not delayed.
            assert ada.submit("who_5", answers.WHO_5)["standing"] == "on_time"
            assert words(sync(ada, ("calibration", new_id(), CALIBRATION | {"recorded_at": instant()}))) == ["accepted"]
        replies = [call.result() for call in calls]
    assert words(refusal) == ["retry"] * len(late)
    batches, replies = [*batches, late], [*replies, refusal]
    put_off = 0
    for items, reply in zip(batches, replies):
        assert set(words(reply)) <= {"accepted", "retry"}
        again = [item for item, result in zip(items, reply["items"]) if result["result"] == "retry"]
        for result in reply["items"]:
            if result["result"] == "retry":
                assert result["problem"]["status"] == 503 and result["problem"]["retry_after"] > 0, result
        put_off += len(again)
        # When there is room, the record is accepted, and records that were accepted before are replays.
        if again:
            assert set(words(sync(flooder, *again))) == {"accepted"}
    assert put_off > 0
    stored = own.sql(f"select count(*) from {table} where enrolment_id = '{flooder.enrolment['enrolment_id']}'")
    assert int(stored) == 500 * count + len(late)


def own_metrics(server):
    return requests.get(server.url + "/metrics", timeout=20).text


# Corrections and deletions


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_a_sheet_its_correction_and_its_deletion_end_the_same_in_any_order(diarist, order):
    ada = diarist()
    kept, taken = new_id(), new_id()
    at = after(seconds=-20)
    later = after(at, milliseconds=5)
    records = [
        [("answer_sheet", kept, note(3, at)), ("answer_sheet", taken, note(4, at))],
        [("correction", new_id(), correction(kept, 7, later)), ("correction", new_id(), correction(taken, 8, later))],
        [("correction", new_id(), correction(kept, 9, after(at, seconds=10))), ("deletion", new_id(), deletion(taken, at))],
    ]
    for index in order:
        assert set(words(sync(ada, *records[index]))) == {"accepted"}
    assert (state(ada, kept), state(ada, taken)) == (9, None)
    # A retry of everything in one batch changes nothing, and the deleted sheet stays deleted.
    assert set(words(sync(ada, *itertools.chain(*records)))) == {"replayed"}
    assert (state(ada, kept), state(ada, taken)) == (9, None)


@pytest.mark.parametrize("is_numbered", [False, True])
@pytest.mark.parametrize("order", itertools.permutations(range(2)))
def test_the_last_correction_is_current_although_the_clock_was_ahead(diarist, order, is_numbered):
    """Each correction in a separate request, after the clock was set. With sequence numbers, also if the clock was set between the corrections."""
    ada, sheet, device = diarist(), new_id(), new_id()
    assert words(sync(ada, ("answer_sheet", sheet, note(3)))) == ["accepted"]
    moments = [after(hours=3), after(seconds=-1)] if is_numbered else [after(hours=3), after(hours=3, minutes=9)]
    made = [
        ("correction", new_id(), correction(sheet, mood, at)) + ((number,) if is_numbered else ())
        for number, (mood, at) in enumerate(zip((5, 9), moments), 1)]
    for index in order:
        assert words(sync(ada, made[index], device=device if is_numbered else None)) == ["accepted"]
    assert state(ada, sheet) == 9


def test_a_correction_that_arrives_before_its_sheet_is_applied(diarist):
    import time

    ada = diarist()
    sheet = new_id()
    reply = sync(ada, ("correction", new_id(), correction(sheet, 6, after(seconds=-1))))
    assert reply["items"][0]["receipt"]["state"] == "waiting"
    ada.call("PUT", ada.own(f"/answer-sheets/{sheet}"), status=201, json=note(2) | {"client_now": instant()})
    until = time.monotonic() + 30
    while state(ada, sheet) != 6 and time.monotonic() < until:
        time.sleep(0.2)
    assert state(ada, sheet) == 6
    # A correction by PATCH is ordered with the corrections of devices.
    ada.call("PATCH", ada.own(f"/answer-sheets/{sheet}"), json={"answers": {"mood": 1}}, status=200)
    reply = sync(ada, ("correction", new_id(), correction(sheet, 9, after(seconds=-60))))
    assert reply["items"][0]["receipt"]["state"] == "superseded" and state(ada, sheet) == 1


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_after_a_deletion_the_duplicate_fulfils_the_occasion(diarist, order):
    """As if the deleted sheet had never existed, in any order of the two sheets and the deletion."""
    ada = diarist()
    [occasion] = [item["occasion_id"] for item in ada.pages(ada.own("/occasions")) if item["state"] in ("open", "overdue")]
    taken, kept = new_id(), new_id()
    records = [
        ("answer_sheet", taken, note(3, occasion_id=occasion)), ("answer_sheet", kept, note(7, occasion_id=occasion)),
        ("deletion", new_id(), deletion(taken))]
    for index in order:
        assert words(sync(ada, records[index])) in (["accepted"], ["duplicate"])
    [sheet] = ada.pages(ada.own("/answer-sheets"))
    assert (sheet["sheet_id"], sheet["duplicate_of"]) == (kept, None)
    [state] = [item["state"] for item in ada.pages(ada.own("/occasions")) if item["occasion_id"] == occasion]
    assert state.startswith("completed")
    # A further sheet is a duplicate.
    third = sync(ada, ("answer_sheet", new_id(), note(5, occasion_id=occasion)))
    assert words(third) == ["duplicate"] and third["items"][0]["receipt"]["duplicate_of"] == kept


def test_the_etag_of_a_sheet_changes_when_it_becomes_the_successor(diarist):
    """Its revision stays the same, so a correction with the earlier ETag is still accepted."""
    ada = diarist()
    [occasion] = [item["occasion_id"] for item in ada.pages(ada.own("/occasions")) if item["state"] in ("open", "overdue")]
    taken, kept = new_id(), new_id()
    sync(ada, ("answer_sheet", taken, note(3, occasion_id=occasion)))
    sync(ada, ("answer_sheet", kept, note(7, occasion_id=occasion)))
    path = ada.own(f"/answer-sheets/{kept}")
    before = ada.call("GET", path).headers["etag"]
    ada.call("GET", path, headers={"If-None-Match": before}, status=304)

    ada.call("DELETE", ada.own(f"/answer-sheets/{taken}"), status=204)

    found = ada.call("GET", path, headers={"If-None-Match": before}, status=200)
    assert found["duplicate_of"] is None and found["revision"] == 1
    assert ada.call("PATCH", path, json={"answers": {"mood": 8}}, headers={"If-Match": before}, status=200)["revision"] == 2
    ada.problem("PATCH", path, 412, "precondition-failed", json={"answers": {"mood": 9}}, headers={"If-Match": before})


@pytest.mark.parametrize("handed_on", [False, True])
def test_after_a_deletion_a_sheet_out_of_the_window_is_not_a_duplicate_of_the_deleted_one(diarist, handed_on):
    """As if the deleted sheet had never existed: only sheets that arrived after the successor are duplicates."""
    ada = diarist()
    [occasion] = [item["occasion_id"] for item in ada.pages(ada.own("/occasions")) if item["state"] in ("open", "overdue")]
    taken, before, kept, later = (new_id() for _ in range(4))
    odd = [("answer_sheet", id, note(4, at=after(days=-3), occasion_id=occasion)) for id in (before, later)]
    records = [("answer_sheet", taken, note(3, occasion_id=occasion)), odd[0]]
    records += [("answer_sheet", kept, note(5, occasion_id=occasion)), odd[1]] if handed_on else []
    assert [word for record in records for word in words(sync(ada, record))] == ["accepted"] + ["duplicate"] * (len(records) - 1)
    assert words(sync(ada, ("deletion", new_id(), deletion(taken)))) == ["accepted"]
    found = {sheet["sheet_id"]: sheet["duplicate_of"] for sheet in ada.pages(ada.own("/answer-sheets"))}
    assert found == ({before: None, kept: None, later: kept} if handed_on else {before: None})
    # A retry returns the same.
    [again] = sync(ada, odd[0])["items"]
    assert again["result"] == "replayed" and again["receipt"]["duplicate_of"] is None


@pytest.mark.parametrize("seed", range(3))
def test_after_concurrent_sheets_and_deletions_an_occasion_has_one_sheet_or_is_open(server, diarist, seed):
    chance = random.Random(seed)
    ada, gate = diarist(), Gate(server)
    [occasion] = [item["occasion_id"] for item in ada.pages(ada.own("/occasions")) if item["state"] in ("open", "overdue")]

    def standing():
        [settled] = [item for item in ada.pages(ada.own("/occasions")) if item["occasion_id"] == occasion]
        sheets = [sheet for sheet in ada.pages(ada.own("/answer-sheets")) if sheet["occasion_id"] == occasion]
        first = [sheet["sheet_id"] for sheet in sheets if sheet["duplicate_of"] is None]
        assert {sheet["duplicate_of"] for sheet in sheets} <= {None, *first}
        assert (len(first), settled["state"].startswith("completed")) == ((1, True) if sheets else (0, False))
        return first, {sheet["sheet_id"] for sheet in sheets}

    ids = [new_id() for _ in range(16)]
    taken = set(chance.sample(ids, 12))
    requests = [("PUT", ada.own(f"/answer-sheets/{id}"), note(index % 6, occasion_id=occasion) | {"client_now": instant()}) for index, id in enumerate(ids)]
    requests += requests[:8]
    batches = [("deletion", id) for id in taken] + [("correction", id) for id in ids]
    requests += [
        ("POST", ada.own("/sync"), {"client_now": instant(), "items": [
            {"kind": kind, "id": new_id(), "body": deletion(id) if kind == "deletion" else correction(id, 7)}]})
        for kind, id in batches]
    chance.shuffle(requests)
    replies = gate.release(ada, requests)
    assert {status for status, _ in replies} <= {200, 201}, replies
    # Deletions that arrived before their sheets are applied after a short time.
    wait_until(lambda: not taken & {sheet["sheet_id"] for sheet in ada.pages(ada.own("/answer-sheets"))}, 30, "the early deletions are applied")
    first, left = standing()
    assert left == set(ids) - taken
    # Then the sheet that fulfils the occasion is deleted while more sheets arrive.
    for _ in range(4):
        requests = [("DELETE", ada.own(f"/answer-sheets/{first[0]}"))] * 3 + [
            ("PUT", ada.own(f"/answer-sheets/{new_id()}"), note(2, occasion_id=occasion) | {"client_now": instant()}) for _ in range(3)]
        chance.shuffle(requests)
        statuses = [status for status, _ in gate.release(ada, requests)]
        assert statuses.count(204) == 1 and statuses.count(404) == 2, statuses
        first, _ = standing()
    gate.close()


def test_a_sheet_that_gets_its_occasion_during_its_deletion_has_a_successor(server, diarist):
    """The deletion has read the sheet without an occasion and waits for the participant's lock. Meanwhile the sheet fulfils an occasion and gets a duplicate."""
    ada = diarist()
    [occasion] = [item["occasion_id"] for item in ada.pages(ada.own("/occasions")) if item["state"] in ("open", "overdue")]
    taken, kept = new_id(), new_id()
    assert words(sync(ada, *(("answer_sheet", id, note(4, at=after(days=-3))) for id in (taken, kept)))) == ["accepted"] * 2
    placement = f"update research.answer_sheet set occasion_id = '{occasion}', standing = 'on_time', completes = true"
    waiting = "select count(*) from pg_locks where not granted"
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with server.transaction() as places:
            places(f"select from research.enrolment where enrolment_id = '{ada.enrolment['enrolment_id']}' for no key update")
            deleting = pool.submit(ada.call, "DELETE", ada.own(f"/answer-sheets/{taken}"))
            wait_until(lambda: server.sql(waiting).strip() != "0", 30, "the deletion waits for the participant")
            places(f"{placement} where sheet_id = '{taken}'")
            places(f"update research.occasion set sheet_id = '{taken}', completed_at = now() where occasion_id = '{occasion}'")
            places(f"{placement}, duplicate_of = '{taken}' where sheet_id = '{kept}'")
        assert deleting.result(30).status_code == 204

    [sheet] = ada.pages(ada.own("/answer-sheets"))
    assert (sheet["sheet_id"], sheet["occasion_id"], sheet["duplicate_of"]) == (kept, occasion, None)
    [state] = [item["state"] for item in ada.pages(ada.own("/occasions")) if item["occasion_id"] == occasion]
    assert state.startswith("completed")


@pytest.mark.parametrize("is_early", [True, False])
@pytest.mark.parametrize("as_lines", [True, False])
def test_walks_and_observations_are_deleted_in_any_order_of_arrival(diarist, is_early, as_lines):
    ada = diarist()
    walk, kept, measured = new_id(), new_id(), new_id()
    records = [("walk", walk, walks.body(ada.zone)), ("walk", kept, walks.body(ada.zone)), ("observation", measured, observations.pulse(ada.zone))]
    # `client_now` applies to the whole batch.
    records = [(kind, id, {name: value for name, value in body.items() if name != "client_now"}) for kind, id, body in records]
    deletions = [
        ("deletion", new_id(), {"walk_id": walk, "deleted_at": instant()}),
        ("deletion", new_id(), {"observation_id": measured, "deleted_at": instant()}),
    ]

    def submit(items):
        return [entry["result"] for entry in lines.submit(ada, *items)] if as_lines else words(sync(ada, *items))

    for part in (deletions, records) if is_early else (records, deletions):
        assert set(submit(part)) == {"accepted"}
    assert set(submit(records + deletions)) == {"replayed"}
    assert [entry["walk_id"] for entry in ada.pages(ada.own("/walks"))] == [kept]
    assert list(ada.pages(ada.own("/observations"))) == []
    found, _, _ = follow(ada)
    assert found["walk", walk]["deleted"] and found["observation", measured]["deleted"] and not found["walk", kept]["deleted"]


# Changes


def follow(person, since=None, limit=100):
    """The changes since a cursor by kind and id, the definitions if there are any, and the next cursor."""
    items, definitions = [], None
    while True:
        parameters = {"limit": limit} | ({"since": since} if since else {})
        page = person.call("GET", person.own("/sync"), params=parameters, status=200)
        items += page["items"]
        definitions, since = definitions or page["definitions"], page["next_since"]
        if not page["more"]:
            return {(item["kind"], item["id"]): item for item in items}, definitions, since


def test_a_device_gets_the_changes_since_its_last_request(diarist):
    ada = diarist()
    first, definitions, since = follow(ada, limit=2)
    assert {kind for kind, _ in first} == {"enrolment", "occasion"}
    assert definitions["questionnaires"] == [{"questionnaire": "pocket_note", "version": "1.0.0"}]
    assert follow(ada, since) == ({}, None, since)

    kept, taken, walk = new_id(), new_id(), new_id()
    sync(ada, ("answer_sheet", kept, note(3)), ("answer_sheet", taken, note(4)), ("usage_event", new_id(), usage()))
    ada.call("PUT", ada.own(f"/walks/{walk}"), json=walks.body(ada.zone), status=201)
    found, _, then = follow(ada, since)
    assert {("answer_sheet", kept), ("answer_sheet", taken), ("walk", walk)} <= set(found)
    assert found["answer_sheet", kept]["body"]["revision"] == 1 and "answers" not in found["answer_sheet", kept]["body"]
    assert not any(kind == "usage_event" for kind, _ in found)

    sync(ada, ("deletion", new_id(), deletion(taken)), ("correction", new_id(), correction(kept, 5)))
    # A time zone that no participant of these tests uses.
    ada.call("PATCH", ada.own(""), json={"time_zone": "Asia/Kolkata"}, status=200)
    found, _, last = follow(ada, then)
    assert found["answer_sheet", taken]["deleted"] and found["answer_sheet", taken]["body"] is None
    assert found["answer_sheet", kept]["body"]["revision"] == 2
    assert found["enrolment", ada.enrolment["enrolment_id"]]["body"]["time_zone"] == "Asia/Kolkata"
    # Without changes the response has no body.
    response = ada.call("GET", ada.own("/sync"), params={"since": last})
    again = ada.call("GET", ada.own("/sync"), params={"since": last}, headers={"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304
    for wrong in ("x", "", "W10", last + "x"):
        ada.problem("GET", ada.own("/sync"), 400, "request-invalid", params={"since": wrong})
    assert diarist("Ben Canary").call("GET", ada.own("/sync")).status_code == 404
    # A cursor with a change number that does not exist, for example after a restore
    cursor = json.loads(base64.urlsafe_b64decode(last + "=" * (-len(last) % 4)))
    cursor[0] = str(int(cursor[0]) + 1_000_000)
    ahead = base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode().rstrip("=")
    problem = ada.problem("GET", ada.own("/sync"), 400, "request-invalid", params={"since": ahead})
    assert problem["errors"][0]["code"] == "out_of_range"


def test_a_cursor_is_valid_for_one_enrolment(diarist, participant):
    """A cursor of another enrolment of the study, of another study, and one without an enrolment are rejected."""
    ada = diarist()
    _, _, own = follow(ada)
    nameless = json.loads(base64.urlsafe_b64decode(own + "=" * (-len(own) % 4)))[:3]
    foreign = [follow(other)[2] for other in (diarist("Ben Canary"), participant(name="Cem Canary"))]
    for since in (*foreign, base64.urlsafe_b64encode(json.dumps(nameless).encode()).decode().rstrip("=")):
        problem = ada.problem("GET", ada.own("/sync"), 400, "request-invalid", params={"since": since})
        assert [(error["pointer"], error["code"]) for error in problem["errors"]] == [("/since", "out_of_range")]
        assert "Call again without `since`" in problem["errors"][0]["detail"]
    assert follow(ada, own) == ({}, None, own)


# A month offline


class Pocket:
    """A phone that is offline for a month, with a model of the expected result.

    Its clock is hours ahead all the time, and its owner travels twice.
    """

    AHEAD = timedelta(hours=3, minutes=17)
    ZONES = ["Europe/Berlin", "Asia/Tokyo", "America/New_York"]

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.device = new_id()
        self.queue = []
        # The model: id -> (mood or None, true time, zone)
        self.notes, self.walks, self.measured, self.used, self.calibrated = {}, {}, {}, {}, {}
        start = after(days=-31)
        for hour in range(31 * 24):
            self.live(after(start, hours=hour, minutes=self.dice.randrange(50)), self.ZONES[hour * 3 // (31 * 24)])

    def says(self, moment):
        """The time that the phone's clock shows."""
        return moment + self.AHEAD

    def put(self, kind, body):
        id = new_id()
        self.queue.append((kind, id, body, len(self.queue) + 1))
        return id

    def live(self, moment, zone):
        shown = self.says(moment)
        what = self.dice.random()
        if what < 0.06:
            mood = self.dice.randrange(11)
            sheet = self.put("answer_sheet", note(mood, shown, zone))
            at = moment
            for _ in range(self.dice.choice([0, 0, 1, 3])):
                at = after(at, seconds=self.dice.randint(20, 300))
                mood = self.dice.randrange(11)
                self.put("correction", correction(sheet, mood, self.says(at)))
            if self.dice.random() < 0.2:
                mood = None
                self.put("deletion", deletion(sheet, self.says(at)))
            self.notes[sheet] = (mood, moment, zone)
        elif what < 0.07 or not self.calibrated:
            body = {"recorded_at": instant(shown), "mean_speed_kmh": 5 + self.dice.random(), "reduction_percent": 20, "duration_s": 60}
            self.calibrated[self.put("calibration", body)] = moment
        elif what < 0.09:
            calibration = max(self.calibrated, key=self.calibrated.get)
            body = {"started_at": instant(shown), "ended_at": instant(after(shown, seconds=60)), "time_zone": zone, "pauses": [],
                    "calibration_id": calibration, "series": {"t_ms": [0, 30_000, 60_000], "distance_m": [0, 40, 80]}}
            self.walks[self.put("walk", body)] = (calibration, zone)
        elif what < 0.11:
            body = observations.pulse(zone, started_at=instant(shown), ended_at=instant(after(shown, seconds=60)))
            self.measured[self.put("observation", body)] = zone
        elif what < 0.2:
            self.used[self.put("usage_event", usage(shown, time_zone=zone))] = moment

    def submit(self, person):
        """Sends all records in any order, some of them twice, some over connections that break, until each has a final result."""
        left = {item[1]: item for item in self.queue}
        spoken, cuts = {}, 0
        while left:
            part = self.dice.sample(list(left.values()), min(len(left), self.dice.randint(1, 60)))
            part += self.dice.sample(self.queue, 5)
            how = self.dice.random()
            if how < 0.4:
                entries = sync(person, *part, clock=self.says(now()), device=self.device)["items"]
            else:
                head = json.dumps({"client_now": instant(self.says(now())), "device_id": self.device})
                given = [json.dumps(dict(zip(("kind", "id", "body", "sequence"), item))) for item in part]
                if how < 0.6:
                    cuts += 1
                    data = lines.body(head, *given, head=False)
                    connection = lines.begin(person)
                    lines.chunk(connection, data[: self.dice.randrange(len(data))])
                    connection.close()
                    continue
                entries = lines.submit(person, head, *given, head=False, compressed=how > 0.8)
            for entry in entries:
                if "id" not in entry:
                    continue
                assert entry["result"] in ("accepted", "replayed", "retry"), entry
                if entry["result"] != "retry":
                    spoken.setdefault(entry["id"], []).append(entry["result"])
                    left.pop(entry["id"], None)
        assert set(spoken) == {item[1] for item in self.queue}
        # No record is accepted twice. A record that is never `accepted` arrived over a connection that broke.
        assert all(results.count("accepted") <= 1 for results in spoken.values())
        assert cuts or all("accepted" in results for results in spoken.values())


def near(text, moment):
    from acceptance.moments import read

    return abs((read(text) - moment).total_seconds()) < 30


@pytest.mark.parametrize("seed", [1, 2])
def test_the_state_is_correct_after_a_device_was_offline_for_a_month(diarist, reader, server, seed):
    ada = diarist()
    server.sql(f"""update research.enrolment set enrolled_at = enrolled_at - interval '40 days', enrolled_on = enrolled_on - 40
        where enrolment_id = '{ada.enrolment['enrolment_id']}'""")
    pocket = Pocket(seed)
    assert len(pocket.notes) > 20 and len(pocket.walks) > 5 and any(mood is None for mood, _, _ in pocket.notes.values())
    pocket.submit(ada)

    kept = {id: entry for id, entry in pocket.notes.items() if entry[0] is not None}
    sheets = {entry["sheet_id"]: entry for entry in ada.pages(ada.own("/answer-sheets"), limit=1000)}
    assert {id: entry["answers"]["mood"] for id, entry in sheets.items()} == {id: mood for id, (mood, _, _) in kept.items()}
    assert all("clock_skew" in entry["flags"] and "before_enrolment" not in entry["flags"] for entry in sheets.values())
    listed = {entry["walk_id"]: entry for entry in ada.pages(ada.own("/walks"), limit=1000)}
    assert {id: entry["calibration_id"] for id, entry in listed.items()} == {id: calibration for id, (calibration, _) in pocket.walks.items()}
    assert {entry["observation_id"] for entry in ada.pages(ada.own("/observations"), limit=1000)} == set(pocket.measured)
    current = ada.call("GET", ada.own("/calibrations/current"), status=200)["calibration_id"]
    assert current == max(pocket.calibrated, key=pocket.calibrated.get)

    # The researchers' data has the true time and the zones of the journey.
    feed = {item["id"]: item for item in reader.pages(f"/v1/studies/{STUDY}/changes", limit=1000, after=0)}
    for id, (mood, moment, zone) in pocket.notes.items():
        assert feed[id]["deleted"] == (mood is None)
        if mood is not None:
            body = feed[id]["body"]
            assert body["answers"]["mood"] == mood and near(body["submitted_at"], moment) and body["tz"] == zone, body
    assert all(feed[id]["body"]["tz"] == zone for id, (_, zone) in pocket.walks.items())
    for id, moment in pocket.used.items():
        assert near(feed[id]["body"]["happened_at"], moment)
    devices = {entry["device_id"]: entry for entry in reader.pages(f"/v1/studies/{STUDY}/devices")}
    assert devices[pocket.device]["missing"] == [] and devices[pocket.device]["newest"] == len(pocket.queue)

    # A new phone of the same participant gets the same state.
    found, _, _ = follow(ada)
    mine = {(kind, id): item["deleted"] for (kind, id), item in found.items() if kind in ("answer_sheet", "walk", "observation", "calibration")}
    assert mine == (
        {("answer_sheet", id): mood is None for id, (mood, _, _) in pocket.notes.items()}
        | {("walk", id): False for id in pocket.walks} | {("observation", id): False for id in pocket.measured}
        | {("calibration", id): False for id in pocket.calibrated})
