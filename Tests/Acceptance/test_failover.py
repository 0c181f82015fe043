"""After the failure of one part, no acknowledged record is lost, nothing happens twice, and devices only send again."""

import contextlib

import pytest
import requests

from acceptance import lines
from acceptance.available import remind, system
from acceptance.failover import take_over
from acceptance.ledger import Ledger
from acceptance.moments import instant, new_id
from acceptance.people import Person
from acceptance.proxy import Proxy
from acceptance.server import free_port, wait_until
from acceptance.retry_after_crash import check_retry_after_crash


@pytest.fixture(scope="module")
def running(mailbox):
    with system(mailbox) as parts:
        yield parts


@contextlib.contextmanager
def load(proxy, mailbox, seed):
    people = [Person(proxy, name=f"Ledger{n} Canary").register().enrol() for n in range(3)]
    for person in people:
        mailbox.verify(person)
    ledger = Ledger(people, seed, url=proxy.plain_url).start()
    try:
        wait_until(lambda: ledger.acknowledged_count() >= 20, 60, "the load is under way")
        yield people, ledger
    finally:
        ledger.stop()


class Order:
    """A dataset that a researcher requests. It must be made in spite of failures."""

    PATH = "/v1/studies/mindful-walking/exports"

    def __init__(self, cluster, servers, proxy):
        self.cluster = cluster
        self.rosa = Person(proxy, name="Rosa Field")
        self.rosa.password = servers[1].make_researcher(self.rosa.email)
        self.rosa.log_in()

    def place(self):
        self.id = self.rosa.call("POST", self.PATH, json={"profile": "coded"}, status=202)["export_id"]

    def is_made_once(self):
        path = f"{self.PATH}/{self.id}"
        wait_until(lambda: self.rosa.call("GET", path, status=200)["state"] == "done", 90, "the dataset is made")
        # nginx alternates between the servers. Both have the dataset.
        files = [self.rosa.call("GET", path + "/file") for _ in range(4)]
        assert [file.status_code for file in files] == [200] * 4 and len({file.content for file in files}) == 1
        made = f"select count(*) from audit.entry where action = 'export_made' and detail->>'export_id' = '{self.id}'"
        return self.cluster.sql(made) == "1"


def test_after_the_failure_of_the_primary_the_system_recovers_in_seconds_without_loss(running, mailbox):
    cluster, servers, proxy = running
    order = Order(cluster, servers, proxy)
    with load(proxy, mailbox, 1) as (people, ledger):
        order.place()
        # The reminders become due while there is no primary.
        remind(people, seconds=4)
        results = take_over(cluster, ledger, cluster.kill)
        cluster.launch(results["from"])

    assert results["gap_s"] < 60, results
    assert all(server.is_alive() for server in servers), "no server needed a restart"
    ledger.retry()
    ledger.reconcile()
    # The old primary may have a diverged log. It becomes a standby anyway.
    cluster.wait_until_settled()
    ledger.reconcile()
    for person in people:
        mailbox.wait_for(person.email, seconds=60)
    assert [len(mailbox.to(person.email)) for person in people] == [1] * len(people)
    assert order.is_made_once()


def test_after_the_failure_of_a_server_devices_only_have_to_retry(running, mailbox):
    cluster, servers, proxy = running
    order = Order(cluster, servers, proxy)
    with load(proxy, mailbox, 2) as (people, ledger):
        remind(people, seconds=3)
        order.place()
        broken_off = proxy.broken_off()
        servers[0].kill()
        count = ledger.acknowledged_count()
        wait_until(lambda: ledger.acknowledged_count() > count + 20, 30, "the other server acknowledges records")
        servers[0].start()

    # nginx sends the open requests of the killed server to the other server. It cannot do that if a response had already begun.
    assert ledger.statuses.keys() <= {200, 201, None}, ledger.statuses
    broken_off = proxy.broken_off() - broken_off
    assert ledger.statuses[None] <= broken_off <= 2 * len(people), (ledger.statuses, broken_off, (proxy.directory / "error.log").read_text()[-2000:])
    ledger.retry()
    ledger.reconcile()
    for server in servers:
        assert proxy.served(f"PUT .* by .*127.0.0.1:{server.port}"), "both servers answer requests"
    for person in people:
        mailbox.wait_for(person.email, seconds=60)
    assert [len(mailbox.to(person.email)) for person in people] == [1] * len(people)
    assert order.is_made_once()


def test_a_sheet_that_only_the_primary_has_is_not_acknowledged_even_after_retries(running):
    """Both standbys are down, PostgreSQL crashes while a commit waits for them, and the sheet is sent again. An existing row is not enough."""
    cluster, servers, _ = running
    check_retry_after_crash(cluster, servers[0])


def test_nginx_forwards_a_batch_that_is_larger_than_any_single_record(running):
    """Twenty invalid lines of one megabyte and a valid one. Each gets a result."""
    _, _, proxy = running
    person = Person(proxy, name="Mona Canary").register().enrol()
    useless = [("calibration", new_id(), {"padding": "x" * (1 << 20)}) for _ in range(20)]
    calibration = {"recorded_at": instant(), "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}
    results = lines.submit(person, *useless, ("calibration", new_id(), calibration))
    assert [result["result"] for result in sorted(results, key=lambda result: result["line"])] == ["rejected"] * 20 + ["accepted"]


def test_nginx_rejects_with_problem_documents(running):
    _, _, proxy = running
    for path in ("/metrics", "/health/ready"):
        assert requests.get(proxy.url + path, timeout=20).status_code == 404
    large = requests.put(proxy.url + "/v1/enrolments/a/walks/b", data=bytes(18 << 20), timeout=60)
    assert (large.status_code, large.json()["action"]) == (413, "never_retry")

    class Nobody:
        def __init__(self):
            self.port = free_port()

    alone = Proxy([Nobody(), Nobody()])
    try:
        alone.start()
        answer = requests.get(alone.url + "/v1/studies", timeout=20)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.json()["action"], answer.json()["retry_after"]) == ("retry_later", 2)
    finally:
        alone.remove()
        proxy.trust()
