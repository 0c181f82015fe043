"""Instants as the API writes them, ids as clients make them, and a zone in which it is evening."""

import datetime
import os
import time
import uuid
import zoneinfo

# One zone for every hour of the day, also while some of them have summer time; none with half hours.
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
    """A zone whose clock says this hour, whenever the tests run: the evening questionnaire is open there, and mail may be sent."""
    moment = now()
    for name in _ZONES:
        if moment.astimezone(zoneinfo.ZoneInfo(name)).hour == hour:
            return name
    raise LookupError(f"it is {hour} o'clock nowhere")


def local(zone, moment=None):
    return (moment or now()).astimezone(zoneinfo.ZoneInfo(zone))


def new_id():
    """A UUID of version 7."""
    head = int(time.time() * 1000).to_bytes(6, "big")
    rest = bytearray(os.urandom(10))
    rest[0] = rest[0] & 0x0F | 0x70
    rest[2] = rest[2] & 0x3F | 0x80
    return str(uuid.UUID(bytes=head + bytes(rest)))
