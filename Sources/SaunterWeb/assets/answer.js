// Question documents: one question at a time, conditions, drafts, and sending also without a connection.

import { judge } from "./rules.js";

const form = document.getElementById("questions");
const definitions = JSON.parse(document.getElementById("rules").textContent);
const words = form.dataset;

/** The items in document order, by linkId. @type {Map<string, {item: object, element: HTMLElement}>} */
const items = new Map();
(function collect(list) {
  for (const item of list) {
    const element = form.querySelector(`.question[data-link-id="${item.linkId}"]`);
    if (element) items.set(item.linkId, { item, element });
    if (!(item.type === "group" && item.repeats)) collect(item.item ?? []);
  }
})(definitions);

const fields = () => new FormData(form);

// ---- Showing and hiding

function update() {
  const clock = { zone: words.zone, now: new Date() };
  const { shown, withheld } = judge(definitions, fields(), clock);
  for (const [linkId, { element, item }] of items) {
    element.hidden = !shown.has(linkId);
    for (const option of item.answerOption ?? []) {
      if (!option.enableWhen?.length) continue;
      const label = element.querySelector(`[data-option="${CSS.escape(String(option.value))}"]`);
      if (!label) continue;
      label.hidden = withheld.get(linkId)?.has(String(option.value)) ?? false;
      if (label.hidden) label.querySelector("input").checked = false;
    }
  }
  form.elements.shown.value = [...shown].join(" ");
}

// ---- Controls

for (const holder of form.querySelectorAll("[data-slider]")) {
  const field = holder.querySelector("input");
  const range = Object.assign(document.createElement("input"), {
    type: "range", min: holder.dataset.least, max: holder.dataset.most, step: holder.dataset.step,
  });
  const mark = (answered) => {
    range.dataset.answered = answered ? "yes" : "no";
    range.setAttribute("aria-valuetext", answered ? field.value : holder.dataset.unanswered);
  };
  range.setAttribute("aria-label", holder.closest("fieldset").querySelector("legend").textContent);
  range.value = field.value || String((Number(range.min) + Number(range.max)) / 2);
  mark(field.value !== "");
  range.addEventListener("input", () => { field.value = range.value; mark(true); });
  range.addEventListener("pointerup", () => { field.value = range.value; mark(true); changed(); });
  field.addEventListener("input", () => { if (field.value) range.value = field.value; mark(field.value !== ""); });
  holder.prepend(range);
}
for (const holder of form.querySelectorAll("[data-location]")) {
  const button = holder.querySelector("[data-locate]");
  const status = holder.querySelector("[data-location-status]");
  if (!("geolocation" in navigator)) continue;
  button.hidden = false;
  button.addEventListener("click", () => navigator.geolocation.getCurrentPosition(({ coords }) => {
    const set = (name, value) => { form.elements[`${holder.dataset.name}.${name}`].value = value; };
    set("lat", coords.latitude.toFixed(5));
    set("lon", coords.longitude.toFixed(5));
    set("accuracy_m", Math.round(coords.accuracy));
    status.textContent = `✓ ±${Math.round(coords.accuracy)} m`;
    changed();
  }, (error) => { status.textContent = error.message; }, { enableHighAccuracy: true, timeout: 20000 }));
}
form.addEventListener("change", ({ target }) => {
  const label = target.closest(".option");
  if (label && target.type === "checkbox" && target.checked) {
    const isExclusive = "exclusive" in label.dataset;
    for (const other of target.closest("fieldset").querySelectorAll('input[type="checkbox"]')) {
      if (other !== target && (isExclusive || "exclusive" in other.closest(".option").dataset)) other.checked = false;
    }
  }
  changed();
});
form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(saveDraft, 400); });
let timer;
function changed() { update(); saveDraft(); }

// ---- One question at a time

const actions = document.getElementById("submit-actions");
const submit = actions.querySelector("button");
const bar = document.createElement("div");
bar.className = "step-bar";
const progress = document.createElement("progress");
const count = document.createElement("p");
count.className = "small";
count.setAttribute("role", "status");
bar.append(count, progress);
const previous = Object.assign(document.createElement("button"), { type: "button", textContent: words.previous });
const next = Object.assign(document.createElement("button"), { type: "button", className: "primary", textContent: words.continue });
const review = document.createElement("section");
review.className = "review off";
const isPaged = !document.getElementById("errors");

const leaves = () => [...form.querySelectorAll(".question:not(.group)")]
  .filter((q) => !q.closest(".instance") && !q.closest(".question[hidden]"));
/** The question on the screen; null on the review. @type {HTMLElement | null} */
let current = null;

function show(question, focus = true) {
  current = question;
  const path = new Set();
  for (let node = question; node && node !== form; node = node.parentElement.closest(".question") ?? null) path.add(node);
  for (const q of form.querySelectorAll(".question")) {
    q.classList.toggle("off", !path.has(q) && !(question && question.contains(q)));
  }
  review.classList.toggle("off", question !== null);
  next.classList.toggle("off", question === null);
  submit.classList.toggle("off", question !== null);
  const list = leaves();
  const index = question ? list.indexOf(question) : list.length;
  previous.classList.toggle("off", index === 0);
  count.textContent = question ? words.of.replace("{number}", index + 1).replace("{count}", list.length) : words.review;
  progress.max = list.length || 1;
  progress.value = index;
  if (!question) fillReview(list);
  if (focus) {
    const target = question ? question.querySelector("legend, label, .story") ?? question : review.querySelector("h2");
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }
}
function fillReview(list) {
  const heading = Object.assign(document.createElement("h2"), { textContent: words.review });
  const rows = document.createElement("dl");
  rows.className = "answers";
  for (const question of list) {
    if (question.dataset.type === "display") continue;
    const title = question.querySelector("legend, label")?.textContent ?? "";
    const term = Object.assign(document.createElement("dt"), { textContent: title });
    const answer = document.createElement("dd");
    const change = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: words.change });
    change.setAttribute("aria-label", `${words.change}: ${title}`);
    change.addEventListener("click", () => go(question));
    answer.append(`${summary(question) || words.blank} `, change);
    rows.append(term, answer);
  }
  review.replaceChildren(heading, rows);
}
function summary(question) {
  const chosen = [...question.querySelectorAll('input:checked:not([name^="r."])')].filter((i) => !i.closest("[hidden]"))
    .map((i) => i.getAttribute("aria-label") ?? i.closest("label")?.textContent.trim());
  const typed = [...question.querySelectorAll('input:not([type="radio"], [type="checkbox"], [type="range"], [type="hidden"]), textarea, select')]
    .map((i) => i.value.trim()).filter(Boolean);
  const located = question.querySelector('[name$=".lat"]')?.value ? ["✓"] : [];
  return [...chosen, ...typed, ...located].join(", ");
}
function go(question) {
  history.pushState({}, "", question ? `#${question.id}` : "#review");
  show(question);
}
function step(direction) {
  const list = leaves();
  const index = current ? list.indexOf(current) : list.length;
  const target = list[index + direction] ?? null;
  if (direction > 0 || target) go(target);
}
if (isPaged && leaves().length > 1) {
  form.classList.add("paged");
  form.prepend(bar);
  actions.before(review);
  actions.prepend(next);
  actions.append(previous);
  next.addEventListener("click", () => { if (complete(current)) step(1); });
  previous.addEventListener("click", () => step(-1));
  addEventListener("popstate", () => show(location.hash === "#review" ? null : document.getElementById(location.hash.slice(1)) ?? leaves()[0]));
}
/** Whether the question may be left: a required question needs an answer. */
function complete(question) {
  question.querySelector(".fault.local")?.remove();
  if (!("required" in question.dataset) || summary(question)) return true;
  const fault = Object.assign(document.createElement("p"), { className: "fault local", textContent: form.dataset.required });
  fault.setAttribute("role", "alert");
  (question.querySelector("legend") ?? question.querySelector("label")).after(fault);
  return false;
}

// ---- Drafts and sending

const store = window.saunter;
const draftKey = location.pathname + location.search;
async function saveDraft() {
  await store.put("drafts", { key: draftKey, account: store.account, at: Date.now(), fields: [...fields()].map(([k, v]) => [k, String(v)]) });
}
function fill(saved) {
  for (const [name, value] of saved) {
    for (const control of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (control.type === "radio" || control.type === "checkbox") control.checked = control.type === "radio" ? control.value === value : true;
      else if (name !== "version" && name !== "shown") control.value = value;
    }
  }
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
async function start() {
  if (isPaged && !form.elements.revision_of) {
    form.elements.started_at.value = new Date().toISOString();
    form.elements.sheet_id.value = makeID();
  }
  const draft = form.elements.revision_of || !isPaged ? null : await store.get("drafts", draftKey);
  if (draft && draft.account === store.account && draft.fields.some(([name, value]) => name === "version" && value === form.elements.version.value)) fill(draft.fields);
  update();
  if (form.classList.contains("paged")) show(document.getElementById(location.hash.slice(1)) ?? leaves()[0], false);
}
form.addEventListener("submit", async (event) => {
  if (event.submitter?.name?.startsWith("grow.")) return;
  event.preventDefault();
  submit.setAttribute("aria-disabled", "true");
  const set = (name, value) => {
    const field = form.elements[name] ?? form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
    field.value = value;
  };
  set("completed_at", new Date().toISOString());
  set("time_zone", Intl.DateTimeFormat().resolvedOptions().timeZone);
  const record = {
    id: form.elements.sheet_id.value, account: store.account, url: form.action || location.href, at: Date.now(),
    title: document.querySelector("h1").textContent, fields: [...fields()].map(([k, v]) => [k, String(v)]),
  };
  await store.queue(record, draftKey);
  const result = await store.send(record);
  if (result === "sent") location.assign(`${words.home}/sheets/${record.id}?new=1`);
  else if (result === "refused") { await store.remove("outbox", record.id); await saveDraft(); HTMLFormElement.prototype.submit.call(form); }
  else location.assign(words.home);
});
start();
