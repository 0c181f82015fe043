"""The draws of rules: docs/decisions/0047-a-rule-may-randomise.md."""

import hashlib
import hmac
import uuid


class Draw:
    """64-bit words of HMAC-SHA256 with the study's seed over enrolment, rule, point and key, and a counter."""

    def __init__(self, seed, enrolment, rule, point, key):
        self.seed = seed
        fields = [b"saunter.rule", uuid.UUID(enrolment).bytes, rule.encode(), point.encode(), key.encode()]
        self.label = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        self.counter, self.words = 0, []

    def word(self):
        if not self.words:
            code = hmac.new(self.seed, self.label + self.counter.to_bytes(8, "big"), hashlib.sha256).digest()
            self.counter += 1
            self.words = [int.from_bytes(code[start:start + 8], "big") for start in (0, 8, 16, 24)]
        return self.words.pop(0)

    def number(self):
        """A number in [0, 1) of 53 bits."""
        return (self.word() >> 11) / 2**53

    def below(self, bound):
        """A whole number in 0 ..< bound. Words above the largest multiple of `bound` are rejected."""
        if bound < 2:
            return 0
        usable = 2**64 // bound * bound
        while (word := self.word()) >= usable:
            pass
        return word % bound
