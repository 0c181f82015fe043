"""Pages in a real browser: the report, and the API reference at /docs."""

import contextlib
import csv
import random
import re

import pytest
from playwright.sync_api import sync_playwright

from acceptance import answers, walks
from acceptance.moments import new_id
from acceptance.people import Person
from acceptance.server import STUDY, wait_until

CHROMIUM = "/usr/bin/chromium"
PSS_10 = STUDY.parent.parent / "instruments" / "pss_10" / "1.0.0"


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work for root in a container. The pages are trusted.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """Opens a page, and checks at the end that it requested no other address and logged no error."""
    with contextlib.ExitStack() as stack:

        def opened(address, **more):
            context = chromium.new_context(**more)
            stack.callback(context.close)
            page = context.new_page()
            page.complaints = []
            page.asked = []
            page.on("console", lambda message: page.complaints.append(message.text))
            page.on("pageerror", lambda fault: page.complaints.append(str(fault)))
            page.on("request", lambda request: page.asked.append(request.url))
            page.goto(address)
            return page

        yield opened


@pytest.fixture(scope="module")
def report(server, tmp_path_factory):
    """A report of a table with 120 participants, two rows each, blanks, and ids that contain markup."""
    folder = tmp_path_factory.mktemp("report")
    chance = random.Random(7)
    with open(folder / "sheets.csv", "w", newline="") as file:
        writer = csv.writer(file)
        items = [f"q{number}" for number in range(1, 11)]
        writer.writerow(["participant_id", "study_day", "sheet_id", "seconds", *items])
        for number in range(120):
            tension = chance.gauss(2, 1)
            for day in (1, 8):
                row = [min(4, max(0, round(tension + chance.gauss(0, 0.8)))) for _ in items]
                if chance.random() < 0.1:
                    row[chance.randrange(len(row))] = ""
                writer.writerow([f"P{number:03}<b>", day, f"s{number}-{day}", chance.randrange(20, 90), *row])
    server.run(
        "report", "--questionnaire", PSS_10, "--input", folder / "sheets.csv", "--out", folder / "out", program="evaluator")
    return (folder / "out" / "report.html").as_uri()


@pytest.fixture(scope="module")
def study_report(server, contract, tmp_path_factory):
    """A report of the study, with days on which a questionnaire was due, and with a walk."""
    person = Person(server, contract, name="Ada Canary").register().enrol()
    person.submit("who_5", answers.WHO_5)
    person.calibrate()
    person.call("PUT", person.own(f"/walks/{new_id()}"), json=walks.body(person.zone), status=201)
    folder = tmp_path_factory.mktemp("study") / "out"
    server.run("report", "--study", "mindful-walking", "--out", folder, program="evaluator")
    return (folder / "report.html").as_uri()


@pytest.fixture(params=["report", "study_report"])
def address(request):
    return request.getfixturevalue(request.param)


def overflow(page):
    """The number of pixels by which the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def unnamed(page):
    """Tables without a header cell, and pictures without an alternative text."""
    return page.evaluate(
        """() => [
            ...[...document.querySelectorAll('table')].filter(table => !table.querySelector('th')),
            ...[...document.querySelectorAll('svg')].filter(picture =>
                !picture.getAttribute('aria-label') && !picture.querySelector('title')),
        ].map(found => found.outerHTML.slice(0, 200))""")


def test_a_report_opens_without_the_internet(opened, address):
    page = opened(address, offline=True)
    assert page.asked == [address] and page.complaints == []
    assert page.locator("h1").count() == 1 and page.locator("table").count() >= 2
    plots = page.locator("svg")
    assert plots.count() >= 1
    for number in range(plots.count()):
        box = plots.nth(number).bounding_box()
        # The adherence grid of one participant on one day is small.
        assert box["width"] > 50 and box["height"] > 20
        assert plots.nth(number).locator("rect, path, line, circle, polyline").count() > 0
    assert unnamed(page) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_a_report_fits_the_width_of_a_phone_and_of_a_desktop(opened, address, width):
    page = opened(address, viewport={"width": width, "height": 800})
    assert overflow(page) <= 0


def test_a_report_is_printed_completely(opened, address):
    page = opened(address)
    text = page.pdf(format="A4")
    assert text.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", text)) >= 1
    page.emulate_media(media="print")
    # A4 with margins of 12 mm, at 96 dots per inch.
    page.set_viewport_size({"width": 703, "height": 1032})
    assert overflow(page) <= 0
    # Printed text is dark on light, also if the screen prefers a dark scheme.
    page.emulate_media(media="print", color_scheme="dark")
    background, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert brightness(background, clear=255) > brightness(ink, clear=0) + 100


def brightness(colour, clear):
    """The brightness of a computed colour from 0 to 255; `clear` if it is transparent."""
    parts = [float(part) for part in re.findall(r"[0-9.]+", colour)]
    return clear if len(parts) == 4 and parts[3] == 0 else sum(parts[:3]) / 3


def test_the_reference_needs_nothing_but_the_server(opened, server):
    page = opened(server.url + "/docs")
    assert all(address.startswith((server.url + "/docs", "data:")) for address in page.asked)
    assert page.complaints == []
    assert page.locator("article").count() > 30 and unnamed(page) == []
    # Every link inside the page has a target.
    lost = page.evaluate(
        """() => [...document.querySelectorAll('a[href^="#"]')].map(link => link.hash.slice(1))
            .filter(name => !document.getElementById(name))""")
    assert lost == []
    # The search box hides what does not contain every word.
    page.get_by_role("searchbox").fill("sync outbox")
    wait_until(lambda: 0 < page.locator("main article:visible").count() < 10, 20, "the search finds few entries")
    assert page.locator("nav li:visible").count() < 10
    page.get_by_role("searchbox").fill("")
    wait_until(lambda: page.locator("main article:visible").count() > 30, 20, "an empty search shows all entries")
    first = page.locator("nav li a").first
    first.focus()
    page.keyboard.press("Enter")
    wait_until(lambda: page.evaluate("location.hash") == first.get_attribute("href"), 20, "the link leads to its target")
    page.set_viewport_size({"width": 360, "height": 800})
    assert overflow(page) <= 0
