"""Twins: two participants with the same records. The server is killed while it stores the records of the first; the second is undisturbed."""

import collections
import dataclasses
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
from .records import Record
from .server import ROOT, wait_until

# The studies. No window of the plan opens or closes, and no reminder is due, during a test: it is noon where the participants live, and they
# enrolled two hours ago.

# Each questionnaire that is in a schedule also starts a schedule. So each sheet of the plan changes the plan, and the time of the next
# reminder depends only on the stored records.
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

# In this study only the rule about inactivity sends messages.
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

EDITABLE = "edit: {correctWithin: 24h, deleteWithin: 24h}\n"


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
        lines = [line for line in (folder / "questionnaire.yaml").read_text().splitlines(True) if not line.startswith("edit:")]
        (folder / "questionnaire.yaml").write_text("".join(lines) + EDITABLE)
    server.run("check", directory)
    for code in (FOLLOWED, QUIET):
        server.run("publish", directory / "studies" / code)


# Participants


@dataclasses.dataclass(frozen=True)
class Pair:
    """A participant and the twin, who enrolled at the same instant in the same study."""

    person: object
    twin: object
    enrolled_at: object
    study: str


def enrol(server, study):
    """A pair of participants who enrolled two hours ago, at 10 o'clock or later."""
    zone, base = evening_zone(12), after(now(), hours=-2).replace(second=0, microsecond=0)
    person, twin = (enrol_participant(server, name, zone=zone, study=study) for name in ("Ada Canary", "Twin Canary"))
    # In the quiet study the next check is empty, as after the last message of the rule.
    check = ", next_reminder_at = null" if study == QUIET else ""
    for name in (person.enrolment["enrolment_id"], twin.enrolment["enrolment_id"]):
        server.sql(f"""
            update research.enrolment set enrolled_at = '{instant(base)}'{check} where enrolment_id = '{name}';
            update research.enrolment_version set followed_from = '{instant(base)}' where enrolment_id = '{name}';
            update research.enrolment_zone set effective_from = '{instant(base)}' where enrolment_id = '{name}'""")
    return Pair(person, twin, base, study)


# Records


class Request(Record):
    """A correction or deletion of a sheet by a separate request (PATCH, DELETE), not by a batch upload."""


class _Author:
    """Makes the records of one participant. All times are full minutes after the enrolment."""

    def __init__(self, pair, chance):
        self._person, self._base, self._chance = pair.person, pair.enrolled_at, chance

    def sheet(self, questionnaire, minute, answers=None, version="1.0.0", **more):
        moment = after(self._base, minutes=minute)
        answers = answers or {"mood": self._chance.randint(0, 1000)}
        body = self._person.sheet(questionnaire, answers, started=after(moment, minutes=-1), completed=moment, version=version, **more)
        return Record("answer_sheet", new_id(), self._person, body)

    def walk(self, minute):
        """A walk that ends in this minute."""
        started = after(self._base, minutes=minute, seconds=-walks.ELAPSED_S)
        return Record("walk", new_id(), self._person, walks.body(self._person.zone, started=started))

    def deletion(self, record):
        member = "walk_id" if record.kind == "walk" else "sheet_id"
        return Record("deletion", new_id(), self._person, {member: record.id, "deleted_at": instant()})

    def correction(self, sheet, **answers):
        body = {"sheet_id": sheet.id, "corrected_at": instant(), "answers": sheet.body["answers"] | answers}
        return Record("correction", new_id(), self._person, body)

    @staticmethod
    def as_request(edit):
        return Request(edit.kind, edit.id, edit.person, edit.body)


# The threads of a participant. Each uploads one list of records after the other. Records of different threads do not depend on each other, so
# the state at the end does not depend on how the server interleaves the threads.


def _diary(author):
    """Sheets of one day: the first fulfils the occasion, and the others are duplicates until it is deleted."""
    kept = []
    for number in itertools.count():
        kept.append(author.sheet("daily_note", 10 + number % 100))
        yield kept[-1:]
        if number % 3 == 1:
            yield [author.as_request(author.deletion(kept.pop(0)))]
        if number % 3 == 2:
            yield [author.as_request(author.correction(kept[-1], mood=7))]


def _starts(author):
    """Sheets each of which starts a schedule. Some are deleted, also by a deletion that arrives before its sheet."""
    for number in itertools.count():
        sheet = author.sheet("start_note", 5 + number % 110)
        upload = [[sheet]]
        if number % 6 == 2:
            upload.append([author.as_request(author.deletion(sheet))])
        if number % 6 == 4:
            upload.insert(0, [author.deletion(sheet)])
        yield from upload


def _walked(author):
    """Walks with sheets about them, in both orders. A sheet may be deleted, so that another one fulfils the occasion, or the walk may be deleted."""
    for number in itertools.count():
        minute = 1 + number % 80
        walk = author.walk(minute)
        first, second = (author.sheet("walk_note", minute + delay, walk_id=walk.id) for delay in (5, 20))
        match number % 6:
            case 0:
                yield from ([first], [walk])
            case 1:
                yield from ([walk], [first])
            case 2:
                yield from ([first], [second], [walk], [author.as_request(author.deletion(first))])
            case 3:
                yield from ([walk], [author.deletion(walk)])
            case 4:
                yield [second, walk, author.correction(second, mood=3)]
            case 5:
                yield from ([second], [walk, first, author.deletion(second)])


def _scored(author):
    """Sheets whose scores depend on a covariate, and sources of the covariate that were completed before them and arrive later."""
    for number in itertools.count():
        yield [author.sheet("audit_c", 95 + number % 20, {"q1": 1, "q2": 1, "q3": number % 3}, version="1.1.0")]
        source = author.sheet("about_you", 10 + number % 80, {"sex": ("female", "male")[number % 2]})
        yield [source]
        if number % 4 == 1:
            yield [author.as_request(author.correction(source, sex="female"))]
        if number % 4 == 3:
            yield [author.as_request(author.deletion(source))]


def _silent(author):
    """Sheets in reverse order, as after a time offline. Each moves the message about inactivity to an earlier time."""
    for minute in range(110, 5, -1):
        yield [author.sheet("start_note", minute)]


SCRIPTS = {FOLLOWED: (_diary, _starts, _walked, _scored), QUIET: (_silent,)}


def send(connection, person, upload):
    """Sends records of this person, one record as a single upload and several as a batch; the status, and the response if the status is not 200."""
    records = [dataclasses.replace(record, person=person) for record in upload]
    [first, *others] = records
    if isinstance(first, Request):
        path = person.own(f"/answer-sheets/{first.subject}")
        if first.kind == "deletion":
            return connection.call("DELETE", path)
        return connection.call("PATCH", path, {"answers": first.body["answers"]})
    if not others and not first.is_edit:
        return connection.call("PUT", first.path, first.body | ({"client_now": instant()} if "client_now" in first.body else {}))
    items = [record.item | {"body": {name: value for name, value in record.body.items() if name != "client_now"}} for record in records]
    status, reply = connection.call("POST", person.own("/sync"), {"client_now": instant(), "items": items})
    refused = [result for result in (reply or {}).get("items", []) if result["result"] in ("rejected", "retry")]
    return (409, refused) if refused else (status, reply)


class Connection:
    """One connection of a participant's device."""

    def __init__(self, person):
        address = urllib.parse.urlsplit(person.server.url)
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {person.tokens['access_token']}", "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        """Status and JSON; (None, None) without a response."""
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            response = self._connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return None, None
        return response.status, json.loads(data) if data else None

    def close(self):
        self._connection.close()


class Load:
    """All threads of all participants, until the server is killed."""

    def __init__(self, pairs, seed):
        self.sent = collections.defaultdict(list)
        self.acknowledged, self.unacknowledged, self.unexpected = 0, [], []
        self._stopping = threading.Event()
        self._news = threading.Condition()
        chance = random.Random(seed)
        self._threads = [
            threading.Thread(target=self._run, args=(pair, script(_Author(pair, random.Random(chance.random())))), daemon=True)
            for pair in pairs for script in SCRIPTS[pair.study]]
        for thread in self._threads:
            thread.start()

    def _run(self, pair, script):
        connection = Connection(pair.person)
        for upload in script:
            if self._stopping.is_set():
                break
            with self._news:
                self.sent[pair.person.email] += upload
            status, reply = send(connection, pair.person, upload)
            with self._news:
                if status in (200, 201, 204):
                    self.acknowledged += len(upload)
                    self._news.notify_all()
                    continue
                self.unacknowledged += upload
                if status is not None or not self._stopping.is_set():
                    self.unexpected.append((status, reply))
            break
        connection.close()

    def wait_for(self, count, seconds=60):
        """Waits until this many records are acknowledged."""
        with self._news:
            assert self._news.wait_for(lambda: self.acknowledged >= count or self.unexpected, seconds), f"{self.acknowledged} records are acknowledged"

    def end(self, action):
        """Ends the load by an action, for example a kill. No thread sends a record after it."""
        self._stopping.set()
        action()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()
        assert not self.unexpected, self.unexpected[:5]


# What is stored


def rows(server, statement):
    return [line.split("|") for line in server.sql(statement).splitlines()]


def stored(server, person, sent):
    """The records of the participant that are stored, in the order in which they were received, and then the stored edits in the order in which they were sent."""
    mine = f"where enrolment_id = '{person.enrolment['enrolment_id']}'"
    received = {name: (moment, kind == "sheet") for name, kind, moment in rows(server, f"""
        select sheet_id, 'sheet', received_at from research.answer_sheet {mine} and revision = 1
        union all select walk_id, 'walk', received_at from research.walk {mine}""")}
    edits = {name for [name] in rows(server, f"select amendment_id from research.amendment {mine}")}
    corrected = {name for [name] in rows(server, f"select sheet_id from research.answer_sheet {mine} and revision > 1")}
    deleted = {name for [name] in rows(server, f"select sheet_id from research.answer_sheet {mine} and deleted_at is not null")}

    def is_stored(record):
        if isinstance(record, Request):
            return record.subject in (corrected if record.kind == "correction" else deleted)
        return record.id in (edits if record.is_edit else received)

    kept = [record for record in sent if is_stored(record)]
    # A batch upload stores its walks before its sheets. Sorting keeps the order of records that were received at the same time.
    return sorted((record for record in kept if not record.is_edit), key=lambda record: received[record.id]) + [
        record for record in kept if record.is_edit]


def replay(pair, sent):
    """Sends the records of the participant to the server as the twin's records, one after the other."""
    connection = Connection(pair.twin)
    for record in sent:
        status, reply = send(connection, pair.twin, [record])
        assert status in (200, 201, 204), (record, status, reply)
    connection.close()


def wait_for_edits(server, person):
    """Waits until the server has applied the edits whose records are stored. It does so in the background if an edit arrived before its record."""
    mine = f"enrolment_id = '{person.enrolment['enrolment_id']}'"
    waiting = f"""
        select count(*) from research.amendment where {mine} and state in ('waiting', 'applying') and subject_id in (
          select sheet_id from research.answer_sheet where {mine} union all select walk_id from research.walk where {mine})"""
    wait_until(lambda: server.sql(waiting).strip() == "0", 30, "the edits are applied")


# The clock difference of a request, which is some milliseconds, moves the times of sheets. So all times are rounded to minutes.
_STATE = """
with occasion as (
    select *, concat_ws(' ', schedule, anchor_instance, day_index, slot_index) as key from research.occasion where {mine}),
  sheet as (select * from research.answer_sheet where {mine} and current and deleted_at is null),
  minutes as (select 'YYYY-MM-DD HH24:MI' as form)
select 'enrolment ' || json_build_object(
  'planned_through', planned_through, 'next_reminder_at', to_char(next_reminder_at + interval '30 s', form))
from research.enrolment, minutes where {mine}
union all select 'occasion ' || json_build_object(
  'key', key, 'questionnaire', questionnaire, 'local_date', local_date, 'zone', zone,
  'visible_at', to_char(visible_at + interval '30 s', form), 'open_at', to_char(open_at + interval '30 s', form),
  'due_at', to_char(due_at + interval '30 s', form), 'close_at', to_char(close_at + interval '30 s', form),
  'dst_adjusted', dst_adjusted, 'set_aside', set_aside, 'sheet', sheet_id, 'is_completed', completed_at is not null)
from occasion, minutes
union all select 'reminder ' || json_build_object(
  'kind', kind, 'subject', coalesce(key, subject), 'ordinal', ordinal, 'state', state, 'why', why)
from research.reminder left join occasion on occasion_id::text = subject where reminder.{mine}
union all select 'sheet ' || json_build_object(
  'id', sheet.sheet_id, 'revision', revision, 'standing', standing, 'late_minutes', round(late_s / 60.0), 'flags', flags,
  'completes', completes, 'duplicate_of', duplicate_of, 'occasion', key)
from sheet left join occasion using (occasion_id)
union all select 'score ' || json_build_object(
  'sheet', sheet_id, 'revision', revision, 'scale', scale, 'key', key_version, 'value', value, 'reason', reason, 'band', band,
  'exclusion', exclusion, 'covariates', covariates)
from research.score join sheet using (enrolment_id, sheet_id, revision)
union all select 'deleted ' || json_build_object('sheet', sheet_id)
from research.answer_sheet where {mine} and revision = 1 and sheet_id not in (select sheet_id from sheet)
union all select 'walk ' || json_build_object('id', walk_id, 'deleted', deleted_at is not null) from research.walk where {mine}
"""


def state(server, person, after_change=""):
    """Everything that the server has derived from the participant's records, one line for each row. `after_change`: a statement whose effect is seen, but not kept."""
    query = _STATE.format(mine=f"enrolment_id = '{person.enrolment['enrolment_id']}'")
    return set(server.sql(f"begin; {after_change}; {query}; rollback").splitlines())


def differences(first, second):
    """The lines of two states that differ, each with the state that contains it."""
    return sorted([f"{line} - only of the first" for line in first - second] + [f"{line} - only of the twin" for line in second - first])


@dataclasses.dataclass
class Kill:
    """A kill under load, and the comparison of all participants with their twins."""

    acknowledged: int
    # Records without a response, and how many of them are stored.
    unacknowledged: int
    stored_unacknowledged: int
    differences: list


def kill_under_load(server, seed, studies=(FOLLOWED, FOLLOWED, QUIET)):
    """Kills the server while participants of these studies upload records. Then their twins upload the stored records without a fault."""
    chance = random.Random(seed)
    pairs = [enrol(server, study) for study in studies]
    load = Load(pairs, seed)
    load.wait_for(30)
    time.sleep(chance.uniform(0, 0.3))
    load.end(server.kill)
    revive(server)
    return compare(server, pairs, load)


def compare(server, pairs, load):
    """Compares the participants with their twins after the load. No request about the participants is sent."""
    found, unacknowledged = [], {record.id for record in load.unacknowledged}
    known = 0
    for pair in pairs:
        wait_for_edits(server, pair.person)
    records = {pair: stored(server, pair.person, load.sent[pair.person.email]) for pair in pairs}
    before = {pair: state(server, pair.person) for pair in pairs}
    threads = [threading.Thread(target=replay, args=(pair, records[pair])) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for pair in pairs:
        wait_for_edits(server, pair.twin)
        known += sum(record.id in unacknowledged for record in records[pair])
        found += differences(before[pair], state(server, pair.twin))
    return Kill(load.acknowledged, len(load.unacknowledged), known, found)
