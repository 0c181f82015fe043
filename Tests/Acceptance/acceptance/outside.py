"""What lies outside of the server: a real HTTPS server under a certificate authority of the tests, and a device that takes pushes."""

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
    """A certificate authority; `file` is what clients trust."""

    def __init__(self, directory):
        self.directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tests")])
        made = self._builder(self._name, self._key).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = directory / "authority.pem"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, name, key):
        start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(self._name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(start)
            .not_valid_after(start + datetime.timedelta(days=2)))

    def certify(self, *more):
        """A file with certificate and key for this machine, and for more names."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), *map(x509.DNSName, more), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        made = self._builder(name, key).add_extension(x509.SubjectAlternativeName(names), critical=False)
        path = self.directory / f"outside-{new_id()}.pem"
        path.write_bytes(
            made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return path


class Received:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body


class Outside:
    """Takes POSTs and keeps them. By path: `answers` is what is answered next, then 201; on `held` paths nobody is answered."""

    def __init__(self, authority, address="127.0.0.1", port=0, name=None, within=lambda work: work()):
        """Certified for this machine, whatever its address, and for `name`. `within` is where it listens."""
        self.address = address
        self.received, self.connections = [], 0
        self.answers, self.held = {}, set()
        self.arrived = threading.Condition()
        outside = self

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def verify_request(self, _request, _address):
                outside.connections += 1
                return True

        class Talk(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with outside.arrived:
                    outside.received.append(Received(self.path, self.headers, body))
                    outside.arrived.notify_all()
                if self.path in outside.held:
                    # No answer, until the other side is gone.
                    self.rfile.read(1)
                    return
                answer = (outside.answers.get(self.path) or [(201, {})]).pop(0)
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
        self._listener = within(lambda: Listener((address, port), Talk))
        # Each connection's own thread shakes hands, so that one that does not keeps nobody waiting.
        self._listener.socket = context.wrap_socket(self._listener.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    def stop(self):
        self._listener.shutdown()
        self._listener.server_close()

    def url(self, path, host=None):
        return f"https://{host or self.address}:{self.port}{path}"

    def at(self, path):
        with self.arrived:
            return [one for one in self.received if one.path == path]

    def wait_for(self, path, count=1, seconds=60):
        deadline = time.monotonic() + seconds
        with self.arrived:
            while len(found := [one for one in self.received if one.path == path]) < count:
                left = deadline - time.monotonic()
                assert left > 0, f"{len(found)} of {count} at {path} within {seconds} s"
                self.arrived.wait(left)
        return found


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Device:
    """Somebody's phone: its keys, its address at the push service, and what it makes of a message."""

    def __init__(self, outside, host=None, path=None):
        self.id = new_id()
        self.outside, self.host = outside, host
        self.path = path or f"/push/{self.id}"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = os.urandom(16)

    @property
    def subscription(self):
        point = self._key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return {
            "endpoint": self.outside.url(self.path, self.host), "expirationTime": None,
            "keys": {"p256dh": base64url(point), "auth": base64url(self._secret)}}

    def register(self, person, channels=("push",), status=201):
        path = f"/v1/account/push-subscriptions/{self.id}"
        made = person.call("PUT", path, json=self.subscription, status=status)
        if channels:
            person.call("PATCH", person.own(""), json={"reminder": {"channels": list(channels)}}, status=200)
        return made

    @property
    def messages(self):
        return self.outside.at(self.path)

    def read(self, message):
        assert message.headers["content-encoding"] == "aes128gcm"
        return http_ece.decrypt(message.body, private_key=self._key, auth_secret=self._secret, version="aes128gcm")

    def sender(self, message):
        """The claims of whoever sent it, after their signature was checked, and their key."""
        token, key = re.fullmatch(r"vapid t=([^,]+), ?k=([A-Za-z0-9_-]+)", message.headers["authorization"]).groups()
        point = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        assert jwt.get_unverified_header(token)["alg"] == "ES256"
        return jwt.decode(token, public, algorithms=["ES256"], audience=self.outside.url("", self.host)), key
