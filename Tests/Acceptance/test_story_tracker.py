"""The story of the emotions tracker, through the public API, on a simulated clock: four weeks of a participant's life.

The numbers are those of the story. The page of insights
in step 18 waits for the reports; what insights contain is shown here.
"""

import csv
import datetime
import io
import json
import re
import shutil
import sys
import uuid
import zoneinfo

import pytest

from acceptance import datasets
from acceptance.mailbox import text
from acceptance.moments import instant, new_id, read
from acceptance.people import Researcher
from acceptance.server import ROOT
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

sys.path.insert(0, str(ROOT / "Tests" / "Nightly"))

from variables_model import Evaluation, Facts, Pack  # noqa: E402
from variables_model.comparison import is_equal  # noqa: E402

STUDY = "emotions-tracker"
FOLDER = ROOT / "Questionnaires" / "studies" / STUDY
INSTRUMENTS = ["log", "reminders", "appearance", "tracker_welcome"]
BERLIN, LISBON, HONOLULU, AUCKLAND = "Europe/Berlin", "Europe/Lisbon", "Pacific/Honolulu", "Pacific/Auckland"
# A Thursday. The clocks of Europe change on 29 March.
START = datetime.datetime(2026, 3, 12, 14, 0, tzinfo=datetime.timezone.utc)
NOTE = "canary-note: nobody called all day"
ADDED = "canary-added: it passed"
PURGED = "canary-purged: said too much"
PLACE = {"lat": 52.51627, "lon": 13.37771, "accuracy_m": 12}
ROUNDED = {"lat": 52.52, "lon": 13.38, "accuracy_m": 12}


class Tracker(TimedPerson):
    """A participant of the tracker, and a record of what the server must know about the participant."""

    def __init__(self, server, contract, **more):
        super().__init__(server, STUDY, contract, **more)
        self.history = None

    def begin(self):
        """Registers, enrols and begins the record."""
        self.register().enrol()
        self.history = {
            "enrolled_at": self.enrolment["enrolled_at"], "time_zone": self.zone, "zone_changes": [], "sheets": [],
        }
        return self

    def put(self, questionnaire, answers, **more):
        """Submits a sheet, repeats it unchanged (replayed) and with other content (409); the receipt."""
        sheet_id = new_id()
        path, body = self.own(f"/answer-sheets/{sheet_id}"), self.sheet(questionnaire, answers, **more)
        receipt = self.call("PUT", path, json=body, status=201)
        assert receipt["replayed"] is False
        later = body | {"client_now": instant(self.clock.now())}
        again = self.call("PUT", path, json=later, status=200)
        assert again == receipt | {"replayed": True}
        other = later | {"started_at": instant(read(body["started_at"]) - datetime.timedelta(seconds=1))}
        self.problem("PUT", path, 409, "id-reused", json=other)
        return receipt

    def log(self, mood, category, emotions, **more):
        """Makes a log now."""
        given = {"mood": mood, "category": category, "emotions": emotions}
        for item in ("note", "place"):
            if item in more:
                given[item] = more.pop(item)
        now = self.clock.now()
        receipt = self.put("log", given, completed=now, client_now=instant(now), **more)
        self.remember(receipt, given, now)
        return receipt

    def remember(self, receipt, answers, client_now):
        """Adds a stored sheet to the record, by the clock of the server and without cleared answers."""
        kept = {name: answer for name, answer in answers.items() if name not in receipt["cleared"]}
        self.history["sheets"].append({
            "sheet_id": receipt["sheet_id"], "questionnaire": receipt["questionnaire"], "completed_at": corrected(receipt, client_now),
            "time_zone": self.zone, "answers": kept,
        })

    def remembered(self, sheet_id):
        return next(sheet for sheet in self.history["sheets"] if sheet["sheet_id"] == sheet_id)

    def travel(self, zone):
        changed = super().travel(zone)
        self.history["zone_changes"].append({"from": instant(self.clock.now()), "time_zone": zone})
        return changed

    def insights(self, **query):
        return self.call("GET", self.own("/insights"), params=query, status=200)

    def check_insights(self):
        """Compares the insights with the model; the model's values by variable."""
        page = self.insights()
        model = Evaluation(Pack(FOLDER), Facts(Pack(FOLDER), self.history | {"at": page["as_of"]}))
        assert page["local_date"] == str(model.facts.today)
        found = {item["variable"]: item for item in page["items"]}
        assert list(found) == [name for name, variable in model.pack.variables.items() if variable.get("shown")]
        for name, item in found.items():
            expected = model.result(name).json()
            entries = None if item["entries"] is None else [
                {member: entry[member] for member in ("key", "value", "n", "reason", "best", "last_on")} for entry in item["entries"]]
            assert is_equal({member: item[member] for member in expected} | {"entries": entries}, expected), (name, item, expected)
            # A value has its sentence, a null value its reason. Both have the number of logs.
            assert item["title"] and item["n"] >= 0
            assert item["reason"] or item["entries"] is not None or item["text"], item
        return found


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def tracker(clock, mailbox):
    """A server on the simulated clock."""
    made = TimedServer(clock, smtp_url=mailbox.url)
    try:
        made.start()
        yield made
        assert made.stop() == 0, made.tail()
    finally:
        made.remove()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the pack in a new folder, for changes."""
    def make():
        packs = tmp_path_factory.mktemp("packs")
        shutil.copytree(FOLDER, packs / "studies" / STUDY)
        for code in INSTRUMENTS:
            shutil.copytree(ROOT / "Questionnaires" / "instruments" / code, packs / "instruments" / code)
        return packs
    return make


def corrected(receipt, client_now):
    """When a sheet was completed by the server's clock: the device's time plus the difference of the clocks at the upload."""
    return instant(read(receipt["completed_at"]) + (read(receipt["received_at"]) - read(instant(client_now))))


def replace(path, old, new, line=None):
    """Replaces one text of a file. Returns a pattern for the file and line of the text, or of `line`."""
    content = path.read_text()
    assert content.count(old) == 1, f"{path} contains {old!r} {content.count(old)} times"
    path.write_text(content.replace(old, new))
    number = line or content[:content.index(old)].count("\n") + 1
    return rf"/{re.escape(path.name)}:{number}: "


def check_faults(server, packs, patterns):
    """`saunter check` names exactly these faults, with file and line."""
    lines = server.run("check", packs, status=1).splitlines()
    for pattern in patterns:
        assert any(re.search(pattern, line) for line in lines), f"{pattern} is not in the report:\n" + "\n".join(lines)
    assert lines[-1].endswith(f" {len(patterns)} faults"), lines


def test_alex_lives_with_the_tracker_for_four_weeks(clock, tracker, mailbox, contract, copy, tmp_path):
    # 1. The pack is checked and published. A copy with a mean of a code, a missing label and an unknown category is rejected, with file
    # and line of each fault. The same applies to a log with an emotion without a label and with an unknown category.
    broken = copy()
    study_files = broken / "studies" / STUDY
    check_faults(tracker, broken, [
        replace(study_files / "variables.yaml", "{id: mood_week, mean: {entry: log, item: mood}", "{id: mood_week, mean: {entry: log, item: category}"),
        replace(study_files / "variables.yaml", "by: hour,", "by: hour, where: \"category = 'boredom'\","),
        replace(study_files / "content" / "text.de.yaml", "  logs_month: {title: Einträge dieses Monats, text: \"{{value}} Einträge\"}\n", "", line=r"\d+"),
    ])
    tracker.run("publish", study_files, status=1)
    broken = copy()
    instrument = broken / "instruments" / "log" / "1.0.0"
    check_faults(tracker, broken, [
        replace(instrument / "questionnaire.yaml", "surprise: surprise, anger", "boredom: surprise, anger"),
        replace(instrument / "text.de.yaml", "    lonely: einsam\n", "", line=r"\d+"),
    ])
    assert "no faults" in tracker.run("check", copy())
    tracker.run("publish", FOLDER)

    # 2. Alex registers with a name, enrols and reads the pages. Alex does not yet consent to the place.
    alex = Tracker(tracker, contract, name="Alex Canary", zone=BERLIN).begin()
    mailbox.verify(alex)
    assert alex.call("GET", "/v1/account", status=200)["display_name"] == "Alex Canary"
    assert alex.call("GET", alex.own(""), status=200)["data_kinds"] == {"location": None}
    study = alex.call("GET", f"/v1/studies/{STUDY}", status=200, headers={"Accept-Language": "en"})
    assert len(study["course"]) == 4
    pages = alex.call("GET", alex.own("/questionnaires/tracker_welcome"), status=200)
    assert {item["type"] for item in pages["item"]} == {"display"} and all(item["text"] for item in pages["item"])
    occasion = alex.overview()["tracker_welcome"]["occasion_id"]
    assert alex.put("tracker_welcome", {}, occasion_id=occasion)["standing"] == "on_time"
    assert alex.overview()["tracker_welcome"]["disabled_reason"] == "completed_in_period"

    # 3. Onboarding: two reminder times and the dark theme, one call each. Wrong values are rejected at their pointers.
    assert {entry["questionnaire"] for entry in alex.overview().values()} == {"log", "tracker_welcome"}, "settings are not listed"
    features = alex.call("GET", alex.own("/overview"), status=200)["features"]
    assert [(one["feature"], one["title"], one["first_opened_at"], one["settings"]) for one in features] == [
        ("log", "New log", None, "reminders"), ("journal", "Journal", None, None), ("insights", "Insights", None, None),
        ("quotes", "Quotes", None, None), ("affirmations", "Affirmations", None, None), ("how_it_works", "How it works", None, None)]
    times = {"reminder_times": ["13:00", "21:00"], "affirmations_on": True}
    wrong = alex.problem(
        "PUT", alex.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid",
        json=alex.sheet("reminders", times | {"reminder_times": ["13:00", "25:00"]}))
    assert [error["pointer"] for error in wrong["errors"]] == ["/answers/reminder_times/1"]
    wrong = alex.problem(
        "PUT", alex.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=alex.sheet("appearance", {"theme": "plaid"}))
    assert [error["pointer"] for error in wrong["errors"]] == ["/answers/theme"]
    set_times = alex.put("reminders", times)
    assert set_times["standing"] == "unscheduled" and set_times["occasion_id"] is None and set_times["flags"] == []
    now = clock.now()
    set_theme = alex.put("appearance", {"theme": "dark"}, client_now=instant(now))
    settings = {item["questionnaire"]: item for item in alex.call("GET", alex.own("/settings"), status=200)["items"]}
    assert {code: item["values"] for code, item in settings.items()} == {"reminders": times, "appearance": {"theme": "dark"}}
    assert settings["appearance"]["defaults"] == {"theme": "system"}
    assert settings["appearance"]["sheet_id"] == set_theme["sheet_id"] and settings["appearance"]["set_at"] == corrected(set_theme, now)

    # 4. The structure of a log: slider, categories, emotions by category, note and place.
    structure = alex.call("GET", alex.own("/questionnaires/log"), status=200)
    items = {item["linkId"]: item for item in structure["item"]}
    assert list(items) == ["mood", "category", "emotions", "note", "place"]
    assert [items["mood"][member] for member in ("type", "minValue", "maxValue", "itemControl")] == ["integer", 0, 10, "slider"]
    categories = [option["value"] for option in items["category"]["answerOption"]]
    assert len(categories) == 6 and items["category"]["required"] and not items["category"].get("repeats")
    offered = {}
    for option in items["emotions"]["answerOption"]:
        for condition in option["enableWhen"]:
            assert condition["question"] == "category"
            offered.setdefault(condition["answer"], []).append(option["value"])
    assert list(offered) == categories and {"lonely", "tired"} <= set(offered["sadness"])
    assert items["place"]["type"] == "location" and items["place"]["data_kind"] == "location"

    # 6. In the evening Alex logs 3, sadness, lonely and tired, with a note and a place. The place is cleared. Then Alex consents, and the
    # next place is rounded.
    ben = Tracker(tracker, contract, name="Ben Canary", zone=BERLIN).begin()
    mailbox.verify(ben)
    clock.advance_to(BERLIN, "20:30")
    evening = alex.overview()["log"]["occasion_id"]
    assert evening, "the evening occasion is open"
    first = alex.log(3, "sadness", ["tired", "lonely"], note=NOTE, place=PLACE)
    assert first["occasion_id"] == evening and first["standing"] == "on_time", "the log settles the evening"
    assert first["cleared"] == ["place"] and first["local_date"] == "2026-03-12"
    assert [one["variable"] for one in first["feedback"]] == ["log_streak"] and first["feedback"][0]["value"] == 1
    stored = alex.call("GET", alex.own(f"/answer-sheets/{first['sheet_id']}"), status=200)
    assert stored["answers"] == {"mood": 3, "category": "sadness", "emotions": ["tired", "lonely"], "note": NOTE}
    assert stored["reasons"]["place"] == "no_consent"
    granted = alex.call("PATCH", alex.own(""), json={"data_kinds": {"location": True}}, status=200)
    assert read(granted["data_kinds"]["location"]["granted_at"]) <= clock.now()
    placed = alex.log(4, "anger", ["annoyed"], place=PLACE)
    assert placed["cleared"] == [] and placed["occasion_id"] is None and placed["standing"] == "unscheduled"
    stored = alex.call("GET", alex.own(f"/answer-sheets/{placed['sheet_id']}"), status=200)
    assert stored["answers"]["place"] == ROUNDED
    # The permission does not fetch the past.
    assert "place" not in alex.call("GET", alex.own(f"/answer-sheets/{first['sheet_id']}"), status=200)["answers"]

    # 7. Every fault is named with its pointer. The story's four faults need three sheets: a list of emotions is either empty or has an
    # emotion of another category, and with two categories no emotion can be compared with its category.
    def pointers(**answers):
        wrong = alex.problem("PUT", alex.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=alex.sheet("log", answers))
        return {error["pointer"] for error in wrong["errors"]}

    assert pointers(mood=11, category=["sadness", "fear"], emotions=["lonely"]) == {"/answers/mood", "/answers/category"}
    assert pointers(mood=11, category="sadness", emotions=["lonely", "furious"]) == {"/answers/mood", "/answers/emotions"}
    assert pointers(mood=2.5, category="boredom", emotions=[]) == {"/answers/mood", "/answers/category"}
    assert pointers(mood=-1, category="sadness", emotions=[]) == {"/answers/mood", "/answers/emotions"}
    assert pointers() == {"/answers/mood", "/answers/category"}

    # 8. A spontaneous log in the same evening. Alex gets no reminder, because the first log settled the occasion. Ben gets one.
    clock.advance_to(BERLIN, "21:05")
    spontaneous = alex.log(5, "joy", ["calm"])
    assert spontaneous["occasion_id"] is None and spontaneous["duplicate_of"] is None
    assert alex.overview()["log"]["disabled"] is False, "more logs are possible"
    tracker.send_due()
    reminder = mailbox.wait_for(ben.email)[0]
    assert study["title"] not in text(reminder) and study["title"] not in reminder["subject"]
    tracker.send_due()
    assert mailbox.to(alex.email) == [] and len(mailbox.to(ben.email)) == 1

    # 5. The reminder at the time that Ben has chosen is in the inbox and leads to the log.
    asked = [one for one in ben.call("GET", ben.own("/inbox"), status=200)["items"] if one["rule"] == "log_reminder"]
    assert len(asked) == 1 and asked[0]["path"] == "/f/log"
    assert [one for one in alex.call("GET", alex.own("/inbox"), status=200)["items"] if one["rule"] == "log_reminder"] == []

    # 16. The quote of the day is the same on both phones, and five draws differ.
    quote = alex.call("GET", alex.own("/library/quotes/today"), status=200)["items"]
    assert quote == alex.call("GET", alex.own("/library/quotes/today"), status=200)["items"]
    drawn = [alex.call("PUT", alex.own(f"/library/quotes/draws/{new_id()}"), status=201)["item"] for _ in range(5)]
    assert len(set(drawn + [quote[0]["item"]])) == 6

    # 9. Offline for three days, with a clock 40 minutes ahead and a flight to Lisbon. Seven logs arrive in one upload.
    ahead = datetime.timedelta(minutes=40)
    outbox, made = [], []
    for days, time, zone in [
            (1, "08:00", BERLIN), (0, "23:50", BERLIN), (1, "09:10", BERLIN), (0, "22:30", LISBON), (0, "23:45", LISBON),
            (1, "00:10", LISBON), (0, "23:55", LISBON)]:
        moment = clock.advance_to(zone, time, days)
        alex.zone = zone
        answers = {"mood": 2 + len(made), "category": "fear", "emotions": ["worried"], "place": PLACE}
        body = alex.sheet("log", answers, completed=moment + ahead, client_now=None)
        outbox.append({"kind": "answer_sheet", "id": new_id(), "body": {name: value for name, value in body.items() if name != "client_now"}})
        made.append((zone, answers, moment))
    clock.advance(hours=9)
    alex.travel(LISBON)
    device_clock = clock.now() + ahead
    upload = {"client_now": instant(device_clock), "items": outbox}
    results = alex.call("POST", alex.own("/sync"), json=upload, status=200)["items"]
    assert [result["result"] for result in results] == ["accepted"] * 7
    again = alex.call("POST", alex.own("/sync"), json=upload | {"client_now": instant(clock.now() + ahead)}, status=200)["items"]
    assert [result["result"] for result in again] == ["replayed"] * 7
    for item, (zone, answers, moment) in zip(outbox, made):
        stored = alex.call("GET", alex.own(f"/answer-sheets/{item['id']}"), status=200)
        assert stored["local_date"] == str(moment.astimezone(zoneinfo.ZoneInfo(zone)).date()), "the date on which Alex made the log"
        assert abs(read(corrected(stored, device_clock)) - moment) < datetime.timedelta(seconds=5)
        alex.zone = zone
        alex.remember(stored, answers, device_clock)
    alex.zone = LISBON

    # 10. The journal: only logs, by date, newest first, page by page; and one log in detail.
    listed = alex.pages(alex.own("/answer-sheets"), limit=3, questionnaire="log", order="completed")
    assert {sheet["questionnaire"] for sheet in listed} == {"log"} and len(listed) == 10
    assert [sheet["sheet_id"] for sheet in listed] == [
        sheet["sheet_id"] for sheet in sorted(alex.history["sheets"], key=lambda sheet: sheet["completed_at"], reverse=True)]
    some = alex.pages(alex.own("/answer-sheets"), questionnaire="log", **{"from": "2026-03-13", "to": "2026-03-14"})
    assert {sheet["local_date"] for sheet in some} == {"2026-03-13", "2026-03-14"}
    assert len(some) == sum("2026-03-13" <= sheet["local_date"] <= "2026-03-14" for sheet in listed)
    assert listed[-1] == alex.call("GET", alex.own(f"/answer-sheets/{first['sheet_id']}"), status=200)

    # 11. A day later Alex adds a note and an emotion. The old revision is kept: it is in the dataset of step 19. The second phone has the
    # older revision.
    clock.advance(days=1)
    path = alex.own(f"/answer-sheets/{placed['sheet_id']}")
    tag = alex.call("GET", path).headers["etag"]
    change = {"answers": {"note": ADDED, "emotions": ["annoyed", "impatient"]}}
    edited = alex.call("PATCH", path, json=change, headers={"If-Match": tag}, status=200)
    assert edited["revision"] == 2 and edited["answers"]["note"] == ADDED and edited["answers"]["place"] == ROUNDED
    assert edited["answers"]["emotions"] == ["impatient", "annoyed"]
    phone = Tracker(tracker, contract, name=alex.name, zone=LISBON)
    phone.email, phone.password, phone.enrolment, phone.history = alex.email, alex.password, alex.enrolment, alex.history
    phone.log_in()
    phone.problem("PATCH", path, 412, "precondition-failed", json={"answers": {"mood": 0}}, headers={"If-Match": tag})
    assert phone.call("GET", path, status=200) == alex.call("GET", path, status=200)
    alex.remembered(placed["sheet_id"])["answers"] |= change["answers"]

    # 12. Alex deletes a log. It is gone from the list, and its text from the database. A row without content remains.
    doomed = alex.log(1, "anger", ["furious"], note=PURGED)
    assert PURGED in tracker.dump() or PURGED.encode().hex() in tracker.dump()
    assert alex.insights(variables="logs_month")["items"][0]["value"] == 11
    path = alex.own(f"/answer-sheets/{doomed['sheet_id']}")
    assert alex.call("DELETE", path).status_code == 204
    alex.problem("GET", path, 404, "not-found")
    assert doomed["sheet_id"] not in {sheet["sheet_id"] for sheet in alex.pages(alex.own("/answer-sheets"))}
    assert alex.insights(variables="logs_month")["items"][0]["value"] == 10
    dump = tracker.dump()
    assert PURGED not in dump and PURGED.encode().hex() not in dump and doomed["sheet_id"] in dump
    alex.history["sheets"].remove(alex.remembered(doomed["sheet_id"]))

    # 13. Twenty days of logs, over the change of the clocks. All insights equal the model.
    alex.travel(BERLIN)
    emotions = [("joy", ["content", "proud"]), ("sadness", ["tired"]), ("fear", ["nervous", "tense"]), ("joy", ["content"]), ("love", ["close"])]
    for day in range(20):
        for number, time in enumerate(["08:15", "13:30", "19:45"][: 1 + day % 3]):
            clock.advance_to(BERLIN, time, days=1 if number == 0 else 0)
            category, chosen = emotions[(day + number) % 5]
            place = {"place": {"lat": 52.4 + 0.1 * (day % 3), "lon": 13.4}} if day % 4 else {}
            alex.log((3 * day + 2 * number) % 11, category, chosen, **place)
        if day in (3, 12, 19):
            alex.check_insights()
    found = alex.check_insights()
    assert found["common"]["entries"] and found["common"]["label"].startswith("content")
    assert found["mood_change"]["n"] >= 7 and found["mood_change"]["text"] == (
        "Your mood was better than in the 7 days before." if found["mood_change"]["value"] > 0
        else "Your mood was lower than in the 7 days before.")
    assert len(found["mood_month"]["entries"]) == 30 and found["mood_trend"]["value"] is not None
    hours = {entry["key"] for entry in found["mood_by_hour"]["entries"]}
    assert {"8", "13", "19"} <= hours
    assert {entry["label"] for entry in found["mood_by_category"]["entries"]} >= {"joy", "sadness", "fear"}
    # A device that was offline reads the list again with the tag of its last response.
    tag = alex.call("GET", alex.own("/insights")).headers["etag"]
    assert alex.call("GET", alex.own("/insights"), headers={"If-None-Match": tag}).status_code == 304

    # 14. With two logs only, a value is null with its reason, and never 0.
    ben.log(6, "joy", ["calm"])
    ben.log(8, "joy", ["proud"])
    found = ben.check_insights()
    assert (found["mood_trend"]["value"], found["mood_trend"]["reason"], found["mood_trend"]["n"]) == (None, "too_few", 2)
    assert (found["mood_change"]["value"], found["mood_change"]["reason"]) == (None, "too_few")
    assert [(entry["value"], entry["reason"]) for entry in found["mood_by_category"]["entries"]] == [(None, "too_few")]
    assert found["mood_week"]["value"] == 7
    alex.problem("GET", alex.own("/insights"), 404, "not-found", params={"variables": "mood_week,secret"})
    late = alex.problem("GET", alex.own("/insights"), 400, "request-invalid", params={"at": instant(clock.now() + datetime.timedelta(hours=1))})
    assert late["errors"][0]["code"] == "out_of_range"

    # 15. After a flight over the date line and the deletion of yesterday's only log, streak and week equal the model.
    for zone, days in ((HONOLULU, 1), (AUCKLAND, 2)):
        alex.travel(zone)
        clock.advance_to(zone, "10:00", days=days)
        yesterday = alex.log(7, "surprise", ["amazed"])
        alex.check_insights()
        clock.advance_to(zone, "09:00", days=1)
        before = alex.check_insights()
        assert alex.call("DELETE", alex.own(f"/answer-sheets/{yesterday['sheet_id']}")).status_code == 204
        alex.history["sheets"].remove(alex.remembered(yesterday["sheet_id"]))
        after = alex.check_insights()
        assert after["log_streak"]["value"] < before["log_streak"]["value"]
        assert after["mood_week"]["n"] == before["mood_week"]["n"] - 1
    alex.log(9, "joy", ["excited"])
    alex.check_insights()

    # 17. At 09:00 the message contains the affirmation of the day. After the switch is off, none comes.
    set_at = clock.advance_to(BERLIN, "09:01", 1)
    tracker.send_due()
    affirmation = ben.call("GET", ben.own("/library/affirmations/today"), status=200)["items"][0]
    # The reminder of the evening before can come in the same moment, because the clock was moved over it.
    newest = [one for one in ben.call("GET", ben.own("/inbox"), status=200)["items"] if one["rule"] == "affirmation_of_the_day"][0]
    assert read(newest["created_at"]) >= set_at and newest["body"] == affirmation["fields"]["body"]
    assert newest["content"]["item"] == affirmation["item"]
    for person in (alex, ben):
        person.put("reminders", {"reminder_times": ["13:00", "21:00"], "affirmations_on": False})
    clock.advance_to(BERLIN, "09:01", 1)
    tracker.send_due()
    newer = [one for one in ben.call("GET", ben.own("/inbox"), status=200)["items"] if one["rule"] == "affirmation_of_the_day"]
    assert newer[0]["message_id"] == newest["message_id"]

    # 18. Insights contain no note. A place is only a key of the variable that asks for it. A researcher reads the same values.
    page = alex.insights()
    words = json.dumps(page)
    assert all(canary not in words for canary in (NOTE, ADDED, PURGED))
    with_places = {item["variable"] for item in page["items"] if re.search(r"\d,\d", json.dumps([e["key"] for e in item["entries"] or []]))}
    assert with_places == {"mood_by_place"}
    researcher = Researcher(tracker, contract, study=STUDY)
    pseudonym = alex.enrolment["participant_id"]
    seen = researcher.call("GET", f"/v1/studies/{STUDY}/participants/{pseudonym}/insights", status=200)
    assert is_equal([item["value"] for item in seen["items"]], [item["value"] for item in page["items"]])
    alex.problem("GET", f"/v1/studies/{STUDY}/participants/{pseudonym}/insights", 403, "not-permitted")

    # 19. The researcher's dataset, and nothing is left after the erasure.
    check_datasets(tracker, researcher, alex, ben, doomed["sheet_id"], placed["sheet_id"])
    assert alex.call("POST", alex.own("/withdrawal"), json={"mode": "erase"}).status_code == 204
    assert ben.call("DELETE", "/v1/account", json={"password": ben.password}).status_code == 204
    dump = tracker.dump()
    for trace in (NOTE, ADDED, alex.enrolment["enrolment_id"], pseudonym, first["sheet_id"], ben.enrolment["participant_id"]):
        assert trace not in dump and trace.encode().hex() not in dump, f"{trace!r} is still in the database"
    tables = read_tables(datasets.files(researcher, STUDY, "coded"))
    assert all(rows == [] for name, rows in tables.items() if name in ("sheets", "locations", "settings", "variables", "participants"))


def read_tables(files):
    """Table -> rows of a dataset."""
    return {
        name.removeprefix("data/").removesuffix(".csv"): list(csv.DictReader(io.StringIO(content.decode())))
        for name, content in files.items() if name.startswith("data/") and name.endswith(".csv")}


def check_datasets(server, researcher, alex, ben, purged, edited):
    server.run("account", "grant", "--email", researcher.email, "--role", "researcher", "--study", STUDY, "--full-export")
    tables = {profile: read_tables(datasets.files(researcher, STUDY, profile)) for profile in ("coded", "full", "deidentified")}
    coded = tables["coded"]

    def own(table, person, tables=coded):
        return [row for row in tables[table] if row["participant_id"] == person.enrolment["participant_id"]]

    # Logs, one row each; the purged one is a row of sheets.csv without content.
    logs = {row["sheet_id"][-36:]: row for row in own("wide_log", alex)}
    assert set(logs) == {sheet["sheet_id"] for sheet in alex.history["sheets"]}
    for sheet in alex.history["sheets"]:
        row = logs[sheet["sheet_id"]]
        assert int(row["mood"]) == sheet["answers"]["mood"] and row["category"] == sheet["answers"]["category"]
        chosen = {name.removeprefix("emotions__") for name, cell in row.items() if name.startswith("emotions__") and cell == "1"}
        assert chosen == set(sheet["answers"]["emotions"])
    assert purged not in json.dumps(coded["answers"]) and PURGED not in json.dumps(tables["full"])
    assert [row["rev"] for row in own("sheets", alex) if row["sheet_id"].endswith(edited)] == ["2"]
    changed = [row for row in coded["revisions"] if row["sheet_id"].endswith(edited)]
    assert {row["item"] for row in changed} >= {"note", "emotions"}
    assert NOTE in {row["text"] for row in coded["free_text"]}

    # Places are in a separate table: one decimal in coded, as stored in full, absent in deidentified.
    placed = [sheet for sheet in alex.history["sheets"] if "place" in sheet["answers"]]
    assert len(own("locations", alex)) == len(placed) == len(own("locations", alex, tables["full"]))
    row = next(row for row in own("locations", alex, tables["full"]) if row["sheet_id"].endswith(edited))
    assert (float(row["lat"]), float(row["lon"])) == (ROUNDED["lat"], ROUNDED["lon"])
    row = next(row for row in own("locations", alex) if row["sheet_id"].endswith(edited))
    assert (float(row["lat"]), float(row["lon"])) == (52.5, 13.4)
    assert not tables["deidentified"].get("locations")
    assert "mood_by_place" not in {row["variable"] for row in tables["deidentified"]["variables"] if row["key"]}
    assert "52.5" not in json.dumps(tables["deidentified"]) and not any("place" in name for row in coded["wide_log"] for name in row)

    # The variables equal the insights.
    found = {item["variable"]: item for item in alex.insights()["items"]}
    values = {}
    for row in own("variables", alex):
        values.setdefault(row["variable"], []).append(row)
    for name in ("mood_week", "mood_change", "mood_trend", "logs_month", "log_streak"):
        (row,) = values[name]
        assert row["key"] == "" and float(row["value"]) == pytest.approx(found[name]["value"], abs=1e-9) and int(row["n"]) == found[name]["n"]
        window = found[name]["window"] or {"from": "", "to": ""}
        assert (row["window_from"], row["window_to"]) == (window["from"], window["to"])
    for name in ("mood_by_hour", "mood_by_category", "mood_month"):
        rows = {row["key"]: row for row in values[name] if row["key"]}
        assert set(rows) == {entry["key"] for entry in found[name]["entries"]}
        for entry in found[name]["entries"]:
            row = rows[entry["key"]]
            assert row["value"] == "" if entry["value"] is None else float(row["value"]) == pytest.approx(entry["value"], abs=1e-9)
            assert row["reason"] == (entry["reason"] or "") and int(row["n"]) == entry["n"]

    # Settings with the time for which they were in force; the messages.
    settings = {(row["instrument"], row["item"]): row for row in own("settings", alex)}
    theme = settings["appearance", "theme"]
    assert theme["value"] == "dark" and theme["valid_to_at"] == "" and theme["valid_from_local"].startswith("2026-03-12T15:")
    assert [settings["reminders", f"reminder_times.{number}"]["value"] for number in (1, 2)] == ["13:00:00", "21:00:00"]
    assert len(own("reminders", ben)) >= 1
