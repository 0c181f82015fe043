"""The story of a study from the registration to the dataset, through the public API."""

import base64
import csv
import gzip
import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import zipfile
from datetime import timedelta

import pytest

from acceptance import answers, walks
from acceptance.mailbox import code, text
from acceptance.moments import after, instant, local, new_id, now, read
from acceptance.server import STUDY, wait_until

NOTE = "the heron at the weir, canary-note-7Q4Z"


def shown(receipt):
    return {score["scale"]: score["value"] for score in receipt["scores"]}


def answer_baseline(person):
    """Questionnaire -> receipt."""
    overview = person.overview()
    return {
        questionnaire: person.submit(questionnaire, given, occasion_id=overview[questionnaire]["occasion_id"])
        for questionnaire, (given, _) in answers.BASELINE.items()
    }


def test_a_participant_joins_answers_walks_and_reads_everything(newcomer):
    ada = newcomer()

    # Registration, login, the study before joining it
    ada.register()
    ada.problem(
        "POST", "/v1/accounts", 409, "email-taken", token=False,
        json={"email": ada.email.upper(), "password": ada.password, "display_name": "Ada again"})
    ada.log_in()
    assert ada.tokens["token_type"] == "Bearer" and ada.tokens["expires_in"] <= 3600
    assert ada.call("GET", "/v1/account", status=200)["display_name"] == ada.name
    studies = ada.call("GET", "/v1/studies", status=200, token=False)["items"]
    assert "mindful-walking" in [study["study"] for study in studies]
    german = ada.call("GET", "/v1/studies/mindful-walking", status=200, headers={"Accept-Language": "de"})
    english = ada.call("GET", "/v1/studies/mindful-walking", status=200, headers={"Accept-Language": "en"})
    assert len(german["course"]) == len(english["course"]) == 4
    assert german["consent"]["text"] != english["consent"]["text"]
    assert german["licences"] and german["open"]
    assert ada.call("GET", "/v1/enrolments", status=200)["items"] == []

    # Joining: 201, then 200 with the same enrolment. Without consent or with an old consent, joining is rejected
    consent = {"version": english["consent"]["version"], "accepted": True}
    join = {"time_zone": ada.zone, "language": "en"}
    rejected = ada.problem(
        "POST", "/v1/studies/mindful-walking/enrolments", 422, "body-invalid",
        json=join | {"consent": consent | {"accepted": False}})
    assert [error["pointer"] for error in rejected["errors"]] == ["/consent/accepted"]
    ada.problem(
        "POST", "/v1/studies/mindful-walking/enrolments", 409, "consent-outdated",
        json=join | {"consent": consent | {"version": "0.0.1"}})
    ada.enrol(201)
    first = ada.enrolment
    ada.enrol(200)
    assert ada.enrolment == first
    assert first["arm"] is None, "the allocation is concealed"
    assert [own["enrolment_id"] for own in ada.call("GET", "/v1/enrolments", status=200)["items"]] == [first["enrolment_id"]]

    # The overview: the baseline is due, the final questionnaire is not, and a walk needs a calibration
    page = ada.call("GET", ada.own("/overview"), status=200)
    assert page["study_day"] == 0 and page["time_zone"] == ada.zone
    assert page["local_date"] == str(local(ada.zone).date())
    assert page["walk"]["may_start"] is False and page["walk"]["reason"] == "calibration_missing"
    assert page["adherence"]["adherence_percent"] is None and page["adherence"]["live_percent"] == 0
    assert page["streak"] == {"current": 0, "best": 0} and [week["week"] for week in page["weeks"]] == [1]
    overview = ada.overview()
    for questionnaire in [*answers.BASELINE, "daily_evening"]:
        assert overview[questionnaire]["due_today"] and not overview[questionnaire]["disabled"], questionnaire
        assert overview[questionnaire]["occasion_id"]
    assert overview["sus"]["disabled"] and overview["sus"]["disabled_reason"] == "not_yet_open"
    assert not overview["sus"]["due_today"] and overview["sus"]["next_opens_at"]
    assert overview["after_walk"]["disabled"] and overview["after_walk"]["disabled_reason"] == "prerequisite"

    # The definition of a questionnaire, with its ETag
    path = ada.own("/questionnaires/pss_10")
    response = ada.call("GET", path)
    structure, tag = response.json(), response.headers["etag"]
    assert [item["linkId"] for item in structure["item"]] == ["intro"] + [f"q{n}" for n in range(1, 11)]
    assert [option["value"] for option in structure["item"][1]["answerOption"]] == [0, 1, 2, 3, 4]
    assert structure["language"] == "en" and all(item["text"] for item in structure["item"])
    again = ada.call("GET", path, headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.content == b""
    assert ada.call("GET", path, headers={"If-None-Match": '"other"'}).status_code == 200

    # The baseline: 201, replay, conflict
    sheet_id = new_id()
    path = ada.own(f"/answer-sheets/{sheet_id}")
    sheet = ada.sheet(
        "pss_10", answers.PSS_10, occasion_id=overview["pss_10"]["occasion_id"], started=after(seconds=-90),
        timings={"q1": 1800})
    stored = ada.call("PUT", path, json=sheet, status=201)
    assert stored["standing"] == "on_time" and stored["replayed"] is False and stored["flags"] == []
    assert stored["scores"] == [], "the study does not show the scores of the baseline"
    replayed = ada.call("PUT", path, json=sheet | {"client_now": instant(after(seconds=1))}, status=200)
    assert replayed == stored | {"replayed": True}
    # Another order of the members makes no difference.
    assert ada.call("PUT", path, json=dict(reversed(sheet.items())), status=200)["replayed"] is True
    other = sheet | {"answers": answers.PSS_10 | {"q1": 0}}
    ada.problem("PUT", path, 409, "id-reused", json=other)
    assert ada.call("GET", path, status=200)["answers"] == answers.PSS_10
    # The sheet of a second device for the same occasion is stored as a duplicate.
    second = ada.call("PUT", ada.own(f"/answer-sheets/{new_id()}"), json=other, status=200)
    assert second["duplicate_of"] == sheet_id
    # A compressed body is the same record.
    packed = gzip.compress(json.dumps(sheet).encode())
    response = ada.call("PUT", path, data=packed, headers={"Content-Type": "application/json", "Content-Encoding": "gzip"})
    assert response.status_code == 200 and response.json()["replayed"] is True

    ada.submit("maas", answers.MAAS, occasion_id=overview["maas"]["occasion_id"])
    found = ada.submit("who_5", answers.WHO_5)
    assert found["occasion_id"] == overview["who_5"]["occasion_id"], "the server finds the open occasion of a sheet"
    overview = ada.overview()
    for questionnaire in answers.BASELINE:
        entry = overview[questionnaire]
        assert entry["disabled"] and entry["disabled_reason"] == "completed_in_period" and not entry["due_today"]
        assert entry["completed_at"]
    # A final questionnaire before its window is stored with its timeliness, and fulfils no occasion.
    early = ada.submit("sus", answers.SUS)
    assert early["standing"] == "out_of_window" and early["flags"] == ["no_occasion"]
    assert ada.overview()["sus"]["disabled_reason"] == "not_yet_open"

    # A walk before a calibration is stored and flagged. After a calibration the target is known
    unprepared = ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=walks.body(ada.zone), status=201)
    assert "calibration_missing" in unprepared["flags"]
    ada.problem("GET", ada.own("/calibrations/current"), 404, "not-found")
    assert ada.calibrate(mean=5.0, reduction=20)["target_speed_kmh"] == 4.0
    assert ada.call("GET", ada.own("/calibrations/current"), status=200)["target_speed_kmh"] == 4.0
    page = ada.call("GET", ada.own("/overview"), status=200)
    assert page["walk"]["may_start"] is True and page["walk"]["target_speed_kmh"] == 4.0

    # The walk with a summary computed by hand
    calibration = ada.call("GET", ada.own("/calibrations/current"), status=200)["calibration_id"]
    walk_id, body = new_id(), walks.body(ada.zone, calibration_id=calibration)
    walk = ada.call("PUT", ada.own(f"/walks/{walk_id}"), json=body, status=201)
    assert walk["summary"] == walks.SUMMARY
    assert ada.call("PUT", ada.own(f"/walks/{walk_id}"), json=body, status=200)["replayed"] is True
    ada.problem("PUT", ada.own(f"/walks/{walk_id}"), 409, "id-reused", json=body | {"device": {"model": "Other"}})
    listed = ada.pages(ada.own("/walks"), limit=1)
    assert {entry["walk_id"] for entry in listed} == {walk_id, unprepared["walk_id"]}
    assert [entry["started_at"] for entry in listed] == sorted((entry["started_at"] for entry in listed), reverse=True)
    detail = ada.call("GET", ada.own(f"/walks/{walk_id}"), status=200)
    assert detail["summary"] == walks.SUMMARY and detail["pauses"] == body["pauses"]
    assert detail["device"] == {"model": "Paper Watch"}
    for column, values in body["series"].items():
        assert detail["series"][column] == pytest.approx(values, rel=1e-6), column

    # After the walk, its questionnaire is open
    entry = ada.overview()["after_walk"]
    assert not entry["disabled"] and entry["due_today"]
    felt = ada.submit("after_walk", answers.AFTER_WALK, occasion_id=entry["occasion_id"], walk_id=walk_id)
    assert shown(felt) == {"wellbeing_change": 3} and felt["scores"][0]["band"] == "better"

    # The evening, and a correction with its revision
    daily_id = new_id()
    path = ada.own(f"/answer-sheets/{daily_id}")
    daily = ada.sheet("daily_evening", answers.DAILY | {"note": NOTE}, occasion_id=ada.overview()["daily_evening"]["occasion_id"])
    assert shown(ada.call("PUT", path, json=daily, status=201)) == answers.DAILY_SHOWN
    response = ada.call("GET", path)
    assert response.json()["revision"] == 1 and response.json()["answers"]["note"] == NOTE
    # The names of scores are in the language that the participant reads now, not in that of the answers.
    assert [score["label"] for score in response.json()["scores"]] == ["Balance of the day", "Presence"]
    ada.call("PATCH", ada.own(""), json={"language": "de"}, status=200)
    assert [score["label"] for score in ada.call("GET", path, status=200)["scores"]] == ["Ausgeglichenheit des Tages", "Präsenz"]
    ada.call("PATCH", ada.own(""), json={"language": "en"}, status=200)
    tag = response.headers["etag"]
    change = {"answers": {"stress": 2}, "reason": "mistyped"}
    corrected = ada.call("PATCH", path, json=change, headers={"If-Match": tag}, status=200)
    # Stress 2 reversed is 4: (5 + 4 + 4) / 3. The follow-up question about its source is hidden now.
    assert corrected["revision"] == 2 and shown(corrected)["balance"] == 4.33
    assert corrected["cleared"] == ["stress_source"] and corrected["reasons"]["stress_source"] == "not_shown"
    ada.problem("PATCH", path, 412, "precondition-failed", json=change, headers={"If-Match": tag})
    ada.problem("PATCH", ada.own(f"/answer-sheets/{sheet_id}"), 409, "correction-closed", json={"answers": {"q1": 1}})
    ada.problem("DELETE", path, 409, "correction-closed")
    assert ada.call("PUT", path, json=daily, status=200)["replayed"] is True, "a retry of the first upload"

    # Occasions: the plan, with states and reminders
    page = ada.call("GET", ada.own("/occasions"), params={"limit": 1000}, status=200)
    occasions = page["items"]
    states = {}
    for occasion in occasions:
        assert occasion["visible_at"] <= occasion["opens_at"] <= occasion["due_at"] <= occasion["closes_at"]
        states.setdefault(occasion["questionnaire"], []).append(occasion["state"])
    assert states["pss_10"][0] == "completed_on_time" and states["daily_evening"][0] == "completed_on_time"
    assert states["after_walk"].count("completed_on_time") == 1 and set(states["daily_evening"][1:]) == {"upcoming"}
    assert len(states["daily_evening"]) >= 7, "at least a week"
    assert [occasion["opens_at"] for occasion in occasions] == sorted(occasion["opens_at"] for occasion in occasions)
    assert page["prompts"] and len(page["prompts"]) <= 50
    assert [prompt["at"] for prompt in page["prompts"]] == sorted(prompt["at"] for prompt in page["prompts"])
    assert all(read(prompt["at"]) > now() for prompt in page["prompts"])
    tomorrow, later = instant(after(days=1)), instant(after(days=2))
    within = ada.pages(ada.own("/occasions"), limit=2, **{"from": tomorrow, "to": later})
    assert within == [o for o in occasions if o["closes_at"] > tomorrow and o["opens_at"] < later]

    # The end of the planned time: after it, the list has only occasions that occur once
    assert page["planned_through"] == str(local(ada.zone).date() + timedelta(days=14))
    assert max(o["local_date"] for o in occasions if o["questionnaire"] == "daily_evening") == page["planned_through"]
    beyond = ada.call("GET", ada.own("/occasions"), params={"from": instant(after(days=17)), "to": instant(after(days=20))}, status=200)
    assert beyond["items"] == [] and beyond["planned_through"] == page["planned_through"]

    # The participant's sheets, the newest first, with pages
    sheets = ada.pages(ada.own("/answer-sheets"), limit=2)
    assert len(sheets) == len({sheet["sheet_id"] for sheet in sheets}) == 7
    assert sheets == ada.pages(ada.own("/answer-sheets"))
    assert [sheet["received_at"] for sheet in sheets] == sorted((sheet["received_at"] for sheet in sheets), reverse=True)

    # The same records in one batch, from a device that was offline
    batch = {
        "client_now": instant(),
        "items": [
            {"kind": "answer_sheet", "id": daily_id, "body": {n: v for n, v in daily.items() if n != "client_now"}},
            {"kind": "answer_sheet", "id": new_id(), "body": {"questionnaire": "daily_evening"}},
            {"kind": "walk", "id": new_id(), "body": walks.body(ada.zone)},
        ],
    }
    results = ada.call("POST", ada.own("/sync"), json=batch, status=200)["items"]
    assert [result["result"] for result in results] == ["replayed", "rejected", "accepted"]

    # Deleting a walk
    assert ada.call("DELETE", ada.own(f"/walks/{walk_id}")).status_code == 204
    ada.problem("GET", ada.own(f"/walks/{walk_id}"), 404, "not-found")


def test_a_sheet_that_names_a_walk_goes_to_the_occasion_of_that_walk(participant):
    ada = participant()
    first, second = new_id(), new_id()
    for walk, hours in ((first, 3), (second, 1)):
        ada.call("PUT", ada.own(f"/walks/{walk}"), json=walks.body(ada.zone, started=after(hours=-hours)), status=201)
    pages = ada.pages(ada.own("/occasions"))
    occasions = [occasion["occasion_id"] for occasion in pages if occasion["questionnaire"] == "after_walk"]
    assert len(occasions) == 2, "ordered by opening, so in the order of the walks"

    # The sheet of the later walk first: the occasion of the earlier walk stays open.
    assert ada.submit("after_walk", answers.AFTER_WALK, walk_id=second)["occasion_id"] == occasions[1]
    # A second sheet of the same walk is a duplicate of the first one. It does not get the occasion of the other walk.
    again = ada.submit("after_walk", answers.AFTER_WALK, walk_id=second, status=200)
    assert again["occasion_id"] == occasions[1] and again["duplicate_of"]
    # A sheet of an unknown walk is stored without an occasion.
    unknown = ada.submit("after_walk", answers.AFTER_WALK, walk_id=new_id())
    assert (unknown["occasion_id"], unknown["standing"], unknown["flags"]) == (None, "out_of_window", ["no_occasion"])
    # The sheet in a batch that contains its walk as the last record.
    third = new_id()
    batch = {
        "client_now": instant(),
        "items": [
            {"kind": "answer_sheet", "id": new_id(), "body": ada.sheet("after_walk", answers.AFTER_WALK, walk_id=third)},
            {"kind": "walk", "id": third, "body": walks.body(ada.zone, started=after(hours=-2))},
        ],
    }
    results = ada.call("POST", ada.own("/sync"), json=batch, status=200)["items"]
    assert [result["result"] for result in results] == ["accepted", "accepted"]
    assert results[0]["receipt"]["occasion_id"] not in [None, *occasions]
    assert ada.submit("after_walk", answers.AFTER_WALK, walk_id=first)["occasion_id"] == occasions[0]


def test_a_refresh_survives_a_lost_response_and_a_reused_token_ends_the_login(newcomer):
    ada = newcomer().register()
    first = ada.tokens["refresh_token"]

    # The response to the first refresh is lost. The device tries again with the same token.
    lost = ada.refresh(first).json()
    response = ada.refresh(first)
    assert response.status_code == 201, response.text
    second = response.json()
    assert len({first, lost["refresh_token"], second["refresh_token"]}) == 3
    ada.tokens = second
    assert ada.call("GET", "/v1/account").status_code == 200

    # After its successor was used, the first token is invalid. A client that still uses it may have stolen it.
    third = ada.refresh(second["refresh_token"]).json()
    ada.tokens = third
    assert ada.call("GET", "/v1/account").status_code == 200
    ada.problem("POST", "/v1/tokens/refresh", 401, "token-invalid", token=False, json={"refresh_token": first})
    ada.problem("GET", "/v1/account", 401, "token-invalid")
    for spent in (second, third):
        ada.problem("POST", "/v1/tokens/refresh", 401, "token-invalid", token=False, json={"refresh_token": spent["refresh_token"]})

    # Another login has another family of tokens. An invented token is rejected in the same way.
    ada.log_in()
    assert ada.call("GET", "/v1/account").status_code == 200
    ada.problem("POST", "/v1/tokens/refresh", 401, "token-invalid", token=False, json={"refresh_token": "x" * 43})


def test_logging_out_ends_the_login_of_this_device_only(newcomer):
    ada = newcomer().register()
    phone = dict(ada.tokens)
    watch = dict(ada.log_in().tokens)

    ada.tokens = phone
    assert ada.call("DELETE", "/v1/tokens").status_code == 204

    ada.problem("GET", "/v1/account", 401, "token-invalid")
    ada.problem("POST", "/v1/tokens/refresh", 401, "token-invalid", token=False, json={"refresh_token": phone["refresh_token"]})
    ada.tokens = watch
    assert ada.call("GET", "/v1/account").status_code == 200


def test_a_forgotten_password_is_replaced_by_a_mailed_code_that_works_once(newcomer, mailbox):
    ada = newcomer().register()
    stranger = f"nobody-{new_id()}@example.org"
    for address in (ada.email, stranger):
        response = ada.call("POST", "/v1/password-resets", json={"email": address}, token=False)
        assert response.status_code == 202 and not response.content

    # The server sends the mail within seconds, also to an address that is not verified yet.
    mail = mailbox.wait_for(ada.email, seconds=60)[0]
    secret = code(mail)
    before, ada.password = ada.password, "a new one, " + new_id()
    ada.problem("PUT", f"/v1/password-resets/{secret}", 422, "body-invalid", token=False, json={"password": "short"})
    ada.problem("PUT", f"/v1/password-resets/{'x' * len(secret)}", 404, "not-found", token=False, json={"password": ada.password})
    assert ada.call("PUT", f"/v1/password-resets/{secret}", json={"password": ada.password}, token=False).status_code == 204
    ada.problem("PUT", f"/v1/password-resets/{secret}", 404, "not-found", token=False, json={"password": "yet another one"})

    ada.problem("GET", "/v1/account", 401, "token-invalid")
    ada.problem("POST", "/v1/tokens", 401, "credentials-invalid", token=False, json={"email": ada.email, "password": before})
    ada.log_in()
    # The code has proven the address, so the change is notified.
    assert ada.call("GET", "/v1/account", status=200)["email_verified_at"] is not None
    subjects = [mail["subject"] for mail in mailbox.wait_for(ada.email, 2)]
    assert subjects == ["A new password for Saunter", "Your password for Saunter was changed"]
    assert mailbox.to(stranger) == []


def test_a_new_address_is_confirmed_by_a_code_and_the_former_one_is_notified(newcomer, mailbox):
    ada = newcomer().register()
    mailbox.verify(ada)
    before, ada.email = ada.email, f"new-{ada.email}"
    wish = {"email": ada.email, "password": ada.password}
    assert ada.call("PATCH", "/v1/account", json=wish, status=200)["email"] == before

    mailbox.verify(ada)

    account = ada.call("GET", "/v1/account", status=200)
    assert account["email"] == ada.email and account["new_email"] is None
    assert [mail["subject"] for mail in mailbox.wait_for(before)] == ["Your e-mail address for Saunter was changed"]
    ada.log_in()
    assert mailbox.to(ada.email) == []


def test_wrong_passwords_are_answered_like_unknown_addresses_and_rate_limited(newcomer):
    ada = newcomer().register()
    wrong = [
        ada.problem("POST", "/v1/tokens", 401, "credentials-invalid", token=False, json={"email": address, "password": "wrong-" + new_id()})
        for address in (ada.email, f"nobody-{new_id()}@example.org")
    ]
    assert wrong[0] | {"instance": ""} == wrong[1] | {"instance": ""}

    def try_again():
        return ada.call("POST", "/v1/tokens", json={"email": ada.email, "password": "wrong"}, token=False)

    responses = [try_again() for _ in range(15)]
    assert {response.status_code for response in responses} == {401, 429}
    rejected = next(response for response in responses if response.status_code == 429)
    assert int(rejected.headers["retry-after"]) >= 1 and "ratelimit" in rejected.headers
    assert rejected.json()["type"].endswith("/too-many-requests")
    # Existing logins stay valid.
    assert ada.call("GET", "/v1/account").status_code == 200


def make_export(researcher, **filters):
    response = researcher.call("POST", "/v1/studies/mindful-walking/exports", json={"profile": "coded"} | filters)
    assert response.status_code in (200, 202), response.text
    location = response.headers["location"].removeprefix(researcher.server.url)
    assert location.endswith(response.json()["export_id"])

    def finished():
        job = researcher.call("GET", location, status=200)
        assert 0 <= job["progress"] <= 1 and job["state"] != "failed", job
        return job if job["state"] == "done" else None

    return location, wait_until(finished, 60, "the export is done")


def test_a_researcher_monitors_the_study_and_loads_its_dataset(participant, researcher, tmp_path):
    ada = participant(name="Ada Canary")
    ben = participant(name="Ben Canary")
    cleo = participant(name="Cleo Canary")
    answer_baseline(ada)
    ada.calibrate()
    walk_id = new_id()
    ada.call("PUT", ada.own(f"/walks/{walk_id}"), json=walks.body(ada.zone), status=201)
    ada.submit("after_walk", answers.AFTER_WALK)
    ada.submit("daily_evening", answers.DAILY | {"note": NOTE + ' "quoted",\nsecond line'})
    ben.submit("who_5", answers.WHO_5)
    cleo.call("POST", cleo.own("/withdrawal"), json={"mode": "exclude"}, status=200)
    ids = {person.enrolment["participant_id"]: person for person in (ada, ben)}

    # Monitoring: pseudonyms, adherence with its denominator, and no names
    participants = researcher.pages("/v1/studies/mindful-walking/participants", limit=2)
    shown = {row["participant_id"]: row for row in participants}
    assert ids.keys() <= shown.keys() and list(shown) == sorted(shown)
    hers = shown[ada.enrolment["participant_id"]]
    assert hers["answer_sheets"] == 5 and hers["walks"] == 1 and hers["arm"] in ("experimental", "control")
    assert hers["adherence"] == {
        "settled": 5, "completed": 5, "on_time": 5, "adherence_percent": 100, "on_time_percent": 100, "live_percent": 100}
    assert cleo.enrolment["participant_id"] not in shown, "excluded"
    researcher.problem("GET", f"/v1/studies/mindful-walking/participants/{cleo.enrolment['participant_id']}/arm", 404, "not-found")
    rows = {row["participant_id"]: row for row in researcher.pages("/v1/studies/mindful-walking/adherence")}
    assert rows[ada.enrolment["participant_id"]]["total"]["completed"] == 5
    assert rows[ben.enrolment["participant_id"]]["total"]["completed"] == 1
    mine = rows[ada.enrolment["participant_id"]]
    assert mine["streak"] == {"current": 1, "best": 1} and mine["weeks"] == [{"week": 1, "adherence": hers["adherence"]}]
    others = rows[ben.enrolment["participant_id"]]
    assert others["streak"] == {"current": 0, "best": 0} and others["weeks"] == [{"week": 1, "adherence": others["total"]}]
    # Of the three baseline questionnaires and the evening one, one is answered. No other occasion has ended.
    assert (others["total"]["adherence_percent"], others["total"]["live_percent"]) == (100, 25)
    overview = ben.call("GET", ben.own("/overview"), status=200)
    assert [overview[name] for name in ("adherence", "streak", "weeks")] == [others[name] for name in ("total", "streak", "weeks")]
    everything = json.dumps([participants, rows])
    for person in ids.values():
        assert person.name not in everything and person.email not in everything
        assert person.enrolment["enrolment_id"] not in everything

    # The export: length, digest, ETag, ranges
    location, job = make_export(researcher)
    response = researcher.call("GET", location + "/file")
    data = response.content
    digest = hashlib.sha256(data)
    assert response.headers["content-type"] == "application/zip"
    assert int(response.headers["content-length"]) == len(data) == job["bytes"] and digest.hexdigest() == job["sha256"]
    assert response.headers["repr-digest"] == f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
    assert job["file_name"] in response.headers["content-disposition"]
    tag, half = response.headers["etag"], len(data) // 2
    parts = [
        researcher.call("GET", location + "/file", headers={"Range": f"bytes={span}", "If-Range": tag})
        for span in (f"0-{half - 1}", f"{half}-")
    ]
    assert [part.status_code for part in parts] == [206, 206]
    assert parts[1].headers["content-range"] == f"bytes {half}-{len(data) - 1}/{len(data)}"
    assert b"".join(part.content for part in parts) == data
    assert researcher.call("GET", location + "/file", headers={"If-None-Match": tag}).status_code == 304
    assert researcher.call("GET", location + "/file", headers={"Range": "bytes=0-9", "If-Range": '"old"'}).content == data
    beyond = researcher.call("GET", location + "/file", headers={"Range": f"bytes={len(data)}-"})
    assert beyond.status_code == 416 and beyond.headers["content-range"] == f"bytes */{len(data)}"

    # The package is complete and contains no identities
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    archive.extractall(tmp_path)
    root = next(path.parent for path in tmp_path.rglob("manifest.json"))
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=root, check=True)
    for path in root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for person in ids.values():
                assert person.name.encode() not in content and person.email.encode() not in content, path
            assert cleo.enrolment["participant_id"].encode() not in content, f"{path} contains an excluded participant"

    check_with_pandas(root, ada, ben, researcher)
    check_with_r(root, ada)

    # Filters
    location, _ = make_export(researcher, questionnaires=["who_5"])
    filtered = zipfile.ZipFile(io.BytesIO(researcher.call("GET", location + "/file").content))
    sheets = next(name for name in filtered.namelist() if name.endswith("data/sheets.csv"))
    rows = list(csv.DictReader(io.TextIOWrapper(filtered.open(sheets), "utf-8")))
    assert rows and {row["instrument"] for row in rows} == {"who_5"}

    # The same dataset from the command line, and the same scores when stored sheets are scored again
    target = tmp_path / "by-command"
    researcher.server.run("export", "--study", "mindful-walking", "--out", target, program="evaluator")
    found = next(path for path in target.rglob("scores.csv"))
    with open(found, newline="") as file:
        again = [row for row in csv.DictReader(file) if row["participant_id"] == ada.enrolment["participant_id"]]
    assert again and all(float(row["value"]) == EXPECTED[row["instrument"]][row["score"]] for row in again)
    check_reports(researcher.server, target, tmp_path)


EXPECTED = {
    "pss_10": answers.PSS_10_SCORES,
    "maas": answers.MAAS_SCORES,
    "who_5": answers.WHO_5_SCORES,
    "after_walk": answers.AFTER_WALK_SCORES,
    "daily_evening": answers.DAILY_SCORES,
}


def check_reports(server, dataset, tmp_path):
    """The report of the study, and the report of a table of the dataset without a database: the same figures."""
    server.run("report", "--study", "mindful-walking", "--out", tmp_path / "report", program="evaluator")
    study = json.loads((tmp_path / "report" / "report.json").read_text())
    assert {instrument["questionnaire"] for instrument in study["questionnaires"]} >= set(EXPECTED)
    assert study["adherence"]["due"] > 0 and study["walks"]
    page = (tmp_path / "report" / "report.html").read_text()
    assert "<svg" in page and "http" not in page and "Canary" not in page
    assert [arm["arm"] for arm in study["flow"]["arms"]] == ["experimental", "control"]

    server.run("report", "--study", "mindful-walking", "--out", tmp_path / "blinded", "--blinded", program="evaluator")
    blinded = (tmp_path / "blinded" / "report.json").read_text()
    assert [arm["arm"] for arm in json.loads(blinded)["flow"]["arms"]] == ["A", "B"]
    assert '"experimental"' not in blinded and '"control"' not in blinded
    server.run(
        "report", "--study", "mindful-walking", "--out", tmp_path / "no", "--blinded", "--arm", "control",
        program="evaluator", status=2)

    server.run(
        "report", "--questionnaire", STUDY.parent.parent / "instruments" / "pss_10" / "1.0.0",
        "--input", next(dataset.rglob("wide_pss_10.csv")), "--out", tmp_path / "table", program="evaluator")
    table = json.loads((tmp_path / "table" / "report.json").read_text())["questionnaires"][0]
    stored = next(found for found in study["questionnaires"] if found["questionnaire"] == "pss_10")
    assert table["sheets"] == stored["sheets"] > 0
    assert [scale["figures"] for scale in table["scales"]] == [scale["figures"] for scale in stored["scales"]]
    # An existing file is not overwritten.
    server.run("report", "--study", "mindful-walking", "--out", tmp_path / "report", program="evaluator", status=1)


def check_with_pandas(root, ada, ben, researcher):
    """Loads the package with its Python loader, and compares with the API."""
    spec = importlib.util.spec_from_file_location("load", root / "load" / "load.py")
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    data = loader.load(root)

    # Every stored occasion has a row, answered or not. Participants also see later occasions, which are not stored yet.
    occasions = data["occasions"]
    soon = instant(after(days=10))
    for person in (ada, ben):
        planned = {o["occasion_id"]: o for o in person.pages(person.own("/occasions"), limit=1000)}
        hers = occasions[occasions["participant_id"] == person.enrolment["participant_id"]]
        states = dict(zip(hers["occasion_id"].str[1:].str.lower(), hers["status"]))
        assert states.items() <= {key: o["state"] for key, o in planned.items()}.items()
        assert {key for key, o in planned.items() if o["opens_at"] < soon} <= states.keys()
        assert "upcoming" in states.values()
        # Ada has answered all open questionnaires.
        assert ("open" in states.values()) == (person is ben)
    assert (occasions["opens_at"] <= occasions["due_at"]).all()

    scores = data["scores"]
    hers = scores[scores["participant_id"] == ada.enrolment["participant_id"]]
    found = {(row.instrument, row.score): row.value for row in hers.itertuples()}
    assert found == {(instrument, scale): value for instrument, scales in EXPECTED.items() for scale, value in scales.items()}

    wide = data["wide_pss_10"]
    row = wide[wide["participant_id"] == ada.enrolment["participant_id"]].iloc[0]
    assert {item: row[item] for item in answers.PSS_10} == answers.PSS_10
    daily = data["wide_daily_evening"]
    row = daily[daily["participant_id"] == ada.enrolment["participant_id"]].iloc[0]
    assert row["stress_source__work"] == 1 and row["stress_source__money"] == 0
    texts = data["free_text"]
    assert NOTE + ' "quoted",\nsecond line' in set(texts["text"])

    walk = data["walks"].set_index("participant_id").loc[ada.enrolment["participant_id"]]
    for column, name in [("distance_m",) * 2, ("active_s",) * 2, ("mean_hr_bpm", "mean_heart_rate_bpm"), ("coverage",) * 2]:
        assert walk[column] == walks.SUMMARY[name], column
    people = data["participants"].set_index("participant_id")
    assert people.loc[ada.enrolment["participant_id"], "status"] == "active"


def check_with_r(root, ada):
    """Loads the package with its loader in base R."""
    program = shutil.which("Rscript")
    assert program, "Rscript is missing: install r-base-core"
    script = f"""
        source(file.path("load", "load.R"))
        data <- saunter_load(".")
        own <- data$scores[data$scores$participant_id == "{ada.enrolment['participant_id']}", ]
        for (row in seq_len(nrow(own))) cat(own$instrument[row], own$score[row], format(own$value[row], digits = 15), "\\n")
        stopifnot(inherits(data$occasions$opens_at, "POSIXct"), !anyNA(data$occasions$opens_at))
        stopifnot(is.ordered(saunter_factor(data$wide_pss_10, "q1")))
    """
    done = subprocess.run(
        [program, "--vanilla", "-e", script], cwd=root, capture_output=True, text=True, timeout=120,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr
    found = {(line.split()[0], line.split()[1]): float(line.split()[2]) for line in done.stdout.splitlines()}
    assert found == {(instrument, scale): value for instrument, scales in EXPECTED.items() for scale, value in scales.items()}


def set_reminder(person, seconds):
    """Sets the person's reminder to this many seconds from now; the instant."""
    at = after(seconds=seconds).replace(microsecond=0)
    changed = person.call(
        "PATCH", person.own(""), json={"reminder": {"time": local(person.zone, at).strftime("%H:%M:%S"), "on": True}}, status=200)
    assert read(changed["reminder"]["next_at"]) == at
    return at


def test_a_participant_with_due_questionnaires_gets_one_mail_in_time_and_none_after_completion(participant, mailbox):
    due, done, off, gone = (participant(name=f"{name} Canary") for name in ("Dora", "Emil", "Olaf", "Gina"))
    for person in (due, done, off, gone):
        mailbox.verify(person)
    # Each participant has time to finish before the reminder. The participant who gets mail has the last reminder time.
    set_reminder(done, 12)
    answer_baseline(done)
    done.submit("daily_evening", answers.DAILY)
    set_reminder(off, 12)
    off.call("PATCH", off.own(""), json={"reminder": {"on": False}}, status=200)
    set_reminder(gone, 12)
    gone.call("POST", gone.own("/withdrawal"), json={"mode": "stop"}, status=200)
    at = set_reminder(due, 12)
    due.server.run("remind", "--once")
    assert mailbox.to(due.email) == [] or now() >= at, "no mail before the reminder time"
    wait_until(lambda: now() > at, 20, "the reminder time is reached")
    due.server.run("remind", "--once")

    mail = mailbox.wait_for(due.email)[0]
    assert mail["from"].addresses[0].addr_spec == "study@example.org" and mail["to"].addresses[0].addr_spec == due.email
    assert mail["message-id"] and mail["date"]
    assert due.name in text(mail) and due.server.url in text(mail)
    # The mail contains every due title in the participant's language.
    for questionnaire in [*answers.BASELINE, "daily_evening"]:
        assert due.overview()[questionnaire]["title"] in text(mail)
    due.server.run("remind", "--once")
    due.server.run("remind", "--once")
    assert len(mailbox.to(due.email)) == 1
    assert [mailbox.to(person.email) for person in (done, off, gone)] == [[], [], []]
    assert read(due.call("GET", due.own(""), status=200)["reminder"]["next_at"]) > after(hours=20)


def test_a_withdrawal_ends_the_reminders_and_an_erasure_removes_all_data_of_the_person(participant, newcomer, server, researcher):
    # Stopping keeps the data. Sheets that were completed before are still accepted, later ones are not.
    ada = participant()
    kept = answer_baseline(ada)["who_5"]["sheet_id"]
    finished = after(seconds=-5)
    stopped = ada.call("POST", ada.own("/withdrawal"), json={"mode": "stop"}, status=200)
    assert stopped["status"] == "stopped" and stopped["ended_at"]
    assert ada.call("GET", ada.own(f"/answer-sheets/{kept}"), status=200)["answers"] == answers.WHO_5
    overview = ada.overview()
    assert {entry["disabled_reason"] for entry in overview.values()} == {"not_enrolled"}
    assert ada.call("GET", ada.own("/occasions"), status=200)["prompts"] == []
    late = ada.submit("daily_evening", answers.DAILY, completed=finished, started=finished)
    assert late["replayed"] is False
    ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 409, "enrolment-withdrawn",
        json=ada.sheet("daily_evening", answers.DAILY, completed=after(seconds=1)))
    ada.problem("PATCH", ada.own(""), 409, "enrolment-withdrawn", json={"paused": True})

    # Erasure of an enrolment, then of another person's account with all enrolments.
    canary = newcomer(name="Zyx Vogelfrei").register().enrol()
    canary.submit("daily_evening", answers.DAILY | {"note": NOTE + canary.email})
    canary.calibrate()
    canary.call("PUT", canary.own(f"/walks/{new_id()}"), json=walks.body(canary.zone, device={"model": "W", "serial": canary.password}), status=201)
    canary.call("PATCH", "/v1/account", json={"display_name": "Zyx Vogelfrei the second"}, status=200)
    traces = [canary.name, canary.email, canary.email.split("@")[0], NOTE + canary.email, canary.password]
    ids = [canary.enrolment["enrolment_id"], canary.enrolment["participant_id"], canary.tokens["account_id"]]
    # Before the erasure the search finds the note, but neither name nor mail address, which are encrypted.
    before = server.dump()
    assert NOTE + canary.email in before or (NOTE + canary.email).encode().hex() in before
    assert all(identifier in before for identifier in ids)
    assert canary.name not in before and canary.name.encode().hex() not in before, "names are encrypted"

    canary.problem("DELETE", "/v1/account", 401, "credentials-invalid", json={"password": "wrong"})
    assert canary.call("DELETE", "/v1/account", json={"password": canary.password}).status_code == 204
    canary.problem("GET", "/v1/account", 401, "token-invalid")
    canary.problem("GET", canary.own("/overview"), 401, "token-invalid")
    canary.problem("POST", "/v1/tokens/refresh", 401, "token-invalid", token=False, json={"refresh_token": canary.tokens["refresh_token"]})
    canary.problem("POST", "/v1/tokens", 401, "credentials-invalid", token=False, json={"email": canary.email, "password": canary.password})

    dump = server.dump()
    for trace in traces:
        assert trace not in dump and trace.encode().hex() not in dump, f"{trace!r} is still in the database"
    # Even the random ids are gone: the append-only audit contains digests under a key that is not in the database.
    for identifier in ids:
        assert identifier not in dump and identifier.upper() not in dump, f"{identifier} is still in the database"
    log = server.log.read_text(errors="replace")
    for trace in traces:
        assert trace not in log, "no log contains an answer, a name or a mail address"
    rows = researcher.pages("/v1/studies/mindful-walking/participants", limit=1000)
    assert canary.enrolment["participant_id"] not in {row["participant_id"] for row in rows}
    # The mail address can be registered again.
    canary.register()

    # The erasure of an enrolment keeps the account.
    ben = participant(name="Ben Canary")
    answer_baseline(ben)
    assert ben.call("POST", ben.own("/withdrawal"), json={"mode": "erase"}).status_code == 204
    ben.problem("GET", ben.own("/overview"), 404, "not-found")
    assert ben.call("GET", "/v1/enrolments", status=200)["items"] == []
    assert ben.enrolment["enrolment_id"] not in server.dump()
