//! Encodings of one byte a character, by table: bytes to text.

pub mod dbcs_decode;
pub mod dbcs_encode;
pub mod encode;
mod lookup;
mod two_byte_utf8;
pub mod utf8_to_utf16;

use super::simd::{self, Kernel, Simd, WIDTH};
use lookup::{HalfTable, lookup128};
use two_byte_utf8::TwoByteTable;

/// Bytes that are looked at together.
pub const STEP_LEN: usize = WIDTH;

/// Steps between two looks for a run of ASCII.
const STEPS_PER_ASCII_TEST: usize = 4;

/// Bytes that are looked up together.
const HALF_STEP: usize = STEP_LEN / 2;

/// Bytes that a step may take: the longest forms, and what the last store writes too much.
const MAX_STEP_OUTPUT: usize = 3 * STEP_LEN + 1;

/// Up to three bytes, the first one lowest, and in the highest two bits how many they are. Zero is
/// no form.
pub type Utf8Bytes = u32;

/// A bit that every form has.
const PRESENT_BIT: Utf8Bytes = 1 << 29;

/// For each byte the UTF-8 form of its character; zero where there is no such character.
pub type Utf8Table = [Utf8Bytes; 0x100];

/// A form of these bytes, at most three.
pub fn utf8_bytes(bytes: &[u8]) -> Utf8Bytes {
    let all = bytes.iter().rev().fold(0, |all, byte| all << 8 | Utf8Bytes::from(*byte));
    all | (bytes.len() as Utf8Bytes) << 30 | PRESENT_BIT
}

/// The UTF-8 form of a character up to U+FFFF.
pub fn utf8_bytes_of(character: char) -> Utf8Bytes {
    utf8_bytes(character.encode_utf8(&mut [0; 4]).as_bytes())
}

/// Bytes of a form.
#[inline(always)]
pub fn utf8_len(form: Utf8Bytes) -> usize {
    (form >> 30) as usize
}

/// What an encoding decodes to.
#[derive(Debug)]
pub struct DecodeTable {
    utf8: Box<Utf8Table>,
    two_byte: Option<TwoByteTable>,
    /// Whether bytes below 80 are ASCII.
    is_ascii_compatible: bool,
}

impl DecodeTable {
    /// A table of these forms.
    pub fn new(forms: Box<Utf8Table>) -> DecodeTable {
        let itself = |(byte, form): (u8, &Utf8Bytes)| *form == utf8_bytes_of(char::from(byte));
        let ascii = (0..0x80).zip(forms.iter()).all(itself);
        let pairs = TwoByteTable::new(&forms, ascii);
        DecodeTable { utf8: forms, two_byte: pairs, is_ascii_compatible: ascii }
    }

    /// The form of a byte's character; zero where there is none.
    #[inline(always)]
    pub fn utf8_bytes(&self, byte: u8) -> Utf8Bytes {
        self.utf8[usize::from(byte)]
    }

    /// Decodes bytes at the start of `src` while `dst` has space to spare and each is a character.
    /// Says how many it has read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        simd::run(ByteTableDecodeKernel { table: self, src, dst })
    }
}

struct ByteTableDecodeKernel<'a> {
    table: &'a DecodeTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for ByteTableDecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let ByteTableDecodeKernel { table, src, dst } = self;
        let (mut read, mut written) = (0, 0);
        loop {
            if table.is_ascii_compatible {
                let run = map_ascii_groups(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            for _ in 0..STEPS_PER_ASCII_TEST {
                let (Some(bytes), Some(output)) =
                    (src[read..].first_chunk(), dst[written..].first_chunk_mut())
                else {
                    return (read, written);
                };
                let Some(put) = decode_step(simd, table, bytes, output) else {
                    return (read, written);
                };
                read += STEP_LEN;
                written += put;
            }
        }
    }
}

/// Copies ASCII, four vectors at once, or what the table has for it; how many bytes.
#[inline(always)]
fn map_ascii_groups<S: Simd>(
    simd: S,
    src: &[u8],
    dst: &mut [u8],
    table: Option<&HalfTable>,
) -> usize {
    let groups = src.as_chunks().0.as_chunks::<STEPS_PER_ASCII_TEST>().0;
    let outputs = dst.as_chunks_mut().0.as_chunks_mut::<STEPS_PER_ASCII_TEST>().0;
    let mut done = 0;
    for ([a, b, c, d], to) in groups.iter().zip(outputs) {
        let vectors = [simd.load(a), simd.load(b), simd.load(c), simd.load(d)];
        let [a, b, c, d] = vectors;
        if simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
            break;
        }
        for (bytes, to) in vectors.into_iter().zip(to) {
            let bytes = if let Some(table) = table { lookup128(simd, table, bytes) } else { bytes };
            simd.store(bytes, to);
        }
        done += STEPS_PER_ASCII_TEST * WIDTH;
    }
    done
}

/// Writes the characters of these bytes; how many bytes, if each byte is one.
#[inline(always)]
fn decode_step<S: Simd>(
    simd: S,
    table: &DecodeTable,
    bytes: &[u8; STEP_LEN],
    output: &mut [u8; MAX_STEP_OUTPUT],
) -> Option<usize> {
    if let (Some(pairs), Some(output)) = (&table.two_byte, output.first_chunk_mut())
        && let Some(put) = pairs.write(simd, simd.load(bytes), output)
    {
        return Some(put);
    }
    let [one, other] = bytes.as_chunks::<HALF_STEP>().0 else { return None };
    let first = write_all(one.map(|byte| table.utf8_bytes(byte)), output)?;
    let second = write_all(other.map(|byte| table.utf8_bytes(byte)), &mut output[first..])?;
    Some(first + second)
}

/// Writes these forms side by side; how many bytes, if each is one of a character.
///
/// All are looked up before the first is written: a third faster than one after the other.
#[inline(always)]
fn write_all(forms: [Utf8Bytes; HALF_STEP], output: &mut [u8]) -> Option<usize> {
    let output = output.first_chunk_mut::<{ 3 * HALF_STEP + 1 }>()?;
    if forms.iter().fold(PRESENT_BIT, |all, form| all & form) == 0 {
        return None;
    }
    let mut at = 0;
    for form in forms {
        if let Some(slot) = output[at..].first_chunk_mut() {
            *slot = form.to_le_bytes();
        }
        at += utf8_len(form);
    }
    Some(at)
}

/// Writes a form if there is space for it; says how many bytes it is long.
#[inline(always)]
pub fn write_utf8(form: Utf8Bytes, output: &mut [u8]) -> Option<usize> {
    let len = utf8_len(form);
    if let Some(output) = output.first_chunk_mut() {
        *output = form.to_le_bytes();
    } else {
        output.get_mut(..len)?.copy_from_slice(&form.to_le_bytes()[..len]);
    }
    Some(len)
}

#[cfg(test)]
pub(super) mod tests {
    use super::simd::Level;
    use super::*;

    /// Bytes below 80 are ASCII, then come characters of two bytes and of three, but for every
    /// seventh byte, which is none.
    pub fn sample_char(byte: u8) -> Option<char> {
        match byte {
            0..0x80 => Some(char::from(byte)),
            _ if byte.is_multiple_of(7) => None,
            0x80..0xF0 => char::from_u32(0x400 + 5 * u32::from(byte)),
            _ => char::from_u32(0x2500 + u32::from(byte)),
        }
    }

    /// What the bytes of encodings of different kinds mean.
    pub const SAMPLE_ENCODINGS: [fn(u8) -> Option<char>; 4] = [
        sample_char,
        |byte| {
            if byte < 0x80 { Some(byte.into()) } else { char::from_u32(0xE00 + u32::from(byte)) }
        },
        |byte| Some(char::from(byte ^ 0x65)),
        |byte| sample_char(byte ^ 0x65),
    ];

    fn decode_table(character: fn(u8) -> Option<char>) -> DecodeTable {
        let mut forms = Box::new([0; 0x100]);
        for (byte, form) in (0..=0xFF).zip(forms.iter_mut()) {
            let text = character(byte).map(String::from).unwrap_or_default();
            let bytes = text.bytes().enumerate().map(|(at, byte)| u32::from(byte) << (8 * at));
            let length = (text.len() as u32) << 30;
            *form = if text.is_empty() { 0 } else { bytes.sum::<u32>() | length | 1 << 29 };
        }
        DecodeTable::new(forms)
    }

    /// Bytes of each sort in runs of each length.
    pub fn sample_bytes() -> Vec<u8> {
        let runs = (1..40).flat_map(|len| {
            let sorts = [b'a', 0x85, 0xF5, b'a' ^ 0x65].into_iter();
            sorts.flat_map(move |first| (0..len % 19).map(move |_| first))
        });
        runs.chain(0..=0xFF).chain([b'x'; 200]).chain([b'x' ^ 0x65; 100]).collect()
    }

    #[test]
    fn each_kind_of_encoding_uses_the_matching_tables() {
        let [high, long, latin, turned] =
            SAMPLE_ENCODINGS.map(|character| decode_table(character).two_byte);
        assert!(matches!(high, Some(TwoByteTable::AsciiAndTwoByte(_))) && long.is_none());
        assert!(matches!(latin, Some(TwoByteTable::Latin1(_))));
        assert!(matches!(turned, Some(TwoByteTable::Ascii(_))));
    }

    #[test]
    fn decoding_agrees_with_reference() {
        let bytes = sample_bytes();
        for character in SAMPLE_ENCODINGS {
            let table = decode_table(character);
            for start in (0..250).chain((250..bytes.len()).step_by(7)) {
                for (level, output) in Level::all()
                    .flat_map(|level| [0, 16, 48, 49, 100, 10_000].map(|output| (level, output)))
                {
                    let src = &bytes[start..];
                    let mut dst = vec![0x55; output];
                    let (read, written) =
                        level.run(ByteTableDecodeKernel { table: &table, src, dst: &mut dst });
                    let plain: Option<String> =
                        src[..read].iter().copied().map(character).collect();
                    let plain = plain.expect("only characters are read");
                    assert_eq!(str::from_utf8(&dst[..written]), Ok(&plain[..]), "{start} {output}");
                    let odd =
                        src[read..].iter().take(STEP_LEN).any(|byte| sample_char(*byte).is_none());
                    let full = output - written < MAX_STEP_OUTPUT;
                    assert!(
                        odd || full || src.len() - read < STEP_LEN,
                        "{start} {output} stops early"
                    );
                }
            }
        }
    }

    #[test]
    fn utf8_is_written_where_it_fits() {
        for character in ['a', '\u{E9}', '\u{20AC}'] {
            let text = character.to_string();
            for output in 0..6 {
                let mut dst = vec![0x55; output];
                let fits = output >= text.len();
                assert_eq!(
                    write_utf8(utf8_bytes_of(character), &mut dst),
                    fits.then_some(text.len())
                );
                assert!(!fits || dst.starts_with(text.as_bytes()));
            }
        }
    }
}
