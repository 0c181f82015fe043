"""The pages of datasets and of API tokens: who sees which dataset, the form, the lines that read a dataset, and tokens."""

import csv
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import answers
from acceptance.browser import Steps, words
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import OTHER, STUDY, Member, log_in, sign_in

BLINDED = "blind-exports"
PACKS = ROOT / "Tests" / "Acceptance" / "packs" / "hidden-arms"
PAGE = f"/staff/{STUDY}/exports"
MAXIMUM_CLICKS = 12


@pytest.fixture(scope="module")
def study(server, contract, web):
    """The study with a participant who has answered."""
    person = Person(server, contract, name="Ada Canary").register().enrol()
    person.submit("daily_evening", answers.DAILY)
    person.submit("who_5", answers.WHO_5)
    return STUDY


@pytest.fixture(scope="module")
def blinded(server, web, tmp_path_factory):
    """A blinded study without a dataset."""
    folder = tmp_path_factory.mktemp("blind")
    shutil.copytree(PACKS / "instruments", folder / "instruments")
    pack = folder / "studies" / BLINDED
    shutil.copytree(PACKS / "studies" / "hidden-arms", pack)
    settings = (pack / "study.yaml").read_text()
    assert "code: hidden-arms" in settings
    (pack / "study.yaml").write_text(settings.replace("code: hidden-arms", f"code: {BLINDED}"))
    server.run("publish", pack)
    return BLINDED


@pytest.fixture(scope="module")
def rosa(server, study):
    return Member(server, [("researcher", STUDY)])


def member_with(server, study, flag):
    """A researcher with a further permission."""
    made = Member(server)
    server.run("account", "grant", "--email", made.email, "--role", "researcher", "--study", study, flag)
    made.session = log_in(server.url, made.email, made.password)
    return made


def state(member, export, study=STUDY):
    return member.get(f"/v1/studies/{study}/exports/{export}").json()


def ready(member, export, study=STUDY):
    """Waits until the dataset is ready; its state."""

    def is_done():
        found = state(member, export, study)
        assert found["state"] != "failed", found
        return found["state"] == "done"

    wait_until(is_done, 180, "the dataset is ready")
    return state(member, export, study)


def requested(member, study=STUDY, **fields):
    """Sends the form of the page, without JavaScript; the id of the export."""
    reply = member.post(f"/staff/{study}/exports", **fields)
    assert reply.status_code == 303, reply.text
    address, _, export = reply.headers["Location"].partition("#export-")
    assert address == f"/staff/{study}/exports" and export
    return export


def listed(member, study):
    """The ids of the list, read in pages of two."""
    found, cursor = [], None
    while True:
        page = member.get(f"/v1/studies/{study}/exports", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        found += page["items"]
        cursor = page["next"]
        if cursor is None:
            return [item["export_id"] for item in found]


def commands(text):
    """Program -> its lines, as the page prints them."""
    found = re.findall(r'<section aria-labelledby="(\w+)">.*?</section>', text, re.S)
    parts = {name: re.search(rf'<section aria-labelledby="{name}">(.*?)</section>', text, re.S)[1] for name in found}
    return {name: html.unescape(block[1]) for name, part in parts.items() if (block := re.search(r'<pre class="commands"><code>(.*?)</code></pre>', part, re.S))}


def shell(line, folder):
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120)


def manifest_rows(folder):
    """Table -> rows by the manifest of the only dataset in the folder."""
    [root] = [path for path in folder.iterdir() if path.is_dir()]
    manifest = json.loads((root / "manifest.json").read_text())
    return {
        file["path"].removeprefix("data/").removesuffix(".csv"): file["rows"] for file in manifest["files"]
        if file["path"].startswith("data/") and file["path"].endswith(".csv")}


# Who sees which dataset

def test_the_list_has_only_datasets_that_the_visitor_may_read(server, rosa, web):
    custodian = member_with(server, STUDY, "--full-export")
    stranger = Member(server, [("researcher", OTHER)])
    coded = requested(rosa, profile="coded", **{"formats.fhir": "on"})
    full = requested(custodian, profile="full")

    assert coded in listed(rosa, STUDY) and full not in listed(rosa, STUDY)
    assert {coded, full} <= set(listed(custodian, STUDY))
    assert stranger.get(f"/v1/studies/{STUDY}/exports").status_code == 404 and stranger.get(PAGE).status_code == 404
    assert not {coded, full} & set(listed(stranger, OTHER))
    page, other = rosa.get(PAGE).text, custodian.get(PAGE).text
    assert f'id="export-{coded}"' in page and f'id="export-{full}"' not in page
    assert f'id="export-{coded}"' in other and f'id="export-{full}"' in other
    # The requester is not named.
    card = re.search(rf'id="export-{coded}".*?</li>', other, re.S)[0]
    assert words("exports", "colleague") in card and rosa.email not in other
    assert words("exports", "you") in re.search(rf'id="export-{coded}".*?</li>', page, re.S)[0]
    for member in (rosa, custodian):
        for item in member.get(f"/v1/studies/{STUDY}/exports").json()["items"]:
            assert member.get(f"/v1/studies/{STUDY}/exports/{item['export_id']}").status_code == 200
    for export in (coded, full):
        ready(custodian, export)


def test_datasets_with_codes_of_arms_are_not_in_the_list_of_blinded_researchers(server, blinded):
    rosa, seeing = Member(server, [("researcher", BLINDED)]), member_with(server, BLINDED, "--sees-arms")
    page = rosa.get(f"/staff/{BLINDED}/exports").text
    assert words("exports", "guide_choose") in page and words("exports", "none") in page
    assert re.findall(r'name="arms\.([^"]+)"', page) == ["A", "B"]
    own = requested(rosa, BLINDED, profile="coded", **{"arms.A": "on"})
    open_one = requested(seeing, BLINDED, profile="coded")

    assert listed(rosa, BLINDED) == [own] and listed(seeing, BLINDED) == [open_one, own]
    assert "canary" not in rosa.get(f"/staff/{BLINDED}/exports").text.replace("Ada Canary", "").lower()
    assert "canary" in seeing.get(f"/staff/{BLINDED}/exports").text.lower()
    assert words("exports", "guide_choose") not in rosa.get(f"/staff/{BLINDED}/exports").text
    # A token of a blinded researcher does not read it either.
    made = rosa.session.post(f"{server.url}/v1/studies/{BLINDED}/api-tokens", json={"label": "Notebook"}, timeout=60).json()
    for export, status in ((own, 200), (open_one, 404)):
        ready(seeing, export, BLINDED)
        for end in ("", "/file"):
            reply = Person(server).call("GET", f"/v1/studies/{BLINDED}/exports/{export}{end}", token=made["token"])
            assert reply.status_code == status, (export, end)


# From the login to a dataset in R

def test_a_newcomer_reads_a_first_dataset_in_r_and_python_with_few_clicks(server, study, visitor, web, tmp_path):
    newcomer, steps = Member(server, [("researcher", STUDY)]), Steps()
    page = visitor()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/staff")
    page.get_by_label("E-mail address").fill(newcomer.email)
    page.get_by_label("Password", exact=True).fill(newcomer.password)
    steps.click(page.locator("main").get_by_role("button", name="Log in"))
    page.wait_for_url("**/staff")
    steps.click(page.locator("main tbody th").get_by_role("link").first)
    steps.click(page.locator(".tabs").get_by_role("link", name=words("staff", "exports")))
    steps.click(page.get_by_role("radio", name=re.compile("^" + words("exports", "profile_coded"))))
    steps.click(page.get_by_role("button", name=words("exports", "create"), exact=True))
    page.wait_for_url("**/exports#export-*")
    export = page.url.partition("#export-")[2]
    use = page.locator(f"#use-{export}")
    # The page shows by itself that the dataset is ready.
    expect(use).to_be_visible(timeout=180_000)
    steps.click(use)
    expect(page.get_by_role("heading", level=1)).to_have_text(words("exports", "use"))
    lines = commands(page.content())

    assert steps.clicks <= MAXIMUM_CLICKS
    assert list(lines) == ["r", "python", "terminal", "stata", "spss", "odata"]
    assert "?" not in "".join(re.findall(r'https?://[^"\s]+', "".join(lines.values()))), "no address has a query"
    found = {}
    show_r = 'for (name in names(data)) cat(name, nrow(data[[name]]), "\\n")'
    show_python = "for name, frame in data.items(): print(name, len(frame))"
    for name, program, more in (("r", ["Rscript", "--vanilla"], show_r), ("python", [sys.executable], show_python)):
        assert shutil.which(program[0]), f"{program[0]} is missing: bin/setup test installs it"
        folder = tmp_path / name
        folder.mkdir()
        (tmp_path / f"lines.{name}").write_text(f"{lines[name]}\n{more}\n")
        done = subprocess.run(
            [*program, tmp_path / f"lines.{name}"], cwd=folder, capture_output=True, text=True, timeout=180,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        rows = manifest_rows(folder)
        assert rows["sheets"] >= 2 and rows["panel"] >= 2
        found[name] = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines() if len(line.split()) == 2 and line.split()[0] in rows}
        assert found[name] == rows
    assert found["r"] == found["python"]
    # The token is valid for an hour, and is in no other page.
    [token] = {match for match in re.findall("Bearer ([0-9A-F]{32})", lines["r"])}
    [made] = newcomer.get(f"/v1/studies/{STUDY}/api-tokens").json()["items"]
    assert made["profile"] == "coded" and made["used_at"] is not None
    for path in (PAGE, f"/staff/{STUDY}/tokens"):
        assert token not in newcomer.get(path).text


def test_the_lines_of_the_terminal_and_of_spss_work_until_the_token_is_revoked(rosa, tmp_path):
    export = requested(rosa, profile="deidentified", **{"formats.spss": "on", "formats.stata": "on", "formats.excel": "on"})
    made = ready(rosa, export)
    [token_id] = re.findall(f'name="export" value="{export}"><input type="hidden" name="token_id" value="([0-9a-f-]+)"', rosa.get(PAGE).text)
    lines = commands(rosa.post(f"{PAGE}/lines", export=export, token_id=token_id).text)
    again = rosa.post(f"{PAGE}/lines", export=export, token_id=token_id)
    assert again.status_code == 422 and words("tokens", "fault_made") in again.text
    root = made["file_name"].removesuffix(".zip")

    # A feed of the present data would show more than the dataset.
    assert list(lines) == ["r", "python", "terminal", "stata", "spss", "excel"]
    done = shell(lines["terminal"], tmp_path)
    assert done.returncode == 0, done.stderr
    archive = tmp_path / made["file_name"]
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == made["sha256"]
    zipfile.ZipFile(archive).extractall(tmp_path)
    for name, file in (("stata", f"{root}/stata/panel.dta"), ("excel", f"{root}/excel/dataset.xlsx")):
        assert file in lines[name] and (tmp_path / file).is_file()
    (tmp_path / "rows.sps").write_text(f"{lines['spss']}\nSAVE TRANSLATE /OUTFILE='rows.csv' /TYPE=CSV /REPLACE.\n")
    pspp = subprocess.run(["pspp", "rows.sps"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert pspp.returncode == 0, pspp.stdout + pspp.stderr
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == manifest_rows(tmp_path)["panel"]
    archive.unlink()
    label = words("exports", "token_label").split("{")[0]
    valid = [item for item in rosa.get(f"/v1/studies/{STUDY}/api-tokens?limit=1000").json()["items"] if item["label"].startswith(label) and item["revoked_at"] is None]
    for item in valid:
        assert rosa.post(f"/staff/{STUDY}/tokens/revoke", token_id=item["token_id"]).status_code == 303

    refused = shell(lines["terminal"], tmp_path)
    assert refused.returncode == 22 and "401" in refused.stderr and not archive.exists()


# The form

@pytest.mark.parametrize("fields, faults", [
    ({}, {"profile": "fault_profile"}),
    ({"profile": "secret"}, {"profile": "fault_profile"}),
    ({"profile": "full"}, {"profile": "fault_not_permitted"}),
    ({"profile": "coded", "from": "2026-11-20", "to": "2026-11-10"}, {"to": "fault_before_from"}),
    ({"profile": "coded", "from": "yesterday"}, {"from": "fault_from"}),
    ({"profile": "public", "from": "2026-11-20", "to": "2026-11-21"}, {"from": "fault_not_with_profile", "to": "fault_not_with_profile"}),
])
def test_faults_are_at_their_fields_and_nothing_typed_is_lost(rosa, fields, faults):
    before = listed(rosa, STUDY)
    chosen = {"questionnaires.who_5": "on", "formats.stata": "on"}
    reply = rosa.post(PAGE, **fields, **chosen)

    assert reply.status_code == 422 and listed(rosa, STUDY) == before
    shown = {name: html.unescape(text) for name, text in re.findall(r'<p class="fault" id="(\w+)-fault">(.*?)</p>', reply.text)}
    assert shown == {field: words("exports", word) for field, word in faults.items()}
    assert all(f'href="#{field}"' in reply.text for field in faults)
    for name in ("from", "to"):
        assert re.search(rf'name="{name}" value="([^"]*)"', reply.text)[1] == fields.get(name, "")
    assert re.findall(r'name="([a-z]+\.[a-z0-9_]+)" checked', reply.text) == ["formats.stata", "questionnaires.who_5"]
    expected = [fields["profile"]] if fields.get("profile") in ("coded", "public", "full") else []
    assert re.findall(r'name="profile" value="(\w+)" checked', reply.text) == expected


def test_the_password_is_asked_for_and_the_form_is_as_it_was(server, study):
    member = Member(server, [("researcher", STUDY)])
    fields = {"profile": "coded", "from": "2026-01-02", "questionnaires.who_5": "on", "formats.excel": "on"}
    member.age(11)
    reply = member.post(PAGE, **fields)
    assert reply.status_code == 303 and reply.headers["Location"].startswith("/staff/login?next=")
    login = member.get(reply.headers["Location"]).text
    following = html.unescape(re.search(r'name="next" value="([^"]*)"', login)[1])
    back = member.post("/staff/login", password=member.password, next=following)
    page = member.get(back.headers["Location"]).text

    assert words("exports", "returned") in page
    assert re.findall(r'name="profile" value="(\w+)" checked', page) == ["coded"]
    assert re.findall(r'name="([a-z]+\.[a-z0-9_]+)" checked', page) == ["formats.excel", "questionnaires.who_5"]
    assert 'name="from" value="2026-01-02"' in page
    export = requested(member, **fields)
    body = {"profile": "coded", "from": "2026-01-02", "questionnaires": ["who_5"], "formats": ["excel"]}
    assert state(member, export)["request"] == body
    # The profiles without data of single participants need no such password.
    member.age(11)
    requested(member, profile="public")
    ready(member, export)


def test_a_visitor_without_javascript_requests_downloads_and_deletes(server, study, visitor, web):
    member = Member(server, [("researcher", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, member)
    page.goto(PAGE)
    page.get_by_role("radio", name=re.compile("^" + words("exports", "profile_public"))).check()
    page.get_by_label(words("exports", "format_stata"), exact=True).check()
    page.get_by_role("button", name=words("exports", "create"), exact=True).click()
    page.wait_for_url("**/exports#export-*")
    export = page.url.partition("#export-")[2]
    made = ready(member, export)
    page.goto(PAGE)
    card = page.locator(f"#export-{export}")

    expect(card).to_contain_text(made["sha256"])
    expect(card).to_contain_text(words("exports", "state_done"))
    with page.expect_download() as download:
        card.get_by_role("link", name=words("exports", "download")).click()
    assert hashlib.sha256(download.value.path().read_bytes()).hexdigest() == made["sha256"]
    card.locator("summary").click()
    expect(card).to_contain_text(words("exports", "delete_sure"))
    card.get_by_role("button", name=words("exports", "delete_now")).click()
    expect(card).to_contain_text(words("exports", "state_deleted"))
    assert state(member, export)["state"] == "deleted"
    # Without a file there are no lines, and no token is made for them.
    reply = member.post(f"{PAGE}/lines", export=export)
    assert (reply.status_code, reply.headers["Location"]) == (303, PAGE)
    assert member.get(f"/v1/studies/{STUDY}/api-tokens").json()["items"] == []


def test_the_progress_is_shown_and_a_dataset_is_cancelled(server, study, visitor):
    member = Member(server, [("researcher", STUDY)])
    page = visitor()
    sign_in(page, member)
    with server.locked("research.walk"):
        export = requested(member, profile="coded", **{"formats.excel": "on", "formats.spss": "on"})
        other = requested(member, profile="coded", **{"formats.excel": "on", "formats.stata": "on"})
        page.goto(PAGE)
        expect(page.locator(f"#export-{export} progress")).to_have_attribute("aria-label", words("exports", "progress"))
        summary = page.locator(f"#end-{other} summary")
        summary.focus()
        summary.press("Enter")
        # The question stays open and keeps the focus while the page refreshes itself.
        with page.expect_response(re.compile(f"{PAGE}$")):
            pass
        expect(page.locator(f"#end-{other} summary")).to_be_focused()
        expect(page.locator(f"#end-{other} p")).to_have_text(words("exports", "cancel_sure"))
        page.locator(f"#sure-{other}").click()
        page.wait_for_url("**/exports#datasets")
        expect(page.locator(f"#export-{other}")).to_contain_text(words("exports", "state_cancelled"))
    expect(page.locator(f"#use-{export}")).to_be_visible(timeout=180_000)
    assert state(member, other)["state"] == "cancelled"
    expect(page.locator("#live-exports progress")).to_have_count(0)


def test_the_file_has_the_datasets_of_the_page(rosa):
    items = rosa.get(f"/v1/studies/{STUDY}/exports?limit=50").json()["items"]
    reply = rosa.get(f"{PAGE}?format=csv")
    rows = list(csv.DictReader(reply.content.decode("utf-8-sig").splitlines()))

    assert re.search(rf'filename="{STUDY}-exports-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"])
    assert [row[words("exports", "sha256")] for row in rows] == [item["sha256"] or "" for item in items]
    assert [row[words("exports", "state")] for row in rows] == [words("exports", f"state_{item['state']}") for item in items]


# Tokens

def test_a_token_is_shown_once_with_a_line_that_works_until_it_is_revoked(server, study, tmp_path):
    member, other = Member(server, [("researcher", STUDY)]), Member(server, [("researcher", STUDY)])
    path = f"/staff/{STUDY}/tokens"
    empty = member.get(path).text
    assert words("tokens", "none") in empty
    [new_id] = re.findall('name="token_id" value="([0-9a-f-]{36})"', empty)
    reply = member.post(path, token_id=new_id, label="Notebook of the trial", profile="coded", days="30")

    assert reply.status_code == 200
    [token] = set(re.findall('<code class="secret">([0-9A-F]{32})</code>', reply.text))
    line = html.unescape(re.search(r'<pre class="commands"><code>(.*?)</code></pre>', reply.text, re.S)[1])
    done = shell(line, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "participants.json").read_text())["value"]) >= 1
    page = member.get(path).text
    assert token not in page and "Notebook of the trial" in page and words("tokens", "revoke_sure") in page
    # Loading the page again repeats the form and makes no second token.
    again = member.post(path, token_id=new_id, label="Notebook of the trial", profile="coded", days="30")
    assert again.status_code == 422 and words("tokens", "fault_made") in again.text and 'class="secret"' not in again.text
    assert new_id not in re.findall('name="token_id" value="([0-9a-f-]{36})"><div class="field"', again.text.replace("\n", ""))
    [item] = member.get(f"/v1/studies/{STUDY}/api-tokens").json()["items"]
    assert item["token_id"] == new_id
    # Others do not see it, and cannot revoke it. A coordinator sees it.
    assert "Notebook of the trial" not in other.get(path).text
    assert other.post(f"{path}/revoke", token_id=item["token_id"]).status_code == 404
    coordinator = Member(server, [("coordinator", STUDY)]).get(path).text
    assert "Notebook of the trial" in coordinator and words("exports", "colleague") in coordinator
    assert member.post(f"{path}/revoke", token_id=item["token_id"]).status_code == 303
    assert shell(line, tmp_path).returncode == 22
    page = member.get(path).text
    assert words("tokens", "state_revoked") in page and words("tokens", "revoke_sure") not in page
    rows = list(csv.DictReader(member.get(f"{path}?format=csv").content.decode("utf-8-sig").splitlines()))
    assert [(row[words("tokens", "label")], row[words("tokens", "state")]) for row in rows] == [("Notebook of the trial", words("tokens", "state_revoked"))]


@pytest.mark.parametrize("fields, faults", [
    ({"label": " ", "days": "90"}, ["label"]), ({"label": "x" * 101, "days": "90"}, ["label"]), ({"label": "R", "days": "0"}, ["days"]),
    ({"label": "R", "days": "367"}, ["days"]), ({"label": "", "days": "soon"}, ["label", "days"]), ({"label": "R", "days": "9", "profile": "full"}, ["profile"])])
def test_a_wrong_field_of_a_token_is_named_and_no_token_is_made(rosa, fields, faults):
    before = len(rosa.get(f"/v1/studies/{STUDY}/api-tokens?limit=1000").json()["items"])
    reply = rosa.post(f"/staff/{STUDY}/tokens", **fields)

    assert reply.status_code == 422
    assert re.findall(r'<p class="fault" id="(\w+)-fault">', reply.text) == faults
    assert f'name="days" value="{fields["days"]}"' in reply.text and 'class="secret"' not in reply.text
    assert len(rosa.get(f"/v1/studies/{STUDY}/api-tokens?limit=1000").json()["items"]) == before


def test_an_old_password_makes_no_token_and_what_was_typed_stays(server):
    member = Member(server, [("researcher", STUDY)])
    member.age(11)
    reply = member.post(f"/staff/{STUDY}/tokens", label="Notebook", profile="coded", days="7")
    assert reply.status_code == 422 and words("roles", "password_old") in reply.text
    assert 'value="Notebook"' in reply.text and 'value="7"' in reply.text
    assert member.get(f"/v1/studies/{STUDY}/api-tokens").json()["items"] == []
    refused = member.session.post(f"{server.url}/v1/studies/{STUDY}/api-tokens", json={"label": "Notebook"}, timeout=60)
    assert refused.status_code == 403 and refused.json()["type"].endswith("password-required")


def test_too_many_tokens_are_refused_in_words(server, study):
    member = Member(server, [("researcher", STUDY)])
    export = requested(member, profile="public")
    ready(member, export)
    for _ in range(20):
        assert member.post(f"/staff/{STUDY}/tokens", label="R", profile="coded", days="1").status_code == 200
    text = html.escape(words("tokens", "too_many"), quote=False)

    for reply in (member.post(f"/staff/{STUDY}/tokens", label="R", profile="coded", days="1"), member.post(f"{PAGE}/lines", export=export)):
        assert reply.status_code == 422 and text in reply.text


# How the pages look

def test_the_pages_are_in_the_language_of_the_visitor(rosa):
    for path, section, word in ((PAGE, "exports", "profile_question"), (f"/staff/{STUDY}/tokens", "tokens", "lead")):
        text = rosa.get(path, headers={"Accept-Language": "de"}).text
        assert words(section, word, "de") in text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(server, study, blinded, visitor, scheme, width):
    member = member_with(server, STUDY, "--full-export")
    server.run("account", "grant", "--email", member.email, "--role", "researcher", "--study", OTHER)
    member.session = log_in(server.url, member.email, member.password)
    export = requested(member, profile="deidentified", **{"formats.stata": "on"})
    ready(member, export)
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, member)
    axe, faults = Axe(), []

    def check(name):
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        found = axe.run(page).response["violations"]
        faults.extend((name, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in found)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((name, "wide", page.evaluate("document.documentElement.scrollWidth")))

    for path in (PAGE, f"/staff/{OTHER}/exports", f"/staff/{STUDY}/tokens"):
        page.goto(path)
        check(path)
    page.goto(PAGE)
    page.get_by_role("button", name=words("exports", "create"), exact=True).click()
    expect(page.locator("#errors li")).to_have_count(1)
    check("faults")
    with server.locked("research.walk"):
        running = requested(member, profile="coded", **{"formats.fhir": "on", "formats.stata": "on"})
        page.goto(PAGE)
        expect(page.locator(f"#export-{running} progress")).to_be_visible()
        check("progress")
        assert member.post(f"{PAGE}/end", export=running).status_code == 303
    page.goto(PAGE)
    page.locator(f"#use-{export}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("exports", "use"))
    check("lines")
    page.goto(f"/staff/{STUDY}/tokens")
    page.get_by_label(words("tokens", "label")).fill(f"Notebook {width}")
    page.get_by_role("button", name=words("tokens", "create"), exact=True).click()
    expect(page.locator("code.secret")).to_be_visible()
    check("new token")
    assert faults == []
