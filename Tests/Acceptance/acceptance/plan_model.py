"""A second planner: the rules of schedules in Python, with `zoneinfo` for the clocks. It shares nothing with the server but the words of the packs.

Times of day and lengths are seconds; instants are whole seconds since 1970.
"""

import hashlib
import uuid
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)


def wall(zone, second):
    """What the clock shows at an instant."""
    return datetime.fromtimestamp(second, timezone.utc).astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def offset(zone, second):
    return (wall(zone, second) - EPOCH).total_seconds() - second


def resolve(zone, day, seconds):
    """First and last instant of a wall time, and whether its date exists there; the end of the gap where the clock skips it."""
    shown = datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
    by_fold = [int(shown.replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()) for fold in (0, 1)]
    valid = sorted(second for second in by_fold if wall(zone, second) == shown)
    if valid:
        return valid[0], valid[-1], True
    low, high = min(by_fold), max(by_fold)
    before = offset(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
    return high, high, wall(zone, high).date() == shown.date()


@dataclass
class Window:
    day: date
    zone: str
    visible: int
    open: int
    due: int
    close: int
    exists: bool = True


@dataclass
class Course:
    """What a participant does."""

    enrolled: int
    zone: str
    arm: str
    enrolment: uuid.UUID
    travel: list = field(default_factory=list)  # (second, zone)
    walks: list = field(default_factory=list)  # (second, id)
    sheets: list = field(default_factory=list)  # (second, questionnaire, id)
    events: dict = field(default_factory=dict)  # code -> second
    pauses: list = field(default_factory=list)  # (second, second or None)
    left: int | None = None

    def history(self):
        zones, now = [(self.enrolled, self.zone)], self.zone
        for moment, zone in sorted(self.travel):
            if zone != now:
                zones.append((moment, zone))
                now = zone
        return zones

    def zone_at(self, second):
        return [zone for moment, zone in self.history() if moment <= second or moment == self.enrolled][-1]

    def local_date(self, second):
        return wall(self.zone_at(second), second).date()


class Plan:
    """All occasions of one participant whose time is fixed: key -> window; those with random moments by their rules only."""

    def __init__(self, study, schedules, course):
        self.study, self.course = study, course
        self.enrolled_on = course.local_date(course.enrolled)
        self.end = self.enrolled_on + timedelta(days=study["days"])
        self.phases = {phase["code"]: phase for phase in study.get("phases", [])}
        self.windows, self.waiting = {}, []
        for schedule in schedules:
            if schedule.get("arms") and course.arm not in schedule["arms"]:
                continue
            span = self.span(schedule["phase"]) if "phase" in schedule else None
            starts = self.starts(schedule)
            if not starts or ("phase" in schedule and span is None):
                self.waiting.append(schedule["id"])
            if "phase" in schedule and span is None:
                continue
            for instance, day, moment in starts:
                self.lay_out(schedule, instance, day, moment, span)

    # What schedules count from

    def first_sheet(self, code):
        return min((moment for moment, questionnaire, _ in self.course.sheets if questionnaire == code), default=None)

    def starts(self, schedule):
        anchor = schedule.get("anchor") or ({"phase": schedule["phase"]} if "phase" in schedule else "enrolment")
        course = self.course
        if anchor == "enrolment":
            return [("", self.enrolled_on, course.enrolled)]
        if anchor == "walk" or "completion" in anchor:
            happened = sorted(course.walks) if anchor == "walk" else sorted(
                (moment, name) for moment, code, name in course.sheets if code == anchor["completion"])
            taken, starts = {}, []
            for moment, name in happened:
                day = course.local_date(moment)
                taken[day] = taken.get(day, 0) + 1
                if taken[day] <= schedule.get("max_per_day", 10**9):
                    starts.append((name, day, moment))
            return starts
        kind, value = next(iter(anchor.items()))
        if kind == "study_date":
            return [("", date.fromisoformat(value), None)]
        if kind == "phase":
            span = self.span(value)
            return [("", span[0], span[2])] if span else []
        moment = course.events.get(value) if kind == "event" else self.first_sheet(value)
        return [] if moment is None else [("", course.local_date(moment), moment)]

    def span(self, code):
        """First date, last date or none, moment of its beginning or none, moment of its end or none."""
        phase = self.phases[code]
        kind, value = next(iter(phase["start"].items()))
        moment = None
        if kind == "day":
            first = self.enrolled_on + timedelta(days=value)
        else:
            moment = self.course.events.get(value) if kind == "event" else self.first_sheet(value)
            if moment is None:
                return None
            first = self.course.local_date(moment)
        kind, value = next(iter(phase.get("end", {"study": None}).items()))
        last = {"day": lambda: self.enrolled_on + timedelta(days=value), "days": lambda: first + timedelta(days=value - 1)}
        return (
            first, last[kind]() if kind in last else None, moment,
            self.course.events.get(value) if kind == "event" else None)

    # Days and windows

    def days(self, schedule, start):
        offset_days, rule = schedule.get("offset_days", 0), schedule["recurrence"]
        if rule == "once":
            return [offset_days]
        kind, figures = next(iter(rule.items()))
        until = figures.get("until_day", 3660)
        days, index = [], offset_days
        while index <= min(until, offset_days + 400) and len(days) < figures.get("count", 10**9):
            day = start + timedelta(days=index)
            first = start + timedelta(days=offset_days)
            if kind == "every":
                falls = (index - offset_days) % figures["days"] == 0
            elif kind == "weekly":
                mondays = [that - timedelta(days=that.isoweekday() - 1) for that in (day, first)]
                falls = day.isoweekday() in figures["weekdays"] and (mondays[0] - mondays[1]).days // 7 % figures.get("weeks", 1) == 0
            elif kind == "monthly":
                length = monthrange(day.year, day.month)[1]
                falls = day.day in {min(wanted, length) for wanted in figures["days"]}
            else:
                falls = (index - offset_days) % figures["length"] in figures["day_offsets"]
            if falls:
                days.append(index)
            index += 1
        return days

    def lay_out(self, schedule, instance, start, moment, span):
        entries = []
        for index in self.days(schedule, start):
            number = 0
            of_day = []
            for slot in schedule["slots"]:
                opening = slot["open"]
                if isinstance(opening, dict) and "random" in opening:
                    number += opening["random"]["count"]
                    continue
                of_day.append((opening if isinstance(opening, int) else opening["after_anchor"], index, number, slot))
                number += 1
            entries += sorted(of_day, key=lambda entry: (entry[0], entry[2]))
        policy = schedule.get("zone_policy", "participant")
        if policy == "participant":
            history = self.course.history()
        else:
            history = [(self.course.enrolled, self.course.zone if policy == "enrolment" else policy["study"])]
        anchored = None if moment is None else wall([zone for since, zone in history if since <= moment or since == history[0][0]][-1], moment)
        windows = self.in_zone(entries, start, moment, anchored, history[0][1])
        for change, zone in history[1:]:
            moved = self.in_zone(entries, start, moment, anchored, zone)
            windows = [
                old if old.exists and (old.open <= change or new.close <= change or not new.exists) else new
                for old, new in zip(windows, moved)]
        for (_, index, number, _), window in zip(entries, windows):
            begun = max(self.course.enrolled, moment if moment is not None else -(10**12))
            if window.close <= begun or window.day > self.end:
                continue
            if span:
                first, last, begins, ends = span
                if window.day < first or (last and window.day > last):
                    continue
                if (begins is not None and window.open < begins) or (ends is not None and window.open >= ends):
                    continue
            self.windows[(schedule["id"], instance, index, number)] = (schedule, window)

    def in_zone(self, entries, start, moment, anchored, zone):
        windows, wall_end, end = [], None, None
        for seconds, index, _, slot in entries:
            day = start + timedelta(days=index)
            due, close, visible = slot["due_after"], slot["close_after"], slot.get("visible_before", 0)
            if not isinstance(slot["open"], int):
                windows.append(self.after_anchor(seconds, index, moment, anchored, zone, slot))
                continue
            nominal = index * 86400 + seconds
            opens, _, exists = resolve(zone, day, seconds)
            if end is not None and nominal >= wall_end:
                opens = max(opens, end)
            closes = resolve(zone, day, seconds + close)[1]
            closes = closes if closes > opens else opens + close
            dues = resolve(zone, day, seconds + due)[1]
            dues = dues if dues > opens else opens + due
            windows.append(Window(
                day, zone, min(resolve(zone, day, seconds - visible)[0], opens), opens, min(dues, closes), closes, exists))
            if exists:
                wall_end = max(wall_end if wall_end is not None else -(10**12), nominal + close)
                end = max(end if end is not None else -(10**12), closes)
        return windows

    def after_anchor(self, delay, index, moment, anchored, zone, slot):
        exists = True
        if index == 0:
            opens = moment + delay
        else:
            first, _, exists = resolve(
                zone, anchored.date() + timedelta(days=index), anchored.hour * 3600 + anchored.minute * 60 + anchored.second)
            opens = first + delay
        return Window(
            wall(zone, opens).date(), zone, opens - slot.get("visible_before", 0), opens,
            opens + slot["due_after"], opens + slot["close_after"], exists)


# What has become of occasions


def set_aside(course, window):
    if not window.exists:
        return "nonexistent"
    if course.left is not None and window.close > course.left:
        return "withdrawn"
    held = any(begin <= window.open and (end is None or window.due < end) for begin, end in course.pauses)
    return "paused" if held else None


def state(window, aside, completed, now):
    if completed is not None:
        return "completed_on_time" if completed <= window.due else "completed_late"
    if aside:
        return aside
    if now < window.open:
        return "upcoming"
    if now >= window.close:
        return "missed"
    return "open" if now <= window.due else "overdue"


def occasion_id(enrolment, key):
    schedule, instance, day, slot = key
    fields = [
        b"saunter.occasion", enrolment.bytes, schedule.encode(), instance.encode(), day.to_bytes(8, "big", signed=True),
        slot.to_bytes(8, "big", signed=True)]
    digest = bytearray(hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in fields)).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))
