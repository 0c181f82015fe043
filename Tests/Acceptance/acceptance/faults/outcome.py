"""The outcome of one fault, and the steps that most faults share."""

import contextlib
import dataclasses
import random
import time

import requests

from ..ledger import Ledger, Reconciliation
from ..people import Person
from ..server import wait_until


@dataclasses.dataclass
class Outcome:
    reconciliation: Reconciliation
    # The longest time without an acknowledgement after the fault, in seconds; None if the fault does not interrupt the load.
    recovery: float | None = None
    notes: dict = dataclasses.field(default_factory=dict)


def people(server, count=3):
    return [Person(server, name=f"Ledger {number}").register().enrol() for number in range(count)]


@contextlib.contextmanager
def load(server, seed, count=3, warm=10, lossy=False, **more):
    """Runs load from before a random moment until the end of the block; the ledger.

    `lossy`: the server may lose acknowledged records (see `disable_synchronous_commit`)."""
    who = people(server, count)
    if lossy:
        # The participants must be on the disk, because only losses of records count. The load contains no edits, because the server
        # rejects an edit of a lost record.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, **{"threads_each": 4, "stories": not lossy} | more).start()
    try:
        ledger.wait_for(warm)
        time.sleep(random.Random(seed).uniform(0, 0.5))
        yield ledger
    finally:
        ledger.stop()


def finish(ledger, feed=None, lossy=False):
    """After the load: sends the open uploads until they are acknowledged, and compares.

    `lossy`: unexpected answers are allowed, because losses cause them, for example 404 if a record is lost before its receipt is read."""
    ledger.retry()
    assert lossy or not ledger.unexpected, ledger.unexpected[:5]
    return ledger.compare(feed)


def revive(server, seconds=90):
    """Restarts the server if it has ended, as a supervisor does, and waits until it is ready."""
    def is_up():
        if not server.is_alive():
            server.launch()
        return answers(server)

    wait_until(is_up, seconds, f"the server is up again\n{server.tail()}")


def disable_synchronous_commit(server):
    """For control runs: makes PostgreSQL acknowledge commits before it writes them. By default the server's PostgreSQL does not."""
    server.sql("alter database saunter set synchronous_commit = off")
    server.sql("alter system set wal_writer_delay = '2s'")
    server.sql("alter system set wal_writer_flush_after = '64MB'")
    assert server.stop() == 0, server.tail()
    server.start()


def answers(server):
    try:
        return requests.get(server.url + "/health/ready", timeout=2).status_code == 200
    except requests.RequestException:
        return False
