"""The web app in a real Chromium: starting without an account, signing up, and moving the entries to an account."""

import re
import uuid

import pytest
import requests
from playwright.sync_api import expect

from acceptance.browser import PASSWORD, words
from acceptance.people import Person
from acceptance.server import ROOT, wait_until

STUDY = "open-door"
QUESTIONNAIRE = "door_note"


@pytest.fixture(scope="module")
def door(server):
    """The shared server, with a study that admits participants without an account."""
    server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY)
    return server


def say(name):
    return words("anonymous", name)


def start(page):
    """Starts without an account, with one click and the consent. The address of the page Today."""
    page.goto(f"/studies/{STUDY}")
    page.get_by_role("button", name=say("start")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Consent")
    if not page.get_by_label("Your time zone").input_value():
        page.get_by_label("Your time zone").select_option("Europe/Berlin")
    page.get_by_label("I have read this, and I take part.").check()
    page.get_by_role("button", name="Join the study").click()
    page.wait_for_url(re.compile(r"/my/[0-9a-f-]{36}$"))
    return re.search(r"/my/[0-9a-f-]{36}", page.url).group()


def write(page, home, mood):
    page.goto(f"{home}/q/{QUESTIONNAIRE}")
    page.locator("[name='a.mood']").fill(str(mood))
    while page.get_by_role("button", name="Continue").is_visible():
        page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_url(lambda url: "/q/" not in url)


def moods(page, url, home):
    """The moods of the answer sheets that the session of the browser can read."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    sheets = requests.get(f"{url}/v1/enrolments/{home.removeprefix('/my/')}/answer-sheets", cookies=cookies, timeout=60)
    return sorted(sheet["answers"]["mood"] for sheet in sheets.json()["items"]) if sheets.ok else sheets.status_code


def waiting(page):
    """The accounts of the records that wait on this device."""
    return page.evaluate("""() => new Promise((resolve, reject) => {
        const request = indexedDB.open('saunter');
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
            const db = request.result, all = db.transaction('outbox').objectStore('outbox').getAll();
            all.onsuccess = () => { db.close(); resolve(all.result.map((record) => record.account)); };
        }; })""")


def fill_sign_up(page, email):
    page.goto("/account/sign-up")
    page.get_by_label("Your name").fill("Yana Canary")
    page.get_by_label("E-mail address", exact=True).fill(email)
    page.get_by_label("New password").fill(PASSWORD)


def fill_adoption(page, person):
    page.goto("/account/sign-up")
    page.get_by_label(say("known_email")).fill(person.email)
    page.get_by_label(say("known_password")).fill(person.password)


def block(page):
    """Lets no upload reach the server."""
    page.context.route("**/upload", lambda route: route.abort())


def unblock(page):
    page.context.unroute("**/upload")


def test_a_participant_starts_without_an_account_and_signs_up_with_the_same_entries(visitor, door):
    page = visitor()
    home = start(page)
    write(page, home, 3)
    wait_until(lambda: moods(page, door.url, home) == [3], 30, "the first note is sent")
    block(page)
    write(page, home, 4)
    page.goto(home)
    expect(page.get_by_role("link", name=say("hint"))).to_be_visible()
    assert len(waiting(page)) == 1

    # The log-out warns, and offers to sign up first.
    page.get_by_role("link", name="Log out").click()
    expect(page.get_by_text(say("log_out_text"))).to_be_visible()
    page.get_by_role("link", name=say("sign_up_first")).click()
    email = f"{uuid.uuid4().hex}@example.org"
    fill_sign_up(page, email)
    unblock(page)
    page.get_by_role("button", name=say("sign_up_now")).click()

    expect(page.get_by_text(say("kept"))).to_be_visible()
    wait_until(lambda: moods(page, door.url, home) == [3, 4], 30, "the note that waited is sent")
    wait_until(lambda: waiting(page) == [], 30, "the device has the confirmation")
    page.goto(f"{home}/settings")
    expect(page.get_by_text(say("kind_registered"))).to_be_visible()
    expect(page.get_by_role("link", name=say("hint"))).to_have_count(0)

    # Another device, without scripts.
    other = visitor(java_script_enabled=False)
    other.goto(f"/login?next={home}")
    other.get_by_label("E-mail address").fill(email)
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.locator("main").get_by_role("button", name="Log in").click()
    other.wait_for_url(f"**{home}")
    assert moods(other, door.url, home) == [3, 4]


def test_the_entries_of_a_device_move_to_an_account_with_what_waits(visitor, door, contract):
    rosa = Person(door, contract).register()
    page = visitor()
    home = start(page)
    block(page)
    write(page, home, 5)
    former = waiting(page)
    page.goto("/account/sign-up")
    fill_adoption(page, rosa)
    page.get_by_role("button", name=say("adopt")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(say("adopted"))
    wait_until(lambda: waiting(page) and waiting(page) != former, 30, "the record belongs to the account")
    unblock(page)
    page.get_by_role("link", name="Continue").click()

    page.wait_for_url(f"**{home}")
    wait_until(lambda: moods(page, door.url, home) == [5], 30, "the note that waited is sent")
    wait_until(lambda: waiting(page) == [], 30, "the device has the confirmation")
    assert rosa.call("GET", f"/v1/enrolments/{home.removeprefix('/my/')}", status=200)["study"] == STUDY


def test_a_conflict_is_decided_in_words_without_scripts(visitor, door, contract):
    rosa = Person(door, contract).register().enrol(study=STUDY)
    page = visitor(java_script_enabled=False)
    home = start(page)
    fill_adoption(page, rosa)
    page.get_by_role("button", name=say("adopt")).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(say("conflict"))
    expect(page.locator("main")).to_contain_text("Open door")
    page.get_by_label(say("keep_account")).check()
    page.get_by_label(say("known_password")).fill(rosa.password)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text(say("confirm")).first).to_be_visible()
    page.get_by_label(say("known_password")).fill(rosa.password)
    page.get_by_label("Yes, I am sure").check()
    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(say("adopted"))
    assert moods(page, door.url, home) == 404
    rosa.call("GET", rosa.own(""), status=200)
    page.complaints.clear()  # The browser logs the 409 of the page with the question.


def test_the_pages_for_logging_in_offer_to_start_without_an_account(visitor, door):
    page = visitor(java_script_enabled=False)
    page.goto(f"/studies/{STUDY}/consent?code=AB12")
    expect(page).to_have_url(re.compile("/login"))
    page.get_by_role("button", name=say("start")).click()
    expect(page).to_have_url(re.compile(rf"/studies/{STUDY}/consent\?code=AB12"))
    # A study that does not admit the account says so.
    page.goto("/studies/mindful-walking/consent")
    expect(page.get_by_text(say("not_admitted"))).to_be_visible()
    page.goto("/login?next=/studies/mindful-walking/consent")
    expect(page.get_by_role("button", name=say("start"))).to_have_count(0)
