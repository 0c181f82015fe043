"""Reminders of single occasions: at their moments, once whatever dies, put off, confirmed, listed ahead."""

import concurrent.futures
import contextlib
import socketserver
import subprocess
import threading
from datetime import timedelta

import pytest
from acceptance.hourly import join, pack, remind, start, states
from acceptance.mailbox import text
from acceptance.moments import after, instant, new_id, now, read
from acceptance.server import BINARIES, Server, wait_until


class Silent(socketserver.ThreadingTCPServer):
    """A mail server that takes whole mails, counts them, and never says so: whoever hands one in waits."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        self.taken = []
        self.arrived = threading.Event()
        super().__init__(("127.0.0.1", 0), SilentTalk)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class SilentTalk(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                verb = line[:4].upper()
                if verb == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    mail = []
                    while (part := self.rfile.readline()) not in (b".\r\n", b""):
                        mail.append(part)
                    self.server.taken.append(b"".join(mail))
                    self.server.arrived.set()
                    # No answer, until the other side is gone.
                    self.rfile.readline()
                    return
                self.wfile.write(b"250 yes\r\n")


@pytest.fixture(scope="module")
def hourly(mailbox, tmp_path_factory):
    directory = tmp_path_factory.mktemp("hourly")
    study = pack(directory)
    asked = directory / "packs" / "instruments" / "mood_vas" / "1.0.0" / "questionnaire.yaml"
    asked.write_text(asked.read_text() + "edit: {deleteWithin: 24h}\n")
    # No mail server of its own: reminders go out when a test says so.
    made = Server()
    try:
        made.start()
        made.run("publish", study)
        yield made
    finally:
        made.remove()


@pytest.fixture
def joined(hourly):
    """Makes people who leave in the end: what they would be reminded of later is no other test's."""
    people = []

    def joined(name="Mona Canary", **more):
        people.append(join(hourly, name, **more))
        return people[-1]

    yield joined
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


def test_each_reminder_comes_at_its_moment_in_its_own_words(hourly, joined, mailbox):
    mona = joined()
    start(mona)
    remind(hourly, mailbox.url)

    [mail] = mailbox.wait_for(mona.email)
    assert "until" in text(mail) and mona.name in text(mail)
    assert mail["subject"] == "Moments: how do you feel?"
    assert states(hourly, mona) == ["at_open 1 sent"]
    assert read(mona.call("GET", mona.own(""), status=200)["reminder"]["next_at"]) <= after(seconds=181)
    remind(hourly, mailbox.url)
    assert len(mailbox.to(mona.email)) == 1


def test_four_workers_send_each_reminder_once(hourly, joined, mailbox):
    people = [joined(f"Two{number} Canary") for number in range(4)]
    for person in people:
        start(person)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: remind(hourly, mailbox.url), range(4)))

    for person in people:
        mailbox.wait_for(person.email, seconds=30)
        assert len(mailbox.to(person.email)) == 1
        assert states(hourly, person) == ["at_open 1 sent"]


def test_a_worker_killed_in_the_middle_of_sending_leaves_no_second_copy(hourly, joined, mailbox):
    mona = joined("Kill Canary")
    start(mona)
    silent = Silent()
    worker = subprocess.Popen(
        [BINARIES / "saunter", "remind", "--once"], env=hourly.environment | {"SAUNTER_SMTP_URL": silent.url},
        cwd=hourly.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert silent.arrived.wait(60), "the mail is on its way"
    finally:
        worker.kill()
        worker.wait(30)
    silent.shutdown()
    assert len(silent.taken) == 1 and mona.email.encode() in silent.taken[0]
    assert states(hourly, mona) == ["at_open 1 claimed"]

    # Whoever comes next, at once or after the claim is given up, sends no second one.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remind(hourly, mailbox.url), range(2)))
    assert mailbox.to(mona.email) == []
    enrolment = mona.enrolment["enrolment_id"]
    hourly.sql(f"update research.reminder set claimed_at = claimed_at - interval '16 minutes' where enrolment_id = '{enrolment}'")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remind(hourly, mailbox.url), range(2)))
    assert mailbox.to(mona.email) == []
    assert states(hourly, mona) == ["at_open 1 unknown"]


def test_an_occasion_is_put_off_and_its_message_confirmed(hourly, joined, mailbox):
    mona = joined("Snooze Canary")
    occasion = start(mona)
    remind(hourly, mailbox.url)
    mailbox.wait_for(mona.email)
    path = mona.own(f"/occasions/{occasion['occasion_id']}/snooze")

    until = (now() + timedelta(minutes=30)).replace(microsecond=0)
    put = mona.call("PUT", path, json={"until": instant(until)}, status=200)
    assert put == {"occasion_id": occasion["occasion_id"], "until": instant(until)}
    page = mona.call("GET", mona.own("/occasions"), status=200)
    assert [(prompt["kinds"], read(prompt["at"])) for prompt in page["prompts"]][-2:] == [
        (["snoozed"], until), (["before_due"], read(occasion["due_at"]) - timedelta(minutes=10))]
    assert page["due_today"] == [occasion["occasion_id"]]
    mona.problem("PUT", path, 422, "body-invalid", json={"until": instant(after(hours=3))})
    mona.problem("PUT", path, 422, "body-invalid", json={"until": instant(after(seconds=-5))})
    mona.problem("PUT", path, 422, "body-invalid", json={"until": "later"})
    strange = occasion["occasion_id"][:-4] + "0000"
    mona.problem("PUT", mona.own(f"/occasions/{strange}/snooze"), 404, "not-found", json={"until": instant(until)})
    other = joined("Other Canary")
    other.problem("PUT", path, 404, "not-found", json={"until": instant(until)})

    [message] = mona.call("GET", mona.own("/messages"), status=200)["items"]
    assert [one["kind"] for one in message["reminders"]] == ["at_open"] and message["delivered_at"] is None
    receipt = mona.own(f"/messages/{message['message_id']}/receipt")
    opened = instant()
    known = mona.call("PUT", receipt, json={"opened_at": opened}, status=200)
    assert known["opened_at"] == known["delivered_at"] == opened
    assert mona.call("PUT", receipt, json={"opened_at": instant()}, status=200) == known
    other.problem("PUT", other.own(f"/messages/{message['message_id']}/receipt"), 404, "not-found", json={"opened_at": opened})
    other.problem("PUT", receipt, 404, "not-found", json={"opened_at": opened})


def test_what_nobody_confirms_is_planned_again_and_the_list_ahead_says_so(hourly, joined, mailbox):
    mona = joined("Again Canary")
    occasion = start(mona)
    remind(hourly, mailbox.url)
    mailbox.wait_for(mona.email)

    def kinds():
        page = mona.call("GET", mona.own("/occasions"), status=200)
        assert [prompt["at"] for prompt in page["prompts"]] == sorted(prompt["at"] for prompt in page["prompts"])
        assert all(prompt["occasion_ids"] == [occasion["occasion_id"]] for prompt in page["prompts"])
        return [prompt["kinds"] for prompt in page["prompts"]]

    assert kinds() == [["after_open"], ["resend"], ["before_due"]]
    [message] = mona.call("GET", mona.own("/messages"), status=200)["items"]
    mona.call("PUT", mona.own(f"/messages/{message['message_id']}/receipt"), json={"delivered_at": instant()}, status=200)
    assert kinds() == [["after_open"], ["before_due"]]


def test_whoever_opens_a_message_after_its_repetition_gets_no_other(hourly, joined, mailbox):
    mona = joined("Twice Canary")
    start(mona)
    remind(hourly, mailbox.url)
    mailbox.wait_for(mona.email)
    whose = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    # The wait for a word about it is over.
    hourly.sql(f"""
        update research.reminder set sent_at = sent_at - interval '6 minutes' {whose};
        update research.enrolment set next_reminder_at = now() {whose}""")
    remind(hourly, mailbox.url)
    assert states(hourly, mona) == ["at_open 1 sent", "resend 1 sent"]

    first = next(
        message for message in mona.call("GET", mona.own("/messages"), status=200)["items"]
        if message["reminders"][0]["kind"] == "at_open")
    mona.call("PUT", mona.own(f"/messages/{first['message_id']}/receipt"), json={"opened_at": instant()}, status=200)

    page = mona.call("GET", mona.own("/occasions"), status=200)
    assert [prompt["kinds"] for prompt in page["prompts"]] == [["after_open"], ["before_due"]]


@pytest.mark.parametrize("way", ["request", "outbox"])
def test_whoever_takes_the_answer_back_is_reminded_again(hourly, joined, mailbox, way):
    mona = joined("Undone Canary")
    occasion = start(mona)
    sheet = new_id()
    mona.hand_in("mood_vas", {"mood": 50}, sheet_id=sheet, started=now(), occasion_id=occasion["occasion_id"])
    whose = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    hourly.sql(f"update research.enrolment set next_reminder_at = now() {whose}")
    remind(hourly, mailbox.url)
    waits = f"select extract(epoch from next_reminder_at) from research.enrolment {whose}"
    assert hourly.sql(waits).strip() == ""

    if way == "request":
        mona.call("DELETE", mona.own(f"/answer-sheets/{sheet}"), status=204)
    else:
        body = {"sheet_id": sheet, "deleted_at": instant()}
        items = [{"kind": "deletion", "id": new_id(), "body": body}]
        mona.call("POST", mona.own("/sync"), json={"client_now": instant(), "items": items}, status=200)

    # At once of the opening that nobody told of, and then as the list says.
    first = mona.call("GET", mona.own("/occasions"), status=200)["prompts"][0]
    assert first["kinds"] == ["after_open"]
    assert read(occasion["opens_at"]).timestamp() == pytest.approx(float(hourly.sql(waits)), abs=0.002)
    remind(hourly, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1 and states(hourly, mona) == ["at_open 1 sent"]
    assert read(first["at"]).timestamp() == pytest.approx(float(hourly.sql(waits)), abs=0.002)


def test_what_taking_an_answer_back_has_left_undone_is_done_when_it_is_asked_for_again(hourly, joined):
    mona = joined("Undone Canary")
    occasion = start(mona)
    sheet = new_id()
    mona.hand_in("mood_vas", {"mood": 50}, sheet_id=sheet, started=now(), occasion_id=occasion["occasion_id"])
    mona.call("DELETE", mona.own(f"/answer-sheets/{sheet}"), status=204)
    # As if the server had died before it planned anew.
    whose = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    hourly.sql(f"update research.enrolment set next_reminder_at = null {whose}")

    mona.call("DELETE", mona.own(f"/answer-sheets/{sheet}"), status=404)

    waits = hourly.sql(f"select extract(epoch from next_reminder_at) from research.enrolment {whose}").strip()
    assert waits, "nobody looks for reminders of the occasion that is open again"
    assert read(occasion["opens_at"]).timestamp() == pytest.approx(float(waits), abs=0.002)


def test_whoever_answers_is_reminded_no_more(hourly, joined, mailbox):
    mona = joined("Done Canary")
    occasion = start(mona, now() + timedelta(seconds=4))
    wait_until(lambda: now() > read(occasion["opens_at"]), 20, "it opens")
    structure = mona.call("GET", mona.own("/questionnaires/mood_vas"), status=200)
    answers = {item["linkId"]: 50 for item in structure["item"] if item["type"] in ("integer", "decimal")}
    handed = mona.hand_in("mood_vas", answers, started=now(), occasion_id=occasion["occasion_id"])
    assert handed["standing"] == "on_time", handed

    remind(hourly, mailbox.url)

    assert mailbox.to(mona.email) == [] and states(hourly, mona) == []
    assert mona.call("GET", mona.own("/occasions"), status=200)["prompts"] == []
