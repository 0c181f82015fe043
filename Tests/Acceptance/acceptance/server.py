"""The product: its programs, started and stopped the way an operator does it."""

import atexit
import contextlib
import glob
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARIES = pathlib.Path(os.environ.get("SAUNTER_BIN_DIR", ROOT / ".build" / "debug"))
STUDY = ROOT / "Questionnaires" / "studies" / "mindful-walking"


_given = set()


def free_port():
    """Of those that systems give to nobody by themselves: no connection or listener takes it before the server does, nor while the server is down. None twice."""
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in _given:
                _given.add(port)
                return port


def alive(pid):
    """Whether the process runs; one that ended and waits for its parent does not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(condition, seconds, what):
    """Asks until the condition holds, and gives its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


class Server:
    """`saunter serve` on a loopback port, with its own data directory."""

    def __init__(self, directory=None, smtp_url=None, database_url=None, port=None, public_url=None, master_key=None):
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="saunter-acceptance-"))
        self._owns_directory = directory is None
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.directory.parent / f"{self.directory.name}-{self.port}.log"
        self.process = None
        # A program that starts the server in its stead, with its arguments; what it starts must keep its number.
        self.wrapper = []
        self.database_url = database_url
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SAUNTER_", "PG"))}
        given = {
            "SAUNTER_DATA_DIR": str(self.directory),
            "SAUNTER_HOST": "127.0.0.1",
            "SAUNTER_PORT": str(self.port),
            "SAUNTER_PUBLIC_URL": public_url or self.url,
            # Tests come from many addresses, as people do; throttles count by address.
            "SAUNTER_TRUSTED_PROXIES": "127.0.0.1",
            "SAUNTER_MAIL_FROM": "study@example.org",
            "SAUNTER_SMTP_URL": smtp_url,
            "SAUNTER_DATABASE_URL": database_url,
            "SAUNTER_MASTER_KEY_FILE": master_key,
        }
        self.environment = kept | {name: str(value) for name, value in given.items() if value is not None}
        atexit.register(self.remove)

    # Running it

    def launch(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, BINARIES / "saunter", "serve"], env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL,
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
        """SIGTERM, and the status with which it ends."""
        if not self.is_alive():
            return None if self.process is None else self.process.returncode
        self.process.terminate()
        return self.process.wait(seconds)

    def kill(self):
        """SIGKILL of this one process, as when memory runs out."""
        self.process.kill()
        self.process.wait(30)

    def postmaster(self):
        """The process id of the private cluster's PostgreSQL; None when there is none."""
        try:
            text = (self.directory / "postgres" / "postmaster.pid").read_text()
        except FileNotFoundError:
            return None
        # Just made, or not written by a disk that fails, it is empty.
        pid = int((text.split() or ["0"])[0])
        return pid if pid and alive(pid) else None

    def kill_postmaster(self):
        """SIGKILL of PostgreSQL's first process, and the end of all that belong to it."""
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
        """Ends everything that was started here and takes the directory away, whatever has happened before."""
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

    # Its other commands

    def run(self, *arguments, program="saunter", status=0, seconds=180, **more):
        """One command of the operator's; its standard output."""
        done = subprocess.run(
            [BINARIES / program, *map(str, arguments)], env=self.environment | more, cwd=self.directory,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == status, f"{program} {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def measured(self, *arguments):
        """One command's standard output, and the most memory that it took, in KiB."""
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
        """The study. `lenient`: sheets about walks may be taken back for a day, as its pack does not allow."""
        if not lenient:
            self.run("publish", STUDY)
            return
        with tempfile.TemporaryDirectory() as folder:
            packs = pathlib.Path(folder) / "packs"
            shutil.copytree(STUDY.parents[1], packs)
            file = packs / "instruments" / "after_walk" / "1.0.0" / "questionnaire.yaml"
            text = file.read_text()
            file.write_text(text.replace("edit: {correctWithin: 24h}", "edit: {correctWithin: 24h, deleteWithin: 24h}"))
            assert file.read_text() != text, "its pack says it in other words"
            self.run("publish", packs / "studies" / STUDY.name)

    def make_researcher(self, email, study="mindful-walking"):
        """An account with a made-up password and a role; the password."""
        made = json.loads(self.run("account", "create", "--email", email, "--name", "Rosa Field", "--json"))
        self.run("account", "grant", "--email", email, "--role", "researcher", "--study", study)
        return made["password"]

    # Its database, past the product

    def connection(self, database="saunter"):
        if self.database_url is not None and database == "saunter":
            return self.database_url
        return f"host={self.directory}/postgres port=5432 user=saunter dbname={database}"

    def sql(self, text, database="saunter"):
        return self._database_program("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, self.connection(database))

    @contextlib.contextmanager
    def locked(self, table, mode="access exclusive"):
        """Holds a table, so that whatever reads it waits; by `share`, whatever writes it."""
        name = f"hold-{table}-{os.getpid()}"
        holder = subprocess.Popen(
            [self._database_path("psql"), "-X", "-q", "-c", f"begin; lock table {table} in {mode} mode; select pg_sleep(300)",
             f"{self.connection()} application_name={name}"],
            env={"PATH": os.environ["PATH"]}, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            held = f"select 1 from pg_locks join pg_stat_activity using (pid) where application_name = '{name}' and mode = '{mode.title().replace(' ', '')}Lock' and granted and relation = '{table}'::regclass"
            wait_until(lambda: self.sql(held).strip(), 30, f"{table} is held")
            yield
        finally:
            self.sql(f"select pg_terminate_backend(pid) from pg_stat_activity where application_name = '{name}'")
            holder.wait(30)

    @contextlib.contextmanager
    def transaction(self):
        """One that is open until the block ends, and then commits: a function that does a statement in it."""
        program = subprocess.Popen(
            [self._database_path("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.connection()],
            env={"PATH": os.environ["PATH"]}, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def do(statement):
            program.stdin.write(f"{statement};\n\\echo done\n")
            program.stdin.flush()
            while (line := program.stdout.readline()) != "done\n":
                assert line, f"it failed: {statement}"

        try:
            do("begin")
            yield do
            do("commit")
        finally:
            program.stdin.close()
            program.wait(30)

    def dump(self, *arguments):
        """Everything that a backup of the database would hold, as text."""
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
