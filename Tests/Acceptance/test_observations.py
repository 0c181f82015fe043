"""Observations of sensors: submitted, read, deleted, in the feed of changes, and as data points in both directions."""

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


def test_a_later_revision_replaces_an_earlier_one(participant, researcher):
    """In any order, by single requests and in a batch. The dataset and the feed contain the latest revision."""
    ada = participant()
    name, body = new_id(), observations.pulse(ada.zone)
    path = ada.own(f"/observations/{name}")

    def revised(number, beats):
        return body | {"revision": number, "components": [{"unit": "/min", "values": [beats] * 4}]}

    assert ada.call("PUT", path, json=body, status=201)["revision"] == 1
    since = ada.call("GET", ada.own("/sync"), status=200)["next_since"]
    third = ada.call("PUT", path, json=revised(3, 93), status=201)
    assert third["revision"] == 3 and third["replayed"] is False and third["components"][0]["summary"]["mean"] == 93
    # A late earlier revision and a retry of the first revision change nothing.
    for late in (revised(2, 92), body, revised(3, 93)):
        assert ada.call("PUT", path, json=late, status=200) == third | {"replayed": True}
    ada.problem("PUT", path, 409, "id-reused", json=revised(3, 99))
    items = [{"kind": "observation", "id": name, "body": revised(number, 90 + number)} for number in (5, 4)]
    reply = ada.call("POST", ada.own("/sync"), json={"client_now": instant(), "items": items}, status=200)["items"]
    assert reply[0]["result"] == "accepted" and {item["receipt"]["revision"] for item in reply} <= {4, 5}
    found = ada.call("GET", path, status=200)
    assert found["revision"] == 5 and found["components"][0]["values"] == [95] * 4
    shown = {item["id"]: item for item in ada.call("GET", ada.own("/sync"), params={"since": since}, status=200)["items"]}
    assert shown[name]["body"]["revision"] == 5
    assert [item["body"]["rev"] for item in researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000) if item["id"] == name] == [5]
    rows = [row for row in dataset(researcher)["data/observations.csv"] if name in row["observation_id"]]
    assert [(float(row["mean"]), row["rev"]) for row in rows] == [(95, "5")]
    # A deleted observation stays deleted.
    ada.call("DELETE", path, status=204)
    assert ada.call("PUT", path, json=revised(6, 96), status=200)["revision"] == 5
    ada.problem("GET", path, 404, "not-found")


def test_the_list_has_the_newest_observation_first_and_no_deleted_ones(participant, researcher):
    ada = participant()
    ids = [new_id() for _ in range(3)]
    for index, name in enumerate(ids):
        start = after(seconds=index * 60 - 600)
        body = observations.pressure(ada.zone, started_at=instant(start), ended_at=instant(start))
        ada.call("PUT", ada.own(f"/observations/{name}"), json=body, status=201)
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pulse(ada.zone), status=201)
    assert [item["observation_id"] for item in ada.pages(ada.own("/observations"), limit=1, code="85354-9")] == ids[::-1]
    ada.call("DELETE", ada.own(f"/observations/{ids[0]}"), status=204)
    ada.problem("DELETE", ada.own(f"/observations/{ids[0]}"), 404, "not-found")
    ada.problem("GET", ada.own(f"/observations/{ids[0]}"), 404, "not-found")
    assert len(ada.pages(ada.own("/observations"))) == 3
    # The feed contains the deletion.
    feed = [
        item for item in researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000)
        if item["kind"] == "observation" and item["id"] in ids
    ]
    assert sorted((ids.index(item["id"]), item["deleted"]) for item in feed) == [(0, True), (1, False), (2, False)]


def test_a_batch_can_contain_observations(participant):
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
    # In the ten minutes of its time frame.
    "physical-activity": {
        "activity_name": "walking", "distance": {"value": 1.5, "unit": "mi"}, "kcal_burned": {"value": 120, "unit": "kcal"},
        "duration": {"value": 10, "unit": "min"}},
}
# Members of a header of IEEE 1752.1, and one unknown member.
HEADER = {
    "schema_id": {"namespace": "ieee", "name": "physical-activity", "version": "1.0"}, "modality": "self-reported",
    "acquisition_rate": {"number_of_times": 1, "time_window": {"value": 5, "unit": "min"}},
    "external_datasheets": [{"datasheet_type": "manufacturer", "datasheet_reference": "https://example.org/band-3"}],
    "source_creation_date_time": "2026-05-01T10:05:00.000+02:00", "firmware": {"name": "b", "build": 7.10},
}


def test_data_points_are_returned_as_they_were_submitted(participant):
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


def test_a_header_is_returned_with_all_its_members(participant):
    ada = participant()
    sent = observations.point(
        "physical-activity", POINTS["physical-activity"], at=(instant(after(seconds=-900)), instant(after(seconds=-300))), **HEADER)
    ada.call("POST", ada.own("/data-points"), json=sent, status=200)
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == sent["body"]
    assert {name: found["header"][name] for name in HEADER} == HEADER
    assert set(found["header"]) == set(sent["header"]) - {"user_id"} | {"uuid"}


def test_a_data_point_with_a_higher_revision_replaces_the_earlier_one(participant):
    ada = participant()
    first = observations.point("heart-rate", POINTS["heart-rate"])
    second = {"header": first["header"] | {"revision": 2}, "body": first["body"] | {"heart_rate": {"value": 91, "unit": "beats/min"}}}
    words = [
        item["result"] for point in (first, second, first, second)
        for item in ada.call("POST", ada.own("/data-points"), json=point, status=200)["items"]]
    assert words == ["accepted", "accepted", "replayed", "replayed"]
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == second["body"] and found["header"]["revision"] == 2


def test_times_of_data_points_are_corrected_for_the_clock_of_the_device(participant):
    """The time by the device's own clock is returned as the creation time of the source."""
    from acceptance import walks

    ada = participant()
    start = after(seconds=-900)
    ahead = after(start, hours=3)
    pulse = observations.pulse(ada.zone, started_at=instant(ahead), ended_at=instant(after(ahead, seconds=60)))
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), status=201, json=pulse | {"client_now": instant(after(hours=3))})
    ada.call(
        "PUT", ada.own(f"/walks/{new_id()}"), status=201, json=walks.body(ada.zone, started=ahead) | {"client_now": instant(after(hours=3))})
    heart, *_, walk = ada.pages(ada.own("/data-points"))
    shown = heart["body"]["effective_time_frame"]["date_time"], walk["body"]["effective_time_frame"]["time_interval"]["start_date_time"]
    # The difference is the duration of the request.
    assert all(abs((read(moment) - start).total_seconds()) < 30 for moment in shown)
    assert heart["header"]["source_creation_date_time"] == instant(ahead)
    assert walk["header"]["source_creation_date_time"] == instant(after(ahead, seconds=600))
    # Queries by time use the corrected time too.
    span = {"from": instant(after(start, seconds=-60)), "to": instant()}
    assert len(ada.pages(ada.own("/data-points"), **span)) == 4


def test_a_value_over_many_weeks_is_a_data_point(participant):
    ada = participant()
    span = (instant(after(seconds=-180 * 86_400)), instant(after(seconds=-60)))
    sent = observations.point("body-weight", {"body_weight": {"value": 70.5, "unit": "kg"}, "descriptive_statistic": "minimum"}, at=span)
    long = observations.point("body-weight", sent["body"], at=(instant(after(seconds=-400 * 86_400)), span[1]))
    items = ada.call("POST", ada.own("/data-points"), json=[sent, long], status=200)["items"]
    assert [item["result"] for item in items] == ["accepted", "rejected"]
    [found] = ada.pages(ada.own("/data-points"))
    assert found["body"] == sent["body"]


def test_series_and_walks_are_paged_data_points(participant):
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
    # The query compares the time of each sample.
    second = whole[1]["body"]["effective_time_frame"]["date_time"]
    assert ada.pages(ada.own("/data-points"), to=second, schema="heart-rate") == whole[:1]
    assert ada.pages(ada.own("/data-points"), **{"from": second}, schema="heart-rate") == whole[1:3]
    ada.problem("GET", ada.own("/data-points") + "?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", 400, "request-invalid")


def test_after_a_withdrawal_new_observations_are_rejected_and_an_erasure_deletes_all(participant, researcher):
    ada = participant()
    name = new_id()
    ada.call("PUT", ada.own(f"/observations/{name}"), json=observations.pulse(ada.zone), status=201)
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "stop"}, status=200)
    later = instant(after(now(), seconds=60))
    ada.problem(
        "PUT", ada.own(f"/observations/{new_id()}"), 409, "enrolment-withdrawn",
        json=observations.pressure(ada.zone, started_at=later, ended_at=later))
    # An observation from before the withdrawal is still accepted.
    ada.call("PUT", ada.own(f"/observations/{new_id()}"), json=observations.pulse(ada.zone), status=201)
    ada.call("POST", ada.own("/withdrawal"), json={"mode": "erase"})
    feed = researcher.pages(f"/v1/studies/{STUDY}/changes", limit=1000)
    assert not any(item["id"] == name for item in feed)
