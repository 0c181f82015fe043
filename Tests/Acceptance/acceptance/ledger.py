"""Load from several people, with a ledger of what was acknowledged, and the reconciling of it with what is stored."""

import collections
import dataclasses
import http.client
import json
import random
import threading
import time
import urllib.parse

from . import records
from .moments import instant
from .people import STUDY

# Of a hundred parcels: so many hold one thing of this kind; the others are outboxes of several.
_SINGLE = {"answer_sheet": 58, "observation": 14, "walk": 7, "calibration": 5}
_DONE = ("accepted", "replayed", "duplicate", "out_of_window")


@dataclasses.dataclass(frozen=True)
class Acknowledged:
    """One line of the ledger."""

    record: records.Record
    at: float
    # As it was told, without what a repetition says of itself.
    receipt: dict

    @property
    def body(self):
        return self.record.body


@dataclasses.dataclass
class Reckoning:
    """How what is stored differs from what was acknowledged: ids, each of which is a fault."""

    acknowledged: int = 0
    lost: set = dataclasses.field(default_factory=set)
    # There more than once, or there though nobody sent it.
    doubled: set = dataclasses.field(default_factory=set)
    altered: set = dataclasses.field(default_factory=set)
    # Stored in part: without its scores or its occasion, or not as its receipt says.
    torn: set = dataclasses.field(default_factory=set)

    @property
    def is_clean(self):
        return not (self.lost or self.doubled or self.altered or self.torn)

    def __str__(self):
        parts = ", ".join(f"{len(getattr(self, name))} {name}" for name in ("lost", "doubled", "altered", "torn"))
        return f"of {self.acknowledged} acknowledged: {parts}"


class Ledger:
    """Sends until it is stopped. Whatever was not acknowledged is sent again, with the same bytes, until it is: as devices do."""

    def __init__(self, people, seed, threads_each=2, kinds=None, url=None, path=None, tolerated=(503,), patience=30, socket_seconds=60):
        """`url` another way to the server; `path` a file that gets each line as it is acknowledged; `tolerated` answers that
        may pass; `socket_seconds` after which a silent connection is given up."""
        self.people = people
        self.server = people[0].server
        self.url = url
        self.acknowledged = {}
        self.latencies = []
        self.statuses = collections.Counter()
        self.strange = []
        self.patience = patience
        self.socket_seconds = socket_seconds
        self.tolerated = set(tolerated)
        # A walk from before the enrolment, as a clock that is wrong makes them, opens no occasion.
        self.walks_open_occasions = True
        self._kinds = kinds
        self._sent = {}
        self._corrected = set()
        self._deleted = set()
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self.moments = []
        self._stopping = threading.Event()
        self._open = []
        self._file = open(path, "a", buffering=1) if path else None
        chance = random.Random(seed)
        self._threads = [
            threading.Thread(target=self._send, args=(person, chance.random()), daemon=True)
            for person in people for _ in range(threads_each)
        ]

    # The load

    def start(self):
        for thread in self._threads:
            thread.start()
        return self

    def stop(self):
        self._stopping.set()
        for thread in self._threads:
            thread.join(120)
            assert not thread.is_alive()

    def acknowledged_count(self):
        with self._lock:
            return len(self.acknowledged)

    @property
    def attempts(self):
        return sum(self.statuses.values())

    def wait_for(self, more=1, seconds=60):
        """Until so many more are acknowledged than are now."""
        with self._news:
            wanted = len(self.acknowledged) + more
            deadline = time.monotonic() + seconds
            while len(self.acknowledged) < wanted:
                assert self._news.wait(max(0, deadline - time.monotonic())), f"nothing is acknowledged within {seconds} s: {self.statuses}"

    def silence(self, since):
        """The longest time without an acknowledgement that begins at this moment or later, in seconds."""
        with self._lock:
            moments = [since] + [moment for moment in self.moments if moment > since]
        return max((later - earlier for earlier, later in zip(moments, moments[1:])), default=0.0)

    def _send(self, person, seed):
        chance = random.Random(seed)
        socket = Socket(self, person)
        try:
            while not self._stopping.is_set():
                parcel = self._parcel(person, chance)
                while (parcel := self._try(socket, parcel)) and not self._stopping.wait(0.02):
                    pass
                if parcel:
                    with self._lock:
                        self._open.append(parcel)
        finally:
            socket.close()

    def _parcel(self, person, chance):
        """What one request holds: a single record, or the list of an outbox."""
        if self._kinds:
            return records.make(chance.choice(self._kinds), person, chance)
        lot = chance.randrange(100)
        for kind, share in _SINGLE.items():
            if (lot := lot - share) < 0:
                return records.make(kind, person, chance)
        kinds = ["answer_sheet"] * 6 + ["observation"] * 3 + ["walk", "calibration"]
        return [records.make(chance.choice(kinds), person, chance) for _ in range(chance.randint(2, 12))]

    def _try(self, socket, parcel):
        """Sends it; what of it is to be sent again, or None."""
        single = isinstance(parcel, records.Record)
        with self._lock:
            for record in [parcel] if single else parcel:
                self._sent[record.id] = record
        begun = time.monotonic()
        if single:
            status, reply = socket.call("PUT", parcel.path, parcel.body)
        else:
            body = {"client_now": instant(), "items": [record.item for record in parcel]}
            status, reply = socket.call("POST", parcel[0].person.own("/sync"), body)
        with self._lock:
            self.statuses[status] += 1
            if status not in (200, 201):
                if status not in (None, 401) and status not in self.tolerated:
                    self.strange.append((status, reply))
                return parcel
            self.latencies.append(time.monotonic() - begun)
            if single:
                return self._acknowledge(parcel, reply)
            left = []
            for record, result in zip(parcel, reply["items"], strict=True):
                if result["result"] in _DONE and "receipt" in result:
                    self._acknowledge(record, result["receipt"])
                else:
                    if result["result"] != "retry":
                        self.strange.append((record.kind, result))
                    left.append(record)
            return left or None

    def _acknowledge(self, record, receipt):
        assert record.id not in self.acknowledged
        told = Acknowledged(record, time.time(), unrepeated(receipt))
        self.acknowledged[record.id] = told
        self.moments.append(time.monotonic())
        self._news.notify_all()
        if self._file:
            self._file.write(json.dumps([told.at, STUDY, record.kind, record.id, record.digest]) + "\n")

    # What others than its own load send

    def told(self, record, receipt, corrected=False):
        """Somebody sent it, and was told this."""
        with self._lock:
            self._sent[record.id] = record
            self._corrected |= {record.id} if corrected else set()
            self._acknowledge(record, receipt)

    def forget(self, record):
        """It is going to be deleted: it may not be listed any more, and its row stays."""
        with self._lock:
            del self.acknowledged[record.id]
            self._deleted.add(record.id)

    def retry(self):
        """Sends what is open until it is taken; how much that was."""
        waiting, self._open = self._open, []
        for parcel in waiting:
            socket = Socket(self, parcel.person if isinstance(parcel, records.Record) else parcel[0].person)
            deadline = time.monotonic() + self.patience
            while parcel := self._try(socket, parcel):
                assert time.monotonic() < deadline, f"the retry is taken: {self.statuses} {self.strange[:3]}"
                time.sleep(0.05)
            socket.close()
        return len(waiting)

    def repeat(self, chance, server, only=None, most=20):
        """Sends some of what was acknowledged once more: ids whose receipt is another."""
        with self._lock:
            known = [told for name, told in self.acknowledged.items() if only is None or name in only]
        other = set()
        for told in chance.sample(known, min(most, len(known))):
            socket = Socket(self, told.record.person.on(server))
            status, reply = socket.call("PUT", told.record.path, told.record.body)
            socket.close()
            # Once it was corrected, the newest revision is told; when and for what it was received stays.
            same = kept if told.record.id in self._corrected else unrepeated
            if status != 200 or same(reply) != same(told.receipt):
                other.add(told.record.id)
        return other

    # The reconciling

    def reconcile(self, feed=None):
        """Every acknowledged record is there once, as it was sent, and nothing else is."""
        assert not self.strange, self.strange[:5]
        reckoning = self.reckon(feed)
        assert reckoning.is_clean, str(reckoning)
        return reckoning

    def reckon(self, feed=None, server=None, only=None):
        """Compares the ledger with the database, with what people can read back, and with the feed of changes if there is one.
        `server` another one that has the data by now; `only` ids that have to be there, the others may be."""
        server = server or self.server
        found = Reckoning(acknowledged=len(self.acknowledged if only is None else only))
        self._compare_rows(found, server)
        self._compare_lists(found, server)
        if feed:
            self._compare_feed(found, feed)
        if only is not None:
            found.lost &= only
        found.torn |= self.repeat(random.Random(found.acknowledged), server, only)
        return found

    def _compare_rows(self, found, server):
        enrolments = ", ".join(f"'{person.enrolment['enrolment_id']}'" for person in self.people)
        for kind, (_, table, column) in records.PLACES.items():
            first = " and revision = 1" if kind == "answer_sheet" else ""
            text = server.sql(f"select {column}, encode(body_sha256, 'hex') from {table} where enrolment_id in ({enrolments}){first}")
            self._compare(found, kind, [line.split("|") for line in text.split()])
        # A sheet is stored with its scores, a walk with the occasion that it opens.
        found.torn |= set(server.sql(
            f"select sheet_id from research.answer_sheet sheet where enrolment_id in ({enrolments}) and not exists"
            " (select from research.score where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id)").split())
        walks, occasions = server.sql(
            f"select (select count(*) from research.walk where enrolment_id in ({enrolments})),"
            f" (select count(*) from research.occasion where enrolment_id in ({enrolments}) and questionnaire = 'after_walk')").strip().split("|")
        if self.walks_open_occasions and walks != occasions:
            found.torn.add(f"{walks} walks, {occasions} occasions")

    def _compare(self, found, kind, rows):
        """Rows of an id and a digest each, of all people."""
        counts = collections.Counter(row[0] for row in rows)
        found.lost |= {told.record.id for told in self.acknowledged.values() if told.record.kind == kind} - counts.keys()
        found.doubled |= {name for name, count in counts.items() if count > 1}
        # What is there was acknowledged, or is on its way: sent, and without an answer yet.
        found.doubled |= {name for name in counts if name not in self._sent}
        found.altered |= {name for name, value in rows if name in self._sent and self._sent[name].digest != value}

    def _compare_lists(self, found, server):
        for person in self.people:
            person = person if server is person.server else person.on(server)
            mine = {name for name, told in self.acknowledged.items() if told.record.person.email == person.email}
            for kind in ("answer_sheet", "walk", "observation"):
                segment, _, column = records.PLACES[kind]
                listed = person.pages(person.own(f"/{segment}"), limit=1000)
                counts = collections.Counter(item[column] for item in listed)
                found.lost |= {name for name in mine if self.acknowledged[name].record.kind == kind} - counts.keys()
                found.doubled |= {name for name, count in counts.items() if count > 1 or name not in self._sent or name in self._deleted}
                if kind == "answer_sheet":
                    found.altered |= {
                        sheet["sheet_id"] for sheet in listed
                        if sheet["sheet_id"] in self._sent and sheet["sheet_id"] not in self._corrected and digest(sheet["answers"]) != digest(self._sent[sheet["sheet_id"]].body["answers"])
                    }
                    # One of several settles an occasion; the others are kept beside it.
                    settled = collections.Counter(sheet["occasion_id"] for sheet in listed if sheet["occasion_id"] and sheet["duplicate_of"] is None)
                    found.doubled |= {name for name, count in settled.items() if count > 1}

    def _compare_feed(self, found, feed):
        participants = {person.enrolment["participant_id"] for person in self.people}
        items = [item for item in feed.news() if item["participant_id"] in participants and item["kind"] in records.PLACES]
        counts = collections.Counter(item["id"] for item in items)
        found.lost |= self.acknowledged.keys() - counts.keys()
        found.doubled |= {name for name, count in counts.items() if count > 1 or name not in self._sent}


class Feed:
    """The study's changes as a researcher follows them."""

    def __init__(self, researcher):
        self._researcher = researcher
        self._after = 0
        self.news()

    def news(self):
        """What changed since the last time; a thing once, however often it changed."""
        items, parameters = [], {"after": self._after, "limit": 1000}
        while True:
            page = self._researcher.call("GET", f"/v1/studies/{STUDY}/changes", params=parameters, status=200)
            items += page["items"]
            if page["next"] is None:
                self._after = page["change_seq"]
                return items
            parameters = {"cursor": page["next"], "limit": 1000}


class Socket:
    """One connection of a device, opened again when it is gone."""

    def __init__(self, ledger, person):
        self._person = person
        address = urllib.parse.urlsplit(ledger.url or person.server.url)
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=ledger.socket_seconds)

    def call(self, method, path, body):
        """Status and JSON; (None, None) when no answer came. A device whose token is over renews it."""
        try:
            self._connection.request(
                method, path, json.dumps(body),
                {"Authorization": f"Bearer {self._person.tokens['access_token']}", "Content-Type": "application/json"})
            response = self._connection.getresponse()
            status, data = response.status, response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return None, None
        if status == 401:
            self._person.renew()
        try:
            return status, json.loads(data) if data else None
        except ValueError:
            return None, None

    def close(self):
        self._connection.close()


def unrepeated(receipt):
    return {name: value for name, value in receipt.items() if name != "replayed"}


def kept(receipt):
    return {name: receipt[name] for name in ("sheet_id", "received_at", "occasion_id", "duplicate_of", "standing")}


def digest(answers):
    return records.digest(answers)
