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


class Outbox(list):
    """Records that are handed in together, as one document or as lines; those of a device by that device."""

    as_lines = False

    @property
    def head(self):
        device = self[0].device
        return {"client_now": device.says(), "device_id": device.id} if device else {"client_now": instant()}

    def of(self, records):
        left = Outbox(records)
        left.as_lines = self.as_lines
        return left


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

    def __init__(self, people, seed, threads_each=2, kinds=None, stories=True, url=None, path=None, tolerated=(503,), patience=30, socket_seconds=60):
        """`stories` whether things are corrected and taken back, too; `url` another way to the server; `path` a file that gets each line as it is acknowledged; `tolerated` answers that
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
        self._stories = stories
        # Thing -> what was sent to correct it or to take it back.
        self._amendments = collections.defaultdict(list)
        # Id -> what was sent under it, which for an observation are its revisions.
        self._sent = {}
        self._devices = {person: records.devices() for person in people}
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
        parcels = []
        try:
            while not self._stopping.is_set():
                parcels = parcels or self._parcels(person, chance)
                parcel = parcels.pop()
                while (parcel := self._try(socket, parcel)) and not self._stopping.wait(0.02):
                    pass
                if parcel:
                    with self._lock:
                        self._open.append(parcel)
        finally:
            socket.close()

    def _parcels(self, person, chance):
        """What one request holds, or several one after the other: single records and outboxes."""
        if self._kinds:
            return [records.make(chance.choice(self._kinds), person, chance)]
        lot = chance.randrange(100)
        for kind, share in _SINGLE.items():
            if (lot := lot - share) < 0:
                return [records.make(kind, person, chance)]
        if self._stories and chance.random() < 0.5:
            told = self.story(person, chance)
            # What is said of a thing may come long before it.
            cut = chance.randint(0, len(told))
            outboxes = by_device(told[:cut]) + by_device(told[cut:])
        else:
            kinds = ["answer_sheet"] * 6 + ["observation"] * 3 + ["walk", "calibration"]
            outboxes = [Outbox(records.make(chance.choice(kinds), person, chance) for _ in range(chance.randint(2, 12)))]
        for outbox in outboxes:
            outbox.as_lines = chance.random() < 0.5
        return outboxes

    def story(self, person, chance):
        return records.story(person, chance, self._devices[person])

    def _try(self, socket, parcel):
        """Sends it; what of it is to be sent again, or None."""
        single = isinstance(parcel, records.Record)
        with self._lock:
            for record in [parcel] if single else parcel:
                self._note_sent(record)
        begun = time.monotonic()
        if single:
            status, reply = socket.call("PUT", parcel.path, parcel.body)
        elif parcel.as_lines:
            status, reply = socket.call_lines(parcel[0].person.own("/sync"), [parcel.head] + [record.item for record in parcel])
        else:
            body = parcel.head | {"items": [record.item for record in parcel]}
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
            left = parcel.of([])
            # Of lines those are told of whose results came before the connection broke; the others are sent again.
            told = {result["line"] - 2: result for result in reply if result.get("kind")} if parcel.as_lines else dict(enumerate(reply["items"]))
            assert parcel.as_lines or len(told) == len(parcel)
            for place, record in enumerate(parcel):
                result = told.get(place, {"result": "retry"})
                if result["result"] in _DONE and "receipt" in result:
                    self._acknowledge(record, result["receipt"])
                else:
                    if result["result"] != "retry":
                        self.strange.append((record.kind, result))
                    left.append(record)
            return left or None

    def _note_sent(self, record):
        if record.is_amendment and record.id not in self._sent:
            self._amendments[record.subject].append(record)
        self._sent.setdefault(record.id, {})[record.key] = record

    def _acknowledge(self, record, receipt):
        assert record.key not in self.acknowledged
        told = Acknowledged(record, time.time(), unrepeated(receipt))
        self.acknowledged[record.key] = told
        self.moments.append(time.monotonic())
        self._news.notify_all()
        if self._file:
            self._file.write(json.dumps([told.at, STUDY, record.kind, record.id, record.digest]) + "\n")

    # What others than its own load send

    def told(self, record, receipt, corrected=False):
        """Somebody sent it, and was told this."""
        with self._lock:
            self._note_sent(record)
            self._corrected |= {record.id} if corrected else set()
            self._acknowledge(record, receipt)

    def forget(self, record):
        """It is going to be deleted: it may not be listed any more, and its row stays."""
        with self._lock:
            del self.acknowledged[record.key]
            self._deleted.add(record.id)

    def give(self, records):
        """Has them sent, those of a device together, with what is open."""
        self._open += by_device(records)

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
            known = [
                (told.record, self.acknowledged[newest].receipt) for key, told in self.acknowledged.items()
                if told.record.kind in records.PLACES and (newest := self._newest(told.record.id)) in (self.acknowledged if only is None else only)
                and not any(said.kind == "deletion" for said in self._amendments[told.record.id])]
        other = set()
        for record, receipt in chance.sample(known, min(most, len(known))):
            person = record.person.on(server)
            socket = Socket(self, person)
            status, reply = socket.call("PUT", record.path, record.body)
            socket.close()
            # Once it was corrected, the newest revision is told; when and for what it was received stays.
            same = kept if record.kind == "answer_sheet" and self.is_amended(record.id) else unrepeated
            if "calibration_missing" in receipt.get("flags", ()):
                # A calibration that came later has given it a target.
                same = untargeted
            if record.body.get("walk_id"):
                # Its walk may have come later, and what it was a duplicate of may have been taken back: it is told as it is now.
                now = person.call("GET", record.path, status=200)
                receipt, same = now | {"received_at": receipt["received_at"]}, kept
            if status != 200 or same(reply) != same(receipt):
                other.add(record.id)
        return other

    # The reconciling

    def early(self):
        """What is acknowledged by now and not stored by now."""
        with self._lock:
            told = {told.record.id for told in self.acknowledged.values()}
        places = {place[1:] for place in records.PLACES.values()} | set(records.OUTBOX_PLACES.values())
        return told - set(self.server.sql(" union all ".join(
            f"select {column} from {table} where enrolment_id in ({self._enrolments})" for table, column in sorted(places))).split())

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
        self._wait_for_amendments(server)
        self._compare_rows(found, server, only)
        self._compare_lists(found, server, only)
        if feed:
            self._compare_feed(found, feed)
        if only is not None:
            found.lost &= only
        found.torn |= self.repeat(random.Random(found.acknowledged), server, only)
        return found

    @property
    def _enrolments(self):
        return ", ".join(f"'{person.enrolment['enrolment_id']}'" for person in self.people)

    def _wait_for_amendments(self, server):
        """Those whose thing came by itself, or whose server died, are applied beside the requests."""
        things = " union all ".join(
            f"select enrolment_id, {column} from {table}" for kind, (_, table, column) in records.PLACES.items() if kind != "calibration")
        # They look every three seconds, and more rarely the longer it takes: a machine that has much to do needs its time.
        deadline = time.monotonic() + max(self.patience, 180)
        while server.sql(
            "select count(*) from research.amendment where state in ('waiting', 'applying')"
            f" and enrolment_id in ({self._enrolments}) and (enrolment_id, subject_id) in ({things})").strip() != "0":
            if time.monotonic() > deadline:
                return
            time.sleep(0.2)

    def _compare_rows(self, found, server, only):
        enrolments = self._enrolments
        for kind, (_, table, column) in records.PLACES.items():
            first = " and revision = 1" if kind == "answer_sheet" else ""
            text = server.sql(f"select {column}, encode(body_sha256, 'hex') from {table} where enrolment_id in ({enrolments}){first}")
            self._compare(found, kind, [line.split("|") for line in text.split()], only)
        for kind, (table, column) in records.OUTBOX_PLACES.items():
            # A correction by itself makes one of these, too.
            own = f" and kind = '{kind}' and body_sha256 <> ''" if table == "research.amendment" else ""
            text = server.sql(f"select {column}, encode(body_sha256, 'hex') from {table} where enrolment_id in ({enrolments}){own}")
            self._compare(found, kind, [line.split("|") for line in text.split()], only)
        # A sheet is stored with its scores, a walk with the occasion that it opens.
        found.torn |= set(server.sql(
            f"select sheet_id from research.answer_sheet sheet where enrolment_id in ({enrolments}) and not exists"
            " (select from research.score where score.enrolment_id = sheet.enrolment_id and score.sheet_id = sheet.sheet_id)").split())
        walks, occasions = server.sql(
            f"select (select count(*) from research.walk where enrolment_id in ({enrolments})),"
            f" (select count(*) from research.occasion where enrolment_id in ({enrolments}) and questionnaire = 'after_walk')").strip().split("|")
        if self.walks_open_occasions and walks != occasions:
            found.torn.add(f"{walks} walks, {occasions} occasions")

    def _compare(self, found, kind, rows, only):
        """Rows of an id and a digest each, of all people."""
        counts = collections.Counter(row[0] for row in rows)
        found.lost |= {key for key, told in self.acknowledged.items() if told.record.kind == kind and told.record.id not in counts}
        found.doubled |= {name for name, count in counts.items() if count > 1}
        # What is there was acknowledged, or is on its way: sent, and without an answer yet.
        found.doubled |= {name for name in counts if name not in self._sent}
        found.altered |= {
            name for name, value in rows
            if name in self._sent and value not in {record.digest for record in self._present(name, only)}}

    def _newest(self, name):
        return max(self._sent[name].values(), key=lambda record: record.revision).key

    def _present(self, name, only):
        """What may stand under an id by now: the newest revision of those that were acknowledged, or one that is newer. After a deletion nothing takes its place."""
        sent = self._sent[name]
        known = [record.revision for key, record in sent.items() if key in self.acknowledged and (only is None or key in only)]
        least = 1 if self._is_taken_back(name, None, surely=False) else max(known, default=1)
        return [record for record in sent.values() if record.revision >= least]

    def is_amended(self, name):
        """Whether anything was said of it after it was made, or something better under its id."""
        return name in self._corrected or bool(self._amendments.get(name)) or len(self._sent[name]) > 1

    def _moods(self, name, only):
        """What a sheet may hold by now: the answers of the correction that was made last, of those that were acknowledged or came after these."""
        said = sorted((said for said in self._amendments[name] if said.kind == "correction"), key=lambda said: said.order)
        known = [place for place, said in enumerate(said) if said.id in self.acknowledged and (only is None or said.id in only)]
        bodies = [said.body for said in said[known[-1]:]] if known else [self._sent[name][name].body] + [said.body for said in said]
        return {digest(body["answers"]) for body in bodies}

    def _is_taken_back(self, name, only, surely):
        return any(
            said.kind == "deletion" and (not surely or said.id in self.acknowledged and (only is None or said.id in only))
            for said in self._amendments[name])

    def _compare_lists(self, found, server, only=None):
        for person in self.people:
            person = person if server is person.server else person.on(server)
            mine = {told.record.id: told for told in self.acknowledged.values() if told.record.person.email == person.email}
            for kind in ("answer_sheet", "walk", "observation"):
                segment, _, column = records.PLACES[kind]
                listed = person.pages(person.own(f"/{segment}"), limit=1000)
                counts = collections.Counter(item[column] for item in listed)
                found.lost |= {
                    told.record.key for name, told in mine.items()
                    if told.record.kind == kind and name not in counts and not self._is_taken_back(name, only, surely=False)}
                found.doubled |= {
                    name for name, count in counts.items()
                    if count > 1 or name not in self._sent or name in self._deleted or self._is_taken_back(name, only, surely=True)}
                if kind == "observation":
                    found.altered |= {
                        item[column] for item in listed if item[column] in self._sent and measured(item) not in map(said, self._present(item[column], only))}
                if kind == "answer_sheet":
                    found.altered |= {
                        sheet["sheet_id"] for sheet in listed
                        if sheet["sheet_id"] in self._sent and sheet["sheet_id"] not in self._corrected and digest(sheet["answers"]) not in self._moods(sheet["sheet_id"], only)
                    }
                    self._compare_occasions(found, server, person, listed)

    def _compare_occasions(self, found, server, person, sheets):
        """One of several sheets settles an occasion, as the occasion itself says; the others are kept as its duplicates. What is taken back settles none."""
        settled = collections.defaultdict(list)
        for sheet in sheets:
            if sheet["occasion_id"] and sheet["duplicate_of"] is None:
                settled[sheet["occasion_id"]].append(sheet["sheet_id"])
        found.doubled |= {name for name, by in settled.items() if len(by) > 1}
        found.torn |= {sheet["sheet_id"] for sheet in sheets if sheet["duplicate_of"] and sheet["duplicate_of"] not in settled[sheet["occasion_id"]]}
        rows = server.sql(
            "select occasion_id, sheet_id from research.occasion where sheet_id is not null"
            f" and enrolment_id = '{person.enrolment['enrolment_id']}'")
        by_row = {(name, sheet) for name, sheet in (line.split("|") for line in rows.split())}
        found.torn |= {name for name, _ in by_row ^ {(name, sheet) for name, by in settled.items() for sheet in by}}
        # A sheet about a walk has its occasion as soon as both are there, whichever came first.
        walks = server.sql(f"select walk_id from research.walk where enrolment_id = '{person.enrolment['enrolment_id']}'").split()
        alone = (self.acknowledged.get(sheet["sheet_id"]) for sheet in sheets if not sheet["occasion_id"])
        found.torn |= {told.record.id for told in alone if told and told.record.body.get("walk_id") in walks}

    def _compare_feed(self, found, feed):
        participants = {person.enrolment["participant_id"] for person in self.people}
        kinds = {*records.PLACES, "usage_event"}
        items = [item for item in feed.news() if item["participant_id"] in participants and item["kind"] in kinds]
        counts = collections.Counter(item["id"] for item in items)
        # Tombstones are nobody's.
        found.lost |= {
            key for key, told in self.acknowledged.items()
            if told.record.kind in kinds and told.record.id not in counts and not self._is_taken_back(told.record.id, None, surely=False)}
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

    def call_lines(self, path, items):
        """Status and the results that came; (None, None) when no answer came."""
        data = b""
        try:
            self._connection.request(
                "POST", path, "".join(json.dumps(item) + "\n" for item in items).encode(),
                {"Authorization": f"Bearer {self._person.tokens['access_token']}", "Content-Type": "application/x-ndjson"})
            response = self._connection.getresponse()
            status = response.status
            while line := response.readline():
                data += line
        except (OSError, http.client.HTTPException):
            self.close()
            if not data:
                return None, None
        if status == 401:
            self._person.renew()
        if status != 200:
            return status, None
        return status, [json.loads(line) for line in data.split(b"\n")[:-1]]

    def close(self):
        self._connection.close()


def by_device(records):
    """Outboxes: what is nobody's in particular, and what each device says."""
    devices = dict.fromkeys(record.device for record in records)
    return [Outbox(record for record in records if record.device is device) for device in devices]


def measured(listed):
    """What a list says of an observation that tells its revisions apart."""
    return listed["revision"], listed["components"][0]["summary"]["maximum"]


def said(observation):
    """The same of a body."""
    return observation.revision, max(value for value in observation.body["components"][0]["values"] if value is not None)


def unrepeated(receipt):
    return {name: value for name, value in receipt.items() if name != "replayed"}


def untargeted(receipt):
    """Of a walk's receipt, what does not follow from a calibration."""
    left = {name: value for name, value in unrepeated(receipt).items() if name not in ("calibration_id", "summary", "flags")}
    flags = sorted(set(receipt["flags"]) - {"calibration_missing"})
    summary = {name: value for name, value in receipt["summary"].items() if not name.startswith(("target_", "above_target_"))}
    return left | {"flags": flags, "summary": summary}


def kept(receipt):
    return {name: receipt[name] for name in ("sheet_id", "received_at", "occasion_id", "duplicate_of", "standing")}


def digest(answers):
    return records.digest(answers)
