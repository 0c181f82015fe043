// What the next person on this device cannot read: unsent records of an account that are locked until its next login.

import { account, changed, get, meta, own, run, setMeta, value } from "./outbox.js";

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

