"""Takes a picture of every page of the dashboard, and of participants' pages, with 300 simulated participants of three studies.

    .venv/bin/python docs/screens/every_page.py FOLDER [--data DIRECTORY] [--only WORD] [--parts studies,scores,…]

The pictures are to be looked at after a change of the look; they are not committed. Each shows the whole page, at 1280 and 390 pixels, some also
in the dark scheme or in German. Two pages are printed on A4. A list of faults that a program finds is printed at the end: pages that are wider
than the screen, pages that could not be taken, and answers other than 200.
`--data` keeps the filled data directory, because to fill it takes some minutes. `--only` takes pages whose name contains a word.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time
import uuid

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Acceptance"))

from acceptance.browser import launch  # noqa: E402
from acceptance.people import Person  # noqa: E402
from acceptance.server import ROOT, Server, _copy_cluster, migrated_cluster  # noqa: E402

WALKING, APPINESS, EGO = "mindful-walking", "appiness", "alter-ego"
# Study -> participants, and days since the first one joined.
STUDIES = {WALKING: (150, 26), APPINESS: (90, 21), EGO: (60, 30)}
WIDE, PHONE = (1280, 800), (390, 844)
NEW_STUDY = "calm-evenings"


# Data

def fill(server):
    """Creates the participants, and what goes wrong in a real study; those of the largest study, of whom some are in the others too."""
    for study, (participants, days) in STUDIES.items():
        server.run("publish", ROOT / "Questionnaires" / "studies" / study, "--keep-enrolled")
        made = json.loads(server.run("cohort", "--study", study, "--participants", participants, "--days", days, "--json", seconds=1800))
        if study == WALKING:
            people = made
    (server.directory / "people.json").write_text(json.dumps(people))
    return people


def make_trouble(server, people):
    """Participants who never started, who withdrew, whose devices hold records, whose messages failed, and alerts."""
    for number in range(7):
        person = Person(server, name=f"Late{number} Starter").register().enrol(study=WALKING)
        server.sql(f"""
            update research.occasion set visible_at = visible_at - interval '9 days', open_at = open_at - interval '9 days',
              due_at = due_at - interval '9 days', close_at = close_at - interval '9 days'
            where enrolment_id = '{person.enrolment["enrolment_id"]}'""")
    # A server without mail would try again for days. The messages of the past are sent.
    server.sql("""
        update research.reminder set state = 'sent', next_attempt_at = null, sent_at = planned_at + interval '4 seconds', channel = 'mail',
          delivered_at = planned_at + interval '9 seconds', opened_at = case when get_byte(uuid_send(message_id), 0) < 150 then planned_at + interval '17 minutes' end
        where state = 'retrying' and planned_at < now() - interval '20 minutes'""")
    for study, count in ((WALKING, 6), (APPINESS, 3), (EGO, 2)):
        chosen = f"select enrolment_id from research.enrolment where study = '{study}' order by md5(participant_id)"
        server.sql(f"""
            insert into research.device (enrolment_id, device_id, first_seen_at, last_seen_at, received)
            select enrolment_id, gen_random_uuid(), now() - interval '9 days', now() - interval '31 hours', '{{[1,12),[14,19)}}'
            from ({chosen} limit {count}) as chosen;
            update research.reminder set state = 'failed', why = 'rejected', sent_at = null, delivered_at = null, opened_at = null
            where (enrolment_id, kind, subject, ordinal) in (
              select enrolment_id, kind, subject, ordinal from research.reminder where enrolment_id in ({chosen} offset 20 limit {count})
                and planned_at between now() - interval '4 days' and now());
            insert into research.alert (enrolment_id, alert_id, rule, about, raised_at, next_notice_at)
            select enrolment_id, gen_random_uuid(), 'very_low', 'low_mood', now() - interval '5 hours', now() + interval '1 day'
            from ({chosen} offset 30 limit 2) as chosen""")
    for number, email in enumerate(people["participants"][-9:]):
        person = Person(server)
        person.email, person.password = email, people["password"]
        person.log_in()
        for item in person.call("GET", "/v1/enrolments", status=200)["items"]:
            person.call("POST", f"/v1/enrolments/{item['enrolment_id']}/withdrawal", json={"mode": ("stop", "exclude", "stop")[number % 3]}, status=200)


# Pages

class Camera:
    def __init__(self, folder, only):
        self.folder, self.only, self.faults, self.count = folder, only, [], 0

    def take(self, page, name, address=None, sizes=(WIDE, PHONE), schemes=("light",), before=None):
        if self.only and self.only not in name:
            return
        try:
            for scheme in schemes:
                for width, height in sizes:
                    page.set_viewport_size({"width": width, "height": height})
                    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    if address:
                        reply = page.goto(address)
                        if reply and reply.status != 200:
                            self.faults.append(f"{name}: {reply.status} {address}")
                        page.wait_for_load_state("networkidle")
                    if before:
                        before(page)
                    suffix = "" if scheme == "light" else f"-{scheme}"
                    if page.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
                        self.faults.append(f"{name}-{width}: wider than the screen ({page.evaluate('document.scrollingElement.scrollWidth')})")
                    page.screenshot(path=self.folder / f"{name}-{width}{suffix}.png", full_page=True)
                    self.count += 1
        except Exception as fault:  # The other pages are still taken; the list at the end has the fault.
            self.faults.append(f"{name}: {type(fault).__name__} {str(fault).splitlines()[0]}")

    def print(self, page, name, address):
        if self.only and self.only not in name:
            return
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.pdf(path=self.folder / f"{name}.pdf", format="A4")
        subprocess.run(["pdftoppm", "-r", "70", "-png", self.folder / f"{name}.pdf", self.folder / f"{name}-print"], check=True)


def open_details(page):
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def first(page, address, selector):
    page.goto(address)
    return page.locator(selector).first.get_attribute("href")


def log_in(browser, server, email, password, locale="en-GB"):
    page = browser.new_context(base_url=server.url, locale=locale, timezone_id="Europe/Berlin", device_scale_factor=1).new_page()
    page.set_default_timeout(20_000)
    page.goto("/login")
    page.locator("[name=email]").fill(email)
    page.locator("[name=password]").fill(password)
    page.locator("main form button.primary").click()
    page.wait_for_url(lambda address: not address.endswith("/login"))
    return page


def studies(camera, page):
    """The pages that every study has."""
    camera.take(page, "studies", "/staff", schemes=("light", "dark"))
    camera.take(page, "alerts", "/staff/alerts")
    for study in STUDIES:
        team = f"/staff/{study}"
        camera.take(page, f"{study}-overview", team, schemes=("light", "dark") if study == WALKING else ("light",))
        for name in ("participants", "adherence", "scores", "walks", "messages", "devices", "arms", "rules", "variables"):
            camera.take(page, f"{study}-{name}", f"{team}/{name}", schemes=("light", "dark") if study == WALKING and name == "adherence" else ("light",))
        person = first(page, f"{team}/participants?sort=-adherence", "main tbody th a")
        camera.take(page, f"{study}-participant", person)
        camera.take(page, f"{study}-entitlements", f"{person}/entitlements")
        camera.take(page, f"{study}-alerts", f"/staff/alerts?study={study}")


def records(camera, page):
    """Pages of one record."""
    team = f"/staff/{WALKING}"
    person = first(page, f"{team}/participants?sort=-adherence", "main tbody th a")
    page.goto(person)
    links = page.locator("main a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    for kind in ("sheets", "walks"):
        found = [link for link in links if link and re.search(f"/{kind}/[^/]+$", link)]
        if found:
            camera.take(page, f"{WALKING}-{kind.removesuffix('s')}", found[0], schemes=("light", "dark"))
    trouble = first(page, f"{team}/participants?sort=-trouble", "main tbody th a")
    camera.take(page, f"{WALKING}-participant-trouble", trouble, schemes=("light", "dark"))
    camera.take(page, f"{WALKING}-participants-filtered", f"{team}/participants?state=active&sort=adherence")
    for study in (APPINESS, EGO):
        rule = first(page, f"/staff/{study}/rules", "main a[href*='/rules/']")
        if rule:
            camera.take(page, f"{study}-rule", rule)


def scores(camera, page):
    """Statistics with a finished result, their single values."""
    for study, count in ((WALKING, 2), (APPINESS, 1), (EGO, 1)):
        page.goto(f"/staff/{study}/scores")
        links = list(dict.fromkeys(page.locator("main a[href*='/scores/']").evaluate_all("all => all.map(one => one.getAttribute('href').split('?')[0])")))
        for number, link in enumerate(links[:count]):
            page.goto(link)
            if number == 0 and study == WALKING:
                camera.take(page, f"{study}-statistics-none", link)
            button = page.locator("main form[method=post] button")
            if button.count():
                button.first.click()
            for _ in range(60):
                page.goto(link)
                if not page.locator("[data-runs]").count():
                    break
                time.sleep(1)
            camera.take(page, f"{study}-statistics-{number}", link, schemes=("light", "dark") if number == 0 else ("light",))
            camera.take(page, f"{study}-statistics-{number}-tables", link, before=open_details)
            camera.take(page, f"{study}-scores-rows", f"{link}/rows")
        camera.take(page, f"{study}-scores-after", f"/staff/{study}/scores")


def exports(camera, page):
    """An export in progress and a finished one."""
    address = f"/staff/{WALKING}/exports"
    camera.take(page, "exports-none", address)
    page.goto(address)
    page.locator("[name=profile]").first.check()
    page.locator("main form button.primary").first.click()
    page.wait_for_load_state()
    camera.take(page, "exports-running", sizes=(WIDE,))
    for _ in range(120):
        page.goto(address)
        if not page.locator("[data-runs]").count():
            break
        time.sleep(1)
    camera.take(page, "exports", address, schemes=("light", "dark"))
    page.goto(address)
    use = page.locator("[id^=use-]").first
    if use.count():
        use.click()
        page.wait_for_load_state()
        camera.take(page, "exports-lines")
    camera.take(page, f"{EGO}-exports", f"/staff/{EGO}/exports")


def coordination(camera, page):
    """Broadcasts, roles, tokens, codes, audit."""
    team = f"/staff/{WALKING}"
    page.goto(f"{team}/broadcasts")
    if page.locator("[name^=subject_]").count():
        for language, subject, body in (
                ("en", "New times from Monday", "Dear participants,\n\nfrom Monday the evening questions open at 18:00.\n\nYour study team"),
                ("de", "Neue Zeiten ab Montag", "Liebe Teilnehmende,\n\nab Montag öffnen die Abendfragen um 18 Uhr.\n\nIhr Studienteam")):
            if page.locator(f"[name=subject_{language}]").count():
                page.locator(f"[name=subject_{language}]").fill(subject)
                page.locator(f"[name=body_{language}]").fill(body)
        page.locator("button[value=check]").click()
        page.wait_for_load_state()
        camera.take(page, "broadcasts-check")
        if page.locator("button[value=send]").count():
            page.locator("button[value=send]").click()
            page.wait_for_load_state()
    camera.take(page, "broadcasts", f"{team}/broadcasts")
    page.goto(f"{team}/roles")
    if page.locator("[name=name]").count():
        page.locator("[name=name]").fill("Friederike Hohenstaufen-Beispiel")
        page.locator("[name=email]").fill("friederike.hohenstaufen@example.org")
        page.locator("[name=role]").first.check()
        page.locator("main form button.primary").first.click()
        page.wait_for_load_state()
    camera.take(page, "roles", f"{team}/roles")
    removal = page.locator("main tbody a[href*='/roles/']")
    if removal.count():
        camera.take(page, "role-removal", removal.first.get_attribute("href"))
    page.goto(f"{team}/tokens")
    page.locator("[name=label]").fill("R script of the statistician")
    page.locator("main form button.primary").first.click()
    page.wait_for_load_state()
    camera.take(page, "tokens-made")
    camera.take(page, "tokens", f"{team}/tokens")
    page.goto(f"{team}/join")
    if page.locator("[name=label]").count():
        page.locator("[name=label]").fill("Clinic, first floor")
        page.locator("main form button.primary").first.click()
        page.wait_for_load_state()
        camera.take(page, "join-codes")
    camera.take(page, "join", f"{team}/join")
    camera.take(page, "poster", f"{team}/join/poster?language=de")
    camera.take(page, "audit", f"{team}/audit")


def drafts(camera, page):
    """Versions, drafts of a new study and of a study with journeys, preview, rehearsal, dry run, publication."""
    for study in STUDIES:
        camera.take(page, f"{study}-versions", f"/staff/{study}/versions")
    link = first(page, f"/staff/{WALKING}/versions", "main a[href*='/versions/']")
    camera.take(page, "version", link)
    camera.take(page, "draft-none", f"/staff/{WALKING}/draft")
    for study in (WALKING, EGO):
        page.goto(f"/staff/{study}/draft")
        start = page.locator("main form button.primary")
        if page.locator("main p.empty").count() and start.count():
            start.first.click()
            page.wait_for_load_state()
        team = f"/staff/{study}/draft"
        camera.take(page, f"{study}-draft", team)
        for name in ("words", "schedule", "publish", "try", "import"):
            camera.take(page, f"{study}-draft-{name}", f"{team}/{name}")
        camera.take(page, f"{study}-draft-file", f"{team}/file?path=studies/{study}/schedule.yaml")
        camera.take(page, f"{study}-draft-dry-run", f"{team}/dry-run?participants=40&days=14")
        question = first(page, f"{team}/try", "main a[href*='/try/q/'], main a[href*='/try/o/']")
        if question:
            camera.take(page, f"{study}-draft-question", question)
    team = f"/staff/{EGO}/draft"
    camera.take(page, "journeys", f"{team}/programmes")
    camera.take(page, "journey", f"{team}/programmes/control")
    camera.take(page, "practice", f"{team}/practices/control_morning")
    camera.take(page, "collections", f"{team}/collections")
    link = first(page, f"{team}/collections", "main a[href*='/collections/']")
    camera.take(page, "collection", link)
    item = first(page, link, "main tbody a[href*='/collections/'], main li a[href*='/collections/']")
    if item:
        camera.take(page, "collection-item", item)
    camera.take(page, "collection-new", f"{link}/items/new")
    page.goto("/staff")
    if not page.locator(f"a[href='/staff/{NEW_STUDY}/draft']").count():
        page.context.request.post("/staff", form={"study": NEW_STUDY, "title": "Calm evenings", "language": "en", "time_zone": "Europe/Berlin", "days": "14"},
                                  headers={"Origin": page.url.split("/staff")[0]})
    camera.take(page, "new-draft", f"/staff/{NEW_STUDY}/draft")
    camera.take(page, "new-publish", f"/staff/{NEW_STUDY}/draft/publish")
    camera.take(page, "new-versions", f"/staff/{NEW_STUDY}/versions")


def german(camera, page):
    for name, address in (
            ("studies", "/staff"), ("overview", f"/staff/{WALKING}"), ("participants", f"/staff/{WALKING}/participants"), ("adherence", f"/staff/{WALKING}/adherence"),
            ("messages", f"/staff/{EGO}/messages"), ("rules", f"/staff/{EGO}/rules"), ("variables", f"/staff/{EGO}/variables"), ("exports", f"/staff/{WALKING}/exports"),
            ("audit", f"/staff/{WALKING}/audit"), ("draft", f"/staff/{EGO}/draft"), ("dry-run", f"/staff/{EGO}/draft/dry-run?participants=20&days=7"),
            ("devices", f"/staff/{WALKING}/devices"), ("broadcasts", f"/staff/{WALKING}/broadcasts"), ("join", f"/staff/{WALKING}/join"), ("walks", f"/staff/{WALKING}/walks"),
            ("scores", f"/staff/{WALKING}/scores"), ("statistics", first(page, f"/staff/{WALKING}/scores", "main a[href*='/scores/']")),
            ("participant", first(page, f"/staff/{EGO}/participants?sort=-adherence", "main tbody th a"))):
        camera.take(page, f"de-{name}", address)


def participant(camera, page, server):
    """A participant of all three studies, on a phone."""
    schemes = ("light", "dark")

    def take(name, address):
        camera.take(page, f"my-{name}", address, sizes=(PHONE,), schemes=schemes)

    homes = {}
    for item in page.context.request.get("/v1/enrolments").json()["items"]:
        homes[item["study"]] = f"/my/{item['enrolment_id']}"
        page.context.request.patch(f"/v1/enrolments/{item['enrolment_id']}", data={"language": "en"}, headers={"Origin": server.url})
    take("start", "/")
    take("studies", "/my")
    for study, home in homes.items():
        take(f"{study}-today", home)
        for name in ("entries", "insights", "settings", "more", "messages", "course", "plans", "programmes", "walks", "walk", "walk/calibrate", "walks/import", "licences"):
            reply = page.request.get(f"{home}/{name}")
            if reply.status == 200:
                take(f"{study}-{name.replace('/', '-')}", f"{home}/{name}")
        page.goto(home)
        links = page.locator("main a, nav a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        for number, link in enumerate(list(dict.fromkeys(link for link in links if link and re.search("/(o|q|f|c)/", link)))[:7]):
            take(f"{study}-link-{number}", link)
        take(f"{study}-study", f"/studies/{study}")
    if EGO in homes:
        home = homes[EGO]
        take("ego-journey", f"{home}/programmes/control")
        take("ego-locked", f"{home}/programmes/questions")
        take("ego-practice", f"{home}/q/control_morning")
        take("ego-practice-entries", f"{home}/programmes/control/entries")
    if WALKING in homes:
        walk = first(page, f"{homes[WALKING]}/walks", ".cards a, main tbody th a")
        take("walk", walk)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--data", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--parts", default="studies,records,scores,exports,coordination,drafts,german,participant,print")
    options = options.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.data and not (options.data / "postgres").exists():
        options.data.mkdir(parents=True, exist_ok=True)
        _copy_cluster(migrated_cluster(), options.data / "postgres")
    server = Server(options.data)
    camera = Camera(options.folder, options.only)
    try:
        kept = server.directory / "people.json"
        people = json.loads(kept.read_text()) if kept.exists() else fill(server)
        member = server.directory / "member.json"
        if not member.exists():
            email = f"{uuid.uuid4().hex[:8]}@example.org"
            made = json.loads(server.run("account", "create", "--email", email, "--name", "Rosa Field", "--json"))
            for study in STUDIES:
                for role in ("researcher", "coordinator", "editor"):
                    server.run("account", "grant", "--email", email, "--role", role, "--study", study)
            server.run("account", "grant", "--email", email, "--role", "admin", "--study", "*")
            server.start()
            make_trouble(server, people)
            member.write_text(json.dumps({"email": email, "password": made["password"]}))
        else:
            server.start()
        member = json.loads(member.read_text())
        with sync_playwright() as playwright:
            browser = launch(playwright)
            page = log_in(browser, server, member["email"], member["password"])
            for part in options.parts.split(","):
                began = time.monotonic()
                if part == "german":
                    german(camera, log_in(browser, server, member["email"], member["password"], "de-DE"))
                elif part == "participant":
                    participant(camera, log_in(browser, server, people["participant"], people["password"]), server)
                elif part == "print":
                    camera.print(page, "overview", f"/staff/{WALKING}")
                    camera.print(page, "adherence", f"/staff/{WALKING}/adherence")
                    camera.print(page, "participant", first(page, f"/staff/{WALKING}/participants?sort=-adherence", "main tbody th a"))
                else:
                    {"studies": studies, "records": records, "scores": scores, "exports": exports, "coordination": coordination, "drafts": drafts}[part](camera, page)
                print(part, f"{time.monotonic() - began:.0f} s", flush=True)
            browser.close()
    finally:
        server.remove()
    print(camera.count, "pictures")
    print("\n".join(camera.faults))


if __name__ == "__main__":
    main()
