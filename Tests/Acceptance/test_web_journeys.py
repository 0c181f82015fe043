"""The whole journey of a participant: by keyboard alone with a visible focus, and without JavaScript."""

import re

from playwright.sync_api import expect

from acceptance.browser import PASSWORD, join, save_settings, words

# Describes the element that has the focus. The mark may be on its label or on the text beside it, as for radio buttons that look like buttons.
FOCUS = """() => {
    const e = document.activeElement;
    // A heading gets the focus from the script after a step. Tab never stops there.
    if (!e || e === document.body || e.tabIndex < 0) return null;
    const isMarked = (node) => !!node && [null, "::after"].map((part) => getComputedStyle(node, part))
        .some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
    const box = e.getBoundingClientRect();
    const [x, y] = [box.x + Math.min(box.width / 2, innerWidth / 2), box.y + Math.min(box.height / 2, innerHeight / 2)];
    const top = document.elementFromPoint(x, y);
    const label = e.closest("label");
    return {
        name: (e.getAttribute("aria-label") || label?.innerText || e.innerText || e.name || e.id || e.tagName).trim().slice(0, 60),
        isMarked: (e.matches(":focus-visible") || ["date", "time"].includes(e.type)) && (isMarked(e) || isMarked(label) || isMarked(e.nextElementSibling)),
        isCovered: !top || !(e.contains(top) || top.contains(e) || label?.contains(top)),
    };
}"""


class Keyboard:
    """Moves by Tab, arrows, Space and Enter only. Records every stop whose focus a participant could not see."""

    def __init__(self, page):
        self.page = page
        self.faults = []

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def reach(self, target, steps=120):
        """Presses Tab until the target has the focus."""
        target.first.wait_for(state="attached")
        for _ in range(steps):
            self.press("Tab")
            stop = self.page.evaluate(FOCUS)
            if stop and (not stop["isMarked"] or stop["isCovered"]):
                self.faults.append((self.page.url.rsplit("/", 1)[-1], stop))
            if target.evaluate_all("found => found.includes(document.activeElement)"):
                return self
        raise AssertionError(f"Tab does not reach {target} on {self.page.url}")

    def follow(self, name, within="main"):
        """Opens a link."""
        before = self.page.url
        self.reach(self.page.locator(within).get_by_role("link", name=name, exact=True)).press("Enter")
        self.page.wait_for_url(lambda url: url != before)
        return self

    def button(self, name):
        return self.reach(self.page.get_by_role("button", name=name, exact=True)).press("Enter")

    def type(self, label, text):
        self.reach(self.page.get_by_label(label, exact=True))
        self.page.keyboard.type(text)
        return self

    def visit(self, feature):
        """Opens a feature by the navigation. The first visit says what it is for."""
        self.follow(feature, within="nav.tabs")
        if "/f/" in self.page.url:
            self.button(words("feature", "open"))
            self.page.wait_for_url(lambda url: "/f/" not in url)

    def finish(self):
        """Continues to the last step, and sends the answers."""
        while not self.page.get_by_role("button", name=words("answer", "submit"), exact=True).is_visible():
            self.button(words("answer", "continue"))
        self.button(words("answer", "submit"))


def test_a_participant_needs_no_mouse(visitor):
    page = visitor()
    keys = Keyboard(page)

    # Join and consent.
    page.goto("/")
    keys.follow("Emotions tracker").follow(words("study", "join")).follow(words("account", "register"))
    keys.type(words("account", "name"), "Alex Canary")
    keys.type(words("account", "email"), f"keys-{page.evaluate('crypto.randomUUID()')}@example.org")
    keys.type(words("account", "new_password"), PASSWORD)
    keys.press("Enter")
    keys.reach(page.locator("[name=accepted]")).press("Space")
    keys.button(words("consent", "join"))
    page.wait_for_url("**/welcome")
    while "/welcome" in page.url:
        last = page.get_by_role("link", name=words("welcome", "begin"), exact=True).is_visible()
        keys.follow(words("welcome", "begin" if last else "next"))
    home = page.url

    # Today, and a log. The arrows choose on the scale and in a list.
    keys.follow("How are you?")
    keys.reach(page.locator("#q-mood input[type=radio]")).press("Space", *["ArrowRight"] * 6)
    expect(page.locator("#q-mood-6")).to_be_checked()
    keys.button(words("answer", "continue"))
    keys.reach(page.locator("#q-category input[type=radio]")).press("Space")
    keys.button(words("answer", "continue"))
    keys.reach(page.locator("#q-emotions-calm")).press("Space")
    keys.button(words("answer", "continue"))
    keys.reach(page.locator("#q-note-value"))
    page.keyboard.type("by keyboard")
    keys.finish()
    page.wait_for_url("**/sheets/**")
    assert page.locator("dl.answers dd").all_inner_texts()[:4] == ["6", "joy", "calm", "by keyboard"]

    # Entries, an edit, and insights.
    keys.visit("Journal")
    expect(page.locator("main ul.cards .card")).to_have_count(1)
    keys.reach(page.locator("main .card a")).press("Enter")
    keys.follow(words("answer", "edit"))
    keys.reach(page.locator("#q-mood-6")).press("ArrowRight")
    keys.finish()
    page.wait_for_url(lambda url: "/edit" not in url)
    expect(page.locator("dl.answers dd").first).to_have_text("7")
    keys.visit("Insights")
    keys.reach(page.locator("main summary").first).press("Enter")
    expect(page.locator("main table").first).to_be_visible()

    # Settings, and leaving.
    page.goto(f"{home}/settings")
    keys.reach(page.locator("[name='kind.location']")).press("Space")
    keys.button(words("settings", "save"))
    expect(page.get_by_text(words("settings", "saved"))).to_be_visible()
    expect(page.locator("[name='kind.location']")).to_be_checked()
    keys.follow(words("settings", "leave_title"))
    keys.reach(page.locator("[name=mode]")).press("Space", "ArrowDown")
    expect(page.locator("[name=mode][value=exclude]")).to_be_checked()
    keys.button(words("settings", "leave_now"))
    page.wait_for_url(lambda url: "/leave" not in url)
    reply = page.request.get(f"/v1/enrolments/{home.rsplit('/', 1)[1]}").json()
    assert reply["status"] == "excluded"

    assert keys.faults == []


def visit(page, feature):
    page.locator("nav.tabs").get_by_role("link", name=feature, exact=True).click()
    page.get_by_role("button", name=words("feature", "open"), exact=True).click()
    page.wait_for_url(lambda url: "/f/" not in url)


def test_a_participant_needs_no_javascript(visitor):
    page = visitor(java_script_enabled=False)
    home = join(page, "Emotions tracker", has_script=False)

    # A log. The emotions depend on the category, so the server asks a second time.
    page.locator("main").get_by_role("link", name="How are you?", exact=True).click()
    page.locator("#q-mood-6").check()
    page.locator("#q-category-joy").check()
    page.locator("#q-note-value").fill("without script")
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.locator("#q-emotions-calm").check()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_load_state()
    page.wait_for_url("**/sheets/**")
    assert page.locator("dl.answers dd").all_inner_texts()[:4] == ["6", "joy", "calm", "without script"]

    # Entries, an edit, and insights.
    visit(page, "Journal")
    page.locator("main .card a").first.click()
    page.get_by_role("link", name=words("answer", "edit"), exact=True).click()
    page.locator("#q-mood-7").check()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url(lambda url: "/edit" not in url)
    expect(page.locator("dl.answers dd").first).to_have_text("7")
    visit(page, "Insights")
    expect(page.locator("main .insight svg").first).to_be_visible()

    # Settings of the account and of the study.
    page.goto(f"{home}/settings")
    page.get_by_label(words("consent", "language"), exact=True).select_option("de")
    page.locator("form[action$='/settings']").get_by_role("button", name=words("settings", "save"), exact=True).click()
    expect(page.get_by_text(words("settings", "saved", "de"))).to_be_visible()
    page.get_by_role("link", name="Aussehen", exact=True).click()
    page.get_by_label("dunkel", exact=True).check()
    save_settings(page, language="de")

    # Leaving: everything that was sent is erased after a second confirmation.
    page.get_by_role("link", name=words("settings", "leave_title", "de"), exact=True).click()
    page.locator("[name=mode][value=erase]").check()
    page.get_by_role("button", name=words("settings", "leave_now", "de"), exact=True).click()
    expect(page.locator("#errors")).to_contain_text(words("settings", "confirm_erase", "de"))
    page.locator("[name=mode][value=erase]").check()
    page.locator("[name=confirmed]").check()
    page.get_by_role("button", name=words("settings", "leave_now", "de"), exact=True).click()
    page.wait_for_url(lambda url: "/leave" not in url)
    assert page.request.get(f"/v1/enrolments/{home.rsplit('/', 1)[1]}").status == 404
