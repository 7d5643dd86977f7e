"""What is promised: two tables of thresholds, and those of a row."""

import dataclasses

from converters import has_avx512

# NON_ASCII are texts that are mostly not ASCII.
ASCII, OTHER, NON_ASCII, ANY = "ASCII", "other", "mostly not ASCII", "any"


@dataclasses.dataclass(frozen=True)
class Threshold:
    """A bound on the rows of a group.

    What is compared is a converter's time (`cat`, `iconv`, `sed`, or that of the fastest of `others`),
    that of an input without errors (`clean`) or of a check of UTF-8, each divided by charpipe's; or
    charpipe's own speed in MB/s of input, or the CPU time of a start in ms.
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
    Threshold("copy",       ASCII, "cat",    0.85),
    Threshold("copy",       OTHER, "cat",    0.7),
    Threshold("wide",       ASCII, "iconv",  10),
    Threshold("wide",       OTHER, "iconv",  10),
    Threshold("seven",      ASCII, "uconv",  4),
    Threshold("seven",      OTHER, "uconv",  2),
    Threshold("five",       ANY,   "MB/s",   300),
    Threshold("8-bit",      ASCII, "iconv",  5),
    Threshold("8-bit",      OTHER, "iconv",  3),
    Threshold("mail",       ANY,   "MB/s",   500),
    Threshold("errors",     ANY,   "clean",  0.2),
    Threshold("legacy-errors", ANY, "iconv", 1),
    Threshold("transfer",   ANY,   "coreutils", 2, "base64"),
    Threshold("transfer",   ANY,   "others", 1),
    Threshold("qp",         ANY,   "recode", 5, "qp"),
    Threshold("newline",    ANY,   "dos2unix", 10),
    Threshold("normalize",  ANY,   "utf-8 check", 0.5, "check"),
    Threshold("normalize",  ANY,   "others", 1),
    Threshold("escapes",    ANY,   "others", 1),
    Threshold("scripts",    ANY,   "others", 1),
    Threshold("trees",      "in place", "sed", 0.83),
    Threshold("trees",      "to a directory", "cp", 0.5),
    Threshold("starts",     ANY,   "ms",     1),
]  # fmt: skip


def simdutf_thresholds():
    """On every row that simdutf converts, in addition to those above. Both use AVX-512 where it exists."""
    return [
        Threshold("copy",  ANY,       "sutf", 1),
        Threshold("wide",  NON_ASCII, "sutf", 1.2 if has_avx512() else 1),
        Threshold("wide",  ANY,       "sutf", 1),
        Threshold("8-bit", ANY,       "sutf", 1, "latin1"),
    ]  # fmt: skip


def thresholds_of(row):
    """The thresholds of a row: of each table the first that matches."""
    kinds = [ANY, ASCII if row.is_ascii else OTHER, row.text]
    if row.group == "wide" and not row.is_mostly_ascii:
        kinds.append(NON_ASCII)
    forms = ("", row.source, row.target)
    found = []
    for table in (THRESHOLDS, simdutf_thresholds()):
        mine = [threshold for threshold in table if threshold.group == row.group]
        mine = [threshold for threshold in mine if threshold.text in kinds and threshold.form in forms]
        found += mine[:1]
    return found
