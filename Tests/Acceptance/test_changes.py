"""The feed of changes keeps a copy of a study up to date."""

from acceptance import answers, walks
from acceptance.moments import new_id
from acceptance.people import STUDY

FEED = f"/v1/studies/{STUDY}/changes"


def follow(researcher, after, limit=3):
    """All changes after a change number, and the next change number."""
    items, parameters = [], {"after": after, "limit": limit}
    while True:
        page = researcher.call("GET", FEED, params=parameters, status=200)
        items += page["items"]
        if page["next"] is None:
            return items, page["change_seq"]
        parameters = {"cursor": page["next"], "limit": limit}


def of(items, person):
    return [item for item in items if item["participant_id"] == person.enrolment["participant_id"]]


def test_a_copy_follows_the_study(participant, researcher):
    # Other tests have made thousands of changes.
    _, before = follow(researcher, 0, limit=1000)
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
