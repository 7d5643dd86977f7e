"""Runs commands: compares what they write, and takes their time in turns."""

import os
import statistics
import subprocess
import time

BLOCK = 1 << 20


class Repeated:
    """A unit over and over, at least the given number of bytes, without holding them.

    The frame is what comes before and after the units.
    """

    def __init__(self, unit, count, frame=(b"", b"")):
        self.unit = unit
        self.count = count
        self.head, self.tail = frame
        self.end = len(self.head) + len(unit) * count
        self.size = self.end + len(self.tail)
        self.cycle = unit * (BLOCK // len(unit) + 2) if unit else b""

    @classmethod
    def to_size(cls, unit, size, frame=(b"", b"")):
        return cls(unit, -(-size // len(unit)), frame)

    def part(self, at, length):
        """Up to a block of bytes from an offset."""
        before = self.head[at : at + length]
        at += len(before)
        length -= len(before)
        inner = b""
        if self.unit and at < self.end:
            start = (at - len(self.head)) % len(self.unit)
            inner = self.cycle[start : start + min(length, self.end - at)]
        at += len(inner)
        length -= len(inner)
        after = self.tail[at - self.end : at - self.end + length] if at >= self.end else b""
        return before + inner + after

    def write(self, path):
        with open(path, "wb") as file:
            for at in range(0, self.size, BLOCK):
                file.write(self.part(at, BLOCK))


def with_input(command, source):
    """The command with the input as an argument if it is iconv, which maps a file, but reads standard input into a
    buffer that grows."""
    return [*command, str(source)] if os.path.basename(command[0]) == "iconv" else command


def difference(command, source, expected, codes=(0,)):
    """Returns how the output of a command differs from the expected output, or None."""
    at, differs = 0, None
    with open(source, "rb") as stdin, subprocess.Popen(
        with_input(command, source), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        while block := child.stdout.read(BLOCK):
            if differs is None and expected.part(at, len(block)) != block:
                differs = at
            at += len(block)
    if child.returncode not in codes:
        return f"exit {child.returncode}"
    if differs is not None:
        return f"differs in the {BLOCK >> 20} MiB from byte {differs}"
    return None if at == expected.size else f"{at} bytes of {expected.size}"


def output(command, source):
    """All that a command writes."""
    with open(source, "rb") as stdin:
        made = subprocess.run(
            with_input(command, source),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    return made.stdout


def once(command, source, codes=(0,), directory=None):
    """Seconds of processor time, user and system, and of wall time."""
    with open(source, "rb") as stdin:
        start = time.monotonic()
        child = subprocess.Popen(
            with_input(command, source),
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=directory,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        raise RuntimeError(f"{' '.join(command)}: exit {child.returncode}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall}


def in_turns(jobs, rounds):
    """Times of each job in each round. A job is a command, its input, and its exit codes."""
    times = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            times[name].append(once(*job))
    return times


def median(times, clock):
    return statistics.median(found[clock] for found in times)


def ratios(times, others, clock):
    """How many times as long the others took, round by round: the median, and half the range."""
    found = [other[clock] / own[clock] for own, other in zip(times, others)]
    return statistics.median(found), (max(found) - min(found)) / 2
