"""SIGKILL of two servers with one database while devices send records, and while rules decide, alert, award and send messages.

The comparison reads the database, the mail server and the push service. A message whose worker was killed is not sent again, because it may have
been sent: it may be missing, and its state is `unknown`. Everything else must exist exactly once.
"""

import asyncio
import contextlib
import datetime
import hashlib
import json
import pathlib
import random
import secrets
import shutil
import tempfile
import threading
import time
from collections import Counter

import requests
import yaml

from ..ledger import Reconciliation
from ..mailbox import Mailbox
from ..message_receiver import Authority, Device, MessageReceiver
from ..moments import evening_zone, local, new_id, now
from ..people import Person
from ..server import ROOT, Server, wait_until
from .clock import ShiftedClock
from .outcome import Outcome

STUDY = "signals"
PACK = ROOT / "Tests" / "Acceptance" / "packs" / STUDY
COORDINATOR = "coordinator@example.org"
# The rule `prompt` has 24 points in this time: one every five seconds.
PROMPTS = 24
PROMPT_SPAN = datetime.timedelta(minutes=2)
# The share of sheets that raise an alert.
DISTRESS = 0.15
# The sheet with this number earns the award.
AWARDED = 5
# The server treats a claim that is older than 15 minutes as abandoned.
ABANDONED_AFTER = datetime.timedelta(minutes=16)


class SlowMailbox(Mailbox):
    """A mail server that answers up to 0.1 s after it has stored a mail, so that kills fall between the two."""

    async def handle_DATA(self, server, session, envelope):
        answer = await super().handle_DATA(server, session, envelope)
        await asyncio.sleep(random.uniform(0, 0.1))
        return answer

    def wait_for_any(self, seconds):
        """Waits until any mail arrives."""
        with self._arrived:
            self._arrived.wait(seconds)

    def count_by_id(self):
        """The part of the Message-ID before the host -> the number of mails with it."""
        with self._arrived:
            return Counter(mail["message-id"].strip("<>").split("@")[0] for _, _, mail in self._mails)


class Rig:
    """Two servers with one database, a mail server, a push service, and participants with a phone."""

    def __init__(self, host, folder, mailbox, receiver, authority, people, seconds_ahead):
        self.host, self.folder, self.mailbox = host, folder, mailbox
        self.database = "rules_" + secrets.token_hex(4)
        host.sql(f"create database {self.database}")
        key = folder / "master.key"
        key.write_text(secrets.token_hex(32))
        key.chmod(0o600)
        self.servers = []
        try:
            for number in (1, 2):
                (folder / str(number)).mkdir()
                made = Server(
                    folder / str(number), smtp_url=mailbox.url, database_url=host.connection(self.database), master_key=key,
                    public_url="https://study.example.org")
                made.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
                if seconds_ahead and number == 2:
                    clock = ShiftedClock(folder)
                    clock.shift(seconds_ahead)
                    made.environment |= clock.environment
                self.servers.append(made.launch())
            for made in self.servers:
                made.wait_until_ready()
            zone = evening_zone()
            self._publish(zone)
            first = self.servers[0]
            first.run("account", "create", "--email", COORDINATOR, "--name", "Cora Field")
            first.run("account", "grant", "--email", COORDINATOR, "--role", "coordinator", "--study", STUDY)
            self.people, self.devices = [], {}
            for number in range(people):
                person, device = Person(first, name=f"Sina{number} Canary", zone=zone).register().verify_in_database(), Device(receiver)
                device.register(person, channels=())
                person.enrol(study=STUDY)
                self.people.append(person)
                self.devices[person.enrolment["enrolment_id"]] = device
        except BaseException:
            self.close()
            raise

    def _publish(self, zone):
        """Publishes the study. Its prompts begin now."""
        pack = self.folder / "packs"
        shutil.copytree(PACK, pack)
        begin = local(zone).replace(second=0, microsecond=0)
        end = begin + PROMPT_SPAN
        # The k-th moment of n in S seconds, from 0, is ⌊(2k + 1) · S / 2n⌋ seconds after the begin.
        span = int(PROMPT_SPAN.total_seconds())
        self.prompts = {
            f"{begin.date()}#{number + 1}": begin + datetime.timedelta(seconds=(2 * number + 1) * span // (2 * PROMPTS)) for number in range(PROMPTS)}
        file = pack / "studies" / STUDY / "rules.yaml"
        rules = yaml.safe_load(file.read_text())
        [prompt] = [rule for rule in rules["rules"] if rule["code"] == "prompt"]
        prompt["at"]["per_day"] |= {"from": begin.strftime("%H:%M"), "to": end.strftime("%H:%M")}
        prompt["log"] = "all"
        file.write_text(yaml.safe_dump(rules))
        self.servers[0].run("publish", file.parent)

    def sql(self, text):
        """Rows as lists of texts."""
        return [line.split("|") for line in self.host.sql(text, self.database).splitlines()]

    def close(self):
        for made in self.servers:
            made.remove()
        self.host.sql(f"drop database {self.database} with (force)")


@contextlib.contextmanager
def rig(host, people=4, seconds_ahead=0):
    """Starts everything. Parameters:

    - `host`: a running server whose PostgreSQL gets the database.
    - `seconds_ahead`: how many seconds the clock of the second server is ahead.
    """
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="saunter-rules-")))
        mailbox = SlowMailbox().start()
        stack.callback(mailbox.stop)
        authority = Authority(folder)
        receiver = MessageReceiver(authority)
        stack.callback(receiver.stop)
        made = Rig(host, folder, mailbox, receiver, authority, people, seconds_ahead)
        stack.callback(made.close)
        yield made


class Load:
    """Devices of each participant send sheets to either server, and send a sheet again until it is acknowledged."""

    def __init__(self, rig, seed, devices_each=3, pause=0.2):
        self.rig, self.pause = rig, pause
        self.acknowledged = []
        self.unexpected = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        chance = random.Random(seed)
        self._threads = [
            threading.Thread(target=self._send, args=(person, random.Random(chance.random())), daemon=True)
            for person in rig.people for _ in range(devices_each)]
        for thread in self._threads:
            thread.start()

    def stop(self):
        """Sends the open sheets until they are acknowledged."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(120)
            assert not thread.is_alive(), "a sheet is not acknowledged"

    def _send(self, person, chance):
        at = [person.on(server) for server in self.rig.servers]
        number = 0
        while not self._stopping.is_set():
            number += 1
            questionnaire = "distress" if chance.random() < DISTRESS else "signal"
            sheet, body = new_id(), person.sheet(questionnaire, {"number": number})
            while (status := self._put(chance.choice(at), person.own(f"/answer-sheets/{sheet}"), body)) in (None, 503):
                time.sleep(0.05)
            with self._lock:
                if status in (200, 201):
                    self.acknowledged.append((person.enrolment["enrolment_id"], questionnaire, sheet))
                else:
                    self.unexpected.append((questionnaire, sheet, status))
            time.sleep(chance.uniform(0, self.pause))

    @staticmethod
    def _put(person, path, body):
        """The status; None without a response, and after a rejected token."""
        try:
            status = person.call("PUT", path, json=body).status_code
        except requests.RequestException:
            return None
        if status == 401:
            person.renew()
            return None
        return status


def once(host, seed, kills=20, seconds=0, people=4, **more):
    """Kills servers at random moments under load, half of them directly after a mail has arrived. Then compares.

    `seconds`: how long the load runs before the first kill. The other arguments are those of `Load`."""
    chance = random.Random(seed)
    with rig(host, people) as made:
        load = Load(made, seed, **more)
        time.sleep(seconds)
        moments = []
        for _ in range(kills):
            time.sleep(chance.uniform(0, 1.5))
            if chance.random() < 0.5:
                made.mailbox.wait_for_any(2)
                time.sleep(chance.uniform(0, 0.05))
            victim = chance.choice(made.servers)
            victim.kill()
            moments.append(now())
            time.sleep(chance.uniform(0, 0.5))
            victim.start()
        load.stop()
        assert not load.unexpected, load.unexpected[:5]
        settle(made)
        return Outcome(*compare(made, load.acknowledged, moments))


def settle(rig):
    """Waits until the servers have nothing to do. Then claims of killed workers end at once, and not after 15 minutes."""
    waiting = """select (select count(*) from research.enrolment where next_decision_at <= now())
        + (select count(*) from research.reminder where next_attempt_at <= now())
        + (select count(*) from identity.outgoing_mail where next_attempt_at <= now())"""
    wait_until(lambda: rig.sql(waiting) == [["0"]], 120, "nothing is due")
    for server in rig.servers:
        assert server.stop() == 0, server.tail()
    rig.until = now()
    rig.sql(f"update research.reminder set claimed_at = claimed_at - interval '{ABANDONED_AFTER.total_seconds()} s' where state = 'claimed'")
    rig.sql("update identity.outgoing_mail set next_attempt_at = now() where outcome is null and next_attempt_at > now()")
    rig.servers[0].run("remind", "--once")


def compare(rig, acknowledged, kills=()):
    """Compares what rules decided and sent with the acknowledged sheets. `kills`: the instants of kills."""
    acknowledged = set(acknowledged)
    found = Reconciliation(acknowledged=len(acknowledged))
    stored = {tuple(row) for row in rig.sql("select enrolment_id, questionnaire, sheet_id from research.answer_sheet where revision = 1")}
    _report(found, Counter(f"sheet {sheet}" for *_, sheet in acknowledged), Counter(f"sheet {sheet}" for *_, sheet in stored))
    decided = _compare_decisions(rig, found, stored)
    messages = {(enrolment, message) for enrolment, _, _, outcome, message in decided if outcome == "message"}
    notes = _compare_messages(rig, found, messages, kills)
    alerts, repeated = _compare_alerts(rig, found, stored)
    awards = _compare_awards(rig, found, stored, decided)
    return found, None, {
        "times": len(kills), "decisions": len(decided), "messages": len(messages), "alerts": alerts, "alert_mails_repeated": repeated,
        "awards": awards} | notes


def _report(found, expected, actual):
    """Adds what is missing to the lost, and what is there too often to the doubled."""
    found.lost |= set(expected - actual)
    found.doubled |= set(actual - expected)


def _compare_decisions(rig, found, stored):
    """Each sheet and each moment has one decision, with the right outcome. Returns the decisions."""
    enrolled = {enrolment: _instant(begin) for enrolment, begin in rig.sql("select enrolment_id, extract(epoch from enrolled_at) from research.enrolment")}
    rules = {"signal": "reply", "distress": "call"}
    expected = Counter(f"decision {rules[kind]} sheet:{sheet} of {enrolment}" for enrolment, kind, sheet in stored)
    for enrolment, begin in enrolled.items():
        expected.update(f"decision prompt {point} of {enrolment}" for point, moment in rig.prompts.items() if begin < moment <= rig.until)
    decided = [tuple(row) for row in rig.sql("select enrolment_id, rule, point, outcome, coalesce(message_id::text, '') from research.decision")]
    outcomes = {"reply": "message", "call": "alert", "prompt": "message", "five": "award"}
    found.altered |= {f"decision {rule} {point} is {outcome}" for _, rule, point, outcome, _ in decided if outcome != outcomes[rule]}
    late = {point for point, moment in rig.prompts.items() if moment > rig.until}
    _report(found, expected, Counter(
        f"decision {rule} {point} of {enrolment}" for enrolment, rule, point, *_ in decided if rule != "five" and point not in late))
    return decided


def _compare_messages(rig, found, messages, kills):
    """Each message is in the inbox once. Each channel has it once, and it arrives once, unless its worker was killed. Returns what happened."""
    inbox = Counter(tuple(row) for row in rig.sql("select enrolment_id, message_id from research.inbox_message"))
    _report(found, Counter(f"inbox message {message}" for _, message in messages), Counter(f"inbox message {message}" for _, message in inbox.elements()))
    reminders = rig.sql("select enrolment_id, inbox_message_id, message_id, channel, state, why, extract(epoch from claimed_at) from research.reminder")
    _report(
        found, Counter(f"{channel} of {message}" for _, message in messages for channel in ("mail", "push")),
        Counter(f"{channel} of {message}" for _, message, _, channel, *_ in reminders))
    mails = rig.mailbox.count_by_id()
    pushes = Counter(json.loads(device.read(push))["notification"]["data"]["message_id"] for device in rig.devices.values() for push in device.messages)
    unknown = arrived = 0
    for enrolment, _, message, channel, state, why, claimed in reminders:
        count = mails[_digest(f"{enrolment}|{message}")] if channel == "mail" else pushes[message]
        if count > 1:
            found.doubled.add(f"{channel} {message} arrived {count} times")
        if state == "sent" and count == 0:
            found.lost.add(f"{channel} {message} is sent and did not arrive")
        if state == "unknown":
            unknown, arrived = unknown + 1, arrived + count
            begun = _instant(claimed) + ABANDONED_AFTER
            if not any(datetime.timedelta(0) <= kill - begun < datetime.timedelta(seconds=60) for kill in kills):
                found.lost.add(f"{channel} {message} is unknown without a kill")
        elif state != "sent":
            found.torn.add(f"{channel} {message} is {state}: {why}")
    return {"sent": len(reminders) - unknown, "unknown": unknown, "unknown_and_arrived": arrived}


def _compare_alerts(rig, found, stored):
    """Each alert is stored once, and its first mail arrives. A mail to the study team may be repeated after a kill. Returns the numbers of both."""
    alerts = rig.sql("select enrolment_id, alert_id, notices from research.alert")
    _report(
        found, _numbered(f"alert of {enrolment}" for enrolment, kind, _ in stored if kind == "distress"),
        _numbered(f"alert of {enrolment}" for enrolment, *_ in alerts))
    found.torn |= {f"alert {alert} has {notices} notices" for _, alert, notices in alerts if notices != "1"}
    queued = {_digest(f"mail|{mail.upper()}"): int(attempts) for mail, attempts in rig.sql(
        "select mail_id, attempts from identity.outgoing_mail where kind = 'alert'")}
    if len(queued) != len(alerts):
        found.torn.add(f"{len(queued)} mails for {len(alerts)} alerts")
    mails = rig.mailbox.count_by_id()
    found.lost |= {f"mail of an alert {message}" for message in queued if mails[message] == 0}
    found.doubled |= {f"mail of an alert {message}" for message, attempts in queued.items() if mails[message] > attempts}
    return len(alerts), sum(max(0, mails[message] - 1) for message in queued)


def _compare_awards(rig, found, stored, decided):
    """Each participant with enough sheets has the award once. Returns the number of awards."""
    signals = Counter(enrolment for enrolment, kind, _ in stored if kind == "signal")
    due = Counter(f"award of {enrolment}" for enrolment, count in signals.items() if count >= AWARDED)
    awards = rig.sql("select enrolment_id from research.award where award = 'five'")
    _report(found, due, Counter(f"award of {enrolment}" for enrolment, in awards))
    _report(found, due, Counter(f"award of {enrolment}" for enrolment, rule, *_ in decided if rule == "five"))
    return len(awards)


def _numbered(names):
    """Equal names get numbers, so that a set can hold them."""
    seen = Counter()
    for name in names:
        seen[name] += 1
    return Counter(f"{name}: {number}" for name, count in seen.items() for number in range(1, count + 1))


def _instant(epoch):
    return datetime.datetime.fromtimestamp(float(epoch), datetime.timezone.utc)


def _digest(key):
    """The part of a Message-ID before the host."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]
