"""The decision points of rules that follow from time."""

import collections
import dataclasses
import datetime
import functools
import itertools

from variables_model.expressions import Scope
from variables_model.values import DAY, dates, shown
from variables_model.windows import monday

from .adaptive import adaptive_time
from .clock import month_length
from .draws import Draw
from .pack import kind, months, seconds, time_of_day, weekday
from .state import State

SEVEN_DAYS = datetime.timedelta(days=7)


@dataclasses.dataclass
class Point:
    rule: dict
    name: str
    moment: datetime.datetime
    expires_at: datetime.datetime
    key: str = ""


Named = collections.namedtuple("Named", "moment name key")


def expiry(rule, moment, following=None):
    if "valid_for" in rule:
        return moment + datetime.timedelta(seconds=seconds(rule["valid_for"]))
    return min(moment + SEVEN_DAYS, following or moment + SEVEN_DAYS)


def points_between(rule, state, first, last):
    """The points with `first` <= moment <= `last` as far as the state shows them, in order."""
    match kind(rule):
        case "after":
            made = series(rule, state)
        case "calendar" | "per_day" | "cycle":
            made = dated(rule, state, first, last)
        case "adaptive":
            made = adaptive(rule, state, first, last)
        case "reached" if "first_after" in rule["at"]:
            made = iter(sorted(reached_later(rule, state), key=lambda named: named.moment))
        case "published":
            made = iter(sorted(
                Named(moment, f"edition:{edition}", item) for moment, collection, edition, item in state.whole.publications
                if collection == rule["at"]["published"]))
        case _:
            return []
    found = []
    has_next = kind(rule) in ("after", "calendar", "per_day", "cycle")
    limited = itertools.takewhile(lambda named: named.moment <= last + SEVEN_DAYS, made)
    for named, following in with_next(limited):
        if named.moment > last:
            break
        if named.moment < first:
            continue
        if kind(rule) == "adaptive" and "valid_for" not in rule:
            # Until the date ends.
            expires_at = state.clock.instant(datetime.date.fromisoformat(named.name) + DAY)
        else:
            expires_at = expiry(rule, named.moment, following.moment if has_next and following else None)
        found.append(Point(rule, named.name, named.moment, expires_at, named.key))
    return found


def with_next(items):
    return itertools.pairwise(itertools.chain(items, [None]))


# after


def series(rule, state):
    at = rule["at"]
    start = start_of(at["after"], state)
    if start is None:
        return
    moment, name = start
    most = at.get("at_most") or (None if "repeat_every" in at else 1)
    inactive = at["after"] == "inactive"
    first = seconds(at["first_after"])
    for number in itertools.count(1):
        if most is not None and number > most:
            return
        if number > 1 and (count := months(at["repeat_every"])):
            yield Named(state.clock.months_later(elapsed(moment, first), count * (number - 1)), f"{name}#{number}", "")
            continue
        passed = first + (seconds(at["repeat_every"]) * (number - 1) if number > 1 else 0)
        reached = without_breaks(moment, passed, state) if inactive else elapsed(moment, passed)
        if reached is None:
            return
        yield Named(reached, f"{name}#{number}", "")


def elapsed(moment, passed):
    return moment + datetime.timedelta(seconds=passed)


def without_breaks(moment, passed, state):
    """The instant at which so much time has passed outside breaks that are known; None if a break does not end."""
    left = datetime.timedelta(seconds=passed)
    known = sorted(pause for pause in state.whole.breaks if pause[0] <= state.at)
    for start, end in known:
        start = max(start, moment)
        if end <= start:
            continue
        if moment + left <= start:
            break
        left -= start - moment
        # The end of a break is not known before it.
        if end > state.at:
            return None
        moment = end
    return moment + left


def start_of(after, state):
    """The moment from which a series counts, and its name."""
    facts = state.facts
    match after:
        case "enrolment":
            return facts.enrolled_at, "enrolment"
        case "inactive":
            active = [sheet.moment for sheet in facts.sheets if sheet.questionnaire not in state.whole.pack.settings]
            moment = max([*active, *(one.moment for one in state.whole.recordings if one.moment <= state.at)], default=facts.enrolled_at)
            return moment, f"inactive@{shown(moment)}"
        case {"event": code}:
            if code in facts.events:
                return facts.events[code].moment, f"event:{code}@{shown(facts.events[code].moment)}"
        case {"first_completion": questionnaire} | {"last_completion": questionnaire}:
            if sheets := facts.of(questionnaire):
                sheet = sheets[0 if "first_completion" in after else -1]
                return sheet.moment, f"sheet:{sheet.sheet_id}"
        case {"variable": name}:
            value = state.variables.result(name).value
            if value is not None:
                return value, f"variable:{name}@{shown(value)}"
    return None


# calendar, per_day, cycle


def dates_between(state, first, last):
    """The local dates whose points can be between these instants or in the seven days after them."""
    # A journey over the date line can delay points by two dates.
    return dates(state.clock.date(first) - DAY * 3, state.clock.date(last + SEVEN_DAYS) + DAY * 2)


def dated(rule, state, first, last):
    for date in dates_between(state, first, last):
        named = [Named(state.clock.instant(date, time), name, key) for time, name, key in of_date(rule, state, date)]
        yield from sorted(named, key=lambda one: one.moment)


def of_date(rule, state, date):
    at = rule["at"]
    match kind(rule):
        case "calendar":
            calendar = at["calendar"]
            if "weekdays" in calendar and date.isoweekday() not in map(weekday, state.values(calendar["weekdays"])):
                return []
            if "days_of_month" in calendar:
                length = month_length(date.year, date.month)
                if date.day not in [min(int(day), length) for day in state.values(calendar["days_of_month"])]:
                    return []
            times = sorted(map(time_of_day, state.values(calendar["times"])))
            return [(time, f"{date}#{number}", "") for number, time in enumerate(times, 1)]
        case "per_day":
            return [(time, f"{date}#{number}", "") for number, time in enumerate(times_of_day(rule, state, date), 1)]
        case "cycle":
            cycle = at["cycle"]
            enrolled = state.facts.local(state.facts.enrolled_at).date()
            since = cycle["since"]["study_date"] if "since" in cycle else monday(enrolled)
            every = seconds(cycle["every"]) // 86_400
            span, rest = divmod((date - since).days, every)
            if rest or span < 0:
                return []
            return [(time_of_day(cycle["time"]), str(date), cycle["over"][span % len(cycle["over"])])]


def times_of_day(rule, state, date):
    per_day = rule["at"]["per_day"]
    start, gap = time_of_day(per_day["from"]), seconds(per_day["minimum_gap"])
    span = time_of_day(per_day["to"]) - start
    count = int(state.value(per_day["count"]) or 0)
    if count < 1:
        return []
    if per_day["spread"] == "even":
        count = min(count, max(span // gap, 1))
        return [start + (2 * index + 1) * span // (2 * count) for index in range(count)]
    count = min(count, span // gap + 1)
    numbers = drawn(state.whole.seed, state.whole.enrolment, rule["code"], str(date), count, span - (count - 1) * gap + 1)
    return [start + number + index * gap for index, number in enumerate(numbers)]


@functools.lru_cache(maxsize=10_000)
def drawn(seed, enrolment, rule, point, count, bound):
    draw = Draw(seed, enrolment, rule, point, "")
    return sorted(draw.below(bound) for _ in range(count))


# adaptive


def adaptive(rule, state, first, last):
    for date in dates_between(state, first, last):
        # What later records and journeys change are only later points.
        yield Named(state.whole.clock.instant(date, adaptive_second(rule, state.whole, date)), str(date), "")


def adaptive_second(rule, whole, date):
    known = whole.__dict__.setdefault("adaptive_times", {})
    if (rule["code"], date) not in known:
        definition = rule["at"]["adaptive"]
        before = State(whole, whole.clock.instant(date))
        before.facts.today = date
        result = before.variables.result(definition["by"])
        variable = whole.pack.variables[definition["by"]]
        counted = [
            fact.date for fact in before.variables._facts_of(variable)
            if (result.span is None or result.span[0] <= fact.date <= result.span[1])
            and before.variables._number(fact, variable["mean"]) is not None]
        known[rule["code"], date] = adaptive_time(whole.pack, definition, result, len(set(counted)))
    return known[rule["code"], date]


# reached, with first_after


def keys_of(rule, *states):
    """The keys for which the condition is evaluated."""
    over = rule["at"].get("over")
    if over is None:
        return [""]
    return list(dict.fromkeys(entry.key for state in states for entry in state.variables.result(over).entries))


def is_true(condition, state, key):
    scope = Scope(state.variables, today=state.facts.today, it=key or None, key=key or None)
    return scope.value(condition) is True


def transitions(rule, before, after):
    """The keys for which a record makes the condition true."""
    condition = rule["at"]["reached"]
    return [key for key in keys_of(rule, after) if is_true(condition, after, key) and not is_true(condition, before, key)]


def reached_later(rule, state):
    """Known after the sheets of the same instant are decided one after the other."""
    whole = state.whole
    made = whole.__dict__.setdefault("later_points", {})
    for sheet in whole.sheets:
        if sheet.moment > state.at:
            continue
        if (rule["code"], sheet.sheet_id) not in made:
            following = [other for other in whole.sheets if other.moment == sheet.moment and other.sheet_id >= sheet.sheet_id]
            after = State(whole, sheet.moment, without=[other for other in following if other is not sheet])
            made[rule["code"], sheet.sheet_id] = transitions(rule, State(whole, sheet.moment, without=following), after)
        for key in made[rule["code"], sheet.sheet_id]:
            yield Named(elapsed(sheet.moment, seconds(rule["at"]["first_after"])), f"sheet:{sheet.sheet_id}", key)
