"""Recordings of real devices from the examples of the PyPI package `sweat`, and how a small client reads them."""

import datetime
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

from .moments import instant, read

REQUIREMENT = "sweat==0.25.0 --hash=sha256:7734eb146b6168ce1f231f1749929b77d72fdc63cc430a6fbbc284efb9c1cb1a\n"
WHEEL = "sweat-0.25.0-py3-none-any.whl"
_N = "{http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2}"


def fetch(name):
    """The bytes of one example file. The wheel is downloaded and never installed, because it depends on packages that no longer build."""
    kept = pathlib.Path(sys.prefix) / "recordings"
    if not (kept / WHEEL).exists():
        kept.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
            requirements.write(REQUIREMENT)
            requirements.flush()
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
                 "--require-hashes", "--dest", kept, "-r", requirements.name], check=True, timeout=120)
    with zipfile.ZipFile(kept / WHEEL) as archive:
        return archive.read(f"sweat/examples/data/{name}")


class Recording:
    """A Training Center file: the measurements of the device, and its own totals of each lap."""

    def __init__(self, data):
        activity = xml.etree.ElementTree.fromstring(data).find(f".//{_N}Activity")
        self.laps = [_Lap(lap) for lap in activity.iter(f"{_N}Lap")]
        self.tracks = [track for lap in self.laps for track in lap.tracks]

    # Totals of the device

    @property
    def timer_s(self):
        return sum(lap.timer_s for lap in self.laps)

    @property
    def distance_m(self):
        return sum(lap.distance_m for lap in self.laps)

    @property
    def max_heart_rate(self):
        return max(lap.max_heart_rate for lap in self.laps)

    @property
    def mean_heart_rate(self):
        """The mean of the laps' means, weighted by their durations."""
        return sum(lap.mean_heart_rate * lap.timer_s for lap in self.laps) / self.timer_s

    # The walk of a client

    def walk(self, zone):
        """The second track of a lap begins at the end of a pause. The point between two laps occurs in both."""
        points = {}
        for track in self.tracks:
            for point in track:
                points.setdefault(point.at, point)
        series = [points[at] for at in sorted(points)]
        start, end = self.laps[0].started_at, series[-1].at
        holes = [
            (first[-1].at, second[0].at) for lap in self.laps for first, second in zip(lap.tracks, lap.tracks[1:])
        ]
        return {
            "started_at": instant(start), "ended_at": instant(end), "time_zone": zone, "device": {"model": "TCX"},
            "pauses": [{"from": instant(first), "to": instant(last)} for first, last in holes],
            "series": {
                "t_ms": [round((point.at - start) / datetime.timedelta(milliseconds=1)) for point in series],
                "heart_rate_bpm": [point.heart_rate for point in series],
                "distance_m": [point.distance_m for point in series],
            },
        }


class _Lap:
    def __init__(self, element):
        def number(path):
            return float(element.findtext(path))

        self.started_at = read(element.get("StartTime"))
        self.timer_s = number(f"{_N}TotalTimeSeconds")
        self.distance_m = number(f"{_N}DistanceMeters")
        self.mean_heart_rate = number(f"{_N}AverageHeartRateBpm/{_N}Value")
        self.max_heart_rate = number(f"{_N}MaximumHeartRateBpm/{_N}Value")
        self.tracks = [[_Point(point) for point in track.iter(f"{_N}Trackpoint")] for track in element.iter(f"{_N}Track")]


class _Point:
    def __init__(self, element):
        self.at = read(element.findtext(f"{_N}Time"))
        self.distance_m = _number(element, f"{_N}DistanceMeters")
        self.heart_rate = _number(element, f"{_N}HeartRateBpm/{_N}Value")


def _number(element, path):
    text = element.findtext(path)
    return None if text is None else float(text)
