"""Measures one row: first compares what every program writes, then takes their times in turns."""

import dataclasses
import os
import pathlib
import shutil
import tempfile

import timing
from cases import TREE_NAMES
from thresholds import thresholds_of
from converters import CHARPIPE, command, row_command

# Programs that make other choices than charpipe, rightly, in what they write. What UTF-7 leaves to
# the writer decides which characters are written directly, so there the text that is read back is compared.
DECODED_BACK = {("uconv", "utf-7")}
# Programs that are measured although they write something else, and why.
OTHERWISE = {
    ("nkf", "rfc2047"): "it leaves words of most encodings as they are",
}


@dataclasses.dataclass
class Result:
    """A row's figures: bytes a second, the ratio to each converter with half its range, and remarks."""

    row: object
    speed: float = 0.0
    ratios: dict = dataclasses.field(default_factory=dict)
    milliseconds: dict = dataclasses.field(default_factory=dict)
    remarks: list = dataclasses.field(default_factory=list)
    wrong: bool = False

    def thresholds(self):
        """Each threshold, and whether it is met: None if what it compares with is not there."""
        return [(threshold, self._meets(threshold)) for threshold in thresholds_of(self.row)]

    def _meets(self, threshold):
        if self.wrong:
            return False
        others = [ratio for ratio, _ in self.ratios.values()]
        special = {"MB/s": self.speed / 1e6, "ms": self.milliseconds.get("CPU")}
        special["others"] = min(others, default=None)
        value = special.get(
            threshold.measure, self.ratios.get(threshold.measure, (None,))[0]
        )
        return None if value is None else threshold.is_met(value)


def _same_text(words, source, row, count):
    """Whether Python reads the text in what a converter wrote."""
    return timing.output(words, source).decode(row.target) == row.unit.decode(row.source) * count


def _agrees(name, words, source, row, expected, codes, result):
    """Whether a program is to be measured: it did the work, whether or not in the same bytes."""
    found = timing.difference(words, source, expected, codes)
    if found is None:
        return True
    if (name, row.source) in OTHERWISE and not found.startswith("exit"):
        result.remarks.append((name, OTHERWISE[name, row.source]))
        return True
    if (name, row.target) in DECODED_BACK:
        count = expected.size // len(row.expected)
        if _same_text(words, source, row, count):
            return True
    result.remarks.append((name, found))
    if name == "charpipe":
        result.wrong = True
    return False


def _jobs(row, converters, directory, size, result):
    """Each program's command, input and exit codes, for those that do the work."""
    source = os.path.join(directory, "input")
    given = timing.Repeated.to_size(row.unit, size, row.frames[0])
    given.write(source)
    expected = timing.Repeated(row.expected, given.count, row.frames[1])
    skipped = expected if row.skipped is None else timing.Repeated(row.skipped, given.count)
    codes = (0, 1) if row.action else (0,)
    jobs = {}
    for name in ["charpipe", *converters]:
        words = row_command(name, row)
        wanted = expected if name == "charpipe" else skipped
        if words and _agrees(name, words, source, row, wanted, codes, result):
            jobs[name] = (words, source, codes)
    if row.clean and "charpipe" in jobs:
        clean = os.path.join(directory, "clean")
        timing.Repeated.to_size(row.clean, size).write(clean)
        jobs["clean"] = (row_command("charpipe", row), clean, (0,))
    if row.reference and "charpipe" in jobs:
        jobs["utf-8 check"] = ([CHARPIPE, *row.reference], source, (0,))
    return jobs, given.size


def conversion(row, converters, directory, options, scale):
    """Measures a row in the given number of rounds."""
    result = Result(row)
    jobs, size = _jobs(row, converters, directory, options.size * scale << 20, result)
    if result.wrong:
        return result
    try:
        times = timing.in_turns(jobs, options.rounds)
    except RuntimeError as failure:
        # One program that is killed must not cost a long run its other figures.
        result.remarks.append(("failed", str(failure)))
        result.wrong = True
        return result
    own = times.pop("charpipe")
    result.speed = size / timing.median(own, options.clock)
    result.ratios = {n: timing.ratios(own, other, options.clock) for n, other in times.items()}
    return result


def _tree_once(words, row, scratch):
    """The times of a command that converts a new copy of the tree, and what is in each file afterward."""
    files, out = scratch / "files", scratch / "out"
    for directory in (files, out):
        shutil.rmtree(directory, ignore_errors=True)
    files.mkdir()
    for name in TREE_NAMES:
        (files / name).write_bytes(row.unit)
    times = timing.once(words, os.devnull, directory=files)
    made = out if out.exists() else files
    return times, {(made / name).read_bytes() for name in TREE_NAMES}


def tree(row, converters, options):
    """Measures a row whose input is a directory, in memory if the system has a file system there: what a
    disk costs is not what the programs do, and only charpipe waits for it.
    """
    result, memory = Result(row), pathlib.Path("/dev/shm")
    jobs = {name: row_command(name, row) for name in ["charpipe", *converters]}
    times = {name: [] for name, words in jobs.items() if words}
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        for _ in range(options.rounds):
            for name in times:
                taken, contents = _tree_once(jobs[name], row, pathlib.Path(scratch))
                times[name].append(taken)
                result.wrong |= name == "charpipe" and contents != {row.expected}
    own = times.pop("charpipe")
    result.speed = len(TREE_NAMES) * len(row.unit) / timing.median(own, options.clock)
    result.ratios = {n: timing.ratios(own, other, options.clock) for n, other in times.items()}
    return result


def start(row, converters, options):
    """Milliseconds from the start to the end of each program on an empty input.

    Wall-clock time; for charpipe also CPU time.
    """
    result = Result(row)
    commands = {name: command(name, row.source, row.target) for name in ["charpipe", *converters]}
    jobs = {name: (words, os.devnull, (0,)) for name, words in commands.items() if words}
    times = timing.in_turns(jobs, options.starts)
    result.milliseconds = {n: 1000 * timing.median(found, "wall") for n, found in times.items()}
    result.milliseconds["CPU"] = 1000 * timing.median(times["charpipe"], "cpu")
    return result
