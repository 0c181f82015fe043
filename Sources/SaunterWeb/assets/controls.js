// The controls of questions that need more than the browser's own: lines, rankings, comparisons, places, long lists.
// Every control keeps its value in the fields that the form has without script.

const root = document.documentElement;

/** A text with values in place of its placeholders, such as `{count}`. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
/** A new element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
/** A number that a person typed; null if it is none. */
export function typed(text) {
  let plain = text.replace(/[\s'’٬]/g, "").replace(/[−–]/g, "-").replace(/٫/g, ".").replace(/[٠-٩۰-۹]/g, (digit) => digit.charCodeAt(0) & 15);
  const mark = Math.max(plain.lastIndexOf(","), plain.lastIndexOf("."));
  const isDecimal = mark >= 0 && plain.indexOf(plain[mark]) === mark;
  plain = isDecimal ? `${plain.slice(0, mark).replace(/[.,]/g, "")}.${plain.slice(mark + 1)}` : plain.replace(/[.,]/g, "");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}
const shown = (number) => new Intl.NumberFormat(root.lang, { useGrouping: false, maximumFractionDigits: 15 }).format(number);
/** The words of a question: its heading. */
export const heading = (question) => question.querySelector(".ask, .story")?.textContent.trim() ?? "";
/** Whether a control contributes to the answer: reasons and tools do not. */
const isAnswer = (control) => control.name?.startsWith("a.") && !control.name.endsWith(".unit");

/**
 * Prepares the controls below an element.
 * @param {ParentNode} within
 * @param {{ask: object, say: (text: string) => void, changed: () => void, option: (linkId: string, text: string) => *}} page
 *   the words; a polite announcement; called after a change by script; the value of an option whose text is in the form
 */
export function enhance(within, page) {
  const each = (selector, prepare) => { for (const element of within.querySelectorAll(selector)) prepare(element, page); };
  each("[data-slider]", slider);
  each("input[data-number]", echo);
  each("[data-longest]", counter);
  each(".options", longList);
  each("[data-compare]", compare);
  each("ol[data-ranking]", ranking);
  each("[data-location]", location);
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
  const place = question.querySelector(".options:has([type=radio]), .scale, [data-slider]");
  if (!place || question.querySelector(".question")) return;
  const button = make("button", { type: "button", className: "plain clear", textContent: ask.clear });
  const update = () => { button.hidden = !isAnswered(question); };
  button.addEventListener("click", () => {
    clear(question);
    say(ask.cleared);
    changed();
    question.querySelector("input:not([hidden])")?.focus();
  });
  for (const name of ["input", "change", "cleared", "filled"]) question.addEventListener(name, update);
  place.after(button);
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

// ---- Lines and numbers

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
  options.classList.add("many");
}

// ---- Order

/** A ranking by moving entries. The order is an answer as soon as an entry was moved, or the order was confirmed. */
function ranking(list, page) {
  const question = list.closest(".question");
  if (question.querySelector("[data-compare]")) return;
  const { ask, say, changed } = page;
  const entries = [...list.children];
  const name = (entry) => entry.querySelector("label, .name").textContent.trim();
  const note = make("p", { className: "hint" });
  const keep = make("button", { type: "button", textContent: ask.keep });
  const select = (entry) => entry.querySelector("select");
  const isOrdered = () => entries.every((entry) => select(entry).value);
  const update = () => {
    const order = [...list.children];
    for (const [index, entry] of order.entries()) {
      entry.querySelector("[data-move='-1']").disabled = index === 0;
      entry.querySelector("[data-move='1']").disabled = index === order.length - 1;
    }
    note.textContent = isOrdered() ? ask.kept : ask.not_ordered;
    keep.hidden = isOrdered();
  };
  const store = () => {
    for (const [index, entry] of [...list.children].entries()) select(entry).value = String(index + 1);
    update();
    select(entries[0]).dispatchEvent(new Event("change", { bubbles: true }));
    changed();
  };
  for (const entry of entries) {
    const title = name(entry);
    entry.querySelector("label").replaceWith(make("span", { className: "name", textContent: title }));
    select(entry).hidden = true;
    const moves = make("span", { className: "moves" });
    for (const [step, text, sign] of [[-1, ask.up, "↑"], [1, ask.down, "↓"]]) {
      const button = make("button", { type: "button", textContent: sign });
      button.dataset.move = step;
      button.setAttribute("aria-label", `${text}: ${title}`);
      button.addEventListener("click", () => {
        if (step < 0) entry.previousElementSibling?.before(entry); else entry.nextElementSibling?.after(entry);
        store();
        const order = [...list.children];
        say(fill(ask.moved, { name: title, number: order.indexOf(entry) + 1, count: order.length }));
        (button.disabled ? moves.querySelector("button:not(:disabled)") : button).focus();
      });
      moves.append(button);
    }
    entry.append(moves);
  }
  keep.addEventListener("click", () => { store(); say(ask.kept); note.tabIndex = -1; note.focus(); });
  const hint = question.querySelector(`[id$="-ranks"]`);
  if (hint) hint.textContent = ask.order;
  const sort = () => {
    const ranks = new Map(entries.map((entry) => [entry, Number(select(entry).value) || entries.length + 1]));
    list.append(...[...list.children].sort((a, b) => ranks.get(a) - ranks.get(b)));
    update();
  };
  for (const event of ["cleared", "filled"]) question.addEventListener(event, sort);
  list.after(note, make("p", { className: "actions" }, keep));
  sort();
}

/** Two large buttons for each pair of entries. The fields record which entry was shown first, what was chosen, and the time. */
function compare(holder, page) {
  const { ask, say, changed, option } = page;
  const question = holder.closest(".question");
  const field = holder.querySelector("input");
  const area = question.querySelector("textarea");
  const list = question.querySelector("ol[data-ranking]");
  for (const element of [list, question.querySelector(`[id$="-ranks"]`)]) if (element) element.hidden = true;
  let entries = [], pairs = [], since = 0;
  const record = () => field.value ? JSON.parse(field.value) : [];
  const read = () => {
    entries = area
      ? [...new Set(area.value.split(/\r?\n/).map((line) => line.trim()).filter(Boolean))].map((text) => ({ value: text, name: text }))
      : [...list.children].map((entry) => ({ value: option(question.dataset.linkId, entry.dataset.option), name: entry.querySelector("label").textContent.trim() }));
  };
  const name = (value) => entries.find((entry) => entry.value === value)?.name ?? String(value);
  /** The pairs that are not compared yet, in random order, with a random side for each. */
  const remaining = () => {
    const key = (a, b) => [String(a), String(b)].sort().join("\n");
    const done = new Set(record().map(({ shown: [a, b] }) => key(a, b)));
    const rest = entries.flatMap((a, index) => entries.slice(index + 1).map((b) => Math.random() < 0.5 ? [a, b] : [b, a])).filter(([a, b]) => !done.has(key(a.value, b.value)));
    return shuffled(rest);
  };
  const text = make("p", { className: "hint" });
  const buttons = [0, 1].map(() => make("button", { type: "button", className: "pair" }));
  const even = make("button", { type: "button", className: "plain", textContent: ask.no_difference });
  const undo = make("button", { type: "button", className: "plain", textContent: ask.undo });
  const begin = make("button", { type: "button" });
  const result = make("div");
  const desk = make("div", { className: "pairs" }, text, make("div", { className: "two" }, ...buttons), make("p", { className: "actions" }, even, undo));
  const note = (value) => {
    field.value = value.length ? JSON.stringify(value) : "";
    field.dispatchEvent(new Event("change", { bubbles: true }));
    changed();
  };
  const draw = (isAnnounced) => {
    const done = record();
    const total = entries.length * (entries.length - 1) / 2;
    const isOpen = pairs.length > 0;
    desk.hidden = !isOpen;
    begin.hidden = isOpen || total === 0;
    begin.textContent = done.length ? ask.compare_again : ask.compare;
    undo.hidden = done.length === 0;
    result.hidden = isOpen || done.length === 0;
    if (isOpen) {
      text.textContent = `${fill(ask.of, { number: done.length + 1, count: total })} · ${ask.choose_one}`;
      for (const [side, button] of buttons.entries()) button.textContent = pairs[0][side].name;
      since = performance.now();
      if (isAnnounced) say(`${fill(ask.of, { number: done.length + 1, count: total })}: ${pairs[0][0].name}, ${pairs[0][1].name}`);
    } else if (done.length) {
      const wins = (value) => done.reduce((sum, { shown, choice }) => sum + (choice !== null && shown.includes(value) ? (choice === value ? 1 : -1) : 0), 0);
      const order = [...entries].sort((a, b) => wins(b.value) - wins(a.value));
      result.replaceChildren(make("p", { textContent: `${ask.compared} ${ask.your_order}` }), make("ol", {}, ...order.map((entry) => make("li", { textContent: entry.name }))));
      if (isAnnounced) { begin.focus(); say(ask.compared); }
    }
  };
  const choose = (choice) => {
    const [first, second] = pairs.shift();
    const time = Math.min(Math.round(performance.now() - since), 86_400_000);
    note([...record(), { shown: [first.value, second.value], choice: choice === null ? null : choice === 0 ? first.value : second.value, time_ms: time }]);
    draw(true);
  };
  for (const [side, button] of buttons.entries()) button.addEventListener("click", () => choose(side));
  even.addEventListener("click", () => choose(null));
  undo.addEventListener("click", () => {
    const done = record();
    const last = done.pop();
    pairs.unshift(last.shown.map((value) => ({ value, name: name(value) })));
    note(done);
    draw(true);
    buttons[0].focus();
  });
  begin.addEventListener("click", () => {
    read();
    note([]);
    pairs = remaining();
    draw(true);
    (pairs.length ? buttons[0] : begin).focus();
    if (!pairs.length) say(ask.too_few_words);
  });
  area?.addEventListener("input", () => {
    const before = entries.map((entry) => entry.name).join("\n");
    read();
    if (entries.map((entry) => entry.name).join("\n") === before) return;
    field.value = "";
    pairs = [];
    draw(false);
  });
  const restore = () => {
    read();
    pairs = record().length || !area ? remaining() : [];
    draw(false);
  };
  for (const event of ["cleared", "filled"]) question.addEventListener(event, restore);
  holder.append(desk, result, make("p", { className: "actions" }, begin));
  restore();
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

// ---- Places

function location(holder, { ask, say, changed }) {
  const question = holder.closest(".question");
  const button = holder.querySelector("[data-locate]");
  const status = holder.querySelector("[data-location-status]");
  const { name, several } = holder.dataset;
  if (!("geolocation" in navigator)) return;
  const first = button.textContent;
  const places = () => [...holder.querySelectorAll(".place")];
  const field = (place, part) => place.querySelector(`[name$=".${part}"]`);
  const update = () => {
    for (const place of places()) {
      if (!field(place, "lat").value) { place.remove(); continue; }
      if (place.querySelector("button")) continue;
      const metres = Math.round(Number(field(place, "accuracy_m").value));
      const remove = make("button", { type: "button", className: "plain", textContent: ask.remove_place });
      remove.addEventListener("click", () => { place.remove(); status.textContent = ""; update(); button.focus(); changed(); });
      place.append(make("span", { textContent: fill(ask.located, { metres }) }), " ", remove);
    }
    for (const [index, place] of places().entries()) {
      for (const input of place.querySelectorAll("input")) input.name = `${name}${several ? `[${index}]` : ""}.${input.name.split(".").at(-1)}`;
    }
    const count = places().length;
    button.hidden = count >= (several ? Number(several) : 1);
    button.textContent = count ? ask.another_place : first;
  };
  const found = ({ coords }) => {
    const place = make("div", { className: "place" });
    const values = { lat: coords.latitude.toFixed(6), lon: coords.longitude.toFixed(6), accuracy_m: Math.min(Math.round(coords.accuracy), 100_000) };
    for (const [part, value] of Object.entries(values)) place.append(make("input", { type: "hidden", name: `${name}.${part}`, value }));
    button.parentElement.before(place);
    update();
    status.textContent = "";
    say(place.querySelector("span").textContent);
    place.querySelector("button").focus();
    changed();
  };
  button.addEventListener("click", () => {
    status.textContent = ask.locating;
    navigator.geolocation.getCurrentPosition(found, (error) => {
      status.textContent = error.code === error.PERMISSION_DENIED ? ask.location_denied : ask.location_failed;
    }, { enableHighAccuracy: true, timeout: 20_000, maximumAge: 60_000 });
  });
  for (const event of ["cleared", "filled"]) question.addEventListener(event, update);
  update();
}
