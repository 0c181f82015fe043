"""`saunter occasions` against a planner of our own in Python (`acceptance/plan_model.py`): the same studies in every zone that both know, most of them near
a change of its clock, with journeys, breaks, walks, sheets and events. Fixed windows agree to the second, random ones keep their rules.
"""

import json
import random
import shutil
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from zoneinfo import available_timezones

import pytest
import yaml
from acceptance.plan_model import Course, Plan, Window, occasion_id, offset, set_aside, state, wall
from acceptance.server import BINARIES, ROOT

ASKED = ["who_5", "pss_4", "phq_4", "brs", "phq_2", "mood_vas"]
JOURNEYS = [
    "Africa/Cairo", "Africa/Casablanca", "America/Los_Angeles", "America/Nuuk", "America/Sao_Paulo", "America/St_Johns", "Asia/Kathmandu",
    "Asia/Tehran", "Asia/Tokyo", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham", "Pacific/Honolulu",
    "Pacific/Kiritimati"]
START, END = int(datetime(2023, 1, 1, tzinfo=timezone.utc).timestamp()), int(datetime(2026, 6, 1, tzinfo=timezone.utc).timestamp())


def stamp(second):
    return datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def second(text):
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.000Z").replace(tzinfo=timezone.utc).timestamp())


# Studies


def slots(draw, elapsed=False):
    if elapsed:
        return [{"open": {"after_anchor": draw.choice([0, 600, 7200, 30 * 3600])}, "due_after": 1800, "close_after": draw.choice([3600, 12 * 3600])}]
    first = draw.randrange(0, 96) * 900
    opening, made = first, []
    for _ in range(draw.randint(1, 3)):
        if opening >= 86400:
            break
        length = draw.choice([900, 3600, 4 * 3600, 11 * 3600, first + 86400 - opening])
        length = min(length, first + 86400 - opening)
        made.append({
            "open": opening, "due_after": draw.choice([0, length // 2 // 60 * 60, length]), "close_after": length,
            "visible_before": draw.choice([0, 0, 1800, 7200])})
        opening += length + draw.choice([0, 0, 3600])
    return made


def recurrence(draw, start):
    end = draw.choice([{"until_day": start + draw.randint(0, 12)}, {"count": draw.randint(1, 6)}])
    return draw.choice([
        "once", {"every": {"days": draw.randint(1, 3)} | end}, {"every": {"days": 1} | end},
        {"weekly": {"weekdays": sorted(draw.sample(range(1, 8), 3)), "weeks": draw.randint(1, 2)} | end},
        {"monthly": {"days": [draw.randint(1, 27), draw.randint(28, 31)]} | end},
        {"cycle": {"length": 5, "day_offsets": sorted(draw.sample(range(5), 2))} | end}])


def schedule(draw, number, around, zones):
    anchor = draw.choice([
        None, "enrolment", {"study_date": str(around - timedelta(days=2))}, {"phase": "days"}, {"phase": "home"}, {"event": "home"},
        {"first_completion": "mood_vas"}, {"completion": "mood_vas"}, "walk"])
    repeated = anchor == "walk" or (isinstance(anchor, dict) and "completion" in anchor)
    start = draw.choice([0, 0, 1, 3])
    made = {
        "id": f"s{number}", "questionnaire": ASKED[number], "offset_days": start, "recurrence": recurrence(draw, start),
        "slots": slots(draw, elapsed=(repeated or anchor == {"event": "home"}) and draw.random() < 0.6)}
    if anchor:
        made["anchor"] = anchor
    if repeated and draw.random() < 0.5:
        made["max_per_day"] = draw.randint(1, 2)
    if draw.random() < 0.3:
        made["phase"] = draw.choice(["days", "before", "home", "begun"])
    made["zone_policy"] = draw.choice(["participant", "participant", "enrolment", {"study": draw.choice(zones)}])
    return made


def study(draw, around, zones):
    """Schedules that are compared to the second, one that is answered, and one with random moments."""
    schedules = [schedule(draw, number, around, zones) for number in range(4)]
    schedules.append({
        "id": "answered", "questionnaire": "mood_vas", "recurrence": {"every": {"days": 1, "until_day": 20}},
        "slots": [{"open": 18 * 3600, "due_after": 2 * 3600, "close_after": 6 * 3600}]})
    count, gap = draw.randint(2, 5), draw.choice([1800, 3600, 5400])
    first = draw.randrange(0, 96) * 900
    span = min((count - 1) * gap + draw.randint(1, 12) * 900, 86400 - gap)
    count = min(count, span // gap + 1)
    schedules.append({
        "id": "random", "questionnaire": "phq_2", "recurrence": {"every": {"days": 1, "until_day": 20}},
        "slots": [{
            "open": {"random": {"from": first, "to": (first + span) % 86400, "count": count, "minimum_gap": gap}},
            "due_after": gap // 2, "close_after": gap}]})
    return {
        "days": draw.randint(20, 24),
        "phases": [
            {"code": "days", "start": {"day": 2}, "end": {"day": 9}}, {"code": "before", "start": {"day": 0}, "end": {"event": "home"}},
            {"code": "home", "start": {"event": "home"}, "end": {"days": 5}},
            {"code": "begun", "start": {"first_completion": "mood_vas"}}],
    }, schedules


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"


def words(schedules):
    """As a pack writes them."""
    written = json.loads(json.dumps(schedules))
    for made in written:
        for slot in made["slots"]:
            for length in ("due_after", "close_after", "visible_before"):
                if length in slot:
                    slot[length] = f"{slot[length]}s"
            opening = slot["open"]
            if isinstance(opening, int):
                slot["open"] = clock(opening)
            elif "after_anchor" in opening:
                opening["after_anchor"] = f"{opening['after_anchor']}s"
            else:
                drawn = opening["random"]
                drawn |= {"from": clock(drawn["from"]), "to": clock(drawn["to"]), "minimum_gap": f"{drawn['minimum_gap']}s"}
    return {"schedules": written}


class Dates(yaml.SafeDumper):
    """Dates stay plain words, times of day are quoted."""


Dates.add_representer(str, lambda dumper, text: dumper.represent_scalar(
    "tag:yaml.org,2002:str", text, style='"' if ":" in text else None))
Dates.yaml_implicit_resolvers = {
    letter: [rule for rule in rules if rule[0] != "tag:yaml.org,2002:timestamp"] for letter, rules in Dates.yaml_implicit_resolvers.items()}


def write(folder, design, schedules):
    (folder / "content").mkdir(parents=True)
    head = {
        "code": folder.name, "version": "1.0.0", "consent_version": "1.0.0", "open_enrolment": True, "languages": ["en"],
        "zone": "UTC", "arms": [{"code": "all"}], "allocation": {"block_sizes": [1], "concealed": False},
        "events": [{"code": "home", "update": "mutable"}],
        "questionnaires": [{"code": code, "version": "1.0.0"} for code in ASKED], "any_time": ASKED,
        "walking": {"requires_calibration": False, "reduction_percent": {"minimum": 0, "maximum": 50}}} | design
    (folder / "study.yaml").write_text(yaml.dump(head, Dumper=Dates))
    (folder / "schedule.yaml").write_text(yaml.dump(words(schedules), Dumper=Dates))
    (folder / "content/text.en.yaml").write_text("title: Model\nsummary: A study of the model.\n")
    (folder / "content/course.en.yaml").write_text("steps: []\n")
    (folder / "content/consent.en.md").write_text("Yes.\n")


# Participants


def near_change(draw, zone):
    """Days before a change of this zone's clock, or any moment where it has none."""
    weeks = list(range(START, END - 7 * 86400, 7 * 86400))
    draw.shuffle(weeks)
    for week in weeks:
        if offset(zone, week) != offset(zone, week + 7 * 86400):
            return week - draw.randint(-2, 6) * 86400 + draw.randrange(86400)
    return draw.randrange(START, END)


def course(draw, zone, zones, enrolled):
    def moment():
        return enrolled + draw.randrange(12 * 86400)

    made = Course(enrolled, zone, "all", uuid.UUID(int=0))
    if draw.random() < 0.5:
        made.travel = [(moment(), draw.choice(zones)) for _ in range(draw.randint(1, 2))]
    made.walks = [(moment(), "") for _ in range(draw.randint(0, 4))]
    made.sheets = [(moment(), "mood_vas", "") for _ in range(draw.randint(0, 8))]
    if draw.random() < 0.7:
        made.events = {"home": moment()}
    if draw.random() < 0.5:
        begin = moment()
        made.pauses = [(begin, draw.choice([None, begin + draw.randrange(86400), begin + draw.randrange(4 * 86400)]))]
    if draw.random() < 0.2:
        made.left = moment()
    return made


def moment_of_interest(draw, plan, enrolled):
    """Often the very second at which a window opens, is due or closes, or the one beside it."""
    windows = [window for _, window in plan.windows.values()]
    if not windows or draw.random() < 0.3:
        return enrolled + draw.randrange(14 * 86400)
    window = draw.choice(windows)
    return draw.choice([window.open, window.due, window.close]) + draw.choice([-1, 0, 0, 1])


def arguments(made, now):
    flags = ["--enrolled-at", stamp(made.enrolled), "--zone", made.zone, "--arm", "all", "--json", "--at", stamp(now)]
    for moment, zone in made.travel:
        flags += ["--travel", f"{stamp(moment)}={zone}"]
    for moment, _ in made.walks:
        flags += ["--walk", stamp(moment)]
    for moment, questionnaire, _ in made.sheets:
        flags += ["--sheet", f"{stamp(moment)}={questionnaire}"]
    for code, moment in made.events.items():
        flags += ["--event", f"{stamp(moment)}={code}"]
    for begin, end in made.pauses:
        flags += ["--pause", stamp(begin) + (f"/{stamp(end)}" if end is not None else "")]
    return flags + (["--left", stamp(made.left)] if made.left is not None else [])


def run(folder, flags):
    return subprocess.run([str(BINARIES / "saunter"), "occasions", str(folder)] + flags, capture_output=True, text=True, timeout=120)


# The comparison


def key(item):
    return item["schedule"], item["anchor_instance"], item["day"], item["slot"]


def window_of(item):
    return Window(
        date.fromisoformat(item["local_date"]), item["time_zone"], second(item["visible_at"]), second(item["opens_at"]),
        second(item["due_at"]), second(item["closes_at"]), item["set_aside"] != "nonexistent")


def differences(reply, plan, made, now):
    """Everything in which program and model differ, in words."""
    items = {key(item): item for item in reply["items"]}
    found = []
    fixed = {name: item for name, item in items.items() if name[0] != "random"}
    for name in fixed.keys() ^ plan.windows.keys():
        found.append(f"only {'the program' if name in fixed else 'the model'} plans {name}")
    for name in fixed.keys() & plan.windows.keys():
        item, (_, expected) = fixed[name], plan.windows[name]
        if window_of(item) != expected:
            found.append(f"{name}: {window_of(item)}, expected {expected}")
        if item["set_aside"] != set_aside(made, expected):
            found.append(f"{name}: {item['set_aside']}, expected {set_aside(made, expected)}")
    for name, item in items.items():
        if item["occasion_id"] != occasion_id(made.enrolment, name):
            found.append(f"{name}: another id")
    if sorted(plan.waiting) != sorted(reply["not_applicable"]):
        found.append(f"not applicable: {reply['not_applicable']}, expected {plan.waiting}")
    return found + settled(reply, made, now)


def settled(reply, made, now):
    """States, adherence and streak from the windows, by hand."""
    found, completed = [], {}
    ordered = reply["items"]
    for moment, questionnaire, _ in sorted(made.sheets):
        for item in ordered:
            window = window_of(item)
            if (item["questionnaire"] == questionnaire and key(item) not in completed and not item["set_aside"]
                    and window.open <= moment < window.close):
                completed[key(item)] = moment
                break
    states = {key(item): state(window_of(item), item["set_aside"], completed.get(key(item)), now) for item in ordered}
    for item in ordered:
        if item["state"] != states[key(item)]:
            found.append(f"{key(item)}: {item['state']}, expected {states[key(item)]}")
    done = sum(name.startswith("completed") for name in states.values())
    on_time = sum(name == "completed_on_time" for name in states.values())
    closed = done + sum(name == "missed" for name in states.values())
    offered = closed + sum(name in ("open", "overdue") for name in states.values())
    percent = lambda part, whole: None if not whole else float(
        (Decimal(100 * part) / Decimal(whole)).quantize(Decimal("0.1"), ROUND_HALF_EVEN))
    expected = {
        "settled": closed, "completed": done, "on_time": on_time, "live_percent": 100 if not offered else 100 * done // offered,
        "adherence_percent": percent(done, closed), "on_time_percent": percent(on_time, closed)}
    if reply["adherence"] != expected:
        found.append(f"adherence {reply['adherence']}, expected {expected}")
    if reply["streak"] != streak(ordered, completed, made, now):
        found.append(f"streak {reply['streak']}, expected {streak(ordered, completed, made, now)}")
    return found


def streak(items, completed, made, now):
    today = made.local_date(now)
    days = {}
    for item in items:
        if not item["set_aside"] or key(item) in completed:
            day = days.setdefault(date.fromisoformat(item["local_date"]), [])
            day.append("met" if key(item) in completed else "missed" if second(item["closes_at"]) <= now else "unsettled")
    lost = set()
    history = made.history()
    for (_, old), (moment, new) in zip(history, history[1:]):
        day, arrived = wall(old, moment).date() + timedelta(days=1), wall(new, moment).date()
        while day < arrived:
            lost.add(day)
            day += timedelta(days=1)
    run_length = best = 0
    for day in sorted(days):
        if day > today:
            break
        if set(days[day]) == {"met"}:
            run_length += 1
            best = max(best, run_length)
        elif day != today and day not in lost and "unsettled" not in days[day]:
            run_length = 0
    return {"current": run_length, "best": best}


def random_faults(reply, schedules, made):
    """Sorted, apart, between their times, as many as there shall be on days that are wholly in the study."""
    slot = schedules[-1]["slots"][0]
    drawn, found = slot["open"]["random"], []
    span = (drawn["to"] - drawn["from"]) % 86400 or 86400
    days = {}
    for item in reply["items"]:
        if item["schedule"] == "random":
            days.setdefault(item["day"], []).append(item)
    for index in range(1, 15):
        items = sorted(days.get(index, []), key=lambda item: item["slot"])
        if len(items) != drawn["count"] or [item["slot"] for item in items] != list(range(drawn["count"])):
            found.append(f"day {index}: {len(items)} random moments")
        if any(item["dst_adjusted"] or item["time_zone"] != made.zone for item in items):
            continue
        moments = [second(item["opens_at"]) for item in items]
        if any(after - before < drawn["minimum_gap"] for before, after in zip(moments, moments[1:])):
            found.append(f"day {index}: too close")
        for item, moment in zip(items, moments):
            midnight = datetime.fromisoformat(item["local_date"])
            shown = datetime.fromtimestamp(moment + offset(made.zone, moment), timezone.utc).replace(tzinfo=None)
            if not drawn["from"] <= (shown - midnight).total_seconds() <= drawn["from"] + span:
                found.append(f"day {index}: {shown} is out of its span")
    return found


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    """A folder for studies, with the instruments that they ask."""
    root = tmp_path_factory.mktemp("packs")
    for code in ASKED:
        shutil.copytree(Path(ROOT) / "Questionnaires/instruments" / code, root / "instruments" / code)
    return root


def agree(packs, number, zone, zones):
    """One random participant of one random study: what is wrong with it, and whether the zone is known at all."""
    draw = random.Random(f"{number} {zone}")
    enrolled = near_change(draw, zone)
    made = course(draw, zone, zones, enrolled)
    folder = packs / "studies" / f"m{number}"
    for _ in range(50):
        design, schedules = study(draw, datetime.fromtimestamp(enrolled, timezone.utc).date(), zones)
        write(folder, design, schedules)
        now = moment_of_interest(draw, Plan(design, schedules, made), enrolled)
        result = run(folder, arguments(made, now))
        if result.returncode == 2 and "not a zone" in result.stderr:
            return None
        if result.returncode != 1:
            break
        # The check refuses a study with a schedule that never falls into its phase.
        shutil.rmtree(folder)
    assert result.returncode == 0, f"{zone}: {result.stderr} {result.stdout}"
    reply = json.loads(result.stdout)
    made.enrolment = uuid.UUID(reply["enrolment_id"])
    made.walks = [(moment, reply["walk_ids"][place]) for place, (moment, _) in enumerate(made.walks)]
    made.sheets = [(moment, code, reply["sheet_ids"][place]) for place, (moment, code, _) in enumerate(made.sheets)]
    faults = differences(reply, Plan(design, schedules, made), made, now) + random_faults(reply, schedules, made)
    shutil.rmtree(folder)
    return [f"{zone}, {folder.name}: {fault}" for fault in faults]


def test_every_zone_is_planned_as_the_model_does(packs):
    names = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "posix", "right", "SystemV")))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda entry: agree(packs, *entry, JOURNEYS), enumerate(names)))
    assert sum(found is not None for found in results) >= 400
    faults = [fault for found in results for fault in found or []]
    assert not faults, f"{len(faults)} differences:\n" + "\n".join(faults[:20])


@pytest.mark.parametrize("name", ["GMT+2", "GMT+0200", "UTC+1", "+02:00", "CEST", "", "Europe/Nowhere", "../etc/passwd"])
def test_only_ids_of_the_zone_database_are_taken(packs, name):
    result = run(packs, ["--enrolled-at", "2026-01-01T00:00:00Z", "--zone", name])

    assert result.returncode == 2
    assert "is not a zone of the time zone database" in result.stderr
