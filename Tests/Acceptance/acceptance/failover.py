"""A PostgreSQL cluster that fails over: pg_auto_failover's monitor and data nodes, in a temporary folder."""

import atexit
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from .server import Server, alive, free_port, wait_until

# The monitor checks every second, and a node counts as lost after six seconds. A primary is replaced within about 15 seconds, not 50.
_MONITOR = """
pgautofailover.health_check_period = 1000
pgautofailover.health_check_timeout = 1000
pgautofailover.health_check_max_retries = 1
pgautofailover.health_check_retry_delay = 500
pgautofailover.node_considered_unhealthy_timeout = 6000
pgautofailover.primary_demote_timeout = 5000
pgautofailover.startup_grace_period = 3000
listen_addresses = '127.0.0.1'
shared_buffers = '16MB'
"""
# Standbys copy these settings. With an immediate checkpoint the copy begins at once.
_NODE = """
listen_addresses = '127.0.0.1'
shared_buffers = '64MB'
maintenance_work_mem = '32MB'
max_connections = 80
wal_keep_size = '256MB'
checkpoint_completion_target = 0.01
wal_sender_timeout = '5s'
wal_receiver_timeout = '5s'
wal_retrieve_retry_interval = '500ms'
logging_collector = off
"""
_PRIMARIES = {"single", "wait_primary", "primary", "join_primary", "apply_settings"}


class FailoverCluster:
    """With three nodes a commit waits for one of two standbys, also if the other one is down. All nodes listen on loopback only."""

    def __init__(self, nodes=3):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="saunter-failover-"))
        self.account = _account()
        self.binaries = pathlib.Path(Server._database_path("pg_ctl")).parent
        for name in ("config", "data", "run", "sockets"):
            (self.directory / name).mkdir()
        for path in (self.directory, *self.directory.iterdir()):
            os.chown(path, self.account.pw_uid, self.account.pw_gid)
        self.ports = {f"node{n}": free_port() for n in range(1, nodes + 1)}
        self.monitor_port = free_port()
        self.processes = {}
        atexit.register(self.remove)

    # Making it

    def start(self):
        self._make("monitor", self.monitor_port, "monitor", _MONITOR)
        self.launch("monitor")
        wait_until(lambda: self._answers(self.monitor_port, "pg_auto_failover", "autoctl_node"), 120, self.tail("monitor"))
        first, *others = self.ports
        self._make(first, self.ports[first], "postgres", _NODE)
        self.launch(first)
        wait_until(lambda: self.primary() == first, 120, self.tail(first))
        for name in others:
            # Two nodes cannot join at the same time, and one after the other needs less memory and CPU.
            self._make(name, self.ports[name], "postgres")
            self.launch(name)
            wait_until(lambda: self.state().get(name) == "secondary", 180, self.tail(name))
        self.wait_until_settled()
        return self

    def _make(self, name, port, kind, settings=""):
        node = [] if kind == "monitor" else [
            "--name", name, "--dbname", "saunter", "--username", "saunter",
            "--monitor", f"postgres://autoctl_node@127.0.0.1:{self.monitor_port}/pg_auto_failover?sslmode=disable"]
        self._run("create", kind, "--pgdata", self.directory / name, "--pgport", port, "--hostname", "127.0.0.1", "--auth", "trust", "--no-ssl", *node)
        with open(self.directory / name / "postgresql.conf", "a") as file:
            file.write(settings)

    def launch(self, name):
        """Starts a node. A node that ran before becomes a standby of the present primary."""
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [self._program(), "run", "--pgdata", self.directory / name], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **self._as_account())

    def remove(self):
        """Stops all nodes and removes the folder. Safe in any state."""
        atexit.unregister(self.remove)
        for name in list(self.processes):
            self.thaw(name)
            self.kill(name)
        shutil.rmtree(self.directory, ignore_errors=True)

    # Faults

    def tree(self, name):
        """Process ids of the node, parents before their children."""
        children = {}
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(path.read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(path.parent.name))
        found = [self.processes[name].pid] if self.processes[name].poll() is None else []
        for pid in found:
            found += children.get(pid, [])
        return found

    def kill(self, name):
        """SIGKILL of all processes of a node at once, as if its machine lost power."""
        pids = self.tree(name)
        for pid in pids:
            _signal(pid, signal.SIGKILL)
        self.processes[name].wait(30)
        wait_until(lambda: not any(alive(pid) for pid in pids), 30, f"{name} is gone")

    def freeze(self, name):
        """SIGSTOP of all processes of a node: it keeps its connections and does not answer."""
        for pid in self.tree(name):
            _signal(pid, signal.SIGSTOP)

    def thaw(self, name):
        for pid in reversed(self.tree(name)):
            _signal(pid, signal.SIGCONT)

    def stall_replication(self, name):
        """Stops the processes that send to standbys, as if the network to the standbys broke. Everything else continues."""
        for pid in self.tree(name):
            if "walsender" in _command(pid):
                _signal(pid, signal.SIGSTOP)

    def make_asynchronous(self):
        """Commits do not wait for a standby any more. A control: this unsafe setting must lose records."""
        def ask(text):
            wait_until(lambda: self._is_taken(text), 30, text)

        # The monitor accepts the next change only after the nodes have applied this one.
        ask("select pgautofailover.set_formation_number_sync_standbys('default', 0)")
        for name in self.ports:
            ask(f"select pgautofailover.set_node_replication_quorum('default', '{name}', false)")
        wait_until(lambda: not self.synchronous_names(), 30, "commits do not wait for a standby")
        self.wait_until_settled()

    # State

    def synchronous_names(self, name=None):
        """The setting that names the standbys for which a commit waits; empty if it does not wait."""
        return self.sql("show synchronous_standby_names", name)

    def url(self, database="saunter"):
        """A connection string with all nodes, as an operator writes it."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports.values())
        return f"postgresql://saunter@{hosts}/{database}?target_session_attrs=read-write"

    def _nodes(self):
        return [line.split("|") for line in self._psql(
            self.monitor_port, "pg_auto_failover", "autoctl_node", "select nodename, reportedstate, goalstate from pgautofailover.node"
        ).splitlines()]

    def state(self):
        """Node -> state, for nodes whose reported state is their goal state."""
        return {name: state for name, state, goal in self._nodes() if state == goal}

    def primary(self):
        """The node that accepted writes when it last reported; None if there is none."""
        return next((name for name, state, goal in self._nodes() if {state, goal} <= _PRIMARIES), None)

    def wait_until_settled(self, seconds=180):
        """Waits until one node is the primary and all others are its standbys."""
        wanted = ["primary"] + ["secondary"] * (len(self.ports) - 1)
        wait_until(lambda: sorted(self.state().values()) == wanted, seconds, f"all nodes are back: {self.state()}")

    def sql(self, text, name=None, database="saunter"):
        return self._psql(self.ports[name or self.primary()], database, "saunter", text)

    def tail(self, name, lines=30):
        log = self.directory / f"{name}.log"
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""

    # Programs

    def _answers(self, port, database, user):
        try:
            return self._psql(port, database, user, "select 1")
        except subprocess.CalledProcessError:
            return None

    def _is_taken(self, text):
        try:
            self._psql(self.monitor_port, "pg_auto_failover", "autoctl_node", text)
        except subprocess.CalledProcessError:
            return False
        return True

    def _psql(self, port, database, user, text):
        return subprocess.run(
            [Server._database_path("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text,
             f"host=127.0.0.1 port={port} dbname={database} user={user} connect_timeout=5"],
            env={"PATH": os.environ["PATH"]}, cwd="/", check=True, capture_output=True, text=True, timeout=60).stdout.strip()

    def _run(self, *arguments):
        done = subprocess.run(
            [self._program(), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, **self._as_account())
        assert done.returncode == 0, f"pg_autoctl {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"

    @staticmethod
    def _program():
        return shutil.which("pg_autoctl") or "/usr/bin/pg_autoctl"

    def _as_account(self):
        home = {"HOME": self.directory, "PG_REGRESS_SOCK_DIR": self.directory / "sockets", "PGHOST": self.directory / "sockets"} | {
            f"XDG_{kind.upper()}_{end}": self.directory / kind for kind, end in (("config", "HOME"), ("data", "HOME"), ("run", "RUNTIME_DIR"))}
        home["XDG_RUNTIME_DIR"] = home.pop("XDG_RUN_RUNTIME_DIR")
        environment = {name: str(value) for name, value in home.items()} | {"PATH": f"{self.binaries}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        who = {} if os.geteuid() == self.account.pw_uid else {
            "user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []}
        return {"cwd": self.directory, "env": environment} | who


def _account():
    """PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    return pwd.getpwnam("postgres")


def _command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def take_over(cluster, ledger, fault, seconds=120):
    """Causes a fault of the primary, and waits until another node is the primary, acknowledges load, and has a standby.

    How long nothing was acknowledged, and for how long the new primary had no standby to wait for."""
    old = cluster.primary()
    is_synchronous = bool(cluster.synchronous_names(old))
    before = ledger.acknowledged_count()
    start = quiet_since = time.monotonic()
    fault(old)
    gap, led_at, led_count, followed_at, leading = 0.0, None, 0, None, None
    while True:
        now, count = time.monotonic(), ledger.acknowledged_count()
        if count != before:
            gap, before, quiet_since = max(gap, now - quiet_since), count, now
        if leading is None:
            leading = cluster.primary()
            leading = None if leading == old else leading
            led_at, led_count = now, count
        elif followed_at is None and (not is_synchronous or cluster.synchronous_names(leading)):
            followed_at = now
        elif followed_at and count >= led_count + 20:
            return {"from": old, "to": leading, "gap_s": round(gap, 1), "alone_s": round(followed_at - led_at, 1)}
        assert now - start < seconds, f"another leads and load is acknowledged: {leading}, {count}, {cluster.state()}"
        time.sleep(0.02)
