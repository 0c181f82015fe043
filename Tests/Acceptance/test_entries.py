"""Entries of an offline device, the daily maximum, settled occasions, deletion for good, and permission for the place."""

import uuid

import pytest

from acceptance.event_study import enrol_participant, pack, remind, start_occasion, states
from acceptance.moments import after, evening_zone, instant, local, new_id, now
from acceptance.people import Person
from acceptance.server import ROOT, Server

STUDY = "small-steps"
PLACE = {"lat": 52.520008, "lon": 13.404954, "accuracy_m": 30}


@pytest.fixture(scope="module")
def steps(server):
    server.run("publish", ROOT / "Tests" / "Acceptance" / "packs" / STUDY / "studies" / STUDY)
    return server


@pytest.fixture
def join(steps, contract):
    """Makes participants of the study."""
    def join(name="Ada Canary", **more):
        # At noon no entry of the last hours is of another day.
        person = Person(steps, contract, name=name, zone=evening_zone(hour=12)).register()
        person.enrolment = person.call(
            "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
            json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, **more})
        return person
    return join


def entry(person, questionnaire, answers, minutes=0, **more):
    """The body of an entry that was completed so many minutes ago."""
    moment = after(seconds=-60 * minutes)
    return person.sheet(questionnaire, answers, started=moment, completed=moment, **more)


def item(kind, body, record=None):
    return {"kind": kind, "id": record or new_id(), "body": {name: value for name, value in body.items() if name != "client_now"}}


def upload(person, *items, ahead=0):
    """Uploads an outbox of a device whose clock is ahead by some seconds; one result for each item."""
    body = {"client_now": instant(after(seconds=ahead)), "items": list(items)}
    return person.call("POST", person.own("/sync"), status=200, json=body)["items"]


def words(results):
    return [result["result"] for result in results]


def listed(person, **query):
    return [sheet["sheet_id"] for sheet in person.pages(person.own("/answer-sheets"), limit=2, **query)]


def tables_with(server, text):
    """The tables of the database that contain the text in any column: as text, as JSON, or as bytes."""
    tables = server.sql("""
        select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('identity', 'research', 'audit', 'public') and c.relkind in ('r', 'p') order by 1""").split()
    assert len(tables) > 40
    hexadecimal = text.encode().hex()
    found = []
    for table in tables:
        rows = server.sql(f"select count(*) from {table} t where strpos(t::text, '{text}') > 0 or strpos(t::text, '{hexadecimal}') > 0")
        if int(rows) > 0:
            found.append(table)
    return found


def test_an_offline_device_uploads_linked_entries_in_any_order(join):
    ada = join()
    first, second, kept, end = (new_id() for _ in range(4))
    outbox = [
        item("answer_sheet", entry(ada, "promise_end", {"again": True}, minutes=30, refers_to=first), end),
        item("answer_sheet", entry(ada, "promise_kept", {"kept": True}, minutes=40, refers_to=first), kept),
        item("answer_sheet", entry(ada, "promise_kept", {"kept": True}, minutes=5, refers_to=first)),
        item("answer_sheet", entry(ada, "promise", {"promise_text": "walk", "by": "2030-01-31"}, minutes=10), second),
        item("answer_sheet", entry(ada, "promise", {"promise_text": "sleep", "by": "2030-02-28"}, minutes=50), first),
    ]
    missing = item("answer_sheet", entry(ada, "promise_kept", {"kept": False}, refers_to=new_id()))

    results = upload(ada, *outbox, missing)

    assert words(results) == ["accepted"] * 5 + ["retry"], results
    assert results[5]["problem"]["errors"][0]["code"] == "unknown_entry"
    # The tick before the end counts, the one after it is flagged.
    assert [("entry_ended" in result["receipt"]["flags"]) for result in results[:5]] == [False, False, True, False, False]
    assert listed(ada, active="true") == [second]
    assert set(listed(ada, refers_to=first)) == {end, kept, results[2]["id"]}
    assert listed(ada, questionnaire="promise", order="completed") == [second, first]
    assert listed(ada, questionnaire="promise", order="item:by") == [first, second]
    assert listed(ada, questionnaire="promise", latest="true") == [second]
    assert words(upload(ada, *outbox)) == ["replayed"] * 5


def test_local_dates_follow_the_corrected_clock(join):
    ada = join()
    # The device's clock is 40 minutes ahead: it shows the next date, but it is still before midnight.
    zone, ahead = evening_zone(hour=23), 40 * 60
    moment = now().replace(minute=59, second=0, microsecond=0)
    shown = after(moment, seconds=ahead)
    body = ada.sheet("page", {"words": "late"}, started=shown, completed=shown, time_zone=zone)
    skew = (shown - moment).total_seconds()

    [result] = upload(ada, item("answer_sheet", body), ahead=skew)

    assert result["result"] == "accepted", result
    day = str(local(zone, moment).date())
    assert result["receipt"]["local_date"] == day
    assert str(local(zone, shown).date()) > day
    assert len(listed(ada, **{"from": day, "to": day})) == 1


def test_above_the_daily_maximum_entries_are_stored_and_fulfil_nothing(join):
    ada = join()
    assert ada.overview()["step_mood"]["disabled"] is False
    outbox = [item("answer_sheet", entry(ada, "step_mood", {"mood": mood}, minutes=20 - mood)) for mood in range(5)]

    receipts = [result["receipt"] for result in upload(ada, *outbox)]

    assert [("over_daily_limit" in receipt["flags"]) for receipt in receipts] == [False, False, False, True, True]
    assert [receipt["occasion_id"] is not None for receipt in receipts] == [True, False, False, False, False]
    shown = ada.overview()["step_mood"]
    assert (shown["disabled"], shown["disabled_reason"], shown["due_today"]) == (True, "completed_in_period", False)
    assert len(listed(ada, questionnaire="step_mood")) == 5


def test_an_entry_without_an_occasion_ends_its_reminders(mailbox, tmp_path):
    study = pack(tmp_path, code="settling")
    path = study / "study.yaml"
    path.write_text(path.read_text() + "any_time: [{questionnaire: mood_vas, settles: started}]\n")
    # Without a mail server, only the test sends reminders.
    quiet = Server()
    try:
        quiet.start()
        quiet.run("publish", study)
        mona = enrol_participant(quiet, "Mona Canary", study="settling")
        occasion = start_occasion(mona)
        remind(quiet, mailbox.url)
        assert len(mailbox.wait_for(mona.email)) == 1 and states(quiet, mona) == ["at_open 1 sent"]
        planned = mona.call("GET", mona.own("/occasions"), status=200)["prompts"]
        assert [prompt["kinds"] for prompt in planned][0] == ["after_open"]

        receipts = [mona.submit("mood_vas", {"mood": 50}, started=now()) for _ in range(2)]

        assert [receipt["occasion_id"] for receipt in receipts] == [occasion["occasion_id"], None]
        assert [receipt["standing"] for receipt in receipts] == ["on_time", "unscheduled"]
        assert mona.call("GET", mona.own("/occasions"), status=200)["prompts"] == []
        enrolment = f"where enrolment_id = '{mona.enrolment['enrolment_id']}'"
        quiet.sql(f"update research.enrolment set next_reminder_at = now() {enrolment}")
        remind(quiet, mailbox.url)
        assert len(mailbox.to(mona.email)) == 1 and states(quiet, mona) == ["at_open 1 sent"]
    finally:
        quiet.remove()


@pytest.mark.parametrize("way", ["request", "batch"])
def test_a_purged_sheet_leaves_no_text_in_any_table(steps, join, way):
    ada = join()
    text, sheet = f"lavender{uuid.uuid4().hex}", new_id()
    body = entry(ada, "step_mood", {"mood": 3, "note": f"{text} one"}, minutes=5)
    ada.call("PUT", ada.own(f"/answer-sheets/{sheet}"), json=body, status=201)
    # Another body under the same id is quarantined.
    ada.problem("PUT", ada.own(f"/answer-sheets/{sheet}"), 409, "id-reused", json=body | {"answers": {"mood": 4, "note": f"{text} two"}})
    ada.call("PATCH", ada.own(f"/answer-sheets/{sheet}"), json={"answers": {"note": f"{text} three"}, "reason": f"{text} four"}, status=200)
    correction = {"sheet_id": sheet, "corrected_at": instant(), "answers": {"mood": 5, "note": f"{text} five"}, "reason": f"{text} six"}
    assert words(upload(ada, item("correction", correction))) == ["accepted"]
    assert {"research.answer_text", "research.answer_sheet", "research.amendment", "research.quarantine"} <= set(tables_with(steps, text))

    if way == "request":
        ada.call("DELETE", ada.own(f"/answer-sheets/{sheet}"), status=204)
    else:
        assert words(upload(ada, item("deletion", {"sheet_id": sheet, "deleted_at": instant()}))) == ["accepted"]

    assert tables_with(steps, text) == []
    assert listed(ada, questionnaire="step_mood") == []
    ada.problem("GET", ada.own(f"/answer-sheets/{sheet}"), 404, "not-found")
    # The tombstones stay, so that a replay is recognised and stores nothing. A late correction stores nothing either.
    assert steps.sql(f"select count(*) from research.answer_sheet where sheet_id = '{sheet}'").strip() == "3"
    assert ada.call("PUT", ada.own(f"/answer-sheets/{sheet}"), json=body, status=200)["replayed"] is True
    ada.problem("PUT", ada.own(f"/answer-sheets/{sheet}"), 409, "id-reused", json=body | {"answers": {"mood": 4, "note": f"{text} seven"}})
    upload(ada, item("correction", correction | {"corrected_at": instant(), "answers": {"mood": 5, "note": f"{text} eight"}}))
    assert tables_with(steps, text) == []
    actions = steps.sql("select action from audit.entry where action like 'sheet_%' order by entry_id desc limit 1").strip()
    assert actions == "sheet_purged"


def test_the_place_is_stored_only_with_permission_and_can_be_deleted(steps, join):
    ada = join()
    before = ada.submit("step_mood", {"mood": 3, "place": PLACE}, started=now())
    ada.call("PATCH", ada.own(""), json={"data_kinds": {"location": True}}, status=200)
    sheet = new_id()
    after_permission = ada.submit("step_mood", {"mood": 4, "place": PLACE}, started=now(), sheet_id=sheet)
    offline = entry(ada, "step_mood", {"mood": 2, "place": PLACE}, minutes=30)
    [late] = upload(ada, item("answer_sheet", offline))

    assert before["cleared"] == ["place"] and after_permission["cleared"] == []
    # The permission does not cover what was recorded before it.
    assert late["receipt"]["cleared"] == ["place"]
    stored = ada.call("GET", ada.own(f"/answer-sheets/{sheet}"), status=200)
    assert stored["answers"]["place"] == {"lat": 52.52, "lon": 13.4, "accuracy_m": 30}

    ada.call("PATCH", ada.own(""), json={"data_kinds": {"location": False}}, status=200)
    assert ada.call("GET", ada.own(f"/answer-sheets/{sheet}"), status=200)["answers"]["place"]["lat"] == 52.52
    assert ada.submit("step_mood", {"mood": 4, "place": PLACE}, started=now())["cleared"] == ["place"]

    seen = ada.call("GET", ada.own("/sync"), status=200)
    ada.call("DELETE", ada.own("/data-kinds/location"), status=204)
    erased = ada.call("GET", ada.own(f"/answer-sheets/{sheet}"), status=200)
    assert erased["answers"] == {"mood": 4} and erased["reasons"]["place"] == "no_consent"
    enrolment = ada.enrolment["enrolment_id"]
    for column in ("numbers::text", "repeated::text"):
        assert "52.52" not in steps.sql(f"select {column} from research.answer_sheet where enrolment_id = '{enrolment}'")
    changed = ada.call("GET", ada.own("/sync"), params={"since": seen["next_since"]}, status=200)["items"]
    assert {(change["kind"], change["id"]) for change in changed} >= {("answer_sheet", sheet), ("enrolment", enrolment)}
    actions = steps.sql("select action from audit.entry where action like 'data_kind%' order by entry_id desc limit 3").split()
    assert actions == ["data_kind_purged", "data_kind_revoked", "data_kind_granted"]


def test_settings_are_the_newest_sheet_by_its_completion(join):
    ada = join()
    assert [entry["values"] for entry in ada.call("GET", ada.own("/settings"), status=200)["items"]] == [
        {"prompt_times": ["13:00", "21:00"], "prompts_a_day": 3}, {"theme": "light"}]
    newest = item("answer_sheet", entry(ada, "look", {"theme": "dark"}, minutes=5))
    upload(ada, newest, item("answer_sheet", entry(ada, "look", {"theme": "light"}, minutes=50)))
    fault = ada.problem(
        "PUT", ada.own(f"/answer-sheets/{new_id()}"), 422, "answer-sheet-invalid",
        json=entry(ada, "prompts", {"prompt_times": ["25:00"], "prompts_a_day": 13}))

    settings = {entry["questionnaire"]: entry for entry in ada.call("GET", ada.own("/settings"), status=200)["items"]}

    assert settings["look"]["values"] == {"theme": "dark"} and settings["look"]["sheet_id"] == newest["id"]
    assert settings["prompts"]["values"] == settings["prompts"]["defaults"]
    assert {error["pointer"] for error in fault["errors"]} == {"/answers/prompt_times/0", "/answers/prompts_a_day"}
    assert "look" not in ada.overview()


def test_the_first_use_of_a_feature_is_known(join):
    ada = join()
    opened = after(seconds=-300)
    event = {"event": "feature_opened", "feature": "mood", "at": instant(opened), "time_zone": ada.zone, "seconds": 4}
    results = upload(ada, item("usage_event", event), item("usage_event", event | {"feature": "flying"}))

    features = ada.call("GET", ada.own("/overview"), status=200)["features"]

    assert words(results) == ["accepted", "rejected"]
    assert [(feature["feature"], feature["page"]) for feature in features] == [("mood", "entry"), ("promises", "goal"), ("page", "entry")]
    assert features[0]["first_opened_at"] is not None and features[1]["first_opened_at"] is None
    assert features[0]["title"] == "Mood" and features[0]["settings"] == "prompts" and features[0]["icon"] is None
