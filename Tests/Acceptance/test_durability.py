"""What was acknowledged is there, once, whatever dies in the middle."""

import random

import pytest
import requests

from acceptance import records
from acceptance.datasets import Custodian
from acceptance.faults import kills
from acceptance.faults.outcome import forget_commits, load
from acceptance.ledger import Feed
from acceptance.moments import new_id
from acceptance.people import Researcher
from acceptance.server import Server

# Often enough to find what is always wrong; Benchmarks/saunter-campaign does it by the hundred.
ROUNDS = {"server": 2, "backend": 1, "PostgreSQL": 2, "server and PostgreSQL": 1, "SIGTERM of the server": 1}


@pytest.fixture(scope="module")
def fragile():
    """A server of its own, which may be killed."""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="module")
def feed(fragile):
    return Feed(Researcher(fragile))


@pytest.mark.parametrize("kind,seed", [(kind, seed) for kind, rounds in ROUNDS.items() for seed in range(rounds)])
def test_a_kill_under_load_loses_and_doubles_nothing(fragile, feed, kind, seed):
    outcome = kills.once(fragile, kind, seed, feed)
    assert outcome.reckoning.is_clean, str(outcome.reckoning)
    assert outcome.recovery > 0, "something was interrupted"


def test_after_all_kills_the_dataset_holds_each_thing_once(fragile):
    for kind, counts in Custodian(fragile).ids().items():
        table, column = records.OUTBOX_PLACES.get(kind) or records.PLACES[kind][1:]
        left = " where deleted_at is null" if kind in ("walk", "observation") else ""
        stored = fragile.sql(f"select distinct {column} from {table}{left}").split()
        assert stored and counts == dict.fromkeys(stored, 1), kind


def test_kills_lose_something_when_commits_are_not_waited_for():
    """Else the tests before could not fail. (PostgreSQL keeps what it was told to commit when the server alone is killed.)"""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        forget_commits(server)
        # A kill may come just after what was acknowledged has reached the disk all the same.
        kinds = ("PostgreSQL", "backend", "server and PostgreSQL")
        assert any(kills.once(server, kind, seed, lossy=True).reckoning.lost for seed in range(8) for kind in kinds)
    finally:
        server.remove()


def is_full(told):
    """Whether a story has each kind of record, an evening's sheet that is corrected, a walk that is taken back, and an observation with a revision that stands."""
    kinds = {record.kind for record in told}
    about = {record.id for record in told if "walk_id" in record.body and record.kind == "answer_sheet"}
    return (
        {*records.PLACES, *records.OUTBOX_PLACES} - {"calibration"} <= kinds
        and any(record.kind == "correction" and record.subject not in about for record in told)
        and {next(iter(record.body)) for record in told if record.kind == "deletion"} == {"walk_id"}
        and any(record.revision > 1 for record in told))


@pytest.fixture(scope="module")
def tampered(fragile):
    """A ledger whose load is over, all of it well; rows of it are made wrong and put right again."""
    with load(fragile, 7, count=1, warm=60) as ledger:
        pass
    # Of each kind one at least, and of what the tests look for.
    chance = random.Random(7)
    stories = (ledger.story(ledger.people[0], chance) for _ in range(1000))
    ledger.give(next(told for told in stories if is_full(told)))
    ledger.retry()
    ledger.reconcile()
    return ledger


# What the reconciling must see, done behind the server's back to one row of each kind. Of sheets it is one that settles nothing: the database
# itself refuses a second that does.
HARMS = {
    "lost": "delete from {table} where {column} = '{id}'",
    "altered": "update {table} set body_sha256 = sha256('other') where {column} = '{id}'",
    "doubled": "create temporary table twin as select * from {table} where {column} = '{id}'; update twin set {column} = '{other}';"
               " insert into {table} select * from twin; drop table twin;"
               " insert into research.answer_text select enrolment_id, '{other}', revision, item, text from research.answer_text"
               " where sheet_id = '{id}'",
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_reconciling_sees_a_single_row_that_is_wrong(fragile, tampered, harm):
    replica = "set session_replication_role = replica; "
    worse, better, harmed = replica, replica, set()
    places = {kind: place[1:] for kind, place in records.PLACES.items()} | records.OUTBOX_PLACES
    for kind, (table, column) in places.items():
        name = next(
            told.record.id for told in tampered.acknowledged.values()
            if told.record.kind == kind and told.receipt.get("duplicate_of", True) and not tampered.is_amended(told.record.id)
            and (kind != "answer_sheet" or "walk_id" not in told.record.body))
        other = new_id()
        harmed.add(other if harm == "doubled" else name)
        fragile.sql(f"create table public.kept_{kind} as select * from {table} where {column} = '{name}'")
        worse += HARMS[harm].format(table=table, column=column, id=name, other=other) + "; "
        better += f"delete from {table} where {column} in ('{name}', '{other}'); insert into {table} select * from public.kept_{kind};"
        better += f" drop table public.kept_{kind}; "
    fragile.sql(worse)
    try:
        found = tampered.reckon()
        assert getattr(found, harm) == harmed, str(found)
    finally:
        fragile.sql(better)
    assert tampered.reckon().is_clean, "put right again"


def test_the_reconciling_sees_a_sheet_without_its_scores(fragile, tampered):
    name = next(told.record.id for told in tampered.acknowledged.values() if told.record.kind == "answer_sheet" and not tampered.is_amended(told.record.id))
    fragile.sql(f"create table public.kept as select * from research.score where sheet_id = '{name}'")
    fragile.sql(f"delete from research.score where sheet_id = '{name}'")
    try:
        assert name in tampered.reckon().torn
    finally:
        fragile.sql("insert into research.score select * from public.kept; drop table public.kept")


def test_the_reconciling_sees_what_was_said_of_a_thing_and_not_done(fragile, tampered):
    told = [told.record for told in tampered.acknowledged.values()]
    about = {record.id for record in told if record.kind == "answer_sheet" and "walk_id" in record.body}
    sheet = next(record.subject for record in told if record.kind == "correction" and record.subject not in about)
    deletion = next(record for record in told if record.kind == "deletion" and "sheet_id" not in record.body)
    gone, kind = deletion.subject, "walk" if "walk_id" in deletion.body else "observation"
    replica = "set session_replication_role = replica; "
    newest = f"(select max(revision) from research.answer_sheet where sheet_id = '{sheet}')"
    fragile.sql(replica + f"update research.answer_sheet set current = revision = 1 where sheet_id = '{sheet}'")
    fragile.sql(replica + f"update research.{kind} set deleted_at = null where {kind}_id = '{gone}'")
    try:
        found = tampered.reckon()
        assert found.altered == {sheet} and found.doubled == {gone}, str(found)
    finally:
        fragile.sql(replica + f"update research.answer_sheet set current = revision = {newest} where sheet_id = '{sheet}'")
        fragile.sql(replica + f"update research.{kind} set deleted_at = now() where {kind}_id = '{gone}'")
    assert tampered.reckon().is_clean, "put right again"


def test_the_reconciling_sees_an_earlier_revision_in_the_place_of_a_later_one(fragile, tampered):
    name = next(
        told.record.id for told in tampered.acknowledged.values()
        if told.record.revision > 1 and not any(other.record.subject == told.record.id for other in tampered.acknowledged.values()))
    [before] = fragile.sql(f"select revision from research.observation where observation_id = '{name}'").split()
    replica = "set session_replication_role = replica; "
    fragile.sql(replica + f"update research.observation set revision = 1 where observation_id = '{name}'")
    try:
        assert tampered.reckon().altered == {name}
    finally:
        fragile.sql(replica + f"update research.observation set revision = {before} where observation_id = '{name}'")
    assert tampered.reckon().is_clean, "put right again"


def test_the_reconciling_sees_an_occasion_that_no_duplicate_took_over(fragile, tampered):
    """As if the answer of an occasion had been taken back, and the occasion were open again although another answer is there."""
    [(occasion, sheet), *_] = (line.split("|") for line in fragile.sql(
        "select occasion_id, sheet_id from research.occasion where sheet_id is not null and enrolment_id ="
        f" '{tampered.people[0].enrolment['enrolment_id']}'").split())
    replica = "set session_replication_role = replica; "
    fragile.sql(replica + f"update research.occasion set sheet_id = null where occasion_id = '{occasion}'")
    try:
        assert tampered.reckon().torn == {occasion}
    finally:
        fragile.sql(replica + f"update research.occasion set sheet_id = '{sheet}' where occasion_id = '{occasion}'")
    assert tampered.reckon().is_clean, "put right again"


def test_a_second_server_on_the_same_data_directory_is_refused_in_one_line(fragile):
    second = Server(directory=fragile.directory)
    second.launch()
    assert second.process.wait(60) == 1
    lines = [line for line in second.tail().splitlines() if line.startswith("saunter: ")]
    assert len(lines) == 1, second.tail()
    assert requests.get(fragile.url + "/health/ready", timeout=10).status_code == 200
