// Controls for numbers: a line with a mark, and how a typed number was read.

import { heading } from "./controls.js";
import { fill, make, root } from "./page.js";
import { literal } from "./rules.js";

/** A number that a person typed; null if it is none. */
function typed(text) {
  const form = literal(text);
  return form ? Number(form) : null;
}
const shown = (number) => new Intl.NumberFormat(root.lang, { useGrouping: false, maximumFractionDigits: 15 }).format(number);

/** Prepares a line, or a field for a number. */
export const prepare = (element, page) => element.matches("input") ? echo(element, page) : slider(element, page);

/** A line with a mark. It has no mark until the participant sets it. */
function slider(holder, { ask, changed }) {
  const question = holder.closest(".question");
  const field = holder.querySelector("input");
  const { least, most, step, ends } = holder.dataset;
  const range = make("input", { type: "range", min: least, max: most, step });
  const middle = () => { range.value = (Number(least) + Number(most)) / 2; };
  const mark = () => {
    const value = typed(field.value);
    range.dataset.answered = value === null ? "no" : "yes";
    if (value === null) middle(); else range.value = value;
    range.setAttribute("aria-valuetext", value === null ? ask.unanswered : shown(Number(range.value)));
    range.style.setProperty("--part", (Number(range.value) - least) / (most - least));
  };
  const set = () => { field.value = shown(Number(range.value)); mark(); };
  range.setAttribute("aria-label", `${heading(question)} ${ends}`);
  // The first arrow key places the mark in the middle. Then the arrows move it.
  range.addEventListener("keydown", (event) => {
    if (range.dataset.answered === "yes" || !/^(Arrow|Page)/.test(event.key)) return;
    event.preventDefault();
    middle();
    set();
    changed();
    range.dispatchEvent(new Event("change", { bubbles: true }));
  });
  range.addEventListener("input", set);
  // A tap in the middle changes no value.
  range.addEventListener("click", () => {
    if (range.dataset.answered === "yes") return;
    set();
    range.dispatchEvent(new Event("change", { bubbles: true }));
  });
  for (const name of ["input", "change"]) field.addEventListener(name, mark);
  for (const name of ["cleared", "filled"]) question.addEventListener(name, mark);
  // The number is another way to answer. It is folded away, because a visible number draws answers to round values.
  const number = holder.querySelector(".number");
  const fold = make("details", { className: "skip-reason" }, make("summary", { textContent: ask.type_number }));
  number.replaceWith(fold);
  fold.append(number);
  holder.prepend(range);
  mark();
}
/** States how a number was read, if it is written otherwise. */
function echo(field, { ask }) {
  const note = make("p", { className: "hint note" });
  note.setAttribute("role", "status");
  field.after(note);
  const update = () => {
    const value = typed(field.value);
    const text = value === null ? "" : shown(value);
    note.textContent = text && text !== field.value.trim() ? fill(ask.read_as, { value: text }) : "";
  };
  field.addEventListener("change", update);
  field.closest(".question").addEventListener("cleared", update);
}
