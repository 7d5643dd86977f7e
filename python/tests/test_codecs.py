"""The codecs ``charpipe:LABEL``: error handlers, streams and limits."""

import array
import codecs
import io
import os
import subprocess
import sys
import time
from random import Random

import charpipe  # noqa: F401
import pytest

COMMAND = os.environ.get("CHARPIPE_COMMAND")

# Encodings that Python has as well, of each kind: of one byte, of several, with states, with units.
NAMES = """ascii latin1 cp1252 koi8-r cp037 utf-8 gbk gb18030 big5 shift_jis euc-jp euc-kr iso-2022-jp hz
utf-16-le utf-16-be utf-32-le utf-32-be utf-16 utf-32""".split()
HANDLERS = """strict ignore replace backslashreplace xmlcharrefreplace namereplace surrogateescape
surrogatepass""".split()
SURROGATES = ["a\udcffb", "\udc80", "\ud800", "a\ud800\udc80b", "\U0001f600\udcff", "\udcff\ud83d\ude00", "é\udcc3\udca9"]


def outcome(function):
    try:
        return function()
    except UnicodeError as error:
        return type(error), error.start, error.end, error.object


@pytest.mark.parametrize("name", NAMES)
def test_lone_surrogates_are_encoded_as_by_python(name):
    mark = "".encode(name)
    units_are_long = name.startswith(("utf-16", "utf-32"))
    for text in SURROGATES:
        for handler in HANDLERS:
            expected = outcome(lambda: text.encode(name, handler))
            result = outcome(lambda: text.encode("charpipe:" + name, handler))
            if isinstance(expected, bytes):
                # Empty text has no mark in charpipe.
                assert result == expected or (mark == expected and result == b""), (text, handler)
            elif handler == "surrogateescape" and units_are_long and isinstance(result, bytes):
                # Python writes one surrogate at a time, not a whole code unit.
                assert expected[0] is UnicodeEncodeError
            else:
                # Consecutive characters are one error, as for Python's codecs of ASCII, Latin-1 and UTF-8.
                assert (result[0], result[3]) == (expected[0], text)
                assert result == expected or name not in ("ascii", "latin1", "utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_undecodable_bytes_are_written_back(name):
    texts = ["ab\n"] if name in ("iso-2022-jp", "hz") else ["a", "日本", "é"]
    count = 0
    for text in texts:
        for malformed in (b"\xff\xfe\xfd", b"\x80", b"\xed\xa0\x80", b"\xe3\x81", b"\x80\xd8\xff\xff", b"\xff"):
            data = text.encode(name, "ignore") + malformed
            try:
                decoded = data.decode("charpipe:" + name, "surrogateescape")
            except UnicodeDecodeError:
                # The sequence contains ASCII, which the handler refuses.
                continue
            count += 1
            assert decoded.encode("charpipe:" + name, "surrogateescape") == data
    assert count >= 4


def test_errors_name_the_encoding():
    for name, expected in [
        ("latin1", "ISO-8859-1"),
        ("utf-8", "UTF-8"),
        ("utf-16", "UTF-16LE"),
        ("euc-jp", "EUC-JP"),
    ]:
        with pytest.raises(UnicodeEncodeError) as caught:
            "aé\udcff".encode("charpipe:" + name)
        assert caught.value.encoding == expected
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xfe\xff\xdc\x00".decode("charpipe:utf-16")
    assert caught.value.encoding == "UTF-16BE"
    assert b"\xfe\xff\xdc\x00".decode("charpipe:utf-16", "surrogatepass") == "\udc00"


@pytest.fixture
def handler():
    """Register an error handler that returns what a function returns, at most a hundred times."""

    def register(function):
        calls = iter(range(100))

        def call(error):
            assert next(calls, None) is not None, "the handler was called a hundred times"
            return function(error)

        codecs.register_error("charpipe.test", call)
        return "charpipe.test"

    return register


@pytest.mark.parametrize("position", [0, 1, 2, 3, 4, -1, -2, -3, -4, -100, 5, 100, None, "1", 1.0])
def test_positions_of_handlers_are_those_of_python(handler, position):
    for call in (lambda name: b"a\xffbc".decode(name, "charpipe.test"), lambda name: "aébc".encode(name, "charpipe.test")):
        outcomes = []
        for name in ("charpipe:ascii", "ascii"):
            first = iter([position])
            handler(lambda error: ("?", next(first, error.end)))
            try:
                outcomes.append(call(name))
            except (IndexError, TypeError) as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1]


def test_huge_positions_of_handlers_are_index_errors(handler):
    for position in (sys.maxsize, -sys.maxsize, 1 << 70, -1 << 70):
        handler(lambda error: ("", position))
        with pytest.raises(IndexError):
            b"a\xffb".decode("charpipe:ascii", "charpipe.test")
        with pytest.raises(IndexError):
            "aéb".encode("charpipe:ascii", "charpipe.test")


def test_wrong_results_of_handlers_are_type_errors(handler):
    for result in (None, 5, "x", ("x",), ("x", 1, 2), (5, 1), [b"x", 1]):
        handler(lambda error: result)
        with pytest.raises(TypeError):
            b"a\xffb".decode("charpipe:ascii", "charpipe.test")
        with pytest.raises(TypeError):
            "aéb".encode("charpipe:ascii", "charpipe.test")
    handler(lambda error: (b"x", 2))
    with pytest.raises(TypeError):
        b"a\xffb".decode("charpipe:ascii", "charpipe.test")
    assert "aéb".encode("charpipe:ascii", "charpipe.test") == b"axb"


def test_a_handler_may_replace_the_input(handler):
    def replace(error):
        error.object = b"xyz!"
        return "?", 1

    for name in ("ascii", "charpipe:ascii"):
        assert b"a\xffbcd".decode(name, handler(replace)) == "a?yz!"


def test_unmappable_replacements_are_the_error_of_the_character(handler):
    for replacement in ("ü", "\udcff"):
        for name in ("ascii", "charpipe:ascii"):
            with pytest.raises(UnicodeEncodeError) as caught:
                "aé".encode(name, handler(lambda error: (replacement, error.end)))
            assert (caught.value.object, caught.value.start) == ("aé", 1)


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


@pytest.mark.parametrize("errors", ["replace", "ignore", "backslashreplace", "xmlcharrefreplace", "surrogateescape"])
def test_errors_take_linear_time(errors):
    count = 20_000
    calls = [lambda length: (b"a\xff" * length).decode("charpipe:utf-8", errors if errors != "xmlcharrefreplace" else "replace")]
    if errors == "surrogateescape":
        calls.append(lambda length: ("a\udcff" * length).encode("charpipe:ascii", errors))
    else:
        calls.append(lambda length: ("é" * length).encode("charpipe:ascii", errors))
        calls.append(lambda length: ("aé" * length).encode("charpipe:ascii", errors))
    for call in calls:
        short = min(seconds(lambda: call(count)) for _ in range(3))
        # Quadratic time would be 64 times as long.
        assert seconds(lambda: call(8 * count)) < 24 * max(short, 0.01)


def test_other_objects_are_not_decoded():
    for name in ("utf-8", "utf-16", "gbk"):
        decode = codecs.getdecoder("charpipe:" + name)
        for value in (42, 4.0, None, "text", [1]):
            with pytest.raises(TypeError):
                decode(value)
            with pytest.raises(TypeError):
                codecs.getincrementaldecoder("charpipe:" + name)().decode(value)
        for value in (42, None, b"bytes"):
            with pytest.raises(TypeError):
                codecs.getencoder("charpipe:" + name)(value)
    assert codecs.getdecoder("charpipe:utf-16-le")(array.array("H", [97, 98])) == ("ab", 4)


MEMORY_PROGRAM = """
import resource, sys
import charpipe, codecs
codecs.lookup("charpipe:gbk")
charpipe.convert(b"a", "gbk", "utf-8", "replace"), charpipe.detect(b"abc\\xe9"), charpipe.check(b"a\\xff")
text = b"abc\\xc4\\xe3" * 8_000_000
string = "abc\\u4f60" * 8_000_000
ideographs = "\\u4f60" * 30_000_000
rows = [text[:100_000]] * 400
converter = charpipe.Converter("gbk")
calls = {
    "convert": lambda: charpipe.convert(text, "gbk"),
    "convert with an action": lambda: charpipe.convert(text, "gbk", "utf-16", "replace"),
    "convert_all": lambda: charpipe.convert_all(rows, "gbk"),
    "convert_all with an action": lambda: charpipe.convert_all(rows, "gbk", "utf-16", "replace"),
    "Converter": lambda: converter.convert(text),
    "decode": lambda: text.decode("charpipe:gbk"),
    "decode with a handler": lambda: text.decode("charpipe:ascii", "backslashreplace"),
    "encode": lambda: string.encode("charpipe:gbk"),
    "encode ideographs": lambda: ideographs.encode("charpipe:gbk"),
    "encode with a handler": lambda: string.encode("charpipe:ascii", "backslashreplace"),
    "check": lambda: charpipe.check(b"\\xff" * 2_000_000),
}
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
_, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]), hard))
try:
    calls[sys.argv[1]]()
except MemoryError:
    print("MemoryError")
else:
    print("no error")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
@pytest.mark.parametrize("call", [line.split('"')[1] for line in MEMORY_PROGRAM.splitlines() if line.startswith('    "')])
def test_failed_allocations_are_memory_errors(call):
    for available in (8_000_000, 40_000_000):
        command = [sys.executable, "-c", MEMORY_PROGRAM, call, str(available)]
        run = subprocess.run(command, capture_output=True, text=True)
        assert (run.returncode, run.stdout.strip()) == (0, "MemoryError"), run.stderr[-500:]


STATEFUL = "utf-16 utf-32 utf-7 iso-2022-jp iso-2022-kr iso-2022-jp-3 hz euc-jisx0213 big5-hkscs scsu bocu-1 cp930 gb18030".split()


@pytest.mark.parametrize("function", [open, codecs.open])
@pytest.mark.parametrize("name", STATEFUL)
def test_files_that_are_written_in_parts_are_whole(tmp_path, function, name):
    codec = "charpipe:" + name
    text = "".join(character for character in "naïve\n日本\nか Ê æ か" if character.encode(codec, "ignore") or name == "utf-16")
    if "æ" in text:
        assert text.endswith("か")
    path = tmp_path / "a"
    for cut in range(len(text) + 1):
        with function(path, "w", encoding=codec) as file:
            file.write(text[:cut])
            file.write(text[cut:])
        assert charpipe.convert(path.read_bytes(), name) == text.encode()
        with function(path, encoding=codec) as file:
            assert file.readline() == text.splitlines(keepends=True)[0]
            assert file.read() == "".join(text.splitlines(keepends=True)[1:])
        with function(path, encoding=codec) as file:
            assert list(file) == text.splitlines(keepends=True)


@pytest.mark.parametrize("function", [open, codecs.open])
@pytest.mark.parametrize("name", ["utf-16", "utf-32", "iso-2022-kr", "iso-2022-jp"])
def test_appending_writes_no_second_header(tmp_path, function, name):
    path = tmp_path / "a"
    for part in ("日本\n", "語\n"):
        with function(path, "a", encoding="charpipe:" + name) as file:
            file.write(part)
    assert path.read_bytes() == "日本\n語\n".encode("charpipe:" + name).replace(b"\xfe\xff", b"\xfe\xff", 1)


def test_stream_writers_end_the_text_when_they_are_closed():
    stream = io.BytesIO()
    stream.close, closed = (lambda: None), stream.close
    with codecs.getwriter("charpipe:iso-2022-jp")(stream) as writer:
        writer.write("日")
        writer.write("本")
    assert stream.getvalue() == "日本".encode("iso-2022-jp")
    closed()


def test_resetting_after_a_seek_overwrites_nothing(tmp_path):
    path = tmp_path / "a"
    with codecs.open(path, "w+", encoding="charpipe:iso-2022-jp") as file:
        file.write("日本")
        file.seek(0)
        assert file.read() == "日本"


def test_incomplete_characters_at_the_end_of_files_are_errors(tmp_path):
    path = tmp_path / "a"
    for name, data in [("utf-8", b"a\xe3\x81"), ("utf-16", b"\xff\xfea\0b"), ("shift_jis", b"a\x93")]:
        path.write_bytes(data)
        for read in (lambda file: file.read(), lambda file: file.read(5), lambda file: file.readline(), list):
            with codecs.open(path, encoding="charpipe:" + name) as file:
                with pytest.raises(UnicodeDecodeError):
                    read(file)
        with codecs.open(path, encoding="charpipe:" + name, errors="replace") as file:
            assert file.read() == "a\ufffd"


def test_errors_leave_the_state_unchanged():
    decoder = codecs.getincrementaldecoder("charpipe:iso-2022-jp")()
    assert decoder.decode(b"\x1b$BF|") == "日"
    with pytest.raises(UnicodeDecodeError):
        decoder.decode(b"\x1b(B\xff")
    assert decoder.decode(b"K\\") == "本"
    encoder = codecs.getincrementalencoder("charpipe:iso-2022-jp")()
    start = encoder.encode("日")
    with pytest.raises(UnicodeEncodeError):
        encoder.encode("a\ud800")
    assert (start + encoder.encode("本", True)).decode("iso-2022-jp") == "日本"


@pytest.mark.parametrize("name", STATEFUL)
def test_states_are_valid_for_other_instances(name):
    codec = "charpipe:" + name
    text = "".join(character for character in "a日本か\næ" if character.encode(codec, "ignore"))
    data = text.encode(codec)
    for cut in range(len(data) + 1):
        first, second = (codecs.getincrementaldecoder(codec)() for _ in range(2))
        start = first.decode(data[:cut])
        second.setstate(first.getstate())
        assert start + second.decode(data[cut:], True) == text
    for cut in range(len(text) + 1):
        first, second = (codecs.getincrementalencoder(codec)() for _ in range(2))
        start = first.encode(text[:cut])
        second.setstate(first.getstate())
        assert (start + second.encode(text[cut:], True)).decode(codec) == text


def test_unknown_states_are_refused():
    for number in (3, 123456789, 2 << 28, 1 << 62):
        with pytest.raises(ValueError):
            codecs.getincrementaldecoder("charpipe:iso-2022-jp")().setstate((b"", number))
    with pytest.raises(TypeError):
        codecs.getincrementaldecoder("charpipe:iso-2022-jp")().setstate(("text", 0))


@pytest.mark.skipif(not COMMAND, reason="CHARPIPE_COMMAND is not the path of the command")
def test_all_names_are_codecs():
    lines = subprocess.run([COMMAND, "list"], capture_output=True, check=True).stdout.decode().splitlines()
    for line in lines:
        for name in line.split():
            codecs.lookup("charpipe:" + name)


def random_texts(label, count):
    """Return short texts of characters of an encoding, of others, and of ones that combine with them."""
    random = Random(label)
    known = random.randbytes(4000).decode("charpipe:" + label, "ignore")
    known += bytes(byte for _ in range(1000) for byte in (random.randrange(0x81, 0xFF), random.randrange(0x40, 0xFF))).decode(
        "charpipe:" + label, "ignore"
    )
    common = "ab ~\\{é\u0301\u0300\u0309\u309a\u304b\u30ab\u02e9\u02e5\u0e31\u20ac日本\U0001f600"
    others = "".join(chr(random.choice([random.randrange(0xD800), random.randrange(0xE000, 0x30000)])) for _ in range(200))
    for _ in range(count):
        sources = [known] * 20 + random.choice([[], [], [common] * 5, [others]])
        yield "".join(random.choice(random.choice(sources) or "a") for _ in range(random.randrange(1, 30)))


@pytest.mark.skipif(not COMMAND, reason="CHARPIPE_COMMAND is not the path of the command")
def test_short_texts_of_all_encodings_are_converted_as_by_convert():
    lines = subprocess.run([COMMAND, "list"], capture_output=True, check=True).stdout.decode().splitlines()
    labels = [line.split()[0] for line in lines]
    encoded = decoded = 0
    for label in labels:
        for text in random_texts(label, 100):
            data = outcome(lambda: text.encode("charpipe:" + label))
            try:
                expected = charpipe.convert(text.encode(), "utf-8", label)
            except charpipe.ConversionError:
                assert data[0] is UnicodeEncodeError, (label, text)
                data = text.encode("charpipe:" + label, "ignore")
            else:
                assert data == expected, (label, text)
                encoded += 1
            for data in data, data[:-1], data[1:]:
                text = outcome(lambda: data.decode("charpipe:" + label))
                try:
                    expected = charpipe.convert(data, label).decode()
                except charpipe.ConversionError:
                    assert text[0] is UnicodeDecodeError, (label, data)
                else:
                    assert text == expected, (label, data)
                    decoded += 1
    assert len(labels) > 500 and encoded > 30 * len(labels) and decoded > 150 * len(labels)


@pytest.mark.parametrize("length", [0, 1, 50, 10_000])
def test_strings_of_classes_with_another_length_are_encoded_whole(length):
    class Text(str):
        def __len__(self):
            return length

    for text in "日本", "日本" * 1000:
        assert Text(text).encode("charpipe:gbk") == text.encode("gbk")
        assert Text(text + "\U0001f600").encode("charpipe:gbk", "replace") == (text + "?").encode("gbk")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("ascii", "latin1", "cp1252", "koi8-r", "cp037")])
def test_long_texts_with_rare_characters_are_encoded_as_by_python(name):
    # The first characters decide how a text is encoded.
    ideographs = "".join(map(chr, range(0x4E00, 0x4F00)))
    ideographs = ideographs.encode(name, "ignore").decode(name) * 400
    for text in ideographs, ideographs + "a" * 20_000, "a" * 300 + ideographs:
        assert text.encode("charpipe:" + name) == text.encode(name)
        for char in "\U0001f600", "\u0e01":
            longer = text + char + text
            assert outcome(lambda: longer.encode("charpipe:" + name)) == outcome(lambda: longer.encode(name))
