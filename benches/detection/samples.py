"""Makes the samples of `cargo xtask measure-detection` from fetched texts.

usage: samples.py DIR ROLE OUTPUT

With the role "everyday" the samples are the texts of tests/detection/everyday.txt; DIR is not read.
Writes OUTPUT/files/NUMBER, the samples; OUTPUT/texts, their texts in UTF-8, one after the other; and
OUTPUT/samples.tsv with the columns number, set, group, language, encoding, length, source, format and
size of the text in bytes. The same texts give the same samples.

The encoders are those of Python and, for encodings that it does not have, of the C library (iconv), so that no sample
depends on the codecs of charpipe.
"""

import random
import re
import shutil
import subprocess
import sys
import tomllib
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
EVERYDAY = HERE / "../../tests/detection/everyday.txt"
ROLES = ["train", "tune", "test"]
LENGTHS = [20, 50, 100, 500, 5000]
SAMPLES = 30  # of each pair and length
CHECKED = 60  # of each pair that must be found from 200 bytes on
MARGIN = 4  # the text of a sample may be this many bytes shorter than its length
UTF8_FILES = 1000

# The codecs of Python by the names of encodings. With "iconv:" that of the C library.
CODECS = {
    "macintosh": "mac_roman", "MacCentralEurope": "mac_latin2", "MacCroatian": "mac_croatian",
    "MacTurkish": "mac_turkish", "MacCyrillic": "mac_cyrillic", "MacGreek": "mac_greek",
    "VISCII": "iconv:VISCII", "TCVN5712-1": "iconv:TCVN5712-1", "EUC-TW": "iconv:EUC-TW",
    "Georgian-PS": "iconv:GEORGIAN-PS", "ARMSCII-8": "iconv:ARMSCII-8", "IBM1047": "iconv:IBM1047",
    "windows-31J": "cp932", "windows-949": "cp949", "HZ-GB-2312": "hz", "Big5-HKSCS": "big5hkscs",
    "windows-874": "cp874", "IBM720": "cp720", "IBM737": "cp737", "CP1125": "cp1125", "PTCP154": "ptcp154",
    "KZ-1048": "kz1048", "MACINTOSH": "mac_roman", "MAC-CENTRALEUROPE": "mac_latin2", "UHC": "cp949", "IBM037": "cp037", "IBM500": "cp500", "IBM1140": "cp1140",
}

# Encodings in which ASCII text looks different, or which ASCII text says something about.
NOT_ASCII = ("UTF-16", "UTF-32", "IBM037", "IBM500", "IBM1047", "IBM1140")

# What is written where the character is unmappable.
SUBSTITUTES = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "‹": "'", "›": "'", "–": "-", "—": "-", "…": "...",
    "\u00a0": " ", "\u202f": " ", "•": "*", "ș": "ş", "ț": "ţ", "Ș": "Ş", "Ț": "Ţ", "ی": "ي", "ک": "ك", "€": "EUR",
    "→": "->", "\u200b": "", "\u200c": "", "\u200d": "", "\u200e": "", "\u200f": "", "\u00ad": "", "−": "-", "‑": "-", "→": "->",
    "™": "(TM)", "©": "(C)", "®": "(R)", "×": "x", "ʼ": "'", "ʻ": "'", "′": "'", "″": '"', "։": ":",
}

# Characters that converters map to different bytes, so that no result is the only right one.
DISPUTED = {
    "Shift_JIS": "\\~", "EUC-JP": "¥‾", "windows-31J": "¢£¬‖−〜", "JOHAB": "\\", "Big5-HKSCS": "ˍ╴￣",
    "Big5": "¢£¥•" + "".join(map(chr, range(0x400, 0x460))),
}

# Encodings that must be found from 200 bytes on, with the languages of the samples.
MUST_FOUND = {
    "VISCII": ["vi"], "TCVN5712-1": ["vi"], "IBM855": ["ru", "bg", "sr-Cyrl", "mk"], "MacCyrillic": ["ru", "uk", "bg"],
    "ISO-8859-3": ["tr", "eo", "mt"], "ISO-8859-10": ["is", "lt"], "ISO-8859-13": ["lt", "lv", "et", "pl"],
    "ISO-8859-15": ["fr", "fi", "et", "de", "es"], "ISO-8859-16": ["ro", "pl", "hu", "fr"], "EUC-TW": ["zh-Hant"], "JOHAB": ["ko"],
    "KZ-1048": ["kk"], "PTCP154": ["kk", "tt"], "IBM037": ["en", "de", "fr"], "IBM500": ["en", "de", "fr"],
    "IBM1047": ["en", "de", "fr"], "IBM1140": ["en", "de", "fr"],
}

SIGNS = {
    "°": "{word} 21 °C {rest}", "²": "{word} 30 km² {rest}", "³": "{word} 12 m³ {rest}", "µ": "{word} 50 µm {rest}",
    "§": "{word} § 14 {rest}", "©": "© 2019 {word} {rest}", "®": "{word}® {rest}", "™": "{word}™ {rest}",
    "€": "{word} 25 € {rest}", "…": "{word}… {rest}", "–": "{word} – {rest}", "“": "“{word}” {rest}", "”": "{word} “{rest}”",
}
SIGN_LANGUAGES = ["fr", "es", "de", "pt", "en", "it", "sv", "da", "fi", "nl"]
LATIN1_SIGNS = "°²³µ§©®"


def codec(encoding):
    return CODECS.get(encoding, encoding)


class IconvTable:
    """The encoder of the C library for an encoding without state, as a table of characters."""

    def __init__(self, name):
        characters = [chr(code) for code in (*range(1, 0xD800), *range(0xE000, 0x10000)) if chr(code) not in "\n\x85\u2028\u2029"]
        # Characters that are converted to several ones are not in the encoding.
        self.table = {"\n": self.run(name, "\n")}
        newline = self.table["\n"]
        encoded = self.run(name, "".join(character + "\n" for character in characters)).split(newline)
        back = subprocess.run(["iconv", "-f", name, "-t", "UTF-8", "-c"], input=newline.join(encoded), capture_output=True).stdout
        for character, code, again in zip(characters, encoded, back.decode("utf-8").split("\n")):
            if code and again == character:
                self.table[character] = code

    @staticmethod
    def run(name, text):
        return subprocess.run(["iconv", "-f", "UTF-8", "-t", name, "-c"], input=text.encode(), capture_output=True).stdout

    def encode(self, text):
        try:
            return b"".join(map(self.table.__getitem__, text))
        except KeyError:
            return None


TABLES = {}


def encode(text, encoding):
    """Returns the bytes of a text, or None if a character is not in the encoding."""
    name = codec(encoding)
    if name.startswith("iconv:"):
        if name not in TABLES:
            TABLES[name] = IconvTable(name[6:])
        return TABLES[name].encode(text)
    if encoding == "windows-1258":
        text = decompose_tones(text)
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None


def decompose_tones(text):
    """Writes Vietnamese tones as combining characters, as windows-1258 has them, unless it has the letter."""
    result = []
    for character in text:
        parts = unicodedata.normalize("NFD", character)
        try:
            character.encode("cp1258")
            result.append(character)
        except UnicodeEncodeError:
            tone = next((part for part in parts if part in "\u0300\u0301\u0303\u0309\u0323"), "")
            letter = unicodedata.normalize("NFC", "".join(part for part in parts if part != tone))
            result.append(letter + tone)
    return "".join(result)


ENCODABLE = {}


def fit(text, encoding):
    """Returns the text with substitutes for unmappable characters, or None."""
    known = ENCODABLE.setdefault(encoding, {})
    result = []
    for character in text:
        if character not in known:
            found = character if is_undisputed(character, encoding) else None
            if found is None:
                found = SUBSTITUTES.get(character)
                if found is not None and encode(found, encoding) is None:
                    found = None
            known[character] = found
        if known[character] is None:
            return None
        result.append(known[character])
    return "".join(result)


def is_undisputed(character, encoding):
    data = encode(character, encoding)
    if data is None or character in DISPUTED.get(encoding, ""):
        return False
    # Python writes syllables that are not in EUC-KR as eight bytes.
    return encoding != "EUC-KR" or len(data) <= 2


# ---- texts


class Texts:
    """The fetched texts of a role: lines by source and language, without those that are also in the
    texts of the roles before it."""

    def __init__(self, directory, role):
        self.directory = directory
        self.before = ROLES[: ROLES.index(role)]
        self.files = {}
        self.lines = {}
        self.known = None, set()
        for file in sorted(directory.glob(f"{role}/*/*.txt")):
            self.files.setdefault(file.stem, []).append(file)

    def known_lines(self, language):
        """The hashes of the lines of the roles before."""
        if self.known[0] != language:
            files = [file for role in self.before for file in self.directory.glob(f"{role}/*/{language}.txt")]
            lines = (line for file in files for line in file.read_text(encoding="utf-8").split("\n"))
            self.known = language, {hash(line) for line in lines}
        return self.known[1]

    def sources(self, language):
        return self.files.get(language, [])

    def fitted(self, file, encoding):
        """The lines of a file that the encoding can represent."""
        key = file, encoding
        if key not in self.lines:
            lines, known = file.read_text(encoding="utf-8").split("\n")[:-1], self.known_lines(file.stem)
            lines = [line for line in lines[:20000] if hash(line) not in known]
            self.lines[key] = [line for line in (fit(line, encoding) for line in lines) if line]
        return self.lines[key]

    def forget(self):
        self.lines.clear()


def piece(lines, length, encoding, rng):
    """Returns a piece of text that starts with a word and has up to the given number of bytes."""
    index = rng.randrange(len(lines))
    line = lines[index]
    starts = [0] + [match.end() for match in re.finditer(r"\s+", line) if match.end() < len(line)]
    text = line[rng.choice(starts) :] if length < 1000 else line
    while size(text, encoding) < length and index + 1 < len(lines):
        index += 1
        text += "\n" + lines[index]
    return cut(text, length, encoding)


def size(text, encoding):
    return len(encode(text, encoding))


def cut(text, length, encoding):
    """Returns the longest beginning of a text whose bytes are no more than the length."""
    low, high = 0, min(len(text), length)
    while low < high:
        middle = (low + high + 1) // 2
        if size(text[:middle], encoding) <= length:
            low = middle
        else:
            high = middle - 1
    return text[:low]


# ---- formats


def as_subtitles(lines, rng):
    start = rng.randrange(5000)
    for number, line in enumerate(lines, rng.randrange(1, 900)):
        start += rng.randrange(2, 6)
        at = f"{start // 3600:02}:{start // 60 % 60:02}:{start % 60:02},{rng.randrange(1000):03}"
        end = f"{start // 3600:02}:{start // 60 % 60:02}:{start % 60 + 1:02},{rng.randrange(1000):03}"
        yield from (str(number), f"{at} --> {end}", line[:80], "")


def as_mail(lines, rng):
    yield from (
        f"From: user{rng.randrange(999)}@example.org",
        f"Message-ID: <{rng.getrandbits(48):x}@mail.example.org>",
        f"Subject: Re: {lines[0][:40]}",
        "Mime-Version: 1.0",
        "",
    )
    for line in lines[1:]:
        quote = "> " if rng.random() < 0.4 else ""
        for start in range(0, len(line), 70):
            yield quote + line[start : start + 70]


def as_csv(lines, rng):
    for line in lines:
        words = line.split()
        middle = len(words) // 2
        yield f'{rng.randrange(10**6)};"{" ".join(words[:middle])}";{rng.randrange(10**4) / 100};"{" ".join(words[middle:])}"'


def as_program(lines, rng):
    for line in lines:
        name = rng.choice(["count", "result", "buffer", "total", "index", "name", "value"])
        yield from rng.choice(
            [
                (f"    // {line[:90]}", f"    {name} += get_{name}(input, {rng.randrange(100)});"),
                (f'    printf("{line[:70]}\\n", {name});',),
                (f"    if ({name} > {rng.randrange(64)}) {{", f"        return {name}; /* {line[:60]} */", "    }"),
            ]
        )


FORMATS = {"subtitles": as_subtitles, "mail": as_mail, "csv": as_csv, "program": as_program}


# ---- samples


class Output:
    def __init__(self, directory):
        shutil.rmtree(directory, ignore_errors=True)
        (directory / "files").mkdir(parents=True)
        self.directory = directory
        self.rows = []
        self.texts = []
        self.seen = set()

    def add(self, kind, group, language, encoding, length, source, form, data, text):
        """Adds a sample, unless there is the same one already."""
        if (kind, encoding, data) in self.seen:
            return False
        self.seen.add((kind, encoding, data))
        number = len(self.rows)
        (self.directory / "files" / f"{number:06}").write_bytes(data)
        encoded = text.encode()
        self.rows.append((f"{number:06}", kind, group, language, encoding, length, source, form, len(encoded)))
        self.texts.append(encoded)
        return True

    def write(self):
        (self.directory / "texts").write_bytes(b"".join(self.texts))
        rows = ("\t".join(map(str, row)) + "\n" for row in self.rows)
        (self.directory / "samples.tsv").write_text("".join(rows))


def make(texts, output, kind, group, language, encoding, length, count):
    """Adds up to `count` samples of a language in an encoding, from all sources in turn."""
    rng = random.Random(f"{kind} {language} {encoding} {length}")
    needs_more = not encoding.startswith(NOT_ASCII)
    files = [file for file in texts.sources(language) if texts.fitted(file, encoding)]
    made = attempts = 0
    while files and made < count and attempts < count * (40 if length < 500 else 12):
        file = files[attempts % len(files)]
        attempts += 1
        lines = texts.fitted(file, encoding)
        form = "plain"
        if file.parent.name.endswith(("-html", "-po")) or file.parent.name in ("faker", "iso-codes"):
            form = {"faker": "program", "iso-codes": "csv"}.get(file.parent.name, "markup")
        elif length >= 100 and rng.random() < 0.3:
            form = rng.choice(list(FORMATS))
            start = rng.randrange(len(lines))
            lines = lines[start : start + 2 + length // 20]
            lines = list(FORMATS[form](lines, rng))
        text = piece(lines, length, encoding, rng)
        if (needs_more and text.isascii()) or fit(text, encoding) != text:
            continue
        data = encode(text, encoding)
        if len(data) < length - max(MARGIN, length // 10) or (length < 5000 and len(data) < length // 2):
            continue
        made += output.add(kind, group, language, encoding, length, file.parent.name, form, data, text)
    return made


def make_signs(texts, output):
    """Western text with one sign, with and without other letters than those of ASCII."""
    for language in SIGN_LANGUAGES:
        for sign, pattern in SIGNS.items():
            rng = random.Random(f"sign {language} {sign}")
            encodings = ["windows-1252"] + (["ISO-8859-15"] if sign in LATIN1_SIGNS + "€" else [])
            for encoding in encodings:
                made = attempts = 0
                while made < 10 and attempts < 200:
                    file = rng.choice([file for file in texts.sources(language) if not file.parent.name.endswith(("-html", "-po"))])
                    attempts += 1
                    lines = [line for line in texts.fitted(file, encoding)]
                    text = piece(lines, rng.choice([40, 200]), encoding, rng).replace("\n", " ")
                    if any(c in text for c in SIGNS) or " " not in text or (attempts % 2 and not text.isascii()):
                        continue
                    word, rest = text.split(" ", 1)
                    text = pattern.format(word=word, rest=rest)
                    data = encode(text, encoding)
                    if data is None:
                        continue
                    made += output.add("sign", sign, language, encoding, len(data), file.parent.name, "plain", data, text)


def make_utf8(texts, output):
    """UTF-8 files: whole, cut inside a character, and with one malformed byte."""
    rng = random.Random("utf-8")
    languages = [language for language in sorted(texts.files) if language != "en"]
    made = 0
    while made < UTF8_FILES:
        language = rng.choice(languages)
        file = rng.choice(texts.sources(language))
        lines = file.read_text(encoding="utf-8").split("\n")[:-1]
        start = rng.randrange(len(lines))
        text = "\n".join(lines[start : start + rng.randrange(10, 200)]) + "\n"
        if text.isascii():
            continue
        data = text.encode()
        name = file.parent.name
        # Before the character that is cut there is another one.
        first = next(index for index, byte in enumerate(data) if byte >= 0x80) + 4
        positions = [index for index, byte in enumerate(data) if byte & 0xC0 == 0x80 and index > first]
        if not positions or not output.add("utf-8", "whole", language, "UTF-8", len(data), name, "plain", data, text):
            continue
        made += 1
        short = data[: rng.choice(positions)]
        output.add("utf-8", "cut", language, "UTF-8", len(short), name, "plain", short, "")
        at = rng.randrange(len(data))
        broken = data[:at] + bytes([rng.choice([0x80, 0xE9, 0xFC, 0xFF, 0xA0, 0xC3])]) + data[at:]
        output.add("utf-8", "malformed", language, "UTF-8", len(broken), name, "plain", broken, "")


def make_everyday(output):
    """The texts that were written for the test, each in the encodings of its language."""
    groups = {}
    for group, pairs in tomllib.loads((HERE / "pairs.toml").read_text()).items():
        groups.update((language.split("-")[0] if language[:2] != "zh" else language, group) for language in pairs if group not in ("ebcdic", "unicode"))
    for line in EVERYDAY.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            language, *encodings = line[2:].split()
        elif line and not line.startswith("#"):
            kind, text = line.split("\t", 1)
            for encoding in encodings:
                fitted = fit(text.replace("\\n", "\n"), encoding)
                if fitted and not fitted.isascii():
                    data = encode(fitted, encoding)
                    output.add("everyday", groups.get(language, "other"), language, encoding, len(data), kind, "plain", data, fitted)


def main():
    directory, role, output = Path(sys.argv[1]), sys.argv[2], Output(Path(sys.argv[3]))
    if role == "everyday":
        make_everyday(output)
        output.write()
        return
    texts = Texts(directory, role)
    for group, pairs in tomllib.loads((HERE / "pairs.toml").read_text()).items():
        for language, encodings in pairs.items():
            for encoding in encodings.split():
                counts = [make(texts, output, "pair", group, language, encoding, length, SAMPLES) for length in LENGTHS]
                if min(counts) < SAMPLES:
                    print(f"{language} {encoding}: only {counts}", flush=True)
                texts.forget()
    for encoding, languages in MUST_FOUND.items():
        for language in languages:
            make(texts, output, "found", encoding, language, encoding, 200, CHECKED // len(languages))
            texts.forget()
    make_signs(texts, output)
    make_utf8(texts, output)
    output.write()
    print(f"{len(output.rows)} samples")


if __name__ == "__main__":
    main()
