"""The expression language: a parser, and the evaluation over variables or over the answers of one sheet."""

import datetime
import functools
import re
from fractions import Fraction

from .pack import kind_of
from .results import statistic
from .values import DAY, as_key


class Scope:
    """Evaluates expressions: over the variables of an evaluation, or over the answers of one sheet."""

    def __init__(self, evaluation=None, answers=None, today=None, it=None, key=None, at_key=None):
        self.evaluation, self.answers, self.today = evaluation, answers, today
        self.it, self.key, self.at_key = it, key, at_key
        # The variables that the expression names, in order.
        self.named = []

    def value(self, source):
        tree = parse(source)
        self._collect(tree)
        return self._value(tree)

    def _collect(self, tree):
        if isinstance(tree, tuple):
            if tree[0] == "name" and self.evaluation and tree[1] in self.evaluation.pack.variables:
                self.named.append(tree[1])
            for part in tree[1:]:
                for child in part if isinstance(part, list) else [part]:
                    self._collect(child)

    def _value(self, tree):
        match tree:
            case ("literal", value):
                return value
            case ("name", name, member):
                return self._name(name, member)
            case ("not", part):
                value = self._value(part)
                return None if value is None else not value
            case ("and" | "or" as word, left, right):
                decisive = word == "or"
                values = [self._value(left), self._value(right)]
                return decisive if decisive in values else None if None in values else not decisive
            case ("in", part, options):
                value = self._value(part)
                members = [self._value(option) for option in options] if isinstance(options, list) else self._value(options)
                # As in questionnaires, a blank on the right side contains nothing.
                return None if value is None else value in (members or [])
            case ("negative", part):
                value = self._value(part)
                return None if value is None else -value
            case ("compare", word, left, right):
                return self._compare(word, self._value(left), self._value(right))
            case ("compute", word, left, right):
                return self._compute(word, self._value(left), self._value(right))
            case ("call", name, arguments):
                return self._call(name, arguments)
        raise AssertionError(tree)

    def _name(self, name, member):
        if name in ("it", "value") and member is None and self.key is not None:
            return self.it if name == "it" else self.at_key
        if self.answers is not None:
            answer = self.answers.get(name)
            return [as_key(option) for option in answer] if isinstance(answer, list) else as_key(answer)
        result = self.evaluation.result(name)
        match member:
            case None:
                if isinstance(result.value, list) or result.entries is None:
                    return result.value
                if kind_of(self.evaluation.pack.variables[name]) == "top":
                    return result.value
                return [entry.value for entry in result.entries if entry.value is not None]
            case "n":
                return Fraction(result.n)
            case "best":
                return Fraction(result.best)
            case "last_on":
                return result.last_on
            case _:
                return self.evaluation.value_at_key(name, self.key if member == "it" else member)

    @staticmethod
    def _compare(word, left, right):
        if left is None or right is None:
            return None
        return {
            "=": lambda: left == right, "!=": lambda: left != right, "<": lambda: left < right, "<=": lambda: left <= right,
            ">": lambda: left > right, ">=": lambda: left >= right}[word]()

    @staticmethod
    def _compute(word, left, right):
        if left is None or right is None:
            return None
        if isinstance(left, datetime.date):
            return Fraction((left - right).days) if isinstance(right, datetime.date) else left + DAY * int(right if word == "+" else -right)
        if word == "/":
            return None if right == 0 else left / right
        return {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right}[word]()

    def _many(self, arguments):
        """The known values of all arguments."""
        values = []
        for argument in arguments:
            value = self._value(argument)
            values += value if isinstance(value, list) else [] if value is None else [value]
        return values

    def _call(self, name, arguments):
        match name:
            case "today":
                return self.today
            case "exists":
                return bool(self._many(arguments))
            case "count":
                return Fraction(len(self._many(arguments)))
            case "sum" | "min" | "max" | "mean":
                values = self._many(arguments)
                return statistic(name, values).value if values else None
            case "if":
                condition = self._value(arguments[0])
                return None if condition is None else self._value(arguments[1 if condition else 2])
            case "abs":
                value = self._value(arguments[0])
                return None if value is None else abs(value)
            case "length":
                value = self._value(arguments[0])
                return None if value is None else Fraction(len(value))
            case "days_since":
                return self._days_since(arguments[0])
        raise AssertionError(name)

    def _days_since(self, argument):
        value = self._value(argument)
        if isinstance(value, datetime.datetime):
            _, name, member = argument
            result = self.evaluation.result(name)
            if member is not None:
                key = self.key if member == "it" else member
                result = next(entry for entry in result.entries if entry.key == key)
            value = result.last_on
        return None if value is None else Fraction((self.evaluation.facts.today - value).days)


TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|'(?P<text>(?:[^']|'')*)'|@(?P<moment>[\d:-]+)|(?P<name>[a-z_][a-z0-9_]*)"
    r"|(?P<mark><=|>=|!=|[-+*/=<>(),.]))")


@functools.cache
def parse(source):
    return Parser(source).whole()


class Parser:
    """Recursive descent: or, and, not, comparison, sum, product, sign, value."""

    def __init__(self, source):
        self.tokens, index = [], 0
        while index < len(source.rstrip()):
            # After the point of `by_hour.9` a number is a key.
            found = re.compile(r"(?P<key>[a-z0-9_]+)").match(source, index) if self.tokens and self.tokens[-1] == ("mark", ".") else None
            found = found or TOKEN.match(source, index)
            assert found, f"{source!r} at {index}"
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            index = found.end()
        self.index = 0

    def peek(self, *wanted):
        return self.index < len(self.tokens) and self.tokens[self.index][1] in wanted and self.tokens[self.index][0] in ("mark", "name")

    def take(self, *wanted):
        if wanted and not self.peek(*wanted):
            return None
        self.index += 1
        return self.tokens[self.index - 1][1]

    def whole(self):
        tree = self.either()
        assert self.index == len(self.tokens), self.tokens[self.index:]
        return tree

    def either(self):
        tree = self.both()
        while self.take("or"):
            tree = ("or", tree, self.both())
        return tree

    def both(self):
        tree = self.negation()
        while self.take("and"):
            tree = ("and", tree, self.negation())
        return tree

    def negation(self):
        return ("not", self.negation()) if self.take("not") else self.comparison()

    def comparison(self):
        tree = self.addition()
        if word := self.take("=", "!=", "<", "<=", ">", ">="):
            return ("compare", word, tree, self.addition())
        if self.take("in"):
            return ("in", tree, self.arguments() if self.take("(") else self.value())
        return tree

    def addition(self):
        tree = self.product()
        while word := self.take("+", "-"):
            tree = ("compute", word, tree, self.product())
        return tree

    def product(self):
        tree = self.sign()
        while word := self.take("*", "/"):
            tree = ("compute", word, tree, self.sign())
        return tree

    def sign(self):
        return ("negative", self.sign()) if self.take("-") else self.value()

    def arguments(self):
        """The list up to the closing bracket."""
        values = []
        while not self.take(")"):
            values.append(self.either())
            self.take(",")
        return values

    def value(self):
        if self.take("("):
            tree = self.either()
            assert self.take(")")
            return tree
        group, text = self.tokens[self.index]
        self.index += 1
        match group:
            case "number":
                return ("literal", Fraction(text))
            case "text":
                return ("literal", text.replace("''", "'"))
            case "moment":
                return ("literal", (datetime.time if ":" in text else datetime.date).fromisoformat(text))
        if text in ("true", "false"):
            return ("literal", text == "true")
        if self.take("("):
            return ("call", text, self.arguments())
        return ("name", text, self.take() if self.take(".") else None)
