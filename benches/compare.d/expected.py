"""What must come out, from nothing but Python's codecs and the rules of the encodings.

The doctests here have their values from the specifications.
"""

import base64
import quopri
import re

from encoding_table import ENCODINGS

# RFC 2152: set D, and white space of rule 3.
DIRECT = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:? \t\r\n"
)
BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def utf5(text):
    """UTF-5 (draft-jseng-utf5, section 2): hexadecimal digits, the first of them G to V.

    >>> utf5("A\u2262\u0391.")  # 41, 2262, 391, 2E
    b'K1I262J91IE'
    """
    hexes = (f"{ord(character):X}" for character in text)
    return "".join(chr(ord("G") + int(h[0], 16)) + h[1:] for h in hexes).encode()


def utf7(text):
    """UTF-7 with set O in Base64 and no `-` that is not needed, as glibc writes it.

    The examples are those of RFC 2152.

    >>> utf7("A\u2262\u0391.")
    b'A+ImIDkQ.'
    >>> utf7("Hi Mom -\u263a-!")
    b'Hi Mom -+Jjo--+ACE-'
    >>> utf7("\u65e5\u672c\u8a9e")
    b'+ZeVnLIqe-'
    """
    out, at = [], 0
    while at < len(text):
        if text[at] in DIRECT or text[at] == "+":
            out.append("+-" if text[at] == "+" else text[at])
            at += 1
            continue
        start = at
        while at < len(text) and text[at] not in DIRECT:
            at += 1
        run = text[start:at]
        out.append("+" + base64.b64encode(run.encode("utf-16be")).decode().rstrip("="))
        if at == len(text) or text[at] in BASE64 or text[at] == "-":
            out.append("-")
    return "".join(out).encode()


def encoded(text, name):
    """A text in an encoding.

    >>> encoded("\u0416", "koi8-r")  # RFC 1489
    b'\\xf6'
    """
    if name in (own := {"utf-5": utf5, "utf-7": utf7}):
        return own[name](text)
    return text.encode(ENCODINGS[name].called("python"))


def held(text, name):
    """A text without the characters that are unmappable in an encoding.

    >>> held("caf\u00e9 \u20ac", "latin1")
    'caf\u00e9 '
    """
    codec = ENCODINGS[name].called("python")
    return text.encode(codec, "ignore").decode(codec) if codec else text


WORD = re.compile(r"=\?([^?*]+)(?:\*[^?]*)?\?([BbQq])\?([^? ]*)\?=")
BETWEEN = re.compile(r"(\?=)[ \t\r\n]+(?==\?[^?]+\?[BbQq]\?)")
# Names that mail has and Python has not.
CODECS = {"ks_c_5601-1987": "euc-kr"}


def _text(word):
    mime_charset, encoding, inner = word.groups()
    if encoding in "Bb":
        raw = base64.b64decode(inner)
    else:
        raw = quopri.decodestring(inner.encode(), header=True)
    return raw.decode(CODECS.get(mime_charset.lower(), mime_charset))


def words_decoded(headers):
    r"""Header lines whose encoded-words (RFC 2047) are all well formed and rightly placed, as text.

    >>> words_decoded("(=?ISO-8859-1?Q?a?= b)\n (=?ISO-8859-1?Q?a?=\n  =?ISO-8859-1?Q?b?=)")
    '(a b)\n (ab)'
    """
    return WORD.sub(_text, BETWEEN.sub(r"\1", headers))
