import io
from collections.abc import Iterable
from os import PathLike
from typing import BinaryIO, Optional, Protocol, Union, final

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

class _Buffer(Protocol):
    def __buffer__(self, flags: int, /) -> memoryview: ...

_Bytes = Union[bytes, bytearray, memoryview, _Buffer]

class ConversionError(UnicodeError):
    """Input that cannot be converted."""

    offset: int
    line: int
    column: int

@final
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

@final
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

@final
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
    """Open a file in ``encoding`` as a binary file of UTF-8, or of the encoding ``to``.

    With the encodings ``"auto"`` and ``"detect"`` the encoding is determined from the first 64 KiB.
    """

def check(data: _Bytes, encoding: str = "utf-8") -> list[Finding]:
    """Return the violations of an encoding."""

def detect(data: _Bytes) -> list[Detection]:
    """Return the possible encodings of bytes, the most probable first. Empty for binary data."""

@final
class ConvertedRange:
    """The conversion of a range of a file."""

    @property
    def output(self) -> bytes: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def malformed(self) -> int: ...
    @property
    def unmappable(self) -> int: ...
    @property
    def end_state(self) -> str: ...
    @property
    def ends_as_assumed(self) -> bool: ...

def ranges(
    file: Union[str, PathLike[str], BinaryIO, _Bytes],
    encoding: str,
    *,
    to: str = "utf-8",
    size: Optional[int] = None,
    count: Optional[int] = None,
    assume_line_start: bool = False,
) -> list[tuple[int, int]]:
    """Return the ranges of bytes ``(start, end)`` into which a file can be split."""

def convert_range(
    file: Union[str, PathLike[str], BinaryIO, _Bytes],
    start: int,
    end: int,
    from_: str,
    to: str = "utf-8",
    errors: str = "strict",
    *,
    first_line: int = 1,
    start_state: Optional[str] = None,
    assume_line_start: bool = False,
) -> ConvertedRange:
    """Convert a range of a file, whose ends are moved to the next split points."""

def decode_header(header: Union[str, _Bytes]) -> str:
    """Decode header fields of mail (RFC 2047)."""

def lookup(label: str) -> str:
    """Return the name of the encoding with a label."""
