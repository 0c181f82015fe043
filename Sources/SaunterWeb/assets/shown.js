// Counts the content that the participant sees or plays. Researchers learn from it what was shown.

import { enqueue } from "./sending.js";

const day = new Date().toDateString();
/** Whether this is the first time in this tab and on this day. */
function isFirst(key) {
  const name = `shown:${key}`;
  if (sessionStorage.getItem(name) === day) return false;
  sessionStorage.setItem(name, day);
  return true;
}
function note(event, { collection, item, why, rank }, seconds) {
  return enqueue({
    kind: "usage_event", id: crypto.randomUUID(), title: document.title,
    body: {
      event, collection, item, at: new Date().toISOString(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...why && { properties: { why, rank: Number(rank) } }, ...seconds === undefined ? {} : { seconds },
    },
  }).catch((error) => console.info("not counted:", error.message));
}
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    const { collection, item } = target.dataset;
    if (item && isFirst(`${collection}/${item}`)) note("content_shown", target.dataset);
  }
}, { threshold: 0.5 });
/** Counts the cards of the page. Call it again after cards were replaced. */
export function observe() {
  for (const card of document.querySelectorAll("[data-item]")) observer.observe(card);
}
observe();

for (const player of document.querySelectorAll("[data-item] audio, [data-item] video")) {
  const { dataset } = player.closest("[data-item]");
  let since = 0, played = 0;
  player.addEventListener("playing", () => { since = performance.now(); });
  const stop = () => {
    if (since) played += (performance.now() - since) / 1000;
    since = 0;
  };
  const report = (event) => {
    stop();
    if (played < 1) return;
    note(event, dataset, Math.min(86_400, Math.round(played)));
    played = 0;
  };
  player.addEventListener("pause", stop);
  player.addEventListener("ended", () => report("content_completed"));
  addEventListener("pagehide", () => report("content_played"));
}
