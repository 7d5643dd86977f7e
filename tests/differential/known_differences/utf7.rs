//! Disagreements about what is UTF-7.

use super::{BLANK, DifferenceRule, KnownDifference, refused};
use crate::converters::OtherConverter;
use crate::input_classes::{Base64Defect, InputClass};

const ROW: KnownDifference =
    KnownDifference { encoding: "UTF-7", rule: DifferenceRule::Skips, ..BLANK };

const ICU: KnownDifference = KnownDifference { converter: OtherConverter::Icu, ..ROW };

const CPYTHON: KnownDifference = KnownDifference { converter: OtherConverter::Cpython, ..ROW };

pub static ROWS: &[KnownDifference] = &[
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::BareShift),
        inputs: "`+` before a byte that is neither base64 nor `-`",
        theirs: "drops the `+`",
        ours: "refuses the `+`",
        reason: "RFC 2152, rule 2: ill-formed; ICU and CPython refuse it as well",
        examples: &[refused(b"a+!b", b"a!b"), refused(b"+\n", b"\n")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::DirtyPaddingAtEnd),
        inputs: "spare bits that are not zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        reason: "RFC 2152, rule 2: the bits that fill up the last byte are zero",
        examples: &[refused(b"+AOl", b"\xC3\xA9"), refused(b"+Q", b"")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::LongPaddingAtEnd),
        inputs: "6 spare bits or more that are zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        reason: "a number of bytes that makes no whole unit is ill-formed (RFC 2152, rule 2), and no \
              encoder writes a digit that carries nothing",
        examples: &[refused(b"+AOkA", b"\xC3\xA9"), refused(b"+AA", b"")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::UnpairedAtEnd),
        inputs: "the first half of a surrogate pair, at the end of the input",
        theirs: "drops it",
        ours: "refuses it",
        reason: "an unpaired surrogate is not a scalar value, and dropping it loses data in silence",
        examples: &[refused(b"a+2AA", b"a")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::ShiftAtEnd),
        inputs: "`+` at the end of the input",
        theirs: "drops it",
        ours: "reports it as truncated",
        reason: "the text is silent; a cut file should not pass, and glibc and libiconv refuse it",
        examples: &[refused(b"a+", b"a")],
        ..ICU
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::LongPadding),
        rule: DifferenceRule::SameResultAs("UTF-7:pad=1", "UTF-8"),
        inputs: "6 spare bits or more that are zero",
        theirs: "accepts them",
        ours: "rejects them without `pad=1`",
        reason: "a number of bytes that makes no whole unit is ill-formed (RFC 2152, rule 2), and no \
              encoder writes a digit that carries nothing; glibc and CPython refuse it as well",
        examples: &[refused(b"+AOkA-b", b"\xC3\xA9b"), refused(b"+A-", b"")],
        ..ICU
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::LongPaddingAtEnd),
        rule: DifferenceRule::SameResultAs("UTF-7:pad=1", "UTF-8"),
        inputs: "the same at the end of the input",
        theirs: "accepts them",
        ours: "rejects them without `pad=1`",
        reason: "as above",
        examples: &[refused(b"+AOkA", b"\xC3\xA9")],
        ..ICU
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::SplitPair),
        rule: DifferenceRule::Accepts,
        inputs: "a surrogate pair with its halves in two runs",
        theirs: "joins them",
        ours: "refuses both halves",
        reason: "each run is a whole (RFC 2152, rule 2); glibc, libiconv and PHP refuse it as well",
        examples: &[refused(b"+2D0-+3gA-", b"\xF0\x9F\x98\x80")],
        ..ICU
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::BareAscii),
        rule: DifferenceRule::SameResultAs("UTF-7:accept=ascii", "UTF-8"),
        inputs: "`\\`, `~` and controls outside base64",
        theirs: "accepts them as themselves",
        ours: "rejects them without `accept=ascii`",
        reason: "they are in no set of RFC 2152; glibc, libiconv and ICU refuse them as well",
        examples: &[refused(b"~\\\x01", b"~\\\x01")],
        ..CPYTHON
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::ShiftAtEnd),
        inputs: "`+` at the end of the input",
        theirs: "drops it",
        ours: "reports it as truncated",
        reason: "the text is silent; a cut file should not pass, and glibc and libiconv refuse it",
        examples: &[refused(b"a+", b"a")],
        ..CPYTHON
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::Unpaired),
        rule: DifferenceRule::Accepts,
        inputs: "half of a surrogate pair",
        theirs: "returns it as a surrogate, which is not a character",
        ours: "refuses it",
        reason: "only scalar values are characters; glibc and ICU refuse it as well",
        examples: &[refused(b"+2AA-", b"\xED\xA0\x80"), refused(b"+3AA", b"\xED\xB0\x80")],
        ..CPYTHON
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::SplitPair),
        rule: DifferenceRule::Accepts,
        inputs: "a surrogate pair with its halves in two runs",
        theirs: "gives two surrogates, which are no characters",
        ours: "refuses both halves",
        reason: "only scalar values are characters; glibc and libiconv refuse it as well",
        examples: &[refused(b"+2D0-+3gA-", b"\xED\xA0\xBD\xED\xB8\x80")],
        ..CPYTHON
    },
];
