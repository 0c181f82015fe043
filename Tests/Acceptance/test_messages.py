"""Messages that cannot be sent at once, and messages whose reason changes before they are sent."""

import contextlib
import os
import signal
import subprocess
import time
import zoneinfo
from datetime import timedelta

import pytest
from acceptance.event_study import STUDY, enrol_participant, pack, states
from acceptance.mailbox import text
from acceptance.moments import evening_zone, instant, local, now, read
from acceptance.message_receiver import Device
from acceptance.people import Researcher
from acceptance.rejecting_mail_server import RejectingMailServer
from acceptance.server import BINARIES, Server, wait_until

QUIET = '{quiet_from: "22:00", quiet_to: "07:00"}'
NOTICES = "[{code: begun, when: {event: started}, first_after: 1h}, {code: quiet, when: inactive, first_after: 2h}]"
NOTICE_TEXTS = '{begun: {subject: "{{study}} has begun", body: "Dear {{name}}"}, quiet: {subject: "Are you there?", body: "{{url}}"}}'
CAPPED = "capped"
# Replies of a mail server that concern the server or the sender, not the recipient.
SERVER_FAULTS = [
    ("CONNECT", "421 4.3.2 too busy"), ("CONNECT", "554 5.3.2 not today"), ("AUTH", "454 4.7.0 later"), ("AUTH", "535 5.7.8 who are you"),
    ("MAIL", "451 4.3.0 later"), ("MAIL", "550 5.7.1 not from you"), ("MAIL", "530 5.7.0 log in first"),
]

GERMAN_DAYS = "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()
GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


@pytest.fixture(scope="module")
def reminder_server(authority, receiver, tmp_path_factory):
    """A separate server without a mail server: only the tests send mails."""
    packs = tmp_path_factory.mktemp("messages")
    made = Server()
    made.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        made.start()
        made.run("publish", pack(packs, NOTICES, NOTICE_TEXTS, "[at_open]", reminder_settings=QUIET, close_after="1d", second_close_after="2h"))
        made.run("publish", pack(packs, None, None, "[at_open]", code=CAPPED, reminder_settings=QUIET.replace("{", "{most_per_day: 1, ")))
        yield made
    finally:
        made.remove()


@pytest.fixture
def enrol(reminder_server):
    """Makes participants for whom it is noon. They leave the study at the end of the test, so that their later reminders do not disturb other tests."""
    people = []

    def enrol(name, hour=12, **more):
        people.append(enrol_participant(reminder_server, name, zone=evening_zone(hour), **more))
        return people[-1]

    yield enrol
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


def start_occasions(person, moment=None, status=201):
    """Questionnaire -> the occasion that opens at this moment."""
    person.call("PUT", person.own("/events/started"), json={"occurred_at": instant(moment or now())}, status=status)
    return {one["questionnaire"]: one for one in person.pages(person.own("/occasions"))}


@contextlib.contextmanager
def paused(server, opening):
    """Stops the server's own reminder worker until the occasions have opened."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        wait_until(lambda: now() > opening, 20, "the occasion is open")
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def remind(server, url=None):
    """Sends all waiting messages. Tests look at the outcome separately."""
    more = {"SAUNTER_SMTP_URL": url} if url else {}
    done = subprocess.run(
        [BINARIES / "saunter", "remind", "--once", "--json"], env=server.environment | more, cwd=server.directory,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
    assert done.returncode in (0, 1), done.stderr


def where_enrolment(person):
    return f"where enrolment_id = '{person.enrolment['enrolment_id']}'"


def end_retry_delay(server, person):
    """Ends the wait before the next attempt."""
    server.sql(f"update research.reminder set next_attempt_at = now() - interval '1 second' {where_enrolment(person)} and next_attempt_at is not null")


def next_attempt_time(server, person):
    [moment] = server.sql(
        f"select extract(epoch from next_attempt_at) from research.reminder {where_enrolment(person)} and next_attempt_at is not null").split()
    return float(moment)


def end_of_quiet_hours(zone, moment):
    """The first 7 o'clock after this instant."""
    seven = moment.astimezone(zoneinfo.ZoneInfo(zone)).replace(hour=7, minute=0, second=0, microsecond=0)
    return (seven if seven > moment else seven + timedelta(days=1)).timestamp()


def titles(person, *codes):
    return {person.call("GET", person.own(f"/questionnaires/{code}"), status=200)["title"] for code in codes}


def listed_titles(mail):
    return {line[2:] for line in text(mail).splitlines() if line.startswith("- ")}


def test_an_error_of_the_mail_server_marks_no_recipient_and_blocks_no_other_channel(reminder_server, enrol, receiver, mailbox):
    mona, ben = enrol("Fault Canary"), enrol("Phone Canary")
    device = Device(receiver)
    device.register(ben)
    opening = now() + timedelta(seconds=2)
    # Mona's message is the first one.
    start_occasions(mona, opening - timedelta(milliseconds=1))
    start_occasions(ben, opening)
    with paused(reminder_server, opening):
        for command, reply in SERVER_FAULTS:
            with RejectingMailServer(command, reply) as mail_server:
                remind(reminder_server, mail_server.url)
            assert "RCPT" not in mail_server.commands and (mail_server.commands or command == "CONNECT"), (reply, mail_server.commands)
            assert set(states(reminder_server, mona)) == {"at_open 1 retrying"}, reply
            assert len(device.messages) == 1 and set(states(reminder_server, ben)) == {"at_open 1 sent"}, reply
            end_retry_delay(reminder_server, mona)
        assert reminder_server.sql(f"select distinct outcome from research.reminder_attempt {where_enrolment(mona)}").split() == ["temporary_failure"]
        remind(reminder_server, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    assert set(states(reminder_server, mona)) == {"at_open 1 sent"}
    assert reminder_server.sql(f"select count(*) from research.reminder_channel {where_enrolment(mona)}").strip() == "0"
    researcher = Researcher(reminder_server, study=STUDY)
    unreachable = {one["participant_id"]: one["unreachable"] for one in researcher.pages(f"/v1/studies/{STUDY}/participants")}
    assert unreachable[mona.enrolment["participant_id"]] == []


def test_a_new_mail_address_makes_a_participant_reachable_again(reminder_server, enrol, mailbox):
    mona = enrol("Moving Canary")
    reminder_server.sql(f"""
        insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
        values ('{mona.enrolment['enrolment_id']}', 'mail', 3, now(), now())""")
    researcher = Researcher(reminder_server, study=STUDY)

    def unreachable():
        channels = {one["participant_id"]: one["unreachable"] for one in researcher.pages(f"/v1/studies/{STUDY}/participants")}
        return [one["channel"] for one in channels[mona.enrolment["participant_id"]]]

    assert unreachable() == ["mail"]
    mona.call("PATCH", "/v1/account", json={"display_name": "Mona Moved"}, status=200)
    assert unreachable() == ["mail"]
    mona.email = f"new-{mona.email}"
    mona.call("PATCH", "/v1/account", json={"email": mona.email, "password": mona.password}, status=200)
    assert unreachable() == ["mail"]
    remind(reminder_server, mailbox.url)
    mailbox.verify(mona)
    assert unreachable() == []


def test_a_retry_waits_for_the_end_of_quiet_hours_in_the_present_time_zone(reminder_server, enrol, mailbox):
    mona = enrol("Night Canary")
    start_occasions(mona)
    with RejectingMailServer("RCPT", "451 4.2.0 later") as mail_server:
        remind(reminder_server, mail_server.url)
    assert "RCPT" in mail_server.commands and set(states(reminder_server, mona)) == {"at_open 1 retrying"}

    night = evening_zone(2)
    mona.call("PATCH", mona.own(""), json={"time_zone": night}, status=200)
    end_retry_delay(reminder_server, mona)
    remind(reminder_server, mailbox.url)
    assert mailbox.to(mona.email) == [] and set(states(reminder_server, mona)) == {"at_open 1 retrying"}
    assert next_attempt_time(reminder_server, mona) == end_of_quiet_hours(night, now())

    mona.call("PATCH", mona.own(""), json={"time_zone": mona.zone}, status=200)
    end_retry_delay(reminder_server, mona)
    remind(reminder_server, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1 and set(states(reminder_server, mona)) == {"at_open 1 sent"}


def test_a_retry_after_a_time_in_quiet_hours_is_planned_for_their_end(reminder_server, enrol, receiver):
    mona = enrol("Later Canary", hour=20)
    device = Device(receiver)
    device.register(mona)
    receiver.answers[device.path] = [(429, {"Retry-After": str(3 * 3600)})]
    opening = now() + timedelta(seconds=1)
    start_occasions(mona, opening)
    with paused(reminder_server, opening):
        remind(reminder_server)
    assert len(device.messages) == 1 and set(states(reminder_server, mona)) == {"at_open 1 retrying"}
    assert next_attempt_time(reminder_server, mona) == end_of_quiet_hours(mona.zone, now() + timedelta(hours=3))


def test_occasions_that_open_together_share_a_mail_that_survives_the_shorter_window(reminder_server, enrol, mailbox):
    mona, ben = enrol("Both Canary"), enrol("Long Canary")
    start_occasions(mona)
    remind(reminder_server, mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert listed_titles(mail) == titles(mona, "mood_vas", "pss_4")
    assert states(reminder_server, mona) == ["at_open 1 sent"] * 2

    short = start_occasions(ben)["pss_4"]["occasion_id"]
    with RejectingMailServer("RCPT", "451 4.2.0 later") as mail_server:
        remind(reminder_server, mail_server.url)
    assert mail_server.commands.count("RCPT") == 1 and states(reminder_server, ben) == ["at_open 1 retrying"] * 2
    # The shorter window closes before the next attempt.
    reminder_server.sql(f"""
        update research.occasion set due_at = open_at, close_at = open_at + interval '1 millisecond' {where_enrolment(ben)} and occasion_id = '{short}';
        update research.reminder set expires_at = claimed_at {where_enrolment(ben)} and subject = '{short}'""")
    end_retry_delay(reminder_server, ben)
    remind(reminder_server, mailbox.url)
    [mail] = mailbox.wait_for(ben.email)
    assert listed_titles(mail) == titles(ben, "mood_vas")
    assert states(reminder_server, ben) == ["at_open 1 sent", "at_open 1 suppressed"]


def test_a_corrected_event_does_not_repeat_a_notification(reminder_server, enrol, mailbox):
    mona = enrol("Moved Canary")

    def subjects_after_event(number):
        """Reports an event almost one hour ago, waits until the hour is over, and sends the notifications."""
        moment = now() + timedelta(seconds=1)
        start_occasions(mona, moment - timedelta(hours=1), status=201 if number == 1 else 200)
        wait_until(lambda: now() > moment, 20, "an hour has passed since the event")
        remind(reminder_server, mailbox.url)
        return [mail["subject"] for mail in mailbox.to(mona.email)]

    assert subjects_after_event(1) == ["Moments has begun"]
    assert subjects_after_event(2) == ["Moments has begun"]
    assert [one for one in states(reminder_server, mona) if one.startswith("notice")] == ["notice 1 sent"]


def test_a_mail_names_the_day_of_a_close_on_another_day(reminder_server, enrol, mailbox):
    mona, ida = enrol("Day Canary"), enrol("Tag Canary", language="de")
    for person in (mona, ida):
        long = start_occasions(person)["mood_vas"]
        # No message announces a close today.
        reminder_server.sql(f"update research.occasion set set_aside = 'cancelled' {where_enrolment(person)} and questionnaire = 'pss_4'")
        person.closes = local(person.zone, read(long["closes_at"]))
    remind(reminder_server, mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert f"until {mona.closes:%A} {mona.closes.day} {mona.closes:%B}, {mona.closes:%H:%M}:" in text(mail)
    [mail] = mailbox.wait_for(ida.email)
    day, month = GERMAN_DAYS[ida.closes.weekday()], GERMAN_MONTHS[ida.closes.month - 1]
    assert f"bis {day}, {ida.closes.day}. {month}, {ida.closes:%H:%M}:" in text(mail)


def test_a_failed_message_does_not_count_for_the_daily_limit(reminder_server, enrol, mailbox):
    mona = enrol("Full Canary", study=CAPPED)
    occasion = start_occasions(mona)["mood_vas"]["occasion_id"]

    def snooze():
        until = now() + timedelta(seconds=1)
        mona.call("PUT", mona.own(f"/occasions/{occasion}/snooze"), json={"until": instant(until)}, status=200)
        wait_until(lambda: now() > until, 20, "the snooze is over")
        remind(reminder_server, mailbox.url)

    with RejectingMailServer("RCPT", "550 5.1.1 nobody") as mail_server:
        remind(reminder_server, mail_server.url)
    assert states(reminder_server, mona) == ["at_open 1 failed"]
    snooze()
    assert states(reminder_server, mona) == ["at_open 1 failed", "snoozed 1 sent"] and len(mailbox.wait_for(mona.email)) == 1
    # This was the only message of the day.
    snooze()
    assert states(reminder_server, mona) == ["at_open 1 failed", "snoozed 1 sent", "snoozed 2 suppressed"]


def test_a_pause_does_not_count_as_inactivity(enrol):
    mona = enrol("Break Canary")

    def inactivity_prompts():
        prompts = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
        return [read(one["at"]) for one in prompts if [notice["notice"] for notice in one["notices"]] == ["quiet"]]

    [before] = inactivity_prompts()
    before_pause = time.monotonic()
    mona.call("PATCH", mona.own(""), json={"paused": True}, status=200)
    pause_began = time.monotonic()
    assert inactivity_prompts() == []
    time.sleep(1)
    pause_ends = time.monotonic()
    mona.call("PATCH", mona.own(""), json={"paused": False}, status=200)
    [after] = inactivity_prompts()
    assert pause_ends - pause_began <= (after - before).total_seconds() <= time.monotonic() - before_pause


@pytest.mark.parametrize("status", [408, 425])
def test_a_temporary_error_of_a_push_service_is_retried(reminder_server, enrol, receiver, status):
    mona = enrol("Early Canary")
    device = Device(receiver)
    device.register(mona)
    receiver.answers[device.path] = [(status, {"Retry-After": "600"})]
    opening = now() + timedelta(seconds=1)
    start_occasions(mona, opening)
    with paused(reminder_server, opening):
        remind(reminder_server)
    assert set(states(reminder_server, mona)) == {"at_open 1 retrying"}
    assert 600 <= next_attempt_time(reminder_server, mona) - opening.timestamp() <= 660
