"""From an empty study to its first participant, in the browser, with few clicks and fields."""

import io
import re
import uuid
import zipfile

from playwright.sync_api import expect

from acceptance.browser import PASSWORD, Steps, words
from test_staff_pages import OTHER, Member

MAXIMUM_STEPS = 40
STUDY, TITLE, QUESTION, OPENS = "first-steps", "First steps", "How did you feel today?", "16:45"


def test_a_newcomer_gets_from_an_empty_study_to_the_first_participant(server, web, visitor):
    newcomer, steps = Member(server, [("editor", OTHER)]), Steps()
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})

    def go(name):
        steps.click(page.locator("nav.steps").get_by_role("link", name=words("draft", f"step_{name}"), exact=True))

    # A new study
    page.goto("/staff")
    steps.fill(page.get_by_label("E-mail address"), newcomer.email)
    steps.fill(page.get_by_label("Password", exact=True), newcomer.password)
    steps.click(page.locator("main").get_by_role("button", name="Log in"))
    page.wait_for_url("**/staff")
    steps.click(page.get_by_text(words("new_study", "title"), exact=True))
    steps.fill(page.get_by_label(words("new_study", "study"), exact=True), STUDY)
    steps.fill(page.get_by_label(words("new_study", "name"), exact=True), TITLE)
    steps.click(page.get_by_role("button", name=words("new_study", "create")))
    page.wait_for_url(f"**/staff/{STUDY}/draft?*")
    expect(page.locator("#ready")).to_have_text(words("draft", "ready"))
    # Before its publication, the study is a draft and nothing else.
    assert newcomer.get(f"/staff/{STUDY}").headers["Location"] == f"/staff/{STUDY}/draft"
    assert f'href="/staff/{STUDY}/draft"' in newcomer.get("/staff").text
    assert newcomer.session.get(f"{web}/studies/{STUDY}", timeout=60).status_code == 404

    # A word and a time
    go("words")
    steps.fill(page.locator("[name^='value:'][name$='#/items/mood']").first, QUESTION)
    steps.click(page.get_by_role("button", name=words("draft", "save"), exact=True))
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))
    go("schedule")
    steps.fill(page.locator("main input[type=time]").first, OPENS)
    steps.click(page.get_by_role("button", name=words("draft", "save"), exact=True))
    # The check runs with every change.
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))

    # A dry run
    go("dry_run")
    steps.click(page.locator("main form button.primary"))
    expect(page.locator("#totals")).to_be_visible(timeout=120_000)

    # The publication
    steps.visit(page, f"/staff/{STUDY}/draft")
    go("publish")
    steps.fill(page.locator("#code"), STUDY)
    steps.click(page.locator("form[action$='/draft/publish'] button"))
    page.wait_for_url(f"**/staff/{STUDY}/versions/**")
    pack = newcomer.get(f"/v1/studies/{STUDY}/versions/1.0.0/pack")
    assert pack.status_code == 200, pack.text
    with zipfile.ZipFile(io.BytesIO(pack.content)) as files:
        texts = {name: files.read(name).decode() for name in files.namelist() if name.endswith(".yaml")}
    assert [name.rsplit("/", 1)[1] for name, text in texts.items() if QUESTION in text] == ["text.en.yaml"]
    assert [name.rsplit("/", 1)[1] for name, text in texts.items() if OPENS in text] == ["schedule.yaml"]
    assert newcomer.get(f"/staff/{STUDY}").status_code == 200, "the study has all pages now"

    # The link, and the first participant
    steps.click(page.locator(".tabs").get_by_role("link", name=words("staff", "join"), exact=True))
    address = page.locator(".invite a").first.get_attribute("href")
    phone = visitor()
    steps.visit(phone, address)
    expect(phone.get_by_role("heading", level=1)).to_have_text(TITLE)
    steps.click(phone.get_by_role("link", name="Take part"))
    steps.click(phone.get_by_role("link", name="Create an account"))
    steps.fill(phone.get_by_label("Your name"), "Alex Canary")
    steps.fill(phone.get_by_label("E-mail address"), f"{uuid.uuid4().hex}@example.org")
    steps.fill(phone.get_by_label("New password"), PASSWORD)
    steps.click(phone.get_by_role("button", name="Create an account"))
    expect(phone.get_by_role("heading", level=1)).to_have_text("Consent")
    steps.check(phone.get_by_label("I have read this, and I take part."))
    steps.click(phone.get_by_role("button", name="Join the study"))
    phone.wait_for_url(re.compile("/my/[^/]+"))

    [participant] = newcomer.get(f"/v1/studies/{STUDY}/participants").json()["items"]
    assert participant["participant_id"]
    assert steps.count <= MAXIMUM_STEPS, (steps.clicks, steps.fields)
