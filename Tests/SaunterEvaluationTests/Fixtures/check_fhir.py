"""Validates the FHIR bundle of a dataset with fhir.resources (R4B), and checks that it contains every answer of answers.csv."""

import csv
import json
import pathlib
import sys

from fhir.resources.R4B.bundle import Bundle

root = pathlib.Path(sys.argv[1])
text = (root / "fhir/questionnaire_responses.json").read_text(encoding="utf-8")
bundle = Bundle.model_validate_json(text)


def rows(path):
    with open(root / path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


sheets = [row for row in rows("data/sheets.csv") if row["deleted"] != "1"]
responses = [entry for entry in bundle.entry if entry.resource.get_resource_type() == "QuestionnaireResponse"]
assert [entry.resource.id for entry in responses] == [row["sheet_id"] for row in sheets]

# Every score is an Observation that refers to its sheet.
observations = [entry.resource for entry in bundle.entry if entry.resource.get_resource_type() == "Observation"]
scores = rows("data/scores.csv")
assert len(observations) == len(scores) == len({observation.id for observation in observations}) > 4
for observation, row in zip(observations, scores):
    assert observation.derivedFrom[0].reference == f"urn:saunter:sheet:{row['enrolment_id']}:{row['sheet_id']}"
    assert observation.code.coding[0].system == f"urn:saunter:scale:{row['instrument']}"
    assert observation.code.coding[0].code == row["score"]
    if row["value"]:
        assert float(observation.valueQuantity.value) == float(row["value"]), row
    else:
        assert row["reason"] == "not_shown" and observation.dataAbsentReason.coding[0].code == "not-asked", row
    assert (observation.interpretation is not None) == (row["band"] != ""), row
items = {}
for entry in json.loads(text)["entry"]:
    resource = entry["resource"]
    for item in resource.get("item", []):
        items[resource["id"], item["linkId"]] = item
texts = {(row["sheet_id"], row["item"]): row["text"] for row in rows("data/free_text.csv")}
found = 0
for row in rows("data/answers.csv"):
    item = items.get((row["sheet_id"], row["item"]), {})
    values = [value for answer in item.get("answer", []) for value in answer.values()]
    codes = [value["code"] if isinstance(value, dict) else value for value in values]
    where = (row, item)
    if (row["sheet_id"], row["item"]) in texts:
        assert codes == [texts[row["sheet_id"], row["item"]]], where
    elif row["option"]:
        assert (row["option"] in codes) == (row["value"] == "1"), where
    elif row["type"] == "count":
        # The instances are items of the same name; locations are in no response.
        pass
    elif row["type"] == "boolean" and row["value"]:
        assert codes == [row["value"] == "1"], where
    elif row["value"]:
        assert [str(code) for code in codes] == [row["value"]], where
    elif row["missing"] == "refused":
        assert item["extension"][0]["valueCode"] == "asked-declined", where
    elif row["missing"] in ("not_shown", "not_reached"):
        assert not item, where
    found += 1
assert found > 40
print("all as expected")
