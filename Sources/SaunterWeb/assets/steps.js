// The steps of a question document: a question, an instance of a repeating group, or a table. One step is on the screen.

import { allWords, ask, button, form, main, set, title } from "./form.js";
import { afterFrame, fill, make } from "./page.js";

let formTitle = main.querySelector("h1");
const lead = document.getElementById("lead");
const back = main.querySelector(".back");
const actions = document.getElementById("submit-actions");
export const send = actions.querySelector("button");
const count = make("p", { className: "count" });
const progress = make("progress");
export const previous = button(ask.previous, "plain previous");
export const next = button(ask.continue, "primary");
export const skip = button(ask.skip, "plain");
export const saved = make("p", { className: "small saved" });
export const review = make("section", { className: "review off", id: "review" }, make("h1", { textContent: ask.review }));
const pageTitle = document.title.replace(`${ask.error} `, "");

export function steps() {
  const list = [];
  (function collect(parent) {
    for (const element of parent.children) {
      if (element.hidden || !element.matches(".question")) continue;
      const instances = element.dataset.type === "group" ? element.querySelectorAll(":scope > fieldset > .instance") : [];
      if (instances.length) list.push(...instances);
      else if (element.matches(".group:not(.table)")) collect(element);
      else list.push(element);
    }
  })(form);
  return list;
}
/** Whether the questions are shown one at a time. */
export const isPaged = steps().length > 1;
export const isQuestion = (step) => step.dataset.type !== "display";
/** A short questionnaire is sent from its last question, and a practice ends with its last exercise. */
export const hasReview = (list = steps()) => !("practice" in form.dataset) && list.filter(isQuestion).length > 3;
/** The step on the screen; null on the review. @type {HTMLElement | null} */
export let current = null;
/** Whether the participant came from the review to change one answer. */
let isChange = false;

/** Replaces an element by one with another name, such as a heading of another level. */
function rename(element, name) {
  const other = make(name, { className: element.className }, ...element.childNodes);
  element.replaceWith(other);
  return other;
}
/** Every step has its own heading of the first level. */
export function prepareHeadings(within) {
  for (const heading of within.querySelectorAll(".group-title")) rename(heading, heading.closest(".table") ? "h1" : "p");
  for (const heading of within.querySelectorAll("h2.ask, h3.ask, h4.ask")) {
    const inner = heading.closest(".table") || (heading.closest(".instance") && !heading.matches(".instance > legend > *"));
    rename(heading, inner ? "h2" : "h1");
  }
  for (const story of within.querySelectorAll(".story")) {
    const group = story.closest(".group")?.querySelector(".group-title")?.textContent;
    const heading = story.closest(".question").querySelector(".story-title");
    heading.textContent = group ?? title;
    rename(heading, "h1");
  }
}
/** Puts the parts of the steps around the form. */
export function prepareSteps() {
  form.classList.add("paged");
  formTitle = rename(formTitle, "p");
  formTitle.className = "form-title";
  prepareHeadings(form);
  form.prepend(make("div", { className: "step-bar" }, previous, count, progress));
  actions.before(review);
  actions.prepend(next);
  actions.append(skip);
  actions.after(saved);
}
/** @param {HTMLElement | null} step null: the review */
export function show(step, focus = true) {
  leave();
  for (const media of form.querySelectorAll("audio, video")) media.pause();
  current = step;
  const path = new Set();
  for (let node = step; node && node !== form; node = node.parentElement) path.add(node);
  for (const element of form.querySelectorAll(".question, .instance")) element.classList.toggle("off", !path.has(element) && !step?.contains(element));
  for (const element of form.querySelectorAll(".group-title")) element.classList.toggle("off", step?.dataset.type === "display" || (step?.matches(".instance") && !step.contains(element)));
  const list = steps();
  const index = step ? list.indexOf(step) : list.length;
  const isLast = index === list.length - 1 && !hasReview(list);
  review.classList.toggle("off", step !== null);
  next.classList.toggle("off", step === null || isLast);
  send.classList.toggle("off", step !== null && !isLast);
  skip.classList.toggle("off", !step || isLast || !isOptional(step));
  previous.classList.toggle("off", index === 0);
  back?.classList.toggle("off", index > 0);
  formTitle.classList.toggle("off", step?.querySelector("h1")?.textContent === title);
  lead?.classList.toggle("off", index > 0);
  const text = step ? fill(ask.of, { number: index + 1, count: list.length }) : ask.review;
  count.textContent = step ? text : "";
  progress.max = list.length || 1;
  progress.value = index;
  progress.setAttribute("aria-label", text);
  if (!step) {
    review.querySelector("dl")?.remove();
    loadEnd();
  }
  timed = performance.now();
  if (focus) scrollTo({ top: 0 });
  const before = document.activeElement;
  afterFrame(() => {
    if (current !== step) return;
    document.title = `${document.getElementById("errors") ? `${ask.error} ` : ""}${text} · ${pageTitle}`;
    // Something else may have the focus by now, such as the summary of faults.
    if (!focus || ![before, document.body].includes(document.activeElement)) return;
    const target = (step ?? review).querySelector("h1") ?? step ?? review;
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  });
}
/** Loads what the end of the questionnaire needs; without a connection, as soon as there is one. An open review gets its answers. */
export async function loadEnd() {
  try {
    const [{ finish }] = await Promise.all([import("./finishing.js"), allWords()]);
    if (isPaged && !current && !review.querySelector("dl")) finish.fillReview(steps());
  } catch (error) {
    console.info("not loaded:", error.message);
    addEventListener("online", loadEnd, { once: true });
  }
}
const isOptional = (step) => isQuestion(step) && !step.matches(".instance") && ![step, ...step.querySelectorAll(".question")].some((question) => "required" in question.dataset);

/** Shows a step as a new entry of the history. */
export function go(step) {
  show(step);
  afterFrame(() => {
    history.pushState({}, "", `#${step ? step.id : "review"}`);
    dispatchEvent(new Event("saunter-step"));
  });
}
/** Shows a step from the review, and comes back after it. */
export function change(step) {
  isChange = true;
  go(step);
}
/**
 * Moves to the next step, or back to the review after a change.
 * @param {(step: HTMLElement) => boolean} isOpen whether a step needs an answer
 */
export function advance(isOpen) {
  const list = steps();
  if (isChange) {
    // A change can lead to further questions.
    const open = list.slice(list.indexOf(current) + 1).find(isOpen);
    if (!open) isChange = false;
    return go(open ?? null);
  }
  go(list[list.indexOf(current) + 1] ?? null);
}
/** The step of the fragment; undefined if there is none. */
export function stepOf(hash) {
  if (hash === "#review" && hasReview()) return null;
  const element = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  return steps().find((step) => step.contains(element));
}

export function removeFaults() {
  const found = main.querySelectorAll("#errors, .fault");
  if (!found.length) return;
  for (const element of found) element.remove();
  for (const element of form.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
  document.title = document.title.replace(`${ask.error} `, "");
}

// ---- Times: how long each step was on the screen

export const times = {};
let timed = performance.now();
/** Adds the time since the step was shown. */
export function leave() {
  const now = performance.now();
  if (current && document.visibilityState === "visible") addTime(now);
  timed = now;
}
function addTime(now) {
  const { linkId } = (current.closest(".question") ?? current).dataset;
  times[linkId] = Math.min(Math.round((times[linkId] ?? 0) + now - timed), 86_400_000);
  set("timings", JSON.stringify(times));
}
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden" && current) addTime(performance.now());
  timed = performance.now();
});
