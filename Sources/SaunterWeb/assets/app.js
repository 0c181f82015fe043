// Shared by all pages: sending what waits on this device, the status line, and logging out. Without script every page works.

import "./beacon.js";
import * as outbox from "./outbox.js";

const root = document.documentElement;
const words = JSON.parse(root.dataset.words || "{}");
const plural = new Intl.PluralRules(root.lang || "en");
/** A text with the number that it counts. */
const counted = (name, count) => (words[`${name}_${plural.select(count)}`] ?? words[`${name}_other`] ?? "").replace("{count}", count);
const clockTime = (at) => new Date(at).toLocaleString(root.lang, { hourCycle: "h23", timeStyle: "short", ...Date.now() - at < 43_200_000 ? {} : { dateStyle: "medium" } });
const make = (tag, values = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), values);
  element.append(...children);
  return element;
};

/** Chooses the time zone of the device where the visitor has not chosen one. */
for (const select of document.querySelectorAll("select[data-own-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!select.value && [...select.options].some((option) => option.value === zone)) select.value = zone;
}

/** Moves the focus to the summary of faults, so that a screen reader reads it first. */
document.getElementById("errors")?.focus();

// ---- The status line

const status = document.getElementById("status");
let isStorageLost = false, hadWaiting = false, isReached = false;

/** States in words what is on this device and not sent yet. @returns {Promise<void>} */
async function report() {
  const texts = [];
  // What was sent since shows that the server can be reached again.
  const from = !navigator.onLine ? words.offline_from : isReached ? words.from : words.kept_from;
  if (root.dataset.kept) texts.push(from?.replace("{time}", clockTime(Number(root.dataset.kept))));
  else if (!navigator.onLine) texts.push(words.offline);
  let link;
  if (isStorageLost) texts.push(words.no_storage);
  if (outbox.account) {
    try {
      const { waiting, held, others, needsLogin } = await outbox.overview();
      if (held.length) texts.push(counted("held", held.length));
      if (waiting.length) texts.push(counted(needsLogin ? "login" : "waiting", waiting.length));
      else if (hadWaiting) texts.push(words.all_sent);
      if (others) texts.push(counted("others", others));
      if (waiting.length || held.length || others) link = waiting.length && needsLogin ? `/login?next=${encodeURIComponent(location.pathname)}` : "/unsent";
      hadWaiting ||= waiting.length > 0;
      if (hadWaiting && !waiting.length && !isReached) { isReached = true; return report(); }
      remind(waiting);
    } catch (error) { outbox.announceStorage(error); }
  }
  say(texts.filter(Boolean).join(" · ").replaceAll(". ·", " ·"), link);
}
function say(text, link) {
  if (!status || status.textContent === text) return;
  status.hidden = !text;
  status.replaceChildren(link ? make("a", { href: link, textContent: text }) : text);
}
/** A banner if a record has waited for more than two days. */
function remind(waiting) {
  const isOld = waiting.some((record) => record.at < Date.now() - 2 * 86_400_000);
  const banner = document.getElementById("old-records");
  if (!isOld) banner?.remove();
  else if (!banner) document.getElementById("main").prepend(make("p", { id: "old-records", className: "banner warn" }, make("a", { href: "/unsent", textContent: words.old })));
}
addEventListener("saunter-outbox", report);
addEventListener("saunter-storage", () => {
  if (!isStorageLost) { isStorageLost = true; report(); }
});
addEventListener("online", () => { report(); outbox.flush({ isUrgent: true }); });
addEventListener("offline", report);

// ---- Sending, and the service worker

const home = /^\/my\/[0-9a-f-]{36}/.exec(location.pathname)?.[0];
const isBusy = document.getElementById("questions") || document.getElementById("recorder");

async function prepare() {
  if (location.pathname === "/erased") await forgetErased();
  report();
  if (!outbox.account) return;
  try {
    await outbox.run(["meta"], (open) => open("meta").put({ key: "account", value: outbox.account }));
    await outbox.unseal();
  } catch (error) { outbox.announceStorage(error); }
  outbox.flush();
  outbox.keepKey().catch(() => { /* without a connection: the next page tries again */ });
  setInterval(() => outbox.flush(), 60_000);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") outbox.flush(); });
}
/** After an erasure the device keeps no pages, and nothing of an account that no longer exists. */
async function forgetErased() {
  const { value: digest } = await outbox.get("meta", "account") ?? {};
  if (digest && !outbox.account) await outbox.forget(digest, true);
  await forgetDocuments();
}
async function forgetDocuments() {
  for (const name of await caches.keys()) if (name.startsWith("documents-") || name === "media") await caches.delete(name);
}
async function register() {
  if (!("serviceWorker" in navigator) || !outbox.account) return;
  const address = "/sw.js";
  const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => { if (url !== address) throw new TypeError(url); return url; } });
  const registration = await navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
  // A new release is used from the next page on. It never interrupts a questionnaire or a walk.
  if (registration.waiting && !isBusy) registration.waiting.postMessage({ type: "activate" });
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (data?.type === "send") outbox.flush({ isUrgent: true }); });
  const { active } = await navigator.serviceWorker.ready;
  if (home && !root.dataset.kept && (location.pathname === home || !await isPrepared())) active.postMessage({ type: "fill", home });
}
/** Whether the documents were fetched in the last hours. */
async function isPrepared() {
  const plan = await (await caches.open(`documents-${outbox.account}`)).match(`${home}/plan`);
  return Number(plan?.headers.get("X-Kept") ?? 0) > Date.now() - 6 * 3_600_000;
}
prepare().catch((error) => outbox.announceStorage(error));
register().catch((error) => console.warn("the service worker does not start:", error.message));

// ---- Deleting an entry: it waits on the device until there is a connection

const deletion = document.querySelector("form[data-deletes]");
deletion?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const record = { kind: "deletion", id: crypto.randomUUID(), title: deletion.dataset.title, body: { sheet_id: deletion.dataset.deletes, deleted_at: new Date().toISOString() } };
  const { state } = await outbox.submit(record);
  if (state === "unsaved") HTMLFormElement.prototype.submit.call(deletion);
  else location.assign(state === "held" ? "/unsent" : `${home}/entries${state === "sent" ? "?deleted=1" : ""}`);
});

// ---- Logging out

for (const logout of document.querySelectorAll('form[action="/logout"]')) {
  logout.addEventListener("submit", async (event) => {
    event.preventDefault();
    const leave = async () => {
      // The next person on this device must not see reminders.
      await (await import("./push.js")).unsubscribe().catch((error) => console.info("notifications:", error.message));
      await outbox.forget();
      await forgetDocuments();
      HTMLFormElement.prototype.submit.call(logout);
    };
    try {
      const { waiting, held } = await outbox.overview();
      if (waiting.length + held.length) ask(waiting.length + held.length, leave);
      else await leave();
    } catch (error) {
      outbox.announceStorage(error);
      HTMLFormElement.prototype.submit.call(logout);
    }
  });
}
/** Asks what happens with the records that are not sent yet. */
function ask(count, leave) {
  const note = make("p", { role: "status" });
  const dialog = make("dialog", { id: "leaving" },
    make("h2", { id: "leaving-title", textContent: words.logout_title }), make("p", { textContent: counted("logout_text", count) }), note);
  dialog.setAttribute("aria-labelledby", "leaving-title");
  const actions = make("p", { className: "actions" });
  const offer = (text, action, className = "") => {
    const button = make("button", { type: "button", textContent: text, className });
    button.addEventListener("click", action);
    actions.append(button);
    return button;
  };
  const first = offer(words.logout_send, async () => {
    note.textContent = words.logout_sending;
    await outbox.flush({ isUrgent: true });
    const { waiting, held } = await outbox.overview();
    if (waiting.length + held.length) note.textContent = counted("logout_left", waiting.length + held.length);
    else await leave();
  }, "primary");
  offer(words.logout_seal, async () => {
    try {
      await outbox.seal();
      await leave();
    } catch { note.textContent = words.logout_not_sealed; }
  });
  offer(words.logout_discard, () => { if (confirm(counted("logout_sure", count))) leave(); }, "danger");
  offer(words.logout_cancel, () => dialog.close());
  dialog.append(actions);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  first.focus();
}

// ---- The features in the navigation. Opening one is counted; its page opens at once, also without a connection

for (const link of document.querySelectorAll("a[data-target]")) {
  const counter = link.getAttribute("href");
  const later = () => outbox.enqueue({
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
