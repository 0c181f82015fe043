"""Random made-up participants: what one line of `saunter rules … --person FILE.ndjson` contains. Everything follows from the seed."""

import datetime
import random
import uuid
import zoneinfo

from variables_model.histories import DAYS, ZONES, HistoryMaker, read, text
from variables_model.values import UTC

from .clock import naive
from .pack import action

# Times of day at which rules act or quiet hours begin and end, in minutes.
TIMES = ["00:00", "07:00", "07:30", "08:00", "09:00", "12:00", "13:00", "17:00", "18:00", "20:00", "21:00", "22:00", "22:30"]
SETTING_TIMES = ["00:00", "02:30", "06:45", "07:29", "07:30", "09:00", "13:00", "16:59", "17:00", "20:15", "22:29", "22:30", "23:59"]


class PersonMaker(HistoryMaker):
    def __init__(self, pack, seed, days, size=1):
        """`size`: a factor of the number of records."""
        super().__init__(pack, seed)
        self.random = random.Random(f"rules-{seed}")
        self.days, self.size = days, size

    @property
    def is_adaptive(self):
        return any("adaptive" in rule["at"] for rule in self.pack.decision_rules)

    def person(self):
        draw = self.random
        day = draw.choice(DAYS) if draw.random() < 0.5 else str(datetime.date(2026, 1, 1) + datetime.timedelta(days=draw.randrange(365)))
        # A day on which a clock changes is somewhere in the participation.
        self.enrolled_at = self._moment_of_day(day) - datetime.timedelta(days=draw.choice([0, 1, self.days // 2, self.days - 2]))
        self.enrolled_at = self.enrolled_at.replace(microsecond=self.enrolled_at.microsecond // 1000 * 1000)
        self.at = self.enrolled_at + datetime.timedelta(days=self.days)
        self.has_own_settings = draw.random() < 0.5
        self.busy = draw.choice([0.1, 0.5, 1, 2])
        self.zone = draw.choice(ZONES)
        changes = [
            {"from": text(self._moment_after(self.enrolled_at)), "time_zone": draw.choice(ZONES)}
            for _ in range(draw.choices([0, 1, 2, 4], [5, 3, 2, 1])[0])]
        changes = list({change["from"]: change for change in changes}.values())
        if self.is_adaptive:
            changes = self._without_earlier_dates(changes)
        self.zones = [(self.enrolled_at, self.zone)] + sorted((read(change["from"]), change["time_zone"]) for change in changes)
        person = {
            "enrolled_at": text(self.enrolled_at), "time_zone": self.zone, "enrolment_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)),
            "seed": draw.randbytes(32).hex(), "settings": self._settings(), "zones": changes, "breaks": self._breaks(),
            "sheets": self._sheets(), "usage": self._usage(), "walks": self._walks(), "events": self._events(),
            "publications": self._publications(),
        }
        if draw.random() < 0.2:
            del person["seed"], person["enrolment_id"]
        for part in ("zones", "sheets", "usage", "walks", "publications"):
            draw.shuffle(person[part])
        return {name: value for name, value in person.items() if value not in ([], {})}

    def _without_earlier_dates(self, changes):
        """The journeys that do not set the local date back."""
        kept, zone = [], self.zone
        for change in sorted(changes, key=lambda change: change["from"]):
            moment = read(change["from"])
            if naive(moment, change["time_zone"]).date() >= naive(moment, zone).date():
                kept.append(change)
                zone = change["time_zone"]
        return kept

    def _moment(self):
        """A moment after the enrolment, often at or near a time of day at which rules act."""
        draw = self.random
        moment = super()._moment()
        if hasattr(self, "zones") and draw.random() < 0.3:
            hour, minute = map(int, draw.choice(TIMES).split(":"))
            zone = zoneinfo.ZoneInfo(self.zone_at(moment))
            moment = moment.astimezone(zone).replace(hour=hour, minute=minute, second=0, microsecond=0).astimezone(UTC)
            moment += datetime.timedelta(milliseconds=draw.choice([-1, 0, 0, 0, 1, 60_000]))
        return max(moment, self.enrolled_at + datetime.timedelta(milliseconds=1))

    def _count(self, most):
        """The number of records of one kind in the participation."""
        return int(self.random.random() * most * self.busy * self.size)

    # Parts

    def _breaks(self):
        """Breaks in order that do not overlap, as on a server. The engine counts the time of overlapping breaks twice."""
        breaks = []
        for pause in sorted(super()._breaks(), key=lambda pause: pause["from"]):
            if not breaks or breaks[-1]["to"] is not None and breaks[-1]["to"] < pause["from"]:
                breaks.append(pause)
        return breaks

    def _settings(self):
        """Values before the first sheet."""
        own = {}
        for questionnaire in self.pack.settings if self.has_own_settings else []:
            answers = self.answers(questionnaire)
            own |= {name: value for name, value in answers.items() if self.random.random() < 0.4}
        return own

    def _usage(self):
        events = []
        for _ in range(self._count(20)):
            moment = self._moment()
            if events and self.random.random() < 0.3:
                minutes = self.random.choice([0, 1, 29, 30, 31])
                moment = read(events[-1]["happened_at"]) + datetime.timedelta(minutes=minutes, milliseconds=self.random.choice([-1, 0, 0, 1]))
                moment = max(moment, self.enrolled_at)
            event = {"event": self.random.choice(["app_opened", "app_opened", "app_closed", "feature_opened"]), "happened_at": text(moment)}
            event |= self._stored_offset(moment)
            if event["event"] == "feature_opened" and self.pack.features:
                event["feature"] = self.random.choice(self.pack.features)
            events.append(event)
        return events

    def _walks(self):
        if not self.pack.has_walks:
            return []
        walks = []
        for _ in range(self._count(25)):
            moment = self._moment()
            walk = {"started_at": text(moment), "metrics": {"distance_m": 812.5}} | self._stored_offset(moment)
            if self.random.random() < 0.1:
                walk["deleted_at"] = text(self.at)
            if self.random.random() < 0.1:
                walk["flags"] = ["not_a_walk"]
            walks.append(walk)
        return walks

    def _events(self):
        """Events of the file. An event that a rule records is only in the file if there are too few records for the rule."""
        return super()._events() if self.busy < 0.2 else []

    def _publications(self):
        collections = [rule["at"]["published"] for rule in self.pack.decision_rules if "published" in rule["at"]]
        found, edition = [], 1
        for collection in collections:
            for _ in range(self._count(6)):
                edition += 1
                moment = self._moment()
                for _ in range(self.random.choice([1, 1, 3])):
                    found.append({"collection": collection, "edition": edition, "item": f"item{len(found)}", "published_at": text(moment)})
        return found

    def _sheets(self):
        sheets, ids = [], {}
        for questionnaire in self.pack.items:
            rule = self.pack.rules.get(questionnaire, {})
            for _ in range(self._count(3 if questionnaire in self.pack.settings else 8)):
                sheets += self._sheet(questionnaire, rule, ids)
        streaks = [rule for rule in self.pack.decision_rules if action(rule) == "award"]
        if streaks and "checkin" in self.pack.items and self.random.random() < 0.4 * self.size:
            sheets += self._daily(self.random.choice(["checkin", "journal_entry"]), ids)
        if self.is_adaptive and self.random.random() < 0.5 * self.size:
            for _ in range(self.random.randrange(60)):
                sheets += self._sheet("mood", {}, ids)
        return sheets

    def _sheet(self, questionnaire, rule, ids):
        # One revision, the first: the file does not contain the moment of a correction, so a second one would be known with the first.
        sheets = super()._sheet(questionnaire, rule, ids)[-1:]
        return [{name: value for name, value in sheet.items() if name != "revision"} for sheet in sheets]

    def _daily(self, questionnaire, ids):
        """A sheet on each local date of a long span, with few gaps."""
        sheets = []
        start = self.enrolled_at + datetime.timedelta(hours=self.random.randrange(72))
        for day in range(self.random.randrange(25, 40)):
            if self.random.random() < 0.01:
                continue
            moment = start + datetime.timedelta(days=day, minutes=self.random.choice([0, 0, 30]))
            sheet_id = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
            sheets.append({"sheet_id": sheet_id, "questionnaire": questionnaire, "completed_at": text(moment), "answers": {}})
        return sheets

    def answers(self, questionnaire):
        given = super().answers(questionnaire)
        draw = self.random
        for name, item in self.pack.items[questionnaire].items():
            if item.type == "time" and item.repeats and name in given:
                given[name] = draw.sample(SETTING_TIMES, draw.randrange(1, 7))
        return given

    def _answer(self, item, values):
        draw = self.random
        if item.type == "time":
            return draw.choice(SETTING_TIMES)
        if item.type == "integer" and item.id == "notifications_a_day":
            return draw.choice([0, 1, 2, 3, 5, 12])
        if item.type == "integer" and item.id in self.pack.percentages:
            return draw.choice([0, 0, 1, 60, 100, 100])
        return super()._answer(item, values)
