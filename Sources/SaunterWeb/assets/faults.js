// Faults of answers: a sentence for each, in a summary and at its field.

import { heading } from "./controls.js";
import { allWords, ask, form, items, language, sentences } from "./form.js";
import { fill, make } from "./page.js";
import { current, go, isPaged, removeFaults, steps } from "./steps.js";

/** What a fault says, with the limits of the item. */
export function sentence({ code, linkId, text }) {
  if (text) return text;
  const item = items.get(linkId) ?? {};
  const isList = !item.answerOption && code.endsWith("_answers");
  const name = [isList ? `${code}_list` : `${code}_${item.type}`, code, "other"].find((name) => sentences[name]);
  const limit = (value) => typeof value === "number" ? new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 15 }).format(value)
    : item.type === "date" && value ? new Date(`${value}T12:00:00Z`).toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" }) : value ?? "";
  const unit = item.unit ?? item.unitOption?.[0];
  const bound = (value) => limit(value) + (unit ? ` ${unit}` : "");
  return fill(sentences[name], {
    least: bound(item.minValue), most: bound(item.maxValue), length: item.maxLength ?? (item.type === "text" ? 20000 : 1000), shortest: item.minLength,
    count: item.minOccurs, maximum: item.maxOccurs ?? 100, places: item.maxDecimalPlaces,
  });
}
/** Shows faults in a summary and at their fields. */
export async function showFaults(found) {
  await allWords();
  const faults = found.map(({ question, fault, text = sentence(fault) }) => ({ question, text }));
  removeFaults();
  const list = make("ul");
  for (const { question, text } of faults) {
    const entry = make("li");
    if (question) {
      const link = make("a", { href: `#${question.id}`, textContent: faults.length > 1 ? `${heading(question)}: ${text}` : text });
      link.addEventListener("click", (event) => {
        event.preventDefault();
        const step = steps().find((step) => step.contains(question));
        if (isPaged && step !== current) go(step);
        question.querySelector("input:not([type=hidden], [hidden]), textarea, select:not([hidden]), button")?.focus();
      });
      entry.append(link);
      const note = make("p", { className: "fault", id: `${question.id}-fault` }, make("span", { className: "visually-hidden", textContent: `${ask.error} ` }), text);
      (question.querySelector("legend") ?? question.querySelector(".ask"))?.after(note);
      const control = question.querySelector("fieldset") ?? question.querySelector("input:not([type=hidden]), textarea");
      control?.setAttribute("aria-describedby", `${control.getAttribute("aria-describedby") ?? ""} ${note.id}`.trim());
      for (const invalid of question.querySelectorAll("fieldset, input:not([type=hidden], [type=radio], [type=checkbox]), textarea")) invalid.setAttribute("aria-invalid", "true");
    } else entry.textContent = text;
    list.append(entry);
  }
  const summary = make("div", { className: "banner bad", id: "errors", tabIndex: -1 }, make("h2", { textContent: ask.errors }), list);
  summary.setAttribute("role", "alert");
  form.before(summary);
  document.title = `${ask.error} ${document.title}`;
  summary.focus();
  scrollTo({ top: 0 });
}
