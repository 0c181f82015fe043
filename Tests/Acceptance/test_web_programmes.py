"""Programmes in a real browser: discover, read and write a practice, rate it, read own entries; offline and without JavaScript."""

import contextlib
import pathlib
import re
import shutil
import uuid

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import EXPECTED, PASSWORD, Visitors, is_kept, join, words
from acceptance.server import wait_until

PACK = pathlib.Path(__file__).parent / "packs" / "quiet-mind" / "studies" / "quiet-mind"
LOST = EXPECTED + "|ERR_INTERNET_DISCONNECTED|Failed to fetch|net::ERR_"
READING, WRITING, CLOSING = "The stone and the water", "What is in your hands", "Three good things"
RATING, MOOD, FIRST = "Rate the practice", "Your mood now", "What brings you here"


@pytest.fixture(scope="module")
def calm(web, server):
    """The shared server, with a study of two programmes."""
    server.run("publish", PACK)
    return server


@pytest.fixture
def people(chromium, calm):
    """Opens a browser of a visitor, which may lose the connection."""
    with contextlib.closing(Visitors(chromium, calm.url)) as made:
        yield made
        assert made.complaints(LOST) == []


def proceed(page):
    page.get_by_role("button", name=words("answer", "continue"), exact=True).click()


def finish(page):
    """Ends a practice from its last exercise."""
    page.get_by_role("button", name=words("answer", "finish"), exact=True).click()


def read(page, home):
    """Does the practice that consists of stories only."""
    page.goto(f"{home}/q/still_reading")
    page.locator("form[data-started]").wait_for(state="attached")
    proceed(page)
    finish(page)


def heading(page, text):
    expect(page.get_by_role("heading", level=1).filter(visible=True)).to_have_text(text)


def practices(page):
    """Topic -> the words about its state, on the page of a programme."""
    return dict(page.locator("[data-practice]").evaluate_all(
        "cards => cards.map(card => [card.querySelector('h3').textContent, card.querySelector('.state').textContent])"))


def own(page, home, path):
    reply = page.request.get(f"/v1/enrolments/{home.rstrip('/').rsplit('/', 1)[1]}{path}")
    assert reply.ok, reply.text()
    return reply.json()


def test_a_practice_is_discovered_done_and_rated(visitor, calm):
    page = visitor()
    home = join(page, "Quiet mind")

    # Today recommends the first practice, and does not list all of them.
    expect(page.locator("#recommended + .card h3")).to_have_text(READING)
    expect(page.get_by_text(CLOSING)).to_have_count(0)

    # Discover: what is recommended first, with the reason; then the programmes with their progress.
    page.goto(f"{home}/programmes")
    heading(page, "Discover")
    recommended = page.locator("section:has(#recommended) .card")
    expect(recommended.locator("h3")).to_have_text([READING, "Gratitude"])
    expect(recommended.first).to_contain_text(words("programmes", "why_all"))
    programmes = page.locator("section:has(#programmes) .card")
    expect(programmes.locator("h3")).to_have_text(["Stillness", "Gratitude"])
    expect(programmes.first).to_contain_text("Sit by the lake")
    expect(programmes.first).to_contain_text("By Ada Still, Ben Quiet")
    expect(programmes.first).to_contain_text("0 of 2 done")
    expect(programmes.first.locator("progress")).to_have_attribute("max", "2")
    picture = programmes.first.locator("img")
    expect(picture).to_have_attribute("alt", "")
    wait_until(lambda: picture.evaluate("(image) => image.naturalWidth") > 0, 10, "the picture is shown")

    # The programme: its introduction, and the practices in order.
    page.get_by_role("link", name="Stillness", exact=True).click()
    heading(page, "Stillness")
    expect(page.locator("main .text strong")).to_have_text("slowly")
    assert practices(page) == {READING: "", WRITING: ""}
    expect(page.locator("[data-practice=still_writing]")).to_contain_text("7 exercises")

    # A practice of stories only is done by reading it: one story on the screen, then it is finished.
    page.get_by_role("link", name=f"{words('programmes', 'start')} {READING}", exact=True).click()
    heading(page, READING)
    expect(page.locator(".count")).to_have_text("1 of 2")
    expect(page.get_by_text("A stone falls into a lake.")).to_be_visible()
    expect(page.get_by_text("The water has forgotten")).to_be_hidden()
    proceed(page)
    expect(page.get_by_text("The water has forgotten")).to_be_visible()
    finish(page)
    page.wait_for_url("**/sheets/*?new=1")
    expect(page.get_by_text(words("programmes", "finished"))).to_be_visible()
    expect(page.locator("section:has(#how-was-it) h3")).to_have_text([RATING, MOOD])
    expect(page.locator("main")).to_contain_text(f"{words('programmes', 'next')} {WRITING}")

    # Rating and mood are one tap away. After the rating, the mood and the way back are still there.
    page.get_by_role("link", name=RATING, exact=True).click()
    page.locator("label:has(#q-rating-4)").click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url("**/sheets/*?new=1")
    expect(page.locator("section:has(#how-was-it) h3")).to_have_text([MOOD])
    [rated] = [item for item in own(page, home, "/occasions?limit=1000")["items"] if item["questionnaire"] == "practice_rating"]
    [sheet] = own(page, home, "/answer-sheets?questionnaire=still_reading")["items"]
    assert rated["follows_sheet"] == sheet["sheet_id"]
    page.get_by_role("link", name="Stillness", exact=True).click()
    heading(page, "Stillness")
    expect(page.get_by_text("1 of 2 done")).to_be_visible()
    assert practices(page)[READING].startswith("Done on ")
    expect(page.locator("[data-practice=still_reading]")).to_contain_text("Your rating: 4")

    # A practice that was left can be continued. It has no review: it ends with its last exercise.
    page.get_by_role("link", name=f"{words('programmes', 'start')} {WRITING}", exact=True).click()
    expect(page.get_by_role("img", name="A lake between hills")).to_be_visible()
    proceed(page)
    expect(page.get_by_role("link", name="One minute of rain")).to_be_visible()
    proceed(page)
    expect(page.locator(".count")).to_have_text("3 of 7")
    # What was typed just before the page is left is saved too.
    page.locator("#q-thought-value").fill("the letter of the landlord")
    page.goto(f"{home}/programmes/stillness")
    continued = page.get_by_role("link", name=f"Continue (3 of 7) {WRITING}", exact=True)
    continued.click()
    page.get_by_role("button", name="Continue (3 of 7)", exact=True).click()
    expect(page.locator("#q-thought-value")).to_have_value("the letter of the landlord")
    proceed(page)
    proceed(page)
    expect(page.locator("#q-plan-value")).to_have_attribute("placeholder", "Tomorrow I can …")
    page.locator("#q-plan-value").fill("call him")
    proceed(page)
    proceed(page)
    expect(page.get_by_text("That is enough for today.")).to_be_visible()
    finish(page)
    page.wait_for_url("**/sheets/*?new=1")
    expect(page.get_by_text(words("programmes", "finished_all"))).to_be_visible()

    # Own answers by practice, with the words as read. One is changed, one is deleted; the progress follows.
    page.get_by_role("link", name="Stillness", exact=True).click()
    expect(page.get_by_text("All 2 done")).to_be_visible()
    page.get_by_role("link", name=words("programmes", "entries"), exact=True).click()
    expect(page.locator("main h2")).to_have_text([WRITING, READING])
    written = page.locator("main section").first
    expect(written.locator("dt")).to_have_text(["What worried you today?", "What can you do tomorrow?"])
    expect(written.locator("dd")).to_have_text(["the letter of the landlord", "call him"])
    written.get_by_role("link", name=re.compile(words("answer", "edit"))).click()
    page.locator("form[data-started]").wait_for(state="attached")
    for _ in range(2):
        proceed(page)
    page.locator("#q-thought-value").fill("nothing any more")
    for _ in range(4):
        proceed(page)
    finish(page)
    page.wait_for_url("**/sheets/*?new=1")
    page.goto(f"{home}/programmes/stillness/entries")
    expect(page.locator("main dd").first).to_have_text("nothing any more")
    page.locator("main section").last.get_by_role("link", name=re.compile(words("answer", "delete"))).click()
    page.get_by_role("button", name=words("answer", "delete"), exact=True).click()
    page.wait_for_url("**/entries?deleted=1")
    page.goto(f"{home}/programmes/stillness")
    expect(page.get_by_text("1 of 2 done")).to_be_visible()

    # The list of all entries has the programme as a filter, and no filter for each practice.
    page.goto(f"{home}/entries")
    chips = page.get_by_role("navigation", name=words("entries", "filter"))
    expect(chips.get_by_role("link", name=WRITING, exact=True)).to_have_count(0)
    chips.get_by_role("link", name="Stillness", exact=True).click()
    page.wait_for_url("**/programmes/stillness/entries")


def test_an_entry_of_a_withdrawn_programme_stays(visitor, calm, tmp_path):
    page = visitor(java_script_enabled=False)
    home = join(page, "Quiet mind", has_script=False)
    page.goto(f"{home}/q/still_closing")
    page.locator("#q-thanks-value").fill("the bread")
    finish(page)
    page.wait_for_url("**/sheets/**")

    withdrawn = copied(tmp_path)
    library = withdrawn / "library" / "programmes.yaml"
    library.write_text(library.read_text().replace("modules: [still_closing]", "modules: [still_closing]\n    withdrawn: true"))
    recommendations = withdrawn / "library" / "recommendations.yaml"
    recommendations.write_text("table: [still_reading]\n")
    calm.run("publish", withdrawn)
    try:
        page.goto(f"{home}/programmes")
        expect(page.locator("section:has(#programmes) h3")).to_have_text(["Stillness"])
        assert page.request.get(f"{home}/programmes/gratitude").status == 404
        page.goto(f"{home}/entries")
        page.get_by_role("navigation", name=words("entries", "filter")).get_by_role("link", name="Gratitude", exact=True).click()
        expect(page.get_by_text(words("programmes", "withdrawn"))).to_be_visible()
        expect(page.locator("main dd")).to_have_text(["the bread"])
    finally:
        calm.run("publish", PACK)


def copied(folder):
    """A copy of the pack that a test changes."""
    shutil.copytree(PACK.parents[1], folder / "packs")
    return folder / "packs" / "studies" / "quiet-mind"


def test_a_practice_waits_on_the_device_without_a_connection(people, calm):
    page = people()
    home = join(page, "Quiet mind")
    path = "/my/" + home.rstrip("/").rsplit("/", 1)[1]
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    for kept in ("/programmes", "/programmes/stillness", "/q/still_writing", "/q/still_reading"):
        is_kept(page, path + kept)

    page.context.set_offline(True)
    page.goto(f"{home}/programmes/stillness")
    heading(page, "Stillness")
    cover = page.locator("main img.picture")
    wait_until(lambda: cover.evaluate("(image) => image.naturalWidth") > 0, 10, "the picture is kept")
    page.get_by_role("link", name=f"{words('programmes', 'start')} {WRITING}", exact=True).click()
    lake = page.get_by_role("img", name="A lake between hills")
    wait_until(lambda: lake.evaluate("(image) => image.naturalWidth") > 0, 10, "the picture of the story is kept")
    for _ in range(2):
        proceed(page)
    page.locator("#q-thought-value").fill("no signal")
    for _ in range(4):
        proceed(page)
    finish(page)

    # Without a connection, the practice leads back to its programme, which says that it waits.
    page.wait_for_url("**/programmes/stillness")
    wait_until(lambda: practices(page)[WRITING] == words("status", "saved_here"), 10, "the programme shows what is on the device")

    page.context.set_offline(False)
    page.goto(home)
    wait_until(lambda: len(own(page, home, "/answer-sheets?questionnaire=still_writing")["items"]) == 1, 60, "the practice has arrived")
    page.goto(f"{home}/programmes/stillness")
    expect(page.get_by_text("1 of 2 done")).to_be_visible()
    # The device may get the answer of the server only now.
    wait_until(lambda: practices(page)[WRITING] != words("status", "saved_here"), 10, "nothing waits on the device")
    page.reload()
    assert practices(page)[WRITING].startswith("Done on ")
    # What the practice has opened is due now.
    page.goto(home)
    expect(page.locator("#due-list h3").filter(has_text=RATING)).to_be_visible()


def test_a_participant_practises_without_javascript(visitor, calm):
    page = visitor(java_script_enabled=False)
    home = join(page, "Quiet mind", has_script=False)

    page.goto(f"{home}/programmes")
    page.locator("section:has(#programmes)").get_by_role("link", name="Stillness", exact=True).click()
    page.get_by_role("link", name=f"{words('programmes', 'start')} {READING}", exact=True).click()
    expect(page.get_by_text("A stone falls into a lake.")).to_be_visible()
    expect(page.get_by_text("The water has forgotten")).to_be_visible()
    finish(page)
    expect(page.get_by_text(words("programmes", "finished"))).to_be_visible()
    page.get_by_role("link", name=f"{words('programmes', 'start')} {WRITING}", exact=True).click()
    page.locator("#q-thought-value").fill("on paper")
    finish(page)
    page.get_by_role("link", name=MOOD, exact=True).click()
    page.locator("#q-mood-6").check()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    expect(page.locator("section:has(#how-was-it) h3")).to_have_text([RATING])
    page.goto(f"{home}/programmes/stillness/entries")
    expect(page.locator("main dd")).to_have_text(["on paper"])
    assert {item["questionnaire"] for item in own(page, home, "/answer-sheets")["items"]} == {"still_reading", "still_writing", "mood_check"}


def test_the_introduction_asks_once_and_can_be_repeated(visitor, calm):
    page = visitor()
    email = f"{uuid.uuid4().hex}@example.org"
    home = join(page, "Quiet mind", email=email)

    # The introduction was skipped. It can be repeated from More, and its last step has the first questions.
    page.goto(f"{home}/more")
    page.get_by_role("link", name=words("more", "welcome"), exact=True).click()
    page.get_by_role("link", name=words("welcome", "next"), exact=True).click()
    expect(page.get_by_role("heading", level=2)).to_have_text(words("welcome", "questions"))
    page.get_by_role("link", name=f"{words('today', 'answer')} {FIRST}", exact=True).click()
    page.locator("#q-goal-value").fill("to sleep")
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url("**/sheets/*?new=1")

    # They are asked once, on every device.
    phone = visitor()
    phone.goto("/login")
    phone.get_by_label(words("account", "email")).fill(email)
    phone.get_by_label(words("account", "password"), exact=True).fill(PASSWORD)
    phone.locator("main form button.primary").click()
    phone.wait_for_url("**/my/**")
    phone.goto(f"{home}/welcome?step=2")
    expect(phone.locator("main .card")).to_contain_text("Answered on")
    expect(phone.get_by_role("link", name=re.compile(f"^{words('today', 'answer')} "))).to_have_count(0)
    phone.get_by_role("link", name=words("welcome", "begin"), exact=True).click()
    expect(phone.locator("main").get_by_role("link", name=FIRST, exact=True).and_(phone.locator("#due-list a"))).to_have_count(0)

    # More has the consent, and the texts that anyone can read.
    phone.goto(f"{home}/more")
    phone.get_by_role("link", name=words("more", "consent"), exact=True).click()
    expect(phone.locator("main")).to_contain_text("You accepted version 1.0.0 on")
    expect(phone.locator("article")).to_contain_text("You practise, and we read what you write.")
    phone.goto(f"{home}/more")
    phone.get_by_role("link", name="About this app", exact=True).click()
    expect(phone.locator("main .card")).to_contain_text("We keep what you write until you erase it.")


SCHEMES = {"light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"}, "forced": {"forced_colors": "active"}}


def test_the_pages_of_programmes_have_no_accessibility_faults_and_fit_every_screen(visitor, calm):
    first = visitor()
    home = join(first, "Quiet mind")
    read(first, home)
    first.wait_for_url("**/sheets/*?new=1")
    receipt = first.url.removeprefix(home)
    state, axe = first.context.storage_state(), Axe()
    pages = ["", "/programmes", "/programmes/stillness", "/programmes/stillness/entries", receipt, "/q/still_writing", "/welcome?step=2", "/consent", "/more", "/entries"]
    for scheme, direction in (("light", "ltr"), ("light", "rtl"), ("dark", "ltr"), ("forced", "ltr")):
        page = visitor(storage_state=state, reduced_motion="reduce", **SCHEMES[scheme])
        for path in pages:
            page.goto(home + path)
            page.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)
            for width in (320, 390, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, scheme, width, direction)
            faults = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(path, scheme, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in faults] == []
        page.context.close()

    printed = visitor(storage_state=state)
    printed.goto(f"{home}/programmes/stillness")
    printed.emulate_media(media="print")
    expect(printed.locator("main .actions").first).to_be_hidden()
    expect(printed.get_by_text("1 of 2 done")).to_be_visible()


def test_a_programme_of_another_study_is_not_found(visitor, calm):
    page = visitor(java_script_enabled=False)
    home = join(page, "Quiet mind", has_script=False)

    for path in ("/programmes/unknown", "/programmes/unknown/entries"):
        assert page.request.get(home + path).status == 404
    assert requests.get(f"{calm.url}{'/my/' + home.rsplit('/', 1)[1]}/programmes", allow_redirects=False, timeout=60).headers["Location"].startswith("/login")
