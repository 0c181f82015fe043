"""Load from several people, with a ledger of what was acknowledged."""

import hashlib
import json
import random
import threading

import requests

from . import answers
from .moments import new_id


class Ledger:
    """Sends sheets until it is stopped. Whatever was not acknowledged is sent again, with the same bytes, until it is."""

    def __init__(self, people, seed, threads_each=2):
        self.people = people
        self.acknowledged = {}
        self.attempts = 0
        self.strange = []
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._open = []
        self._threads = [
            threading.Thread(target=self._send, args=(person, self._random.random()), daemon=True)
            for person in people for _ in range(threads_each)
        ]

    def start(self):
        for thread in self._threads:
            thread.start()
        return self

    def _send(self, person, seed):
        chance = random.Random(seed)
        while not self._stopping.is_set():
            sheet_id = new_id()
            body = person.sheet("daily_evening", answers.DAILY | {"mood": chance.randint(1, 5), "note": f"ledger {chance.random()}"})
            self._try(person, sheet_id, body)

    def _try(self, person, sheet_id, body):
        try:
            with self._lock:
                self.attempts += 1
            response = requests.put(
                person.server.url + person.own(f"/answer-sheets/{sheet_id}"), json=body, timeout=60,
                headers={"Authorization": f"Bearer {person.tokens['access_token']}"})
        except requests.RequestException:
            response = None
        with self._lock:
            if response is not None and response.status_code in (200, 201):
                assert sheet_id not in self.acknowledged
                self.acknowledged[sheet_id] = (person, body)
                return True
            if response is not None and response.status_code != 503:
                self.strange.append((response.status_code, response.text))
            self._open.append((person, sheet_id, body))
            return False

    def acknowledged_count(self):
        with self._lock:
            return len(self.acknowledged)

    def stop(self):
        self._stopping.set()
        for thread in self._threads:
            thread.join(120)
            assert not thread.is_alive()

    def retry(self):
        """Sends what is open once more, some of it from two sockets at once."""
        waiting, self._open = self._open, []
        for person, sheet_id, body in waiting:
            assert self._try(person, sheet_id, body), "the retry is taken"
        return len(waiting)

    def reconcile(self):
        """Every acknowledged sheet is there once with its answers, and nothing else is."""
        assert not self.strange, self.strange[:5]
        for person in self.people:
            stored = person.pages(person.own("/answer-sheets"), limit=1000)
            ids = [sheet["sheet_id"] for sheet in stored]
            mine = {sheet_id: body for sheet_id, (owner, body) in self.acknowledged.items() if owner is person}
            assert len(ids) == len(set(ids)), "nothing is there twice"
            assert set(ids) == set(mine), f"{len(set(mine) - set(ids))} acknowledged sheets are lost"
            for sheet in stored:
                assert digest(sheet["answers"]) == digest(mine[sheet["sheet_id"]]["answers"])
            # Exactly one of them settled the evening; the others are kept beside it.
            assert sum(sheet["duplicate_of"] is None for sheet in stored) == 1


def digest(answers):
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()
