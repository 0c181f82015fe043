"""A real SMTP server for the tests of mail: aiosmtpd from PyPI with configurable failures.

    smtp_server.py [--tls none|starttls|implicit] [--auth USER:PASSWORD] [--directory DIR]

It listens on a free port of 127.0.0.1 and writes one JSON object per line to standard output: first {"port", "ca"},
then one object for each accepted mail, decoded by Python's package `email`. It ends when its standard input ends.

The local part of the recipient's or the sender's address selects the failure, see `Failures`.
"""

import argparse
import asyncio
import email
import email.policy
import json
import pathlib
import ssl
import subprocess
import sys

try:
    from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
except ImportError:
    sys.exit("aiosmtpd is missing: python3 -m venv .venv && .venv/bin/pip install aiosmtpd, "
             "then run the tests with SAUNTER_TEST_PYTHON=.venv/bin/python")


def write_line(value):
    print(json.dumps(value), flush=True)


def certificates(directory):
    """Makes an authority and a certificate of it for this machine."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    (directory / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test authority")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "server.pem", "-days", "2", "-extfile", "names")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(directory / "server.pem", directory / "server.key")
    return context, str(directory / "ca.pem")


class Failures:
    def __init__(self):
        self.occurred = set()

    async def handle_QUIT(self, server, session, envelope):
        if "quit" in self.occurred:
            await asyncio.sleep(600)
        return "221 Bye"

    async def handle_MAIL(self, server, session, envelope, address, options):
        refusals = {"busy-server": "421 4.3.2 too many", "refused-sender": "550 5.7.1 not from you", "login-wanted": "530 5.7.0 log in first"}
        refusal = refusals.get(address.split("@")[0])
        if refusal:
            return refusal
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        failure = address.split("@")[0]
        if failure == "busy-once" and failure not in self.occurred:
            self.occurred.add(failure)
            return f"451 4.3.2 <{address}> please try again later"
        if failure == "gone":
            return f"550 5.1.1 <{address.upper()}>: no such mailbox"
        if failure == "drop-at-rcpt":
            server.transport.abort()
        if failure == "no-reply-at-rcpt":
            await asyncio.sleep(600)
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        failure = envelope.rcpt_tos[0].split("@")[0]
        if failure == "refused-after-data":
            return "554-5.7.1 This mail\r\n554 5.7.1 is not wanted"
        if failure == "busy-after-data":
            return "452 4.2.2 mailbox full"
        if failure == "drop-after-data":
            server.transport.abort()
            return "250 never heard"
        if failure == "no-reply-at-quit":
            self.occurred.add("quit")
        if failure == "no-reply-after-data":
            await asyncio.sleep(600)
        self.report(server, session, envelope)
        return "250 2.0.0 queued as 4711"

    @staticmethod
    def report(server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {kind: mail.get_body((kind,)) for kind in ("plain", "html")}
        body = {kind: part.get_content().replace("\r\n", "\n") for kind, part in parts.items() if part}
        defects = [str(d) for part in mail.walk() for d in part.defects]
        defects += [str(d) for value in mail.values() for d in value.defects]
        write_line({
            "sender": envelope.mail_from, "recipients": envelope.rcpt_tos,
            "headers": [[name, str(value)] for name, value in mail.items()],
            "from_name": mail["From"].addresses[0].display_name, "to": mail["To"].addresses[0].addr_spec,
            "date": mail["Date"].datetime.isoformat(), "content_type": mail.get_content_type(),
            "text": body["plain"], "html": body.get("html"),
            "defects": defects, "longest_line": max(map(len, envelope.content.split(b"\r\n"))),
            "is_ascii": envelope.content.isascii(), "is_encrypted": server.transport.get_extra_info("ssl_object") is not None,
            "login": session.auth_data.login.decode() if session.auth_data else None, "hello": session.host_name,
        })


class Server(SMTP):
    """Can close the connection in the middle of a mail. aiosmtpd calls its handler only after the complete mail."""

    async def smtp_DATA(self, argument):
        if self.envelope.rcpt_tos and self.envelope.rcpt_tos[0].startswith("drop-in-data@"):
            await self.push("354 go ahead")
            await self._reader.read(1000)
            self.transport.abort()
            return
        await super().smtp_DATA(argument)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", choices=["none", "starttls", "implicit"], default="none")
    parser.add_argument("--auth")
    parser.add_argument("--directory", type=pathlib.Path)
    options = parser.parse_args()

    context, ca = certificates(options.directory) if options.tls != "none" else (None, None)
    login = tuple(part.encode() for part in options.auth.split(":", 1)) if options.auth else None

    def authenticate(server, session, envelope, mechanism, data):
        is_correct = isinstance(data, LoginPassword) and (data.login, data.password) == login
        return AuthResult(success=is_correct, auth_data=data if is_correct else None, handled=False)

    failures = Failures()

    def make():
        return Server(
            failures, hostname="localhost", data_size_limit=64 << 20, loop=asyncio.get_running_loop(),
            tls_context=context if options.tls == "starttls" else None, require_starttls=options.tls == "starttls",
            auth_required=bool(login), auth_require_tls=options.tls == "starttls",
            authenticator=authenticate if login else None)

    server = await asyncio.get_running_loop().create_server(
        make, "127.0.0.1", 0, ssl=context if options.tls == "implicit" else None)
    write_line({"port": server.sockets[0].getsockname()[1], "ca": ca})
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


# Exits without waiting for handlers that still sleep.
asyncio.new_event_loop().run_until_complete(main())
sys.stdout.flush()
__import__("os")._exit(0)
