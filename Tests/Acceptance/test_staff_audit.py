"""The audit of a study for its coordinators: the route, the page, its filters and its file."""

import csv
import io
import re

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import ROOT
from test_staff_pages import STUDY, Member, sign_in

PAGE = f"/staff/{STUDY}/audit"
ROUTE = f"/v1/studies/{STUDY}/audit"


@pytest.fixture(scope="module")
def cora(server, web):
    return Member(server, [("coordinator", STUDY)])


@pytest.fixture(scope="module")
def ada(server, contract, web):
    return Person(server, contract, name="Ada Canary").register().enrol()


def entries(member, **parameters):
    """All entries of the audit of the study, page by page."""
    items, cursor = [], None
    while True:
        page = member.get(ROUTE, params={"limit": 1000, **parameters} | ({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
        if not cursor:
            return items


def file(member, query=""):
    """The rows of the CSV file of the page."""
    reply = member.get(f"{PAGE}?{query}&format=csv" if query else f"{PAGE}?format=csv")
    assert reply.headers["Content-Type"].startswith("text/csv"), reply.text
    assert re.search(rf'filename="{STUDY}-audit-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"])
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def action(code, language="en"):
    return words("audit_action", code, language)


def test_every_action_in_the_database_has_words(server, cora, ada):
    known = yaml.safe_load((ROOT / "Sources/SaunterWeb/words/en.yaml").read_text())
    written = set(server.sql("select distinct action from audit.entry").split())

    assert {"enrolled", "registered", "role_granted"} <= written
    assert written <= set(known["audit_action"]) | set(known["audit_server_action"])
    # Entries of a study are in the list of actions that the filter offers.
    of_studies = set(server.sql("select distinct action from audit.entry where study is not null").split())
    assert of_studies <= set(known["audit_action"])


def test_the_route_lists_the_newest_entry_first_and_names_current_members_only(server, cora, ada):
    former = Member(server, [("coordinator", STUDY)])
    former.get(f"/v1/studies/{STUDY}/participants")
    # The entry of a request is not in its own response.
    cora.get(ROUTE)
    server.run("account", "revoke", "--email", former.email, "--role", "coordinator", "--study", STUDY)
    found = entries(cora)
    ids = [entry["entry_id"] for entry in found]

    assert ids == sorted(set(ids), reverse=True)
    assert ids == [int(line) for line in server.sql(
        f"select entry_id from audit.entry where study = '{STUDY}' and entry_id <= {ids[0]} order by entry_id desc").split()]
    names = {entry["actor_name"] for entry in found if entry["actor_kind"] == "account"}
    assert {"Rosa Field", None} <= names
    assert all(entry["actor_ref"] is None for entry in found if entry["actor_kind"] != "account")
    assert "Canary" not in cora.get(ROUTE, params={"limit": 1000}).text and ada.email not in cora.get(ROUTE, params={"limit": 1000}).text


def test_filters_select_actions_actors_and_dates(cora, ada):
    cora.get(ROUTE)
    own = next(entry for entry in entries(cora) if entry["action"] == "data_read" and entry["detail"].get("route", "").endswith("/audit"))
    day = own["recorded_at"][:10]

    assert {entry["action"] for entry in entries(cora, action="enrolled")} == {"enrolled"}
    assert {entry["actor_kind"] for entry in entries(cora, actor="participant")} == {"participant"}
    assert {entry["actor_ref"] for entry in entries(cora, actor=own["actor_ref"])} == {own["actor_ref"]}
    found = entries(cora, **{"from": day, "to": day})
    assert found and all(entry["recorded_at"].startswith(day) for entry in found)
    assert entries(cora, to="2020-01-01") == [] and entries(cora, action="nothing_like_this") == []
    for parameters in ({"from": "2026-02-02", "to": "2026-02-01"}, {"cursor": "x"}, {"from": "today"}, {"limit": 0}):
        assert cora.get(ROUTE, params=parameters).status_code == 400, parameters


def test_the_page_and_the_file_show_what_the_route_returns(cora, ada, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    for query, parameters in (("action=enrolled", {"action": "enrolled"}), ("actor=participant", {"actor": "participant"})):
        items = cora.get(ROUTE, params={"limit": 50, **parameters}).json()["items"]
        lines = file(cora, query)
        page.goto(f"{PAGE}?{query}")
        shown = page.locator("main tbody tr").all()

        assert items and len(items) == len(lines) == len(shown)
        for item, line, element in zip(items, lines, shown):
            assert line[words("audit", "action")] == element.locator("th").inner_text().strip() == action(item["action"])
            assert line[words("audit", "time")] == item["recorded_at"] == element.locator("time").get_attribute("datetime")
            for word in ("actor", "detail", "participant", "request"):
                title = words("audit", word)
                assert line[title] == element.locator(f"[data-title='{title}']").inner_text().strip(), word
            assert line[words("audit", "request")] == (item["request_id"] or "")
            assert (item["enrolment_ref"] or "").startswith(line[words("audit", "participant")])


def test_a_coordinator_finds_what_one_person_did_without_javascript(cora, ada, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs summary").click()
    page.locator(".tabs").get_by_role("link", name=words("staff", "audit"), exact=True).click()
    page.get_by_label(words("audit", "action"), exact=True).select_option(label=action("data_read"))
    page.get_by_role("button", name=words("staff", "apply")).click()
    page.wait_for_load_state()

    assert set(page.locator("main tbody th").all_inner_texts()) == {action("data_read")}
    page.locator("main tbody td a").first.click()
    expect(page).to_have_url(re.compile(r"audit\?actor=[0-9a-f]{32}$"))
    chosen = page.get_by_label(words("audit", "actor"), exact=True)
    assert len(chosen.input_value()) == 32
    page.goto(f"{PAGE}?action=nothing_like_this")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    # An action without words is named by its code.
    assert page.get_by_label(words("audit", "action"), exact=True).input_value() == "nothing_like_this"
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    expect(page).to_have_url(re.compile(f"{PAGE}$"))


def test_older_entries_are_on_the_next_page(server, cora, visitor):
    server.sql(f"""
        insert into audit.entry (recorded_at, actor_kind, action, study)
        select now(), 'system', 'report_made', '{STUDY}' from generate_series(1, 60)""")
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(f"{PAGE}?action=report_made")
    assert page.locator("main tbody tr").count() == 50
    page.get_by_role("link", name=words("staff", "next_page")).click()
    page.wait_for_load_state()
    assert page.locator("main tbody tr").count() >= 10
    page.get_by_role("link", name=words("staff", "first_page")).click()
    page.wait_for_load_state()
    assert page.locator("main tbody tr").count() == 50


def test_the_page_is_in_german(cora, ada):
    text = cora.get(f"{PAGE}?action=enrolled", headers={"Accept-Language": "de"}).text

    assert words("staff", "audit", "de") in text and action("enrolled", "de") in text and words("audit", "actor_participant", "de") in text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_page_has_no_accessibility_faults_and_fits_the_screen(cora, ada, visitor, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, cora)
    axe, faults = Axe(), []
    for path in (f"{PAGE}?action=enrolled", f"{PAGE}?action=data_read", f"{PAGE}?to=2020-01-01"):
        page.goto(path)
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
