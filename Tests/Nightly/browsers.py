#!/usr/bin/env python3
"""Journeys of a participant in three browser engines: Chromium, Firefox and WebKitGTK.

    Tests/Nightly/browsers.py [--engine firefox] [--journey outage]

Prints one line per engine and journey. Tests/Nightly/README.md describes the journeys.
"""

import argparse
import pathlib
import sys
import time
import traceback
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Acceptance"))

from acceptance.browser import PASSWORD  # noqa: E402
from acceptance.server import Server, wait_until  # noqa: E402
from engines import ENGINES, engine  # noqa: E402

STUDY = "emotions-tracker"


def register(browser, server):
    """Registers, consents and joins; the address of the page Today, and the e-mail address."""
    email = f"{uuid.uuid4().hex}@example.org"
    browser.open(server.url)
    browser.click(f"main a[href='/studies/{STUDY}']").click("main a.button.primary").click("main a[href^='/register']")
    browser.fill("#display_name", "Alex Canary").fill("#email", email).fill("#password", PASSWORD)
    browser.click("main form button.primary")
    browser.wait_for("#time_zone").choose("#time_zone", "Europe/Berlin")
    browser.click("main input[name='accepted']").click("main form button.primary")
    browser.wait_for_address("/welcome")
    return browser.address().removesuffix("/welcome"), email


def log_in(browser, server, home, email):
    """Logs in with the password."""
    browser.open(f"{server.url}/login")
    browser.fill("#email", email).fill("#password", PASSWORD).click("main form button.primary")
    browser.wait_for_address(home)


def answer(browser, mood, category, emotion):
    """Answers the questions of a log one after the other, and sends them."""
    browser.click(f"label:has(#q-mood-{mood})").press("Continue")
    browser.click(f"label:has(#q-category-{category})").press("Continue")
    browser.press(emotion)
    while not browser.run("return [...document.querySelectorAll('button')].some((e) => e.getClientRects().length && e.textContent.trim() === 'Send')"):
        browser.press("Continue")
    # The review moves the button when its answers appear.
    browser.wait_for("#review dl").press("Send")


def sheets(server):
    """The number of logs in the database."""
    return int(server.sql("select count(*) from research.answer_sheet where questionnaire = 'log' and current and deleted_at is null"))


def journey(browser, server):
    """Joins, answers, reads the entry in the list, and the insights."""
    home, _ = register(browser, server)
    before = sheets(server)

    browser.open(f"{home}/q/log")
    answer(browser, 6, "joy", "calm")
    browser.wait_for_address("/sheets/")
    browser.wait_for_text("calm", "dl.answers")
    assert sheets(server) == before + 1

    browser.open(f"{home}/entries")
    browser.wait_for("main .card a").click("main .card a")
    browser.wait_for_text("calm", "dl.answers")
    browser.open(f"{home}/insights")
    browser.wait_for("main .insight")
    assert not browser.run("return document.cookie"), "scripts can read the session"
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def outage(browser, server):
    """The server stops while a question document is open. Two sheets are answered, the page is loaded again, and the server returns."""
    home, email = register(browser, server)
    browser.press("Log out")
    browser.wait_for("main a[href='/login']")
    log_in(browser, server, home, email)
    document = f"{home}/q/log"
    browser.open(document)
    # The worker has taken over the page, and the page and its files are kept.
    browser.run("window.caching = navigator.serviceWorker.ready.then(() => { window.isReady = true; })")
    browser.wait("return window.isReady === true", what="the service worker is ready")
    browser.wait("return navigator.serviceWorker.controller !== null", what="the service worker controls the page")
    browser.open(home)
    browser.wait_for("main .card")
    browser.open(document)
    wait_until(lambda: is_kept(browser, document), browser.seconds, "the question document is kept")
    before = sheets(server)

    server.stop()
    browser.reload()
    for mood in (2, 8):
        answer(browser, mood, "joy", "calm")
        browser.wait("return !location.pathname.includes('/q/')", what="the page after sending")
        browser.open(document)
        browser.wait_for("label:has(#q-mood-1)")
    browser.wait_for_text("2", "#status")
    browser.reload()
    browser.wait_for_text("2", "#status")
    server.start()
    browser.open(home)

    wait_until(lambda: sheets(server) >= before + 2, 90, "two sheets arrive")
    browser.wait("return document.getElementById('status').hidden || !/[1-9]/.test(document.getElementById('status').textContent)", what="nothing waits")
    browser.reload()
    browser.open(f"{home}/entries")
    browser.wait_for("main .card")
    assert browser.run("return document.querySelectorAll('main ul.cards .card').length") == 2
    assert sheets(server) == before + 2, "a sheet arrived twice"


def is_kept(browser, address):
    """Whether the service worker has kept a page."""
    browser.run("""
        window.kept = null;
        (async () => {
            const found = [];
            for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys()) found.push(request.url);
            window.kept = found;
        })()""")
    kept = browser.wait("return window.kept")
    return any(url.split("?")[0] == address for url in kept)


JOURNEYS = {"journey": journey, "outage": outage}


def main():
    parser = argparse.ArgumentParser(description="Runs journeys of a participant in browser engines against a server on this machine.")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="repeatable (default: all)")
    parser.add_argument("--journey", action="append", choices=JOURNEYS, help="repeatable (default: all)")
    parser.add_argument("--repeat", type=int, default=1, help="times per engine and journey (default: %(default)s)")
    options = parser.parse_args()

    failures = 0
    server = Server()
    try:
        server.start()
        server.run("publish", ROOT / "Questionnaires" / "studies" / STUDY)
        for name in options.engine or ENGINES:
            for one in options.journey or JOURNEYS:
                for _ in range(options.repeat):
                    if not server.is_alive():
                        server.start()
                    start = time.monotonic()
                    with engine(name) as browser:
                        try:
                            JOURNEYS[one](browser, server)
                            outcome = "passed"
                        except Exception:
                            failures += 1
                            outcome = f"failed at {browser.run('return location.href')}\n{traceback.format_exc()}"
                        print(f"{browser.version}\t{one}\t{time.monotonic() - start:.1f} s\t{outcome}", flush=True)
    finally:
        server.remove()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
