"""The script that judges answers in the browser says the same as the server: on random forms of all packs, in Chromium."""

import random

import pytest

from acceptance import rules

CASES = 10_000
SEED = 1
# The changes of the script that are tried, and the forms for each.
CHANGES = 20
FORMS_PER_CHANGE = 4_000
# Every operator of conditions and expressions, and every type of item.
OPERATORS = {
    "exists", "=", "!=", "<", ">", "<=", ">=", "and", "or", "not", "in", "negative", "+", "-", "*", "/", "if", "today", "count", "length", "abs",
    "sum", "mean", "min", "max",
}
TYPES = {
    "group", "display", "boolean", "integer", "decimal", "string", "text", "date", "dateTime", "time", "choice", "open-choice", "quantity", "ranking",
    "location",
}
# Every fault that a form can have.
FAULTS = {
    "required", "wrong_type", "below_minimum", "above_maximum", "not_whole", "number_too_large", "too_many_digits", "too_many_decimals", "not_a_unit",
    "too_long", "too_short", "wrong_form", "invalid_date", "invalid_time", "invalid_date_time", "not_an_option", "not_offered", "exclusive_option",
    "too_few_answers", "too_many_answers", "incomplete_ranking", "read_only", "constraint",
}


@pytest.fixture(scope="module")
def lines():
    return rules.vectors(CASES, SEED)


def run(browser, files, source, seconds=120):
    """The value of the default export of a module. The files are served beside it."""
    page = browser.new_page()
    try:
        page.route("http://rules.test/**", lambda route: serve(route, {**files, "module.js": source}))
        page.goto("http://rules.test/")
        page.set_default_timeout(seconds * 1000)
        return page.evaluate("async () => (await import('./module.js')).default()")
    finally:
        page.close()


def serve(route, files):
    name = route.request.url.removeprefix("http://rules.test/")
    kind = "text/javascript" if name.endswith(".js") else "text/plain" if name else "text/html"
    if name and name not in files:
        route.fulfill(status=404)
    else:
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=files.get(name, "<!doctype html><title>Rules</title>"))


def test_the_browser_judges_random_forms_as_the_server(chromium, lines):
    operators, types = rules.operators(lines)
    assert OPERATORS <= operators, OPERATORS - operators
    assert TYPES <= types, TYPES - types

    hand = rules.by_hand()

    report = run(chromium, rules.files(hand + lines), rules.COMPARISON)

    assert report["differences"] == [], report["differences"][0]
    assert report["cases"] == CASES + hand.count('"fields"')
    assert FAULTS <= set(report["codes"]), FAULTS - set(report["codes"])
    # Only the server knows some digits and letters.
    assert report["undecided"] < CASES / 50


def test_the_random_forms_reveal_changes_of_the_script(chromium):
    """A few changes; `bin/nightly rules --mutants` makes all."""
    some = random.Random(SEED).sample(list(rules.mutants(rules.joined())), CHANGES)

    survivors = run(chromium, rules.mutant_files(FORMS_PER_CHANGE, SEED, some), rules.SURVIVORS)

    unknown = [some[int(name[len("mutant-"):-len(".js")])][0] for name in survivors]
    assert len(unknown) <= len(some) * (1 - rules.DETECTED), unknown
