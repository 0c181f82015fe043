"""Many idle or very slow connections during the load of normal devices."""

import contextlib
import pathlib
import resource
import selectors
import socket
import threading
import time

import requests

from ..moments import new_id
from .outcome import Outcome, load, people, finish


class Crowd:
    """Connections that one thread serves.

    - `first`: bytes that each connection sends at the beginning; `then`: bytes that it sends each second.
    - `reads`: whether it reads responses.
    - `returns`: whether each connection is closed and opened again each second, and after the server closed it.
    """

    def __init__(self, server, size, first, then=b"", reads=True, returns=False):
        self.opened = self.ended = self.refused = 0
        self._server, self._size, self._first, self._then = server, size, first, then
        self._reads, self._returns = reads, returns
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(60)

    def wait_for(self, opened, seconds=30):
        deadline = time.monotonic() + seconds
        while self.opened < opened:
            assert time.monotonic() < deadline, f"{self.opened} of {opened} connections are open, {self.refused} were rejected"
            time.sleep(0.05)

    def _run(self):
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            held = set()
            tick = time.monotonic()
            wanted = self._size
            while not self._over.is_set():
                for _ in range(min(50, wanted)):
                    wanted -= 1
                    made = self._connect()
                    if made:
                        held.add(made)
                        selector.register(made, selectors.EVENT_READ)
                for key, _ in selector.select(0.01):
                    if self._reads and self._is_open(key.fileobj):
                        continue
                    if not self._reads:
                        selector.unregister(key.fileobj)
                        continue
                    self._drop(key.fileobj, selector, held)
                    wanted += 1 if self._returns else 0
                if time.monotonic() - tick >= 1:
                    tick = time.monotonic()
                    wanted += self._touch(selector, held)
            for made in held:
                stack.callback(made.close)

    def _touch(self, selector, held):
        """Once a second: sends `then`, or closes all connections; the number to open again."""
        again = 0
        for made in list(held):
            try:
                if self._returns:
                    self._drop(made, selector, held)
                    again += 1
                elif self._then:
                    made.send(self._then)
            except BlockingIOError:
                continue
            except OSError:
                self._drop(made, selector, held)
        return again

    def _connect(self):
        made = socket.socket()
        if not self._reads:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(5)
        try:
            made.connect(("127.0.0.1", self._server.port))
            made.sendall(self._first)
        except OSError:
            made.close()
            self.refused += 1
            return None
        made.setblocking(False)
        self.opened += 1
        return made

    def _is_open(self, made):
        try:
            return bool(made.recv(65_536))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _drop(self, made, selector, held):
        with contextlib.suppress(KeyError, ValueError):
            selector.unregister(made)
        held.discard(made)
        made.close()
        self.ended += 1


def _half_open(person):
    return {"first": b""}


def _opened_over_and_over(person):
    return {"first": b"GET /health/live HTTP/1.1\r\nHost: a\r\n", "returns": True}


def _slow_headers(person):
    return {"first": b"GET /v1/studies HTTP/1.1\r\nHost: a\r\nX-A: ", "then": b"a"}


def _slow_bodies(person):
    head = (
        f"PUT {person.own('/answer-sheets/' + new_id())} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {person.tokens['access_token']}\r\n"
        "Content-Type: application/json\r\nContent-Length: 2000\r\n\r\n{")
    return {"first": head.encode(), "then": b" "}


def _slow_readers(person):
    """Requests a long list several times on one connection, and never reads."""
    head = (
        f"GET {person.own('/answer-sheets?limit=1000')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {person.tokens['access_token']}\r\n\r\n")
    return {"first": head.encode() * 3, "reads": False}


CROWDS = {
    "connections opened over and over": _opened_over_and_over, "silent connections": _half_open, "slow headers": _slow_headers,
    "slow bodies": _slow_bodies, "slow readers": _slow_readers,
}


def once(server, kind, seed, size=1000, seconds=3, feed=None):
    """Measures the effect on normal devices: the 99th percentile of their latency, the longest time without an acknowledgement, the latency of
    new connections, and the memory of the server."""
    allow_descriptors(size + 500)
    # After 100 records the first participant has a long list.
    with load(server, seed, count=3, warm=100) as ledger:
        before = resident(server)
        calm = quantile(ledger.latencies, 0.99)
        options = CROWDS[kind](ledger.people[0])
        with Crowd(server, size, **options) as crowd:
            crowd.wait_for(size // 2)
            taken, begun = len(ledger.latencies), time.monotonic()
            most, newcomers = before, []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                most = max(most, resident(server))
                newcomers.append(_new_connection_latency(server))
                time.sleep(0.1)
            ledger.wait_for(10)
            busy = quantile(ledger.latencies[taken:], 0.99)
            silence = round(ledger.silence(begun), 3)
    found = finish(ledger, feed)
    return Outcome(found, busy, {
        "opened": crowd.opened, "ended": crowd.ended, "refused": crowd.refused, "silence_s": silence, "newcomer_s": max(newcomers), "p99_before_s": round(calm, 3), "more_MiB": (most - before) >> 20})


def _new_connection_latency(server):
    """The latency of a request on a new connection, in seconds."""
    begun = time.monotonic()
    assert requests.get(server.url + "/v1/studies", timeout=30).status_code == 200
    return round(time.monotonic() - begun, 3)


def dawdle(server, size=20, seconds=100):
    """Opens connections of each kind that never finish; how many of each are still open at the end."""
    [person] = people(server, 1)
    kinds = (_half_open, _slow_headers, _slow_bodies)
    with contextlib.ExitStack() as stack:
        reader = stack.enter_context(_idle_reader(server))
        crowds = [stack.enter_context(Crowd(server, size, **kind(person))) for kind in kinds]
        end = time.monotonic() + seconds
        while any(crowd.ended < size for crowd in crowds) and time.monotonic() < end:
            time.sleep(0.1)
        held = {kind.__name__.strip("_"): size - crowd.ended for kind, crowd in zip(kinds, crowds)}
        # The reader has waited about as long as the others since its buffers were full, without reading a byte.
        time.sleep(5)
        return held | {"idle_reader": int(_replies(reader) >= _PILE)}


_PILE = 60


def _idle_reader(server):
    """A connection that requests more than the kernel buffers, and reads nothing."""
    made = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    made.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" * _PILE)
    return made


def _replies(reader):
    """Reads until the connection ends or all responses have arrived; the number of responses."""
    tail, count = b"", 0
    with contextlib.suppress(OSError):
        while count < _PILE and (piece := reader.recv(1 << 20)):
            data = tail + piece
            count += data.count(_BEGIN)
            tail = data[1 - len(_BEGIN):]
    return count


_BEGIN = b"HTTP/1.1 200"


def resident(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) * 1024


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def allow_descriptors(wanted):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
