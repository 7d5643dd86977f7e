"""``ranges`` and ``convert_range``, against the whole and against the command."""

import json
import os
import random
import subprocess

import charpipe
import pytest

COMMAND = os.environ.get("CHARPIPE_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="CHARPIPE_COMMAND is not the path of the command")

ENCODINGS = ["shift_jis", "utf-16", "gb18030", "utf-8", "utf-7", "ibm1047", "iso-2022-jp", "ibm939"]
STATEFUL = ["iso-2022-jp", "ibm939"]


def encoded_text(encoding):
    rng = random.Random(7)
    words = ["日本", "ab", "語。", "テキスト", " "]
    lines = ["".join(rng.choices(words, k=rng.randrange(20))) + "\n" for _ in range(200)]
    if encoding == "ibm1047":
        lines = [line.encode("ascii", "replace").decode() for line in lines]
    return charpipe.convert("".join(lines).encode(), "utf-8", encoding)


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL)


def joined(file, ranges, *conversion, **options):
    """The outputs of the ranges, of which each begins as the one before ended."""
    parts, lines, state = [], 0, None
    for start, end in ranges:
        part = charpipe.convert_range(
            file, start, end, *conversion, first_line=lines + 1, start_state=state, **options
        )
        assert (part.start, part.end) == (start, end)
        parts.append(part.output)
        lines += part.lines
        state = None if part.ends_as_assumed else part.end_state
    return b"".join(parts)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_joined_ranges_are_the_whole(tmp_path, encoding):
    data = encoded_text(encoding)
    path = tmp_path / "in"
    path.write_bytes(data)
    options = {"assume_line_start": encoding in STATEFUL}
    for to in ("utf-8", "utf-16", "iso-2022-jp"):
        for count in (1, 2, 5, 9, 10**18):
            ranges = charpipe.ranges(path, encoding, to=to, count=count, **options)
            assert ranges == charpipe.ranges(data, encoding, to=to, count=count, **options)
            assert count < 9 or len(ranges) > 7
            for damaged in (data, data[:200] + b"\xff" + data[200:]):
                ranges = charpipe.ranges(damaged, encoding, to=to, count=count, **options)
                whole = charpipe.convert(damaged, encoding, to, "replace")
                assert joined(damaged, ranges, encoding, to, "replace", **options) == whole


@needs_command
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_ranges_are_those_of_the_command(tmp_path, encoding):
    path, report = tmp_path / "in", tmp_path / "report"
    data = encoded_text(encoding)
    path.write_bytes(data[:301] + b"\xff" + data[301:])
    assume = ["--assume-line-start"] if encoding in STATEFUL else []
    options = {"assume_line_start": bool(assume)}
    for to in ("utf-8", "utf-16", "iso-2022-jp"):
        encodings = ["-f", encoding, "-t", to, *assume]
        for key, number in [("count", 5), ("count", 10**18), ("size", 1024), ("size", 1)]:
            word = "--parts" if key == "count" else "--size"
            run = command("split", word, number, "--json", *encodings, path)
            expected = [(part["start"], part["end"]) for part in json.loads(run.stdout)["ranges"]]
            assert charpipe.ranges(path, encoding, to=to, **{key: number}, **options) == expected
        size = path.stat().st_size
        # Any offsets are moved to split points.
        for start, end in [(0, 100), (100, 101), (101, 350), (350, size), (size, size), (0, size)]:
            words = [*encodings, "--on-error", "replace", "--range", f"{start}-{end}"]
            run = command(*words, "--report", report, path)
            part = charpipe.convert_range(path, start, end, encoding, to, "replace", **options)
            assert run.returncode in (0, 1) and part.output == run.stdout
            with open(report, "rb") as file:
                members = json.load(file)
            names = "start end lines malformed unmappable end_state ends_as_assumed".split()
            assert [getattr(part, name) for name in names] == [members[name] for name in names]


def test_a_range_is_converted_from_the_state_before_it():
    # The second line begins with two bytes of a character.
    data = b"\x1b$BF|\nK\\\x1b(B\nab\n"
    with pytest.raises(ValueError, match="ISO-2022-JP: cannot be converted in parts: "):
        charpipe.convert_range(data, 0, 6, "iso-2022-jp")
    first = charpipe.convert_range(data, 0, 6, "iso-2022-jp", assume_line_start=True)
    assert (first.output.decode(), first.lines, first.ends_as_assumed) == ("日\n", 1, False)
    second = charpipe.convert_range(data, 6, 99, "iso-2022-jp", start_state=first.end_state)
    assert (second.output.decode(), second.ends_as_assumed) == ("本\nab\n", True)
    assert repr(second) == "<ConvertedRange 6-15, 2 lines>"
    with pytest.raises(ValueError, match="not a state of a conversion"):
        charpipe.convert_range(data, 6, 99, "iso-2022-jp", start_state="x")


def test_positions_are_those_in_the_file():
    data = b"ab\nc\xffd\nef\n"
    with pytest.raises(charpipe.ConversionError) as caught:
        charpipe.convert_range(data, 3, 8, "utf-8", first_line=2)
    assert (caught.value.offset, caught.value.line, caught.value.column) == (4, 2, 2)
    part = charpipe.convert_range(data, 3, 8, "utf-8", errors="ignore")
    assert (part.output, part.malformed, part.lines) == (b"cd\nef\n", 1, 2)


def test_empty_files_have_one_range(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(b"")
    assert charpipe.ranges(path, "utf-8", count=3) == charpipe.ranges(b"", "utf-8", size=5) == [(0, 0)]
    assert charpipe.convert_range(path, 0, 0, "utf-8", "utf-16").output == charpipe.convert(
        b"", "utf-8", "utf-16"
    )


REFUSED = [
    ("utf-5", "utf-8"),
    ("utf-8", "utf-7-imap"),
    ("rfc2047", "utf-8"),
    ("utf-8/base64", "utf-8"),
    ("utf-8,cp1252", "utf-8"),
    ("iso-2022-jp", "utf-8"),
    ("utf-8", "scsu"),
    ("jis_x0208", "utf-16"),
]


@pytest.mark.parametrize("from_, to", REFUSED)
def test_refusals_have_the_reason_of_the_command(tmp_path, from_, to):
    path = tmp_path / "in"
    path.write_bytes(b"text\n")
    reasons = []
    for call in (
        lambda: charpipe.ranges(path, from_, to=to, count=2),
        lambda: charpipe.convert_range(path, 0, 5, from_, to),
    ):
        with pytest.raises(ValueError, match=": cannot be converted in parts: ") as caught:
            call()
        reasons.append(str(caught.value))
    assert reasons[0] == reasons[1]
    if COMMAND:
        run = command("-f", from_, "-t", to, "--range", "1/2", path)
        assert run.returncode == 2 and run.stderr.decode().startswith(f"charpipe: {reasons[0]}")


def test_invalid_calls(tmp_path):
    for call, error in [
        (lambda: charpipe.ranges(b"a", "utf-8"), TypeError),
        (lambda: charpipe.ranges(b"a", "utf-8", size=1, count=1), TypeError),
        (lambda: charpipe.ranges(b"a", "utf-8", size=0), ValueError),
        (lambda: charpipe.ranges(5, "utf-8", size=1), TypeError),
        (lambda: charpipe.ranges(b"a", "nope", size=1), LookupError),
        (lambda: charpipe.ranges(tmp_path / "missing", "utf-8", size=5), FileNotFoundError),
        (lambda: charpipe.convert_range(tmp_path, 0, 1, "utf-8"), OSError),
        (lambda: charpipe.convert_range(b"ab", 2, 1, "utf-8"), ValueError),
        (lambda: charpipe.convert_range(b"ab", -1, 1, "utf-8"), OverflowError),
    ]:
        with pytest.raises(error):
            call()
