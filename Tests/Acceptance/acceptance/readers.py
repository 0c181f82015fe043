"""API tokens of readers, and the dataset with which tests compare what readers get."""

import csv
import io
import zipfile

from .server import wait_until

STUDY = "mindful-walking"


def token(researcher, status=201, **body):
    """Creates an API token; its description, with the token."""
    return researcher.call("POST", f"/v1/studies/{STUDY}/api-tokens", json={"label": "tests"} | body, status=status)


def dataset(researcher, **body):
    """Makes a dataset now: file -> rows as dictionaries of texts."""
    route = f"/v1/studies/{STUDY}/exports"
    made = researcher.call("POST", route, json={"profile": "coded"} | body, status=(200, 202))
    job_path = f"{route}/{made['export_id']}"

    def done():
        job = researcher.call("GET", job_path, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(done, 60, "the export is done")
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", job_path + "/file").content))
    tables = {}
    for name in archive.namelist():
        path = name.split("/", 1)[1]
        if path.endswith(".csv"):
            tables[path] = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    return tables


def audited(server, action, **detail):
    """The number of audit entries of this action."""
    conditions = "".join(f" and detail ->> '{name}' = '{value}'" for name, value in detail.items())
    return int(server.sql(f"select count(*) from audit.entry where action = '{action}'{conditions}"))
