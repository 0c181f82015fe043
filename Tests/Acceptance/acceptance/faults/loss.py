"""Packet loss in the kernel, in a separate network namespace: between devices and the server, or between the server and PostgreSQL."""

import contextlib
import json
import os
import shutil
import subprocess
import time

from ..ledger import Ledger
from ..database_proxy import DatabaseProxy
from ..network import own_network
from ..server import Server, wait_until
from . import outcome


def obstacle():
    """Why this machine cannot drop packets; None if it can."""
    if os.geteuid() != 0:
        return "a network namespace needs root"
    if not shutil.which("nft"):
        return "nft: not installed (bin/setup test)"
    try:
        with own_network():
            drop(1, 50)
    except (OSError, AssertionError, subprocess.CalledProcessError) as fault:
        return f"packets cannot be dropped here: {fault}"
    return None


def drop(port, percent):
    """Drops this percentage of the packets to and from a port from now on."""
    rules = "\n".join(f"tcp {end} {port} numgen random mod 100 < {percent} counter drop" for end in ("dport", "sport"))
    _nft(f"table inet loss {{\nchain input {{\ntype filter hook input priority 0\n{rules}\n}}\n}}\n")


def drop_nothing():
    _nft("delete table inet loss\n")


def dropped():
    """The number of dropped packets in each direction."""
    listed = json.loads(_nft(None, "-j", "list", "table", "inet", "loss"))
    rules = [entry["rule"] for entry in listed["nftables"] if "rule" in entry]
    return [part["counter"]["packets"] for rule in rules for part in rule["expr"] if "counter" in part]


def _nft(text, *arguments):
    done = subprocess.run(["nft", *(arguments or ("-f", "-"))], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def rig(to_database=False):
    """A server in such a network, and the port whose packets are dropped: the server's port, or the port of PostgreSQL.

    With `to_database` the server uses the PostgreSQL of another server, over TCP."""
    with own_network(), contextlib.ExitStack() as stack:
        first = server = Server()
        stack.callback(first.remove)
        first.start()
        port = first.port
        if to_database:
            first.sql("create database lossy")
            line = stack.enter_context(DatabaseProxy(f"{first.directory}/postgres/.s.PGSQL.5432"))
            server = Server(database_url=line.connection("lossy"))
            stack.callback(server.remove)
            server.start()
            port = line.port
        server.publish(lenient=True)
        yield server, port


def once(rig, percent, seed, count=40, given_up=8, socket_seconds=1):
    """Load over a bad connection, and then over a good one with the same bytes.

    The bad connection ends after `count` acknowledgements and `given_up` requests that timed out after `socket_seconds`."""
    server, port = rig
    # The kernel sends a packet again after 0.2, 0.6 and 1.4 s. A device often times out although the server has stored its sheet.
    ledger = Ledger(outcome.people(server), seed, threads_each=4, socket_seconds=socket_seconds, tolerated=(503, 408), retry_seconds=90)
    drop(port, percent)
    ledger.start()
    try:
        begun = time.monotonic()
        ledger.wait_for(count, seconds=300)
        wait_until(lambda: ledger.statuses[None] >= given_up, 300, "devices give up")
        silence = ledger.silence(begun)
        lost = dropped()
    finally:
        drop_nothing()
        ledger.stop()
        # Over a good connection requests, in particular repeated ones, get more time.
        ledger.socket_seconds = 60
    found = outcome.finish(ledger)
    return outcome.Outcome(found, silence, {"packets_lost": lost, "attempts": ledger.attempts, "statuses": {
        str(status): times for status, times in ledger.statuses.items() if status not in (200, 201)}})
