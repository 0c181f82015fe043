"""Every kind of question in a real browser: by keyboard alone, without JavaScript, and on bad days."""

import pathlib
import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import wait_until

PACK = pathlib.Path(__file__).parent / "packs" / "every-question"
# What the participants of the first two tests answer. Dates and times are those of Berlin.
ANSWERS = {
    "likes": True, "feeling": "fair", "calm": 0, "line": 51, "cups": 3, "hours": 1.5, "weight": {"value": 7.5, "unit": "kg"},
    "helpers": ["friends", {"other": "a neighbour"}], "place": {"other": "at the lake"}, "fruit": "plum", "nick": "Heron", "note": "calm water",
    "day": "2026-01-02", "asleep": "2026-01-01T22:30:00.000Z", "awake": "2026-01-02T06:00:00.000Z", "lunch": "12:30",
    "goals": ["sport", "sleep", "friends"], "meals": [{"dish": "soup", "size": 2, "tasty": True}, {"dish": "bread"}],
    "tense": 2, "tired": 0, "reasons": ["noise"],
}


@pytest.fixture(scope="module")
def study(server):
    server.run("publish", PACK / "studies" / "every-question")
    return server


def join(page, server, language="en"):
    """Logs a new participant in. The address of the page Today."""
    person = Person(server, language=language, zone="Europe/Berlin").register()
    enrolment = person.call(
        "POST", "/v1/studies/every-question/enrolments", status=201,
        json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, "language": language})
    home = f"/my/{enrolment['enrolment_id']}"
    page.goto(f"/login?next={home}")
    page.locator("[name=email]").fill(person.email)
    page.locator("[name=password]").fill(person.password)
    page.locator("main form button:not([type=button])").first.click()
    page.wait_for_url(f"**{home}")
    return page.url


def stored(page):
    """The sheet on whose page the browser is, as the API returns it."""
    enrolment, sheet = re.search(r"/my/([^/]+)/sheets/([0-9a-f-]{36})", page.url).groups()
    return page.request.get(f"/v1/enrolments/{enrolment}/answer-sheets/{sheet}").json()


def reach(page, target):
    """Moves the focus with the Tab key."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"the keyboard does not reach {target}")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def heading(page, text):
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def go_on(page):
    reach(page, page.get_by_role("button", name=words("ask", "continue"), exact=True))
    press(page, "Enter")


def type_into(page, item, text):
    reach(page, page.locator(f"#q-{item}-value"))
    page.keyboard.type(text)
    go_on(page)


def test_every_question_is_answered_by_keyboard_alone(visitor, study):
    page = visitor(geolocation={"latitude": 52.520008, "longitude": 13.404954, "accuracy": 12}, permissions=["geolocation"])
    home = join(page, study)
    page.goto(f"{home}/q/every_question")

    heading(page, "Every question")
    go_on(page)
    heading(page, "Do you like questions?")
    expect(page).to_have_title(re.compile(r"^2 of \d+ · "))
    go_on(page)
    expect(page.locator("#errors")).to_be_focused()
    expect(page).to_have_title(re.compile("^Error:"))
    expect(page.locator("#q-likes .fault")).to_contain_text(words("fault", "required"))
    expect(page.locator("#q-likes fieldset")).to_have_attribute("aria-invalid", "true")
    reach(page, page.locator("#q-likes-true"))
    press(page, "Space")
    go_on(page)
    heading(page, "How do you feel?")
    expect(page.locator("h1:visible")).to_be_focused()
    expect(page.locator("#q-likes .fault")).to_have_count(0)
    reach(page, page.locator("#q-feeling-good"))
    press(page, "Space", "ArrowDown")
    go_on(page)
    reach(page, page.locator("#q-calm-0"))
    press(page, "Space")
    go_on(page)
    line = page.get_by_role("slider")
    expect(line).to_have_attribute("aria-valuetext", words("ask", "unanswered"))
    reach(page, line)
    press(page, "ArrowRight")
    expect(line).to_have_attribute("aria-valuetext", "50")
    press(page, "ArrowRight")
    go_on(page)
    type_into(page, "cups", "٣")
    reach(page, page.locator("#q-hours-value"))
    page.keyboard.type("1,5")
    reach(page, page.get_by_role("button", name=words("ask", "continue"), exact=True))
    expect(page.locator("#q-hours")).to_contain_text(words("ask", "read_as", value="1.5"))
    press(page, "Enter")
    reach(page, page.locator("#q-weight-value"))
    page.keyboard.type("7 500,5")
    go_on(page)
    expect(page.locator("#q-weight .fault")).to_be_visible()
    reach(page, page.locator("#q-weight-value"))
    press(page, "Control+A")
    page.keyboard.type("7,5")
    reach(page, page.locator("#q-weight input[value=kg]"))
    press(page, "Space")
    go_on(page)
    reach(page, page.locator("#q-helpers-nobody"))
    press(page, "Space")
    page.keyboard.press("Shift+Tab")
    press(page, "Shift+Tab", "Shift+Tab", "Space")
    expect(page.locator("#q-helpers-nobody")).not_to_be_checked()
    expect(page.get_by_text("“Nobody” is not chosen any more.")).to_have_count(1)
    reach(page, page.locator("#q-helpers-other"))
    page.keyboard.type("a neighbour")
    go_on(page)
    reach(page, page.locator("#q-place-home"))
    press(page, "Space", "ArrowDown", "ArrowDown")
    reach(page, page.locator("#q-place-other"))
    page.keyboard.type("at the lake")
    go_on(page)
    reach(page, page.get_by_label(words("ask", "find")))
    page.keyboard.type("plu")
    expect(page.get_by_text(words("ask", "one_match"))).to_be_visible()
    reach(page, page.locator("#q-fruit-plum"))
    press(page, "Space")
    go_on(page)
    type_into(page, "nick", "Heron")
    reach(page, page.locator("#q-note-value"))
    page.keyboard.type("calm water, " * 4)
    expect(page.get_by_text(words("ask", "left", count=2))).to_be_visible()
    press(page, "Control+A")
    page.keyboard.type("calm water")
    go_on(page)
    # The browser's own fields for dates have the order of its interface: month, day, year.
    type_into(page, "day", "01022026")
    for item, date, time in [("asleep", "01012026", "1130PM"), ("awake", "01022026", "0700AM")]:
        reach(page, page.locator(f"#q-{item}-date"))
        page.keyboard.type(date)
        reach(page, page.locator(f"#q-{item}-time"))
        page.keyboard.type(time)
        go_on(page)
    type_into(page, "lunch", "1230PM")
    expect(page.get_by_text(words("ask", "not_ordered"))).to_be_visible()
    reach(page, page.get_by_role("button", name="Move up: Sport"))
    press(page, "Enter")
    expect(page.get_by_text("Sport is now 1 of 3.")).to_have_count(1)
    expect(page.get_by_role("button", name="Move down: Sport")).to_be_focused()
    go_on(page)
    heading(page, "What would you rather drink?")
    for number in (1, 2, 3):
        expect(page.locator("#q-pairs .pairs")).to_contain_text(f"{number} of 3")
        reach(page, page.locator("#q-pairs button.pair").first)
        press(page, "Enter")
    expect(page.locator("#q-pairs").get_by_text(words("ask", "compared"))).to_be_visible()
    go_on(page)
    reach(page, page.locator("#q-words-value"))
    page.keyboard.type("long\nwarm")
    reach(page, page.get_by_role("button", name=words("ask", "compare")))
    press(page, "Enter")
    expect(page.locator("#q-words button.pair").first).to_be_focused()
    reach(page, page.get_by_role("button", name=words("ask", "no_difference")).locator("visible=true"))
    press(page, "Enter")
    go_on(page)
    heading(page, "Meal 1")
    page.keyboard.press("Tab")
    reach_dish(page, 0)
    page.keyboard.type("soup")
    reach(page, page.locator("#q-meals-0-size-value"))
    page.keyboard.type("2")
    reach(page, page.locator("#q-meals-0-tasty-true"))
    press(page, "Space")
    reach(page, page.get_by_role("button", name=words("answer", "add_another")))
    press(page, "Enter")
    heading(page, "Meal 2")
    expect(page.locator("h1:visible")).to_be_focused()
    reach_dish(page, 1)
    page.keyboard.type("bread")
    expect(page.locator("#q-meals-1-tasty")).to_be_hidden()
    go_on(page)
    heading(page, "How were you?")
    for item, value in (("tense", 2), ("tired", 0)):
        reach_radio(page, f"#q-{item}-{value}")
    go_on(page)
    heading(page, "What made you tense?")
    reach(page, page.locator("#q-reasons-noise"))
    press(page, "Space")
    go_on(page)
    reach(page, page.get_by_role("button", name=words("answer", "use_location")))
    press(page, "Enter")
    expect(page.locator(".place")).to_contain_text("12")
    go_on(page)
    heading(page, words("ask", "review"))
    expect(page.locator("#review")).to_contain_text("at the lake")
    reach(page, page.get_by_role("button", name=words("answer", "submit"), exact=True))
    press(page, "Enter")

    page.wait_for_url("**/sheets/**")
    sheet = stored(page)
    answers = sheet["answers"]
    assert {name: answers.get(name) for name in ANSWERS} == ANSWERS
    assert answers["spot"] == {"lat": 52.52, "lon": 13.405, "accuracy_m": 12}
    assert [sorted(pair["shown"]) for pair in answers["pairs"]] and all(pair["choice"] == pair["shown"][0] for pair in answers["pairs"])
    assert answers["words"]["values"] == ["long", "warm"] and answers["words"]["comparisons"][0]["choice"] is None
    assert sorted(sheet["presented"]["reasons"]) == ["home", "noise", "work"] and sorted(sheet["presented"]["grid"]) == ["tense", "tired"]


def reach_dish(page, number):
    reach(page, page.locator(f"#q-meals-{number}-dish-value"))


def reach_radio(page, selector):
    """Chooses a radio button whose group may be entered at another button."""
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.locator(selector).get_attribute("name")
        if page.evaluate("document.activeElement.name") == name:
            break
    for _ in range(10):
        if page.evaluate("document.activeElement.id") == selector[1:]:
            press(page, "Space")
            return
        press(page, "ArrowDown")
    raise AssertionError(selector)


def test_every_question_is_answered_without_javascript(visitor, study):
    page = visitor(java_script_enabled=False)
    home = join(page, study)
    page.goto(f"{home}/q/every_question")
    page.locator("#q-likes-true").check()
    page.locator("#q-feeling-fair").check()
    page.locator("#q-calm-0").check(force=True)
    for item, text in {"line": "51", "cups": "3", "hours": "1,5", "weight": "7.5", "nick": "Heron", "note": "calm water"}.items():
        page.locator(f"#q-{item}-value").fill(text)
    page.locator("#q-weight input[value=kg]").check()
    page.locator("#q-helpers-friends").check()
    page.locator("#q-helpers-other").fill("a neighbour")
    page.locator("#q-place-other").fill("at the lake")
    page.locator("#q-fruit-plum").check()
    page.locator("#q-day-value").fill("2026-01-02")
    for item, date, time in [("asleep", "2026-01-01", "23:30"), ("awake", "2026-01-02", "07:00")]:
        page.locator(f"#q-{item}-date").fill(date)
        page.locator(f"#q-{item}-time").fill(time)
    page.locator("#q-lunch-value").fill("12:30")
    for option, rank in {"sport": "1", "sleep": "2", "friends": "3"}.items():
        page.locator(f"#q-goals-{option}").select_option(rank)
    page.locator("#q-words-value").fill("long\nwarm")
    page.locator("#q-meals-0-dish-value").fill("soup")
    page.locator("#q-meals-0-size-value").fill("2")
    page.locator("#q-meals-0-tasty-true").check()
    page.get_by_role("button", name=words("answer", "add_another")).click()
    page.locator("#q-meals-1-dish-value").fill("fish")
    page.get_by_role("button", name=words("answer", "add_another")).click()
    page.locator("#q-meals-2-dish-value").fill("bread")
    page.get_by_role("button", name=f"{words('answer', 'remove')} Meal 2").click()
    expect(page.locator("#q-meals-1-dish-value")).to_have_value("bread")
    page.locator("#q-tense-2").check()
    page.locator("#q-tired-0").check()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    expect(page.get_by_text(words("answer", "new_questions"))).to_be_visible()
    page.locator("#q-reasons-noise").check()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()

    page.wait_for_url("**/sheets/**")
    answers = stored(page)["answers"]
    assert {name: answers.get(name) for name in ANSWERS} == ANSWERS
    assert answers["words"] == ["long", "warm"]
    page.get_by_role("link", name=words("answer", "edit"), exact=True).click()
    expect(page.locator("#q-asleep-time")).to_have_value("23:30")
    expect(page.locator("#q-meals-1-dish-value")).to_have_value("bread")


# The number of the question at which the draft in this browser is.
SAVED_STEP = """new Promise((resolve) => { indexedDB.open('saunter').onsuccess = ({ target }) => {
    const request = target.result.transaction('drafts').objectStore('drafts').getAll();
    request.onsuccess = () => { target.result.close(); resolve(request.result[0]?.number); };
}; })"""


def note(page, home):
    """Opens the evening's note from Today. The address of the document."""
    page.goto(home)
    page.locator("main").get_by_role("link", name="Evening note").first.click()
    heading(page, "How was the evening?")
    return page.url


def test_history_reload_and_drafts(visitor, study):
    page = visitor()
    home = join(page, study)
    page.goto(f"{home}/q/every_question")
    page.get_by_role("button", name=words("ask", "continue"), exact=True).click()
    page.locator("label:has(#q-likes-false)").click()
    page.get_by_role("button", name=words("ask", "continue"), exact=True).click()
    page.wait_for_url(lambda url: url.endswith("#q-feeling"))
    page.locator("label:has(#q-feeling-bad)").click()
    page.get_by_role("button", name=words("ask", "clear")).first.click()
    expect(page.locator("#q-feeling-bad")).not_to_be_checked()
    page.locator("label:has(#q-feeling-bad)").click()

    page.go_back()
    heading(page, "Do you like questions?")
    expect(page.locator("#q-likes-false")).to_be_checked()
    page.go_forward()
    heading(page, "How do you feel?")
    wait_until(lambda: page.evaluate(SAVED_STEP) == 3, 5, "the draft has the number of the question")
    page.reload()
    heading(page, "How do you feel?")
    expect(page.locator("#q-feeling-bad")).to_be_checked()

    page.goto(home)
    expect(page.locator("main .card", has_text="Every question")).to_contain_text("Continue (3 of")
    page.goto(f"{home}/q/every_question")
    page.get_by_role("button", name=re.compile(r"^Continue \(3 of \d+\)$")).click()
    heading(page, "How do you feel?")
    page.goto(home)
    page.goto(f"{home}/q/every_question")
    page.get_by_role("button", name=words("ask", "draft_again")).click()
    heading(page, "Every question")
    expect(page.locator("#q-feeling-bad")).not_to_be_checked()


def test_a_reason_for_a_blank_and_skipping(visitor, study):
    page = visitor()
    home = join(page, study)
    page.goto(f"{home}/q/every_question")
    proceed = page.get_by_role("button", name=words("ask", "continue"), exact=True)
    proceed.click()
    page.locator("label:has(#q-likes-true)").click()
    proceed.click()
    page.locator("label:has(#q-feeling-good)").click()
    page.get_by_text(words("answer", "no_answer")).locator("visible=true").click()
    page.get_by_text(words("answer", "refused")).locator("visible=true").click()
    expect(page.locator("#q-feeling-good")).not_to_be_checked()
    proceed.click()
    page.locator("label:has(#q-calm-7)").click()
    page.get_by_role("button", name=words("ask", "skip")).click()
    heading(page, "How was your day?")
    while proceed.is_visible():
        proceed.click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()

    page.wait_for_url("**/sheets/**")
    reasons = stored(page)["reasons"]
    assert (reasons["feeling"], reasons["calm"]) == ("refused", "skipped")


def test_a_short_diary_is_sent_from_its_last_question_and_in_one_tab_only(visitor, study):
    page = visitor()
    home = join(page, study)
    address = note(page, home)
    page.locator("label:has(#q-mood-good)").click()
    other = page.context.new_page()
    other.goto(address)
    other.get_by_role("button", name=re.compile(r"^Continue \(1 of 2\)$")).click()
    expect(other.locator("#q-mood-good")).to_be_checked()

    page.get_by_role("button", name=words("ask", "continue"), exact=True).click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()

    page.wait_for_url("**/sheets/**")
    expect(other.get_by_text(words("ask", "sent_elsewhere"))).to_be_visible()
    other.get_by_role("link", name=words("ask", "see_answers")).click()
    other.wait_for_url("**/sheets/**")
    # From 23:00 the note is late.
    assert stored(other)["standing"] in ("on_time", "late")


def test_the_window_closes_while_the_participant_answers(visitor, study):
    page = visitor()
    home = join(page, study)
    address = note(page, home)
    page.locator("label:has(#q-mood-bad)").click()
    expect(page.locator(".saved")).not_to_be_empty()
    occasion = address.rsplit("/", 1)[1].split("#")[0].split("?")[0]
    study.sql(f"update research.occasion set visible_at = now() - interval '4 hours', open_at = now() - interval '3 hours', due_at = now() - interval '2 hours', close_at = now() - interval '1 hour' where occasion_id = '{occasion}'")

    page.goto(address)

    expect(page.get_by_text("It closed")).to_be_visible()
    expect(page.get_by_text("The next one opens")).to_be_visible()
    page.get_by_role("link", name=words("answer", "draft_late")).click()
    page.get_by_role("button", name=re.compile(r"^Continue \(1 of 2\)$")).click()
    expect(page.locator("#q-mood-bad")).to_be_checked()
    page.get_by_role("button", name=words("ask", "continue"), exact=True).click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url("**/sheets/**")
    expect(page.get_by_text(words("standing", "out_of_window"))).to_be_visible()


def test_the_study_changes_while_the_participant_answers(visitor, study, tmp_path):
    page = visitor()
    home = join(page, study)
    page.goto(f"{home}/q/every_question")
    proceed = page.get_by_role("button", name=words("ask", "continue"), exact=True)
    proceed.click()
    page.locator("label:has(#q-likes-true)").click()
    expect(page.locator(".saved")).not_to_be_empty()
    second = page.context.new_page()
    second.goto(f"{home}/q/every_question")
    pack = shutil.copytree(PACK, tmp_path / "pack")
    instrument = pack / "instruments" / "every_question"
    shutil.copytree(instrument / "1.0.0", instrument / "1.1.0")
    questionnaire = instrument / "1.1.0" / "questionnaire.yaml"
    questionnaire.write_text(questionnaire.read_text().replace("version: 1.0.0", "version: 1.1.0").replace("maxValue: 20}", "maxValue: 30}"))
    definition = pack / "studies" / "every-question" / "study.yaml"
    definition.write_text(
        definition.read_text().replace("\nversion: 1.0.0", "\nversion: 1.1.0").replace("every_question, version: 1.0.0", "every_question, version: 1.1.0"))
    study.run("publish", pack / "studies" / "every-question", "--yes")

    # A page of the earlier version is accepted.
    while proceed.is_visible():
        proceed.click()
    second.goto(f"{home}/q/every_question")
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url("**/sheets/**")
    assert stored(page)["version"] == "1.0.0"
    expect(page.get_by_text("Do you like questions?")).to_be_visible()


def test_a_refusal_of_the_server_is_shown_at_its_question(visitor, study):
    page = visitor()
    home = join(page, study)
    page.goto(f"{home}/q/every_question")
    proceed = page.get_by_role("button", name=words("ask", "continue"), exact=True)
    proceed.click()
    page.locator("label:has(#q-likes-true)").click()
    for question in ("How do you feel?", "How calm are you?", "How was your day?", "How many cups of coffee?"):
        proceed.click()
        heading(page, question)
    # The script does not know whether this is a number.
    page.locator("#q-cups-value").fill("½")
    while proceed.is_visible():
        proceed.click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()

    heading(page, "How many cups of coffee?")
    expect(page.locator("#errors")).to_be_focused()
    expect(page.locator("#q-cups .fault")).to_contain_text(words("fault", "wrong_type"))
    page.locator("#q-cups-value").fill("2")
    while proceed.is_visible():
        proceed.click()
    page.get_by_role("button", name=words("answer", "submit"), exact=True).click()
    page.wait_for_url("**/sheets/**")
    assert stored(page)["answers"]["cups"] == 2
    page.goto(f"{home}/entries")
    expect(page.locator("main .card")).to_have_count(1)


def test_the_pages_of_questions_have_no_accessibility_faults(visitor, study):
    page = visitor(color_scheme="dark")
    # High enough that the navigation at the lower edge covers nothing.
    page.set_viewport_size({"width": 320, "height": 2400})
    home = join(page, study, "de")
    page.goto(f"{home}/q/every_question")
    axe = Axe()
    steps = 0
    while page.get_by_role("button", name=words("ask", "continue", "de"), exact=True).is_visible():
        required = page.locator("label:has(#q-likes-true)")
        if required.is_visible():
            # Without an answer, the fault is shown.
            page.get_by_role("button", name=words("ask", "continue", "de"), exact=True).click()
            expect(page.locator("#errors")).to_be_visible()
            required.click()
        page.get_by_role("button", name=words("ask", "continue", "de"), exact=True).click()
        steps += 1
        faults = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).response["violations"]
        assert [(page.url, fault["id"], [node["html"] for node in fault["nodes"]][:2]) for fault in faults] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, page.url
    assert steps > 20
