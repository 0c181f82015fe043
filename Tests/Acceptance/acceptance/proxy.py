"""nginx in front of several servers: the configuration file of the project, with another port and certificate."""

import atexit
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import requests

from .server import ROOT, free_port, wait_until

SITE = ROOT / "deploy" / "nginx.conf"
_FRAME = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    log_format brief '$request_method $uri $status by $upstream_addr';
    access_log {folder}/access.log brief;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/replies;
    fastcgi_temp_path {folder}/unused; uwsgi_temp_path {folder}/unused; scgi_temp_path {folder}/unused;
    include {folder}/site.conf;
}}
"""


class Proxy:
    """Terminates TLS on a loopback port and distributes requests to servers. A `Person` can use it instead of a server."""

    def __init__(self, servers, sql=None):
        """`sql` runs a statement in the servers' database, on its primary."""
        self.sql = sql
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="saunter-nginx-"))
        self.port, plain = free_port(), free_port()
        self.url = f"https://localhost:{self.port}"
        # The same proxy without TLS, for load.
        self.plain_url = f"http://127.0.0.1:{plain}"
        self.certificate = self.directory / "certificate.pem"
        key = self.directory / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.certificate],
            check=True, capture_output=True)
        site = SITE.read_text()
        own = iter(f"127.0.0.1:{server.port}" for server in servers)
        for pattern, value in (
            (r"10\.0\.0\.\d+:8080", lambda _: next(own)), (r"listen 443 ssl", f"listen 127.0.0.1:{plain};\n    listen 127.0.0.1:{self.port} ssl"),
            (r"server_name \S+;", "server_name localhost;"), (r"ssl_certificate \S+;", f"ssl_certificate {self.certificate};"),
            (r"ssl_certificate_key \S+;", f"ssl_certificate_key {key};"),
        ):
            site, count = re.subn(pattern, value, site)
            assert count, f"{SITE} does not contain {pattern}"
        (self.directory / "site.conf").write_text(site)
        # By default nginx runs its workers under another account than its master process.
        user = "user root;" if os.geteuid() == 0 else ""
        (self.directory / "nginx.conf").write_text(user + _FRAME.format(folder=self.directory))
        self.process = None
        atexit.register(self.remove)

    def start(self):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [program, "-p", self.directory, "-c", self.directory / "nginx.conf", "-e", self.directory / "error.log"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.trust()
        wait_until(self.answers, 20, "nginx answers")
        return self

    def trust(self):
        """Makes `requests` accept the certificate, so that clients check it as an app does."""
        os.environ["REQUESTS_CA_BUNDLE"] = str(self.certificate)

    def answers(self):
        assert self.process.poll() is None, (self.directory / "error.log").read_text()
        try:
            return requests.get(self.url, timeout=10) is not None
        except requests.RequestException:
            return False

    def served(self, pattern):
        """The number of answered requests that match the pattern."""
        return len(re.findall(pattern, (self.directory / "access.log").read_text()))

    def broken_off(self):
        """The number of responses that a server began before it died. nginx cannot repeat such a request at another server."""
        return (self.directory / "error.log").read_text().count("while reading upstream")

    def remove(self):
        atexit.unregister(self.remove)
        os.environ.pop("REQUESTS_CA_BUNDLE", None)
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        shutil.rmtree(self.directory, ignore_errors=True)
