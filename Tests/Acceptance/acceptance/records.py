"""The records that devices submit, with the digests that the server stores."""

import dataclasses
import hashlib
import itertools
import json

from . import answers, observations, walks
from .moments import after, instant, new_id

# Kind -> (path segment, table, column of the id). These records can be uploaded singly and in batches.
ENDPOINTS = {
    "answer_sheet": ("answer-sheets", "research.answer_sheet", "sheet_id"),
    "walk": ("walks", "research.walk", "walk_id"),
    "observation": ("observations", "research.observation", "observation_id"),
    "calibration": ("calibrations", "research.calibration", "calibration_id"),
}

# Kind -> (table, column of the id) of records that can only be uploaded in batches.
BATCH_ONLY_TABLES = {
    "usage_event": ("research.usage_event", "event_id"),
    "correction": ("research.amendment", "amendment_id"),
    "deletion": ("research.amendment", "amendment_id"),
}


class Device:
    """A participant's device. Its clock is ahead by some seconds, and it numbers its edits."""

    def __init__(self, ahead):
        self.id = new_id()
        self.ahead = ahead
        self._numbers = itertools.count(1)

    def next_number(self):
        return next(self._numbers)

    def says(self, moment=None):
        """The time that the device's clock shows."""
        return instant(after(moment, seconds=self.ahead))


def devices():
    """Three devices of one participant: the first clock is right, the second is 25 hours behind, the third two hours ahead."""
    return [Device(ahead) for ahead in (0, -90_000, 7_200)]


@dataclasses.dataclass(frozen=True)
class Record:
    """A record that a device submits, always with the same bytes."""

    kind: str
    id: str
    person: object
    body: dict
    # Of a correction: its device, its number on the device, and the true time at which it was made.
    device: Device | None = None
    number: int | None = None
    made_at: str | None = None

    @property
    def path(self):
        return self.person.own(f"/{ENDPOINTS[self.kind][0]}/{self.id}")

    @property
    def revision(self):
        return self.body.get("revision", 1)

    @property
    def key(self):
        """The key in the ledger: the id, followed by the revision from the second revision on."""
        return self.id if self.revision == 1 else f"{self.id} {self.revision}"

    @property
    def order(self):
        """The sort key of corrections: the correction with the greatest key is the current one."""
        return self.made_at or self.body["corrected_at"]

    @property
    def subject(self):
        """The id of the record that an edit corrects or deletes; None for other records."""
        return next((self.body[name] for name in ("sheet_id", "walk_id", "observation_id") if name in self.body), None) if self.is_edit else None

    @property
    def is_edit(self):
        return self.kind in ("correction", "deletion")

    @property
    def item(self):
        """The record as an item of a batch upload."""
        return {"kind": self.kind, "id": self.id, "body": self.body} | ({"sequence": self.number} if self.number else {})

    @property
    def digest(self):
        """SHA-256 of the body in the server's normal form: sorted names, one spelling for each number, without `client_now`."""
        return digest({name: value for name, value in self.body.items() if name != "client_now"})


def digest(value):
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value):
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def make(kind, person, chance):
    """A record of this kind, different from all others."""
    return Record(kind, new_id(), person, _MAKERS[kind](person, chance))


def _sheet(person, chance):
    return person.sheet("daily_evening", answers.DAILY | {"mood": chance.randint(1, 5), "note": f"ledger {chance.random()}"})


def _walk(person, chance):
    return walks.body(person.zone, device={"model": f"Paper Watch {chance.random()}"})


def _observation(person, chance):
    return observations.pulse(person.zone, components=[{"unit": "/min", "values": [chance.randint(60, 150) for _ in range(4)]}])


def _calibration(person, chance):
    return {
        "recorded_at": instant(), "mean_speed_kmh": chance.randint(40, 60) / 10, "reduction_percent": chance.randint(5, 50),
        "duration_s": 60,
    }


def _usage_event(person, chance):
    return {"event": "screen_seen", "at": instant(), "time_zone": person.zone, "properties": {"screen": f"ledger {chance.random()}"}}


_MAKERS = {
    "answer_sheet": _sheet, "walk": _walk, "observation": _observation, "calibration": _calibration, "usage_event": _usage_event,
}


def story(person, chance, devices):
    """Related records in random order:

    - a sheet with corrections from several devices;
    - a walk that may be deleted, or sheets about it that may be deleted;
    - an observation that may have more revisions, and may be deleted;
    - usage events.
    """
    sheet = make("answer_sheet", person, chance)
    story = [sheet] + [make("usage_event", person, chance) for _ in range(chance.randint(0, 2))]
    story += _corrections(sheet, chance, devices, lambda: _sheet(person, chance)["answers"])
    if chance.random() < 0.6:
        story += _walked(person, chance, devices)
    if chance.random() < 0.6:
        story += _measured(person, chance)
    chance.shuffle(story)
    return story


def _corrections(sheet, chance, devices, answered):
    """Up to three corrections, each by the clock of a random device. They are two minutes apart, so no delay changes their order."""
    corrections = []
    for index in range(chance.randint(0, 3)):
        device, moment = chance.choice(devices), after(seconds=-600 + 120 * index)
        body = {"sheet_id": sheet.id, "corrected_at": device.says(moment), "answers": answered()}
        corrections.append(Record("correction", new_id(), sheet.person, body, device, device.next_number(), instant(moment)))
    return corrections


def _walked(person, chance, devices):
    """A walk that may be deleted, or a walk with up to three sheets, each of which may be deleted. The first remaining sheet fulfils the occasion."""
    # So long ago that the walk ends before a sheet about it, in spite of delays.
    walk = Record("walk", new_id(), person, _walk(person, chance) | walks.times(after(seconds=-900)))
    sheets = [Record("answer_sheet", new_id(), person, _after_walk(person, chance, walk)) for _ in range(chance.randint(0, 3))]
    story = [walk, *sheets]
    for sheet in sheets:
        story += _corrections(sheet, chance, devices, lambda: _after_walk(person, chance, walk)["answers"])
    story += [_deletion(sheet, "sheet_id") for sheet in sheets if chance.random() < 0.4]
    if not sheets and chance.random() < 0.6:
        story.append(_deletion(walk, "walk_id"))
    return story


def _after_walk(person, chance, walk):
    return person.sheet("after_walk", answers.AFTER_WALK | {"exertion": chance.randint(0, 10)}, walk_id=walk.id)


def _measured(person, chance):
    """An observation with up to three revisions, which may be deleted."""
    first = make("observation", person, chance)
    story = [first] + [
        Record("observation", first.id, person, _observation(person, chance) | {"revision": 2 + index}) for index in range(chance.randint(0, 2))]
    if chance.random() < 0.4:
        story.append(_deletion(first, "observation_id"))
    return story


def _deletion(record, member):
    return Record("deletion", new_id(), record.person, {member: record.id, "deleted_at": instant()})
