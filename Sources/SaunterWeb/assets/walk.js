// Walks: the recorder, the calibration, and the import of recordings. Positions never leave the device.

import * as outbox from "./outbox.js";
import { root } from "./page.js";
import { submit } from "./sending.js";

const $ = (id) => document.getElementById(id);

/** Fills the placeholders of a text, such as `{speed}`. */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
const number = (value, digits) => value.toLocaleString(root.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
/** Writes a text only if it is new, so that a screen reader reads it once. */
function say(element, text) { if (element.textContent !== text) element.textContent = text; }

/** A value of a sensor is valid for this long, in ms. */
const FRESH = 5000;
/** A position with a larger error, in m, is not accepted. */
const MAXIMUM_ERROR = 25;
/** A faster step, in m/s, is an error of a position or a ride. */
const MAXIMUM_STEP = 15 / 3.6;

/** Great-circle distance in metres; exact enough for steps. */
function metres(a, b) {
  const rad = Math.PI / 180;
  const x = (b.longitude - a.longitude) * rad * Math.cos((a.latitude + b.latitude) / 2 * rad);
  return Math.hypot(x, (b.latitude - a.latitude) * rad) * 6371008.8;
}

/** Turns positions into speed and distance. Times are ms on one clock. */
class Track {
  /** Metres. */
  distance = 0;
  /** km/h; null if it is not known. */
  speed = null;
  /** The position up to which the distance is counted. */
  point = null;
  #recent = [];

  /** @returns {boolean} whether the position is accepted */
  add(coords, t) {
    if (!(coords.accuracy <= MAXIMUM_ERROR)) return false;
    const here = { latitude: coords.latitude, longitude: coords.longitude, t };
    this.#count(here, coords.accuracy);
    this.#recent = [...this.#recent.filter((p) => t - p.t <= 10000), here];
    const first = this.#recent[0];
    if (Number.isFinite(coords.speed) && coords.speed >= 0) this.speed = coords.speed * 3.6;
    else this.speed = t - first.t >= 8000 ? metres(first, here) / (t - first.t) * 3600 : null;
    if (this.speed > 50) this.speed = null;
    return true;
  }
  /** Counts a step that is longer than the error of the positions explains. */
  #count(here, accuracy) {
    if (this.point === null) { this.point = here; return; }
    const step = metres(this.point, here);
    if (step < accuracy / 2) return;
    if (step <= MAXIMUM_STEP * (here.t - this.point.t) / 1000) this.distance += step;
    this.point = here;
  }
  /** Begins again after a pause, so that the way in between does not count. */
  restart() { this.point = null; this.#recent = []; this.speed = null; }
}

/** Keeps the screen on while a walk is measured. */
const screen = {
  lock: null,
  /** @returns {Promise<boolean>} whether the screen stays on */
  async keepOn() {
    try {
      this.lock = await navigator.wakeLock.request("screen");
      return true;
    } catch { return false; }
  },
  release() { this.lock?.release(); this.lock = null; },
};

const watchPositions = (accept, fail) => navigator.geolocation.watchPosition(accept, fail, { enableHighAccuracy: true, maximumAge: 0 });

// ---- What this device can do

const isIPhone = /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
const isPhone = isIPhone || /Android|Mobile/.test(navigator.userAgent);
const canMeasure = "geolocation" in navigator;
for (const text of document.querySelectorAll("[data-device]")) {
  const device = !canMeasure ? "none" : isIPhone ? "iphone" : !isPhone ? "computer" : "phone";
  text.hidden = !text.dataset.device.split(" ").includes(device);
}

// ---- The recorder

class Strap {
  #device = null; #wait = 1000; #timer = null;
  /** Beats per minute; null without contact to the skin. */
  rate = null;
  /** @param onBeat called for every measured value; @param onState called with `connecting`, `connected`, `lost` or `failed` */
  constructor(onBeat, onState) { this.onBeat = onBeat; this.onState = onState; }

  async choose() {
    try {
      this.#device = await navigator.bluetooth.requestDevice({ filters: [{ services: ["heart_rate"] }] });
    } catch { this.onState("failed"); return; }
    this.#device.addEventListener("gattserverdisconnected", () => { this.onState("lost"); this.#retry(); });
    this.#connect();
  }
  async #connect() {
    this.onState("connecting");
    try {
      const service = await (await this.#device.gatt.connect()).getPrimaryService("heart_rate");
      const measurement = await service.getCharacteristic("heart_rate_measurement");
      measurement.addEventListener("characteristicvaluechanged", this.#read);
      await measurement.startNotifications();
      this.#wait = 1000;
      this.onState("connected");
    } catch { this.onState("lost"); this.#retry(); }
  }
  /** Connects again after a while, and waits longer after each failure. */
  #retry() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.check(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, 30000);
  }
  /** Connects again if the connection was lost. A page that was left does not hear of it. */
  check() {
    clearTimeout(this.#timer);
    if (this.#device && !this.#device.gatt.connected) this.#connect();
  }
  /** Heart Rate Measurement (Bluetooth 0x2A37): flags, then a value of one or two bytes. */
  #read = ({ target: { value } }) => {
    const flags = value.getUint8(0);
    const bpm = flags & 1 ? value.getUint16(1, true) : value.getUint8(1);
    const hasContact = (flags & 6) !== 4;
    this.rate = hasContact && bpm >= 20 && bpm <= 255 ? bpm : null;
    if (this.rate !== null) this.onBeat();
  };
  disconnect() {
    clearTimeout(this.#timer);
    const device = this.#device;
    this.#device = null;
    device?.gatt.disconnect();
  }
}

function record(section) {
  const words = section.dataset;
  const target = Number(words.target) || null;
  const forbidden = words.forbidden.split(" ");
  const key = `walk:${location.pathname}`;
  /** Samples of one record in the database. */
  const CHUNK = 60;
  /** A longer interruption, in ms, counts as a pause. */
  const LONG = 600000;
  // Times are ms since the start of the walk. `last` is the newest state that is safe on this device.
  let walk = null, samples = [], saved = 0, savedAt = 0;
  let base = null, timer = null, watch = null, audio = null;
  let track = new Track(), lastFix = 0, lastBeat = null, cause = "no_signal";
  let isAbove = false, signalAt = 0, release = null;

  const strap = new Strap(beat, (state) => {
    say($("strap-state"), words[`strap${state[0].toUpperCase()}${state.slice(1)}`]);
    $("strap").hidden = state !== "failed";
    if (state === "connected" && walk && lastBeat === null) lastBeat = elapsed();
  });

  /** The clock of the walk does not depend on the wall clock, which may be set during the walk. */
  function elapsed() { return Math.max(walk.last.t, Math.round(base.t + performance.now() - base.at)); }
  const mark = () => walk.marks.push({ t_ms: elapsed(), at: new Date().toISOString() });
  const isPaused = () => walk.pauses.length > 0 && walk.pauses.at(-1).to === null;
  const instant = (t) => new Date(walk.start + t).toISOString();
  const clock = (t) => new Date(walk.start + t).toLocaleTimeString(root.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const activeMs = (t) => t - walk.pauses.reduce((sum, p) => sum + (p.to ?? t) - p.from, 0);
  function duration(ms) {
    const seconds = Math.floor(ms / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  function show(state) {
    const buttons = { idle: ["walk-start"], running: ["walk-pause", "walk-end", "walk-discard"], paused: ["walk-resume", "walk-end", "walk-discard"],
      interrupted: ["walk-go-on", "walk-end", "walk-discard"], loading: [], elsewhere: [] };
    for (const button of section.querySelectorAll("[data-control]")) button.hidden = !buttons[state].includes(button.id);
    $("live").hidden = ["idle", "loading", "elsewhere"].includes(state);
    if (state === "elsewhere" && $("strap")) $("strap").hidden = true;
    section.dataset.state = state;
    say($("walk-state"), words[state] ?? "");
  }

  async function run() {
    watch = watchPositions(onPosition, onFault);
    show(isPaused() ? "paused" : "running");
    schedule();
    if (!await screen.keepOn()) say($("screen-state"), words.noWakeLock);
  }
  function schedule() {
    const left = 1000 - elapsed() % 1000;
    timer = setTimeout(tick, left < 200 ? left + 1000 : left);
  }
  function tick() {
    schedule();
    const t = elapsed();
    say($("time"), duration(activeMs(t)));
    if (isPaused()) return;
    sample(t);
    if (t - savedAt >= 5000) save();
  }
  function sample(t) {
    const isFresh = t - lastFix <= FRESH && track.point !== null;
    const rate = lastBeat !== null && t - lastBeat <= FRESH ? strap.rate : null;
    samples.push({ t, v: isFresh ? track.speed : null, d: isFresh ? track.distance : null, h: rate });
    say($("speed"), isFresh && track.speed !== null ? `${number(track.speed, 1)} km/h` : "– km/h");
    say($("distance"), `${number(Math.round(track.distance), 0)} m`);
    if ($("heart")) say($("heart"), rate === null ? "–" : `${rate} bpm`);
    if (!section.dataset.fault) say($("signal"), isFresh || t < FRESH ? "" : words.noSignal);
    if (target && "feedback" in words) judge(isFresh ? track.speed : null, t);
  }
  function judge(speed, t) {
    const wasAbove = isAbove;
    isAbove = speed !== null && speed > target;
    section.classList.toggle("too-fast", isAbove);
    say($("target-state"), speed === null ? "" : fill(isAbove ? words.above : words.below, { speed: number(target, 1) }));
    if (!isAbove || (wasAbove && t - signalAt < 10000)) return;
    signalAt = t;
    navigator.vibrate?.([200, 100, 200]);
    beep();
  }
  function beep() {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    volume.gain.value = 0.2;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  }

  function onPosition({ coords }) {
    if (isPaused()) return;
    const t = elapsed();
    if (!track.add(coords, t)) return;
    delete section.dataset.fault;
    if (t - lastFix > FRESH) declare(cause, lastFix, t);
    lastFix = t;
    cause = "no_signal";
  }
  /** A single error is noise; after some seconds without a position the page says so. Only a refusal is final. */
  function onFault({ code }) {
    if (code !== 1) return;
    section.dataset.fault = "yes";
    say($("signal"), words.noPermission);
  }
  function beat() {
    if (!walk || !base || isPaused()) return;
    const t = elapsed();
    if (lastBeat !== null && t - lastBeat > FRESH) declare("strap", lastBeat, t);
    lastBeat = t;
    walk.hadStrap = true;
  }
  /** States a gap on the page and in the record. */
  function declare(reason, from, to) {
    walk.gaps.push({ from, to, reason });
    const last = samples.at(-1)?.t ?? -1;
    // A sample without values shows where the series is open.
    if (reason !== "strap" && last < from + 1000 && from + 1000 < to) samples.push({ t: from + 1000, v: null, d: null, h: null });
    const line = document.createElement("li");
    line.textContent = fill(words.gap, { from: clock(from), to: clock(to), time: `${duration(to - from)} min`, reason: words[`gap_${reason}`] });
    $("gaps").append(line);
  }

  async function save() {
    if (!walk) return;
    const t = elapsed();
    const { id } = walk;
    savedAt = t;
    walk.last = { t, fix: lastFix, beat: lastBeat, distance: track.distance, point: track.point };
    const first = Math.floor(saved / CHUNK);
    saved = samples.length;
    try {
      for (let n = first; n * CHUNK < samples.length; n += 1) {
        await outbox.saveDraft(`${key}#${n}`, { walk: id, samples: samples.slice(n * CHUNK, (n + 1) * CHUNK) });
      }
      if (walk) await outbox.saveDraft(key, walk);
    } catch { say($("signal"), words.noStorage); }
  }
  async function load() {
    const found = await outbox.getDraft(key);
    if (!found) { show("idle"); return; }
    walk = found;
    for (let n = 0; ; n += 1) {
      const chunk = await outbox.getDraft(`${key}#${n}`);
      if (chunk?.walk !== walk.id) break;
      samples.push(...chunk.samples);
    }
    saved = samples.length;
    walk.last.t = Math.max(walk.last.t, samples.at(-1)?.t ?? 0);
    show("interrupted");
  }
  async function clear() {
    for (let n = 0; n * CHUNK < samples.length; n += 1) await outbox.removeDraft(`${key}#${n}`);
  }

  function body(end) {
    const rows = samples.filter((s, index) => s.t <= end && (index === 0 || s.t > samples[index - 1].t));
    const columns = [["speed_kmh", "v", 2], ["distance_m", "d", 1], ["heart_rate_bpm", "h", 0]];
    const series = { t_ms: rows.map((s) => s.t) };
    for (const [name, short, digits] of columns) {
      if (forbidden.includes(name) || rows.every((s) => s[short] === null)) continue;
      series[name] = rows.map((s) => (s[short] === null ? null : Number(s[short].toFixed(digits))));
    }
    return {
      started_at: instant(0), ended_at: instant(end), time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      pauses: walk.pauses.filter((p) => p.to > p.from).map((p) => ({ from: instant(p.from), to: instant(p.to) })),
      device: {
        software: "Saunter web app", clock_marks: walk.marks,
        gaps: walk.gaps.map(({ from, to, reason }) => ({ from: instant(from), to: instant(to), reason })),
      },
      ...(Object.keys(series).length > 1 && { series }),
    };
  }

  $("walk-start").addEventListener("click", async () => {
    audio ??= new AudioContext();
    base = { t: 0, at: performance.now() };
    walk = { id: crypto.randomUUID(), start: Date.now(), pauses: [], gaps: [], marks: [], last: { t: 0 }, hadStrap: false };
    lastBeat = strap.rate === null ? null : 0;
    mark();
    run();
    $("walk-pause").focus();
    save();
  });
  $("walk-pause").addEventListener("click", () => {
    const t = elapsed();
    if (t - lastFix > FRESH) declare(cause, lastFix, t);
    if (lastBeat !== null && t - lastBeat > FRESH) declare("strap", lastBeat, t);
    walk.pauses.push({ from: t, to: null });
    section.classList.remove("too-fast");
    show("paused");
    $("walk-resume").focus();
    save();
  });
  function resume() {
    const t = elapsed();
    if (isPaused()) walk.pauses.at(-1).to = t;
    track.restart();
    lastFix = t;
    if (lastBeat !== null) lastBeat = t;
    cause = "no_signal";
    isAbove = false;
  }
  $("walk-resume").addEventListener("click", () => {
    resume();
    mark();
    show("running");
    $("walk-pause").focus();
    save();
  });
  $("walk-go-on").addEventListener("click", () => {
    audio ??= new AudioContext();
    const { last } = walk;
    base = { t: Math.max(last.t, Date.now() - walk.start), at: performance.now() };
    track.distance = last.distance ?? 0;
    if (walk.hadStrap) { lastBeat = last.beat; say($("strap-state"), words.strapAgain); }
    const t = elapsed();
    if (!isPaused() && t - last.t > LONG) walk.pauses.push({ from: last.t, to: null });
    if (isPaused()) { resume(); } else {
      track.point = last.point ?? null;
      lastFix = last.fix ?? 0;
      cause = "interrupted";
    }
    mark();
    run();
    $("walk-pause").focus();
    save();
  });
  $("walk-end").addEventListener("click", async () => {
    // An interrupted walk ended when it was interrupted.
    const end = Math.max(base ? elapsed() : walk.last.t, 1000);
    if (base && !isPaused()) {
      if (end - lastFix > FRESH) declare(cause, lastFix, end);
      if (lastBeat !== null && end - lastBeat > FRESH) declare("strap", lastBeat, end);
    }
    if (isPaused()) walk.pauses.at(-1).to = end;
    if (base) mark();
    const ended = walk;
    const record = { kind: "walk", id: ended.id, title: words.title, body: body(end) };
    stop();
    // From here on nothing saves the draft again.
    walk = null;
    const { state } = await submit(record, key);
    if (state === "unsaved") {
      walk = ended;
      show("interrupted");
      say($("signal"), words.noStorage);
      return;
    }
    await clear();
    location.assign(state === "sent" ? `${words.home}/walks/${ended.id}` : state === "held" ? "/unsent" : `${words.home}/walks`);
  });
  $("walk-discard").addEventListener("click", async () => {
    if (!confirm(words.sure)) return;
    stop();
    walk = null;
    await outbox.removeDraft(key);
    await clear();
    location.assign(words.home);
  });
  function stop() {
    clearTimeout(timer);
    if (watch !== null) navigator.geolocation.clearWatch(watch);
    strap.disconnect();
    screen.release();
    release?.();
  }

  function leave() {
    if (!base || !walk) return;
    cause = "left";
    save();
  }
  /** A page that was left gets no positions, and its screen lock and its strap may be gone. */
  async function comeBack() {
    if (!base || !walk) return;
    // The monotonic clock stands still while the device sleeps.
    const slept = Date.now() - walk.start - elapsed();
    if (slept > 2000) base.t += slept;
    mark();
    navigator.geolocation.clearWatch(watch);
    watch = watchPositions(onPosition, onFault);
    strap.check();
    await screen.keepOn();
  }
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? comeBack() : leave()));
  document.addEventListener("freeze", leave);
  document.addEventListener("resume", comeBack);
  addEventListener("pagehide", leave);

  if ($("strap") && "bluetooth" in navigator) {
    $("strap").hidden = false;
    $("strap").addEventListener("click", () => strap.choose());
  }
  $("promise-strap").hidden = !$("strap") || !("bluetooth" in navigator) || !isPhone;
  $("promise-other").hidden = isIPhone || !$("promise-strap").hidden;
  section.hidden = false;
  show("loading");
  // Only one window records at a time. The lock is free again when the window is closed or killed.
  navigator.locks.request(key, { ifAvailable: true }, async (lock) => {
    if (!lock) { show("elsewhere"); return; }
    try { await load(); } catch { show("idle"); say($("walk-state"), words.noStorage); }
    await new Promise((resolve) => { release = resolve; });
  });
}
if ($("recorder") && canMeasure) record($("recorder"));

// ---- Calibration: two minutes of ordinary walking

function calibrate(section) {
  const words = section.dataset;
  const all = Number(words.seconds);
  let watch = null, timer = null;
  function stop(text) {
    clearInterval(timer);
    if (watch !== null) navigator.geolocation.clearWatch(watch);
    screen.release();
    $("measure-start").hidden = false;
    $("measure-cancel").hidden = true;
    $("measure-progress").value = 0;
    say($("countdown"), `${all} s`);
    say($("measure-state"), text);
  }
  $("measure-cancel").addEventListener("click", () => { stop(words.cancelled); $("measure-start").focus(); });
  $("measure-start").addEventListener("click", async () => {
    const started = performance.now();
    const elapsed = () => performance.now() - started;
    const track = new Track();
    const speeds = [];
    let lastFix = -Infinity;
    $("measure-start").hidden = true;
    $("measure-cancel").hidden = false;
    $("measure-cancel").focus();
    say($("measure-state"), words.running);
    watch = watchPositions(({ coords }) => { if (track.add(coords, elapsed())) lastFix = elapsed(); }, ({ code }) => { if (code === 1) stop(words.noPermission); });
    timer = setInterval(() => {
      const seconds = Math.round(elapsed() / 1000);
      if (elapsed() - lastFix <= FRESH && track.speed !== null) speeds.push(track.speed);
      $("measure-progress").value = Math.min(seconds, all);
      say($("countdown"), `${Math.max(all - seconds, 0)} s`);
      if (seconds >= all) finish(speeds);
    }, 1000);
    await screen.keepOn();
  });
  function finish(speeds) {
    const mean = speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length;
    const spread = Math.sqrt(speeds.reduce((sum, speed) => sum + (speed - mean) ** 2, 0) / speeds.length) / mean;
    const values = { seconds: speeds.length, all, mean: number(mean || 0, 1), spread: number(spread * 100 || 0, 0) };
    if (speeds.length < all * 0.8) { stop(fill(words.few, values)); return; }
    if (!(spread <= 0.15)) { stop(fill(words.uneven, values)); return; }
    stop(fill(words.done, values));
    $("mean_speed_kmh").value = mean.toFixed(2);
    $("duration_s").value = String(all);
    showTarget();
    $("reduction_percent").focus();
  }
  section.hidden = false;
}
const decimal = (id) => Number($(id).value.replace(",", "."));
function showTarget() {
  const [speed, percent] = [decimal("mean_speed_kmh"), decimal("reduction_percent")];
  const isKnown = speed > 0 && percent >= 0 && percent < 100 && $("reduction_percent").value !== "";
  say($("target"), isKnown ? fill($("target").dataset.text, { speed: number(speed * (1 - percent / 100), 1) }) : "");
}
const calibration = $("calibration");
if (calibration) {
  if (canMeasure) calibrate($("measure"));
  const id = crypto.randomUUID();
  calibration.elements.calibration_id.value = id;
  calibration.addEventListener("input", showTarget);
  showTarget();
  // If the server refuses the values, the form is sent again as a page, which names the faults at their fields.
  calibration.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { home, title } = calibration.dataset;
    const body = { recorded_at: new Date().toISOString(), mean_speed_kmh: decimal("mean_speed_kmh"), reduction_percent: decimal("reduction_percent"), duration_s: decimal("duration_s") };
    if (!Object.values(body).includes(NaN)) {
      const { state } = await submit({ kind: "calibration", id, title, body });
      if (state === "sent" || state === "waiting") { location.assign(home); return; }
      if (state === "held") await outbox.remove("held", id);
    }
    calibration.submit();
  });
}

// ---- Import: without a connection a file waits on this device

const importing = $("import");
if (importing) {
  const { api, waits, sending, done, failed } = importing.dataset;
  const key = `import:${location.pathname}`;
  importing.addEventListener("submit", async (event) => {
    const file = $("file").files[0];
    if (!file || navigator.onLine) return;
    event.preventDefault();
    await outbox.saveDraft(`${key}:${crypto.randomUUID()}`, { file });
    importing.reset();
    say($("import-state"), waits);
  });
  const send = async () => {
    for (const draft of (await outbox.own("drafts")).filter((entry) => entry.key.startsWith(key))) {
      say($("import-state"), sending);
      const reply = await fetch(api, { method: "POST", body: draft.file, credentials: "same-origin", headers: { "Content-Type": "application/octet-stream" } });
      const result = await reply.json();
      // The participant still has a file that the server refuses.
      if (reply.ok || [409, 413, 422].includes(reply.status)) await outbox.removeDraft(draft.key);
      const count = result.items?.filter((item) => item.result === "accepted").length;
      say($("import-state"), `${draft.file.name}: ${reply.ok ? fill(done, { count }) : `${failed} ${result.errors?.[0]?.detail ?? result.detail ?? ""}`}`);
    }
  };
  // Without a connection the file waits until the next one.
  const sendLater = () => { if (navigator.onLine) send().catch(() => say($("import-state"), waits)); };
  addEventListener("online", sendLater);
  sendLater();
}

// ---- The list, and the deletion of a walk

const unsent = $("unsent-walks");
async function listUnsent() {
  const walks = (await outbox.own("outbox")).filter((record) => record.kind === "walk" && location.pathname.includes(record.enrolment));
  unsent.hidden = walks.length === 0;
  unsent.querySelector("ul").replaceChildren(...walks.map((record) => {
    const line = document.createElement("li");
    line.textContent = `${new Date(record.body.started_at).toLocaleString(root.lang, { dateStyle: "medium", timeStyle: "short" })}: ${unsent.dataset.state}`;
    return line;
  }));
}
if (unsent) {
  addEventListener("saunter-outbox", listUnsent);
  listUnsent();
}
$("delete-walk")?.addEventListener("submit", async (event) => {
  if (navigator.onLine) return;
  event.preventDefault();
  say($("delete-state"), event.target.dataset.failed);
});
