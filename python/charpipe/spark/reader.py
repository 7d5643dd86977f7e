"""The reader: from ranges of files to batches of Arrow."""

from __future__ import annotations

import copy
import io
import json

import pyarrow as pa
import pyarrow.json
from pyspark.sql import types
from pyspark.sql.datasource import DataSourceReader
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from .._charpipe import RecordReader, csv_fields
from . import columns, files, partitions
from .reports import Report

# The number of bytes that are read at a time. Remote files are read in larger blocks, each of which is a request.
_BLOCK = 1 << 20
_REMOTE_BLOCK = 8 << 20
# The number of bytes after a range that are read at a time to complete its last record.
_TAIL = 64 << 10

# The number of records from which a schema is inferred, at most.
_SAMPLE = 10_000


class FormatError(ValueError):
    """A malformed record or character, in the mode FAILFAST."""


def _open(range, options):
    """Return a binary file of the decompressed bytes, and its size, or ``None`` if that is unknown."""
    if range.file.codec is None:
        return files.open_file(range.file, options.filesystem), range.file.size
    return files.open_decompressed(range.file, options.filesystem), None


def blocks(file, size, end, block_size):
    """Yield blocks of a file up to ``end`` and then beyond, each with whether it ends at ``end`` and at the end of
    the file. The last one may be empty."""
    position = file.tell() if size is not None else 0
    end = size if end is None else end
    if position == end:
        yield b"", True, position == size
    while True:
        length = block_size if end is None else min(block_size, end - position) if position < end else _TAIL
        block = file.read(length)
        if not block and end is not None and position < end:
            raise EOFError("the file became shorter")
        position += len(block)
        is_file_end = not block or position == size
        yield block, position == end, is_file_end
        if is_file_end:
            return


class RangeReader:
    """Reads the records of a range."""

    def __init__(self, range, options, column_count, max_errors):
        self.range = range
        self.options = options
        self.column_count = column_count
        self.max_errors = max_errors
        self.reader = None

    def __iter__(self):
        """Yield the records in blocks."""
        options, range = self.options, self.range
        opened, size = _open(range, options)
        with opened:
            if size is None:
                start, skip, end, rest = 0, 0, None, 0
            else:
                # Boundaries that are not known are those of lines.
                (start, skip), (end, rest) = (
                    boundary or partitions.boundary(range.file, offset, options, opened)
                    for boundary, offset in ((range.first_record, range.start), (range.next_record, range.end))
                )
                if (start, skip) == (end, rest) and size > 0:
                    return
            is_csv = options.format == "csv"
            syntax = options.csv_syntax if is_csv else {}
            self.reader = RecordReader(
                b"" if start == 0 else opened,
                start,
                options.encoding,
                skip=skip,
                skip_records=1 if is_csv and options.header and (start, skip) == (0, 0) else 0,
                max_errors=self.max_errors,
                maps_next_line=options.maps_next_line,
                format=options.format,
                column_count=self.column_count,
                multi_line=options.multi_line,
                comment=options.comment,
                null_value=options.null_value,
                empty_value=options.empty_value,
                **syntax,
            )
            if size is not None:
                opened.seek(start)
            block_size = _BLOCK if range.file.is_local else _REMOTE_BLOCK
            for block, is_range_end, is_file_end in blocks(opened, size, end, block_size):
                yield self.reader.read(block, is_file_end, rest if is_range_end else None)
                if self.reader.is_finished:
                    return


class Reader(DataSourceReader):
    """Reads partitions."""

    def __init__(self, schema, options):
        self.schema = schema
        self.options = options
        self.arrow_schema = to_arrow_schema(schema, timezone="UTC")
        names = schema.fieldNames()
        self.fields = [field for field in schema.fields if field.name != options.corrupt_record]
        self.has_corrupt_record = len(self.fields) < len(names)
        # Checked before tasks start.
        self._converters()

    def partitions(self):
        return partitions.find_partitions(self.options)

    def read(self, partition):
        if not isinstance(partition, partitions.Partition):
            return
        report = Report(partition, self.options) if self.options.errors else None
        for range in partition.ranges:
            totals = {"records": 0, "lines": 0, "malformed": 0, "malformed_records": 0}
            errors = []
            for batch in self._read_range(range, totals, errors):
                yield batch
            if report:
                report.add(range, totals, errors)
        if report:
            report.write()

    def _read_range(self, range, totals, errors):
        options = self.options
        max_errors = options.max_errors if options.errors else 1
        is_csv = options.format == "csv"
        source = RangeReader(range, options, len(self.fields) if is_csv else 0, max_errors)
        convert = self._converters()
        try:
            for records in source:
                invalid = {}
                arrays = convert(records, invalid, range)
                damaged = sorted({*records.damaged, *invalid})
                found = [(line, byte, message) for byte, line, message in records.errors]
                for index in sorted(invalid)[: max(max_errors - len(errors), 0)]:
                    byte, line = source.reader.position(records, index)
                    found.append((line, byte, invalid[index]))
                found.sort(key=lambda error: error[1])
                if found and options.mode == "FAILFAST":
                    line, byte, message = found[0]
                    raise FormatError(f"byte {byte}, line {line + 1} of the range: {message}")
                errors += found[: max_errors - len(errors)]
                totals["lines"] = records.lines
                totals["malformed"] += records.malformed
                totals["malformed_records"] += records.malformed_records + len(invalid)
                batch = self._batch(records, arrays, damaged)
                totals["records"] += batch.num_rows
                if batch.num_rows:
                    yield batch
        except (FormatError, EOFError) as error:
            raise type(error)(f"{range.file.uri}: {error}") from None

    def _batch(self, records, arrays, damaged):
        """Return the batch of columns, with the column of malformed records."""
        if self.has_corrupt_record:
            texts = [None] * records.count
            for index in damaged:
                texts[index] = records.text(index)
            texts = pa.array(texts, pa.binary()).cast(pa.string())
            position = self.schema.fieldNames().index(self.options.corrupt_record)
            arrays = [*arrays[:position], texts, *arrays[position:]]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self.arrow_schema) if arrays else None
        if batch is None:
            raise ValueError("the schema has no columns")
        if self.options.mode == "DROPMALFORMED" and damaged:
            kept = [True] * records.count
            for index in damaged:
                kept[index] = False
            batch = batch.filter(pa.array(kept))
        return batch

    def _converters(self):
        """Return a function from records to columns."""
        if self.options.format == "csv":
            converters = [columns.converter(field, self.options.time_zone) for field in self.fields]
            return lambda *args: _csv_columns(self.fields, converters, *args)
        if self.options.format == "jsonl":
            return _JsonColumns(self.fields)
        names = [field.name for field in self.fields]
        allowed = ["path", "value"] if self.options.format == "text" else ["value"]
        if not set(names) <= set(allowed) or any(field.dataType != types.StringType() for field in self.fields):
            raise ValueError(f"format {self.options.format}: the schema is {', '.join(allowed)} of type STRING")

        def convert(records, _, range):
            return [
                columns.column_of(records, 0)
                if name == "value"
                else pa.repeat(pa.scalar(range.file.uri), records.count)
                for name in names
            ]

        return convert


def _csv_columns(fields, converters, records, invalid, _):
    arrays = []
    for index, (field, convert) in enumerate(zip(fields, converters)):
        array, wrong = convert(columns.column_of(records, index))
        arrays.append(array)
        for row in wrong:
            invalid.setdefault(row, f"column {field.name}: not of the type {field.dataType.simpleString()}")
    return arrays


class _JsonColumns:
    """Objects of JSON, one in each line."""

    def __init__(self, fields):
        for field in fields:
            if "timestamp" in field.dataType.simpleString().replace("timestamp_ntz", ""):
                raise ValueError(f"column {field.name}: read TIMESTAMP as STRING and use to_timestamp")
        self.schema = to_arrow_schema(types.StructType(fields), timezone="UTC")
        self.options = pa.json.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior="ignore")

    def __call__(self, records, invalid, _):
        lines = columns.column_of(records, 0)
        if not len(lines):
            return [pa.array([], field.type) for field in self.schema]
        text = b"\n".join(line.as_buffer() for line in lines)
        try:
            table = pa.json.read_json(io.BytesIO(text), parse_options=self.options)
        except pa.ArrowInvalid:
            table = None
        if table is not None and table.num_rows == len(lines):
            table = table.select(self.schema.names).cast(self.schema)
            return [column.combine_chunks() for column in table.columns]
        values = [self._parse(line, index, invalid) for index, line in enumerate(lines.to_pylist())]
        return [pa.array([row[i] for row in values], field.type) for i, field in enumerate(self.schema)]

    def _parse(self, line, index, invalid):
        nothing = [None] * len(self.schema)
        try:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise ValueError("not an object")
        except ValueError as error:
            invalid[index] = f"invalid JSON: {error}"
            return nothing
        row = []
        for field in self.schema:
            item = value.get(field.name)
            if pa.types.is_string(field.type) and item is not None and not isinstance(item, str):
                item = json.dumps(item, ensure_ascii=False)
            try:
                pa.scalar(item, field.type)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                invalid[index] = f"field {field.name}: not of the type {field.type}"
                item = None
            row.append(item)
        return row


def infer_schema(options):
    """Return the schema of the files: from the names in the first one's header, and a sample of its values."""
    string = types.StringType()
    if options.format == "lines":
        return types.StructType([types.StructField("value", string)])
    if options.format == "text":
        return types.StructType([types.StructField("path", string), types.StructField("value", string)])
    found = files.find(options.paths, options.filesystem, is_recursive=options.is_recursive)
    file = next((file for file in found if file.size), None)
    if file is None:
        raise ValueError("the schema cannot be inferred from empty files")
    sample = _sample(file, options)
    if options.format == "jsonl":
        return _json_schema(sample)
    first = csv_fields(sample[0], multi_line=options.multi_line, null_value=options.null_value, **options.csv_syntax)
    names = columns.safe_header(first) if options.header else [f"_c{index}" for index in range(len(first))]
    kinds = [string] * len(names)
    if options.infers_schema:
        source = RangeReader(partitions.Range(file, 0, file.size), options, len(names), 0)
        records = next(iter(source))
        arrays = [columns.column_of(records, index).slice(0, _SAMPLE) for index in range(len(names))]
        kinds = [columns.infer(array) for array in arrays]
    return types.StructType([types.StructField(*it) for it in zip(names, kinds)])


def _sample(file, options):
    """Return the texts of the first records of a file, with the header."""
    with_header = copy.copy(options)
    with_header.header = False
    for records in RangeReader(partitions.Range(file, 0, file.size), with_header, 1, 0):
        if records.count:
            return [records.text(index) for index in range(min(records.count, _SAMPLE))]
    raise ValueError(f"{file.uri}: the schema cannot be inferred, because there are no records")


def _json_schema(lines):
    values = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            values.append(value)
    names = list(dict.fromkeys(name for value in values for name in value))
    if not names:
        raise ValueError("the schema cannot be inferred: there are no objects of JSON")
    fields = [pa.field(name, pa.array([value.get(name) for value in values]).type) for name in names]
    fields = [field if field.type != pa.null() else pa.field(field.name, pa.string()) for field in fields]
    return from_arrow_schema(pa.schema(fields))
