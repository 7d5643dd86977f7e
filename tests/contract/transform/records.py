"""Generates and reads LDIF (RFC 2849) and vCards (versit 2.1, RFC 6350), each in a line of hexadecimal digits."""
import base64
import quopri
import random
import re
import sys

TEXTS = ["a", "b", "Jörg", "é", "日本", "😀", " ", ":", "<", "=", ";", ",", "\\", "\t", "x" * 30, "0"]
ENCODINGS = ["utf-8", "iso-8859-1", "shift_jis", "iso-2022-jp", "koi8-r", "gb2312"]


def text(random, parts=TEXTS, max=8):
    return "".join(random.choice(parts) for _ in range(random.randrange(max)))


def fold(line, random, newline):
    """Breaks a line at any characters."""
    parts, width = [], random.choice([5, 76, 1000])
    while line:
        parts.append(line[:width])
        line = line[width:]
    return (newline + " ").join(parts) + newline


def generate_ldif(random):
    newline = random.choice(["\n", "\r\n"])
    lines = ["version: 1" + newline]
    for _ in range(random.randrange(1, 6)):
        name = random.choice(["dn", "cn;lang-de", "2.5.4.3", "description"])
        value = text(random, TEXTS + ["\0", "\n", "\r", "\x1b", "\x85"])
        encoded = value.encode(random.choice(["utf-8", "utf-16"]))
        kind = random.randrange(4)
        if kind == 0:
            lines.append(fold("%s: %s" % (name, text(random, "abc: <x")), random, newline))
        elif kind == 1:
            lines.append("# comment" + newline + newline)
        else:
            value = base64.b64encode(encoded).decode()
            lines.append(fold("%s::%s%s" % (name, " " * random.randrange(3), value), random, newline))
    return "".join(lines)


def read_ldif(source):
    """The attributes with their values: bytes, or a URL."""
    records = []
    for line in re.sub("\r?\n ", "", source).replace("\r\n", "\n").split("\n"):
        if line.startswith("#") or ":" not in line:
            records.append(line)
            continue
        name, value = line.split(":", 1)
        if value.startswith(":"):
            records.append((name, base64.b64decode(value[1:].strip(" "), validate=True)))
        else:
            records.append((name, value if value.startswith("<") else value.lstrip(" ").encode()))
    return records


def generate_raw_ldif(random):
    """Values that are not encoded."""
    values = [text(random) for _ in range(5)]
    return "".join("cn:%s%s\n" % (" " * random.randrange(1, 3), value.lstrip(" ")) for value in values)


def quoted_printable(value, random):
    out = ""
    for byte in value:
        is_plain = chr(byte).isalnum() and byte < 0x80 and random.random() < 0.9
        out += chr(byte) if is_plain else "=%02X" % byte
        if random.random() < 0.1:
            out += "=\r\n"
    return out


def generate_vcard(random):
    lines = ["BEGIN:VCARD", "VERSION:" + random.choice(["2.1", "3.0"]), "URL:http://x/?a=bc=41"]
    for _ in range(random.randrange(1, 5)):
        encoding = random.choice(ENCODINGS)
        value = text(random, ["a", "\r\n", "\n", "=", ";", " ", "é", "日", "Ж", "ソ", "\t", "中"])
        value = value.encode(encoding, "ignore")
        header = random.choice(["N;CHARSET=%s;ENCODING=QUOTED-PRINTABLE", "item1.X-VCARD;HOME;QUOTED-PRINTABLE;charset=%s",
                                "NOTE;encoding=quoted-printable;CHARSET=\"%s\""]) % encoding
        lines.append(header + ":" + quoted_printable(value, random))
    return "\r\n".join(lines + ["END:VCARD", ""])


def read_vcard(source):
    """The properties with their parameters, except those of an encoding, and values. A line feed is an escape."""
    # The properties with their soft line breaks.
    is_encoded = "[^:]*QUOTED-PRINTABLE[^:]*:"
    lines = re.findall("(?i)(%s(?:=\r\n|[^\r])*|[^\r]*)\r\n" % is_encoded, source)
    properties = []
    for line in lines:
        header, _, value = line.partition(":")
        name, *parameters = header.split(";")
        is_label = lambda it: it.upper().startswith("CHARSET=")
        is_encoded = [it for it in parameters if it.upper().split("=")[-1] == "QUOTED-PRINTABLE"]
        if is_encoded:
            charset = [it.split("=")[1].strip('"') for it in parameters if is_label(it)][0]
            # Labels of mail.
            charset = {"gb2312": "gb18030", "shift_jis": "cp932", "iso-8859-1": "cp1252"}.get(charset, charset)
            value = quopri.decodestring(value.replace("=\r\n", "").encode()).decode(charset)
            value = value.replace("\r\n", "\n").replace("\n", "\\n")
        parameters = [it for it in parameters if it not in is_encoded and not (is_encoded and is_label(it))]
        properties.append((name, parameters, value))
    return properties


def generate_folded_vcard(random):
    value = text(random, ["a", "\\n", "\\N", "\\,", "\\;", "\\\\", "é", "日", " ", ":"], 30)
    return "BEGIN:VCARD\r\nVERSION:4.0\r\n" + fold("NOTE:" + value, random, "\r\n") + "END:VCARD\r\n"


def read_folded_vcard(source):
    """The text that `vcard:text` is to write."""
    source = re.sub("\r\n[ \t]", "", source)
    return re.sub(r"\\([nN,;\\])", lambda it: "\n" if it[1] in "nN" else it[1], source)


def main(action, count):
    if action.startswith("generate_"):
        for seed in range(int(count)):
            print(globals()[action](random.Random(seed)).encode().hex())
    else:
        for line in sys.stdin:
            print(ascii(globals()[action](bytes.fromhex(line).decode())))


main(*sys.argv[1:])
