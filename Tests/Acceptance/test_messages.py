"""What becomes of a message that cannot go out at once, or about which something changes meanwhile."""

import contextlib
import os
import signal
import subprocess
import time
import zoneinfo
from datetime import timedelta

import pytest
from acceptance.hourly import STUDY, join, pack, states
from acceptance.mailbox import text
from acceptance.moments import evening_zone, instant, local, now, read
from acceptance.outside import Device
from acceptance.people import Researcher
from acceptance.refusing import Refusing
from acceptance.server import BINARIES, Server, wait_until

QUIET = '{quiet_from: "22:00", quiet_to: "07:00"}'
NOTICES = "[{code: begun, when: {event: started}, first_after: 1h}, {code: quiet, when: inactive, first_after: 2h}]"
WORDS = '{begun: {subject: "{{study}} has begun", body: "Dear {{name}}"}, quiet: {subject: "Are you there?", body: "{{url}}"}}'
CAPPED = "capped"
# What a mail server says for reasons of its own, before it has heard for whom the mail is.
OWN_FAULTS = [
    ("CONNECT", "421 4.3.2 too busy"), ("CONNECT", "554 5.3.2 not today"), ("AUTH", "454 4.7.0 later"), ("AUTH", "535 5.7.8 who are you"),
    ("MAIL", "451 4.3.0 later"), ("MAIL", "550 5.7.1 not from you"), ("MAIL", "530 5.7.0 log in first"),
]

GERMAN_DAYS = "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split()
GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


@pytest.fixture(scope="module")
def sending(authority, outside, tmp_path_factory):
    """No mail server of its own: mails go out when a test says so."""
    packs = tmp_path_factory.mktemp("sending")
    made = Server()
    made.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        made.start()
        made.run("publish", pack(packs, NOTICES, WORDS, "[at_open]", reminder=QUIET, closes="1d", beside="2h"))
        made.run("publish", pack(packs, None, None, "[at_open]", code=CAPPED, reminder=QUIET.replace("{", "{most_per_day: 1, ")))
        yield made
    finally:
        made.remove()


@pytest.fixture
def joined(sending):
    """Makes people for whom it is noon, and who leave in the end: what they would be reminded of later is no other test's."""
    people = []

    def joined(name, hour=12, **more):
        people.append(join(sending, name, zone=evening_zone(hour), **more))
        return people[-1]

    yield joined
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


def start(person, moment=None, status=201):
    """Questionnaire -> the occasion that opens at this moment."""
    person.call("PUT", person.own("/events/started"), json={"occurred_at": instant(moment or now())}, status=status)
    return {one["questionnaire"]: one for one in person.pages(person.own("/occasions"))}


@contextlib.contextmanager
def asleep(server, opening):
    """What opens at this moment is reminded of by nobody but the test."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        wait_until(lambda: now() > opening, 20, "it has opened")
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def remind(server, url=None):
    """What waits goes out; how it ended is looked at by whoever asks."""
    more = {"SAUNTER_SMTP_URL": url} if url else {}
    done = subprocess.run(
        [BINARIES / "saunter", "remind", "--once", "--json"], env=server.environment | more, cwd=server.directory,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
    assert done.returncode in (0, 1), done.stderr


def whose(person):
    return f"where enrolment_id = '{person.enrolment['enrolment_id']}'"


def hurry(server, person):
    """The wait before the next attempt is over."""
    server.sql(f"update research.reminder set next_attempt_at = now() - interval '1 second' {whose(person)} and next_attempt_at is not null")


def waits_until(server, person):
    [moment] = server.sql(
        f"select extract(epoch from next_attempt_at) from research.reminder {whose(person)} and next_attempt_at is not null").split()
    return float(moment)


def morning(zone, moment):
    """The first seven o'clock after this moment."""
    seven = moment.astimezone(zoneinfo.ZoneInfo(zone)).replace(hour=7, minute=0, second=0, microsecond=0)
    return (seven if seven > moment else seven + timedelta(days=1)).timestamp()


def titles(person, *codes):
    return {person.call("GET", person.own(f"/questionnaires/{code}"), status=200)["title"] for code in codes}


def told(mail):
    return {line[2:] for line in text(mail).splitlines() if line.startswith("- ")}


def test_a_mail_servers_own_fault_counts_against_nobody_and_holds_up_no_other_channel(sending, joined, outside, mailbox):
    mona, ben = joined("Fault Canary"), joined("Phone Canary")
    device = Device(outside)
    device.register(ben)
    opening = now() + timedelta(seconds=2)
    # Hers is tried first.
    start(mona, opening - timedelta(milliseconds=1))
    start(ben, opening)
    with asleep(sending, opening):
        for command, reply in OWN_FAULTS:
            with Refusing(command, reply) as refusing:
                remind(sending, refusing.url)
            assert "RCPT" not in refusing.heard and (refusing.heard or command == "CONNECT"), (reply, refusing.heard)
            assert set(states(sending, mona)) == {"at_open 1 retrying"}, reply
            assert len(device.messages) == 1 and set(states(sending, ben)) == {"at_open 1 sent"}, reply
            hurry(sending, mona)
        assert sending.sql(f"select distinct outcome from research.reminder_attempt {whose(mona)}").split() == ["temporary_failure"]
        remind(sending, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    assert set(states(sending, mona)) == {"at_open 1 sent"}
    assert sending.sql(f"select count(*) from research.reminder_channel {whose(mona)}").strip() == "0"
    rosa = Researcher(sending, study=STUDY)
    known = {one["participant_id"]: one["unreachable"] for one in rosa.pages(f"/v1/studies/{STUDY}/participants")}
    assert known[mona.enrolment["participant_id"]] == []


def test_whoever_names_another_address_is_unreachable_no_more(sending, joined):
    mona = joined("Moving Canary")
    sending.sql(f"""
        insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
        values ('{mona.enrolment['enrolment_id']}', 'mail', 3, now(), now())""")
    rosa = Researcher(sending, study=STUDY)

    def unreachable():
        known = {one["participant_id"]: one["unreachable"] for one in rosa.pages(f"/v1/studies/{STUDY}/participants")}
        return [one["channel"] for one in known[mona.enrolment["participant_id"]]]

    assert unreachable() == ["mail"]
    mona.call("PATCH", "/v1/account", json={"display_name": "Mona Moved"}, status=200)
    assert unreachable() == ["mail"]
    mona.call("PATCH", "/v1/account", json={"email": f"new-{mona.email}", "password": mona.password}, status=200)
    assert unreachable() == []


def test_a_retry_waits_for_the_end_of_the_quiet_hours_of_the_zone_of_that_moment(sending, joined, mailbox):
    mona = joined("Night Canary")
    start(mona)
    with Refusing("RCPT", "451 4.2.0 later") as refusing:
        remind(sending, refusing.url)
    assert "RCPT" in refusing.heard and set(states(sending, mona)) == {"at_open 1 retrying"}

    night = evening_zone(2)
    mona.call("PATCH", mona.own(""), json={"time_zone": night}, status=200)
    hurry(sending, mona)
    remind(sending, mailbox.url)
    assert mailbox.to(mona.email) == [] and set(states(sending, mona)) == {"at_open 1 retrying"}
    assert waits_until(sending, mona) == morning(night, now())

    mona.call("PATCH", mona.own(""), json={"time_zone": mona.zone}, status=200)
    hurry(sending, mona)
    remind(sending, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1 and set(states(sending, mona)) == {"at_open 1 sent"}


def test_a_retry_that_is_asked_for_in_quiet_hours_is_planned_for_their_end(sending, joined, outside):
    mona = joined("Later Canary", hour=20)
    device = Device(outside)
    device.register(mona)
    outside.answers[device.path] = [(429, {"Retry-After": str(3 * 3600)})]
    opening = now() + timedelta(seconds=1)
    start(mona, opening)
    with asleep(sending, opening):
        remind(sending)
    assert len(device.messages) == 1 and set(states(sending, mona)) == {"at_open 1 retrying"}
    assert waits_until(sending, mona) == morning(mona.zone, now() + timedelta(hours=3))


def test_what_opens_together_is_one_mail_which_survives_the_shorter_window(sending, joined, mailbox):
    mona, ben = joined("Both Canary"), joined("Long Canary")
    start(mona)
    remind(sending, mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert told(mail) == titles(mona, "mood_vas", "pss_4")
    assert states(sending, mona) == ["at_open 1 sent"] * 2

    short = start(ben)["pss_4"]["occasion_id"]
    with Refusing("RCPT", "451 4.2.0 later") as refusing:
        remind(sending, refusing.url)
    assert refusing.heard.count("RCPT") == 1 and states(sending, ben) == ["at_open 1 retrying"] * 2
    # Its window closes before the next attempt.
    sending.sql(f"""
        update research.occasion set due_at = open_at, close_at = open_at + interval '1 millisecond' {whose(ben)} and occasion_id = '{short}';
        update research.reminder set expires_at = claimed_at {whose(ben)} and subject = '{short}'""")
    hurry(sending, ben)
    remind(sending, mailbox.url)
    [mail] = mailbox.wait_for(ben.email)
    assert told(mail) == titles(ben, "mood_vas")
    assert states(sending, ben) == ["at_open 1 sent", "at_open 1 suppressed"]


def test_a_correction_of_an_event_does_not_tell_again_what_was_told_of_it(sending, joined, mailbox):
    mona = joined("Moved Canary")

    def begun(number):
        """It happened an hour ago, but for a moment; then what follows of that goes out."""
        moment = now() + timedelta(seconds=1)
        start(mona, moment - timedelta(hours=1), status=201 if number == 1 else 200)
        wait_until(lambda: now() > moment, 20, "an hour has passed since it began")
        remind(sending, mailbox.url)
        return [mail["subject"] for mail in mailbox.to(mona.email)]

    assert begun(1) == ["Moments has begun"]
    assert begun(2) == ["Moments has begun"]
    assert [one for one in states(sending, mona) if one.startswith("notice")] == ["notice 1 sent"]


def test_a_close_on_another_day_is_told_with_its_day(sending, joined, mailbox):
    mona, ida = joined("Day Canary"), joined("Tag Canary", language="de")
    for person in (mona, ida):
        long = start(person)["mood_vas"]
        # What closes today is not told of.
        sending.sql(f"update research.occasion set set_aside = 'cancelled' {whose(person)} and questionnaire = 'pss_4'")
        person.closes = local(person.zone, read(long["closes_at"]))
    remind(sending, mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert f"until {mona.closes:%A} {mona.closes.day} {mona.closes:%B}, {mona.closes:%H:%M}:" in text(mail)
    [mail] = mailbox.wait_for(ida.email)
    day, month = GERMAN_DAYS[ida.closes.weekday()], GERMAN_MONTHS[ida.closes.month - 1]
    assert f"bis {day}, {ida.closes.day}. {month}, {ida.closes:%H:%M}:" in text(mail)


def test_what_failed_is_no_message_of_its_day(sending, joined, mailbox):
    mona = joined("Full Canary", study=CAPPED)
    occasion = start(mona)["mood_vas"]["occasion_id"]

    def put_off():
        until = now() + timedelta(seconds=1)
        mona.call("PUT", mona.own(f"/occasions/{occasion}/snooze"), json={"until": instant(until)}, status=200)
        wait_until(lambda: now() > until, 20, "it is put off no longer")
        remind(sending, mailbox.url)

    with Refusing("RCPT", "550 5.1.1 nobody") as refusing:
        remind(sending, refusing.url)
    assert states(sending, mona) == ["at_open 1 failed"]
    put_off()
    assert states(sending, mona) == ["at_open 1 failed", "snoozed 1 sent"] and len(mailbox.wait_for(mona.email)) == 1
    # That was the day's one.
    put_off()
    assert states(sending, mona) == ["at_open 1 failed", "snoozed 1 sent", "snoozed 2 suppressed"]


def test_a_break_is_no_silence(joined):
    mona = joined("Break Canary")

    def asked():
        prompts = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
        return [read(one["at"]) for one in prompts if [notice["notice"] for notice in one["notices"]] == ["quiet"]]

    [before] = asked()
    begun = time.monotonic()
    mona.call("PATCH", mona.own(""), json={"paused": True}, status=200)
    first = time.monotonic()
    assert asked() == []
    time.sleep(1)
    last = time.monotonic()
    mona.call("PATCH", mona.own(""), json={"paused": False}, status=200)
    [after] = asked()
    assert last - first <= (after - before).total_seconds() <= time.monotonic() - begun


@pytest.mark.parametrize("status", [408, 425])
def test_a_service_that_cannot_take_it_just_now_is_called_again(sending, joined, outside, status):
    mona = joined("Early Canary")
    device = Device(outside)
    device.register(mona)
    outside.answers[device.path] = [(status, {"Retry-After": "600"})]
    opening = now() + timedelta(seconds=1)
    start(mona, opening)
    with asleep(sending, opening):
        remind(sending)
    assert set(states(sending, mona)) == {"at_open 1 retrying"}
    assert 600 <= waits_until(sending, mona) - opening.timestamp() <= 660
