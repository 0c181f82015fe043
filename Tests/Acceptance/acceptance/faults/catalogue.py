"""All faults of a campaign, with the number of runs of each."""

import contextlib
import dataclasses
import functools

from ..ledger import Feed
from ..people import Researcher
from ..server import Server
from . import bounds, clock, failing, full, kills, loss, network, power, races, rules, storm
from .campaign import Fault, stopping
from .outcome import disable_synchronous_commit


@contextlib.contextmanager
def plain(lossy=False):
    """A server with its private PostgreSQL, and the feed of changes."""
    with stopping(Server()) as server:
        server.start()
        server.publish(lenient=True)
        if lossy:
            disable_synchronous_commit(server)
        yield server, Feed(Researcher(server))


@contextlib.contextmanager
def host():
    """A server whose PostgreSQL gets the databases of other servers."""
    with stopping(Server()) as server:
        yield server.start()


def faults():
    """The faults in the order of a campaign."""
    yield from _kills()
    yield Fault("rules", "SIGKILL of one of two servers with rules", 10, host, rules.once)
    yield Fault("races", "races of 2 to 64 sockets", 105, plain, lambda rig, seed: races.once(rig[0], seed, 100, rig[1]))
    yield Fault("power", "power cut", 55, power.rig, power.once)
    yield Fault("power", "power cut, asynchronous commits", 10, functools.partial(power.rig, lossy=True), power.once, is_control=True)
    for kind in full.DISKS:
        yield Fault("disks", f"disk full: {kind}", 10, functools.partial(full.rig, kind), full.once)
    yield Fault("disks", "fsync fails", 20, failing.rig, failing.once)
    yield Fault("disks", "fsync fails, asynchronous commits", 6, functools.partial(failing.rig, lossy=True), failing.once, is_control=True)
    yield Fault("disks", "slow disk, 100 kB/s", 10, bounds.slow_rig, bounds.slow_disk)
    yield Fault("disks", "PostgreSQL hangs for 3 s", 10, plain, lambda rig, seed: bounds.hanging(rig[0], seed, feed=rig[1]))
    for kind in network.LINES:
        yield Fault("lines", kind, 10, plain, lambda rig, seed, kind=kind: network.once(rig[0], kind, seed, 100, rig[1]))
    for percent in (10, 30):
        yield Fault("lines", f"{percent} % of packets lost", 10, loss.rig, lambda rig, seed, percent=percent: loss.once(rig, percent, seed, 100, given_up=1 if percent == 10 else 8))
    yield Fault(
        "lines", "10 % of packets to and from PostgreSQL lost", 10, functools.partial(loss.rig, to_database=True),
        lambda rig, seed: loss.once(rig, 10, seed, 100, given_up=0, socket_seconds=20))
    for kind in storm.CROWDS:
        yield Fault("crowds", f"5,000 {kind}", 3, plain, lambda rig, seed, kind=kind: storm.once(rig[0], kind, seed, 5000, 5, rig[1]))
    for kind in clock.JUMPS:
        yield Fault("clock", f"clock {kind}", 5, clock.rig, lambda rig, seed, kind=kind: clock.once(rig, kind, seed))
    for limit in (256, 4):
        yield Fault(
            "memory", f"{limit} MiB more for the server", 5, plain, lambda rig, seed, limit=limit: bounds.memory(rig[0], seed, limit, rig[1]))


def _kills():
    for kind in kills.KINDS:
        is_kill = kind != "SIGTERM of the server"
        name = f"SIGKILL of {kind}" if is_kill else kind
        yield Fault(
            "kills", name, 60 if is_kill else 20, plain, lambda rig, seed, kind=kind: kills.once(rig[0], kind, seed, rig[1]))
        if is_kill and kind != "server":
            yield Fault(
                "controls", f"{name}, asynchronous commits", 5, functools.partial(plain, lossy=True),
                lambda rig, seed, kind=kind: kills.once(rig[0], kind, seed, rig[1], lossy=True), is_control=True)


def sections():
    return sorted({fault.section for fault in faults()})


def as_control(fault):
    return dataclasses.replace(fault, is_control=True)
