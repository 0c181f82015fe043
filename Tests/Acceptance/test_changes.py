"""Keeping a copy of a study up to date by its feed of changes."""

from acceptance import answers, observations, walks
from acceptance.moments import new_id
from acceptance.people import STUDY

FEED = f"/v1/studies/{STUDY}/changes"


def follow(researcher, after):
    """All that changed after a number, and the number to go on from."""
    items, parameters = [], {"after": after, "limit": 3}
    while True:
        page = researcher.call("GET", FEED, params=parameters, status=200)
        items += page["items"]
        if page["next"] is None:
            return items, page["change_seq"]
        parameters = {"cursor": page["next"], "limit": 3}


def of(items, person):
    return [item for item in items if item["participant_id"] == person.enrolment["participant_id"]]


def test_a_copy_follows_the_study(participant, researcher):
    _, before = follow(researcher, 0)
    ada, ben = participant(name="Ada Canary"), participant(name="Ben Canary")
    ada.calibrate()
    sheet = ada.hand_in("who_5", answers.WHO_5)
    walk = new_id()
    ada.call("PUT", ada.own(f"/walks/{walk}"), json=walks.body(ada.zone), status=201)

    items, after = follow(researcher, before)
    numbers = [item["change_seq"] for item in items]
    assert numbers == sorted(set(numbers)) and numbers[0] > before and after >= numbers[-1]
    hers = of(items, ada)
    assert {item["kind"] for item in hers} == {"enrolment", "calibration", "occasion", "walk", "answer_sheet"}
    found = next(item for item in hers if item["kind"] == "answer_sheet")
    assert found["id"] == sheet["sheet_id"] and found["body"]["answers"] == answers.WHO_5
    assert sum(answers.WHO_5.values()) * 4 in [score["value"] for score in found["body"]["scores"]]
    assert next(item for item in hers if item["kind"] == "walk")["body"]["distance_m"] == walks.SUMMARY["distance_m"]
    occasion = next(item for item in hers if item["id"] == sheet["occasion_id"])
    assert occasion["body"]["sheet_id"] == sheet["sheet_id"] and occasion["body"]["completed_at"]
    assert ada.name not in str(items) and ada.email not in str(items)

    # A deleted walk, and somebody who erases everything
    refs = {person.name: of(items, person)[0]["enrolment_ref"] for person in (ada, ben)}
    ada.call("DELETE", ada.own(f"/walks/{walk}"), status=204)
    ben.call("POST", ben.own("/withdrawal"), json={"mode": "erase"})
    items, last = follow(researcher, after)
    gone = {(item["kind"], item["id"], item["enrolment_ref"]) for item in items if item["deleted"]}
    assert ("walk", walk, refs[ada.name]) in gone and ("enrolment", None, refs[ben.name]) in gone
    assert of(items, ben) == []
    # The same once more gives nothing more.
    assert follow(researcher, last) == ([], last)


def test_the_feed_is_for_researchers_of_the_study(participant, researcher):
    ada = participant()
    ada.problem("GET", FEED, 403, "not-permitted")
    researcher.problem("GET", "/v1/studies/other/changes", 404, "not-found")
    _, last = follow(researcher, 0)
    for wrong in ({"after": last + 1_000_000}, {"after": -1}, {"after": "x"}, {"cursor": "x"}):
        researcher.problem("GET", FEED, 400, "request-invalid", params=wrong)


def test_moments_beyond_the_calendar_are_told_as_its_ends(participant, researcher):
    """A device says what it likes; corrected by a clock that was a hundred years off, it lies before year 1 or after 9999."""
    _, before = follow(researcher, 0)
    ada = participant()
    ends = {"9999-12-31T23:59:59.999Z": "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z": "9999-12-31T23:59:00.000Z"}
    for clock, moment in ends.items():
        ada.hand_in("who_5", answers.WHO_5, client_now=clock, started_at=moment, completed_at=moment)
        ada.call("PUT", ada.own(f"/observations/{new_id()}"), status=201, json=observations.pulse(
            ada.zone, client_now=clock, started_at=moment, ended_at=moment, t_ms=[0], components=[{"unit": "/min", "values": [60]}]))
    items, _ = follow(researcher, before)
    told = [item["body"]["started_at"] for item in of(items, ada) if item["kind"] in ("answer_sheet", "observation")]
    assert sorted(told) == ["0001-01-01T00:00:00.000Z"] * 2 + ["9999-12-31T23:59:59.999Z"] * 2
