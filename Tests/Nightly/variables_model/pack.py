"""The definitions of a study pack that variables need."""

import pathlib

import yaml

from .values import exact

KINDS = [
    "latest", "first", "at", "count", "days", "sum", "mean", "min", "max", "sd", "share", "top", "series", "slope", "change", "streak",
    "keys", "list", "expression"]
NEVER_NULL = {"count", "days", "streak"}


class Item:
    def __init__(self, raw, option_sets):
        self.id, self.type = raw["linkId"], raw["type"]
        self.repeats, self.required = raw.get("repeats", False), raw.get("required", False)
        self.decimals = raw.get("decimals", 2)
        self.conditions = raw.get("enableWhen", [])
        self.any_condition = raw.get("enableBehavior") == "any"
        options = raw.get("answerOption", [])
        # The question on which the options depend, and its values with the options that they offer.
        self.by, self.sets = None, {}
        if isinstance(options, dict):
            if "set" in options:
                options = option_sets[options["set"]]
            else:
                self.by = options["by"]
                self.sets = {value: [option_value(o) for o in option_sets[name]] for value, name in options["sets"].items()}
                options = [option for name in options["sets"].values() for option in option_sets[name]]
        self.options, self.weights, self.exclusive = [], {}, set()
        for option in options:
            value = option_value(option)
            if value in self.options:
                continue
            self.options.append(value)
            if isinstance(option, dict):
                if "weight" in option:
                    self.weights[value] = exact(option["weight"])
                if option.get("exclusive"):
                    self.exclusive.add(value)


def option_value(option):
    return option["value"] if isinstance(option, dict) else option


class Pack:
    """The definitions of one study that variables need."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        study = read_yaml(folder / "study.yaml")
        self.code = study["code"]
        self.variables = {variable["id"]: variable for variable in read_yaml(folder / "variables.yaml")["variables"]}
        self.events = [event["code"] for event in study.get("events", [])]
        self.notices = [notice["code"] for notice in study.get("notices", [])]
        self.features = [one if isinstance(one, str) else one["code"] for one in study.get("features", [])]
        self.schedules = [schedule["id"] for schedule in read_yaml(folder / "schedule.yaml")["schedules"]]
        self.rules = {}
        for rule in study.get("any_time", []):
            rule = rule if isinstance(rule, dict) else {"questionnaire": rule}
            self.rules[rule["questionnaire"]] = rule
        self.items, self.scales = {}, {}
        for entry in study["questionnaires"]:
            instrument = folder.parents[1] / "instruments" / entry["code"] / entry["version"]
            definition = read_yaml(instrument / "questionnaire.yaml")
            items = flattened(definition["item"])
            sets = definition.get("optionSets", {})
            self.items[entry["code"]] = {raw["linkId"]: Item(raw, sets) for raw in items if raw["type"] not in ("group", "display")}
            key = instrument / "scoring.yaml"
            self.scales[entry["code"]] = {scale["id"]: scale for scale in read_yaml(key)["scales"]} if key.exists() else {}


def read_yaml(path):
    return yaml.safe_load(path.read_text())


def flattened(items):
    return [part for item in items for part in [item, *flattened(item.get("item", []))]]


def kind_of(variable):
    return next(kind for kind in KINDS if kind in variable)
