"""Bad connections: in the end the server has exactly the records that devices submitted."""

import time

from ..ledger import Ledger
from ..relay import Line, Relay
from .outcome import Outcome, people, finish

LINES = {
    "replies lost after the commit": Line(swallow=0.3),
    "requests cut off in the middle": Line(cut=0.3),
    "2 s of delay": Line(delay=2),
    "64 kbit/s": Line(rate=8000),
    "connections that fall silent": Line(freeze=0.05),
    "all of it at once": Line(delay=0.3, rate=32_000, cut=0.1, swallow=0.15, freeze=0.02),
}


def once(server, kind, seed, count=40, feed=None):
    relay = Relay(server.port, LINES[kind], seed)
    try:
        # A device closes a silent connection after five seconds.
        ledger = Ledger(people(server), seed, threads_each=4, url=relay.url, socket_seconds=5, tolerated=(503, 408)).start()
        begun = time.monotonic()
        ledger.wait_for(count, seconds=120)
        silence = ledger.silence(begun)
        # From here on the connection is good, and devices send the same bytes again.
        relay.line = Line()
        ledger.stop()
        ledger.url, ledger.socket_seconds = None, 60
        found = finish(ledger, feed)
    finally:
        relay.close()
    return Outcome(found, silence, {"swallowed": relay.swallowed, "cut": relay.cut, "frozen": relay.frozen, "attempts": ledger.attempts})
