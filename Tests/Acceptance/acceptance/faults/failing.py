"""The disk's fsync fails under load. Every acknowledged record is on the disk, and the server recovers by itself when the disk works again."""

import contextlib
import os
import random
import re
import time

from ..ledger import Ledger
from ..server import Server, alive, wait_until
from . import disks, kills
from .full import refusals
from .outcome import Outcome, answers, disable_synchronous_commit, people, finish

# PostgreSQL writes all of its log to new blocks. It calls fsync most often for the log.
_SETTINGS = ("wal_recycle = off", "wal_init_zero = off", "max_wal_size = '64MB'")
_FAILED = re.compile(r"PANIC: +could not f(?:data)?sync file")


@contextlib.contextmanager
def rig(lossy=False):
    """A server with its data on a disk that can fail. `lossy`: PostgreSQL acknowledges commits before it writes them, which is not the default."""
    with disks.mounts() as mounts:
        disk = disks.FailingDisk(mounts)
        server = Server(disk.path / "data")
        server.directory.mkdir()
        server.log = mounts.base / "server.log"
        try:
            server.start()
            server.publish(lenient=True)
            for setting in _SETTINGS:
                server.sql(f"alter system set {setting}")
            if lossy:
                disable_synchronous_commit(server)
            assert server.stop() == 0, server.tail()
            _move_log(server, mounts.base / "log")
            server.start()
            yield disk, server, lossy
        finally:
            disk.heal()
            server.remove()


def once(rig, seed, seconds=2):
    """The disk fails for `seconds`, and until an fsync of PostgreSQL and a request have failed. Afterwards the disk is mounted again, so that
    the comparison sees only data on the disk."""
    disk, server, lossy = rig
    who = people(server)
    if lossy:
        # The participants must be on the disk, because only losses of records count.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, threads_each=4, stories=not lossy, tolerated=(503, 507), retry_seconds=120).start()
    try:
        ledger.wait_for(20)
        time.sleep(random.Random(seed).uniform(0, 0.5))
        before = failures(server)
        begun = time.monotonic()
        disk.fail()
        while (passed := time.monotonic() - begun) < seconds or failures(server) == before or not refusals(ledger):
            assert passed < 120, f"fsync does not fail: {refusals(ledger)}\n{_log(server)[-3000:]}\n{server.tail()}"
            disk.go_on_failing()
            time.sleep(0.05)
        failed = failures(server) - before
        assert server.is_alive(), server.tail()
        disk.heal()
        healed = time.monotonic()
        mounted = _wait_for_acknowledgements(ledger, disk, server)
        recovery = next(moment for moment in ledger.moments if moment > healed) - healed
        wait_until(lambda: answers(server), 90, "the server is ready")
    finally:
        disk.heal()
        ledger.stop()
    notes = {"failed_fsyncs": failed, "refused": refusals(ledger), "mounted_again": mounted}
    found = finish(ledger, lossy=lossy)
    _forget_what_is_not_on_the_disk(disk, server)
    cold = ledger.compare()
    for kind in ("lost", "doubled", "altered", "torn"):
        getattr(found, kind).update(getattr(cold, kind))
    return Outcome(found, recovery, notes)


def failures(server):
    """How often PostgreSQL crashed because of a failed fsync."""
    return len(_FAILED.findall(_log(server)))


def _log(server):
    logs = sorted((server.directory / "postgres" / "log").glob("*.log"))
    return "".join(log.read_text(errors="replace") for log in logs)


def _move_log(server, folder):
    """Moves PostgreSQL's log to another disk, so that messages about the failing disk are kept."""
    log = server.directory / "postgres" / "log"
    owner = log.stat()
    folder.mkdir(mode=0o700)
    os.chown(folder, owner.st_uid, owner.st_gid)
    for file in log.iterdir():
        file.unlink()
    log.rmdir()
    log.symlink_to(folder)


def _wait_for_acknowledgements(ledger, disk, server, more=20, seconds=120):
    """Waits for acknowledgements. If the file system became read-only, mounts it again as an operator would; whether that happened."""
    mounted = False
    wanted, deadline = ledger.acknowledged_count() + more, time.monotonic() + seconds
    while ledger.acknowledged_count() < wanted:
        assert time.monotonic() < deadline, f"no record is acknowledged within {seconds} s: {ledger.statuses}\n{server.tail()}"
        if disk.is_read_only:
            _forget_what_is_not_on_the_disk(disk, server)
            mounted = True
        time.sleep(0.05)
    return mounted


def _forget_what_is_not_on_the_disk(disk, server):
    """A crash and restart of the machine: processes are killed, and data that was only in memory is lost."""
    processes = server.postgres_processes()
    kills.of_both(server, random.Random(0))
    wait_until(lambda: not any(map(alive, processes)), 30, "PostgreSQL is gone")
    # PostgreSQL's log process ends a little later.
    wait_until(disk.remount, 30, "no process uses the disk")
    server.start()
