// Repeating groups, such as the meals of a day.

import { enhance } from "./controls.js";
import { ask, button, say } from "./form.js";
import { fill, make } from "./page.js";
import { current, go, isPaged, prepareHeadings } from "./steps.js";

/**
 * Prepares a repeating group: its instances can be added, and removed.
 * @param {object} page what controls get; `changed` and `pass` of the page
 */
export function prepareInstances(holder, page) {
  const { changed, pass } = page;
  const { group, most, title: name } = holder.dataset;
  const number = holder.querySelector(`:scope > [name="n.${group}"]`);
  const add = holder.querySelector(`[name="grow.${group}"]`);
  const instances = () => [...holder.querySelectorAll(":scope > .instance")];
  const place = add.closest(".actions");
  const renumber = () => {
    const list = instances();
    for (const [index, instance] of list.entries()) {
      instance.querySelector("legend .ask").textContent = `${name} ${index + 1}`;
      const drop = instance.querySelector("[name^='drop.']");
      drop.querySelector(".visually-hidden").textContent = ` ${name} ${index + 1}`;
      drop.hidden = list.length === 1 && !instance.querySelector(":checked") && ![...instance.querySelectorAll("input[type=text], textarea")].some((input) => input.value);
    }
    // A button that moves while it is pressed is not clicked.
    if (place.parentElement !== list.at(-1)) list.at(-1).append(place);
    add.hidden = list.length >= Number(most);
  };
  const insert = (index) => {
    const copy = holder.querySelector(":scope > template").content.cloneNode(true);
    for (const element of copy.querySelectorAll("*")) {
      for (const attribute of [...element.attributes]) if (attribute.value.includes("0000")) element.setAttribute(attribute.name, attribute.value.replaceAll("0000", index));
    }
    const instance = copy.firstElementChild;
    if (isPaged) prepareHeadings(copy);
    instances().at(-1).after(copy);
    prepareRemoval(instance);
    enhance(instance, page);
    number.value = Math.max(Number(number.value), index + 1);
    renumber();
    return instance;
  };
  const prepareRemoval = (instance) => {
    const drop = instance.querySelector("[name^='drop.']");
    drop.type = "button";
    drop.addEventListener("click", () => {
      const title = instance.querySelector("legend .ask").textContent;
      const list = instances();
      const index = list.indexOf(instance);
      const undo = button(ask.undo, "plain");
      const note = make("p", { className: "banner info undo" }, `${fill(ask.removed, { name: title })} `, undo);
      if (list.length === 1) insert(Number(number.value));
      const [kept, before] = [instance, list[index - 1]];
      kept.remove();
      renumber();
      changed();
      const target = before ?? instances()[0];
      if (isPaged) go(target);
      target.prepend(note);
      undo.focus();
      say(fill(ask.removed, { name: title }));
      undo.addEventListener("click", () => {
        note.remove();
        if (before) before.after(kept); else instances()[0].before(kept);
        renumber();
        changed();
        if (isPaged) go(kept); else kept.querySelector(".ask").focus();
      });
    });
  };
  add.type = "button";
  add.addEventListener("click", () => {
    if (isPaged && !pass(current)) return;
    const instance = insert(Number(number.value));
    changed();
    if (isPaged) go(instance); else instance.querySelector("input")?.focus();
  });
  holder.addEventListener("change", renumber);
  for (const instance of instances()) prepareRemoval(instance);
  renumber();
  return { insert, number };
}
