"""Every page and every form of study teams, as the source of the pages lists them: who may send what, what a team never reads, and files."""

import csv
import html
import io
import itertools
import re
import uuid

import pytest

from acceptance import answers, walks
from acceptance.moments import new_id
from acceptance.people import Person
from acceptance.server import ROOT
from test_staff_pages import PAGES, PAGES_OF_RECORDS, STUDY, VISITORS, Member, ada, shape, visitors  # noqa: F401

ROUTE = re.compile(r'context\.(get|post|upload)\(\s*"(/staff[^"]*)"')
RESEARCH, COORDINATION, DRAFT, EVERYONE = ("researcher", "coordinator"), ("coordinator",), ("editor", "admin"), VISITORS[:-1]
# Form -> the visitors who may send it, of those in VISITORS. Others get 403 or 404, and visitors who are not logged in are led to the login.
FORMS = {
    "/staff": DRAFT,
    "/staff/login": EVERYONE,
    "/staff/alerts": ("coordinator", "admin"),
    "/staff/{study}/arms": COORDINATION,
    "/staff/{study}/broadcasts": ("coordinator", "admin"),
    "/staff/{study}/broadcasts/cancel": ("coordinator", "admin"),
    "/staff/{study}/exports": RESEARCH, "/staff/{study}/exports/end": RESEARCH, "/staff/{study}/exports/lines": RESEARCH,
    "/staff/{study}/tokens": RESEARCH, "/staff/{study}/tokens/revoke": RESEARCH,
    "/staff/{study}/scores/{questionnaire}": RESEARCH,
    "/staff/{study}/join": ("coordinator", "admin"), "/staff/{study}/join/revoke": ("coordinator", "admin"),
    "/staff/{study}/join/poster": ("coordinator", "admin"),
    "/staff/{study}/participants/{participant}/actions": COORDINATION,
    "/staff/{study}/participants/{participant}/entitlements": COORDINATION,
    "/staff/{study}/roles": ("coordinator", "admin"), "/staff/{study}/roles/{account}/{role}": ("coordinator", "admin"),
    "/staff/{study}/versions": DRAFT, "/staff/{study}/versions/editions": DRAFT,
    # Answers of a rehearsal are judged and not stored.
    "/staff/{study}/draft/try/o/{occasion}": ("researcher", "coordinator", "editor", "admin"),
    "/staff/{study}/draft/try/q/{questionnaire}": ("researcher", "coordinator", "editor", "admin"),
    # Gives back what was typed, as a file.
    "/staff/{study}/draft/typed": EVERYONE,
}
NEED_A_RECORD = {
    "/staff/alerts", "/staff/{study}/broadcasts/cancel", "/staff/{study}/exports/end", "/staff/{study}/exports/lines", "/staff/{study}/tokens/revoke",
    "/staff/{study}/join/revoke", "/staff/{study}/join/poster", "/staff/{study}/roles/{account}/{role}", "/staff/{study}/draft/try/o/{occasion}"}


def listed(*methods):
    """The addresses of the routes in the source, with the names of their parameters."""
    found = set()
    for file in sorted((ROOT / "Sources" / "SaunterWeb").rglob("*.swift")):
        found |= {path for method, path in ROUTE.findall(file.read_text()) if method in methods}
    return found


@pytest.fixture(scope="module")
def cleo(server, contract, web):
    """A participant with answers, a correction, a walk, a message and a device."""
    made = Person(server, contract, name="Cleo Canary").register().enrol()
    made.submit("daily_evening", answers.DAILY)
    made.submit("who_5", answers.WHO_5)
    made.call("PUT", made.own(f"/walks/{new_id()}"), json=walks.body(made.zone), status=201)
    return made


def test_every_page_of_the_source_is_in_a_table():
    pages = listed("get")
    tables = {shape(page) for page in PAGES} | PAGES_OF_RECORDS

    assert len(pages) >= 50
    assert {shape(page.replace("{study}", STUDY)) for page in pages} - tables == set()
    assert {form for form in FORMS if form not in listed("post", "upload")} == set()


def test_every_form_is_refused_to_visitors_without_its_role(visitors, web, cleo):  # noqa: F811
    values = {"study": STUDY, "participant": cleo.enrolment["participant_id"], "questionnaire": "who_5", "account": str(uuid.uuid4()), "role": "researcher"}
    uploads, sent = listed("upload"), {}
    for path in sorted(listed("post", "upload")):
        assert path in FORMS or path.startswith("/staff/{study}/draft"), f"FORMS has no visitors for {path}"
        address = re.sub("{([a-z]+)}", lambda name: values.get(name[1], "unknown"), path)
        form = {"files": {"file": ("pack.zip", b"PK")}} if path in uploads else {"data": {"nothing": "1"}}
        for name, session in visitors.items():
            reply = session.post(web + address, timeout=60, allow_redirects=False, **form)
            assert reply.status_code < 500, (path, name, reply.text[:300])
            refused = reply.status_code in (403, 404) or (reply.status_code == 303 and reply.headers["Location"].startswith("/login?next="))
            # What was typed in a form of a draft is shown again to a visitor whose session has ended, with a link to the login.
            kept = name == "anonymous" and reply.status_code == 422 and 'href="/login' in reply.text
            if not refused and not kept:
                sent.setdefault(path, set()).add(name)
    too_many = {path: names - set(FORMS.get(path, DRAFT)) for path, names in sent.items()}
    assert {path: names for path, names in too_many.items() if names} == {}
    # The others need a record, which does not exist here.
    assert {path for path in FORMS if sent.get(path) != set(FORMS[path])} <= NEED_A_RECORD


def text(part):
    """The words of a part of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())


def crawl(session, url, most=160):
    """Address -> reply of the pages that links lead to, with the pages of records."""
    found, waiting, shapes = {}, ["/staff"], {}
    while waiting and len(found) < most:
        path = waiting.pop(0)
        name = shape(path)
        # The pages of days and of orders differ in their rows only.
        if path in found or shapes.get(name, 0) >= 5:
            continue
        shapes[name] = shapes.get(name, 0) + 1
        reply = session.get(url + path, timeout=60)
        assert reply.status_code == 200, (path, reply.status_code)
        found[path] = reply
        if reply.headers["Content-Type"].startswith("text/html"):
            waiting += [html.unescape(link) for link in re.findall(r'href="(/staff[^"#]*)', reply.text)]
    return found


@pytest.fixture(scope="module")
def member(server, ada, cleo):  # noqa: F811
    """A researcher with the pages that the links of the dashboard lead to."""
    made = Member(server, [("researcher", STUDY)])
    made.found = crawl(made.session, server.url)
    return made


def test_no_page_of_the_team_shows_a_name_an_address_or_a_secret(member, web, ada, cleo):  # noqa: F811
    made = member.session.post(f"{web}/v1/studies/{STUDY}/api-tokens", json={"label": "Notebook"}, timeout=60).json()
    secrets = {
        "name": "canary", "address": cleo.email, "other address": ada.email, "access token": cleo.tokens["access_token"],
        "refresh token": cleo.tokens["refresh_token"], "api token": made["token"], "account": cleo.tokens["account_id"],
        "enrolment": cleo.enrolment["enrolment_id"], "session": next(iter(member.session.cookies)).value}
    found = crawl(member.session, web, most=30) | member.found

    shapes = {shape(path) for path in found}
    for record in ("", "/sheets/{sheet}", "/walks/{walk}"):
        assert "/staff/{study}/participants/{participant}" + record in shapes, shapes
    assert len(shapes) >= 20
    # Lists of time zones contain the islands.
    texts = {path: reply.text.replace("Atlantic/Canary", "").lower() for path, reply in found.items()}
    shown = {(path, name) for (path, text), (name, secret) in itertools.product(texts.items(), secrets.items()) if secret.lower() in text}
    assert shown == set()


def test_the_file_of_each_table_has_the_rows_of_its_page(member, web):
    compared = set()
    for path, reply in member.found.items():
        if not reply.headers["Content-Type"].startswith("text/html"):
            continue
        main = reply.text.partition("<main")[2]
        files = [html.unescape(link) for link in re.findall(r'href="([^"]*format=csv[^"]*)"', main)]
        tables = re.findall(r'<table class="data[^"]*".*?</table>', main, re.S)
        if len(files) != 1 or len(tables) != 1:
            continue
        body = member.session.get(web + files[0], timeout=60).content.decode("utf-8-sig")
        header, *lines = list(csv.reader(io.StringIO(body)))
        head, _, rest = tables[0].partition("<tbody>")
        rows = re.findall(r"<tr>.*?</tr>", rest, re.S)
        assert len(lines) == len(rows), (path, files[0])
        titles = [text(cell) for cell in re.findall(r"<th[ >].*?</th>", head, re.S)]
        assert header == [title for title in titles if title in header], (path, header, titles)
        for line, row in zip(lines, rows):
            cells = dict(zip(titles, re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.S)))
            # Moments and dates are words on the page; percentages and statistics have all their places in the file.
            for title, value in zip(header, line):
                plain = "<time" not in cells[title] and not re.fullmatch(r"-?[0-9.]+|\d{4}-\d\d-\d\d", value)
                shown = text(cells[title])
                assert not plain or shown == " ".join(value.split()) or (shown, value) == ("–", ""), (path, title, value, shown)
        compared.add(shape(path))
    assert len(compared) >= 6, compared
