// Shows chosen colours before they are stored.

import { make, root } from "./page.js";

const { colours, looks } = document.querySelector("form[data-colours]").dataset;
const known = JSON.parse(looks);
let newest;
addEventListener("change", ({ target: { name, value } }) => {
  if (name !== colours || !known[value]) return;
  const { css, mode } = known[value];
  const link = newest = make("link", { rel: "stylesheet", href: css, media: "not all" });
  link.onload = () => {
    if (link !== newest) return;
    document.querySelectorAll('[href^="/assets/brand."]').forEach((old) => old !== link && old.remove());
    link.media = "all";
    root.dataset.mode = mode;
  };
  css ? document.head.append(link) : link.onload();
});
