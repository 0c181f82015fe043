"""What was acknowledged is there, once, whatever dies in the middle."""

import random
import time

import pytest
import requests

from acceptance.ledger import Ledger
from acceptance.people import Person
from acceptance.server import Server, wait_until

ROUNDS = 3
PEOPLE = 3


@pytest.fixture(scope="module")
def fragile():
    """A server of its own, which may be killed."""
    server = Server()
    try:
        server.start()
        server.publish()
        yield server
    finally:
        server.remove()


def begin(server, seed):
    """Load, up to a random moment in the middle of it."""
    people = [Person(server, name=f"Ledger {n}").register().enrol() for n in range(PEOPLE)]
    ledger = Ledger(people, seed).start()
    wait_until(lambda: ledger.acknowledged_count() >= 10, 60, "the load is under way")
    time.sleep(random.Random(seed).uniform(0, 1.5))
    return ledger


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_kill_9_of_the_server_loses_and_doubles_nothing(fragile, seed):
    ledger = begin(fragile, seed)

    fragile.kill()
    ledger.stop()
    fragile.start()

    assert ledger.retry() > 0, "something was under way"
    ledger.reconcile()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_kill_9_of_postgresql_loses_and_doubles_nothing(fragile, seed):
    ledger = begin(fragile, 100 + seed)

    fragile.kill_postmaster()
    wait_until(lambda: is_unready(fragile) or fragile.postmaster(), 30, "the server notices")
    ledger.stop()
    if fragile.is_alive():
        # It comes back by itself, or says why not and ends; a supervisor would start it again then.
        try:
            fragile.wait_until_ready(30)
        except AssertionError:
            fragile.stop()
    if not fragile.is_alive():
        fragile.start()

    ledger.retry()
    ledger.reconcile()


def is_unready(server):
    try:
        return requests.get(server.url + "/health/ready", timeout=10).status_code == 503
    except requests.RequestException:
        return True


def test_an_orderly_stop_under_load_finishes_what_was_accepted(fragile):
    ledger = begin(fragile, 200)

    status = fragile.stop()
    ledger.stop()
    assert status == 0, fragile.tail()
    assert fragile.postmaster() is None, "its PostgreSQL stops with it"
    fragile.start()

    ledger.retry()
    ledger.reconcile()


def test_a_second_server_on_the_same_data_directory_is_refused_in_one_line(fragile):
    second = Server(directory=fragile.directory)
    second.launch()
    assert second.process.wait(60) == 1
    lines = [line for line in second.tail().splitlines() if line.startswith("saunter: ")]
    assert len(lines) == 1, second.tail()
    assert requests.get(fragile.url + "/health/ready", timeout=10).status_code == 200
