"""The web app in a real browser: joining, answering, insights and settings, with and without JavaScript, also offline."""

import re

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import PASSWORD, join, visit, words


def log_without_script(page, home, mood, category, emotion, note=""):
    """Fills in the document of the tracker's log. Two steps, because the emotions depend on the category."""
    page.goto(f"{home}/q/log")
    page.locator(f"#q-mood-{mood}").check()
    page.locator(f"#q-category-{category}").check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("lead to further questions")).to_be_visible()
    page.get_by_label(emotion, exact=True).check()
    if note:
        page.locator("#q-note-value").fill(note)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/sheets/**")


def test_a_visitor_joins_and_keeps_a_diary_without_javascript(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, "Emotions tracker", has_script=False)

    log_without_script(page, home, 3, "sadness", "lonely", note="the heron at the weir")

    expect(page.get_by_text("Your answers have been sent and stored.")).to_be_visible()
    expect(page.get_by_text("the heron at the weir")).to_be_visible()
    visit(page, "Journal")
    expect(page.locator("main .card")).to_have_count(1)
    # The page of the study leads back to it, and offers no second enrolment.
    page.goto("/studies/emotions-tracker")
    expect(page.get_by_role("link", name=words("study", "join"), exact=True)).to_have_count(0)
    page.get_by_role("link", name=words("study", "mine"), exact=True).click()
    expect(page).to_have_url(home)
    # It has no walks, which is not the end of the study.
    page.goto(f"{home}/walk")
    expect(page.get_by_text(words("walk", "not_in_study"), exact=True)).to_be_visible()
    expect(page.locator("main")).not_to_contain_text(words("walk", "file_text"))


def test_an_entry_is_corrected_and_deleted_without_javascript(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, "Emotions tracker", has_script=False)
    log_without_script(page, home, 3, "sadness", "lonely")

    page.get_by_role("link", name="Change", exact=True).click()
    page.locator("#q-mood-5").check()
    page.get_by_role("button", name="Send").click()

    expect(page.locator("dl.answers dd").first).to_have_text("5")
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The entry has been deleted.")).to_be_visible()
    expect(page.get_by_text("No entries yet.")).to_be_visible()


def test_faults_are_shown_at_their_questions(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, "Emotions tracker", has_script=False)
    page.goto(f"{home}/q/log")

    page.get_by_role("button", name="Send").click()

    summary = page.locator("#errors")
    expect(summary.get_by_role("listitem")).to_have_count(2)
    expect(page.locator("#q-mood .fault")).to_contain_text("Please answer this question.")
    assert page.title().startswith("Error:")
    summary.get_by_role("link").first.click()
    page.wait_for_url(lambda url: url.endswith("#q-mood"))


def log(page, mood, category, emotion):
    """Answers the tracker's log one question at a time."""
    page.locator(f"label:has(#q-mood-{mood})").click()
    page.get_by_role("button", name="Continue").click()
    page.locator(f"label:has(#q-category-{category})").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text(emotion, exact=True).click()
    while page.get_by_role("button", name="Continue").is_visible():
        page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Please check your answers")).to_be_visible()


def test_one_question_at_a_time_with_a_review(visitor):
    page = visitor()
    home = join(page, "Emotions tracker")
    page.goto(f"{home}/q/log")

    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#q-mood .fault")).to_contain_text("Please answer this question.")
    log(page, 7, "joy", "calm")
    page.get_by_role("button", name="Change: How is your mood right now?").click()
    expect(page.locator("#q-mood-7")).to_be_checked()
    # The step is in the history after it is on the screen.
    page.wait_for_url(lambda url: url.endswith("#q-mood"))
    page.go_back()
    page.get_by_role("button", name="Send").click()

    page.wait_for_url("**/sheets/**")
    expect(page.get_by_text("Your answers have been sent and stored.")).to_be_visible()
    visit(page, "Insights")
    expect(page.locator(".insight").first).to_be_visible()


def test_a_draft_survives_leaving_the_page(visitor):
    page = visitor()
    home = join(page, "Emotions tracker")
    page.goto(f"{home}/q/log")
    page.locator("label:has(#q-mood-4)").click()
    page.get_by_role("button", name="Continue").click()

    page.goto(home)
    page.goto(f"{home}/q/log")

    expect(page.locator("#q-mood-4")).to_be_checked()


def test_answers_given_offline_are_sent_once(visitor):
    page = visitor()
    home = join(page, "Emotions tracker")
    page.goto(f"{home}/q/log")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")

    page.context.set_offline(True)
    log(page, 6, "joy", "calm")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url(home)
    expect(page.locator("#status")).to_contain_text("not sent yet")
    page.context.set_offline(False)

    expect(page.locator("#status")).to_contain_text("All answers sent", timeout=30_000)
    page.goto(f"{home}/entries")
    expect(page.locator("main .card")).to_have_count(1)


def test_settings_are_saved_and_the_last_channel_stays(visitor):
    page = visitor()
    home = join(page, "Emotions tracker")
    page.goto(f"{home}/settings")
    for channel in ("mail", "push"):
        page.locator(f"[name='channel.{channel}']").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#errors")).to_contain_text("Please keep at least one way")

    page.locator("[name='channel.mail']").check()
    page.locator("[name='kind.location']").check()
    page.get_by_label("Language").select_option("de")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Gespeichert.")).to_be_visible()
    expect(page.locator("[name='kind.location']")).to_be_checked()
    assert page.locator("html").get_attribute("lang") == "de"


def test_a_calibration_opens_the_recorder(visitor):
    page = visitor(geolocation={"latitude": 52.52, "longitude": 13.41, "accuracy": 5}, permissions=["geolocation"])
    home = join(page, "Mindful walking")
    page.goto(f"{home}/walk")
    page.locator("main").get_by_role("link", name="Calibrate").click()
    page.get_by_label("Your ordinary speed in km/h").fill("5,4")
    page.get_by_label("How much slower, in percent?").fill("30")
    expect(page.locator("#target")).to_contain_text("3.8 km/h")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(home)

    page.goto(f"{home}/walk")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#time")).to_have_text("0:03", timeout=10_000)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="End the walk").click()

    page.wait_for_url("**/walks/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Walk")


def test_everything_is_erased_after_two_confirmations(visitor, web):
    page = visitor(java_script_enabled=False)
    join(page, "Emotions tracker", has_script=False)
    page.goto("/account/erase")
    page.get_by_label("Password").fill("not the password")
    page.get_by_label("Yes, I am sure").check()
    page.get_by_role("button", name="Erase everything").click()
    expect(page.locator("#errors")).to_contain_text("The password is wrong.")

    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Yes, I am sure").check()
    page.get_by_role("button", name="Erase everything").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is erased")
    page.goto("/my")
    expect(page).to_have_url(re.compile("/login"))


def test_a_form_of_another_site_changes_nothing(visitor, web):
    page = visitor(java_script_enabled=False)
    home = join(page, "Emotions tracker", has_script=False)
    cookie = page.context.cookies()[0]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    cookies = {cookie["name"]: cookie["value"]}
    path = home.removeprefix(web)

    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {}):
        reply = requests.post(f"{web}{path}/pause", data={}, cookies=cookies, headers=headers | {"Content-Type": "application/x-www-form-urlencoded"}, timeout=60, allow_redirects=False)
        assert reply.status_code == 403, headers
        reply = requests.patch(f"{web}/v1{path.replace('/my/', '/enrolments/')}", json={"paused": True}, cookies=cookies, headers=headers, timeout=60)
        assert reply.status_code == 403, headers
    page.goto(f"{home}/settings")
    expect(page.get_by_role("button", name="Begin a break")).to_be_visible()


PAGES = ["", "/q/log", "/entries", "/insights", "/more", "/course", "/messages", "/settings", "/licences", "/leave"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_accessibility_faults_and_fit_a_small_screen(visitor, scheme):
    page = visitor(color_scheme=scheme)
    home = join(page, "Emotions tracker")
    axe = Axe()
    for path in PAGES:
        page.goto(home + path)
        page.set_viewport_size({"width": 320, "height": 640})
        faults = axe.run(page).response["violations"]
        assert [(path, fault["id"], [node["html"] for node in fault["nodes"]][:2]) for fault in faults] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_the_frame_of_visitors_has_no_accessibility_faults(visitor):
    page = visitor()
    axe = Axe()
    for path in ["/", "/studies/mindful-walking", "/login", "/register", "/reset", "/reset/code", "/offline"]:
        page.goto(path)
        faults = axe.run(page).response["violations"]
        assert [(path, fault["id"], [node["html"] for node in fault["nodes"]][:2]) for fault in faults] == []


def test_a_link_logs_in_once(visitor, server):
    page = visitor()
    join(page, "Emotions tracker")
    email = requests.get(
        server.url + "/v1/account", cookies={c["name"]: c["value"] for c in page.context.cookies()}, timeout=60).json()["email"]
    link = server.run("account", "login-link", "--email", email).strip().splitlines()[-1]

    other = visitor()
    other.goto(link)
    other.get_by_role("button", name="Log in").click()
    other.wait_for_url("**/my/*")

    third = visitor()
    third.goto(link)
    third.get_by_role("button", name="Log in").click()
    expect(third.get_by_text("This link was already used")).to_be_visible()
