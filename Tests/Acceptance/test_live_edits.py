"""New versions of a study with participants: open questionnaires stay, the preview is complete, and a version causes no additional reminders."""

import json
import shutil
from datetime import timedelta

import pytest
from acceptance.event_study import remind, states
from acceptance.mailbox import text
from acceptance.moments import evening_zone, instant, local
from acceptance.people import Person, Researcher
from acceptance.server import ROOT, Server

STUDY_YAML = """
code: {code}
version: {version}
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: UTC
days: {days}
arms: [{{code: everybody, ratio: 1}}]
allocation: {{block_sizes: [1], concealed: false}}
"""

FILES = {
    "README.md": "A study that changes, for tests.\n",
    "content/text.en.yaml": (
        "title: Changing\nsummary: Questions that change.\narms:\n  everybody: {title: Everybody, text: You answer.}\n"
        "reminder: {subject: '{{study}}', body: '{{name}} {{count}} {{titles}} {{url}}'}\n"),
    "content/course.en.yaml": "steps:\n  - {title: Days, text: You answer each day.}\n",
    "content/consent.en.md": "# Consent\n\nYou answer questions.\n",
}

# All participants live where it is 18 o'clock: the window of noon is open, and the window of 20 o'clock is still ahead.
OPEN = "[{open: '12:00', due_after: 9h, close_after: 10h}]"
TO_COME = "[{open: '20:00', due_after: 1h, close_after: 2h}]"


def line(schedule, questionnaire, slots=OPEN, recurrence="{every: {days: 1, until_day: 27}}", **more):
    """One schedule as a line of YAML."""
    more = "".join(f", {name}: {value}" for name, value in more.items())
    return f"  - {{id: {schedule}, questionnaire: {questionnaire}, recurrence: {recurrence}, slots: {slots}{more}}}\n"


@pytest.fixture(scope="module")
def edited():
    """A separate server without a mail server: only the tests send reminders."""
    made = Server()
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture
def version(edited, tmp_path, request):
    """Writes a version of the test's own study: its number, its questionnaires, its schedules and other members."""
    code = request.node.originalname.removeprefix("test_").replace("_", "-")[:40].rstrip("-")
    for questionnaire in ("who_5", "phq_2"):
        shutil.copytree(
            ROOT / "Questionnaires" / "instruments" / questionnaire / "1.0.0", tmp_path / "instruments" / questionnaire / "1.0.0")
    folder = tmp_path / "studies" / code
    (folder / "content").mkdir(parents=True)
    for name, words in FILES.items():
        (folder / name).write_text(words)

    def version(number, questionnaires, *schedules, more="", days=28):
        listed = "".join(f"  - {{code: {one}, version: 1.0.0}}\n" for one in questionnaires)
        (folder / "study.yaml").write_text(
            STUDY_YAML.format(code=code, version=number, days=days) + f"questionnaires:\n{listed}" + more)
        (folder / "schedule.yaml").write_text("schedules:\n" + "".join(schedules))
        return folder

    version.code = code
    return version


def publish(server, *arguments):
    return json.loads(server.run("publish", "--json", *arguments))


def join(server, code):
    person = Person(server, name="Ora Canary", zone=evening_zone()).register()
    person.enrolment = person.call(
        "POST", f"/v1/studies/{code}/enrolments", status=201,
        json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
    return person.verify_in_database()


def test_an_open_questionnaire_that_a_version_drops_can_be_answered_until_it_closes(edited, version):
    server = edited
    publish(server, version("1.0.0", ["who_5", "phq_2"], line("noon", "phq_2"), line("evening", "who_5", TO_COME)))
    ada, bea = join(server, version.code), join(server, version.code)
    before = ada.overview()["phq_2"]
    assert not before["disabled"]

    done = publish(server, version("1.1.0", ["who_5"], line("evening", "who_5", TO_COME)), "--yes")

    assert done["moved"] == 2 and done["effect"]["total"]["open"] == 2
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == "1.1.0"
    left = ada.overview()
    assert list(left) == ["who_5", "phq_2"], "the dropped questionnaire is the last one"
    assert left["phq_2"] == before | {"next_opens_at": None}
    structure = ada.call("GET", ada.own("/questionnaires/phq_2"), status=200)
    assert (structure["code"], structure["version"]) == ("phq_2", "1.0.0")
    result = ada.call("GET", ada.own("/sync"), status=200)
    assert result["definitions"]["study_version"] == "1.1.0"
    assert {"questionnaire": "phq_2", "version": "1.0.0"} in result["definitions"]["questionnaires"]

    sheet = ada.submit("phq_2", {"q1": 1, "q2": 2})
    assert sheet["occasion_id"] == before["occasion_id"] and sheet["standing"] == "on_time"
    assert list(ada.overview()) == ["who_5"]
    ada.problem("GET", ada.own("/questionnaires/phq_2"), 404, "not-found")
    states_of = {one["occasion_id"]: one["state"] for one in ada.pages(ada.own("/occasions"))}
    assert states_of[before["occasion_id"]] == "completed_on_time"
    # A participant who has not answered can still answer. A new participant does not get the questionnaire.
    assert not bea.overview()["phq_2"]["disabled"]
    assert list(join(server, version.code).overview()) == ["who_5"]

    # When it closes, it is missed like any other questionnaire.
    server.sql(f"""
        update research.occasion set visible_at = visible_at - interval '7 hours', open_at = open_at - interval '7 hours',
          due_at = due_at - interval '7 hours', close_at = close_at - interval '7 hours'
        where enrolment_id = '{bea.enrolment['enrolment_id']}' and questionnaire = 'phq_2' and set_aside is null""")
    assert list(bea.overview()) == ["who_5"]
    bea.problem("GET", bea.own("/questionnaires/phq_2"), 404, "not-found")
    missed = [one["questionnaire"] for one in bea.pages(bea.own("/occasions")) if one["state"] == "missed"]
    assert missed == ["phq_2"]


def test_the_preview_includes_occasions_beyond_the_planning_horizon(edited, version):
    server = edited

    def course(number, start, final="", days=28):
        return version(
            number, ["who_5", "phq_2"] if final else ["who_5"],
            line("daily", "who_5", TO_COME, "{every: {days: 1, until_day: 20}}", phase="course"), final,
            more=f"phases:\n  - {{code: course, start: {{day: {start}}}}}\n", days=days)

    final = line("final", "phq_2", TO_COME, "once", offset_days=25)
    publish(server, course("1.0.0", 0, final))
    ada = join(server, version.code)

    # All 21 days move by three days, and none is cancelled.
    effect = publish(server, course("1.1.0", 3, final), "--preview")["effect"]
    assert effect["total"] == {
        "moved": 21, "cancelled": 0, "added": 0, "told_before": 0, "reminded_again": 0, "open": 0}
    assert effect["through"] is None
    # An occasion at the end of the study is planned from the first day on.
    effect = publish(server, course("1.1.0", 0), "--preview")["effect"]
    assert effect["total"]["cancelled"] == 1 and effect["total"]["moved"] == 0
    assert [one["schedule"] for one in effect["schedules"]] == ["final"]
    # The preview ends after a year, and says so.
    folder = course("1.1.0", 0, line("later", "phq_2", TO_COME, "{every: {days: 30, until_day: 690}}", offset_days=25), days=700)
    effect = publish(server, folder, "--preview")["effect"]
    assert effect["through"] is not None and effect["total"]["added"] == 12
    assert f"Occasions after {effect['through']} are not counted" in server.run("publish", folder, "--preview")

    publish(server, course("1.1.0", 3, final), "--keep-enrolled")
    researcher = Researcher.__new__(Researcher)
    Person.__init__(researcher, server, name="Ida Field")
    researcher.password = server.make_researcher(researcher.email, study=version.code)
    researcher.log_in()
    result = researcher.call("GET", f"/v1/studies/{version.code}/versions/1.1.0/preview", status=200)
    assert result["total"]["moved"] == 21 and result["total"]["cancelled"] == 0
    moved = publish(server, course("1.1.0", 3, final), "--yes")
    assert moved["moved"] == 1 and moved["effect"]["total"]["moved"] == 21
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == "1.1.0"
    # Occasions beyond the horizon are upcoming, and not cancelled.
    coming = [one for one in ada.pages(ada.own("/occasions")) if one["schedule"] == "daily"]
    assert {one["state"] for one in coming} == {"upcoming"}
    assert [one["day"] for one in coming] == list(range(15))


def test_an_occasion_that_a_mail_has_announced_is_not_announced_again_after_it_moves(edited, version, mailbox):
    server = edited

    def course(number, start):
        return version(
            number, ["who_5"], line("daily", "who_5", TO_COME, "{every: {days: 1, until_day: 20}}", phase="course"),
            more=f"phases:\n  - {{code: course, start: {{day: {start}}}}}\n"
            "reminder: {at: '18:00', quiet_from: '00:00', quiet_to: '00:00'}\n")

    publish(server, course("1.0.0", 0))
    ora = join(server, version.code)
    first = ora.pages(ora.own("/occasions"))[0]["occasion_id"]
    hour = local(ora.zone).replace(hour=18, minute=0, second=0, microsecond=0)
    server.sql(
        f"update research.enrolment set next_reminder_at = '{instant(hour)}' where enrolment_id = '{ora.enrolment['enrolment_id']}'")
    remind(server, mailbox.url)
    [mail] = mailbox.wait_for(ora.email)
    assert " 1 " in text(mail)
    assert states(server, ora) == ["due_today 1 sent"]

    result = publish(server, course("1.1.0", 1), "--preview")
    assert result["effect"]["total"]["moved"] == 21
    assert result["effect"]["total"]["told_before"] == 1 and result["effect"]["total"]["reminded_again"] == 0
    publish(server, course("1.1.0", 1), "--yes")

    after = ora.pages(ora.own("/occasions"))[0]
    tomorrow = local(ora.zone).date() + timedelta(days=1)
    assert (after["occasion_id"], after["local_date"]) == (first, tomorrow.isoformat())
    mails = [one for one in ora.call("GET", ora.own("/occasions"), status=200)["prompts"] if "due_today" in one["kinds"]]
    assert len(mails) > 5 and not [one for one in mails if first in one["occasion_ids"]]
    # Not after a second move either.
    publish(server, course("1.2.0", 2), "--yes")
    mails = [one for one in ora.call("GET", ora.own("/occasions"), status=200)["prompts"] if "due_today" in one["kinds"]]
    assert len(mails) > 5 and not [one for one in mails if first in one["occasion_ids"]]
    assert states(server, ora) == ["due_today 1 sent", "due_today 1 suppressed"]


def test_past_reminders_that_a_version_adds_are_not_sent(edited, version, mailbox):
    server = edited
    rule = "reminder: {quiet_from: '00:00', quiet_to: '00:00'}\n"
    last = "{before_close: 2h}"
    publish(server, version("1.0.0", ["who_5"], line("noon", "who_5", reminders=f"[{last}]"), more=rule))
    ora = join(server, version.code)
    # The participants were enrolled before today's window opened.
    server.sql(
        f"update research.enrolment set enrolled_at = enrolled_at - interval '12 hours' where enrolment_id = '{ora.enrolment['enrolment_id']}'")

    reminders = f"[at_open, {{after_open: 1h}}, {last}]"
    publish(server, version("1.1.0", ["who_5"], line("noon", "who_5", reminders=reminders), more=rule), "--yes")
    remind(server, mailbox.url)

    assert states(server, ora) == [] and mailbox.to(ora.email) == []
    open_now = ora.overview()["who_5"]["occasion_id"]
    prompts = ora.call("GET", ora.own("/occasions"), status=200)["prompts"]
    assert [one["kinds"] for one in prompts if open_now in one["occasion_ids"]] == [["before_close"]]


def test_a_reminder_that_waits_when_a_version_is_published_is_sent(edited, version, mailbox):
    server = edited
    rule = "reminder: {quiet_from: '00:00', quiet_to: '00:00'}\n"
    publish(server, version("1.0.0", ["who_5"], line("noon", "who_5", reminders="[at_open]"), more=rule))
    ora = join(server, version.code)
    # No worker ran at noon.
    noon = local(ora.zone).replace(hour=12, minute=0, second=0, microsecond=0)
    server.sql(
        f"update research.enrolment set enrolled_at = enrolled_at - interval '12 hours', next_reminder_at = '{instant(noon)}' "
        f"where enrolment_id = '{ora.enrolment['enrolment_id']}'")

    publish(server, version("1.1.0", ["who_5"], line("noon", "who_5", reminders="[at_open]"), more=rule), "--yes")
    remind(server, mailbox.url)

    assert states(server, ora) == ["at_open 1 sent"]


def test_a_mail_has_the_title_of_the_open_questionnaire_after_its_schedule_changed(edited, version, mailbox):
    server = edited
    rule = "reminder: {at: '18:00', quiet_from: '00:00', quiet_to: '00:00'}\n"
    publish(server, version("1.0.0", ["phq_2"], line("noon", "phq_2"), more=rule))
    ora = join(server, version.code)
    title = ora.overview()["phq_2"]["title"]
    publish(server, version("1.1.0", ["who_5"], line("noon", "who_5"), more=rule), "--yes")
    assert {name: entry["due_today"] for name, entry in ora.overview().items()} == {"who_5": False, "phq_2": True}
    hour = local(ora.zone).replace(hour=18, minute=0, second=0, microsecond=0)
    server.sql(
        f"update research.enrolment set next_reminder_at = '{instant(hour)}' where enrolment_id = '{ora.enrolment['enrolment_id']}'")
    remind(server, mailbox.url)

    [mail] = mailbox.wait_for(ora.email)
    assert title in text(mail) and "phq_2" not in text(mail)


def test_an_open_occasion_of_a_dropped_schedule_still_has_reminders(edited, version, mailbox):
    server = edited
    rule = "reminder: {at: '18:00', quiet_from: '00:00', quiet_to: '00:00'}\n"
    evening = line("evening", "who_5", TO_COME)
    publish(server, version("1.0.0", ["who_5", "phq_2"], line("noon", "phq_2", reminders="[{before_close: 2h}]"), evening, more=rule))
    ora = join(server, version.code)
    left = ora.overview()["phq_2"]
    publish(server, version("1.1.0", ["who_5"], evening, more=rule), "--yes")

    prompts = ora.call("GET", ora.own("/occasions"), status=200)["prompts"]
    assert "before_close" in [kind for one in prompts if left["occasion_id"] in one["occasion_ids"] for kind in one["kinds"]]
    # The next check is at the same time as without the new version.
    looks = server.sql(
        f"select next_reminder_at <= now() + interval '3 hours' from research.enrolment where enrolment_id = '{ora.enrolment['enrolment_id']}'")
    assert looks.strip() == "t"
    hour = local(ora.zone).replace(hour=18, minute=0, second=0, microsecond=0)
    server.sql(
        f"update research.enrolment set next_reminder_at = '{instant(hour)}' where enrolment_id = '{ora.enrolment['enrolment_id']}'")
    remind(server, mailbox.url)

    [mail] = mailbox.wait_for(ora.email)
    assert left["title"] in text(mail) and " 2 " in text(mail)


def test_an_occasion_that_moves_to_a_day_after_its_mail_counts_as_not_announced(edited, version, mailbox):
    server = edited
    rule = "reminder: {at: '18:00', quiet_from: '00:00', quiet_to: '00:00'}\n"

    def course(number, start):
        return version(
            number, ["who_5", "phq_2"], line("noon", "phq_2"),
            line("daily", "who_5", TO_COME, "{every: {days: 1, until_day: 20}}", phase="course"),
            more=f"phases:\n  - {{code: course, start: {{day: {start}}}}}\n" + rule)

    publish(server, course("1.0.0", 1))
    ora = join(server, version.code)
    hour = local(ora.zone).replace(hour=18, minute=0, second=0, microsecond=0)
    server.sql(
        f"update research.enrolment set next_reminder_at = '{instant(hour)}' where enrolment_id = '{ora.enrolment['enrolment_id']}'")
    remind(server, mailbox.url)
    [mail] = mailbox.wait_for(ora.email)
    assert " 1 " in text(mail)

    # A wrong version moves the first occasion to today, and the next version moves it again.
    publish(server, course("1.1.0", 0), "--yes")
    assert ora.overview()["who_5"]["due_today"]
    back = publish(server, course("1.2.0", 1), "--yes")

    assert back["effect"]["total"]["moved"] == 21 and back["effect"]["total"]["told_before"] == 0
    tomorrow = (local(ora.zone).date() + timedelta(days=1)).isoformat()
    [first] = [one for one in ora.pages(ora.own("/occasions")) if one["schedule"] == "daily" and one["local_date"] == tomorrow]
    mails = [one for one in ora.call("GET", ora.own("/occasions"), status=200)["prompts"] if "due_today" in one["kinds"]]
    assert first["occasion_id"] in mails[0]["occasion_ids"]
    assert states(server, ora) == ["due_today 1 sent"]


def test_a_past_notification_that_a_version_adds_is_not_sent(edited, version, mailbox):
    server = edited
    rule = "reminder: {at: '23:00', quiet_from: '00:00', quiet_to: '00:00'}\n"
    publish(server, version("1.0.0", ["who_5"], line("noon", "who_5"), more=rule))
    ora = join(server, version.code)
    server.sql(
        "update research.enrolment set enrolled_at = enrolled_at - interval '2 days', enrolled_on = enrolled_on - 2 "
        f"where enrolment_id = '{ora.enrolment['enrolment_id']}'")

    notice = "notices: [{code: come_back, when: inactive, first_after: 1d, repeat_every: 3d, at_most: 2}]\n"
    folder = version("1.1.0", ["who_5"], line("noon", "who_5"), more=rule + notice)
    words = folder / "content" / "text.en.yaml"
    words.write_text(words.read_text() + "notices:\n  come_back: {subject: Come back, body: 'We miss you.'}\n")
    publish(server, folder, "--yes")
    remind(server, mailbox.url)

    assert states(server, ora) == [] and mailbox.to(ora.email) == []
    prompts = ora.call("GET", ora.own("/occasions"), status=200)["prompts"]
    assert [one["notice"] for prompt in prompts for one in prompt["notices"]] == ["come_back"], "the second one is still ahead"


def test_occasions_that_a_version_adds_again_count_as_added(edited, version):
    server = edited
    evening = line("evening", "who_5", TO_COME)
    publish(server, version("1.0.0", ["who_5", "phq_2"], line("noon", "phq_2"), evening))
    ora = join(server, version.code)
    before = ora.overview()["phq_2"]
    publish(server, version("1.1.0", ["who_5"], evening), "--yes")

    again = version("1.2.0", ["who_5", "phq_2"], line("noon", "phq_2"), evening)
    total = publish(server, again, "--preview")["effect"]["total"]

    # 28 days. The first occasion stays open all the time.
    assert (total["added"], total["moved"], total["open"]) == (27, 0, 1)
    publish(server, again, "--yes")
    assert ora.overview()["phq_2"] == before
