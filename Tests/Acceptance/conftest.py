"""One server with a published study and one mail server for the session; new participants for every test."""

import pytest
import requests
from playwright.sync_api import sync_playwright

from acceptance.app_store import AppStore
from acceptance.browser import Visitors, launch
from acceptance.contract import Contract
from acceptance.mailbox import Mailbox
from acceptance.message_receiver import Authority, MessageReceiver
from acceptance.people import Person, Researcher
from acceptance.server import ROOT, Server


@pytest.fixture(scope="session")
def mailbox():
    mailbox = Mailbox().start()
    yield mailbox
    mailbox.stop()


@pytest.fixture(scope="session")
def app_store():
    """The store that sells the plans of the study alter-ego."""
    return AppStore("org.example.ego")


@pytest.fixture(scope="session")
def server(mailbox, app_store, tmp_path_factory):
    server = Server(smtp_url=mailbox.url)
    server.environment["SAUNTER_APP_STORE_FILE"] = str(app_store.write(tmp_path_factory.mktemp("app-store"), "alter-ego"))
    try:
        server.start()
        server.publish()
    except BaseException as fault:
        server.remove()
        pytest.exit(f"nothing can be tested without a server: {fault}", returncode=1)
    try:
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="session")
def contract(server):
    """The OpenAPI document. At the end, every exchange of the session must match it."""
    contract = Contract(requests.get(server.url + "/openapi.json", timeout=60).json())
    yield contract
    assert not contract.faults, "\n".join(f"{count} × {fault}" for fault, count in contract.faults.items())


@pytest.fixture
def newcomer(server, contract):
    """Makes persons without an account."""
    return lambda name="Ada Canary", **more: Person(server, contract, name=name, **more)


@pytest.fixture
def participant(newcomer):
    """Makes enrolled participants."""
    return lambda name="Ada Canary", **more: newcomer(name, **more).register().enrol()


@pytest.fixture(scope="session")
def researcher(server, contract):
    return Researcher(server, contract)


@pytest.fixture(autouse=True)
def the_server_lives(request):
    """No test may stop the shared server."""
    yield
    if "server" in request.fixturenames:
        server = request.getfixturevalue("server")
        assert server.is_alive(), server.tail()
        assert requests.get(server.url + "/health/live", timeout=20).status_code == 200


@pytest.fixture(scope="module")
def own():
    """A separate server for the tests of a module that put it under stress."""
    server = Server()
    try:
        server.start()
        server.publish(lenient=True)
        yield server
        assert server.stop() == 0, server.tail()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """The authority that signs the certificates of receivers of messages."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def receiver(authority):
    """The receiver of messages: a push service, and the webhook of a study."""
    made = MessageReceiver(authority)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def web(server):
    """The address of a server that also has the emotions tracker."""
    server.run("publish", ROOT / "Questionnaires" / "studies" / "emotions-tracker", "--keep-enrolled")
    return server.url


@pytest.fixture
def visitor(chromium, web):
    """Opens a browser of a visitor, and checks at the end that no page logged an error or asked another server."""
    visitors = Visitors(chromium, web)
    yield visitors
    try:
        assert visitors.complaints() == []
    finally:
        visitors.close()
