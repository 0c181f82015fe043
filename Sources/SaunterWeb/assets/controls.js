// The controls of questions that need more than the browser's own. Every control keeps its value in the fields that the
// form has without script. Rare controls are scripts of their own: numbers, rankings and locations.

import { fill, make, root } from "./page.js";

/** The words of a question: its heading. */
export const heading = (question) => question.querySelector(".ask, .story")?.textContent.trim() ?? "";
/** Whether a control contributes to the answer: reasons and tools do not. */
const isAnswer = (control) => control.name?.startsWith("a.") && !control.name.endsWith(".unit");

/** The rare controls: a selector, and the script that prepares such an element. */
const rareControls = {
  "[data-slider], input[data-number]": () => import("./numbers.js"),
  "[data-compare], ol[data-ranking]": () => import("./rankings.js"),
  "[data-location]": () => import("./locations.js"),
};
/** Selector -> prepares an element. */
const loaded = new Map();
/** Loads the rare controls that a form has, also in the templates of repeating groups. Returns whether they need all words. */
export async function loadControls(form) {
  const parts = [form, ...[...form.querySelectorAll("template")].map(({ content }) => content)];
  const needed = Object.entries(rareControls).filter(([selector]) => parts.some((part) => part.querySelector(selector)));
  const scripts = await Promise.all(needed.map(async ([selector, load]) => [selector, await load()]));
  for (const [selector, { prepare }] of scripts) loaded.set(selector, prepare);
  return scripts.some(([, { needsAllWords }]) => needsAllWords);
}
/**
 * Prepares the controls below an element, whose rare controls are loaded.
 * @param {ParentNode} within
 * @param {{ask: object, say: (text: string) => void, changed: () => void, option: (linkId: string, text: string) => *}} page
 *   the words; a polite announcement; called after a change by script; the value of an option whose text is in the form
 */
export function enhance(within, page) {
  const each = (selector, prepare) => { for (const element of within.querySelectorAll(selector)) prepare(element, page); };
  for (const [selector, prepare] of loaded) each(selector, prepare);
  each("[data-longest]", counter);
  each(".options", longList);
  each("input.other", (field) => {
    const chosen = document.getElementById(`${field.id}-chosen`);
    const update = () => { field.hidden = field.disabled = !chosen.checked; };
    field.closest(".options").addEventListener("change", update);
    field.closest(".question").addEventListener("cleared", update);
    update();
  });
  each(".question", (question) => {
    if (question.matches(".group")) return;
    exclusive(question, page);
    clearable(question, page);
  });
}

// ---- Clearing

/** Removes the answer of a question, also the reason for a blank. */
export function clear(question) {
  for (const control of question.querySelectorAll("input, select, textarea")) {
    if (control.type === "radio" || control.type === "checkbox") control.checked = false;
    else if (control.name?.startsWith("a.")) control.value = "";
  }
  question.dispatchEvent(new Event("cleared"));
}
/** Whether a question has an answer. */
export function isAnswered(question) {
  return [...question.querySelectorAll("input, select, textarea")].some((control) => isAnswer(control) && !control.disabled && !control.closest("[hidden]")
    && (control.type === "radio" || control.type === "checkbox" ? control.checked : control.value.trim() !== ""));
}
/** A button that clears radio buttons and lines, which cannot be emptied otherwise. */
function clearable(question, { ask, say, changed }) {
  const choices = question.querySelector(".options:has([type=radio]), .scale, [data-slider]");
  if (!choices || question.querySelector(".question")) return;
  const button = make("button", { type: "button", className: "plain clear", textContent: ask.clear });
  const update = () => { button.hidden = !isAnswered(question); };
  button.addEventListener("click", () => {
    clear(question);
    say(ask.cleared);
    changed();
    question.querySelector("input:not([hidden])")?.focus();
  });
  for (const name of ["input", "change", "cleared", "filled"]) question.addEventListener(name, update);
  (choices.nextElementSibling?.matches(".ends") ? choices.nextElementSibling : choices).after(button);
  update();
}
/** An exclusive option, and a reason for a blank, exclude everything else. */
function exclusive(question, { ask, say }) {
  const name = (input) => input.closest(".option").textContent.trim();
  question.addEventListener("change", ({ target }) => {
    if (["radio", "checkbox"].includes(target.type) && !target.checked) return;
    if (target.name?.startsWith("r.")) {
      for (const control of question.querySelectorAll("input, select, textarea")) {
        if (control === target) continue;
        if (control.type === "radio" || control.type === "checkbox") control.checked = control === target;
        else if (control.name?.startsWith("a.")) control.value = "";
      }
      question.dispatchEvent(new Event("cleared"));
      return;
    }
    if (isAnswer(target) || target.type === "range") for (const reason of question.querySelectorAll('[name^="r."]')) reason.checked = false;
    if (target.type !== "checkbox") return;
    const isOnly = "exclusive" in target.closest(".option").dataset;
    const excluded = [...question.querySelectorAll("[type=checkbox]:checked")].filter((other) => other !== target && (isOnly || "exclusive" in other.closest(".option").dataset));
    const other = isOnly ? question.querySelector("[name$='.other']") : null;
    if (other) other.value = "";
    for (const input of excluded) input.checked = false;
    if (excluded.length) say(isOnly ? fill(ask.only, { name: name(target) }) : excluded.map((input) => fill(ask.no_longer, { name: name(input) })).join(" "));
  });
}

// ---- Texts and lists

/** Counts the characters that are left, when few are left. */
function counter(field, { ask }) {
  const most = Number(field.dataset.longest);
  const note = make("p", { className: "hint note" });
  note.setAttribute("role", "status");
  field.after(note);
  let timer;
  const update = () => {
    const left = most - [...field.value].length;
    note.textContent = left > most / 5 ? "" : fill(left < 0 ? ask.over : ask.left, { count: Math.abs(left) });
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(update, 600); });
}
/** A field that filters more than 15 options. */
function longList(options, { ask }) {
  const labels = [...options.querySelectorAll("label.option")];
  if (labels.length <= 15) return;
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase(root.lang).trim();
  const id = `${options.closest(".question").id}-find`;
  const field = make("input", { type: "search", id, autocomplete: "off" });
  const note = make("p", { className: "hint" });
  note.setAttribute("role", "status");
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const wanted = plain(field.value);
    let count = 0;
    for (const label of labels) {
      const isFound = plain(label.textContent).includes(wanted) || label.querySelector("input").checked;
      label.classList.toggle("off", !isFound);
      if (isFound && !label.hidden) count++;
    }
    note.textContent = wanted ? fill(count === 1 ? ask.one_match : ask.matches, { count }) : "";
  });
  // Enter would send the form.
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  field.addEventListener("change", (event) => event.stopPropagation());
  options.before(make("div", { className: "field find" }, make("label", { htmlFor: id, textContent: ask.find }), field, note));
}
/** A random order of a list. */
export function shuffled(list) {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}
