"""The messages of a study for its team: what became of them, whom they do not reach, and messages of the team to many participants."""

import collections
import csv
import html
import io
import re
import shutil
import zoneinfo

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import datasets
from acceptance.browser import words
from acceptance.moments import after, instant, new_id, read
from acceptance.people import Person, Researcher
from acceptance.server import ROOT, wait_until
from test_staff_pages import Member, sign_in

# A study that no other test file uses, with two arms and two languages.
STUDY = "message-walks"
BASE = f"/v1/studies/{STUDY}"
MESSAGES, DAYS, UNREACHABLE, BROADCASTS = f"{BASE}/messages", f"{BASE}/messages/days", f"{BASE}/unreachable", f"{BASE}/broadcasts"
PAGE, BROADCASTS_PAGE = f"/staff/{STUDY}/messages", f"/staff/{STUDY}/broadcasts"
STATES = {"sent": "sent", "failed": "failed", "unknown": "uncertain", "suppressed": "suppressed", "retrying": "waiting", "claimed": "waiting"}


def publish(server, folder, study, source, packs):
    """Publishes a copy of a study under another code."""
    shutil.copytree(packs / "instruments", folder / "instruments")
    pack = folder / "studies" / study
    shutil.copytree(packs / "studies" / source, pack)
    settings = (pack / "study.yaml").read_text()
    assert f"code: {source}" in settings
    (pack / "study.yaml").write_text(settings.replace(f"code: {source}", f"code: {study}", 1))
    server.run("publish", pack)


@pytest.fixture(scope="module")
def study(server, web, tmp_path_factory):
    """The server, with the study."""
    publish(server, tmp_path_factory.mktemp("messages"), STUDY, "mindful-walking", ROOT / "Questionnaires")
    return server


def enrol(server, contract, name, mailbox=None, **more):
    """A participant. Without a mailbox the address is not verified, so that the server sends no reminders."""
    person = Person(server, contract, name=name, **more).register().enrol(study=STUDY)
    if mailbox:
        mailbox.verify(person)
    return person


def insert(server, person, state, kind="notice", subject=None, days=1, ordinal=1, why=None, opened=False, attempts=()):
    """Stores a message as a worker leaves it. It was planned some days ago."""
    enrolment = person.enrolment["enrolment_id"]
    subject = subject or f"welcome/{new_id()}"
    planned = instant(after(days=-days, minutes=-ordinal))
    sent = f"'{planned}'" if state == "sent" else "null"
    reported = f"'{instant(after(days=-days))}'" if opened else "null"
    server.sql(f"""
        insert into research.reminder (enrolment_id, kind, subject, ordinal, planned_at, claimed_at, occasion_count, state, why, sent_at, delivered_at, opened_at)
        values ('{enrolment}', '{kind}', '{subject}', {ordinal}, '{planned}', '{planned}', 0, '{state}', {f"'{why}'" if why else "null"}, {sent}, {reported}, {reported})""")
    for number, (channel, outcome, code) in enumerate(attempts, 1):
        server.sql(f"""
            insert into research.reminder_attempt values
            ('{enrolment}', '{kind}', '{subject}', {ordinal}, {number}, '{channel}', '{planned}', '{outcome}', {code or "null"})""")


@pytest.fixture(scope="module")
def ada(study, contract):
    """A participant with messages in every state."""
    made = enrol(study, contract, "Ada Canary")
    made.occasion = made.call("GET", made.own("/occasions?limit=1"), status=200)["items"][0]
    for days in (1, 2, 2, 5):
        insert(study, made, "sent", days=days, opened=days == 5, attempts=[("mail", "sent", 250)])
    insert(study, made, "failed", kind="at_open", subject=made.occasion["occasion_id"], days=2, why="refused",
           attempts=[("push", "gone", 410), ("mail", "refused", 550)])
    insert(study, made, "unknown", kind="rule", subject="calm_hint/2026-01-01/", days=3, why="connection_lost", attempts=[("mail", "connection_lost", None)])
    insert(study, made, "suppressed", kind="due_today", subject="2026-01-02", days=3, why="daily_cap")
    insert(study, made, "sent", days=20)
    return made


@pytest.fixture(scope="module")
def ben(study, contract):
    """A participant whom mails do not reach."""
    made = enrol(study, contract, "Ben Canary")
    insert(study, made, "failed", days=1, why="refused", attempts=[("mail", "refused", 550)])
    study.sql(f"""
        insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
        values ('{made.enrolment["enrolment_id"]}', 'mail', 3, '{instant(after(days=-1))}', '{instant(after(days=-1))}')""")
    return made


@pytest.fixture(scope="module")
def rosa(study):
    return Member(study, [("researcher", STUDY)])


# A new account for each test: the password is then not older than ten minutes.

@pytest.fixture
def cora(study):
    return Member(study, [("coordinator", STUDY)])


def name(person):
    return person.enrolment["participant_id"]


def listed(member, path=MESSAGES, **parameters):
    items, cursor = [], None
    while True:
        page = member.get(path, params={"limit": 2, **parameters} | ({"cursor": cursor} if cursor else {})).json()
        items += page["items"]
        cursor = page["next"]
        if not cursor:
            return items


def file(member, address, beginning):
    reply = member.get(address)
    assert re.search(rf'filename="{STUDY}-{beginning}-[0-9T.Z-]+\.csv"', reply.headers["Content-Disposition"]), reply.text
    return list(csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))))


def cells(page, selector):
    return [[text.strip() for text in row.locator("th, td").all_inner_texts()] for row in page.locator(f"{selector} tbody tr").all()]


# The routes

def test_the_counts_by_day_are_those_of_the_rows_and_of_the_dataset(study, ada, ben, rosa, contract):
    items, days = listed(rosa), rosa.get(DAYS).json()["items"]
    zones = {person["participant_id"]: zoneinfo.ZoneInfo(person["time_zone"]) for person in listed(rosa, f"{BASE}/participants", limit=1000)}
    mine = [item for item in items if item["participant_id"] in (name(ada), name(ben))]
    assert collections.Counter(item["state"] for item in mine) == {"sent": 4, "failed": 2, "unknown": 1, "suppressed": 1}
    assert [item["planned_at"] for item in items] == sorted((item["planned_at"] for item in items), reverse=True)

    expected = collections.defaultdict(collections.Counter)
    for item in items:
        counts = expected[str(read(item["planned_at"]).astimezone(zones[item["participant_id"]]).date())]
        counts["planned"] += 1
        counts[STATES[item["state"]]] += 1
        counts["delivered"] += item["delivered_at"] is not None
        counts["opened"] += item["opened_at"] is not None
    numbers = ("planned", "sent", "failed", "uncertain", "suppressed", "waiting", "delivered", "opened")
    assert days == [{"date": date} | {number: counts[number] for number in numbers} for date, counts in sorted(expected.items())]
    for day in days:
        assert day["planned"] == sum(day[key] for key in ("sent", "failed", "uncertain", "suppressed", "waiting"))
    # The dataset has the same reminders, one row for each attempt.
    lines = csv.DictReader(io.StringIO(datasets.files(Researcher(study, contract, STUDY), STUDY, "coded")["data/reminders.csv"].decode()))
    states = {(line["participant_id"], line["kind"], line["subject"], line["ordinal"]): line["state"] for line in lines if line["participant_id"] in (name(ada), name(ben))}
    assert collections.Counter(states.values()) == collections.Counter(item["state"] for item in mine) + collections.Counter(["sent"]), "one is older"


def test_a_row_names_its_occasion_or_rule_and_the_channels_that_failed(ada, rosa):
    items = listed(rosa, participant=name(ada))
    [failed] = [item for item in items if item["state"] == "failed"]
    assert (failed["kind"], failed["occasion_id"], failed["questionnaire"]) == ("at_open", ada.occasion["occasion_id"], ada.occasion["questionnaire"])
    assert failed["rule"] is None and failed["reason"] == "refused" and failed["sent_at"] is None
    assert [(one["channel"], one["outcome"], one["reply_code"]) for one in failed["attempts"]] == [("push", "gone", 410), ("mail", "refused", 550)]
    assert {item["rule"] for item in items} == {None, "welcome", "calm_hint"}
    assert {item["study_day"] for item in items} <= set(range(-7, 1))
    [opened] = [item for item in items if item["opened_at"]]
    assert opened["delivered_at"] == opened["opened_at"] and opened["state"] == "sent"


def test_filters_select_and_queries_with_faults_are_refused(ada, ben, rosa):
    mine = {"participant": name(ada)}
    assert len(listed(rosa, **mine)) == 7 and len(listed(rosa, participant=name(ben))) == 1 and listed(rosa, participant="UNKNOWN") == []
    for parameters, count in (
            ({"state": "sent"}, 4), ({"state": "claimed"}, 0), ({"kind": "notice"}, 4), ({"kind": "at_open"}, 1), ({"rule": "calm_hint"}, 1),
            ({"rule": "welcome", "state": "sent"}, 4), ({"rule": ada.occasion["occasion_id"]}, 0), ({"to": "2020-01-01"}, 0)):
        assert len(listed(rosa, **mine, **parameters)) == count, parameters
    earlier = str(after(days=-27).date())
    assert len(listed(rosa, **mine, **{"from": earlier, "to": str(after(days=-15).date())})) == 1
    for path in (MESSAGES, DAYS):
        for parameters in ({"from": "2026-02-02", "to": "2026-02-01"}, {"from": "2026-01-01", "to": "2026-01-29"}, {"from": "today"}):
            assert rosa.get(path, params=parameters).status_code == 400, (path, parameters)
        assert rosa.get(path, params={"from": "2026-01-01", "to": "2026-01-28"}).status_code == 200
    for parameters in ({"state": "lost"}, {"kind": "letter"}, {"cursor": "x"}):
        assert rosa.get(MESSAGES, params=parameters).status_code == 400, parameters


def test_unreachable_participants_are_listed_until_they_stop(study, contract, ben, rosa):
    gone = enrol(study, contract, "Gil Canary")
    for channel in ("mail", "push"):
        study.sql(f"""
            insert into research.reminder_channel (enrolment_id, channel, failures, last_failed_at, unreachable_since)
            values ('{gone.enrolment["enrolment_id"]}', '{channel}', 4, now(), now())""")
    found = [(item["participant_id"], item["channel"], item["failures"]) for item in listed(rosa, UNREACHABLE)]
    assert found == sorted([(name(ben), "mail", 3), (name(gone), "mail", 4), (name(gone), "push", 4)])
    gone.call("POST", gone.own("/withdrawal"), json={"mode": "stop"}, status=200)
    assert [item["participant_id"] for item in listed(rosa, UNREACHABLE)] == [name(ben)]


# The page of messages

def test_the_page_and_its_files_show_what_the_routes_return(ada, ben, rosa, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs").get_by_role("link", name=words("staff", "messages"), exact=True).click()
    items = rosa.get(MESSAGES, params={"limit": 50}).json()["items"]
    lines, shown = file(rosa, f"{PAGE}?format=csv", "messages"), page.locator("#live-table tbody tr").all()

    assert items and len(items) == len(lines) == len(shown)
    for item, line, element in zip(items, lines, shown):
        assert line[words("staff", "pseudonym")] == element.locator("th").inner_text().strip() == item["participant_id"]
        assert element.locator("th a").get_attribute("href") == f"/staff/{STUDY}/participants/{item['participant_id']}"
        assert line[words("staff", "condition")] == words("timeline", f"state_{item['state']}")
        assert int(line[words("staff", "study_day")]) == item["study_day"]
        for word, member in (("planned_at", "planned_at"), ("sent", "sent_at"), ("delivered", "delivered_at"), ("opened", "opened_at")):
            assert line[words("staff_messages", word)] == (item[member] or ""), word
        assert line[words("staff_messages", "questionnaire")] == (item["questionnaire"] or "")
        for title in (words("staff", "condition"), *(words("staff_messages", word) for word in ("kind", "rule", "reason"))):
            assert element.locator(f"[data-title='{title}']").inner_text().strip() == line[title], title
    [failed] = [line for line in lines if "410" in line[words("staff_messages", "reason")]]
    assert failed[words("staff_messages", "reason")] == (
        f"{words('timeline', 'channel_push')}: {words('staff_messages', 'reason_gone')} (410) · "
        f"{words('timeline', 'channel_mail')}: {words('staff_messages', 'reason_refused')} (550)")
    # The days.
    days = rosa.get(DAYS).json()["items"]
    numbers = ("planned", "sent", "failed", "uncertain", "suppressed", "waiting", "delivered", "opened")
    expected = [[day["date"], *(str(day[number]) for number in numbers)] for day in days]
    assert [list(line.values()) for line in file(rosa, f"{PAGE}?table=days&format=csv", "message-days")] == expected
    page.locator("section[aria-labelledby=by-day] details summary").click()
    assert cells(page, "section[aria-labelledby=by-day] details") == expected
    figure = page.locator("main figure svg")
    assert words("staff_messages", "finding", **{key: sum(day[key] for day in days) for key in ("sent", "planned", "failed", "opened")}) == figure.locator("desc").text_content()
    # The participants whom messages do not reach.
    unreachable = rosa.get(UNREACHABLE).json()["items"]
    table = file(rosa, f"{PAGE}?table=unreachable&format=csv", "unreachable")
    assert name(ben) in [line[words("staff", "pseudonym")] for line in table] and len(table) == len(unreachable)
    assert [line[words("staff_messages", "failures")] for line in table] == [str(item["failures"]) for item in unreachable]
    assert [row[0] for row in cells(page, "[aria-labelledby=unreachable-caption]")] == [item["participant_id"] for item in unreachable]


def test_every_number_leads_to_its_rows(ada, ben, rosa, visitor, web):
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(PAGE)
    links = page.locator("a[data-count]").evaluate_all("links => links.map(link => [link.getAttribute('href'), Number(link.firstChild.textContent)])")
    assert len(links) == 5
    for address, count in links:
        page.goto(address)
        assert page.locator("#live-table tbody tr").count() == count, address
    page.goto(f"{PAGE}?participant=UNKNOWN")
    expect(page.get_by_text(words("staff", "no_rows"))).to_be_visible()
    page.goto(f"{PAGE}?from=2020-01-01&to=2020-01-02")
    expect(page.locator("section[aria-labelledby=by-day]").get_by_text(words("staff_messages", "none"))).to_be_visible()
    # A wrong range is named at its field.
    for query, field, fault in (("from=2026-02-02&to=2026-02-01", "to", "before_from"), ("from=2026-01-01&to=2026-01-29", "from", "too_long"), ("from=today", "from", "date")):
        reply = page.goto(f"{PAGE}?{query}&state=sent")
        assert reply.status == 422, query
        expect(page.locator(f"#filter-{field}")).to_have_accessible_description(words("staff", f"fault_{fault}"))
        expect(page.locator("#errors").get_by_role("link", name=words("staff", f"fault_{fault}"))).to_have_attribute("href", f"#filter-{field}")
        expect(page.locator("#filter-state")).to_have_value("sent")
    for region in ("#live-messages", "#live-table"):
        expect(page.locator(region)).to_have_attribute("data-live", re.compile("answer_sheet"))
    expect(page.locator("#live")).to_have_attribute("data-stream", f"/v1/studies/{STUDY}/live")
    assert rosa.get(f"{PAGE}?from=today&state=lost").status_code == rosa.get(f"{PAGE}?from=today&format=csv").status_code == 400
    page.goto(PAGE)
    page.get_by_label(words("staff", "condition"), exact=True).select_option("failed")
    page.get_by_role("button", name=words("staff", "apply")).click()
    page.wait_for_load_state()
    assert set(page.locator(f"#live-table [data-title='{words('staff', 'condition')}']").all_inner_texts()) == {words("timeline", "state_failed")}


# Messages to many participants

def form(**more):
    """The fields of the form, with the words in English."""
    return {"step": "check", "arm": "", "state": "", "delay": "now", "subject_en": "New times", "body_en": "Dear {{name}}, Canary text at nine.",
            "subject_de": "", "body_de": "", **more}


def question(member, **more):
    """The hidden fields of the question that the form leads to."""
    reply = member.post(BROADCASTS_PAGE, **form(**more))
    assert reply.status_code == 200, reply.text
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', reply.text)
    return {field: html.unescape(value) for field, value in found}, reply.text


def received(person):
    """The messages of the study team in the inbox."""
    return [one for one in person.call("GET", person.own("/inbox?limit=1000"), status=200)["items"] if one["rule"] == "broadcast"]


def sent(member, broadcast):
    return next(item for item in listed(member, BROADCASTS) if item["broadcast_id"] == broadcast)


def test_a_message_from_the_form_reaches_the_inbox_once(study, contract, mailbox, cora, rosa, visitor, web):
    person = enrol(study, contract, "Eve Canary", mailbox)
    german = enrol(study, contract, "Uta Canary", mailbox, language="de")
    recipients = cora.get(f"{BASE}/overview").json()["steps"]["active"]
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(f"/staff/{STUDY}")
    page.locator(".tabs summary").click()
    page.locator(".tabs").get_by_role("link", name=words("staff", "broadcasts"), exact=True).click()
    page.locator("#subject_en").fill("New times")
    page.locator("#body_en").fill("Dear {{name}},\nCanary text at nine.")
    page.get_by_role("button", name=words("broadcasts", "check")).click()
    expect(page.get_by_text(words("broadcasts", "ask_other", count=recipients))).to_be_visible()
    expect(page.get_by_text("Canary text at nine.")).to_be_visible()
    expect(page.get_by_text(words("broadcasts", "missing", languages="German"))).to_be_visible()
    # Back to the form, which keeps the words, and forth again.
    page.get_by_role("button", name=words("broadcasts", "change")).click()
    expect(page.locator("#body_en")).to_have_value("Dear {{name}},\nCanary text at nine.")
    page.locator("#subject_de").fill("Neue Zeiten")
    page.locator("#body_de").fill("Ab neun.")
    page.get_by_role("button", name=words("broadcasts", "check")).click()
    assert received(person) == [], "nothing is sent before the answer"
    page.get_by_role("button", name=words("broadcasts", "send_other", count=recipients)).click()
    expect(page).to_have_url(f"{web}{BROADCASTS_PAGE}?sent=1")
    expect(page.locator(".banner.ok")).to_have_text(words("broadcasts", "stored"))

    study.run("remind", "--once")
    [message] = wait_until(lambda: received(person), 60, "the message is in the inbox")
    assert message["body"] == "Dear Eve Canary,\nCanary text at nine."
    [other] = wait_until(lambda: received(german), 60, "the message is in the inbox")
    assert (other["subject"], other["body"]) == ("Neue Zeiten", "Ab neun.")
    wait_until(lambda: "New times" in [mail["subject"] for mail in mailbox.to(person.email)], 60, "the mail has arrived")
    broadcast = wait_until(lambda: next((item for item in listed(cora, BROADCASTS) if item["state"] == "sent"), None), 60, "all have it")
    assert (broadcast["subject"], broadcast["audience"], broadcast["addressed"]) == ("Neue Zeiten", "all", recipients), "the first language of the study"
    wait_until(lambda: listed(rosa, participant=name(person), rule="broadcast")[0]["state"] == "sent", 60, "a channel has sent it")
    person.call("PUT", person.own(f"/messages/{message['message_id']}/receipt"), json={"opened_at": instant()}, status=200)
    assert sent(cora, broadcast["broadcast_id"])["opened"] == 1
    [row] = listed(rosa, participant=name(person), rule="broadcast")
    assert row["opened_at"] and [one["outcome"] for one in row["attempts"]] == ["sent"]
    # The list, its file and the route show the same.
    page.goto(BROADCASTS_PAGE)
    items, lines = cora.get(BROADCASTS, params={"limit": 50}).json()["items"], file(cora, f"{BROADCASTS_PAGE}?format=csv", "broadcasts")
    titles = [words("broadcasts", word) for word in ("subject", "state", "audience", "addressed", "sent", "failed", "opened")]
    assert [row[:7] for row in cells(page, "[aria-labelledby=broadcasts]")] == [[line[title] for title in titles] for line in lines]
    assert [line[titles[0]] for line in lines] == [item["subject"] for item in items]
    assert [[line[title] for title in titles[3:]] for line in lines] == [
        [str(item[key]) for key in ("addressed", "sent", "failed", "opened")] for item in items]


def test_a_form_that_is_sent_twice_sends_once(study, contract, mailbox, cora):
    person = enrol(study, contract, "Eve Canary", mailbox)
    before = len(listed(cora, BROADCASTS))
    fields, _ = question(cora, subject_en="Twice")
    replies = [cora.post(BROADCASTS_PAGE, **fields, step="send") for _ in range(2)]

    assert [(reply.status_code, reply.headers["Location"]) for reply in replies] == [(303, f"{BROADCASTS_PAGE}?sent=1")] * 2
    assert len(listed(cora, BROADCASTS)) == before + 1
    for _ in range(2):
        study.run("remind", "--once")
    wait_until(lambda: sent(cora, fields["broadcast_id"])["state"] == "sent", 60, "all have it")
    assert [message["subject"] for message in received(person)].count("Twice") == 1
    # The same form with other words is not sent.
    reply = cora.post(BROADCASTS_PAGE, **fields | {"body_en": "Other words"}, step="send")
    assert reply.status_code == 422 and words("broadcasts", "fault_sent") in reply.text and "Other words" in reply.text


def test_an_audience_of_an_arm_or_a_state_is_counted_and_addressed(study, contract, mailbox, cora):
    person = enrol(study, contract, "Eve Canary", mailbox)
    study.sql(f"""
        insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
        values ('{person.enrolment["enrolment_id"]}', '{new_id()}', now(), now(), '{{[1,3),[5,6)}}')""")
    stopped = enrol(study, contract, "Sam Canary")
    study.sql(f"""
        insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
        values ('{stopped.enrolment["enrolment_id"]}', '{new_id()}', now(), now(), '{{[1,3),[5,6)}}')""")
    stopped.call("POST", stopped.own("/withdrawal"), json={"mode": "stop"}, status=200)
    arms = collections.Counter(
        item["arm"] for item in listed(cora, f"{BASE}/participants", limit=1000) if item["status"] == "active")
    assert cora.get(BROADCASTS).json()["arms"] == ["experimental", "control"]
    for arm, count in arms.items():
        fields, text = question(cora, arm=arm)
        assert int(fields["recipients"]) == count and words("broadcasts", "to", arm=arm, state=words("broadcasts", "everyone")) in html.unescape(text)
    assert int(question(cora)[0]["recipients"]) == sum(arms.values())

    fields, text = question(cora, state="unsent", subject_en="Please send")
    assert fields["participants"] == name(person) and words("broadcasts", "ask_one") in text
    assert cora.post(BROADCASTS_PAGE, **fields, step="send").status_code == 303
    study.run("remind", "--once")
    wait_until(lambda: sent(cora, fields["broadcast_id"])["state"] == "sent", 60, "all have it")
    assert [message["subject"] for message in received(person)] == ["Please send"]
    broadcast = sent(cora, fields["broadcast_id"])
    assert (broadcast["audience"], broadcast["participants"], broadcast["addressed"]) == ("participants", 1, 1)
    # A participant who stops between the question and the answer changes the audience.
    fields, _ = question(cora, state="unsent")
    person.call("POST", person.own("/withdrawal"), json={"mode": "stop"}, status=200)
    reply = cora.post(BROADCASTS_PAGE, **fields, step="send")
    assert reply.status_code == 422 and words("broadcasts", "fault_audience") in reply.text and "Canary text" in reply.text
    assert words("broadcasts", "fault_nobody") in cora.post(BROADCASTS_PAGE, **form(state="unsent")).text


def test_faults_keep_what_was_typed(ada, cora, visitor):
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(BROADCASTS_PAGE)
    page.get_by_role("button", name=words("broadcasts", "check")).click()
    expect(page.locator("#errors li")).to_have_text([words("broadcasts", "fault_empty")])
    page.locator("#subject_de").fill("Neue <Zeiten>")
    page.locator("#body_en").fill("From nine \"sharp\".")
    page.locator("#delay").select_option("hour")
    page.get_by_role("button", name=words("broadcasts", "check")).click()

    expect(page.locator("#errors li")).to_have_text([
        words("broadcasts", "fault_body", language="German"), words("broadcasts", "fault_subject", language="English")])
    expect(page.locator("#body_de-fault")).to_be_visible()
    expect(page.locator("#subject_en")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#subject_de")).to_have_value("Neue <Zeiten>")
    expect(page.locator("#body_en")).to_have_value("From nine \"sharp\".")
    expect(page.locator("#delay")).to_have_value("hour")
    long = cora.post(BROADCASTS_PAGE, **form(subject_en="x" * 201, body_en="y" * 10_001))
    assert long.status_code == 422 and "x" * 201 in long.text and "y" * 10_001 in long.text
    for fault, most in (("fault_subject_length", 200), ("fault_body_length", 10_000)):
        assert words("broadcasts", fault, language="English", most=most) in long.text
    assert words("broadcasts", "fault_choice") in cora.post(BROADCASTS_PAGE, **form(delay="soon")).text


def test_sending_needs_a_password_of_the_last_ten_minutes_and_nothing_is_lost(ada, cora):
    fields, _ = question(cora, body_en="Kept words")
    cora.age(11)
    assert words("broadcasts", "password") in cora.get(BROADCASTS_PAGE).text and 'name="subject_en"' not in cora.get(BROADCASTS_PAGE).text
    reply = cora.post(BROADCASTS_PAGE, **fields, step="send")
    assert reply.status_code == 422 and words("roles", "password_old") in reply.text
    assert "Kept words" in reply.text and fields["broadcast_id"] in reply.text
    assert cora.get(f"{BROADCASTS}/{fields['broadcast_id']}").status_code == 404
    # A session without use for 30 minutes closes all routes of the team.
    cora.age(30)
    for more in ({"step": "check"}, {"step": "edit"}):
        reply = cora.post(BROADCASTS_PAGE, **fields | more)
        assert reply.status_code == 422 and "Kept words" in reply.text and words("roles", "password_old") in reply.text
    assert cora.post("/staff/login", next=BROADCASTS_PAGE, password=cora.password).status_code == 303
    assert cora.post(BROADCASTS_PAGE, **fields, step="send").status_code == 303
    assert cora.get(f"{BROADCASTS}/{fields['broadcast_id']}").status_code == 200


def test_a_message_that_waits_can_be_cancelled(study, contract, mailbox, cora, visitor, web):
    person = enrol(study, contract, "Eve Canary", mailbox)
    fields, text = question(cora, delay="day", subject_en="Tomorrow")
    assert fields["not_before"] in text
    assert cora.post(BROADCASTS_PAGE, **fields, step="send").status_code == 303
    page = visitor(java_script_enabled=False)
    sign_in(page, cora)
    page.goto(BROADCASTS_PAGE)
    row = page.locator("[aria-labelledby=broadcasts] tbody tr").filter(has_text="Tomorrow")
    state = row.locator(f"[data-title='{words('broadcasts', 'state')}']")
    expect(state).to_have_text(words("broadcasts", "state_queued"))
    row.locator("summary").click()
    row.get_by_role("button").click()

    expect(page).to_have_url(f"{web}{BROADCASTS_PAGE}")
    expect(state).to_have_text(words("broadcasts", "state_cancelled"))
    expect(row.locator("summary")).to_have_count(0)
    study.run("remind", "--once")
    assert received(person) == [] and sent(cora, fields["broadcast_id"])["addressed"] == 0


def test_only_coordinators_and_admins_send_and_cancel(study, ada, rosa, cora):
    members = {role: Member(study, [(role, STUDY)]) for role in ("editor", "admin")} | {"researcher": rosa, "coordinator": cora}
    before = len(listed(cora, BROADCASTS))
    for role, member in members.items():
        allowed = role in ("coordinator", "admin")
        body = {"audience": {"all": True}}
        preview = member.session.post(f"{study.url}{BROADCASTS}/preview", json=body, timeout=60)
        assert preview.status_code == (200 if allowed else 403), role
        assert member.get(BROADCASTS).status_code == (200 if allowed else 403), role
        assert member.post(BROADCASTS_PAGE, **form()).status_code == (200 if allowed else 403), role
        assert member.post(f"{BROADCASTS_PAGE}/cancel", broadcast_id=new_id()).status_code == (404 if allowed else 403), role
    assert len(listed(cora, BROADCASTS)) == before
    # An admin sees no participants, so the form has no states.
    assert 'id="state"' not in members["admin"].get(BROADCASTS_PAGE).text and 'id="state"' in cora.get(BROADCASTS_PAGE).text


def test_arms_of_a_blinded_study_are_offered_only_to_members_who_see_them(study, contract, tmp_path):
    blinded = "hidden-messages"
    publish(study, tmp_path, blinded, "hidden-arms", ROOT / "Tests" / "Acceptance" / "packs" / "hidden-arms")
    person = Person(study, contract, name="Eve Field").register().enrol(study=blinded)
    cora, sam = Member(study, [("coordinator", blinded)]), Member(study)
    study.run("account", "grant", "--email", sam.email, "--role", "coordinator", "--study", blinded, "--sees-arms")
    page, route = f"/staff/{blinded}/broadcasts", f"/v1/studies/{blinded}/broadcasts"
    arm = sam.get(f"/v1/studies/{blinded}/participants/{name(person)}/arm").json()["arm"]
    fields = {"step": "check", "delay": "now", "subject_en": "New times", "body_en": "At nine.", "state": "", "arm": arm}

    assert 'id="arm"' not in cora.get(page).text and cora.get(route).json()["arms"] == []
    assert cora.post(page, **fields).status_code == 403
    preview = cora.session.post(f"{study.url}{route}/preview", json={"audience": {"arms": [arm]}}, timeout=60)
    assert preview.status_code == 403 and preview.json()["type"].endswith("arms-blinded")
    assert cora.post(page, **fields | {"arm": ""}).status_code == 200
    assert set(sam.get(route).json()["arms"]) == {"zebracanary", "heroncanary"}
    assert arm in sam.get(page).text
    asked = sam.post(page, **fields)
    assert asked.status_code == 200
    hidden = {field: html.unescape(value) for field, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', asked.text)}
    assert sam.post(page, **hidden, step="send").status_code == 303
    [listed_one] = cora.get(route).json()["items"]
    assert listed_one["audience"] == "arms" and listed_one["arms"][0] in ("A", "B")
    for address in (page, f"{page}?format=csv", route):
        assert "canary" not in cora.get(address).text, address


# All pages

def test_no_page_for_researchers_contains_a_name_an_address_or_words_of_a_message(study, ada, ben, rosa, cora):
    fields, _ = question(cora, subject_en="Subject Canary")
    assert cora.post(BROADCASTS_PAGE, **fields, step="send").status_code == 303
    study.run("remind", "--once")
    wait_until(lambda: sent(cora, fields["broadcast_id"])["state"] == "sent", 60, "all have it")
    for path in (PAGE, f"{PAGE}?format=csv", f"{PAGE}?table=days&format=csv", f"{PAGE}?table=unreachable&format=csv", MESSAGES, DAYS, UNREACHABLE):
        text = rosa.get(path).text
        assert "Canary" not in text and "example.org" not in text, path
    assert words("timeline", "broadcast") in rosa.get(PAGE).text
    for path in (BROADCASTS_PAGE, f"{BROADCASTS_PAGE}?format=csv"):
        text = cora.get(path).text
        assert "Subject Canary" in text and "Ada Canary" not in text and ada.email not in text, path


def test_the_pages_are_in_german(ada, rosa, cora):
    assert words("staff_messages", "unreachable", "de") in rosa.get(PAGE, headers={"Accept-Language": "de"}).text
    text = html.unescape(cora.get(BROADCASTS_PAGE, headers={"Accept-Language": "de"}).text)
    assert words("broadcasts", "lead", "de") in text and "Englisch" in text


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, ada, ben, cora, scheme, width):
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, cora)
    axe, faults = Axe(), []

    def check(what):
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults.extend((what, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"])
        if page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append((what, "wide", page.evaluate("document.documentElement.scrollWidth")))

    for path in (f"{PAGE}?participant={name(ada)}", f"{PAGE}?from=2020-01-01&to=2020-01-02", BROADCASTS_PAGE):
        page.goto(path)
        check(path)
    page.get_by_role("button", name=words("broadcasts", "check")).click()
    expect(page.locator("#errors li")).to_have_count(1)
    check("faults")
    page.locator("#subject_en").fill("New times " * 15)
    page.locator("#body_en").fill("x" * 400)
    page.locator("#delay").select_option("day")
    page.get_by_role("button", name=words("broadcasts", "check")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words("broadcasts", "check"))
    check("question")
    assert faults == []
