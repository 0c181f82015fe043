"""Every acknowledged record is stored exactly once, although processes are killed under load."""

import contextlib
import random

import pytest
import requests

from acceptance import records
from acceptance.datasets import Custodian
from acceptance.faults import kills
from acceptance.faults.outcome import disable_synchronous_commit, load
from acceptance.ledger import Feed
from acceptance.moments import new_id
from acceptance.people import Researcher
from acceptance.server import Server

# Enough to find a fault that always occurs. `bin/nightly campaign` kills hundreds of times.
ROUNDS = {"server": 2, "backend": 1, "PostgreSQL": 2, "server and PostgreSQL": 1, "SIGTERM of the server": 1}


@pytest.fixture(scope="module")
def fragile():
    """A separate server, which tests kill."""
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
def test_a_kill_under_load_loses_and_doubles_no_record(fragile, feed, kind, seed):
    outcome = kills.once(fragile, kind, seed, feed)
    assert outcome.reconciliation.is_clean, str(outcome.reconciliation)
    assert outcome.recovery > 0, "the kill interrupted the load"


def test_after_all_kills_the_dataset_contains_each_record_once(fragile):
    for kind, counts in Custodian(fragile).ids().items():
        table, column = records.BATCH_ONLY_TABLES.get(kind) or records.ENDPOINTS[kind][1:]
        left = " where deleted_at is null" if kind in ("walk", "observation") else ""
        stored = fragile.sql(f"select distinct {column} from {table}{left}").split()
        assert stored and counts == dict.fromkeys(stored, 1), kind


def test_kills_lose_records_if_the_server_does_not_wait_for_commits():
    """A control: otherwise the tests above could not fail. (A kill of the server alone loses nothing, because PostgreSQL goes on and commits.)"""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        disable_synchronous_commit(server)
        # One kill may lose nothing, because the acknowledged records have reached the disk just before it.
        kinds = ("PostgreSQL", "backend", "server and PostgreSQL")
        assert any(kills.once(server, kind, seed, lossy=True).reconciliation.lost for seed in range(8) for kind in kinds)
    finally:
        server.remove()


def has_every_case(story):
    """Whether a story has each kind of record, a corrected evening sheet, a deleted walk, and an observation with several revisions."""
    kinds = {record.kind for record in story}
    about_walks = {record.id for record in story if "walk_id" in record.body and record.kind == "answer_sheet"}
    return (
        {*records.ENDPOINTS, *records.BATCH_ONLY_TABLES} - {"calibration"} <= kinds
        and any(record.kind == "correction" and record.subject not in about_walks for record in story)
        and {next(iter(record.body)) for record in story if record.kind == "deletion"} == {"walk_id"}
        and any(record.revision > 1 for record in story))


@pytest.fixture(scope="module")
def ledger(fragile):
    """A ledger after its load has ended, without faults. The following tests change stored rows and restore them."""
    with load(fragile, 7, count=1, warm=60) as ledger:
        pass
    # The load may lack a kind or a case that the tests need.
    chance = random.Random(7)
    stories = (ledger.story(ledger.people[0], chance) for _ in range(1000))
    ledger.enqueue(next(story for story in stories if has_every_case(story)))
    ledger.retry()
    ledger.reconcile()
    return ledger


# The tables with a participant's records, and with what the server derives from them.
TABLES = (
    "amendment", "answer_sheet", "answer_text", "calibration", "observation", "occasion", "reminder", "rescored_sheet", "usage_event", "walk",
)
# PostgreSQL skips triggers and foreign keys.
REPLICA = "set session_replication_role = replica; "


@contextlib.contextmanager
def changed_rows(ledger, statements):
    """Changes rows of the participant without the server, and restores all rows of the participant at the end.

    The ledger sends records again while the rows are changed, and the server reacts: it stores a record again that is missing or has
    an earlier revision, with a new time of receipt and with further rows. So a restore of the changed columns alone is not enough.
    """
    server, [person] = ledger.server, ledger.people
    enrolment = f"enrolment_id = '{person.enrolment['enrolment_id']}'"
    server.sql("drop schema if exists unchanged cascade; create schema unchanged; " + "; ".join(
        f"create table unchanged.{table} as select * from research.{table} where {enrolment}" for table in TABLES))
    server.sql(REPLICA + statements)
    try:
        yield
    finally:
        server.sql(REPLICA + "".join(
            f"delete from research.{table} where {enrolment}; insert into research.{table} select * from unchanged.{table}; "
            for table in TABLES) + "drop schema unchanged cascade")


def check_restored(ledger, repeated):
    """The comparison finds no fault, also after the server got the records once more whose rows were changed."""
    found = ledger.compare(repeating=repeated)
    assert found.is_clean, f"after the rows were restored: {found}"


# Faults that the comparison must find, as changes of one row of each kind. The changed sheet fulfils no occasion, because a
# constraint of the database forbids a second sheet that fulfils one.
HARMS = {
    "lost": "delete from {table} where {column} = '{id}';"
            " delete from research.answer_text where sheet_id = '{id}'",
    "altered": "update {table} set body_sha256 = sha256('other') where {column} = '{id}'",
    "doubled": "create temporary table twin as select * from {table} where {column} = '{id}'; update twin set {column} = '{other}';"
               " insert into {table} select * from twin; drop table twin;"
               " insert into research.answer_text select enrolment_id, '{other}', revision, item, text from research.answer_text"
               " where sheet_id = '{id}'",
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_comparison_finds_a_single_wrong_row_of_each_kind(ledger, harm):
    statements, harmed, repeated = "", set(), set()
    tables = {kind: endpoint[1:] for kind, endpoint in records.ENDPOINTS.items()} | records.BATCH_ONLY_TABLES
    for kind, (table, column) in tables.items():
        name = next(
            entry.record.id for entry in ledger.acknowledged.values()
            if entry.record.kind == kind and entry.receipt.get("duplicate_of", True) and not ledger.is_edited(entry.record.id)
            and (kind != "answer_sheet" or "walk_id" not in entry.record.body))
        other = new_id()
        harmed.add(other if harm == "doubled" else name)
        if kind in records.ENDPOINTS:
            repeated.add(name)
        statements += HARMS[harm].format(table=table, column=column, id=name, other=other) + "; "

    with changed_rows(ledger, statements):
        found = ledger.compare(repeating=repeated)
        assert getattr(found, harm) == harmed, str(found)

    check_restored(ledger, repeated)


def test_the_comparison_finds_a_sheet_without_its_scores(ledger):
    name = next(
        entry.record.id for entry in ledger.acknowledged.values()
        if entry.record.kind == "answer_sheet" and not ledger.is_edited(entry.record.id))

    with changed_rows(ledger, f"update research.answer_sheet set key_id = null, scored_at = null, score_values = null, score_counts = null where sheet_id = '{name}'"):
        assert name in ledger.compare(repeating={name}).torn

    check_restored(ledger, {name})


def test_the_comparison_finds_an_edit_that_was_acknowledged_and_not_applied(ledger):
    acknowledged = [entry.record for entry in ledger.acknowledged.values()]
    about_walks = {record.id for record in acknowledged if record.kind == "answer_sheet" and "walk_id" in record.body}
    sheet = next(
        record.subject for record in acknowledged
        if record.kind == "correction" and record.subject in ledger.acknowledged and record.subject not in about_walks
        and not ledger.is_deleted(record.subject))
    deletion = next(record for record in acknowledged if record.kind == "deletion" and "sheet_id" not in record.body)
    gone, kind = deletion.subject, "walk" if "walk_id" in deletion.body else "observation"

    with changed_rows(
        ledger,
        f"update research.answer_sheet set current = revision = 1 where sheet_id = '{sheet}';"
        f" update research.{kind} set deleted_at = null where {kind}_id = '{gone}'",
    ):
        found = ledger.compare(repeating={sheet})
        assert found.altered == {sheet} and found.doubled == {gone}, str(found)

    check_restored(ledger, {sheet})


def test_the_comparison_finds_an_earlier_revision_instead_of_a_later_one(ledger):
    name = next(
        entry.record.id for entry in ledger.acknowledged.values()
        if entry.record.revision > 1 and not any(other.record.subject == entry.record.id for other in ledger.acknowledged.values()))

    with changed_rows(ledger, f"update research.observation set revision = 1 where observation_id = '{name}'"):
        # The server gets the later revision again here, and stores it again.
        assert ledger.compare(repeating={name}).altered == {name}

    check_restored(ledger, {name})


def test_the_comparison_finds_an_open_occasion_that_a_sheet_fulfils(ledger):
    """As if the sheet that fulfilled the occasion had been deleted, and its duplicate had not become the successor."""
    [(occasion, sheet), *_] = (line.split("|") for line in ledger.server.sql(
        "select occasion_id, sheet_id from research.occasion where sheet_id is not null and enrolment_id ="
        f" '{ledger.people[0].enrolment['enrolment_id']}'").split())

    with changed_rows(ledger, f"update research.occasion set sheet_id = null where occasion_id = '{occasion}'"):
        assert ledger.compare(repeating={sheet}).torn == {occasion}

    check_restored(ledger, {sheet})


def test_a_second_server_on_the_same_data_directory_ends_with_one_line(fragile):
    second = Server(directory=fragile.directory)
    second.launch()
    assert second.process.wait(60) == 1
    lines = [line for line in second.tail().splitlines() if line.startswith("saunter: ")]
    assert len(lines) == 1, second.tail()
    assert requests.get(fragile.url + "/health/ready", timeout=10).status_code == 200
