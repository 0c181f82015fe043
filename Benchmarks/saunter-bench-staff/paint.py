"""When Chromium has painted the heat map of adherence, and how large the page is."""

import gzip
import statistics

from playwright.sync_api import sync_playwright

from acceptance.browser import launch

MAXIMUM_SECONDS, MAXIMUM_KB = 0.5, 40
# The last byte of the page, the first paint of any content, and the first frame after everything was loaded: times since the navigation began.
PAINTED = """() => new Promise(resolve => {
  const report = () => requestAnimationFrame(() => setTimeout(() => {
    const whole = performance.now();
    new PerformanceObserver(list => {
      const [paint] = list.getEntriesByName("first-contentful-paint");
      if (paint) resolve({arrived: performance.getEntriesByType("navigation")[0].responseEnd, first: paint.startTime, whole});
    }).observe({type: "paint", buffered: true});
  }));
  document.readyState === "complete" ? report() : addEventListener("load", report);
})"""


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def kilobytes(session, address):
    """The size of the page on the wire, and what it unpacks to."""
    reply = session.get(address, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=60)
    assert reply.status_code == 200, f"{address}: {reply.status_code}"
    assert reply.headers.get("Content-Encoding") == "gzip", f"{address} is not compressed"
    body = reply.raw.read(decode_content=False)
    return len(body) / 1000, len(gzip.decompress(body)) / 1000


def measure(session, url, path, rounds):
    """Opens the page with an empty cache in each round, and prints the medians. Whether the goals are kept.

    The first round, which begins with a browser that was just started, does not count.
    """
    taken = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for number in range(rounds + 1):
            context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
            context.add_cookies([{"name": cookie.name, "value": cookie.value, "url": url} for cookie in session.cookies])
            page = context.new_page()
            page.goto(url + path, wait_until="commit")
            times = page.evaluate(PAINTED)
            rows, cells = page.locator("table.heat tbody tr").count(), page.locator("table.heat tbody td:not([class])").count()
            context.close()
            if number:
                taken.append(times)
        browser.close()
    assert rows, f"{path} has no heat map"
    packed, unpacked = kilobytes(session, url + path)
    print(f"heat map of {rows} participants × {cells // rows} days", flush=True)
    arrived, first, whole = ([times[name] / 1000 for times in taken] for name in ("arrived", "first", "whole"))
    print(f"arrived, s: {spread(arrived, 3)}; first contentful paint, s: {spread(first, 3)}, goal {MAXIMUM_SECONDS}; whole page, s: {spread(whole, 3)}", flush=True)
    print(f"page with gzip, kB: {packed:.1f}, goal {MAXIMUM_KB}; without: {unpacked:.0f}", flush=True)
    return statistics.median(first) <= MAXIMUM_SECONDS and packed <= MAXIMUM_KB
