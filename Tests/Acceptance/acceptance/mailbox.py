"""A real SMTP server on this machine that stores the mails it receives."""

import email
import email.policy
import re
import threading
import time

from aiosmtpd.controller import Controller

from .server import free_port


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

    def to(self, address):
        """The mails to this address up to now."""
        with self._arrived:
            return [mail for recipients, _, mail in self._mails if recipients == [address]]

    def wait_for(self, address, count=1, seconds=60):
        """Waits for at least `count` mails to this address."""
        deadline = time.monotonic() + seconds
        with self._arrived:
            while len(found := [mail for recipients, _, mail in self._mails if recipients == [address]]) < count:
                left = deadline - time.monotonic()
                assert left > 0, f"{len(found)} of {count} mails to {address} within {seconds} s"
                self._arrived.wait(left)
        return found


def text(mail):
    return mail.get_body(("plain",)).get_content()


def code(mail):
    """The code in a mail about a password. It is the longest word."""
    return max(re.findall(r"[A-Za-z0-9_-]+", text(mail)), key=len)
