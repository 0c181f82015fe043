"""The pages of study teams: who sees which page, the numbers, the CSV file, the password, and how the pages look."""

import csv
import gzip
import io
import json
import re
import uuid

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import answers
from acceptance.browser import words
from acceptance.moments import new_id

STUDY, OTHER = "mindful-walking", "emotions-tracker"
ROLES = {
    "researcher": [("researcher", STUDY)], "coordinator": [("coordinator", STUDY)], "editor": [("editor", STUDY)], "admin": [("admin", "*")],
    "stranger": [("researcher", OTHER)],
}
VISITORS = [*ROLES, "participant", "anonymous"]


def row(researcher, coordinator, editor, admin, stranger, participant, anonymous=303):
    return dict(zip(VISITORS, (researcher, coordinator, editor, admin, stranger, participant, anonymous)))


# Page -> visitor -> status. 303 leads to the login.
PAGES = {
    "/staff": row(200, 200, 200, 200, 200, 200),
    "/staff?q=walk&state=open&sort=-enrolled": row(200, 200, 200, 200, 200, 200),
    "/staff?format=csv": row(200, 200, 200, 200, 200, 200),
    "/staff?sort=size": row(400, 400, 400, 400, 400, 200),
    "/staff?format=pdf": row(400, 400, 400, 400, 400, 400),
    "/staff/login": row(200, 200, 200, 200, 200, 200),
    f"/staff/{STUDY}": row(200, 200, 200, 200, 404, 403),
    f"/staff/{OTHER}": row(404, 404, 404, 200, 200, 403),
    f"/staff/{STUDY}?group=stratum": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}?group=country": row(400, 400, 200, 200, 404, 403),
    f"/staff/{STUDY}?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/participants": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/participants?q=p&state=active&sort=-enrolled_at&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/participants?sort=-adherence": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/participants?state=lost": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/participants?enrolled_from=2026-02-02&enrolled_to=2026-02-01": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/adherence": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/adherence?q=p&from_day=28&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/adherence?span=90": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/adherence?span=30": row(422, 422, 403, 403, 404, 403),
    f"/staff/{STUDY}/adherence?from_day=x": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/devices": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/devices?missing=true&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/devices?missing=maybe": row(400, 400, 403, 403, 404, 403),
    f"/staff/{OTHER}/participants": row(404, 404, 403, 403, 200, 403),
    "/staff/no-such-study": row(404, 404, 404, 404, 404, 403),
    "/staff/alerts": row(403, 200, 403, 200, 403, 403),
    f"/staff/alerts?study={STUDY}": row(403, 200, 403, 200, 403, 403),
    f"/staff/alerts?study={OTHER}": row(403, 404, 403, 200, 403, 403),
    f"/staff/{STUDY}/walks": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/walks?participant=p&arm=walking&from=2026-01-01&to=2026-02-01&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/walks?flag=odd": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/walks?from=2026-01-01&to=2026-12-31": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/messages": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/messages?state=failed&kind=rule&rule=broadcast&participant=p&table=days&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/messages?state=lost": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/messages?from=2026-01-01&to=2026-02-28": row(422, 422, 403, 403, 404, 403),
    f"/staff/{STUDY}/messages?table=people&format=csv": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/broadcasts": row(403, 200, 403, 200, 403, 403),
    f"/staff/{STUDY}/broadcasts?sent=1&format=csv": row(403, 200, 403, 200, 403, 403),
    f"/staff/{OTHER}/broadcasts": row(403, 404, 403, 200, 403, 403),
    f"/staff/{STUDY}/scores": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/scores?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{OTHER}/scores": row(404, 404, 403, 403, 200, 403),
    f"/staff/{STUDY}/scores/who_5": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/scores/unknown": row(404, 404, 403, 403, 404, 403),
    f"/staff/{STUDY}/scores/who_5?table=missing&format=csv": row(400, 400, 403, 403, 404, 403),
    f"/staff/{STUDY}/scores/who_5/rows?scale=index&arm=none&format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/arms": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/arms?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{OTHER}/arms": row(404, 404, 403, 403, 200, 403),
    f"/staff/{STUDY}/rules": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/rules?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/rules/unknown": row(404, 404, 403, 403, 404, 403),
    f"/staff/{OTHER}/rules": row(404, 404, 403, 403, 200, 403),
    f"/staff/{OTHER}/rules/log_reminder": row(404, 404, 403, 403, 200, 403),
    f"/staff/{OTHER}/rules/log_reminder?participant=p&outcome=muted&from=2026-01-01&to=2026-02-01&format=csv": row(404, 404, 403, 403, 200, 403),
    f"/staff/{OTHER}/rules/log_reminder?outcome=odd": row(404, 404, 403, 403, 400, 403),
    f"/staff/{STUDY}/variables": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/variables?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{OTHER}/variables": row(404, 404, 403, 403, 200, 403),
    f"/staff/{STUDY}/versions": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/versions?format=csv": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/versions?cursor=nothing": row(400, 400, 400, 400, 404, 403),
    f"/staff/{STUDY}/versions/9.9.9": row(404, 404, 404, 404, 404, 403),
    f"/staff/{OTHER}/versions": row(404, 404, 404, 200, 200, 403),
    # Without a draft.
    f"/staff/{STUDY}/draft/publish": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/audit": row(403, 200, 403, 200, 403, 403),
    f"/staff/{STUDY}/audit?action=data_read&actor=account&from=2026-01-01&format=csv": row(403, 200, 403, 200, 403, 403),
    f"/staff/{STUDY}/audit?from=2026-02-02&to=2026-02-01": row(403, 400, 403, 400, 403, 403),
    f"/staff/{OTHER}/audit": row(403, 404, 403, 200, 403, 403),
    f"/staff/{STUDY}/roles": row(403, 200, 403, 200, 403, 403),
    f"/staff/{STUDY}/roles?sent=1&format=csv": row(403, 200, 403, 200, 403, 403),
    f"/staff/{OTHER}/roles": row(403, 404, 403, 200, 403, 403),
    f"/staff/{STUDY}/draft/dry-run?version=1.0.0&participants=2&days=2": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft/dry-run?version=1.0.0&participants=many": row(422, 422, 422, 422, 404, 403),
    # The study has no draft: the page offers to start one, and has no other pages.
    f"/staff/{STUDY}/draft": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft?from=1.0.0": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft/words": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/schedule": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/collections": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/collections/sayings": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/collections/sayings/items/new": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/collections/sayings/one": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/file?path=studies/{STUDY}/study.yaml": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/file/media?path=studies/{STUDY}/media/icon.png": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/file/upload": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/programmes": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/programmes/control": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/practices/who_5": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/join": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/join/poster?language=de": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/exports": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/exports?profile=coded&from=2026-01-01&questionnaires=who_5,maas": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/exports?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/exports?cursor=nothing": row(400, 400, 403, 403, 404, 403),
    f"/staff/{OTHER}/exports": row(404, 404, 403, 403, 200, 403),
    f"/staff/{STUDY}/tokens": row(200, 200, 403, 403, 404, 403),
    f"/staff/{STUDY}/tokens?format=csv": row(200, 200, 403, 403, 404, 403),
    f"/staff/{OTHER}/tokens": row(404, 404, 403, 403, 200, 403),
    f"/staff/{STUDY}/draft/try?version=1.0.0": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft/try?version=1.0.0&day=3&time=18:30&zone=Europe/Berlin&language=de": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft/try?version=1.0.0&time=late": row(400, 400, 400, 400, 404, 403),
    f"/staff/{STUDY}/draft/try/q/who_5?version=1.0.0": row(200, 200, 200, 200, 404, 403),
    f"/staff/{STUDY}/draft/try/q/unknown?version=1.0.0": row(404, 404, 404, 404, 404, 403),
    f"/staff/{STUDY}/draft/import": row(403, 403, 200, 200, 404, 403),
}
# Pages of single records, which test_staff_participant.py, test_staff_walks.py, test_staff_roles.py and test_staff_versions.py open.
PAGES_OF_RECORDS = {
    "/staff/{study}/participants/{participant}", "/staff/{study}/participants/{participant}/sheets/{sheet}",
    "/staff/{study}/participants/{participant}/entitlements", "/staff/{study}/participants/{participant}/actions",
    "/staff/{study}/participants/{participant}/walks/{walk}", "/staff/{study}/participants/{participant}/walks/{walk}/samples.csv",
    "/staff/{study}/roles/{account}/{role}", "/staff/{study}/draft/try/o/{occasion}", "/staff/{study}/versions/{version}"}
# Pages that can be many, of which the test follows some links.
LONG_LISTS = (
    "/staff", "/staff/{study}/participants", "/staff/{study}/walks", "/staff/{study}/audit", "/staff/{study}/messages", "/staff/{study}/roles",
    "/staff/{study}/roles/{account}/{role}", "/staff/{study}/scores/{questionnaire}/rows", "/staff/{study}/rules/{rule}",
    "/staff/{study}/draft/dry-run", "/staff/{study}/draft/try", "/staff/{study}/draft/try/o/{occasion}",
    "/staff/{study}/draft/try/q/{questionnaire}")


class Member:
    """An account with roles, and a browser session that is logged in."""

    def __init__(self, server, grants=()):
        self.server = server
        self.email = f"{uuid.uuid4().hex[:12]}@example.org"
        self.password = json.loads(server.run("account", "create", "--email", self.email, "--name", "Rosa Field", "--json"))["password"]
        for role, study in grants:
            server.run("account", "grant", "--email", self.email, "--role", role, "--study", study)
        self.session = log_in(server.url, self.email, self.password)

    def get(self, path, /, **more):
        return self.session.get(self.server.url + path, timeout=60, allow_redirects=False, **more)

    def post(self, path, /, **fields):
        return self.session.post(self.server.url + path, data=fields, timeout=60, allow_redirects=False)

    def age(self, minutes):
        """Moves the last use and the password of all sessions of the account into the past."""
        account = self.get("/v1/account").json()["account_id"]
        self.server.sql(f"""
            update identity.web_session set seen_at = seen_at - interval '{minutes} minutes', confirmed_at = confirmed_at - interval '{minutes} minutes'
            where family_id in (select family_id from identity.token_family where account_id = '{account}')""")


def log_in(url, email, password):
    session = browser_session(url)
    reply = session.post(f"{url}/login", data={"email": email, "password": password}, timeout=60, allow_redirects=False)
    assert reply.status_code == 303, reply.text
    return session


def browser_session(url):
    session = requests.Session()
    session.headers.update({"Origin": url, "Accept": "text/html", "Accept-Language": "en"})
    return session


@pytest.fixture(scope="module")
def ada(server, contract, web):
    """A participant of the study with an open alert."""
    from acceptance.people import Person

    made = Person(server, contract, name="Ada Canary").register().enrol()
    server.sql(f"""
        insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
        values ('{made.enrolment["enrolment_id"]}', '{new_id()}', 'very_low', 'low_mood', now(), now() + interval '1 day')""")
    return made


@pytest.fixture(scope="module")
def visitors(server, web, ada):
    """Visitor -> a function that requests a page."""
    made = {name: Member(server, grants) for name, grants in ROLES.items()}
    participant = log_in(server.url, ada.email, ada.password)
    anonymous = browser_session(server.url)
    sessions = {name: member.session for name, member in made.items()} | {"participant": participant, "anonymous": anonymous}
    assert list(sessions) == VISITORS
    return sessions


def test_every_page_is_open_to_the_right_visitors_only(visitors, web, ada):
    found = {
        page: {name: session.get(web + page, timeout=60, allow_redirects=False) for name, session in visitors.items()}
        for page in PAGES}

    assert {page: {name: reply.status_code for name, reply in replies.items()} for page, replies in found.items()} == PAGES
    for page, replies in found.items():
        for name, reply in replies.items():
            # Lists of time zones contain the islands.
            text = reply.text.replace("Atlantic/Canary", "")
            assert "Canary" not in text and ada.email not in text, (page, name)
            if reply.status_code == 303:
                assert reply.headers["Location"].startswith("/login?next=/staff"), page


def test_only_coordinators_and_admins_acknowledge_alerts(visitors, web):
    form = {"study": STUDY, "alert": str(uuid.uuid4()), "note": "Called back", "only": ""}
    statuses = {name: session.post(f"{web}/staff/alerts", data=form, timeout=60, allow_redirects=False).status_code for name, session in visitors.items()}

    assert statuses == row(403, 404, 403, 404, 403, 403)


def test_every_link_leads_to_a_page_of_the_table(visitors, web):
    listed = {shape(page) for page in PAGES} | PAGES_OF_RECORDS
    for name in ROLES:
        waiting, seen = ["/staff"], set()
        while waiting:
            path = waiting.pop()
            # Other tests leave drafts with faults, whose pages answer 422.
            if shape(path).startswith("/staff/{study}") and path.split("?")[0].split("/")[2] not in (STUDY, OTHER):
                continue
            # The pages of the days of participants differ only in their filter.
            if path in seen or ((shape(path) in LONG_LISTS or "?from=" in path) and len(seen) > 40):
                continue
            seen.add(path)
            reply = visitors[name].get(web + path, timeout=60, allow_redirects=False)
            assert reply.status_code == 200 and shape(path) in listed, (name, path)
            if reply.headers["Content-Type"].startswith("text/html"):
                waiting += [link.replace("&amp;", "&") for link in re.findall(r'href="(/staff[^"]*)"', reply.text)]
        assert f"/staff/{OTHER if name == 'stranger' else STUDY}" in seen, name
        assert any(path.startswith("/staff/alerts") for path in seen) == (name in ("coordinator", "admin")), name


def shape(path):
    """The path without its query, and with names for the study and for the record of the page."""
    path = re.sub("/staff/(?!alerts|login)[^/]+", "/staff/{study}", path.split("?")[0])
    path = re.sub("/walks/[^/]+", "/walks/{walk}", path)
    path = re.sub("/try/o/[^/]+", "/try/o/{occasion}", re.sub("/try/q/[^/]+", "/try/q/{questionnaire}", path))
    path = re.sub("/roles/[^/]+/[^/]+$", "/roles/{account}/{role}", path)
    path = re.sub("/rules/[^/]+", "/rules/{rule}", path)
    path = re.sub("/practices/[^/]+", "/practices/{practice}", re.sub("/programmes/[^/]+", "/programmes/{programme}", path))
    path = re.sub("/versions/[^/]+", "/versions/{version}", path)
    path = re.sub("/collections/[^/]+", "/collections/{collection}", path)
    path = re.sub("({collection})/(?!items/)[^/]+$", "\\1/{item}", path)
    path = re.sub("/scores/[^/]+", "/scores/{questionnaire}", path)
    return re.sub("/sheets/[^/]+$", "/sheets/{sheet}", re.sub("/participants/[^/]+", "/participants/{participant}", path))


def rows(session, address, name="studies"):
    """The rows of the CSV file of a page."""
    reply = session.get(address, timeout=60)
    assert reply.headers["Content-Type"].startswith("text/csv"), reply.text
    assert re.search(r'filename="%s-[0-9T.Z-]+\.csv"' % name, reply.headers["Content-Disposition"])
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def test_the_page_the_file_and_the_api_show_the_same(visitors, web, visitor, server):
    member = Member(server, [("researcher", STUDY), ("coordinator", STUDY), ("researcher", OTHER)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    names = {
        "study": "code", "enrolled": "enrolled", "active": "active", "due_today": "due", "answered_today": "answered", "late_today": "late",
        "live_version": "version"}

    items = member.get("/v1/staff/studies").json()["items"]
    file = rows(member.session, f"{web}/staff?format=csv")
    shown = page.locator("main tbody tr").all()

    assert [item["study"] for item in items] == [STUDY, OTHER], "the study with an open alert is the first"
    assert len(file) == len(shown) == len(items)
    for item, line, element in zip(items, file, shown):
        for member_name, word in names.items():
            title = words("staff", word)
            assert str(item[member_name]) == line[title] == element.locator(f"[data-title='{title}']").inner_text().strip(), member_name
        assert line[words("staff", "study")] == element.locator("th").inner_text().strip() == item["title"]
    # The filter, the order and the file belong together.
    assert [line[words("staff", "code")] for line in rows(member.session, f"{web}/staff?q=emotion&format=csv")] == [OTHER]
    assert [line[words("staff", "code")] for line in rows(member.session, f"{web}/staff?sort=-study&format=csv")] == sorted([STUDY, OTHER])
    page.goto("/staff?q=nothing-like-this")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    page.wait_for_load_state()
    assert page.locator("main tbody tr").count() == 2


def test_editors_and_admins_see_no_numbers_of_participants(visitors, web):
    for name in ("editor", "admin"):
        for line in rows(visitors[name], f"{web}/staff?format=csv"):
            assert [line[words("staff", word)] for word in ("enrolled", "active", "due", "answered", "late", "last_record")] == [""] * 6
        assert words("staff", "no_numbers") in visitors[name].get(f"{web}/staff/{STUDY}", timeout=60).text


def test_the_pages_are_in_the_language_of_the_visitor(visitors, web):
    text = visitors["researcher"].get(f"{web}/staff", headers={"Accept-Language": "de"}, timeout=60).text

    assert words("staff", "title", "de") in text and words("staff", "csv", "de") in text and "Achtsames Gehen" in text


def test_the_menu_has_walks_and_arms_only_in_studies_that_have_them(server, web):
    member = Member(server, [("researcher", STUDY), ("researcher", OTHER)])

    def menu(path):
        [tabs] = re.findall(r'<nav class="tabs".*?</nav>', member.get(path).text, re.S)
        return set(re.findall(r'href="([^"]*)"', tabs))

    for page in ("", "/participants", "/adherence", "/versions", "/draft", "/walks", "/arms"):
        study, other = menu(f"/staff/{STUDY}{page}"), menu(f"/staff/{OTHER}{page}")
        assert {f"/staff/{STUDY}/walks", f"/staff/{STUDY}/arms"} <= study, page
        # Nothing else differs.
        assert {link.replace(OTHER, STUDY) for link in other} == study - {f"/staff/{STUDY}/walks", f"/staff/{STUDY}/arms"}, page
    walks, arms = member.get(f"/staff/{OTHER}/walks"), member.get(f"/staff/{OTHER}/arms")
    assert (walks.status_code, arms.status_code) == (200, 200)
    assert words("staff_walks", "no_walking") in walks.text and words("arms", "one_arm") in arms.text
    assert words("arms", "one_arm") not in member.get(f"/staff/{STUDY}/arms").text


# The overview and the participants

def numbers(page, element_id):
    """Title -> number of one part of the overview."""
    found = page.locator(f"section[aria-labelledby={element_id}] .counts > div").all()
    return {row.locator("dt").inner_text().splitlines()[0].strip(): row.locator("dd").evaluate("dd => dd.firstElementChild?.firstChild?.textContent ?? dd.textContent") for row in found}


def test_every_number_of_the_overview_leads_to_its_rows(visitor, server, contract, web, ada):
    from acceptance.people import Person

    # A participant who never started, and one whose device has records that have not arrived.
    for name in ("Cem Canary", "Dora Canary"):
        person = Person(server, contract, name=name).register().enrol()
        enrolment = person.enrolment["enrolment_id"]
        if name.startswith("Cem"):
            server.sql(f"""
                update research.occasion set visible_at = visible_at - interval '9 days', open_at = open_at - interval '9 days',
                  due_at = due_at - interval '9 days', close_at = close_at - interval '9 days' where enrolment_id = '{enrolment}'""")
        else:
            server.sql(f"""
                insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
                values ('{enrolment}', '{uuid.uuid4()}', now(), now(), '{{[1,3),[5,6)}}')""")
    member = Member(server, [("researcher", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(f"/staff/{STUDY}")
    overview = member.get(f"/v1/studies/{STUDY}/overview").json()

    trouble = {row["code"]: row["participants"] for row in overview["trouble"]}
    assert trouble["never_started"] >= 1 and trouble["unsent"] >= 1
    shown = numbers(page, "today")
    for word, member_name in (("due", "due"), ("answered", "answered"), ("late", "late"), ("open_now", "open")):
        assert shown[words("staff", word)] == str(overview["today"][member_name])
    assert numbers(page, "steps")[words("staff", "enrolled")] == str(overview["steps"]["enrolled"])
    assert numbers(page, "trouble") == {words("staff", code): str(count) for code, count in trouble.items() if count}
    links = page.locator("a[data-count]").evaluate_all("links => links.map(link => [link.getAttribute('href'), Number(link.firstChild.textContent)])")
    assert len(links) >= 6
    for address, count in links:
        found, following = [], f"{web}{address}"
        while following:
            text = member.session.get(following, timeout=60).text
            found += re.findall(r'<th scope="row"><a href="[^"]*">([^<]+)</a>', text)
            [file] = re.findall(r'<a href="([^"]*format=csv[^"]*)"', text)
            listed = [line[words("staff", "pseudonym")] for line in rows(member.session, web + file.replace("&amp;", "&"), f"{STUDY}-participants")]
            assert listed == found[len(found) - len(listed):]
            further = re.findall(r'<a class="button" href="([^"]*cursor=[^"]*)"', text)
            following = web + further[-1].replace("&amp;", "&") if further and words("staff", "next_page") in text else None
        assert len(set(found)) == len(found) == count, address
    # The figure has the finding in words, and the table all steps.
    figure = page.locator("figure svg")
    assert str(overview["steps"]["enrolled"]) in figure.locator("desc").text_content()
    table = rows(member.session, f"{web}/staff/{STUDY}?format=csv", f"{STUDY}-enrolment")
    assert [[line[words("staff", "date")], line[words("staff", "group")], int(line[words("staff", "enrolled")])] for line in table] == [
        [point["date"], course["group"], point["total"]] for course in overview["enrolment"] for point in course["points"]]


def test_the_rows_of_participants_are_those_of_the_api(visitor, server, web, ada):
    member = Member(server, [("researcher", STUDY)])
    name = ada.enrolment["participant_id"]
    for query in ("", f"q={name.lower()}", "sort=-last_sheet_at", "state=active&sort=-enrolled_at", "state=stopped", "sort=adherence", "sort=-adherence", "sort=arm", "sort=state",
                  "sort=-study_day", "sort=-unsent", "sort=-trouble"):
        items = member.get(f"/v1/studies/{STUDY}/participants?limit=50&{query}").json()["items"]
        file = rows(member.session, f"{web}/staff/{STUDY}/participants?format=csv&{query}", f"{STUDY}-participants")

        columns = {"pseudonym": "participant_id", "arm": "arm", "sheets": "answer_sheets", "walks": "walks", "study_day": "study_day", "joined": "enrolled_on", "missing_records": "unsent"}
        for word, column in columns.items():
            assert [line[words("staff", word)] for line in file] == [str(item[column]) for item in items], (query, word)
        percents = [item["adherence"]["adherence_percent"] for item in items]
        assert [float(line[words("staff", "adherence")] or -1) for line in file] == [-1 if value is None else value for value in percents]
        if "adherence" in query:
            known = [value for value in percents if value is not None]
            assert percents == sorted(known, reverse="-" in query) + [None] * (len(percents) - len(known))
    # Pages of two in an order with equal values: no participant twice, none left out.
    for sort in ("adherence", "-trouble", "state"):
        everyone, following = [], f"/v1/studies/{STUDY}/participants?limit=2&sort={sort}"
        while following:
            reply = member.get(following).json()
            everyone += [item["participant_id"] for item in reply["items"]]
            following = reply.get("next") and f"/v1/studies/{STUDY}/participants?limit=2&sort={sort}&cursor={reply['next']}"
        assert sorted(everyone) == sorted(
            item["participant_id"] for item in member.get(f"/v1/studies/{STUDY}/participants?limit=1000").json()["items"]), sort
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(f"/staff/{STUDY}/participants")
    page.get_by_label(words("staff", "find_pseudonym")).fill(name)
    page.get_by_role("button", name=words("staff", "apply")).click()
    expect(page.locator("main tbody th")).to_have_text([name])
    assert page.locator("main tbody th a").get_attribute("href") == f"/staff/{STUDY}/participants/{name}"
    page.goto(f"/staff/{STUDY}/participants?q=nothing-like-this")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    expect(page).to_have_url(f"{web}/staff/{STUDY}/participants")


def test_new_data_appear_by_themselves_and_focus_stays(visitor, server, contract, ada):
    from acceptance.people import Person

    member = Member(server, [("researcher", STUDY)])
    overview = visitor()
    sign_in(overview, member)
    overview.goto(f"/staff/{STUDY}")
    with overview.expect_response(re.compile("/live$")):
        overview.reload()
    everyone = overview.locator("section[aria-labelledby=steps] a[data-count]").first
    before = int(everyone.evaluate("link => link.firstChild.textContent"))
    everyone.focus()
    overview.locator("details").first.locator("summary").click()
    everyone.focus()
    overview.evaluate("scrollTo(0, 120)")
    top = overview.evaluate("scrollY")
    # A second tab learns of changes from the first one.
    other = visitor.watch(overview.context.new_page())
    other.goto(f"/staff/{STUDY}/participants?sort=-enrolled_at")

    person = Person(server, contract, name="Eva Canary").register().enrol()

    expect(everyone).to_have_text(re.compile(f"^{before + 1}"), timeout=6000)
    assert everyone.evaluate("link => link === document.activeElement"), "focus stays"
    assert overview.evaluate("scrollY") == top and overview.locator("details").first.evaluate("one => one.open")
    expect(overview.locator("#live")).to_have_text(re.compile(words("staff", "updated", time="").strip()))
    expect(other.locator("main tbody th").first).to_have_text(person.enrolment["participant_id"], timeout=6000)
    # A sheet is on the open page within two seconds, also right after another refresh.
    numbers_before = overview.locator("#live-numbers").inner_text()
    person.submit("who_5", answers.WHO_5)
    expect(overview.locator("#live-numbers")).not_to_have_text(numbers_before, use_inner_text=True, timeout=2000)
    assert "UTC" not in other.locator("main .table-notes time").first.inner_text()


def test_an_unattended_page_does_not_keep_the_session_open(visitor, server, contract, ada):
    from acceptance.people import Person

    member = Member(server, [("researcher", STUDY)])
    page = visitor()
    sign_in(page, member)
    page.goto(f"/staff/{STUDY}")
    with page.expect_response(re.compile("/live$")):
        page.reload()
    # The scripts of the page that start late make requests of its first use.
    page.wait_for_timeout(3000)
    account = member.get("/v1/account").json()["account_id"]
    sessions = f"from identity.web_session where family_id in (select family_id from identity.token_family where account_id = '{account}')"
    member.age(20)
    before = server.sql(f"select max(seen_at) {sessions}")

    with page.expect_response(re.compile(f"/staff/{STUDY}$")):
        Person(server, contract, name="Fin Canary").register().enrol()
    assert server.sql(f"select max(seen_at) {sessions}") == before
    member.age(11)
    Person(server, contract, name="Gil Canary").register().enrol()

    expect(page.locator("#live a")).to_have_text(words("staff", "reload"), timeout=10_000)
    page.locator("#live a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("staff", "password_again"))


# The password

def sign_in(page, member):
    page.goto("/staff")
    page.get_by_label("E-mail address").fill(member.email)
    page.get_by_label("Password", exact=True).fill(member.password)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/staff")


def test_a_session_that_was_not_used_asks_for_the_password_and_leads_back(visitor, server, web, ada):
    member = Member(server, [("researcher", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    member.age(31)

    page.goto(f"/staff/{STUDY}")
    expect(page).to_have_url(f"{web}/staff/login?next=/staff/{STUDY}")
    for typed, faults in (("", 1), ("wrong password", 1)):
        page.get_by_label("Password", exact=True).fill(typed)
        page.get_by_role("button", name=words("staff", "continue")).click()
        expect(page.locator("#errors li")).to_have_count(faults)
    page.get_by_label("Password", exact=True).fill(member.password)
    page.get_by_role("button", name=words("staff", "continue")).click()
    expect(page).to_have_url(f"{web}/staff/{STUDY}")


def test_scripts_have_the_same_limits_as_pages_and_participants_have_none(server, web, ada):
    member = Member(server, [("researcher", STUDY)])
    path = f"/v1/studies/{STUDY}/participants"
    assert member.get(path).status_code == 200
    member.age(31)
    reply = member.get(path)

    assert (reply.status_code, reply.json()["type"].rsplit("/", 1)[1]) == (403, "password-required")
    # The account takes part in no study, so its first page is one of the study team, with the same limits.
    assert member.get("/my").headers["Location"] == "/staff"
    stranger = Member(server)
    assert words("my", "title") in stranger.get("/my").text, "an account without a role and a study"
    member.post("/staff/login", password=member.password, next="/staff")
    assert member.get(path).status_code == 200
    # Coded data need a password of the last ten minutes; use does not replace it.
    exports = f"{web}/v1/studies/{STUDY}/exports"
    assert member.session.post(exports, json={"profile": "coded"}, timeout=60).status_code in (200, 202)
    member.age(11)
    assert member.get(path).status_code == 200
    assert member.session.post(exports, json={"profile": "coded"}, timeout=60).status_code == 403
    assert "password_confirmed" in server.run("audit", "--action", "password_confirmed")
    # A participant's session may be older.
    participant = log_in(web, ada.email, ada.password)
    account = ada.tokens["account_id"]
    server.sql(f"""
        update identity.web_session set seen_at = seen_at - interval '60 days', confirmed_at = confirmed_at - interval '60 days'
        where family_id in (select family_id from identity.token_family where account_id = '{account}')""")
    assert participant.get(f"{web}/my/{ada.enrolment['enrolment_id']}", timeout=60).status_code == 200


def test_a_link_that_logs_in_does_not_replace_the_password(visitor, server):
    member = Member(server, [("researcher", STUDY)])
    link = server.run("account", "login-link", "--email", member.email).strip().splitlines()[-1]
    page = visitor(java_script_enabled=False)
    page.goto(link)
    page.locator("main").get_by_role("button").click()
    page.goto("/staff")

    expect(page.get_by_role("heading", level=1)).to_have_text(words("staff", "password_again"))


# How the pages look

def test_a_coordinator_acts_on_an_alert_without_javascript(visitor, server, contract, web):
    from acceptance.people import Person

    person = Person(server, contract, name="Ben Canary").register().enrol()
    server.sql(f"""
        insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
        values ('{person.enrolment["enrolment_id"]}', '{new_id()}', 'very_low', 'low_mood', now(), now() + interval '1 day')""")
    member = Member(server, [("coordinator", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)

    page.locator("main tbody").get_by_role("link", name=re.compile("open alert")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("staff", "alerts"))
    expect(page.locator(".crumbs a")).to_have_text([words("staff", "title"), "Mindful walking"])
    card = page.locator("main .card").filter(has_text=person.enrolment["participant_id"])
    card.get_by_label(words("staff", "note")).fill("Called back at noon")
    card.get_by_role("button").click()

    expect(page).to_have_url(f"{web}/staff/alerts?study={STUDY}")
    expect(page.locator("main .card").filter(has_text=person.enrolment["participant_id"])).to_have_count(0)
    page.locator(".crumbs").get_by_role("link", name="Mindful walking").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("staff", "overview"))


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_staff_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, server, ada, scheme, width):
    member = Member(server, [("researcher", STUDY), ("coordinator", STUDY), ("researcher", OTHER)])
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, member)
    axe, faults = Axe(), []
    for path in (
            "/staff", "/staff?q=nothing", f"/staff/{STUDY}", f"/staff/{STUDY}/participants", f"/staff/{STUDY}/participants?q=nothing", "/staff/alerts", f"/staff/alerts?study={STUDY}", "/staff/login"):
        page.goto(path)
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []


def test_times_are_in_the_zone_of_the_browser_and_the_table_prints(visitor, server, ada):
    member = Member(server, [("coordinator", STUDY)])
    page = visitor(timezone_id="Asia/Tokyo")
    sign_in(page, member)
    page.goto("/staff/alerts")

    moment = page.locator("main time").first
    expect(moment).to_have_attribute("title", re.compile("UTC$"))
    assert "UTC" not in moment.inner_text()
    page.goto("/staff")
    page.emulate_media(media="print")
    expect(page.locator(".filters")).to_be_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_the_files_of_staff_pages_are_small_and_no_part_of_the_participants_app(visitors, web):
    page = visitors["researcher"].get(f"{web}/staff/{STUDY}", timeout=60).text
    limits = {r"/assets/staff\.[0-9a-f]+\.css": 3000, r"/assets/staff\.[0-9a-f]+\.js": 2000, r"/assets/refresh\.[0-9a-f]+\.js": 2000}

    for pattern, limit in limits.items():
        [address] = set(re.findall(pattern, page))
        assert len(gzip.compress(requests.get(web + address, timeout=60).content)) <= limit, address
    worker = requests.get(f"{web}/sw.js", timeout=60).text
    assert "/assets/staff." not in worker and "/assets/refresh." not in worker
