"""What devices hand in, with the digest under which the server keeps it."""

import dataclasses
import hashlib
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


@dataclasses.dataclass(frozen=True)
class Record:
    """One thing that a device hands in, always with the same bytes."""

    kind: str
    id: str
    person: object
    body: dict

    @property
    def path(self):
        return self.person.own(f"/{PLACES[self.kind][0]}/{self.id}")

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
        return {"kind": self.kind, "id": self.id, "body": self.body}

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


def story(person, chance):
    """What a device has to say of a few things over time, in any order: a sheet that is corrected, a walk and an observation that are
    taken back or not, and what happened in the app."""
    sheet = make("answer_sheet", person, chance)
    told = [sheet] + [make("usage_event", person, chance) for _ in range(chance.randint(0, 2))]
    for place in range(chance.randint(0, 3)):
        # So far apart that no delay on the way changes which one was made last.
        body = {
            "sheet_id": sheet.id, "corrected_at": instant(after(seconds=-600 + 120 * place)),
            "answers": _sheet(person, chance)["answers"],
        }
        told.append(Record("correction", new_id(), person, body))
    for kind in ("walk", "observation"):
        if chance.random() < 0.4:
            thing = make(kind, person, chance)
            told.append(thing)
            if chance.random() < 0.6:
                told.append(Record("deletion", new_id(), person, {f"{kind}_id": thing.id, "deleted_at": instant()}))
    chance.shuffle(told)
    return told
