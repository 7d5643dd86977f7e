"""Extracts the text from the files of a package: functions from path and contents to lines."""

import gzip
import html as entities
import io
import json as json_format
import re
import struct
import zipfile
import zlib

TAG = re.compile(r"<[^<>]{0,400}>")
PLACEHOLDER = re.compile(
    r"%\([\w.]+\)[a-zA-Z]|%(?:\d+\$)?[-+#0']*[\d*]*(?:\.\d+)?(?:hh|h|ll|l|L|z|j|t|q)?[a-zA-Z@]|%\d+|%%"
    r"|\$\{[^{}]*\}|\$\w+\$?|\{\{[^{}]*\}\}|\{[^{}]*\}|#\w+#"
)
# What is left of a quoted placeholder.
EMPTY_QUOTES = re.compile(r"[“”„\"'‘’‚«»「『]\s+[“”\"'‘’«»」』]|\(\s*\)")
SPACE_BEFORE = re.compile(r"\s+([,.:;)\]])")


def clean(text):
    """Removes tags, entities, placeholders and the marks of keyboard shortcuts."""
    text = TAG.sub(" ", text)
    text = entities.unescape(text)
    text = PLACEHOLDER.sub(" ", text)
    text = re.sub(r"[(（][&_~][A-Za-z0-9][)）]", "", text)
    text = re.sub(r"&&?(?=\w)|(?<!\w)[_~](?=\w)|(?<=\w)[_~](?=\w)", "", text)
    text = EMPTY_QUOTES.sub(" ", re.sub(r"\\[ntr]", " ", text))
    return SPACE_BEFORE.sub(r"\1", text)


def lines_of(values):
    for value in values:
        for line in value.splitlines():
            line = clean(line)
            if line.strip():
                yield line


def catalog(contents):
    """Yields the originals and translations of a message catalog (MO) that differ."""
    if len(contents) < 20:
        return
    order = "<" if contents[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(order + "3I", contents, 8)
    encoding = "utf-8"
    for index in range(count):
        length, start = struct.unpack_from(order + "2I", contents, originals + 8 * index)
        original = contents[start : start + length].rsplit(b"\4")[-1]
        length, start = struct.unpack_from(order + "2I", contents, translations + 8 * index)
        translation = contents[start : start + length]
        if not original:
            # The header has a MIME content type with a charset.
            match = re.search(rb"charset=([\w-]+)", translation)
            encoding = match.group(1).decode() if match else encoding
        elif translation != original:
            try:
                yield original.decode(encoding), translation.decode(encoding)
            except (UnicodeDecodeError, LookupError):
                continue


def mo(path, contents):
    """The translations of a message catalog."""
    for _, translation in catalog(contents):
        yield from lines_of(translation.split("\0"))


def html(path, contents):
    """The text of an HTML or XML file, without its markup: one line for each block."""
    text = contents.decode("utf-8", "replace")
    text = re.sub(r"(?is)<(script|style|head|pre|code|kbd|programlisting|screen)\b.*?</\1\s*>|<!--.*?-->", " ", text)
    text = re.sub(r"(?i)</?(?:a|b|i|u|em|strong|span|tt|code|small|sub|sup|abbr|acronym|cite|var|q|font|wbr|emph|guilabel|link|gui|guiseq|app|key|ulink|literal|filename|command|application|emphasis|systemitem|email|input|output|cmd|file|em|replaceable|quote|guimenu|guisubmenu|guimenuitem|menuchoice|keycap|keycombo|primary|secondary)\b[^<>]*>", " ", text)
    for block in TAG.split(text):
        block = entities.unescape(block)
        if block.strip():
            yield SPACE_BEFORE.sub(r"\1", " ".join(block.split()))


def xpi(path, contents):
    """The messages of a Mozilla language pack: files of Fluent, of properties and DTDs."""
    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".ftl"):
                yield from lines_of(fluent(archive.read(name).decode("utf-8", "replace")))
            elif name.endswith(".properties"):
                yield from lines_of(properties(archive.read(name).decode("utf-8", "replace")))


def fluent(text):
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = re.match(r"(?:-?[A-Za-z][\w-]*|\s+\.[\w-]+)\s*=\s*(.+)$", line)
        match = match or re.match(r"\s+\*?\[[\w\s-]+\]\s*(.+)$", line)
        match = match or re.match(r"\s+([^\s.\[*{}].*)$", line)
        if match and not re.fullmatch(r"\{.*\}?", match.group(1).strip()):
            yield match.group(1)


def properties(text):
    for line in text.splitlines():
        if line.startswith(("#", "!")) or "=" not in line:
            continue
        value = line.split("=", 1)[1]
        yield re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), value)


def json(path, contents):
    """The strings of a JSON file. Lists of single words become one line."""

    def strings(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for item in value.values():
                yield from strings(item)
        elif isinstance(value, list):
            if all(isinstance(item, str) and len(item) < 40 for item in value):
                yield ", ".join(value)
            else:
                for item in value:
                    yield from strings(item)

    yield from lines_of(strings(json_format.loads(contents.decode("utf-8-sig"))))


def mo_csv(path, contents):
    """The originals and translations of a message catalog, separated by a semicolon."""
    for original, translation in catalog(contents):
        if "\n" not in translation:
            yield f"{original};{translation}"


def raw(path, contents):
    """All lines as they are, without declarations of the encoding, as in a `meta` element."""
    text = contents.decode("utf-8", "replace")
    text = re.sub(r"(?i)(charset|encoding|coding)([=:]\s*)([\"']?)[\w-]+", r"\1\2\3", text)
    yield from (line for line in text.splitlines() if line.strip())


def man(path, contents):
    """The text of a manual page, without requests and escapes: one line for each paragraph."""
    try:
        text = gzip.decompress(contents).decode("utf-8")
    except (UnicodeDecodeError, OSError):
        return
    if text.startswith(".so "):
        return
    paragraph = []
    for line in text.splitlines():
        if line.startswith((".\\\"", "'\\\"", ".TH", ".ie", ".el", ".if", ".de", ".ds")):
            continue
        if re.match(r"\.(?:PP|P|LP|SH|SS|TP|IP|sp|RS|RE|br|HP|nf|fi)\b", line):
            yield roff(" ".join(paragraph))
            paragraph = []
            line = re.sub(r"^\.(?:SH|SS)\s*", "", line) if line.startswith(".S") else ""
        else:
            line = re.sub(r"^[.']\s*[A-Za-z]+\s*", "", line)
        if line:
            paragraph.append(line)
    yield roff(" ".join(paragraph))


ROFF = {"aq": "'", "dq": '"', "lq": "“", "rq": "”", "em": "—", "en": "–", "bu": "•", "co": "©", "oq": "‘", "cq": "’", "Bq": "„", "Fo": "«", "Fc": "»", "rs": "\\", "ti": "~", "ha": "^", "ga": "`", "(c": "©"}


def roff(text):
    text = re.sub(r"\\f(?:\[\w*\]|\(..|.)", "", text)
    text = re.sub(r"\\\[u([0-9A-F]{4,5})\]", lambda match: chr(int(match.group(1), 16)), text)
    text = re.sub(r"\\\[(\w+)\]|\\\((..)", lambda match: ROFF.get(match.group(1) or match.group(2), ""), text)
    text = re.sub(r"\\[&%:/,|^c]|\\s[-+]?\d|\\\*\(?..?", "", text)
    return text.replace("\\-", "-").replace("\\~", " ").replace("\\e", "\\").replace("\\ ", " ").replace('"', "")


def fortune(path, contents):
    """The entries of a file of fortunes, each in one line."""
    try:
        text = contents.decode("utf-8")
    except UnicodeDecodeError:
        return
    for entry in re.split(r"(?m)^%\s*$", text):
        yield " ".join(entry.split())


def words(path, contents):
    """The words of a list, fifteen in a line, in an order without a pattern."""
    try:
        found = contents.decode("utf-8").split()
    except UnicodeDecodeError:
        found = contents.decode("iso-8859-1").split()
    found.sort(key=lambda word: zlib.crc32(word.encode()))
    for start in range(0, len(found), 15):
        yield " ".join(found[start : start + 15])
