"""One participant for a study team: the routes, the page of what happened, and the page of an answer sheet."""

import csv
import io
import re
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import answers, observations, walks
from acceptance.browser import words
from acceptance.moments import instant, new_id
from acceptance.people import Person
from test_staff_pages import OTHER, STUDY, Member, browser_session, log_in, sign_in

FREE_TEXT = ("first words of the canary", "second words of the canary")


@pytest.fixture(scope="module")
def ada(server, contract, web):
    """A participant with one record of each kind, a correction of free text, and a gap in the numbers of a device."""
    made = Person(server, contract, name="Ada Canary").register().enrol()
    made.calibrate()
    made.walk = new_id()
    made.call("PUT", made.own(f"/walks/{made.walk}"), json=walks.body(made.zone), status=201)
    made.observation = new_id()
    made.call("PUT", made.own(f"/observations/{made.observation}"), json=observations.pulse(made.zone), status=201)
    made.sheet_id, made.deleted = new_id(), new_id()
    made.submit("daily_evening", answers.DAILY | {"note": FREE_TEXT[0]}, sheet_id=made.sheet_id, device={"model": "Canary Phone"})
    made.call(
        "PATCH", made.own(f"/answer-sheets/{made.sheet_id}"), json={"answers": {"note": FREE_TEXT[1]}, "reason": "a typing error"}, status=200)
    made.submit("daily_evening", answers.DAILY, sheet_id=made.deleted)
    # No questionnaire of this study permits deletions.
    server.sql(f"update research.answer_sheet set deleted_at = now() where sheet_id = '{made.deleted}'")
    made.who = new_id()
    # The record with number 1 stays on the device.
    sheet = made.sheet("who_5", answers.WHO_5)
    made.call("POST", made.own("/sync"), status=200, json={
        "client_now": instant(), "device_id": str(uuid.uuid4()), "items": [{"kind": "answer_sheet", "id": made.who, "body": sheet, "sequence": 2}]})
    server.sql(f"""
        insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
        values ('{made.enrolment["enrolment_id"]}', '{new_id()}', 'very_low', 'low_mood', now(), now() + interval '1 day')""")
    return made


@pytest.fixture(scope="module")
def rosa(server, web):
    return Member(server, [("researcher", STUDY)])


@pytest.fixture(scope="module")
def page_path(ada):
    return f"/staff/{STUDY}/participants/{ada.enrolment['participant_id']}"


def resource(person):
    return f"/v1/studies/{STUDY}/participants/{person.enrolment['participant_id']}"


def entries(member, person, **parameters):
    """All entries of the timeline, page by page."""
    items, cursor = [], None
    while True:
        page = member.get(f"{resource(person)}/timeline", params={"limit": 3, **parameters} | ({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
        if not cursor:
            return items


# The routes

def test_every_record_is_in_the_timeline_once(ada, rosa):
    found = entries(rosa, ada)
    keys = [(item["at"], item["kind"], item["id"]) for item in found]

    assert keys == sorted(set(keys), reverse=True), "the newest first, and nothing twice"
    ids = {kind: [item["id"] for item in found if item["kind"] == kind] for kind in {item["kind"] for item in found}}
    assert sorted(ids["sheet"]) == sorted([ada.sheet_id, ada.deleted, ada.who])
    assert ids["walk"] == [ada.walk] and ids["observation"] == [ada.observation] and len(ids["calibration"]) == 1
    assert len(ids["consent"]) == len(ids["alert"]) == 1
    assert len(ids["edit"]) >= 1
    occasions = [item for item in found if item["kind"] == "occasion"]
    assert occasions and all(item["title"] and item["state"] for item in occasions)
    deleted = next(item for item in found if item["id"] == ada.deleted)
    assert deleted["state"] == "deleted" and deleted["detail"]["scores"] == []
    assert next(item for item in found if item["id"] == ada.sheet_id)["detail"]["revision"] == 2


def test_pages_lead_in_both_directions_and_filters_hold(ada, rosa):
    path = f"{resource(ada)}/timeline"
    first = rosa.get(path, params={"limit": 2}).json()
    second = rosa.get(path, params={"limit": 2, "cursor": first["next"]}).json()
    back = rosa.get(path, params={"limit": 2, "cursor": second["previous"]}).json()

    assert first["previous"] is None
    assert [item["id"] for item in back["items"]] == [item["id"] for item in first["items"]]
    assert {item["kind"] for item in entries(rosa, ada, kinds="walk,sheet")} == {"walk", "sheet"}
    assert entries(rosa, ada, to="2020-01-01") == []
    assert rosa.get(path, params={"kinds": "mail"}).status_code == 400


def test_a_late_upload_is_at_the_time_when_it_was_completed(server, contract, rosa, web):
    from acceptance.moments import after, now

    person = Person(server, contract, name="Ben Canary").register().enrol()
    behind = after(now(), seconds=-90_000)
    sheet = person.sheet("who_5", answers.WHO_5, started=behind, completed=behind) | {"client_now": instant(behind)}
    person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=sheet, status=(200, 201))

    [item] = entries(rosa, person, kinds="sheet")
    # The clock of the device was 25 hours behind; the server corrects it.
    assert item["at"] > instant(after(now(), seconds=-600))


def test_a_change_of_the_time_zone_is_an_entry(server, contract, rosa, web):
    person = Person(server, contract, name="Eve Canary").register().enrol()
    other = next(zone for zone in ("Europe/Lisbon", "Asia/Kathmandu") if zone != person.zone)
    person.call("PATCH", person.own(""), json={"time_zone": other}, status=200)

    [item] = entries(rosa, person, kinds="zone")
    assert (item["detail"]["former_time_zone"], item["detail"]["time_zone"]) == (person.zone, other)
    assert rosa.get(f"/staff/{STUDY}/participants/{person.enrolment['participant_id']}").status_code == 200


def test_the_detail_agrees_with_the_list_and_states_what_a_device_holds(ada, rosa):
    detail = rosa.get(resource(ada)).json()
    listed = next(
        item for item in rosa.get(f"/v1/studies/{STUDY}/participants", params={"limit": 1000}).json()["items"]
        if item["participant_id"] == ada.enrolment["participant_id"])

    for member in ("arm", "status", "enrolled_at", "ended_at", "time_zone", "language", "answer_sheets", "walks", "adherence", "low_adherence_since"):
        assert detail[member] == listed[member], member
    assert detail["unsent"] == 1 and [device["missing_count"] for device in detail["devices"]] == [1]
    assert [zone["time_zone"] for zone in detail["zones"]] == [ada.zone]
    assert [day["study_day"] for day in detail["days"]] == list(range(detail["study_day"] + 1))
    assert sum(day["completed"] for day in detail["days"]) == detail["adherence"]["completed"]


def test_earlier_free_text_and_devices_need_the_right_to_the_full_profile(ada, rosa, server):
    reader = Member(server)
    server.run("account", "grant", "--email", reader.email, "--role", "researcher", "--study", STUDY, "--full-export")
    path = f"{resource(ada)}/answer-sheets/{ada.sheet_id}"

    for member, reads_all in ((rosa, False), (reader, True)):
        current, first = member.get(path).json(), member.get(path, params={"revision": 1}).json()
        assert current["answers"]["note"] == FREE_TEXT[1] and current["revision"] == 2
        assert first["answers"].get("note") == (FREE_TEXT[0] if reads_all else None)
        assert (FREE_TEXT[0] in member.get(path, params={"revision": 1}).text) == reads_all
        assert ("Canary Phone" in member.get(path).text) == reads_all
        assert first["reasons"].get("note") == (None if reads_all else "redacted")
    assert rosa.get(path, params={"revision": 9}).status_code == 404
    scores = rosa.get(f"{resource(ada)}/answer-sheets/{ada.who}").json()["scores"]
    assert scores and all(len(score["key_digest"]) == 64 and score["key_version"] for score in scores)
    assert rosa.get(f"{resource(ada)}/answer-sheets/{ada.deleted}").json()["answers"] == {}


# Who may see the pages

def test_only_researchers_and_coordinators_of_the_study_open_the_pages(server, ada, page_path, web):
    grants = {
        "researcher": [("researcher", STUDY)], "coordinator": [("coordinator", STUDY)], "editor": [("editor", STUDY)],
        "admin": [("admin", "*")], "stranger": [("researcher", OTHER)]}
    sessions = {name: Member(server, made).session for name, made in grants.items()}
    sessions |= {"participant": log_in(server.url, ada.email, ada.password), "anonymous": browser_session(server.url)}
    expected = {"researcher": 200, "coordinator": 200, "editor": 403, "admin": 403, "stranger": 404, "participant": 403, "anonymous": 303}

    for path in (page_path, f"{page_path}?format=csv", f"{page_path}/sheets/{ada.sheet_id}", f"{page_path}/sheets/{ada.sheet_id}?revision=1"):
        statuses = {name: session.get(web + path, timeout=60, allow_redirects=False).status_code for name, session in sessions.items()}
        assert statuses == expected, path
    for path in (f"/staff/{STUDY}/participants/UNKNOWN", f"{page_path}/sheets/{new_id()}", f"{page_path}/sheets/{ada.sheet_id}?revision=7"):
        assert sessions["researcher"].get(web + path, timeout=60, allow_redirects=False).status_code == 404, path
    for query in ("kinds=mail", "cursor=x", "format=pdf", "sort=size"):
        assert sessions["researcher"].get(f"{web}{page_path}?{query}", timeout=60, allow_redirects=False).status_code == 400, query


def test_an_excluded_participant_is_not_found(server, contract, rosa, web):
    person = Person(server, contract, name="Cy Canary").register().enrol()
    path = f"/staff/{STUDY}/participants/{person.enrolment['participant_id']}"
    assert rosa.get(path).status_code == 200
    person.call("POST", person.own("/withdrawal"), json={"mode": "exclude"}, status=200)

    assert rosa.get(path).status_code == rosa.get(resource(person)).status_code == rosa.get(f"{resource(person)}/timeline").status_code == 404


def test_no_page_contains_a_name_an_address_or_earlier_free_text(ada, rosa, page_path):
    for path in (page_path, f"{page_path}?format=csv", f"{page_path}/sheets/{ada.sheet_id}", f"{page_path}/sheets/{ada.sheet_id}?revision=1"):
        text = rosa.get(path).text
        assert "Ada Canary" not in text and ada.email not in text and FREE_TEXT[0] not in text, path
        assert "Canary Phone" not in text, path


# The pages

def test_the_page_and_the_file_show_what_the_route_returns(ada, rosa, page_path, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    for query, parameters in (("", {}), ("?kinds=sheet", {"kinds": "sheet"}), ("?kinds=consent", {"kinds": "consent"})):
        page.goto(page_path + query)
        items = rosa.get(f"{resource(ada)}/timeline", params={"limit": 50, **parameters}).json()["items"]
        shown = page.locator(".timeline li").all()
        reply = rosa.get(f"{page_path}{query or '?'}{'&' if query else ''}format=csv")
        file = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))

        assert re.search(rf'filename="{STUDY}-{ada.enrolment["participant_id"]}-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"])
        assert [line[words("participant", "time")] for line in file] == [item["at"] for item in items]
        assert len(shown) == len(items)
        for element, line, item in zip(shown, file, items):
            kind = words("timeline", f"kind_{item['kind']}")
            # The title of a walk is its kind.
            assert line[words("participant", "what")] == kind and element.locator(".what").inner_text().strip().startswith(kind)
            assert line[words("participant", "status")] == element.locator(".state").inner_text().strip()
            assert line[words("participant", "detail")] == element.locator(".detail").inner_text().strip()


def test_a_researcher_reads_a_participant_without_javascript(ada, rosa, page_path, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    detail = rosa.get(resource(ada)).json()
    page.goto(page_path)

    expect(page.get_by_role("heading", level=1)).to_have_text(ada.enrolment["participant_id"])
    facts = page.locator("dl.facts").inner_text()
    assert detail["arm"] in facts and words("participant", "day_of", day=detail["study_day"], days=detail["study_days"]) in facts
    shown = re.search(r"(\d+) of (\d+) \(([\d.]+) %\)", facts)
    adherence = detail["adherence"]
    if adherence["settled"]:
        assert [float(text) for text in shown.groups()] == [adherence["completed"], adherence["settled"], adherence["adherence_percent"]]
    else:
        assert not shown and words("participant", "none_closed") in facts
    # A record on a device is a separate sentence, and differs from an occasion that was not answered.
    expect(page.locator(".banner.warn")).to_contain_text("Not arrived: 1 record")
    assert page.locator(".days li").count() == len(detail["days"])
    page.locator(".days a").last.click()
    expect(page.locator(".timeline h3")).to_have_count(1)
    page.get_by_role("link", name=words("staff", "remove_filters")).click()
    page.get_by_label(words("participant", "kind")).select_option(label=words("timeline", "kind_sheet"))
    page.get_by_role("button", name=words("staff", "apply")).click()
    page.wait_for_load_state()
    assert {text.strip() for text in page.locator(".timeline .what strong").all_inner_texts()} == {words("timeline", "kind_sheet")}

    page.locator(f".timeline a[href$='{ada.sheet_id}']").click()
    expect(page.locator("main")).to_contain_text(FREE_TEXT[1])
    page.locator("main ol").get_by_role("link", name=words("sheet", "revision", number=1)).click()
    expect(page.locator("main")).to_contain_text(words("staff_blank", "redacted"))
    expect(page.locator("main td strong")).to_have_text(FREE_TEXT[1])
    page.locator(".crumbs").get_by_role("link", name=ada.enrolment["participant_id"]).click()
    expect(page).to_have_url(re.compile(f"{page_path}$"))


def test_older_and_newer_entries_are_links(server, contract, rosa, visitor, web):
    person = Person(server, contract, name="Di Canary").register().enrol()
    enrolment = person.enrolment["enrolment_id"]
    server.sql(f"""
        insert into research.enrolment_event (enrolment_id, event, revision, occurred_at, recorded_at)
        select '{enrolment}', 'e' || n, 1, now() - n * interval '1 minute', now() from generate_series(1, 70) n""")
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{STUDY}/participants/{person.enrolment['participant_id']}?kinds=event")
    first = page.locator(".timeline .what").all_inner_texts()

    assert len(first) == 50
    page.get_by_role("link", name=words("participant", "older")).click()
    page.wait_for_load_state()
    assert page.locator(".timeline li").count() == 20
    expect(page.get_by_role("link", name=words("participant", "older"))).to_have_count(0)
    page.get_by_role("link", name=words("participant", "newer")).click()
    page.wait_for_load_state()
    assert page.locator(".timeline .what").all_inner_texts() == first
    expect(page.get_by_role("link", name=words("participant", "newer"))).to_have_count(0)


def test_the_pages_are_in_german(rosa, page_path, ada):
    for path, section, name in ((page_path, "participant", "timeline"), (f"{page_path}/sheets/{ada.who}", "sheet", "scores")):
        text = rosa.get(path, headers={"Accept-Language": "de"}).text
        assert words(section, name, "de") in text, path


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, rosa, ada, page_path, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, rosa)
    axe, faults = Axe(), []
    for path in (page_path, f"{page_path}?kinds=pause", f"{page_path}/sheets/{ada.who}", f"{page_path}/sheets/{ada.sheet_id}?revision=1"):
        page.goto(path)
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
