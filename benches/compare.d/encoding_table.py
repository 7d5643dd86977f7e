"""The encodings that are measured, their kind, their text, and their names elsewhere."""

import dataclasses
import pathlib

TABLE = pathlib.Path(__file__).with_name("encodings.txt")
PROGRAMS = ["python", "iconv", "uconv", "recode", "nkf", "recode_rs", "sutf"]


@dataclasses.dataclass(frozen=True)
class Encoding:
    """A line of encodings.txt."""

    name: str
    kind: str
    text: str
    names: dict

    def called(self, program, *, written=False):
        """The label of the encoding in a program, or None if it is not supported."""
        name = self.names.get(program, "-")
        can_only_be_read = name.startswith("<")
        return None if name == "-" or written and can_only_be_read else name.removeprefix("<")


def load():
    """All encodings by name, in the order of the table."""
    lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines()]
    found = {}
    for name, kind, text, *names in (line for line in lines if line and line[0] != "#"):
        if len(names) != len(PROGRAMS):
            raise ValueError(f"{TABLE.name}: {name} has {len(names)} names, not {len(PROGRAMS)}")
        given = {p: name if n == "=" else n for p, n in zip(PROGRAMS, names)}
        found[name] = Encoding(name, kind, text, given)
    return found


ENCODINGS = load()


def of_kind(kind):
    return [encoding for encoding in ENCODINGS.values() if encoding.kind == kind]
