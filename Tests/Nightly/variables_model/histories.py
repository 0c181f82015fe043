"""Random histories of made-up participants for a study pack: what one line of `saunter variables … --history FILE` contains.

Everything follows from the seed. Moments are often near local midnight, near clock changes and on the borders of windows. Participants
travel, also over the date line. Sheets arrive in any order, are corrected, deleted and sent twice; devices have wrong offsets.
"""

import datetime
import random
import uuid
import zoneinfo

from .answers import answer_value, is_enabled
from .values import UTC

# With clock changes on different dates and of different sizes, offsets of part of an hour, and both sides of the date line.
ZONES = """
Europe/Berlin Europe/Lisbon Africa/Casablanca America/New_York America/St_Johns America/Santiago America/Los_Angeles
Asia/Kathmandu Asia/Tokyo Asia/Beirut Australia/Lord_Howe Australia/Sydney Pacific/Auckland Pacific/Chatham Pacific/Kiritimati
Pacific/Pago_Pago Pacific/Honolulu Pacific/Apia
""".split()

# Days on which a clock of these zones changes, and ends of months and years.
DAYS = [
    "2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01", "2026-04-05", "2026-10-04", "2026-09-27", "2026-09-06", "2026-02-15",
    "2026-03-22", "2026-01-01", "2026-02-28", "2026-03-01", "2026-12-31", "2024-02-29", "2026-05-31"]

WORDS = ["Quiet day.", "Rain", "ça va", "a \"quoted\" word", "x"]


class HistoryMaker:
    def __init__(self, pack, seed):
        self.pack = pack
        self.random = random.Random(seed)
        self.seed = seed

    def history(self):
        draw = self.random
        self.at = self._moment_of_day(draw.choice(DAYS) if draw.random() < 0.5 else str(
            datetime.date(2026, 1, 1) + datetime.timedelta(days=draw.randrange(365))))
        self.span = draw.choices([2, 20, 75, 480], [1, 5, 5, 1])[0]
        self.enrolled_at = self.at - datetime.timedelta(days=draw.random() * self.span, seconds=1)
        self.zone = draw.choice(ZONES)
        changes = [
            {"from": text(self._moment_after(self.enrolled_at)), "time_zone": draw.choice(ZONES)}
            for _ in range(draw.choices([0, 1, 2, 4], [5, 3, 2, 1])[0])]
        # Two changes at one instant have no order.
        changes = list({change["from"]: change for change in changes}.values())
        self.zones = [(self.enrolled_at, self.zone)] + sorted((read(change["from"]), change["time_zone"]) for change in changes)
        sheets = self._sheets()
        history = {
            "participant": f"seed-{self.seed}", "enrolled_at": text(self.enrolled_at), "time_zone": self.zone, "at": text(self.at),
            "zone_changes": changes, "breaks": self._breaks(), "sheets": sheets, "usage": self._usage(), "walks": self._walks(),
            "observations": self._observations(), "events": self._events(), "messages": self._messages(),
            "occasions": self._occasions(),
        }
        for part in ("zone_changes", "sheets"):
            draw.shuffle(history[part])
        return {name: value for name, value in history.items() if value != []}

    # Moments

    def _moment_of_day(self, day):
        noon = datetime.datetime.fromisoformat(day + "T12:00:00+00:00")
        return noon + datetime.timedelta(milliseconds=self.random.randrange(-36 * 3_600_000, 36 * 3_600_000))

    def _moment_after(self, start):
        return max(self._moment(), start + datetime.timedelta(milliseconds=1))

    def _moment(self):
        """A moment of the participation, sometimes a little after the end, sometimes near a local midnight."""
        draw, start = self.random, self.enrolled_at
        seconds = (self.at - start).total_seconds()
        moment = start + datetime.timedelta(seconds=draw.random() * max(seconds, 0) * (1.02 if draw.random() < 0.1 else 1))
        if draw.random() < 0.25:
            zone = zoneinfo.ZoneInfo(self.zone_at(moment) if hasattr(self, "zones") else self.zone)
            midnight = moment.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
            moment = midnight + datetime.timedelta(milliseconds=draw.choice([-60_000, -1, 0, 1, 60_000, 3_600_000]))
        if draw.random() < 0.05:
            moment = self.at + datetime.timedelta(milliseconds=draw.choice([-1, 0, 1]))
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def zone_at(self, moment):
        return [zone for start, zone in self.zones if start <= moment or start == self.enrolled_at][-1]

    def _stored_offset(self, moment):
        """How a device states its offset: by the participant's zone, another zone, minutes, or not at all."""
        draw = self.random
        kind = draw.choices(["none", "zone", "other", "minutes"], [4, 3, 1, 2])[0]
        zone = draw.choice(ZONES) if kind in ("other", "minutes") else self.zone_at(moment)
        if kind == "none":
            return {}
        if kind == "minutes":
            return {"offset_min": int(moment.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds() // 60)}
        return {"time_zone": zone}

    # Parts

    def _breaks(self):
        breaks = []
        for _ in range(self.random.choices([0, 1, 2], [6, 3, 1])[0]):
            start = self._moment()
            end = start + datetime.timedelta(hours=self.random.choice([1, 10, 24, 50, 120]))
            breaks.append({"from": text(start), "to": None if self.random.random() < 0.15 else text(end)})
        return breaks

    def _usage(self):
        events = []
        for _ in range(self.random.choices([0, 4, 20], [2, 3, 2])[0]):
            moment = self._moment()
            event = {"event": self.random.choice(["app_opened", "app_closed", "feature_opened"]), "happened_at": text(moment)}
            event |= self._stored_offset(moment)
            if event["event"] == "feature_opened" and self.random.random() < 0.9:
                event["feature"] = self.random.choice(self.pack.features)
            if event["event"] == "app_closed" and self.random.random() < 0.9:
                event["seconds"] = self.random.choice([0, 0.5, 12, 61.25, 3600])
            events.append(event)
        return events

    def _walks(self):
        walks = []
        for _ in range(self.random.choices([0, 3, 8], [3, 2, 1])[0]):
            moment = self._moment()
            metrics = {"distance_m": self.random.choice([0, 812.5, 4000]), "mean_speed_kmh": self.random.choice([3.2, 4.75])}
            walk = {"started_at": text(moment), "metrics": {n: v for n, v in metrics.items() if self.random.random() < 0.9}}
            walk |= self._stored_offset(moment)
            if self.random.random() < 0.1:
                walk["deleted_at"] = text(self.at)
            if self.random.random() < 0.15:
                walk["flags"] = [self.random.choice(["not_a_walk", "calibration_missing"])]
            walks.append(walk)
        return walks

    def _observations(self):
        found = []
        for _ in range(self.random.choices([0, 5], [3, 2])[0]):
            moment = self._moment()
            one = {"code": self.random.choice(["15074-8", "8867-4"]), "started_at": text(moment), "value": self.random.choice([5.5, 7, None])}
            if self.random.random() < 0.2:
                one["system"] = self.random.choice(["http://loinc.org", "urn:other"])
            if self.random.random() < 0.1:
                one["deleted_at"] = text(self.at)
            found.append(one | self._stored_offset(moment))
        return found

    def _events(self):
        return [{"event": code, "occurred_at": text(self._moment())} for code in self.pack.events if self.random.random() < 0.6]

    def _messages(self):
        messages = []
        for _ in range(self.random.choices([0, 4], [1, 1])[0] if self.pack.notices else 0):
            sent = self._moment()
            message = {"rule": self.random.choice(self.pack.notices), "sent_at": text(sent)}
            for state in ("delivered", "opened"):
                if self.random.random() < 0.7:
                    sent += datetime.timedelta(seconds=self.random.choice([0, 30, 7200]))
                    message[f"{state}_at"] = text(sent)
            messages.append(message)
        return messages

    def _occasions(self):
        occasions = []
        for _ in range(self.random.choices([0, 10], [2, 3])[0]):
            opens = self._moment()
            local = opens.astimezone(zoneinfo.ZoneInfo(self.zone_at(opens)))
            occasion = {
                "schedule": self.random.choice(self.pack.schedules), "local_date": str(local.date()), "opens_at": text(opens),
                "closes_at": text(opens + datetime.timedelta(hours=5)),
            }
            if self.random.random() < 0.6:
                occasion["completed_at"] = text(opens + datetime.timedelta(hours=self.random.choice([0, 1, 4, 30])))
            if self.random.random() < 0.15:
                occasion["set_aside"] = self.random.choice(["paused", "nonexistent"])
            occasions.append(occasion)
        return occasions

    # Sheets

    def _sheets(self):
        draw = self.random
        sheets, ids = [], {}
        for questionnaire in self.pack.items:
            most = {2: 4, 20: 25, 75: 45, 480: 90}[self.span]
            rule = self.pack.rules.get(questionnaire, {})
            count = draw.randrange(most) if not rule.get("refers_to") and not rule.get("active") else draw.randrange(min(most, 9))
            for _ in range(count):
                sheets += self._sheet(questionnaire, rule, ids)
        return sheets

    def _sheet(self, questionnaire, rule, ids):
        """All revisions of one sheet."""
        draw = self.random
        reference = None
        refers_to = rule.get("refers_to")
        if refers_to:
            wanted = refers_to["questionnaire"] if isinstance(refers_to, dict) else refers_to
            if not ids.get(wanted):
                return []
            reference = draw.choice(ids[wanted])
        moment = self._moment()
        if questionnaire in ids and draw.random() < 0.05:
            # Two entries at one instant are ordered by their ids.
            moment = read(draw.choice(ids[questionnaire])[1])
        sheet_id = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        ids.setdefault(questionnaire, []).append((sheet_id, text(moment)))
        sheet = {
            "sheet_id": sheet_id, "questionnaire": questionnaire, "completed_at": text(moment), "answers": self.answers(questionnaire),
        } | self._stored_offset(moment)
        if reference:
            sheet["refers_to"] = reference[0]
        if draw.random() < 0.15:
            sheet["source"] = draw.choice(["website", "clinic"])
        if draw.random() < 0.05 and len(ids[questionnaire]) > 1:
            sheet["duplicate_of"] = ids[questionnaire][0][0]
        if self.pack.scales[questionnaire] and draw.random() < 0.2:
            sheet["scores"] = {name: draw.choice([None, 12.5, -3, 0]) for name in self.pack.scales[questionnaire]}
        revisions = [sheet]
        while draw.random() < 0.12:
            revisions.append(revisions[-1] | {"revision": len(revisions) + 1, "answers": self.answers(questionnaire)})
        if draw.random() < 0.08:
            revisions.append(revisions[-1] | {"revision": len(revisions) + 1, "deleted_at": text(self._moment())})
        draw.shuffle(revisions)
        return revisions

    def answers(self, questionnaire):
        """Valid answers. Some are left blank; those to items that are not shown are cleared by the server."""
        items, given, values = self.pack.items[questionnaire], {}, {}
        fill = self.random.choice([0.3, 0.8, 1])
        for name, item in items.items():
            if self.random.random() > fill and not item.required:
                continue
            answer = self._answer(item, values)
            if item.repeats and not item.options and answer is not None:
                answer = [answer]
            if answer is None:
                continue
            given[name] = answer
            if is_enabled(item, values, items):
                values[name] = answer_value(item, answer)
        return given

    def _answer(self, item, values):
        draw = self.random
        options = item.options
        if item.by is not None:
            options = item.sets.get(values.get(item.by), [])
            if not options:
                # The item is not shown. An answer is cleared.
                return None
        match item.type:
            case "integer":
                return draw.randrange(11) if item.id == "mood" else draw.randrange(1, 5)
            case "decimal":
                return draw.choice([0, -4.995, 1.25, 0.1, 3, 2.675])
            case "quantity":
                return {"value": draw.choice([70, 71.5, 68.25]), "unit": "kg"}
            case "boolean":
                return draw.random() < 0.5
            case "choice" | "open-choice" if item.repeats:
                alone = [option for option in options if option in item.exclusive]
                if alone and draw.random() < 0.2:
                    return alone[:1]
                combinable = [option for option in options if option not in item.exclusive]
                chosen = draw.sample(combinable, draw.randint(1, len(combinable)))
                if item.type == "open-choice" and draw.random() < 0.4:
                    chosen = [*chosen[draw.randrange(2):], {"other": draw.choice(WORDS)}]
                return chosen
            case "choice":
                return draw.choice(options)
            case "date":
                return str(datetime.date(2026, 1, 1) + datetime.timedelta(days=draw.randrange(4)))
            case "time":
                return draw.choice(["22:30", "06:00", "23:59"])
            case "dateTime":
                return draw.choice(["2026-01-02T08:00:00.000Z", "2026-03-29T02:30:00.125+02:00"])
            case "location":
                place = {"lat": draw.choice([52.52, 52.515, 52.525, -0.001, 10]), "lon": draw.choice([13.405, -179.999, 0, 13.4])}
                return place | ({"accuracy_m": 30} if draw.random() < 0.5 else {})
            case "text" | "string":
                return draw.choice(WORDS)
        raise AssertionError(f"no answer for the type {item.type}")


def text(moment):
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def read(moment):
    return datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
