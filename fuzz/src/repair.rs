//! A repair of mojibake is UTF-8, can be undone, is the same in any pieces, and changes what a check reports and nothing else.
//!
//! Input: one byte for the space, three for the sizes of pieces, one for the code page in which the text is garbled, one
//! for how often that is done, one for the lines in which it is done, one for how often the text is repeated, then the text.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use charpipe::Encoding;
use charpipe::internals::encoding::EncodingOptions;
use charpipe::internals::transform::{self, TransformCodecs};

use super::driver::{Chunking, TestCodec, Transcript, drive};
use super::params::FuzzInput;

/// Bytes that are repaired at the most: more than are examined at once.
const MAX_INPUT_LEN: usize = 6000;

/// Characters of which it is checked that the repair can be undone.
const MAX_UNDONE_CHARS: usize = 1000;

/// The maximum number of times that text is garbled and repaired.
const MAX_LEVELS: usize = 6;

/// The encodings that the guide lists. In the first ones a byte without a character is read as ISO-8859-1.
const CODE_PAGES: [&str; 12] = [
    "CP1250",
    "CP1251",
    "CP1252",
    "CP1253",
    "CP1254",
    "CP1257",
    "ISO-8859-1",
    "ISO-8859-2",
    "whatwg:macintosh",
    "CP437",
    "CP850",
    "CP866",
];

/// The characters of the bytes from 80 on.
type CodePage = [char; 128];

fn code_pages() -> &'static [CodePage] {
    static PAGES: OnceLock<Vec<CodePage>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let page = |label: &&str| {
            let encoding = Encoding::lookup(label).expect("it is a known label");
            std::array::from_fn(|index| {
                let byte = 0x80 + index as u8;
                let bytes = [byte];
                let text = encoding.decode_strict(&bytes).unwrap_or_default();
                text.chars().next().unwrap_or(char::from(byte))
            })
        };
        CODE_PAGES.iter().map(page).collect()
    })
}

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let chunking = Chunking::from_input(&mut bytes);
    let page = &code_pages()[bytes.below(CODE_PAGES.len())];
    let times = bytes.below(4);
    let lines = bytes.byte();
    let text = String::from_utf8_lossy(&bytes.repeated()).into_owned();
    let mut garbled: String = text
        .split_inclusive('\n')
        .enumerate()
        .map(|(index, line)| match lines >> (index % 8) & 1 {
            0 => line.to_owned(),
            _ => (0..times).fold(line.to_owned(), |line, _| garble(&line, page)),
        })
        .collect();
    garbled.truncate(garbled.floor_char_boundary(MAX_INPUT_LEN));
    let [mut report, mut repair] = codecs();
    let repaired = in_pieces(&mut repair, &garbled, chunking);
    let reported = in_pieces(&mut report, &garbled, chunking);
    assert_eq!(repaired.errors, []);
    let repaired = String::from_utf8(repaired.out).expect("UTF-8");
    check_report(&garbled, &reported, &repaired);
    if garbled.chars().count() <= MAX_UNDONE_CHARS {
        check_undone(&garbled, &repaired);
    }
}

/// Returns the text whose UTF-8 is read in a code page.
fn garble(text: &str, page: &CodePage) -> String {
    let character = |byte: u8| match byte {
        0..=0x7F => char::from(byte),
        _ => page[usize::from(byte - 0x80)],
    };
    text.bytes().map(character).collect()
}

/// Returns the codec that reports garbled text, and the one that repairs it.
fn codecs() -> [TestCodec; 2] {
    let transform = transform::for_name("mojibake").expect("a transform");
    let TransformCodecs::Text { decoder: Some(report), encoder: repair } = transform.codecs else {
        panic!("a transform of text that reports");
    };
    let options = EncodingOptions::default();
    [report, repair].map(|make| TestCodec::TextTransform(make(&options)))
}

fn in_pieces(codec: &mut TestCodec, text: &str, chunking: Chunking) -> Transcript {
    let whole = drive(codec, text.as_bytes(), Chunking::WHOLE);
    assert_eq!(drive(codec, text.as_bytes(), chunking), whole, "{text:?} {chunking:?}");
    whole
}

/// Checks that what is reported is what is repaired: all other text is in both, and there is a report if and only if the text
/// changes.
fn check_report(garbled: &str, reported: &Transcript, repaired: &str) {
    assert_eq!(reported.errors.is_empty(), garbled == repaired, "{garbled:?} {repaired:?}");
    let (mut at, mut rest, mut kept) = (0, repaired, String::new());
    let ends = reported.errors.iter().map(|error| (error.input_offset, error.next));
    for (index, (start, len)) in ends.chain([(garbled.len(), 0)]).enumerate() {
        let part = &garbled[at..start];
        kept.push_str(part);
        // A space in place of a no-break space is repaired with the character before it.
        let after_lead = garbled[..at].ends_with('Ã');
        let found = [Some(part), part.strip_prefix(' ').filter(|_| after_lead)]
            .into_iter()
            .flatten()
            .filter_map(|part| match index {
                0 => rest.strip_prefix(part),
                _ if start == garbled.len() => rest.ends_with(part).then_some(""),
                _ => rest.find(part).map(|found| &rest[found + part.len()..]),
            })
            .max_by_key(|rest| rest.len());
        rest = found.unwrap_or_else(|| panic!("{part:?} of {garbled:?} is not in {repaired:?}"));
        at = start + len;
    }
    assert_eq!(std::str::from_utf8(&reported.out), Ok(&kept[..]), "{garbled:?}");
}

/// Checks that garbling characters of the repaired text again gives the text that was repaired.
fn check_undone(garbled: &str, repaired: &str) {
    let mut undo = Undo {
        garbled: garbled.chars().collect(),
        first_characters: HashMap::new(),
        ends: HashMap::new(),
    };
    let mut ends = BTreeSet::from([0]);
    for (index, character) in repaired.char_indices() {
        ends = undo.ends_after(&ends, character, MAX_LEVELS);
        assert!(
            !ends.is_empty(),
            "{garbled:?} does not mean {:?} of {repaired:?}",
            &repaired[..index]
        );
    }
    assert!(ends.contains(&undo.garbled.len()), "{garbled:?} is not {repaired:?} garbled");
}

/// Finds the garbled text of each repaired character.
struct Undo {
    garbled: Vec<char>,
    /// What a character can begin with if it is garbled up to a number of times.
    first_characters: HashMap<(char, usize), BTreeSet<char>>,
    /// Where the garbled text of a character ends, by that character, the maximum number of times and the start.
    ends: HashMap<(char, usize, usize), BTreeSet<usize>>,
}

impl Undo {
    fn ends_after(
        &mut self,
        starts: &BTreeSet<usize>,
        character: char,
        times: usize,
    ) -> BTreeSet<usize> {
        starts.iter().flat_map(|start| self.ends_of(character, times, *start)).collect()
    }

    fn ends_of(&mut self, character: char, times: usize, start: usize) -> BTreeSet<usize> {
        if let Some(known) = self.ends.get(&(character, times, start)) {
            return known.clone();
        }
        let Some(&next) = self.garbled.get(start) else { return BTreeSet::new() };
        let mut ends = BTreeSet::new();
        if next == character {
            ends.insert(start + 1);
        }
        // It was removed, or became a space.
        if character == '\u{A0}' && next == ' ' && start > 0 && self.garbled[start - 1] == 'Ã' {
            ends.extend([start, start + 1]);
        }
        for garbled in garbled_ways(character).filter(|_| times > 0) {
            if self.first_characters(garbled[0], times - 1).contains(&next) {
                let start = BTreeSet::from([start]);
                ends.extend(
                    garbled.into_iter().fold(start, |ends, character| {
                        self.ends_after(&ends, character, times - 1)
                    }),
                );
            }
        }
        self.ends.insert((character, times, start), ends.clone());
        ends
    }

    fn first_characters(&mut self, character: char, times: usize) -> BTreeSet<char> {
        if let Some(known) = self.first_characters.get(&(character, times)) {
            return known.clone();
        }
        let mut first = BTreeSet::from([character]);
        for garbled in garbled_ways(character).filter(|_| times > 0) {
            first.extend(self.first_characters(garbled[0], times - 1));
        }
        self.first_characters.insert((character, times), first.clone());
        first
    }
}

/// Returns what a character becomes in each code page, in UTF-8 and in CESU-8.
fn garbled_ways(character: char) -> impl Iterator<Item = Vec<char>> {
    let utf8 = character.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
    let surrogates = character.encode_utf16(&mut [0; 2]).to_vec();
    let three = |unit: &u16| [0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F];
    let cesu8: Vec<u8> = surrogates.iter().flat_map(three).map(|unit| unit as u8).collect();
    let mut ways = vec![utf8];
    if surrogates.len() == 2 {
        ways.push(cesu8);
    }
    let pages = code_pages().iter().filter(move |_| !character.is_ascii());
    pages.flat_map(move |page| {
        let garble =
            |bytes: &Vec<u8>| bytes.iter().map(|byte| page[usize::from(byte - 0x80)]).collect();
        ways.iter().map(garble).collect::<Vec<_>>()
    })
}
