"""Inputs of which much or all is malformed or unmappable, and what must come of them."""

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


@dataclasses.dataclass(frozen=True)
class LegacyCase:
    """Text in which each character is followed by an error, for a comparison with `iconv -c`."""

    source: str
    target: str
    unit: bytes

    def expected(self, action):
        """Returns the conversion by Python, without the errors or with character references for them."""
        if action == "skip":
            return self.unit.decode(self.source, "ignore").encode(self.target, "ignore")
        text = self.unit.decode(self.source, "replace").replace("\ufffd", "&#65533;")
        return text.encode(self.target, "xmlcharrefreplace")


def _malformed(source, text, error):
    unit = b"".join(character.encode(source) + error for character in text)
    return LegacyCase(source, "utf-8", unit * (UNITS // len(text)))


def _unmappable(target, text, errors):
    pairs = zip(text, errors, strict=True)
    unit = "".join(character + error for character, error in pairs).encode()
    return LegacyCase("utf-8", target, unit * (UNITS // len(text)))


LEGACY_CASES = [
    _malformed("shift_jis", "日本語のテキスト", b"\xfd"),
    _malformed("euc-jp", "日本語のテキスト", b"\xff"),
    _malformed("iso-2022-jp", "plain text", b"\xff"),
    _malformed("gb18030", "中文文本编码转换", b"\xff"),
    _malformed("gbk", "中文文本编码转换", b"\xff"),
    _malformed("big5", "中文文本編碼轉換", b"\xff"),
    _malformed("euc-kr", "한국어텍스트변환", b"\xa0"),
    _malformed("cp1252", "déjà vu", b"\x81"),
    _malformed("iso-8859-7", "Ελληνικό", b"\xff"),
    _malformed("ascii", "plain text", b"\xff"),
    _malformed("utf-7", "plain text", b"\xff"),
    _malformed("utf-32le", "plain text", b"\0\0\x20\0"),
    _unmappable("shift_jis", "日本語の", "한국어텍"),
    _unmappable("gbk", "中文文本", "한국어텍"),
    _unmappable("big5", "中文文本", "한국어텍"),
    _unmappable("euc-kr", "한국어텍", "éèàç"),
    _unmappable("koi8-r", "текст", "日本語のé"),
    _unmappable("cp1252", "déjà", "ЖБДИ"),
    _unmappable("latin1", "déjà", "ЖБДИ"),
]
