"""The story of appiness, through the public API, on a simulated clock: a student's spring with messages, moods and accomplishments.

The numbers are those of the story. test_rules.py and test_library.py show what rules and collections do in general; here they follow one
student. test_web_appiness.py shows the same story through the pages.
"""

import collections
import csv
import datetime
import io
import json
import shutil
import sys
import zoneinfo
from fractions import Fraction

import pytest
import requests
from cryptography import x509

from acceptance import datasets
from acceptance.message_receiver import Authority, Device
from acceptance.moments import instant, new_id, read
from acceptance.server import ROOT, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

sys.path.insert(0, str(ROOT / "Tests" / "Nightly"))

from variables_model import Evaluation, Facts, Pack  # noqa: E402

STUDY = "appiness"
FOLDER = ROOT / "Questionnaires" / "studies" / STUDY
INSTRUMENTS = ["mood", "accomplishment", "notifications", "appearance", "about_you"]
BERLIN, NEW_YORK, TOKYO = "Europe/Berlin", "America/New_York", "Asia/Tokyo"
# A Thursday. The clocks of Europe change on Sunday 29 March.
START = datetime.datetime(2026, 3, 26, 11, 0, tzinfo=datetime.timezone.utc)
WON = "canary-won: passed the exam in statistics"
ADDED = "canary-added: with a good mark"
PURGED = "canary-purged: bought a ticket"
NOTE = "canary-note: long day in the library"


class TimedAuthority(Authority):
    """Its certificates are valid by the simulated clock."""

    def _builder(self, name, key):
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(START - datetime.timedelta(days=1))
            .not_valid_after(START + datetime.timedelta(days=200)))


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """The authority that the push service of the fixture `receiver` uses."""
    return TimedAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def app(clock, authority, mailbox):
    """A server on the simulated clock, with the study."""
    server = TimedServer(clock, smtp_url=mailbox.url)
    server.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        server.start()
        server.run("publish", FOLDER)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


class Student(TimedPerson):
    """A participant of appiness, and the record of moods that the model needs."""

    def __init__(self, server, contract, study=STUDY, **more):
        super().__init__(server, study, contract, **{"zone": BERLIN, **more})
        self.history = {}

    def begin(self, mailbox):
        self.register().enrol()
        mailbox.verify(self)
        self.history = {"enrolled_at": self.enrolment["enrolled_at"], "time_zone": self.zone, "zone_changes": [], "sheets": []}
        return self

    def run(self, zone, time, days=0):
        """Moves the clock on, and lets the worker do what is due."""
        self.clock.advance_to(zone, time, days)
        self.server.send_due()

    def put(self, questionnaire, answers, **more):
        """Submits a sheet and repeats it unchanged; the receipt."""
        path, body = self.own(f"/answer-sheets/{new_id()}"), self.sheet(questionnaire, answers, **more)
        receipt = self.call("PUT", path, json=body, status=201)
        assert self.call("PUT", path, json=body, status=200) == receipt | {"replayed": True}
        return receipt

    def mood(self, mood, **more):
        """Records a mood now."""
        now = self.clock.now()
        receipt = self.put("mood", {"mood": mood} | more, completed=now, client_now=instant(now))
        # The server corrects the device's clock by the difference at the upload.
        moment = read(receipt["completed_at"]) + (read(receipt["received_at"]) - read(instant(now)))
        self.history["sheets"].append({
            "sheet_id": receipt["sheet_id"], "questionnaire": "mood", "completed_at": instant(moment), "time_zone": self.zone,
            "answers": {"mood": mood}})
        return receipt

    def inbox(self, rule=None, limit=1000, **query):
        items = self.call("GET", self.own("/inbox"), params={"limit": limit, **query}, status=200)["items"]
        return [one for one in items if rule in (None, one["rule"])]

    def setting(self, questionnaire):
        items = self.call("GET", self.own("/settings"), status=200)["items"]
        return next(item for item in items if item["questionnaire"] == questionnaire)

    def table_of_hours(self, date):
        """The model's mood by hour at the beginning of a local date: hour -> (number, mean)."""
        start = datetime.datetime.combine(date, datetime.time(), zoneinfo.ZoneInfo(self.zone))
        model = Evaluation(Pack(FOLDER), Facts(Pack(FOLDER), self.history | {"at": instant(start)}))
        return {int(entry["key"]): (entry["n"], entry["value"]) for entry in model.result("mood_by_hour").json()["entries"]}


class TimedResearcher(TimedPerson):
    """A researcher of a study on the simulated clock."""

    def __init__(self, server, contract, study):
        super().__init__(server, study, contract, name="Rosa Field")
        self.password = server.make_researcher(self.email, study=study)
        self.log_in()


def low_moment(table, earliest="08:00", latest="21:00", quiet=("21:30", "07:30")):
    """The moment a quarter of an hour before the hour in which the mood is lowest, by the formula of `adaptive`, as HH:MM."""
    total = sum(n for n, _ in table.values())
    mean = sum(n * Fraction(value) for n, value in table.values()) / total
    best = None
    for hour in sorted(table):
        minutes = hour * 60 - 15
        time = f"{minutes // 60:02}:{minutes % 60:02}"
        if not earliest <= time <= latest or time >= quiet[0] or time < quiet[1]:
            continue
        near = [(Fraction(weight, 4), *table[(hour + step) % 24]) for step, weight in ((-1, 1), (0, 2), (1, 1)) if (hour + step) % 24 in table]
        count = sum(weight * n for weight, n, _ in near)
        smooth = sum(weight * n * Fraction(value) for weight, n, value in near) / count
        value = mean + (smooth - mean) * count / (count + 3)
        if best is None or value < best[0]:
            best = value, time
    return best[1]


def local_times(decisions, zone=BERLIN):
    """(local date, local time) of the decision points, the oldest first."""
    local = [read(one["moment"]).astimezone(zoneinfo.ZoneInfo(zone)) for one in decisions]
    return sorted((str(moment.date()), moment.strftime("%H:%M")) for moment in local)


def test_charlotte_lives_with_appiness_for_a_spring(clock, app, receiver, mailbox, contract):
    researcher = TimedResearcher(app, contract, STUDY)

    def decisions(rule, person, study=STUDY):
        found = researcher.pages(f"/v1/studies/{study}/rules/{rule}/decisions")
        return [one for one in found if one["participant_id"] == person.enrolment["participant_id"]]

    # 1. Without an account, everyone reads the same tip. It is valid until midnight of the study's zone; then there is another one.
    tip_path = f"/v1/studies/{STUDY}/library/tips/today"
    visitor, other = Student(app, contract, name="Vera Canary"), Student(app, contract, name="Otto Canary", zone=TOKYO)
    reply = visitor.call("GET", tip_path, token=False)
    tip = reply.json()
    assert reply.status_code == 200 and len(tip["fields"]["body"]) <= 280
    assert other.call("GET", tip_path, token=False, headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
    midnight = datetime.datetime(2026, 3, 27, tzinfo=zoneinfo.ZoneInfo(BERLIN))
    assert read(tip["valid_until"]) == midnight
    for hidden in ("messages", "messages/today", "uplifting"):
        visitor.problem("GET", f"/v1/studies/{STUDY}/library/{hidden}", 404, "not-found", token=False)
    # Crisis lines and the texts about the app are open to anyone, too.
    for shown in ("contacts", "pages"):
        assert visitor.call("GET", f"/v1/studies/{STUDY}/library/{shown}", token=False, status=200)["items"]

    # 3. Charlotte registers and enrols. The home screen has a message of the day. Over two weeks it is a quote or an exercise.
    charlotte = Student(app, contract, name="Charlotte Canary").begin(mailbox)
    days = charlotte.call("GET", charlotte.own("/library/messages/today?days=14"), status=200)["items"]
    assert {day["fields"]["kind"] for day in days} == {"quote", "exercise"}
    assert all(day["fields"]["title"] and day["fields"]["body"] for day in days)
    assert len({day["item"] for day in days}) == 14

    charlotte.run(BERLIN, "21:10")

    # 2. After midnight a phone without network has a tip that is no longer valid. The server has another one.
    clock.advance_to(BERLIN, "00:01", 1)
    assert clock.now() > read(tip["valid_until"])
    newer = visitor.call("GET", tip_path, token=False, headers={"If-None-Match": reply.headers["etag"]}, status=200)
    assert newer["item"] != tip["item"] and newer["local_date"] == "2026-03-27"

    # 4. At 08:00 in her zone a push contains the same message. It leads home. The phone reports delivery and opening.
    phone = Device(receiver)
    phone.register(charlotte, channels=("push", "mail"))
    mails = len(mailbox.to(charlotte.email))
    charlotte.run(BERLIN, "07:59")
    assert charlotte.inbox("daily_message") == []
    charlotte.run(BERLIN, "08:00")
    pushed = [json.loads(phone.read(message))["notification"] for message in phone.messages]
    today = charlotte.call("GET", charlotte.own("/library/messages/today"), status=200)["items"][0]
    assert [(one["title"], one["body"]) for one in pushed] == [(today["fields"]["title"], today["fields"]["body"])]
    assert pushed[0]["navigate"] == f"{app.url}/my/{charlotte.enrolment['enrolment_id']}"
    [message] = charlotte.inbox("daily_message")
    assert message["content"]["item"] == today["item"] == days[1]["item"] and message["path"] == ""
    assert pushed[0]["data"]["message_id"] == message["message_id"]
    receipt = charlotte.own(f"/messages/{message['message_id']}/receipt")
    for name in ("delivered_at", "opened_at"):
        charlotte.call("PUT", receipt, json={name: instant(clock.now())}, status=200)
    [message] = charlotte.inbox("daily_message")
    assert message["opened_at"] and charlotte.inbox("daily_message", state="unread") == []
    assert len(mailbox.to(charlotte.email)) == mails, "a message that a push delivered does not also go by mail"

    # 5. It arrives once per local date: over the change of the clocks, after a flight to the west on a morning that comes twice, and after
    # a flight to the east on which it is never eight o'clock.
    charlotte.run(BERLIN, "08:01", 1)
    charlotte.run(BERLIN, "08:01", 1)
    clock.advance_to(BERLIN, "12:30")
    charlotte.travel(NEW_YORK)
    charlotte.run(NEW_YORK, "08:01")
    assert [date for date, _ in local_times(decisions("daily_message", charlotte))] == ["2026-03-27", "2026-03-28", "2026-03-29"]
    charlotte.run(NEW_YORK, "07:59", 1)
    charlotte.run(NEW_YORK, "08:01")
    clock.advance_to(NEW_YORK, "01:00", 1)
    charlotte.travel(TOKYO)
    charlotte.run(TOKYO, "14:30")
    charlotte.run(TOKYO, "08:01", 1)
    points = [one["point"] for one in decisions("daily_message", charlotte)]
    assert sorted(points) == [f"{date}#1" for date in ("2026-03-27", "2026-03-28", "2026-03-29", "2026-03-30", "2026-03-31", "2026-04-01")]
    assert len(charlotte.inbox("daily_message")) == 6
    clock.advance_to(TOKYO, "23:00", 1)
    charlotte.travel(BERLIN)

    # 6. The settings show three notifications a day, the number of the questionnaire, because she has chosen none.
    setting = charlotte.setting("notifications")
    assert setting["values"] == {"notifications_a_day": 3} and setting["sheet_id"] is None

    # 7. Wrong numbers are refused, each at its pointer and with what is wrong. Nothing changes.
    def fault(answers):
        wrong = charlotte.problem(
            "PUT", charlotte.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=charlotte.sheet("notifications", answers))
        [found] = wrong["errors"]
        assert found["pointer"] == "/answers/notifications_a_day"
        return found

    assert [fault({"notifications_a_day": number})["detail"] for number in (13, -1)] == ["The maximum is 12.", "The minimum is 0."]
    assert [fault(answers)["code"] for answers in ({"notifications_a_day": 2.5}, {"notifications_a_day": "many"}, {})] == ["not_whole", "wrong_type", "required"]
    assert charlotte.setting("notifications") == setting

    # 8. She saves 5. Of two phones the newest value is in force, also if the older one arrives later.
    clock.advance_to(BERLIN, "21:40")
    saved = charlotte.put("notifications", {"notifications_a_day": 5})
    an_hour_ago = clock.now() - datetime.timedelta(hours=1)
    charlotte.put("notifications", {"notifications_a_day": 9}, completed=an_hour_ago)
    setting = charlotte.setting("notifications")
    assert setting["values"] == {"notifications_a_day": 5} and setting["sheet_id"] == saved["sheet_id"]

    # 9. Five messages the next day between 9 and 21 o'clock, in equal distances. With 0 there are none.
    run_a_day(charlotte, 5)
    asked = [one for one in decisions("mood_prompts", charlotte) if one["point"].startswith("2026-04-03#")]
    assert [time for _, time in local_times(asked)] == ["10:12", "12:36", "15:00", "17:24", "19:48"]
    sent = sorted(read(one["created_at"]) for one in charlotte.inbox("mood_prompts"))[-5:]
    assert min(later - earlier for earlier, later in zip(sent, sent[1:])) >= datetime.timedelta(minutes=45)
    newest = charlotte.inbox("mood_prompts")[0]
    assert newest["path"] == "/f/mood" and newest["content"] is None
    charlotte.put("notifications", {"notifications_a_day": 0})
    before = len(charlotte.inbox("mood_prompts"))
    run_a_day(charlotte, 5)
    assert len(charlotte.inbox("mood_prompts")) == before
    assert charlotte.inbox("daily_message")[0]["content"], "the message of the day does not depend on the number"

    # 10. The colours follow her to another phone. A scheme that does not exist is refused.
    assert charlotte.setting("appearance")["values"] == {"theme": "system"}
    charlotte.put("appearance", {"theme": "forest"})
    second = Student(app, contract, name=charlotte.name)
    second.email, second.password, second.enrolment = charlotte.email, charlotte.password, charlotte.enrolment
    second.log_in()
    assert second.setting("appearance")["values"] == {"theme": "forest"}
    second.problem(
        "PUT", second.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid", json=second.sheet("appearance", {"theme": "neon"}))
    assert charlotte.setting("appearance")["values"] == {"theme": "forest"}

    # 11. Three accomplishments were added offline. The one of tomorrow is refused by its constraint; the others are stored.
    local_today = charlotte.local().date()
    dates = [local_today - datetime.timedelta(days=1), local_today + datetime.timedelta(days=1), local_today]
    outbox = []
    for date, text in zip(dates, (WON, "finished the essay", PURGED)):
        body = charlotte.sheet("accomplishment", {"happened": str(date), "what": text})
        body.pop("client_now")
        outbox.append({"kind": "answer_sheet", "id": new_id(), "body": body})
    clock.advance(hours=1)
    upload = {"client_now": instant(clock.now()), "items": outbox}
    results = charlotte.call("POST", charlotte.own("/sync"), json=upload, status=200)["items"]
    assert [one["result"] for one in results] == ["accepted", "rejected", "accepted"]
    assert [error["pointer"] for error in results[1]["problem"]["errors"]] == ["/answers/happened"]

    # 12. The timeline follows the dates of the accomplishments, page by page. One is corrected, one is deleted for good.
    older = charlotte.put("accomplishment", {"happened": "2026-02-14", "what": "ran ten kilometres"})
    yesterday, doomed = outbox[0]["id"], outbox[2]["id"]

    def timeline():
        found = charlotte.pages(charlotte.own("/answer-sheets"), limit=1, questionnaire="accomplishment", order="item:happened")
        return [sheet["sheet_id"] for sheet in found]

    assert timeline() == [doomed, yesterday, older["sheet_id"]]
    path = charlotte.own(f"/answer-sheets/{older['sheet_id']}")
    corrected = charlotte.call(
        "PATCH", path, json={"answers": {"happened": str(local_today), "what": ADDED}}, headers={"If-Match": charlotte.call("GET", path).headers["etag"]},
        status=200)
    assert corrected["revision"] == 2 and sorted(timeline()[:2]) == sorted([doomed, older["sheet_id"]])
    wrong = charlotte.problem(
        "PATCH", path, 422, "answer-sheet-invalid", json={"answers": {"happened": str(local_today + datetime.timedelta(days=2))}},
        headers={"If-Match": charlotte.call("GET", path).headers["etag"]})
    assert [error["pointer"] for error in wrong["errors"]] == ["/answers/happened"]
    assert charlotte.call("DELETE", charlotte.own(f"/answer-sheets/{doomed}")).status_code == 204
    assert timeline() == [older["sheet_id"], yesterday]
    dump = app.dump()
    assert WON in dump and PURGED not in dump and PURGED.encode().hex() not in dump

    # 13. Two moods within a minute. On a day without a mood nothing is due.
    first, again = charlotte.mood(6, note=NOTE), charlotte.mood(4)
    assert first["standing"] == again["standing"] == "unscheduled" and first["sheet_id"] != again["sheet_id"]
    assert [one["variable"] for one in first["feedback"]] == ["mood_streak"]
    clock.advance_to(BERLIN, "20:00", 1)
    overview = charlotte.overview()
    assert {code: entry["due_today"] for code, entry in overview.items() if code != "about_you"} == {"mood": False, "accomplishment": False}
    assert not overview["mood"]["disabled"] and overview["mood"]["any_time"]

    # 14. The server is stopped in the middle. The phone gets no response, sends again, and the mood is stored once.
    mood = charlotte.own(f"/answer-sheets/{new_id()}")
    body = charlotte.sheet("mood", {"mood": 5})
    charlotte.stay_logged_in()
    app.stop()
    with pytest.raises(requests.ConnectionError):
        charlotte.call("PUT", mood, json=body)
    app.start()
    assert charlotte.call("PUT", mood, json=body, status=201)["replayed"] is False
    assert charlotte.call("PUT", mood, json=body, status=200)["replayed"] is True
    # If the database ends, the server waits for it, or advises to try later (test_failover.py). Either way the mood is stored once.
    unlucky, body = charlotte.own(f"/answer-sheets/{new_id()}"), charlotte.sheet("mood", {"mood": 5})
    app.kill_postmaster()
    reply = charlotte.call("PUT", unlucky, json=body)
    assert reply.status_code == 201 or (reply.status_code, reply.json()["action"]) == (503, "retry_later")
    wait_until(lambda: charlotte.call("PUT", unlucky, json=body).status_code in (200, 201), 60, "the mood is stored")

    # 15. The history of moods has day and time, the newest first.
    history = charlotte.pages(charlotte.own("/answer-sheets"), limit=2, questionnaire="mood", order="completed")
    assert [sheet["answers"]["mood"] for sheet in history] == [5, 5, 4, 6]
    assert [sheet["local_date"] for sheet in history] == ["2026-04-05", "2026-04-05", "2026-04-04", "2026-04-04"]
    assert [sheet["completed_at"] for sheet in history] == sorted((sheet["completed_at"] for sheet in history), reverse=True)

    # 16. and 17. The hour of the kind words.
    emma = Student(app, contract, name="Emma Canary")
    check_the_hour_of_the_kind_words(clock, emma, mailbox, decisions)

    # 18. The dataset, the decisions for the researcher, and the erasure.
    check_the_dataset(app, researcher, charlotte, emma, decisions)
    charlotte.problem("GET", f"/v1/studies/{STUDY}/rules/uplift/decisions", 403, "not-permitted")
    assert charlotte.call("POST", charlotte.own("/withdrawal"), json={"mode": "erase"}).status_code == 204
    assert emma.call("DELETE", "/v1/account", json={"password": emma.password}).status_code == 204
    dump = app.dump()
    traces = [WON, ADDED, NOTE, *(value for one in (charlotte, emma) for value in one.enrolment.values() if "-" in str(value))]
    for trace in map(str, [*traces, first["sheet_id"]]):
        if len(trace) > 20:
            assert trace not in dump and trace.encode().hex() not in dump, f"{trace!r} is still in the database"
    assert decisions("uplift", emma) == [] and decisions("daily_message", charlotte) == []
    tables = read_tables(datasets.files(researcher, STUDY, "coded"))
    assert all(tables[name] == [] for name in ("participants", "sheets", "decisions", "content_shown", "settings", "variables"))


def run_a_day(person, count):
    """Runs the worker after each of `count` questions of the next day."""
    person.run(BERLIN, "08:01", 1)
    for number in range(count):
        minutes = 9 * 60 + (2 * number + 1) * 720 // (2 * count) + 1
        person.run(BERLIN, f"{minutes // 60:02}:{minutes % 60:02}")
    person.run(BERLIN, "21:10")


def check_the_hour_of_the_kind_words(clock, emma, mailbox, decisions):
    clock.advance_to(BERLIN, "22:00")
    emma.begin(mailbox)

    def uplift():
        return local_times(decisions("uplift", emma))

    # 16. With 19 moods on 9 days the kind words arrive at 12:00.
    for day in range(9):
        clock.advance_to(BERLIN, "10:20", 1)
        emma.mood(7)
        emma.run(BERLIN, "12:01")
        assert uplift()[-1] == (str(emma.local().date()), "12:00")
        clock.advance_to(BERLIN, "17:30")
        emma.mood(1 + day % 3)
    clock.advance_to(BERLIN, "19:30")
    emma.mood(6)
    assert len(emma.history["sheets"]) == 19 and len(uplift()) == 9
    # The 20th mood on the 10th day changes the next day, not this one.
    clock.advance_to(BERLIN, "10:20", 1)
    emma.mood(7)
    emma.run(BERLIN, "12:01")
    emma.run(BERLIN, "21:10")
    assert uplift()[-1] == (str(emma.local().date()), "12:00") and len(uplift()) == 10
    clock.advance_to(BERLIN, "00:05", 1)
    date = emma.local().date()
    table = emma.table_of_hours(date)
    assert sum(n for n, _ in table.values()) == 20 and low_moment(table) == "16:45"
    emma.run(BERLIN, "12:01")
    assert len(uplift()) == 10
    emma.run(BERLIN, "16:46")
    assert uplift()[-1] == (str(date), "16:45") and len(uplift()) == 11
    # The decision stores the table of hours that it used, and the message has an item of the collection.
    decision = next(one for one in decisions("uplift", emma) if one["point"] == str(date))
    stored = decision["variables"]["mood_by_hour"]
    assert {int(entry["key"]): (entry["n"], pytest.approx(entry["value"], abs=1e-9)) for entry in entries_of(stored)} == table
    [message] = [one for one in emma.inbox("uplift") if one["message_id"] == decision["message_id"]]
    assert message["content"]["collection"] == "uplifting" and message["body"]

    # 17. The moment follows later moods, one day later, and never comes twice on one day.
    clock.advance_to(BERLIN, "19:10")
    for _ in range(12):
        emma.mood(0)
    emma.run(BERLIN, "21:10")
    assert len(uplift()) == 11
    clock.advance_to(BERLIN, "00:05", 1)
    date = emma.local().date()
    assert low_moment(emma.table_of_hours(date)) == "18:45"
    emma.run(BERLIN, "16:46")
    assert len(uplift()) == 11
    emma.run(BERLIN, "18:46")
    assert uplift()[-1] == (str(date), "18:45")
    # The lowest moods are in the quiet hours. The kind words do not follow them there.
    for time in ("22:30", "23:30"):
        clock.advance_to(BERLIN, time)
        for _ in range(15):
            emma.mood(0)
    emma.run(BERLIN, "20:00", 1)
    table = emma.table_of_hours(emma.local().date())
    assert table[23] == (15, 0) and uplift()[-1][1] == low_moment(table) == "18:45"
    assert max(collections.Counter(date for date, _ in uplift()).values()) == 1


def entries_of(value):
    """The entries of a variable with keys, as a decision stores it."""
    return value["entries"] if isinstance(value, dict) and "entries" in value else value


def read_tables(files):
    """Table -> rows of a dataset."""
    return {
        name.removeprefix("data/").removesuffix(".csv"): list(csv.DictReader(io.StringIO(content.decode())))
        for name, content in files.items() if name.startswith("data/") and name.endswith(".csv")}


def check_the_dataset(app, researcher, charlotte, emma, decisions):
    app.run("account", "grant", "--email", researcher.email, "--role", "researcher", "--study", STUDY, "--full-export")
    files = {profile: datasets.files(researcher, STUDY, profile) for profile in ("coded", "full", "deidentified")}
    tables = {profile: read_tables(found) for profile, found in files.items()}

    def own(table, person, profile="coded"):
        return [row for row in tables[profile][table] if row["participant_id"] == person.enrolment["participant_id"]]

    # A row for each decision that the researcher reads, with the variables on which it rested.
    for person, rule in ((charlotte, "daily_message"), (charlotte, "mood_prompts"), (emma, "uplift")):
        listed = decisions(rule, person)
        rows = [row for row in own("decisions", person) if row["rule"] == rule]
        assert len(rows) == len(listed) > 0 and {row["outcome"] for row in rows} == {"message"}
    rows = [row for row in own("decisions", emma) if row["rule"] == "uplift"]
    by_point = {one["point"]: one["variables"] for one in decisions("uplift", emma)}
    assert all(json.loads(row["variables"]) == by_point[row["point"]] for row in rows)
    assert all(row["collection"] == "uplifting" and row["item"] for row in rows)
    opened = [row for row in own("decisions", charlotte) if row["opened_at"]]
    assert len(opened) == 1 and opened[0]["delivered_at"] and opened[0]["rule"] == "daily_message"
    assert {(row["variables"], row["point"]) for row in tables["deidentified"]["decisions"]} == {("", "")}

    # What was shown, the attempts to send by rule, and the texts of the library.
    shown = collections.Counter((row["collection"], row["why"]) for row in own("content_shown", emma))
    assert shown["messages", "daily"] >= len([row for row in own("decisions", emma) if row["rule"] == "daily_message"])
    assert sum(count for (collection, _), count in shown.items() if collection == "uplifting") == len(rows)
    assert b"quote_seneca_time" in files["coded"]["meta/library/1.json"]

    # Moods by hour, settings with their time, and entries.
    hours = {row["key"]: row for row in own("variables", emma) if row["variable"] == "mood_by_hour" and row["key"]}
    assert {key: int(row["n"]) for key, row in hours.items()} == {"10": 10, "17": 9, "19": 13, "22": 15, "23": 15}
    numbers = [row["value"] for row in own("settings", charlotte) if row["item"] == "notifications_a_day"]
    assert sorted(map(float, numbers)) == [0, 5, 9]
    assert [row["value"] for row in own("settings", charlotte) if row["instrument"] == "appearance"] == ["forest"]
    assert len(own("wide_accomplishment", charlotte)) == 2 and len(own("wide_mood", emma)) == len(emma.history["sheets"])
    assert {WON, ADDED, NOTE} <= {row["text"] for row in tables["coded"]["free_text"]}
    assert PURGED not in json.dumps(tables["full"]) and charlotte.name not in json.dumps(tables["full"])


@pytest.fixture(scope="module")
def strict(app, tmp_path_factory):
    """A copy of the study with at most four messages a day, and kind words that may come late in the evening."""
    packs = tmp_path_factory.mktemp("packs")
    code = "appiness-strict"
    folder = packs / "studies" / code
    shutil.copytree(FOLDER, folder)
    for instrument in INSTRUMENTS:
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / instrument, packs / "instruments" / instrument)
    replace(folder / "study.yaml", f"code: {STUDY}\n", f"code: {code}\n")
    replace(folder / "study.yaml", "most_per_day: 14", "most_per_day: 4")
    # The message of the day would be the first of the four.
    replace(folder / "rules.yaml", "    do: {message: {target: mood}}", "    log: all\n    do: {message: {target: mood}}")
    replace(folder / "rules.yaml", "    at: {calendar", "    when: mood_streak > 1000\n    at: {calendar")
    replace(folder / "rules.yaml", "    at: {adaptive", "    when: moods_month > 0\n    at: {adaptive")
    replace(folder / "rules.yaml", 'to: "21:00", ahead: 15m, needs: {entries: 20, days: 10}', 'to: "23:00", ahead: 15m, needs: {entries: 2, days: 1}')
    app.run("publish", folder)
    return code


def replace(path, old, new):
    content = path.read_text()
    assert content.count(old) == 1, f"{path} contains {old!r} {content.count(old)} times"
    path.write_text(content.replace(old, new))


def test_the_study_limits_the_messages_of_a_day(clock, app, strict, mailbox, contract):
    fritz = Student(app, contract, study=strict, name="Fritz Canary").begin(mailbox)
    fritz.put("notifications", {"notifications_a_day": 5})
    fritz.run(BERLIN, "21:10", 1)

    run_a_day(fritz, 5)

    researcher = TimedResearcher(app, contract, strict)
    found = researcher.pages(f"/v1/studies/{strict}/rules/mood_prompts/decisions")
    date = str(fritz.local().date())
    today = sorted((one["point"], one["outcome"], one["available"]) for one in found if one["point"].startswith(date))
    assert today == [(f"{date}#{number}", "message", True) for number in (1, 2, 3, 4)] + [(f"{date}#5", "daily_cap", True)]
    assert len([one for one in fritz.inbox("mood_prompts") if str(fritz.local(read(one["created_at"])).date()) == date]) == 4
    rows = read_tables(datasets.files(researcher, strict, "coded"))["decisions"]
    outcomes = [row["outcome"] for row in rows if row["rule"] == "mood_prompts" and row["point"].startswith(date)]
    assert collections.Counter(outcomes) == {"message": 4, "daily_cap": 1}


def test_kind_words_do_not_follow_a_low_mood_into_the_quiet_hours(clock, app, strict, mailbox, contract):
    # The rule of this study may send until 23:00. The quiet hours begin at 21:30.
    gustav = Student(app, contract, study=strict, name="Gustav Canary").begin(mailbox)
    for time, mood in (("15:20", 5), ("20:20", 9), ("23:20", 0)):
        clock.advance_to(BERLIN, time, 1 if time == "15:20" else 0)
        for _ in range(4):
            gustav.mood(mood)

    gustav.run(BERLIN, "14:46", 1)
    gustav.run(BERLIN, "23:10")

    found = TimedResearcher(app, contract, strict).pages(f"/v1/studies/{strict}/rules/uplift/decisions")
    own = [one for one in found if one["participant_id"] == gustav.enrolment["participant_id"]]
    date = str(gustav.local().date())
    assert [one for one in local_times(own) if one[0] == date] == [(date, "14:45")]
