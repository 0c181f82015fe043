"""The pages on which a member of a study team is a participant at any moment, without storing anything."""

import json
import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.moments import local
from acceptance.people import Person
from test_staff_pages import STUDY, Member, log_in, sign_in

TRY = f"/staff/{STUDY}/draft/try"
SECTIONS = ("due", "any", "later", "done", "unavailable")
# For every table with data of enrolments: the number of rows of others than these enrolments. Workers of the server write at
# any time, but only for enrolments that exist. A rehearsal that stores anything stores it for one that did not exist before.
TRACES = """
    select json_object_agg(table_name,
      (xpath('/row/rows/text()', query_to_xml(
        format('select count(*) as rows from research.%I where enrolment_id <> all (%L::uuid[])', table_name, 'KNOWN'), false, true, '')))[1]::text::int)
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'research' and column_name = 'enrolment_id' and table_type = 'BASE TABLE'"""
# A participant also has an account.
ACCOUNTS = "select count(*) from identity.account"


@pytest.fixture(scope="module")
def rosa(server, web):
    return Member(server, [("editor", STUDY)])


def address(path="", **changes):
    """A page of the rehearsal of the published version, on the fourth evening."""
    query = {"version": "1.0.0", "enrolled": "2026-03-02T09:00", "day": "3", "time": "18:30", "zone": "Europe/Berlin", "language": "en"} | changes
    return f"{TRY}{path}?{urlencode(query)}"


def sections(page):
    """What the sections of Today say, without the addresses of their links."""
    found = {}
    for name in SECTIONS:
        section = page.locator(f'section[aria-labelledby="{name}"]')
        if section.count():
            found[name] = section.inner_text()
    return found


def test_today_is_the_page_of_a_participant_who_enrolled_at_that_moment(server, contract, rosa, visitor, web):
    ada = Person(server, contract, name="Ada Canary").register().enrol()
    enrolment = ada.enrolment["enrolment_id"]
    arm = server.sql(f"select arm from research.enrolment where enrolment_id = '{enrolment}'").strip()
    real = visitor(java_script_enabled=False)
    real.goto("/login")
    real.get_by_label("E-mail address").fill(ada.email)
    real.get_by_label("Password", exact=True).fill(ada.password)
    real.locator("main").get_by_role("button", name="Log in").click()
    real.goto(f"/my/{enrolment}")
    moment = local(ada.zone)
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)

    page.goto(address(enrolled=f"{moment:%Y-%m-%dT%H:%M}", day="0", time=f"{moment:%H:%M}", zone=ada.zone, arm=arm))

    expect(page.get_by_role("heading", level=1)).to_have_text(real.get_by_role("heading", level=1).inner_text())
    shown = sections(page)
    assert "due" in shown and "Your evening review" in shown["due"]
    assert shown == sections(real)
    expect(page.locator("#rehearsal")).to_contain_text(words("rehearsal", "banner_version", version="1.0.0"))


def test_a_questionnaire_is_answered_without_script_and_without_a_trace(server, rosa, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)

    def answer():
        page.goto(address())
        page.locator("#due-list").get_by_role("link", name=re.compile("^Answer Your evening review")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your evening review")
        expect(page.get_by_text("Where did the stress come from?")).to_be_hidden()
        expect(page.locator("#rehearsal + p")).to_have_text(words("rehearsal", "conditions"))
        for name, value in {"mood": 4, "energy": 3, "stress": 5, "pausing": 2}.items():
            page.locator(f'input[name="a.{name}"][value="{value}"]').check()
        page.get_by_role("button", name=words("answer", "submit")).click()
        # The answer leads to a question that was hidden.
        expect(page.get_by_role("status")).to_contain_text(words("answer", "new_questions"))
        expect(page.get_by_text("Where did the stress come from?")).to_be_visible()
        page.locator('input[name="a.sleep_minutes"]').fill("5000")
        page.get_by_role("button", name=words("answer", "submit")).click()
        # All faults at once, each at its question.
        faults = page.locator("#errors li")
        assert faults.count() == 3, faults.all_inner_texts()
        for name in ("stress_source", "presence", "sleep_minutes"):
            expect(page.locator(f"#q-{name}-fault")).to_be_visible()
        page.get_by_label("too little time").check()
        page.locator('input[name="a.presence"][value="3"]').check()
        page.locator('input[name="a.sleep_minutes"]').fill("450")
        page.get_by_role("button", name=words("answer", "submit")).click()
        expect(page.locator("#not-stored")).to_have_text(words("rehearsal", "nothing_stored"))
        expect(page.locator("main")).to_contain_text("Balance of the day")
        expect(page.locator("main")).to_contain_text("too little time")
        assert page.locator("main").get_by_role("link", name=words("answer", "edit")).count() == 0
        page.get_by_role("link", name=words("rehearsal", "to_today_answered")).click()
        done = page.locator("#done-list")
        expect(done).to_contain_text("Your evening review")
        expect(done).to_contain_text("18:30")
        assert done.get_by_role("link").count() == 0
        assert "Your evening review" not in sections(page)["due"]

    known = server.sql("select coalesce(array_agg(enrolment_id), '{}') from research.enrolment").strip()
    traces, accounts = TRACES.replace("KNOWN", known), server.sql(ACCOUNTS)
    # The query finds the rows of the participants of other tests, or it would prove nothing.
    everything = json.loads(server.sql(TRACES.replace("KNOWN", "{}")))
    assert len(everything) > 15 and everything["enrolment"] == known.count("-") // 4
    answer()
    assert {table: count for table, count in json.loads(server.sql(traces)).items() if count} == {}
    assert server.sql(ACCOUNTS) == accounts


def test_the_clock_arm_and_language_change_the_page(rosa, visitor, web):
    page = visitor()
    sign_in(page, rosa)
    page.goto(address())
    axe = Axe()
    violations = [axe.run(page).response["violations"]]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    # The slider ends one day after the study.
    slider = page.locator("#day")
    slider.press("End")
    expect(page.locator("#day-shown")).to_have_text("36")
    for _ in range(36 - 27):
        slider.press("ArrowLeft")
    expect(page.locator("#day-shown")).to_have_text("27")
    page.locator("#time").fill("09:05")
    page.get_by_label(words("rehearsal", "language")).select_option("de")
    page.get_by_role("button", name=words("rehearsal", "show")).click()
    query = parse_qs(urlsplit(page.url).query)
    assert (query["day"], query["time"], query["language"], query["version"]) == (["27"], ["09:05"], ["de"], ["1.0.0"])
    expect(page.get_by_role("heading", level=1)).to_have_text(words("today", "day", "de", day=28, days=36))
    expect(page.locator("#later")).to_have_text(words("today", "later", "de"))
    expect(page.locator('section[aria-labelledby="later"]')).to_contain_text("17:00")
    # What surrounds the page of the participant stays in the language of the visitor.
    expect(page.locator("#clock-title")).to_have_text(words("rehearsal", "clock"))
    # The daily mail of this day, with its text in the language of the participant.
    messages = page.locator("#message-list > li")
    assert messages.count() >= 1
    messages.first.locator("summary").click()
    expect(messages.first.locator(".text")).to_be_visible()
    expect(page.locator("#message-list")).to_contain_text("N. N.")

    page.get_by_role("link", name=words("rehearsal", "next")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("today", "day", "de", day=29, days=36))
    page.goto(address(day="35", language="de"))
    expect(page.get_by_role("heading", level=1)).to_have_text(words("today", "day", "de", day=36, days=36))
    page.get_by_role("link", name=words("rehearsal", "next")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("today", "ended", "de"))
    assert page.get_by_role("link", name=words("rehearsal", "next")).count() == 0
    # The questions keep nothing on the device, also with script.
    page.goto(address())
    page.locator("#due-list").get_by_role("link", name=re.compile("^Answer Your evening review")).click()
    violations.append(axe.run(page).response["violations"])
    question = page.url
    page.locator('input[name="a.mood"][value="4"]').check()
    page.goto(address())
    page.goto(question)
    expect(page.locator('input[name="a.mood"][value="4"]')).not_to_be_checked()
    assert page.locator("#draft").count() == 0
    assert [fault["id"] for found in violations for fault in found] == []


def test_addresses_that_cannot_be_shown(rosa, server, web):
    def status(path):
        return rosa.get(path).status_code

    assert status(address(time="25:00")) == 400
    assert status(address(arm="nowhere")) == 422
    assert status(address(version="9.9.9")) == 404
    assert status(address("/q/unknown")) == 404
    closed = rosa.get(address("/o/0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"))
    assert closed.status_code == 200 and words("answer", "not_open") in closed.text
    # An address of the clock is no address of another visitor.
    ada = log_in(web, *participant_account(server))
    assert ada.get(web + address(), timeout=60).status_code == 403


def test_a_draft_with_faults_shows_them_with_the_way_to_the_draft(server, rosa):
    account = rosa.get("/v1/account").json()["account_id"]
    server.sql(f"""
        insert into research.study_draft values ('{STUDY}', '1.0.0', 1, now(), '{account}', now(), '{{}}');
        insert into research.study_draft_file values ('{STUDY}', 'studies/{STUDY}/study.yaml', E'code: {STUDY}\\n<script>: 1\\n')""")
    try:
        replies = [rosa.get(TRY), rosa.get(f"{TRY}/q/who_5"), rosa.get(f"{TRY}/o/0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40"), rosa.post(f"{TRY}/q/who_5", seen="mood")]
        dry_run = rosa.get(f"/staff/{STUDY}/draft/dry-run?participants=2&days=2")
        published = rosa.get(address())
    finally:
        server.sql(f"delete from research.study_draft where study = '{STUDY}'")

    faults = [re.search(r'<div class="banner bad" role="alert" id="invalid">.*?</div>', reply.text, re.S) for reply in [dry_run, *replies]]
    assert [reply.status_code for reply in [dry_run, *replies]] == [422] * 5
    assert all(faults) and len({found[0] for found in faults}) == 1, "the dry run shows the same"
    assert f"studies/{STUDY}/study.yaml:" in faults[0][0] and words("dry_run", "invalid") in faults[0][0] and "<script>" not in faults[0][0]
    assert f'href="/staff/{STUDY}/draft"' in faults[0][0]
    assert all(f"<h1>{words('draft', 'step_try')}</h1>" in reply.text for reply in replies)
    assert published.status_code == 200, "a published version has no faults"


def participant_account(server):
    person = Person(server, name="Ben Canary").register()
    return person.email, person.password
