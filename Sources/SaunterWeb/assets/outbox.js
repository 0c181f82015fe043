// The records on this device: drafts, records that wait to be sent, records that the server refused, and receipts.
// A record is on the disk before it is sent, and it is deleted only after the server has it.
// Their states are in `overview()`; the event "saunter-outbox" reports a change. `sending.js` adds and sends records.

import { root } from "./page.js";

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
/** Transactions that are not committed yet. */
const running = new Set();
// While the browser keeps this page for the button Back, its transactions would stand still, and keep other pages out.
globalThis.addEventListener?.("pagehide", () => {
  for (const transaction of running) end(() => transaction.abort());
});
globalThis.addEventListener?.("pageshow", ({ persisted }) => { if (persisted) dispatchEvent(new Event("saunter-outbox")); });
/** Does what a transaction that has already ended refuses. */
function end(action) {
  try { action(); } catch (error) { if (error.name !== "InvalidStateError") throw error; }
}
/**
 * Runs one transaction, and waits until it is on the disk. `action` gets a function that opens a store, and returns a
 * request, or a promise that uses only requests of this transaction.
 * @returns what `action` returns; of a request the result, if it reads
 */
export async function run(stores, action, mode = "readwrite") {
  const transaction = (await database()).transaction(stores, mode, { durability: "strict" });
  const done = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
  });
  done.catch(() => {});
  running.add(transaction);
  try {
    const result = await action((name) => transaction.objectStore(name));
    if (mode === "readwrite") {
      // It does not wait for this page to read the results.
      end(() => transaction.commit());
      running.delete(transaction);
    }
    await done;
    if (!(result instanceof IDBRequest)) return result;
    return mode === "readonly" ? result.result : undefined;
  } catch (error) {
    end(() => transaction.abort());
    throw error;
  } finally {
    running.delete(transaction);
  }
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
export const meta = async (key) => (await get("meta", key))?.value;
export const setMeta = (key, entry) => put("meta", { key, value: entry });

// ---- Drafts

/** A draft of this account; undefined if there is none. */
export async function getDraft(key) {
  const draft = await get("drafts", key);
  return draft?.account === account ? draft : undefined;
}
/** Saves a draft under a key, such as the address of the page. */
export const saveDraft = (key, draft) => put("drafts", { ...draft, key, account, at: Date.now() });
export const removeDraft = (key) => remove("drafts", key);

// ---- What is on the device

/** The records of this account in a store. */
export const own = async (name) => (await all(name)).filter((record) => record.account === account);
/**
 * What waits and what was refused. Counts of what was opened and seen are sent in silence, so they are not among them.
 * @returns {Promise<{waiting: object[], held: object[], receipts: object[], others: number, sealed: number, needsLogin: boolean}>}
 */
export async function overview() {
  const [outbox, held, receipts, sealed, login] = await Promise.all([all("outbox"), all("held"), own("receipts"), all("sealed"), meta(`login:${account}`)]);
  const isOwn = (record) => record.account === account;
  const answers = outbox.filter(({ kind }) => kind !== "usage_event");
  const foreign = [...answers, ...held].filter((record) => !isOwn(record)).length
    + sealed.filter((entry) => !isOwn(entry)).reduce((sum, entry) => sum + entry.count, 0);
  return { waiting: answers.filter(isOwn), held: held.filter(isOwn), receipts, others: foreign, needsLogin: login === true };
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
  // The page was hidden, so it ended the transaction itself.
  if (error?.name === "AbortError") return;
  dispatchEvent(new CustomEvent("saunter-storage", { detail: error }));
}
/** The sheet or walk that a record corrects or deletes. */
export const subject = (record) => record.sheet ?? record.body?.sheet_id ?? record.body?.walk_id;
/** Sends what waits, if anything waits. */
export async function flush(options = {}) {
  if (!account || (navigator.onLine === false && !options.isUrgent)) return;
  try {
    if (!(await own("outbox")).length) return;
  } catch (error) { return announceStorage(error); }
  try {
    await (await import("./sending.js")).sendAll(options);
  } catch (error) { console.info("nothing is sent:", error.message); }
}
