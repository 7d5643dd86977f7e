#!/usr/bin/env python3
"""Compares charpipe.spark with Spark's own reader of CSV, which reads a copy of the file in UTF-8.

    speed.py [--size BYTES] [--files N] [--runs N] [--master MASTER] [--directory DIR] [ENCODING...]

Prints a table of Markdown: megabytes of input per second of elapsed time, the best of alternating runs, and the ratio of records per
second. The last column is the search for the starts of records that the driver does first with multiLine, in megabytes per second of
processor time.
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
    print("| encoding | MB | files | Spark, UTF-8 | charpipe, lines | ratio | charpipe, multiLine | ratio | search |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
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

            times, search = [float("inf")] * 3, float("inf")
            for _ in range(args.runs):
                for index, frame in enumerate((own, lines, records)):
                    start = time.monotonic()
                    read(frame)
                    times[index] = min(times[index], time.monotonic() - start)
                start = time.process_time()
                scan(encoded, encoding)
                search = min(search, time.process_time() - start)
            assert own.count() == lines.count()
            print(
                f"| {encoding} | {size / 1e6:.0f} | {args.files} | {utf8_size / times[0] / 1e6:.0f} "
                f"| {size / times[1] / 1e6:.0f} | {times[0] / times[1]:.2f} "
                f"| {size / times[2] / 1e6:.0f} | {times[0] / times[2]:.2f} | {size / search / 1e6:.0f} |",
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
