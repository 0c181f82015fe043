// Adds records to the queue of this device, and sends them.
//
// A record is one of:
//   { kind: "form", id, title, fields, sheet? }   a filled-in question document, as pairs of name and value. `id` is the
//     id of the new sheet. For a correction `sheet` is the id of the stored sheet, and `id` is a new id.
//   { kind, id, title, body }   `kind` and `body` as in a batch upload of the API, without `client_now`: "walk",
//     "calibration", "observation", "usage_event", "deletion"
// `enrolment` and `occasion` come from the address of the page, if the record does not state them.

import { account, all, announceStorage, changed, flush, get, meta, own, run, setMeta, subject, value } from "./outbox.js";
import { root } from "./page.js";

const DAY = 86_400_000;
const RECEIPT_DAYS = 30;
/** A batch is small enough for a slow connection. One larger record is a batch of its own. */
const BATCH_RECORDS = 50;
const BATCH_BYTES = 512 * 1024;
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 300_000;
const REQUEST_LIMIT = 120_000;

// ---- The queue

/** What clocks of the device show: the wall clock, a clock that is never set, and the zone. */
const clock = () => ({ client_now: new Date().toISOString(), monotonic: Math.round(performance.timeOrigin + performance.now()), zone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** A record with what the page knows about it. */
function complete(record) {
  const part = (pattern) => pattern.exec(location.pathname)?.[1];
  const entry = { language: root.lang, at: Date.now(), enrolment: part(/^\/my\/([0-9a-f-]{36})/), ...record, account, clock: clock() };
  if (record.kind === "form") {
    entry.occasion ??= record.sheet ? undefined : part(/\/o\/([0-9a-f-]{36})$/);
    entry.questionnaire ??= new Map(record.fields).get("questionnaire");
  }
  return entry;
}
/** Puts a record into the queue, and deletes its draft, in one transaction. Returns when it is on the disk. */
export async function enqueue(record, draftKey) {
  if (!account) throw new Error("a record belongs to an account, and this page has no session");
  const entry = complete(record);
  await run(["drafts", "outbox", "meta"], async (open) => {
    const before = await value(open("outbox").get(entry.id));
    // This browser's name for itself, and how many records it has made. They differ between accounts, so that no server
    // can connect accounts, and they begin again after a logout.
    const key = `device:${account}`;
    const device = (await value(open("meta").get(key)))?.value ?? { id: crypto.randomUUID(), counts: {} };
    if (before?.device === device.id) {
      entry.sequence = before.sequence;
    } else {
      entry.sequence = device.counts[entry.enrolment] = (device.counts[entry.enrolment] ?? 0) + 1;
      open("meta").put({ key, value: device });
    }
    entry.device = device.id;
    if (draftKey) open("drafts").delete(draftKey);
    return open("outbox").put(entry);
  });
  // Browsers keep the data of sites that ask, also when the disk is nearly full.
  navigator.storage?.persist?.().catch(() => {});
  changed();
  return entry;
}
/**
 * Puts a record into the queue, and sends it.
 * @param {number} patience how long to wait for the server, in milliseconds
 * @returns {Promise<{state: "sent" | "held" | "waiting" | "unsaved", problem?: object, words?: string[], receipt?: object}>}
 *   `unsaved`: this browser cannot keep the record, and it could not be sent. The page must keep the answers.
 */
export async function submit(record, draftKey, patience = 15_000) {
  try {
    await enqueue(record, draftKey);
  } catch (error) {
    // No space, or a private window that keeps nothing. The record is sent without being stored first.
    announceStorage(error);
    return sendUnstored(complete(record));
  }
  const late = new Promise((resolve) => { setTimeout(() => resolve({ state: "waiting" }), patience); });
  return Promise.race([deliver(record.id), late]);
}
/** Sends one record now, and everything else that waits. */
export async function deliver(id) {
  await sendAll({ isUrgent: true });
  const held = await get("held", id);
  if (held) return { state: "held", problem: held.problem, words: held.words };
  if (await get("outbox", id)) return { state: "waiting" };
  const receipt = await get("receipts", id);
  return { state: "sent", receipt: receipt?.receipt };
}
async function sendUnstored(record) {
  const reply = await post(record.enrolment, [record]);
  const result = reply.results?.[0];
  if (DONE.has(result?.result)) return { state: "sent", receipt: result.receipt };
  if (result?.result === "rejected") return { state: "held", problem: result.problem, words: result.words };
  return { state: "unsaved", problem: reply.problem };
}

// ---- Sending

const DONE = new Set(["accepted", "replayed", "duplicate", "out_of_window"]);
/** Statuses that concern the records of a request, and do not change by waiting. */
const REFUSED = new Set([400, 403, 404, 409, 413, 415, 422]);
const jitter = (pause) => pause * (0.5 + Math.random() / 2);

/** An item of an upload. */
function item(record) {
  const { id, kind, sequence } = record;
  const body = kind === "form" ? { fields: Object.fromEntries(record.fields), occasion: record.occasion, language: record.language } : record.body;
  return { kind, id, sequence, body };
}
/**
 * Uploads records of one enrolment.
 * @returns {Promise<{results?: object[], status: number, problem?: object, pause?: number}>} status 0: no answer
 */
async function post(enrolment, records) {
  let reply;
  try {
    reply = await fetch(`/my/${enrolment}/upload`, {
      method: "POST", credentials: "same-origin", redirect: "manual", signal: AbortSignal.timeout(REQUEST_LIMIT),
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({
        account, client_now: new Date().toISOString(), items: records.map(item),
        ...(records[0].device ? { device_id: records[0].device } : {}),
      }),
    });
    const type = reply.headers.get("Content-Type") ?? "";
    const seconds = Number(reply.headers.get("Retry-After"));
    const pause = seconds > 0 ? seconds * 1000 : undefined;
    // A page of a hotel's network is no answer of the server.
    if (!type.includes("json")) return { status: reply.status >= 500 ? reply.status : 0, pause };
    const json = await reply.json();
    if (reply.ok && json.items?.length === records.length) return { status: 200, results: json.items };
    return { status: reply.ok ? 0 : reply.status, problem: json, pause };
  } catch {
    return { status: 0 };
  }
}
/** Stores the results of an upload in one transaction. */
async function settle(records, results) {
  const now = Date.now();
  await run(["outbox", "held", "receipts"], async (open) => {
    for (const [index, record] of records.entries()) {
      const { result, problem, words, receipt } = results[index] ?? {};
      // The participant may have deleted it meanwhile.
      if (!await value(open("outbox").get(record.id))) continue;
      if (DONE.has(result)) {
        open("outbox").delete(record.id);
        const { id, kind, enrolment, title, occasion, questionnaire, at } = record;
        open("receipts").put({ id, account, kind, enrolment, title, occasion, questionnaire, at, subject: subject(record), sentAt: now, result, receipt: brief(receipt) });
      } else if (result === "rejected") {
        open("outbox").delete(record.id);
        open("held").put({ ...record, heldAt: now, problem, words });
      } else {
        const attempts = (record.attempts ?? 0) + 1;
        open("outbox").put({ ...record, attempts, notBefore: now + jitter(Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE)) });
      }
    }
  });
  changed();
}
/** A receipt without the long parts. */
const brief = (receipt) => receipt && Object.fromEntries(Object.entries(receipt).filter(([, entry]) => typeof entry !== "object"));

/** Sends one batch. Returns whether the next batch may follow. */
async function send(batch) {
  const reply = await post(batch[0].enrolment, batch);
  if (reply.results) {
    await settle(batch, reply.results);
    await run(["meta"], (open) => { open("meta").delete(`pause:${account}`); return open("meta").delete(`login:${account}`); });
    return true;
  }
  if (reply.status === 401) {
    await setMeta(`login:${account}`, true);
    changed();
    return false;
  }
  if (REFUSED.has(reply.status)) {
    if (batch.length === 1) {
      await settle(batch, [{ result: "rejected", problem: reply.problem, words: [reply.problem?.detail ?? reply.problem?.title].filter(Boolean) }]);
      return true;
    }
    // One of the records is at fault. Each is sent alone, so that it blocks no other.
    for (const record of batch) if (!await send([record])) return false;
    return true;
  }
  if (reply.status >= 500 && reply.status !== 503 && batch.length > 1) {
    for (const record of batch) if (!await send([record])) return false;
    return true;
  }
  if (reply.status >= 500 && reply.status !== 503) {
    await settle(batch, [{ result: "retry" }]);
    return true;
  }
  const before = await meta(`pause:${account}`);
  const attempts = (before?.attempts ?? 0) + 1;
  const pause = Math.max(reply.pause ?? 0, jitter(Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE)));
  await setMeta(`pause:${account}`, { attempts, until: Date.now() + pause, isAsked: reply.pause !== undefined });
  schedule(pause);
  return false;
}
/** Records of one enrolment and one device, up to a limit of their number and size. */
function* batches(records) {
  const groups = new Map();
  for (const record of records) {
    const key = `${record.enrolment} ${record.device}`;
    groups.set(key, [...groups.get(key) ?? [], record]);
  }
  for (const list of groups.values()) {
    let batch = [], size = 0;
    for (const record of list) {
      const bytes = JSON.stringify(item(record)).length;
      if (batch.length && (batch.length >= BATCH_RECORDS || size + bytes > BATCH_BYTES)) { yield batch; batch = []; size = 0; }
      batch.push(record);
      size += bytes;
    }
    if (batch.length) yield batch;
  }
}
/**
 * Sends what waits. Only one page of the browser sends at a time.
 * @param {{isUrgent?: boolean}} options urgent: the participant, or a new connection, asks for it. It waits for another
 *   page that sends, and does not wait for the end of a pause, unless the server asked for the pause.
 */
export async function sendAll({ isUrgent = false } = {}) {
  const work = async (lock) => {
    if (!lock) return;
    const pause = await meta(`pause:${account}`);
    const now = Date.now();
    // A pause that is longer than possible comes from a clock that was set back.
    const rest = pause ? Math.min(pause.until - now, LONGEST_PAUSE) : 0;
    if (rest > 0 && (!isUrgent || pause.isAsked)) { schedule(rest); return; }
    const waiting = (await own("outbox")).filter((record) => isUrgent || (record.notBefore ?? 0) <= now || record.notBefore > now + LONGEST_PAUSE)
      .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
    for (const batch of batches(waiting)) if (!await send(batch)) break;
    await prune(now);
  };
  try {
    if (navigator.locks) await navigator.locks.request("saunter-outbox", isUrgent ? {} : { ifAvailable: true }, work);
    else await work(true);
  } catch (error) { announceStorage(error); }
  changed();
}
async function prune(now) {
  const old = (await all("receipts")).filter((receipt) => receipt.sentAt < now - RECEIPT_DAYS * DAY);
  if (old.length) await run(["receipts"], (open) => { for (const receipt of old) open("receipts").delete(receipt.id); });
}
let timer;
function schedule(pause) {
  clearTimeout(timer);
  timer = setTimeout(() => flush(), Math.max(1000, pause));
}
/** Moves a refused record back into the queue. */
export const retry = (record) => run(["held", "outbox"], (open) => {
  const { heldAt, problem, words, attempts, notBefore, ...kept } = record;
  open("held").delete(record.id);
  return open("outbox").put(kept);
});
