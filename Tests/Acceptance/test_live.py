"""Server-sent events about the changes of a study, for researchers."""

import contextlib
import http.client
import json
import socket
import threading
import time

import pytest

from acceptance import answers
from acceptance.people import Person, Researcher
from acceptance.server import Server, wait_until

LIVE = "/v1/studies/mindful-walking/live"


class Stream:
    """An open stream, read by a thread."""

    def __init__(self, person, after=None, last_event_id=None):
        headers = {"Authorization": f"Bearer {person.tokens['access_token']}"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        connection = http.client.HTTPConnection("127.0.0.1", person.server.port, timeout=120)
        connection.request("GET", LIVE + (f"?after={after}" if after is not None else ""), headers=headers)
        self._socket = connection.sock
        self.response = connection.getresponse()
        self.status, self.headers = self.response.status, self.response.headers
        self.events, self.comments, self.retry, self.ended = [], 0, None, False
        if self.status == 200:
            threading.Thread(target=self._read, daemon=True).start()
        else:
            self.problem = json.load(self.response)

    def _read(self):
        event = {}
        try:
            while line := self.response.readline():
                line = line.decode().rstrip("\n")
                if line.startswith(":"):
                    self.comments += 1
                elif not line:
                    if event.get("event"):
                        self.events.append(event)
                    event = {}
                else:
                    name, _, value = line.partition(": ")
                    if name == "retry":
                        self.retry = int(value)
                    event[name] = value
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.ended = True

    def data(self, name="change"):
        return [json.loads(event["data"]) for event in list(self.events) if event["event"] == name]

    def wait(self, condition, seconds=20):
        wait_until(lambda: condition(self), seconds, f"the stream has the events: {self.events}")
        return self

    def ready(self):
        return self.wait(lambda stream: stream.data("ready"))

    def close(self):
        """Closes the connection, as if the client had gone."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def stream():
    made = []

    def open_one(*arguments, **more):
        made.append(Stream(*arguments, **more))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


def kinds(stream, person):
    return [change["kind"] for change in stream.data() if change["participant_id"] == person.enrolment["participant_id"]]


def test_a_researcher_sees_changes_as_they_happen_without_content(stream, researcher, participant):
    live = stream(researcher).ready()
    assert live.headers["content-type"] == "text/event-stream"
    assert live.headers["x-accel-buffering"] == "no"
    assert live.headers["cache-control"] == "no-store"
    assert "content-encoding" not in live.headers
    assert live.retry == 5000
    ada = participant()
    live.wait(lambda stream: "enrolment" in kinds(stream, ada))
    begun = time.monotonic()
    ada.submit("daily_evening", answers.DAILY)
    live.wait(lambda stream: "answer_sheet" in kinds(stream, ada))
    assert time.monotonic() - begun < 5
    for event, change in zip([event for event in live.events if event["event"] == "change"], live.data()):
        assert set(change) == {"change_seq", "kind", "id", "participant_id", "deleted"}
        assert event["id"] == str(change["change_seq"])
    sequences = [change["change_seq"] for change in live.data()]
    assert sequences == sorted(set(sequences))
    assert ada.enrolment["enrolment_id"] not in json.dumps([c for c in live.data() if c["kind"] != "enrolment"])


def test_a_stream_resumes_after_its_last_event(stream, researcher, participant):
    first = stream(researcher).ready()
    ada = participant()
    first.wait(lambda stream: "enrolment" in kinds(stream, ada))
    last = [event["id"] for event in first.events if "id" in event][-1]
    first.close()
    ada.submit("daily_evening", answers.DAILY)
    second = stream(researcher, last_event_id=last)
    second.wait(lambda stream: "answer_sheet" in kinds(stream, ada))
    assert int(second.data("ready")[0]["change_seq"]) == int(last)
    assert all(change["change_seq"] > int(last) for change in second.data())
    # The change feed with the same number lists the same changes.
    feed = researcher.call("GET", f"/v1/studies/mindful-walking/changes?after={last}&limit=1000", status=200)
    fed = {(item["kind"], item["id"]) for item in feed["items"]}
    assert {(change["kind"], change["id"]) for change in second.data()} <= fed


def test_a_position_of_another_history_is_rejected(stream, researcher):
    researcher.problem("GET", LIVE + "?after=999999999", 400, "request-invalid")
    for wrong in ("x", "-1", "999999999"):
        answer = researcher.call("GET", LIVE, headers={"Last-Event-ID": wrong})
        assert answer.status_code == 400 and answer.json()["errors"][0]["pointer"] == "/Last-Event-ID"


def test_an_erased_participant_is_reported_without_a_pseudonym(stream, researcher, participant):
    ada = participant()
    live = stream(researcher).ready()
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "erase"}, status=204)
    live.wait(lambda stream: any(change["deleted"] for change in stream.data()))
    gone = [change for change in live.data() if change["deleted"]]
    assert all(change["participant_id"] is None for change in gone)


def test_only_researchers_of_the_study_may_follow_it(stream, researcher, participant):
    participant().problem("GET", LIVE, 403, "not-permitted")
    researcher.problem("GET", "/v1/studies/other-study/live", 404, "not-found")
    assert researcher.call("GET", LIVE, token=False).status_code == 401


@pytest.fixture(scope="module")
def own_server():
    server = Server()
    try:
        server.start()
        server.publish()
        yield server
        server.stop()
    finally:
        server.remove()


def test_a_stream_sends_signs_of_life_and_ends_when_the_login_or_the_role_ends(stream, own_server):
    rosa, ruth = Researcher(own_server), Researcher(own_server)
    first, second = stream(rosa).ready(), stream(ruth).ready()
    rosa.call("DELETE", "/v1/tokens", status=204)
    first.wait(lambda stream: stream.data("end"), seconds=15)
    assert first.data("end") == [{"reason": "access_revoked"}]
    second.wait(lambda stream: stream.comments >= 1, seconds=25)
    own_server.run("account", "revoke", "--email", ruth.email, "--role", "researcher", "--study", "mindful-walking")
    second.wait(lambda stream: stream.data("end"), seconds=30)
    assert second.data("end") == [{"reason": "access_revoked"}]
    wait_until(lambda: first.ended and second.ended, 10, "both streams have ended")


def test_one_poller_serves_all_streams_of_a_study(stream, own_server):
    rosa = Researcher(own_server)
    live = [stream(rosa).ready() for _ in range(5)]
    ada = Person(own_server).register().enrol()
    for one in live:
        one.wait(lambda stream: "enrolment" in kinds(stream, ada))
    seen = [[change["change_seq"] for change in one.data()] for one in live]
    count = min(map(len, seen))
    assert count >= 2 and all(sequences[:count] == seen[0][:count] for sequences in seen)


def test_streams_do_not_hold_up_the_shutdown(stream, own_server):
    rosa = Researcher(own_server)
    live = [stream(rosa).ready() for _ in range(3)]
    begun = time.monotonic()
    assert own_server.stop() == 0
    assert time.monotonic() - begun < 15
    for one in live:
        one.wait(lambda stream: stream.ended)
        assert one.data("end") == [{"reason": "shutdown"}]
    own_server.start()


def test_a_study_has_a_maximum_of_streams_and_a_closed_one_makes_room(stream, own_server):
    rosa = Researcher(own_server)
    open_streams = [stream(rosa).ready() for _ in range(20)]
    refused = stream(rosa)
    assert refused.status == 503 and refused.problem["type"].endswith("/busy") and "retry-after" in refused.headers
    # The server notices a client that has gone at the latest with the next sign of life.
    open_streams[0].close()
    wait_until(lambda: stream(rosa).status == 200, 40, "a closed stream makes room")
