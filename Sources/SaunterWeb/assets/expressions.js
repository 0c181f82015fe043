// Expressions of rules: evaluates the trees that the server has checked.

import { divided, double, exact, negative, order, plus, times } from "./arithmetic.js";
import { days, seconds } from "./moments.js";
import { BLANK, UnknownRule, boolean, equals, truth } from "./rules.js";

const number = (value) => value !== null && Number.isFinite(double(value)) ? { type: "number", value } : BLANK;
export const value = ({ type, value }) => {
  switch (type) {
    case "integer": case "decimal": case "quantity": return number(exact(value));
    case "option": return typeof value === "number" ? number(exact(value)) : { type: "text", value };
    case "free": return { type: "text", value };
    default: return { type, value };
  }
};
const known = (one) => one.type === "several" ? one.values : one.type === "blank" ? [] : [one];
const literals = { number: (text) => exact(Number(text)), boolean: Boolean, text: String, date: days, time: seconds };

/** The order of two values; null for blanks and values without an order. */
function valueOrder(a, b) {
  if (a.type !== b.type) return null;
  if (a.type === "number") return order(a.value, b.value);
  return ["date", "time", "dateTime"].includes(a.type) ? Math.sign(a.value - b.value) : null;
}
function valueEquals(a, b) {
  if (a.type === "blank" || b.type === "blank") return null;
  return a.type === "number" ? order(a.value, b.value) === 0 : equals(a, b);
}

/** The linkIds in a tree. */
export const items = (tree) => "item" in tree ? [tree.item] : (tree.args ?? []).flatMap(items);
/** Evaluates a checked tree. @param {(linkId: string) => object} answer the value of an item */
export function evaluate(tree, answer, today) {
  if ("item" in tree) return answer(tree.item);
  if ("type" in tree) {
    if (!literals[tree.type]) throw new UnknownRule(tree.type);
    return { type: tree.type, value: literals[tree.type](tree.value) };
  }
  const { op, args } = tree;
  const argument = (index) => evaluate(args[index], answer, today);
  const all = () => args.flatMap((_, index) => known(argument(index)));
  const numbers = () => all().filter(({ type }) => type === "number").map((v) => v.value);
  const sorted = () => all().sort(valueOrder);
  switch (op) {
    case "and": case "or": {
      const deciding = op === "or";
      const both = [truth(argument(0)), truth(argument(1))];
      return boolean(both.includes(deciding) ? deciding : both.includes(null) ? null : !deciding);
    }
    case "not": { const one = truth(argument(0)); return boolean(one === null ? null : !one); }
    case "negative": { const one = argument(0); return one.type === "number" ? number(negative(one.value)) : BLANK; }
    case "in": {
      const [one, ...others] = args.map((_, index) => argument(index));
      return one.type === "blank" ? BLANK : boolean(others.flatMap(known).some((other) => valueEquals(one, other) === true));
    }
    case "=": return boolean(valueEquals(argument(0), argument(1)));
    case "!=": { const same = valueEquals(argument(0), argument(1)); return boolean(same === null ? null : !same); }
    case "<": case "<=": case ">": case ">=": {
      const sign = valueOrder(argument(0), argument(1));
      if (sign === null) return BLANK;
      return boolean(op === "<" ? sign < 0 : op === "<=" ? sign <= 0 : op === ">" ? sign > 0 : sign >= 0);
    }
    case "+": case "-": case "*": case "/": return calculated(op, argument(0), argument(1));
    case "if": { const one = truth(argument(0)); return one === null ? BLANK : argument(one ? 1 : 2); }
    case "today": return { type: "date", value: today };
    case "count": return number(exact(all().length));
    case "exists": return boolean(all().length > 0);
    case "length": { const [one] = all(); return one?.type === "text" ? number(exact([...one.value].length)) : BLANK; }
    case "abs": { const [one] = numbers(); return one === undefined ? BLANK : number([one, negative(one)].sort(order)[1]); }
    case "sum": { const list = numbers(); return list.length ? number(list.reduce(plus)) : BLANK; }
    case "mean": { const list = numbers(); return list.length ? number(divided(list.reduce(plus), exact(list.length))) : BLANK; }
    case "min": return sorted().at(0) ?? BLANK;
    case "max": return sorted().at(-1) ?? BLANK;
    default: throw new UnknownRule(op);
  }
}
/** Calculates with two numbers, with a date and a number of days, or with two dates. */
function calculated(op, a, b) {
  if (a.type === "date" && b.type === "date") return number(exact(a.value - b.value));
  if (a.type === "date" && b.type === "number") {
    const count = double(b.value);
    if (!Number.isInteger(count) || Math.abs(count) > 4000000) return BLANK;
    return { type: "date", value: Math.min(Math.max(a.value + (op === "-" ? -count : count), -719162), 2932896) };
  }
  if (a.type !== "number" || b.type !== "number") return BLANK;
  switch (op) {
    case "+": return number(plus(a.value, b.value));
    case "-": return number(plus(a.value, negative(b.value)));
    case "*": return number(times(a.value, b.value));
    default: return number(divided(a.value, b.value));
  }
}
