"""Values: exact numbers, dates and instants, and how the output shows them."""

import datetime
from fractions import Fraction

UTC = datetime.timezone.utc
DAY = datetime.timedelta(days=1)


def exact(number):
    return number if isinstance(number, Fraction) else Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def is_number(value):
    return isinstance(value, Fraction)


def shown(value):
    """A value as in the output: numbers as doubles, dates and instants as text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03}Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S") if value.second else value.strftime("%H:%M")
    return [shown(part) for part in value]


def plain(number):
    """A number without exponent and without zeros at its end."""
    if number.denominator == 1:
        return str(number.numerator)
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    scaled = abs(number.numerator * 10**digits // number.denominator)
    whole, rest = divmod(scaled, 10**digits)
    return f"{'-' if number < 0 else ''}{whole}.{rest:0{digits}}"


def rounded_half_even(number, places):
    # Python rounds fractions half to even.
    return Fraction(round(number * 10**places), 10**places)


def known(number):
    return None if number is None else exact(number)


def dates(first, last):
    return (first + DAY * offset for offset in range((last - first).days + 1))


def as_list(value):
    return value if isinstance(value, list) else [value]


def as_key(option):
    """An integer option is a number."""
    return Fraction(option) if isinstance(option, int) and not isinstance(option, bool) else option


def key_text(key):
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, Fraction):
        return plain(key)
    if isinstance(key, tuple):
        return ",".join(map(plain, key))
    return key.isoformat() if isinstance(key, datetime.date) else str(key)
