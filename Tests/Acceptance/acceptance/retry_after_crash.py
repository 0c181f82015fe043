"""Why a retry must write. A statement that only reads does not wait for a standby, so its answer can acknowledge a row that is lost later."""

import concurrent.futures
import os
import signal
import subprocess

import requests

from . import answers
from .moments import new_id
from .people import Person
from .server import Server, wait_until


def _program(cluster, name, text):
    return subprocess.Popen(
        [Server._database_path("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
         f"host=127.0.0.1 port={cluster.ports[name]} dbname=saunter user=saunter"],
        env={"PATH": os.environ["PATH"]}, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _is_done(program, seconds):
    """Whether the statement was acknowledged within this time. Otherwise the program is killed."""
    try:
        return program.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        return False


def check_retry_after_crash(cluster, server):
    """Shows that INSERT … ON CONFLICT DO NOTHING acknowledges a row that is lost, and that the server does not acknowledge a sheet too early.

    1. Both standbys go down. A sheet and a row wait for them.
    2. PostgreSQL crashes and restarts with both in its log.
    3. The clients send both again.
    4. The primary is lost. A standby without both becomes the primary.
    """
    primary = cluster.primary()
    standbys = [name for name in cluster.ports if name != primary]
    person = Person(server).register().enrol()
    cluster.sql("create table if not exists public.retried (id int primary key); truncate public.retried")
    sheet_id, body = new_id(), person.sheet("daily_evening", answers.DAILY)

    def send():
        try:
            return person.call("PUT", person.own(f"/answer-sheets/{sheet_id}"), json=body).status_code
        except requests.RequestException:
            return None

    for name in standbys:
        cluster.kill(name)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        sending = pool.submit(send)
        row = _program(cluster, primary, "insert into public.retried values (1)")
        # Background writes of the servers wait too, so the row itself must be among the waiting transactions.
        waiting = "select count(*), count(*) filter (where query like 'insert into public.retried%') from pg_stat_activity where wait_event = 'SyncRep'"
        wait_until(lambda: (counts := cluster.sql(waiting, primary).split("|")) and int(counts[0]) >= 2 and counts[1] == "1", 30, "both wait for a standby")
        postmaster = int((cluster.directory / primary / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        row.wait(30)
        assert row.returncode != 0, "the first insert was not acknowledged"
        wait_until(lambda: _count(cluster, primary) == 1, 60, "PostgreSQL has restarted, with a row that no standby has")

        nothing = _is_done(_program(cluster, primary, "insert into public.retried values (1) on conflict do nothing"), 10)
        update = _is_done(_program(cluster, primary, "insert into public.retried values (1) on conflict (id) do update set id = 1"), 10)
        first = sending.result()
        second = send()
    assert nothing, "DO NOTHING is acknowledged at once"
    assert not update, "DO UPDATE waits for a standby"
    assert first in (None, 503) and second in (None, 503), f"the sheet is not acknowledged: {first}, {second}"

    cluster.kill(primary)
    for name in standbys:
        cluster.launch(name)
    wait_until(lambda: cluster.primary() in standbys, 120, "a standby is the primary")
    cluster.launch(primary)
    cluster.wait_until_settled(180)
    lost = 1 - int(cluster.sql("select count(*) from public.retried"))
    assert lost == 1, "the row that DO NOTHING acknowledged is lost"
    assert wait_until(lambda: send() == 201, 60, "the sheet is stored as new")
    assert send() == 200
    assert [sheet["sheet_id"] for sheet in person.pages(person.own("/answer-sheets"))] == [sheet_id]
    return "retry", "-", f"{primary}>{cluster.primary()}", "do nothing 1, do update 0, sheet 0", "-", "do nothing 1, sheet 0", 0, 0, "-", "-", "-"


def _count(cluster, name):
    try:
        return int(cluster.sql("select count(*) from public.retried", name))
    except (subprocess.CalledProcessError, ValueError):
        return None
