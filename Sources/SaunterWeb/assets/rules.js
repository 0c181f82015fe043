// The rules of a questionnaire: reads the fields of a form, and judges the answers as the server does. Pure modules
// without a page, so that tests can compare them with the server. `QuestionnaireRules.swift` describes the rules.

// ---- Values: {type, value}

export const BLANK = { type: "blank" };
export const boolean = (value) => value === null ? BLANK : { type: "boolean", value };
export const truth = ({ type, value }) => type === "boolean" ? value : null;
/** The digits of a decimal number, without zeros at both ends: the number is digits × 10^exponent. Its last decimal is not 0. */
export function digits(literal) {
  const [, sign, whole, decimals = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(literal);
  const all = (whole + decimals).replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  return { sign, kept, exponent: Number(power) - decimals.length + all.length - kept.length };
}

const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const SPACES = new RegExp(SPACE, "g");
const isBlank = (text) => text.replace(SPACES, "") === "";

// ---- Reading fields

const LARGEST = Number.MAX_SAFE_INTEGER;
/** The most instances of a group, and the most values of a question without options. */
export const MOST = 100;
/** The answer cannot be used: it is wrong, or only the server can judge it. */
const UNUSABLE = Symbol();

/** The JSON form of a number that a person typed; null if it is none, undefined if only the server knows. */
export function literal(text) {
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
      case "ranking": case "quantity": case "location": case "dateTime": return rare.readers[item.type](this);
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
      default: return rare.moment(this, rare.parsers[this.item.type](text));
    }
  }
  list(text) {
    const lines = text.split(/\r\n|[\n-\r\u0085\u2028\u2029]/).filter((line) => !isBlank(line));
    return this.several(lines, (line) => this.single(line));
  }
  /** The answer with several values. If there are too many, none is read. */
  several(list, read) {
    this.checkOccurs(list.length);
    return list.length && list.length <= (this.item.maxOccurs ?? MOST) ? { values: list.map(read), several: true } : undefined;
  }
  checkOccurs(count) {
    const { item } = this;
    if (count > (item.maxOccurs ?? (item.answerOption ? Infinity : MOST))) this.fault("too_many_answers");
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

  // Texts
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
      const outcome = rare.matches(item.pattern, text);
      if (outcome === null) return this.unknown();
      if (!outcome) return this.fault("wrong_form");
    }
    return { type: "text", value: text };
  }

  // Choices
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
}
const withType = (value, type) => value && { ...value, type };
/** Whether the only chosen option excludes all others. It is complete, whatever the least number of answers is. */
const isExclusive = (chosen) => chosen.length === 1 && Boolean(chosen[0].exclusive);

// ---- Conditions (FHIR R4)

/** The order of two answers: negative, 0 or positive; undefined for answers without an order. */
function compared(one, other) {
  if (one.type !== other.type) return undefined;
  if (one.type === "quantity") return rare.order(...rare.amounts(one, other));
  // The difference of codes is NaN, which has no order.
  return ["integer", "decimal", "date", "time", "dateTime", "option"].includes(one.type) ? Math.sign(one.value - other.value) : undefined;
}
export function equals(one, other) {
  if (one.type !== other.type) return false;
  if (one.type === "quantity") return compared(one, other) === 0;
  return typeof one.value === "string" ? one.value.normalize() === other.value.normalize() : one.value === other.value;
}
/** The value of a condition as an answer to its question. */
function wanted(answer, { type, answerOption, unitOption }) {
  switch (type) {
    case "choice": case "open-choice": return answer?.other === undefined ? { type: "option", value: answer } : { type: "free", value: answer.other };
    case "quantity": return { type, value: answer.value, unit: unitOption.indexOf(answer.unit) };
    case "date": case "time": case "dateTime": return { type, value: rare.parsers[type](answer) };
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
  // Without an answer the value is not read: a question whose kind of data is forbidden does not load the rules of its type.
  const some = (test) => given !== undefined && given.values.some((value) => test(value, wanted(answer, question)));
  const also = (operator) => holds({ operator, answer }, question, given);
  switch (operator) {
    case "=": return some(equals);
    case "!=": return !some(equals);
    case "<": return some((...values) => compared(...values) < 0);
    case ">": return some((...values) => compared(...values) > 0);
    case "<=": return also("<") || also("=");
    case ">=": return also(">") || also("=");
    default: throw new UnknownRule(operator);
  }
}
/** A part of a rule that this script does not know. The server decides. */
export class UnknownRule extends Error {}

/** Combines outcomes, of which null is unknown. */
function combine(conditions, behavior, outcome) {
  if (!conditions?.length) return true;
  const outcomes = conditions.map(outcome);
  const deciding = behavior === "any";
  return outcomes.includes(deciding) ? deciding : outcomes.includes(null) ? null : !deciding;
}

// ---- Judging

/** One judgement of all fields: the conditions of an item only refer to earlier items, which are already judged. */
class Judgement {
  constructor(rules, fields, clock) {
    Object.assign(this, { rules, fields, clock });
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
    if (rare.items(tree).some((linkId) => this.isUnusable(linkId))) return null;
    try {
      return rare.evaluate(tree, (linkId) => this.answer(linkId), rare.localDay(this.clock));
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
    if (this.isOutside(linkId)) return { type: "several", values: (this.repeated.get(linkId) ?? []).flatMap(({ values }) => values.map(rare.value)) };
    const finding = this.findings.get(linkId);
    if (!finding) return BLANK;
    return finding.several ? { type: "several", values: finding.values.map(rare.value) } : rare.value(finding.values[0]);
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
    // An option that excludes all others is chosen alone, so it is not among the rest.
    if (!reader.isUnknown) reader.checkOccurs(values.length);
    return values.length ? { ...answer, values } : undefined;
  }
  readInstances(item, shown) {
    const { linkId } = item;
    const most = item.maxOccurs ?? MOST;
    const before = this.faults.length;
    const known = this.undecided.size;
    this.findings.set(linkId, undefined);
    if (shown === false) return;
    const count = Math.min(this.fields.get(`n.${linkId}`), MOST);
    let answered = 0;
    const indices = [];
    for (let number = 0; number < Math.max(count, 1); number++) {
      this.instance = { group: linkId, number, index: answered };
      const isAnswered = this.isFilled(item.item);
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
    const isUsable = this.undecided.size === known && this.faults.length === before;
    // Expressions only count instances.
    this.findings.set(linkId, isUsable ? { values: Array(answered).fill(BLANK), several: true } : UNUSABLE);
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
      if (item.type === "display") return false;
      const reader = this.reader(item);
      return reader.read() !== undefined || reader.faults.length > 0 || reader.isUnknown;
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
      const value = this.value(rule);
      if (value === null || truth(value) !== false) continue;
      if (severity === "error") this.fault(item ?? null, `constraint_${key}`, human);
      else this.warnings.push(key);
    }
  }
}
const isRepeatingGroup = (item) => item.type === "group" && item.repeats === true;
const hasOptionConditions = (item) => (item.answerOption ?? []).some((option) => option.enableWhen);

/** The rules that only some questionnaires need; undefined for all others. */
let rare;
const RARE_TYPES = ["quantity", "ranking", "location", "date", "time", "dateTime"];
/** Whether an item needs the rare rules. Outside of repeating groups, nothing is read that the participant does not permit. */
const isRare = (item, forbidden) => (RARE_TYPES.includes(item.type) && !forbidden?.includes(item.data_kind)) || item.pattern || item.enableWhenRule
  || item.item?.some((inner) => isRare(inner, isRepeatingGroup(item) ? undefined : forbidden));

/** Loads what `judge` needs for these rules. */
export async function prepare({ item, constraint, forbiddenKinds }) {
  rare = constraint?.length || item.some((one) => isRare(one, forbiddenKinds)) ? (await import("./rare_rules.js")).rare : undefined;
}
/**
 * Judges the fields of a form. Its rules are prepared.
 * @param {{item: object[], constraint?: object[], forbiddenKinds?: string[]}} rules
 * @param {URLSearchParams} fields
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
