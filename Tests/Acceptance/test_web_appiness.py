"""The story of appiness through its pages, in a real Chromium, on a simulated clock: a student's spring with messages and moods.

The numbers are those of the story. Step 18 is the researcher's. test_story_appiness.py shows it, and what happens on the server in the others.
"""

import datetime
import json
import os
import re
import uuid
import zoneinfo

import pytest
from cryptography import x509
from playwright.sync_api import expect, sync_playwright

from acceptance.browser import EXPECTED, PASSWORD, Visitors, is_kept, join, launch, save_settings, visit, words
from acceptance.mailbox import code
from acceptance.message_receiver import Authority, Device
from acceptance.server import ROOT, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

STUDY = "appiness"
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
# A Thursday. The clocks of Europe change on Sunday 29 March.
START = datetime.datetime(2026, 3, 26, 11, 0, tzinfo=datetime.timezone.utc)
WON = "passed the exam in statistics"
# What the browser logs while the test stops the server.
LOST = EXPECTED + "|404|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|Failed to fetch"


class TimedAuthority(Authority):
    """Its certificates are valid by the simulated clock."""

    def _builder(self, name, key):
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(START - datetime.timedelta(days=1))
            .not_valid_after(START + datetime.timedelta(days=200)))


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """The authority that the push service of the fixture `receiver` uses."""
    return TimedAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def app(clock, authority, mailbox):
    server = TimedServer(clock, smtp_url=mailbox.url)
    server.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        server.start()
        server.run("publish", ROOT / "Questionnaires" / "studies" / STUDY)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def visitors(app, clock):
    """Browsers on the simulated clock."""
    with sync_playwright() as playwright:
        browser = launch(playwright, env=os.environ | clock.environment | {"TZ": BERLIN})
        made = Visitors(browser, app.url)
        yield made
        try:
            assert made.complaints(LOST) == []
        finally:
            browser.close()


class Charlotte:
    """A participant at a phone. Everything happens through the pages."""

    def __init__(self, visitors, app, clock, mailbox):
        self.app, self.clock = app, clock
        # The browser has the zone of the device, so that a flight can change it.
        self.page = visitors(timezone_id=None, permissions=["notifications"])
        self.email = f"charlotte-{uuid.uuid4().hex}@example.org"
        self.home = join(self.page, "Appiness", email=self.email)
        self.path = "/my/" + self.home.rstrip("/").rsplit("/", 1)[1]
        self.page.goto("/account/email")
        self.page.get_by_label(words("account", "code")).fill(code(mailbox.wait_for(self.email, verifications=True)[-1]))
        self.page.get_by_role("button", name=words("email", "confirm"), exact=True).click()
        expect(self.page.locator("main")).to_contain_text(words("email", "confirmed"))
        self.open()

    def open(self, path=""):
        self.page.goto(self.home + path)
        return self.page

    def run(self, zone, time, days=0):
        """Moves the clock on, and lets the worker do what is due."""
        self.clock.advance_to(zone, time, days)
        self.app.send_due()

    def read(self, path):
        """A resource of the API, read with the session of the browser."""
        reply = self.page.request.get(f"/v1/enrolments/{self.path.removeprefix('/my/')}{path}")
        assert reply.ok, reply.text()
        return reply.json()

    def setting(self, questionnaire):
        return next(item["values"] for item in self.read("/settings")["items"] if item["questionnaire"] == questionnaire)

    def travel(self, zone):
        """Arrives in another zone, and chooses it in the settings."""
        if not hasattr(self, "_devtools"):
            self._devtools = self.page.context.new_cdp_session(self.page)
        self._devtools.send("Emulation.setTimezoneOverride", {"timezoneId": zone})
        self.open("/settings")
        self.page.get_by_label(words("consent", "zone")).select_option(zone)
        self.page.locator("form[action$='/settings']").get_by_role("button", name=words("settings", "save"), exact=True).click()
        expect(self.page.get_by_text(words("settings", "saved"), exact=True)).to_be_visible()

    def message_of_the_day(self):
        """The card on the page Today: its heading and its text."""
        card = self.open().locator("section.content[data-collection=messages]")
        expect(card.get_by_role("link", name="Message of the day")).to_be_visible()
        return card.locator("h3").inner_text(), card.locator(".text").inner_text()

    def messages(self):
        """The inbox: subject and text of each message, the newest first."""
        cards = self.open("/messages").locator("main .message")
        return [(card.locator("h2").inner_text(), card.locator(".text").inner_text()) for card in cards.all()]

    def proceed(self):
        self.page.get_by_role("button", name=words("answer", "continue"), exact=True).click()

    def finish(self):
        """Continues to the end, and sends the answers."""
        send = self.page.get_by_role("button", name=words("answer", "submit"), exact=True)
        while not send.is_visible():
            self.proceed()
        send.click()

    def begin(self, path):
        """Opens an empty questionnaire."""
        page = self.open(path)
        page.locator("form[data-started]").wait_for(state="attached")
        if page.locator("#draft").is_visible():
            page.get_by_role("button", name=words("ask", "draft_again"), exact=True).click()

    def mood(self, mood, note=None):
        self.begin("/q/mood")
        self.page.locator(f"label:has(#q-mood-{mood})").click()
        self.proceed()
        if note:
            self.page.locator("#q-note-value").fill(note)
        self.finish()

    def accomplishment(self, date, text):
        """Writes an accomplishment down, and sends it."""
        self.begin("/q/accomplishment")
        self.page.locator("#q-happened-value").fill(str(date))
        self.proceed()
        self.page.locator("#q-what-value").fill(text)
        self.finish()

    def receipt(self):
        """The page after sending; the address of the sheet."""
        self.page.wait_for_url("**/sheets/**")
        expect(self.page.get_by_text(words("answer", "sent"))).to_be_visible()
        return self.page.url.split("?")[0]

    def entries(self, questionnaire):
        """The list of own entries: the heading above each entry and its text."""
        self.open(f"/entries?questionnaire={questionnaire}")
        return self.page.locator("main ul.cards .card").evaluate_all(
            "cards => cards.map(card => [card.closest('section').querySelector('h2').textContent, card.innerText])")

    def device(self):
        """The participant's other device, which uses the API."""
        other = TimedPerson(self.app, STUDY, name="Charlotte Canary", zone=BERLIN)
        other.email, other.password, other.enrolment = self.email, PASSWORD, {"enrolment_id": self.path.removeprefix("/my/")}
        return other.log_in()


@pytest.fixture
def charlotte(visitors, app, clock, mailbox):
    """A participant who leaves the study at the end of the test, so that later messages do not disturb other tests."""
    made = Charlotte(visitors, app, clock, mailbox)
    yield made
    device = made.device()
    device.call("POST", device.own("/withdrawal"), json={"mode": "stop"}, status=200)


def day_of(moment, zone=BERLIN):
    return moment.astimezone(zoneinfo.ZoneInfo(zone)).date()


def test_a_visitor_reads_the_tip_of_the_day(clock, visitors, charlotte):
    # 1. Without an account, the page of the study shows the tip, the same to everyone.
    page, other = visitors(), visitors(timezone_id="Asia/Tokyo")
    tip = page.request.get(f"/v1/studies/{STUDY}/library/tips/today").json()
    for one in (page, other):
        one.goto(f"/studies/{STUDY}")
        expect(card_of_the_tip(one)).to_contain_text(tip["fields"]["body"])
        expect(one.locator("main .content")).to_have_count(1)
    assert page.request.get(f"/v1/studies/{STUDY}/library/messages/today").status == 404

    # 2. A browser keeps the page after one visit, also without a login. Without network on the same day, the page has the tip of
    # that day. From the next midnight in Berlin on, it has the old tip, and says that it cannot get a newer one. It is the same with the
    # browser of a person who has logged out, which also has the crisis contacts.
    charlotte.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    charlotte.page.get_by_role("button", name=words("frame", "logout"), exact=True).click()
    charlotte.page.wait_for_url(lambda url: "/my/" not in url)
    charlotte.page.goto(f"/studies/{STUDY}/contacts")
    is_kept(charlotte.page, f"/studies/{STUDY}/contacts")
    charlotte.page.goto(f"/studies/{STUDY}")
    browsers, outdated = (page, other, charlotte.page), "A newer one needs a connection."
    for one in browsers:
        is_kept(one, f"/studies/{STUDY}")
        one.context.set_offline(True)
        one.goto(f"/studies/{STUDY}")
        expect(card_of_the_tip(one)).to_contain_text(tip["fields"]["body"])
        expect(card_of_the_tip(one)).not_to_contain_text(outdated)
    clock.advance_to(BERLIN, "00:20", 1)
    for one in browsers:
        one.goto(f"/studies/{STUDY}")
        expect(card_of_the_tip(one)).to_contain_text(tip["fields"]["body"])
        expect(card_of_the_tip(one)).to_contain_text(re.compile(rf"March \d+\. {outdated}"))
    page = charlotte.page
    page.get_by_role("link", name=words("library", "crisis_help"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Help in a crisis")
    expect(page.locator("a[href='tel:116123']").first).to_be_visible()

    page.context.set_offline(False)
    page.goto(f"/studies/{STUDY}")
    newer = page.request.get(f"/v1/studies/{STUDY}/library/tips/today").json()
    assert newer["item"] != tip["item"]
    expect(card_of_the_tip(page)).to_contain_text(newer["fields"]["body"])
    expect(card_of_the_tip(page)).not_to_contain_text("A newer one needs a connection.")


def card_of_the_tip(page):
    return page.locator("main .content").filter(has_text="Tip of the day")


# A click on a notification cannot be emulated, so the test sends the event, and notes which page it opens.
CLICK = """async () => {
  const [notification] = await registration.getNotifications();
  const { title, body } = notification;
  let opened, work;
  Clients.prototype.openWindow = async (address) => { opened = address; return null; };
  const event = new NotificationEvent("notificationclick", { notification });
  Object.defineProperty(event, "waitUntil", { value: (promise) => { work = promise; } });
  dispatchEvent(event);
  await work;
  return { title, body, opened };
}"""


def subscribe(charlotte, receiver):
    """Switches notifications on. No push service of a browser vendor can be reached, so the subscription leads to the test's push service."""
    device = Device(receiver)
    charlotte.page.context.add_init_script(f"""
        const made = {json.dumps(device.subscription)};
        PushManager.prototype.getSubscription = async () => null;
        PushManager.prototype.subscribe = async () => ({{ ...made, toJSON: () => made }});""")
    page = charlotte.open("/settings")
    page.get_by_role("button", name=words("settings", "push_here"), exact=True).click()
    expect(page.locator("#push-state")).to_have_text(words("device", "push_is_on"))
    return device


def tap(charlotte, payload):
    """The push service delivers a message, and the participant taps on it: what the notification contains, and the page that opens."""
    page, registrations = charlotte.page, []
    protocol = page.context.new_cdp_session(page)
    protocol.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    protocol.send("ServiceWorker.enable")
    wait_until(lambda: page.evaluate("1") and registrations, 10, "the service worker is registered")
    protocol.send("ServiceWorker.deliverPushMessage", {
        "origin": charlotte.app.url, "registrationId": registrations[-1]["registrationId"], "data": payload})
    [worker] = page.context.service_workers
    wait_until(lambda: worker.evaluate("registration.getNotifications().then((list) => list.length)"), 20, "the message is shown")
    return worker.evaluate(CLICK)


def test_the_message_of_the_day_is_on_the_home_screen_and_in_a_push(app, clock, charlotte, receiver):
    # 3. Home shows the message of the day and the tip. In two weeks there are quotes, with their author, and exercises.
    title, text = charlotte.message_of_the_day()
    days = charlotte.read("/library/messages/today?days=14")["items"]
    assert (title, text) == (days[0]["fields"]["title"], days[0]["fields"]["body"])
    expect(card_of_the_tip(charlotte.page)).to_be_visible()
    quote = next(day for day in days if day["fields"]["kind"] == "quote")
    visit(charlotte.page, "Daily")
    expect(charlotte.page.locator(f"main [data-item={quote['item']}]").first).to_contain_text(quote["fields"]["author"])
    expect(charlotte.page.locator("main ul.cards .content")).to_have_count(60)

    # 4. At 08:00 a push contains the message of the day. A tap opens the home screen, which shows the same message.
    device = subscribe(charlotte, receiver)
    charlotte.run(BERLIN, "21:10")
    charlotte.run(BERLIN, "08:00", 1)
    title, text = charlotte.message_of_the_day()
    assert (title, text) == (days[1]["fields"]["title"], days[1]["fields"]["body"])
    pushed = {json.loads(device.read(message))["notification"]["title"]: device.read(message).decode() for message in device.messages}
    tapped = tap(charlotte, pushed[title])
    assert (tapped["title"], tapped["body"]) == (title, text)
    assert tapped["opened"].removeprefix(app.url) == charlotte.path
    message = next(one for one in charlotte.read("/inbox?limit=100")["items"] if one["rule"] == "daily_message")
    assert message["opened_at"], "the device has confirmed the delivery and the tap"
    charlotte.open("/messages")
    opened = charlotte.page.locator("main .message").filter(has_text=text)
    expect(opened).to_have_count(1)
    expect(opened.locator(".small").first).not_to_contain_text(words("messages", "new"))

    # 5. Over the change of the clocks and a flight to New York, the message comes once a day.
    def daily():
        return {one["content"]["item"] for one in charlotte.read("/inbox?limit=1000")["items"] if one["rule"] == "daily_message"}

    before = daily()
    for zone, days in ((BERLIN, 1), (BERLIN, 1), (NEW_YORK, 0), (NEW_YORK, 1)):
        if zone == NEW_YORK and days == 0:
            clock.advance_to(BERLIN, "13:00")
            charlotte.travel(NEW_YORK)
        charlotte.run(zone, "08:01", days)
        title, text = charlotte.message_of_the_day()
        assert [body for subject, body in charlotte.messages() if subject == title] == [text]
    assert len(daily() - before) == 3


def test_charlotte_chooses_how_often_the_app_asks(app, clock, charlotte):
    page = charlotte.page

    # 6. The settings show three notifications a day.
    open_setting(charlotte, "Notifications")
    field = page.get_by_label("How many notifications a day would you like?")
    expect(field).to_have_value("3")

    # 7. Each wrong number is refused at its field, with the reason. Nothing changes.
    for number, reason in (
            ("13", words("fault", "above_maximum", most=12)), ("-1", words("fault", "below_minimum", least=0)),
            ("2.5", words("fault", "not_whole")), ("many", words("fault", "wrong_type")), ("", words("fault", "required"))):
        field.fill(number)
        save(page)
        expect(page.locator("#errors")).to_contain_text(reason)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_value(number)
    assert charlotte.setting("notifications") == {"notifications_a_day": 3}

    # 8. Cancel changes nothing. 5 is saved and confirmed, and the settings are shown again. A second phone shows it.
    field.fill("7")
    page.get_by_role("link", name=words("settings", "cancel"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("more", "settings"))
    assert charlotte.setting("notifications") == {"notifications_a_day": 3}
    open_setting(charlotte, "Notifications")
    # Before 5 is stored, the app asks, and says what will happen. Cancel stores nothing.
    for button in ("cancel", "change_now"):
        field.fill("5")
        save(page)
        change = page.locator("dl.answers")
        expect(change.locator("dt")).to_have_text(["How many notifications a day would you like?"])
        expect(change.locator("dd")).to_have_text("5 (until now: 3)")
        assert charlotte.setting("notifications") == {"notifications_a_day": 3}
        page.locator("main").get_by_text(words("settings", button), exact=True).click()
        page.wait_for_url("**/settings*")
        if button == "cancel":
            assert charlotte.setting("notifications") == {"notifications_a_day": 3}
            open_setting(charlotte, "Notifications")
    expect(page.locator("main .card").filter(has_text="Notifications")).to_contain_text("5")
    expect(page.get_by_text(words("settings", "saved"), exact=True)).to_be_visible()
    open_setting(charlotte, "Notifications")
    expect(field).to_have_value("5")

    # 9. The next day five messages ask for the mood. Each leads to it, and can be marked as read.
    charlotte.run(BERLIN, "21:10", 1)
    run_a_day(charlotte)
    today = str(day_of(clock.now()))
    asked = todays_messages(charlotte, "How are you?")
    assert len(asked) == 5, asked
    newest = page.locator("main .message").filter(has_text="How are you?").first
    expect(newest.locator(".small").first).to_contain_text(words("messages", "new"))
    newest.get_by_role("button", name=words("messages", "open"), exact=True).click()
    page.wait_for_url(re.compile("/f/mood|/q/mood"))
    charlotte.open("/messages")
    newest = page.locator("main .message").filter(has_text="How are you?").first
    expect(newest.locator(".small").first).not_to_contain_text(words("messages", "new"))
    page.locator("main .message.unread").filter(has_text="How are you?").first.get_by_role("button", name=words("messages", "dismiss"), exact=True).click()

    def unread():
        return [one for one in charlotte.read("/inbox?state=unread&limit=100")["items"] if one["rule"] == "mood_prompts" and one["created_at"][:10] == today]

    wait_until(lambda: len(unread()) == 3, 20, "two of five messages are read")
    open_setting(charlotte, "Notifications")
    field.fill("0")
    save_settings(page)
    count = len([one for one in charlotte.messages() if one[0] == "How are you?"])
    run_a_day(charlotte)
    assert len([one for one in charlotte.messages() if one[0] == "How are you?"]) == count


def todays_messages(charlotte, subject):
    """The times of today's messages with this subject, with "new" if they are unread. The inbox names the day of other messages."""
    charlotte.open("/messages")
    lines = charlotte.page.locator("main .message").filter(has_text=subject).locator(".small:first-of-type").all_inner_texts()
    return [line for line in lines if re.match(r"\d\d:\d\d", line)]


def run_a_day(charlotte):
    """Runs the worker after each of five questions of the next day."""
    charlotte.run(BERLIN, "08:01", 1)
    for time in ("10:13", "12:37", "15:01", "17:25", "19:49", "21:10"):
        charlotte.run(BERLIN, time)


def open_setting(charlotte, title):
    charlotte.open("/settings")
    charlotte.page.locator("main").get_by_role("link", name=title, exact=True).click()
    expect(charlotte.page.get_by_role("heading", level=1)).to_have_text(title)


def save(page):
    page.get_by_role("button", name=words("settings", "save"), exact=True).click()


def test_charlotte_writes_down_accomplishments_and_moods(app, clock, charlotte):
    page = charlotte.page
    charlotte.run(BERLIN, "14:00", 1)
    today = day_of(clock.now())
    yesterday, tomorrow = today - datetime.timedelta(days=1), today + datetime.timedelta(days=1)

    # 11. Three accomplishments offline. One is of yesterday. One of tomorrow is refused at its date; then it is one of today.
    visit(page, "Achieved")
    expect(page.get_by_text(words("entries", "none"))).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Achieved")
    page.locator("main").get_by_role("link", name=words("entries", "add"), exact=True).click()
    page.wait_for_url("**/q/accomplishment")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    is_kept(page, f"{charlotte.path}/q/accomplishment")
    page.context.set_offline(True)
    charlotte.accomplishment(yesterday, WON)
    page.wait_for_url(lambda url: "/q/" not in url)
    expect(page.locator("#status")).to_contain_text("1 answer")
    charlotte.begin("/q/accomplishment")
    page.locator("#q-happened-value").fill(str(tomorrow))
    charlotte.proceed()
    expect(page.get_by_text("The date is in the future. Please choose today or an earlier day.").first).to_be_visible()
    expect(page.locator("#q-happened-value")).to_have_attribute("aria-invalid", "true")
    page.locator("#q-happened-value").fill(str(today))
    charlotte.proceed()
    page.locator("#q-what-value").fill("finished the essay")
    charlotte.finish()
    page.wait_for_url(lambda url: "/q/" not in url)
    expect(page.locator("#status")).to_contain_text("2 answers")
    charlotte.accomplishment(today, "wrote to my grandmother")
    page.wait_for_url(lambda url: "/q/" not in url)
    expect(page.locator("#status")).to_contain_text("3 answers")
    page.context.set_offline(False)
    charlotte.open()
    stored = wait_until(lambda: sheets(charlotte, "accomplishment", 3), 30, "the accomplishments have arrived")
    expect(page.locator("#status:visible").filter(has_text=re.compile("not sent"))).to_have_count(0)
    assert sorted(sheet["answers"]["happened"] for sheet in stored) == [str(yesterday), str(today), str(today)]

    # 12. One is corrected, one is deleted.
    found = charlotte.entries("accomplishment")
    assert len(found) == 3 and [text for _, text in found if WON in text]
    page.locator("main .card").filter(has_text=WON).get_by_role("link").click()
    page.get_by_role("link", name=words("answer", "edit"), exact=True).click()
    page.locator("#q-happened-value").wait_for()
    charlotte.proceed()
    page.locator("#q-what-value").fill(f"{WON}, with a good mark")
    charlotte.finish()
    page.wait_for_url(lambda url: "/edit" not in url)
    expect(page.locator("dl.answers")).to_contain_text("with a good mark")
    charlotte.open("/entries?questionnaire=accomplishment")
    page.locator("main .card").filter(has_text="grandmother").get_by_role("link").click()
    page.get_by_role("link", name=words("answer", "delete"), exact=True).click()
    page.get_by_role("button", name=words("answer", "delete"), exact=True).click()
    expect(page.get_by_text(words("entries", "deleted"))).to_be_visible()
    assert sheets(charlotte, "accomplishment", 2)

    # 13. Two moods within a minute, from a scale of eleven numbers. The receipt has the time and the answers.
    visit(page, "Mood")
    expect(page.locator("#q-mood input[type=radio][id^=q-mood-]")).to_have_count(11)
    charlotte.mood(6, note="long day in the library")
    charlotte.receipt()
    expect(page.locator("dl.answers")).to_contain_text("long day in the library")
    expect(page.locator(".feedback")).to_contain_text("Days in a row on which you recorded your mood: 1.")
    charlotte.mood(4)
    charlotte.receipt()
    # On a day without a mood nothing is due. `about_you` is due once and may stay blank.
    clock.advance_to(BERLIN, "20:00", 1)
    charlotte.open()
    assert page.locator("#due-list h3").all_inner_texts() in ([], ["About you"])
    expect(page.locator("main").get_by_role("link", name="My mood", exact=True)).to_be_visible()

    # 14. The server is stopped in the middle. The page says so, and the mood is sent when the server is back, once.
    charlotte.begin("/q/mood")
    page.locator("label:has(#q-mood-5)").click()
    app.stop()
    charlotte.finish()
    expect(page.locator("#status")).to_contain_text("1 answer")
    app.start()
    charlotte.open()
    wait_until(lambda: sheets(charlotte, "mood", 3), 60, "the mood has arrived")
    expect(page.locator("#status:visible").filter(has_text=re.compile("not sent"))).to_have_count(0)

    # 15. The history of moods has days and times, the newest first.
    page.get_by_role("navigation", name=words("frame", "pages")).get_by_role("link", name=words("nav", "more"), exact=True).click()
    page.locator("main").get_by_role("link", name="Mood history", exact=True).click()
    if "/f/" in page.url:
        page.locator("main form button").click()
    page.wait_for_url("**/entries?questionnaire=mood")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mood history")
    expect(page.locator("nav.tabs [aria-current]")).to_have_text([words("nav", "more")])
    assert words("blank", "skipped") not in page.locator("main").inner_text()
    history = charlotte.entries("mood")
    assert [re.findall(r"\n(\d+)\b", text)[-1] for _, text in history] == ["5", "4", "6"]
    assert all(re.search(r"\d\d:\d\d", text) for _, text in history)
    assert len({day for day, _ in history}) == 2


def sheets(charlotte, questionnaire, count):
    """The stored sheets, the newest first; None unless there are so many."""
    found = charlotte.read(f"/answer-sheets?questionnaire={questionnaire}&order=completed&limit=100")["items"]
    return found if len(found) == count else None


def test_the_timeline_follows_the_dates_of_the_accomplishments(clock, charlotte):
    # 12. Written down in another order than they happened, and more than fit on a page.
    device, today = charlotte.device(), day_of(clock.now())
    for number in range(55):
        happened = today - datetime.timedelta(days=1 + (17 * number) % 55)
        device.submit("accomplishment", {"happened": str(happened), "what": f"number {(17 * number) % 55:02}"})

    page = charlotte.open("/f/accomplishments")
    if "/f/" in page.url:
        page.locator("main form button").click()
    page.wait_for_url("**/entries*")

    shown = page.locator("main ul.cards .card").all_inner_texts()
    page.get_by_role("link", name=words("entries", "older"), exact=True).click()
    page.wait_for_url("**cursor=**")
    shown += page.locator("main ul.cards .card").all_inner_texts()
    assert [re.search(r"number (\d\d)", text).group(1) for text in shown] == [f"{number:02}" for number in range(55)]


def look(page):
    """The colours that the page uses."""
    return page.evaluate("""() => {
        const style = getComputedStyle(document.documentElement);
        return ['--bg', '--surface', '--text', '--accent'].map((name) => style.getPropertyValue(name).trim()); }""")


def test_the_chosen_colours_are_the_same_on_every_phone(app, clock, visitors, charlotte):
    # 10. Each scheme is previewed when it is chosen, and changes the colours of all pages when it is stored. Cancel changes nothing.
    page = charlotte.page
    charlotte.open()
    seen = {"system": look(page)}
    for theme in ("dark", "sand", "forest"):
        open_setting(charlotte, "Appearance")
        page.get_by_text(theme, exact=True).click()
        preview = wait_until(lambda: look(page) not in seen.values() and look(page), 10, f"{theme} is previewed")
        assert charlotte.setting("appearance") != {"theme": theme}
        save_settings(page)
        assert charlotte.setting("appearance") == {"theme": theme}
        charlotte.open()
        seen[theme] = look(page)
        assert seen[theme] == preview
    assert len(set(map(tuple, seen.values()))) == 4, seen
    open_setting(charlotte, "Appearance")
    expect(page.get_by_role("radio", name="forest")).to_be_checked()
    page.get_by_text("dark", exact=True).click()
    wait_until(lambda: look(page) == seen["dark"], 10, "the dark colours are previewed")
    page.get_by_role("link", name=words("settings", "cancel"), exact=True).click()
    page.wait_for_url("**/settings")
    assert look(page) == seen["forest"]
    assert charlotte.setting("appearance") == {"theme": "forest"}
    assert look(charlotte.open()) == seen["forest"]

    # After logging out, and on another phone, the colours are those that she chose.
    page.get_by_role("button", name=words("frame", "logout"), exact=True).click()
    page.wait_for_url(lambda url: "/my/" not in url)
    phone = visitors(timezone_id=None)
    for one in (page, phone):
        one.goto("/login")
        one.get_by_label(words("account", "email")).fill(charlotte.email)
        one.get_by_label(words("account", "password"), exact=True).fill(PASSWORD)
        one.locator("main form button.primary").click()
        one.wait_for_url("**/my/**")
        one.goto(charlotte.home)
        assert look(one) == seen["forest"]


def test_kind_words_come_before_the_hour_of_the_low_mood(clock, charlotte):
    page, device = charlotte.page, charlotte.device()
    device.submit("notifications", {"notifications_a_day": 0})
    clock.advance_to(BERLIN, "22:00")

    def kind_words():
        """The local times of the kind words of today, from the inbox."""
        return todays_messages(charlotte, "Something kind for you")

    # 16. Until twenty moods on ten days are known, kind words come at noon. Insights show the mood by time of day.
    for day in range(10):
        clock.advance_to(BERLIN, "10:20", 1)
        device.submit("mood", {"mood": 7})
        charlotte.run(BERLIN, "12:01")
        if day in (0, 9):
            assert kind_words() == ["12:01 · new"]
        clock.advance_to(BERLIN, "17:30")
        if day < 9:
            device.submit("mood", {"mood": 1 + day % 3})
    device.submit("mood", {"mood": 6})
    charlotte.open("/insights")
    hours = page.locator("main .insight").filter(has=page.get_by_role("heading", name="Mood by time of day", exact=True))
    expect(hours).to_contain_text("20 entries")
    rows = hours.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.children].map(cell => cell.textContent))")
    assert {row[0]: row[2] for row in rows} == {"10:00": "10", "17:00": "10"}
    # The next day they come a quarter of an hour before the hour in which the mood is lowest.
    charlotte.run(BERLIN, "12:01", 1)
    assert kind_words() == []
    charlotte.run(BERLIN, "16:46")
    assert kind_words() == ["16:46 · new"]
    charlotte.open()
    expect(page.locator("section.message h2")).to_have_text("Something kind for you")

    # 17. Moods at another hour move the moment on the next day, and there is one message a day.
    clock.advance_to(BERLIN, "19:10")
    for _ in range(12):
        device.submit("mood", {"mood": 0})
    charlotte.run(BERLIN, "21:10")
    assert kind_words() == ["16:46 · new"]
    charlotte.run(BERLIN, "16:46", 1)
    assert kind_words() == []
    charlotte.run(BERLIN, "18:46")
    assert kind_words() == ["18:46 · new"]

    # More kind words at any time: another one with each tap.
    charlotte.open("/c/uplifting")
    texts = set()
    for _ in range(3):
        before = page.url
        page.get_by_role("button", name=words("library", "another"), exact=True).click()
        page.wait_for_url(lambda url: url != before and "draw=" in url)
        texts.add(page.locator("main .content").inner_text())
    assert len(texts) == 3
