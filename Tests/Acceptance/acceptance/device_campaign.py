"""Kills of a page, the browser, the network and the server, while a browser keeps and sends a participant's records.

The ledger has a line for each record that the browser acknowledged: it is on the disk of the device. In the end the server must have each of
these records exactly once. A record without an acknowledgement may be missing, but must not be doubled.
"""

import collections
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import shutil
import signal
import time
import uuid

import requests
from playwright.sync_api import Error, sync_playwright

from . import moments, walks
from .browser import CHROMIUM, PASSWORD
from .relay import Line, Relay
from .server import alive, free_port, wait_until

# How often each part is killed, of 100 kills. A browser and a server take seconds to start again.
SHARES = {"page": 50, "network": 40, "browser": 6, "server": 4}
LONG_WALK_S = 7200
PACK_QUESTIONNAIRE = "pocket_note"


@dataclasses.dataclass
class Outcome:
    """What a campaign did, and the faults that it found: the notes of sheets, and the beginnings of walks."""

    kills: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    queued: int = 0
    acknowledged: int = 0
    lost: list = dataclasses.field(default_factory=list)
    doubled: list = dataclasses.field(default_factory=list)
    # Records that the server refused, with its words, and records that are still on the device.
    refused: list = dataclasses.field(default_factory=list)
    left: int = 0
    seconds: float = 0

    @property
    def is_clean(self):
        return not (self.lost or self.doubled or self.refused or self.left)

    def __str__(self):
        kills = ", ".join(f"{count} of the {part}" for part, count in sorted(self.kills.items()))
        return (f"{sum(self.kills.values())} kills ({kills}) in {self.seconds:.0f} s: {self.queued} records queued, {self.acknowledged} acknowledged by the "
                f"device, {len(self.lost)} lost, {len(self.doubled)} doubled, {len(self.refused)} refused, {self.left} left on the device")


class Device:
    """A Chromium with a profile on the disk, and a page of the participant in it."""

    def __init__(self, playwright, folder, url, acknowledge):
        self.playwright = playwright
        self.folder = folder
        self.url = url
        self.acknowledge = acknowledge
        self.context = self.page = None

    def start(self):
        """Starts the browser. The profile may be that of a killed one."""
        for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.folder / name)
        self.context = self.playwright.chromium.launch_persistent_context(
            self.folder, executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000, base_url=self.url, locale="en-GB", timezone_id="Europe/Berlin")
        self.context.expose_binding("acknowledge", lambda _, record: self.acknowledge(record))
        self.page = self.context.pages[0]
        self.page.set_default_timeout(30_000)

    def processes(self):
        """The process ids of this browser."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                command = entry.read_bytes().decode(errors="replace")
                if str(self.folder) in command and "chrom" in command.split("\0")[0]:
                    found.append(int(entry.parent.name))
        return found

    def kill(self):
        """SIGKILL of all processes of the browser, as if the battery was removed."""
        processes = self.processes()
        assert processes, "the browser runs"
        _kill(processes)
        wait_until(lambda: not any(map(alive, processes)), 30, "the browser is gone")
        with contextlib.suppress(Error):
            self.context.close()

    def new_page(self, address):
        """Opens a page of the participant. It comes from the server, or from the device if there is no connection."""
        if self.page.is_closed():
            self.page = self.context.new_page()
        with contextlib.suppress(Error):
            self.page.goto(address)
        return self.page


def _kill(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


class Campaign:
    """A participant whose browser queues sheets and walks during kills."""

    def __init__(self, server, folder, study, seed, sheets=200, walks_count=3, kills=200):
        self.server = server
        self.folder = pathlib.Path(folder)
        self.study = study
        self.chance = random.Random(seed)
        self.sheets = sheets
        self.walks_count = walks_count
        self.kills = kills
        self.outcome = Outcome()
        self.queued = {}
        self.acknowledged = set()

    def run(self, relay, report=lambda text: None):
        """Runs the campaign through a relay to the server, and compares the ledger with the server. Returns the outcome."""
        began = time.monotonic()
        with sync_playwright() as playwright:
            self.relay = relay
            self.device = Device(playwright, self.folder / "profile", relay.url, self.acknowledged.add)
            self.device.start()
            try:
                self._join()
                rounds = self._rounds()
                for number, (part, records) in enumerate(rounds):
                    self._round(part, records)
                    if number % 50 == 49:
                        report(f"{number + 1} of {len(rounds)} kills, {len(self.acknowledged)} of {len(self.queued)} records acknowledged")
                self._deliver()
                self._compare()
            finally:
                with contextlib.suppress(Error):
                    self.device.context.close()
        self.outcome.queued = len(self.queued)
        self.outcome.acknowledged = len(self.acknowledged)
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    # The participant

    def _join(self):
        """Registers and joins in the browser, so that the session is that of a page."""
        page = self.device.page
        page.goto(f"/studies/{self.study}/consent")
        page.goto(f"/register?next=/studies/{self.study}/consent")
        page.get_by_label("Your name").fill("Alex Canary")
        page.get_by_label("E-mail address").fill(f"{uuid.uuid4().hex}@example.org")
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_role("button", name="Create an account").click()
        page.get_by_label("I have read this, and I take part.").check()
        page.get_by_role("button", name="Join the study").click()
        page.wait_for_url(re.compile(r"/my/[0-9a-f-]{36}"))
        self.home = re.search(r"/my/[0-9a-f-]{36}", page.url).group()
        self.enrolment = self.home.removeprefix("/my/")
        self.cookies = self.device.context.cookies()
        self.app = page.locator('script[src*="/assets/app."]').get_attribute("src")
        self.sending = re.search(r'"(/assets/sending\.[0-9a-f]+\.js)"', requests.get(self.server.url + self.app, timeout=60).text).group(1)
        # From now on the page works without a connection.
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        plan = f"caches.keys().then(async (names) => {{ for (const name of names) if (name.startsWith('documents-') && await (await caches.open(name)).match('{self.home}')) return true; return false; }})"
        wait_until(lambda: page.evaluate(plan), 60, "the page Today is kept")

    # The kills

    def _rounds(self):
        """The part to kill in each round, and the records that are queued before it."""
        parts = [part for part, share in SHARES.items() for _ in range(round(self.kills * share / 100))]
        parts += ["page"] * (self.kills - len(parts))
        self.chance.shuffle(parts)
        records = [[] for _ in parts]
        for number in range(self.sheets):
            records[number * len(parts) // self.sheets].append(self._sheet(number))
        for number in range(self.walks_count):
            records[(2 * number + 1) * len(parts) // (2 * self.walks_count)].append(self._walk(number))
        return list(zip(parts, records, strict=True))

    def _sheet(self, number):
        sheet, now = moments.new_id(), moments.now()
        fields = {
            "sheet_id": sheet, "questionnaire": PACK_QUESTIONNAIRE, "version": "1.0.0", "shown": "mood note",
            "started_at": moments.instant(moments.after(now, seconds=-30)), "completed_at": moments.instant(now), "time_zone": "Europe/Berlin",
            "a.mood": str(number % 11), "a.note": f"note {number}",
        }
        record = {"kind": "form", "id": sheet, "title": f"note {number}", "enrolment": self.enrolment, "fields": list(map(list, fields.items()))}
        self.queued[sheet] = f"note {number}"
        return record

    def _walk(self, number):
        """Two hours with one sample a second, as the recorder queues them."""
        walk = str(uuid.uuid4())
        started = moments.after(moments.now(), seconds=-LONG_WALK_S - 60 * number)
        body = walks.times(started) | {
            "ended_at": moments.instant(moments.after(started, seconds=LONG_WALK_S)), "time_zone": "Europe/Berlin",
            "series": {
                "t_ms": [1000 * t for t in range(LONG_WALK_S)], "speed_kmh": [round(4 + t % 7 / 10, 2) for t in range(LONG_WALK_S)],
                "distance_m": [round(1.2 * t, 1) for t in range(LONG_WALK_S)],
            },
        }
        self.queued[walk] = moments.instant(started)
        return {"kind": "walk", "id": walk, "title": "Walk", "enrolment": self.enrolment, "body": body}

    def _round(self, part, records):
        """Queues records in a page, and kills a part at a random moment. Then starts again what was killed."""
        page = self.device.new_page(self.home)
        if part == "network":
            # The server has the record, and its answer is lost; or the request does not arrive.
            self.relay.line = Line(swallow=0.7) if self.chance.random() < 0.6 else Line(cut=0.7)
        with contextlib.suppress(Error):
            page.evaluate(
                """([module, records]) => { import(module).then(async (sending) => {
                    for (const record of records) { await sending.enqueue(record); acknowledge(record.id); }
                    sending.sendAll({ isUrgent: true });
                }); }""", [self.sending, records])
            page.wait_for_timeout(self.chance.choice((0, 5, 15, 30, 60, 120, 250)) * self.chance.random() + 1)
        if part == "page":
            self._kill_page(page)
        elif part == "browser":
            self.device.kill()
            self.device.start()
            # Chromium writes a cookie to the disk up to 30 s later. The participant would log in again.
            self.device.context.add_cookies(self.cookies)
        elif part == "server":
            self.server.kill()
            # The participant goes on while the server is down.
            self.device.new_page(self.home)
            self.server.start()
        else:
            with contextlib.suppress(Error):
                page.wait_for_timeout(self.chance.uniform(20, 150))
            self.relay.line = Line()
        self.outcome.kills[part] += 1

    def _kill_page(self, page):
        """Closes the page at once, without asking it."""
        with contextlib.suppress(Error):
            self.device.page = self.device.context.new_page()
            page.close(run_before_unload=False)

    # The comparison

    def _overview(self):
        page = self.device.page
        return page.evaluate(
            """async (module) => { const { waiting, held, receipts } = await (await import(module)).overview();
               return { waiting: waiting.length, held: held.map(({ title, words }) => [title, words]), receipts: receipts.length }; }""", self.app)

    def _deliver(self):
        """Lets the page send the rest, without faults."""
        self.relay.line = Line()
        self.device.new_page(self.home)

        def is_sent():
            try:
                self.device.page.evaluate("(module) => import(module).then((app) => app.flush({ isUrgent: true }))", self.app)
                return self._overview()["waiting"] == 0
            except Error:
                self.device.new_page(self.home)
                return False

        with contextlib.suppress(AssertionError):
            wait_until(is_sent, 60, "the device has sent everything")
        overview = self._overview()
        self.outcome.left = overview["waiting"]
        self.outcome.refused = overview["held"]

    def _compare(self):
        """Compares the ledger with what the server has."""
        stored = collections.Counter(note for note in self._pages("answer-sheets", lambda sheet: sheet["answers"]["note"]))
        stored.update(self._pages("walks", lambda walk: walk["started_at"]))
        self.outcome.lost = [self.queued[record] for record in self.acknowledged if not stored[self.queued[record]]]
        self.outcome.doubled = [name for name, count in stored.items() if count > 1]

    def _pages(self, path, name):
        cursor = None
        while True:
            reply = requests.get(
                f"{self.server.url}/v1/enrolments/{self.enrolment}/{path}", cookies={cookie["name"]: cookie["value"] for cookie in self.cookies}, timeout=60,
                params={"limit": 100} | ({"cursor": cursor} if cursor else {}))
            assert reply.status_code == 200, reply.text[:1000]
            yield from map(name, reply.json()["items"])
            cursor = reply.json()["next"]
            if cursor is None:
                return


def run(server, folder, study, seed, report=lambda text: None, **more):
    """A campaign at a running server that has the study. Its public address must be that of the relay; see `relay_to`."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / "profile", ignore_errors=True)
    return Campaign(server, folder, study, seed, **more).run(server.relay, report)


@contextlib.contextmanager
def relayed(make_server):
    """A server behind a relay. `make_server` gets the port and the public address, and returns a server that is not started."""
    port = free_port()
    relay = Relay(port)
    try:
        server = make_server(port, relay.url)
        server.relay = relay
        try:
            yield server.start()
        finally:
            server.remove()
    finally:
        relay.close()
