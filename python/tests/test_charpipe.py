import codecs
import csv
import gc
import io
import os
import subprocess
import sys
import threading
import warnings

import charpipe
import pytest

CJK = "道可道,非常道。名可名,非常名。\n無名天地之始;有名萬物之母。\n"
TEXTS = {
    "gb18030": CJK + "😀",
    "big5": "無名天地之始\n",
    "euc-jp": "国境の長いトンネルを抜けると\n",
    "shift_jis": "国境の長いトンネルを抜けると\n",
    "iso-2022-jp": "国境の長い abc トンネル\nabc",
    "euc-kr": "나랏말싸미\n",
    "utf-16-le": "aé日😀\n",
    "utf-32-be": "aé日😀\n",
    "utf-7": "aé日 + b\n",
    "koi8-r": "Мир\n",
    "cp1252": "café €\n",
    "cp037": "HELLO world 42",
    "hz": "道可道 abc\n",
}
COMMAND = os.environ.get("CHARPIPE_COMMAND")


@pytest.mark.parametrize("name", TEXTS)
def test_results_are_those_of_python(name):
    text = TEXTS[name]
    data = text.encode(name)
    assert charpipe.convert(data, name) == text.encode()
    assert charpipe.convert(text.encode(), "utf-8", name).decode(name) == text
    long = data * 3000
    assert charpipe.convert(long, name) == long.decode(name).encode()


@pytest.mark.parametrize("data", [bytearray(b"caf\xe9"), memoryview(b"caf\xe9")])
def test_buffers_are_accepted(data):
    assert charpipe.convert(data, "latin1") == "café".encode()


def test_other_objects_are_not_accepted():
    for value in ("text", 5, None):
        with pytest.raises(TypeError):
            charpipe.convert(value, "latin1")


def test_errors_have_positions():
    for padding in (b"", b"x" * 100_000):
        with pytest.raises(charpipe.ConversionError) as caught:
            charpipe.convert(b"one\ntwo \xe9 " + padding, "utf-8", "latin1")
        assert (caught.value.offset, caught.value.line, caught.value.column) == (8, 2, 5)
        assert isinstance(caught.value, ValueError)
        assert "byte 8: invalid UTF-8 sequence E9" in str(caught.value)
    with pytest.raises(charpipe.ConversionError) as caught:
        charpipe.convert(b"ab\xff", "euc-jp")
    assert caught.value.offset == 2


def test_error_actions():
    data = "café €".encode()
    for errors, expected in [
        ("ignore", b"caf "),
        ("replace", b"caf? ?"),
        ("xmlcharrefreplace", b"caf&#233; &#8364;"),
        ("translit", b"cafe EUR"),
        ("replace=_", b"caf_ _"),
    ]:
        assert charpipe.convert(data, "utf-8", "ascii", errors=errors) == expected
    assert charpipe.convert(b"a\xffb", "utf-8", errors="replace") == "a\ufffdb".encode()
    with pytest.raises(LookupError):
        charpipe.convert(data, "utf-8", errors="unknown")


def test_names():
    with pytest.raises(LookupError, match="unknown encoding"):
        charpipe.convert(b"", "nope")
    assert charpipe.lookup("SJIS") == "SHIFT_JIS" or charpipe.lookup("SJIS")
    assert charpipe.convert(b"Zm9v", "utf-8/base64") == b"foo"


def test_rows():
    rows = [b"\x93\xfa", None, b"", b"a"]
    assert charpipe.convert_all(rows, "shift_jis") == ["日".encode(), None, b"", b"a"]
    assert charpipe.convert_all(iter(["日".encode()]), "utf-8", "shift_jis") == [b"\x93\xfa"]
    with pytest.raises(charpipe.ConversionError):
        charpipe.convert_all([b"a", b"\xff"], "shift_jis")


def test_converter_takes_any_parts():
    data = CJK.encode("gb18030")
    for size in (1, 2, 3, 7):
        converter = charpipe.Converter("gb18030", "utf-16-le")
        parts = [converter.convert(data[at : at + size]) for at in range(0, len(data), size)]
        parts.append(converter.convert(b"", final=True))
        assert b"".join(parts) == CJK.encode("utf-16-le")
        with pytest.raises(ValueError):
            converter.convert(b"a")


def test_open(tmp_path):
    path = tmp_path / "a.csv"
    text = "名,値\n" + "日本,1\n" * 100_000
    path.write_bytes(text.encode("shift_jis"))
    with charpipe.open(path, "shift_jis") as file:
        assert file.readable() and not file.writable()
        assert file.read() == text.encode()
    with charpipe.open(str(path), "shift_jis") as file:
        assert file.readline() == "名,値\n".encode()
        assert file.read(4) == "日本".encode()[:4]
    with charpipe.open(path.open("rb"), "shift_jis") as file:
        rows = list(csv.reader(io.TextIOWrapper(file, encoding="utf-8")))
    assert rows[:2] == [["名", "値"], ["日本", "1"]] and len(rows) == 100_001
    with charpipe.open(path, "shift_jis", to="utf-16-le") as file:
        assert file.read() == text.encode("utf-16-le")
    path.write_bytes(b"ab\xff")
    with pytest.raises(charpipe.ConversionError), charpipe.open(path, "shift_jis") as file:
        file.read()
    with charpipe.open(path, "shift_jis", "replace") as file:
        assert file.read() == "ab\ufffd".encode()
    with pytest.raises(TypeError):
        charpipe.open(5.0, "shift_jis")


DETECTED = {
    "utf-8": "naïve café\n".encode() * 3,
    "a mark of UTF-8": b"\xef\xbb\xbfname\n",
    "a mark of UTF-16": "\ufeffname\n".encode("utf-16-be"),
    "ascii": b"name\n",
    "empty": b"",
    "a declaration": b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>\n',
    "gb18030": (CJK * 20).encode("gb18030"),
    "more than is examined": ("国境の長いトンネルを抜けると\n" * 4000).encode("shift_jis"),
    "cut in a character": b"a" + "é".encode() * 40_000,
    "binary": b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0" * 20,
}


@pytest.mark.skipif(not COMMAND, reason="CHARPIPE_COMMAND is not the path of the command")
@pytest.mark.parametrize("label", ["auto", "detect", "Detect"])
@pytest.mark.parametrize("name", DETECTED)
def test_open_determines_the_encoding_as_the_command(tmp_path, name, label):
    path = tmp_path / "a"
    path.write_bytes(DETECTED[name])
    run = subprocess.run([COMMAND, "-f", label, path], capture_output=True)
    for file in (path, str(path), path.open("rb"), io.BytesIO(DETECTED[name])):
        try:
            with charpipe.open(file, label) as opened:
                assert (opened.read(), 0) == (run.stdout, run.returncode)
        except charpipe.ConversionError as error:
            assert run.returncode == 1
            # The command's message is the same and adds options.
            assert str(error).split(" (")[0].split(":")[0] in run.stderr.decode()


def test_open_determines_the_encoding(tmp_path):
    text = CJK * 20
    path = tmp_path / "a"
    path.write_bytes(text.encode("gb18030"))
    with charpipe.open(path, "detect", to="utf-16-le") as file:
        assert file.read() == text.encode("utf-16-le")
    with pytest.raises(charpipe.ConversionError, match="cannot determine encoding"):
        charpipe.open(path, "auto")
    path.write_bytes(DETECTED["binary"])
    with pytest.raises(charpipe.ConversionError, match="binary file"):
        charpipe.open(path, "detect")
    path.write_bytes(b"a\xffb" + "é".encode() * 200)
    for errors, expected in [("ignore", "ab"), ("replace", "a\ufffdb")]:
        with charpipe.open(io.BytesIO(b"\xef\xbb\xbfa\xffb"), "auto", errors) as file:
            assert file.read() == expected.encode()
    with charpipe.open(io.BytesIO(b"\xef\xbb\xbfa\xffb"), "auto") as file:
        with pytest.raises(charpipe.ConversionError) as caught:
            file.read()
    assert caught.value.offset == 4
    with pytest.raises(LookupError):
        charpipe.open(path, "detect", "unknown")


def test_a_file_that_cannot_be_determined_is_closed(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(DETECTED["binary"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(charpipe.ConversionError):
            charpipe.open(path, "detect")
        gc.collect()


def test_open_for_data_frames(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("名,値\n日本,1\n".encode("euc-jp"))
    pandas = pytest.importorskip("pandas")
    with charpipe.open(path, "euc-jp") as file:
        assert pandas.read_csv(file)["名"].to_list() == ["日本"]
    polars = pytest.importorskip("polars")
    with charpipe.open(path, "euc-jp") as file:
        assert polars.read_csv(file)["名"].to_list() == ["日本"]


def test_check():
    assert charpipe.check("é".encode()) == []
    (finding,) = charpipe.check(b"a\nb\xff c")
    assert (finding.offset, finding.length, finding.line, finding.column) == (3, 1, 2, 2)
    assert "FF" in finding.message and repr(finding).startswith("<Finding 2:2: ")
    assert charpipe.check(b"\xff", "latin1") == []


def test_detect():
    assert charpipe.detect("Füße".encode())[0].encoding == "UTF-8"
    best = charpipe.detect((CJK * 5).encode("big5", "ignore"))[0]
    assert best.encoding == "BIG5" or best.confidence
    assert charpipe.detect(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0") == []


def test_decode_header():
    assert charpipe.decode_header(b"=?iso-8859-1?Q?caf=E9?=") == "café"
    assert charpipe.decode_header("=?utf-8?B?w6k=?= x") == "é x"


@pytest.mark.parametrize("name", TEXTS)
def test_codec(name):
    text = TEXTS[name]
    data = text.encode(name)
    codec = f"charpipe:{name}"
    assert data.decode(codec) == text
    assert text.encode(codec).decode(name) == text
    decoder = codecs.getincrementaldecoder(codec)()
    parts = [decoder.decode(data[at : at + 1]) for at in range(len(data))]
    assert "".join(parts) + decoder.decode(b"", True) == text
    encoder = codecs.getincrementalencoder(codec)()
    parts = [encoder.encode(character) for character in text]
    assert (b"".join(parts) + encoder.encode("", True)).decode(name) == text


def test_codec_names():
    assert b"\x80".decode("charpipe:whatwg:latin1") == "€"
    assert "é".encode("Charpipe:ISO-8859-1") == b"\xe9"
    for name in ("charpipe:nope", "charpipe", "charpipe:utf-8/base64"):
        with pytest.raises(LookupError):
            codecs.lookup(name)


def test_error_handlers_of_python():
    data = b"a\xffb\xe3\x81"
    for errors in ("ignore", "replace", "backslashreplace", "surrogateescape"):
        expected = data.decode("utf-8", errors)
        assert data.decode("charpipe:utf-8", errors) == expected, errors
    for errors in ("ignore", "replace", "backslashreplace", "xmlcharrefreplace", "namereplace"):
        assert "aéb€".encode("charpipe:ascii", errors) == "aéb€".encode("ascii", errors)
    with pytest.raises(UnicodeDecodeError) as caught:
        b"ab\xff".decode("charpipe:euc-jp")
    assert (caught.value.start, caught.value.end, caught.value.object) == (2, 3, b"ab\xff")
    with pytest.raises(UnicodeEncodeError) as caught:
        "ab€".encode("charpipe:latin1")
    assert (caught.value.start, caught.value.end) == (2, 3)
    with pytest.raises(LookupError):
        b"\xff".decode("charpipe:ascii", "unknown")


@pytest.mark.parametrize("name", ["shift_jis", "iso-2022-jp", "utf-16", "gb18030"])
def test_text_files(tmp_path, name):
    path = tmp_path / "a"
    lines = [f"行{number} abc\n" for number in range(3000)]
    with open(path, "w", encoding=f"charpipe:{name}", newline="") as file:
        file.writelines(lines)
    assert path.read_bytes().decode(name) == "".join(lines)
    with open(path, encoding=f"charpipe:{name}", newline="") as file:
        assert file.readline() == lines[0]
        position = file.tell()
        rest = file.read()
        assert rest == "".join(lines[1:])
        file.seek(position)
        assert file.readline() == lines[1]
        second = file.tell()
        assert file.read() == "".join(lines[2:])
        file.seek(second)
        assert file.readline() == lines[2]
        file.seek(0)
        assert list(file) == lines


@pytest.mark.parametrize(
    "from_, to, data",
    [
        # The start does not show how long the result is.
        ("cp1251", "utf-8", b"a" * 2_000_000 + b"\xe0" * 2_000_000),
        ("cp1251", "utf-8", b"\xe0" * 2_000_000 + b"a" * 2_000_000),
        ("shift_jis", "utf-8", b"a" * 500_000 + b"\xb1" * 500_000),
        ("cp1251", "utf-32-le", b"\xe0" * 500_000),
        ("utf-16-le", "cp1251", b"a\0" * 500_000),
    ],
)
def test_long_results_have_their_length(from_, to, data):
    expected = data.decode(from_).encode(to)
    for _ in range(3):
        result = charpipe.convert(data, from_, to)
        assert type(result) is bytes and result == expected
        # No memory is left over.
        assert sys.getsizeof(result) == sys.getsizeof(expected)
    (*_, (start, end)) = ranges = charpipe.ranges(data, from_, to=to, count=1)
    assert len(ranges) == 1 and charpipe.convert_range(data, start, end, from_, to).output == expected


def test_long_invalid_input_leaves_nothing():
    def streams():
        gc.collect()
        return sum(isinstance(item, io.BytesIO) for item in gc.get_objects())

    data, before = b"a" * 1_000_000 + b"\xff", streams()
    for _ in range(3):
        with pytest.raises(charpipe.ConversionError) as error:
            charpipe.convert(data, "utf-8")
        assert error.value.offset == 1_000_000
    assert streams() == before


def test_threads_run_at_the_same_time():
    data = (CJK * 20_000).encode("gb18030")
    expected = data.decode("gb18030").encode()
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(charpipe.convert(data, "gb18030")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


@pytest.mark.skipif(not COMMAND, reason="CHARPIPE_COMMAND is not the path of the command")
@pytest.mark.parametrize("name", TEXTS)
def test_results_are_those_of_the_command(name):
    text = TEXTS[name]
    data = text.encode(name)
    for source, target, value in [(name, "utf-8", data), ("utf-8", name, text.encode())]:
        for damaged in (value, value[:5] + b"\xff" + value[5:], value[:-1]):
            for errors, action in [("replace", "replace"), ("ignore", "skip"), ("strict", "stop")]:
                command = [COMMAND, "-f", source, "-t", target, "--on-error", action]
                run = subprocess.run(command, input=damaged, capture_output=True)
                try:
                    assert charpipe.convert(damaged, source, target, errors) == run.stdout
                    assert run.returncode in (0, 1) and (errors != "strict" or run.returncode == 0)
                except charpipe.ConversionError as error:
                    assert errors == "strict" and run.returncode == 1
                    assert f"byte {error.offset}" in run.stderr.decode()
