#!/usr/bin/env python3
"""Packs the inputs of a target into one file, and unpacks them for the fuzzer.

    fuzz/corpus.py unpack TARGET...    corpus/TARGET.inputs -> corpus/TARGET/
    fuzz/corpus.py pack TARGET...      corpus/TARGET/ -> corpus/TARGET.inputs

Without a target: all of them. A packed file holds for each input a line with its length in bytes,
then the input, then LF. The shortest inputs come first; an input that would make the file too
large is left out, as are doubles.
"""

import hashlib
import pathlib
import sys

FUZZ = pathlib.Path(__file__).resolve().parent
CORPUS = FUZZ / "corpus"

# Bytes of one packed file at the most: all of them together stay below 2 MiB.
LARGEST = 120 * 1024


def targets():
    return sorted(path.stem for path in (FUZZ / "targets").glob("*.rs"))


def pack(target):
    contents = {path.read_bytes() for path in (CORPUS / target).iterdir()}
    packed = b""
    kept = 0
    for content in sorted(contents, key=lambda content: (len(content), content)):
        entry = b"%d\n%s\n" % (len(content), content)
        if len(packed) + len(entry) > LARGEST:
            break
        packed += entry
        kept += 1
    (CORPUS / f"{target}.inputs").write_bytes(packed)
    print(f"{target}: {kept} of {len(contents)} inputs, {len(packed)} bytes")


def unpack(target):
    packed = (CORPUS / f"{target}.inputs").read_bytes()
    folder = CORPUS / target
    folder.mkdir(exist_ok=True)
    count = 0
    while packed:
        length, _, rest = packed.partition(b"\n")
        content, packed = rest[: int(length)], rest[int(length) + 1 :]
        # The name that libFuzzer gives, so that nothing is there twice.
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)
        count += 1
    print(f"{target}: {count} inputs")


def main():
    actions = {"pack": pack, "unpack": unpack}
    if len(sys.argv) < 2 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    for target in sys.argv[2:] or targets():
        actions[sys.argv[1]](target)


main()
