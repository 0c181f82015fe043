// Keeps the style sheet, the scripts and the participant's pages for times without a connection.

const ASSETS = "shell-__DIGEST__";
const FILES = [__FILES__];
const PAGES = "documents-1";
const WAIT = 2500;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(ASSETS).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell-") && name !== ASSETS) await caches.delete(name);
    await self.clients.claim();
  })());
});

/** Pages of a participant that may be kept. Settings, and pages about accounts, are not. */
const mayKeep = (url) => /^\/my\/[0-9a-f-]{36}(\/(o|q)\/[^/]+|\/(course|licences|entries|insights|more|walk|walks))?$/.test(url.pathname);

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(request, { cacheName: ASSETS }).then((hit) => hit ?? fetch(request)));
  } else if (request.mode === "navigate") {
    event.respondWith(page(request, url));
  }
});

async function page(request, url) {
  const cache = await caches.open(PAGES);
  const kept = await cache.match(url.pathname);
  const live = fetch(request).then(async (reply) => {
    if (reply.ok && !reply.redirected && mayKeep(url)) {
      await cache.put(url.pathname, reply.clone());
      if (/^\/my\/[0-9a-f-]{36}$/.test(url.pathname)) await keepQuestions(cache, reply.clone());
    }
    return reply;
  });
  live.catch(() => {});
  try {
    if (!kept) return await live;
    const late = new Promise((resolve) => setTimeout(() => resolve(kept), WAIT));
    return await Promise.race([live, late]);
  } catch {
    return kept ?? await caches.match("/offline", { cacheName: ASSETS }) ?? Response.error();
  }
}

/** Keeps the questionnaires to which the page Today leads. */
async function keepQuestions(cache, reply) {
  const text = await reply.text();
  const links = new Set([...text.matchAll(/href="(\/my\/[0-9a-f-]{36}\/(?:o|q)\/[^"/]+)"/g)].map((match) => match[1]));
  for (const link of [...links].slice(0, 40)) {
    if (await cache.match(link)) continue;
    const document = await fetch(link, { credentials: "same-origin" }).catch(() => null);
    if (document?.ok && !document.redirected) await cache.put(link, document);
  }
}

self.addEventListener("push", (event) => {
  const { notification } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(notification?.title ?? "Saunter", {
    body: notification?.body ?? "", tag: notification?.tag, lang: notification?.lang, data: notification?.data ?? {},
  }).then(() => receipt(notification?.data, "delivered_at")));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { enrolment_id: enrolment, occasion_ids: occasions = [] } = event.notification.data;
  const path = !enrolment ? "/my" : occasions.length === 1 ? `/my/${enrolment}/o/${occasions[0]}` : `/my/${enrolment}`;
  event.waitUntil(Promise.all([receipt(event.notification.data, "opened_at"), self.clients.openWindow(path)]));
});

/** Says that a message was shown or opened. A failure is no fault of the participant, and nothing is lost by it. */
function receipt(data, name) {
  if (!data?.message_id) return undefined;
  return fetch(`/v1/enrolments/${data.enrolment_id}/messages/${data.message_id}/receipt`, {
    method: "PUT", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ [name]: new Date().toISOString() }),
  }).catch(() => {});
}
