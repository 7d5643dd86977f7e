//! Disagreements about what is UTF-7-IMAP.

use super::{BLANK, KnownDifference, refused};
use crate::converters::OtherConverter;
use crate::input_classes::{Base64Defect, InputClass};

const ROW: KnownDifference = KnownDifference { encoding: "UTF-7-IMAP", ..BLANK };

pub static ROWS: &[KnownDifference] = &[
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::NullShift),
        inputs: "a run directly after another one",
        theirs: "accepts it",
        ours: "refuses it",
        reason: "RFC 3501, section 5.1.3: null shifts are not permitted; a name has one spelling only",
        examples: &[refused(b"&U,BTFw-&ZeVnLIqe-", "台北日本語".as_bytes())],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::Needless),
        inputs: "printable ASCII in base64",
        theirs: "accepts it",
        ours: "refuses it",
        reason: "RFC 3501, section 5.1.3: base64 must not be used for it; a name has one spelling only",
        examples: &[refused(b"&AEE-", b"A")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::NeedlessAmpersand),
        inputs: "`&` in base64",
        theirs: "accepts it",
        ours: "refuses it",
        reason: "RFC 3501, section 5.1.3: `&` is written `&-`; ICU refuses it as well",
        examples: &[refused(b"&ACY-", b"&")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::UnclosedAtEnd),
        inputs: "a run that the end of the input ends",
        theirs: "accepts it",
        ours: "reports it as truncated",
        reason: "RFC 3501, section 5.1.3: names end in ASCII; ICU refuses it as well",
        examples: &[refused(b"&AOk", b"\xC3\xA9")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::DirtyPaddingAtEnd),
        inputs: "spare bits that are not zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        reason: "the bits that fill up the last byte are zero (RFC 2152, rule 2)",
        examples: &[refused(b"&AOl", b"\xC3\xA9"), refused(b"&Q", b"")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::LongPaddingAtEnd),
        inputs: "6 spare bits or more that are zero, at the end of the input",
        theirs: "drops them",
        ours: "refuses them, there as anywhere",
        reason: "a number of bytes that makes no whole unit is ill-formed (RFC 2152, rule 2)",
        examples: &[refused(b"&AOkA", b"\xC3\xA9")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::UnpairedAtEnd),
        inputs: "the first half of a surrogate pair, at the end of the input",
        theirs: "drops it",
        ours: "refuses it",
        reason: "an unpaired surrogate is not a scalar value, and dropping it loses data in silence",
        examples: &[refused(b"a&2AA", b"a")],
        ..ROW
    },
    KnownDifference {
        family: InputClass::Malformed(Base64Defect::NullShift),
        inputs: "a run directly after another one",
        theirs: "accepts it",
        ours: "refuses it",
        reason: "RFC 3501, section 5.1.3: null shifts are not permitted; a name has one spelling only",
        examples: &[refused(b"&U,BTFw-&ZeVnLIqe-", "台北日本語".as_bytes())],
        converter: OtherConverter::Icu,
        ..ROW
    },
    KnownDifference {
        converter: OtherConverter::Icu,
        family: InputClass::Malformed(Base64Defect::SplitPair),
        inputs: "a surrogate pair with its halves in two runs",
        theirs: "joins them",
        ours: "refuses both halves and the null shift between them",
        reason: "each run is a whole (RFC 2152, rule 2), and null shifts are not permitted",
        examples: &[refused(b"&2D0-&3gA-", b"\xF0\x9F\x98\x80")],
        ..ROW
    },
];
