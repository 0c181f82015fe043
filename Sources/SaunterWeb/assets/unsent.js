// What is on this device and not sent yet.

const list = document.getElementById("unsent");
const words = list.dataset;
const store = window.saunter;

async function draw() {
  const waiting = (await store.all("outbox")).map((record) => ({ record, state: words.waiting, from: "outbox" }));
  const held = (await store.all("held")).map((record) => ({ record, state: words.held, from: "held" }));
  const rows = [...waiting, ...held].filter(({ record }) => record.account === store.account);
  document.getElementById("all-sent").hidden = rows.length > 0;
  list.replaceChildren(...rows.map(({ record, state, from }) => {
    const card = document.createElement("section");
    card.className = "card";
    const heading = Object.assign(document.createElement("h2"), { textContent: record.title });
    const text = Object.assign(document.createElement("p"), { textContent: `${new Date(record.at).toLocaleString(document.documentElement.lang)} · ${state}` });
    const actions = document.createElement("p");
    actions.className = "actions";
    const button = (title, action, name = "") => {
      const element = Object.assign(document.createElement("button"), { type: "button", textContent: title, className: name });
      element.addEventListener("click", action);
      actions.append(element);
    };
    if (from === "outbox") button(words.send, () => store.flush().then(draw), "primary");
    button(words.save, () => save(record));
    button(words.delete, async () => { if (confirm(words.sure)) { await store.remove(from, record.id); draw(); } }, "danger");
    card.append(heading, text, actions);
    return card;
  }));
}
function save(record) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(record, null, 2)], { type: "application/json" }));
  link.download = `${record.id}.json`;
  link.click();
}
addEventListener("saunter-report", draw);
draw();
