// Logging out, and what the device forgets then.

import { account, flush, get, overview } from "./outbox.js";
import { counted, make, texts } from "./page.js";
import { forget, keepKey, seal, unseal } from "./sealing.js";
import { unsubscribe } from "./push.js";

/** What other pages need: the key for locking, and unlocking what the account locked. */
export const locked = { keepKey, unseal };

/** Logs out at once, or asks first what happens with the records that are not sent yet. */
export async function logOut(form) {
  const leave = async () => {
    // The next person on this device must not see reminders.
    await unsubscribe().catch((error) => console.info("notifications:", error.message));
    await forget();
    await forgetDocuments();
    HTMLFormElement.prototype.submit.call(form);
  };
  const count = await countUnsent();
  if (count) ask(await texts("status"), count, leave);
  else await leave();
}
async function countUnsent() {
  const { waiting, held } = await overview();
  return waiting.length + held.length;
}
/** After an erasure the device keeps no pages, and nothing of an account that no longer exists. */
export async function forgetErased() {
  const { value: digest } = await get("meta", "account") ?? {};
  if (digest && !account) await forget(digest, true);
  await forgetDocuments();
}
/** Deletes what this device has of an account that another account has adopted. */
export const forgetAdopted = (digest) => forget(digest, true);
async function forgetDocuments() {
  for (const name of await caches.keys()) if (name.startsWith("documents-") || name === "media") await caches.delete(name);
}
/** Asks what happens with the records that are not sent yet. */
function ask(words, count, leave) {
  const note = make("p", { role: "status" });
  const dialog = make("dialog", { id: "leaving" },
    make("h2", { id: "leaving-title", textContent: words.logout_title }), make("p", { textContent: counted(words, "logout_text", count) }), note);
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
    await flush({ isUrgent: true });
    const left = await countUnsent();
    if (left) note.textContent = counted(words, "logout_left", left);
    else await leave();
  }, "primary");
  offer(words.logout_seal, async () => {
    try {
      await seal();
      await leave();
    } catch { note.textContent = words.logout_not_sealed; }
  });
  offer(words.logout_discard, () => { if (confirm(counted(words, "logout_sure", count))) leave(); }, "danger");
  offer(words.logout_cancel, () => dialog.close());
  dialog.append(actions);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  first.focus();
}
