//! Encodings of one byte a character, by table: text to bytes.

use super::lookup::{HalfTable, half_table};
use super::map_ascii_groups;
use super::utf8_to_utf16::{self, CodeUnits, GROUP_LEN, MIN_CHUNK_VECTORS, char_boundary};
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};

/// What a character is encoded to: 4000 and a byte, or another number that the codec gives a
/// meaning to. Zero is nothing.
pub type EncodeEntry = u16;

/// Of an [`Answer`]: it is a byte.
pub const IS_BYTE: EncodeEntry = 0x4000;

/// The answer for each character up to U+FFFF.
#[derive(Debug)]
pub struct EncodeTable {
    /// By code point. Memory that is never written is not taken from the system.
    entries: Box<[EncodeEntry; 0x1_0000]>,
    ascii: AsciiMapping,
}

/// What ASCII is encoded to, as far as that is quickly told.
#[derive(Debug)]
enum AsciiMapping {
    /// To itself.
    Identity,
    /// To these bytes.
    Table(Box<HalfTable>),
    /// To something else, or not all of it.
    Other,
}

impl EncodeTable {
    /// Answers for characters up to U+FFFF; of several for one character the last holds.
    pub fn new(mappings: impl IntoIterator<Item = (char, EncodeEntry)>) -> EncodeTable {
        let mut all = vec![0; 0x1_0000].into_boxed_slice();
        for (character, entry) in mappings {
            if let Some(slot) = all.get_mut(u32::from(character) as usize) {
                *slot = entry;
            }
        }
        EncodeTable {
            ascii: ascii_mapping(&all[..0x80]),
            entries: all.try_into().expect("so many"),
        }
    }

    /// The answer for a character.
    pub fn get(&self, character: char) -> EncodeEntry {
        self.entries.get(u32::from(character) as usize).copied().unwrap_or(0)
    }

    /// Encodes characters at the start of `src` while `dst` has space to spare and each has a byte.
    /// Says how many bytes it has read and written.
    pub fn encode(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(ByteTableEncodeKernel { table: self, src: src.as_bytes(), dst })
    }

    /// Writes the bytes of these units; whether each has one.
    #[inline(always)]
    fn write_group(&self, units: &[u16; GROUP_LEN], output: &mut [u8; GROUP_LEN]) -> bool {
        let mut all = IS_BYTE;
        for (unit, output) in units.iter().zip(output) {
            let entry = self.entries[usize::from(*unit)];
            *output = entry as u8;
            all &= entry;
        }
        all != 0
    }
}

/// What ASCII is encoded to.
fn ascii_mapping(ascii: &[EncodeEntry]) -> AsciiMapping {
    if !ascii.iter().all(|entry| entry & IS_BYTE != 0) {
        return AsciiMapping::Other;
    }
    let itself = ascii.iter().zip(0..).all(|(entry, value)| *entry == IS_BYTE | value);
    let bytes = || half_table(|value| ascii[usize::from(value)] as u8);
    if itself { AsciiMapping::Identity } else { AsciiMapping::Table(Box::new(bytes())) }
}

struct ByteTableEncodeKernel<'a> {
    table: &'a EncodeTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for ByteTableEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let ByteTableEncodeKernel { table, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, MIN_CHUNK_VECTORS);
        let mut units = CodeUnits::new();
        loop {
            let run = encode_ascii(simd, &table.ascii, &src[read..], &mut dst[written..]);
            read += run;
            written += run;
            let output = &mut dst[written..];
            let taken = units.decode_chunk(simd, &src[read..], vectors.min(output.len() / WIDTH));
            let groups = units.groups().iter().zip(output.as_chunks_mut().0);
            let good = groups
                .map(|(units, output)| table.write_group(units, output))
                .take_while(|good| *good);
            let good = good.count() * GROUP_LEN;
            let all = units.as_slice();
            if taken == 0 || good < all.len() {
                let good = &all[..good.min(all.len())];
                return (
                    char_boundary(src, read) + utf8_to_utf16::utf8_len(good),
                    written + good.len(),
                );
            }
            read += taken;
            written += all.len();
            vectors = (2 * vectors).min(utf8_to_utf16::MAX_CHUNK_VECTORS);
        }
    }
}

/// Encodes ASCII, so many vectors at once; how many bytes.
#[inline(always)]
fn encode_ascii<S: Simd>(simd: S, low: &AsciiMapping, src: &[u8], dst: &mut [u8]) -> usize {
    match low {
        AsciiMapping::Identity => map_ascii_groups(simd, src, dst, None),
        AsciiMapping::Table(table) => map_ascii_groups(simd, src, dst, Some(table)),
        AsciiMapping::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SAMPLE_ENCODINGS, sample_bytes};
    use super::*;
    use crate::kernel::simd::Level;

    /// The answers for an encoding.
    fn encode_table(character: fn(u8) -> Option<char>) -> EncodeTable {
        let known =
            |byte| character(byte).map(|character| (character, IS_BYTE | EncodeEntry::from(byte)));
        EncodeTable::new((0..=0xFF).filter_map(known))
    }

    #[test]
    fn encoding_agrees_with_reference() {
        for character in SAMPLE_ENCODINGS {
            let table = encode_table(character);
            let known: String = sample_bytes().into_iter().filter_map(character).collect();
            let starts = known
                .char_indices()
                .enumerate()
                .filter(|(index, _)| *index < 250 || index.is_multiple_of(7));
            for ((_, (start, _)), odd) in starts.zip(["", "\u{3A9}", "中", "😀"].iter().cycle())
            {
                let text = known[start..].to_owned() + odd + "abcdefghijklmnopqrstuvwxyz";
                for (level, output) in Level::all()
                    .flat_map(|level| [0, 16, 17, 100, 10_000].map(|output| (level, output)))
                {
                    let mut dst = vec![0x55; output];
                    let (table, src) = (&table, text.as_bytes());
                    let (read, written) =
                        level.run(ByteTableEncodeKernel { table, src, dst: &mut dst });
                    let back: Option<String> =
                        dst[..written].iter().map(|byte| character(*byte)).collect();
                    assert_eq!(back.as_deref(), text.get(..read), "{start} {odd} {output}");
                    let near: Vec<char> = text[read..].chars().take(WIDTH).collect();
                    let stopped = near.iter().any(|character| table.get(*character) == 0);
                    let full = output - written < WIDTH;
                    let short = text.len() - read < WIDTH + utf8_to_utf16::OVERLAP;
                    assert!(stopped || full || short, "{start} {output} stops early: {near:?}");
                }
            }
        }
    }

    #[test]
    fn encoding_stops_in_the_group_of_an_unmappable_character() {
        let table = encode_table(SAMPLE_ENCODINGS[0]);
        for before in 0..200 {
            let text = format!("{}\u{3A9}{}", "a\u{69E}".repeat(before), "b".repeat(50));
            let mut dst = vec![0; 1000];
            let (read, written) = table.encode(&text, &mut dst);
            assert_eq!(text[..read].chars().count(), written);
            assert!(read <= 3 * before && 3 * before < read + 2 * WIDTH, "{before} {read}");
        }
    }

    #[test]
    fn ascii_mapping_is_detected() {
        assert!(matches!(encode_table(SAMPLE_ENCODINGS[0]).ascii, AsciiMapping::Identity));
        assert!(
            matches!(encode_table(SAMPLE_ENCODINGS[2]).ascii, AsciiMapping::Table(bytes) if bytes[4][1] == 0x24)
        );
        let given = (0..0x80).map(|byte: u8| (byte.into(), EncodeEntry::from(byte)));
        assert!(matches!(EncodeTable::new(given.clone()).ascii, AsciiMapping::Other));
        assert!(matches!(EncodeTable::new(given.take(0x7F)).ascii, AsciiMapping::Other));
    }

    #[test]
    fn last_entry_of_a_character_wins() {
        let given = ['\0', 'A', '\u{7FF}', '\u{800}', '\u{83F}', '\u{840}', '\u{FFFF}'];
        let numbered = || given.into_iter().zip(2..);
        let table =
            EncodeTable::new(given.map(|character| (character, 1)).into_iter().chain(numbered()));
        for (character, number) in numbered() {
            assert_eq!(table.get(character), number, "{character:?}");
        }
        for character in ['\u{1}', '\u{7FE}', '\u{801}', '\u{880}', '\u{FFFE}', '\u{10000}'] {
            assert_eq!(table.get(character), 0, "{character:?}");
        }
    }
}
