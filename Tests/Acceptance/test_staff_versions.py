"""The pages of versions and of the publication of a draft: the preview, the form, the result, and what a version changed."""

import csv
import html
import io
import itertools
import re
import shutil
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import ROOT
from test_blinding import CANARY, Team
from test_staff_pages import Member, log_in, sign_in

# A study that no other test file uses.
STUDY = "version-diary"
BASE = f"/v1/studies/{STUDY}"
PAGE, PUBLISH = f"/staff/{STUDY}/versions", f"/staff/{STUDY}/draft/publish"
FOLDER = f"studies/{STUDY}"
SETTINGS, SCHEDULE, QUOTES = f"{FOLDER}/study.yaml", f"{FOLDER}/schedule.yaml", f"{FOLDER}/library/quotes.en.csv"
# Every version of these tests has another number, and its occasions open at another minute.
numbers = itertools.count(1)


@pytest.fixture(scope="module")
def diary(server, web, tmp_path_factory):
    """The server, with a study for three weeks and a small library."""
    folder = tmp_path_factory.mktemp("versions")
    shutil.copytree(ROOT / "Tests" / "Acceptance" / "packs" / "pocket-diary", folder, dirs_exist_ok=True)
    pack = (folder / "studies" / "pocket-diary").rename(folder / "studies" / STUDY)
    for name, old, new in (("study.yaml", "code: pocket-diary", f"code: {STUDY}"), ("schedule.yaml", "until_day: 2", "until_day: 20")):
        text = (pack / name).read_text()
        assert old in text
        (pack / name).write_text(text.replace(old, new))
    (pack / "library").mkdir()
    (pack / "library" / "quotes.yaml").write_text("title: {en: Quotes}\nfields: {body: text}\nselect: {list: true}\n")
    (pack / "library" / "quotes.csv").write_text("id\none\ntwo\n")
    (pack / "library" / "quotes.en.csv").write_text("id,body\none,Walk slowly\ntwo,Breathe out\n")
    server.run("publish", pack)
    return server


@pytest.fixture
def edda(diary):
    """An editor with a new password."""
    return Member(diary, [("editor", STUDY)])


@pytest.fixture
def ada(diary, contract):
    return Person(diary, contract, name="Ada Canary").register().enrol(study=STUDY)


def api(member, method, path, status=200, **more):
    """A request of a script in the browser of a member; the reply."""
    reply = member.session.request(method, f"{member.server.url}{BASE}{path}", timeout=60, allow_redirects=False, **more)
    assert reply.status_code == status, reply.text
    return reply


def begin(member):
    """A new draft of the live version."""
    found = member.get(f"{BASE}/draft")
    if found.status_code == 200:
        api(member, "DELETE", "/draft", 204, headers={"If-Match": found.headers["ETag"]})
    return api(member, "POST", "/draft", 201, json={}).json()


def change(member, path, pattern, new):
    """Changes a file of the draft as a script does; the draft."""
    file = api(member, "GET", "/draft/file", params={"path": path}).json()
    text, count = re.subn(pattern, new, file["text"], count=1)
    assert count == 1, file["text"]
    return api(member, "PUT", "/draft/file", params={"path": path}, json={"text": text}, headers={"If-Match": f'"{file["revision"]}"'}).json()


def new_version(member):
    """A draft with another version and schedule; the version."""
    begin(member)
    number = next(numbers)
    change(member, SETTINGS, r"version: \d+\.\d+\.\d+", f"version: 1.{number}.0")
    change(member, SCHEDULE, r'open: "\d\d:\d\d"', f'open: "00:{number:02}"')
    return f"1.{number}.0"


def live(member):
    return next(item for item in api(member, "GET", "/versions").json()["items"] if item["live"])


def fields(text):
    """The hidden fields of the form on the page."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


def faults(text):
    """The faults that the page lists."""
    found = re.search(r'id="errors">(.*?)</div>', text, re.S)
    return [html.unescape(re.sub("<[^>]+>", "", line)) for line in re.findall("<li>(.*?)</li>", found[1])] if found else []


def counted(section, name, count, **values):
    return words(section, f"{name}_{'one' if count == 1 else 'other'}", count=count, **values)


# From a change to the result

@pytest.mark.parametrize("has_script", [False, True])
def test_an_editor_publishes_a_change_and_sees_what_happened(edda, ada, visitor, web, has_script):
    before = live(edda)["version"]
    version = new_version(edda)
    effect = api(edda, "GET", "/draft/preview").json()["effect"]
    assert effect["enrolments"] >= 1 and effect["total"]["moved"] >= 20
    page = visitor(java_script_enabled=has_script)
    sign_in(page, edda)
    page.goto(PUBLISH)

    # What changes, with the lines of the files.
    expect(page.locator("#changes-schedule")).to_have_text(words("versions", "kind_schedule"))
    details = page.locator("main details").filter(has_text=SCHEDULE)
    details.locator("summary").click()
    added = details.locator(".difference .added").first
    expect(added).to_be_visible()
    assert f'00:{version.split(".")[1]:0>2}' in added.inner_text()
    # Whom it affects, in words and by schedule.
    total = effect["total"]
    expect(page.get_by_text(counted("publish", "effect_enrolments", effect["enrolments"]))).to_be_visible()
    expect(page.get_by_text(words("publish", "effect_occasions", **{name: total[name] for name in ("moved", "cancelled", "added")}))).to_be_visible()
    [row] = page.locator("table:has(#effect-table) tbody tr").all()
    assert row.locator("th").inner_text() == "first"
    assert row.locator(f"[data-title='{words('publish', 'number_moved')}']").inner_text() == str(total["moved"])
    warning = page.locator("#warning").inner_text()
    changed = sum(total[name] for name in ("moved", "cancelled", "added"))
    assert counted("publish", "warning_follow", effect["enrolments"], occasions=changed) in warning

    # The choice and the code are needed.
    button = page.get_by_role("button", name=words("publish", "button", name=words("publish", "version_name", version=version)))
    page.get_by_label(words("publish", "code"), exact=True).fill("another-study")
    button.click()
    expect(page.locator("#errors li")).to_have_text([words("publish", "fault_follow"), words("publish", "fault_code", study=STUDY)])
    expect(page.get_by_label(words("publish", "code"), exact=True)).to_have_value("another-study")
    assert live(edda)["version"] == before
    page.get_by_role("radio", name=re.compile("^" + words("publish", "follow_yes"))).check()
    page.get_by_label(words("publish", "code"), exact=True).fill(STUDY)
    button.click()

    expect(page.get_by_role("heading", level=1)).to_have_text(words("publish", "version_name", version=version))
    assert page.url.startswith(f"{web}{PAGE}/{version}?published=version&")
    result = page.locator("#result").inner_text()
    assert words("publish", "done_version", version=version) in result
    assert counted("publish", "done_followed", effect["enrolments"]) in result
    expect(page.get_by_text(words("publish", "as_foretold"))).to_be_visible()
    moved = page.locator("tbody tr").filter(has=page.locator("th", has_text=re.compile(f"^{words('publish', 'number_moved')}$")))
    assert [cell.inner_text() for cell in moved.locator("td").all()] == [str(total["moved"])] * 2 + [words("publish", "same")]
    assert (live(edda)["version"], live(edda)["enrolments"]) == (version, effect["enrolments"])
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == version
    # The draft has ended, and a form that is sent twice publishes nothing.
    assert edda.get(f"{BASE}/draft").status_code == 404
    again = edda.post(PUBLISH, follow="yes", code=STUDY, revision="3", expected="0.0.0.0.0.0.0.0")
    assert again.status_code == 404 and words("publish", "missing") in again.text
    assert words("publish", "missing") in edda.get(PUBLISH).text
    # The difference stays, also from an earlier version, and as a file.
    page.goto(PAGE)
    page.get_by_role("link", name=version, exact=True).click()
    expect(page.locator("#changes-schedule")).to_be_visible()
    expect(page.locator("#result")).to_have_count(0)
    page.get_by_label(words("versions", "compare")).select_option("1.0.0")
    page.get_by_role("button", name=words("staff", "apply")).click()
    expect(page.get_by_text(words("versions", "compared", version="1.0.0"))).to_be_visible()


def test_participants_who_do_not_follow_stay_on_their_version(edda, ada):
    before = ada.call("GET", ada.own(""), status=200)["study_version"]
    version = new_version(edda)
    page = edda.get(PUBLISH).text
    reply = edda.post(PUBLISH, follow="no", code=f" {STUDY} ", **fields(page))

    assert reply.status_code == 303, reply.text
    done = edda.get(reply.headers["Location"]).text
    assert reply.headers["Location"].startswith(f"{PAGE}/{version}?published=version&") and "moved=" not in reply.headers["Location"]
    assert words("publish", "done_followed_other", count="") not in done
    kept = int(fields(page)["expected"].split(".")[0])
    assert kept >= 1 and counted("publish", "done_kept", kept) in html.unescape(done)
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == before
    assert live(edda)["version"] == version


def test_a_change_of_the_library_only_is_published_as_an_edition(edda, ada):
    begin(edda)
    change(edda, QUOTES, "Walk slowly", f"Walk slowly for {next(numbers)} steps")
    before = live(edda)
    preview = api(edda, "GET", "/draft/preview").json()
    assert preview["kind"] == "edition" and preview["publishable"], preview["problems"]
    page = edda.get(PUBLISH).text
    name = words("publish", "edition_name", edition=preview["edition"])
    assert words("publish", "warning_edition", name=name) in html.unescape(page)
    assert 'name="follow"' not in page, "participants have no choice"
    reply = edda.post(PUBLISH, code=STUDY, **fields(page))

    assert reply.status_code == 303, reply.text
    done = html.unescape(edda.get(reply.headers["Location"]).text)
    assert words("publish", "done_edition", edition=preview["edition"], version=before["version"]) in done
    assert live(edda)["version"] == before["version"]
    assert name in edda.get(PAGE).text


def test_an_unchanged_draft_moves_participants_of_other_versions_or_has_nothing_to_publish(edda, ada):
    version = new_version(edda)
    assert edda.post(PUBLISH, follow="no", code=STUDY, **fields(edda.get(PUBLISH).text)).status_code == 303
    begin(edda)
    page = edda.get(PUBLISH).text
    assert words("publish", "warning_live", name=words("publish", "version_name", version=version)) in html.unescape(page)
    reply = edda.post(PUBLISH, follow="yes", code=STUDY, **fields(page))
    assert reply.status_code == 303 and reply.headers["Location"].startswith(f"{PAGE}/{version}?published=version&")
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == version

    begin(edda)
    unchanged = edda.get(PUBLISH).text
    assert words("publish", "nothing") in unchanged and 'name="code"' not in unchanged


def test_participants_who_stayed_are_moved_later_also_beside_a_draft(edda, ada, visitor):
    version = new_version(edda)
    assert edda.post(PUBLISH, follow="no", code=STUDY, **fields(edda.get(PUBLISH).text)).status_code == 303
    # The next draft is changed already, so it cannot be published to continue.
    new_version(edda)
    behind = api(edda, "GET", "/versions").json()["behind"]
    assert behind >= 1
    button = counted("versions", "move_button", behind)
    rosa = Member(edda.server, [("researcher", STUDY)])
    assert button in edda.get(PAGE).text and button not in rosa.get(PAGE).text
    assert rosa.post(PAGE, version=version, code=STUDY).status_code == 403
    edda.age(11)
    assert edda.post(PAGE, version=version, code=STUDY).headers["Location"].startswith("/staff/login?next=")
    edda.post("/staff/login", password=edda.password, next=PAGE)
    page = visitor(java_script_enabled=False)
    sign_in(page, edda)
    page.goto(PAGE)
    page.get_by_role("button", name=button).click()
    expect(page.locator("#errors li")).to_have_text(words("publish", "fault_code", study=STUDY))
    stale = edda.post(PAGE, version="1.0.0", code=STUDY)
    assert stale.status_code == 422 and html.unescape(words("problem_text", "version-not-live")) in html.unescape(stale.text)
    assert f'name="code" value="{STUDY}"' in stale.text
    assert live(edda)["enrolments"] == 0

    page.get_by_label(words("publish", "code"), exact=True).fill(STUDY)
    page.get_by_role("button", name=button).click()

    expect(page.get_by_role("status")).to_have_text(counted("versions", "moved", behind))
    expect(page.locator("#move")).to_have_count(0)
    assert ada.call("GET", ada.own(""), status=200)["study_version"] == version
    assert live(edda)["enrolments"] == behind
    assert int(edda.server.sql(f"select count(*) from audit.entry where action = 'enrolments_moved' and study = '{STUDY}' and (detail->>'enrolments')::int = {behind}")) >= 1
    assert edda.get(f"{BASE}/draft").status_code == 200


def test_a_newer_edition_of_the_library_is_taken_over_and_no_text_is_lost(edda, diary, tmp_path):
    other = f"{FOLDER}/library/quotes.csv"
    begin(edda)
    mine = f"Stand still for {next(numbers)} breaths"
    change(edda, QUOTES, "(?m)^two,.*$", f"two,{mine}")
    # A colleague publishes another edition with the command.
    pack = tmp_path / "packs"
    with zipfile.ZipFile(io.BytesIO(api(edda, "GET", f"/versions/{live(edda)['version']}/pack").content)) as archive:
        archive.extractall(pack)
    [folder] = pack.iterdir()
    library = folder / FOLDER / "library"
    (library / "quotes.csv").write_text("id\none\ntwo\nthree\n")
    (library / "quotes.en.csv").write_text((library / "quotes.en.csv").read_text() + "three,Look up\n")
    diary.run("publish", folder / FOLDER, "--library-only")

    page = html.unescape(edda.get(PUBLISH).text)
    assert words("publish", "library") in page and 'name="code"' not in page
    section = re.search(r'id="library">(.*?)</section>', page, re.S)[1]
    taken, kept = re.findall(r"<ul>(.*?)</ul>", section, re.S)
    assert (re.findall("<code>(.*?)</code>", taken), re.findall("<code>(.*?)</code>", kept)) == ([other], [QUOTES])
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', section))
    # The form of an earlier page publishes nothing.
    refused = edda.post(PUBLISH, code=STUDY, revision=form["revision"], expected="0.0.0.0.0.0.0.0")
    assert refused.status_code == 422 and words("problem", "edition-outdated") in html.unescape(refused.text)
    reply = edda.post(f"/staff/{STUDY}/draft/library", **form)
    assert reply.status_code == 303, reply.text
    page = html.unescape(edda.get(reply.headers["Location"]).text)
    assert words("publish", "notice_library") in page and words("publish", "library") not in page
    # What the colleague added and the editor's file does not have is a difference on the page.
    assert mine in page and "Look up" in page
    assert "three" in api(edda, "GET", "/draft/file", params={"path": other}).json()["text"]
    text = api(edda, "GET", "/draft/file", params={"path": QUOTES}).json()["text"]
    assert mine in text and "Look up" not in text
    change(edda, QUOTES, r"\Z", "three,Look up\n")
    done = edda.post(PUBLISH, code=STUDY, **fields(edda.get(PUBLISH).text))
    assert done.status_code == 303 and "published=edition" in done.headers["Location"], done.text


def test_an_earlier_edition_comes_back_through_a_new_draft(edda, diary):
    def publish():
        draft = api(edda, "GET", "/draft").json()
        body = {"confirm": STUDY, "move_enrolments": True}
        return api(edda, "POST", "/draft/publication", json=body, headers={"If-Match": f'"{draft["revision"]}"'}).json()

    begin(edda)
    draft = api(edda, "GET", "/draft").json()
    body = f"id,body\none,Return {next(numbers)}\ntwo,Breathe out\n"
    api(edda, "PUT", "/draft/file", params={"path": QUOTES}, json={"text": body}, headers={"If-Match": f'"{draft["revision"]}"'})
    earlier = publish()["edition"]
    begin(edda)
    change(edda, QUOTES, "Return", "Gone")
    publish()

    assert words("versions", "restore") in edda.get(PAGE).text
    done = edda.post(f"{PAGE}/editions", edition=str(earlier))
    assert done.status_code == 303 and done.headers["Location"] == f"{PUBLISH}?notice=restored", done.text
    assert words("versions", "restored") in edda.get(done.headers["Location"]).text
    assert api(edda, "GET", "/draft/file", params={"path": QUOTES}).json()["text"] == body
    # A draft with changes of colleagues is not replaced.
    busy = edda.post(f"{PAGE}/editions", edition=str(earlier))
    assert busy.status_code == 422 and words("versions", "restore_busy") in busy.text
    assert publish()["edition"] == earlier + 2
    begin(edda)
    draft = api(edda, "GET", "/draft").json()
    api(edda, "PUT", "/draft/library", 404, json={"edition": 999}, headers={"If-Match": f'"{draft["revision"]}"'})


# What prevents the publication

def test_problems_are_listed_and_there_is_no_form(edda):
    begin(edda)
    change(edda, SETTINGS, "days: 60", "days: many")
    change(edda, SCHEDULE, "pocket_note", "unknown_note")
    preview = api(edda, "GET", "/draft/preview").json()
    page = html.unescape(edda.get(PUBLISH).text)

    assert not preview["publishable"] and len(preview["problems"]) >= 2
    listed = re.search(r'id="problems">(.*?)</section>', page, re.S)[1]
    assert [re.sub("<[^>]+>", "", line) for line in re.findall("<li>(.*?)</li>", listed, re.S)] == preview["problems"]
    assert 'name="code"' not in page and f'href="/staff/{STUDY}/draft"' in listed
    # The form of an earlier page publishes nothing.
    before = live(edda)["version"]
    revision = api(edda, "GET", "/draft").json()["revision"]
    assert edda.post(PUBLISH, follow="no", code=STUDY, revision=revision, expected="0.0.0.0.0.0.0.0").status_code == 422
    assert live(edda)["version"] == before


def test_a_draft_that_a_colleague_changed_is_shown_again_and_nothing_typed_is_lost(edda, ada, diary):
    version = new_version(edda)
    before = live(edda)["version"]
    seen = fields(edda.get(PUBLISH).text)
    colleague = Member(diary, [("editor", STUDY)])
    change(colleague, f"{FOLDER}/README.md", r"\A", "Changed by a colleague.\n\n")
    reply = edda.post(PUBLISH, follow="no", code=STUDY, **seen)

    assert reply.status_code == 422 and live(edda)["version"] == before
    [fault] = faults(reply.text)
    start, end = words("publish", "fault_stale", name="Rosa Field").split("{time}")
    assert fault.startswith(start) and fault.endswith(end)
    assert f'name="code" value="{STUDY}"' in reply.text and 'value="no" checked' in reply.text
    assert "Changed by a colleague." in reply.text, "the page shows the newest draft"
    now = fields(reply.text)
    assert int(now["revision"]) == int(seen["revision"]) + 1
    done = edda.post(PUBLISH, follow="no", code=STUDY, **now)
    assert done.status_code == 303 and done.headers["Location"].startswith(f"{PAGE}/{version}?published=version&")


def test_numbers_that_changed_are_shown_in_the_comparison(edda, ada, diary, contract):
    new_version(edda)
    seen = fields(edda.get(PUBLISH).text)
    Person(diary, contract, name="Ben Canary").register().enrol(study=STUDY)
    enrolments = int(seen["expected"].split(".")[0])
    # The page that is opened again says so, before anything is published.
    address = f"{PUBLISH}?follow=yes&revision={seen['revision']}&expected={seen['expected']}"
    news = html.unescape(edda.get(address).text)
    assert 'name="code" value=""' in news, "no address fills in the code"
    assert words("publish", "number_news", name=words("publish", "number_enrolments"), before=enrolments, now=enrolments + 1) in news
    reply = edda.post(PUBLISH, follow="yes", code=STUDY, **seen)

    assert reply.status_code == 303, reply.text
    done = html.unescape(edda.get(reply.headers["Location"]).text)
    assert words("publish", "as_foretold") not in done
    name = words("publish", "number_followed")
    row = re.search(rf'<th scope="row">{re.escape(name)}</th>(.*?)</tr>', done, re.S)[1]
    assert re.findall(">([^<]+)</td>", row) == [str(enrolments), str(enrolments + 1), words("publish", "different")]


def test_the_password_is_asked_for_and_the_form_is_as_it_was(edda, ada):
    version = new_version(edda)
    seen = fields(edda.get(PUBLISH).text)
    edda.age(11)
    reply = edda.post(PUBLISH, follow="no", code=STUDY, **seen)
    assert reply.status_code == 303 and reply.headers["Location"].startswith("/staff/login?next=")
    login = edda.get(reply.headers["Location"]).text
    following = html.unescape(re.search(r'name="next" value="([^"]*)"', login)[1])
    back = edda.post("/staff/login", password=edda.password, next=following)
    page = edda.get(back.headers["Location"]).text

    assert words("publish", "returned") in page and faults(page) == []
    # The choice is kept. The code confirms what the page shows, so it is typed again.
    assert 'name="code" value=""' in page and 'value="no" checked' in page and STUDY not in following.split("?")[1]
    assert words("publish", "returned") not in edda.get(PUBLISH).text
    assert fields(page)["revision"] == seen["revision"]
    done = edda.post(PUBLISH, follow="no", code=STUDY, **fields(page))
    assert done.headers["Location"].startswith(f"{PAGE}/{version}?published=version&")


# The list, and who sees it

def test_the_page_the_file_and_the_api_show_the_same_versions(edda, diary):
    items = api(edda, "GET", "/versions").json()["items"]
    reply = edda.get(f"{PAGE}?format=csv")
    rows = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))
    page = edda.get(PAGE).text

    assert reply.headers["Content-Disposition"].startswith(f'attachment; filename="{STUDY}-versions-')
    assert [row[words("versions", "version")] for row in rows] == [item["version"] for item in items]
    assert [row[words("versions", "enrolments")] for row in rows] == [str(item["enrolments"]) for item in items]
    assert [row[words("versions", "state")] for row in rows].count(words("versions", "live")) == 1
    for item in items:
        assert f'href="{PAGE}/{item["version"]}"' in page and f'href="{BASE}/versions/{item["version"]}/pack"' in page
    assert words("publish", "edition_name", edition=1) in page
    # The first version is compared with nothing, and an unknown one does not exist.
    assert words("versions", "first") in edda.get(f"{PAGE}/1.0.0").text
    assert edda.get(f"{PAGE}/9.9.9").status_code == 404
    # A researcher reads, and does not publish.
    rosa = Member(diary, [("researcher", STUDY)])
    assert rosa.get(f"{PAGE}/1.0.0").status_code == 200 and words("versions", "change") not in rosa.get(PAGE).text
    begin(edda)
    assert rosa.get(PUBLISH).status_code == 403
    assert rosa.post(PUBLISH, follow="no", code=STUDY, revision="1", expected="0.0.0.0.0.0.0.0").status_code == 403


def test_content_that_shows_arms_is_not_linked_in_a_blinded_study(server, contract, web, tmp_path):
    team = Team(server, contract, tmp_path, "version-arms")
    session = log_in(server.url, team.blinded.email, team.blinded.password)
    page = session.get(f"{server.url}/staff/{team.study}/versions", timeout=60)

    assert page.status_code == 200 and words("versions", "hides_content") in page.text
    assert f"/staff/{team.study}/versions/" not in page.text and "/pack" not in page.text and CANARY not in page.text.lower()
    [version] = re.findall(r'<th scope="row">([^<]+)</th>', page.text)
    refused = session.get(f"{server.url}/staff/{team.study}/versions/{version}", timeout=60)
    assert refused.status_code == 403 and CANARY not in refused.text.lower()


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(edda, ada, visitor, scheme, width):
    version = new_version(edda)
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, edda)
    axe, found = Axe(), []

    def check(name):
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        found.extend((name, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"])
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((name, "wide", page.evaluate("document.documentElement.scrollWidth")))

    page.goto(PUBLISH)
    page.get_by_label(words("publish", "code"), exact=True).fill("wrong")
    page.locator("main form button.danger").click()
    expect(page.locator("#errors li")).to_have_count(2)
    check("publish")
    page.get_by_role("radio", name=re.compile("^" + words("publish", "follow_no"))).check()
    page.get_by_label(words("publish", "code"), exact=True).fill(STUDY)
    page.locator("main form button.danger").click()
    page.wait_for_url(f"**/versions/{version}?**")
    check("result")
    page.goto(PAGE)
    expect(page.locator("figure svg")).to_be_visible()
    check("versions")
    make_unreadable(edda)
    page.goto(PUBLISH)
    expect(page.locator("#problems")).to_be_visible()
    check("problems")
    assert found == []


def make_unreadable(member):
    """A draft that cannot be read."""
    begin(member)
    change(member, SETTINGS, r"\A", "code: [\n")
