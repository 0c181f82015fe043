"""Shared parts of the measurements: a study with participants, the tools that measure, and the output of results."""

import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
os.environ.setdefault("SAUNTER_BIN_DIR", str(ROOT / ".build" / "release"))
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

import requests  # noqa: E402

from acceptance.people import Person  # noqa: E402

STUDY = "bench"


def publish(server, folder_name="study", study=STUDY):
    """Publishes the study of this folder with its questionnaire."""
    with tempfile.TemporaryDirectory() as folder:
        packs = pathlib.Path(folder)
        shutil.copytree(ROOT / "Questionnaires" / "instruments" / "who_5", packs / "instruments" / "who_5")
        shutil.copytree(HERE / folder_name, packs / "studies" / study)
        server.run("publish", packs / "studies" / study)


def register(server, number):
    return enrol(Person(server, name=f"Bench{number}", zone="Europe/Berlin").register())


def enrol(person, study=STUDY):
    person.enrolment = person.call(
        "POST", f"/v1/studies/{study}/enrolments", status=201,
        json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": "en"})
    return person


def write_people(people, path):
    """Writes the enrolments with new access tokens, which are valid for ten minutes."""
    def line(person):
        answer = person.refresh()
        assert answer.status_code in (200, 201), answer.text
        person.tokens = answer.json()
        return f"{person.enrolment['enrolment_id']} {person.tokens['access_token']}\n"

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        path.write_text("".join(pool.map(line, people)))


class Bench:
    def __init__(self, server, people, options):
        self.server = server
        self.people = people
        self.seconds = options.seconds
        self.random_ids = options.random_ids
        self.file = server.directory / "bench-people.txt"
        # Processor time by operation: microseconds per row or sheet, of the server and of PostgreSQL, one entry per run.
        self.costs = {}
        write_people(people, self.file)

    def psql(self, *commands, file=None):
        arguments = [argument for command in commands for argument in ("-c", command)]
        return self._program("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments, *(["-f", str(file)] if file else []),
                             self.server.connection())

    def _program(self, name, *arguments):
        done = subprocess.run([name, *arguments], cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def stored(self, table="research.answer_sheet"):
        return int(self.psql(f"select count(*) from {table}"))

    @contextlib.contextmanager
    def costing(self, what):
        """Measures the processor time of the server and PostgreSQL per operation. Yields a list for the number of operations."""
        number, before = [], (cpu_seconds(self.server.process.pid), postgres_seconds(self.server.postmaster()))
        yield number
        after = (cpu_seconds(self.server.process.pid), postgres_seconds(self.server.postmaster()))
        self.costs.setdefault(what, []).append([(late - early) * 1e6 / max(1, number[0]) for early, late in zip(before, after)])

    def cost(self, what, name):
        server, postgres = (statistics.median(run[index] for run in self.costs[what]) for index in (0, 1))
        row(f"processor time, {name}", f"{server:.0f} + {postgres:.0f}", "µs in server + PostgreSQL")

    def insert(self):
        """Rows per second of pgbench: 64 clients, each with one insert and one commit at a time."""
        with self.costing("insert") as number:
            rate = self._insert()
            number.append(rate * self.seconds)
        return rate

    def _insert(self):
        out = self._program("pgbench", "-n", "-M", "prepared", "-c", "64", "-j", "2", "-T", str(self.seconds),
                            "-f", str(HERE / "insert.sql"), self.server.connection())
        return float(next(line for line in out.splitlines() if line.startswith("tps")).split()[2])

    def wrk(self, script, connections, pause_ms=None, seconds=None, table="research.answer_sheet"):
        """Requests per second, median and 99th percentile of the latency in milliseconds. All acknowledged records must be stored."""
        before = self.stored(table)
        environment = os.environ | {"BENCH": str(HERE), "PEOPLE": str(self.file)}
        if pause_ms is not None:
            environment["PAUSE_MS"] = str(pause_ms)
        with self.costing(script) as number:
            done = self._wrk(script, connections, environment, seconds)
            # Counting the rows of a table with millions would cost PostgreSQL more than the load.
            count, _, _, _, rejected, _ = numbers(done)
            number.append(max(1, (count - rejected) * (500 if script == "sync.lua" else 1)))
        return self._result(script, connections, table, before, done)

    def read(self, script, connections):
        """Like `wrk`, for requests that store nothing. None may be rejected."""
        with self.costing(script) as number:
            done = self._wrk(script, connections, os.environ | {"BENCH": str(HERE), "PEOPLE": str(self.file)}, None)
            count, microseconds, median, p99, rejected, failed = numbers(done)
            number.append(count)
        assert rejected == 0 and failed == 0, (rejected, failed)
        return count / (microseconds / 1e6), median / 1000, p99 / 1000

    def renew(self):
        """Renews the access tokens, which are valid for ten minutes."""
        write_people(self.people, self.file)

    def _wrk(self, script, connections, environment, seconds):
        environment |= {"RANDOM_IDS": "yes"} if self.random_ids else {}
        return subprocess.run(
            ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds or self.seconds}s", "--timeout", "20s", "-s", HERE / script,
             self.server.url],
            env=environment, capture_output=True, text=True)

    def _result(self, script, connections, table, before, done):
        count, microseconds, median, p99, rejected, failed = numbers(done)
        self.vacuum()
        stored = self.stored(table) - before
        each = 500 if script == "sync.lua" else 1
        # wrk drops the requests that are in progress at the end.
        assert 0 <= stored - (count - rejected) * each <= (connections + 1) * each, (stored, count, rejected)
        if rejected or failed:
            print(f"    {rejected} rejected, {failed} failed", flush=True)
        return (count - rejected) * each / (microseconds / 1e6), median / 1000, p99 / 1000

    def batches(self):
        """The average numbers of look-ups and sheets per statement since the start of the server."""
        text = requests.get(self.server.url + "/metrics", timeout=10).text
        totals = {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if line.startswith("saunter_ingest_batch")}
        return ", ".join(
            f"{totals[f'saunter_ingest_batch_{name}_sum'] / max(1, totals[f'saunter_ingest_batch_{name}_count']):.1f} {name}"
            for name in ("lookups", "sheets"))

    def vacuum(self):
        time.sleep(0.3)
        self.psql("vacuum analyze research.answer_sheet, research.change", "checkpoint")

    def copy(self, path):
        """Rows per second of one COPY from a file into the empty table."""
        self.psql("truncate bench.answer_sheet")
        start = time.monotonic()
        self.psql(f"\\copy bench.answer_sheet from '{path}'")
        seconds = time.monotonic() - start
        return int(self.psql("select count(*) from bench.answer_sheet")) / seconds

    def export_rows(self, path, rows):
        self.psql(f"\\copy (select * from research.answer_sheet limit {rows}) to '{path}'")


def numbers(done):
    """The results of a run of wrk: requests, microseconds, median and 99th percentile of the latency, rejected requests, failed requests."""
    results = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    assert done.returncode == 0 and results, done.stdout + done.stderr
    count, microseconds, median, p99, _, rejected, failed = map(int, results[0].split()[1:])
    return count, microseconds, median, p99, rejected, failed


def cpu_seconds(pid):
    """Processor time of a process without its children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def postgres_seconds(postmaster):
    """Processor time of PostgreSQL: the postmaster, its ended children, and its running children."""
    fields = pathlib.Path(f"/proc/{postmaster}/stat").read_text().rpartition(")")[2].split()
    total = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    for child in pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            total += cpu_seconds(child)
    return total


def resident_mb(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def alternate(rounds, *measures):
    """Calls each measure once per round; the results of each measure."""
    results = [[] for _ in measures]
    for _ in range(rounds):
        for index, measure in enumerate(measures):
            results[index].append(measure())
    return results


def row(name, value, unit, target=""):
    print(f"| {name} | {value} | {unit} | {target} |", flush=True)


def spread(values):
    return f"{statistics.median(values):,.0f} ({min(values):,.0f}–{max(values):,.0f})"
