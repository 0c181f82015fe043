// Shared by all pages. Without script every page works.

import "./beacon.js";
import { account, announceStorage, flush, get, meta, overview, run } from "./outbox.js";
import { counted, home, make, root, texts } from "./page.js";

/** Chooses the time zone of the device where the visitor has not chosen one. */
for (const select of document.querySelectorAll("select[data-own-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!select.value && [...select.options].some((option) => option.value === zone)) select.value = zone;
}

/** Moves the focus to the summary of faults, so that a screen reader reads it first. */
document.getElementById("errors")?.focus();

/** A card of the day in a kept page says when its day is over. */
const cards = document.querySelectorAll("[data-until]");
for (const { dataset: { until, text }, firstElementChild: { nextElementSibling: note } } of cards) {
  if (!root.dataset.kept || Date.parse(until) > Date.now()) continue;
  note.textContent = text;
  note.hidden = false;
}

// ---- The status line

const line = document.getElementById("status");
const clockTime = (at) => new Date(at).toLocaleString(root.lang, { hourCycle: "h23", timeStyle: "short", ...Date.now() - at < 43_200_000 ? {} : { dateStyle: "medium" } });
let isStorageLost = false, hadWaiting = false, isReached = false;

/** States in words what is on this device and not sent yet. @returns {Promise<void>} */
async function report() {
  let found = { waiting: [], held: [], others: 0 };
  if (account) try { found = await overview(); } catch (error) { announceStorage(error); }
  const { waiting, held, others, needsLogin } = found;
  // What was sent since shows that the server can be reached again.
  if (hadWaiting && !waiting.length) isReached = true;
  hadWaiting ||= waiting.length > 0;
  if (!root.dataset.kept && navigator.onLine && !isStorageLost && !held.length && !others && !hadWaiting) return say("");
  const words = await texts("status");
  const parts = [];
  const from = !navigator.onLine ? words.offline_from : isReached ? words.from : words.kept_from;
  if (root.dataset.kept) parts.push(from?.replace("{time}", clockTime(Number(root.dataset.kept))));
  else if (!navigator.onLine) parts.push(words.offline);
  if (isStorageLost) parts.push(words.no_storage);
  if (held.length) parts.push(counted(words, "held", held.length));
  if (waiting.length) parts.push(counted(words, needsLogin ? "login" : "waiting", waiting.length));
  else if (hadWaiting) parts.push(words.all_sent);
  if (others) parts.push(counted(words, "others", others));
  const link = waiting.length && needsLogin ? `/login?next=${encodeURIComponent(location.pathname)}` : "/unsent";
  say(parts.filter(Boolean).join(" · ").replaceAll(". ·", " ·"), waiting.length || held.length || others ? link : undefined);
  remind(waiting, words);
}
function say(text, link) {
  if (!line || line.textContent === text) return;
  line.hidden = !text;
  line.replaceChildren(link ? make("a", { href: link, textContent: text }) : text);
}
/** A banner if a record has waited for more than two days. */
function remind(waiting, words) {
  const isOld = waiting.some((record) => record.at < Date.now() - 2 * 86_400_000);
  const banner = document.getElementById("old-records");
  if (!isOld) banner?.remove();
  else if (!banner) document.getElementById("main").prepend(make("p", { id: "old-records", className: "banner warn" }, make("a", { href: "/unsent", textContent: words.old })));
}
addEventListener("saunter-outbox", report);
addEventListener("saunter-storage", () => {
  if (!isStorageLost) { isStorageLost = true; report(); }
});
addEventListener("online", () => { report(); flush({ isUrgent: true }); });
addEventListener("offline", report);

// ---- Sending, and the service worker

const isBusy = document.getElementById("questions") || document.getElementById("recorder");

async function prepare() {
  if (location.pathname === "/erased") await (await import("./leaving.js")).forgetErased();
  report();
  if (!account) return;
  try {
    await run(["meta"], (open) => open("meta").put({ key: "account", value: account }));
    if (await get("sealed", account)) await (await import("./leaving.js")).locked.unseal();
  } catch (error) { announceStorage(error); }
  // A page that the server has just made shows that it can be reached.
  flush({ isUrgent: !root.dataset.kept });
  setInterval(flush, 60_000);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") flush(); });
  // A questionnaire does not wait for what only logging out needs.
  // Without a connection: the next page tries again.
  if (!isBusy && !await meta(`key:${account}`)) (await import("./leaving.js")).locked.keepKey().catch(() => {});
}
async function register() {
  // Without an account only a page with a card of the day is kept.
  if (!("serviceWorker" in navigator) || !account && !cards.length) return;
  const address = "/sw.js";
  const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => { if (url !== address) throw new TypeError(url); return url; } });
  const registration = await navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
  // A new release is used from the next page on. It never interrupts a questionnaire or a walk.
  if (registration.waiting && !isBusy) registration.waiting.postMessage({ type: "activate" });
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (data?.type === "send") flush({ isUrgent: true }); });
  const { active } = await navigator.serviceWorker.ready;
  if (cards.length && !root.dataset.kept) active.postMessage({ type: "keep" });
  if (home && !root.dataset.kept && (location.pathname === home || !await isPrepared())) active.postMessage({ type: "fill", home });
}
/** Whether the documents were fetched in the last hours. */
async function isPrepared() {
  const plan = await (await caches.open(`documents-${account}`)).match(`${home}/plan`);
  return Number(plan?.headers.get("X-Kept") ?? 0) > Date.now() - 6 * 3_600_000;
}
prepare().catch((error) => announceStorage(error));
register().catch((error) => console.warn("the service worker does not start:", error.message));

// ---- What only some visits need

/** Deleting an entry: the deletion waits on the device until there is a connection. */
const deletion = document.querySelector("form[data-deletes]");
deletion?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const record = { kind: "deletion", id: crypto.randomUUID(), title: deletion.dataset.title, body: { sheet_id: deletion.dataset.deletes, deleted_at: new Date().toISOString() } };
  const { state } = await (await import("./sending.js")).submit(record);
  if (state === "unsaved") HTMLFormElement.prototype.submit.call(deletion);
  else location.assign(state === "held" ? "/unsent" : `${home}/entries${state === "sent" ? "?deleted=1" : ""}`);
});
for (const logout of document.querySelectorAll('form[action="/logout"]')) {
  logout.addEventListener("submit", (event) => {
    event.preventDefault();
    import("./leaving.js").then(({ logOut }) => logOut(logout)).catch((error) => {
      announceStorage(error);
      HTMLFormElement.prototype.submit.call(logout);
    });
  });
}

// ---- The features in the navigation

for (const link of document.querySelectorAll("a[data-target]")) {
  const counter = link.getAttribute("href");
  const later = async () => (await import("./sending.js")).enqueue({
    kind: "usage_event", id: crypto.randomUUID(), title: link.textContent,
    body: {
      event: "feature_opened", feature: counter.split("/").pop(), at: new Date().toISOString(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  });
  link.href = link.dataset.target;
  link.addEventListener("click", () => {
    if (!navigator.onLine) later();
    else fetch(counter, { method: "POST", body: new URLSearchParams(), redirect: "manual", keepalive: true }).catch(later);
  });
}
