// What is on this device: records that wait, records that the server refused, and what was sent lately.

import * as outbox from "./outbox.js";
import { counted, make, root } from "./page.js";
import { file, load } from "./saved_files.js";
import { deliver, retry } from "./sending.js";

const list = document.getElementById("unsent");
const words = JSON.parse(list.dataset.words);
const { lang } = root;
const moment = (at) => new Date(at).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const size = (record) => words.size.replace("{size}", new Intl.NumberFormat(lang, { maximumFractionDigits: 1 }).format(JSON.stringify(record).length / 1024));
const show = (id, isShown) => { document.getElementById(id).hidden = !isShown; };
const note = (text) => { document.getElementById("unsent-note").textContent = text; };

function card(record, isHeld) {
  const actions = make("p", { className: "actions" });
  const offer = (text, action, className = "") => {
    const button = make("button", { type: "button", textContent: text, className });
    button.append(make("span", { className: "visually-hidden", textContent: ` ${record.title}` }));
    button.addEventListener("click", action);
    actions.append(button);
  };
  offer(isHeld ? words.send_again : words.send_now, async () => {
    if (isHeld) await retry(record);
    await deliver(record.id);
  });
  offer(words.save_file, () => save([record]));
  offer(list.dataset.delete, async () => {
    if (!confirm(words.delete_sure)) return;
    await outbox.remove(isHeld ? "held" : "outbox", record.id);
    outbox.changed();
  }, "danger");
  const state = make("p", { textContent: `${moment(record.at)} · ${size(record)}${isHeld ? "" : ` · ${words.not_sent}`}` });
  const reasons = isHeld ? [make("p", { className: "banner warn", textContent: words.refused }), make("ul", {}, ...(record.words ?? []).map((text) => make("li", { textContent: text })))] : [];
  const element = make("section", { className: "card" }, make("h2", { textContent: record.title }), state, ...reasons, actions);
  element.dataset.record = record.id;
  return element;
}
async function draw() {
  const { waiting, held, receipts, others } = await outbox.overview();
  show("all-sent", !waiting.length && !held.length);
  show("unsent-actions", waiting.length > 0 || held.length > 0);
  show("send-all", waiting.length > 0);
  show("load", true);
  show("others", others > 0);
  if (others) document.getElementById("others").textContent = counted(words, "others", others);
  list.replaceChildren(...held.map((record) => card(record, true)), ...waiting.sort((a, b) => b.at - a.at).map((record) => card(record, false)));
  show("receipts", receipts.length > 0);
  document.querySelector("#receipts ul").replaceChildren(...receipts.sort((a, b) => b.sentAt - a.sentAt).slice(0, 100)
    .map((receipt) => make("li", { textContent: `${receipt.title} · ${moment(receipt.sentAt)}` })));
}
function save(records) {
  const link = make("a", { href: URL.createObjectURL(file(records)), download: `saunter-${new Date().toISOString().slice(0, 10)}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
document.getElementById("send-all").addEventListener("click", () => outbox.flush({ isUrgent: true }));
document.getElementById("save-all").addEventListener("click", async () => {
  const { waiting, held } = await outbox.overview();
  save([...held, ...waiting]);
});
document.getElementById("load-file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  const result = await load(await file.text());
  note(typeof result === "number" ? counted(words, "loaded", result) : words[`load_${result}`]);
  target.value = "";
  if (typeof result === "number") await outbox.flush({ isUrgent: true });
});
addEventListener("saunter-outbox", draw);
draw();
