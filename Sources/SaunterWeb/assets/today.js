// Today, Entries and programmes: what is on this device over what the server knew when the page was made.

import * as outbox from "./outbox.js";
import { home, make, root, texts } from "./page.js";

// Without its words the page still hides no card.
const words = await texts("status").catch(() => ({}));
const enrolment = home?.slice(4);
/** The participant's zone; that of the device if the page does not state it. */
let zone = document.querySelector("[data-time-zone]")?.dataset.timeZone || undefined;
const format = (at, options) => new Date(at).toLocaleString(root.lang, { timeZone: zone, ...options });
const day = (at) => format(at, { dateStyle: "short" });
/** The local date, such as 2026-11-21. */
const isoDay = (at) => new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
/** "18:04", or with the day if it is not today. */
const time = (at) => format(at, day(at) === day(Date.now()) ? { hourCycle: "h23", timeStyle: "short" } : { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const sentText = (receipt) => words.sent_at?.replace("{time}", time(receipt.sentAt));

/** The plan that the service worker keeps; undefined if there is none. */
async function plan() {
  const kept = await (await caches.open(`documents-${outbox.account}`)).match(`${home}/plan`);
  return kept?.json();
}
const isOwn = (record) => record.enrolment === enrolment;
/** The page does not know what was sent after it was kept or made. */
const since = Number(root.dataset.kept) || performance.timeOrigin;
const sentLater = (receipts) => receipts.filter(({ sentAt }) => sentAt > since);

// ---- Today

const due = document.getElementById("due");
/** The section under a heading; made if the page has none. */
function section(id, title) {
  const heading = document.getElementById(id);
  const found = heading?.closest("section");
  if (found) return found.querySelector("ul") ?? found.appendChild(make("ul", { className: "cards" }));
  const list = make("ul", { className: id === "due" ? "cards" : "plain-list" });
  const made = make("section", {}, make("h2", { id, textContent: title }), list);
  made.setAttribute("aria-labelledby", id);
  due.closest("section").after(made);
  return list;
}
/** What this device has done: the sheets by id, with the words for their states. */
function done({ waiting, held, receipts }) {
  const sheets = (list, state) => list.filter((record) => isOwn(record) && record.kind === "form" && !record.sheet).map((record) => [record.id, { ...record, state: state(record) }]);
  return [...sheets(receipts, sentText), ...sheets(held, () => words.needs_attention), ...sheets(waiting, () => words.saved_here)];
}
function doneItem([id, { title, state, sentAt }]) {
  const link = make("a", { href: sentAt ? `${home}/sheets/${id}` : "/unsent", textContent: title });
  const item = make("li", {}, link, " ", make("span", { className: "small", textContent: state }));
  item.dataset.local = id;
  return item;
}
function dueCard({ occasion_id: id, questionnaire, closes_at: closes }, { titles }) {
  const { title = questionnaire, minutes = "" } = titles.get(questionnaire) ?? {};
  const address = `${home}/o/${id}`;
  const link = make("a", { className: "button primary", href: address, textContent: words.answer }, make("span", { className: "visually-hidden", textContent: ` ${title}` }));
  const state = [minutes, words.open_until?.replace("{time}", time(Date.parse(closes)))].filter(Boolean).join(" · ");
  const card = make("li", { className: "card" }, make("h3", {}, make("a", { href: address, textContent: title })), make("p", { textContent: state }), make("p", { className: "actions" }, link));
  card.dataset.occasion = id;
  return card;
}
/** A kept page is from another time: what is due follows from the plan. */
async function replan() {
  const current = await plan();
  if (!current) return;
  zone = current.time_zone ?? zone;
  redate(current.content);
  const now = Date.now();
  const passed = Math.round((Date.parse(isoDay(now)) - Date.parse(isoDay(Date.parse(current.as_of)))) / 86_400_000);
  const heading = document.querySelector("h1");
  // Only studies that count their days have a number here.
  if (passed > 0 && /\d/.test(heading.textContent)) heading.textContent = words.day?.replace("{day}", current.study_day + 1 + passed).replace("{days}", current.days + 1);
  const titles = new Map(current.questionnaires.map((one) => [one.questionnaire, one]));
  const open = current.occasions.filter(({ opens_at: opens, closes_at: closes }) => Date.parse(opens) <= now && now < Date.parse(closes));
  const list = section("due");
  const known = new Map([...list.querySelectorAll("[data-occasion]")].map((card) => [card.dataset.occasion, card]));
  list.replaceChildren(...open.map((occasion) => known.get(occasion.occasion_id) ?? dueCard(occasion, { titles })));
  const later = current.occasions.filter(({ opens_at: opens }) => Date.parse(opens) > now && day(Date.parse(opens)) === day(now));
  const laterHeading = document.getElementById("later")?.closest("section");
  laterHeading?.querySelector("ul").replaceChildren(...later.map(({ questionnaire, opens_at: opens }) => make("li", { className: "card" },
    make("h3", { textContent: titles.get(questionnaire)?.title ?? questionnaire }), make("p", { textContent: words.opens_at?.replace("{time}", time(Date.parse(opens))) }))));
  if (laterHeading) laterHeading.hidden = !later.length;
  // What was done or closed on the day of the kept page says nothing about this day.
  if (day(Date.parse(current.as_of)) !== day(now)) {
    for (const id of ["done", "unavailable"]) document.getElementById(id)?.closest("section").setAttribute("hidden", "");
  }
}
/** The cards of the day of a page from another day. */
function redate(content = []) {
  const date = isoDay(Date.now());
  for (const card of document.querySelectorAll("section.content[data-date]")) {
    const next = content.find((one) => one.collection === card.dataset.collection && one.local_date === date);
    if (!next || card.dataset.date === date) continue;
    const texts = [next.title && make("h3", { className: "plain", textContent: next.title }), ...next.text.map((text) => make("p", { className: "text", textContent: text })),
      next.details && make("p", { className: "small", textContent: next.details })].filter(Boolean);
    card.replaceChildren(card.querySelector("h2"), ...texts);
    Object.assign(card.dataset, { item: next.item, date });
  }
}
async function drawToday() {
  const overview = await outbox.overview();
  const sheets = done(overview);
  const occasions = new Set(sheets.map(([, { occasion }]) => occasion));
  const list = section("due");
  for (const card of list.querySelectorAll("[data-occasion]")) if (occasions.has(card.dataset.occasion)) card.remove();
  for (const item of document.querySelectorAll("[data-local]")) item.remove();
  // The page lists what the server had when it was made. Older receipts concern other days.
  const listed = new Set([...document.querySelectorAll("[data-sheet]")].map((item) => item.dataset.sheet));
  const local = sheets.filter(([id, { sentAt, occasion }]) => !listed.has(id) && (!sentAt || wasDue.has(occasion)));
  if (local.length) {
    const shown = section("done", words.on_device);
    shown.closest("section").hidden = false;
    shown.prepend(...local.map(doneItem));
  }
  await offerAfterWalk(overview);
  await offerDrafts();
  const empty = due.closest("section").querySelector(".empty");
  const isEmpty = !list.children.length;
  if (isEmpty && !empty) list.before(make("p", { className: "empty", textContent: words.nothing_due }));
  else if (empty) empty.hidden = !isEmpty;
}
/** A walk that is not sent yet: the server cannot plan what follows it, so its questionnaires are offered here. */
async function offerAfterWalk({ waiting, receipts }) {
  const walk = waiting.filter(isOwn).find((record) => record.kind === "walk");
  const current = walk && await plan();
  for (const code of current?.walk_leads_to ?? []) {
    const isAnswered = [...waiting, ...receipts].some((record) => isOwn(record) && record.questionnaire === code && record.at >= walk.at);
    const address = `${home}/q/${code}`;
    if (isAnswered || document.querySelector(`#due-list a[href="${address}"]`)) continue;
    const { title, minutes } = current.questionnaires.find((one) => one.questionnaire === code) ?? { title: code };
    const card = make("li", { className: "card" }, make("h3", {}, make("a", { href: address, textContent: title })), make("p", { textContent: minutes ?? "" }),
      make("p", { className: "actions" }, make("a", { className: "button primary", href: address, textContent: words.answer })));
    card.dataset.local = code;
    section("due").append(card);
  }
}
/** Answers that were begun on this device: their cards offer to continue. */
async function offerDrafts() {
  for (const { key, number, count } of await outbox.own("drafts")) {
    const text = words.continue_draft?.replace("{number}", number).replace("{count}", count);
    for (const link of document.querySelectorAll(`main .card a[href="${CSS.escape(key)}"]`)) {
      const card = link.closest(".card");
      const button = card.querySelector(".button");
      if (button) button.firstChild.textContent = text;
      else if (!card.querySelector(".draft")) card.append(make("p", { className: "small draft", textContent: text }));
    }
  }
}
/** The occasions that the page showed as due. */
const wasDue = new Set();
async function startToday() {
  const note = () => { for (const card of document.querySelectorAll("[data-occasion]")) wasDue.add(card.dataset.occasion); };
  note();
  addEventListener("saunter-outbox", drawToday);
  try {
    if (root.dataset.kept) await replan();
    note();
    await drawToday();
  } finally {
    // Until then a kept page hides its cards, which are those of another time.
    root.dataset.planned = "";
  }
}

// ---- Entries

const entries = document.getElementById("entries");
async function drawEntries() {
  const { waiting, held, receipts } = await outbox.overview();
  document.getElementById("local-entries")?.remove();
  const local = [...held.map((record) => ({ ...record, state: words.needs_attention })), ...waiting.map((record) => ({ ...record, state: words.saved_here })),
    ...sentLater(receipts).map((receipt) => ({ ...receipt, state: sentText(receipt) }))].filter(isOwn);
  const isNew = ({ kind, sheet }) => kind === "form" && !sheet;
  const listed = new Set([...entries.querySelectorAll('a[href*="/sheets/"]')].map((link) => link.href.split("/").at(-1)));
  const made = local.filter((record) => isNew(record) && !listed.has(record.id)).sort((a, b) => b.at - a.at);
  if (made.length) {
    const cards = made.map((record) => make("li", { className: "card" }, make("h3", { textContent: record.title }), make("p", { className: "small", textContent: time(record.at) }),
      make("p", {}, make("a", { href: "/unsent", textContent: record.state }))));
    const block = make("section", { id: "local-entries" }, make("h2", { id: "local-title", textContent: words.on_device }), make("ul", { className: "cards" }, ...cards));
    block.setAttribute("aria-labelledby", "local-title");
    entries.before(block);
    entries.querySelector(".empty")?.setAttribute("hidden", "");
  }
  const changes = new Map(local.filter((record) => !isNew(record)).map((record) => [outbox.subject(record) ?? record.subject, record]));
  for (const link of entries.querySelectorAll('a[href*="/sheets/"]')) {
    const change = changes.get(link.href.split("/").at(-1));
    const card = link.closest(".card");
    card.querySelector(".local-state")?.remove();
    if (!change) continue;
    const text = change.sentAt ? change.state : change.kind === "deletion" ? words.deletion_waiting : words.change_waiting;
    card.append(make("p", { className: "local-state" }, make("a", { href: "/unsent", textContent: text })));
  }
}

// ---- A programme

const practices = [...document.querySelectorAll("[data-practice]")].map((card) => ({ card, state: card.querySelector(".state"), known: card.querySelector(".state").textContent }));
async function drawPractices() {
  const { waiting, held, receipts } = await outbox.overview();
  for (const { card, state, known } of practices) {
    const own = (list) => list.find((record) => isOwn(record) && record.questionnaire === card.dataset.practice && !record.sheet);
    const sent = own(sentLater(receipts));
    state.textContent = own(held) ? words.needs_attention : own(waiting) ? words.saved_here : sent ? sentText(sent) : known;
  }
  await offerDrafts();
}

if (outbox.account && due && home === location.pathname) startToday().catch((error) => outbox.announceStorage(error));
if (outbox.account && entries) {
  drawEntries().catch((error) => outbox.announceStorage(error));
  addEventListener("saunter-outbox", drawEntries);
}
if (outbox.account && practices.length) {
  drawPractices().catch((error) => outbox.announceStorage(error));
  addEventListener("saunter-outbox", drawPractices);
}
