"""Whatever comes in, the server answers in one shape, names every fault, stores nothing of it and goes on."""

import contextlib
import gzip
import json
import re
import socket
import threading
import time
import unicodedata
import urllib.parse

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from acceptance import answers, raw, walks
from acceptance.moments import after, instant, new_id, now

JSON = {"Content-Type": "application/json"}


def pointers(problem):
    return {error["pointer"] for error in problem.get("errors", [])}


@pytest.fixture(scope="module")
def ada(server, contract):
    from acceptance.people import Person

    return Person(server, contract).register().enrol()


def stored_sheets(person):
    return {sheet["sheet_id"] for sheet in person.pages(person.own("/answer-sheets"), limit=1000)}


# Bytes that are no JSON text, or one that may not be stored

def replaced(old, new):
    """The sheet's text with something else in one place."""

    def make(text):
        assert text.count(old) == 1, (old, text)
        return text.replace(old, new, 1).encode("utf-8", "surrogatepass")

    return make


MOOD = '"mood": 5'
SLEEP = '"sleep_minutes": 450'
NOTE = '"note": "plain"'
BODIES = {
    "U+0000 as an escape": (replaced(NOTE, r'"note": "cut\u0000here"'), 422, "body-invalid", {"/answers/note"}),
    "U+0000 in a member's name": (replaced(NOTE, r'"note\u0000": "x"'), 422, "body-invalid", None),
    "U+0000 as a byte": (replaced(NOTE, '"note": "cut\x00here"'), 400, "body-unreadable", None),
    "a line feed as a byte": (replaced(NOTE, '"note": "cut\nhere"'), 400, "body-unreadable", None),
    "a member twice": (replaced(MOOD, '"mood": 5, "mood": 1'), 422, "body-invalid", {"/answers/mood"}),
    "a member twice, once escaped": (replaced(MOOD, r'"mood": 5, "\u006dood": 1'), 422, "body-invalid", {"/answers/mood"}),
    "a member of the top twice": (
        replaced('"version": "1.0.0"', '"version": "1.0.0", "version": "2.0.0"'), 422, "body-invalid", {"/version"}),
    "names that differ in normalisation": (
        replaced(MOOD, MOOD + ', "caf\u00e9": 1, "cafe\u0301": 2'), 422, "answer-sheet-invalid",
        {"/answers/caf\u00e9", "/answers/cafe\u0301"}),
    "a name that looks like an item's": (replaced(MOOD, '"m\u043eod": 5'), 422, "answer-sheet-invalid", {"/answers/m\u043eod", "/answers/mood"}),
    "2^53 + 1": (replaced(SLEEP, '"sleep_minutes": 9007199254740993'), 422, "answer-sheet-invalid", {"/answers/sleep_minutes"}),
    "2^53 + 1 as an option": (replaced(MOOD, '"mood": 9007199254740993'), 422, "answer-sheet-invalid", {"/answers/mood"}),
    "1e400": (replaced(SLEEP, '"sleep_minutes": 1e400'), 422, "answer-sheet-invalid", {"/answers/sleep_minutes"}),
    "1e-400": (replaced(SLEEP, '"sleep_minutes": 1e-400'), 422, "answer-sheet-invalid", {"/answers/sleep_minutes"}),
    "1e999999999": (replaced(SLEEP, '"sleep_minutes": 1e999999999'), 422, "answer-sheet-invalid", {"/answers/sleep_minutes"}),
    "a number of 100,000 digits": (replaced(SLEEP, '"sleep_minutes": ' + "9" * 100_000), 400, "body-unreadable", None),
    "half a minute": (replaced(SLEEP, '"sleep_minutes": 450.5'), 422, "answer-sheet-invalid", {"/answers/sleep_minutes"}),
    "NaN": (replaced(SLEEP, '"sleep_minutes": NaN'), 400, "body-unreadable", None),
    "Infinity": (replaced(SLEEP, '"sleep_minutes": -Infinity'), 400, "body-unreadable", None),
    "a hexadecimal number": (replaced(SLEEP, '"sleep_minutes": 0x10'), 400, "body-unreadable", None),
    "a leading zero": (replaced(SLEEP, '"sleep_minutes": 0450'), 400, "body-unreadable", None),
    "a trailing comma": (replaced(MOOD, MOOD + ","), 400, "body-unreadable", None),
    "a comment": (replaced(MOOD, MOOD + " /* five */"), 400, "body-unreadable", None),
    "single quotes": (replaced(MOOD, "'mood': 5"), 400, "body-unreadable", None),
    "text behind the end": (lambda text: text.encode() + b"{}", 400, "body-unreadable", None),
    "half of it": (lambda text: text.encode()[: len(text) // 2], 400, "body-unreadable", None),
    "a byte order mark": (lambda text: b"\xef\xbb\xbf" + text.encode(), 400, "body-unreadable", None),
    "UTF-16": (lambda text: text.encode("utf-16"), 400, "body-unreadable", None),
    "UTF-16 without a mark": (lambda text: text.encode("utf-16-le"), 400, "body-unreadable", None),
    "UTF-32": (lambda text: text.encode("utf-32"), 400, "body-unreadable", None),
    "a lone high surrogate": (replaced(NOTE, r'"note": "\ud83d"'), 400, "body-unreadable", None),
    "a lone low surrogate": (replaced(NOTE, r'"note": "\ude00\ud83d"'), 400, "body-unreadable", None),
    "a surrogate as bytes": (replaced(NOTE, '"note": "\ud800"'), 400, "body-unreadable", None),
    "a byte that UTF-8 has not": (lambda text: text.replace("plain", "\x01").encode().replace(b"\x01", b"\xff"), 400, "body-unreadable", None),
    "an overlong form": (lambda text: text.replace("plain", "\x01").encode().replace(b"\x01", b"\xc0\xaf"), 400, "body-unreadable", None),
    "33 levels": (replaced(NOTE, '"note": ' + "[" * 32 + "]" * 32), 400, "body-unreadable", None),
    "200,000 levels": (lambda text: b"[" * 200_000, 400, "body-unreadable", None),
    "200,000 levels of objects": (lambda text: b'{"a":' * 200_000, 400, "body-unreadable", None),
    "nothing": (lambda text: b"", 400, "body-unreadable", None),
    "blanks": (lambda text: b"  \n ", 400, "body-unreadable", None),
    "null": (lambda text: b"null", 422, "body-invalid", {""}),
    "a list": (lambda text: b"[]", 422, "body-invalid", {""}),
    "a text": (lambda text: b'"sheet"', 422, "body-invalid", {""}),
    "an object without members": (
        lambda text: b"{}", 422, "body-invalid",
        {"/questionnaire", "/version", "/started_at", "/completed_at", "/time_zone", "/client_now", "/answers"}),
    "30 February": (
        lambda text: re.sub(r'"started_at": "[^T]+', '"started_at": "2026-02-30', text).encode(), 422, "body-invalid", {"/started_at"}),
    "a leap second": (
        lambda text: re.sub(r'("completed_at": "[^T]+)T[0-9:.]+Z', r"\1T23:59:60Z", text).encode(), 422, "body-invalid", {"/completed_at"}),
    "a moment without a zone": (
        lambda text: re.sub(r'("started_at": "[^"]+)Z"', r'\1"', text).encode(), 422, "body-invalid", {"/started_at"}),
    "the year 10000": (
        lambda text: re.sub(r'"started_at": "[^"]+"', '"started_at": "10000-01-01T00:00:00Z"', text).encode(), 422, "body-invalid", {"/started_at"}),
    "several at once": (
        replaced('"version": "1.0.0"', '"version": 1, "role": "admin", "scores": []'), 422, "body-invalid",
        {"/version", "/role", "/scores"}),
}


def daily(person):
    """A sheet that would be taken."""
    sheet = person.sheet("daily_evening", answers.DAILY | {"note": "plain"})
    return json.dumps(sheet, ensure_ascii=False)


@pytest.mark.parametrize("title", BODIES)
def test_a_body_that_is_no_proper_json_is_refused_with_its_place(ada, title):
    make, status, slug, expected = BODIES[title]
    path = ada.own(f"/answer-sheets/{new_id()}")

    problem = ada.problem("PUT", path, status, slug, data=make(daily(ada)), headers=JSON)

    if expected is not None:
        assert pointers(problem) == expected, problem
    if slug == "body-unreadable":
        assert "errors" not in problem
    ada.problem("GET", path, 404, "not-found")


def test_faults_of_form_and_of_answers_are_told_together(ada):
    sheet = ada.sheet("who_5", answers.WHO_5 | {"q1": 9, "q7": 1}, time_zone="Mars/Olympus", started_at="yesterday")
    problem = ada.problem("PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "body-invalid", json=sheet | {"more": 1})
    assert pointers(problem) == {"/time_zone", "/started_at", "/more", "/answers/q1", "/answers/q7"}


def test_numbers_are_taken_for_what_they_are_worth(ada):
    """450.0 and 4.5e2 are the whole number 450 in JSON, which knows no integers."""
    for text in ("450.0", "4.5e2", "45E+1"):
        path = ada.own(f"/answer-sheets/{new_id()}")
        response = ada.call("PUT", path, data=replaced(SLEEP, f'"sleep_minutes": {text}')(daily(ada)), headers=JSON)
        assert response.status_code in (200, 201), response.text
        assert ada.call("GET", path, status=200)["answers"]["sleep_minutes"] == 450


def test_texts_come_back_byte_for_byte(ada):
    texts = [
        "caf\u00e9", "cafe\u0301", "\u202eright to left", "zero\u200bwidth", "\U0001f469\u200d\U0001f467", "'; drop table research.enrolment; --",
        "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "\\u0000 written out", "tab\tand\r\nlines", "line\u2028separator", "\ufffe\uffff", "x" * 2000,
    ]
    for note in texts:
        path = ada.own(f"/answer-sheets/{new_id()}")
        sheet = ada.sheet("daily_evening", answers.DAILY | {"note": note})
        ada.call("PUT", path, json=sheet, status=(200, 201))
        found = ada.call("GET", path, status=200)["answers"]["note"]
        assert found.encode() == note.encode(), unicodedata.name(note[0], note)


# Media types, compression, sizes, time

def test_bodies_of_other_kinds_are_refused(ada):
    path, body = ada.own(f"/answer-sheets/{new_id()}"), daily(ada).encode()
    cases = [
        (415, "media-type-unsupported", body, {"Content-Type": "text/plain"}),
        (415, "media-type-unsupported", body, {"Content-Type": "application/x-www-form-urlencoded"}),
        (415, "media-type-unsupported", body, {"Content-Type": "application/json; charset=utf-16"}),
        (415, "media-type-unsupported", body, {"Content-Type": ""}),
        (415, "media-type-unsupported", body, JSON | {"Content-Encoding": "br"}),
        (415, "media-type-unsupported", body, JSON | {"Content-Encoding": "gzip, gzip"}),
        (400, "body-unreadable", body, JSON | {"Content-Encoding": "gzip"}),
        (400, "body-unreadable", gzip.compress(body)[:-9], JSON | {"Content-Encoding": "gzip"}),
        (400, "body-unreadable", gzip.compress(body)[:-8] + b"\0" * 8, JSON | {"Content-Encoding": "gzip"}),
        (400, "body-unreadable", gzip.compress(body) + b"more", JSON | {"Content-Encoding": "gzip"}),
        (413, "body-too-large", gzip.compress(b" " * 50_000_000, 1), JSON | {"Content-Encoding": "gzip"}),
        (413, "body-too-large", b" " * (1024 * 1024 + 1), JSON),
    ]
    for status, slug, data, headers in cases:
        ada.problem("PUT", path, status, slug, data=data, headers=headers)
    ada.problem("GET", path, 404, "not-found")


def test_fifty_megabytes_are_refused_however_they_come(ada, server):
    path, size = ada.own(f"/walks/{new_id()}"), 50_000_000
    begin = raw.head("PUT", path, ada.tokens["access_token"], Content_Type="application/json")
    announced = begin + f"Content-Length: {size}\r\n\r\n".encode() + b" " * size
    chunk = b"%x\r\n" % 65536 + b" " * 65536 + b"\r\n"
    chunked = begin + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (size // 65536) + b"0\r\n\r\n"
    for data in (announced, chunked):
        started = time.monotonic()
        response = raw.exchange(server, data, "PUT")
        # A client that is still sending when the connection is closed may see no more than that.
        assert response is None or (response.status_code, response.json()["status"]) == (413, 413)
        assert time.monotonic() - started < 20
    # Whoever asks first is told before a byte of the body is sent.
    expecting = begin + f"Content-Length: {size}\r\nExpect: 100-continue\r\n\r\n".encode()
    assert raw.exchange(server, expecting, "PUT").status_code == 413


def test_a_sheet_of_many_faults_names_a_bounded_number_of_them(ada):
    many = answers.DAILY | {f"unknown_{n}": n for n in range(30_000)}
    response = ada.call("PUT", ada.own(f"/answer-sheets/{new_id()}"), json=ada.sheet("daily_evening", many))
    assert response.status_code == 422 and 1 <= len(response.json()["errors"]) <= 1000
    assert len(response.content) < 200_000


HEAD = b"POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
SHAPES = {
    "both lengths": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a negative length": HEAD + b"Content-Length: -1\r\n\r\n{}",
    "a length of 30 digits": HEAD + b"Content-Length: 999999999999999999999999999999\r\n\r\n{}",
    "a length that is none": HEAD + b"Content-Length: 0x10\r\n\r\n{}",
    "a broken chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a chunk of 2^64": HEAD + b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n{}\r\n0\r\n\r\n",
    "an unknown transfer coding": HEAD + b"Transfer-Encoding: gzip\r\n\r\n{}",
    "a space before the colon": HEAD + b"Content-Length : 2\r\n\r\n{}",
    "a folded header": HEAD + b"X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
    "a header of 1 MB": HEAD + b"X-A: " + b"a" * 1_000_000 + b"\r\n\r\n",
    "10,000 headers": HEAD + b"".join(b"X-%d: a\r\n" % n for n in range(10_000)) + b"\r\n",
    "an address of 100 KB": b"GET /v1/studies?cursor=" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "an address of 9 KB": b"GET /v1/studies?cursor=" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "no address": b"GET  HTTP/1.1\r\nHost: a\r\n\r\n",
    "an unknown version": b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 600,
    "NUL in the address": b"GET /v1/\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    "an unknown method": b"BREW /v1/studies HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "CONNECT": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
}


@pytest.mark.parametrize("title", SHAPES)
def test_requests_that_are_no_proper_http_get_at_most_a_refusal(server, title):
    connection = raw.connect(server, seconds=40)
    with connection:
        try:
            connection.sendall(SHAPES[title])
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Refused before all was read.
        response = raw.receive(connection)
    if response is not None:
        assert 400 <= response.status_code < 500 or response.status_code == 501, (response.status_code, response.body)


@pytest.fixture(scope="session")
def dawdlers(server):
    """Connections that trickle, begun before the other tests of this file: name -> (seconds, response)."""
    begin = raw.head("POST", "/v1/tokens", Content_Type="application/json", Content_Length=1000)
    starts = {"slow body": begin + b"\r\n", "slow header": b"GET /v1/studies HTTP/1.1\r\nHost: a\r\nX-A: "}
    found, ended = {}, threading.Event()

    def dawdle(name):
        started = time.monotonic()
        with raw.connect(server, seconds=100) as connection:
            connection.sendall(starts[name])
            connection.settimeout(1)
            data = b""
            while not ended.is_set():
                try:
                    connection.sendall(b" ")
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    data += piece
                except TimeoutError:
                    continue
                except OSError:
                    break
            found[name] = (time.monotonic() - started, raw.parse(data))

    threads = [threading.Thread(target=dawdle, args=(name,), daemon=True) for name in starts]
    for thread in threads:
        thread.start()
    yield found, threads
    ended.set()


@pytest.fixture(autouse=True)
def trickling_meanwhile(dawdlers):
    """They need a minute; that need not be waited for."""


# The domain: answers

def faulty(title, change, expected, questionnaire="daily_evening", slug="answer-sheet-invalid"):
    return pytest.param(change, expected, questionnaire, slug, id=title)


DAILY_FAULTS = [
    faulty("an unknown item", {"answers": answers.DAILY | {"moodiness": 5}}, {"/answers/moodiness"}),
    faulty("a slash in a name", {"answers": answers.DAILY | {"a/b~c": 5}}, {"/answers/a~1b~0c"}),
    faulty("missing items", {"answers": {}}, {"/answers/mood", "/answers/energy", "/answers/stress", "/answers/presence", "/answers/pausing"}),
    faulty("a null for a required one", {"answers": answers.DAILY | {"mood": None}}, {"/answers/mood"}),
    faulty("no option of it", {"answers": answers.DAILY | {"mood": 6}}, {"/answers/mood"}),
    faulty("an option as text", {"answers": answers.DAILY | {"mood": "5"}}, {"/answers/mood"}),
    faulty("an option in a list", {"answers": answers.DAILY | {"mood": [5]}}, {"/answers/mood"}),
    faulty("an object", {"answers": answers.DAILY | {"mood": {"value": 5}}}, {"/answers/mood"}),
    faulty("true for a number", {"answers": answers.DAILY | {"sleep_minutes": True}}, {"/answers/sleep_minutes"}),
    faulty("below the least", {"answers": answers.DAILY | {"sleep_minutes": -1}}, {"/answers/sleep_minutes"}),
    faulty("above the greatest", {"answers": answers.DAILY | {"sleep_minutes": 1081}}, {"/answers/sleep_minutes"}),
    faulty("a text too long", {"answers": answers.DAILY | {"note": "x" * 2001}}, {"/answers/note"}),
    faulty("a number for a text", {"answers": answers.DAILY | {"note": 1}}, {"/answers/note"}),
    faulty("no list where several may be chosen", {"answers": answers.DAILY | {"stress_source": "work"}}, {"/answers/stress_source"}),
    faulty("an option twice", {"answers": answers.DAILY | {"stress_source": ["work", "work"]}}, {"/answers/stress_source/1"}),
    faulty("an unknown one among several", {"answers": answers.DAILY | {"stress_source": ["work", "boss"]}}, {"/answers/stress_source/1"}),
    faulty("one that excludes the others", {"answers": answers.DAILY | {"stress_source": ["work", "unclear"]}}, {"/answers/stress_source/1"}),
    faulty("an item that becomes required", {"answers": {n: v for n, v in answers.DAILY.items() if n != "stress_source"}}, {"/answers/stress_source"}),
    faulty("an unknown reason", {"answers": answers.DAILY, "reasons": {"note": "bored"}}, {"/reasons/note"}),
    faulty("a reason for what is answered", {"answers": answers.DAILY, "reasons": {"mood": "refused"}}, {"/reasons/mood"}),
    faulty("timings of an unknown item", {"answers": answers.DAILY, "timings": {"moodiness": 5}}, {"/timings/moodiness"}),
    faulty("a text for reading", {"answers": answers.PSS_10 | {"intro": "read"}}, {"/answers/intro"}, "pss_10"),
    faulty("all at once", {"answers": {"mood": 9, "energy": 3, "stress": "low", "presence": 1, "pausing": 1, "colour": 1, "sleep_minutes": 0.5}},
           {"/answers/mood", "/answers/stress", "/answers/colour", "/answers/sleep_minutes"}),
    faulty("an unknown questionnaire", {"answers": {}}, {"/questionnaire"}, "phq_9"),
    faulty("a wrong version", {"answers": answers.DAILY, "version": "9.9.9"}, {"/version"}),
    faulty("an end before the start", {"answers": answers.DAILY, "started_at": instant(after(days=1))}, {"/completed_at"}),
    faulty("an unknown occasion", {"answers": answers.DAILY, "occasion_id": new_id()}, {"/occasion_id"}),
    faulty("an occasion that is no id", {"answers": answers.DAILY, "occasion_id": "today"}, {"/occasion_id"}, slug="body-invalid"),
    faulty("a fixed offset for a zone", {"answers": answers.DAILY, "time_zone": "GMT+2"}, {"/time_zone"}, slug="body-invalid"),
    faulty("an unknown zone", {"answers": answers.DAILY, "time_zone": "Europe/Atlantis"}, {"/time_zone"}, slug="body-invalid"),
    faulty("answers as a list", {"answers": [5, 4]}, {"/answers"}, slug="body-invalid"),
    faulty("negative timings", {"answers": answers.DAILY, "timings": {"mood": -1}}, {"/timings/mood"}, slug="body-invalid"),
]


@pytest.mark.parametrize("change, expected, questionnaire, slug", DAILY_FAULTS)
def test_a_wrong_sheet_is_refused_with_every_fault(ada, change, expected, questionnaire, slug):
    before = stored_sheets(ada)
    path = ada.own(f"/answer-sheets/{new_id()}")

    problem = ada.problem("PUT", path, 422, slug, json=ada.sheet(questionnaire, {}) | change)

    assert pointers(problem) == expected, problem
    assert all(error["code"] and error["detail"] for error in problem["errors"])
    assert stored_sheets(ada) == before


def test_a_sheet_for_an_occasion_of_somebody_else_is_refused(ada, participant):
    ben = participant(name="Ben Canary")
    foreign = ben.overview()["daily_evening"]["occasion_id"]
    unknown = ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=ada.sheet("daily_evening", answers.DAILY, occasion_id=new_id()))
    refused = ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=ada.sheet("daily_evening", answers.DAILY, occasion_id=foreign))
    assert refused | {"instance": ""} == unknown | {"instance": ""}, "it may not even show that there is such an occasion"
    own = ada.overview()["pss_10"]["occasion_id"]
    mixed = ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=ada.sheet("daily_evening", answers.DAILY, occasion_id=own))
    assert pointers(mixed) == {"/occasion_id"}


def test_sheets_outside_their_window_and_by_wrong_clocks_are_kept_and_flagged(participant):
    ada = participant()
    occasion = ada.overview()["pss_10"]["occasion_id"]
    cases = {
        # By a right clock, but for a time at which the window is over, or was not yet open.
        "closed": dict(completed=after(days=9), standing="out_of_window", flags={"completed_in_future"}),
        "before": dict(completed=after(days=-3), started=after(days=-3), standing="early", flags={"before_enrolment"}),
    }
    for title, case in cases.items():
        kept = ada.hand_in("pss_10", answers.PSS_10, occasion_id=occasion, started=case.get("started"), completed=case["completed"])
        assert kept["standing"] == case["standing"] and set(kept["flags"]) == case["flags"], title
    assert ada.overview()["pss_10"]["disabled"] is False, "neither settles the occasion"
    # A clock a year off says so of itself, and is corrected.
    for days in (365, -365, 3650):
        moment = after(days=days)
        kept = ada.hand_in("daily_evening", answers.DAILY, started=moment, completed=moment, client_now=instant(moment))
        assert kept["standing"] == "on_time" and kept["flags"] == ["clock_skew"], kept
        assert kept["completed_at"] == instant(moment), "what the device said is kept"
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"):
        response = ada.call(
            "PUT", ada.own(f"/answer-sheets/{new_id()}"),
            json=ada.sheet("daily_evening", answers.DAILY) | {"started_at": moment, "completed_at": moment, "client_now": moment})
        assert response.status_code in (200, 201, 422), response.text
    assert len(stored_sheets(ada)) >= 5


def test_a_clock_thousands_of_years_off_harms_nobody_who_reads_later(server, participant, researcher):
    """What it is corrected by is added to stored moments in the database, which has no moment for every sum."""
    eva = participant(name="Eva Canary")
    far = "9999-12-31T23:59:59.000Z"
    speed = {"recorded_at": instant(), "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}
    told = [
        eva.call("PUT", eva.own(f"/calibrations/{new_id()}"), json=speed | {"client_now": far}),
        eva.call("PUT", eva.own(f"/walks/{new_id()}"), json=walks.body(eva.zone) | {"client_now": far}),
        eva.call("PUT", eva.own(f"/answer-sheets/{new_id()}"), json=eva.sheet("daily_evening", answers.DAILY) | {"client_now": far}),
        eva.call("POST", eva.own("/sync"), json={"client_now": far, "items": [
            {"kind": "usage_event", "id": new_id(), "body": {"event": "screen_seen", "at": instant(), "time_zone": eva.zone, "properties": {"screen": "x"}}}]}),
    ]
    assert {answer.status_code for answer in told} <= {200, 201, 422}, [answer.text for answer in told]
    assert told[0].status_code == 201 and told[-1].json()["items"][0]["result"] != "retry"
    eva.overview()
    researcher.call("GET", "/v1/studies/mindful-walking/changes", params={"after": 0, "limit": 1000}, status=200)
    eva.call("POST", eva.own("/withdrawal"), json={"mode": "stop"}, status=200)
    eva.call("GET", eva.own("/calibrations/current"), status=(200, 404))


def test_bodies_that_are_announced_and_do_not_come_take_nobodys_room(server, ada):
    """Of 16 MiB each, together more than all bodies may have at once."""
    head = (
        f"PUT {ada.own(f'/walks/{new_id()}')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada.tokens['access_token']}\r\n"
        "Content-Type: application/json\r\nContent-Length: 16777216\r\n\r\n{")
    address = urllib.parse.urlsplit(server.url)
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            opened = stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=20))
            opened.sendall(head.encode())
        time.sleep(1)
        assert ada.hand_in("daily_evening", answers.DAILY)["sheet_id"]


# The domain: walks and calibrations

def walk_with(**change):
    def make(zone):
        body = walks.body(zone)
        body["series"] = walks.series() | change
        return body

    return make


def at(seconds):
    """A moment of the paper walk that starts at a fixed time."""
    return instant(after(now().replace(microsecond=0), seconds=seconds - walks.ELAPSED_S))


def changed(index, value, column):
    values = list(walks.series()[column])
    values[index] = value
    return {column: values}


def without_length(walk):
    return walk | {"ended_at": walk["started_at"], "pauses": [], "series": None}


WALK_FAULTS = {
    "it ends before it starts": (lambda zone: walks.body(zone) | {"ended_at": instant(after(days=-1)), "pauses": [], "series": None}, {"/ended_at"}),
    "it lasts three days": (lambda zone: walks.body(zone) | {"ended_at": instant(after(days=3))}, {"/ended_at"}),
    "no length": (lambda zone: without_length(walks.body(zone)), {"/ended_at"}),
    "a series of another length": (walk_with(heart_rate_bpm=[100, 101]), {"/series/heart_rate_bpm"}),
    "several of another length": (walk_with(heart_rate_bpm=[], distance_m=[0]), {"/series/heart_rate_bpm", "/series/distance_m"}),
    "distance that decreases": (walk_with(**changed(5, 1.0, "distance_m")), {"/series/distance_m/5"}),
    "negative distance": (walk_with(**changed(0, -1, "distance_m")), {"/series/distance_m/0"}),
    "energy that decreases": (walk_with(**changed(9, 0, "active_energy_kcal")), {"/series/active_energy_kcal/9"}),
    "heart rate 0": (walk_with(**changed(3, 0, "heart_rate_bpm")), {"/series/heart_rate_bpm/3"}),
    "heart rate 400": (walk_with(**changed(3, 400, "heart_rate_bpm")), {"/series/heart_rate_bpm/3"}),
    "heart rate 1e308": (walk_with(**changed(3, 1e308, "heart_rate_bpm")), {"/series/heart_rate_bpm/3"}),
    "speed of a train": (walk_with(**changed(3, 140, "speed_kmh")), {"/series/speed_kmh/3"}),
    "negative speed": (walk_with(**changed(3, -1, "speed_kmh")), {"/series/speed_kmh/3"}),
    "times that go back": (walk_with(**changed(4, 5000, "t_ms")), {"/series/t_ms/4"}),
    "a time twice": (walk_with(**changed(4, 30000, "t_ms")), {"/series/t_ms/4"}),
    "a sample after the end": (walk_with(**changed(37, 600_001, "t_ms")), {"/series/t_ms/37"}),
    "a sample before the start": (walk_with(**changed(0, -1, "t_ms")), {"/series/t_ms/0"}),
    "wrong totals": (lambda zone: walks.body(zone) | {"totals": {"max_heart_rate_bpm": 400, "distance_m": 1e9}}, {"/totals/max_heart_rate_bpm", "/totals/distance_m"}),
    "an unknown calibration": (lambda zone: walks.body(zone) | {"calibration_id": new_id()}, {"/calibration_id"}),
}


@pytest.mark.parametrize("title", WALK_FAULTS)
def test_a_walk_that_contradicts_itself_is_refused_with_every_fault(ada, title):
    make, expected = WALK_FAULTS[title]
    path = ada.own(f"/walks/{new_id()}")
    problem = ada.problem("PUT", path, 422, "walk-invalid", json=make(ada.zone))
    # A changed sample may put those behind it out of order, too.
    assert expected <= pointers(problem) and len(pointers(problem)) <= len(expected) + 1, problem
    ada.problem("GET", path, 404, "not-found")


def test_pauses_lie_in_their_walk_and_apart(ada):
    start = after(seconds=-walks.ELAPSED_S)

    def pauses(*spans):
        made = [{"from": instant(after(start, seconds=first)), "to": instant(after(start, seconds=last))} for first, last in spans]
        return walks.body(ada.zone, started=start) | {"pauses": made, "series": None}

    def refused(*spans):
        problem = ada.problem("PUT", ada.own(f"/walks/{new_id()}"), 422, "walk-invalid", json=pauses(*spans))
        return pointers(problem)

    assert refused((100, 200), (150, 250)) == {"/pauses/1/from"}
    assert refused((100, 200), (120, 130), (300, 250)) == {"/pauses/1/from", "/pauses/2/to"}
    assert refused((-10, 20)) == {"/pauses/0/from"}
    assert refused((590, 601)) == {"/pauses/0/to"}
    # The same one told twice is one; those that touch are joined.
    stored = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=pauses((100, 200), (100, 200), (200, 230), (300, 300)), status=201)
    assert stored["summary"]["active_s"] == walks.ELAPSED_S - 130
    assert stored["summary"]["distance_m"] is None and stored["summary"]["coverage"] is None


def test_walks_that_no_schema_could_hold_are_refused(ada):
    path = ada.own(f"/walks/{new_id()}")
    body = json.dumps(walks.body(ada.zone))
    for text, status in [("NaN", 400), ("1e400", 422), ('"fast"', 422), ("[3.6]", 422), ("9" * 60, 400)]:
        data = body.replace('"speed_kmh": [3.6', f'"speed_kmh": [{text}', 1)
        assert data != body
        response = ada.call("PUT", path, data=data, headers=JSON)
        assert response.status_code == status, (text, response.text)
    for value in (1.5, 2**63, -(2**63), 2**200):
        response = ada.call("PUT", path, json=walk_with(**changed(1, value, "t_ms"))(ada.zone))
        assert response.status_code in (400, 422), (value, response.text)
    response = ada.call("PUT", path, json=walk_with(t_ms=list(range(100_001)))(ada.zone))
    assert response.status_code == 422
    ada.problem("GET", path, 404, "not-found")


@pytest.mark.parametrize("change, expected", [
    ({"mean_speed_kmh": 0}, {"/mean_speed_kmh"}),
    ({"mean_speed_kmh": 90, "reduction_percent": 100, "duration_s": 1e9}, {"/mean_speed_kmh", "/reduction_percent", "/duration_s"}),
    ({"reduction_percent": 4}, {"/reduction_percent"}),
    ({"reduction_percent": 51}, {"/reduction_percent"}),
    ({"duration_s": -1}, {"/duration_s"}),
])
def test_a_calibration_out_of_range_is_refused_with_every_fault(ada, change, expected):
    body = {"recorded_at": instant(), "mean_speed_kmh": 5, "reduction_percent": 20, "duration_s": 60}
    problem = ada.problem("PUT", ada.own(f"/calibrations/{new_id()}"), 422, "calibration-invalid", json=body | change)
    assert pointers(problem) == expected


def test_one_bad_item_of_an_outbox_fails_none_of_the_others(participant):
    ada = participant()

    def item(kind, body):
        return {"kind": kind, "id": new_id(), "body": {name: value for name, value in body.items() if name != "client_now"}}

    good = ada.sheet("who_5", answers.WHO_5)
    items = [
        item("answer_sheet", good),
        item("answer_sheet", good | {"answers": {"q1": 9}}),
        item("answer_sheet", good | {"version": "9.9.9"}),
        item("walk", walks.body(ada.zone)),
        item("walk", walks.body(ada.zone) | {"ended_at": "yesterday"}),
        item("calibration", {"recorded_at": instant(), "mean_speed_kmh": 5, "reduction_percent": 20, "duration_s": 60}),
        item("answer_sheet", good | {"answers": answers.WHO_5 | {"q1": 0}}),
        item("answer_sheet", ada.sheet("sus", answers.SUS)),
    ]
    outbox = {"client_now": instant(), "items": items}
    results = ada.call("POST", ada.own("/sync"), json=outbox, status=200)["items"]
    assert [result["id"] for result in results] == [item["id"] for item in items]
    assert [result["result"] for result in results] == [
        "accepted", "rejected", "rejected", "accepted", "rejected", "accepted", "duplicate", "out_of_window"]
    assert {error["pointer"] for error in results[1]["problem"]["errors"]} >= {"/answers/q1", "/answers/q2"}
    again = ada.call("POST", ada.own("/sync"), json=outbox, status=200)["items"]
    assert [result["result"] for result in again] == [
        "replayed", "rejected", "rejected", "replayed", "rejected", "replayed", "replayed", "replayed"]


def test_what_is_no_item_at_all_spoils_nothing_either(participant):
    ada = participant()
    spoilt = [
        '{"kind": "diary", "id": "%s", "body": {}}' % new_id(),
        '{"kind": "walk", "id": "no uuid", "body": {}}',
        '{"kind": "walk", "id": "%s", "body": "text"}' % new_id(),
        '{"kind": "walk", "id": "%s", "body": {}, "more": 1}' % new_id(),
        '{"kind": "answer_sheet", "id": "%s", "body": {"answers": {"q1": "\\u0000"}}}' % new_id(),
        '{"kind": "answer_sheet", "id": "%s", "body": {"answers": {"q1": 1, "q1": 2}}}' % new_id(),
        "17", "null", "[]",
    ]
    good = '{"kind": "walk", "id": "%s", "body": %s}' % (new_id(), json.dumps(walks.body(ada.zone)))
    text = '{"client_now": "%s", "items": [%s]}' % (instant(), ", ".join(spoilt + [good]))
    results = ada.call(
        "POST", ada.own("/sync"), data=text, headers={"Content-Type": "application/json"}, status=200)["items"]
    assert [result["result"] for result in results] == ["rejected"] * len(spoilt) + ["accepted"]
    assert all(result["problem"]["type"].endswith("/body-invalid") for result in results[:-1])
    places = [pointers(result["problem"]) for result in results[:-1]]
    assert "/kind" in places[0] and "/id" in places[1] and "/body" in places[2] and "/more" in places[3]
    assert "/body/answers/q1" in places[4] and "/body/answers/q1" in places[5]
    # Outside of the items it is the whole that is wrong.
    wrong = '{"client_now": "%s", "client_now": "%s", "items": [%s]}' % (instant(), instant(), good)
    ada.problem("POST", ada.own("/sync"), 422, "body-invalid", data=wrong, headers={"Content-Type": "application/json"})


def test_a_clock_that_is_off_disturbs_neither_calibration_nor_walk(participant):
    for hours in (1, -1, 24 * 365):
        ada = participant()
        off = {"hours": hours}
        said = {"client_now": instant(after(**off))}
        calibration = {"recorded_at": instant(after(**off)), "mean_speed_kmh": 5, "reduction_percent": 20, "duration_s": 60}
        ada.call("PUT", ada.own(f"/calibrations/{new_id()}"), json=calibration | said, status=201)
        assert ada.call("GET", ada.own("/calibrations/current"), status=200)["target_speed_kmh"] == 4
        assert ada.call("GET", ada.own("/overview"), status=200)["walk"]["may_start"] is True
        began = after(hours=hours)
        ended = after(began, milliseconds=1)
        walk = {"started_at": instant(began), "ended_at": instant(ended), "time_zone": ada.zone}
        said = {"client_now": instant(ended)}
        stored = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=walk | said, status=201)
        assert stored["flags"] == ["clock_skew"] and stored["summary"]["target_speed_kmh"] == 4
        assert ada.overview()["after_walk"]["due_today"] is True


def test_pages_keep_what_was_asked_for(participant):
    ada = participant()
    asked = {"from": instant(after(days=1)), "to": instant(after(days=4)), "limit": 1}
    seen, address, parameters = [], ada.server.url + ada.own("/occasions"), asked
    while address:
        response = ada.session.get(address, params=parameters, headers={"Authorization": "Bearer " + ada.tokens["access_token"]})
        page = response.json()
        assert len(page["items"]) == 1
        seen += [item["occasion_id"] for item in page["items"]]
        address, parameters = response.links.get("next", {}).get("url"), None
    whole = ada.call("GET", ada.own("/occasions"), params=asked | {"limit": 1000}, status=200)["items"]
    assert seen == [item["occasion_id"] for item in whole] and len(seen) > 2
    ada.problem(
        "GET", ada.own("/occasions"), 400, "request-invalid", params={"from": instant(after(days=4)), "to": instant(after(days=1))})


# Accounts, queries, addresses

@pytest.mark.parametrize("change, expected", [
    ({"email": "ada"}, {"/email"}),
    ({"email": "ada@example.org\r\nBcc: eve@example.org"}, {"/email"}),
    ({"email": "ada@exam ple.org"}, {"/email"}),
    ({"email": "a" * 250 + "@example.org"}, {"/email"}),
    ({"password": "short"}, {"/password"}),
    ({"password": "x" * 257}, {"/password"}),
    ({"display_name": ""}, {"/display_name"}),
    ({"display_name": "x" * 201}, {"/display_name"}),
    ({"display_name": "Eve\r\nBcc: x@example.org"}, {"/display_name"}),
    ({"display_name": "Eve\u0085"}, {"/display_name"}),
    ({"display_name": " \u00a0"}, {"/display_name"}),
    ({"time_zone": "Mars/Olympus"}, {"/time_zone"}),
    ({"language": "Deutsch, bitte"}, {"/language"}),
    ({"is_admin": True, "grants": []}, {"/is_admin", "/grants"}),
    ({"email": None, "password": 12345678, "display_name": []}, {"/email", "/password", "/display_name"}),
])
def test_a_wrong_registration_is_refused_with_every_fault(newcomer, change, expected):
    ada = newcomer()
    body = {"email": ada.email, "password": ada.password, "display_name": ada.name}
    problem = ada.problem("POST", "/v1/accounts", 422, "body-invalid", token=False, json=body | change)
    assert pointers(problem) == expected
    # No value that was sent comes back.
    assert ada.password not in json.dumps(problem)
    ada.problem("POST", "/v1/tokens", 401, "credentials-invalid", token=False, json={"email": ada.email, "password": ada.password})


def test_wrong_queries_are_refused_by_name(ada):
    for query, expected in [
        ("limit=0", {"/limit"}), ("limit=1001", {"/limit"}), ("limit=ten", {"/limit"}), ("limit=1e2x", {"/limit"}), ("limit=10&limit=10", {"/limit"}),
        ("limit=99999999999999999999", {"/limit"}), ("cursor=none", {"/cursor"}), ("cursor=", {"/cursor"}), ("colour=red", {"/colour"}),
        ("limit=-1&colour=red", {"/limit", "/colour"}), ("cursor=W10", {"/cursor"}),
    ]:
        problem = ada.problem("GET", ada.own(f"/walks?{query}"), 400, "request-invalid")
        assert pointers(problem) == expected, query
    for query in ("limit=%ff", "limit=%", "from=%c3%28", "cursor=%00"):
        assert ada.call("GET", ada.own(f"/occasions?{query}")).status_code == 400, query
    for query in ("from=yesterday", "to=2026-02-30T00:00:00Z", "from=2026-11-21"):
        ada.problem("GET", ada.own(f"/occasions?{query}"), 400, "request-invalid")


def test_addresses_that_lead_nowhere_are_404_or_405(ada, server):
    for path in [
        "/", "/v1", "/v1/", "/v2/studies", "/v1/studies/", "/v1/studies/none", "/v1/studies/..%2f..", "/v1/studies/mindful-walking%00",
        "/v1/enrolments/1", "/v1/enrolments/../account", "/v1/enrolments/%00", "/v1//studies", "/V1/STUDIES", "/.env", "/v1/studies/'--",
        ada.own("/answer-sheets/1"), ada.own("/questionnaires/none"), ada.own("/questionnaires/pss_10%2f"), ada.own("/walks/{}"),
    ]:
        data = raw.head("GET", path, ada.tokens["access_token"]) + b"\r\n"
        response = raw.exchange(server, data)
        assert response.status_code == 404 and response.json()["type"].endswith("/not-found"), path
    response = ada.call("DELETE", "/v1/studies")
    assert response.status_code == 405 and "GET" in response.headers["allow"]
    assert ada.call("PATCH", "/v1/tokens").status_code == 405


# Tokens

def test_only_a_good_access_token_is_taken(ada, server):
    good = ada.tokens["access_token"]
    header, claims, signature = good.split(".")
    plain = jwt.decode(good, options={"verify_signature": False})
    named = jwt.get_unverified_header(good)
    own_key = Ed25519PrivateKey.generate()
    public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"

    def signed(change=None, key=own_key, algorithm="EdDSA", **more):
        return jwt.encode(plain | (change or {}), key, algorithm=algorithm, headers=named | {"alg": algorithm} | more)

    def recoded(change):
        return jwt.utils.base64url_encode(json.dumps(plain | change).encode()).decode()

    none = jwt.utils.base64url_encode(json.dumps(named | {"alg": "none"}).encode()).decode()
    tokens = {
        "empty": "", "no token": "none", "alg none": f"{none}.{claims}.", "alg none with a signature": f"{none}.{claims}.{signature}",
        "no signature": f"{header}.{claims}.", "two parts": f"{header}.{claims}", "four parts": good + ".x", "truncated": good[:-2],
        "HS256 by a public key": signed(key=public.replace("PUBLIC", "PUBLIK"), algorithm="HS256"),
        "HS256 by nothing": signed(key="x" * 32, algorithm="HS256"),
        "another's key under a known id": signed(), "another's key with an unknown id": signed(kid="other"),
        "a key id that is a path": signed(kid="../../dev/null"), "a key id that is SQL": signed(kid="' or 1=1 --"),
        "a key of its own": signed(jwk={"kty": "OKP", "crv": "Ed25519", "x": "AA"}), "a key elsewhere": signed(jku="http://127.0.0.1/keys"),
        "expired": f"{header}.{recoded({'exp': 1})}.{signature}", "for ever": f"{header}.{recoded({'exp': 2**60})}.{signature}",
        "somebody else": f"{header}.{recoded({'sub': new_id()})}.{signature}", "expired and signed": signed({"exp": 1}),
        "a refresh token": ada.tokens["refresh_token"], "with a line feed": good + "%0a", "200 KB": "a." * 100_000, "3 KB": "ab." * 1000,
    }
    for title, token in tokens.items():
        data = raw.head("GET", "/v1/account") + f"Authorization: Bearer {token}\r\n\r\n".encode()
        response = raw.exchange(server, data)
        if title == "200 KB":
            assert response is None or response.status_code in (400, 401, 431), title
            continue
        assert response.status_code == 401, title
        assert response.json()["type"].endswith("/token-invalid") and response.headers["www-authenticate"].startswith("Bearer"), title
    for headers in ["", "Authorization: Basic YTpi\r\n", f"Authorization: {good}\r\n", f"Authorization: Bearer {good}\r\nAuthorization: Bearer {good}\r\n"]:
        response = raw.exchange(server, raw.head("GET", "/v1/account") + headers.encode() + b"\r\n")
        assert response.status_code == 401, headers
    # 1 MB is more than any header may hold.
    response = raw.exchange(server, raw.head("GET", "/v1/account") + b"Authorization: Bearer " + b"a" * 1_000_000 + b"\r\n\r\n")
    assert response is None or 400 <= response.status_code < 500
    response = ada.call("GET", "/v1/account?access_token=" + good, token=False)
    assert response.status_code in (400, 401), "no token in a URL"
    assert ada.call("GET", "/v1/account").status_code == 200


@pytest.mark.last
def test_whoever_trickles_is_let_go(dawdlers):
    found, threads = dawdlers
    for thread in threads:
        thread.join(90)
    assert found.keys() == {"slow body", "slow header"}
    assert all(seconds < 80 for seconds, _ in found.values()), found
    _, response = found["slow body"]
    assert response is None or response.status_code == 408
