"""Two servers with one database, like behind a load balancer."""

import concurrent.futures
import contextlib
import secrets
import time

import pytest

from acceptance import answers, walks
from acceptance.database_proxy import CommitLosingProxy
from acceptance.mailbox import text
from acceptance.moments import after, local, new_id, now
from acceptance.people import STUDY, Person
from acceptance.server import Server, wait_until


@pytest.fixture(scope="module")
def pair(server, mailbox, tmp_path_factory):
    """Two servers that start at the same time on an empty database, with one public URL and one key."""
    directory = tmp_path_factory.mktemp("pair")
    key = directory / "master.key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    name = "pair_" + secrets.token_hex(4)
    server.sql(f"create database {name}")
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: server.sql(f"drop database {name} with (force)"))
        servers = []
        for number in (1, 2):
            (directory / str(number)).mkdir()
            made = Server(
                directory / str(number), smtp_url=mailbox.url, database_url=server.connection(name), master_key=key,
                public_url="https://study.example.org")
            stack.callback(made.remove)
            servers.append(made.launch())
        for made in servers:
            made.wait_until_ready()
        servers[0].publish()
        servers[1].publish()
        yield servers


def on(server, person):
    """The same person at another server."""
    twin = Person(server, name=person.name, zone=person.zone)
    twin.email, twin.password, twin.tokens, twin.enrolment = person.email, person.password, person.tokens, person.enrolment
    return twin


def at_once(*calls):
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_both_migrate_an_empty_database_and_accept_tokens_of_each_other(pair):
    one, two = pair
    ada = Person(one).register()
    assert on(two, ada).call("GET", "/v1/account", status=200)["email"] == ada.email
    assert on(two, ada).enrol(201).enrolment["enrolment_id"] == ada.enrol(200).enrolment["enrolment_id"]
    # A logout at one server ends the access token at the other within seconds, and the refresh token at once.
    assert ada.call("DELETE", "/v1/tokens").status_code == 204
    assert on(two, ada).refresh().status_code == 401
    wait_until(lambda: on(two, ada).call("GET", "/v1/account").status_code == 401, 15, "the token is invalid at the other server")


def test_two_concurrent_enrolments_make_one(pair):
    ada = Person(pair[0]).register()
    consent = {"version": ada.call("GET", f"/v1/studies/{STUDY}", status=200)["consent"]["version"], "accepted": True}
    body = {"consent": consent, "time_zone": ada.zone}
    for server in pair:
        on(server, ada).call("GET", f"/v1/studies/{STUDY}", status=200)
    responses = at_once(*[lambda server=server: on(server, ada).call("POST", f"/v1/studies/{STUDY}/enrolments", json=body) for server in pair * 3])
    assert sorted(response.status_code for response in responses) == [200] * 5 + [201], [response.text for response in responses]
    assert len({response.json()["enrolment_id"] for response in responses}) == 1


def test_the_same_sheet_at_both_servers_at_once_is_stored_once(pair):
    one, two = pair
    ada = Person(one).register().enrol()
    twins = [on(server, ada) for server in (one, two, one, two, one, two)]
    for _ in range(5):
        path, sheet = ada.own(f"/answer-sheets/{new_id()}"), ada.sheet("daily_evening", answers.DAILY)
        responses = at_once(*[lambda twin=twin: twin.call("PUT", path, json=sheet) for twin in twins])
        assert {response.status_code for response in responses} <= {200, 201}
        assert sorted(response.json()["replayed"] for response in responses) == [False] + [True] * 5
        receipts = [{name: value for name, value in response.json().items() if name != "replayed"} for response in responses]
        assert all(receipt == receipts[0] for receipt in receipts), "all get the same receipt"
    stored = ada.pages(ada.own("/answer-sheets"))
    assert len(stored) == 5 and sum(sheet["duplicate_of"] is None for sheet in stored) == 1

    # Other bytes under one id: exactly one request wins, and the other one gets a conflict.
    path = ada.own(f"/answer-sheets/{new_id()}")
    sheets = [ada.sheet("who_5", answers.WHO_5 | {"q1": n}) for n in range(2)]
    responses = at_once(*[lambda twin=twin, sheet=sheet: twin.call("PUT", path, json=sheet) for twin, sheet in zip(twins, sheets)])
    assert sorted(response.status_code for response in responses) == [201, 409]
    won = next(sheet for sheet, response in zip(sheets, responses) if response.status_code == 201)
    assert ada.call("GET", path, status=200)["answers"] == won["answers"]

    # Two devices with a sheet each for one occasion: one sheet fulfils it.
    sheets = [ada.sheet("pss_10", answers.PSS_10) for _ in twins]
    responses = at_once(*[
        lambda twin=twin, sheet=sheet: twin.call("PUT", ada.own(f"/answer-sheets/{new_id()}"), json=sheet) for twin, sheet in zip(twins, sheets)])
    assert sorted(response.status_code for response in responses) == [200] * (len(twins) - 1) + [201]
    assert sum(response.json()["duplicate_of"] is None for response in responses) == 1


def test_the_same_walk_at_both_servers_at_once_is_stored_once(pair):
    ada = Person(pair[0]).register().enrol()
    path, body = ada.own(f"/walks/{new_id()}"), walks.body(ada.zone)
    responses = at_once(*[lambda server=server: on(server, ada).call("PUT", path, json=body) for server in pair * 2])
    assert sorted(response.status_code for response in responses) == [200, 200, 200, 201], [response.text for response in responses]
    assert len(ada.pages(ada.own("/walks"))) == 1
    assert len([o for o in ada.pages(ada.own("/occasions"), limit=1000) if o["questionnaire"] == "after_walk"]) == 1


def test_two_concurrent_workers_send_one_mail(pair, mailbox):
    one, two = pair
    people = [Person(one, name=f"Dora{n} Canary").register().enrol() for n in range(4)]
    for person in people:
        mailbox.verify(person)
    at = after(seconds=6).replace(microsecond=0)
    for person in people:
        clock = local(person.zone, at).strftime("%H:%M:%S")
        person.call("PATCH", person.own(""), json={"reminder": {"time": clock}}, status=200)
    time.sleep(max(0, (at - now()).total_seconds() + 0.2))

    at_once(*[lambda server=server: server.run("remind", "--once") for server in (one, two, one)])

    for person in people:
        mailbox.wait_for(person.email, seconds=30)
    one.run("remind", "--once")
    assert [len(mailbox.to(person.email)) for person in people] == [1] * 4
    assert "https://study.example.org" in text(mailbox.to(people[0].email)[0]), "the link is the public one"


@contextlib.contextmanager
def broken_line(server, mailbox, directory, **line):
    """A proxy that loses answers to commits, a server that uses the database through it, and a normal server that sends no reminders. Both have one
    key."""
    key = directory / "master.key"
    key.write_text(secrets.token_hex(32))
    key.chmod(0o600)
    name = "line_" + secrets.token_hex(4)
    server.sql(f"create database {name}")
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: server.sql(f"drop database {name} with (force)"))
        line = stack.enter_context(CommitLosingProxy(f"{server.directory}/postgres/.s.PGSQL.5432", count=1, **line))
        made = {}
        for kind, database in (("steady", server.connection(name)), ("broken", line.connection(name))):
            (directory / kind).mkdir()
            made[kind] = Server(directory / kind, smtp_url=mailbox.url, database_url=database, master_key=key)
            stack.callback(made[kind].remove)
        # Only the commands of a test send reminders.
        made["steady"].environment.pop("SAUNTER_SMTP_URL")
        made["steady"].start().publish()
        yield line, made["steady"], made["broken"], lambda text: server.sql(text, name)


def due_now(server, count):
    """Participants whose reminder time has just been reached."""
    people = [Person(server, name=f"Lina{n} Canary").register().enrol().verify_in_database() for n in range(count)]
    for person in people:
        # Each reminder time is computed from the present, because a time in the past would mean tomorrow.
        at = after(seconds=3).replace(microsecond=0)
        person.call("PATCH", person.own(""), json={"reminder": {"time": local(person.zone, at).strftime("%H:%M:%S")}}, status=200)
    time.sleep(max(0, (at - now()).total_seconds() + 0.2))
    return people


def test_after_a_lost_answer_to_the_commit_of_a_claim_the_mail_is_sent_once(server, mailbox, tmp_path):
    with broken_line(server, mailbox, tmp_path) as (line, steady, broken, _):
        people = due_now(steady, 3)
        broken.run("remind", "--once")
        assert line.lost == 1
        assert [len(mailbox.to(person.email)) for person in people] == [1] * 3


def test_after_a_lost_answer_to_the_commit_of_a_retry_the_mail_is_sent_once(server, mailbox, tmp_path):
    with broken_line(server, mailbox, tmp_path, verb=b"UPDATE") as (line, steady, broken, sql):
        [ada] = due_now(steady, 1)
        # Otherwise this server would claim the message, and postpone it because it has no mail server.
        steady.stop()
        steady.run("remind", "--once", status=1, SAUNTER_SMTP_URL="smtp://127.0.0.1:1")
        assert sql("select state from research.reminder").split() == ["retrying"]
        broken.run("remind", "--once")
        assert line.lost == 0 and mailbox.to(ada.email) == [], "the retry is not due yet"
        sql("update research.reminder set next_attempt_at = now() - interval '1 second'")
        broken.run("remind", "--once")
        assert line.lost == 1
        assert len(mailbox.to(ada.email)) == 1 and sql("select state from research.reminder").split() == ["sent"]
        steady.run("remind", "--once", SAUNTER_SMTP_URL=str(mailbox.url))
        assert len(mailbox.to(ada.email)) == 1
