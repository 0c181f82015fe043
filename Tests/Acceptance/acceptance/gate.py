"""Requests that reach the server at almost the same time."""

import http.client
import json
import select
import socket


class Gate:
    """Keeps sockets open. For each request it first sends all bytes except the last, and then the last bytes one directly after the other."""

    def __init__(self, server, sockets=64):
        self._port = server.port
        self._sockets = [self._open() for _ in range(sockets)]

    def _open(self):
        opened = socket.create_connection(("127.0.0.1", self._port), timeout=60)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened

    def release(self, person, requests):
        """Sends each (method, path, body, more headers) on a separate socket; (status, JSON) of each, in order."""
        for index, opened in enumerate(self._sockets[:len(requests)]):
            # The server closes an idle connection after a minute. Such a socket is readable.
            if select.select([opened], [], [], 0)[0]:
                opened.close()
                self._sockets[index] = self._open()
        used = self._sockets[:len(requests)]
        ready = [_bytes(person, *request) for request in requests]
        for opened, data in zip(used, ready, strict=True):
            opened.sendall(data[:-1])
        for opened, data in zip(used, ready):
            opened.sendall(data[-1:])
        replies = []
        for index, (opened, request) in enumerate(zip(used, requests)):
            response = http.client.HTTPResponse(opened, method=request[0])
            response.begin()
            body = response.read()
            if response.will_close:
                opened.close()
                self._sockets[index] = self._open()
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
