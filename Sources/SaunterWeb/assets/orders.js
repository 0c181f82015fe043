// Options and questions in a random order.

import { shuffled } from "./controls.js";
import { form, set } from "./form.js";

/** Shows options or children in a random order, and records it. Exclusive options stay at the end. */
export function shuffle(recorded = {}) {
  const orders = {};
  for (const question of form.querySelectorAll(".question[data-shuffle]")) {
    if (question.closest(".instance, template")) continue;
    const { linkId } = question.dataset;
    const entries = question.matches(".group") ? [...question.querySelectorAll(":scope > .question")] : [...question.querySelectorAll(":scope > fieldset > .options > [data-option], :scope > fieldset > ol > [data-option]")];
    const name = (entry) => entry.dataset.option ?? entry.dataset.linkId;
    const isFixed = (entry) => "exclusive" in entry.dataset;
    const known = recorded[linkId];
    const order = known ? [...entries].sort((a, b) => known.indexOf(name(a)) - known.indexOf(name(b)))
      : [...shuffled(entries.filter((entry) => !isFixed(entry))), ...entries.filter(isFixed)];
    const anchor = entries.at(-1)?.nextSibling;
    for (const entry of order) entry.parentElement.insertBefore(entry, anchor);
    orders[linkId] = order.map(name);
  }
  if (Object.keys(orders).length) set("presented", JSON.stringify(orders));
}
