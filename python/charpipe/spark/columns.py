"""Columns of text as columns of Spark's types, by the rules of Spark's reader of CSV."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import zoneinfo

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types

_INTEGERS = {
    types.ByteType: (pa.int8(), 8),
    types.ShortType: (pa.int16(), 16),
    types.IntegerType: (pa.int32(), 32),
    types.LongType: (pa.int64(), 64),
}
_DATE = re.compile(r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[ T].*)?")
_TIMESTAMP = re.compile(
    r"([+-]?\d{4,6})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?\s*(\S.*)?"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def column_of(records, index):
    """Return a column of the extension as an array of strings."""
    bits, ends, values = records.column(index)
    buffers = [None if bits is None else pa.py_buffer(bits), pa.py_buffer(ends), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.string(), records.count, buffers)


def converter(field, time_zone):
    """Return a function for a field of a schema: from strings to values and the indexes of invalid ones."""
    kind = field.dataType
    if isinstance(kind, types.StringType):
        return lambda array: (array, [])
    if isinstance(kind, types.BinaryType):
        return lambda array: (array.cast(pa.binary()), [])
    if type(kind) in _INTEGERS:
        return _Integers(*_INTEGERS[type(kind)])
    if isinstance(kind, (types.DoubleType, types.FloatType)):
        return _Floats(pa.float64() if isinstance(kind, types.DoubleType) else pa.float32())
    if isinstance(kind, types.DecimalType):
        return _Decimals(kind.precision, kind.scale)
    if isinstance(kind, types.BooleanType):
        return _Booleans(pa.bool_())
    if isinstance(kind, types.DateType):
        return _Dates(pa.date32())
    if isinstance(kind, types.TimestampNTZType):
        return _Timestamps(pa.timestamp("us"), None)
    if isinstance(kind, types.TimestampType):
        if time_zone is None:
            raise ValueError(
                f"column {field.name}: option timeZone is required for TIMESTAMP, such as the value of "
                "spark.sql.session.timeZone"
            )
        return _Timestamps(pa.timestamp("us", tz="UTC"), zoneinfo.ZoneInfo(time_zone))
    raise ValueError(f"column {field.name}: CSV has no values of the type {kind.simpleString()}")


class _Converter:
    """Converts a column at once, or value by value if Arrow accepts other texts than Spark."""

    def __init__(self, type):
        self.type = type

    def __call__(self, array):
        try:
            values = self.cast(array)
        except pa.ArrowInvalid:
            values = None
        if values is not None:
            return values, []
        values, invalid = [], []
        for index, text in enumerate(array.to_pylist()):
            try:
                values.append(None if text is None else self.parse(text))
            except (ValueError, OverflowError, decimal.InvalidOperation, KeyError):
                values.append(None)
                invalid.append(index)
        return pa.array(values, self.type), invalid


class _Integers(_Converter):
    def __init__(self, type, bits):
        super().__init__(type)
        self.limit = 1 << (bits - 1)

    def cast(self, array):
        # Arrow reads hexadecimal numbers.
        digits = array.buffers()[2]
        digits = b"" if digits is None else digits.to_pybytes()
        if b"x" in digits or b"X" in digits:
            return None
        return array.cast(self.type)

    def parse(self, text):
        if not re.fullmatch(r"[+-]?\d+", text):
            raise ValueError(text)
        value = int(text)
        if not -self.limit <= value < self.limit:
            raise OverflowError(text)
        return value


class _Floats(_Converter):
    def cast(self, array):
        values = array.cast(self.type)
        # Arrow reads "nan" and "inf" in any case.
        return values if pc.all(pc.is_finite(values)).as_py() is not False else None

    def parse(self, text):
        special = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}
        if text in special:
            return special[text]
        text = text.strip()
        if re.fullmatch(r"[+-]?Infinity", text):
            return float(text)
        if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F.]+[pP][+-]?\d+[dDfF]?", text):
            return float.fromhex(text.rstrip("dDfF"))
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?", text):
            raise ValueError(text)
        return float(text.rstrip("dDfF"))


class _Decimals(_Converter):
    def __init__(self, precision, scale):
        super().__init__(pa.decimal128(precision, scale))
        self.unit = decimal.Decimal(1).scaleb(-scale)
        self.context = decimal.Context(prec=precision, rounding=decimal.ROUND_HALF_UP)

    def cast(self, array):
        return array.cast(self.type)

    def parse(self, text):
        if text != text.strip() or "_" in text:
            raise ValueError(text)
        value = decimal.Decimal(text)
        if not value.is_finite():
            raise ValueError(text)
        return value.quantize(self.unit, context=self.context)


class _Booleans(_Converter):
    def cast(self, array):
        lower = pc.utf8_lower(array)
        is_true = pc.equal(lower, "true")
        is_valid = pc.all(pc.or_(is_true, pc.equal(lower, "false")))
        return is_true if is_valid.as_py() is not False else None

    def parse(self, text):
        return {"true": True, "false": False}[text.lower()]


class _Dates(_Converter):
    def cast(self, array):
        return array.cast(self.type)

    def parse(self, text):
        match = _DATE.fullmatch(text.strip())
        if match is None:
            raise ValueError(text)
        return datetime.date(*(int(part or 1) for part in match.groups()))


class _Timestamps(_Converter):
    def __init__(self, type, zone):
        super().__init__(type)
        self.zone = zone

    def cast(self, array):
        # Texts with a zone are not accepted here, nor are texts that name an hour without minutes.
        values = array.cast(pa.timestamp("us"))
        lengths = pc.utf8_length(array)
        if pc.any(pc.equal(lengths, 13)).as_py():
            return None
        if self.zone is None:
            return values
        try:
            zoned = pc.assume_timezone(values, self.zone.key, ambiguous="earliest", nonexistent="raise")
        except pa.ArrowInvalid:
            return None
        return zoned.cast(self.type)

    def parse(self, text):
        match = _TIMESTAMP.fullmatch(text.strip())
        if match is None:
            raise ValueError(text)
        *numbers, fraction, zone = match.groups()
        micros = int((fraction or "0")[:6].ljust(6, "0"))
        value = datetime.datetime(*(int(number or 0) for number in numbers), micros)
        if self.zone is None:
            if zone:
                raise ValueError(text)
            return value
        value = value.replace(tzinfo=_zone(zone) if zone else self.zone)
        return (value - _EPOCH) // datetime.timedelta(microseconds=1)


def _zone(text):
    if text in ("Z", "UTC", "GMT"):
        return datetime.timezone.utc
    match = _OFFSET.fullmatch(text)
    if match is None:
        return zoneinfo.ZoneInfo(text)
    sign, hours, minutes = match.groups()
    delta = datetime.timedelta(hours=int(hours), minutes=int(minutes or 0))
    return datetime.timezone(-delta if sign == "-" else delta)


def infer(array):
    """Return the type of a column of a sample, in the order in which Spark tries them."""
    if array.null_count == len(array):
        return types.StringType()
    candidates = [
        types.IntegerType(),
        types.LongType(),
        types.DoubleType(),
        types.DateType(),
        types.TimestampNTZType(),
        types.BooleanType(),
    ]
    for kind in candidates:
        convert = converter(types.StructField("sample", kind), None)
        if isinstance(kind, types.DateType) and not _are_dates(array):
            continue
        _, invalid = convert(array)
        if not invalid:
            return kind
    return types.StringType()


def _are_dates(array):
    """Whether all values have the format yyyy-MM-dd."""
    return pc.all(pc.match_substring_regex(array, r"^\d{4}-\d{2}-\d{2}$")).as_py()


def safe_header(names):
    """Return names of columns as Spark makes them of a header."""
    lower = [name.lower() if name else None for name in names]
    return [
        f"_c{index}" if not name else f"{name}{index}" if lower.count(name.lower()) > 1 else name
        for index, name in enumerate(names)
    ]
