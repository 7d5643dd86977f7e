//! The test cases: every encoding without options and with each value of each option.

use std::fmt;
use std::sync::OnceLock;

use charpipe::EncodingSpec;
use charpipe::internals::encoding::{ALL, Encoding};

use super::encoding_options::option_variants;
use super::params::FuzzInput;

/// An encoding with options, and the number that chooses it.
#[derive(Clone)]
pub struct EncodingCase {
    number: u32,
    pub encoding: EncodingSpec,
}

impl fmt::Debug for EncodingCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.encoding.fmt(f)
    }
}

/// Header words, which are in no list of encodings.
const RFC2047_LABELS: &[&str] = &[
    "RFC2047",
    "RFC2047:strict",
    "RFC2047:encoding=q",
    "RFC2047:charset=iso-8859-1",
    "RFC2047:charset=utf-7,encoding=b",
];

/// Lists of encodings: per run and per line, with multi-byte and stateful encodings.
const LISTS: &[&str] =
    &["UTF-8,CP1252", "UTF-8,CP1252:per=line", "UTF-8,GBK:per=run", "ISO-2022-JP,UTF-8"];

/// Every subject in the order of its number. The number comes from the name, so that inputs keep
/// their meaning when an encoding is added.
pub fn encoding_cases() -> &'static [EncodingCase] {
    static SUBJECTS: OnceLock<Vec<EncodingCase>> = OnceLock::new();
    SUBJECTS.get_or_init(|| {
        let labels = RFC2047_LABELS.iter().chain(LISTS);
        let others = labels.map(|label| label.parse().expect("a label"));
        let all = ALL.iter().flat_map(|registered| variants(registered)).chain(others);
        let numbered = |encoding: EncodingSpec| EncodingCase {
            number: label_number(&encoding.to_string()),
            encoding,
        };
        let mut subjects: Vec<EncodingCase> = all.map(numbered).collect();
        subjects.sort_by_key(|subject| subject.number);
        subjects
    })
}

/// The first four bytes choose the subject with the next higher number.
pub fn choose_case(bytes: &mut FuzzInput<'_>) -> &'static EncodingCase {
    let wanted = u32::from_be_bytes(bytes.array());
    let subjects = encoding_cases();
    let index = subjects.partition_point(|subject| subject.number < wanted);
    &subjects[index % subjects.len()]
}

/// The bytes that choose the subject that is printed so.
pub fn case_bytes(label: &str) -> Option<[u8; 4]> {
    let found = encoding_cases().iter().find(|subject| subject.encoding.to_string() == label);
    found.map(|subject| subject.number.to_be_bytes())
}

/// The hash of Fowler, Noll and Vo (FNV-1a) of the label, its bits mixed once more: the last
/// letters of a label must count as much as the first.
pub fn label_number(label: &str) -> u32 {
    let mixed = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = label.bytes().fold(0x811C_9DC5, mixed);
    (hash ^ hash >> 15).wrapping_mul(0x2C1B_3C6D)
}

/// An encoding with each of the options that are tested.
fn variants(encoding: &'static Encoding) -> Vec<EncodingSpec> {
    let options = option_variants(encoding).into_iter();
    options.map(|options| EncodingSpec { options, ..encoding.into() }).collect()
}
