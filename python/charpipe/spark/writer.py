"""The writer: from batches of Arrow to files in any encoding."""

from __future__ import annotations

import io
import json
import posixpath
import uuid
from dataclasses import dataclass
from typing import Optional

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from pyspark.sql import types
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from .._charpipe import Converter
from . import files

_SUFFIXES = {"none": "", "gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst"}
_EXTENSIONS = {"csv": "csv", "jsonl": "json", "lines": "txt", "text": "txt"}


@dataclass
class Written(WriterCommitMessage):
    """The file that a task has written under a temporary name, or ``None`` for no rows."""

    name: Optional[str]


class Writer(DataSourceArrowWriter):
    """Writes one file for each task. Files get their names when all tasks have succeeded."""

    def __init__(self, schema, overwrite, options):
        (self.uri,) = options.paths
        self.uri = options.absolute(self.uri)
        self.schema = schema
        self.overwrite = overwrite
        self.options = options
        self.job = uuid.uuid4().hex
        _formatter(schema, options)
        # Unknown names are errors before tasks start.
        Converter("utf-8", options.encoding, options.on_unmappable)

    def write(self, iterator):
        from pyspark import TaskContext

        options = self.options
        format_batch = _formatter(self.schema, options)
        file_system, directory = files.resolve(self.uri, options.filesystem)
        file_system.create_dir(f"{directory}/_temporary-{self.job}", recursive=True)
        context = TaskContext.get()
        partition = context.partitionId() if context else 0
        suffix = _EXTENSIONS[options.format] + _SUFFIXES[options.compression]
        name = f"part-{partition:05}-{self.job}-{uuid.uuid4().hex}.{suffix}"
        converter = Converter("utf-8", options.encoding, options.on_unmappable)
        output, is_first = None, True
        try:
            for batch in iterator:
                if not batch.num_rows:
                    continue
                if output is None:
                    target = f"{directory}/_temporary-{self.job}/{name}"
                    output = file_system.open_output_stream(target, compression=_codec(options))
                output.write(converter.convert(self._mapped(format_batch(batch, is_first))))
                is_first = False
            if output is None:
                return Written(None)
            output.write(converter.convert(b"", final=True))
        finally:
            if output is not None:
                output.close()
        return Written(name)

    def _mapped(self, text):
        return text.replace(b"\n", "\x85".encode()) if self.options.maps_next_line else text

    def commit(self, messages):
        file_system, directory = files.resolve(self.uri, self.options.filesystem)
        temporary = f"{directory}/_temporary-{self.job}"
        file_system.create_dir(directory, recursive=True)
        if self.overwrite:
            selector = pa.fs.FileSelector(directory)
            for info in file_system.get_file_info(selector):
                if info.path.rstrip("/") == temporary:
                    continue
                if info.type == pa.fs.FileType.Directory:
                    file_system.delete_dir(info.path)
                else:
                    file_system.delete_file(info.path)
        for message in messages:
            if message is not None and message.name is not None:
                file_system.move(f"{temporary}/{message.name}", posixpath.join(directory, message.name))
        self._remove_temporary(file_system, temporary)
        with file_system.open_output_stream(f"{directory}/_SUCCESS"):
            pass

    def abort(self, messages):
        file_system, directory = files.resolve(self.uri, self.options.filesystem)
        self._remove_temporary(file_system, f"{directory}/_temporary-{self.job}")

    def _remove_temporary(self, file_system, path):
        (info,) = file_system.get_file_info([path])
        if info.type == pa.fs.FileType.Directory:
            file_system.delete_dir(path)


def _codec(options):
    return {"none": None, "gzip": "gzip", "bzip2": "bz2", "zstd": "zstd"}[options.compression]


def _formatter(schema, options):
    """Return a function from a batch, and whether it is the first one, to UTF-8."""
    if options.format == "csv":
        return _csv_formatter(schema, options)
    if options.format == "jsonl":
        names = schema.fieldNames()
        return lambda batch, _: b"".join(
            json.dumps(
                {name: value for name, value in zip(names, row.values()) if value is not None},
                ensure_ascii=False,
                default=str,
            ).encode()
            + b"\n"
            for row in batch.to_pylist()
        )
    if [type(field.dataType) for field in schema.fields] != [types.StringType]:
        raise ValueError(f"format {options.format}: one column of type STRING is required")
    return lambda batch, _: b"".join((value or "").encode() + b"\n" for value in batch.column(0).to_pylist())


def _csv_formatter(schema, options):
    if (options.separator, options.quote) == (None, None) or options.quote is None:
        raise ValueError("a separator and a quote are required to write CSV")
    for field in schema.fields:
        if isinstance(field.dataType, (types.ArrayType, types.MapType, types.StructType, types.BinaryType)):
            raise ValueError(f"column {field.name}: CSV has no values of the type {field.dataType.simpleString()}")
    syntax = (chr(options.separator), chr(options.quote), chr(options.escape or options.quote))
    special = "[" + "".join("\\" + char for char in {*syntax[:2]}) + "\r\n]"

    def quoted(array):
        """Return the texts of a column, in quotes where that is necessary."""
        separator, quote, escape = syntax
        text = array if pa.types.is_string(array.type) else _texts(array, options)
        escaped = text
        if escape != quote:
            escaped = pc.replace_substring(escaped, escape, escape + escape)
        escaped = pc.replace_substring(escaped, quote, escape + quote)
        escaped = pc.binary_join_element_wise(quote, escaped, quote, "")
        empty = options.empty_value or quote + quote
        text = pc.if_else(pc.match_substring_regex(text, special), escaped, text)
        text = pc.if_else(pc.equal(pc.binary_length(text), 0), empty, text)
        return pc.fill_null(text, options.null_value)

    def format_batch(batch, is_first):
        separator = syntax[0]
        lines = []
        if is_first and options.header:
            names = [quoted(pa.array([name]))[0].as_py() for name in schema.fieldNames()]
            lines.append(separator.join(names))
        joined = pc.binary_join_element_wise(*(quoted(column) for column in batch.columns), separator)
        lines += joined.to_pylist()
        return "\n".join([*lines, ""]).encode()

    return format_batch


def _texts(array, options):
    """Return the texts of values, as Spark writes them."""
    if pa.types.is_boolean(array.type):
        return pc.if_else(array, "true", "false")
    if pa.types.is_timestamp(array.type):
        if array.type.tz is None:
            return pc.strftime(array, "%Y-%m-%dT%H:%M:%S")
        if options.time_zone is None:
            raise ValueError("option timeZone is required for TIMESTAMP, such as that of the session")
        local = array.cast(pa.timestamp(array.type.unit, options.time_zone))
        return pc.strftime(local, "%Y-%m-%dT%H:%M:%S%z")
    return array.cast(pa.string())
