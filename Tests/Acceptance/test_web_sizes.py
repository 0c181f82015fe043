"""Bytes on the wire: a question page, and the whole app. Benchmarks/saunter-bench-web measures times."""

import requests

from acceptance.browser import join
from acceptance.page_weight import MAXIMUM_APP_BYTES, MAXIMUM_PAGE_BYTES, Weight, app_files, without_walking


def test_every_question_page_is_small(visitor):
    for study in ("Mindful walking", "Emotions tracker"):
        page = visitor()
        home = join(page, study)
        page.goto(home)
        documents = page.locator("main a[href*='/o/'], main a[href*='/q/']").evaluate_all("links => [...new Set(links.map(a => a.href))]")
        assert documents
        weight = Weight(page)

        for document in documents:
            parts = weight.of(document, page)

            assert any(".css" in part for part in parts) and any("answer" in part for part in parts), "the parts of the page are counted"
            assert sum(parts.values()) <= MAXIMUM_PAGE_BYTES, parts


def test_the_whole_app_is_small(visitor):
    page = visitor()
    join(page, "Emotions tracker")

    files = app_files(page)

    assert {"/sw.js", "/offline"} < set(files) and any("answer" in name for name in files) and any("words_en" in name for name in files)
    assert sum(without_walking(files).values()) <= MAXIMUM_APP_BYTES, files


def test_styles_and_scripts_are_compressed_and_kept_for_ever(web, visitor):
    page = visitor()
    join(page, "Emotions tracker")
    for address in app_files(page):
        reply = requests.get(web + address, headers={"Accept-Encoding": "gzip"}, timeout=60)

        if address.endswith((".css", ".js", ".svg")) and len(reply.content) > 1024:
            assert reply.headers["Content-Encoding"] == "gzip", address
        if address.startswith("/assets/"):
            assert "immutable" in reply.headers["Cache-Control"], address
