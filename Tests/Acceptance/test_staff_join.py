"""The page with which a study team invites participants: the link, enrolment codes, QR codes and posters."""

import csv
import io
import re

import numpy
import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.moments import new_id
from acceptance.people import Person
from acceptance.server import ROOT
from test_staff_pages import OTHER, STUDY, Member, browser_session, log_in, sign_in

CLOSED = "closed-diary"


@pytest.fixture(scope="module")
def closed(server, web):
    """The server, with a study that only people with a code can join."""
    server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / CLOSED / "studies" / CLOSED)
    return server


@pytest.fixture(scope="module")
def cora(closed):
    return Member(closed, [("coordinator", CLOSED), ("coordinator", STUDY)])


def decoded(svg):
    """The text of a QR code as it is drawn. One module of the path is eight pixels of the picture."""
    size = int(re.search(r'viewBox="0 0 (\d+) \d+"', svg).group(1))
    picture = numpy.full((size, size), 255, numpy.uint8)
    for x, y, run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", svg):
        picture[int(y), int(x) : int(x) + int(run)] = 0
    [found] = zxingcpp.read_barcodes(numpy.kron(picture, numpy.ones((8, 8), numpy.uint8)))
    return found.text


def drawings(text):
    return re.findall(r'<svg [^>]*class="qr".*?</svg>', text)


def create(member, **fields):
    return member.post(f"/staff/{CLOSED}/join", **({"label": "Leaflet", "count": "1", "uses": "1", "days": "90"} | fields))


def made_codes(text):
    return re.findall(r'<p class="code"><code>([0-9A-Z-]+)</code>', text)


def test_the_pages_are_open_to_the_study_team_only(closed, contract, cora, web):
    grants = {"researcher": [("researcher", CLOSED)], "editor": [("editor", CLOSED)], "admin": [("admin", "*")], "stranger": [("researcher", OTHER)]}
    members = {name: Member(closed, made) for name, made in grants.items()} | {"coordinator": cora}
    person = Person(closed, contract, name="Ada Canary").register()
    sessions = {name: member.session for name, member in members.items()}
    sessions |= {"participant": log_in(closed.url, person.email, person.password), "anonymous": browser_session(closed.url)}
    path = f"/staff/{CLOSED}/join"
    team = {"coordinator": 200, "researcher": 200, "editor": 200, "admin": 200, "stranger": 404, "participant": 403, "anonymous": 303}

    def statuses(send):
        return {name: send(session).status_code for name, session in sessions.items()}

    for page in (path, f"{path}/poster?language=en"):
        assert statuses(lambda session: session.get(web + page, timeout=60, allow_redirects=False)) == team, page
    # Codes: coordinators and admins.
    only = {"coordinator": 200, "admin": 200, "researcher": 403, "editor": 403, "stranger": 404, "participant": 403, "anonymous": 303}
    form = {"label": "Leaflet", "count": "1", "uses": "1", "days": "1"}
    assert statuses(lambda session: session.post(web + path, data=form, timeout=60, allow_redirects=False)) == only
    revoking = {name: 404 if status == 200 else status for name, status in only.items()}
    # A stranger is a coordinator of no study, so the role is refused before the study is looked up.
    revoking["stranger"] = 403
    assert statuses(lambda session: session.post(f"{web}{path}/revoke", data={"code_id": new_id()}, timeout=60, allow_redirects=False)) == revoking
    for name, session in sessions.items():
        text = session.get(web + path, timeout=60).text
        assert (words("codes", "create") in text) == (name in ("coordinator", "admin")), name
    assert cora.get(f"{path}/poster?language=xx").status_code == 404
    assert cora.post(f"{path}/poster", code="no code", language="en").status_code == 400


def test_the_code_of_an_open_study_leads_to_its_page(cora, web):
    text = cora.get(f"/staff/{STUDY}/join").text

    [svg] = drawings(text)
    assert decoded(svg) == f"{web}/studies/{STUDY}" and f'href="{web}/studies/{STUDY}"' in text
    assert cora.session.get(f"{web}/studies/{STUDY}", timeout=60).status_code == 200


def test_the_codes_of_a_study_with_its_own_app_lead_there(closed, web):
    study = "open-door"
    closed.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / study / "studies" / study)
    member = Member(closed, [("coordinator", study)])
    reply = member.post(f"/staff/{study}/join", label="Leaflet", count="1", uses="1", days="1")

    [code] = made_codes(reply.text)
    assert [decoded(svg) for svg in drawings(reply.text)] == [f"{web}/studies/{study}", f"https://app.example.org/join#{code}"]


def test_a_code_is_shown_once_and_admits_a_participant(closed, contract, cora, web):
    reply = create(cora, label="Clinic", count="2", uses="3")
    codes = made_codes(reply.text)

    assert reply.status_code == 200 and len(codes) == len(set(codes)) == 2
    texts = [decoded(svg) for svg in drawings(reply.text)]
    assert texts == [f"{web}/join", *(f"{web}/join#{code}" for code in codes)]
    again = cora.get(f"/staff/{CLOSED}/join").text
    assert not any(code in again for code in codes) and "Clinic" in again
    listed = [item for item in cora.get(f"/v1/studies/{CLOSED}/enrolment-codes").json()["items"] if item["label"] == "Clinic"]
    assert [(item["uses"], item["used"], item["state"]) for item in listed] == [(3, 0, "active")] * 2
    person = Person(closed, contract, name="Ben Canary").register()
    body = {"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "code": codes[0]}
    person.call("POST", f"/v1/studies/{CLOSED}/enrolments", json=body, status=201)
    page = cora.get(f"/staff/{CLOSED}/join").text
    assert words("codes", "used_of", used=1, uses=3) in page


def test_a_revoked_code_admits_no_participant(closed, contract, cora):
    [code] = made_codes(create(cora, label="Lost leaflet").text)
    [item] = [item for item in cora.get(f"/v1/studies/{CLOSED}/enrolment-codes").json()["items"] if item["label"] == "Lost leaflet"]
    reply = cora.post(f"/staff/{CLOSED}/join/revoke", code_id=item["code_id"])

    assert (reply.status_code, reply.headers["Location"]) == (303, f"/staff/{CLOSED}/join")
    person = Person(closed, contract, name="Cy Canary").register()
    body = {"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "code": code}
    assert person.call("POST", f"/v1/studies/{CLOSED}/enrolments", json=body).status_code >= 400
    rows = list(csv.DictReader(io.StringIO(cora.get(f"/staff/{CLOSED}/join?format=csv").content.decode("utf-8-sig"))))
    states = {row[words("codes", "label")]: row[words("codes", "state")] for row in rows}
    assert states["Lost leaflet"] == words("codes", "state_revoked")


@pytest.mark.parametrize("fields, faults", [
    ({"label": "  "}, 1), ({"label": "x" * 101}, 1), ({"count": "0"}, 1), ({"count": "51"}, 1), ({"uses": "many"}, 1), ({"days": ""}, 1),
    ({"label": "", "count": "-1", "uses": "0", "days": "99999"}, 4)])
def test_a_wrong_field_is_named_and_nothing_is_created(cora, fields, faults):
    before = len(cora.get(f"/v1/studies/{CLOSED}/enrolment-codes?limit=1000").json()["items"])
    reply = create(cora, **fields)

    assert reply.status_code == 422 and made_codes(reply.text) == []
    assert len(re.findall(r'<p class="fault"', reply.text)) == faults
    assert len(cora.get(f"/v1/studies/{CLOSED}/enrolment-codes?limit=1000").json()["items"]) == before


def test_a_coordinator_makes_a_code_and_a_poster_without_javascript(cora, visitor, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(f"/staff/{CLOSED}")
    page.locator(".tabs").get_by_role("link", name=words("staff", "join")).click()
    page.get_by_label(words("codes", "label")).fill("Poster of the library")
    page.get_by_role("button", name=words("codes", "create")).click()
    code = page.locator(".codes .code").inner_text().strip()
    page.locator(".codes").get_by_role("button", name=re.compile(words("codes", "poster"))).first.click()

    expect(page).to_have_url(f"{web}/staff/{CLOSED}/join/poster")
    expect(page.locator(".poster .code")).to_have_text(code)
    assert decoded(page.locator(".poster svg").evaluate("element => element.outerHTML")) == f"{web}/join#{code}"
    # Black on white, also in a dark page, and alone on the paper.
    page.emulate_media(media="print", color_scheme="dark")
    fills = page.locator(".poster svg > :is(rect, path)").evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
    assert fills == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    for hidden in (".crumbs", ".no-print", ".top", ".tabs"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert len(re.findall(rb"/Type /Page\b", page.pdf(format="A4"))) == 1


def test_there_is_a_poster_in_each_language_of_the_study(cora, web):
    study = cora.get(f"/v1/studies/{STUDY}").json()
    text = cora.get(f"/staff/{STUDY}/join").text
    assert len(study["languages"]) > 1

    for language in study["languages"]:
        path = f"/staff/{STUDY}/join/poster?language={language}"
        assert path in text
        title = cora.get(f"/v1/studies/{STUDY}", headers={"Accept-Language": language}).json()["title"]
        poster = cora.get(path).text
        assert f'lang="{language}">{title}<' in poster and words("codes", "scan", language) in poster
        assert [decoded(svg) for svg in drawings(poster)] == [f"{web}/studies/{STUDY}"]


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(cora, visitor, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, cora)
    axe, faults = Axe(), []

    def check(name):
        found = axe.run(page).response["violations"]
        faults.extend((name, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in found)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((name, "wide", page.evaluate("document.documentElement.scrollWidth")))

    for path in (f"/staff/{STUDY}/join", f"/staff/{STUDY}/join/poster?language=de", f"/staff/{CLOSED}/join"):
        page.goto(path)
        check(path)
    page.get_by_label(words("codes", "label")).fill(f"Leaflet {width}")
    page.get_by_role("button", name=words("codes", "create")).click()
    expect(page.locator(".codes .code")).to_have_count(1)
    check("new code")
    assert faults == []
