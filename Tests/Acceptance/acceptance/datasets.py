"""The full dataset of the study, as somebody with the permission for it downloads it."""

import collections
import csv
import io
import zipfile

from . import records
from .people import STUDY, Researcher
from .server import wait_until

TABLES = {"answer_sheet": "sheets", "walk": "walks", "observation": "observations", "calibration": "calibrations", "usage_event": "usage_events"}
_COLUMNS = {kind: place[2] for kind, place in records.PLACES.items()} | {"usage_event": "event_id"}


def files(researcher, study, profile, seconds=120):
    """A dataset that is asked for, waited for and fetched: name of each file -> its bytes."""
    route = f"/v1/studies/{study}/exports"
    made = researcher.call("POST", route, json={"profile": profile}, status=(200, 202))
    place = f"{route}/{made['export_id']}"

    def is_done():
        job = researcher.call("GET", place, status=200)
        assert job["state"] != "failed", job
        return job["state"] == "done"

    wait_until(is_done, seconds, "the dataset is made")
    archive = zipfile.ZipFile(io.BytesIO(researcher.call("GET", place + "/file").content))
    return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


class Custodian(Researcher):
    def __init__(self, server):
        super().__init__(server)
        server.run("account", "grant", "--email", self.email, "--role", "researcher", "--study", STUDY, "--full-export")

    def download(self):
        return files(self, STUDY, "full", seconds=180)

    def ids(self):
        """Kind -> how often each id is in the dataset."""
        tables = self.download()
        return {
            kind: collections.Counter(
                # A letter says what it is the id of.
                row[_COLUMNS[kind]][-36:] for row in csv.DictReader(io.StringIO(tables[f"data/{table}.csv"].decode())))
            for kind, table in TABLES.items()
        }
