"""CPython's own tests of codecs, from its package ``test``, over the codecs ``charpipe:NAME``."""

import codecs
import contextlib
import importlib
import io
import sys
import types
import unittest

import charpipe  # noqa: F401
import pytest

try:
    multibytecodec_support = importlib.import_module("test.multibytecodec_support")
    test_codecs = importlib.import_module("test.test_codecs")
    test_multibytecodec = importlib.import_module("test.test_multibytecodec")
except ImportError:
    pytest.skip("the interpreter has no package test", allow_module_level=True)

PREFIX = "charpipe:"
MODULES = [f"test_codecencodings_{name}" for name in ("cn", "hk", "iso2022", "jp", "kr", "tw")]
UNICODE_CLASSES = [
    "UTF32Test",
    "UTF32LETest",
    "UTF32BETest",
    "UTF16Test",
    "UTF16LETest",
    "UTF16BETest",
    "UTF8Test",
    "UTF7Test",
]

EXPECTED_FAILURES = {}


class PrefixedCodecs(types.ModuleType):
    """The module ``codecs``, in which names of encodings are those of charpipe."""

    def __getattr__(self, name):
        return getattr(codecs, name)


def _prefixed(name):
    function = getattr(codecs, name)

    def call(*args, **keywords):
        index = 2 if name == "open" else 0
        if "encoding" in keywords:
            keywords["encoding"] = PREFIX + keywords["encoding"]
        elif name in ("iterencode", "iterdecode"):
            args = (args[0], PREFIX + args[1], *args[2:])
        elif not args[index].startswith(PREFIX):
            args = (*args[:index], PREFIX + args[index], *args[index + 1 :])
        return function(*args, **keywords)

    return call


PREFIXED_CODECS = PrefixedCodecs("codecs")
for name in (
    "getdecoder getencoder getincrementaldecoder getincrementalencoder getreader getwriter lookup open"
).split():
    setattr(PREFIXED_CODECS, name, _prefixed(name))


def subclass(base, **attributes):
    if hasattr(base, "encoding"):
        attributes.setdefault("encoding", PREFIX + base.encoding)
    return type(base.__name__, (base,), attributes)


def classes():
    """Yield the names of the tests, the modules and the classes."""
    for name in MODULES:
        module = importlib.import_module("test." + name)
        for base in vars(module).values():
            if isinstance(base, type) and issubclass(base, multibytecodec_support.TestBase):
                if base is not multibytecodec_support.TestBase:
                    yield f"{name}.{base.__name__}", module, subclass(base)
    for name in UNICODE_CLASSES:
        yield f"test_codecs.{name}", None, subclass(getattr(test_codecs, name))
    yield "test_codecs.BomTest", test_codecs, test_codecs.BomTest
    for base in vars(test_multibytecodec).values():
        if isinstance(base, type) and issubclass(base, unittest.TestCase):
            yield f"test_multibytecodec.{base.__name__}", test_multibytecodec, subclass(base)


@contextlib.contextmanager
def replaced(module, name, value):
    saved = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, saved)


def failures(case, methods=None):
    """Run the methods of a class. Returns the names of those that fail, with the last lines of messages."""
    names = unittest.TestLoader().getTestCaseNames(case)
    suite = unittest.TestSuite(case(name) for name in names if methods is None or name in methods)
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    COUNTS["run"] += result.testsRun
    COUNTS["skipped"] += len(result.skipped)
    found = {}
    for test, message in result.failures + result.errors:
        name = getattr(test, "test_case", test)._testMethodName
        found[name] = message.strip().splitlines()[-1]
    return found


COUNTS = {"run": 0, "skipped": 0}
CLASSES = [c for c in classes() if not sys.argv[1:] or sys.argv[1] in c[0]]


if __name__ == "__main__":
    total = 0
    for name, module, case in CLASSES:
        shim = contextlib.nullcontext()
        if module in (test_multibytecodec, test_codecs):
            shim = replaced(module, "codecs", PREFIXED_CODECS)
        with shim:
            for method, message in failures(case).items():
                print(name + "." + method, ascii(message[:150]))
                total += 1
    names = [name for name in test_codecs.all_unicode_encodings]
    for n in names:
        with replaced(test_codecs, "all_unicode_encodings", [PREFIX + n]):
            try: codecs.lookup(PREFIX+n)
            except LookupError: print("no", n); continue
            for method, message in failures(test_codecs.BasicUnicodeTest, ("test_basics","test_basics_capi","test_seek","test_bad_decode_args","test_bad_encode_args","test_decoder_state")).items():
                print("Basic", n, method, ascii(message[:150])); total += 1
    print(COUNTS, total)
