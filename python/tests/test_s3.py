"""Files of S3, from a server on this machine: with the reader and writer of ``charpipe.spark``, and ``open``."""

import bz2
import gzip
import json
import logging
import os
import random

import charpipe
import pytest

# Packages of these tests, without which they are skipped, unless they are required.
PACKAGES = ["pyspark.sql.datasource", "pyarrow", "s3fs", "moto.server"]
if not {"all", "s3"} & set(os.environ.get("CHARPIPE_TEST_REQUIRE", "").split()):
    for package in PACKAGES:
        pytest.importorskip(package)

import boto3  # noqa: E402
import fsspec  # noqa: E402
import pyarrow as pa  # noqa: E402
from charpipe.spark import Options  # noqa: E402
from charpipe.spark.reader import Reader, infer_schema  # noqa: E402
from charpipe.spark.writer import Writer  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402
from pyspark.sql import types  # noqa: E402

BUCKET = "bucket"
ACCESS = ["environment", "hadoop", "fsspec"]


class Server:
    """A server, and how its files are accessed."""

    def __init__(self, url):
        self.url = url
        self.client = boto3.client(
            "s3", endpoint_url=url, aws_access_key_id="id", aws_secret_access_key="key", region_name="us-east-1"
        )
        self.client.create_bucket(Bucket=BUCKET)

    def put(self, name, data, **arguments):
        self.client.put_object(Bucket=BUCKET, Key=name, Body=data, **arguments)

    def names(self, prefix):
        """The names of all files. A name that ends in a slash marks a directory."""
        listed = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        return [item["Key"] for item in listed if not item["Key"].endswith("/")]

    def data(self, name):
        return self.client.get_object(Bucket=BUCKET, Key=name)["Body"].read()

    def options(self, access):
        if access == "hadoop":
            return {
                "fs.s3a.endpoint": self.url,
                "fs.s3a.access.key": "id",
                "fs.s3a.secret.key": "key",
                "fs.s3a.path.style.access": "true",
            }
        if access == "fsspec":
            return {"filesystem": json.dumps({"endpoint_url": self.url, "key": "id", "secret": "key"})}
        return {}


@pytest.fixture(scope="module")
def moto():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield Server("http://{}:{}".format(*server.get_host_and_port()))
    server.stop()


@pytest.fixture(params=ACCESS)
def options(request, moto, monkeypatch):
    """The options for each kind of access."""
    from charpipe.spark import files

    files._file_system.cache_clear()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    if request.param == "environment":
        monkeypatch.setenv("AWS_ENDPOINT_URL", moto.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return moto.options(request.param)


def read(paths, **options):
    """The rows, and the number of ranges."""
    paths = json.dumps([paths] if isinstance(paths, str) else paths)
    parsed = Options({"paths": paths, **{key: str(value) for key, value in options.items()}})
    reader = Reader(infer_schema(parsed), parsed)
    found, count = {}, 0
    for partition in reversed(reader.partitions()):
        count += len(partition.ranges)
        rows = [tuple(row.values()) for batch in reader.read(partition) for row in batch.to_pylist()]
        found[min((it.file.uri, it.start) for it in partition.ranges)] = rows
    return [row for _, rows in sorted(found.items()) for row in rows], count


def write(path, parts, *, overwrite=False, **options):
    parsed = Options({"path": path, **options}, is_writer=True)
    schema = types.StructType([types.StructField("value", types.StringType())])
    writer = Writer(schema, overwrite, parsed)
    writer.commit([writer.write(iter([pa.RecordBatch.from_pydict({"value": part})])) for part in parts])


def test_files_directories_and_globs(moto, options):
    text = {"in/1.txt": "汉\n", "in/2.txt.gz": "字\n", "in/3.txt.bz2": "文\n", "in/deep/4.txt": "本\n"}
    compress = {"gz": gzip.compress, "bz2": bz2.compress}
    for name, line in text.items():
        moto.put(name, compress.get(name.rpartition(".")[2], bytes)(line.encode("gb18030")))
    moto.put("in/_SUCCESS", b"")
    moto.put("in/a b/x%20y#1?é+.txt", "特\n".encode("gb18030"))
    options["encoding"] = "gb18030"

    def values(*paths, **more):
        return sorted(row[0] for row in read(list(paths), **options, **more)[0])

    for scheme in ("s3", "s3a", "s3n"):
        assert values(f"{scheme}://bucket/in/1.txt") == ["汉"]
    assert values("s3a://bucket/in") == values("s3a://bucket/in/") == values("s3a://bucket/in/*.*") == sorted("汉字文")
    assert values("s3a://bucket/*/{1,2}.txt*") == sorted("汉字")
    assert values("s3a://bucket/in/1.txt", "s3a://bucket/in/deep") == sorted("汉本")
    assert values("s3a://bucket/in/", recursiveFileLookup=True) == sorted("汉字文本特")
    assert values("s3a://bucket/in/a b/x%20y#1?é+.txt") == values("s3a://bucket/in/a b") == ["特"]
    rows, _ = read("s3a://bucket/in/deep", format="text", **options)
    assert rows == [("s3a://bucket/in/deep/4.txt", "本\n")]
    for missing in ("s3a://bucket/none", "s3a://bucket/none/*.txt", "s3a://nobucket/none"):
        with pytest.raises(FileNotFoundError, match="no such file or directory"):
            values(missing)


def test_large_files_are_read_in_ranges(moto, options):
    rng = random.Random(5)
    texts = ["".join(rng.choices(["汉字", "é", ",", "\n", '"'], k=9)) + "." for _ in range(5_000)]
    rows = [(str(number), text) for number, text in enumerate(texts)]
    lines = ['{},"{}"\n'.format(number, text.replace('"', '""')) for number, text in rows]
    moto.put("big/1.csv", "".join(lines).encode("gb18030"))
    options |= {"maxPartitionBytes": "10k", "openCostInBytes": "1g"}
    csv = {"format": "csv", "encoding": "gb18030", "escape": '"', "multiLine": "true"}
    found, count = read("s3a://bucket/big/1.csv", **csv, **options)
    assert found == rows and count > 10
    json_lines = [json.dumps({"id": number, "text": text}, ensure_ascii=False) for number, text in rows]
    moto.put("big/1.jsonl", "".join(line + "\n" for line in json_lines).encode("utf-16-le"))
    found, count = read("s3a://bucket/big/1.jsonl", encoding="utf-16le", format="jsonl", **options)
    assert found == rows and count > 10


def test_a_range_takes_few_requests(moto, options, monkeypatch):
    from moto.s3.responses import S3Response

    moto.put("few/1.txt", "汉字\n".encode("gb18030") * 100_000)
    requests = []
    get_object = S3Response.get_object
    monkeypatch.setattr(S3Response, "get_object", lambda self: requests.append(1) or get_object(self))
    options |= {"encoding": "gb18030", "maxPartitionBytes": "125k", "openCostInBytes": "1g"}
    rows, count = read("s3a://bucket/few/1.txt", **options)
    assert len(rows) == 100_000 and count == 4
    assert 0 < len(requests) <= 6 * count


def test_files_that_were_written_are_read(moto, options, request):
    options["encoding"] = "shift_jis"
    # The files of another kind of access remain.
    directory = "out-" + request.node.callspec.id
    path = f"s3a://{BUCKET}/{directory}"
    write(path, [["漢"], ["字", "a"]], **options)
    assert [name.rpartition(".")[2] for name in moto.names(directory)] == [f"{directory}/_SUCCESS", "txt", "txt"]
    assert {moto.data(name) for name in moto.names(directory)} == {b"", b"\x8a\xbf\n", b"\x8e\x9a\na\n"}
    write(path, [["append"]], compression="gzip", **options)
    assert sorted(read(path, **options)[0]) == [("a",), ("append",), ("字",), ("漢",)]
    write(path, [["表"]], overwrite=True, **options)
    assert read(path, **options)[0] == [("表",)]
    assert len(moto.names(directory)) == 2


def test_errors_are_written(moto, options, request):
    directory = "errors-" + request.node.callspec.id
    moto.put("malformed.txt", b"a\xff\n")
    options |= {"encoding": "gb18030", "errors": f"s3a://{BUCKET}/{directory}"}
    assert read("s3a://bucket/malformed.txt", **options)[0] == [("a\ufffd",)]
    (name,) = moto.names(directory)
    found = [json.loads(line) for line in moto.data(name).splitlines()]
    file = "s3a://bucket/malformed.txt"
    assert [(row["file"], row.get("byte")) for row in found] == [(file, None), (file, 1)]


def test_options_of_hadoop_make_the_file_system():
    from charpipe.spark.files import Configuration, resolve

    def equal(s3a, **expected):
        file_system, path = resolve("s3a://bucket/a/b", Configuration(None, tuple(s3a.items())))
        assert path == "bucket/a/b"
        assert file_system.equals(pa.fs.S3FileSystem(access_key="id", secret_key="key", **expected)), s3a

    keys = {"fs.s3a.access.key": "id", "fs.s3a.secret.key": "key"}
    region = {**keys, "fs.s3a.endpoint.region": "eu-west-3"}
    equal(region, region="eu-west-3")
    equal({**region, "fs.s3a.session.token": "token"}, region="eu-west-3", session_token="token")
    host = {**region, "fs.s3a.endpoint": "minio:9000"}
    expected = {"region": "eu-west-3", "endpoint_override": "minio:9000"}
    equal(host, **expected)
    equal({**host, "fs.s3a.connection.ssl.enabled": "false"}, scheme="http", **expected)
    equal({**host, "fs.s3a.path.style.access": "false"}, force_virtual_addressing=True, **expected)
    equal({**host, "fs.s3a.endpoint": "http://minio:9000/"}, scheme="http", **expected)
    with pytest.raises(ValueError, match="fs.s3a.committer.name is not supported"):
        Options({"path": "s3a://bucket/a", "fs.s3a.committer.name": "magic"})


def test_files_of_fsspec_are_opened(moto, options):
    moto.put("open/1.txt.gz", gzip.compress("漢字\n".encode("shift_jis")), ACL="public-read")
    lines = "".join(f"{number},漢字\n" for number in range(3000))
    moto.put("open/2.txt", lines.encode("shift_jis"), ACL="public-read")
    arguments = {"endpoint_url": moto.url, "key": "id", "secret": "key"}
    with fsspec.open("s3://bucket/open/1.txt.gz", compression="infer", **arguments) as file:
        assert charpipe.open(file, "shift_jis").read() == "漢字\n".encode()
    with fsspec.open(f"{moto.url}/bucket/open/1.txt.gz", compression="gzip") as file:
        assert charpipe.open(file, "shift_jis").read() == "漢字\n".encode()
    for url, more in (("s3://bucket/open/2.txt", arguments), (f"{moto.url}/bucket/open/2.txt", {})):
        with fsspec.open(url, **more) as file:
            ranges = charpipe.ranges(file, "shift_jis", size=4_000)
            parts = [charpipe.convert_range(file, *it, "shift_jis").output for it in ranges]
            assert len(parts) > 5 and b"".join(parts) == lines.encode()


def test_files_of_http_are_read(moto):
    moto.put("http/1.csv", b"".join(b"%d,\x8a\xbf\n" % number for number in range(3000)), ACL="public-read")
    options = {"format": "csv", "encoding": "shift_jis", "maxPartitionBytes": "4k", "openCostInBytes": "1g"}
    rows, count = read(f"{moto.url}/bucket/http/1.csv", **options)
    assert rows == [(str(number), "漢") for number in range(3000)] and count > 3
