// Patterns of texts, as the steps that the server made of them.

/** Whether a complete text matches the steps of a pattern; null if only the server knows the classes of its characters. */
export function matches(steps, text) {
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
