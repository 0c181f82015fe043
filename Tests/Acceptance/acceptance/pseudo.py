"""Pseudo-languages of the web app: texts that are 40 % longer, accented and in brackets, in a language from left to right and in one from right to left.

Every text stays readable, so a screenshot shows texts that are cut off (a bracket is missing) and texts that are not translated (no accents).
"""

import datetime
import pathlib
import re
import shutil

import yaml

from acceptance.server import ROOT

ACCENTS = str.maketrans("aceinouyACEINOUY", "áçéíñóúýÁÇÉÍÑÓÚÝ")
MIRRORED = "ar"


def pseudo(text):
    """The text in the pseudo-language. Placeholders such as `{count}` stay."""
    accented = "".join(part if part.startswith("{") else part.translate(ACCENTS) for part in re.split(r"(\{[a-z_]+\})", text))
    longer = accented + " " + "ló " * max(1, round(len(text) * 0.4 / 3))
    return f"[{longer.strip()}]"


def write_assets(folder):
    """A copy of the folder of the web app with the pseudo-language as English, and as Arabic."""
    folder = pathlib.Path(folder)
    shutil.copytree(ROOT / "Sources" / "SaunterWeb", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.swift"))
    words = yaml.safe_load((folder / "words" / "en.yaml").read_text())
    # Not read by people: the decimal mark and the like.
    longer = {section: texts if section == "format" else {name: pseudo(str(text)) for name, text in texts.items()} for section, texts in words.items()}
    for path in (folder / "words").glob("*.yaml"):
        path.unlink()
    for language in ("en", MIRRORED):
        (folder / "words" / f"{language}.yaml").write_text(yaml.safe_dump(longer, allow_unicode=True))
    return folder


def zone_at(hour):
    """A time zone in which the local time is now within this hour, as `Etc/GMT+5`. The signs of these names are reversed."""
    ahead = (hour - datetime.datetime.now(datetime.timezone.utc).hour + 11) % 24 - 11
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/UTC"


def write_packs(folder, studies, zone):
    """A copy of studies with their instruments, in this time zone, in which the German texts are those of the mirrored language."""
    folder = pathlib.Path(folder)
    for study in studies:
        shutil.copytree(ROOT / "Questionnaires" / "studies" / study, folder / "studies" / study)
        for questionnaire in yaml.safe_load((folder / "studies" / study / "study.yaml").read_text())["questionnaires"]:
            path = pathlib.Path("instruments") / questionnaire["code"] / questionnaire["version"]
            if not (folder / path).exists():
                shutil.copytree(ROOT / "Questionnaires" / path, folder / path)
    for path in [*folder.rglob("*.de.yaml"), *folder.rglob("*.de.md"), *folder.rglob("*.de.csv")]:
        path.rename(path.with_name(path.name.replace(".de.", f".{MIRRORED}.")))
    for path in folder.rglob("library/*.yaml"):
        path.write_text(re.sub(r"\bde: ", f"{MIRRORED}: ", path.read_text()))
    for path in [*folder.rglob("study.yaml"), *folder.rglob("questionnaire.yaml")]:
        text = path.read_text()
        path.write_text(re.sub(r"^languages: \[(.*)\]", lambda match: f"languages: [en, {MIRRORED}]" if "en" in match[1] else match[0], text, flags=re.M))
    for path in folder.rglob("study.yaml"):
        path.write_text(re.sub("^zone: .*", f"zone: {zone}", path.read_text(), flags=re.M))
    return folder
