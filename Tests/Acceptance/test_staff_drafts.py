"""Drafts over HTTP: a study from the template to a complete pack, hostile archives, two editors, faults and roles."""

import contextlib
import hashlib
import http.client
import io
import json
import stat
import struct
import urllib.parse
import uuid
import zipfile

import pytest

from acceptance.people import Person

MIB = 1 << 20


class Colleague(Person):
    """An account with roles, which sends requests with a token."""

    def __init__(self, server, contract, roles):
        super().__init__(server, contract, name="Edda Editor")
        self.password = json.loads(server.run("account", "create", "--email", self.email, "--name", self.name, "--json"))["password"]
        for role, study in roles:
            server.run("account", "grant", "--email", self.email, "--role", role, "--study", study)
        self.log_in()


@pytest.fixture(scope="module")
def edda(server, contract):
    """An editor of a published study."""
    return Colleague(server, contract, [("editor", "mindful-walking")])


@pytest.fixture
def study(edda):
    """A new study of Edda."""
    return new_study(edda)


def new_study(edda):
    code = f"d{uuid.uuid4().hex[:12]}"
    body = {"study": code, "title": "Schlaf: ein Tagebuch", "language": "de", "time_zone": "Europe/Zurich", "days": 7}
    assert edda.call("POST", "/v1/staff/studies", json=body, status=201) == {"study": code}
    return code


def draft(study, path=""):
    return f"/v1/studies/{study}/draft{path}"


def archive(files):
    """A zip archive. A name may be a ZipInfo."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files:
            opened.writestr(name, content)
    return buffer.getvalue()


def link(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target


def film(size):
    """An MP4 film with this many bytes, whose content does not compress to nothing."""
    head = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\0\x08moov"
    rest = size - len(head)
    return head + rest.to_bytes(4, "big") + b"mdat" + (b"".join(n.to_bytes(4, "big") for n in range(1000)) * (rest // 4000 + 1))[:rest - 8]


def upload(person, study, data, revision, **more):
    return person.call("PUT", draft(study, "/pack"), data=data, headers={"Content-Type": "application/zip", "If-Match": f'"{revision}"'}, **more)


def test_a_study_grows_from_the_template_to_a_pack_that_the_command_accepts(edda, study, server, tmp_path):
    state = edda.call("GET", draft(study), status=200)
    assert state["faults"] == [] and state["publishable"] and state["version"] == "1.0.0" and state["title"] == "Schlaf: ein Tagebuch"
    assert all(file["changed"] == "added" for file in state["files"])
    roles = {grant["role"] for grant in edda.call("GET", "/v1/account", status=200)["grants"] if grant["study"] == study}
    assert roles == {"editor", "researcher", "coordinator"}
    [listed] = edda.call("GET", f"/v1/staff/studies?study={study}", status=200)["unpublished"]
    assert listed["title"] == "Schlaf: ein Tagebuch"

    outline = edda.call("GET", draft(study, "/outline"), status=200)
    [questionnaire] = outline["questionnaires"]
    words = questionnaire["words"]["de"]
    schedule = outline["schedules"][0]
    opening = next(field for field in schedule["fields"] if field["kind"] == "time")
    changes = [
        {"file": words, "pointer": "/items/mood", "value": "Wie haben Sie geschlafen?"},
        {"file": schedule["file"], "pointer": opening["pointer"], "value": "06:30"},
    ]
    saved = edda.call("PUT", draft(study, "/values"), json={"changes": changes}, headers={"If-Match": '"1"'}, status=200)
    assert saved["revision"] == 2 and saved["faults"] == []

    reply = edda.call("GET", draft(study, "/pack"))
    assert reply.status_code == 200 and reply.headers["Content-Type"] == "application/zip"
    zipfile.ZipFile(io.BytesIO(reply.content)).extractall(tmp_path)
    [schedules] = tmp_path.rglob("schedule.yaml")
    assert 'open: "06:30"' in schedules.read_text() and "# part of the identity" in schedules.read_text(), "comments stay"
    report = json.loads(server.run("check", tmp_path, "--json"))
    assert report["faults"] == [] and report["studies"] == 1 and report["instruments"] == 1
    assert upload(edda, study, reply.content, 2, status=200)["files"] == saved["files"]


def test_hostile_archives_change_nothing_and_every_fault_is_named(edda, study):
    good = (f"studies/{study}/study.yaml", f"code: {study}\n")
    bomb = archive([good] + [(f"studies/{study}/content/{number}.md", b"\0" * (4 * MIB)) for number in range(24)])
    assert len(bomb) < MIB
    cases = {
        "no archive": b"PK is not enough",
        "empty": b"",
        "damaged": archive([good])[:60],
        "bomb": bomb,
        "link": archive([good, link(f"studies/{study}/content/x.md", "/etc/passwd")]),
        "absolute": archive([good, ("/etc/passwd", "x")]),
        "parent": archive([good, (f"studies/{study}/../../x", "x")]),
        "other study": archive([("studies/other/study.yaml", "code: other\n")]),
        "other code": archive([("study.yaml", "code: other\n")]),
        "not UTF-8": archive([good, (f"studies/{study}/content/x.md", b"\xff\xfe")]),
        "U+0000": archive([good, (f"studies/{study}/content/x.md", b"a\0b")]),
        "large file": archive([good, (f"studies/{study}/content/x.md", b"a" * (MIB + 1))]),
        "no study": archive([("README.md", "x")]),
        "many": archive([good] + [(f"studies/{study}/content/{number}.md", "x") for number in range(1100)]),
        "SVG": archive([good, (f"studies/{study}/library/media/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")]),
        "page as picture": archive([good, (f"studies/{study}/library/media/a.png", "<!doctype html><script>1</script>")]),
        "film as picture": archive([good, (f"studies/{study}/library/media/a.png", film(2 * MIB))]),
        "film and page": archive([good, (f"studies/{study}/library/media/a.mp4", film(2 * MIB) + b"\0\0\0\x0efree<html>")]),
        "film cut off": archive([good, (f"studies/{study}/library/media/a.mp4", film(2 * MIB)[:-1])]),
        "picture of 900 million pixels": archive([good, (
            f"studies/{study}/media/a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBBI", 30_000, 30_000, 8, 2, 0, 0, 0, 0))]),
        "70 MB": archive([good, (f"studies/{study}/library/media/a.mp4", film(70 * MIB))]),
        "films of 120 MB": archive([good] + [(f"studies/{study}/library/media/{number}.mp4", film(20 * MIB)) for number in range(6)]),
        "40 MB": archive([good] + [(f"studies/{study}/media/{number}.png", b"\0" * MIB) for number in range(40)]),
    }
    for name, data in cases.items():
        reply = upload(edda, study, data, 1)
        problem = reply.json()
        # An empty body is no file at all.
        expected = (400, 422) if name == "empty" else (422,)
        assert reply.status_code in expected, (name, problem)
        if name != "empty":
            assert problem["type"].endswith("/draft-invalid") and problem["faults"], (name, problem)
    several = archive([good, link("a/link", "x"), ("../up", "x"), ("/root", "x")])
    assert len(upload(edda, study, several, 1).json()["faults"]) == 3
    assert edda.call("GET", draft(study), status=200)["revision"] == 1


def test_a_film_is_stored_once_and_drafts_refer_to_it(edda, study, server, contract):
    walk, octets = film(3 * MIB + 5), {"Content-Type": "application/octet-stream"}
    digest = hashlib.sha256(walk).hexdigest()
    stored = {"sha256": digest, "type": "video/mp4", "bytes": len(walk)}
    media, path = f"/v1/studies/{study}/media", f"studies/{study}/library/media/walk.mp4"
    assert edda.call("POST", media, data=walk, headers=octets, status=201) == stored
    assert edda.call("POST", media, data=walk, headers={"Content-Type": "video/mp4"}, status=200) == stored
    edda.problem("POST", media, 415, "media-type-unsupported", data=walk, headers={"Content-Type": "image/png"})
    edda.problem("POST", media, 415, "media-type-unsupported", data=b"<svg/>", headers=octets)
    Colleague(server, contract, [("coordinator", "mindful-walking")]).problem(
        "POST", "/v1/studies/mindful-walking/media", 403, "not-permitted", data=walk, headers=octets)

    def refer(name, status, body, revision=1, study=study):
        return edda.call("PUT", draft(study, f"/file?path={name}"), json=body, headers={"If-Match": f'"{revision}"'}, status=status)

    refer(path.replace(".mp4", ".png"), 415, {"sha256": digest})
    refer(path.replace("/library", ""), 422, {"sha256": digest})
    refer(path, 422, {"sha256": "0" * 64})
    refer(path, 422, {"sha256": digest, "text": "x"})
    other = new_study(edda)
    refer(path.replace(study, other), 422, {"sha256": digest}, study=other)
    assert refer(path, 200, {"sha256": digest})["revision"] == 2
    file = edda.call("GET", draft(study, f"/file?path={path}"), status=200)
    assert (file["text"], file["bytes"], file["media_type"]) == (None, len(walk), "video/mp4")
    # A text that looks like a reference is a text.
    refer(f"studies/{study}/README.md", 200, {"text": f"sha256:{digest};mp4;{len(walk)}"}, revision=2)

    # Archives contain the bytes, in both directions. The draft stays the same.
    packed = edda.call("GET", draft(study, "/pack")).content
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        [name] = [name for name in opened.namelist() if name.endswith(path)]
        assert opened.read(name) == walk
        assert opened.read(name.replace("library/media/walk.mp4", "README.md")).startswith(b"sha256:")
    before = edda.call("GET", draft(study), status=200)["files"]
    assert upload(edda, study, packed, 3, status=200)["files"] == before
    # The same film as bytes.
    again = edda.call("PUT", draft(study, f"/file?path={path}"), data=walk, headers=octets | {"If-Match": '"4"'}, status=200)
    assert again["files"] == before
    assert server.sql(f"select count(*) from research.media_part where sha256 = '{digest}'").strip() == "4"
    # Participants and strangers do not get what no edition contains.
    edda.problem("GET", f"/v1/media/{digest}", 404, "not-found", token=False)


def test_large_bodies_are_limited_before_they_are_sent(edda, study, server):
    address = urllib.parse.urlsplit(server.url)

    def begin(size, **headers):
        """Sends the headers of an upload, and no byte of its body."""
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        connection.putrequest("POST", f"/v1/studies/{study}/media")
        for name, value in {
                "Authorization": f"Bearer {edda.tokens['access_token']}", "Content-Type": "application/octet-stream",
                "Content-Length": str(size)}.items() | headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection

    with contextlib.closing(begin(70 * MIB)) as connection:
        response = connection.getresponse()
        problem = json.loads(response.read())
        assert response.status == 413 and problem["type"].endswith("/body-too-large") and problem["limit_bytes"] == 64 * MIB
    # While one film of an editor arrives, a second one of the same editor has to wait. Small files do not.
    with contextlib.closing(begin(40 * MIB, Expect="100-continue")) as first, contextlib.closing(begin(40 * MIB, Expect="100-continue")) as second:
        found = b""
        for connection in (first, second):
            connection.sock.settimeout(10)
            found += connection.sock.recv(1000)
        assert b"HTTP/1.1 100 Continue" in found and b"HTTP/1.1 503" in found
        small = film(MIB)
        edda.call("POST", f"/v1/studies/{study}/media", data=small, headers={"Content-Type": "video/mp4"}, status=201)


def test_two_editors_share_the_draft_and_none_overwrites_the_other(edda, study, server, contract):
    ben = Colleague(server, contract, [("editor", study)])
    path = draft(study, f"/file?path=studies/{study}/README.md")
    first = edda.call("PUT", path, json={"text": "Edda\n"}, headers={"If-Match": '"1"'}, status=200)
    assert first["revision"] == 2 and first["changed_by"] == edda.name
    stale = ben.problem("PUT", path, 412, "precondition-failed", json={"text": "Ben\n"}, headers={"If-Match": '"1"'})
    assert stale["action"] == "correct"
    ben.problem("PUT", path, 428, "precondition-required", json={"text": "Ben\n"})
    read = ben.call("GET", path, status=200)
    assert read["text"] == "Edda\n" and read["revision"] == 2
    ben.call("PUT", path, json={"text": "Edda and Ben\n"}, headers={"If-Match": '"2"'}, status=200)
    edda.problem("DELETE", draft(study), 412, "precondition-failed", headers={"If-Match": '"2"'})
    assert edda.call("DELETE", draft(study), headers={"If-Match": '"3"'}).status_code == 204
    ben.problem("GET", draft(study), 404, "not-found")


def test_every_fault_of_the_content_has_its_file_and_line_and_does_not_prevent_saving(edda, study):
    faulty = {
        f"studies/{study}/study.yaml": ("days: 7", "days: many"),
        f"studies/{study}/schedule.yaml": ('open: "17:00"', 'open: "five"'),
        f"studies/{study}/content/text.de.yaml": ("summary:", "sumary:"),
    }
    for revision, (path, (before, after)) in enumerate(faulty.items(), 1):
        text = edda.call("GET", draft(study, f"/file?path={path}"), status=200)["text"]
        assert before in text
        edda.call("PUT", draft(study, f"/file?path={path}"), json={"text": text.replace(before, after)}, headers={"If-Match": f'"{revision}"'}, status=200)
    state = edda.call("GET", draft(study), status=200)
    assert not state["publishable"]
    assert {fault["file"] for fault in state["faults"]} == set(faulty)
    for path, (_, after) in faulty.items():
        file = edda.call("GET", draft(study, f"/file?path={path}"), status=200)
        lines = file["text"].splitlines()
        assert any(after in lines[fault["line"] - 1] for fault in file["faults"]), file["faults"]
        assert next(one for one in state["files"] if one["path"] == path)["faults"] == len(file["faults"])


def test_roles_decide_who_reads_and_who_changes(edda, study, server, contract):
    rosa = Colleague(server, contract, [("researcher", study)])
    stranger = Colleague(server, contract, [("editor", new_study(edda))])
    admin = Colleague(server, contract, [("admin", "*")])
    file = draft(study, f"/file?path=studies/{study}/study.yaml")
    reads = [draft(study), draft(study, "/outline"), draft(study, "/pack"), file]
    for path in reads:
        assert rosa.call("GET", path).status_code == admin.call("GET", path).status_code == 200
        stranger.problem("GET", path, 404, "not-found")
    match = {"If-Match": '"1"'}
    writes = [
        ("POST", draft(study), {"json": {}}), ("DELETE", draft(study), {"headers": match}),
        ("PUT", file, {"json": {"text": "x"}, "headers": match}), ("DELETE", file, {"headers": match}),
        ("PUT", draft(study, "/values"), {"json": {"changes": [{"file": "a.yaml", "pointer": "/a", "value": 1}]}, "headers": match}),
    ]
    for method, path, more in writes:
        rosa.problem(method, path, 403, "not-permitted", **more)
        stranger.problem(method, path, 404, "not-found", **more)
    assert edda.call("GET", draft(study), status=200)["revision"] == 1
    rosa.problem("POST", "/v1/staff/studies", 403, "not-permitted", json={"study": "x", "title": "x", "language": "en", "time_zone": "UTC", "days": 1})
    taken = {"study": study, "title": "x", "language": "en", "time_zone": "UTC", "days": 1}
    stranger.problem("POST", "/v1/staff/studies", 409, "study-taken", json=taken)
    actions = [entry["action"] for entry in audit(edda, study)]
    assert actions.count("study_created") == 1 and actions.count("role_granted") >= 3


def audit(coordinator, study):
    """The entries of the study's audit, which its creator may read as a coordinator."""
    reply = coordinator.call("GET", f"/v1/studies/{study}/audit?limit=1000")
    assert reply.status_code == 200, reply.text
    return reply.json()["items"]


def test_a_draft_of_a_published_study_begins_with_its_live_version(edda, server):
    path = draft("mindful-walking")
    started = edda.call("POST", path, json={}, status=201)
    try:
        assert started["based_on"] == started["version"] and started["removed"] == []
        assert {file["changed"] for file in started["files"]} == {"same"}
        edda.problem("POST", path, 409, "draft-exists", json={})
        listed = edda.call("GET", "/v1/staff/studies", status=200)
        assert "mindful-walking" not in [one["study"] for one in listed["unpublished"]]
    finally:
        assert edda.call("DELETE", path, headers={"If-Match": f'"{started["revision"]}"'}).status_code == 204
    assert edda.call("GET", f"/v1/studies/mindful-walking/versions/{started['version']}/pack").content[:2] == b"PK"
