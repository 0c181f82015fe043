"""A participant downloads everything that is stored about them."""

import html.parser
import io
import json
import re
import zipfile

import pytest

from acceptance import answers, observations, walks
from acceptance.moments import instant, new_id
from acceptance.people import Person, Researcher

# Every table with participants' rows, and the file that contains it. The coverage of the columns is a test of SaunterStore.
FILES = {
    "alert": "enrolment.json", "amendment": "edits.json", "answer_sheet": "answer_sheets.json", "answer_text": "answer_sheets.json", "arm_change": "enrolment.json",
    "award": "enrolment.json", "calibration": "calibrations.json", "content_selection": "content.json", "decision": "decisions.json", "device": "devices.json", "enrolment": "enrolment.json", "enrolment_code_use": "enrolment.json",
    "enrolment_consent": "enrolment.json", "enrolment_data_kind": "enrolment.json", "enrolment_event": "enrolment.json",
    "enrolment_pause": "enrolment.json", "enrolment_unblinding": "enrolment.json", "enrolment_version": "enrolment.json", "enrolment_zone": "enrolment.json",
    "entitlement_period": "enrolment.json",
    "inbox_message": "inbox.json", "observation": "observations.json", "occasion": "occasions.json", "quarantine": "conflicts.json", "reminder": "messages.json",
    "reminder_attempt": "messages.json", "reminder_channel": "enrolment.json", "reminder_snooze": "snoozes.json", "rescored_sheet": "answer_sheets.json",
    "usage_event": "usage_events.json", "walk": "walks.json",
}
# Positions in the change feed, a copy of what the other tables contain.
LEFT_OUT = {"change"}


class Page(html.parser.HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.language = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "html":
            self.language = dict(attributes)["lang"]
        for name, _ in attributes:
            assert not name.startswith("on"), name

    def handle_data(self, data):
        self.text.append(data)

    def contains(self, text):
        return text in " ".join(" ".join(self.text).split())


def download(person):
    response = person.call("GET", person.own("/export"))
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/zip"
    assert re.fullmatch(r'attachment; filename="my-data_[a-z-]+_\d{4}-\d\d-\d\d\.zip"', response.headers["content-disposition"])
    assert response.headers["cache-control"] == "no-store"
    archive = zipfile.ZipFile(io.BytesIO(response.content))
    assert archive.testzip() is None
    return {name: archive.read(name) for name in archive.namelist()}


def read(files, name):
    return json.loads(files[name])


@pytest.fixture(scope="module")
def full(server, contract):
    """Greta, a German participant with records of every kind."""
    greta = Person(server, contract, name="Greta Canary <b>", language="de").register().enrol()
    greta.sheet_id = greta.submit("who_5", answers.WHO_5)["sheet_id"]
    path = greta.own(f"/answer-sheets/{greta.sheet_id}")
    etag = greta.call("GET", path).headers["etag"]
    changed = greta.call("PATCH", path, json={"answers": {"q1": 0}, "reason": "mistyped"}, headers={"If-Match": etag})
    greta.is_corrected = changed.status_code == 200
    greta.conflict = greta.call("PUT", path, json=greta.sheet("who_5", answers.WHO_5 | {"q2": 0}), status=409)
    greta.submit("daily_evening", answers.DAILY)
    calibration = greta.calibrate()["calibration_id"]
    greta.walk_id = new_id()
    greta.call("PUT", greta.own(f"/walks/{greta.walk_id}"), json=walks.body(greta.zone, calibration_id=calibration), status=201)
    greta.observation_id = new_id()
    greta.call("PUT", greta.own(f"/observations/{greta.observation_id}"), json=observations.pulse(greta.zone), status=201)
    greta.event_id = new_id()
    greta.call("POST", greta.own("/sync"), status=200, json={"client_now": instant(), "device_id": new_id(), "items": [
        {"kind": "usage_event", "id": greta.event_id, "sequence": 1,
         "body": {"event": "screen_seen", "at": instant(), "time_zone": greta.zone, "properties": {"screen": "home"}}}]})
    return greta


@pytest.fixture(scope="module")
def files(full):
    """The files of Greta's archive, which she downloads once."""
    return download(full)


def test_the_archive_contains_every_record(server, full, files):
    account = read(files, "account.json")
    assert (account["email"], account["display_name"]) == (full.email, full.name)
    assert len(account["logins"]) >= 1
    enrolment = read(files, "enrolment.json")
    assert enrolment["participant_id"] == full.enrolment["participant_id"]
    consent = enrolment["enrolment_consent"][0]
    assert consent["consent_version"] == "1.0.0" and len(consent["text"]) > 100
    sheets = read(files, "answer_sheets.json")
    mine = [sheet for sheet in sheets if sheet["sheet_id"] == full.sheet_id]
    assert [sheet["revision"] for sheet in mine] == ([1, 2] if full.is_corrected else [1])
    assert mine[0]["answers"] == answers.WHO_5
    assert mine[0]["scores"] and mine[0]["questionnaire"] == "who_5" and mine[0]["source"] == "participant"
    detail = full.call("GET", full.own(f"/answer-sheets/{full.sheet_id}"), status=200)
    assert mine[-1]["answers"] == detail["answers"] and mine[-1]["reasons"] == detail["reasons"]
    structure = read(files, "questionnaires/who_5_1.0.0_de.json")
    for line in mine[0]["readable"]:
        assert any(item["text"] == line["question"] for item in all_items(structure["item"]) if "text" in item), line
    walk = read(files, "walks.json")
    assert [entry["walk_id"] for entry in walk] == [full.walk_id]
    assert walk[0]["t_ms"] == walks.series()["t_ms"] and walk[0]["speed_kmh"] == walks.series()["speed_kmh"]
    assert walk[0]["distance_m"] == walks.SUMMARY["distance_m"]
    assert [entry["observation_id"] for entry in read(files, "observations.json")] == [full.observation_id]
    event = next(entry for entry in read(files, "usage_events.json") if entry["event_id"] == full.event_id)
    assert event["properties"] == {"screen": "home"} and {"feature", "collection", "item", "seconds"} <= set(event)
    assert len(read(files, "conflicts.json")) == 1
    assert len(read(files, "occasions.json")) == int(server.sql(
        f"select count(*) from research.occasion where enrolment_id = '{full.enrolment['enrolment_id']}'"))
    about = read(files, "about.json")
    assert about["records"]["walks.json"] == 1 and about["records"]["answer_sheets.json"] == len(sheets)


def all_items(items):
    for item in items:
        yield item
        yield from all_items(item.get("item", []))


def test_every_table_of_participants_has_a_file(server, full, files):
    tables = server.sql("""
        select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'enrolment_id'
        where n.nspname = 'research' and c.relkind in ('r', 'p')""").split()
    assert set(tables) == set(FILES) | LEFT_OUT
    assert set(FILES.values()) <= set(files)
    count = {name: len(read(files, name)) for name in files if name.endswith(".json") and "/" not in name and isinstance(read(files, name), list)}
    for table, file in FILES.items():
        rows = int(server.sql(f"select count(*) from research.{table} where enrolment_id = '{full.enrolment['enrolment_id']}'"))
        if file in count and table not in ("answer_text", "reminder_attempt", "rescored_sheet"):
            assert count[file] == rows, table


def test_no_secret_and_no_other_person_is_in_the_archive(server, full, files, participant):
    other = participant("Ben Canary")
    other.submit("who_5", answers.WHO_5)
    text = b"\n".join(files.values()).decode()
    secrets = server.sql(f"select password_hash from identity.account where account_id = '{full.tokens['account_id']}'").strip()
    for hidden in (full.password, secrets, full.tokens["access_token"], full.tokens["refresh_token"], other.email,
                   other.enrolment["participant_id"], other.enrolment["enrolment_id"]):
        assert hidden not in text
    # The study conceals the arm, so the archive does not show it.
    arm = server.sql(f"select arm from research.enrolment where enrolment_id = '{full.enrolment['enrolment_id']}'").strip()
    enrolment = read(files, "enrolment.json")
    assert full.enrolment["arm"] is None and enrolment["arm"] is None and f'"{arm}"' not in json.dumps(enrolment)


def test_the_page_is_readable_in_the_language_of_the_participant_and_has_no_script(files):
    text = files["index.html"].decode()
    page = Page(text)
    assert page.language == "de" and "script" not in page.tags and "Greta Canary <b>" in "".join(page.text)
    assert page.contains("Ihre Antworten") and page.contains("Ihre Spaziergänge")
    structure = read(files, "questionnaires/who_5_1.0.0_de.json")
    question = next(item for item in all_items(structure["item"]) if item["linkId"] == "q1")
    chosen = next(option for option in question["answerOption"] if option["value"] == answers.WHO_5["q1"])
    assert page.contains(question["text"]) and page.contains(chosen["label"])
    # The walk: 8 minutes, 540 m, 4.05 km/h.
    assert re.search(r"<td>8</td><td>0\.54\d?</td><td>4\.05\d?</td>", text), text[-2000:]


def test_the_page_of_a_new_participant_says_what_there_is_none_of(participant):
    ada = participant("Nia Canary")
    text = download(ada)["index.html"].decode()
    for section in ("Your answers", "Your walks"):
        assert text.split(f"<h2>{section}</h2>")[1].split("<h2>")[0].split("</body>")[0].strip() == '<p class="none">There are none.</p>'
    # Times are those of the participant.
    times = re.findall(r"<td>(\d{4}-\d\d-\d\d [0-9:]+ \([^)]+\))</td>", text)
    assert times and all(time.endswith(f"({ada.zone})") for time in times), times
    assert not re.search(r"\dT\d\d:", text)


def test_a_participant_can_download_five_archives_per_hour(participant):
    eve = participant("Eve Canary")
    statuses = [eve.call("GET", eve.own("/export")).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]


def test_the_download_is_in_the_audit_without_the_account(server, participant):
    ada = participant()
    download(ada)
    entries = [json.loads(line) for line in server.run("audit", "--action", "own_data_exported", "--json").splitlines()]
    assert any(entry["actor_kind"] == "participant" and entry["enrolment_ref"] and entry["actor_ref"] is None for entry in entries)


def test_a_large_archive_needs_little_memory(own):
    """40 walks with 20,000 samples in each of five series."""
    ada = Person(own).register().enrol()
    calibration = ada.calibrate()["calibration_id"]
    ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=walks.body(ada.zone, calibration_id=calibration), status=201)
    enrolment = ada.enrolment["enrolment_id"]
    own.sql(f"""
        insert into research.walk select enrolment_id, gen_random_uuid(), started_at - n * interval '1 day', ended_at - n * interval '1 day',
          received_at, zone, started_offset_min, ended_offset_min, device, null, flags, sport, pauses_ms, totals,
          (select array_agg(i * 100) from generate_series(1, 20000) i), (select array_agg(random() * 9) from generate_series(1, 20000) i),
          (select array_agg(random() * 150) from generate_series(1, 20000) i), (select array_agg(random() * 5000) from generate_series(1, 20000) i),
          (select array_agg(random() * 500) from generate_series(1, 20000) i), elapsed_s, active_s, distance_m, mean_speed_kmh, mean_pace_s_per_km,
          mean_heart_rate_bpm, max_heart_rate_bpm, active_energy_kcal, target_speed_kmh, above_target_s, above_target_count, coverage,
          sha256(n::text::bytea), null, skew_ms
        from research.walk, generate_series(1, 40) n where enrolment_id = '{enrolment}'""")
    download(Person(own).register().enrol())
    before = memory(own)
    size = len(download(ada)["walks.json"])
    assert size > 40_000_000
    assert memory(own) - before < size / 2, (size, before, memory(own))


def memory(server):
    """The peak memory of the server's process in bytes."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def test_an_aborted_download_frees_its_slot(own):
    ada = Person(own).register().enrol()
    response = ada.call("GET", ada.own("/export"), stream=True)
    response.close()
    assert download(ada)["index.html"]


def test_a_person_may_have_both_roles_and_gets_only_the_own_data(server, contract):
    rosa = Researcher(server, contract).enrol()
    assert read(download(rosa), "account.json")["roles"] == [{"role": "researcher", "study": "mindful-walking"}]
