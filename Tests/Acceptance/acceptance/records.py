"""What devices hand in, with the digest under which the server keeps it."""

import dataclasses
import hashlib
import itertools
import json

from . import answers, observations, walks
from .moments import after, instant, new_id

# Kind -> (segment of its address, its table, the column of its id).
PLACES = {
    "answer_sheet": ("answer-sheets", "research.answer_sheet", "sheet_id"),
    "walk": ("walks", "research.walk", "walk_id"),
    "observation": ("observations", "research.observation", "observation_id"),
    "calibration": ("calibrations", "research.calibration", "calibration_id"),
}

# What outboxes alone hold: kind -> (its table, the column of its id).
OUTBOX_PLACES = {
    "usage_event": ("research.usage_event", "event_id"),
    "correction": ("research.amendment", "amendment_id"),
    "deletion": ("research.amendment", "amendment_id"),
}


class Device:
    """One of a person's, whose clock is ahead by so many seconds, and which numbers what it says."""

    def __init__(self, ahead):
        self.id = new_id()
        self.ahead = ahead
        self._numbers = itertools.count(1)

    def next_number(self):
        return next(self._numbers)

    def says(self, moment=None):
        """What its clock shows."""
        return instant(after(moment, seconds=self.ahead))


def devices():
    """Those of one person: the clock of one is right, another's is a day behind, a third one's two hours ahead."""
    return [Device(ahead) for ahead in (0, -90_000, 7_200)]


@dataclasses.dataclass(frozen=True)
class Record:
    """One thing that a device hands in, always with the same bytes."""

    kind: str
    id: str
    person: object
    body: dict
    # Of a correction: by which device, its number there, and when it was truly made.
    device: Device | None = None
    number: int | None = None
    made_at: str | None = None

    @property
    def path(self):
        return self.person.own(f"/{PLACES[self.kind][0]}/{self.id}")

    @property
    def revision(self):
        return self.body.get("revision", 1)

    @property
    def key(self):
        """By which the ledger knows it: its id, and its revision where it is not the first."""
        return self.id if self.revision == 1 else f"{self.id} {self.revision}"

    @property
    def order(self):
        """Of corrections of one sheet the one with the greatest is in force."""
        return self.made_at or self.body["corrected_at"]

    @property
    def subject(self):
        """The id of what it corrects or takes back; None for what stands for itself."""
        return next((self.body[name] for name in ("sheet_id", "walk_id", "observation_id") if name in self.body), None) if self.is_amendment else None

    @property
    def is_amendment(self):
        return self.kind in ("correction", "deletion")

    @property
    def item(self):
        """Its place in an outbox."""
        return {"kind": self.kind, "id": self.id, "body": self.body} | ({"sequence": self.number} if self.number else {})

    @property
    def digest(self):
        """SHA-256 of the body as the server takes it: names in order, one spelling for one number, and not the device's clock."""
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
    """A record of this kind that no other is like."""
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
    """What devices have to say of a few things over time, in any order: a sheet that is corrected on several of them, a walk that is taken back or not or whose
    sheets are, an observation that is said better, taken back, both or neither, and what happened in the app."""
    sheet = make("answer_sheet", person, chance)
    told = [sheet] + [make("usage_event", person, chance) for _ in range(chance.randint(0, 2))]
    told += _corrections(sheet, chance, devices, lambda: _sheet(person, chance)["answers"])
    if chance.random() < 0.6:
        told += _walked(person, chance, devices)
    if chance.random() < 0.6:
        told += _measured(person, chance)
    chance.shuffle(told)
    return told


def _corrections(sheet, chance, devices, answered):
    """Each on any device, by its clock. So far apart that no delay on the way changes which one was made last."""
    said = []
    for place in range(chance.randint(0, 3)):
        device, moment = chance.choice(devices), after(seconds=-600 + 120 * place)
        body = {"sheet_id": sheet.id, "corrected_at": device.says(moment), "answers": answered()}
        said.append(Record("correction", new_id(), sheet.person, body, device, device.next_number(), instant(moment)))
    return said


def _walked(person, chance, devices):
    """A walk that is taken back or not, or up to three sheets about it, of which any may be: the first that is left answers for it."""
    # Long enough ago that no delay puts its end behind a sheet about it.
    walk = Record("walk", new_id(), person, _walk(person, chance) | walks.times(after(seconds=-900)))
    sheets = [Record("answer_sheet", new_id(), person, _after_walk(person, chance, walk)) for _ in range(chance.randint(0, 3))]
    told = [walk, *sheets]
    for sheet in sheets:
        told += _corrections(sheet, chance, devices, lambda: _after_walk(person, chance, walk)["answers"])
    told += [_deletion(thing, "sheet_id") for thing in sheets if chance.random() < 0.4]
    if not sheets and chance.random() < 0.6:
        told.append(_deletion(walk, "walk_id"))
    return told


def _after_walk(person, chance, walk):
    return person.sheet("after_walk", answers.AFTER_WALK | {"exertion": chance.randint(0, 10)}, walk_id=walk.id)


def _measured(person, chance):
    """An observation with up to three revisions, which may come in any order."""
    first = make("observation", person, chance)
    told = [first] + [
        Record("observation", first.id, person, _observation(person, chance) | {"revision": 2 + place}) for place in range(chance.randint(0, 2))]
    if chance.random() < 0.4:
        told.append(_deletion(first, "observation_id"))
    return told


def _deletion(thing, member):
    return Record("deletion", new_id(), thing.person, {member: thing.id, "deleted_at": instant()})
