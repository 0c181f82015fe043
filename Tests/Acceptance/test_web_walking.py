"""Mindful walking in a real Chromium, as a participant lives it: joining, calibrating, walking, answering and erasing.

`acceptance/phone.py` says how the phone is emulated: positions by the DevTools protocol, the strap by a script of the page.
"""

import datetime
import json
import math
import re
import shutil
import zoneinfo

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance import answers
from acceptance.browser import PASSWORD, Visitors, join, visit
from acceptance.mailbox import code, text
from acceptance.message_receiver import Device
from acceptance.moments import now, read
from acceptance.phone import ANDROID, IPHONE, Phone
from acceptance.server import STUDY, wait_until
from acceptance.simulated_clock import SimulatedClock, TimedServer

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
TITLE = "Mindful walking"
KINDS = """
data_kinds:
  - {code: heart_rate, walk_series: [heart_rate_bpm]}
"""
KIND_TEXTS = """
data_kinds:
  heart_rate: {title: Heart rate, text: May we store your heart rate during walks?}
"""
ARMS = "  - {code: experimental, ratio: 1}\n  - {code: control, ratio: 1}\nallocation: {block_sizes: [4, 6], concealed: true}"
ONE_ARM = "  - {code: experimental, ratio: 1}\nallocation: {block_sizes: [1], concealed: true}"


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    """It is ten past five in the afternoon in Berlin, so the evening review is open."""
    local = now().astimezone(BERLIN)
    start = datetime.datetime.combine(local.date(), datetime.time(17, 10), BERLIN)
    if start < local:
        start += datetime.timedelta(days=1)
    return SimulatedClock(tmp_path_factory.mktemp("clock"), start.astimezone(datetime.timezone.utc))


@pytest.fixture(scope="module")
def walking_server(clock, mailbox, authority, tmp_path_factory):
    """A server with the study, in which every walker gets feedback and the heart rate needs permission."""
    packs = tmp_path_factory.mktemp("packs") / "packs"
    shutil.copytree(STUDY.parents[1], packs)
    study = packs / "studies" / STUDY.name
    definition = (study / "study.yaml").read_text()
    assert ARMS in definition
    (study / "study.yaml").write_text(definition.replace(ARMS, ONE_ARM).replace("[experimental, control]", "[experimental]") + KINDS)
    for file in (study / "content").glob("text.*.yaml"):
        lines = re.sub(r"^  control:\n(    .*\n)+", "", file.read_text(), flags=re.MULTILINE)
        file.write_text(lines + KIND_TEXTS)
    server = TimedServer(clock, smtp_url=mailbox.url)
    server.environment |= {"SAUNTER_OUTWARD_ALLOW": "127.0.0.1", "SAUNTER_OUTWARD_CA": str(authority.file)}
    try:
        server.start()
        server.run("publish", study)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture
def visitors(chromium, walking_server):
    made = Visitors(chromium, walking_server.url)
    yield made
    try:
        assert made.complaints() == []
    finally:
        made.close()


@pytest.fixture
def phone(visitors, clock):
    return Phone(visitors, clock)


def enter_calibration(page, home, speed="5,4", percent="30"):
    page.goto(f"{home}/walk/calibrate")
    page.get_by_label("Your ordinary speed in km/h").fill(speed)
    page.get_by_label("How much slower, in percent?").fill(percent)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(home)


def stored_walks(page, home):
    """The walks of the participant, newest first, with their series."""
    resource = home.replace("/my/", "/v1/enrolments/")
    items = page.request.get(f"{resource}/walks").json()["items"]
    return [page.request.get(f"{resource}/walks/{item['walk_id']}").json() for item in items]


def gaps(walk):
    """The reason and the length in seconds of each gap that the walk declares."""
    return [(gap["reason"], round((read(gap["to"]) - read(gap["from"])).total_seconds())) for gap in walk["device"]["gaps"]]


# What the pages promise


def promise(visitors, state, home, **more):
    """The visible promises of the recorder on a device."""
    page = visitors(storage_state=state, has_touch=True, permissions=["geolocation"], **more)
    page.goto(f"{home}/walk")
    expect(page.locator("#recorder")).to_be_visible()
    return page.locator("main .banner:visible").all_inner_texts(), page


def test_each_device_promises_what_it_can_do(visitors, phone):
    page = phone.page
    home = join(page, TITLE, kinds=["heart_rate"])
    page.goto(f"{home}/walk")
    expect(page.get_by_text("Please calibrate before your first walk.")).to_be_visible()
    enter_calibration(page, home)
    expect(page.get_by_text("3.8 km/h").first).to_be_visible()

    page.goto(f"{home}/walk")
    expect(page.locator("#promise-strap")).to_have_text(
        "Records speed, distance and your strap's heart rate while Saunter is open and the screen is on. We keep the screen on. "
        "If you leave the app, there will be a gap, and we will show it.")
    expect(page.locator("main")).to_contain_text("A file of your watch (FIT, TCX, GPX, Apple Health) is the surest way.")
    expect(page.locator("main")).to_contain_text("Your location never leaves this device.")

    state = page.context.storage_state()
    texts, page = promise(visitors, state, home, user_agent=IPHONE)
    assert texts == ["Records speed and distance while the app is open. Heart rate: import from your watch."]
    expect(page.get_by_role("button", name="Connect a heart-rate strap")).to_be_hidden()
    texts, _ = promise(visitors, state, home, user_agent=ANDROID.replace("Chrome/156.0.0.0", "Firefox/153.0"))
    assert len(texts) == 1 and "strap" not in texts[0] and texts[0].startswith("Records speed and distance while this page is open")
    texts, _ = promise(visitors, state, home)
    assert "cannot record a walk well" in texts[0]


def test_the_pages_about_walks_have_no_accessibility_faults_and_fit_a_small_screen(phone):
    page = phone.page
    home = join(page, TITLE, kinds=["heart_rate"])
    enter_calibration(page, home)
    record_short_walk(phone, home)
    walk = page.url
    axe = Axe()
    page.set_viewport_size({"width": 320, "height": 640})
    for path in [walk, f"{home}/walks", f"{home}/walks/import", f"{home}/walk/calibrate", f"{home}/walk"]:
        page.goto(path)
        if path.endswith("/walk"):
            page.get_by_role("button", name="Start").click()
            phone.pause_clock()
            phone.walk(4, 4.4)
            # The checker waits by the clock of the page.
            phone.resume_clock()
        elif path == walk:
            page.get_by_text("Table", exact=True).click()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            faults = axe.run(page).response["violations"]
            assert [(path, scheme, fault["id"], [node["html"] for node in fault["nodes"]][:2]) for fault in faults] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def record_short_walk(phone, home, seconds=20):
    page = phone.page
    page.goto(f"{home}/walk")
    page.get_by_role("button", name="Start").click()
    phone.pause_clock()
    phone.walk(seconds, 3.6)
    phone.resume_clock()
    page.get_by_role("button", name="End the walk").click()
    page.wait_for_url("**/walks/*")


# Calibration


def test_a_calibration_is_repeated_until_it_is_exact_and_even(phone):
    page = phone.page
    home = join(page, TITLE)
    page.goto(f"{home}/walk/calibrate")
    start, state = page.get_by_role("button", name="Measure now"), page.locator("#measure-state")
    expect(start).to_be_visible()
    phone.pause_clock()

    start.click()
    phone.walk(10, 5)
    expect(page.locator("#countdown")).to_have_text("110 s")
    page.get_by_role("button", name="Cancel").click()
    expect(state).to_have_text("Cancelled. Nothing was stored.")

    # Two of three positions are too inexact.
    start.click()
    phone.walk(40, 5, step=4)
    phone.walk(80, 5, accuracy=60, step=4)
    expect(state).to_contain_text("of 120 seconds had an exact position")
    assert page.get_by_label("Your ordinary speed in km/h").input_value() == ""

    # Half of the time is slow, and half is fast: the mean is 5, and the spread is 20 %.
    start.click()
    phone.walk(60, 4, step=4)
    phone.walk(60, 6, step=4)
    expect(state).to_contain_text("Your speed varied by 20 % around 5.0 km/h")

    # A phone that does not know its speed: it follows from the way of the last seconds.
    start.click()
    phone.walk(120, 5.4, knows_speed=False)
    expect(state).to_contain_text("Your mean speed is 5.4 km/h, with a spread of")
    assert float(page.get_by_label("Your ordinary speed in km/h").input_value()) == pytest.approx(5.4, rel=0.01)
    page.get_by_label("How much slower, in percent?").fill("90")
    phone.resume_clock()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#errors")).to_contain_text("Please choose a percentage within the limits.")
    page.get_by_label("How much slower, in percent?").fill("30")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(home)
    calibration = page.request.get(home.replace("/my/", "/v1/enrolments/") + "/calibrations/current").json()
    assert calibration["target_speed_kmh"] == pytest.approx(3.78, rel=0.01) and calibration["duration_s"] == 120


# The recorder


def test_a_walk_of_thirty_minutes_with_every_disturbance_is_exact_and_declares_each_gap(phone, walking_server):
    """P10: the strap drops, the positions are inexact, the page is frozen and killed, and the participant pauses."""
    page = phone.page
    home = join(page, TITLE, kinds=["heart_rate"])
    enter_calibration(page, home, speed="5.0", percent="20")
    page.goto(f"{home}/walk")
    page.get_by_role("button", name="Connect a heart-rate strap").click()
    expect(page.get_by_text("The strap is connected.")).to_be_visible()
    phone.pause_clock()
    page.get_by_role("button", name="Start").click()
    way = Way(phone)

    way.walk(300, 3.6)
    way.walk(152, 4.5)
    way.walk(60, 3.6)
    # The strap loses its connection, and comes back.
    page.evaluate("strap.drop()")
    way.walk(40, 3.6, has_beat=False)
    page.evaluate("strap.isNear = true")
    way.walk(40, 3.6, has_beat=False)
    expect(page.get_by_text("The strap is connected.")).to_be_visible()
    way.walk(60, 3.6)
    # A narrow street: the positions are inexact.
    way.walk(60, 3.6, accuracy=80)
    expect(page.locator("#signal")).to_contain_text("No signal")
    way.walk(180, 3.6)
    # A call: the browser freezes the page.
    way.elapsed(90, 3.6)
    phone.freeze(90, 3.6)
    way.walk(152, 4.5)
    page.get_by_role("button", name="Pause").click()
    phone.walk(120, 2, step=4)
    page.get_by_role("button", name="Go on").click()
    way.walk(160, 3.6)
    # The browser kills the page. What it does not keep are the last five seconds at most.
    start = page.evaluate("Date.now()")
    phone.wait_until_saved()
    page = phone.replace_killed_page()
    way.elapsed(60, 3.6)
    phone.pass_over(60, 3.6)
    page.goto(f"{home}/walk")
    expect(page.get_by_text("This walk was interrupted.")).to_be_visible()
    page.get_by_role("button", name="Connect a heart-rate strap").click()
    page.get_by_role("button", name="Go on").click()
    assert page.evaluate("Date.now()") - start < 70_000
    way.walk(448, 3.6)
    phone.resume_clock()
    page.get_by_role("button", name="End the walk").click()
    page.wait_for_url("**/walks/*")

    [walk] = stored_walks(page, home)
    summary = walk["summary"]
    assert way.seconds == pytest.approx(1800, abs=5)
    assert summary["active_s"] == pytest.approx(way.seconds, rel=0.01)
    assert summary["elapsed_s"] - summary["active_s"] == pytest.approx(120, abs=2)
    assert summary["distance_m"] == pytest.approx(way.metres, rel=0.01)
    assert summary["mean_speed_kmh"] == pytest.approx(way.metres / way.seconds * 3.6, rel=0.01)
    assert summary["mean_heart_rate_bpm"] == pytest.approx(way.mean_rate, rel=0.01)
    assert summary["above_target_s"] == pytest.approx(304, rel=0.01) and summary["above_target_count"] == 2
    found = gaps(walk)
    assert [reason for reason, _ in found] == ["strap", "no_signal", "left", "strap", "interrupted", "strap"], found
    for (reason, seconds), expected in zip(found, [82, 62, 92, 92, 62, 62], strict=True):
        assert seconds == pytest.approx(expected, abs=8), (reason, found)
    assert walk["flags"] == [] and "52.5" not in json.dumps(walk), "no coordinates leave the phone"
    # The page says it too.
    expect(page.locator(".gaps li")).to_have_count(6)
    expect(page.locator("figure desc")).to_have_text(re.compile("Above the target of 4 km/h for 5:.*Gaps: 6"))
    assert page.locator("figure .pause").count() == 2
    points = sum(len(line.get_attribute("points").split()) for line in page.locator("figure polyline.line").all())
    assert 300 < points <= 1500


class Way:
    """Walks with a phone, and keeps the truth about the way."""

    def __init__(self, phone):
        self.phone, self.seconds, self.metres, self._rates = phone, 0, 0.0, []

    def _rate(self):
        return round(104 + 8 * math.sin(len(self._rates) / 40))

    def elapsed(self, seconds, kmh):
        """Time in which the participant walks and the phone measures nothing."""
        self.seconds += seconds
        self.metres += kmh / 3.6 * seconds

    def walk(self, seconds, kmh, has_beat=True, **more):
        self.elapsed(seconds, kmh)

        def bpm():
            self._rates.append(self._rate())
            return self._rates[-1]

        self.phone.walk(seconds, kmh, bpm=bpm if has_beat else None, step=4, **more)

    @property
    def mean_rate(self):
        return sum(self._rates) / len(self._rates)


def test_without_permission_no_heart_rate_is_recorded_and_a_discarded_walk_is_gone(phone):
    page = phone.page
    home = join(page, TITLE)
    enter_calibration(page, home)
    page.goto(f"{home}/walk")
    expect(page.get_by_text("Your heart rate is not recorded")).to_be_visible()
    expect(page.get_by_role("button", name="Connect a heart-rate strap")).to_have_count(0)
    page.get_by_role("button", name="Start").click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Discard").click()
    page.wait_for_url(home)
    page.goto(f"{home}/walk")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert stored_walks(page, home) == []

    # Only one window records.
    page.get_by_role("button", name="Start").click()
    other = phone.visitors.watch(phone.context.new_page())
    other.goto(f"{home}/walk")
    expect(other.get_by_text("A walk is already being recorded in another window.")).to_be_visible()


# Files


TCX = """<?xml version="1.0"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Other">
<Id>{start}</Id><Lap StartTime="{start}"><TotalTimeSeconds>60</TotalTimeSeconds><DistanceMeters>60</DistanceMeters><Track>
<Trackpoint><Time>{start}</Time><DistanceMeters>0</DistanceMeters></Trackpoint>
<Trackpoint><Time>{end}</Time><DistanceMeters>60</DistanceMeters></Trackpoint>
</Track></Lap></Activity></Activities></TrainingCenterDatabase>
"""


def recording(end):
    """A Training Center file of one minute."""
    times = {"start": end - datetime.timedelta(seconds=60), "end": end}
    written = TCX.format(**{name: f"{time:%Y-%m-%dT%H:%M:%SZ}" for name, time in times.items()})
    return {"name": "morning.tcx", "mimeType": "application/xml", "buffer": written.encode()}


def test_a_file_is_imported_and_a_walk_is_deleted_without_javascript(visitors, clock):
    page = visitors(java_script_enabled=False)
    home = join(page, TITLE, has_script=False)
    page.goto(f"{home}/walks/import")
    file = recording(clock.now())

    page.get_by_label("File").set_input_files(file | {"buffer": file["buffer"].replace(b"</Track>", b"</Trick>")})
    page.get_by_role("button", name="Import a recording").click()
    expect(page.locator("#errors")).to_contain_text("line 6: this is not a valid XML file")

    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import a recording").click()
    expect(page.get_by_text("New walks: 1. Already stored: 0.")).to_be_visible()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import a recording").click()
    expect(page.get_by_text("New walks: 0. Already stored: 1.")).to_be_visible()

    page.get_by_role("link", name="All walks").click()
    expect(page.locator("main .card")).to_contain_text("1:00 min · 60 m · 3.6 km/h")
    page.locator("main .card a").click()
    page.get_by_text("Delete this walk", exact=True).first.click()
    page.get_by_label("Yes, delete this walk for good.").check()
    page.get_by_role("button", name="Delete this walk").click()
    expect(page.get_by_text("The walk has been deleted.")).to_be_visible()
    expect(page.get_by_text("No walks yet.")).to_be_visible()


def test_a_file_that_is_chosen_offline_is_sent_later(visitors, clock):
    page = visitors()
    home = join(page, TITLE)
    page.goto(f"{home}/walks/import")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")

    page.context.set_offline(True)
    page.get_by_label("File").set_input_files(recording(clock.now()))
    page.get_by_role("button", name="Import a recording").click()
    expect(page.get_by_text("You are offline. The file is kept on this device")).to_be_visible()
    page.context.set_offline(False)

    expect(page.get_by_text("morning.tcx: New walks: 1.")).to_be_visible()
    assert len(stored_walks(page, home)) == 1


# The story


def answer(page, given):
    """Answers a questionnaire one question at a time, and sends it."""
    review = page.get_by_role("heading", name="Please check your answers")
    while not review.is_visible():
        for question in page.locator(".question:visible").all():
            link = question.get_attribute("data-link-id")
            values = given.get(link, [])
            for value in values if isinstance(values, list) else [values]:
                page.locator(f"label:has(#q-{link}-{value})").click()
        page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Send").click()


def confirm_address(page, mailbox, email):
    mail = mailbox.wait_for(email, verifications=True)[-1]
    page.goto("/account/email")
    page.get_by_label("Code").fill(code(mail))
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("main")).to_contain_text("confirmed")


def receive_pushes_through(device, context):
    """No push service of a browser vendor can be reached, so the subscription leads to the test's push service."""
    context.add_init_script(f"""
        const made = {json.dumps(device.subscription)};
        PushManager.prototype.getSubscription = async () => null;
        PushManager.prototype.subscribe = async () => ({{ ...made, toJSON: () => made }});""")


def deliver(phone, origin, payload):
    """The push service of the phone delivers a message to the service worker."""
    registrations = []
    protocol = phone.context.new_cdp_session(phone.page)
    protocol.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    protocol.send("ServiceWorker.enable")
    wait_until(lambda: phone.page.evaluate("1") and registrations, 10, "the service worker is registered")
    protocol.send("ServiceWorker.deliverPushMessage", {"origin": origin, "registrationId": registrations[-1]["registrationId"], "data": payload})


# A click on a notification cannot be emulated, so the test sends the event, and notes which page it opens.
CLICK = """async () => {
  const [notification] = await registration.getNotifications();
  let opened, work;
  Clients.prototype.openWindow = async (address) => { opened = address; return null; };
  const event = new NotificationEvent("notificationclick", { notification });
  Object.defineProperty(event, "waitUntil", { value: (promise) => { work = promise; } });
  dispatchEvent(event);
  await work;
  return opened;
}"""


def test_a_participant_walks_answers_and_erases_everything(phone, clock, walking_server, mailbox, receiver):
    page = phone.page
    home = join(page, TITLE, kinds=["heart_rate"])
    email = page.request.get("/v1/account").json()["email"]
    confirm_address(page, mailbox, email)

    # The first assessment
    for title, (given, _) in zip(["Stress over the past four weeks", "Attention in everyday life", "Wellbeing over the past two weeks"], answers.BASELINE.values(), strict=True):
        page.goto(home)
        page.locator("#due-list .card").filter(has_text=title).get_by_role("link", name="Answer").click()
        answer(page, given)
        page.wait_for_url("**/sheets/**")

    # Calibration: ordinary walking, and 30 percent slower
    page.goto(home)
    page.locator("main").get_by_role("link", name="Calibrate").click()
    phone.pause_clock()
    page.get_by_role("button", name="Measure now").click()
    phone.walk(120, 5.4, step=4)
    expect(page.locator("#measure-state")).to_contain_text("Your mean speed is 5.4 km/h")
    phone.resume_clock()
    page.get_by_label("How much slower, in percent?").fill("30")
    expect(page.locator("#target")).to_have_text("Your target is 3.8 km/h.")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(home)

    # A walk with a strap, a pause and a lost signal
    page.get_by_role("link", name="Start a walk").click()
    page.get_by_role("button", name="Connect a heart-rate strap").click()
    expect(page.get_by_text("The strap is connected.")).to_be_visible()
    phone.stand()
    page.get_by_role("button", name="Start").click()
    phone.pause_clock()
    phone.walk(60, 3.6, bpm=104)
    expect(page.locator("#speed")).to_have_text("3.6 km/h")
    expect(page.locator("#heart")).to_have_text("104 bpm")
    expect(page.locator("#target-state")).to_have_text("at or below your target of 3.8 km/h")
    assert page.evaluate("signals.length") == 0
    phone.walk(30, 4.4, bpm=112)
    expect(page.locator("#target-state")).to_have_text("above your target of 3.8 km/h")
    expect(page.locator("#recorder")).to_have_class(re.compile("too-fast"))
    assert page.evaluate("signals.length") == 3, "at once, and again every ten seconds"
    page.get_by_role("button", name="Pause").click()
    phone.walk(60, 1)
    expect(page.get_by_text("Paused. This time does not count.")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    phone.walk(60, 3.6, bpm=104)
    phone.walk(30, 3.6, bpm=104, has_signal=False)
    phone.walk(30, 3.6, bpm=104)
    phone.resume_clock()
    page.get_by_role("button", name="End the walk").click()
    page.wait_for_url("**/walks/*")
    [walk] = stored_walks(page, home)
    assert walk["summary"]["active_s"] == pytest.approx(210, abs=3)
    assert walk["summary"]["distance_m"] == pytest.approx(180 + 30 * 4.4 / 3.6, abs=6)
    assert (walk["summary"]["above_target_count"], walk["summary"]["above_target_s"]) == (1, pytest.approx(30, abs=2))
    assert [reason for reason, _ in gaps(walk)] == ["no_signal"]

    # The statistics, and the questions after the walk
    visit(page, "Walks")
    expect(page.locator("main .card")).to_contain_text(re.compile(r"3\.[67] km/h · 105\sbpm"))
    page.goto(home)
    page.locator("#due-list .card").filter(has_text="After your walk").get_by_role("link", name="Answer").click()
    answer(page, answers.AFTER_WALK)
    page.wait_for_url("**/sheets/**")

    # The reminder of six o'clock leads to the evening review. The answers are given without a connection, and arrive later
    phone.advance_to(datetime.datetime.combine(clock.now().astimezone(BERLIN).date(), datetime.time(18, 1), BERLIN).astimezone(datetime.timezone.utc))
    walking_server.send_due()
    [mail] = mailbox.wait_for(email)
    link = re.search(rf"{walking_server.url}/my/\S+", text(mail)).group()
    page.goto(link)
    expect(page.locator("#questions")).to_have_attribute("data-title", "Your evening review")
    wait_until(lambda: page.evaluate("caches.match(location.pathname).then(Boolean)"), 20, "the page is kept")
    page.context.set_offline(True)
    page.reload()
    answer(page, {name: value for name, value in answers.DAILY.items() if name != "sleep_minutes"})
    expect(page.locator("#status")).to_contain_text("not sent yet")
    assert not overview(page, home)["daily_evening"]["completed_at"]
    page.context.set_offline(False)
    wait_until(lambda: overview(page, home)["daily_evening"]["completed_at"], 30, "the evening review is delivered")

    # The next day the reminder is a push message, and a tap opens the evening review of that day
    device = Device(receiver)
    receive_pushes_through(device, page.context)
    page.goto(f"{home}/settings")
    page.get_by_role("button", name="Switch on notifications on this device").click()
    wait_until(lambda: page.request.get("/v1/account/push-subscriptions").json()["items"], 20, "the phone is subscribed")
    # The page adds notifications to the ways of reminders by itself.
    expect(page.locator("[name='channel.push']")).to_be_checked()
    page.locator("[name='channel.mail']").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    phone.advance_to(datetime.datetime.combine(
        clock.now().astimezone(BERLIN).date() + datetime.timedelta(days=1), datetime.time(18, 1), BERLIN).astimezone(datetime.timezone.utc))
    walking_server.send_due()
    [message] = receiver.wait_for(device.path)
    payload = device.read(message).decode()
    page.goto(home)
    deliver(phone, walking_server.url, payload)
    [worker] = page.context.service_workers
    wait_until(lambda: worker.evaluate("registration.getNotifications().then((list) => list.length)"), 20, "the message is shown")
    opened = worker.evaluate(CLICK)
    assert opened.removeprefix(walking_server.url) == f"{home.removeprefix(walking_server.url)}/o/{overview(page, home)['daily_evening']['occasion_id']}"
    page.goto(opened)
    expect(page.locator("#questions")).to_have_attribute("data-title", "Your evening review")

    # Everything is erased, on the server and on the phone
    page.goto("/account/erase")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Yes, I am sure").check()
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is erased")
    enrolment = home.rsplit("/", 1)[1]
    for table in ("enrolment", "walk", "calibration", "answer_sheet"):
        assert walking_server.sql(f"select count(*) from research.{table} where enrolment_id = '{enrolment}'").strip() == "0", table
    wait_until(lambda: page.evaluate(LEFT) == [], 20, "nothing is left on the phone")


def overview(page, home):
    """Questionnaire -> its entry."""
    reply = page.request.get(home.replace("/my/", "/v1/enrolments/") + "/overview")
    return {entry["questionnaire"]: entry for entry in reply.json()["items"]}


# What the phone still has of the participant: records in the database, and kept pages.
LEFT = """async () => {
  const left = (await caches.keys()).filter((name) => name.startsWith("documents"));
  for (const { name } of await indexedDB.databases()) {
    const open = indexedDB.open(name);
    await new Promise((resolve) => { open.onsuccess = resolve; });
    for (const store of open.result.objectStoreNames) {
      if (store === "meta") continue;
      const count = await new Promise((resolve) => {
        const request = open.result.transaction(store).objectStore(store).count();
        request.onsuccess = () => resolve(request.result);
      });
      if (count) left.push(store);
    }
    open.result.close();
  }
  return left;
}"""
