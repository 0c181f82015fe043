// Compares a judge of forms with the server's judgement of random forms, which `saunter vectors` writes.

const MOST = 5;
const sorted = (list) => [...list].sort();
const isWithin = (part, all) => part.every((one) => all.includes(one));

/** What the judge says about a case, in the form of the server. */
function judged(judge, rules, { fields, zone, now }) {
  const { shown, withheld, faults, undecided, hiddenInInstances, instances } = judge(rules, new URLSearchParams(fields), { zone, now: new Date(now) });
  return {
    shown: sorted(shown), undecided: sorted(undecided), instances, hidden: hiddenInInstances,
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
/** Whether the judge may leave a form to the server: for other digits and letters, comparisons, and times that a clock skips. */
const mayLeave = ({ fields }) => Object.entries(fields).some(([name, text]) => /[^\x00-\x7f]/.test(text) || /\.(comparisons|time)$/.test(name));
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
 * Judges all cases.
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
      if (found.undecided.length && !mayLeave(one)) parts.push("undecided");
      if (parts.length) report.differences.push({ questionnaire, parts, found, expected, one, rules });
      if (report.differences.length >= most) return report;
    }
  }
  report.codes = sorted(codes);
  return report;
}
