#!/usr/bin/env python3
"""Runs convert.py on a cluster of two executor processes, kills one, and compares with charpipe.

    test.py [--charpipe COMMAND] [--size BYTES] [--ranges N] [--directory DIR] [ENCODING...]

Exits with 77 if pyspark or Java is not installed.
"""

import argparse
import filecmp
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENCODINGS = ["utf-16le", "gb18030", "shift_jis", "ibm1047", "iso-2022-jp"]
# Bytes that are malformed in the encoding. 0A 00 of two other characters is in the text.
MALFORMED = {
    "utf-16le": b"\x00\xdc",
    "gb18030": b"\xff",
    "shift_jis": b"\xff",
    "iso-2022-jp": b"\x1b",
}


def text(encoding, rng):
    """Returns some lines, with characters on which naive splitting fails."""
    words = {
        "utf-16le": ["ਁ一", "漢字", "abc", "上", " "],
        "ibm1047": ["Größe", "abc", "déjà", " "],
        "gb18030": ["汉字", "abc", "㐀", "𠀀", " "],
    }.get(encoding, ["漢字", "かな", "abc", "ソ表", " "])
    return "".join(
        "".join(rng.choice(words) for _ in range(rng.randrange(30))) + "\n" for _ in range(2000)
    )


def encode(text, encoding):
    if encoding != "ibm1047":
        return text.encode(encoding)
    # Python has no such codec. The text is in the repertoire of both sides of this conversion.
    command = ["iconv", "-f", "utf-8", "-t", encoding]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout


def make_input(path, encoding, size, rng):
    blocks = [encode(text(encoding, rng), encoding) for _ in range(4)]
    with open(path, "wb") as file:
        written = 0
        while written < size:
            encoded = rng.choice(blocks)
            repeat = max(1, min(64, size // len(encoded) // 16))
            block = encoded * repeat + MALFORMED.get(encoding, b"")
            if encoding == "iso-2022-jp":
                # Characters of two bytes on both sides of a line feed: the next range may begin
                # in another state than assumed.
                block += b"\x1b$BF|\n" + b"F|K\\\n" * 2000 * repeat + b"\x1b(B\n"
            file.write(block)
            written += len(block)


def kill_an_executor(stop, killed):
    """Kills one executor process as soon as it runs charpipe."""
    while not stop.wait(0.2):
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
        executors = re.findall(r"^\s*(\d+) \S*java.*CoarseGrainedExecutorBackend", listed, re.M)
        parts = [name for name in os.listdir(stop.output) if name.startswith("part-")] \
            if os.path.isdir(stop.output) else []
        if len(executors) >= 2 and len(parts) >= 3:
            os.kill(int(executors[0]), signal.SIGKILL)
            killed.append(executors[0])
            return


def messages(stderr):
    found = re.findall(r"^charpipe: .*?:(\d+):(\d+): byte (\d+): (.*)$", stderr, re.M)
    return [(int(line), int(column), int(offset), message) for line, column, offset, message in found]


def task_ends(log):
    """Returns the end of each task, from the event log of Spark."""
    (path,) = [os.path.join(log, name) for name in os.listdir(log)]
    with open(path, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    return [event for event in events if event["Event"] == "SparkListenerTaskEnd"]


def engine_seconds(ends, seconds):
    """Returns what each task took in addition to the conversion, without the first of each executor."""
    costs, executors = [], set()
    for task in sorted((end["Task Info"] for end in ends), key=lambda task: task["Launch Time"]):
        is_first = task["Executor ID"] not in executors
        executors.add(task["Executor ID"])
        if not (is_first or task["Failed"] or task["Killed"]):
            duration = (task["Finish Time"] - task["Launch Time"]) / 1000
            costs.append(duration - seconds[task["Index"]])
    return costs


def try_encoding(encoding, directory, size, ranges):
    rng = random.Random(encoding)
    source, output = os.path.join(directory, "input"), os.path.join(directory, "output")
    joined, whole = os.path.join(directory, "joined"), os.path.join(directory, "whole")
    make_input(source, encoding, size, rng)
    size = os.path.getsize(source)
    command = [CHARPIPE, "-f", encoding, "-c", "-v", source, "-o", whole]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    expected = messages(run.stderr)
    command = [sys.executable, os.path.join(HERE, "convert.py"), "-f", encoding, "--verbose"]
    command += ["--on-error", "skip", "--charpipe", CHARPIPE, "--join", joined]
    command += ["--range-size", str(-(-size // ranges)), source, output]
    log = os.path.join(directory, "log")
    os.mkdir(log)
    options = ["spark.ui.enabled=false", "spark.eventLog.enabled=true", f"spark.eventLog.dir=file:{log}",
               "spark.eventLog.compress=false", "spark.eventLog.rolling.enabled=false"]
    submit = ["--master", "local-cluster[2,1,1024]", *[f"--conf {option}" for option in options]]
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": " ".join([*submit, "pyspark-shell"])}
    stop, killed = threading.Event(), []
    stop.output = output
    killer = threading.Thread(target=kill_an_executor, args=(stop, killed))
    killer.start()
    start = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    stop.set()
    killer.join()
    assert run.returncode in (0, 1), run.stderr[-4000:]
    name = os.path.join(output, "_report.json")
    assert os.path.exists(name), run.stderr[-4000:]
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    assert report["parts"] >= min(ranges, 64), report["parts"]
    assert filecmp.cmp(joined, whole, shallow=False), f"{encoding}: the joined parts differ"
    errors = [(e["line"], e["column"], e["offset"], e["message"]) for e in report["errors"]]
    assert errors == expected, f"{encoding}: {len(errors)} errors, not {len(expected)}"
    seconds = time.monotonic() - start
    again = run.stderr.count("converted again")
    ends = task_ends(log)
    lost = sum(end["Task Info"]["Failed"] or end["Task Info"]["Killed"] for end in ends)
    costs = engine_seconds(ends, report["seconds"])
    print(f"{encoding}: {size >> 20} MiB, {report['parts']} parts, {len(errors)} errors, "
          f"{again} converted again, {len(killed)} executor killed with {lost} tasks, {seconds:.1f} s; "
          f"Spark per task: mean {statistics.mean(costs):.3f} s, maximum {max(costs):.3f} s", flush=True)
    shutil.rmtree(output)
    shutil.rmtree(log)
    for path in source, joined, whole:
        os.remove(path)
    return bool(killed)


def main():
    global CHARPIPE
    parser = argparse.ArgumentParser()
    parser.add_argument("--charpipe", default="charpipe")
    parser.add_argument("--size", type=int, default=16 << 20)
    parser.add_argument("--ranges", type=int, default=64)
    parser.add_argument("--directory")
    parser.add_argument("encodings", nargs="*")
    args = parser.parse_args()
    try:
        import pyspark  # noqa: F401
    except ImportError:
        print("skipped: pyspark is not installed", file=sys.stderr)
        return 77
    if not shutil.which("java"):
        print("skipped: java is not installed", file=sys.stderr)
        return 77
    CHARPIPE = shutil.which(args.charpipe) or sys.exit(f"{args.charpipe}: not found")
    CHARPIPE = os.path.abspath(CHARPIPE)
    with tempfile.TemporaryDirectory(dir=args.directory) as directory:
        directory = os.path.abspath(directory)
        killed = [try_encoding(encoding, directory, args.size, args.ranges)
                  for encoding in args.encodings or ENCODINGS]
    assert any(killed), "no executor could be killed while it was working"
    return 0


if __name__ == "__main__":
    sys.exit(main())
