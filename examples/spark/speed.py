#!/usr/bin/env python3
"""Compares charpipe.spark with Spark's own reader of CSV, which reads a copy of the file in UTF-8.

    speed.py [--size BYTES] [--files N] [--runs N] [--master MASTER] [--directory DIR] [ENCODING...]

Prints a table of Markdown: megabytes of input per second of processor time (all processes of Spark, without the start) and of
wall time, the best of all runs, and the ratios of the records per second.
"""

import argparse
import os
import random
import sys
import tempfile
import time

WORDS = {
    "gb18030": "道可道 非常道 名可名 非常名 无名天地之始 有名万物之母".split(),
    "shift_jis": "国境の 長い トンネルを 抜けると 雪国で あった".split(),
    "utf-16le": "国境の 長い トンネルを 抜けると 雪国で あった".split(),
    "windows-1252": "Longtemps je me suis couché de bonne heure".split(),
    "ibm1047": "Longtemps je me suis couché de bonne heure".split(),
    "utf-8": "道可道 非常道 名可名 非常名 无名天地之始 有名万物之母".split(),
}
SCHEMA = "id long, name string, amount double, day date, text string"


def make_files(directory, encoding, size, count):
    """Writes files of CSV in the encoding, and the same in UTF-8. Returns the sizes of both."""
    import charpipe

    rng = random.Random(encoding)
    words = WORDS[encoding]
    block = "".join(
        f"{rng.randrange(10**9)},{rng.choice(words)}{rng.choice(words)},{rng.randrange(10**6) / 100},"
        f"20{rng.randrange(10, 30)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02},"
        f'"{" ".join(rng.choices(words, k=8))}, {rng.choice(words)}"\n'
        for _ in range(5000)
    ).encode()
    encoded = charpipe.convert(block, "utf-8", encoding)
    sizes = [0, 0]
    for index, (name, data) in enumerate([("encoded", encoded), ("utf-8", block)]):
        os.makedirs(os.path.join(directory, name))
        for file in range(count):
            with open(os.path.join(directory, name, f"{file}.csv"), "wb") as output:
                for _ in range(max(1, size // count // len(encoded))):
                    sizes[index] += output.write(data)
    return sizes


def processor_seconds():
    """Returns the processor time of this process and its descendants, which include the Java virtual machine."""
    times, parents = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(name))
        # Own time, and that of children that have ended.
        times[int(name)] = sum(map(int, fields[11:15]))
    total, pending = 0, [os.getpid()]
    while pending:
        process = pending.pop()
        total += times.get(process, 0)
        pending += parents.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=500_000_000)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--directory")
    parser.add_argument("encodings", nargs="*")
    args = parser.parse_args()
    from pyspark.sql import SparkSession

    import charpipe.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(args.master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "4g")
    spark = builder.config("spark.sql.files.maxPartitionBytes", "32m").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    charpipe.spark.register(spark)
    print("| encoding | MB | files | Spark, UTF-8 | charpipe, lines | ratio | charpipe, multiLine | ratio | wall ratios | scan |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for encoding in args.encodings or WORDS:
        with tempfile.TemporaryDirectory(dir=args.directory) as directory:
            size, utf8_size = make_files(directory, encoding, args.size, args.files)
            encoded, utf8 = os.path.join(directory, "encoded"), os.path.join(directory, "utf-8")
            reader = spark.read.format("charpipe").schema(SCHEMA)
            reader = reader.options(format="csv", encoding=encoding, maxPartitionBytes="32m")
            own = spark.read.schema(SCHEMA).csv(utf8)
            lines, records = reader.load(encoded), reader.option("multiLine", True).load(encoded)

            def read(frame):
                frame.write.format("noop").mode("overwrite").save()

            calls = [lambda: read(own), lambda: read(lines), lambda: read(records), lambda: scan(encoded, encoding)]
            cpu, wall = [float("inf")] * 4, [float("inf")] * 4
            for _ in range(args.runs):
                for index, call in enumerate(calls):
                    before, start = processor_seconds(), time.monotonic()
                    call()
                    cpu[index] = min(cpu[index], processor_seconds() - before)
                    wall[index] = min(wall[index], time.monotonic() - start)
            assert own.count() == lines.count()
            print(
                f"| {encoding} | {size / 1e6:.0f} | {args.files} | {utf8_size / cpu[0] / 1e6:.0f} "
                f"| {size / cpu[1] / 1e6:.0f} | {cpu[0] / cpu[1]:.2f} | {size / cpu[2] / 1e6:.0f} | {cpu[0] / cpu[2]:.2f} "
                f"| {wall[0] / wall[1]:.2f}, {wall[0] / wall[2]:.2f} | {size / cpu[3] / 1e6:.0f} |",
                flush=True,
            )
    spark.stop()


def scan(path, encoding):
    """Finds the starts of records, as the driver does before the tasks with multiLine."""
    from charpipe.spark import Options, partitions

    options = {"path": path, "format": "csv", "encoding": encoding, "multiLine": "true", "maxPartitionBytes": "32m"}
    partitions.find_partitions(Options(options))


if __name__ == "__main__":
    main()
