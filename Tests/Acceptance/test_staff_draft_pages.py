"""The pages of a draft: its state, the editor of files, the forms for words and times, and who may open them."""

import difflib
import html
import io
import re
import uuid
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from test_staff_pages import OTHER, Member, sign_in

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082")


@pytest.fixture(scope="module")
def rosa(server, web):
    """An editor who creates studies."""
    return Member(server, [("editor", OTHER)])


@pytest.fixture
def study(rosa):
    """The code of a new study, which is a draft."""
    code = f"draft-{uuid.uuid4().hex[:8]}"
    made = rosa.post("/staff", study=code, title="Calm evenings", language="en", time_zone="Europe/Berlin", days="14")
    assert made.status_code == 303 and made.headers["Location"] == f"/staff/{code}/draft?notice=created", made.text
    return code


def draft(member, study):
    return member.get(f"/v1/studies/{study}/draft").json()


def file_text(member, study, path):
    return member.get(f"/v1/studies/{study}/draft/file", params={"path": path}).json()["text"]


def put(member, study, path, text):
    """Another editor saves a file by the API."""
    reply = member.session.put(
        f"{member.server.url}/v1/studies/{study}/draft/file", params={"path": path}, json={"text": text},
        headers={"If-Match": f'"{draft(member, study)["revision"]}"'}, timeout=60)
    assert reply.status_code == 200, reply.text


def path_of(member, study, end):
    return next(file["path"] for file in draft(member, study)["files"] if file["path"].endswith(end))


def colleague(server, study, role="editor"):
    return Member(server, [(role, study)])


def hidden(text, name):
    return html.unescape(re.search(rf'name="{re.escape(name)}" value="([^"]*)"', text)[1])


# Who sees what

def test_a_new_study_is_listed_for_its_team_and_its_page_leads_to_the_draft(server, rosa, study):
    reader, stranger = colleague(server, study, "researcher"), Member(server, [("researcher", OTHER)])

    for member in (rosa, reader):
        assert f'href="/staff/{study}/draft"' in member.get("/staff").text
        assert member.get(f"/staff/{study}").headers["Location"] == f"/staff/{study}/draft"
        for page in ("", "/words", "/schedule", f"/file?path=studies/{study}/study.yaml"):
            assert member.get(f"/staff/{study}/draft{page}").status_code == 200, page
    assert study not in stranger.get("/staff").text and stranger.get(f"/staff/{study}").status_code == 404
    assert stranger.get(f"/staff/{study}/draft").status_code == 404
    assert Member(server).get(f"/staff/{study}/draft").status_code == 403
    # A reader has no forms, and cannot send them.
    for page in ("", "/words", "/schedule", f"/file?path=studies/{study}/study.yaml"):
        assert 'class="primary"' not in reader.get(f"/staff/{study}/draft{page}").text, page
    before = draft(rosa, study)["revision"]
    for form in ("/words", "/schedule", "/file", "/file/delete", "/discard"):
        fields = {"path": f"studies/{study}/study.yaml", "revision": str(before), "text": "x", "digest": ""}
        assert reader.post(f"/staff/{study}/draft{form}", **fields).status_code == 403, form
    assert draft(rosa, study)["revision"] == before
    assert words("new_study", "create") not in reader.get("/staff").text
    assert reader.post("/staff", study="x", title="X", language="en", time_zone="UTC", days="1").status_code == 403


def test_the_form_of_a_new_study_reports_all_faults_and_a_taken_code(rosa, study):
    empty = rosa.post("/staff", study="1 x", title=" ", language="en", time_zone="Europe/Berlin", days="0")
    taken = rosa.post("/staff", study=study, title="Again", language="en", time_zone="Europe/Berlin", days="14")

    assert empty.status_code == taken.status_code == 422
    for field in ("study", "title", "days"):
        assert f'id="{field}-fault"' in empty.text, field
    assert words("new_study", "fault_taken") in taken.text and 'value="Again"' in taken.text
    assert '<details id="new" open>' in taken.text


def test_a_study_can_begin_in_a_language_without_words_of_the_app(rosa):
    code = f"draft-{uuid.uuid4().hex[:8]}"
    made = rosa.post("/staff", study=code, title="Soirées calmes", language="fr", time_zone="Europe/Paris", days="14")
    wrong = rosa.post("/staff", study=f"{code}-x", title="X", language="French, please", time_zone="Europe/Paris", days="14")

    assert made.status_code == 303, made.text
    found = draft(rosa, code)
    assert found["faults"] == [] and f"studies/{code}/content/text.fr.yaml" in [file["path"] for file in found["files"]]
    assert wrong.status_code == 422 and 'id="language-fault"' in wrong.text and 'value="French, please"' in wrong.text


def test_the_length_and_the_daily_reminder_are_beside_the_schedule_and_comments_stay(server, rosa, study, visitor):
    path = f"studies/{study}/study.yaml"
    before = file_text(rosa, study, path)
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/schedule")
    settings = page.locator("section[aria-labelledby=settings]")
    expect(settings.get_by_label(words("draft", "setting_days"), exact=True)).to_have_value("14")
    expect(settings.get_by_label(words("draft", "setting_target"), exact=True)).to_have_value("")
    for name, value in (("setting_days", "20"), ("setting_target", "120"), ("setting_reminder_at", "19:15")):
        settings.get_by_label(words("draft", name), exact=True).fill(value)
    # The first channel is replaced, and a third one is added.
    for number, (before_, channel) in enumerate([("push", "in_app"), ("mail", "mail"), ("", "webhook"), ("", "")], 1):
        place = settings.get_by_label(words("draft", "channel_place").format(number=number), exact=True)
        expect(place).to_have_value(before_)
        place.select_option(channel)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()

    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))
    after = file_text(rosa, study, path)
    assert re.search(r"^days: 20 ", after, re.M) and re.search(r"^target: 120$", after, re.M)
    assert 'at: "19:15"' in after and "channels: [in_app, mail, webhook]" in after
    # Nothing else changed, and every comment is where it was.
    changed = [line for line in before.split("\n") if line not in after.split("\n")]
    assert [line.split(":")[0] for line in changed] == ["days", "reminder"]
    assert re.findall("#.*", before) == re.findall("#.*", after)
    assert draft(rosa, study)["faults"] == []
    german = rosa.get(f"/staff/{study}/draft", headers={"Accept-Language": "de"}).text
    assert re.search(r'<section aria-labelledby="burden"><h2 id="burden">%s</h2>\s*<ul><li>Arm [^<]+ Minuten für Fragebögen am Tag\.' % re.escape(words("draft", "burden", "de")), german)
    assert "minutes of questionnaires" not in german
    settings.get_by_label(words("draft", "setting_days"), exact=True).fill("0")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved_faults"))

    # A channel twice, and none at all, are faults at their fields. Nothing is saved.
    def place(number):
        return settings.get_by_label(words("draft", "channel_place").format(number=number), exact=True)

    def chosen():
        return [place(number).input_value() for number in range(1, 5)]

    after = file_text(rosa, study, path)
    place(3).select_option("mail")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#errors")).to_contain_text(words("draft", "fault_channel_twice"))
    expect(place(3)).to_have_attribute("aria-invalid", "true")
    assert chosen() == ["in_app", "mail", "mail", ""]
    for number in (1, 2, 3):
        place(number).select_option("")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#errors")).to_contain_text(words("draft", "fault_no_channel"))
    assert file_text(rosa, study, path) == after
    # Another editor changes the channels in the meantime: both are shown, and what was chosen stays.
    place(2).select_option("push")
    ben = colleague(server, study)
    put(ben, study, path, file_text(ben, study, path).replace("channels: [in_app, mail, webhook]", "channels: [mail]"))
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#errors")).to_contain_text(words("draft", "fault_value_changed").format(name=words("draft", "setting_reminder_channels")))
    expect(settings).to_contain_text(f"{words('draft', 'value_now')} {words('draft', 'channel_mail')}")
    assert "channels: [mail]" in file_text(rosa, study, path)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_be_visible()
    assert "channels: [push]" in file_text(rosa, study, path)


# Faults

def test_a_fault_leads_to_its_line_in_the_editor(visitor, server, rosa, study):
    path = f"studies/{study}/schedule.yaml"
    lines = file_text(rosa, study, path).split("\n")
    wrong = next(number for number, line in enumerate(lines, 1) if "late_policy:" in line)
    lines[wrong - 1] = re.sub("late_policy: *\\w+", "late_policy: never", lines[wrong - 1])
    put(rosa, study, path, "\n".join(lines))
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft")

    link = page.locator("#faults a").filter(has_text=f"{path}:{wrong}").first
    expect(page.locator("#ready")).to_have_count(0)
    # The faults are in English on every page.
    expect(page.locator("#faults ul")).to_have_attribute("lang", "en")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(path)
    # The line is selected, and without script it is above the text.
    selected = page.locator("#text").evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert selected == lines[wrong - 1]
    expect(page.locator(".excerpt .marked code")).to_have_text(lines[wrong - 1].strip())
    page.locator("#text").fill("\n".join(lines).replace("late_policy: never", "late_policy: flag"))
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_have_text(words("draft", "notice_file_saved"))
    page.locator("nav.steps").get_by_role("link", name=words("draft", "step_state")).click()
    expect(page.locator("#ready")).to_have_text(words("draft", "ready"))


# The editor of a file

def test_a_stale_file_shows_both_texts_and_keeps_what_was_typed(visitor, server, web, rosa, study):
    ben, path = colleague(server, study), f"studies/{study}/content/text.en.yaml"
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/file?path={path}")
    before = page.locator("#text").input_value()
    mine, theirs = before + "# A line of Rosa: ä < b & \"c\"\n", "# A line of Ben\n" + before
    assert before == file_text(rosa, study, path)
    put(ben, study, path, theirs)

    page.locator("#text").fill(mine)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#errors")).to_contain_text(words("draft", "fault_file_changed"))
    assert page.locator("#text").input_value() == mine and page.locator("#now").input_value() == theirs
    expect(page.locator(".difference .removed code")).to_have_text(["# A line of Ben"])
    expect(page.locator(".difference .added code")).to_have_text(["# A line of Rosa: ä < b & \"c\""])
    assert file_text(rosa, study, path) == theirs, "nothing was saved"

    both = "# A line of Ben\n" + mine
    page.locator("#text").fill(both)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_have_text(words("draft", "notice_file_saved"))
    assert file_text(rosa, study, path) == both
    # A change of another file is no conflict.
    put(ben, study, f"studies/{study}/content/course.en.yaml", file_text(ben, study, f"studies/{study}/content/course.en.yaml") + "# more\n")
    page.locator("#text").fill(before)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_have_text(words("draft", "notice_file_saved"))
    assert file_text(rosa, study, path) == before


def test_a_form_that_is_sent_after_the_session_keeps_what_was_typed(server, rosa, study):
    path, page = f"studies/{study}/content/text.en.yaml", f"/staff/{study}/draft/file"
    form = rosa.get(page, params={"path": path}).text
    text = file_text(rosa, study, path) + "# \"ä\" < b\n"
    rosa.age(31)

    late = rosa.post(page, path=path, revision=hidden(form, "revision"), digest=hidden(form, "digest"), text=text)
    assert late.status_code == 422 and words("draft", "again") in late.text and f'action="{page}"' in late.text
    rosa.post("/staff/login", password=rosa.password, next="/staff")
    kept = {name: hidden(late.text, name) for name in ("path", "revision", "digest", "text")}
    assert kept["text"] == text
    assert rosa.post(page, **kept).status_code == 303 and file_text(rosa, study, path) == text


def test_what_was_typed_survives_the_end_of_the_draft(visitor, server, rosa, study):
    path, texts = f"studies/{study}/study.yaml", f"studies/{study}/content/text.en.yaml"
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)

    def end(publishes):
        revision = draft(rosa, study)["revision"]
        if publishes:
            reply = rosa.session.post(
                f"{server.url}/v1/studies/{study}/draft/publication", json={"confirm": study, "move_enrolments": False},
                headers={"If-Match": f'"{revision}"', "Origin": server.url}, timeout=60)
        else:
            reply = rosa.session.delete(
                f"{server.url}/v1/studies/{study}/draft", headers={"If-Match": f'"{revision}"', "Origin": server.url}, timeout=60)
        assert reply.status_code in (200, 204), reply.text

    # A colleague publishes the draft while the editor types a file.
    page.goto(f"/staff/{study}/draft/file?path={texts}")
    mine = page.locator("#text").input_value() + "# A line of Rosa: ä < b & \"c\"\n"
    page.locator("#text").fill(mine)
    end(publishes=True)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#ended")).to_have_text(words("draft", "ended"))
    kept = page.get_by_label(texts, exact=True)
    assert kept.input_value() == mine
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as download:
        page.get_by_role("button", name=words("draft", "download_typed")).click()
    assert download.value.suggested_filename == "text.en.yaml" and download.value.path().read_text() == mine
    kept.fill(mine + "# more\n")
    page.get_by_role("button", name=words("draft", "begin_and_save")).click()
    expect(page.locator(".banner.ok")).to_have_text(words("draft", "notice_file_saved"))
    assert file_text(rosa, study, texts) == mine + "# more\n" and draft(rosa, study)["based_on"] == "1.0.0"

    # A colleague discards it while the editor changes words.
    page.goto(f"/staff/{study}/draft/words")
    title = page.locator(f'[name="value:{texts}#/title"]')
    title.fill("Calm nights")
    end(publishes=False)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#ended")).to_be_visible()
    assert page.get_by_label(f"{texts}#/title", exact=True).input_value() == "Calm nights"
    page.get_by_role("button", name=words("draft", "begin_and_save")).click()
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))
    assert "Calm nights" in file_text(rosa, study, texts)
    # A form of an ended draft is not kept for strangers, and the next draft has other revisions.
    assert Member(server, [("editor", OTHER)]).post(f"/staff/{study}/draft/file", path=path, revision="1", digest="", text="x").status_code == 404
    assert draft(rosa, study)["revision"] >= 4


def test_a_draft_of_an_unpublished_study_that_was_discarded_keeps_the_text_for_a_download(server, rosa, study):
    path, page = f"studies/{study}/content/text.en.yaml", f"/staff/{study}/draft/file"
    form = rosa.get(page, params={"path": path}).text
    reply = rosa.session.delete(
        f"{server.url}/v1/studies/{study}/draft", headers={"If-Match": '"1"', "Origin": server.url}, timeout=60)
    assert reply.status_code == 204

    late = rosa.post(page, path=path, revision=hidden(form, "revision"), digest=hidden(form, "digest"), text="title: \"<b>\"\n")
    assert late.status_code == 422 and words("draft", "ended_never") in html.unescape(late.text)
    assert "title: &quot;&lt;b&gt;&quot;" in late.text and words("draft", "begin_and_save") not in late.text
    saved = rosa.post(f"/staff/{study}/draft/typed", path="../x\"y.yaml", text="title: \"<b>\"\n")
    assert saved.text == "title: \"<b>\"\n" and saved.headers["Content-Type"].startswith("text/plain")
    assert saved.headers["Content-Disposition"] == 'attachment; filename="xy.yaml"'


def test_a_new_study_keeps_its_fields_if_the_session_has_ended(server, rosa):
    values = {"study": f"kept-{uuid.uuid4().hex[:8]}", "title": "Calm < \"mornings\"", "language": "de", "time_zone": "Europe/Zurich", "days": "12"}
    rosa.age(31)
    late = rosa.post("/staff", **values)
    assert late.status_code == 422 and words("draft", "again") in late.text and 'action="/staff"' in late.text
    kept = {name: hidden(late.text, name) for name in values}
    assert kept == values
    rosa.post("/staff/login", password=rosa.password, next="/staff")
    assert rosa.post("/staff", **kept).status_code == 303
    assert draft(rosa, values["study"])["title"] == values["title"]


def test_files_are_added_shown_and_deleted_without_javascript(visitor, rosa, study):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft")
    new, picture = f"studies/{study}/content/notes.md", f"studies/{study}/media/dot.png"
    page.locator("#new-path").fill(new)
    page.get_by_role("button", name=words("draft", "new_text")).click()
    expect(page.get_by_text(words("draft", "new_file"))).to_be_visible()
    # A line break at the beginning of the text stays.
    page.locator("#text").fill("\nNotes\n")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    page.wait_for_load_state()
    assert file_text(rosa, study, new) == "\nNotes\n" and page.locator("#text").input_value() == "\nNotes\n"

    page.locator("nav.steps").get_by_role("link", name=words("draft", "step_state")).click()
    page.get_by_role("link", name=words("draft", "upload_file")).click()
    page.locator("#path").fill(picture)
    page.locator("#file").set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": PNG})
    page.get_by_role("button", name=words("draft", "upload_file_now")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(picture)
    assert page.locator("img.picture").evaluate("image => image.complete && image.naturalWidth") == 1

    page.locator("#delete summary").click()
    page.get_by_role("button", name=words("draft", "delete_now")).click()
    expect(page.locator(".banner.ok")).to_have_text(words("draft", "notice_deleted"))
    assert picture not in [file["path"] for file in draft(rosa, study)["files"]]

    # A film of more than 1 MiB. The path is a folder, so the file keeps its name. A page with the name of a film is refused.
    film = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\0\x08moov" + (2 << 20).to_bytes(4, "big") + b"mdat" + bytes((2 << 20) - 8)
    folder = f"studies/{study}/library/media/"
    for content in (b"<!doctype html>", film):
        page.goto(f"/staff/{study}/draft/file/upload?path={folder}")
        page.locator("#file").set_input_files({"name": "walk.mp4", "mimeType": "video/mp4", "buffer": content})
        page.get_by_role("button", name=words("draft", "upload_file_now")).click()
        if content != film:
            expect(page.locator("#file-fault")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(folder + "walk.mp4")
    assert {"path": folder + "walk.mp4", "bytes": len(film)}.items() <= next(
        file for file in draft(rosa, study)["files"] if file["path"].endswith(".mp4")).items()


def test_a_text_of_a_mebibyte_passes_through_the_form(rosa, study):
    path = f"studies/{study}/README.md"
    page = rosa.get(f"/staff/{study}/draft/file", params={"path": path}).text
    # Each sign is two bytes of the text and six of the form.
    text = ("ü" * 63 + "\n") * ((1 << 20) // 127)
    text += "ü" * (((1 << 20) - len(text.encode())) // 2)
    assert len(text.encode()) in ((1 << 20) - 1, 1 << 20)

    reply = rosa.post(
        f"/staff/{study}/draft/file", path=path, revision=hidden(page, "revision"), digest=hidden(page, "digest"), text=text.replace("\n", "\r\n"))
    assert reply.status_code == 303, reply.text[:2000]
    assert file_text(rosa, study, path) == text


# The forms for words and times

def test_a_form_changes_one_line_and_keeps_the_changes_of_others(visitor, server, rosa, study):
    ben, page = colleague(server, study), visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/words")
    words_file = path_of(rosa, study, "text.en.yaml")
    before = {file["path"]: file_text(rosa, study, file["path"]) for file in draft(rosa, study)["files"]}
    question, note = (page.locator(f"[name^='value:'][name$='#/items/{name}']").first for name in ("mood", "note"))
    questionnaire = question.get_attribute("name").removeprefix("value:").partition("#")[0]
    assert words_file and question.input_value() in before[questionnaire]
    # Ben changes another text in the meantime.
    put(ben, study, questionnaire, before[questionnaire].replace(note.input_value(), "Is there more?"))

    question.fill("How do you feel: well?")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))
    after = {file["path"]: file_text(rosa, study, file["path"]) for file in draft(rosa, study)["files"]}
    assert [path for path in before if before[path] != after[path]] == [questionnaire]
    changed = [line for line in difflib.ndiff(before[questionnaire].split("\n"), after[questionnaire].split("\n")) if line[0] == "+"]
    assert len(changed) == 2 and "How do you feel: well?" in changed[0] and "Is there more?" in changed[1], changed

    # Both change the same text.
    page.goto(f"/staff/{study}/draft/words")
    put(ben, study, questionnaire, after[questionnaire].replace("How do you feel: well?", "How is Ben?"))
    question.fill("How is Rosa?")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#errors li")).to_have_count(1)
    assert question.input_value() == "How is Rosa?"
    expect(page.locator("main .field").filter(has=question).locator(".hint")).to_contain_text("How is Ben?")
    assert "How is Rosa?" not in file_text(rosa, study, questionnaire)
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    assert "How is Rosa?" in file_text(rosa, study, questionnaire)


def test_times_are_changed_in_the_schedule(visitor, rosa, study):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/schedule")
    path = f"studies/{study}/schedule.yaml"
    before = file_text(rosa, study, path)
    field = page.locator("main input[type=time]").first
    assert field.input_value() in before

    field.fill("16:20")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator(".banner.ok")).to_contain_text(words("draft", "notice_saved"))
    after = file_text(rosa, study, path)
    changed = [line for line in difflib.ndiff(before.split("\n"), after.split("\n")) if line[0] in "+-"]
    assert len(changed) == 2 and "16:20" in changed[1], changed
    # Comments stay.
    assert before.count("#") == after.count("#")


# All files

def test_the_pack_is_downloaded_replaced_and_discarded(server, rosa, study):
    downloaded = rosa.get(f"/v1/studies/{study}/draft/pack")
    assert downloaded.status_code == 200 and downloaded.headers["Content-Type"] == "application/zip"
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(downloaded.content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(b"Calm evenings", b"Quiet evenings"))
        assert len(old.namelist()) == len(draft(rosa, study)["files"])

    def upload(content, revision):
        return rosa.session.post(
            f"{server.url}/staff/{study}/draft/pack", data={"revision": str(revision)}, files={"pack": ("study.zip", content, "application/zip")}, timeout=60,
            allow_redirects=False)

    revision = draft(rosa, study)["revision"]
    assert upload(b"no zip file", revision).status_code == 422
    assert upload(b"", revision).status_code == 422
    assert words("draft", "fault_upload_changed") in upload(changed.getvalue(), revision + 5).text
    assert draft(rosa, study)["revision"] == revision
    done = upload(changed.getvalue(), revision)
    assert done.status_code == 303 and done.headers["Location"].endswith("notice=uploaded"), done.text
    assert draft(rosa, study)["title"] == "Quiet evenings"

    # The draft is discarded with a password of the last minutes only, and as it was seen.
    page, form = f"/staff/{study}/draft", f"/staff/{study}/draft/discard"
    assert words("draft", "fault_discard_changed") in rosa.post(form, revision=str(revision)).text
    rosa.age(11)
    late = rosa.post(form, revision=str(revision + 1))
    assert late.headers["Location"] == f"/staff/login?next={page}" and rosa.get(page).status_code == 200
    rosa.post("/staff/login", password=rosa.password, next=page)
    assert rosa.post(form, revision=str(revision + 1)).headers["Location"] == "/staff"
    assert rosa.get(page).status_code == 404 and f'href="{page}"' not in rosa.get("/staff").text


def test_an_editor_starts_a_draft_of_a_published_study(server, rosa):
    ben, page = Member(server, [("researcher", OTHER)]), f"/staff/{OTHER}/draft"
    assert words("draft", "start") not in ben.get(page).text and words("draft", "none") in ben.get(page).text
    assert words("draft", "start") in rosa.get(page).text
    assert ben.post(page, version="").status_code == 403

    assert words("draft", "fault_version") in rosa.post(page, version="9.9.9").text
    assert rosa.post(page, version="").headers["Location"] == f"{page}?notice=started"
    try:
        text = rosa.get(page).text
        assert words("draft", "mark_same") in text and words("draft", "mark_changed") not in text
        # A second start leads to the same draft.
        assert rosa.post(page, version="").headers["Location"] == f"{page}?notice=changed"
    finally:
        gone = rosa.post(f"{page}/discard", revision=str(draft(rosa, OTHER)["revision"]))
    assert gone.headers["Location"] == f"/staff/{OTHER}"


# How the pages look

@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, rosa, study, scheme, width):
    path = f"studies/{study}/study.yaml"
    put(rosa, study, path, file_text(rosa, study, path) + "a_word_that_no_study_has_and_that_is_long_enough_to_be_wider_than_a_phone: 1\n")
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, rosa)
    axe, faults = Axe(), []

    def check(name):
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults.extend((name, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"])
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            faults.append((name, "wide", wide))

    base = f"/staff/{study}/draft"
    for address in ("/staff", base, f"{base}/words", f"{base}/schedule", f"{base}/file?path={path}&line=3", f"{base}/file/upload"):
        page.goto(address)
        check(address)
    page.goto(f"{base}/file?path={path}")
    put(rosa, study, path, "code: other\n")
    page.get_by_role("button", name=words("draft", "save"), exact=True).click()
    expect(page.locator("#stale")).to_be_visible()
    check("stale")
    assert faults == []
