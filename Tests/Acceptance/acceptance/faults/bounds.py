"""Too little memory, a disk that is slow, a database that hangs."""

import contextlib
import itertools
import os
import pathlib
import signal
import threading
import time

from .. import records
from ..ledger import Ledger, Outbox
from ..server import Server
from . import disks
from .outcome import Outcome, load, people, revive, settle
from .storm import quantile, resident

ROOT = pathlib.Path("/sys/fs/cgroup")
_numbers = itertools.count()


def controller(name):
    """Where groups of the first version's hierarchy are made; None where there is none that may be written."""
    place = ROOT / name
    return place if (place / "cgroup.procs").exists() and os.access(place / "cgroup.procs", os.W_OK) else None


def obstacle(name):
    return None if controller(name) else f"no {name} controller of cgroups that may be used (root, version 1)"


@contextlib.contextmanager
def group(name):
    place = controller(name) / f"saunter-{os.getpid()}-{next(_numbers)}"
    place.mkdir()
    try:
        yield place
    finally:
        for pid in (place / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (place.parent / "cgroup.procs").write_text(pid)
        # The last of what was moved may still be on its way out.
        for _ in range(50):
            try:
                place.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def memory(server, seed, mebibytes=256, feed=None):
    """The server may take so much more; outboxes of many devices at once are larger. When the system kills it for that, it is started again."""
    kills = 0
    over = threading.Event()
    ledger = Heavy(people(server, 4), seed, threads_each=6, patience=120)
    # What an earlier load, or the hashing of passwords, has left in its heap it could use again without taking more.
    assert server.stop() == 0, server.tail()
    server.start()
    with group("memory") as place:
        (place / "memory.limit_in_bytes").write_text(str(mebibytes << 20))
        (place / "cgroup.procs").write_text(str(server.process.pid))

        def watch():
            nonlocal kills
            while not over.wait(0.05):
                if not server.is_alive():
                    kills += 1
                    server.launch()
                    (place / "cgroup.procs").write_text(str(server.process.pid))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            ledger.start()
            time.sleep(2)
            ledger.stop()
        finally:
            over.set()
            watcher.join(30)
        most = int((place / "memory.max_usage_in_bytes").read_text()) >> 20
        (place / "memory.limit_in_bytes").write_text("-1")
        revive(server)
        found = settle(ledger, feed)
    return Outcome(found, None, {"most_MiB": most, "limit_MiB": mebibytes, "killed": kills})


class Heavy(Ledger):
    """Each request is a large outbox."""

    def _parcels(self, person, chance):
        kinds = ["answer_sheet"] * 12 + ["observation"] * 6 + ["walk"]
        return [Outbox(records.make(chance.choice(kinds), person, chance) for _ in range(60))]


@contextlib.contextmanager
def slow_rig(mebibytes=400):
    """A server whose data lie on a disk of their own, and the group of its PostgreSQL, whose writing can be slowed down."""
    with disks.mounts() as mounts, group("blkio") as place:
        image = mounts.base / "disk.img"
        with open(image, "wb") as file:
            file.truncate(mebibytes << 20)
        disks.run("mkfs.ext4", "-q", "-m", "0", image)
        disk = mounts.mount("disk", "-o", "loop", image)
        disk.chmod(0o755)
        server = Server(disk / "data")
        server.directory.mkdir()
        try:
            server.start()
            server.publish(lenient=True)
            for pid in server.postgres_processes():
                with contextlib.suppress(ProcessLookupError):  # One that worked for a moment only.
                    (place / "cgroup.procs").write_text(str(pid))
            number = os.stat(disk).st_dev
            yield server, lambda rate: (place / "blkio.throttle.write_bps_device").write_text(
                f"{os.major(number)}:{os.minor(number)} {rate}")
            assert server.stop() == 0, server.tail()
        finally:
            server.remove()


def slow_disk(rig, seed, rate=100_000, seconds=6):
    """The disk takes so many bytes a second for a while. What is acknowledged meanwhile is there meanwhile, not some time after."""
    server, throttle = rig
    with load(server, seed, threads_each=8, warm=50) as ledger:
        taken, before = len(ledger.latencies), resident(server)
        throttle(rate)
        begun = time.monotonic()
        time.sleep(seconds)
        early = ledger.early()
        more = (resident(server) - before) >> 20
        slow = ledger.latencies[taken:]
        throttle(0)
        ledger.wait_for(20)
        silence = ledger.silence(begun)
    found = settle(ledger)
    found.lost |= early
    return Outcome(found, silence, {"p99_slow_s": round(quantile(slow, 0.99), 2) if slow else None, "more_MiB": more})


def hanging(server, seed, seconds=3, feed=None):
    """PostgreSQL does nothing for a while, as when its disk does not answer: all its processes are halted."""
    with load(server, seed, threads_each=8) as ledger:
        processes = server.postgres_processes()
        begun = time.monotonic()
        try:
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
        finally:
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        ledger.wait_for(20)
        silence = ledger.silence(begun)
    return Outcome(settle(ledger, feed), silence)
