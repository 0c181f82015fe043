"""After any kill of the server, occasions, reminders and scores equal those of an undisturbed participant, and no later request repairs them."""

import random

import pytest

from acceptance import twins
from acceptance.faults.outcome import revive
from acceptance.server import Server, wait_until

SEEDS = range(6)


@pytest.fixture(scope="module")
def fragile(tmp_path_factory):
    """A separate server, which tests kill."""
    server = Server()
    try:
        server.start()
        twins.publish(server, tmp_path_factory.mktemp("packs"))
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def undisturbed(fragile):
    """Load that ended without a kill, and the differences between the participants and their twins."""
    load = twins.Load([twins.enrol(fragile, study) for study in (twins.FOLLOWED, twins.QUIET)], random.Random(0))
    load.wait_for(each=20)
    load.end()
    differences = twins.compare(fragile, load)
    # The first start of the server after the first scored sheet scores all sheets again. This would repair the scores after the first kill.
    fragile.kill()
    revive(fragile)
    scored = "select count(*) from research.rescoring where state in ('settling', 'done')"
    wait_until(lambda: fragile.sql(scored).strip() != "0", 30, "the server has scored all sheets again")
    return load, differences


def test_without_a_kill_concurrent_and_separate_requests_have_the_same_result(undisturbed):
    _, differences = undisturbed

    assert not differences, "\n".join(differences)


@pytest.fixture(scope="module")
def kills():
    """The loads that a kill ended."""
    return []


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_kill_a_participant_has_the_same_plan_reminders_and_scores_as_the_undisturbed_twin(fragile, undisturbed, kills, seed):
    load = twins.load_until_kill(fragile, seed)
    kills.append(load)

    differences = twins.compare(fragile, load)

    assert not differences, "\n".join(differences)


def test_a_kill_interrupted_requests(kills):
    """A control: otherwise the test above could pass because each kill came before or after the load."""
    if not kills:
        pytest.skip("no kill was selected")
    assert any(load.acknowledged and load.unacknowledged for load in kills)


# Cases that the load must contain, each as a part of a line of the state.
CASES = {
    "a follow-up of a sheet": "after_start ",
    "a follow-up of the first sheet": "after_first_day ",
    "a follow-up of a sheet about a walk": "after_walk_note ",
    "a follow-up of a deleted sheet": '"excluded" : "cancelled"',
    "a sheet in its window": '"timeliness" : "on_time"',
    "a late sheet": '"late_minutes" : 5,',
    "a corrected sheet": '"revision" : 2,',
    "a score with a covariate": '"band" : "positive"',
    "another value of the covariate": '"band" : "below"',
    "a deleted sheet": "deleted sheet ",
    "a deleted walk": " deleted",
}


@pytest.mark.parametrize("case", CASES)
def test_the_load_contains(fragile, undisturbed, case):
    load, _ = undisturbed
    lines = [line for pair in load.sent for line in twins.state(fragile, pair.person)]

    assert any(CASES[case] in line for line in lines)


def _scores_of_one_sheet(change):
    sheet = ("{one} and key_id is not null and sheet_id = (select min(sheet_id::text)::uuid from research.answer_sheet"
             " where {one} and questionnaire = 'audit_c' and deleted_at is null)")
    return (f"with later as (update research.rescored_sheet set {change} where {sheet})"
            f" update research.answer_sheet set {change} where {sheet}")


# Changes of one row, each with the first words of the lines that then differ. {one} is the enrolment.
HARMS = {
    "a follow-up is missing": (
        "delete from research.occasion where {one} and occasion_id = (select min(occasion_id::text)::uuid from research.occasion"
        " where {one} and schedule = 'after_start' and set_aside is null)", {"occasion"}),
    "a follow-up of a deleted sheet is still planned": (
        "update research.occasion set set_aside = null where {one} and occasion_id = (select min(occasion_id::text)::uuid"
        " from research.occasion where {one} and schedule = 'after_start' and set_aside = 'cancelled')", {"occasion"}),
    "a sheet has not the occasion of its walk": (
        "update research.answer_sheet set occasion_id = null, completes = false, standing = 'out_of_window' where {one} and sheet_id ="
        " (select min(sheet_id::text)::uuid from research.occasion where {one} and schedule = 'after_walk')", {"sheet"}),
    "an occasion is open although a sheet fulfils it": (
        "update research.occasion set sheet_id = null, completed_at = null where {one} and schedule = 'daily' and sheet_id is not null",
        {"occasion"}),
    "a window is an hour late": (
        "update research.occasion set open_at = open_at + interval '1 hour' where {one} and schedule = 'after_first_day' and day_index = 1",
        {"occasion"}),
    "a score has another value": (
        _scores_of_one_sheet("score_values[1] = score_values[1] + 1"), {"score"}),
    "a score has an old covariate": (
        _scores_of_one_sheet("covariates = '{{}}', score_bands = null"), {"score"}),
    "the next reminder is forgotten": ("update research.enrolment set next_reminder_at = null where {one}", {"enrolment"}),
    "the plan ends a day early": ("update research.enrolment set planned_through = planned_through - 1 where {one}", {"enrolment"}),
    "a deletion is not applied": (
        "update research.answer_sheet set deleted_at = null where {one} and sheet_id = (select min(sheet_id::text)::uuid"
        " from research.answer_sheet where {one} and questionnaire = 'start_note' and deleted_at is not null)", {"sheet", "deleted"}),
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_comparison_finds_that(fragile, undisturbed, harm):
    load, _ = undisturbed
    pair = next(pair for pair in load.sent if pair.study == twins.FOLLOWED)
    statement, kinds = HARMS[harm]
    statement = statement.format(one=f"enrolment_id = '{pair.twin.enrolment['enrolment_id']}'")

    differences = twins.differences(twins.state(fragile, pair.person), twins.state(fragile, pair.twin, statement))

    assert {line.split()[0] for line in differences} == kinds
