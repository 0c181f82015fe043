"""The web app without a connection: answers wait on the device, are sent once, and other people cannot see them."""

import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import uuid

import pytest
import requests
from playwright.sync_api import expect

from acceptance import browser, moments
from acceptance.browser import Visitors, words
from acceptance.server import ROOT, Server, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedServer

POCKET = pathlib.Path(__file__).parent / "packs" / "pocket-diary"
# What a browser logs when a test stops the server, or when the server refuses a record.
LOST = browser.EXPECTED + "|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of (401|403|404|409|500|503)|Failed to fetch|net::ERR_"


@pytest.fixture(scope="module")
def diary(server):
    """The shared server, with a diary that can be written at any time."""
    server.run("publish", POCKET / "studies" / "pocket-diary")
    return server


@pytest.fixture
def people(chromium, diary):
    """Opens a browser of a visitor of the diary."""
    with visitors(chromium, diary.url) as made:
        yield made


@contextlib.contextmanager
def visitors(chromium, url, expected=LOST):
    made = Visitors(chromium, url)
    try:
        yield made
        assert made.complaints(expected) == []
    finally:
        made.close()


# Steps

def register(page, study="pocket-diary", can_keep=True):
    """Registers and joins, and waits until the device has what it needs, if it can keep anything. The path of the page Today."""
    page.email = f"{uuid.uuid4().hex}@example.org"
    page.goto(f"/register?next=/studies/{study}/consent")
    page.get_by_label("Your name").fill("Alex Canary")
    page.get_by_label("E-mail address").fill(page.email)
    page.get_by_label("New password").fill(browser.PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("I have read this, and I take part.").check()
    page.get_by_role("button", name="Join the study").click()
    page.wait_for_url(re.compile(r"/my/[0-9a-f-]{36}"))
    home = re.search(r"/my/[0-9a-f-]{36}", page.url).group()
    if can_keep:
        prepare(page, home)
    return home


def prepare(page, home):
    """Waits until the service worker has kept the pages of the participant."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_until(lambda: {home, f"{home}/plan", f"{home}/more", "/unsent"} <= set(kept(page)), 60, "the pages are kept")


def kept(page):
    """The paths of the participant's pages that this browser keeps."""
    return page.evaluate("""async () => {
        const paths = [];
        for (const name of (await caches.keys()).filter((name) => name.startsWith('documents-')))
            for (const request of await (await caches.open(name)).keys()) paths.push(new URL(request.url).pathname);
        return paths; }""")


def stored(page, *stores):
    """The records in stores of this browser."""
    return page.evaluate("""(stores) => new Promise((resolve, reject) => {
        const request = indexedDB.open('saunter');
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
            const db = request.result, found = {};
            let transaction;
            try { transaction = db.transaction(stores); } catch (error) { db.close(); reject(error); return; }
            for (const name of stores) transaction.objectStore(name).getAll().onsuccess = ({ target }) => { found[name] = target.result; };
            transaction.oncomplete = () => { db.close(); resolve(found); };
        }; })""", list(stores))


def write(page, address, mood, note=""):
    """Answers the diary's questionnaire, and sends it."""
    page.goto(address)
    page.locator("[name='a.mood']").fill(str(mood))
    while page.get_by_role("button", name="Continue").is_visible():
        page.get_by_role("button", name="Continue").click()
        field = page.locator("[name='a.note']")
        if note and field.is_visible():
            field.fill(note)
    page.get_by_role("button", name="Send", exact=True).click()


def log_in(page, email=None):
    page.goto("/login")
    page.get_by_label("E-mail address").fill(email or page.email)
    page.get_by_label("Password").fill(browser.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(re.compile("/my"))


def sheets(page, url, home):
    """The answer sheets that the server has of the participant."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    reply = requests.get(f"{url}/v1/enrolments/{home.removeprefix('/my/')}/answer-sheets?limit=500", cookies=cookies, timeout=60)
    assert reply.status_code == 200, reply.text
    return reply.json()["items"]


def online(page):
    page.context.set_offline(False)


def offline(page):
    page.context.set_offline(True)


# The outbox

def test_an_answer_without_a_connection_waits_on_the_device_and_is_sent_once(people, diary):
    page = people()
    home = register(page)
    offline(page)

    write(page, f"{home}/q/pocket_note", 6)
    page.wait_for_url(f"**{home}")
    expect(page.locator("#status")).to_contain_text("You are offline. This is from")
    expect(page.locator("#status")).to_contain_text("1 answer saved on this device, not sent yet")
    page.locator("#status a").click()
    expect(page.get_by_text("saved on this device, not sent yet").first).to_be_visible()
    assert stored(page, "drafts")["drafts"] == []
    online(page)

    wait_until(lambda: stored(page, "outbox")["outbox"] == [], 30, "the answer is sent")
    assert [sheet["answers"]["mood"] for sheet in sheets(page, diary.url, home)] == [6]
    page.goto("/unsent")
    expect(page.get_by_text("Everything is sent.")).to_be_visible()
    expect(page.locator("#receipts li")).to_have_count(1)


def test_a_server_that_is_down_gets_each_answer_once_when_it_is_back(chromium):
    server = Server()
    try:
        server.start()
        server.run("publish", POCKET / "studies" / "pocket-diary")
        with visitors(chromium, server.url) as people:
            page = people()
            home = register(page)
            server.stop()

            for mood in (1, 2, 3, 4, 5):
                write(page, f"{home}/q/pocket_note", mood)
                page.wait_for_url(f"**{home}")
            expect(page.locator("#status")).to_contain_text("The server cannot be reached. This is from")
            expect(page.locator("#status")).to_contain_text("5 answers saved on this device, not sent yet")
            server.start()

            # The page sends by itself at once.
            page.goto("/unsent")
            expect(page.get_by_text("Everything is sent.")).to_be_visible(timeout=30_000)
            assert sorted(sheet["answers"]["mood"] for sheet in sheets(page, server.url, home)) == [1, 2, 3, 4, 5]
    finally:
        server.remove()


def test_a_refused_record_is_set_apart_and_blocks_no_other(people, diary, tmp_path):
    page = people()
    home = register(page)
    offline(page)
    write(page, f"{home}/q/pocket_note", 7)
    page.wait_for_url(f"**{home}")
    # The same script that a page uses queues a record that the study does not accept.
    queue(page, {"kind": "form", "id": str(uuid.uuid4()), "title": "Impossible", "fields": [
        ["questionnaire", "pocket_note"], ["version", "1.0.0"], ["shown", "mood note"], ["a.mood", "99"],
        ["started_at", moments.instant()], ["completed_at", moments.instant()]]})
    write(page, f"{home}/q/pocket_note", 8)
    page.wait_for_url(f"**{home}")
    online(page)

    expect(page.locator("#status")).to_contain_text("1 answer needs your attention", timeout=30_000)
    assert sorted(sheet["answers"]["mood"] for sheet in sheets(page, diary.url, home)) == [7, 8]
    page.goto("/unsent")
    card = page.locator("#unsent .card")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("Some of these answers do not fit the questionnaire.")
    expect(card).to_contain_text("Please enter at most 10.")
    with page.expect_download() as download:
        card.get_by_role("button", name="Save as a file").click()
    download.value.save_as(tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text())
    assert saved["records"][0]["title"] == "Impossible"
    page.once("dialog", lambda dialog: dialog.accept())
    card.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Everything is sent.")).to_be_visible()


def queue(page, record):
    """Queues a record with the script of the page."""
    page.evaluate("""async (record) => {
        for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys()) {
            if (/\\/assets\\/sending\\./.test(request.url)) return (await import(request.url)).enqueue(record);
        } throw new Error("no sending.js"); }""", record)


def test_saved_answers_are_loaded_from_a_file(people, diary, tmp_path):
    page = people()
    home = register(page)
    offline(page)
    write(page, f"{home}/q/pocket_note", 4)
    page.wait_for_url(f"**{home}")
    page.locator("#status a").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save all as a file").click()
    file = tmp_path / "saved.json"
    download.value.save_as(file)

    # Another browser of the same participant.
    other = people()
    log_in(other, page.email)
    other.goto("/unsent")
    other.locator("#load-file").set_input_files(file)
    expect(other.get_by_text("1 answer was loaded from the file.")).to_be_visible()
    expect(other.get_by_text("Everything is sent.")).to_be_visible(timeout=30_000)
    online(page)
    wait_until(lambda: stored(page, "outbox")["outbox"] == [], 30, "the first browser sends, too")

    assert [sheet["answers"]["mood"] for sheet in sheets(page, diary.url, home)] == [4]
    stranger = people()
    register(stranger)
    stranger.goto("/unsent")
    stranger.locator("#load-file").set_input_files(file)
    expect(stranger.get_by_text("belong to another account")).to_be_visible()


def test_a_review_that_the_lost_connection_kept_away_appears_when_it_is_back(people):
    page = people(service_workers="block")
    page.goto(browser.join(page, "Mindful walking"))
    page.locator("main a[href*='/o/'], main a[href*='/q/']").last.click()
    proceed = page.get_by_role("button", name=words("answer", "continue"), exact=True)
    expect(proceed).to_be_visible()
    offline(page)
    answered = 0
    while proceed.is_visible():
        option = page.locator("form.paged .question:not(.off) label.option:visible")
        if option.count():
            option.first.click()
            answered += 1
        before = page.url
        proceed.click()
        page.wait_for_url(lambda url, before=before: url != before)
    expect(page.get_by_role("heading", level=1, name=words("ask", "review"))).to_be_focused()
    expect(page.locator("#review dl")).to_have_count(0)

    online(page)

    expect(page.locator("#review dl > div")).to_have_count(answered)
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_url("**/sheets/*?new=1")


# Other people and logging out

def test_a_second_account_sees_a_count_and_nothing_else(people, diary):
    page = people()
    home = register(page)
    offline(page)
    write(page, f"{home}/q/pocket_note", 3, note="the heron at the weir")
    page.wait_for_url(f"**{home}")
    # The session ends without logging out, for example because it expired.
    page.context.clear_cookies()
    block_uploads(page)
    online(page)

    second = page.context.new_page()
    people.watch(second)
    register(second)
    second.goto("/unsent")

    expect(second.locator("#others")).to_have_text("1 answer of another account is on this device. Only that account can see and send it.")
    assert "heron" not in second.content()
    assert not any(path.startswith(home) for path in kept(second))
    assert len(stored(second, "outbox")["outbox"]) == 1
    expect(second.locator("#unsent .card")).to_have_count(0)


def block_uploads(page):
    page.context.route("**/upload", lambda route: route.abort())


def test_a_revoked_session_keeps_the_answers_and_sends_them_after_logging_in(people, diary):
    page = people()
    home = register(page)
    offline(page)
    for mood in (2, 9):
        write(page, f"{home}/q/pocket_note", mood)
        page.wait_for_url(f"**{home}")
    # The participant logs out on all devices, or the session expires.
    page.context.clear_cookies()
    online(page)

    expect(page.locator("#status")).to_contain_text("Log in to send 2 saved answers", timeout=30_000)
    page.locator("#status a").click()
    page.get_by_label("E-mail address").fill(page.email)
    page.get_by_label("Password").fill(browser.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"**{home}")

    wait_until(lambda: stored(page, "outbox")["outbox"] == [], 30, "the answers are sent")
    assert sorted(sheet["answers"]["mood"] for sheet in sheets(page, diary.url, home)) == [2, 9]


def test_logging_out_asks_and_can_keep_answers_locked(people, diary):
    page = people()
    home = register(page)
    block_uploads(page)
    write(page, f"{home}/q/pocket_note", 5, note="the heron at the weir")
    page.wait_for_url(f"**{home}")
    page.get_by_role("button", name="Log out").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 answer is only on this device. What should happen with it?")
    dialog.get_by_role("button", name="Send now and log out").click()
    expect(dialog).to_contain_text("1 answer could not be sent.")
    dialog.get_by_role("button", name="Keep locked on this device").click()
    page.wait_for_url(re.compile(r"/$|/login"))

    everything = stored(page, "drafts", "outbox", "held", "receipts", "meta", "sealed")
    assert [len(everything.pop("sealed"))] == [1]
    assert all(not records or name == "meta" and [record["key"] for record in records] == ["account"] for name, records in everything.items()), everything
    assert kept(page) == []
    page.context.unroute("**/upload")
    log_in(page)
    page.goto(home)

    wait_until(lambda: stored(page, "outbox", "sealed") == {"outbox": [], "sealed": []}, 30, "the answer is sent")
    assert [sheet["answers"]["note"] for sheet in sheets(page, diary.url, home)] == ["the heron at the weir"]


def test_logging_out_leaves_no_personal_data_on_the_device(people, diary):
    page = people()
    home = register(page)
    write(page, f"{home}/q/pocket_note", 5)
    page.wait_for_url("**/sheets/**")
    page.goto(f"{home}/q/pocket_note")
    page.locator("[name='a.mood']").fill("4")
    wait_until(lambda: stored(page, "drafts")["drafts"], 10, "a draft is saved")

    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(re.compile(r"/$|/login"))

    left = stored(page, "drafts", "outbox", "held", "receipts", "sealed")
    assert all(records == [] for records in left.values()), left
    assert kept(page) == []
    assert page.context.cookies() == []
    enrolment = home.removeprefix("/my/")
    assert enrolment not in json.dumps(stored(page, "meta"))


# Storage

def test_a_full_disk_is_stated_and_the_answer_is_sent_at_once(people, diary):
    page = people()
    # The origin has no space, as on a full disk and in some private windows.
    page.context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", {"origin": diary.url, "quotaSize": 1})
    home = register(page, can_keep=False)

    page.goto(f"{home}/q/pocket_note")
    page.locator("[name='a.mood']").fill("8")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#status")).to_contain_text("This browser cannot keep answers. Stay on this page until “sent” appears.")
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_url("**/sheets/**")

    assert [sheet["answers"]["mood"] for sheet in sheets(page, diary.url, home)] == [8]


def test_records_that_wait_for_more_than_two_days_are_announced(people, diary):
    page = people()
    home = register(page)
    block_uploads(page)
    write(page, f"{home}/q/pocket_note", 5)
    page.wait_for_url(f"**{home}")
    page.evaluate("""() => new Promise((resolve) => {
        indexedDB.open('saunter').onsuccess = ({ target: { result: db } }) => {
            const store = db.transaction('outbox', 'readwrite').objectStore('outbox');
            store.getAll().onsuccess = ({ target: { result } }) => { for (const record of result) store.put({ ...record, at: record.at - 49 * 3600000 }); };
            store.transaction.oncomplete = () => { db.close(); resolve(); };
        }; })""")

    page.goto(home)

    expect(page.locator("#old-records")).to_contain_text("save your unsent answers as a file")


# Changes without a connection

def test_corrections_and_deletions_wait_on_the_device(people, diary):
    page = people()
    home = register(page)
    for mood in (1, 2):
        write(page, f"{home}/q/pocket_note", mood)
        page.wait_for_url("**/sheets/**")
    first, second = [sheet["sheet_id"] for sheet in sorted(sheets(page, diary.url, home), key=lambda sheet: sheet["answers"]["mood"])]
    for path in (f"/sheets/{first}/edit", f"/sheets/{second}/delete", "/entries"):
        page.goto(home + path)
    wait_until(lambda: {f"{home}/sheets/{first}/edit", f"{home}/sheets/{second}/delete"} <= set(kept(page)), 20, "the pages are kept")
    offline(page)

    write(page, f"{home}/sheets/{first}/edit", 9)
    page.wait_for_url(f"**{home}")
    page.goto(f"{home}/sheets/{second}/delete")
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/entries")
    expect(page.get_by_text("changed on this device, not sent yet")).to_be_visible()
    expect(page.get_by_text("will be deleted when you are connected")).to_be_visible()
    online(page)

    wait_until(lambda: stored(page, "outbox", "held") == {"outbox": [], "held": []}, 30, "the changes are sent")
    assert [(sheet["sheet_id"], sheet["answers"]["mood"]) for sheet in sheets(page, diary.url, home)] == [(first, 9)]


def test_entries_show_what_is_not_sent_yet_first(people, diary):
    page = people()
    home = register(page)
    page.goto(f"{home}/entries")
    offline(page)
    write(page, f"{home}/q/pocket_note", 6)
    page.wait_for_url(f"**{home}")

    page.goto(f"{home}/entries")

    expect(page.locator("#local-entries .card")).to_have_count(1)
    expect(page.locator("#local-entries")).to_contain_text("saved on this device, not sent yet")
    page.goto(f"{home}/o/{uuid.uuid4()}")
    expect(page.get_by_role("heading", level=1)).to_have_text("You are offline")
    expect(page.locator("#available").get_by_role("link").first).to_be_visible()


# The service worker

def test_every_file_of_the_service_worker_exists(diary):
    script = requests.get(f"{diary.url}/sw.js", timeout=60).text
    files = json.loads(re.search(r"^const FILES = (\[.*\]);$", script, re.MULTILINE).group(1))

    assert "/offline" in files and any(file.startswith("/assets/app.") for file in files)
    for file in files:
        assert requests.get(diary.url + file, timeout=60).status_code == 200, file


def test_a_page_of_the_worker_is_never_a_secret_one(people, diary):
    page = people()
    home = register(page)
    for path in (f"{home}/settings", f"{home}/leave", "/account/erase"):
        page.goto(path)
    page.goto(home)

    assert not [path for path in kept(page) if re.search("settings|leave|erase|account|export", path)]


def test_a_release_in_the_middle_of_a_draft_loses_nothing(chromium, tmp_path):
    """Two releases of the scripts and one browser profile."""
    web = tmp_path / "web"
    shutil.copytree(ROOT / "Sources" / "SaunterWeb", web, ignore=shutil.ignore_patterns("*.swift"))
    server = Server()
    server.options = ["--dev-assets", web]
    try:
        server.start()
        server.run("publish", POCKET / "studies" / "pocket-diary")
        with visitors(chromium, server.url) as people:
            page = people()
            home = register(page)
            page.goto(f"{home}/q/pocket_note")
            page.locator("[name='a.mood']").fill("7")
            page.get_by_role("button", name="Continue").click()
            wait_until(lambda: stored(page, "drafts")["drafts"], 10, "a draft is saved")
            before = page.locator('script[src*="/assets/app."]').get_attribute("src")
            server.stop()
            for script in ("app.js", "answer.js", "outbox.js"):
                with open(web / "assets" / script, "a") as file:
                    file.write('\ndocument.documentElement.dataset.release = "next";\n')
            server.start()

            # The open page still works with the new server, and the update does not reload it.
            page.evaluate("navigator.serviceWorker.getRegistration().then((registration) => registration.update())")
            wait_until(lambda: page.evaluate("navigator.serviceWorker.getRegistration().then((one) => !one.installing)"), 30, "the update is installed")
            assert page.locator("[name='a.note']").is_visible()

            def is_new():
                # On a slow machine the kept page of the first release comes first.
                page.goto(f"{home}/q/pocket_note")
                return page.locator('script[src*="/assets/app."]').get_attribute("src") != before

            wait_until(is_new, 60, "the page of the next release is shown")
            expect(page.locator("[name='a.mood']")).to_have_value("7")
            # Not without a connection: while the worker of the next release waits, Chromium can hold a navigation.
            while page.get_by_role("button", name="Continue").is_visible():
                page.get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Send", exact=True).click()
            page.wait_for_url(f"**{home}/sheets/**")

            wait_until(lambda: stored(page, "outbox")["outbox"] == [], 30, "the answer is sent")
            assert [sheet["answers"]["mood"] for sheet in sheets(page, server.url, home)] == [7]
    finally:
        server.remove()


# Two weeks

@pytest.fixture(scope="module")
def fortnight(tmp_path_factory):
    """A server and a browser on a simulated clock, and a diary for three weeks."""
    folder = tmp_path_factory.mktemp("fortnight")
    packs = folder / "packs"
    shutil.copytree(POCKET, packs)
    schedule = packs / "studies" / "pocket-diary" / "schedule.yaml"
    text = schedule.read_text()
    schedule.write_text(text.replace("until_day: 2", "until_day: 20"))
    assert schedule.read_text() != text
    clock = SimulatedClock(folder, datetime.datetime(2026, 11, 21, 9, tzinfo=datetime.timezone.utc))
    server = TimedServer(clock)
    try:
        server.start()
        server.run("publish", packs / "studies" / "pocket-diary")
        yield server
    finally:
        server.remove()


def test_one_visit_makes_fourteen_days_answerable_without_a_connection(fortnight, chromium):
    server, clock = fortnight, fortnight.clock
    # The browser, its service worker included, has the clock of the server.
    travelling = chromium.browser_type.launch(
        executable_path=browser.CHROMIUM, args=["--no-sandbox"], env=os.environ | clock.environment, timeout=120_000)
    try:
        with visitors(travelling, server.url) as people:
            page = people()
            home = register(page)
            server.stop()

            answered = []
            for day in range(14):
                if day:
                    clock.advance_to("Europe/Berlin", "18:00", days=1)
                # The address of the installed app leads to the kept page, too.
                page.goto(home if day % 2 else "/my")
                page.wait_for_url(f"**{home}")
                # The card of the day when the page was kept is hidden until the script has planned this day.
                answer = page.locator("[data-occasion]").get_by_role("link", name=browser.words("today", "answer"))
                expect(answer).to_have_count(1)
                write(page, answer.get_attribute("href"), day % 11)
                answered.append(clock.now())
                page.wait_for_url(f"**{home}")
                expect(page.locator("[data-occasion]")).to_have_count(0)
            clock.advance_to("Europe/Berlin", "19:00")
            server.start()
            page.goto(home)

            wait_until(lambda: stored(page, "outbox", "held") == {"outbox": [], "held": []}, 60, "all answers are sent")
            arrived = sorted(sheets(page, server.url, home), key=lambda sheet: sheet["completed_at"])
            assert [sheet["answers"]["mood"] for sheet in arrived] == [day % 11 for day in range(14)]
            for sheet, moment in zip(arrived, answered, strict=True):
                assert abs(moments.read(sheet["completed_at"]) - moment) < datetime.timedelta(minutes=2), sheet
            assert {sheet["standing"] for sheet in arrived} == {"on_time"}
            assert len({sheet["occasion_id"] for sheet in arrived}) == 14
    finally:
        travelling.close()
