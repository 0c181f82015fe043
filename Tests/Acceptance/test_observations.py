"""Observations of sensors: submitted, read, deleted, in the feed of changes, and as data points in both directions."""

from acceptance import observations
from acceptance.moments import instant, new_id
from acceptance.people import STUDY
from acceptance.readers import dataset


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
