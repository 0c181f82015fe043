"""A server whose wall clock a test sets, and a participant who lives by it. Stories of weeks and months pass in seconds.

A preloaded library shifts the wall clock of the server. PostgreSQL has the real time: the server passes all times as parameters, and only
datasets ask it for the time. docs/decisions/0036 states why it is not libfaketime.
"""

import datetime
import os
import pathlib
import shutil
import struct
import subprocess
import zoneinfo

from . import moments
from .people import Person
from .server import Server, wait_until

SOURCE = pathlib.Path(__file__).with_suffix(".c")


class SimulatedClock:
    """A clock that starts at an instant and runs on like the real one. It only moves forward."""

    def __init__(self, directory, start):
        directory = pathlib.Path(directory)
        self._file = directory / "clock"
        library = directory / "simulated_clock.so"
        # The Swift toolchain has a compiler for C.
        compiler = shutil.which("cc") or shutil.which("clang")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": str(library), "SAUNTER_TEST_CLOCK": str(self._file)}
        self._file.write_bytes(bytes(8))
        self._shift = datetime.timedelta(0)
        self._set(start - moments.now())

    def _set(self, shift):
        self._shift = shift
        # In place, because the processes have mapped the file.
        with open(self._file, "r+b") as file:
            os.pwrite(file.fileno(), struct.pack("=q", shift // datetime.timedelta(microseconds=1) * 1000), 0)

    def now(self):
        return moments.now() + self._shift

    def advance(self, to=None, **span):
        """Moves the clock to an instant, or by days, hours, minutes."""
        target = to or self.now() + datetime.timedelta(**span)
        assert target >= self.now(), f"{target} is before {self.now()}"
        self._set(target - moments.now())
        return target

    def advance_to(self, zone, time, days=0):
        """Moves the clock to a local time, some days from now."""
        local = self.now().astimezone(zoneinfo.ZoneInfo(zone))
        target = datetime.datetime.combine(
            local.date() + datetime.timedelta(days=days), datetime.time.fromisoformat(time), zoneinfo.ZoneInfo(zone))
        return self.advance(to=target.astimezone(datetime.timezone.utc))


class TimedServer(Server):
    """A server on a simulated clock."""

    def __init__(self, clock, **more):
        super().__init__(**more)
        self.clock = clock
        self.environment |= clock.environment

    def send_due(self):
        """Evaluates rules and sends what is due, and waits for what a worker of the running server has begun meanwhile."""
        self.run("remind", "--once")
        wait_until(
            lambda: self.sql(
                "select not exists (select 1 from research.enrolment where status = 'active' and (next_decision_at <= '{0}' or"
                " next_reminder_at <= '{0}' and reminders_on and ({1} and email_verified or reminder_channels && '{{push,webhook}}')))"
                " and not exists (select 1 from research.reminder where state = 'claimed' or state = 'retrying' and next_attempt_at <= '{0}')"
                .format(moments.instant(self.clock.now()), bool(self.environment.get("SAUNTER_SMTP_URL")))).strip() == "t",
            60, "everything due is sent")


class TimedPerson(Person):
    """A participant of a study on a server with a simulated clock."""

    def __init__(self, server, study, contract=None, **more):
        super().__init__(server, contract, **more)
        self.clock = server.clock
        self.study = study

    @property
    def tokens(self):
        return self._tokens

    @tokens.setter
    def tokens(self, tokens):
        self._tokens, self._tokens_at = tokens, self.clock.now() if tokens else None

    def stay_logged_in(self):
        """Refreshes the tokens after five minutes, and logs in after the refresh token has expired."""
        if not self.tokens or self.clock.now() - self._tokens_at < datetime.timedelta(minutes=5):
            return
        answer = self.refresh()
        if answer.ok:
            self.tokens = answer.json()
        else:
            self.log_in()

    def enrol(self, status=201):
        version = self.call("GET", f"/v1/studies/{self.study}", status=200)["consent"]["version"]
        self.enrolment = self.call(
            "POST", f"/v1/studies/{self.study}/enrolments", status=status,
            json={"consent": {"version": version, "accepted": True}, "time_zone": self.zone, "language": self.language})
        return self

    def sheet(self, questionnaire, answers, started=None, completed=None, **more):
        completed = completed or self.clock.now()
        return super().sheet(
            questionnaire, answers, started=started or completed - datetime.timedelta(seconds=40), completed=completed,
            **{"client_now": moments.instant(self.clock.now())} | more)

    def travel(self, zone):
        """Arrives in another zone, and the device reports it."""
        self.zone = zone
        return self.call("PATCH", self.own(""), json={"time_zone": zone}, status=200)

    def local(self, moment=None):
        return (moment or self.clock.now()).astimezone(zoneinfo.ZoneInfo(self.zone))

