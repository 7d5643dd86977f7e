"""Options of the data source. Names are those of Spark's readers where the meaning is the same."""

from __future__ import annotations

import json
import os

from .._charpipe import lookup
from . import files

FORMATS = ("csv", "text", "lines", "jsonl")
MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

_COMMON = {"path", "paths", "encoding", "format", "filesystem", "linesep", *files.S3A_NAMES}
_READER = {
    "mode",
    "columnnameofcorruptrecord",
    "errors",
    "maxerrors",
    "maxpartitionbytes",
    "opencostinbytes",
    "recursivefilelookup",
}
_CSV = {"sep", "quote", "escape", "header", "nullvalue", "emptyvalue", "timezone"}
_CSV_READER = {"comment", "multiline", "inferschema", "recordstarts"}
_WRITER = {"compression", "onunmappable"}


class OptionError(ValueError):
    """An option that is unknown, or whose value is invalid."""


class Options:
    """The values of the options, checked."""

    def __init__(self, options, *, is_writer=False):
        self._options = {key.lower(): str(value) for key, value in options.items()}
        self.format = self._one_of("format", "lines", FORMATS)
        known = _COMMON | (_WRITER if is_writer else _READER)
        if self.format == "csv":
            known = known | _CSV | (set() if is_writer else _CSV_READER)
        for name in self._options:
            if name not in known:
                raise OptionError(f"format {self.format}: option {name} is not supported")
        self.encoding = self._options.get("encoding", "utf-8")
        lookup(self.encoding)
        self.paths = self._paths()
        s3a = {name: self._options[name] for name in files.S3A_NAMES if name in self._options}
        fsspec = json.loads(self._options.get("filesystem", "null"))
        self.filesystem = files.Configuration(None if fsspec is None else json.dumps(fsspec), tuple(s3a.items()))
        self.time_zone = self._options.get("timezone")
        self.maps_next_line = self._line_separator()
        self._read_csv()
        if is_writer:
            self.compression = self._one_of("compression", "none", ("none", "gzip", "bzip2", "zstd"))
            self.on_unmappable = self._options.get("onunmappable", "strict")
        else:
            self._read_reader()

    def _read_csv(self):
        self.separator = self._byte("sep", ",")
        self.quote = self._byte("quote", '"')
        self.escape = self._byte("escape", "\\")
        self.comment = self._byte("comment", "")
        self.header = self._flag("header")
        self.multi_line = self._flag("multiline")
        self.null_value = self._options.get("nullvalue", "")
        self.empty_value = self._options.get("emptyvalue", "")
        if self.comment is not None and self.multi_line:
            raise OptionError("comment and multiLine cannot be combined: a comment may contain quotes")

    def _read_reader(self):
        self.mode = self._one_of("mode", "PERMISSIVE", MODES)
        self.corrupt_record = self._options.get("columnnameofcorruptrecord", "_corrupt_record")
        self.errors = self._options.get("errors")
        self.max_errors = int(self._options.get("maxerrors", 1000))
        self.max_partition_bytes = self._size("maxpartitionbytes", "128m")
        self.open_cost = self._size("opencostinbytes", "4m")
        self.is_recursive = self._flag("recursivefilelookup")
        self.infers_schema = self._flag("inferschema")
        self.record_starts = json.loads(self._options.get("recordstarts", "null"))

    def _paths(self):
        if "paths" in self._options:
            return json.loads(self._options["paths"])
        if "path" not in self._options:
            raise OptionError("a path is required")
        return [self._options["path"]]

    def _line_separator(self):
        separator = self._options.get("linesep", "\n")
        if separator not in ("\n", "\x85"):
            raise OptionError("lineSep: only a line feed and U+0085, as in files of EBCDIC, are supported")
        return separator == "\x85"

    def _one_of(self, name, default, values):
        value = self._options.get(name, default)
        for known in values:
            if value.lower() == known.lower():
                return known
        raise OptionError(f"{name}: {value} is not one of {', '.join(values)}")

    def _flag(self, name):
        return self._one_of(name, "false", ("true", "false")) == "true"

    def _byte(self, name, default):
        value = self._options.get(name, default)
        if not value or value == "\0":
            return None
        if len(value) != 1 or ord(value) > 0x7F or value in "\r\n":
            raise OptionError(f"{name}: {value!r} is not one character of ASCII")
        return ord(value)

    def _size(self, name, default):
        text = self._options.get(name, default).lower().removesuffix("b")
        try:
            size = int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)
        except ValueError:
            size = 0
        if size < 1:
            raise OptionError(f"{name}: {text!r} is not a size in bytes")
        return size

    @property
    def csv_syntax(self):
        """The special characters of CSV, for the functions of the extension."""
        return {"separator": self.separator, "quote": self.quote, "escape": self.escape}

    def absolute(self, path):
        """Return a path without a scheme as an absolute one: tasks have other working directories."""
        return path if "://" in path or path.startswith("file:") else os.path.abspath(path)
