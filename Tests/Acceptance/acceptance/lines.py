"""Batch uploads as JSON lines."""

import gzip
import http.client
import json
import urllib.parse

from .moments import instant

KIND = "application/x-ndjson"


def body(*items, head=True):
    """The lines as bytes. An item is (kind, id, body), or a text that is sent unchanged."""
    lines = [json.dumps({"client_now": instant()})] if head else []
    for item in items:
        lines.append(item if isinstance(item, str) else json.dumps({"kind": item[0], "id": item[1], "body": item[2]}))
    return "".join(line + "\n" for line in lines).encode()


def send(person, data, **headers):
    """Uploads the lines; the response."""
    return person.call("POST", person.own("/sync"), data=data, headers={"Content-Type": KIND} | headers)


def results(response):
    """The result of each line, in the order of the response."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == KIND
    return [json.loads(line) for line in response.text.splitlines()]


def submit(person, *items, compressed=False, head=True):
    data = body(*items, head=head)
    more = {"Content-Encoding": "gzip"} if compressed else {}
    return results(send(person, gzip.compress(data) if compressed else data, **more))


def begin(person):
    """Begins a batch upload in chunks; the connection for `chunk`."""
    address = urllib.parse.urlsplit(person.server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    connection.putrequest("POST", person.own("/sync"))
    for name, value in {
        "Authorization": f"Bearer {person.tokens['access_token']}", "Content-Type": KIND, "Transfer-Encoding": "chunked",
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection


def chunk(connection, data):
    connection.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
