"""Pairs of participants with the same records. The server is killed while it stores the records of one; the other, the twin, is undisturbed."""

import concurrent.futures
import dataclasses
import datetime
import http.client
import itertools
import json
import random
import shutil
import threading
import time
import urllib.parse

from . import walks
from .event_study import enrol_participant
from .faults.outcome import revive
from .moments import after, evening_zone, instant, new_id, now
from .people import Person
from .records import Record
from .server import ROOT, wait_until

# The studies. It is noon where the participants live, and they enrolled two hours ago. So no window opens or closes, and no reminder becomes
# due, while a test runs.
FOLLOWED, QUIET = "followed-days", "quiet-days"

STUDY = """
code: {code}
version: 1.0.0
consent_version: 1.0.0
open_enrolment: true
languages: [en]
zone: Europe/Berlin
days: 40
arms:
  - {{code: everybody, ratio: 1}}
allocation: {{block_sizes: [1], concealed: true}}
"""

# Each sheet that can fulfil an occasion also starts a schedule, so the server plans again after it. Therefore the time of the next reminder
# depends only on which records are stored, and not on the order in which the server stored records of different threads.
FOLLOWED_STUDY = STUDY.format(code=FOLLOWED) + """
questionnaires:
  - {code: daily_note, version: 1.0.0}
  - {code: look_back, version: 1.0.0}
  - {code: start_note, version: 1.0.0}
  - {code: follow_up, version: 1.0.0}
  - {code: walk_note, version: 1.0.0}
  - {code: after_thought, version: 1.0.0}
  - {code: about_you, version: 1.0.0}
  - {code: audit_c, version: 1.1.0}
any_time: [start_note, about_you, audit_c]
covariates:
  - {id: sex, questionnaire: about_you, item: sex, codes: {female: female, male: male}}
walking: {requires_calibration: false, reduction_percent: {minimum: 0, maximum: 50}}
reminder: {at: "19:00", quiet_from: "22:00", quiet_to: "07:00"}
notices: [{code: come-back, when: inactive, first_after: 3d}]
"""

FOLLOWED_SCHEDULE = """
schedules:
  - id: daily
    questionnaire: daily_note
    recurrence: {every: {days: 1, until_day: 39}}
    slots: [{open: "09:00", due_after: 10h, close_after: 13h}]
    reminders: [{before_due: 1h}, {before_close: 30m}]
  - id: after_first_day
    questionnaire: look_back
    anchor: {first_completion: daily_note}
    offset_days: 1
    recurrence: {every: {days: 3, count: 3}}
    slots: [{open: "08:00", due_after: 4h, close_after: 6h}]
    reminders: [at_open]
  - id: after_start
    questionnaire: follow_up
    anchor: {completion: start_note}
    offset_days: 1
    recurrence: {every: {days: 1, count: 2}}
    slots: [{open: "07:30", due_after: 4h, close_after: 6h}]
    reminders: [at_open, {after_open: 2h}]
  - id: after_walk
    questionnaire: walk_note
    anchor: walk
    recurrence: once
    slots: [{open: {after_anchor: 0m}, due_after: 15m, close_after: 9h}]
    reminders: [{after_open: 5h}]
  - id: after_walk_note
    questionnaire: after_thought
    anchor: {completion: walk_note}
    offset_days: 1
    recurrence: once
    slots: [{open: "07:15", due_after: 4h, close_after: 6h}]
    reminders: [at_open]
"""

# Here only the rule about inactivity sends messages, and a sheet does not change the plan.
QUIET_STUDY = STUDY.format(code=QUIET) + """
questionnaires: [{code: start_note, version: 1.0.0}]
any_time: [start_note]
reminder: {quiet_from: "22:00", quiet_to: "07:00"}
notices: [{code: come-back, when: inactive, first_after: 3h}]
"""

NOTE = """
code: {code}
version: 1.0.0
languages: [en]
minutes: 1
license: Apache-2.0
edit: {{correctWithin: 24h, deleteWithin: 24h}}
item:
  - {{linkId: mood, type: integer, minValue: 0, maxValue: 1000, required: true}}
"""

TEXT = """
title: Days
summary: Questions on the following days.
arms:
  everybody: {title: Everybody, text: You answer.}
reminder: {subject: "{{count}} open", body: "{{titles}} {{url}}"}
notices: {come-back: {subject: Are you there?, body: "{{url}}"}}
"""


def publish(server, directory):
    """Writes the packs of both studies and publishes them."""
    files = {}
    for code in ("daily_note", "look_back", "start_note", "follow_up", "walk_note", "after_thought"):
        folder = f"instruments/{code}/1.0.0"
        files[f"{folder}/questionnaire.yaml"] = NOTE.format(code=code)
        files[f"{folder}/text.en.yaml"] = "title: Note\nitems:\n  mood: How is your mood?\n"
    for code, study, schedule in ((FOLLOWED, FOLLOWED_STUDY, FOLLOWED_SCHEDULE), (QUIET, QUIET_STUDY, "schedules: []\n")):
        files |= {
            f"studies/{code}/study.yaml": study, f"studies/{code}/schedule.yaml": schedule, f"studies/{code}/README.md": "# Days\n",
            f"studies/{code}/content/text.en.yaml": TEXT,
            f"studies/{code}/content/course.en.yaml": "steps:\n  - {title: Answer, text: You answer.}\n",
            f"studies/{code}/content/consent.en.md": "# Consent\n\nYou answer.\n",
        }
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for version in ("about_you/1.0.0", "audit_c/1.1.0"):
        folder = directory / "instruments" / version
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / version, folder)
        file = folder / "questionnaire.yaml"
        lines = [line for line in file.read_text().splitlines() if not line.startswith("edit:")]
        file.write_text("\n".join([*lines, "edit: {correctWithin: 24h, deleteWithin: 24h}", ""]))
    server.run("check", directory)
    for code in (FOLLOWED, QUIET):
        server.run("publish", directory / "studies" / code)


# Participants


@dataclasses.dataclass(frozen=True)
class Pair:
    """A participant and the twin, who enrolled in the same study at the same instant."""

    study: str
    person: Person
    twin: Person
    enrolled_at: datetime.datetime


def enrol(server, study):
    """A pair of participants who enrolled two hours ago, after 10 o'clock."""
    zone, base = evening_zone(12), after(now(), hours=-2).replace(second=0, microsecond=0)
    person, twin = (enrol_participant(server, name, zone=zone, study=study) for name in ("Ada Canary", "Twin Canary"))
    both = f"enrolment_id in ('{person.enrolment['enrolment_id']}', '{twin.enrolment['enrolment_id']}')"
    # In the quiet study no check of reminders is planned, as after the last message of the rule.
    check = ", next_reminder_at = null" if study == QUIET else ""
    server.sql(f"""
        update research.enrolment set enrolled_at = '{instant(base)}'{check} where {both};
        update research.enrolment_version set followed_from = '{instant(base)}' where {both};
        update research.enrolment_zone set effective_from = '{instant(base)}' where {both}""")
    return Pair(study, person, twin, base)


# Records


class SingleEdit(Record):
    """A correction or deletion of a sheet that is sent as one PATCH or DELETE request, and not in a batch upload."""


class Author:
    """Makes the records of one participant. All times are full minutes after the enrolment."""

    def __init__(self, pair, chance):
        self.chance = chance
        self._person, self._base = pair.person, pair.enrolled_at

    def numbers(self):
        """Numbers that count up from a random one, so that the kills of a test interrupt different cases."""
        return itertools.count(self.chance.randrange(12))

    def sheet(self, questionnaire, minute, answers=None, version="1.0.0", **more):
        moment = after(self._base, minutes=minute)
        answers = answers or {"mood": self.chance.randint(0, 1000)}
        body = self._person.sheet(questionnaire, answers, started=after(moment, minutes=-1), completed=moment, version=version, **more)
        return Record("answer_sheet", new_id(), self._person, body)

    def walk(self, minute):
        """A walk that ends in this minute."""
        started = after(self._base, minutes=minute, seconds=-walks.ELAPSED_S)
        return Record("walk", new_id(), self._person, walks.body(self._person.zone, started=started))

    def deletion(self, record, kind=Record):
        member = "walk_id" if record.kind == "walk" else "sheet_id"
        return kind("deletion", new_id(), self._person, {member: record.id, "deleted_at": instant()})

    def correction(self, sheet, kind=Record, **answers):
        body = {"sheet_id": sheet.id, "corrected_at": instant(), "answers": sheet.body["answers"] | answers}
        return kind("correction", new_id(), self._person, body)


# The threads of a participant. Each sends one list of records after the other: a list of one record as a single request, a longer list as a
# batch. Records of different threads do not influence each other, so the result does not depend on the order in which threads are served.


def diary(author):
    """Sheets of one day. The first fulfils the occasion, and the others are its duplicates until it is deleted."""
    kept = []
    for number in author.numbers():
        kept.append(author.sheet("daily_note", 10 + number % 100))
        yield [kept[-1]]
        if number % 3 == 1:
            yield [author.deletion(kept.pop(0), SingleEdit)]
        if number % 3 == 2:
            yield [author.correction(kept[-1], SingleEdit, mood=7)]


def starts(author):
    """Sheets that each start a schedule. Some are deleted, also by a deletion that arrives before its sheet."""
    for number in author.numbers():
        sheet = author.sheet("start_note", 5 + number % 110)
        if number % 6 == 4:
            yield [author.deletion(sheet)]
        yield [sheet]
        if number % 6 == 2:
            yield [author.deletion(sheet, SingleEdit)]


def walked(author):
    """Walks and sheets about them, in both orders. Some walks, and some sheets that fulfil an occasion, are deleted."""
    for number in author.numbers():
        minute = 1 + number % 80
        walk = author.walk(minute)
        early, late = (author.sheet("walk_note", minute + delay, walk_id=walk.id) for delay in (5, 20))
        yield from (
            ([early], [walk]),
            ([walk], [early]),
            ([early], [late], [walk], [author.deletion(early, SingleEdit)]),
            ([walk], [author.deletion(walk)]),
            ([late, walk, author.correction(late, mood=3)],),
            ([late], [walk, early, author.deletion(late)]),
        )[number % 6]


def scored(author):
    """Sheets whose scores depend on a covariate, and sources of the covariate that were completed before those sheets and arrive after them."""
    for number in author.numbers():
        yield [author.sheet("audit_c", 95 + number % 20, {"q1": 1, "q2": 1, "q3": number % 3}, version="1.1.0")]
        source = author.sheet("about_you", 10 + number % 80, {"sex": ("female", "male")[number % 2]})
        yield [source]
        if number % 4 == 1:
            yield [author.correction(source, SingleEdit, sex="female")]
        if number % 4 == 3:
            yield [author.deletion(source, SingleEdit)]


def silent(author):
    """Sheets from the newest to the oldest. Each one moves the next check of reminders, for the message about inactivity, to an earlier time."""
    for minute in range(110, 5, -1):
        yield [author.sheet("start_note", minute)]


SCRIPTS = {FOLLOWED: (diary, starts, walked, scored), QUIET: (silent,)}


# Requests


class Connection:
    """One connection of a participant's device."""

    def __init__(self, person):
        address = urllib.parse.urlsplit(person.server.url)
        self._person = person
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {person.tokens['access_token']}", "Content-Type": "application/json"}

    def send(self, records):
        """Sends records, as records of this connection's participant; the fault, "killed" without a response, or None.

        If the server is too busy (503), the records are sent again.
        """
        while (fault := self._send([dataclasses.replace(record, person=self._person) for record in records])) == 503:
            time.sleep(0.02)
        return fault

    def _send(self, records):
        [first, *others] = records
        if isinstance(first, SingleEdit):
            path = self._person.own(f"/answer-sheets/{first.subject}")
            if first.kind == "deletion":
                return self._call("DELETE", path)
            return self._call("PATCH", path, {"answers": first.body["answers"]})
        if first.kind == "walk" and not others:
            # Without `client_now`, so the server does not correct the times of the walk.
            return self._call("PUT", first.path, first.body)
        if not first.is_edit and not others:
            return self._call("PUT", first.path, first.body | {"client_now": instant()})
        items = [record.item | {"body": {name: value for name, value in record.body.items() if name != "client_now"}} for record in records]
        return self._call("POST", self._person.own("/sync"), {"client_now": instant(), "items": items})

    def _call(self, method, path, body=None):
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            response = self._connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return "killed"
        if response.status not in (200, 201, 204):
            return 503 if response.status == 503 else (method, response.status, data)
        items = json.loads(data)["items"] if path.endswith("/sync") else []
        return [item for item in items if item["result"] in ("rejected", "retry")] or None

    def close(self):
        self._connection.close()


class Load:
    """The threads of all participants. They send records until the load is ended."""

    def __init__(self, pairs, chance):
        # Pair -> its records, in the order in which they were sent.
        self.sent = {pair: [] for pair in pairs}
        self.unacknowledged = 0
        self._faults = []
        self._stopping = threading.Event()
        self._news = threading.Condition()
        scripts = [(pair, script(Author(pair, random.Random(chance.random())))) for pair in pairs for script in SCRIPTS[pair.study]]
        # The number of acknowledged records of each thread.
        self._acknowledged = [0] * len(scripts)
        self._threads = [
            threading.Thread(target=self._run, args=(number, pair, script), daemon=True) for number, (pair, script) in enumerate(scripts)]
        for thread in self._threads:
            thread.start()

    @property
    def acknowledged(self):
        return sum(self._acknowledged)

    def _run(self, number, pair, script):
        connection = Connection(pair.person)
        fault = None
        while not fault and not self._stopping.is_set() and (records := next(script, None)):
            with self._news:
                self.sent[pair] += records
            fault = connection.send(records)
            with self._news:
                self._acknowledged[number] += 0 if fault else len(records)
                self.unacknowledged += len(records) if fault else 0
                if fault and not (fault == "killed" and self._stopping.is_set()):
                    self._faults.append(fault)
                self._news.notify_all()
        connection.close()

    def wait_for(self, count=0, each=0, seconds=60):
        """Waits until this many records are acknowledged, and this many of each thread."""
        def is_enough():
            return self._faults or self.acknowledged >= count and min(self._acknowledged) >= each

        with self._news:
            assert self._news.wait_for(is_enough, seconds), f"acknowledged records of each thread: {self._acknowledged}"

    def end(self, action=lambda: None):
        """Ends the load, with an action such as a kill. No thread sends a record after the action."""
        self._stopping.set()
        action()
        for thread in self._threads:
            thread.join(90)
            assert not thread.is_alive()
        assert not self._faults, self._faults[:5]


# What is stored


def stored(server, person, sent):
    """The participant's stored records in the order in which they were received, followed by the stored edits in the order of sending."""
    mine = f"enrolment_id = '{person.enrolment['enrolment_id']}'"
    found = json.loads(server.sql(f"""
        select json_build_object(
          'sheets', (select json_object_agg(sheet_id, extract(epoch from received_at)) from research.answer_sheet where {mine} and revision = 1),
          'walks', (select json_object_agg(walk_id, extract(epoch from received_at)) from research.walk where {mine}),
          'edits', (select json_agg(amendment_id) from research.amendment where {mine}),
          'corrected', (select json_agg(sheet_id) from research.answer_sheet where {mine} and revision > 1),
          'deleted', (select json_agg(sheet_id) from research.answer_sheet where {mine} and deleted_at is not null))"""))
    # A batch upload stores its walks before its sheets. All its records have the same time of receipt.
    received = {name: (moment, kind == "sheets") for kind in ("walks", "sheets") for name, moment in (found[kind] or {}).items()}

    def is_stored(record):
        if isinstance(record, SingleEdit):
            return record.subject in (found["corrected" if record.kind == "correction" else "deleted"] or [])
        return record.id in (found["edits"] or [] if record.is_edit else received)

    kept = [record for record in sent if is_stored(record)]
    # A stable sort, so sheets of one batch keep the order of the batch.
    return sorted((record for record in kept if not record.is_edit), key=lambda record: received[record.id]) + [
        record for record in kept if record.is_edit]


def wait_for_edits(server, people):
    """Waits for the edits whose records are stored. The server applies them in the background if they arrived before their records."""
    mine = "enrolment_id in (" + ", ".join(f"'{person.enrolment['enrolment_id']}'" for person in people) + ")"
    waiting = f"""
        select count(*) from research.amendment where {mine} and state = 'waiting' and (enrolment_id, subject_id) in (
          select enrolment_id, sheet_id from research.answer_sheet where {mine}
          union all select enrolment_id, walk_id from research.walk where {mine})"""
    wait_until(lambda: server.sql(waiting).strip() == "0", 60, "the server has applied the edits")


# The server corrects the times of a sheet by the clock difference of its request, some milliseconds. So all times are rounded to minutes.
_STATE = """
with occasion as (
    select *, concat_ws(' ', schedule, anchor_instance, day_index, slot_index) as key from research.occasion where {mine}),
  sheet as (select * from research.answer_sheet where {mine} and current and deleted_at is null)
select 'enrolment ' || json_build_object('planned_through', planned_through, 'next_reminder_at', {next_reminder_at})
from research.enrolment where {mine}
union all select 'occasion ' || json_build_object(
  'key', key, 'questionnaire', questionnaire, 'local_date', local_date, 'zone', zone, 'visible_at', {visible_at}, 'open_at', {open_at},
  'due_at', {due_at}, 'close_at', {close_at}, 'dst_adjusted', dst_adjusted, 'excluded', set_aside,
  'sheet', sheet_id, 'is_completed', completed_at is not null)
from occasion
union all select 'reminder ' || json_build_object(
  'kind', kind, 'subject', coalesce(key, subject), 'ordinal', ordinal, 'planned_at', {planned_at}, 'state', state, 'why', why)
from (select * from research.reminder where {mine}) reminder
  left join (select occasion_id, key from occasion) named on occasion_id::text = subject
union all select 'sheet ' || json_build_object(
  'id', sheet.sheet_id, 'revision', revision, 'timeliness', standing, 'late_minutes', round(late_s / 60.0), 'flags', flags,
  'completes', completes, 'duplicate_of', duplicate_of, 'occasion', key)
from sheet left join occasion using (occasion_id)
union all select 'score ' || json_build_object(
  'sheet', sheet_id, 'revision', revision, 'scale', scale, 'key', key_version, 'value', value, 'reason', reason, 'band', band,
  'exclusion', exclusion, 'covariates', score.covariates)
from (
  select distinct on (sheet_id, revision, scale) * from research.score where {mine} order by sheet_id, revision, scale, computed_at desc
) as score join sheet using (enrolment_id, sheet_id, revision)
union all select 'deleted sheet ' || sheet_id from research.answer_sheet
where {mine} and revision = 1 and sheet_id not in (select sheet_id from sheet)
union all select 'walk ' || walk_id || case when deleted_at is null then '' else ' deleted' end from research.walk where {mine}
"""
_TIMES = {
    name: f"to_char(({name} + interval '30 s') at time zone 'utc', 'YYYY-MM-DD HH24:MI')"
    for name in ("next_reminder_at", "visible_at", "open_at", "due_at", "close_at", "planned_at")}


def state(server, person, harm=""):
    """What the server has derived from the participant's records, as one line for each row.

    `harm`: a statement that changes rows before they are read. The change is rolled back.
    """
    query = _STATE.format(mine=f"enrolment_id = '{person.enrolment['enrolment_id']}'", **_TIMES)
    return set(server.sql(f"begin; {harm}; {query}; rollback").splitlines())


def differences(first, second):
    """The lines that only one of two states contains."""
    return sorted([f"{line} only of the participant" for line in first - second] + [f"{line} only of the twin" for line in second - first])


def compare(server, load):
    """The differences between each participant and the twin, after the twin's device has sent the stored records one after the other.

    No request about a participant is sent before the participant's state is read.
    """
    wait_for_edits(server, [pair.person for pair in load.sent])
    states = {pair: state(server, pair.person) for pair in load.sent}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda pair: replay(server, pair, load.sent[pair]), load.sent))
    wait_for_edits(server, [pair.twin for pair in load.sent])
    return [line for pair in load.sent for line in differences(states[pair], state(server, pair.twin))]


def replay(server, pair, sent):
    """Sends the participant's stored records as records of the twin."""
    connection = Connection(pair.twin)
    for record in stored(server, pair.person, sent):
        fault = connection.send([record])
        assert not fault, (record, fault)
    connection.close()


def load_until_kill(server, seed):
    """Load from three participants until the server is killed, at a random moment. Then the server restarts."""
    chance = random.Random(seed)
    load = Load([enrol(server, study) for study in (FOLLOWED, FOLLOWED, QUIET)], chance)
    load.wait_for(chance.randint(10, 50))
    time.sleep(chance.uniform(0, 0.1))
    load.end(server.kill)
    revive(server)
    return load
