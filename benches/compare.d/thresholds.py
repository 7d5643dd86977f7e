"""What is promised: one table of bars, and whether a row meets its own."""

import dataclasses

ASCII, OTHER, ANY = "ASCII", "other", "any"


@dataclasses.dataclass(frozen=True)
class Bar:
    """A bound on the rows of a group.

    What is compared is a peer's time (`cat`, `iconv`, `uconv`) or that of an input without faults
    (`clean`), each divided by charpipe's; or charpipe's own speed in MB/s of input, or the wall time
    of a start in ms.
    """

    group: str
    text: str
    measure: str
    bound: float

    @property
    def is_upper(self):
        return self.measure == "ms"

    def __str__(self):
        if self.measure in ("MB/s", "ms"):
            return f"{'<' if self.is_upper else '≥'} {self.bound:g} {self.measure}"
        return f"≥ {self.bound:g} × {self.measure}"

    def is_met(self, value):
        return value < self.bound if self.is_upper else value >= self.bound


#       group         text   measure  bound
BARS = [
    Bar("copy",       ASCII, "cat",    0.7),
    Bar("copy",       OTHER, "cat",    0.5),
    Bar("wide",       ASCII, "iconv",  10),
    Bar("wide",       OTHER, "iconv",  5),
    Bar("seven",      ASCII, "uconv",  4),
    Bar("seven",      OTHER, "uconv",  2),
    Bar("five",       ANY,   "MB/s",   300),
    Bar("8-bit",      ASCII, "iconv",  5),
    Bar("8-bit",      OTHER, "iconv",  3),
    Bar("mail",       ANY,   "MB/s",   500),
    Bar("faults",     ANY,   "clean",  0.1),
    Bar("starts",     ANY,   "ms",     2),
]  # fmt: skip


def bar_of(row):
    """The bar that a row is held to, or None."""
    kinds = (ANY, ASCII if row.is_ascii else OTHER)
    found = [bar for bar in BARS if bar.group == row.group and bar.text in kinds]
    return found[0] if found else None
