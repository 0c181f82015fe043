// Shared by all pages: the records on this device, their sending, and the status line. Without script every page works.

const root = document.documentElement;

/** Chooses the time zone of the device where the visitor has not chosen one. */
for (const select of document.querySelectorAll("select[data-own-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!select.value && [...select.options].some((option) => option.value === zone)) select.value = zone;
}

/** Moves the focus to the summary of faults, so that a screen reader reads it first. */
document.getElementById("errors")?.focus();

// ---- The database of this device

/** @returns {Promise<IDBDatabase>} */
const database = new Promise((resolve, reject) => {
  const request = indexedDB.open("saunter", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("drafts", { keyPath: "key" });
    request.result.createObjectStore("outbox", { keyPath: "id" });
    request.result.createObjectStore("held", { keyPath: "id" });
  };
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
database.catch(() => { say(root.dataset.noStorage); });

/** Runs one transaction, and waits until it is on the disk. */
async function run(stores, action) {
  const transaction = (await database).transaction(stores, "readwrite", { durability: "strict" });
  const result = action((name) => transaction.objectStore(name));
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
  return result?.result;
}

const store = {
  /** Identifies the account, and reveals nothing about it. Empty without a session. */
  account: root.dataset.account ?? "",
  get: (name, key) => run([name], (open) => open(name).get(key)),
  all: (name) => run([name], (open) => open(name).getAll()),
  put: (name, value) => run([name], (open) => open(name).put(value)),
  remove: (name, key) => run([name], (open) => open(name).delete(key)),
  /** Moves a draft into the queue, in one transaction. */
  queue: (record, draftKey) => run(["drafts", "outbox"], (open) => { open("drafts").delete(draftKey); return open("outbox").put(record); }),
  /** Sends a record. Returns `sent`, `refused` or `later`. */
  async send(record) {
    let reply;
    try {
      reply = record.json ? await this.putJSON(record) : await this.postForm(record);
    } catch { return "later"; }
    if (record.json && reply.ok) {
      await store.remove("outbox", record.id);
      return "sent";
    }
    if (reply.status === 401) return "later";
    if (reply.type === "opaqueredirect") {
      // A redirect is the receipt; without a session it leads to the page for logging in.
      if (!await isLoggedIn()) return "later";
      await store.remove("outbox", record.id);
      return "sent";
    }
    if ([408, 425, 429].includes(reply.status) || reply.status >= 500 || reply.ok) return "later";
    return "refused";
  },
  /** A question document: the server reads the fields as it does without script. */
  postForm(record) {
    const fields = new URLSearchParams(record.fields);
    fields.set("client_now", new Date().toISOString());
    return fetch(record.url, { method: "POST", body: fields, redirect: "manual", credentials: "same-origin" });
  },
  /** A record of the API, such as a walk. */
  putJSON(record) {
    const body = JSON.stringify({ ...record.json, client_now: new Date().toISOString() });
    return fetch(record.url, { method: "PUT", body, credentials: "same-origin", headers: { "Content-Type": "application/json" } });
  },
  /** Sends what waits, one record after the other. Only one page sends at a time. */
  async flush() {
    await navigator.locks.request("saunter-outbox", { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      for (const record of (await store.all("outbox")).filter((r) => r.account === store.account)) {
        const result = await store.send(record);
        if (result === "later") break;
        if (result === "refused") await run(["outbox", "held"], (open) => { open("outbox").delete(record.id); return open("held").put({ ...record, heldAt: Date.now() }); });
        await report();
      }
    });
    await report();
  },
};
window.saunter = store;

async function isLoggedIn() {
  const reply = await fetch("/v1/account", { credentials: "same-origin" });
  return reply.ok;
}

// ---- The status line

const status = document.getElementById("status");
function say(text, link) {
  if (!status) return;
  status.hidden = !text;
  if (!text) return;
  if (link) {
    const anchor = Object.assign(document.createElement("a"), { href: link, textContent: text });
    status.replaceChildren(anchor);
  } else { status.textContent = text; }
}
/** States in words what is on this device and not sent yet. */
async function report() {
  const [waiting, held] = [await store.all("outbox"), await store.all("held")];
  const own = waiting.filter((r) => r.account === store.account).length;
  const texts = [];
  if (!navigator.onLine) texts.push(root.dataset.offline);
  if (held.length) texts.push(root.dataset.held.replace("{count}", held.length));
  if (own) texts.push(root.dataset.waiting.replace("{count}", own));
  if (waiting.length > own) texts.push(root.dataset.others.replace("{count}", waiting.length - own));
  say(texts.join(" · "), own || held.length ? "/unsent" : undefined);
  dispatchEvent(new CustomEvent("saunter-report", { detail: { waiting, held } }));
}
if (root.dataset.account !== undefined) {
  addEventListener("online", () => store.flush());
  addEventListener("offline", () => report());
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") store.flush(); });
  setInterval(() => store.flush(), 60000);
  store.flush();
}

// ---- The service worker keeps pages for times without a connection

if ("serviceWorker" in navigator && root.dataset.account) {
  const address = "/sw.js";
  const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => { if (url !== address) throw new TypeError(url); return url; } });
  navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
}
for (const logout of document.querySelectorAll('form[action="/logout"]')) {
  logout.addEventListener("submit", async (event) => {
    if (logout.dataset.sure) return;
    event.preventDefault();
    const waiting = (await store.all("outbox")).filter((r) => r.account === store.account).length;
    if (waiting && !confirm(root.dataset.logoutWaiting.replace("{count}", waiting))) return;
    await run(["drafts"], (open) => open("drafts").clear());
    for (const name of await caches.keys()) if (name.startsWith("documents")) await caches.delete(name);
    logout.dataset.sure = "yes";
    logout.submit();
  });
}
