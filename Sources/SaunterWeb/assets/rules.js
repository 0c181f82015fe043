// The rules of a questionnaire: reads the fields of a form, and judges the answers as the server does. A pure module
// without a page, so that tests can compare it with the server. `QuestionnaireRules.swift` describes the rules.

// ---- Exact numbers: fractions of at most 128 bits, otherwise doubles

/** @typedef {{n: bigint, d: bigint} | number} Exact */
const fits = (...numbers) => numbers.every((x) => BigInt.asIntN(128, x) === x);
const isExact = (...numbers) => numbers.every((x) => typeof x !== "number");
const double = (x) => typeof x === "number" ? x : Number(x.n) / Number(x.d);

/** @returns {Exact | null} the reduced fraction; null if it needs more than 128 bits */
function fraction(n, d = 1n) {
  if (!fits(n, d)) return null;
  let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
  while (b) [a, b] = [b, a % b];
  return d < 0n ? { n: -n / a, d: -d / a } : { n: n / a, d: d / a };
}
/** The decimal digits of a JSON number: its value is digits × 10^exponent. */
function digits(literal) {
  const [, sign, whole, decimals = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal);
  const all = (whole + decimals).replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  return { sign, digits: kept, exponent: kept && Number(exponent) - decimals.length + all.length - kept.length };
}
/** The decimal number that a double is written as. @returns {Exact} */
function exact(value) {
  const { sign, digits: text, exponent } = digits(String(value));
  const n = BigInt(sign + (text || "0"));
  return exponent < 0 ? fraction(n, 10n ** BigInt(-exponent)) : fraction(n * 10n ** BigInt(exponent || 0)) ?? value;
}
const crossed = (a, b) => isExact(a, b) && fits(a.n * b.d, b.n * a.d) ? [a.n * b.d, b.n * a.d] : [double(a), double(b)];
const isLess = (a, b) => { const [x, y] = crossed(a, b); return x < y; };
const isSame = (a, b) => { const [x, y] = crossed(a, b); return x === y; };
const times = (a, b) => (isExact(a, b) && fraction(a.n * b.n, a.d * b.d)) || double(a) * double(b);
const plus = (a, b) => (isExact(a, b) && fits(a.n * b.d, b.n * a.d) && fraction(a.n * b.d + b.n * a.d, a.d * b.d)) || double(a) + double(b);
const inverse = (a) => isExact(a) ? fraction(a.d, a.n) : 1 / a;
