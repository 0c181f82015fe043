"""An app store for tests: its own root, and signed transactions and notices in the published format (JWS, ES256, `x5c`)."""

import base64
import datetime
import json
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

from .moments import after, now


def _encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def milliseconds(moment):
    return int(moment.timestamp() * 1000)


class AppStore:
    """A store that sells the products of one app."""

    def __init__(self, bundle="org.example.calm"):
        self.bundle = bundle
        self._root_key, middle, self.key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
        self.root = self._certificate("Root", self._root_key, "Root", self._root_key, True)
        intermediate = self._certificate("Intermediate", middle, "Root", self._root_key, True)
        leaf = self._certificate("Leaf", self.key, "Intermediate", middle, False)
        self.chain = [leaf, intermediate, self.root]

    @staticmethod
    def _certificate(name, key, issuer, issuer_key, is_authority):
        def named(text):
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

        return (
            x509.CertificateBuilder().subject_name(named(name)).issuer_name(named(issuer)).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now() - datetime.timedelta(days=400))
            .not_valid_after(now() + datetime.timedelta(days=400))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(issuer_key, hashes.SHA256()))

    def write(self, folder, study, environment="production"):
        """The file that SAUNTER_APP_STORE_FILE names."""
        (folder / "root.pem").write_bytes(self.root.public_bytes(serialization.Encoding.PEM))
        file = folder / "app_store.yaml"
        file.write_text(
            f"environment: {environment}\nroots: root.pem\napple_markers: false\nstudies:\n  {study}: [{self.bundle}]\n")
        return file

    def sign(self, payload, key=None, **header):
        chain = [base64.b64encode(one.public_bytes(serialization.Encoding.DER)).decode() for one in self.chain]
        head = _encode(json.dumps({"alg": "ES256", "x5c": chain, **header}).encode())
        text = f"{head}.{_encode(json.dumps(payload).encode())}"
        r, s = decode_dss_signature((key or self.key).sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{_encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def transaction(self, original=None, product="calm.premium.month", bought=-1, until=29, signed=None, **more):
        """The payload of a transaction; times in days from now."""
        original = original or str(uuid.uuid4().int % 10**15)
        return {
            "bundleId": self.bundle, "productId": product, "transactionId": original, "originalTransactionId": original,
            "purchaseDate": milliseconds(after(days=bought)), "expiresDate": milliseconds(after(days=until)),
            "signedDate": milliseconds(after(days=bought if signed is None else signed)),
            "environment": "Production", "type": "Auto-Renewable Subscription"} | more

    def notice(self, kind, transaction, signed=0, id=None):
        """The body of a notice."""
        return {"signedPayload": self.sign({
            "notificationType": kind, "notificationUUID": id or str(uuid.uuid4()), "version": "2.0",
            "signedDate": milliseconds(after(days=signed)),
            "data": {"bundleId": self.bundle, "environment": transaction["environment"], "signedTransactionInfo": self.sign(transaction)}})}
