// Sending the answers of a question document.

import { sentence, showFaults } from "./faults.js";
import { allWords, ask, field, fields, form, home, isCorrection, key, notice, questionOf, sentences, set, title } from "./form.js";
import { account, remove } from "./outbox.js";
import { make } from "./page.js";
import { channel, makeID, save, state } from "./saving.js";
import { submit } from "./sending.js";
import { go, isPaged, leave, send, steps } from "./steps.js";

/** Whether the entry was changed elsewhere after this page was opened. Without a connection, the newest correction counts. */
async function isOutdated() {
  const sheet = `/v1/enrolments/${home.split("/").at(-1)}/answer-sheets/${field("sheet_id")}`;
  try {
    return (await fetch(sheet, { headers: { "If-None-Match": field("revision_of") }, cache: "no-store" })).status === 200;
  } catch { return false; }
}
/** Sends the answers. They stay in the form if the server refuses them. */
export async function deliver() {
  state.isDone = true;
  await allWords();
  if (isCorrection && await isOutdated()) {
    state.isDone = false;
    return notice(ask.changed_elsewhere, "bad", make("a", { href: `${home}/sheets/${field("sheet_id")}`, textContent: ask.see_answers }));
  }
  const label = send.textContent;
  leave();
  send.setAttribute("aria-disabled", "true");
  send.textContent = ask.sending;
  set("completed_at", new Date().toISOString());
  set("time_zone", Intl.DateTimeFormat().resolvedOptions().timeZone);
  const sheet = field("sheet_id");
  const record = {
    kind: "form", id: isCorrection ? makeID() : sheet, sheet: isCorrection ? sheet : undefined, title,
    fields: fields(),
  };
  const { state: outcome, problem, words = [] } = await submit(record, isCorrection ? undefined : key);
  const address = `${home}/sheets/${sheet}`;
  if (outcome === "sent" || outcome === "waiting") {
    channel.postMessage({ key, account, address: outcome === "sent" ? address : home });
    return location.assign(outcome === "sent" ? `${address}?new=1` : form.dataset.waiting);
  }
  state.isDone = false;
  send.removeAttribute("aria-disabled");
  send.textContent = label;
  const faults = (problem?.errors ?? []).map(({ pointer, code, detail }) => {
    const [, , ...path] = pointer.split("/");
    const question = questionOf({ name: `a.${path.join(".")}` });
    return { question, text: question ? sentence({ code, linkId: question.dataset.linkId, text: code.startsWith("constraint_") ? detail : undefined }) : sentences[code] ?? detail };
  });
  if (outcome === "held" && faults.some(({ question }) => question)) {
    // The answers are still in the form, so the refused record is not needed.
    await remove("held", record.id);
    await save();
    const step = steps().find((step) => step.contains(faults.find(({ question }) => question).question));
    if (isPaged && step) go(step);
    return showFaults(faults);
  }
  if (outcome === "held") return location.assign("/unsent");
  notice(words[0] ?? problem?.detail ?? ask.not_sent, "bad");
}
