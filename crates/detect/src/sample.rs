//! The sample: the parts of an input that the language models score.

use std::ops::Range;

use super::candidates::{CANDIDATES, CandidateEncoding};
use super::ebcdic::EbcdicShape;

/// The number of bytes before and after a non-ASCII byte that belong to its context.
const CONTEXT_LEN: usize = 200;

/// The same for a byte that occurs for the first time after [`TOTAL_LEN`].
const NOVELTY_CONTEXT_LEN: usize = 16;

/// The number of bytes that are scored, besides those around bytes that occur later.
const TOTAL_LEN: usize = 16 * 1024;

/// The number of non-ASCII bytes in each stage.
pub const STAGES: [usize; 4] = [32, MULTI_BYTE_STAGE, 1000, usize::MAX];

/// The stage that shows whether the text is in an encoding with characters of several bytes.
pub const MULTI_BYTE_STAGE: usize = 160;

/// The minimum number of different non-ASCII bytes for that: repeated ones cost little in any encoding.
const MIN_DISTINCT_BYTES: usize = 24;

/// The number of bytes that are scored in encodings with characters of several bytes.
const MULTI_BYTE_LEN: usize = 4 * 1024;

/// Lower bytes are never part of a character of several bytes.
const MIN_TRAIL_BYTE: u8 = 0x30;

/// The number of bytes of ASCII text that show the language.
pub const MAX_ASCII_LEN: usize = 2048;

/// The maximum length of an input that may be UTF-16 without ASCII.
const MAX_WIDE_LEN: usize = 256;

/// The number of bytes after a non-ASCII byte whose score depends on it.
const DEPENDENT_LEN: usize = 2;

/// The number of bytes that [`ByteSet::find_other`] examines at once.
const BLOCK_LEN: usize = 64;

/// The encoding of EBCDIC with NEL as line ending.
const NEL_ENCODING: &str = "IBM1047";

/// From this number of non-ASCII bytes on, or if one in this number of bytes is one, the fit has its full weight.
const FULL_FIT_COUNT: f64 = 6.0;
const FULL_FIT_SHARE: f64 = 3.0;

/// The weight of the fit if there is only one non-ASCII byte.
const MIN_FIT_WEIGHT: f64 = 0.15;

/// The parts of the input that are scored.
pub struct Sample {
    /// The bytes around non-ASCII bytes.
    pub bytes: Vec<u8>,
    /// The ranges of characters whose score depends on non-ASCII bytes.
    pub windows: Vec<Range<usize>>,
    /// The lengths of the parts with as many non-ASCII bytes as the stages have.
    stage_lens: Vec<usize>,
    /// The non-ASCII bytes that occur.
    pub present: Vec<u8>,
    /// Whether two of them are adjacent.
    pub has_adjacent: bool,
    pub ebcdic: EbcdicShape,
    /// Whether this is a whole short input.
    pub is_whole: bool,
}

impl Sample {
    /// Returns the sample of an input, which was examined for EBCDIC before.
    pub fn new(all: &[u8], ebcdic: EbcdicShape) -> Sample {
        let (mut parts, mut late) = (Parts::default(), Parts::default());
        let mut present = ByteSet::default();
        let mut index = 0;
        while parts.len < TOTAL_LEN {
            let Some(offset) = all[index..].iter().position(|byte| !byte.is_ascii()) else { break };
            index += offset;
            let context = &all[index..all.len().min(index + CONTEXT_LEN)];
            present.add(context);
            parts.add(index, CONTEXT_LEN, all.len());
            index += context.iter().rposition(|byte| !byte.is_ascii()).unwrap_or(0);
            parts.add(index, CONTEXT_LEN, all.len());
            index += 1;
        }
        present.add_ascii();
        late.end = parts.end;
        while let Some(offset) = present.find_other(&all[index..]) {
            index += offset;
            present.add(&all[index..=index]);
            late.add(index, NOVELTY_CONTEXT_LEN, all.len());
            index += 1;
        }
        let mut bytes = Vec::with_capacity(late.len + 1 + parts.len);
        // What occurs late takes part in all stages, because it may exclude what is probable without it.
        if late.len > 0 {
            late.copy_to(&mut bytes, all);
            bytes.push(b'\n');
        }
        parts.copy_to(&mut bytes, all);
        if bytes.is_empty() {
            // EBCDIC that is the same in all code pages.
            bytes.extend_from_slice(&all[..all.len().min(MAX_ASCII_LEN)]);
        }
        let (mut windows, mut window) = (Vec::new(), 0..0);
        let (mut non_ascii, mut stage_lens) = (0, Vec::new());
        let mut next_stage = STAGES[0];
        for run in non_ascii_runs(&bytes) {
            while non_ascii + run.len() >= next_stage {
                stage_lens.push(run.start + next_stage - non_ascii);
                next_stage = STAGES[stage_lens.len()];
            }
            non_ascii += run.len();
            if run.start > window.end {
                windows.push(std::mem::replace(&mut window, run.start..run.start));
            }
            window.end = run.end + DEPENDENT_LEN;
        }
        window.end = window.end.min(bytes.len());
        windows.push(window);
        windows.retain(|window| !window.is_empty());
        let has_adjacent = bytes.windows(2).any(|pair| pair.iter().all(|byte| !byte.is_ascii()));
        let present = (0x80..=0xFF).filter(|byte| present.contains(*byte)).collect();
        let is_whole = bytes.len() == all.len() && all.len() <= MAX_WIDE_LEN && all.len() % 2 == 0;
        Sample { bytes, windows, stage_lens, present, has_adjacent, ebcdic, is_whole }
    }

    /// Returns how much it says how well the text fits the models. The only foreign name in ASCII text never fits.
    pub fn fit_weight(&self) -> f64 {
        let non_ascii = self.bytes.iter().filter(|byte| !byte.is_ascii()).count() as f64;
        let share = non_ascii / self.bytes.len().max(1) as f64;
        ((non_ascii - 1.0) / FULL_FIT_COUNT).max(share * FULL_FIT_SHARE).clamp(MIN_FIT_WEIGHT, 1.0)
    }

    /// Returns which of the candidates with the same text is reported: the one with the lowest order.
    pub fn order(&self, candidate: &CandidateEncoding) -> usize {
        if self.ebcdic.has_nel && candidate.label == NEL_ENCODING {
            return 0;
        }
        CANDIDATES.iter().position(|other| std::ptr::eq(other, candidate)).unwrap_or(usize::MAX)
    }

    /// Returns the length of the part for a stage with this number of non-ASCII bytes.
    pub fn stage_len(&self, non_ascii: usize) -> usize {
        let stage = STAGES.iter().position(|stage| *stage == non_ascii);
        let len = stage.and_then(|stage| self.stage_lens.get(stage));
        len.copied().unwrap_or(self.bytes.len())
    }

    /// Returns the number of first bytes that are scored in encodings with characters of several bytes, which is at the end
    /// of a character if possible.
    pub fn multi_byte_len(&self) -> usize {
        let Some(bytes) = self.bytes.get(..MULTI_BYTE_LEN) else { return self.bytes.len() };
        let last = bytes.iter().rposition(|byte| *byte < MIN_TRAIL_BYTE);
        last.map_or(MULTI_BYTE_LEN, |last| last + 1)
    }

    /// Returns whether there are [`MULTI_BYTE_STAGE`] non-ASCII bytes, most of them beside others, and many different ones.
    pub fn is_dense(&self) -> bool {
        let len = self.stage_len(MULTI_BYTE_STAGE);
        let is_high = |byte: &u8| !byte.is_ascii();
        let pairs = self.bytes[..len].windows(2).filter(|pair| pair.iter().all(is_high)).count();
        len < self.bytes.len()
            && !self.ebcdic.is_certain
            && pairs * 2 >= MULTI_BYTE_STAGE
            && self.present.len() >= MIN_DISTINCT_BYTES
    }

    /// Returns the number of the first bytes whose score depends on non-ASCII bytes.
    pub fn window_len(&self, len: usize) -> usize {
        self.windows.iter().map(|window| window.end.min(len).saturating_sub(window.start)).sum()
    }

    /// Returns the ranges of the first bytes whose score does not depend on non-ASCII bytes.
    pub fn gaps(&self, len: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.windows.iter().map(|window| window.end));
        let ends = self.windows.iter().map(|window| window.start).chain([usize::MAX]);
        starts.zip(ends).map(move |(start, end)| start..end.min(len)).filter(|gap| !gap.is_empty())
    }
}

/// Returns the ranges of consecutive non-ASCII bytes.
fn non_ascii_runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut index = 0;
    std::iter::from_fn(move || {
        let start = index + bytes[index..].iter().position(|byte| !byte.is_ascii())?;
        let len = bytes[start..].iter().position(u8::is_ascii);
        index = len.map_or(bytes.len(), |len| start + len);
        Some(start..index)
    })
}

/// A set of bytes.
pub struct ByteSet([bool; 256]);

impl Default for ByteSet {
    fn default() -> ByteSet {
        ByteSet([false; 256])
    }
}

impl ByteSet {
    pub fn add(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0[usize::from(*byte)] = true);
    }

    pub fn add_ascii(&mut self) {
        self.0[..128].fill(true);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// Returns the index of the first byte that is not in the set.
    pub fn find_other(&self, bytes: &[u8]) -> Option<usize> {
        // Most blocks have none, which is found without a branch for each byte.
        let has_other =
            |block: &[u8]| !block.iter().fold(true, |all, byte| all & self.contains(*byte));
        let block = bytes.chunks(BLOCK_LEN).position(has_other)? * BLOCK_LEN;
        let offset = bytes[block..].iter().position(|byte| !self.contains(*byte));
        offset.map(|offset| block + offset)
    }
}

/// The surroundings of bytes in an input, in order.
#[derive(Default)]
struct Parts {
    ranges: Vec<(usize, usize)>,
    /// The end of the last range, before which no range begins.
    end: usize,
    /// The length of all ranges.
    len: usize,
}

impl Parts {
    /// Adds what is around a byte in an input of `input_len` bytes, unless it is there.
    fn add(&mut self, index: usize, context_len: usize, input_len: usize) {
        let to = (index + context_len).min(input_len);
        let from = match index >= self.end {
            true => index.saturating_sub(context_len).max(self.end),
            false => self.end,
        };
        if to <= from {
            return;
        }
        match self.ranges.last_mut() {
            Some((_, end)) if *end == from => *end = to,
            _ => self.ranges.push((from, to)),
        }
        self.len += to - from;
        self.end = to;
    }

    fn copy_to(&self, bytes: &mut Vec<u8>, input: &[u8]) {
        self.ranges.iter().for_each(|(from, to)| bytes.extend_from_slice(&input[*from..*to]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(input: &[u8]) -> Sample {
        Sample::new(input, EbcdicShape::new(input))
    }

    #[test]
    fn sample_has_the_surroundings_of_non_ascii_bytes() {
        let text =
            |len: usize| -> Vec<u8> { (0..len).map(|index| b'a' + index as u8 % 26).collect() };
        let input = [&text(500)[..], b"\xE9", &text(100), b"\xE8", &text(900), b"\xE7"].concat();
        let expected = [&input[300..801], &input[1302..]].concat();
        let sample = sample(&input);
        assert_eq!(sample.bytes, expected);
        assert_eq!(sample.present, [0xE7, 0xE8, 0xE9]);
        assert_eq!(sample.windows, [200..203, 301..304, 701..702]);
        let gaps: Vec<_> = sample.gaps(310).collect();
        assert_eq!(gaps, [0..200, 203..301, 304..310]);
        assert!(!sample.has_adjacent && !sample.is_dense());
    }

    #[test]
    fn byte_outside_of_a_set_is_found() {
        let mut set = ByteSet::default();
        set.add_ascii();
        for index in [0, 1, BLOCK_LEN - 1, BLOCK_LEN, 3 * BLOCK_LEN + 5] {
            let mut bytes = vec![b'a'; 4 * BLOCK_LEN];
            assert_eq!(set.find_other(&bytes), None);
            bytes[index..].fill(0xE9);
            assert_eq!(set.find_other(&bytes), Some(index));
        }
        set.add(&[0xE9]);
        assert_eq!(set.find_other(&[0xE9, 0xE8]), Some(1));
    }

    #[test]
    fn byte_that_occurs_late_is_first_in_the_sample() {
        let mut input = "é".repeat(TOTAL_LEN).into_bytes();
        input.extend_from_slice(&[b'x'; 300]);
        input.extend_from_slice(b"\xFFabc");
        let sample = sample(&input);
        let late = [&[b'x'; NOVELTY_CONTEXT_LEN][..], b"\xFFabc\n\xC3\xA9"].concat();
        assert!(sample.bytes.starts_with(&late), "{:?}", &sample.bytes[..32]);
        assert!(sample.present.contains(&0xFF));
    }
}
