"""The server's programs, started and stopped as an operator does."""

import atexit
import contextlib
import glob
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARIES = pathlib.Path(os.environ.get("SAUNTER_BIN_DIR", ROOT / ".build" / "debug")).resolve()
# The options of `saunter serve`. While the web app is changed, its files need no build: SAUNTER_TEST_ASSETS=Sources/SaunterWeb
ASSETS = os.environ.get("SAUNTER_TEST_ASSETS")
OPTIONS = ["--dev-assets", ROOT / ASSETS] if ASSETS else []
STUDY = ROOT / "Questionnaires" / "studies" / "mindful-walking"
# Private clusters that servers of tests copy.
CLUSTERS = BINARIES / "test-clusters"


def _reserved_ports():
    """Ports that no other process of tests on this machine uses, each once.

    Otherwise another test could take the port of a server that is down for a moment. The ports are below the range of ephemeral ports, so that
    no other connection takes them. The name of a socket reserves a hundred ports until this process ends.
    """
    reservations = []
    for first in range(20_000, 30_000, 100):
        reservation = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            reservation.bind(f"\0saunter-test-ports-{first}")
            reservations.append(reservation)
            yield from range(first, first + 100)
    raise LookupError("tests use all ports")


_ports, _port_choice = _reserved_ports(), threading.Lock()


def free_port():
    """A free port. Never the same port twice."""
    while True:
        with _port_choice:
            port = next(_ports)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def alive(pid):
    """Whether the process runs. A zombie does not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(condition, seconds, what):
    """Calls the condition until its value is true; the value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def migrated_cluster():
    """The folder of a private cluster without data, migrated by the present program. To make one takes seconds, to copy it takes a moment."""
    program = (BINARIES / "saunter").stat()
    folder = CLUSTERS / f"{program.st_mtime_ns}-{program.st_size}"
    if folder.exists():
        return folder
    CLUSTERS.mkdir(parents=True, exist_ok=True)
    for older in CLUSTERS.glob("[0-9]*"):
        # Another process of tests may have made the folder in this moment.
        if older != folder:
            shutil.rmtree(older, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="saunter-acceptance-") as directory:
        server = Server(directory)
        server.run("migrate")
        server.remove()
        copy = CLUSTERS / f"unfinished-{os.getpid()}"
        _copy_cluster(pathlib.Path(directory) / "postgres", copy)
    try:
        copy.rename(folder)
    except OSError:
        # Another process of tests was faster.
        shutil.rmtree(copy)
    return folder


def _copy_cluster(source, target):
    """Copies a stopped cluster with the owners of its files, because PostgreSQL refuses files of another account."""
    subprocess.run(["cp", "-a", "--", source, target], check=True)


class Server:
    """`saunter serve` on a loopback port, with its own data directory."""

    def __init__(self, directory=None, smtp_url=None, database_url=None, port=None, public_url=None, master_key=None):
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="saunter-acceptance-"))
        self._owns_directory = directory is None
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.directory.parent / f"{self.directory.name}-{self.port}.log"
        self.process = None
        # A program that starts the server: it gets the server's command line, and must keep its process id (exec).
        self.wrapper = []
        self.options = list(OPTIONS)
        self.database_url = database_url
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SAUNTER_", "PG"))}
        given = {
            "SAUNTER_DATA_DIR": str(self.directory),
            "SAUNTER_HOST": "127.0.0.1",
            "SAUNTER_PORT": str(self.port),
            "SAUNTER_PUBLIC_URL": public_url or self.url,
            # Tests send requests from many client addresses, because request limits count by address.
            "SAUNTER_TRUSTED_PROXIES": "127.0.0.1",
            "SAUNTER_MAIL_FROM": "study@example.org",
            "SAUNTER_SMTP_URL": smtp_url,
            "SAUNTER_DATABASE_URL": database_url,
            "SAUNTER_MASTER_KEY_FILE": master_key,
        }
        self.environment = kept | {name: str(value) for name, value in given.items() if value is not None}
        atexit.register(self.remove)

    def _prepare(self):
        """Copies the migrated cluster before the first command of a server with a temporary directory."""
        cluster = self.directory / "postgres"
        if self._owns_directory and self.database_url is None and not cluster.exists():
            _copy_cluster(migrated_cluster(), cluster)

    # Start and stop

    def launch(self):
        self._prepare()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, BINARIES / "saunter", "serve", *map(str, self.options)], env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True)
        return self

    def start(self, seconds=120):
        self.launch()
        self.wait_until_ready(seconds)
        return self

    def wait_until_ready(self, seconds=120):
        def is_ready():
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}:\n{self.tail()}"
            try:
                return requests.get(self.url + "/health/ready", timeout=5).status_code == 200
            except requests.RequestException:
                return False

        wait_until(is_ready, seconds, f"the server is ready\n{self.tail()}")

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, seconds=60):
        """Sends SIGTERM; the exit status."""
        if not self.is_alive():
            return None if self.process is None else self.process.returncode
        self.process.terminate()
        return self.process.wait(seconds)

    def kill(self):
        """SIGKILL of the server's process, as if memory ran out."""
        self.process.kill()
        self.process.wait(30)

    def postmaster(self):
        """The process id of the private cluster's postmaster; None if it does not run."""
        try:
            text = (self.directory / "postgres" / "postmaster.pid").read_text()
        except FileNotFoundError:
            return None
        # The file is empty for a moment after its creation, and on a failing disk.
        pid = int((text.split() or ["0"])[0])
        return pid if pid and alive(pid) else None

    def kill_postmaster(self):
        """SIGKILL of the postmaster; returns when all its children have ended."""
        pid = self.postmaster()
        assert pid, "PostgreSQL runs"
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not alive(pid), 30, "PostgreSQL is gone")

    def postgres_processes(self):
        """The process ids of the private cluster: the postmaster first, then its children."""
        first = self.postmaster()
        if first is None:
            return []
        children = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(entry.read_text().rpartition(")")[2].split()[1]) == first:
                    children.append(int(entry.parent.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
        return [first, *sorted(children)]

    def remove(self):
        """Stops all processes and removes the directory. Safe in any state."""
        atexit.unregister(self.remove)
        if self.is_alive():
            try:
                self.stop(30)
            except subprocess.TimeoutExpired:
                self.kill()
        pid = self.postmaster() if self.database_url is None else None
        if pid:
            os.kill(pid, signal.SIGQUIT)
            wait_until(lambda: not alive(pid), 30, "PostgreSQL stops")
        if self._owns_directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def tail(self, lines=40):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    # Other commands

    def run(self, *arguments, program="saunter", status=0, seconds=180, **more):
        """Runs a command; its standard output."""
        self._prepare()
        done = subprocess.run(
            [BINARIES / program, *map(str, arguments)], env=self.environment | more, cwd=self.directory,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == status, f"{program} {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def measured(self, *arguments):
        """Runs a command; its standard output, and its peak memory in KiB."""
        process = subprocess.Popen(
            [BINARIES / "saunter", *map(str, arguments)], env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        assert process.returncode == 0, f"saunter {arguments} ended with {process.returncode}"
        return output, usage.ru_maxrss

    def publish(self, lenient=False):
        """Publishes the study. `lenient`: sheets about walks can be deleted for 24 hours, which the study's pack does not allow."""
        if not lenient:
            self.run("publish", STUDY)
            return
        with tempfile.TemporaryDirectory() as folder:
            packs = pathlib.Path(folder) / "packs"
            shutil.copytree(STUDY.parents[1], packs)
            file = packs / "instruments" / "after_walk" / "1.0.0" / "questionnaire.yaml"
            text = file.read_text()
            file.write_text(text.replace("edit: {correctWithin: 24h}", "edit: {correctWithin: 24h, deleteWithin: 24h}"))
            assert file.read_text() != text, "the pack does not contain the replaced text"
            self.run("publish", packs / "studies" / STUDY.name)

    def make_researcher(self, email, study="mindful-walking"):
        """Makes an account with the role of a researcher; its password."""
        made = json.loads(self.run("account", "create", "--email", email, "--name", "Rosa Field", "--json"))
        self.run("account", "grant", "--email", email, "--role", "researcher", "--study", study)
        return made["password"]

    # Direct access to the database

    def connection(self, database="saunter"):
        if self.database_url is not None and database == "saunter":
            return self.database_url
        return f"host={self.directory}/postgres port=5432 user=saunter dbname={database}"

    def sql(self, text, database="saunter"):
        return self._database_program("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, self.connection(database))

    @contextlib.contextmanager
    def locked(self, table, mode="access exclusive"):
        """Locks a table inside the block: readers and writers wait, or only writers with mode `share`."""
        name = f"hold-{table}-{os.getpid()}"
        holder = subprocess.Popen(
            [self._database_path("psql"), "-X", "-q", "-c", f"begin; lock table {table} in {mode} mode; select pg_sleep(300)",
             f"{self.connection()} application_name={name}"],
            env={"PATH": os.environ["PATH"]}, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            held = f"select 1 from pg_locks join pg_stat_activity using (pid) where application_name = '{name}' and mode = '{mode.title().replace(' ', '')}Lock' and granted and relation = '{table}'::regclass"
            wait_until(lambda: self.sql(held).strip(), 30, f"{table} is locked")
            yield
        finally:
            self.sql(f"select pg_terminate_backend(pid) from pg_stat_activity where application_name = '{name}'")
            holder.wait(30)

    @contextlib.contextmanager
    def transaction(self):
        """A transaction that commits at the end of the block; a function that runs a statement in it."""
        program = subprocess.Popen(
            [self._database_path("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.connection()],
            env={"PATH": os.environ["PATH"]}, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def do(statement):
            program.stdin.write(f"{statement};\n\\echo done\n")
            program.stdin.flush()
            while (line := program.stdout.readline()) != "done\n":
                assert line, f"the statement failed: {statement}"

        try:
            do("begin")
            yield do
            do("commit")
        finally:
            program.stdin.close()
            program.wait(30)

    def dump(self, *arguments):
        """The whole database as SQL text."""
        return self._database_program("pg_dump", *arguments, self.connection())

    def _database_program(self, name, *arguments):
        done = subprocess.run(
            [self._database_path(name), *arguments], env={"PATH": os.environ["PATH"]}, cwd="/", capture_output=True,
            text=True, timeout=120)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        return done.stdout

    @staticmethod
    def _database_path(name):
        found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
        return found[-1] if found else name
