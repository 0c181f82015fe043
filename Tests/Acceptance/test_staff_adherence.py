"""The map of adherence and the devices of a study, for its team: the routes, the pages, and the files."""

import re
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import contrast, words
from acceptance.people import Person
from test_staff_pages import OTHER, STUDY, Member, rows, sign_in

PAGE, DEVICES = f"/staff/{STUDY}/adherence", f"/staff/{STUDY}/devices"
API = f"/v1/studies/{STUDY}/adherence"
# The study has the days 0 to 35. A view of the page has 28 of them, or as many as 90.
VIEWS = {"": (0, 27), "from_day=28": (28, 35), "span=90": (0, 35), "from_day=30&span=90": (30, 35)}
COUNTED = ("on_time", "late", "partly", "missed", "open")
# What a cell of the map shows: class, text, sign and link.
CELL = """cells => cells.map(cell => {
  const link = cell.querySelector("a");
  return link ? [link.className, link.getAttribute("aria-label"), link.textContent, link.getAttribute("href")] : ["", cell.textContent.trim(), "", ""];
})"""


def past(completed="null"):
    """The assignments that move a window 60 days back."""
    names = ("visible_at", "open_at", "due_at", "close_at")
    return ", ".join(f"{name} = {name} - interval '60 days'" for name in names) + f", completed_at = {completed}, set_aside = null"


# The states of the first local dates that have an occasion.
STATES = {
    "on_time": past("due_at - interval '60 days 1 minute'"),
    "late": past("due_at - interval '60 days' + interval '1 minute'"),
    "missed": past(),
    "paused": "set_aside = 'paused'",
    "open": """visible_at = now() - interval '1 hour', open_at = now() - interval '1 hour', due_at = now() + interval '2 hours',
        close_at = now() + interval '3 hours', set_aside = null""",
}


@pytest.fixture(scope="module")
def ada(server, contract, web):
    """A participant with one day in each of several states, a device that holds two records, and one that holds none."""
    made = Person(server, contract, name="Ada Canary").register().enrol()
    made.pseudonym, enrolment = made.enrolment["participant_id"], made.enrolment["enrolment_id"]
    for number, assignments in enumerate(STATES.values()):
        server.sql(f"""
            update research.occasion set {assignments} where enrolment_id = '{enrolment}' and local_date = (
              select distinct local_date from research.occasion where enrolment_id = '{enrolment}' order by local_date offset {number} limit 1)""")
    made.phone, made.tablet = str(uuid.uuid4()), str(uuid.uuid4())
    for device, received in ((made.phone, "{[1,3),[5,6)}"), (made.tablet, "{[1,4)}")):
        server.sql(f"""
            insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
            values ('{enrolment}', '{device}', now(), now(), '{received}')""")
    return made


@pytest.fixture(scope="module")
def rosa(server, web, contract, ada):
    """A researcher. The study has three participants or more, in both arms."""
    for name in ("Ben Canary", "Cem Canary", "Dora Canary"):
        Person(server, contract, name=name).register().enrol()
    return Member(server, [("researcher", STUDY)])


def get(member, **parameters):
    reply = member.get(API, params=parameters)
    assert reply.status_code == 200, reply.text
    return reply.json()


def settled(groups):
    return [sum(group[name] for group in groups) for name in ("settled", "completed", "on_time")]


# The routes

def test_each_day_has_every_occasion_once(rosa, ada):
    [item] = get(rosa, q=ada.pseudonym)["items"]
    planned = [day for day in item["days"] if day["planned"]]

    assert [day["state"] for day in planned[:5]] == list(STATES)
    for day in item["days"]:
        assert day["completed"] == day["on_time"] + day["late"] and day["settled"] == day["completed"] + day["missed"]
        assert day["offered"] == day["settled"] + day["open"]
        assert day["planned"] >= day["offered"] + day["paused"]
    assert [item["total"][name] for name in ("settled", "completed", "on_time")] == settled(item["days"])
    detail = rosa.get(f"/v1/studies/{STUDY}/participants/{ada.pseudonym}").json()
    by_number = {day["study_day"]: day for day in item["days"]}
    shared = [day for day in detail["days"] if day["study_day"] in by_number]
    assert shared and all(by_number[day["study_day"]] == day for day in shared)
    assert item["unsent"] == detail["unsent"] == 2


def test_the_sums_of_the_rows_and_of_every_group_are_the_total(rosa):
    for query in ({}, {"questionnaire": "daily_evening"}, {"from_day": 1, "to_day": 3}, {"limit": 2}):
        page = get(rosa, **query)
        total = [page["total"][name] for name in ("settled", "completed", "on_time")]

        assert settled([item["total"] for item in page["items"]]) == total, query
        assert settled([day for item in page["items"] for day in item["days"]]) == total, query
        for name in ("weeks", "arms", "questionnaires"):
            assert settled([group["adherence"] for group in page["totals"][name]]) == total, (query, name)
        assert sum(arm["participants"] for arm in page["totals"]["arms"]) == len(page["items"])
    assert get(rosa)["total"]["settled"] >= 3


def test_filters_select_participants_and_occasions(rosa, ada):
    everyone = get(rosa, limit=1000)
    [mine] = get(rosa, q=ada.pseudonym.lower())["items"]

    assert mine["participant_id"] == ada.pseudonym and mine in everyone["items"]
    assert {item["participant_id"] for item in get(rosa, limit=1000, arm=mine["arm"])["items"]} == {
        item["participant_id"] for item in everyone["items"] if item["arm"] == mine["arm"]}
    assert mine["arm"] in everyone["arms"] and "daily_evening" in everyone["questionnaires"]
    [some] = get(rosa, q=ada.pseudonym, from_day=1, to_day=3)["items"]
    assert some["days"] == [day for day in mine["days"] if 1 <= day["study_day"] <= 3] and some["streak"] == mine["streak"]
    [diary] = get(rosa, q=ada.pseudonym, questionnaire="daily_evening")["items"]
    assert diary["questionnaires"] == [group for group in mine["questionnaires"] if group["questionnaire"] == "daily_evening"]
    assert get(rosa, arm="nothing")["items"] == []
    pages, cursor = [], {}
    while cursor is not None:
        page = get(rosa, limit=2, **cursor)
        pages += page["items"]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert [item["participant_id"] for item in pages] == [item["participant_id"] for item in everyone["items"]]


@pytest.mark.parametrize("query", ["from_day=3&to_day=2", "from_day=-1", "to_day=x", "q=", "sort=arm", "cursor=x"])
def test_a_query_that_is_not_valid_is_one_problem(rosa, query):
    reply = rosa.get(f"{API}?{query}")

    assert (reply.status_code, reply.json()["type"].rsplit("/", 1)[1]) == (400, "request-invalid")
    if "to_day=2" in query:
        assert "`to_day` must not be before `from_day`." in reply.text


# The map

def shown(page):
    """Pseudonym -> the cells of its row."""
    found = {}
    for row in page.locator("table.heat tbody tr").all():
        found[row.locator("th").inner_text().strip()] = row.locator("td").evaluate_all(CELL)
    return found


def expected(item, first, last):
    """Study day -> what its cell shows, by the API. A day without occasions has no sign."""
    found = {}
    for day in item["days"]:
        if day["state"] != "not_planned" and first <= day["study_day"] <= last:
            values = {"date": "", "done": day["completed"], "all": day["offered"], "state": words("participant", f"day_{day['state']}")}
            text = words("participant", "day_text" if day["state"] in COUNTED else "day_text_short", **values)
            address = f"/staff/{STUDY}/participants/{item['participant_id']}?from={day['date']}&to={day['date']}"
            found[day["study_day"]] = (day["state"], text.split(": ")[1], address)
    return found


@pytest.mark.parametrize("view", VIEWS)
def test_the_map_the_file_and_the_api_show_the_same(visitor, rosa, ada, web, view):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"{PAGE}?{view}")
    start, end = VIEWS[view]
    answer = get(rosa, limit=50, from_day=start, to_day=end)
    cells = shown(page)
    file = rows(rosa.session, f"{web}{PAGE}?format=csv&{view}", f"{STUDY}-adherence")
    titles = [words("heat_map", "day", day=number) for number in range(start, end + 1)]
    counts = [words("heat_map", "unsent"), words("staff", "completed"), words("staff", "settled")]

    assert list(cells) == [item["participant_id"] for item in answer["items"]] == [line[words("staff", "pseudonym")] for line in file]
    for item, line in zip(answer["items"], file):
        arm, *days = cells[item["participant_id"]]
        days, totals = days[:len(titles)], days[len(titles):]
        assert arm[1] == line[words("staff", "arm")] == item["arm"]
        found = {start + index: (state, text.split(": ")[1], link) for index, (state, text, _, link) in enumerate(days) if state}
        assert found == expected(item, start, end)
        assert [line[title] for title in titles] == [text for _, text, _, _ in days]
        numbers = [item["unsent"], item["total"]["completed"], item["total"]["settled"]]
        assert [text for _, text, _, _ in totals[:3]] == [line[title] for title in counts] == [str(number) for number in numbers]
    assert sum(int(line[words("staff", "settled")]) for line in file) == answer["total"]["settled"]
    for grouping in ("weeks", "arms", "questionnaires"):
        groups = answer["totals"][grouping]
        table = rows(rosa.session, f"{web}{PAGE}?format=csv&{view}&table={grouping}", f"{STUDY}-adherence-{grouping}")
        title = words("heat_map", grouping[:-1])
        lines = [[line[title], line[words("staff", "completed")], line[words("staff", "settled")]] for line in table]
        assert lines == [[str(group[grouping[:-1]]), *(str(group["adherence"][name]) for name in ("completed", "settled"))] for group in groups]
        body = page.locator(f"[aria-labelledby={grouping}-caption] tbody tr")
        assert body.count() == len(groups)


def test_every_state_has_its_own_sign_and_the_legend_names_it(visitor, rosa, ada):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"{PAGE}?q={ada.pseudonym}")
    signs = {}
    for state, _, sign, _ in shown(page)[ada.pseudonym]:
        if state:
            signs.setdefault(state, set()).add(sign)

    assert set(STATES) <= set(signs) and all(len(found) == 1 for found in signs.values())
    assert len(set.union(*signs.values())) == len(signs)
    legend = page.locator(".legend").inner_text()
    for state, [sign] in signs.items():
        assert f"{sign} {words('participant', f'day_{state}')}" in legend
    box = page.locator("table.heat td a").first.bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24


def test_the_reader_chooses_how_many_days_the_map_shows(visitor, rosa, ada, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"{PAGE}?q={ada.pseudonym}&from_day=28")
    choice = page.get_by_label(words("heat_map", "span"))
    expect(choice).to_have_value("28")
    choice.select_option(label=words("heat_map", "span_days", days=90))
    page.get_by_role("button", name=words("staff", "apply")).click()
    expect(choice).to_have_value("90")
    assert "span=90" in page.url and "from_day=28" in page.url
    page.get_by_role("link", name=words("heat_map", "earlier")).click()
    expect(page.locator(".table-notes").first).to_contain_text(words("heat_map", "days", **{"from": 0, "to": 35}))
    expect(page.get_by_role("link", name=words("heat_map", "later"))).to_have_count(0)
    assert "span=90" in page.locator(".table-notes a[download]").first.get_attribute("href")
    # Small cells are still large enough for a finger, and the page prints on one side of A4.
    box = page.locator("table.heat.long td a").first.bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24
    page.emulate_media(media="print")
    days = page.locator("table.heat td:not([class])")
    missing = (90 - page.locator("table.heat thead th:not([class])").count() + 1) * days.first.bounding_box()["width"]
    assert page.locator("table.heat").bounding_box()["width"] + missing <= 281 * 96 / 25.4, "90 days fit between the margins"
    [sheet] = set(re.findall(rb"/MediaBox ?\[([^\]]*)\]", page.pdf(prefer_css_page_size=True)))
    width, height = (float(number) for number in sheet.split()[2:])
    assert width > height, "landscape"


def test_another_number_of_days_is_a_fault_at_its_field(rosa, ada):
    for span in ("30", "x", "-28", "9223372036854775807"):
        reply = rosa.get(f"{PAGE}?span={span}&q={ada.pseudonym}")
        assert reply.status_code == 422, span
        assert f'<a href="#filter-span">{words("heat_map", "fault_span")}</a>' in reply.text
        assert 'aria-describedby="filter-span-fault"' in reply.text and ada.pseudonym in reply.text
        # The links of the page lead to the days that it shows.
        assert f"span={span}" not in reply.text.split("<main")[1].split("</main>")[0]
    assert rosa.get(f"{PAGE}?span=30&format=csv").status_code == 400


def test_the_text_of_a_cell_shows_under_the_pointer(visitor, rosa, ada):
    page = visitor()
    sign_in(page, rosa)
    page.goto(f"{PAGE}?q={ada.pseudonym}&span=90")
    cell = page.locator("table.heat td a.missed").first
    assert cell.get_attribute("title") is None
    cell.hover()
    expect(cell).to_have_attribute("title", cell.get_attribute("aria-label"))


def test_a_cell_leads_to_its_day_and_links_to_other_days_and_filters(visitor, rosa, ada, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"{PAGE}?q={ada.pseudonym}")
    page.locator("table.heat a.missed").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(ada.pseudonym)
    expect(page.locator("#filter-from")).to_have_value(re.compile(r"^\d{4}-\d\d-\d\d$"))
    assert page.locator("#filter-from").input_value() == page.locator("#filter-to").input_value()

    page.goto(f"{PAGE}?q={ada.pseudonym}")
    expect(page.get_by_role("link", name=words("heat_map", "earlier"))).to_have_count(0)
    page.get_by_role("link", name=words("heat_map", "later")).click()
    expect(page.locator(".table-notes").first).to_contain_text(words("heat_map", "days", **{"from": 28, "to": 35}))
    expect(page.get_by_role("link", name=words("heat_map", "later"))).to_have_count(0)
    assert list(shown(page)) == [ada.pseudonym]
    page.get_by_role("link", name=words("heat_map", "earlier")).click()
    page.get_by_label(words("heat_map", "questionnaire"), exact=True).select_option("daily_evening")
    page.get_by_role("button", name=words("staff", "apply")).click()
    [item] = get(rosa, q=ada.pseudonym, questionnaire="daily_evening", from_day=0, to_day=27)["items"]
    assert len([cell for cell in shown(page)[ada.pseudonym] if cell[0]]) == len(expected(item, 0, 27))
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    expect(page).to_have_url(f"{web}{PAGE}")
    page.goto(f"{PAGE}?q=nothing-like-this")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    # The frame can be scrolled with the keyboard, and the map shows new data by itself.
    page.goto(PAGE)
    expect(page.get_by_role("region", name=words("heat_map", "caption"))).to_have_attribute("tabindex", "0")
    expect(page.locator("#live-adherence")).to_have_attribute("data-live", re.compile("answer_sheet"))


@pytest.mark.parametrize("address", [
    f"{PAGE}?from_day=x", f"{PAGE}?from_day=-1", f"{PAGE}?from_day=9223372036854775807", f"{PAGE}?format=pdf", f"{PAGE}?format=csv&table=months",
    f"{PAGE}?sort=arm", f"{DEVICES}?missing=maybe"])
def test_a_page_says_in_words_that_its_address_is_wrong(rosa, address):
    reply = rosa.get(address)

    assert reply.status_code == 400
    assert words("problem", "request-invalid") in reply.text and words("problem_text", "request-invalid") in reply.text


# The devices

def test_the_page_of_devices_shows_what_the_api_lists(visitor, rosa, ada, web):
    path = f"/v1/studies/{STUDY}/devices"
    for query, held in (("", {ada.phone, ada.tablet}), ("missing=true", {ada.phone})):
        items = rosa.get(f"{path}?limit=50&{query}").json()["items"]
        file = rows(rosa.session, f"{web}{DEVICES}?format=csv&{query}", f"{STUDY}-devices")

        mine = {item["device_id"] for item in items if item["participant_id"] == ada.pseudonym}
        assert mine == held and all(item["missing_count"] for item in items if query)
        names = {"device": "device_id", "newest": "newest", "missing_count": "missing_count", "last_seen": "last_seen_at"}
        for word, member in names.items():
            assert [line[words("devices", word)] for line in file] == [str(item[member]) for item in items]
        assert [line[words("devices", "oldest")] for line in file] == [str(item["missing"][0]["from"]) if item["missing"] else "" for item in items]
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(DEVICES)
    page.get_by_label(words("devices", "show")).select_option(label=words("devices", "only_missing"))
    page.get_by_role("button", name=words("staff", "apply")).click()
    row = page.locator("main tbody tr").filter(has_text=ada.phone)
    expect(row.locator(f"[data-title='{words('devices', 'missing')}']")).to_have_text("3–4")
    expect(row.locator(f"[data-title='{words('devices', 'missing_count')}']")).to_have_text("2")
    expect(page.locator("main tbody tr").filter(has_text=ada.tablet)).to_have_count(0)
    row.get_by_role("link", name=ada.pseudonym).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(ada.pseudonym)


def test_without_a_device_that_holds_records_the_page_says_so(server, web):
    member = Member(server, [("researcher", OTHER)])
    assert member.get(f"/v1/studies/{OTHER}/devices?missing=true").json()["items"] == []

    for language in ("en", "de"):
        text = member.get(f"/staff/{OTHER}/devices?missing=true", headers={"Accept-Language": language}).text
        assert words("devices", "none", language) in text and "<tbody>" not in text


# How the pages look

@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 390)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, rosa, ada, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, rosa)
    axe, faults = Axe(), []
    for path in (f"{PAGE}?q={ada.pseudonym}", f"{PAGE}?q={ada.pseudonym}&span=90", f"{PAGE}?span=30&q={ada.pseudonym}", f"{PAGE}?q=nothing", DEVICES):
        page.goto(path)
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
    page.goto(f"{PAGE}?q={ada.pseudonym}")
    if width < 1000:
        assert page.locator("#map").evaluate("map => map.scrollWidth > map.clientWidth"), "the map scrolls inside its frame"
    page.emulate_media(forced_colors="active", media="print")
    assert page.locator("table.heat a.late").first.inner_text().strip() == "◐"


def test_the_signs_of_the_map_are_visible_with_forced_colours_and_on_paper(visitor, rosa, ada):
    """The visitor chose the dark colours. The system forces a light background, and paper is white."""
    page = visitor(color_scheme="light", forced_colors="active", reduced_motion="reduce")
    sign_in(page, rosa)
    state = page.context.storage_state()
    for page, media in ((page, "screen"), (visitor(color_scheme="light", storage_state=state), "print")):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{PAGE}?q={ada.pseudonym}")
        page.emulate_media(media=media)
        page.evaluate("document.documentElement.dataset.mode = 'dark'")
        if media == "screen":
            assert Axe().run(page).response["violations"] == []
        signs = {state: page.locator(f"table.heat td a.{state}").first for state in STATES}
        # States differ by their signs, not by colours alone. WCAG 2.2 asks for 3 (1.4.11).
        assert len({sign.inner_text().strip() for sign in signs.values()} - {""}) == len(STATES)
        assert [(media, state, ratio) for state, sign in signs.items() if (ratio := contrast(sign, edge=3)) < 3] == []


def test_the_pages_are_in_german(rosa, ada):
    text = rosa.get(PAGE, headers={"Accept-Language": "de"}).text
    for name in ("caption", "weeks", "arms", "questionnaires"):
        assert words("heat_map", name, "de") in text
    assert words("devices", "caption", "de") in rosa.get(DEVICES, headers={"Accept-Language": "de"}).text
