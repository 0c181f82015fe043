"""The OData feed for spreadsheets and report builders, compared with the dataset."""

import xml.etree.ElementTree as ElementTree

import pytest
import requests

from acceptance import answers, readers, walks
from acceptance.moments import new_id
from acceptance.people import Person, Researcher

BASE = f"/v1/studies/{readers.STUDY}/odata/"
EDM = "{http://docs.oasis-open.org/odata/ns/edm}"


@pytest.fixture(scope="module")
def rosa(server, contract):
    return Researcher(server, contract)


@pytest.fixture(scope="module")
def people(server, contract):
    ada, eve = (Person(server, contract, name=name).register().enrol() for name in ("Ada Canary", "Eve Canary"))
    ada.submit("daily_evening", answers.DAILY | {"note": "it's a 'quoted' note – ü"})
    for code, (given, _) in answers.BASELINE.items():
        ada.submit(code, given)
    ada.calibrate()
    ada.call("PUT", ada.own(f"/walks/{new_id()}"), json=walks.body(ada.zone), status=201)
    eve.submit("daily_evening", answers.DAILY)
    eve.call("POST", eve.own("/withdrawal"), json={"mode": "exclude"}, status=200)
    return ada, eve


@pytest.fixture(scope="module")
def secret(rosa):
    return readers.token(rosa)["token"]


@pytest.fixture
def get(server, contract, secret, people):
    session = requests.Session()
    # Like Excel and Power BI: the token is the password, and the user name is not used.
    session.auth = ("excel", secret)
    session.hooks["response"].append(contract.watch)

    def get(path="", status=200, headers=None, **parameters):
        address = path if path.startswith("http") else server.url + BASE + path
        response = session.get(
            address, params={"$" + name: value for name, value in parameters.items()}, headers=headers, timeout=60)
        assert response.status_code == status, response.text
        if status == 200:
            assert response.headers["odata-version"] == "4.0"
            if "json" in response.headers["content-type"]:
                assert response.headers["content-type"] == "application/json;odata.metadata=minimal"
                return response.json()
            return response.text
        error = response.json()
        assert set(error) == {"error"} and error["error"]["code"] and error["error"]["message"]
        return error

    return get


def rows(get, name, size=None, **parameters):
    """All pages."""
    headers = {"Prefer": f"odata.maxpagesize={size}"} if size else None
    found, page = [], get(name, headers=headers, **parameters)
    while True:
        assert page["@odata.context"].split("$metadata#")[1].split("(")[0] == name
        found += page["value"]
        if "@odata.nextLink" not in page:
            return found
        assert page["value"]
        page = get(page["@odata.nextLink"], headers=headers)


def types(get):
    """Entity set -> (key, property -> (type, nullable))."""
    root = ElementTree.fromstring(get("$metadata"))
    assert root.tag.endswith("}Edmx") and root.get("Version") == "4.0"
    [schema] = root.iter(EDM + "Schema")
    entities = {}
    for entity in schema.findall(EDM + "EntityType"):
        key = [reference.get("Name") for reference in entity.find(EDM + "Key")]
        properties = {
            entry.get("Name"): (entry.get("Type"), entry.get("Nullable", "true")) for entry in entity.findall(EDM + "Property")}
        assert all(properties[name][1] == "false" for name in key)
        entities["saunter." + entity.get("Name")] = key, properties
    [container] = schema.findall(EDM + "EntityContainer")
    return {entry.get("Name"): entities[entry.get("EntityType")] for entry in container.findall(EDM + "EntitySet")}


def text(value, kind):
    """A JSON value in the format of the dataset."""
    if value is None:
        return ""
    if kind == "Edm.Boolean":
        return {True: "1", False: "0"}[value]
    if kind in ("Edm.Int64", "Edm.Double"):
        assert isinstance(value, (int, float)) and not isinstance(value, bool)
        return value
    assert isinstance(value, str)
    return value


def test_the_feed_lists_its_tables(get, server, secret):
    service, declared = get(), types(get)
    assert {entry["name"] for entry in service["value"]} == set(declared)
    assert {"participants", "occasions", "sheets", "answers", "scores", "walks", "wide_pss_10"} <= set(declared)
    # The final slash is optional.
    bare = requests.get(server.url + BASE[:-1], auth=("excel", secret), timeout=60)
    assert bare.json() == service


def test_every_table_contains_the_same_data_as_the_dataset(get, rosa):
    declared = types(get)
    # If a window opens or closes in between, feed and dataset differ, and both are read again.
    for _ in range(3):
        tables = readers.dataset(rosa)
        read = {name: rows(get, name) for name in declared}
        if readers.dataset(rosa)["data/occasions.csv"] == tables["data/occasions.csv"]:
            break
    compared = 0
    for name, (key, properties) in declared.items():
        expected = tables[f"data/{name}.csv"]
        found = read[name]
        assert len(found) == len(expected), name
        for row, other in zip(found, expected):
            assert list(row) == list(properties) == list(other), name
            for column, (kind, _) in properties.items():
                value = text(row[column], kind)
                same = float(other[column]) == value if isinstance(value, (int, float)) else other[column] == value
                assert same, (name, column, value, other[column])
                compared += 1
    assert compared > 1000


def test_all_pages_together_are_the_whole_table(get):
    for name, (key, _) in types(get).items():
        if name in ("participants", "sheets", "answers", "scores", "wide_pss_10"):
            whole = rows(get, name)
            size = max(1, len(whole) // 4)
            assert whole and rows(get, name, size=size) == whole
            assert rows(get, name, size=size, orderby=key[0] + " desc") == whole[::-1]
            backwards = rows(get, name, orderby=", ".join(f"{part} desc" for part in key))
            assert backwards == whole[::-1]
            assert rows(get, name, size=2, top=3) == whole[:3]
            assert rows(get, name, skip=1, top=2) == whole[1:3]
            counted = get(name, count="true", top=0)
            assert counted["@odata.count"] == len(whole) and counted["value"] == []
            assert int(get(name + "/$count")) == len(whole)


def test_queries_select_rows_and_columns(get, people):
    ada, eve = (person.enrolment["participant_id"] for person in people)
    mine = f"participant_id eq '{ada}'"
    sheets = rows(get, "sheets", filter=mine)
    assert len(sheets) == 4 and rows(get, "sheets", filter=f"participant_id eq '{eve}'") == []
    [pss] = rows(get, "sheets", filter=f"{mine} and instrument eq 'pss_10'", select="sheet_id,submitted_at,instrument")
    assert list(pss) == ["sheet_id", "submitted_at", "instrument"]
    assert rows(get, "sheets", filter=f"sheet_id eq '{pss['sheet_id']}'", select="sheet_id") == [{"sheet_id": pss["sheet_id"]}]
    moment = pss["submitted_at"]
    for words, count in (
            (f"submitted_at eq {moment}", 1), (f"submitted_at lt {moment} and instrument eq 'pss_10'", 0),
            (f"submitted_at ge {moment} and submitted_at le {moment}", 1), ("rev gt 1", 0), ("rev le 1 and deleted eq false", 4),
            ("occasion_id eq null", 0), ("not (instrument eq 'pss_10')", 3), ("instrument eq 'pss_10' or instrument eq 'maas'", 2),
            ("(instrument eq 'pss_10' or instrument eq 'maas') and version ne '1.0.0'", 0), ("late_s eq null", 4),
            ("instrument eq 'it''s'", 0), ("instrument eq '; drop table research.walk; --'", 0)):
        assert len(rows(get, "sheets", filter=f"{mine} and ({words})")) == count, words
        assert int(get("sheets/$count", filter=f"{mine} and ({words})")) == count
    noted = rows(get, "free_text", filter=f"{mine} and text eq 'it''s a ''quoted'' note – ü'")
    assert [row["item"] for row in noted] == ["note"]
    single = rows(get, "answers", filter=f"{mine} and item eq 'mood' and option eq ''")
    assert [row["value"] for row in single] == ["5"]


def test_reading_is_audited_and_contains_no_identities(get, server, people):
    ada, eve = people
    shown = str([rows(get, name) for name in ("participants", "sheets", "answers", "free_text")])
    assert readers.audited(server, "data_read", api="odata") > 0
    for word in (ada.email, ada.name, ada.tokens["account_id"], eve.enrolment["participant_id"]):
        assert word not in shown
