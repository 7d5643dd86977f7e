"""Puts questions to the converters of other projects, all from one process.

The first line out names the converters and their versions. Then each query is a header line
`CONVERTER MODE FROM TO LENGTH` and LENGTH bytes; each result is `gives LENGTH` and LENGTH bytes, or `refuses`.
In the mode `replace` each ill-formed sequence becomes one U+FFFD, in `strict` nothing does. In `ignore`
what cannot be converted is left out. `surrogatepass` is for CPython only. In `units` the bytes are short inputs, each with its length in front, and
each is converted by itself: the result has their results in the same form, FF in place of a refused one, FE of
one that is truncated. In `labels` the result lists the converter's encodings: lines of a label, a tab, and the canonical
name.
The converter `-` has no result: it requests those that are still held back.
The functions called are those that the programs iconv and uconv call.
"""

import codecs
import ctypes
import encodings.aliases
import errno
import pkgutil
import sys

FAILED = ctypes.c_void_p(-1).value


class Glibc:
    """The iconv functions of the C library that this interpreter runs on."""

    def __init__(self):
        library = ctypes.CDLL(None, use_errno=True)
        version = library.gnu_get_libc_version
        version.restype = ctypes.c_char_p
        self.version = version().decode()
        self.open, self.run, self.close = library.iconv_open, library.iconv, library.iconv_close
        self.open.restype = ctypes.c_void_p
        self.open.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        self.run.restype = ctypes.c_size_t
        self.run.argtypes = [ctypes.c_void_p] * 5
        self.close.argtypes = [ctypes.c_void_p]
        # Kept open, so that the modules stay loaded from one question to the next.
        self.loaded = {}

    def convert(self, mode, source, target, data):
        if mode == "replace":
            raise LookupError("iconv replaces nothing")
        pair = ((target + "//IGNORE" * (mode == "ignore")).encode(), source.encode())
        if pair not in self.loaded:
            self.loaded[pair] = self.open(*pair)
        descriptor = self.open(*pair)
        if descriptor in (None, FAILED):
            if mode in ("units", "ignore"):
                return None
            raise LookupError(f"glibc knows no {source} or {target}")
        try:
            ways = {"strict": self.whole, "units": self.units, "ignore": self.ignoring}
            return ways[mode](descriptor, data)
        finally:
            self.close(descriptor)

    def units(self, descriptor, data):
        inside = ctypes.create_string_buffer(data, len(data) + 1)
        outside = ctypes.create_string_buffer(256)
        begin, first = ctypes.addressof(inside), ctypes.addressof(outside)
        read, left = ctypes.c_void_p(), ctypes.c_size_t()
        write, space = ctypes.c_void_p(), ctypes.c_size_t()
        r, l, w, o = map(ctypes.byref, (read, left, write, space))
        run, error = self.run, ctypes.c_size_t(-1).value
        results, at, size = [], 0, len(data)
        refused, cut = b"\xff", b"\xfe"
        while at < size:
            length = data[at]
            read.value, left.value, write.value, space.value = begin + at + 1, length, first, 240
            at += 1 + length
            run(descriptor, None, None, None, None)
            if run(descriptor, r, l, w, o) == error:
                results.append(cut if ctypes.get_errno() == errno.EINVAL else refused)
            elif left.value or run(descriptor, None, None, w, o) == error:
                results.append(refused)
            else:
                made = 240 - space.value
                results.append(bytes((made,)) + outside.raw[:made])
        return b"".join(results)

    def ignoring(self, descriptor, data):
        inside = ctypes.create_string_buffer(data, len(data) + 1)
        outside = ctypes.create_string_buffer(2 * len(data) + 64)
        first = ctypes.addressof(outside)
        read, write = ctypes.c_void_p(ctypes.addressof(inside)), ctypes.c_void_p(first)
        left, space = ctypes.c_size_t(len(data)), ctypes.c_size_t(len(outside))
        refer = ctypes.byref
        while left.value:
            before = left.value
            self.run(descriptor, refer(read), refer(left), refer(write), refer(space))
            if left.value == before:
                return None
        self.run(descriptor, None, None, refer(write), refer(space))
        return ctypes.string_at(first, len(outside) - space.value)

    def whole(self, descriptor, data):
        inside = ctypes.create_string_buffer(data, len(data) + 1)
        outside = ctypes.create_string_buffer(8 * len(data) + 64)
        first = ctypes.addressof(outside)
        read, write = ctypes.c_void_p(ctypes.addressof(inside)), ctypes.c_void_p(first)
        left, space = ctypes.c_size_t(len(data)), ctypes.c_size_t(len(outside))
        refer = ctypes.byref
        error = ctypes.c_size_t(-1).value
        if self.run(descriptor, refer(read), refer(left), refer(write), refer(space)) == error:
            return None
        if left.value or self.run(descriptor, None, None, refer(write), refer(space)) == error:
            return None
        return ctypes.string_at(first, len(outside) - space.value)


class Icu:
    """The conversion functions of ICU's common library."""

    # Converters whose state ICU 72 does not reset.
    NOT_RESET = ("x11-compound-text",)

    def __init__(self):
        self.library, self.major = self.find()
        version = (ctypes.c_uint8 * 4)()
        self.function("u_getVersion")(version)
        self.version = f"{version[0]}.{version[1]}"
        self.known = {}

    @staticmethod
    def find():
        for major in range(90, 49, -1):
            try:
                return ctypes.CDLL(f"libicuuc.so.{major}"), major
            except OSError:
                continue
        raise OSError("no ICU")

    def function(self, name):
        return getattr(self.library, f"{name}_{self.major}")

    def converter(self, name, mode):
        if (name, mode) in self.known and name not in self.NOT_RESET:
            return self.known[name, mode]
        status = ctypes.c_int(0)
        opened = self.function("ucnv_open")
        opened.restype = ctypes.c_void_p
        made = ctypes.c_void_p(opened(name.encode(), ctypes.byref(status)))
        if status.value > 0:
            raise LookupError(f"ICU knows no {name}")
        word = {"strict": "STOP", "replace": "SUBSTITUTE", "ignore": "SKIP"}[mode]
        for setter, action in [
            ("ucnv_setToUCallBack", f"UCNV_TO_U_CALLBACK_{word}"),
            ("ucnv_setFromUCallBack", f"UCNV_FROM_U_CALLBACK_{word}"),
        ]:
            called = ctypes.cast(self.function(action), ctypes.c_void_p)
            self.function(setter)(made, called, None, None, None, ctypes.byref(status))
        self.known[name, mode] = made
        return made

    def reopened(self, converter, name):
        """A new converter of the same name in place of this one."""
        self.function("ucnv_close")(converter)
        return self.converter(name, "strict")

    def step(self, function, converter, unit, space, data, count):
        """One whole conversion with its flush; None if it ends in an error."""
        out = ctypes.create_string_buffer(unit * space)
        status = ctypes.c_int(0)
        made = self.function(function)(
            converter, out, space, data, count, ctypes.byref(status)
        )
        return None if status.value > 0 else out.raw[: unit * made]

    def convert(self, mode, source, target, data):
        if mode == "labels":
            return self.labels()
        if mode == "units":
            return self.units(source, target, data)
        source, target = self.converter(source, mode), self.converter(target, mode)
        units = self.step("ucnv_toUChars", source, 2, 4 * len(data) + 16, data, len(data))
        if units is None:
            return None
        count = len(units) // 2
        return self.step("ucnv_fromUChars", target, 1, 8 * count + 16, units, count)

    def labels(self):
        counted, available = self.function("ucnv_countAvailable"), self.function("ucnv_getAvailableName")
        aliases, alias = self.function("ucnv_countAliases"), self.function("ucnv_getAlias")
        available.restype = alias.restype = ctypes.c_char_p
        aliases.restype = ctypes.c_uint16
        status = ctypes.byref(ctypes.c_int(0))
        lines = set()
        for canonical in map(available, range(counted())):
            lines.add((canonical, canonical))
            for index in range(aliases(canonical, status)):
                label = alias(canonical, ctypes.c_uint16(index), status)
                # An alias can be of several converters; it opens this one.
                if self.canonical(label) == canonical:
                    lines.add((label, canonical))
        return b"".join(b"%s\t%s\n" % line for line in sorted(lines))

    def canonical(self, label):
        status = ctypes.c_int(0)
        name = self.function("ucnv_getName")
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_void_p]
        return name(self.converter(label.decode(), "strict"), ctypes.byref(status))

    def units(self, source, target, data):
        decodes = target == "UTF-8"
        name = source if decodes else target
        converter = self.converter(name, "strict")
        function = self.function("ucnv_toUChars" if decodes else "ucnv_fromUChars")
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32]
        function.argtypes += [ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p]
        outside = ctypes.create_string_buffer(256)
        space, status = ctypes.addressof(outside), ctypes.c_int(0)
        error = ctypes.addressof(status)
        unit, capacity = (2, 100) if decodes else (1, 200)
        truncated, results = 11, []
        for unit_in in units_of(data):
            count = len(unit_in)
            if name in self.NOT_RESET:
                converter = self.reopened(converter, name)
            if not decodes:
                unit_in = unit_in.decode().encode("utf-16-le")
                count = len(unit_in) // 2
            status.value = 0
            made = function(converter, space, capacity, unit_in, count, error)
            if status.value > 0:
                results.append(b"\xfe" if status.value == truncated else b"\xff")
                continue
            result = outside.raw[: unit * made]
            if decodes:
                result = result.decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass")
            results.append(bytes((len(result),)) + result)
        function.argtypes = None
        return b"".join(results)


class Cpython:
    """The codecs of this interpreter."""

    def __init__(self):
        if sys.implementation.name != "cpython":
            raise OSError("another Python")
        self.version = "{}.{}".format(*sys.version_info)

    def convert(self, mode, source, target, data):
        if mode == "labels":
            return self.labels()
        if mode == "units":
            return self.units(source, target, data)
        decode, encode = codecs.lookup(source).decode, codecs.lookup(target).encode
        try:
            text = decode(data, mode)[0]
        except UnicodeError:
            return None
        try:
            # A surrogate that the decoder let through must be seen, not fail after it.
            return encode(text, "surrogatepass" if target == "utf-8" else mode)[0]
        except UnicodeError:
            return None

    def labels(self):
        modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)}
        names = {name: name for name in modules if name != "aliases"}
        for label, module in encodings.aliases.aliases.items():
            names.setdefault(label, module)
        return "".join(
            f"{label}\t{module}\n" for label, module in sorted(names.items()) if self.is_text(module)
        ).encode()

    @staticmethod
    def is_text(module):
        # `mbcs` and `oem` are codecs of Windows only.
        try:
            return codecs.lookup(module)._is_text_encoding
        except LookupError:
            return module in ("mbcs", "oem")

    def units(self, source, target, data):
        results = []
        decodes = target == "UTF-8"
        codec = codecs.lookup(source if decodes else target)
        for unit in units_of(data):
            try:
                if decodes:
                    result = codec.decode(unit, "strict")[0].encode("utf-8", "surrogatepass")
                else:
                    result = codec.encode(unit.decode(), "strict")[0]
            except UnicodeError as error:
                cut = decodes and any(word in str(error) for word in ("incomplete", "truncated", "unexpected end"))
                results.append(b"\xfe" if cut else b"\xff")
            else:
                results.append(bytes((len(result),)) + result)
        return b"".join(results)


def units_of(data):
    """The short inputs in `data`, each with its length before it."""
    at = 0
    while at < len(data):
        end = at + 1 + data[at]
        yield data[at + 1 : end]
        at = end


def present():
    converters = {}
    for converter in (Glibc, Icu, Cpython):
        try:
            converters[converter.__name__] = converter()
        except (OSError, AttributeError):
            continue
    return converters


def main():
    queries, output = sys.stdin.buffer, sys.stdout.buffer
    converters = present()
    output.write(" ".join(f"{name}={converter.version}" for name, converter in converters.items()).encode() + b"\n")
    output.flush()
    while line := queries.readline():
        converter, mode, source, target, length = line.decode().split()
        if converter == "-":
            output.flush()
            continue
        result = converters[converter].convert(mode, source, target, queries.read(int(length)))
        if result is None:
            output.write(b"refuses\n")
        else:
            output.write(b"gives %d\n" % len(result) + result)
    output.flush()


main()
