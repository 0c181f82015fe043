"""The script that judges forms in a browser, compared with the server on random forms; and small changes of the script."""

import json
import pathlib
import re
import subprocess

from acceptance.server import BINARIES, ROOT

# The modules of the rules. All but the first load only for the questionnaires that need them.
MODULES = ["rules.js", "arithmetic.js", "moments.js", "patterns.js", "expressions.js", "rare_rules.js"]
FOLDER = pathlib.Path(__file__).parent
PACKS = [ROOT / "Questionnaires" / "instruments", ROOT / "Questionnaires" / "studies", ROOT / "Tests" / "Acceptance" / "packs"]
# The questionnaires whose rules are at limits. Their forms reveal most changes of the script.
LIMITS = ROOT / "Tests" / "Acceptance" / "packs" / "rules"

COMPARISON = """
    import { judge, prepare } from "./rules.js";
    import { compare } from "./compare_rules.js";
    export default async () => compare(judge, (await (await fetch("./vectors.ndjson")).text()).trim().split("\\n"), { prepare });
    """
# The names of the changed scripts that judge every form as the original does. A script that takes 20 times as long as the original is detected.
SURVIVORS = """
    let limit = Infinity;
    const run = () => new Promise((resolve) => {
      const worker = new Worker("./compare_worker.js", { type: "module" });
      worker.onmessage = () => resolve(worker);
    });
    export default async () => {
      const waiting = await (await fetch("./mutants.json")).json();
      const survivors = [];
      const judged = (worker, name) => new Promise((resolve) => {
        const timer = limit < Infinity ? setTimeout(() => resolve("timeout"), limit) : undefined;
        worker.onmessage = ({ data }) => { clearTimeout(timer); resolve(data); };
        worker.postMessage(name);
      });
      const original = await run();
      const start = performance.now();
      if (await judged(original, "joined.js") !== false) throw new Error("the original differs from the server");
      limit = 5000 + 20 * (performance.now() - start);
      original.terminate();
      const work = async () => {
        let worker = await run();
        while (waiting.length) {
          const name = waiting.shift();
          const outcome = await judged(worker, name);
          if (outcome === false) survivors.push(name);
          if (outcome === "timeout") { worker.terminate(); worker = await run(); }
        }
        worker.terminate();
      };
      await Promise.all([work(), work()]);
      return survivors;
    };
    """


def packs(roots=PACKS):
    """The folders of all versions of instruments and of all studies."""
    instruments = [folder.parent for root in roots for folder in root.rglob("questionnaire.yaml")]
    studies = [folder.parent for root in roots for folder in root.rglob("study.yaml")]
    return sorted(set(instruments) | set(studies))


def vectors(cases, seed, roots=PACKS):
    """The lines of `saunter vectors`."""
    return subprocess.run(
        [BINARIES / "saunter", "vectors", "--cases", str(cases), "--seed", str(seed), *packs(roots)],
        capture_output=True, text=True, check=True).stdout


def by_hand():
    """Forms that no random form replaces: what the script leaves to the server, and warnings. One line for each questionnaire."""
    return "".join(f"{json.dumps(line)}\n" for line in json.loads((FOLDER / "forms_by_hand.json").read_text()))


def _text(module):
    return (ROOT / "Sources" / "SaunterWeb" / "assets" / module).read_text()


def joined():
    """All modules of the rules as one, which always has all parts."""
    first, *others = [re.sub(r"^import .*\n", "", _text(module), flags=re.M) for module in MODULES]
    # The part that loads the other modules.
    first, count = re.subn(r"^/\*\* The rules that only some.*?(?=^/\*\*\n \* Judges)", "", first, flags=re.M | re.S)
    assert count == 1
    return first + re.sub(r"^export ", "", "".join(others), flags=re.M)


def files(lines):
    """The files that a page needs to judge forms."""
    return {name: _text(name) for name in MODULES} | {"joined.js": joined(), "compare_rules.js": (FOLDER / "compare_rules.js").read_text(), "vectors.ndjson": lines}


def operators(lines):
    """The operators and functions in the rules of the lines, and the types of items."""
    rules = [json.loads(line)["rules"] for line in lines.splitlines()]
    text = json.dumps(rules)
    return set(re.findall(r'"op": "([^"]+)"', text)) | set(re.findall(r'"operator": "([^"]+)"', text)), set(re.findall(r'"type": "([a-zA-Z-]+)"', text))


# ---- Small changes of the script

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<template>`(?:[^`\\]|\\.)*`)"""
    r"""|(?P<pattern>(?<=[(,=:!&|?{};>\[])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)"""
    r"""|(?P<number>\b\d+n?\b)|(?P<word>[A-Za-z_$][\w$]*)"""
    r"""|(?P<sign>===|!==|=>|<=|>=|&&|\|\||\?\?=?|\|\|=|\.\.\.|\?\.|\+=|-=|[-+*/<>!=?:;,.(){}\[\]&|^%~])""", re.S)
SIGNS = {
    "===": ["!=="], "!==": ["==="], "<": ["<=", ">"], ">": [">=", "<"], "<=": ["<", ">"], ">=": [">", "<"], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "!": [""], "??": ["&&"], "||=": ["&&="], "+=": ["-="],
}
WORDS = {"true": ["false"], "false": ["true"], "some": ["every"], "every": ["some"], "min": ["max"], "max": ["min"], "null": ["1"]}
HEAD = re.compile(r"^(?:export )?(?:function|class|const) (\w+)|^  (?!(?:if|for|while|switch|return|const|let|case|default)\b)(\w+)\(.*\{", re.M)


# The share of changes that must be detected.
DETECTED = 0.95
# Changes without any effect, with the reason.
WITHOUT_EFFECT = {
    "fraction: < -> <= #1": "neither the divisor nor the denominator is 0",
    "fraction: 0n -> 1n #1": "a product of whole numbers other than 0 is below 1 if it is below 0",
}


def mutants(source):
    """
    Every change of one operator, number, truth value or text that has an effect: (name, changed script). The name has the function, the change and its
    number there.
    """
    heads = [(match.start(), match[1] or match[2]) for match in HEAD.finditer(source)]
    seen = {}
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match[0]
        if kind == "sign":
            changes = SIGNS.get(text, [])
        elif kind == "word":
            changes = WORDS.get(text, [])
        elif kind == "number":
            changes = [f"{int(text.rstrip('n')) + 1}{'n' if text.endswith('n') else ''}"]
        elif kind == "string":
            changes = [f'{text[:-1]}x"']
        else:
            changes = []
        function = next((name for start, name in reversed(heads) if start <= match.start()), "")
        for change in changes:
            name = f"{function}: {text} -> {change}"
            seen[name] = seen.get(name, 0) + 1
            numbered = f"{name} #{seen[name]}"
            if numbered not in WITHOUT_EFFECT:
                yield numbered, source[:match.start()] + change + source[match.end():]
    unknown = [name for name in WITHOUT_EFFECT if name.rpartition(" #")[0] not in seen]
    assert not unknown, unknown


def mutant_files(cases, seed, some):
    """The files of a page that looks for changes that no form reveals."""
    lines = vectors(cases, seed, [LIMITS]) + by_hand()
    names = [f"mutant-{number}.js" for number in range(len(some))]
    return files(lines) | {
        "compare_worker.js": (FOLDER / "compare_worker.js").read_text(), "mutants.json": json.dumps(names),
        **{name: changed for name, (_, changed) in zip(names, some)},
    }
