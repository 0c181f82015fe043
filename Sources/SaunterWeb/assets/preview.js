// Shows the colours of the pages as soon as they are chosen. Only saving stores them: every other page has the stored ones.

import { make, root } from "./page.js";

const { colours, looks } = document.querySelector("form[data-colours]").dataset;
const known = JSON.parse(looks);
let chosen;
addEventListener("change", ({ target: { name, value } }) => {
  if (name !== colours || !known[value]) return;
  chosen = value;
  const { css, mode } = known[value];
  const link = css && make("link", { rel: "stylesheet", href: css, media: "not all" });
  // The old colours go when the new ones are there, so that no others flash up.
  const show = () => {
    if (chosen !== value) return link?.remove();
    for (const old of document.querySelectorAll('link[href^="/assets/brand."]')) if (old !== link) old.remove();
    if (link) link.media = "all";
    root.dataset.mode = mode;
  };
  if (!link) return show();
  link.onload = show;
  document.head.append(link);
});
