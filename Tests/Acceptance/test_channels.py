"""Messages by Web Push and webhook: encrypted, signed, sent once in spite of crashes, and never to a forbidden address."""

import concurrent.futures
import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from datetime import timedelta

import pytest
from acceptance import event_study
from acceptance.isolated_network import IsolatedNetwork, missing_requirement
from acceptance.event_study import STUDY, enrol_participant, pack, states
from acceptance.moments import instant, new_id, now, read
from acceptance.message_receiver import Device, MessageReceiver
from acceptance.people import Researcher
from acceptance.server import BINARIES, Server
from standardwebhooks import Webhook, WebhookVerificationError

NOTICES = "[{code: begun, when: {event: started}, first_after: 1h}, {code: quiet, when: inactive, first_after: 2h, repeat_every: 1d, at_most: 2}]"
NOTICE_TEXTS = '{begun: {subject: "{{study}} has begun", body: "Dear {{name}}"}, quiet: {subject: "Are you there?", body: "{{url}}"}}'
OPENING_DELAY = timedelta(seconds=2)


@pytest.fixture(scope="module")
def reminder_server(authority, receiver, tmp_path_factory):
    study = pack(tmp_path_factory.mktemp("channels"), NOTICES, NOTICE_TEXTS, reminders="[at_open, {before_due: 10m}]")
    made = Server()
    made.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1, 127.0.0.2", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        made.start()
        made.run("publish", study)
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="module")
def isolated_network(tmp_path_factory):
    if reason := missing_requirement():
        pytest.skip(reason)
    made = IsolatedNetwork(tmp_path_factory.mktemp("network"), ["9.9.9.9", "9.9.9.10", "10.0.0.1"])
    yield made
    made.close()


@pytest.fixture
def enrol(reminder_server, contract):
    """Makes participants who leave the study at the end of the test, so that their later reminders do not disturb other tests."""
    people = []

    def enrol(name="Mona Canary", **more):
        people.append(enrol_participant(reminder_server, name, contract, **more))
        return people[-1]

    yield enrol
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


@pytest.fixture(scope="module")
def study_researcher(reminder_server, contract):
    return Researcher(reminder_server, contract, study=STUDY)


def start_occasion(person):
    """Starts an occasion that opens in a moment. A test may stop the server's worker before that."""
    return event_study.start_occasion(person, now() + OPENING_DELAY)


@contextlib.contextmanager
def paused(server):
    """Stops the server's own reminder worker before the started occasion opens, so that only the test's workers run."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        time.sleep(OPENING_DELAY.total_seconds())
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def remind(server, **more):
    """Sends all waiting messages, also those of other tests. Tests look at the outcome separately."""
    environment = {name: value for name, value in (server.environment | more).items() if value is not None}
    done = subprocess.run(
        [BINARIES / "saunter", "remind", "--once", "--json"], env=environment, cwd=server.directory,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
    assert done.returncode in (0, 1), done.stderr


def attempts(server, person):
    rows = server.sql(
        "select concat_ws(' ', attempt, channel, outcome, reply_code) from research.reminder_attempt "
        f"where enrolment_id = '{person.enrolment['enrolment_id']}' order by 1")
    return rows.split("\n")[:-1]


def adherence(researcher, person):
    page = researcher.call("GET", f"/v1/studies/{STUDY}/adherence?limit=1000", status=200)
    [row] = [one for one in page["items"] if one["participant_id"] == person.enrolment["participant_id"]]
    return page, row["messages"]


def test_a_push_is_encrypted_for_the_device_and_signed_by_the_server(reminder_server, enrol, receiver):
    mona = enrol(language="de")
    device = Device(receiver)
    device.register(mona)
    occasion = start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)

    [message] = device.messages
    claims, key = device.sender(message)
    assert key == mona.call("GET", "/v1/push-key", status=200, token=False)["public_key"]
    assert now().timestamp() < claims["exp"] <= now().timestamp() + 86_400
    assert claims["sub"].startswith(("mailto:", "https://"))
    assert 0 < int(message.headers["ttl"]) <= 2 * 3600 and message.headers["urgency"] == "normal"
    assert len(message.headers["topic"]) <= 32
    note = json.loads(device.read(message))
    assert note["web_push"] == 8030
    shown, data = note["notification"], note["notification"]["data"]
    # The text on the phone does not mention the study.
    assert shown["title"] == "Es gibt etwas zu tun" and shown["lang"] == "de" and shown["navigate"] == f"{reminder_server.url}/my/{mona.enrolment['enrolment_id']}/o/{occasion['occasion_id']}"
    assert data["occasion_ids"] == [occasion["occasion_id"]]
    assert data["enrolment_id"] == mona.enrolment["enrolment_id"]
    assert read(data["closes_at"]) == read(occasion["closes_at"])
    for secret in (mona.name, mona.email, b"Moments", b"mood"):
        assert (secret if isinstance(secret, bytes) else secret.encode()) not in device.read(message)
    # The device confirms the receipt.
    known = mona.call("PUT", mona.own(f"/messages/{data['message_id']}/receipt"), json={"opened_at": instant()}, status=200)
    assert [one["kind"] for one in known["reminders"]] == ["at_open"]
    assert states(reminder_server, mona) == ["at_open 1 sent"]


def test_the_server_itself_sends_without_any_mail_server(reminder_server, enrol, receiver):
    mona = enrol("Self Canary")
    device = Device(receiver)
    device.register(mona)
    start_occasion(mona)
    receiver.wait_for(device.path)
    assert len(device.messages) == 1


def test_four_workers_send_each_push_once(reminder_server, enrol, receiver):
    people = [enrol(f"Two{number} Canary") for number in range(4)]
    devices = [Device(receiver) for _ in people]
    for person, device in zip(people, devices):
        device.register(person)
        start_occasion(person)
    with paused(reminder_server), concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: remind(reminder_server), range(4)))
    for person, device in zip(people, devices):
        assert len(device.messages) == 1
        assert states(reminder_server, person) == ["at_open 1 sent"]


@pytest.mark.parametrize("channel", ["push", "webhook"])
def test_after_the_kill_of_a_worker_that_is_sending_no_message_arrives_twice(reminder_server, enrol, receiver, study_researcher, channel):
    mona = enrol("Kill Canary")
    device = Device(receiver)
    device.register(mona, channels=(channel,))
    path = device.path if channel == "push" else f"/hook/{new_id()}"
    study_researcher.call("PUT", f"/v1/studies/{STUDY}/webhook", json={"url": receiver.url(path)}, status=(200, 201))
    receiver.unanswered.add(path)
    start_occasion(mona)
    with paused(reminder_server):
        worker = subprocess.Popen(
            [BINARIES / "saunter", "remind", "--once"], env=reminder_server.environment, cwd=reminder_server.directory,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            receiver.wait_for(path)
        finally:
            worker.kill()
            worker.wait(30)
        receiver.unanswered.discard(path)
        assert states(reminder_server, mona) == ["at_open 1 claimed"]
        enrolment = mona.enrolment["enrolment_id"]
        for age in (0, 16):
            # The next worker sends no second message, neither at once nor after the claim has expired.
            reminder_server.sql(f"update research.reminder set claimed_at = claimed_at - interval '{age} minutes' where enrolment_id = '{enrolment}'")
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda _: remind(reminder_server), range(2)))
    assert len(receiver.requests_to(path)) == 1
    assert states(reminder_server, mona) == ["at_open 1 unknown"]
    assert adherence(study_researcher, mona)[1]["uncertain"] == 1


def test_if_a_device_is_gone_the_message_goes_by_mail(reminder_server, enrol, receiver, mailbox, study_researcher):
    mona = enrol("Gone Canary")
    device = Device(receiver)
    device.register(mona, channels=("push", "mail"))
    receiver.answers[device.path] = [(410, {})]
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server, SAUNTER_SMTP_URL=mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    assert attempts(reminder_server, mona) == ["1 push gone", "2 mail sent"]
    assert mona.call("GET", "/v1/account/push-subscriptions", status=200)["items"] == []
    rows = study_researcher.pages(f"/v1/studies/{STUDY}/participants")
    [row] = [one for one in rows if one["participant_id"] == mona.enrolment["participant_id"]]
    assert [one["channel"] for one in row["unreachable"]] == ["push"]


def test_a_push_service_that_answers_retry_after_gets_no_request_until_then(reminder_server, enrol, receiver):
    mona = enrol("Wait Canary")
    device = Device(receiver)
    device.register(mona)
    receiver.answers[device.path] = [(429, {"Retry-After": "1800"})]
    start_occasion(mona)
    with paused(reminder_server):
        before = now()
        remind(reminder_server)
        remind(reminder_server)
    assert len(device.messages) == 1 and states(reminder_server, mona) == ["at_open 1 retrying"]
    enrolment = mona.enrolment["enrolment_id"]
    next_attempt = float(reminder_server.sql(
        f"select extract(epoch from next_attempt_at) from research.reminder where enrolment_id = '{enrolment}' and next_attempt_at is not null"))
    assert 1795 <= next_attempt - before.timestamp() <= 1830


def test_researchers_see_messages_that_could_not_be_delivered(reminder_server, enrol, receiver, study_researcher):
    mona = enrol("Lost Canary")
    device = Device(receiver)
    device.register(mona)
    receiver.answers[device.path] = [(413, {})]
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
    assert states(reminder_server, mona) == ["at_open 1 failed"]
    counts = adherence(study_researcher, mona)[1]
    assert counts | {"last_undelivered_at": None} == {
        "sent": 0, "confirmed": 0, "undelivered": 1, "uncertain": 0, "last_undelivered_at": None}
    assert abs(read(counts["last_undelivered_at"]) - now()) < timedelta(minutes=5)


# Forbidden addresses


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_without_a_setting_of_the_operator_the_server_does_not_call_its_own_machine(reminder_server, enrol, receiver, host):
    mona = enrol("Inside Canary")
    device = Device(receiver, host=host)
    device.register(mona)
    start_occasion(mona)
    connections = receiver.connections
    with paused(reminder_server):
        remind(reminder_server, SAUNTER_OUTWARD_ALLOW=None)
    assert receiver.connections == connections and device.messages == []
    assert attempts(reminder_server, mona) == ["1 push refused"]


def test_a_redirect_is_not_followed(reminder_server, enrol, receiver):
    mona = enrol("Away Canary")
    device = Device(receiver)
    device.register(mona)
    for status in (301, 307, 308):
        receiver.answers.setdefault(device.path, []).append((status, {"Location": receiver.url("/elsewhere")}))
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
    assert states(reminder_server, mona) == ["at_open 1 failed"]
    assert len(device.messages) == 1 and receiver.requests_to("/elsewhere") == []


def test_a_server_without_a_trusted_certificate_gets_no_message(reminder_server, enrol, receiver):
    mona = enrol("Fake Canary")
    device = Device(receiver)
    device.register(mona)
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server, SAUNTER_OUTWARD_CA=None)
    assert states(reminder_server, mona) == ["at_open 1 retrying"]
    assert device.messages == []


def test_a_server_with_a_certificate_for_another_name_gets_no_message(reminder_server, enrol, authority):
    other = MessageReceiver(authority, "127.0.0.2")
    mona = enrol("Alias Canary")
    device = Device(other)
    device.register(mona)
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
    other.stop()
    assert other.connections > 0 and device.messages == []
    assert states(reminder_server, mona) == ["at_open 1 retrying"]


def test_proxies_from_environment_variables_are_not_used(reminder_server, enrol, receiver):
    mona = enrol("Proxy Canary")
    device = Device(receiver)
    device.register(mona)
    start_occasion(mona)
    with socket.create_server(("127.0.0.1", 0)) as proxy, paused(reminder_server):
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        remind(reminder_server, https_proxy=address, HTTPS_PROXY=address, all_proxy=address, ALL_PROXY=address)
        with pytest.raises(BlockingIOError):
            proxy.accept()
    assert len(device.messages) == 1 and states(reminder_server, mona) == ["at_open 1 sent"]


def test_a_host_name_that_changes_to_a_private_address_gets_no_message(reminder_server, enrol, authority, isolated_network):
    name = "push.rebinding.example"
    public = MessageReceiver(authority, "9.9.9.9", name=name, run_in_network=isolated_network.call)
    inside = MessageReceiver(authority, "10.0.0.1", port=public.port, name=name, run_in_network=isolated_network.call)
    environment = {key: value for key, value in reminder_server.environment.items() if key != "SAUNTER_OUTWARD_ALLOW"}

    def attempts_after_reminder(count, *answers):
        """The outcome of a message for each of `count` participants. The name server returns `answers` in order for their push service."""
        people = [enrol("Rebound Canary") for _ in range(count)]
        for person in people:
            Device(public, host=name).register(person)
            start_occasion(person)
        isolated_network.host_addresses[name] = list(answers)
        with paused(reminder_server):
            done = isolated_network.run(BINARIES / "saunter", "remind", "--once", "--json", env=environment, cwd=reminder_server.directory)
            assert done.returncode in (0, 1), done.stderr
        assert isolated_network.queries, "the name was looked up in the isolated network"
        return sorted(attempt for person in people for attempt in attempts(reminder_server, person))

    assert attempts_after_reminder(1, ["9.9.9.9"]) == ["1 push sent"] and len(public.received) == 1
    assert attempts_after_reminder(1, ["10.0.0.1"]) == ["1 push refused"]
    assert attempts_after_reminder(1, ["127.0.0.1"]) == ["1 push refused"]
    # The address changes between two messages of one process …
    assert attempts_after_reminder(2, ["9.9.9.9"], ["10.0.0.1"]) == ["1 push refused", "1 push sent"] and len(public.received) == 2
    # … and within one message: no server listens at the first address, which is allowed.
    assert attempts_after_reminder(1, ["9.9.9.10", "10.0.0.1"]) == ["1 push refused"]
    assert inside.connections == 0
    public.stop()
    inside.stop()


def interim_response(connection):
    """Sends an interim response (1xx) and no final response."""
    connection.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
    connection.wfile.flush()
    connection.close_connection = True


def test_an_interim_response_does_not_count_as_delivery(reminder_server, enrol, receiver):
    mona = enrol("Hinted Canary")
    device = Device(receiver)
    device.register(mona)
    receiver.answers[device.path] = [interim_response]
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
    assert states(reminder_server, mona) == ["at_open 1 unknown"]


def endless_response(written):
    """A response without end. `written` gets the size of each piece that was written to the connection."""

    def respond(connection):
        connection.send_response(201)
        connection.send_header("Transfer-Encoding", "chunked")
        connection.end_headers()
        with contextlib.suppress(OSError):
            while True:
                connection.wfile.write(b"10000\r\n" + b"a" * 65536 + b"\r\n")
                written.append(65536)

    return respond


def test_a_response_without_end_is_cut_off(reminder_server, enrol, receiver):
    mona = enrol("Endless Canary")
    device = Device(receiver)
    device.register(mona)
    written = []
    receiver.answers[device.path] = [endless_response(written)]
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
    assert states(reminder_server, mona) == ["at_open 1 sent"]
    # Buffers contain more than the client reads.
    assert sum(written) < 64 * 1024 * 1024


def test_a_receiver_that_never_answers_does_not_delay_other_messages(reminder_server, enrol, receiver):
    mona, ben = enrol("Slow Canary"), enrol("Quick Canary")
    slow, quick = Device(receiver), Device(receiver)
    slow.register(mona)
    quick.register(ben)
    receiver.unanswered.add(slow.path)
    start_occasion(mona)
    start_occasion(ben)
    with paused(reminder_server):
        begun = time.monotonic()
        remind(reminder_server)
        assert time.monotonic() - begun < 60
    receiver.unanswered.discard(slow.path)
    assert states(reminder_server, mona) == ["at_open 1 unknown"]
    assert len(quick.messages) == 1


# Webhooks


def test_a_webhook_is_signed_and_contains_no_personal_data(reminder_server, enrol, receiver, study_researcher):
    mona = enrol("Hook Canary")
    mona.call("PATCH", mona.own(""), json={"reminder": {"channels": ["webhook"]}}, status=200)
    path = f"/hook/{new_id()}"
    made = study_researcher.call("PUT", f"/v1/studies/{STUDY}/webhook", json={"url": receiver.url(path)}, status=(200, 201))
    seen = study_researcher.call("GET", f"/v1/studies/{STUDY}/webhook", status=200)
    assert "secret" not in seen and seen["state"] == "active"
    receiver.answers[path] = [(503, {})]
    occasion = start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server)
        assert states(reminder_server, mona) == ["at_open 1 retrying"]
        enrolment = mona.enrolment["enrolment_id"]
        reminder_server.sql(f"update research.reminder set next_attempt_at = now() where enrolment_id = '{enrolment}' and next_attempt_at is not null")
        remind(reminder_server)
    assert states(reminder_server, mona) == ["at_open 1 sent"]

    first, second = receiver.requests_to(path)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    for message in (first, second):
        event = Webhook(made["secret"]).verify(message.body, dict(message.headers))
        assert event["type"] == "reminder.due" and event["data"]["participant_id"] == mona.enrolment["participant_id"]
        assert [one["occasion_id"] for one in event["data"]["occasions"]] == [occasion["occasion_id"]]
        assert message.headers["content-type"] == "application/json"
        for secret in (mona.name, mona.email):
            assert secret.encode() not in message.body
        with pytest.raises(WebhookVerificationError):
            Webhook(made["secret"]).verify(message.body + b" ", dict(message.headers))
        with pytest.raises(WebhookVerificationError):
            Webhook("whsec_" + "A" * 32).verify(message.body, dict(message.headers))


def test_a_webhook_that_is_gone_is_disabled_and_researchers_see_that(reminder_server, enrol, receiver, study_researcher, mailbox):
    mona = enrol("Hookless Canary")
    mona.call("PATCH", mona.own(""), json={"reminder": {"channels": ["webhook", "mail"]}}, status=200)
    path, address = f"/hook/{new_id()}", f"/v1/studies/{STUDY}/webhook"
    study_researcher.call("PUT", address, json={"url": receiver.url(path)}, status=(200, 201))
    receiver.answers[path] = [(410, {})]
    start_occasion(mona)
    with paused(reminder_server):
        remind(reminder_server, SAUNTER_SMTP_URL=mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    page, counts = adherence(study_researcher, mona)
    assert page["webhook"]["state"] == "disabled" and page["webhook"]["reason"] == "gone"
    assert counts["sent"] == 1 and counts["undelivered"] == 0
    assert study_researcher.call("GET", address, status=200)["disabled_reason"] == "gone"
    # A researcher who saves the webhook again enables it.
    again = study_researcher.call("PUT", address, json={"url": receiver.url(path), "secret": "whsec_" + "A" * 32}, status=200)
    assert again["state"] == "active" and again["secret"] is None
    study_researcher.call("DELETE", address, status=204)
    study_researcher.problem("GET", address, 404, "not-found")
    study_researcher.problem("DELETE", address, 404, "not-found")
    assert adherence(study_researcher, mona)[0]["webhook"] is None


# Notifications


def test_notifications_are_listed_in_advance_and_sent_once(reminder_server, enrol, mailbox):
    mona = enrol("Notice Canary", language="en")
    before = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
    assert [(one["kinds"], one["occasion_id"], one["occasion_ids"]) for one in before] == [(["notice"], None, [])] * 2
    assert [one["notices"][0]["notice"] for one in before] == ["quiet", "quiet"]
    # One hour after the event, in the participant's language.
    begun = now() - timedelta(hours=1, minutes=30)
    enrolment = mona.enrolment["enrolment_id"]
    mona.call("PUT", mona.own("/events/started"), json={"occurred_at": instant(now())}, status=201)
    page = mona.call("GET", mona.own("/occasions"), status=200)
    notices = [one for prompt in page["prompts"] for one in prompt["notices"]]
    assert notices[0] == {"notice": "begun", "subject": "Moments has begun", "body": f"Dear {mona.name}"}
    [at] = [read(prompt["at"]) for prompt in page["prompts"] if prompt["notices"][:1] == notices[:1]]
    assert abs(at - now() - timedelta(hours=1)) < timedelta(minutes=2)
    # One hour passes.
    with paused(reminder_server):
        reminder_server.sql(f"""
            update research.enrolment set enrolled_at = enrolled_at - interval '100 minutes', next_reminder_at = now()
            where enrolment_id = '{enrolment}';
            update research.enrolment_version set followed_from = followed_from - interval '100 minutes' where enrolment_id = '{enrolment}';
            update research.enrolment_event set occurred_at = '{instant(begun)}' where enrolment_id = '{enrolment}';
            update research.occasion set set_aside = 'cancelled' where enrolment_id = '{enrolment}'""")
        remind(reminder_server, SAUNTER_SMTP_URL=mailbox.url)
        reminder_server.sql(f"update research.enrolment set next_reminder_at = now() where enrolment_id = '{enrolment}'")
        remind(reminder_server, SAUNTER_SMTP_URL=mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert mail["subject"] == "Moments has begun"
    assert [one for one in states(reminder_server, mona) if one.startswith("notice")] == ["notice 1 sent"]
