"""The feed of changes keeps a copy of a study up to date."""

from acceptance import answers, observations, walks
from acceptance.moments import new_id
from acceptance.people import STUDY

FEED = f"/v1/studies/{STUDY}/changes"


def follow(researcher, after):
    """All changes after a change number, and the next change number."""
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
    sheet = ada.submit("who_5", answers.WHO_5)
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

    # A deleted walk, and a participant who erases all data
    refs = {person.name: of(items, person)[0]["enrolment_ref"] for person in (ada, ben)}
    ada.call("DELETE", ada.own(f"/walks/{walk}"), status=204)
    ben.call("POST", ben.own("/withdrawal"), json={"mode": "erase"})
    items, last = follow(researcher, after)
    gone = {(item["kind"], item["id"], item["enrolment_ref"]) for item in items if item["deleted"]}
    assert ("walk", walk, refs[ada.name]) in gone and ("enrolment", None, refs[ben.name]) in gone
    assert of(items, ben) == []
    # A second request returns no further change.
    assert follow(researcher, last) == ([], last)


def test_the_feed_is_for_researchers_of_the_study(participant, researcher):
    ada = participant()
    ada.problem("GET", FEED, 403, "not-permitted")
    researcher.problem("GET", "/v1/studies/other/changes", 404, "not-found")
    _, last = follow(researcher, 0)
    for wrong in ({"after": last + 1_000_000}, {"after": -1}, {"after": "x"}, {"cursor": "x"}):
        researcher.problem("GET", FEED, 400, "request-invalid", params=wrong)


def test_instants_outside_the_years_1_to_9999_are_returned_as_the_first_or_last_instant(participant, researcher):
    """A device's time that is corrected by a clock error of a hundred years can be before year 1 or after year 9999."""
    _, before = follow(researcher, 0)
    ada = participant()
    ends = {"9999-12-31T23:59:59.999Z": "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z": "9999-12-31T23:59:00.000Z"}
    for clock, moment in ends.items():
        ada.submit("who_5", answers.WHO_5, client_now=clock, started_at=moment, completed_at=moment)
        ada.call("PUT", ada.own(f"/observations/{new_id()}"), status=201, json=observations.pulse(
            ada.zone, client_now=clock, started_at=moment, ended_at=moment, t_ms=[0], components=[{"unit": "/min", "values": [60]}]))
    items, _ = follow(researcher, before)
    starts = [item["body"]["started_at"] for item in of(items, ada) if item["kind"] in ("answer_sheet", "observation")]
    assert sorted(starts) == ["0001-01-01T00:00:00.000Z"] * 2 + ["9999-12-31T23:59:59.999Z"] * 2
