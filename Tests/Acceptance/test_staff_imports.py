"""Questionnaires of other formats become part of a draft: by the route and by the page, all of a file or none."""

import io
import json
import re
import uuid
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from test_exchange import DICTIONARY, PHQ_LIKE, saunter, workbook
from test_staff_pages import STUDY, Member, sign_in

BAD_BUNDLE = {"resourceType": "Bundle", "entry": [
    {"resource": {"resourceType": "Questionnaire", "name": "Good", "item": [{"linkId": "a", "type": "string", "text": "A?"}]}},
    {"resource": {"resourceType": "Questionnaire", "name": "Empty"}},
    {"resource": {"resourceType": "Questionnaire", "name": "Odd", "item": [{"linkId": "x"}]}}]}
REASONS = ["/entry/1/resource/item: there are no items", "/entry/2/resource/item/0: an item needs linkId and type"]


@pytest.fixture(scope="module")
def eva(server, web):
    """An editor, who may create studies."""
    return Member(server, [("editor", STUDY)])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Format -> name and bytes of an example."""
    path = tmp_path_factory.mktemp("forms") / "form.xlsx"
    workbook(path)
    return {
        "fhir": ("two.json", json.dumps(PHQ_LIKE).encode()), "redcap": ("evening.csv", DICTIONARY.encode()),
        "xlsform": ("walking form.xlsx", path.read_bytes())}


@pytest.fixture
def study(eva):
    """A new study with a draft."""
    code = f"imports-{uuid.uuid4().hex[:8]}"
    made = {"study": code, "title": "Imports", "language": "en", "time_zone": "Europe/Berlin", "days": 14}
    reply = eva.session.post(f"{eva.server.url}/v1/staff/studies", json=made, timeout=60)
    assert reply.status_code == 201, reply.text
    return code


def draft(member, study):
    reply = member.get(f"/v1/studies/{study}/draft")
    assert reply.status_code == 200, reply.text
    return reply


def imported(member, study, format, data, **query):
    """Sends a file to the route."""
    headers = {"If-Match": draft(member, study).headers["ETag"], "Content-Type": "application/octet-stream"}
    return member.session.post(
        f"{member.server.url}/v1/studies/{study}/draft/questionnaires", params={"format": format, **query}, data=data, headers=headers, timeout=60)


def sent(member, study, name, data, **fields):
    """Sends the form of the page, without JavaScript."""
    return member.session.post(
        f"{member.server.url}/staff/{study}/draft/import", data=fields, files={"file": (name, data)}, timeout=60, allow_redirects=False)


def text_file(member, study, path):
    return member.get(f"/v1/studies/{study}/draft/file", params={"path": path}).json()["text"]


def test_files_of_all_formats_become_a_draft_without_faults(eva, study, files, tmp_path):
    schedules = {
        "fhir": {"schedule": "daily", "open": "18:00", "close": "22:00"}, "redcap": {"schedule": "weekly", "open": "20:00", "close": "01:00"},
        "xlsform": {"schedule": "once"}}
    before = text_file(eva, study, f"studies/{study}/study.yaml")
    remarks = {}
    for format, (name, data) in files.items():
        reply = imported(eva, study, format, data, name=name.rsplit(".")[0], **schedules[format])
        assert reply.status_code == 200, reply.text
        result = reply.json()
        assert {entry["study"] for entry in result["questionnaires"]} == {"added"} == {entry["schedule"] for entry in result["questionnaires"]}
        assert result["draft"]["faults"] == [], result["draft"]["faults"]
        remarks[format] = [remark["place"] for remark in result["remarks"]]

    assert "/item/1/extension" in remarks["fhir"] and "survey!A5" in remarks["xlsform"]
    after = text_file(eva, study, f"studies/{study}/study.yaml").splitlines()
    assert [line for line in before.splitlines() if line not in after] == []
    assert sorted(set(after) - set(before.splitlines())) == [
        "  - {code: evening, version: 1.0.0}", "  - {code: twomoods, version: 1.3.0}", "  - {code: walking_form, version: 1.0.0}"]
    pack = eva.get(f"/v1/studies/{study}/draft/pack")
    zipfile.ZipFile(io.BytesIO(pack.content)).extractall(tmp_path)
    assert "no faults" in saunter("check", tmp_path)


def test_a_file_with_faults_is_one_problem_with_all_of_them(eva, study):
    before = draft(eva, study)
    cases = {
        ("fhir", json.dumps(BAD_BUNDLE).encode()): REASONS, ("fhir", b"[" * 100): ["the file is not JSON: at byte 32, the text has more than 32 levels of nesting"],
        ("redcap", b"a,b\n1,2\n"): ["line 1: a data dictionary has the columns Variable / Field Name, Form Name and Field Type"],
        ("xlsform", b"one,two\n1,2\n"): ['there is no sheet "survey" with rows']}
    for (format, data), reasons in cases.items():
        reply = imported(eva, study, format, data)
        assert reply.status_code == 422 and reply.json()["type"].endswith("/questionnaire-invalid"), reply.text
        assert [fault["detail"] for fault in reply.json()["errors"]] == reasons
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", b" " * (60 << 20))
    assert "decompressed file is larger" in imported(eva, study, "xlsform", bomb.getvalue()).text
    assert draft(eva, study).headers["ETag"] == before.headers["ETag"]


def test_the_page_imports_without_javascript_and_shows_remarks_and_faults(eva, study, files, visitor, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, eva)
    page.goto(f"/staff/{study}/draft/import")
    page.get_by_role("button", name=words("draft_import", "send")).click()
    expect(page.locator("#errors li")).to_have_text([words("draft_import", "fault_format"), words("draft_import", "fault_file")])

    name, data = files["xlsform"]
    page.get_by_label(words("draft_import", "format_xlsform")).check()
    page.get_by_label(words("draft_import", "ask_daily")).check()
    page.get_by_label(words("draft_import", "open")).fill("18:00")
    page.get_by_label(words("draft_import", "file"), exact=True).set_input_files({"name": name, "mimeType": "application/zip", "buffer": data})
    page.get_by_role("button", name=words("draft_import", "send")).click()
    expect(page.locator("#errors li")).to_have_text([words("draft_import", "fault_close")])
    page.get_by_label(words("draft_import", "close")).fill("22:00")
    page.get_by_label(words("draft_import", "file"), exact=True).set_input_files({"name": name, "mimeType": "application/zip", "buffer": data})
    page.get_by_role("button", name=words("draft_import", "send")).click()

    main = page.locator("main")
    expect(main).to_contain_text("walking_form 1.0.0")
    expect(main).to_contain_text("survey!A5")
    expect(main).to_contain_text(words("draft_import", "no_faults"))
    page.locator(".steps").get_by_role("link", name=words("draft", "step_state")).click()
    expect(page).to_have_url(f"{web}/staff/{study}/draft")

    seen = visitor(reduced_motion="reduce")
    sign_in(seen, eva)
    seen.goto(f"/staff/{study}/draft/import")
    assert [fault["id"] for fault in Axe().run(seen).response["violations"]] == []

    refused = sent(eva, study, "bundle.json", json.dumps(BAD_BUNDLE).encode(), format="fhir", schedule="")
    assert refused.status_code == 422
    assert all(reason in refused.text for reason in REASONS)
    other = sent(eva, study, name, data, format="xlsform", schedule="any_time")
    assert other.status_code == 200 and words("draft_import", "schedule_added") in other.text
    assert re.findall(r"any_time: \[(.*?)\]", text_file(eva, study, f"studies/{study}/study.yaml")) == ["walking_form"]


def test_the_page_is_for_editors(server, eva, study):
    page = f"/staff/{study}/draft/import"
    strangers = Member(server, [("researcher", STUDY)]), Member(server, [("editor", STUDY)])
    assert [member.get(page).status_code for member in strangers] == [404, 404]
    researcher = Member(server, [("researcher", STUDY)])
    assert researcher.get(f"/staff/{STUDY}/draft/import").status_code == 403
    assert eva.get(page).status_code == 200
