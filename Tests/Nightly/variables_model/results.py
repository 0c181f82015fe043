"""The value of a variable or of a key, with its reason and the number of values it rests on."""

import datetime
import math
from fractions import Fraction

from .values import shown


class Result:
    """The value of one variable, or of one key."""

    def __init__(self, value=None, n=0, reason=None, best=None, last_on=None):
        self.value, self.n, self.reason, self.best, self.last_on = value, n, reason, best, last_on
        self.entries, self.span = None, None
        self.key = None

    def named(self, key):
        self.key = key
        return self

    def json(self):
        return {
            "value": shown(self.value), "n": self.n, "reason": self.reason,
            "window": {"from": shown(self.span[0]), "to": shown(self.span[1])} if self.span else None,
            "entries": None if self.entries is None else [entry.entry_json() for entry in self.entries],
            "best": self.best, "last_on": shown(self.last_on),
        }

    def entry_json(self):
        return {
            "key": self.key, "value": shown(self.value), "n": self.n, "reason": self.reason, "best": self.best,
            "last_on": shown(self.last_on),
        }


def too_few(n):
    return Result(n=n, reason="too_few")


def statistic(kind, numbers):
    n = len(numbers)
    match kind:
        case "sum":
            return Result(sum(numbers), n)
        case "mean":
            return Result(sum(numbers) / n, n)
        case "min":
            return Result(min(numbers), n)
        case "max":
            return Result(max(numbers), n)
    if n < 2:
        return Result(n=n, reason="undefined")
    mean = sum(numbers) / n
    variance = sum((number - mean) ** 2 for number in numbers) / (n - 1)
    return Result(square_root(variance), n)


def square_root(number):
    """To about 30 digits, so that the nearest double is exact enough."""
    return Fraction(math.isqrt(number.numerator * 10**60 // number.denominator), 10**30)


def slope(points):
    """Least squares per day."""
    first = points[0][0]
    xs = [Fraction((moment - first) // datetime.timedelta(milliseconds=1), 86_400_000) for moment, _ in points]
    if len(set(xs)) < 2:
        return Result(n=len(points), reason="undefined")
    mean_x, mean_y = sum(xs) / len(xs), sum(y for _, y in points) / len(points)
    above = sum((x - mean_x) * (y - mean_y) for x, (_, y) in zip(xs, points))
    return Result(above / sum((x - mean_x) ** 2 for x in xs), len(points))


def difference(now, before, never_null):
    """The change between two results of one variable. An absent key of a count is 0."""
    if now.entries is None:
        return minus(now, before)
    absent = (lambda: Result(Fraction(0))) if never_null else (lambda: too_few(0))
    present, past = ({entry.key: entry for entry in result.entries} for result in (now, before))
    result = Result(n=now.n)
    result.entries = [
        minus(present.get(key) or absent(), past.get(key) or absent()).named(key)
        for key in [*present, *(key for key in past if key not in present)]]
    return result


def minus(now, before):
    if now.value is None or before.value is None:
        return Result(n=now.n, reason=now.reason if now.value is None else before.reason)
    return Result(now.value - before.value, now.n)
