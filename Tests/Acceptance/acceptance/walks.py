"""A walk whose summary can be computed by hand."""

from .moments import after, instant, now

# Ten minutes with a pause of two, from 4:00 to 6:00. Before it a sample every 10 s at 1 m/s with heart rate 100, once (at 1:40, for 10 s)
# faster than the target of 4.0 km/h; after it a sample every 20 s at 1.25 m/s with heart rate 120, once (at 6:40, for 20 s) 130.
ELAPSED_S = 600
PAUSE_S = (240, 360)

SUMMARY = {
    "elapsed_s": 600,
    "active_s": 480,
    # 240 s × 1 m/s + 240 s × 1.25 m/s
    "distance_m": 540,
    # 540 m / 480 s × 3.6
    "mean_speed_kmh": 4.05,
    # 480 s / 0.54 km = 888.888…
    "mean_pace_s_per_km": 888.9,
    # (240 s × 100 + 220 s × 120 + 20 s × 130) / 480 s = 110.41666…; the mean of the samples would be about 106
    "mean_heart_rate_bpm": 110.42,
    "max_heart_rate_bpm": 130,
    # 0.05 kcal/s × 480 s
    "active_energy_kcal": 24,
    # 5.0 km/h less 20 percent
    "target_speed_kmh": 4.0,
    # 10 s before the pause, all 240 s after it
    "above_target_s": 250,
    "above_target_count": 2,
    "coverage": 1,
}


def series():
    before = list(range(0, 241, 10))
    behind = list(range(360, 601, 20))
    metres = [float(t) for t in before] + [240 + 1.25 * (t - 360) for t in behind]
    return {
        "t_ms": [t * 1000 for t in before + behind],
        "speed_kmh": [4.2 if t == 100 else 3.6 for t in before] + [4.5] * len(behind),
        "heart_rate_bpm": [100] * len(before) + [130 if t == 400 else 120 for t in behind],
        "distance_m": metres,
        "active_energy_kcal": [t * 0.05 for t in before] + [(t - 120) * 0.05 for t in behind],
    }


def body(zone, started=None, **more):
    """The walk. Without `started` it ends now."""
    started = started or after(now(), seconds=-ELAPSED_S)
    return times(started) | {"time_zone": zone, "device": {"model": "Paper Watch"}, "series": series()} | more


def times(started):
    """The members of the walk's body that contain instants."""
    return {
        "started_at": instant(started),
        "ended_at": instant(after(started, seconds=ELAPSED_S)),
        "pauses": [{"from": instant(after(started, seconds=PAUSE_S[0])), "to": instant(after(started, seconds=PAUSE_S[1]))}],
    }
