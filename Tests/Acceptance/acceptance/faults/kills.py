"""SIGKILL of processes under load."""

import os
import random
import signal
import time

from .outcome import Outcome, load, revive, finish


def of_server(server, chance):
    server.kill()


def of_backend(server, chance):
    """SIGKILL of a backend of the server. PostgreSQL then ends all sessions, and recovers."""
    text = server.sql("select pid from pg_stat_activity where application_name like 'saunter%' and backend_type = 'client backend'")
    _kill([int(chance.choice(text.split()))])


def of_postgresql(server, chance):
    """SIGKILL of the postmaster and all its children."""
    _kill(server.postgres_processes())


def of_both(server, chance):
    """SIGKILL of the server and of all processes of PostgreSQL, in random order."""
    processes = [server.process.pid, *server.postgres_processes()]
    _kill(processes if chance.random() < 0.5 else processes[::-1])
    server.process.wait(30)


def of_term(server, chance):
    """No kill: an orderly stop, which must finish the accepted requests."""
    status = server.stop()
    assert status == 0, server.tail()
    assert server.postmaster() is None, "the private PostgreSQL stops with the server"


KINDS = {
    "server": of_server, "backend": of_backend, "PostgreSQL": of_postgresql, "server and PostgreSQL": of_both,
    "SIGTERM of the server": of_term,
}


def once(server, kind, seed, feed=None, lossy=False, **more):
    """`lossy`: PostgreSQL acknowledges commits before it writes them."""
    with load(server, seed, lossy=lossy, **more) as ledger:
        begun = time.monotonic()
        KINDS[kind](server, random.Random(seed))
        revive(server)
        ledger.wait_for(20)
        silence = ledger.silence(begun)
    outcome = Outcome(finish(ledger, feed, lossy), silence)
    if server.is_alive() and kind in ("PostgreSQL", "backend"):
        # The server waits longer after each crash of PostgreSQL. A restart of the server makes each crash the first.
        assert server.stop() == 0, server.tail()
        server.start()
    return outcome


def _kill(processes):
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
