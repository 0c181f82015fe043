// Question documents: one question at a time, conditions, drafts, and sending also without a connection.

import { clear, enhance, loadControls } from "./controls.js";
import { allWords, ask, faultsIn, field, form, isCorrection, judgement, key, notice, option, questionOf, rules, say, set, update } from "./form.js";
import { getDraft } from "./outbox.js";
import { afterFrame } from "./page.js";
import { prepare } from "./rules.js";
import { makeID, save, state } from "./saving.js";
import { advance, current, go, isPaged, loadEnd, next, prepareSteps, previous, removeFaults, saved, show, skip, stepOf, steps } from "./steps.js";

const { closes, closing } = form.dataset;
/** Whether a text was typed that is not judged yet; whether anything was answered. */
let isTyping = false, isTouched = false;
let typing;
function changed() {
  clearTimeout(typing);
  isTyping = false;
  isTouched = true;
  update();
  afterFrame(save);
}
/** Whether the step may be left. Otherwise its faults are shown. */
function pass(step) {
  if (isTyping) changed();
  const faults = faultsIn(step);
  if (faults.length) present(faults);
  else removeFaults();
  return !faults.length;
}
async function present(faults) {
  try {
    await (await import("./finishing.js")).finish.showFaults(faults);
  } catch (error) {
    console.warn("faults are not shown:", error.message);
    faults[0].question?.querySelector("input, textarea, select")?.focus();
  }
}
const page = { ask, say, changed, option, pass };
/** Repeating groups by linkId. */
const groups = new Map();

// ---- Events

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (state.isDone || document.getElementById("draft")) return;
  update();
  const list = isPaged ? steps() : [form];
  const faulty = list.find((step) => faultsIn(step).length);
  const general = judgement.faults.filter((fault) => !questionOf(fault)).map((fault) => ({ fault }));
  if (faulty || general.length) {
    if (faulty && isPaged && faulty !== current) go(faulty);
    return present(faulty ? faultsIn(faulty) : general);
  }
  try {
    await (await import("./finishing.js")).finish.deliver();
  } catch (error) {
    state.isDone = false;
    console.warn("the answers are not sent:", error.message);
    notice(ask.not_sent, "bad");
  }
});
form.addEventListener("change", changed);
form.addEventListener("input", () => { isTyping = true; clearTimeout(typing); typing = setTimeout(changed, 400); });
/** Loads what the end of the questionnaire needs, because the connection can be lost before it. */
form.addEventListener("input", () => setTimeout(loadEnd, 1000), { once: true });
// The draft remembers the step. It is saved after the step is on the screen. A practice can be left before the first answer.
addEventListener("saunter-step", () => { if (state.savedAt || "practice" in form.dataset) save(); });
document.addEventListener("visibilitychange", async () => {
  // What was typed a moment ago is not lost when the page is left.
  if (document.visibilityState === "hidden" && isTyping) {
    update();
    return save();
  }
  // Another tab may have changed the draft.
  if (document.visibilityState !== "visible" || state.isDone || isCorrection || document.getElementById("draft")) return;
  const draft = await getDraft(key);
  if (!draft || draft.at <= state.savedAt || !state.savedAt) return;
  (await import("./drafts.js")).restore(draft.fields, groups);
  update();
  state.savedAt = draft.at;
  if (isPaged) show(current && current.isConnected && !current.hidden ? current : steps()[0], false);
});
// The window closes while the page is open.
if (closes) {
  const wait = () => {
    const rest = Date.parse(closes) - Date.now();
    if (rest <= 0) notice(closing, "info");
    else setTimeout(wait, Math.min(rest + 500, 3_600_000));
  };
  wait();
}
function startSteps() {
  prepareSteps();
  next.addEventListener("click", () => { if (pass(current)) advance((step) => faultsIn(step).length); });
  skip.addEventListener("click", () => {
    for (const question of [current, ...current.querySelectorAll(".question")]) clear(question);
    changed();
    removeFaults();
    advance((step) => faultsIn(step).length);
  });
  previous.addEventListener("click", () => {
    removeFaults();
    const list = steps();
    go(list[(current ? list.indexOf(current) : list.length) - 1]);
  });
  // Enter in a field continues. Only the last step sends.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
    if (!next.classList.contains("off")) { event.preventDefault(); next.click(); }
  });
  addEventListener("popstate", () => {
    removeFaults();
    show(stepOf(location.hash) ?? (location.hash === "#review" ? null : steps()[0]));
    afterFrame(() => dispatchEvent(new Event("saunter-step")));
  });
}

// ---- Start

async function start() {
  const wasRefused = Boolean(document.getElementById("errors"));
  const opened = location.hash;
  await prepare(rules);
  // One question is shown at once, before the draft is read.
  update();
  if (isPaged) {
    startSteps();
    show(stepOf(location.hash) ?? steps()[0], false);
  }
  form.classList.add("ready");
  let draft;
  if (!isCorrection && !wasRefused) {
    set("started_at", new Date().toISOString());
    set("sheet_id", makeID());
    try { draft = await getDraft(key); } catch (error) { console.warn("drafts cannot be read:", error.message); saved.textContent = ask.not_saved; }
  }
  // The offer of the draft follows as soon as it is prepared.
  if (draft && isPaged && !location.hash) form.classList.add("off");
  const needsWords = await loadControls(form);
  if (draft || needsWords || form.querySelector("[data-group]")) await allWords();
  const version = draft && new Map(draft.fields).get("version");
  if (!isCorrection && !wasRefused && form.querySelector("[data-shuffle]")) {
    const presented = draft && version === field("version") ? new Map(draft.fields).get("presented") : undefined;
    (await import("./orders.js")).shuffle(JSON.parse(presented || "{}"));
  }
  enhance(form, page);
  for (const holder of form.querySelectorAll("[data-group]")) {
    const { prepareInstances } = await import("./instances.js");
    groups.set(holder.dataset.group, prepareInstances(holder, page));
  }
  const drafts = draft && await import("./drafts.js");
  drafts?.restore(draft.fields, groups);
  update();
  if (draft && version !== field("version")) notice(ask.updated, "info");
  form.dataset.started = "";
  // A quick participant has answered already.
  if (isTouched) afterFrame(save);
  if (!isPaged) return;
  const isReload = draft && opened && stepOf(location.hash) !== undefined;
  // A quick participant is at a later question already.
  if (!isReload && !wasRefused && opened && location.hash === opened) history.replaceState({}, "", location.pathname + location.search);
  const refused = wasRefused && form.querySelector(".question:not(.group) .fault");
  show(isReload ? stepOf(location.hash) : steps().find((step) => refused && step.contains(refused)) ?? current ?? steps()[0], false);
  if (draft && !isReload) drafts.offer(draft);
}
start().catch((error) => {
  // The questions can be answered and sent. The draft stays as it is.
  form.classList.remove("off");
  throw error;
});
