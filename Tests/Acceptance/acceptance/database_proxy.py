"""TCP proxies in front of PostgreSQL: one that forwards everything, and one that loses answers to commits."""

import contextlib
import socket
import threading


class DatabaseProxy:
    """Forwards bytes between TCP clients and the Unix socket of a database."""

    def __init__(self, path):
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def connection(self, database):
        return f"host=127.0.0.1 port={self.port} user=saunter dbname={database} sslmode=disable gssencmode=disable"

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._path)
                for target, pair in ((self._ask, (client, server)), (self._answer, (server, client))):
                    threading.Thread(target=target, args=pair, daemon=True).start()

    @staticmethod
    def _ask(client, server):
        _pass(client, server)

    def _answer(self, server, client):
        _pass(server, client)


class CommitLosingProxy(DatabaseProxy):
    """Breaks the connection instead of forwarding the answer to COMMIT, for the first `count` transactions with an INSERT (or with `verb`)."""

    def __init__(self, path, count, verb=b"INSERT 0"):
        super().__init__(path)
        self._verb = verb
        self._left = count
        self.lost = 0
        self._lock = threading.Lock()

    def _answer(self, server, client):
        with contextlib.suppress(OSError, EOFError):
            source = server.makefile("rb")
            has_written = False
            while head := source.read(5):
                body = source.read(int.from_bytes(head[1:5], "big") - 4)
                tag = body.rstrip(b"\0") if head[:1] == b"C" else b""
                has_written = has_written or (tag.startswith(self._verb + b" ") and tag != self._verb + b" 0")
                if tag == b"COMMIT" and has_written and self._may_lose():
                    break
                if tag in (b"COMMIT", b"ROLLBACK"):
                    has_written = False
                client.sendall(head + body)
        _end(client, server)

    def _may_lose(self):
        with self._lock:
            if self._left == 0:
                return False
            self._left -= 1
            self.lost += 1
            return True


def _pass(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    _end(source, sink)


def _end(*sockets):
    for end in sockets:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
