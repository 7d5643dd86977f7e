"""What is promised: one table of thresholds, and whether a row meets its own."""

import dataclasses

ASCII, OTHER, ANY = "ASCII", "other", "any"


@dataclasses.dataclass(frozen=True)
class Threshold:
    """A bound on the rows of a group.

    What is compared is a converter's time (`cat`, `iconv`, `uconv`, or that of the fastest of `others`),
    that of an input without errors (`clean`) or of a check of UTF-8, each divided by charpipe's; or
    charpipe's own speed in MB/s of input, or the wall time of a start in ms.
    """

    group: str
    text: str
    measure: str
    bound: float
    # Of a chain: the source or the target.
    form: str = ""

    @property
    def rows(self):
        return " ".join(filter(None, [self.form, {ANY: "any"}.get(self.text, self.text)]))

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
THRESHOLDS = [
    Threshold("copy",       ASCII, "cat",    0.7),
    Threshold("copy",       OTHER, "cat",    0.5),
    Threshold("wide",       ASCII, "iconv",  10),
    Threshold("wide",       OTHER, "iconv",  5),
    Threshold("seven",      ASCII, "uconv",  4),
    Threshold("seven",      OTHER, "uconv",  2),
    Threshold("five",       ANY,   "MB/s",   300),
    Threshold("8-bit",      ASCII, "iconv",  5),
    Threshold("8-bit",      OTHER, "iconv",  3),
    Threshold("mail",       ANY,   "MB/s",   500),
    Threshold("errors",     ANY,   "clean",  0.1),
    Threshold("transfer",   ANY,   "coreutils", 2, "base64"),
    Threshold("transfer",   ANY,   "others", 1),
    Threshold("qp",         ANY,   "recode", 5, "qp"),
    Threshold("newline",    ANY,   "dos2unix", 10),
    Threshold("normalize",  ANY,   "utf-8 check", 0.5, "check"),
    Threshold("normalize",  ANY,   "others", 1),
    Threshold("escapes",    ANY,   "others", 1),
    Threshold("scripts",    ANY,   "others", 1),
    Threshold("starts",     ANY,   "ms",     2),
]  # fmt: skip


def threshold_of(row):
    """The threshold of a row, or None."""
    kinds = (ANY, ASCII if row.is_ascii else OTHER)
    forms = ("", row.source, row.target)
    mine = [threshold for threshold in THRESHOLDS if threshold.group == row.group]
    found = [threshold for threshold in mine if threshold.text in kinds and threshold.form in forms]
    return found[0] if found else None
