"""Too little memory, a slow disk, and a database that hangs."""

import contextlib
import itertools
import os
import pathlib
import signal
import threading
import time

from .. import records
from ..ledger import Ledger, Batch
from ..server import Server
from . import disks
from .outcome import Outcome, load, people, revive, finish
from .storm import quantile, resident

ROOT = pathlib.Path("/sys/fs/cgroup")
_numbers = itertools.count()


def controller(name):
    """The folder of a controller of cgroups version 1; None if it does not exist or is not writable."""
    folder = ROOT / name
    return folder if (folder / "cgroup.procs").exists() and os.access(folder / "cgroup.procs", os.W_OK) else None


def obstacle(name):
    return None if controller(name) else f"no writable {name} controller of cgroups version 1 (needs root)"


@contextlib.contextmanager
def group(name):
    folder = controller(name) / f"saunter-{os.getpid()}-{next(_numbers)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (folder.parent / "cgroup.procs").write_text(pid)
        # The last process may still be leaving the group.
        for _ in range(50):
            try:
                folder.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def memory(server, seed, mebibytes=256, feed=None):
    """Limits further memory of the server, while many devices upload large batches. If the kernel kills the server, it is started again."""
    kills = 0
    over = threading.Event()
    ledger = Heavy(people(server, 4), seed, threads_each=6, retry_seconds=120)
    # After a restart the server has no free heap from earlier loads or from password hashing, which would not count.
    assert server.stop() == 0, server.tail()
    server.start()
    with group("memory") as folder:
        (folder / "memory.limit_in_bytes").write_text(str(mebibytes << 20))
        (folder / "cgroup.procs").write_text(str(server.process.pid))

        def watch():
            nonlocal kills
            while not over.wait(0.05):
                if not server.is_alive():
                    kills += 1
                    server.launch()
                    (folder / "cgroup.procs").write_text(str(server.process.pid))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            ledger.start()
            time.sleep(2)
            ledger.stop()
        finally:
            over.set()
            watcher.join(30)
        most = int((folder / "memory.max_usage_in_bytes").read_text()) >> 20
        (folder / "memory.limit_in_bytes").write_text("-1")
        revive(server)
        found = finish(ledger, feed)
    return Outcome(found, None, {"most_MiB": most, "limit_MiB": mebibytes, "killed": kills})


class Heavy(Ledger):
    """Each request is a large batch."""

    def _uploads(self, person, chance):
        kinds = ["answer_sheet"] * 12 + ["observation"] * 6 + ["walk"]
        return [Batch(records.make(chance.choice(kinds), person, chance) for _ in range(60))]


@contextlib.contextmanager
def slow_rig(mebibytes=400):
    """A server with its data on a separate disk, and a function that limits PostgreSQL's writes in bytes per second."""
    with disks.mounts() as mounts, group("blkio") as folder:
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
                with contextlib.suppress(ProcessLookupError):  # The process has ended.
                    (folder / "cgroup.procs").write_text(str(pid))
            number = os.stat(disk).st_dev
            yield server, lambda rate: (folder / "blkio.throttle.write_bps_device").write_text(
                f"{os.major(number)}:{os.minor(number)} {rate}")
            assert server.stop() == 0, server.tail()
        finally:
            server.remove()


def slow_disk(rig, seed, rate=100_000, seconds=6):
    """The disk writes `rate` bytes per second for a while. A record that is acknowledged in this time is stored in this time, not later."""
    server, throttle = rig
    with load(server, seed, threads_each=8, warm=50) as ledger:
        taken, before = len(ledger.latencies), resident(server)
        throttle(rate)
        begun = time.monotonic()
        time.sleep(seconds)
        early = ledger.missing()
        more = (resident(server) - before) >> 20
        slow = ledger.latencies[taken:]
        throttle(0)
        ledger.wait_for(20)
        silence = ledger.silence(begun)
    found = finish(ledger)
    found.lost |= early
    return Outcome(found, silence, {"p99_slow_s": round(quantile(slow, 0.99), 2) if slow else None, "more_MiB": more})


def hanging(server, seed, seconds=3, feed=None):
    """All processes of PostgreSQL are stopped for a while, as if its disk did not answer."""
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
    return Outcome(finish(ledger, feed), silence)
