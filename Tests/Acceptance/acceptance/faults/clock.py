"""The server's clock jumps under load."""

import contextlib
import pathlib
import random
import shutil
import struct
import subprocess
import time

from ..server import Server, wait_until
from .outcome import Outcome, load, finish

# Successive shifts in seconds. The last one is 0.
HOUR, DECADE = 3600, 315_360_000
JUMPS = {
    "an hour ahead and back": [HOUR, 0],
    "an hour behind and back": [-HOUR, 0],
    "ten years ahead and back": [DECADE, 0],
    "ten years behind and back": [-DECADE, 0],
    "to and fro": [24 * HOUR, -24 * HOUR, 600, -600, 90, 0],
}


class ShiftedClock:
    """The time of day that one program sees: the true time plus a shift."""

    def __init__(self, directory):
        self._file = directory / "clock"
        self._library = directory / "shifted_clock.so"
        self.shift(0)
        source = pathlib.Path(__file__).with_name("shifted_clock.c")
        done = subprocess.run(
            [shutil.which("clang") or "cc", "-O1", "-shared", "-fPIC", "-o", self._library, source, "-ldl"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def shift(self, seconds):
        # Written in place, because the program has mapped the file.
        with open(self._file, "r+b" if self._file.exists() else "xb") as file:
            file.write(struct.pack("=q", seconds))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self._library), "SHIFTED_CLOCK_FILE": str(self._file)}


@contextlib.contextmanager
def rig():
    """A server whose time of day can be shifted. Timers use the monotonic clock, which stays correct, as after a change of the system clock.
    PostgreSQL keeps the true time, as on another machine."""
    server = Server()
    clock = ShiftedClock(server.directory)
    server.environment |= clock.environment
    try:
        server.start()
        server.publish()
        yield server, clock
    finally:
        server.remove()


def once(rig, kind, seed):
    server, clock = rig
    chance = random.Random(seed)
    # No edits: a clock that jumps ahead makes a correction too late.
    with load(server, seed, stories=False) as ledger:
        ledger.walks_open_occasions = False
        begun = time.monotonic()
        for jump in JUMPS[kind]:
            clock.shift(jump)
            # Devices continue to upload. A device with an expired token refreshes it or logs in.
            ledger.wait_for(20, seconds=30)
            time.sleep(chance.uniform(0, 0.3))
        silence = ledger.silence(begun)
    for person in ledger.people:
        # A device whose requests were all in flight at the last jump does not know yet that its tokens are invalid.
        wait_until(lambda: person.call("GET", "/v1/account").status_code == 200 or person.renew(), 30, "a login")
    statuses = {str(status): count for status, count in ledger.statuses.items() if status not in (200, 201)}
    return Outcome(finish(ledger), silence, {"refused": statuses})
