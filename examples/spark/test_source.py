#!/usr/bin/env python3
"""Reads and writes with charpipe.spark on a cluster of two executor processes, one of which is killed, and compares with
Python and with Spark's own reader.

    test_source.py [--size BYTES] [--directory DIR] [ENCODING...]

The package charpipe must be installed. Exits with 77 if pyspark or Java is not.
"""

import argparse
import codecs
import csv
import gzip
import importlib.util
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# For each encoding: words, and bytes that are malformed, which every decoder replaces by one U+FFFD.
ENCODINGS = {
    "gb18030": (["汉字", "㐀", "𠀀", "é"], b"\xff"),
    "shift_jis": (["漢字", "かな", "ソ表"], b"\xff"),
    "utf-16le": (["ਁ一", "漢字", "上", "😀"], b"\x00\xdc"),
    "windows-1252": (["Größe", "déjà", "€"], b"\x81"),
    "ibm1047": (["Größe", "déjà"], b""),
}


def ibm1047():
    """Returns the characters of IBM1047, which Python does not have."""
    command = ["iconv", "-f", "IBM1047", "-t", "UTF-8"]
    return subprocess.run(command, input=bytes(range(256)), capture_output=True, check=True).stdout.decode()


def encode(text, encoding):
    if encoding == "ibm1047":
        return codecs.charmap_encode(text, "strict", codecs.charmap_build(ibm1047()))[0]
    return text.encode(encoding)


def decode(data, encoding):
    if encoding == "ibm1047":
        return codecs.charmap_decode(data, "strict", ibm1047())[0]
    return data.decode(encoding, "replace")


def make_csv(encoding, size, is_damaged, rng):
    """Returns CSV whose fields have separators, quotes and line feeds, and the offsets of malformed sequences."""
    words, malformed = ENCODINGS[encoding]
    words = [*words, "abc", "x", " ", ",", '"', "\n", '","', '\n"']
    data, number, offsets = bytearray(), 0, []
    while len(data) < size:
        output = io.StringIO()
        rows = csv.writer(output, lineterminator="\n")
        for _ in range(500):
            rows.writerow([number, *("".join(rng.choices(words, k=rng.randrange(1, 9))) + "." for _ in range(3))])
            number += 1
        data += encode(output.getvalue(), encoding)
        if is_damaged and malformed:
            data += encode(f"{number},a", encoding)
            offsets.append(len(data))
            data += malformed + encode(".,b,c\n", encoding)
            number += 1
    return bytes(data), offsets


class Killer(threading.Thread):
    """Kills one executor process as soon as tasks have written files to a directory."""

    def __init__(self, directory, count):
        super().__init__()
        self.directory = directory
        self.count = count
        self.killed = False
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(0.1):
            listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
            executors = re.findall(rf"^\s*(\d+) \S*java.*CoarseGrainedExecutorBackend.*{APPLICATION}", listed, re.M)
            names = os.listdir(self.directory) if os.path.isdir(self.directory) else []
            if len(executors) >= 2 and sum(not name.startswith(".") for name in names) >= self.count:
                os.kill(int(executors[0]), signal.SIGKILL)
                self.killed = True
                return


def source(spark, **options):
    return spark.read.format("charpipe").options(**options)


def check_reading(spark, directory, encoding, is_damaged, size):
    """Reads a file in some 30 partitions while an executor is killed. Returns whether it was."""
    rng = random.Random(f"{encoding} {is_damaged}")
    data, offsets = make_csv(encoding, size, is_damaged, rng)
    path, errors = os.path.join(directory, "in.csv"), os.path.join(directory, "errors")
    with open(path, "wb") as file:
        file.write(data)
    text = decode(data, encoding)
    expected = [(int(number), *fields) for number, *fields in csv.reader(io.StringIO(text, newline=""))]
    options = {"format": "csv", "encoding": encoding, "multiLine": True, "escape": '"', "errors": errors}
    options |= {"maxPartitionBytes": len(data) // 30, "openCostInBytes": "1g"}
    frame = source(spark, **options).schema("number int, a string, b string, c string").load(path)
    killer = Killer(errors, 3)
    killer.start()
    start = time.monotonic()
    rows = sorted(tuple(row) for row in frame.collect())
    seconds = time.monotonic() - start
    killer.stopped.set()
    killer.join()
    assert rows == expected, f"{encoding}: the records differ from those of Python"

    import charpipe.spark

    found = sorted((row.byte, row.line, row.file) for row in charpipe.spark.errors(spark, errors).collect())
    lines = [(offset, decode(data[:offset], encoding).count("\n") + 1, path) for offset in offsets]
    assert found == lines, f"{encoding}: errors {found[:3]}, not {lines[:3]}"
    (metrics,) = charpipe.spark.metrics(spark, errors).collect()
    counts = (metrics.records, metrics.malformed, metrics.malformed_records)
    assert counts == (len(expected), len(offsets), 0), counts
    partitions = len([name for name in os.listdir(errors) if not name.startswith(".")])
    print(
        f"{encoding}, {'damaged' if offsets else 'valid'}: {len(data) >> 10} KiB, {len(rows)} records, "
        f"{partitions} partitions, {len(offsets)} errors, killed {int(killer.killed)}, {seconds:.1f} s",
        flush=True,
    )
    shutil.rmtree(errors)
    return killer.killed


def check_first_job(spark, directory):
    """The starts of records that a job of Spark finds are those that the driver finds."""
    import charpipe.spark

    data, _ = make_csv("gb18030", 300_000, False, random.Random(2))
    path = os.path.join(directory, "in.csv")
    with open(path, "wb") as file:
        file.write(data)
    options = {"encoding": "gb18030", "escape": '"', "maxPartitionBytes": "20000"}
    starts = charpipe.spark.record_starts(spark, path, **options)
    options |= {"format": "csv", "multiLine": True}
    schema = "number int, a string, b string, c string"
    frame = source(spark, recordStarts=starts, **options).schema(schema).load(path)
    expected = [int(row[0]) for row in csv.reader(io.StringIO(data.decode("gb18030"), newline=""))]
    assert sorted(row.number for row in frame.select("number").collect()) == expected
    print(f"recordStarts: {len(json.loads(starts)[path])} ranges", flush=True)


def check_writing(spark, directory, encoding):
    """Files that the writer has written are what Python reads. An executor is killed meanwhile."""
    words, _ = ENCODINGS[encoding]
    output = os.path.join(directory, "output")
    quoted = "', '".join(words)
    frame = spark.range(0, 200_000, 1, 20).selectExpr(
        "id", f"concat(element_at(array('{quoted}'), cast(id % {len(words)} + 1 as int)), ',\"\\n', id) AS text"
    )
    options = {"format": "csv", "encoding": encoding, "escape": '"', "compression": "gzip"}
    writer = frame.write.format("charpipe").options(**options)
    killer = Killer(output, 1)
    killer.start()
    writer.mode("append").save(output)
    killer.stopped.set()
    killer.join()
    names = os.listdir(output)
    assert sorted(name for name in names if not name.startswith("part-")) == ["_SUCCESS"], names
    rows = []
    for name in names:
        if name.startswith("part-"):
            with gzip.open(os.path.join(output, name)) as file:
                rows += csv.reader(io.StringIO(decode(file.read(), encoding), newline=""))
    assert sorted((int(number), text) for number, text in rows) == [
        (number, f'{words[number % len(words)]},"\n{number}') for number in range(200_000)
    ], f"{encoding}: the written records differ"
    # They replace the files that are there.
    frame.limit(1).write.format("charpipe").options(**options).mode("overwrite").save(output)
    del options["compression"]
    count = source(spark, multiLine=True, **options).schema("id int, text string").load(output).count()
    assert count == 1, count
    shutil.rmtree(output)
    print(f"{encoding}: written and read, killed {int(killer.killed)}", flush=True)


class Server:
    """A server with the interface of S3 in another process, because its threads would be slow in this one."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.keys = {"access_key": "id", "secret_key": "key"}

    def file_system(self):
        from pyarrow import fs

        return fs.S3FileSystem(**self.keys, endpoint_override=self.url, allow_bucket_creation=True)

    def wait(self):
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", int(self.url.rpartition(":")[2]))).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server of S3 did not start")


def s3_server():
    """Starts a server with the interface of S3. Returns ``None`` if moto is not installed and not required."""
    is_required = {"all", "s3"} & set(os.environ.get("CHARPIPE_TEST_REQUIRE", "").split())
    if not is_required and not importlib.util.find_spec("moto"):
        print("s3: skipped, moto is not installed", flush=True)
        return None
    server = Server()
    server.wait()
    return server


def check_s3(spark, server):
    """Files of S3 are read and written with the configuration of the session, and with s3fs."""
    import charpipe.spark

    files = server.file_system()
    files.create_dir("bucket")
    data, offsets = make_csv("gb18030", 600_000, True, random.Random(4))
    rows = csv.reader(io.StringIO(decode(data, "gb18030"), newline=""))
    expected = [(int(number), *fields) for number, *fields in rows]
    for name, compression in (("1.csv", None), ("2.csv.gz", "gzip")):
        with files.open_output_stream(f"bucket/in/{name}", compression=compression) as output:
            output.write(data)
    csv_options = {"format": "csv", "encoding": "gb18030", "multiLine": True, "escape": '"'}
    fsspec = {"endpoint_url": server.url, "key": "id", "secret": "key"}
    for index, options in enumerate([{}, {"filesystem": json.dumps(fsspec)}]):
        errors, output = f"s3a://bucket/errors-{index}", f"s3a://bucket/output-{index}"
        options |= csv_options
        reader = source(spark, maxPartitionBytes=50_000, openCostInBytes="1g", errors=errors, **options)
        frame = reader.schema("number int, a string, b string, c string").load("s3a://bucket/in/*.csv*")
        assert frame.rdd.getNumPartitions() > 10
        assert sorted(tuple(row) for row in frame.collect()) == sorted(expected * 2)
        file_system = {key: value for key, value in options.items() if key == "filesystem"}
        found = charpipe.spark.errors(spark, errors, **file_system).collect()
        assert sorted(row.byte for row in found) == sorted(offsets * 2)
        assert {row.file for row in found} == {"s3a://bucket/in/1.csv", "s3a://bucket/in/2.csv.gz"}
        starts = charpipe.spark.record_starts(
            spark, "s3a://bucket/in/1.csv", encoding="gb18030", escape='"', maxPartitionBytes="50k", **file_system
        )
        assert len(json.loads(starts)["s3a://bucket/in/1.csv"]) > 10
        del options["multiLine"]
        writer = frame.write.format("charpipe").options(compression="gzip", **options)
        writer.mode("append").save(output)
        read = source(spark, multiLine=True, **options).schema(frame.schema).load(output)
        assert sorted(tuple(row) for row in read.collect()) == sorted(expected * 2)
    print(f"s3: {len(expected) * 2} records read, written and read, with pyarrow and with s3fs", flush=True)


def check_unmappable(spark, directory):
    """A character that cannot be encoded fails the write, and leaves nothing."""
    output = os.path.join(directory, "unmappable")
    writer = spark.range(1).selectExpr("'漢' AS text").write.format("charpipe").option("encoding", "ibm1047")
    try:
        writer.mode("append").save(output)
    except Exception as error:  # noqa: BLE001
        assert "U+6F22 cannot be encoded in IBM1047" in str(error), error
    else:
        raise AssertionError("the write did not fail")
    assert os.listdir(output) == [], os.listdir(output)
    writer.option("onUnmappable", "xmlcharrefreplace").mode("append").save(output)
    rows = source(spark, encoding="ibm1047").load(output).collect()
    assert [row.value for row in rows] == ["&#28450;"], rows


def check_rules(spark, directory):
    """The table of Spark's results in the tests of the package is what this version of Spark returns."""
    with open(os.path.join(HERE, "../../python/tests/spark_csv.json"), encoding="utf-8") as file:
        cases = json.load(file)
    path = os.path.join(directory, "case.csv")
    for case in cases:
        with open(path, "wb") as file:
            file.write(case["data"].encode("latin-1"))
        reader = spark.read.schema("x string, y string, k string").option("columnNameOfCorruptRecord", "k")
        reader = reader.option("multiLine", case["multiLine"]).option("escape", case["escape"])
        assert [list(row) for row in reader.csv(path).collect()] == case["rows"], case
    print(f"rules of CSV: {len(cases)} cases", flush=True)


def check_failures(spark, directory):
    """The mode FAILFAST fails the job with the position."""
    path = os.path.join(directory, "broken.csv")
    with open(path, "wb") as file:
        file.write(b"1,a\n2,\xff\n")
    try:
        source(spark, format="csv", mode="FAILFAST").schema("a int, b string").load(path).collect()
    except Exception as error:  # noqa: BLE001
        assert f"{path}: byte 6, line 2 of the range: invalid UTF-8 sequence FF" in str(error), error
    else:
        raise AssertionError("the read did not fail")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=2_000_000)
    parser.add_argument("--directory")
    parser.add_argument("encodings", nargs="*")
    args = parser.parse_args()
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("skipped: pyspark is not installed", file=sys.stderr)
        return 77
    if not shutil.which("java"):
        print("skipped: java is not installed", file=sys.stderr)
        return 77
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.speculation", "true").config("spark.speculation.interval", "100ms")
    builder = builder.config("spark.speculation.multiplier", "1.1").config("spark.speculation.quantile", "0.5")
    builder = builder.config("spark.task.maxFailures", "8").config("spark.sql.shuffle.partitions", "2")
    server = s3_server()
    if server:
        builder = builder.config("spark.hadoop.fs.s3a.endpoint", server.url)
        for name, value in server.keys.items():
            builder = builder.config(f"spark.hadoop.fs.s3a.{name.replace('_', '.')}", value)
    try:
        check(builder.getOrCreate(), server, args)
    finally:
        if server:
            server.process.kill()
    return 0


def check(spark, server, args):
    global APPLICATION
    import charpipe.spark

    spark.sparkContext.setLogLevel("OFF")
    APPLICATION = spark.sparkContext.applicationId
    charpipe.spark.register(spark)
    with tempfile.TemporaryDirectory(dir=args.directory) as directory:
        directory = os.path.abspath(directory)
        check_failures(spark, directory)
        check_unmappable(spark, directory)
        check_first_job(spark, directory)
        if server:
            check_s3(spark, server)
        killed = []
        for encoding in args.encodings or ENCODINGS:
            for is_damaged in (False, True):
                killed.append(check_reading(spark, directory, encoding, is_damaged, args.size))
            check_writing(spark, directory, encoding)
        check_rules(spark, directory)
    spark.stop()
    assert any(killed), "no executor could be killed while it was working"


if __name__ == "__main__":
    sys.exit(main())
