// Drafts: answers that were begun on this device.

import { ask, button, form, key, language, set, title } from "./form.js";
import { removeDraft } from "./outbox.js";
import { fill, make } from "./page.js";
import { show, stepOf, steps, times } from "./steps.js";

/**
 * Puts the values of a draft into the form. The version of the questionnaire stays that of the document.
 * @param {Map<string, object>} groups the repeating groups of the form
 */
export function restore(fields, groups) {
  const values = new Map();
  for (const [name, value] of fields) values.set(name, [...values.get(name) ?? [], value]);
  for (const [group, { insert, number }] of groups) {
    const numbers = new Set(fields.map(([name]) => new RegExp(`^a\\.${group}\\.(\\d+)\\.`).exec(name)?.[1]).filter(Boolean).map(Number));
    for (const index of [...numbers].sort((a, b) => a - b)) if (!document.getElementById(`q-${group}-${index}`)) insert(index);
    number.value = Math.max(Number(number.value), ...[...numbers].map((index) => index + 1));
  }
  for (const [name, [value]] of values) {
    const [, base, part] = /^(a\..*)\.(lat|lon|accuracy_m)$/.exec(name) ?? [];
    if (!base || form.elements[name]) continue;
    const holder = form.querySelector(`[data-name="${CSS.escape(base.replace(/\[\d+\]$/, ""))}"]`);
    let place = holder?.querySelector(`.place[data-base="${CSS.escape(base)}"]`);
    if (holder && !place) { place = make("div", { className: "place" }); place.dataset.base = base; holder.querySelector(".actions").before(place); }
    place?.append(make("input", { type: "hidden", name: `${base}.${part}`, value }));
  }
  for (const control of form.elements) {
    if (!/^[ar]\./.test(control.name)) continue;
    const given = values.get(control.name) ?? [];
    if (control.type === "radio" || control.type === "checkbox") control.checked = given.includes(control.value);
    else if (given.length) control.value = given[0];
  }
  for (const name of ["sheet_id", "started_at", "timings"]) if (values.has(name)) set(name, values.get(name)[0]);
  Object.assign(times, JSON.parse(values.get("timings")?.[0] || "{}"));
  for (const question of form.querySelectorAll(".question")) question.dispatchEvent(new Event("filled"));
  for (const choice of form.querySelectorAll(".options")) choice.dispatchEvent(new Event("change"));
}
/** Asks whether to go on with a draft. */
export function offer(draft) {
  const time = new Date(draft.at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  const go = button(fill(ask.draft_continue, { number: draft.number, count: draft.count }), "primary");
  const again = button(ask.draft_again);
  const heading = make("h1", { textContent: title, tabIndex: -1 });
  const panel = make("section", { className: "card", id: "draft" }, heading, make("p", { textContent: fill(ask.draft, { time }) }), make("p", { className: "actions" }, go, again));
  form.classList.add("off");
  form.before(panel);
  const close = () => { panel.remove(); form.classList.remove("off"); };
  go.addEventListener("click", () => { close(); show(stepOf(draft.hash) ?? steps()[0]); });
  again.addEventListener("click", async () => {
    await removeDraft(key);
    location.replace(location.pathname + location.search);
  });
  heading.focus();
}
