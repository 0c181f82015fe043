"""The full dataset of a study, as a researcher with the permission downloads it."""

import collections
import csv
import io
import zipfile

from . import records
from .people import STUDY, Researcher
from .server import wait_until

TABLES = {"answer_sheet": "sheets", "walk": "walks", "observation": "observations", "calibration": "calibrations", "usage_event": "usage_events"}
_COLUMNS = {kind: endpoint[2] for kind, endpoint in records.ENDPOINTS.items()} | {"usage_event": "event_id"}


def files(researcher, study, profile, seconds=120):
    """Requests a dataset, waits for it and downloads it: file name -> bytes."""
    route = f"/v1/studies/{study}/exports"
    made = researcher.call("POST", route, json={"profile": profile}, status=(200, 202))
    job_path = f"{route}/{made['export_id']}"

    def is_done():
        job = researcher.call("GET", job_path, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(is_done, seconds, "the dataset is ready")
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", job_path + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


class Custodian(Researcher):
    def __init__(self, server):
        super().__init__(server)
        server.run("account", "grant", "--email", self.email, "--role", "researcher", "--study", STUDY, "--full-export")

    def download(self):
        return files(self, STUDY, "full", seconds=180)

    def ids(self):
        """Kind -> id -> how often the dataset contains the id."""
        tables = self.download()
        return {
            kind: collections.Counter(
                # The id has a prefix that names the kind.
                row[_COLUMNS[kind]][-36:] for row in csv.DictReader(io.StringIO(tables[f"data/{table}.csv"].decode())))
            for kind, table in TABLES.items()
        }
