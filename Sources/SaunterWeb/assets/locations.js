// The control for a location question. The browser measures where the device is, if the participant permits it.

import { fill, make } from "./page.js";

export const needsAllWords = true;
/** Prepares the control of a location question. */
export function prepare(holder, { ask, say, changed }) {
  const question = holder.closest(".question");
  const button = holder.querySelector("[data-locate]");
  const status = holder.querySelector("[data-location-status]");
  const { name, several } = holder.dataset;
  if (!("geolocation" in navigator)) return;
  const first = button.textContent;
  const locations = () => [...holder.querySelectorAll(".place")];
  const field = (place, part) => place.querySelector(`[name$=".${part}"]`);
  const update = () => {
    for (const place of locations()) {
      if (!field(place, "lat").value) { place.remove(); continue; }
      if (place.querySelector("button")) continue;
      const metres = Math.round(Number(field(place, "accuracy_m").value));
      const remove = make("button", { type: "button", className: "plain", textContent: ask.remove_place });
      remove.addEventListener("click", () => { place.remove(); status.textContent = ""; update(); button.focus(); changed(); });
      place.append(make("span", { textContent: fill(ask.located, { metres }) }), " ", remove);
    }
    for (const [index, place] of locations().entries()) {
      for (const input of place.querySelectorAll("input")) input.name = `${name}${several ? `[${index}]` : ""}.${input.name.split(".").at(-1)}`;
    }
    const count = locations().length;
    button.hidden = count >= (several ? Number(several) : 1);
    button.textContent = count ? ask.another_place : first;
  };
  const found = ({ coords }) => {
    const place = make("div", { className: "place" });
    const values = { lat: coords.latitude.toFixed(6), lon: coords.longitude.toFixed(6), accuracy_m: Math.min(Math.round(coords.accuracy), 100_000) };
    for (const [part, value] of Object.entries(values)) place.append(make("input", { type: "hidden", name: `${name}.${part}`, value }));
    button.parentElement.before(place);
    update();
    status.textContent = "";
    say(place.querySelector("span").textContent);
    place.querySelector("button").focus();
    changed();
  };
  button.addEventListener("click", () => {
    status.textContent = ask.locating;
    navigator.geolocation.getCurrentPosition(found, (error) => {
      status.textContent = error.code === error.PERMISSION_DENIED ? ask.location_denied : ask.location_failed;
    }, { enableHighAccuracy: true, timeout: 20_000, maximumAge: 60_000 });
  });
  for (const event of ["cleared", "filled"]) question.addEventListener(event, update);
  update();
}
