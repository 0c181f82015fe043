// The settings of this device: notifications, the app on the home screen, storage and appearance.

import { device, isPossible, renewed, subscribe, unsubscribe } from "./push.js";

const element = (id) => document.getElementById(id);
element("device").hidden = false;

// ---- Notifications

const state = element("push-state");
const [on, off, test] = ["push-on", "push-off", "push-test"].map(element);
async function showPush() {
  const isOn = isPossible && Notification.permission === "granted" && await device() !== undefined;
  const isDenied = isPossible && Notification.permission === "denied";
  on.hidden = isOn || isDenied || !isPossible;
  off.hidden = test.hidden = !isOn;
  state.textContent = !isPossible ? state.dataset.impossible : isDenied ? state.dataset.denied : isOn ? state.dataset.on : state.dataset.off;
}
/** Runs what a button does, and states a failure. */
const act = (button, action) => button.addEventListener("click", async () => {
  button.setAttribute("aria-busy", "true");
  try {
    await action();
  } catch (error) {
    console.info("notifications:", error.message);
    state.textContent = state.dataset.failed;
  }
  button.removeAttribute("aria-busy");
});
act(on, async () => {
  if (await Notification.requestPermission() === "granted") {
    await subscribe();
    await remindHere();
  }
  await showPush();
});
/** Notifications come first from now on, and the other ways stay. */
async function remindHere() {
  const [, id] = /^\/my\/([0-9a-f-]{36})/.exec(location.pathname);
  const address = `/v1/enrolments/${id}`;
  const { reminder } = await (await fetch(address, { credentials: "same-origin" })).json();
  if (reminder.channels.includes("push")) return;
  const reply = await fetch(address, {
    method: "PATCH", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reminder: { channels: ["push", ...reminder.channels] } }),
  });
  // A participant who has left gets no reminders, and has no such field.
  const field = document.querySelector("[name='channel.push']");
  if (reply.ok && field) field.checked = true;
}
act(off, async () => { await unsubscribe(); await showPush(); });
act(test, async () => {
  const worker = await navigator.serviceWorker.ready;
  await worker.showNotification(state.dataset.title, { body: state.dataset.body, tag: "test", lang: document.documentElement.lang, data: {} });
  state.textContent = state.dataset.shown;
});
renewed.then(showPush);

// ---- The app on the home screen

const install = element("install");
const installed = element("install-state");
const isInstalled = matchMedia("(display-mode: standalone)").matches || navigator.standalone === true;
const isPhone = /iPhone|iPad/.test(navigator.userAgent);
installed.textContent = isInstalled ? installed.dataset.installed : isPhone ? installed.dataset.iphone : installed.dataset.menu;
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  installed.textContent = installed.dataset.ready;
  install.hidden = false;
  install.onclick = async () => {
    install.hidden = true;
    await event.prompt();
    const { outcome } = await event.userChoice;
    installed.textContent = outcome === "accepted" ? installed.dataset.installed : installed.dataset.menu;
  };
});

// ---- Storage

const storage = element("storage-state");
const keep = element("storage-keep");
async function showStorage() {
  if (!navigator.storage?.persisted) return;
  const isKept = await navigator.storage.persisted();
  const { usage = 0 } = await navigator.storage.estimate();
  const size = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(usage / 1e6);
  storage.textContent = `${isKept ? storage.dataset.kept : storage.dataset.mayGo} ${storage.dataset.used.replace("{size}", size)}`;
  keep.hidden = isKept;
}
keep.addEventListener("click", async () => {
  await navigator.storage.persist();
  await showStorage();
});
showStorage().catch((error) => console.info("storage:", error.message));

// ---- Appearance: pages that are kept for times without a connection have the old one

const appearance = element("appearance");
appearance.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const name of await caches.keys()) if (name.startsWith("documents-")) await caches.delete(name);
  HTMLFormElement.prototype.submit.call(appearance);
});
