"""Requests that reach the server as nearly at once as one machine can bring it about."""

import http.client
import json
import select
import socket


class Gate:
    """Sockets that stay open. Of each request all but the last byte is sent before; then the last bytes, one straight after the other."""

    def __init__(self, server, sockets=64):
        self._port = server.port
        self._sockets = [self._open() for _ in range(sockets)]

    def _open(self):
        opened = socket.create_connection(("127.0.0.1", self._port), timeout=60)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened

    def release(self, person, requests):
        """Each (method, path, body, more headers) on a socket of its own; (status, JSON) of each, in order."""
        for place, opened in enumerate(self._sockets[:len(requests)]):
            # What nobody used for a minute the server has closed: there is something to read then.
            if select.select([opened], [], [], 0)[0]:
                opened.close()
                self._sockets[place] = self._open()
        used = self._sockets[:len(requests)]
        ready = [_bytes(person, *request) for request in requests]
        for opened, data in zip(used, ready, strict=True):
            opened.sendall(data[:-1])
        for opened, data in zip(used, ready):
            opened.sendall(data[-1:])
        replies = []
        for place, (opened, request) in enumerate(zip(used, requests)):
            response = http.client.HTTPResponse(opened, method=request[0])
            response.begin()
            body = response.read()
            if response.will_close:
                opened.close()
                self._sockets[place] = self._open()
            replies.append((response.status, json.loads(body) if body else None))
        return replies

    def close(self):
        for opened in self._sockets:
            opened.close()


def _bytes(person, method, path, body=None, headers=()):
    data = b"" if body is None else json.dumps(body).encode()
    lines = [
        f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {person.tokens['access_token']}", f"Content-Length: {len(data)}",
        *([] if body is None else ["Content-Type: application/json"]), *(f"{name}: {value}" for name, value in dict(headers).items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data
