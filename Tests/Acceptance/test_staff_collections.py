"""The collections of a draft: editors change, add, order and delete items in forms and through the API."""

import re
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from test_staff_draft_pages import OTHER, colleague, draft, file_text, hidden, put
from test_staff_pages import Member, sign_in

FIELDS = "title: {en: Sayings}\nfields: {body: {type: text, maxLength: 80}, more: markdown, year: integer, picture: {type: media, kind: image}}\n"


@pytest.fixture(scope="module")
def rosa(server, web):
    return Member(server, [("editor", OTHER)])


@pytest.fixture
def study(rosa):
    """A draft with a collection of three sayings."""
    code = f"coll-{uuid.uuid4().hex[:8]}"
    made = rosa.post("/staff", study=code, title="Calm evenings", language="en", time_zone="Europe/Berlin", days="14")
    assert made.status_code == 303, made.text
    put(rosa, code, f"studies/{code}/library/sayings.yaml", FIELDS)
    put(rosa, code, f"studies/{code}/library/sayings.csv", "id,year\none,1900\ntwo,\nthree,\n")
    put(rosa, code, f"studies/{code}/library/sayings.en.csv", "id,body\none,First\ntwo,Second\nthree,Third\n")
    return code


def api(member, method, study, path="", status=200, revision=None, **body):
    known = draft(member, study)["revision"] if revision is None else revision
    reply = member.session.request(
        method, f"{member.server.url}/v1/studies/{study}/draft/collections{path}", json=body or None,
        headers={"If-Match": f'"{known}"'}, timeout=60)
    assert reply.status_code == status, reply.text
    return reply.json()


def ids(member, study):
    return [item["id"] for item in api(member, "GET", study, "/sayings")["items"]]


def test_items_are_changed_added_ordered_and_deleted_through_the_api(rosa, study):
    [summary] = api(rosa, "GET", study)["items"]
    assert summary == {"collection": "sayings", "title": {"en": "Sayings"}, "items": 3, "editable": True}

    changed = api(rosa, "PUT", study, "/sayings/items/two", values={}, words={"en": {"body": "Second, better"}})
    assert changed["faults"] == []
    api(rosa, "PUT", study, "/sayings/items/four", position=1, words={"en": {"body": "Fourth"}}, values={"tags": "new"})
    api(rosa, "PUT", study, "/sayings/items/three", position=0)
    api(rosa, "DELETE", study, "/sayings/items/one")
    assert ids(rosa, study) == ["three", "four", "two"]
    assert file_text(rosa, study, f"studies/{study}/library/sayings.csv") == "id,year,tags\nthree,,\nfour,,new\ntwo,,\n"
    assert file_text(rosa, study, f"studies/{study}/library/sayings.en.csv") == 'id,body\nthree,Third\nfour,Fourth\ntwo,"Second, better"\n'
    api(rosa, "PUT", study, "/sayings", items=[{"id": "a", "words": {"en": {"body": "A"}}}, {"id": "b", "words": {"en": {"body": "B"}}}])
    assert ids(rosa, study) == ["a", "b"]


def test_bad_items_change_nothing_and_name_every_fault(rosa, study, server):
    before, revision = ids(rosa, study), draft(rosa, study)["revision"]
    problem = api(rosa, "PUT", study, "/sayings", 422, items=[
        {"id": "Bad Id", "values": {"colour": "red"}}, {"id": "a", "words": {"fr": {"body": "x"}, "en": {"year": "1"}}}, {"id": "a"}])
    assert [error["pointer"] for error in problem["errors"]] == [
        "/items/0/id", "/items/0/values/colour", "/items/1/words/fr", "/items/1/words/en/year", "/items/2/id"]
    api(rosa, "PUT", study, "/sayings/items/x", 412, revision=revision + 5, values={})
    api(rosa, "DELETE", study, "/sayings/items/none", 404)
    api(rosa, "GET", study, "/none", 404)
    for role, status in (("researcher", 403), ("coordinator", 403)):
        api(colleague(server, study, role), "PUT", study, "/sayings/items/x", status, revision=revision, values={})
    stranger = Member(server, [("editor", OTHER)])
    api(stranger, "PUT", study, "/sayings/items/x", 404, revision=revision, values={})
    assert ids(rosa, study) == before and draft(rosa, study)["revision"] == revision
    # A fault of the content is saved, and reported with its place.
    saved = api(rosa, "PUT", study, "/sayings/items/two", words={"en": {"body": "x" * 81}})
    assert any("81 characters" in fault["message"] for fault in saved["faults"])


def test_an_editor_works_in_forms_and_a_stale_form_loses_nothing(rosa, study, server):
    page = f"/staff/{study}/draft/collections"
    assert "Sayings" in rosa.get(page).text and words("collections", "items_other").replace("{count}", "3") in rosa.get(page).text
    form = rosa.get(f"{page}/sayings/two").text
    # The page names the collection and the known fields in words, and a field with one value only once.
    assert "<h1>Sayings › two</h1>" in form and f'href="{page}/sayings">Sayings</a>' in form
    assert f"<legend>{words('collections', 'field_body')}</legend>" in form and "<legend>more</legend>" in form
    assert f"""<label for="f-value-year" class="visually-hidden">{words('collections', 'field_year')}</label>""" in form
    fields = {"id": "two", "revision": hidden(form, "revision"), "digest": hidden(form, "digest"), "word:en:body": "Mine"}
    # A change elsewhere in the draft does not matter.
    put(rosa, study, f"studies/{study}/content/text.en.yaml", file_text(rosa, study, f"studies/{study}/content/text.en.yaml") + "\n")
    assert rosa.post(f"{page}/sayings/items/save", **fields).status_code == 303
    # A change of the same item does.
    stale = rosa.post(f"{page}/sayings/items/save", **{**fields, "word:en:body": "Mine again"})
    assert stale.status_code == 422 and words("collections", "fault_changed") in stale.text
    assert 'value="Mine again"' in stale.text and re.search(r'value_now|class="lines">Mine<', stale.text)
    again = {**fields, "revision": hidden(stale.text, "revision"), "digest": hidden(stale.text, "digest"), "word:en:body": "Mine again"}
    assert rosa.post(f"{page}/sayings/items/save", **again).status_code == 303
    assert "two,Mine again" in file_text(rosa, study, f"studies/{study}/library/sayings.en.csv")
    # Only with an id that is free.
    taken = rosa.post(f"{page}/sayings/items/save", id="two", is_new="1", revision=again["revision"], digest="")
    assert taken.status_code == 422 and 'id="id-fault"' in taken.text
    # A reader sees it without forms.
    reader = colleague(server, study, "researcher")
    for path in ("", "/sayings", "/sayings/two"):
        text = reader.get(page + path).text
        assert "Sayings" in text or "two" in text
        assert 'class="primary"' not in text and "items/save" not in text.replace('action="', "", 0) or 'readonly' in text
    assert reader.post(f"{page}/sayings/items/save", **again).status_code == 403


def test_order_and_a_new_item_in_the_browser(visitor, rosa, study):
    page = visitor()
    page.set_viewport_size({"width": 390, "height": 800})
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/collections/sayings")
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("button", name=f"{words('collections', 'up')}: three").click()
    expect(page.get_by_role("status")).to_have_text(words("collections", "notice_moved"))
    assert ids(rosa, study) == ["one", "three", "two"]
    page.get_by_role("link", name=words("collections", "new")).click()
    assert Axe().run(page).response["violations"] == []
    page.get_by_label(words("collections", "id"), exact=True).fill("four")
    page.locator("[name='word:en:body']").fill("A fourth saying")
    page.locator("[name='word:en:more']").fill("With *more* words")
    page.get_by_role("button", name=words("draft", "save")).click()
    expect(page.get_by_role("link", name="four")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="four").click()
    page.locator("#delete summary").click()
    page.get_by_role("button", name=words("collections", "delete_now")).click()
    expect(page.get_by_role("status")).to_have_text(words("collections", "notice_deleted"))
    assert ids(rosa, study) == ["one", "three", "two"]
