"""Accounts without an address and a password: from the first request to registration, adoption and erasure, and attacks."""

import csv
import io
import random
import re
import threading

import pytest
import requests

from acceptance import datasets
from acceptance.contract import Contract
from acceptance.mailbox import code, text
from acceptance.people import Person, Researcher
from acceptance.server import ROOT, Server

STUDY = "open-door"
PACK = ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY
CREATE, REGISTER, ADOPT = "/v1/accounts/anonymous", "/v1/account/registration", "/v1/account/adoption"


@pytest.fixture(scope="module")
def door(mailbox):
    """A server with a study that admits anonymous accounts. Before it is published, no account can be created."""
    server = Server(smtp_url=mailbox.url)
    try:
        server.start()
        server.publish()
        server.contract = Contract(requests.get(server.url + "/openapi.json", timeout=60).json())
        Anonymous(server).problem("POST", CREATE, 403, "not-permitted", json={}, token=False)
        server.run("publish", PACK)
        yield server
        assert not server.contract.faults, server.contract.faults
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


class Anonymous(Person):
    """A person without an address. `email` and `password` are those of a later registration."""

    def __init__(self, server):
        super().__init__(server, server.contract)

    def start(self, enrols=True):
        self.tokens = self.call("POST", CREATE, json={"time_zone": self.zone, "language": "en"}, status=201, token=False)
        assert self.tokens["account_kind"] == "anonymous"
        return self.enrol(study=STUDY) if enrols else self

    def note(self, mood):
        return self.submit("door_note", {"mood": mood})["sheet_id"]

    def notes(self):
        return {sheet["sheet_id"] for sheet in self.pages(self.own("/answer-sheets"))}

    def credentials(self, **more):
        return {"email": self.email, "password": self.password} | more

    def sign_up(self, status=200, **more):
        return self.call("POST", REGISTER, json=self.credentials(display_name=self.name) | more, status=status)


def owner(server, enrols=False):
    """A person with a registered account."""
    person = Person(server, server.contract).register()
    return person.enrol(study=STUDY) if enrols else person


# The way of a participant

def test_a_registration_keeps_the_account_the_enrolment_and_the_entries(door, mailbox):
    yana = Anonymous(door).start()
    kept = {yana.note(3), yana.note(4)}
    before = yana.call("GET", "/v1/account", status=200)
    assert (before["kind"], before["email"], before["display_name"]) == ("anonymous", None, "")
    yana.problem("POST", "/v1/studies/mindful-walking/enrolments", 403, "not-permitted", json={
        "consent": {"version": "1.0.0", "accepted": True}, "time_zone": yana.zone})

    after = yana.sign_up()

    assert after["account_id"] == before["account_id"] and (after["kind"], after["email"]) == ("registered", yana.email)
    assert yana.notes() == kept
    # The response may have been lost: the same request is no fault, another one is.
    assert yana.sign_up() == after
    for more in ({"email": "x" + yana.email}, {"password": "another horse battery"}, {"display_name": "Eve"}):
        yana.problem("POST", REGISTER, 409, "already-registered", json=yana.credentials(display_name=yana.name) | more)
    mail = mailbox.wait_for(yana.email, verifications=True)[0]
    yana.call("PUT", f"/v1/email-verifications/{code(mail)}", status=204)
    yana.log_in()
    assert yana.notes() == kept and yana.tokens["account_kind"] == "registered"

    # The dataset states the kind at the enrolment, and a registration does not change it.
    owner(door, enrols=True)
    researcher = Researcher(door, study=STUDY)
    table = datasets.files(researcher, STUDY, "coded")["data/enrolments.csv"].decode()
    kinds = {row["participant_id"]: row["account_kind"] for row in csv.DictReader(io.StringIO(table))}
    assert kinds[yana.enrolment["participant_id"]] == "anonymous" and set(kinds.values()) == {"anonymous", "registered"}


def test_an_adoption_moves_the_entries_and_ends_the_anonymous_account(door):
    rosa, yana = owner(door), Anonymous(door).start()
    sheet = yana.note(5)
    former = yana.tokens

    adopted = yana.call("POST", ADOPT, json={"email": rosa.email, "password": rosa.password}, status=201)

    assert adopted["account_id"] == rosa.tokens["account_id"] and adopted["account_kind"] == "registered"
    path = yana.own(f"/answer-sheets/{sheet}")
    rosa.call("GET", path, status=200)
    for method, route, body in (("GET", path, None), ("GET", "/v1/account", None), ("POST", ADOPT, {"email": rosa.email, "password": rosa.password})):
        yana.problem(method, route, 401, "token-invalid", json=body, token=former["access_token"])
    assert yana.refresh(former["refresh_token"]).status_code == 401
    assert door.sql(f"select count(*) from identity.account where account_id = '{former['account_id']}'").strip() == "0"
    assert door.sql("select count(*) from audit.entry where action = 'account_adopted'").strip() == "1"


def test_two_enrolments_of_a_study_are_never_merged(door):
    rosa, yana = owner(door, enrols=True), Anonymous(door).start()
    sheet = yana.note(6)
    credentials = {"email": rosa.email, "password": rosa.password}

    assert yana.problem("POST", ADOPT, 409, "already-enrolled", json=credentials)["studies"] == [STUDY]

    assert yana.notes() == {sheet} and rosa.pages(rosa.own("/answer-sheets")) == []
    yana.call("POST", yana.own("/withdrawal"), json={"mode": "erase"}, status=204)
    yana.call("POST", ADOPT, json=credentials, status=201)
    rosa.call("GET", rosa.own(""), status=200)


def test_an_anonymous_account_is_erased_without_a_password(door):
    yana, rosa = Anonymous(door).start(), owner(door)
    yana.note(2)
    rosa.problem("DELETE", "/v1/account", 422, "body-invalid", json={})

    yana.call("DELETE", "/v1/account", status=204)

    yana.problem("GET", "/v1/account", 401, "token-invalid")
    assert door.sql(f"select count(*) from research.answer_sheet where enrolment_id = '{yana.enrolment['enrolment_id']}'").strip() == "0"


def test_codes_lead_to_the_app_of_the_study(door, mailbox):
    yana = Anonymous(door).start()
    yana.sign_up()
    yana.call("POST", "/v1/password-resets", json={"email": yana.email}, status=202, token=False)

    found = re.search(r"https://app\.example\.org/reset#([A-Za-z0-9_-]+)", text(mailbox.wait_for(yana.email)[-1]))

    yana.call("PUT", f"/v1/password-resets/{found[1]}", json={"password": "a new horse battery"}, status=204, token=False)
    assert yana.call("GET", f"/v1/studies/{STUDY}", status=200)["join_address"] == "https://app.example.org/join#{{code}}"


# Attacks

def test_a_server_without_an_app_store_accepts_no_purchase(door):
    visitor = owner(door)
    body = {"provider": "app_store", "study": STUDY, "signed_transaction": "a.b.c"}

    refused = visitor.problem("POST", "/v1/account/purchases", 404, "not-found", json=body)

    assert "not configured" in refused["detail"]
    visitor.problem("POST", "/v1/purchase-notifications/app_store", 404, "not-found", json={"signedPayload": "a.b.c"}, token=False)


def test_an_adoption_reveals_no_address_and_has_the_limits_of_a_login(door):
    rosa, mallory = owner(door), Anonymous(door).start()
    known = mallory.call("POST", ADOPT, json={"email": rosa.email, "password": "guess 1 horse"})
    unknown = mallory.call("POST", ADOPT, json={"email": "nobody" + rosa.email, "password": "guess 1 horse"})
    assert known.status_code == unknown.status_code == 401
    assert known.json() | {"instance": ""} == unknown.json() | {"instance": ""}

    guesses = [mallory.call("POST", ADOPT, json={"email": rosa.email, "password": f"guess {number} horse"}).status_code for number in range(2, 13)]

    assert guesses[:8] == [401] * 8 and guesses[-1] == 429
    # A login from the same address counts in the same limit. The owner is not locked out elsewhere.
    login = mallory.call("POST", "/v1/tokens", json={"email": rosa.email, "password": "guess 13 horse"}, token=False)
    assert login.status_code == 429
    rosa.log_in()
    assert mallory.call("GET", "/v1/account", status=200)["kind"] == "anonymous"


def test_no_caller_can_adopt_the_anonymous_account_of_another_person(door):
    yana, mallory = Anonymous(door).start(), owner(door)
    sheet = yana.note(7)
    # The account that moves is the caller's own. No member of the body names another one.
    for extra in ({"account_id": yana.tokens["account_id"]}, {"anonymous": yana.tokens["account_id"]}, {"enrolment_id": yana.enrolment["enrolment_id"]}):
        answer = mallory.call("POST", ADOPT, json={"email": mallory.email, "password": mallory.password} | extra)
        assert answer.status_code in (409, 422), answer.text
    helper = Anonymous(door).start(enrols=False)
    answer = helper.call("POST", ADOPT, json={"email": mallory.email, "password": mallory.password, "account_id": yana.tokens["account_id"]})
    assert answer.status_code in (201, 422), answer.text

    mallory.log_in()
    mallory.problem("GET", yana.own(""), 404, "not-found")
    assert yana.notes() == {sheet}


def test_adoptions_and_registrations_at_the_same_time_leave_one_owner(door):
    rosa, yana = owner(door), Anonymous(door).start()
    sheet = yana.note(8)
    statuses = []

    def attempt(path, body):
        statuses.append((path, yana.call("POST", path, json=body).status_code))

    threads = [threading.Thread(target=attempt, args=(ADOPT, {"email": rosa.email, "password": rosa.password})) for _ in range(3)]
    threads += [threading.Thread(target=attempt, args=(REGISTER, yana.credentials(display_name="Ada"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {status for _, status in statuses} <= {200, 201, 401, 409}, statuses
    adopted = sum(status == 201 for _, status in statuses)
    registered = any(status == 200 for _, status in statuses)
    assert (adopted == 1) != registered and adopted <= 1, statuses
    person = rosa if adopted else yana.log_in()
    assert sheet in {one["sheet_id"] for one in person.pages(yana.own("/answer-sheets"))}


def test_the_creation_of_accounts_is_limited_by_address(door):
    yana = Anonymous(door)
    statuses = [yana.call("POST", CREATE, json={}, token=False).status_code for _ in range(230)]

    assert statuses[:200] == [201] * 200 and 429 in statuses[200:]
    Anonymous(door).start(enrols=False)


# The session of a browser

def browser(door):
    """A client that keeps cookies and sends forms from pages of the server."""
    session = requests.Session()
    session.headers.update({
        "Accept": "text/html", "Sec-Fetch-Site": "same-origin",
        "X-Forwarded-For": ".".join(str(random.randint(1, 250)) for _ in range(4))})

    def send(path, form=None, status=303, **headers):
        if form is None:
            reply = session.get(door.url + path, timeout=60, allow_redirects=False)
        else:
            reply = session.post(door.url + path, data=form, headers=headers, timeout=60, allow_redirects=False)
        assert reply.status_code == status, f"{path}: {reply.status_code} {reply.text[:2000]}"
        return reply

    send.cookies = session.cookies
    return send


def start(send):
    """Starts without an account, and joins; the address of the page Today."""
    reply = send(f"/studies/{STUDY}/start", {})
    assert reply.headers["Location"] == f"/studies/{STUDY}/consent"
    cookie = reply.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and f"Max-Age={400 * 86_400}" in cookie
    return send(f"/studies/{STUDY}/consent", {
        "consent_version": "1.0.0", "accepted": "on", "time_zone": "Europe/Berlin", "language": "en"}).headers["Location"]


def status(door, cookies):
    return requests.get(door.url + "/v1/account", cookies=cookies, timeout=60).status_code


def test_a_registration_replaces_the_cookie_and_needs_a_page_of_the_server(door):
    send = browser(door)
    home = start(send)
    planted = dict(send.cookies)
    form = {"display_name": "Ada", "email": Person(door).email, "password": "correct horse battery"}

    # A page of another site cannot send the form, and so neither give the account an address nor move its entries.
    other = {"known_email": form["email"], "known_password": form["password"]}
    for path, fields in (("/account/sign-up", form), ("/account/adoption", other), (f"/studies/{STUDY}/start", {}), ("/logout", {"confirmed": "on"})):
        send(path, fields, status=403, **{"Sec-Fetch-Site": "cross-site"})
    assert status(door, planted) == 200

    reply = send("/account/sign-up", form)

    assert reply.headers["Location"] == "/account/email?kept=1" and dict(send.cookies) != planted
    assert f"Max-Age={90 * 86_400}" in reply.headers["Set-Cookie"]
    # An attacker who knew the cookie before has nothing now.
    assert status(door, planted) == 401 and status(door, dict(send.cookies)) == 200
    send(home, status=200)
    assert send("/account/sign-up").headers["Location"] == "/my"


def test_a_logout_of_an_anonymous_account_is_confirmed_first(door):
    send = browser(door)
    start(send)
    assert send("/logout", {}).headers["Location"] == "/account/log-out"
    page = send("/account/log-out", status=200).text
    assert page.index("/account/sign-up") < page.index('name="confirmed"')
    before = dict(send.cookies)
    assert status(door, before) == 200

    send("/logout", {"confirmed": "on"})

    assert status(door, before) == 401


def test_the_participant_decides_which_participation_to_keep(door):
    rosa = owner(door, enrols=True)
    send = browser(door)
    home = start(send)
    form = {"known_email": rosa.email, "known_password": rosa.password}
    planted = dict(send.cookies)

    page = send("/account/adoption", form, status=409).text
    assert "Open door" in page and f'name="studies" value="{STUDY}"' in page and rosa.password not in page
    decided = form | {"studies": STUDY}
    for missing in ({}, {"keep": "account"}, {"keep": "account", "confirmed": "on", "known_password": "wrong horse battery"}):
        send("/account/adoption", decided | missing, status=422)
    assert send("/account/adoption", decided | {"keep": "here"}).headers["Location"] == "/account/sign-up"
    send(home, status=200)

    reply = send("/account/adoption", decided | {"keep": "account", "confirmed": "on"})

    assert reply.headers["Location"] == "/account/adopted" and status(door, planted) == 401
    assert rosa.enrolment["enrolment_id"] in send("/account/adopted", status=200).text
    send(home, status=404)
    rosa.call("GET", rosa.own(""), status=200)
