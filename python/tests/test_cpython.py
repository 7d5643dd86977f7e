"""CPython's own tests of codecs, from its package ``test``, over the codecs ``charpipe:NAME``."""

import codecs
import contextlib
import importlib
import io
import re
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

LENGTHS = "malformed sequences have other lengths: docs/disagreements.md"
HELD = (
    "a character that may combine with the next one is written at the end of each call: a TextIOWrapper never "
    "ends its encoder, and with CPython's codecs loses it"
)
HEADER = "ISO-2022-KR begins with its designation (RFC 1557), which CPython does not write"
KS_X_1001 = "CPython uses the sequences of 8 bytes of KS X 1001, annex 3, for other syllables, and refuses 80 to 9F"
C1 = "bytes 80 to 9F that are in no character set are C1 controls, as in glibc"
UTF_7 = "RFC 2152 is followed: docs/disagreements.md"
STATES = "the numbers of states are charpipe's, and only those that getstate returned are restored"

# Failures of CPython 3.11, as patterns of the names of tests, with the reason.
EXPECTED_FAILURES = {
    r".*\.test_incrementalencoder_del_segfault": "the attribute of an object of Python can be deleted",
    r"test_codecencodings_cn.Test_GBK.test_errorhandle": "80 is the euro sign, as in code page 936",
    r"test_codecencodings_cn.Test_GB18030.test_errorhandle": LENGTHS,
    r"test_codecencodings_cn.Test_HZ.test_errorhandle": "~~ and line continuations are valid in GB mode as well",
    r"test_codecencodings_hk.Test_Big5HKSCS.test_errorhandle": C1,
    r"test_codecencodings_tw.Test_Big5.test_errorhandle": C1,
    r"test_codecencodings_(hk|jp|iso2022)\.(Test_Big5HKSCS|Test_EUC_JIS_2004|Test_EUC_JISX0213|Test_SJISX0213"
    r"|Test_ISO2022_JP3|Test_ISO2022_JP2004)\.test_(incrementalencoder|streamwriter)": HELD,
    r"test_codecencodings_iso2022\..*\.test_errorhandle": "unknown escape sequences are malformed",
    r"test_codecencodings_iso2022.Test_ISO2022_JP2.test_customreplace_encode": "the encoding has ISO 8859-1 (RFC 1554)",
    r"test_codecencodings_iso2022.Test_ISO2022_KR.test_(callback_.*|customreplace_encode|xmlcharrefreplace"
    r"|incrementalencoder_error_callback)": HEADER,
    r"test_codecencodings_jp.Test_(CP932|EUC_JIS_2004|EUC_JISX0213).test_errorhandle": LENGTHS,
    r"test_codecencodings_jp.Test_EUC_JP_COMPAT.test_errorhandle": C1,
    r"test_codecencodings_jp.Test_SJIS_COMPAT.test_errorhandle": "5C and 7E are the yen sign and the overline, as in "
    "JIS X 0201",
    r"test_codecencodings_jp.Test_SJIS(X0213|_2004).test_errorhandle": "8160 to 817F have the mappings of JIS X 0213",
    r"test_codecencodings_kr.Test_EUCKR.test_(chunkcoding|errorhandle|incremental.*|stream.*)": KS_X_1001,
    r"test_codecencodings_kr.Test_JOHAB.test_errorhandle": LENGTHS,
    r"test_codecs.UTF(16|32)Test.test_lone_surrogates": "empty text has no mark: docs/disagreements.md",
    r"test_codecs.UTF16Test.test_badbom": "text without a mark is little-endian in streams as well",
    r"test_codecs.UTF7Test.test_(ascii|partial)": UTF_7,
    r"test_codecs.UTF7Test.test_(incremental_surrogatepass|nonbmp)": UTF_7,
    r"test_multibytecodec.Test_MultibyteCodec.test_errorcallback_longindex": C1,
    r"test_multibytecodec.Test_MultibyteCodec.test_str_decode": HEADER,
    r"test_multibytecodec.Test_IncrementalEncoder.test_(stateful|stateful_keep_buffer|state_methods_with_buffer_state)": HELD,
    r"test_multibytecodec.Test_Incremental..coder.test_(getstate_returns.*|setstate_validates.*|state_methods)": STATES,
}


class PrefixedCodecs(types.ModuleType):
    """The module ``codecs`` with functions that add the prefix to names of encodings."""

    def __getattr__(self, name):
        return getattr(codecs, name)


def _prefixed(name):
    function = getattr(codecs, name)

    def call(*args, **keywords):
        index = 2 if name == "open" else 0
        if "encoding" in keywords:
            keywords["encoding"] = PREFIX + keywords["encoding"]
        elif not args[index].startswith(PREFIX):
            # A name of CPython's own.
            args = tuple("euc_jisx0213" if value == "jisx0213" else value for value in args)
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
    assert result.testsRun > 0
    found = {}
    for test, message in result.failures + result.errors:
        name = getattr(test, "test_case", test)._testMethodName
        found[name] = message.strip().splitlines()[-1]
    return found


CLASSES = {name: (module, case) for name, module, case in classes()}
MATCHED = set()


@pytest.mark.parametrize("name", CLASSES)
def test_every_failure_has_a_reason(name):
    module, case = CLASSES[name]
    with contextlib.ExitStack() as replacements:
        # Where the names of encodings are in the module.
        if module in (test_multibytecodec, test_codecs):
            replacements.enter_context(replaced(module, "codecs", PREFIXED_CODECS))
        if module is test_multibytecodec:
            names = [PREFIX + encoding for encoding in test_multibytecodec.ALL_CJKENCODINGS]
            replacements.enter_context(replaced(module, "ALL_CJKENCODINGS", names))
        found = failures(case)
    unexpected = {}
    for method, message in found.items():
        patterns = {pattern for pattern in EXPECTED_FAILURES if re.fullmatch(pattern, f"{name}.{method}")}
        MATCHED.update(patterns)
        if not patterns:
            unexpected[method] = message
    assert unexpected == {}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the list is that of CPython 3.11")
def test_every_reason_has_a_failure():
    if not MATCHED:
        pytest.skip("the tests did not run")
    assert MATCHED == set(EXPECTED_FAILURES)


ALL_NAMES = list(test_codecs.all_unicode_encodings)
# Codecs of Python alone.
OTHER_NAMES = {"charmap", "idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}


@pytest.mark.parametrize("name", [name for name in ALL_NAMES if name not in OTHER_NAMES])
def test_unicode_codecs_pass_the_basic_tests(name):
    other = {"test_encoding_map_type_initialized"}
    methods = set(unittest.TestLoader().getTestCaseNames(test_codecs.BasicUnicodeTest)) - other
    with replaced(test_codecs, "all_unicode_encodings", [PREFIX + name]):
        assert failures(test_codecs.BasicUnicodeTest, methods) == {}
