"""A full disk under load. Every acknowledged record is stored, and the server recovers by itself when there is space again."""

import contextlib
import os
import random
import shutil
import time

from ..ledger import Ledger
from ..server import Server
from . import disks
from .outcome import Outcome, answers, people, finish

# The contents of the small disk: the data directory without the write-ahead log (WAL), the WAL, or both.
DISKS = ("data", "WAL", "data and WAL")


@contextlib.contextmanager
def rig(kind, mebibytes=200):
    """A server with a small disk for `kind`. The other part is on a large disk."""
    with disks.mounts() as mounts:
        small = mounts.mount("small", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=755", "tmpfs")
        large = mounts.base / "large"
        large.mkdir()
        server = Server((large if kind == "WAL" else small) / "data")
        server.directory.mkdir()
        try:
            server.start()
            if kind != "data and WAL":
                assert server.stop() == 0
                _move_log(server, (small if kind == "WAL" else large) / "wal")
                server.start()
            server.publish(lenient=True)
            yield server, small
        finally:
            server.remove()


def _move_log(server, target):
    log = server.directory / "postgres" / "pg_wal"
    shutil.copytree(log, target)
    owner = log.stat()
    for folder, _, files in os.walk(target):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            os.chown(path, owner.st_uid, owner.st_gid)
    target.chmod(0o700)
    shutil.rmtree(log)
    log.symlink_to(target)
    os.chown(log, owner.st_uid, owner.st_gid, follow_symlinks=False)


def once(rig, seed, seconds=3):
    """The disk is full for `seconds`, and until a request was rejected. That takes longer if PostgreSQL has preallocated much of its log."""
    server, small = rig
    ledger = Ledger(people(server), seed, threads_each=4, tolerated=(503, 507), retry_seconds=90).start()
    ballast = small / "ballast"
    try:
        ledger.wait_for(20)
        time.sleep(random.Random(seed).uniform(0, 0.5))
        begun = time.monotonic()
        disks.fill(ballast)
        full_at = ledger.acknowledged_count()
        while (passed := time.monotonic() - begun) < seconds or not refusals(ledger) and passed < 60:
            # Fills up freed space, and uses up the preallocated files of the log.
            use_up_log(server)
            disks.fill(ballast)
            time.sleep(0.05)
        during = ledger.acknowledged_count() - full_at
        assert server.is_alive(), server.tail()
        ballast.unlink()
        freed = time.monotonic()
        ledger.wait_for(20, seconds=90)
        recovery = next(moment for moment in ledger.moments if moment > freed) - freed
        while not answers(server):
            assert time.monotonic() < freed + 90, server.tail()
            time.sleep(0.1)
    finally:
        ballast.unlink(missing_ok=True)
        ledger.stop()
    notes = {"while_full": during, "refused": refusals(ledger), "full_s": round(freed - begun, 1)}
    return Outcome(finish(ledger), recovery, notes)


def refusals(ledger):
    return {str(status): count for status, count in tuple(ledger.statuses.items()) if status not in (200, 201)}


def use_up_log(server):
    try:
        server.sql("select pg_switch_wal()")
    except AssertionError:
        pass  # PostgreSQL is down already.
