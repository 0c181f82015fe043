"""The web app in a real Chromium: visitors, and the steps that many tests begin with."""

import base64
import functools
import re
import uuid

import yaml
from playwright.sync_api import Locator, expect

from .server import ASSETS, ROOT, wait_until

CHROMIUM = "/usr/bin/chromium"
PASSWORD = "correct horse battery"
# Messages of the console that are no fault of a page: replies that a test asks for, and lost connections.
EXPECTED = "422|ERR_INTERNET_DISCONNECTED|ERR_FAILED"
# axe reads the colour of words from `-webkit-text-fill-color`. With forced colours Chromium returns the colour of the
# style sheet for it, although the screen shows `color` (dequelabs/axe-core, issue 3978). So axe gets `color`.
FORCED_COLOURS = """(() => {
  const read = CSSStyleDeclaration.prototype.getPropertyValue;
  CSSStyleDeclaration.prototype.getPropertyValue = function (name) { return read.call(this, name === "-webkit-text-fill-color" ? "color" : name); };
})()"""
# Adds a style sheet. The policy of the pages forbids `style` elements.
STYLE = "(css) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css); document.adoptedStyleSheets = [sheet]; }"
# The colours of a picture, the most frequent first.
PIXELS = """async ([data, edge]) => {
  const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const counts = new Map();
  for (const pixel of new Uint32Array(canvas.getImageData(edge, edge, picture.width - 2 * edge, picture.height - 2 * edge).data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([pixel]) => pixel);
}"""


@functools.cache
def _texts(language):
    return yaml.safe_load((ROOT / (ASSETS or "Sources/SaunterWeb") / "words" / f"{language}.yaml").read_text())


def words(section, name, language="en", /, **values):
    """A text of the pages. Tests read it here, so that a better sentence breaks no test."""
    text = _texts(language)[section][name]
    for placeholder, value in values.items():
        text = text.replace(f"{{{placeholder}}}", str(value))
    return text


def wait_after_click(click):
    """Without JavaScript, a click leads to another page. A test that reads it at once waits until all of it has arrived."""

    @functools.wraps(click)
    def clicked(locator, **options):
        click(locator, **options)
        if not getattr(locator.page, "has_script", True):
            locator.page.wait_for_load_state()

    return clicked


Locator.click = wait_after_click(Locator.click)


def launch(playwright, **more):
    """A running Chromium. Its sandbox does not work for root in a container; the pages are trusted."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *more.pop("args", [])], timeout=120_000, **more)


def luminance(pixel):
    """The relative luminance (WCAG 2.2) of a pixel: red is its lowest byte."""
    parts = [(pixel >> shift & 255) / 255 for shift in (0, 8, 16)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(element, edge=0):
    """The contrast (WCAG 2.2) on the screen between the most frequent colour of an element and the one that differs most from it.

    `edge` is the number of pixels that are not read at each side: a frame and round corners.
    """
    picture = base64.b64encode(element.screenshot(animations="disabled")).decode()
    background, *others = [luminance(pixel) for pixel in element.page.evaluate(PIXELS, [picture, edge])]
    return max((max(background, other) + 0.05) / (min(background, other) + 0.05) for other in [background, *others])


class Visitors:
    """Opens a browser context for each visitor of one server. Records what a page logs as an error, and requests to other origins."""

    def __init__(self, browser, url):
        self.browser = browser
        self.url = url
        self.pages = []

    def __call__(self, **more):
        """A page of a new visitor, with a phone's screen. The options are those of Playwright's `new_context`."""
        page = self.watch(self.browser.new_context(
            base_url=self.url, viewport={"width": 390, "height": 844}, **{"locale": "en-GB", "timezone_id": "Europe/Berlin", **more}).new_page())
        page.has_script = more.get("java_script_enabled", True)
        if more.get("forced_colors") == "active":
            page.add_init_script(FORCED_COLOURS)
        return page

    def watch(self, page):
        """Records the complaints of a page, also of one that a test opened itself."""
        page.set_default_timeout(20_000)
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda fault: page.complaints.append(str(fault)))
        page.on("request", lambda request: page.complaints.append(request.url) if not request.url.startswith((self.url, "data:", "blob:")) else None)
        self.pages.append(page)
        return page

    def complaints(self, expected=EXPECTED):
        return [text for page in self.pages for text in page.complaints if not re.search(expected, text)]

    def close(self):
        for context in {page.context for page in self.pages}:
            context.close()


class Steps:
    """Acts in a browser as a newcomer does, and counts clicks and fields that are filled in."""

    def __init__(self):
        self.clicks = self.fields = 0

    @property
    def count(self):
        return self.clicks + self.fields

    def click(self, element):
        self.clicks += 1
        element.click()

    def check(self, element):
        self.clicks += 1
        element.check()

    def fill(self, element, text):
        self.fields += 1
        element.fill(text)

    def visit(self, page, address):
        """Opens a link that someone sent."""
        self.clicks += 1
        page.goto(address)


def join(page, study, has_script=True, kinds=(), email=None):
    """Registers, consents, also to kinds of data, and joins. The address of the page Today."""
    page.goto("/")
    page.get_by_role("link", name=study, exact=True).click()
    page.get_by_role("link", name="Take part").click()
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Your name").fill("Alex Canary")
    page.get_by_label("E-mail address").fill(email or f"{uuid.uuid4().hex}@example.org")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Consent")
    if has_script:
        expect(page.get_by_label("Your time zone")).to_have_value("Europe/Berlin")
    else:
        page.get_by_label("Your time zone").select_option("Europe/Berlin")
    for kind in kinds:
        page.locator(f"[name='kind.{kind}']").check()
    page.get_by_label("I have read this, and I take part.").check()
    page.get_by_role("button", name="Join the study").click()
    page.wait_for_url("**/my/*/welcome")
    page.get_by_role("link", name="Skip", exact=True).click()
    page.wait_for_url("**/my/*")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Today|Day 1 of"))
    return page.url


def save_settings(page, language="en"):
    """Saves changed settings of a study, and confirms the change."""
    page.get_by_role("button", name=words("settings", "save", language), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("settings", "change_title", language))
    page.get_by_role("button", name=words("settings", "change_now", language), exact=True).click()
    page.wait_for_url("**/settings?saved=1")


def is_kept(page, path):
    """Waits until the service worker has kept a page."""
    wait_until(lambda: page.evaluate("""async (path) => {
        for (const name of await caches.keys())
            for (const request of await (await caches.open(name)).keys()) if (new URL(request.url).pathname === path) return true;
        return false; }""", path), 60, f"{path} is kept")


def visit(page, feature):
    """Opens a feature by the navigation. The first visit says what it is for."""
    before = page.url
    page.locator("nav.tabs").get_by_role("link", name=feature, exact=True).click()
    page.wait_for_url(lambda url: url != before)
    if "/f/" in page.url:
        page.locator("main form button").click()
        page.wait_for_url(lambda url: "/f/" not in url)
