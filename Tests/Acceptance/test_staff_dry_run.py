"""The page that tries a study with simulated participants: the numbers of `saunter simulate`, faults, and hostile values."""

import json
import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.server import BINARIES, ROOT
from test_staff_pages import STUDY, Member, sign_in

PAGE = f"/staff/{STUDY}/draft/dry-run"
RUN = {"participants": "12", "days": "9", "start": "2026-03-16", "adherence": "62.5", "dropout": "25", "seed": "11", "participant": "3"}


@pytest.fixture(scope="module")
def eva(server, web):
    """An editor of the study."""
    return Member(server, [("editor", STUDY)])


def address(**changes):
    values = {"version": "1.0.0", **RUN, **changes}
    return PAGE + "?" + "&".join(f"{name}={value}" for name, value in values.items())


def simulated():
    """The report of the command with the options of `RUN`."""
    flags = ["--participants", "12", "--days", "9", "--start", "2026-03-16", "--adherence", "0.625", "--dropout", "0.25", "--seed", "11", "--json"]
    done = subprocess.run(
        [BINARIES / "saunter", "simulate", ROOT / "Questionnaires" / "studies" / STUDY, *flags], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def table(page, name):
    """The cells of a table beside a figure."""
    details = page.locator(f"#{name}-table")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    return [[cell.strip() for cell in row.locator("th, td").all_inner_texts()] for row in details.locator("tbody tr").all()]


def test_the_page_has_the_numbers_of_the_command_also_without_scripts_and_prints(eva, visitor):
    expected = simulated()
    report, total = expected["report"], expected["report"]["total"]
    page = visitor(java_script_enabled=False)
    sign_in(page, eva)
    page.goto(address(participants="1", participant="1"))
    for name, value in RUN.items():
        page.locator(f"#{name}").fill(value)
    page.get_by_role("button", name=words("dry_run", "run")).click()

    # The values are in the address, so that it can be linked.
    page.wait_for_url(lambda url: "version=1.0.0" in url and all(f"{name}={value}" in url for name, value in RUN.items()))
    for name, value in RUN.items():
        expect(page.locator(f"#{name}")).to_have_value(value)
    sentences = page.locator("#totals").inner_text()
    for sentence in ("sentence_run", "sentence_leaving", "sentence_messages"):
        values = {
            "participants": words("dry_run", "people_other", count=total["people"]), "version": "1.0.0", "start": "Mar 16, 2026",
            "days": words("dry_run", "day_other", count=9), "left": total["left"],
            "silent": total["silent"], "messages": total["reminders"], "late": report["kept_back"]}
        assert words("dry_run", sentence, **values) in sentences
    days = report["calendar"]
    assert table(page, "figure_days") == [[day["date"], str(day["prompts"]), str(day["answered"])] for day in days]
    assert table(page, "figure_messages") == [[day["date"], str(day["reminders"])] for day in days]
    assert sum(int(count) for _, count in table(page, "figure_hours")) == total["reminders"]
    assert [row[:2] for row in table(page, "figure_adherence")] == [[arm["arm"], str(arm["people"])] for arm in report["arms"]]
    assert [row[0] for row in table(page, "figure_burden")] == [arm["arm"] for arm in expected["nominal_burden"]]
    columns = page.locator("figure svg").first.locator("rect.bar title").all_text_contents()
    assert len(columns) == len(days) and f"{days[0]['answered']} of {days[0]['prompts']}" in columns[0]
    for svg in page.locator("figure svg").all():
        assert svg.locator("title").first.text_content() and svg.locator("desc").text_content()

    # The course of one participant, and of the next one in the same run.
    expect(page.locator("#timeline")).to_have_text(words("dry_run", "timeline", number=3))
    assert page.locator("#timeline ~ .region tbody tr").count() >= 1
    before = page.locator("#totals").inner_text()
    page.get_by_role("link", name=words("dry_run", "next")).click()
    expect(page.locator("#timeline")).to_have_text(words("dry_run", "timeline", number=4))
    assert page.locator("#totals").inner_text() == before
    page.emulate_media(media="print")
    expect(page.locator("main form")).to_be_hidden()
    expect(page.locator("figure svg").first).to_be_visible()


def test_a_faulty_draft_shows_its_faults_and_without_a_draft_the_live_version_is_tried(server, eva):
    reply = eva.get(f"{PAGE}?participants=2&days=2&start=2026-03-16")
    assert reply.status_code == 303 and "version=1.0.0" in reply.headers["Location"] and "participants=2" in reply.headers["Location"]
    account = eva.get("/v1/account").json()["account_id"]
    server.sql(f"""
        insert into research.study_draft values ('{STUDY}', '1.0.0', 1, now(), '{account}', now(), '{{}}');
        insert into research.study_draft_file values ('{STUDY}', 'studies/{STUDY}/study.yaml', E'code: {STUDY}\\n<script>: 1\\n')""")
    try:
        reply = eva.get(f"{PAGE}?participants=2")
        problem = eva.session.post(
            f"{server.url}/v1/studies/{STUDY}/draft/dry-run", json={"participants": 2}, headers={"Origin": server.url}, timeout=60)
    finally:
        server.sql(f"delete from research.study_draft where study = '{STUDY}'")

    assert reply.status_code == 422 and f"studies/{STUDY}/study.yaml:" in reply.text
    assert words("dry_run", "invalid") in reply.text and "<script>:" not in reply.text
    assert problem.status_code == 422 and problem.json()["type"].endswith("/draft-invalid")
    assert all(fault["detail"].startswith(f"studies/{STUDY}/") for fault in problem.json()["errors"])


def test_wrong_values_are_faults_beside_their_fields_and_stay_in_the_form(eva, visitor):
    page = visitor()
    sign_in(page, eva)
    wrong = {"participants": "501", "days": "-3", "start": "2026-02-30", "adherence": "%22%3E%3Cb%3E", "dropout": "99", "seed": "1e9", "participant": "0"}
    page.goto(address(**wrong))

    for name in wrong:
        expect(page.locator(f"#{name}-fault")).to_be_visible()
        assert page.locator(f"#{name}").get_attribute("aria-invalid") == "true"
    expect(page.locator("#adherence")).to_have_value('"><b>')
    expect(page.locator("#errors li")).to_have_count(len(wrong))
    assert page.locator("main b").count() == 0 and page.locator("figure").count() == 0
    page.goto(address(participants="2", days="2", participant="1"))
    result = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
