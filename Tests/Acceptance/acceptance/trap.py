"""What a retry may be told while no standby is there: an answer that rests on a row, without a write, waits for nobody."""

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
    """Whether the statement was acknowledged within that time; ended otherwise."""
    try:
        return program.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        return False


def shows_the_trap(cluster, server):
    """Both standbys go; a sheet and a row wait for them; PostgreSQL dies and comes back with both in its log; their senders try again; then the
    primary is lost, and the standbys come back without them.

    Asserts that the sheet was acknowledged by nobody until it was safe, and that INSERT … ON CONFLICT DO NOTHING acknowledged a row that is lost."""
    primary = cluster.primary()
    standbys = [name for name in cluster.ports if name != primary]
    person = Person(server).register().enrol()
    cluster.sql("create table if not exists public.trap (id int primary key); truncate public.trap")
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
        row = _program(cluster, primary, "insert into public.trap values (1)")
        # What the servers do by themselves waits, too: the row has to be one of those, else it may not be there yet.
        waiting = "select count(*), count(*) filter (where query like 'insert into public.trap%') from pg_stat_activity where wait_event = 'SyncRep'"
        wait_until(lambda: (counts := cluster.sql(waiting, primary).split("|")) and int(counts[0]) >= 2 and counts[1] == "1", 30, "both wait for a standby")
        postmaster = int((cluster.directory / primary / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        row.wait(30)
        assert row.returncode != 0, "the first insert was not acknowledged"
        wait_until(lambda: _count(cluster, primary) == 1, 60, "PostgreSQL is back, with a row that no standby has")

        nothing = _is_done(_program(cluster, primary, "insert into public.trap values (1) on conflict do nothing"), 10)
        update = _is_done(_program(cluster, primary, "insert into public.trap values (1) on conflict (id) do update set id = 1"), 10)
        first = sending.result()
        second = send()
    assert nothing, "DO NOTHING is acknowledged at once"
    assert not update, "DO UPDATE waits for a standby"
    assert first in (None, 503) and second in (None, 503), f"nobody is told that the sheet is stored: {first}, {second}"

    cluster.kill(primary)
    for name in standbys:
        cluster.launch(name)
    wait_until(lambda: cluster.primary() in standbys, 120, "a standby leads")
    cluster.launch(primary)
    cluster.wait_until_settled(180)
    lost = 1 - int(cluster.sql("select count(*) from public.trap"))
    assert lost == 1, "what DO NOTHING acknowledged is lost"
    assert wait_until(lambda: send() == 201, 60, "the sheet is taken, as new")
    assert send() == 200
    assert [sheet["sheet_id"] for sheet in person.pages(person.own("/answer-sheets"))] == [sheet_id]
    return "trap", "-", f"{primary}>{cluster.primary()}", "do nothing 1, do update 0, sheet 0", "-", "do nothing 1, sheet 0", 0, 0, "-", "-", "-"


def _count(cluster, name):
    try:
        return int(cluster.sql("select count(*) from public.trap", name))
    except (subprocess.CalledProcessError, ValueError):
        return None
