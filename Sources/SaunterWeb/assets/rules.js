// The rules of a questionnaire: reads the fields of a form, and judges the answers as the server does. A pure module
// without a page, so that tests can compare it with the server. `QuestionnaireRules.swift` describes the rules.

// ---- Exact numbers: fractions of at most 128 bits, otherwise doubles

/** @typedef {{n: bigint, d: bigint} | number} Exact */
const LARGEST = Number.MAX_SAFE_INTEGER;
const fits = (...numbers) => numbers.every((x) => BigInt.asIntN(128, x) === x);
const areExact = (a, b) => typeof a === "object" && typeof b === "object";
const double = (x) => typeof x === "number" ? x : Number(x.n) / Number(x.d);

/** The reduced fraction; null if it needs more than 128 bits. @returns {Exact | null} */
function fraction(n, d = 1n) {
  if (!fits(n, d)) return null;
  let [a, b] = [n, d];
  while (b) [a, b] = [b, a % b];
  if ((a < 0n) !== (d < 0n)) a = -a;
  return { n: n / a, d: d / a };
}
/** The digits of a decimal number, without zeros at both ends: the number is digits × 10^exponent. */
function digits(literal) {
  const [, sign, whole, decimals = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(literal);
  const all = (whole + decimals).replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  return { sign, kept, exponent: kept ? Number(power) - decimals.length + all.length - kept.length : 0 };
}
/** The decimal number that a double is written as. @returns {Exact} */
function exact(value) {
  if (Number.isInteger(value)) return fraction(BigInt(value));
  const { sign, kept, exponent } = digits(String(value));
  return fraction(BigInt(sign + kept), 10n ** BigInt(-exponent));
}
/** Two numbers that have the order of these. */
function comparable(a, b) {
  if (areExact(a, b) && a.d === b.d) return [a.n, b.n];
  return areExact(a, b) && fits(a.n * b.d, b.n * a.d) ? [a.n * b.d, b.n * a.d] : [double(a), double(b)];
}
const order = (a, b) => { const [x, y] = comparable(a, b); return x < y ? -1 : x > y ? 1 : 0; };
const plus = (a, b) => (areExact(a, b) && fits(a.n * b.d, b.n * a.d) && fraction(a.n * b.d + b.n * a.d, a.d * b.d)) || double(a) + double(b);
const times = (a, b) => (areExact(a, b) && fraction(a.n * b.n, a.d * b.d)) || double(a) * double(b);
const negative = (a) => times(a, exact(-1));
/** The quotient; null for a division by zero. */
function divided(a, b) {
  if (double(b) === 0) return null;
  return (areExact(a, b) && fraction(a.n * b.d, a.d * b.n)) || double(a) / double(b);
}

// ---- Values: {type, value}. Dates are days since 1970, times are seconds, instants are milliseconds

const BLANK = { type: "blank" };
const boolean = (value) => value === null ? BLANK : { type: "boolean", value };
const number = (value) => value !== null && Number.isFinite(double(value)) ? { type: "number", value } : BLANK;

const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const SPACES = new RegExp(SPACE, "g");
const isBlank = (text) => text.replace(SPACES, "") === "";

/** @returns {number | null} days since 1970 */
function days(text) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const time = Date.parse(`${text}T00:00:00Z`);
  return day && year > 0 && new Date(time).toISOString().slice(0, 10) === text ? time / 86400000 : null;
}
/** @returns {number | null} seconds since midnight */
function seconds(text) {
  const [, hour, minute, second = "0"] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  return minute ? hour * 3600 + minute * 60 + Number(second) : null;
}
/** Zone -> the formatter of its clock, which is expensive to create. */
const clocks = new Map();
/** The offset of a zone from UTC in milliseconds. */
function offset(zone, instant) {
  if (!clocks.has(zone)) {
    const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
    clocks.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...fields }));
  }
  const parts = clocks.get(zone).formatToParts(instant);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const wall = new Date(0);
  wall.setUTCFullYear(part.year, part.month - 1, part.day);
  wall.setUTCHours(part.hour, part.minute, part.second);
  return wall.getTime() - Math.floor(instant / 1000) * 1000;
}
const localDay = ({ zone, now }) => Math.floor((Number(now) + offset(zone, Number(now))) / 86400000);
/** The first instant at which the clock of the zone shows this time; null for a time that the clock skips. */
function instant(day, second, zone) {
  const wall = (day * 86400 + second) * 1000;
  const offsets = [offset(zone, wall - 86400000), offset(zone, wall + 86400000)];
  const found = offsets.map((o) => wall - o).filter((at, index) => offset(zone, at) === offsets[index]);
  return found.length ? Math.min(...found) : null;
}
const parsers = { date: days, time: seconds, dateTime: (text) => Date.parse(text) };

// ---- Reading fields

/** The answer cannot be used: it is wrong, or only the server can judge it. */
const UNUSABLE = Symbol("unusable");

/** The JSON form of a number that a person typed; null if it is none, undefined if only the server knows. */
function literal(text) {
  let plain = text.replace(SPACES, "").replace(/['’٬]/g, "").replace(/[−–]/g, "-").replace(/٫/g, ".")
    .replace(/[٠-٩۰-۹]/g, (digit) => digit.charCodeAt(0) & 15);
  if (/[^\x00-\x7f]/.test(plain)) return undefined;
  const sign = plain[0] === "-" ? "-" : "";
  plain = plain.replace(/^[+-]/, "");
  const mark = Math.max(plain.lastIndexOf(","), plain.lastIndexOf("."));
  const isDecimal = mark >= 0 && plain.indexOf(plain[mark]) === mark;
  const whole = (isDecimal ? plain.slice(0, mark) : plain).replace(/[.,]/g, "");
  const decimals = isDecimal ? plain.slice(mark + 1) : "";
  if (!/^\d+$/.test(whole + decimals)) return null;
  const kept = decimals.replace(/0+$/, "");
  return sign + (whole.replace(/^0+(?=\d)/, "") || "0") + (kept && `.${kept}`);
}

/** Reads the fields of one item into an answer, and collects the codes of the faults. */
class Reader {
  /** @param {(suffix: string) => string | null} field the field whose name ends with this */
  constructor(item, field, zone) {
    Object.assign(this, { item, zone, raw: field, faults: [] });
  }
  field(suffix = "") { return (this.raw(suffix) ?? "").replace(new RegExp(`^${SPACE}+`), ""); }
  fault(code) { this.faults.push(code); return undefined; }
  unknown() { this.isUnknown = true; return undefined; }

  /** The answer: {values, several}; undefined for a blank. */
  read() {
    const { item } = this;
    const one = (value) => value && { values: [value] };
    if (this.field(".comparisons")) return this.unknown();
    switch (item.type) {
      case "choice": case "open-choice": return item.repeats ? this.options() : one(this.option());
      case "boolean": return one(this.truth());
      case "ranking": return one(this.ranking());
      case "quantity": return item.repeats ? this.field() && this.unknown() : one(this.quantity());
      case "location": return item.repeats ? this.locations() : one(this.location());
      case "dateTime": return item.repeats ? this.field(".date") && this.unknown() : one(this.dateTime());
      case "integer": case "decimal": case "string": case "text": case "date": case "time": break;
      default: return this.unknown();
    }
    const text = this.raw("") ?? "";
    if (isBlank(text)) return undefined;
    return item.repeats ? this.list(text) : one(this.single(text));
  }
  single(text) {
    switch (this.item.type) {
      case "integer": case "decimal": return this.number(text);
      case "string": case "text": return this.text(text.replace(/\r\n/g, "\n"));
      default: return this.moment(parsers[this.item.type](text));
    }
  }
  list(text) {
    const lines = text.split(/\r\n|[\n-\r\u0085\u2028\u2029]/).filter((line) => !isBlank(line));
    return this.several(lines, (line) => this.single(line));
  }
  /** The answer with several values. If there are too many, none is read. */
  several(list, read) {
    this.checkOccurs(list.length);
    return list.length && list.length <= (this.item.maxOccurs ?? 100) ? { values: list.map(read), several: true } : undefined;
  }
  checkOccurs(count) {
    const { item } = this;
    if (count > (item.maxOccurs ?? (item.answerOption ? Infinity : 100))) this.fault("too_many_answers");
    if (count > 0 && count < item.minOccurs) this.fault("too_few_answers");
  }
  truth() {
    const text = this.field();
    if (!text) return undefined;
    return text === "true" || text === "false" ? boolean(text === "true") : this.fault("wrong_type");
  }

  // Numbers
  number(text) {
    const value = this.anyNumber(text);
    if (value) this.checkRange(value.value, (bound) => Math.sign(value.value - bound));
    return value;
  }
  anyNumber(text) {
    const form = literal(text);
    if (form === undefined) return this.unknown();
    if (form === null) return this.fault("wrong_type");
    const { kept, exponent } = digits(form);
    const value = Number(form);
    if (this.item.type === "integer") {
      if (exponent < 0) return this.fault("not_whole");
      return Math.abs(value) <= LARGEST ? { type: "integer", value } : this.fault("number_too_large");
    }
    if (Math.abs(value) > LARGEST) return this.fault("number_too_large");
    const before = this.faults.length;
    if (kept.length > 15) this.fault("too_many_digits");
    if (-exponent > (this.item.maxDecimalPlaces ?? 15)) this.fault("too_many_decimals");
    return this.faults.length === before ? { type: "decimal", value } : undefined;
  }
  /** @param {(bound: *) => number} compare the sign of the answer minus a bound */
  checkRange(value, compare) {
    const { minValue, maxValue } = this.item;
    if (minValue !== undefined && compare(minValue) < 0) this.fault("below_minimum");
    if (maxValue !== undefined && compare(maxValue) > 0) this.fault("above_maximum");
  }
  quantity() {
    const { unitOption } = this.item;
    const text = this.field();
    if (!text) return undefined;
    const name = this.field(".unit");
    const unit = !name && unitOption.length === 1 ? 0 : unitOption.indexOf(name);
    const number = this.anyNumber(text);
    if (unit < 0) return this.fault("not_a_unit");
    if (!number) return undefined;
    const value = { type: "quantity", value: number.value, unit, scales: this.item.unitScale };
    this.checkRange(value, (bound) => {
      const [own, other] = amounts(value, { value: bound, unit: 0 }) ?? [exact(value.value), exact(bound)];
      return order(own, other);
    });
    return value;
  }

  // Texts, dates and times
  text(text) {
    const { item } = this;
    if (isBlank(text)) return undefined;
    const length = [...text].length;
    const before = this.faults.length;
    if (length > (item.maxLength ?? (item.type === "text" ? 20000 : 1000))) this.fault("too_long");
    if (length < item.minLength) this.fault("too_short");
    if (text.includes("\0")) this.fault("nul_character");
    if (this.faults.length > before) return undefined;
    if (item.pattern) {
      const outcome = matches(item.pattern, text);
      if (outcome === null) return this.unknown();
      if (!outcome) return this.fault("wrong_form");
    }
    return { type: "text", value: text };
  }
  moment(value) {
    const { type } = this.item;
    if (value === null) return this.fault({ date: "invalid_date", time: "invalid_time", dateTime: "invalid_date_time" }[type]);
    this.checkRange(value, (bound) => value - parsers[type](bound));
    return { type, value };
  }
  dateTime() {
    const [date, time] = [this.field(".date"), this.field(".time")];
    if (!date && !time) return undefined;
    const [day, second] = [days(date), seconds(time)];
    if (day === null || second === null) return this.moment(null);
    const at = instant(day, second, this.zone);
    return at === null ? this.unknown() : this.moment(at);
  }

  // Choices, rankings and locations
  option() {
    const { item } = this;
    const text = this.field();
    if (item.type === "open-choice" && (text === "other" || !text)) return this.freeText();
    if (!text) return undefined;
    const option = item.answerOption.find(({ value }) => String(value) === text);
    return option ? { type: "option", value: option.value } : this.fault("not_an_option");
  }
  freeText() {
    const text = this.field(".other");
    return text ? withType(this.text(text), "free") : undefined;
  }
  options() {
    const { item } = this;
    const chosen = item.answerOption.filter(({ value }) => this.raw(`[${value}]`) !== null);
    const other = item.type === "open-choice" ? this.freeText() : undefined;
    const values = [...chosen.map(({ value }) => ({ type: "option", value })), ...(other ? [other] : [])];
    if (chosen.some(({ exclusive }) => exclusive) && values.length > 1) this.fault("exclusive_option");
    if (!isExclusive(chosen)) this.checkOccurs(values.length);
    return values.length ? { values, several: true } : undefined;
  }
  ranking() {
    const { answerOption } = this.item;
    const ranked = answerOption.filter(({ value }) => /^[+-]?\d+$/.test(this.field(`[${value}]`)));
    if (!ranked.length) return undefined;
    if (ranked.length < answerOption.length) return this.fault("incomplete_ranking");
    const rank = ({ value }) => Number(this.field(`[${value}]`));
    return { type: "ranking", value: ranked.sort((a, b) => rank(a) - rank(b)).map(({ value }) => value).join(" ") };
  }
  locations() {
    const prefixes = Array.from({ length: 100 }, (_, index) => `[${index}]`);
    const filled = prefixes.filter((prefix) => this.field(`${prefix}.lat`) || this.field(`${prefix}.lon`));
    return this.several(filled, (prefix) => this.location(prefix));
  }
  location(prefix = "") {
    const [lat, lon, accuracy] = [".lat", ".lon", ".accuracy_m"].map((suffix) => this.field(prefix + suffix));
    if (!lat && !lon) return undefined;
    const check = (text, least, most) => {
      const form = literal(text);
      if (form === undefined) this.unknown();
      else if (form === null) this.fault("wrong_type");
      else if (Number(form) < least) this.fault("below_minimum");
      else if (Number(form) > most) this.fault("above_maximum");
    };
    check(lat, -90, 90);
    check(lon, -180, 180);
    if (accuracy) check(accuracy, 0, 100000);
    return { type: "location" };
  }
}
const withType = (value, type) => value && { ...value, type };
/** Whether the only chosen option excludes all others. It is complete, whatever the least number of answers is. */
const isExclusive = (chosen) => chosen.length === 1 && Boolean(chosen[0].exclusive);

/** Whether a complete text matches the steps of a pattern; null if only the server knows the classes of its characters. */
function matches(steps, text) {
  const follow = (starts) => {
    const active = new Set();
    const pending = [...starts];
    while (pending.length) {
      const index = pending.pop();
      if (active.has(index)) continue;
      active.add(index);
      pending.push(...(steps[index].to ?? []));
    }
    return active;
  };
  let active = follow([0]);
  for (const character of text) {
    const code = character.codePointAt(0);
    const next = [];
    for (const index of active) {
      const { ranges, letters, numbers, negated = false } = steps[index];
      if (!ranges) continue;
      if ((letters || numbers) && code >= 0x250) return null;
      let isIn = ranges.some(([low, high]) => code >= low && code <= high);
      if (letters) isIn ||= /\p{Alphabetic}/u.test(character);
      if (numbers) isIn ||= /\p{N}/u.test(character);
      if (isIn !== negated) next.push(index + 1);
    }
    active = follow(next);
  }
  return active.has(steps.length - 1);
}

// ---- Conditions (FHIR R4)

/** Both amounts of a quantity in one unit; null if the units cannot be converted. */
function amounts(one, other) {
  if (one.unit === other.unit) return [exact(one.value), exact(other.value)];
  const [first, second] = [one.scales[one.unit], one.scales[other.unit]];
  if (!first || !second || first.kind !== second.kind) return null;
  const amount = ({ factor, offset }, value) => times(plus(exact(value), parsed(offset)), parsed(factor));
  return [amount(first, one.value), amount(second, other.value)];
}
const parsed = (text) => { const [n, d] = text.split("/").map(BigInt); return { n, d }; };

/** The order of two answers: negative, 0 or positive; undefined for answers without an order. */
function compared(one, other) {
  if (one.type !== other.type) return undefined;
  if (one.type === "quantity") { const both = amounts(one, other); return both ? order(...both) : undefined; }
  // The difference of codes is NaN, which has no order.
  return ["integer", "decimal", "date", "time", "dateTime", "option"].includes(one.type) ? Math.sign(one.value - other.value) : undefined;
}
function equals(one, other) {
  if (one.type === "quantity" && other.type === "quantity") return compared(one, other) === 0;
  if (one.type !== other.type) return false;
  return typeof one.value === "string" ? one.value.normalize() === other.value.normalize() : one.value === other.value;
}
/** The value of a condition as an answer to its question. */
function wanted(answer, { type, answerOption, unitOption }) {
  switch (type) {
    case "choice": case "open-choice": return answer?.other === undefined ? { type: "option", value: answer } : { type: "free", value: answer.other };
    case "quantity": return { type, value: answer.value, unit: unitOption.indexOf(answer.unit) };
    case "date": case "time": case "dateTime": return { type, value: parsers[type](answer) };
    case "string": return { type: "text", value: answer };
    case "ranking": return { type, value: answer.join(" ") };
    default: return { type, value: answer };
  }
}
/** The answer that a hidden or read-only item begins with. */
function initial({ initial, repeats, unitScale, ...item }) {
  const several = repeats === true;
  return { values: (several ? initial : [initial]).map((one) => ({ ...wanted(one, item), scales: unitScale })), several };
}
const isSameAnswer = (one, other) => one.values.length === other.values.length
  && one.values.every((value, index) => value.unit === other.values[index].unit && equals(value, other.values[index]));
/** Whether a condition is true for an answer; undefined is a blank. */
function holds({ operator, answer }, question, given) {
  if (operator === "exists") return answer === (given !== undefined);
  const other = wanted(answer, question);
  const some = (test) => given !== undefined && given.values.some(test);
  switch (operator) {
    case "=": return some((v) => equals(v, other));
    case "!=": return !some((v) => equals(v, other));
    case "<": return some((v) => compared(v, other) < 0);
    case ">": return some((v) => compared(v, other) > 0);
    case "<=": return some((v) => equals(v, other) || compared(v, other) < 0);
    case ">=": return some((v) => equals(v, other) || compared(v, other) > 0);
    default: throw new UnknownRule(operator);
  }
}
/** A part of a rule that this script does not know. The server decides. */
class UnknownRule extends Error {}

/** Combines outcomes, of which null is unknown. */
function combine(conditions, behavior, outcome) {
  if (!conditions?.length) return true;
  const outcomes = conditions.map(outcome);
  const deciding = behavior === "any";
  return outcomes.includes(deciding) ? deciding : outcomes.includes(null) ? null : !deciding;
}

// ---- Expressions

const value = ({ type, value }) => {
  switch (type) {
    case "integer": case "decimal": case "quantity": return number(exact(value));
    case "option": return typeof value === "number" ? number(exact(value)) : { type: "text", value };
    case "free": return { type: "text", value };
    default: return { type, value };
  }
};
const truth = ({ type, value }) => type === "boolean" ? value : null;
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
const items = (tree) => "item" in tree ? [tree.item] : (tree.args ?? []).flatMap(items);
/** Evaluates a checked tree. @param {(linkId: string) => object} answer the value of an item */
function evaluate(tree, answer, today) {
  if ("item" in tree) return answer(tree.item);
  if ("type" in tree) {
    if (!literals[tree.type]) throw new UnknownRule(tree.type);
    return { type: tree.type, value: literals[tree.type](tree.value) };
  }
  const { op, args } = tree;
  const argument = (index) => evaluate(args[index], answer, today);
  const all = () => args.flatMap((_, index) => known(argument(index)));
  const numbers = () => all().filter(({ type }) => type === "number").map((v) => v.value);
  const best = (sign) => all().reduce((a, b) => (valueOrder(b, a) ?? sign) * sign > 0 ? b : a, BLANK);
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
    case "abs": { const [one] = numbers(); return one === undefined ? BLANK : number(double(one) < 0 ? negative(one) : one); }
    case "sum": { const list = numbers(); return list.length ? number(list.reduce(plus, exact(0))) : BLANK; }
    case "mean": { const list = numbers(); return list.length ? number(divided(list.reduce(plus, exact(0)), exact(list.length))) : BLANK; }
    case "min": return best(-1);
    case "max": return best(1);
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

// ---- Judging

/** One judgement of all fields: the conditions of an item only refer to earlier items, which are already judged. */
class Judgement {
  constructor(rules, fields, clock) {
    Object.assign(this, { rules, fields, clock, today: localDay(clock) });
    /** By linkId: the item, the enclosing repeating group, and whether participants never see it. */
    this.nodes = new Map();
    this.collect(rules.item, null, false);
    /** By linkId: the answer, undefined for a blank, or UNUSABLE. */
    this.findings = new Map();
    /** By linkId: whether the item is shown; null if that depends on an unusable answer. */
    this.shown = new Map();
    /** By linkId: the answers in all instances so far. */
    this.repeated = new Map();
    /** The instance that is judged: its group, its number in the form, and its index among the answers. */
    this.instance = null;
    this.faults = [];
    this.warnings = [];
    this.undecided = new Set();
    this.hiddenInInstances = new Set();
    this.instances = new Map();
  }
  collect(items, group, isHidden) {
    for (const item of items) {
      const node = { item, group, isHidden: isHidden || item.hidden === true };
      this.nodes.set(item.linkId, node);
      this.collect(item.item ?? [], group ?? (isRepeatingGroup(item) ? item.linkId : null), node.isHidden);
    }
  }
  outcome() {
    this.visit(this.rules.item, true);
    this.checkConstraints(null);
    const visible = [...this.nodes].filter(([linkId, { group, isHidden }]) => !isHidden && this.shown.get(group ?? linkId) !== false);
    const withheld = new Map();
    for (const [linkId, { item, group, isHidden }] of this.nodes) {
      if (isHidden || group !== null || !hasOptionConditions(item)) continue;
      const values = item.answerOption.filter((option) => this.isOffered(option) === false).map(({ value }) => String(value));
      if (values.length) withheld.set(linkId, new Set(values));
    }
    const { warnings, undecided, hiddenInInstances, instances } = this;
    const faults = this.faults.filter(({ isCertain }) => isCertain);
    return { shown: new Set(visible.map(([linkId]) => linkId)), withheld, faults, warnings, undecided, hiddenInInstances, instances };
  }
  /** The name of the fields of an item. */
  name(linkId) { return this.instance ? `a.${this.instance.group}.${this.instance.number}.${linkId}` : `a.${linkId}`; }
  fault(linkId, code, text) {
    // The server may hide an item that depends on an undecided one, and then the answer does not matter.
    const isCertain = !this.undecided.size || this.shown.get(linkId) !== null;
    this.faults.push({ linkId, code, name: this.name(linkId), instance: this.instance?.index, text, isCertain });
  }

  visit(items, inherited) {
    for (const item of items) {
      const shown = this.isShown(item, inherited);
      this.shown.set(item.linkId, shown);
      if (this.instance && shown === false) this.hiddenInInstances.add(`${this.instance.group}.${this.instance.number}.${item.linkId}`);
      if (isRepeatingGroup(item)) this.readInstances(item, shown);
      else if (item.type === "group") this.visit(item.item, shown);
      else if (item.type !== "display") this.findings.set(item.linkId, this.find(item, shown));
    }
  }
  isShown(item, inherited) {
    if (inherited === false) return false;
    const own = combine(item.enableWhen, item.enableBehavior, (condition) => this.holds(condition));
    if (own === false) return false;
    const expressed = item.enableWhenRule ? this.value(item.enableWhenRule) : boolean(true);
    if (expressed !== null && truth(expressed) !== true) return false;
    const offers = this.offersAny(item);
    if (offers === false) return false;
    return inherited === null || own === null || expressed === null || offers === null ? null : true;
  }
  offersAny(item) {
    if (!hasOptionConditions(item)) return true;
    const outcomes = item.answerOption.map((option) => this.isOffered(option));
    return outcomes.includes(true) ? true : outcomes.includes(null) ? null : item.type === "open-choice";
  }
  isOffered(option, treatsHiddenAsTrue = false) {
    return combine(option.enableWhen, option.enableBehavior, (condition) => {
      const shown = this.shown.get(condition.question);
      if (treatsHiddenAsTrue && shown === false) return true;
      return treatsHiddenAsTrue && shown === null && this.undecided.size ? null : this.holds(condition);
    });
  }
  /** Whether a condition is true; null if that depends on an unusable answer. */
  holds(condition) {
    const { question } = condition;
    const finding = this.findings.get(question);
    if (finding === UNUSABLE) return null;
    try {
      const { item } = this.nodes.get(question);
      const outcome = holds(condition, item, finding);
      return finding && this.shown.get(question) === null && outcome !== holds(condition, item, undefined) ? null : outcome;
    } catch (error) {
      if (error instanceof UnknownRule) return null;
      throw error;
    }
  }
  /** The value of an expression; null if it depends on an unusable answer. */
  value(tree) {
    if (items(tree).some((linkId) => this.isUnusable(linkId))) return null;
    try {
      return evaluate(tree, (linkId) => this.answer(linkId), this.today);
    } catch (error) {
      if (error instanceof UnknownRule) return null;
      throw error;
    }
  }
  /** Whether an item is in a repeating group whose instance is not judged now. */
  isOutside(linkId) {
    const { group } = this.nodes.get(linkId);
    return group !== null && group !== this.instance?.group;
  }
  isUnusable(linkId) {
    const names = this.isOutside(linkId) ? [linkId, this.nodes.get(linkId).group] : [linkId];
    return names.some((name) => {
      const finding = this.findings.get(name);
      return finding === UNUSABLE || (finding !== undefined && this.shown.get(name) === null);
    });
  }
  answer(linkId) {
    if (this.isOutside(linkId)) return { type: "several", values: (this.repeated.get(linkId) ?? []).flatMap(({ values }) => values.map(value)) };
    const finding = this.findings.get(linkId);
    if (!finding) return BLANK;
    return finding.several ? { type: "several", values: finding.values.map(value) } : value(finding.values[0]);
  }

  /** Reads an item. Returns its finding. */
  find(item, shown) {
    const { linkId } = item;
    if (shown === false || this.rules.forbiddenKinds?.includes(item.data_kind)) return undefined;
    const reader = this.reader(item);
    let answer = reader.read();
    if (answer && !reader.faults.length && !reader.isUnknown) {
      answer = this.offered(answer, item, reader);
      if (item.readOnly && item.initial !== undefined && answer && !isSameAnswer(answer, initial(item))) reader.fault("read_only");
    }
    for (const code of new Set(reader.faults)) this.fault(linkId, code);
    if (reader.isUnknown) this.undecided.add(linkId);
    if (reader.isUnknown || reader.faults.length) return UNUSABLE;
    const isHidden = this.nodes.get(linkId).isHidden;
    const hasReason = !this.instance && this.fields.get(`r.${linkId}`);
    if (!answer && (item.readOnly || isHidden) && !hasReason && item.initial !== undefined) return initial(item);
    if (!answer) this.checkRequired(item, shown);
    return answer;
  }
  checkRequired(item, shown) {
    if (item.required && !this.nodes.get(item.linkId).isHidden && shown === true) this.fault(item.linkId, "required");
  }
  /** The answer without options whose question is hidden. Any other option that is not offered is a fault. */
  offered(answer, item, reader) {
    if (!hasOptionConditions(item)) return answer;
    const isHidden = ({ type, value }) => {
      const option = type === "option" && item.answerOption.find((o) => o.value === value);
      const isOffered = option ? this.isOffered(option) : true;
      if (isOffered === null && this.undecided.size) reader.unknown();
      if (isOffered !== false) return false;
      const isRemoved = this.isOffered(option, true);
      if (isRemoved === false) reader.fault("not_offered");
      if (isRemoved === null && this.undecided.size) reader.unknown();
      return isRemoved !== false;
    };
    const values = answer.values.filter((one) => !isHidden(one));
    if (values.length === answer.values.length) return answer;
    const chosen = item.answerOption.filter((o) => values.some(({ type, value }) => type === "option" && value === o.value));
    if (item.repeats && values.length && !isExclusive(chosen)) reader.checkOccurs(values.length);
    return values.length ? { ...answer, values } : undefined;
  }
  readInstances(item, shown) {
    const { linkId } = item;
    const most = item.maxOccurs ?? 100;
    const before = this.faults.length;
    this.findings.set(linkId, undefined);
    if (shown === false) return;
    const count = Math.min(Number(this.fields.get(`n.${linkId}`)) || 0, 100);
    let answered = 0;
    const indices = [];
    for (let number = 0; number < Math.max(count, 1); number++) {
      this.instance = { group: linkId, number, index: answered };
      const isAnswered = number < count && this.isFilled(item.item);
      if (isAnswered && answered < most) this.readInstance(item, shown);
      else this.preview(item, shown);
      indices.push(isAnswered ? answered : null);
      if (isAnswered) answered += 1;
    }
    this.instance = null;
    this.instances.set(linkId, indices);
    if (answered === 0) { this.checkRequired(item, shown); return; }
    if (answered > most) this.fault(linkId, "too_many_answers");
    if (answered < item.minOccurs) this.fault(linkId, "too_few_answers");
    const isUnknown = [...this.undecided].some((name) => this.nodes.get(name).group === linkId);
    const values = Array.from({ length: answered }, () => boolean(true));
    this.findings.set(linkId, isUnknown || this.faults.length > before ? UNUSABLE : { values, several: true });
  }
  readInstance(item, shown) {
    const inner = [...this.nodes].filter(([, { group }]) => group === item.linkId).map(([linkId]) => linkId);
    for (const linkId of inner) this.findings.set(linkId, undefined);
    this.visit(item.item, shown);
    if (shown === true) this.checkConstraints(item.linkId);
    for (const linkId of inner) {
      const finding = this.findings.get(linkId);
      if (finding && finding !== UNUSABLE) this.repeated.set(linkId, [...(this.repeated.get(linkId) ?? []), finding]);
    }
  }
  /** Finds out what an instance shows that the sheet does not contain. */
  preview(item, shown) {
    const kept = [this.findings, this.shown, this.faults];
    [this.findings, this.shown, this.faults] = [new Map(this.findings), new Map(this.shown), []];
    this.visit(item.item, shown);
    [this.findings, this.shown, this.faults] = kept;
  }
  /** Whether the instance has any answer, right or wrong. */
  isFilled(list) {
    return list.some((item) => {
      if (item.type === "group") return this.isFilled(item.item);
      const reader = this.reader(item);
      return item.type !== "display" && (reader.read() !== undefined || reader.faults.length > 0 || reader.isUnknown);
    });
  }
  reader(item) {
    const name = this.name(item.linkId);
    return new Reader(item, (suffix) => this.fields.get(name + suffix), this.clock.zone);
  }
  /** Checks the constraints on the items of a repeating group, or those on the complete sheet. */
  checkConstraints(group) {
    for (const { key, item, severity, human, rule } of this.rules.constraint ?? []) {
      if ((item === undefined ? null : this.nodes.get(item).group) !== group) continue;
      const value = rule === undefined ? null : this.value(rule);
      if (value === null || truth(value) !== false) continue;
      if (severity === "error") this.fault(item ?? null, `constraint_${key}`, human);
      else if (!this.warnings.includes(key)) this.warnings.push(key);
    }
  }
}
const isRepeatingGroup = (item) => item.type === "group" && item.repeats === true;
const hasOptionConditions = (item) => (item.answerOption ?? []).some((option) => option.enableWhen?.length > 0);

/**
 * Judges the fields of a form.
 * @param {{item: object[], constraint?: object[], forbiddenKinds?: string[]}} rules
 * @param {FormData} fields
 * @param {{zone: string, now: Date}} clock the participant's zone, and the present time
 * @returns {{
 *   shown: Set<string>, hiddenInInstances: Set<string>, instances: Map<string, (number | null)[]>, withheld: Map<string, Set<string>>,
 *   faults: {linkId: string | null, code: string, name: string, instance?: number, text?: string}[],
 *   warnings: string[], undecided: Set<string>,
 * }}
 *   `shown` has the linkIds of the items that are shown. Items of a repeating group are shown with their group, unless
 *   `hiddenInInstances` has them, such as `meals.0.kcal`. `instances` has for each instance of a group its index among the
 *   answers, or null for an instance without answers. `withheld` has the values of options that are not offered.
 *   `faults` names what is wrong, with the name of the field; the fault of a constraint has its own text. Only the
 *   server can judge the items of `undecided`.
 */
export function judge(rules, fields, clock) { return new Judgement(rules, fields, clock).outcome(); }
