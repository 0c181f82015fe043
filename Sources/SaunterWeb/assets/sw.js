// Keeps the style sheet, the scripts and the participant's pages for times without a connection.

/** The files of this release. */
const SHELL = "shell-__DIGEST__";
const FILES = [__FILES__];
/** Pages without a session. Logging out does not delete them. */
const PUBLIC = "public";
/** How long a page may take before the kept one is shown, in milliseconds. */
const PATIENCE = 2500;
const DAY = 86_400_000;
const MEDIA_BYTES = 200 * 1024 * 1024;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(SHELL);
    // Without the session: the page /offline must not name an account.
    await Promise.all(FILES.map(async (address) => {
      const reply = await fetch(address, { credentials: "omit" });
      if (!reply.ok) throw new Error(`${address}: ${reply.status}`);
      await cache.put(address, reply);
    }));
  })().catch(async (error) => {
    await beacon(error);
    throw error;
  }));
});
// The worker of a new release takes over when the last page is closed. If it took over beside an open page, Chromium
// lost a navigation that came at that moment without a connection.
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => {
  if (event.data?.type === "fill") event.waitUntil(fill(event.data.home));
  // The page that was open before this worker could keep it.
  // The next visit tries again.
  if (event.data?.type === "keep") event.waitUntil(keepOpen(event.source.url).then(dropOldShells).catch(() => {}));
});
/** Lets the open pages send what waits. */
async function wake() {
  for (const client of await self.clients.matchAll({ type: "window" })) client.postMessage({ type: "send" });
}
/** Reports a fault of the worker. */
const beacon = (error) => fetch("/v1/beacon", {
  method: "POST", headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ kind: "worker", page: "/sw.js", version: SHELL, text: `${error.name}: ${error.message}`.slice(0, 500) }),
// Without a connection nothing can be reported.
}).catch(() => {});

// ---- What may be kept

const PERSONAL = /^\/unsent$|^\/my\/[0-9a-f-]{36}(\/(o|q)\/[^/]+|\/sheets\/[0-9a-f-]{36}(\/edit|\/delete)?|\/walks\/[0-9a-f-]{36}|\/(course|licences|entries|insights|more|messages|walk|walks|walk\/calibrate|walks\/import|c\/[^/]+|programmes(\/[^/]+(\/entries)?)?))?$/;
const OPEN = /^\/$|^\/studies\/[^/]+(\/contacts)?$/;
const MEDIA = /^\/media\/|^\/v1\/(enrolments\/[0-9a-f-]{36}\/)?media\/[0-9a-f]{64}$/;
const documents = (account) => `documents-${account}`;

/** A page with the time at which it was kept, and the digest of its content if that is known. */
function stamped(text, reply, digest = "") {
  const headers = new Headers(reply.headers);
  for (const name of ["Content-Encoding", "Content-Length", "Set-Cookie"]) headers.delete(name);
  headers.set("X-Kept", String(Date.now()));
  headers.set("X-Digest", digest);
  return new Response(text, { headers });
}
/** Keeps a page that the participant opened. */
async function keep(url, reply) {
  if (!reply.ok || reply.redirected || url.search) return;
  if (OPEN.test(url.pathname)) return keepOpen(url);
  const text = await reply.text();
  const account = /<html[^>]* data-account="([0-9a-f]+)"/.exec(text)?.[1];
  if (!account) return;
  // Pages of another account must not appear to this one.
  for (const name of await caches.keys()) if (name.startsWith("documents-") && name !== documents(account)) await caches.delete(name);
  if (!PERSONAL.test(url.pathname)) return;
  // The page of an occasion that is not open yet would hide the questionnaire later.
  if (url.pathname.includes("/o/") && !text.includes('id="questions"')) return;
  const cache = await caches.open(documents(account));
  const digest = (await cache.match(url.pathname))?.headers.get("X-Digest") ?? "";
  await keepDocument(cache, url.pathname, text, reply, digest);
}
/** Keeps a page without a session. */
async function keepOpen(address) {
  const page = await fetch(address, { credentials: "omit" });
  if (page.ok && !page.redirected) await keepDocument(await caches.open(PUBLIC), new URL(address, location.origin).pathname, await page.text(), page);
}
/** Keeps a page together with its pictures, the sounds and films of its questions, and its style sheet and scripts, which can be those of another release. */
async function keepDocument(cache, address, text, reply, digest) {
  const files = await caches.open("media");
  for (const [, picture] of text.matchAll(/<(?:img|(?:audio|video)(?=[^>]* src="\/media\/))[^>]* src="([^"]+)"/g)) {
    if (!MEDIA.test(picture) || await files.match(picture)) continue;
    const file = await fetch(picture, { credentials: "same-origin" });
    if (file.ok) await keepMedia(files, picture, file);
  }
  for (const [, asset] of text.matchAll(/"(\/assets\/[^"]+)"/g)) await keepAsset(asset);
  await cache.put(address, stamped(text, reply, digest));
}
async function keepAsset(address) {
  const shell = await caches.open(SHELL);
  if (await shell.match(address)) return;
  const reply = await inShells(address) ?? await fetch(address);
  if (!reply.ok) throw new Error(`${address}: ${reply.status}`);
  await shell.put(address, reply.clone());
  if (!address.endsWith(".js")) return;
  for (const [, imported] of (await reply.text()).matchAll(/"(\/assets\/[^"]+\.js)"/g)) await keepAsset(imported);
}
async function inShells(address) {
  const hit = await caches.match(address, { cacheName: SHELL });
  if (hit) return hit;
  for (const name of await caches.keys()) {
    const other = name.startsWith("shell-") && await caches.match(address, { cacheName: name });
    if (other) return other;
  }
  return undefined;
}

// ---- Filling: the pages that a participant needs in the next 14 days

const filling = new Map();
/** Fetches the plan of a participant, and each document that is missing or has changed. */
function fill(home) {
  // No connection: the next page tries again.
  if (!filling.has(home)) filling.set(home, fillOnce(home).catch(() => {}).finally(() => filling.delete(home)));
  return filling.get(home);
}
async function fillOnce(home) {
  const reply = await fetch(`${home}/plan`, { credentials: "same-origin" });
  if (!reply.ok || reply.redirected || !reply.headers.get("Content-Type")?.includes("json")) return;
  const text = await reply.text();
  const plan = JSON.parse(text);
  const cache = await caches.open(documents(plan.account));
  await cache.put(`${home}/plan`, stamped(text, reply));
  const listed = new Set(plan.documents.map(({ address }) => address));
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(`${home}/`) || listed.has(pathname)) continue;
    const age = Date.now() - Number((await cache.match(request))?.headers.get("X-Kept"));
    // A form to correct a sheet can be that of a questionnaire that is locked by now.
    const mayBeLocked = plan.locked.length > 0 && pathname.endsWith("/edit");
    if (age > 30 * DAY || mayBeLocked || pathname.startsWith(`${home}/q/`)) await cache.delete(request);
  }
  for (const { address, digest } of plan.documents) {
    const kept = await cache.match(address);
    if (digest && kept?.headers.get("X-Digest") === digest) continue;
    if (!PERSONAL.test(new URL(address, location.origin).pathname)) continue;
    const page = await fetch(address, { credentials: "same-origin" });
    if (page.ok && !page.redirected) await keepDocument(cache, address, await page.text(), page, digest);
  }
  if (plan.contacts) await keepOpen(plan.contacts);
  await dropOldShells();
}
/** Deletes the files of other releases, after every kept page has its files in this release's cache. */
async function dropOldShells() {
  if (self.registration.waiting || self.registration.installing) return;
  const names = await caches.keys();
  for (const name of names.filter((one) => one === PUBLIC || one.startsWith("documents-"))) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const text = await (await cache.match(request))?.text() ?? "";
      for (const [, asset] of text.matchAll(/"(\/assets\/[^"]+)"/g)) await keepAsset(asset);
    }
  }
  for (const name of names) if (name.startsWith("shell-") && name !== SHELL) await caches.delete(name);
}

// ---- Answering requests

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(navigate(event, url));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(inShells(url.pathname).then((hit) => hit ?? fetch(request)));
  else if (MEDIA.test(url.pathname)) event.respondWith(media(event, url));
});

/** The page from the server; the kept one if the server does not answer soon, or cannot. */
async function navigate(event, url) {
  const live = fetch(event.request).then((reply) => {
    // No space: the page is shown and not kept.
    event.waitUntil(keep(url, reply.clone()).catch(() => {}));
    return reply;
  });
  // The kept page is shown.
  live.catch(() => {});
  const kept = await keptPage(url);
  try {
    if (!kept) return await live;
    const late = new Promise((resolve) => { setTimeout(() => resolve(kept), PATIENCE); });
    const reply = await Promise.race([live, late]);
    // When the server answers after all, the pages can send what waits.
    // Still no connection.
    if (reply === kept) event.waitUntil(live.then(wake, () => {}));
    return reply.status >= 500 ? kept : reply;
  } catch {
    return kept ?? await caches.match("/offline", { cacheName: SHELL }) ?? Response.error();
  }
}
/** A kept page. It states since when it is kept. */
async function keptPage(url) {
  const home = await keptHome(url.pathname);
  if (home) return Response.redirect(home);
  const found = await keptReply(url);
  if (!found) return undefined;
  const kept = Number(found.headers.get("X-Kept"));
  const text = await found.text();
  return new Response(text.replace("<html ", `<html data-kept="${kept}" `), { headers: found.headers });
}
async function keptReply({ pathname }) {
  if (OPEN.test(pathname)) return caches.match(pathname, { cacheName: PUBLIC });
  for (const name of await caches.keys()) {
    if (!name.startsWith("documents-")) continue;
    const cache = await caches.open(name);
    const [, home, occasion] = /^(\/my\/[0-9a-f-]{36})\/o\/([^/]+)$/.exec(pathname) ?? [];
    const found = await cache.match(pathname) ?? (occasion && await documentOf(cache, home, occasion));
    if (found) return found;
  }
  return undefined;
}
/** The document of the questionnaire that an occasion asks, if the occasion is open. */
async function documentOf(cache, home, occasion) {
  const plan = await (await cache.match(`${home}/plan`))?.json();
  const planned = plan?.occasions.find((one) => one.occasion_id === occasion);
  if (!planned || Date.parse(planned.opens_at) > Date.now()) return undefined;
  const document = plan.documents.find((one) => one.questionnaire === planned.questionnaire);
  return document && cache.match(document.address);
}
/** The address /my leads to the study of a participant who has one, /studies/{study}/my to that study. */
async function keptHome(pathname) {
  const [isHome, study] = /^(?:\/studies\/([^/]+))?\/my$/.exec(pathname) ?? [];
  if (!isHome) return undefined;
  for (const name of await caches.keys()) {
    if (!name.startsWith("documents-")) continue;
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const { pathname: home } = new URL(url);
      if (!/^\/my\/[0-9a-f-]{36}$/.test(home)) continue;
      if (!study || (await (await cache.match(home)).text()).includes(`"/studies/${study}/manifest.`)) return home;
    }
  }
  return undefined;
}

// ---- Pictures and recordings

/** A file by its digest. Safari plays a recording only if parts of it can be requested. */
async function media(event, url) {
  const cache = await caches.open("media");
  let whole = await cache.match(url.pathname);
  if (!whole) {
    whole = await fetch(url.pathname, { credentials: "same-origin" });
    if (!whole.ok) return whole;
    // A film is not kept: it would displace the other files.
    if (Number(whole.headers.get("Content-Length")) > 16777216) {
      await whole.body.cancel();
      return fetch(event.request);
    }
    event.waitUntil(keepMedia(cache, url.pathname, whole.clone()));
  }
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(event.request.headers.get("Range") ?? "") ?? [];
  if (from === undefined || (from === "" && to === "")) return whole;
  const bytes = await whole.arrayBuffer();
  const start = from === "" ? Math.max(0, bytes.byteLength - Number(to)) : Number(from);
  const end = from === "" || to === "" ? bytes.byteLength - 1 : Math.min(Number(to), bytes.byteLength - 1);
  const headers = { "Content-Type": whole.headers.get("Content-Type"), "Accept-Ranges": "bytes" };
  if (start > end) return new Response(null, { status: 416, headers: { ...headers, "Content-Range": `bytes */${bytes.byteLength}` } });
  return new Response(bytes.slice(start, end + 1), { status: 206, headers: { ...headers, "Content-Range": `bytes ${start}-${end}/${bytes.byteLength}` } });
}
/** Keeps a file, and deletes the oldest ones above the limit. */
async function keepMedia(cache, address, reply) {
  const bytes = await reply.arrayBuffer();
  const size = bytes.byteLength;
  await cache.put(address, new Response(bytes, { headers: { "Content-Type": reply.headers.get("Content-Type"), "X-Size": size } }));
  let total = 0;
  for (const request of (await cache.keys()).reverse()) {
    total += Number((await cache.match(request)).headers.get("X-Size"));
    if (total > MEDIA_BYTES) await cache.delete(request);
  }
}

// ---- Push messages

self.addEventListener("push", (event) => {
  // A push without a visible notification makes browsers end the subscription, so an unreadable message is shown too.
  let notification;
  try { ({ notification } = event.data.json()); } catch { notification = undefined; }
  event.waitUntil((async () => {
    await self.registration.showNotification(notification?.title ?? "Saunter", {
      body: notification?.body ?? "", tag: notification?.tag, lang: notification?.lang, data: notification?.data ?? {},
    });
    await receipt(notification?.data, "delivered_at");
    await wake();
    if (notification?.data?.enrolment_id) await fill(`/my/${notification.data.enrolment_id}`);
  })());
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { enrolment_id: enrolment, occasion_ids: occasions = [], url } = event.notification.data ?? {};
  const path = url ? url : !enrolment ? "/my" : occasions.length === 1 ? `/my/${enrolment}/o/${occasions[0]}` : `/my/${enrolment}`;
  event.waitUntil(Promise.all([receipt(event.notification.data, "opened_at"), self.clients.openWindow(path)]));
});
/** The browser has replaced the subscription: the server gets the new one. Pages do the same at every start. */
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil((async () => {
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open("saunter");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const found = await new Promise((resolve, reject) => {
    const request = database.transaction("meta").objectStore("meta").get("push-device");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  database.close();
  if (!found) return;
  const key = event.oldSubscription?.options.applicationServerKey;
  const subscription = event.newSubscription ?? (key && await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  if (!subscription) return;
  const { endpoint, keys } = subscription.toJSON();
  await fetch(`/v1/account/push-subscriptions/${found.value}`, {
    method: "PUT", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ endpoint, keys }),
  });
})().catch(beacon)));

/** Says that a message was shown or opened. A failure is no fault of the participant, and nothing is lost by it. */
function receipt(data, name) {
  if (!data?.message_id) return undefined;
  return fetch(`/v1/enrolments/${data.enrolment_id}/messages/${data.message_id}/receipt`, {
    method: "PUT", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ [name]: new Date().toISOString() }),
  }).catch(() => {});
}
