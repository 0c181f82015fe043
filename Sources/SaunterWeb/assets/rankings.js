// Controls for an order: entries that move up and down, and comparisons of pairs.

import { shuffled } from "./controls.js";
import { fill, make } from "./page.js";

export const needsAllWords = true;
/** Prepares a list of entries, or the comparison of its pairs. */
export const prepare = (element, page) => element.matches("ol") ? ranking(element, page) : compare(element, page);

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
