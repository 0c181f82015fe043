// The form of a question document: its fields, its items, its words, and what the rules say about its answers.

import { make, root, texts } from "./page.js";
import { judge } from "./rules.js";

export const form = document.getElementById("questions");
export const main = document.getElementById("main") ?? document.body;
export const rules = JSON.parse(document.getElementById("rules").textContent);
export const { zone, home, title } = form.dataset;
export const language = root.lang;
/** The words that every question needs. `allWords` adds the others. */
export const { ask } = rules;
/** The sentences of faults, by code. */
export const sentences = {};
let loading;
/** Loads the words that only some questions need. */
export const allWords = () => loading ??= Promise.all([texts("ask"), texts("fault")]).then(([more, faults]) => {
  Object.assign(ask, more);
  Object.assign(sentences, faults);
}).catch((error) => {
  loading = undefined;
  throw error;
});

export const field = (name) => form.elements[name]?.value;
/** The fields as pairs of name and value. For a text of several lines, `FormData` would lay out the whole page first. */
export const fields = () => [...form.elements].filter((element) => element.matches("input, select, textarea") && element.name && !element.disabled
  && (!["radio", "checkbox"].includes(element.type) || element.checked)).map(({ name, value }) => [name, value]);
/** Sets a hidden field. */
export function set(name, value) {
  const hidden = form.elements[name] ?? form.appendChild(make("input", { type: "hidden", name }));
  hidden.value = value;
}
export const isCorrection = Boolean(field("revision_of"));
/** The draft of this document. A document after its window has the same draft. */
export const key = location.pathname + location.search.replace(/[?&]late=1/, "");

/** The items by linkId, with those of groups. */
export const items = new Map();
(function collect(list) { for (const item of list) { items.set(item.linkId, item); collect(item.item ?? []); } })(rules.item);
/** The value of an option whose text is in the form. */
export const option = (linkId, text) => items.get(linkId).answerOption.find(({ value }) => String(value) === text).value;
/** The element of an item: `a.meals.0.what` is in `q-meals-0-what`. */
export const questionOf = ({ name, linkId }) => document.getElementById(`q-${(name ?? `a.${linkId}`).replace(/^a\./, "").replace(/[.[].*$/, (rest) => /^\.\d+\.[a-z]/.test(rest) ? rest.replace(/\./g, "-") : "")}`);

const status = form.appendChild(make("p", { className: "visually-hidden" }));
status.setAttribute("role", "status");
/** Announces a change that a screen reader does not notice. */
export const say = (text) => { status.textContent = text; };
export const button = (textContent, className = "") => make("button", { type: "button", textContent, className });
/** A notice above the form. */
export function notice(text, kind, ...children) {
  document.getElementById("notice")?.remove();
  const banner = make("div", { className: `banner ${kind}`, id: "notice" }, make("p", { textContent: text }), ...children);
  banner.setAttribute("role", kind === "bad" ? "alert" : "status");
  form.before(banner);
}

/** What the rules say about the answers. */
export let judgement;
/** Judges the answers, and shows what the rules show. */
export function update() {
  judgement = judge(rules, new URLSearchParams(fields()), { zone, now: new Date() });
  for (const question of form.querySelectorAll(".question")) {
    const { linkId } = question.dataset;
    const instance = question.closest(".instance");
    question.hidden = instance
      ? judgement.hiddenInInstances?.has(`${instance.closest("[data-group]").dataset.group}.${instance.dataset.number}.${linkId}`) ?? false
      : items.has(linkId) && !judgement.shown.has(linkId);
    const withheld = instance ? undefined : judgement.withheld.get(linkId);
    for (const label of question.querySelectorAll(":scope > fieldset > .options > label[data-option]")) {
      label.hidden = withheld?.has(label.dataset.option) ?? false;
      if (label.hidden) label.querySelector("input").checked = false;
    }
  }
  set("shown", [...judgement.shown].join(" "));
}
/** The faults in a step, in the order of its fields: the element, and the fault. */
export function faultsIn(step) {
  const found = judgement.faults.map((fault) => ({ question: questionOf(fault), fault })).filter(({ question }) => question && step.contains(question));
  for (const question of [step, ...step.querySelectorAll(".question")]) {
    const add = (code) => { if (!found.some((one) => one.question === question)) found.push({ question, fault: { code, linkId: question.dataset.linkId } }); };
    const control = question.querySelector(":scope > * > input, :scope > fieldset > .parts input:invalid");
    if (question.querySelector(".question") || question.hidden) continue;
    // The browser keeps an incomplete date to itself.
    if ([...question.querySelectorAll("input")].some((input) => input.validity.badInput)) add(control?.type === "time" ? "invalid_time" : question.dataset.type === "dateTime" ? "invalid_date_time" : "invalid_date");
    const pairs = question.querySelector("[data-compare] .pairs:not([hidden])");
    if (pairs && question.querySelector("[name$='.comparisons']").value) add("incomplete_ranking");
  }
  return found;
}
