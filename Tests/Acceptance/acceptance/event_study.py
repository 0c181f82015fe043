"""A study whose questionnaire opens after an event, so that reminders become due during a test."""

import shutil

from .moments import instant, now
from .people import Person
from .server import ROOT

STUDY = "event-driven"


def pack(
        directory, notices=None, texts=None, reminders="[at_open, {after_open: 3m}, {before_due: 10m}]", code=STUDY,
        reminder_settings='{quiet_from: "00:00", quiet_to: "00:00", resend_after: 5m}', close_after="2h", second_close_after=None):
    """The study's pack. With `second_close_after`, the questionnaire `pss_4` opens at the same time and closes after this duration."""
    root = directory / "packs"
    for instrument in ("mood_vas", "pss_4"):
        shutil.copytree(
            ROOT / "Questionnaires" / "instruments" / instrument, root / "instruments" / instrument, dirs_exist_ok=True)
    study = root / "studies" / code
    shutil.copytree(ROOT / "Questionnaires" / "studies" / "daily-moments", study)
    text = (study / "study.yaml").read_text().replace("code: daily-moments", f"code: {code}")
    if second_close_after is None:
        text = text.replace("  - {code: pss_4, version: 1.0.0}\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("reminder:")]
    lines += ["events: [{code: started, update: mutable}]", f"reminder: {reminder_settings}"]
    if notices:
        lines.append(f"notices: {notices}")
        for path in (study / "content").glob("text.*.yaml"):
            path.write_text(path.read_text() + f"\nnotices: {texts}\n")
    (study / "study.yaml").write_text("\n".join(lines) + "\n")
    schedules = "".join(f"""  - id: {name}
    questionnaire: {questionnaire}
    anchor: {{event: started}}
    recurrence: once
    slots: [{{open: {{after_anchor: 0m}}, due_after: 1h, close_after: {length}}}]
    reminders: {reminders}
""" for name, questionnaire, length in (("started", "mood_vas", close_after), ("second", "pss_4", second_close_after)) if length)
    (study / "schedule.yaml").write_text("schedules:\n" + schedules)
    return study


def enrol_participant(server, name, contract=None, zone="Europe/Berlin", language="en", study=STUDY, verified=True):
    """An enrolled participant whose mail address is verified."""
    person = Person(server, contract, name=name, zone=zone, language=language).register()
    version = person.call("GET", f"/v1/studies/{study}", status=200)["consent"]["version"]
    person.enrolment = person.call(
        "POST", f"/v1/studies/{study}/enrolments", status=201,
        json={"consent": {"version": version, "accepted": True}, "time_zone": zone, "language": language})
    return person.verify_in_database() if verified else person


def start_occasion(person, moment=None):
    """Reports the event that opens the occasion at this instant; the occasion."""
    person.call("PUT", person.own("/events/started"), json={"occurred_at": instant(moment or now())}, status=201)
    [occasion] = person.pages(person.own("/occasions"))
    return occasion


def remind(server, url, **more):
    return server.run("remind", "--once", "--json", SAUNTER_SMTP_URL=url, **more)


def states(server, person):
    rows = server.sql(
        "select kind || ' ' || ordinal || ' ' || state from research.reminder "
        f"where enrolment_id = '{person.enrolment['enrolment_id']}' order by 1")
    return rows.split("\n")[:-1]
