"""The disk's fsync fails under load: nothing is acknowledged that is not on it, and once it takes what it is given again, all goes on by itself."""

import contextlib
import os
import random
import re
import time

from ..ledger import Ledger
from ..server import Server, alive, wait_until
from . import disks, kills
from .full import refusals
from .outcome import Outcome, answers, forget_commits, people, settle

# New places for all of the log: it is where PostgreSQL's fsync is most often.
_SETTINGS = ("wal_recycle = off", "wal_init_zero = off", "max_wal_size = '64MB'")
_FAILED = re.compile(r"PANIC: +could not f(?:data)?sync file")


@contextlib.contextmanager
def rig(lossy=False):
    """A server whose data lie on a disk that can fail. `lossy`: its PostgreSQL answers before it has written, as no Saunter does by itself."""
    with disks.mounts() as mounts:
        disk = disks.FailingDisk(mounts)
        server = Server(disk.place / "data")
        server.directory.mkdir()
        server.log = mounts.base / "server.log"
        try:
            server.start()
            server.publish(lenient=True)
            for setting in _SETTINGS:
                server.sql(f"alter system set {setting}")
            if lossy:
                forget_commits(server)
            assert server.stop() == 0, server.tail()
            _log_elsewhere(server, mounts.base / "log")
            server.start()
            yield disk, server, lossy
        finally:
            disk.heal()
            server.remove()


def once(rig, seed, seconds=2):
    """For so many seconds, and until PostgreSQL was told of it and somebody was refused. What is found afterwards is what the disk holds."""
    disk, server, lossy = rig
    who = people(server)
    if lossy:
        # They are on the disk: what is asked is what became of all that they handed in.
        server.sql("checkpoint")
    ledger = Ledger(who, seed, threads_each=4, stories=not lossy, tolerated=(503, 507), patience=120).start()
    try:
        ledger.wait_for(20)
        time.sleep(random.Random(seed).uniform(0, 0.5))
        before = failures(server)
        begun = time.monotonic()
        disk.fail()
        while (passed := time.monotonic() - begun) < seconds or failures(server) == before or not refusals(ledger):
            assert passed < 120, f"its fsync does not fail: {refusals(ledger)}\n{_log(server)[-3000:]}\n{server.tail()}"
            disk.go_on_failing()
            time.sleep(0.05)
        failed = failures(server) - before
        assert server.is_alive(), server.tail()
        disk.heal()
        healed = time.monotonic()
        mounted = _wait_for_acknowledgements(ledger, disk, server)
        recovery = next(moment for moment in ledger.moments if moment > healed) - healed
        wait_until(lambda: answers(server), 90, "it is ready")
    finally:
        disk.heal()
        ledger.stop()
    notes = {"failed_fsyncs": failed, "refused": refusals(ledger), "mounted_again": mounted}
    found = settle(ledger, lossy=lossy)
    _forget_what_is_not_on_the_disk(disk, server)
    cold = ledger.reckon()
    for kind in ("lost", "doubled", "altered", "torn"):
        getattr(found, kind).update(getattr(cold, kind))
    return Outcome(found, recovery, notes)


def failures(server):
    """How often PostgreSQL was told that its fsync failed, and gave up because of it."""
    return len(_FAILED.findall(_log(server)))


def _log(server):
    logs = sorted((server.directory / "postgres" / "log").glob("*.log"))
    return "".join(log.read_text(errors="replace") for log in logs)


def _log_elsewhere(server, place):
    """What PostgreSQL tells of its disk does not get lost with it."""
    log = server.directory / "postgres" / "log"
    owner = log.stat()
    place.mkdir(mode=0o700)
    os.chown(place, owner.st_uid, owner.st_gid)
    for file in log.iterdir():
        file.unlink()
    log.rmdir()
    log.symlink_to(place)


def _wait_for_acknowledgements(ledger, disk, server, more=20, seconds=120):
    """Where the file system itself has given up, an operator has to mount it again; whether that was so."""
    mounted = False
    wanted, deadline = ledger.acknowledged_count() + more, time.monotonic() + seconds
    while ledger.acknowledged_count() < wanted:
        assert time.monotonic() < deadline, f"nothing is acknowledged within {seconds} s: {ledger.statuses}\n{server.tail()}"
        if disk.is_read_only:
            _forget_what_is_not_on_the_disk(disk, server)
            mounted = True
        time.sleep(0.05)
    return mounted


def _forget_what_is_not_on_the_disk(disk, server):
    """The machine starts anew: nobody stops in order, and what was only in memory is gone."""
    processes = server.postgres_processes()
    kills.of_both(server, random.Random(0))
    wait_until(lambda: not any(map(alive, processes)), 30, "PostgreSQL is gone")
    # The process of its log ends when it has noticed.
    wait_until(disk.remount, 30, "nobody uses the disk")
    server.start()
