"""Three browser engines behind one interface: Chromium, Firefox (Marionette) and WebKitGTK (WebDriver).

    with engine("webkit") as browser:
        browser.open("http://127.0.0.1:8000/")
        browser.click("main a.button")
    run_module("firefox", {"rules.js": text}, "import { evaluate } from './rules.js'; export default () => evaluate(…);")
"""

import contextlib
import http.server
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time

from playwright.sync_api import sync_playwright

from acceptance.browser import launch
from acceptance.server import free_port, wait_until

MINI_BROWSERS = "webkit2gtk-4.1/MiniBrowser", "webkitgtk-6.0/MiniBrowser", "webkit2gtk-4.0/MiniBrowser"


class Engine:
    """What all engines can do. Selectors are CSS. Every action waits until its element is visible."""

    seconds = 30

    def open(self, address):
        raise NotImplementedError

    def run(self, script, *arguments):
        """Runs the body of a function in the page; its value."""
        raise NotImplementedError

    def _click(self, selector):
        raise NotImplementedError

    def _type(self, selector, text):
        raise NotImplementedError

    # The following is the same for all engines.

    def wait(self, script, *arguments, what=None):
        """Waits until the body of a function in the page returns a true value; the value."""
        def is_true():
            # The page may be replaced at any moment.
            with contextlib.suppress(Exception):
                return self.run(script, *arguments)

        return wait_until(is_true, self.seconds, what or script)

    def reload(self):
        """Loads the page again, as the button of a browser does. The reload of Marionette would go past the service worker."""
        self.run("window.isOld = true; location.reload()")
        self.wait("return !window.isOld && document.readyState === 'complete'", what="the page is loaded again")

    def is_visible(self, selector):
        return bool(self.run("const e = document.querySelector(arguments[0]); return !!e && e.getClientRects().length > 0", selector))

    def wait_for(self, selector):
        self.wait("const e = document.querySelector(arguments[0]); return !!e && e.getClientRects().length > 0", selector, what=f"{selector} is visible")
        return self

    def click(self, selector):
        self.wait_for(selector)
        # In the middle of the screen: the navigation may cover an element at the edge, and a person would scroll.
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self._click(selector)
        return self

    def press(self, text):
        """Clicks the visible button, link or label with this text."""
        self.wait("""
            document.querySelector("[data-pressed]")?.removeAttribute("data-pressed");
            const found = [...document.querySelectorAll("button, a, label")]
                .find((e) => e.getClientRects().length > 0 && e.textContent.trim() === arguments[0]);
            found?.setAttribute("data-pressed", "");
            return !!found;
            """, text, what=f"{text!r} can be pressed")
        return self.click("[data-pressed]")

    def fill(self, selector, text):
        """Replaces the text of a field, as a person does who types."""
        self.wait_for(selector)
        self.run("document.querySelector(arguments[0]).value = ''", selector)
        self._type(selector, text)
        return self

    def choose(self, selector, value):
        """Chooses an option of a `select`."""
        self.wait_for(selector)
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}))",
            selector, value)
        return self

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def address(self):
        return self.run("return location.href")

    def wait_for_address(self, part):
        return self.wait("return location.href.includes(arguments[0]) && document.readyState === 'complete'", part, what=f"the address contains {part}")

    def wait_for_text(self, text, selector="main"):
        return self.wait(
            "return (document.querySelector(arguments[1])?.innerText ?? '').includes(arguments[0])", text, selector, what=f"{selector} shows {text!r}")


class Chromium(Engine):
    def __init__(self):
        self._playwright = sync_playwright().start()
        self._browser = launch(self._playwright)
        self.page = self._browser.new_context(locale="en-GB", timezone_id="Europe/Berlin").new_page()
        self.version = f"Chromium {self._browser.version}"

    def open(self, address):
        self.page.goto(address)

    def run(self, script, *arguments):
        # The expression of an `evaluate` is not subject to the page's policy.
        return self.page.evaluate(f"(values) => (function () {{ {script} }})(...values)", list(arguments))

    def _click(self, selector):
        self.page.locator(selector).first.click()

    def _type(self, selector, text):
        self.page.locator(selector).first.press_sequentially(text)

    def close(self):
        self._browser.close()
        self._playwright.stop()


class Firefox(Engine):
    """Firefox without geckodriver: it listens for Marionette itself."""

    def __init__(self):
        # Here and not above, because bin/test has no driver of this engine and only asks for the help of the nightly program.
        from marionette_driver.marionette import Marionette

        self._profile = pathlib.Path(tempfile.mkdtemp(prefix="saunter-firefox-"))
        port = free_port()
        preferences = {
            "marionette.port": port, "intl.accept_languages": "en-GB", "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
            "browser.aboutwelcome.enabled": False, "signon.rememberSignons": False, "network.connectivity-service.enabled": False,
        }
        (self._profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self._log = open(self._profile / "log", "wb")
        self._process = subprocess.Popen(
            ["firefox-esr", "--marionette", "--headless", "--no-remote", "--profile", self._profile, "about:blank"],
            env=os.environ | {"TZ": "Europe/Berlin", "HOME": str(self._profile)}, stdout=self._log, stderr=self._log, start_new_session=True)
        self._client = Marionette("127.0.0.1", port=port, startup_timeout=60)
        self._client.start_session()
        self.version = f"Firefox {self._client.session_capabilities['browserVersion']}"

    def open(self, address):
        self._client.navigate(address)

    def run(self, script, *arguments):
        return self._client.execute_script(script, script_args=list(arguments), sandbox=None)

    def _find(self, selector):
        return self._client.find_element("css selector", selector)

    def _click(self, selector):
        self._find(selector).click()

    def _type(self, selector, text):
        self._find(selector).send_keys(text)

    def close(self):
        with contextlib.suppress(Exception):
            self._client.delete_session()
        self._process.terminate()
        self._process.wait(30)
        self._log.close()
        shutil.rmtree(self._profile, ignore_errors=True)


class WebKit(Engine):
    """WebKitGTK's MiniBrowser on a virtual screen. The engine is near that of Safari; its behaviour is not that of an iPhone."""

    def __init__(self):
        from selenium import webdriver

        self._home = pathlib.Path(tempfile.mkdtemp(prefix="saunter-webkit-"))
        binary = next(path for name in MINI_BROWSERS for path in pathlib.Path("/usr/lib").glob(f"*/{name}"))
        number = next(number for number in range(90, 200) if not pathlib.Path(f"/tmp/.X11-unix/X{number}").exists())
        self._screen = subprocess.Popen(
            ["Xvfb", f":{number}", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        wait_until(pathlib.Path(f"/tmp/.X11-unix/X{number}").exists, 30, "the virtual screen is ready")
        # The sandbox of the engine does not work in a container. The pages are trusted.
        environment = os.environ | {
            "DISPLAY": f":{number}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "GDK_BACKEND": "x11", "TZ": "Europe/Berlin",
            "HOME": str(self._home), "XDG_DATA_HOME": str(self._home / "data"), "XDG_CACHE_HOME": str(self._home / "cache"),
            "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        }
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(binary)
        options.add_argument("--automation")
        service = webdriver.WebKitGTKService(executable_path=shutil.which("WebKitWebDriver"), port=free_port(), env=environment)
        self._driver = webdriver.WebKitGTK(options=options, service=service)
        self._driver.set_window_size(390, 844)
        self.version = f"WebKitGTK {self._driver.capabilities['browserVersion']}"

    def open(self, address):
        self._driver.get(address)

    def run(self, script, *arguments):
        return self._driver.execute_script(script, *arguments)

    def _click(self, selector):
        self._driver.find_element("css selector", selector).click()

    def _type(self, selector, text):
        self._driver.find_element("css selector", selector).send_keys(text)

    def close(self):
        with contextlib.suppress(Exception):
            self._driver.quit()
        self._screen.terminate()
        self._screen.wait(30)
        shutil.rmtree(self._home, ignore_errors=True)


ENGINES = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}


@contextlib.contextmanager
def engine(name):
    """A running browser: `chromium`, `firefox` or `webkit`."""
    browser = ENGINES[name]()
    try:
        yield browser
    finally:
        browser.close()


def run_module(name, files, source, seconds=120, browser=None):
    """Runs a module in an engine; the value of its default export, which is a function that may be asynchronous.

    `files` (name -> text) are served beside the module, which can import and fetch them. The value must be JSON. An exception in
    the module is raised as an `AssertionError` with its stack.
    """
    results = queue.Queue()
    runner = """
        import run from "./module.js";
        let result;
        try { result = { value: await run() ?? null }; } catch (fault) { result = { fault: `${fault}\\n${fault.stack}` }; }
        await fetch("/result", { method: "POST", body: JSON.stringify(result) });
        """
    # An error while modules load: a syntax error, or an import that does not exist.
    watcher = """
        addEventListener("error", (event) => fetch("/result", { method: "POST", body: JSON.stringify({ fault: event.message || `${event.target.src} does not load` }) }), true);
        """
    served = dict(files) | {
        "module.js": source, "runner.js": runner, "watcher.js": watcher,
        "": '<!doctype html><title>Module</title><script src="watcher.js"></script><script type="module" src="runner.js"></script>',
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found = served.get(self.path.removeprefix("/"))
            self.send_response(404 if found is None else 200)
            kind = "text/javascript" if self.path.endswith(".js") else "application/json" if self.path.endswith(".json") else "text/html"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.end_headers()
            self.wfile.write((found or "").encode())

        def do_POST(self):
            results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with contextlib.nullcontext(browser) if browser else engine(name) as opened:
            opened.open(f"http://127.0.0.1:{server.server_port}/")
            try:
                result = results.get(timeout=seconds)
            except queue.Empty:
                raise AssertionError(f"the module did not end within {seconds} s in {name}") from None
    finally:
        server.shutdown()
        server.server_close()
    assert "fault" not in result, result["fault"]
    return result["value"]
