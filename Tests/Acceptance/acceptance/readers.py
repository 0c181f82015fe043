"""What readers are compared with: the dataset of the same study, made just before."""

import csv
import io
import zipfile

from .server import wait_until

STUDY = "mindful-walking"


def token(researcher, status=201, **body):
    """A new API token; its description with the token itself."""
    return researcher.call("POST", f"/v1/studies/{STUDY}/api-tokens", json={"label": "tests"} | body, status=status)


def dataset(researcher, **body):
    """File -> rows as dictionaries of texts, of a dataset made now."""
    route = f"/v1/studies/{STUDY}/exports"
    made = researcher.call("POST", route, json={"profile": "coded"} | body, status=(200, 202))
    place = f"{route}/{made['export_id']}"

    def done():
        job = researcher.call("GET", place, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(done, 60, "the export is done")
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", place + "/file").content))
    tables = {}
    for name in archive.namelist():
        path = name.split("/", 1)[1]
        if path.endswith(".csv"):
            tables[path] = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    return tables


def audited(server, action, **detail):
    """How many lines of the audit there are of this act."""
    conditions = "".join(f" and detail ->> '{name}' = '{value}'" for name, value in detail.items())
    return int(server.sql(f"select count(*) from audit.entry where action = '{action}'{conditions}"))
