"""A phone that walks: its clock, its positions and its heart-rate strap, in a real Chromium.

Positions come from the DevTools protocol. Chromium 156 cannot send notifications of an emulated strap, so a script of the
page provides `navigator.bluetooth` with the same interface, and the test sends the heart rates. The clock of the page is
Playwright's: half an hour of walking takes seconds.
"""

import contextlib
import datetime
import math

from playwright.sync_api import Error

from .server import wait_until

ANDROID = "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 26_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Mobile/15E148 Safari/604.1"
METRES_PER_DEGREE = 6371008.8 * math.pi / 180

# What the test needs of the page: a strap, the signals of the phone, and the arrival of positions.
SCRIPT = """
(() => {
  class Characteristic extends EventTarget {
    async startNotifications() { return this; }
  }
  const measurement = new Characteristic();
  const device = new EventTarget();
  device.gatt = {
    connected: false,
    async connect() {
      if (!strap.isNear) throw new DOMException("The strap is out of reach.", "NetworkError");
      this.connected = true;
      return this;
    },
    async getPrimaryService() { return { getCharacteristic: async () => measurement }; },
    disconnect() { this.connected = false; },
  };
  const strap = {
    isNear: true,
    beat(bpm) {
      if (!device.gatt.connected) return;
      measurement.value = new DataView(Uint8Array.of(0, bpm).buffer);
      measurement.dispatchEvent(new Event("characteristicvaluechanged"));
    },
    drop() {
      strap.isNear = false;
      device.gatt.disconnect();
      device.dispatchEvent(new Event("gattserverdisconnected"));
    },
  };
  window.strap = strap;
  Object.defineProperty(navigator, "bluetooth", { value: { requestDevice: async () => device } });

  window.signals = [];
  navigator.vibrate = (pattern) => { signals.push(pattern); return true; };

  let arrived = 0, seen = 0, notify = () => {};
  const watching = new Set();
  const { geolocation } = navigator;
  const [watch, clear] = [geolocation.watchPosition.bind(geolocation), geolocation.clearWatch.bind(geolocation)];
  geolocation.watchPosition = (accept, ...rest) => {
    const id = watch((position) => {
      accept(position);
      arrived += 1;
      notify();
    }, ...rest);
    watching.add(id);
    return id;
  };
  geolocation.clearWatch = (id) => { watching.delete(id); clear(id); };
  window.nextPosition = async () => {
    if (!watching.size) throw new Error("The page does not ask for positions.");
    if (arrived === seen) await new Promise((resolve) => { notify = resolve; });
    seen = arrived;
  };
})();
"""


# Waits for the position that was sent, and sends a heart rate.
STEP = """async ([hasSignal, bpm]) => {
  if (hasSignal) await nextPosition();
  if (bpm !== null) strap.beat(bpm);
}"""


class Phone:
    """`clock` is the simulated clock of the server; both clocks show the same time."""

    def __init__(self, visitors, clock, **more):
        self.clock = clock
        options = {"user_agent": ANDROID, "has_touch": True, "is_mobile": True, "permissions": ["geolocation", "notifications", "screen-wake-lock"]} | more
        self.page = visitors(**options)
        self.visitors = visitors
        self.context = self.page.context
        self.context.add_init_script(SCRIPT)
        self.context.clock.install(time=clock.now())
        self._metres = 0.0
        self._attach()

    def _attach(self):
        self._protocol = self.context.new_cdp_session(self.page)

    def replace_killed_page(self):
        """The browser kills the page, and the participant opens a new one."""
        with contextlib.suppress(Error):
            self.page.goto("chrome://crash", timeout=5000)
        killed = self.page
        self.page = self.visitors.watch(self.context.new_page())
        killed.close()
        self._attach()
        return self.page

    def now(self):
        return datetime.datetime.fromtimestamp(self.page.evaluate("Date.now()") / 1000, datetime.timezone.utc)

    def pause_clock(self):
        """From here on time passes only when the test lets it pass."""
        self.context.clock.pause_at(self.now() + datetime.timedelta(seconds=1))

    def resume_clock(self):
        """Lets time pass on by itself. The server's clock shows the same time."""
        self.clock.advance(to=max(self.now(), self.clock.now()))
        self.context.clock.resume()

    def advance_to(self, time):
        """Both clocks move to an instant."""
        self.clock.advance(to=time)
        self.context.clock.fast_forward(max(0, int((time - self.now()).total_seconds() * 1000)))

    def walk(self, seconds, kmh, *, accuracy=6, bpm=None, has_signal=True, knows_speed=True, step=2):
        """Walks north. Without a signal no exact position arrives, but the way is walked all the same."""
        for _ in range(0, seconds, step):
            self._metres += kmh / 3.6 * step
            if has_signal:
                self._send_position(kmh if knows_speed else None, accuracy)
            rate = bpm() if callable(bpm) else bpm
            self.page.evaluate(STEP, [has_signal, rate])
            self.context.clock.run_for(step * 1000)

    def stand(self):
        """Does not move. The browser gives the newest position also to a page that asks for it later."""
        self._send_position(0, 6)

    def _send_position(self, kmh, accuracy):
        position = {"latitude": 52.5 + self._metres / METRES_PER_DEGREE, "longitude": 13.4, "accuracy": accuracy}
        if kmh is not None:
            position["speed"] = kmh / 3.6
        self._protocol.send("Emulation.setGeolocationOverride", position)

    def pass_over(self, seconds, kmh):
        """The page sleeps while the participant walks on."""
        self._metres += kmh / 3.6 * seconds
        self.context.clock.fast_forward(seconds * 1000)

    def freeze(self, seconds, kmh):
        """The browser freezes the page, for example because another app is in front. A browser without a window does not do
        that, so the page gets the events, and no time passes for it."""
        self.page.evaluate("document.dispatchEvent(new Event('freeze'))")
        self.pass_over(seconds, kmh)
        self.page.evaluate("document.dispatchEvent(new Event('resume'))")

    def wait_until_saved(self):
        """Waits until the walk, except its last five seconds, is on the disk of the phone."""
        read = """async () => {
          const open = indexedDB.open("saunter");
          await new Promise((resolve) => { open.onsuccess = resolve; });
          const drafts = await new Promise((resolve) => {
            const request = open.result.transaction("drafts").objectStore("drafts").getAll();
            request.onsuccess = () => resolve(request.result);
          });
          open.result.close();
          return drafts.some((draft) => draft.start + draft.last?.t > Date.now() - 5000);
        }"""
        wait_until(lambda: self.page.evaluate(read), 20, "the walk is saved on the phone")
