"""What sensors of others measured: handed in, read back, deleted, followed, and as data points in both directions."""

import pytest

from acceptance import observations
from acceptance.moments import after, instant, new_id, now, read
from acceptance.people import STUDY
from acceptance.readers import dataset


def test_an_observation_is_stored_once_and_read_back(participant):
    ada = participant()
    path, body = ada.own(f"/observations/{new_id()}"), observations.pulse(ada.zone)
    first = ada.call("PUT", path, json=body, status=201)
    again = ada.call("PUT", path, json=body | {"client_now": instant()}, status=200)
    assert first | {"replayed": True} == again
    assert first["components"] == [
        {"code": None, "unit": "/min", "summary": {"count": 3, "minimum": 80, "maximum": 90, "mean": 84.166667}}]
    ada.problem("PUT", path, 409, "id-reused", json=body | {"device": {"model": "Other"}})
    found = ada.call("GET", path, status=200)
    assert found["components"][0]["values"] == body["components"][0]["values"] and found["t_ms"] == body["t_ms"]
    assert found["device"] == body["device"] and found["flags"] == ["before_enrolment"]


def test_a_later_revision_takes_the_place_of_an_earlier_one(participant, researcher):
    """In whatever order they come, by single requests and in an outbox; the dataset and whoever follows get the one that stands."""
    ada = participant()
    name, body = new_id(), observations.pulse(ada.zone)
    path = ada.own(f"/observations/{name}")

    def revised(number, beats):
        return body | {"revision": number, "components": [{"unit": "/min", "values": [beats] * 4}]}

    assert ada.call("PUT", path, json=body, status=201)["revision"] == 1
    since = ada.call("GET", ada.own("/sync"), status=200)["next_since"]
    third = ada.call("PUT", path, json=revised(3, 93), status=201)
    assert third["revision"] == 3 and third["replayed"] is False and third["components"][0]["summary"]["mean"] == 93
    # An earlier one that comes late, and the first again, change nothing.
    for late in (revised(2, 92), body, revised(3, 93)):
        assert ada.call("PUT", path, json=late, status=200) == third | {"replayed": True}
    ada.problem("PUT", path, 409, "id-reused", json=revised(3, 99))
    items = [{"kind": "observation", "id": name, "body": revised(number, 90 + number)} for number in (5, 4)]
    reply = ada.call("POST", ada.own("/sync"), json={"client_now": instant(), "items": items}, status=200)["items"]
    assert reply[0]["result"] == "accepted" and {item["receipt"]["revision"] for item in reply} <= {4, 5}
    found = ada.call("GET", path, status=200)
    assert found["revision"] == 5 and found["components"][0]["values"] == [95] * 4
    told = {item["id"]: item for item in ada.call("GET", ada.own("/sync"), params={"since": since}, status=200)["items"]}
    assert told[name]["body"]["revision"] == 5
    assert [item["body"]["rev"] for item in researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000) if item["id"] == name] == [5]
    rows = [row for row in dataset(researcher)["data/observations.csv"] if name in row["observation_id"]]
    assert [(float(row["mean"]), row["rev"]) for row in rows] == [(95, "5")]
    # What was taken back stays so.
    ada.call("DELETE", path, status=204)
    assert ada.call("PUT", path, json=revised(6, 96), status=200)["revision"] == 5
    ada.problem("GET", path, 404, "not-found")
    for wrong in (0, 1.5, "2"):
        ada.problem("PUT", path, 422, "body-invalid", json=body | {"revision": wrong})


def test_they_are_listed_the_newest_first_and_deleted_ones_are_gone(participant, researcher):
    ada = participant()
    ids = [new_id() for _ in range(3)]
    for place, name in enumerate(ids):
        start = after(seconds=place * 60 - 600)
        body = observations.pressure(ada.zone, started_at=instant(start), ended_at=instant(start))
        ada.call("PUT", ada.own(f"/observations/{name}"), json=body, status=201)
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pulse(ada.zone), status=201)
    assert [item["observation_id"] for item in ada.pages(ada.own("/observations"), limit=1, code="85354-9")] == ids[::-1]
    ada.call("DELETE", ada.own(f"/observations/{ids[0]}"), status=204)
    ada.problem("DELETE", ada.own(f"/observations/{ids[0]}"), 404, "not-found")
    ada.problem("GET", ada.own(f"/observations/{ids[0]}"), 404, "not-found")
    assert len(ada.pages(ada.own("/observations"))) == 3
    # Whoever keeps a copy of the study is told.
    feed = [
        item for item in researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000)
        if item["kind"] == "observation" and item["id"] in ids
    ]
    assert sorted((ids.index(item["id"]), item["deleted"]) for item in feed) == [(0, True), (1, False), (2, False)]


FAULTS = {
    "a unit that is none": ({"components": [{"unit": "bpm", "values": [1, 2, 3, 4]}]}, {"/components/0/unit"}),
    "a unit of something else": ({"components": [{"unit": "mm[Hg]", "values": [80, 80, 80, 80]}]}, {"/components/0/unit"}),
    "a heart rate of 400": ({"components": [{"unit": "/min", "values": [80, 400, 80, 80]}]}, {"/components/0/values/1"}),
    "columns of another length": ({"components": [{"unit": "/min", "values": [80]}]}, {"/components/0/values"}),
    "nothing measured": ({"components": [{"unit": "/min", "values": [None] * 4}]}, {"/components"}),
    "times that go back": ({"t_ms": [0, 20_000, 10_000, 30_000]}, {"/t_ms/2"}),
    "a wrong check digit": ({"code": observations.code("8867-5")}, {"/code/code"}),
    "an end before the start": ({"ended_at": "2020-01-01T00:00:00.000Z"}, {"/ended_at"}),
}


@pytest.mark.parametrize("title", FAULTS)
def test_one_that_contradicts_itself_is_refused_with_every_fault(participant, title):
    ada = participant()
    change, places = FAULTS[title]
    path = ada.own(f"/observations/{new_id()}")
    problem = ada.problem("PUT", path, 422, "observation-invalid", json=observations.pulse(ada.zone, **change))
    assert places <= {error["pointer"] for error in problem["errors"]}
    ada.problem("GET", path, 404, "not-found")


def test_an_outbox_may_hold_them(participant):
    ada = participant()
    good, bad = observations.pulse(ada.zone), observations.pulse(ada.zone, t_ms=[1])
    items = [{"kind": "observation", "id": new_id(), "body": body} for body in (good, bad)]
    results = [
        [item["result"] for item in ada.call("POST", ada.own("/sync"), json={"client_now": instant(), "items": items}, status=200)["items"]]
        for _ in range(2)
    ]
    assert results == [["accepted", "rejected"], ["replayed", "rejected"]]


POINTS = {
    "heart-rate": {"heart_rate": {"value": 88, "unit": "beats/min"}, "temporal_relationship_to_physical_activity": "at rest"},
    "respiratory-rate": {"respiratory_rate": {"value": 14.5, "unit": "breaths/min"}},
    "body-temperature": {"body_temperature": {"value": 97.5, "unit": "F"}, "measurement_location": "oral"},
    "blood-glucose": {"blood_glucose": {"value": 5.5, "unit": "mmol/L"}, "specimen_source": "capillary blood"},
    "oxygen-saturation": {"oxygen_saturation": {"value": 97, "unit": "%"}},
    "speed": {"speed": {"value": 4.5, "unit": "km/h"}},
    "pace": {"pace": {"value": 11.5, "unit": "min/km"}},
    "blood-pressure": {
        "systolic_blood_pressure": {"value": 121, "unit": "mmHg"}, "diastolic_blood_pressure": {"value": 79, "unit": "mmHg"}},
    "step-count": {"step_count": {"value": 900, "unit": "steps"}, "descriptive_statistic": "sum"},
    # Of the ten minutes of its time frame.
    "physical-activity": {
        "activity_name": "walking", "distance": {"value": 1.5, "unit": "mi"}, "kcal_burned": {"value": 120, "unit": "kcal"},
        "duration": {"value": 10, "unit": "min"}},
}
# What a header of IEEE 1752.1 may say, and one that nobody knows here.
HEADER = {
    "schema_id": {"namespace": "ieee", "name": "physical-activity", "version": "1.0"}, "modality": "self-reported",
    "acquisition_rate": {"number_of_times": 1, "time_window": {"value": 5, "unit": "min"}},
    "external_datasheets": [{"datasheet_type": "manufacturer", "datasheet_reference": "https://example.org/band-3"}],
    "source_creation_date_time": "2026-05-01T10:05:00.000+02:00", "firmware": {"name": "b", "build": 7.10},
}


def test_data_points_go_in_and_come_out_as_they_were(participant):
    ada = participant()
    start, end = instant(after(seconds=-900)), instant(after(seconds=-300))
    sent = [
        observations.point(name, body, at=(start, end) if name in ("step-count", "physical-activity") else start)
        for name, body in POINTS.items()
    ]
    results = ada.call("POST", ada.own("/data-points"), json=sent, status=200)["items"]
    assert [item["result"] for item in results] == ["accepted"] * len(sent)
    assert [item["id"] for item in results] == [point["header"]["id"] for point in sent]
    again = ada.call("POST", ada.own("/data-points"), json=sent[0], status=200)["items"]
    assert [item["result"] for item in again] == ["replayed"]
    for point in sent:
        name = point["header"]["schema_id"]["name"]
        found = ada.call("GET", ada.own("/data-points"), params={"schema": name}, status=200)["items"]
        assert len(found) == 1, name
        assert found[0]["body"] == point["body"], name
        header = found[0]["header"]
        assert header["id"] == header["uuid"] == point["header"]["id"] and header["modality"] == "sensed"
        assert header["schema_id"]["namespace"] == "omh" and header["schema_id"]["name"] == name
        assert header["acquisition_provenance"] == point["header"]["acquisition_provenance"]
    assert "ada@example.org" not in ada.call("GET", ada.own("/data-points")).text


def test_a_header_comes_back_with_all_that_it_said(participant):
    ada = participant()
    sent = observations.point(
        "physical-activity", POINTS["physical-activity"], at=(instant(after(seconds=-900)), instant(after(seconds=-300))), **HEADER)
    ada.call("POST", ada.own("/data-points"), json=sent, status=200)
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == sent["body"]
    assert {name: found["header"][name] for name in HEADER} == HEADER
    assert set(found["header"]) == set(sent["header"]) - {"user_id"} | {"uuid"}


def test_a_data_point_of_a_higher_revision_takes_the_place_of_the_one_before(participant):
    ada = participant()
    first = observations.point("heart-rate", POINTS["heart-rate"])
    second = {"header": first["header"] | {"revision": 2}, "body": first["body"] | {"heart_rate": {"value": 91, "unit": "beats/min"}}}
    words = [
        item["result"] for point in (first, second, first, second)
        for item in ada.call("POST", ada.own("/data-points"), json=point, status=200)["items"]]
    assert words == ["accepted", "accepted", "replayed", "replayed"]
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == second["body"] and found["header"]["revision"] == 2
    # One that cannot be told is not taken for the first.
    for wrong in (0, -1, 2.5, 1_000_001, 2 ** 63):
        [item] = ada.call("POST", ada.own("/data-points"), json={"header": first["header"] | {"revision": wrong}, "body": first["body"]}, status=200)["items"]
        assert item["result"] == "rejected" and [fault["pointer"] for fault in item["problem"]["errors"]] == ["/header/revision"]


def test_data_points_are_told_by_the_corrected_clock(participant):
    """As everywhere; what the device's own clock showed is told as when the source made the point."""
    from acceptance import walks

    ada = participant()
    start = after(seconds=-900)
    ahead = after(start, hours=3)
    pulse = observations.pulse(ada.zone, started_at=instant(ahead), ended_at=instant(after(ahead, seconds=60)))
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), status=201, json=pulse | {"client_now": instant(after(hours=3))})
    ada.call(
        "PUT", ada.own(f"/walks/{new_id()}"), status=201, json=walks.body(ada.zone, started=ahead) | {"client_now": instant(after(hours=3))})
    heart, *_, walk = ada.pages(ada.own("/data-points"))
    told = heart["body"]["effective_time_frame"]["date_time"], walk["body"]["effective_time_frame"]["time_interval"]["start_date_time"]
    # As much as the call took.
    assert all(abs((read(moment) - start).total_seconds()) < 30 for moment in told)
    assert heart["header"]["source_creation_date_time"] == instant(ahead)
    assert walk["header"]["source_creation_date_time"] == instant(after(ahead, seconds=600))
    # Also where a span asks for them.
    span = {"from": instant(after(start, seconds=-60)), "to": instant()}
    assert len(ada.pages(ada.own("/data-points"), **span)) == 4


def test_a_value_of_many_weeks_is_a_data_point(participant):
    ada = participant()
    span = (instant(after(seconds=-180 * 86_400)), instant(after(seconds=-60)))
    sent = observations.point("body-weight", {"body_weight": {"value": 70.5, "unit": "kg"}, "descriptive_statistic": "minimum"}, at=span)
    long = observations.point("body-weight", sent["body"], at=(instant(after(seconds=-400 * 86_400)), span[1]))
    items = ada.call("POST", ada.own("/data-points"), json=[sent, long], status=200)["items"]
    assert [item["result"] for item in items] == ["accepted", "rejected"]
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == sent["body"]


def test_series_and_walks_are_data_points_page_by_page(participant):
    from acceptance import walks

    ada = participant()
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pulse(ada.zone), status=201)
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pressure(ada.zone), status=201)
    for _ in range(2):
        ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=walks.body(ada.zone), status=201)
    whole = ada.pages(ada.own("/data-points"))
    assert [point["header"]["schema_id"]["name"] for point in whole] == (
        ["heart-rate"] * 3 + ["blood-pressure"] + ["physical-activity"] * 2)
    assert [point["body"]["heart_rate"]["value"] for point in whole[:3]] == [80, 82.5, 90]
    assert whole[3]["header"]["modality"] == "self-reported"
    assert whole[4]["body"]["distance"] == {"value": walks.SUMMARY["distance_m"], "unit": "m"}
    assert len({point["header"]["id"] for point in whole}) == 6
    for limit in (1, 2, 5, 6):
        assert ada.pages(ada.own("/data-points"), limit=limit) == whole, limit
    # The span is taken by each sample's own time.
    second = whole[1]["body"]["effective_time_frame"]["date_time"]
    assert ada.pages(ada.own("/data-points"), to=second, schema="heart-rate") == whole[:1]
    assert ada.pages(ada.own("/data-points"), **{"from": second}, schema="heart-rate") == whole[1:3]
    ada.problem("GET", ada.own("/data-points") + "?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", 400, "request-invalid")


def test_one_bad_point_of_a_list_is_refused_by_itself(participant):
    ada = participant()
    good = observations.point("heart-rate", POINTS["heart-rate"])
    timeless = observations.point("heart-rate", POINTS["heart-rate"], at="2026-05-01T10:00:00")
    wrong = observations.point("heart-rate", {"heart_rate": {"value": 88, "unit": "mmHg"}})
    worse = observations.point("heart-rate", {"heart_rate": {"value": 88, "unit": "mmHg"}}, at="2026-05-01T10:00:00", revision=0)
    items = ada.call("POST", ada.own("/data-points"), json=[timeless, good, wrong, {}, 7, worse], status=200)["items"]
    assert [item["result"] for item in items] == ["rejected", "accepted", "rejected", "rejected", "rejected", "rejected"]
    assert items[0]["problem"]["errors"][0]["pointer"] == "/body/effective_time_frame"
    assert items[2]["problem"]["errors"][0]["pointer"] == "/body/heart_rate"
    assert [error["pointer"] for error in items[5]["problem"]["errors"]] == ["/header/revision", "/body/effective_time_frame", "/body/heart_rate"]


def test_what_comes_after_leaving_is_refused_and_erasing_takes_all(participant, researcher):
    ada = participant()
    name = new_id()
    ada.call("PUT", ada.own(f"/observations/{name}"), json=observations.pulse(ada.zone), status=201)
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "stop"}, status=200)
    later = instant(after(now(), seconds=60))
    ada.problem(
        "PUT", ada.own(f"/observations/{new_id()}"), 409, "enrolment-withdrawn",
        json=observations.pressure(ada.zone, started_at=later, ended_at=later))
    # What was measured before is still taken.
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pulse(ada.zone), status=201)
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "erase"})
    feed = researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000)
    assert not any(item["id"] == name for item in feed)
