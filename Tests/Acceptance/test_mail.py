"""A running server at a mail server that wants encryption and a login."""

import datetime
import ipaddress
import ssl
from urllib.parse import quote

import pytest
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
    """A certificate for 127.0.0.1, signed by itself, with its key: one PEM file."""
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


def knows(_server, _session, _envelope, _mechanism, login):
    return AuthResult(success=(login.login.decode(), login.password.decode()) == (USER, PASSWORD))


@pytest.fixture(scope="module")
def guarded(certificate):
    """Takes mail only within TLS, and only from whoever logs in."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    mailbox = Mailbox(
        tls_context=context, require_starttls=True, authenticator=knows, auth_required=True, auth_require_tls=True).start()
    yield mailbox
    mailbox.stop()


def address(guarded, password=PASSWORD, options=""):
    return f"smtp://{quote(USER, safe='')}:{quote(password, safe='')}@127.0.0.1:{guarded.port}?starttls=required{options}"


def asked(server, contract):
    """A person of the server who asked for a new password; their mail address."""
    person = Person(server, contract).register()
    person.call("POST", "/v1/password-resets", json={"email": person.email}, token=False, status=202)
    return person.email


def test_mail_goes_out_within_tls_and_after_a_login(guarded, certificate, contract):
    server = Server(smtp_url=address(guarded, options=f"&ca={quote(str(certificate))}"))
    try:
        guarded.wait_for(asked(server.start(), contract))
        assert server.stop() == 0
    finally:
        server.remove()


def test_a_mail_server_that_cannot_prove_who_it_is_gets_no_password(guarded, contract):
    server = Server(smtp_url=address(guarded))
    try:
        email = asked(server.start(), contract)
        told(server, email)
        assert guarded.to(email) == []
        assert server.stop() == 0
    finally:
        server.remove()


def test_a_refused_login_is_told_and_the_mail_goes_out_once_it_is_mended(guarded, certificate, contract):
    trusted = f"&ca={quote(str(certificate))}"
    server = Server(smtp_url=address(guarded, password="another", options=trusted))
    try:
        email = asked(server.start(), contract)
        told(server, email)
        assert guarded.to(email) == []
        assert server.stop() == 0
        server.environment["SAUNTER_SMTP_URL"] = address(guarded, options=trusted)
        server.start()
        assert len(guarded.wait_for(email, seconds=180)) == 1
        assert server.stop() == 0
    finally:
        server.remove()


def told(server, email):
    """Waits for the log's word that a mail could not be sent, which names neither person nor password."""
    wait_until(lambda: "mail not sent, to be tried again" in server.tail(400), 90, "the log tells")
    text = server.tail(4000)
    assert PASSWORD not in text and quote(PASSWORD, safe="") not in text and email not in text
