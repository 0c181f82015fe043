"""What is known about one participant at an instant: the facts that count, with their local dates."""

import datetime
import itertools
import zoneinfo

from .answers import answer_value, is_enabled
from .values import DAY, dates, exact, instant, known


class Fact:
    """Something that happened at a moment, with the local date and hour that were stored with it."""

    def __init__(self, moment, local, **more):
        self.moment, self.local = moment, local
        self.date = local.date()
        self.questionnaire = self.sheet_id = self.refers_to = self.source = self.feature = None
        self.number = None
        self.__dict__.update(more)


class Facts:
    """What is known about one participant at an instant."""

    def __init__(self, pack, history):
        self.pack = pack
        self.at = instant(history["at"])
        self.enrolled_at = instant(history["enrolled_at"])
        changes = [(instant(change["from"]), change["time_zone"]) for change in history.get("zone_changes", [])]
        self.zones = [(self.enrolled_at, history["time_zone"]), *sorted(changes, key=lambda change: change[0])]
        self.today = self.local(self.at).date()
        self.sheets = self._sheets(history)
        self.usage = [
            self._fact(event, "happened_at", name=event["event"], feature=event.get("feature"), number=known(event.get("seconds")))
            for event in history.get("usage", [])]
        self.walks = [
            self._fact(walk, "started_at", metrics=walk.get("metrics", {})) for walk in history.get("walks", [])
            if not walk.get("deleted_at") and "not_a_walk" not in walk.get("flags", [])]
        self.observations = [
            self._fact(one, "started_at", name=(one.get("system", "http://loinc.org"), one["code"]), number=known(one.get("value")))
            for one in history.get("observations", []) if not one.get("deleted_at")]
        self.messages = [
            self._fact({"moment": message[f"{state}_at"]}, "moment", name=message["rule"], state=state)
            for message in history.get("messages", []) for state in ("sent", "delivered", "opened") if message.get(f"{state}_at")]
        self.events = {
            event["event"]: self._fact(event, "occurred_at") for event in history.get("events", [])
            if instant(event["occurred_at"]) <= self.at}
        self.occasions = list(self._occasions(history))
        self.skipped = self._skipped_dates(history)

    # Zones

    def zone(self, moment):
        """The zone of the participant. Before the enrolment it is the zone at the enrolment."""
        return [zone for start, zone in self.zones if start <= moment or start == self.enrolled_at][-1]

    def local(self, moment):
        return moment.astimezone(zoneinfo.ZoneInfo(self.zone(moment)))

    def _fact(self, raw, member, **more):
        moment = instant(raw[member])
        if "offset_min" in raw:
            local = moment.astimezone(datetime.timezone(datetime.timedelta(minutes=raw["offset_min"])))
        elif "time_zone" in raw:
            local = moment.astimezone(zoneinfo.ZoneInfo(raw["time_zone"]))
        else:
            local = self.local(moment)
        return Fact(moment, local, **more)

    # Sheets

    def _sheets(self, history):
        newest = {}
        for raw in history.get("sheets", []):
            known_revision = newest.get(raw["sheet_id"])
            if known_revision is None or raw.get("revision", 1) > known_revision.get("revision", 1):
                newest[raw["sheet_id"]] = raw
        current = [raw for raw in newest.values() if not raw.get("deleted_at") and not raw.get("duplicate_of")]
        sheets = [self._sheet(raw) for raw in current]
        return sorted((s for s in sheets if s.moment <= self.at), key=lambda sheet: (sheet.moment, sheet.sheet_id))

    def _sheet(self, raw):
        items = self.pack.items[raw["questionnaire"]]
        answers = {}
        for name, item in items.items():
            answer = answer_value(item, raw["answers"].get(name))
            if answer is not None and is_enabled(item, answers, items):
                answers[name] = answer
        scores = {
            name: answers.get(scale["items"][0]) and answers[scale["items"][0]] * exact(scale.get("factor", 1))
            for name, scale in self.pack.scales[raw["questionnaire"]].items() if scale["method"] == "value"}
        if "scores" in raw:
            scores |= {name: known(score) for name, score in raw["scores"].items()}
        return self._fact(
            raw, "completed_at", sheet_id=raw["sheet_id"].lower(), questionnaire=raw["questionnaire"], answers=answers, scores=scores,
            refers_to=raw.get("refers_to", "").lower() or None, source=raw.get("source", "participant"))

    # Occasions

    def _occasions(self, history):
        for raw in history.get("occasions", []):
            opens, closes = instant(raw["opens_at"]), instant(raw["closes_at"])
            if opens > self.at:
                continue
            answered = "completed_at" in raw and instant(raw["completed_at"]) <= self.at
            states = set()
            if answered:
                states.add("answered")
            if answered or not raw.get("set_aside"):
                states.add("offered")
                if closes <= self.at and not answered:
                    states.add("missed")
            date = datetime.date.fromisoformat(raw["local_date"])
            fact = Fact(opens, self.local(opens), name=raw["schedule"], states=states)
            fact.date = date
            yield fact

    # Dates that a streak skips

    def _skipped_dates(self, history):
        skipped = set()
        # Changes of zone that happen later are not known yet.
        zones = [(moment, zone) for moment, zone in self.zones if moment <= self.at or moment == self.enrolled_at]
        for (_, before), (moment, after) in itertools.pairwise(zones):
            last = moment.astimezone(zoneinfo.ZoneInfo(before)).date()
            following = moment.astimezone(zoneinfo.ZoneInfo(after)).date()
            skipped |= set(dates(last + DAY, following - DAY))
        for pause in history.get("breaks", []):
            start, end = instant(pause["from"]), instant(pause["to"]) if pause.get("to") else self.at
            inner = [moment for moment, _ in zones if start < moment < end]
            for first, after in itertools.pairwise([start, *inner, end]):
                if first < after:
                    # The end of a break is not part of it.
                    skipped |= set(dates(self.local(first).date(), self._date_before(after, self.zone(first))))
        return skipped

    @staticmethod
    def _date_before(moment, zone):
        return (moment - datetime.timedelta(milliseconds=1)).astimezone(zoneinfo.ZoneInfo(zone)).date()

    # Active entries

    def active_entry(self, questionnaire):
        entries = self.of(questionnaire)
        return entries[-1] if entries and self._end(entries[-1]) is None else None

    def of(self, questionnaire):
        return [sheet for sheet in self.sheets if sheet.questionnaire == questionnaire]

    def _end(self, entry):
        """The first sheet that ends the entry; None if there is none."""
        ending = self.pack.rules[entry.questionnaire].get("ends_with")
        return next((sheet for sheet in self.sheets if sheet.questionnaire == ending and sheet.refers_to == entry.sheet_id), None)

    def episode(self, entry):
        """The first and the last local date on which the entry was active; the last is None if it still is.

        An end that was completed before its entry ends it on the date of the entry.
        """
        entries = self.of(entry.questionnaire)
        ends = [*entries[entries.index(entry) + 1:][:1], *filter(None, [self._end(entry)])]
        end = min(ends, key=lambda sheet: (sheet.moment, sheet.sheet_id), default=None)
        return entry.date, end and max(end.date, entry.date)
