"""Every acknowledged record is stored exactly once, in spite of faults of disks, connections, clocks and memory.

Each fault occurs a few times here. `bin/nightly campaign` runs hundreds of each."""

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
    assert outcome.reconciliation.is_clean, f"{outcome.reconciliation}: {sorted(map(str, outcome.reconciliation.torn))[:3]}"
    return outcome


# Disks

@CUTTING
def test_a_power_cut_loses_no_acknowledged_record():
    with power.rig() as rig:
        for seed in range(2):
            clean(power.once(rig, seed))


@CUTTING
def test_a_power_cut_loses_records_if_the_server_does_not_wait_for_commits():
    """A control: otherwise the test above could not fail."""
    with power.rig(lossy=True) as rig:
        assert any(power.once(rig, seed).reconciliation.lost for seed in range(8))


@MOUNTING
def test_with_a_full_disk_the_server_rejects_records_and_recovers_when_there_is_space():
    with full.rig("data and WAL") as rig:
        outcome = clean(full.once(rig, 0, seconds=1.5))
    assert outcome.notes["refused"].keys() & {"503", "507"}, "the disk was full"


@FAILING
def test_a_failed_fsync_loses_no_acknowledged_record():
    """The disk contains all records that were acknowledged before and after the fault."""
    with failing.rig() as rig:
        for seed in range(2):
            outcome = clean(failing.once(rig, seed))
            assert outcome.notes["failed_fsyncs"] and outcome.notes["refused"], "PostgreSQL noticed the fault, and a request was rejected"


@FAILING
def test_a_failed_fsync_loses_records_if_the_server_does_not_wait_for_commits():
    with failing.rig(lossy=True) as rig:
        assert any(failing.once(rig, seed).reconciliation.lost for seed in range(6))


@unless(disks.obstacle("mkfs.ext4") or bounds.obstacle("blkio"))
def test_a_slow_disk_causes_delays_and_no_loss():
    with bounds.slow_rig() as rig:
        outcome = clean(bounds.slow_disk(rig, 0, seconds=2))
    assert outcome.notes["more_MiB"] < 256


def test_a_database_that_hangs_loses_no_record(own, feed):
    outcome = clean(bounds.hanging(own, 0, seconds=1.5, feed=feed))
    # The first response may have been sent just before.
    assert outcome.recovery >= 1, "the database hung"


@unless(bounds.obstacle("memory"))
def test_large_batches_of_many_devices_need_little_memory(own):
    outcome = clean(bounds.memory(own, 0, mebibytes=96))
    assert outcome.notes["killed"] == 0


# Connections

@pytest.mark.parametrize("kind", ["replies lost after the commit", "all of it at once"])
def test_a_bad_connection_loses_and_doubles_no_record(own, feed, kind):
    outcome = clean(network.once(own, kind, 0, feed=feed))
    assert sum(outcome.notes[name] for name in ("swallowed", "cut", "frozen")), "the connection had faults"


# A device times out after three or four successive lost packets. With 10 % loss that takes hundreds of requests.
@LOSING
@pytest.mark.parametrize("percent, given_up", [(10, 1), (30, 8)], ids=["10", "30"])
def test_packet_loss_loses_and_doubles_no_record(percent, given_up):
    with loss.rig() as rig:
        outcome = clean(loss.once(rig, percent, 0, given_up=given_up))
    assert all(outcome.notes["packets_lost"]), "the kernel dropped some, each way"


@LOSING
def test_packet_loss_between_server_and_database_loses_and_doubles_no_record():
    with loss.rig(to_database=True) as rig:
        outcome = clean(loss.once(rig, 10, 0, given_up=0, socket_seconds=20))
    assert all(outcome.notes["packets_lost"]), "the kernel dropped some, each way"


def test_after_a_lost_response_the_same_bytes_get_their_receipt_and_other_bytes_a_conflict(own):
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


# Many connections

# More slow bodies than the limit of concurrent bodies. All are of one account, so other accounts are not affected.
@pytest.mark.parametrize("kind, size", [("connections opened over and over", 500), ("slow bodies", 3000), ("slow readers", 500)])
def test_many_idle_or_slow_connections_do_not_delay_submissions(own, feed, kind, size):
    outcome = clean(storm.once(own, kind, 0, size=size, seconds=1, feed=feed))
    waits = outcome.recovery, outcome.notes["silence_s"], outcome.notes["newcomer_s"]
    assert max(waits) < 20 and outcome.notes["more_MiB"] < 256, outcome.notes


def test_connections_that_never_finish_are_closed(own):
    """Silent connections, headers and bodies that never end, and responses that the client does not read."""
    held = storm.dawdle(own)
    assert set(held.values()) == {0}, held


def test_concurrent_requests_of_all_kinds_have_one_winner(own, feed):
    clean(races.once(own, 0, 40, feed))


# Clocks

def test_jumps_of_the_clock_lose_no_record_and_lock_out_no_participant():
    with clock.rig() as rig:
        for seed, kind in enumerate(["ten years ahead and back", "ten years behind and back", "to and fro"]):
            clean(clock.once(rig, kind, seed))


def test_a_token_from_a_wrong_time_is_invalid_when_the_clock_is_correct():
    with clock.rig() as (server, shifted):
        ada = Person(server).register().enrol()
        shifted.shift(clock.DECADE)
        ada.call("GET", "/v1/account", status=401)
        ada.log_in()
        ada.call("GET", "/v1/account", status=200)
        shifted.shift(0)
        ada.call("GET", "/v1/account", status=401)
        # After many attempts the rate limit applies for a moment, and not until the wrong time is reached.
        credentials = {"email": ada.email, "password": ada.password}
        wait_until(lambda: ada.call("POST", "/v1/tokens", json=credentials, token=False).status_code == 201, 15, "a login")
