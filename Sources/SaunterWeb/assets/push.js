// Web Push on this device.

const button = document.getElementById("push-on");
const status = document.getElementById("push-status");
const isPossible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** The id of this device's subscription; it stays the same until the browser's data is deleted. */
function deviceID() {
  const id = localStorage.getItem("push-device") ?? crypto.randomUUID();
  localStorage.setItem("push-device", id);
  return id;
}
function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
async function subscribe() {
  const worker = await navigator.serviceWorker.ready;
  const { public_key: key } = await (await fetch("/v1/push-key")).json();
  const subscription = await worker.pushManager.getSubscription()
    ?? await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  const reply = await fetch(`/v1/account/push-subscriptions/${deviceID()}`, {
    method: "PUT", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ endpoint: subscription.endpoint, keys: subscription.toJSON().keys }),
  });
  if (!reply.ok) throw new Error((await reply.json()).detail ?? String(reply.status));
}
if (button && isPossible && Notification.permission !== "denied") {
  button.hidden = Notification.permission === "granted" && localStorage.getItem("push-device") !== null;
  button.addEventListener("click", async () => {
    try {
      if (await Notification.requestPermission() !== "granted") return;
      await subscribe();
      button.hidden = true;
      status.textContent = "✓";
    } catch (error) { status.textContent = error.message; }
  });
  // A browser may drop a subscription by itself, so it is renewed whenever the settings are opened.
  if (button.hidden) subscribe().catch(() => { button.hidden = false; });
}
