"""The pack alter-ego through its pages, in a real Chromium, in English and German: a start without an account, the onboarding, Discover, a journey,
one practice to its end, its rating and the mood after it, the entries, a locked journey and its plans, a gift that opens it, and the sign-up with
which a second device has everything. Then what a participant sees of a purchase, its renewal and its refund, of a mood that is sent too late, of
answers that were written after the end of a plan, and of a new edition. Screenshots are in the temporary folder of the test.

test_story_alter_ego.py shows the whole story through the API. What pages of programmes do in general has its own tests.
"""

import csv
import hashlib
import math
import re
import shutil
import uuid

import pytest
import requests
import yaml
from playwright.sync_api import expect

from acceptance.app_store import milliseconds
from acceptance.browser import PASSWORD, is_kept, words
from acceptance.moments import after, evening_zone
from acceptance.people import Person
from acceptance.server import ROOT, wait_until
from test_staff_pages import Member

STUDY = "alter-ego"
PACK = ROOT / "Questionnaires"
FOLDER = PACK / "studies" / STUDY
# Answers to the inputs of the first practice.
ANSWERS = {
    "en": {"today": "the talk at ten", "outer": "whether the train is on time", "inner": "I can leave early", "hard_moment": "one thing at a time"},
    "de": {"today": "das Gespräch um zehn", "outer": "ob der Zug pünktlich ist", "inner": "ich kann früher gehen", "hard_moment": "eins nach dem anderen"},
}


def folder_of(instrument):
    """The folder of the only version of an instrument."""
    [folder] = (PACK / "instruments" / instrument).iterdir()
    return folder


def text_of(instrument, language):
    return yaml.safe_load((folder_of(instrument) / f"text.{language}.yaml").read_text())


def definition_of(instrument):
    return yaml.safe_load((folder_of(instrument) / "questionnaire.yaml").read_text())["item"]


def text_of_study(language):
    return yaml.safe_load((FOLDER / "content" / f"text.{language}.yaml").read_text())


def journeys(language):
    return yaml.safe_load((FOLDER / "library" / f"programmes.{language}.yaml").read_text())


@pytest.fixture(scope="module")
def published(server):
    server.run("publish", FOLDER, "--keep-enrolled")
    return server


class Guest:
    """A participant with a phone in one language, who begins without an account. Everything happens through the pages."""

    def __init__(self, visitor, language, folder, **more):
        self.language, self.folder = language, folder
        self.page = visitor(locale={"en": "en-GB", "de": "de-DE"}[language], **more)
        self.page.goto(f"/studies/{STUDY}")
        self.page.get_by_role("button", name=self.word("anonymous", "start")).click()
        self.page.locator("[name=accepted]").check()
        self.page.locator("main form button.primary").click()
        self.page.wait_for_url("**/my/**")
        self.home = re.search(r"/my/[0-9a-f-]{36}", self.page.url).group()

    def own(self, path=""):
        reply = self.page.request.get(f"/v1/enrolments/{self.home.removeprefix('/my/')}{path}")
        assert reply.ok, reply.text()
        return reply.json()

    def word(self, section, name, **values):
        return words(section, name, self.language, **values)

    def open(self, path):
        self.page.goto(self.home + path)
        return self.page

    def device_keeps(self, path):
        """Opens Today, which prepares the device; whether the device keeps a page whose address begins with the path."""
        self.open("")
        return self.page.evaluate("""async (start) => {
            for (const name of await caches.keys())
                for (const { url } of await (await caches.open(name)).keys()) if (new URL(url).pathname.startsWith(start)) return true;
            return false; }""", self.home + path)

    def keep(self, name):
        """Keeps a screenshot, and checks that the page is not wider than the phone."""
        self.page.screenshot(path=self.folder / f"{self.language}-{name}.png", full_page=True)
        assert self.page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), f"{name} is wider than the phone"
        broken = self.page.evaluate("[...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)")
        assert broken == [], f"pictures of {name} are not shown"

    def send(self):
        name = re.compile(f"^({'|'.join(map(re.escape, (self.word('answer', 'submit'), self.word('answer', 'finish'))))})$")
        return self.page.get_by_role("button", name=name)

    def sign_up(self):
        """Signs up; the address."""
        email = f"{uuid.uuid4().hex}@example.org"
        self.page.goto("/account/sign-up")
        self.keep("sign-up")
        form = self.page.locator("form[action$='/account/sign-up']")
        for name, value in (("display_name", "Yana Canary"), ("email", email), ("password", PASSWORD)):
            form.locator(f"[name={name}]").fill(value)
        form.locator("button.primary").click()
        expect(self.page.get_by_text(self.word("anonymous", "kept"))).to_be_visible()
        return email

    def go_through(self, answers, names=(), ends="**/sheets/**"):
        """Answers one question after the other and sends the answers; the texts of the stories in the order in which they were shown."""
        self.page.locator("form[data-started]").wait_for(state="attached")
        stories = []
        for number in range(30):
            story = self.page.locator("p.story:visible")
            if story.count():
                stories.append(story.inner_text())
            for link_id, answer in answers.items():
                field = self.page.locator(f"#q-{link_id}-value:visible")
                if field.count():
                    if names:
                        assert field.get_attribute("placeholder"), f"{link_id} has no placeholder"
                    field.fill(answer)
            if number < len(names):
                self.keep(names[number])
            # A practice ends with its last exercise.
            if self.send().is_visible():
                break
            self.page.get_by_role("button", name=self.word("answer", "continue"), exact=True).click()
        else:
            pytest.fail("the practice does not end")
        self.send().click()
        self.page.wait_for_url(ends)
        return stories


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_guest_travels_from_the_start_to_the_sign_up(visitor, published, tmp_path, language):
    guest = Guest(visitor, language, tmp_path)
    page, study, titles = guest.page, text_of_study(language), journeys(language)
    practice = text_of("control_morning", language)

    # The onboarding: pages about the app, then three questions, once.
    onboarding = text_of("onboarding", language)
    guest.open("/welcome")
    for _ in range(10):
        if page.locator("#questions").count():
            break
        with page.expect_navigation():
            page.get_by_role("link", name=guest.word("welcome", "next"), exact=True).click()
    guest.keep("onboarding")
    last = page.url
    page.locator("main .card .button").click()
    page.locator("form[data-started]").wait_for(state="attached")
    for link_id, value in (("goal", "focus"), ("experience", "none"), ("minutes_a_day", 10)):
        page.get_by_text(onboarding["options"][link_id][value], exact=True).click()
        if not guest.send().is_visible():
            page.get_by_role("button", name=guest.word("answer", "continue"), exact=True).click()
    guest.send().click()
    page.wait_for_url("**/sheets/**")
    page.goto(last)
    expect(page.locator("main .card .button")).to_have_count(0)

    # Discover: what is recommended, then the three journeys with their pictures. The Socratic one is locked.
    guest.open("/programmes")
    expect(page.get_by_role("heading", level=1)).to_have_text(study["features"]["programmes"]["title"])
    recommended = page.locator("section[aria-labelledby=recommended] li")
    # The rule for the answer comes before the table.
    expect(recommended.nth(0)).to_contain_text(practice["title"])
    expect(recommended.nth(1)).to_contain_text(text_of("enough_wants", language)["title"])
    expect(recommended.nth(2)).to_contain_text(text_of("enough_pleasure", language)["title"])
    cards = page.locator("section[aria-labelledby=programmes] li")
    expect(cards).to_have_count(3)
    for card, code in zip(cards.all(), ("control", "enough", "questions")):
        expect(card).to_contain_text(titles[code]["title"])
        expect(card).to_contain_text(titles[code]["subtitle"])
        expect(card.locator("img")).to_have_count(1)
    expect(cards.nth(0)).not_to_contain_text(guest.word("programmes", "locked"))
    expect(cards.nth(2)).to_contain_text(guest.word("programmes", "locked"))
    page.wait_for_load_state("networkidle")
    guest.keep("discover")

    # The journey: picture, introduction, four practices.
    cards.nth(0).get_by_role("link", name=titles["control"]["title"]).click()
    page.wait_for_url("**/programmes/control")
    expect(page.get_by_role("heading", level=1)).to_have_text(titles["control"]["title"])
    expect(page.locator("main")).to_contain_text(titles["control"]["introduction"].splitlines()[0])
    practices = page.locator("[data-practice]")
    assert practices.evaluate_all("all => all.map(one => one.dataset.practice)") == ["control_morning", "control_news", "control_view", "control_evening"]
    page.wait_for_load_state("networkidle")
    guest.keep("journey")

    # The practice, one thought after the other, to its end.
    practices.nth(0).locator("h3 a").click()
    page.wait_for_url("**/q/control_morning")
    stories = guest.go_through(ANSWERS[language], names=("story", "story-with-picture", "input"))
    assert [plain(story) for story in stories] == [
        plain(text) for link_id, text in practice["items"].items() if link_id not in ANSWERS[language]]
    guest.keep("end")

    # Rating and mood are offered at once, and each of them leads back to here.
    for instrument, label in (("practice_rating", text_of("practice_rating", language)["options"]["rating"][4]), ("mood_check", None)):
        link = page.locator("section[aria-labelledby=how-was-it]").get_by_role("link", name=text_of(instrument, language)["title"], exact=True)
        link.click()
        page.wait_for_url("**/o/**")
        page.locator("form[data-started]").wait_for(state="attached")
        if label:
            page.get_by_text(label, exact=True).click()
        else:
            page.locator("label:has(#q-mood-7)").click()
        guest.keep(instrument)
        guest.go_through({})
    expect(page.locator("section[aria-labelledby=how-was-it]")).to_have_count(0)
    guest.open("/programmes/control")
    expect(page.locator("[data-practice=control_morning]")).to_contain_text(guest.word("programmes", "rating", value="").strip())
    expect(page.locator("main progress")).to_have_attribute("value", "1")

    # The entries, with the questions as they were read.
    guest.open("/programmes/control/entries")
    shown = page.locator("#entries dl.answers").first
    for link_id, answer in ANSWERS[language].items():
        expect(shown).to_contain_text(practice["items"][link_id])
        expect(shown).to_contain_text(answer)
    guest.keep("entries")
    guest.open("/insights")
    expect(page.locator("main")).to_contain_text(study["variables"]["mood_weeks"]["title"])
    guest.keep("insights")

    # A locked practice shows none of its stories.
    page.goto(f"{guest.home}/programmes/questions")
    expect(page.locator("[data-practice=questions_know]")).to_contain_text(guest.word("programmes", "locked"))
    first = plain(text_of("questions_know", language)["items"]["market"])[:60]
    assert first not in page.content()
    reply = page.request.get(f"{guest.home}/q/questions_know")
    assert first not in plain(reply.text())

    # Its page has the plans. A gift of the study team opens it.
    guest.open("/plans")
    for plan in study["plans"].values():
        expect(page.locator("#plans")).to_contain_text(plan["title"])
    guest.keep("plans")
    cora = Member(published, [("coordinator", STUDY), ("researcher", STUDY)])
    gift = cora.session.put(
        f"{published.url}/v1/studies/{STUDY}/participants/{guest.own()['participant_id']}/entitlements/premium", timeout=60,
        json={"valid_until": None, "reason": "Thanks for the interview."})
    assert gift.status_code == 200, gift.text
    guest.open("/q/questions_know")
    page.locator("form[data-started]").wait_for(state="attached")
    guest.go_through({"sure": "canary-sure"})
    guest.open("/programmes/questions/entries")
    expect(page.locator("main dd")).to_have_text(["canary-sure"])

    # Legal information and how it works are under More.
    guest.open("/more")
    for feature in ("regulations", "how_it_works"):
        expect(page.get_by_role("link", name=study["features"][feature]["title"], exact=True)).to_have_count(1)
    guest.open("/c/regulations")
    expect(page.locator("main ul.cards > li")).to_have_count(5)
    guest.keep("regulations")

    # A practice has a film of one breath, which begins only when it is played, with words for those who do not see it. It is kept for later.
    guest.open("/q/enough_worry")
    page.locator("form[data-started]").wait_for(state="attached")
    page.get_by_role("button", name=guest.word("answer", "continue"), exact=True).click()
    film = page.locator("video[controls]:visible")
    expect(film).to_have_attribute("aria-label", guest.word("answer", "media_video"))
    assert film.evaluate("film => film.autoplay || film.loop || !film.paused") is False
    page.get_by_text(guest.word("answer", "media_in_words"), exact=True).locator("visible=true").click()
    [text] = (PACK / "instruments" / "enough_worry").glob(f"*/text.{language}.yaml")
    expect(page.get_by_text(yaml.safe_load(text.read_text())["media"]["breath"])).to_be_visible()
    guest.keep("film")
    source, bytes_of_film = film.get_attribute("src"), (text.parent / "media" / "breath.mp4").read_bytes()
    assert page.request.get(source, headers={"Range": "bytes=0-99"}).body() == bytes_of_film[:100]
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_until(lambda: page.evaluate("async (source) => Boolean(await (await caches.open('media')).match(source))", source), 30, "the film is kept")
    page.context.set_offline(True)
    part = page.evaluate("""async (source) => {
        const reply = await fetch(source, { headers: { Range: "bytes=4-7" } });
        return [reply.status, reply.headers.get("Content-Type"), reply.headers.get("Content-Range"), await reply.text()];
    }""", source)
    page.context.set_offline(False)
    assert part == [206, "video/mp4", f"bytes 4-7/{len(bytes_of_film)}", "ftyp"]

    # So is a story to listen to, in the language of the reader and with two voices. The text is beside them.
    guest.open("/more")
    page.get_by_role("link", name=study["features"]["stories"]["title"], exact=True).click()
    expect(page.locator("main")).to_contain_text(study["features"]["stories"]["text"])
    page.locator("main form button.primary").click()
    page.wait_for_url("**/c/stories")
    with (FOLDER / "library" / f"stories.{language}.csv").open(newline="") as table:
        [story] = csv.DictReader(table)
    expect(page.locator("main")).to_contain_text(story["body"][:60])
    sounds = page.locator("main audio[controls]")
    expect(sounds).to_have_count(2)
    played = sounds.evaluate_all("""sounds => Promise.all(sounds.map(sound => new Promise((done, failed) => {
        sound.addEventListener("loadedmetadata", () => done([sound.src.split("/").pop(), sound.duration]));
        sound.addEventListener("error", () => failed(sound.error.message));
        sound.preload = "metadata";
        sound.load();
    })))""")
    files = [(FOLDER / "library" / story[f"audio.{variant}"]).read_bytes() for variant in ("low", "high")]
    assert [digest for digest, _ in played] == [hashlib.sha256(file).hexdigest() for file in files]
    assert all(60 < duration < 90 for _, duration in played), played
    guest.keep("stories")

    # The sign-up keeps everything. A second device has the entries, and does not ask the questions of the onboarding again.
    email = guest.sign_up()
    phone = visitor(locale={"en": "en-GB", "de": "de-DE"}[language])
    phone.goto(f"/login?next={guest.home}")
    phone.locator("[name=email]").fill(email)
    phone.locator("[name=password]").fill(PASSWORD)
    phone.locator("main form button.primary").click()
    phone.wait_for_url(f"**{guest.home}")
    phone.goto(f"{guest.home}/programmes/control/entries")
    expect(phone.locator("#entries dl.answers").first).to_contain_text(ANSWERS[language]["today"])
    phone.goto(last)
    expect(phone.locator("#questions")).to_have_count(1)
    expect(phone.locator("main .card .button")).to_have_count(0)
    phone.goto(f"{guest.home}/programmes/questions")
    expect(phone.locator("[data-practice=questions_know]")).not_to_contain_text(guest.word("programmes", "locked"))


# A journey that the next edition adds, and its models. The participant's goal is not calm, and the mean of the moods is 7.
SHORT = {"code": "short", "picture": "media/control.png", "authors": ["Seneca"], "modules": ["control_view", "enough_pleasure"]}
SHORT_TEXT = {"title": "A short canary journey", "subtitle": "Two practices", "introduction": "For days without time."}
MODELS = {"control_evening": (-0.4, -0.05), "enough_wants": (-1.3, 0.15), "enough_worry": (2.0, -0.31), "questions_live": (0.2, -0.2)}


def next_edition(folder):
    """A copy of the pack with a further journey and with models."""
    packs = folder / "packs"
    shutil.copytree(FOLDER, packs / "studies" / STUDY)
    for entry in yaml.safe_load((FOLDER / "study.yaml").read_text())["questionnaires"]:
        shutil.copytree(PACK / "instruments" / entry["code"], packs / "instruments" / entry["code"])
    library = packs / "studies" / STUDY / "library"

    def change(name, edit):
        document = yaml.safe_load((library / name).read_text())
        edit(document)
        (library / name).write_text(yaml.safe_dump(document, allow_unicode=True, sort_keys=False))

    change("programmes.yaml", lambda one: one["programmes"].append(SHORT))
    for language in ("en", "de"):
        change(f"programmes.{language}.yaml", lambda one: one.update({"short": SHORT_TEXT}))
    change("recommendations.yaml", lambda one: one.update(models=[
        {"of": code, "version": "2026-12", "kind": "logistic", "intercept": intercept, "terms": {"mood_mean": slope}}
        for code, (intercept, slope) in MODELS.items()]))
    return packs / "studies" / STUDY


def test_a_participant_sees_purchases_late_answers_and_a_new_edition(visitor, published, contract, app_store, tmp_path):
    # Messages come by day.
    zone = evening_zone(12)
    guest = Guest(visitor, "en", tmp_path, timezone_id=zone)
    page, study = guest.page, text_of_study("en")
    phone = Person(published, contract, zone=zone)
    phone.email, phone.password, phone.enrolment = guest.sign_up(), PASSWORD, {"enrolment_id": guest.home.removeprefix("/my/")}
    phone.log_in()
    locked = guest.word("programmes", "locked")
    practices = page.locator("[data-practice]")
    owned = page.locator("#owned")

    # 11. A mood that was begun in time and is sent after the two hours. The page says so, takes it, and shows that it was late.
    guest.open("/q/control_view")
    guest.go_through({})
    offered = page.locator("section[aria-labelledby=how-was-it]")
    mood = offered.get_by_role("link", name=text_of("mood_check", "en")["title"], exact=True)
    address = mood.get_attribute("href")
    occasion = re.search(r"/o/([0-9a-f-]{36})", address).group(1)
    published.sql(f"""
        update research.occasion set visible_at = visible_at - interval '3 hours', open_at = open_at - interval '3 hours',
            due_at = due_at - interval '3 hours', close_at = close_at - interval '3 hours'
        where occasion_id = '{occasion}'""")
    page.reload()
    expect(offered.get_by_role("link")).to_have_count(1)
    page.goto(f"{guest.home}/o/{occasion}?late=1")
    expect(page.get_by_text(guest.word("answer", "closed_draft"))).to_be_visible()
    page.locator("form[data-started]").wait_for(state="attached")
    page.locator("label:has(#q-mood-7)").click()
    guest.keep("late-mood")
    guest.go_through({}, ends=lambda url: "/o/" not in url)
    [late] = guest.own("/answer-sheets?questionnaire=mood_check")["items"]
    assert late["standing"] == "out_of_window" and late["answers"]["mood"] == 7
    guest.open(f"/sheets/{late['sheet_id']}")
    expect(page.locator("main")).to_contain_text(guest.word("standing", "out_of_window"))

    # 14. The locked journey leads to the plans.
    guest.open("/programmes/questions")
    expect(practices.locator(".locked")).to_have_count(4)
    is_kept(page, f"{guest.home}/programmes/questions")
    page.get_by_role("link", name=guest.word("programmes", "plans"), exact=True).click()
    page.wait_for_url("**/plans")
    expect(page.locator("#plans li h3")).to_have_text([plan["title"] for plan in study["plans"].values()])
    expect(owned).to_have_count(0)

    # 15. The app on the phone buys a month. In the browser, the journey is open, also without a connection.
    bought = app_store.transaction(product="ego.premium.month", bought=-10, until=20)

    def notify(kind, signed, **more):
        reply = requests.post(
            f"{published.url}/v1/purchase-notifications/app_store", timeout=60, json=app_store.notice(kind, bought | more, signed=signed))
        assert reply.status_code == 204, reply.text

    purchase = {"provider": "app_store", "study": STUDY, "signed_transaction": app_store.sign(bought)}
    assert phone.call("POST", "/v1/account/purchases", json=purchase, status=200)["state"] == "active"
    guest.open("/programmes/questions")
    expect(practices).to_have_count(4)
    expect(practices.locator(".locked")).to_have_count(0)
    guest.keep("bought")
    guest.open("/plans")
    expect(owned).to_contain_text(study["entitlements"]["premium"]["title"])
    ends = [owned.inner_text()]
    notify("DID_RENEW", -0.2, expiresDate=milliseconds(after(days=50)), signedDate=milliseconds(after(days=-0.2)))
    page.reload()
    ends.append(owned.inner_text())
    assert ends[0] != ends[1], "the renewal shows its end"
    guest.open("/programmes/questions").locator("[data-practice=questions_know] h3 a").click()
    guest.go_through({"sure": "canary-sure"})
    guest.open("/programmes/questions")
    wait_until(lambda: guest.device_keeps("/q/questions_words"), 60, "the open practice is on the device")
    is_kept(page, f"{guest.home}/programmes/questions")
    page.context.set_offline(True)
    guest.open("/programmes/questions")
    expect(practices).to_have_count(4)
    expect(practices.locator(".locked")).to_have_count(0)

    # 16. A practice is finished without a connection. Meanwhile the payment was returned, and the days of grace are over.
    guest.open("/q/questions_words")
    field = next(item["linkId"] for item in definition_of("questions_words") if item["type"] == "text")
    guest.go_through({field: "canary-late"}, ends="**/programmes/questions")
    back = {"expiresDate": milliseconds(after(days=50))}
    notify("REFUND", -0.1, **back, revocationDate=milliseconds(after(days=-1)), signedDate=milliseconds(after(days=-0.1)))
    assert phone.call("GET", phone.own("/entitlements"), status=200)["items"][0]["state"] == "grace"
    notify("REFUND", 0, **back, revocationDate=milliseconds(after(days=-5)), signedDate=milliseconds(after()))
    assert phone.call("GET", phone.own("/entitlements"), status=200)["items"][0]["state"] == "ended"
    page.context.set_offline(False)
    guest.open("")
    wait_until(lambda: guest.own("/answer-sheets?questionnaire=questions_words")["items"], 60, "the practice has arrived")
    [sheet] = guest.own("/answer-sheets?questionnaire=questions_words")["items"]
    assert "not_entitled" in sheet["flags"]
    guest.open("/programmes/questions")
    expect(practices.locator(".locked")).to_have_count(4)
    guest.keep("ended")
    guest.open("/plans")
    expect(owned).to_contain_text(guest.word("plans", "state_ended", day="").strip())
    guest.open("/q/questions_belief")
    # The browser logs the status of the page.
    page.complaints = [text for text in page.complaints if "403" not in text]
    expect(page.locator("form[data-started]")).to_have_count(0)
    expect(page.locator("main .lead")).to_have_text(guest.word("plans", "locked", title=study["entitlements"]["premium"]["title"]))
    # What was written is readable, and the device keeps no locked practice.
    guest.open("/programmes/questions/entries")
    expect(page.locator("main dd")).to_contain_text(["canary-late", "canary-sure"])
    guest.keep("entries-after-the-end")
    wait_until(lambda: not guest.device_keeps("/q/questions_"), 60, "the device has no locked practice")

    # 6., 20. The next edition: its models order what is recommended, and a message announces its journey.
    phone.submit("onboarding", {"goal": "focus", "experience": "none", "minutes_a_day": 10})
    published.run("publish", next_edition(tmp_path), "--keep-enrolled")

    def message():
        items = phone.call("GET", phone.own("/inbox"), status=200)["items"]
        return [one for one in items if one["rule"] == "new_journey"]

    wait_until(message, 60, "the new journey is announced")
    [announced] = message()
    guest.open("/messages")
    card = page.locator("li.message").filter(has_text=announced["subject"])
    guest.keep("message")
    card.get_by_role("button", name=guest.word("messages", "open"), exact=True).click()
    # The first visit of Discover says what it is for.
    page.wait_for_url("**/f/programmes")
    page.locator("main form button.primary").click()
    page.wait_for_url("**/my/*/programmes")
    scores = {code: 1 / (1 + math.exp(-intercept - slope * 7)) for code, (intercept, slope) in MODELS.items()}
    by_model = page.locator("section[aria-labelledby=recommended] li[data-why=model]")
    order = sorted(scores, key=scores.get, reverse=True)
    expect(by_model.locator("h3")).to_have_text([text_of(code, "en")["title"] for code in order])
    guest.keep("discover-by-model")
    page.locator("section[aria-labelledby=programmes]").get_by_role("link", name=SHORT_TEXT["title"], exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(SHORT_TEXT["title"])
    expect(practices).to_have_count(2)
