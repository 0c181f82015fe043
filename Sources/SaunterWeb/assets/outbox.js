// The records on this device: drafts, records that wait to be sent, records that the server refused, and receipts.
// A record is on the disk before it is sent, and it is deleted only after the server has it.
//
// Other modules use:
//   submit(record, draftKey)  puts a record into the queue in place of its draft, and sends it
//   enqueue(record, draftKey) only puts it into the queue
//   getDraft, saveDraft, removeDraft
//   overview(), addEventListener("saunter-outbox", …)  what is on the device
//
// A record is one of:
//   { kind: "form", id, title, fields, sheet? }   a filled-in question document, as pairs of name and value. `id` is the
//     id of the new sheet. For a correction `sheet` is the id of the stored sheet, and `id` is a new id.
//   { kind, id, title, body }   `kind` and `body` as in a batch upload of the API, without `client_now`: "walk",
//     "calibration", "observation", "usage_event", "deletion"
// `enrolment` and `occasion` come from the address of the page, if the record does not state them.

const root = document.documentElement;
const DAY = 86_400_000;
const RECEIPT_DAYS = 30;
/** A batch is small enough for a slow connection. One larger record is a batch of its own. */
const BATCH_RECORDS = 50;
const BATCH_BYTES = 512 * 1024;
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 300_000;
const REQUEST_LIMIT = 120_000;

/** Identifies the account, and reveals nothing about it. Empty without a session. */
export const account = root.dataset.account ?? "";

// ---- The database

let opening;
/** @returns {Promise<IDBDatabase>} */
function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("saunter", 2);
    request.onupgradeneeded = () => {
      const db = request.result;
      const keys = { drafts: "key", outbox: "id", held: "id", receipts: "id", sealed: "account", meta: "key" };
      for (const [name, keyPath] of Object.entries(keys)) {
        if (!db.objectStoreNames.contains(name)) db.createObjectStore(name, { keyPath });
      }
    };
    request.onsuccess = () => {
      const db = request.result;
      // A newer release in another tab changes the database. The next call opens it again.
      db.onversionchange = () => { db.close(); opening = undefined; };
      db.onclose = () => { opening = undefined; };
      resolve(db);
    };
    request.onerror = () => { opening = undefined; reject(request.error); };
  });
  return opening;
}
/**
 * Runs one transaction, and waits until it is on the disk. `action` gets a function that opens a store, and returns a
 * request, or a promise that uses only requests of this transaction.
 */
export async function run(stores, action, mode = "readwrite") {
  const transaction = (await database()).transaction(stores, mode, { durability: "strict" });
  const done = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
  });
  done.catch(() => {});
  let result;
  try {
    result = await action((name) => transaction.objectStore(name));
  } catch (error) {
    try { transaction.abort(); } catch { /* it has already ended */ }
    throw error;
  }
  await done;
  return result instanceof IDBRequest ? result.result : result;
}
/** The result of a request, inside a transaction. */
export const value = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const read = (name, ask) => run([name], (open) => ask(open(name)), "readonly");
export const all = (name) => read(name, (store) => store.getAll());
export const get = (name, key) => read(name, (store) => store.get(key));
export const put = (name, entry) => run([name], (open) => open(name).put(entry));
export const remove = (name, key) => run([name], (open) => open(name).delete(key));
const meta = async (key) => (await get("meta", key))?.value;
const setMeta = (key, entry) => put("meta", { key, value: entry });

// ---- Drafts

/** A draft of this account; undefined if there is none. */
export async function getDraft(key) {
  const draft = await get("drafts", key);
  return draft?.account === account ? draft : undefined;
}
/** Saves a draft under a key, such as the address of the page. */
export const saveDraft = (key, draft) => put("drafts", { ...draft, key, account, at: Date.now() });
export const removeDraft = (key) => remove("drafts", key);

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
  await flush({ isUrgent: true });
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
/** The sheet or walk that a record corrects or deletes. */
export const subject = (record) => record.sheet ?? record.body?.sheet_id ?? record.body?.walk_id;
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
export async function flush({ isUrgent = false } = {}) {
  if (!account || (navigator.onLine === false && !isUrgent)) return;
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

// ---- What is on the device

/** The records of this account in a store. */
export const own = async (name) => (await all(name)).filter((record) => record.account === account);
/** @returns {Promise<{waiting: object[], held: object[], receipts: object[], others: number, sealed: number, needsLogin: boolean}>} */
export async function overview() {
  const [outbox, held, receipts, sealed, login] = await Promise.all([all("outbox"), all("held"), own("receipts"), all("sealed"), meta(`login:${account}`)]);
  const isOwn = (record) => record.account === account;
  const foreign = [...outbox, ...held].filter((record) => !isOwn(record)).length
    + sealed.filter((entry) => !isOwn(entry)).reduce((sum, entry) => sum + entry.count, 0);
  return { waiting: outbox.filter(isOwn), held: held.filter(isOwn), receipts, others: foreign, needsLogin: login === true };
}
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("saunter-outbox") : undefined;
channel?.addEventListener("message", () => dispatchEvent(new Event("saunter-outbox")));
/** Reports a change to all pages. */
export function changed() {
  dispatchEvent(new Event("saunter-outbox"));
  channel?.postMessage("changed");
}
/** Reports that this browser cannot keep records. */
export function announceStorage(error) {
  dispatchEvent(new CustomEvent("saunter-storage", { detail: error }));
}
/** Moves a refused record back into the queue. */
export const retry = (record) => run(["held", "outbox"], (open) => {
  const { heldAt, problem, words, attempts, notBefore, ...kept } = record;
  open("held").delete(record.id);
  return open("outbox").put(kept);
});

// ---- Logging out, and files

const unbase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Stores the key for sealing, which only a session gets. The script can use it, and cannot read it. */
export async function keepKey() {
  if (!account || !crypto.subtle || (await meta(`key:${account}`))) return;
  const reply = await fetch("/device/key", { credentials: "same-origin" });
  if (!reply.ok || reply.redirected) return;
  const json = await reply.json();
  if (json.account !== account) return;
  await setMeta(`key:${account}`, await crypto.subtle.importKey("raw", unbase64(json.key), "AES-GCM", false, ["encrypt", "decrypt"]));
}
/** Encrypts the unsent records and the drafts of this account. The next login of the account decrypts them. */
export async function seal() {
  await keepKey();
  const key = await meta(`key:${account}`);
  const records = { outbox: await own("outbox"), held: await own("held"), drafts: await own("drafts") };
  const count = records.outbox.length + records.held.length;
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const bytes = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(JSON.stringify(records)));
  await run(["sealed", "outbox", "held", "drafts"], async (open) => {
    for (const [name, list] of Object.entries(records)) for (const record of list) open(name).delete(name === "drafts" ? record.key : record.id);
    return open("sealed").put({ account, iv, bytes, count, at: Date.now() });
  });
}
/** Decrypts what this account sealed. */
export async function unseal() {
  const sealed = await get("sealed", account);
  if (!sealed) return;
  await keepKey();
  const key = await meta(`key:${account}`);
  if (!key) return;
  const records = JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.iv }, key, sealed.bytes)));
  await run(["sealed", "outbox", "held", "drafts"], (open) => {
    for (const [name, list] of Object.entries(records)) for (const record of list) open(name).put(record);
    return open("sealed").delete(account);
  });
  changed();
}
/** Deletes what this device has of an account, except what is sealed. */
export async function forget(digest = account, includeSealed = false) {
  await run(["drafts", "outbox", "held", "receipts", "sealed", "meta"], async (open) => {
    for (const [name, path] of [["drafts", "key"], ["outbox", "id"], ["held", "id"], ["receipts", "id"]]) {
      for (const record of await value(open(name).getAll())) if (record.account === digest) open(name).delete(record[path]);
    }
    for (const { key } of await value(open("meta").getAll())) {
      if (key.endsWith(`:${digest}`)) open("meta").delete(key);
    }
    if (includeSealed) open("sealed").delete(digest);
  });
}

/** Records as a file. */
export function file(records) {
  return new Blob([JSON.stringify({ saunter: 1, saved_at: new Date().toISOString(), account, records }, null, 1)], { type: "application/json" });
}
/**
 * Puts the records of a file into the queue.
 * @returns {Promise<number | "other" | "unreadable">} how many; `other`: they belong to another account
 */
export async function load(text) {
  let content;
  try { content = JSON.parse(text); } catch { return "unreadable"; }
  if (content?.saunter !== 1 || !Array.isArray(content.records)) return "unreadable";
  if (content.account !== account) return "other";
  const records = content.records.filter((record) => typeof record.id === "string" && typeof record.enrolment === "string" && typeof record.kind === "string");
  if (records.length !== content.records.length) return "unreadable";
  await run(["outbox"], (open) => {
    // The numbers belong to the device that saved the file.
    for (const { sequence, device, heldAt, problem, words, attempts, notBefore, ...record } of records) open("outbox").put({ ...record, account });
  });
  changed();
  return records.length;
}
