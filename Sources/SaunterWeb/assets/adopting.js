// The pages that move the entries of an anonymous account to another account. What waits on this device moves with them.

import { account, announceStorage, changed, flush, run, value } from "./outbox.js";

const FORMER = "adopts";
for (const form of document.querySelectorAll("form[data-adopts]")) {
  form.addEventListener("submit", () => sessionStorage.setItem(FORMER, account));
}

/**
 * Gives this account the records of its enrolments, and deletes what else the former account has on this device.
 * @param {Set<string>} enrolments what the server says that this account has
 */
async function move(enrolments) {
  const names = ["drafts", "outbox", "held", "receipts"];
  await run(names, async (open) => {
    for (const name of names) {
      for (const record of await value(open(name).getAll())) {
        const enrolment = record.enrolment ?? /^\/my\/([0-9a-f-]{36})/.exec(record.key ?? "")?.[1];
        if (record.account !== account && enrolments.has(enrolment)) open(name).put({ ...record, account });
      }
    }
  });
  const former = sessionStorage.getItem(FORMER);
  sessionStorage.removeItem(FORMER);
  if (former && former !== account) await (await import("./leaving.js")).forgetAdopted(former);
  changed();
  await flush({ isUrgent: true });
}
const adopted = document.getElementById("adopted");
if (adopted && account) move(new Set(adopted.dataset.enrolments.split(" "))).catch(announceStorage);
