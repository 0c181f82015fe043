"""Requests from 64 sockets at once, and more load than the server accepts."""

import concurrent.futures
import http.client
import json
import pathlib
import subprocess
import threading
import time

import pytest

from acceptance import answers, walks
from acceptance.moments import new_id
from acceptance.people import Person

SOCKETS = 64


def at_once(server, person, requests):
    """Sends each request on a separate open socket, all at the same time; (status, headers, JSON) of each."""
    barrier = threading.Barrier(len(requests))

    def send(request):
        method, path, body = request
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.connect()
        try:
            barrier.wait(60)
            connection.request(
                method, path, json.dumps(body),
                {"Authorization": f"Bearer {person.tokens['access_token']}", "Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), json.loads(response.read())
        finally:
            connection.close()

    with concurrent.futures.ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


def occasion(person, questionnaire):
    return next(o["occasion_id"] for o in person.pages(person.own("/occasions"), limit=1000) if o["questionnaire"] == questionnaire)


def test_the_same_sheet_from_64_sockets_is_stored_once_and_all_get_the_same_receipt(own):
    ada = Person(own).register().enrol()
    path, body = ada.own(f"/answer-sheets/{new_id()}"), ada.sheet("who_5", answers.WHO_5)

    replies = at_once(own, ada, [("PUT", path, body)] * SOCKETS)

    assert sorted(status for status, _, _ in replies) == [200] * (SOCKETS - 1) + [201]
    receipts = [{name: value for name, value in receipt.items() if name != "replayed"} for _, _, receipt in replies]
    assert all(receipt == receipts[0] for receipt in receipts), "all get the same receipt"
    assert own.sql(f"select count(*) from research.answer_sheet where enrolment_id = '{ada.enrolment['enrolment_id']}'").strip() == "1"
    assert own.sql(f"select count(*) from research.score where enrolment_id = '{ada.enrolment['enrolment_id']}'").strip() == "1"


@pytest.mark.parametrize("named", [True, False], ids=["that names it", "that is matched to it"])
def test_one_of_64_sheets_for_one_occasion_fulfils_it(own, named):
    ada = Person(own).register().enrol()
    more = {"occasion_id": occasion(ada, "pss_10")} if named else {}
    body = ada.sheet("pss_10", answers.PSS_10, **more)

    replies = at_once(own, ada, [("PUT", ada.own(f"/answer-sheets/{new_id()}"), body) for _ in range(SOCKETS)])

    assert sorted(status for status, _, _ in replies) == [200] * (SOCKETS - 1) + [201]
    first = next(receipt["sheet_id"] for _, _, receipt in replies if receipt["duplicate_of"] is None)
    assert [receipt["duplicate_of"] for _, _, receipt in replies if receipt["sheet_id"] != first] == [first] * (SOCKETS - 1)
    assert len(ada.pages(ada.own("/answer-sheets"))) == SOCKETS


def test_other_bytes_under_one_id_from_64_sockets_are_quarantined(own):
    ada = Person(own).register().enrol()
    path = ada.own(f"/answer-sheets/{new_id()}")
    bodies = [ada.sheet("who_5", answers.WHO_5, timings={"q1": n}) for n in range(SOCKETS)]

    replies = at_once(own, ada, [("PUT", path, body) for body in bodies])

    assert sorted(status for status, _, _ in replies) == [201] + [409] * (SOCKETS - 1)
    kept = own.sql(f"select count(*) from research.quarantine where enrolment_id = '{ada.enrolment['enrolment_id']}'").strip()
    assert kept == str(SOCKETS - 1)


def test_the_same_walk_from_64_sockets_is_stored_once(own):
    ada = Person(own).register().enrol()
    replies = at_once(own, ada, [("PUT", ada.own(f"/walks/{new_id()}"), walks.body(ada.zone))] * SOCKETS)

    assert sorted(status for status, _, _ in replies) == [200] * (SOCKETS - 1) + [201], replies[0]
    assert len(ada.pages(ada.own("/walks"))) == 1
    assert len([o for o in ada.pages(ada.own("/occasions"), limit=1000) if o["questionnaire"] == "after_walk"]) == 1


def resident_bytes(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) * 1024


def test_excess_load_is_rejected_with_503_and_memory_stays_bounded(own):
    """The database accepts no write for some seconds. The queue is limited, the other requests get 503 with Retry-After, and no acknowledged record is
    lost."""
    people = [Person(own).register().enrol() for _ in range(4)]
    before = resident_bytes(own)
    lock = subprocess.Popen(
        ["psql", "-X", "-q", own.connection()], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lock.stdin.write("begin; lock table research.answer_sheet in exclusive mode; select 'locked';\n")
    lock.stdin.flush()
    while "locked" not in lock.stdout.readline():
        pass
    acknowledged, rejected, unexpected = {}, [], []
    turn = threading.Lock()
    over = threading.Event()

    def send(number):
        person = people[number % len(people)]
        while not over.is_set():
            sheet_id = new_id()
            body = person.sheet("who_5", answers.WHO_5)
            connection = http.client.HTTPConnection("127.0.0.1", own.port, timeout=90)
            try:
                connection.request(
                    "PUT", person.own(f"/answer-sheets/{sheet_id}"), json.dumps(body) + " " * 200_000,  # large bodies
                    {"Authorization": f"Bearer {person.tokens['access_token']}", "Content-Type": "application/json"})
                response = connection.getresponse()
                text = response.read()
            finally:
                connection.close()
            with turn:
                if response.status in (200, 201):
                    acknowledged[sheet_id] = person
                elif response.status == 503 and int(response.getheader("Retry-After")) >= 1:
                    rejected.append(sheet_id)
                else:
                    unexpected.append((response.status, text[:200]))
            if response.status == 503:
                time.sleep(0.1)

    threads = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(600)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    most = before
    while time.monotonic() < deadline and len(rejected) < 300:
        most = max(most, resident_bytes(own))
        time.sleep(0.1)
    over.set()
    lock.stdin.write("rollback;\n")
    lock.stdin.close()
    lock.wait(30)
    for thread in threads:
        thread.join(90)
        assert not thread.is_alive()

    assert not unexpected, unexpected[:3]
    assert len(rejected) >= 300 and acknowledged
    assert most - before < 512 * 1024 * 1024, f"{(most - before) >> 20} MiB more"
    for person in people:
        stored = {sheet["sheet_id"] for sheet in person.pages(person.own("/answer-sheets"), limit=1000)}
        assert stored == {sheet_id for sheet_id, owner in acknowledged.items() if owner is person}
