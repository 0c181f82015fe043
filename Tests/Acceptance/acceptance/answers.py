"""Answers, with scores that were computed by hand from the published keys."""


def items(values):
    return {f"q{number}": value for number, value in enumerate(values, start=1)}


# PSS-10: the sum of ten, of which q4, q5, q7 and q8 are reversed (4 − x).
PSS_10 = items([3, 2, 4, 1, 0, 3, 2, 0, 1, 2])
PSS_10_SCORES = {
    # 3 + 2 + 4 + 3 + 1 + 2
    "helplessness": 15,
    # (4 − 1) + (4 − 0) + (4 − 2) + (4 − 0)
    "low_efficacy": 13,
    "total": 28,
}

# MAAS: the mean of 1 + … + 6, again 1 + … + 6, and 2 + 3 + 5, which is 52 / 15 = 3.46666…
MAAS = items([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 2, 3, 5])
MAAS_SCORES = {"mindfulness": 3.4667}

# WHO-5: (3 + 4 + 2 + 5 + 1) × 4
WHO_5 = items([3, 4, 2, 5, 1])
WHO_5_SCORES = {"wellbeing": 60}

# SUS: odd items x − 1: 3 + 4 + 2 + 3 + 4 = 16; even items 5 − x: 3 + 4 + 2 + 4 + 3 = 16; 32 × 2.5
SUS = items([4, 2, 5, 1, 3, 3, 4, 1, 5, 2])
SUS_SCORES = {"usability": 80}

BASELINE = {
    "pss_10": (PSS_10, PSS_10_SCORES),
    "maas": (MAAS, MAAS_SCORES),
    "who_5": (WHO_5, WHO_5_SCORES),
}

# The evening: mood 5, energy 4, stress 4 reversed (6 − 4 = 2): 11 / 3 = 3.67; presence (4 + 3) / 2 = 3.5
DAILY = {
    "mood": 5, "energy": 4, "stress": 4, "stress_source": ["work", "time"], "presence": 4, "pausing": 3,
    "sleep_minutes": 450,
}
DAILY_SCORES = {"balance": 3.67, "presence": 3.5, "sleep": 450, "stress_sources": 2}
DAILY_SHOWN = {"balance": 3.67, "presence": 3.5}

# After a walk: wellbeing 4 before, 7 after.
AFTER_WALK = {
    "exertion": 3, "attentiveness": 8, "wellbeing_before": 4, "wellbeing_after": 7, "surroundings": ["park", "water"],
}
AFTER_WALK_SCORES = {"wellbeing_change": 3, "exertion": 3, "attentiveness": 8}
