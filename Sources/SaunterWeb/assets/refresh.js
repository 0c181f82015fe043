// Keeps the regions of a page of a study team up to date without losing focus or position. One tab per study follows the
// changes and informs the others. Without script, the page is as of its last request.

const line = document.getElementById("live");
const channel = new BroadcastChannel(line.dataset.stream);
/** How long changes are collected, how long the page rests between two refreshes, without a stream, and how often it says so. A
 * page with `data-wait` shows what the server makes of a record some seconds later, such as decisions of rules. */
const later = Number(line.dataset.wait ?? 0);
const [COLLECT, REST, POLL, SPEAK] = [later || 300, 1_200, 30_000, 30_000];
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let [wanted, running, stopped, spokenAt, changedAt] = [false, false, false, 0, 0];

/** Reads the page again. The header keeps an unattended page from keeping the session open. */
const load = () => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("GET", location.href);
  request.setRequestHeader("X-Refresh", "1");
  request.responseType = "document";
  request.onload = () => (request.response?.getElementById("live") ? resolve(request.response) : reject(new Error(String(request.status))));
  request.onerror = () => reject(new Error("offline"));
  request.send();
});
/** What identifies an element in the old and the new region. */
const key = (element) => element.id || element.getAttribute("href") || element.textContent;

function replace(old, fresh) {
  const selection = getSelection();
  if (selection && !selection.isCollapsed && old.contains(selection.anchorNode)) return;
  const focused = old.contains(document.activeElement) ? key(document.activeElement) : null;
  const open = new Map([...old.querySelectorAll("details")].map((one, index) => [one.id || index, one.open]));
  const scrolled = [...old.querySelectorAll(".region")].map((one) => [one.scrollLeft, one.scrollTop]);
  const [x, y] = [scrollX, scrollY];
  const region = document.importNode(fresh, true);
  old.replaceWith(region);
  region.querySelectorAll("details").forEach((one, index) => { one.open = open.get(one.id || index) ?? one.open; });
  region.querySelectorAll(".region").forEach((one, index) => one.scrollTo(...(scrolled[index] ?? [0, 0])));
  document.dispatchEvent(new CustomEvent("refreshed", { detail: region }));
  if (focused !== null) {
    const same = [...region.querySelectorAll("a, button, summary, [tabindex]")].find((one) => key(one) === focused);
    if (!same) region.tabIndex = -1;
    (same ?? region).focus({ preventScroll: true });
  }
  scrollTo({ left: x, top: y, behavior: "instant" });
}

async function update() {
  try {
    const page = await load();
    for (const old of document.querySelectorAll("[data-live]")) {
      const fresh = page.getElementById(old.id);
      if (fresh) replace(old, fresh);
    }
    if (Date.now() - spokenAt < SPEAK) return;
    spokenAt = Date.now();
    line.textContent = line.dataset.updated.replace("{time}", new Date().toLocaleTimeString(document.documentElement.lang, { hourCycle: "h23" }));
  } catch {
    // The session has ended or the server does not answer: the visitor decides.
    stopped = true;
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = line.dataset.reload;
    line.replaceChildren(link);
  }
}

/** Whether a region shows something that goes on without records, such as the progress of a dataset. */
const runs = () => document.querySelector("[data-runs]") !== null;

async function refresh() {
  wanted = true;
  if (running || stopped || document.hidden) return;
  running = true;
  while (wanted && !stopped && !document.hidden) {
    await wait(COLLECT);
    // What follows from a record that arrived in the meantime is possibly not stored yet.
    wanted = later > 0 && Date.now() - changedAt < later / 2;
    await update();
    wanted ||= runs();
    await wait(REST);
  }
  running = false;
}

/** A record of this kind has changed. */
const changed = (kind) => {
  if (!document.querySelector(`[data-live~="${kind}"]`)) return;
  changedAt = Date.now();
  refresh();
};
const poll = () => setInterval(refresh, POLL);
/** Follows the changes until the server refuses the stream. The browser connects again after other faults. */
const follow = () => new Promise((resolve) => {
  const source = new EventSource(line.dataset.stream);
  source.addEventListener("change", (event) => {
    const { kind } = JSON.parse(event.data);
    channel.postMessage(kind);
    changed(kind);
  });
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve(); };
});

channel.onmessage = (event) => changed(event.data);
document.addEventListener("visibilitychange", () => { if (wanted) refresh(); });
if (navigator.locks) navigator.locks.request(line.dataset.stream, follow).then(poll);
else poll();
if (runs()) refresh();
