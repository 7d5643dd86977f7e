"""The examples of ``docs/python.md``."""

import bz2
import csv
import gzip
import io
import pathlib
import shutil
import sys

import charpipe
import pytest

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = [rest.split("```")[0] for rest in PAGE.split("```python\n")[1:]]


def block(word):
    """The example that contains a word."""
    (found,) = [text for text in BLOCKS if word in text]
    return found


def test_calls():
    lines = [line.split("  # ") for line in block("translit").splitlines() if "#" in line]
    assert len(lines) == 2
    for call, expected in lines:
        assert eval(call) == eval(expected)


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    text = "a,b\n1,x\n"
    for encoding, example in zip(["gb18030", "shift_jis", "cp1140"], block("cp1140").split("with ")[1:]):
        pathlib.Path("data.csv").write_bytes(text.encode(encoding))
        names = {"charpipe": charpipe, "csv": csv, "io": io, "pandas": pandas, "polars": polars}
        exec("with " + example, names)
        if encoding == "cp1140":
            assert names["rows"] == [["a", "b"], ["1", "x"]]
        else:
            assert list(names["table"].columns) == ["a", "b"]


def test_codec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("data.txt").write_bytes("日本".encode("gb18030"))
    names = {}
    exec(block("charpipe:gb18030"), names)
    assert names["text"] == "日本"


def test_parts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "日本語\n" * 1000
    pathlib.Path("big.txt").write_bytes(text.encode("gb18030"))
    import concurrent.futures

    names = {"charpipe": charpipe, "concurrent": concurrent}
    exec(block("concurrent").replace("64 << 20", "500"), names)
    assert b"".join(names["parts"]) == text.encode()
    # Every line but the first begins in the middle of the Japanese text.
    data = b"\x1b$B" + b"F|K\\\n" * 1000 + b"\x1b(B"
    pathlib.Path("mail.txt").write_bytes(data)
    exec(block("mail.txt").replace("64 << 20", "500"), names)
    assert b"".join(names["parts"]) == charpipe.convert(data, "iso-2022-jp")


def remote_blocks():
    """The examples with files of S3, which are files of memory here."""
    return [text.replace("s3://", "memory://") for text in BLOCKS if "s3://" in text]


def test_remote_and_compressed_files():
    fsspec = pytest.importorskip("fsspec")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb, dask = pytest.importorskip("duckdb"), pytest.importorskip("dask.dataframe")
    zstandard = pytest.importorskip("zstandard")
    memory = fsspec.filesystem("memory")
    text = "id,name\n1,汉字\n".encode("gb18030")
    compressors = {"data.csv.gz": gzip, "data.csv.bz2": bz2, "data.csv.zst": zstandard, "1.csv.gz": gzip, "2.csv.gz": gzip}
    for name, module in compressors.items():
        memory.pipe(f"/bucket/{name}", module.compress(text))
    lines = "".join(f"{number},汉字\n" for number in range(20_000))
    memory.pipe("/bucket/big.csv", lines.encode("gb18030"))
    names = {"charpipe": charpipe, "fsspec": fsspec, "pandas": pandas, "polars": polars, "duckdb": duckdb, "io": io}
    names["dask"] = dask_module = pytest.importorskip("dask")
    assert dask_module.dataframe is dask
    one, two, many, parts = remote_blocks()
    exec(one, names)
    assert names["table"].values.tolist() == [[1, "汉字"]]
    first, second = ["with " + rest for rest in two.split("with ")[1:]]
    exec(first, names)
    assert names["table"].rows() == [(1, "汉字")]
    exec(second, names)
    assert names["table"] == [(1, "汉字")]
    exec(many, names)
    assert names["frame"].compute(scheduler="threads").values.tolist() == [[1, "汉字"]] * 2
    exec(parts.replace("64 << 20", "10_000"), names)
    assert len(names["parts"]) > 10
    assert names["frame"].compute(scheduler="threads").values.tolist() == [[number, "汉字"] for number in range(20_000)]


def test_spark(monkeypatch):
    # The workers run the interpreter that has the package.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    pyarrow = pytest.importorskip("pyarrow")
    source = block("mapInArrow")
    function = source[source.index("def to_utf8") : source.index("frame.mapInArrow")]
    names = {"charpipe": charpipe, "pa": pyarrow}
    exec(function, names)
    rows = pyarrow.array(["日本".encode("gb18030"), None, b"a\xff"], pyarrow.binary())
    batch = pyarrow.record_batch([pyarrow.array([1, 2, 3]), rows], names=["id", "text"])
    (result,) = names["to_utf8"]([batch])
    assert result.column(1).to_pylist() == ["日本", None, "a\ufffd"]

    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    frame = session.createDataFrame([(1, bytearray("日本".encode("gb18030")))], "id long, text binary")
    pandas = pytest.importorskip("pandas")
    names = {"frame": frame, "pandas": pandas}
    exec(source, names)
    rows = frame.mapInArrow(names["to_utf8"], "id long, text string").collect()
    assert [row.text for row in rows] == ["日本"]
    rows = frame.select(names["gb18030_to_utf8"]("text").cast("string").alias("text")).collect()
    assert [row.text for row in rows] == ["日本"]
    session.stop()
