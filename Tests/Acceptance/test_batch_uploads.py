"""Batch uploads: many records in any order, each with its own result."""

import gzip
import http.client
import json
import socket
import urllib.parse

import pytest

from acceptance import answers, lines, observations, walks
from acceptance.moments import after, instant, new_id, read


def upload(person, *items):
    reply = person.call("POST", person.own("/sync"), status=200, json={
        "client_now": instant(), "items": [{"kind": kind, "id": id, "body": body} for kind, id, body in items]})
    assert [item["id"] for item in reply["items"]] == [id for _, id, _ in items], "one result for each record, in order"
    return reply["items"]


def sheet(person, questionnaire, given, **more):
    """The body of a single upload, without `client_now`, which a batch contains once."""
    body = person.sheet(questionnaire, given, **more)
    del body["client_now"]
    return body


def test_a_month_of_sheets_in_one_batch_and_the_first_sheet_of_an_occasion_fulfils_it(participant):
    ada = participant()
    evenings = [o["occasion_id"] for o in ada.pages(ada.own("/occasions"), limit=1000) if o["questionnaire"] == "daily_evening"]
    items = [("answer_sheet", new_id(), sheet(ada, "daily_evening", answers.DAILY, occasion_id=evening)) for evening in evenings]
    first = ("answer_sheet", new_id(), sheet(ada, "pss_10", answers.PSS_10))
    second = ("answer_sheet", new_id(), sheet(ada, "pss_10", answers.PSS_10))
    broken = ("answer_sheet", new_id(), sheet(ada, "pss_10", {"q1": 99}))

    results = upload(ada, first, *items, second, broken, first)

    words = [item["result"] for item in results]
    assert words[0] == "accepted"
    assert len(evenings) > 10 and set(words[1:-3]) <= {"accepted", "out_of_window"}, words
    assert words[-3:] == ["duplicate", "rejected", "replayed"]
    assert results[-3]["receipt"]["duplicate_of"] == first[1]
    assert len(ada.pages(ada.own("/answer-sheets"), limit=1000)) == len(items) + 2

    again = upload(ada, first, *items, second)
    assert {item["result"] for item in again} == {"replayed"}


def well(person):
    """A record that is always accepted."""
    return ("observation", new_id(), observations.pulse(person.zone))


def stored(person):
    return {entry["observation_id"] for entry in person.pages(person.own("/observations"), limit=1000)}


def test_a_line_can_refer_to_a_later_one(participant):
    ada = participant()
    calibration, walk = new_id(), new_id()
    body = walks.body(ada.zone) | {"calibration_id": calibration}
    body.pop("client_now", None)
    earlier = {"recorded_at": body["started_at"], "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}
    others = [well(ada) for _ in range(20)]

    # They are far apart, so the server stores them in different transactions.
    connection = lines.begin(ada)
    lines.chunk(connection, lines.body(("walk", walk, body), *others[:10]))
    for other in others[10:]:
        lines.chunk(connection, lines.body(other, head=False))
    lines.chunk(connection, lines.body(("calibration", calibration, earlier), head=False))
    connection.send(b"0\r\n\r\n")
    results = [json.loads(line) for line in connection.getresponse().read().splitlines()]

    assert {entry["result"] for entry in results} == {"accepted"} and len(results) == 22
    assert next(entry for entry in results if entry["id"] == walk)["receipt"]["calibration_id"] == calibration


def news(person, since=None):
    """The changes since a cursor, and the next cursor."""
    items = []
    while True:
        page = person.call("GET", person.own("/sync"), params={"since": since} if since else {}, status=200)
        items, since = items + page["items"], page["next_since"]
        if not page["more"]:
            return items, since


@pytest.mark.parametrize("way", ["calls", "lines"])
def test_a_walk_that_is_uploaded_before_its_calibration_gets_its_target(participant, way):
    """The walk names no calibration. It precedes the calibration in another request or in the same body. A walk that began before the calibration
    has no target."""
    ada = participant()
    walk, before, calibration = new_id(), new_id(), new_id()
    body = walks.body(ada.zone)
    body.pop("client_now", None)
    old = walks.body(ada.zone, started=after(seconds=-4000))
    recorded = {"recorded_at": instant(after(read(body["started_at"]), seconds=-60)), "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}
    items = [("walk", walk, body), ("walk", before, old), ("calibration", calibration, recorded)]
    if way == "calls":
        for item in items[:2]:
            assert upload(ada, item)[0]["receipt"]["flags"][0] == "calibration_missing"
        _, since = news(ada)
        upload(ada, items[2])
        changed, _ = news(ada, since)
        assert {(entry["kind"], entry["id"]) for entry in changed} >= {("walk", walk), ("calibration", calibration)}
        assert before not in {entry["id"] for entry in changed}
    else:
        results = lines.submit(ada, *items[:2], *[well(ada) for _ in range(1500)], items[2])
        assert {entry["result"] for entry in results} == {"accepted"}
    found = ada.call("GET", ada.own(f"/walks/{walk}"), status=200)
    assert found["calibration_id"] == calibration and "calibration_missing" not in found["flags"]
    assert found["summary"] == walks.SUMMARY
    other = ada.call("GET", ada.own(f"/walks/{before}"), status=200)
    assert other["calibration_id"] is None and "calibration_missing" in other["flags"]
    # A retry of either returns the stored record, and changes nothing.
    again = upload(ada, *items)
    assert [item["result"] for item in again] == ["replayed"] * 3 and again[0]["receipt"]["summary"] == walks.SUMMARY


def test_results_arrive_while_the_batch_is_still_being_uploaded(participant):
    ada = participant()
    connection = lines.begin(ada)
    first, second = well(ada), well(ada)
    lines.chunk(connection, lines.body(first))
    response = connection.getresponse()
    assert response.status == 200
    assert json.loads(response.readline())["id"] == first[1]
    assert stored(ada) == {first[1]}
    lines.chunk(connection, lines.body(second, head=False))
    assert json.loads(response.readline())["id"] == second[1]
    connection.send(b"0\r\n\r\n")
    assert response.read() == b""


def test_a_client_that_reads_only_after_sending_everything_gets_every_result(participant):
    ada = participant()
    first, last = well(ada), well(ada)
    # The results are much larger than the buffers of a socket.
    data = lines.body(first, *["no JSON"] * 20_000, last)
    address = urllib.parse.urlsplit(ada.server.url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall(
            f"POST {ada.own('/sync')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada.tokens['access_token']}\r\n"
            f"Content-Type: {lines.KIND}\r\nContent-Length: {len(data)}\r\n\r\n".encode())
        connection.sendall(data)
        response = http.client.HTTPResponse(connection)
        response.begin()
        results = [json.loads(line) for line in response.read().splitlines()]
    assert [entry["line"] for entry in results if entry["result"] == "rejected"] == list(range(3, 20_003))
    assert {entry["line"]: entry["id"] for entry in results if entry["result"] == "accepted"} == {2: first[1], 20_003: last[1]}


def test_a_retry_completes_a_batch_whose_upload_was_interrupted(participant):
    ada = participant()
    items = [well(ada) for _ in range(30)]
    data = lines.body(*items)
    connection = lines.begin(ada)
    lines.chunk(connection, data[: len(data) // 2])
    # Some results have arrived when the connection breaks.
    assert connection.getresponse().readline()
    connection.close()

    assert stored(ada) < {id for _, id, _ in items}
    results = lines.submit(ada, *items)
    assert {entry["result"] for entry in results} <= {"accepted", "replayed"} and len(results) == len(items)
    assert stored(ada) == {id for _, id, _ in items}


def test_responses_with_json_lines_are_compressed_on_request(participant):
    ada = participant()
    data = lines.body(*[well(ada) for _ in range(10)])
    response = lines.send(ada, gzip.compress(data), **{"Content-Encoding": "gzip", "Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip" and response.headers["vary"] == "Accept-Encoding"
    assert [entry["result"] for entry in lines.results(response)] == ["accepted"] * 10
    plain = lines.send(ada, data, **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert [entry["result"] for entry in lines.results(plain)] == ["replayed"] * 10
    # Several gzip members, divided in the middle of a line.
    pieces = gzip.compress(data[:300]) + gzip.compress(b"") + gzip.compress(data[300:])
    again = lines.results(lines.send(ada, pieces, **{"Content-Encoding": "gzip"}))
    assert [entry["result"] for entry in again] == ["replayed"] * 10
    # The server detects invalid gzip data before the first line, or after some lines. In both cases no line gets this problem.
    tail = lines.send(ada, pieces + b"tail", **{"Content-Encoding": "gzip"})
    assert tail.status_code == 400 or lines.results(tail)[-1]["result"] == "retry"


def test_compression_bombs_and_broken_bodies_are_rejected(participant):
    ada = participant()
    packed = {"Content-Encoding": "gzip"}
    bomb = gzip.compress(b" " * 100_000_000)
    assert lines.send(ada, bomb, **packed).status_code == 413
    # A body that begins correctly gets one more result, which is final for no record.
    one = well(ada)
    results = lines.results(lines.send(ada, gzip.compress(lines.body(one) + b" " * 100_000_000), **packed))
    assert [entry["result"] for entry in results] == ["accepted", "retry"]
    assert results[1]["problem"]["type"].endswith("/body-too-large") and results[1]["problem"]["action"] == "retry_later"
    whole = gzip.compress(lines.body(one))
    for broken in (b"", b"\n \n", b"no gzip", whole[:30]):
        assert lines.send(ada, broken, **packed).status_code == 400, broken
    # Without a readable first line no record is accepted, so no record is rejected because of a missing `client_now`.
    for head, status in ((b'{"client_now": 7}', 422), (b'[1]', 422), (b'{"client_now"', 400)):
        assert lines.send(ada, head + b"\n" + lines.body(one, head=False)).status_code == status
    cut = lines.results(lines.send(ada, gzip.compress(lines.body(*[well(ada) for _ in range(2000)]))[:-9], **packed))
    assert cut[-1]["kind"] == "" and cut[-1]["result"] == "retry" and len(stored(ada)) <= 2001
    assert cut[-1]["problem"]["type"].endswith("/body-unreadable") and cut[-1]["problem"]["action"] == "retry_later"
    # A line that is not JSON is rejected for good.
    bad = lines.results(lines.send(ada, lines.body(well(ada), '{"kind":', well(ada))))
    assert [entry["result"] for entry in sorted(bad, key=lambda entry: entry["line"])] == ["accepted", "rejected", "accepted"]
