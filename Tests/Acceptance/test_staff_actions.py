"""What a coordinator does for one participant: contact data, a mail for a new password, another arm, and the end of the participation."""

import html
import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import ROOT
from test_staff_pages import OTHER, STUDY, Member, sign_in

OPEN = "contact-study"
PACKS = ROOT / "Tests" / "Acceptance" / "packs" / "hidden-arms"


@pytest.fixture(scope="module")
def study(server, web, tmp_path_factory):
    """A study with two arms that shows contact data to its coordinators."""
    folder = tmp_path_factory.mktemp("contact")
    shutil.copytree(PACKS / "instruments", folder / "instruments")
    pack = folder / "studies" / OPEN
    shutil.copytree(PACKS / "studies" / "hidden-arms", pack)
    settings = (pack / "study.yaml").read_text()
    assert "code: hidden-arms" in settings and ", blinded: true" in settings
    settings = settings.replace("code: hidden-arms", f"code: {OPEN}").replace(", blinded: true", "")
    (pack / "study.yaml").write_text(settings + "accounts: {kinds: [registered], contact: true}\n")
    server.run("publish", pack)
    return OPEN


@pytest.fixture(scope="module")
def cora(server, study):
    return Member(server, [("coordinator", study), ("coordinator", STUDY)])


@pytest.fixture
def person(server, contract, study):
    made = Person(server, contract, name="Ida Canary").register().enrol(study=study)
    made.submit("pocket_note", {"mood": 3, "note": "Fine."})
    made.name_in_study = made.enrolment["participant_id"]
    return made


def page_of(person, study=OPEN):
    return f"/staff/{study}/participants/{person.enrolment['participant_id']}/actions"


def audited(server, action):
    return int(server.sql(f"select count(*) from audit.entry where action = '{action}' and study = '{OPEN}'"))


def plain(reply):
    return html.unescape(reply.text)


def test_contact_data_are_shown_for_a_reason_and_each_look_is_audited(server, cora, person):
    path = page_of(person)
    before = audited(server, "contact_read")
    page = plain(cora.get(path))
    assert words("actions", "contact_text") in page and person.email not in page and "Canary" not in page

    refused = cora.post(path, act="contact", contact_reason="curious")
    assert refused.status_code == 422 and words("actions", "fault_contact_reason") in plain(refused) and person.email not in refused.text
    assert audited(server, "contact_read") == before
    for look in (1, 2):
        shown = cora.post(path, act="contact", contact_reason="unreachable")
        assert shown.status_code == 200 and "Ida Canary" in shown.text and person.email in shown.text
        assert audited(server, "contact_read") == before + look
    assert '"reason": "unreachable"' in server.sql("select detail::text from audit.entry where action = 'contact_read' order by entry_id desc limit 1")
    # The page itself shows nothing of it afterwards, and the audit has no name.
    for address in (path, f"/staff/{OPEN}/audit?action=contact_read"):
        assert person.email not in cora.get(address).text and "Canary" not in cora.get(address).text
    assert words("audit_action", "contact_read") in plain(cora.get(f"/staff/{OPEN}/audit"))


def test_the_consent_page_says_who_may_read_the_address(server, web, person):
    visitor = Member(server)
    assert words("consent", "shows_contact") in plain(visitor.get(f"/studies/{OPEN}/consent"))
    assert words("consent", "shows_contact") not in plain(visitor.get(f"/studies/{STUDY}/consent"))
    assert [visitor.get(f"/v1/studies/{study}").json()["shows_contact"] for study in (OPEN, STUDY)] == [True, False]


def test_a_study_that_does_not_need_it_shows_no_contact_data(server, contract, cora):
    made = Person(server, contract, name="Jon Canary").register().enrol()
    resource = f"/v1/studies/{STUDY}/participants/{made.enrolment['participant_id']}/contact"

    page = plain(cora.get(page_of(made, STUDY)))
    assert words("actions", "contact_hidden") in page and 'value="contact"' not in page
    reply = cora.session.post(server.url + resource, json={"reason": "alert"}, timeout=60)
    assert (reply.status_code, reply.json()["type"].rsplit("/", 1)[1]) == (403, "not-permitted")
    assert made.email not in reply.text


def test_a_mail_for_a_new_password_goes_to_the_address_that_the_coordinator_does_not_see(server, cora, person, mailbox):
    before = audited(server, "password_reset_sent")
    reply = cora.post(page_of(person), act="reset")

    assert reply.status_code == 303 and reply.headers["Location"].endswith("/actions?done=reset")
    assert words("actions", "done_reset") in plain(cora.get(reply.headers["Location"]))
    assert len(mailbox.wait_for(person.email)) == 1
    assert audited(server, "password_reset_sent") == before + 1
    for _ in range(6):
        last = cora.post(page_of(person), act="reset")
    assert last.status_code == 422 and person.email not in last.text


def test_the_arm_is_changed_after_the_numbers_of_both_arms(visitor, server, cora, person, web):
    resource = f"/v1/studies/{OPEN}/participants/{person.name_in_study}"
    counts = {row["arm"]: row["participants"] for row in cora.get(f"/v1/studies/{OPEN}/balance").json()["arms"]}
    arm = cora.get(f"{resource}/arm").json()["arm"]
    [other] = set(counts) - {arm}
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(f"/staff/{OPEN}/participants/{person.name_in_study}")
    page.get_by_role("link", name=words("actions", "title")).click()
    expect(page.locator("#arm-text")).to_contain_text(str(counts[arm] - 1))
    expect(page.locator("#arm-text")).to_contain_text(arm)

    # What is missing is named, and what was typed stays.
    page.get_by_label(words("actions", "arm_option", arm=other, count=counts[other], next=counts[other] + 1)).check()
    page.get_by_role("button", name=words("actions", "arm")).click()
    expect(page.locator("#errors li")).to_have_count(1)
    assert page.locator(f"input[name=arm][value={other}]").is_checked()
    page.locator("#reason").fill("The device was handed out by mistake.")
    page.get_by_role("button", name=words("actions", "arm")).click()

    expect(page.locator(".banner.ok")).to_have_text(words("actions", "done_arm"))
    changed = cora.get(f"{resource}/arm").json()
    assert changed["arm"] == other and [change["reason"] for change in changed["changes"]] == ["The device was handed out by mistake."]


@pytest.mark.parametrize("mode", ["stop", "exclude", "erase"])
def test_a_participation_ends_after_its_consequence_with_numbers_and_the_pseudonym(server, cora, person, mode):
    path, name = page_of(person), person.name_in_study
    before = audited(server, "withdrawn")
    assert words("actions", f"mode_{mode}_text", sheets=1, walks=0) in plain(cora.get(path))
    for fields, fault in (
            ({"mode": mode, "end_reason": "asked", "pseudonym": "P0000000"}, words("actions", "fault_pseudonym", participant=name)),
            ({"mode": "burn", "end_reason": "asked", "pseudonym": name}, words("actions", "fault_mode")),
            ({"mode": mode, "end_reason": "", "pseudonym": name}, words("actions", "fault_end_reason"))):
        refused = cora.post(path, act="end", **fields)
        assert refused.status_code == 422 and fault in plain(refused)
    assert person.call("GET", person.own(""), status=200)["status"] == "active" and audited(server, "withdrawn") == before

    reply = cora.post(path, act="end", mode=mode, end_reason="asked", pseudonym=f" {name.lower()} ")

    assert reply.status_code == 303, reply.text
    shown = plain(cora.get(reply.headers["Location"]))
    assert (words("actions", "done_stop") if mode == "stop" else words("audit_action", "withdrawn")) in shown
    assert audited(server, "withdrawn") == before + 1
    status = cora.get(f"/v1/studies/{OPEN}/participants/{name}").status_code
    assert status == (200 if mode == "stop" else 404)
    own = person.call("GET", person.own(""))
    assert own.status_code == (404 if mode == "erase" else 200)
    if mode == "stop":
        again = cora.post(path, act="end", mode="stop", end_reason="asked", pseudonym=name)
        assert again.status_code == 422 and words("actions", "fault_ended") in plain(again)
        assert 'value="arm"' not in cora.get(path).text, "the arm of an ended participation stays"


def test_only_coordinators_with_a_recent_password_act(server, study, person):
    path, resource = page_of(person), f"{server.url}/v1/studies/{OPEN}/participants/{person.name_in_study}"
    acts = [
        ("POST", "/contact", {"reason": "alert"}), ("POST", "/password-reset", None),
        ("POST", "/withdrawal", {"mode": "erase", "reason": "asked", "participant_id": person.name_in_study})]
    others = {"researcher": 403, "editor": 403}
    for role, status in others.items():
        member = Member(server, [(role, study)])
        assert member.get(path).status_code == status and member.post(path, act="reset").status_code == status
        assert path not in member.get(f"/staff/{study}/participants/{person.name_in_study}").text
        for method, end, body in acts:
            assert member.session.request(method, resource + end, json=body, timeout=60).status_code == status, (role, end)
    stranger = Member(server, [("coordinator", OTHER)])
    assert stranger.get(path).status_code in (403, 404)

    late = Member(server, [("coordinator", study)])
    assert 'name="pseudonym"' in late.get(path).text
    late.age(11)
    assert 'name="pseudonym"' not in late.get(path).text and words("actions", "password") in plain(late.get(path))
    arm = late.get(f"/v1/studies/{OPEN}/participants/{person.name_in_study}/arm").json()["arm"]
    for method, end, body in [*acts, ("PUT", "/arm", {"arm": arm, "reason": "A test."})]:
        reply = late.session.request(method, resource + end, json=body, timeout=60)
        assert (reply.status_code, reply.json()["type"].rsplit("/", 1)[1]) == (403, "password-required"), end
    sent = late.post(path, act="end", mode="erase", end_reason="asked", pseudonym=person.name_in_study)
    assert sent.status_code == 303 and sent.headers["Location"].startswith("/staff/login?next="), sent.headers
    assert person.call("GET", person.own(""), status=200)["status"] == "active"


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_page_has_no_accessibility_faults_and_fits_the_screen(visitor, server, study, person, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, Member(server, [("coordinator", study)]))
    page.goto(page_of(person))
    faults = [(fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in Axe().run(page).response["violations"]]

    assert faults == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#contact_reason").select_option("alert")
    page.get_by_role("button", name=words("actions", "contact_read")).click()
    expect(page.locator("#contact")).to_contain_text(re.compile("Ida Canary"))
    assert Axe().run(page).response["violations"] == []


def test_the_page_is_in_german(cora, person):
    text = html.unescape(cora.get(page_of(person), headers={"Accept-Language": "de"}).text)

    assert words("actions", "end", "de") in text and words("actions", "mode_erase", "de") in text
