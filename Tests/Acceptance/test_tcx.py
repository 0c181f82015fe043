"""Recordings of real devices, sent as walks, are summarised as the devices themselves do it."""

import json

import pytest

from acceptance.moments import new_id
from acceptance.recordings import Recording, fetch

# A run of an hour with a pause of several minutes, and a ride of 85 minutes in eight laps without one.
NAMES = ["3173437224.tcx", "activity_4801048867.tcx"]


def check(summary, recording):
    """Within rounding of what the laps state.

    - Time: a device's timer counts whole seconds and starts and stops between two samples, which are a second apart: 1 s at each edge
      of each track.
    - Distance: laps state centimetres, or tenths of them at the edge, and a sample holds what was covered by then: 1 m for each
      track's edge at which the device went on for less than a second.
    - Highest heart rate: a whole number that was sampled: none.
    - Mean heart rate: each lap states a whole number, so that the mean of them is off by 0.5 at most.
    """
    edges = len(recording.tracks) + 1
    assert summary["active_s"] == pytest.approx(recording.timer_s, abs=edges)
    assert summary["distance_m"] == pytest.approx(recording.distance_m, abs=edges)
    assert summary["max_heart_rate_bpm"] == recording.max_heart_rate
    assert summary["mean_heart_rate_bpm"] == pytest.approx(recording.mean_heart_rate, abs=0.5)
    assert summary["coverage"] > 0.99
    assert summary["mean_pace_s_per_km"] == pytest.approx(recording.timer_s / recording.distance_m * 1000, rel=0.003)


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_that_a_client_sends_is_summarised_within_rounding_of_the_device(participant, name):
    ada, recording = participant(), Recording(fetch(name))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=recording.walk(ada.zone), status=201)
    check(walk["summary"], recording)
    assert walk["flags"] == ["calibration_missing", "before_enrolment"]
    if len(recording.tracks) > len(recording.laps):
        assert walk["summary"]["elapsed_s"] - walk["summary"]["active_s"] > 60, "the pause is left out"


@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_imports_recordings_gives_the_same(participant, server, tmp_path, name):
    ada, data = participant(), fetch(name)
    (tmp_path / name).write_bytes(data)
    body = json.loads(server.run("import-walk", tmp_path / name, "--zone", ada.zone))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=body, status=201)
    check(walk["summary"], Recording(data))
