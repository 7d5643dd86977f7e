"""Rows of chains with transforms, and the commands of the programs that do the same."""

import base64
import binascii
import dataclasses
import html
import quopri
import re
import unicodedata
import urllib.parse

COREUTILS, DOS2UNIX, SHARUTILS = "coreutils", "dos2unix", "sharutils"


@dataclasses.dataclass(frozen=True)
class Case:
    """A conversion by arguments of charpipe, what must come of a unit, and what others are called with."""

    group: str
    source: str
    target: str
    text: str
    unit: bytes
    expected: bytes
    arguments: tuple
    # Commands of other converters, by the name of the converter.
    others: dict
    # What comes before and after the units in the input, and in the output.
    frames: tuple = ((b"", b""), (b"", b""))
    # Arguments of charpipe to compare the speed with, on the same input.
    reference: tuple = ()


def _whole(text, length):
    """The start of some texts of which nothing is left over in groups of this many bytes."""
    data = text.encode() * length
    return data[: len(data) // length * length]


def _both_ways(group, name, text, plain, form, encoder, decoder, frame=(b"", b"")):
    """Two cases: from bytes to a form, and back. Both are lists of arguments and others."""
    yield Case(group, "bytes", name, text, plain, form, *encoder, frames=((b"", b""), frame))
    yield Case(group, name, "bytes", text, form, plain, *decoder, frames=(frame, (b"", b"")))


def _base_n(text, content):
    plain = _whole(content, 57)
    lines = [plain[at : at + 57] for at in range(0, len(plain), 57)]
    form = b"".join(base64.b64encode(line) + b"\n" for line in lines)
    yield from _both_ways(
        "transfer", "base64", text, plain, form,
        (("--chain", "bytes..base64"), {COREUTILS: ["base64"], "recode": ["recode", "../64"]}),
        (("--chain", "base64"), {COREUTILS: ["base64", "-d"], "recode": ["recode", "/64.."], "nkf": ["nkf", "-mB", "-W", "-w", "-x"]}),
    )
    plain = _whole(content, 95)
    encoded = base64.b32encode(plain)
    form = b"".join(encoded[at : at + 76] + b"\n" for at in range(0, len(encoded), 76))
    yield from _both_ways(
        "transfer", "base32", text, plain, form,
        (("--chain", "bytes..base32"), {COREUTILS: ["basenc", "--base32"]}),
        (("--chain", "base32"), {COREUTILS: ["basenc", "--base32", "-d"]}),
    )
    plain = _whole(content, 38)
    lines = [plain[at : at + 38] for at in range(0, len(plain), 38)]
    form = b"".join(line.hex().upper().encode() + b"\n" for line in lines)
    yield from _both_ways(
        "transfer", "hex", text, plain, form,
        (("--chain", "bytes..hex"), {COREUTILS: ["basenc", "--base16"]}),
        (("--chain", "hex"), {COREUTILS: ["basenc", "--base16", "-d"]}),
    )
    plain = _whole(content, 45)
    lines = [plain[at : at + 45] for at in range(0, len(plain), 45)]
    form = b"".join(binascii.b2a_uu(line, backtick=True) for line in lines)
    yield from _both_ways(
        "transfer", "uu", text, plain, form,
        (("--chain", "bytes..uu"), {SHARUTILS: ["uuencode", "/dev/stdout"]}),
        (("--chain", "uu"), {SHARUTILS: ["uudecode", "-o", "/dev/stdout"]}),
        frame=(b"begin 644 /dev/stdout\n", b"`\nend\n"),
    )


def _quoted(text, content):
    plain = content.encode()
    # Python keeps lines that are a character shorter than they may be.
    form = quopri.encodestring(plain)
    yield Case(
        "qp", "utf-8", "qp", text, plain, form, ("-t", "utf-8/qp"),
        {"recode": ["recode", "-f", "u8..u8/qp"]},
    )
    yield Case(
        "qp", "qp", "utf-8", text, form, plain, ("-f", "utf-8/qp"),
        {"recode": ["recode", "-f", "u8/qp..u8"], "nkf": ["nkf", "-mQ", "-W", "-w", "-x"]},
    )
    form = urllib.parse.quote(plain, safe="").encode()
    yield Case("qp", "utf-8", "percent", text, plain, form, ("-t", "utf-8/percent"), {})
    yield Case("qp", "percent", "utf-8", text, form, plain, ("-f", "utf-8/percent"), {})


def _newlines(text, content):
    lf, crlf = content.encode(), content.replace("\n", "\r\n").encode()
    yield Case(
        "newline", "lf", "crlf", text, lf, crlf, ("--newline=crlf",),
        {DOS2UNIX: ["unix2dos"], "recode": ["recode", "-f", "u8..u8/cl"], "nkf": ["nkf", "-W", "-w", "-m0", "-x", "-Lw"]},
    )
    yield Case(
        "newline", "crlf", "lf", text, crlf, lf, ("--newline=lf",),
        {DOS2UNIX: ["dos2unix"], "recode": ["recode", "-f", "u8/cl..u8"], "nkf": ["nkf", "-W", "-w", "-m0", "-x", "-Lu"]},
    )


def _normalized(text, content, forms):
    composed = unicodedata.normalize("NFC", content)
    plain = composed.encode()
    for form in forms:
        expected = unicodedata.normalize(form.upper(), composed).encode()
        yield Case(
            "normalize", "utf-8", form, text, plain, expected, (f"--normalize={form}",),
            {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", f"any-{form}"]},
        )
    if text not in ("en", "de", "fr"):
        return
    yield Case(
        "normalize", "nfc", "check", text, plain, b"", ("check", "-e", "utf-8/nfc"), {},
        reference=("check", "-e", "utf-8"),
    )


def _escaped(text, content):
    plain = content.encode()
    named = "".join(
        f"&{html.entities.codepoint2name[ord(c)]};" if ord(c) in html.entities.codepoint2name and c not in "&<>\"" else c
        for c in content
    ).encode()
    yield Case(
        "escapes", "html", "utf-8", text, named, plain, ("--via", "html:decode"),
        {"recode": ["recode", "-f", "-d", "html..u8"]},
    )
    numbers = re.sub(r"[^\0-\x7f]", lambda c: f"&#{ord(c[0])};", content).encode()
    yield Case(
        "escapes", "xml", "utf-8", text, numbers, plain, ("--via", "xml:decode"),
        {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", "hex-any/xml10"]},
    )
    yield Case(
        "escapes", "utf-8", "xml", text, plain, numbers, ("-t", "utf-8/xml:ascii,keep-markup"),
        {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", r"[^\u0000-\u007f]any-hex/xml10"]},
    )
    java = "".join(c if c < "\x80" else f"\\u{ord(c):04x}" for c in content.replace("\\", "")).encode()
    plain = content.replace("\\", "").encode()
    yield Case(
        "escapes", "java", "utf-8", text, java, plain, ("--via", "java:decode"),
        {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", "hex-any/java"]},
    )


def _scripts(read):
    upper = {"«": "<<", "»": ">>", "’": "'", "œ": "oe", "Œ": "OE", "æ": "ae", "–": "-", "—": "-", "…": "..."}
    french = "".join(c for c in read("fr") if c.isalpha() or c.isascii() or c in upper)
    parts = unicodedata.normalize("NFD", "".join(upper.get(c, c) for c in french))
    expected = "".join(c for c in parts if not unicodedata.combining(c))
    yield Case(
        "scripts", "utf-8", "latin-ascii", "fr", french.encode(), expected.encode(), ("--via", "latin-ascii"),
        {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", "latin-ascii"]},
    )
    letters = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "abvgdeëžzijklmnoprstufhcčšŝʺyʹèûâ"))
    letters |= {k.upper(): v.upper() for k, v in letters.items()}
    russian = "".join(c for c in read("ru") if c.isascii() or c in letters and c not in "ЪЬ")
    expected = "".join(letters.get(c, c) for c in russian)
    yield Case(
        "scripts", "utf-8", "cyrillic-iso9", "ru", russian.encode(), expected.encode(), ("--via", "cyrillic-iso9"),
        {"uconv": ["uconv", "-f", "utf-8", "-t", "utf-8", "-x", "cyrillic-latin"]},
    )
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in read("ja"))
    wide = "".join(c for c in wide if c.isalnum() or c == "\n")
    expected = "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in wide)
    yield Case(
        "scripts", "fullwidth", "halfwidth", "ja", wide.encode(), expected.encode(), ("--via", "halfwidth"),
        {"nkf": ["nkf", "-W", "-w", "-m0", "-x", "-Z"]},
    )


def load(read):
    """All cases in the order in which they are measured. `read` returns a text by its name."""
    yield from _base_n("de", read("de"))
    for text in ["en", "de", "fr", "ru", "ja"]:
        yield from _quoted(text, read(text))
    for text in ["en", "de", "ja", "source"]:
        yield from _newlines(text, read(text))
    for text in ["en", "de", "fr", "vi", "ru", "el", "zh", "ja", "ko", "ar", "hi"]:
        yield from _normalized(text, read(text), ["nfc"] + (["nfd", "nfkc"] if text in ("fr", "vi", "ko") else []))
    for text in ["fr", "ru", "ja"]:
        yield from _escaped(text, read(text))
    yield from _scripts(read)
