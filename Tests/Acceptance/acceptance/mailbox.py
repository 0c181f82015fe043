"""A real SMTP server on this machine that stores the mails it receives."""

import email
import email.policy
import re
import threading
import time

from aiosmtpd.controller import Controller

from .server import free_port

# Subjects of the mails with a code for an address, in English and German.
VERIFICATION_SUBJECTS = ("Confirm your e-mail address for Saunter", "Bestätigen Sie Ihre E-Mail-Adresse für Saunter")


class Mailbox:
    """`more` are arguments of aiosmtpd: `tls_context` with `require_starttls`, `authenticator` with `auth_required`, …"""

    def __init__(self, **more):
        self._arrived = threading.Condition()
        self._mails = []
        # A busy machine starts the server late, and a machine may not know its own host name.
        self._controller = Controller(
            self, hostname="127.0.0.1", port=free_port(), ready_timeout=60, server_hostname="localhost", **more)

    def start(self):
        self._controller.start()
        return self

    def stop(self):
        self._controller.stop()

    @property
    def port(self):
        return self._controller.port

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_DATA(self, _server, _session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        with self._arrived:
            self._mails.append((list(envelope.rcpt_tos), envelope.mail_from, mail))
            self._arrived.notify_all()
        return "250 taken"

    def to(self, address, verifications=False):
        """The mails to this address up to now: those with a code for the address, or all others."""
        with self._arrived:
            return [
                mail for recipients, _, mail in self._mails
                if recipients == [address] and (mail["subject"] in VERIFICATION_SUBJECTS) == verifications]

    def wait_for(self, address, count=1, seconds=60, verifications=False):
        """Waits for at least `count` mails to this address."""
        deadline = time.monotonic() + seconds
        with self._arrived:
            while len(found := self.to(address, verifications)) < count:
                left = deadline - time.monotonic()
                assert left > 0, f"{len(found)} of {count} mails to {address} within {seconds} s"
                self._arrived.wait(left)
        return found

    def verify(self, person):
        """Confirms the person's address with the code from the newest mail, as a participant does in the app."""
        mail = self.wait_for(person.email, verifications=True)[-1]
        person.call("PUT", f"/v1/email-verifications/{code(mail)}", status=204)


def text(mail):
    return mail.get_body(("plain",)).get_content()


def code(mail):
    """The code in a mail. It is the longest word."""
    return max(re.findall(r"[A-Za-z0-9_-]+", text(mail)), key=len)
