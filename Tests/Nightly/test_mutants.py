"""The mutation tester finds the known gap in the tests of a tiny package. Takes about three minutes, most of it for swift-syntax."""

import json

import mutants

EXAMPLE = mutants.TOOL / "Example"
ORDER = "Sources/Orders/Order.swift"
SUITE = {"name": "orders", "sources": ["Sources/Orders"], "target": "OrdersTests"}


def test_the_known_gap_in_the_tests_is_found(tmp_path):
    suites = tmp_path / "suites.json"
    suites.write_text(json.dumps([SUITE]))
    report = tmp_path / "report.md"

    results = mutants.main(
        ["--suites", str(suites), "--root", str(EXAMPLE), "--count", "100", "--report", str(report)])

    outcomes = {result.mutant["id"].removeprefix(f"{ORDER}#Order."): result.outcome for result in results}
    assert outcomes == {
        "total:forced-true:1": "killed", "total:forced-false:1": "killed", "total:logic:1": "killed",
        # No test has an order of exactly 5000 cents.
        "total:boundary:1": "survived", "total:integer:1": "survived", "total:integer:2": "survived",
        "total:comparison:1": "killed", "total:arithmetic:1": "killed",
        "total:integer:3": "killed", "total:integer:4": "killed",
        # Strings cannot be subtracted.
        "text:arithmetic:1": "not built",
    }
    assert "| orders | 11 | 7 | 3 | 1 | 70 |" in report.read_text()
    assert f"| {ORDER}#Order.total:boundary:1 | 12 | `>=` → `>` |  |" in report.read_text()
    assert '"a member pays less for a large order"' in report.read_text()


def test_the_seed_picks_the_mutants(tmp_path):
    tool = mutants.build_tool(mutants.WORK / "mutate")
    suite = mutants.Suite(**SUITE)

    picked = [[mutant["id"] for mutant in mutants.pick(tool, EXAMPLE, suite, 5, seed)] for seed in (1, 1, 2)]

    assert picked[0] == picked[1] != picked[2]
    assert len(set(picked[0])) == 5


def test_a_symbol_limits_the_mutants():
    tool = mutants.build_tool(mutants.WORK / "mutate")
    suite = mutants.Suite(**SUITE, symbol="Order.text")

    assert [mutant["id"] for mutant in mutants.pick(tool, EXAMPLE, suite, 5, 1)] == [f"{ORDER}#Order.text:arithmetic:1"]
