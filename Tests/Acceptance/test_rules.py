"""Decision rules: what a study with messages at local times, at chosen times and after entries sends, decides and exports."""

import concurrent.futures
import csv
import datetime
import io

import pytest

from acceptance import datasets
from acceptance.moments import new_id
from acceptance.people import Researcher
from acceptance.server import ROOT
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

STUDY = "appiness"
BERLIN, LISBON = "Europe/Berlin", "Europe/Lisbon"
# A Thursday. The clocks of Europe change on Sunday 29 March.
START = datetime.datetime(2026, 3, 26, 11, 0, tzinfo=datetime.timezone.utc)


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def app(clock, mailbox):
    server = TimedServer(clock, smtp_url=mailbox.url)
    try:
        server.start()
        server.run("publish", ROOT / "Questionnaires" / "studies" / STUDY)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def charlotte(app, mailbox):
    person = TimedPerson(app, STUDY, name="Charlotte Canary", zone=BERLIN)
    person.register().enrol()
    mailbox.verify(person)
    return person


def inbox(person, **query):
    return person.call("GET", person.own("/inbox"), params=query, status=200)["items"]


def run(app, clock, zone, time, days=0):
    """Moves the clock on and lets the worker do what is due."""
    clock.advance_to(zone, time, days)
    app.send_due()


def answer(person, questionnaire, **answers):
    return person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=person.sheet(questionnaire, answers), status=201)


def test_messages_come_at_their_times_and_decisions_are_stored(app, clock, charlotte, mailbox, contract):
    # The message of the day: the same on the home screen and in the mail, once per local date.
    run(app, clock, BERLIN, "08:01", days=1)
    today = charlotte.call("GET", charlotte.own("/library/messages/today"), status=200)["items"][0]
    message = [one for one in inbox(charlotte) if one["rule"] == "daily_message"]
    assert len(message) == 1 and message[0]["content"]["item"] == today["item"]
    assert message[0]["subject"] == today["fields"]["title"] and message[0]["path"] == ""
    mail = mailbox.wait_for(charlotte.email)
    assert [one["subject"] for one in mail if one["subject"] == today["fields"]["title"]], mail
    app.send_due()
    assert len([one for one in inbox(charlotte) if one["rule"] == "daily_message"]) == 1

    # Three questions about the mood a day, until the participant chooses five, and then none.
    def prompts():
        return len([one for one in inbox(charlotte, limit=1000) if one["rule"] == "mood_prompts"])

    before = prompts()
    for time in ("12:00", "16:00", "21:10"):
        run(app, clock, BERLIN, time)
    assert prompts() - before == 3
    refused = charlotte.call(
        "PUT", charlotte.own(f"/answer-sheets/{new_id()}"), json=charlotte.sheet("notifications", {"notifications_a_day": 13}))
    assert refused.status_code == 422 and refused.json()["errors"][0]["pointer"] == "/answers/notifications_a_day"
    answer(charlotte, "notifications", notifications_a_day=5)
    before = prompts()
    # Over the spring clock change: the daily message still comes once.
    for days in (1, 1):
        count = len([one for one in inbox(charlotte, limit=1000) if one["rule"] == "daily_message"])
        for time in ("08:01", "10:30", "12:40", "15:10", "17:40", "20:00"):
            run(app, clock, BERLIN, time, days if time == "08:01" else 0)
        assert len([one for one in inbox(charlotte, limit=1000) if one["rule"] == "daily_message"]) == count + 1
    assert prompts() - before == 10
    answer(charlotte, "notifications", notifications_a_day=0)
    before = prompts()
    run(app, clock, BERLIN, "21:10", days=1)
    assert prompts() == before

    # Kind words at noon until enough moods are known.
    assert [one for one in inbox(charlotte, limit=1000) if one["rule"] == "uplift"]

    # The inbox: pages, unread, and what the participant did.
    first = inbox(charlotte, limit=1)[0]
    receipt = charlotte.own(f"/messages/{first['message_id']}/receipt")
    charlotte.call("PUT", receipt, json={"acted_at": clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")}, status=200)
    again = inbox(charlotte, limit=1)[0]
    assert again["acted_at"] and again["opened_at"]
    assert first["message_id"] not in [one["message_id"] for one in inbox(charlotte, state="unread", limit=1000)]
    assert len(charlotte.pages(charlotte.own("/inbox"), limit=3)) == len(inbox(charlotte, limit=1000))

    # The researcher sees the decisions under the pseudonym, and the dataset has the same.
    researcher = Researcher(app, contract, STUDY)
    decisions = researcher.pages(f"/v1/studies/{STUDY}/rules/daily_message/decisions", limit=2)
    assert {one["outcome"] for one in decisions} == {"message"}
    assert {one["participant_id"] for one in decisions} == {charlotte.enrolment["participant_id"]}
    files = datasets.files(researcher, STUDY, "coded")
    rows = list(csv.DictReader(io.StringIO(files["data/decisions.csv"].decode())))
    assert len([row for row in rows if row["rule"] == "daily_message"]) == len(decisions)
    assert all(row["item"] for row in rows if row["rule"] == "daily_message")
    assert "data/content_shown.csv" in files and "meta/library/1.json" in files


def test_a_paused_participant_gets_no_messages(app, clock, mailbox):
    dora = TimedPerson(app, STUDY, name="Dora Canary", zone=BERLIN)
    dora.register().enrol()
    mailbox.verify(dora)
    dora.call("PATCH", dora.own(""), json={"paused": True}, status=200)

    run(app, clock, BERLIN, "21:10", days=1)

    assert inbox(dora) == []


def test_two_workers_send_each_message_once(app, clock, mailbox):
    erik = TimedPerson(app, STUDY, name="Erik Canary", zone=BERLIN)
    erik.register().enrol()
    mailbox.verify(erik)
    clock.advance_to(BERLIN, "08:01", 1)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: app.run("remind", "--once"), range(3)))

    assert len([one for one in inbox(erik) if one["rule"] == "daily_message"]) == 1
    assert app.sql(f"""
        select count(*) from research.reminder_attempt where enrolment_id = '{erik.enrolment["enrolment_id"]}'
          and subject like 'daily_message/%' and outcome = 'sent'""").strip() == "1"
