"""Receivers of messages: a real HTTPS server with a certificate of a test authority, and a device that receives push messages."""

import base64
import datetime
import http.server
import ipaddress
import os
import re
import ssl
import threading
import time

import http_ece
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .moments import new_id


class Authority:
    """A certificate authority. `file` is its certificate, which clients trust."""

    def __init__(self, directory):
        self.directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tests")])
        made = self._builder(self._name, self._key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = directory / "authority.pem"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, name, key):
        # A server on a simulated clock may be days ahead.
        start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(start)
            .not_valid_after(start + datetime.timedelta(days=60)))

    def certify(self, *more):
        """A file with a certificate and a key for this machine, and for more names."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), *map(x509.DNSName, more), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        made = self._builder(name, key).add_extension(x509.SubjectAlternativeName(names), critical=False)
        path = self.directory / f"certificate-{new_id()}.pem"
        path.write_bytes(
            made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return path


class ReceivedRequest:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        # Seconds of the monotonic clock.
        self.arrived_at = time.monotonic()


class MessageReceiver:
    """Stores the POST requests that it receives. `answers` maps a path to its next answers; then it answers 201. Paths in `unanswered` get no answer."""

    def __init__(self, authority, address="127.0.0.1", port=0, name=None, run_in_network=lambda work: work()):
        """Has a certificate for this machine and for `name`. `run_in_network` calls a function in the network in which the server listens."""
        self.address = address
        self.received, self.connections = [], 0
        self.answers, self.unanswered = {}, set()
        self.arrived = threading.Condition()
        receiver = self

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def verify_request(self, _request, _address):
                receiver.connections += 1
                return True

        class Connection(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.arrived:
                    receiver.received.append(ReceivedRequest(self.path, self.headers, body))
                    receiver.arrived.notify_all()
                if self.path in receiver.unanswered:
                    # No answer until the client closes the connection.
                    self.rfile.read(1)
                    return
                answer = (receiver.answers.get(self.path) or [(201, {})]).pop(0)
                if callable(answer):
                    return answer(self)
                self.send_response(answer[0])
                for name, value in ({"Content-Length": "0"} | answer[1]).items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(authority.certify(*[name] if name else []))
        self._listener = run_in_network(lambda: Listener((address, port), Connection))
        # The thread of each connection does the TLS handshake, so a client that does not finish it blocks no other client.
        self._listener.socket = context.wrap_socket(self._listener.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    def stop(self):
        self._listener.shutdown()
        self._listener.server_close()

    def url(self, path, host=None):
        return f"https://{host or self.address}:{self.port}{path}"

    def requests_to(self, path):
        with self.arrived:
            return [request for request in self.received if request.path == path]

    def wait_for(self, path, count=1, seconds=60):
        deadline = time.monotonic() + seconds
        with self.arrived:
            while len(found := [request for request in self.received if request.path == path]) < count:
                left = deadline - time.monotonic()
                assert left > 0, f"{len(found)} of {count} requests to {path} within {seconds} s"
                self.arrived.wait(left)
        return found


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Device:
    """The phone of a participant: its keys, its address at the push service, and the decryption of messages."""

    def __init__(self, receiver, host=None, path=None):
        self.id = new_id()
        self.receiver, self.host = receiver, host
        self.path = path or f"/push/{self.id}"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = os.urandom(16)

    @property
    def subscription(self):
        point = self._key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return {
            "endpoint": self.receiver.url(self.path, self.host), "expirationTime": None,
            "keys": {"p256dh": base64url(point), "auth": base64url(self._secret)}}

    def register(self, person, channels=("push",), status=201):
        path = f"/v1/account/push-subscriptions/{self.id}"
        made = person.call("PUT", path, json=self.subscription, status=status)
        if channels:
            person.call("PATCH", person.own(""), json={"reminder": {"channels": list(channels)}}, status=200)
        return made

    @property
    def messages(self):
        return self.receiver.requests_to(self.path)

    def read(self, message):
        assert message.headers["content-encoding"] == "aes128gcm"
        return http_ece.decrypt(message.body, private_key=self._key, auth_secret=self._secret, version="aes128gcm")

    def sender(self, message):
        """The claims of the sender, with a checked signature, and the sender's key."""
        token, key = re.fullmatch(r"vapid t=([^,]+), ?k=([A-Za-z0-9_-]+)", message.headers["authorization"]).groups()
        point = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        assert jwt.get_unverified_header(token)["alg"] == "ES256"
        return jwt.decode(token, public, algorithms=["ES256"], audience=self.receiver.url("", self.host)), key
