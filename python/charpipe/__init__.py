"""Conversion of text between more than 500 encodings.

Importing the package registers the codecs ``charpipe:LABEL``, as in
``open(path, encoding="charpipe:gb18030")``.
"""

from __future__ import annotations

import builtins
import io
import os

from . import _codec
from ._charpipe import (
    ConversionError,
    ConvertedRange,
    Converter,
    Detection,
    Finding,
    check,
    convert,
    convert_all,
    convert_range,
    decode_header,
    detect,
    lookup,
)
from ._charpipe import is_determined_from_input as _is_determined_from_input
from ._charpipe import ranges as _ranges

__all__ = [
    "ConversionError",
    "ConvertedRange",
    "Converter",
    "Detection",
    "Finding",
    "check",
    "convert",
    "convert_all",
    "convert_range",
    "decode_header",
    "detect",
    "lookup",
    "open",
    "ranges",
]

_READ_SIZE = 256 * 1024

# The number of bytes that an encoding is determined from, as by the command.
_SNIFF_SIZE = 64 * 1024


class _Reader(io.RawIOBase):
    """A binary file of the converted bytes of another one."""

    def __init__(self, file, converter, first_bytes=b""):
        self._file = file
        self._converter = converter
        self._first_bytes = first_bytes
        self._rest = memoryview(b"")

    def readable(self):
        return True

    def readinto(self, buffer):
        while not self._rest and self._converter is not None:
            data = self._first_bytes or self._file.read(_READ_SIZE)
            self._first_bytes = b""
            if data is None:
                return None
            converted = self._converter.convert(data, final=not data)
            if not data:
                self._converter = None
            self._rest = memoryview(converted)
        target = memoryview(buffer).cast("B")
        length = min(len(target), len(self._rest))
        target[:length] = self._rest[:length]
        self._rest = self._rest[length:]
        return length

    def close(self):
        if not self.closed:
            self._file.close()
        super().close()


def _first_bytes(file):
    """Return the bytes that an encoding is determined from, and whether they are all."""
    first_bytes = bytearray()
    while len(first_bytes) < _SNIFF_SIZE:
        data = file.read(_SNIFF_SIZE - len(first_bytes))
        if data is None:
            raise BlockingIOError("an encoding cannot be determined from a non-blocking file")
        if not data:
            return bytes(first_bytes), True
        first_bytes += data
    return bytes(first_bytes), False


def open(file, encoding, errors="strict", *, to="utf-8"):
    """Open a file in ``encoding`` as a binary file of UTF-8, or of the encoding ``to``.

    ``file`` is a path or a binary file, which is closed with the result. With the encodings
    ``"auto"`` and ``"detect"`` the encoding is determined from the first 64 KiB.
    """
    sniff = _is_determined_from_input(encoding)
    # Names are checked before a file is opened.
    converter = Converter("utf-8" if sniff else encoding, to, errors)
    is_path = isinstance(file, (str, bytes, os.PathLike))
    if is_path:
        file = builtins.open(file, "rb", buffering=0)
    elif not hasattr(file, "read"):
        raise TypeError(f"expected a path or a binary file, not {type(file).__name__}")
    try:
        first_bytes = b""
        if sniff:
            first_bytes, is_whole = _first_bytes(file)
            converter = Converter.for_input(first_bytes, is_whole, encoding, to, errors)
        reader = _Reader(file, converter, first_bytes)
    except BaseException:
        if is_path:
            file.close()
        raise
    return io.BufferedReader(reader, buffer_size=_READ_SIZE)


def ranges(file, encoding, *, to="utf-8", size=None, count=None, assume_line_start=False):
    """Return the ranges of bytes ``(start, end)`` into which a file can be split.

    ``file`` is a path, or bytes. Each range can be converted by itself with ``convert_range``: the
    joined results are the conversion of the whole. They are near ``size`` bytes long, or near
    ``count`` in number, and only at positions where the encodings allow it, such as line feeds.
    With ``assume_line_start`` also after line feeds where the state of the decoder must be
    verified: ``ConvertedRange.ends_as_assumed``.
    """
    if (size is None) == (count is None):
        raise TypeError("either size or count is required")
    if (size if count is None else count) < 1:
        raise ValueError("size and count must be positive")
    return _ranges(file, encoding, to, size, count, assume_line_start)


_codec.register()
