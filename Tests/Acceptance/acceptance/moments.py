"""Instants in the API's format, ids like those of clients, and a time zone in which it is evening."""

import datetime
import os
import time
import uuid
import zoneinfo

# At least one zone for each hour of the day, with and without summer time. All offsets are full hours.
_ZONES = """
Pacific/Pago_Pago Pacific/Honolulu Pacific/Gambier America/Anchorage America/Los_Angeles America/Denver America/Chicago America/New_York
America/Halifax America/Sao_Paulo Atlantic/South_Georgia Atlantic/Cape_Verde Africa/Abidjan Africa/Lagos Africa/Johannesburg
Africa/Nairobi Asia/Dubai Asia/Karachi Asia/Dhaka Asia/Bangkok Asia/Shanghai Asia/Tokyo Australia/Brisbane Pacific/Guadalcanal
Pacific/Fiji Pacific/Tongatapu Pacific/Kiritimati
""".split()


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def after(moment=None, **span):
    return (moment or now()) + datetime.timedelta(**span)


def instant(moment=None):
    """RFC 3339 in UTC with milliseconds."""
    return (moment or now()).astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def read(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def evening_zone(hour=18):
    """A zone in which it is this hour now. At 18 o'clock the evening questionnaire is open, and it is outside quiet hours."""
    moment = now()
    for name in _ZONES:
        if moment.astimezone(zoneinfo.ZoneInfo(name)).hour == hour:
            return name
    raise LookupError(f"no zone in which it is {hour} o'clock")


def local(zone, moment=None):
    return (moment or now()).astimezone(zoneinfo.ZoneInfo(zone))


def new_id():
    """A UUID of version 7."""
    head = int(time.time() * 1000).to_bytes(6, "big")
    rest = bytearray(os.urandom(10))
    rest[0] = rest[0] & 0x0F | 0x70
    rest[2] = rest[2] & 0x3F | 0x80
    return str(uuid.UUID(bytes=head + bytes(rest)))
