"""The reader of ``charpipe.spark``, without Spark: its partitions joined are what Python reads."""

import codecs
import csv
import datetime
import decimal
import gzip
import io
import json
import math
import pathlib
import random
import subprocess

import charpipe
import pytest

pytest.importorskip("pyspark.sql.datasource")
pytest.importorskip("pyarrow")

from charpipe.spark import OptionError, Options  # noqa: E402
from charpipe.spark.reader import FormatError, Reader, infer_schema  # noqa: E402
from pyspark.sql import types  # noqa: E402

# Bytes that are malformed in an encoding, each of which both decoders replace by one U+FFFD.
ENCODINGS = {
    "gb18030": [b"\xff", b"\x81"],
    "shift_jis": [b"\xff", b"\x81"],
    "utf-16le": [b"\x00\xdc"],
    "windows-1252": [b"\x81"],
    "ibm1047": [],
    "utf-8": [b"\xff", b"\xe6\x97"],
}
WORDS = {
    "gb18030": ["汉字", "㐀", "𠀀", "é"],
    "shift_jis": ["漢字", "かな", "ソ表", "\uff71"],
    "utf-16le": ["ਁ一", "漢字", "上", "∢", "😀"],
    "windows-1252": ["Größe", "déjà", "€"],
    "ibm1047": ["Größe", "déjà"],
    "utf-8": ["漢字", "é", "😀"],
}


def ibm1047():
    """The characters of IBM1047, from another converter."""
    run = subprocess.run(["iconv", "-f", "IBM1047", "-t", "UTF-8"], input=bytes(range(256)), stdout=subprocess.PIPE)
    return run.stdout.decode()


def encode(text, encoding):
    if encoding == "ibm1047":
        return codecs.charmap_encode(text, "strict", codecs.charmap_build(ibm1047()))[0]
    return text.encode(encoding)


def decode(data, encoding):
    if encoding == "ibm1047":
        return codecs.charmap_decode(data, "strict", ibm1047())[0]
    return data.decode(encoding, "replace")


def random_csv(encoding, rng, count, *, quotes=True):
    """CSV whose fields have separators, quotes and line feeds, as Python writes it."""
    words = [*WORDS[encoding], "abc", "x", " ", ""]
    if quotes:
        words += [",", '"', "\n", '","', '\n"', "\r\n", "\n\n"]
    rows = [["".join(rng.choices(words, k=rng.randrange(1, 6))) + "." for _ in range(3)] for _ in range(count)]
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue()


def damaged(data, encoding, rng):
    """Insert malformed bytes between characters."""
    width = 2 if encoding == "utf-16le" else 1
    text = bytearray(data)
    for sequence in ENCODINGS[encoding] * 10:
        ascii = [at for at in range(0, len(text) - width, width) if text[at : at + width] == b".\0"[:width]]
        text[(at := rng.choice(ascii)) : at] = sequence
    return bytes(text)


KINDS = {
    "string": types.StringType(),
    "int": types.IntegerType(),
    "bigint": types.LongType(),
    "double": types.DoubleType(),
    "boolean": types.BooleanType(),
    "date": types.DateType(),
    "timestamp": types.TimestampType(),
    "timestamp_ntz": types.TimestampNTZType(),
    "decimal(5,2)": types.DecimalType(5, 2),
    "array<int>": types.ArrayType(types.IntegerType()),
}


def schema_of(text):
    pairs = [field.rsplit(" ", 1) for field in text.replace("(5,2)", "(5;2)").split(", ")]
    return types.StructType([types.StructField(name, KINDS[kind.replace(";", ",")]) for name, kind in pairs])


def read(path, schema="a string, b string, c string", **options):
    """The rows of all partitions, read in another order, and the number of ranges."""
    parsed = Options({"path": str(path), **{key: str(value) for key, value in options.items()}})
    kind = schema_of(schema) if schema else infer_schema(parsed)
    reader = Reader(kind, parsed)
    found, ranges = {}, 0
    for partition in reversed(reader.partitions()):
        ranges += len(partition.ranges)
        rows = [tuple(row.values()) for batch in reader.read(partition) for row in batch.to_pylist()]
        found[min((it.file.uri, it.start) for it in partition.ranges)] = rows
    return [row for _, rows in sorted(found.items()) for row in rows], ranges


def python_rows(data, encoding):
    return [tuple(field or None for field in row) for row in csv.reader(io.StringIO(decode(data, encoding), newline=""))]


@pytest.mark.parametrize("is_damaged", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_records_are_those_of_python(tmp_path, encoding, is_damaged):
    rng = random.Random(f"{encoding} {is_damaged}")
    path = tmp_path / "in.csv"
    for size in (7, 100, 1000, 10**6):
        data = encode(random_csv(encoding, rng, 300), encoding)
        if is_damaged:
            data = damaged(data, encoding, rng)
        path.write_bytes(data)
        options = {"format": "csv", "encoding": encoding, "multiLine": "true", "escape": '"', "openCostInBytes": "1g"}
        rows, ranges = read(path, maxPartitionBytes=size, **options)
        assert rows == python_rows(data, encoding)
        assert ranges > min(200, len(data) // size // 4)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines_are_those_of_python(tmp_path, encoding):
    rng = random.Random(encoding)
    path = tmp_path / "in.txt"
    data = damaged(encode(random_csv(encoding, rng, 300), encoding), encoding, rng)
    path.write_bytes(data)
    lines = decode(data, encoding).replace("\r\n", "\n").split("\n")[:-1]
    for size in (7, 100, 10**6):
        options = {"encoding": encoding, "openCostInBytes": "1g"}
        assert read(path, "value string", maxPartitionBytes=size, **options)[0] == [(line,) for line in lines]
    text = [(f"{path}", decode(data, encoding))]
    assert read(path, None, format="text", encoding=encoding)[0] == text


@pytest.mark.parametrize("escape", ["\\", '"'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "ibm939", "ibm1047"])
def test_parts_of_any_text_are_the_whole(tmp_path, encoding, escape):
    rng = random.Random(f"{encoding} {escape}")
    path = tmp_path / "in.csv"
    for _ in range(8):
        text = "".join(rng.choices(['"', "\\", ",", "\n", "a", " ", "\r", "b", "é" if encoding != "ibm939" else "日"], k=400))
        path.write_bytes(charpipe.convert(text.encode(), "utf-8", encoding))
        for multi_line in ("true", "false"):
            options = {"format": "csv", "encoding": encoding, "escape": escape, "multiLine": multi_line}
            options |= {"openCostInBytes": "1g"}
            whole, count = read(path, **options)
            assert count == 1
            for size in (1, 9, 100):
                assert read(path, maxPartitionBytes=size, **options)[0] == whole


# What Spark 4.3 returns for columns x, y and the corrupt record, except in these cases.
SPARK = json.loads((pathlib.Path(__file__).parent / "spark_csv.json").read_text(encoding="utf-8"))
DIFFERENCES = {
    # A quoted field that is not closed in its line makes the record malformed.
    ('a,"b\nc"\nd,e\r\nf,g\r\n', False): [
        ["a", "b", 'a,"b'],
        ['c"', None, 'c"'],
        ["d", "e", None],
        ["f", "g", None],
    ],
    # A carriage return before a line feed is part of the end of the line.
    ('a,"b\nc"\nd,e\r\nf,g\r\n', True): [["a", "b\nc", None], ["d", "e", None], ["f", "g", None]],
    # A carriage return in a quoted field is kept.
    ('"a\rb",c', True): [["a\rb", "c", None]],
    # So are malformed bytes reported.
    ("\xff,c", False): [["\ufffd", "c", "\ufffd,c"]],
    ("\xff,c", True): [["\ufffd", "c", "\ufffd,c"]],
}


def test_records_are_those_of_spark(tmp_path):
    assert len(SPARK) == 144
    path = tmp_path / "in.csv"
    for case in SPARK:
        path.write_bytes(case["data"].encode("latin-1"))
        options = {"format": "csv", "escape": case["escape"], "multiLine": str(case["multiLine"]).lower()}
        rows, _ = read(path, "x string, y string, k string", columnNameOfCorruptRecord="k", **options)
        expected = DIFFERENCES.get((case["data"], case["multiLine"]), case["rows"])
        assert rows == [tuple(row) for row in expected], case


# The values of a type that Spark 4.3 reads, and None for malformed ones.
VALUES = {
    "int": {"1": 1, " 1": None, "1 ": None, "+1": 1, "-1": -1, "1.0": None, "99999999999": None, "0x1": None, "1_0": None},
    "double": {"1": 1, "1.5": 1.5, "1e5": 1e5, " 1": 1, "nan": None, "Inf": math.inf, "inf": None, "Infinity": math.inf,
               "1d": 1, "1.": 1, "0x1p3": 8},
    "boolean": {"true": True, "TRUE": True, "1": None, "t": None, "yes": None, "False": False},
    "date": {"2020-01-02": datetime.date(2020, 1, 2), "2020-1-2": datetime.date(2020, 1, 2), "20200102": None,
             "2020-01": datetime.date(2020, 1, 1), "2020-01-02 ": datetime.date(2020, 1, 2)},
    "decimal(5,2)": {"1": decimal.Decimal(1), "1.234": decimal.Decimal("1.23"), "1.235": decimal.Decimal("1.24"),
                     "12345": None, "1e2": decimal.Decimal(100), "1.5 ": None},
    "timestamp_ntz": {"2020-01-02 03:04:05": datetime.datetime(2020, 1, 2, 3, 4, 5),
                      "2020-01-02T03:04:05": datetime.datetime(2020, 1, 2, 3, 4, 5)},
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_are_those_of_spark(tmp_path, kind):
    path = tmp_path / "in.csv"
    values = VALUES[kind]
    # One at a time, and all of them.
    for texts in [*([text] for text in values), list(values)]:
        path.write_text("".join(f"{text},z\n" for text in texts))
        rows, _ = read(path, f"x {kind}, y string, _corrupt_record string", format="csv")
        wanted = [(values[text], "z", None if values[text] is not None else f"{text},z") for text in texts]
        assert rows == wanted


def test_timestamps_without_a_zone_are_in_that_of_the_option(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("2020-07-01 12:00:00\n2020-07-01T12:00:00Z\n2020-07-01 12:00:00.5+03:00\n2020-07-01\n")
    rows, _ = read(path, "x timestamp", format="csv", timeZone="Europe/Berlin")
    utc = datetime.timezone.utc
    moments = [(10, 0), (12, 0), (9, 500_000)]
    expected = [datetime.datetime(2020, 7, 1, hour, 0, 0, micros, utc) for hour, micros in moments]
    assert [row for (row,) in rows] == [*expected, datetime.datetime(2020, 6, 30, 22, tzinfo=utc)]


MALFORMED = b"id,name,rate\n1,a\xff,1.5\nx,b,2\n3,c\n4,d,5,6\n5,e,7\n"
SCHEMA = "id int, name string, rate double"


def test_modes(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(MALFORMED)
    options = {"format": "csv", "header": "true"}
    rows = [(1, "a\ufffd", 1.5), (None, "b", 2.0), (3, "c", None), (4, "d", 5.0), (5, "e", 7.0)]
    texts = ["1,a\ufffd,1.5", "x,b,2", "3,c", "4,d,5,6", None]
    assert read(path, SCHEMA, **options)[0] == rows
    with_texts, _ = read(path, SCHEMA + ", _corrupt_record string", **options)
    assert with_texts == [(*row, text) for row, text in zip(rows, texts)]
    renamed, _ = read(path, "broken string, " + SCHEMA, columnNameOfCorruptRecord="broken", **options)
    assert renamed == [(text, *row) for row, text in zip(rows, texts)]
    assert read(path, SCHEMA, mode="dropmalformed", **options)[0] == rows[4:]
    with pytest.raises(FormatError) as caught:
        read(path, SCHEMA, mode="FAILFAST", **options)
    assert str(caught.value) == f"{path}: byte 16, line 2 of the range: invalid UTF-8 sequence FF (no character starts with this byte)"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_errors_have_their_offset_in_the_file(tmp_path, encoding):
    rng = random.Random(encoding)
    path, errors = tmp_path / "in.csv", tmp_path / "errors"
    data, expected = b"", []
    for sequence in [*ENCODINGS[encoding], None] * 4:
        data += encode(random_csv(encoding, rng, 500), encoding)
        line = decode(data, encoding).count("\n")
        if sequence is None:
            expected.append((line, len(data), "1 fields, not 3"))
            data += encode("one field\n", encoding)
        else:
            data += encode("a,b", encoding)
            expected.append((line, len(data), "invalid"))
            data += sequence + encode(".,c\n", encoding)
    path.write_bytes(data)
    options = {"format": "csv", "encoding": encoding, "multiLine": "true", "escape": '"', "errors": str(errors)}
    for size in (5000, 10**6):
        read(path, maxPartitionBytes=size, openCostInBytes="1g", **options)
        lines = [json.loads(line) for part in errors.iterdir() for line in part.read_bytes().splitlines()]
        ranges = sorted((it for it in lines if it["kind"] == "range"), key=lambda it: it["start"])
        first_lines, line = {}, 0
        for it in ranges:
            first_lines[it["start"]] = line
            line += it["lines"]
        found = sorted((it for it in lines if it["kind"] == "error"), key=lambda it: it["byte"])
        positions = [(it["line"] + first_lines[it["start"]], it["byte"]) for it in found]
        assert positions == [it[:2] for it in expected]
        assert all(it["message"].startswith(message) for it, (*_, message) in zip(found, expected))
        assert line == decode(data, encoding).count("\n")
        assert sum(it["malformed"] for it in ranges) == 4 * len(ENCODINGS[encoding])
        assert sum(it["malformed_records"] for it in ranges) == 4
        for part in errors.iterdir():
            part.unlink()


def test_next_line_ends_records_of_ebcdic(tmp_path):
    path = tmp_path / "in.csv"
    text = "a,b,c\x85" * 500 + '"1\x85",2,3\x85'
    data = charpipe.convert(text.encode(), "utf-8", "ibm1047")
    assert b"\x15" in data
    path.write_bytes(data)
    for size in (7, 10**6):
        options = {"format": "csv", "encoding": "ibm1047", "lineSep": "\x85", "openCostInBytes": "1g"}
        rows, count = read(path, multiLine="true", maxPartitionBytes=size, **options)
        assert rows == [("a", "b", "c")] * 500 + [("1\n", "2", "3")]
        assert count > 400 or size > 7


def test_compressed_files_have_one_range(tmp_path):
    rng = random.Random(5)
    data = encode(random_csv("gb18030", rng, 500), "gb18030")
    import pyarrow

    for codec, suffix in [("gzip", "gz"), ("bz2", "bz2"), ("zstd", "zst")]:
        path = tmp_path / f"in.csv.{suffix}"
        with pyarrow.output_stream(str(path), compression=codec) as output:
            output.write(data)
        options = {"format": "csv", "encoding": "gb18030", "multiLine": "true", "escape": '"'}
        rows, count = read(path, maxPartitionBytes="1k", **options)
        assert (rows, count) == (python_rows(data, "gb18030"), 1)
    # Two members.
    path = tmp_path / "in.txt.gz"
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert read(path, "value string")[0] == [("a",), ("b",)]
    with pytest.raises(ValueError, match="files of the kind .xz are not supported"):
        (tmp_path / "in.xz").write_bytes(b"")
        read(tmp_path / "in.xz", "value string")


def test_directories_and_globs(tmp_path):
    for name in ("a/1.txt", "a/2.txt", "a/_SUCCESS", "a/.3.txt.crc", "a/4.csv", "b/5.txt", "a/_tmp/6.txt", "c/d/7.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n")

    def names(pattern, **options):
        return sorted(value for (value,) in read(f"{tmp_path}/{pattern}", "value string", **options)[0])

    assert names("a") == ["a/1.txt", "a/2.txt", "a/4.csv"]
    assert names("a/*.txt") == names("a/[12].*") == names("a/{1,2}.txt") == ["a/1.txt", "a/2.txt"]
    assert names("{a,b}/?.txt") == names("[!c]/*.txt") == ["a/1.txt", "a/2.txt", "b/5.txt"]
    assert names("c") == []
    assert names("c", recursiveFileLookup="true") == ["c/d/7.txt"]
    (tmp_path / "a" / "[1].txt").write_text("brackets\n")
    assert names("a/[1].txt") == ["brackets"]
    with pytest.raises(FileNotFoundError, match="no such file or directory"):
        names("a/*.json")


def test_file_systems_of_fsspec(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    data = encode(random_csv("gb18030", random.Random(3), 300), "gb18030")
    memory.pipe("/in/1.csv", data)
    options = {"format": "csv", "encoding": "gb18030", "multiLine": "true", "escape": '"', "openCostInBytes": "1g"}
    for path in ("memory://in/1.csv", "memory://in", "memory://in/*.csv"):
        rows, count = read(path, maxPartitionBytes="1k", **options)
        assert rows == python_rows(data, "gb18030") and count > 5


def test_schema_is_inferred_from_the_first_file(tmp_path):
    path = tmp_path / "in.csv"

    def inferred(text, **options):
        path.write_text(text)
        return infer_schema(Options({"path": str(path), "format": "csv", **options})).simpleString()

    assert inferred("a,b\n1,2\n") == "struct<_c0:string,_c1:string>"
    assert inferred("a,b,\n1,2,\n", header="true") == "struct<a:string,b:string,_c2:string>"
    assert inferred("a,A,a\n", header="true") == "struct<a0:string,A1:string,a2:string>"
    options = {"header": "true", "inferSchema": "true"}
    assert inferred("a,b\n1,2020-01-02\n,\n", **options) == "struct<a:int,b:date>"
    assert inferred("a,b\n1,x\n2.5,\n", **options) == "struct<a:double,b:string>"
    assert inferred("a,b\n99999999999,true\n", **options) == "struct<a:bigint,b:boolean>"
    assert inferred("a,b\n2020-01-02 03:04:05,\n", **options) == "struct<a:timestamp_ntz,b:string>"
    path.write_text('{"a": 1, "b": "x"}\n\n{"c": 1.5}\n')
    options = {"path": str(path), "format": "jsonl"}
    assert infer_schema(Options(options)).simpleString() == "struct<a:bigint,b:string,c:double>"
    assert read(path, None, format="jsonl")[0] == [(1, "x", None), (None, None, 1.5)]


def test_comments_and_nulls(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('#"\n1,-,""\n#x\n"-",2,"e"\n')
    options = {"format": "csv", "comment": "#", "nullValue": "-", "emptyValue": "e"}
    assert read(path, **options)[0] == [("1", None, "e"), (None, "2", "e")]
    with pytest.raises(OptionError, match="comment and multiLine"):
        read(path, multiLine="true", **options)


def test_each_file_has_a_header(tmp_path):
    for name in ("1.csv", "2.csv", "3.csv"):
        (tmp_path / name).write_text(f"a,b\n{name},x\n")
    rows, count = read(tmp_path, None, format="csv", header="true")
    assert (sorted(rows), count) == ([("1.csv", "x"), ("2.csv", "x"), ("3.csv", "x")], 3)


def test_json_lines(tmp_path):
    path = tmp_path / "in.json"
    path.write_bytes('{"a": 1, "b": "汉"}\n{"a": "x"}\n{\n{"b": 5}\n'.encode("gb18030") + b'{"b": "\xff"}\n')
    options = {"format": "jsonl", "encoding": "gb18030"}
    rows, _ = read(path, "a int, b string, _corrupt_record string", **options)
    assert rows == [
        (1, "汉", None),
        (None, None, '{"a": "x"}'),
        (None, None, "{"),
        (None, "5", None),
        (None, "\ufffd", '{"b": "\ufffd"}'),
    ]
    rows, _ = read(path, "a int, b string", mode="DROPMALFORMED", **options)
    assert rows == [(1, "汉"), (None, "5")]


def test_invalid_options():
    for options, message in [
        ({"path": "x", "delimiter": ";"}, "option delimiter is not supported"),
        ({"path": "x", "format": "csv", "dateFormat": "y"}, "option dateformat is not supported"),
        ({"path": "x", "format": "xml"}, "format: xml is not one of csv, text, lines, jsonl"),
        ({"path": "x", "format": "csv", "sep": "||"}, "is not one character of ASCII"),
        ({"path": "x", "maxPartitionBytes": "0"}, "is not a size in bytes"),
        ({"path": "x", "lineSep": ";"}, "only a line feed and U\\+0085"),
        ({}, "a path is required"),
    ]:
        with pytest.raises(OptionError, match=message):
            Options(options)
    with pytest.raises(LookupError):
        Options({"path": "x", "encoding": "nope"})
    for schema, message in [("a timestamp", "option timeZone is required"), ("a array<int>", "CSV has no values")]:
        with pytest.raises(ValueError, match=message):
            read("x", schema, format="csv")
    with pytest.raises(ValueError, match="column a: read TIMESTAMP as STRING"):
        read("x", "a timestamp", format="jsonl")
