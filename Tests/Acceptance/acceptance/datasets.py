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


class Custodian(Researcher):
    def __init__(self, server):
        super().__init__(server)
        server.run("account", "grant", "--email", self.email, "--role", "researcher", "--study", STUDY, "--full-export")

    def download(self):
        """Name of each file -> its bytes."""
        route = f"/v1/studies/{STUDY}/exports"
        made = self.call("POST", route, json={"profile": "full"}, status=(200, 202))
        place = f"{route}/{made['export_id']}"

        def is_done():
            job = self.call("GET", place, status=200)
            assert job["state"] != "failed", job
            return job["state"] == "done"

        wait_until(is_done, 180, "the dataset is made")
        archive = zipfile.ZipFile(io.BytesIO(self.call("GET", place + "/file").content))
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}

    def ids(self):
        """Kind -> how often each id is in the dataset."""
        files = self.download()
        return {
            kind: collections.Counter(
                # A letter says what it is the id of.
                row[_COLUMNS[kind]][-36:] for row in csv.DictReader(io.StringIO(files[f"data/{table}.csv"].decode())))
            for kind, table in TABLES.items()
        }
