"""The story of alter ego, through the public API, on a simulated clock: an editor's journey, and a reader's first weeks.

The numbers are those of the story. The order differs where the clock demands it.
test_web_alter_ego.py shows the pack through the pages.
"""

import base64
import contextlib
import csv
import datetime
import hashlib
import http.client
import io
import json
import math
import shutil
import sys
import urllib.parse

import jwt
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from acceptance import datasets
from acceptance.message_receiver import Authority, Device
from acceptance.moments import instant, new_id, read
from acceptance.server import ROOT, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedPerson, TimedServer

sys.path.insert(0, str(ROOT / "Tests" / "Nightly"))

from variables_model import Evaluation, Facts, Pack  # noqa: E402
from variables_model.comparison import is_equal  # noqa: E402

STUDY = "alter-ego"
FOLDER = ROOT / "Questionnaires" / "studies" / STUDY
INSTRUMENTS = ROOT / "Questionnaires" / "instruments"
BERLIN = "Europe/Berlin"
# A Monday.
START = datetime.datetime(2026, 4, 13, 7, 0, tzinfo=datetime.timezone.utc)
WRITTEN = "canary-written: the talk at ten"
CHANGED = "canary-changed: the talk at ten, and the train"
PURGED = "canary-purged: what I did not want to keep"
LATE = "canary-late: written after the plan had ended"
KEPT = "canary-kept: read and kept"

# A journey that the editor imports, with two practices. One has stories only.
ASK = {
    "title": {"en": "A letter that you do not send", "de": "Ein Brief, den Sie nicht abschicken"},
    "topic": {"en": "Write to a friend.", "de": "Schreiben Sie einem Freund."}, "minutes": 5,
    "exercises": [
        {"link_id": "desk", "kind": "story", "text": {"en": "Seneca wrote letters to a friend.", "de": "Seneca schrieb Briefe an einen Freund."}},
        {"link_id": "to", "kind": "input", "text": {"en": "To whom would you write?", "de": "Wem würden Sie schreiben?"},
         "placeholder": {"en": "To …", "de": "An …"}},
        {"link_id": "say", "kind": "input", "text": {"en": "What would you say?", "de": "Was würden Sie sagen?"},
         "placeholder": {"en": "I wanted to …", "de": "Ich wollte …"}},
    ],
}
READ = {
    "title": {"en": "A letter to you", "de": "Ein Brief an Sie"}, "topic": {"en": "You only read.", "de": "Sie lesen nur."}, "minutes": 2,
    "exercises": [
        {"link_id": "greeting", "kind": "story", "text": {"en": "This letter is for you.", "de": "Dieser Brief ist für Sie."}},
        {"link_id": "farewell", "kind": "story", "text": {"en": "Take care of yourself.", "de": "Geben Sie auf sich acht."}},
    ],
}
LETTERS = {
    "code": "letters", "title": {"en": "Letters", "de": "Briefe"}, "subtitle": {"en": "A journey with Seneca", "de": "Eine Reise mit Seneca"},
    "introduction": {"en": "Two practices about writing.", "de": "Zwei Übungen über das Schreiben."}, "authors": ["Seneca"],
    "picture": "media/letters.png", "modules": ["letters_ask", "letters_read"],
}


class TimedAuthority(Authority):
    """Its certificates are valid by the simulated clock."""

    def _builder(self, name, key):
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(START - datetime.timedelta(days=1))
            .not_valid_after(START + datetime.timedelta(days=800)))


class Store:
    """An app store: its certificates, and what it signs. Times are those of the simulated clock."""

    BUNDLE = "org.example.ego"

    def __init__(self, folder):
        keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(3)]
        names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"{folder.name} {name}")]) for name in ("root", "authority", "signer")]
        made = []
        for index, key in enumerate(keys):
            issuer = max(index - 1, 0)
            made.append(
                x509.CertificateBuilder().subject_name(names[index]).issuer_name(names[issuer]).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(START - datetime.timedelta(days=1))
                .not_valid_after(START + datetime.timedelta(days=800))
                .add_extension(x509.BasicConstraints(ca=index < 2, path_length=None), critical=True)
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(keys[issuer].public_key()), critical=False)
                .sign(keys[issuer], hashes.SHA256()))
        self._key = keys[2]
        self._chain = [base64.b64encode(one.public_bytes(serialization.Encoding.DER)).decode() for one in reversed(made)]
        (folder / "root.pem").write_bytes(made[0].public_bytes(serialization.Encoding.PEM))
        self.file = folder / "store.yaml"
        self.file.write_text(yaml.safe_dump({
            "environment": "sandbox", "roots": "root.pem", "studies": {STUDY: [self.BUNDLE]}, "apple_markers": False}))

    def sign(self, payload):
        return jwt.encode(payload, self._key, algorithm="ES256", headers={"x5c": self._chain})

    def transaction(self, now, until, **more):
        """A subscription by the month."""
        return self.sign({
            "bundleId": self.BUNDLE, "productId": "ego.premium.month", "originalTransactionId": "2000000000000001", "environment": "Sandbox",
            "type": "Auto-Renewable Subscription", "purchaseDate": milliseconds(now), "expiresDate": milliseconds(until),
            "signedDate": milliseconds(now)} | more)

    def notice(self, kind, now, transaction):
        return self.sign({
            "notificationType": kind, "notificationUUID": new_id(), "signedDate": milliseconds(now), "data": {"signedTransactionInfo": transaction}})


def milliseconds(moment):
    return int(moment.timestamp() * 1000)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return SimulatedClock(tmp_path_factory.mktemp("clock"), START)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """The authority that the push service of the fixture `receiver` uses."""
    return TimedAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def app(clock, authority, store, mailbox):
    """A server on the simulated clock, with the study."""
    server = TimedServer(clock, smtp_url=mailbox.url)
    server.environment |= {
        "SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file), "SAUNTER_APP_STORE_FILE": str(store.file)}
    try:
        server.start()
        server.run("publish", FOLDER)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


class Colleague(TimedPerson):
    """An account with roles in the study."""

    def __init__(self, server, contract, *roles, name="Edda Editor"):
        super().__init__(server, STUDY, contract, name=name)
        made = server.run("account", "create", "--email", self.email, "--name", self.name, "--json")
        self.password = json.loads(made)["password"]
        for role in roles:
            server.run("account", "grant", "--email", self.email, "--role", role, "--study", STUDY)
        self.log_in()

    def draft(self, path=""):
        return f"/v1/studies/{STUDY}/draft{path}"

    def file(self, name):
        return self.draft(f"/file?path=studies/{STUDY}/{name}")

    def begin_draft(self):
        self.log_in()
        return self.call("POST", self.draft(), json={}, status=201)

    def state(self):
        return self.call("GET", self.draft(), status=200)

    def change(self, method, path, status=200, **more):
        """Changes the newest revision of the draft."""
        match = {"If-Match": f'"{self.state()["revision"]}"'}
        return self.call(method, path, headers=match | more.pop("headers", {}), status=status, **more)

    def rewrite(self, name, change):
        """Changes the text of a file of the study."""
        text = self.call("GET", self.file(name), status=200)["text"]
        changed = change(text)
        assert changed != text, f"{name} does not contain what the test replaces"
        return self.change("PUT", self.file(name), json={"text": changed})

    def journeys(self):
        return self.call("GET", self.draft("/programmes"), status=200)["programmes"]

    def publish(self):
        """Raises the versions of what changed, and publishes the draft."""
        self.log_in()
        raised = self.change("POST", self.draft("/versions"))
        assert self.state()["faults"] == []
        done = self.change("POST", self.draft("/publication"), json={"confirm": STUDY, "move_enrolments": True})
        assert done["remaining"] == 0 and done["superseded_by"] is None
        return raised, done


class Reader(TimedPerson):
    """A participant of alter ego, and the record that the model of the insights needs."""

    def __init__(self, server, contract, **more):
        super().__init__(server, STUDY, contract, **{"zone": BERLIN, **more})
        self.history = {}

    def begin(self):
        """Begins without a name and an address."""
        body = {"time_zone": self.zone, "language": self.language}
        self.tokens = self.call("POST", "/v1/accounts/anonymous", json=body, status=201, token=False)
        self.enrol()
        self.history = {"enrolled_at": self.enrolment["enrolled_at"], "time_zone": self.zone, "zone_changes": [], "sheets": []}
        return self

    def put(self, questionnaire, answers, **more):
        """Submits a sheet of now, and repeats it unchanged (replayed) and with other content (409); the receipt."""
        now = self.clock.now()
        path = self.own(f"/answer-sheets/{new_id()}")
        body = self.sheet(questionnaire, answers, completed=more.pop("completed", now), **{"client_now": instant(now)} | more)
        receipt = self.call("PUT", path, json=body, status=201)
        assert self.call("PUT", path, json=body, status=200) == receipt | {"replayed": True}
        other = body | {"started_at": instant(read(body["started_at"]) - datetime.timedelta(seconds=1))}
        self.problem("PUT", path, 409, "id-reused", json=other)
        self.remember(receipt, answers, now)
        return receipt

    def remember(self, receipt, answers, client_now):
        """Adds a stored sheet to the record, by the clock of the server."""
        completed = read(receipt["completed_at"]) + (read(receipt["received_at"]) - read(instant(client_now)))
        self.history["sheets"].append({
            "sheet_id": receipt["sheet_id"], "questionnaire": receipt["questionnaire"], "completed_at": instant(completed),
            "time_zone": self.zone, "answers": answers})

    def delete(self, sheet_id):
        assert self.call("DELETE", self.own(f"/answer-sheets/{sheet_id}")).status_code == 204
        self.history["sheets"] = [sheet for sheet in self.history["sheets"] if sheet["sheet_id"] != sheet_id]

    def programmes(self):
        """Code -> the journey, in the order of the list."""
        return {one["programme"]: one for one in self.call("GET", self.own("/programmes"), status=200)["items"]}

    def programme(self, code):
        return self.call("GET", self.own(f"/programmes/{code}"), status=200)

    def practices(self, code):
        return {one["questionnaire"]: one for one in self.programme(code)["modules"]}

    def entries(self, code):
        return self.pages(self.own(f"/programmes/{code}/entries"), limit=2)

    def recommended(self):
        return self.call("GET", self.own("/recommendations"), status=200)["items"]

    def occasions_after(self, sheet_id):
        """Schedule -> the occasion that a practice's sheet has opened."""
        found = self.pages(self.own("/occasions"), limit=200)
        return {one["schedule"]: one for one in found if one["follows_sheet"] == sheet_id}

    def inbox(self, rule):
        items = self.call("GET", self.own("/inbox"), params={"limit": 1000}, status=200)["items"]
        return [one for one in items if one["rule"] == rule]

    def check_insights(self):
        """Compares the insights with the model; the values by variable."""
        page = self.call("GET", self.own("/insights"), status=200)
        model = Evaluation(Pack(FOLDER), Facts(Pack(FOLDER), self.history | {"at": page["as_of"]}))
        found = {item["variable"]: item for item in page["items"]}
        assert list(found) == [name for name, variable in model.pack.variables.items() if variable.get("shown")]
        for name, item in found.items():
            expected = model.result(name).json()
            entries = None if item["entries"] is None else [
                {member: entry[member] for member in ("key", "value", "n", "reason", "best", "last_on")} for entry in item["entries"]]
            assert is_equal({member: item[member] for member in expected} | {"entries": entries}, expected), (name, item, expected)
        return found


def words_of(practice, language="en"):
    [path] = (INSTRUMENTS / practice).glob(f"*/text.{language}.yaml")
    return yaml.safe_load(path.read_text())


def definition_of(practice):
    [path] = (INSTRUMENTS / practice).glob("*/questionnaire.yaml")
    return yaml.safe_load(path.read_text())


def read_tables(files):
    """Table -> rows of a dataset."""
    return {
        name.removeprefix("data/").removesuffix(".csv"): list(csv.DictReader(io.StringIO(content.decode())))
        for name, content in files.items() if name.startswith("data/") and name.endswith(".csv")}


def test_the_pack_has_no_faults_and_a_broken_copy_names_all_of_them(app, tmp_path):
    # 3. All faults at once: a practice that does not exist, a missing translation, a model with an unknown variable.
    packs = tmp_path / "packs"
    shutil.copytree(FOLDER, packs / "studies" / STUDY)
    for entry in yaml.safe_load((FOLDER / "study.yaml").read_text())["questionnaires"]:
        shutil.copytree(INSTRUMENTS / entry["code"], packs / "instruments" / entry["code"])
    assert "no faults" in app.run("check", packs)
    library = packs / "studies" / STUDY / "library"
    for name, old, new in (
            ("programmes.yaml", "control_view, control_evening]", "control_vieww, control_evening]"),
            ("programmes.de.yaml", "  title: Genug\n", ""), ("recommendations.yaml", "goal_calm: 1.2", "goal_clam: 1.2")):
        text = (library / name).read_text()
        assert text.count(old) == 1
        (library / name).write_text(text.replace(old, new))

    report = app.run("check", packs, status=1)

    for expected in ("control_vieww", "programmes.de.yaml", "goal_clam"):
        assert expected in report, report
    assert len([line for line in report.splitlines() if "/library/" in line]) >= 3, report


def test_yana_travels_with_old_philosophers(clock, app, receiver, contract, store, tmp_path_factory):
    edda = Colleague(app, contract, "editor")
    carla = Colleague(app, contract, "coordinator", "researcher", name="Carla Coordinator")

    # 1. to 3. The editor imports a journey, checks and publishes it.
    import_a_journey(edda, carla)

    # 4. Yana begins without an account.
    yana = Reader(app, contract, name="Yana Canary").begin()
    account = yana.call("GET", "/v1/account", status=200)
    assert account["kind"] == "anonymous" and account["email"] is None

    # 5. The pages of the onboarding have pictures, and anyone can read them. Then three questions, once.
    pages = yana.call("GET", f"/v1/studies/{STUDY}/library/pages", token=False, status=200)["items"]
    assert [page["item"] for page in pages] == ["what_it_is", "privacy", "how_it_works"]
    assert all(page["fields"]["title"] and page["fields"]["body"] and page["fields"]["picture"]["url"] for page in pages)
    assert yana.call("GET", pages[0]["fields"]["picture"]["url"], token=False).content.startswith(b"\x89PNG")
    # 6. Before the questions the recommendations are the table, the same for all.
    table = ["control_morning", "enough_pleasure", "enough"]
    assert [(one["code"], one["why"], one["rank"]) for one in yana.recommended()] == [
        (code, "table", rank) for rank, code in enumerate(table, 1)]
    assert [one["kind"] for one in yana.recommended()] == ["practice", "practice", "programme"]
    occasion = yana.overview()["onboarding"]["occasion_id"]
    asked = yana.put("onboarding", {"goal": "anxiety", "experience": "none", "minutes_a_day": 10}, occasion_id=occasion)
    assert asked["standing"] == "on_time"
    assert yana.overview()["onboarding"]["disabled_reason"] == "completed_in_period"
    # The rule's practices come first. The model is skipped, because `mood_mean` is blank.
    found = [(one["code"], one["why"]) for one in yana.recommended()]
    assert found == [("enough_worry", "rule"), ("control_news", "rule"), *((code, "table") for code in table)]

    # 7. The journeys, with 0 of 4 done. The Socratic one is locked. The page of one journey.
    listed = yana.programmes()
    assert list(listed) == ["control", "enough", "questions", "letters"]
    assert [(one["modules"], one["done"], one["last_at"]) for one in listed.values()] == [(4, 0, None)] * 3 + [(2, 0, None)]
    assert [one["locked"] for one in listed.values()] == [False, False, True, False]
    assert listed["letters"]["title"] == "Letters" and listed["letters"]["authors"] == ["Seneca"]
    picture = yana.call("GET", listed["control"]["picture"]["url"])
    assert picture.content == (FOLDER / "library" / "media" / "control.png").read_bytes()
    control = yana.programme("control")
    assert control["introduction"].startswith("A former slave") and control["subtitle"]
    for module in control["modules"]:
        code = module["questionnaire"]
        types = [item["type"] for item in definition_of(code)["item"]]
        assert (module["topic"], module["minutes"]) == (words_of(code)["title"], definition_of(code)["minutes"])
        assert (module["exercises"], module["stories"], module["inputs"]) == (len(types), types.count("display"), types.count("text"))
        assert (module["done"], module["times"], module["rating"], module["locked"]) == (False, 0, None, False)
    assert yana.practices("control")["control_view"]["inputs"] == 0
    yana.problem("GET", yana.own("/programmes/nowhere"), 404, "not-found")

    listen(yana, carla)

    # 8. The exercises of a practice in order, with placeholders. Yana answers without network.
    structure = yana.call("GET", yana.own("/questionnaires/control_morning"), status=200)
    words = words_of("control_morning")
    assert [(item["linkId"], item["type"], item["text"]) for item in structure["item"]] == [
        (item["linkId"], item["type"], words["items"][item["linkId"]]) for item in definition_of("control_morning")["item"]]
    assert {item["linkId"]: item["placeholder"] for item in structure["item"] if item["type"] == "text"} == words["placeholders"]
    clock.advance_to(BERLIN, "10:00")
    answers = {"today": WRITTEN, "outer": "whether they listen", "inner": "I can be on time"}
    body = yana.sheet("control_morning", answers)
    body.pop("client_now")
    outbox = [{"kind": "answer_sheet", "id": new_id(), "body": body}]

    # 9. The sheet arrives an hour later. Sending it again changes nothing.
    clock.advance(hours=1)
    now = clock.now()
    upload = {"client_now": instant(now), "items": outbox}
    [result] = yana.call("POST", yana.own("/sync"), json=upload, status=200)["items"]
    assert result["result"] == "accepted"
    [result] = yana.call("POST", yana.own("/sync"), json=upload, status=200)["items"]
    assert result["result"] == "replayed"
    stored = yana.call("GET", yana.own(f"/answer-sheets/{outbox[0]['id']}"), status=200)
    yana.remember(stored, answers, now)
    assert stored["answers"] == answers and stored["reasons"]["hard_moment"] == "skipped"
    assert yana.programmes()["control"]["done"] == 1
    morning = yana.practices("control")["control_morning"]
    assert (morning["done"], morning["times"]) == (True, 1) and morning["last_at"]

    # 10. The practice of stories only is done by reading it.
    view = yana.put("control_view", {})
    assert view["feedback"][0]["variable"] == "practice_days"
    assert yana.programmes()["control"]["done"] == 2

    # 11. Rating and mood are open right after a practice, tied to its sheet. The rating of the morning is still open; its mood closes after
    # two hours. A mood after that is stored, and marked.
    after_view, after_morning = yana.occasions_after(view["sheet_id"]), yana.occasions_after(outbox[0]["id"])
    assert set(after_view) == set(after_morning) == {"rate", "mood_after"}
    rated = yana.put("practice_rating", {"rating": 4, "takeaway": "three breaths"}, occasion_id=after_view["rate"]["occasion_id"])
    assert rated["standing"] == "on_time" and rated["occasion_id"] == after_view["rate"]["occasion_id"]
    mood = yana.put("mood_check", {"mood": 6, "feelings": ["calm", "tired"]}, occasion_id=after_view["mood_after"]["occasion_id"])
    assert mood["standing"] == "on_time"
    assert yana.practices("control")["control_view"]["rating"] == 4
    assert yana.practices("control")["control_morning"]["rating"] is None
    clock.advance(hours=2)
    late = yana.put("mood_check", {"mood": 5}, occasion_id=after_morning["mood_after"]["occasion_id"])
    assert late["standing"] == "out_of_window"
    assert yana.put("practice_rating", {"rating": 5}, occasion_id=after_morning["rate"]["occasion_id"])["standing"] in ("on_time", "late")
    assert yana.practices("control")["control_morning"]["rating"] == 5
    assert yana.put("mood_check", {"mood": 7})["standing"] == "unscheduled", "a mood is possible at any time"

    # 12. The entries of the journey, the newest first, with the words as read. One is changed, one is deleted; progress follows.
    doomed = yana.put("control_evening", {"well": PURGED})
    entries = yana.entries("control")
    assert [entry["questionnaire"] for entry in entries] == ["control_evening", "control_view", "control_morning"]
    assert entries[1]["answers"] == [] and entries[1]["topic"] == "The view from above"
    assert [(one["link_id"], one["text"], one["value"]) for one in entries[2]["answers"]] == [
        (item, words["items"][item], answers[item]) for item in answers]
    path = yana.own(f"/answer-sheets/{outbox[0]['id']}")
    edited = yana.call(
        "PATCH", path, json={"answers": {"today": CHANGED}}, headers={"If-Match": yana.call("GET", path).headers["etag"]}, status=200)
    assert edited["revision"] == 2 and yana.entries("control")[2]["answers"][0]["value"] == CHANGED
    assert yana.programmes()["control"]["done"] == 3
    yana.delete(doomed["sheet_id"])
    assert yana.programmes()["control"]["done"] == 2
    assert [entry["questionnaire"] for entry in yana.entries("control")] == ["control_view", "control_morning"]
    dump = app.dump()
    assert CHANGED in dump and PURGED not in dump and PURGED.encode().hex() not in dump

    # 17. Yana registers and keeps everything. An address that another person has is refused.
    lena, zoe = Reader(app, contract, name="Lena Canary").begin(), Reader(app, contract, name="Zoe Canary").begin()
    register(yana, lena, zoe, app, contract)

    # 6. With the models of the next edition, the order is that of their scores.
    check_the_models(edda, yana)

    # 13. Six weeks of moods and practices. All insights equal the model.
    for day in range(42):
        clock.advance_to(BERLIN, "19:30", 1)
        if day % 3 != 2:
            yana.put("mood_check", {"mood": min(10, 3 + day // 7 + day % 2), "feelings": [["hopeful"], ["calm", "grateful"]][day % 2]})
        if day % 5 == 0:
            yana.put("enough_pleasure", {"three": f"tea, sun, bread {day}"})
        if day in (6, 20, 41):
            found = yana.check_insights()
    assert found["mood_trend"]["value"] > 0 and found["mood_trend"]["text"] == "Over the last 90 days your mood has risen."
    assert len([entry for entry in found["mood_weeks"]["entries"] if entry["value"] is not None]) >= 6
    assert yana.practices("enough")["enough_pleasure"]["times"] == 9

    # 14. to 16. The locked journey, a purchase, a gift, and what is written after the end.
    check_the_locked_journey(clock, carla, yana, lena, store, Store(tmp_path_factory.mktemp("forger")))

    # 18. The editor changes the order, corrects a word and withdraws a journey.
    kept = lena.put("letters_ask", {"to": "my sister", "say": KEPT})
    check_a_new_edition(app, contract, edda, lena, kept)

    # 19. Settings, legal information, licences and consent.
    settings = {item["questionnaire"]: item for item in yana.call("GET", yana.own("/settings"), status=200)["items"]}
    assert settings["practice_reminders"]["values"] == {"practice_times": ["18:30"], "encouragement_on": True, "news_on": True}
    assert settings["appearance"]["values"] == {"theme": "system"}
    regulations = yana.call("GET", f"/v1/studies/{STUDY}/library/regulations", token=False, status=200, headers={"Accept-Language": "de"})["items"]
    assert [one["item"] for one in regulations] == ["responsible", "data_protection", "no_medical_device", "plans", "sources"]
    assert regulations[2]["fields"]["title"] == "Kein Medizinprodukt"
    study = yana.call("GET", f"/v1/studies/{STUDY}", status=200)
    assert study["licences"][0]["license"] == "Apache-2.0" and "no treatment" in study["consent"]["text"]
    assert yana.call("GET", f"/v1/studies/{STUDY}/library/contacts", token=False, status=200)["items"]

    # 20. A push announces what is new. Crashes and opened features are counted.
    check_the_announcement(clock, app, receiver, edda, yana)

    # 22. The dataset. Then Yana has everything erased, and the accounts that were lost are erased after their time.
    check_the_dataset(app, carla, yana, view, rated, mood)
    assert yana.call("POST", yana.own("/withdrawal"), json={"mode": "erase"}).status_code == 204
    dump = app.dump()
    for trace in (WRITTEN, CHANGED, LATE, yana.enrolment["enrolment_id"], yana.enrolment["participant_id"], view["sheet_id"]):
        assert trace not in dump and trace.encode().hex() not in dump, f"{trace!r} is still in the database"
    assert KEPT in dump, "Lena has not left"
    clock.advance(days=402)
    # The server looks for lost accounts when it starts, and every hour.
    assert app.stop() == 0
    app.start()
    wait_until(
        lambda: app.sql(f"select count(*) from research.enrolment where enrolment_id = '{lena.enrolment['enrolment_id']}'").strip() == "0",
        60, "the lost account is erased")
    dump = app.dump()
    assert KEPT not in dump and KEPT.encode().hex() not in dump


def import_a_journey(edda, carla):
    # 1. The editor has this role only. Pictures are what they claim to be.
    edda.problem("GET", f"/v1/studies/{STUDY}/participants", 403, "not-permitted")
    carla.problem("POST", edda.draft(), 403, "not-permitted", json={})
    edda.begin_draft()
    media = {"Content-Type": "application/octet-stream"}
    picture = (FOLDER / "library" / "media" / "letter.png").read_bytes()
    edda.change("PUT", edda.file("library/media/letters.png"), data=picture, headers=media)
    film = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(64)
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
    for name, content, status, slug in (
            ("film.png", film, 415, "media-type-unsupported"), ("page.svg", svg, 415, "media-type-unsupported"),
            ("page.png", svg, 415, "media-type-unsupported")):
        revision = edda.state()["revision"]
        edda.problem(
            "PUT", edda.file(f"library/media/{name}"), status, slug, data=content, headers=media | {"If-Match": f'"{revision}"'})

    # 70 MB are refused before they are sent.
    address = urllib.parse.urlsplit(edda.server.url)
    with contextlib.closing(http.client.HTTPConnection(address.hostname, address.port, timeout=30)) as connection:
        connection.putrequest("POST", f"/v1/studies/{STUDY}/media")
        for name, value in (media | {"Authorization": f"Bearer {edda.tokens['access_token']}", "Content-Length": "70000000"}).items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == 413
    # A film of more than 1 MiB is stored once, and the draft refers to it.
    film += b"\0\0\0\x08moov" + (2 << 20).to_bytes(4, "big") + b"mdat" + bytes((2 << 20) - 8)
    film = film.replace(bytes(64), b"", 1)
    stored = edda.call("POST", f"/v1/studies/{STUDY}/media", data=film, headers=media, status=201)
    assert stored == {"sha256": hashlib.sha256(film).hexdigest(), "type": "video/mp4", "bytes": len(film)}
    assert edda.call("POST", f"/v1/studies/{STUDY}/media", data=film, headers=media, status=200) == stored
    edda.change("PUT", edda.file("library/media/film.mp4"), json={"sha256": stored["sha256"]})
    assert edda.call("GET", edda.file("library/media/film.mp4"), status=200)["bytes"] == len(film)
    # Nothing shows it, so the editor takes it out again.
    edda.change("DELETE", edda.file("library/media/film.mp4"))

    # 2. Two practices with stories and inputs in order, of which one has stories only, and their journey.
    for code, practice in (("letters_ask", ASK), ("letters_read", READ)):
        edda.change("PUT", edda.draft(f"/practices/{code}"), json=practice)
    journeys = edda.journeys()
    assert [one["code"] for one in journeys] == ["control", "enough", "questions"]
    wrong = edda.problem(
        "PUT", edda.draft("/programmes"), 422, "body-invalid", headers={"If-Match": f'"{edda.state()["revision"]}"'},
        json={"programmes": [*journeys, LETTERS | {"modules": ["letters_ask", "letters_gone"], "picture": "media/gone.png"}]})
    assert {error["pointer"] for error in wrong["errors"]} == {"/programmes/3/modules/1", "/programmes/3/picture"}

    # 3. What is missing can be saved. It prevents publishing, and each fault has its file.
    half = LETTERS | {name: {"en": LETTERS[name]["en"]} for name in ("title", "subtitle", "introduction")}
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": [*journeys, half]})
    state = edda.state()
    assert not state["publishable"] and any("programmes" in fault["file"] for fault in state["faults"])
    edda.log_in()
    edda.problem(
        "POST", edda.draft("/publication"), 409, "not-publishable", json={"confirm": STUDY, "move_enrolments": True},
        headers={"If-Match": f'"{edda.state()["revision"]}"'})
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": [*journeys, LETTERS]})
    raised, done = edda.publish()
    assert raised["questionnaires"] == [] and raised["study"] == {"from": "1.0.1", "to": "1.0.2"}
    assert (done["published"], done["version"], done["edition"]) == (True, "1.0.2", 2)


def listen(yana, carla):
    # 21. An audio story in two variants, which an app plays by ranges and keeps by its hash.
    [story] = yana.call("GET", yana.own("/library/stories"), status=200)["items"]
    assert story["fields"]["title"] == "The ferry in the fog" and "the fog is not yours" in story["fields"]["body"].lower()
    assert [(one["field"], one["variant"]) for one in story["variants"]] == [("audio", "low"), ("audio", "high")]
    assert story["fields"]["audio"]["sha256"] == story["variants"][0]["sha256"]
    digests = set()
    for one in story["variants"]:
        sound = (FOLDER / "library" / "media" / f"ferry.en.{one['variant']}.mp3").read_bytes()
        whole = yana.call("GET", one["url"])
        assert whole.status_code == 200 and whole.content == sound and whole.headers["Content-Type"] == one["type"] == "audio/mpeg"
        assert hashlib.sha256(whole.content).hexdigest() == one["sha256"] and one["bytes"] == len(sound)
        tag = whole.headers["ETag"]
        assert whole.headers["Accept-Ranges"] == "bytes" and yana.call("GET", one["url"], headers={"If-None-Match": tag}).status_code == 304
        pieces = b""
        while len(pieces) < len(sound):
            last = min(len(pieces) + 100_000, len(sound)) - 1
            part = yana.call("GET", one["url"], headers={"Range": f"bytes={len(pieces)}-{last}", "If-Range": tag})
            assert part.status_code == 206 and part.headers["Content-Range"] == f"bytes {len(pieces)}-{last}/{len(sound)}"
            pieces += part.content
        assert pieces == sound
        changed = yana.call("GET", one["url"], headers={"Range": "bytes=0-9", "If-Range": '"another file"'})
        assert changed.status_code == 200 and changed.content == sound
        yana.problem("GET", one["url"], 416, "range-not-satisfiable", headers={"Range": f"bytes={len(sound)}-"})
        # Only participants get it.
        carla.problem("GET", one["url"], 404, "not-found")
        yana.problem("GET", one["url"], 401, "token-invalid", token=False)
        yana.problem("GET", f"/v1/media/{one['sha256']}", 404, "not-found", token=False)
        digests.add(one["sha256"])
    assert len(digests) == 2
    for variant in ("low", "high"):
        german = (FOLDER / "library" / "media" / f"ferry.de.{variant}.mp3").read_bytes()
        assert yana.call("GET", yana.own(f"/media/{hashlib.sha256(german).hexdigest()}")).content == german


def register(yana, lena, zoe, app, contract):
    enrolment = yana.enrolment["enrolment_id"]
    before = yana.entries("control")
    body = {"email": yana.email, "password": yana.password, "display_name": yana.name}
    account = yana.call("POST", "/v1/account/registration", json=body, status=200)
    assert (account["kind"], account["email"]) == ("registered", yana.email)
    yana.problem("POST", "/v1/account/registration", 409, "already-registered", json=body | {"email": "other-" + yana.email})
    zoe.problem("POST", "/v1/account/registration", 409, "email-taken", json=body)
    # A second phone has the same entries. The questions of the onboarding are not asked again.
    phone = Reader(app, contract, name=yana.name)
    phone.email, phone.password, phone.enrolment, phone.history = yana.email, yana.password, yana.enrolment, yana.history
    phone.log_in()
    assert phone.call("GET", "/v1/enrolments", status=200)["items"][0]["enrolment_id"] == enrolment
    assert phone.entries("control") == before
    assert phone.overview()["onboarding"]["disabled_reason"] == "completed_in_period"
    # Zoe has an account already. Yana's, which takes part itself, is not merged with hers.
    conflict = zoe.problem("POST", "/v1/account/adoption", 409, "already-enrolled", json={"email": yana.email, "password": yana.password})
    assert conflict["studies"] == [STUDY]
    zoe.put("enough_friends", {"who": "Z."})
    otto = Reader(app, contract, name="Otto Canary").register()
    moved = zoe.call("POST", "/v1/account/adoption", json={"email": otto.email, "password": otto.password}, status=201)
    otto.tokens, otto.enrolment = moved, zoe.enrolment
    assert [entry["questionnaire"] for entry in otto.entries("enough")] == ["enough_friends"]
    assert lena.call("GET", "/v1/account", status=200)["kind"] == "anonymous"


MODELS = [
    {"of": "control_evening", "version": "2026-12", "kind": "logistic", "intercept": -0.4, "terms": {"goal_calm": 1.2, "mood_mean": -0.05}},
    {"of": "enough_wants", "version": "2026-12", "kind": "logistic", "intercept": -1.3, "terms": {"mood_mean": 0.15}},
    {"of": "enough_worry", "version": "2026-12", "kind": "logistic", "intercept": 2.0, "terms": {"mood_mean": -0.31}},
    {"of": "questions_live", "version": "2026-12", "kind": "logistic", "intercept": 0.2, "terms": {"mood_mean": -0.2, "goal_calm": 3.0}},
]


def check_the_models(edda, yana):
    edda.begin_draft()

    def with_models(text):
        document = yaml.safe_load(text) | {"models": MODELS}
        return yaml.safe_dump(document, allow_unicode=True, sort_keys=False)

    edda.rewrite("library/recommendations.yaml", with_models)
    raised, done = edda.publish()
    assert raised["study"] is None and done["edition"] == 3, "a changed library needs no new version"

    moods = [sheet["answers"]["mood"] for sheet in yana.history["sheets"] if sheet["questionnaire"] == "mood_check"]
    values = {"goal_calm": 0, "mood_mean": sum(moods) / len(moods)}
    scores = {
        model["of"]: 1 / (1 + math.exp(-model["intercept"] - sum(weight * values[name] for name, weight in model["terms"].items())))
        for model in MODELS}
    assert min(abs(a - b) for a in scores.values() for b in scores.values() if a != b) > 1e-9
    found = yana.recommended()
    assert [one["code"] for one in found[:4]] == sorted(scores, key=scores.get, reverse=True)
    assert [one["why"] for one in found] == ["model"] * 4 + ["rule"] + ["table"] * 3
    assert [one["rank"] for one in found] == list(range(1, 9))
    assert {one["code"]: one["locked"] for one in found}["questions_live"] is True


def check_the_locked_journey(clock, carla, yana, lena, store, forger):
    # 14. A premium practice is listed as locked. Its structure is refused, and anyone reads the plans.
    assert all(practice["locked"] for practice in yana.practices("questions").values())
    form = yana.own("/questionnaires/questions_know")
    yana.problem("GET", form, 403, "entitlement-required")
    plans = yana.call("GET", f"/v1/studies/{STUDY}/plans", token=False, status=200)["items"]
    assert [(one["plan"], one["entitlement"], one["period"], one["store_product"]) for one in plans] == [
        ("monthly", "premium", "per month", "ego.premium.month"), ("yearly", "premium", "per year", "ego.premium.year")]
    assert all(one["title"] and one["text"] for one in plans)

    # 15. A signed transaction opens it. Another account cannot use the same one, and a forged one opens nothing.
    def purchase(transaction):
        return {"provider": "app_store", "study": STUDY, "signed_transaction": transaction}

    def own():
        [found] = yana.call("GET", yana.own("/entitlements"), status=200)["items"]
        return found["source"], found["state"], found["valid_until"]

    def notify(kind, until, **more):
        now = clock.now()
        body = {"signedPayload": store.notice(kind, now, store.transaction(now, until, **more))}
        assert yana.call("POST", "/v1/purchase-notifications/app_store", json=body, token=False).status_code == 204

    bought = clock.now().replace(microsecond=0)
    until = bought + datetime.timedelta(days=30)
    for wrong in (forger.transaction(bought, until), store.transaction(bought, until, bundleId="org.example.other"), "e30.e30.e30"):
        yana.problem("POST", "/v1/account/purchases", 422, "purchase-invalid", json=purchase(wrong))
    signed = store.transaction(bought, until)
    for _ in range(2):
        opened = yana.call("POST", "/v1/account/purchases", json=purchase(signed), status=200)
        assert opened == {"entitlement": "premium", "valid_until": instant(until), "state": "active"}
    lena.problem("POST", "/v1/account/purchases", 409, "purchase-taken", json=purchase(signed))
    assert own() == ("app_store", "active", instant(until))
    assert not any(practice["locked"] for practice in yana.practices("questions").values())
    assert yana.call("GET", form, status=200)["item"][0]["linkId"] == "market"
    yana.put("questions_know", {"sure": "I know that he is never on time"})
    # The renewal's notice extends it. A refund ends it, after three days.
    clock.advance(days=29)
    notify("DID_RENEW", until + datetime.timedelta(days=30))
    clock.advance(days=2)
    assert own() == ("app_store", "active", instant(until + datetime.timedelta(days=30)))
    notify("REFUND", until + datetime.timedelta(days=30), revocationDate=milliseconds(clock.now()))
    clock.advance(days=1)
    assert own()[1] == "grace"
    yana.call("GET", form, status=200)
    clock.advance(days=3)
    assert own()[1] == "ended"
    yana.problem("GET", form, 403, "entitlement-required")
    # A coordinator gives it to Lena for some days, with a reason.
    carla.log_in()
    path = f"/v1/studies/{STUDY}/participants/{lena.enrolment['participant_id']}/entitlements"
    gift = {"valid_until": instant(clock.now() + datetime.timedelta(days=5)), "reason": "thanks for the interview"}
    yana.problem("PUT", f"{path}/premium", 403, "not-permitted", json=gift)
    carla.problem("PUT", f"{path}/golden", 404, "not-found", json=gift)
    carla.call("PUT", f"{path}/premium", json=gift, status=200)
    assert lena.call("GET", lena.own("/entitlements"), status=200)["items"][0]["source"] == "gift"
    lena.call("GET", lena.own("/questionnaires/questions_live"), status=200)
    clock.advance(days=6)
    lena.problem("GET", lena.own("/questionnaires/questions_live"), 403, "entitlement-required")

    # 16. A practice that was finished offline after the end is stored and marked. What is written stays readable.
    late = yana.put("questions_know", {"sure": LATE})
    assert "not_entitled" in late["flags"]
    assert [entry["answers"][0]["value"] for entry in yana.entries("questions")] == [LATE, "I know that he is never on time"]
    assert yana.entries("questions")[0]["answers"][0]["text"] == words_of("questions_know")["items"]["sure"]
    assert yana.programmes()["questions"]["locked"] and yana.programmes()["questions"]["done"] == 1


def check_a_new_edition(app, contract, edda, lena, kept):
    # A sheet of the practice that the editor corrects is begun under the old version.
    begun = lena.sheet("control_morning", {"today": "begun before the correction"})
    edda.begin_draft()
    practice = edda.call("GET", edda.draft("/practices/control_morning"), status=200)["practice"]
    practice["title"]["en"] = "Two circles in the morning"
    edda.change("PUT", edda.draft("/practices/control_morning"), json=practice)
    journeys = {one["code"]: one for one in edda.journeys()}
    order = [journeys["enough"], journeys["control"], journeys["questions"], journeys["letters"] | {"withdrawn": True}]
    stale = edda.state()["revision"]
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": order})
    # A second editor who has read the draft before that does not overwrite it.
    eva = Colleague(app, contract, "editor", name="Eva Editor")
    eva.problem(
        "PUT", eva.draft("/programmes"), 412, "precondition-failed", json={"programmes": list(journeys.values())},
        headers={"If-Match": f'"{stale}"'})
    raised, done = edda.publish()
    assert raised["questionnaires"] == [{"code": "control_morning", "from": "1.0.0", "to": "1.0.1"}]
    assert (raised["study"]["to"], done["version"], done["edition"]) == ("1.0.3", "1.0.3", 4)

    assert list(lena.programmes()) == ["enough", "control", "questions"]
    lena.problem("GET", lena.own("/programmes/letters"), 404, "not-found")
    [entry] = lena.entries("letters")
    assert entry["sheet_id"] == kept["sheet_id"] and entry["answers"][1]["value"] == KEPT
    module = lena.practices("control")["control_morning"]
    assert (module["version"], module["topic"], module["times"]) == ("1.0.1", "Two circles in the morning", 0)
    lena.call("PUT", lena.own(f"/answer-sheets/{new_id()}"), json=begun, status=201)
    assert lena.practices("control")["control_morning"]["times"] == 1
    assert lena.entries("control")[0]["topic"] == "Two circles", "the words as they were read"

    # The journey is restored by the next edition.
    edda.begin_draft()
    journeys = [one | {"withdrawn": False} for one in edda.journeys()]
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": journeys})
    raised, done = edda.publish()
    assert raised["study"] is None and done["edition"] == 5
    assert list(lena.programmes()) == ["enough", "control", "questions", "letters"]
    assert lena.programmes()["letters"]["done"] == 1


def short(code):
    """A journey of two practices that exist."""
    return LETTERS | {"code": code, "modules": ["control_view", "enough_pleasure"]}


def check_the_announcement(clock, app, receiver, edda, yana):
    phone = Device(receiver)
    phone.register(yana)

    def pushed():
        return [json.loads(phone.read(one))["notification"]["title"] for one in phone.messages]

    # A new journey is announced; one that was withdrawn and restored is not new.
    edda.begin_draft()
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": [*edda.journeys(), short("short")]})
    clock.advance_to(BERLIN, "10:00", 1)
    _, done = edda.publish()
    assert done["edition"] == 6
    app.send_due()
    [message] = yana.inbox("new_journey")
    assert message["subject"] == "There is a new journey" and message["path"].endswith("programmes")
    assert "There is a new journey" in pushed()
    # Two days later there is another one, and the news are about it: one message.
    edda.begin_draft()
    edda.change("PUT", edda.draft("/programmes"), json={"programmes": [*edda.journeys(), short("shorter")]})
    edda.rewrite("library/news.yaml", lambda text: text.replace("{id: three_journeys}", "{id: three_journeys}, {id: letters}"))
    for language, title in (("en", "A new journey"), ("de", "Eine neue Reise")):
        edda.rewrite(f"library/news.{language}.csv", lambda text: text.rstrip("\n") + f"\nletters,{title},Letters\n")
    clock.advance_to(BERLIN, "10:00", 2)
    _, done = edda.publish()
    assert done["edition"] == 7
    app.send_due()
    [message] = yana.inbox("news")
    assert message["subject"] == "A new journey" and message["content"]["item"] == "letters" and message["path"].endswith("programmes")
    assert "A new journey" in pushed() and len(yana.inbox("new_journey")) == 1
    # On Sundays there are a few words, unless the participant has switched them off.
    yana.put("practice_reminders", {"practice_times": ["18:30"], "encouragement_on": False, "news_on": True})
    before = len(yana.inbox("encouragement"))
    for _ in range(7):
        clock.advance_to(BERLIN, "17:01", 1)
        app.send_due()
    assert len(yana.inbox("encouragement")) == before
    # The reminder comes at the chosen time, on a day without a practice.
    clock.advance_to(BERLIN, "18:31")
    app.send_due()
    reminded = yana.inbox("practice_reminder")
    assert reminded and reminded[0]["path"].endswith("programmes")
    clock.advance_to(BERLIN, "12:00", 1)
    yana.put("control_view", {})
    clock.advance_to(BERLIN, "18:31")
    app.send_due()
    assert len(yana.inbox("practice_reminder")) == len(reminded)
    events = [
        {"event": "feature_opened", "feature": "programmes"}, {"event": "app_crashed", "properties": {"code": "E42", "version": "1.0.3"}},
        {"event": "content_shown", "collection": "recommendations", "item": "enough_worry", "properties": {"why": "rule", "rank": 1}}]
    upload = {"client_now": instant(clock.now()), "items": [
        {"kind": "usage_event", "id": new_id(), "body": event | {"at": instant(clock.now()), "time_zone": BERLIN}} for event in events]}
    results = yana.call("POST", yana.own("/sync"), json=upload, status=200)["items"]
    assert [one["result"] for one in results] == ["accepted"] * 3
    features = yana.call("GET", yana.own("/overview"), status=200)["features"]
    assert {one["feature"]: bool(one["first_opened_at"]) for one in features}["programmes"]


def check_the_dataset(app, carla, yana, view, rated, mood):
    app.run("account", "grant", "--email", carla.email, "--role", "researcher", "--study", STUDY, "--full-export")
    carla.log_in()
    first, second = (datasets.files(carla, STUDY, "coded") for _ in range(2))
    tables = {name: content for name, content in first.items() if name.startswith("data/")}
    assert tables == {name: second[name] for name in tables}, "the same data gives the same bytes"
    coded = read_tables(first)

    def own(table):
        return [row for row in coded[table] if row["participant_id"] == yana.enrolment["participant_id"]]

    # Rating and mood name the practice's sheet.
    occasions = {row["schedule"]: row for row in own("occasions") if row["follows_sheet"].endswith(view["sheet_id"])}
    assert set(occasions) == {"rate", "mood_after"}
    sheets = {row["sheet_id"][-36:]: row for row in own("sheets")}
    assert sheets[rated["sheet_id"]]["occasion_id"] == occasions["rate"]["occasion_id"]
    assert sheets[mood["sheet_id"]]["occasion_id"] == occasions["mood_after"]["occasion_id"]
    assert sorted(row["rating"] for row in own("wide_practice_rating")) == ["4", "5"]
    texts = {row["text"] for row in own("free_text")}
    assert {CHANGED, LATE} <= texts and PURGED not in json.dumps(coded)
    assert any("not_entitled" in row["flags"] for row in own("sheets"))
    # The first month, its renewal, and the transaction that was refunded; and the gift to Lena. Nothing identifies a purchase.
    assert [(row["source"], row["entitlement"], bool(row["valid_until_at"]), bool(row["revoked_at"])) for row in own("entitlements")] == [
        ("app_store", "premium", True, False), ("app_store", "premium", True, False), ("app_store", "premium", True, True)]
    assert [(row["source"], bool(row["valid_until_at"]), row["revoked_at"]) for row in coded["entitlements"] if row not in own("entitlements")] == [
        ("gift", True, "")]
    for hidden in ("2000000000000001", "ego.premium", "thanks for the interview"):
        assert hidden not in json.dumps(coded), hidden
    # How often each practice of a journey was done.
    times = {(row["programme"], row["module"]): row["times"] for row in own("programmes")}
    assert times["control", "control_morning"] == "1" and times["control", "control_view"] == "2"
    assert times["enough", "enough_pleasure"] == "9" and ("control", "control_evening") not in times
    shown = [row for row in own("usage_events") if row["event"] in ("app_crashed", "feature_opened", "content_shown")]
    assert {row["event"] for row in shown} == {"app_crashed", "feature_opened", "content_shown"}
    settings = [row for row in own("settings") if row["item"] == "encouragement_on"]
    assert settings and settings[-1]["value"] in ("false", "0")
    # The words that a participant wrote are not in what others may receive.
    released = read_tables(datasets.files(carla, STUDY, "deidentified"))
    deidentified = json.dumps(released)
    assert "entitlements" not in released and CHANGED not in deidentified and LATE not in deidentified
    assert b"three_journeys" in first["meta/library/7.json"]
