"""Partitions: ranges of files whose first records are verified."""

from __future__ import annotations

import concurrent.futures
import json
import os
from typing import NamedTuple, Optional

from pyspark.sql.datasource import DataSourceReader, InputPartition

from .._charpipe import BoundaryScanner, line_boundary, ranges
from . import files

# The number of bytes that a scan reads at a time.
_SCAN_BLOCK = 4 << 20


class Range(NamedTuple):
    """A range of a file.

    A boundary is a split point of the encoding, and the number of bytes of decoded text after it that belong to
    the preceding range. ``None`` for a boundary that the task finds: the first line from an offset on.
    """

    file: files.File
    start: int
    end: int
    first_record: Optional[tuple[int, int]] = None
    next_record: Optional[tuple[int, int]] = None


class Partition(InputPartition):
    """The ranges that a task reads."""

    def __init__(self, index, ranges):
        super().__init__(index)
        self.index = index
        self.ranges = ranges


def is_splittable(file, options):
    """Whether a file can be read from other positions than its start."""
    if file.codec is not None or options.format == "text":
        return False
    try:
        ranges(b"", options.encoding, "utf-8", None, 1, False)
    except ValueError:
        return False
    return True


def offsets(file, options):
    """Return the offsets near which a file is split."""
    size = options.max_partition_bytes
    if file.size <= size or not is_splittable(file, options):
        return [0, file.size]
    count = -(-file.size // size)
    return [file.size * index // count for index in range(count + 1)]


def boundary(file, offset, options, opened):
    """Return the boundary at the first line that begins at or after an offset."""
    if offset in (0, file.size):
        return offset, 0
    return line_boundary(opened, offset, options.encoding, options.maps_next_line)


def scan(file, start, end, options):
    """Read a range. Return its split point and what it does to each state in which it may begin."""
    with files.open_file(file, options.filesystem) as opened:
        scanner = BoundaryScanner(
            opened, start, options.encoding, maps_next_line=options.maps_next_line, **options.csv_syntax
        )
        position = scanner.start
        if end != file.size:
            # The end of a range is the split point at which the next one begins.
            end = line_split_point(opened, end, options)
        opened.seek(position)
        while position < end:
            block = opened.read(min(_SCAN_BLOCK, end - position))
            if not block:
                raise EOFError(f"{file.uri}: the file became shorter")
            position += len(block)
            scanner.scan(block, position == file.size)
    return scanner.start, scanner.result()


class ScanReader(DataSourceReader):
    """Scans ranges, one in each task."""

    def __init__(self, work, options):
        self.work = work
        self.options = options

    def partitions(self):
        # There is at least one partition, which may be empty.
        return [InputPartition(index) for index in range(len(self.work))] or [InputPartition(None)]

    def read(self, partition):
        if partition.value is not None:
            yield partition.value, json.dumps(scan(*self.work[partition.value], self.options))


def line_split_point(opened, offset, options):
    """Return the first split point at or after an offset."""
    return line_boundary(opened, offset, options.encoding, options.maps_next_line)[0]


def boundaries(file, scans):
    """Join the scans of all ranges of a file. Return the boundaries at which records begin."""
    found, state = [], 0
    for start, runs in scans:
        _, state, first_record = next(run for run in runs if run[0] == state)
        # A range in which no record begins belongs to the preceding one.
        if first_record is not None:
            found.append((start, first_record))
    return [*found, (file.size, 0)] if file.size else []


def record_ranges(file, scans):
    """Return the ranges of a file, given the scans of its parts."""
    points = boundaries(file, scans)
    return [Range(file, a[0], b[0], a, b) for a, b in zip(points, points[1:])]


def spans(found, options):
    """Return what must be scanned to find the first records of the ranges of files."""
    result = []
    for file in found:
        at = offsets(file, options)
        if len(at) > 2:
            result += [(file, start, end) for start, end in zip(at, at[1:])]
    return result


def _scans(found, options):
    """Return the scans of files by their URIs."""
    if options.record_starts is not None:
        return options.record_starts
    work = spans(found, options)
    scans = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda it: scan(*it, options), work)
        for (file, *_), result in zip(work, results):
            scans.setdefault(file.uri, []).append(result)
    return scans


def find_ranges(found, options):
    """Return the ranges of files."""
    scans = _scans(found, options) if options.format == "csv" and options.multi_line else {}
    result = []
    for file in found:
        at = offsets(file, options)
        if file.uri in scans and len(at) > 2:
            result += record_ranges(file, scans[file.uri])
        elif options.format == "csv" and options.multi_line and len(at) > 2:
            raise ValueError(f"{file.uri}: recordStarts was made for other files")
        else:
            result += [Range(file, start, end) for start, end in zip(at, at[1:])]
    return result


def find_partitions(options):
    """Return the partitions of the files. Small files are read by one task, as by Spark."""
    found = files.find(options.paths, options.filesystem, is_recursive=options.is_recursive)
    partitions, current, size = [], [], 0
    for it in sorted(find_ranges(found, options), key=lambda it: it.start - it.end):
        length = it.end - it.start
        if current and size + length > options.max_partition_bytes:
            partitions.append(current)
            current, size = [], 0
        current.append(it)
        size += length + options.open_cost
    if current:
        partitions.append(current)
    return [Partition(index, ranges) for index, ranges in enumerate(partitions)]
