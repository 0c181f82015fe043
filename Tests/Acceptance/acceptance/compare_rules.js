// Compares a judge of forms with the server's judgement of random forms, which `saunter vectors` writes.

const MOST = 5;
const sorted = (list) => [...list].sort();
const isWithin = (part, all) => part.every((one) => all.includes(one));

/** What the judge says about a case, in the form of the server. */
function judged(judge, rules, { fields, zone, now }) {
  const { shown, withheld, faults, warnings, undecided, hiddenInInstances, instances } = judge(rules, new URLSearchParams(fields), { zone, now: new Date(now) });
  return {
    shown: sorted(shown), undecided: sorted(undecided), warnings: sorted(warnings), instances, hidden: hiddenInInstances,
    withheld: sorted([...withheld].flatMap(([linkId, options]) => [...options].map((option) => `${linkId} ${option}`))),
    faults: sorted(new Set(faults.map(({ linkId, instance, code }) => JSON.stringify([linkId, instance ?? null, code])))),
  };
}
/**
 * The names of the parts that differ. A judge may leave items to the server: it then shows what it does not know, and
 * reports fewer faults. Whether a
 * constraint is violated then depends on answers that only the server knows.
 */
function differences(found, expected) {
  const parts = ["shown", "withheld", "faults"];
  const alone = found.faults.filter((fault) => !fault.includes("constraint_"));
  const agrees = (part) => found.undecided.length === 0 ? String(found[part]) === String(expected[part])
    : part === "shown" ? isWithin(expected.shown, found.shown) : isWithin(part === "faults" ? alone : found[part], expected[part]);
  return [...parts.filter((part) => !agrees(part)), ...(hidesTheSame(found, expected) ? [] : ["hidden"])];
}
/**
 * Whether the judge may leave these items to the server: for other digits and letters, comparisons, times that a clock
 * skips, and options that depend on such items.
 */
function mayLeave(undecided, rules, { fields, zone }) {
  const isOpen = (linkId) => Object.entries(fields).some(([name, text]) => new RegExp(`^a\\.(\\w+\\.\\d+\\.)?${linkId}(\\W|$)`).test(name)
    && (/[^\x00-\x7f]/.test(text) || name.endsWith(".comparisons") || (name.endsWith(".date") && isSkipped(text, fields[name.replace(/date$/, "time")], zone))));
  return undecided.some(isOpen) && undecided.every((linkId) => isOpen(linkId) || hasOptionConditions(rules.item, linkId));
}
/** Whether the clock of a zone never shows this time. */
function isSkipped(date, time, zone) {
  const wall = new Date(`${date}T${time}Z`);
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const quarters = Array.from({ length: 129 }, (_, index) => (index - 64) * 900_000);
  const shown = `${date} ${time}`.padEnd(19, ":00");
  return wall.getTime() > 0 && !quarters.some((offset) => clock.format(wall.getTime() - offset) === shown);
}
const hasOptionConditions = (items, linkId) => items.some((item) => item.linkId === linkId ? item.answerOption?.some((option) => option.enableWhen)
  : hasOptionConditions(item.item ?? [], linkId));
/** Whether each instance of the form has an index. A form without instances has one in which the first answer can be given. */
const hasAllInstances = ({ instances }, { fields }) => [...instances].every(([group, indices]) => indices.length === Math.max(Number(fields[`n.${group}`] ?? 0), 1));
/** Whether both hide the same items in each instance of the form. The server counts only instances with answers. */
function hidesTheSame({ hidden, instances, undecided, faults }, expected) {
  if (undecided.length || faults.some((fault) => fault.includes("too_many_answers"))) return true;
  const given = new Set();
  const wanted = new Set();
  for (const [group, indices] of instances) {
    const count = indices.filter((index) => index !== null).length;
    for (const [number, index] of indices.entries()) {
      const [own, theirs] = [`${group}.${number}.`, `${group}.${index ?? count}.`];
      for (const name of hidden) if (name.startsWith(own)) given.add(theirs + name.slice(own.length));
      for (const name of expected.hidden) if (name.startsWith(theirs)) wanted.add(name);
    }
  }
  return String(sorted(given)) === String(sorted(wanted));
}
function expectation({ shown, withheld, faults, hidden }) {
  return {
    shown, hidden, faults: sorted(faults.map((fault) => JSON.stringify(fault))),
    withheld: sorted(Object.entries(withheld).flatMap(([linkId, options]) => options.map((option) => `${linkId} ${option}`))),
  };
}
/**
 * Judges all cases. A case that was written by hand can also name the `undecided` items and the `warnings`.
 * @param {string[]} lines the lines of `saunter vectors`
 * @param {{most?: number, prepare?: (rules: object) => Promise<void>}} options the number of differences after which to stop;
 *   called before the first form of each line
 * @returns {{cases: number, undecided: number, codes: string[], differences: object[]}} `codes` has the codes of all faults
 */
export async function compare(judge, lines, { most = MOST, prepare } = {}) {
  const report = { cases: 0, undecided: 0, codes: [], differences: [] };
  const codes = new Set();
  for (const line of lines) {
    const { questionnaire, rules, cases } = typeof line === "string" ? JSON.parse(line) : line;
    await prepare?.(rules);
    for (const one of cases) {
      const expected = expectation(one);
      const found = judged(judge, rules, one);
      report.cases += 1;
      report.undecided += found.undecided.length > 0;
      for (const fault of found.faults) codes.add(JSON.parse(fault)[2].replace(/^constraint_.*/, "constraint"));
      const parts = differences(found, expected);
      if (one.undecided ? String(found.undecided) !== String(one.undecided) : found.undecided.length && !mayLeave(found.undecided, rules, one)) parts.push("undecided");
      if (one.warnings && String(found.warnings) !== String(one.warnings)) parts.push("warnings");
      if (!hasAllInstances(found, one)) parts.push("instances");
      if (parts.length) report.differences.push({ questionnaire, parts, found, expected, one, rules });
      if (report.differences.length >= most) return report;
    }
  }
  report.codes = sorted(codes);
  return report;
}
