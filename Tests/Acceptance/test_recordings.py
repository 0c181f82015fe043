"""The same activity in three recording formats is one walk.

The recordings are two rides from the examples of the PyPI package `sweat`. The short ride has a pause of half a minute, and its laps in TCX
state times that include the pause. The long ride has neither.
"""

import collections
import datetime
import gzip
import json
import struct
from random import Random

import pytest

from acceptance.moments import new_id
from acceptance.recordings import fetch

SHORT = {"fit": "2020-06-01-16-52-40.fit", "tcx": "activity_5039744860.tcx", "gpx": "activity_5039744860.gpx"}
LONG = {"fit": "4078723797.fit", "tcx": "activity_4078723797.tcx", "gpx": "activity_4078723797.gpx"}
# Active seconds, mean heart rate weighted by time with gaps of at most 30 s, and metres in active time. In the pause of the short ride the
# wheel turned for another 7.68 m, which the 668.19 m of the watch include.
EXPECTED = [(SHORT, 94.0, 150.03, 660.51), (LONG, 8356.0, 164.71, 57567.24)]
TYPES = {"fit": "application/vnd.ant.fit", "tcx": "application/vnd.garmin.tcx+xml", "gpx": "application/gpx+xml"}


def check(summaries, active_s, heart_rate, distance_m):
    """Compares with tolerances that follow from the formats.

    - Time: all formats have whole seconds and the same first and last point. Exact.
    - Heart rate: all formats have the same points, and points that occur in two laps count once. Exact to the two shown decimals.
    - Distance: FIT and TCX contain the distance of the wheel, TCX as a 32-bit float. Tolerance 1 cm. GPX contains positions, and the distance is
      computed between them. It lacks the distance before the first point, which is at most one second. Further tolerance 0.1 %.
    """
    for format, summary in summaries.items():
        assert summary["active_s"] == active_s, format
        assert summary["mean_heart_rate_bpm"] == heart_rate, format
        tolerance = 0.001 * distance_m + distance_m / active_s if format == "gpx" else 0.01
        assert summary["distance_m"] == pytest.approx(distance_m, abs=tolerance), format
        assert summary["coverage"] > 0.99, format


@pytest.mark.parametrize("files, active_s, heart_rate, distance_m", EXPECTED, ids=["short", "long"])
def test_one_activity_in_three_formats_is_one_walk_over_http(participant, files, active_s, heart_rate, distance_m):
    ada = participant()
    summaries = {}
    for format, name in files.items():
        answer = ada.call(
            "POST", ada.own("/walk-imports"), data=fetch(name), headers={"Content-Type": TYPES[format]}, status=201)
        assert answer["format"] == format and [item["result"] for item in answer["items"]] == ["accepted"]
        summaries[format] = answer["items"][0]["receipt"]["summary"]
        assert answer["items"][0]["receipt"]["flags"] == ["calibration_missing", "not_a_walk", "before_enrolment"]
        assert answer["items"][0]["receipt"]["sport"] == "cycling"
    check(summaries, active_s, heart_rate, distance_m)
    assert len(ada.pages(ada.own("/walks"))) == 3


@pytest.mark.parametrize("files, active_s, heart_rate, distance_m", EXPECTED, ids=["short", "long"])
def test_one_activity_in_three_formats_is_one_walk_with_the_command(participant, server, tmp_path, files, active_s, heart_rate, distance_m):
    ada = participant()
    for name in files.values():
        (tmp_path / name).write_bytes(fetch(name))
    lines = server.run("import-walk", *(tmp_path / name for name in files.values()), "--zone", ada.zone).splitlines()
    answers = [ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=json.loads(line), status=201) for line in lines]
    check(dict(zip(files, (answer["summary"] for answer in answers))), active_s, heart_rate, distance_m)


def test_a_second_import_of_the_same_file_changes_nothing(participant):
    ada, data = participant(), fetch(SHORT["fit"])
    sent = {"data": data, "headers": {"Content-Type": "application/octet-stream"}}
    first = ada.call(
        "POST", ada.own("/walk-imports"), status=201, data=gzip.compress(data),
        headers={"Content-Type": "application/vnd.ant.fit", "Content-Encoding": "gzip"})
    # The same with another time zone.
    again = ada.call("POST", ada.own("/walk-imports") + "?time_zone=Asia/Tokyo&format=fit", status=200, **sent)
    assert [item["result"] for item in again["items"]] == ["replayed"]
    assert again["items"][0]["id"] == first["items"][0]["id"]
    assert again["items"][0]["receipt"] | {"replayed": False} == first["items"][0]["receipt"]
    assert len(ada.pages(ada.own("/walks"))) == 1
    # A deleted walk is confirmed and stays deleted.
    ada.call("DELETE", ada.own(f"/walks/{first['items'][0]['id']}"), status=204)
    deleted = ada.call("POST", ada.own("/walk-imports"), status=200, **sent)
    assert [item["result"] for item in deleted["items"]] == ["replayed"]
    assert deleted["items"][0]["receipt"] == again["items"][0]["receipt"]
    assert ada.pages(ada.own("/walks")) == []


def grown(export):
    """A later export: one more record in the walk of the first export, and another walk."""
    record, _, rest = export.partition("<Workout")
    more = record[record.index("<Record"):record.index("<Record", record.index("<Record") + 1)]
    walk = "<Workout" + rest.partition("</Workout>")[0] + "</Workout>"
    return export.replace("<Workout", more.replace("10:00:00", "10:00:40") + "<Workout", 1).replace(
        "</HealthData>", walk.replace(" 10:0", " 11:0") + "</HealthData>")


def test_the_command_imports_a_later_export_too(participant, server, tmp_path):
    ada = participant()
    token, export = tmp_path / "token", tmp_path / "export.xml"
    token.write_text(ada.tokens["access_token"])

    def imported(text, *more, status=0):
        export.write_text(text)
        output = server.run(
            "import-walk", export, "--url", server.url, "--enrolment", ada.enrolment["enrolment_id"], "--token-file", token, *more,
            status=status)
        return [json.loads(line) for line in output.splitlines()]

    first = imported(HEALTHKIT)
    assert [walk["replayed"] for walk in first] == [False]
    assert imported(HEALTHKIT, "--zone", "Asia/Tokyo") == [first[0] | {"replayed": True}]
    later = imported(grown(HEALTHKIT))
    assert later[0] == first[0] | {"replayed": True} and later[1]["replayed"] is False
    assert len(ada.pages(ada.own("/walks"))) == 2
    # A rejected walk, here one of two days, does not affect the following one.
    wrong = grown(HEALTHKIT).replace("2026-05-01 10:02:00", "2026-05-03 10:02:00").replace(" 11:0", " 12:0")
    assert [walk["started_at"][11:16] for walk in imported(wrong, status=1)] == ["10:00"]
    ada.call("DELETE", ada.own(f"/walks/{first[0]['walk_id']}"), status=204)
    assert imported(grown(HEALTHKIT))[0] == {"walk_id": first[0]["walk_id"], "replayed": True}
    assert len(ada.pages(ada.own("/walks"))) == 2


def test_each_session_of_a_file_is_a_walk(participant):
    ada = participant()
    answer = ada.call(
        "POST", ada.own("/walk-imports"), data=fetch("6471559601_ACTIVITY.fit"), headers={"Content-Type": TYPES["fit"]}, status=201)
    assert [item["receipt"]["started_at"][11:19] for item in answer["items"]] == ["10:48:16", "10:48:40", "10:48:52"]


HEALTHKIT = """<?xml version="1.0"?><!DOCTYPE HealthData [<!ELEMENT HealthData ANY>]><HealthData locale="en_GB">
<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ada Canary’s Watch" unit="count/min" startDate="2026-05-01 10:00:00 +0200"
 endDate="2026-05-01 10:00:00 +0200" value="90"/>
<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ada Canary’s Watch" unit="count/min" startDate="2026-05-01 10:00:20 +0200"
 endDate="2026-05-01 10:00:20 +0200" value="96"/>
<Workout workoutActivityType="HKWorkoutActivityTypeWalking" duration="1.5" durationUnit="min" sourceName="Ada Canary’s Watch"
 startDate="2026-05-01 10:00:00 +0200" endDate="2026-05-01 10:02:00 +0200">
<WorkoutEvent type="HKWorkoutEventTypePause" date="2026-05-01 10:01:00 +0200"/>
<WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-05-01 10:01:30 +0200"/>
<WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="0.12" unit="km"/></Workout></HealthData>"""


def test_a_truncated_or_changed_recording_is_rejected(participant):
    ada, data = participant(), fetch(SHORT["fit"])
    for wrong, reason in ((data[:-1], "truncated"), (data[:500] + bytes([data[500] ^ 1]) + data[501:], "checksum")):
        problem = ada.problem(
            "POST", ada.own("/walk-imports"), 422, "recording-invalid", data=wrong, headers={"Content-Type": TYPES["fit"]})
        assert reason in problem["errors"][0]["detail"]


def checksum(data):
    """The checksum of a FIT file."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return struct.pack("<H", value)


def fit(messages):
    head = struct.pack("<BBHI4s", 12, 0x20, 100, len(messages), b".FIT")
    return head + messages + checksum(head + messages)


def damaged(data, random):
    """Truncates the data, or changes up to four bytes. Half of the FIT files get a correct checksum, so that their messages are read."""
    if random.random() < 0.25:
        return data[:random.randrange(len(data))]
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    if data[8:12] == b".FIT" and random.random() < 0.5:
        return bytes(data[:-2]) + checksum(data[:-2])
    return bytes(data)


@pytest.mark.parametrize("name", [*SHORT.values(), "export.xml"])
def test_a_damaged_recording_gives_walks_or_one_clear_error(participant, name):
    """A hundred kinds of damage for each format, chosen by a fixed seed."""
    ada, random = participant(), Random(name)
    data = HEALTHKIT.encode() if name == "export.xml" else fetch(name)
    answers = collections.Counter()
    for _ in range(100):
        response = ada.call(
            "POST", ada.own("/walk-imports"), data=damaged(data, random), headers={"Content-Type": "application/octet-stream"})
        answers[response.status_code] += 1
        if response.status_code == 422:
            assert response.json()["type"].endswith(("/recording-invalid", "/walk-invalid")) and response.json()["errors"][0]["detail"]
    assert set(answers) <= {200, 201, 422} and answers[422] > 0, answers
    assert ada.call("GET", "/health/ready", token=False).status_code == 200


BOMB = '<!DOCTYPE gpx [<!ENTITY a "' + "a" * 1000 + '">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 100}">' for before, name in zip("abcd", "bcde")) + "]>"
HOLES = "".join(
    f"<Track><Trackpoint><Time>{datetime.datetime.fromtimestamp(1_777_622_400 + index * 60, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}</Time></Trackpoint></Track>"
    for index in range(100_000))
HOSTILE = {
    "entities of entities": (f"{BOMB}<gpx><trk><name>&e;</name></trk></gpx>".encode(), 422),
    "entities of entities for a time": (
        f'{BOMB}<gpx><trk><trkseg><trkpt lat="1" lon="1"><time>&e;</time></trkpt></trkseg></trk></gpx>'.encode(), 422),
    "three hundred thousand points": (b"<gpx><trk><trkseg>" + b'<trkpt lat="1" lon="1"/>' * 300_000 + b"</trkseg></trk></gpx>", 422),
    "a hundred thousand tracks of a point each": (
        f'<TrainingCenterDatabase><Activities><Activity><Lap StartTime="2026-05-01T08:00:00Z"><TotalTimeSeconds>9</TotalTimeSeconds>{HOLES}'
        "</Lap></Activity></Activities></TrainingCenterDatabase>".encode(), 422),
    "a hundred thousand empty tracks": (b"<gpx>" + b"<trk/>" * 100_000 + b"</gpx>", 422),
    # A definition with 255 fields of zero bytes, and a million messages of one byte with this definition.
    "a million messages of nothing": (fit(bytes([0x40, 0, 0, 20, 0, 255]) + bytes([3, 0, 2]) * 255 + bytes(1_000_000)), 422),
    "a field longer than the file": (fit(bytes([0x40, 0, 0, 20, 0, 1, 3, 255, 2, 0, 1])), 422),
    "a length of four gigabytes": (struct.pack("<BBHI4s", 12, 0x20, 100, 0xFFFF_FFFF, b".FIT") + bytes(100), 422),
}


@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_file_is_rejected_quickly(participant, title):
    ada = participant()
    data, status = HOSTILE[title]
    answer = ada.call(
        "POST", ada.own("/walk-imports"), data=gzip.compress(data),
        headers={"Content-Type": "application/octet-stream", "Content-Encoding": "gzip"})
    assert answer.status_code == status and len(answer.content) < 10_000
    assert answer.json()["errors"][0]["detail"]


def test_a_file_that_expands_beyond_the_limit_is_rejected(participant):
    ada = participant()
    for data in (gzip.compress(b"<gpx>" + b" " * (17 << 20)), gzip.compress(gzip.compress(bytes(200 << 20)))):
        answer = ada.call(
            "POST", ada.own("/walk-imports"), data=data, headers={"Content-Type": "application/gpx+xml", "Content-Encoding": "gzip"})
        assert answer.status_code in (413, 422) and answer.json()["type"].endswith(("/body-too-large", "/recording-invalid"))


def test_a_long_export_is_read_in_little_memory(server, tmp_path):
    """Tens of megabytes of records before the walks need no additional memory."""
    short, long = tmp_path / "short.xml", tmp_path / "export.xml"
    head, _, rest = HEALTHKIT.partition("<Record")
    filler = (
        '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" creationDate="2025-05-01 10:00:00 +0200"'
        ' startDate="2025-05-01 10:00:00 +0200" endDate="2025-05-01 10:00:20 +0200" value="9"><MetadataEntry key="a" value="b"/></Record>\n'
    ) * 1000
    short.write_text(HEALTHKIT)
    with open(long, "w") as file:
        file.write(head)
        for _ in range(25_000_000 // len(filler)):
            file.write(filler)
        file.write("<Record" + rest)
    walk, usual_kib = server.measured("import-walk", short)
    same, peak_kib = server.measured("import-walk", long)
    assert same == walk and json.loads(walk)["totals"]["distance_m"] == 120
    assert peak_kib - usual_kib < 15 * 1024, (usual_kib, peak_kib)
