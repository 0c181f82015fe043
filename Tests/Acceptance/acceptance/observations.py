"""Bodies of observations and data points."""

from .moments import after, instant, new_id, now

LOINC = "http://loinc.org"


def code(name):
    return {"system": LOINC, "code": name}


def pulse(zone, **change):
    """A heart rate every ten seconds. The third value is missing."""
    start = after(seconds=-600)
    return {
        "code": code("8867-4"), "started_at": instant(start), "ended_at": instant(after(start, seconds=60)), "time_zone": zone,
        "device": {"model": "Band 3"}, "t_ms": [0, 10_000, 20_000, 30_000],
        "components": [{"unit": "/min", "values": [80, 82.5, None, 90]}],
    } | change


def pressure(zone, **change):
    start = now()
    return {
        "code": code("85354-9"), "started_at": instant(start), "ended_at": instant(start), "time_zone": zone, "modality": "self_reported",
        "t_ms": [0],
        "components": [
            {"code": code("8480-6"), "unit": "mm[Hg]", "values": [121]}, {"code": code("8462-4"), "unit": "mm[Hg]", "values": [79]},
        ],
    } | change


def point(schema, body, version="1.0", at=None, **header):
    """A data point. `at` is an instant, or a start and an end."""
    at = at or instant()
    frame = {"date_time": at} if isinstance(at, str) else {"time_interval": {"start_date_time": at[0], "end_date_time": at[1]}}
    return {
        "header": {
            "id": new_id(), "creation_date_time": instant(), "schema_id": {"namespace": "omh", "name": schema, "version": version},
            "acquisition_provenance": {"source_name": "Band 3", "modality": "sensed"}, "user_id": "ada@example.org",
        } | header,
        "body": body | {"effective_time_frame": frame},
    }
