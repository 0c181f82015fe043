// Judges the same forms with one changed judge after the other.

import { compare } from "./compare_rules.js";

const lines = (await (await fetch("./vectors.ndjson")).text()).trim().split("\n").map((line) => JSON.parse(line));
addEventListener("message", async ({ data }) => {
  let isDetected = true;
  try {
    const { judge } = await import(`./${data}`);
    isDetected = (await compare(judge, lines, { most: 1 })).differences.length > 0;
  } catch {
    // A judge that throws is not equal to the server.
  }
  postMessage(isDetected);
});
postMessage("ready");
