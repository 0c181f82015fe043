"""Reminders of single occasions: in time, sent once in spite of crashes, snoozed, confirmed, and listed in advance."""

import concurrent.futures
import contextlib
import socketserver
import subprocess
import threading
from datetime import timedelta

import pytest
from acceptance.event_study import enrol_participant, pack, remind, start_occasion, states
from acceptance.mailbox import text
from acceptance.moments import after, instant, new_id, now, read
from acceptance.server import BINARIES, Server, wait_until


class SilentMailServer(socketserver.ThreadingTCPServer):
    """A mail server that receives whole mails, counts them, and never confirms them, so that the sender waits."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        self.mails = []
        self.mail_received = threading.Event()
        super().__init__(("127.0.0.1", 0), SilentConnection)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class SilentConnection(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):
            self.wfile.write(b"220 ready\r\n")
            while line := self.rfile.readline():
                verb = line[:4].upper()
                if verb == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    mail = []
                    while (part := self.rfile.readline()) not in (b".\r\n", b""):
                        mail.append(part)
                    self.server.mails.append(b"".join(mail))
                    self.server.mail_received.set()
                    # No answer until the client closes the connection.
                    self.rfile.readline()
                    return
                self.wfile.write(b"250 yes\r\n")


@pytest.fixture(scope="module")
def reminder_server(mailbox, tmp_path_factory):
    directory = tmp_path_factory.mktemp("reminders")
    study = pack(directory)
    asked = directory / "packs" / "instruments" / "mood_vas" / "1.0.0" / "questionnaire.yaml"
    asked.write_text(asked.read_text() + "edit: {deleteWithin: 24h}\n")
    # Without a mail server, only the tests send reminders.
    made = Server()
    try:
        made.start()
        made.run("publish", study)
        yield made
    finally:
        made.remove()


@pytest.fixture
def enrol(reminder_server):
    """Makes participants who leave the study at the end of the test, so that their later reminders do not disturb other tests."""
    people = []

    def enrol(name="Mona Canary", **more):
        people.append(enrol_participant(reminder_server, name, **more))
        return people[-1]

    yield enrol
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


def test_each_reminder_is_sent_in_time_with_its_own_text(reminder_server, enrol, mailbox):
    mona = enrol()
    start_occasion(mona)
    remind(reminder_server, mailbox.url)

    [mail] = mailbox.wait_for(mona.email)
    assert "until" in text(mail) and mona.name in text(mail)
    assert mail["subject"] == "Moments: how do you feel?"
    assert states(reminder_server, mona) == ["at_open 1 sent"]
    assert read(mona.call("GET", mona.own(""), status=200)["reminder"]["next_at"]) <= after(seconds=181)
    remind(reminder_server, mailbox.url)
    assert len(mailbox.to(mona.email)) == 1


def test_a_reminder_by_mail_waits_until_the_address_is_verified(reminder_server, enrol, mailbox):
    mona = enrol(verified=False)
    start_occasion(mona)
    remind(reminder_server, mailbox.url)
    assert len(mailbox.to(mona.email, verifications=True)) == 1
    assert mailbox.to(mona.email) == [] and states(reminder_server, mona) == []

    mailbox.verify(mona)
    remind(reminder_server, mailbox.url)
    assert len(mailbox.to(mona.email)) == 1 and states(reminder_server, mona) == ["at_open 1 sent"]


def test_four_workers_send_each_reminder_once(reminder_server, enrol, mailbox):
    people = [enrol(f"Two{number} Canary") for number in range(4)]
    for person in people:
        start_occasion(person)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: remind(reminder_server, mailbox.url), range(4)))

    for person in people:
        mailbox.wait_for(person.email, seconds=30)
        assert len(mailbox.to(person.email)) == 1
        assert states(reminder_server, person) == ["at_open 1 sent"]


def test_after_the_kill_of_a_worker_that_is_sending_no_mail_arrives_twice(reminder_server, enrol, mailbox):
    mona = enrol("Kill Canary")
    start_occasion(mona)
    silent_server = SilentMailServer()
    worker = subprocess.Popen(
        [BINARIES / "saunter", "remind", "--once"], env=reminder_server.environment | {"SAUNTER_SMTP_URL": silent_server.url},
        cwd=reminder_server.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert silent_server.mail_received.wait(60), "the mail server has received the mail"
    finally:
        worker.kill()
        worker.wait(30)
    silent_server.shutdown()
    assert len(silent_server.mails) == 1 and mona.email.encode() in silent_server.mails[0]
    assert states(reminder_server, mona) == ["at_open 1 claimed"]

    # The next worker sends no second mail, neither at once nor after the claim has expired.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remind(reminder_server, mailbox.url), range(2)))
    assert mailbox.to(mona.email) == []
    enrolment = mona.enrolment["enrolment_id"]
    reminder_server.sql(f"update research.reminder set claimed_at = claimed_at - interval '16 minutes' where enrolment_id = '{enrolment}'")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: remind(reminder_server, mailbox.url), range(2)))
    assert mailbox.to(mona.email) == []
    assert states(reminder_server, mona) == ["at_open 1 unknown"]


def test_an_occasion_is_snoozed_and_its_message_confirmed(reminder_server, enrol, mailbox):
    mona = enrol("Snooze Canary")
    occasion = start_occasion(mona)
    remind(reminder_server, mailbox.url)
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
    unexpected = occasion["occasion_id"][:-4] + "0000"
    mona.problem("PUT", mona.own(f"/occasions/{unexpected}/snooze"), 404, "not-found", json={"until": instant(until)})
    other = enrol("Other Canary")
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


def test_a_snooze_and_a_receipt_can_be_uploaded_later(reminder_server, enrol, mailbox):
    mona = enrol("Later Canary")
    occasion = start_occasion(mona)
    remind(reminder_server, mailbox.url)
    mailbox.wait_for(mona.email)
    [message] = mona.call("GET", mona.own("/messages"), status=200)["items"]
    until = (now() + timedelta(minutes=30)).replace(microsecond=0)

    def upload(kind, body, ahead=timedelta()):
        batch = {"client_now": instant(now() + ahead), "items": [{"kind": kind, "id": new_id(), "body": body}]}
        [entry] = mona.call("POST", mona.own("/sync"), json=batch, status=200)["items"]
        return entry

    def snooze(moment, subject=occasion["occasion_id"]):
        return upload("snooze", {"occasion_id": subject, "until": instant(moment)})

    # A snooze that was over before it arrived is confirmed and changes nothing.
    assert snooze(after(minutes=-5))["result"] == "replayed"
    assert not any("snoozed" in prompt["kinds"] for prompt in mona.call("GET", mona.own("/occasions"), status=200)["prompts"])
    assert [snooze(until)["result"] for _ in range(2)] == ["accepted", "accepted"]
    prompts = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
    assert [read(prompt["at"]) for prompt in prompts if prompt["kinds"] == ["snoozed"]] == [until]
    assert snooze(after(hours=3))["problem"]["errors"][0]["code"] == "outside_window"
    assert snooze(until, new_id())["problem"]["status"] == 404
    assert upload("snooze", {"occasion_id": occasion["occasion_id"]})["problem"]["errors"][0]["pointer"] == "/until"

    # The clock of the device is an hour ahead.
    opened = (now() - timedelta(seconds=1)).replace(microsecond=0)
    entry = upload("message_receipt", {"message_id": message["message_id"], "opened_at": instant(opened + timedelta(hours=1))}, timedelta(hours=1))
    assert entry["result"] == "accepted" and abs(read(entry["receipt"]["opened_at"]) - opened) < timedelta(seconds=5)
    assert upload("message_receipt", {"message_id": new_id(), "opened_at": instant()})["result"] == "rejected"


def test_an_unconfirmed_reminder_is_planned_again_and_listed(reminder_server, enrol, mailbox):
    mona = enrol("Again Canary")
    occasion = start_occasion(mona)
    remind(reminder_server, mailbox.url)
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


def test_after_the_confirmation_of_a_repeated_message_no_other_is_sent(reminder_server, enrol, mailbox):
    mona = enrol("Twice Canary")
    start_occasion(mona)
    remind(reminder_server, mailbox.url)
    mailbox.wait_for(mona.email)
    where_enrolment = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    # The time for the confirmation is over.
    reminder_server.sql(f"""
        update research.reminder set sent_at = sent_at - interval '6 minutes' {where_enrolment};
        update research.enrolment set next_reminder_at = now() {where_enrolment}""")
    remind(reminder_server, mailbox.url)
    assert states(reminder_server, mona) == ["at_open 1 sent", "resend 1 sent"]

    first = next(
        message for message in mona.call("GET", mona.own("/messages"), status=200)["items"]
        if message["reminders"][0]["kind"] == "at_open")
    mona.call("PUT", mona.own(f"/messages/{first['message_id']}/receipt"), json={"opened_at": instant()}, status=200)

    page = mona.call("GET", mona.own("/occasions"), status=200)
    assert [prompt["kinds"] for prompt in page["prompts"]] == [["after_open"], ["before_due"]]


@pytest.mark.parametrize("way", ["request", "batch"])
def test_after_the_deletion_of_the_sheet_the_participant_is_reminded_again(reminder_server, enrol, mailbox, way):
    mona = enrol("Undone Canary")
    occasion = start_occasion(mona)
    sheet = new_id()
    mona.submit("mood_vas", {"mood": 50}, sheet_id=sheet, started=now(), occasion_id=occasion["occasion_id"])
    where_enrolment = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    reminder_server.sql(f"update research.enrolment set next_reminder_at = now() {where_enrolment}")
    remind(reminder_server, mailbox.url)
    next_check = f"select extract(epoch from next_reminder_at) from research.enrolment {where_enrolment}"
    assert reminder_server.sql(next_check).strip() == ""

    if way == "request":
        mona.call("DELETE", mona.own(f"/answer-sheets/{sheet}"), status=204)
    else:
        body = {"sheet_id": sheet, "deleted_at": instant()}
        items = [{"kind": "deletion", "id": new_id(), "body": body}]
        mona.call("POST", mona.own("/sync"), json={"client_now": instant(), "items": items}, status=200)

    # At once about the opening, which had no reminder yet, and then as listed.
    first = mona.call("GET", mona.own("/occasions"), status=200)["prompts"][0]
    assert first["kinds"] == ["after_open"]
    assert read(occasion["opens_at"]).timestamp() == pytest.approx(float(reminder_server.sql(next_check)), abs=0.002)
    remind(reminder_server, mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1 and states(reminder_server, mona) == ["at_open 1 sent"]
    assert read(first["at"]).timestamp() == pytest.approx(float(reminder_server.sql(next_check)), abs=0.002)


def test_a_deletion_plans_the_reminders_of_its_occasion_again(reminder_server, enrol):
    mona = enrol("Undone Canary")
    occasion = start_occasion(mona)
    sheet = new_id()
    next_check = f"select extract(epoch from next_reminder_at) from research.enrolment where enrolment_id = '{mona.enrolment['enrolment_id']}'"
    mona.submit("mood_vas", {"mood": 50}, sheet_id=sheet, started=now(), occasion_id=occasion["occasion_id"])
    reminder_server.sql(f"update research.enrolment set next_reminder_at = null where enrolment_id = '{mona.enrolment['enrolment_id']}'")

    mona.call("DELETE", mona.own(f"/answer-sheets/{sheet}"), status=204)

    assert read(occasion["opens_at"]).timestamp() == pytest.approx(float(reminder_server.sql(next_check)), abs=0.002)


def test_after_the_answer_no_reminder_is_sent(reminder_server, enrol, mailbox):
    mona = enrol("Done Canary")
    occasion = start_occasion(mona, now() + timedelta(seconds=4))
    wait_until(lambda: now() > read(occasion["opens_at"]), 20, "the occasion is open")
    structure = mona.call("GET", mona.own("/questionnaires/mood_vas"), status=200)
    answers = {item["linkId"]: 50 for item in structure["item"] if item["type"] in ("integer", "decimal")}
    receipt = mona.submit("mood_vas", answers, started=now(), occasion_id=occasion["occasion_id"])
    assert receipt["standing"] == "on_time", receipt

    remind(reminder_server, mailbox.url)

    assert mailbox.to(mona.email) == [] and states(reminder_server, mona) == []
    assert mona.call("GET", mona.own("/occasions"), status=200)["prompts"] == []
