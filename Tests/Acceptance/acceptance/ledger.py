"""Load from several participants, a ledger of the acknowledged records, and the comparison of the ledger with what is stored."""

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

# Of 100 uploads, this many hold one record of a kind. The others are batches of several records.
_SINGLE = {"answer_sheet": 58, "observation": 14, "walk": 7, "calibration": 5}
_DONE = ("accepted", "replayed", "duplicate", "out_of_window")


class Batch(list):
    """Records of one batch upload, sent as one JSON document or as JSON lines. The records of a device are uploaded by that device."""

    as_lines = False

    @property
    def head(self):
        device = self[0].device
        return {"client_now": device.says(), "device_id": device.id} if device else {"client_now": instant()}

    def of(self, records):
        """A batch of other records in the same format."""
        batch = Batch(records)
        batch.as_lines = self.as_lines
        return batch


@dataclasses.dataclass(frozen=True)
class Acknowledged:
    """One line of the ledger."""

    record: records.Record
    at: float
    # Without `replayed`, which differs between the first upload and a retry.
    receipt: dict

    @property
    def body(self):
        return self.record.body


@dataclasses.dataclass
class Reconciliation:
    """How the stored records differ from the acknowledged ones: sets of ids, each of which is a fault."""

    acknowledged: int = 0
    lost: set = dataclasses.field(default_factory=set)
    # Stored more than once, or stored although no client sent it.
    doubled: set = dataclasses.field(default_factory=set)
    altered: set = dataclasses.field(default_factory=set)
    # Stored in part: without scores or occasion, or different from its receipt.
    torn: set = dataclasses.field(default_factory=set)

    @property
    def is_clean(self):
        return not (self.lost or self.doubled or self.altered or self.torn)

    def __str__(self):
        parts = ", ".join(f"{len(getattr(self, name))} {name}" for name in ("lost", "doubled", "altered", "torn"))
        return f"of {self.acknowledged} acknowledged: {parts}"


class Ledger:
    """Uploads records until it is stopped. Like a device, it sends an unacknowledged record again with the same bytes."""

    def __init__(self, people, seed, threads_each=2, kinds=None, stories=True, url=None, path=None, tolerated=(503,), retry_seconds=30, socket_seconds=60):
        """Parameters:

        - `stories`: whether the load also corrects and deletes records.
        - `url`: another address of the server, for example a proxy.
        - `path`: a file to which each acknowledgement is appended.
        - `tolerated`: status codes that may occur; the record is sent again.
        - `retry_seconds`: seconds for which `retry` sends one upload again.
        - `socket_seconds`: the timeout of a connection.
        """
        self.people = people
        self.server = people[0].server
        self.url = url
        self.acknowledged = {}
        self.latencies = []
        self.statuses = collections.Counter()
        self.unexpected = []
        self.retry_seconds = retry_seconds
        self.socket_seconds = socket_seconds
        self.tolerated = set(tolerated)
        # A walk from before the enrolment opens no occasion. A wrong clock makes such walks.
        self.walks_open_occasions = True
        self._kinds = kinds
        self._stories = stories
        # Id of a record -> its corrections and deletions.
        self._edits = collections.defaultdict(list)
        # Id -> key -> record. An observation has one record per revision.
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
        """Waits until this many more records are acknowledged."""
        with self._news:
            wanted = len(self.acknowledged) + more
            deadline = time.monotonic() + seconds
            while len(self.acknowledged) < wanted:
                assert self._news.wait(max(0, deadline - time.monotonic())), f"no record is acknowledged within {seconds} s: {self.statuses}"

    def silence(self, since):
        """The longest time without an acknowledgement since this moment, in seconds."""
        with self._lock:
            moments = [since] + [moment for moment in self.moments if moment > since]
        return max((later - earlier for earlier, later in zip(moments, moments[1:])), default=0.0)

    def _send(self, person, seed):
        chance = random.Random(seed)
        socket = Socket(self, person)
        uploads = []
        try:
            while not self._stopping.is_set():
                uploads = uploads or self._uploads(person, chance)
                upload = uploads.pop()
                while (upload := self._try(socket, upload)) and not self._stopping.wait(0.02):
                    pass
                if upload:
                    with self._lock:
                        self._open.append(upload)
        finally:
            socket.close()

    def _uploads(self, person, chance):
        """The contents of one or more requests: single records and batches."""
        if self._kinds:
            return [records.make(chance.choice(self._kinds), person, chance)]
        lot = chance.randrange(100)
        for kind, share in _SINGLE.items():
            if (lot := lot - share) < 0:
                return [records.make(kind, person, chance)]
        if self._stories and chance.random() < 0.5:
            story = self.story(person, chance)
            # An edit may be uploaded long before its record.
            cut = chance.randint(0, len(story))
            batches = by_device(story[:cut]) + by_device(story[cut:])
        else:
            kinds = ["answer_sheet"] * 6 + ["observation"] * 3 + ["walk", "calibration"]
            batches = [Batch(records.make(chance.choice(kinds), person, chance) for _ in range(chance.randint(2, 12)))]
        for batch in batches:
            batch.as_lines = chance.random() < 0.5
        return batches

    def story(self, person, chance):
        return records.story(person, chance, self._devices[person])

    def _try(self, socket, upload):
        """Sends an upload once; the part of it that must be sent again, or None."""
        single = isinstance(upload, records.Record)
        with self._lock:
            for record in [upload] if single else upload:
                self._note_sent(record)
        begun = time.monotonic()
        if single:
            status, reply = socket.call("PUT", upload.path, upload.body)
        elif upload.as_lines:
            status, reply = socket.call_lines(upload[0].person.own("/sync"), [upload.head] + [record.item for record in upload])
        else:
            body = upload.head | {"items": [record.item for record in upload]}
            status, reply = socket.call("POST", upload[0].person.own("/sync"), body)
        with self._lock:
            self.statuses[status] += 1
            if status not in (200, 201):
                if status not in (None, 401) and status not in self.tolerated:
                    self.unexpected.append((status, reply))
                return upload
            self.latencies.append(time.monotonic() - begun)
            if single:
                return self._acknowledge(upload, reply)
            left = upload.of([])
            # With JSON lines, the results that arrived before the connection broke count. The other records are sent again.
            results = {result["line"] - 2: result for result in reply if result.get("kind")} if upload.as_lines else dict(enumerate(reply["items"]))
            assert upload.as_lines or len(results) == len(upload)
            for index, record in enumerate(upload):
                result = results.get(index, {"result": "retry"})
                if result["result"] in _DONE and "receipt" in result:
                    self._acknowledge(record, result["receipt"])
                else:
                    if result["result"] != "retry":
                        self.unexpected.append((record.kind, result))
                    left.append(record)
            return left or None

    def _note_sent(self, record):
        if record.is_edit and record.id not in self._sent:
            self._edits[record.subject].append(record)
        self._sent.setdefault(record.id, {})[record.key] = record

    def _acknowledge(self, record, receipt):
        assert record.key not in self.acknowledged
        entry = Acknowledged(record, time.time(), without_replayed(receipt))
        self.acknowledged[record.key] = entry
        self.moments.append(time.monotonic())
        self._news.notify_all()
        if self._file:
            self._file.write(json.dumps([entry.at, STUDY, record.kind, record.id, record.digest]) + "\n")

    # Records that the test itself sends

    def add_receipt(self, record, receipt, corrected=False):
        """Adds a record that the test has sent, with the receipt that the test got."""
        with self._lock:
            self._note_sent(record)
            self._corrected |= {record.id} if corrected else set()
            self._acknowledge(record, receipt)

    def expect_deletion(self, record):
        """Call this before the test deletes a record: lists must not contain it any more. Its row stays in the database."""
        with self._lock:
            del self.acknowledged[record.key]
            self._deleted.add(record.id)

    def enqueue(self, records):
        """Makes `retry` send these records too, the records of each device as one batch."""
        self._open += by_device(records)

    def retry(self):
        """Sends the open uploads until they are acknowledged; the number of uploads."""
        waiting, self._open = self._open, []
        for upload in waiting:
            socket = Socket(self, upload.person if isinstance(upload, records.Record) else upload[0].person)
            deadline = time.monotonic() + self.retry_seconds
            while upload := self._try(socket, upload):
                assert time.monotonic() < deadline, f"the retry is not acknowledged: {self.statuses} {self.unexpected[:3]}"
                time.sleep(0.05)
            socket.close()
        return len(waiting)

    def repeat(self, chance, server, only=None, most=20, always=()):
        """Sends a sample of the acknowledged records once more; the ids whose receipt differs now.

        - `most`: the size of the sample.
        - `always`: ids that are sent in addition to the sample. An observation is sent in all its revisions.
        """
        with self._lock:
            known = [
                (entry.record, self.acknowledged[newest].receipt) for entry in self.acknowledged.values()
                if entry.record.kind in records.ENDPOINTS and (newest := self._newest(entry.record.id)) in (self.acknowledged if only is None else only)
                and not self.is_deleted(entry.record.id)]
        required = [(record, receipt) for record, receipt in known if record.id in always]
        assert {record.id for record, _ in required} == set(always), "only an acknowledged record that is not deleted can be repeated"
        others = [(record, receipt) for record, receipt in known if record.id not in always]
        other = set()
        for record, receipt in required + chance.sample(others, min(most, len(others))):
            person = record.person.on(server)
            socket = Socket(self, person)
            status, reply = socket.call("PUT", record.path, record.body)
            socket.close()
            # After a correction the receipt shows the newest revision. The time of receipt and the occasion do not change.
            constant = unedited if record.kind == "answer_sheet" and self.is_edited(record.id) else without_replayed
            if "calibration_missing" in receipt.get("flags", ()):
                # A calibration that was uploaded later has given the walk a target.
                constant = without_target
            if record.body.get("walk_id"):
                # The walk may have been uploaded later, and the original of a duplicate may have been deleted: compare with the present state.
                now = person.call("GET", record.path, status=200)
                receipt, constant = now | {"received_at": receipt["received_at"]}, unedited
            if status != 200 or constant(reply) != constant(receipt):
                other.add(record.id)
        return other

    # Comparison with what is stored

    def missing(self):
        """Ids of records that are acknowledged and not stored at this moment."""
        with self._lock:
            acknowledged = {entry.record.id for entry in self.acknowledged.values()}
        tables = {endpoint[1:] for endpoint in records.ENDPOINTS.values()} | set(records.BATCH_ONLY_TABLES.values())
        return acknowledged - set(self.server.sql(" union all ".join(
            f"select {column} from {table} where enrolment_id in ({self._enrolments})" for table, column in sorted(tables))).split())

    def reconcile(self, feed=None):
        """Asserts that each acknowledged record is stored once, as it was sent, and that no other record is stored."""
        assert not self.unexpected, self.unexpected[:5]
        reconciliation = self.compare(feed)
        assert reconciliation.is_clean, str(reconciliation)
        return reconciliation

    def compare(self, feed=None, server=None, only=None, repeating=()):
        """Compares the ledger with the database, with what participants read back, and with the feed of changes; a `Reconciliation`.

        At the end it sends some acknowledged records again, and their receipts must not change.

        - `server`: another server that has the data now.
        - `only`: keys of records that must be stored; the other records may be stored.
        - `repeating`: ids that are sent again in addition to the sample.
        """
        server = server or self.server
        found = Reconciliation(acknowledged=len(self.acknowledged if only is None else only))
        self._wait_for_edits(server)
        self._compare_rows(found, server, only)
        self._compare_lists(found, server, only)
        if feed:
            self._compare_feed(found, feed)
        if only is not None:
            found.lost &= only
        found.torn |= self.repeat(random.Random(found.acknowledged), server, only, always=repeating)
        return found

    @property
    def _enrolments(self):
        return ", ".join(f"'{person.enrolment['enrolment_id']}'" for person in self.people)

    def _wait_for_edits(self, server):
        """Waits for edits that the server applies in the background: the record was uploaded later, or the server died in between."""
        subjects = " union all ".join(
            f"select enrolment_id, {column} from {table}" for kind, (_, table, column) in records.ENDPOINTS.items() if kind != "calibration")
        # The server tries every three seconds at first, and then less often. A busy machine needs more time.
        deadline = time.monotonic() + max(self.retry_seconds, 180)
        while server.sql(
            "select count(*) from research.amendment where state = 'waiting'"
            f" and enrolment_id in ({self._enrolments}) and (enrolment_id, subject_id) in ({subjects})").strip() != "0":
            if time.monotonic() > deadline:
                return
            time.sleep(0.2)

    def _compare_rows(self, found, server, only):
        enrolments = self._enrolments
        for kind, (_, table, column) in records.ENDPOINTS.items():
            first = " and revision = 1" if kind == "answer_sheet" else ""
            text = server.sql(f"select {column}, encode(body_sha256, 'hex') from {table} where enrolment_id in ({enrolments}){first}")
            self._compare(found, kind, [line.split("|") for line in text.split()], only)
        for kind, (table, column) in records.BATCH_ONLY_TABLES.items():
            # A correction by PATCH also makes a row, without a digest.
            batched = f" and kind = '{kind}' and body_sha256 <> ''" if table == "research.amendment" else ""
            text = server.sql(f"select {column}, encode(body_sha256, 'hex') from {table} where enrolment_id in ({enrolments}){batched}")
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
        """Compares the rows of one kind: an id and a digest each."""
        counts = collections.Counter(row[0] for row in rows)
        found.lost |= {key for key, entry in self.acknowledged.items() if entry.record.kind == kind and entry.record.id not in counts}
        found.doubled |= {name for name, count in counts.items() if count > 1}
        # A stored record was sent, although its answer may not have arrived.
        found.doubled |= {name for name in counts if name not in self._sent}
        found.altered |= {
            name for name, value in rows
            if name in self._sent and value not in {record.digest for record in self._possible_records(name, only)}}

    def _newest(self, name):
        return max(self._sent[name].values(), key=lambda record: record.revision).key

    def _possible_records(self, name, only):
        """The records that may be stored under an id: the newest acknowledged revision or a newer one. A deleted observation gets no new revision."""
        sent = self._sent[name]
        known = [record.revision for key, record in sent.items() if key in self.acknowledged and (only is None or key in only)]
        least = 1 if self._is_deleted(name, None, surely=False) else max(known, default=1)
        return [record for record in sent.values() if record.revision >= least]

    def is_deleted(self, name):
        """Whether a deletion of the record was sent."""
        return self._is_deleted(name, None, surely=False)

    def is_edited(self, name):
        """Whether the record was corrected or deleted, or has more than one revision."""
        return name in self._corrected or bool(self._edits.get(name)) or len(self._sent[name]) > 1

    def _possible_answers(self, name, only):
        """Digests of the answers that a sheet may have: of the newest acknowledged correction, or of a newer one that was sent."""
        edits = sorted((edit for edit in self._edits[name] if edit.kind == "correction"), key=lambda edit: edit.order)
        known = [index for index, edit in enumerate(edits) if edit.id in self.acknowledged and (only is None or edit.id in only)]
        bodies = [edit.body for edit in edits[known[-1]:]] if known else [self._sent[name][name].body] + [edit.body for edit in edits]
        return {digest(body["answers"]) for body in bodies}

    def _is_deleted(self, name, only, surely):
        """Whether a deletion of the record was sent, or acknowledged if `surely`."""
        return any(
            edit.kind == "deletion" and (not surely or edit.id in self.acknowledged and (only is None or edit.id in only))
            for edit in self._edits[name])

    def _compare_lists(self, found, server, only=None):
        for person in self.people:
            person = person if server is person.server else person.on(server)
            mine = {entry.record.id: entry for entry in self.acknowledged.values() if entry.record.person.email == person.email}
            for kind in ("answer_sheet", "walk", "observation"):
                segment, _, column = records.ENDPOINTS[kind]
                listed = person.pages(person.own(f"/{segment}"), limit=1000)
                counts = collections.Counter(item[column] for item in listed)
                found.lost |= {
                    entry.record.key for name, entry in mine.items()
                    if entry.record.kind == kind and name not in counts and not self._is_deleted(name, only, surely=False)}
                found.doubled |= {
                    name for name, count in counts.items()
                    if count > 1 or name not in self._sent or name in self._deleted or self._is_deleted(name, only, surely=True)}
                if kind == "observation":
                    found.altered |= {
                        item[column] for item in listed
                        if item[column] in self._sent and listed_version(item) not in map(sent_version, self._possible_records(item[column], only))}
                if kind == "answer_sheet":
                    found.altered |= {
                        sheet["sheet_id"] for sheet in listed
                        if sheet["sheet_id"] in self._sent and sheet["sheet_id"] not in self._corrected and digest(sheet["answers"]) not in self._possible_answers(sheet["sheet_id"], only)
                    }
                    self._compare_occasions(found, server, person, listed)

    def _compare_occasions(self, found, server, person, sheets):
        """Exactly one sheet fulfils an occasion, and the occasion's row names it. The others are stored as its duplicates. A deleted sheet fulfils none."""
        fulfilling = collections.defaultdict(list)
        for sheet in sheets:
            if sheet["occasion_id"] and sheet["duplicate_of"] is None:
                fulfilling[sheet["occasion_id"]].append(sheet["sheet_id"])
        found.doubled |= {name for name, by in fulfilling.items() if len(by) > 1}
        found.torn |= {sheet["sheet_id"] for sheet in sheets if sheet["duplicate_of"] and sheet["duplicate_of"] not in fulfilling[sheet["occasion_id"]]}
        rows = server.sql(
            "select occasion_id, sheet_id from research.occasion where sheet_id is not null"
            f" and enrolment_id = '{person.enrolment['enrolment_id']}'")
        by_row = {(name, sheet) for name, sheet in (line.split("|") for line in rows.split())}
        found.torn |= {name for name, _ in by_row ^ {(name, sheet) for name, by in fulfilling.items() for sheet in by}}
        # A sheet about a walk gets an occasion as soon as both are stored, in any order.
        walks = server.sql(f"select walk_id from research.walk where enrolment_id = '{person.enrolment['enrolment_id']}'").split()
        alone = (self.acknowledged.get(sheet["sheet_id"]) for sheet in sheets if not sheet["occasion_id"])
        found.torn |= {entry.record.id for entry in alone if entry and entry.record.body.get("walk_id") in walks}

    def _compare_feed(self, found, feed):
        participants = {person.enrolment["participant_id"] for person in self.people}
        kinds = {*records.ENDPOINTS, "usage_event"}
        items = [item for item in feed.news() if item["participant_id"] in participants and item["kind"] in kinds]
        counts = collections.Counter(item["id"] for item in items)
        # The tombstone of a deleted record has no participant, so the feed shows no deleted record here.
        found.lost |= {
            key for key, entry in self.acknowledged.items()
            if entry.record.kind in kinds and entry.record.id not in counts and not self._is_deleted(entry.record.id, None, surely=False)}
        found.doubled |= {name for name, count in counts.items() if count > 1 or name not in self._sent}


class Feed:
    """The feed of a study's changes, as a researcher reads it."""

    def __init__(self, researcher):
        self._researcher = researcher
        self._after = 0
        self.news()

    def news(self):
        """The changes since the last call. A record that changed several times occurs once."""
        items, parameters = [], {"after": self._after, "limit": 1000}
        while True:
            page = self._researcher.call("GET", f"/v1/studies/{STUDY}/changes", params=parameters, status=200)
            items += page["items"]
            if page["next"] is None:
                self._after = page["change_seq"]
                return items
            parameters = {"cursor": page["next"], "limit": 1000}


class Socket:
    """One connection of a device. It is opened again after it was closed."""

    def __init__(self, ledger, person):
        self._person = person
        address = urllib.parse.urlsplit(ledger.url or person.server.url)
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=ledger.socket_seconds)

    def call(self, method, path, body):
        """Status and JSON; (None, None) without an answer. A device renews an expired token."""
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
        """Status and the results that arrived; (None, None) without an answer."""
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
    """Batches: one of the records without a device, and one for each device."""
    devices = dict.fromkeys(record.device for record in records)
    return [Batch(record for record in records if record.device is device) for device in devices]


def listed_version(listed):
    """The fields of a listed observation that differ between its revisions."""
    return listed["revision"], listed["components"][0]["summary"]["maximum"]


def sent_version(observation):
    """The same fields of a submitted observation."""
    return observation.revision, max(value for value in observation.body["components"][0]["values"] if value is not None)


def without_replayed(receipt):
    return {name: value for name, value in receipt.items() if name != "replayed"}


def without_target(receipt):
    """A walk's receipt without the fields that depend on a calibration."""
    left = {name: value for name, value in without_replayed(receipt).items() if name not in ("calibration_id", "summary", "flags")}
    flags = sorted(set(receipt["flags"]) - {"calibration_missing"})
    summary = {name: value for name, value in receipt["summary"].items() if not name.startswith(("target_", "above_target_"))}
    return left | {"flags": flags, "summary": summary}


def unedited(receipt):
    """The fields of a sheet's receipt that a correction does not change."""
    return {name: receipt[name] for name in ("sheet_id", "received_at", "occasion_id", "duplicate_of", "standing")}


def digest(answers):
    return records.digest(answers)
