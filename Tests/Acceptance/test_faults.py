"""What was acknowledged is there, once, whatever happens to disks, lines, clocks and memory: each fault a few times. Benchmarks/saunter-campaign
does them by the hundred, and says what each of them finds when the server is broken on purpose."""

import pytest

from acceptance import answers
from acceptance.faults import bounds, clock, disks, failing, full, loss, network, power, races, storm
from acceptance.ledger import Feed, Ledger, Socket
from acceptance.moments import new_id
from acceptance.people import Person, Researcher
from acceptance.relay import Line, Relay
from acceptance.server import wait_until


@pytest.fixture(scope="module")
def feed(own):
    return Feed(Researcher(own))


def unless(obstacle):
    return pytest.mark.skipif(obstacle is not None, reason=str(obstacle))


MOUNTING = unless(disks.obstacle())
CUTTING = unless(disks.obstacle("mkfs.xfs", "mkfs.ext4"))
FAILING = unless(disks.obstacle("mkfs.ext4", "e2fsck", "fsfreeze"))
LOSING = unless(loss.obstacle())


def clean(outcome):
    assert outcome.reckoning.is_clean, f"{outcome.reckoning}: {sorted(map(str, outcome.reckoning.torn))[:3]}"
    return outcome


# Disks

@CUTTING
def test_a_power_cut_loses_nothing_that_was_acknowledged():
    with power.rig() as rig:
        for seed in range(2):
            clean(power.once(rig, seed))


@CUTTING
def test_a_power_cut_loses_something_when_commits_are_not_waited_for():
    """Else the test before could not fail."""
    with power.rig(lossy=True) as rig:
        assert any(power.once(rig, seed).reckoning.lost for seed in range(8))


@MOUNTING
def test_a_full_disk_refuses_and_goes_on_by_itself_when_there_is_room():
    with full.rig("data and WAL") as rig:
        outcome = clean(full.once(rig, 0, seconds=1.5))
    assert outcome.notes["refused"].keys() & {"503", "507"}, "it was full"


@FAILING
def test_a_disk_whose_fsync_fails_loses_nothing_that_was_acknowledged():
    """Neither of what was acknowledged before nor of what was after, in what is on the disk in the end."""
    with failing.rig() as rig:
        for seed in range(2):
            outcome = clean(failing.once(rig, seed))
            assert outcome.notes["failed_fsyncs"] and outcome.notes["refused"], "PostgreSQL was told, and so was somebody"


@FAILING
def test_a_disk_whose_fsync_fails_loses_something_when_commits_are_not_waited_for():
    with failing.rig(lossy=True) as rig:
        assert any(failing.once(rig, seed).reckoning.lost for seed in range(6))


@unless(disks.obstacle("mkfs.ext4") or bounds.obstacle("blkio"))
def test_a_slow_disk_delays_and_loses_nothing():
    with bounds.slow_rig() as rig:
        outcome = clean(bounds.slow_disk(rig, 0, seconds=2))
    assert outcome.notes["more_MiB"] < 256


def test_a_database_that_hangs_loses_nothing(own, feed):
    outcome = clean(bounds.hanging(own, 0, seconds=1.5, feed=feed))
    # A reply may have been on its way when it began.
    assert outcome.recovery >= 1, "it hung"


@unless(bounds.obstacle("memory"))
def test_large_outboxes_of_many_devices_fit_into_little_memory(own):
    outcome = clean(bounds.memory(own, 0, mebibytes=96))
    assert outcome.notes["killed"] == 0


# Lines

@pytest.mark.parametrize("kind", ["replies lost after the commit", "all of it at once"])
def test_a_bad_line_loses_and_doubles_nothing(own, feed, kind):
    outcome = clean(network.once(own, kind, 0, feed=feed))
    assert sum(outcome.notes[name] for name in ("swallowed", "cut", "frozen")), "the line was bad"


# Three or four packets in a row have to get lost for a device to give up: where a tenth is lost that takes hundreds of requests.
@LOSING
@pytest.mark.parametrize("percent, given_up", [(10, 1), (30, 8)], ids=["10", "30"])
def test_packets_that_get_lost_lose_and_double_nothing(percent, given_up):
    with loss.rig() as rig:
        outcome = clean(loss.once(rig, percent, 0, given_up=given_up))
    assert all(outcome.notes["packets_lost"]), "the kernel dropped some, each way"


@LOSING
def test_packets_that_get_lost_on_the_way_to_the_database_lose_and_double_nothing():
    with loss.rig(to_database=True) as rig:
        outcome = clean(loss.once(rig, 10, 0, given_up=0, socket_seconds=20))
    assert all(outcome.notes["packets_lost"]), "the kernel dropped some, each way"


def test_after_a_lost_reply_the_same_bytes_get_their_receipt_and_others_a_conflict(own):
    ada = Person(own).register().enrol()
    relay = Relay(own.port, Line(swallow=1))
    try:
        path, sheet = ada.own(f"/answer-sheets/{new_id()}"), ada.sheet("who_5", answers.WHO_5)
        ledger = Ledger([ada], 0, url=relay.url)
        assert Socket(ledger, ada).call("PUT", path, sheet) == (None, None)
        assert relay.swallowed == 1
        ada.problem("PUT", path, 409, "id-reused", json=sheet | {"timings": {"q1": 1}})
        first, again = (ada.call("PUT", path, json=sheet, status=200) for _ in range(2))
        assert first == again and first["replayed"] is True and first["duplicate_of"] is None
        assert ada.call("GET", path, status=200)["answers"] == answers.WHO_5
    finally:
        relay.close()


# Crowds

# More slow bodies than may be arriving at once: it is one account's crowd, and leaves room for others.
@pytest.mark.parametrize("kind, size", [("connections opened over and over", 500), ("slow bodies", 3000), ("slow readers", 500)])
def test_a_crowd_of_connections_holds_up_nobody_who_hands_in(own, feed, kind, size):
    outcome = clean(storm.once(own, kind, 0, size=size, seconds=1, feed=feed))
    waits = outcome.recovery, outcome.notes["silence_s"], outcome.notes["newcomer_s"]
    assert max(waits) < 10 and outcome.notes["more_MiB"] < 256, outcome.notes


def test_whoever_dawdles_is_let_go(own):
    """Connections that say nothing, headers and bodies that never end, replies that nobody takes."""
    held = storm.dawdle(own)
    assert set(held.values()) == {0}, held


def test_races_of_all_kinds_have_one_winner(own, feed):
    clean(races.once(own, 0, 40, feed))


# Clocks

def test_no_jump_of_the_clock_loses_anything_or_locks_anybody_out():
    with clock.rig() as rig:
        for seed, kind in enumerate(["ten years ahead and back", "ten years behind and back", "to and fro"]):
            clean(clock.once(rig, kind, seed))


def test_a_token_of_a_wrong_time_is_worth_nothing_once_the_clock_is_right():
    with clock.rig() as (server, shifted):
        ada = Person(server).register().enrol()
        shifted.shift(clock.DECADE)
        ada.call("GET", "/v1/account", status=401)
        ada.log_in()
        ada.call("GET", "/v1/account", status=200)
        shifted.shift(0)
        ada.call("GET", "/v1/account", status=401)
        # Whoever tried often is held to the steady rate for a moment, not until the wrong time has come.
        credentials = {"email": ada.email, "password": ada.password}
        wait_until(lambda: ada.call("POST", "/v1/tokens", json=credentials, token=False).status_code == 201, 15, "a login")
