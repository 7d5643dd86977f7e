import io
from collections.abc import Iterable
from os import PathLike
from typing import BinaryIO, Optional, Protocol, Union

class _Buffer(Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...

_Bytes = Union[bytes, bytearray, memoryview, _Buffer]

class ConversionError(UnicodeError):
    """Input that cannot be converted."""

    offset: int
    line: int
    column: int

class Finding:
    """A violation that ``check`` found."""

    @property
    def offset(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def rule(self) -> str: ...
    @property
    def message(self) -> str: ...

class Detection:
    """A possible encoding that ``detect`` found."""

    @property
    def encoding(self) -> str: ...
    @property
    def confidence(self) -> str: ...
    @property
    def probability(self) -> float: ...
    @property
    def language(self) -> Optional[str]: ...

class Converter:
    """Converts bytes that arrive in parts."""

    def __new__(cls, from_: str, to: str = "utf-8", errors: str = "strict") -> Converter: ...
    def convert(self, data: _Bytes, final: bool = False) -> bytes: ...

def convert(data: _Bytes, from_: str, to: str = "utf-8", errors: str = "strict") -> bytes:
    """Convert bytes from one encoding to another, without the GIL."""

def convert_all(
    values: Iterable[Optional[_Bytes]], from_: str, to: str = "utf-8", errors: str = "strict"
) -> list[Optional[bytes]]:
    """Convert each of the values. ``None`` remains ``None``."""

def open(
    file: Union[str, bytes, PathLike[str], PathLike[bytes], BinaryIO],
    encoding: str,
    errors: str = "strict",
    *,
    to: str = "utf-8",
) -> io.BufferedReader:
    """Open a file in ``encoding`` as a binary file of UTF-8, or of the encoding ``to``."""

def check(data: _Bytes, encoding: str = "utf-8") -> list[Finding]:
    """Return the violations of an encoding."""

def detect(data: _Bytes) -> list[Detection]:
    """Return the possible encodings of bytes, the most probable first. Empty for binary data."""

def ranges(
    file: Union[str, PathLike[str], _Bytes],
    encoding: str,
    *,
    size: Optional[int] = None,
    count: Optional[int] = None,
) -> list[tuple[int, int]]:
    """Return the ranges of bytes ``(start, end)`` into which a file can be split."""

def decode_header(header: Union[str, _Bytes]) -> str:
    """Decode header fields of mail (RFC 2047)."""

def lookup(label: str) -> str:
    """Return the name of the encoding with a label."""
