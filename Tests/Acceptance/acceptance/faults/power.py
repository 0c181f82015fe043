"""A power cut under load: all records that were acknowledged before it are on the disk."""

import contextlib
import random
import time

from .. import answers
from ..ledger import Ledger
from ..server import Server
from . import disks
from .outcome import Outcome, disable_synchronous_commit, people


@contextlib.contextmanager
def rig(lossy=False):
    """A server with its data on a disk whose state at one instant can be copied.

    `lossy`: PostgreSQL acknowledges commits before it writes them, which is not the default."""
    with disks.mounts() as mounts:
        disk = disks.CuttableDisk(mounts)
        server = Server(disk.path / "data")
        server.directory.mkdir()
        try:
            server.start()
            server.publish(lenient=True)
            if lossy:
                disable_synchronous_commit(server)
            yield disk, server, lossy
        finally:
            server.remove()


def once(rig, seed):
    """One power cut: starts a second server on the copy of the disk. The first server runs on, for the next cut."""
    disk, server, lossy = rig
    who = people(server)
    if lossy:
        # The participants must be on the disk, because only losses of records count.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, threads_each=4).start()
    try:
        ledger.wait_for(30)
        time.sleep(random.Random(seed).uniform(0, 1))
        # Records that are acknowledged now must be on the copy. Later records may be.
        before = set(ledger.acknowledged)
        begun = time.monotonic()
        with disk.cut() as copy:
            ledger.stop()
            return Outcome(_compare(ledger, before, server, copy), time.monotonic() - begun)
    finally:
        ledger.stop()


def _compare(ledger, before, server, copy):
    survivor = Server(copy / "data", public_url=server.url)
    try:
        survivor.start()
        # A record that was acknowledged after the cut began may be missing on the copy.
        found = ledger.compare(server=survivor, only=before)
        # The server accepts new sheets.
        [one, *_] = ledger.people
        one.on(survivor).submit("daily_evening", answers.DAILY)
        assert survivor.stop() == 0, survivor.tail()
        return found
    finally:
        survivor.remove()
