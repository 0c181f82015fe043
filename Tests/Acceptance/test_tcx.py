"""The summaries of walks from recordings of real devices match the summaries of the devices."""

import json

import pytest

from acceptance.moments import new_id
from acceptance.recordings import Recording, fetch

# A run of one hour with a pause of several minutes, and a ride of 85 minutes in eight laps without a pause.
NAMES = ["3173437224.tcx", "activity_4801048867.tcx"]


def check(summary, recording, pause_edge_s):
    """Compares with the totals of the laps, with tolerances for rounding.

    - Time: laps have whole seconds, and the last sample is up to one second before the end of the lap. Tolerance 1 s for each lap. A client that
      takes the gap between two tracks as a pause gets a longer pause, because the watch ran a little after the last sample and before the next
      one (5 s in total in this run). Tolerance `pause_edge_s` for each end of a gap.
    - Distance: laps have centimetres, samples decimetres, and a sample has the distance up to its time. Tolerance 1 m for each lap.
    - Maximum heart rate: a sampled integer. No tolerance.
    - Mean heart rate: each lap has an integer, so the mean weighted by time differs by at most 0.5.
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
def test_the_summary_of_a_walk_from_a_client_matches_the_device(participant, name):
    ada, recording = participant(), Recording(fetch(name))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=recording.walk(ada.zone), status=201)
    check(walk["summary"], recording, pause_edge_s=3)
    assert walk["flags"] == ["calibration_missing", "before_enrolment"]


@pytest.mark.parametrize("name", NAMES)
def test_the_import_command_gives_the_same_summary(participant, server, tmp_path, name):
    ada, data = participant(), fetch(name)
    (tmp_path / name).write_bytes(data)
    body = json.loads(server.run("import-walk", tmp_path / name, "--zone", ada.zone))
    walk = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=body, status=201)
    # The command knows the length of the pause, because each lap has its timer.
    check(walk["summary"], Recording(data), pause_edge_s=0)
