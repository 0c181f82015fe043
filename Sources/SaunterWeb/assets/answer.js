// Question documents: one question at a time, conditions, drafts, and sending also without a connection.

import { getDraft, removeDraft, remove, saveDraft, submit, account } from "./outbox.js";
import { clear, enhance, fill, heading, isAnswered, make, shuffled } from "./controls.js";
import { judge } from "./rules.js";

const form = document.getElementById("questions");
const rules = JSON.parse(document.getElementById("rules").textContent);
const { ask, fault: sentences } = rules;
const { zone, home, title, closes, closing } = form.dataset;
const language = document.documentElement.lang;
const field = (name) => form.elements[name]?.value;
const isCorrection = Boolean(field("revision_of"));
/** The draft of this document. A document after its window has the same draft. */
const key = location.pathname + location.search.replace(/[?&]late=1/, "");
const clock = () => ({ zone, now: new Date() });

/** The items by linkId, with those of groups. */
const items = new Map();
(function collect(list) { for (const item of list) { items.set(item.linkId, item); collect(item.item ?? []); } })(rules.item);

const status = form.appendChild(make("p", { className: "visually-hidden" }));
status.setAttribute("role", "status");
/** Announces a change that a screen reader does not notice. */
const say = (text) => { status.textContent = text; };
const option = (linkId, text) => items.get(linkId).answerOption.find(({ value }) => String(value) === text).value;
const page = { ask, say, changed, option };

/** Sets a hidden field. */
function set(name, value) {
  const hidden = form.elements[name] ?? form.appendChild(make("input", { type: "hidden", name }));
  hidden.value = value;
}

// ---- What is shown

let judgement;
/** Whether a text was typed that is not judged yet. */
let isTyping = false;
function update() {
  isTyping = false;
  judgement = judge(rules, new FormData(form), clock());
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
function changed() {
  update();
  save();
}

// ---- Steps: a question, an instance of a repeating group, or a table

const main = document.getElementById("main") ?? document.body;
let formTitle = main.querySelector("h1");
const lead = document.getElementById("lead");
const back = main.querySelector(".back");
const actions = document.getElementById("submit-actions");
const send = actions.querySelector("button");
const bar = make("div", { className: "step-bar" });
const count = make("p", { className: "count" });
const progress = make("progress");
const button = (textContent, className = "") => make("button", { type: "button", textContent, className });
const previous = button(ask.previous, "plain previous");
const next = button(ask.continue, "primary");
const skip = button(ask.skip, "plain");
const saved = make("p", { className: "small saved" });
const review = make("section", { className: "review off", id: "review" });
const pageTitle = document.title;

function steps() {
  const list = [];
  (function collect(parent) {
    for (const element of parent.children) {
      if (element.hidden || !element.matches(".question")) continue;
      const instances = element.querySelectorAll(":scope > fieldset > .instance");
      if (instances.length) list.push(...instances);
      else if (element.matches(".group:not(.table)")) collect(element);
      else list.push(element);
    }
  })(form);
  return list;
}
const isQuestion = (step) => step.dataset.type !== "display";
/** A short questionnaire is sent from its last question. */
const hasReview = () => steps().filter(isQuestion).length > 3;
/** The step on the screen; null on the review. @type {HTMLElement | null} */
let current = null;
/** Whether the participant came from the review to change one answer. */
let isChange = false;

/** Replaces an element by one with another name, such as a heading of another level. */
function rename(element, name) {
  const other = make(name, { className: element.className }, ...element.childNodes);
  element.replaceWith(other);
  return other;
}
/** Every step has its own heading of the first level. */
function prepareHeadings(within) {
  for (const heading of within.querySelectorAll(".group-title")) rename(heading, heading.closest(".table") ? "h1" : "p");
  for (const heading of within.querySelectorAll("h2.ask, h3.ask, h4.ask")) {
    const inner = heading.closest(".table") || (heading.closest(".instance") && !heading.matches(".instance > legend > *"));
    rename(heading, inner ? "h2" : "h1");
  }
  for (const story of within.querySelectorAll(".story")) {
    const group = story.closest(".group")?.querySelector(".group-title")?.textContent;
    story.closest(".question").prepend(make("h1", { className: "story-title", textContent: group ?? title }));
  }
}
/** @param {HTMLElement | null} step null: the review */
function show(step, focus = true) {
  leave();
  current = step;
  const path = new Set();
  for (let node = step; node && node !== form; node = node.parentElement) path.add(node);
  for (const element of form.querySelectorAll(".question, .instance")) element.classList.toggle("off", !path.has(element) && !step?.contains(element));
  for (const element of form.querySelectorAll(".group-title")) element.classList.toggle("off", step?.dataset.type === "display" || (step?.matches(".instance") && !step.contains(element)));
  const list = steps();
  const index = step ? list.indexOf(step) : list.length;
  const isLast = index === list.length - 1 && !hasReview();
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
  document.title = `${text} · ${pageTitle}`;
  if (!step) fillReview(list);
  timed = performance.now();
  if (!focus) return;
  const target = (step ?? review).querySelector("h1") ?? step ?? review;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}
const isOptional = (step) => isQuestion(step) && !step.matches(".instance") && ![step, ...step.querySelectorAll(".question")].some((question) => "required" in question.dataset);

function go(step) {
  history.pushState({}, "", `#${step ? step.id : "review"}`);
  show(step);
  // The draft remembers the step. It is saved after the step is on the screen.
  if (lastSaved) setTimeout(save);
}
/** Moves to the next step, or back to the review after a change. */
function advance() {
  const list = steps();
  if (isChange) {
    // A change can lead to further questions.
    const open = list.slice(list.indexOf(current) + 1).find((step) => faultsIn(step).length);
    if (!open) isChange = false;
    return go(open ?? null);
  }
  go(list[list.indexOf(current) + 1] ?? null);
}
/** The step of the fragment; undefined if there is none. */
function stepOf(hash) {
  if (hash === "#review" && hasReview()) return null;
  const element = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  return steps().find((step) => step.contains(element));
}

// ---- Faults

/** The element of an item: `a.meals.0.what` is in `q-meals-0-what`. */
const questionOf = ({ name, linkId }) => document.getElementById(`q-${(name ?? `a.${linkId}`).replace(/^a\./, "").replace(/[.[].*$/, (rest) => /^\.\d+\.[a-z]/.test(rest) ? rest.replace(/\./g, "-") : "")}`);

/** The faults in a step, in the order of its fields: the element and the sentence. */
function faultsIn(step) {
  const found = judgement.faults.map((fault) => ({ question: questionOf(fault), text: sentence(fault) })).filter(({ question }) => question && step.contains(question));
  for (const question of [step, ...step.querySelectorAll(".question")]) {
    const add = (code) => { if (!found.some((fault) => fault.question === question)) found.push({ question, text: sentence({ code, linkId: question.dataset.linkId }) }); };
    const control = question.querySelector(":scope > * > input, :scope > fieldset > .parts input:invalid");
    if (question.querySelector(".question") || question.hidden) continue;
    // The browser keeps an incomplete date to itself.
    if ([...question.querySelectorAll("input")].some((input) => input.validity.badInput)) add(control?.type === "time" ? "invalid_time" : question.dataset.type === "dateTime" ? "invalid_date_time" : "invalid_date");
    const pairs = question.querySelector("[data-compare] .pairs:not([hidden])");
    if (pairs && question.querySelector("[name$='.comparisons']").value) add("incomplete_ranking");
  }
  return found;
}
/** What a fault says, with the limits of the item. */
function sentence({ code, linkId, text }) {
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
function removeFaults() {
  for (const element of main.querySelectorAll("#errors, .fault")) element.remove();
  for (const element of form.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
  document.title = document.title.replace(`${ask.error} `, "");
}
/** Shows faults in a summary and at their fields. */
function showFaults(faults) {
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

// ---- The review

function fillReview(list) {
  const rows = make("dl", { className: "answers" });
  for (const step of list) {
    if (!isQuestion(step)) continue;
    const row = make("div");
    const name = heading(step) || step.querySelector(".group-title")?.textContent || "";
    const change = button(ask.change, "plain");
    change.setAttribute("aria-label", `${ask.change}: ${name}`);
    change.addEventListener("click", () => { isChange = true; go(step); });
    const inner = [...step.querySelectorAll(".question")].filter((question) => !question.hidden);
    const answer = make("dd");
    if (inner.length) for (const question of inner) answer.append(make("span", { className: "line", textContent: `${heading(question)}: ${summary(question) || ask.blank}` }));
    else answer.append(summary(step) || ask.blank);
    row.append(make("dt", { textContent: step.matches(".table") ? step.querySelector(".group-title")?.textContent ?? name : name }), answer, make("dd", {}, change));
    rows.append(row);
  }
  const doubts = (rules.constraint ?? []).filter(({ key, human }) => human && judgement.warnings?.includes(key)).map(({ human }) => make("p", { className: "banner warn", textContent: human }));
  review.replaceChildren(make("h1", { textContent: ask.review }), ...doubts, rows);
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

// ---- Repeating groups

function prepareInstances(holder) {
  const { group, most, title: name } = holder.dataset;
  const number = holder.querySelector(`:scope > [name="n.${group}"]`);
  const add = holder.querySelector(`[name="grow.${group}"]`);
  const instances = () => [...holder.querySelectorAll(":scope > .instance")];
  const place = add.closest(".actions");
  const renumber = () => {
    const list = instances();
    for (const [index, instance] of list.entries()) {
      instance.querySelector("legend .ask").textContent = `${name} ${index + 1}`;
      const drop = instance.querySelector("[name^='drop.']");
      drop.querySelector(".visually-hidden").textContent = ` ${name} ${index + 1}`;
      drop.hidden = list.length === 1 && !instance.querySelector(":checked") && ![...instance.querySelectorAll("input[type=text], textarea")].some((input) => input.value);
    }
    // A button that moves while it is pressed is not clicked.
    if (place.parentElement !== list.at(-1)) list.at(-1).append(place);
    add.hidden = list.length >= Number(most);
  };
  const insert = (index) => {
    const copy = holder.querySelector(":scope > template").content.cloneNode(true);
    for (const element of copy.querySelectorAll("*")) {
      for (const attribute of [...element.attributes]) if (attribute.value.includes("0000")) element.setAttribute(attribute.name, attribute.value.replaceAll("0000", index));
    }
    const instance = copy.firstElementChild;
    if (isPaged) prepareHeadings(copy);
    instances().at(-1).after(copy);
    prepareRemoval(instance);
    enhance(instance, page);
    number.value = Math.max(Number(number.value), index + 1);
    renumber();
    return instance;
  };
  const prepareRemoval = (instance) => {
    const drop = instance.querySelector("[name^='drop.']");
    drop.type = "button";
    drop.addEventListener("click", () => {
      const title = instance.querySelector("legend .ask").textContent;
      const list = instances();
      const index = list.indexOf(instance);
      const undo = button(ask.undo, "plain");
      const note = make("p", { className: "banner info undo" }, `${fill(ask.removed, { name: title })} `, undo);
      if (list.length === 1) insert(Number(number.value));
      const [kept, before] = [instance, list[index - 1]];
      kept.remove();
      renumber();
      changed();
      const target = before ?? instances()[0];
      if (isPaged) go(target);
      target.prepend(note);
      undo.focus();
      say(fill(ask.removed, { name: title }));
      undo.addEventListener("click", () => {
        note.remove();
        if (before) before.after(kept); else instances()[0].before(kept);
        renumber();
        changed();
        if (isPaged) go(kept); else kept.querySelector(".ask").focus();
      });
    });
  };
  add.type = "button";
  add.addEventListener("click", () => {
    if (isPaged && !pass(current)) return;
    const instance = insert(Number(number.value));
    changed();
    if (isPaged) go(instance); else instance.querySelector("input")?.focus();
  });
  holder.addEventListener("change", renumber);
  for (const instance of instances()) prepareRemoval(instance);
  renumber();
  return { insert, number };
}
const groups = new Map();

// ---- Random orders

/** Shows options or children in a random order, and records it. Exclusive options stay at the end. */
function shuffle(recorded = {}) {
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

// ---- Times: how long each step was on the screen

const times = {};
let timed = performance.now();
/** Adds the time since the step was shown. */
function leave() {
  const now = performance.now();
  if (current && document.visibilityState === "visible") {
    const { linkId } = (current.closest(".question") ?? current).dataset;
    times[linkId] = Math.min(Math.round((times[linkId] ?? 0) + now - timed), 86_400_000);
    set("timings", JSON.stringify(times));
  }
  timed = now;
}
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") { const now = performance.now(); if (current) { const { linkId } = (current.closest(".question") ?? current).dataset; times[linkId] = Math.min(Math.round((times[linkId] ?? 0) + now - timed), 86_400_000); } }
  timed = performance.now();
});

// ---- Drafts

let isDone = false;
let lastSaved = 0;
async function save() {
  if (isCorrection || isDone) return;
  const list = steps();
  lastSaved = Date.now();
  try {
    await saveDraft(key, {
      fields: [...new FormData(form)].map(([name, value]) => [name, String(value)]), title,
      number: (current ? list.indexOf(current) : list.length - 1) + 1, count: list.length, hash: current ? `#${current.id}` : "#review",
    });
    lastSaved = Date.now();
    saved.textContent = fill(ask.saved, { time: new Date().toLocaleTimeString(language, { timeStyle: "short", hourCycle: "h23" }) });
  } catch (error) {
    console.warn("the draft is not saved:", error.message);
    saved.textContent = ask.not_saved;
  }
}
/** Puts the values of a draft into the form. The version of the questionnaire stays that of the document. */
function restore(fields) {
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
/** A new id whose beginning is the time (UUID version 7). A page that was kept must not give its id to two sheets. */
function makeID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = BigInt(Date.now());
  for (let index = 0; index < 6; index++) bytes[index] = Number((now >> BigInt(40 - 8 * index)) & 255n);
  bytes[6] = (bytes[6] & 15) | 112;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
/** Asks whether to go on with a draft. */
function offer(draft) {
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

// ---- Sending

/** Whether the step may be left. Otherwise its faults are shown. */
function pass(step) {
  if (isTyping) changed();
  const faults = faultsIn(step);
  if (faults.length) showFaults(faults);
  else removeFaults();
  return !faults.length;
}
/** A notice above the form. */
function notice(text, kind, ...children) {
  document.getElementById("notice")?.remove();
  const banner = make("div", { className: `banner ${kind}`, id: "notice" }, make("p", { textContent: text }), ...children);
  banner.setAttribute("role", kind === "bad" ? "alert" : "status");
  form.before(banner);
}
const channel = new BroadcastChannel("saunter-answers");
/** The answers were sent from another tab: this one must not send them again. */
channel.addEventListener("message", ({ data }) => {
  if (data.key !== key || data.account !== account || isDone) return;
  isDone = true;
  notice(ask.sent_elsewhere, "info", make("a", { href: data.address, textContent: ask.see_answers }));
  form.remove();
  document.getElementById("draft")?.remove();
});
/** Whether the entry was changed elsewhere after this page was opened. Without a connection, the newest correction counts. */
async function isOutdated() {
  const sheet = `/v1/enrolments/${home.split("/").at(-1)}/answer-sheets/${field("sheet_id")}`;
  try {
    return (await fetch(sheet, { headers: { "If-None-Match": field("revision_of") }, cache: "no-store" })).status === 200;
  } catch { return false; }
}
async function deliver() {
  if (isCorrection && await isOutdated()) return notice(ask.changed_elsewhere, "bad", make("a", { href: `${home}/sheets/${field("sheet_id")}`, textContent: ask.see_answers }));
  const label = send.textContent;
  leave();
  send.setAttribute("aria-disabled", "true");
  send.textContent = ask.sending;
  set("completed_at", new Date().toISOString());
  set("time_zone", Intl.DateTimeFormat().resolvedOptions().timeZone);
  isDone = true;
  const sheet = field("sheet_id");
  const record = {
    kind: "form", id: isCorrection ? makeID() : sheet, sheet: isCorrection ? sheet : undefined, title,
    fields: [...new FormData(form)].map(([name, value]) => [name, String(value)]),
  };
  const { state, problem, words = [] } = await submit(record, isCorrection ? undefined : key);
  const address = `${home}/sheets/${sheet}`;
  if (state === "sent" || state === "waiting") {
    channel.postMessage({ key, account, address: state === "sent" ? address : home });
    return location.assign(state === "sent" ? `${address}?new=1` : home);
  }
  isDone = false;
  send.removeAttribute("aria-disabled");
  send.textContent = label;
  const faults = (problem?.errors ?? []).map(({ pointer, code, detail }) => {
    const [, , ...path] = pointer.split("/");
    const question = questionOf({ name: `a.${path.join(".")}` });
    return { question, text: question ? sentence({ code, linkId: question.dataset.linkId, text: code.startsWith("constraint_") ? detail : undefined }) : sentences[code] ?? detail };
  });
  if (state === "held" && faults.some(({ question }) => question)) {
    // The answers are still in the form, so the refused record is not needed.
    await remove("held", record.id);
    await save();
    const step = steps().find((step) => step.contains(faults.find(({ question }) => question).question));
    if (isPaged && step) go(step);
    return showFaults(faults);
  }
  if (state === "held") return location.assign("/unsent");
  notice(words[0] ?? problem?.detail ?? ask.not_sent, "bad");
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isDone || document.getElementById("draft")) return;
  update();
  const list = isPaged ? steps() : [form];
  const faulty = list.find((step) => faultsIn(step).length);
  const general = judgement.faults.filter((fault) => !questionOf(fault)).map((fault) => ({ text: sentence(fault) }));
  if (!faulty && !general.length) return deliver();
  if (faulty && isPaged && faulty !== current) go(faulty);
  showFaults(faulty ? faultsIn(faulty) : general);
});

// ---- The window closes while the page is open

if (closes) {
  const wait = () => {
    const rest = Date.parse(closes) - Date.now();
    if (rest <= 0) notice(closing, "info");
    else setTimeout(wait, Math.min(rest + 500, 3_600_000));
  };
  wait();
}

// ---- Start

const isPaged = steps().length > 1;
if (isPaged) {
  form.classList.add("paged");
  formTitle = rename(formTitle, "p");
  formTitle.className = "form-title";
  prepareHeadings(form);
  bar.append(previous, count, progress);
  form.prepend(bar);
  actions.before(review);
  actions.prepend(next);
  actions.append(skip);
  actions.after(saved);
  next.addEventListener("click", () => { if (pass(current)) advance(); });
  skip.addEventListener("click", () => {
    for (const question of [current, ...current.querySelectorAll(".question")]) clear(question);
    changed();
    removeFaults();
    advance();
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
  addEventListener("popstate", () => { removeFaults(); show(stepOf(location.hash) ?? (location.hash === "#review" ? null : steps()[0])); });
}
let typing;
form.addEventListener("change", changed);
form.addEventListener("input", () => { isTyping = true; clearTimeout(typing); typing = setTimeout(changed, 400); });
document.addEventListener("visibilitychange", async () => {
  // Another tab may have changed the draft.
  if (document.visibilityState !== "visible" || isDone || isCorrection || document.getElementById("draft")) return;
  const draft = await getDraft(key);
  if (draft && draft.at > lastSaved && lastSaved > 0) { restore(draft.fields); update(); lastSaved = draft.at; if (isPaged) show(current && current.isConnected && !current.hidden ? current : steps()[0], false); }
});

async function start() {
  const wasRefused = Boolean(document.getElementById("errors"));
  // One question is shown at once, before the draft is read.
  update();
  if (isPaged) show(stepOf(location.hash) ?? steps()[0], false);
  form.classList.add("ready");
  const first = () => form.querySelector(".question:not(.group) .fault");
  let draft;
  if (!isCorrection && !wasRefused) {
    set("started_at", new Date().toISOString());
    set("sheet_id", makeID());
    try { draft = await getDraft(key); } catch (error) { console.warn("drafts cannot be read:", error.message); saved.textContent = ask.not_saved; }
  }
  const version = draft && new Map(draft.fields).get("version");
  if (!isCorrection && !wasRefused) shuffle(draft && version === field("version") ? JSON.parse(new Map(draft.fields).get("presented") || "{}") : {});
  enhance(form, page);
  for (const holder of form.querySelectorAll("[data-group]")) groups.set(holder.dataset.group, prepareInstances(holder));
  if (draft) restore(draft.fields);
  update();
  if (draft && version !== field("version")) notice(ask.updated, "info");
  if (!isPaged) return;
  const isReload = draft && location.hash && stepOf(location.hash) !== undefined;
  if (!isReload && !wasRefused && location.hash) history.replaceState({}, "", location.pathname + location.search);
  show(isReload ? stepOf(location.hash) : wasRefused ? steps().find((step) => step.contains(first())) ?? steps()[0] : steps()[0], false);
  if (draft && !isReload) offer(draft);
}
start();
