"""What is measured: groups of rows, each a conversion of a text."""

import dataclasses

from expected import encoded, held, words_decoded
from encoding_table import of_kind
from error_cases import CASES, LEGACY_CASES
from converters import CONVERTERS, ROOT, row_command
import transforms

# One of each kind that is written; several where a script is written in several ways.
CORPORA = {
    "en": "English, wholly ASCII",
    "fr": "French",
    "de": "German",
    "el": "Greek",
    "ru": "Russian",
    "zh": "Chinese",
    "ja": "Japanese",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "emoji": "chat with emoji",
    "source": "source code",
    "headers": "header lines of mail, wholly ASCII",
}


@dataclasses.dataclass(frozen=True)
class Group:
    """Rows of one table: its title, and the converters that are measured in it."""

    name: str
    title: str
    converters: tuple
    # What charpipe's own speed is compared with: an input without errors, or another command.
    reference: str = ""
    # How many times as large the inputs are: of the fastest conversions the start would be a tenth.
    scale: int = 1


@dataclasses.dataclass(frozen=True)
class Row:
    """An input, which is a unit over and over, and what must come of each unit."""

    group: str
    source: str
    target: str
    text: str
    unit: bytes
    expected: bytes
    is_ascii: bool = False
    action: str = ""
    # What is converted without an error, to compare the speed with: empty if nothing is.
    clean: bytes = b""
    # Of a chain with transforms, see transforms.Case.
    arguments: tuple = ()
    others: dict = dataclasses.field(default_factory=dict)
    # What the other programs write, if not the same: they leave errors out.
    skipped: bytes | None = None
    frames: tuple = ((b"", b""), (b"", b""))
    reference: tuple = ()

    @property
    def pair(self):
        return f"{self.source} > {self.target}"

    @property
    def label(self):
        return f"{self.pair}, {self.text}" if self.text else self.pair

    @property
    def is_mostly_ascii(self):
        """Whether at least half of the characters are ASCII."""
        text = (self.expected if self.target == "utf-8" else self.unit).decode(errors="replace")
        return 2 * sum(map(str.isascii, text)) >= len(text)

    def is_named(self, names):
        """Whether one of the names is its group, an encoding, its text, `FROM>TO`, or a converter."""
        own = {self.group, self.source, self.target, self.text, self.pair.replace(" ", "")}
        return not names or not own.isdisjoint(names) or any(map(self.is_converted_by, names))

    def is_converted_by(self, name):
        """Whether a converter is measured in this row."""
        group = next(group for group in GROUPS if group.name == self.group)
        return name in group.converters and name in CONVERTERS and bool(row_command(name, self))


ALL = ("iconv", "uconv", "recode", "nkf", "recode_rs")
GROUPS = [
    Group("copy", "UTF-8 to UTF-8, checked", ("cat", "iconv", "uconv", "recode_rs", "sutf"), scale=4),
    Group("wide", "UTF-16 and UTF-32", ("iconv", "uconv", "recode", "recode_rs", "sutf"), scale=4),
    Group("seven", "UTF-7", ("iconv", "uconv", "recode")),
    Group("five", "UTF-5", ()),
    Group("8-bit", "Single-byte encodings", ("iconv", "uconv", "recode", "recode_rs", "sutf"), scale=4),
    Group("multi-byte", "Multi-byte encodings", ALL),
    Group("mail", "Mail headers", ("nkf",)),
    Group("errors", "Errors", ("iconv",), "clean"),
    Group("legacy-errors", "Errors in legacy encodings", ("iconv",)),
    Group("transfer", "Transfer encodings", ("coreutils", "recode", "nkf", "sharutils")),
    Group("qp", "Quoted-printable and percent-encoding", ("recode", "nkf")),
    Group("newline", "Line endings", ("dos2unix", "recode", "nkf")),
    Group("normalize", "Normalization", ("uconv",), "utf-8 check"),
    Group("escapes", "Character references and escapes", ("recode", "uconv")),
    Group("scripts", "Scripts and widths", ("uconv", "nkf")),
    Group("trees", "Trees of small files", ("sed", "unix2dos", "cp")),
    Group("starts", "Start", ("cat", *ALL)),
]
# With the characters of set O written directly, UTF-7 is what uconv writes. It differs in texts that
# have many of them.
UTFS = [
    ("copy", "utf-8", CORPORA),
    ("wide", "utf-16le", CORPORA),
    ("wide", "utf-32le", CORPORA),
    ("seven", "utf-7", CORPORA),
    ("seven", "utf-7:optional=direct", ["fr", "source", "headers"]),
    ("five", "utf-5", CORPORA),
]


def read(name):
    return (ROOT / f"benches/text/{name}.txt").read_text(encoding="utf-8")


def _both_ways(group, encoding, name):
    """Two rows, from UTF-8 and to it, of what the encoding has of a text."""
    text = held(read(name), encoding)
    inside, outside = text.encode(), encoded(text, encoding)
    shared = {"group": group, "text": name, "is_ascii": text.isascii()}
    yield Row(source="utf-8", target=encoding, unit=inside, expected=outside, **shared)
    if encoding != "utf-8":
        yield Row(source=encoding, target="utf-8", unit=outside, expected=inside, **shared)


def _mail():
    headers = read("headers")
    expected = words_decoded(headers).encode()
    yield Row("mail", "rfc2047", "utf-8", "headers", headers.encode(), expected)


def _errors():
    english = read("en")
    for case in CASES:
        for action in case.actions:
            expected = case.expected(action)
            clean = encoded(english, case.source)
            yield Row(
                group="errors",
                source=case.source,
                target=case.target,
                text=f"{case.name}, {action}",
                unit=case.unit,
                expected=expected,
                action=action,
                clean=clean,
            )


def _legacy_errors():
    for case in LEGACY_CASES:
        pair = ("-f", case.source, "-t", case.target)
        kind = "malformed" if case.target == "utf-8" else "unmappable"
        for action in ("skip", "xml"):
            yield Row(
                group="legacy-errors",
                source=case.source,
                target=case.target,
                text=f"every other {kind}, {action}",
                unit=case.unit,
                expected=case.expected(action),
                skipped=case.expected("skip"),
                action=action,
                arguments=("--on-error", action, *pair),
                others={"iconv": ["iconv", "-c", *pair]},
            )


def _chains():
    for case in transforms.load(read):
        yield Row(is_ascii=case.unit.isascii() and case.expected.isascii(), **vars(case))


# The names of the files in a tree.
TREE_NAMES = [f"{number:05}.txt" for number in range(10_000)]


def _trees():
    text = held(read("fr"), "latin1")[:1000]
    unit, expected = encoded(text, "latin1"), text.encode()
    pair = ("-f", "latin1", "-t", "utf-8")
    in_place = {
        "sed": ["sed", "-i", "s/x/y/", *TREE_NAMES],
        "unix2dos": ["unix2dos", "-q", *TREE_NAMES],
    }
    copied = {"cp": ["cp", "-r", ".", "../out"]}
    for text, arguments, others in [
        ("in place", ("-j1", "-i", "-r", "."), in_place),
        ("to a directory", ("-j1", "--output-dir", "../out", "-r", "."), copied),
    ]:
        shared = {"arguments": (*pair, *arguments), "others": others}
        yield Row("trees", "latin1", "utf-8", text, unit, expected, **shared)


# A start costs what the tables of both encodings cost, so there are some of each kind.
STARTS = [
    ("utf-8", "utf-8"),
    ("utf-8", "utf-16le"),
    ("utf-8", "utf-7"),
    ("koi8-r", "utf-8"),
    ("utf-8", "ibm037"),
    ("shift_jis", "utf-8"),
    ("utf-8", "shift_jis"),
    ("utf-8", "gb18030"),
    ("utf-8", "big5"),
    ("iso-2022-jp", "utf-8"),
    ("big5", "euc-kr"),
    ("rfc2047", "utf-8"),
]


def load():
    """All rows in the order in which they are measured."""
    found = []
    for group, encoding, texts in UTFS:
        for name in texts:
            found += _both_ways(group, encoding, name)
    for kind in ["8-bit", "multi-byte"]:
        for encoding in of_kind(kind):
            for name in [encoding.text, "en"]:
                found += _both_ways(kind, encoding.name, name)
    found += [*_mail(), *_errors(), *_legacy_errors(), *_chains(), *_trees()]
    found += [Row("starts", source, target, "", b"", b"") for source, target in STARTS]
    return found
