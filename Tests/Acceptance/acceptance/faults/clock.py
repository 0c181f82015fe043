"""The server's clock jumps under load."""

import contextlib
import pathlib
import random
import shutil
import struct
import subprocess
import time

from ..server import Server, wait_until
from .outcome import Outcome, load, settle

# Seconds ahead or behind, one after the other; at the end the clock is right again.
HOUR, DECADE = 3600, 315_360_000
JUMPS = {
    "an hour ahead and back": [HOUR, 0],
    "an hour behind and back": [-HOUR, 0],
    "ten years ahead and back": [DECADE, 0],
    "ten years behind and back": [-DECADE, 0],
    "to and fro": [24 * HOUR, -24 * HOUR, 600, -600, 90, 0],
}


class ShiftedClock:
    """The time of day of one program: true, and so many seconds."""

    def __init__(self, directory):
        self._file = directory / "clock"
        self._library = directory / "shifted_clock.so"
        self.shift(0)
        source = pathlib.Path(__file__).with_name("shifted_clock.c")
        done = subprocess.run(
            [shutil.which("clang") or "cc", "-O1", "-shared", "-fPIC", "-o", self._library, source, "-ldl"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def shift(self, seconds):
        # In place: the program has it mapped.
        with open(self._file, "r+b" if self._file.exists() else "xb") as file:
            file.write(struct.pack("=q", seconds))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self._library), "SHIFTED_CLOCK_FILE": str(self._file)}


@contextlib.contextmanager
def rig():
    """A server whose clock can be moved. Timers stay true: they follow the steady clock, as they do when a system's clock is set.
    PostgreSQL's clock is another machine's: it stays."""
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
    # No stories: a correction that the clock puts a day after its sheet is too late.
    with load(server, seed, stories=False) as ledger:
        ledger.walks_open_occasions = False
        begun = time.monotonic()
        for jump in JUMPS[kind]:
            clock.shift(jump)
            # Devices go on all the time: those whose tokens are over renew them or log in.
            ledger.wait_for(20, seconds=30)
            time.sleep(chance.uniform(0, 0.3))
        silence = ledger.silence(begun)
    for person in ledger.people:
        # Those whose requests were all under way at the last jump have not learned yet that their tokens are worth nothing now.
        wait_until(lambda: person.call("GET", "/v1/account").status_code == 200 or person.renew(), 30, "a login")
    statuses = {str(status): count for status, count in ledger.statuses.items() if status not in (200, 201)}
    return Outcome(settle(ledger), silence, {"refused": statuses})
