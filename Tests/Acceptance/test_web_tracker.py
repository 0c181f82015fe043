"""The story of the emotions tracker through its pages, in a real Chromium, on a simulated clock: four weeks of a participant's life.

The numbers are those of the story (the steps of test_story_tracker.py). Steps 1 and 19 are the operator's and the researcher's.
"""

import datetime
import math
import os
import re
import shutil
import uuid
import zoneinfo

import pytest
from playwright.sync_api import expect, sync_playwright

from acceptance.browser import EXPECTED, PASSWORD, Visitors, join, launch, save_settings, words
from acceptance.mailbox import code, text
from acceptance.server import ROOT, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

STUDY = "emotions-tracker"
BERLIN, LISBON = "Europe/Berlin", "Europe/Lisbon"
# A Thursday.
START = datetime.datetime(2026, 3, 12, 14, 0, tzinfo=datetime.timezone.utc)
NOTE = "canary-note: nobody called all day"
ADDED = "canary-added: it passed"
PURGED = "canary-purged: said too much"
AHEAD = datetime.timedelta(minutes=40)


class Life:
    """Two clocks that pass together: that of the server, and that of Alex's phone, which may be wrong."""

    def __init__(self, folder):
        self.server = SimulatedClock(folder / "server", START)
        self.phone = SimulatedClock(folder / "phone", START)

    def advance_to(self, zone, time, days=0):
        before = self.server.now()
        target = self.server.advance_to(zone, time, days)
        self.phone.advance(to=self.phone.now() + (target - before))
        return target


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clocks")
    for name in ("server", "phone"):
        (folder / name).mkdir()
    return Life(folder)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    """A copy of the study, to which a test adds quotes."""
    folder = tmp_path_factory.mktemp("packs")
    shutil.copytree(ROOT / "Questionnaires" / "studies" / STUDY, folder / "studies" / STUDY)
    shutil.copytree(ROOT / "Questionnaires" / "instruments", folder / "instruments")
    return folder / "studies" / STUDY


@pytest.fixture(scope="module")
def tracker(life, pack, mailbox):
    made = TimedServer(life.server, smtp_url=mailbox.url)
    try:
        made.start()
        made.run("publish", pack)
        yield made
        assert made.stop() == 0, made.tail()
    finally:
        made.remove()


@pytest.fixture
def visitors(tracker, life):
    """Browsers on the clock of the phone."""
    with sync_playwright() as playwright:
        browser = launch(playwright, env=os.environ | life.phone.environment | {"TZ": BERLIN})
        made = Visitors(browser, tracker.url)
        yield made
        try:
            # The story opens a deleted log (404).
            assert made.complaints(f"{EXPECTED}|404") == []
        finally:
            browser.close()


class Alex:
    """A participant at a phone. Everything happens through the pages."""

    def __init__(self, visitors):
        # The browser has the zone of the device, so that a flight can change it.
        self.page = visitors(timezone_id=None, geolocation={"latitude": 52.51627, "longitude": 13.37771, "accuracy": 12}, permissions=["geolocation"])
        self.email = f"alex-{uuid.uuid4().hex}@example.org"
        self.home = join(self.page, "Emotions tracker", email=self.email)
        self.enrolment = self.home.rstrip("/").rsplit("/", 1)[1]

    def open(self, path=""):
        self.page.goto(self.home + path)
        return self.page

    def proceed(self):
        self.page.get_by_role("button", name=words("answer", "continue"), exact=True).click()

    def log(self, mood, category, emotions, note=None, place=False, path="/q/log"):
        """Answers the questions of a log one after the other, and sends them."""
        page = self.open(path) if path is not None else self.page
        page.locator("form[data-started]").wait_for(state="attached")
        if page.locator("#draft").is_visible():
            page.get_by_role("button", name=words("ask", "draft_again"), exact=True).click()
        page.locator(f"label:has(#q-mood-{mood})").click()
        self.proceed()
        page.locator(f"label:has(#q-category-{category})").click()
        self.proceed()
        for emotion in emotions:
            page.get_by_text(emotion, exact=True).click()
        self.proceed()
        if note:
            page.locator("#q-note-value").fill(note)
        self.proceed()
        if place:
            page.get_by_role("button", name=words("answer", "use_location")).click()
            expect(page.locator("#q-place .place")).to_contain_text(words("ask", "located", metres=12))
        if place is not None:
            self.proceed()
        page.get_by_role("button", name=words("answer", "submit"), exact=True).click()

    def receipt(self):
        """The page after sending; the address of the sheet."""
        self.page.wait_for_url("**/sheets/**")
        expect(self.page.get_by_text(words("answer", "sent"))).to_be_visible()
        return self.page.url.split("?")[0]

    def answers(self):
        """The answers on the page of a sheet, as texts."""
        return self.page.locator("dl.answers dd").all_inner_texts()

    def cards(self, path="/entries"):
        """The entries of the list, with their day."""
        self.open(path)
        return self.page.locator("main ul.cards .card").evaluate_all(
            "cards => cards.map(card => [card.closest('section').querySelector('h2').textContent, card.innerText])")

    def read(self, path):
        """A resource of the API, read with the session of the browser."""
        reply = self.page.request.get(f"/v1/enrolments/{self.enrolment}{path}")
        assert reply.ok, reply.text()
        return reply.json()

    def travel(self, zone):
        """The phone arrives in another zone."""
        if not hasattr(self, "_devtools"):
            self._devtools = self.page.context.new_cdp_session(self.page)
        self._devtools.send("Emulation.setTimezoneOverride", {"timezoneId": zone})


def test_alex_keeps_a_diary_in_the_browser(life, tracker, visitors):
    # 2. Alex registers, joins without consent to the place, and reads the pages.
    alex = Alex(visitors)
    page = alex.page
    page.locator("#due-list").get_by_role("link", name="Welcome", exact=True).click()
    for text in ("Make a log whenever you like", "In the evening the app asks you", "Your journal has all your logs", "You can change and delete"):
        expect(page.locator(".question:not(.off)").get_by_text(text)).to_be_visible()
        page.locator("#submit-actions button.primary:visible").click()
    page.wait_for_url(lambda url: "/o/" not in url)
    alex.open()
    expect(page.locator("#due-list")).to_have_count(0)

    # 3. Two reminder times and the dark theme. A time that does not exist is refused at its field.
    open_setting(alex, "Reminders")
    field = page.get_by_label("At which times shall we remind you?")
    field.fill("13:00\n25:00")
    page.get_by_role("button", name=words("settings", "save"), exact=True).click()
    expect(page.locator("#errors")).to_be_visible()
    expect(field).to_have_value("13:00\n25:00")
    expect(field).to_have_attribute("aria-invalid", "true")
    # These times are those of the pack, so nothing changes, and nothing needs a confirmation.
    field.fill("13:00\n21:00")
    page.get_by_role("button", name=words("settings", "save"), exact=True).click()
    page.wait_for_url("**/settings?saved=1")
    open_setting(alex, "Appearance")
    page.get_by_text("dark", exact=True).click()
    save_settings(page)
    settings = {item["questionnaire"]: item["values"] for item in alex.read("/settings")["items"]}
    assert settings == {"reminders": {"reminder_times": ["13:00", "21:00"], "affirmations_on": True}, "appearance": {"theme": "dark"}}
    open_setting(alex, "Reminders")
    expect(field).to_have_value("13:00\n21:00")

    # 4. A log has a scale from 0 to 10, categories, the emotions of the category, a note, and the place.
    alex.open("/q/log")
    expect(page.locator("#q-mood input[type=radio][id^=q-mood-]")).to_have_count(11)
    expect(page.locator("#q-category input[id^=q-category-]")).to_have_count(6)
    page.locator("label:has(#q-mood-3)").click()
    alex.proceed()
    page.locator("label:has(#q-category-fear)").click()
    alex.proceed()
    assert visible_emotions(page) == ["nervous", "tense", "worried", "unsure of myself", "overwhelmed", "close to panic"]
    page.wait_for_url(lambda url: url.endswith("#q-emotions"))
    page.go_back()
    page.locator("label:has(#q-category-joy)").click()
    alex.proceed()
    assert "calm" in visible_emotions(page) and "nervous" not in visible_emotions(page)

    # 6. In the evening the app asks. Alex logs 3, sadness, tired and lonely, with a note. The place stays empty, because Alex has not
    # permitted it. Then Alex permits it, and the next place is rounded.
    life.advance_to(BERLIN, "20:30")
    alex.open()
    page.locator("#due-list").get_by_role("link", name="How are you?", exact=True).click()
    alex.log(3, "sadness", ["tired", "lonely"], note=NOTE, path=None)
    first = alex.receipt()
    assert alex.answers()[:4] == ["3", "sadness", "tired, lonely", NOTE]
    expect(page.locator("dl.answers")).to_contain_text(words("blank", "no_consent"))
    assert alex.read(f"/answer-sheets/{first.rsplit('/', 1)[1]}")["standing"] == "on_time"
    alex.open("/settings")
    page.locator("label:has([name='kind.location'])").click()
    page.locator("form[action$='/settings']").get_by_role("button", name=words("settings", "save"), exact=True).click()
    expect(page.get_by_text(words("settings", "saved"))).to_be_visible()
    alex.log(4, "anger", ["annoyed"], place=True)
    placed = alex.receipt()
    assert any("52.52" in text and "13.38" in text for text in alex.answers()), alex.answers()
    assert alex.read(f"/answer-sheets/{placed.rsplit('/', 1)[1]}")["answers"]["place"]["lat"] == 52.52

    # 8. A spontaneous log of the same evening. The first log settled the evening, so Today does not ask again.
    alex.log(5, "joy", ["calm"])
    alex.receipt()
    alex.open()
    expect(page.locator("#due-list")).to_have_count(0)
    assert len(alex.cards("/entries?questionnaire=log")) == 3

    # 14. With three logs most insights say in words that there are too few entries. None shows a number for them.
    alex.open("/insights")
    trend = card(page, "Trend of the last 30 days")
    expect(trend).to_contain_text(words("insights", "too_few"))
    expect(trend.locator(".figure-number")).to_have_count(0)

    # 9. Offline for three days, with a clock 40 minutes ahead and a flight to Lisbon.
    alex.open("/q/log")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    life.phone.advance(to=life.phone.now() + AHEAD)
    page.context.set_offline(True)
    planned = [
        (1, "08:00", BERLIN), (0, "23:50", BERLIN), (1, "09:10", BERLIN), (0, "22:30", LISBON), (0, "23:45", LISBON), (1, "00:10", LISBON),
        (0, "23:15", LISBON)]
    made = []
    zone_now = BERLIN
    for days, time, zone in planned:
        if zone != zone_now:
            alex.travel(zone)
            zone_now = zone
        moment = life.advance_to(zone, time, days)
        made.append((moment, local_date(moment, zone)))
        alex.log(2 + len(made), "fear", ["worried"])
        page.wait_for_url(lambda url: "/q/" not in url)
        expect(page.locator("#status")).to_contain_text(str(len(made)))
    life.advance_to(LISBON, "09:00", days=1)
    page.context.set_offline(False)
    alex.open()
    stored = wait_until(lambda: all_logs(alex, 10), 30, "the logs have arrived")
    expect(page.locator("#status:visible").filter(has_text=re.compile(r"\d"))).to_have_count(0)
    for sheet, (moment, date) in zip(stored[3:], made):
        # The time is that of the phone. The date is the one on which Alex made the log, although the phone's clock was ahead.
        wrong = datetime.datetime.fromisoformat(sheet["completed_at"]) - moment
        assert sheet["local_date"] == date and abs(wrong - AHEAD) < datetime.timedelta(minutes=1)

    # 10. The journal: logs by date, the newest first; a filter; one log in detail.
    listed = alex.cards("/entries?questionnaire=log")
    assert len(listed) == 10
    days = list(dict.fromkeys(day for day, _ in listed))
    assert len(days) == len({date for _, date in made} | {"2026-03-12"})
    assert [text for _, text in listed if "fear" in text][0].split(" · ")[0].endswith("9"), "the newest log is first"
    assert any("Welcome" in text for _, text in alex.cards("/entries"))
    assert not any("Welcome" in text for _, text in listed)
    page.goto(first)
    assert alex.answers()[:4] == ["3", "sadness", "tired, lonely", NOTE]

    # 11. A day later Alex changes a log. A second tab and a second phone have the older page open. The tab says that the answers were sent,
    # and the phone says that the log was changed in the meantime.
    life.advance_to(LISBON, "11:00", days=1)
    tab = visitors.watch(page.context.new_page())
    phone = visitors(timezone_id=None, storage_state=page.context.storage_state())
    for one in (page, tab, phone):
        one.goto(placed)
        one.get_by_role("link", name=words("answer", "edit"), exact=True).click()
        expect(one.locator("#questions")).to_be_visible()
    change(page, emotion="impatient", note=ADDED)
    page.wait_for_url(lambda url: "/edit" not in url)
    assert ADDED in alex.answers() and any("impatient" in text and "annoyed" in text for text in alex.answers())
    expect(tab.get_by_text(words("ask", "sent_elsewhere"))).to_be_visible()
    change(phone, note="older words")
    expect(phone.get_by_text(words("ask", "changed_elsewhere"))).to_be_visible()
    sheet = alex.read(f"/answer-sheets/{placed.rsplit('/', 1)[1]}")
    assert sheet["revision"] == 2 and sheet["answers"]["note"] == ADDED
    tab.close()
    phone.close()

    # 12. Alex deletes a log for good.
    alex.log(1, "anger", ["furious"], note=PURGED)
    doomed = alex.receipt()
    assert PURGED in tracker.dump() or PURGED.encode().hex() in tracker.dump()
    page.get_by_role("link", name=words("answer", "delete"), exact=True).click()
    expect(page.get_by_text(words("answer", "delete_text"))).to_be_visible()
    page.get_by_role("button", name=words("answer", "delete"), exact=True).click()
    expect(page.get_by_text(words("entries", "deleted"))).to_be_visible()
    assert page.goto(doomed).status == 404
    dump = tracker.dump()
    assert PURGED not in dump and PURGED.encode().hex() not in dump

    # 13. Twenty days of logs. The page shows the numbers of the API.
    live(alex, tracker, life)
    check_insights(alex)

    # 18. The page for the therapist works without script and has neither a place nor a note.
    without = visitors(java_script_enabled=False, storage_state=page.context.storage_state())
    without.goto(f"{alex.home}/insights")
    without.get_by_role("link", name=words("insights", "print"), exact=True).click()
    expect(without.get_by_role("heading", level=1)).to_have_text(words("insights", "print_title"))
    expect(without.get_by_text(words("insights", "print_text"))).to_be_visible()
    text = without.locator("main").inner_text()
    assert "Mood by time of day" in text and "content" in text
    assert "Mood by place" not in text and not re.search(r"52[.,]\d", text)
    assert not any(canary in without.content() for canary in (NOTE, ADDED, PURGED, "Alex Canary"))
    without.emulate_media(media="print")
    expect(without.locator(".tabs")).to_be_hidden()
    expect(without.locator("table").first).to_be_visible()

    # 3. again: the theme is still the choice of Alex.
    assert alex.read("/settings")["items"][1]["values"] == {"theme": "dark"}


def test_alex_gets_reminders_quotes_and_affirmations(life, tracker, pack, visitors, mailbox):
    life.advance_to(BERLIN, "15:00", days=1)
    alex = Alex(visitors)
    page = alex.page
    mail = mailbox.wait_for(alex.email, verifications=True)[-1]
    page.goto("/account/email")
    page.get_by_label(words("account", "code")).fill(code(mail))
    page.locator("main").get_by_role("button", name=words("email", "confirm"), exact=True).click()
    expect(page.locator("main")).to_contain_text("confirmed")

    # 5. At 21:00 a mail and a message on the page Today ask for a log. They do not name the study. The message leads to the log.
    life.advance_to(BERLIN, "21:01")
    tracker.send_due()
    [mail] = mailbox.wait_for(alex.email)
    assert mail["subject"] == "How are you?" and "Emotions tracker" not in mail["subject"] + text(mail)
    message = alex.open().locator("main .message")
    expect(message.get_by_role("heading")).to_have_text("How are you?")
    expect(message).not_to_contain_text("Emotions tracker")
    expect(page.locator("#due-list").get_by_role("link", name="How are you?", exact=True)).to_be_visible()
    message.get_by_role("button", name=words("messages", "open"), exact=True).click()
    page.wait_for_url(re.compile("/f/log|/q/log"))
    alex.open()
    expect(page.locator("main .message")).to_have_count(0)
    expect(alex.open("/messages").locator("main .message")).to_have_count(1)

    # 16. The quote of the day is the same on the page Today, on the page of quotes, and on a second phone.
    phone = visitors(timezone_id=None, storage_state=page.context.storage_state())
    of_day = alex.open().locator("main .content[data-collection=quotes]")
    today = of_day.get_attribute("data-item")
    quote = alex.read("/library/quotes/today")["items"][0]
    assert quote["item"] == today
    expect(of_day).to_contain_text(quote["fields"]["body"])
    alex.open("/more").locator("main").get_by_role("link", name="Quotes", exact=True).click()
    page.wait_for_url("**/f/quotes")
    page.locator("main form button").click()
    page.wait_for_url("**/c/quotes")
    phone.goto(f"{alex.home}/c/quotes")
    for one in (page, phone):
        card_of_day = one.locator("main section.content")
        expect(card_of_day).to_have_attribute("data-item", today)
        expect(card_of_day.locator("p.small").first).to_contain_text(re.compile(r"\d"))
        expect(card_of_day).to_contain_text(quote["fields"]["author"])
    expect(page.locator("main ul.cards .content")).to_have_count(40)

    # Five draws differ. The page of a draw shows the same quote when it is loaded again, and on the second phone.
    drawn = [another(page) for _ in range(5)]
    assert len({today, *drawn}) == 6, (today, drawn)
    page.reload()
    expect(page.locator("main section.content")).to_have_attribute("data-item", drawn[-1])
    phone.goto(page.url)
    expect(phone.locator("main section.content")).to_have_attribute("data-item", drawn[-1])

    # No quote comes again before all were shown. 13 of the 40 are those of the next days; the other device of Alex draws the rest. Then an
    # editor adds two quotes. They come next.
    device = other_device(alex, tracker)
    drawn += [device.call("PUT", device.own(f"/library/quotes/draws/{uuid.uuid4()}"), status=201)["item"] for _ in range(21)]
    assert len({today, *drawn}) == 27, drawn
    for suffix, row in (("", "{0},1900"), (".en", '{0},"A {0} quote.",An author,A book'), (".de", '{0},"Ein Zitat {0}.",Jemand,Ein Buch')):
        with open(pack / "library" / f"quotes{suffix}.csv", "a") as file:
            file.write("".join(f"{row.format(item)}\n" for item in ("added_first", "added_second")))
    tracker.run("publish", pack, "--library-only")
    assert {another(page), another(page)} == {"added_first", "added_second"}
    expect(page.locator("main ul.cards .content")).to_have_count(42)

    # 17. At 09:00 the message and the mail contain the affirmation of the day, which is also on the page Today. It leads to the affirmations.
    life.advance_to(BERLIN, "09:01", days=1)
    tracker.send_due()
    affirmation = alex.read("/library/affirmations/today")["items"][0]
    message = alex.open().locator("main .message")
    expect(message.get_by_role("heading")).to_have_text("A sentence for today")
    expect(message.locator(".text")).to_have_text(affirmation["fields"]["body"])
    expect(page.locator("main .content[data-collection=affirmations]")).to_contain_text(affirmation["fields"]["body"])
    mail = mailbox.wait_for(alex.email, 2)[-1]
    assert mail["subject"] == "A sentence for today" and affirmation["fields"]["body"] in " ".join(text(mail).split())
    message.get_by_role("button", name=words("messages", "open"), exact=True).click()
    page.wait_for_url(re.compile("/[fc]/affirmations"))
    page.goto(f"{alex.home}/c/affirmations")
    expect(page.locator("main section.content")).to_have_attribute("data-item", affirmation["item"])
    assert another(page) != affirmation["item"]

    # Alex switches the affirmations off. The next morning none comes.
    open_setting(alex, "Reminders")
    page.locator("label:has(#q-affirmations_on-false)").click()
    save_settings(page)
    life.advance_to(BERLIN, "09:01", days=1)
    tracker.send_due()
    headings = alex.open("/messages").locator("main .message").get_by_role("heading").all_inner_texts()
    assert headings.count("A sentence for today") == 1, headings

    # The pages fit a small and a large screen in both schemes.
    for path in ("", "/c/quotes", "/c/affirmations", "/messages"):
        alex.open(path)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width, scheme)


def another(page):
    """Asks for another item of a collection; the item."""
    before = page.url
    page.get_by_role("button", name=words("library", "another"), exact=True).click()
    page.wait_for_url(lambda url: url != before)
    return page.locator("main section.content").get_attribute("data-item")


def all_logs(alex, count):
    """All logs, the oldest first; None unless there are so many."""
    found = sorted(alex.read("/answer-sheets?questionnaire=log&limit=100")["items"], key=lambda sheet: sheet["completed_at"])
    return found if len(found) == count else None


def open_setting(alex, title):
    alex.open("/settings")
    alex.page.locator("main").get_by_role("link", name=title, exact=True).click()
    expect(alex.page.get_by_role("heading", level=1)).to_have_text(title)


def visible_emotions(page):
    return [text.strip() for text in page.locator("#q-emotions label.option:visible").all_inner_texts()]


def card(page, title):
    return page.locator("main .insight").filter(has=page.get_by_role("heading", name=title, exact=True))


def local_date(moment, zone):
    return str(moment.astimezone(zoneinfo.ZoneInfo(zone)).date())


def change(page, emotion=None, note=None):
    """Changes answers on the page of an edit, one question after the other, and sends them."""
    send = page.get_by_role("button", name=words("answer", "submit"), exact=True)
    while not send.is_visible():
        if emotion and page.locator("#q-emotions").is_visible():
            page.locator(f"label:has(#q-emotions-{emotion})").click()
        if note and page.locator("#q-note-value").is_visible():
            page.locator("#q-note-value").fill(note)
        page.get_by_role("button", name=words("answer", "continue"), exact=True).click()
    send.click()


def other_device(alex, tracker):
    """Alex's other device, which uses the API."""
    device = TimedPerson(tracker, STUDY, name="Alex Canary", zone=BERLIN)
    device.email, device.password, device.enrolment = alex.email, PASSWORD, {"enrolment_id": alex.enrolment}
    return device.log_in()


def live(alex, tracker, life):
    """Twenty days of logs from Alex's other device, which uses the API."""
    phone = other_device(alex, tracker)
    phone.travel(BERLIN)
    emotions = [("joy", ["content", "proud"]), ("sadness", ["tired"]), ("fear", ["nervous", "tense"]), ("joy", ["content"]), ("love", ["close"])]
    for day in range(20):
        for number, time in enumerate(["08:15", "13:30", "19:45"][: 1 + day % 3]):
            life.advance_to(BERLIN, time, days=1 if number == 0 else 0)
            category, chosen = emotions[(day + number) % 5]
            place = {"place": {"lat": 52.4 + 0.1 * (day % 3), "lon": 13.4}} if day % 4 else {}
            phone.submit("log", {"mood": (3 * day + 2 * number) % 11, "category": category, "emotions": chosen} | place)


def check_insights(alex):
    """Every card of the page has the number, the sentence, the count and the table of the API."""
    def shown(value):
        if value is None:
            return "–"
        if isinstance(value, list):
            return ", ".join(map(shown, value))
        # One decimal place, two between -1 and 1, half away from zero.
        scale = 100 if abs(value) < 1 else 10
        rounded = math.copysign(math.floor(abs(value) * scale + 0.5) / scale, value)
        return str(int(rounded)) if rounded == int(rounded) else f"{rounded:g}"

    alex.open("/insights")
    items = alex.read("/insights")["items"]
    expect(alex.page.locator("main .insight")).to_have_count(len(items))
    for item in items:
        found = card(alex.page, item["title"])
        if item["entries"] is None:
            assert item["reason"] is None, item
            expect(found.locator(".figure-number")).to_have_text(item["label"] or shown(item["value"]))
        else:
            rows = found.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.children].map(cell => cell.textContent))")
            assert len(rows) == len(item["entries"]) > 0
            for (key, value, n), entry in zip(rows, item["entries"]):
                assert entry["label"] in (None, key)
                assert (value, n) == (entry["value_label"] or shown(entry["value"]), str(entry["n"])), (item["variable"], entry)
            expect(found.locator("svg")).to_have_count(1)
        if item["text"]:
            expect(found).to_contain_text(item["text"])
        expect(found).to_contain_text(f"{item['n']} entr")
