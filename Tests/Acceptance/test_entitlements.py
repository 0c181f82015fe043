"""Entitlements: purchases in the app store, gifts, and everything that could show a locked practice or a locked item."""

import hashlib
import io
import json
import re
import zipfile

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec

from acceptance.app_store import AppStore
from acceptance.contract import Contract
from acceptance.moments import after, instant, new_id
from acceptance.people import Person
from acceptance.server import ROOT, Server
from test_staff_pages import log_in

STUDY = "paid-practices"
PACK = ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY
PICTURE = (PACK / "library" / "media" / "locked.png").read_bytes()
# The picture of a question of a locked practice, and its address.
SHORE = (PACK.parent.parent / "instruments" / "deep_calm" / "1.0.0" / "media" / "shore.png").read_bytes()
SHORE_NAME = hashlib.sha256(SHORE).hexdigest()[:32] + ".png"
# Texts of locked practices and items, in both languages.
CANARIES = [
    "question two", "question three", "question four", "Canary saying", "Kanarienfrage", "Kanarienspruch",
    "Canary picture", "Kanarienbild", hashlib.sha256(PICTURE).hexdigest(), SHORE_NAME]


@pytest.fixture(scope="module")
def store():
    return AppStore()


@pytest.fixture(scope="module")
def shop(store, tmp_path_factory):
    """A server that accepts purchases of the study."""
    server = Server()
    server.environment["SAUNTER_APP_STORE_FILE"] = str(store.write(tmp_path_factory.mktemp("store"), STUDY))
    try:
        server.start()
        assert "published edition 1 of the library" in server.run("publish", PACK)
        # A study that admits anonymous accounts.
        server.run("publish", PACK.parents[2] / "open-door" / "studies" / "open-door")
        server.contract = Contract(requests.get(server.url + "/openapi.json", timeout=60).json())
        yield server
        assert not server.contract.faults, server.contract.faults
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def join(shop):
    return lambda name="Yana Canary", **more: Person(shop, shop.contract, name=name, **more).register().enrol(study=STUDY)


def buy(person, jws, status=200):
    return person.call(
        "POST", "/v1/account/purchases", status=status,
        json={"provider": "app_store", "study": STUDY, "signed_transaction": jws})


def owned(person):
    return [(one["entitlement"], one["source"], one["state"]) for one in person.call("GET", person.own("/entitlements"), status=200)["items"]]


def notify(shop, notice):
    return requests.post(shop.url + "/v1/purchase-notifications/app_store", json=notice, timeout=60).status_code


def coordinator(shop):
    member = Person(shop, shop.contract, name="Cora Field")
    member.password = json.loads(shop.run("account", "create", "--email", member.email, "--name", "Cora Field", "--json"))["password"]
    for role in ("coordinator", "researcher"):
        shop.run("account", "grant", "--email", member.email, "--role", role, "--study", STUDY)
    return member.log_in()


def gift(team, person, code="premium", **more):
    path = f"/v1/studies/{STUDY}/participants/{person.enrolment['participant_id']}/entitlements/{code}"
    return team.call("PUT", path, status=200, json={"valid_until": None, "reason": "A prize.", **more})


def shown(data):
    """The canaries in some bytes. Archives are opened."""
    if data.startswith(b"PK\x03\x04"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        return sorted({found for name in archive.namelist() for found in shown(archive.read(name)) + shown(name.encode())})
    text = data.decode("utf-8", "replace")
    return sorted(canary for canary in CANARIES if canary in text) + [
        name for name, picture in (("picture", PICTURE), ("shore", SHORE)) if picture in data]


def everything(shop, person, sheet, language="en"):
    """What the participant can read: every GET of the API with its parameters, and every page. Path -> bytes."""
    values = {
        "id": person.enrolment["enrolment_id"], "sheet_id": sheet, "code": "deep_calm", "study": STUDY, "collection": "sayings", "programme": "calm",
        "sha256": hashlib.sha256(PICTURE).hexdigest(), "walk_id": new_id(), "observation_id": new_id(), "kind": "location",
        "event": "none", "slug": "not-found"}
    found = {}
    for method, path, operation in shop.contract.operations():
        anyone = operation["description"].rsplit("For: ", 1)[-1].rstrip(".") in ("anyone", "participant", "account")
        if method != "GET" or not anyone or path.startswith(("/docs", "/openapi", "/metrics")):
            continue
        for name, value in values.items():
            path = path.replace("{" + name + "}", value)
        assert "{" not in path, path
        for query in ("", "?days=14", "?language=de") if path.endswith("/today") else ("",):
            found[f"GET {path}{query}"] = person.call("GET", path + query, headers={"Accept-Language": language}).content
    for code in ("deep_calm", "long_calm"):
        path = person.own(f"/questionnaires/{code}")
        found[f"GET {path}?lang"] = person.call("GET", path, headers={"Accept-Language": "de"}).content
    for number in range(6):
        found[f"draw {number}"] = person.call("PUT", person.own(f"/library/sayings/draws/{new_id()}")).content
    session = log_in(shop.url, person.email, person.password)
    home = f"/my/{person.enrolment['enrolment_id']}"
    pages = [
        "", "/plan", "/q/deep_calm", "/q/long_calm", f"/sheets/{sheet}", f"/sheets/{sheet}?new=1", f"/sheets/{sheet}/edit", f"/sheets/{sheet}/delete",
        "/entries", "/entries?questionnaire=deep_calm", "/c/sayings", f"/c/sayings?draw={new_id()}", "/more", "/plans", "/insights", "/messages",
        "/settings", "/course", "/licences", "/welcome", "/unsent", "/programmes", "/programmes/calm",
        "/programmes/calm/entries"]
    for page in [home + page for page in pages] + ["/", f"/studies/{STUDY}", f"/studies/{STUDY}/plans", f"/media/{STUDY}/{SHORE_NAME}"]:
        reply = session.get(shop.url + page, timeout=60)
        assert reply.status_code in (200, 403, 404), (page, reply.status_code)
        found[page] = reply.content
    # A form that was sent anyway is not shown again with its questions.
    fields = {"questionnaire": "deep_calm", "version": "1.0.0", "sheet_id": new_id(), "started_at": instant(), "language": "en"}
    for seen in ("", "deep_first deep_second deep_third"):
        reply = session.post(f"{shop.url}{home}/q/deep_calm", data=fields | {"shown": seen, "a.deep_third": "99"}, timeout=60)
        found[f"POST {home}/q/deep_calm {seen}"] = reply.content
    # Nor do the faults of answers that an app sends.
    body = person.sheet("deep_calm", {"deep_third": "99", "deep_nowhere": 1})
    refused = person.call("PUT", person.own(f"/answer-sheets/{new_id()}"), json=body)
    assert refused.status_code in (403, 422), refused.text
    upload = {"client_now": body.pop("client_now"), "items": [{"kind": "answer_sheet", "id": new_id(), "body": body}]}
    synced = person.call("POST", person.own("/sync"), json=upload)
    assert [one["result"] for one in synced.json()["items"]] == ["rejected"], synced.text
    found["PUT sheet"], found["POST sync"] = refused.content, synced.content
    return found


def test_no_route_page_or_file_shows_a_locked_practice_or_item(shop, join):
    yana, team = join(), coordinator(shop)
    # A sheet with one answer, from an offline device that still had the form.
    sheet = new_id()
    assert yana.submit("deep_calm", {"deep_first": "waves"}, sheet_id=sheet, status=201)["flags"] == ["not_entitled"]

    found = everything(shop, yana, sheet)
    assert {path: shown(data) for path, data in found.items() if shown(data)} == {}
    # The answer stays readable with its question.
    for path in (f"GET {yana.own('/answer-sheets')}", f"/my/{yana.enrolment['enrolment_id']}/sheets/{sheet}", f"/my/{yana.enrolment['enrolment_id']}/entries"):
        assert b"waves" in found[path], path
    assert b"Canary question one" in found[f"/my/{yana.enrolment['enrolment_id']}/sheets/{sheet}"]
    for path in (f"GET {yana.own('/programmes/calm/entries')}", f"/my/{yana.enrolment['enrolment_id']}/programmes/calm/entries"):
        assert b"waves" in found[path] and b"Canary question one" in found[path], path
    [programme] = yana.call("GET", yana.own("/programmes"), status=200)["items"]
    assert (programme["title"], programme["locked"], programme["done"]) == ("Calm", True, 1)
    listed = yana.call("GET", yana.own("/library/sayings"), status=200)["items"]
    assert [(one["item"], one["locked"]) for one in listed] == [
        ("open_one", False), ("locked_one", True), ("locked_two", True), ("locked_three", True)]
    assert listed[1]["fields"] == {"title": "Deep water"}
    yana.problem("GET", yana.own(f"/media/{hashlib.sha256(PICTURE).hexdigest()}"), 403, "entitlement-required")
    # Who knows the address of a picture gets it only with the entitlement, or as a member of the study team.
    shore = f"{shop.url}/media/{STUDY}/{SHORE_NAME}"
    assert requests.get(shore, timeout=60).status_code == 404
    assert log_in(shop.url, yana.email, yana.password).get(shore, timeout=60).status_code == 403
    assert log_in(shop.url, team.email, team.password).get(shore, timeout=60).content == SHORE

    # The same search finds them with the entitlement, or it would prove nothing.
    gift(team, yana)
    assert [practice["locked"] for practice in yana.call("GET", yana.own("/programmes/calm"), status=200)["modules"]] == [False, True]
    opened = {path for path, data in everything(shop, yana, sheet).items() if shown(data)}
    home = f"/my/{yana.enrolment['enrolment_id']}"
    for path in (
            f"GET {yana.own('/questionnaires/deep_calm')}", f"GET {yana.own('/library/sayings')}", f"GET {yana.own('/export')}",
            f"GET {yana.own('/media/')}{hashlib.sha256(PICTURE).hexdigest()}", f"{home}/q/deep_calm", f"{home}/sheets/{sheet}/edit", f"{home}/c/sayings",
            f"/media/{STUDY}/{SHORE_NAME}"):
        assert path in opened, path
    reply = log_in(shop.url, yana.email, yana.password).get(shore, timeout=60)
    assert reply.content == SHORE and reply.headers["Cache-Control"].startswith("private")
    assert requests.get(shore, timeout=60).status_code == 404
    assert any(path.startswith("draw") for path in opened) and f"GET {yana.own('/questionnaires/long_calm')}?lang" not in opened


def test_items_of_days_are_selected_again_when_their_entitlement_ends(shop, join):
    yana, team = join(), coordinator(shop)
    gift(team, yana)
    gift(team, yana, "retreat")
    days = yana.call("GET", yana.own("/library/sayings/today?days=14"), status=200)["items"]
    assert {day["item"] for day in days} == {"open_one", "locked_one", "locked_two", "locked_three"}
    for code in ("premium", "retreat"):
        path = f"/v1/studies/{STUDY}/participants/{yana.enrolment['participant_id']}/entitlements/{code}"
        team.call("DELETE", path, status=204, json={"reason": "The draw was wrong."})

    days = yana.call("GET", yana.own("/library/sayings/today?days=14"), status=200)["items"]

    assert {day["item"] for day in days} == {"open_one"} and not any(day["locked"] for day in days)


def test_a_purchase_its_renewal_and_its_refund(shop, store, join):
    yana, ben = join(), join("Ben Canary")
    form = yana.own("/questionnaires/deep_calm")
    plans = yana.call("GET", f"/v1/studies/{STUDY}/plans", status=200, token=False)["items"]
    assert [plan["store_product"] for plan in plans] == ["calm.premium.month", "calm.premium.year"]
    yana.problem("GET", form, 403, "entitlement-required")

    month = store.transaction(bought=-31, until=-1)
    assert buy(yana, store.sign(month))["state"] == "grace"
    assert "Canary question one" in json.dumps(yana.call("GET", form, status=200))
    body = {"provider": "app_store", "study": STUDY, "signed_transaction": store.sign(month)}
    ben.problem("POST", "/v1/account/purchases", 409, "purchase-taken", json=body)

    renewed = month | store.transaction(month["originalTransactionId"], bought=-1, until=29)
    renewal = store.notice("DID_RENEW", renewed, signed=-1)
    assert notify(shop, renewal) == 204 and owned(yana) == [("premium", "app_store", "active")]
    assert notify(shop, store.notice("REFUND", renewed | {"revocationDate": month["purchaseDate"] + 10**9}, signed=-0.5)) == 204
    assert owned(yana) == [("premium", "app_store", "ended")]
    # A replay, and the transaction of before the refund, change nothing.
    assert notify(shop, renewal) == 204 and buy(yana, store.sign(renewed))["state"] == "ended"
    yana.problem("GET", form, 403, "entitlement-required")

    entry = yana.submit("deep_calm", {"deep_first": "after the end"}, status=201)
    earlier = yana.submit(
        "deep_calm", {"deep_first": "on the way"}, status=201, started=after(days=-20), completed=after(days=-20))
    assert entry["flags"] == ["not_entitled"] and "not_entitled" not in earlier["flags"]
    assert yana.call("GET", yana.own(f"/answer-sheets/{entry['sheet_id']}"), status=200)["answers"] == {"deep_first": "after the end"}


def test_an_expired_transaction_opens_nothing_and_a_gap_counts_as_ended(shop, store, join):
    yana = join()
    form = yana.own("/questionnaires/deep_calm")
    first = store.transaction(bought=-60, until=-30)
    assert buy(yana, store.sign(first))["state"] == "ended"
    yana.problem("GET", form, 403, "entitlement-required")

    again = store.transaction(first["originalTransactionId"], bought=-2, until=28)
    assert notify(shop, store.notice("DID_RENEW", again)) == 204 and owned(yana) == [("premium", "app_store", "active")]
    flags = {
        days: yana.submit("deep_calm", {"deep_first": f"day {days}"}, status=201, started=after(days=-days), completed=after(days=-days))["flags"]
        for days in (40, 29, 20, 1)}
    # Day 29 is in the three days after the end of the first month.
    assert {days: "not_entitled" in found for days, found in flags.items()} == {40: False, 29: False, 20: True, 1: False}


def test_an_adoption_moves_purchases_and_no_other_caller_gets_them(shop, store, join):
    rosa, eve = join("Rosa Canary"), join("Eve Canary")
    yana = Person(shop, shop.contract, name="Yana Canary")
    made = yana.call("POST", "/v1/accounts/anonymous", json={"time_zone": yana.zone, "language": "en"}, status=201, token=False)
    yana.tokens = made
    jws = store.sign(store.transaction())
    assert buy(yana, jws)["state"] == "active"

    # Eve knows the account and the transaction, but has neither its token nor its purchase.
    adoption = {"email": eve.email, "password": eve.password, "account_id": made["account_id"]}
    eve.call("POST", "/v1/account/adoption", json=adoption, status=(409, 422))
    yana.call("POST", "/v1/account/adoption", json={"email": rosa.email, "password": "guess 1 horse"}, status=401)
    buy(eve, jws, status=409)
    assert owned(eve) == owned(rosa) == []

    yana.call("POST", "/v1/account/adoption", json={"email": rosa.email, "password": rosa.password}, status=201)

    assert owned(rosa) == [("premium", "app_store", "active")] and owned(eve) == []
    rosa.call("GET", rosa.own("/questionnaires/deep_calm"), status=200)
    assert buy(rosa, jws)["state"] == "active"
    buy(eve, jws, status=409)
    periods = shop.sql(f"select source, valid_until is not null from research.entitlement_period where enrolment_id = '{rosa.enrolment['enrolment_id']}'")
    assert periods.split() == ["app_store|t"]


@pytest.mark.parametrize("forge", [
    lambda store: AppStore().sign(store.transaction()),
    lambda store: store.sign(store.transaction(), key=ec.generate_private_key(ec.SECP256R1())),
    lambda store: store.sign(store.transaction(), alg="none"),
    lambda store: store.sign(store.transaction(), alg="HS256"),
    lambda store: store.sign(store.transaction(), x5c=[]),
    lambda store: store.sign(store.transaction(bundleId="org.example.other")),
    lambda store: store.sign(store.transaction(environment="Sandbox")),
    lambda store: store.sign(store.transaction(product="calm.gold")),
    lambda store: re.sub(r"\.[^.]+\.", ".e30.", store.sign(store.transaction())),
], ids=["root", "key", "none", "HS256", "chain", "bundle", "sandbox", "product", "payload"])
def test_a_forged_or_foreign_transaction_is_refused(shop, store, join, forge):
    yana = join()
    jws = forge(store)

    yana.problem(
        "POST", "/v1/account/purchases", 422, "purchase-invalid",
        json={"provider": "app_store", "study": STUDY, "signed_transaction": jws})
    assert notify(shop, {"signedPayload": jws}) == 422 and owned(yana) == []


def test_the_number_of_purchases_of_an_account_is_limited(shop, store, join):
    yana = join()
    jws = store.sign(store.transaction())
    statuses = [buy(yana, jws, status=None).status_code for _ in range(31)]
    assert statuses == [200] * 30 + [429]


def test_own_data_and_erasure(shop, store, join):
    yana, team = join(), coordinator(shop)
    buy(yana, store.sign(store.transaction("canary4711")))
    gift(team, yana, "retreat", valid_until=instant(after(days=9)))

    archive = zipfile.ZipFile(io.BytesIO(yana.call("GET", yana.own("/export")).content))
    account = json.loads(archive.read("account.json"))
    assert [(one["entitlement"], one["source"], one["reason"]) for one in account["entitlements"]] == [
        ("premium", "app_store", None), ("retreat", "gift", "A prize.")]
    periods = json.loads(archive.read("enrolment.json"))["entitlement_period"]
    assert [(one["entitlement"], one["source"]) for one in periods] == [("premium", "app_store"), ("retreat", "gift")]
    stored = "".join(shop.sql(f"select stored::text from {table} as stored") for table in ("identity.entitlement", "research.entitlement_period", "audit.entry"))
    assert "canary4711" not in stored and "app_store" in stored

    yana.call("DELETE", "/v1/account", status=204, json={"password": yana.password})
    assert shop.sql(f"select count(*) from identity.entitlement where account_id = '{yana.tokens['account_id']}'").strip() == "0"
    assert shop.sql(f"select count(*) from research.entitlement_period where enrolment_id = '{yana.enrolment['enrolment_id']}'").strip() == "0"
    # After the erasure the purchase can be claimed again.
    assert buy(join("Zoe Canary"), store.sign(store.transaction("canary4711")))["state"] == "active"


def test_a_wrong_file_names_all_its_faults(tmp_path):
    server = Server()
    file = tmp_path / "app_store.yaml"
    file.write_text("environment: test\nroots: missing.pem\nstudies: {a: []}\ncolour: red\n")
    server.environment["SAUNTER_APP_STORE_FILE"] = str(file)
    try:
        server.launch()
        assert server.process.wait(timeout=60) != 0
        log = server.tail()
        for fault in ("environment must be production or sandbox", "missing.pem cannot be read", "studies.a must be a list", "colour is not a member"):
            assert fault in log, log
    finally:
        server.remove()
