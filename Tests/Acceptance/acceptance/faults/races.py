"""The same record from many sockets at once: one request stores it, and all get the same receipt."""

import random

from .. import answers, records
from ..gate import Gate
from ..ledger import Ledger, unedited, without_replayed
from ..moments import after, instant, new_id
from .outcome import Outcome, people

# Numbers of sockets: mostly a few, like two devices or an early retry, and sometimes many.
CROWDS = [2] * 8 + [3] * 4 + [4] * 4 + [8] * 4 + [16] * 2 + [32, 64]


class Races:
    """Races of one participant. `faults` lists the contradictions between the answers."""

    def __init__(self, server, seed):
        self.chance = random.Random(seed)
        [self.person] = people(server, 1)
        self.server = server
        self.gate = Gate(server)
        self.ledger = Ledger([self.person], seed)
        self.quarantined = 0
        self.faults = []

    def run(self, count):
        for _ in range(count):
            race = self.chance.choice(KINDS)
            race(self, self.chance.choice(CROWDS))
        self.gate.close()
        kept = int(self.server.sql(
            f"select count(*) from research.quarantine where enrolment_id = '{self.person.enrolment['enrolment_id']}'"))
        if kept != self.quarantined:
            self.faults.append(f"{kept} bodies are quarantined instead of {self.quarantined}")

    def expect(self, holds, *about):
        if not holds:
            self.faults.append(" ".join(map(str, about)))

    def put(self, record):
        return "PUT", record.path, record.body

    def agree(self, record, replies):
        """All answers have the same receipt, and exactly one of them is not a replay."""
        self.expect({status for status, _ in replies} <= {200, 201}, record.kind, [reply for reply in replies if reply[0] not in (200, 201)][:1])
        receipts = [receipt for status, receipt in replies if status in (200, 201)]
        self.expect(sum(not receipt["replayed"] for receipt in receipts) == 1, record.kind, record.id, "was not stored by exactly one request")
        self.expect(all(without_replayed(receipt) == without_replayed(receipts[0]) for receipt in receipts), record.kind, record.id, "has different receipts")
        self.ledger.add_receipt(record, receipts[0])

    def batch(self, *items):
        return "POST", self.person.own("/sync"), {"client_now": instant(), "items": [record.item for record in items]}

    def one_first(self, record, replies):
        """The replies to batches with this record alone: exactly one of them stored it."""
        results = [reply["items"][0] for status, reply in replies if status == 200]
        self.expect(len(results) == len(replies), record.kind, record.id, [status for status, _ in replies])
        outcomes = [result["result"] for result in results]
        # A sheet that is stored first may be a duplicate of another sheet.
        firsts = [outcome for outcome in outcomes if outcome in ("accepted", "duplicate", "out_of_window")]
        self.expect(len(firsts) == 1 and outcomes.count("replayed") == len(outcomes) - 1, record.kind, record.id, "has the results", outcomes)
        self.ledger.add_receipt(record, next((result["receipt"] for result in results if "receipt" in result), {}))

    # The kinds of race

    def same_bytes(self, crowd):
        record = records.make(self.chance.choice(list(records.ENDPOINTS)), self.person, self.chance)
        self.agree(record, self.gate.release(self.person, [self.put(record)] * crowd))

    def singly_and_in_a_batch(self, crowd):
        record = records.make(self.chance.choice(list(records.ENDPOINTS)), self.person, self.chance)
        batch = self.batch(record)
        requests = [self.put(record) if index % 2 else batch for index in range(crowd)]
        replies = self.gate.release(self.person, requests)
        results = [reply["items"][0] for status, reply in replies[::2] if status == 200]
        self.expect(len(results) == len(replies[::2]) and all("receipt" in result for result in results), replies[::2][:1])
        self.agree(record, [(200, result["receipt"]) for result in results if "receipt" in result] + replies[1::2])

    def other_bytes(self, crowd):
        kind = self.chance.choice(list(records.ENDPOINTS))
        first = records.make(kind, self.person, self.chance)
        rivals = [first]
        while len(rivals) < crowd:
            other = records.Record(kind, first.id, self.person, records.make(kind, self.person, self.chance).body)
            # A calibration has few possible values. Equal bytes are no conflict.
            if other.digest not in {rival.digest for rival in rivals}:
                rivals.append(other)
        replies = self.gate.release(self.person, [self.put(rival) for rival in rivals])
        won = [(rival, receipt) for rival, (status, receipt) in zip(rivals, replies) if status in (200, 201)]
        self.expect(len(won) == 1, kind, first.id, "was won by", len(won))
        self.expect(sum(status == 409 for status, _ in replies) == crowd - 1, kind, first.id, [status for status, _ in replies])
        self.quarantined += crowd - 1
        if won:
            self.ledger.add_receipt(*won[0])

    def sheets_for_one_occasion(self, crowd):
        walk = records.make("walk", self.person, self.chance)
        self.agree(walk, self.gate.release(self.person, [self.put(walk)]))
        occasion = self.server.sql(
            f"select occasion_id from research.occasion where enrolment_id = '{self.person.enrolment['enrolment_id']}'"
            " and questionnaire = 'after_walk' and sheet_id is null and set_aside is null limit 1").strip()
        body = self.person.sheet("after_walk", answers.AFTER_WALK, walk_id=walk.id, occasion_id=occasion)
        sheets = [
            records.Record("answer_sheet", new_id(), self.person, body)
            for _ in range(crowd)
        ]
        replies = self.gate.release(self.person, [self.put(sheet) for sheet in sheets])
        self.expect({status for status, _ in replies} <= {200, 201}, replies[:1])
        fulfilling = [sheet.id for sheet, (_, receipt) in zip(sheets, replies) if receipt.get("duplicate_of") is None]
        self.expect(len(fulfilling) == 1, "sheets that fulfil one occasion:", len(fulfilling))
        self.expect(all(receipt.get("duplicate_of") in (None, *fulfilling) for _, receipt in replies), "a duplicate of another sheet")
        for sheet, (_, receipt) in zip(sheets, replies):
            self.ledger.add_receipt(sheet, receipt)

    def corrections_of_one_revision(self, crowd):
        """Corrections of the same revision, and a retry of the sheet."""
        sheet = records.make("answer_sheet", self.person, self.chance)
        first, receipt = self.gate.release(self.person, [self.put(sheet)])[0]
        tag = f'"r1-{sheet.id}"'
        requests = [("PATCH", sheet.path, {"answers": {"energy": 1 + index % 5}}, {"If-Match": tag}) for index in range(crowd - 1)]
        requests.insert(self.chance.randrange(crowd), self.put(sheet))
        replies = self.gate.release(self.person, requests)
        corrected = [status for (method, *_), (status, _) in zip(requests, replies) if method == "PATCH"]
        again = next(reply for (method, *_), reply in zip(requests, replies) if method == "PUT")
        self.expect(sorted(corrected) == [200] * min(1, len(corrected)) + [412] * (len(corrected) - 1), sheet.id, "was corrected", corrected)
        self.expect(again[0] == 200 and again[1]["replayed"] and unedited(again[1]) == unedited(receipt), sheet.id, "was answered", again)
        self.corrected(sheet, receipt, 1 + min(1, len(corrected)))

    def corrections_of_any_revision(self, crowd):
        sheet = records.make("answer_sheet", self.person, self.chance)
        _, receipt = self.gate.release(self.person, [self.put(sheet)])[0]
        replies = self.gate.release(
            self.person, [("PATCH", sheet.path, {"answers": {"energy": 1 + index % 5}}) for index in range(crowd)])
        self.expect({status for status, _ in replies} == {200}, sheet.id, "was corrected", [status for status, _ in replies])
        self.corrected(sheet, receipt, crowd + 1)

    def corrected(self, sheet, receipt, revisions):
        """Each correction is stored as a revision, and the ledger sends the sheet again later."""
        self.ledger.add_receipt(sheet, receipt, corrected=True)
        found = self.server.sql(
            f"select count(*), count(*) filter (where current), max(revision) from research.answer_sheet where enrolment_id ="
            f" '{self.person.enrolment['enrolment_id']}' and sheet_id = '{sheet.id}'").strip()
        self.expect(found == f"{revisions}|1|{revisions}", sheet.id, "has revisions", found, "instead of", revisions)

    def a_walk_against_its_deletion(self, crowd):
        walk = records.make("walk", self.person, self.chance)
        self.agree(walk, self.gate.release(self.person, [self.put(walk)]))
        self.ledger.expect_deletion(walk)
        requests = [("DELETE", walk.path) if index % 2 else self.put(walk) for index in range(crowd)]
        replies = self.gate.release(self.person, requests)
        deleted = [status for (method, *_), (status, _) in zip(requests, replies) if method == "DELETE"]
        self.expect(sorted(deleted) == [204] + [404] * (len(deleted) - 1), walk.id, "was deleted", deleted)
        # A retry is confirmed as a replay and does not restore the walk.
        again = {status for (method, *_), (status, _) in zip(requests, replies) if method == "PUT"}
        self.expect(again <= {200}, walk.id, "was sent again", again)
        [(status, _)] = self.gate.release(self.person, [("GET", walk.path)])
        self.expect(status == 404, walk.id, "is stored after its deletion")

    def revisions_of_one_observation(self, crowd):
        """Revisions, singly and in batches, some of them twice: the greatest is stored in any order, and none is quarantined."""
        first = records.make("observation", self.person, self.chance)
        revised = [
            records.Record("observation", first.id, self.person, records.make("observation", self.person, self.chance).body | {"revision": 2 + index})
            for index in range(max(1, crowd // 2))]
        sent = [first, *revised] + self.chance.sample(revised, max(0, crowd - 1 - len(revised)))
        self.chance.shuffle(sent)
        requests = [self.put(record) if self.chance.random() < 0.5 else self.batch(record) for record in sent]
        receipts = []
        for record, (status, reply) in zip(sent, self.gate.release(self.person, requests)):
            self.expect(status in (200, 201), first.id, "was answered", status, reply)
            receipt = reply["items"][0].get("receipt", {}) if "items" in reply else reply
            self.expect(receipt.get("revision", 0) >= record.body.get("revision", 1), first.id, "has the revision", receipt.get("revision"))
            receipts.append(receipt)
        self.ledger.add_receipt(revised[-1], without_replayed(max(receipts, key=lambda receipt: receipt.get("revision", 0))))

    def one_event_in_many_batches(self, crowd):
        event = records.make("usage_event", self.person, self.chance)
        self.one_first(event, self.gate.release(self.person, [self.batch(event)] * crowd))

    def a_sheet_against_corrections_of_many_devices(self, crowd):
        """Each record in a separate batch. The correction that was made last is the current one, in any order of arrival; the ledger compares."""
        sheet = records.make("answer_sheet", self.person, self.chance)
        sent = [sheet] + [
            records.Record("correction", new_id(), self.person, {
                "sheet_id": sheet.id, "corrected_at": instant(after(seconds=-7200 + 60 * index)),
                "answers": records.make("answer_sheet", self.person, self.chance).body["answers"]})
            for index in range(crowd - 1)]
        self.chance.shuffle(sent)
        for record, reply in zip(sent, self.gate.release(self.person, [self.batch(record) for record in sent])):
            self.one_first(record, [reply])

    def a_new_walk_against_its_deletion_in_batches(self, crowd):
        walk = records.make("walk", self.person, self.chance)
        deletion = records.Record("deletion", new_id(), self.person, {"walk_id": walk.id, "deleted_at": instant()})
        requests = [self.put(walk) if index % 2 else self.batch(deletion) for index in range(crowd)]
        replies = self.gate.release(self.person, requests)
        self.expect({status for status, _ in replies[1::2]} <= {200, 201}, walk.id, [status for status, _ in replies[1::2]])
        self.one_first(deletion, replies[::2])
        self.ledger.add_receipt(walk, {})
        self.ledger.expect_deletion(walk)


KINDS = [
    Races.same_bytes, Races.singly_and_in_a_batch, Races.other_bytes, Races.sheets_for_one_occasion, Races.corrections_of_one_revision,
    Races.corrections_of_any_revision, Races.a_walk_against_its_deletion, Races.revisions_of_one_observation, Races.one_event_in_many_batches,
    Races.a_sheet_against_corrections_of_many_devices, Races.a_new_walk_against_its_deletion_in_batches,
]


def once(server, seed, count=100, feed=None):
    races = Races(server, seed)
    races.run(count)
    reconciliation = races.ledger.compare(feed)
    reconciliation.torn |= set(races.faults)
    return Outcome(reconciliation, notes={"times": count})
