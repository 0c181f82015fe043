"""Messages between the study team and participants: alerts, broadcasts, prompts of the app, and messages about new content."""

import contextlib
import csv
import datetime
import io
import os
import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

from acceptance import datasets
from acceptance.browser import Visitors, is_kept, join, launch, words
from acceptance.mailbox import text
from acceptance.moments import instant, new_id
from acceptance.packs import change
from acceptance.people import Researcher
from acceptance.server import ROOT
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

STUDY = "appiness"
BERLIN = "Europe/Berlin"
START = datetime.datetime(2026, 5, 6, 9, 0, tzinfo=datetime.timezone.utc)
ALERTS = f"/v1/studies/{STUDY}/alerts"
RULES = [
    {"code": "very_low", "at": {"entry": "mood"}, "when": "mood_latest = 0", "do": {"alert": {"about": "very_low_mood"}}},
    {"code": "hint", "at": {"app_open": {"once_per": "day"}}, "do": {"message": {"target": "mood"}}},
    {"code": "new_tip", "at": {"published": "tips"}, "do": {"message": {"content": {"collection": "tips", "select": "published"}}}},
]
TEXTS = {
    "hint": {"subject": "A hint, {{name}}", "body": "Record how you are."},
    "new_tip": {"subject": "A new tip", "body": "{{content.body}}"},
}


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    """The pack appiness with three more rules."""
    folder = tmp_path_factory.mktemp("packs")
    study = folder / "studies" / STUDY
    shutil.copytree(ROOT / "Questionnaires" / "studies" / STUDY, study)
    shutil.copytree(ROOT / "Questionnaires" / "instruments", folder / "instruments")
    change(study / "rules.yaml", lambda rules: rules["rules"].extend(RULES))
    change(study / "variables.yaml", lambda variables: variables["variables"].append(
        {"id": "mood_latest", "latest": {"entry": "mood", "item": "mood"}}))
    for language in ("en", "de"):
        change(study / "content" / f"text.{language}.yaml", lambda words: words["rules"].update(TEXTS))
    return study


@pytest.fixture(scope="module")
def app(clock, mailbox, pack):
    server = TimedServer(clock, smtp_url=mailbox.url)
    try:
        server.start()
        server.run("publish", pack)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def person(app, mailbox):
    made = TimedPerson(app, STUDY, name="Charlotte Canary", zone=BERLIN)
    made.register().enrol()
    mailbox.verify(made)
    return made


@pytest.fixture
def coordinator(app, contract):
    made = Researcher(app, contract, STUDY)
    app.run("account", "grant", "--email", made.email, "--role", "coordinator", "--study", STUDY)
    made.log_in()
    yield made
    app.run("account", "revoke", "--email", made.email, "--role", "coordinator", "--study", STUDY)


@pytest.fixture
def browser(clock):
    """A browser on the simulated clock."""
    with sync_playwright() as playwright:
        made = launch(playwright, env=os.environ | clock.environment)
        yield made
        made.close()


def inbox(person, rule):
    return [one for one in person.call("GET", person.own("/inbox?limit=1000"), status=200)["items"] if one["rule"] == rule]


def mood(person, value):
    return person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=person.sheet("mood", {"mood": value}), status=201)


def alert_mails(mailbox, address):
    return [mail for mail in mailbox.to(address) if "needs you" in mail["subject"]]


def test_an_alert_is_repeated_until_a_coordinator_acknowledges_it(app, clock, mailbox, person, coordinator):
    app.run("account", "create", "--email", "admin.canary@example.org", "--name", "Ada Min")
    app.run("account", "grant", "--email", "admin.canary@example.org", "--role", "admin")
    mood(person, 5)
    mood(person, 0)
    app.send_due()

    [mail] = alert_mails(mailbox, coordinator.email)
    words = text(mail)
    assert "/staff/alerts" in words and "Charlotte" not in words and person.enrolment["participant_id"] not in words
    [alert] = coordinator.call("GET", f"{ALERTS}?state=open", status=200)["items"]
    assert (alert["about"], alert["participant_id"]) == ("very_low_mood", person.enrolment["participant_id"])

    # Again after 15 minutes and after an hour; admins get the third mail.
    for minutes, count, admins in ((13, 1, 0), (2, 2, 0), (60, 3, 1)):
        clock.advance(minutes=minutes)
        app.send_due()
        assert (len(alert_mails(mailbox, coordinator.email)), len(alert_mails(mailbox, "admin.canary@example.org"))) == (count, admins)

    coordinator.log_in()
    path = f"{ALERTS}/{alert['alert_id']}/acknowledgement"
    coordinator.problem("PUT", path, 422, "body-invalid", json={"note": ""})
    coordinator.problem("PUT", f"{ALERTS}/{new_id()}/acknowledgement", 404, "not-found", json={"note": "x"})
    done = coordinator.call("PUT", path, json={"note": "Called back"}, status=200)
    assert done["acknowledged_at"] and done["notices"] == 3
    assert coordinator.call("PUT", path, json={"note": "Called back"}, status=200) == done
    coordinator.problem("PUT", path, 409, "id-reused", json={"note": "Another note"})
    assert coordinator.call("GET", f"{ALERTS}?state=open", status=200)["items"] == []
    clock.advance(hours=2)
    app.send_due()
    assert len(alert_mails(mailbox, coordinator.email)) == 3
    assert "alert_acknowledged" in app.run("audit", "--study", STUDY)

    coordinator.log_in()
    rows = list(csv.DictReader(io.StringIO(datasets.files(coordinator, STUDY, "coded")["data/alerts.csv"].decode())))
    assert [(row["rule"], row["about"], bool(row["acknowledged_at"])) for row in rows] == [("very_low", "very_low_mood", True)]


def test_a_coordinator_acknowledges_an_alert_in_the_browser(app, browser, person, coordinator):
    mood(person, 0)
    app.send_due()
    with contextlib.closing(Visitors(browser, app.url)) as visitors:
        page = visitors()
        page.goto("/login")
        page.locator("[name=email]").fill(coordinator.email)
        page.locator("[name=password]").fill(coordinator.password)
        page.locator("main form button.primary").click()
        page.wait_for_url(lambda url: "/login" not in url)
        page.goto("/staff")
        page.get_by_role("link", name="1 open alert").click()
        card = page.locator("main .card")
        expect(card).to_contain_text(person.enrolment["participant_id"])
        expect(page.locator("body")).not_to_contain_text("Canary")
        card.get_by_label("What did you do?").fill("Called back at noon")
        card.get_by_role("button").click()
        expect(page.get_by_text("There is no open alert.")).to_be_visible()
    coordinator.log_in()
    assert coordinator.call("GET", ALERTS, status=200)["items"][0]["note"] == "Called back at noon"


def answer(page, *choices):
    """Answers the questions of an open questionnaire one after the other, and sends the answers."""
    page.locator("form[data-started]").wait_for(state="attached")
    for choose in choices:
        choose()
        send = page.get_by_role("button", name=words("answer", "submit"), exact=True)
        (send if send.is_visible() else page.get_by_role("button", name=words("answer", "continue"), exact=True)).click()
    page.wait_for_url(lambda url: "/q/" not in url)


def test_contacts_are_shown_after_answers_that_can_alert_the_team(app, clock, browser):
    with contextlib.closing(Visitors(browser, app.url)) as visitors:
        page = visitors()
        home = join(page, "Appiness")
        path = "/my/" + home.rsplit("/", 1)[1]
        talk = page.locator("main .card").filter(has=page.get_by_role("heading", name=words("library", "talk")))

        def contacts():
            """Follows the card. The first contacts are those of the country of the time zone."""
            expect(talk).to_be_visible()
            talk.get_by_role("link", name=words("library", "crisis_help"), exact=True).click()
            card = page.locator("main .cards").first
            expect(card.locator("a[href='tel:116123']")).to_contain_text("116 123")
            expect(card.locator("a[href='tel:+498001110111']")).to_contain_text("+49 800 111 0111")
            expect(card.get_by_role("link", name="telefonseelsorge.de", exact=True).first).to_be_visible()

        def mood(value):
            page.goto(f"{home}/q/mood")
            answer(page, page.locator(f"label:has(#q-mood-{value})").click, lambda: None)

        # The rule is about the mood. Its value does not matter, because a device without network cannot evaluate the rule.
        read = page.request.get
        codes = ("mood", "accomplishment", "about_you")
        found = {code: read(f"/v1/enrolments/{path[4:]}/questionnaires/{code}").json()["may_alert"] for code in codes}
        assert found == {"mood": True, "accomplishment": False, "about_you": False}
        mood(9)
        expect(page.get_by_text(words("answer", "sent"))).to_be_visible()
        sheet = page.url.split("?")[0]
        contacts()
        page.goto(sheet)
        expect(talk).to_have_count(0)
        page.goto(f"{home}/q/accomplishment")
        answer(
            page, lambda: page.locator("#q-happened-value").fill(str(clock.now().date() - datetime.timedelta(days=1))),
            lambda: page.locator("#q-what-value").fill("sang"))
        expect(page.get_by_text(words("answer", "sent"))).to_be_visible()
        expect(talk).to_have_count(0)

        # Without network the page after sending is Today.
        page.goto(home)
        expect(talk).to_be_hidden()
        for kept in (path, f"{path}/q/mood", f"{path}/q/accomplishment", f"/studies/{STUDY}/contacts"):
            is_kept(page, kept)
        page.context.set_offline(True)
        mood(2)
        expect(page.locator("#status")).to_contain_text("not sent yet")
        contacts()
        page.goto(f"{home}/q/accomplishment")
        answer(
            page, lambda: page.locator("#q-happened-value").fill(str(clock.now().date() - datetime.timedelta(days=1))),
            lambda: page.locator("#q-what-value").fill("danced"))
        expect(page.locator("#status")).to_contain_text("not sent yet")
        expect(talk).to_be_hidden()
        page.context.set_offline(False)
        assert visitors.complaints() == []


def test_a_broadcast_reaches_the_chosen_participants_once(app, clock, mailbox, person, coordinator):
    other = TimedPerson(app, STUDY, name="Ben Canary", zone=BERLIN)
    other.register().enrol()
    mailbox.verify(other)
    path = f"/v1/studies/{STUDY}/broadcasts/{new_id()}"
    body = {
        "audience": {"participants": [person.enrolment["participant_id"]]},
        "words": {"en": {"subject": "New times", "body": "Dear {{name}}, we call you at nine."}}}

    made = coordinator.call("PUT", path, json=body, status=201)
    assert made["addressed"] == 1
    assert coordinator.call("PUT", path, json=body, status=200)["addressed"] == 1
    coordinator.problem("PUT", path, 409, "id-reused", json=body | {"target": "mood"})
    for _ in range(2):
        app.send_due()

    [message] = inbox(person, "broadcast")
    assert message["body"] == "Dear Charlotte Canary, we call you at nine."
    assert inbox(other, "broadcast") == []
    assert len([mail for mail in mailbox.to(person.email) if mail["subject"] == "New times"]) == 1
    person.call("PUT", person.own(f"/messages/{message['message_id']}/receipt"), json={"opened_at": instant(clock.now())}, status=200)
    progress = coordinator.call("GET", path, status=200)
    assert (progress["state"], progress["addressed"], progress["sent"], progress["opened"]) == ("sent", 1, 1, 1)
    rows = list(csv.DictReader(io.StringIO(datasets.files(coordinator, STUDY, "coded")["data/broadcasts.csv"].decode())))
    assert [row["participant_id"] for row in rows] == [person.enrolment["participant_id"]]


def test_a_broadcast_without_the_language_of_a_participant_is_in_the_first_language_of_the_study(app, clock, mailbox, coordinator):
    camille = TimedPerson(app, STUDY, name="Camille Canary", zone=BERLIN)
    camille.register().enrol()
    mailbox.verify(camille)
    # A language of an earlier version of the study.
    app.sql(f"update research.enrolment set language = 'fr' where enrolment_id = '{camille.enrolment['enrolment_id']}'")
    words = {"de": {"subject": "Neue Zeiten", "body": "Ab neun."}, "en": {"subject": "New times", "body": "From nine."}}
    audience = {"participants": [camille.enrolment["participant_id"]]}
    for chosen in (words, {"de": words["de"]}):
        coordinator.call("PUT", f"/v1/studies/{STUDY}/broadcasts/{new_id()}", json={"audience": audience, "words": chosen}, status=201)
        app.send_due()

    assert [message["subject"] for message in inbox(camille, "broadcast")] == ["Neue Zeiten", "New times"]


def test_a_broadcast_with_faults_is_refused_and_a_cancelled_one_is_not_sent(app, clock, person, coordinator):
    path = f"/v1/studies/{STUDY}/broadcasts/{new_id()}"
    problem = coordinator.problem("PUT", path, 422, "body-invalid", json={
        "audience": {"all": True, "arms": ["unknown"]}, "words": {"fr": {"subject": "a\nb", "body": "c"}}, "expires_at": "2020-01-01T00:00:00Z"})
    assert {fault["pointer"] for fault in problem["errors"]} == {"/audience", "/audience/arms/0", "/words/fr", "/words/fr/subject", "/expires_at"}
    words = {"en": {"subject": "Later", "body": "Later"}}
    audience = {"participants": [person.enrolment["participant_id"], "unknown"]}
    for body, faults in (
            ({"audience": audience}, [("/audience/participants/1", "unknown_participant")]),
            ({"audience": {"all": False}}, [("/audience/all", "not_a_value")]),
            ({"audience": {"all": True}, "target": "/example.org"}, [("/target", "invalid_target")])):
        problem = coordinator.problem("PUT", path, 422, "body-invalid", json={"words": words} | body)
        assert [(fault["pointer"], fault["code"]) for fault in problem["errors"]] == faults

    tomorrow = instant(clock.now() + datetime.timedelta(days=1))
    coordinator.call("PUT", path, json={"audience": {"all": True}, "words": words, "not_before": tomorrow}, status=201)
    coordinator.call("DELETE", path, status=204)
    clock.advance(days=2)
    app.send_due()
    assert inbox(person, "broadcast") == []
    coordinator.log_in()
    assert coordinator.call("GET", path, status=200)["state"] == "cancelled"


def test_the_app_gets_a_prompt_once_a_day_until_it_is_dismissed(app, clock, person):
    clock.advance_to(BERLIN, "10:00", 1)
    [prompt] = person.call("GET", person.own("/prompts?at=app_open"), status=200)["items"]
    assert (prompt["subject"], prompt["path"]) == ("A hint, Charlotte Canary", "/f/mood")
    assert person.call("GET", person.own("/prompts"), status=200)["items"] == [prompt]
    assert inbox(person, "hint") == []

    receipt = {"dismissed_at": instant(clock.now())}
    person.call("PUT", person.own(f"/messages/{prompt['message_id']}/receipt"), json=receipt, status=200)

    assert person.call("GET", person.own("/prompts"), status=200)["items"] == []
    clock.advance_to(BERLIN, "10:00", 1)
    [next_one] = person.call("GET", person.own("/prompts"), status=200)["items"]
    assert next_one["message_id"] != prompt["message_id"]


def test_a_new_item_of_the_library_is_announced_to_everyone_once(app, clock, pack, person):
    clock.advance_to(BERLIN, "11:00", 1)
    app.send_due()
    assert inbox(person, "new_tip") == []
    for suffix, row in (("", "fresh_air,food"), (".en", "fresh_air,Open a window."), (".de", "fresh_air,Öffnen Sie ein Fenster.")):
        path = pack / "library" / f"tips{suffix}.csv"
        columns = path.read_text().splitlines()[0].count(",") + 1
        path.write_text(path.read_text().rstrip("\n") + "\n" + ",".join(row.split(",")[:columns]) + "\n")
    app.run("publish", pack, "--library-only")

    for _ in range(2):
        app.send_due()

    [message] = inbox(person, "new_tip")
    assert (message["body"], message["content"]["item"]) == ("Open a window.", "fresh_air")


def test_a_message_is_snoozed_within_its_limits(app, clock, mailbox, person):
    clock.advance_to(BERLIN, "08:01", 1)
    app.send_due()
    [message] = inbox(person, "daily_message")
    path = person.own(f"/messages/{message['message_id']}/snooze")
    mails = len(mailbox.to(person.email))

    later = instant(clock.now() + datetime.timedelta(hours=1))
    for _ in range(2):
        person.call("PUT", path, json={"until": later}, status=200)
    assert person.problem("PUT", path, 422, "body-invalid", json={"until": instant(clock.now())})["errors"][0]["code"] == "outside_window"
    for minutes in range(1, 10):
        person.call("PUT", path, json={"until": instant(clock.now() + datetime.timedelta(hours=10, minutes=minutes))}, status=200)
    too_often = person.problem("PUT", path, 422, "body-invalid", json={"until": instant(clock.now() + datetime.timedelta(hours=12))})
    assert too_often["errors"][0]["code"] == "too_often"
    clock.advance(minutes=61)
    app.send_due()

    again = mailbox.to(person.email)[mails:]
    assert [mail["subject"] for mail in again].count(message["subject"]) == 1


def test_an_enrolment_has_a_list_of_awards(person):
    assert person.call("GET", person.own("/awards"), status=200) == {"items": []}
