// Shows the colours of the pages as soon as they are chosen. Only saving stores them: every other page has the stored ones.

import { make, root } from "./page.js";

const { colours, looks } = document.querySelector("form[data-colours]").dataset;
const known = JSON.parse(looks);
addEventListener("change", ({ target: { name, value } }) => {
  if (name !== colours || !known[value]) return;
  const { css, mode } = known[value];
  root.dataset.mode = mode;
  document.querySelector('link[href^="/assets/brand."]')?.remove();
  if (css) document.head.append(make("link", { rel: "stylesheet", href: css }));
});
