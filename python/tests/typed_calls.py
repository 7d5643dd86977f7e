"""Calls whose types mypy and pyright check. Not a test that runs."""

import io
import pathlib
from typing import Optional

import charpipe

converted: bytes = charpipe.convert(b"", "latin1")
converted = charpipe.convert(memoryview(b""), "latin1", "utf-8", errors="replace")
column: list[Optional[bytes]] = charpipe.convert_all([b"", None, bytearray()], "latin1")
converter: charpipe.Converter = charpipe.Converter("latin1")
converted = converter.convert(b"", final=True)
with charpipe.open("in.txt", "latin1") as file:
    converted = file.read()
with charpipe.open(io.BytesIO(), "auto", to="utf-16") as file:
    converted = file.readline()
ranges: list[tuple[int, int]] = charpipe.ranges(pathlib.Path("in.txt"), "gb18030", size=1 << 20)
ranges = charpipe.ranges(io.BytesIO(), "gb18030", count=2)
part: charpipe.ConvertedRange = charpipe.convert_range("in.txt", 0, 1, "gb18030", first_line=3)
state: str = part.end_state
finding: charpipe.Finding = charpipe.check(b"")[0]
position: tuple[int, int, int] = (finding.offset, finding.line, finding.column)
language: Optional[str] = charpipe.detect(b"")[0].language
header: str = charpipe.decode_header(b"")
name: str = charpipe.lookup("latin1")
try:
    charpipe.convert(b"", "utf-8")
except charpipe.ConversionError as error:
    offset: int = error.offset
