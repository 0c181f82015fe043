// Question documents: one question at a time, conditions, drafts, and sending also without a connection.

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

// ---- Numbers: exact fractions, as on the server

/** @typedef {{n: bigint, d: bigint}} Fraction */
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
/** @returns {Fraction} */
function fraction(n, d = 1n) {
  if (d < 0n) [n, d] = [-n, -d];
  const g = gcd(n, d) || 1n;
  return { n: n / g, d: d / g };
}
/** A decimal text as a fraction; null for any other text. @returns {Fraction | null} */
function decimal(text) {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(text).trim().replace(",", ".").replace("−", "-"));
  if (!match || !(match[2] || match[3])) return null;
  const digits = BigInt((match[2] || "") + (match[3] || "") || "0") * (match[1] === "-" ? -1n : 1n);
  const exponent = Number(match[4] || 0) - (match[3] || "").length;
  return exponent >= 0 ? fraction(digits * 10n ** BigInt(exponent)) : fraction(digits, 10n ** BigInt(-exponent));
}
const compare = (a, b) => { const x = a.n * b.d - b.n * a.d; return x < 0n ? -1 : x > 0n ? 1 : 0; };

// ---- The values of the form

const fields = () => new FormData(form);

/** The answers to an item: typed values; an empty list for a blank. */
function values(linkId) {
  const known = items.get(linkId);
  if (!known || !shown.has(linkId)) return [];
  const { item } = known;
  const data = fields();
  const name = `a.${linkId}`;
  const typed = (text) => ["integer", "decimal"].includes(item.type) ? number(text) : { type: "text", value: text };
  switch (item.type) {
    case "choice": case "open-choice": {
      const option = (value) => typeof value === "number" ? { type: "number", value: decimal(value) } : { type: "text", value };
      const chosen = item.answerOption.filter((o) => item.repeats ? data.has(`${name}[${o.value}]`) : data.get(name) === String(o.value));
      const list = chosen.map((o) => option(o.value));
      const other = (data.get(`${name}.other`) || "").trim();
      return other ? [...list, { type: "text", value: other }] : list;
    }
    case "boolean": return data.get(name) ? [{ type: "boolean", value: data.get(name) === "true" }] : [];
    case "quantity": { const value = number(data.get(name)); return value ? [value] : []; }
    case "ranking": return item.answerOption.some((o) => data.get(`${name}[${o.value}]`)) ? [{ type: "boolean", value: true }] : [];
    case "location": return data.get(`${name}.lat`) ? [{ type: "boolean", value: true }] : [];
    case "dateTime": return data.get(`${name}.date`) && data.get(`${name}.time`)
      ? [{ type: "instant", value: `${data.get(`${name}.date`)}T${data.get(`${name}.time`)}` }] : [];
    case "date": return data.get(name) ? [{ type: "date", value: data.get(name) }] : [];
    case "time": return data.get(name) ? [{ type: "time", value: data.get(name) }] : [];
    case "group": return [];
    default: {
      const text = data.get(name) || "";
      const lines = item.repeats ? text.split(/\r?\n/) : [text];
      return lines.filter((line) => line.trim()).map(typed).filter(Boolean);
    }
  }
}
/** A number as a value; null if the text is not a number. */
function number(text) { const value = decimal(text || ""); return value && { type: "number", value }; }

// ---- Conditions (FHIR R4, and trees of checked expressions)

/** Whether a is less than b; null if they have no order. */
function isLess(a, b) {
  if (a.type !== b.type) return null;
  if (a.type === "number") return compare(a.value, b.value) < 0;
  return ["date", "time", "instant"].includes(a.type) ? a.value < b.value : null;
}
const equals = (a, b) => a.type === b.type && (a.type === "number" ? compare(a.value, b.value) === 0
  : a.type === "text" ? a.value.normalize("NFC") === b.value.normalize("NFC") : a.value === b.value);

function wanted(condition) {
  const { answer } = condition;
  const type = items.get(condition.question)?.item.type;
  if (typeof answer === "boolean") return { type: "boolean", value: answer };
  if (typeof answer === "number") return { type: "number", value: decimal(answer) };
  if (answer && typeof answer === "object") return { type: "number", value: decimal(answer.value) };
  return { type: type === "date" || type === "time" ? type : type === "dateTime" ? "instant" : "text", value: answer };
}
function holds(condition) {
  const given = values(condition.question);
  if (condition.operator === "exists") return condition.answer === (given.length > 0);
  const other = wanted(condition);
  const some = (test) => given.some((value) => test(value) === true);
  switch (condition.operator) {
    case "=": return some((v) => equals(v, other));
    case "!=": return !some((v) => equals(v, other));
    case "<": return some((v) => isLess(v, other));
    case ">": return some((v) => isLess(other, v));
    case "<=": return some((v) => equals(v, other) || isLess(v, other));
    case ">=": return some((v) => equals(v, other) || isLess(other, v));
    default: return true;
  }
}
const enabled = (definition) => {
  const list = definition.enableWhen ?? [];
  return !list.length || (definition.enableBehavior === "any" ? list.some(holds) : list.every(holds));
};

const BLANK = { type: "blank" };
const truth = (value) => value.type === "boolean" ? value.value : null;
const known = (value) => value.type === "several" ? value.value.filter((v) => v.type !== "blank") : value.type === "blank" ? [] : [value];
const days = (date) => Math.floor(Date.parse(`${date}T00:00:00Z`) / 86400000);
const numeric = (n, d = 1n) => d === 0n ? BLANK : { type: "number", value: fraction(n, d) };

/** Evaluates a tree. An unknown operation throws, and the server decides. */
function evaluate(tree) {
  if ("item" in tree) {
    const definition = items.get(tree.item)?.item;
    const list = values(tree.item);
    return definition?.repeats ? { type: "several", value: list } : list[0] ?? BLANK;
  }
  if ("type" in tree) return tree.type === "number" ? { type: "number", value: decimal(tree.value) } : { type: tree.type, value: tree.value };
  const { op, args } = tree;
  const value = (index) => evaluate(args[index]);
  switch (op) {
    case "and": case "or": {
      const deciding = op === "or";
      const one = truth(value(0));
      if (one === deciding) return { type: "boolean", value: deciding };
      const other = truth(value(1));
      if (other === deciding) return { type: "boolean", value: deciding };
      return one === null || other === null ? BLANK : { type: "boolean", value: !deciding };
    }
    case "not": { const t = truth(value(0)); return t === null ? BLANK : { type: "boolean", value: !t }; }
    case "negative": { const v = value(0); return v.type === "number" ? numeric(-v.value.n, v.value.d) : BLANK; }
    case "in": {
      const one = value(0);
      if (one.type === "blank") return BLANK;
      return { type: "boolean", value: args.slice(1).flatMap((a) => known(evaluate(a))).some((v) => equals(one, v)) };
    }
    case "=": case "!=": case "<": case "<=": case ">": case ">=": return comparison(op, value(0), value(1));
    case "+": case "-": case "*": case "/": return arithmetic(op, value(0), value(1));
    case "if": { const t = truth(value(0)); return t === null ? BLANK : value(t ? 1 : 2); }
    case "today": return { type: "date", value: localDate() };
    default: return aggregate(op, args.flatMap((a) => known(evaluate(a))));
  }
}
function comparison(op, a, b) {
  if (a.type === "blank" || b.type === "blank") return BLANK;
  const result = op === "=" ? equals(a, b) : op === "!=" ? !equals(a, b)
    : op === "<" ? isLess(a, b) : op === ">" ? isLess(b, a) : op === "<=" ? not(isLess(b, a)) : not(isLess(a, b));
  return result === null ? BLANK : { type: "boolean", value: result };
}
const not = (value) => value === null ? null : !value;
function arithmetic(op, a, b) {
  if (a.type === "date" && b.type === "date") return numeric(BigInt(days(a.value) - days(b.value)));
  if (a.type === "date" && b.type === "number" && b.value.d === 1n) {
    const day = days(a.value) + Number(op === "-" ? -b.value.n : b.value.n);
    return { type: "date", value: new Date(day * 86400000).toISOString().slice(0, 10) };
  }
  if (a.type !== "number" || b.type !== "number") return BLANK;
  const [x, y] = [a.value, b.value];
  switch (op) {
    case "+": return numeric(x.n * y.d + y.n * x.d, x.d * y.d);
    case "-": return numeric(x.n * y.d - y.n * x.d, x.d * y.d);
    case "*": return numeric(x.n * y.n, x.d * y.d);
    default: return numeric(x.n * y.d, x.d * y.n);
  }
}
function aggregate(op, list) {
  const numbers = list.filter((v) => v.type === "number").map((v) => v.value);
  const sum = () => numbers.reduce((a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d), fraction(0n));
  const best = (isBetter) => list.reduce((a, b) => a.type === "blank" || isBetter(b, a) ? b : a, BLANK);
  switch (op) {
    case "count": return numeric(BigInt(list.length));
    case "exists": return { type: "boolean", value: list.length > 0 };
    case "length": return list[0]?.type === "text" ? numeric(BigInt([...list[0].value].length)) : BLANK;
    case "abs": return numbers[0] ? numeric(numbers[0].n < 0n ? -numbers[0].n : numbers[0].n, numbers[0].d) : BLANK;
    case "sum": return numbers.length ? { type: "number", value: sum() } : BLANK;
    case "mean": { if (!numbers.length) return BLANK; const s = sum(); return numeric(s.n, s.d * BigInt(numbers.length)); }
    case "min": return best((b, a) => isLess(b, a));
    case "max": return best((b, a) => isLess(a, b));
    default: throw new Error(`unknown operation ${op}`);
  }
}
function localDate() {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: words.zone, year: "numeric", month: "2-digit", day: "2-digit" });
  return parts.format(new Date());
}

// ---- Showing and hiding

/** The linkIds of the items that are shown. @type {Set<string>} */
const shown = new Set(items.keys());

function isItemShown({ item }) {
  if (!enabled(item)) return false;
  if (item.enableWhenRule) {
    try { if (truth(evaluate(item.enableWhenRule)) !== true) return false; } catch { return true; }
  }
  const options = item.answerOption ?? [];
  return item.type === "open-choice" || !options.some((o) => o.enableWhen?.length) || options.some(enabled);
}
function update() {
  shown.clear();
  for (const [linkId, entry] of items) {
    const parent = entry.element.parentElement.closest(".question.group");
    if ((!parent || shown.has(parent.dataset.linkId)) && isItemShown(entry)) shown.add(linkId);
    entry.element.hidden = !shown.has(linkId);
    for (const option of entry.item.answerOption ?? []) {
      if (!option.enableWhen?.length) continue;
      const label = entry.element.querySelector(`[data-option="${CSS.escape(String(option.value))}"]`);
      if (!label) continue;
      label.hidden = !enabled(option);
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
