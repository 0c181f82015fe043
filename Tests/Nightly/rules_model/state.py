"""What is known about a participant at an instant."""

import datetime

from variables_model import Evaluation, Facts
from variables_model.answers import answer_value
from variables_model.facts import Fact
from variables_model.values import instant

from .clock import Clock

FAR = datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)
NO_ENROLMENT = "00000000-0000-8000-8000-000000000000"


class Known(Facts):
    """The facts of a whole history that are known at an instant, without some records of that instant."""

    def __init__(self, whole, at, without=(), events=None):
        self.pack, self.at, self.enrolled_at, self.zones, self.history = whole.pack, at, whole.enrolled_at, whole.zones, whole.history
        self.today = self.local(at).date()
        self.sheets = [sheet for sheet in whole.sheets if sheet.moment <= at and sheet not in without]
        self.usage = [event for event in whole.usage if event.moment <= at and event not in without]
        self.walks = [walk for walk in whole.walks if walk.moment <= at and walk not in without]
        self.observations = [one for one in whole.observations if one.moment <= at and one not in without]
        self.messages, self.occasions = [], []
        self.events = {code: fact for code, fact in (whole.events if events is None else events).items() if fact.moment <= at}

    @property
    def skipped(self):
        return self._skipped_dates(self.history)


class Whole(Facts):
    """The whole history of a person file."""

    def __init__(self, pack, person):
        self.person = person
        sheets = [
            {"sheet_id": raw.get("id", f"00000000-0000-4000-8000-{position:012}")} | raw
            for position, raw in enumerate(person.get("sheets", []), 1)]
        self.history = person | {"zone_changes": person.get("zones", []), "sheets": sheets, "at": "9999-01-01T00:00:00Z"}
        super().__init__(pack, self.history)
        self.clock = Clock(self.zones)
        self.positions = {sheet["sheet_id"].lower(): position for position, sheet in enumerate(sheets)}
        # A recording that is not a walk is an activity, but not a fact of variables.
        self.recordings = [self._fact(walk, "started_at") for walk in person.get("walks", []) if not walk.get("deleted_at")]
        self.recordings.sort(key=lambda recording: recording.moment)
        self.breaks = [
            (instant(pause["from"]), instant(pause["to"]) if pause.get("to") else FAR) for pause in person.get("breaks", [])]
        self.publications = [
            (instant(one["published_at"]), one["collection"], one["edition"], one["item"]) for one in person.get("publications", [])]
        self.enrolment = person.get("enrolment_id", NO_ENROLMENT)
        self.seed = bytes.fromhex(person["seed"]) if "seed" in person else bytes(32)

    def _skipped_dates(self, history):
        # Depends on the instant; `Known` computes it.
        return set()


class State:
    """The values that rules read at an instant."""

    def __init__(self, whole, at, without=(), events=None):
        self.whole, self.at = whole, at
        self.facts = Known(whole, at, without, events)
        self.variables = Evaluation(whole.pack, self.facts)
        self.clock = whole.clock.known_at(at)

    def setting(self, name):
        """The value of a setting: of the newest sheet of its questionnaire, or the initial value."""
        sheets = self.facts.of(self.whole.pack.setting_owner[name])
        if sheets:
            return sheets[-1].answers.get(name)
        own = self.whole.person.get("settings", {})
        if name in own:
            return answer_value(self.whole.pack.items[self.whole.pack.setting_owner[name]][name], own[name])
        return self.whole.pack.initial[name]

    def values(self, inputs):
        """The values of a list in which settings contribute all of theirs."""
        found = []
        for given in inputs:
            value = self.setting(given["setting"]) if isinstance(given, dict) else given
            found += value if isinstance(value, list) else [] if value is None else [value]
        return found

    def value(self, given):
        return self.setting(given["setting"]) if isinstance(given, dict) else given

    @property
    def is_paused(self):
        return any(start <= self.at < end for start, end in self.whole.breaks)


def event_fact(whole, moment):
    return Fact(moment, whole.local(moment))
