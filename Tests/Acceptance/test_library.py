"""The content library: collections that anyone reads, items of the day, draws, media, and new editions."""

import csv
import hashlib
import io
import json
import shutil
import threading
import zipfile

import pytest

from acceptance import datasets
from acceptance.moments import after, instant, new_id
from acceptance.people import Person, Researcher
from acceptance.server import ROOT

STUDY = "small-library"
BASE = ROOT / "Tests" / "Acceptance" / "packs" / "small-steps"
# The header of a picture of 8 x 8 pixels, and other bytes.
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes([0, 0, 0, 8, 0, 0, 0, 8, 8, 6, 0, 0, 0, 0, 0, 0, 0]) + bytes(range(200)) * 40


# A film in five parts of 1 MiB, of which the last one is short.
FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\0\x08moov" + (4 << 20).to_bytes(4, "big") + b"mdat" + bytes(range(256)) * (1 << 14)
FILM = FILM[:32 + (4 << 20)]


def write(folder, name, text):
    path = folder / "library" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def words(name, ids, text):
    return f"id,{name}\n" + "".join(f"{id},{text} {id}\n" for id in ids)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A pack with a library: quotes, tips that anyone reads, contacts, and pictures for one arm."""
    root = tmp_path_factory.mktemp("packs")
    shutil.copytree(BASE / "instruments", root / "instruments")
    folder = root / "studies" / STUDY
    shutil.copytree(BASE / "studies" / "small-steps", folder)
    study = folder / "study.yaml"
    study.write_text(study.read_text().replace("code: small-steps", f"code: {STUDY}"))
    quotes(folder, 5)
    write(folder, "tips.yaml", "title: {en: Tips}\nfields: {body: text}\nvisible: anyone\nselect: {daily: {per: study}, list: true}\n")
    write(folder, "tips.csv", "id\n" + "".join(f"tip_{n}\n" for n in range(7)))
    for language in languages(folder):
        write(folder, f"tips.{language}.csv", words("body", [f"tip_{n}" for n in range(7)], language))
    write(folder, "pictures.yaml", "title: {en: Pictures}\nfields: {file: {type: media, kind: image}}\nitems: [{id: one, file: media/one.png}]\n")
    write(folder, "media/one.png", PNG)
    write(folder, "films.yaml", "title: {en: Films}\nfields: {file: {type: media, kind: video}}\nitems: [{id: walk, file: media/walk.mp4}]\n")
    write(folder, "media/walk.mp4", FILM)
    return folder


def languages(folder):
    text = (folder / "study.yaml").read_text()
    return [word.strip() for word in text.split("languages: [")[1].split("]")[0].split(",")]


def quotes(folder, count):
    write(folder, "quotes.yaml", "title: {en: Quotes}\nfields: {body: text}\nselect: {daily: {per: person}, draw: true, list: true}\n")
    ids = [f"quote_{n}" for n in range(count)]
    write(folder, "quotes.csv", "id\n" + "\n".join(ids) + "\n")
    for language in languages(folder):
        write(folder, f"quotes.{language}.csv", words("body", ids, language))


@pytest.fixture(scope="module")
def library(server, folder):
    assert "published edition 1 of the library" in server.run("publish", folder)
    return server


@pytest.fixture
def join(library, contract):
    def join(name="Ada Canary", **more):
        person = Person(library, contract, name=name).register()
        person.enrolment = person.call(
            "POST", f"/v1/studies/{STUDY}/enrolments", status=201,
            json={"consent": {"version": "1.0.0", "accepted": True}, "time_zone": person.zone, **more})
        return person
    return join


def path(person, rest):
    return person.own(f"/library/{rest}")


def draw(person, collection="quotes", id=None, status=201):
    return person.call("PUT", path(person, f"{collection}/draws/{id or new_id()}"), status=status)


def test_anyone_reads_the_tip_of_the_day(library, newcomer):
    visitor = newcomer()
    address = f"/v1/studies/{STUDY}/library/tips/today"

    response = visitor.call("GET", address, token=False)

    tip = response.json()
    assert response.status_code == 200 and response.headers["etag"]
    assert tip["item"].startswith("tip_") and tip["fields"]["body"] == f"en {tip['item']}"
    assert instant(after()) < tip["valid_until"] <= instant(after(seconds=25 * 3600))
    again = visitor.call("GET", address, token=False, headers={"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304
    assert len(visitor.call("GET", f"/v1/studies/{STUDY}/library/tips", token=False, status=200)["items"]) == 7
    for hidden in ("quotes", "quotes/today", "pictures", "nothing", "nothing/today"):
        visitor.problem("GET", f"/v1/studies/{STUDY}/library/{hidden}", 404, "not-found", token=False)


def test_the_item_of_a_day_is_the_same_on_every_device_and_none_is_repeated(join):
    ada = join()

    days = ada.call("GET", path(ada, "quotes/today?days=14"), status=200)["items"]

    assert len(days) == 14 and [day["local_date"] for day in days] == sorted(day["local_date"] for day in days)
    chosen = [day["item"] for day in days]
    assert len(set(chosen[:5])) == 5 and chosen[5:10] == chosen[:5]
    assert ada.call("GET", path(ada, "quotes/today"), status=200)["items"] == days[:1]
    other = join("Ben Canary")
    assert other.call("GET", path(other, "quotes/today?days=5"), status=200)["items"] != days[:5]


def test_devices_that_ask_at_once_get_the_same_items(join):
    ada = join()
    answers = []

    def ask():
        answers.append([day["item"] for day in ada.call("GET", path(ada, "quotes/today?days=14"), status=200)["items"]])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8 and all(answer == answers[0] for answer in answers)


def test_draws_repeat_nothing_and_the_same_draw_returns_the_same_item(join):
    ada = join()
    id = new_id()

    first = draw(ada, id=id)

    assert draw(ada, id=id, status=200) == first | {"replayed": True}
    assert {first["item"]} | {draw(ada)["item"] for _ in range(4)} == {f"quote_{n}" for n in range(5)}
    assert draw(ada)["item"] == first["item"]
    ada.problem("PUT", path(ada, f"tips/draws/{new_id()}"), 404, "not-found")


def test_a_list_has_pages_of_one_edition(join):
    ada = join()

    items = list(ada.pages(path(ada, "quotes"), limit=2))

    assert [item["order"] for item in items] == [1, 2, 3, 4, 5]
    ada.problem("GET", path(ada, "quotes?cursor=x"), 400, "request-invalid")
    ada.problem("GET", path(ada, "quotes/today?days=32"), 400, "request-invalid")
    summaries = {entry["collection"]: entry for entry in ada.call("GET", ada.own("/library"), status=200)["items"]}
    assert set(summaries) == {"quotes", "tips", "pictures", "films"}
    assert summaries["quotes"]["select"] == ["list", "daily", "draw"]


def test_media_are_served_by_ranges_to_participants_only(join, newcomer):
    ada, stranger = join(), newcomer().register()
    file = ada.call("GET", path(ada, "pictures"), status=200)["items"][0]["fields"]["file"]
    assert file["sha256"] == hashlib.sha256(PNG).hexdigest() and file["bytes"] == len(PNG)

    whole = ada.call("GET", file["url"])
    part = ada.call("GET", file["url"], headers={"Range": "bytes=8-15"})

    assert whole.content == PNG and whole.headers["content-type"] == "image/png"
    assert "sandbox" in whole.headers["content-security-policy"]
    assert part.status_code == 206 and part.content == PNG[8:16]
    ada.problem("GET", file["url"], 416, "range-not-satisfiable", headers={"Range": f"bytes={len(PNG)}-"})
    ada.problem("GET", file["url"][:-1] + "0", 404, "not-found")
    stranger.problem("GET", file["url"], 404, "not-found")
    stranger.problem("GET", f"/v1/media/{file['sha256']}", 404, "not-found", token=False)


def test_a_film_of_several_parts_is_served_by_ranges(join, newcomer):
    ada, stranger = join(), newcomer().register()
    file = ada.call("GET", path(ada, "films"), status=200)["items"][0]["fields"]["file"]
    assert (file["sha256"], file["bytes"], file["type"]) == (hashlib.sha256(FILM).hexdigest(), len(FILM), "video/mp4")

    whole = ada.call("GET", file["url"])

    assert whole.content == FILM and whole.headers["Content-Length"] == str(len(FILM))
    for start, end in ((0, 0), ((1 << 20) - 3, (1 << 20) + 3), ((1 << 20) - 1, (3 << 20) + 1), (len(FILM) - 7, len(FILM) - 1)):
        part = ada.call("GET", file["url"], headers={"Range": f"bytes={start}-{end}"})
        assert part.status_code == 206 and part.content == FILM[start:end + 1], (start, end)
        assert part.headers["Content-Range"] == f"bytes {start}-{end}/{len(FILM)}"
    assert ada.call("GET", file["url"], headers={"Range": "bytes=-9"}).content == FILM[-9:]
    stranger.problem("GET", file["url"], 404, "not-found")


def test_items_of_a_new_edition_come_next_and_withdrawn_ones_are_replaced(library, folder, join):
    ada = join()
    before = ada.call("GET", path(ada, "quotes/today?days=5"), status=200)["items"]
    drawn = draw(ada)
    try:
        quotes(folder, 7)
        assert "published edition 2" in library.run("publish", folder, "--library-only")
        assert "edition 2 of the library of small-library is unchanged" in library.run("publish", folder, "--library-only")
        assert ada.call("GET", path(ada, "quotes/today?days=5"), status=200)["items"] == before
        assert {draw(ada)["item"] for _ in range(2)} == {"quote_5", "quote_6"}

        quotes(folder, 3)
        library.run("publish", folder, "--library-only")

        days = ada.call("GET", path(ada, "quotes/today?days=5"), status=200)["items"]
        kept = {f"quote_{n}" for n in range(3)}
        assert {day["item"] for day in days} == kept
        for old, new in zip(before, days):
            assert old["item"] not in kept or old["item"] == new["item"]
        assert ada.call("PUT", path(ada, f"quotes/draws/{drawn['draw_id']}"), status=200)["fields"] == drawn["fields"]
    finally:
        quotes(folder, 5)
        library.run("publish", folder, "--library-only")


def test_a_library_with_faults_is_not_published(library, folder, tmp_path):
    broken = tmp_path / "studies" / STUDY
    shutil.copytree(folder, broken)
    shutil.copytree(folder.parents[1] / "instruments", tmp_path / "instruments")
    write(broken, "quotes.csv", "id\nquote_0\nquote_0\n")
    write(broken, "pictures.yaml", "title: {en: P}\nfields: {file: {type: media, kind: audio}}\nitems: [{id: one, file: media/one.png}]\n")

    with pytest.raises(AssertionError) as failed:
        library.run("publish", broken, "--library-only")

    assert "library/quotes.csv:3: another item has the id quote_0" in str(failed.value)
    assert "media/one.png is not an MP3, Ogg, WAV or M4A sound" in str(failed.value)


def test_the_dataset_and_the_own_data_say_what_was_shown(library, join, contract):
    ada = join()
    today = ada.call("GET", path(ada, "quotes/today"), status=200)["items"][0]
    draw(ada)
    event = {"event": "content_shown", "collection": "quotes", "item": today["item"], "at": instant(after()), "time_zone": ada.zone}
    ada.call("POST", ada.own("/sync"), status=200, json={"client_now": instant(after()), "items": [{"kind": "usage_event", "id": new_id(), "body": event}]})
    researcher = Researcher(library, contract, STUDY)

    files = datasets.files(researcher, STUDY, "coded")
    rows = [row for row in csv.DictReader(io.StringIO(files["data/content_shown.csv"].decode())) if row["enrolment_id"][-36:] == ada.enrolment["enrolment_id"]]

    assert sorted(row["why"] for row in rows) == ["daily", "draw"]
    daily = next(row for row in rows if row["why"] == "daily")
    assert daily["item"] == today["item"] and daily["shown_at"] and daily["edition"]
    assert b"quote_0" in files["meta/library/1.json"]
    archive = zipfile.ZipFile(io.BytesIO(ada.call("GET", ada.own("/export")).content))
    own = json.loads(archive.read(next(name for name in archive.namelist() if name.endswith("content.json"))))
    assert sorted(entry["selector"] for entry in own) == ["daily", "draw"]
