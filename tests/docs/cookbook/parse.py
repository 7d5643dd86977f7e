"""Reads standard input in a format and an encoding, and prints its content in ASCII."""
import base64
import codecs
import csv
import email
import email.header
import email.policy
import html.parser
import io
import json
import quopri
import re
import shlex
import sqlite3
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def decode_twice(source, errors="strict"):
    text = codecs.utf_8_decode(source, errors, True)[0]
    return text.encode("cp1252").decode("utf-8"), len(source)


# UTF-8 that was read as windows-1252 and encoded again.
codecs.register(lambda name: codecs.CodecInfo(None, decode_twice) if name == "double" else None)


class Page(html.parser.HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self):
        super().__init__()
        self.content = []

    def handle_starttag(self, tag, attributes):
        self.content.append((tag, attributes))

    def handle_endtag(self, tag):
        self.content.append("/" + tag)

    def handle_data(self, data):
        # Text may come in several calls.
        if self.content and self.content[-1][:1] == "=":
            data = self.content.pop()[1:] + data
        self.content.append("=" + data)


def parse_html(source, encoding):
    page = Page()
    page.feed(source.decode(encoding))
    page.close()
    return page.content


def parse_sql(source, encoding):
    database = sqlite3.connect(":memory:")
    database.executescript(source.decode(encoding))
    return database.execute("SELECT * FROM menu").fetchall()


def parse_log(source, encoding):
    """Fields of the lines of a log in the combined format, with the bytes that they denote."""
    def decode(field):
        unescaped = codecs.escape_decode(field.encode())[0]
        return urllib.parse.unquote_to_bytes(unescaped)
    return [[decode(field) for field in shlex.split(line.replace("\\", "\\\\"))]
            for line in source.decode(encoding).splitlines()]


def parse_mail(source, encoding):
    def decode(value):
        return str(email.header.make_header(email.header.decode_header(value)))
    message = email.message_from_bytes(source)
    # Unfolding replaces no white space (RFC 5322, section 2.2.3).
    fields = [(name, decode(value.replace("\n", ""))) for name, value in message.items()]
    return fields, message.get_payload()


def parse_ldif(source, encoding):
    """The attributes and their values (RFC 2849)."""
    lines = re.sub("\r?\n ", "", source.decode(encoding)).splitlines()
    values = [line.partition(":") for line in lines]
    return [(name, base64.b64decode(value[1:]) if value[:1] == ":" else value.strip().encode())
            for name, _, value in values]


def parse_vcard(source, encoding):
    """The names of properties and their values, with those in quoted-printable decoded."""
    found = []
    for name, value in re.findall("([^:]*):((?:=\n|.)*)\n", source.decode(encoding)):
        name, *parameters = name.split(";")
        if "ENCODING=QUOTED-PRINTABLE" in parameters:
            # As in vCard 2.1.
            [label] = [it[8:] for it in parameters if it.startswith("CHARSET=")]
            value = quopri.decodestring(value).decode(label)
        found.append((name, value))
    return found


PARSERS = {
    "csv": lambda source, encoding: list(csv.reader(io.StringIO(source.decode(encoding), newline=""))),
    "tabs": lambda source, encoding: list(
        csv.reader(io.StringIO(source.decode(encoding), newline=""), "excel-tab")),
    "html": parse_html,
    "xml": lambda source, encoding: ElementTree.canonicalize(
        source.decode(encoding) if encoding != "declared" else None,
        from_file=io.BytesIO(source) if encoding == "declared" else None),
    "json": lambda source, encoding: json.loads(source.decode(encoding)),
    "sql": parse_sql,
    "sql-bmp": lambda source, encoding: [
        tuple("".join(c for c in value if c <= "\uFFFF") for value in row)
        for row in parse_sql(source, encoding)],
    "log": parse_log,
    "git": lambda source, encoding: [
        codecs.escape_decode(line.strip(b'"'))[0] for line in source.splitlines()],
    "mail": parse_mail,
    "entities": lambda source, encoding: html.unescape(source.decode(encoding)),
    "url": lambda source, encoding: urllib.parse.unquote(source.decode("ascii"), encoding),
    "qp": lambda source, encoding: quopri.decodestring(source).decode(encoding),
    "base64": lambda source, encoding: base64.b64decode(source, validate=False).decode(encoding),
    "message": lambda source, encoding: email.message_from_bytes(
        source, policy=email.policy.default).get_content(),
    # UTF-8 that was read as Latin-1, in escapes.
    "facebook": lambda source, encoding: json.loads(
        json.dumps(json.loads(source.decode(encoding)), ensure_ascii=False).encode("latin1").decode()),
    "ldif": parse_ldif,
    "vcard": parse_vcard,
    "text": lambda source, encoding: source.decode(encoding),
}

if sys.version_info < (3, 8):
    sys.exit("this needs Python 3.8")
print(ascii(PARSERS[sys.argv[1]](sys.stdin.buffer.read(), sys.argv[2])))
