"""Codecs for ``codecs.lookup("charpipe:LABEL")``, with all error handlers of Python."""

import codecs

from ._charpipe import DecoderState, EncoderState, lookup

_PREFIX = "charpipe_"
_VENDORS = ("whatwg", "glibc", "libiconv")


def _decode(decoder, label, data, errors, final):
    """Decode, and return the text and the number of bytes read."""
    text, position, error = decoder.decode(data, 0, final)
    if error is None:
        return text, position
    handler = codecs.lookup_error(errors)
    parts = [text]
    while error is not None:
        start, end, reason = error
        # At the end of the input something may be missing.
        if start == end:
            start = max(end - 1, 0)
        exception = UnicodeDecodeError(label, data, start, end, reason)
        replacement, position = handler(exception)
        parts.append(replacement)
        if position == end:
            decoder.resume()
        text, position, error = decoder.decode(data, position, final)
        parts.append(text)
    return "".join(parts), position


def _encode(encoder, label, text, errors, final):
    """Encode, and return the bytes and the number of characters read."""
    data, position, error = encoder.encode(text, final)
    if error is None:
        return data, position
    handler = codecs.lookup_error(errors)
    parts = [data]
    offset = 0
    while error is not None:
        start, end, reason = error
        exception = UnicodeEncodeError(label, text, offset + start, offset + end, reason)
        replacement, position = handler(exception)
        if isinstance(replacement, bytes):
            parts.append(replacement)
        else:
            data, _, second = encoder.encode(replacement, False)
            if second is not None:
                raise exception
            parts.append(data)
        offset = position
        data, read, error = encoder.encode(text[offset:], final)
        parts.append(data)
    return b"".join(parts), offset + read


class _Codec(codecs.Codec):
    label = None

    def encode(self, input, errors="strict"):
        return _encode(EncoderState(self.label), self.label, input, errors, True)[0], len(input)

    def decode(self, input, errors="strict"):
        data = bytes(input)
        return _decode(DecoderState(self.label), self.label, data, errors, True)[0], len(data)


class _IncrementalEncoder(codecs.IncrementalEncoder):
    label = None

    def __init__(self, errors="strict"):
        super().__init__(errors)
        self._encoder = EncoderState(self.label)
        self._pending = ""

    def encode(self, input, final=False):
        text = self._pending + input
        data, read = _encode(self._encoder, self.label, text, self.errors, final)
        self._pending = text[read:]
        return data

    def reset(self):
        self._pending = ""
        self._encoder.set_state(0)

    def getstate(self):
        return 2 * self._encoder.state() if self._pending == "" else 1

    def setstate(self, state):
        self._pending = ""
        self._encoder.set_state(state // 2)


class _IncrementalDecoder(codecs.BufferedIncrementalDecoder):
    label = None

    def __init__(self, errors="strict"):
        super().__init__(errors)
        self._decoder = DecoderState(self.label)

    def _buffer_decode(self, input, errors, final):
        return _decode(self._decoder, self.label, bytes(input), errors, final)

    def reset(self):
        super().reset()
        self._decoder.set_state(0)

    def getstate(self):
        return self.buffer, self._decoder.state()

    def setstate(self, state):
        self.buffer, number = state
        self._decoder.set_state(number)


def _label(name):
    """Return the label that Python has normalized to ``name``, which has no prefix."""
    for vendor in _VENDORS:
        if name.startswith(vendor + "_"):
            name = vendor + ":" + name[len(vendor) + 1 :]
    return name


def _search(name):
    name = name.replace(":", "_")
    if not name.startswith(_PREFIX):
        return None
    label = _label(name[len(_PREFIX) :])
    try:
        lookup(label)
        DecoderState(label)
    except (LookupError, ValueError):
        return None
    attributes = {"label": label}
    codec = type("Codec", (_Codec,), attributes)
    return codecs.CodecInfo(
        name="charpipe:" + label,
        encode=codec().encode,
        decode=codec().decode,
        incrementalencoder=type("IncrementalEncoder", (_IncrementalEncoder,), attributes),
        incrementaldecoder=type("IncrementalDecoder", (_IncrementalDecoder,), attributes),
        streamreader=type("StreamReader", (codec, codecs.StreamReader), attributes),
        streamwriter=type("StreamWriter", (codec, codecs.StreamWriter), attributes),
    )


def register():
    codecs.register(_search)
