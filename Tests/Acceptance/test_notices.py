"""Notifications about inactivity: one for each inactive period, also if a late record changes when the period began."""

from datetime import timedelta

import pytest
from acceptance.event_study import enrol_participant, pack, remind, start_occasion, states
from acceptance.moments import evening_zone, now, read
from acceptance.server import Server

NOTICES = "[{code: quiet, when: inactive, first_after: 2h}]"
NOTICE_TEXTS = '{quiet: {subject: "Are you there?", body: "{{url}}"}}'


@pytest.fixture
def earlier_enrolment_server(tmp_path):
    """A separate server whose participants were enrolled hours ago. Only the tests send mails."""
    made = Server()
    try:
        made.start()
        made.run("publish", pack(tmp_path, NOTICES, NOTICE_TEXTS, reminders="[]", close_after="1d"))
        yield made
    finally:
        made.remove()


def hours_pass(server, person, hours):
    """Moves all times of the participant this many hours into the past."""
    where_enrolment = f"where enrolment_id = '{person.enrolment['enrolment_id']}'"
    server.sql(f"""
        update research.enrolment set enrolled_at = enrolled_at - interval '{hours} hours',
          next_reminder_at = next_reminder_at - interval '{hours} hours' {where_enrolment};
        update research.enrolment_version set followed_from = followed_from - interval '{hours} hours' {where_enrolment};
        update research.answer_sheet set completed_at = completed_at - interval '{hours} hours' {where_enrolment};
        update research.reminder set claimed_at = claimed_at - interval '{hours} hours', planned_at = planned_at - interval '{hours} hours',
          expires_at = expires_at - interval '{hours} hours' {where_enrolment}""")


def notified_participant(server, mailbox):
    """A participant who has received one notification about inactivity."""
    mona = enrol_participant(server, "Silent Canary", zone=evening_zone(12))
    hours_pass(server, mona, 3)
    remind(server, mailbox.url)
    assert [mail["subject"] for mail in mailbox.wait_for(mona.email)] == ["Are you there?"]
    return mona


def answer(person, occasion, done):
    structure = person.call("GET", person.own("/questionnaires/mood_vas"), status=200)
    answers = {item["linkId"]: 50 for item in structure["item"] if item["type"] in ("integer", "decimal")}
    receipt = person.submit("mood_vas", answers, started=done, completed=done, occasion_id=occasion["occasion_id"])
    assert receipt["standing"] == "on_time", receipt


def prompt_times(person):
    return [read(prompt["at"]) for prompt in person.call("GET", person.own("/occasions"), status=200)["prompts"]]


def test_a_second_inactive_period_has_a_second_notification(earlier_enrolment_server, mailbox):
    mona = notified_participant(earlier_enrolment_server, mailbox)
    occasion = start_occasion(mona)
    done = now()
    answer(mona, occasion, done)
    [next_prompt] = prompt_times(mona)
    assert abs(next_prompt - done - timedelta(hours=2)) < timedelta(seconds=1)

    hours_pass(earlier_enrolment_server, mona, 3)
    remind(earlier_enrolment_server, mailbox.url)

    assert [mail["subject"] for mail in mailbox.wait_for(mona.email, 2)] == ["Are you there?"] * 2
    assert states(earlier_enrolment_server, mona) == ["notice 1 sent"] * 2


def test_a_late_upload_does_not_repeat_the_notification_about_that_period(earlier_enrolment_server, mailbox):
    mona = notified_participant(earlier_enrolment_server, mailbox)
    begun = now() - timedelta(minutes=170)
    occasion = start_occasion(mona, begun)
    answer(mona, occasion, begun + timedelta(minutes=10))
    assert prompt_times(mona) == []

    earlier_enrolment_server.sql(f"update research.enrolment set next_reminder_at = now() where enrolment_id = '{mona.enrolment['enrolment_id']}'")
    remind(earlier_enrolment_server, mailbox.url)

    assert len(mailbox.to(mona.email)) == 1 and states(earlier_enrolment_server, mona) == ["notice 1 sent"]
