// The page without a connection: which pages are kept on this device.

const section = document.getElementById("available");
const list = section.querySelector("ul");

/** Adds a link to a kept page. */
function add(href, title) {
  const item = document.createElement("li");
  item.className = "card";
  const heading = document.createElement("h3");
  heading.append(Object.assign(document.createElement("a"), { href, textContent: title }));
  item.append(heading);
  list.append(item);
}
/** The title of a kept page, without the name of the study. */
async function title(reply) {
  const text = await reply.text();
  const found = /<h1[^>]*>([^<]*)<\/h1>/.exec(text)?.[1] ?? "";
  return found.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}
async function show() {
  const now = Date.now();
  for (const name of await caches.keys()) {
    if (!name.startsWith("documents-")) continue;
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const path = new URL(request.url).pathname;
      if (!path.endsWith("/plan")) continue;
      const plan = await (await cache.match(request)).json();
      add(plan.home, plan.title);
      const titles = new Map(plan.questionnaires.map((one) => [one.questionnaire, one.title]));
      for (const { occasion_id: id, questionnaire, opens_at: opens, closes_at: closes } of plan.occasions) {
        if (Date.parse(opens) <= now && now < Date.parse(closes)) add(`${plan.home}/o/${id}`, titles.get(questionnaire) ?? questionnaire);
      }
      for (const { address, questionnaire } of plan.documents) {
        const kept = address !== plan.home && !questionnaire && await cache.match(address);
        if (kept) add(address, await title(kept));
      }
    }
  }
  const open = await caches.open("public");
  for (const request of await open.keys()) {
    const path = new URL(request.url).pathname;
    if (path.endsWith("/contacts")) add(path, await title(await open.match(request)));
  }
  section.hidden = !list.children.length;
  document.getElementById("nothing-kept").hidden = !section.hidden;
}
const again = document.getElementById("again");
if (location.pathname !== "/offline") again.href = location.href;
addEventListener("online", () => location.assign(again.href));
show();
