"""The power fails under load: what was acknowledged before is on the disk."""

import contextlib
import random
import time

from .. import answers
from ..ledger import Ledger
from ..server import Server
from . import disks
from .outcome import Outcome, forget_commits, people


@contextlib.contextmanager
def rig(lossy=False):
    """A server whose data lie on a disk that can be cut off, and its load, which goes on through all cuts.

    `lossy`: its PostgreSQL answers before it has written, as no Saunter does by itself."""
    with disks.mounts() as mounts:
        disk = disks.CuttableDisk(mounts)
        server = Server(disk.place / "data")
        server.directory.mkdir()
        try:
            server.start()
            server.publish(lenient=True)
            if lossy:
                forget_commits(server)
            yield disk, server, lossy
        finally:
            server.remove()


def once(rig, seed):
    """One cut, and the server that comes up on what is left. The other one goes on, for the next."""
    disk, server, lossy = rig
    who = people(server)
    if lossy:
        # They are there after the cut: what is asked is what became of all that they handed in.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, threads_each=4).start()
    try:
        ledger.wait_for(30)
        time.sleep(random.Random(seed).uniform(0, 1))
        # What is acknowledged by now has to be there; what comes later may be.
        before = set(ledger.acknowledged)
        begun = time.monotonic()
        with disk.cut() as place:
            ledger.stop()
            return Outcome(_compare(ledger, before, server, place), time.monotonic() - begun)
    finally:
        ledger.stop()


def _compare(ledger, before, server, place):
    survivor = Server(place / "data", public_url=server.url)
    try:
        survivor.start()
        # What was acknowledged after the cut began is in the copy or not.
        found = ledger.reckon(server=survivor, only=before)
        # And it works on.
        [one, *_] = ledger.people
        one.on(survivor).hand_in("daily_evening", answers.DAILY)
        assert survivor.stop() == 0, survivor.tail()
        return found
    finally:
        survivor.remove()
