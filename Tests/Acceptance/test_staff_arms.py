"""The page of the arms of a study: balance, moved participants, the blinding, and the forms that break it."""

import csv
import io
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from test_blinding import CANARY, CODES, Member as TeamMember, Team
from test_staff_pages import STUDY, Member, log_in, sign_in


class Browser:
    """The browser session of a member of a team."""

    def __init__(self, server, member):
        self.server, self.email, self.password = server, member.email, member.password
        self.session = log_in(server.url, member.email, member.password)

    get, post, age = Member.get, Member.post, Member.age


@pytest.fixture(scope="module")
def team(server, contract, web, tmp_path_factory):
    return Team(server, contract, tmp_path_factory.mktemp("arms"), "arms-page")


@pytest.fixture(scope="module")
def cora(server, team):
    """A coordinator who may not see arms."""
    return Browser(server, team.blinded)


def page_of(team):
    return f"/staff/{team.study}/arms"


def rows(member, path):
    reply = member.get(f"{path}?format=csv")
    assert reply.headers["Content-Type"].startswith("text/csv"), reply.text
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def audited(team):
    """The number of audit entries of unblindings in the study."""
    return int(team.server.sql(f"select count(*) from audit.entry where action = 'unblinded' and study = '{team.study}'"))


# Balance

def test_the_table_the_figure_and_the_file_have_the_numbers_of_the_route(server, contract, web, visitor):
    for _ in range(3):
        Person(server, contract, name="Ada Canary").register().enrol()
    member = Member(server, [("researcher", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs summary").click()
    page.locator(".tabs").get_by_role("link", name=words("staff", "arms"), exact=True).click()
    balance = member.get(f"/v1/studies/{STUDY}/balance").json()
    expected = [
        [words("arms", "everyone") if row is balance else row.get("factor", words("arms", "stratum")), row.get("level", row.get("stratum", "")),
         count["arm"], str(count["participants"])]
        for row in [balance, *balance["levels"], *[row for row in balance["strata"] if row["stratum"]]] for count in row["arms"]]
    titles = [words("arms", word) for word in ("division", "group", "arm", "participants")]
    lines = rows(member, f"/staff/{STUDY}/arms")

    assert expected and [[line[title] for title in titles] for line in lines] == expected
    assert sum(int(line[titles[3]]) for line in lines if line[titles[0]] == words("arms", "everyone")) == balance["participants"]
    page.locator("main details summary").click()
    shown = page.locator("main details tbody tr").all()
    assert [[cell.strip() for cell in element.locator("th, td").all_inner_texts()][:4] for element in shown] == expected
    figure = page.locator("main figure svg")
    hints = figure.locator("rect title").evaluate_all("all => all.map(one => one.textContent)")
    assert hints[: len(balance["arms"])] == [f"{row['arm']}: {row['participants']}" for row in balance["arms"]]
    for row in balance["arms"]:
        assert f"{row['arm']} {row['participants']}" in figure.locator("desc").text_content()
    # A study that is not blinded has no forms.
    expect(page.locator("main form")).to_have_count(0)
    assert words("arms", "blinding") not in page.locator("main").inner_text()


def test_moved_participants_are_named_by_arms_as_the_visitor_may_see_them(server, team):
    seeing, blinded = Browser(server, team.seeing), Browser(server, team.blinded)
    [move] = team.seeing.call("GET", team.path("/balance"), status=200)["moved"]

    assert words("arms", "moved_row", **{"from": move["from_arm"], "to": move["to_arm"], "count": 1}) in seeing.get(page_of(team)).text
    text = blinded.get(page_of(team)).text
    assert re.search("<li>[AB] → [AB]: 1</li>", text) and CANARY not in text


# Blinding

def test_a_blinded_team_sees_letters_and_what_is_hidden(server, contract, team, cora):
    rosa = Browser(server, TeamMember(server, contract, team.study, "researcher"))
    seeing = Browser(server, team.seeing)
    for member, word in ((rosa, "blinded"), (cora, "blinded"), (seeing, "blinded_seeing")):
        text = member.get(page_of(team)).text
        assert words("arms", word) in text and words("arms", "hidden_lists") in text and words("arms", "not_hidden") in text
    # What letters cannot hide: numbers for a blinded team, names for those who see arms.
    balance = {name: member.get(team.path("/balance")).json()["differences"] for name, member in (("cora", cora), ("seeing", seeing))}
    counted = [(kind["kind"], kind["count"]) for kind in balance["cora"]["kinds"]]
    assert counted == [(kind["kind"], kind["count"]) for kind in balance["seeing"]["kinds"]] == [("schedule", 1), ("collection", 1), ("walk_signal", 1)]
    sentence = words("arms", "differ", parts=", ".join(words("arms", f"{kind}_one") for kind, _ in counted))
    assert sentence in cora.get(page_of(team)).text and sentence in seeing.get(page_of(team)).text
    names = [
        words("arms", f"{kind['kind']}_part", code=part["code"], arms=", ".join(part["arms"]))
        for kind in balance["seeing"]["kinds"] for part in kind["parts"]]
    assert len(names) == 3 and all(name in seeing.get(page_of(team)).text for name in names)
    assert CANARY not in rosa.get(page_of(team)).text + rosa.get(f"{page_of(team)}?format=csv").text
    assert CANARY not in cora.get(page_of(team)).text + cora.get(f"{page_of(team)}?format=csv").text
    assert all(code in seeing.get(page_of(team)).text for code in CODES)
    assert {line[words("arms", "arm")] for line in rows(cora, page_of(team))} == {"A", "B"}
    # Only coordinators have the forms.
    assert 'name="scope"' not in rosa.get(page_of(team)).text
    assert cora.get(page_of(team)).text.count('name="scope"') == 2
    studies = {name: browser.get("/v1/staff/studies", params={"study": team.study}).json()["items"][0] for name, browser in (("cora", cora), ("seeing", seeing))}
    assert [(studies[name]["blinded"], studies[name]["sees_arms"]) for name in studies] == [(True, False), (True, True)]


def test_only_coordinators_of_the_study_send_the_forms(server, contract, team, web):
    form = {"scope": "participant", "participant": team.people[3].enrolment["participant_id"], "reason": "Curious."}
    before = audited(team)
    members = {
        "researcher": Browser(server, TeamMember(server, contract, team.study, "researcher")),
        "editor": Browser(server, TeamMember(server, contract, team.study, "editor")), "stranger": Member(server, [("coordinator", STUDY)]),
        "admin": Member(server, [("admin", "*")])}

    assert {name: member.post(page_of(team), **form).status_code for name, member in members.items()} == dict.fromkeys(members, 403)
    assert audited(team) == before


@pytest.mark.parametrize("fields, faults", [
    ({"scope": "participant", "participant": "", "reason": "Kept words."}, ["participant"]),
    ({"scope": "participant", "participant": "UNKNOWN-NAME", "reason": "Kept words."}, ["participant"]),
    ({"scope": "participant", "participant": "KEPT-NAME", "reason": " \n"}, ["reason"]),
    ({"scope": "participant", "participant": " ", "reason": ""}, ["participant", "reason"]),
    ({"scope": "participant", "participant": "KEPT-NAME", "reason": "x" * 1001}, ["reason"]),
    ({"scope": "study", "code": "kept-code", "all_reason": "Kept words."}, ["code"]),
    ({"scope": "study", "code": "arms-page", "all_reason": ""}, ["all_reason"]),
    ({"scope": "study", "code": "", "all_reason": " "}, ["all_reason", "code"]),
])
def test_a_form_with_a_fault_names_the_field_and_keeps_what_was_typed(team, cora, fields, faults):
    before = audited(team)
    reply = cora.post(page_of(team), **fields)

    assert reply.status_code == 422 and audited(team) == before
    assert re.findall(r'<p class="fault" id="([a-z_]+)-fault">', reply.text) == faults
    for name, value in fields.items():
        if name != "scope" and value.strip():
            assert f'value="{value}"' in reply.text or f">{value}</textarea>" in reply.text, name
    assert CANARY not in reply.text


def test_the_forms_need_a_password_of_the_last_ten_minutes(server, contract, team, visitor, web):
    member = TeamMember(server, contract, team.study, "coordinator")
    browser = Browser(server, member)
    browser.age(11)
    before = audited(team)
    reply = browser.post(page_of(team), scope="study", code=team.study, all_reason="The end.")

    assert (reply.status_code, reply.headers["Location"]) == (303, f"/staff/login?next={page_of(team)}") and audited(team) == before
    page = visitor(java_script_enabled=False)
    sign_in(page, browser)
    browser.age(11)
    page.goto(page_of(team))
    expect(page.locator("main form")).to_have_count(0)
    page.get_by_role("link", name=words("arms", "password")).click()
    page.get_by_label("Password", exact=True).fill(member.password)
    page.get_by_role("button", name=words("staff", "continue")).click()
    expect(page).to_have_url(web + page_of(team))
    expect(page.locator("main form")).to_have_count(2)


def test_a_coordinator_reads_one_arm_and_the_audit_page_shows_it(server, team, cora, visitor, web):
    person = team.people[1]
    name = person.enrolment["participant_id"]
    code = team.seeing.call("GET", team.arm_of(person), status=200)["arm"]
    before = audited(team)
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(page_of(team))
    form = page.locator("main form").first
    form.get_by_label(words("staff", "pseudonym")).fill(name.lower())
    form.get_by_label(words("arms", "reason")).fill("Admitted to hospital.")
    form.get_by_role("button").click()

    expect(page).to_have_url(f"{web}{page_of(team)}?read={name}")
    expect(page.locator("main [role=status]")).to_have_text(words("arms", "arm_of", participant=name, arm=code))
    assert audited(team) == before + 1
    page.reload()
    assert audited(team) == before + 1, "reading the page again reads no arm"
    row = page.locator("#unblindings ~ .region tbody tr").first
    assert row.locator("th").inner_text().strip() == words("arms", "read_one", participant=name)
    assert "Rosa Field" in row.inner_text() and "Admitted to hospital." in row.inner_text()
    # Everything else keeps the letter.
    for path in (page_of(team), f"/staff/{team.study}/participants", f"/staff/{team.study}/walks", f"/staff/{team.study}/audit"):
        assert CANARY not in cora.get(path).text, path
    page.goto(f"/staff/{team.study}/audit?action=unblinded")
    first = page.locator("main tbody tr").first
    assert first.locator("th").inner_text().strip() == words("audit_action", "unblinded")
    assert "scope: participant" in first.inner_text() and "Rosa Field" in first.inner_text()


def test_researchers_do_not_see_the_reasons(server, contract, team, cora):
    rosa = Browser(server, TeamMember(server, contract, team.study, "researcher"))
    reply = cora.post(page_of(team), scope="participant", participant=team.people[2].enrolment["participant_id"], reason="A secret reason.")

    assert reply.status_code == 303
    assert "A secret reason." in cora.get(page_of(team)).text
    text = rosa.get(page_of(team)).text
    assert "A secret reason." not in text and words("arms", "reason_hidden") in text
    assert CANARY not in rosa.get(reply.headers["Location"]).text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(team, cora, visitor, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, cora)
    axe, faults = Axe(), []

    def check(name):
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults.extend((name, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"])
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((name, "wide", page.evaluate("document.documentElement.scrollWidth")))

    page.goto(page_of(team))
    check("page")
    page.locator("main form").last.get_by_role("button").click()
    expect(page.locator("#errors li")).to_have_count(2)
    check("faults")
    assert faults == []


def test_the_page_is_in_german(team, cora):
    text = cora.get(page_of(team), headers={"Accept-Language": "de"}).text

    assert words("staff", "arms", "de") in text and words("arms", "show_text", "de") in text


def test_showing_all_arms_needs_the_code_of_the_study_and_ends_the_blinding(server, contract, tmp_path, visitor, web):
    team = Team(server, contract, tmp_path, "arms-shown")
    member = Browser(server, team.blinded)
    rosa = Browser(server, TeamMember(server, contract, team.study, "researcher"))
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(page_of(team))
    expect(page.get_by_text(words("arms", "show_text"))).to_be_visible()
    form = page.locator("main form").last
    form.get_by_label(words("arms", "reason")).fill("The database is closed.")
    form.get_by_label(words("arms", "code")).fill(STUDY)
    form.get_by_role("button").click()
    expect(page.locator("#code-fault")).to_have_text(words("arms", "fault_code", study=team.study))
    assert audited(team) == 0 and CANARY not in rosa.get(page_of(team)).text
    form.get_by_label(words("arms", "code")).fill(team.study)
    form.get_by_role("button").click()

    expect(page).to_have_url(web + page_of(team))
    expect(page.locator("main form")).to_have_count(0)
    text = rosa.get(page_of(team)).text
    assert all(code in text for code in CODES) and words("arms", "shown") in text and "The database is closed." in text
    assert audited(team) == 1
    assert "scope: study" in member.get(f"/staff/{team.study}/audit?action=unblinded").text
    again = member.post(page_of(team), scope="study", code=team.study, all_reason="Again.")
    assert again.status_code == 422 and words("arms", "fault_not_blinded") in again.text
