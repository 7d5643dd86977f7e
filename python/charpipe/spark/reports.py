"""The side table of errors: what each task found, as lines of JSON."""

from __future__ import annotations

import json
import uuid

import pyarrow.fs

from . import files

_SCHEMA = (
    "kind string, file string, start long, end long, records long, lines long, malformed long, "
    "malformed_records long, line long, byte long, message string"
)


class Report:
    """What was found in the ranges of a partition. A task that runs again writes the same file."""

    def __init__(self, partition, options):
        self._index = partition.index
        self._options = options
        self._lines = []

    def add(self, range, totals, errors):
        """Add a range with its numbers and its first errors."""
        common = {"file": range.file.uri, "start": range.start}
        self._lines.append({"kind": "range", **common, "end": range.end, **totals})
        for line, byte, message in errors:
            self._lines.append({"kind": "error", **common, "line": line, "byte": byte, "message": message})

    def write(self):
        """Write the file, so that it appears as a whole."""
        file_system, directory = files.resolve(self._options.errors, self._options.filesystem)
        file_system.create_dir(directory, recursive=True)
        name = f"part-{self._index:05}.json"
        temporary = f"{directory}/.{name}.{uuid.uuid4().hex}"
        with file_system.open_output_stream(temporary) as output:
            for line in self._lines:
                output.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        _replace(file_system, temporary, f"{directory}/{name}")


def _replace(file_system, source, target):
    try:
        file_system.move(source, target)
    except OSError:
        # Some file systems do not replace files. Another attempt of the task has written the same.
        if file_system.get_file_info([target])[0].type == pyarrow.fs.FileType.NotFound:
            raise
        file_system.delete_file(source)


def _ranges_with_lines(spark, path, options):
    from pyspark.sql import Window, functions

    reader = spark.read.format("charpipe").options(format="jsonl", **options)
    # A file that was given twice is in the table once.
    table = reader.schema(_SCHEMA).load(path).distinct()
    before = Window.partitionBy("file").orderBy("start", "end").rowsBetween(Window.unboundedPreceding, -1)
    lines = functions.coalesce(functions.sum("lines").over(before), functions.lit(0))
    return table, table.where("kind = 'range'").withColumn("first_line", lines)


def errors(spark, path, **options):
    """Return the table of errors that reads with the option ``errors`` have written.

    The columns are ``file``, ``line`` and ``byte``, which are those in the whole file, and ``message``. ``options`` are
    those of the file system.
    """
    table, ranges = _ranges_with_lines(spark, path, options)
    ranges = ranges.where("end > start").select("file", "start", "first_line")
    found = table.where("kind = 'error'").join(ranges, ["file", "start"])
    return found.selectExpr("file", "first_line + line + 1 AS line", "byte", "message")


def metrics(spark, path, **options):
    """Return, for each file, the number of records, lines, malformed sequences and malformed records."""
    from pyspark.sql import functions

    _, ranges = _ranges_with_lines(spark, path, options)
    names = ("records", "lines", "malformed", "malformed_records")
    return ranges.groupBy("file").agg(*(functions.sum(name).alias(name) for name in names))
