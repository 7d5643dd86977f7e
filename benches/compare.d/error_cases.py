"""Inputs of which much or all is at error, and what must come of them."""

import dataclasses

# What Python calls the actions.
HANDLERS = {"skip": "ignore", "replace": "replace"}
UNITS = 2048


@dataclasses.dataclass(frozen=True)
class Case:
    """Bytes that are converted with errors left out, and with errors replaced."""

    name: str
    source: str
    target: str
    unit: bytes
    actions: tuple = ("skip", "replace")

    def expected(self, action):
        """Returns the conversion by Python: U+FFFD for malformed input, `?` for unmappable characters."""
        handler = HANDLERS[action]
        return self.unit.decode(self.source, handler).encode(self.target, handler)


CASES = [
    Case("every byte FF", "utf-8", "utf-8", b"\xff" * UNITS),
    Case("every other byte FF", "utf-8", "utf-8", b"a\xff" * UNITS),
    Case("every other byte FF", "utf-8", "utf-16le", b"a\xff" * UNITS),
    Case("lone surrogates", "utf-16le", "utf-8", b"\x00\xd8" * UNITS),
    Case("every other unit a surrogate", "utf-16le", "utf-8", b"a\x00\x00\xdc" * UNITS),
    Case("all unmappable", "utf-8", "latin1", "ж".encode() * UNITS),
    Case("every other unmappable", "utf-8", "latin1", "aж".encode() * UNITS),
]
