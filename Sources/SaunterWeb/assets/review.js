// The review: all answers before they are sent, in words.

import { heading, isAnswered } from "./controls.js";
import { allWords, ask, button, judgement, language, rules } from "./form.js";
import { make } from "./page.js";
import { change, isQuestion, review } from "./steps.js";

/** Fills the review with the answers of all steps. */
export async function fillReview(list) {
  await allWords();
  const rows = make("dl", { className: "answers" });
  for (const step of list) {
    if (!isQuestion(step)) continue;
    const row = make("div");
    const name = heading(step) || step.querySelector(".group-title")?.textContent || "";
    const again = button(ask.change, "plain");
    again.setAttribute("aria-label", `${ask.change}: ${name}`);
    again.addEventListener("click", () => change(step));
    const inner = [...step.querySelectorAll(".question")].filter((question) => !question.hidden);
    const answer = make("dd");
    if (inner.length) for (const question of inner) answer.append(make("span", { className: "line", textContent: `${heading(question)}: ${summary(question) || ask.blank}` }));
    else answer.append(summary(step) || ask.blank);
    row.append(make("dt", { textContent: step.matches(".table") ? step.querySelector(".group-title")?.textContent ?? name : name }), answer, make("dd", {}, again));
    rows.append(row);
  }
  const doubts = (rules.constraint ?? []).filter(({ key, human }) => human && judgement.warnings?.includes(key)).map(({ human }) => make("p", { className: "banner warn", textContent: human }));
  review.replaceChildren(review.querySelector("h1"), ...doubts, rows);
}
/** The answer to a question in words. */
function summary(question) {
  if (question.dataset.type === "ranking" || question.querySelector("[data-compare] ol")) {
    const entries = question.querySelector("[data-compare] ol:not([hidden] ol)") ?? (isAnswered(question) ? question.querySelector("ol.ranking:not([hidden])") : null);
    if (entries) return [...entries.children].map((entry, index) => `${index + 1}. ${(entry.querySelector(".name") ?? entry).textContent.trim()}`).join("\n");
  }
  const words = [];
  for (const control of question.querySelectorAll("input, textarea")) {
    if (control.closest("[hidden]") || control.disabled || !control.name || control.type === "hidden") continue;
    if (control.type !== "radio" && control.type !== "checkbox") { words.push(worded(control)); continue; }
    if (!control.checked || (control.value === "other" && control.id.endsWith("-other-chosen"))) continue;
    words.push(control.getAttribute("aria-label") ?? control.closest("label").textContent.trim());
  }
  const place = question.querySelector(".place span")?.textContent;
  const unit = question.querySelector(".unit")?.textContent.replace(/[()]/g, "");
  if (question.dataset.type === "quantity") return words.filter(Boolean).join(" ") + (words.some(Boolean) && unit ? ` ${unit}` : "");
  return [...words, place].filter(Boolean).join(", ") + (unit && words.some(Boolean) && question.querySelector("[data-number]")?.value ? ` ${unit}` : "");
}
function worded({ type, value }) {
  if (type === "date" && value) return new Date(`${value}T12:00:00Z`).toLocaleDateString(language, { dateStyle: "full", timeZone: "UTC" });
  return value.trim();
}
