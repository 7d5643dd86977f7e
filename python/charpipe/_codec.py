"""Codecs for ``codecs.lookup("charpipe:LABEL")``, with all error handlers of Python."""

import codecs
import io

from ._charpipe import DecoderState, EncoderState, TextCodec, lookup

_PREFIX = "charpipe_"
_VENDORS = ("whatwg", "glibc", "libiconv")


class _IncrementalEncoder(codecs.IncrementalEncoder):
    label = None

    def __init__(self, errors="strict"):
        super().__init__(errors)
        self._encoder = EncoderState(self.label)
        self._pending = ""

    def encode(self, input, final=False):
        text = self._pending + input
        data, read = self._encoder.encode(text, self.errors, final)
        self._pending = text[read:]
        return data

    def reset(self):
        self._pending = ""
        self._encoder.reset()

    # The pending text is above the 32 bits of the state.
    def getstate(self):
        pending = int.from_bytes(self._pending.encode(), "big")
        return pending << 32 | self._encoder.state()

    def setstate(self, state):
        pending = state >> 32
        self._pending = pending.to_bytes((pending.bit_length() + 7) // 8, "big").decode()
        self._encoder.set_state(state & 0xFFFFFFFF)


class _IncrementalDecoder(codecs.BufferedIncrementalDecoder):
    label = None

    def __init__(self, errors="strict"):
        super().__init__(errors)
        self._decoder = DecoderState(self.label)

    def _buffer_decode(self, input, errors, final):
        return self._decoder.decode(input, errors, final)

    def reset(self):
        super().reset()
        self._decoder.set_state(0)

    def getstate(self):
        return self.buffer, self._decoder.state()

    def setstate(self, state):
        buffer, number = state
        if not isinstance(buffer, bytes):
            raise TypeError(f"expected bytes, not {type(buffer).__name__}")
        self._decoder.set_state(number)
        self.buffer = buffer


class _StreamReader(codecs.StreamReader):
    label = None

    def __init__(self, stream, errors="strict"):
        super().__init__(stream, errors)
        self._decoder = DecoderState(self.label)

    def read(self, size=-1, chars=-1, firstline=False):
        return super().read(-1 if size is None else size, chars, firstline)

    def decode(self, input, errors="strict"):
        # A read of no bytes is the end of a file. Other streams, such as queues, may continue.
        final = len(input) == len(self.bytebuffer) and isinstance(self.stream, io.IOBase)
        return self._decoder.decode(input, errors, final)

    def reset(self):
        super().reset()
        self._decoder.set_state(0)


class _StreamWriter(codecs.StreamWriter):
    incremental = None

    def __init__(self, stream, errors="strict"):
        super().__init__(stream, errors)
        self._encoder = self.incremental(errors)
        # The position after what was written, if the encoder must be ended there.
        self._end = None
        if self._position():
            # Nothing precedes what is appended, such as a byte order mark.
            self._encoder.setstate(0)

    def _position(self):
        try:
            file = self.stream
            return file.tell()
        except (AttributeError, OSError):
            return None

    def encode(self, input, errors="strict"):
        self._encoder.errors = errors
        return self._encoder.encode(input), len(input)

    def write(self, object):
        super().write(object)
        self._end = self._position() if self._encoder.getstate() else None

    def _finish(self):
        """Write the end of the text, unless the stream was moved elsewhere."""
        rest = self._encoder.encode("", True)
        if rest and self._end == self._position():
            self.stream.write(rest)

    def reset(self):
        self._finish()
        self._encoder.reset()

    def seek(self, offset, whence=0):
        self._finish()
        self.stream.seek(offset, whence)
        if whence == 0 and offset == 0:
            self._encoder.reset()

    def close(self):
        if not getattr(self.stream, "closed", False):
            self.reset()
        self.stream.close()

    def __exit__(self, type, value, traceback):
        self.close()


def _label(name):
    """Return the label that Python has normalized to ``name``, which has no prefix."""
    for vendor in _VENDORS:
        if name.startswith(vendor + "_"):
            name = vendor + ":" + name[len(vendor) + 1 :]
    return name


def _text_codec(label):
    try:
        lookup(label)
        return TextCodec(label)
    except (LookupError, ValueError):
        return None


def _search(name):
    name = name.replace(":", "_")
    if not name.startswith(_PREFIX):
        return None
    label = _label(name[len(_PREFIX) :])
    codec = _text_codec(label)
    if codec is None:
        # Python has replaced hyphens, which distinguish a few names, such as IBM-420 and IBM420.
        label = label.replace("_", "-")
        codec = _text_codec(label)
    if codec is None:
        return None
    attributes = {"label": label}
    incremental = type("IncrementalEncoder", (_IncrementalEncoder,), attributes)
    return codecs.CodecInfo(
        name="charpipe:" + label,
        encode=codec.encode,
        decode=codec.decode,
        incrementalencoder=incremental,
        incrementaldecoder=type("IncrementalDecoder", (_IncrementalDecoder,), attributes),
        streamreader=type("StreamReader", (_StreamReader,), attributes),
        streamwriter=type("StreamWriter", (_StreamWriter,), {"incremental": incremental}),
    )


def register():
    codecs.register(_search)
