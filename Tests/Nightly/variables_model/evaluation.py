"""The kinds of variables."""

import datetime
import functools
import itertools
from fractions import Fraction

from .answers import FreeText
from .expressions import Scope
from .facts import Fact, Facts
from .pack import NEVER_NULL, kind_of
from .results import Result, difference, slope, statistic, too_few
from .values import DAY, as_key, as_list, dates, is_number, key_text, known, shown
from .windows import Window, monday, previous_span, window

MAXIMUM_UNITS = 400


class Evaluation:
    def __init__(self, pack, facts):
        self.pack, self.facts = pack, facts

    @functools.cache
    def result(self, name):
        variable = self.pack.variables[name]
        match kind_of(variable):
            case "expression":
                return self._expression(variable)
            case "keys":
                return self._keys(variable)
            case "change":
                return self._change(variable)
            case "list":
                return self._list(variable)
            case _:
                return self._in_window(variable, window(variable.get("window"), self.facts))

    # Facts of a source

    def _facts_of(self, variable):
        """The facts of the variable's source up to now, in order; with `where` only those for which it is true."""
        source, facts = variable[kind_of(variable)], self.facts
        if "entry" in source:
            wanted = as_list(source["entry"])
            found = [sheet for sheet in facts.sheets if sheet.questionnaire in wanted]
            if source.get("active"):
                active = [facts.active_entry(questionnaire) for questionnaire in wanted]
                found = [sheet for sheet in found if sheet in active]
            if "where" in variable and kind_of(variable) != "share":
                found = [sheet for sheet in found if self._is_true(variable["where"], sheet)]
            return found
        if "usage" in source:
            found = [
                event for event in facts.usage
                if event.name == source["usage"] and source.get("feature") in (None, event.feature)]
        elif "walk" in source:
            found = facts.walks
        elif "observation" in source:
            found = [one for one in facts.observations if one.name == (source.get("system", "http://loinc.org"), source["observation"])]
        elif "message" in source:
            found = [
                message for message in facts.messages
                if source["message"] in ("any", message.name) and message.state == source.get("state", "sent")]
        elif "occasion" in source:
            found = [
                occasion for occasion in facts.occasions
                if source["occasion"] in ("any", occasion.name) and source.get("state", "offered") in occasion.states]
        elif "event" in source:
            found = [facts.events[source["event"]]] if source["event"] in facts.events else []
        else:
            assert source == {"enrolment": "enrolled_at"}, source
            found = [Fact(facts.enrolled_at, facts.local(facts.enrolled_at))]
        return sorted((fact for fact in found if fact.moment <= facts.at), key=lambda fact: fact.moment)

    def _is_true(self, source, sheet):
        return Scope(answers=sheet.answers, today=sheet.date).value(source) is True

    # Kinds over facts

    def _in_window(self, variable, within):
        kind = kind_of(variable)
        found = [fact for fact in self._facts_of(variable) if within.contains(fact)]
        source = variable[kind]
        if kind == "series":
            result = self._series(variable, found, within)
        elif "items" in source:
            entries = [
                self._single(variable, found, source | {"item": item}).named(item) for item in source["items"]]
            result = Result(n=sum(entry.n for entry in entries))
            result.entries = entries
        elif "by" in variable:
            result = self._grouped(variable, found, source)
        else:
            result = self._single(variable, found, source)
            if kind == "top":
                result.entries = self._top_entries(result, found, source)
        result.span = within.span
        return result

    def _grouped(self, variable, found, source):
        groups, order = {}, key_order(variable["by"], self._by_item(variable), source)
        for fact in found:
            for key in self._keys_of(fact, variable["by"]):
                groups.setdefault(key, []).append(fact)
        keyed = [fact for fact in found if self._keys_of(fact, variable["by"])]
        result = Result(n=self._single(variable, keyed, source).n)
        result.entries = [
            self._single(variable, groups[key], source).named(key_text(key)) for key in sorted(groups, key=order)]
        return result

    def _by_item(self, variable):
        by, source = variable["by"], variable[kind_of(variable)]
        for questionnaire in as_list(source.get("entry", [])):
            if by in self.pack.items[questionnaire]:
                return self.pack.items[questionnaire][by]
        return None

    def _keys_of(self, fact, by):
        if fact.questionnaire and by in self.pack.items[fact.questionnaire]:
            answer = fact.answers.get(by)
            answers = answer if isinstance(answer, list) else [] if answer is None else [answer]
            return [answer for answer in answers if not isinstance(answer, FreeText)]
        key = {
            "questionnaire": lambda: fact.questionnaire, "hour": lambda: fact.local.hour, "weekday": lambda: fact.date.isoweekday(),
            "day": lambda: fact.date, "source": lambda: fact.source, "refers_to": lambda: fact.refers_to, "feature": lambda: fact.feature,
        }[by]()
        return [] if key is None else [key]

    def _single(self, variable, found, source):
        """The value over these facts, without keys."""
        kind, least = kind_of(variable), variable.get("least", 1)
        match kind:
            case "count":
                return self._count(found, source)
            case "days":
                return Result(Fraction(len({fact.date for fact in found})), len(found))
            case "streak":
                return self._streak(found)
            case "at":
                return self._at(found, source)
            case "latest" | "first":
                values = [value for fact in found if (value := self._answer(fact, source)) is not None]
                if not values:
                    return Result(reason="too_few")
                return Result(values[-1 if kind == "latest" else 0], len(values))
            case "share":
                true = sum(self._is_true(variable["where"], fact) for fact in found)
                return Result(Fraction(true, len(found)), len(found)) if len(found) >= least and found else too_few(len(found))
            case "top":
                return self._top(found, source, least)
        numbers = [(fact, number) for fact in found if (number := self._number(fact, source)) is not None]
        if len(numbers) < least or not numbers:
            return too_few(len(numbers))
        if kind == "slope":
            return slope([(fact.moment, number) for fact, number in numbers])
        return statistic(kind, [number for _, number in numbers])

    def _count(self, found, source):
        if "item" not in source:
            return Result(Fraction(len(found)), len(found))
        answered = [answer for fact in found if (answer := fact.answers.get(source["item"])) is not None]
        if not any(self._item(fact, source).repeats for fact in found):
            return Result(Fraction(len(answered)), len(answered))
        chosen = sum(not isinstance(option, FreeText) for answer in answered for option in answer)
        return Result(Fraction(chosen), len(answered))

    def _streak(self, found):
        met = sorted({fact.date for fact in found if fact.date <= self.facts.today})

        def linked(earlier, later):
            return all(date in self.facts.skipped for date in dates(earlier + DAY, later - DAY))

        run = best = 0
        for before, date in itertools.pairwise([None, *met]):
            run = run + 1 if before and linked(before, date) else 1
            best = max(best, run)
        current = run if met and linked(met[-1], self.facts.today) else 0
        return Result(Fraction(current), len(met), best=best, last_on=met[-1] if met else None)

    def _at(self, found, source):
        if not found:
            return Result(reason="too_few")
        fact = found[0 if source.get("which") == "oldest" else -1]
        return Result(fact.moment, len(found), last_on=fact.date)

    def _top(self, found, source, least):
        ranked, n = self._ranked(found, source)
        if n < least or n == 0:
            return too_few(n)
        chosen = [as_key(option) for option, _ in ranked[: source["most"]]]
        return Result(chosen[0] if source["most"] == 1 else chosen, n)

    def _ranked(self, found, source):
        """The options with the number of sheets that chose them, best first, and the number of sheets with an option."""
        counts, last_used, n = {}, {}, 0
        for index, fact in enumerate(found):
            answer = fact.answers.get(source["item"])
            options = [
                option for option in (answer if isinstance(answer, list) else [] if answer is None else [answer])
                if not isinstance(option, FreeText)]
            n += bool(options)
            for option in options:
                counts[option] = counts.get(option, 0) + 1
                last_used[option] = index
        order = self._item(found[0], source).options if found else []
        ranked = sorted(counts, key=lambda option: (-counts[option], -last_used[option], order.index(option)))
        return [(option, counts[option]) for option in ranked], n

    def _top_entries(self, result, found, source):
        if result.value is None:
            return []
        ranked, _ = self._ranked(found, source)
        return [Result(Fraction(count), count).named(key_text(option)) for option, count in ranked[: source["most"]]]

    def _series(self, variable, found, within):
        source = variable["series"]
        # After a flight to the west, the date of enrolment can be later than today.
        enrolled = min(self.facts.local(self.facts.enrolled_at).date(), self.facts.today)
        first, last = within.span or (enrolled, self.facts.today)
        unit = {"day": lambda date: date, "week": monday, "month": lambda date: date.replace(day=1)}[source["each"]]
        units = sorted({unit(date) for date in dates(first, last)})[-MAXIMUM_UNITS:]
        has_value = {"item", "scale", "field"} & set(source) or source.get("walk", "any") != "any" or "observation" in source
        inside = [fact for fact in found if first <= fact.date <= last]
        entries = []
        for start in units:
            own = [fact for fact in inside if unit(fact.date) == start]
            if has_value:
                numbers = [number for fact in own if (number := self._number(fact, source)) is not None]
                enough = numbers and len(numbers) >= variable.get("least", 1)
                entry = statistic("mean", numbers) if enough else too_few(len(numbers))
            else:
                entry = Result(Fraction(len(own)), len(own))
            entries.append(entry.named(start.isoformat()))
        result = Result(n=sum(entry.n for entry in entries))
        result.entries = entries
        return result

    # Values of a fact

    def _item(self, fact, source):
        return self.pack.items[fact.questionnaire][source["item"]]

    def _answer(self, fact, source):
        if "scale" in source:
            return fact.scores.get(source["scale"])
        answer = fact.answers.get(source["item"])
        if isinstance(answer, list):
            return [as_key(option) for option in answer]
        return as_key(answer)

    def _number(self, fact, source):
        if "scale" in source:
            return fact.scores.get(source["scale"])
        if "walk" in source:
            return known(fact.metrics.get(source["walk"]))
        if "item" not in source:
            return fact.number
        answer = fact.answers.get(source["item"])
        if answer is None:
            return None
        item = self._item(fact, source)
        if isinstance(answer, list):
            return sum((item.weights.get(option, Fraction(option not in item.exclusive)) for option in answer), Fraction(0))
        if isinstance(answer, bool):
            return Fraction(answer)
        if is_number(answer):
            return answer
        if answer in item.weights:
            return item.weights[answer]
        return Fraction(answer) if isinstance(answer, int) else None

    # Kinds over other variables

    def _change(self, variable):
        base = self.pack.variables[variable["change"]]
        if "since" in variable:
            within = window(variable["since"], self.facts)
            now = self.result(variable["change"])
            first = within.span[0] if within.span else None
            before = self._in_window(base, Window(lambda fact: first is not None and fact.date < first))
            result = difference(now, before, never_null=False)
            result.span = within.span
            return result
        now = self.result(variable["change"])
        first, last = previous_span(base["window"], self.facts.today)
        before = self._in_window(base, Window(lambda fact: first <= fact.date <= last, (first, last)))
        result = difference(now, before, kind_of(base) in NEVER_NULL)
        result.span = now.span
        return result

    def _keys(self, variable):
        base = self.result(variable["keys"])
        keyed = self.pack.variables[variable["keys"]]
        while "keys" in keyed:
            keyed = self.pack.variables[keyed["keys"]]

        def holds(entry):
            scope = Scope(
                self, today=self.facts.today, it=typed_key(entry.key, keyed, self), key=entry.key, at_key=entry.value)
            return scope.value(variable["where"]) is True

        kept = [entry for entry in base.entries if holds(entry)]
        result = Result([typed_key(entry.key, keyed, self) for entry in kept], len(base.entries))
        result.entries, result.span = kept, base.span
        return result

    def _list(self, variable):
        source = variable["list"]
        within = window(variable.get("window"), self.facts)
        found = [fact for fact in self._facts_of(variable) if within.contains(fact)]
        spanned = within.span
        if "active_in" in source:
            episodes = window(source["active_in"], self.facts)
            spanned = episodes.span

            def meets(entry):
                began, ended = self.facts.episode(entry)
                return began <= spanned[1] and (ended is None or ended >= spanned[0])

            found = [entry for entry in found if spanned and meets(entry)]
        result = Result(n=len(found))
        result.entries = []
        for entry in found:
            value = self._answer(entry, source)
            result.entries.append(
                (too_few(0) if value is None else Result(value, 1)).named(entry.sheet_id))
        result.span = spanned
        return result

    def _expression(self, variable):
        scope = Scope(self, today=self.facts.today)
        value = scope.value(variable["expression"])
        named = [self.result(name) for name in dict.fromkeys(scope.named)]
        result = Result(value, min((one.n for one in named), default=0))
        if value is None:
            result.reason = next((one.reason for one in named if one.reason), "undefined")
        return result

    def value_at_key(self, name, key):
        """The value at a key; blank if the variable has no such key, and 0 for counts."""
        base = self.result(name)
        entry = next((entry for entry in base.entries or [] if entry.key == key), None)
        if entry is not None:
            return entry.value
        return Fraction(0) if kind_of(self.pack.variables[name]) in NEVER_NULL else None


def key_order(by, item, source):
    """Options in the order of the pack, questionnaires in the order of the source, numbers and dates ascending, others as text."""
    if item is not None and item.options:
        return item.options.index
    if by == "questionnaire":
        return as_list(source["entry"]).index
    if (item is not None and item.type in ("boolean", "location")) or by in ("source", "refers_to", "feature"):
        return lambda key: key_text(key).encode()
    return lambda key: key


def typed_key(text, variable, evaluation):
    """A key as the value of an expression."""
    by = variable.get("by")
    item = evaluation._by_item(variable) if by else None
    if by in ("hour", "weekday") or (item is not None and item.type == "integer"):
        return Fraction(text)
    if by == "day" or "series" in variable:
        return datetime.date.fromisoformat(text)
    return text


def evaluate(pack, history):
    """The values of all variables of a made-up participant, as `saunter variables` prints them."""
    facts = Facts(pack, history)
    evaluation = Evaluation(pack, facts)
    return {
        "participant": history.get("participant", ""), "as_of": shown(facts.at), "local_date": shown(facts.today),
        "variables": {name: evaluation.result(name).json() for name in pack.variables},
    }
