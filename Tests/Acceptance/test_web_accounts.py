"""The web app in a real browser: accounts, joining, the page Today, settings, messages, push, and what a session protects."""

import json
import re
import shutil
import uuid

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import answers
from acceptance.browser import PASSWORD, join, words
from acceptance.mailbox import code
from acceptance.people import Person
from acceptance.server import ROOT, wait_until

PACKS = ROOT / "Tests" / "Acceptance" / "packs"
TRACKER = "Emotions tracker"


def log_in(page, person):
    """Logs a person in who has an account already."""
    page.goto("/login")
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password", exact=True).fill(person.password)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "/login" not in url)
    return page.url


def cookies(page):
    return {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}


def own(page, home, path=""):
    """Reads a resource of the participant with the session of the browser."""
    enrolment = re.search(r"/my/([^/?]+)", home)[1]
    return requests.get(f"{page.visit.url}/v1/enrolments/{enrolment}{path}", cookies=cookies(page), timeout=60)


@pytest.fixture
def visitor(visitor):
    """A visitor whose requests come from a separate address, because attempts are counted by address."""
    def open_page(**more):
        headers = {"X-Forwarded-For": ".".join(str(part % 250 + 1) for part in uuid.uuid4().bytes[:4])}
        page = visitor(**{"extra_http_headers": headers, **more})
        page.visit = visitor
        return page
    return open_page


# Today

def test_today_leads_through_a_day(visitor, participant):
    mona = participant("Mona Canary")
    page = visitor(java_script_enabled=False)
    home = log_in(page, mona)
    due = page.locator("section:has(#due)")
    expect(due.get_by_text(re.compile(r"about \d+ min · open until .*\d\d:\d\d")).first).to_be_visible()
    expect(page.get_by_role("link", name="Calibrate first")).to_be_visible()
    expect(page.get_by_text("comes after a walk or another questionnaire").first).to_be_visible()

    sheet = mona.submit("daily_evening", answers.DAILY)
    page.goto(home)

    done = page.locator("#done-list")
    expect(done.get_by_text(re.compile(r"sent \d\d:\d\d"))).to_be_visible()
    done.get_by_role("link").click()
    expect(page).to_have_url(re.compile(sheet["sheet_id"]))


def test_a_pause_and_its_end(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, TRACKER, has_script=False)
    page.goto(f"{home}/settings")
    page.get_by_role("button", name="Begin a break").click()
    page.goto(home)

    expect(page.get_by_text(re.compile("You have paused the study since .*day"))).to_be_visible()
    page.get_by_role("button", name="Continue now").click()
    page.goto(home)
    expect(page.get_by_text("You have paused")).to_have_count(0)


def test_a_participant_who_left_can_read_export_and_erase(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, TRACKER, has_script=False)
    page.goto(f"{home}/leave")
    page.get_by_role("button", name="Leave the study").click()
    expect(page.locator("#mode .fault")).to_have_text("Please choose what should happen with your data.")
    page.get_by_label("I stop. What I have sent may be used.").check()
    page.get_by_role("button", name="Leave the study").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("You have left the study")
    expect(page.get_by_text(re.compile("You left the study on .*day"))).to_be_visible()
    assert own(page, home, "/export").status_code == 200
    page.locator("main").get_by_role("link", name="Entries").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Entries")
    page.goto(home)
    page.get_by_role("link", name="Erase").click()
    page.get_by_role("button", name="Erase my data of this study").click()
    expect(page.get_by_text("Please confirm that you want to erase your data.").first).to_be_visible()
    page.get_by_label("Yes, I am sure").check()
    page.get_by_role("button", name="Erase my data of this study").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is erased")
    assert own(page, home).status_code == 404


def test_the_page_of_another_participant_is_not_found(visitor, participant):
    ada, ben = participant("Ada Canary"), participant("Ben Canary")
    occasion = ada.call("GET", ada.own("/occasions?limit=1"), status=200)["items"][0]["occasion_id"]
    page = visitor(java_script_enabled=False, locale="de-DE")
    log_in_address = f"/my/{ada.enrolment['enrolment_id']}/o/{occasion}"
    page.goto(log_in_address)
    page.get_by_label("E-Mail-Adresse").fill(ben.email)
    page.get_by_label("Passwort", exact=True).fill(ben.password)
    page.locator("main").get_by_role("button", name="Anmelden").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Diese Seite gibt es nicht")
    expect(page.get_by_text("Vielleicht wurde sie gelöscht")).to_be_visible()
    page.goto("/there-is-nothing")
    expect(page.get_by_role("heading", level=1)).to_have_text("Diese Seite gibt es nicht")
    page.visit.pages.clear()  # The browser logs the 404 that this test asks for.


# Accounts

def test_refusals_are_stated_at_their_fields(visitor, participant):
    ada = participant("Ada Canary")
    page = visitor()
    page.goto("/register")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("New password").fill("password")
    page.get_by_role("button", name="Show the password").click()
    expect(page.get_by_label("New password")).to_have_attribute("type", "text")
    page.get_by_role("button", name="Create an account").click()
    expect(page.locator("#password-fault")).to_contain_text("Please choose another password.")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.locator("#email-fault")).to_contain_text("There is already an account with this address.")
    page.locator("main").get_by_role("link", name="Log in", exact=True).first.click()

    page.get_by_label("E-mail address").fill(ada.email)
    for number in range(11):
        page.get_by_label("Password", exact=True).fill(f"wrong {number}")
        with page.expect_navigation():
            page.locator("main").get_by_role("button", name="Log in").click()
        expect(page.locator("#errors")).to_be_visible()
    expect(page.locator("#errors")).to_contain_text(re.compile(r"You can try again in (\d+ minutes|one minute)\."))
    # The correct password still works.
    page.get_by_label("Password", exact=True).fill(ada.password)
    page.locator("main").get_by_role("button", name="Log in").click()
    page.wait_for_url("**/my/*")


def test_an_address_is_confirmed_and_a_password_is_reset_with_codes_from_mails(visitor, newcomer, mailbox):
    ada = newcomer("Ada Canary").register().enrol()
    page = visitor(java_script_enabled=False)
    log_in(page, ada)
    page.get_by_role("link", name="Confirm your e-mail address").click()
    page.get_by_label("Code").fill("not the code")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#code-fault")).to_have_text("This code is unknown, was already used, or has expired.")
    mail = mailbox.wait_for(ada.email, verifications=True)[-1]
    assert "/account/email" in mail.get_content()
    page.get_by_label("Code").fill(code(mail))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("Your address is confirmed:")).to_be_visible()

    page.get_by_role("button", name="Log out").click()
    page.goto("/reset")
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_role("button", name="Send the code").click()
    page.get_by_role("link", name="Enter the code").click()
    page.get_by_label("Code").fill(code(mailbox.wait_for(ada.email)[-1]))
    page.get_by_label("New password").fill("a heron at the weir")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("Your new password is set.")).to_be_visible()
    ada.password = "a heron at the weir"
    log_in(page, ada)


@pytest.fixture(scope="module")
def closed(server):
    server.run("publish", PACKS / "closed-diary" / "studies" / "closed-diary")
    text = server.run("enrolment-codes", "closed-diary", "--count", "1", "--uses", "1", "--label", "Leaflet", "--json")
    return json.loads(text)["items"][0]["code"]


def test_a_code_admits_one_participant(visitor, closed, newcomer):
    page = visitor()
    page.goto(f"/join#{closed.lower()}")
    expect(page.get_by_label("Your code")).to_have_value(closed.lower())
    assert "#" not in page.url
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Your name").fill("Ada Canary")
    page.get_by_label("E-mail address").fill(f"{uuid.uuid4().hex}@example.org")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_label("Your code")).to_have_value(closed.lower())
    page.get_by_label("I have read this, and I take part.").check()
    page.get_by_role("button", name="Join the study").click()
    page.wait_for_url("**/my/*")

    other = visitor(java_script_enabled=False)
    log_in(other, newcomer("Ben Canary").register())
    for typed, words in [(closed, "This code was already used."), ("0000-0000-0000", "is not a complete code|does not know the code"), ("x", "is not a complete code")]:
        other.goto("/join")
        other.get_by_label("Your code").fill(typed)
        other.get_by_role("button", name="Continue").click()
        other.get_by_label("Your time zone").select_option("Europe/Berlin")
        other.get_by_label("I have read this, and I take part.").check()
        other.get_by_role("button", name="Join the study").click()
        expect(other.locator("#code-fault")).to_contain_text(re.compile(words))


def test_a_changed_consent_text_is_read_first(visitor, server, newcomer, tmp_path):
    packs = tmp_path / "packs"
    shutil.copytree(PACKS / "pocket-diary", packs)
    name = f"again-{uuid.uuid4().hex[:8]}"
    study = (packs / "studies" / "pocket-diary").rename(packs / "studies" / name)
    pack, consent = study / "study.yaml", study / "content" / "consent.en.md"
    pack.write_text(pack.read_text().replace("pocket-diary", name))
    server.run("publish", study)
    ada = newcomer("Ada Canary").register()
    enrolment = ada.call("POST", f"/v1/studies/{name}/enrolments", status=201, json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": ada.zone})
    page = visitor(java_script_enabled=False)
    home = log_in(page, ada)
    assert home.endswith(enrolment["enrolment_id"])
    pack.write_text(pack.read_text().replace("1.0.0\nopen", "2.0.0\nopen").replace("version: 1.0.0\nconsent", "version: 2.0.0\nconsent"))
    consent.write_text("# Consent\n\nYou write notes, and we read them aloud.")
    server.run("publish", study)

    page.goto("/my")
    expect(page.get_by_role("heading", level=1)).to_have_text("The consent text has changed")
    expect(page.get_by_text("we read them aloud")).to_be_visible()
    page.get_by_role("link", name="Decide later").click()
    page.get_by_role("link", name="The consent text has changed").click()
    page.get_by_role("button", name="Agree and continue").click()
    expect(page.locator("#accepted-fault")).to_have_text("Please confirm that you take part.")
    page.get_by_label("I have read this, and I agree.").check()
    page.get_by_role("button", name="Agree and continue").click()
    expect(page).to_have_url(home)
    assert own(page, home).json()["consent_version"] == "2.0.0"


# Settings

def test_settings_of_the_study_show_what_is_in_force(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, TRACKER, has_script=False)

    def times():
        found = own(page, home, "/settings").json()["items"]
        return next(item for item in found if item["questionnaire"] == "reminders")["values"]["reminder_times"]

    page.goto(f"{home}/settings")
    page.locator("main").get_by_role("link", name="Reminders").click()
    field = page.get_by_label("At which times shall we remind you?")
    expect(field).to_have_value("13:00\n21:00")
    field.fill("25:00")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#errors")).to_be_visible()
    expect(page.locator("main .fault").first).to_be_visible()
    assert times() == ["13:00", "21:00"]
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")

    page.locator("main").get_by_role("link", name="Reminders").click()
    page.get_by_label("At which times shall we remind you?").fill("08:15")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("dl.answers")).to_contain_text("08:15")
    expect(page.locator("dl.answers")).to_contain_text("(until now: 13:00, 21:00)")
    assert times() == ["13:00", "21:00"]
    page.get_by_role("button", name="Yes, change").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("main .card").filter(has_text="Reminders")).to_contain_text("08:15")
    assert times() == ["08:15"]
    page.goto(f"{home}/entries")
    expect(page.get_by_text("No entries yet.")).to_be_visible()


def test_the_appearance_is_kept_on_the_device(visitor):
    page = visitor()
    home = join(page, TRACKER)
    page.goto(f"{home}/settings")
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.goto(home)

    expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 23, 21)"
    assert page.evaluate("document.cookie") == "", "no cookie is readable by a script"


# Push

STUB = """
const keys = { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" };
const kept = () => JSON.parse(localStorage.getItem("stub") ?? "null");
const made = (content) => content && ({
  endpoint: content.endpoint, options: { applicationServerKey: new Uint8Array(content.key).buffer }, toJSON: () => ({ endpoint: content.endpoint, keys }),
  unsubscribe: async () => { localStorage.removeItem("stub"); return true; } });
PushManager.prototype.getSubscription = async () => made(kept());
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  localStorage.setItem("stub", JSON.stringify({ endpoint: "https://push.example.net/" + crypto.randomUUID(), key: [...applicationServerKey] }));
  return made(kept());
};
"""


def devices(page):
    return requests.get(f"{page.visit.url}/v1/account/push-subscriptions", cookies=cookies(page), timeout=60).json()["items"]


@pytest.fixture
def phone(visitor):
    """A participant of the tracker with notifications on this device."""
    page = visitor(permissions=["notifications"])
    page.add_init_script(STUB)
    home = join(page, TRACKER)
    page.goto(f"{home}/settings")
    page.locator("[name='channel.push']").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("button", name="Switch on notifications on this device").click()
    expect(page.locator("#push-state")).to_contain_text("Notifications are on.")
    expect(page.locator("[name='channel.push']")).to_be_checked()
    assert own(page, home).json()["reminder"]["channels"] == ["push", "mail"]
    return page, home


def test_a_device_is_registered_renewed_and_removed(phone):
    page, home = phone
    [registered] = devices(page)
    assert registered["service"] == "https://push.example.net"
    page.get_by_role("button", name="Show a test notification").click()
    expect(page.locator("#push-state")).to_contain_text("handed to your device")
    titles = "navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => all.map((one) => one.title))"
    assert page.evaluate(titles) == ["This is a test"]

    # The browser drops the subscription, and the key of the server changes: the next start registers the same device.
    for loss in ("localStorage.removeItem('stub')", "localStorage.setItem('stub', JSON.stringify({ ...JSON.parse(localStorage.getItem('stub')), key: [1, 2] }))"):
        page.evaluate(loss)
        with page.expect_response(re.compile("push-subscriptions")) as renewed:
            page.goto(home)
        assert renewed.value.status == 200
    assert [device["subscription_id"] for device in devices(page)] == [registered["subscription_id"]]

    kept = cookies(page)
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("/")
    assert page.evaluate("localStorage.getItem('stub')") is None
    assert kept != cookies(page)


def test_a_push_message_is_shown_and_opens_the_occasion(phone, web):
    page, home = phone
    enrolment = home.rsplit("/", 1)[1]
    occasion = own(page, home, "/occasions?limit=1").json()["items"][0]["occasion_id"]
    session = page.context.new_cdp_session(page)
    registrations = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    wait_until(lambda: page.wait_for_timeout(50) or registrations, 10, "the browser knows the worker")
    worker = page.context.service_workers[0]
    # A test cannot tap on a notification, so the worker gets the event, and the test reads which page it opens.
    worker.evaluate("() => { self.opened = []; self.clients.openWindow = async (address) => { self.opened.push(address); }; }")
    tap = """async () => {
        const [notification] = await self.registration.getNotifications();
        const event = new NotificationEvent("notificationclick", { notification });
        self.dispatchEvent(event);
        return { title: notification.title, opened: self.opened.at(-1) };
    }"""

    def deliver(data):
        session.send("ServiceWorker.deliverPushMessage", {"origin": web, "registrationId": registrations[0]["registrationId"], "data": data})
        wait_until(lambda: page.wait_for_timeout(50) or worker.evaluate("self.registration.getNotifications().then((all) => all.length)"), 10, "the message is shown")
        return worker.evaluate(tap)

    def message(*occasions):
        return json.dumps({"web_push": 8030, "notification": {
            "title": "There is something to do", "body": "The app says what.", "lang": "en", "navigate": web + "/my", "tag": "t",
            "data": {"enrolment_id": enrolment, "occasion_ids": list(occasions)}}})

    assert deliver(message(occasion)) == {"title": "There is something to do", "opened": f"/my/{enrolment}/o/{occasion}"}
    assert deliver(message(occasion, str(uuid.uuid4())))["opened"] == f"/my/{enrolment}"
    # A message that cannot be read is shown as well: a silent push costs the subscription.
    assert deliver("{")["title"] == "Saunter"
    # An occasion that is gone says so, and leads to Today.
    page.goto(f"{home}/o/{uuid.uuid4()}")
    expect(page.get_by_text("There is no such questionnaire any more.")).to_be_visible()
    page.locator("main").get_by_role("link", name="To Today").click()
    page.visit.pages.clear()  # The browser logs the 404 that this test asks for.


def test_the_app_can_be_installed(visitor):
    page = visitor()
    home = join(page, TRACKER)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert manifest["errors"] == []
    page.goto(f"{home}/settings")
    page.evaluate("""() => {
        const event = new Event("beforeinstallprompt", { cancelable: true });
        Object.assign(event, { prompt: async () => { window.prompted = true; }, userChoice: Promise.resolve({ outcome: "accepted" }) });
        dispatchEvent(event);
    }""")
    page.get_by_role("button", name="Add the app").click()
    expect(page.locator("#install-state")).to_have_text("The app is on this device.")
    assert page.evaluate("window.prompted") is True

    phone = visitor(user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1")
    join(phone, TRACKER)
    phone.goto(f"{phone.url}/settings")
    expect(phone.locator("#install-state")).to_contain_text("Tap Share, then Add to Home Screen.")


# Faults of scripts

def test_a_fault_of_a_script_is_logged_without_what_was_written(visitor, server):
    page = visitor()
    join(page, TRACKER)
    with page.expect_response(re.compile("/v1/beacon")) as sent:
        page.evaluate("setTimeout(() => { throw new TypeError('no field \"the heron at the weir\"'); })")
    assert sent.value.status == 204
    page.visit.pages.clear()  # The browser logs the error that this test throws.

    [line] = [line for line in server.log.read_text().splitlines() if "TypeError: no field" in line]
    assert "a page reported a fault" in line and "TypeError: no field {text}" in line and "/my/{id}" in line and "heron" not in line
    assert 'web_faults_total{kind="script"}' in requests.get(server.url + "/metrics", timeout=60).text


# Sessions

PAGES = ["/", "/login", "/register", "/reset", "/reset/code", "/join", "/studies/emotions-tracker", "/my", "/account/email", "/account/erase", "/account/sign-up", "/account/adopted", "/account/log-out", "/staff", "/unsent", "/offline", "/nothing-here"]


def test_every_page_has_its_policies_and_is_stored_by_no_cache(visitor, web):
    page = visitor(java_script_enabled=False)
    home = join(page, TRACKER, has_script=False)
    for path in PAGES + [home.removeprefix(web) + path for path in ("", "/settings", "/messages", "/more", "/leave", f"/o/{uuid.uuid4()}")]:
        reply = requests.get(web + path, cookies=cookies(page), headers={"Accept": "text/html"}, timeout=60, allow_redirects=False)
        headers = reply.headers
        assert headers["Cache-Control"] == "no-store", path
        if reply.status_code == 303:
            continue
        policy = headers["Content-Security-Policy"]
        assert "require-trusted-types-for 'script'" in policy and "script-src 'self';" in policy and "unsafe" not in policy, path
        assert headers["Permissions-Policy"] == "bluetooth=(self), geolocation=(self), accelerometer=(self), screen-wake-lock=(self), camera=()", path
        assert "Cookie" in headers["Vary"], path


def test_a_revoked_session_leads_to_the_login_and_the_draft_stays(visitor, web):
    page = visitor()
    home = join(page, TRACKER)
    email = requests.get(f"{web}/v1/account", cookies=cookies(page), timeout=60).json()["email"]
    page.goto(f"{home}/q/log")
    page.locator("label:has(#q-mood-4)").click()
    page.get_by_role("button", name="Continue").click()
    same_origin = {"Sec-Fetch-Site": "same-origin"}
    assert requests.delete(f"{web}/v1/tokens", cookies=cookies(page), headers=same_origin, timeout=60).status_code == 204

    page.goto(f"{home}/settings")
    expect(page).to_have_url(re.compile(r"/login\?next=/my/"))
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page).to_have_url(f"{home}/settings")
    page.goto(f"{home}/q/log")

    expect(page.locator("#q-mood-4")).to_be_checked()
    page.visit.pages.clear()  # The browser logs the 401 of the session that this test ends.


# The study team

def test_the_study_team_sees_its_studies(visitor, researcher, participant):
    ada = participant("Ada Canary")
    page = visitor(java_script_enabled=False)
    page.goto("/staff")
    page.get_by_label("E-mail address").fill(researcher.email)
    page.get_by_label("Password", exact=True).fill(researcher.password)
    page.locator("main").get_by_role("button", name="Log in").click()

    row = page.locator("main tbody tr")
    assert int(row.locator(f"[data-title='{words('staff', 'enrolled')}']").inner_text()) >= 1
    row.get_by_role("link", name="Mindful walking").click()
    page.get_by_role("link", name=words("staff", "exports"), exact=True).click()
    expect(page.get_by_text(words("exports", "profile_question"))).to_be_visible()
    assert ada.name not in page.content() and ada.email not in page.content()

    other = visitor(java_script_enabled=False)
    log_in(other, ada)
    other.goto("/staff")
    expect(other.get_by_text("No study is granted to your account.")).to_be_visible()


def test_pages_of_accounts_have_no_accessibility_faults_and_fit_a_small_screen(visitor, participant):
    page = visitor(color_scheme="dark")
    page.set_viewport_size({"width": 320, "height": 640})
    axe = Axe()

    def check(path):
        page.goto(path)
        faults = axe.run(page).response["violations"]
        assert [(path, fault["id"], [node["html"] for node in fault["nodes"]][:2]) for fault in faults] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path

    check("/join")
    ada = participant("Ada Canary")
    home = log_in(page, ada)
    for path in ("/account/email", "/staff", home, f"{home}/settings", f"{home}/messages", f"{home}/leave"):
        check(path)
