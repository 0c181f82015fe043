"""Participants and researchers with an account, and their requests."""

import random
import threading
import time
import uuid

import requests

from .moments import evening_zone, instant, new_id

STUDY = "mindful-walking"


class Person:
    """A person with an account. Each person has a different client address."""

    def __init__(self, server, contract=None, name="Ada Canary", language="en", zone=None):
        self.server = server
        self.email = f"{name.split()[0].lower()}-{uuid.uuid4().hex[:12]}@example.org"
        self.password = "pa55-" + uuid.uuid4().hex
        self.name = name
        self.language = language
        self.zone = zone or evening_zone()
        self.tokens = {}
        self.enrolment = {}
        self._renewing = threading.Lock()
        self.session = requests.Session()
        self.session.headers["X-Forwarded-For"] = ".".join(str(random.randint(1, 250)) for _ in range(4))
        if contract:
            self.session.hooks["response"].append(contract.watch)

    # Calls

    @property
    def tokens(self):
        return self._tokens

    @tokens.setter
    def tokens(self, tokens):
        self._tokens, self._tokens_since = tokens, time.monotonic()

    def stay_logged_in(self):
        """Refreshes the tokens after five minutes, as an app does. A test run takes longer than an access token is valid."""
        if "refresh_token" in self.tokens and time.monotonic() - self._tokens_since > 300:
            answer = self.refresh()
            if answer.ok:
                self.tokens = answer.json()

    def call(self, method, path, json=None, status=None, token=True, headers=None, **more):
        """Sends a request; the response. With `status`, checks the status; the JSON of the response, or None."""
        headers = dict(headers or {})
        if token is True:
            self.stay_logged_in()
        token = self.tokens.get("access_token") if token is True else token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        response = self.session.request(method, self.server.url + path, json=json, headers=headers, timeout=60, **more)
        if status is None:
            return response
        expected = status if isinstance(status, tuple) else (status,)
        assert response.status_code in expected, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return response.json() if response.content and "json" in response.headers.get("content-type", "") else None

    def problem(self, method, path, status, slug, **more):
        """Sends a request that the server must reject with this status and type; the problem document."""
        response = self.call(method, path, **more)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        assert response.headers["content-type"] == "application/problem+json"
        document = response.json()
        assert document["type"].rsplit("/", 1)[1] == slug, document
        assert document["status"] == status
        assert document["instance"] == response.headers["x-request-id"]
        return document

    def own(self, path):
        """A path below the person's enrolment."""
        return f"/v1/enrolments/{self.enrolment['enrolment_id']}{path}"

    # Account

    def register(self):
        self.tokens = self.call(
            "POST", "/v1/accounts", status=201, token=False,
            json={
                "email": self.email, "password": self.password, "display_name": self.name, "time_zone": self.zone,
                "language": self.language,
            })
        return self

    def verify_in_database(self):
        """Marks the address as verified, for a server without a mail server. The waiting mail with the code is deleted."""
        account = f"account_id = '{self.tokens['account_id']}'"
        self.server.sql(f"""
            update identity.account set email_verified_at = now() where {account};
            update research.enrolment set email_verified = true
            where enrolment_id in (select enrolment_id from identity.membership where {account});
            delete from identity.email_verification where {account};
            delete from identity.outgoing_mail where {account} and kind = 'email_verification'""")
        return self

    def log_in(self, status=201):
        answer = self.call(
            "POST", "/v1/tokens", json={"email": self.email, "password": self.password}, status=status, token=False)
        if status == 201:
            self.tokens = answer
        return self

    def refresh(self, token=None):
        return self.call(
            "POST", "/v1/tokens/refresh", json={"refresh_token": token or self.tokens["refresh_token"]}, token=False)

    def renew(self):
        """After a rejected token, as an app does: refreshes the tokens, or logs in. Does nothing if both fail. One thread at a time."""
        before = self.tokens
        with self._renewing:
            if self.tokens is not before:
                return
            try:
                answer = self.refresh()
                if not answer.ok:
                    answer = self.call(
                        "POST", "/v1/tokens", json={"email": self.email, "password": self.password}, token=False)
            except requests.RequestException:
                return
            if answer.ok:
                self.tokens = answer.json()

    def on(self, server):
        """The same person at another server that has the same data."""
        twin = Person(server, name=self.name, zone=self.zone, language=self.language)
        twin.email, twin.password, twin.tokens, twin.enrolment = self.email, self.password, self.tokens, self.enrolment
        return twin

    # Study

    def enrol(self, status=201, study=STUDY):
        version = self.call("GET", f"/v1/studies/{study}", status=200)["consent"]["version"]
        self.enrolment = self.call(
            "POST", f"/v1/studies/{study}/enrolments", status=status,
            json={"consent": {"version": version, "accepted": True}, "time_zone": self.zone, "language": self.language})
        return self

    def overview(self):
        """Questionnaire -> its entry."""
        return {entry["questionnaire"]: entry for entry in self.call("GET", self.own("/overview"), status=200)["items"]}

    def sheet(self, questionnaire, answers, started=None, completed=None, **more):
        """The body of an answer sheet that names no occasion."""
        return {
            "questionnaire": questionnaire, "version": "1.0.0", "started_at": instant(started),
            "completed_at": instant(completed), "time_zone": self.zone, "client_now": instant(), "answers": answers,
        } | more

    def submit(self, questionnaire, answers, status=(200, 201), sheet_id=None, **more):
        path = self.own(f"/answer-sheets/{sheet_id or new_id()}")
        return self.call("PUT", path, json=self.sheet(questionnaire, answers, **more), status=status)

    def calibrate(self, mean=5.0, reduction=20, status=201):
        return self.call(
            "PUT", self.own(f"/calibrations/{new_id()}"), status=status,
            json={"recorded_at": instant(), "mean_speed_kmh": mean, "reduction_percent": reduction, "duration_s": 60})

    def pages(self, path, limit=100, **parameters):
        """All items of a list, page by page."""
        items, cursor = [], None
        while True:
            more = {"cursor": cursor} if cursor else {}
            page = self.call("GET", path, params={"limit": limit, **parameters, **more}, status=200)
            items += page["items"]
            cursor = page["next"]
            if cursor is None:
                return items


class Researcher(Person):
    def __init__(self, server, contract=None, study=STUDY):
        super().__init__(server, contract, name="Rosa Field")
        self.password = server.make_researcher(self.email, study=study)
        self.log_in()
