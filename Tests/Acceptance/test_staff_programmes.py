"""An editor's afternoon: journeys and practices in the browser, two editors, raised versions, withdrawal, and media that are not what they claim.
Meanwhile participants are in the middle of a practice."""

import io
import struct
import uuid
import wave
import zlib

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from acceptance.browser import words
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import OTHER, Member, log_in, sign_in


def png(width=3, height=2):
    """A complete PNG picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x80" * 3 * width for _ in range(height)) if width * height < 10_000 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def sound(seconds=2, rate=8000):
    """A complete WAV sound, which is silent."""
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(rate)
        made.writeframes(bytes(2 * seconds * rate))
    return file.getvalue()


def film():
    """The film of the pack alter-ego."""
    [path] = (ROOT / "Questionnaires" / "instruments" / "enough_worry").glob("*/media/breath.mp4")
    return path.read_bytes()


@pytest.fixture(scope="module")
def rosa(server, web):
    return Member(server, [("editor", OTHER)])


@pytest.fixture
def study(rosa):
    """The code of a new study, which is a draft. The codes of its practices begin with the same letters."""
    code = f"ego-{uuid.uuid4().hex[:8]}"
    made = rosa.post("/staff", study=code, title="Ego", language="en", time_zone="Europe/Berlin", days="14")
    assert made.status_code == 303, made.text
    return code


def route(study, end=""):
    return f"/v1/studies/{study}/draft{end}"


def get(member, path):
    reply = member.get(path)
    assert reply.status_code == 200, reply.text
    return reply.json()


def send(member, method, path, status=200, revision=None, **more):
    """Sends a change of the draft with the newest revision."""
    if revision is None:
        revision = get(member, path.split("/draft")[0] + "/draft")["revision"]
    headers = {"If-Match": f'"{revision}"'} | more.pop("headers", {})
    reply = member.session.request(method, member.server.url + path, headers=headers, timeout=60, **more)
    assert reply.status_code == status, reply.text
    return reply.json() if reply.content else None


def practice(member, study, code, title):
    exercises = [
        {"link_id": "story", "kind": "story", "text": {"en": f"{title}: look around."}},
        {"link_id": "thought", "kind": "input", "text": {"en": "What is yours?"}, "placeholder": {"en": "Today I …"}}]
    send(member, "PUT", route(study, f"/practices/{code}"), json={"title": {"en": title}, "minutes": 4, "exercises": exercises})


def journeys(member, study, *all_of_them):
    return send(member, "PUT", route(study, "/programmes"), json={"programmes": list(all_of_them)})


def publish(page, study, name):
    """Publishes the draft on its page, and returns the groups of the difference as a text."""
    page.goto(f"/staff/{study}/draft/publish")
    text = page.locator("main").text_content()
    page.locator("#code").fill(study)
    # Only a version that participants can follow asks who follows it.
    if page.locator("[name=follow]").count():
        page.locator("[name=follow][value=yes]").check()
    page.locator("main button.danger").click()
    page.wait_for_url(f"**/staff/{study}/versions/{name}?*")
    return text


def start(page, study):
    page.goto(f"/staff/{study}/draft")
    page.get_by_role("button", name=words("draft", "start")).click()
    page.wait_for_url("**notice=started")


def save(page, name=("draft", "save")):
    with page.expect_navigation():
        page.locator("main").get_by_role("button", name=words(*name), exact=True).first.click()
    expect(page.locator(".banner.ok[role=status]")).to_be_visible()


def field(page, pointer):
    return page.locator(f"[name='value:{pointer}']")


class Reader:
    """A participant of the study in a browser."""

    def __init__(self, visitor, server, contract, study, name):
        self.person = Person(server, contract, name=f"{name} Canary").register().enrol(study=study)
        self.home = f"/my/{self.person.enrolment['enrolment_id']}"
        self.page = visitor()
        self.page.goto(f"/login?next={self.home}")
        self.page.get_by_label("E-mail address").fill(self.person.email)
        self.page.get_by_label("Password", exact=True).fill(self.person.password)
        self.page.locator("main").get_by_role("button", name="Log in").click()
        self.page.wait_for_url(f"**{self.home}")

    def begin(self, journey, topic, text):
        """Begins a practice from the page of its journey, and types an answer, which is not sent."""
        self.page.goto(f"{self.home}/programmes/{journey}")
        self.page.get_by_role("link", name=f"{words('programmes', 'start')} {topic}", exact=True).click()
        self.page.locator("form[data-started]").wait_for(state="attached")
        self.proceed()
        self.page.locator("#q-input_1-value").fill(text)

    def proceed(self):
        self.page.get_by_role("button", name=words("answer", "continue"), exact=True).click()

    def finish(self):
        """Ends the practice; the answer sheet that the server has."""
        self.page.get_by_role("button", name=words("answer", "finish"), exact=True).click()
        self.page.wait_for_url("**/sheets/*?new=1")
        [sheet] = self.person.pages(self.person.own("/answer-sheets"))
        return sheet

    def journeys(self):
        """The titles on the page Discover."""
        self.page.goto(f"{self.home}/programmes")
        return self.page.locator("section:has(#programmes) .card h3").all_inner_texts()


def test_an_afternoon_of_an_editor_costs_participants_in_a_practice_nothing(visitor, server, contract, rosa, study):
    # The code of a practice belongs to all studies, so it has to be new.
    first, second = (f"p{uuid.uuid4().hex[:8]}" for _ in range(2))
    page = visitor(java_script_enabled=False)
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in(page, rosa)

    # A journey
    page.goto(f"/staff/{study}/draft")
    page.get_by_role("link", name=words("journeys", "begin")).click()
    expect(page.locator(".empty")).to_have_text(words("journeys", "none"))
    page.get_by_role("button", name=words("journeys", "create")).click()
    expect(page.locator("#new-title-fault")).to_have_text(words("journeys", "fault_title"))
    page.locator("[name='title:en']").fill("What is in our control")
    page.get_by_role("button", name=words("journeys", "create")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What is in our control")
    assert page.url.split("?")[0].endswith("/programmes/what_is_in_our_control")
    field(page, "journey#/subtitle/en").fill("An old question")
    field(page, "journey#/authors").fill("Epictetus\nMarcus Aurelius")
    save(page)

    # Two practices; what is typed stays when an exercise is added.
    for code, title in ((first, "Evening"), (second, "Morning")):
        page.goto(f"/staff/{study}/draft/programmes/what_is_in_our_control")
        page.locator("[name='title:en']").fill(title)
        page.locator("#code").fill(code)
        page.get_by_role("button", name=words("journeys", "create_practice")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        field(page, "practice#/minutes").fill("5")
        save(page, ("journeys", "add_story"))
        assert field(page, "practice#/minutes").input_value() == "5"
        field(page, "practice#/exercises/story_1/text/en").fill("Sit down, and luk out of the window.")
        save(page, ("journeys", "add_input"))
        field(page, "practice#/exercises/input_1/text/en").fill("What is yours today?")
        field(page, "practice#/exercises/input_1/placeholder/en").fill("Today I can …")
        save(page)
    # The question first, then the story again first.
    page.locator("button[value='up:input_1']").click()
    expect(page.locator(".exercise h3").first).to_contain_text("input_1")
    page.locator("button[value='down:input_1']").click()
    expect(page.locator(".exercise h3").first).to_contain_text("story_1")
    page.locator("#exercise").select_option("story_1")
    page.locator("#file").set_input_files({"name": "holiday.png", "mimeType": "image/png", "buffer": png()})
    page.get_by_role("button", name=words("journeys", "upload_media")).click()
    assert page.locator(".exercise img").evaluate("image => image.complete && image.naturalWidth") == 3
    field(page, "practice#/exercises/story_1/media_text/en").fill("A window")
    save(page)

    # The order and the picture of the journey
    page.goto(f"/staff/{study}/draft/programmes/what_is_in_our_control")
    page.locator(f"button[value='up:{second}']").click()
    expect(page.locator(".parts-list li").first).to_contain_text("Morning")
    page.locator("#file").set_input_files({"name": "any.png", "mimeType": "image/png", "buffer": png(5, 5)})
    page.get_by_role("button", name=words("journeys", "upload")).click()
    assert page.locator("img.picture").evaluate("image => image.complete && image.naturalWidth") == 5
    found = get(rosa, route(study, "/programmes"))["programmes"]
    assert [(one["code"], one["modules"], one["authors"], one["subtitle"]) for one in found] == [
        ("what_is_in_our_control", [second, first], ["Epictetus", "Marcus Aurelius"], {"en": "An old question"})]

    # A second journey, before the first one
    page.goto(f"/staff/{study}/draft/programmes")
    page.locator("[name='title:en']").fill("Calm")
    page.get_by_role("button", name=words("journeys", "create")).click()
    page.locator("#module").select_option(first)
    save(page, ("journeys", "add"))
    page.goto(f"/staff/{study}/draft/programmes")
    page.locator("button[value='up:calm']").click()
    expect(page.locator(".parts-list h2")).to_have_text(["Calm", "What is in our control"])
    page.goto(f"/staff/{study}/draft")
    expect(page.locator("#ready")).to_be_visible()
    publish(page, study, "1.0.0")

    # Participants begin the practice with the typo. Ada leaves her page open for the rest of the afternoon. Ben leaves the practice.
    ada, ben, eve = (Reader(visitor, server, contract, study, name) for name in ("Ada", "Ben", "Eve"))
    typed = {reader: f"canary-typed: {reader.person.email}" for reader in (ada, ben, eve)}
    for reader in (ada, ben, eve):
        assert reader.journeys() == ["Calm", "What is in our control"]
        reader.begin("calm", "Evening", typed[reader])
    ben.page.goto(f"{ben.home}/programmes")

    # A typo in a published practice
    start(page, study)
    page.goto(f"/staff/{study}/draft/practices/{first}")
    expect(page.get_by_role("link", name="Calm", exact=True)).to_be_visible()
    story = field(page, "practice#/exercises/story_1/text/en")
    story.fill(story.input_value().replace("luk", "look"))
    save(page)
    page.goto(f"/staff/{study}/draft/publish")
    expect(page.locator("#problems")).to_contain_text("1.0.0")
    page.get_by_role("button", name=words("raise", "button")).click()
    expect(page.locator("#raised li")).to_have_text([
        words("raise", "questionnaire_raised", **{"code": first, "from": "1.0.0", "to": "1.0.1"}),
        words("raise", "study_raised", **{"from": "1.0.0", "to": "1.0.1"})])
    expect(page.locator("#problems")).to_have_count(0)
    expect(page.get_by_role("button", name=words("raise", "button"))).to_have_count(0)
    publish(page, study, "1.0.1")

    # Ben continues in the corrected practice with what he typed.
    ben.page.goto(f"{ben.home}/q/{first}")
    ben.page.get_by_role("button", name=words("ask", "draft_continue", number=2, count=2)).click()
    expect(ben.page.get_by_text(words("ask", "updated"))).to_be_visible()
    expect(ben.page.locator("#q-input_1-value:visible")).to_have_value(typed[ben])
    ben.page.locator("button.previous").click()
    expect(ben.page.locator("p.story:visible")).to_have_text("Sit down, and look out of the window.")
    ben.proceed()

    # Withdrawn, another order, and restored: editions of the library without a new version.
    start(page, study)
    page.goto(f"/staff/{study}/draft/programmes")
    page.locator("button[value='withdraw:calm']").click()
    expect(page.locator("#at-calm")).to_contain_text(words("journeys", "withdrawn"))
    page.locator("button[value='down:calm']").click()
    expect(page.locator(".banner.info")).to_have_text(words("journeys", "order_changed"))
    text = publish(page, study, "1.0.1")
    assert "order of the journeys" in text and "journey “Calm” › withdrawn" in text, text
    # Eve and Ben finish a practice whose journey has left the lists. Eve has the page of before the correction.
    assert (sheet := eve.finish())["version"] == "1.0.0" and sheet["answers"] == {"input_1": typed[eve]} and sheet["flags"] == [], sheet
    assert (sheet := ben.finish())["version"] == "1.0.1" and sheet["answers"] == {"input_1": typed[ben]} and sheet["flags"] == [], sheet
    assert eve.journeys() == ["What is in our control"]
    eve.page.goto(f"{eve.home}/programmes/calm/entries")
    expect(eve.page.locator("main dd")).to_have_text([typed[eve]])
    start(page, study)
    page.goto(f"/staff/{study}/draft/programmes/calm")
    expect(page.locator(".banner.info")).to_have_text(words("journeys", "is_withdrawn"))
    save(page, ("journeys", "restore"))
    expect(page.locator(".banner.info")).to_have_count(0)
    publish(page, study, "1.0.1")
    versions = get(rosa, f"/v1/studies/{study}/versions")
    assert [one["version"] for one in versions["items"]] == ["1.0.1", "1.0.0"] and len(versions["editions"]) == 3, versions

    # Ada's page was open all the time, and has all that she typed. The restored journey shows the progress of all of them.
    expect(ada.page.locator("#q-input_1-value")).to_have_value(typed[ada])
    assert (sheet := ada.finish())["version"] == "1.0.0" and sheet["answers"] == {"input_1": typed[ada]} and sheet["flags"] == [], sheet
    for reader in (ada, ben, eve):
        assert reader.journeys() == ["What is in our control", "Calm"]
        reader.page.goto(f"{reader.home}/programmes/calm")
        expect(reader.page.locator(f"[data-practice={first}] .state")).to_contain_text("Done on ")
        reader.page.goto(f"{reader.home}/programmes/calm/entries")
        expect(reader.page.locator("main dd")).to_have_text([typed[reader]])
    # The other practice has its picture.
    eve.page.goto(f"{eve.home}/q/{second}")
    picture = eve.page.get_by_role("img", name="A window")
    wait_until(lambda: picture.evaluate("image => image.naturalWidth") == 3, 10, "the picture is shown")


def test_two_editors_lose_nothing(visitor, server, rosa, study):
    ben = Member(server, [("editor", study)])
    one, two = (f"p{uuid.uuid4().hex[:8]}" for _ in range(2))
    practice(rosa, study, one, "One")
    practice(rosa, study, two, "Two")
    calm = {"code": "calm", "title": {"en": "Calm"}, "subtitle": {"en": "Old"}, "modules": [one, two]}
    journeys(rosa, study, calm)
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/programmes/calm")

    # Ben changes another word and the order, and adds a journey: no conflict.
    journeys(ben, study, {"code": "new", "title": {"en": "New"}, "modules": []}, calm | {"subtitle": {"en": "Ben"}, "modules": [two, one]})
    field(page, "journey#/title/en").fill("Calm evenings")
    page.locator(f"button[value='down:{one}']").click()
    expect(page.locator(".banner.ok")).to_be_visible()
    new, old = get(ben, route(study, "/programmes"))["programmes"]
    assert (old["title"], old["subtitle"], old["modules"]) == ({"en": "Calm evenings"}, {"en": "Ben"}, [two, one]) and new["code"] == "new"

    # Both change the same word: both texts are shown, and nothing is saved.
    journeys(ben, study, new, old | {"title": {"en": "Ben's title"}})
    field(page, "journey#/title/en").fill("Rosa's title")
    page.locator("main button.primary").first.click()
    expect(page.locator("#errors li")).to_have_count(1)
    assert field(page, "journey#/title/en").input_value() == "Rosa's title"
    expect(page.locator(".field").filter(has=field(page, "journey#/title/en")).locator(".hint")).to_contain_text("Ben's title")
    assert get(ben, route(study, "/programmes"))["programmes"][1]["title"] == {"en": "Ben's title"}
    save(page)
    assert get(ben, route(study, "/programmes"))["programmes"][1]["title"] == {"en": "Rosa's title"}

    # The same for a practice; an exercise that Ben removed is named, with what Rosa typed.
    page.goto(f"/staff/{study}/draft/practices/{one}")
    state = get(ben, route(study, f"/practices/{one}"))["practice"]
    send(ben, "PUT", route(study, f"/practices/{one}"), json=state | {"exercises": state["exercises"][:1]})
    field(page, "practice#/exercises/thought/text/en").fill("What is Rosa's?")
    field(page, "practice#/title/en").fill("Rosa's practice")
    page.locator("main button.primary").first.click()
    expect(page.locator("#errors")).to_contain_text("What is Rosa's?")
    assert field(page, "practice#/title/en").input_value() == "Rosa's practice"
    assert get(ben, route(study, f"/practices/{one}"))["practice"]["title"] == {"en": "One"}

    # Ben removes the journey on which Rosa writes: her text is shown.
    page.goto(f"/staff/{study}/draft/programmes/calm")
    journeys(ben, study, new)
    field(page, "journey#/title/en").fill("A title for nothing")
    page.locator("main button.primary").first.click()
    expect(page.locator(".banner.warn")).to_have_text(words("journeys", "fault_gone"))
    expect(page.locator("#typed-0")).to_have_value("A title for nothing")
    assert [one["code"] for one in get(ben, route(study, "/programmes"))["programmes"]] == ["new"]


def test_only_editors_of_the_study_change_journeys(server, rosa, study, participant):
    code = f"p{uuid.uuid4().hex[:8]}"
    practice(rosa, study, code, "One")
    journeys(rosa, study, {"code": "calm", "title": {"en": "Calm"}, "modules": [code]})
    before = get(rosa, route(study))["revision"]
    reader, stranger = Member(server, [("researcher", study)]), Member(server, [("editor", OTHER)])
    ada = participant()
    pages = ["/programmes", "/programmes/calm", f"/practices/{code}"]
    session = log_in(server.url, ada.email, ada.password)
    for end in pages:
        page = f"/staff/{study}/draft{end}"
        shown = reader.get(page)
        assert shown.status_code == 200 and 'name="op"' not in shown.text and 'type="file"' not in shown.text, end
        assert stranger.get(page).status_code == 404, end
        assert session.get(server.url + page, timeout=60, allow_redirects=False).status_code == 403, end
    forms = ["/programmes", "/programmes/calm", "/programmes/calm/practice", f"/practices/{code}", f"/practices/{code}/delete", "/versions"]
    for end in forms:
        form, fields = f"/staff/{study}/draft{end}", {"op": "withdraw:calm", "revision": str(before), "title:en": "X"}
        assert reader.post(form, **fields).status_code == 403, end
        assert stranger.post(form, **fields).status_code == 404, end
        assert session.post(server.url + form, data=fields, timeout=60, allow_redirects=False).status_code == 403, end
    for member, status in ((reader, 403), (stranger, 404)):
        for end in ("/programmes/calm/picture", f"/practices/{code}/media"):
            reply = member.session.post(
                f"{server.url}/staff/{study}/draft{end}", data={"exercise": "story"}, files={"file": ("a.png", png(), "image/png")}, timeout=60,
                allow_redirects=False)
            assert reply.status_code == status, end
    for member, status in ((reader, 403), (stranger, 404)):
        send(member, "PUT", route(study, "/programmes"), status, before, json={"programmes": []})
        send(member, "DELETE", route(study, f"/practices/{code}"), status, before)
        send(member, "POST", route(study, "/versions"), status, before)
    ada.problem("PUT", route(study, "/programmes"), 403, "not-permitted", json={"programmes": []}, headers={"If-Match": f'"{before}"'})
    assert get(rosa, route(study))["revision"] == before


def test_media_that_are_not_what_they_claim_are_refused(rosa, study):
    code = f"p{uuid.uuid4().hex[:8]}"
    practice(rosa, study, code, "One")
    journeys(rosa, study, {"code": "calm", "title": {"en": "Calm"}, "modules": [code]})
    before = get(rosa, route(study))["revision"]
    hostile = {
        "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "HTML": b"<!doctype html><script>alert(1)</script>",
        "GIF and HTML": b"GIF89a/*<script>*/=1;",
        "PNG and HTML": png() + b"<HTML><script>alert(1)</script>",
        "PNG and ZIP": png() + b"PK\x05\x06" + b"\0" * 18,
        "cut off": png()[:20],
    }
    octets = {"Content-Type": "application/octet-stream"}
    for name, data in hostile.items():
        problem = send(
            rosa, "PUT", route(study, f"/file?path=studies/{study}/library/media/a.png"), 415, before, data=data, headers=octets)
        assert problem["type"].endswith("/media-type-unsupported"), name
    send(rosa, "PUT", route(study, f"/file?path=studies/{study}/library/media/a.svg"), 415, before, data=hostile["SVG"], headers=octets)
    send(rosa, "PUT", route(study, f"/file?path=studies/{study}/library/media/a.jpg"), 415, before, data=png(), headers=octets)
    bomb = send(
        rosa, "PUT", route(study, f"/file?path=studies/{study}/library/media/a.png"), 422, before, data=png(30_000, 30_000), headers=octets)
    assert "40 million pixels" in bomb["faults"][0]["message"]
    # A file of the study itself, such as its icon, is smaller than those of its library.
    large = send(rosa, "PUT", route(study, f"/file?path=studies/{study}/media/a.png"), 413, before, data=png() + b"\0" * (1 << 20), headers=octets)
    assert large["type"].endswith("/body-too-large")
    # The pages show the reason at the field, and nothing is stored.
    for end in ("/programmes/calm/picture", f"/practices/{code}/media"):
        for data in (hostile["HTML"], png(30_000, 30_000), b""):
            reply = rosa.session.post(
                f"{rosa.server.url}/staff/{study}/draft{end}", data={"exercise": "story"}, files={"file": ("a.png", data, "image/png")}, timeout=60,
                allow_redirects=False)
            assert reply.status_code == 422 and 'id="file-fault"' in reply.text, (end, reply.text[:500])
    assert get(rosa, route(study))["revision"] == before


def test_an_exercise_has_a_sound_or_a_film(visitor, rosa, study):
    code = f"p{uuid.uuid4().hex[:8]}"
    practice(rosa, study, code, "One")
    journeys(rosa, study, {"code": "calm", "title": {"en": "Calm"}, "modules": [code]})
    page = visitor(java_script_enabled=False)
    sign_in(page, rosa)
    page.goto(f"/staff/{study}/draft/practices/{code}")

    def upload(exercise, name, data):
        page.locator("#exercise").select_option(exercise)
        page.locator("#file").set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": data})
        with page.expect_navigation():
            page.get_by_role("button", name=words("journeys", "upload_media")).click()

    def media(number):
        return get(rosa, route(study, f"/practices/{code}"))["practice"]["exercises"][number]["media"]

    def fetch(element, **headers):
        return rosa.session.get(rosa.server.url + page.locator(element).get_attribute("src"), headers=headers, timeout=60)

    # Files that are not what their names claim, and one that is too large: the reason is beside the field, and the choice of the exercise stays.
    before = get(rosa, route(study))["revision"]
    for name, data in {
            "song.mp3": b"<!doctype html><script>alert(1)</script>", "film.mp4": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
            "mixed.wav": sound() + b"<html><script>alert(1)</script>", "cut.mp4": film()[:2000], "long.wav": sound(80)}.items():
        upload("thought", name, data)
        expect(page.locator("#file-fault")).to_be_visible()
        expect(page.locator("#file")).to_have_attribute("aria-describedby", "file-hint file-fault")
        expect(page.locator("#exercise")).to_have_value("thought")
    assert get(rosa, route(study))["revision"] == before

    # A sound with another ending: the content counts. It has a player and a field for its words.
    upload("thought", "voice.mp3", sound())
    expect(page.locator(".banner.ok")).to_have_text(words("journeys", "notice_audio"))
    assert media(1) == {"type": "audio", "source": "media/thought.wav"}
    expect(page.get_by_text(words("journeys", "field_media_audio"), exact=True)).to_be_visible()
    field(page, "practice#/exercises/thought/media_text/en").fill("Two seconds of silence.")
    save(page)
    upload("story", "breath.mp4", film())
    assert media(0) == {"type": "video", "source": "media/story.mp4"}
    field(page, "practice#/exercises/story/media_text/en").fill("The sun over a lake.")
    save(page)
    assert page.locator("audio[controls], video[controls]").count() == 2 and page.locator("[autoplay]").count() == 0
    part = fetch("video", Range="bytes=4-11")
    assert (part.status_code, part.content, part.headers["Content-Type"]) == (206, b"ftypisom", "video/mp4")
    assert fetch("audio").content == sound() and fetch("audio", Range="bytes=999999-").status_code == 416

    # What participants will see, before it is published.
    page.get_by_role("link", name=words("journeys", "preview")).click()
    assert "/draft/try/q/" in page.url
    expect(page.locator("audio")).to_have_attribute("aria-label", words("answer", "media_audio"))
    expect(page.locator("video")).to_have_attribute("aria-label", words("answer", "media_video"))
    expect(page.locator("details:has(summary)", has_text="The sun over a lake.").locator("summary")).to_have_text(words("answer", "media_in_words"))
    player = page.locator("audio")
    player.evaluate("player => { player.preload = 'metadata'; player.load(); }")
    wait_until(lambda: player.evaluate("player => player.duration") == 2, 10, "the sound can be played")
    assert fetch("video").content == film() and fetch("video", Range="bytes=-9").content == film()[-9:]

    # A picture replaces the sound, and the film is removed with its words. No file stays behind.
    page.goto(f"/staff/{study}/draft/practices/{code}")
    upload("thought", "tree.png", png())
    expect(page.locator(".banner.ok")).to_have_text(words("journeys", "notice_image"))
    with page.expect_navigation():
        page.locator("button[value='no_media:story']").click()
    expect(page.locator(".exercise audio, .exercise video")).to_have_count(0)
    assert media(0) is None and media(1) == {"type": "image", "source": "media/thought.png"}
    names = {one["path"].rpartition("/")[2] for one in get(rosa, route(study))["files"] if f"/{code}/" in one["path"]}
    assert {name for name in names if "." in name and not name.endswith((".yaml", ".md"))} == {"thought.png"}, names


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 320)])
def test_the_pages_have_no_accessibility_faults_and_fit_the_screen(visitor, rosa, study, scheme, width):
    code = f"p{uuid.uuid4().hex[:8]}"
    practice(rosa, study, code, "A practice with a title that is longer than most screens of phones are wide")
    for exercise, file in (("story", film()), ("thought", sound())):
        reply = rosa.session.post(
            f"{rosa.server.url}/staff/{study}/draft/practices/{code}/media", data={"exercise": exercise}, files={"file": ("a", file)}, timeout=60,
            allow_redirects=False)
        assert reply.status_code == 303, reply.text
    journeys(
        rosa, study, {"code": "a_journey_with_long_code", "title": {"en": "Unbelievablylongwordsarenothingthatatitleneeds"}, "modules": [code]},
        {"code": "calm", "title": {"en": "Calm"}, "modules": [code], "withdrawn": True})
    page = visitor(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, rosa)
    axe, faults = Axe(), []
    for end in ("/programmes", "/programmes/calm", f"/practices/{code}", ""):
        page.goto(f"/staff/{study}/draft{end}")
        page.locator("main details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        faults.extend((end, fault["id"], [node["html"][:160] for node in fault["nodes"]][:2]) for fault in axe.run(page).response["violations"])
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            faults.append((end, "wide", wide))
    assert faults == []
