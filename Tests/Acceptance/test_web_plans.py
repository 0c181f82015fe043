"""Locked practices and plans in the browser, and the page on which a coordinator gives entitlements."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import EXPECTED, Visitors, words
from acceptance.people import Person
from acceptance.server import ROOT
from test_staff_pages import Member, sign_in

STUDY = "paid-practices"
LOCKED = words("today", "locked")


@pytest.fixture(scope="module")
def practices(server, web):
    server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY)
    return server


@pytest.fixture
def visitors(chromium, practices):
    """Browsers. A locked page has the status 403, which the browser logs."""
    made = Visitors(chromium, practices.url)
    yield made
    try:
        assert made.complaints(EXPECTED + "|403") == []
    finally:
        made.close()


@pytest.fixture
def yana(practices, contract):
    return Person(practices, contract, name="Yana Canary").register().enrol(study=STUDY)


def log_in(page, person):
    page.goto("/login")
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password", exact=True).fill(person.password)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/my/*")
    return f"/my/{person.enrolment['enrolment_id']}"


def faults(page):
    return [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in Axe().run(page).response["violations"]]


def heading(page, text):
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_a_locked_practice_shows_its_name_and_the_plans_and_opens_with_a_gift(practices, visitors, yana):
    cora = Member(practices, [("coordinator", STUDY), ("researcher", STUDY)])
    page = visitors(java_script_enabled=False)
    page.goto(f"/studies/{STUDY}")
    page.get_by_role("link", name=words("plans", "see")).click()
    heading(page, words("plans", "title"))
    expect(page.locator("#plans h3")).to_have_text(["Premium by the month", "Premium by the year"])
    expect(page.locator("main")).to_contain_text(words("plans", "sold"))

    # Locked, without script.
    home = log_in(page, yana)
    page.goto(home)
    card = page.locator("li.card", has=page.get_by_role("link", name="Deep calm", exact=True))
    expect(card).to_contain_text(LOCKED)
    card.get_by_role("link", name="Deep calm", exact=True).click()
    heading(page, "Deep calm")
    expect(page.locator("main")).to_contain_text(words("plans", "locked", title="Premium"))
    expect(page.locator("main")).to_contain_text("12")
    assert "Canary question" not in page.content() and page.locator("#questions").count() == 0
    expect(page.locator("#plans li")).to_have_count(2)
    page.goto(f"{home}/q/long_calm")
    heading(page, "Long calm")
    expect(page.locator("main")).to_contain_text(words("plans", "none"))
    page.goto(f"{home}/more")
    page.locator("main").get_by_role("link", name=words("more", "plans"), exact=True).click()
    heading(page, words("plans", "title"))
    page.goto(f"{home}/c/sayings")
    locked = page.locator("li.card", has_text="Deep water")
    expect(locked).to_contain_text(words("library", "locked"))
    assert "Canary saying" not in page.content()

    # The coordinator gives it, with script and without faults of axe.
    staff = visitors()
    sign_in(staff, cora)
    staff.goto(f"/staff/{STUDY}/participants/{yana.enrolment['participant_id']}")
    staff.get_by_role("link", name=words("entitlements", "title"), exact=True).click()
    expect(staff.locator("main")).to_contain_text(words("entitlements", "none"))
    staff.locator("#until").fill("2020-01-01")
    staff.get_by_role("button", name=words("entitlements", "give")).click()
    expect(staff.locator("#errors")).to_contain_text(words("entitlements", "fault_reason"))
    expect(staff.locator("#errors")).to_contain_text(words("entitlements", "fault_until"))
    assert faults(staff) == []
    staff.locator("#until").fill("")
    staff.locator("#reason").fill("Prize of the draw")
    staff.get_by_role("button", name=words("entitlements", "give")).click()
    expect(staff.get_by_role("status")).to_have_text(words("entitlements", "given"))
    row = staff.locator("table.data tbody tr")
    expect(row).to_contain_text("Premium")
    expect(row).to_contain_text("Prize of the draw")
    assert faults(staff) == []

    # Open, with script. The plan of the device lists its document.
    page.goto(f"{home}/q/deep_calm")
    expect(page.locator("main")).to_contain_text("Canary question two about the shore")
    phone = visitors()
    log_in(phone, yana)
    document = f"{home}/q/deep_calm"
    plan = phone.evaluate("async (home) => (await fetch(home + '/plan')).json()", home)
    assert document in [one["address"] for one in plan["documents"]]
    phone.goto(f"{home}/more")
    expect(phone.locator("#owned")).to_contain_text(words("plans", "source_gift"))
    assert faults(phone) == []

    # A form that was loaded before the end is stored, and shown without the other questions.
    page.locator("[name='a.deep_first']").fill("the last waves")
    staff.locator("#revoke_reason").fill("The draw was wrong")
    staff.get_by_role("button", name=words("entitlements", "revoke")).click()
    expect(staff.get_by_role("status")).to_have_text(words("entitlements", "revoked"))
    page.locator("#submit-actions button").click()
    page.wait_for_url(re.compile(r"/sheets/[^/]+\?new=1"))
    expect(page.locator("main")).to_contain_text("the last waves")
    assert "question two" not in page.content()
    assert page.get_by_role("link", name=words("answer", "edit"), exact=True).count() == 0
    sheet = yana.call("GET", yana.own("/answer-sheets"), status=200)["items"][0]
    assert sheet["flags"] == ["not_entitled"] and sheet["answers"] == {"deep_first": "the last waves"}
    plan = phone.evaluate("async (home) => (await fetch(home + '/plan')).json()", home)
    assert document not in [one["address"] for one in plan["documents"]]
    phone.goto(f"{home}/q/deep_calm")
    heading(phone, "Deep calm")
    assert faults(phone) == []


def test_the_page_of_entitlements_has_forms_for_coordinators_with_a_recent_password_only(practices, yana):
    path = f"/staff/{STUDY}/participants/{yana.enrolment['participant_id']}/entitlements"
    rosa = Member(practices, [("researcher", STUDY)])
    cora = Member(practices, [("coordinator", STUDY), ("researcher", STUDY)])
    edda = Member(practices, [("editor", STUDY)])

    assert rosa.get(path).status_code == 200 and "<textarea" not in rosa.get(path).text
    assert edda.get(path).status_code == 403
    assert rosa.post(path, code="premium", reason="Mine").status_code == 403
    assert "<textarea" in cora.get(path).text
    assert cora.post(path, code="gold", reason="Unknown").status_code == 422
    assert cora.post(path, revoke="premium", revoke_reason="There is none").status_code == 422
    cora.age(11)
    assert "<textarea" not in cora.get(path).text and words("entitlements", "password") in cora.get(path).text
    assert cora.post(path, code="premium", reason="Late").status_code in (303, 403)
    assert yana.call("GET", yana.own("/entitlements"), status=200)["items"] == []
    audit = practices.sql(f"select count(*) from audit.entry where action = 'entitlement_given' and study = '{STUDY}' and detail::text like '%Late%'")
    assert audit.strip() == "0"


def test_a_study_without_entitlements_has_no_page_of_plans(practices, visitors):
    page = visitors()
    assert page.request.get(f"{practices.url}/studies/mindful-walking/plans").status == 404
    page.goto("/studies/mindful-walking")
    assert page.get_by_role("link", name=words("plans", "see")).count() == 0
