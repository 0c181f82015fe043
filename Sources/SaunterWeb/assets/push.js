// Web Push on this device: subscribes, renews the subscription at every start, and ends it.

import { get, run } from "./outbox.js";

const headers = { "Content-Type": "application/json" };
export const isPossible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** The id of this device's subscription; undefined if notifications are off. */
export const device = async () => (await get("meta", "push-device"))?.value;
const address = (id) => `/v1/account/push-subscriptions/${id}`;

/** The key of the server, as the browser wants it. */
async function serverKey() {
  const { public_key: text } = await (await fetch("/v1/push-key")).json();
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
/** Subscribes if there is no subscription, or if it belongs to another key, and registers it. */
export async function subscribe() {
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = await serverKey();
  let subscription = await pushManager.getSubscription();
  const usedKey = subscription?.options?.applicationServerKey;
  if (usedKey && String(new Uint8Array(usedKey)) !== String(key)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const id = await device() ?? crypto.randomUUID();
  const { endpoint, keys } = subscription.toJSON();
  const reply = await fetch(address(id), { method: "PUT", credentials: "same-origin", headers, body: JSON.stringify({ endpoint, keys }) });
  if (!reply.ok) throw new Error((await reply.json()).title ?? String(reply.status));
  await run(["meta"], (open) => open("meta").put({ key: "push-device", value: id }));
}
/** Ends the notifications on this device. The push service stops at once, even if the server cannot be reached. */
export async function unsubscribe() {
  const id = await device();
  if (!id) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  // The server deletes it after the next message.
  await fetch(address(id), { method: "DELETE", credentials: "same-origin" }).catch(() => {});
  await run(["meta"], (open) => open("meta").delete("push-device"));
}

/** Browsers drop subscriptions by themselves, so it is renewed at every start. */
async function renew() {
  if (isPossible && Notification.permission === "granted" && await device()) await subscribe();
}
// No connection: the next start tries again.
export const renewed = renew().catch(() => {});
