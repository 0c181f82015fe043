"""Bytes on the wire: what a browser transfers for a page, and what the whole web app takes. Compression is that of the server."""

import gzip
import re

import requests

# A question page with styles and scripts, headers included.
MAXIMUM_PAGE_BYTES = 30_000
# All files with the words of one language, without the script of walks, which only the pages about walks load.
MAXIMUM_APP_BYTES = 60_000


class Weight:
    """Counts the bytes of all responses of a page, headers included, as the network sees them."""

    def __init__(self, page):
        self.bytes_by_address = {}
        self._addresses = {}
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Network.enable")
        self._devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        self._devtools.send("Network.setBypassServiceWorker", {"bypass": True})
        self._devtools.on("Network.requestWillBeSent", lambda event: self._addresses.update({event["requestId"]: event["request"]["url"]}))
        self._devtools.on("Network.loadingFinished", self._finish)

    def _finish(self, event):
        address = self._addresses.get(event["requestId"], "")
        if not address.startswith(("data:", "blob:")):
            self.bytes_by_address[address] = self.bytes_by_address.get(address, 0) + event["encodedDataLength"]

    def of(self, address, page):
        """Loads an address into the page; the bytes of the document and of everything that it needs."""
        self.bytes_by_address.clear()
        page.goto(address, wait_until="networkidle")
        return {name: size for name, size in self.bytes_by_address.items() if is_part_of_page(name, address)}


def is_part_of_page(name, address):
    """Whether a request is the document, a style sheet, a script or an icon of the app. Pictures of the pack are not counted.

    Other requests run after the page is shown: pages that the device keeps for later, and records that it sends with the script for it.
    """
    return name.split("#")[0] == address.split("#")[0] or ("/assets/" in name and "/assets/sending." not in name)


def app_files(page):
    """File -> bytes of everything that the service worker keeps of the app itself for a participant, as the server sends it, and the worker.

    The page is one of a participant: it names the script with the words of its language.
    """
    url = page.url.split("/my/")[0]
    worker = requests.get(f"{url}/sw.js", timeout=60)
    words = page.evaluate("document.documentElement.dataset.words")
    addresses = ["/sw.js", words, *sorted(set(re.findall(r'"(/assets/[^"/]+\.\w+|/offline)"', worker.text)))]
    return {address: transferred(url + address) for address in addresses}


def without_walking(files):
    return {address: size for address, size in files.items() if "/walk." not in address}


def transferred(address):
    """The bytes of a response's body on the wire for a browser that accepts gzip."""
    reply = requests.get(address, headers={"Accept-Encoding": "gzip"}, stream=True, timeout=60)
    assert reply.status_code == 200, f"{address}: {reply.status_code}"
    body = reply.raw.read(decode_content=False)
    if reply.headers.get("Content-Encoding") == "gzip":
        gzip.decompress(body)
    return len(body)
