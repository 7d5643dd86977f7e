//! The fast path of decoders: runs of codes of one byte and of two bytes.
//!
//! Long input is decoded by a table, which is filled in once per process. Until there has been so much
//! input that this is worth its cost, codes are searched for in the mapping.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use super::cells::{self, OneOrTwoChars};
use super::mapping::{MappingKey, MultiByteMapping, NOT_A_TRAIL};
use super::trie::{ROOT, TrieEntry};
use crate::conversion_error::MalformedReason;
use crate::encoding::shared::{self, Registry};
use crate::error_handler::CharacterSpace;
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::dbcs::{LeadRule, PairTable};
use charpipe_kernel::utf8_bytes::utf8_len;

/// The length of the input of all decoders of a mapping from which on the table is used, in bytes.
const MIN_TABLE_INPUT: usize = 64 * 1024;

/// What a byte is at the start of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstByte {
    /// A code, or the first byte of a code of another length than two.
    Single,
    /// The first byte of a code of two bytes.
    Lead,
    /// An error.
    Invalid,
}

/// A decoder of runs, which all decoders of a mapping share.
#[derive(Debug)]
pub struct RunDecoder {
    mapping: MultiByteMapping,
    first_bytes: [FirstByte; 0x100],
    complete: OnceLock<PairTable>,
    /// The table until it is complete: without rows, so that no call needs to allocate it.
    empty: Mutex<Option<PairTable>>,
    /// The number of bytes that were decoded without the table.
    searched_len: AtomicUsize,
}

/// The decoders of those mappings that have two-byte codes.
static RUN_DECODERS: Registry<MappingKey, Option<RunDecoder>> = Registry::new();

impl RunDecoder {
    /// Returns the shared decoder of a mapping, or `None` if the mapping has no two-byte codes.
    pub fn shared(mapping: &MultiByteMapping) -> Option<&'static RunDecoder> {
        RUN_DECODERS.get_or_init(mapping.key(), || RunDecoder::new(mapping)).as_ref()
    }

    /// Returns the decoder of a mapping, or `None` if the mapping has no two-byte codes.
    pub fn new(mapping: &MultiByteMapping) -> Option<RunDecoder> {
        let entries: [TrieEntry; 0x100] =
            std::array::from_fn(|byte| mapping.trie.entry(ROOT, byte as u8));
        let is_row = entries.map(|entry| matches!(entry, TrieEntry::Row(_)));
        let single = |byte: u8| match entries[usize::from(byte)] {
            TrieEntry::Character(character @ ..='\u{FFFF}') => Some(character),
            TrieEntry::Invalid if mapping.ascii && byte.is_ascii() => Some(char::from(byte)),
            _ => None,
        };
        let first_bytes = std::array::from_fn(|byte| match entries[byte] {
            TrieEntry::Row(_) => FirstByte::Lead,
            TrieEntry::Invalid if !(mapping.ascii && byte < 0x80) => FirstByte::Invalid,
            _ => FirstByte::Single,
        });
        let first_lead = is_row.iter().position(|is_lead| *is_lead)?;
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
        Some(RunDecoder {
            mapping: *mapping,
            first_bytes,
            complete: OnceLock::new(),
            empty: Mutex::new(Some(table)),
            searched_len: AtomicUsize::new(0),
        })
    }

    /// Decodes a prefix of `src` while `dst` has space left, up to a code that is not a single
    /// character up to U+FFFF. Returns the numbers of bytes read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        self.decode_shifted(src, dst, None)
    }

    /// Does the same, but if there are only two-byte codes, also decodes one or two of the bytes
    /// `between_shifts` between SI and SO, as they are between two words.
    #[inline]
    pub fn decode_shifted(
        &self,
        src: &[u8],
        dst: &mut [u8],
        between_shifts: Option<&AsciiByteSet>,
    ) -> (usize, usize) {
        match self.complete.get() {
            Some(table) => table.decode(src, dst, between_shifts),
            None => self.search_or_complete(src, dst, between_shifts),
        }
    }

    /// Returns the table if `src` is long enough for it or it exists already.
    pub fn table_for(&self, src: &[u8]) -> Option<&PairTable> {
        let table = self.complete.get();
        table.or_else(|| (src.len() >= MIN_TABLE_INPUT).then(|| self.complete_table()))
    }

    /// Decodes the code at the start of a window with the table. Returns the numbers of bytes read and written, or
    /// the error if the first byte begins no code. Returns `None` if the table does not have the code.
    #[inline(always)]
    pub fn decode_next(
        &self,
        table: &PairTable,
        [first, second]: [u8; 2],
        space: &mut CharacterSpace,
    ) -> Option<Result<(usize, usize), (usize, MalformedReason)>> {
        let (unit, len) = match self.first_bytes[usize::from(first)] {
            FirstByte::Invalid => return Some(Err((1, MalformedReason::InvalidLeadByte))),
            FirstByte::Single => (first.into(), 1),
            FirstByte::Lead => (u16::from_be_bytes([first, second]), 2),
        };
        let sequence = table.utf8_bytes(unit);
        space[..size_of_val(&sequence)].copy_from_slice(&sequence.to_le_bytes());
        (sequence != 0).then_some(Ok((len, utf8_len(sequence))))
    }

    #[cold]
    fn search_or_complete(
        &self,
        src: &[u8],
        dst: &mut [u8],
        between_shifts: Option<&AsciiByteSet>,
    ) -> (usize, usize) {
        if src.len().saturating_add(self.searched_len.load(Relaxed)) < MIN_TABLE_INPUT {
            let (read, written) = self.mapping.decode_fast(src, dst, false);
            self.searched_len.fetch_add(read, Relaxed);
            return (read, written);
        }
        self.complete_table().decode(src, dst, between_shifts)
    }

    /// Returns the table after filling in all rows. Does not allocate.
    pub fn complete_table(&self) -> &PairTable {
        self.complete.get_or_init(|| {
            let table = shared::lock(&self.empty).take();
            let mut table = table.expect("only this closure takes it, and it runs once");
            (0..=0xFF).for_each(|lead| self.fill_row(&mut table, lead));
            table
        })
    }

    fn fill_row(&self, table: &mut PairTable, lead: u8) {
        let TrieEntry::Row(row) = self.mapping.trie.entry(ROOT, lead) else { return };
        table.set_row(lead, |trail| {
            let column = self.mapping.trail_index[usize::from(trail)];
            if column == NOT_A_TRAIL {
                return None;
            }
            match cells::decode_cell(row, column.into())? {
                OneOrTwoChars { first: first @ ..='\u{FFFF}', second: None } => Some(first),
                _ => None,
            }
        });
    }
}
