"""Notices of silence: a new one when somebody who was heard of falls silent again, and none that what comes late says twice."""

from datetime import timedelta

import pytest
from acceptance.hourly import join, pack, remind, start, states
from acceptance.moments import evening_zone, now, read
from acceptance.server import Server

NOTICES = "[{code: quiet, when: inactive, first_after: 2h}]"
WORDS = '{quiet: {subject: "Are you there?", body: "{{url}}"}}'


@pytest.fixture
def hours_ago(tmp_path):
    """A server of its own: people here were enrolled hours ago. Mails go out when a test says so."""
    made = Server()
    try:
        made.start()
        made.run("publish", pack(tmp_path, NOTICES, WORDS, reminders="[]", closes="1d"))
        yield made
    finally:
        made.remove()


def hours_pass(server, person, hours):
    """Everything of hers lies so much farther back."""
    whose = f"where enrolment_id = '{person.enrolment['enrolment_id']}'"
    server.sql(f"""
        update research.enrolment set enrolled_at = enrolled_at - interval '{hours} hours',
          next_reminder_at = next_reminder_at - interval '{hours} hours' {whose};
        update research.enrolment_version set followed_from = followed_from - interval '{hours} hours' {whose};
        update research.answer_sheet set completed_at = completed_at - interval '{hours} hours' {whose};
        update research.reminder set claimed_at = claimed_at - interval '{hours} hours', planned_at = planned_at - interval '{hours} hours',
          expires_at = expires_at - interval '{hours} hours' {whose}""")


def silent(server, mailbox):
    """Somebody who has been asked once whether they are there."""
    mona = join(server, "Silent Canary", zone=evening_zone(12))
    hours_pass(server, mona, 3)
    remind(server, mailbox.url)
    assert [mail["subject"] for mail in mailbox.wait_for(mona.email)] == ["Are you there?"]
    return mona


def answer(person, occasion, done):
    structure = person.call("GET", person.own("/questionnaires/mood_vas"), status=200)
    answers = {item["linkId"]: 50 for item in structure["item"] if item["type"] in ("integer", "decimal")}
    handed = person.hand_in("mood_vas", answers, started=done, completed=done, occasion_id=occasion["occasion_id"])
    assert handed["standing"] == "on_time", handed


def listed(person):
    return [read(prompt["at"]) for prompt in person.call("GET", person.own("/occasions"), status=200)["prompts"]]


def test_whoever_was_heard_of_and_falls_silent_again_is_asked_again(hours_ago, mailbox):
    mona = silent(hours_ago, mailbox)
    occasion = start(mona)
    done = now()
    answer(mona, occasion, done)
    [again] = listed(mona)
    assert abs(again - done - timedelta(hours=2)) < timedelta(seconds=1)

    hours_pass(hours_ago, mona, 3)
    remind(hours_ago, mailbox.url)

    assert [mail["subject"] for mail in mailbox.wait_for(mona.email, 2)] == ["Are you there?"] * 2
    assert states(hours_ago, mona) == ["notice 1 sent"] * 2


def test_what_comes_late_from_a_phone_does_not_say_again_what_was_said_of_that_silence(hours_ago, mailbox):
    mona = silent(hours_ago, mailbox)
    begun = now() - timedelta(minutes=170)
    occasion = start(mona, begun)
    answer(mona, occasion, begun + timedelta(minutes=10))
    assert listed(mona) == []

    hours_ago.sql(f"update research.enrolment set next_reminder_at = now() where enrolment_id = '{mona.enrolment['enrolment_id']}'")
    remind(hours_ago, mailbox.url)

    assert len(mailbox.to(mona.email)) == 1 and states(hours_ago, mona) == ["notice 1 sent"]
