"""Scores and statistics for the team of a study: the routes, the job, the pages, their figures and files."""

import csv
import io
import json
import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe

from acceptance.browser import STYLE, contrast, words
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import OTHER, Member, browser_session, log_in, sign_in

PACKS = ROOT / "Tests" / "Acceptance" / "packs" / "hidden-arms"
STUDY, QUESTIONNAIRE = "hidden-scores", "pss_own"
CODES = ("zebracanary", "heroncanary")
ROUTE = f"/v1/studies/{STUDY}/statistics"
PAGE = f"/staff/{STUDY}/scores"
# Answers of one participant after the other. A sheet without q4 has no score.
SHEETS = [
    [(0, 4, 4, 0), (2, 2, 2, 2), (1, 3, 4, None)],
    [(1, 3, 3, 1), (4, 0, 0, 4)],
    [(1, 3, 4, 1), (2, 3, 3, 0), (3, 1, 1, 3)],
    [(2, 2, 1, 3), (None, 4, 3, 1)],
    [(3, 1, 2, 2), (4, 1, 0, 3)],
    [(0, 4, 3, 1), (1, 3, 3, 2)],
]


@pytest.fixture(scope="module")
def people(server, contract, web, tmp_path_factory):
    """A blinded study with the scores of six participants."""
    folder = tmp_path_factory.mktemp("scores")
    shutil.copytree(PACKS / "instruments", folder / "instruments")
    instrument = folder / "instruments" / QUESTIONNAIRE
    shutil.copytree(ROOT / "Questionnaires" / "instruments" / "pss_4", instrument)
    file = instrument / "1.0.0" / "questionnaire.yaml"
    file.write_text(file.read_text().replace("code: pss_4", f"code: {QUESTIONNAIRE}").replace("required: true, ", ""))
    pack = folder / "studies" / STUDY
    shutil.copytree(PACKS / "studies" / "hidden-arms", pack)
    settings = (pack / "study.yaml").read_text().replace("code: hidden-arms", f"code: {STUDY}")
    settings = settings.replace("any_time: [pocket_note]", f"any_time: [pocket_note, {QUESTIONNAIRE}]")
    settings = settings.replace("  - {code: pocket_note, version: 1.0.0}", "  - {code: pocket_note, version: 1.0.0}\n  - {code: %s, version: 1.0.0}" % QUESTIONNAIRE)
    (pack / "study.yaml").write_text(settings)
    server.run("publish", pack)
    made = []
    for sheets in SHEETS:
        person = Person(server, contract, name="Ada Canary").register().enrol(study=STUDY)
        for answers in sheets:
            person.submit(QUESTIONNAIRE, {f"q{number}": value for number, value in enumerate(answers, 1) if value is not None})
        made.append(person)
    return made


@pytest.fixture(scope="module")
def rosa(server, people):
    """A researcher who sees letters."""
    return Member(server, [("researcher", STUDY)])


@pytest.fixture(scope="module")
def sam(server, people):
    """A researcher who sees the codes of arms."""
    member = Member(server)
    server.run("account", "grant", "--email", member.email, "--role", "researcher", "--study", STUDY, "--sees-arms")
    return member


def computed(member, path=f"{ROUTE}/{QUESTIONNAIRE}"):
    """The statistics after they were requested and computed."""
    reply = member.session.post(member.server.url + path, timeout=60)
    assert reply.status_code in (200, 202), reply.text

    def done():
        found = member.get(path).json()
        assert found["state"] != "failed", found
        return found if found["state"] == "done" else None

    return wait_until(done, 60, "the statistics are computed")


@pytest.fixture(scope="module")
def result(sam):
    return computed(sam)


def evaluated(server, folder, *arguments):
    """The questionnaire in report.json of the evaluator, and the whole report."""
    server.run("report", "--study", STUDY, "--out", folder, *arguments, "--json", program="evaluator")
    report = json.loads((folder / "report.json").read_text())
    return [entry for entry in report["questionnaires"] if entry["questionnaire"] == QUESTIONNAIRE], report


def table(member, name, **more):
    """The rows of the file of one table."""
    reply = member.get(f"{PAGE}/{QUESTIONNAIRE}", params={"table": name, "version": "1.0.0", "format": "csv", **more})
    assert reply.headers["Content-Type"].startswith("text/csv"), reply.text
    assert re.search(rf'filename="{STUDY}-{QUESTIONNAIRE}-{name}[^"]*\.csv"', reply.headers["Content-Disposition"])
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def figures(parent):
    return {(figure["figure"], figure["missing_data"]): figure for figure in parent["figures"]}


# The routes

def test_the_statistics_are_those_of_the_evaluator(result, rosa, server, tmp_path):
    expected, report = evaluated(server, tmp_path / "codes")

    assert result["versions"] == expected and result["as_of"] <= report["as_of"]
    assert result["sheets"] == sum(map(len, SHEETS)) and len(expected[0]["scales"][0]["arms"]) == 2
    assert not result["stale"] and result["newer_changes"] == 0
    letters, _ = evaluated(server, tmp_path / "letters", "--blinded")
    assert computed(rosa)["versions"] == letters


def test_missing_scores_by_reason_and_scores_are_the_number_of_sheets(result):
    [version] = result["versions"]
    for scale in version["scales"]:
        missing = {entry["reason"]: entry["n"] for entry in scale["missing_by_reason"]}
        assert missing == {"too_few_answered": 2}
        assert figures(scale)["n", None]["value"] + sum(missing.values()) == version["sheets"]
        assert figures(scale)["missing", None]["value"] == sum(missing.values())


def test_the_same_request_computes_nothing_until_a_sheet_arrives(people, sam, result, server, contract):
    path = f"{ROUTE}/{QUESTIONNAIRE}"
    again = sam.session.post(server.url + path, timeout=60)
    assert again.status_code == 200 and again.json()["computed_at"] == sam.get(path).json()["computed_at"]

    person = Person(server, contract, name="Ben Canary").register().enrol(study=STUDY)
    person.submit(QUESTIONNAIRE, {"q1": 1, "q2": 2, "q3": 3, "q4": 4})
    stale = sam.get(path).json()
    assert stale["stale"] and stale["newer_changes"] > 0 and stale["sheets"] == result["sheets"]
    assert "newer change" in sam.get(f"{PAGE}/{QUESTIONNAIRE}").text
    newer = computed(sam)
    assert newer["sheets"] == result["sheets"] + 1 and newer["change_seq"] > result["change_seq"] and not newer["stale"]
    # The result contains the sheet of a person who leaves, so it is deleted with the data.
    person.call("POST", person.own("/withdrawal"), json={"mode": "erase"}, status=(200, 202, 204))
    assert sam.get(path).json()["computed_at"] is None and sam.get(path).json()["versions"] == []
    assert computed(sam)["sheets"] == result["sheets"]


def test_a_blinded_researcher_gets_letters_only(rosa, sam, result):
    seen, blinded = computed(sam), computed(rosa)
    replies = [rosa.get(path) for path in (
        f"{ROUTE}/{QUESTIONNAIRE}", ROUTE, f"/v1/studies/{STUDY}/scores", PAGE, f"{PAGE}/{QUESTIONNAIRE}", f"{PAGE}/{QUESTIONNAIRE}/rows",
        f"{PAGE}/{QUESTIONNAIRE}?table=scores&version=1.0.0&format=csv")]

    assert [arm["arm"] for arm in blinded["versions"][0]["scales"][0]["arms"]] == ["A", "B"]
    assert {arm["arm"] for arm in seen["versions"][0]["scales"][0]["arms"]} == set(CODES)
    for reply in replies:
        assert reply.status_code == 200
        assert not any(code in reply.text for code in CODES), reply.url
    # The same search finds the codes for an account that may see them.
    for path in (f"{ROUTE}/{QUESTIONNAIRE}", f"/v1/studies/{STUDY}/scores", f"{PAGE}/{QUESTIONNAIRE}", f"{PAGE}/{QUESTIONNAIRE}/rows"):
        assert any(code in sam.get(path).text for code in CODES), path


def test_the_rows_are_the_scores_of_the_sheets(people, sam, result):
    rows, cursor = [], None
    while True:
        page = sam.get(f"/v1/studies/{STUDY}/scores", params={"questionnaire": QUESTIONNAIRE, "limit": 4} | ({"cursor": cursor} if cursor else {})).json()
        rows += page["items"]
        cursor = page["next"]
        if not cursor:
            break

    current = computed(sam)
    counted = figures(current["versions"][0]["scales"][0])
    assert len(rows) == counted["n", None]["value"] + counted["missing", None]["value"] == current["sheets"]
    assert rows == sorted(rows, key=lambda row: (row["participant_id"], row["completed_at"], row["sheet_id"], row["scale"]))
    assert [row["reason"] for row in rows if row["value"] is None] == ["too_few_answered"] * 2
    for person, sheets in zip(people, SHEETS):
        own = [row for row in rows if row["participant_id"] == person.enrolment["participant_id"]]
        # q2 and q3 are reversed.
        scores = [None if None in sheet else sheet[0] + 4 - sheet[1] + 4 - sheet[2] + sheet[3] for sheet in sheets]
        assert sorted((row["value"] is None, row["value"] or 0) for row in own) == sorted((score is None, score or 0) for score in scores)
        sheet = sam.get(f"/v1/studies/{STUDY}/participants/{own[0]['participant_id']}/answer-sheets/{own[0]['sheet_id']}").json()
        assert [score["value"] for score in sheet["scores"] if score["scale"] == own[0]["scale"]] == [own[0]["value"]]


# The pages

def test_only_researchers_of_the_study_open_the_pages(server, people, web):
    grants = {
        "researcher": [("researcher", STUDY)], "coordinator": [("coordinator", STUDY)], "editor": [("editor", STUDY)],
        "admin": [("admin", "*")], "stranger": [("researcher", OTHER)]}
    sessions = {name: Member(server, made).session for name, made in grants.items()}
    sessions |= {"participant": log_in(server.url, people[0].email, people[0].password), "anonymous": browser_session(server.url)}
    expected = {"researcher": 200, "coordinator": 200, "editor": 403, "admin": 403, "stranger": 404, "participant": 403, "anonymous": 303}

    for path in (PAGE, f"{PAGE}?format=csv", f"{PAGE}/{QUESTIONNAIRE}", f"{PAGE}/{QUESTIONNAIRE}/rows"):
        statuses = {name: session.get(web + path, timeout=60, allow_redirects=False).status_code for name, session in sessions.items()}
        assert statuses == expected, path
    form = {name: session.post(f"{web}{PAGE}/{QUESTIONNAIRE}", timeout=60, allow_redirects=False).status_code for name, session in sessions.items()}
    assert form == expected | {"researcher": 303, "coordinator": 303}
    for path in (f"{PAGE}/unknown", f"{PAGE}/unknown/rows", f"{PAGE}/pocket_note"):
        assert sessions["researcher"].get(web + path, timeout=60).status_code == 404, path
    for query in ("format=csv", "table=scores&format=csv", "table=other&version=1.0.0&format=csv", "table=scores&version=9.0.0&format=csv"):
        assert sessions["researcher"].get(f"{web}{PAGE}/{QUESTIONNAIRE}?{query}", timeout=60).status_code == 400, query
    assert sessions["researcher"].get(f"{web}{PAGE}/{QUESTIONNAIRE}/rows?cursor=x", timeout=60).status_code == 400


def test_the_numbers_of_the_page_and_its_files_are_those_of_the_evaluator(sam, server, tmp_path, visitor):
    computed(sam)
    [version], _ = evaluated(server, tmp_path / "report")
    [scale] = version["scales"]
    page = visitor(java_script_enabled=False)
    sign_in(page, sam)
    page.goto(f"{PAGE}/{QUESTIONNAIRE}")

    shown = page.locator("caption", has_text=words("scores", "table_reliability")).locator("xpath=..").locator("tbody tr").all()
    lines = table(sam, "reliability")
    described = {"n", "missing", "mean", "sd", "min", "max", "skew", "floor", "ceiling"}
    expected = [figure for figure in scale["figures"] if figure["figure"] not in described]
    assert len(shown) == len(lines) == len(expected) > 20
    for element, line, figure in zip(shown, lines, expected):
        for member, word in (("value", "value"), ("lower", "lower"), ("upper", "upper")):
            cell = element.locator(f"td[data-title='{words('scores', word)}'] data")
            values = [float(one.get_attribute("value")) for one in cell.all()]
            assert values == ([] if figure[member] is None else [pytest.approx(figure[member], abs=1e-9)]), figure
            assert line[words("scores", word)] == "" if figure[member] is None else float(line[words("scores", word)]) == pytest.approx(figure[member], abs=1e-9)
        reason = words("scores", f"undefined_{figure['why_not']}") if figure["why_not"] else ""
        assert line[words("scores", "reason")] == reason
    [alpha] = [figure for figure in expected if figure["figure"] == "alpha" and figure["missing_data"] == "listwise"]
    assert alpha["lower"] is not None, "an interval was compared"

    items = table(sam, "items")
    assert [line[words("scores", "item")] for line in items] == [item["item"] for item in scale["items"]] == ["q1", "q2", "q3", "q4"]
    for line, item in zip(items, scale["items"]):
        for name in ("mean", "sd", "item_total_r", "alpha_if_dropped", "floor"):
            [value] = [figure["value"] for figure in item["figures"] if figure["figure"] == name]
            assert float(line[words("scores", f"figure_{name}")]) == pytest.approx(value, abs=1e-9), name
    missing = [int(line[words("scores", "sheets")]) for line in table(sam, "missing")]
    assert sum(missing) == version["sheets"] and len(missing) == 2
    assert [int(line[words("scores", "n")]) for line in table(sam, "scores")] == [
        figures(group)["n", None]["value"] for group in [scale, *scale["arms"]]]


def test_each_figure_has_a_title_its_finding_and_a_table(sam, visitor):
    [version] = computed(sam)["versions"]
    [scale] = version["scales"]
    page = visitor(java_script_enabled=False)
    sign_in(page, sam)
    page.goto(f"{PAGE}/{QUESTIONNAIRE}")

    plots = page.locator("figure svg").all()
    # The distribution of all and of each arm, the course of all, the courses of the arms, and the answers to the items.
    assert len(plots) == 1 + len(scale["arms"]) + 2 + 1
    for plot in plots:
        assert plot.get_attribute("role") == "img" and plot.locator("> title").text_content()
        finding = plot.locator("> desc").text_content()
        assert finding and finding == plot.locator("xpath=..").locator("figcaption").inner_text()
    [mean] = [figure["value"] for figure in scale["figures"] if figure["figure"] == "mean"]
    assert f"{mean:.2f}".rstrip("0").rstrip(".") in plots[0].locator("> desc").text_content()
    tables = page.locator("details table").all()
    assert len(tables) == 3
    bins = table(sam, "distribution", scale=scale["scale"])
    arms = [("All", scale), *((arm["arm"], arm) for arm in scale["arms"])]
    for name, group in arms:
        rows = [line for line in bins if line[words("scores", "arm")] == name]
        assert [int(line[words("scores", "sheets")]) for line in rows] == group["histogram"]["counts"]
    weeks = table(sam, "course", scale=scale["scale"])
    assert [(int(line[words("scores", "week")]), float(line[words("scores", "figure_mean")])) for line in weeks if line[words("scores", "arm")] == "All"] == [
        (week["week"], pytest.approx(week["mean"], abs=1e-9)) for week in scale["weeks"]]
    for name in ("median", "lower_quartile", "upper_quartile"):
        assert [float(line[words("scores", name)]) for line in weeks if line[words("scores", "arm")] == "All"] == [
            pytest.approx(week[name], abs=1e-9) for week in scale["weeks"]], name
    assert all(week["lower_quartile"] <= week["median"] <= week["upper_quartile"] for week in scale["weeks"])


def test_the_answers_to_each_item_and_the_medians(sam, visitor):
    [version] = computed(sam)["versions"]
    [scale] = version["scales"]
    page = visitor(java_script_enabled=False)
    sign_in(page, sam)
    page.goto(f"{PAGE}/{QUESTIONNAIRE}")

    lines = table(sam, "answers", scale=scale["scale"])
    assert [(line[words("scores", "item")], float(line[words("scores", "value")]), int(line[words("scores", "sheets")])) for line in lines] == [
        (item["item"], answer["value"], answer["n"]) for item in scale["items"] for answer in item["answers"]]
    for item, answers in zip(scale["items"], zip(*[sheets[0] for sheets in SHEETS])):
        # The first sheet of each participant, not reversed.
        counts = {answer["value"]: answer["n"] for answer in item["answers"]}
        assert counts == {value: answers.count(value) for value in range(5)}, item["item"]
        assert figures(item)["n", None]["value"] == sum(counts.values())
    stacked = page.locator("figure svg:has(.share)")
    assert stacked.count() == 1 and stacked.locator(".share title").count() == sum(1 for item in scale["items"] for answer in item["answers"] if answer["n"])
    assert page.locator("figure svg .box").count() == 0
    page.get_by_role("link", name=words("scores", "show_median")).click()
    page.wait_for_load_state()
    assert page.url.endswith(f"/{QUESTIONNAIRE}?course=median")
    assert page.locator("figure svg .box").count() == len(scale["weeks"]) + sum(len(arm["weeks"]) for arm in scale["arms"])
    [week, *_] = scale["weeks"]
    assert f"{week['median']:.2f}".rstrip("0").rstrip(".") in page.locator("figure:has(.box) figcaption").first.inner_text()
    page.get_by_role("link", name=words("scores", "show_mean")).click()
    page.wait_for_load_state()
    assert page.locator("figure svg .box").count() == 0
    assert sam.get(f"{PAGE}/{QUESTIONNAIRE}?course=mode").status_code == 400


def test_a_researcher_computes_the_statistics_of_a_study_without_sheets(server, contract, web, visitor, tmp_path_factory):
    member = Member(server, [("researcher", OTHER)])
    items = member.get(f"/v1/studies/{OTHER}/statistics").json()["items"]
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(f"/staff/{OTHER}/scores")
    if not items:
        assert page.get_by_text(words("scores", "no_scales")).is_visible()
        return
    [code] = [item["questionnaire"] for item in items][:1]
    page.locator(f"a[href='/staff/{OTHER}/scores/{code}']").first.click()
    if page.get_by_text(words("scores", "none")).count():
        page.get_by_role("button", name=words("scores", "compute")).click()
    found = computed(member, f"/v1/studies/{OTHER}/statistics/{code}")
    page.goto(f"/staff/{OTHER}/scores/{code}")
    assert page.get_by_text(words("scores", "too_few")).count() == (0 if found["sheets"] else 1)
    assert page.get_by_role("button", name=words("scores", "again")).is_visible()


def test_the_list_shows_every_scale_with_its_number_of_scores(sam):
    current = computed(sam)
    reply = sam.get(f"{PAGE}?format=csv")
    lines = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))

    [item] = sam.get(ROUTE).json()["items"]
    assert item["questionnaire"] == QUESTIONNAIRE and item["computed_at"] == current["computed_at"]
    assert [(line[words("scores", "scale")], int(line[words("scores", "scores")])) for line in lines] == [
        (scale["label"], scale["n"]) for scale in item["scales"]]
    assert lines[0][words("scores", "computed")] == item["computed_at"]


def test_the_pages_are_in_german(sam):
    computed(sam)
    for path, name in ((PAGE, "computed"), (f"{PAGE}/{QUESTIONNAIRE}", "table_reliability"), (f"{PAGE}/{QUESTIONNAIRE}/rows", "key")):
        assert words("scores", name, "de") in sam.get(path, headers={"Accept-Language": "de"}).text, path


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, sam, scheme, width):
    computed(sam)
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, sam)
    axe, faults = Axe(), []
    for path in (PAGE, f"{PAGE}/{QUESTIONNAIRE}", f"{PAGE}/{QUESTIONNAIRE}/rows"):
        page.goto(path)
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []


def test_the_figures_are_visible_with_forced_colours_and_on_paper(visitor, sam):
    """The visitor chose the dark colours. The system forces a light background, and paper is white."""
    computed(sam)
    page = visitor(color_scheme="light", forced_colors="active", reduced_motion="reduce")
    sign_in(page, sam)
    state = page.context.storage_state()
    for page, media in ((page, "screen"), (visitor(color_scheme="light", storage_state=state), "print")):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{PAGE}/{QUESTIONNAIRE}")
        page.emulate_media(media=media)
        page.evaluate("document.documentElement.dataset.mode = 'dark'")
        if media == "screen":
            assert Axe().run(page).response["violations"] == []
        # A histogram, a course, and the answers to the items.
        figures = {drawn: page.locator(f"figure svg:has({drawn})").first for drawn in (".bar", ".mean", ".share")}
        assert [(media, drawn, ratio) for drawn, figure in figures.items() if (ratio := contrast(figure.locator("text").last)) < 4.5] == []
        page.evaluate(STYLE, "figure svg :is(text, .grid, .axis) { visibility: hidden; }")
        assert [(media, drawn, ratio) for drawn, figure in figures.items() if (ratio := contrast(figure)) < 3] == []
