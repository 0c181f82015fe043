"""The windows of variables, and the windows before them."""

import re

from .values import DAY


class Window:
    """`span`: the first and last local date; None if it is unlimited or does not exist."""

    def __init__(self, contains, span=None, starts=None):
        self.contains, self.span, self.starts = contains, span, starts


def window(definition, facts):
    today = facts.today
    if definition is None:
        return Window(lambda fact: True)
    if isinstance(definition, dict) and ("since" in definition or "while" in definition):
        start = facts.events.get(definition["since"]) if "since" in definition else facts.active_entry(definition["while"])
        if start is None:
            return Window(lambda fact: False)
        # A device with an offset of another zone can have a later date than today.
        return Window(lambda fact: fact.moment >= start.moment and fact.date <= today, (min(start.date, today), today))
    first, last = span(definition, today)
    return Window(lambda fact: first <= fact.date <= last, (first, last))


def span(definition, today):
    if isinstance(definition, dict):
        length, ending = days_of(definition["last"]), days_of(definition.get("ending", "0d"))
        return today - DAY * (length + ending - 1), today - DAY * ending
    month = today.replace(day=1)
    return {
        "today": (today, today),
        "this_week": (monday(today), today),
        "this_month": (month, today),
        "last_month": ((month - DAY).replace(day=1), month - DAY),
    }[definition]


def previous_span(definition, today):
    """The window before this one: so many dates, or the calendar unit."""
    first, last = span(definition, today)
    if isinstance(definition, dict):
        length = days_of(definition["last"])
        return first - DAY * length, last - DAY * length
    return {
        "today": (today - DAY, today - DAY),
        "this_week": (first - DAY * 7, first - DAY),
        "this_month": ((first - DAY).replace(day=1), first - DAY),
        "last_month": ((first - DAY).replace(day=1), first - DAY),
    }[definition]


def days_of(text):
    found = re.fullmatch(r"(\d+)d", text)
    return int(found[1])


def monday(date):
    return date - DAY * date.weekday()
