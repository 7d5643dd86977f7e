#!/usr/bin/env python3
"""Packs plain encoding maps into the archives beside this file.

    pack.py DIRECTORY

DIRECTORY/ORIGIN/NAME.xz (or DIRECTORY/ORIGIN/NAME) is one map, in the plain form that README.md
describes. The archives are written to maps/; README.md describes their form too. Each packed map
is expanded again and compared before it is kept.
"""

import collections
import lzma
import pathlib
import sys

FAMILIES = [
    ("gb18030", ["GB18030", "GB18030:2022", "gb18030", "GBK", "CP936", "EUC-CN", "GB_2312-80",
                 "ISO-IR-165", "HZ"]),
    ("chinese", ["BIG5", "Big5", "CP950", "BIG5-2003", "BIG5HKSCS", "BIG5-HKSCS",
                 "BIG5-HKSCS:1999", "BIG5-HKSCS:2001", "BIG5-HKSCS:2004", "EUC-TW", "DEC-HANYU",
                 "ISO-2022-CN", "ISO-2022-CN-EXT", "IBM937", "IBM1371", "IBM935", "IBM1388"]),
    ("japanese", ["JIS_X0208", "JIS_X0212", "EUC-JP", "DEC-KANJI", "EUC-JP-MS", "SJIS",
                  "SHIFT_JIS", "Shift_JIS", "CP932", "IBM932", "IBM943", "CP943", "ISO-2022-JP",
                  "ISO-2022-JP-1", "ISO-2022-JP-2", "ISO-2022-JP-MS", "EUC-JISX0213",
                  "Shift_JISX0213", "SHIFT_JISX0213", "ISO-2022-JP-3", "IBM930", "IBM939",
                  "IBM1390", "IBM1399"]),
    ("korean", ["KSC_5601", "EUC-KR", "UHC", "CP949", "JOHAB", "ISO-2022-KR", "IBM933",
                "IBM1364"]),
]
# Everything else has one byte a character, or is TSCII.
REST = "single"
# Those of these origins are 8-bit encodings that no other origin has; each origin is an archive.
ALONE = ["icu", "python", "recode", "perl"]

KINDS = "DCTES"


def plain(path):
    """The lines of a plain map: {kind: {left: right}}, right a tuple of code points or bytes."""
    opener = lzma.open if path.suffix == ".xz" else open
    lines = {kind: {} for kind in KINDS}
    with opener(path, "rt", encoding="ascii") as text:
        for line in text:
            kind, left, right = line.rstrip("\n").split("\t")
            assert left not in lines[kind], (path, line)
            lines[kind][left] = right
    return lines


def successor(code):
    """The next code of as many bytes, or None. GB18030's four bytes count digits of 10 and 126."""
    code = bytearray.fromhex(code)
    if len(code) == 4 and 0x30 <= code[1] <= 0x39:
        bounds = [(0x81, 0xFE), (0x30, 0x39), (0x81, 0xFE), (0x30, 0x39)]
    else:
        bounds = [(0, -1)] * (len(code) - 1) + [(0, 0xFF)]
    for index in reversed(range(len(code))):
        low, high = bounds[index]
        if code[index] < high:
            code[index] += 1
            return code.hex()
        if low > high:
            return None
        code[index] = low
    return None


def predicted(lines, rules):
    """What the decoding half leads one to expect of the encoding half."""
    expected = {}
    def offer(code, text, before="", after=""):
        if text not in expected:
            expected[text] = before + code + after
    for code, text in sorted(lines["D"].items(), key=lambda item: (len(item[0]), item[0])):
        if " " not in text:
            offer(code, text)
    for prefix, suffix in rules:
        for key, text in lines["T"].items():
            before, code = key.split("|")
            if before == prefix and " " not in text:
                offer(code, text, prefix, suffix)
    return expected


def rules(lines):
    """Pairs of prefix and suffix, in the order that explains most of the encoding half."""
    found = []
    prefixes = collections.defaultdict(set)
    for key, text in lines["T"].items():
        before, code = key.split("|")
        prefixes[before].add((code, text))
    while True:
        expected = predicted(lines, found)
        votes = collections.Counter()
        for text, code in lines["E"].items():
            if expected.get(text) == code:
                continue
            for prefix, pairs in prefixes.items():
                if not code.startswith(prefix) or prefix in [known for known, _ in found]:
                    continue
                rest = code[len(prefix):]
                for cut in range(2, len(rest) + 1, 2):
                    if (rest[:cut], text) in pairs:
                        votes[prefix, rest[cut:]] += 1
        if not votes or votes.most_common(1)[0][1] < 10:
            return found
        found.append(votes.most_common(1)[0][0])


def rows(table):
    """Rows of codes that follow each other: `first right right+n ...`, right with its blanks as
    commas; +n says that the n next ones go up by one on both sides."""
    current, after, run = None, None, None
    for code, right in sorted(table.items(), key=lambda item: (len(item[0]), item[0])):
        right = right.replace(" ", ",")
        value = int(right, 16) if "," not in right else None
        if current is None or code != after:
            if current:
                yield finish(current)
            current, run = [code], None
        if run is not None and value == run + 1:
            current[-1][1] += 1
        else:
            current.append([right, 0])
        run, after = value, successor(code)
    if current:
        yield finish(current)


def finish(row):
    cells = [right + (f"+{more:x}" if more else "") for right, more in row[1:]]
    return " ".join([row[0], *cells])


def pack(lines):
    order = rules(lines)
    for row in rows(lines["D"]):
        yield "D " + row
    prefixes = dict.fromkeys(key.split("|")[0] for key in lines["T"])
    for prefix in prefixes:
        yield f"T {prefix}"
        inside = {key.split("|")[1]: text for key, text in lines["T"].items()
                  if key.split("|")[0] == prefix}
        for row in rows(inside):
            yield "D " + row
    for code, text in lines["C"].items():
        yield f"C {code} {text.replace(' ', ',')}"
    for text, code in lines["S"].items():
        yield f"S {text.replace(' ', ',')} {code}"
    for prefix, suffix in order:
        yield f"R {prefix} {suffix}".rstrip()
    expected = predicted(lines, order)
    exceptions = {text: code for text, code in lines["E"].items() if expected.get(text) != code}
    exceptions.update({text: "-" for text in expected if text not in lines["E"]})
    for text in sorted(exceptions, key=lambda text: int(text, 16)):
        yield f"E {text} {exceptions[text]}"


def unpack(packed):
    lines = {kind: {} for kind in KINDS}
    prefix, order, exceptions = None, [], {}
    for line in packed:
        kind, *fields = line.split(" ")
        if kind == "T":
            prefix = fields[0]
        elif kind == "R":
            order.append((fields[0], fields[1] if len(fields) > 1 else ""))
        elif kind == "E":
            exceptions[fields[0]] = fields[1]
        elif kind == "C":
            lines["C"][fields[0]] = fields[1].replace(",", " ")
        elif kind == "S":
            lines["S"][fields[0].replace(",", " ")] = fields[1]
        else:
            code = fields[0]
            for cell in fields[1:]:
                text, _, more = cell.partition("+")
                for step in range(int(more or "0", 16) + 1):
                    right = f"{int(text, 16) + step:x}" if "," not in text else text
                    right = right.replace(",", " ")
                    if prefix is None:
                        lines["D"][code] = right
                    else:
                        lines["T"][f"{prefix}|{code}"] = right
                    code = successor(code)
    expected = predicted(lines, order) | exceptions
    lines["E"] = {text: code for text, code in expected.items() if code != "-"}
    return lines


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent / "maps"
    position = {}
    for family, names in FAMILIES:
        position.update({name: (family, index) for index, name in enumerate(names)})
    archives = collections.defaultdict(list)
    for origin in ["glibc", "glibc-2.43", "libiconv", "whatwg", *ALONE]:
        for path in (source / origin).glob("*"):
            name = path.name.removesuffix(".xz")
            family, index = (origin, 0) if origin in ALONE else position.get(name, (REST, 0))
            archives[family].append((index, name.lower(), origin, path))
    for family, members in archives.items():
        text = []
        for _, _, origin, path in sorted(members):
            lines = plain(path)
            packed = list(pack(lines))
            assert unpack(packed) == lines, path
            counts = " ".join(str(len(lines[kind])) for kind in KINDS)
            text += [f"= {origin}/{path.name.removesuffix('.xz')} {counts}", *packed]
            print(family, text[-len(packed) - 1], len(packed))
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME,
                    "lc": 3, "lp": 0, "pb": 0, "dict_size": 1 << 24}]
        with lzma.open(target / f"{family}.xz", "wt", filters=filters) as out:
            out.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
