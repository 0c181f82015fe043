"""Recordings of real devices, sent as walks, are summarised as the devices themselves do it."""

import json

import pytest

from acceptance.moments import new_id
from acceptance.recordings import Recording, fetch

# A run of an hour with a pause of several minutes, and a ride of 85 minutes in eight laps without one.
NAMES = ["3173437224.tcx", "activity_4801048867.tcx"]


def check(summary, recording, pause_edge_s):
    """Within rounding of what the laps state.

    - Time: laps state whole seconds, and the last sample lies up to a second before the timer's end: 1 s for each lap. A client that
      knows a pause from the hole between two tracks alone takes the whole hole for it, although the watch had run on for moments after
      the last sample and before the next (5 s in all in this run): `pause_edge_s` for each end of a hole.
    - Distance: laps state centimetres, samples decimetres, and a sample holds what was covered by then: 1 m for each lap.
    - Highest heart rate: a whole number that was sampled, so none.
    - Mean heart rate: each lap states a whole number, so that the mean of them, weighted by time, is off by 0.5 at most.
    """
    laps, holes = len(recording.laps), len(recording.tracks) - len(recording.laps)
    assert summary["active_s"] == pytest.approx(recording.timer_s, abs=laps + 2 * holes * pause_edge_s)
    assert summary["distance_m"] == pytest.approx(recording.distance_m, abs=laps)
    assert summary["max_heart_rate_bpm"] == recording.max_heart_rate
    assert summary["mean_heart_rate_bpm"] == pytest.approx(recording.mean_heart_rate, abs=0.5)
    assert summary["coverage"] > 0.99
    if holes:
        assert summary["elapsed_s"] - summary["active_s"] > 300, "the pause is left out"


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_that_a_client_sends_is_summarised_within_rounding_of_the_device(participant, name):
    ada, recording = participant(), Recording(fetch(name))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=recording.walk(ada.zone), status=201)
    check(walk["summary"], recording, pause_edge_s=3)
    assert walk["flags"] == ["calibration_missing", "before_enrolment"]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_imports_recordings_gives_the_same(participant, server, tmp_path, name):
    ada, data = participant(), fetch(name)
    (tmp_path / name).write_bytes(data)
    body = json.loads(server.run("import-walk", tmp_path / name, "--zone", ada.zone))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=body, status=201)
    # It knows how long the pause was, because each lap states its timer.
    check(walk["summary"], Recording(data), pause_edge_s=0)
