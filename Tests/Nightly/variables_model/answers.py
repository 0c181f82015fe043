"""The values of submitted answers, and which items are shown."""

import datetime

from .values import exact, instant, rounded_half_even


def answer_value(item, raw):
    """The value of a submitted answer; None for a blank."""
    if raw is None or raw == "" or raw == []:
        return None
    if item.repeats:
        chosen = [single_value(item, part) for part in raw]
        # In the order of the questionnaire; free text is last.
        return sorted(chosen, key=lambda value: item.options.index(value) if value in item.options else len(item.options))
    return single_value(item, raw)


class FreeText(str):
    """The words of an open choice, which are no option."""


def single_value(item, raw):
    match item.type:
        case "integer" | "decimal":
            return exact(raw)
        case "quantity":
            return exact(raw["value"] if isinstance(raw, dict) else raw)
        case "choice" | "open-choice":
            return FreeText(raw["other"]) if isinstance(raw, dict) else raw
        case "date":
            return datetime.date.fromisoformat(raw)
        case "time":
            return datetime.time.fromisoformat(raw)
        case "dateTime":
            return instant(raw)
        case "location":
            return tuple(rounded_half_even(exact(raw[name]), item.decimals) for name in ("lat", "lon"))
        case _:
            return raw


def is_enabled(item, answers, items):
    if item.by is not None:
        chosen = answers.get(item.by)
        chosen = chosen if isinstance(chosen, list) else [chosen]
        if not any(item.sets.get(value) for value in chosen):
            return False
    results = [holds(condition, answers, items) for condition in item.conditions]
    return not results or (any if item.any_condition else all)(results)


def holds(condition, answers, items):
    given = answers.get(condition["question"])
    given = given if isinstance(given, list) else [] if given is None else [given]
    wanted = single_value(items[condition["question"]], condition["answer"]) if condition["operator"] != "exists" else None
    match condition["operator"]:
        case "exists":
            return bool(given) == condition["answer"]
        case "=":
            return wanted in given
        case "!=":
            return wanted not in given
        case operator:
            compare = {"<": lambda a: a < wanted, "<=": lambda a: a <= wanted, ">": lambda a: a > wanted, ">=": lambda a: a >= wanted}
            return any(map(compare[operator], given))
