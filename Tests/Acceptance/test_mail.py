"""A server that sends through a mail server with TLS and a login."""

import datetime
import ipaddress
import ssl
from urllib.parse import quote

import pytest
import requests
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from acceptance.mailbox import Mailbox
from acceptance.people import Person
from acceptance.server import Server, wait_until

USER, PASSWORD = "saunter@example.org", "p:ss w@rd/#"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A PEM file with a self-signed certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(start).not_valid_after(start + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "server.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path


def authenticate(_server, _session, _envelope, _mechanism, login):
    return AuthResult(success=(login.login.decode(), login.password.decode()) == (USER, PASSWORD))


@pytest.fixture(scope="module")
def secure_mailbox(certificate):
    """A mail server that accepts mail only over TLS and after a login."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    mailbox = Mailbox(
        tls_context=context, require_starttls=True, authenticator=authenticate, auth_required=True, auth_require_tls=True).start()
    yield mailbox
    mailbox.stop()


def smtp_url(secure_mailbox, password=PASSWORD, options=""):
    return f"smtp://{quote(USER, safe='')}:{quote(password, safe='')}@127.0.0.1:{secure_mailbox.port}?starttls=required{options}"


def request_code(server, contract):
    """Registers a person and requests a code for a new password; the mail address."""
    person = Person(server, contract).register()
    person.call("POST", "/v1/password-resets", json={"email": person.email}, token=False, status=202)
    return person.email


def test_mail_is_sent_over_tls_and_after_a_login(secure_mailbox, certificate, contract):
    server = Server(smtp_url=smtp_url(secure_mailbox, options=f"&ca={quote(str(certificate))}"))
    try:
        secure_mailbox.wait_for(request_code(server.start(), contract))
        assert server.stop() == 0
    finally:
        server.remove()


def test_a_mail_server_without_a_trusted_certificate_gets_no_password(secure_mailbox, contract):
    server = Server(smtp_url=smtp_url(secure_mailbox))
    try:
        email = request_code(server.start(), contract)
        check_logged_failure(server, email)
        assert secure_mailbox.to(email) == []
        assert server.stop() == 0
    finally:
        server.remove()


def test_a_rejected_login_is_logged_and_the_mail_is_sent_after_the_correction(secure_mailbox, certificate, contract):
    ca_option = f"&ca={quote(str(certificate))}"
    server = Server(smtp_url=smtp_url(secure_mailbox, password="another", options=ca_option))
    try:
        email = request_code(server.start(), contract)
        check_logged_failure(server, email)
        assert secure_mailbox.to(email) == []
        assert server.stop() == 0
        server.environment["SAUNTER_SMTP_URL"] = smtp_url(secure_mailbox, options=ca_option)
        server.start()
        assert len(secure_mailbox.wait_for(email, seconds=180)) == 1
        assert server.stop() == 0
    finally:
        server.remove()


def test_no_level_of_the_log_contains_a_secret(secure_mailbox, certificate, contract):
    token = "canary-metrics-token"
    server = Server(smtp_url=smtp_url(secure_mailbox, options=f"&ca={quote(str(certificate))}"))
    server.environment |= {"SAUNTER_LOG_LEVEL": "trace", "SAUNTER_METRICS_TOKEN": token}
    try:
        person = Person(server.start(), contract).register()
        person.call("POST", "/v1/password-resets", json={"email": person.email}, token=False, status=202)
        secure_mailbox.wait_for(person.email)
        requests.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=10).raise_for_status()
        assert server.stop() == 0
        log = server.log.read_text(errors="replace")
        # The service lifecycle writes the server with all its properties at level debug.
        assert "SaunterApp" in log
        key = (server.directory / "keys" / "master.key").read_bytes()
        bytes_of_key = str(list(key))[1:-1]
        for secret in (
            PASSWORD, quote(PASSWORD, safe=""), token, bytes_of_key, key.hex(), person.password, person.email,
            person.tokens["access_token"], person.tokens["refresh_token"],
        ):
            assert secret not in log, f"{secret!r} is in the log"
    finally:
        server.remove()


def check_logged_failure(server, email):
    """Waits for the log entry of a failed mail. It contains neither the address nor the password."""
    wait_until(lambda: "mail not sent; it will be retried" in server.tail(400), 90, "the failed mail is logged")
    text = server.tail(4000)
    assert PASSWORD not in text and quote(PASSWORD, safe="") not in text and email not in text
