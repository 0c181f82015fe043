// Walks: the recorder, the calibration and the import of recordings. Coordinates never leave the device.

const store = window.saunter;
const $ = (id) => document.getElementById(id);

/** Great-circle distance in metres. */
function metres(a, b) {
  const rad = Math.PI / 180;
  const x = (b.longitude - a.longitude) * rad * Math.cos((a.latitude + b.latitude) / 2 * rad);
  const y = (b.latitude - a.latitude) * rad;
  return Math.hypot(x, y) * 6371008.8;
}

/** Positions as speeds and distances. A position with a larger error than 25 m is a gap. */
class Track {
  #last = null; #recent = [];
  distance = 0;
  /** @returns {number | null} the speed in km/h */
  add({ coords, timestamp }) {
    if (coords.accuracy > 25) return null;
    const point = { latitude: coords.latitude, longitude: coords.longitude, at: timestamp };
    if (this.#last) {
      const step = metres(this.#last, point);
      // Steps below the error of the positions are noise.
      if (step >= Math.min(coords.accuracy / 4, 3)) { this.distance += step; this.#last = point; }
    } else { this.#last = point; }
    this.#recent = [...this.#recent.filter((p) => point.at - p.at <= 10000), point];
    if (coords.speed !== null && Number.isFinite(coords.speed)) return coords.speed * 3.6;
    const first = this.#recent[0];
    const seconds = (point.at - first.at) / 1000;
    return seconds >= 4 ? metres(first, point) / seconds * 3.6 : null;
  }
  /** Begins again after a pause or a gap, so that the way in between does not count. */
  restart() { this.#last = null; this.#recent = []; }
}

/** Keeps the screen on, where the browser can. */
async function keepScreenOn() {
  try { return await navigator.wakeLock?.request("screen"); } catch { return undefined; }
}

// ---- The recorder

const recorder = $("recorder");
if (recorder && "geolocation" in navigator) {
  recorder.hidden = false;
  const target = Number(recorder.dataset.target) || null;
  const key = `walk:${location.pathname}`;
  let walk = null, track = null, watch = null, timer = null, position = null, heart = null, audio = null, lock, lastSave = 0, wasAbove = false;

  const now = () => Date.now();
  const blank = () => ({ key, account: store.account, id: crypto.randomUUID(), start: now(), pauses: [], samples: [], above: 0 });
  const isPaused = () => walk.pauses.length > 0 && walk.pauses.at(-1).to === null;
  const text = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const activeSeconds = () => (now() - walk.start - walk.pauses.reduce((sum, p) => sum + ((p.to ?? now()) - p.from), 0)) / 1000;

  function controls(running) {
    $("walk-start").hidden = running;
    for (const id of ["walk-pause", "walk-end", "walk-discard"]) $(id).hidden = !running;
    if (running) $("walk-pause").textContent = isPaused() ? recorder.dataset.resume : recorder.dataset.pause;
  }
  async function begin() {
    track = new Track();
    track.distance = walk.samples.at(-1)?.d ?? 0;
    watch = navigator.geolocation.watchPosition((p) => { position = p; }, () => { position = null; }, { enableHighAccuracy: true, maximumAge: 0 });
    timer = setInterval(tick, 1000);
    lock = await keepScreenOn();
    controls(true);
  }
  function tick() {
    $("time").textContent = text(activeSeconds());
    if (isPaused()) return;
    const isFresh = position && now() - position.timestamp < 5000;
    const speed = isFresh ? track.add(position) : null;
    const rate = heart && now() - heart.at < 5000 ? heart.bpm : null;
    walk.samples.push({ t: now() - walk.start, v: speed, d: track.distance, h: rate });
    $("speed").textContent = speed === null ? "– km/h" : `${speed.toFixed(1)} km/h`;
    $("distance").textContent = `${Math.round(track.distance)} m`;
    $("heart").textContent = rate === null ? "–" : `${rate} bpm`;
    $("walk-note").textContent = isFresh ? "" : recorder.dataset.noSignal;
    judge(speed);
    if (now() - lastSave > 5000) { lastSave = now(); store.put("drafts", walk); }
  }
  function judge(speed) {
    if (!target || speed === null) return;
    const isAbove = speed > target;
    $("target-state").textContent = (isAbove ? recorder.dataset.above : recorder.dataset.below).replace("{speed}", target);
    if (isAbove && !wasAbove) {
      walk.above += 1;
      if ("feedback" in recorder.dataset) { navigator.vibrate?.([200, 100, 200]); beep(); }
    }
    wasAbove = isAbove;
  }
  function beep() {
    if (!audio) return;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    volume.gain.value = 0.2;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  }
  function stop() {
    clearInterval(timer);
    navigator.geolocation.clearWatch(watch);
    lock?.release?.();
  }
  function body(end) {
    const iso = (at) => new Date(at).toISOString();
    // The server wants strictly increasing times.
    const samples = walk.samples.filter((s, index, all) => index === 0 || s.t > all[index - 1].t);
    const column = (name, digits) => samples.map((s) => s[name] === null || s[name] === undefined ? null : Number(s[name].toFixed(digits)));
    const series = { t_ms: samples.map((s) => s.t), speed_kmh: column("v", 2), distance_m: column("d", 1) };
    if (samples.some((s) => s.h !== null)) series.heart_rate_bpm = column("h", 0);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const result = { started_at: iso(walk.start), ended_at: iso(end), time_zone: zone, client_now: iso(now()), pauses: walk.pauses.map((p) => ({ from: iso(p.from), to: iso(p.to ?? end) })) };
    if (samples.length) result.series = series;
    return result;
  }
  $("walk-start").addEventListener("click", async () => {
    audio ??= new AudioContext();
    walk = blank();
    await store.put("drafts", walk);
    begin();
  });
  $("walk-pause").addEventListener("click", async () => {
    if (isPaused()) { walk.pauses.at(-1).to = now(); track.restart(); } else { walk.pauses.push({ from: now(), to: null }); }
    await store.put("drafts", walk);
    controls(true);
  });
  $("walk-end").addEventListener("click", async () => {
    stop();
    const end = now();
    if (isPaused()) walk.pauses.at(-1).to = end;
    const record = { id: walk.id, account: store.account, at: end, title: recorder.dataset.title, url: recorder.dataset.api + walk.id, json: body(end) };
    await store.queue(record, key);
    const result = await store.send(record);
    location.assign(result === "sent" ? `${recorder.dataset.home}/walks/${walk.id}` : recorder.dataset.home);
  });
  $("walk-discard").addEventListener("click", async () => {
    if (!confirm(recorder.dataset.sure)) return;
    stop();
    await store.remove("drafts", key);
    location.assign(recorder.dataset.home);
  });
  document.addEventListener("visibilitychange", async () => {
    if (!walk || document.visibilityState !== "visible") return;
    track.restart();
    lock = await keepScreenOn();
    $("walk-note").textContent = recorder.dataset.gap;
  });
  // A heart-rate strap, where the browser supports it.
  if ("bluetooth" in navigator) {
    $("strap").hidden = false;
    $("strap").addEventListener("click", async () => {
      try {
        const device = await navigator.bluetooth.requestDevice({ filters: [{ services: ["heart_rate"] }] });
        const connect = async () => {
          const service = await (await device.gatt.connect()).getPrimaryService("heart_rate");
          const rate = await service.getCharacteristic("heart_rate_measurement");
          rate.addEventListener("characteristicvaluechanged", ({ target: { value } }) => {
            heart = { at: now(), bpm: value.getUint8(0) & 1 ? value.getUint16(1, true) : value.getUint8(1) };
          });
          await rate.startNotifications();
        };
        device.addEventListener("gattserverdisconnected", () => setTimeout(() => connect().catch(() => {}), 2000));
        await connect();
      } catch (error) { $("walk-note").textContent = error.message; }
    });
  }
  // A walk that was interrupted goes on, ends, or is discarded.
  store.get("drafts", key).then((saved) => {
    if (!saved || saved.account !== store.account) return;
    walk = saved;
    $("walk-note").textContent = recorder.dataset.interrupted;
    begin();
  });
}

// ---- Calibration: two minutes of ordinary walking

const measure = $("measure");
if (measure && "geolocation" in navigator) {
  measure.hidden = false;
  const seconds = Number(measure.dataset.seconds);
  let watch, timer;
  const finish = () => { clearInterval(timer); navigator.geolocation.clearWatch(watch); $("measure-start").hidden = false; $("measure-cancel").hidden = true; };
  $("measure-cancel").addEventListener("click", finish);
  $("measure-start").addEventListener("click", () => {
    const speeds = [];
    const track = new Track();
    let left = seconds, latest = null;
    $("measure-start").hidden = true;
    $("measure-cancel").hidden = false;
    $("measure-status").textContent = measure.dataset.running;
    watch = navigator.geolocation.watchPosition((p) => { latest = p; }, (error) => { $("measure-status").textContent = error.message; }, { enableHighAccuracy: true, maximumAge: 0 });
    timer = setInterval(() => {
      left -= 1;
      $("countdown").textContent = `${left} s`;
      const speed = latest && Date.now() - latest.timestamp < 5000 ? track.add(latest) : null;
      if (speed !== null) speeds.push(speed);
      if (left > 0) return;
      finish();
      const mean = speeds.reduce((a, b) => a + b, 0) / speeds.length;
      const spread = Math.sqrt(speeds.reduce((a, b) => a + (b - mean) ** 2, 0) / speeds.length) / mean;
      const isGood = speeds.length >= seconds * 0.8 && spread <= 0.15;
      $("measure-status").textContent = isGood ? measure.dataset.done : measure.dataset.poor;
      if (!isGood) return;
      $("mean_speed_kmh").value = mean.toFixed(2);
      $("calibration").elements.duration_s.value = String(seconds);
      showTarget();
    }, 1000);
  });
}
function showTarget() {
  const speed = Number($("mean_speed_kmh").value.replace(",", "."));
  const percent = Number($("reduction_percent").value.replace(",", "."));
  const shown = speed > 0 && percent >= 0 ? (speed * (1 - percent / 100)).toFixed(1) : "";
  $("target").textContent = shown ? $("target").dataset.text.replace("{speed}", shown) : "";
}
if ($("calibration")) {
  $("calibration").elements.calibration_id.value = crypto.randomUUID();
  $("calibration").addEventListener("input", showTarget);
  showTarget();
}

// ---- Import

const importing = $("import");
importing?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = $("file").files[0];
  if (!file) return;
  const types = { tcx: "application/vnd.garmin.tcx+xml", gpx: "application/gpx+xml", fit: "application/vnd.ant.fit", xml: "application/xml" };
  const type = types[file.name.split(".").at(-1).toLowerCase()] ?? "application/octet-stream";
  const say = (words) => { $("import-status").textContent = words; };
  try {
    const reply = await fetch(importing.dataset.api, { method: "POST", body: file, credentials: "same-origin", headers: { "Content-Type": type } });
    const result = await reply.json();
    if (!reply.ok) { say(`${importing.dataset.failed} ${result.errors?.[0]?.detail ?? result.detail ?? ""}`); return; }
    const stored = result.items.filter((item) => ["accepted", "replayed"].includes(item.result)).length;
    const faults = result.items.filter((item) => item.problem).map((item) => item.problem.errors?.[0]?.detail ?? item.problem.detail);
    say([importing.dataset.done.replace("{count}", stored), ...faults, ...result.remarks.map((remark) => remark.detail ?? remark)].join(" "));
  } catch (error) { say(`${importing.dataset.failed} ${error.message}`); }
});
