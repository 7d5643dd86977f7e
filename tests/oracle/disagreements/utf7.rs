//! Disagreements about what is UTF-7.

use super::{BLANK, Row, Rule, refused};
use crate::families::{Family, Flaw};
use crate::peers::Peer;

const ROW: Row = Row { charset: "UTF-7", rule: Rule::Skips, ..BLANK };

const ICU: Row = Row { peer: Peer::Icu, ..ROW };

const CPYTHON: Row = Row { peer: Peer::Cpython, ..ROW };

pub static ROWS: &[Row] = &[
    Row {
        family: Family::Flaw(Flaw::BareShift),
        inputs: "`+` before an octet that is neither base64 nor `-`",
        theirs: "drops the `+`",
        ours: "refuses the `+`",
        why: "RFC 2152, rule 2: ill-formed; ICU and CPython refuse it as well",
        examples: &[refused(b"a+!b", b"a!b"), refused(b"+\n", b"\n")],
        ..ROW
    },
    Row {
        family: Family::Flaw(Flaw::DirtyPaddingAtEnd),
        inputs: "spare bits that are not zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        why: "RFC 2152, rule 2: the bits that fill up the last octet are zero",
        examples: &[refused(b"+AOl", b"\xC3\xA9"), refused(b"+Q", b"")],
        ..ROW
    },
    Row {
        family: Family::Flaw(Flaw::LongPaddingAtEnd),
        inputs: "6 spare bits or more that are zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        why: "a number of octets that makes no whole unit is ill-formed (RFC 2152, rule 2), and no \
              encoder writes a digit that carries nothing",
        examples: &[refused(b"+AOkA", b"\xC3\xA9"), refused(b"+AA", b"")],
        ..ROW
    },
    Row {
        family: Family::Flaw(Flaw::UnpairedAtEnd),
        inputs: "the first half of a surrogate pair, at the end of the input",
        theirs: "drops it",
        ours: "refuses it",
        why: "half of a pair is no scalar value, and dropping it loses data in silence",
        examples: &[refused(b"a+2AA", b"a")],
        ..ROW
    },
    Row {
        family: Family::Flaw(Flaw::ShiftAtEnd),
        inputs: "`+` at the end of the input",
        theirs: "drops it",
        ours: "refuses it as cut short",
        why: "the text is silent; a cut file should not pass, and glibc and libiconv refuse it",
        examples: &[refused(b"a+", b"a")],
        ..ICU
    },
    Row {
        family: Family::Flaw(Flaw::LongPadding),
        rule: Rule::SameAs("UTF-7:pad=1", "UTF-8"),
        inputs: "6 spare bits or more that are zero",
        theirs: "accepts them",
        ours: "refuses them, unless told `pad=1`",
        why: "a number of octets that makes no whole unit is ill-formed (RFC 2152, rule 2), and no \
              encoder writes a digit that carries nothing; glibc and CPython refuse it as well",
        examples: &[refused(b"+AOkA-b", b"\xC3\xA9b"), refused(b"+A-", b"")],
        ..ICU
    },
    Row {
        family: Family::Flaw(Flaw::LongPaddingAtEnd),
        rule: Rule::SameAs("UTF-7:pad=1", "UTF-8"),
        inputs: "the same at the end of the input",
        theirs: "accepts them",
        ours: "refuses them, unless told `pad=1`",
        why: "as above",
        examples: &[refused(b"+AOkA", b"\xC3\xA9")],
        ..ICU
    },
    Row {
        family: Family::Flaw(Flaw::SplitPair),
        rule: Rule::Accepts,
        inputs: "a surrogate pair with its halves in two runs",
        theirs: "joins them",
        ours: "refuses both halves",
        why: "each run is a whole (RFC 2152, rule 2); glibc, libiconv and PHP refuse it as well",
        examples: &[refused(b"+2D0-+3gA-", b"\xF0\x9F\x98\x80")],
        ..ICU
    },
    Row {
        family: Family::Flaw(Flaw::BareAscii),
        rule: Rule::SameAs("UTF-7:direct=ascii", "UTF-8"),
        inputs: "`\\`, `~` and controls outside base64",
        theirs: "accepts them as themselves",
        ours: "refuses them, unless told `direct=ascii`",
        why: "they are in no set of RFC 2152; glibc, libiconv and ICU refuse them as well",
        examples: &[refused(b"~\\\x01", b"~\\\x01")],
        ..CPYTHON
    },
    Row {
        family: Family::Flaw(Flaw::ShiftAtEnd),
        inputs: "`+` at the end of the input",
        theirs: "drops it",
        ours: "refuses it as cut short",
        why: "the text is silent; a cut file should not pass, and glibc and libiconv refuse it",
        examples: &[refused(b"a+", b"a")],
        ..CPYTHON
    },
    Row {
        family: Family::Flaw(Flaw::Unpaired),
        rule: Rule::Accepts,
        inputs: "half of a surrogate pair",
        theirs: "gives it as a surrogate, which is no character",
        ours: "refuses it",
        why: "only scalar values are characters; glibc and ICU refuse it as well",
        examples: &[refused(b"+2AA-", b"\xED\xA0\x80"), refused(b"+3AA", b"\xED\xB0\x80")],
        ..CPYTHON
    },
    Row {
        family: Family::Flaw(Flaw::SplitPair),
        rule: Rule::Accepts,
        inputs: "a surrogate pair with its halves in two runs",
        theirs: "gives two surrogates, which are no characters",
        ours: "refuses both halves",
        why: "only scalar values are characters; glibc and libiconv refuse it as well",
        examples: &[refused(b"+2D0-+3gA-", b"\xED\xA0\xBD\xED\xB8\x80")],
        ..CPYTHON
    },
];
