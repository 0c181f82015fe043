"""The walks of a study for its team: the routes, the list, and the page of one walk."""

import csv
import io
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import walks
from acceptance.browser import words
from acceptance.moments import new_id
from acceptance.people import Person
from test_staff_pages import OTHER, STUDY, Member, browser_session, log_in, sign_in

PAGE = f"/staff/{STUDY}/walks"
ROUTE = f"/v1/studies/{STUDY}/walks"


@pytest.fixture(scope="module")
def ada(server, contract, web):
    """A participant with two walks: one before the calibration, and one with it."""
    made = Person(server, contract, name="Ada Canary").register().enrol()
    made.first, made.second = new_id(), new_id()
    made.call("PUT", made.own(f"/walks/{made.first}"), json=walks.body(made.zone), status=201)
    body = walks.body(made.zone, calibration_id=made.calibrate()["calibration_id"])
    made.call("PUT", made.own(f"/walks/{made.second}"), json=body, status=201)
    return made


@pytest.fixture(scope="module")
def rosa(server, web):
    return Member(server, [("researcher", STUDY)])


@pytest.fixture(scope="module")
def name(ada):
    return ada.enrolment["participant_id"]


@pytest.fixture(scope="module")
def walk_path(ada, name):
    return f"/staff/{STUDY}/participants/{name}/walks/{ada.second}"


def resource(name, walk):
    return f"/v1/studies/{STUDY}/participants/{name}/walks/{walk}"


def listed(member, **parameters):
    items, cursor = [], None
    while True:
        page = member.get(ROUTE, params={"limit": 1, **parameters} | ({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
        if not cursor:
            return items


def test_the_routes_return_the_values_of_the_participants_own_route(ada, rosa, name):
    found = {item["walk_id"]: item for item in listed(rosa, participant=name)}
    assert set(found) == {ada.first, ada.second}

    for walk, item in found.items():
        own = ada.call("GET", ada.own(f"/walks/{walk}"), status=200)
        detail = rosa.get(resource(name, walk)).json()
        for member in ("walk_id", "started_at", "ended_at", "received_at", "sport", "calibration_id", "flags", "summary"):
            assert item[member] == own[member] == detail[member], member
        for member in ("series", "pauses", "totals", "time_zone"):
            assert detail[member] == own[member], member
        # A walk of ten minutes can begin before midnight, and the participant enrolled after it.
        assert item["participant_id"] == name and item["study_day"] in (0, -1)
    for member, value in walks.SUMMARY.items():
        assert found[ada.second]["summary"][member] == pytest.approx(value, abs=0.05), member


def test_filters_and_rejected_queries(ada, rosa, name):
    [item] = [item for item in listed(rosa, participant=name) if item["walk_id"] == ada.second]

    assert len(listed(rosa, participant=name, arm=item["arm"])) == 2 and listed(rosa, participant=name, arm="nothing") == []
    assert listed(rosa, participant=name, to="2020-01-01") == [] and listed(rosa, participant="UNKNOWN") == []
    day = item["local_date"]
    assert ada.second in [found["walk_id"] for found in listed(rosa, participant=name, **{"from": day, "to": day})]
    missing = [found["walk_id"] for found in listed(rosa, participant=name) if "calibration_missing" in found["flags"]]
    assert [found["walk_id"] for found in listed(rosa, participant=name, flag="calibration_missing")] == missing
    for parameters in ({"from": "2026-02-02", "to": "2026-02-01"}, {"from": "2026-01-01", "to": "2026-12-31"}, {"flag": "odd"}, {"cursor": "x"}):
        assert rosa.get(ROUTE, params=parameters).status_code == 400, parameters


def test_the_description_of_the_device_needs_the_right_to_the_full_profile(ada, rosa, name, server):
    reader = Member(server)
    server.run("account", "grant", "--email", reader.email, "--role", "researcher", "--study", STUDY, "--full-export")

    assert "Paper Watch" in reader.get(resource(name, ada.second)).text
    assert "Paper Watch" not in rosa.get(resource(name, ada.second)).text


def test_only_researchers_and_coordinators_of_the_study_open_the_page_of_a_walk(server, ada, name, walk_path, web):
    grants = {
        "researcher": [("researcher", STUDY)], "coordinator": [("coordinator", STUDY)], "editor": [("editor", STUDY)],
        "admin": [("admin", "*")], "stranger": [("researcher", OTHER)]}
    sessions = {member: Member(server, made).session for member, made in grants.items()}
    sessions |= {"participant": log_in(server.url, ada.email, ada.password), "anonymous": browser_session(server.url)}
    expected = {"researcher": 200, "coordinator": 200, "editor": 403, "admin": 403, "stranger": 404, "participant": 403, "anonymous": 303}

    for path in (walk_path, f"{walk_path}/samples.csv"):
        statuses = {member: session.get(web + path, timeout=60, allow_redirects=False).status_code for member, session in sessions.items()}
        assert statuses == expected, path
    for path in (f"/staff/{STUDY}/participants/UNKNOWN/walks/{ada.second}", f"/staff/{STUDY}/participants/{name}/walks/{new_id()}"):
        assert sessions["researcher"].get(web + path, timeout=60, allow_redirects=False).status_code == 404, path


def test_a_deleted_walk_is_not_found(server, contract, rosa, web):
    person = Person(server, contract, name="Ben Canary").register().enrol()
    walk = new_id()
    person.call("PUT", person.own(f"/walks/{walk}"), json=walks.body(person.zone), status=201)
    pseudonym = person.enrolment["participant_id"]
    assert rosa.get(f"/staff/{STUDY}/participants/{pseudonym}/walks/{walk}").status_code == 200
    person.call("DELETE", person.own(f"/walks/{walk}"), status=204)

    assert listed(rosa, participant=pseudonym) == []
    assert rosa.get(resource(pseudonym, walk)).status_code == rosa.get(f"/staff/{STUDY}/participants/{pseudonym}/walks/{walk}").status_code == 404


# The pages

def test_the_list_and_the_file_show_what_the_route_returns(ada, rosa, name, visitor):
    items = rosa.get(ROUTE, params={"participant": name}).json()["items"]
    reply = rosa.get(f"{PAGE}?participant={name}&format=csv")
    assert re.search(rf'filename="{STUDY}-walks-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"])
    lines = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"{PAGE}?participant={name}")
    shown = page.locator("main tbody tr").all()

    assert len(items) == len(lines) == len(shown) == 2
    numbers = {
        "metres": "distance_m", "speed": "mean_speed_kmh", "target": "target_speed_kmh", "above": "above_target_s",
        "times": "above_target_count", "heart": "mean_heart_rate_bpm"}
    for item, line, element in zip(items, lines, shown):
        assert line[words("staff", "pseudonym")] == item["participant_id"] == name
        assert line[words("staff", "arm")] == item["arm"]
        for word, member in numbers.items():
            text = line[words("staff_walks", word)]
            assert (float(text) if text else None) == item["summary"][member], member
        assert float(line[words("staff_walks", "minutes")]) == pytest.approx(item["summary"]["active_s"] / 60)
        for title in (words("staff", "pseudonym"), words("staff", "arm"), words("staff_walks", "flags")):
            assert element.locator(f"[data-title='{title}']").inner_text().strip() == line[title]
        assert element.locator("th").inner_text().strip() == line[words("staff_walks", "walk")]


def test_a_researcher_comes_from_the_timeline_to_a_walk_and_its_samples(ada, rosa, name, walk_path, visitor, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{STUDY}/participants/{name}?kinds=walk")
    page.locator(f".timeline a[href$='{ada.second}']").click()

    expect(page).to_have_url(web + walk_path)
    expect(page.locator("main figure svg")).to_be_visible()
    assert name in page.locator("dl.facts").inner_text()
    description = page.locator("main figure svg desc").text_content()
    assert words("walk", "finding_pauses", count=1) in description
    # The participant sees the same figure.
    own = log_in(web, ada.email, ada.password).get(
        f"{web}/my/{ada.enrolment['enrolment_id']}/walks/{ada.second}", headers={"Accept-Language": "en"}, timeout=60).text
    drawing = re.search("<svg role=\"img\".*?</svg>", own, re.S).group(0)
    assert drawing in rosa.get(walk_path).text
    samples = list(csv.DictReader(io.StringIO(rosa.get(f"{walk_path}/samples.csv").content.decode())))
    series = walks.series()
    assert [int(line["t_ms"]) for line in samples] == series["t_ms"]
    assert [float(line["speed_kmh"]) for line in samples] == series["speed_kmh"]
    page.locator(".crumbs").get_by_role("link", name=name).click()
    expect(page).to_have_url(f"{web}/staff/{STUDY}/participants/{name}")


def test_no_page_contains_a_name_or_an_address(ada, rosa, walk_path):
    for path in (PAGE, f"{PAGE}?format=csv", walk_path, f"{walk_path}/samples.csv"):
        text = rosa.get(path).text
        assert "Canary" not in text and ada.email not in text, path


def test_the_pages_are_in_german(rosa, ada, walk_path):
    assert words("staff_walks", "minutes", "de") in rosa.get(PAGE, headers={"Accept-Language": "de"}).text
    assert words("walk", "figure", "de") in rosa.get(walk_path, headers={"Accept-Language": "de"}).text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, rosa, ada, name, walk_path, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, rosa)
    axe, faults = Axe(), []
    for path in (f"{PAGE}?participant={name}", f"{PAGE}?to=2020-01-01", walk_path):
        page.goto(path)
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
