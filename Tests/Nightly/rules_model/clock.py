"""The participant's clock over time, and local times as instants."""

import datetime
import functools
import zoneinfo

from variables_model.values import DAY, UTC

MICROSECOND = datetime.timedelta(microseconds=1)


class Clock:
    """Shows the local time of the zone in which the participant is."""

    def __init__(self, zones):
        """`zones`: pairs of the first instant and the name of the zone, in order. The first zone is also that of the time before."""
        self.zones = zones

    def known_at(self, now):
        """The clock as it is known at an instant. Later journeys are not known."""
        return Clock(self.zones[:1] + [zone for zone in self.zones[1:] if zone[0] <= now])

    def zone(self, moment):
        return [zone for start, zone in self.zones if start <= moment or start == self.zones[0][0]][-1]

    def local(self, moment):
        """Local date and time, without a zone."""
        return naive(moment, self.zone(moment))

    def date(self, moment):
        return self.local(moment).date()

    def instant(self, date, seconds=0):
        """The first instant at which the clock shows this local time or a later one."""
        wanted = midnight(date) + datetime.timedelta(seconds=seconds)
        starts = [None, *(start for start, _ in self.zones[1:])]
        ends = [*starts[1:], None]
        for (_, zone), start, end in zip(self.zones, starts, ends):
            moment = first_at(wanted, zone, start)
            if end is None or moment < end:
                return moment
        raise AssertionError("the last zone has no end")

    def months_later(self, moment, months):
        # A local time has whole seconds.
        local = self.local(moment).replace(microsecond=0)
        date = add_months(local.date(), months)
        return self.instant(date, seconds_of(local))


def naive(moment, zone):
    return moment.astimezone(zone_named(zone)).replace(tzinfo=None)


@functools.cache
def zone_named(name):
    return zoneinfo.ZoneInfo(name)


def midnight(date):
    return datetime.datetime(date.year, date.month, date.day)


def seconds_of(local):
    return (local - midnight(local.date())).total_seconds()


def first_at(wanted, zone, start=None):
    """The first instant, from `start`, at which a clock in this zone shows the wanted local time or a later one."""
    if start is not None and naive(start, zone) >= wanted:
        return start
    # A clock shows a time at most twice; between them it is set back once.
    for fold in (0, 1):
        moment = wanted.replace(tzinfo=zone_named(zone), fold=fold).astimezone(UTC)
        if naive(moment, zone) == wanted and (start is None or moment >= start):
            return moment
    # The zone skips the time. Then the first instant after the gap is the first one that shows a later time.
    earlier, later = moment - DAY, moment + DAY
    while later - earlier > MICROSECOND:
        middle = earlier + (later - earlier) // 2
        if naive(middle, zone) >= wanted:
            later = middle
        else:
            earlier = middle
    return later


def add_months(date, months):
    """The same day some months later, or the last day of that month."""
    index = date.year * 12 + date.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return datetime.date(year, month, min(date.day, month_length(year, month)))


def month_length(year, month):
    following = datetime.date(year + month // 12, month % 12 + 1, 1)
    return (following - DAY).day
