"""The team of a study: invitations by mail, the page of its roles, and what ends with a role."""

import csv
import io
import json
import re
import shutil
import time
import uuid

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.mailbox import text
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import OTHER, Member, browser_session, log_in, sign_in

# A study that no other test file uses.
STUDY = "team-diary"
ROLES, INVITATIONS = f"/v1/studies/{STUDY}/roles", f"/v1/studies/{STUDY}/invitations"
PAGE = f"/staff/{STUDY}/roles"
PASSWORD = "correct horse battery"


def publish(server, folder, study):
    """Publishes a diary as a study with this code."""
    shutil.copytree(ROOT / "Tests" / "Acceptance" / "packs" / "pocket-diary", folder, dirs_exist_ok=True)
    pack = (folder / "studies" / "pocket-diary").rename(folder / "studies" / study)
    settings = (pack / "study.yaml").read_text()
    assert "code: pocket-diary" in settings
    (pack / "study.yaml").write_text(settings.replace("code: pocket-diary", f"code: {study}"))
    server.run("publish", pack)


@pytest.fixture(scope="module")
def diary(server, web, tmp_path_factory):
    """The server, with the study."""
    publish(server, tmp_path_factory.mktemp("team"), STUDY)
    return server


# New accounts for each test: the password is then not older than ten minutes, and no test reaches the limit of invitations.

@pytest.fixture
def inviter(diary):
    return Member(diary, [("coordinator", STUDY)])


@pytest.fixture
def admin(diary):
    return Member(diary, [("admin", "*")])


def address():
    return f"ben-{uuid.uuid4().hex[:12]}@example.org"


def send(member, method, path, status=None, **more):
    """A request of a script in the browser of a member; the reply."""
    reply = member.session.request(method, member.server.url + path, timeout=60, allow_redirects=False, **more)
    assert status is None or reply.status_code == status, reply.text
    return reply


def invite(member, email, role="researcher", name="Ben Hill", status=202, **more):
    return send(member, "POST", INVITATIONS, status, json={"email": email, "name": name, "role": role, **more})


def listed(member, email=None):
    """The entries of the list of roles, or those with one address."""
    items, path = [], f"{ROLES}?limit=1000"
    while path:
        page = send(member, "GET", path, 200).json()
        items += page["items"]
        path = page["next"] and f"{ROLES}?limit=1000&cursor={page['next']}"
    return [item for item in items if email in (None, item["email"])]


def remove(member, entry, status=204):
    return send(member, "DELETE", f"{ROLES}/{entry['account_id']}/{entry['role']}", status)


def link(mail):
    [found] = re.findall(r"http\S+/(?:reset/code|login)\?\S+", text(mail))
    return found


def slug(reply):
    return reply.json()["type"].rsplit("/", 1)[1]


def verified(mailbox, server, contract, name="Kim Known"):
    """A person with an account whose address is verified."""
    person = Person(server, contract, name=name).register()
    mailbox.verify(person)
    return person


# Invitations

def test_a_study_has_a_team_before_its_first_publication(diary, mailbox, visitor, web):
    study, email = f"team-{uuid.uuid4().hex[:8]}", address()
    maker = Member(diary, [("editor", STUDY)])
    made = maker.post("/staff", study=study, title="Quiet hours", language="en", time_zone="Europe/Berlin", days="14")
    assert made.status_code == 303, made.text
    page = visitor(java_script_enabled=False)
    sign_in(page, maker)
    page.goto(f"/staff/{study}/draft")
    page.get_by_role("link", name=words("draft", "team")).click()
    # The page has no menu of a running study, and leads back to the draft.
    expect(page).to_have_url(f"{web}/staff/{study}/roles")
    assert page.locator(".tabs").count() == 0 and page.locator(f"a[href='/staff/{study}/draft']").count() >= 1
    page.get_by_label(words("roles", "name"), exact=True).fill("Ben Hill")
    page.get_by_label(words("roles", "email"), exact=True).fill(email)
    page.get_by_role("radio", name=re.compile("^" + words("staff", "editor"))).check()
    page.get_by_role("button", name=words("roles", "send")).click()
    expect(page.locator(".banner.ok")).to_have_text(words("roles", "sent"))
    row = page.locator("main tbody tr").filter(has_text=email)

    [mail] = mailbox.wait_for(email)
    assert "Quiet hours" in text(mail)
    colleague = visitor(java_script_enabled=False)
    colleague.goto(link(mail))
    colleague.get_by_label(words("account", "new_password"), exact=True).fill(PASSWORD)
    colleague.get_by_role("button", name=words("account", "set_password")).click()
    colleague.get_by_label("E-mail address").fill(email)
    colleague.get_by_label("Password", exact=True).fill(PASSWORD)
    colleague.locator("main").get_by_role("button", name="Log in").click()
    colleague.goto(f"/staff/{study}/draft")
    # An editor changes the draft, and does not see the team.
    expect(colleague.locator("#replace")).to_be_visible()
    assert colleague.get_by_role("link", name=words("draft", "team")).count() == 0
    assert colleague.request.get(f"{web}/staff/{study}/roles").status == 403
    page.reload()
    expect(row.locator(f"[data-title='{words('roles', 'state')}']")).to_have_text(words("roles", "state_active"))
    row.get_by_role("link").click()
    page.get_by_role("button", name=words("roles", "remove")).click()
    expect(page).to_have_url(f"{web}/staff/{study}/roles")
    expect(row).to_have_count(0)
    assert colleague.request.get(f"{web}/staff/{study}/draft").status in (403, 404)
    stranger = Member(diary, [("coordinator", STUDY)])
    assert stranger.get(f"/staff/{study}/roles").status_code == 404 and stranger.get(f"/v1/studies/{study}/roles").status_code == 404
    assert maker.get("/v1/studies/never-made/roles").status_code == 404


def test_an_invited_colleague_sets_a_password_by_the_link_and_sees_the_overview(diary, inviter, mailbox, visitor, web):
    email = address()
    page = visitor(java_script_enabled=False)
    sign_in(page, inviter)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs summary").click()
    page.locator(".tabs").get_by_role("link", name=words("staff", "roles")).click()
    page.get_by_label(words("roles", "name"), exact=True).fill("Ben Hill")
    page.get_by_label(words("roles", "email"), exact=True).fill(email)
    page.get_by_role("radio", name=re.compile("^" + words("staff", "researcher"))).check()
    page.get_by_role("button", name=words("roles", "send")).click()
    expect(page.locator(".banner.ok")).to_have_text(words("roles", "sent"))
    row = page.locator("main tbody tr").filter(has_text=email)
    expect(row.locator(f"[data-title='{words('roles', 'state')}']")).to_have_text(words("roles", "state_invited"))

    [mail] = mailbox.wait_for(email)
    assert "Ben Hill" not in text(mail) and inviter.email not in text(mail)
    colleague = visitor(java_script_enabled=False)
    colleague.goto(link(mail))
    colleague.get_by_label(words("account", "new_password"), exact=True).fill("short")
    colleague.get_by_role("button", name=words("account", "set_password")).click()
    expect(colleague.locator("#errors li")).to_have_count(1)
    colleague.get_by_label(words("account", "new_password"), exact=True).fill(PASSWORD)
    colleague.get_by_role("button", name=words("account", "set_password")).click()
    colleague.get_by_label("E-mail address").fill(email)
    colleague.get_by_label("Password", exact=True).fill(PASSWORD)
    colleague.locator("main").get_by_role("button", name="Log in").click()

    expect(colleague).to_have_url(f"{web}/staff/{STUDY}")
    expect(colleague.locator("#steps")).to_have_text(words("staff", "steps"))
    page.goto(PAGE)
    expect(row.locator(f"[data-title='{words('roles', 'state')}']")).to_have_text(words("roles", "state_active"))
    # The link works once.
    colleague.goto(link(mail))
    colleague.get_by_label(words("account", "new_password"), exact=True).fill(PASSWORD + " again")
    colleague.get_by_role("button", name=words("account", "set_password")).click()
    expect(colleague.locator("#errors li")).to_have_text([words("account", "code_invalid")])


def test_a_known_address_gets_the_role_with_the_next_login(diary, inviter, mailbox, contract):
    kim = verified(mailbox, diary, contract)
    invite(inviter, kim.email.upper(), "editor")

    mails = mailbox.wait_for(kim.email)
    assert "/login?next=/staff/" in link(mails[-1]) and "code" not in link(mails[-1])
    [entry] = listed(inviter, kim.email.upper())
    assert (entry["name"], entry["state"]) == ("Ben Hill", "invited"), "the list shows what was typed"
    assert kim.call("GET", "/v1/account", status=200)["grants"] == []
    session = log_in(diary.url, kim.email, kim.password)

    assert session.get(f"{diary.url}/staff/{STUDY}", timeout=60).status_code == 200
    [entry] = listed(inviter, kim.email)
    assert (entry["name"], entry["state"], entry["role"]) == (kim.name, "active", "editor")
    # Nothing changes and no mail is sent when the account has the role.
    invite(inviter, kim.email, "editor")
    time.sleep(3)
    assert len(mailbox.to(kim.email)) == len(mails) and listed(inviter, kim.email) == [entry]


def test_the_mail_is_in_the_language_of_the_colleague(diary, inviter, mailbox, contract):
    german = Person(diary, contract, name="Kim Known", language="de").register()
    mailbox.verify(german)
    new = address()
    invite(inviter, german.email)
    send(inviter, "POST", INVITATIONS, 202, json={"email": new, "name": "Ben Hill", "role": "coordinator"}, headers={"Accept-Language": "de"})

    assert "Ihre Rolle beginnt" in text(mailbox.wait_for(german.email)[-1])
    [mail] = mailbox.wait_for(new)
    assert "als Koordination." in text(mail) and "Legen Sie Ihr Passwort fest" in text(mail)


def test_neither_response_nor_time_nor_list_nor_audit_shows_who_has_an_account(diary, inviter, admin, mailbox, contract):
    known = verified(mailbox, diary, contract)
    enrolled = Person(diary, contract, name="Eve Known").register()
    mailbox.verify(enrolled)
    enrolled.enrol(study=STUDY)
    emails = {"unknown": address(), "known": known.email, "enrolled": enrolled.email}
    replies, times = {}, {}
    for kind, email in emails.items():
        begun = time.monotonic()
        reply = invite(inviter, email)
        times[kind] = time.monotonic() - begun
        headers = {name: value for name, value in reply.headers.items() if name.lower() not in ("date", "x-request-id", "ratelimit")}
        replies[kind] = (reply.status_code, reply.content, headers)

    assert replies["unknown"] == replies["known"] == replies["enrolled"]
    assert all(0.3 <= seconds for seconds in times.values()), times
    for email in emails.values():
        [entry] = listed(inviter, email)
        assert {name: entry[name] for name in ("name", "state", "role", "full_export", "sees_arms")} == {
            "name": "Ben Hill", "state": "invited", "role": "researcher", "full_export": False, "sees_arms": False}
    # Another invitation after a removal has another id, whether or not the account existed before.
    for email in emails.values():
        [entry] = listed(inviter, email)
        remove(inviter, entry)
        invite(inviter, email)
        [again] = listed(inviter, email)
        assert again["account_id"] != entry["account_id"]
    shown = send(inviter, "GET", f"/v1/studies/{STUDY}/audit?action=colleague_invited&limit=6", 200).json()["items"]
    assert [entry["detail"] for entry in shown] == [{"role": "researcher"}] * 6
    lines = diary.run("audit", "--study", STUDY, "--action", "colleague_invited", "--json").splitlines()[-3:]
    details = [json.loads(line)["detail"] for line in lines]
    assert len({detail.pop("account_ref") for detail in details}) == 3 and details == [{"role": "researcher"}] * 3
    assert not any(email in line or "Hill" in line for line in lines for email in emails.values())


def test_a_participant_of_the_study_gets_no_role_and_learns_why(diary, inviter, mailbox, contract):
    eve = Person(diary, contract, name="Eve Known").register()
    mailbox.verify(eve)
    eve.enrol(study=STUDY)
    invite(inviter, eve.email, "coordinator")

    assert "take part in the study yourself" in text(mailbox.wait_for(eve.email)[-1])
    eve.log_in()
    assert eve.call("GET", "/v1/account", status=200)["grants"] == []
    eve.problem("GET", f"/v1/studies/{STUDY}/participants", 403, "not-permitted")
    eve.call("GET", eve.own("/overview"), status=200)
    [entry] = listed(inviter, eve.email)
    assert entry["state"] == "invited", "the team sees the same as for a colleague who does not answer"
    remove(inviter, entry)
    assert listed(inviter, eve.email) == []


def test_an_account_that_took_the_address_without_proof_gets_no_role(diary, inviter, mailbox, contract):
    mallory = Person(diary, contract, name="Mallory").register()
    mailbox.wait_for(mallory.email, verifications=True)
    invited = mallory.email
    invite(inviter, invited)
    [mail] = mailbox.wait_for(invited)
    mallory.log_in()
    mallory.problem("GET", f"/v1/studies/{STUDY}/participants", 403, "not-permitted")
    # The owner of the address sets a new password by the link, which ends the logins of the other one.
    code = re.search(r"code=([^&]+)", link(mail)).group(1)
    owner = Person(diary, contract)
    owner.email, owner.password = invited, PASSWORD
    owner.call("PUT", f"/v1/password-resets/{code}", json={"password": PASSWORD}, token=False, status=204)

    assert mallory.call("GET", "/v1/account").status_code == 401
    owner.log_in()
    assert owner.call("GET", f"/v1/studies/{STUDY}/participants").status_code == 200


def test_a_later_invitation_replaces_the_link(diary, inviter, mailbox):
    email = address()
    invite(inviter, email)
    [first] = mailbox.wait_for(email)
    invite(inviter, email)
    second = mailbox.wait_for(email, count=2)[-1]
    codes = [re.search(r"code=([^&]+)", link(mail)).group(1) for mail in (first, second)]

    statuses = [
        requests.put(f"{diary.url}/v1/password-resets/{code}", json={"password": PASSWORD}, timeout=60).status_code for code in codes]
    assert statuses == [404, 204]


# Permissions

def test_only_coordinators_and_admins_see_and_change_the_team(diary, web, inviter, admin, contract):
    [entry] = listed(inviter, inviter.email)
    visitors = {role: Member(diary, [(role, STUDY)]) for role in ("researcher", "editor")} | {
        "stranger": Member(diary, [("coordinator", OTHER)]), "coordinator": inviter, "admin": admin}
    person = Person(diary, contract).register()
    sessions = {name: member.session for name, member in visitors.items()} | {
        "participant": log_in(diary.url, person.email, person.password), "anonymous": browser_session(diary.url)}
    expected = {"researcher": 403, "editor": 403, "stranger": 404, "coordinator": 200, "admin": 200, "participant": 403, "anonymous": 401}
    own = f"{PAGE}/{entry['account_id']}/{entry['role']}"
    for name, session in sessions.items():
        reply = session.get(web + ROLES, timeout=60)
        assert reply.status_code == expected[name], name
        if name not in ("coordinator", "admin"):
            assert "@example.org" not in reply.text and "Rosa Field" not in reply.text, name
            for method, path, body in (("POST", INVITATIONS, {"email": address(), "name": "Ben", "role": "editor"}), ("DELETE", f"{ROLES}/{entry['account_id']}/coordinator", None)):
                assert session.request(method, web + path, json=body, timeout=60).status_code == expected[name], (name, path)
        for path in (PAGE, own, f"{PAGE}?format=csv"):
            page = session.get(web + path, timeout=60, allow_redirects=False)
            assert page.status_code == (303 if name == "anonymous" else expected[name]), (name, path)
    assert listed(inviter, inviter.email) == [entry]


def test_addresses_of_the_team_are_on_no_other_page(diary, inviter):
    rosa = Member(diary, [("researcher", STUDY)])
    waiting, seen = [f"/staff/{STUDY}"], set()
    while waiting and len(seen) < 40:
        path = waiting.pop()
        if path in seen or path.startswith(PAGE):
            continue
        seen.add(path)
        for member in (rosa, inviter):
            reply = member.get(path)
            assert "@example.org" not in reply.text, path
            if reply.headers.get("Content-Type", "").startswith("text/html"):
                waiting += [found.replace("&amp;", "&") for found in re.findall(r'href="(/staff[^"]*)"', reply.text)]
    assert len(seen) >= 4 and inviter.email in inviter.get(f"{PAGE}?format=csv").text


@pytest.mark.parametrize("permission", ["full_export", "sees_arms"])
def test_only_an_admin_gives_permissions(diary, inviter, admin, permission):
    rosa = Member(diary, [("researcher", STUDY)])
    reply = invite(inviter, rosa.email, status=403, **{permission: True})

    assert slug(reply) == "not-permitted"
    invite(admin, rosa.email, status=422, role="editor", **{permission: True})
    invite(admin, rosa.email, **{permission: True})
    [entry] = listed(inviter, rosa.email)
    assert entry[permission] is True and entry["state"] == "active", "a role that exists changes at once"
    # An invitation of a coordinator does not change permissions.
    invite(inviter, rosa.email)
    assert listed(inviter, rosa.email) == [entry]
    assert words("roles", permission) in admin.get(PAGE).text
    assert f'name="{permission}"' in admin.get(PAGE).text and f'name="{permission}"' not in inviter.get(PAGE).text


def test_no_member_invites_the_own_address_or_makes_an_admin(inviter, admin):
    for member in (inviter, admin):
        reply = invite(member, member.email.upper(), status=422)
        assert [(error["pointer"], error["code"]) for error in reply.json()["errors"]] == [("/email", "own_address")]
    reply = invite(inviter, address(), "admin", status=422)
    assert [error["pointer"] for error in reply.json()["errors"]] == ["/role"]


def test_changes_need_a_password_of_the_last_ten_minutes_and_nothing_typed_is_lost(diary, inviter, visitor, web):
    [entry] = listed(inviter, inviter.email)
    email = address()
    page = visitor(java_script_enabled=False)
    sign_in(page, inviter)
    page.goto(PAGE)
    page.get_by_label(words("roles", "name"), exact=True).fill("Ben Hill")
    page.get_by_label(words("roles", "email"), exact=True).fill(email)
    page.get_by_role("radio", name=re.compile("^" + words("staff", "editor"))).check()
    for minutes in (11, 31):
        inviter.age(minutes)
        for method, path, body in (("POST", INVITATIONS, {"email": email, "name": "Ben", "role": "editor"}), ("DELETE", f"{ROLES}/{entry['account_id']}/coordinator", None)):
            assert slug(send(inviter, method, path, 403, json=body)) == "password-required"
        page.get_by_role("button", name=words("roles", "send")).click()
        expect(page.get_by_label(words("roles", "name"), exact=True)).to_have_value("Ben Hill")
        expect(page.get_by_label(words("roles", "email"), exact=True)).to_have_value(email)
        expect(page.get_by_role("radio", name=re.compile("^" + words("staff", "editor")))).to_be_checked()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name=words("roles", "password_tab")).click()
        tab = visitor.watch(opened.value)
        tab.get_by_label("Password", exact=True).fill(inviter.password)
        tab.get_by_role("button", name=words("staff", "continue")).click()
        # Without a new password the page has no form.
        expect(tab.get_by_role("button", name=words("roles", "send"))).to_be_visible()
        inviter.post("/staff/login", password=inviter.password, next="/staff")
    page.get_by_role("button", name=words("roles", "send")).click()
    expect(page.locator(".banner.ok")).to_have_text(words("roles", "sent"))
    assert [item["role"] for item in listed(inviter, email)] == ["editor"]
    inviter.age(11)
    page.goto(PAGE)
    expect(page.get_by_role("button", name=words("roles", "send"))).to_have_count(0)
    page.get_by_role("link", name=words("roles", "password")).click()
    expect(page).to_have_url(f"{web}/staff/login?next={PAGE}")


@pytest.mark.parametrize("fields, faults", [
    ({"name": " "}, ["name"]), ({"email": ""}, ["email"]), ({"email": "ben"}, ["email"]), ({"role": ""}, ["role"]), ({"role": "admin"}, ["role"]),
    ({"name": "x" * 201}, ["name"]), ({"name": "", "email": "", "role": ""}, ["name", "email", "role"])])
def test_a_wrong_field_is_named_and_what_was_typed_stays(inviter, fields, faults):
    before = listed(inviter)
    form = {"name": "Ben <Hill>", "email": address(), "role": "editor"} | fields
    reply = inviter.post(PAGE, **form)

    assert reply.status_code == 422
    assert re.findall(r'<li><a href="#(\w+)">', reply.text) == faults
    assert len(re.findall('<p class="fault"', reply.text)) == len(faults)
    if not fields.get("name"):
        assert ("Ben &lt;Hill&gt;" in reply.text) == ("name" not in fields)
    assert form["email"] in reply.text and "<Hill>" not in reply.text
    assert listed(inviter) == before


# Removal

def test_a_removed_role_ends_pages_tokens_and_streams_at_once(diary, inviter, contract):
    rosa = Member(diary, [("researcher", STUDY)])
    program = Person(diary, contract)
    program.email, program.password = rosa.email, rosa.password
    program.log_in()
    token = program.call("POST", f"/v1/studies/{STUDY}/api-tokens", json={"label": "Notebook"}, status=201)["token"]
    table = f"/v1/studies/{STUDY}/odata/enrolments"
    assert program.call("GET", table, token=token).status_code == 200 and rosa.get(f"/staff/{STUDY}").status_code == 200
    [entry] = listed(inviter, rosa.email)
    stream = rosa.session.get(f"{diary.url}/v1/studies/{STUDY}/live", stream=True, timeout=60)
    lines = stream.iter_lines(decode_unicode=True)
    assert "event: ready" in [next(lines) for _ in range(4)]

    begun = time.monotonic()
    remove(inviter, entry)

    assert program.problem("GET", f"/v1/studies/{STUDY}/participants", 403, "not-permitted")
    assert program.call("GET", table, token=token).status_code == 401
    assert rosa.get(f"/staff/{STUDY}").status_code == 403
    rest = [line for line in lines if line]
    # The role is otherwise checked every 15 seconds.
    assert "event: end" in rest and 'data: {"reason":"access_revoked"}' in rest and time.monotonic() - begun < 8
    # Granted again, the role does not make the old token valid.
    diary.run("account", "grant", "--email", rosa.email, "--role", "researcher", "--study", STUDY)
    assert program.call("GET", table, token=token).status_code == 401
    assert '"role_revoked"' in diary.run("audit", "--study", STUDY, "--action", "role_revoked", "--json").splitlines()[-1]


def test_a_coordinator_removes_a_role_without_javascript_after_a_question(diary, inviter, visitor, web):
    edda = Member(diary, [("editor", STUDY)])
    page = visitor(java_script_enabled=False)
    sign_in(page, inviter)
    page.goto(PAGE)
    row = page.locator("main tbody tr").filter(has_text=edda.email)
    action = row.get_by_role("link", name=re.compile(words("roles", "remove_role", role=words("staff", "editor"))))
    action.click()
    expect(page.get_by_text(words("roles", "ask", name="Rosa Field", role=words("staff", "editor")))).to_be_visible()
    expect(page.get_by_text(words("roles", "ends_editor", name="Rosa Field"))).to_be_visible()
    page.get_by_role("link", name=words("roles", "keep")).click()
    expect(row).to_have_count(1)
    action.click()
    inviter.age(11)
    page.get_by_role("button", name=words("roles", "remove"), exact=True).click()
    # The password is asked for, and leads back to the question.
    page.get_by_label("Password", exact=True).fill(inviter.password)
    page.get_by_role("button", name=words("staff", "continue")).click()
    assert edda.get(f"/staff/{STUDY}").status_code == 200
    page.get_by_role("button", name=words("roles", "remove"), exact=True).click()

    expect(page).to_have_url(f"{web}{PAGE}")
    expect(row).to_have_count(0)
    assert edda.get(f"/staff/{STUDY}").status_code == 403


def test_a_removed_invitation_gives_no_role(diary, inviter, mailbox, contract):
    email = address()
    invite(inviter, email)
    [mail] = mailbox.wait_for(email)
    [entry] = listed(inviter, email)
    page = inviter.get(f"{PAGE}/{entry['account_id']}/researcher").text
    assert words("roles", "ends_invited", name="Ben Hill") in page
    account = diary.sql("select account_id from identity.account order by created_at desc limit 1").strip()
    assert entry["account_id"] != account
    remove(inviter, {**entry, "account_id": account}, status=404)
    remove(inviter, entry)
    remove(inviter, entry, status=404)

    code = re.search(r"code=([^&]+)", link(mail)).group(1)
    assert requests.put(f"{diary.url}/v1/password-resets/{code}", json={"password": PASSWORD}, timeout=60).status_code == 404
    # Nothing of the address is left.
    new = Person(diary, contract).register()
    new.call("PATCH", "/v1/account", json={"email": email, "password": new.password}, status=200)


def test_the_last_coordinator_stays_while_participants_are_active(diary, contract, mailbox, tmp_path):
    study = "small-team"
    publish(diary, tmp_path, study)
    roles = f"/v1/studies/{study}/roles"
    only, admin = Member(diary, [("coordinator", study)]), Member(diary, [("admin", study)])
    [mine] = [item for item in send(only, "GET", roles, 200).json()["items"] if item["role"] == "coordinator"]
    person = Person(diary, contract, name="Ada Canary").register().enrol(study=study)
    own = f"{roles}/{mine['account_id']}/coordinator"

    assert slug(send(only, "DELETE", own, 409)) == "last-coordinator"
    page = only.post(f"/staff/{study}/roles/{mine['account_id']}/coordinator")
    assert page.status_code == 422 and words("roles", "fault_last") in page.text and words("roles", "own") in page.text
    # A colleague who was invited and has not logged in does not count.
    kim = verified(mailbox, diary, contract)
    send(only, "POST", f"/v1/studies/{study}/invitations", 202, json={"email": kim.email, "name": "Kim", "role": "coordinator"})
    assert slug(send(only, "DELETE", own, 409)) == "last-coordinator"
    log_in(diary.url, kim.email, kim.password)
    send(only, "DELETE", own, 204)
    assert only.get(f"/staff/{study}").status_code == 403
    # An admin removes the last one, and without participants the last one leaves.
    send(admin, "DELETE", f"{roles}/{kim.tokens['account_id']}/coordinator", 204)
    diary.run("account", "grant", "--email", only.email, "--role", "coordinator", "--study", study)
    assert slug(send(only, "DELETE", own, 409)) == "last-coordinator"
    person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=(200, 204))
    left = only.post(f"/staff/{study}/roles/{mine['account_id']}/coordinator")
    assert (left.status_code, left.headers["Location"]) == (303, "/staff")


# The page

def test_the_page_the_file_and_the_api_show_the_same(diary, tmp_path):
    study = "listed-team"
    publish(diary, tmp_path, study)
    cora = Member(diary, [("coordinator", study), ("researcher", study)])
    send(cora, "POST", f"/v1/studies/{study}/invitations", 202, json={"email": address(), "name": "=1+1", "role": "editor"})
    items = send(cora, "GET", f"/v1/studies/{study}/roles", 200).json()["items"]
    reply = cora.get(f"/staff/{study}/roles?format=csv")
    rows = list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))

    assert reply.headers["Content-Disposition"].startswith(f'attachment; filename="{study}-team-') and len(items) == 3
    halves = [send(cora, "GET", f"/v1/studies/{study}/roles?limit=2", 200).json()]
    halves.append(send(cora, "GET", f"/v1/studies/{study}/roles?limit=2&cursor={halves[0]['next']}", 200).json())
    assert halves[0]["items"] + halves[1]["items"] == items and halves[1]["next"] is None
    assert [row[words("roles", "email")] for row in rows] == [item["email"] for item in items]
    assert [row[words("roles", "role")] for row in rows] == [words("staff", item["role"]) for item in items]
    assert [row[words("roles", "state")] for row in rows] == [words("roles", f"state_{item['state']}") for item in items]
    assert words("roles", "remove") not in rows[0], "the file has no acts"
    assert "'=1+1" in [row[words("roles", "name")] for row in rows]
    shown = cora.get(f"/staff/{study}/roles").text
    assert re.findall(f'<td data-title="{words("roles", "email")}">([^<]+)</td>', shown) == [item["email"] for item in items]
    german = cora.get(f"/staff/{study}/roles", headers={"Accept-Language": "de"}).text
    assert words("roles", "members", "de") in german and words("roles", "invite_text", "de") in german


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(diary, inviter, visitor, scheme, width):
    edda = Member(diary, [("editor", STUDY)])
    [entry] = listed(inviter, edda.email)
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, inviter)
    axe, faults = Axe(), []
    for path in (PAGE, f"{PAGE}/{entry['account_id']}/editor"):
        page.goto(path)
        if path == PAGE:
            page.get_by_role("button", name=words("roles", "send")).click()
            expect(page.locator("#errors li")).to_have_count(3)
        found = axe.run(page).response["violations"]
        faults += [(path, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in found]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((path, "wide", page.evaluate("document.documentElement.scrollWidth")))
    assert faults == []
