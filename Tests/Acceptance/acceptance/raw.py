"""Requests that client libraries refuse to send."""

import http.client
import io
import json
import socket


class Response:
    def __init__(self, status, headers, body):
        self.status_code = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)


class _Bytes:
    """The object from which `http.client` reads a response."""

    def __init__(self, data):
        self._data = data

    def makefile(self, _mode):
        return io.BytesIO(self._data)


def connect(server, seconds=60):
    return socket.create_connection(("127.0.0.1", server.port), timeout=seconds)


def receive(connection, method="GET"):
    """Reads until the server closes the connection; the response, or None if there were no bytes."""
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    return parse(data, method)


def parse(data, method="GET"):
    if not data:
        return None
    response = http.client.HTTPResponse(_Bytes(data), method=method)
    response.begin()
    body = response.read()
    return Response(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def exchange(server, data, method="GET", seconds=60):
    """Sends these bytes unchanged; the response."""
    with connect(server, seconds) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The server may reject the request before it has read all of it. The response matters.
        return receive(connection, method)


def head(method, path, token=None, **headers):
    """The head of a request, without the empty line that ends it."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n"
