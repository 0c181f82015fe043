"""What came of one fault."""

import contextlib
import dataclasses
import random
import time

import requests

from ..ledger import Ledger, Reckoning
from ..people import Person
from ..server import wait_until


@dataclasses.dataclass
class Outcome:
    reckoning: Reckoning
    # The longest time without an acknowledgement from the fault on; None where nothing was interrupted.
    recovery: float | None = None
    notes: dict = dataclasses.field(default_factory=dict)


def people(server, count=3):
    return [Person(server, name=f"Ledger {number}").register().enrol() for number in range(count)]


@contextlib.contextmanager
def load(server, seed, count=3, warm=10, lossy=False, **more):
    """Load that is under way up to a random moment; it ends with the block, and what was left open is taken then.
    `lossy`: the server may lose what it acknowledges (see `forget_commits`)."""
    who = people(server, count)
    if lossy:
        # They are on the disk: what is asked is what became of all that they handed in. What tells of a thing that was lost is refused, and rightly: none of it is sent.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, **{"threads_each": 4, "stories": not lossy} | more).start()
    try:
        ledger.wait_for(warm)
        time.sleep(random.Random(seed).uniform(0, 0.5))
        yield ledger
    finally:
        ledger.stop()


def settle(ledger, feed=None, lossy=False):
    """Once the load has ended: what was open is sent until it is taken, and all is compared.
    `lossy`: what follows from a loss is strange in its own ways. (What is lost between its commit and the reading of its receipt is not found.)"""
    ledger.retry()
    assert lossy or not ledger.strange, ledger.strange[:5]
    return ledger.reckon(feed)


def revive(server, seconds=90):
    """As a supervisor does: starts the server again when it has ended, and waits until it is ready."""
    def is_up():
        if not server.is_alive():
            server.launch()
        return answers(server)

    wait_until(is_up, seconds, f"the server is up again\n{server.tail()}")


def forget_commits(server):
    """For control runs: its PostgreSQL says that it has committed some time before it writes. Saunter's own says so only when told to."""
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
