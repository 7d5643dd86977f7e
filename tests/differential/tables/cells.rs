//! The results of two converters for one code, and for one character.

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::conversion_error::ErrorClass;
use charpipe::internals::encoding::EncodingOptions;

use super::shared::SharedTable;
use crate::converters::{
    ConverterProcess, ConverterQuery, ConverterResult, OtherConverter, QueryMode,
};

/// The result of a converter for one code or character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellResult {
    Decodes(Vec<u8>),
    Refuses,
    /// It refuses it because something would have to follow.
    Truncated,
}

/// One code or character, with two different results.
#[derive(Debug)]
pub struct CellDifference {
    pub input: Vec<u8>,
    pub theirs: CellResult,
    pub ours: CellResult,
}

/// Characters in one text of those that are requested together.
const MAX_BATCH: usize = 4096;

/// Codes of one length and state, or characters, that are too many to try them all: one of several is
/// tried.
pub const MANY_CELLS: usize = 200_000;

/// The longest code.
const MAX_CODE_LEN: usize = 4;

const ESCAPE: u8 = 0x1B;

impl CellResult {
    fn gives(&self) -> bool {
        matches!(self, CellResult::Decodes(_))
    }

    /// Whether two results are equivalent for a user.
    fn same(&self, other: &CellResult) -> bool {
        self == other || !self.gives() && !other.gives()
    }
}

impl SharedTable {
    /// The codes on which the two differ. `None` if the converter does not support the encoding.
    pub fn decoding(&self, converters: &mut ConverterProcess) -> Option<Vec<CellDifference>> {
        let mut differences = Vec::new();
        for prefix in self.prefixes() {
            let mut leads = vec![prefix.to_vec()];
            for position in 0..MAX_CODE_LEN {
                leads = self.decoding_after(
                    &leads,
                    prefix.len(),
                    position,
                    converters,
                    &mut differences,
                )?;
            }
        }
        Some(differences)
    }

    /// Tries every byte after each lead. What may go on after that is the result.
    fn decoding_after(
        &self,
        leads: &[Vec<u8>],
        prefix: usize,
        position: usize,
        converters: &mut ConverterProcess,
        differences: &mut Vec<CellDifference>,
    ) -> Option<Vec<Vec<u8>>> {
        let mut decoder = self.encoding.decoder(&EncodingOptions::default());
        let step = leads.len() * 0x100 / self.max_len + 1;
        let codes = leads.iter().step_by(step).flat_map(|lead| {
            (0..=0xFF).map(|byte| [&lead[..], &[byte]].concat()).collect::<Vec<_>>()
        });
        let codes: Vec<Vec<u8>> = codes.collect();
        let results = converters.supported_units(self.converter, &self.theirs, "UTF-8", &codes)?;
        let mut open = Vec::new();
        for (code, theirs) in codes.into_iter().zip(results) {
            let ours = decoded(&mut *decoder, &code);
            let escapes = code[prefix..].contains(&ESCAPE);
            let more = ours == CellResult::Truncated
                || theirs == CellResult::Truncated && !ours.gives() && !escapes;
            if more && !theirs.gives() || position == 0 && self.joins() {
                open.push(code.clone());
            }
            if !theirs.same(&ours) {
                differences.push(CellDifference { input: code, theirs, ours });
            }
        }
        Some(open)
    }

    /// The characters on which the two differ. `None` if the converter does not support the encoding.
    pub fn encoding(&self, converters: &mut ConverterProcess) -> Option<Vec<CellDifference>> {
        let mut encoder = self.encoding.encoder(&EncodingOptions::default());
        let (mut asked, mut refused) = (Vec::new(), String::new());
        let (low, high) = self.steps;
        let above = ('\u{10000}'..=char::MAX).step_by(high);
        for character in ('\0'..='\u{FFFF}').step_by(low).chain(above) {
            let mut utf8 = [0; 4];
            let text = character.encode_utf8(&mut utf8);
            if is_ignorable(character) || encoded(&mut *encoder, text).gives() {
                asked.push(character);
            } else {
                refused.push(character);
            }
        }
        asked.extend(self.not_ignored(converters, &refused)?);
        let mut differences = Vec::new();
        let few = asked.len() < MANY_CELLS;
        for characters in asked.chunks(if few { MANY_CELLS } else { MAX_BATCH }) {
            let alike = !few && self.encoding_at_once(converters, characters, &mut *encoder)?;
            if !alike {
                self.one_by_one(converters, characters, &mut *encoder, &mut differences)?;
            }
        }
        Some(differences)
    }

    /// Whether these characters together are encoded alike.
    fn encoding_at_once(
        &self,
        converters: &mut ConverterProcess,
        characters: &[char],
        encoder: &mut dyn EncodeStage,
    ) -> Option<bool> {
        let text: String = characters.iter().collect();
        let mut dst = vec![0; text.len() * 4];
        encoder.restore_state(State::INITIAL);
        let progress = encoder.encode(&text, &mut dst, true);
        let theirs = self.whole(converters, QueryMode::Strict, &text);
        Some(
            progress.status == Status::InputEmpty
                && theirs.as_deref() == Some(&dst[..progress.written]),
        )
    }

    fn one_by_one(
        &self,
        converters: &mut ConverterProcess,
        characters: &[char],
        encoder: &mut dyn EncodeStage,
        differences: &mut Vec<CellDifference>,
    ) -> Option<()> {
        let texts: Vec<String> = characters.iter().map(char::to_string).collect();
        let inputs: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let results = converters.supported_units(self.converter, "UTF-8", &self.theirs, &inputs)?;
        for ((text, input), theirs) in texts.iter().zip(inputs).zip(results) {
            let ours = encoded(encoder, text);
            if !theirs.same(&ours) {
                differences.push(CellDifference { input, theirs, ours });
            }
        }
        Some(())
    }

    /// Characters among which are those that the converter encodes.
    fn not_ignored(&self, converters: &mut ConverterProcess, text: &str) -> Option<Vec<char>> {
        let nothing = self.whole(converters, QueryMode::Ignore, "")?;
        // All in one first: mostly that is the end of it.
        if self.whole(converters, QueryMode::Ignore, text)? == nothing {
            return Some(Vec::new());
        }
        let mut encoded = Vec::new();
        for characters in text.chars().collect::<Vec<_>>().chunks(MAX_BATCH) {
            let text: String = characters.iter().collect();
            if self.whole(converters, QueryMode::Ignore, &text)? != nothing {
                encoded.extend(characters);
            }
        }
        Some(encoded)
    }

    /// Returns the encoding of a whole text by the converter.
    fn whole(
        &self,
        converters: &mut ConverterProcess,
        mode: QueryMode,
        text: &str,
    ) -> Option<Vec<u8>> {
        let (from, to, input) = ("UTF-8", &*self.theirs, text.as_bytes());
        let question = ConverterQuery { converter: self.converter, mode, from, to, input };
        match converters.query(&[question]).pop()? {
            ConverterResult::Output(bytes) => Some(bytes),
            ConverterResult::Error => None,
        }
    }
}

impl ConverterProcess {
    /// The results of a converter for short inputs, each by itself; none if it does not support the encoding.
    pub fn supported_units(
        &mut self,
        converter: OtherConverter,
        from: &str,
        to: &str,
        units: &[Vec<u8>],
    ) -> Option<Vec<CellResult>> {
        let mut input = Vec::new();
        for unit in units {
            input.push(unit.len() as u8);
            input.extend_from_slice(unit);
        }
        let question =
            ConverterQuery { converter, mode: QueryMode::Units, from, to, input: &input };
        let ConverterResult::Output(result) = self.query(&[question]).pop()? else { return None };
        let mut rest = &result[..];
        let mut verdicts = Vec::new();
        while let Some((length, following)) = rest.split_first() {
            rest = following;
            verdicts.push(match length {
                0xFF => CellResult::Refuses,
                0xFE => CellResult::Truncated,
                _ => {
                    let (bytes, after) = following.split_at(usize::from(*length));
                    rest = after;
                    CellResult::Decodes(bytes.to_vec())
                }
            });
        }
        assert_eq!(verdicts.len(), units.len());
        Some(verdicts)
    }
}

/// Characters that a renderer may ignore, which some converters drop in silence where they should
/// refuse them. A text from which all is dropped does not show that.
fn is_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE01FF)
}

fn decoded(decoder: &mut dyn DecodeStage, code: &[u8]) -> CellResult {
    let mut dst = [0; 64];
    decoder.restore_state(State::INITIAL);
    let progress = decoder.decode(code, &mut dst, true);
    match progress.status {
        Status::InputEmpty => CellResult::Decodes(dst[..progress.written].to_vec()),
        Status::Error(error) if error.reason.class() == ErrorClass::Truncated => {
            CellResult::Truncated
        }
        _ => CellResult::Refuses,
    }
}

fn encoded(encoder: &mut dyn EncodeStage, text: &str) -> CellResult {
    let mut dst = [0; 64];
    encoder.restore_state(State::INITIAL);
    let progress = encoder.encode(text, &mut dst, true);
    match progress.status {
        Status::InputEmpty => CellResult::Decodes(dst[..progress.written].to_vec()),
        _ => CellResult::Refuses,
    }
}
