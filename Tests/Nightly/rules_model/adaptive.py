"""The adaptive time of day: the hour at which a variable is lowest or highest."""

from fractions import Fraction

from .pack import seconds, time_of_day


def adaptive_time(pack, definition, result, dates):
    """Seconds since 00:00.

    - result: the variable `by` when the local date began
    - dates: the number of local dates with an entry
    """
    needs = definition["needs"]
    otherwise = time_of_day(definition["otherwise"])
    n, total = [0] * 24, [Fraction(0)] * 24
    for entry in result.entries:
        if entry.value is not None:
            n[int(entry.key)] = entry.n
            total[int(entry.key)] = entry.value * entry.n
    if sum(n) < needs["entries"] or dates < needs["days"] or sum(n) == 0:
        return otherwise
    whole_mean = sum(total) / sum(n)
    ahead, earliest, latest = seconds(definition["ahead"]), time_of_day(definition["from"]), time_of_day(definition["to"])
    candidates = []
    for hour in range(24):
        time = hour * 3600 - ahead
        if n[hour] and earliest <= time <= latest and not is_quiet(pack, time):
            before, after = (hour - 1) % 24, (hour + 1) % 24
            weight = Fraction(n[before], 4) + Fraction(n[hour], 2) + Fraction(n[after], 4)
            smooth = (total[before] / 4 + total[hour] / 2 + total[after] / 4) / weight
            shrunk = whole_mean + (smooth - whole_mean) * weight / (weight + 3)
            candidates.append((shrunk if definition["seek"] == "low" else -shrunk, hour, time))
    return min(candidates)[2] if candidates else otherwise


def is_quiet(pack, time):
    """Whether a time of day, in seconds, is in the quiet hours."""
    start, end = pack.quiet_from, pack.quiet_to
    return start <= time < end if start <= end else time >= start or time < end
