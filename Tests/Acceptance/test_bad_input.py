"""The server answers every invalid request with a problem document that names all faults, stores nothing of it, and goes on."""

import contextlib
import socket
import threading
import time
import urllib.parse

import pytest

from acceptance import answers, raw
from acceptance.moments import new_id


@pytest.fixture(scope="module")
def ada(server, contract):
    from acceptance.people import Person

    return Person(server, contract).register().enrol()


def test_fifty_megabytes_are_rejected_with_and_without_chunks(ada, server):
    path, size = ada.own(f"/walks/{new_id()}"), 50_000_000
    begin = raw.head("PUT", path, ada.tokens["access_token"], Content_Type="application/json")
    announced = begin + f"Content-Length: {size}\r\n\r\n".encode() + b" " * size
    chunk = b"%x\r\n" % 65536 + b" " * 65536 + b"\r\n"
    chunked = begin + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (size // 65536) + b"0\r\n\r\n"
    for data in (announced, chunked):
        started = time.monotonic()
        response = raw.exchange(server, data, "PUT")
        # A client that is still sending may see only that the connection is closed.
        assert response is None or (response.status_code, response.json()["status"]) == (413, 413)
        assert time.monotonic() - started < 20
    # A client with `Expect: 100-continue` gets the answer before it sends the body.
    expecting = begin + f"Content-Length: {size}\r\nExpect: 100-continue\r\n\r\n".encode()
    assert raw.exchange(server, expecting, "PUT").status_code == 413


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
def test_requests_that_are_not_valid_http_are_rejected_or_ignored(server, title):
    connection = raw.connect(server, seconds=40)
    with connection:
        try:
            connection.sendall(SHAPES[title])
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Rejected before the server had read all bytes.
        response = raw.receive(connection)
    if response is not None:
        assert 400 <= response.status_code < 500 or response.status_code == 501, (response.status_code, response.body)
        assert response.headers["content-type"] == "application/problem+json" and response.json()["status"] == response.status_code


@pytest.fixture(scope="session")
def slow_connections(server):
    """Very slow connections, begun before the other tests of this file: name -> (seconds, response)."""
    begin = raw.head("POST", "/v1/tokens", Content_Type="application/json", Content_Length=1000)
    starts = {"slow body": begin + b"\r\n", "slow header": b"GET /v1/studies HTTP/1.1\r\nHost: a\r\nX-A: "}
    found, ended = {}, threading.Event()

    def run_slowly(name):
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

    threads = [threading.Thread(target=run_slowly, args=(name,), daemon=True) for name in starts]
    for thread in threads:
        thread.start()
    yield found, threads
    ended.set()


@pytest.fixture(autouse=True)
def slow_connections_in_the_background(slow_connections):
    """Begins the slow connections, which need a minute, while other tests run."""


# Memory

def test_announced_bodies_that_do_not_arrive_use_no_memory(server, ada):
    """16 MiB each: together more than the limit for all request bodies."""
    head = (
        f"PUT {ada.own(f'/walks/{new_id()}')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada.tokens['access_token']}\r\n"
        "Content-Type: application/json\r\nContent-Length: 16777216\r\n\r\n{")
    address = urllib.parse.urlsplit(server.url)
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            opened = stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=20))
            opened.sendall(head.encode())
        time.sleep(1)
        assert ada.submit("daily_evening", answers.DAILY)["sheet_id"]


# Tokens

def test_a_huge_authorization_header_is_rejected(server):
    # 1 MB is larger than any allowed header.
    for token in (b"a." * 100_000, b"a" * 1_000_000):
        response = raw.exchange(server, raw.head("GET", "/v1/account") + b"Authorization: Bearer " + token + b"\r\n\r\n")
        assert response is None or response.status_code in (400, 401, 431), len(token)


@pytest.mark.last
def test_slow_connections_are_closed(slow_connections):
    found, threads = slow_connections
    for thread in threads:
        thread.join(90)
    assert found.keys() == {"slow body", "slow header"}
    assert all(seconds < 80 for seconds, _ in found.values()), found
    _, response = found["slow body"]
    assert response is None or response.status_code == 408
