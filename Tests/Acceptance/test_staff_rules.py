"""The decision rules of a study for its team: who was sent what, and why. The study hidden-rules is blinded, and its rules name arms."""

import csv
import io
import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import datasets
from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_blinding import CANARY, Member as TeamMember
from test_staff_arms import Browser
from test_staff_pages import sign_in

STUDY = "hidden-rules"
PAGE = f"/staff/{STUDY}/rules"
ROUTE = f"/v1/studies/{STUDY}/rules"
RULES = ["reply", "second", "by_days", "by_name", "zebracanary_reply"]
# The moods of each participant, in the order of their notes.
MOODS = {"ada": [2, 3], "ben": [9]}


class Study:
    """The study, its participants, and two researchers, of whom one may see arms."""

    def __init__(self, server, contract):
        self.server = server
        server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY)
        self.people = {}
        for name, moods in MOODS.items():
            person = Person(server, contract, name=f"{name.title()} Canary").register().enrol(study=STUDY)
            self.people[name] = person
            for number, mood in enumerate(moods, 1):
                person.submit("pocket_note", {"mood": mood, "note": "zebracanary"})
                # `by_days` stores a decision for each note, so the worker has decided about this note.
                decided = f"select count(*) from research.decision where rule = 'by_days' and enrolment_id = '{person.enrolment['enrolment_id']}'"
                wait_until(lambda decided=decided, number=number: int(server.sql(decided)) == number, 60, "the rules are decided")
        self.member = TeamMember(server, contract, STUDY, "researcher", "--sees-arms")
        self.seeing = Browser(server, self.member)
        self.blinded = Browser(server, TeamMember(server, contract, STUDY, "researcher"))

    def pseudonym(self, name):
        return self.people[name].enrolment["participant_id"]


@pytest.fixture(scope="module")
def study(server, contract, web):
    return Study(server, contract)


def decisions(browser, rule, **parameters):
    """All decisions of a rule, page by page."""
    items, cursor = [], None
    while True:
        page = browser.get(f"{ROUTE}/{rule}/decisions", params={"limit": 2, **parameters} | ({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
        if not cursor:
            return items


def file(browser, path, name):
    """The rows of the CSV file of a page."""
    reply = browser.get(f"{path}{'&' if '?' in path else '?'}format=csv")
    assert reply.headers["Content-Type"].startswith("text/csv"), reply.text
    assert re.search(rf'filename="{name}-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"])
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def shown(page):
    """The rows of the table of a page: title -> text. An instant is that of its element."""
    titles = page.locator("main table.data thead th").all_text_contents()
    lines = []
    for element in page.locator("main table.data tbody tr").all():
        cells = [element.locator("th").text_content().strip()]
        for cell in element.locator("td").all():
            moment = cell.locator("time")
            cells.append(moment.get_attribute("datetime") if moment.count() else cell.text_content().strip())
        lines.append(dict(zip(titles, cells)))
    return lines


def text(value):
    """A cell of the file as the page shows it."""
    return value.replace(".0", "") if re.fullmatch(r"\d+\.0", value) else value


def title(name):
    return words("rules", name)


def draw(value, probability):
    """The draw with at most two decimal places, or more if the comparison needs them."""
    for digits in range(16):
        rounded = round(value, digits)
        if rounded == value or digits >= 2 and (rounded < probability) == (value < probability):
            return f"{rounded:.15g}"


def test_the_rules_of_the_page_the_file_and_the_route_are_those_of_the_pack(study, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, study.seeing)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs summary").click()
    page.locator(".tabs").get_by_role("link", name=words("staff", "rules"), exact=True).click()
    items = study.seeing.get(ROUTE).json()["items"]
    lines, rows = file(study.seeing, PAGE, f"{STUDY}-rules"), shown(page)

    assert [item["rule"] for item in items] == [line[title("rule")] for line in lines] == [row[title("rule")] for row in rows] == RULES
    for item, line, row in zip(items, lines, rows):
        assert line[title("evaluated")] == row[title("evaluated")] == f"{title('at_' + item['at'])} ({item['at_text'].removeprefix(item['at'] + ': ')})"
        assert line[title("condition")] == row[title("condition")] == (item["when"] or "")
        assert int(line[title("decisions")]) == int(row[title("decisions")]) == item["decisions"] == sum(one["decisions"] for one in item["outcomes"])
        acted = {one["outcome"]: one["decisions"] for one in item["outcomes"] if one["outcome"] in ("message", "award")}
        assert int(line[title("acted")]) == sum(acted.values())
        stopped = ", ".join(f"{title('outcome_' + one['outcome'])}: {one['decisions']}" for one in item["outcomes"] if one["outcome"] not in acted)
        assert line[title("stopped")] == row[title("stopped")] == stopped
        assert line[title("last")] == row[title("last")] == item["last_decided_at"]
        stored = study.server.sql(f"select outcome || '=' || count(*) from research.decision join research.enrolment using (enrolment_id) "
                                  f"where study = '{STUDY}' and rule = '{item['rule']}' group by outcome").split()
        assert {f"{one['outcome']}={one['decisions']}" for one in item["outcomes"]} == set(stored)
    by_code = {item["rule"]: item for item in items}
    assert by_code["by_days"]["decisions"] == by_code["by_name"]["decisions"] == by_code["zebracanary_reply"]["decisions"] == 3
    assert (by_code["second"]["decisions"], by_code["second"]["action_code"], by_code["reply"]["probability"]) == (1, "second", 0.5)


def test_the_decisions_of_the_page_the_route_and_a_dataset_are_the_same(study, visitor):
    table = list(csv.DictReader(io.StringIO(datasets.files(study.member, STUDY, "coded")["data/decisions.csv"].decode())))
    page = visitor(java_script_enabled=False)
    sign_in(page, study.seeing)
    for rule in RULES:
        items = decisions(study.seeing, rule)
        lines = file(study.seeing, f"{PAGE}/{rule}", f"{STUDY}-{rule}")
        page.goto(f"{PAGE}/{rule}")
        rows = shown(page)

        assert [item["decided_at"] for item in items] == sorted((item["decided_at"] for item in items), reverse=True)
        assert len(items) == len(lines) == len(rows) > 0
        for item, line, row in zip(items, lines, rows):
            assert {name: text(value) for name, value in line.items()} == row
            assert line[words("staff", "pseudonym")] == item["participant_id"]
            assert line[title("decided")] == item["decided_at"]
            assert line[title("outcome")] == title(f"outcome_{item['outcome']}")
            assert line[title("point")] == item["point"] and line[title("version")] == item["study_version"]
        exported = [row for row in table if row["rule"] == rule]
        assert sorted((row["participant_id"], row["decided_at"], row["outcome"], row["point"]) for row in exported) == sorted(
            (item["participant_id"], item["decided_at"], item["outcome"], item["point"]) for item in items)
        values = {(row["participant_id"], row["point"]): row for row in exported}
        for item in items:
            row = values[item["participant_id"], item["point"]]
            assert json.loads(row["variables"]) == item["variables"]
            for name in ("probability", "draw"):
                assert (float(row[name]) if row[name] else None) == item[name]


def test_each_decision_is_a_sentence_with_its_values(study):
    def sentences(rule):
        lines = file(study.seeing, f"{PAGE}/{rule}", f"{STUDY}-{rule}")
        return {(line[words("staff", "pseudonym")], line[title("point")]): line[title("why")] for line in lines}

    said = sentences("reply")
    outcomes = set()
    for item in decisions(study.seeing, "reply"):
        # Ada's mean moods are 2 and 2.5 with one and two notes; Ben's is 9 with one.
        mood, notes = item["variables"]["mood_mean"], item["variables"]["notes"]
        assert (mood, notes) in ((2, 1), (2.5, 2), (9, 1))
        condition = f"mood_mean ({mood:g}) < 5 and notes ({notes}) >= 1"
        outcomes.add(item["outcome"])
        if item["outcome"] == "when":
            assert (mood, item["draw"]) == (9, None)
            expected = title("said_when").replace("{condition}", condition)
        else:
            values = {"draw": draw(item["draw"], 0.5), "probability": "0.5"}
            assert item["outcome"] == ("message" if item["draw"] < 0.5 else "randomised_out")
            reasons = condition + title("and") + words("rules", "draw_below", **values)
            expected = words("rules", "said_randomised_out", **values) if item["draw"] >= 0.5 else words(
                "rules", "because", what=title("said_message"), reasons=reasons)
        assert said[item["participant_id"], item["point"]] == expected
    assert "when" in outcomes and outcomes & {"message", "randomised_out"}
    assert list(sentences("second").values()) == [words("rules", "because", what=title("said_award"), reasons="notes (2) >= 2")]
    assert set(sentences("zebracanary_reply").values()) == {words("rules", "without_condition", what=title("said_message"))}


def test_a_researcher_finds_the_decisions_for_one_participant_without_javascript(study, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, study.seeing)
    page.goto(PAGE)
    page.locator("main tbody th").get_by_role("link", name="by_days", exact=True).click()
    ada = study.pseudonym("ada")
    page.get_by_label(words("staff", "pseudonym"), exact=True).fill(ada)
    page.get_by_label(title("outcome"), exact=True).select_option(label=title("outcome_message"))
    page.get_by_role("button", name=words("staff", "apply")).click()

    rows = shown(page)
    expected = decisions(study.seeing, "by_days", participant=ada, outcome="message")
    assert {row[words("staff", "pseudonym")] for row in rows} == {ada} and len(rows) == len(expected) == 2
    assert file(study.seeing, f"{PAGE}/by_days?participant={ada}&outcome=message", f"{STUDY}-by_days") != []
    assert len(decisions(study.seeing, "by_days", participant=ada)) == 2 and decisions(study.seeing, "by_days", participant="UNKNOWN") == []
    day = expected[0]["decided_at"][:10]
    assert [item for item in decisions(study.seeing, "by_days", **{"from": day, "to": day}) if not item["decided_at"].startswith(day)] == []
    assert decisions(study.seeing, "by_days", to="2020-01-01") == []
    for parameters in ({"from": "2026-02-02", "to": "2026-02-01"}, {"outcome": "odd"}, {"cursor": "x"}):
        assert study.seeing.get(f"{ROUTE}/by_days/decisions", params=parameters).status_code == 400, parameters
    assert page.goto(f"{PAGE}/by_days?from=2026-02-02&to=2026-02-01").status == 422
    expect(page.locator("#filter-to")).to_have_accessible_description(words("staff", "fault_before_from"))
    expect(page.locator("#filter-from")).to_have_value("2026-02-02")
    expect(page.locator("#live-table")).to_have_attribute("data-live", re.compile("answer_sheet"))
    expect(page.locator("#live")).to_have_attribute("data-stream", f"/v1/studies/{STUDY}/live")
    page.goto(f"{PAGE}/by_days?to=2020-01-01")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    page.locator("main tbody th").get_by_role("link", name=ada).first.click()
    expect(page).to_have_url(re.compile(f"/staff/{STUDY}/participants/{ada}$"))


def test_the_list_of_rules_shows_new_decisions_by_itself_and_focus_stays(study, visitor):
    page = visitor()
    sign_in(page, study.seeing)
    with page.expect_response(re.compile("/live$")):
        page.goto(PAGE)
    row = page.locator("main tbody tr", has=page.get_by_role("link", name="by_days", exact=True))
    decided = row.locator(f"td[data-title='{title('decisions')}']")
    before = int(decided.inner_text())
    row.get_by_role("link", name="by_days", exact=True).focus()

    study.people["ben"].submit("pocket_note", {"mood": 5, "note": "zebracanary"})

    expect(decided).to_have_text(str(before + 1), timeout=30_000)
    assert row.get_by_role("link", name="by_days", exact=True).evaluate("link => link === document.activeElement"), "focus stays"
    expect(page.locator("#live")).to_have_text(re.compile(words("staff", "updated", time="").strip()))
    page.goto(f"/staff/{STUDY}/variables")
    assert page.locator("#live").count() == 0


def test_a_rule_of_a_former_version_has_its_decisions_in_pages(study, visitor):
    enrolment = study.people["ben"].enrolment["enrolment_id"]
    study.server.sql(f"""
        insert into research.decision (enrolment_id, rule, point, key, study_version, moment, decided_at, outcome, available, variables)
        select '{enrolment}', 'former', 'p' || number, '', '1.0.0', now(), now() - number * interval '1 minute', 'cooldown', false, '{{}}'
        from generate_series(1, 60) number""")
    page = visitor(java_script_enabled=False)
    sign_in(page, study.seeing)
    page.goto(f"{PAGE}/former")

    expect(page.get_by_text(title("former"))).to_be_visible()
    points = [row[title("point")] for row in shown(page)]
    assert {row[title("why")] for row in shown(page)} == {title("said_cooldown")} and len(points) == 50
    page.get_by_role("link", name=words("staff", "next_page")).click()
    points += [row[title("point")] for row in shown(page)]
    assert points == [f"p{number}" for number in range(1, 61)] == [item["point"] for item in decisions(study.seeing, "former")]
    assert "former" not in study.seeing.get(PAGE).text
    assert study.seeing.get(f"{PAGE}/no_such_rule").status_code == 404


def test_the_variables_have_their_definition_and_readers(study, visitor):
    path = f"/staff/{STUDY}/variables"
    page = visitor(java_script_enabled=False)
    sign_in(page, study.seeing)
    page.goto(path)
    items = study.seeing.get(f"/v1/studies/{STUDY}/variables").json()["items"]
    lines, rows = file(study.seeing, path, f"{STUDY}-variables"), shown(page)

    assert [item["variable"] for item in items] == ["notes", "mood_mean", "later_days", "all_days", "about_canaries", "zebracanary_notes"]
    assert lines == rows
    for item, line in zip(items, lines):
        assert line[title("variable")] == item["variable"] and line[title("variable_title")] == (item["title"] or "")
        assert line[title("definition")] == item["definition"] and line[title("unit")] == (item["unit"] or "")
        word = {2: "read_by_participants", 1: "read_by_staff", 0: "read_by_rules"}[len(item["visible_to"])]
        assert line[title("readers")] == title(word)
    assert items[1]["definition"] == "mean: {entry: pocket_note, item: mood}"


def test_a_blinded_researcher_finds_no_name_of_an_arm_and_no_value_that_follows_from_it(study):
    paths = [f"{path}{query}" for path in (PAGE, f"/staff/{STUDY}/variables", *(f"{PAGE}/{rule}" for rule in RULES[:4])) for query in ("", "?format=csv")]
    paths += [ROUTE, f"/v1/studies/{STUDY}/variables", *(f"{ROUTE}/{rule}/decisions" for rule in RULES[:4])]
    found = {path: study.blinded.get(path) for path in paths}

    assert {path: reply.status_code for path, reply in found.items() if reply.status_code != 200} == {}
    assert [path for path, reply in found.items() if CANARY in reply.text.lower()] == []
    # The same pages name an arm for an account that may see arms.
    for path in (PAGE, f"/staff/{STUDY}/variables", f"{PAGE}/by_name", f"{ROUTE}/by_name/decisions"):
        assert CANARY in study.seeing.get(path).text.lower(), path
    assert study.blinded.get(f"{PAGE}/zebracanary_reply").status_code == 404
    assert study.blinded.get(f"{ROUTE}/zebracanary_reply/decisions").status_code == 404
    assert words("rules", "left_out_rules", count=1) in found[PAGE].text
    assert words("rules", "left_out_variables", count=1) in found[f"/staff/{STUDY}/variables"].text
    assert title("left_out_rules").split("{")[0] not in study.seeing.get(PAGE).text

    lines = {line[title("rule")]: line for line in file(study.blinded, PAGE, f"{STUDY}-rules")}
    assert list(lines) == RULES[:4] and lines["by_name"][title("condition")] == title("hidden")
    variables = {line[title("variable")]: line for line in file(study.blinded, f"/staff/{STUDY}/variables", f"{STUDY}-variables")}
    assert [name for name, line in variables.items() if title("values_hidden") in line[title("readers")]] == ["later_days", "all_days", "about_canaries"]
    assert variables["about_canaries"][title("definition")] == title("hidden")
    for item in found[f"{ROUTE}/by_days/decisions"].json()["items"]:
        assert item["variables"] == {"all_days": None} and item["hidden"] == ["/variables/all_days"]
    condition = f"all_days ({title('hidden')}) >= 1"
    assert {line[title("why")] for line in file(study.blinded, f"{PAGE}/by_days", f"{STUDY}-by_days")} == {
        words("rules", "because", what=title("said_message"), reasons=condition)}
    assert {line[title("why")] for line in file(study.blinded, f"{PAGE}/by_name", f"{STUDY}-by_name")} == {title("said_when_hidden")}


def test_no_page_contains_a_name_or_an_address(study):
    for path in (PAGE, f"{PAGE}/reply", f"{PAGE}/reply?format=csv", f"/staff/{STUDY}/variables"):
        reply = study.seeing.get(path).text
        for person in study.people.values():
            assert "Ada Canary" not in reply and "Ben Canary" not in reply and person.email not in reply, path


def test_the_pages_are_in_german(study):
    german = {"Accept-Language": "de"}
    rules, rule = (study.seeing.get(path, headers=german).text for path in (PAGE, f"{PAGE}/zebracanary_reply"))
    assert words("rules", "lead_rules", "de") in rules and words("rules", "at_reached", "de") in rules
    assert words("rules", "without_condition", "de", what=words("rules", "said_message", "de")) in rule
    assert words("rules", "lead_variables", "de") in study.seeing.get(f"/staff/{STUDY}/variables", headers=german).text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(study, visitor, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, study.blinded)
    axe, faults = Axe(), []
    for path in (PAGE, f"{PAGE}/reply", f"{PAGE}/reply?to=2020-01-01", f"{PAGE}/by_name", f"/staff/{STUDY}/variables"):
        page.goto(path)
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
