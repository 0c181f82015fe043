"""How the web app looks on every page: accessibility, small screens, large text, long words, right to left, print, and the brand of a study.

A simulated participant of both studies has weeks of data. The pages are those that links lead to, so a new page is checked without a change here.
All texts of the app are those of a pseudo-language; see acceptance/pseudo.py. SAUNTER_FULL_MATRIX=1 checks every page in every combination.
"""

import contextlib
import itertools
import json
import os
import re

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import STYLE, Visitors, contrast
from acceptance.pseudo import MIRRORED, write_assets, write_packs, zone_at
from acceptance.server import Server

# The first study lasts 36 days, so it still asks something; the other one is a diary without an end.
STUDIES = {"mindful-walking": 26, "emotions-tracker": 30}
# In the evening the diary of the first study is open, so that the pages of a planned questionnaire exist at every hour of the test.
EVENING = 20
IS_FULL = os.environ.get("SAUNTER_FULL_MATRIX") == "1"
# Pages that no link leads to.
VISITOR_PAGES = ["/", "/login", "/register", "/reset", "/reset/code", "/join", "/offline", "/erased", "/staff", "/no-such-page"]
ACCOUNT_PAGES = ["/unsent", "/account/erase", "/my"]
SCHEMES = {"light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"}, "forced": {"color_scheme": "light", "forced_colors": "active"}}
LANGUAGES = ["en", MIRRORED]
COMBINATIONS = list(itertools.product(SCHEMES, [320, 1280], LANGUAGES))
# WCAG 2.2, success criterion 1.4.12, and text of twice the size (1.4.4).
LARGE_TEXT = """
html { font-size: 200% !important }
* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
p { margin-block-end: 2em !important }
"""
BY_STUDY = re.compile(r"/my/[^/]+$")
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server with both studies in the pseudo-languages, and one participant with data. `person` has the address and the password."""
    folder = tmp_path_factory.mktemp("look")
    packs = write_packs(folder / "packs", STUDIES, zone_at(EVENING))
    server = Server()
    server.options = ["--dev-assets", write_assets(folder / "assets")]
    try:
        for study, days in STUDIES.items():
            server.run("publish", packs / "studies" / study, "--keep-enrolled")
            server.person = json.loads(server.run("cohort", "--study", study, "--participants", 1, "--days", days, "--json"))
        server.start()
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def visitors(chromium, site):
    with contextlib.closing(Visitors(chromium, site.url)) as made:
        yield made
        assert made.complaints("404") == []


@pytest.fixture(scope="module")
def session(visitors, site):
    """The cookies of the participant."""
    page = visitors()
    page.goto("/login")
    page.locator("[name=email]").fill(site.person["participant"])
    page.locator("[name=password]").fill(site.person["password"])
    page.locator("main form button.primary").click()
    page.wait_for_url("**/my**")
    return page.context.storage_state()


@pytest.fixture(scope="module")
def enrolments(session, site):
    """Study -> id of the enrolment."""
    items = api(site, session, "GET", "/v1/enrolments")["items"]
    return {item["study"]: item["enrolment_id"] for item in items}


def api(site, session, method, path, body=None):
    cookies = {cookie["name"]: cookie["value"] for cookie in session["cookies"]}
    reply = requests.request(method, site.url + path, json=body, cookies=cookies, headers={"Origin": site.url}, timeout=60)
    assert reply.ok, reply.text
    return reply.json()


def shape(address):
    """The address without what differs between pages of one kind."""
    return re.sub(r"(cursor|step|lang|questionnaire)=[^&]*", r"\1", ID.sub("*", address.split("#")[0]))


@pytest.fixture(scope="module")
def addresses(visitors, session, enrolments):
    """Every page of the app, one of each kind: found by following links from the start pages of a visitor and of the participant."""
    page = visitors(storage_state=session)
    found = {}
    waiting = [f"/studies/{study}" for study in enrolments] + [f"/studies/{study}/consent" for study in enrolments] + ACCOUNT_PAGES
    # The pages of features are behind a button until they have been opened once.
    waiting += [f"/my/{enrolment}{page}" for enrolment in enrolments.values() for page in ("", "/entries", "/insights")]
    while waiting:
        address = waiting.pop(0)
        # The pages that differ most between studies are read for each, the others once.
        study = next((study for study, enrolment in enrolments.items() if enrolment in address and re.search(BY_STUDY, address)), "")
        if (study, shape(address)) in found or not re.match(r"/(my|studies|account|unsent|join)", address):
            continue
        reply = page.goto(address)
        if not reply.headers.get("content-type", "").startswith("text/html"):
            continue
        assert reply.status == 200, address
        found[study, shape(address)] = address
        waiting += [link.removeprefix(page.url.split("/my")[0]) for link in page.eval_on_selector_all("a[href^='/']:not([download])", "links => links.map((a) => a.getAttribute('href'))")]
    assert {kind.split("?")[0] for _, kind in found} >= {"/my/*/entries", "/my/*/insights", "/my/*/sheets/*", "/my/*/walks/*", "/my/*/q/log"}, found
    return list(found.values())


class Reader:
    """The participant, or a visitor, in one combination of colour scheme, width and language."""

    def __init__(self, visitors, scheme, width, language, session=None):
        self.page = visitors(
            **SCHEMES[scheme], **({"storage_state": session} if session else {}), reduced_motion="reduce",
            locale="en-GB" if language == "en" else "ar")
        self.page.set_viewport_size({"width": width, "height": 800})

    def violations(self, address, axe=Axe()):
        # For words, axe would read the colours of the style sheet instead of forced colours: see FORCED_COLOURS.
        self.page.goto(address)
        return [
            (address, fault["id"], [(node["html"][:160], node["failureSummary"][:200]) for node in fault["nodes"]][:2])
            for fault in axe.run(self.page, options={"resultTypes": ["violations"]}).response["violations"]
        ]


def speak(site, session, enrolments, language):
    for enrolment in enrolments.values():
        api(site, session, "PATCH", f"/v1/enrolments/{enrolment}", {"language": language})


def chosen(addresses, combination):
    """The pages that are checked in a combination: each page in one of them, or all."""
    position = COMBINATIONS.index(combination)
    return [address for number, address in enumerate(addresses) if IS_FULL or number % len(COMBINATIONS) == position]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_has_accessibility_faults(site, visitors, session, enrolments, addresses, language):
    speak(site, session, enrolments, language)
    faults, checked = [], {}
    for combination in [each for each in COMBINATIONS if each[2] == language]:
        own, strange = Reader(visitors, *combination, session), Reader(visitors, *combination)
        pages = [(own, address) for address in chosen(addresses, combination)] + [(strange, address) for address in chosen(VISITOR_PAGES, combination)]
        checked[combination] = len(pages)
        for reader, address in pages:
            faults += [(combination, *fault) for fault in reader.violations(address)]
            direction = "rtl" if language == MIRRORED else "ltr"
            expect(reader.page.locator("html")).to_have_attribute("dir", direction)
        for reader in (own, strange):
            reader.page.context.close()
    assert faults == []
    assert sum(checked.values()) >= 12, checked


def test_every_page_is_checked(addresses):
    pages = addresses + VISITOR_PAGES

    for group in (addresses, VISITOR_PAGES):
        counts = {address: sum(address in chosen(group, combination) for combination in COMBINATIONS) for address in group}
        assert min(counts.values()) >= 1, counts
    assert len(pages) == len(set(pages))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_scrolls_sideways_with_large_text_on_a_small_screen(site, visitors, session, enrolments, addresses, language):
    speak(site, session, enrolments, language)
    faults = []
    own, strange = Reader(visitors, "light", 320, language, session), Reader(visitors, "light", 320, language)
    pages = [(own, address) for address in addresses] + [(strange, address) for address in VISITOR_PAGES]
    # Every second page in each language, so every page once.
    for reader, address in pages if IS_FULL else pages[LANGUAGES.index(language) :: len(LANGUAGES)]:
        reader.page.goto(address)
        for style in ("", LARGE_TEXT):
            if style:
                reader.page.evaluate(STYLE, style)
                assert reader.page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
            width = reader.page.evaluate("document.documentElement.scrollWidth")
            if width > 320:
                wide = reader.page.evaluate("""[...document.querySelectorAll("body *")].filter((e) => { const b = e.getBoundingClientRect(); return b.width && (b.right > 321 || b.left < -1); }).slice(0, 3).map((e) => e.outerHTML.slice(0, 120))""")
                faults.append((address, "large" if style else "plain", width, wide))
    assert faults == []


def test_every_word_of_the_app_is_translated_and_whole(site, visitors, session, enrolments):
    """Texts of the app are in brackets. A text without them is in the program, or was cut off."""
    speak(site, session, enrolments, "en")
    page = Reader(visitors, "light", 320, "en", session).page
    for path in ("", "/settings", "/leave"):
        page.goto(f"/my/{enrolments['emotions-tracker']}{path}")
        texts = [text.strip() for text in page.locator(".skip, .bar nav :is(a, button), main form button, main label:not(:has(strong))").all_inner_texts() if text.strip()]
        assert len(texts) >= 2 and [text for text in texts if not (text.startswith("[") and text.endswith("]"))] == [], path


def test_pages_print_without_navigation_and_with_all_details(visitors, session, enrolments):
    page = Reader(visitors, "dark", 1280, "en", session).page
    page.goto(f"/my/{enrolments['emotions-tracker']}/insights")
    page.emulate_media(media="print", color_scheme="dark")

    for selector in (".top nav", ".tabs", ".actions"):
        for element in page.locator(selector).all():
            expect(element).to_be_hidden()
    expect(page.locator("details table").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_forced_colours_reach_words_charts_and_bars(visitors, session, enrolments):
    """The pixels of the screen: the tracker has its dark colours, and the system forces a light background."""
    page = Reader(visitors, "forced", 320, "en", session).page
    page.goto(f"/my/{enrolments['emotions-tracker']}/insights")
    expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    words = [*page.locator(".bar nav :is(a, button)").all(), *page.locator(".tabs a").all(), *page.locator("figure svg").first.locator("text").all()]
    faults = [(element.text_content(), ratio) for element in words if (ratio := contrast(element)) < 4.5]
    # A border that is transparent otherwise: only the current page may have a visible one.
    borders = page.locator(".tabs a").evaluate_all("all => all.map((a) => [a.hasAttribute('aria-current'), getComputedStyle(a).borderBlockStartColor !== 'rgb(255, 255, 255)'])")
    assert len(words) >= 8 and faults == []
    assert len(borders) >= 4 and all(is_current == is_visible for is_current, is_visible in borders), borders
    page.goto(f"/my/{enrolments['mindful-walking']}/welcome?step=1")
    assert contrast(page.locator("main progress")) >= 3


def test_a_visitor_chooses_a_language(visitors):
    page = visitors()
    page.goto("/studies/emotions-tracker")

    page.locator(f"[hreflang={MIRRORED}]").click()

    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    # The texts of the study follow, and the choice stays.
    expect(page.get_by_role("heading", level=1)).to_have_text("Gefühlstagebuch")
    page.goto("/login?next=/my")
    expect(page.locator("html")).to_have_attribute("lang", MIRRORED)
    page.locator("[hreflang=en]").click()
    assert page.url.endswith("/login?next=/my&lang=en")


# ---- The brand of a study


def test_the_pages_of_a_study_have_its_colours_icon_and_picture(visitors, session, enrolments, site):
    page = Reader(visitors, "light", 1280, "en", session).page
    seen = set()
    for study, enrolment in enrolments.items():
        page.goto(f"/my/{enrolment}")
        seen.add(page.evaluate("getComputedStyle(document.querySelector('.tabs a[aria-current]')).color"))
        brand = requests.get(f"{site.url}/v1/studies/{study}", timeout=60).json()["brand"]
        assert page.locator("link[rel=icon]").get_attribute("href") == brand["icon"]
        page.goto(f"/studies/{study}")
        assert page.locator("img.picture").get_attribute("src") == brand["picture"]
        assert page.evaluate("document.querySelector('img.picture').naturalWidth") == 960
    assert len(seen) == len(enrolments)


def test_pictures_are_served_for_ever_and_run_nothing(site):
    path = requests.get(f"{site.url}/v1/studies/mindful-walking", timeout=60).json()["brand"]["icon"]

    reply = requests.get(site.url + path, timeout=60)

    assert reply.headers["Content-Type"] == "image/png" and reply.content.startswith(b"\x89PNG")
    assert "immutable" in reply.headers["Cache-Control"] and reply.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in reply.headers["Content-Security-Policy"]
    assert requests.get(site.url + path, headers={"If-None-Match": reply.headers["ETag"]}, timeout=60).status_code == 304
    for wrong in (path.replace(".png", ".svg"), path[:-6] + "00.png", "/media/no-such-study/" + path.rpartition("/")[2], "/media/mindful-walking/study.yaml"):
        assert requests.get(site.url + wrong, timeout=60).status_code == 404, wrong


def test_the_app_of_each_study_can_be_installed(visitors, session, enrolments):
    page = visitors(storage_state=session)
    for study, enrolment in enrolments.items():
        page.goto(f"/my/{enrolment}")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        debugger = page.context.new_cdp_session(page)
        # Playwright's contexts are like private windows, in which nothing can be installed.
        errors = [each["errorId"] for each in debugger.send("Page.getInstallabilityErrors")["installabilityErrors"]]
        assert [each for each in errors if each != "in-incognito"] == []

        address = page.locator("link[rel=manifest]").get_attribute("href")
        manifest = page.context.request.get(address).json()
        assert manifest["id"] == f"/studies/{study}" and len(manifest["short_name"]) <= 12
        assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
        page.goto(manifest["start_url"])
        assert page.url.endswith(f"/my/{enrolment}")
        for shortcut in manifest["shortcuts"]:
            assert page.context.request.get(shortcut["url"]).ok

    # Without a connection the app of each study begins with its own page.
    page.context.set_offline(True)
    for study in enrolments:
        page.goto(f"/studies/{study}/my")
        assert page.locator("link[rel=manifest]").get_attribute("href").startswith(f"/studies/{study}/")
    page.context.set_offline(False)


# ---- Features


def opened(site, session, enrolment):
    features = api(site, session, "GET", f"/v1/enrolments/{enrolment}")["features"]
    return {feature["feature"]: feature["first_opened_at"] for feature in features}


def test_the_first_visit_of_a_feature_says_what_it_is_for(site, visitors, session, enrolments):
    home = f"/my/{enrolments['mindful-walking']}"
    page = visitors(storage_state=session, java_script_enabled=False)
    page.goto(home)
    assert opened(site, session, enrolments["mindful-walking"])["diary"] is None

    page.locator(".tabs").get_by_role("link", name="Diary").click()
    expect(page.get_by_text("Everything that you have answered.")).to_be_visible()
    page.locator("main button").click()

    page.wait_for_url(f"**{home}/entries")
    assert page.locator(".tabs a[aria-current]").inner_text() == "Diary"
    assert opened(site, session, enrolments["mindful-walking"])["diary"] is not None
    page.locator(".tabs").get_by_role("link", name="Diary").click()
    page.wait_for_url(f"**{home}/entries")


def test_opening_a_known_feature_is_counted_and_needs_no_detour(site, visitors, session, enrolments):
    home = f"/my/{enrolments['emotions-tracker']}"
    page = visitors(storage_state=session)
    page.goto(f"{home}/f/insights")
    page.locator("main button").click()
    page.wait_for_url(f"**{home}/insights")

    page.goto(home)
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith(f"{home}/f/insights")):
        page.locator(f".tabs a[href='{home}/insights']").click()
    page.wait_for_url(f"**{home}/insights")


def test_a_page_of_a_feature_that_does_not_exist(visitors, session, enrolments):
    page = visitors(storage_state=session)

    assert page.goto(f"/my/{enrolments['emotions-tracker']}/f/no-such-feature").status == 404
