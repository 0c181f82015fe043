// What all scripts of a page share: its root element, new elements, and the words of the page.

export const root = document.documentElement;

/** A new element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
/** Runs work after the next frame, so that what the participant has just done is on the screen first. */
export const afterFrame = (work) => requestAnimationFrame(() => setTimeout(work));
/** A text with values in place of its placeholders, such as `{count}`. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
/** The words of a section. They are a file of their own, because a page needs them only at times. */
export const texts = async (section) => root.dataset.words ? (await import(root.dataset.words)).words[section] : {};
/** The text with the number that it counts, such as `waiting_one` or `waiting_other`. */
export function counted(words, name, count) {
  const form = new Intl.PluralRules(root.lang || "en").select(count);
  return fill(words[`${name}_${form}`] ?? words[`${name}_other`] ?? "", { count });
}
/** The address of the participant's page Today; undefined on other pages than those of a participant. */
export const home = /^\/my\/[0-9a-f-]{36}/.exec(location.pathname)?.[0];
