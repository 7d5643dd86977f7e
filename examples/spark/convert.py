#!/usr/bin/env python3
"""Converts one large text file with Spark: one task of charpipe for each range.

    spark-submit convert.py -f gb18030 /data/big.txt /data/big.utf8

writes /data/big.utf8/part-00000, part-00001, …, whose concatenation is the conversion of the whole
file, and _report.json. Input and output are paths that all machines see, or URIs of any file system that
pyarrow supports (hdfs://, s3://, gs://, file://). charpipe must be installed on all machines.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# Bytes around the offsets of a remote file that are fetched to find split points, at first.
WINDOW = 64 * 1024
# Longer than any split sequence, and than what charpipe reads at the start of a file.
CONTEXT = 16


class Storage:
    """A file system: the local one, or one that pyarrow supports."""

    def __init__(self, location):
        self.is_local = "://" not in location
        # Executors have other working directories.
        self.location = os.path.abspath(location) if self.is_local else location.rstrip("/")

    def _remote(self):
        from pyarrow import fs

        return fs.FileSystem.from_uri(self.location)

    def size(self):
        if self.is_local:
            return os.path.getsize(self.location)
        remote, path = self._remote()
        return remote.get_file_info(path).size

    def fetch(self, spans, target):
        """Copies spans of bytes to the same offsets of a local file, which is sparse elsewhere."""
        remote, path = self._remote()
        with remote.open_input_file(path) as source, open(target, "wb") as output:
            output.truncate(source.size())
            for start, end in spans:
                source.seek(start)
                output.seek(start)
                while start < end:
                    block = source.read(min(end - start, 8 << 20))
                    if not block:
                        raise EOFError(f"{self.location}: the file became shorter")
                    output.write(block)
                    start += len(block)

    def make_directory(self):
        if self.is_local:
            os.makedirs(self.location, exist_ok=True)
        else:
            remote, path = self._remote()
            remote.create_dir(path, recursive=True)

    def target(self, name, temporary):
        """Returns the local path to which charpipe writes a file of the output directory."""
        return os.path.join(self.location if self.is_local else temporary, name)

    def publish(self, name, local):
        """Makes a file appear in the output directory, as a whole."""
        if self.is_local:
            return
        remote, path = self._remote()
        with open(local, "rb") as source, remote.open_output_stream(f"{path}/.{name}") as output:
            shutil.copyfileobj(source, output, 8 << 20)
        remote.move(f"{path}/.{name}", f"{path}/{name}")

    def size_of(self, name):
        if self.is_local:
            return os.path.getsize(os.path.join(self.location, name))
        remote, path = self._remote()
        return remote.get_file_info(f"{path}/{name}").size


def run(words):
    """Runs charpipe. Errors in the text (exit code 1) are part of the report."""
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{words[0]}: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout


def part_name(index):
    return f"part-{index:05}"


class Job:
    """What all tasks have in common."""

    def __init__(self, args):
        self.input, self.output = Storage(args.input), Storage(args.output)
        self.charpipe = args.charpipe
        self.encodings = ["--from", args.from_, "--to", args.to, "--assume-line-start"]
        self.encodings += ["--bom", args.bom] if args.bom else []
        self.options = ["--on-error", args.on_error] + (["--verbose"] if args.verbose else [])

    def ranges(self, range_size):
        """Returns the ranges of the input as pairs of offsets, all of which are split points."""
        split = [self.charpipe, "split", "--json", "--size", str(range_size), *self.encodings]
        if self.input.is_local:
            return pairs(run([*split, self.input.location]))
        size, window = self.input.size(), WINDOW
        count = max(1, -(-size // range_size))
        # The offsets from which charpipe searches.
        offsets = [size * index // count for index in range(1, count)]
        with tempfile.TemporaryDirectory() as directory:
            local = os.path.join(directory, "input")
            while True:
                spans = [(max(0, at - CONTEXT), min(size, at + window)) for at in [0, *offsets]]
                self.input.fetch(spans, local)
                found = pairs(run([*split, local]))
                # A split point outside of what was fetched is not one.
                if all(end == size or any(at < end <= to for at, to in spans) for _, end in found):
                    return found
                window *= 8

    def convert(self, index, span, start_state=None):
        """Converts a range and returns the report. May run several times: one whole part is left."""
        start, end = span
        name, began = part_name(index), time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            source = self.input.location
            if not self.input.is_local:
                source = os.path.join(temporary, "input")
                head = (0, min(CONTEXT, end))
                self.input.fetch([head, (max(0, start - CONTEXT), end)], source)
            part, report = self.output.target(name, temporary), os.path.join(temporary, "report")
            state = ["--start-state", start_state] if start_state else []
            words = [self.charpipe, *self.encodings, *self.options, *state]
            words += ["--range", f"{start}-{end}", "--output", part, "--report", report, source]
            run(words)
            with open(report, "rb") as file:
                report = json.load(file)
            if not report["stopped"]:
                self.output.publish(name, part)
        report["seconds"] = round(time.monotonic() - began, 3)
        return report

    def verify(self, reports):
        """Returns the index of the first range that must be converted again, or None."""
        for index, report in enumerate(reports[:-1]):
            expected = None if report["ends_as_assumed"] else report["end_state"]
            if report["stopped"]:
                return None
            if reports[index + 1]["start_state"] != expected:
                return index + 1
        return None

    def summary(self, ranges, reports):
        """Checks that the parts are the whole file, and returns the report of all of them."""
        stopped = next((i for i, report in enumerate(reports) if report["stopped"]), None)
        valid = reports if stopped is None else reports[: stopped + 1]
        errors, lines = [], 0
        for index, ((start, end), report) in enumerate(zip(ranges, valid)):
            assert report["start"] == start, (index, report)
            assert report["stopped"] or report["end"] == end, (index, report)
            if not report["stopped"]:
                assert self.output.size_of(part_name(index)) == report["output_bytes"], (index, report)
            errors += [{**error, "line": error["line"] + lines} for error in report["errors"]]
            lines += report["lines"]
        assert stopped is not None or ranges[-1][1] == self.input.size()
        totals = ["output_bytes", "malformed", "unmappable", "skipped", "replaced", "errors_not_listed"]
        return {
            "input": self.input.location,
            "parts": len(ranges) if stopped is None else stopped,
            "stopped": stopped is not None,
            "lines": lines,
            **{name: sum(report[name] for report in valid) for name in totals},
            "seconds": [report["seconds"] for report in reports],
            "errors": errors,
        }


def pairs(document):
    return [(part["start"], part["end"]) for part in json.loads(document)["ranges"]]


def size(text):
    units = "KMGT"
    if text[-1].upper() in units:
        return int(text[:-1]) << 10 * (units.index(text[-1].upper()) + 1)
    return int(text)


def parse_args():
    parser = argparse.ArgumentParser(description="Convert one large text file with Spark.")
    parser.add_argument("input", help="file or URI")
    parser.add_argument("output", help="directory or URI for the parts")
    parser.add_argument("-f", "--from", dest="from_", default="utf-8", metavar="ENCODING")
    parser.add_argument("-t", "--to", default="utf-8", metavar="ENCODING")
    parser.add_argument("--on-error", default="stop", metavar="ACTION", help="as of charpipe")
    parser.add_argument("--bom", choices=["keep", "strip", "add"])
    parser.add_argument("--range-size", type=size, default=256 << 20, metavar="SIZE")
    parser.add_argument("--charpipe", default="charpipe", metavar="COMMAND")
    parser.add_argument("--verbose", action="store_true", help="report every error")
    parser.add_argument("--join", metavar="FILE", help="concatenate the parts (local output)")
    return parser.parse_args()


def main():
    args = parse_args()
    job = Job(args)
    job.output.make_directory()
    ranges = job.ranges(args.range_size)

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"charpipe {args.input}").getOrCreate()
    tasks = spark.sparkContext.parallelize(list(enumerate(ranges)), len(ranges))
    # Speculative copies of a task write the same bytes.
    reports = tasks.map(lambda task: job.convert(*task)).collect()
    spark.stop()

    # Each range was converted from the state in which almost all lines begin. Where the preceding
    # range ended in another one, the range is converted again from that.
    while (index := job.verify(reports)) is not None:
        before = reports[index - 1]
        state = None if before["ends_as_assumed"] else before["end_state"]
        print(f"{part_name(index)}: converted again from state {state}", file=sys.stderr)
        reports[index] = job.convert(index, ranges[index], state)

    report = job.summary(ranges, reports)
    with tempfile.TemporaryDirectory() as temporary:
        local = job.output.target("_report.json", temporary)
        with open(local, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        job.output.publish("_report.json", local)
    if args.join:
        with open(args.join, "wb") as whole:
            for index in range(report["parts"]):
                with open(os.path.join(job.output.location, part_name(index)), "rb") as part:
                    shutil.copyfileobj(part, whole, 8 << 20)
    errors = report["malformed"] + report["unmappable"]
    print(f"{report['parts']} parts, {report['lines']} lines, {errors} errors", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
