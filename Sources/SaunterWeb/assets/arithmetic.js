// Exact numbers: fractions of at most 128 bits, otherwise doubles.

import { digits } from "./rules.js";

/** @typedef {{n: bigint, d: bigint} | number} Exact */
const fits = (...numbers) => numbers.every((x) => BigInt.asIntN(128, x) === x);
const areExact = (a, b) => typeof a === "object" && typeof b === "object";
export const double = (x) => typeof x === "number" ? x : Number(x.n) / Number(x.d);

/** The reduced fraction; null if it needs more than 128 bits. @returns {Exact | null} */
function fraction(n, d = 1n) {
  if (!fits(n, d)) return null;
  let [a, b] = [n, d];
  while (b) [a, b] = [b, a % b];
  if (a * d < 0n) a = -a;
  return { n: n / a, d: d / a };
}
/** The decimal number that a double is written as. @returns {Exact} */
export function exact(value) {
  if (Number.isInteger(value)) return fraction(BigInt(value));
  const { sign, kept, exponent } = digits(String(value));
  return fraction(BigInt(sign + kept), 10n ** BigInt(-exponent));
}
/** The numerators over a common denominator; undefined if they need more than 128 bits. */
function numerators(a, b) {
  if (!areExact(a, b)) return undefined;
  const both = [a.n * b.d, b.n * a.d];
  return fits(...both) ? both : undefined;
}
/** The sign of a minus b. */
export function order(a, b) {
  const [x, y] = areExact(a, b) && a.d === b.d ? [a.n, b.n] : numerators(a, b) ?? [double(a), double(b)];
  return (x > y) - (x < y);
}
export function plus(a, b) {
  const both = numerators(a, b);
  return (both && fraction(both[0] + both[1], a.d * b.d)) || double(a) + double(b);
}
export const times = (a, b) => (areExact(a, b) && fraction(a.n * b.n, a.d * b.d)) || double(a) * double(b);
export const negative = (a) => times(a, exact(-1));
/** The quotient; null for a division by zero. */
export function divided(a, b) {
  if (double(b) === 0) return null;
  return (areExact(a, b) && fraction(a.n * b.d, a.d * b.n)) || double(a) / double(b);
}
/** Both amounts of a quantity in one unit; null if the units cannot be converted. */
export function amounts(one, other) {
  if (one.unit === other.unit) return [exact(one.value), exact(other.value)];
  const [first, second] = [one.scales[one.unit], one.scales[other.unit]];
  if (!first || !second || first.kind !== second.kind) return null;
  const amount = ({ factor, offset }, value) => times(plus(exact(value), parsed(offset)), parsed(factor));
  return [amount(first, one.value), amount(second, other.value)];
}
const parsed = (text) => { const [n, d] = text.split("/").map(BigInt); return { n, d }; };
