"""The definitions of a study pack that rules need."""

import datetime
import pathlib
import re

from variables_model.answers import answer_value
from variables_model.pack import Pack, flattened, read_yaml

WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


class RulePack(Pack):
    def __init__(self, folder):
        super().__init__(folder)
        folder = pathlib.Path(folder)
        study = read_yaml(folder / "study.yaml")
        self.folder = folder
        # The rules of groups have no decisions of participants.
        self.decision_rules = [rule for rule in read_yaml(folder / "rules.yaml")["rules"] if rule.get("to") != "group_admins"]
        self.reminder = study.get("reminder", {})
        self.quiet_from, self.quiet_to = time_of_day(self.reminder["quiet_from"]), time_of_day(self.reminder["quiet_to"])
        self.most_per_day = self.reminder.get("most_per_day")
        self.has_walks = "walking" in study
        self.percentages = set(self.items.get("pathways", {}))
        self.settings = study.get("settings", [])
        # Setting -> its questionnaire, and its value before the first sheet.
        self.setting_owner, self.initial = {}, {}
        for entry in study["questionnaires"]:
            if entry["code"] not in self.settings:
                continue
            definition = read_yaml(folder.parents[1] / "instruments" / entry["code"] / entry["version"] / "questionnaire.yaml")
            for raw in flattened(definition["item"]):
                self.setting_owner[raw["linkId"]] = entry["code"]
                self.initial[raw["linkId"]] = answer_value(self.items[entry["code"]][raw["linkId"]], raw.get("initial"))


def kind(rule):
    return next(iter(rule["at"]))


def action(rule):
    return next(iter(rule["do"]))


def seconds(text):
    """The seconds of a duration such as `1h30m`."""
    assert re.fullmatch(r"(\d+[dhms])+", text), text
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([dhms])", text))


def months(text):
    """The months of `1mo`; None for elapsed time."""
    found = re.fullmatch(r"(\d+)mo", text)
    return int(found[1]) if found else None


def time_of_day(value):
    """Seconds since 00:00."""
    if isinstance(value, str):
        value = datetime.time.fromisoformat(value)
    return value.hour * 3600 + value.minute * 60 + value.second


def weekday(value):
    return WEEKDAYS.index(value) + 1 if value in WEEKDAYS else int(value)
