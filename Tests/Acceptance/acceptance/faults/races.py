"""One thing from many sockets at once: one of them makes it, and all are told the same."""

import random

from .. import answers, records
from ..gate import Gate
from ..ledger import Ledger, kept, unrepeated
from ..moments import after, instant, new_id
from .outcome import Outcome, people

# From how many sockets: mostly a few, as two devices or a hasty retry, now and then a crowd.
CROWDS = [2] * 8 + [3] * 4 + [4] * 4 + [8] * 4 + [16] * 2 + [32, 64]


class Races:
    """Races of one person; what they say of each other is kept as a list of contradictions."""

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
            self.faults.append(f"{kept} bodies are put aside instead of {self.quarantined}")

    def expect(self, holds, *about):
        if not holds:
            self.faults.append(" ".join(map(str, about)))

    def put(self, record):
        return "PUT", record.path, record.body

    def agree(self, record, replies):
        """All were told the same, and one of them that it was the first."""
        self.expect({status for status, _ in replies} <= {200, 201}, record.kind, [reply for reply in replies if reply[0] not in (200, 201)][:1])
        receipts = [receipt for status, receipt in replies if status in (200, 201)]
        self.expect(sum(not receipt["replayed"] for receipt in receipts) == 1, record.kind, record.id, "has not one first")
        self.expect(all(unrepeated(receipt) == unrepeated(receipts[0]) for receipt in receipts), record.kind, record.id, "was told otherwise")
        self.ledger.told(record, receipts[0])

    def outbox(self, *held):
        return "POST", self.person.own("/sync"), {"client_now": instant(), "items": [record.item for record in held]}

    def one_first(self, record, replies):
        """Of many outboxes that hold it and nothing else one was told that it was the first."""
        results = [reply["items"][0] for status, reply in replies if status == 200]
        self.expect(len(results) == len(replies), record.kind, record.id, [status for status, _ in replies])
        words = [result["result"] for result in results]
        # The first of a sheet may be a duplicate of another one.
        firsts = [word for word in words if word in ("accepted", "duplicate", "out_of_window")]
        self.expect(len(firsts) == 1 and words.count("replayed") == len(words) - 1, record.kind, record.id, "was told", words)
        self.ledger.told(record, next((result["receipt"] for result in results if "receipt" in result), {}))

    # The kinds of race

    def same_bytes(self, crowd):
        record = records.make(self.chance.choice(list(records.PLACES)), self.person, self.chance)
        self.agree(record, self.gate.release(self.person, [self.put(record)] * crowd))

    def by_itself_and_in_an_outbox(self, crowd):
        record = records.make(self.chance.choice(list(records.PLACES)), self.person, self.chance)
        outbox = self.outbox(record)
        requests = [self.put(record) if place % 2 else outbox for place in range(crowd)]
        replies = self.gate.release(self.person, requests)
        results = [reply["items"][0] for status, reply in replies[::2] if status == 200]
        self.expect(len(results) == len(replies[::2]) and all("receipt" in result for result in results), replies[::2][:1])
        self.agree(record, [(200, result["receipt"]) for result in results if "receipt" in result] + replies[1::2])

    def other_bytes(self, crowd):
        kind = self.chance.choice(list(records.PLACES))
        first = records.make(kind, self.person, self.chance)
        rivals = [first]
        while len(rivals) < crowd:
            other = records.Record(kind, first.id, self.person, records.make(kind, self.person, self.chance).body)
            # A calibration has few values: those that come to the same bytes are no rivals.
            if other.digest not in {rival.digest for rival in rivals}:
                rivals.append(other)
        replies = self.gate.release(self.person, [self.put(rival) for rival in rivals])
        won = [(rival, receipt) for rival, (status, receipt) in zip(rivals, replies) if status in (200, 201)]
        self.expect(len(won) == 1, kind, first.id, "was won by", len(won))
        self.expect(sum(status == 409 for status, _ in replies) == crowd - 1, kind, first.id, [status for status, _ in replies])
        self.quarantined += crowd - 1
        if won:
            self.ledger.told(*won[0])

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
        settling = [sheet.id for sheet, (_, receipt) in zip(sheets, replies) if receipt.get("duplicate_of") is None]
        self.expect(len(settling) == 1, "an occasion was settled by", len(settling))
        self.expect(all(receipt.get("duplicate_of") in (None, *settling) for _, receipt in replies), "a duplicate of none of them")
        for sheet, (_, receipt) in zip(sheets, replies):
            self.ledger.told(sheet, receipt)

    def corrections_of_one_revision(self, crowd):
        """Against each other, and against the sheet itself that is sent once more."""
        sheet = records.make("answer_sheet", self.person, self.chance)
        first, receipt = self.gate.release(self.person, [self.put(sheet)])[0]
        tag = f'"r1-{sheet.id}"'
        requests = [("PATCH", sheet.path, {"answers": {"energy": 1 + place % 5}}, {"If-Match": tag}) for place in range(crowd - 1)]
        requests.insert(self.chance.randrange(crowd), self.put(sheet))
        replies = self.gate.release(self.person, requests)
        corrected = [status for (method, *_), (status, _) in zip(requests, replies) if method == "PATCH"]
        again = next(reply for (method, *_), reply in zip(requests, replies) if method == "PUT")
        self.expect(sorted(corrected) == [200] * min(1, len(corrected)) + [412] * (len(corrected) - 1), sheet.id, "was corrected", corrected)
        self.expect(again[0] == 200 and again[1]["replayed"] and kept(again[1]) == kept(receipt), sheet.id, "was answered", again)
        self.corrected(sheet, receipt, 1 + min(1, len(corrected)))

    def corrections_of_whatever_is_there(self, crowd):
        sheet = records.make("answer_sheet", self.person, self.chance)
        _, receipt = self.gate.release(self.person, [self.put(sheet)])[0]
        replies = self.gate.release(
            self.person, [("PATCH", sheet.path, {"answers": {"energy": 1 + place % 5}}) for place in range(crowd)])
        self.expect({status for status, _ in replies} == {200}, sheet.id, "was corrected", [status for status, _ in replies])
        self.corrected(sheet, receipt, crowd + 1)

    def corrected(self, sheet, receipt, revisions):
        """What is sent again is known, and each correction is kept as a revision."""
        self.ledger.told(sheet, receipt, corrected=True)
        found = self.server.sql(
            f"select count(*), count(*) filter (where current), max(revision) from research.answer_sheet where enrolment_id ="
            f" '{self.person.enrolment['enrolment_id']}' and sheet_id = '{sheet.id}'").strip()
        self.expect(found == f"{revisions}|1|{revisions}", sheet.id, "has revisions", found, "instead of", revisions)

    def a_walk_against_its_deletion(self, crowd):
        walk = records.make("walk", self.person, self.chance)
        self.agree(walk, self.gate.release(self.person, [self.put(walk)]))
        self.ledger.forget(walk)
        requests = [("DELETE", walk.path) if place % 2 else self.put(walk) for place in range(crowd)]
        replies = self.gate.release(self.person, requests)
        deleted = [status for (method, *_), (status, _) in zip(requests, replies) if method == "DELETE"]
        self.expect(sorted(deleted) == [204] + [404] * (len(deleted) - 1), walk.id, "was deleted", deleted)
        # Whoever sends it again is told that it is known; nobody brings it back.
        again = {status for (method, *_), (status, _) in zip(requests, replies) if method == "PUT"}
        self.expect(again <= {200}, walk.id, "was sent again", again)
        [(status, _)] = self.gate.release(self.person, [("GET", walk.path)])
        self.expect(status == 404, walk.id, "came back")

    def revisions_of_one_observation(self, crowd):
        """By itself and in outboxes, some of them twice: the greatest stands, whoever came first, and nothing is put aside."""
        first = records.make("observation", self.person, self.chance)
        revised = [
            records.Record("observation", first.id, self.person, records.make("observation", self.person, self.chance).body | {"revision": 2 + place})
            for place in range(max(1, crowd // 2))]
        held = [first, *revised] + self.chance.sample(revised, max(0, crowd - 1 - len(revised)))
        self.chance.shuffle(held)
        requests = [self.put(record) if self.chance.random() < 0.5 else self.outbox(record) for record in held]
        told = []
        for record, (status, reply) in zip(held, self.gate.release(self.person, requests)):
            self.expect(status in (200, 201), first.id, "was answered", status, reply)
            receipt = reply["items"][0].get("receipt", {}) if "items" in reply else reply
            self.expect(receipt.get("revision", 0) >= record.body.get("revision", 1), first.id, "was told of", receipt.get("revision"))
            told.append(receipt)
        self.ledger.told(revised[-1], unrepeated(max(told, key=lambda receipt: receipt.get("revision", 0))))

    def one_event_in_many_outboxes(self, crowd):
        event = records.make("usage_event", self.person, self.chance)
        self.one_first(event, self.gate.release(self.person, [self.outbox(event)] * crowd))

    def a_sheet_against_corrections_of_many_devices(self, crowd):
        """Each in an outbox of its own: the one made last is in force, whoever came first. The ledger compares."""
        sheet = records.make("answer_sheet", self.person, self.chance)
        held = [sheet] + [
            records.Record("correction", new_id(), self.person, {
                "sheet_id": sheet.id, "corrected_at": instant(after(seconds=-7200 + 60 * place)),
                "answers": records.make("answer_sheet", self.person, self.chance).body["answers"]})
            for place in range(crowd - 1)]
        self.chance.shuffle(held)
        for record, reply in zip(held, self.gate.release(self.person, [self.outbox(record) for record in held])):
            self.one_first(record, [reply])

    def a_new_walk_against_its_deletion_in_outboxes(self, crowd):
        walk = records.make("walk", self.person, self.chance)
        deletion = records.Record("deletion", new_id(), self.person, {"walk_id": walk.id, "deleted_at": instant()})
        requests = [self.put(walk) if place % 2 else self.outbox(deletion) for place in range(crowd)]
        replies = self.gate.release(self.person, requests)
        self.expect({status for status, _ in replies[1::2]} <= {200, 201}, walk.id, [status for status, _ in replies[1::2]])
        self.one_first(deletion, replies[::2])
        self.ledger.told(walk, {})
        self.ledger.forget(walk)


KINDS = [
    Races.same_bytes, Races.by_itself_and_in_an_outbox, Races.other_bytes, Races.sheets_for_one_occasion, Races.corrections_of_one_revision,
    Races.corrections_of_whatever_is_there, Races.a_walk_against_its_deletion, Races.revisions_of_one_observation, Races.one_event_in_many_outboxes,
    Races.a_sheet_against_corrections_of_many_devices, Races.a_new_walk_against_its_deletion_in_outboxes,
]


def once(server, seed, count=100, feed=None):
    races = Races(server, seed)
    races.run(count)
    reckoning = races.ledger.reckon(feed)
    reckoning.torn |= set(races.faults)
    return Outcome(reckoning, notes={"times": count})
