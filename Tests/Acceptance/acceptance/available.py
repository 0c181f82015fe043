"""The highly available installation: two servers behind nginx, on a PostgreSQL that fails over."""

import contextlib
import pathlib
import secrets
import tempfile

from .failover import FailoverCluster
from .moments import after, local
from .proxy import Proxy
from .server import Server


@contextlib.contextmanager
def system(mailbox):
    """The cluster, the servers and nginx, with the study published. All of them stop at the end of the block."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="saunter-available-")))
        key = folder / "master.key"
        key.write_text(secrets.token_hex(32))
        key.chmod(0o600)
        cluster = FailoverCluster()
        stack.callback(cluster.remove)
        cluster.start()
        servers = []
        for number in (1, 2):
            (folder / str(number)).mkdir()
            server = Server(
                folder / str(number), smtp_url=mailbox.url, database_url=cluster.url(), master_key=key,
                public_url="https://study.example.org")
            stack.callback(server.remove)
            servers.append(server.launch())
        for server in servers:
            server.wait_until_ready()
        servers[0].publish(lenient=True)
        proxy = Proxy(servers, sql=cluster.sql)
        stack.callback(proxy.remove)
        yield cluster, servers, proxy.start()


def remind(people, seconds):
    """Makes each participant's reminder due this many seconds after its setting is saved. A time in the past would mean tomorrow."""
    for person in people:
        time = local(person.zone, after(seconds=seconds)).strftime("%H:%M:%S")
        person.call("PATCH", person.own(""), json={"reminder": {"time": time}}, status=200)
