"""A micro-randomised trial from the pack to the estimated effect: docs/micro-randomised-trials.md as a story with 24 made-up participants."""

import concurrent.futures
import csv
import datetime
import fractions
import io
import json
import math
import random
import re
import shutil
import subprocess
import sys
import zipfile
import zoneinfo

import pytest
import yaml

from acceptance import datasets
from acceptance.moments import instant, new_id
from acceptance.people import Researcher
from acceptance.server import BINARIES, ROOT, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

SAMPLE = ROOT / "docs" / "samples" / "micro-randomised-trial"
STUDY = "walk-prompts"
RULE = "walk_suggestion"
BERLIN = "Europe/Berlin"
# A Monday, four weeks before the clocks change.
START = datetime.datetime(2026, 3, 2, 7, 0, tzinfo=datetime.timezone.utc)
TIMES = {1: "10:00", 2: "14:00", 3: "18:00"}
PARTICIPANTS, DAYS = 24, 10
# The truth: energy = 50 + participant + EFFECT × treated + noise. An unavailable participant has much less energy, so an analysis that uses
# unavailable points as points without a suggestion is clearly wrong.
EFFECT, BETWEEN, WITHIN, UNAVAILABLE = 10, 6, 8, -25
PROBABILITY, LATER_PROBABILITY, ANSWERED = 0.6, 0.4, 0.88

# How often a test fails by chance. The ids are random, and with them the draws; everything else has a seed.
#
# 1. About 528 points are available and have an outcome. The standard error is about
#    √((BETWEEN² + WITHIN²) / (528 × 0.6 × 0.4)) = 0.9. 3,000 simulated trials with these seeds had 0.51 to 1.51, on average 0.92.
# 2. The estimate differs from EFFECT by more than 6 standard errors: 6 in 1,000,000 (t distribution with 21 degrees of freedom).
#    The 95 % interval itself misses EFFECT in 1 of 20 trials, so the tests use the interval of 6 standard errors.
# 3. The 95 % interval contains 0: the estimate must be 8 standard errors too small: 1 in 10,000,000.
# 4. Hoeffding: the share of n draws differs from the probability by more than √(ln(2 / 0.00001) / (2 n)): at most 1 in 100,000.
#
# Together with the second trial, which needs 2 again, this is less than 1 in 40,000.
STANDARD_ERRORS = 6


def widest_difference(n):
    return math.sqrt(math.log(2 / 0.00001) / (2 * n))


class Device:
    """The phone of a made-up participant, and what it knows about each decision point."""

    def __init__(self, server, number):
        self.person = TimedPerson(server, STUDY, name=f"P{number} Canary", zone=BERLIN)
        # The numbers of a participant do not depend on the order of the threads.
        self.random = random.Random(f"participant {number}")
        self.level = self.random.gauss(0, BETWEEN)
        self.number = number
        self.outcome = "available"
        # Point -> (why it was not available, or "available"; whether a suggestion was received; the outcome or None).
        self.points = {}

    def join(self):
        self.person.register().enrol()
        self.person.verify_in_database()
        items = self.person.call("GET", self.person.own("/occasions"), status=200)["items"]
        self.occasions = {one["opens_at"]: one["occasion_id"] for one in items}

    @property
    def pseudonym(self):
        return self.person.enrolment["participant_id"]

    def live(self, day):
        """What the participant does before the first point of a day. It decides which points are available.

        Participants 0 to 4 pause for two days, 5 to 9 switch suggestions off for four days, and 10 for the whole study.
        """
        if self.number < 5 and day in (3, 5):
            self.person.call("PATCH", self.person.own(""), json={"paused": day == 3}, status=200)
            self.outcome = "muted" if day == 3 else "available"
        if 5 <= self.number < 10 and day in (2, 6) or self.number == 10 and day == 0:
            self.submit("suggestions", {"suggestions_on": day == 6})
            self.outcome = "available" if day == 6 else "allowed"

    def answer(self, points):
        """The answers one hour after each decision point, which the phone uploads now."""
        messages = self.person.call("GET", self.person.own("/inbox"), params={"limit": 5}, status=200)["items"]
        sheets = []
        for point, moment in points:
            asked = moment + datetime.timedelta(hours=1)
            treated = any(one["rule"] == RULE and instant(moment) <= one["created_at"] < instant(asked) for one in messages)
            noise, answers = self.random.gauss(0, WITHIN), self.random.random() < ANSWERED
            energy = None
            if answers and self.outcome != "muted":
                energy = round(50 + self.level + EFFECT * treated + UNAVAILABLE * (self.outcome != "available") + noise)
                energy = min(max(energy, 0), 100)
                sheets.append(self.person.sheet(
                    "energy_now", {"energy": energy}, completed=asked + datetime.timedelta(minutes=5),
                    occasion_id=self.occasions[instant(asked)]))
            self.points[point] = (self.outcome, treated, energy)
        if sheets:
            now = sheets[0]["client_now"]
            items = [
                {"kind": "answer_sheet", "id": new_id(), "body": {name: value for name, value in sheet.items() if name != "client_now"}}
                for sheet in sheets]
            made = self.person.call("POST", self.person.own("/sync"), json={"client_now": now, "items": items}, status=200)["items"]
            assert {(one["result"], one["receipt"]["standing"]) for one in made} == {("accepted", "on_time")}, made

    def submit(self, questionnaire, answers, **more):
        sheet = self.person.sheet(questionnaire, answers, **more)
        return self.person.call("PUT", self.person.own(f"/answer-sheets/{new_id()}"), json=sheet, status=201)


class Trial:
    """The server, the participants, and the researcher."""

    def __init__(self, server, clock, contract):
        self.server, self.clock = server, clock
        self.devices = [Device(server, number) for number in range(PARTICIPANTS)]
        self.count = 0
        self.probabilities = {}
        self.at_once(lambda device: device.join())
        self.researcher = Researcher(server, contract, STUDY)

    def at_once(self, action):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(action, self.devices))

    def day(self, probability):
        """Three points. On every fifth day the phones upload each answer at once; otherwise they have no network until the evening."""
        number = self.count // 3
        self.clock.advance_to(BERLIN, "09:00", 1 if number else 0)
        self.at_once(lambda device: device.live(number))
        waiting = []
        for ordinal, time in TIMES.items():
            moment = self.clock.advance_to(BERLIN, time)
            point = f"{moment.astimezone(zoneinfo.ZoneInfo(BERLIN)).date()}#{ordinal}"
            self.probabilities[point] = probability
            self.count += 1
            self.server.send_due()
            # The worker inside the server decides too, and may not have committed yet.
            decided = f"select count(*) from research.decision where rule = '{RULE}'"
            wait_until(lambda: int(self.server.sql(decided)) >= self.count * PARTICIPANTS, 20, f"all decide at {point}")
            self.clock.advance_to(BERLIN, f"{int(time[:2]) + 1}:06")
            waiting.append((point, moment))
            if number % 5 == 0 or ordinal == len(TIMES):
                self.at_once(lambda device: device.answer(waiting))
                waiting = []

    def log(self):
        """(pseudonym, point) -> (outcome, treated, energy), as the devices know it."""
        return {(device.pseudonym, point): known for device in self.devices for point, known in device.points.items()}

    def dataset(self, folder, profile="coded"):
        """The files of a dataset in a folder, and the folder as a zip file. Returns the rows of decisions.csv."""
        # Days may have passed on the simulated clock.
        self.researcher.log_in()
        files = datasets.files(self.researcher, STUDY, profile)
        with zipfile.ZipFile(folder / "dataset.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(f"{STUDY}/{name}", content)
                path = folder / "dataset" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return list(csv.DictReader(io.StringIO(files["data/decisions.csv"].decode())))


@pytest.fixture(scope="module")
def trial(tmp_path_factory, mailbox, contract):
    clock = SimulatedClock(tmp_path_factory.mktemp("clock"), START)
    server = TimedServer(clock, smtp_url=mailbox.url)
    try:
        server.start()
        server.run("publish", SAMPLE / "studies" / STUDY)
        trial = Trial(server, clock, contract)
        for _ in range(DAYS):
            trial.day(PROBABILITY)
        yield trial
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def dataset(trial, tmp_path_factory):
    """The dataset of the trial: a folder with `dataset` and `dataset.zip`, the rows of decisions.csv, and what the devices know."""
    folder = tmp_path_factory.mktemp("coded")
    return folder, trial.dataset(folder), trial.log()


def printed(dataset, *options):
    """What analysis.py prints."""
    made = subprocess.run([sys.executable, SAMPLE / "analysis.py", dataset, *options], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    return made.stdout


def analyse(dataset, *options):
    """The numbers of analysis.py with all digits."""
    return json.loads(printed(dataset, "--json", *options))


def by_hand(points):
    """The effect and its standard error without matrices. points: (participant, probability, treated, outcome).

    Without controls, weighted and centred least squares is the difference of two means with the weights 1 / probability and
    1 / (1 - probability). The corrected variance is the sum over participants of the squared change of the estimate without them.
    """

    def difference(points):
        mean = {}
        for arm in (True, False):
            own = [(1 / (p if arm else 1 - p), y) for _, p, treated, y in points if treated == arm]
            mean[arm] = sum(w * y for w, y in own) / sum(w for w, _ in own)
        return mean[True] - mean[False]

    effect = difference(points)
    people = {one[0] for one in points}
    return effect, sum((effect - difference([one for one in points if one[0] != person])) ** 2 for person in people)


def test_the_pack_is_valid_and_the_document_shows_it():
    check = subprocess.run([BINARIES / "saunter", "check", SAMPLE], capture_output=True, text=True)

    assert check.returncode == 0 and "no faults" in check.stdout, check.stdout + check.stderr

    document = (ROOT / "docs" / "micro-randomised-trials.md").read_text()
    examples = re.findall(r"<!-- example: (\S+) -->\n```\w+\n(.*?)```", document, re.DOTALL)
    shown = {name for name, _ in examples}
    assert all((SAMPLE / name).read_text() == text for name, text in examples), shown
    pack = [path for part in ("instruments", "studies") for path in (SAMPLE / part).rglob("*") if path.is_file()]
    assert shown >= {str(path.relative_to(SAMPLE)) for path in pack}

    rules = subprocess.run(
        [BINARIES / "saunter", "rules", SAMPLE / "studies" / STUDY, "--person", SAMPLE / "person.yaml", "--days", "2"],
        capture_output=True, text=True)
    assert rules.returncode == 0 and all(line.rstrip() in document for line in rules.stdout.splitlines()[1:]), rules.stdout


def test_a_hand_made_dataset_has_the_effect_that_a_person_computes(tmp_path):
    # Two study versions with the probabilities 3/5 and 2/5. Participants a to d; the outcome is asked one hour later.
    rows = [
        # participant, hour, available, probability, draw, outcome
        ("a", 9, 1, "0.6", "0.1", 60), ("a", 13, 1, "0.6", "0.7", 50), ("a", 17, 1, "0.4", "0.3", 66), ("a", 21, 0, "0.4", "", 1),
        ("b", 9, 1, "0.6", "0.9", 40), ("b", 13, 1, "0.6", "0.59", 52), ("b", 17, 1, "0.4", "0.4", 44), ("b", 21, 1, "0.4", "0.2", None),
        ("c", 9, 0, "0.6", "", 99), ("c", 13, 1, "0.6", "0.2", 70), ("c", 17, 1, "0.4", "0.8", 61),
        ("d", 9, 1, "0.6", "0.5", 55), ("d", 17, 1, "0.4", "0.9", 45), ("d", 21, 1, "0.4", "0.1", 59),
    ]
    decisions = ["enrolment_id,participant_id,rule,study_day,moment,outcome,available,probability,draw"]
    occasions, answers = ["occasion_id,enrolment_id,schedule,opens_at,sheet_id"], ["sheet_id,enrolment_id,energy"]
    for number, (person, hour, available, probability, draw, outcome) in enumerate(rows):
        did = "muted" if not available else "message" if float(draw) < float(probability) else "randomised_out"
        decisions.append(f"E{person},P{person},{RULE},0,2026-03-02T{hour:02}:00:00.000Z,{did},{available},{probability},{draw}")
        sheet = f"S{number}" if outcome is not None else ""
        occasions.append(f"O{number},E{person},one_hour_later,2026-03-02T{hour + 1:02}:00:00.000Z,{sheet}")
        if sheet:
            answers.append(f"{sheet},E{person},{outcome}")
    # Not part of the analysis: another rule, another schedule, and a sheet without an occasion.
    decisions.append("Ea,Pa,other,0,2026-03-02T09:00:00.000Z,message,1,0.6,0.1")
    occasions.append("O98,Ea,weekly,2026-03-02T09:30:00.000Z,S98")
    answers += ["S98,Ea,0", "S99,Ea,0"]
    (tmp_path / "data").mkdir()
    for name, lines in (("decisions", decisions), ("occasions", occasions), ("wide_energy_now", answers)):
        (tmp_path / "data" / f"{name}.csv").write_text("\n".join(lines) + "\n")

    numbers, text = analyse(tmp_path), printed(tmp_path)

    # Treated means: 60 a, 52 b, 70 c, 55 d with weight 5/3; 66 a, 59 d with 5/2. Not treated: 50 a, 40 b with 5/2; 44 b, 61 c, 45 d with 5/3.
    treated = fractions.Fraction(5 * (60 + 52 + 70 + 55), 3) + fractions.Fraction(5 * (66 + 59), 2)
    untreated = fractions.Fraction(5 * (50 + 40), 2) + fractions.Fraction(5 * (44 + 61 + 45), 3)
    effect = treated / (4 * fractions.Fraction(5, 3) + 2 * fractions.Fraction(5, 2)) - untreated / (
        2 * fractions.Fraction(5, 2) + 3 * fractions.Fraction(5, 3))
    assert effect == fractions.Fraction(92, 7)
    used = [
        (person, fractions.Fraction(probability), float(draw) < float(probability), outcome)
        for person, _, available, probability, draw, outcome in rows if available and outcome is not None]
    computed, variance = by_hand(used)
    error = math.sqrt(variance)
    assert computed == effect
    assert numbers["effect"] == pytest.approx(float(effect), rel=1e-12)
    assert numbers["standard_error"] == pytest.approx(error, rel=1e-12)
    # Four participants and two coefficients: two degrees of freedom, for which tables have 4.302653.
    assert numbers["low"] == pytest.approx(float(effect) - 4.302653 * error, abs=1e-5)
    assert numbers["high"] == pytest.approx(float(effect) + 4.302653 * error, abs=1e-5)
    assert [numbers[name] for name in ("participants", "points", "available_points", "treated_points", "outcomes")] == [4, 14, 12, 7, 11]
    assert re.search(rf"effect +{float(effect):.2f}\nrobust standard error +{error:.2f}\n", text), text


def test_a_trial_finds_its_effect(trial, dataset, tmp_path):
    folder, rows, known = dataset

    numbers, text = analyse(folder / "dataset"), printed(folder / "dataset.zip")

    # Each point has one row with its probability, also the points that were not available.
    assert len(known) == len(rows) == PARTICIPANTS * DAYS * 3
    assert {(row["participant_id"], row["point"]) for row in rows} == set(known)
    assert {row["rule"] for row in rows} == {RULE}
    for row in rows:
        outcome, treated, _ = known[row["participant_id"], row["point"]]
        assert float(row["probability"]) == PROBABILITY
        assert row["study_version"] == "1.0.0" and row["key"] == ""
        # A boolean is 0 or 1 in every file of a dataset, as the codebook states.
        assert row["available"] == str(int(outcome == "available")), row
        if outcome == "available":
            assert (float(row["draw"]) < PROBABILITY) == treated, row
            assert row["outcome"] == ("message" if treated else "randomised_out")
            assert bool(row["sent_at"]) == treated
        else:
            assert row["draw"] == "" and row["outcome"] == outcome and not treated, row

    # The program counts what the devices counted, and its estimate is that of the devices' own notes.
    available = {point: one for point, one in known.items() if one[0] == "available"}
    used = [(person, PROBABILITY, treated, energy) for (person, _), (_, treated, energy) in available.items() if energy is not None]
    effect, variance = by_hand(used)
    assert numbers["points"] == len(known) and numbers["available_points"] == len(available) == 720 - 30 - 60 - 30
    assert numbers["treated_points"] == sum(treated for _, treated, _ in available.values())
    assert numbers["outcomes"] == len(used) and numbers["treated_but_not_sent"] == 0
    assert numbers["participants"] == PARTICIPANTS - 1
    assert numbers["effect"] == pytest.approx(effect, rel=1e-9)
    assert numbers["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-9)

    # The effect is found.
    print(text)
    assert abs(numbers["effect"] - EFFECT) < STANDARD_ERRORS * numbers["standard_error"], text
    assert 0 < numbers["low"] < numbers["effect"] < numbers["high"], text
    assert 0.3 < numbers["standard_error"] < 2.5, text
    share = numbers["treated_points"] / numbers["available_points"]
    assert abs(share - PROBABILITY) < widest_difference(numbers["available_points"]), text

    # The zip file gives the same, and so does the de-identified dataset, whose dates are shifted.
    assert f"{numbers['low']:.2f} to {numbers['high']:.2f}\n" in text
    trial.dataset(tmp_path, "deidentified")
    again = analyse(tmp_path / "dataset.zip")
    assert again.pop("probabilities") == numbers.pop("probabilities")
    assert again == pytest.approx(numbers, rel=1e-9)


def test_a_control_changes_the_model_and_not_the_meaning(dataset):
    import numpy
    from statsmodels.api import OLS

    numbers = analyse(dataset[0] / "dataset", "--control", "study_day")

    # The same by another program: with one probability all weights are 1, and each participant is left out in turn.
    first = datetime.date(2026, 3, 2)
    used = [
        (person, (datetime.date.fromisoformat(point[:10]) - first).days, treated, energy)
        for (person, point), (outcome, treated, energy) in dataset[2].items() if outcome == "available" and energy is not None]

    def fit(used):
        design = numpy.array([(1, day, treated) for _, day, treated, _ in used], float)
        return OLS([one[3] for one in used], design).fit().params[2]

    effect = fit(used)
    changes = [effect - fit([one for one in used if one[0] != person]) for person in {one[0] for one in used}]
    assert numbers["effect"] == pytest.approx(effect, rel=1e-9)
    assert numbers["standard_error"] == pytest.approx(math.sqrt(sum(one**2 for one in changes)), rel=1e-9)


def test_a_new_version_changes_the_probability_of_later_points(trial, dataset, tmp_path):
    # The fixture `dataset` is complete, so the other tests do not see the further day.
    assert dataset
    pack = tmp_path / "pack"
    shutil.copytree(SAMPLE, pack)
    folder = pack / "studies" / STUDY
    study, rules = yaml.safe_load((folder / "study.yaml").read_text()), yaml.safe_load((folder / "rules.yaml").read_text())
    rules["rules"][0]["randomise"]["probability"] = LATER_PROBABILITY
    study["version"] = "1.1.0"
    (folder / "study.yaml").write_text(yaml.safe_dump(study))
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules))

    trial.server.run("publish", folder, "--yes")
    trial.day(LATER_PROBABILITY)
    rows = trial.dataset(tmp_path)
    numbers = analyse(tmp_path / "dataset")

    known = trial.log()
    assert len(rows) == len(known) == PARTICIPANTS * (DAYS + 1) * 3
    for row in rows:
        probability = trial.probabilities[row["point"]]
        assert float(row["probability"]) == probability
        assert row["study_version"] == ("1.0.0" if probability == PROBABILITY else "1.1.0")
        if row["draw"]:
            assert (float(row["draw"]) < probability) == known[row["participant_id"], row["point"]][1]
    used = [
        (person, trial.probabilities[point], treated, energy)
        for (person, point), (outcome, treated, energy) in known.items() if outcome == "available" and energy is not None]
    effect, variance = by_hand(used)
    assert numbers["probabilities"] == [LATER_PROBABILITY, PROBABILITY]
    assert numbers["effect"] == pytest.approx(effect, rel=1e-9)
    assert numbers["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert abs(numbers["effect"] - EFFECT) < STANDARD_ERRORS * numbers["standard_error"]


def test_a_point_that_is_decided_too_late_is_not_available(trial, dataset):
    # The fixture `dataset` is complete, so the other tests do not see this point.
    assert dataset
    day = trial.clock.advance_to(BERLIN, "10:45", 1).astimezone(zoneinfo.ZoneInfo(BERLIN)).date()

    trial.server.send_due()

    def decisions():
        trial.researcher.log_in()
        page = trial.researcher.call(
            "GET", f"/v1/studies/{STUDY}/rules/{RULE}/decisions", params={"limit": PARTICIPANTS}, status=200)["items"]
        return page if {one["point"] for one in page} == {f"{day}#1"} else None

    late = wait_until(decisions, 20, "all decide")
    assert {one["participant_id"] for one in late} == {device.pseudonym for device in trial.devices}
    # 10:45 is more than valid_for (30 minutes) after 10:00.
    assert {(one["outcome"], one["available"], one["draw"]) for one in late} == {("expired", False, None)}
    assert {one["probability"] for one in late} <= {PROBABILITY, LATER_PROBABILITY}
