"""Takes the reference screenshots in this folder, with simulated participants of the studies of this repository.

    .venv/bin/pip install pillow && .venv/bin/python docs/screens/take.py

Run it after a change of the look, and look at every picture. Each is a PNG file with few colours, so that it stays below 60 kB.
"""

import io
import json
import pathlib
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests" / "Acceptance"))

from acceptance.browser import launch  # noqa: E402
from acceptance.server import ROOT, Server  # noqa: E402

PHONE, DESKTOP = (390, 844), (1280, 800)
# The number of participants, and the days since they joined. The pictures of participants show the first one.
STUDIES = {"mindful-walking": (24, 20), "emotions-tracker": (1, 60), "alter-ego": (1, 20)}
LIMIT = 60_000


def pictures(walking, tracker, ego):
    """Name, size, colour scheme and address of each picture."""
    for scheme in ("light", "dark"):
        yield f"today-{scheme}", PHONE, scheme, tracker
        yield f"question-{scheme}", PHONE, scheme, f"{tracker}/q/log"
        yield f"insights-{scheme}", PHONE, scheme, f"{tracker}/insights"
    yield "today-walking", PHONE, "light", walking
    yield "entries", PHONE, "light", f"{tracker}/entries"
    yield "walk", PHONE, "light", f"{walking}/walks/*"
    yield "journeys", PHONE, "light", f"{ego}/programmes"
    yield "journey", PHONE, "light", f"{ego}/programmes/control"
    yield "practice", PHONE, "light", f"{ego}/q/control_morning"
    yield "settings", PHONE, "light", f"{tracker}/settings"
    yield "study", PHONE, "light", "/studies/mindful-walking"
    yield "insights-desktop", DESKTOP, "light", f"{tracker}/insights"


def staff_pictures(team):
    """The same for the pages of the study team."""
    yield "team-studies", DESKTOP, "light", "/staff"
    yield "team-overview", DESKTOP, "light", team
    yield "team-overview-dark", PHONE, "dark", team
    yield "team-adherence", DESKTOP, "light", f"{team}/adherence"
    yield "team-participant", PHONE, "light", f"{team}/participants/*"
    yield "team-exports", DESKTOP, "light", f"{team}/exports"


def take(page, name, size, scheme, address):
    page.set_viewport_size(dict(zip(("width", "height"), size)))
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if address.endswith("/*"):
        page.goto(address.removesuffix("/*"))
        address = page.locator(".cards a, main tbody th a").first.get_attribute("href")
    page.goto(address)
    page.wait_for_load_state("networkidle")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = HERE / f"{name}.png"
    picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size <= LIMIT, f"{path.name} has {path.stat().st_size} bytes"
    print(path.name, path.stat().st_size)


def speak(page, home, language):
    """Chooses the language of an enrolment."""
    origin = page.url.split("/", 3)
    reply = page.context.request.patch(home.replace("/my/", "/v1/enrolments/"), data={"language": language}, headers={"Origin": f"{origin[0]}//{origin[2]}"})
    assert reply.ok, reply.text()


def log_in(browser, server, email, password):
    page = browser.new_context(base_url=server.url, locale="en-GB", timezone_id="Europe/Berlin", device_scale_factor=1).new_page()
    page.goto("/login")
    page.locator("[name=email]").fill(email)
    page.locator("[name=password]").fill(password)
    page.locator("main form button.primary").click()
    page.wait_for_url(lambda address: not address.endswith("/login"))
    return page


def main():
    server = Server()
    try:
        for study, (participants, days) in STUDIES.items():
            server.run("publish", ROOT / "Questionnaires" / "studies" / study, "--keep-enrolled")
            person = json.loads(server.run("cohort", "--study", study, "--participants", participants, "--days", days, "--json", seconds=900))
        server.start()
        with sync_playwright() as playwright:
            browser = launch(playwright)
            page = log_in(browser, server, person["participant"], person["password"])
            homes = {}
            for item in page.context.request.get("/v1/enrolments").json()["items"]:
                homes[item["study"]] = f"/my/{item['enrolment_id']}"
                speak(page, homes[item["study"]], "en")
            # Earlier messages are in German.
            server.sql("update research.inbox_message set opened_at = created_at, dismissed_at = created_at")
            for picture in pictures(homes["mindful-walking"], homes["emotions-tracker"], homes["alter-ego"]):
                take(page, *picture)
            # Answers are shown with the questions as they were read, and the participant read German.
            speak(page, homes["alter-ego"], "de")
            take(page, "practice-entries", PHONE, "light", f"{homes['alter-ego']}/programmes/control/entries")
            page = log_in(browser, server, person["researcher"], person["password"])
            for picture in staff_pictures("/staff/mindful-walking"):
                take(page, *picture)
            browser.close()
    finally:
        server.remove()


if __name__ == "__main__":
    main()
