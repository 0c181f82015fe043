"""Messages by Web Push and webhook: encrypted and signed, once whatever dies, to nobody who must not be called."""

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
from acceptance import hourly as hours
from acceptance.elsewhere import Elsewhere, needed
from acceptance.hourly import STUDY, join, pack, states
from acceptance.moments import instant, new_id, now, read
from acceptance.outside import Device, Outside
from acceptance.people import Researcher
from acceptance.server import BINARIES, Server
from standardwebhooks import Webhook, WebhookVerificationError

NOTICES = "[{code: begun, when: {event: started}, first_after: 1h}, {code: quiet, when: inactive, first_after: 2h, repeat_every: 1d, at_most: 2}]"
WORDS = '{begun: {subject: "{{study}} has begun", body: "Dear {{name}}"}, quiet: {subject: "Are you there?", body: "{{url}}"}}'
AHEAD = timedelta(seconds=2)


@pytest.fixture(scope="module")
def hourly(authority, outside, tmp_path_factory):
    study = pack(tmp_path_factory.mktemp("channels"), NOTICES, WORDS, reminders="[at_open, {before_due: 10m}]")
    made = Server()
    made.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1, 127.0.0.2", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        made.start()
        made.run("publish", study)
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    if why := needed():
        pytest.skip(why)
    made = Elsewhere(tmp_path_factory.mktemp("elsewhere"), ["9.9.9.9", "9.9.9.10", "10.0.0.1"])
    yield made
    made.close()


@pytest.fixture
def joined(hourly, contract):
    """Makes people who leave in the end: what they would be reminded of later is no other test's."""
    people = []

    def joined(name="Mona Canary", **more):
        people.append(join(hourly, name, contract, **more))
        return people[-1]

    yield joined
    for person in people:
        person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)


@pytest.fixture(scope="module")
def rosa(hourly, contract):
    return Researcher(hourly, contract, study=STUDY)


def start(person):
    """What opens in a moment: by then the server stands still, where a test wants it to."""
    return hours.start(person, now() + AHEAD)


@contextlib.contextmanager
def asleep(server):
    """The server's own reminding stands still before what was started opens, so that what a test starts is alone."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        time.sleep(AHEAD.total_seconds())
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def remind(server, **more):
    """What waits goes out, of whoever else too; how it ended is looked at by whoever asks."""
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


def adherence(rosa, person):
    page = rosa.call("GET", f"/v1/studies/{STUDY}/adherence?limit=1000", status=200)
    [row] = [one for one in page["items"] if one["participant_id"] == person.enrolment["participant_id"]]
    return page, row["messages"]


def test_a_push_is_encrypted_for_the_device_and_signed_by_the_server(hourly, joined, outside):
    mona = joined(language="de")
    device = Device(outside)
    device.register(mona)
    occasion = start(mona)
    with asleep(hourly):
        remind(hourly)

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
    # Whoever looks at the phone learns nothing of the study.
    assert shown["title"] == "Es gibt etwas zu tun" and shown["lang"] == "de" and shown["navigate"] == hourly.url
    assert data["occasion_ids"] == [occasion["occasion_id"]]
    assert data["enrolment_id"] == mona.enrolment["enrolment_id"]
    assert read(data["closes_at"]) == read(occasion["closes_at"])
    for secret in (mona.name, mona.email, b"Moments", b"mood"):
        assert (secret if isinstance(secret, bytes) else secret.encode()) not in device.read(message)
    # The device says that it has arrived.
    known = mona.call("PUT", mona.own(f"/messages/{data['message_id']}/receipt"), json={"opened_at": instant()}, status=200)
    assert [one["kind"] for one in known["reminders"]] == ["at_open"]
    assert states(hourly, mona) == ["at_open 1 sent"]


def test_the_server_itself_sends_without_any_mail_server(hourly, joined, outside):
    mona = joined("Self Canary")
    device = Device(outside)
    device.register(mona)
    start(mona)
    outside.wait_for(device.path)
    assert len(device.messages) == 1


def test_devices_are_listed_without_what_opens_a_way_to_them(joined, outside):
    mona, other = joined("List Canary"), joined("Other Canary")
    device = Device(outside)
    device.register(mona, channels=None)
    device.register(mona, channels=None, status=200)
    page = mona.call("GET", "/v1/account/push-subscriptions", status=200)
    assert [(one["subscription_id"], one["service"]) for one in page["items"]] == [(device.id, outside.url(""))]
    assert device.path not in json.dumps(page) and device.subscription["keys"]["auth"] not in json.dumps(page)
    path = f"/v1/account/push-subscriptions/{device.id}"
    other.problem("DELETE", path, 404, "not-found")
    # The phone changes hands: from now on it shows the other's messages alone.
    device.register(other, channels=None)
    assert mona.call("GET", "/v1/account/push-subscriptions", status=200)["items"] == []
    other.call("DELETE", path, status=204)
    other.problem("DELETE", path, 404, "not-found")
    for _ in range(10):
        Device(outside).register(mona, channels=None)
    more = Device(outside)
    mona.problem("PUT", f"/v1/account/push-subscriptions/{more.id}", 403, "not-permitted", json=more.subscription)


@pytest.mark.parametrize(("change", "pointer"), [
    ({"endpoint": "http://push.example.net/a"}, "/endpoint"), ({"endpoint": "https://10.0.0.1/"}, "/endpoint"),
    ({"endpoint": "https://[::1]/"}, "/endpoint"), ({"endpoint": "https://[::ffff:169.254.169.254]/"}, "/endpoint"),
    ({"endpoint": "https://a@push.example.net/"}, "/endpoint"), ({"endpoint": "https://push.example.net/" + "a" * 3000}, "/endpoint"),
    ({"p256dh": "BA" + "A" * 85}, "/keys/p256dh"), ({"p256dh": "A" * 87}, "/keys/p256dh"), ({"auth": "A" * 24}, "/keys/auth"),
])
def test_what_cannot_be_sent_to_is_refused(joined, outside, change, pointer):
    mona = joined("Bad Canary")
    device = Device(outside)
    body = device.subscription
    (name, value), = change.items()
    (body if name == "endpoint" else body["keys"])[name] = value
    refused = mona.problem("PUT", f"/v1/account/push-subscriptions/{device.id}", 422, "body-invalid", json=body)
    assert [error["pointer"] for error in refused["errors"]] == [pointer]


def test_channels_are_wished_for_each_once(joined):
    mona = joined("Wish Canary")
    assert mona.enrolment["reminder"]["channels"] == ["mail"]
    wish = {"reminder": {"channels": ["push", "mail"]}}
    assert mona.call("PATCH", mona.own(""), json=wish, status=200)["reminder"]["channels"] == ["push", "mail"]
    for wrong in ([], ["push", "push"], ["pigeon"], ["push", "mail", "webhook", "mail"]):
        mona.problem("PATCH", mona.own(""), 422, "body-invalid", json={"reminder": {"channels": wrong}})


def test_four_workers_send_each_push_once(hourly, joined, outside):
    people = [joined(f"Two{number} Canary") for number in range(4)]
    devices = [Device(outside) for _ in people]
    for person, device in zip(people, devices):
        device.register(person)
        start(person)
    with asleep(hourly), concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: remind(hourly), range(4)))
    for person, device in zip(people, devices):
        assert len(device.messages) == 1
        assert states(hourly, person) == ["at_open 1 sent"]


@pytest.mark.parametrize("channel", ["push", "webhook"])
def test_a_worker_killed_in_the_middle_of_sending_leaves_no_second_copy(hourly, joined, outside, rosa, channel):
    mona = joined("Kill Canary")
    device = Device(outside)
    device.register(mona, channels=(channel,))
    path = device.path if channel == "push" else f"/hook/{new_id()}"
    rosa.call("PUT", f"/v1/studies/{STUDY}/webhook", json={"url": outside.url(path)}, status=(200, 201))
    outside.held.add(path)
    start(mona)
    with asleep(hourly):
        worker = subprocess.Popen(
            [BINARIES / "saunter", "remind", "--once"], env=hourly.environment, cwd=hourly.directory,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            outside.wait_for(path)
        finally:
            worker.kill()
            worker.wait(30)
        outside.held.discard(path)
        assert states(hourly, mona) == ["at_open 1 claimed"]
        enrolment = mona.enrolment["enrolment_id"]
        for age in (0, 16):
            # Whoever comes next, at once or after the claim is given up, sends no second one.
            hourly.sql(f"update research.reminder set claimed_at = claimed_at - interval '{age} minutes' where enrolment_id = '{enrolment}'")
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda _: remind(hourly), range(2)))
    assert len(outside.at(path)) == 1
    assert states(hourly, mona) == ["at_open 1 unknown"]
    assert adherence(rosa, mona)[1]["uncertain"] == 1


def test_a_device_that_is_gone_makes_way_for_mail(hourly, joined, outside, mailbox, rosa):
    mona = joined("Gone Canary")
    device = Device(outside)
    device.register(mona, channels=("push", "mail"))
    outside.answers[device.path] = [(410, {})]
    start(mona)
    with asleep(hourly):
        remind(hourly, SAUNTER_SMTP_URL=mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    assert attempts(hourly, mona) == ["1 push gone", "2 mail sent"]
    assert mona.call("GET", "/v1/account/push-subscriptions", status=200)["items"] == []
    rows = rosa.pages(f"/v1/studies/{STUDY}/participants")
    [row] = [one for one in rows if one["participant_id"] == mona.enrolment["participant_id"]]
    assert [one["channel"] for one in row["unreachable"]] == ["push"]


def test_a_service_that_asks_to_wait_is_left_alone_until_then(hourly, joined, outside):
    mona = joined("Wait Canary")
    device = Device(outside)
    device.register(mona)
    outside.answers[device.path] = [(429, {"Retry-After": "1800"})]
    start(mona)
    with asleep(hourly):
        before = now()
        remind(hourly)
        remind(hourly)
    assert len(device.messages) == 1 and states(hourly, mona) == ["at_open 1 retrying"]
    enrolment = mona.enrolment["enrolment_id"]
    waits = float(hourly.sql(
        f"select extract(epoch from next_attempt_at) from research.reminder where enrolment_id = '{enrolment}' and next_attempt_at is not null"))
    assert 1795 <= waits - before.timestamp() <= 1830


def test_messages_that_reach_nobody_are_shown_to_researchers(hourly, joined, outside, rosa):
    mona = joined("Lost Canary")
    device = Device(outside)
    device.register(mona)
    outside.answers[device.path] = [(413, {})]
    start(mona)
    with asleep(hourly):
        remind(hourly)
    assert states(hourly, mona) == ["at_open 1 failed"]
    counts = adherence(rosa, mona)[1]
    assert counts | {"last_undelivered_at": None} == {
        "sent": 0, "confirmed": 0, "undelivered": 1, "uncertain": 0, "last_undelivered_at": None}
    assert abs(read(counts["last_undelivered_at"]) - now()) < timedelta(minutes=5)


# Who is not called


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_without_the_operators_word_this_machine_is_not_called(hourly, joined, outside, host):
    mona = joined("Inside Canary")
    device = Device(outside, host=host)
    device.register(mona)
    start(mona)
    connections = outside.connections
    with asleep(hourly):
        remind(hourly, SAUNTER_OUTWARD_ALLOW=None)
    assert outside.connections == connections and device.messages == []
    assert attempts(hourly, mona) == ["1 push refused"]


def test_a_redirect_is_not_followed(hourly, joined, outside):
    mona = joined("Away Canary")
    device = Device(outside)
    device.register(mona)
    for status in (301, 307, 308):
        outside.answers.setdefault(device.path, []).append((status, {"Location": outside.url("/elsewhere")}))
    start(mona)
    with asleep(hourly):
        remind(hourly)
    assert states(hourly, mona) == ["at_open 1 failed"]
    assert len(device.messages) == 1 and outside.at("/elsewhere") == []


def test_a_server_that_cannot_prove_who_it_is_learns_nothing(hourly, joined, outside):
    mona = joined("Fake Canary")
    device = Device(outside)
    device.register(mona)
    start(mona)
    with asleep(hourly):
        remind(hourly, SAUNTER_OUTWARD_CA=None)
    assert states(hourly, mona) == ["at_open 1 retrying"]
    assert device.messages == []


def test_a_certificate_of_another_name_proves_nothing(hourly, joined, authority):
    other = Outside(authority, "127.0.0.2")
    mona = joined("Alias Canary")
    device = Device(other)
    device.register(mona)
    start(mona)
    with asleep(hourly):
        remind(hourly)
    other.stop()
    assert other.connections > 0 and device.messages == []
    assert states(hourly, mona) == ["at_open 1 retrying"]


def test_no_proxy_of_the_environment_learns_what_is_sent(hourly, joined, outside):
    mona = joined("Proxy Canary")
    device = Device(outside)
    device.register(mona)
    start(mona)
    with socket.create_server(("127.0.0.1", 0)) as proxy, asleep(hourly):
        proxy.setblocking(False)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        remind(hourly, https_proxy=address, HTTPS_PROXY=address, all_proxy=address, ALL_PROXY=address)
        with pytest.raises(BlockingIOError):
            proxy.accept()
    assert len(device.messages) == 1 and states(hourly, mona) == ["at_open 1 sent"]


def test_a_name_that_changes_its_address_gains_nothing(hourly, joined, authority, elsewhere):
    name = "push.rebinding.example"
    public = Outside(authority, "9.9.9.9", name=name, within=elsewhere.do)
    inside = Outside(authority, "10.0.0.1", port=public.port, name=name, within=elsewhere.do)
    known = {key: value for key, value in hourly.environment.items() if key != "SAUNTER_OUTWARD_ALLOW"}

    def reminded(count, *answers):
        """How a message ends for each of so many people, their push service having these addresses, one answer after the other."""
        people = [joined("Rebound Canary") for _ in range(count)]
        for person in people:
            Device(public, host=name).register(person)
            start(person)
        elsewhere.names[name] = list(answers)
        with asleep(hourly):
            done = elsewhere.run(BINARIES / "saunter", "remind", "--once", "--json", env=known, cwd=hourly.directory)
            assert done.returncode in (0, 1), done.stderr
        assert elsewhere.asked, "the name was looked up in there"
        return sorted(attempt for person in people for attempt in attempts(hourly, person))

    assert reminded(1, ["9.9.9.9"]) == ["1 push sent"] and len(public.received) == 1
    assert reminded(1, ["10.0.0.1"]) == ["1 push refused"]
    assert reminded(1, ["127.0.0.1"]) == ["1 push refused"]
    # Between two messages of one process …
    assert reminded(2, ["9.9.9.9"], ["10.0.0.1"]) == ["1 push refused", "1 push sent"] and len(public.received) == 2
    # … and within one: nobody listens at the first address, which may be called.
    assert reminded(1, ["9.9.9.10", "10.0.0.1"]) == ["1 push refused"]
    assert inside.connections == 0
    public.stop()
    inside.stop()


def interim(talk):
    """A promise of a reply, and no reply."""
    talk.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
    talk.wfile.flush()
    talk.close_connection = True


def test_an_interim_reply_is_no_answer(hourly, joined, outside):
    mona = joined("Hinted Canary")
    device = Device(outside)
    device.register(mona)
    outside.answers[device.path] = [interim]
    start(mona)
    with asleep(hourly):
        remind(hourly)
    assert states(hourly, mona) == ["at_open 1 unknown"]


def endless(taken):
    """A reply that never ends; `taken` gets a number for each piece that somebody took."""

    def talk(talk):
        talk.send_response(201)
        talk.send_header("Transfer-Encoding", "chunked")
        talk.end_headers()
        with contextlib.suppress(OSError):
            while True:
                talk.wfile.write(b"10000\r\n" + b"a" * 65536 + b"\r\n")
                taken.append(65536)

    return talk


def test_a_reply_without_end_is_cut_off(hourly, joined, outside):
    mona = joined("Endless Canary")
    device = Device(outside)
    device.register(mona)
    taken = []
    outside.answers[device.path] = [endless(taken)]
    start(mona)
    with asleep(hourly):
        remind(hourly)
    assert states(hourly, mona) == ["at_open 1 sent"]
    # More lies in between than is read.
    assert sum(taken) < 64 * 1024 * 1024


def test_a_receiver_that_never_answers_holds_nobody_up_for_long(hourly, joined, outside):
    mona, ben = joined("Slow Canary"), joined("Quick Canary")
    slow, quick = Device(outside), Device(outside)
    slow.register(mona)
    quick.register(ben)
    outside.held.add(slow.path)
    start(mona)
    start(ben)
    with asleep(hourly):
        begun = time.monotonic()
        remind(hourly)
        assert time.monotonic() - begun < 60
    outside.held.discard(slow.path)
    assert states(hourly, mona) == ["at_open 1 unknown"]
    assert len(quick.messages) == 1


# Webhooks


def test_a_webhook_is_signed_and_knows_nobody_by_name(hourly, joined, outside, rosa):
    mona = joined("Hook Canary")
    mona.call("PATCH", mona.own(""), json={"reminder": {"channels": ["webhook"]}}, status=200)
    path = f"/hook/{new_id()}"
    made = rosa.call("PUT", f"/v1/studies/{STUDY}/webhook", json={"url": outside.url(path)}, status=(200, 201))
    seen = rosa.call("GET", f"/v1/studies/{STUDY}/webhook", status=200)
    assert "secret" not in seen and seen["state"] == "active"
    outside.answers[path] = [(503, {})]
    occasion = start(mona)
    with asleep(hourly):
        remind(hourly)
        assert states(hourly, mona) == ["at_open 1 retrying"]
        enrolment = mona.enrolment["enrolment_id"]
        hourly.sql(f"update research.reminder set next_attempt_at = now() where enrolment_id = '{enrolment}' and next_attempt_at is not null")
        remind(hourly)
    assert states(hourly, mona) == ["at_open 1 sent"]

    first, second = outside.at(path)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    for message in (first, second):
        told = Webhook(made["secret"]).verify(message.body, dict(message.headers))
        assert told["type"] == "reminder.due" and told["data"]["participant_id"] == mona.enrolment["participant_id"]
        assert [one["occasion_id"] for one in told["data"]["occasions"]] == [occasion["occasion_id"]]
        assert message.headers["content-type"] == "application/json"
        for secret in (mona.name, mona.email):
            assert secret.encode() not in message.body
        with pytest.raises(WebhookVerificationError):
            Webhook(made["secret"]).verify(message.body + b" ", dict(message.headers))
        with pytest.raises(WebhookVerificationError):
            Webhook("whsec_" + "A" * 32).verify(message.body, dict(message.headers))


def test_a_webhook_that_is_gone_is_disabled_and_that_is_seen(hourly, joined, outside, rosa, mailbox):
    mona = joined("Hookless Canary")
    mona.call("PATCH", mona.own(""), json={"reminder": {"channels": ["webhook", "mail"]}}, status=200)
    path, address = f"/hook/{new_id()}", f"/v1/studies/{STUDY}/webhook"
    rosa.call("PUT", address, json={"url": outside.url(path)}, status=(200, 201))
    outside.answers[path] = [(410, {})]
    start(mona)
    with asleep(hourly):
        remind(hourly, SAUNTER_SMTP_URL=mailbox.url)
    assert len(mailbox.wait_for(mona.email)) == 1
    page, counts = adherence(rosa, mona)
    assert page["webhook"]["state"] == "disabled" and page["webhook"]["reason"] == "gone"
    assert counts["sent"] == 1 and counts["undelivered"] == 0
    assert rosa.call("GET", address, status=200)["disabled_reason"] == "gone"
    # Whoever sets it anew says that it works again.
    again = rosa.call("PUT", address, json={"url": outside.url(path), "secret": "whsec_" + "A" * 32}, status=200)
    assert again["state"] == "active" and again["secret"] is None
    rosa.call("DELETE", address, status=204)
    rosa.problem("GET", address, 404, "not-found")
    rosa.problem("DELETE", address, 404, "not-found")
    assert adherence(rosa, mona)[0]["webhook"] is None


@pytest.mark.parametrize(("body", "pointer"), [
    ({"url": "http://example.net/hook"}, "/url"), ({"url": "https://169.254.169.254/latest/meta-data"}, "/url"),
    ({"url": "https://[fd00:ec2::254]/"}, "/url"), ({"url": "https://u:p@example.net/"}, "/url"),
    ({"url": "https://example.net/", "secret": "whsec_" + "%" * 40}, "/secret"),
])
def test_a_webhook_that_cannot_be_called_is_refused(rosa, body, pointer):
    refused = rosa.problem("PUT", f"/v1/studies/{STUDY}/webhook", 422, "body-invalid", json=body)
    assert [error["pointer"] for error in refused["errors"]] == [pointer]


# Notices


def test_notices_stand_in_the_list_ahead_and_come_once(hourly, joined, mailbox):
    mona = joined("Notice Canary", language="en")
    before = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
    assert [(one["kinds"], one["occasion_id"], one["occasion_ids"]) for one in before] == [(["notice"], None, [])] * 2
    assert [one["notices"][0]["notice"] for one in before] == ["quiet", "quiet"]
    # An hour since it began, in the participant's own words.
    begun = now() - timedelta(hours=1, minutes=30)
    enrolment = mona.enrolment["enrolment_id"]
    mona.call("PUT", mona.own("/events/started"), json={"occurred_at": instant(now())}, status=201)
    page = mona.call("GET", mona.own("/occasions"), status=200)
    notices = [one for prompt in page["prompts"] for one in prompt["notices"]]
    assert notices[0] == {"notice": "begun", "subject": "Moments has begun", "body": f"Dear {mona.name}"}
    [at] = [read(prompt["at"]) for prompt in page["prompts"] if prompt["notices"][:1] == notices[:1]]
    assert abs(at - now() - timedelta(hours=1)) < timedelta(minutes=2)
    # The hour passes.
    with asleep(hourly):
        hourly.sql(f"""
            update research.enrolment set enrolled_at = enrolled_at - interval '100 minutes', next_reminder_at = now()
            where enrolment_id = '{enrolment}';
            update research.enrolment_version set followed_from = followed_from - interval '100 minutes' where enrolment_id = '{enrolment}';
            update research.enrolment_event set occurred_at = '{instant(begun)}' where enrolment_id = '{enrolment}';
            update research.occasion set set_aside = 'cancelled' where enrolment_id = '{enrolment}'""")
        remind(hourly, SAUNTER_SMTP_URL=mailbox.url)
        hourly.sql(f"update research.enrolment set next_reminder_at = now() where enrolment_id = '{enrolment}'")
        remind(hourly, SAUNTER_SMTP_URL=mailbox.url)
    [mail] = mailbox.wait_for(mona.email)
    assert mail["subject"] == "Moments has begun"
    assert [one for one in states(hourly, mona) if one.startswith("notice")] == ["notice 1 sent"]
