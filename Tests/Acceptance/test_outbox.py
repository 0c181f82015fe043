"""A device's outbox: many things at once, in any order, each with a result of its own."""

from acceptance import answers, walks
from acceptance.moments import instant, new_id


def outbox(person, *items):
    reply = person.call("POST", person.own("/sync"), status=200, json={
        "client_now": instant(), "items": [{"kind": kind, "id": id, "body": body} for kind, id, body in items]})
    assert [item["id"] for item in reply["items"]] == [id for _, id, _ in items], "one result each, in order"
    return reply["items"]


def sheet(person, questionnaire, given, **more):
    """As in the single request, without the clock, which the outbox tells once."""
    body = person.sheet(questionnaire, given, **more)
    del body["client_now"]
    return body


def test_what_refers_to_something_may_come_before_it(participant):
    ada = participant()
    calibration, walk = new_id(), new_id()
    body = walks.body(ada.zone) | {"calibration_id": calibration}
    body.pop("client_now", None)
    earlier = {"recorded_at": body["started_at"], "mean_speed_kmh": 5.0, "reduction_percent": 20, "duration_s": 60}

    results = outbox(ada, ("walk", walk, body), ("calibration", calibration, earlier))

    assert [item["result"] for item in results] == ["accepted", "accepted"], results
    assert results[0]["receipt"]["calibration_id"] == calibration


def test_a_month_of_sheets_is_taken_at_once_and_the_first_for_an_occasion_settles_it(participant):
    ada = participant()
    evenings = [o["occasion_id"] for o in ada.pages(ada.own("/occasions"), limit=1000) if o["questionnaire"] == "daily_evening"]
    items = [("answer_sheet", new_id(), sheet(ada, "daily_evening", answers.DAILY, occasion_id=evening)) for evening in evenings]
    first = ("answer_sheet", new_id(), sheet(ada, "pss_10", answers.PSS_10))
    second = ("answer_sheet", new_id(), sheet(ada, "pss_10", answers.PSS_10))
    broken = ("answer_sheet", new_id(), sheet(ada, "pss_10", {"q1": 99}))

    results = outbox(ada, first, *items, second, broken, first)

    words = [item["result"] for item in results]
    assert words[0] == "accepted"
    assert len(evenings) > 10 and set(words[1:-3]) <= {"accepted", "out_of_window"}, words
    assert words[-3:] == ["duplicate", "rejected", "replayed"]
    assert results[-3]["receipt"]["duplicate_of"] == first[1]
    assert len(ada.pages(ada.own("/answer-sheets"), limit=1000)) == len(items) + 2

    again = outbox(ada, first, *items, second)
    assert {item["result"] for item in again} == {"replayed"}
