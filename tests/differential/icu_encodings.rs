//! Encodings in which ICU may write the same text otherwise: SCSU, ISCII, Compound Text, LMBCS and JIS7. Each
//! of the two must decode what the other encodes, and both must accept the same bytes, except for what
//! [`PAIRS`] explains. WTF-8 is compared with Python in the same way.

use charpipe::MalformedReason;
use charpipe::internals::codec::Status;
use charpipe::internals::encoding::{self, EncodingOptions};

use crate::compare::{conversion_options, convert};
use crate::converters::{
    ConverterProcess, ConverterQuery, ConverterResult, OtherConverter, QueryMode,
};
use crate::inputs;
use crate::known_differences::Direction;
use charpipe_test_support::{XorShift, missing, sample_count, sample_stride};

/// An encoding that both have.
struct Pair {
    ours: &'static str,
    theirs: &'static str,
    /// What random inputs consist of, besides random bytes.
    pieces: &'static [&'static [u8]],
    /// Returns why the results may differ for these bytes, of which this is ICU's result.
    explain: fn(&[u8], &ConverterResult) -> Option<&'static str>,
}

/// The number of random inputs for each encoding, of which one in [`SAMPLE_STRIDE`] is tried by default.
const RANDOM_INPUTS: usize = 3_000;

/// `CHARPIPE_TEST_EXHAUSTIVE=1` tries all.
const SAMPLE_STRIDE: usize = 11;

const fn iscii(ours: &'static str, theirs: &'static str) -> Pair {
    Pair { ours, theirs, pieces: ISCII_PIECES, explain: explain_iscii }
}

const fn lmbcs(name: &'static str) -> Pair {
    Pair { ours: name, theirs: name, pieces: LMBCS_PIECES, explain: explain_lmbcs }
}

/// The escape to the extension table, and what follows it.
const GSM_PIECES: &[&[u8]] = &[b"\x1B", b"\x1Be", b"\x1B(", b"\x1B\x1B", b"e", b"\n", b"\x09"];

static PAIRS: [Pair; 26] = [
    Pair { ours: "GSM0338", theirs: "gsm-03.38-2009", pieces: GSM_PIECES, explain: |_, _| None },
    Pair { ours: "SCSU", theirs: "SCSU", pieces: SCSU_PIECES, explain: explain_scsu },
    Pair {
        ours: "COMPOUND_TEXT",
        theirs: "x11-compound-text",
        pieces: COMPOUND_TEXT_PIECES,
        explain: explain_compound_text,
    },
    Pair { ours: "JIS7", theirs: "JIS7", pieces: JIS_PIECES, explain: explain_jis },
    Pair { ours: "JIS8", theirs: "JIS8", pieces: JIS_PIECES, explain: explain_jis },
    iscii("ISCII-DEV", "ISCII,version=0"),
    iscii("ISCII-BNG", "ISCII,version=1"),
    iscii("ISCII-GUR", "ISCII,version=2"),
    iscii("ISCII-GUJ", "ISCII,version=3"),
    iscii("ISCII-ORI", "ISCII,version=4"),
    iscii("ISCII-TML", "ISCII,version=5"),
    iscii("ISCII-TLG", "ISCII,version=6"),
    iscii("ISCII-KND", "ISCII,version=7"),
    iscii("ISCII-MLM", "ISCII,version=8"),
    lmbcs("LMBCS-1"),
    lmbcs("LMBCS-2"),
    lmbcs("LMBCS-3"),
    lmbcs("LMBCS-4"),
    lmbcs("LMBCS-5"),
    lmbcs("LMBCS-6"),
    lmbcs("LMBCS-8"),
    lmbcs("LMBCS-11"),
    lmbcs("LMBCS-16"),
    lmbcs("LMBCS-17"),
    lmbcs("LMBCS-18"),
    lmbcs("LMBCS-19"),
];

const SCSU_PIECES: &[&[u8]] = &[
    b"a",
    b"\n",
    b"\x01\x85",
    b"\x04\x20",
    b"\x0E\x30\x42",
    b"\x0F",
    b"\x0B\xA0\x01",
    b"\x12",
    b"\x1A\x38",
    b"\xE1",
    b"\xE9\x10",
    b"\xF0\xE0\x01",
    b"\xF1\x20\x05",
    b"\x30\x42",
    b"\x80",
    b"\xD8\x3D\xDE\x00",
];

const COMPOUND_TEXT_PIECES: &[&[u8]] = &[
    b"a",
    b"\n",
    b"\xE9",
    b"\x1B-A",
    b"\x1B-B",
    b"\x1B-F",
    b"\x1B-L",
    b"\x1B-M",
    b"\x1B$)A",
    b"\x1B$)B",
    b"\x1B$)C",
    b"\xB0\xA1",
    b"\xC6\xFC",
    b"\x1B",
    b"\x1B-",
    b"\x1B$",
    b"\xFF",
];

const JIS_PIECES: &[&[u8]] = &[
    b"a", b"\n", b"1", b"$\"", b"\x0E", b"\x0F", b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$B",
    b"\x1B$@", b"\x1B$(D", b"\x1B$A", b"\x1B$(C", b"\x1B.A", b"\x1B.F", b"\x1BN", b"\xB1", b"\xDF",
    b"\xE0",
];

const ISCII_PIECES: &[&[u8]] = &[
    b"a",
    b"\n",
    b" ",
    b"\xEF\x42",
    b"\xEF\x43",
    b"\xEF\x4B",
    b"\xEF\x44",
    b"\xEF\x40",
    b"\xB3",
    b"\xA4",
    b"\xE8",
    b"\xE9",
    b"\xD9",
    b"\xDA",
    b"\xA2",
    b"\xA1",
    b"\xEF\x30",
    b"\xF0\xB8",
    b"\xCF",
];

const LMBCS_PIECES: &[&[u8]] = &[
    b"a",
    b"\n",
    b"\x01\x82",
    b"\x02\xD6",
    b"\x05\xE6",
    b"\x01\x13",
    b"\x0F\x21",
    b"\x0F\x90",
    b"\x10\x93\xFA",
    b"\x10\x10\xB1",
    b"\x11\xC7\xD1",
    b"\x12\xA4\xA4",
    b"\x13\xD6\xD0",
    b"\x14\x20\xAC",
    b"\x14\xF6\x20",
    b"\x14\xD8\x3D\x14\xF6\xDE",
    b"\x07",
    b"\x06\x9F",
];

fn explain_scsu(bytes: &[u8], _: &ConverterResult) -> Option<&'static str> {
    let is_reserved = |pair: &[u8]| matches!(pair, [0x18..=0x1F | 0xE8..=0xEF, 0 | 0xA8..=0xF8]);
    let has_reserved = bytes.windows(2).any(is_reserved);
    has_reserved.then_some("ICU accepts the reserved offsets of windows, as U+0000 and so on")
}

fn explain_compound_text(mut bytes: &[u8], theirs: &ConverterResult) -> Option<&'static str> {
    const INITIAL: &[u8] = b"\x1B-A";
    const SETS: [&[u8]; 15] = [
        INITIAL, b"\x1B-B", b"\x1B-C", b"\x1B-D", b"\x1B-F", b"\x1B-L", b"\x1B-M", b"\x1B-T",
        b"\x1B-_", b"\x1B-b", b"\x1B$)A", b"\x1B$)B", b"\x1B$)C", b"\x1B$)D", b"\x1B$)G",
    ];
    let mut set = INITIAL;
    let mut leaves_initial = false;
    while let [first, rest @ ..] = bytes {
        if *first != 0x1B {
            if *first < 0xA0 && set != INITIAL {
                return Some("ICU has ASCII and control characters only beside ISO-8859-1");
            }
            if set == b"\x1B$)B" && bytes.starts_with(b"\xA1\xBD") {
                return Some("ICU decodes 213D of JIS X 0208 as U+2014");
            }
            bytes = rest;
            continue;
        }
        if bytes.starts_with(b"\x1B$)H") || bytes.starts_with(b"\x1B$)I") {
            return Some("ICU exchanges the two bytes in planes 2 and 3 of CNS 11643");
        }
        if bytes.starts_with(b"\x1B-G") || bytes.starts_with(b"\x1B-H") {
            return Some("ICU has Arabic digits in ISO-8859-6, and U+203E as AF of ISO-8859-8");
        }
        let Some(known) = SETS.into_iter().find(|set| bytes.starts_with(set)) else {
            return Some("ICU does not have this set, or takes an unknown sequence for text");
        };
        (set, bytes) = (known, &bytes[known.len()..]);
        leaves_initial |= set != INITIAL;
        if matches!(bytes, [] | [0x1B, ..]) {
            return Some(
                "ICU takes a sequence without a character after it for text, or refuses it",
            );
        }
    }
    let is_refused = *theirs == ConverterResult::Error && leaves_initial;
    is_refused.then_some("ICU has each character in one of the sets, in which it writes it")
}

fn explain_jis(bytes: &[u8], theirs: &ConverterResult) -> Option<&'static str> {
    if bytes.contains(&b'\n') && bytes.contains(&0x1B) {
        return Some("ICU begins every line in ASCII");
    }
    let is_empty_shift = |at: usize| {
        let is_character = |byte: &u8| matches!(byte, 0x20..=0x7F);
        bytes[at..].starts_with(b"\x1BN") && !bytes.get(at + 2).is_some_and(is_character)
    };
    if (0..bytes.len()).any(is_empty_shift) {
        return Some("ICU ignores a single shift without a character after it");
    }
    if *theirs != ConverterResult::Error {
        return None;
    }
    let is_control = |byte: &u8| matches!(byte, 0x00..=0x0D | 0x10..=0x1A | 0x1C..=0x1F | 0x7F);
    if bytes.iter().any(is_control) {
        return Some("ICU has control characters only beside ASCII and JIS-Roman");
    }
    let has_right_half = bytes.iter().any(|byte| matches!(byte, 0xA1..=0xDF));
    has_right_half.then_some("ICU has the bytes from A1 only beside ASCII and JIS-Roman")
}

fn explain_iscii(bytes: &[u8], _: &ConverterResult) -> Option<&'static str> {
    if bytes.contains(&0xD9) {
        return Some(
            "ICU waits for a byte after INV, and decodes INV and halant as space and halant",
        );
    }
    if bytes.ends_with(b"\xE8") {
        return Some("ICU loses a consonant of Gurmukhi before a halant at the end");
    }
    if bytes.windows(3).any(|three| matches!(three, [0xEF, 0x30..=0x3F, 0xA2])) {
        return Some(
            "ICU decodes a bindi of Gurmukhi after an attribute, which may be a tippi here",
        );
    }
    let has_danda = bytes.contains(&0xEA);
    has_danda.then_some("ICU has the danda in Devanagari only")
}

fn explain_lmbcs(bytes: &[u8], theirs: &ConverterResult) -> Option<&'static str> {
    let is_invalid_control = |pair: &[u8]| matches!(pair, [0x0F, 0x00..=0x1F | 0x40..=0x7F]);
    if bytes.windows(2).any(is_invalid_control) {
        return Some("ICU subtracts 20 from any byte after 0F");
    }
    if bytes.windows(3).any(|three| matches!(three, [0x14, 0xFF, 0xFE | 0xFF])) {
        return Some("ICU refuses noncharacters");
    }
    let ConverterResult::Output(theirs) = theirs else {
        return bytes.contains(&0xAA).then_some("ICU does not have AA of code page 852");
    };
    if theirs.windows(2).any(|two| two == "\u{80}".as_bytes()) {
        return Some("ICU has U+0080 as 80 of the code pages of Korean and traditional Chinese");
    }
    let is_private_use = |character: char| matches!(character, '\u{E000}'..='\u{F8FF}');
    let has_private_use = String::from_utf8_lossy(theirs).chars().any(is_private_use);
    has_private_use.then_some("ICU has more private use characters in its code pages")
}

/// Returns whether the sets of an encoding differ, although they are selected in the same way: the JIS X 0208
/// of ICU is that of Windows, with row 13 of NEC.
fn has_other_tables(pair: &Pair) -> bool {
    pair.ours.starts_with("JIS")
}

/// Returns the results of ICU.
fn by_icu(
    converters: &mut ConverterProcess,
    mode: QueryMode,
    (from, to): (&str, &str),
    inputs: &[Vec<u8>],
) -> Vec<ConverterResult> {
    let converter = OtherConverter::Icu;
    let query = |input| ConverterQuery { converter, mode, from, to, input };
    converters.query(&inputs.iter().map(|input| query(input)).collect::<Vec<_>>())
}

/// Compares how ICU and charpipe decode these inputs.
fn compare_decoding(
    converters: &mut ConverterProcess,
    pair: &Pair,
    inputs: &[Vec<u8>],
    differences: &mut Vec<String>,
) {
    let options = conversion_options(Direction::Decode, pair.ours, "UTF-8", false);
    let theirs = by_icu(converters, QueryMode::Strict, (pair.theirs, "UTF-8"), inputs);
    for (input, theirs) in inputs.iter().zip(theirs) {
        let ours = convert(&options, input);
        if ours != theirs && (pair.explain)(input, &theirs).is_none() {
            let start = &input[..input.len().min(40)];
            differences.push(format!(
                "{} {start:02X?}:\n  ICU      {theirs:?}\n  charpipe {ours:?}",
                pair.ours
            ));
        }
    }
}

/// Starts ICU in the version whose differences are known.
fn icu() -> Option<ConverterProcess> {
    let converters = ConverterProcess::start()?;
    if converters.is_as_measured(OtherConverter::Icu) {
        return Some(converters);
    }
    missing(&OtherConverter::Icu.to_string());
    None
}

fn assert_none(differences: &[String]) {
    let first = differences[..differences.len().min(40)].join("\n");
    assert!(differences.is_empty(), "{} differ:\n{first}", differences.len());
}

#[test]
fn each_decodes_what_the_other_encodes() {
    let Some(mut converters) = icu() else { return };
    let prose = inputs::texts().into_iter().chain(inputs::single());
    let scalars = ('\0'..='\u{FFFF}').collect::<Vec<char>>();
    let runs = scalars.chunks(16).step_by(sample_stride(3)).map(String::from_iter);
    let texts: Vec<String> = prose.chain(runs).collect();
    let utf8: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
    let mut differences = Vec::new();
    for pair in PAIRS.iter().filter(|pair| !has_other_tables(pair)) {
        let options = conversion_options(Direction::Encode, pair.ours, "UTF-8", true);
        let ours = utf8.iter().map(|text| convert(&options, text));
        let theirs = by_icu(&mut converters, QueryMode::Ignore, ("UTF-8", pair.theirs), &utf8);
        let encoded = ours.chain(theirs).filter_map(|result| match result {
            ConverterResult::Output(bytes) => Some(bytes),
            ConverterResult::Error => None,
        });
        compare_decoding(&mut converters, pair, &encoded.collect::<Vec<_>>(), &mut differences);
    }
    assert_none(&differences);
}

#[test]
fn both_accept_the_same_random_bytes() {
    let Some(mut converters) = icu() else { return };
    let mut differences = Vec::new();
    for pair in &PAIRS {
        let mut random = XorShift::new(0x5EED);
        let mut input = || {
            let mut input: Vec<u8> = random.some(6, pair.pieces).concat();
            if random.below(3) == 0 {
                input.push(random.byte());
                input.extend_from_slice(&random.some(3, pair.pieces).concat());
            }
            if random.below(4) == 0 {
                input.truncate(input.len() - 1);
            }
            input
        };
        let inputs: Vec<Vec<u8>> =
            (0..sample_count(RANDOM_INPUTS, SAMPLE_STRIDE)).map(|_| input()).collect();
        compare_decoding(&mut converters, pair, &inputs, &mut differences);
    }
    assert_none(&differences);
}

/// WTF-8 is what Python reads as UTF-8 with `surrogatepass`, except that it writes pairs of surrogates as
/// one character.
#[test]
fn wtf_8_is_utf_8_with_lone_surrogates_of_python() {
    let Some(mut converters) = ConverterProcess::start() else { return };
    if !converters.has(OtherConverter::Cpython) {
        return;
    }
    let pieces: &[&[u8]] = &[
        b"a",
        b"\xC3\xA9",
        b"\xED\xA0\xBD",
        b"\xED\xB2\xA9",
        b"\xF0\x9F\x92\xA9",
        b"\xED\x9F\xBF",
        b"\xEE\x80\x80",
        b"\xED\xA0",
        b"\xED",
        b"\xC0\x80",
        b"\xF4\x90",
        b"\xBF",
    ];
    let mut random = XorShift::new(0x5EED);
    let inputs: Vec<Vec<u8>> = (0..sample_count(RANDOM_INPUTS, SAMPLE_STRIDE))
        .map(|_| random.some(5, pieces).concat())
        .collect();
    let query = |input| ConverterQuery {
        converter: OtherConverter::Cpython,
        mode: QueryMode::Wobbly,
        from: "utf-8",
        to: "utf-32-be",
        input,
    };
    let theirs = converters.query(&inputs.iter().map(|input| query(input)).collect::<Vec<_>>());
    let mut differences = Vec::new();
    for (input, theirs) in inputs.iter().zip(theirs) {
        let ours = code_points_of_wtf_8(input);
        let has_pair =
            matches!(&theirs, ConverterResult::Output(units) if has_surrogate_pair(units));
        let expected = if has_pair { ConverterResult::Error } else { theirs };
        if ours != expected {
            differences
                .push(format!("{input:02X?}:\n  Python   {expected:?}\n  charpipe {ours:?}"));
        }
    }
    assert_none(&differences);
}

/// Returns whether UTF-32 has a lead surrogate and a trail surrogate after it.
fn has_surrogate_pair(utf_32: &[u8]) -> bool {
    let pair = |pair: &[u8]| matches!(pair, [0, 0, 0xD8..=0xDB, _, 0, 0, 0xDC..=0xDF, _]);
    utf_32
        .chunks_exact(4)
        .zip(utf_32.chunks_exact(4).skip(1))
        .any(|(one, two)| pair(&[one, two].concat()))
}

/// Returns the code points of WTF-8 in UTF-32, with those of lone surrogates.
fn code_points_of_wtf_8(input: &[u8]) -> ConverterResult {
    let mut decoder = encoding::lookup_label("WTF-8").unwrap().decoder(&EncodingOptions::default());
    let mut code_points: Vec<u32> = Vec::new();
    let (mut at, mut text) = (0, vec![0; 4 * input.len() + 8]);
    loop {
        let progress = decoder.decode(&input[at..], &mut text, true);
        let decoded = std::str::from_utf8(&text[..progress.written]).unwrap();
        code_points.extend(decoded.chars().map(u32::from));
        at += progress.read;
        match progress.status {
            Status::InputEmpty => break,
            Status::Error(error) => match error.reason {
                MalformedReason::SurrogateCodePoint(value) => {
                    code_points.push(value);
                    at += error.len;
                }
                _ => return ConverterResult::Error,
            },
            Status::OutputFull => unreachable!("the buffer has space for all characters"),
        }
    }
    ConverterResult::Output(code_points.into_iter().flat_map(u32::to_be_bytes).collect())
}
