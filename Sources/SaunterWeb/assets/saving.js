// The draft of a question document, and the other tabs with the same document.

import { allWords, ask, fields, form, isCorrection, key, language, notice, title } from "./form.js";
import { account, saveDraft } from "./outbox.js";
import { fill, make } from "./page.js";
import { current, saved, steps } from "./steps.js";

/** Whether the answers are sent or being sent; when the draft was saved. */
export const state = { isDone: false, savedAt: 0 };

/** Saves the answers on this device, as soon as the form has those of the draft. */
export async function save() {
  if (isCorrection || state.isDone || !("started" in form.dataset)) return;
  const list = steps();
  state.savedAt = Date.now();
  try {
    await saveDraft(key, {
      fields: fields(), title,
      number: (current ? list.indexOf(current) : list.length - 1) + 1, count: list.length, hash: current ? `#${current.id}` : "#review",
    });
    state.savedAt = Date.now();
    saved.textContent = fill(ask.saved, { time: new Date().toLocaleTimeString(language, { timeStyle: "short", hourCycle: "h23" }) });
  } catch (error) {
    console.warn("the draft is not saved:", error.message);
    saved.textContent = ask.not_saved;
  }
}
/** A new id whose beginning is the time (UUID version 7). A page that was kept must not give its id to two sheets. */
export function makeID() {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

export const channel = new BroadcastChannel("saunter-answers");
/** The answers were sent from another tab: this one must not send them again. */
channel.addEventListener("message", async ({ data }) => {
  if (data.key !== key || data.account !== account || state.isDone) return;
  state.isDone = true;
  await allWords();
  notice(ask.sent_elsewhere, "info", make("a", { href: data.address, textContent: ask.see_answers }));
  form.remove();
  document.getElementById("draft")?.remove();
});
