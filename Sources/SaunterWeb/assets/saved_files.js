// Records of this device as a file, for a device that cannot connect.

import { account, changed, run } from "./outbox.js";

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
