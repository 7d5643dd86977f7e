//! The fast path of decoders: runs of codes of one byte and of two bytes.

use super::cells::{self, OneOrTwoChars};
use super::mapping::{MultiByteMapping, NOT_A_TRAIL};
use super::trie::{ROOT, TrieEntry};
use crate::kernel::ascii_set::AsciiByteSet;
use crate::kernel::dbcs::{LeadRule, PairTable};

/// A decoder of runs. The rows of its table are filled in when a lead byte first occurs.
#[derive(Debug)]
pub struct RunDecoder {
    mapping: MultiByteMapping,
    table: PairTable,
    /// The lead bytes whose rows are not yet filled in.
    is_row_missing: [bool; 0x100],
}

impl RunDecoder {
    /// Returns the decoder of a mapping, or `None` if the mapping has no two-byte codes.
    pub fn new(mapping: &MultiByteMapping) -> Option<RunDecoder> {
        let entries: [TrieEntry; 0x100] =
            std::array::from_fn(|byte| mapping.trie.entry(ROOT, byte as u8));
        let is_row_missing = entries.map(|entry| matches!(entry, TrieEntry::Row(_)));
        let single = |byte: u8| match entries[usize::from(byte)] {
            TrieEntry::Character(character @ ..='\u{FFFF}') => Some(character),
            TrieEntry::Invalid if mapping.ascii && byte.is_ascii() => Some(char::from(byte)),
            _ => None,
        };
        let first_lead = is_row_missing.iter().position(|is_lead| *is_lead)?;
        let mut high = (0x80..=0xFF).filter(|byte| single(*byte).is_some());
        let lead_rule = match (mapping.ascii, first_lead, high.next(), high.next_back()) {
            (false, ..) => LeadRule::PairsOnly,
            (true, ..0x80, ..) => return None,
            (true, _, None, _) => LeadRule::LowSingles,
            (true, _, Some(first), last) => LeadRule::HighSingles(first, last.unwrap_or(first)),
        };
        // Control characters from 0x80 with gaps are left to the caller, as unknown lead bytes.
        let lead_rule = match lead_rule {
            LeadRule::HighSingles(first, last)
                if (first..=last).any(|byte| single(byte).is_none()) =>
            {
                LeadRule::LowSingles
            }
            rule => rule,
        };
        let has_singles = lead_rule != LeadRule::PairsOnly;
        let table = PairTable::new(lead_rule, |byte| single(byte).filter(|_| has_singles));
        Some(RunDecoder { mapping: *mapping, table, is_row_missing })
    }

    /// Decodes a prefix of `src` while `dst` has space left, up to a code that is not a single
    /// character up to U+FFFF. Returns the numbers of bytes read and written.
    pub fn decode(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        self.decode_shifted(src, dst, None)
    }

    /// Does the same, but if there are only two-byte codes, also decodes one or two of the bytes
    /// `between_shifts` between SI and SO, as they are between two words.
    #[inline]
    pub fn decode_shifted(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        between_shifts: Option<&AsciiByteSet>,
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            let (run_read, run_written) =
                self.table.decode(&src[read..], &mut dst[written..], between_shifts);
            read += run_read;
            written += run_written;
            match src.get(read) {
                Some(lead) if self.is_row_missing[usize::from(*lead)] => self.fill_row(*lead),
                _ => return (read, written),
            }
        }
    }

    fn fill_row(&mut self, lead: u8) {
        self.is_row_missing[usize::from(lead)] = false;
        let TrieEntry::Row(row) = self.mapping.trie.entry(ROOT, lead) else { return };
        let trails = (0..=0xFF).zip(self.mapping.trail_index);
        let characters = trails.filter_map(|(trail, column)| {
            let column = Some(usize::from(*column)).filter(|_| *column != NOT_A_TRAIL)?;
            match cells::decode_cell(row, column)? {
                OneOrTwoChars { first: first @ ..='\u{FFFF}', second: None } => {
                    Some((trail, first))
                }
                _ => None,
            }
        });
        self.table.set_row(lead, characters);
    }
}
