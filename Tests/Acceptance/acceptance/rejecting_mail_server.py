"""A mail server that rejects one SMTP command."""

import contextlib
import socketserver
import threading


class RejectingMailServer(socketserver.ThreadingTCPServer):
    """Answers one command (`CONNECT`, `AUTH`, `MAIL`, `RCPT`) with `reply`, and all others positively. Runs inside a `with` block."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, command, reply):
        self.command, self.reply = command, reply
        # Every received command, in order.
        self.commands = []
        super().__init__(("127.0.0.1", 0), Connection)

    @property
    def url(self):
        login = "ada:secret@" if self.command == "AUTH" else ""
        return f"smtp://{login}127.0.0.1:{self.server_address[1]}?starttls=never"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *fault):
        self.shutdown()
        super().__exit__(*fault)


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(OSError):
            self.answer("CONNECT", "220 here")
            while line := self.rfile.readline():
                command = line[:4].decode("ascii", "replace").strip().upper()
                self.server.commands.append(command)
                self.answer(command, {"EHLO": "250-here\r\n250 AUTH PLAIN", "AUTH": "235 welcome", "QUIT": "221 bye"}.get(command, "250 yes"))

    def answer(self, command, usual):
        reply = self.server.reply if command == self.server.command else usual
        self.wfile.write(reply.encode() + b"\r\n")
